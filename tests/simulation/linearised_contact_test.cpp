// The robot as a function of a state that has bristles and states of elements: slopes against differences, against the
// frequencies of a spring in closed form, and against the way back, which shares no formula with them. The energy of
// contacts is an output of all derivatives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/robot_dynamics.h"
#include "cuttle/simulation/rollout_function.h"
#include "cuttle/simulation/sensitivities.h"
#include "simulation/integrator_runs.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::fixed;

constexpr double k_radius = 0.05, k_mass = 0.5, k_slider = 0.01, k_modulus = 1e5, k_gravity = 9.81;
constexpr double k_inertia = 0.4 * k_mass * k_radius * k_radius, k_damping_time = 2e-3;

/// A ball on a plane that moves along x and z and turns about y, pushed along; heavier along than up.
std::string ball_on(const std::string& ground, const std::string& friction) {
  return fmt::format(R"(cuttle: 1
gravity: [0, 0, -{}]
links:
  - {{name: along, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: {}, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - {{name: up, joint: {{type: prismatic, axis: [0, 0, 1]}}, body: {{type: rigid, mass: {}, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}}}}
  - name: ball
    joint: {{type: revolute, axis: [0, 1, 0]}}
    body: {{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}
    contact: {{shape: sphere, radius: {}}}
actuators: [{{name: push, type: joint, link: along}}, {{name: turn, type: joint, link: ball}}]
obstacles: [{{name: ground, {}}}]
contacts: [{{name: floor, a: ball, b: ground, friction: {}, modulus: {}, dissipation: 0.5}}]
)",
                     k_gravity, k_slider, k_slider, k_mass, k_inertia, k_inertia, k_inertia, k_radius, ground, friction,
                     k_modulus);
}
std::string ball(const std::string& friction) {
  return ball_on(fmt::format("shape: plane, pose: {{position: [0, 0, {}]}}", -k_radius), friction);
}

constexpr const char* k_slides = "0.4";
constexpr const char* k_holds = "{kinetic: 0.8, damping_time: 0.002}";

Model model_of(const std::string& text) { return Model(read_robot_text(text, "r.yaml")); }

/// How deep the stiffness of the contact lets the ball in.
double resting_depth() {
  const double k = 4.0 / 3.0 * k_modulus * std::sqrt(k_radius);
  return std::pow((k_mass + k_slider) * k_gravity / k, 2.0 / 3.0);
}

/// Differences of order six, each direction with a step of its own.
MatrixXd differences(const std::function<VectorXd(const VectorXd&)>& f, const VectorXd& x, const VectorXd& steps) {
  MatrixXd slopes(f(x).size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double h = steps[i];
    const auto across = [&](int k) -> VectorXd {
      return f(x + k * h * VectorXd::Unit(x.size(), i)) - f(x - k * h * VectorXd::Unit(x.size(), i));
    };
    slopes.col(i) = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / h;
  }
  return slopes;
}

/// Each row by its own size: positions, rates and bristles differ by orders.
void expect_near_by_rows(const MatrixXd& found, const MatrixXd& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (Eigen::Index i = 0; i < found.rows(); ++i) {
    const double scale = expected.row(i).cwiseAbs().maxCoeff();
    EXPECT_LT((found.row(i) - expected.row(i)).cwiseAbs().maxCoeff(), tolerance * std::max(scale, 1e-3))
        << "row " << i << "\n"
        << found.row(i) << "\n"
        << expected.row(i);
  }
}

/// q, then v, then bristles, which are some tenths of a millimeter long here.
VectorXd steps_of(const Model& model, const RobotDynamics& f) {
  VectorXd steps = VectorXd::Constant(f.state_size(), 1e-5);
  steps.segment(model.nq(), model.nv()).setConstant(1e-4);
  return steps;
}

VectorXd pushed(double force) {
  VectorXd u(2);
  u << force, 0.01;
  return u;
}

/// In the midst of a motion: of a ball that sticks and sways, or of one that is torn away.
VectorXd some_state(const Model& model, double speed, double force) {
  RobotDynamics f(model, fixed("generalized_alpha", 1e-4));
  VectorXd x = f.start();
  x[1] = -resting_depth() - 3e-4, x[3] = speed, x[4] = 0.02;
  for (int k = 0; k < 200; ++k) x = VectorXd(f.step(x, pushed(force)));
  if (speed != 0.0) x.segment(6, 3) *= 1.1;  // what slides is on the cone, where slopes have two sides: beyond it
  return x;
}

TEST(LinearisedContact, RatesHaveSlopesOfDifferencesStickingAndSliding) {
  for (const auto& [friction, speed] : {std::pair(k_holds, 0.0), std::pair(k_slides, 1.5)}) {
    const Model model = model_of(ball(friction));
    RobotDynamics f(model);
    const VectorXd x = some_state(model, speed, 0.8), u = pushed(0.8);
    ASSERT_GT(x.tail(f.state_size() - 6).norm(), 1e-6) << "a bristle that is bent";
    const DynamicsSlopes slopes = f.linearise(0.0, x, u, {"energy.contacts", "tip.velocity"});
    ASSERT_EQ(f.tangent_size(), f.state_size());
    const VectorXd steps = steps_of(model, f);
    expect_near_by_rows(slopes.A, differences([&](const VectorXd& at) { return f.rate(0.0, at, u); }, x, steps), 1e-7);
    expect_near_by_rows(
        slopes.B, differences([&](const VectorXd& at) { return f.rate(0.0, x, at); }, u, VectorXd::Constant(2, 1e-2)),
        1e-7);
    // what it stores goes with the rate of its part in the book: by states it is the bristle's own force
    EXPECT_GT(slopes.C.row(0).tail(f.state_size() - 6).norm(), 0.0);
    EXPECT_EQ(slopes.C.rows(), 4);
    EXPECT_EQ(slopes.D, MatrixXd::Zero(4, 2));
  }
}

// A ball that sticks sways on its bristle: lambda^2 + lambda T k_t / m + k_t / m = 0, where a push at the point that
// touches moves and turns it, and bounces with the stiffness and the dissipation of the normal force.
TEST(LinearisedContact, ABallSwaysAndBouncesAsSpringsInClosedForm) {
  const Model model = model_of(ball(k_holds));
  RobotDynamics f(model);
  VectorXd x = VectorXd::Zero(f.state_size());
  x[1] = -resting_depth();
  const DynamicsSlopes slopes = f.linearise(0.0, x, VectorXd::Zero(2));
  const double k = 4.0 / 3.0 * k_modulus * std::sqrt(k_radius), depth = resting_depth();
  const double stiffness = 1.5 * k * std::sqrt(depth), weight = (k_mass + k_slider) * k_gravity;
  const double bristle = std::max(0.8, 2.2 * 0.8 * 0.8) * stiffness;
  const double along = 1.0 / (k_mass + 2.0 * k_slider) + k_radius * k_radius / k_inertia;
  const auto expect_root = [&](double of_damping, double of_stiffness, const char* which) {
    const std::complex<double> root =
        -0.5 * of_damping + std::sqrt(std::complex<double>(0.25 * of_damping * of_damping - of_stiffness));
    double nearest = 1e30;
    for (const std::complex<double>& eigenvalue : slopes.A.eigenvalues()) {
      nearest = std::min(nearest, std::abs(eigenvalue - root));
    }
    EXPECT_LT(nearest, 1e-6 * std::abs(root)) << which << root;
  };
  expect_root(bristle * k_damping_time * along, bristle * along, "sways ");
  expect_root(0.5 * weight / (k_mass + k_slider), stiffness / (k_mass + k_slider), "bounces ");
}

class StepsWithBristles : public testing::TestWithParam<std::string> {
 protected:
  static double step() { return GetParam() == "rk4" || GetParam() == "tsit5" ? 1e-5 : 5e-4; }
};
INSTANTIATE_TEST_SUITE_P(Methods, StepsWithBristles,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint"),
                         [](const auto& method) { return method.param; });

TEST_P(StepsWithBristles, HaveSlopesOfDifferencesAndOfTheWayBack) {
  for (const auto& [friction, speed] : {std::pair(k_holds, 0.0), std::pair(k_slides, 1.5)}) {
    const Model model = model_of(ball(friction));
    const double h = step();
    RobotDynamics f(model, fixed(GetParam(), h));
    const VectorXd x = some_state(model, speed, 0.8), u = pushed(0.8);
    const DynamicsSlopes slopes = f.linearise_step(x, u);
    const VectorXd steps = steps_of(model, f);
    expect_near_by_rows(slopes.A, differences([&](const VectorXd& at) { return f.step(at, u); }, x, steps), 2e-6);
    expect_near_by_rows(
        slopes.B, differences([&](const VectorXd& at) { return f.step(x, at); }, u, VectorXd::Constant(2, 1e-1)), 2e-6);
    const VectorXd next = f.step(x, u);
    EXPECT_EQ(f.linearise_step(x, u, next, 0.0).A, slopes.A);
  }
}

// In the air a bristle decays, also one that is straight where the slopes are taken.
TEST_P(StepsWithBristles, OfABallInTheAirAreThoseOfDifferences) {
  const Model model = model_of(ball("{static: 0.6, kinetic: 0.4, damping_time: 0.002}"));
  const double h = step();
  RobotDynamics f(model, fixed(GetParam(), h));
  const Eigen::Index states = f.state_size() - 6;
  const VectorXd u = pushed(0.8);
  for (const double bent : {0.0, 1e-5}) {
    VectorXd x = f.start();
    x[1] = 0.1, x[3] = 0.5, x[5] = 2.0;
    x.tail(states).setConstant(bent);
    const DynamicsSlopes slopes = f.linearise_step(x, u);
    const VectorXd steps = steps_of(model, f);
    expect_near_by_rows(slopes.A, differences([&](const VectorXd& at) { return f.step(at, u); }, x, steps), 1e-8);
    for (Eigen::Index i = 6; i < f.state_size(); ++i) {
      // it decays within a millisecond, the coefficient of friction faster; midpoint goes beyond
      EXPECT_LT(std::abs(slopes.A(i, i)), 1.0 - 0.5 * h / 1e-3) << i << ", " << bent;
    }
    const DynamicsSlopes rates = RobotDynamics(model).linearise(0.0, x, u);
    for (Eigen::Index i = 6; i < 9; ++i) EXPECT_NEAR(rates.A(i, i), -1e3, 1e-6);
  }
}

// A robot with quaternions, and an element with a state and an input: a floating ball with a wheel inside, whose motor
// lags.
TEST_P(StepsWithBristles, OfAFloatingBallWithAMotorThatLagsAreThoseOfDifferences) {
  const Model model = model_of(R"(cuttle: 1
base: {motion: floating, pose: {position: [0, 0, 0.0495]}}
links:
  - name: ball
    body: {type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4, 0, 0, 0]}
    contact: {shape: sphere, radius: 0.05}
  - name: wheel
    parent: ball
    joint: {type: revolute, axis: [0, 1, 0], damping: 1e-4}
    body: {type: rigid, mass: 0.05, inertia: [2e-5, 2e-5, 2e-5, 0, 0, 0]}
actuators: [{name: motor, type: linear, links: [wheel], matrix: [[1]], lag: 0.02}]
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: ball, b: ground, friction: 0.4, modulus: 1e5, dissipation: 0.5}]
)");
  RobotDynamics f(model, fixed(GetParam(), step()));
  const Eigen::Index nq = model.nq(), nv = model.nv(), states = f.state_size() - nq - nv;
  ASSERT_EQ(nq, nv + 1);
  ASSERT_GT(states, 1);  // that of the lag stands before the bristles
  VectorXd x = f.start();
  x.segment(nq, 5) << 1.0, -2.0, 3.0, 0.3, -0.2;
  x[nq + nv - 1] = 5.0;
  x.tail(states).setConstant(2e-5);
  x[nq + nv] = 0.01;
  const VectorXd u = VectorXd::Constant(f.input_size(), 0.03);
  const VectorXd after = f.step(x, u);
  const auto moved = [&](const VectorXd& change) {
    VectorXd at = x, q(nq), end(f.tangent_size());
    integrate<double>(model, x.head(nq), change.head(nv), q);
    at.head(nq) = q, at.tail(at.size() - nq) += change.tail(change.size() - nv);
    const VectorXd next = f.step(at, u);
    difference<double>(model, after.head(nq), next.head(nq), end.head(nv));
    end.tail(end.size() - nv) = next.tail(next.size() - nq);
    return end;
  };
  VectorXd steps = VectorXd::Constant(f.tangent_size(), 1e-5);
  steps.segment(nv, nv).setConstant(1e-4);
  const DynamicsSlopes slopes = f.linearise_step(x, u);
  expect_near_by_rows(slopes.A, differences(moved, VectorXd::Zero(f.tangent_size()), steps), 5e-6);
  const auto driven = [&](const VectorXd& input) {
    const VectorXd next = f.step(x, input);
    VectorXd end(f.tangent_size());
    difference<double>(model, after.head(nq), next.head(nq), end.head(nv));
    end.tail(end.size() - nv) = next.tail(next.size() - nq);
    return end;
  };
  expect_near_by_rows(slopes.B, differences(driven, u, VectorXd::Constant(f.input_size(), 1e-2)), 5e-6);
  EXPECT_GT(slopes.B.row(2 * nv).norm(), 0.0);  // the input reaches the lag
}

