// A simulation in which somebody interferes: as a run if nobody does, forces of pushes, gravity, recordings,
// failure.
#include "cuttle/simulation/live_simulation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/driven_loops.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"
#include "support/paths.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

Scenario scenario_of(double duration, const IntegratorOptions& integrator = {}) {
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = 0.02;
  scenario.integrator = integrator;
  return scenario;
}

IntegratorOptions method(const std::string& type, std::optional<double> step = {}) {
  IntegratorOptions options;
  options.type = type, options.step = step;
  return options;
}

double drift(const Sample& sample) { return sample.energy() - (sample.input + sample.load - sample.dissipated); }

/// A soft arm that hangs from a hinge with friction.
Robot soft_arm() {
  Robot robot;
  robot.name = "soft_arm";
  robot.links.push_back({.name = "upper",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = dynamics({}, {0.05}),
                         .body = rigid_body(0.8, {0, 0.01, -0.1}, {0.01, 0.012, 0.003}, {0, 0, -0.2})});
  Link rod{.name = "rod", .body = rod_body(0.3, 0.02, "pcc", 0.1)};
  rod.parent.pose.rotation = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};  // on downwards
  robot.links.push_back(rod);
  robot.actuators.push_back(Actuator::joint("motor", "upper"));
  return robot;
}

// --- nobody interferes

TEST(LiveSimulation, IsTheRunIfNobodyInterferes) {
  Scenario scenario = scenario_of(1.2);  // over the jump and the bend of the loads
  scenario.initial["arm"] = {{0.7}, {-0.4}};
  scenario.inputs["motor"] = Signal::ramp(0.3, 0.6, 0.0, 0.5);
  const Robot robot = mixed_arm();
  for (const auto& [options, tolerance] :
       {std::pair(method("rk4", 0.0025), 1e-12), {method("bdf"), 2e-5}, {method("generalized_alpha", 0.02), 1e-9}}) {
    scenario.integrator = options;
    const Model model(robot);
    MemoryRecorder memory;
    Simulator(model, scenario).run({&memory});
    LiveSimulation live(robot, scenario);
    for (std::size_t k = 1; k < memory.samples().size(); ++k) {
      const Sample& expected = memory.samples()[k];
      EXPECT_NEAR(live.advance(expected.time - live.time()), expected.time - memory.samples()[k - 1].time, 1e-12);
      const Sample& found = live.sample();
      ASSERT_LT((found.q - expected.q).norm(), tolerance) << options.type << ", t = " << expected.time;
      ASSERT_LT((found.v - expected.v).norm(), 20 * tolerance) << options.type << ", t = " << expected.time;
      ASSERT_NEAR(found.energy(), expected.energy(), 10 * tolerance);
      ASSERT_NEAR(found.dissipated, expected.dissipated, 10 * tolerance);
      EXPECT_EQ(found.u, expected.u);
      EXPECT_EQ(found.tips.size(), expected.tips.size());
    }
  }
}

TEST(LiveSimulation, StopsWhenItsTimeIsUp) {
  LiveSimulation live(mixed_arm(), scenario_of(1.0));
  const auto start = std::chrono::steady_clock::now();
  const double advanced = live.advance(1e4, 0.05);
  EXPECT_GT(advanced, 0.0);
  EXPECT_LT(advanced, 1e4);
  EXPECT_DOUBLE_EQ(live.time(), advanced);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
  const std::atomic<bool> stop = true;
  live.stop = &stop;
  EXPECT_LT(live.advance(1e4), 1.0);
  EXPECT_EQ(live.failure(), "");
}

// --- driven motion

/// The hinge of soft_arm swings on and on, the rod follows.
Scenario driven_arm(double duration, const IntegratorOptions& integrator) {
  Scenario scenario = scenario_of(duration, integrator);
  scenario.motion.joints["upper"] = {Signal::sine(0.4, 0.8, 0.3, 0.1)};
  return scenario;
}

Robot flying_arm() {
  Robot robot = soft_arm();
  robot.name = "flying_arm", robot.floating_base = true;
  robot.links.insert(robot.links.begin(),
                     {.name = "hull", .body = rigid_body(2.0, {0.01, 0, 0}, {0.1, 0.2, 0.3}, {0, 0, -0.1})});
  robot.links[1].parent.link = "hull";
  return robot;
}

