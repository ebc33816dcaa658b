// Springs of rest length 0, whose ends may meet: beside closed forms there, and elsewhere beside springs of a length
// that is nearly 0, which are measured by their length and not by half its square.
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/modes.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/simulator.h"
#include "elements/element_checks.h"
#include "simulation/simulation_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A mass that can go anywhere, tied to a point `from` of the world.
std::string tied_mass(const std::string& from, const std::string& gravity, const std::string& rest = "0",
                      const std::string& damping = "0") {
  return "cuttle: 1\ngravity: " + gravity + R"(
links:
  - {name: x, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 0, inertia: [0, 0, 0, 0, 0, 0]}}
  - {name: y, joint: {type: prismatic, axis: [0, 1, 0]}, body: {type: rigid, mass: 0, inertia: [0, 0, 0, 0, 0, 0]}}
  - {name: mass, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 0.5, inertia: [0, 0, 0, 0, 0, 0]}}
elements:
  - {name: tie, type: spring, a: {link: base, pose: {position: )" +
         from + "}}, b: {link: mass}, stiffness: 32, rest_length: " + rest + ", damping: " + damping + "}\n";
}

TEST(SpringWithoutLength, HoldsItsEndsTogetherEveryWay) {
  for (const char* from : {"[0, 0, 0]", "[0.3, -0.2, 0.1]"}) {  // the ends meet at q = 0, or at rest alone
    const Model model(read_robot_text(tied_mass(from, "[0, 0, 0]"), "tied.yaml"));
    Data data(model);
    const StaticEquilibrium at = static_equilibrium(model, data, {}, model.neutral());
    const std::vector<Mode> found = modes(linearized_motion(model, data, {}, at));
    ASSERT_EQ(found.size(), 3U);
    for (const Mode& mode : found) EXPECT_NEAR(std::abs(mode.eigenvalue), 8.0, 1e-10) << from;  // sqrt(32 / 0.5)
    EXPECT_EQ(stability_of(linearized_motion(model, data, {}, at)).stability, Stability::stable);
  }
}

TEST(SpringWithoutLength, HangsByItsStiffness) {
  const Model model(read_robot_text(tied_mass("[0, 0, 0]", "[1, 0, -9.81]"), "tied.yaml"));
  Data data(model);
  const StaticEquilibrium at = static_equilibrium(model, data, {}, model.neutral());  // from where its ends meet
  const Vector3 expected = (0.5 / 32) * Vector3{1, 0, -9.81};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(at.q[i], expected[i], 1e-12);
}

TEST(SpringWithoutLength, SwingsThroughTheMeetingOfItsEnds) {
  const Model model(read_robot_text(tied_mass("[0, 0, 0]", "[0, 0, 0]", "0", "0.8"), "tied.yaml"));
  const double decay = 0.8 / (2 * 0.5), omega = std::sqrt(64 - decay * decay);
  for (const char* type :
       {"bdf", "erk", "tsit5", "rk4", "newmark", "generalized_alpha", "midpoint", "energy_conserving"}) {
    Scenario s;
    s.duration = 1.0, s.output_step = 0.05;
    s.integrator.type = type;
    if (s.integrator.type != "bdf" && s.integrator.type != "erk") s.integrator.step = 2e-4;
    s.initial["x"] = {{0.03}, {0.0}}, s.initial["mass"] = {{-0.04}, {0.0}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    for (const Sample& sample : memory.samples()) {
      const double t = sample.time;
      const double part = std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
      EXPECT_NEAR(sample.q[0], 0.03 * part, 2e-6) << type << " at " << t;
      EXPECT_NEAR(sample.q[2], -0.04 * part, 2e-6) << type << " at " << t;
      EXPECT_NEAR(sample.elements, 16.0 * sample.q.squaredNorm(), 1e-12);
    }
    EXPECT_LT(outcome.energy_error, 1e-5) << type;
  }
}

/// Springs between parts of a random robot, of the same rest length.
Robot chain_with(double rest_length, unsigned seed) {
  Robot robot = random_chain(seed);
  const PortLocation base = PortLocation::base();
  const Place ground{"base", base, {Matrix3::identity(), {0.2, 0.1, 0.0}}}, slide{"slide", base, {}},
      middle{"rod", PortLocation::section(0.15), {Matrix3::identity(), {0.02, 0, 0}}},
      ball{"ball", PortLocation::tip(), {Matrix3::identity(), {0.03, 0, 0}}};
  robot.elements.push_back(
      make_spring<double>("far", ground, ball, {.stiffness = 8.0, .damping = 0.2, .rest_length = rest_length}));
  robot.elements.push_back(
      make_spring<double>("near", slide, middle, {.stiffness = 20.0, .damping = 0.1, .rest_length = rest_length}));
  return robot;
}

TEST(SpringWithoutLength, MovesRandomRobotsByItsEnergy) {
  for (unsigned seed = 0; seed < 3; ++seed) expect_exact_motion(chain_with(0.0, seed));
}

TEST(SpringWithoutLength, IsOneOfALengthThatIsNearlyZero) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Robot robots[] = {chain_with(0.0, seed), chain_with(1e-15, seed)};
    const Model none(robots[0]), tiny(robots[1]);
    RobotSystem of_none(none, {}), of_tiny(tiny, {});
    Random random(seed);
    const RandomState state = random_state(none, random);
    const AuxiliaryStates auxiliary{start_of_auxiliary(none), 0.01, 0.02};
    const auto slopes = [&](RobotSystem& system) {
      const DerivativeData& d = system.residual_derivatives(0.0, state.q, state.v, state.a, auxiliary, VectorXd());
      MatrixXd both(d.by_q.rows(), 2 * d.by_q.cols());
      both << d.by_q, d.by_v;
      return both;
    };
    const MatrixXd expected = slopes(of_tiny);
    EXPECT_LT((slopes(of_none) - expected).norm(), 1e-12 * expected.norm());
    const auto outputs = [&](const Model& model) {
      Data data(model);
      ElementData elements(model);
      element_motion<double>(model, data, state.q, state.v, elements);
      element_efforts<double>(model, 0.0, VectorXd(VectorXd::Zero(model.nu())), elements);
      element_outputs<double>(model, 0.0, VectorXd(VectorXd::Zero(model.nu())), elements);
      return VectorXd(elements.outputs);
    };
    const VectorXd wanted = outputs(tiny), found = outputs(none);
    ASSERT_EQ(found.size(), 4);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12 * (1 + std::abs(wanted[i]))) << i;
  }
}

