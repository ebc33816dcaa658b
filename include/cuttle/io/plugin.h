#pragma once

#include <cstddef>
#include <string>

#include "cuttle/api.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/version.h"

// What Cuttle and a plugin must have in common, as text: the version, and what of the compiler and its options decides
// how objects lie in memory. A literal: a function of both would be one function to the dynamic linker.
#define CUTTLE_TEXT_OF(x) #x
#define CUTTLE_TEXT(x) CUTTLE_TEXT_OF(x)
#ifdef _GLIBCXX_DEBUG
#define CUTTLE_CHECKED_CONTAINERS ", checked containers"
#else
#define CUTTLE_CHECKED_CONTAINERS ""
#endif
#define CUTTLE_BUILD                                                                                   \
  "Cuttle " CUTTLE_VERSION                                                                             \
  ", C++ ABI " CUTTLE_TEXT(__GXX_ABI_VERSION) ", std::string ABI " CUTTLE_TEXT(_GLIBCXX_USE_CXX11_ABI) \
      CUTTLE_CHECKED_CONTAINERS ", Eigen " CUTTLE_TEXT(EIGEN_WORLD_VERSION) "." CUTTLE_TEXT(           \
          EIGEN_MAJOR_VERSION) "." CUTTLE_TEXT(EIGEN_MINOR_VERSION) " aligned to " CUTTLE_TEXT(EIGEN_MAX_ALIGN_BYTES)

/// Makes a shared library a plugin of Cuttle. Once a library; `function` takes nothing and registers kinds.
/// @code
/// CUTTLE_PLUGIN([] { cuttle::register_kind(screw_kind()); })
/// @endcode
#define CUTTLE_PLUGIN(...)                                                    \
  extern "C" [[gnu::visibility("default")]] const char cuttle_plugin_build[]; \
  const char cuttle_plugin_build[] = CUTTLE_BUILD;                            \
  extern "C" [[gnu::visibility("default")]] void cuttle_plugin_register();    \
  void cuttle_plugin_register() { (__VA_ARGS__)(); }

namespace CUTTLE_API cuttle {

/// Loads a plugin for the rest of the program: files may then have the kinds that it registers. It must be linked with
/// the same shared libcuttle.
/// @throws FileError if it cannot be loaded, is none, was built for another Cuttle, or registers what is there already.
void load_plugin(const std::string& path);

}  // namespace cuttle
