// Derivatives of equilibria by parameters, inputs and loads, against differences of equilibria that are solved anew.
#include "cuttle/algorithms/equilibrium_gradient.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/io/robot_file.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

// A bar on a hinge with a spring, and a soft rod with two tendons at its end; a load at its tip.
const char* const k_loaded_arm = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
- name: rod
  attach: {pose: {rpy: [3.14159265358979, 0, 0]}}
  body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: [0.012, 0.01]}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, kappa_z: constant, sigma_z: constant}}
actuators:
- {name: motor, type: joint, link: bar}
- {name: pull, type: tendon, routing: [{link: rod, offset: [0.008, 0.002]}]}
markers:
- {name: dot, link: rod, at: {s: 0.13}, offset: [0.01, 0.003, 0.001]}
loads:
- {type: wrench, link: rod, at: tip, force: [0.02, 0.05, 0]}
- {type: distributed, link: rod, force: [0, 0.1, 0]}
)";

// A ball joint has quaternions: its tangent coordinates are not its configuration.
const char* const k_ball = R"(cuttle: 1
name: ball
links:
- {name: bar, joint: {type: spherical, stiffness: 3}, body: {type: rigid, mass: 0.5, com: [0.05, 0.02, -0.3], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -0.6]}}}
actuators:
- {name: push, type: wrench, link: bar, at: tip, frame: world}
)";

