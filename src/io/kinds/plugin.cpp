#include "cuttle/io/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cuttle/error.h"
#include "cuttle/io/replaced_files.h"
#include "io/regular_file.h"

namespace cuttle {
namespace {

/// What the loader says was wrong last, without the file's name.
std::string loader_error(const std::string& file) {
  const char* const text = dlerror();
  const std::string message = text != nullptr ? text : "an error without a name";
  return message.starts_with(file + ": ") ? message.substr(file.size() + 2) : message;
}

/// Bytes that the loader maps into memory: of a file that has less, what is missing ends the process when it is read.
/// 0 if the file is none that the loader of this machine knows; it says why by itself.
std::uintmax_t mapped_size(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const auto read = [&stream](std::uintmax_t place, auto& into) {
    stream.seekg(static_cast<std::streamoff>(place));
    return static_cast<bool>(stream.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  ElfW(Ehdr) header;
  if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  constexpr unsigned char k_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr unsigned char k_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  const bool of_this_machine = header.e_ident[EI_CLASS] == k_class && header.e_ident[EI_DATA] == k_order;
  if (!of_this_machine || header.e_phentsize != sizeof(ElfW(Phdr))) return 0;
  std::uintmax_t size = sizeof header;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    const std::uintmax_t place = header.e_phoff + std::uintmax_t{i} * header.e_phentsize;
    if (!read(place, part)) return std::max<std::uintmax_t>(size, place + sizeof part);
    if (part.p_type == PT_LOAD) size = std::max<std::uintmax_t>(size, part.p_offset + part.p_filesz);
  }
  return size;
}

}  // namespace

void load_plugin(const std::string& path) {
  const auto refuse = [&path](const std::string& found, const std::string& expected) {
    throw FileError(fmt::format("{}: found {}, expected {}", path, found, expected));
  };
  const char* const k_plugin = "a shared library that is a plugin of Cuttle";
  // the loader would wait for what a pipe may bring
  if (const std::string trouble = file_trouble(path); !trouble.empty()) {
    refuse(trouble == k_no_such_file ? "nothing" : trouble, k_plugin);
  }
  note_read(path, "a plugin");
  const std::string file = std::filesystem::absolute(path).string();  // else it would be searched elsewhere
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(file, status), expected_size = mapped_size(file);
  if (!status && size < expected_size) {
    refuse(fmt::format("a shared library of {} bytes that is cut off", size),
           fmt::format("{} bytes at least", expected_size));
  }
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
  } catch (const std::exception& error) {
    throw FileError(fmt::format("{}: {}", path, error.what()));
  } catch (...) {
    refuse("an exception of unknown type while its kinds are registered", "one derived from std::exception, or none");
  }
}

}  // namespace cuttle