Scenario shaken_base(double duration, const IntegratorOptions& integrator) {
  Scenario scenario = scenario_of(duration, integrator);
  scenario.motion.base.position = {{Signal::sine(0.05, 0.9, 0.2, 0.0), 0.1, Signal::quintic(0.1, 0.7, 0.0, 0.2)}};
  scenario.motion.base.rpy = {{0.1, Signal::sine(0.3, 0.5, 0.0, 0.2), 0.2}};
  return scenario;
}

ScenarioFile gripped_rod() {
  return load_scenario_file(test::k_source_dir + "/models/examples/gripped_rod_scenario.yaml");
}

// Signals go on behind the scenario's duration: as a run that is longer.
TEST(LiveSimulation, DrivenMotionIsThatOfALongerRun) {
  struct Case {
    Robot robot;
    Scenario scenario;
    double until, tolerance;
  };
  std::vector<Case> cases;
  for (const auto& [options, tolerance] :
       {std::pair(method("rk4", 5e-4), 1e-11), {method("bdf"), 2e-5}, {method("generalized_alpha", 0.01), 1e-9}}) {
    cases.push_back({soft_arm(), driven_arm(0.4, options), 1.0, tolerance});
    cases.push_back({flying_arm(), shaken_base(0.4, options), 1.0, tolerance});
  }
  const ScenarioFile loop = gripped_rod();
  cases.push_back({loop.robot, loop.scenario, 1.0, 1e-9});
  for (Case& each : cases) {
    SCOPED_TRACE(each.robot.name + ", " + each.scenario.integrator.type);
    Scenario longer = each.scenario;
    longer.duration = each.until;
    MemoryRecorder memory;
    Simulator(Model(each.robot), longer).run({&memory});
    LiveSimulation live(each.robot, each.scenario);
    for (const Sample& expected : memory.samples()) {
      live.advance(expected.time - live.time());
      ASSERT_EQ(live.failure(), "");
      const Sample& found = live.sample();
      ASSERT_LT((found.q - expected.q).norm(), each.tolerance) << "t = " << expected.time;
      ASSERT_LT((found.v - expected.v).norm(), 100 * each.tolerance) << "t = " << expected.time;
      ASSERT_EQ(found.motion.size(), expected.motion.size());
      if (expected.time == 0.0) continue;  // with loops the efforts come with the first step
      ASSERT_LT((found.motion - expected.motion).norm(), 1e4 * each.tolerance * (1.0 + expected.motion.norm()));
      ASSERT_NEAR(found.load, expected.load, 1e3 * each.tolerance);
    }
  }
}

// Who interferes moves the rest: driven joints have no slider, and their signals know nothing of gravity and pulls.
TEST(LiveSimulation, DrivenJointsGoTheirWayWhoeverPulls) {
  for (const char* type : {"bdf", "generalized_alpha"}) {
    Scenario scenario = driven_arm(1.0, method(type));
    scenario.integrator.relative_tolerance = 1e-7, scenario.integrator.absolute_tolerance = 1e-9;
    const Signal signal = scenario.motion.joints.at("upper")[0];
    LiveSimulation live(soft_arm(), scenario);
    EXPECT_TRUE(live.joints().empty());
    const double start = drift(live.sample());
    live.advance(0.2);
    live.set_gravity(false);
    const Vector3 tip = live.sample().tips[1].position;
    live.push(1, tip, tip + Vector3{0.1, 0.05, 0});
    const VectorXd bent = live.sample().q;
    live.advance(0.6);
    ASSERT_EQ(live.failure(), "");
    EXPECT_NEAR(live.sample().q[0], signal.at(live.time()), 1e-14);
    EXPECT_NEAR(live.sample().v[0], signal.derivative(live.time()), 1e-13);
    EXPECT_GT((live.sample().q - bent).tail(bent.size() - 1).norm(), 0.1);
    EXPECT_NEAR(drift(live.sample()), start, 1e-4) << type;
    live.reset();
    EXPECT_EQ(live.sample().q[0], signal.at(0.0));
  }
}

