// Loads that depend on the motion: fluids and drones, as wrenches, as added inertia with a bias, and their derivatives.
#include "cuttle/algorithms/state_loads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "algorithms/state_load_robots.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/drone.h"
#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "support/own_load.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::change_fluid;
using test::floating_body;

/// Trees of rods and rigid links with gravity, water around every rod and rigid link, a drone, and a load of a user.
Robot random_swimmer(unsigned seed) {
  test::RandomRobotOptions options;
  options.min_links = 3, options.max_links = 5, options.max_modes = 4, options.floating = seed % 2 == 0;
  const test::PlainRobot plain = test::random_robot(seed, options);
  Robot robot = test::to_robot(plain);
  test::Random random(seed + 5);
  for (const Link& link : robot.links) {
    const bool rod = link.body && link.body->type_name() == "rod",
               rigid = link.body && link.body->type_name() == "rigid";
    if (!rod && !rigid) continue;
    Fluid fluid;
    fluid.density = random.uniform(500, 1500);
    fluid.radius_x = Profile(std::vector<double>{0.02, 0.03, random.uniform(0.01, 0.03)});
    fluid.radius_y = random.uniform(0.01, 0.03);
    fluid.normal_drag = random.uniform(0.5, 1.5), fluid.tangential_drag = random.uniform(0.01, 0.1);
    fluid.wake = random.chance(0.5);
    if (rigid) fluid.length = random.uniform(0.1, 0.3), fluid.points = 3;
    robot.loads.push_back(make_fluid_load(link.name, fluid));
  }
  Drone drone;
  drone.linear_velocity[1] = Signal::sine(0.4, 0.7, 0.3, 0.2);
  drone.angular_velocity[0] = 0.6;
  drone.axes = rotation_exponential(Vector3{0.3, -0.5, 0.9});
  for (int i = 0; i < 6; ++i) drone.proportional[i] = 1.0 + 0.3 * i, drone.integral[i] = 0.5 + 0.2 * i;
  robot.loads.push_back(make_drone_load(
      {robot.links.back().name, PortLocation::tip(), {Matrix3::identity(), {0.01, 0.02, 0.03}}}, drone));
  robot.loads.push_back({{robot.links.front().name, PortLocation::tip(), {Matrix3::identity(), {0.0, 0.02, 0.01}}},
                         std::make_shared<test::TetherLaw<double>>(3.0, 0.4, 0.2, Vector3{0.1, -0.2, 0.3})});
  return robot;
}

VectorXd random_integrals(const Model& model, test::Random& random) {
  VectorXd x(load_integral_count(model));
  for (double& value : x) value = random.uniform();
  return x;
}

TEST(StateLoads, ForwardDynamicsWithAddedInertiaBalancesTheWrenches) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model model(random_swimmer(seed));
    Data data(model);
    test::Random random(seed);
    const test::RandomState s = test::random_state(model, random);
    const VectorXd integrals = random_integrals(model, random);
    VectorXd tau(model.nv());
    for (double& x : tau) x = random.uniform();
    std::vector<ExternalWrench> wrenches(state_load_count(model));
    std::vector<AddedInertia> added(wrenches.size());
    state_load_biases<double>(model, forward_kinematics<double>(model, data, s.q, s.v), 0.4, integrals, wrenches);
    state_load_inertias<double>(model, added);
    const VectorXd a = forward_dynamics<double>(model, data, s.q, s.v, tau, wrenches, added);

    state_load_wrenches<double>(model, data, 0.4, s.q, s.v, a, integrals, wrenches);
    const VectorXd force = external_force<double>(model, data, s.q, wrenches);
    const VectorXd residual = inverse_dynamics<double>(model, data, s.q, s.v, a) - force - tau;
    const double scale = mass_matrix<double>(model, data, s.q).norm() * a.norm() + force.norm() + tau.norm();
    EXPECT_LT(residual.norm(), 1e-11 * scale) << "seed " << seed;
  }
}

