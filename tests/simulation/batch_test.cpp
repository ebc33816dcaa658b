// A batch must say of every robot what the robot alone says: lanes that differ in everything, the single algorithms as
// the reference.
#include "cuttle/simulation/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/point_body.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "spatial/instruction_set.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle {
namespace {

using ::testing::HasSubstr;

constexpr int k_robots = 11;  // no multiple of any width
constexpr double k_tolerance = 1e-12;

/// The same robot with other numbers: lengths, masses, moduli and springs, each robot by another factor.
test::PlainRobot varied(test::PlainRobot robot, int index) {
  const double f = 1.0 + 0.07 * index, g = 1.0 - 0.03 * index, h = 1.0 + 0.2 * index;
  robot.gravity = {0.3 * index, robot.gravity[1], robot.gravity[2] * g};
  for (test::PlainLink& link : robot.links) {
    link.parent.pose.position[1] *= f;
    link.parent.pose.rpy[0] += 0.1 * index;
    for (double& k : link.joint.stiffness) k *= h;
    for (double& d : link.joint.damping) d *= f;
    for (double& a : link.joint.armature) a *= h;
    link.joint.axis[0] += 0.05 * index;
    if (link.rigid) {
      link.rigid->mass *= h;
      link.rigid->com[2] += 0.01 * index;
      for (double& i : link.rigid->inertia) i *= h;
    }
    if (!link.rod) continue;
    link.rod->length *= f;  // ports at {s} stay, so they pass sections from robot to robot
    if (link.rod->young_modulus) *link.rod->young_modulus *= h;
    if (link.rod->density) *link.rod->density *= g;
    if (link.rod->damping_time) *link.rod->damping_time *= f;
    if (link.rod->viscosity) *link.rod->viscosity *= h;
    for (auto& stiffness : link.rod->stiffness) {
      for (double& k : stiffness) k *= h;
    }
  }
  return robot;
}

struct Robots {
  std::vector<Model> models;
  RowMatrixXd q, v, a;

  explicit Robots(const test::PlainRobot& plain, unsigned seed = 1) {
    for (int i = 0; i < k_robots; ++i) models.emplace_back(test::to_robot(varied(plain, i)));
    fill(seed);
  }
  explicit Robots(std::vector<Model> given) : models(std::move(given)) { fill(1); }

  /// Random states; robot 2 is at exactly zero strain and zero angles.
  void fill(unsigned seed) {
    const Model& first = models[0];
    const int count = static_cast<int>(models.size());
    q.resize(count, first.nq()), v.resize(count, first.nv()), a.resize(count, first.nv());
    test::Random random(seed);
    for (int i = 0; i < count; ++i) {
      const test::RandomState state = test::random_state(models[i], random);
      q.row(i) = state.q.transpose(), v.row(i) = state.v.transpose(), a.row(i) = state.a.transpose();
    }
    if (count > 2) q.row(2) = models[2].neutral().transpose();
  }
};

void expect_near(const VectorXd& found, const VectorXd& expected, const std::string& what) {
  ASSERT_TRUE(expected.allFinite()) << what;
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), k_tolerance * expected.lpNorm<Eigen::Infinity>()) << what;
}

