// Scenarios: initial states by name, output times, stops at every jump of a signal, and every way that a run can end.
#include "cuttle/simulation/simulator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

Scenario with_step(const std::string& type, double step, double duration, double output_step) {
  Scenario s;
  s.duration = duration;
  s.output_step = output_step;
  s.integrator.type = type;
  s.integrator.step = step;
  return s;
}
Scenario adaptive(const std::string& type, double tolerance, double duration, double output_step) {
  Scenario s;
  s.duration = duration;
  s.output_step = output_step;
  s.integrator.type = type;
  s.integrator.relative_tolerance = tolerance;
  s.integrator.absolute_tolerance = 0.1 * tolerance;
  return s;
}

std::string refusal(const Model& model, const Scenario& scenario) {
  try {
    const Simulator simulator(model, scenario);
    return "";
  } catch (const ArgumentError& error) {
    return error.what();
  }
}

/// Notes what it is told; at a sample it may do something.
class Spy final : public Recorder {
 public:
  std::function<void(const Sample&)> on_record = [](const Sample&) {};
  std::vector<Sample> samples;
  std::vector<Outcome> outcomes;
  void begin(const Model&, const Scenario&) override {}
  void record(const Sample& sample) override {
    on_record(sample);
    samples.push_back(sample);
  }
  void finish(const Outcome& outcome) override { outcomes.push_back(outcome); }
};

TEST(SimulatorTest, OutputsAreMultiplesOfTheStepAndTheEnd) {
  const Model model(test::pendulum());
  const auto times = [&](double duration, double step) {
    const Simulator simulator(model, with_step("rk4", 0.01, duration, step));
    std::vector<double> list;
    for (std::int64_t k = 0; k < simulator.output_times().size(); ++k) list.push_back(simulator.output_times()[k]);
    return list;
  };
  EXPECT_EQ(times(0.25, 0.1), (std::vector<double>{0.0, 0.1, 0.2, 0.25}));
  EXPECT_EQ(times(0.3, 0.1), (std::vector<double>{0.0, 0.1, 0.2, 0.3}));  // 3 * 0.1 != 0.3 in double
  EXPECT_EQ(times(0.05, 0.1), (std::vector<double>{0.0, 0.05}));
  EXPECT_EQ(times(1e-12, 0.01), (std::vector<double>{0.0, 1e-12}));  // nothing beside the step, but not nothing
  EXPECT_EQ(times(10.0, 0.001).size(), 10001u);
  EXPECT_EQ(times(10.0, 0.001).back(), 10.0);
  MemoryRecorder memory;
  const Simulator simulator(model, adaptive("bdf", 1e-6, 0.25, 0.1));
  simulator.run({&memory});
  ASSERT_EQ(memory.samples().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(memory.samples()[i].time, simulator.output_times()[static_cast<std::int64_t>(i)]);
  }
}

TEST(SimulatorTest, InitialStatesGoByLink) {
  Robot robot = test::floating_hub(0.0);
  const Model model(robot);
  Scenario s = adaptive("erk", 1e-6, 0.1, 0.1);
  s.initial["rod2"] = {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {}};
  s.initial["base"] = {{1, 2, 3, 0.5, 0.5, 0.5, 0.5}, {6, 5, 4, 3, 2, 1}};
  const State state = Simulator(model, s).initial_state();
  VectorXd q(16), v(15);
  q << 1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
  v << 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  EXPECT_EQ(state.q, q);
  EXPECT_EQ(state.v, v);
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  EXPECT_EQ(memory.samples().front().q, q);
  EXPECT_EQ(memory.samples().front().v, v);
}

