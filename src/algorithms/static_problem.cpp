#include "algorithms/static_problem.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/element_slopes.h"
#include "algorithms/first_order_motion.h"
#include "algorithms/tree_modes.h"
#include "algorithms/tree_stability.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

constexpr double k_of_damping = 1e-13;    // of a matrix that comes from sums over points and links, beside its size
constexpr double k_clearly = 1e-11;       // of an eigenvalue beside the size of the matrix: no rounding
constexpr double k_least_inertia = 1e-6;  // beside the largest, of coordinates that move next to none

/// Orthonormal columns that span the motions with G dq = 0.
MatrixXd allowed_motions(const MatrixXd& G) {
  if (G.rows() == 0) return MatrixXd::Identity(G.cols(), G.cols());
  const Eigen::HouseholderQR<MatrixXd> qr(G.transpose());
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(G.cols() - G.rows());
}

/// Those that are given, or those that are independent at q0.
ConstraintRows rows_of(const Model& model, Data& data, const VectorXd& q0, const std::optional<ConstraintRows>& rows) {
  if (rows || model.loops().empty()) return rows.value_or(ConstraintRows());
  ConstraintData constraints(model);
  return select_constraint_rows(model, data, constraints, q0);
}

}  // namespace

void check_static_loads(const Model& model, const char* function, const StaticLoads& loads) {
  const std::string place = std::string(function) + ": ";
  if (loads.u.size() != 0 && loads.u.size() != model.nu()) {
    throw ArgumentError(place + "loads.u: found size " + std::to_string(loads.u.size()) + ", expected " +
                        std::to_string(model.nu()) + " (nu of '" + model.name() + "')");
  }
  if (loads.start.size() != 0 && loads.start.size() != model.nq()) {
    throw ArgumentError(place + "loads.start: found size " + std::to_string(loads.start.size()) + ", expected " +
                        std::to_string(model.nq()) + " (nq of '" + model.name() + "')");
  }
  for (const auto& load : model.state_loads()) {
    if (!loads.state_loads_at || load->integral_count() == 0) continue;
    throw ArgumentError(place + "found a load on '" + model.name() +
                        "' whose push depends on how it has moved (a drone), expected none of these in statics");
  }
}

StaticLoads loads_of(const StaticLoads& loads, const StaticEquilibrium& equilibrium) {
  StaticLoads found = loads;
  if (equilibrium.site_states.size() == 0) return found;
  found.start = equilibrium.start;
  if (found.start.size() == 0) found.friction = StaticLoads::Friction::none;
  return found;
}

StaticProblem::StaticProblem(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& q0,
                             Stepping stepping, const std::optional<ConstraintRows>& rows)
    : model_(model),
      loads_(loads),
      scaled_(loads),
      stepping_(stepping),
      equation_(model, state_layout(model).without_works(), rows_of(model, data, q0, rows)),
      coordinates_(model),
      zero_(VectorXd::Zero(model.nv())),
      states_(equation_.element_data().states),
      q_(q0) {
  if (tree_pays(model) && equation_.follows_tree()) tree_.emplace(model);
  if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  scaled_.u = loads_.u;
  if (const Sites* sites = equation_.sites()) {
    if (loads_.start.size() == 0) loads_.start = q0;
    site_start_ = sites->frame_poses(forward_kinematics<double>(model, equation_.data(), loads_.start));
  }
  if (stepping == Stepping::imbalance) {
    held_ = balance(q0);
    return;
  }
  begin(q0, 0.0);
  held_ = balance(q0);  // elasticity, elements without inputs and contacts
  begin(q0, 1.0);
}

double StaticProblem::acting_part() const {
  switch (stepping_) {
    case Stepping::imbalance:
      return 1.0;
    case Stepping::unloaded:
      return 0.0;
    case Stepping::loads:
    case Stepping::growth:
      break;
  }
  return part_;
}

void StaticProblem::begin(const VectorXd& q, double part) {
  from_ = q, part_ = part;
  const double acting = acting_part();
  scaled_.u = acting * loads_.u;
  for (std::size_t i = 0; i < loads_.external.size(); ++i) {
    scaled_.external[i].wrench = acting * loads_.external[i].wrench;
  }
}

