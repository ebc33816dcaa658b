// Parameters from simulated motions: the runs that data come from share nothing with the identification but the methods
// of integration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "cuttle/error.h"
#include "cuttle/identification/identification.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"
#include "identification/simulated_recording.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::freed;
using test::identify_one;
using test::record;
using test::release;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A soft arm that is held out to the side and let go.
const char* const k_rod = R"(cuttle: 1
name: rod
base: {pose: {rpy: [0, 1.5707963267948966, 0]}}
materials: {rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.5, damping_time: 0.03}}
links:
- {name: rod, body: {type: rod, length: 0.3, material: rubber, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}}}}
markers: [{name: middle, link: rod, at: {s: 0.16}, offset: [0, 0.01, 0]}]
)";

// One that hangs and is bent by a tendon that a winch winds in and out, and by one that pulls.
const char* const k_tendon_arm = R"(cuttle: 1
name: arm
base: {motion: fixed, pose: {rpy: [3.14159265358979, 0, 0]}}
materials: {silicone: {density: 1200, young_modulus: 2.0e5, poisson_ratio: 0.5, damping_time: 0.05}}
links:
- {name: rod, body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}}
actuators:
- {name: cable, type: tendon, routing: [{link: rod, offset: [0.008, 0.001]}]}
- {name: servo, type: tendon, drive: length, stiffness: 200, pretension: 2, routing: [{link: rod, offset: [-0.002, 0.008]}]}
markers:
- {name: dot, link: rod, at: {s: 0.12}, offset: [0.0, 0.012, 0]}
)";

const char* const k_pendulum = R"(cuttle: 1
name: pendulum
links:
- {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 3, damping: 0.1}, body: {type: rigid, mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001, 0, 0, 0], tip: {position: [0, 0, -0.5]}}}
actuators: [{name: motor, type: joint, link: arm}]
)";

Model read(const char* text) { return Model(read_robot_text(text, "robot.yaml")); }

Scenario moving_tendons(const std::string& integrator, double step) {
  Scenario scenario = release(0.6, integrator, step);
  scenario.inputs["cable"] = Signal::sine(0.6, 1.5, 0.3, 0.8);
  scenario.inputs["servo"] = Signal::minimum_jerk(0.05, 0.4, 0.0, 0.004);
  return scenario;
}

const std::vector<std::string> k_rod_columns{"middle.x", "middle.y", "middle.z", "rod.tip.x", "rod.tip.y", "rod.tip.z"};
const std::vector<std::string> k_arm_columns{"dot.x", "dot.y", "dot.z", "rod.tip.x", "rod.tip.y", "rod.tip.z"};

/// Columns of an experiment's Jacobian against fourth-order differences of its predictions.
void expect_slopes(const Model& model, Experiment& experiment, const std::vector<FreeParameter>& parameters,
                   const VectorXd& values, double tolerance) {
  std::string trouble;
  VectorXd at, other;
  MatrixXd jacobian;
  ASSERT_TRUE(experiment.predict(FreedRobot(model, parameters, values, true), {}, at, &jacobian, trouble)) << trouble;
  const auto predicted = [&](Eigen::Index k, double by) {
    VectorXd moved = values;
    moved[k] += by;
    EXPECT_TRUE(experiment.predict(FreedRobot(model, parameters, moved, false), {}, other, nullptr, trouble))
        << trouble;
    return other;
  };
  ASSERT_TRUE(experiment.predict(FreedRobot(model, parameters, values, false), {}, other, nullptr, trouble));
  EXPECT_LT((at - other).cwiseAbs().maxCoeff(), 1e-9);
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const double step = 2e-3 * std::max(std::abs(values[k]), 2e-2);
    const VectorXd near = (predicted(k, step) - predicted(k, -step)) / (2.0 * step);
    const VectorXd far = (predicted(k, 2.0 * step) - predicted(k, -2.0 * step)) / (4.0 * step);
    const VectorXd expected = (4.0 * near - far) / 3.0;
    const std::string& name = parameters[static_cast<std::size_t>(k)].name;
    EXPECT_GT(expected.norm(), 0.0) << name;
    EXPECT_LT((jacobian.col(k) - expected).norm(), tolerance * expected.norm()) << name;
  }
}

