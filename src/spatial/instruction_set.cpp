#include "spatial/instruction_set.h"

#include <cstdlib>
#include <cstring>

namespace cuttle {
namespace {

/// In the order of InstructionSet.
constexpr struct {
  const char *name, *title;
} k_sets[] = {{"baseline", "baseline"}, {"avx2", "x86-64-v3 (AVX2)"}, {"avx512", "x86-64-v4 (AVX-512)"}};

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
  const int widest = static_cast<int>(avx512 ? InstructionSet::avx512
                                      : avx2 ? InstructionSet::avx2
                                             : InstructionSet::baseline);
  int set = 0;
  while (set < widest && (wish == nullptr || std::strcmp(wish, k_sets[set].name) != 0)) ++set;
  return static_cast<InstructionSet>(set);
#endif
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet k_set = detect();
  return k_set;
}

const char* instruction_set_name() { return k_sets[static_cast<int>(instruction_set())].name; }
const char* instruction_set_title() { return k_sets[static_cast<int>(instruction_set())].title; }

}  // namespace cuttle
