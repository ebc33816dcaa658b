#include "cuttle/algorithms/loop_closure.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "algorithms/velocity_closing.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr int k_most_closing_steps = 200;
constexpr int k_most_starts = 6;
constexpr int k_starts_near_singular = 2;  ///< to look for a place nearby where all rows are closed
constexpr double k_longest_step = 0.5;     ///< rad, or sizes of the robot
constexpr double k_rank = 1e-12;           ///< of rows that are independent
constexpr double k_closed = 1e-10;         ///< rad, or sizes: closed; below it Newton's steps end in rounding
/// What a dropped row may stay open by, rad or sizes: angles of files have five digits or so.
constexpr double k_consistent = 1e-5;
/// And what it is open by if it does not follow from the others after all: what is consistent turns by a few radians.
constexpr double k_opened = 10.0 * k_consistent;

/// A dropped row that counts: what was meant to be the same turns with the robot, but stays below it.
constexpr double k_appeared_row = 10.0 * k_redundant_row;

bool is_length(const CoordinateInfo& info) { return info.unit == "m" || info.unit == "m/s"; }

/// A deterministic number in [-1, 1) for each index: the fractional parts of multiples of the golden ratio.
double scattered(int index) {
  const double x = 0.6180339887498949 * (index + 1);
  return 2.0 * (x - std::floor(x)) - 1.0;
}

std::vector<int> all_rows(const Model& model) {
  std::vector<int> rows(model.constraint_count());
  for (int i = 0; i < model.constraint_count(); ++i) rows[i] = i;
  return rows;
}

/// The residuals of a robot's loops, all of them as angles: lengths divided by the robot's size.
class Assembly {
 public:
  /// @param held  coordinates that do not move; empty: none.
  Assembly(const Model& model, Data& data, ConstraintData& constraints, const VectorXd& q,
           std::span<const char> held = {})
      : model_(model), data_(data), constraints_(constraints), q_(q) {
    constraint_residual<double>(model, data, constraints, q);
    double size = 0.0;
    const Vector3 origin = data.kinematics.pose(model.base_frame()).position;
    for (const auto& ends : constraints.ends) {
      size = std::max({size, norm(ends.world_a.position - origin), norm(ends.world_b.position - origin)});
    }
    size_ = size > 0.0 ? size : 1.0;
    row_weight_.setOnes(model.constraint_count()), unit_.setOnes(model.nv());
    for (int i = 0; i < model.constraint_count(); ++i) {
      if (is_length(model.constraint_info()[i])) row_weight_[i] = 1.0 / size_;
    }
    for (int k = 0; k < model.nv(); ++k) {
      if (is_length(model.velocity_info()[k])) unit_[k] = size_;
      if (!held.empty() && held[k] != 0) unit_[k] = 0.0;
    }
    evaluate(q_, false);
  }

  const VectorXd& q() const { return q_; }
  /// Of the rows that are asked for. An axis that points backwards is open.
  double residual(const std::vector<int>& rows) const {
    double largest = 0.0;
    for (const int i : rows) largest = std::max(largest, std::abs(phi_[i]));
    return largest;
  }
  double residual() const { return size(phi_); }
  int iterations() const { return iterations_; }

  /// Moves off by `amount` [rad, sizes] in every coordinate.
  void scatter(double amount, int seed) {
    VectorXd step(model_.nv());
    for (int k = 0; k < model_.nv(); ++k) step[k] = amount * unit_[k] * scattered(k + 7 * seed);
    q_ = moved(step);
    evaluate(q_, false);
  }

  /// Closes all rows but for what redundant ones may stay open by.
  bool close_all() {
    if (close(all_rows(model_), k_redundant_row)) return true;
    return residual() < k_consistent && close(independent().kept, k_rank);
  }
  ConstraintRows independent() const {
    return independent_rows(constraint_jacobian<double>(model_, data_, constraints_, q_));
  }

