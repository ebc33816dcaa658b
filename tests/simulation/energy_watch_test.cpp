// What is said of a run whose energies do not balance: nothing, a warning, or that it has failed, and which rows it
// keeps.
#include "simulation/energy_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Sample sample_of(double kinetic, double gravity, double elastic = 0.0) {
  Sample sample;
  sample.q.setZero(1), sample.v.setZero(1);
  sample.kinetic = kinetic, sample.gravity = gravity, sample.elastic = elastic;
  return sample;
}

TEST(EnergyWatchTest, EnergyThatCameFromSomewhereIsNoProblem) {
  EnergyWatch watch(true);
  EXPECT_EQ(watch.problem(sample_of(0.0, 0.0)), "");
  EXPECT_EQ(watch.problem(sample_of(50.0, -50.0)), "");       // fallen
  EXPECT_EQ(watch.problem(sample_of(0.0, -50.0, 50.0)), "");  // caught by a spring
  EXPECT_EQ(watch.problem(sample_of(50.0, -100.0, 50.0)), "");
  Sample driven = sample_of(1e6, -100.0, 50.0);
  driven.input = 1e6 - 50.0;
  EXPECT_EQ(watch.problem(driven), "");
  Sample braked = sample_of(0.0, -100.0, 50.0);
  braked.input = 1e6, braked.dissipated = 1e6 + 50.0;
  EXPECT_EQ(watch.problem(braked), "");
  Sample returned = sample_of(5e5, -100.0, 50.0);  // work of a load that was taken before
  returned.input = 1e6, returned.dissipated = 1e6 + 50.0, returned.load = 5e5;
  EXPECT_EQ(watch.problem(returned), "");
}

TEST(EnergyWatchTest, TenTimesWhatCameInIsSenseless) {
  EnergyWatch watch(true);
  EXPECT_EQ(watch.problem(sample_of(1.0, 0.0)), "");
  EXPECT_EQ(watch.problem(sample_of(10.9, 0.0)), "");
  EXPECT_THAT(watch.problem(sample_of(11.1, 0.0)),
              HasSubstr("gained 10.1 J that nothing supplied, more than 10 times the 1 J"));
  Sample wasted = sample_of(1.0, 0.0);  // damping can take no more either
  wasted.dissipated = 11.0;
  EXPECT_THAT(watch.problem(wasted), HasSubstr("gained 11 J that nothing supplied"));
  EXPECT_EQ(EnergyWatch(false).problem(sample_of(1e6, 0.0)), "");
}

// At rest nothing comes in, and rounding is all there is.
TEST(EnergyWatchTest, RoundingAtRestIsNoProblem) {
  EnergyWatch weightless(true);
  EXPECT_EQ(weightless.problem(sample_of(0.0, 0.0)), "");
  EXPECT_EQ(weightless.problem(sample_of(1e-25, 0.0, 1e-20)), "");
  EnergyWatch heavy(true);
  EXPECT_EQ(heavy.problem(sample_of(0.0, -1e6)), "");
  EXPECT_EQ(heavy.problem(sample_of(1e-9, -1e6 + 1e-6)), "");
  EXPECT_NE(heavy.problem(sample_of(2.0, -1e6)), "");
}

TEST(EnergyWatchTest, NumbersThatAreNotFiniteMakeNoSense) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool balances : {true, false}) {
    EnergyWatch watch(balances);
    EXPECT_EQ(watch.problem(sample_of(1.0, 0.0)), "");
    EXPECT_NE(watch.problem(sample_of(infinity, 0.0)), "");
    Sample far = sample_of(1.0, 0.0);
    far.q[0] = std::nan("");
    EXPECT_NE(watch.problem(far), "");
  }
}

/// Moves evenly. Its energies are not known from 0.35 s on, and beyond all numbers from 0.75 s on.
class Overflowing final : public System {
 public:
  explicit Overflowing(const Model& its_model) : model_(its_model) {}
  const Model& model() const override { return model_; }
  int auxiliary_count() const override { return 0; }
  void rates(double, VectorInT<double>, VectorInT<double>, VectorInT<double>, VectorOutT<double> a,
             VectorOutT<double>) override {
    a.setZero();
  }
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double>, VectorInT<double>) override {
    if (q[0] > 0.75) return EnergyBalance{.energy = std::numeric_limits<double>::infinity()};
    if (q[0] > 0.35) throw ArgumentError("the energy is beyond all numbers");
    return EnergyBalance{.energy = q[0]};
  }

 private:
  const Model& model_;
};

