#include "spatial/instruction_set.h"

#include <cstdlib>
#include <cstring>

namespace cuttle {
namespace {

InstructionSet detect() {
#if defined(CUTTLE_ONLY_BASELINE)
  return InstructionSet::baseline;
#else
  __builtin_cpu_init();
  // the names that the sources are compiled for (cmake/CuttleOptions.cmake): each stands for a dozen of features
#if defined(__clang__) && __clang_major__ < 18  // which does not know the names
  const bool avx2 = false, avx512 = false;
#else
  const bool avx2 = __builtin_cpu_supports("x86-64-v3");
  const bool avx512 = __builtin_cpu_supports("x86-64-v4");
#endif
  const char* wish = std::getenv("CUTTLE_ISA");
  if (wish != nullptr && std::strcmp(wish, "baseline") == 0) return InstructionSet::baseline;
  if (avx512 && !(wish != nullptr && std::strcmp(wish, "avx2") == 0)) return InstructionSet::avx512;
  return avx2 ? InstructionSet::avx2 : InstructionSet::baseline;
#endif
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet set = detect();
  return set;
}

const char* instruction_set_name() {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return "x86-64-v4 (AVX-512)";
    case InstructionSet::avx2:
      return "x86-64-v3 (AVX2)";
    default:
      return "baseline";
  }
}

}  // namespace cuttle
