#include <cstdio>

namespace cuttle {
namespace baseline {
int width();
}
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
int width();
}
namespace avx512 {
int width();
}
#endif
}  // namespace cuttle

int main() {
  std::printf("widths: %d", cuttle::baseline::width());
#if !defined(CUTTLE_ONLY_BASELINE)
  if (__builtin_cpu_supports("avx2")) std::printf(" %d", cuttle::avx2::width());
  if (__builtin_cpu_supports("avx512f")) std::printf(" %d", cuttle::avx512::width());
#endif
  std::printf("\n");
}
