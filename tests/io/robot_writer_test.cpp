#include "cuttle/io/robot_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/function_body.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/elements/drone.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/model/coordinate_transmission.h"
#include "cuttle/model/transmissions/distance.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/linear.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/model/transmissions/wrench.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/logarithm.h"
#include "io/io_support.h"
#include "io/robot/part_readers.h"
#include "io/yaml/yaml_number.h"
#include "io/yaml/yaml_writer.h"
#include "support/changed_load.h"
#include "support/meshes.h"
#include "support/parameter_robots.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"
#include "support/volume_robots.h"

namespace cuttle {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr double k_rotation = 1e-15;

/// Of a kind that nobody registered.
template <typename S>
class GearTransmission final : public CoordinateTransmission<GearTransmission, S, 1> {
 public:
  explicit GearTransmission(std::string link = "arm") : link_(std::move(link)) {}
  std::string type_name() const override { return "gear"; }
  std::array<LinkCoordinate, 1> coordinates() const override { return {LinkCoordinate{link_, 0}}; }
  std::string unit() const override { return "N m"; }
  template <typename T>
  T y(const T* q) const {
    return q[0] + T(0.1) * q[0] * q[0];
  }
  template <typename T>
  GearTransmission<T> cast() const {
    return GearTransmission<T>(link_);
  }

 private:
  std::string link_;
};

void expect_same(const Matrix3& a, const Matrix3& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a(i, j), b(i, j), k_rotation);
  }
}
void expect_same(const Pose& a, const Pose& b) {
  EXPECT_EQ(a.position, b.position);
  expect_same(a.rotation, b.rotation);
}
void expect_same(const Place& a, const Place& b) {
  EXPECT_EQ(a.link, b.link);
  EXPECT_EQ(a.at, b.at);
  expect_same(a.pose, b.pose);
}

template <typename Profiles>
void expect_same_profiles(const std::optional<Profiles>& a, const std::optional<Profiles>& b) {
  EXPECT_TRUE(a == b);
}
void expect_same_law(const std::optional<HyperelasticLawT<double>>& a,
                     const std::optional<HyperelasticLawT<double>>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->polynomial, b->polynomial);
  EXPECT_EQ(a->tanh, b->tanh);
}
void expect_same_rods(const RodParameters& a, const RodParameters& b) {
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.sections, b.sections);
  const Section &s = a.section, &t = b.section;
  EXPECT_TRUE(!s.is_given() || s.shape == t.shape);
  for (const auto part :
       {&Section::radius, &Section::inner_radius, &Section::radius_x, &Section::radius_y, &Section::width,
        &Section::height, &Section::area, &Section::Ix, &Section::Iy, &Section::Jz}) {
    EXPECT_EQ(s.*part, t.*part);
  }
  const RodMaterial &m = a.material, &n = b.material;
  EXPECT_EQ(m.density, n.density);
  EXPECT_EQ(m.young_modulus, n.young_modulus);
  EXPECT_EQ(m.poisson_ratio, n.poisson_ratio);
  EXPECT_EQ(m.damping_time, n.damping_time);
  EXPECT_EQ(m.viscosity, n.viscosity);
  for (int c = 0; c < 6; ++c) {
    ASSERT_EQ(a.strain[c].has_value(), b.strain[c].has_value());
    EXPECT_EQ(a.rest_strain[c], b.rest_strain[c]);
    if (!a.strain[c]) continue;
    const StrainBasis &x = *a.strain[c], &y = *b.strain[c];
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.order, y.order);
    EXPECT_EQ(x.centers, y.centers);
    EXPECT_EQ(x.widths, y.widths);
    EXPECT_EQ(x.nodes, y.nodes);
    EXPECT_EQ(x.breaks, y.breaks);
  }
  EXPECT_EQ(a.shear_factor, b.shear_factor);
  EXPECT_EQ(a.torsion_constant, b.torsion_constant);
  expect_same_profiles(a.stiffness, b.stiffness);
  expect_same_profiles(a.mass_per_length, b.mass_per_length);
  expect_same_profiles(a.rotary_inertia, b.rotary_inertia);
  expect_same_law(a.hyperelastic_stretch, b.hyperelastic_stretch);
  expect_same_law(a.hyperelastic_bend, b.hyperelastic_bend);
}
void expect_same_volumes(const VolumeBody& a, const VolumeBody& b) {
  const PointParameters &p = a.parameters(), &r = b.parameters();
  EXPECT_EQ(p.quadrature.points, r.quadrature.points);
  EXPECT_EQ(p.quadrature.weights, r.quadrature.weights);
  EXPECT_EQ(p.density, r.density);
  EXPECT_EQ(p.tip_origin, r.tip_origin);
  EXPECT_EQ(p.tip_a, r.tip_a);
  EXPECT_EQ(p.tip_b, r.tip_b);
  EXPECT_EQ(p.shape.kind, r.shape.kind);
  EXPECT_EQ(p.shape.length, r.shape.length);
  EXPECT_EQ(p.shape.half_x, r.shape.half_x);
  EXPECT_EQ(p.shape.inner_radius, r.shape.inner_radius);
  const VolumeMaterial &m = a.material(), &n = b.material();
  EXPECT_EQ(m.model, n.model);
  EXPECT_EQ(m.c1, n.c1);
  EXPECT_EQ(m.lame_lambda, n.lame_lambda);
  EXPECT_EQ(m.damping_time, n.damping_time);
  EXPECT_EQ(m.shear_modulus(), n.shear_modulus());
}