// Where a velocity jumps at the end of the scenario there is nothing to follow.
TEST(LiveSimulation, EndsWhereADrivenMotionDoes) {
  Scenario scenario = scenario_of(0.5, method("generalized_alpha", 0.01));
  scenario.motion.joints["upper"] = {Signal::ramp(0.0, 0.5, 0.1, 0.6)};
  LiveSimulation live(soft_arm(), scenario);
  EXPECT_DOUBLE_EQ(live.advance(0.3), 0.3);
  const Scenario rest = live.snapshot();
  EXPECT_NEAR(rest.duration, 0.2, 1e-12);
  EXPECT_NO_THROW(Simulator(live.model(), rest));
  live.advance(1.0);
  EXPECT_EQ(live.failure(),
            "at t = 0.5 s: found the end of the driven motion, where a signal jumps; a reset begins anew, and signals "
            "without a jump of their velocity go on");
  EXPECT_NEAR(live.sample().q[0], 0.6, 1e-9);
  EXPECT_NO_THROW(Simulator(live.model(), live.snapshot()));
  EXPECT_EQ(live.snapshot().initial.at("upper").v, std::vector<double>{0.0});
  live.reset();
  EXPECT_EQ(live.failure(), "");
  EXPECT_DOUBLE_EQ(live.advance(0.5), 0.5);
  EXPECT_EQ(live.failure(), "");
}

TEST(LiveSimulation, ASavedScenarioGoesOnWithTheDrivenMotion) {
  const IntegratorOptions options = method("generalized_alpha", 0.01);
  const ScenarioFile loop = gripped_rod();
  struct Case {
    Robot robot;
    Scenario scenario;
    double tolerance;
  };
  // of accelerations the method remembers more than a scenario says
  for (const auto& [robot, scenario, tolerance] :
       {Case{soft_arm(), driven_arm(0.4, options), 1e-3}, Case{flying_arm(), shaken_base(0.4, options), 1e-3},
        Case{loop.robot, loop.scenario, 1e-3}}) {
    SCOPED_TRACE(robot.name);
    LiveSimulation live(robot, scenario);
    live.advance(0.5);
    LiveSimulation saved(robot, live.snapshot());
    EXPECT_LT((saved.sample().q - live.sample().q).norm(), 1e-9);
    EXPECT_LT((saved.sample().v - live.sample().v).norm(), 1e-3 * (1.0 + live.sample().v.norm()));  // loops close anew
    live.advance(0.2);
    saved.advance(0.2);
    EXPECT_LT((saved.sample().q - live.sample().q).norm(), tolerance);
  }
  // every kind of signal
  Scenario scenario = scenario_of(1.0);
  for (const Signal& signal :
       {Signal(0.3), Signal::sine(0.4, 0.8, 0.3, 0.1), Signal::cubic(0.2, 1.0, 0, 1), Signal::quintic(0.2, 1.0, 0, 1),
        Signal::minimum_jerk(0.2, 1.0, 0, 1), Signal::ramp(-1, 2, 0, 1), Signal::points({-1, 0, 2}, {0, 0.1, 0.3}),
        Signal::spline({-1, 0.5, 2}, {0.2, 0.1, 0.3})}) {
    scenario.motion.joints["upper"] = {signal};
    LiveSimulation live(soft_arm(), scenario);
    live.advance(0.6);
    const Scenario later = live.snapshot();
    for (const double time : {0.0, 0.1, 0.3}) {
      EXPECT_NEAR(later.motion.joints.at("upper")[0].at(time), signal.at(0.6 + time), 1e-14);
    }
  }
}

TEST(LiveSimulation, RecordingsHaveWhatDrivenMotionTakes) {
  LiveSimulation live(soft_arm(), driven_arm(1.0, method("bdf")));
  live.advance(0.3);
  auto recorder = std::make_unique<MemoryRecorder>();
  const MemoryRecorder& memory = *recorder;
  live.start_recording(std::move(recorder));
  live.advance(0.1);
  ASSERT_GE(memory.samples().size(), 5U);
  for (const Sample& sample : memory.samples()) EXPECT_GT(std::abs(sample.motion[0]), 0.1);
  EXPECT_EQ(memory.samples().back().motion, live.sample().motion);
}

// --- interfering

TEST(LiveSimulation, InputsGoToTheirValuesAndMoveTheRobot) {
  LiveSimulation live(soft_arm(), scenario_of(1.0));
  live.advance(0.1);
  EXPECT_EQ(live.input(0), 0.0);
  live.set_input(0, 0.6);
  EXPECT_EQ(live.input(0), 0.6);
  EXPECT_EQ(live.sample().u[0], 0.0);
  live.advance(0.01);
  EXPECT_NEAR(live.sample().u[0], 0.3, 1e-9);  // half of the 20 ms
  live.advance(0.01);
  EXPECT_NEAR(live.sample().u[0], 0.6, 1e-9);
  const double before = live.sample().q[0], start = drift(live.sample());
  live.advance(0.3);
  EXPECT_GT(live.sample().q[0], before + 0.02);
  EXPECT_NEAR(drift(live.sample()), start, 1e-5);
  EXPECT_THROW(live.set_input(1, 0.0), ArgumentError);
  EXPECT_THROW(live.set_input(0, std::nan("")), ArgumentError);
}