  /// Levenberg-Marquardt on these rows until nothing improves. @return whether they are closed.
  /// @param rank  singular values below it, relative to the largest, are none.
  bool close(const std::vector<int>& rows, double rank) {
    double damping = 0.0;
    for (int i = 0; i < k_most_closing_steps; ++i) {
      if (!evaluate(q_, true)) return false;
      const VectorXd phi = phi_(rows);
      const double before = phi.norm();
      if (before < 1e-15) return true;
      const Eigen::JacobiSVD<MatrixXd> svd(MatrixXd(G_(rows, Eigen::all)), Eigen::ComputeThinU | Eigen::ComputeThinV);
      const VectorXd& s = svd.singularValues();
      const VectorXd along = svd.matrixU().transpose() * phi;
      bool better = false;
      for (; !better && damping < 1e6; damping = better ? damping : std::max(10.0 * damping, 1e-6)) {
        VectorXd y = along;
        for (int k = 0; k < s.size(); ++k) {
          const bool counts = s[k] > rank * std::max(s[0], 1e-3);
          y[k] *= counts ? s[k] / (s[k] * s[k] + damping * s[0] * s[0]) : 0.0;
        }
        VectorXd step = -(svd.matrixV() * y);
        if (step.lpNorm<Eigen::Infinity>() < 1e-16) return size(phi) < k_closed;  // stationary
        step *= std::min(1.0, k_longest_step / step.lpNorm<Eigen::Infinity>());
        const VectorXd trial = moved(step.cwiseProduct(unit_));
        ++iterations_;
        better = evaluate(trial, false) && VectorXd(phi_(rows)).norm() < before * (1.0 - 1e-9);
        if (better) q_ = trial;
      }
      if (!better) {
        evaluate(q_, false);
        break;
      }
      damping = damping > 1e-10 ? damping / 10.0 : 0.0;
    }
    return residual(rows) < k_closed;
  }

  /// Loop and residual of the row that is open most, for a message.
  std::string worst() const {
    Eigen::Index row = 0;
    phi_.cwiseAbs().maxCoeff(&row);
    return describe(static_cast<int>(row));
  }
  std::string describe(int row) const { return place(row) + " stays open by " + opening(row); }
  /// Loop and name of a row, and its residual.
  std::string place(int row) const {
    for (const BoundLoop& loop : model_.loops()) {
      if (row < loop.row || row >= loop.row + loop.row_count()) continue;
      return "loop '" + loop.name + "': row '" + model_.constraint_info()[row].name + "'";
    }
    return "";
  }
  std::string opening(int row) const {
    const std::string unit = model_.constraint_info()[row].unit;
    return number_text(phi_[row] / row_weight_[row]) + (unit == "1" ? "" : " " + unit);
  }

 private:
  static double size(const VectorXd& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; }
  VectorXd moved(const VectorXd& step) const {
    VectorXd result(model_.nq());
    integrate<double>(model_, q_, step, result);
    normalize<double>(model_, result);
    return result;
  }
  /// @return false where a body's kinematics are not defined or beyond all numbers.
  bool evaluate(const VectorXd& q, bool with_jacobian) {
    try {
      if (with_jacobian) {
        constraint_jacobian<double>(model_, data_, constraints_, q);
      } else {
        constraint_residual<double>(model_, data_, constraints_, q);
      }
    } catch (const ConfigurationError&) {
      return false;
    } catch (const OverflowError&) {
      return false;
    }
    phi_ = row_weight_.cwiseProduct(constraints_.residual);
    if (with_jacobian) G_ = row_weight_.asDiagonal() * constraints_.jacobian * unit_.asDiagonal();
    for (std::size_t i = 0; i < model_.loops().size(); ++i) turn_forward(i, with_jacobian);
    return phi_.allFinite();
  }
  /// The axis rows of a revolute loop vanish as well where the axes point against each other. So where the angle is
  /// obtuse, their length s = sin(angle) counts as 2 - s: it grows up to there.
  void turn_forward(std::size_t index, bool with_jacobian) {
    const BoundLoop& loop = model_.loops()[index];
    if (loop.type != LoopType::revolute) return;
    const auto& ends = constraints_.ends[index];
    const Vector3 axis_b = ends.world_b.rotation * loop.axis_b;
    const Vector3 axis_a = ends.world_a.rotation * loop.axis_b;  // the same vector in both frames
    if (dot(axis_a, axis_b) >= 0.0) return;
    const Eigen::Vector2d d = phi_.segment<2>(loop.axis_row());
    const double s = std::max(d.norm(), 1e-6);
    const Eigen::Vector2d e = d.norm() < 1e-6 ? Eigen::Vector2d(1.0, 0.0) : Eigen::Vector2d(d / s);
    phi_.segment<2>(loop.axis_row()) = (2.0 - s) * e;
    if (!with_jacobian) return;
    const Eigen::Matrix2d across = Eigen::Matrix2d::Identity() - e * e.transpose();
    const Eigen::Matrix2d slope = (2.0 - s) / s * across - e * e.transpose();
    const MatrixXd rows = G_.middleRows(loop.axis_row(), 2);
    G_.middleRows(loop.axis_row(), 2) = slope * rows;
  }