TEST(StateLoads, WrenchesAreAffineInTheAcceleration) {
  const Model model(random_swimmer(3));
  Data data(model);
  test::Random random(3);
  const test::RandomState s = test::random_state(model, random);
  const VectorXd integrals = random_integrals(model, random);
  const std::size_t count = state_load_count(model);
  std::vector<ExternalWrench> whole(count), bias(count);
  std::vector<AddedInertia> added(count);
  state_load_wrenches<double>(model, data, 0.4, s.q, s.v, s.a, integrals, whole);
  state_load_biases<double>(model, data.kinematics, 0.4, integrals, bias);
  state_load_inertias<double>(model, added);
  for (std::size_t k = 0; k < count; ++k) {
    const Wrench sum = bias[k].wrench - added[k].inertia * data.kinematics.acceleration_of(added[k].frame);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(whole[k].wrench[i], sum[i], 1e-12 * (1 + norm(sum.force)));
  }
}

Pose moved(const Pose& pose, int direction, double step) {
  Twist zeta;
  zeta[direction] = step;
  return pose * exponential(zeta);
}

TEST(StateLoads, DerivativesAreThoseOfDifferences) {
  const Model model(random_swimmer(4));
  test::Random random(8);
  const double time = 0.3, h = 1e-4;
  for (const auto& load : model.state_loads()) {
    for (int k = 0; k < static_cast<int>(load->frames().size()); ++k) {
      FrameMotionT<double> m;
      Twist zeta;
      double x[6];
      for (int i = 0; i < 6; ++i) {
        zeta[i] = random.uniform(), m.velocity[i] = random.uniform(), m.acceleration[i] = random.uniform();
        x[i] = random.uniform();
      }
      m.pose = exponential(zeta);
      StateLoadDerivativeT<double> d;
      load->derivatives(k, time, m, x, d);
      const bool keeps = load->integral_count() == 6;
      // central differences of fourth order of what a change of one number does
      const auto check = [&](const char* what, const Eigen::Matrix<double, 6, 6>& found, bool of_rates,
                             const std::function<void(FrameMotionT<double>&, double*, int, double)>& change) {
        for (int j = 0; j < 6; ++j) {
          const auto at = [&](double step) {
            FrameMotionT<double> other = m;
            double y[6];
            std::copy(x, x + 6, y);
            change(other, y, j, step);
            double result[6] = {};
            if (of_rates) {
              load->integral_rates(time, other, result);
            } else {
              const Wrench w = load->wrench(k, time, other, y);
              for (int i = 0; i < 6; ++i) result[i] = w[i];
            }
            return Eigen::Matrix<double, 6, 1>(result);
          };
          const Eigen::Matrix<double, 6, 1> expected = (at(-2 * h) - at(2 * h) + 8 * (at(h) - at(-h))) / (12 * h);
          EXPECT_LT((found.col(j) - expected).norm(), 1e-9 * (1 + found.norm())) << what << " " << j << ", frame " << k;
        }
      };
      const auto pose = [](FrameMotionT<double>& o, double*, int j, double e) { o.pose = moved(o.pose, j, e); };
      const auto velocity = [](FrameMotionT<double>& o, double*, int j, double e) { o.velocity[j] += e; };
      check("pose", d.by_pose, false, pose);
      check("velocity", d.by_velocity, false, velocity);
      check("acceleration", d.by_acceleration, false,
            [](FrameMotionT<double>& o, double*, int j, double e) { o.acceleration[j] += e; });
      check("integral", d.by_integral, false,
            [keeps](FrameMotionT<double>&, double* y, int j, double e) { y[j] += keeps ? e : 0.0; });
      if (!keeps) continue;
      check("rate by pose", d.rate_by_pose, true, pose);
      check("rate by velocity", d.rate_by_velocity, true, velocity);
    }
  }
}

