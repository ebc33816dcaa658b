#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuttle {

/// Bob Jenkins' hash lookup3 (hashlittle, seed 0), the checksum of HDF5's metadata.
std::uint32_t lookup3(std::span<const unsigned char> bytes);

}  // namespace cuttle
