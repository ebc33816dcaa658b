#pragma once

#include <unistd.h>

#include <string>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

/// @param what  takes so many bytes: who asked for how much.
/// @throws ArgumentError if the machine has not so many. Some systems give them out all the same, and end the program
/// that uses them.
inline void require_memory(double bytes, const std::string& what) {
  constexpr double k_gigabyte = 1e9;
  const double most = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= most || most <= 0.0) return;
  throw ArgumentError(what + ": found more than there is memory for (" + number_text(bytes / k_gigabyte) +
                      " GB), expected at most " + number_text(most / k_gigabyte) + " GB");
}

}  // namespace cuttle
