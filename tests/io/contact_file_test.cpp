// Obstacles and contacts in robot files.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cuttle/geometry/shape.h"
#include "cuttle/io/kinds.h"
#include "cuttle/io/robot_export.h"
#include "cuttle/model/parameters.h"
#include "io/written_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

/// A ball above the ground. @param more  keys of the file.
std::string ball_file(const std::string& more, const std::string& contact = "contact: {shape: sphere, radius: 0.02}") {
  return "cuttle: 1\nname: falling\nlinks:\n  - {name: cube, attach: {pose: {position: [0, 0, 0.5]}}, joint: {type: "
         "free}, body: {type: rigid, mass: 0.1, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}, " +
         contact +
         "}\nobstacles:\n  - {name: ground, shape: plane}\n  - {name: wall, shape: box, size: [0.1, 1, 2], pose: "
         "{position: [0.4, 0, 1]}}\n" +
         more;
}
std::string with_contact(const std::string& contact) {
  return ball_file("contacts:\n  - {name: rest, " + contact + "}\n");
}
Robot read(const std::string& text) { return read_robot_text(text, "r.yaml"); }
RobotFile load_text(const std::string& text) {
  const TemporaryDirectory directory;
  return load_robot_file(directory.write("r.yaml", text));
}
ContactFriction friction_of(const std::string& friction) {
  return read(with_contact("a: cube, b: ground, modulus: 1.0e6, friction: " + friction)).contacts.at(0).friction;
}

TEST(ContactFile, HasObstaclesWithTheirPlaceAndMotion) {
  const Robot robot = read(ball_file(
      "  - {name: tube, shape: cylinder, radius: 0.3, length: 2, inside: true, pose: {position: [5, 6, 7]}, motion: "
      "{position: [{type: sine, amplitude: 0.1, frequency: 2}, 0, 0.5]}}\n"));
  ASSERT_EQ(robot.obstacles.size(), 3u);
  const Obstacle& tube = robot.obstacles[2];
  EXPECT_EQ(tube.name, "tube");
  EXPECT_EQ(tube.shape->type_name(), "cylinder");
  EXPECT_TRUE(tube.inside);
  EXPECT_EQ(tube.pose.position, (Vector3{5, 6, 7}));
  ASSERT_TRUE(tube.motion.position);
  EXPECT_NEAR((*tube.motion.position)[0].at(0.125), 0.1, 1e-15);
  EXPECT_EQ((*tube.motion.position)[2].at(0.125), 0.5);
  EXPECT_FALSE(robot.obstacles[1].inside);
}

TEST(ContactFile, HasContactsWithTheirDefaults) {
  const Contact contact = read(with_contact("a: cube, b: [ground, wall], modulus: 1.0e6")).contacts.at(0);
  EXPECT_EQ(contact.name, "rest");
  EXPECT_EQ(contact.a, std::vector<std::string>{"cube"});
  EXPECT_EQ(contact.b, (std::vector<std::string>{"ground", "wall"}));
  EXPECT_EQ(contact.friction, ContactFriction());
  EXPECT_EQ(contact.friction.forward, 0.5);
  EXPECT_EQ(contact.dissipation, 1.0);
  EXPECT_EQ(contact.modulus, 1e6);
  EXPECT_FALSE(contact.rounding || contact.spacing || contact.record_sites);
}

TEST(ContactFile, ReadsWhatAContactSays) {
  const Contact contact =
      read(with_contact("a: [cube], b: ground, modulus: 2.0e6, dissipation: 0, rounding: 0.001, spacing: 0.01, record: "
                        "sites, friction: {forward: 0.9, backward: 1.35, sideways: 1.8, damping_time: 0.001}"))
          .contacts.at(0);
  const ContactFriction& friction = contact.friction;
  EXPECT_EQ(friction.forward, 0.9);
  EXPECT_EQ(friction.backward, 1.35);
  EXPECT_EQ(friction.sideways, 1.8);
  EXPECT_EQ(friction.static_ratio, 1.0);
  EXPECT_EQ(friction.damping_time, 1e-3);
  EXPECT_EQ(contact.modulus, 2e6);
  EXPECT_EQ(contact.dissipation, 0.0);
  EXPECT_EQ(contact.rounding, 1e-3);
  EXPECT_EQ(contact.spacing, 0.01);
  EXPECT_TRUE(contact.record_sites);
}