/// All algorithms of all robots against the robots alone.
void expect_same(Robots& robots, const std::string& name, bool side_by_side = true) {
  Batch batch(robots.models);
  EXPECT_EQ(batch.width() > 1, side_by_side) << name;
  const int count = batch.size();
  const RowMatrixXd tau = batch.inverse_dynamics(robots.q, robots.v, robots.a);
  EXPECT_TRUE(batch.all_good()) << name;
  const RowMatrixXd a = batch.forward_dynamics(robots.q, robots.v, tau);
  EXPECT_TRUE(batch.all_good()) << name;
  const RowMatrixXd mass = batch.mass_matrix(robots.q);
  const RowMatrixXd energies = batch.energies(robots.q, robots.v);
  for (int i = 0; i < count; ++i) {
    const Model& model = robots.models[i];
    Data data(model);
    const VectorXd q = robots.q.row(i), v = robots.v.row(i);
    const std::string what = name + ", robot " + std::to_string(i);
    expect_near(tau.row(i), inverse_dynamics(model, data, q, v, robots.a.row(i)), what + ": inverse dynamics");
    const MatrixXd M = mass_matrix(model, data, q);
    expect_near(mass.row(i), Eigen::Map<const VectorXd>(M.data(), M.size()), what + ": mass matrix");
    const Eigen::Vector3d energy(kinetic_energy<double>(model, data, q, v), gravity_energy<double>(model, data, q),
                                 elastic_energy<double>(model, data, q));
    expect_near(energies.row(i), energy, what + ": energies");
    // accelerations of ill-conditioned robots differ by rounding: compare the forces that they need
    const VectorXd alone = forward_dynamics(model, data, q, v, tau.row(i));
    const VectorXd difference = M * (VectorXd(a.row(i)) - alone);
    EXPECT_LE(difference.lpNorm<Eigen::Infinity>(),
              k_tolerance * (tau.row(i).lpNorm<Eigen::Infinity>() + (M.cwiseAbs() * alone.cwiseAbs()).maxCoeff()))
        << what << ": forward dynamics";
  }
}

TEST(BatchTest, EveryLaneAgreesWithTheRobotAlone) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    test::RandomRobotOptions options;
    options.floating = seed % 2 == 0;
    options.max_links = 7;
    Robots robots(test::random_robot(seed, options), seed);
    expect_same(robots, "seed " + std::to_string(seed));
  }
}

TEST(BatchTest, EveryJointAndLaw) {
  for (const std::string& joint : test::all_joints()) {
    test::RandomRobotOptions options;
    options.min_links = options.max_links = 3;
    options.cells = {{joint, "rigid", "tip"}, {joint, "rod", "tip"}};
    Robots robots(test::random_robot(77, options));
    expect_same(robots, joint);
  }
  RodParameters p;
  p.length = 0.3;
  p.section.radius = 0.02;
  p.material = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  p.strain = strain_shorthand("pcc", p.length);
  for (const bool tanh : {false, true}) {
    std::vector<Model> models;
    for (int i = 0; i < k_robots; ++i) {
      p.hyperelastic_bend.emplace(), p.hyperelastic_stretch.emplace();
      p.hyperelastic_stretch->polynomial = {20.0 + i, 3.0};
      if (tanh) {
        p.hyperelastic_bend->tanh = {1.0, 0.5 + 0.1 * i, 2.0};
      } else {
        p.hyperelastic_bend->polynomial = {1.0 + 0.1 * i, 0.2, 0.01};
      }
      Robot robot;
      robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
      models.emplace_back(robot);
    }
    Robots robots(models);
    expect_same(robots, tanh ? "tanh" : "polynomial");
  }
}

// Curvatures and rotations near pi, where logarithms turn over, beside a lane at zero strain and one that is huge.
TEST(BatchTest, SpecialStatesSideBySide) {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot = test::mixed_arm();
    robot.gravity.x = 0.1 * i;
    models.emplace_back(robot);
  }
  Robots robots(models);
  const double pi = std::numbers::pi;
  const int rod = models[0].links()[2].q, ball = models[0].links()[1].q;
  const double angles[] = {0.0, pi, pi * (1 - 1e-9), 1e-9, 2 * pi, 3.3, -pi, 9.0, 1e-160, 40.0, 0.5};
  for (int i = 0; i < k_robots; ++i) {
    robots.q.row(i).segment(rod, 6).setZero();
    robots.q(i, rod) = angles[i];
    const double half = 0.5 * std::remainder(angles[i], 2 * pi);
    robots.q.row(i).segment(ball, 4) =
        Eigen::RowVector4d(std::cos(half), 0.6 * std::sin(half), 0.0, 0.8 * std::sin(half));
  }
  expect_same(robots, "special");
}

