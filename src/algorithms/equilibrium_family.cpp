#include "algorithms/equilibrium_family.h"

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
constexpr double k_difference = 1e-6;      // of the parameter, beside its range, for the derivative by it
constexpr double k_free_direction = 1e-8;  // relative size of what equations say of a direction that is free
constexpr std::size_t k_versions = 3;      // of a robot: one value of the parameter, and one at each side

}  // namespace

struct EquilibriumFamily::Version {
  double value;
  Model model;
  Data data;
  StaticProblem problem;
  Version(double at, Model robot, const StaticLoads& loads, const VectorXd& q0)
      : value(at), model(std::move(robot)), data(model), problem(model, data, loads, q0, Stepping::loads) {}
};

EquilibriumFamily::EquilibriumFamily(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                     const PathParameter& parameter)
    : model_(model), loads_(loads), q0_(q0), parameter_(parameter) {
  if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  if (parameter.kind == PathParameter::Kind::input) {
    std::vector<std::string> names;
    for (const auto& info : model.input_info()) names.push_back(info.name);
    const auto found = std::find(names.begin(), names.end(), parameter.name);
    if (found == names.end()) {
      throw ArgumentError("follow_equilibria: found '" + parameter.name + "', expected the name of an input" +
                          did_you_mean(parameter.name, names));
    }
    input_ = static_cast<int>(found - names.begin());
  }
  if (parameter.kind != PathParameter::Kind::parameter) {
    versions_.push_back(std::make_unique<Version>(0.0, model, loads_, q0));
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
    auto made = std::make_unique<Version>(value, model_.with(parameter_.name, value), loads_, q0_);
    if (versions_.size() < k_versions) versions_.resize(k_versions);
    versions_[next_] = std::move(made);
    StaticProblem& problem = versions_[next_]->problem;
    next_ = (next_ + 1) % k_versions;
    problem.begin(q, 1.0);
    return problem;
  }
  StaticProblem& problem = versions_[0]->problem;
  if (parameter_.kind == PathParameter::Kind::input) {
    loads_.u[input_] = value;
    problem.set_inputs(loads_.u);
  }
  problem.begin(q, parameter_.kind == PathParameter::Kind::load ? value : 1.0);
  return problem;
}

FamilySolver::FamilySolver(EquilibriumFamily& family, int nv, int kept, double range)
    : family_(family), nv_(nv), kept_(kept), range_(range), residual_(nv + kept) {}

bool FamilySolver::evaluate(const FamilyPoint& start, const VectorXd& z) {
  const int n = nv_ + kept_;
  problem_ = &family_.at(start.value + range_ * z[n], start.q);
  VectorXd unknowns = z.head(n);
  unknowns.tail(kept_) += start.lambda;
  std::string trouble;
  return problem_->equations(unknowns, residual_, trouble) && residual_.allFinite();
}

/// Of the equations by (displacement, multipliers, part of the range); residual_ and problem_ are those at z again.
MatrixXd FamilySolver::jacobian(const FamilyPoint& start, const VectorXd& z) {
  const int n = nv_ + kept_;
  MatrixXd J = MatrixXd::Zero(n, n + 1);
  VectorXd aside = z;
  aside[n] = z[n] + k_difference;
  if (evaluate(start, aside)) J.col(n) = residual_;
  aside[n] = z[n] - k_difference;
  if (evaluate(start, aside)) J.col(n) = (J.col(n) - residual_) / (2.0 * k_difference);
  evaluate(start, z);
  VectorXd unknowns = z.head(n);
  unknowns.tail(kept_) += start.lambda;
  MatrixXd square = MatrixXd::Zero(n, n);
  problem_->tangent(unknowns, square);
  J.leftCols(n) = square;
  return J;
}

/// The shortest solution of J x = right and plane . x = the last of right.
VectorXd FamilySolver::within(const MatrixXd& J, const VectorXd& plane, const VectorXd& right) const {
  MatrixXd bordered(J.rows() + 1, J.cols());
  bordered << row_scale_.asDiagonal() * J, plane.transpose();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(bordered.rows(), bordered.cols());
  solver.setThreshold(k_free_direction);
  solver.compute(bordered);
  VectorXd scaled = right;
  scaled.head(J.rows()).array() *= row_scale_.array();
  return solver.solve(scaled);
}

