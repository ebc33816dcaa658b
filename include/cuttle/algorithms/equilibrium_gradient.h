#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// A component of one of the robot's loads that has another value than its signal says.
template <typename S>
struct LoadComponentT {
  std::size_t load = 0;  ///< among ModelT::loads
  int component = 0;     ///< of its wrench, torque first
  S value{};             ///< [N m, N], or a length of these
};

/// What acts on a resting robot: inputs, and its own loads at a time.
template <typename S>
struct RestLoadsT {
  VectorXT<S> u;                     ///< nu, inputs as they are given: slack tendons are clipped
  std::optional<double> time = 0.0;  ///< of the robot's own loads [s]; none: they do not act
  std::vector<LoadComponentT<S>> components = {};
};
using RestLoads = RestLoadsT<double>;

/// The same as static_equilibrium takes it. @throws ArgumentError that names a slack tendon of `slack: error`.
StaticLoads static_loads(const Model& model, const RestLoads& loads);

/// A robot at rest in which everything has derivatives: along direction k in `derivative[k]`. Made once for a model of
/// `differentiate`, used for many equilibria; one a thread.
struct VariedRest {
  /// @param plain  the same robot without derivatives. Both must outlive this.
  VariedRest(const ModelT<ForwardDual>& model, const Model& plain);

  const ModelT<ForwardDual>& model;
  std::unique_ptr<EquationOfMotionT<ForwardDual>> equation;  ///< what acts
  DataT<ForwardDual>& data;                                  ///< of the equation, as are elements
  ElementDataT<ForwardDual>& elements;                       ///< at rest there, outputs too
  VectorXT<ForwardDual> q;                                   ///< the equilibrium, nq
  VectorXT<ForwardDual> y;                                   ///< actuation coordinates there, nu
  // working memory
  std::optional<ConstraintDataT<ForwardDual>> constraints;
  VectorXT<ForwardDual> u, zero, displacement;
  std::vector<ExternalWrenchT<ForwardDual>> wrenches;
  std::vector<PoseT<ForwardDual>> site_start;  ///< of the contacts' frames where friction begins; empty: there is none

  /// Takes the inputs, with slack tendons clipped, and the loads into working memory.
  void take(const RestLoadsT<ForwardDual>& loads);
  /// Such a rest under the loads last taken, at q and without motion; elements rest near `elements.states`.
  EquationOfMotionT<ForwardDual>::Rest rest(std::optional<double> time) const;
};

/// Derivatives of an equilibrium r(q, p) = 0 by anything that the robot or its inputs depend on, by the implicit
/// function theorem: dq/dp = -K^-1 dr/dp with the tangent stiffness K; with loops, of both equations together. Exact to
/// rounding.
/// @code
/// const ModelT<ForwardDual> variable = differentiate(arm, {"materials.silicone.young_modulus"});
/// VariedRest varied(variable, arm);
/// const EquilibriumTangent tangent(arm, data, {.u = u}, static_equilibrium(arm, data, static_loads(arm, {.u = u}),
/// q0)); tangent.vary({.u = u.cast<ForwardDual>()}, varied);  // varied.q[i].derivative[0]: dq_i / dE
/// @endcode
class EquilibriumTangent {
 public:
  /// @param equilibrium  that static_equilibrium found for these loads.
  /// @throws StaticsError where the stiffness is singular: the equilibrium does not follow from the parameters.
  EquilibriumTangent(const Model& model, Data& data, const RestLoads& loads, const StaticEquilibrium& equilibrium);
  ~EquilibriumTangent();
  EquilibriumTangent(EquilibriumTangent&&) noexcept;

  /// The equilibrium with derivatives, of the same robot and loads with directions in them. Fills result.q, y, elements
  /// and the kinematics of result.data.
  void vary(const RestLoadsT<ForwardDual>& loads, VariedRest& result) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// How an equilibrium follows the inputs under which static_equilibrium found it: K^-1 A, with loops that stay closed.
/// Bodies of full finite elements with thousands of coordinates too.
/// @return nv x nu: along the tangent directions of q, as `integrate` takes them, by each input. 0 for a slack tendon.
/// @throws StaticsError where the stiffness is singular: the equilibrium does not follow from the inputs.
MatrixXd equilibrium_by_inputs(const Model& model, Data& data, const RestLoads& loads,
                               const StaticEquilibrium& equilibrium);

}  // namespace cuttle