void expect_same(const Body& a, const Body& b) {
  ASSERT_EQ(a.type_name(), b.type_name());
  if (const auto* rigid = dynamic_cast<const RigidBody*>(&a)) {
    const RigidParameters &p = rigid->parameters(), &r = dynamic_cast<const RigidBody&>(b).parameters();
    EXPECT_EQ(p.mass, r.mass);
    EXPECT_EQ(p.com, r.com);
    const auto list = [](const SymmetricMatrix3T<double>& I) {
      return std::vector<double>{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    };
    EXPECT_EQ(list(p.inertia), list(r.inertia));
    expect_same(p.tip, r.tip);
  } else if (const auto* rod = dynamic_cast<const RodBody*>(&a)) {
    expect_same_rods(rod->parameters(), dynamic_cast<const RodBody&>(b).parameters());
  } else if (const auto* joint = dynamic_cast<const ContinuumJoint*>(&a)) {
    const auto &p = joint->parameters(), &r = dynamic_cast<const ContinuumJoint&>(b).parameters();
    EXPECT_EQ(p.length, r.length);
    EXPECT_EQ(p.mass, r.mass);
    EXPECT_EQ(p.radius, r.radius);
    EXPECT_EQ(p.stiffness, r.stiffness);
    EXPECT_EQ(p.coupling_stiffness, r.coupling_stiffness);
    EXPECT_EQ(p.damping, r.damping);
    EXPECT_EQ(p.momentarily_rigid, r.momentarily_rigid);
  } else if (const auto* volume = dynamic_cast<const VolumeBody*>(&a)) {
    expect_same_volumes(*volume, dynamic_cast<const VolumeBody&>(b));
  }
}

void expect_same(const Link& a, const Link& b, const std::string& before) {
  EXPECT_EQ(a.name, b.name);
  Place parent = a.parent;
  if (parent.link.empty()) parent.link = before;
  expect_same(parent, b.parent);
  const auto type = [](const Link& link) { return link.joint ? link.joint->type_name() : "fixed"; };
  ASSERT_EQ(type(a), type(b));
  if (type(a) != "fixed") {
    const auto axes = a.joint->packing()->axes, others = b.joint->packing()->axes;
    for (std::size_t i = 0; i < axes.size(); ++i) EXPECT_LE(norm(axes[i] - others[i]), k_rotation);
    EXPECT_EQ(a.joint_dynamics.stiffness, b.joint_dynamics.stiffness);
    EXPECT_EQ(a.joint_dynamics.damping, b.joint_dynamics.damping);
    EXPECT_EQ(a.joint_dynamics.armature, b.joint_dynamics.armature);
    ASSERT_EQ(a.joint_dynamics.rest.size(), b.joint_dynamics.rest.size());
    for (std::size_t i = 0; i < a.joint_dynamics.rest.size(); ++i) {
      EXPECT_NEAR(a.joint_dynamics.rest[i], b.joint_dynamics.rest[i],
                  a.joint->nq() == a.joint->nv() ? 0.0 : k_rotation);
    }
  }
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.body == nullptr, b.body == nullptr);
  if (a.body) expect_same(*a.body, *b.body);
}

/// What it acts through, by all that kinds tell and what the library's have besides.
void expect_same(const Transmission& a, const Transmission& b) {
  ASSERT_EQ(a.type_name(), b.type_name());
  EXPECT_EQ(a.links(), b.links());
  EXPECT_EQ(a.inputs(), b.inputs());
  const TransmissionPicture x = a.picture(), y = b.picture();
  ASSERT_EQ(x.line.size(), y.line.size());
  for (std::size_t i = 0; i < x.line.size(); ++i) {
    if (std::holds_alternative<Place>(x.line[i])) {
      expect_same(std::get<Place>(x.line[i]), std::get<Place>(y.line[i]));
    } else {
      EXPECT_EQ(std::get<Routing>(x.line[i]), std::get<Routing>(y.line[i]));
    }
  }
  ASSERT_EQ(x.chamber.has_value(), y.chamber.has_value());
  if (x.chamber) {
    EXPECT_EQ(x.chamber->cavity.surface, y.chamber->cavity.surface);
    EXPECT_EQ(x.chamber->cavity.pocket, y.chamber->cavity.pocket);
    EXPECT_EQ(x.chamber->offset, y.chamber->offset);
    EXPECT_EQ(x.chamber->area, y.chamber->area);
  }
  if (const auto* joint = dynamic_cast<const JointTransmission*>(&a)) {
    EXPECT_EQ(joint->index, dynamic_cast<const JointTransmission&>(b).index);
  } else if (const auto* linear = dynamic_cast<const LinearTransmission*>(&a)) {
    EXPECT_EQ(linear->matrix, dynamic_cast<const LinearTransmission&>(b).matrix);
  } else if (const auto* tendon = dynamic_cast<const TendonTransmission*>(&a)) {
    EXPECT_EQ(tendon->slack, dynamic_cast<const TendonTransmission&>(b).slack);
  } else if (const auto* wrench = dynamic_cast<const WrenchTransmission*>(&a)) {
    expect_same(wrench->place, dynamic_cast<const WrenchTransmission&>(b).place);
    EXPECT_EQ(wrench->axes, dynamic_cast<const WrenchTransmission&>(b).axes);
  }
}