TEST(ContactFile, FillsInCoefficientsThatAreNotGiven) {
  const ContactFriction number = friction_of("0.3");
  EXPECT_EQ(number.forward, 0.3);
  EXPECT_EQ(number.backward, 0.3);
  EXPECT_EQ(number.sideways, 0.3);
  const ContactFriction both = friction_of("{static: 0.4, kinetic: 0.3}");
  EXPECT_EQ(both.forward, 0.3);
  EXPECT_EQ(both.static_ratio, 0.4 / 0.3);
  const ContactFriction only_static = friction_of("{static: 0.4}");
  EXPECT_EQ(only_static.backward, 0.4);
  EXPECT_EQ(only_static.static_ratio, 1.0);
  const ContactFriction across = friction_of("{kinetic: 0.2, sideways: 0.6}");
  EXPECT_EQ(across.forward, 0.2);
  EXPECT_EQ(across.sideways, 0.6);
  EXPECT_EQ(friction_of("{sideways: 0.6}").forward, 0.5);
}

TEST(ContactFile, ReadsShapesOfALink) {
  const Robot two = read(ball_file("",
                                   "contact: [{shape: sphere, radius: 0.02}, {shape: capsule, radius: 0.01, length: "
                                   "0.1, pose: {position: [0, 0, 0.1]}}]"));
  ASSERT_EQ(two.links[0].contact.shapes.size(), 2u);
  EXPECT_EQ(two.links[0].contact.shapes[1].shape->type_name(), "capsule");
  EXPECT_EQ(two.links[0].contact.shapes[1].pose.position, (Vector3{0, 0, 0.1}));
  EXPECT_FALSE(two.links[0].contact.none);
  EXPECT_TRUE(read(ball_file("", "contact: none")).links[0].contact.none);
}

TEST(ContactFile, SaysWhatIsWrongAndWhatWasMeant) {
  const auto expect = [](const std::string& contact, const std::string& error) {
    EXPECT_THAT(robot_errors(with_contact(contact)), HasSubstr(error)) << contact;
  };
  expect("a: cubr, b: ground", "r.yaml:9:21: contacts[0].a: found 'cubr', expected a link: did you mean 'cube'?");
  expect("a: cube, b: groud",
         "r.yaml:9:30: contacts[0].b: found 'groud', expected a link or an obstacle: did you mean 'ground'?");
  expect("a: cube, b: [wall, thing]", "contacts[0].b[1]: found 'thing', expected a link or an obstacle");
  expect("a: wall, b: ground", "contacts[0].a: found 'wall', which is an obstacle, expected a link");
  expect("a: cube, b: cube, modulus: 1.0e6", "contacts[0].b: found 'cube' on both sides, expected two links");
  expect("a: cube, b: self", "contacts[0].b: found 'self' beside 'cube', which touches by `contact` shapes");
  expect("a: cube, b: [wall, wall]", "contacts[0].b[1]: found 'wall' again, expected each name once");
  expect("a: [], b: ground", "contacts[0].a: found an empty list, expected at least one name");
  expect("a: 3, b: ground", "contacts[0].a: found 3, expected a name or a list of names");
  expect("a: cube", "contacts[0].b: found nothing, expected a name or a list of names");
  expect("a: cube, b: ground, friction: -1", "contacts[0].friction: found -1, expected a number >= 0");
  expect("a: cube, b: ground, friction: much",
         "contacts[0].friction: found 'much', expected a number >= 0 or a mapping");
  expect("a: cube, b: ground, friction: {static: 0.2, kinetic: 0.3}",
         "contacts[0].friction.static: found 0.2, expected a number >= kinetic = 0.3");
  expect("a: cube, b: ground, friction: {static: 0.2, kinetic: 0}",
         "contacts[0].friction.static: found 0.2, expected 0, a multiple of kinetic = 0");
  expect("a: cube, b: ground, friction: {statik: 0.2}", "found an unknown key, expected");
  expect("a: cube, b: ground, modulus: 0", "contacts[0].modulus: found 0, expected a number > 0 [Pa]");
  expect("a: cube, b: ground, record: all", "contacts[0].record: found 'all', expected resultant or sites");
}

