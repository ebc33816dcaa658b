#pragma once

#include <cstdint>
#include <string>

#include "io/results/byte_stream.h"

namespace cuttle {

/// What compression by deflate makes smaller at most; results of Cuttle have rows without compression, but users may
/// pack them.
inline constexpr std::uint64_t k_most_compression = 1100;

/// Reads with HDF5 all that results have and writes it to the stream, as `read_hdf5_content` expects it. The file may
/// be damaged: HDF5 may do anything, so this belongs into a process of its own.
/// @param file_size  which no claim of the file may exceed.
void walk_hdf5_file(const std::string& path, std::uint64_t file_size, bool with_rows, ByteWriter& stream);

}  // namespace cuttle