TEST(MotionIdentification, JacobianIsExact) {
  const Model model = read(k_tendon_arm);
  Scenario scenario = moving_tendons("rk4", 1e-3);
  scenario.duration = 0.3;
  scenario.initial["rod"].q.assign(static_cast<std::size_t>(model.nq()), 0.0);
  scenario.initial["rod"].q[0] = 0.5;
  std::vector<std::string> columns = k_arm_columns;
  columns.push_back("servo.tension");
  MeasuredTable table = record(model, scenario, columns);
  table.numbers.back().name = "elements.servo.tension";
  const auto experiment = make_motion_experiment(model, scenario, table, {});
  const auto parameters =
      freed(model, {experiment.get()},
            {"materials.silicone.young_modulus", "materials.silicone.damping_time", "materials.silicone.density",
             "markers[0].offset[1]", "base.pose.rpy[1]", "links.rod.body.section.radius",
             "actuators.cable.routing[0].offset[0]", "actuators.servo.stiffness", "simulation.initial.rod.q[0]",
             "simulation.inputs.cable.amplitude", "simulation.inputs.servo.to", "dot.x.scale", "dot.x.bias",
             "elements.servo.tension.scale"});
  ASSERT_GT(parameters.size(), 8U);  // more than one run
  VectorXd values(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) values[static_cast<Eigen::Index>(i)] = parameters[i].start;
  EXPECT_EQ(values[8], 0.5);
  EXPECT_EQ(values[9], 0.6);
  EXPECT_EQ(values[10], 0.004);
  expect_slopes(model, *experiment, parameters, values, 1e-6);
}

// The base follows signals, the arm on it swings: its numbers come from how it does.
TEST(MotionIdentification, FindsAnArmWhoseBaseIsDriven) {
  std::string text(k_rod);
  text.replace(text.find("{pose: {rpy"), 1, "{motion: floating, ");
  const Model truth = read(text.c_str());
  Scenario scenario = release(0.4, "rk4", 1e-3);
  scenario.motion.base.position = {{Signal::sine(0.03, 2.0, 0.0, 0.0), 0.0, 0.0}};
  const auto experiment = make_motion_experiment(truth, scenario, record(truth, scenario, k_rod_columns), {});
  const Model model = truth.with("materials.rubber.young_modulus", 1.2e6);
  const auto parameters =
      freed(model, {experiment.get()}, {"materials.rubber.young_modulus", "materials.rubber.damping_time"});
  VectorXd values(2);
  values << 1.2e6, 0.03;
  expect_slopes(model, *experiment, parameters, values, 1e-6);
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  EXPECT_NEAR(found.values[0], 1e6, 10.0);
  EXPECT_NEAR(found.values[1], 0.03, 1e-6);
}

// Times of the run move with the shift, so the method's steps do too: its own error (1e-9) is in the differences.
TEST(MotionIdentification, TheShiftOfTimeHasTheRatesOfWhatIsMeasured) {
  const Model model = read(k_tendon_arm);
  Scenario scenario = moving_tendons("rk4", 2e-4);
  scenario.duration = 0.3;
  std::vector<std::string> columns = k_arm_columns;
  columns.push_back("servo.tension");
  MeasuredTable table = record(model, scenario, columns);
  table.numbers.back().name = "elements.servo.tension";
  for (NumberColumn& column : table.numbers) column.values.erase(column.values.begin(), column.values.begin() + 3);
  table.row_count -= 3;
  const auto experiment = make_motion_experiment(model, scenario, table, {});
  const auto parameters = freed(model, {experiment.get()}, {"time.shift=-0.05:0.05", "rod.tip.x.scale"});
  VectorXd values(2);
  values << 0.004, 1.1;
  expect_slopes(model, *experiment, parameters, values, 1e-5);
}

