// [P] Assumption 2: a body whose tip deforms under what hangs there is named in a warning.
#include <gtest/gtest.h>

#include <string>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/model/model.h"
#include "support/toy_bodies.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

std::shared_ptr<const Body> weight() {
  RigidParameters p;
  p.mass = 0.1, p.inertia = SymmetricMatrix3::diagonal(1e-4, 1e-4, 1e-4);
  return std::make_shared<RigidBody>(p);
}
std::vector<std::string> warnings(std::shared_ptr<const Body> body, const PortLocation& at = PortLocation::tip()) {
  Robot robot;
  robot.links.push_back({.name = "soft", .body = std::move(body)});
  robot.links.push_back({.name = "weight", .parent = {"soft", at, {}}, .body = weight()});
  std::vector<std::string> texts;
  const Model model(robot);
  for (const Diagnostic& warning : model.warnings()) texts.push_back(warning.text());
  return texts;
}
std::string one(const std::string& names) {
  return "soft: body: the contact area at the tip, where 'weight' is attached, deforms with " + names +
         ": the tip frame follows three of its points; look in the viewer how far it deforms, or take modes that "
         "keep its shape (Assumption 2 of Pustina 2025)";
}

TEST(ContactAreaTest, NamesTheCoordinatesThatDeformIt) {
  EXPECT_EQ(warnings(lvp_tube({.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0}, {0.0, 2.0, -1.0}}},
                                              {.type = Type::twist, .modes = {{0.0, 1.0}}}}})),
            std::vector{one("stretch.0")});
  // curvature at the tip makes the section narrower on the inner side
  EXPECT_EQ(warnings(lvp_tube({.primitives = {{.type = Type::bend, .modes = {{1.0, -1.0}}, .y_modes = {{1.0}}}}})),
            std::vector{one("bend_y.0")});
  EXPECT_EQ(warnings(ritz_block()), std::vector{one("ritz.1, ritz.2")});  // the first moves the whole face sideways
  EXPECT_EQ(warnings(std::make_shared<PointBody<Blob>>(blob_points())).size(), 1u);
}

// Of a hollow body the rim counts, though the tip's origin lies in the hole; the bore may not widen there either.
TEST(ContactAreaTest, OfAHollowBodyTheRimCounts) {
  const std::vector<std::string> none;
  EXPECT_EQ(warnings(lvp_tube({.primitives = {{.type = Type::twist, .modes = {{0.0, 1.0}}},
                                              {.type = Type::source, .modes = {{0.0, 1.0, -1.0}}}}})),
            none);
  EXPECT_EQ(warnings(lvp_tube({.primitives = {{.type = Type::source, .modes = {{0.0, 1.0}}}}})),
            std::vector{one("source.0")});
}

TEST(ContactAreaTest, RigidTipsAreQuiet) {
  const std::vector<std::string> none;
  EXPECT_EQ(
      warnings(lvp_tube({.primitives = {{.type = Type::shear, .modes = {{0.0, 1.0}}},
                                        {.type = Type::bend, .modes = {{1.0, -1.0}}, .y_modes = {{1.0, -1.0}}}}})),
      none);
  // the other way round none does it alone: a face that bending has turned is sheared
  EXPECT_EQ(warnings(lvp_tube({.primitives = {{.type = Type::bend, .modes = {{1.0, -1.0}}},
                                              {.type = Type::shear, .modes = {{0.0, 1.0}}}}})),
            std::vector{one("bend_x.0, shear_x.0")});
  EXPECT_EQ(warnings(std::make_shared<PointBody<ToyBody>>(toy_points())), none);
}

// The last body of a chain may deform at its tip ([P] 7.2), and one that carries others at its base.
TEST(ContactAreaTest, OnlyWhatCarriesALinkIsJudged) {
  EXPECT_TRUE(warnings(lvp_tube(), PortLocation::base()).empty());
  Robot robot;
  robot.links.push_back({.name = "soft", .body = lvp_tube()});
  EXPECT_TRUE(Model(robot).warnings().empty());
  robot.links.push_back({.name = "next", .body = weight()});  // without a parent: at the tip of the link before
  EXPECT_EQ(Model(robot).warnings().size(), 1u);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
