#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/simulation_robots.h"

/// Runs of integrators, and what tests ask of them.
namespace cuttle::test {

inline State start_of(const Model& model) {
  State state;
  state.q = model.neutral();
  state.v = VectorXd::Zero(model.nv());
  state.auxiliary = VectorXd::Zero(StateLayout::k_work_count);
  return state;
}

/// From `start` to `target`, the system's signals as given.
inline State run(const Model& model, const IntegratorOptions& options, const State& start, double target,
                 const std::vector<Signal>& inputs = {}, IntegratorStatistics* statistics = nullptr) {
  RobotSystem system(model, {.inputs = inputs});
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  integrator->advance(target, target);
  if (statistics != nullptr) *statistics = integrator->statistics();
  return integrator->state();
}

inline IntegratorOptions fixed(const std::string& type, double step) {
  IntegratorOptions options;
  options.type = type;
  options.step = step;
  return options;
}
inline IntegratorOptions adaptive(const std::string& type, double tolerance) {
  IntegratorOptions options;
  options.type = type;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 0.1 * tolerance;
  return options;
}

inline double distance(const Model& model, const State& a, const State& b) {
  VectorXd dq(model.nv());
  difference<double>(model, a.q, b.q, dq);
  return std::hypot(dq.norm(), (a.v - b.v).norm());
}

/// Largest distance of a quaternion of q from unit norm.
inline double norm_error(const Model& model, const VectorXd& q) {
  double error = 0.0;
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind != EdgeKind::joint) continue;
    const auto& joint = model.topology().joints[static_cast<std::size_t>(edge.index)].joint;
    error = std::max(error, joint->constraint_violation(q.data() + edge.q));
  }
  return error;
}

/// The states at ten equally spaced times: an error that only passes through zero at one of them shows at the others.
inline std::vector<State> trajectory(const Model& model, const IntegratorOptions& options, const State& start,
                                     double target, const std::vector<Signal>& inputs = {}) {
  RobotSystem system(model, {.inputs = inputs});
  const auto integrator = make_integrator(system, options);
  integrator->restart(start);
  std::vector<State> states;
  for (int i = 1; i <= 10; ++i) {
    integrator->advance(target * i / 10, target);
    states.push_back(integrator->state());
  }
  return states;
}

/// Order measured from three halvings of the step. Leading error terms are small in tsit5, so the measured order comes
/// down to five from above; the last error is still far above rounding.
/// @param options_of  a method by its step.
template <typename Options>
void expect_order_of(const Model& model, const State& start, double target, const std::vector<State>& reference,
                     const Options& options_of, const std::string& type, double order, double step,
                     const std::vector<Signal>& inputs = {}) {
  double last = 0.0;
  for (int k = 0; k < 4; ++k, step *= 0.5) {
    const std::vector<State> states = trajectory(model, options_of(step), start, target, inputs);
    double error = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) error = std::max(error, distance(model, states[i], reference[i]));
    if (k > 0) {
      EXPECT_GT(std::log2(last / error), order - 0.3) << type << ", step " << step << ", error " << error;
      EXPECT_LT(std::log2(last / error), order + (k == 3 ? 0.6 : 1.0))
          << type << ", step " << step << ", error " << error;
    }
    last = error;
  }
  EXPECT_GT(last, 1e-13);
}
inline void expect_order(const Model& model, const State& start, double target, const std::vector<State>& reference,
                         const std::string& type, double order, double step, const std::vector<Signal>& inputs = {}) {
  expect_order_of(
      model, start, target, reference, [&type](double h) { return fixed(type, h); }, type, order, step, inputs);
}

inline State tumbling(const Model& model) {
  State start = start_of(model);
  start.q << 0.1, -0.2, 0.3, 0.5, 0.5, -0.5, 0.5;
  start.v << 2.0, 0.3, -1.5, 0.4, 0.2, -0.3;
  return start;
}

/// Why make_integrator refuses the options for a pendulum; empty if it does not.
inline std::string refusal(const IntegratorOptions& options) {
  const Model model(pendulum());
  RobotSystem system(model, {.inputs = {0.0}});
  try {
    make_integrator(system, options);
    return "";
  } catch (const ArgumentError& error) {
    return error.what();
  }
}

}  // namespace cuttle::test
