#include "algorithms/equilibrium_family.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

constexpr int k_most_corrections = 12;
constexpr double k_corrected = 1e-10;      // change of coordinates [rad or m] and of the parameter's part of its range
constexpr double k_balanced = 1e-10;       // of forces, relative to the stiffness where the path begins
constexpr double k_only_rounding = 1e-12;  // .. of forces that are balanced but for rounding
constexpr double k_moved_by_rounding = 1e-5;
constexpr int k_easy_corrections = 5;      // of Newton's method where it converges quadratically
constexpr double k_difference = 1e-6;      // of the parameter, beside its range, for the derivative by it
constexpr double k_same_value = 1e-14;     // of the parameter, beside its range
constexpr double k_free_direction = 1e-8;  // relative size of what equations say of a direction that is free
constexpr double k_near_singular = 1e-4;   // relative size of an eigenvalue of the stiffness at a branch point
constexpr int k_most_by_matrices = 150;    // coordinates: with more of them paths follow the tree
constexpr std::size_t k_versions = 3;      // of a robot: one value of the parameter, and one at each side

}  // namespace

void for_each_load_component(const Model& model, const std::function<void(const std::string&, LoadComponent)>& visit) {
  LoadComponent at;
  for (std::size_t i = 0; i < model.robot().loads.size(); ++i) {
    if (model.robot().loads[i].law->timed() == nullptr) continue;
    for (at.component = 0; at.component < 6; ++at.component) {
      const char* const part = at.component < 3 ? "].torque[" : "].force[";
      visit("loads[" + std::to_string(i) + part + std::to_string(at.component % 3) + "]", at);
    }
    ++at.load;
  }
}

std::optional<LoadComponent> find_load_component(const Model& model, const std::string& path) {
  std::optional<LoadComponent> found;
  for_each_load_component(model, [&](const std::string& known, LoadComponent at) {
    if (known == path) found = at;
  });
  return found;
}

void set_load_component(const Model& model, const LoadComponent& component, double value,
                        std::vector<ExternalWrench>& external) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < component.load; ++i) first += model.loads()[i].weights.size();
  const std::vector<double>& weights = model.loads()[component.load].weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    external.at(first + i).wrench[component.component] = weights[i] * value;
  }
}

void renew_own_loads(const Model& model, StaticLoads& loads) {
  if (!loads.state_loads_at) return;
  const std::vector<ExternalWrench> own = loads_at(model, *loads.state_loads_at);
  std::copy_n(own.begin(), std::min(own.size(), loads.external.size()), loads.external.begin());
}

void ParameterPlace::set(const Model& model, double value, StaticLoads& loads) const {
  if (input) loads.u[*input] = value;
  if (component) set_load_component(model, *component, value, loads.external);
}

