// The robot as a function: steps against runs, slopes against differences and against the way back, which shares no
// formula with them.
#include "cuttle/simulation/robot_dynamics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/rollout_function.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::fixed;
using testing::HasSubstr;
using testing::ThrowsMessage;

Model model_of(const std::string& name) {
  return Model(load_robot_file(test::k_source_dir + "/models/" + name + ".yaml").robot);
}

VectorXd some_inputs(const RobotDynamics& f) {
  VectorXd u(f.input_size());
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = 0.7 + 0.2 * std::cos(static_cast<double>(i));
  return u;
}

/// In the midst of a motion, where implicit steps are not taken in halves, which would be jumps.
VectorXd some_state(const Model& model) {
  RobotDynamics f(model, fixed("generalized_alpha", 1e-3));
  const VectorXd u = some_inputs(f);
  VectorXd x = f.start();
  for (Eigen::Index i = 0; i < model.nq(); ++i) x[i] += 0.01 * std::sin(1.3 * static_cast<double>(i) + 0.5);
  for (int k = 0; k < 100; ++k) x = VectorXd(f.step(x, u));
  return x;
}

/// Differences of order six.
MatrixXd differences(const std::function<VectorXd(const VectorXd&)>& f, const VectorXd& x, double h) {
  MatrixXd slopes(f(x).size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto across = [&](int k) -> VectorXd {
      return f(x + k * h * VectorXd::Unit(x.size(), i)) - f(x - k * h * VectorXd::Unit(x.size(), i));
    };
    slopes.col(i) = (0.75 * across(1) - 0.15 * across(2) + across(3) / 60.0) / h;
  }
  return slopes;
}

void expect_near(const MatrixXd& found, const MatrixXd& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  const double scale = expected.cwiseAbs().maxCoeff();
  ASSERT_GT(scale, 0.0);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance * scale);
}

class RobotDynamicsOf : public testing::TestWithParam<std::string> {
 protected:
  static bool is_explicit() { return GetParam() == "rk4" || GetParam() == "tsit5"; }
};
INSTANTIATE_TEST_SUITE_P(Methods, RobotDynamicsOf,
                         testing::Values("rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint",
                                         "energy_conserving"),
                         [](const auto& method) { return method.param; });

TEST_P(RobotDynamicsOf, StepsAsAnIntegratorThatBeginsThere) {
  const Model model = model_of("examples/tendon_arm");
  const double h = is_explicit() ? 1e-5 : 5e-3;
  RobotDynamics f(model, fixed(GetParam(), h));
  const VectorXd x = some_state(model), u = some_inputs(f);
  State start = test::start_of(model);
  start.q = x.head(model.nq()), start.v = x.tail(model.nv());
  std::vector<Signal> inputs(u.begin(), u.end());
  const State end = test::run(model, fixed(GetParam(), h), start, h, inputs);
  VectorXd expected(x.size());
  expected << end.q, end.v;
  const VectorXd after = f.step(x, u);
  EXPECT_EQ(after, expected);
  f.step(after, u, h);
  EXPECT_EQ(f.step(x, u), after) << "a step must not depend on those before";
}

// Steps have slopes of tangents; the way back along a run of one step has those of transposed tangents.
TEST_P(RobotDynamicsOf, HasSlopesOfDifferencesAndOfTheWayBack) {
  const Model model = model_of("examples/tendon_arm");
  const double h = is_explicit() ? 1e-5 : 5e-3;
  RobotDynamics f(model, fixed(GetParam(), h));
  VectorXd x = some_state(model);
  // a robot that hardly moves has no energy to be given or taken without a bend
  if (GetParam() == "energy_conserving") x.tail(model.nv()).array() += 0.3;
  const VectorXd u = some_inputs(f);
  const DynamicsSlopes slopes = f.linearise_step(x, u);
  expect_near(slopes.A, differences([&](const VectorXd& at) { return f.step(at, u); }, x, 1e-3), 1e-7);
  expect_near(slopes.B, differences([&](const VectorXd& at) { return f.step(x, at); }, u, 2e-2), 1e-7);
  const VectorXd next = f.step(x, u);
  expect_near(f.linearise_step(x, u, next, 0.0).A, slopes.A, 1e-9);

  Scenario scenario;
  scenario.duration = scenario.output_step = h;
  scenario.integrator = fixed(GetParam(), h);
  for (int i = 0; i < model.nu(); ++i) {
    scenario.inputs[model.input_info()[static_cast<std::size_t>(i)].name] = u[i];
  }
  std::vector<std::string> by{"q", "v"};
  for (const CoordinateInfo& info : model.input_info()) by.push_back("inputs." + info.name);
  RolloutFunction run(model, scenario, {"q", "v"}, {h}, by);
  VectorXd numbers(x.size() + u.size());
  numbers << x, u;
  // runs that go back end Newton's method later than others do, whose rest is below 1e-8 of a step
  expect_near(run.run(numbers), next.transpose(), 1e-8);
  MatrixXd rows(x.size(), numbers.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    rows.row(i) = run.back(VectorXd::Unit(x.size(), i).transpose()).transpose();
  }
  expect_near(slopes.A, rows.leftCols(x.size()), 1e-7);
  expect_near(slopes.B, rows.rightCols(u.size()), 1e-7);
}