  const Model& model_;
  Data& data_;
  ConstraintData& constraints_;
  VectorXd q_, phi_, row_weight_, unit_;
  MatrixXd G_;
  double size_ = 1.0;
  int iterations_ = 0;
};

/// What is wrong if the kept rows are closed at `assembly` and a dropped one is not; else empty.
std::string contradiction(const Assembly& assembly, const ConstraintRows& rows) {
  for (const int row : rows.dropped) {
    if (assembly.residual(rows.kept) > k_closed || assembly.residual({row}) < k_consistent) continue;
    return (assembly.describe(row) +
            ", though nothing can move along it that the other rows leave free; expected frames a and b "
            "that the joints can bring together");
  }
  return "";
}

/// close_loops with coordinates that must not move.
LoopClosure close_moving(const Model& model, Data& data, ConstraintData& constraints, VectorOutT<double>& q,
                         std::span<const char> held) {
  LoopClosure result;
  std::string trouble, contradicting;  // of the last start: the first may be a configuration that cannot move
  double smallest = std::numeric_limits<double>::infinity();
  std::optional<VectorXd> nearly;  // but for what redundant rows may stay open by; a singular place may be open by that
  for (int start = 0; start < k_most_starts; ++start) {
    Assembly assembly(model, data, constraints, q, held);
    if (start > 0) assembly.scatter(0.01 * std::pow(2.5, start), start);
    const bool closed = assembly.close_all();
    result.iterations += assembly.iterations();
    if (closed && !nearly) nearly = assembly.q();
    if (closed && assembly.residual() < k_closed) nearly = assembly.q(), start = k_most_starts;
    if (nearly) {
      if (start < k_starts_near_singular) continue;
      q = *nearly;
      constraint_residual<double>(model, data, constraints, q);
      result.residual = constraints.residual.size() > 0 ? constraints.residual.lpNorm<Eigen::Infinity>() : 0.0;
      return result;
    }
    contradicting = contradiction(assembly, assembly.independent());
    if (assembly.residual() < smallest) smallest = assembly.residual(), trouble = assembly.worst();
  }
  if (!contradicting.empty()) throw SimulationError(contradicting);
  throw SimulationError("close_loops: " + trouble + " after " + std::to_string(result.iterations) + " steps from " +
                        std::to_string(k_most_starts) +
                        " starts nearby; expected a configuration nearer to a closed one, or places that can meet");
}

/// Whether any coordinate is to stay. @throws ArgumentError if the size is wrong.
bool holds_some(const Model& model, const char* function, std::span<const char> held) {
  if (!held.empty() && held.size() != static_cast<std::size_t>(model.nv())) {
    throw ArgumentError(std::string(function) + ": held: found size " + std::to_string(held.size()) +
                        ", expected 0 or " + std::to_string(model.nv()) + " (nv of '" + model.name() + "')");
  }
  return std::any_of(held.begin(), held.end(), [](char h) { return h != 0; });
}