/// The same robot: numbers exactly, rotations to 1e-15.
void expect_same(const Robot& a, const Robot& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.floating_base, b.floating_base);
  expect_same(a.base_pose, b.base_pose);
  EXPECT_EQ(a.materials, b.materials);
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    SCOPED_TRACE(a.links[i].name);
    expect_same(a.links[i], b.links[i], i == 0 ? "base" : a.links[i - 1].name);
  }
  ASSERT_EQ(a.markers.size(), b.markers.size());
  for (std::size_t i = 0; i < a.markers.size(); ++i) {
    EXPECT_EQ(a.markers[i].name, b.markers[i].name);
    const Place &x = a.markers[i].place, &y = b.markers[i].place;
    EXPECT_EQ(x.link, y.link);
    EXPECT_EQ(x.at, y.at);
    EXPECT_EQ(x.pose.position, y.pose.position);
    for (int k = 0; k < 9; ++k) {  // those of random robots are products, themselves 1e-15 off a rotation
      EXPECT_NEAR(x.pose.rotation(k / 3, k % 3), y.pose.rotation(k / 3, k % 3), 2e-15);
    }
  }
  ASSERT_EQ(a.actuators.size(), b.actuators.size());
  for (std::size_t i = 0; i < a.actuators.size(); ++i) {
    EXPECT_EQ(a.actuators[i].name, b.actuators[i].name);
    expect_same(*a.actuators[i].transmission, *b.actuators[i].transmission);
  }
  ASSERT_EQ(a.elements.size(), b.elements.size());
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    EXPECT_EQ(a.elements[i].name, b.elements[i].name);
    EXPECT_EQ(a.elements[i].law->type_name(), b.elements[i].law->type_name());
    expect_same(*a.elements[i].through.at(0), *b.elements[i].through.at(0));
  }
  ASSERT_EQ(a.loads.size(), b.loads.size());
  for (std::size_t i = 0; i < a.loads.size(); ++i) {
    const Load &first = a.loads[i], &second = b.loads[i];
    expect_same(first.place, second.place);
    ASSERT_EQ(first.law->type_name(), second.law->type_name());
    const TimedWrench *x = first.law->timed(), *y = second.law->timed();
    if (x != nullptr) {
      EXPECT_EQ(x->axes, y->axes);
      for (int k = 0; k < 3; ++k)
        EXPECT_TRUE(x->force[k] == y->force[k] && x->torque[k] == y->torque[k]) << "load " << i;
    } else if (first.law->type_name() == "fluid") {
      EXPECT_EQ(test::fluid_of(first), test::fluid_of(second)) << "load " << i;
    } else {
      Drone of_first = dynamic_cast<const DroneLaw&>(*first.law).parameters();
      const Drone& of_second = dynamic_cast<const DroneLaw&>(*second.law).parameters();
      expect_same(of_first.axes, of_second.axes);
      of_first.axes = of_second.axes;
      EXPECT_TRUE(of_first == of_second) << "load " << i;
    }
  }
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    EXPECT_EQ(a.loops[i].name, b.loops[i].name);
    EXPECT_EQ(a.loops[i].type, b.loops[i].type);
    EXPECT_EQ(a.loops[i].axis, b.loops[i].axis);
    expect_same(a.loops[i].a, b.loops[i].a);
    expect_same(a.loops[i].b, b.loops[i].b);
  }
}

/// Generalized force of two descriptions at one random state.
void expect_same_dynamics(const Robot& a, const Robot& b) {
  const Model first(a), second(b);
  ASSERT_EQ(first.nv(), second.nv());
  test::Random random(7);
  auto state = test::random_state(first, random);
  const bool fem = std::any_of(a.links.begin(), a.links.end(), [](const Link& link) {
    return link.body && link.body->part<TetrahedralMesh>() != nullptr;
  });
  if (fem)
    integrate<double>(first, first.neutral(), VectorXd(1e-4 * state.v), state.q);  // displacements of small meshes
  Data first_data(first), second_data(second);
  const VectorXd tau = inverse_dynamics(first, first_data, state.q, state.v, state.a);
  const VectorXd other = inverse_dynamics(second, second_data, state.q, state.v, state.a);
  // poses that differ by 1e-15, along a chain of some ten links
  EXPECT_LE((tau - other).norm(), 1e-12 * (tau.norm() + 1.0));
}

/// Writes a robot and reads it again, twice. @return what was read.
Robot expect_round_trip(const Robot& robot, const std::vector<LinkVisual>& visuals = {}) {
  const WrittenRobot written = write_robot(robot, visuals);
  SCOPED_TRACE(written.yaml);
  const Robot read = read_robot(written, "written.yaml");
  expect_same(robot, read);
  const WrittenRobot again = write_robot(read, visuals);
  EXPECT_EQ(again.yaml, written.yaml);
  EXPECT_EQ(again.files, written.files);
  return read;
}

std::string refusal(const Robot& robot) {
  return message<ModelError>([&] { write_robot(robot); });
}

Robot robot_of(std::shared_ptr<const Body> body, const std::string& name = "arm") {
  Robot robot;
  robot.name = "mine";
  robot.links.push_back({.name = name, .body = std::move(body)});
  return robot;
}
Place on(const std::string& link) { return {link, PortLocation::tip(), {}}; }
std::shared_ptr<const RigidBody> some_mass(double mass = 1.5) {
  return std::make_shared<RigidBody>(
      RigidParameters{.mass = mass, .com = {0.1, 0.2, 0.3}, .inertia = {0.1, 0.1, 0.1, 0, 0, 0}});
}
RodParameters some_rod() {
  RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = Profile(std::vector{0.02, 0.01});
  rod.material = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  rod.strain = strain_shorthand("pcc", rod.length);
  rod.sections = 4;
  return rod;
}