bool StaticProblem::equations(const VectorXd& z, VectorXd& result, std::string& trouble) {
  const int nv = model_.nv();
  try {
    coordinates_.configuration_at(from_, z, q_);
    drag_to(z);
    result.head(nv) = balance(q_) - holding_part() * held_;
    if (drag_ > 0.0) result.head(nv) += drag_on_each() * z.head(nv);
    if (kept() > 0) {
      result.head(nv) += jacobian().transpose() * z.segment(nv, kept());
      result.segment(nv, kept()) = equation_.rows().residual(equation_.data(), q_);
    }
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (stays_[i] != 0) result[row] = z[row];
    }
  } catch (const Error& error) {
    trouble = error.what();
    return false;
  }
  return true;
}

void StaticProblem::tangent(const VectorXd& z, MatrixXd& result) {
  const int nv = model_.nv();
  drag_to(z);
  coordinates_.chain(z, q_, 1.0, stiffness(z.segment(nv, kept())), result.topLeftCorner(nv, nv));
  if (drag_ > 0.0) {
    result.topLeftCorner(nv, nv).diagonal().array() += drag_on_each();
    if (drags_inertia_) result.topLeftCorner(nv, nv) += drag_ * found_->by_a;
  }
  if (kept() > 0) {
    const MatrixXd& G = jacobian();
    result.block(0, nv, nv, kept()) = G.transpose();
    coordinates_.chain(z, q_, 1.0, G, result.block(nv, 0, kept(), nv));
    result.block(nv, nv, kept(), kept()).setZero();
  }
  for (std::size_t i = 0; i < stays_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (stays_[i] != 0) result.row(row).setZero(), result(row, row) = 1.0;
  }
}

void StaticProblem::require_tree() {
  sparse_ = true;
  if (!tree_ && equation_.follows_tree()) tree_.emplace(model_);
  if (tree_) return;
  throw ArgumentError(
      "found a robot whose links are coupled by more than few numbers beside the tree - by loops, contacts between "
      "links, tendons, wrenches or functions of coordinates - expected few of these beside a body of so many nodes");
}

BorderedTangent& StaticProblem::formed(const VectorXd& z, const VectorXd& springs) {
  const int nv = model_.nv();
  const VectorXd lambda = z.segment(nv, kept()), displacement = z.head(nv);
  drag_to(z);
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), lambda, false);
  states_ = equation_.element_data().states;
  coordinates_.directions(displacement, zero_, q_, zero_, 1.0, 0.0, 0.0, directions_);
  if (drag_ > 0.0 && drags_inertia_) {
    coordinates_.motion_directions(0.0, 0.0, drag_, drag_directions_);
    directions_.by_a = drag_directions_.by_a, directions_.a = drag_directions_.a;
  }
  d.form(model_, directions_, tree_->tree());
  if (drag_ > 0.0) tree_->tree().add_to_diagonal(drag_on_each());
  if (springs.size() > 0) tree_->tree().add_to_diagonal(springs);
  MatrixXd rows(kept(), nv);
  if (kept() > 0) coordinates_.chain(displacement, q_, 1.0, jacobian(), rows);
  keep_to(rows);
  return *tree_;
}

const TangentSolver* StaticProblem::factored(const VectorXd& z) {
  if (!tree_) return nullptr;
  formed(z, {}).factor();
  if (sparse_) return &*tree_;
  // what nothing holds has no pivots along the tree, where matrices with all of them may still have a solution
  const VectorXd ones = VectorXd::Ones(z.size());
  VectorXd solved;
  tree_->solve(ones, solved);
  return solved.allFinite() ? &*tree_ : nullptr;
}

EquationOfMotion::Rest StaticProblem::resting(const VectorXd& q) const {
  const bool friction = loads_.friction == StaticLoads::Friction::from_start;
  return {.q = q,
          .v = zero_,
          .a = drag_ > 0.0 && drags_inertia_ ? dragged_ : zero_,
          .u = scaled_.u,
          .states = states_,
          .loads = scaled_.external,
          .time = loads_.state_loads_at,
          .part = acting_part(),
          .site_start = friction ? &site_start_ : nullptr};
}

const DerivativeData& StaticProblem::derivatives(const VectorXd& lambda, bool held) {
  found_ = &equation_.resting_derivatives(resting(q_), acting_part(), lambda, held);
  states_ = equation_.element_data().states;
  return *found_;
}

MatrixXd StaticProblem::stiffness_of_motions(const VectorXd& lambda, const VectorXd& units) {
  const MatrixXd Z = units.asDiagonal() * allowed_motions(jacobian() * units.asDiagonal());
  return Z.transpose() * stiffness(lambda) * Z;
}