/// Thrown, pressed, and sliding or held.
Scenario thrown(double speed, const IntegratorOptions& integrator) {
  Scenario scenario{.duration = 0.02, .output_step = 0.02, .integrator = integrator};
  scenario.initial["along"] = {{0.0}, {speed}};
  scenario.initial["up"] = {{1e-4}, {-0.3}};
  scenario.initial["ball"] = {{0.2}, {3.0}};
  scenario.inputs["push"] = Signal::points({0.0, 0.02}, {0.3, 0.6});
  return scenario;
}

double stored(const std::string& robot, const Scenario& scenario, double time) {
  const Model model = model_of(robot);
  Scenario until = scenario;
  until.output_step = time;
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, until).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  for (const Sample& sample : memory.samples()) {
    if (std::abs(sample.time - time) < 1e-9) return sample.contact;
  }
  ADD_FAILURE() << time;
  return 0.0;
}

const std::vector<std::string> k_by{"simulation.initial.up.v[0]",      "simulation.initial.along.v[0]",
                                    "simulation.inputs.push.value[1]", "contacts.floor.modulus",
                                    "links.ball.contact.radius",       "links.ball.body.mass"};

// What a results file has as energy/contacts: its value, and differences of runs by the start. These are by bdf, which
// finds where the touch begins: fixed steps do not see when within one it does.
TEST_P(StepsWithBristles, TheEnergyOfContactsHasDerivativesOfDifferences) {
  for (const double speed : {0.0, 1.0}) {
    const Scenario scenario = thrown(speed, fixed(GetParam(), step()));
    const Model model = model_of(ball(k_slides));
    const Sensitivities found = sensitivities(model, scenario, {"energy.contacts"}, k_by, {0.01});
    const double value = stored(ball(k_slides), scenario, 0.01);
    ASSERT_GT(value, 1e-3);
    EXPECT_NEAR(found.values[0][0], value, 1e-8 * value);
    EXPECT_EQ(found.outputs[0].unit, "J");
    const auto at = [&](double change) {
      Scenario moved = thrown(speed, test::adaptive("bdf", 1e-9));
      moved.initial["up"].v[0] += change;
      return stored(ball(k_slides), moved, 0.01);
    };
    const auto across = [&](double h) { return at(h) - at(-h); };
    constexpr double k_step = 2e-4;
    const double expected = (0.75 * across(k_step) - 0.15 * across(2 * k_step) + across(3 * k_step) / 60.0) / k_step;
    // tsit5 hops about the cone; midpoint takes forces in the middle of steps, and has states beyond
    const double tolerance = GetParam() == "tsit5" ? 3e-3 : (GetParam() == "midpoint" ? 5e-3 : 1e-3);
    EXPECT_NEAR(found.derivatives[0](0, 0), expected, tolerance * std::abs(expected)) << speed;
  }
}