// The widths are those that the instruction set gives: the tests batch_with_* run this file with each of them.
TEST(BatchTest, LanesAreThoseOfTheInstructionSet) {
  const char* wish = std::getenv("CUTTLE_ISA");
  const std::map<std::string, std::pair<InstructionSet, int>> widths{{"baseline", {InstructionSet::baseline, 2}},
                                                                     {"avx2", {InstructionSet::avx2, 4}},
                                                                     {"avx512", {InstructionSet::avx512, 8}}};
  const Batch batch(Model(test::pendulum()), 3);
  if (wish != nullptr) {
    const auto& [set, width] = widths.at(wish);
    if (instruction_set() != set) GTEST_SKIP() << "NOT TESTED: this CPU does not have " << wish;
    EXPECT_EQ(batch.width(), width);
    return;
  }
  EXPECT_GE(batch.width(), 2);
}

TEST(BatchTest, EqualRobotsShareOneModel) {
  const Model model(test::mixed_arm());
  Robots robots(std::vector<Model>(k_robots, model));
  Batch one(model, k_robots), many(robots.models);
  EXPECT_EQ(one.size(), k_robots);
  const RowMatrixXd tau = many.inverse_dynamics(robots.q, robots.v, robots.a);
  EXPECT_EQ(one.inverse_dynamics(robots.q, robots.v, robots.a), tau);
}

TEST(BatchTest, ThreadsDoNotChangeABit) {
  Robots robots(test::random_robot(5));
  Batch one(robots.models, 1), two(robots.models, 2);
  EXPECT_EQ(one.inverse_dynamics(robots.q, robots.v, robots.a), two.inverse_dynamics(robots.q, robots.v, robots.a));
  EXPECT_EQ(one.forward_dynamics(robots.q, robots.v, robots.a), two.forward_dynamics(robots.q, robots.v, robots.a));
}

// --- failures
// ---------------------------------------------------------------------------------------------------------

std::vector<Model> arms() {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot = test::mixed_arm();
    robot.gravity.y = 0.2 * i;
    robot.loads[0].force[0] = Signal::sine(0.3 + 0.1 * i, 5.0, 0.2, 0.1);
    robot.loads[1].force[1] = Signal::step(0.0213 + 0.004 * (i % 3), 0.1 * i, 0.4);  // they jump at three times
    models.emplace_back(robot);
  }
  return models;
}

TEST(BatchFailureTest, AFailedLaneLeavesTheOthersRight) {
  Robots robots(arms());
  Batch batch(robots.models);
  const RowMatrixXd tau = batch.inverse_dynamics(robots.q, robots.v, robots.a);
  const RowMatrixXd a = batch.forward_dynamics(robots.q, robots.v, tau);
  const int ball = robots.models[0].links()[1].q;
  RowMatrixXd q = robots.q, v = robots.v;
  q(1, 0) = std::numeric_limits<double>::quiet_NaN();
  q(4, ball) *= 1.1;                        // no unit quaternion
  q.row(6).segment(ball, 4) *= 1.0 + 1e-7;  // near enough: normalized
  v(9, 2) = std::numeric_limits<double>::infinity();
  const RowMatrixXd tau_found = batch.inverse_dynamics(q, v, robots.a);
  const auto expect_rows = [&](const RowMatrixXd& found, const RowMatrixXd& expected, const std::string& what) {
    for (int i = 0; i < k_robots; ++i) {
      const bool bad = i == 1 || i == 4 || i == 9;
      EXPECT_EQ(batch.status()[i], bad ? RobotStatus::bad_argument : RobotStatus::good) << what << ", robot " << i;
      if (bad) {
        EXPECT_TRUE(found.row(i).array().isNaN().all()) << what << ", robot " << i;
      } else {
        expect_near(found.row(i), expected.row(i), what + ", robot " + std::to_string(i));
      }
    }
  };
  expect_rows(tau_found, tau, "inverse dynamics");
  expect_rows(batch.forward_dynamics(q, v, tau), a, "forward dynamics");
}

