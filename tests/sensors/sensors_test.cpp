// Sensors against the definitions of what they measure: differences along the motion, sums of momenta, closed forms.
#include "cuttle/sensors/sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/elements/length_drive.h"
#include "cuttle/elements/spring.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/error.h"
#include "cuttle/simulation/rest_sample.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/logarithm.h"
#include "sensors/sensor_suite.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.3, k_area = 3e-5, k_hand_mass = 0.15;
constexpr LengthDrive k_drive{.stiffness = 2e3, .pretension = 6.0, .range = 0.05};
const Vector3 k_hand_com{0.01, -0.02, 0.04}, k_hand_inertia{2e-4, 3e-4, 1e-4};
const Pose k_mount{Matrix3{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}}, {0.01, 0.02, -0.03}};

/// An arm that slides and turns, a rod on it with a cable and a chamber, and a hand fixed to the rod's tip.
Robot arm() {
  Robot robot;
  robot.gravity = {0.7, -0.4, -9.6};
  robot.links.push_back({.name = "cart",
                         .joint = make_prismatic_joint<double>({1, 0, 0}),
                         .joint_dynamics = {{40.0}, {0.5}, {}, {}},
                         .body = test::rigid_body(0.5, {0, 0, 0.02}, {1e-3, 1e-3, 1e-3}, {0, 0, 0.05})});
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0.2, 1, 0}),
                         .joint_dynamics = {{3.0}, {0.05}, {}, {}},
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(k_length, 0.02, "pcs", 0.05)});
  robot.links.push_back(
      {.name = "hand", .body = test::rigid_body(k_hand_mass, k_hand_com, k_hand_inertia, {0, 0, 0.08})});
  Routing ground, eyelet, along;
  ground.link = "cart", ground.points = {{0.05, 0.0, -0.05}};
  eyelet.link = "arm", eyelet.points = {{0.03, 0.005, 0.1}};
  along.link = "rod", along.offset = {{0.012, 0.003}};
  robot.actuators = {make_length_driven_tendon<double>("cable", {ground, eyelet, along}, k_drive),
                     Actuator::joint("motor", "arm"), Actuator::chamber("bellow", "rod", {0.004, -0.006}, k_area),
                     Actuator::linear("pair", {"cart", "arm"}, {{1, 0.5}, {0, 2}})};
  robot.elements.push_back(make_spring<double>("spring",
                                               {"base", PortLocation::base(), {Matrix3::identity(), {0, 0.2, 0}}},
                                               {"hand"}, {.stiffness = 4.0, .damping = 0.1}));
  const Place hand{"hand", PortLocation::base(), k_mount}, middle{"rod", PortLocation::section(0.11), k_mount};
  robot.markers = {{"on_hand", hand},
                   {"in_rod", middle},
                   {"com", {"hand", PortLocation::base(), {Matrix3::identity(), k_hand_com}}}};
  robot.sensors = {{"pose", make_frame_position_sensor(middle)},
                   {"velocity", make_frame_velocity_sensor(hand)},
                   {"own_velocity", make_frame_velocity_sensor(middle, Axes::body)},
                   {"imu", make_imu_sensor(hand)},
                   {"strain", make_strain_sensor({"rod", 0.11, {}})},
                   {"gauge", make_strain_sensor({"rod", 0.11, {{0.007, -0.003}}})},
                   {"winch", make_actuator_length_sensor("cable")},
                   {"encoders", make_actuator_length_sensor("pair")},
                   {"tension", make_actuator_force_sensor("cable")},
                   {"torque", make_actuator_force_sensor("motor")},
                   {"volume", make_chamber_volume_sensor("bellow")},
                   {"base_cell", make_joint_wrench_sensor("cart")},
                   {"elbow_cell", make_joint_wrench_sensor("arm")},
                   {"hand_cell", make_joint_wrench_sensor("hand")},
                   {"energy", make_energy_sensor()}};
  return robot;
}

/// Readings by name: SENSOR.COLUMN.
std::map<std::string, double> by_name(const Model& model, const VectorXd& readings) {
  std::map<std::string, double> all;
  Eigen::Index index = 0;
  for (const RecordedSensor& sensor : recorded_sensors(model)) {
    for (const CoordinateInfo& column : sensor.columns) all[sensor.name + "." + column.name] = readings[index++];
  }
  EXPECT_EQ(index, readings.size());
  return all;
}
Vector3 vector(const std::map<std::string, double>& all, const std::string& name) {
  return {all.at(name + "x"), all.at(name + "y"), all.at(name + "z")};
}
void expect_near(const Vector3& a, const Vector3& b, double tolerance, const char* what) {
  EXPECT_LT(norm(a - b), tolerance) << what << ": [" << a.x << ", " << a.y << ", " << a.z << "] and [" << b.x << ", "
                                    << b.y << ", " << b.z << "]";
}