/// Data, constraints and configuration, and rows of a robot with loops. @throws ArgumentError
void check(const Model& model, const char* function, const Data& data, const ConstraintData& constraints,
           const VectorInT<double>& q, const ConstraintRows& rows = {}) {
  check_call(model, function, data, q);
  check_workspace(model, function, "constraints", constraints);
  for (const int row : rows.kept) {
    if (row >= 0 && row < model.constraint_count()) continue;
    throw ArgumentError(std::string(function) + ": rows: found row " + std::to_string(row) + ", expected rows of '" +
                        model.name() + "', which has " + std::to_string(model.constraint_count()));
  }
}

}  // namespace

std::vector<std::string> ConstraintRows::dropped_names(const Model& model) const {
  std::vector<std::string> names;
  for (const int row : dropped) names.push_back(model.constraint_info().at(row).name);
  return names;
}

ConstraintRows independent_rows(const Eigen::Ref<const MatrixXd>& G, double tolerance) {
  ConstraintRows rows;
  const Eigen::Index m = G.rows();
  const VectorXd lengths = G.rowwise().norm();
  const double largest = m > 0 ? lengths.maxCoeff() : 0.0;
  std::vector<int> some;
  MatrixXd unit(G.cols(), m);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!(lengths[i] > tolerance * largest)) {
      rows.dropped.push_back(static_cast<int>(i));
      continue;
    }
    unit.col(static_cast<Eigen::Index>(some.size())) = G.row(i).transpose() / lengths[i];
    some.push_back(static_cast<int>(i));
  }
  if (!some.empty()) {
    Eigen::ColPivHouseholderQR<MatrixXd> qr(unit.leftCols(static_cast<Eigen::Index>(some.size())));
    qr.setThreshold(tolerance);
    const auto& order = qr.colsPermutation().indices();
    for (Eigen::Index k = 0; k < order.size(); ++k) {
      (k < qr.rank() ? rows.kept : rows.dropped).push_back(some[order[k]]);
    }
  }
  std::sort(rows.kept.begin(), rows.kept.end());
  std::sort(rows.dropped.begin(), rows.dropped.end());
  return rows;
}

ConstraintRows select_constraint_rows(const Model& model, Data& data, ConstraintData& constraints, VectorInT<double> q,
                                      double tolerance) {
  check(model, "select_constraint_rows", data, constraints, q);
  const auto at = [&](const VectorXd& where) {
    return independent_rows(constraint_jacobian<double>(model, data, constraints, where), tolerance);
  };
  ConstraintRows rows = at(q);
  if (rows.dropped.empty()) return rows;
  const std::string trouble = contradiction(Assembly(model, data, constraints, q), rows);
  if (!trouble.empty()) throw SimulationError(trouble);
  for (int seed = 0; seed < 2; ++seed) {
    Assembly nearby(model, data, constraints, q);
    nearby.scatter(0.01, seed);
    if (!nearby.close_all()) continue;
    const ConstraintRows there = at(nearby.q());
    if (there.kept.size() > rows.kept.size()) rows = there;
  }
  return rows;
}

std::optional<double> appeared_rows(const Model& model, Data& data, ConstraintData& constraints,
                                    const ConstraintRows& rows, VectorInT<double> q) {
  check(model, "appeared_rows", data, constraints, q, rows);
  if (rows.dropped.empty()) return std::nullopt;
  const MatrixXd& G = constraint_jacobian<double>(model, data, constraints, q);
  if (independent_rows(G, k_appeared_row).kept.size() <= rows.kept.size()) return std::nullopt;
  return Assembly(model, data, constraints, q).residual(rows.dropped);
}