class ShippedRobots : public testing::TestWithParam<std::string> {};

std::vector<std::string> shipped_robots() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(CUTTLE_SOURCE_DIR "/models")) {
    const std::string path = entry.path().string();
    if (path.ends_with(".yaml") && !path.ends_with("_scenario.yaml")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}
INSTANTIATE_TEST_SUITE_P(Models, ShippedRobots, testing::ValuesIn(shipped_robots()),
                         [](const auto& tested) { return fs::path(tested.param).stem().string(); });

TEST_P(ShippedRobots, ReadBackAsTheyAre) {
  const RobotFile file = load_robot_file(GetParam());
  const Robot read = expect_round_trip(file.robot, file.visuals);
  expect_same_dynamics(file.robot, read);
}

TEST_P(ShippedRobots, HaveTheSameParametersInTheirOwnFile) {
  const Robot robot = read_robot_file(GetParam());
  Robot described = robot;
  described.source = nullptr;
  std::map<std::string, double> values;
  for (const ParameterInfo& parameter : Model(described).parameters()) values[parameter.path] = parameter.value;
  for (const ParameterInfo& parameter : Model(robot).parameters()) {
    if (!parameter.given || parameter.path.find("rpy") != std::string::npos ||
        parameter.path.find("quaternion") != std::string::npos || parameter.path.find("axis") != std::string::npos) {
      continue;  // written otherwise, or left out where they are defaults
    }
    const auto found = values.find(parameter.path);
    if (found == values.end()) continue;  // a default that the file gives, a list of equal numbers
    EXPECT_EQ(found->second, parameter.value) << parameter.path;
  }
  EXPECT_GE(2 * values.size(), Model(robot).parameters().size());
}

TEST(RobotWriter, WritesEveryKeyThatHoldsANumber) {
  for (const test::ParameterRobot& tested : test::parameter_robots()) {
    SCOPED_TRACE(tested.name);
    const Robot robot = read_robot_text(tested.text, tested.name);
    expect_same_dynamics(robot, expect_round_trip(robot));
  }
}

TEST(RobotWriter, RandomRobotsReadBackAsTheyAre) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRobotOptions options;
    options.floating = seed % 3 == 0;
    options.continuum_joints = seed % 2 == 0;
    const Robot robot = test::to_robot(test::random_robot(seed, options));
    expect_same_dynamics(robot, expect_round_trip(robot));
  }
}

TEST(RobotWriter, NumbersKeepEveryBit) {
  test::Random random(3);
  std::vector<double> numbers{0.1,
                              1.0 / 3,
                              1e-310,
                              5e-324,
                              1.7976931348623157e308,
                              2.2250738585072014e-308,
                              -0.0,
                              0.0,
                              1e22,
                              5e5,
                              1e7,
                              9999999.999999998,
                              1e-4,
                              9.999999999999999e-5,
                              -1.5e-7,
                              123456};
  for (int i = 0; i < 2000; ++i) numbers.push_back(random.uniform() * std::pow(10.0, random.index(600) - 300));
  for (const double number : numbers) {
    const auto read = parse_yaml_number(yaml_number(number));
    ASSERT_TRUE(read) << yaml_number(number);
    EXPECT_EQ(read->value, number) << yaml_number(number);
    EXPECT_EQ(std::signbit(read->value), std::signbit(number));
    EXPECT_EQ(read->ambiguity, "") << yaml_number(number);
  }
  EXPECT_EQ(yaml_number(0.1), "0.1");
  EXPECT_EQ(yaml_number(1070), "1070");
  EXPECT_EQ(yaml_number(5e5), "500000");
  EXPECT_EQ(yaml_number(2e11), "2.0e+11");
  EXPECT_EQ(yaml_number(1.25e-5), "1.25e-5");

  Robot robot = robot_of(some_mass(1e-310));
  robot.links[0].parent.pose.position = {0.1, 1.0 / 3, 5e-324};
  expect_round_trip(robot);
}

TEST(RobotWriter, RotationsReadBackTo1e15) {
  test::Random random(5);
  for (int i = 0; i < 300; ++i) {
    const auto angle = [&] {
      return i % 3 == 0 ? std::round(random.uniform(-8, 8)) * M_PI / 4 : random.uniform(-4, 4);
    };
    const Quaternion q{std::cos(angle()), random.uniform(), random.uniform(), i % 5 == 0 ? 0.0 : random.uniform()};
    Robot robot = robot_of(some_mass());
    robot.links[0].parent.pose.rotation = q.normalized().matrix();
    robot.base_pose.rotation = q.conjugate().normalized().matrix();
    expect_round_trip(robot);
  }
}

TEST(RobotWriter, AnglesOfAFileStayAsTheyAre) {
  const char* const text =
      "cuttle: 1\nname: r\nlinks:\n"
      "  - {name: a, attach: {pose: {rpy: [0.3, -1.2, 2.5]}}, body: {type: rigid, mass: 1}}\n"
      "  - {name: b, attach: {pose: {rpy: [3.14159265358979, 0, 0]}}, joint: {type: revolute, axis: [1, 2, 0]}, body: "
      "{type: "
      "rigid, mass: 1}}\n";
  const std::string yaml = write_robot(read_robot_text(text, "r.yaml")).yaml;
  EXPECT_THAT(yaml, HasSubstr("rpy: [0.3, -1.2, 2.5]"));
  EXPECT_THAT(yaml, HasSubstr("rpy: [3.14159265358979, 0, 0]"));
  EXPECT_THAT(yaml, HasSubstr("axis: [0.5, 1, 0]"));  // of any length but 0
}

