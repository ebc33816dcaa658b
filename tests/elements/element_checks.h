#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

/// What every element and every load by the motion must keep, on robots with arbitrary numbers.
namespace cuttle::test {

/// A revolute `arm`, a prismatic `slide`, a soft `rod` and a `ball` on a spherical joint: arbitrary sizes from a seed.
inline Robot random_chain(unsigned seed) {
  Random random(seed);
  const auto some = [&](double scale) { return scale * random.uniform(0.6, 1.4); };
  const auto body = [&] {
    return rigid_body(some(0.4), {some(0.05), some(0.01), some(0.1)}, {some(2e-3), some(3e-3), some(2.5e-3)},
                      {some(0.02), 0, some(0.2)});
  };
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0.2, 1, some(0.3)}),
                         .joint_dynamics = dynamics({some(2.0)}, {some(0.1)}),
                         .body = body()});
  robot.links.push_back({.name = "slide", .joint = make_prismatic_joint<double>({1, some(0.4), 0}), .body = body()});
  robot.links.push_back({.name = "rod", .body = rod_body(some(0.3), 0.02, "pcs", some(0.05))});
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .joint_dynamics = dynamics({0.4, 0.5, 0.3}, {}),
                         .body = body()});
  return robot;
}

/// Derivative of order 6 of f at 0.
template <typename F>
auto slope_at_zero(const F& f, double h) {
  using Value = std::decay_t<decltype(f(0.0))>;
  return Value((45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h));
}

/// In random states: the derivatives of the equation of motion against differences, and the rate of the whole energy
/// against the powers that are booked.
inline void expect_exact_motion(const Robot& robot, double h = 1e-3, double tolerance = 1e-8) {
  const Model model(robot);
  RobotSystem system(model, {.inputs = std::vector<Signal>(model.nu(), Signal(0.3))});
  const int nv = model.nv();
  Random random(17);
  const VectorXd start = start_of_auxiliary(model);
  for (int sample = 0; sample < 3; ++sample) {
    SCOPED_TRACE("sample " + std::to_string(sample));
    const RandomState state = random_state(model, random);
    const auto moved = [&](const VectorXd& step) {
      VectorXd q = state.q;
      integrate<double>(model, state.q, step, q);
      return q;
    };
    const AuxiliaryStates auxiliary{start, 0.01, 0.02};
    VectorXd r(nv), rates(start.size());
    const auto residual = [&](const VectorXd& q, const VectorXd& v) -> VectorXd {
      system.residual(0.0, q, v, state.a, auxiliary, r, rates);
      return r;
    };
    const DerivativeData& d = system.residual_derivatives(0.0, state.q, state.v, state.a, auxiliary, VectorXd());
    const MatrixXd by_q = d.by_q, by_v = d.by_v;
    for (int k = 0; k < nv; ++k) {
      const VectorXd e = VectorXd::Unit(nv, k);
      const VectorXd q_slope = slope_at_zero([&](double t) -> VectorXd { return residual(moved(t * e), state.v); }, h);
      const VectorXd v_slope =
          slope_at_zero([&](double t) -> VectorXd { return residual(state.q, state.v + t * e); }, h);
      EXPECT_LT((by_q.col(k) - q_slope).norm(), tolerance * (1.0 + by_q.norm())) << k;
      EXPECT_LT((by_v.col(k) - v_slope).norm(), tolerance * (1.0 + by_v.norm())) << k;
    }

    VectorXd a(nv), booked(start.size());
    system.rates(0.0, state.q, state.v, start, a, booked);
    const auto energy = [&](double t) {
      return system.energy_balance(moved(t * state.v + 0.5 * t * t * a), state.v + t * a, start)->energy;
    };
    const double work = booked[RobotSystem::input] + booked[RobotSystem::load] - booked[RobotSystem::dissipated];
    const double size = 1.0 + std::abs(booked[RobotSystem::dissipated]) + a.norm() * state.v.norm();
    EXPECT_NEAR(slope_at_zero(energy, 1e-4), work, 1e-8 * size);
    EXPECT_GE(booked[RobotSystem::dissipated], 0.0);
  }
}

/// Gradients of the generalized force of a robot's elements by numbers of its file, against differences of robots read
/// again.
/// @param elements  lines of the list, of a robot with the links `arm` (revolute) and `motor` (revolute).
inline void expect_parameter_gradients(const std::string& elements, const std::vector<std::string>& paths) {
  const std::string text =
      "cuttle: 1\nlinks:\n"
      "  - {name: motor, joint: {type: revolute}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}\n"
      "  - {name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}\n"
      "elements:\n" +
      elements;
  const Model model(read_robot_text(text, "r.yaml"));
  ASSERT_LE(paths.size(), static_cast<std::size_t>(k_forward_width));
  const VectorXd q = Eigen::Vector2d(0.31, -0.17), v = Eigen::Vector2d(0.4, 0.27);
  const auto force = [&]<typename S>(const ModelT<S>& of) {
    DataT<S> data(of);
    ElementDataT<S> motion(of);
    element_motion<S>(of, data, q.cast<S>().eval(), v.cast<S>().eval(), motion);
    element_efforts<S>(of, 0.0, VectorXT<S>::Zero(of.nu()).eval(), motion);
    return VectorXT<S>(motion.matrix * motion.efforts);
  };
  const VectorXT<ForwardDual> gradient = force(differentiate(model, paths));
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const double value = model.parameter(paths[k]).value;
    const double h = 1e-3 * (value == 0.0 ? 1.0 : std::abs(value));
    const VectorXd slope = slope_at_zero([&](double t) { return force(model.with(paths[k], value + t)); }, h);
    EXPECT_GT(slope.norm(), 1e-6) << paths[k] << " does nothing";
    for (Eigen::Index i = 0; i < slope.size(); ++i) {
      EXPECT_NEAR(gradient[i].derivative[k], slope[i], 1e-9 * (1.0 + slope.norm())) << paths[k];
    }
  }
}

}  // namespace cuttle::test
