// A batch must say of every robot what the robot alone says: lanes that differ in everything, the single algorithms as
// the reference.
#include "cuttle/simulation/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
#include "simulation/batch_robots.h"
#include "spatial/instruction_set.h"
#include "support/loop_robots.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::arcs;
using test::arms;
using test::expect_near;
using test::k_robots;
using test::k_tolerance;
using test::Robots;
using ::testing::HasSubstr;

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

// --- bodies of users, and misuse

TEST(BatchTest, BodiesOfOneScalarRunOneByOne) {
  Robots robots(arcs());
  expect_same(robots, "point body", false);
}

TEST(BatchTest, ContinuumJointsRunOneByOne) {
  test::RandomRobotOptions options;
  options.continuum_joints = true;
  options.floating = true;
  const test::PlainRobot plain = test::random_robot(252, options);
  ASSERT_TRUE(
      std::any_of(plain.links.begin(), plain.links.end(), [](const auto& link) { return link.continuum_joint; }));
  Robots robots(plain);
  expect_same(robots, "continuum joint", false);
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
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.step = 1e-300}); }),
              HasSubstr("step: found 1e-300, expected a step [s] that makes at most 1e12 steps"));
  Batch many(models[0], 10000);
  const RowMatrixXd zero = RowMatrixXd::Zero(10000, many.nv());
  EXPECT_THAT(
      error_of([&] { many.rollout(models[0].neutral().transpose().replicate(10000, 1), zero, {.output_step = 2e-9}); }),
      HasSubstr("output_step: 500000001 samples of 10000 robots: found more than there is memory for"));
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.inputs = {{"moter", 1.0}}}); }), HasSubstr("moter"));
  EXPECT_THAT(error_of([&] { batch.rollout(q, v, {.held_inputs = RowMatrixXd::Zero(3, 1)}); }),
              HasSubstr("held_inputs: found 3 x 1, expected 4 x (intervals x 1 inputs)"));
}

TEST(BatchTest, NumbersOfRobotsAndThreadsHaveLimits) {
  const Model model(test::mixed_arm());
  EXPECT_EQ(error_of([&] { Batch batch(model, 0); }), "Batch: found 0 robots, expected >= 1");
  EXPECT_EQ(error_of([&] { Batch batch(model, 4, 100000); }),
            "Batch: threads: found 100000, expected 0 (one a core) to 4096");
  EXPECT_THAT(error_of([&] { Batch batch(model, std::numeric_limits<int>::max()); }),
              HasSubstr("Batch: states of 2147483647 robots: found more than there is memory for"));
  EXPECT_EQ(error_of([&] { Batch batch(model, 4, -1); }), "Batch: threads: found -1, expected 0 (one a core) to 4096");
}

// A lane that overflows is marked; it ends no batch of robots that are computed one by one either.
TEST(BatchFailureTest, OverflowIsARobotsOwn) {
  const Model model(test::mixed_arm());
  Batch batch(model, 3);
  RowMatrixXd q = model.neutral().transpose().replicate(3, 1), v = RowMatrixXd::Constant(3, batch.nv(), 0.1);
  v(1, 0) = 1e200;
  const RowMatrixXd tau = batch.inverse_dynamics(q, v, v);
  EXPECT_EQ(batch.status()[0], RobotStatus::good);
  EXPECT_EQ(batch.status()[1], RobotStatus::not_finite);
  EXPECT_EQ(batch.status()[2], RobotStatus::good);
  EXPECT_TRUE(tau.row(0).allFinite() && tau.row(2).allFinite());
}

TEST(BatchTest, RefusesLoops) {
  const Model model(test::FourBar().robot());
  Robot open = model.robot();
  open.loops.clear();
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { Batch(model, 3); }),
            "Batch: found the closed loop 'pin' of 'four_bar', expected robots without loops");
  EXPECT_EQ(message([&] {
              Batch(std::vector<Model>{Model(open), model});
            }),
            "Batch: robot 1: found the closed loop 'pin', not as robot 0");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