TEST(RobotWriter, IsPleasantToRead) {
  Robot robot = robot_of(std::make_shared<RodBody>(some_rod()), "segment");
  robot.materials["silicone"] = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  robot.links[0].material = "silicone";
  robot.links[0].joint = make_revolute_joint<double>({0, 1, 0});
  robot.links[0].joint_dynamics.damping = {0.01};
  robot.links.push_back({.name = "tool", .body = some_mass()});
  robot.actuators = {Actuator::joint("motor", "segment"),
                     Actuator::tendon("cable", {{.link = "segment", .offset = {{0.01, 0.0}}}})};
  robot.loads.push_back(
      make_wrench_load({.link = "tool"}, {.force = {0.0, 0.0, Signal::step(1.0, 0.0, 5.0)}, .torque = {}}));
  EXPECT_EQ(write_robot(robot).yaml, R"(cuttle: 1
name: mine
materials:
  silicone: {density: 1070, young_modulus: 500000, damping_time: 0.1}
links:
  - name: segment
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: [0.02, 0.01]}
      material: silicone
      sections: 4
      strain: pcc
  - name: tool
    body: {type: rigid, mass: 1.5, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
actuators:
  - {name: motor, type: joint, link: segment}
  - name: cable
    type: tendon
    routing:
      - {link: segment, offset: [0.01, 0]}
loads:
  - type: wrench
    link: tool
    force: [0, 0, {type: step, time: 1, after: 5}]
)");
}

TEST(RobotWriter, QuotesNamesThatWouldBeSomethingElse) {
  for (const std::string name :
       {"a b",          "yes",       "No",          "0x10", "1e3", "null",      "~",    "m\xc3\xbcller",
        "\xe6\x89\x8b", "say \"x\"", "back\\slash", "#1",   "- a", "a: b",      "{a}",  "&x",
        "*x",           "!x",        "%",           "'",    "a,b", "left-hand", "true", ".5"}) {
    if (name.find('.') != std::string::npos) continue;
    Robot robot = robot_of(some_mass(), name);
    robot.name = name;
    robot.links[0].joint = make_revolute_joint<double>({0, 0, 1});
    robot.actuators = {Actuator::joint(name, name)};
    expect_round_trip(robot);
  }
  EXPECT_EQ(yaml_plain_or_quoted("left-hand_2"), "left-hand_2");
}

TEST(RobotWriter, NamesWhatHasNoText) {
  FunctionParameters function;
  function.points = point_cylinder(1.0, 1.0, 1.0, 4, 1, 4);
  function.coordinates = {{"bend", "rad"}};
  function.position = [](const Vector3& x, const double* q) -> Vector3 { return {x.x + q[0] * x.z, x.y, x.z}; };
  Robot robot = robot_of(some_mass());
  robot.links.push_back({.name = "soft", .body = std::make_shared<FunctionBody>(function)});
  EXPECT_EQ(refusal(robot),
            "soft: body: found a body of type function_body, which has no text, expected rigid, rod, volume or "
            "continuum_joint");
  try {
    Model(robot).parameters();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.path(), KeyPath("links[1].body"));
  }

  RodParameters rod = some_rod();
  rod.strain[kappa_y]->kind = StrainBasis::Kind::function;
  rod.strain[kappa_y]->functions = {[](const double& t) { return t; }};
  EXPECT_THAT(refusal(robot_of(std::make_shared<RodBody>(rod))),
              HasSubstr("arm: body.strain.kappa_y: found a basis of functions, which has no text, expected constant,"));
  rod = some_rod();
  rod.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 101);
  rod.sections = 200;
  EXPECT_EQ(refusal(robot_of(std::make_shared<RodBody>(rod))),
            "robot 'mine': links[0].body.strain.kappa_y.order: found 101, expected an integer in [0, 100]");

  robot = robot_of(some_mass());
  robot.name = "a.b";
  EXPECT_EQ(refusal(robot), "robot 'a.b': name: found 'a.b', expected a name without any of . / [ ]");
  robot = robot_of(some_mass());
  robot.elements.push_back({"muscle", {std::make_shared<const DistanceTransmission>(on("arm"), on("base"))}, nullptr});
  EXPECT_EQ(refusal(robot),
            "elements[0]: found an element of type nothing, which has no text, expected spring or joint_limit");
  robot = robot_of(some_mass());
  robot.actuators.push_back({"pull", std::make_shared<const GearTransmission<double>>()});
  EXPECT_THAT(refusal(robot),
              HasSubstr("actuators[0]: found an actuator of type gear, which has no text, expected joint,"));
  robot = robot_of(some_mass());
  robot.base_pose.rotation.row0.x += 1e-7;
  EXPECT_THAT(refusal(robot), HasSubstr("base.pose.rotation: found a matrix that is"));

  auto block = test::ritz_block();
  PointParameters points = block->parameters();
  points.quadrature.points[3].x += 1e-3;
  const auto moved = std::make_shared<VolumeBody>(points, block->material(),
                                                  std::make_shared<RitzKinematics>(*block->part<RitzParameters>()));
  EXPECT_EQ(refusal(robot_of(moved)),
            "arm: body.points: found points of its own, which have no text, expected those of the shape");
}

