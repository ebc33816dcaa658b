#pragma once

#include <optional>

#include "cuttle/model/model.h"

namespace cuttle {

/// Gradients taken back through the maps of an explicit step on the configuration manifold (RungeKuttaStepT): by
/// configurations along integrate(q, dq). Where coordinates form a vector space they pass as they are.
class AdjointTurns {
 public:
  explicit AdjointTurns(const Model& model);

  /// Through q = integrate(start, theta): from by_q, added to by_start and by_theta.
  void through_integrate(const VectorXd& start, const VectorXd& theta, const VectorXd& q, const VectorXd& by_q,
                         VectorXd& by_start, VectorXd& by_theta) const;
  /// Through d theta/dt, tangent_rate(theta, v): from by_rate, added to by_theta and by_v.
  void through_rate(const VectorXd& theta, const VectorXd& v, const VectorXd& by_rate, VectorXd& by_theta,
                    VectorXd& by_v) const;

 private:
  /// x, with direction k along the coordinate k of each joint that turns.
  VectorXT<ForwardDual> along_turns(const VectorXd& x) const;

  const Model& model_;
  std::optional<ModelT<ForwardDual>> variable_;  ///< null: coordinates form a vector space
};

}  // namespace cuttle
