#include "cuttle/io/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// What the loader says was wrong last, without the file's name.
std::string loader_error(const std::string& file) {
  const char* const text = dlerror();
  const std::string message = text != nullptr ? text : "an error without a name";
  return message.starts_with(file + ": ") ? message.substr(file.size() + 2) : message;
}

}  // namespace

void load_plugin(const std::string& path) {
  const auto refuse = [&path](const std::string& found, const std::string& expected) {
    throw FileError(fmt::format("{}: found {}, expected {}", path, found, expected));
  };
  const char* const k_plugin = "a shared library that is a plugin of Cuttle";
  std::error_code status;
  if (!std::filesystem::exists(path, status)) refuse("nothing", k_plugin);
  const std::string file = std::filesystem::absolute(path).string();  // else it would be searched elsewhere
  // at first only what is needed to ask for its version: one of another Cuttle may lack functions
  void* library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) refuse(fmt::format("'{}'", loader_error(file)), k_plugin);
  const auto* build = static_cast<const char*>(dlsym(library, "cuttle_plugin_build"));
  const auto register_kinds = reinterpret_cast<void (*)()>(dlsym(library, "cuttle_plugin_register"));
  if (build == nullptr || register_kinds == nullptr) {
    dlclose(library);
    refuse("a shared library without CUTTLE_PLUGIN", k_plugin);
  }
  if (std::string(build) != CUTTLE_BUILD) {
    const std::string found = fmt::format("a plugin for '{}'", build);
    dlclose(library);
    refuse(found, fmt::format("one for '{}'", CUTTLE_BUILD));
  }
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    refuse(fmt::format("'{}'", loader_error(file)), "a plugin whose functions are all there");
  }
  try {
    register_kinds();
  } catch (const Error& error) {
    throw FileError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace cuttle
