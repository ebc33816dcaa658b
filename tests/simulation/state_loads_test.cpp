// Simulations with loads that depend on the motion: drones and fluids.
#include "cuttle/algorithms/state_loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/drone.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/exponential.h"
#include "simulation/simulation_robots.h"
#include "support/changed_load.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Scenario scenario(const std::string& type, double tolerance, double duration) {
  Scenario s;
  s.duration = duration;
  s.output_step = 0.05;
  s.integrator.type = type;
  s.integrator.relative_tolerance = tolerance;
  s.integrator.absolute_tolerance = 1e-2 * tolerance;
  return s;
}

Outcome run(const Robot& robot, const Scenario& s, Recorder* recorder = nullptr) {
  const Model model(robot);
  std::vector<Recorder*> recorders;
  if (recorder != nullptr) recorders.push_back(recorder);
  return Simulator(model, s).run(recorders);
}

Load drone_on(const std::string& link, const Drone& drone) {
  return make_drone_load({link, PortLocation::base(), {}}, drone);
}

/// m x'' + k_P x' + k_I x = 0 of x = int e dt, x(0) = 0, x'(0) = `desired`, underdamped.
double integral_of_error(double m, double proportional, double integral, double desired, double t) {
  const double decay = proportional / (2 * m), omega = std::sqrt(integral / m - decay * decay);
  return desired / omega * std::exp(-decay * t) * std::sin(omega * t);
}

// [B] (68)-(69) in one dimension each: a drone that flies along z, one that turns about z, and one that flies along
// an axis given in axes of its own.
TEST(DroneLoad, FollowsTheExactSolutionOfTheLoop) {
  const double m = 1.3, Izz = 0.02, t = 2.0;
  Robot robot = test::free_body({0.03, 0.04, Izz}, {0, 0, 0});
  Drone drone;
  drone.linear_velocity[2] = 0.8;
  drone.proportional = {0, 0, 0.01, 2.0, 2.0, 2.0};
  drone.integral = {0, 0, 0.06, 5.0, 5.0, 5.0};
  for (const bool turned : {false, true}) {
    if (turned) drone.axes = rotation_exponential(Vector3{0, std::numbers::pi / 2, 0});  // z of the axes: x
    robot.loads = {drone_on("block", drone)};
    for (const char* type : {"erk", "bdf"}) {
      const Outcome outcome = run(robot, scenario(type, 1e-9, t));
      const double way = 0.8 * t - integral_of_error(m, 2.0, 5.0, 0.8, t);
      EXPECT_NEAR(outcome.last.q[turned ? 0 : 2], way, 1e-7) << type;
      EXPECT_NEAR(outcome.last.q[turned ? 2 : 0], 0.0, 1e-12) << type;
    }
  }
  drone.linear_velocity[2] = 0.0;
  drone.angular_velocity[2] = 0.8;
  drone.axes = Matrix3::identity();
  robot.loads = {drone_on("block", drone)};
  const Outcome outcome = run(robot, scenario("erk", 1e-9, t));
  const double angle = 0.8 * t - integral_of_error(Izz, 0.01, 0.06, 0.8, t);
  EXPECT_NEAR(2 * std::atan2(outcome.last.q[6], outcome.last.q[3]), angle, 1e-7);
  EXPECT_LT(outcome.energy_error, 1e-7 * outcome.peak_kinetic);
}

// The desired velocity is in axes of the world: a body that has turned feels it in its own.
TEST(DroneLoad, TurnsTheDesiredVelocityIntoTheLink) {
  Robot robot = test::free_body({0.03, 0.04, 0.02}, {0, 0, 0});
  Drone drone;
  drone.linear_velocity[0] = Signal::sine(0.5, 0.4, 0.3, 0.2);
  drone.proportional = {0, 0, 0, 2.0, 2.0, 2.0};
  drone.integral = {0, 0, 0, 5.0, 5.0, 5.0};
  robot.loads = {drone_on("block", drone)};
  const Outcome straight = run(robot, scenario("erk", 1e-10, 1.5));
  Scenario s = scenario("erk", 1e-10, 1.5);
  s.initial["base"] = {{0, 0, 0, 0.5, -0.5, 0.5, 0.5}, {}};
  const Outcome turned = run(robot, s);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(turned.last.q[i], straight.last.q[i], 1e-9);
  EXPECT_GT(std::abs(straight.last.q[0]), 0.1);
}

