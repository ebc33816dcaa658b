#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuttle {

/// Memory of this thread, aligned to 64 bytes, that only grows: for what has no workspace and must not allocate. One
/// for all: lost at the next call.
inline void* thread_memory(std::size_t size) {
  constexpr std::size_t k_line = 64;
  thread_local std::vector<char> memory;
  if (memory.size() < size + k_line) memory.resize(size + k_line);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return reinterpret_cast<void*>((address + k_line - 1) / k_line * k_line);
}

}  // namespace cuttle
