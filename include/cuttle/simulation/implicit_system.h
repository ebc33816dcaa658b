#pragma once

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/api.h"
#include "cuttle/simulation/integrator.h"

namespace CUTTLE_API cuttle {

class TreeDerivatives;  // algorithms/tree_tangent.h of the library

/// Auxiliary states within a step: x = offset + factor dx/dt, with the rate at the same time; x = offset where factor
/// is 0.
struct AuxiliaryStates {
  const VectorXd& offset;
  double factor = 0.0;
  double stiff_factor = 0.0;  ///< of the last ImplicitSystem::stiff_auxiliary_count states
};

/// A System whose equation of motion is also known as a residual with its derivatives, and which may have constraints:
/// `r(t, q, v, a) + G(q)^T lambda = 0, Phi(q) = 0, G = dPhi/dq`. What implicit methods of the Newmark family need.
class ImplicitSystem : public System {
 public:
  /// r = M a + c + g + s - nu - J^T f [N m or N], without the reactions of constraints, and the rates of the auxiliary
  /// states, which are solved for here. Results have sizes nv and auxiliary_count.
  virtual void residual(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> a,
                        const AuxiliaryStates& auxiliary, VectorOutT<double> r, VectorOutT<double> auxiliary_rate) = 0;
  /// Adds what efforts on the driven coordinates do to the rates of the auxiliary states that `residual` gave.
  /// @param effort  size nv, 0 for coordinates that are not driven [N m or N].
  virtual void book_efforts(VectorInT<double> /*effort*/, VectorInT<double> /*v*/,
                            VectorOutT<double> /*auxiliary_rate*/) {}
  /// How many of the auxiliary states, the last ones, may follow the motion faster than any step.
  virtual int stiff_auxiliary_count() const { return 0; }
  /// Makes what residual_derivatives needs. @throws ModelError naming the link whose body has no derivatives.
  virtual void prepare_derivatives() {}
  /// Derivatives of r + G^T lambda by q, v and a, with auxiliary states that follow the motion, and multipliers that
  /// are held. Valid until the next call.
  /// @param lambda  constraint_count multipliers.
  virtual const DerivativeData& residual_derivatives(double time, VectorInT<double> q, VectorInT<double> v,
                                                     VectorInT<double> a, const AuxiliaryStates& auxiliary,
                                                     VectorInT<double> lambda) = 0;

  /// Whether residual_along_tree serves: what couples links beside the tree of the robot itself is few numbers.
  virtual bool follows_tree() const { return false; }
  /// Makes what residual_along_tree needs. @throws ModelError as prepare_derivatives.
  virtual void prepare_along_tree() {}
  /// What residual_derivatives has, in the form that a tangent along the tree is made of: linear in
  /// the number of links in time and memory. Only where follows_tree(). Valid until the next call.
  virtual TreeDerivatives& residual_along_tree(double time, VectorInT<double> q, VectorInT<double> v,
                                               VectorInT<double> a, const AuxiliaryStates& auxiliary,
                                               VectorInT<double> lambda);

  /// m, the number of constraint equations that are kept: independent ones.
  virtual int constraint_count() const { return 0; }
  /// Phi(q) [m, or 1 for directions], size m.
  virtual void constraints(VectorInT<double> /*q*/, VectorOutT<double> /*phi*/) {}
  /// G(q), m x nv. Valid until the next call.
  virtual const MatrixXd& constraint_jacobian(VectorInT<double> q) = 0;
  /// (dG/dt) v, size m.
  virtual void constraint_bias(VectorInT<double> /*q*/, VectorInT<double> /*v*/, VectorOutT<double> /*bias*/) {}
  /// How far constraints are open at q, at most, that were left out as they followed from the others and no longer do
  /// [rad, sizes of the robot]; nothing while they follow.
  virtual std::optional<double> appeared_constraints(VectorInT<double> /*q*/) { return std::nullopt; }
  /// Holds these too, from a state on in which a step has ended. Its velocity is made to fit, as by an impulse, and is
  /// booked in the auxiliary states. Then constraint_count is another one, and so are the rows of what stands here.
  /// @throws Error if they are too far open.
  virtual void take_up_constraints(State& /*state*/) {}
  /// Multipliers of all rows, those that are not kept among them as zeros.
  virtual void spread_multipliers(VectorInT<double> lambda, VectorXd& all) { all = lambda; }
};

}  // namespace cuttle
