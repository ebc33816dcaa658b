#pragma once

#include <random>

namespace cuttle::test {

/// Numbers of a fixed seed, the same on every machine (std::uniform_real_distribution is not specified bit by bit).
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// Uniform in [low, high).
  double uniform(double low = -1.0, double high = 1.0) {
    return low + (high - low) * (static_cast<double>(engine_()) * 0x1p-32);
  }
  /// Uniform in {0, .., count - 1}.
  int index(int count) { return static_cast<int>(static_cast<double>(engine_()) * 0x1p-32 * count); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

 private:
  std::mt19937 engine_;
};

}  // namespace cuttle::test
