#include "cuttle/algorithms/cartesian_path.h"

#include <algorithm>
#include <cmath>

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
    targets.push_back(FrameTarget::at_position(path.frame, path_position(path, options.begin)));
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
      hold.set_goal(static_cast<int>(i), {Matrix3::identity(), path_position(paths[i], result.times.back())});
    }
    const InverseStaticsResult& found = k == 0 ? hold.solve(q0) : hold.solve_from_last();
    result.samples.push_back(found);
    result.converged = result.converged && found.converged;
    result.stable = result.stable && found.converged && found.equilibrium.stable();
    q.col(k) = found.equilibrium.q, u.col(k) = found.u;
    y.col(k) = actuation_coordinates<double>(model, data, found.equilibrium.q);
  }
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