TEST(MotionIdentification, RecordedInputsDriveTheModel) {
  const Model model = read(k_tendon_arm);
  const Scenario scenario = moving_tendons("rk4", 1e-3);
  MeasuredTable table = record(model, scenario, k_arm_columns);
  NumberColumn force{"force_mN", "", {}};
  for (const double time : table.numbers[0].values) force.values.push_back(1e3 * scenario.inputs.at("cable").at(time));
  table.numbers.push_back(force);
  Scenario other = scenario;
  other.inputs["cable"] = Signal(0.0);
  MotionExperimentOptions reading;
  reading.map = {{"force_mN", "cable", 1e-3}};
  const auto experiment = make_motion_experiment(model, other, table, reading);
  const auto parameters =
      freed(model, {experiment.get()}, {"force_mN.scale", "force_mN.bias", "materials.silicone.young_modulus"});
  VectorXd values(3);
  values << 1.05, 0.02, 2.1e5;
  expect_slopes(model, *experiment, parameters, values, 1e-6);
  // a spline through 30 samples of the sine is as good as 1e-4 of it
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  EXPECT_NEAR(found.values[0], 1.0, 2e-3);
  EXPECT_NEAR(found.values[1], 0.0, 2e-3);
  EXPECT_NEAR(found.values[2], 2e5, 400.0);
  EXPECT_THAT([&] { experiment->constant("simulation.inputs.cable"); },
              ThrowsMessage<ArgumentError>(HasSubstr("column 'force_mN' of recording.csv drives")));
}

TEST(MotionIdentification, FindsWhatWasSimulatedWithEveryKindOfMethod) {
  const Model truth = read(k_rod);
  for (const auto& [type, step, tolerance] :
       {std::tuple{"generalized_alpha", 0.01, 1e-6}, {"bdf", 0.0, 1e-3}, {"generalized_alpha", 0.0, 1e-3}}) {
    const Scenario scenario = release(0.6, type, step);
    const auto experiment = make_motion_experiment(truth, scenario, record(truth, scenario, k_rod_columns), {});
    const Identification found =
        identify_one(truth.with({{"materials.rubber.young_modulus", 1.6e6}, {"materials.rubber.damping_time", 0.01}}),
                     *experiment, {"materials.rubber.young_modulus=1e5:1e7:log", "materials.rubber.damping_time"});
    EXPECT_NEAR(found.values[0], 1e6, tolerance * 1e6) << type;
    EXPECT_NEAR(found.values[1], 0.03, tolerance * 0.03) << type;
    EXPECT_EQ(found.status, LeastSquaresStatus::converged) << type;
  }
}

/// How many intervals hold over ten seeds of noise.
int held_intervals(const Model& truth, const Model& begin, const Scenario& scenario,
                   const std::vector<std::string>& columns, double noise, const std::vector<std::string>& free,
                   const std::vector<double>& expected) {
  int held = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto experiment = make_motion_experiment(truth, scenario, record(truth, scenario, columns, noise, seed), {});
    const Identification found = identify_one(begin, *experiment, free);
    EXPECT_NEAR(found.rms, noise, 0.3 * noise) << seed;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const IdentifiedParameter& one = found.parameters[i];
      held += one.lower95 <= expected[i] && expected[i] <= one.upper95 ? 1 : 0;
      EXPECT_LT(one.lower95, one.value);
    }
  }
  return held;
}

// Ten seeds each. Of 20 intervals 19 should hold; fewer than 15 do with a probability of 3e-4. Of 30: 28.5, and fewer
// than 24 with one of 6e-4.
TEST(MotionIdentification, IntervalsHoldOfARodThatIsLetGo) {
  const Model truth = read(k_rod);
  EXPECT_GE(held_intervals(truth, truth.with("materials.rubber.young_modulus", 1.5e6),
                           release(0.6, "generalized_alpha", 0.01), k_rod_columns, 2e-3,
                           {"materials.rubber.young_modulus=1e5:1e7:log", "materials.rubber.damping_time",
                            "markers.middle.offset[1]"},
                           {1e6, 0.03, 0.01}),
            24);
}

TEST(MotionIdentification, IntervalsHoldOfATendonThatMoves) {
  const Model truth = read(k_tendon_arm);
  EXPECT_GE(
      held_intervals(truth, truth.with("materials.silicone.young_modulus", 1.5e5),
                     moving_tendons("generalized_alpha", 0.01), k_arm_columns, 1e-3,
                     {"materials.silicone.young_modulus=5e4:1e6:log", "materials.silicone.damping_time"}, {2e5, 0.05}),
      15);
}

