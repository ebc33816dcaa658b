#include "algorithms/static_problem.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <utility>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

/// Orthonormal columns that span the motions with G dq = 0.
MatrixXd allowed_motions(const MatrixXd& G) {
  if (G.rows() == 0) return MatrixXd::Identity(G.cols(), G.cols());
  const Eigen::HouseholderQR<MatrixXd> qr(G.transpose());
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(G.cols() - G.rows());
}

/// Smallest eigenvalue of the symmetric part of a stiffness on some motions.
double smallest_stiffness(const MatrixXd& K, const MatrixXd& motions) {
  if (motions.cols() == 0) return std::numeric_limits<double>::infinity();
  const MatrixXd allowed = 0.5 * motions.transpose() * (K + K.transpose()) * motions;
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(allowed, Eigen::EigenvaluesOnly).eigenvalues()[0];
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
      data_(data),
      loads_(loads),
      scaled_(loads),
      stepping_(stepping),
      derivatives_(model),
      elements_(model),
      element_slopes_(model),
      coordinates_(model),
      rows_(model, rows_of(model, data, q0, rows)),
      zero_(VectorXd::Zero(model.nv())),
      q_(q0) {
  if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  if (loads_.state_loads_at) {
    state_wrenches_.resize(state_load_count(model));
    state_slopes_.resize(state_wrenches_.size());
    frame_.emplace(model);
  }
  if (!model.site_laws().empty()) {
    sites_.emplace(model);
    site_slopes_.emplace(model, *sites_);
    if (loads_.start.size() == 0) loads_.start = q0;
    site_start_ = sites_->frame_poses(forward_kinematics<double>(model, data, loads_.start));
  }
  scaled_.u = loads_.u;
  held_ = stepping == Stepping::loads ? elastic_force<double>(model, data, q0) : balance(q0);
  if (stepping == Stepping::loads && !model.elements().empty()) {
    const VectorXd u = std::exchange(scaled_.u, VectorXd::Zero(model.nu()));
    rest_elements(q0);
    held_.noalias() -= elements_.matrix * elements_.efforts;
    scaled_.u = u;
  }
  if (stepping == Stepping::loads && has_sites()) {
    rest_sites(q0);
    if (!site_wrenches_.empty()) held_ -= external_force<double>(model, data, q0, site_wrenches_);
  }
}

void StaticProblem::begin(const VectorXd& q, double part) {
  from_ = q, part_ = part;
  const double acting = stepping_ == Stepping::imbalance ? 1.0 : part;
  scaled_.u = acting * loads_.u;
  for (std::size_t i = 0; i < loads_.external.size(); ++i) {
    scaled_.external[i].wrench = acting * loads_.external[i].wrench;
  }
}

bool StaticProblem::equations(const VectorXd& z, VectorXd& result, std::string& trouble) {
  const int nv = model_.nv();
  try {
    coordinates_.configuration_at(from_, z, q_);
    result.head(nv) = balance(q_) - (1.0 - part_) * held_;
    if (drag_ > 0.0) result.head(nv) += drag_ * z.head(nv);
    if (kept() > 0) {
      result.head(nv) += jacobian().transpose() * z.segment(nv, kept());
      result.segment(nv, kept()) = rows_.residual(data_, q_);
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
  coordinates_.chain(z, q_, 1.0, stiffness(z.segment(nv, kept())), result.topLeftCorner(nv, nv));
  if (drag_ > 0.0) result.topLeftCorner(nv, nv).diagonal().array() += drag_;
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

const MatrixXd& StaticProblem::stiffness(const VectorXd& lambda, StateCoupling::Kind states) {
  if (kept() > 0) {
    // what the loops push is a load on the other side of the equation
    reactions_.resize(2 * model_.loops().size());
    constraint_wrenches<double>(model_, data_, rows_.data(), q_, rows_.spread(lambda), reactions_);
    for (ExternalWrench& reaction : reactions_) reaction.wrench = -1.0 * reaction.wrench;
  }
  acting_ = scaled_.external;
  acting_.insert(acting_.end(), reactions_.begin(), reactions_.end());
  if (!state_wrenches_.empty()) {
    rest_state_loads(q_);
    acting_.insert(acting_.end(), state_wrenches_.begin(), state_wrenches_.end());
  }
  if (has_sites()) {
    rest_sites(q_);
    acting_.insert(acting_.end(), site_wrenches_.begin(), site_wrenches_.end());
  }
  inverse_dynamics_derivatives(model_, data_, derivatives_, q_, zero_, zero_, {&scaled_.u, acting_, gravity_part()});
  if (!state_wrenches_.empty()) {
    find_state_load_slopes();
    for (std::size_t i = 0; i < state_slopes_.size(); ++i) {
      frame_derivatives(model_, derivatives_, state_wrenches_[i].frame, *frame_);
      derivatives_.by_q -= gravity_part() * frame_->jacobian.transpose() * state_slopes_[i].by_pose * frame_->jacobian;
    }
  }
  if (has_sites()) {
    const bool held = states == StateCoupling::Kind::held;
    subtract_site_slopes(model_, *sites_, held ? SiteMotion::sticking : SiteMotion::free, derivatives_, *site_slopes_);
  }
  if (!model_.elements().empty()) {
    rest_elements(q_);
    subtract_element_slopes(model_, derivatives_, 0.0, q_, zero_, scaled_.u, {states}, elements_, element_slopes_);
  }
  if (kept() > 0) {
    derivatives_.by_q += constraint_wrench_derivative<double>(model_, data_, rows_.data(), q_, rows_.spread(lambda));
  }
  return derivatives_.by_q;
}

MatrixXd StaticProblem::input_forces() {
  MatrixXd forces = actuation_matrix<double>(model_, data_, q_);
  if (!model_.elements().empty()) forces.noalias() += elements_.matrix * element_slopes_.by_input;
  return forces;
}

MatrixXd StaticProblem::stiffness_of_motions(const VectorXd& lambda, const VectorXd& units) {
  const MatrixXd Z = units.asDiagonal() * allowed_motions(jacobian() * units.asDiagonal());
  return Z.transpose() * stiffness(lambda) * Z;
}

VectorXd StaticProblem::balance(const VectorXd& q) {
  VectorXd force = elastic_force<double>(model_, data_, q);
  force += gravity_part() * gravity_force<double>(model_, data_, q);
  if (model_.nu() > 0) force -= actuation_force<double>(model_, data_, q, scaled_.u);
  if (!model_.elements().empty()) {
    rest_elements(q);
    force.noalias() -= elements_.matrix * elements_.efforts;
  }
  if (!scaled_.external.empty()) force -= external_force<double>(model_, data_, q, scaled_.external);
  if (!state_wrenches_.empty()) {
    rest_state_loads(q);
    force -= external_force<double>(model_, data_, q, state_wrenches_);
  }
  if (has_sites()) {
    rest_sites(q);
    if (!site_wrenches_.empty()) force -= external_force<double>(model_, data_, q, site_wrenches_);
  }
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
  stiffness(lambda, StateCoupling::Kind::held);
  for (std::size_t i = 0; i < state_slopes_.size(); ++i) {
    frame_derivatives(model_, derivatives_, state_wrenches_[i].frame, *frame_);
    const auto& J = frame_->jacobian;
    derivatives_.by_v -= J.transpose() * state_slopes_[i].by_velocity * J;
    derivatives_.by_a -= J.transpose() * state_slopes_[i].by_acceleration * J;
  }
  const auto reduced = [&Z](const MatrixXd& A) -> MatrixXd { return Z.transpose() * A * Z; };
  result.mass = reduced(derivatives_.by_a);
  result.damping = reduced(derivatives_.by_v);
  result.stiffness = reduced(derivatives_.by_q);
  const ElementStateSlopes states = element_state_slopes(model_, 0.0, scaled_.u, elements_, element_slopes_);
  result.state_force = Z.transpose() * states.force;
  result.state_by_x = states.by_q * Z;
  result.state_by_rate = states.by_v * Z;
  result.state_by_state = states.by_state;
  return result;
}

std::string StaticProblem::describe(const VectorXd& lambda, StaticEquilibrium& result) {
  if (!model_.loops().empty()) {
    std::string opened = opened_loop(model_, data_, rows_.data(), rows_.rows(), q_);
    if (!opened.empty()) return opened;
  }
  result.q = q_;
  result.multipliers = rows_.spread(lambda);
  VectorXd left = balance(q_) - (1.0 - part_) * held_;
  result.element_states = elements_.states;
  if (has_sites()) {
    result.site_states = sites_->states();
    result.start = loads_.friction == StaticLoads::Friction::from_start ? loads_.start : VectorXd();
  }
  if (kept() > 0) left += jacobian().transpose() * lambda;
  holding_force_.setZero(model_.nv());
  for (std::size_t i = 0; i < stays_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (stays_[i] != 0) std::swap(holding_force_[row], left[row]);
  }
  result.residual = left.size() > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  const LinearizedMotion motion = linearized(lambda);
  const StabilityOfMotion judged = stability_of(motion);
  result.stability = judged.stability, result.growth_rate = judged.growth_rate;
  result.smallest_stiffness =
      smallest_stiffness(motion.state_by_state.size() == 0 ? derivatives_.by_q : stiffness(lambda), motion.motions);
  return "";
}

/// Efforts of elements whose states are at rest.
void StaticProblem::rest_elements(const VectorXd& q) {
  element_motion<double>(model_, data_, q, zero_, elements_);
  solve_element_states(model_, 0.0, scaled_.u, elements_.states, {StateCoupling::Kind::rest}, elements_);
  element_efforts<double>(model_, 0.0, scaled_.u, elements_);
}

/// Wrenches of loads that depend on the motion, of a robot at rest; they grow like gravity.
void StaticProblem::rest_state_loads(const VectorXd& q) {
  state_load_wrenches<double>(model_, data_, *loads_.state_loads_at, q, zero_, zero_, VectorXd(), state_wrenches_);
  for (ExternalWrench& external : state_wrenches_) external.wrench = gravity_part() * external.wrench;
}

void StaticProblem::rest_sites(const VectorXd& q) {
  const bool friction = loads_.friction == StaticLoads::Friction::from_start;
  sites_->rest(forward_kinematics<double>(model_, data_, q, zero_), loads_.state_loads_at.value_or(0.0),
               friction ? &site_start_ : nullptr);
  site_wrenches_.clear();
  sites_->append_wrenches(site_wrenches_);
}

/// How they change with the motion of their frames, beside turning with these.
void StaticProblem::find_state_load_slopes() {
  state_load_derivatives<double>(model_, forward_kinematics<double>(model_, data_, q_, zero_, zero_),
                                 *loads_.state_loads_at, VectorXd(), state_slopes_);
}

}  // namespace cuttle