/// A state on a motion that the equation of motion makes, and what the sensors say there.
class Sensors : public testing::Test {
 protected:
  Sensors() : model(arm()), data(model), system(model, {}) {
    test::Random random(23);
    const auto state = test::random_state(model, random);
    q = 0.15 * state.q, v = 0.5 * state.v, a.resize(model.nv());
    u = (VectorXd(model.nu()) << 0.02, 0.4, 900.0, 0.3, -0.2).finished();
    auxiliary = start_of_auxiliary(model);
    system.held_inputs() = u;
    VectorXd rate(auxiliary.size());
    system.rates(0.0, q, v, auxiliary, a, rate);
    readings = by_name(model, system.evaluate({0.0, q, v, auxiliary, {}}).sensors());
  }
  /// The configuration a time later, to second order.
  VectorXd later(double h) const {
    VectorXd next(model.nq());
    integrate<double>(model, q, VectorXd(h * v + 0.5 * h * h * a), next);
    return next;
  }
  Pose marker(const char* name, const VectorXd& at) {
    return forward_kinematics<double>(model, data, at).pose(model.marker_frame(name));
  }
  Model model;
  Data data;
  RobotSystem system;
  VectorXd q, v, a, u, auxiliary;
  std::map<std::string, double> readings;
};
constexpr double k_step = 1e-4;  // s, of differences: their error is about 1e-8 of what changes

TEST_F(Sensors, PoseIsThatOfTheFrame) {
  const Pose pose = marker("in_rod", q);
  expect_near(vector(readings, "pose."), pose.position, 1e-15, "position");
  const Quaternion found{readings["pose.qw"], readings["pose.qx"], readings["pose.qy"], readings["pose.qz"]};
  EXPECT_GE(found.w, 0.0);
  const Matrix3 R = found.matrix();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(R(i, j), pose.rotation(i, j), 1e-14);
  }
}

TEST_F(Sensors, VelocitiesAreDifferencesOfPoses) {
  for (const char* sensor : {"velocity", "own_velocity"}) {
    const char* const frame = sensor == std::string("velocity") ? "on_hand" : "in_rod";
    const Pose now = marker(frame, q), before = marker(frame, later(-k_step)), after = marker(frame, later(k_step));
    Vector3 linear = (0.5 / k_step) * (after.position - before.position);
    // turned from before to after, in world axes
    Vector3 angular = (0.5 / k_step) * rotation_logarithm(after.rotation * before.rotation.transpose());
    if (sensor == std::string("own_velocity")) {
      linear = now.rotation.transpose_times(linear), angular = now.rotation.transpose_times(angular);
    }
    expect_near(vector(readings, sensor + std::string(".v")), linear, 1e-5, sensor);
    expect_near(vector(readings, sensor + std::string(".w")), angular, 1e-4, sensor);
  }
}

TEST_F(Sensors, ImuMeasuresSpecificForceAndTurning) {
  const Pose now = marker("on_hand", q), before = marker("on_hand", later(-k_step)),
             after = marker("on_hand", later(k_step));
  const Vector3 acceleration = (1.0 / (k_step * k_step)) * (after.position - 2.0 * now.position + before.position);
  const Vector3 force = now.rotation.transpose_times(acceleration - model.robot().gravity);
  expect_near(vector(readings, "imu.a"), force, 1e-5 * norm(force) + 1e-4, "specific force");
  expect_near(vector(readings, "imu.w"), now.rotation.transpose_times(vector(readings, "velocity.w")), 1e-13,
              "turning");
}

