#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// How q, v and a change with the unknowns of a step, of which each coordinate has one: by a factor each. Where a joint
/// has a quaternion, by matrices over its own coordinates (with v and a of the joint as components).
struct StepDirections {
  double by_q = 0.0, by_v = 0.0, by_a = 0.0;
  MatrixXd q, v,
      a;  ///< 6 x nv; row i of column k: coordinate i of the joint by its unknown k; other columns are unused
};

/// The coordinates x in which one implicit step is taken, [B] III and (74)-(76): the change of q since the step's
/// start, where coordinates form a vector space; for a rotation its vector Theta, R = R_n exp(Theta); for a free joint
/// (Theta; d), with the displacement d of the origin in the axes of the joint's placement. Their rates are added like
/// vectors: v, or the angular velocity in child axes, and for a free joint the velocity of the origin in placement
/// axes. Motions are templates on the scalar: double, and ForwardDual for derivatives of runs.
class StepCoordinates {
 public:
  explicit StepCoordinates(const Model& model);

  /// Rates w and their rates of a motion (q, v, a).
  template <typename S>
  void rates_of(const VectorXT<S>& q, const VectorXT<S>& v, const VectorXT<S>& a, VectorXT<S>& w,
                VectorXT<S>& w_rate) const;
  /// The configuration at x from q0.
  template <typename S>
  void configuration_at(const VectorXT<S>& q0, const VectorXT<S>& x, VectorXT<S>& q) const;
  /// The motion (q, v, a) at x from q0, with rates w and w_rate.
  template <typename S>
  void motion_at(const VectorXT<S>& q0, const VectorXT<S>& x, const VectorXT<S>& w, const VectorXT<S>& w_rate,
                 VectorXT<S>& q, VectorXT<S>& v, VectorXT<S>& a) const;
  /// Where x is `scale` times the unknown, w changes by `rate` and w_rate by `second` times it: the derivative by the
  /// unknown of a force that has the derivatives by_q, by_v, by_a (rows x nv). (q, v, a) is motion_at(x, w, w_rate).
  void chain(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v, double scale, double rate,
             double second, const MatrixXd& by_q, const MatrixXd& by_v, const MatrixXd& by_a,
             Eigen::Ref<MatrixXd> result) const;
  /// The same of what depends on q alone.
  void chain(const VectorXd& x, const VectorXd& q, double scale, const MatrixXd& by_q,
             Eigen::Ref<MatrixXd> result) const;

  /// What the first chain() follows: its arguments are these.
  void directions(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v, double scale,
                  double rate, double second, StepDirections& result) const;

  /// Of q, v and a themselves in place of a step's unknowns, each by a factor.
  void motion_directions(double by_q, double by_v, double by_a, StepDirections& result) const;

  // Gradients of a scalar, by configurations along integrate(q, dq), taken back through these maps.
  /// Through rates_of: from by_w and by_w_rate, added to by_q, by_v and by_a.
  void rates_adjoint(const VectorXd& q, const VectorXd& v, const VectorXd& a, const VectorXd& by_w,
                     const VectorXd& by_w_rate, VectorXd& by_q, VectorXd& by_v, VectorXd& by_a) const;
  /// Through v of motion_at at q: from by_v, added to by_q and by_w.
  void velocity_adjoint(const VectorXd& q, const VectorXd& v, const VectorXd& by_v, VectorXd& by_q,
                        VectorXd& by_w) const;
  /// Through configuration_at at x: from a gradient by q, which is where x leads, to that by x.
  void displacement_adjoint(const VectorXd& x, const VectorXd& q, VectorXd& gradient) const;
  /// From a gradient by x, of what depends on q alone, to that by q0.
  void start_adjoint(const VectorXd& q0, const VectorXd& x, VectorXd& gradient) const;

 private:
  struct Rotation {
    int q, v;    ///< of its quaternion, and of its angular velocity
    int origin;  ///< free joint: first coordinate of the displacement in q; -1: none
  };
  const Model& model_;
  std::vector<Rotation> rotations_;
};

}  // namespace cuttle