// The dynamics say where a motion ends, with time and link; energies that are not known are not told.
TEST(EnergiesOfSteps, EndNoMotionWhereTheyAreNotKnown) {
  const Model model(test::pendulum());
  Overflowing system(model);
  for (const char* type : {"rk4", "tsit5"}) {
    const auto integrator = make_integrator(system, {.type = type, .step = 0.1});
    std::vector<double> told;
    integrator->on_energies = [&told](const EnergyBalance& balance) { told.push_back(balance.energy); };
    State start;
    start.q = VectorXd::Zero(1), start.v = VectorXd::Ones(1), start.auxiliary = VectorXd::Zero(0);
    integrator->restart(start);
    EXPECT_NO_THROW(integrator->advance(1.0, 1.0)) << type;
    EXPECT_EQ(integrator->state().time, 1.0);
    ASSERT_EQ(told.size(), 3U) << type;
    EXPECT_NEAR(told.back(), 0.3, 1e-12);
  }
}

class Rows final : public Recorder {
 public:
  std::vector<Sample> samples;
  Outcome outcome;
  void begin(const Model&, const Scenario&) override { samples.clear(); }
  void record(const Sample& sample) override { samples.push_back(sample); }
  void finish(const Outcome& found) override { outcome = found; }
};

/// The arm swings from an angle [rad] in steps of rk4, each of them an output.
Scenario swing(double duration, double step, double angle) {
  Scenario s;
  s.duration = duration, s.output_step = step;
  s.integrator.type = "rk4", s.integrator.step = step;
  s.initial["arm"].q = {angle};
  return s;
}
/// Steps that are too long for the rods of an arm.
Scenario unstable() { return swing(5.0, 0.02, 1.0); }

TEST(DivergedRunTest, KeepsNoRowThatMakesNoSense) {
  const Model model(test::mixed_arm());
  Rows rows;
  try {
    Simulator(model, unstable()).run({&rows});
    FAIL() << "the step is not too long";
  } catch (const SimulationError& error) {
    EXPECT_EQ(rows.outcome.message, error.what());
  }
  EXPECT_EQ(rows.outcome.status, RunStatus::failed);
  ASSERT_FALSE(rows.samples.empty());
  EXPECT_EQ(rows.outcome.time, rows.samples.back().time);
  EXPECT_EQ(rows.outcome.last.v, rows.samples.back().v);
  const Sample& first = rows.samples.front();
  double fallen = 0.0;
  for (const Sample& sample : rows.samples) {
    fallen = std::max(fallen, first.gravity - sample.gravity);
    EXPECT_LT(sample.kinetic, 12.0 * (first.kinetic + first.elastic + fallen) + 1e-3) << sample.time;
  }
}

// A pendulum that swings through long steps gains or loses more than its kinetic energy allows.
Scenario coarse() { return swing(20.0, 0.4, 1.5); }

TEST(EnergyErrorTest, BeyondTheLimitWarnsAndStrictFails) {
  const Model model(test::pendulum());
  Rows rows;
  Scenario s = coarse();
  const Outcome outcome = Simulator(model, s).run({&rows});
  const double part = outcome.energy_error / outcome.exchange.largest().value;
  ASSERT_GT(part, 0.1);
  EXPECT_EQ(outcome.status, RunStatus::complete);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_THAT(outcome.warnings[0], HasSubstr(std::string("% of ") + outcome.exchange.largest().name));
  EXPECT_THAT(outcome.warnings[0], HasSubstr("energy_error_limit = 10 %"));
  EXPECT_EQ(rows.outcome.warnings, outcome.warnings);
  const std::size_t all = rows.samples.size();

  s.energy_error_limit = 1.01 * part;
  EXPECT_THAT(Simulator(model, s).run({&rows}).warnings, IsEmpty());
  s.strict = true;
  EXPECT_EQ(Simulator(model, s).run({&rows}).status, RunStatus::complete);

  s.energy_error_limit = 0.99 * part;
  try {
    Simulator(model, s).run({&rows});
    FAIL() << "strict is not";
  } catch (const SimulationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the energy balance is off by"));
  }
  EXPECT_EQ(rows.outcome.status, RunStatus::failed);
  EXPECT_EQ(rows.samples.size(), all);
}

// What moves by rounding alone has no kinetic energy worth comparing with.
TEST(EnergyErrorTest, RoundingIsNoReasonToWarn) {
  Scenario scenario;
  Outcome outcome;
  outcome.peak_kinetic = 1e-16, outcome.peak_energy = 10.0, outcome.energy_error = 1e-13;
  EXPECT_FALSE(judge_energy(scenario, outcome));
  outcome.energy_error = 1e-11;
  EXPECT_TRUE(judge_energy(scenario, outcome));
}