/// Stiff coordinates shall not hide soft ones; a row that vanishes later on the path shall.
void FamilySolver::scale_rows(const FamilyPoint& first) {
  const VectorXd zero = VectorXd::Zero(nv_ + kept_ + 1);
  row_scale_.setOnes(nv_ + kept_);
  if (!evaluate(first, zero)) return;
  const VectorXd size = jacobian(first, zero).leftCols(nv_ + kept_).rowwise().norm();
  const double largest = size.size() > 0 ? size.maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < size.size() && largest > 0.0; ++i) {
    row_scale_[i] = 1.0 / (size[i] > k_free_direction * largest ? size[i] : largest);
  }
}

bool FamilySolver::solve(const FamilyPoint& start, const VectorXd& plane, double distance, VectorXd& z,
                         FamilyPoint& result) {
  const int n = nv_ + kept_;
  VectorXd right(n + 1);
  for (iterations_ = 1; iterations_ <= k_most_corrections; ++iterations_) {
    if (!evaluate(start, z)) return false;
    const MatrixXd J = jacobian(start, z);
    right << residual_, plane.dot(z) - distance;
    const VectorXd change = within(J, plane, right);
    if (!change.allFinite()) return false;
    z -= change;
    const double moved = std::max(nv_ > 0 ? change.head(nv_).cwiseAbs().maxCoeff() : 0.0, std::abs(change[n]));
    if (moved > 1.0) return false;  // far from the path
    if (moved > k_corrected) continue;
    if (!evaluate(start, z)) return false;
    result.q = problem_->q();
    result.lambda = start.lambda + z.segment(nv_, kept_);
    result.value = start.value + range_ * z[n];
    return true;
  }
  return false;
}

VectorXd FamilySolver::direction(const FamilyPoint& point, const VectorXd& plane) {
  const int n = nv_ + kept_;
  const VectorXd zero = VectorXd::Zero(n + 1);
  if (!evaluate(point, zero)) return {};
  VectorXd right = VectorXd::Unit(n + 1, n);
  VectorXd t = within(jacobian(point, zero), plane, right);
  t.segment(nv_, kept_).setZero();  // multipliers have other units, and follow
  const double length = t.norm();
  if (!std::isfinite(length) || !(length > 0.0)) return {};
  return t / length;
}

std::vector<VectorXd> FamilySolver::branch_directions(const FamilyPoint& point, const VectorXd& direction, int count) {
  const int n = nv_ + kept_;
  const MatrixXd J = row_scale_.asDiagonal() * jacobian(point, VectorXd::Zero(n + 1));
  const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeFullV);
  std::vector<VectorXd> found{direction};
  for (int k = 0; k <= count && k <= n; ++k) {
    VectorXd t = svd.matrixV().col(n - k);
    t.segment(nv_, kept_).setZero();
    for (const VectorXd& other : found) t -= other.dot(t) * other;
    if (t.norm() > 0.1) found.push_back(t.normalized());
    if (static_cast<int>(found.size()) == count + 1) break;
  }
  found.erase(found.begin());
  return found;
}

int FamilySolver::negative_count(const FamilyPoint& point) {
  if (!evaluate(point, VectorXd::Zero(nv_ + kept_ + 1))) return 0;
  MatrixXd K = problem_->stiffness_of_motions(point.lambda);
  const VectorXd scale =
      K.diagonal().cwiseAbs().cwiseMax(1e-12 * K.diagonal().cwiseAbs().maxCoeff() + 1e-300).cwiseSqrt().cwiseInverse();
  K = scale.asDiagonal() * K * scale.asDiagonal();
  const Eigen::VectorXcd all = Eigen::EigenSolver<MatrixXd>(K, false).eigenvalues();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const std::complex<double>& x) {
    return x.real() < -k_free_direction && std::abs(x.imag()) <= k_free_direction;
  }));
}

StaticEquilibrium FamilySolver::describe(const FamilyPoint& point) {
  StaticEquilibrium result;
  evaluate(point, VectorXd::Zero(nv_ + kept_ + 1));
  problem_->describe(point.lambda, result);
  return result;
}

}  // namespace cuttle
