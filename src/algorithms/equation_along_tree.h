#pragma once

#include <vector>

#include "algorithms/element_slopes.h"
#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// Integrals of a load follow the motion in a step: x = offset + factor dx/dt.
inline void follow_integrals(StateLoadDerivativeT<double>& slopes, double factor) {
  slopes.by_pose += factor * slopes.by_integral * slopes.rate_by_pose;
  slopes.by_velocity += factor * slopes.by_integral * slopes.rate_by_velocity;
}

template <typename Use>
void EquationOfMotion::each_push_slope(const Instant& at, const Use& use) const {
  for (const auto& [q_index, k, law] : coordinate_pushes_) {
    const double rest = 0.0;
    double slopes[2];  // by coordinate and velocity
    law->derivatives({at.time, &rest, at.q.data() + q_index, at.v.data() + k, nullptr, nullptr}, slopes);
    use(k, slopes[0], slopes[1]);
  }
}

struct EquationOfMotion::AlongTree {
  explicit AlongTree(const Model& model) : dynamics(model), elements(model, false) {}
  TreeDerivatives dynamics;
  ElementSlopes elements;
  MatrixXd rate_by_q, by_q, by_v, force_by_input;
  std::vector<StateLoadDerivativeT<double>> loads;
  std::vector<ExternalWrench> external;
  SiteSlopesT<double> site;
  bool rests = false;  ///< of a robot at rest it has been asked last, and matrices before
};

}  // namespace cuttle
