#pragma once

#include <functional>
#include <optional>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/api.h"
#include "cuttle/error.h"

namespace CUTTLE_API cuttle {

/// No equilibrium was found; the part of the load that was reached and the link are in the text.
class StaticsError : public Error {
 public:
  using Error::Error;
};

/// What acts in an equilibrium.
struct StaticLoads {
  VectorXd u;                                 ///< nu, inputs taken as they are; empty: zero
  std::vector<ExternalWrench> external = {};  ///< besides gravity
  /// Time at which the robot's loads that depend on its motion act on it while it rests; none: they do not act.
  std::optional<double> state_loads_at = {};
  /// What friction of contacts does in an equilibrium, which has no past: bristles take the tangential displacement
  /// since the start, cut at the cone of friction; or there is none.
  enum class Friction { from_start, none };
  Friction friction = Friction::from_start;
  VectorXd start = {};  ///< configuration, nq, of that start; empty: the one that an equilibrium is sought from
};

/// An equilibrium `g(q) + s(q, 0) - A(q) u - elements - sum J^T wrench + G^T lambda = 0` and how it was found.
struct StaticEquilibrium {
  VectorXd q;                ///< configuration, nq
  VectorXd multipliers;      ///< of closed loops
  VectorXd element_states;   ///< of elements, at rest
  VectorXd site_states;      ///< of the sites of contacts
  VectorXd start;            ///< StaticLoads::start that it was found with; empty: no contacts, or no friction
  double residual = 0.0;     ///< largest force left [N m or N]
  int load_steps = 0;        ///< steps in which the loads grew
  bool all_at_once = false;  ///< they could not grow: found from all at once, perhaps on another branch
  /// Where loads lead to at once is unstable: found on their path, or a branch of it; with contacts, along its softest
  /// motion.
  bool by_path = false;
  int iterations = 0;  ///< of Newton's method, all together
  /// Smallest eigenvalue of the symmetric part of the tangent stiffness, along the motions that loops allow [N m/rad,
  /// N/m]. Where all forces have an energy, its sign tells stability; under forces that follow the body it does not.
  double smallest_stiffness = 0.0;
  Stability stability = Stability::unknown;  ///< of small motions
  double growth_rate = 0.0;                  ///< as StabilityOfMotion has it [1/s]
  bool stable() const { return stability == Stability::stable; }
};

/// Finds the equilibrium that loads lead to from q0: gravity, inputs and wrenches grow step by step while what
/// elasticity does at q0 fades (q0 is mostly free of stress); Newton's method with the analytic tangent. A load step
/// that does not converge, or goes far, is halved. Where that does not get through, all loads act at once and the force
/// that would hold the robot at q0 fades. Where the equilibrium is unstable the path of the loads is followed by arc
/// length, with all branches (follow_equilibria), and the one of these equilibria that is stable preferred. Loops that
/// are open at q0 are closed first (close_loops). A robot that touches obstacles stays on its side of
/// them, and comes to rest by creeping where loads cannot grow (docs/contact.md, Statics).
/// @param progress  called after each load step with the part that is done, from 0 to 1.
/// @param heartbeat  called after each step that is tried, also along a path. What it throws ends the search, and comes
/// out.
/// @throws StaticsError with the part of the load that was reached, the link and the largest force left, or the contact
/// through which the robot would have to pass, or in which it would lie too deep;
/// SimulationError if the loops cannot be closed; ArgumentError if a size is wrong, a value is not finite, or a load
/// that keeps integrals along the motion (a drone) is to act.
StaticEquilibrium static_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                     const std::function<void(double)>& progress = {},
                                     const std::function<void()>& heartbeat = {});

/// Small motions about an equilibrium under these loads, for modes() and for controllers: mass with what loads add,
/// damping of bodies, joints, elements and loads, and stiffness with those of elements, loads and loops.
/// @throws ArgumentError as static_equilibrium.
LinearizedMotion linearized_motion(const Model& model, Data& data, const StaticLoads& loads,
                                   const StaticEquilibrium& equilibrium);

/// The modes of these with the least |eigenvalue|, in that order. Where links and nodes are many this takes a time that
/// is linear in their number, where `modes(linearized_motion(..))` takes its cube, and gigabytes.
/// @param count  of modes, at least 1.
/// @throws ArgumentError as static_equilibrium; SingularMassError as modes; SimulationError if they do not converge.
std::vector<Mode> lowest_modes(const Model& model, Data& data, const StaticLoads& loads,
                               const StaticEquilibrium& equilibrium, int count);

/// The robot's own loads that depend on time alone, at a time, for StaticLoads::external.
std::vector<ExternalWrench> loads_at(const Model& model, double time);

}  // namespace cuttle