TEST_P(StepsWithBristles, TheEnergyOfContactsGoesBackAsForward) {
  for (const double speed : {0.0, 0.4}) {
    const Scenario scenario = thrown(speed, fixed(GetParam(), step()));
    const Model model = model_of(ball("{static: 0.6, kinetic: 0.4}"));
    const std::vector<double> times{0.006, 0.01};
    const Sensitivities forward = sensitivities(model, scenario, {"energy.contacts", "q"}, k_by, times);
    RolloutFunction run(model, scenario, {"energy.contacts", "q"}, times, k_by);
    VectorXd numbers(static_cast<Eigen::Index>(k_by.size()));
    for (Eigen::Index i = 0; i < numbers.size(); ++i) numbers[i] = run.parameters()[static_cast<std::size_t>(i)].value;
    const MatrixXd values = run.run(numbers);
    for (int t = 0; t < 2; ++t) {
      const VectorXd& expected_value = forward.values[static_cast<std::size_t>(t)];
      EXPECT_NEAR(values(t, 0), expected_value[0], 1e-8 * expected_value[0]);
      MatrixXd worth = MatrixXd::Zero(2, values.cols());
      worth(t, 0) = 1.0;
      const VectorXd back = run.back(worth);
      const VectorXd expected = forward.derivatives[static_cast<std::size_t>(t)].row(0).transpose();
      for (Eigen::Index k = 0; k < back.size(); ++k) {
        EXPECT_NEAR(back[k], expected[k], 1e-7 * std::abs(expected[k]) + 1e-15)
            << k_by[static_cast<std::size_t>(k)] << speed;
      }
    }
  }
}

