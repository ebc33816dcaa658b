#include "cuttle/algorithms/cartesian_path.h"

#include <algorithm>
#include <cmath>

#include "algorithms/target_units.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr const char* k_path_function = "equilibrium_path";

void check_path_options(const Model& model, const EquilibriumPathOptions& options) {
  const auto fail = [](const std::string& key, const std::string& found, const std::string& expected) {
    throw ArgumentError(std::string(k_path_function) + ": " + key + ": found " + found + ", expected " + expected);
  };
  if (options.samples < 3) fail("options.samples", std::to_string(options.samples), "at least 3");
  if (!(options.end > options.begin) || !std::isfinite(options.end - options.begin)) {
    fail("options.end", number_text(options.end), "a time after the beginning " + number_text(options.begin) + " [s]");
  }
  if (model.nq() != model.nv()) {
    fail("model", "'" + model.name() + "' with quaternions", "a robot whose coordinates are all numbers");
  }
}

Vector3 path_position(const FramePath& path, double time) {
  return {path.position[0].at(time), path.position[1].at(time), path.position[2].at(time)};
}

/// Where a frame is to be; it may turn where no orientation is given.
FrameTarget path_target(const FramePath& path, double time) {
  const Vector3 position = path_position(path, time);
  if (!path.orientation) return FrameTarget::at_position(path.frame, position);
  const auto& part = *path.orientation;
  const Quaternion quaternion{part[0].at(time), part[1].at(time), part[2].at(time), part[3].at(time)};
  if (!(quaternion.squared_norm() > 0.0)) {
    throw ArgumentError(std::string(k_path_function) + ": " + path.name + ": found a quaternion of length 0 at " +
                        number_text(time) + " s, expected an orientation");
  }
  return FrameTarget::at_pose(path.frame, {quaternion.normalized().matrix(), position});
}

/// Steps from sample to sample (columns of q) that stand out from those around, EquilibriumPath::jumps.
/// @param units  of the coordinates: how much of each is a large motion.
std::vector<EquilibriumJump> jumps_of(const std::vector<double>& times, const MatrixXd& q, const VectorXd& units) {
  constexpr double k_least_jump = 0.05, k_beside_others = 5.0;
  constexpr int k_around = 2;
  const int steps = static_cast<int>(q.cols()) - 1;
  VectorXd sizes(steps);
  std::vector<int> largest(static_cast<std::size_t>(steps));
  for (int k = 0; k < steps; ++k) {
    Eigen::Index which = 0;
    sizes[k] = q.rows() == 0 ? 0.0 : (q.col(k + 1) - q.col(k)).cwiseQuotient(units).cwiseAbs().maxCoeff(&which);
    largest[static_cast<std::size_t>(k)] = static_cast<int>(which);
  }
  std::vector<EquilibriumJump> jumps;
  for (int k = 0; k < steps; ++k) {
    if (!(sizes[k] > k_least_jump)) continue;
    std::vector<double> around;
    for (int other = std::max(0, k - k_around); other <= std::min(steps - 1, k + k_around); ++other) {
      if (other != k) around.push_back(sizes[other]);
    }
    // the second largest of four: one of them may belong to the jump, and a motion may just begin or end
    std::sort(around.begin(), around.end());
    if (!(sizes[k] > k_beside_others * around[std::min<std::size_t>(2, around.size() - 1)])) continue;
    const auto at = static_cast<std::size_t>(k);
    jumps.push_back({times[at], times[at + 1], largest[at], q(largest[at], k + 1) - q(largest[at], k)});
  }
  return jumps;
}

/// A spline through each row of values, a column a time.
std::vector<Signal> splines_through(const std::vector<double>& times, const MatrixXd& values) {
  std::vector<Signal> result;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    std::vector<double> its(times.size());
    for (std::size_t k = 0; k < times.size(); ++k) its[k] = values(i, static_cast<Eigen::Index>(k));
    result.push_back(Signal::spline(times, std::move(its)));
  }
  return result;
}

}  // namespace

EquilibriumPath equilibrium_path(const Model& model, const std::vector<FramePath>& paths, const StaticLoads& loads,
                                 VectorInT<double> q0, const EquilibriumPathOptions& options) {
  check_path_options(model, options);
  std::vector<FrameTarget> targets;
  for (const FramePath& path : paths) {
    targets.push_back(path_target(path, options.begin));
    targets.back().name = path.name;
  }
  InverseStatics hold(model, targets, loads, options.statics);
  EquilibriumPath result;
  result.converged = result.stable = true;
  Data data(model);
  const int count = options.samples;
  MatrixXd q(model.nq(), count), u(model.nu(), count), y(model.nu(), count);
  for (int k = 0; k < count; ++k) {
    const double part = static_cast<double>(k) / (count - 1);
    result.times.push_back(options.begin + part * (options.end - options.begin));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      hold.set_goal(static_cast<int>(i), path_target(paths[i], result.times.back()).goal);
    }
    const InverseStaticsResult& found = k == 0 ? hold.solve(q0) : hold.solve_from_last();
    result.samples.push_back(found);
    result.converged = result.converged && found.converged;
    result.stable = result.stable && found.converged && found.equilibrium.stable();
    q.col(k) = found.equilibrium.q, u.col(k) = found.u;
    y.col(k) = actuation_coordinates<double>(model, data, found.equilibrium.q);
  }
  result.jumps = jumps_of(result.times, q, units_of(model, data, reach_of(model, data)));
  result.configuration = splines_through(result.times, q);
  result.inputs = splines_through(result.times, u);
  result.actuation = splines_through(result.times, y);
  VectorXd between(model.nq());
  for (int k = 0; k + 1 < count; ++k) {
    const double time =
        0.5 * (result.times[static_cast<std::size_t>(k)] + result.times[static_cast<std::size_t>(k) + 1]);
    for (int i = 0; i < model.nq(); ++i) between[i] = result.configuration[static_cast<std::size_t>(i)].at(time);
    const KinematicsT<double>& kinematics = forward_kinematics<double>(model, data, between);
    for (const FramePath& path : paths) {
      const double off = norm(kinematics.pose(path.frame).position - path_position(path, time));
      result.deviation = std::max(result.deviation, off);
    }
  }
  return result;
}

}  // namespace cuttle
