#pragma once

namespace cuttle {

/// Sines and cosines of many angles [rad], several at a time: sine[i] and cosine[i] of angle[i] for i < count. A result
/// hangs on its own angle alone, wherever that stands. The arrays have room, and the angles are numbers, up to the next
/// multiple of k_sine_lanes.
using SineKernel = void (*)(const double* angle, int count, double* sine, double* cosine);
inline constexpr int k_sine_lanes = 8;

/// The fastest that this CPU runs.
SineKernel sine_kernel();

}  // namespace cuttle