TEST(RobotWriter, MaterialsKeepTheirNames) {
  Robot robot;
  robot.materials["rubber"] = {
      .model = Material::Model::neo_hookean, .density = 1100.0, .c1 = 7.1e4, .lame_lambda = 3e5, .damping_time = 0.03};
  const Material rubber = robot.materials["rubber"];
  RodParameters rod = some_rod();
  rod.material = rubber.of_rod();
  const PointParameters points = test::ritz_block()->parameters();
  const auto ritz = [&](const VolumeMaterial& material, double density) {
    PointParameters heavy = points;
    heavy.density = density;
    return std::make_shared<VolumeBody>(heavy, material,
                                        std::make_shared<RitzKinematics>(*test::ritz_block()->part<RitzParameters>()));
  };
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(rod), .material = "rubber"});
  robot.links.push_back({.name = "block", .body = ritz(rubber.of_volume(), 1100.0), .material = "rubber"});
  robot.links.push_back({.name = "foam", .body = ritz({.c1 = 3e4, .lame_lambda = 6e4}, 800.0)});
  expect_round_trip(robot);

  // one number for all that are made of it
  const Model softer = Model(robot).with("materials.rubber.c1", 2e4);
  EXPECT_EQ(dynamic_cast<const RodBody&>(*softer.robot().links[0].body).parameters().material.young_modulus, 6.0 * 2e4);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*softer.robot().links[1].body).material().c1, 2e4);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*softer.robot().links[2].body).material().c1, 3e4);
  EXPECT_EQ(softer.robot().materials.at("rubber").c1, 2e4);
  const Model lighter = softer.with("links.foam.body.material.density", 300.0);
  EXPECT_EQ(dynamic_cast<const VolumeBody&>(*lighter.robot().links[2].body).parameters().density, 300.0);

  robot.materials["rubber"].damping_time = 0.1;
  EXPECT_EQ(
      refusal(robot),
      "rod: body.material: found 'rubber', of which the body is not made, expected the name of the material that it "
      "is made of, or none");
  robot.links[0].material = "ruber";
  EXPECT_EQ(refusal(robot), "rod: body.material: found 'ruber', expected rubber; did you mean 'rubber'?");
  robot.links = {{.name = "arm", .body = some_mass(), .material = "rubber"}};
  EXPECT_EQ(refusal(robot), "arm: body.material: found 'rubber' of a body that has none, expected no name");
}

TEST(RobotWriter, MeshesAndNetworksAreFiles) {
  TetrahedralMesh mesh = test::mapped(test::box_mesh({0.03, 0.02, 0.1}, 1, 1, 3), [](const Vector3& x) {
    return Vector3{x.x * (1.0 + x.z), x.y + x.z / 3, x.z};
  });
  mesh.groups = {{"side", {boundary_faces(mesh)[0], boundary_faces(mesh)[5]}}, {"the top", {boundary_faces(mesh)[7]}}};
  const auto shared = std::make_shared<const TetrahedralMesh>(mesh);
  const VolumeMaterial material{.c1 = 3e4, .lame_lambda = 6e4};
  PointParameters points;
  points.quadrature = mesh_quadrature<double>(mesh, 1);
  points.density = 1000.0;
  points.tip_origin = {0, 0, 0.1}, points.tip_a = {0.01, 0, 0.1}, points.tip_b = {0, 0.01, 0.1};
  const auto basis = std::make_shared<const FemBasis>(fem_modes(shared, material, 1000.0, 3));
  Robot robot = robot_of(std::make_shared<VolumeBody>(points, material, std::make_shared<FemKinematics>(basis), shared),
                         "finger");
  const Robot read = expect_round_trip(robot);
  const auto other = read.links[0].body->part<TetrahedralMesh>();
  EXPECT_EQ(other->nodes, mesh.nodes);
  EXPECT_EQ(other->tetrahedra, mesh.tetrahedra);
  ASSERT_EQ(other->groups.size(), 2u);
  EXPECT_EQ(other->groups[1].name, "the top");
  EXPECT_EQ(other->groups[0].triangles, mesh.groups[0].triangles);

  // two links of one mesh have one file, and no file is replaced
  robot.links.push_back(robot.links[0]);
  robot.links[1].name = "thumb";
  robot.loads.push_back(make_wrench_load(
      {.link = "finger"},
      {.force = {Signal::table({0.0, 0.1, 1.0 / 3}, {1.0, -1.0, 0.5}, true), 0.0, 0.0}, .torque = {}}));
  const TemporaryDirectory directory;
  directory.write("finger.msh", "mine");
  write_robot_file(robot, directory.path("hand.yaml"));
  EXPECT_EQ(read_text_file(directory.path("finger.msh"), "it"), "mine");
  EXPECT_TRUE(fs::exists(directory.path("finger_2.msh")));
  EXPECT_TRUE(fs::exists(directory.path("thumb.msh")));
  expect_same(robot, read_robot_file(directory.path("hand.yaml")));
  EXPECT_THAT(message<FileError>([&] { write_robot_file(robot, directory.path("hand.yaml")); }),
              HasSubstr("hand.yaml: found a file of this name, expected none, or to be told to replace it"));
  write_robot_file(robot, directory.path("hand.yaml"), true);
  const auto count = std::distance(fs::directory_iterator(directory.path("")), fs::directory_iterator());
  EXPECT_EQ(count, 5);  // the robot, a mesh each, a table, and what was there
}