void StaticProblem::drag_to(const VectorXd& z) {
  if (drag_ > 0.0 && drags_inertia_) dragged_ = drag_ * z.head(model_.nv());
}

void StaticProblem::form_inertia() {
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), VectorXd::Zero(kept()), false);
  coordinates_.motion_directions(0.0, 0.0, 1.0, directions_);
  d.form(model_, directions_, tree_->tree());
  tree_->tree().add_to_diagonal(least_inertia_);
}

void StaticProblem::drag_on_inertia(const VectorXd& q) {
  drags_inertia_ = true, least_inertia_ = 0.0;
  q_ = q, dragged_ = zero_;
  double largest = 0.0;
  if (tree_) {
    form_inertia();
    largest = symmetry_of(tree_->tree(), model_.nv()).size;
  } else if (model_.nv() > 0) {
    largest = mass_matrix<double>(model_, equation_.data(), q).diagonal().maxCoeff();
  }
  least_inertia_ = largest > 0.0 ? k_least_inertia * largest : 1.0;
}

VectorXd StaticProblem::dragged_way(const VectorXd& forces) {
  VectorXd way;
  if (tree_) {
    form_inertia();
    tree_->border({}, {});
    tree_->factor();
    tree_->solve(forces, way);
    return way;
  }
  MatrixXd mass = mass_matrix<double>(model_, equation_.data(), q_);
  mass.diagonal().array() += least_inertia_;
  return mass.ldlt().solve(forces);
}

VectorXd StaticProblem::balance(const VectorXd& q) {
  VectorXd force = elastic_force<double>(model_, equation_.data(), q);
  if (drag_ > 0.0 && drags_inertia_) {
    force += inertial_inverse_dynamics<double>(model_, equation_.data(), q, zero_, dragged_);
  }
  force += acting_part() * gravity_force<double>(model_, equation_.data(), q);
  force -= equation_.resting_force(resting(q));
  states_ = equation_.element_data().states;
  return force;
}

MatrixXd StaticProblem::free_motions() {
  const auto count = std::count_if(stays_.begin(), stays_.end(), [](char held) { return held != 0; });
  if (count == 0) return allowed_motions(jacobian());
  std::vector<int> free;
  for (int i = 0; i < model_.nv(); ++i) {
    if (stays_[static_cast<std::size_t>(i)] == 0) free.push_back(i);
  }
  MatrixXd allowed = MatrixXd::Identity(static_cast<Eigen::Index>(free.size()), static_cast<Eigen::Index>(free.size()));
  if (kept() > 0) {
    // loops may leave less than their number of rows says: held coordinates close some already
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(MatrixXd(jacobian()(Eigen::all, free).transpose()));
    allowed = MatrixXd(qr.householderQ()).rightCols(allowed.cols() - qr.rank());
  }
  MatrixXd motions = MatrixXd::Zero(model_.nv(), allowed.cols());
  motions(free, Eigen::all) = allowed;
  return motions;
}

LinearizedMotion StaticProblem::linearized(const VectorXd& lambda) {
  LinearizedMotion result;
  result.motions = free_motions();
  const MatrixXd& Z = result.motions;
  const DerivativeData& d = derivatives(lambda, true);
  const auto reduced = [&Z](const MatrixXd& A) -> MatrixXd { return Z.transpose() * A * Z; };
  result.mass = reduced(d.by_a);
  result.damping = reduced(d.by_v);
  result.stiffness = reduced(d.by_q);
  const ElementStateSlopes states = equation_.element_states(scaled_.u);
  result.state_force = Z.transpose() * states.force;
  result.state_by_x = states.by_q * Z;
  result.state_by_rate = states.by_v * Z;
  result.state_by_state = states.by_state;
  return result;
}

std::vector<Mode> StaticProblem::modes_along_tree(const VectorXd& lambda, int count) {
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), lambda, true);
  return tree_modes(model_, d, kept() > 0 ? jacobian() : MatrixXd(0, model_.nv()), count);
}

std::optional<Eigen::MatrixXcd> StaticProblem::weights_of_modes(const std::vector<Mode>& modes, double equal) {
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), VectorXd::Zero(kept()), true);
  return tree_mode_weights(model_, d, modes, equal);
}

void StaticProblem::form_along_tree(TreeDerivatives& derivatives, double by_q, double by_v, double by_a) {
  coordinates_.motion_directions(by_q, by_v, by_a, directions_);
  derivatives.form(model_, directions_, tree_->tree());
}

