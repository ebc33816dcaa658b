#pragma once

#include <cstddef>
#include <cstdint>

namespace cuttle {

/// Every part of a workspace begins at a line of the cache, as the widest lanes want it.
inline constexpr std::size_t k_cache_line = 64;

/// The first aligned address in memory that has k_cache_line more than is needed.
template <typename T = void>
T* aligned(void* memory) {
  const std::size_t beyond = (0 - reinterpret_cast<std::uintptr_t>(memory)) % k_cache_line;
  return static_cast<T*>(static_cast<void*>(static_cast<char*>(memory) + beyond));
}

}  // namespace cuttle
