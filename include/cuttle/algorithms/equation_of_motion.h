#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/driven_dynamics.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/held_rows.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

struct ElementStateSlopes;

/// Elements are taken at this time in equilibria [s].
constexpr double k_rest_time = 0.0;

/// Wrenches in time of a robot's loads, or of those of several robots, lane by lane: one a load, null for one that
/// depends on the motion.
using TimedWrenches = std::vector<const TimedWrench*>;
/// Those of a model.
template <typename S>
TimedWrenches timed_wrenches(const ModelT<S>& model) {
  TimedWrenches wrenches;
  for (const auto& bound : model.loads()) wrenches.push_back(bound.wrench);
  return wrenches;
}

/// A law, without inputs and states, that acts on one coordinate of a vector space - of a revolute, prismatic or other
/// joint without quaternions - beside the elements of the model.
template <typename S>
struct CoordinatePushT {
  int q = 0, v = 0;  ///< its indices in configuration and velocity
  std::shared_ptr<const EffortLawT<S>> law;
};
using CoordinatePush = CoordinatePushT<double>;

/// Equation of motion of a robot, or of a pack of robots side by side, under inputs, loads and whatever else acts:
/// `M a + c + g + s = nu(q, u) + J^T f`. Runs, batches, derivatives of runs and controllers ask it at an instant; it
/// knows no signals, no controllers and no sensors. Equilibria and their derivatives ask it too, of a robot at rest.
///
/// Beside q and v there are auxiliary states (StateLayout). With accounts the first are the work since the start [J],
/// so that `E - E(0) = input + load - dissipated` can be checked: they integrate the powers `v . s_d`, `v . nu` and
/// `v . J^T f` with the same method and error control as the motion. The work of a fluid that is moved along holds its
/// kinetic energy. An element with inputs counts as input with what it takes from outside, another as dissipation with
/// what it loses. Contacts count as dissipation with what they lose, as load with what obstacles that move give. States
/// of controllers have their place there and are left alone. Memory is made once, here.
template <typename S>
class EquationOfMotionT {
 public:
  using StateLoads = std::vector<std::shared_ptr<const StateLoadT<S>>>;

  /// Where and when it is asked.
  struct Instant {
    double time;                ///< [s] at which loads and laws of elements are read
    VectorInT<S> q;             ///< nq, quaternions of unit norm
    VectorInT<S> v;             ///< nv
    const VectorXT<S>& u;       ///< nu: inputs that act
    VectorInT<S> states;        ///< auxiliary states as `layout` has them; within a step their offsets
    double factor = 0.0;        ///< within a step states are offset + factor rate ..
    double stiff_factor = 0.0;  ///< .. and those of elements and contacts with a factor of their own
  };

  /// How it is asked of a robot at rest, or near that.
  struct Rest {
    VectorInT<S> q, v, a;                          ///< nq, nv, nv
    const VectorXT<S>& u;                          ///< nu: inputs that act
    VectorInT<S> states;                           ///< of elements: as they are, or from where `settle` seeks them
    const std::vector<ExternalWrenchT<S>>& loads;  ///< in place of those of the robot that depend on time alone
    std::optional<double> time;  ///< [s] of loads that depend on the motion, which else do not act, and of obstacles
    double part = 1.0;           ///< that acts of these loads
    const std::vector<PoseT<S>>* site_start = nullptr;  ///< SitesT::rest's; null: no friction
    bool settle = true;                                 ///< whether states of elements are those that rest
  };

  /// @param wrenches  of the robots in the lanes of S. The model and they must outlive this.
  /// @param layout  of the auxiliary states: state_layout of the model, with or without works and controllers.
  /// @param pushes  loads that depend on the motion beside those of the robot, without integrals, whose work
  /// counts as theirs; at frames of the model.
  /// @param plain  the robot without derivatives, where S is ForwardDual: what `residual` needs.
  EquationOfMotionT(const ModelT<S>& model, TimedWrenches wrenches, const StateLayout& layout, StateLoads pushes = {},
                    const Model* plain = nullptr);

  /// Goes on with another model of the same sizes and loads, in the memory that is there.
  void serve(const ModelT<S>& model, const TimedWrenches& wrenches);

  const ModelT<S>& model() const { return *model_; }
  DataT<S>& data() { return data_; }
  const StateLayout& layout() const { return layout_; }
  /// Joints whose accelerations are given to `rates`, which says what efforts that takes; none at first.
  DrivenJointsT<S>& driven() { return driven_; }
  /// Sites of the robot's contacts, as they were asked last; null: it has none.
  const SitesT<S>* sites() const { return sites_.get(); }
  /// Its elements, as they were asked last.
  ElementDataT<S>& element_data() { return elements_; }
  /// Pushes of coordinates, instead of those before; their work counts as that of loads.
  void set_coordinate_pushes(std::vector<CoordinatePushT<S>> all) { coordinate_pushes_ = std::move(all); }