TEST_F(Sensors, StrainIsHowTheFramesOfARodChange) {
  Robot probed = arm();
  const double h = 1e-4;
  const Vector3 fiber{0.007, -0.003, 0.0};
  for (const double side : {-h, h}) {
    const PortLocation at = PortLocation::section(0.11 + side);
    probed.markers.push_back({side < 0.0 ? "low" : "high", {"rod", at, {}}});
    probed.markers.push_back({side < 0.0 ? "fiber_low" : "fiber_high", {"rod", at, {Matrix3::identity(), fiber}}});
  }
  probed.markers.push_back({"middle", {"rod", PortLocation::section(0.11), {}}});
  const Model other(probed);
  Data own(other);
  const auto& kinematics = forward_kinematics<double>(other, own, q);
  const auto pose = [&](const char* name) { return kinematics.pose(other.marker_frame(name)); };
  const Matrix3 R = pose("middle").rotation;
  const Vector3 sigma = (0.5 / h) * R.transpose_times(pose("high").position - pose("low").position);
  const Vector3 kappa = (0.5 / h) * rotation_logarithm(pose("low").rotation.transpose() * pose("high").rotation);
  expect_near(vector(readings, "strain.sigma_"), sigma, 1e-6, "sigma");
  expect_near(vector(readings, "strain.kappa_"), kappa, 1e-6 * norm(kappa) + 1e-6, "kappa");
  const double stretch = (0.5 / h) * norm(pose("fiber_high").position - pose("fiber_low").position);
  EXPECT_NEAR(readings["gauge.elongation"], stretch - 1.0, 1e-6);
}

TEST_F(Sensors, ActuatorsHaveLengthsRatesAndForces) {
  const VectorXd y = actuation_coordinates<double>(model, data, q);
  const VectorXd rate = (VectorXd(actuation_coordinates<double>(model, data, later(k_step))) -
                         VectorXd(actuation_coordinates<double>(model, data, later(-k_step)))) /
                        (2.0 * k_step);
  const std::pair<const char*, int> columns[] = {
      {"winch.length", 0}, {"volume.volume", 2}, {"encoders.length.0", 3}, {"encoders.length.1", 4}};
  for (const auto& [name, input] : columns) EXPECT_EQ(readings.at(name), y[input]) << name;
  const std::pair<const char*, int> rates[] = {
      {"winch.rate", 0}, {"volume.rate", 2}, {"encoders.rate.0", 3}, {"encoders.rate.1", 4}};
  for (const auto& [name, input] : rates) EXPECT_NEAR(readings.at(name), rate[input], 1e-6 * rate.norm()) << name;
  // encoders by their matrix; the volume of a straight channel in a rod of constant strain by its elongation
  EXPECT_NEAR(readings["encoders.length.0"], q[0], 1e-15);
  EXPECT_NEAR(readings["encoders.length.1"], 0.5 * q[0] + 2.0 * q[1], 1e-15);
  const double elongation =
      readings["strain.sigma_z"] + readings["strain.kappa_x"] * -0.006 - readings["strain.kappa_y"] * 0.004;
  EXPECT_NEAR(readings["volume.volume"], k_area * k_length * elongation, 1e-12 * k_area);
  const double taut = k_drive.pretension + k_drive.stiffness * (u[0] - y[0]);
  ASSERT_GT(taut, k_drive.range);
  EXPECT_NEAR(readings["tension.force"], std::max(taut, 0.0), 1e-9);
  EXPECT_EQ(readings["torque.force"], u[1]);
}

// The force through the first joint moves all that there is: m c'' from the energies in three gravities, differentiated
// twice along the motion; the spring to the ground is not in it.
TEST_F(Sensors, WrenchAtTheBaseChangesTheMomentumOfAll) {
  double mass = 0.0;
  for (const auto& link : model.links()) mass += link.rest_inertia.mass;
  Vector3 force = -mass * model.robot().gravity;
  for (int axis = 0; axis < 3; ++axis) {
    Robot robot = arm();
    robot.gravity = {}, robot.gravity[axis] = 1.0;
    const Model tilted(robot);
    Data own(tilted);
    const auto energy = [&](const VectorXd& at) { return gravity_energy<double>(tilted, own, at); };
    force[axis] -= (energy(later(k_step)) - 2.0 * energy(q) + energy(later(-k_step))) / (k_step * k_step);
  }
  // what the spring pulls, from its own formula
  const Vector3 ground{0, 0.2, 0};
  const auto length_at = [&](double h) {
    const auto& kinematics = forward_kinematics<double>(model, data, later(h));
    return kinematics.pose(model.tip_frame("hand")).position - ground;
  };
  const auto rest =
      forward_kinematics<double>(model, data, model.neutral()).pose(model.tip_frame("hand")).position - ground;
  const Vector3 line = length_at(0.0);
  const double rate = (norm(length_at(k_step)) - norm(length_at(-k_step))) / (2.0 * k_step);
  const double pull = 4.0 * (norm(line) - norm(rest)) + 0.1 * rate;
  force += (pull / norm(line)) * line;  // it pulls the hand towards the ground
  expect_near(vector(readings, "base_cell.f"), force, 2e-5 * norm(force), "force");
}