// Two bars on the ground and a rod between them that closes the loop: four bars, one of them soft.
const char* const k_four_bars = R"(cuttle: 1
name: four_bars
materials: {rubber: {density: 1100, young_modulus: 4.0e6}}
links:
- {name: left, parent: base, joint: {type: revolute, axis: [0, 1, 0], stiffness: 0.5}, body: {type: rigid, mass: 0.3, com: [0, 0, 0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
- {name: across, joint: {type: revolute, axis: [0, 1, 0]}, attach: {pose: {rpy: [0, 1.5707963267948966, 0]}}, body: {type: rod, length: 0.3, material: rubber, section: {shape: circle, radius: 0.006}, quadrature: {points: 5}, strain: {kappa_y: {basis: legendre, order: 1}}}}
- {name: right, parent: base, attach: {pose: {position: [0.3, 0, 0]}}, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.2, com: [0, 0, 0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
loops:
- {name: corner, type: revolute, axis: [0, 1, 0], a: {link: across, at: tip}, b: {link: right, at: tip}}
actuators:
- {name: motor, type: joint, link: left}
)";

struct Point {
  VectorXd q, y, outputs;
  Vector3 tip;
};

/// What an equilibrium shows, found from a start with the plain solver.
Point solve_point(const Model& model, const RestLoads& loads, const VectorXd& start) {
  Data data(model);
  const StaticLoads acting = static_loads(model, loads);
  Point point;
  const StaticEquilibrium found = static_equilibrium(model, data, acting, start);
  point.q = found.q;
  if (model.nu() > 0) point.y = actuation_coordinates<double>(model, data, found.q);
  if (!model.elements().empty()) {
    ElementData elements(model);
    element_motion<double>(model, data, found.q, VectorXd::Zero(model.nv()), elements);
    element_efforts<double>(model, 0.0, acting.u, elements);
    element_outputs<double>(model, 0.0, acting.u, elements);
    point.outputs = elements.outputs;
  }
  point.tip = forward_kinematics<double>(model, data, found.q).pose(model.links().back().tip).position;
  return point;
}

/// A sixth-order difference quotient of points along a direction.
template <typename Along>
VectorXd slope_of(const Along& along, double step) {
  const auto numbers = [&](double h) {
    const Point p = along(h);
    VectorXd all(p.q.size() + p.y.size() + p.outputs.size() + 3);
    all << p.q, p.y, p.outputs, p.tip.x, p.tip.y, p.tip.z;
    return all;
  };
  return (45.0 * (numbers(step) - numbers(-step)) - 9.0 * (numbers(2 * step) - numbers(-2 * step)) +
          (numbers(3 * step) - numbers(-3 * step))) /
         (60.0 * step);
}

VectorXd slope_of(const VariedRest& varied, const ModelT<ForwardDual>& model, int k) {
  const Vector3T<ForwardDual> tip = varied.data.kinematics.pose(model.links().back().tip).position;
  const Eigen::Index outputs = model.elements().empty() ? 0 : varied.elements.outputs.size();
  VectorXd all(varied.q.size() + varied.y.size() + outputs + 3);
  Eigen::Index next = 0;
  for (const auto& x : varied.q) all[next++] = x.derivative[k];
  for (const auto& x : varied.y) all[next++] = x.derivative[k];
  for (Eigen::Index i = 0; i < outputs; ++i) all[next++] = varied.elements.outputs[i].derivative[k];
  for (int i = 0; i < 3; ++i) all[next++] = tip[i].derivative[k];
  return all;
}

/// Compares all derivatives of a robot by paths (first) and by all inputs with differences.
/// @param part  of a value that differences step by: short where equilibria bend sharply.
void expect_exact(const Model& model, const RestLoads& loads, const std::vector<std::string>& paths,
                  double part = 2e-3) {
  Data data(model);
  const StaticEquilibrium at = static_equilibrium(model, data, static_loads(model, loads), model.neutral());
  ASSERT_LT(at.residual, 1e-9);
  const ModelT<ForwardDual> variable = differentiate(model, paths);
  VariedRest varied(variable, model);
  RestLoadsT<ForwardDual> varied_loads{loads.u.cast<ForwardDual>(), loads.time, {}};
  for (const auto& c : loads.components) varied_loads.components.push_back({c.load, c.component, ForwardDual(c.value)});
  const auto inputs = static_cast<int>(std::min<Eigen::Index>(loads.u.size(), k_forward_width - paths.size()));
  const int first = static_cast<int>(paths.size());
  for (int i = 0; i < inputs; ++i) varied_loads.u[i].derivative[first + i] = 1.0;
  EquilibriumTangent(model, data, loads, at).vary(varied_loads, varied);
  for (Eigen::Index i = 0; i < at.q.size(); ++i) EXPECT_NEAR(varied.q[i].value, at.q[i], 1e-14);

  const auto compare = [&](int k, const VectorXd& expected, const std::string& what) {
    const VectorXd found = slope_of(varied, variable, k);
    EXPECT_LT((found - expected).norm(), 2e-7 * expected.norm() + 3e-9)  // what Newton leaves, by the step
        << what << ": " << found.transpose() << " against " << expected.transpose();
    EXPECT_GT(expected.norm(), 0.0) << what;
  };
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const double value = model.parameter(paths[p]).value;
    const double step = part * std::max(std::abs(value), 0.05);
    const auto along = [&](double h) { return solve_point(model.with(paths[p], value + h), loads, at.q); };
    compare(static_cast<int>(p), slope_of(along, step), paths[p]);
  }
  for (int i = 0; i < inputs; ++i) {
    const auto along = [&](double h) {
      RestLoads moved = loads;
      moved.u[i] += h;
      return solve_point(model, moved, at.q);
    };
    compare(first + i, slope_of(along, part * std::max(std::abs(loads.u[i]), 0.1 * loads.u.cwiseAbs().maxCoeff())),
            model.input_info()[i].name);
  }
}

TEST(EquilibriumGradient, OfARodWithTendonAndLoads) {
  const Model model(read_robot_text(k_loaded_arm, "arm.yaml"));
  VectorXd u(2);
  u << 1.5, 2.0;
  expect_exact(
      model, {u},
      {"materials.silicone.young_modulus", "materials.silicone.density", "links.rod.body.length",
       "links.rod.body.section.radius[0]", "actuators.pull.routing[0].offset[1]", "links.bar.joint.stiffness"});
  expect_exact(model, {u}, {"gravity[0]", "links.bar.body.tip.position[0]"});
}

TEST(EquilibriumGradient, OfTendonsThatAreWound) {
  const Model model(read_robot_file(test::k_source_dir + "/models/examples/servo_finger.yaml"));
  VectorXd u(3);
  u << 0.1, 0.006, 0.002;  // both tight
  expect_exact(model, {u},
               {"actuators.front.stiffness", "actuators.back.pretension", "materials.silicone.young_modulus",
                "links.finger.body.section.radius[1]"});
}

TEST(EquilibriumGradient, OfAJointWithQuaternions) {
  const Model model(read_robot_text(k_ball, "ball.yaml"));
  VectorXd u = VectorXd::Zero(6);
  u[3] = 0.4, u[4] = 0.3;
  expect_exact(model, {u}, {"links.bar.joint.stiffness", "links.bar.body.mass"});
}

TEST(EquilibriumGradient, OfAClosedLoop) {
  const Model model(read_robot_text(k_four_bars, "bars.yaml"));
  VectorXd u(1);
  u << 0.05;
  expect_exact(model, {u},
               {"materials.rubber.young_modulus", "links.left.joint.stiffness", "links.across.body.length",
                "links.right.body.tip.position[2]"},
               2e-4);
}

// The load's signal is 0.02 N; another value of the component must give the equilibrium of a file with that value.
TEST(EquilibriumGradient, OfAComponentOfALoad) {
  const Model model(read_robot_text(k_loaded_arm, "arm.yaml"));
  Data data(model);
  RestLoads loads;
  loads.components = {{0, 3, 0.07}};
  std::string text = k_loaded_arm;
  const std::string signal = "force: [0.02,";
  text.replace(text.find(signal), signal.size(), "force: [0.07,");
  const Model other(read_robot_text(text, "other.yaml"));
  const VectorXd expected = solve_point(other, {}, other.neutral()).q;
  const StaticEquilibrium at = static_equilibrium(model, data, static_loads(model, loads), model.neutral());
  EXPECT_LT((at.q - expected).norm(), 1e-9);

  const ModelT<ForwardDual> variable = differentiate(model, {});
  VariedRest varied(variable, model);
  RestLoadsT<ForwardDual> varied_loads;
  varied_loads.components = {{0, 3, ForwardDual::variable(0.07, 0)}};
  EquilibriumTangent(model, data, loads, at).vary(varied_loads, varied);
  const auto along = [&](double h) { return solve_point(model, {{}, 0.0, {{0, 3, 0.07 + h}}}, at.q); };
  const VectorXd slope = slope_of(along, 1e-3);
  EXPECT_LT((slope_of(varied, variable, 0) - slope).norm(), 1e-8 * slope.norm());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
