// Damping proportional to mass against the mass matrix, modes in closed form, and the account of energy.
#include "cuttle/elements/mass_damping.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "elements/element_checks.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_rate = 0.7;

/// The generalized force of a robot's loads by the motion.
VectorXd load_force(const Model& model, const VectorXd& q, const VectorXd& v) {
  Data data(model);
  std::vector<ExternalWrench> wrenches(state_load_count(model));
  state_load_wrenches<double>(model, data, 0.0, q, v, VectorXd::Zero(model.nv()), VectorXd(), wrenches);
  return external_force<double>(model, data, q, wrenches);
}

// On all links it is -alpha M(q) v, with the matrix of the recursive algorithm, which knows nothing of sections; on a
// floating base too.
TEST(MassDamping, IsTheRateTimesTheMassMatrix) {
  for (const bool floating : {false, true}) {
    Robot robot = test::random_chain(3);
    robot.floating_base = floating;
    for (const auto& link : robot.links) robot.loads.push_back(make_mass_damping(link.name, k_rate));
    const Model model(robot);
    Data data(model);
    test::Random random(5);
    for (int i = 0; i < 3; ++i) {
      const auto state = test::random_state(model, random);
      const VectorXd expected = -k_rate * (mass_matrix<double>(model, data, state.q) * state.v);
      const VectorXd found = load_force(model, state.q, state.v);
      EXPECT_LT((found - expected).norm(), 1e-13 * (1.0 + expected.norm())) << i;
      EXPECT_NEAR(found.dot(state.v), -2 * k_rate * kinetic_energy<double>(model, data, state.q, state.v), 1e-12);
    }
  }
}

TEST(MassDamping, DerivativesAndAccountsAreExactOnAnyRobot) {
  for (const unsigned seed : {1u, 2u}) {
    Robot robot = test::random_chain(seed);
    robot.loads.push_back(make_mass_damping("rod", 2.0));
    robot.loads.push_back(make_mass_damping("ball", 0.5));
    test::expect_exact_motion(robot);
  }
}

// Closed form: a free body loses its velocity by exp(-alpha t), and all of its energy is dissipated, none work of
// loads.
TEST(MassDamping, BrakesAFreeBodyAndDissipatesItsEnergy) {
  Robot robot = test::free_body({0.02, 0.02, 0.02}, {});
  robot.loads.push_back(make_mass_damping("block", k_rate));
  const Model model(robot);
  for (const char* type : {"bdf", "newmark", "rk4"}) {
    Scenario s;
    s.duration = 2.0, s.output_step = 0.5;
    s.integrator.type = type;
    if (s.integrator.type == "bdf") {
      s.integrator.relative_tolerance = 1e-8;
    } else {
      s.integrator.step = 1e-3;
    }
    s.initial["base"] = {{0, 0, 0, 1, 0, 0, 0}, {0.3, -0.2, 0.5, 1.0, 0.4, -0.7}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    const Sample& first = memory.samples().front();
    for (const Sample& sample : memory.samples()) {
      const double left = std::exp(-2 * k_rate * sample.time);
      EXPECT_NEAR(sample.kinetic, left * first.kinetic, 1e-6) << type;
      EXPECT_NEAR(sample.dissipated, (1 - left) * first.kinetic, 1e-6) << type;
      EXPECT_NEAR(sample.load, 0.0, 1e-12) << type;
    }
  }
}

// The damping ratio alpha / (2 omega) of a mode: what is left of a vibration after n periods.
TEST(MassDamping, GivesAVibrationItsDampingRatio) {
  const double k = 30.0, m = 0.5, alpha = 0.6;
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "cart",
                         .joint = make_prismatic_joint<double>({1, 0, 0}),
                         .joint_dynamics = test::dynamics({k}, {}),
                         .body = test::rigid_body(m, {0, 0, 0}, {1e-3, 1e-3, 1e-3}, {0, 0, 0})});
  robot.loads.push_back(make_mass_damping("cart", alpha));
  const Model model(robot);
  Scenario s;
  s.duration = 3.0, s.output_step = 0.5;
  s.integrator.type = "bdf", s.integrator.relative_tolerance = 1e-8;
  s.initial["cart"] = {{0.2}, {0.0}};
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  const double zeta = alpha / (2 * std::sqrt(k / m)), decay = zeta * std::sqrt(k / m);
  const double omega = std::sqrt(k / m - decay * decay);
  for (const Sample& sample : memory.samples()) {
    const double t = sample.time;
    const double x = 0.2 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    EXPECT_NEAR(sample.q[0], x, 1e-6) << t;
  }
}

TEST(MassDamping, HasAGradientByItsRateAndByWhatMakesTheMass) {
  const Model model(read_robot_text(
      "cuttle: 1\nlinks:\n  - {name: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rod, length: 0.3, "
      "strain: pcc, section: {shape: circle, radius: [0.02, 0.01]}, material: {density: 1000, young_modulus: 1e5}}}\n"
      "loads: [{type: mass_damping, link: arm, rate: 0.6}]\n",
      "r.yaml"));
  const std::vector<std::string> paths{"loads[0].rate", "links.arm.body.length", "links.arm.body.section.radius[1]",
                                       "links.arm.body.material.density"};
  test::Random random(2);
  const auto state = test::random_state(model, random);
  const auto force = [&]<typename S>(const ModelT<S>& of) {
    DataT<S> data(of);
    std::vector<ExternalWrenchT<S>> wrenches(state_load_count(of));
    const VectorXT<S> q = state.q.cast<S>(), v = state.v.cast<S>(), zero = VectorXT<S>::Zero(of.nv()), none;
    state_load_wrenches<S>(of, data, 0.0, q, v, zero, none, wrenches);
    return VectorXT<S>(external_force<S>(of, data, q, wrenches));
  };
  const VectorXT<ForwardDual> gradient = force(differentiate(model, paths));
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const double value = model.parameter(paths[k]).value;
    const VectorXd slope =
        test::slope_at_zero([&](double t) { return force(model.with(paths[k], value + t)); }, 1e-3 * value);
    EXPECT_GT(slope.norm(), 0.0) << paths[k];
    for (Eigen::Index i = 0; i < slope.size(); ++i) {
      EXPECT_NEAR(gradient[i].derivative[k], slope[i], 1e-9 * (1.0 + slope.norm())) << paths[k];
    }
  }
}

std::string error_of(Robot robot, const std::string& link, double rate) {
  robot.loads.push_back(make_mass_damping(link, rate));
  try {
    const Model model(robot);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(MassDamping, ErrorsNameTheLoad) {
  Robot robot = test::random_chain(1);
  EXPECT_NE(error_of(robot, "rod", -1.0).find("rate: found -1, expected a number >= 0 [1/s]"), std::string::npos);
  robot.links.push_back({.name = "joint",
                         .body = std::make_shared<ContinuumJoint>(
                             ContinuumJointParameters{0.22, 0.8, 0.06, {12.0, 11.0}, 1.5, {0.4, 0.5}})});
  EXPECT_NE(error_of(robot, "joint", 1.0).find("link: found 'joint', expected a link whose body is a rod or rigid"),
            std::string::npos)
      << error_of(robot, "joint", 1.0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