TEST(ContactFile, SaysWhichLinkHasNoSurface) {
  const std::string contacts = "contacts:\n  - {name: rest, a: cube, b: ground, modulus: 1.0e6}\n";
  const std::string errors = robot_errors(ball_file(contacts, "visual: []"));
  EXPECT_THAT(errors, HasSubstr("r.yaml:4:5: links[0].contact: found nothing, expected a shape: 'rest' needs one"));
}

TEST(ContactFile, SaysThatRigidSidesNeedAModulus) {
  EXPECT_THAT(robot_errors(with_contact("a: cube, b: ground")),
              HasSubstr("contacts[0].modulus: found nothing, expected a number > 0 [Pa]: both sides are rigid"));
}

TEST(ContactFile, SaysWhatIsWrongWithObstaclesAndShapes) {
  const auto errors = [](const std::string& obstacle) { return robot_errors(ball_file("  - " + obstacle + "\n")); };
  EXPECT_THAT(errors("{name: ground, shape: plane}"), HasSubstr("obstacles[2].name: found 'ground' again"));
  EXPECT_THAT(errors("{name: cube, shape: plane}"), HasSubstr("obstacles[2].name: found 'cube', which is a link"));
  EXPECT_THAT(errors("{name: self, shape: plane}"), HasSubstr("obstacles[2].name: found 'self', which is reserved"));
  EXPECT_THAT(errors("{name: x, shape: spere, radius: 1}"), HasSubstr("did you mean 'sphere'?"));
  EXPECT_THAT(errors("{name: x, shape: sphere}"), HasSubstr("obstacles[2].radius: found nothing, expected a number"));
  EXPECT_THAT(errors("{name: x, shape: plane, radius: 1}"), HasSubstr("a key that shape plane does not have"));
  EXPECT_THAT(errors("{name: x, shape: plane, color: grey1}"), HasSubstr("obstacles[2].color: found 'grey1'"));
  const auto of_link = [](const std::string& contact) { return robot_errors(ball_file("", "contact: " + contact)); };
  EXPECT_THAT(of_link("some"), HasSubstr("links[0].contact: found 'some', expected none, a shape or a list of shapes"));
  EXPECT_THAT(of_link("[]"), HasSubstr("links[0].contact: found an empty list, expected at least one shape"));
  EXPECT_THAT(of_link("{shape: sphere, radius: -1}"), HasSubstr("links[0].contact.radius: found -1, expected"));
  EXPECT_THAT(of_link("{shape: sphere, radius: 1, color: red}"), HasSubstr("links[0].contact.color: found a"));
}