TEST(SimulatorTest, RefusesWhatTheRobotDoesNotHave) {
  const Model model(test::mixed_arm());
  const Scenario good = adaptive("bdf", 1e-6, 1.0, 0.1);
  EXPECT_EQ(refusal(model, good), "");
  Scenario s = good;
  s.initial["rd1"] = {};
  EXPECT_EQ(refusal(model, s), "initial.rd1: found no such link; did you mean 'rod1'?");
  s = good;
  s.initial["rod1"].q = {1.0, 2.0};
  EXPECT_EQ(refusal(model, s),
            "initial.rod1.q: found 2 numbers, expected 3 (rod1.kappa_x.0, rod1.kappa_y.0, rod1.sigma_z.0)");
  s = good;
  s.initial["base"].q = {0, 0, 0, 1, 0, 0, 0};
  EXPECT_THAT(refusal(model, s), HasSubstr("initial.base: found no such link"));
  s = good;
  s.initial["ball"].q = {1.0, 0.1, 0.0, 0.0};
  EXPECT_THAT(refusal(model, s), HasSubstr("ball.joint.q0"));
  s = good;
  s.initial["arm"].v = {std::nan("")};
  EXPECT_EQ(refusal(model, s), "initial.arm.v[0]: found nan, expected a finite number");
  s = good;
  s.inputs["moter"] = 1.0;
  EXPECT_EQ(refusal(model, s), "inputs.moter: found no such input of an actuator; did you mean 'motor'?");
  s = good;
  s.duration = 0.0;
  EXPECT_EQ(refusal(model, s), "simulation.duration: found 0, expected a number > 0 [s]");
  s = good;
  s.output_step = -0.1;
  EXPECT_EQ(refusal(model, s), "simulation.output_step: found -0.1, expected a number > 0 [s]");
  s = good;
  s.integrator.type = "rk4";
  EXPECT_THAT(refusal(model, s), HasSubstr("integrator.step"));
}

/// Two robots one after the other.
class SplitSystem final : public System {
 public:
  SplitSystem(RobotSystem& first, RobotSystem& second) : now_(&first), second_(second) {}
  void change() { now_ = &second_; }
  const Model& model() const override { return now_->model(); }
  int auxiliary_count() const override { return now_->auxiliary_count(); }
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary, VectorOutT<double> a,
             VectorOutT<double> auxiliary_rate) override {
    now_->rates(time, q, v, auxiliary, a, auxiliary_rate);
  }
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> auxiliary) override {
    return now_->energy_balance(q, v, auxiliary);
  }

 private:
  RobotSystem* now_;
  RobotSystem& second_;
};

/// The pendulum from rest under a torque that is `before`, then `after` from `jump` on, split by hand.
State split_by_hand(const Model& model, const IntegratorOptions& options, const OutputTimes& outputs, double jump,
                    double before, double after) {
  State state = Simulator(model, with_step("rk4", 1, 1, 1)).initial_state();
  RobotSystem first(model, {.inputs = {Signal(before)}}), second(model, {.inputs = {Signal(after)}});
  SplitSystem system(first, second);
  const auto integrator = make_integrator(system, options);
  integrator->expect_end(outputs.back());
  for (const double end : {jump, outputs.back()}) {
    integrator->restart(state);
    for (std::int64_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] > state.time && outputs[k] < end) integrator->advance(outputs[k], end);
    }
    integrator->advance(end, end);
    state = integrator->state();
    system.change();
  }
  return state;
}

// A step between two outputs: the run equals two runs split at the jump, bit for bit.
TEST(DiscontinuityTest, StepBetweenOutputsEqualsTwoRuns) {
  const Model model(test::pendulum());
  for (const char* type : {"rk4", "tsit5", "erk", "bdf"}) {
    const bool fixed = type[0] == 'r' || type[0] == 't';
    Scenario s = fixed ? with_step(type, 0.01, 1.0, 0.1) : adaptive(type, 1e-6, 1.0, 0.1);
    s.inputs["motor"] = Signal::step(0.537, 1.5, -2.0);
    MemoryRecorder memory;
    Simulator simulator(model, s);
    simulator.run({&memory});
    const State expected = split_by_hand(model, s.integrator, simulator.output_times(), 0.537, 1.5, -2.0);
    const Sample& found = memory.samples().back();
    EXPECT_EQ(found.time, expected.time);
    EXPECT_EQ(found.q[0], expected.q[0]) << type;
    EXPECT_EQ(found.v[0], expected.v[0]) << type;
    EXPECT_EQ(found.input, expected.auxiliary[RobotSystem::input]) << type;
    EXPECT_EQ(memory.samples()[5].u[0], 1.5);
    EXPECT_EQ(memory.samples()[6].u[0], -2.0);
  }
}

// A jump at an output time, where 3 * 0.1 is not 0.3: the sample has the input from the right, the motion has not felt
// it.
TEST(DiscontinuityTest, JumpAtAnOutputBelongsToWhatFollows) {
  const Model model(test::pendulum());
  Scenario s = with_step("rk4", 0.02, 0.5, 0.1);
  s.inputs["motor"] = Signal::step(0.3, 0.0, 7.0);
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  const auto& samples = memory.samples();
  EXPECT_EQ(samples[3].time, 3 * 0.1);
  EXPECT_EQ(samples[3].q[0], 0.0);
  EXPECT_EQ(samples[3].v[0], 0.0);
  EXPECT_GT(samples[4].v[0], 0.5);
  // v = 7 t to first order, and the method's error is of order h^4: a step that saw half of the jump would be far off
  s.duration = 0.32;
  const double v = Simulator(model, s).run({}).last.v[0];
  EXPECT_NEAR(v, 7.0 * 0.02, 7.0 * 9.81 * std::pow(0.02, 3));
}