TEST(MotionIdentification, IntervalsHoldOfADampedPendulum) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(3.0, "rk4", 0.01);
  scenario.initial["arm"].q = {1.2};
  EXPECT_GE(held_intervals(truth, truth.with({{"links.arm.joint.stiffness", 2.0}, {"links.arm.joint.damping", 0.3}}),
                           scenario, {"arm.joint.q0"}, 0.02,
                           {"links.arm.joint.stiffness", "links.arm.joint.damping", "simulation.initial.arm.q[0]"},
                           {3.0, 0.1, 1.2}),
            24);
}

TEST(MotionIdentification, FindsAShiftOfTime) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(2.0, "rk4", 0.005);
  scenario.initial["arm"].q = {1.2};
  for (const double late : {0.013, -0.03}) {
    const auto experiment =
        make_motion_experiment(truth, scenario, record(truth, scenario, {"arm.joint.q0"}, 0.0, 1, late), {});
    const Identification found = identify_one(truth.with("links.arm.joint.stiffness", 2.5), *experiment,
                                              {"links.arm.joint.stiffness", "time.shift=-0.1:0.1"});
    EXPECT_NEAR(found.values[0], 3.0, 1e-5) << late;
    EXPECT_NEAR(found.values[1], late, 1e-7) << late;
    EXPECT_EQ(found.parameters[1].unit, "s");
  }
}

// A clock in milliseconds that began long before the run: the map takes that off, and the fit is that of the run's
// times (to the rounding of such a clock, 2e-7 s).
TEST(MotionIdentification, TheMapTakesOffWhenTheClockBegan) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(2.0, "rk4", 0.005);
  scenario.initial["arm"].q = {1.2};
  MeasuredTable table = record(truth, scenario, {"arm.joint.q0"});
  const Model begin = truth.with("links.arm.joint.stiffness", 2.5);
  for (double& time : table.numbers[0].values) time = 1e3 * (1.7e9 + 0.125 + time);
  table.numbers[0].name = "clock";
  MotionExperimentOptions reading;
  reading.map = parse_column_maps({"clock=time*0.001-1700000000.125"});
  const auto experiment = make_motion_experiment(truth, scenario, table, reading);
  EXPECT_NEAR(experiment->times()[50], 1.0, 3e-7);
  EXPECT_NEAR(identify_one(begin, *experiment, {"links.arm.joint.stiffness"}).values[0], 3.0, 1e-5);
  reading.map = parse_column_maps({"clock=time*0.001"});
  EXPECT_THAT([&] { make_motion_experiment(truth, scenario, table, reading); },
              ThrowsMessage<ArgumentError>(HasSubstr("--map clock=time-SECONDS")));
}

// The first rows of a clock that is late are before the start: there the pendulum is where it begins, if it rests.
TEST(MotionIdentification, BeforeTheStartItIsWhereItBegins) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(1.0, "rk4", 0.005);
  scenario.initial["arm"].q = {1.2};
  MeasuredTable table = record(truth, scenario, {"arm.joint.q0"}, 0.0, 1, 0.03);
  table.numbers[0].values.insert(table.numbers[0].values.begin(), 0.0);
  table.numbers[1].values.insert(table.numbers[1].values.begin(), 1.2);
  ++table.row_count;
  auto experiment = make_motion_experiment(truth, scenario, table, {});
  const Identification found = identify_one(truth, *experiment, {"time.shift"});
  EXPECT_NEAR(found.values[0], 0.03, 1e-8);
  scenario.initial["arm"].v = {0.5};
  experiment = make_motion_experiment(truth, scenario, table, {});
  const auto parameters = freed(truth, {experiment.get()}, {"time.shift"});
  std::string trouble;
  VectorXd predicted;
  EXPECT_FALSE(experiment->predict(FreedRobot(truth, parameters, VectorXd::Constant(1, 0.01), false), {}, predicted,
                                   nullptr, trouble));
  EXPECT_THAT(trouble, HasSubstr("recording.csv: time.shift: found times before the start, where 'arm' is moving"));
}

