#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// The coordinates x in which one implicit step is taken, [B] III and (74)-(76): the change of q since the step's
/// start, where coordinates form a vector space; for a rotation its vector Theta, R = R_n exp(Theta); for a free joint
/// (Theta; d), with the displacement d of the origin in the axes of the joint's placement. Their rates are added like
/// vectors: v, or the angular velocity in child axes, and for a free joint the velocity of the origin in placement
/// axes.
class StepCoordinates {
 public:
  explicit StepCoordinates(const Model& model);

  /// Rates w and their rates of a motion (q, v, a).
  void rates_of(const VectorXd& q, const VectorXd& v, const VectorXd& a, VectorXd& w, VectorXd& w_rate) const;
  /// The configuration at x from q0.
  void configuration_at(const VectorXd& q0, const VectorXd& x, VectorXd& q) const;
  /// The motion (q, v, a) at x from q0, with rates w and w_rate.
  void motion_at(const VectorXd& q0, const VectorXd& x, const VectorXd& w, const VectorXd& w_rate, VectorXd& q,
                 VectorXd& v, VectorXd& a) const;
  /// Where x is `scale` times the unknown, w changes by `rate` and w_rate by `second` times it: the derivative by the
  /// unknown of a force that has the derivatives by_q, by_v, by_a (rows x nv). (q, v, a) is motion_at(x, w, w_rate).
  void chain(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v, double scale, double rate,
             double second, const MatrixXd& by_q, const MatrixXd& by_v, const MatrixXd& by_a,
             Eigen::Ref<MatrixXd> result) const;
  /// The same of what depends on q alone.
  void chain(const VectorXd& x, const VectorXd& q, double scale, const MatrixXd& by_q,
             Eigen::Ref<MatrixXd> result) const;

 private:
  struct Rotation {
    int q, v;    ///< of its quaternion, and of its angular velocity
    int origin;  ///< free joint: first coordinate of the displacement in q; -1: none
  };
  const Model& model_;
  std::vector<Rotation> rotations_;
};

}  // namespace cuttle
