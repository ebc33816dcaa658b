#pragma once

#include <cstdint>

#include "cuttle/model/model.h"

namespace cuttle::bench {

/// Same numbers from the same seed on every machine and standard library (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  double uniform(double low, double high);
  Vector3 vector3(double low, double high);

 private:
  std::uint64_t state_;
};

/// A typical state: no zeros, no small angles that a branch could favor.
struct MotionState {
  VectorXd q, v, a;
};
/// Angles within 1 rad, lengths within 20 mm, the same of their rates and accelerations a second.
/// For robots whose coordinates are angles and lengths only: no quaternions.
MotionState random_state(const Model& model);

}  // namespace cuttle::bench