// Two recordings with clocks of their own, and equilibria of the same robot, tell its numbers together.
TEST(MotionIdentification, MixesRecordingsAndEquilibria) {
  const Model truth = read(k_pendulum);
  Scenario first = release(1.0, "rk4", 0.005), second = first;
  first.initial["arm"].q = {1.2};
  second.inputs["motor"] = Signal::sine(1.5, 1.0, 0.0, 0.0);
  MeasuredTable one = record(truth, first, {"arm.joint.q0"}, 0.0, 1, 0.02);
  MeasuredTable two = record(truth, second, {"arm.joint.q0"}, 0.0, 1, 0.05);
  one.file = "data/one.csv", two.file = "data/two.csv";
  MeasuredTable rest{"rest.csv", {{"motor", "", {-2, -1, 1, 2}}, {"arm.joint.q0", "", {}}}, {}, 4};
  for (const double torque : rest.numbers[0].values) {  // stiffness q + m g l sin(q) = torque
    double q = 0.1 * torque;
    for (int i = 0; i < 50; ++i) q -= (3.0 * q + 2.4525 * std::sin(q) - torque) / (3.0 + 2.4525 * std::cos(q));
    rest.numbers[1].values.push_back(q);
  }
  const auto swing = make_motion_experiment(truth, first, one, {});
  const auto shaken = make_motion_experiment(truth, second, two, {});
  const auto still = make_equilibrium_experiment(truth, rest, {});
  const std::vector<Experiment*> all{swing.get(), still.get(), shaken.get()};
  const Model begin =
      truth.with({{"links.arm.joint.stiffness", 4.0}, {"links.arm.joint.damping", 0.05}, {"links.arm.body.mass", 1.3}});
  const auto parameters = freed(begin, all,
                                {"links.arm.joint.stiffness", "links.arm.joint.damping", "links.arm.body.mass",
                                 "one:time.shift", "two:time.shift", "simulation.inputs.motor.amplitude"});
  const Identification found = identify(begin, parameters, all, {});
  const double expected[] = {3.0, 0.1, 1.0, 0.02, 0.05, 1.5};
  for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(found.values[i], expected[i], 1e-5) << parameters[i].name;
  ASSERT_EQ(found.fits.size(), 3U);
  EXPECT_EQ(found.fits[1].channels[0].count, 4U);
}

// With a recording a fold, whole recordings are left out; one recording is left out by stretches.
TEST(MotionIdentification, CrossValidationLeavesOutRecordingsOrStretches) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(1.0, "rk4", 0.01);
  std::vector<std::unique_ptr<Experiment>> owned;
  std::vector<Experiment*> all;
  for (const double q : {0.4, 0.8, 1.2}) {
    scenario.initial["arm"].q = {q};
    MeasuredTable table = record(truth, scenario, {"arm.joint.q0"}, 0.01, static_cast<unsigned>(100 * q));
    table.file = std::to_string(q);
    owned.push_back(make_motion_experiment(truth, scenario, table, {}));
    all.push_back(owned.back().get());
  }
  const auto parameters = freed(truth, all, {"links.arm.joint.stiffness", "links.arm.joint.damping"});
  const Identification found = identify(truth, parameters, all, {});
  const CrossValidation cross = cross_validate(truth, parameters, all, found, 3, {});
  ASSERT_EQ(cross.values.size(), 3U);
  EXPECT_GT(cross.rms, found.rms);
  EXPECT_LT(cross.rms, 1.5 * found.rms);
  // the first fold by hand: the other two recordings
  const Identification by_hand = identify(truth, parameters, {all[1], all[2]}, {});
  EXPECT_NEAR(cross.values[0][0], by_hand.values[0], 1e-6);
  EXPECT_GT(std::abs(by_hand.values[0] - found.values[0]), 1e-5);

  MotionExperimentOptions reading;
  reading.stretches = 4;
  const auto one = make_motion_experiment(truth, scenario, record(truth, scenario, {"arm.joint.q0"}, 0.01), reading);
  const std::vector<std::string>& groups = one->groups();
  EXPECT_EQ(std::count(groups.begin(), groups.end(), groups.front()), 13);
  EXPECT_EQ(std::count(groups.begin(), groups.end(), groups.back()), 13);
  const Identification alone = identify(truth, parameters, {one.get()}, {});
  const CrossValidation stretches = cross_validate(truth, parameters, {one.get()}, alone, 4, {});
  EXPECT_TRUE(stretches.fits[0].predicted.allFinite());
  EXPECT_GT(stretches.rms, alone.rms);
}