TEST(StateLoads, DerivativesExistWithoutMotion) {
  const Model model(random_swimmer(4));
  const FrameMotionT<double> rest;
  const double x[6] = {};
  for (const auto& load : model.state_loads()) {
    StateLoadDerivativeT<double> d;
    load->derivatives(0, 0.0, rest, x, d);
    EXPECT_TRUE(d.by_pose.allFinite() && d.by_velocity.allFinite() && d.by_acceleration.allFinite());
  }
}

TEST(FluidLoad, DragTakesPower) {
  Robot robot = random_swimmer(5);
  robot.loads.resize(robot.loads.size() - 2);  // the last ones are no fluids
  for (Load& load : robot.loads) change_fluid(load, [](Fluid& fluid) { fluid.wake = false; });
  const Model with(robot);
  for (Load& load : robot.loads) {
    change_fluid(load, [](Fluid& fluid) { fluid.normal_drag = fluid.tangential_drag = 0.0; });
  }
  const Model without(robot);
  test::Random random(11);
  ASSERT_GT(with.state_loads().size(), 1u);
  for (std::size_t i = 0; i < with.state_loads().size(); ++i) {
    for (int trial = 0; trial < 50; ++trial) {
      FrameMotionT<double> m;
      for (int j = 0; j < 6; ++j) m.velocity[j] = random.uniform();
      const Wrench drag =
          with.state_loads()[i]->wrench(0, 0.0, m, nullptr) - without.state_loads()[i]->wrench(0, 0.0, m, nullptr);
      EXPECT_LT(dot(drag, m.velocity), 0.0);
      // and nothing but drag does work on motion that does not change
      const Wrench rest = without.state_loads()[i]->wrench(0, 0.0, m, nullptr);
      EXPECT_NEAR(dot(rest, m.velocity), 0.0, 1e-15 + 1e-15 * norm(rest.force));
    }
  }
}

TEST(StateLoads, TheModelSaysWhatIsWrong) {
  const auto message = [](const Robot& robot) -> std::string {
    try {
      const Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  Robot robot = floating_body(0.8, 0.05, 0.05);
  change_fluid(robot.loads[0], [](Fluid& fluid) { fluid.density = -1; });
  EXPECT_EQ(message(robot), "loads[0]: density: found -1, expected a number > 0 [kg/m^3]");
  robot = floating_body(0.8, 0.05, 0.05);
  change_fluid(robot.loads[0], [](Fluid& fluid) { fluid.radius_y = {}; });
  EXPECT_EQ(message(robot), "loads[0]: radius_y: found nothing, expected half axes of the outline [m]");
  change_fluid(robot.loads[0], [](Fluid& fluid) { fluid.length = 0.0; });
  EXPECT_EQ(message(robot), "loads[0]: length: found 0, expected a number > 0 [m]");
  robot = floating_body(0.8, 0.0, 0.0);
  EXPECT_EQ(message(robot), "loads[0]: radius_x: found only zeros, expected half axes of the outline > 0 [m]");
  robot.loads[0].place.link = "base";
  EXPECT_EQ(message(robot), "loads[0]: link: found 'base', expected a link whose body is a rod or rigid");
  robot = floating_body(0.8, 0.05, 0.05);
  Drone drone;
  drone.integral[2] = -0.5;
  robot.loads[0] = make_drone_load(robot.loads[0].place, drone);
  EXPECT_EQ(message(robot), "loads[0]: integral: found -0.5, expected numbers >= 0");
  drone.axes.row2.z = -1;
  robot.loads[0] = make_drone_load(robot.loads[0].place, drone);
  EXPECT_EQ(message(robot), "loads[0]: axes.rotation: found a reflection, expected a rotation");

  const Model model(floating_body(0.8, 0.05, 0.05));
  Data data(model);
  const auto& poses = forward_kinematics<double>(model, data, model.neutral());
  std::vector<ExternalWrench> wrenches(state_load_count(model));
  EXPECT_THROW(state_load_wrenches<double>(model, poses, 0.0, VectorXd(), wrenches), ArgumentError);
  EXPECT_THROW(state_load_biases<double>(model, poses, 0.0, VectorXd(), wrenches), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