// Newton and Euler for the hand, from its pose alone.
TEST_F(Sensors, LoadCellAtAFixedJointMovesTheHand) {
  const auto pose = [&](double h) { return marker("com", later(h)); };
  const Pose now = pose(0.0);
  const Vector3 acceleration =
      (1.0 / (k_step * k_step)) * (pose(k_step).position - 2.0 * now.position + pose(-k_step).position);
  // angular momentum about the com in world axes, its rate from turning between half steps
  const auto momentum = [&](double h) {
    const double half = 0.5 * k_step;
    const Vector3 w =
        (1.0 / k_step) * rotation_logarithm(pose(h + half).rotation * pose(h - half).rotation.transpose());
    const Matrix3 R = pose(h).rotation;
    const Vector3 own = R.transpose_times(w);
    return R * Vector3{k_hand_inertia.x * own.x, k_hand_inertia.y * own.y, k_hand_inertia.z * own.z};
  };
  const Vector3 ground{0, 0.2, 0};
  const auto tip_at = [&](double h) {
    return forward_kinematics<double>(model, data, later(h)).pose(model.tip_frame("hand")).position;
  };
  const auto rest =
      forward_kinematics<double>(model, data, model.neutral()).pose(model.tip_frame("hand")).position - ground;
  const Vector3 tip = tip_at(0.0), line = tip - ground;
  const double rate = (norm(tip_at(k_step) - ground) - norm(tip_at(-k_step) - ground)) / (2.0 * k_step);
  const Vector3 spring = (-(4.0 * (norm(line) - norm(rest)) + 0.1 * rate) / norm(line)) * line;
  const Vector3 force = k_hand_mass * (acceleration - model.robot().gravity) - spring;
  const Pose base = forward_kinematics<double>(model, data, q).pose(model.base_frame("hand"));
  const Vector3 change = (0.5 / k_step) * (momentum(k_step) - momentum(-k_step));
  const Vector3 torque =
      change + cross(now.position - base.position, force + spring) - cross(tip - base.position, spring);
  expect_near(vector(readings, "hand_cell.f"), base.rotation.transpose_times(force), 1e-4 * norm(force), "force");
  expect_near(vector(readings, "hand_cell.t"), base.rotation.transpose_times(torque), 2e-4 * norm(torque) + 1e-5,
              "torque");
}

// Along the axis of a joint its wrench does the work of motor, spring and damper.
TEST_F(Sensors, WrenchAlongAnAxisIsWhatDrivesTheJoint) {
  const Vector3 axis = (1.0 / norm(Vector3{0.2, 1, 0})) * Vector3{0.2, 1, 0};
  const double found = dot(vector(readings, "elbow_cell.t"), axis);
  // pair: columns are inputs, so its second pulls the arm by 2, its first by nothing
  EXPECT_NEAR(found, u[1] + 2.0 * u[4] - 3.0 * q[1] - 0.05 * v[1], 1e-9 * (1.0 + std::abs(found)));
  const double slide = vector(readings, "base_cell.f").x;
  EXPECT_NEAR(slide, u[3] + 0.5 * u[4] - 40.0 * q[0] - 0.5 * v[0], 1e-9 * (1.0 + std::abs(slide)));
}

TEST_F(Sensors, EnergiesAreThoseOfTheRobot) {
  EXPECT_EQ(readings["energy.kinetic"], (kinetic_energy<double>(model, data, q, v)));
  EXPECT_EQ(readings["energy.gravity"], (gravity_energy<double>(model, data, q)));
  EXPECT_EQ(readings["energy.elastic"], (elastic_energy<double>(model, data, q)));
  EXPECT_GT(readings["energy.elements"], 0.0);
}