  /// Accelerations and rates of the auxiliary states. Lanes without a definite mass matrix are marked in
  /// data().singular.
  void rates(const Instant& at, VectorOutT<S> a, VectorOutT<S> state_rates);
  /// What implicit methods solve: r = M a + c + g + s - nu - J^T f, without reactions of loops, and the rates of the
  /// auxiliary states, which are solved for here.
  void residual(const Instant& at, VectorInT<S> a, VectorOutT<S> r, VectorOutT<S> state_rates);
  /// Generalized forces nu + J^T f of all that acts on a robot at rest beside its bodies and their weight. Valid until
  /// the next call.
  const VectorXT<S>& resting_force(const Rest& at);

 protected:
  StateLoadsRefT<S> state_loads() const { return all_state_loads_; }
  void collect_state_loads();
  /// Loads that do not depend on the motion, into loads_.
  void read_loads(double time);
  /// Forces of inputs, of elements at elements_.states and of pushes of coordinates into tau_; rates of
  /// elements' states. After element_motion.
  void find_forces(const Instant& at);
  /// That, and powers of inputs and damping.
  void apply(const Instant& at, VectorOutT<S> state_rates);
  /// loads_, if any is not zero, state_load_wrenches_ and those of sites_, one after the other, in acting_.
  void collect_acting();
  /// Those of acting_ whose power is that of loads: contacts have accounts of their own.
  std::span<const ExternalWrenchT<S>> acting_loads() const { return {acting_.data(), acting_load_count_}; }
  /// The part of `residual` before the equation of motion: auxiliary states and wrenches of loads and contacts.
  void solve_states(const Instant& at, VectorInT<S> a);
  /// @param factor  of a step; none: at rest.
  void solve_element_states_at(const Instant& at, VectorInT<S> offset, std::optional<double> factor);
  /// Adds the powers of contacts to the rates of works.
  void book_sites(VectorOutT<S> state_rates) const;
  /// Accelerations under tau_ and acting_, with those that are driven as they are given.
  const VectorXT<S>& solve_motion(const Instant& at);
  /// How the robot moves: what forward and inverse dynamics say of their result.
  struct Motion {
    std::span<const TwistT<S>> velocity, acceleration;  ///< of nodes, node axes; accelerations with gravity inside
    const KinematicsT<S>& poses;
  };
  Motion motion() const { return {data_.velocity, data_.acceleration, data_.kinematics}; }
  /// Power of wrenches.
  static S power(std::span<const ExternalWrenchT<S>> wrenches, const Motion& motion);
  /// Power with which inertias resist their acceleration.
  static S inertia_power(std::span<const AddedInertiaT<S>> inertias, const Vector3T<S>& gravity, const Motion& motion);

  const ModelT<S>* model_;
  TimedWrenches wrenches_;
  StateLayout layout_;
  StateLoads pushes_, all_state_loads_;  ///< all: the model's, then the pushes
  const Model* plain_;
  DataT<S> data_;
  VectorXT<S> tau_;
  VectorXT<S> integrals_, integral_rates_;  ///< of loads, in a step
  std::vector<ExternalWrenchT<S>> loads_, state_load_wrenches_, acting_;
  std::size_t acting_load_count_ = 0;
  std::unique_ptr<SitesT<S>> sites_;  ///< null: the robot has no contacts
  std::vector<AddedInertiaT<S>> added_;
  ElementDataT<S> elements_;
  std::optional<ElementData> plain_elements_;  ///< with plain_
  std::vector<CoordinatePushT<S>> coordinate_pushes_;
  S input_power_{}, coordinate_push_power_{};
  DrivenJointsT<S> driven_;  ///< empty: none
};

extern template class EquationOfMotionT<double>;
extern template class EquationOfMotionT<ForwardDual>;

/// What a robot's energy is made of [J].
struct RobotEnergy {
  double kinetic, gravity, elastic;  ///< elastic: with what elements store
  double contacts = 0.0;             ///< what contacts store
};

class TreeDerivatives;  // algorithms/tree_tangent.h of the library
struct ElementSlopes;   // algorithms/element_slopes.h of the library
struct StateCoupling;

/// EquationOfMotionT of one robot: with its derivatives, its mass matrix, and the reactions of its loops.
class EquationOfMotion : public EquationOfMotionT<double> {
 public:
  /// @param rows  of the loops' constraints, those to hold: select_constraint_rows.
  EquationOfMotion(const Model& model, const StateLayout& layout, ConstraintRows rows = {}, StateLoads pushes = {});
  ~EquationOfMotion();

  HeldRows& rows() { return rows_; }
  const HeldRows& rows() const { return rows_; }

  /// `M a + rest = 0` from one sweep: M without the added inertias of loads, and the residual at a = 0.
  void mass_and_rest(const Instant& at, MatrixXd& M, VectorXd& rest);
  /// Makes what the derivatives need. @throws ModelError naming the link whose body has no derivatives.
  void prepare_derivatives();
  /// Derivatives of `residual + G^T lambda` by q, v and a, with auxiliary states that follow the motion, and inputs and
  /// multipliers that are held.
  /// @param lambda  of the held rows.
  /// @param by_q, by_v  how the inputs follow the motion, nu x nv each; null: not at all.
  /// @return valid until the next call.
  const DerivativeData& residual_derivatives(const Instant& at, VectorInT<double> a, VectorInT<double> lambda,
                                             const MatrixXd* input_by_q = nullptr,
                                             const MatrixXd* input_by_v = nullptr);