TEST(BatchFailureTest, ASingularMassMatrixIsALanesOwn) {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot;
    for (const char* name : {"upper", "lower"}) {
      const double mass = i == 3 && std::string(name) == "lower" ? 0.0 : 1.0 + 0.1 * i;
      robot.links.push_back({.name = name,
                             .joint = make_revolute_joint<double>({0, 1, 0}),
                             .body = test::rigid_body(mass, {0, 0, -0.5}, {}, {0, 0, -1})});
    }
    models.emplace_back(robot);
  }
  Robots robots(models);
  Batch batch(robots.models);
  const RowMatrixXd a = batch.forward_dynamics(robots.q, robots.v, robots.a);
  for (int i = 0; i < k_robots; ++i) {
    EXPECT_EQ(batch.status()[i], i == 3 ? RobotStatus::singular_mass : RobotStatus::good) << i;
    if (i == 3) {
      EXPECT_TRUE(a.row(i).array().isNaN().all());
      continue;
    }
    Data data(models[i]);
    expect_near(a.row(i), forward_dynamics(models[i], data, robots.q.row(i), robots.v.row(i), robots.a.row(i)),
                "robot " + std::to_string(i));
  }
}

// --- roll-outs
// --------------------------------------------------------------------------------------------------------

Scenario scenario_of(const RolloutOptions& options, const Model& model, const RowMatrixXd& q, const RowMatrixXd& v,
                     int robot) {
  Scenario s;
  s.duration = options.duration;
  s.output_step = options.output_step > 0.0 ? options.output_step : options.duration;
  s.integrator.type = options.method;
  s.integrator.step = options.step;
  s.inputs = options.inputs;
  for (const auto& link : model.links()) {
    const auto part = [robot](const RowMatrixXd& x, int first, int n) {
      const VectorXd values = x.row(robot).segment(first, n);
      return std::vector<double>(values.data(), values.data() + n);
    };
    s.initial[link.name] = {part(q, link.q, link.nq), part(v, link.v, link.nv)};
  }
  return s;
}

// Quaternions, inputs that jump between steps, loads that differ from robot to robot.
TEST(BatchRolloutTest, EveryRobotMovesAsAlone) {
  for (const char* method : {"rk4", "tsit5"}) {
    Robots robots(arms());
    RolloutOptions options;
    options.method = method;
    options.step = 1.3e-3;
    options.duration = 0.1;
    options.output_step = 0.03;
    options.inputs["motor"] = Signal::step(0.0417, 0.3, -0.5);
    Batch batch(robots.models);
    const Rollout rollout = batch.rollout(robots.q, 0.2 * robots.v, options);
    EXPECT_TRUE(batch.all_good());
    ASSERT_EQ(rollout.times.size(), 5u);
    for (int i = 0; i < k_robots; ++i) {
      const Model& model = robots.models[i];
      MemoryRecorder memory;
      const Scenario scenario = scenario_of(options, model, robots.q, 0.2 * robots.v, i);
      Simulator(model, scenario).run({&memory});
      ASSERT_EQ(memory.samples().size(), rollout.times.size());
      EXPECT_EQ(rollout.failure_time[i], options.duration);
      for (std::size_t k = 0; k < rollout.times.size(); ++k) {
        const Sample& sample = memory.samples()[k];
        const std::string what = std::string(method) + ", robot " + std::to_string(i) + ", sample " + std::to_string(k);
        EXPECT_EQ(sample.time, rollout.times[k]);
        expect_near(rollout.q_samples.row(i).segment(static_cast<Eigen::Index>(k) * model.nq(), model.nq()), sample.q,
                    what);
        expect_near(rollout.v_samples.row(i).segment(static_cast<Eigen::Index>(k) * model.nv(), model.nv()), sample.v,
                    what);
      }
      expect_near(rollout.q.row(i), memory.samples().back().q, "end");
    }
  }
}