TEST(LiveSimulation, EnergiesBalanceWhereGravityIsSwitched) {
  for (const char* type : {"bdf", "generalized_alpha"}) {
    Scenario scenario = scenario_of(2.0, method(type));
    scenario.integrator.relative_tolerance = 1e-7, scenario.integrator.absolute_tolerance = 1e-9;
    scenario.initial["upper"] = {{0.8}, {}};
    LiveSimulation live(soft_arm(), scenario);
    const double start = live.sample().energy();
    live.advance(0.3);
    const double kinetic = live.sample().kinetic;
    live.set_gravity(false);
    EXPECT_FALSE(live.gravity());
    EXPECT_EQ(live.sample().gravity, 0.0);
    EXPECT_EQ(live.sample().kinetic, kinetic) << "nothing moves at the switch";
    EXPECT_NEAR(drift(live.sample()), start, 1e-4) << type;
    live.advance(0.3);
    EXPECT_NEAR(drift(live.sample()), start, 1e-4) << type;
    live.set_gravity(true);
    EXPECT_NE(live.sample().gravity, 0.0);
    live.advance(0.3);
    EXPECT_NEAR(drift(live.sample()), start, 1e-4) << type;
  }
}

TEST(LiveSimulation, APushTakesAJointToItsTarget) {
  for (const char* type : {"bdf", "generalized_alpha"}) {
    LiveSimulation live(soft_arm(), scenario_of(1.0, method(type)));
    ASSERT_EQ(live.joints().size(), 1u);
    EXPECT_EQ(live.joints()[0].name, "upper.joint.q0");
    EXPECT_EQ(live.joint_target(0), std::nullopt);
    live.hold_joint(0, 1.2);
    EXPECT_EQ(live.joint_target(0), 1.2);
    const double start = drift(live.sample());
    live.advance(3.0);
    EXPECT_NEAR(live.sample().q[0], 1.2, 0.12) << type;  // the weight pulls it back a little
    EXPECT_LT(live.sample().v.norm(), 0.1);
    EXPECT_NEAR(drift(live.sample()), start, 1e-3) << "the work of the push counts";
    EXPECT_GT(live.sample().load, 0.5);
    live.release_joint(0);
    live.advance(0.5);
    EXPECT_LT(live.sample().q[0], 1.0) << "it falls";
    EXPECT_THROW(live.hold_joint(3, 0.0), ArgumentError);
  }
}

TEST(LiveSimulation, APushPullsAPointTowardsItsTargetAndNeverHarderThanItsLimit) {
  for (const char* type : {"bdf", "generalized_alpha"}) {
    LiveSimulation live(soft_arm(), scenario_of(1.0, method(type)));
    const Vector3 tip = live.sample().tips.back().position;
    const Vector3 goal = tip + Vector3{0.1, 0.0, 0.05};
    live.push(1, tip, goal);
    const auto taken = live.pushing();
    ASSERT_TRUE(taken.has_value());
    EXPECT_LT(norm(taken->point - tip), 1e-9);
    EXPECT_LT(norm(taken->target - tip), 1e-9) << "it begins where the point is";
    const double start = drift(live.sample());
    for (int k = 0; k < 150; ++k) {
      live.advance(0.02);
      EXPECT_LE(norm(live.pushing()->force), live.pushing()->limit * (1.0 + 1e-12));
    }
    EXPECT_LT(norm(live.pushing()->target - goal), 1e-12);
    EXPECT_LT(norm(live.pushing()->point - goal), 0.6 * norm(tip - goal)) << type;
    EXPECT_NEAR(drift(live.sample()), start, 1e-3);
    live.move_push({50.0, 0.0, 0.0});
    live.advance(0.2);
    EXPECT_EQ(live.failure(), "");
    EXPECT_LE(norm(live.pushing()->force), live.pushing()->limit);
    EXPECT_GT(norm(live.pushing()->force), 0.5 * live.pushing()->limit);
    live.let_go();
    EXPECT_FALSE(live.pushing().has_value());
    live.advance(0.1);
    EXPECT_EQ(live.failure(), "");
  }
}