TEST(ContactFile, ComesBackAsItWasWritten) {
  const std::string text = ball_file(
      "  - {name: post, shape: cylinder, radius: 0.1, length: 0.3, pose: {position: [3, 0, 0], rpy: [0.1, "
      "0.2, 0.3]}, motion: {rpy: [0, 0, {type: ramp, start: 0, end: 1, to: 2}]}, color: teal}\n  - {name: "
      "bowl, shape: sphere, radius: 3, inside: true, color: [0.1, 0.2, 0.3, 0.4]}\ncontacts:\n"
      "  - {name: a, a: cube, b: [ground, post], friction: {static: 0.4, kinetic: 0.3}, modulus: 1.0e6}\n"
      "  - {name: b, a: [cube], b: wall, friction: {forward: 0.9, backward: 1.35, sideways: 1.8}, modulus: "
      "1.0e6, record: sites}\n"
      "  - {name: c, a: cube, b: bowl, friction: 0, dissipation: 0.1, modulus: 3.0e6, rounding: 0.001, "
      "spacing: 0.01}\n"
      "  - {name: d, a: cube, b: bowl, modulus: 3.0e6, friction: {static: 0.7, kinetic: 0.6, sideways: 0.9, "
      "stribeck_velocity: 0.1}}\n",
      "contact: [{shape: box, size: [0.04, 0.05, 0.06]}, {shape: sphere, radius: 0.02, pose: {position: [0, "
      "0, 0.1]}}]");
  const RobotFile file = load_text(text);
  test::expect_round_trip(file.robot, file.visuals);
  const std::string yaml = write_robot(file.robot, file.visuals).yaml;
  EXPECT_THAT(yaml, HasSubstr("friction: {kinetic: 0.3, static: 0.4}"));
  EXPECT_THAT(yaml, HasSubstr("color: teal"));
  EXPECT_THAT(yaml, HasSubstr("color: [0.1, 0.2, 0.3, 0.4]"));
  const Robot none = read(ball_file("", "contact: none"));
  EXPECT_THAT(write_robot(none).yaml, HasSubstr("contact: none"));
  test::expect_round_trip(none);
}

TEST(ContactFile, RatiosOfCoefficientsComeBackToTheBit) {
  Robot robot = read(with_contact("a: cube, b: ground, modulus: 1.0e6"));
  for (int i = 1; i < 200; ++i) {
    ContactFriction& friction = robot.contacts[0].friction;
    friction.forward = friction.backward = friction.sideways = 0.137 * i;
    friction.static_ratio = (0.137 * i + 0.01 * (i % 7 + 1)) / (0.137 * i);  // as reading makes it
    ASSERT_EQ(read_robot(write_robot(robot), "w.yaml").contacts[0].friction, friction) << i;
  }
}

TEST(ContactFile, NumbersAreParameters) {
  const Robot robot = read(with_contact("a: cube, b: [ground, wall], modulus: 1.0e6"));
  const auto source = parameter_source(robot);
  const auto value = [&](const std::string& path) { return source->parameter(path).value; };
  EXPECT_EQ(value("contacts.rest.friction"), 0.5);
  EXPECT_EQ(value("contacts.rest.modulus"), 1e6);
  EXPECT_EQ(value("contacts.rest.dissipation"), 1.0);
  EXPECT_EQ(value("obstacles.wall.pose.position[0]"), 0.4);
  EXPECT_EQ(value("obstacles.wall.size[1]"), 1.0);
  EXPECT_EQ(value("links.cube.contact.radius"), 0.02);
  EXPECT_EQ(source->parameter("contacts.rest.modulus").unit, "Pa");
  const Robot other = source->with({{"contacts.rest.friction", 0.25}, {"obstacles.wall.pose.position[0]", 0.75}});
  EXPECT_EQ(other.contacts[0].friction.backward, 0.25);
  EXPECT_EQ(other.obstacles[1].pose.position.x, 0.75);
  EXPECT_FALSE(other == robot);
}

TEST(ContactFile, NumbersAreReadWithTheirDerivatives) {
  const Robot robot = read(
      with_contact("a: cube, b: [ground, wall], modulus: 1.0e6, friction: {static: 0.4, kinetic: 0.3, sideways: 0.6}"));
  const RobotT<ForwardDual> slopes = parameter_source(robot)->differentiated({{"contacts.rest.friction.static"},
                                                                              {"contacts.rest.friction.kinetic"},
                                                                              {"contacts.rest.friction.sideways"},
                                                                              {"contacts.rest.modulus"},
                                                                              {"obstacles.wall.pose.position[0]"}});
  const ContactFrictionT<ForwardDual>& friction = slopes.contacts.at(0).friction;
  EXPECT_NEAR(friction.static_ratio.derivative[0], 1.0 / 0.3, 1e-14);
  EXPECT_NEAR(friction.static_ratio.derivative[1], -0.4 / 0.09, 1e-13);
  EXPECT_EQ(friction.forward.derivative[1], 1.0);
  EXPECT_EQ(friction.sideways.derivative[1], 0.0);
  EXPECT_EQ(friction.sideways.derivative[2], 1.0);
  EXPECT_EQ(slopes.contacts[0].modulus->derivative[3], 1.0);
  EXPECT_EQ(slopes.obstacles.at(1).pose.position.x.derivative[4], 1.0);
}