// A pulse far shorter than the steps that the method would take is neither missed nor smeared.
TEST(DiscontinuityTest, ShortPulsesAreSeen) {
  const Model model(test::pendulum());
  for (const char* type : {"bdf", "erk"}) {
    Scenario s = adaptive(type, 1e-8, 2.0, 0.5);
    s.inputs["motor"] = Signal::table({0.0, 1.2003, 1.2013}, {0.0, 100.0, 0.0}, true);
    const Outcome outcome = Simulator(model, s).run({});
    // angular momentum 0.1 N m s on 1 kg m^2: v0 = 0.1 rad/s, then a nearly harmonic swing
    const double omega = std::sqrt(9.81);
    EXPECT_NEAR(outcome.last.v[0], 0.1 * std::cos(omega * 0.7992), 1e-4) << type;
    EXPECT_NEAR(outcome.last.input, 0.005, 1e-7) << type;
  }
}

TEST(DiscontinuityTest, JumpsThatDifferByRoundingOrLieOutsideDoNoHarm) {
  const Model model(test::mixed_arm());
  for (const char* type : {"bdf", "erk", "rk4"}) {
    Scenario s = std::string(type) == "rk4" ? with_step(type, 1e-3, 0.5, 0.1) : adaptive(type, 1e-6, 0.5, 0.1);
    const double at = 0.25;
    s.inputs["motor"] = Signal::points({0.0, 1e-17, at, std::nextafter(at, 1.0), at + 1e-16, 0.5, 0.7},
                                       {0.0, 0.0, 0.1, 0.3, 0.3, 0.2, 0.0});
    const Outcome outcome = Simulator(model, s).run({});
    EXPECT_EQ(outcome.status, RunStatus::complete) << type;
    EXPECT_LT(outcome.energy_error, 1e-3 * outcome.peak_kinetic) << type;
  }
}

// In the same thread again, and in several at once, which share the model.
TEST(SimulatorTest, RepeatsToTheLastBit) {
  const Model model(test::mixed_arm());
  for (const char* type : {"bdf", "erk", "generalized_alpha"}) {
    Scenario s = adaptive(type, 1e-6, 1.0, 0.1);
    s.initial["arm"].q = {1.0};
    const Simulator simulator(model, s);
    std::array<MemoryRecorder, 5> runs;
    for (std::size_t k : {0, 1}) simulator.run({&runs[k]});
    std::vector<std::thread> threads;
    for (std::size_t k : {2, 3, 4}) threads.emplace_back([&simulator, &runs, k] { simulator.run({&runs[k]}); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t k = 1; k < runs.size(); ++k) {
      ASSERT_EQ(runs[k].samples().size(), runs[0].samples().size());
      for (std::size_t i = 0; i < runs[0].samples().size(); ++i) {
        const Sample &first = runs[0].samples()[i], &again = runs[k].samples()[i];
        EXPECT_EQ(first.q, again.q) << type << ", run " << k;
        EXPECT_EQ(first.v, again.v) << type << ", run " << k;
        EXPECT_EQ(first.dissipated, again.dissipated) << type << ", run " << k;
      }
    }
  }
}

TEST(SimulatorTest, RefusesARecorderThatIsNone) {
  const Model model(test::mixed_arm());
  const Simulator simulator(model, adaptive("erk", 1e-6, 0.1, 0.1));
  MemoryRecorder memory;
  try {
    simulator.run({&memory, nullptr});
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "Simulator::run: recorders[1]: found null, expected a recorder");
  }
  EXPECT_TRUE(memory.samples().empty());
}

// Where memory ends the run has failed, at a time and with what takes less; rows before are good.
TEST(SimulatorTest, SaysWhereMemoryEnds) {
  const Model model(test::pendulum());
  Spy spy;
  spy.on_record = [](const Sample& sample) {
    if (sample.time > 0.25) throw std::bad_alloc();
  };
  try {
    Simulator(model, adaptive("erk", 1e-6, 1.0, 0.1)).run({&spy});
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_EQ(std::string(error.what()).find("t = 0.3 s: found no memory left for the rows of the run"), 0U)
        << error.what();
  }
  ASSERT_EQ(spy.outcomes.size(), 1u);
  EXPECT_EQ(spy.outcomes[0].status, RunStatus::failed);
}

