// A plugin as it would be for another Cuttle.
extern "C" [[gnu::visibility("default")]] const char cuttle_plugin_build[];
const char cuttle_plugin_build[] = "Cuttle 0.0.0, C++ ABI 1";
extern "C" [[gnu::visibility("default")]] void cuttle_plugin_register();
void cuttle_plugin_register() { __builtin_trap(); }