TEST(MotionIdentification, StopsWithTheBestSoFar) {
  const Model truth = read(k_pendulum);
  Scenario scenario = release(2.0, "rk4", 0.01);
  scenario.initial["arm"].q = {1.2};
  const auto experiment = make_motion_experiment(truth, scenario, record(truth, scenario, {"arm.joint.q0"}), {});
  const Model begin = truth.with("links.arm.joint.stiffness", 6.0);
  const auto parameters = freed(begin, {experiment.get()}, {"links.arm.joint.stiffness"});
  std::atomic<bool> stop{false};
  IdentificationOptions options;
  options.stop = &stop;
  int count = 0;
  options.progress = [&](const LeastSquaresProgress&) { stop = ++count == 2; };
  const Identification found = identify(begin, parameters, {experiment.get()}, options);
  EXPECT_EQ(found.status, LeastSquaresStatus::stopped);
  EXPECT_LT(found.values[0], 6.0);
  EXPECT_GT(found.parameters[0].deviation, 0.0);
}

// A run that fails has predicted what was measured before.
TEST(MotionIdentification, ARunThatFailsLacksItsLastRows) {
  const Model model = read(k_tendon_arm);
  Scenario scenario = moving_tendons("generalized_alpha", 0.01);
  const MeasuredTable table = record(model, scenario, k_arm_columns);
  const auto good = make_motion_experiment(model, scenario, table, {});
  scenario.inputs["cable"] = Signal::minimum_jerk(0.3, 0.6, 0.8, 1e6);
  const auto bad = make_motion_experiment(model, scenario, table, {});
  const std::vector<FreeParameter> none;
  EXPECT_TRUE(fit_of(model, none, VectorXd(), *good).missing.empty());
  const ExperimentFit fit = fit_of(model, none, VectorXd(), *bad);
  ASSERT_EQ(fit.missing.size(), 1U);
  EXPECT_GE(fit.missing[0].first, 15U);  // at 0.3 s
  EXPECT_EQ(fit.missing[0].last, table.row_count - 1);
  EXPECT_NE(fit.missing[0].why, "");
  for (std::size_t i = 0; i < bad->points().size(); ++i) {
    EXPECT_EQ(std::isfinite(fit.predicted[static_cast<Eigen::Index>(i)]), bad->points()[i].row < fit.missing[0].first);
  }
  EXPECT_EQ(fit.channels[0].count, fit.missing[0].first);
}

// A derivative by the initial state is reported with the value that the scenario has, also where it says nothing.
TEST(MotionIdentification, InitialNumbersHaveValues) {
  const Model model = read(k_pendulum);
  Scenario scenario = release(0.1, "rk4", 0.01);
  scenario.initial["arm"].q = {1.2};
  const MotionDerivatives derivatives(model, scenario, {"simulation.initial.arm.q[0]", "simulation.initial.arm.v[0]"});
  EXPECT_EQ(derivatives.parameters()[0].value, 1.2);
  EXPECT_EQ(derivatives.parameters()[0].unit, "rad");
  EXPECT_EQ(derivatives.parameters()[1].value, 0.0);
}

TEST(MotionIdentification, OneInstantShowsTheRobot) {
  const Model truth = read(k_rod);
  const Scenario scenario = release(0.6, "generalized_alpha", 0.01);
  MemoryRecorder memory;
  Simulator(truth, scenario).run({&memory});
  const auto experiment = make_motion_experiment(truth, scenario, record(truth, scenario, k_rod_columns), {});
  const std::vector<FreeParameter> none;
  const std::vector<std::size_t> rows{3, 17, 30};
  const std::vector<Sample> samples = experiment->samples(FreedRobot(truth, none, VectorXd(), false), rows);
  ASSERT_EQ(samples.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Sample& expected = memory.samples()[rows[i]];
    EXPECT_NEAR(samples[i].time, expected.time, 1e-12);
    EXPECT_LT((samples[i].q - expected.q).norm(), 1e-9);
    EXPECT_NEAR(samples[i].tips[0].position.z, expected.tips[0].position.z, 1e-10);
  }
}