TEST(SensorsOfRuns, StandInSamplesOfMotionsAndOfEquilibria) {
  const Model model(arm());
  Scenario s;
  s.duration = 0.05, s.output_step = 0.01;
  s.inputs = {{"cable", Signal(0.002)}, {"motor", Signal::step(0.02, 0.0, 1.0)}};
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  RobotSystem system(model, {});
  const VectorXd auxiliary = start_of_auxiliary(model);
  for (const Sample& sample : memory.samples()) {
    system.held_inputs() = sample.u;
    const VectorXd again = system.evaluate({sample.time, sample.q, sample.v, auxiliary, {}}).sensors();
    ASSERT_EQ(sample.sensors.size(), again.size());
    // u of the sample is what sense is given, also for accelerations
    EXPECT_LT((sample.sensors - again).norm(), 1e-9 * (1.0 + again.norm())) << sample.time;
    const auto readings = by_name(model, sample.sensors);
    EXPECT_EQ(readings.at("energy.kinetic"), sample.kinetic);
    EXPECT_EQ(readings.at("torque.force"), sample.time < 0.02 ? 0.0 : 1.0);
    EXPECT_EQ(readings.at("tension.force"), sample.element_outputs[0]);
  }
  Data data(model);
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  const StaticEquilibrium rest = static_equilibrium(model, data, loads, model.neutral());
  const auto readings = by_name(model, rest_sample(model, data, loads.u, rest, 0.0).sensors);
  EXPECT_NEAR(norm(vector(readings, "imu.a")), norm(model.robot().gravity), 1e-9);
  expect_near(vector(readings, "velocity.v"), {}, 1e-15, "at rest");
}

/// A double pendulum: the second link on a joint, or loose in the world and held by a loop at the same place.
Robot pendulum(bool by_loop) {
  Robot robot;
  robot.links.push_back({.name = "upper",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0.01, 0.0, -0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, -0.2})});
  Link fore{.name = "fore",
            .joint = by_loop ? make_free_joint<double>() : make_revolute_joint<double>({0, 1, 0}),
            .body = test::rigid_body(0.3, {0.02, 0.0, -0.1}, {1e-3, 1e-3, 1e-3}, {0, 0, -0.2})};
  if (by_loop) fore.parent = {"base", PortLocation::base(), {Matrix3::identity(), {0, 0, -0.2}}};
  robot.links.push_back(fore);
  if (by_loop) {
    Loop pin;
    pin.name = "pin", pin.type = LoopType::revolute, pin.axis = {0, 1, 0};
    pin.a = {"upper", PortLocation::tip(), {}}, pin.b = {"fore", PortLocation::base(), {}};
    robot.loops.push_back(pin);
  }
  robot.sensors = {{"cell", make_joint_wrench_sensor("upper")},
                   {"imu", make_imu_sensor({"fore", PortLocation::tip(), {}})}};
  return robot;
}

// What a loop does to accelerations and wrenches: the same robot as a tree measures the same.
TEST(SensorsOfLoops, MeasureAsThoseOfTheTree) {
  const Model tree(pendulum(false)), loop(pendulum(true));
  Scenario s;
  s.duration = 0.4, s.output_step = 0.02;
  s.integrator = {.type = "generalized_alpha", .relative_tolerance = 1e-9, .absolute_tolerance = 1e-11};
  MemoryRecorder of_tree, of_loop;
  Simulator(tree, s).run({&of_tree}), Simulator(loop, s).run({&of_loop});
  ASSERT_EQ(of_tree.samples().size(), of_loop.samples().size());
  double largest = 0.0;
  for (std::size_t i = 1; i < of_tree.samples().size(); ++i) {
    const VectorXd &a = of_tree.samples()[i].sensors, &b = of_loop.samples()[i].sensors;
    ASSERT_TRUE(b.allFinite()) << i;
    largest = std::max(largest, (a - b).norm() / a.norm());
  }
  EXPECT_LT(largest, 1e-3);
}