  /// Whether residual_along_tree and resting_along_tree serve: what couples links beside the tree - elements, loops,
  /// straight stretches of tendons, contacts between links, inputs - is few numbers beside the coordinates.
  /// @param inputs_follow  whether inputs follow the motion, by a controller.
  bool follows_tree(bool inputs_follow = false) const;
  /// Makes what these need. @throws ModelError as prepare_derivatives.
  void prepare_along_tree();
  /// As residual_derivatives, in a form that is linear in the number of links. Only where follows_tree(). Valid until
  /// the next call.
  TreeDerivatives& residual_along_tree(const Instant& at, VectorInT<double> a, VectorInT<double> lambda,
                                       const MatrixXd* input_by_q = nullptr, const MatrixXd* input_by_v = nullptr);

  /// Derivatives of `c + g + s - resting_force + G^T lambda` by q, v and a at a rest with v = a = 0.
  /// @param weight  part of gravity that acts.
  /// @param held  whether elements keep their states, and bristles hold like springs: for small motions. Otherwise both
  /// rest wherever the robot does.
  const DerivativeData& resting_derivatives(const Rest& at, double weight, VectorInT<double> lambda, bool held);
  /// The same in a form that is linear in the number of links. Only where follows_tree(). Valid until the next call.
  TreeDerivatives& resting_along_tree(const Rest& at, double weight, VectorInT<double> lambda, bool held);
  /// How forces follow the inputs, and states of elements themselves and the motion, after resting_derivatives there.
  const MatrixXd& input_forces(VectorInT<double> q);
  ElementStateSlopes element_states(const VectorXd& u);

  /// Accelerations with the reactions of loops, and efforts of driven joints into driven().
  /// @param multipliers  of all rows. Accelerations are NaN where there are none for them, or the robot has none.
  void accelerations(const Instant& at, const VectorXd& multipliers, VectorXd& a);
  /// Elements in a state: energy that they store, and their outputs. Valid until the next call.
  const ElementData& elements(const Instant& at);
  /// Sites of contacts in a state, with what they do. Valid until the next call. Only for a robot that has some.
  const Sites& sites_in(const Instant& at);
  /// Longest step from a motion within which no site crosses an obstacle unseen [s].
  double longest_step(double time, VectorInT<double> q, VectorInT<double> v);
  /// Which site is deeper in an obstacle than half of what is thinner, where `rates` or `residual` was asked last.
  /// Empty: none.
  std::string trouble() const;
  /// The same of a motion.
  std::string trouble_at(double time, VectorInT<double> q, VectorInT<double> v);
  /// States of contacts with which a robot begins: bristles in balance. They hold what the other forces of this motion
  /// would make of the places that touch, with the least stored energy, each within its cone of friction; those that
  /// slide already hold against that.
  /// @param states  auxiliary states as `layout` has them: those of sites are changed.
  void begin_in_balance(const Instant& at, VectorOutT<double> states);
  /// Energies in a state.
  RobotEnergy energy(const Instant& at);
  /// What has opened though the kept rows are closed (cuttle::opened_loop); empty: nothing.
  std::string opened_loop(VectorInT<double> q);

 private:
  /// What loops push, as loads on the other side of the equation.
  void find_reactions(VectorInT<double> q, const VectorXd& multipliers);
  /// Subtracts how the loads of state_loads() change with the motion, after inverse_dynamics_derivatives.
  /// @param part  of them, and of gravity, that acts.
  void subtract_state_load_slopes(double coupling, double part = 1.0);
  /// Subtracts what inputs that follow the motion do, after the slopes of elements.
  void subtract_input_slopes(const Instant& at, const MatrixXd& by_q, const MatrixXd& by_v);
  /// The force by the inputs, nv x nu.
  void find_input_forces(VectorInT<double> q, const ElementSlopes& slopes, MatrixXd& forces);

  /// Calls use(coordinate, by_q, by_v) with the slopes of each push of a coordinate.
  template <typename Use>
  void each_push_slope(const Instant& at, const Use& use) const;

  // parts of residual_along_tree and resting_along_tree
  void append_reactions_and_frame_wrenches(VectorInT<double> q, const VectorXd& u, VectorInT<double> lambda);
  void load_along_tree(VectorInT<double> lambda, double factor, double part);
  void load_sites_along_tree(bool held);
  void couple_elements_along_tree(double time, VectorInT<double> q, VectorInT<double> v, const VectorXd& u,
                                  const StateCoupling& coupling);

  struct Derivatives;
  std::unique_ptr<Derivatives> derivatives_;  ///< made when somebody asks for them
  struct AlongTree;
  std::unique_ptr<AlongTree> along_tree_;  ///< likewise
  HeldRows rows_;
  std::vector<ExternalWrench> reactions_;
  VectorXd state_rates_;
};

}  // namespace cuttle
