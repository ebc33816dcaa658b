#pragma once

// Vectors and matrices of Eigen are made in the library and freed in code that includes its headers, and the other way
// round. Both sides must mean the same by it, whatever instruction set each is compiled for: Eigen aligns its types,
// and chooses between malloc and an allocator of its own, by the widest vectors that the compiler may use. So every
// header of Cuttle includes Eigen through this one, which fixes
//   - the alignment of Eigen's types at 16 bytes, the same as without AVX;
//   - malloc and free as the allocator, whose memory is aligned to 16 bytes already.
// The target cuttle::cuttle defines both macros for all of a CMake target's files, so that the order of includes does
// not matter. Sources of the library that are compiled for an instruction set (CUTTLE_ISA) may have an allocator of
// their own, for packs of robots: no memory of Eigen leaves them (cmake/check_isa_symbols.cmake).

#if !defined(EIGEN_MAX_ALIGN_BYTES)
#define EIGEN_MAX_ALIGN_BYTES 16
#endif
#if !defined(EIGEN_MALLOC_ALREADY_ALIGNED) && !defined(CUTTLE_ISA)
#define EIGEN_MALLOC_ALREADY_ALIGNED 1
#endif

#include <Eigen/Core>
#include <cstddef>

#if EIGEN_MAX_ALIGN_BYTES != 16 || EIGEN_MAX_STATIC_ALIGN_BYTES != 16
#error \
    "Eigen aligns its types otherwise than in Cuttle. Link the target cuttle::cuttle, or compile all files with \
-DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=1, or include Cuttle before Eigen"
#endif
#if !EIGEN_MALLOC_ALREADY_ALIGNED && !defined(CUTTLE_ISA)
#error \
    "Eigen allocates otherwise than in Cuttle. Link the target cuttle::cuttle, or compile all files with \
-DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=1, or include Cuttle before Eigen"
#endif

static_assert(alignof(std::max_align_t) >= 16, "malloc must align to 16 bytes");