ParameterPlace find_path_parameter(const Model& model, const PathParameter& parameter, const StaticLoads& loads) {
  ParameterPlace place;
  const std::string& name = parameter.name;
  const auto refuse = [&name](const char* expected, const std::vector<std::string>& known) {
    throw ArgumentError("follow_equilibria: found '" + name + "', expected the " + expected +
                        did_you_mean(name, known));
  };
  if (parameter.kind == PathParameter::Kind::input) {
    std::vector<std::string> names;
    for (const auto& info : model.input_info()) names.push_back(info.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse("name of an input", names);
    place.input = found - names.begin();
  } else if (parameter.kind == PathParameter::Kind::component) {
    place.component = find_load_component(model, name);
    if (!place.component) {
      std::vector<std::string> names;
      for_each_load_component(model, [&names](const std::string& path, LoadComponent) { names.push_back(path); });
      refuse("component of a load that depends on time alone, as loads[0].force[2]", names);
    }
    if (!loads.state_loads_at) {
      throw ArgumentError("follow_equilibria: found '" + name + "', expected no load: the robot's loads do not act");
    }
  }
  return place;
}

struct EquilibriumFamily::Version {
  double value;
  Model model;
  Data data;
  StaticProblem problem;
  Version(double at, Model robot, const StaticLoads& loads, const VectorXd& q0, const ConstraintRows& rows,
          Stepping stepping)
      : value(at), model(std::move(robot)), data(model), problem(model, data, loads, q0, stepping, rows) {
    if (needs_sparse_tangent(model)) problem.require_tree();
  }
};

EquilibriumFamily::EquilibriumFamily(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                     const ConstraintRows& rows, const PathParameter& parameter, Stepping stepping)
    : model_(model),
      loads_(loads),
      q0_(q0),
      rows_(rows),
      parameter_(parameter),
      stepping_(stepping),
      place_(find_path_parameter(model, parameter, loads)) {
  if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  if (parameter.kind != PathParameter::Kind::parameter) {
    versions_.push_back(std::make_unique<Version>(0.0, model, loads_, q0_, rows_, stepping_));
  }
}

EquilibriumFamily::~EquilibriumFamily() = default;

StaticProblem& EquilibriumFamily::at(double value, const VectorXd& q) {
  if (parameter_.kind == PathParameter::Kind::parameter) {
    for (const auto& version : versions_) {
      if (!version || version->value != value) continue;
      version->problem.begin(q, 1.0);
      return version->problem;
    }
    Model robot = model_.with(parameter_.name, value);
    renew_own_loads(robot, loads_);
    auto made = std::make_unique<Version>(value, std::move(robot), loads_, q0_, rows_, stepping_);
    if (versions_.size() < k_versions) versions_.resize(k_versions);
    versions_[next_] = std::move(made);
    StaticProblem& problem = versions_[next_]->problem;
    next_ = (next_ + 1) % k_versions;
    problem.begin(q, 1.0);
    return problem;
  }
  StaticProblem& problem = versions_[0]->problem;
  if (parameter_.kind != PathParameter::Kind::load) {
    place_.set(model_, value, loads_);
    problem.set_inputs(loads_.u);
    problem.set_external(loads_.external);
  }
  problem.begin(q, parameter_.kind == PathParameter::Kind::load ? value : 1.0);
  return problem;
}

FamilySolver::FamilySolver(EquilibriumFamily& family, int nv, int kept, const PathParameter& parameter)
    : family_(family),
      nv_(nv),
      kept_(kept),
      from_(parameter.from),
      to_(parameter.to),
      range_(std::abs(to_ - from_)),
      residual_(nv + kept) {}

double FamilySolver::value_at(const FamilyPoint& start, const VectorXd& z) const {
  const double value = start.value + range_ * z[nv_ + kept_];
  for (const double end : {from_, to_}) {
    if (std::abs(value - end) <= k_same_value * range_) return end;
  }
  return value;
}

bool FamilySolver::evaluate(const FamilyPoint& start, const VectorXd& z) {
  trouble_.clear();
  try {
    problem_ = &family_.at(value_at(start, z), start.q);
  } catch (const Error& error) {  // a value that the robot's parameter cannot have
    trouble_ = error.what();
    return false;
  }
  if (!problem_->equations(unknowns_at(start, z), residual_, trouble_)) return false;
  if (!residual_.allFinite()) trouble_ = "the equations grew beyond all numbers";
  return trouble_.empty();
}

void FamilySolver::take_column(const FamilyPoint& start, const VectorXd& z, VectorXd& column) {
  const int n = nv_ + kept_;
  column.setZero(n);
  VectorXd aside = z, forces[2];
  const auto at = [&](double change, VectorXd& found) {
    aside[n] = z[n] + change;
    if (!evaluate(start, aside)) return false;
    found = residual_;
    return true;
  };
  const bool above = at(k_difference, forces[0]), below = at(-k_difference, forces[1]);
  if (above && below) {
    column = (forces[0] - forces[1]) / (2.0 * k_difference);
  } else if (above || below) {  // at a bound of what the parameter may be
    const double side = above ? k_difference : -k_difference;
    const VectorXd& next = above ? forces[0] : forces[1];
    VectorXd& further = above ? forces[1] : forces[0];
    const bool second_order = at(2.0 * side, further);
    evaluate(start, z);
    column = second_order ? VectorXd((4.0 * next - further - 3.0 * residual_) / (2.0 * side))
                          : VectorXd((next - residual_) / side);
    return;
  }
  evaluate(start, z);
}

VectorXd FamilySolver::unknowns_at(const FamilyPoint& start, const VectorXd& z) const {
  VectorXd unknowns = z.head(nv_ + kept_);
  unknowns.tail(kept_) += start.lambda;
  return unknowns;
}

MatrixXd FamilySolver::square_matrix(const VectorXd& unknowns) {
  MatrixXd square = MatrixXd::Zero(nv_ + kept_, nv_ + kept_);
  problem_->tangent(unknowns, square);
  return square;
}

FamilySolver::Tangent FamilySolver::tangent(const FamilyPoint& start, const VectorXd& z) {
  Tangent found;
  take_column(start, z, found.column);
  const VectorXd unknowns = unknowns_at(start, z);
  if (along_tree_) {
    found.tree = &problem_->formed(unknowns, along_tree_->weak_springs());
    found.tree->factor();
  } else {
    found.matrix.resize(nv_ + kept_, nv_ + kept_ + 1);
    found.matrix << square_matrix(unknowns), found.column;
    found.matrix.middleCols(nv_, kept_) *= multiplier_unit_;
  }
  return found;
}

/// The shortest solution of J x = right and plane . x = the last of right.
VectorXd FamilySolver::within(const Tangent& at, const VectorXd& plane, const VectorXd& right) const {
  if (at.tree != nullptr) {
    VectorXd x;
    if (along_tree_->solve(*at.tree, at.column, plane, right, x)) return x;
    return VectorXd::Constant(right.size(), std::numeric_limits<double>::quiet_NaN());
  }
  const MatrixXd& J = at.matrix;
  MatrixXd bordered(J.rows() + 1, J.cols());
  bordered << row_scale_.asDiagonal() * J, plane.transpose();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(bordered.rows(), bordered.cols());
  solver.setThreshold(k_free_direction);
  solver.compute(bordered);
  VectorXd scaled = right;
  scaled.head(J.rows()).array() *= row_scale_.array();
  VectorXd x = solver.solve(scaled);
  x.segment(nv_, kept_) *= multiplier_unit_;
  return x;
}

double FamilySolver::size_of(const Tangent& at) const {
  if (at.tree != nullptr) return along_tree_->size(*at.tree);
  return (row_scale_.asDiagonal() * at.matrix.leftCols(nv_ + kept_)).norm();
}

/// Stiff coordinates shall not hide soft ones; a row that vanishes later on the path shall.
void FamilySolver::set_scale(const FamilyPoint& first) {
  const VectorXd zero = VectorXd::Zero(nv_ + kept_ + 1);
  row_scale_.setOnes(nv_ + kept_), units_.setOnes(nv_), multiplier_unit_ = 1.0;
  if (!evaluate(first, zero)) return;
  const VectorXd unknowns = unknowns_at(first, zero);
  if (nv_ > k_most_by_matrices && problem_->follows_tree()) {
    along_tree_.emplace().set_scale(problem_->formed(unknowns, {}), nv_);
    row_scale_ = along_tree_->row_scale();
    units_ = row_scale_.head(nv_).cwiseSqrt();
    return;
  }
  MatrixXd square = square_matrix(unknowns);
  if (kept_ > 0) {  // forces of loops shall not hide those of weak springs
    const double of_motions = square.topLeftCorner(nv_, nv_).norm(),
                 of_loops = square.topRightCorner(nv_, kept_).norm();
    if (of_motions > 0.0 && of_motions < of_loops) multiplier_unit_ = of_motions / of_loops;
    square.rightCols(kept_) *= multiplier_unit_;
  }
  // rows of forces and of loops have other units: each is nothing only beside its kind
  const VectorXd sizes = square.rowwise().norm();
  row_scale_ << inverse_sizes(sizes.head(nv_)), inverse_sizes(sizes.tail(kept_));
  units_ = inverse_sizes(problem_->stiffness(first.lambda).diagonal().cwiseAbs()).cwiseSqrt();
}

bool FamilySolver::solve(const FamilyPoint& start, const VectorXd& plane, double distance, VectorXd& z,
                         FamilyPoint& result) {
  const int n = nv_ + kept_;
  VectorXd right(n + 1);
  for (iterations_ = 1; iterations_ <= k_most_corrections; ++iterations_) {
    if (!evaluate(start, z)) return false;
    const Tangent at = tangent(start, z);
    // relative to the stiffness where the path begins, or here if that is more
    const double size = std::max(1.0, size_of(at));
    const double before = row_scale_.cwiseProduct(residual_).norm() / size;
    right << residual_, plane.dot(z) - distance;
    const VectorXd change = within(at, plane, right);
    if (!change.allFinite()) return false;
    const double moved = std::max(nv_ > 0 ? change.head(nv_).cwiseAbs().maxCoeff() : 0.0, std::abs(change[n]));
    if (moved > 1.0) return false;  // far from the path
    // next to a branch point rounding moves the robot
    const bool rounding = iterations_ > k_easy_corrections && before <= k_only_rounding && moved <= k_moved_by_rounding;
    if (!rounding) z -= change;
    if (!rounding && moved > k_corrected) continue;
    if (!evaluate(start, z)) return false;
    // a direction that equations say nothing of stays, also where forces along it are not balanced
    if (row_scale_.cwiseProduct(residual_).norm() > k_balanced * size) return false;
    result.q = problem_->q();
    result.lambda = start.lambda + z.segment(nv_, kept_);
    result.value = value_at(start, z);
    return true;
  }
  return false;
}

VectorXd FamilySolver::direction(const FamilyPoint& point, const VectorXd& plane) {
  const int n = nv_ + kept_;
  const VectorXd zero = VectorXd::Zero(n + 1);
  if (!evaluate(point, zero)) return {};
  VectorXd right = VectorXd::Unit(n + 1, n);
  VectorXd t = within(tangent(point, zero), plane, right);
  t.segment(nv_, kept_).setZero();  // multipliers have other units, and follow
  const double length = t.norm();
  if (!std::isfinite(length) || !(length > 0.0)) return {};
  return t / length;
}

std::vector<VectorXd> FamilySolver::branch_directions(const FamilyPoint& point, const VectorXd& direction, int count) {
  const int n = nv_ + kept_;
  std::vector<VectorXd> candidates;
  candidates.reserve(static_cast<std::size_t>(count) + 1);
  const Tangent at = tangent(point, VectorXd::Zero(n + 1));
  if (at.tree != nullptr) {
    for (const VectorXd& flat : flattest_directions(*at.tree, nv_, count + 1)) {
      candidates.emplace_back(VectorXd::Zero(n + 1)).head(nv_) = flat;
    }
  } else {
    const Eigen::JacobiSVD<MatrixXd> svd(row_scale_.asDiagonal() * at.matrix, Eigen::ComputeFullV);
    for (int k = 0; k <= count && k <= n; ++k) candidates.emplace_back(svd.matrixV().col(n - k));
  }
  std::vector<VectorXd> found{direction};
  for (VectorXd& t : candidates) {
    t.segment(nv_, kept_).setZero();
    for (const VectorXd& other : found) t -= other.dot(t) * other;
    if (t.norm() > 0.1) found.push_back(t.normalized());
    if (static_cast<int>(found.size()) == count + 1) break;
  }
  found.erase(found.begin());
  return found;
}

StiffnessSigns FamilySolver::signs(const FamilyPoint& point) {
  StiffnessSigns result;
  if (!evaluate(point, VectorXd::Zero(nv_ + kept_ + 1))) return result;
  if (along_tree_) {
    // of a symmetric matrix eigenvalues change their signs at zero alone
    if (const auto count = problem_->eigenvalues_below(point.lambda, along_tree_->springs(k_free_direction))) {
      return {*count, 1};
    }
    if (problem_->is_sparse()) {
      throw StaticsError(fmt::format(
          "follow_equilibria: found forces without an energy (friction, torques that keep their axis) beside a body of "
          "more than {} coordinates, expected none of these",
          k_most_dense_coordinates));
    }
  }
  const MatrixXd K = problem_->stiffness_of_motions(point.lambda, units_);
  if (K.size() == 0) return result;
  const double size = std::max(1.0, K.cwiseAbs().maxCoeff());
  const Eigen::VectorXcd all = Eigen::EigenSolver<MatrixXd>(K, false).eigenvalues();
  for (const std::complex<double>& x : all) {
    if (std::abs(x.imag()) > k_free_direction * size) continue;
    result.negative += x.real() < -k_free_direction * size ? 1 : 0;
    result.near_zero += std::abs(x.real()) <= k_near_singular * size ? 1 : 0;
  }
  return result;
}

VectorXd FamilySolver::way(const FamilyPoint& from, const FamilyPoint& to) const {
  VectorXd z = VectorXd::Zero(nv_ + kept_ + 1), displacement(nv_);
  difference<double>(family_.model(), from.q, to.q, displacement);
  z.head(nv_) = displacement;
  z[nv_ + kept_] = (to.value - from.value) / range_;
  return z;
}

std::optional<StaticEquilibrium> FamilySolver::describe(const FamilyPoint& point) {
  StaticEquilibrium result;
  if (!evaluate(point, VectorXd::Zero(nv_ + kept_ + 1))) return std::nullopt;
  trouble_ = problem_->describe(point.lambda, result);
  if (!trouble_.empty()) return std::nullopt;
  return result;
}

}  // namespace cuttle