// Tendons differ from robot to robot in their numbers, and in what they ask of their inputs.
TEST(BatchRolloutTest, TendonsPullAsAlone) {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot;
    robot.links.push_back({.name = "rod1", .body = test::rod_body(0.3 + 0.004 * i, 0.02, "pcc", 0.05)});
    robot.links.push_back({.name = "plate",
                           .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}),
                           .joint_dynamics = test::dynamics({0.3, 0.2}, {0.002, 0.001}),
                           .body = test::rigid_body(0.05, {0, 0, 0.005}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
    robot.links.push_back({.name = "rod2", .body = test::rod_body(0.2, 0.015, "kirchhoff", 0.05)});
    Routing first, second, wound;
    first.link = "rod1", first.offset = {{0.012, 0.001 * i}, {0.01, 0.0}};
    second.link = "rod2", second.offset = {{0.009, -0.0005 * i}};
    wound.link = "rod2", wound.helix = Routing::Helix{0.008 + 1e-4 * i, 1.0, -0.75};
    robot.actuators = {Actuator::tendon("through", {first, second}), Actuator::tendon("wound", {wound}, Slack::clip),
                       Actuator::chamber("pocket", "rod1", {-0.01, 1e-4 * i}, 4e-5)};
    models.emplace_back(robot);
  }
  const Model& first = models[0];
  const RowMatrixXd q = RowMatrixXd::Zero(k_robots, first.nq()), v = RowMatrixXd::Zero(k_robots, first.nv());
  RolloutOptions options;
  options.method = "rk4", options.step = 5e-4, options.duration = 0.1;
  options.inputs = {{"through", 4.0}, {"wound", Signal::sine(3.0, 13.0, 0.3, 0.0)}, {"pocket", 1e4}};
  Batch batch(models);
  EXPECT_EQ(batch.width(), Batch(Model(test::mixed_arm()), 1).width());  // side by side, not one by one
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  for (int i = 0; i < k_robots; ++i) {
    MemoryRecorder memory;
    Simulator(models[i], scenario_of(options, models[i], q, v, i)).run({&memory});
    expect_near(rollout.q.row(i), memory.samples().back().q, "robot " + std::to_string(i));
    EXPECT_GT(rollout.q.row(i).norm(), 0.1);
  }

  // the robots that are told to push with what cannot fail, each alone
  options.inputs = {};
  options.held_inputs = RowMatrixXd::Constant(k_robots, 3, 1.0);
  options.held_inputs(2, 0) = -1.0, options.held_inputs(3, 1) = -1.0;
  const Rollout pushed = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    EXPECT_EQ(batch.status()[i], i == 2 ? RobotStatus::bad_argument : RobotStatus::good) << i;
    EXPECT_EQ(pushed.q.row(i).norm() > 0.0, i != 2) << i;
  }

  models.back() = [&] {
    Robot robot = models.back().robot();
    robot.actuators[1].slack = Slack::allow;
    return Model(robot);
  }();
  EXPECT_THROW(Batch{models}, ArgumentError);
}

TEST(BatchRolloutTest, HeldInputsAreEachRobotsOwn) {
  const Model model(test::pendulum());
  Batch batch(model, k_robots);
  const RowMatrixXd q = RowMatrixXd::Zero(k_robots, 1), v = q;
  RolloutOptions options;
  options.duration = 0.6;
  options.step = 2e-3;
  options.held_inputs.resize(k_robots, 3);
  for (int i = 0; i < k_robots; ++i) options.held_inputs.row(i) << 0.1 * i, -0.2 * i, 0.3;
  const Rollout rollout = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    Scenario s = scenario_of(options, model, q, v, i);
    s.inputs["motor"] = Signal::table({0.0, 0.2, 0.4}, {0.1 * i, -0.2 * i, 0.3}, true);
    MemoryRecorder memory;
    Simulator(model, s).run({&memory});
    EXPECT_NEAR(rollout.q(i, 0), memory.samples().back().q[0], 1e-13);
    EXPECT_NEAR(rollout.v(i, 0), memory.samples().back().v[0], 1e-12);
  }
}