/// A bump on the plane z = 0, to first order in its slope (cuttle/geometry/shape.h).
template <typename S>
struct Bump final : ShapeT<Bump, S> {
  std::string type_name() const override { return "bump"; }
  S half_thickness() const override { return S(std::numeric_limits<double>::infinity()); }
  template <typename T>
  T distance(const Vector3T<T>& x) const {
    const T r2 = (x.x * x.x + x.y * x.y) / T(width * width), h = T(height) * exp(-r2);
    return (x.z - h) / sqrt(T(1.0) + T(4.0) * h * h * r2 / T(width * width));
  }
  template <typename T>
  Bump<T> cast() const {
    Bump<T> other;
    other.height = scalar_cast<T>(height), other.width = scalar_cast<T>(width);
    return other;
  }
  S height{}, width{};
};
const KeyTable k_bump_keys{
    .keys = {key::required(key::number("height", k_any_number, "m")).about("Height of its top."),
             key::required(key::number("width", k_positive, "m")).about("Distance at which it has fallen to 1/e.")}};
template <typename S>
std::shared_ptr<const SignedDistanceT<S>> read_bump(const KeyReader<S>& at) {
  auto bump = std::make_shared<Bump<S>>();
  bump->height = at.number("height"), bump->width = at.number("width");
  return bump;
}

TEST(ContactFile, HasShapesOfUsers) {
  register_kind(DistanceKind("bump", &k_bump_keys, "A bump.", "{shape: bump, height: 0.1, width: 0.2}",
                             read_bump<double>, read_bump<ForwardDual>,
                             [](const SignedDistance& shape, MapWriter& map) {
                               map.number("height", dynamic_cast<const Bump<double>&>(shape).height);
                               map.number("width", dynamic_cast<const Bump<double>&>(shape).width);
                             }));
  const std::string hill = "  - {name: hill, shape: bump, height: 0.1, width: 0.2, pose: {position: [3, 0, 0]}}\n";
  const Robot robot =
      read(ball_file(hill + "contacts: [{name: rest, a: cube, b: hill, modulus: 1.0e6, friction: 0.3}]\n"));
  EXPECT_NEAR(robot.obstacles[2].shape->at(Vector3{0.0, 0.0, 0.15}).value, 0.05, 1e-15);
  test::expect_round_trip(robot);
  const auto source = parameter_source(robot);
  EXPECT_EQ(source->parameter("obstacles.hill.height").value, 0.1);
  const RobotT<ForwardDual> slopes = source->differentiated({{"obstacles.hill.height"}});
  EXPECT_NEAR(slopes.obstacles[2]
                  .shape->at(Vector3T<ForwardDual>{ForwardDual(0.0), ForwardDual(0.0), ForwardDual(0.15)})
                  .value.derivative[0],
              -1.0, 1e-14);
  EXPECT_THAT(robot_errors(ball_file("  - {name: hill, shape: bump, height: 0.1, wdth: 1}\n")),
              HasSubstr("did you mean 'width'?"));
}

TEST(ContactFile, SaysInExportsWhatIsLeftOut) {
  const Robot robot = read(with_contact("a: cube, b: ground, modulus: 1.0e6"));
  for (const ExportFormat format : {ExportFormat::urdf, ExportFormat::mjcf}) {
    const std::string text = export_robot(robot, format).text;
    EXPECT_THAT(text, HasSubstr("contact: left out (rest)"));
    EXPECT_THAT(text, HasSubstr("obstacle: left out (2: ground, wall)"));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