TEST(SpringWithoutLength, HasGradientsByItsNumbers) {
  const std::string tie =
      "  - {name: tie, type: spring, a: {link: motor, pose: {position: [0.1, 0.2, 0.3]}}, b: {link: arm, pose: "
      "{position: [0.4, -0.1, 0.2]}}, stiffness: 3, damping: 0.2, rest_length: 0}\n";
  expect_parameter_gradients(tie, {"elements.tie.stiffness", "elements.tie.damping", "elements.tie.a.pose.position[0]",
                                   "elements.tie.b.pose.position[1]"});
}

// By the rest length there are differences to one side alone.
TEST(SpringWithoutLength, HasTheGradientByItsRestLength) {
  const Robot robots[] = {chain_with(0.0, 7), chain_with(1e-15, 7)};
  std::vector<VectorXT<ForwardDual>> forces;
  for (const Robot& robot : robots) {
    const Model model(read_robot_text(write_robot(robot).yaml, "r.yaml"));
    const ModelT<ForwardDual> variable =
        differentiate(model, {"elements.far.rest_length", "elements.near.rest_length"});
    Random random(3);
    const RandomState state = random_state(model, random);
    DataT<ForwardDual> data(variable);
    ElementDataT<ForwardDual> motion(variable);
    element_motion<ForwardDual>(variable, data, state.q.cast<ForwardDual>().eval(), state.v.cast<ForwardDual>().eval(),
                                motion);
    element_efforts<ForwardDual>(variable, 0.0, VectorXT<ForwardDual>::Zero(variable.nu()).eval(), motion);
    forces.emplace_back(motion.matrix * motion.efforts);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    double size = 0.0;
    for (Eigen::Index i = 0; i < forces[0].size(); ++i) {
      EXPECT_NEAR(forces[0][i].derivative[k], forces[1][i].derivative[k], 1e-12) << i;
      size = std::max(size, std::abs(forces[0][i].derivative[k]));
    }
    EXPECT_GT(size, 1.0);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
