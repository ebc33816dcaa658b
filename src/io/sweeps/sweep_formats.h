#pragma once

#include <mutex>
#include <string>

#include "cuttle/io/sweep_file.h"

namespace cuttle {

// A sweep as the bytes of a file, and back: docs/sweeps.md has both formats.

std::string sweep_csv(const SweepTable& table);
/// @param path  for errors.   @throws FileError.
SweepTable read_sweep_csv(const std::string& path);

std::string sweep_hdf5(const SweepTable& table, const std::string& path);
SweepTable read_sweep_hdf5(const std::string& path);

/// HDF5 is used by one thread at a time: runs that are saved, and the sweep's file.
std::mutex& sweep_hdf5_mutex();

}  // namespace cuttle