TEST(RobotWriter, SignalsReadBackEqual) {
  std::vector<double> times, values;
  for (int i = 0; i < 100; ++i) times.push_back(0.1 * i), values.push_back(std::sin(0.3 * i));
  const std::vector<Signal> signals{1.5,
                                    Signal::step(1.0, 0.5, 2.0),
                                    Signal::ramp(0.1, 1.0 / 3, 0.0, 2.0),
                                    Signal::sine(0.3, 2.0, 0.1, 1.0),
                                    Signal::sine(0.3, 2.0, 0.0, 0.0),
                                    Signal::points({1.0}, {2.0}),
                                    Signal::points({0.0, 1.0, 3.0}, {2.0, 1.0, 5.0}),
                                    Signal::table({0.0, 1.0}, {2.0, 1.0}, true),
                                    Signal::points(times, values)};
  Robot robot = robot_of(some_mass());
  for (const Signal& signal : signals) {
    robot.loads.push_back(
        make_wrench_load({"arm", PortLocation::base(), {}}, {.force = {0.0, signal, 0.0}, .torque = {}}));
    EXPECT_EQ(signal, signal);
  }
  expect_round_trip(robot);
  EXPECT_FALSE(Signal::step(1.0, 0.5, 2.0) == Signal::step(1.0, 0.5, 2.5));
  EXPECT_FALSE(Signal::step(1.0, 0.5, 2.0) == Signal(2.0));
  EXPECT_TRUE(Signal::step(1.0, 0.5, 2.0) == Signal::step(1.0, 0.5, 2.0));
}

TEST(RobotWriter, VisualsStayWithTheFile) {
  const TemporaryDirectory directory;
  directory.write("part.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.3 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
  const char* const text = R"(cuttle: 1
visual: {shape: box, size: [1, 1, 0.1]}
base: {visual: {shape: sphere, radius: 0.2, color: tomato}}
links:
  - name: a
    joint: {type: fixed, visual: {shape: cylinder, radius: 0.1, length: 0.3, color: [0.1, 0.2, 0.3]}}
    body: {type: rigid, mass: 1, visual: [{shape: mesh, file: part.obj, scale: 0.1}, {shape: sphere, radius: 1, pose: {rpy: [0.3, 0, 0]}}]}
)";
  const RobotFile file = load_robot_file(directory.write("r.yaml", text));
  write_robot_file(file.robot, directory.path("w.yaml"), false, file.visuals);
  const RobotFile read = load_robot_file(directory.path("w.yaml"));
  ASSERT_EQ(read.visuals.size(), file.visuals.size());
  std::size_t found = 0;
  for (const LinkVisual& a : file.visuals) {
    for (const LinkVisual& b : read.visuals) {
      if (a.frame != b.frame || a.visual.shape != b.visual.shape) continue;
      ++found;
      EXPECT_EQ(a.link, b.link);
      EXPECT_EQ(a.visual.radius, b.visual.radius);
      EXPECT_EQ(a.visual.size, b.visual.size);
      EXPECT_EQ(a.visual.length, b.visual.length);
      EXPECT_EQ(a.visual.color.has_value(), b.visual.color.has_value());
      expect_same(a.visual.pose, b.visual.pose);
      if (!a.visual.mesh) continue;
      EXPECT_EQ(a.visual.mesh->points, b.visual.mesh->points);
      EXPECT_EQ(a.visual.mesh->triangles, b.visual.mesh->triangles);
    }
  }
  EXPECT_EQ(found, 5u);
}

/// A robot from C++ with a part of each kind, and one that gives the same forces from a file.
Robot described_robot() {
  Robot robot;
  robot.name = "arm";
  robot.materials["silicone"] = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  robot.links.push_back({.name = "upper", .joint = make_revolute_joint<double>({0, 1, 0}), .body = some_mass(2.0)});
  robot.links[0].joint_dynamics.stiffness = {3.0};
  robot.links.push_back({.name = "soft", .body = std::make_shared<RodBody>(some_rod()), .material = "silicone"});
  robot.actuators = {Actuator::joint("motor", "upper"),
                     Actuator::tendon("cable", {{.link = "soft", .offset = {{0.01, 0.0}}}}),
                     Actuator::wrench("jet", on("soft")), Actuator::distance("pull", on("base"), on("soft"))};
  robot.elements = {make_spring<double>("return", on("base"), on("soft"), {.stiffness = 5.0, .damping = 0.1}),
                    make_joint_limit<double>("stop", "upper", 0, {-1.0, 1.0, 50.0, 0.5, 0.1})};
  return robot;
}
const char* const k_described = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1070, young_modulus: 5.0e5, damping_time: 0.1}}
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], stiffness: 3}
    body: {type: rigid, mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: soft
    body: {type: rod, length: 0.3, section: {shape: circle, radius: [0.02, 0.01]}, material: silicone, sections: 4, strain: pcc}
actuators:
  - {name: motor, type: joint, link: upper}
  - {name: cable, type: tendon, routing: [{link: soft, offset: [0.01, 0]}]}
  - {name: jet, type: wrench, link: soft}
elements:
  - {name: return, type: spring, a: {link: base}, b: {link: soft}, stiffness: 5, damping: 0.1}
  - {name: stop, type: joint_limit, link: upper, lower: -1, upper: 1, stiffness: 50, damping: 0.5, range: 0.1}
)";