ConstraintRows rows_with_appeared(const Model& model, Data& data, ConstraintData& constraints,
                                  const ConstraintRows& rows, VectorInT<double> q) {
  check(model, "rows_with_appeared", data, constraints, q, rows);
  ConstraintRows found = independent_rows(constraint_jacobian<double>(model, data, constraints, q), k_appeared_row);
  const Assembly assembly(model, data, constraints, q);
  for (const int row : rows.dropped) {
    if (!std::binary_search(found.kept.begin(), found.kept.end(), row) || assembly.residual({row}) <= k_consistent) {
      continue;
    }
    throw SimulationError(assembly.place(row) + " has opened by " + assembly.opening(row) +
                          " since it follows from the others no longer; expected shorter steps, or a start beside "
                          "the singular place");
  }
  found.open = constraint_residual<double>(model, data, constraints, q)(found.kept);
  return found;
}

std::string opened_loop(const Model& model, Data& data, ConstraintData& constraints, const ConstraintRows& rows,
                        VectorInT<double> q) {
  check(model, "opened_loop", data, constraints, q, rows);
  if (rows.dropped.empty()) return "";
  const Assembly assembly(model, data, constraints, q);
  const auto open_by = [&](int row) { return assembly.residual({row}); };
  const int worst = *std::max_element(rows.dropped.begin(), rows.dropped.end(),
                                      [&](int a, int b) { return open_by(a) < open_by(b); });
  if (open_by(worst) <= k_opened) return "";
  return assembly.place(worst) + " has opened by " + assembly.opening(worst) +
         "; it was left out, as it followed from the others where the loops were closed, so that place is singular "
         "(bars stretched or folded in a line); begin beside it, or change a length so that the loop closes elsewhere";
}

LoopClosure close_loops(const Model& model, Data& data, ConstraintData& constraints, VectorOutT<double> q,
                        std::span<const char> held) {
  check(model, "close_loops", data, constraints, q);
  if (holds_some(model, "close_loops", held)) {
    try {
      return close_moving(model, data, constraints, q, held);
    } catch (const SimulationError&) {  // then these must move too
    }
  }
  return close_moving(model, data, constraints, q, {});
}

double close_velocities(const Model& model, Data& data, ConstraintData& constraints, const ConstraintRows& rows,
                        VectorInT<double> q, VectorOutT<double> v, std::span<const char> held) {
  check(model, "close_velocities", data, constraints, q, rows);
  check_argument<double>(model, "close_velocities", "v", v, model.nv());
  holds_some(model, "close_velocities", held);
  const VelocityClosing closing(model, data, constraints, rows, q, v, held);
  if (closing.change().size() > 0) v -= closing.change();
  return closing.opened();
}

ConstrainedAcceleration constrained_forward_dynamics(const Model& model, Data& data, ConstraintData& constraints,
                                                     const ConstraintRows& rows, VectorInT<double> q,
                                                     VectorInT<double> v, VectorInT<double> tau) {
  check(model, "constrained_forward_dynamics", data, constraints, q, rows);
  check_argument<double>(model, "constrained_forward_dynamics", "tau", tau, model.nv());
  const MatrixXd G = constraint_jacobian<double>(model, data, constraints, q)(rows.kept, Eigen::all);
  const VectorXd bias = constraint_bias<double>(model, data, constraints, q, v)(rows.kept);
  const VectorXd force = mass_inverse_dynamics<double>(model, data, q, v, data.zero);
  ConstrainedAcceleration result;
  VectorXd multipliers;
  MassAndLoops(model, "constrained_forward_dynamics", data.mass_matrix, G)
      .solve(tau - force, -bias, result.a, multipliers);
  result.multipliers.setZero(model.constraint_count());
  result.multipliers(rows.kept) = multipliers;
  require_finite_force<double>(model, "constrained_forward_dynamics", "a", result.a);
  require_finite_result("constrained_forward_dynamics", result.multipliers.data(), result.multipliers.size(),
                        [&](Eigen::Index i) { return "multiplier " + model.multiplier_info()[i].name; });
  return result;
}

}  // namespace cuttle
