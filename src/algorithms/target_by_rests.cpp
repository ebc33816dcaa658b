#include "algorithms/target_by_rests.h"

#include <Eigen/QR>
#include <algorithm>

#include "algorithms/rest_tangent.h"
#include "algorithms/sweep.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

constexpr int k_most_rests = 80;
constexpr double k_first_hindrance = 1e-3, k_most_hindrance = 1e12;  // of steps, beside the slopes of the rows
constexpr double k_idle_slope = 1e-12;  // of directions of inputs that move the targets, beside the largest

/// Rows of the targets and their slopes by the free inputs, along equilibria.
class Rests {
 public:
  Rests(const Model& model, Data& data, FrameTargets& frames, const VectorXd& q0, const std::vector<int>& free,
        const std::function<void()>& heartbeat)
      : model_(model), data_(data), frames_(frames), q0_(q0), free_(free), heartbeat_(heartbeat) {}

  /// @return whether the robot rests under these loads.
  bool find(const StaticLoads& loads) {
    try {
      found_ = static_equilibrium(model_, data_, loads, q0_, {}, heartbeat_);
    } catch (const StaticsError&) {
      return false;
    }
    rows_.resize(frames_.row_count());
    frames_.rows(forward_kinematics<double>(model_, data_, found_.q), rows_);
    return true;
  }
  MatrixXd slopes(const StaticLoads& loads) {
    RestTangent tangent(model_, data_, loads, found_);
    const int nv = model_.nv();
    MatrixXd forces = MatrixXd::Zero(tangent.size(), count());
    forces.topRows(nv) = tangent.input_forces()(Eigen::all, free_);
    const MatrixXd change = tangent.solve(forces).topRows(nv);
    sweep::outward<MotionLevel::pose, false, true, double>(model_, data_, found_.q.data(), nullptr, nullptr, {});
    sweep::world_poses(model_, data_);
    MatrixXd by_q(frames_.row_count(), nv);
    frames_.jacobian(model_, data_, by_q);
    return by_q * change;
  }
  const StaticEquilibrium& found() const { return found_; }
  const VectorXd& rows() const { return rows_; }
  Eigen::Index count() const { return static_cast<Eigen::Index>(free_.size()); }

 private:
  const Model& model_;
  Data& data_;
  FrameTargets& frames_;
  const VectorXd& q0_;
  const std::vector<int>& free_;
  const std::function<void()>& heartbeat_;
  StaticEquilibrium found_;
  VectorXd rows_;
};

}  // namespace

std::optional<StaticEquilibrium> target_by_rests(const Model& model, Data& data, FrameTargets& frames,
                                                 StaticLoads& loads, const VectorXd& q0, const std::vector<int>& free,
                                                 const InputLimits& limits, const VectorXd& units,
                                                 const VectorXd& tolerance, const std::function<void()>& heartbeat) {
  Rests rests(model, data, frames, q0, free, heartbeat);
  if (!rests.find(loads)) return std::nullopt;
  StaticEquilibrium best = rests.found();
  VectorXd rows = rests.rows();
  const auto reached = [&] { return (rows.cwiseAbs().array() <= tolerance.array()).all(); };
  double hindrance = k_first_hindrance;
  MatrixXd slopes;
  for (int step = 0; step < k_most_rests && !reached() && hindrance < k_most_hindrance; ++step) {
    if (slopes.size() == 0) slopes = rests.slopes(loads) * units.asDiagonal();
    const Eigen::Index n = rests.count(), m = rows.size();
    const double size = slopes.norm();
    if (!(size > 0.0)) return std::nullopt;
    MatrixXd stacked = MatrixXd::Zero(m + n, n);
    stacked.topRows(m) = slopes;
    stacked.bottomRows(n).diagonal().setConstant(hindrance * size);
    VectorXd right = VectorXd::Zero(m + n);
    right.head(m) = -rows;
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(m + n, n);
    solver.setThreshold(k_idle_slope);
    const VectorXd change = units.cwiseProduct(solver.compute(stacked).solve(right));
    const VectorXd before = loads.u;
    for (Eigen::Index i = 0; i < n; ++i) {
      const int input = free[static_cast<std::size_t>(i)];
      loads.u[input] = std::clamp(before[input] + change[i], limits.lower[input], limits.upper[input]);
    }
    if (rests.find(loads) && rests.rows().norm() < rows.norm()) {
      best = rests.found(), rows = rests.rows();
      hindrance *= 0.1, slopes.resize(0, 0);
    } else {
      loads.u = before;
      hindrance = std::max(4.0 * hindrance, 1e-9);
    }
  }
  if (!reached()) return std::nullopt;
  return best;
}

}  // namespace cuttle