TEST(DescribedRobot, HasTheParametersOfTheSameRobotFromAFile) {
  const Model described(described_robot()), read(read_robot_text(k_described, "arm.yaml"));
  const auto parameters = described.parameters(), expected = read.parameters();
  ASSERT_EQ(parameters.size(), expected.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].path, expected[i].path);
    EXPECT_EQ(parameters[i].value, expected[i].value) << expected[i].path;
    EXPECT_EQ(parameters[i].unit, expected[i].unit) << expected[i].path;
    EXPECT_EQ(parameters[i].given, expected[i].given) << expected[i].path;
  }
  expect_same_dynamics(described.with("links.soft.body.length", 0.4).robot(),
                       read.with("links.soft.body.length", 0.4).robot());
  EXPECT_EQ(message<ModelError>([&] { described.with("links.soft.body.length", -0.4); }),
            "robot 'arm': links[1].body.length: found -0.4, expected a number >= 1e-09 [m]");
  EXPECT_EQ(message<ArgumentError>([&] { described.with("links.soft.body.lenght", 0.4); }),
            "parameter: found 'links.soft.body.lenght', which 'arm' does not have (robot 'arm'); did you mean "
            "'links.soft.body.length'?");
}

TEST(DescribedRobot, IsDifferentiatedLikeTheSameRobotFromAFile) {
  const Model described(described_robot()), read(read_robot_text(k_described, "arm.yaml"));
  test::Random random(11);
  const auto state = test::random_state(read, random);
  const std::vector<std::string> paths{"materials.silicone.young_modulus", "links.soft.body.length",
                                       "links.upper.body.com[1]", "links.upper.joint.stiffness", "gravity[2]"};
  const MatrixXd gradient = inverse_dynamics_gradient(described, paths, state.q, state.v, state.a);
  const MatrixXd expected = inverse_dynamics_gradient(read, paths, state.q, state.v, state.a);
  EXPECT_LE((gradient - expected).norm(), 1e-12 * expected.norm());
  EXPECT_GT(gradient.col(1).norm(), 0.0);
}

TEST(DescribedRobot, KeepsItsMarkersThroughChanges) {
  Robot robot = described_robot();
  robot.markers.push_back({"eye", on("soft")});
  robot.markers[0].place.pose.position.x = 0.1;
  const Model changed = Model(robot).with("gravity[2]", -1.0).with("markers.eye.offset[0]", 0.2);
  ASSERT_EQ(changed.robot().markers.size(), 1u);
  EXPECT_EQ(changed.robot().markers[0].place.pose.position.x, 0.2);
  EXPECT_EQ(changed.robot().gravity.z, -1.0);
}

TEST(DescribedRobot, IsRecordedAndReopened) {
  const TemporaryDirectory directory;
  Robot robot = described_robot();
  robot.markers = {{"eye", on("soft")},
                   {"wrist", {"upper", PortLocation::base(), {rotation_from_rpy(0.3, 0.0, 0.0), {0, 0.1, 0}}}}};
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.05, scenario.output_step = 0.01;
  scenario.integrator.type = "rk4", scenario.integrator.step = 1e-4;
  scenario.initial["upper"].q = {0.3};
  scenario.inputs["motor"] = Signal::table({0.0, 0.02}, {0.1, -0.1}, true);
  scenario.inputs["cable"] = Signal::step(0.02, 0.0, 0.5);
  const auto recorder = make_hdf5_recorder(directory.path("run.h5"), {});
  MemoryRecorder memory;
  Simulator(model, scenario).run({recorder.get(), &memory});
  const ResultFile result = read_result_file(directory.path("run.h5"));
  expect_same(robot, result.robot);
  EXPECT_EQ(result.scenario.duration, scenario.duration);
  EXPECT_EQ(result.scenario.inputs.at("motor"), scenario.inputs.at("motor"));
  EXPECT_EQ(result.scenario.inputs.at("cable"), scenario.inputs.at("cable"));
  ASSERT_EQ(result.samples.size(), memory.samples().size());
  EXPECT_EQ(result.samples.back().q, memory.samples().back().q);
  ASSERT_EQ(result.samples.back().markers.size(), 2u);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, result.samples.back().q);
  for (std::size_t i = 0; i < 2; ++i) {
    const Pose expected = kinematics.pose(model.marker_frame(robot.markers[i].name));
    EXPECT_EQ(result.samples.back().markers[i].position, expected.position);
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(result.samples.back().markers[i].rotation(k / 3, k % 3), expected.rotation(k / 3, k % 3), 1e-15);
    }
  }

  // again from the result alone
  MemoryRecorder again;
  const Model reopened(result.robot);
  Simulator(reopened, result.scenario).run({&again});
  EXPECT_LE((again.samples().back().q - memory.samples().back().q).norm(), 1e-12);
}

TEST(DescribedRobot, WithAPartWithoutTextIsRecordedAllTheSame) {
  const TemporaryDirectory directory;
  Robot robot = described_robot();
  robot.actuators.push_back({"gear", std::make_shared<const GearTransmission<double>>("upper")});
  const Model model(robot);
  Scenario scenario;
  scenario.duration = 0.01, scenario.integrator.type = "rk4", scenario.integrator.step = 1e-3;
  const auto recorder = make_hdf5_recorder(directory.path("run.h5"), {});
  Simulator(model, scenario).run({recorder.get()});
  EXPECT_THAT(message<FileError>([&] { read_result_file(directory.path("run.h5")); }), HasSubstr("run.h5: robot_yaml"));
}

}  // namespace
}  // namespace cuttle
