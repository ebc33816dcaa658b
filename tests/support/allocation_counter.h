#pragma once

#include <atomic>
#include <cstdlib>

// Counts what Eigen (malloc) and the standard library (operator new) allocate: malloc of an executable stands in front
// of the C library's. For one source of an executable.

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);                    // NOLINT(bugprone-reserved-identifier): glibc's name
void* __libc_memalign(std::size_t align, std::size_t n);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
