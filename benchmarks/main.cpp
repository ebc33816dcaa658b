// cuttle_bench: Google Benchmark's main, with what the numbers depend on written into every report.
#include <benchmark/benchmark.h>
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>

#include "cuttle/version.h"
#include "spatial/instruction_set.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--instruction-set") == 0) {
    std::puts(cuttle::instruction_set_title());
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("cuttle", cuttle::k_version);
  benchmark::AddCustomContext("instruction_set", cuttle::instruction_set_title());
  benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
  benchmark::AddCustomContext("flags", CUTTLE_BENCH_FLAGS);
  benchmark::AddCustomContext("mujoco", mj_versionString());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