// Only rows have a remedy: where memory ends elsewhere nobody is told to keep fewer of them.
TEST(SimulatorTest, BlamesRowsForTheirMemoryAlone) {
  const Model model(test::pendulum());
  RunOptions options;
  options.progress = [](const Progress&) { throw std::bad_alloc(); };
  try {
    Simulator(model, adaptive("erk", 1e-6, 1.0, 0.1)).run({}, options);
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_TRUE(std::string(error.what()).ends_with(" s: found no memory left")) << error.what();
  }
}

TEST(SimulatorTest, StopsWhenAskedAndKeepsWhatThereIs) {
  const Model model(test::pendulum());
  std::atomic<bool> stop{false};
  Spy spy;
  spy.on_record = [&](const Sample& sample) { stop = sample.time > 0.45; };
  RunOptions options;
  options.stop = &stop;
  const Outcome outcome = Simulator(model, adaptive("erk", 1e-6, 1.0, 0.1)).run({&spy}, options);
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  EXPECT_EQ(outcome.time, 0.5);
  EXPECT_EQ(outcome.message, "stopped by the user at t = 0.5 s");
  EXPECT_EQ(spy.samples.size(), 6u);
  ASSERT_EQ(spy.outcomes.size(), 1u);
  EXPECT_EQ(spy.outcomes[0].status, RunStatus::interrupted);
}

// Also in the middle of a long way to the next output, for every method.
TEST(SimulatorTest, StopsBetweenOutputs) {
  const Model model(test::pendulum());
  for (const char* type : {"rk4", "tsit5", "erk", "bdf"}) {
    const bool fixed = type[0] == 'r' || type[0] == 't';
    Scenario s = fixed ? with_step(type, 1e-3, 1e6, 1e6) : adaptive(type, 1e-10, 1e6, 1e6);
    s.initial["arm"].q = {1.0};
    std::atomic<bool> stop{false};
    RunOptions options;
    options.stop = &stop;
    options.progress = [&](const Progress& progress) {
      EXPECT_GT(progress.time, 0.0);
      EXPECT_EQ(progress.duration, 1e6);
      stop = true;
    };
    EXPECT_EQ(Simulator(model, s).run({}, options).status, RunStatus::interrupted) << type;
  }
}

std::string failure(const Model& model, const Scenario& scenario, Spy& spy) {
  try {
    Simulator(model, scenario).run({&spy});
    return "";
  } catch (const SimulationError& error) {
    return error.what();
  }
}

// An unstable step: the run stops at once, says where, and what it recorded before is finite.
TEST(FailureTest, DivergenceNamesTimeLinkAndState) {
  const Model model(test::mixed_arm());
  Spy spy;
  Scenario s = with_step("rk4", 0.02, 5.0, 0.02);
  s.initial["arm"].q = {1.0};
  const std::string text = failure(model, s, spy);
  EXPECT_THAT(text, HasSubstr("t = "));
  EXPECT_THAT(text, HasSubstr("J that nothing supplied"));
  EXPECT_THAT(text, HasSubstr("largest is the velocity of "));
  EXPECT_THAT(text, HasSubstr("(link 'rod"));
  EXPECT_THAT(text, HasSubstr("last good state at t = "));
  EXPECT_THAT(text, HasSubstr("q = ["));
  ASSERT_EQ(spy.outcomes.size(), 1u);
  EXPECT_EQ(spy.outcomes[0].status, RunStatus::failed);
  EXPECT_EQ(spy.outcomes[0].message, text);
  EXPECT_LT(spy.outcomes[0].time, 5.0);
  for (const Sample& sample : spy.samples) EXPECT_TRUE(sample.q.allFinite() && sample.v.allFinite());
}

TEST(FailureTest, SingularMassNamesTheLink) {
  Robot robot = test::pendulum();
  robot.links.push_back(
      {.name = "loose", .parent = {"arm", PortLocation::tip(), {}}, .joint = make_revolute_joint<double>({0, 1, 0})});
  const Model model(robot);
  for (const char* type : {"rk4", "bdf", "erk"}) {
    Spy spy;
    const Scenario s = type[0] == 'r' ? with_step(type, 0.01, 1.0, 0.1) : adaptive(type, 1e-6, 1.0, 0.1);
    const std::string text = failure(model, s, spy);
    EXPECT_THAT(text, HasSubstr("loose")) << type;
    EXPECT_THAT(text, HasSubstr("t = 0 s")) << type;
    EXPECT_EQ(spy.samples.size(), 1u) << type;
  }
}