// A jump belongs to what comes after it, also where the time since the start is rounded: 1.53 + (3.78 - 1.53) > 3.78.
TEST(BatchRolloutTest, AJumpIsReadByTheClock) {
  const Model model(test::pendulum());
  Batch batch(model, 3);
  const RowMatrixXd zero = RowMatrixXd::Zero(3, 1);
  for (const auto& [jump, start] : {std::pair(3.78, 1.53), std::pair(0.3, 0.1), std::pair(1.1, 0.7)}) {
    RolloutOptions options;
    options.method = "rk4";  // its last stage is at the end of a step
    options.start = start;
    options.duration = jump - start + 0.01;
    options.step = 1e-2;
    options.inputs["motor"] = Signal::step(jump, 0.0, 1e3);
    options.output_step = jump - start;
    const Rollout rollout = batch.rollout(zero, zero, options);
    ASSERT_EQ(rollout.times.size(), 3u);
    EXPECT_EQ(rollout.q_samples(0, 1), 0.0) << jump << ", " << start;  // nothing moved before the jump
    EXPECT_NEAR(rollout.v_samples(0, 2), 10.0, 0.1) << jump << ", " << start;
  }
}

// A roll-out may be cut anywhere where a step ends.
TEST(BatchRolloutTest, GoesOnFromAStart) {
  Robots robots(arms());
  Batch batch(robots.models);
  RolloutOptions options;
  options.step = 1e-3;
  options.duration = 0.04;
  options.output_step = 0.02;  // steps end there in both
  options.inputs["motor"] = Signal::sine(0.5, 7.0, 0.1, 0.0);
  const Rollout whole = batch.rollout(robots.q, robots.v, options);
  options.duration = 0.02;
  const Rollout half = batch.rollout(robots.q, robots.v, options);
  options.start = 0.02;
  const Rollout rest = batch.rollout(half.q, half.v, options);
  for (int i = 0; i < k_robots; ++i) expect_near(rest.q.row(i), whole.q.row(i), "robot " + std::to_string(i));
}

TEST(BatchRolloutTest, AFailedRobotStaysAtItsLastGoodState) {
  Robots robots(arms());
  Batch batch(robots.models);
  RolloutOptions options;
  options.step = 2e-3;
  options.duration = 0.05;
  const Rollout good = batch.rollout(robots.q, 0.1 * robots.v, options);
  ASSERT_TRUE(batch.all_good());
  RowMatrixXd q = robots.q, v = 0.1 * robots.v;
  const int rod = robots.models[0].links()[3].v;
  v(5, rod) = 1e9;  // beyond what the step can follow
  q(8, 0) = std::numeric_limits<double>::quiet_NaN();
  options.output_step = 0.05;
  const Rollout found = batch.rollout(q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    if (i == 5) {
      EXPECT_EQ(batch.status()[i], RobotStatus::not_finite);
      EXPECT_LT(found.failure_time[i], options.duration);
      EXPECT_TRUE(found.q.row(i).allFinite() && found.v.row(i).allFinite());
    } else if (i == 8) {
      EXPECT_EQ(batch.status()[i], RobotStatus::bad_argument);
      EXPECT_EQ(found.q.row(i).tail(batch.nq() - 1), q.row(i).tail(batch.nq() - 1));  // as it was given
      EXPECT_TRUE(found.q_samples.row(i).array().isNaN().all());
      EXPECT_EQ(found.failure_time[i], 0.0);
    } else {
      EXPECT_EQ(batch.status()[i], RobotStatus::good);
      expect_near(found.q.row(i), good.q.row(i), "robot " + std::to_string(i));
    }
  }
}

// --- bodies of users, and misuse
// --------------------------------------------------------------------------------------

/// Points on a rod that bends by one angle.
struct Arc {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    return {x.x + T(0.5) * q[0] * x.z * x.z, x.y, x.z};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return T(2.0) * q[0] * q[0];
  }
};

/// Robots with such a body, of other sizes and with other numbers of points.
std::vector<Model> arcs() {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot = test::mixed_arm();
    robot.loads[1].force[1] = Signal::step(0.005, 0.1 * i, 0.4);
    auto body = std::make_shared<PointBodyT<double, Arc>>(
        point_cylinder(0.2, 0.01 + 0.001 * i, 1000.0, 3 + i % 4, 2 + i % 2, 4 + i));
    robot.links.push_back({.name = "soft", .body = body});
    models.emplace_back(robot);
  }
  return models;
}