// Without friction the energy of contacts goes back with bdf and erk too, and beside an obstacle that moves.
TEST(EnergyOfContacts, GoesBackWithStepsThatAreChosen) {
  for (const char* type : {"bdf", "erk"}) {
    Scenario scenario = thrown(0.3, test::adaptive(type, 1e-9));
    scenario.output_step = 0.01;
    const Model model = model_of(ball_on(
        "shape: plane, motion: {position: [0, 0, {type: sine, amplitude: 1e-3, frequency: 20, offset: -0.05}]}", "0"));
    const std::vector<std::string> by{"simulation.initial.up.v[0]", "contacts.floor.modulus", "links.ball.body.mass"};
    const Sensitivities forward = sensitivities(model, scenario, {"energy.contacts"}, by, {0.01});
    RolloutFunction run(model, scenario, {"energy.contacts"}, {0.01}, by);
    VectorXd numbers(3);
    for (Eigen::Index i = 0; i < 3; ++i) numbers[i] = run.parameters()[static_cast<std::size_t>(i)].value;
    EXPECT_NEAR(run.run(numbers)(0, 0), forward.values[0][0], 1e-6 * forward.values[0][0]);
    const VectorXd back = run.back(MatrixXd::Ones(1, 1));
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double expected = forward.derivatives[0](0, k);
      EXPECT_NEAR(back[k], expected, 1e-4 * std::abs(expected)) << type << ", " << k;
    }
  }
}

TEST(EnergyOfContacts, OfARobotThatTouchesNothingIsZero) {
  const Model model = model_of(
      "cuttle: 1\nlinks: [{name: a, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: "
      "rigid, mass: 1, com: [0, 0, 1], inertia: [1, 1, 1, 0, 0, 0]}}]\n");
  const Scenario scenario{.duration = 0.1, .output_step = 0.1, .integrator = fixed("rk4", 1e-2)};
  const Sensitivities found = sensitivities(model, scenario, {"energy.contacts"}, {"links.a.body.mass"}, {0.1});
  EXPECT_EQ(found.values[0][0], 0.0);
  EXPECT_EQ(found.derivatives[0](0, 0), 0.0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