// A force that overflows: the adaptive methods stop with the last good state.
TEST(FailureTest, AdaptiveMethodsStopAtOverflow) {
  const Model model(test::pendulum());
  for (const char* type : {"bdf", "erk"}) {
    Spy spy;
    Scenario s = adaptive(type, 1e-6, 1.0, 0.1);
    s.inputs["motor"] = Signal::step(0.45, 0.0, 1e308);
    const std::string text = failure(model, s, spy);
    EXPECT_THAT(text, HasSubstr("t = 0.45 s: the dynamics cannot be evaluated"));
    EXPECT_THAT(text, HasSubstr("link 'arm'"));
    EXPECT_THAT(text, HasSubstr("last good state at t = 0.45 s: q = [0], v = [0]"));
    EXPECT_EQ(spy.samples.size(), 5u) << type;
  }
}

// Numbers that no run could end with, or that ask for nothing.
TEST(SimulatorTest, RefusesStepsAndTolerancesBeyondReason) {
  const Model model(test::pendulum());
  for (const double tolerance : {1e-300, 1e-18, 0.11, 10.0}) {
    for (const char* type : {"bdf", "erk", "newmark"}) {
      EXPECT_EQ(refusal(model, adaptive(type, tolerance, 1.0, 0.1)),
                fmt::format("integrator.relative_tolerance: found {:g}, expected a number in [1e-14, 0.1]", tolerance));
    }
  }
  for (const char* type : {"rk4", "newmark"}) {
    EXPECT_EQ(refusal(model, with_step(type, 1e-300, 1.0, 0.1)),
              "simulation.integrator.step: found 1e-300, expected a step [s] that makes at most 1e12 steps in the "
              "duration");
    EXPECT_EQ(refusal(model, with_step(type, 0.9e-12, 1e-3, 0.1)),
              "integrator.step: found 9e-13, expected a number >= 1e-12 [s]");
    EXPECT_EQ(refusal(model, with_step(type, 1e-12, 1.0, 0.1)), "");
  }
  Scenario s = adaptive("bdf", 1e-6, 1.0, 0.1);
  s.integrator.max_step = 1e-300;
  EXPECT_EQ(refusal(model, s), "integrator.max_step: found 1e-300, expected a number >= 1e-12 [s]");
  EXPECT_EQ(refusal(model, adaptive("bdf", 1e-6, 1.0, 1e-12)),
            "simulation.output_step: found 1e-12, expected a step [s] that makes at most 1e9 outputs in the duration");
  EXPECT_EQ(refusal(model, adaptive("bdf", 1e-6, 1.0, 1e-9)), "");
}

// The first steps of a stiff robot are short, however long the run will be.
TEST(SimulatorTest, LongRunsBeginLikeShortOnes) {
  const Model model(test::mixed_arm());
  for (const char* type : {"bdf", "erk", "newmark"}) {
    Scenario s = adaptive(type, 1e-10, 0.1, 0.05);
    s.initial["rod1"].q = {6.0, -4.0, 0.2};
    MemoryRecorder brief, endless;
    Simulator(model, s).run({&brief});
    s.duration = 1e7;
    std::atomic<bool> stop{false};
    Spy watch;
    watch.on_record = [&](const Sample& sample) { stop = sample.time > 0.09; };
    RunOptions options;
    options.stop = &stop;
    Simulator(model, s).run({&endless, &watch}, options);
    ASSERT_GE(endless.samples().size(), 3u) << type;
    EXPECT_LT((endless.samples()[2].q - brief.samples()[2].q).cwiseAbs().maxCoeff(), 1e-6) << type;
  }
}

// A recorder that cannot write ends the run; the others still finish.
TEST(FailureTest, RecorderThatFailsEndsTheRun) {
  const Model model(test::pendulum());
  Spy broken, other;
  broken.on_record = [](const Sample& sample) {
    if (sample.time > 0.25) throw FileError("disk full");
  };
  EXPECT_THROW(Simulator(model, adaptive("erk", 1e-6, 1.0, 0.1)).run({&other, &broken}), FileError);
  ASSERT_EQ(other.outcomes.size(), 1u);
  EXPECT_EQ(other.outcomes[0].status, RunStatus::failed);
  EXPECT_EQ(other.outcomes[0].message, "disk full");
  EXPECT_EQ(other.samples.size(), 4u);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
