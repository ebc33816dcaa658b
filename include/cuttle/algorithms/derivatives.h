#pragma once

#include <memory>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// How the motion of a frame changes with the state, in the frame's own axes; each 6 x nv, angular rows first. Columns
/// belong to the tangent directions of q (as `integrate` takes them), to v and to a.
struct FrameDerivatives {
  MatrixXd jacobian;           ///< J: displacement by q, velocity by v, acceleration by a
  MatrixXd velocity_by_q;      ///< of the frame's twist
  MatrixXd acceleration_by_q;  ///< of its acceleration, with gravity inside (as in Data::acceleration)
  MatrixXd acceleration_by_v;

  explicit FrameDerivatives(const Model& model);
};

/// Results and working memory of the derivatives of the dynamics. Made once for a Model, beside its Data; nothing is
/// allocated later. One a thread. It points to the model's bodies, so it serves this model and its
/// copies alone: with any other, as one from ModelT::with, all functions below throw an ArgumentError that names both
/// robots.
class DerivativeData {
 public:
  /// @throws ModelError that names the link of a body that can be differentiated neither by itself nor automatically
  /// (FunctionBody).
  explicit DerivativeData(const Model& model);
  DerivativeData(DerivativeData&&) noexcept;
  DerivativeData& operator=(DerivativeData&&) noexcept;
  ~DerivativeData();

  /// Of the generalized force, nv x nv, column k by the k-th direction. q changes along its tangent directions: column
  /// k is d/de at integrate(q, e e_k), with the components of v and a held.
  MatrixXd by_q, by_v, by_a;
  VectorXd tangent;          ///< nv, result of inverse_dynamics_tangent
  MatrixXd coriolis_matrix;  ///< nv x nv, result of coriolis_matrix

  /// Of the model that it was made for; null once it was moved from.
  const std::shared_ptr<const ModelStamp>& stamp() const { return stamp_; }

  struct Workspace;
  Workspace& workspace() { return *workspace_; }

 private:
  std::shared_ptr<const ModelStamp> stamp_;
  std::unique_ptr<Workspace> workspace_;
};

/// What acts on a robot beside its own forces while derivatives are taken: constant inputs, and wrenches that keep
/// their components in the frame's or the world's axes. Empty: nothing.
struct Actions {
  const VectorXd* u = nullptr;  ///< nu, inputs taken as they are
  std::span<const ExternalWrench> external = {};
  double gravity = 1.0;  ///< part of the robot's gravity that acts
};

/// Derivatives of `inverse_dynamics(q, v, a) - A(q) u - sum J^T wrench` by q, v and a (which is M), all columns in one
/// pass over the tree, [B] VII.B and (48)-(55): analytic for joints and rods; a body without derivatives of its own is
/// differentiated automatically, by itself.
/// Writes derivatives.by_q, by_v, by_a, nv x nv each. Cost O(nv depth + points n_B^2).
/// @param q  configuration, size nq.   @param v, a  velocity and acceleration, size nv.
/// @throws ArgumentError if a size is wrong, a value is not finite or `derivatives` are of another model.
void inverse_dynamics_derivatives(const Model& model, Data& data, DerivativeData& derivatives, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> a, const Actions& actions = {});

/// The same force's change in one direction (dq, dv, da), [B]'s TIDM: linear in the number of links, but for inputs of
/// actuators, whose derivative is a matrix. by_q, by_v and by_a are used up.
/// @return derivatives.tangent, nv; valid until the next call.
const VectorXd& inverse_dynamics_tangent(const Model& model, Data& data, DerivativeData& derivatives,
                                         VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                                         VectorInT<double> dq, VectorInT<double> dv, VectorInT<double> da,
                                         const Actions& actions = {});

/// Derivatives of the acceleration of `forward_dynamics(q, v, tau)` by q and v at fixed tau, u and wrenches: into by_q
/// and by_v, nv x nv each; by_a becomes M^-1, the derivative by tau. `data.a` holds the acceleration, size nv.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @param tau  generalized force on the coordinates, size nv [N m or N].
/// @throws ArgumentError as inverse_dynamics_derivatives; SingularMassError as forward_dynamics.
void forward_dynamics_derivatives(const Model& model, Data& data, DerivativeData& derivatives, VectorInT<double> q,
                                  VectorInT<double> v, VectorInT<double> tau, const Actions& actions = {});

/// Coriolis matrix C(q, v) with C v = c (coriolis_force) and dM/dt - 2 C skew-symmetric along the motion:
/// half of dc/dv, which is the matrix of the Christoffel symbols; [C] (1.15) with the right formula. For joints with
/// quaternions the components of v are quasi-velocities, and the derivative is taken along the moving frame.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
/// @throws ArgumentError as inverse_dynamics_derivatives.
/// @return derivatives.coriolis_matrix, nv x nv; valid until the next call. by_q, by_v and by_a are used up.
const MatrixXd& coriolis_matrix(const Model& model, Data& data, DerivativeData& derivatives, VectorInT<double> q,
                                VectorInT<double> v);

/// After inverse_dynamics_derivatives or inverse_dynamics_tangent: of any frame of the model.
/// @throws ArgumentError if the frame, the result or the derivatives are of another model.
void frame_derivatives(const Model& model, DerivativeData& derivatives, const Frame& frame, FrameDerivatives& result);

}  // namespace cuttle
