#include "cuttle/model/contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/model/model.h"

// Contacts of a robot become laws at frames: which sites a link has, what their stiffness is, and what is refused.

namespace cuttle::CUTTLE_FILE {
namespace {

Link ball(double radius) {
  Link link;
  link.name = "ball";
  link.joint = make_free_joint<double>();
  link.parent.link = "base";
  const double mass = 0.2, inertia = 0.4 * mass * radius * radius;
  RigidParameters p;
  p.mass = mass, p.inertia = SymmetricMatrix3::diagonal(inertia, inertia, inertia);
  link.body = std::make_shared<RigidBody>(p);
  link.contact.shapes.push_back({std::make_shared<Sphere>(radius), {}});
  return link;
}

Robot on_ground(Link link) {
  Robot robot;
  robot.links.push_back(std::move(link));
  robot.obstacles.push_back({"ground", std::make_shared<Plane>(), {}, {}, false});
  Contact contact;
  contact.name = "floor", contact.a = {robot.links[0].name}, contact.b = {"ground"}, contact.modulus = 1e6;
  robot.contacts.push_back(contact);
  return robot;
}

Link rod() {
  RodParameters p;
  p.length = 0.5;
  p.section.radius = Profile(std::vector<double>{0.01, 0.005});
  p.material.density = 1200.0, p.material.young_modulus = 1e6, p.material.poisson_ratio = 0.5;
  p.quadrature_points = 6;
  p.strain = strain_shorthand<double>("pcc", 0.5);
  Link link;
  link.name = "rod", link.body = std::make_shared<RodBody>(p), link.material = "rubber";
  return link;
}

std::string refusal(const Robot& robot) {
  try {
    const Model model(robot);
    return "accepted";
  } catch (const ModelError& error) {
    return error.what();
  }
}

/// Force on the only frame of a law's site when its frame is at a height, at rest.
double push(const SiteLaw& law, int site, double height) {
  FrameMotionT<double> motion[2];
  motion[0].pose.position.z = height;
  const double states[4] = {};
  SiteActionT<double> action;
  law.evaluate(site, 0.0, motion, states, action);
  return action.wrench[0].force.z;
}

TEST(Contact, OfABallIsHertzs) {
  const Model model(on_ground(ball(0.05)));
  ASSERT_EQ(model.site_laws().size(), 1u);
  const SiteLaw& law = *model.site_laws()[0];
  ASSERT_EQ(law.sites().size(), 1u);
  EXPECT_EQ(law.name(), "floor");
  EXPECT_EQ(law.pairs()[0][0], "ball");
  EXPECT_EQ(law.pairs()[0][1], "ground");
  EXPECT_EQ(law.sites()[0].state_count, 3);
  for (const double d : {1e-6, 1e-4, 1e-3}) {
    const double expected = 4.0 / 3.0 * 1e6 * std::sqrt(0.05) * std::pow(d, 1.5);
    EXPECT_NEAR(push(law, 0, 0.05 - d), expected, 1e-9 * expected);
  }
  EXPECT_EQ(push(law, 0, 0.0501), 0.0);
  FrameMotionT<double> motion;
  const double none[4] = {}, some[4] = {1e-9};
  motion.pose.position.z = 0.0501;
  EXPECT_FALSE(law.may_act(0, 0.0, &motion, none));
  EXPECT_TRUE(law.may_act(0, 0.0, &motion, some));
  motion.pose.position.z = 0.04999;
  EXPECT_TRUE(law.may_act(0, 0.0, &motion, none));
}

TEST(Contact, OfABallOnABallHasBothCurvatures) {
  Robot robot = on_ground(ball(0.05));
  robot.obstacles[0].shape = std::make_shared<Sphere>(0.1);
  const double d = 1e-4, R = 1 / (1 / 0.05 + 1 / 0.1);
  EXPECT_NEAR(push(*Model(robot).site_laws()[0], 0, 0.15 - d), 4.0 / 3.0 * 1e6 * std::sqrt(R) * std::pow(d, 1.5), 1e-7);
  robot.obstacles[0].inside = true;
  const double bowl = 1 / (1 / 0.05 - 1 / 0.1);
  EXPECT_NEAR(push(*Model(robot).site_laws()[0], 0, -0.05 - d), 4.0 / 3.0 * 1e6 * std::sqrt(bowl) * std::pow(d, 1.5),
              1e-7);
}

TEST(Contact, OfARodHasAPieceBetweenStationsAndItsEnds) {
  Robot robot = on_ground(rod());
  robot.materials["rubber"] = {};
  robot.materials["rubber"].young_modulus = 1e6, robot.materials["rubber"].poisson_ratio = 0.5;
  robot.contacts[0].modulus.reset();
  const Model fixed(robot);
  // base, stations, tip; the base is held, the tip is free
  const std::size_t stations = robot.links[0].body->stations().size();
  EXPECT_EQ(fixed.site_laws()[0]->frames().size(), stations + 2);
  EXPECT_EQ(fixed.site_laws()[0]->sites().size(), stations + 1 + 1);
  robot.floating_base = true;
  const Model floating(robot);
  const SiteLaw& law = *floating.site_laws()[0];
  EXPECT_EQ(law.sites().size(), stations + 1 + 2);

  // a piece that lies: pi/4 E* per length and depth, E* = E / (1 - nu^2); ends are half spheres
  FrameMotionT<double> motion[2];
  const Matrix3 lying = Matrix3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
  const auto piece = law.sites()[0];
  ASSERT_EQ(piece.frame_count, 2);
  const double h = scalar_cast<double>(robot.links[0].body->stations()[0].s), taper = (0.01 - 0.005) / 0.5;
  motion[0].pose = {lying, {0, 0, 0.01 - 2e-4}};
  motion[1].pose = {lying, {h, 0, 0.01 - taper * h - 2e-4}};
  const double states[4] = {};
  SiteActionT<double> action;
  law.evaluate(0, 0.0, motion, states, action);
  const double E = 1e6 / 0.75, expected = M_PI / 4 * E * h * (2e-4 - 0.5e-3 * 0.01);
  // the frames' z axes are along x: vertical forces are along their y axes
  EXPECT_NEAR(action.wrench[0].force.y + action.wrench[1].force.y, expected, 1e-9 * expected);
}

TEST(Contact, OfABoxHasCornersAndOnOthersEdges) {
  Link link = ball(0.05);
  link.contact.shapes = {{std::make_shared<Box>(Vector3{0.1, 0.2, 0.3}), {}}};
  Robot robot = on_ground(link);
  EXPECT_EQ(Model(robot).site_laws()[0]->sites().size(), 8u);
  robot.obstacles[0].shape = std::make_shared<Cylinder>(0.1, 1.0);
  // corners and edges; side, two rims and two rings beside them of the cylinder
  EXPECT_EQ(Model(robot).site_laws()[0]->sites().size(), 8u + 12u + 1u + 32u);
  robot.obstacles[0].shape = std::make_shared<Sphere>(0.1);  // which is a site of its own
  EXPECT_EQ(Model(robot).site_laws()[0]->sites().size(), 1u);
  EXPECT_EQ(ModelT<ForwardDual>(robot.cast<ForwardDual>()).site_laws().size(), 1u);
}

TEST(Contact, AsksForNothingWhereThereIsNone) {
  Robot robot;
  robot.links.push_back(rod());
  const Model without(robot);
  robot.obstacles.push_back({"ground", std::make_shared<Plane>(), {}, {}, false});
  const Model with(robot);
  EXPECT_EQ(with.topology().nodes.size(), without.topology().nodes.size());
  EXPECT_TRUE(with.site_laws().empty());
}

TEST(Contact, SaysWhatIsWrong) {
  const Robot good = on_ground(ball(0.05));
  EXPECT_EQ(refusal(good), "accepted");
  Robot bad = good;
  bad.contacts[0].b = {"grund"};
  EXPECT_EQ(refusal(bad), "contact 'floor': b: found 'grund', expected a link or an obstacle; did you mean 'ground'?");
  bad = good, bad.contacts[0].a = {"ball", "bal"};
  EXPECT_EQ(refusal(bad), "contact 'floor': a[1]: found 'bal', expected a link; did you mean 'ball'?");
  bad = good, bad.contacts[0].b = {"ball"};
  EXPECT_EQ(refusal(bad),
            "contact 'floor': b: found 'ball' on both sides, expected two links, or `b: self` for a link that "
            "touches itself");
  bad = good, bad.contacts[0].modulus.reset();
  EXPECT_EQ(refusal(bad), "contact 'floor': modulus: found nothing, expected a number > 0 [Pa]: both sides are rigid");
  bad = good, bad.links[0].contact = {};
  EXPECT_NE(refusal(bad).find("links.ball.contact"), std::string::npos) << refusal(bad);
  bad = good, bad.contacts[0].friction.static_ratio = 0.5;
  EXPECT_EQ(refusal(bad), "contact 'floor': friction.static: found 0.25, expected a number >= kinetic = 0.5");
  bad = good, bad.links[0].joint = nullptr;
  EXPECT_EQ(refusal(bad),
            "contact 'floor': found 'ball' and 'ground', which are fixed to each other, "
            "expected a link that moves");
  bad = good, bad.obstacles[0].shape = nullptr;
  EXPECT_NE(refusal(bad).find("obstacle 'ground': shape: found nothing"), std::string::npos) << refusal(bad);
  bad = good, bad.contacts[0].modulus = -1.0;
  EXPECT_EQ(refusal(bad), "contact 'floor': modulus: found -1, expected a number > 0 [Pa]");
  bad = good, bad.obstacles.push_back(bad.obstacles[0]);
  EXPECT_NE(refusal(bad).find("'ground' again"), std::string::npos) << refusal(bad);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