TEST(BatchTest, BodiesOfOneScalarRunOneByOne) {
  Robots robots(arcs());
  expect_same(robots, "point body", false);
}

TEST(BatchRolloutTest, BodiesOfOneScalarMoveOneByOne) {
  Robots robots(arcs());
  Batch batch(robots.models);
  RolloutOptions options;
  options.duration = 0.01;
  options.step = 1e-3;
  RowMatrixXd v = 0.1 * robots.v;
  v(4, batch.nv() - 1) = 1e9;
  const Rollout rollout = batch.rollout(robots.q, v, options);
  for (int i = 0; i < k_robots; ++i) {
    if (i == 4) {
      EXPECT_NE(batch.status()[i], RobotStatus::good);
      EXPECT_LT(rollout.failure_time[i], options.duration);
      continue;
    }
    MemoryRecorder memory;
    const Scenario scenario = scenario_of(options, robots.models[i], robots.q, v, i);
    Simulator(robots.models[i], scenario).run({&memory});
    expect_near(rollout.q.row(i), memory.samples().back().q, "robot " + std::to_string(i));
  }
}

/// A body that says where it is not defined.
struct Short {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    return {x.x, x.y, x.z * (T(1.0) + q[0])};
  }
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    return T(100.0) * F.row2.z * F.row2.z;
  }
};

TEST(BatchFailureTest, AnUndefinedShapeIsARobotsOwn) {
  Robot robot;
  robot.links.push_back(
      {.name = "soft",
       .body = std::make_shared<PointBodyT<double, Short>>(point_cylinder(0.2, 0.01, 1000.0, 3, 2, 4))});
  Batch batch(Model(robot), 3);
  RowMatrixXd q(3, 1), v = RowMatrixXd::Zero(3, 1);
  q << 0.1, -1.5, 0.2;  // the second is turned inside out
  const RowMatrixXd tau = batch.inverse_dynamics(q, v, v);
  EXPECT_THAT(batch.status(), ::testing::ElementsAre(RobotStatus::good, RobotStatus::undefined, RobotStatus::good));
  EXPECT_TRUE(std::isnan(tau(1, 0)) && std::isfinite(tau(0, 0)) && std::isfinite(tau(2, 0)));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BatchTest, ErrorsSayWhatIsWrong) {
  std::vector<Model> models(3, Model(test::mixed_arm()));
  Robot other = test::mixed_arm();
  other.links[2].body = test::rod_body(0.3, 0.02, "pcs", 0.05);
  models[2] = Model(other);
  EXPECT_EQ(error_of([&] { Batch batch(models); }),
            "Batch: robot 2: link 'rod1': found 6 coordinates, expected 3, not as robot 0");
  other.links[2].body = test::rod_body(0.3, 0.02, "kirchhoff", 0.05);
  models[2] = Model(other);
  EXPECT_EQ(error_of([&] { Batch batch(models); }),
            "Batch: robot 2: link 'rod1': found other strain components, not as robot 0");
  EXPECT_THAT(error_of([] { Batch batch(std::vector<Model>{}); }), HasSubstr("found no robots"));
  Batch batch(models[0], 4);
  EXPECT_EQ(error_of([&] { batch.mass_matrix(RowMatrixXd::Zero(4, 3)); }),
            "Batch::mass_matrix: q: found 4 x 3, expected 4 x " + std::to_string(batch.nq()) + " (robots x values)");
  const RowMatrixXd q = models[0].neutral().transpose().replicate(4, 1), v = RowMatrixXd::Zero(4, batch.nv());
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.method = "euler"}); }), HasSubstr("method: found 'euler'"));
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.step = 0.0}); }), HasSubstr("step: found 0"));
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.inputs = {{"moter", 1.0}}}); }), HasSubstr("moter"));
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.held_inputs = RowMatrixXd::Zero(3, 1)}); }),
              HasSubstr("held_inputs: found 3 x 1, expected 4 x (intervals x 1 inputs)"));
}

}  // namespace
}  // namespace cuttle
