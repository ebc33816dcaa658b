// Contacts of two links in robot files: what is read, written and refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cuttle/algorithms/contact_overlap.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "io/written_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

/// A palm on which a finger sits, two more links, and contacts.
std::string text(const std::string& contacts, const std::string& more = "") {
  return "cuttle: 1\n"
         "materials: {rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.5}, foam: {density: 100, "
         "young_modulus: 1.0e5, poisson_ratio: 0.3}}\n"
         "links:\n"
         "  - {name: palm, joint: {type: prismatic, axis: [0, 0, 1]}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, "
         "0, 0, 0]}, contact: {shape: box, size: [0.1, 0.1, 0.02]}}\n"
         "  - {name: finger, parent: palm, body: {type: rod, length: 0.1, section: {shape: circle, radius: 0.005}, "
         "material: rubber, strain: {kappa_y: constant}}}\n"
         "  - {name: thumb, parent: palm, attach: {pose: {position: [0.05, 0, 0]}}, body: {type: rod, length: 0.1, "
         "section: {shape: circle, radius: 0.005}, material: rubber, strain: {kappa_y: constant}}}\n"
         "  - {name: nail, parent: finger, body: {type: rigid, mass: 0.1, inertia: [1, 1, 1, 0, 0, 0]}, contact: "
         "{shape: sphere, radius: 0.002}}\n"
         "  - {name: rim, parent: palm, attach: {pose: {position: [0, 0.2, 0]}}, body: {type: rigid, mass: 0.1, "
         "inertia: [1, 1, 1, 0, 0, 0]}, contact: {shape: sphere, radius: 0.02}}\n"
         "  - {name: cube, parent: base, attach: {pose: {position: [0.2, 0, 0.05]}}, joint: {type: free}, body: {type: "
         "rigid, mass: 0.1, inertia: [1, 1, 1, 0, 0, 0]}, contact: {shape: box, size: [0.04, 0.04, 0.04]}}\n"
         "  - {name: plain, parent: base, joint: {type: free}, body: {type: rigid, mass: 0.1, inertia: [1, 1, 1, 0, 0, "
         "0]}}\n" +
         more +
         "obstacles: [{name: ground, shape: plane, pose: {position: [0, 0, -1]}}]\ncontacts:\n  - {name: grip, " +
         contacts + "}\n";
}
std::string refusal(const std::string& contacts) {
  try {
    const Model model(read_robot_text(text(contacts), "r.yaml"));
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LinkContactFile, SaysWhatIsWrong) {
  const auto expect = [](const std::string& contact, const std::string& error) {
    EXPECT_THAT(refusal(contact), HasSubstr(error)) << contact;
  };
  expect("a: finger, b: cubr", "contacts[0].b: found 'cubr', expected a link or an obstacle: did you mean 'cube'?");
  expect("a: cube, b: self",
         "contacts[0].b: found 'self' beside 'cube', which touches by `contact` shapes, expected a rod or a volume "
         "without "
         "them");
  expect("a: self, b: cube", "contacts[0].a: found 'self', expected a link");
  expect("a: finger, b: [self, self]", "found 'self' again");
  expect("a: cube, b: cube",
         "contacts[0].b: found 'cube' on both sides, expected two links, or `b: self` for a link that touches itself");
  expect("a: [cube, palm], b: [ground, palm, cube], modulus: 1e6", "contacts[0].b: found 'cube' on both sides");
  expect("a: [cube, rim], b: [rim, cube], modulus: 1e6", "found 'cube' on both sides");
  expect("a: palm, b: finger",
         "contacts[0]: found 'palm' and 'finger', which are fixed to each other, expected links that move against each "
         "other");
  expect("a: finger, b: nail", "contacts[0]: found 'finger' and 'nail', which are fixed to each other");
  expect("a: rim, b: palm, modulus: 1e6", "contacts[0]: found 'rim' and 'palm', which are fixed to each other");
  expect("a: nail, b: cube", "contacts[0].modulus: found nothing, expected a number > 0 [Pa]: both sides are rigid");
  expect("a: finger, b: plain", "links[6].contact: found nothing, expected a shape: 'grip' needs one");
  expect("a: plain, b: cube", "links[6].contact: found nothing, expected a shape: 'grip' needs one");
  for (const char* good :
       {"a: finger, b: cube", "a: cube, b: finger", "a: [finger, thumb], b: [cube, ground]", "a: nail, b: thumb",
        "a: nail, b: palm, modulus: 1e6", "a: nail, b: rim, modulus: 1e6", "a: finger, b: rim", "a: finger, b: thumb",
        "a: [finger, thumb], b: self", "a: finger, b: [thumb, self, cube]"}) {
    EXPECT_EQ(refusal(good), "accepted") << good;
  }
}

TEST(LinkContactFile, ComesBackAsItWasWritten) {
  for (const char* contact :
       {"a: [finger, thumb], b: cube, friction: 0.7", "a: cube, b: [finger, ground], modulus: 1.0e6, record: sites",
        "a: finger, b: [self, thumb]"}) {
    test::expect_round_trip(read_robot_text(text(contact), "r.yaml"));
  }
}

/// Stiffness of sites is the modulus of the pair: 1/E* is the sum of both.
TEST(LinkContactFile, MaterialsOfBothSidesMakeTheModulus) {
  const auto push = [](const std::optional<double>& modulus, const std::string& material) {
    Robot robot = read_robot_text(text("a: nail, b: cube, modulus: 1e6"), "r.yaml");
    robot.contacts[0].modulus = modulus;
    robot.links[3].material = "rubber", robot.links[5].material = material;
    const Model model(robot);
    const SiteLaw& law = *model.site_laws()[0];
    FrameMotionT<double> motion[k_most_site_frames];
    motion[0].pose.position = {0.0, 0.0, 0.02 + 0.002 - 1e-4};  // the nail on the cube's face
    if (law.sites()[0].frame[0] != 0) std::swap(motion[0], motion[1]);
    const double states[4] = {};
    SiteActionT<double> action;
    law.evaluate(0, 0.0, motion, states, action);
    return norm(action.wrench[0].force);
  };
  const double whole = 4.0 / 3.0 * std::sqrt(0.002) * 1e-6;
  const double rubber = 1e6 / 0.75, foam = 1e5 / 0.91, both = 1 / (1 / rubber + 1 / foam);
  EXPECT_NEAR(push({}, ""), whole * rubber, 1e-6 * whole * rubber);
  EXPECT_NEAR(push({}, "foam"), whole * both, 1e-6 * whole * both);
  EXPECT_NEAR(push(7e5, "foam"), whole * 7e5, 1e-6 * whole * 7e5);
}

TEST(LinkContactFile, OverlapsAtTheStartAreSeen) {
  const Robot robot = read_robot_text(text("a: finger, b: cube"), "r.yaml");
  const Model model(robot);
  Data data(model);
  VectorXd q = model.neutral();
  EXPECT_TRUE(contact_overlaps(model, data, q, 0.0).empty());
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == 7) {
      q[edge.q] = -0.2 + 0.02 + 0.004;  // a millimeter deep
      break;
    }
  }
  const auto found = contact_overlaps(model, data, q, 0.0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a, "finger");
  EXPECT_EQ(found[0].b, "cube");
  EXPECT_NEAR(found[0].depth, 1e-3, 1e-5);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