/// A rigid head, a stiff and a soft rod in water, driven by a torque that bends; gravity pulls at its mass, not at the
/// water's.
Robot swimmer(const Vector3& gravity) {
  Robot robot;
  robot.floating_base = true;
  robot.gravity = gravity;
  robot.links.push_back({.name = "head", .body = test::rigid_body(0.3, {0, 0, 0.05}, {3e-4, 3e-4, 1e-4}, {0, 0, 0.1})});
  for (const char* name : {"front", "rear"}) {
    RodParameters p;
    p.length = 0.2;
    p.section.shape = Section::Shape::ellipse;
    p.section.radius_x = Profile(std::vector<double>{0.03, 0.02});
    p.section.radius_y = Profile(std::vector<double>{0.02, 0.01});
    p.material = {.density = 1000, .young_modulus = 2e5, .damping_time = 0.02};
    p.quadrature_points = 5;
    p.strain[kappa_x] = p.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 1);
    robot.links.push_back({.name = name, .body = std::make_shared<RodBody>(p)});
  }
  Fluid water;
  water.density = 1000;
  water.normal_drag = 1.0, water.tangential_drag = 0.02;
  water.length = 0.1, water.points = 4;
  water.radius_x = Profile(std::vector<double>{0.01, 0.03});
  water.radius_y = Profile(std::vector<double>{0.01, 0.02});
  robot.loads.push_back(make_fluid_load("head", water));
  water.radius_x = water.radius_y = {};
  robot.loads.push_back(make_fluid_load("front", water));
  water.wake = true;
  robot.loads.push_back(make_fluid_load("rear", water));
  robot.actuators = {Actuator::linear("muscle", {"front"}, {{0.3}, {0}, {1}, {0}})};
  return robot;
}

TEST(FluidLoad, EnergyOfASwimmerIsBalanced) {
  for (const double g : {0.0, -9.81}) {
    for (const char* type : {"bdf", "erk"}) {
      const double tolerance = 1e-7;
      Scenario s = scenario(type, tolerance, 0.5);
      s.initial["base"] = {{}, {0.3, -0.5, 0.4, 0.2, 0.3, -0.4}};
      s.inputs["muscle.0"] = Signal::sine(0.3, 2.0, 0.4, 0.1);
      const Outcome outcome = run(swimmer({0, 0, g}), s);
      EXPECT_LT(outcome.energy_error, 20 * tolerance * outcome.peak_kinetic) << type << ", gravity " << g;
      EXPECT_GT(std::abs(outcome.last.load), 1e-3);
    }
  }
}

/// Kinetic energy of the water, from the added inertias.
double water_energy(const Model& model, const Sample& sample) {
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, sample.q, sample.v);
  std::vector<AddedInertia> added(state_load_count(model));
  state_load_inertias<double>(model, added);
  double twice = 0.0;
  for (const auto& x : added) {
    const Twist V = kinematics.velocity_of(x.frame);
    twice += dot(x.inertia * V, V);
  }
  return 0.5 * twice;
}

