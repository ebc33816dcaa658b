// The kinds as a plugin: cuttle --plugin libown_kinds.so ..
#include <cuttle/io/plugin.h>

#include "own_kinds.h"

CUTTLE_PLUGIN(register_own_kinds)
