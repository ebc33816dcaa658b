#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/newton_solver.h"
#include "algorithms/step_coordinates.h"
#include "algorithms/tree_stability.h"
#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/algorithms/statics.h"

namespace cuttle {

/// How forces grow from none to all of them.
enum class Stepping {
  loads,      ///< gravity, inputs and loads grow, and what elasticity does at the start fades
  imbalance,  ///< all act at once, and what would hold the robot at the start fades
  unloaded,   ///< none of them acts, and what elasticity does at the start fades
  growth,     ///< gravity, inputs and loads grow, and elasticity acts all the time
};

/// @throws ArgumentError that names the function and what of the loads does not fit the model.
void check_static_loads(const Model& model, const char* function, const StaticLoads& loads);

/// The loads of an equilibrium, with the start of friction as it was found.
StaticLoads loads_of(const StaticLoads& loads, const StaticEquilibrium& equilibrium);

/// The equations of equilibrium with a part of the forces, in the displacement from the last equilibrium and the
/// multipliers of the loops. What acts, and how it changes, says the equation of motion.
class StaticProblem final : public NewtonProblem {
 public:
  /// @param data  to choose rows with.
  /// @param q0  with closed loops.
  /// @param rows  of the loops that are held; none: those that are independent at q0.
  StaticProblem(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& q0, Stepping stepping,
                const std::optional<ConstraintRows>& rows = {});

  /// Of bodies of many nodes: never matrices of all coordinates. @throws ArgumentError where tangents do not follow the
  /// tree.
  void require_tree();
  bool is_sparse() const { return sparse_; }
  /// Number of rows of the loops that are held.
  int kept() const { return equation_.rows().count(); }
  const std::vector<int>& kept_rows() const { return equation_.rows().rows().kept; }
  const Model& model() const { return model_; }
  const VectorXd& inputs() const { return loads_.u; }
  /// Other inputs and wrenches, as many as before; with the next `begin`.
  void set_inputs(const VectorXd& u) { loads_.u = u; }
  void set_external(const std::vector<ExternalWrench>& external) { loads_.external = external; }

  /// Coordinates that stay as they are, in place of their equations of balance. @param held  nv, not 0 for these.
  void hold(std::span<const char> held) { stays_.assign(held.begin(), held.end()); }
  /// A spring on every coordinate, which pulls back to where `begin` was: steps through where nothing holds a
  /// coordinate.
  /// @param stiffness  [N m/rad; N/m]; 0: none.
  void drag(double stiffness) { drag_ = stiffness; }
  /// From now on `drag` resists as inertia does, in place of 1 on each coordinate. @param q  where coordinates that
  /// move next to no mass are told.
  void drag_on_inertia(const VectorXd& q);
  /// The way [rad, m] that a drag of 1 would let the robot go under forces, nv, after drag_on_inertia.
  VectorXd dragged_way(const VectorXd& forces);
  /// What is to act on these at the solution at which `describe` was last called, nv.
  const VectorXd& holding_force() const { return holding_force_; }