// Without wake, drag and damping robot and water keep their energy together; drag only takes from it.
TEST(FluidLoad, WaterKeepsTheEnergyThatItGets) {
  Robot robot = swimmer({});
  for (Link& link : robot.links) {
    const auto* rod = dynamic_cast<const RodBody*>(link.body.get());
    if (rod == nullptr) continue;
    RodParameters p = rod->parameters();
    p.material.damping_time.reset();
    link.body = std::make_shared<RodBody>(p);
  }
  Scenario s = scenario("erk", 1e-9, 1.0);
  s.initial["base"] = {{}, {0.3, -0.5, 0.4, 0.2, 0.3, -0.4}};
  for (const double drag : {0.0, 1.0}) {
    for (Load& load : robot.loads) {
      test::change_fluid(load, [drag](Fluid& fluid) {
        fluid.wake = false;
        fluid.normal_drag = drag, fluid.tangential_drag = 0.1 * drag;
      });
    }
    const Model model(robot);
    MemoryRecorder recorder;
    Simulator(model, s).run({&recorder});
    const auto& samples = recorder.samples();
    const auto total = [&](const Sample& sample) { return sample.energy() + water_energy(model, sample); };
    const double start = total(samples.front());
    double least_water = water_energy(model, samples.front()), most_water = least_water;
    for (std::size_t k = 1; k < samples.size(); ++k) {
      if (drag == 0.0) {
        EXPECT_NEAR(total(samples[k]), start, 1e-7 * start) << samples[k].time;
      } else {
        EXPECT_LT(total(samples[k]), total(samples[k - 1]) - 1e-6 * start) << samples[k].time;
      }
      least_water = std::min(least_water, water_energy(model, samples[k]));
      most_water = std::max(most_water, water_energy(model, samples[k]));
    }
    EXPECT_GT(most_water - least_water, 0.05 * start);  // it does come and go
  }
}

// The integrals of a drone are states of a roll-out too; a signal of it jumps between two steps.
TEST(StateLoads, MoveRobotsOfABatchAsAlone) {
  Robot flying = test::free_body({0.03, 0.04, 0.02}, {0, 0, 0});
  Drone drone;
  drone.linear_velocity[0] = Signal::step(0.0417, 0.2, -0.5);
  drone.proportional = {0.1, 0.1, 0.1, 2.0, 2.0, 2.0};
  drone.integral = {0.3, 0.3, 0.3, 5.0, 5.0, 5.0};
  flying.loads.push_back(drone_on("block", drone));
  for (const Robot& robot : {flying, swimmer({})}) {
    const Model model(robot);
    constexpr int k_count = 3;
    RowMatrixXd q(k_count, model.nq()), v(k_count, model.nv());
    for (int i = 0; i < k_count; ++i) {
      q.row(i) = model.neutral().transpose();
      for (int k = 0; k < model.nv(); ++k) v(i, k) = 0.1 * std::sin(1.0 + i + 2.0 * k);
    }
    RolloutOptions options;
    options.step = 0.004, options.duration = 0.2;
    Batch batch(model, k_count);
    const Rollout rollout = batch.rollout(q, v, options);
    EXPECT_TRUE(batch.all_good());
    for (int i = 0; i < k_count; ++i) {
      Scenario s;
      s.integrator.type = "tsit5", s.duration = options.duration;
      s.integrator.step = options.step;
      s.output_step = options.duration;
      for (const auto& link : model.links()) {
        const auto part = [i](const RowMatrixXd& x, int first, int n) {
          return std::vector<double>(&x(i, first), &x(i, first) + n);
        };
        if (link.nv > 0) s.initial[link.name] = {part(q, link.q, link.nq), part(v, link.v, link.nv)};
      }
      if (robot.floating_base) {
        s.initial["base"] = {{q.data() + q.cols() * i, q.data() + q.cols() * i + 7},
                             {v.data() + v.cols() * i, v.data() + v.cols() * i + 6}};
      }
      MemoryRecorder alone;
      run(robot, s, &alone);
      EXPECT_LT((rollout.q.row(i).transpose() - alone.samples().back().q).norm(), 1e-12) << robot.name << ", " << i;
      EXPECT_LT((rollout.v.row(i).transpose() - alone.samples().back().v).norm(), 1e-12) << robot.name << ", " << i;
      EXPECT_GT((rollout.v.row(i) - v.row(i)).norm(), 1e-2);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
