#pragma once

namespace cuttle {

/// Instruction sets that the vector kernels are compiled for.
enum class InstructionSet { baseline, avx2, avx512 };

/// The widest one that this CPU runs; the environment variable CUTTLE_ISA (baseline | avx2 | avx512) can only lower it.
InstructionSet instruction_set();
/// Its name as CUTTLE_ISA and result files have it, and with its level of x86-64: "avx2", "x86-64-v3 (AVX2)".
const char* instruction_set_name();
const char* instruction_set_title();

}  // namespace cuttle