  /// Displacements count from q.
  void begin(const VectorXd& q, double part);
  bool equations(const VectorXd& z, VectorXd& result, std::string& trouble) override;
  void tangent(const VectorXd& z, MatrixXd& result) override;
  const TangentSolver* factored(const VectorXd& z) override;
  /// Where it follows the tree: the same before it is factored, with springs on the coordinates; valid until the next
  /// call. @param springs  nv, or empty.
  BorderedTangent& formed(const VectorXd& z, const VectorXd& springs);
  /// Whether tangents are made along the tree.
  bool follows_tree() const { return tree_.has_value(); }
  /// d(forces)/dq at the last q, with those of the loops, and with elements and contacts at rest everywhere.
  const MatrixXd& stiffness(const VectorXd& lambda) { return derivatives(lambda, false).by_q; }
  /// d(forces of inputs)/du at the last q, nv x nu, with those of elements at rest; after `stiffness`.
  const MatrixXd& input_forces() { return equation_.input_forces(q_); }
  /// The same stiffness on the motions that loops allow, n x n, with coordinates in these units.
  MatrixXd stiffness_of_motions(const VectorXd& lambda, const VectorXd& units);
  /// Where it follows the tree: how many eigenvalues that stiffness has below zero, with springs on the coordinates.
  /// Nothing where it is not symmetric. @param springs  nv.
  std::optional<int> eigenvalues_below(const VectorXd& lambda, const VectorXd& springs);
  /// G of the kept rows at the last q.
  const MatrixXd& jacobian() { return equation_.rows().jacobian(equation_.data(), q_); }
  /// Of the kept rows, of those of all.
  VectorXd kept_of(const VectorXd& multipliers) const { return equation_.rows().kept_of(multipliers); }
  const VectorXd& q() const { return q_; }
  /// Forces without those of the loops and without what holds the robot at the start.
  VectorXd balance(const VectorXd& q);
  /// Small motions about the last q.
  LinearizedMotion linearized(const VectorXd& lambda);
  /// Whether modes_along_tree serves.
  bool has_tree_modes() const { return tree_.has_value() && equation_.layout().elements == 0; }
  /// The lowest modes of these, where matrices of all coordinates would cost more.
  std::vector<Mode> modes_along_tree(const VectorXd& lambda, int count);
  /// tree_mode_weights of modes that were found along the tree, of a robot without loops.
  std::optional<Eigen::MatrixXcd> weights_of_modes(const std::vector<Mode>& modes, double equal);
  /// What there is to say of the solution at which `equations` was last called.
  /// @return why it is none, a loop is open there (opened_loop), and `result` stays; empty if it is one.
  [[nodiscard]] std::string describe(const VectorXd& lambda, StaticEquilibrium& result);

 private:
  /// The robot at rest at q, under what acts of the loads.
  EquationOfMotion::Rest resting(const VectorXd& q) const;
  /// Unknowns of what springs drag: z moves q, and is an acceleration beside it where they resist as inertia does.
  void drag_to(const VectorXd& z);
  /// Directions of inertia alone, with what is added to coordinates that move next to no mass.
  void form_inertia();
  const DerivativeData& derivatives(const VectorXd& lambda, bool held);
  /// Stability at the q at which `equations` was called last, found along the tree.
  /// @return false: matrices have to say more. Always true of sparse bodies, of which something may stay unknown.
  bool judge_along_tree(const VectorXd& lambda, StaticEquilibrium& result);
  /// Whether what was formed by rates takes energy or nothing, but for rounding. Factors it.
  bool takes_energy(const TreeSymmetry& damping);
  /// The tangent by q, v and accelerations, each times its factor.
  void form_along_tree(TreeDerivatives& derivatives, double by_q, double by_v, double by_a = 0.0);
  /// What was formed gets the rows of the loops beside it, and holds what is held.
  /// @param rows  how the loops open with the unknowns, kept x nv.
  void keep_to(const MatrixXd& rows);
  /// What was formed, on the motions that loops and held coordinates allow.
  void factor_on_motions();
  /// Those that neither loops nor held coordinates forbid, as columns.
  MatrixXd free_motions();
  /// Of springs: what they have on each coordinate itself.
  double drag_on_each() const { return drag_ * (drags_inertia_ ? least_inertia_ : 1.0); }
  /// Of gravity, inputs and loads.
  double acting_part() const;
  /// Of what would hold the robot at the start.
  double holding_part() const { return stepping_ == Stepping::growth ? 0.0 : 1.0 - part_; }

  const Model& model_;
  StaticLoads loads_, scaled_;  // all of them, and the part that acts
  Stepping stepping_;
  EquationOfMotion equation_;
  const DerivativeData* found_ = nullptr;  // at the last `derivatives`
  StepCoordinates coordinates_;
  StepDirections directions_;
  std::optional<BorderedTangent> tree_;  // none: matrices are cheaper
  std::vector<Pose> site_start_;
  VectorXd zero_, states_, q_, from_, held_, holding_force_;  // states: of elements, as they rested last
  std::vector<char> stays_;                                   // nv, or empty
  double part_ = 1.0, drag_ = 0.0;
  bool sparse_ = false;
  bool drags_inertia_ = false;
  double least_inertia_ = 0.0;  // beside that of all coordinates
  VectorXd dragged_;            // nv: what inertia is dragged by
  StepDirections drag_directions_;
};

}  // namespace cuttle