void StaticProblem::keep_to(const MatrixXd& rows) {
  tree_->border({}, {});
  if (kept() > 0) tree_->border(jacobian().transpose(), rows);
  for (std::size_t i = 0; i < stays_.size(); ++i) {
    if (stays_[i] != 0) tree_->pin(static_cast<int>(i));
  }
}

void StaticProblem::factor_on_motions() {
  keep_to(kept() > 0 ? jacobian() : MatrixXd());
  tree_->factor();
}

std::optional<int> StaticProblem::eigenvalues_below(const VectorXd& lambda, const VectorXd& springs) {
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), lambda, false);
  states_ = equation_.element_data().states;
  form_along_tree(d, 1.0, 0.0);
  if (!symmetry_of(tree_->tree(), model_.nv()).symmetric) return std::nullopt;
  tree_->tree().add_to_diagonal(springs);
  factor_on_motions();
  return tree_->negative_eigenvalues();
}

bool StaticProblem::takes_energy(const TreeSymmetry& damping) {
  if (!damping.symmetric) return false;
  if (damping.size == 0.0) return true;
  tree_->tree().add_to_diagonal(k_of_damping * damping.size);
  tree_->tree().factor();
  return tree_->tree().negative_eigenvalues() == 0;
}

bool StaticProblem::judge_along_tree(const VectorXd& lambda, StaticEquilibrium& result) {
  result.stability = Stability::unknown;
  result.growth_rate = result.smallest_stiffness = std::numeric_limits<double>::quiet_NaN();
  const bool has_states = equation_.element_data().states.size() > 0;
  if (!tree_ || (has_states && !sparse_)) return false;
  const int nv = model_.nv();
  TreeDerivatives& d = equation_.resting_along_tree(resting(q_), acting_part(), lambda, !has_states);
  states_ = equation_.element_data().states;
  form_along_tree(d, 0.0, 1.0);
  const bool only_loses = takes_energy(symmetry_of(tree_->tree(), nv));
  if (!only_loses && !sparse_) return false;
  form_along_tree(d, 1.0, 0.0);
  const TreeSymmetry stiffness = symmetry_of(tree_->tree(), nv);
  if (!stiffness.symmetric) return sparse_;
  factor_on_motions();
  const std::optional<int> negative = tree_->negative_eigenvalues();
  if (!negative) return sparse_;
  const std::optional<double> smallest = smallest_on_motions(*tree_, stays_, nv, *negative);
  if (smallest) result.smallest_stiffness = *smallest;
  const bool clear = smallest && std::abs(*smallest) > k_clearly * stiffness.size;
  if (!clear && !sparse_) return false;
  if (*negative == 0) {
    if (only_loses) result.stability = Stability::stable, result.growth_rate = 0.0;
    return true;
  }
  result.stability = Stability::unstable;
  if (!only_loses || has_states) return true;
  const auto growth = growth_on_motions(
      *tree_, stays_, nv, [&](double by_q, double by_v, double by_a) { form_along_tree(d, by_q, by_v, by_a); },
      [&] { factor_on_motions(); });
  if (growth) result.growth_rate = *growth;
  return growth || sparse_;
}

std::string StaticProblem::describe(const VectorXd& lambda, StaticEquilibrium& result) {
  if (!model_.loops().empty()) {
    std::string opened = equation_.opened_loop(q_);
    if (!opened.empty()) return opened;
  }
  result.q = q_;
  result.multipliers = equation_.rows().spread(lambda);
  VectorXd left = balance(q_) - holding_part() * held_;
  result.element_states = states_;
  if (const Sites* sites = equation_.sites()) {
    result.site_states = sites->states();
    result.start = loads_.friction == StaticLoads::Friction::from_start ? loads_.start : VectorXd();
  }
  if (kept() > 0) left += jacobian().transpose() * lambda;
  holding_force_.setZero(model_.nv());
  for (std::size_t i = 0; i < stays_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (stays_[i] != 0) std::swap(holding_force_[row], left[row]);
  }
  result.residual = left.size() > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  if (judge_along_tree(lambda, result)) return "";
  const LinearizedMotion motion = linearized(lambda);
  const StabilityOfMotion judged = stability_of(motion);
  result.stability = judged.stability, result.growth_rate = judged.growth_rate;
  const MatrixXd& Z = motion.motions;
  result.smallest_stiffness = smallest_stiffness(
      motion.state_by_state.size() == 0 ? motion.stiffness : MatrixXd(Z.transpose() * stiffness(lambda) * Z),
      motion.mass);
  return "";
}

}  // namespace cuttle