/// A wheel of 1 kg m^2 on a spring: sqrt(stiffness) rad/s.
Robot oscillator(double stiffness, double damping) {
  Robot robot;
  robot.name = "oscillator";
  robot.gravity = {};
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 0, 1}),
                         .joint_dynamics = test::dynamics({stiffness}, {damping}),
                         .body = test::rigid_body(1.0, {}, {1.0, 1.0, 1.0}, {})});
  robot.actuators.push_back(Actuator::joint("motor", "arm"));
  return robot;
}

// Outputs at the turning points alone see no motion: 1e+25 % of nothing. Steps between them do.
TEST(EnergyErrorTest, KnowsWhatMovedBetweenOutputs) {
  const Model model(oscillator(1.0, 0.0));
  for (const char* type :
       {"bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    Scenario s = swing(4 * M_PI, M_PI, 0.5);
    s.integrator = {}, s.integrator.type = type, s.strict = true;
    if (std::string(type) != "bdf" && std::string(type) != "erk") s.integrator.step = 0.01;
    Outcome outcome;
    EXPECT_NO_THROW(outcome = Simulator(model, s).run({})) << type;
    EXPECT_THAT(outcome.warnings, IsEmpty()) << type;
    const auto moved = outcome.exchange.largest();
    EXPECT_NEAR(moved.value, 0.5 * 0.5 * 0.5, 0.01 * 0.125) << type << ": " << moved.name;
  }
}

// The same where the motion is wrong: a step that is too long, seen at its turning points alone or not.
TEST(EnergyErrorTest, WrongMotionsWarnWhateverTheOutputsShow) {
  const Model pendulum(test::pendulum());
  for (const double output_step : {0.4, 4.0, 20.0}) {
    Scenario s = coarse();
    s.output_step = output_step, s.strict = true;
    EXPECT_THROW(Simulator(pendulum, s).run({}), SimulationError) << output_step;
  }
}

// A spring is wound up in 200 s, against friction: 1/2 k x^2 and work of 1 J, at a kinetic energy of 1e-5 J.
TEST(EnergyErrorTest, SlowMotionsAreJudgedByWhatSpringsAndWorksHold) {
  const Model model(oscillator(2.0, 1.0));
  Scenario s;
  s.duration = 200.0, s.output_step = 2.0, s.strict = true;
  s.inputs["motor"] = Signal::sine(2.0, 1.0 / 800.0, 0.0, 0.0);  // a quarter of its period
  // of works that are summed so coarsely the error is large beside the kinetic energy
  s.integrator.type = "newmark", s.integrator.step = 2.0;
  const Outcome outcome = Simulator(model, s).run({});
  EXPECT_GT(outcome.energy_error, 0.1 * outcome.peak_kinetic) << "the test shows nothing";
  EXPECT_NEAR(outcome.exchange.largest().value, 1.0, 0.03);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

// Two bars that hang almost stretched on two pins: at rest, what is off is rounding of heights and tensions.
TEST(EnergyErrorTest, ALoopAtRestIsNoReasonForStrict) {
  for (const double distance : {1.9, 1.999, 1.99999}) {
    Robot robot;
    robot.name = "bars";
    for (const char* name : {"a", "b"}) {
      robot.links.push_back({.name = name,
                             .joint = make_revolute_joint<double>({0, 1, 0}),
                             .body = test::rigid_body(1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, {0, 0, -1})});
    }
    Loop loop;
    loop.name = "l", loop.type = LoopType::spherical, loop.a.link = "b", loop.b.link = "base",
    loop.b.pose.position = {distance, 0, 0};
    robot.loops = {loop};
    const Model model(robot);
    for (const char* type : {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
      for (const bool fixed : {false, true}) {
        Scenario s;
        s.duration = 1.0, s.output_step = 0.01, s.strict = true;
        s.integrator.type = type;
        if (fixed) s.integrator.step = 1e-3;
        EXPECT_NO_THROW(Simulator(model, s).run({})) << type << (fixed ? ", fixed, " : ", ") << distance;
      }
    }
  }
}

TEST(EnergyErrorTest, RefusesLimitsThatAreNone) {
  const Model model(test::pendulum());
  Scenario s = coarse();
  s.energy_error_limit = 0.0;
  EXPECT_THROW(Simulator(model, s), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
