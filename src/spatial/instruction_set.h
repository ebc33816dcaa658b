#pragma once

namespace cuttle {

/// Instruction sets that the vector kernels are compiled for.
enum class InstructionSet { baseline, avx2, avx512 };

/// The widest one that this CPU runs; the environment variable CUTTLE_ISA (baseline | avx2 | avx512) can only lower it.
InstructionSet instruction_set();
const char* instruction_set_name();

}  // namespace cuttle