// Links that weigh nothing, point masses and floating bases are no exceptions: a point mass at rest on a massless link.
TEST(SensorsOfWrenches, MeasurePointMassesAndFloatingBases) {
  Robot robot;
  robot.floating_base = true;
  robot.links.push_back({.name = "hull", .body = test::rigid_body(2.0, {}, {0.1, 0.1, 0.1}, {0.3, 0, 0})});
  robot.links.push_back({.name = "stick"});
  robot.links.push_back({.name = "bob", .body = test::rigid_body(0.5, {0, 0.2, 0}, {}, {})});
  TimedWrench lift;
  lift.force[2] = 2.5 * 9.81, lift.axes = Axes::world;
  robot.loads.push_back(make_wrench_load(Place{"hull", PortLocation::base(), {}}, lift));
  robot.sensors = {{"hull", make_joint_wrench_sensor("hull")},
                   {"stick", make_joint_wrench_sensor("stick")},
                   {"bob", make_joint_wrench_sensor("bob")}};
  const Model model(robot);
  RobotSystem system(model, {});
  // it hovers, turning about x at 3 rad/s: the bob, on a circle of 0.2 m about the hull's axis, is pulled inwards
  VectorXd v = VectorXd::Zero(6), a(6);
  v[0] = 3.0;
  const VectorXd q = model.neutral(), auxiliary = start_of_auxiliary(model), u;
  VectorXd rate(auxiliary.size());
  system.rates(0.0, q, v, auxiliary, a, rate);
  const auto readings = by_name(model, system.evaluate({0.0, q, v, auxiliary, {}}).sensors());
  // what pushes the base, which has no mass, is nothing
  expect_near(vector(readings, "hull.f"), {}, 1e-12, "hull");
  expect_near(vector(readings, "hull.t"), {}, 1e-12, "hull");
  // acceleration of the bob at (0.3, 0.2, 0): a_0 + alpha x r + w x (w x r)
  const Vector3 alpha{a[0], a[1], a[2]}, linear{a[3], a[4], a[5]}, arm{0.3, 0.2, 0.0};
  const Vector3 acceleration = linear + cross(alpha, arm) + Vector3{0, -9.0 * 0.2, 0};
  const Vector3 force = 0.5 * (acceleration + Vector3{0, 0, 9.81});
  for (const char* sensor : {"stick", "bob"}) {
    expect_near(vector(readings, sensor + std::string(".f")), force, 1e-12, sensor);
    expect_near(vector(readings, sensor + std::string(".t")), cross({0, 0.2, 0}, force), 1e-12, sensor);
  }
}

// A tendon through an eyelet of each link at their joint: its pull there has no direction.
TEST(SensorErrors, RefuseWhereATendonHasNoDirectionAcrossTheJoint) {
  for (const bool one_place : {true, false}) {
    Robot robot = arm();
    Routing ground, behind;
    ground.link = "cart", ground.points = {{0.05, 0.0, -0.05}, {0.0, 0.0, 0.05}};
    behind.link = "arm", behind.points = {{0.0, 0.0, one_place ? 0.0 : 1e-6}, {0.03, 0.005, 0.1}};
    robot.actuators.push_back(Actuator::tendon("through", {ground, behind}));
    const Model model(robot);
    if (!one_place) {
      EXPECT_NO_THROW(SensorSuite{model});
      continue;
    }
    EXPECT_THAT([&] { SensorSuite suite(model); },
                testing::ThrowsMessage<ModelError>(testing::AllOf(
                    testing::HasSubstr("sensor 'elbow_cell': link: found the joint of 'arm'"),
                    testing::HasSubstr("'through'"), testing::HasSubstr("expected a stretch between them"))));
  }
}

TEST(SensorErrors, NameTheSensorAndWhatItWants) {
  const auto trouble = [](std::shared_ptr<const Sensor> sensor) -> std::string {
    Robot robot = arm();
    robot.sensors = {{"probe", std::move(sensor)}};
    try {
      const Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(trouble(make_strain_sensor({"arm", 0.1, {}})),
            "sensor 'probe': link: found 'arm', which has no rod, expected a link whose body is a rod");
  EXPECT_EQ(trouble(make_strain_sensor({"rod", 0.4, {}})),
            "sensor 'probe': s: found 0.4, expected 0 to 0.3 [m], the rod's length");
  EXPECT_EQ(trouble(make_actuator_force_sensor("rope")),
            "sensor 'probe': actuator: found actuator 'rope', expected the name of an actuator");
  EXPECT_EQ(trouble(make_chamber_volume_sensor("cable")),
            "sensor 'probe': actuator: found 'cable', which has no volume, expected the name of a chamber");
  EXPECT_EQ(trouble(make_joint_wrench_sensor("leg")),
            "sensor 'probe': link: found link 'leg', expected the name of a link");
  EXPECT_EQ(trouble(make_imu_sensor({"leg"})),
            "sensor 'probe': link: found 'leg', expected 'base' or the name of a link");
  EXPECT_EQ(trouble(nullptr), "sensor 'probe': sensor: found none, expected one");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