TEST(MotionIdentification, ErrorsSayWhere) {
  const Model model = read(k_pendulum);
  Scenario scenario = release(2.0, "rk4", 0.01);
  const auto error = [&](const std::string& text, const MotionExperimentOptions& options = {}) {
    try {
      make_motion_experiment(model, scenario, read_measured_table({"m.csv", text}), options);
      return std::string("none");
    } catch (const ArgumentError& refusal) {
      return std::string(refusal.what());
    }
  };
  const std::string rows = "\n0,0\n0.5,0\n";
  EXPECT_EQ(error("time,arm.joint.q0" + rows), "none");
  EXPECT_THAT(error("t,arm.joint.q0" + rows), HasSubstr("m.csv:1:1: time: found no column of numbers of this name"));
  EXPECT_THAT(error("time,arm.joint.q" + rows), HasSubstr("m.csv: found no column of a measured quantity"));
  EXPECT_THAT(error("# swing\ntime,arm.joint.q0\n0,0\n0.5,0\n 0.4,0\n"),
              HasSubstr("m.csv:5:2: time: found 0.4 s, expected times that do not fall: the row before is at 0.5 s"));
  EXPECT_THAT(error("arm.joint.q0,time\n0,0\n0,2.5\n"),
              HasSubstr("m.csv:3:3: time: found 2.5 s, expected a time of the run, 0 to 2 s (simulation.duration)"));
  EXPECT_THAT(error("time,arm.joint.q0\n-0.1,0\n0,0\n"), HasSubstr("m.csv:2:1: time: found -0.1 s, expected a time"));
  EXPECT_THAT(error("time,arm.joint.q0\n,0\n1,0\n"), HasSubstr("m.csv:2:1: time: found nan s, expected a time"));
  MotionExperimentOptions map;
  map.map = {{"x", "arm.tip.w", 1.0}};
  EXPECT_THAT(error("time,x" + rows, map), HasSubstr("m.csv:1:6: x: found 'arm.tip.w'"));
  map.map = {{"y", "arm.tip.x", 1.0}};
  EXPECT_THAT(error("time,x" + rows, map), HasSubstr("m.csv:1:1: found no column of numbers 'y', which --map names"));
  map.map = {{"u", "motor", 1.0}};
  EXPECT_THAT(error("time,arm.joint.q0,u\n0,0,0\n0,0,1\n", map),
              HasSubstr("m.csv:3:1: time: found 0 s twice, expected times that rise, as column 'u' drives an input"));
  EXPECT_THAT(error("time,arm.joint.q0,u\n0,0,0\n1,0,\n", map),
              HasSubstr("m.csv:3:5: column 'u', row 1: found no number"));
  map.map = {{"t", "time", 1e-3}};
  EXPECT_EQ(error("t,arm.joint.q0\n0,0\n1500,0\n", map), "none");
  scenario.integrator = {.type = "energy_conserving"};
  scenario.integrator.step = 0.01;
  EXPECT_EQ(error("time,arm.joint.q0" + rows), "none");
  scenario = release(2.0, "rk4", 0.01);
  const auto experiment =
      make_motion_experiment(model, scenario, read_measured_table({"m.csv", "time,arm.joint.q0" + rows}), {});
  const auto free_error = [&](const char* text) {
    try {
      parse_free_parameter(model, text, set_up_constants({experiment.get()}));
      return std::string("none");
    } catch (const ArgumentError& refusal) {
      return std::string(refusal.what());
    }
  };
  EXPECT_EQ(free_error("m:time.shift"), "none");
  EXPECT_NE(free_error("n:time.shift"), "none");
  EXPECT_THAT(free_error("simulation.initial.arms.q[0]"), HasSubstr("found no such link; did you mean 'arm'?"));
  EXPECT_THAT(free_error("simulation.inputs.motor.amplitude"), HasSubstr("expected nothing behind a constant"));
  EXPECT_THAT(free_error("simulation.duration"), HasSubstr("found no derivatives by it"));
  EXPECT_THAT([] { between_samples_of_name("cubic"); }, ThrowsMessage<ArgumentError>(HasSubstr("found 'cubic'")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