TEST(LiveSimulation, APushTakesTheMaterialPointThatIsNearest) {
  Scenario scenario = scenario_of(1.0);
  scenario.initial["rod"] = {{1.1, -0.4, 0.02}, {}};
  const Robot robot = soft_arm();
  LiveSimulation live(robot, scenario);
  Robot marked = robot;
  const Vector3 offset{0.004, 0.003, 0.0};
  marked.markers.push_back({"there", {"rod", PortLocation::section(0.17), {Matrix3::identity(), offset}}});
  const Model model(marked);
  Data data(model);
  const Vector3 there =
      forward_kinematics<double>(model, data, live.sample().q).pose(model.marker_frame("there")).position;
  live.push(1, there, there);
  EXPECT_LT(norm(live.pushing()->point - there), 2e-4);  // the backbone between its stations is straight there
  live.push(0, {0.02, 0.0, -0.1}, {});
  EXPECT_LT(norm(live.pushing()->point - Vector3{0.02, 0.0, -0.1}), 1e-12) << "a rigid link has every point";
  EXPECT_THROW(live.push(7, {}, {}), ArgumentError);
  EXPECT_THROW(live.push(0, {std::nan(""), 0, 0}, {}), ArgumentError);
}

// --- states

TEST(LiveSimulation, ASnapshotGoesOnWhereItWas) {
  Scenario scenario = scenario_of(1.0, method("rk4", 0.001));
  scenario.initial["arm"] = {{0.7}, {-0.4}};
  Robot robot = mixed_arm();
  robot.loads.clear();
  LiveSimulation live(robot, scenario);
  live.set_input(0, 0.3);
  live.advance(0.4);
  const Scenario snapshot = live.snapshot();
  LiveSimulation other(robot, snapshot);
  EXPECT_EQ(other.sample().q, live.sample().q);
  EXPECT_EQ(other.sample().v, live.sample().v);
  EXPECT_EQ(other.input(0), 0.3);
  live.advance(0.2), other.advance(0.2);
  EXPECT_LT((other.sample().q - live.sample().q).norm(), 1e-9);
}

TEST(LiveSimulation, ResetsToTheStart) {
  Scenario scenario = scenario_of(1.0);
  scenario.initial["upper"] = {{0.5}, {1.0}};
  LiveSimulation live(soft_arm(), scenario);
  const VectorXd q = live.sample().q, v = live.sample().v;
  live.set_input(0, 0.4);
  live.push(1, {0, 0, -0.4}, {0.3, 0, -0.4});
  live.hold_joint(0, 1.0);
  live.advance(0.3);
  live.reset();
  EXPECT_EQ(live.time(), 0.0);
  EXPECT_EQ(live.sample().q, q);
  EXPECT_EQ(live.sample().v, v);
  EXPECT_EQ(live.sample().load, 0.0);
  EXPECT_EQ(live.input(0), 0.0);
  EXPECT_FALSE(live.pushing().has_value());
  EXPECT_EQ(live.joint_target(0), std::nullopt);
  EXPECT_GT(live.advance(0.1), 0.09);
}

TEST(LiveSimulation, AFailureStaysUntilAReset) {
  Scenario scenario = scenario_of(1.0, method("rk4", 0.05));  // far too long for the rod's stretch
  scenario.initial["rod"] = {{0.0, 0.0, 0.1}, {}};
  LiveSimulation live(soft_arm(), scenario);
  auto memory = std::make_unique<MemoryRecorder>();
  live.start_recording(std::move(memory));
  live.advance(5.0);
  ASSERT_NE(live.failure(), "");
  EXPECT_FALSE(live.recording());
  const double time = live.time();
  EXPECT_EQ(live.advance(1.0), 0.0);
  EXPECT_EQ(live.time(), time);
  EXPECT_TRUE(live.sample().q.allFinite());
  live.reset();
  EXPECT_EQ(live.failure(), "");
  EXPECT_GT(live.advance(0.05), 0.0);
}

// --- recordings

/// Keeps what it gets where the test can see it.
class Listener final : public Recorder {
 public:
  explicit Listener(std::vector<Sample>& samples, Outcome& outcome) : samples_(samples), outcome_(outcome) {}
  void begin(const Model&, const Scenario&) override {}
  void record(const Sample& sample) override { samples_.push_back(sample); }
  void finish(const Outcome& outcome) override { outcome_ = outcome; }

 private:
  std::vector<Sample>& samples_;
  Outcome& outcome_;
};