TEST(RobotDynamics, RatesHaveSlopesOfDifferencesAndOutputsTheirs) {
  const Model model = model_of("examples/tendon_arm");
  RobotDynamics f(model);
  const VectorXd x = some_state(model), u = some_inputs(f);
  const DynamicsSlopes slopes = f.linearise(0.0, x, u, {"tip.velocity", "u"});
  expect_near(slopes.A, differences([&](const VectorXd& at) { return f.rate(0.0, at, u); }, x, 1e-3), 1e-8);
  expect_near(slopes.B, differences([&](const VectorXd& at) { return f.rate(0.0, x, at); }, u, 2e-2), 1e-9);
  EXPECT_EQ(slopes.C.rows(), 3 + model.nu());
  EXPECT_EQ(slopes.D.bottomRows(model.nu()), MatrixXd::Identity(model.nu(), model.nu()));
}

// Small changes of quaternions are in axes that turn: along a motion the slopes are those of steps of no length.
TEST(RobotDynamics, SlopesOfQuaternionsAreThoseOfShortSteps) {
  int checked = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    test::RandomRobotOptions options;
    options.rods = false, options.floating = seed % 2 == 0, options.max_links = 4;
    const Model model(test::to_robot(test::random_robot(seed, options)));
    if (model.nq() == model.nv()) continue;
    RobotDynamics rates(model);
    test::Random random(seed);
    VectorXd x = rates.start(), dq(model.nv()), q(model.nq());
    for (double& number : dq) number = random.uniform(-0.5, 0.5);
    integrate<double>(model, model.neutral(), dq, q);
    x.head(model.nq()) = q;
    for (double& number : x.tail(model.nv())) number = random.uniform(-1.0, 1.0);
    const VectorXd u = some_inputs(rates);
    const auto slope_of_steps = [&](double h) -> MatrixXd {
      const MatrixXd A = RobotDynamics(model, fixed("midpoint", h)).linearise_step(x, u).A;
      return (A - MatrixXd::Identity(A.rows(), A.cols())) / h;
    };
    const MatrixXd found = rates.linearise(0.0, x, u).A;
    const double h = 0.04 / found.norm();
    const MatrixXd whole = slope_of_steps(h), half = slope_of_steps(h / 2), quarter = slope_of_steps(h / 4);
    const MatrixXd expected = (8.0 * quarter - 6.0 * half + whole) / 3.0;  // errors of the first two orders are gone
    EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm()) << "seed " << seed;
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(RobotDynamics, OfALoopIsASecondTimeWhatItWasTheFirst) {
  const Model model = model_of("boyer2023/parallel_robot");
  RobotDynamics f(model, fixed("generalized_alpha", 5e-3));
  const VectorXd u = some_inputs(f), after = f.step(f.start(), u);
  f.step(after, u);
  EXPECT_EQ(f.step(f.start(), u), after);
  EXPECT_THAT([&] { f.rate(0.0, f.start(), u); }, ThrowsMessage<ArgumentError>(HasSubstr("closed loops")));
}

TEST(RobotDynamics, SaysWhatItWasGivenAndWantsInstead) {
  const Model model = model_of("examples/pendulum");
  RobotDynamics f(model, fixed("rk4", 1e-3));
  const VectorXd x = VectorXd::Zero(2), u = VectorXd::Zero(1);
  EXPECT_THAT([&] { f.step(VectorXd::Zero(3), u); },
              ThrowsMessage<ArgumentError>(HasSubstr("x: found size 3, expected 2")));
  EXPECT_THAT([&] { f.step(x, VectorXd::Constant(1, NAN)); },
              ThrowsMessage<ArgumentError>(HasSubstr("u[0]: found nan, expected a finite number")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