TEST(LiveSimulation, RecordsARunThatBeginsWhereItIs) {
  LiveSimulation live(soft_arm(), scenario_of(1.0));
  live.set_input(0, 0.5);
  live.advance(0.137);
  std::vector<Sample> rows;
  Outcome outcome;
  live.start_recording(std::make_unique<Listener>(rows, outcome));
  EXPECT_THROW(live.start_recording(std::make_unique<Listener>(rows, outcome)), ArgumentError);
  for (int k = 0; k < 20; ++k) {
    if (k == 10) live.set_gravity(false);
    live.advance(1.0 / 60.0);
  }
  EXPECT_EQ(live.recorded_rows(), 17);  // 0 to 0.32 s
  live.stop_recording();
  EXPECT_FALSE(live.recording());
  ASSERT_EQ(rows.size(), 17u);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_DOUBLE_EQ(rows[k].time, 0.02 * static_cast<double>(k));
  EXPECT_EQ(rows[0].input, 0.0);
  EXPECT_EQ(rows[0].dissipated, 0.0);
  EXPECT_EQ(outcome.status, RunStatus::complete);
  EXPECT_GT(outcome.peak_kinetic, 0.0);
  EXPECT_LT(outcome.energy_error, 1e-4) << "with the switch of gravity as work";
}

// --- robots with loops, floating robots, scales

TEST(LiveSimulation, PullsAtRobotsWithLoops) {
  const Robot robot = FourBar().robot();
  LiveSimulation live(robot, scenario_of(1.0));
  EXPECT_EQ(live.integrator(), "generalized_alpha");
  const Vector3 point = live.sample().tips.front().position;
  live.push(0, point, point + Vector3{0.1, 0.0, 0.1});
  live.hold_joint(0, live.sample().q[0] + 0.3);
  live.advance(0.5);
  EXPECT_EQ(live.failure(), "");
  EXPECT_LT(live.sample().loop_residual.cwiseAbs().maxCoeff(), 1e-6);
}

// Time that is shorter than a step takes: parts of a call do not shrink to nothing.
TEST(LiveSimulation, GoesOnWhereEachStepTakesLongerThanThereIsTime) {
  Robot robot = read_robot_text(R"(cuttle: 1
links:
  - name: ball
    joint: {type: free}
    body: {type: rigid, mass: 1, com: [0, 0, -0.1], inertia: [0.01, 0.02, 0.03, 0, 0, 0]}
loops:
  - {name: grip, type: spherical, a: {link: base}, b: {link: ball, at: base}, drive: {position: [{type: sine, amplitude: 0.1, frequency: 0.5}, 0, 0]}}
)",
                                "held.yaml");
  Scenario scenario;
  scenario.output_step = 0.01;
  drive_loops(robot, scenario.motion);
  LiveSimulation live(robot, scenario);
  for (int i = 0; i < 300; ++i) live.advance(0.05, 1e-9);
  EXPECT_EQ(live.failure(), "");
  EXPECT_GE(live.sample().time, 300 * 0.99e-5);
}

TEST(LiveSimulation, SlidersReachWhereOneSeesSomethingAndNothingBursts) {
  Scenario scenario = scenario_of(1.0);
  const Robot robot = soft_arm();
  const Model model(robot);
  const auto ranges = input_ranges(model, scenario, model.neutral());
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].min, -ranges[0].max);
  LiveSimulation live(robot, scenario);
  live.set_input(0, ranges[0].max);
  const Vector3 before = live.sample().tips.back().position;
  live.advance(4.0);
  EXPECT_EQ(live.failure(), "");
  const double moved = norm(live.sample().tips.back().position - before);
  EXPECT_GT(moved, 0.05 * robot_reach(model));
  scenario.inputs["motor"] = Signal::sine(2.0, 1.0, 0.0, 0.0);
  EXPECT_DOUBLE_EQ(input_ranges(model, scenario, model.neutral())[0].max, 5.0);  // 3, rounded up
}

TEST(LiveSimulation, SlidersOfTorquesAboutAnAxisThroughAllTipsAreThoseOfOthers) {
  const ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/examples/drone_arm_scenario.yaml");
  const Model model(file.robot);
  Scenario bare = file.scenario;
  bare.inputs.clear();
  const auto ranges = input_ranges(model, bare, model.neutral());
  ASSERT_EQ(model.input_info()[2].name, "rotors.tz");
  EXPECT_GT(ranges[2].max, 0.1 * ranges[1].max);
  EXPECT_LT(ranges[2].max, 10.0 * ranges[1].max);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
