// Tendons, chambers, loads, warnings and pushes take bodies of a user's own as they take the library's.
#include "support/own_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/idle_inputs.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/bodies/rod_refinement.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/error.h"
#include "simulation/live_statics.h"
#include "support/toy_bodies.h"
#include "view/view_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// Also fluids around a rod and a rigid body, an inlet without effect, and a volume whose tip deforms under its child.
Robot robot_with_all_uses() {
  Robot robot = test::robot_of_all_kinds();
  for (const char* const link : {"rod", "weight"}) {
    Fluid fluid;
    fluid.density = 1000, fluid.normal_drag = 1.1;
    if (link == std::string("weight")) {
      fluid.length = 0.05, fluid.radius_x = Profile(0.01), fluid.radius_y = Profile(0.02);
    }
    robot.loads.push_back(make_fluid_load(link, fluid));
  }
  robot.actuators.push_back(Actuator::chamber("sector", "tube", SectorPocket{0.4, 1.2, 0.015}));
  Link child{.name = "child", .body = test::rigid_body(0.01, {}, {1e-6, 1e-6, 1e-6}, {0, 0, 0.01})};
  child.parent.link = "block";
  robot.links.push_back(child);
  return robot;
}

VectorXd some_state(int n, double size) {
  VectorXd x(n);
  for (int i = 0; i < n; ++i) x[i] = size * std::sin(1.7 * i + 0.4);
  return x;
}

TEST(OwnBodyTest, ModelsAreThoseOfTheLibrarysBodies) {
  const Robot robot = robot_with_all_uses();
  const Model model(robot), own(test::with_own_bodies(robot));
  const auto texts = [](const Model& of) {
    std::vector<std::string> all;
    for (const Diagnostic& warning : of.warnings()) all.push_back(warning.text());
    return all;
  };
  EXPECT_EQ(texts(own), texts(model));
  const auto deforms = [](const std::string& text) { return text.find("the contact area at the tip") != text.npos; };
  EXPECT_TRUE(std::ranges::any_of(texts(own), deforms));
  ASSERT_EQ(own.nv(), model.nv());
  Data data(model), own_data(own);
  const VectorXd q = some_state(model.nq(), 0.02), v = some_state(model.nv(), 0.5);
  EXPECT_EQ(actuation_coordinates<double>(own, own_data, q), actuation_coordinates<double>(model, data, q));
  EXPECT_EQ(actuation_matrix<double>(own, own_data, q), actuation_matrix<double>(model, data, q));
  ASSERT_EQ(own.loads().size(), model.loads().size());
  for (std::size_t l = 0; l < own.loads().size(); ++l) EXPECT_EQ(own.loads()[l].weights, model.loads()[l].weights);
  ASSERT_EQ(own.state_loads().size(), 2u);
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_EQ(own.state_loads()[l]->frames().size(), model.state_loads()[l]->frames().size());
  }
  const std::vector<IdleInput> idle = idle_inputs(model), own_idle = idle_inputs(own);
  ASSERT_EQ(own_idle.size(), idle.size());
  for (std::size_t i = 0; i < idle.size(); ++i) EXPECT_EQ(own_idle[i].why, idle[i].why);
  const VectorXd tau = VectorXd::Zero(model.nv());
  const VectorXd a = forward_dynamics<double>(model, data, q, v, tau);
  EXPECT_LT((forward_dynamics<double>(own, own_data, q, v, tau) - a).norm(), 1e-9 * a.norm());
}

TEST(OwnBodyTest, PushesActAtTheSamePlaces) {
  const Robot robot = test::robot_of_all_kinds(), own_robot = test::with_own_bodies(robot);
  const Model model(robot), own(own_robot);
  const VectorXd q = some_state(model.nq(), 0.02);
  for (int link = 0; link < static_cast<int>(robot.links.size()); ++link) {
    for (const Vector3& point : {Vector3{0.1, -0.1, 0.9}, Vector3{0.12, -0.22, 1.3}}) {
      EXPECT_EQ(nearest_place(own_robot, own, q, link, point), nearest_place(robot, model, q, link, point)) << link;
    }
  }
}

/// Eight corners and no more are known of its surface: the place is between them.
TEST(OwnBodyTest, PushesActAtThePointOfTheSurfaceThatIsNearest) {
  PointParameters points = test::blob_points();
  auto surface = std::make_shared<BodySurface>();
  for (const double z : {0.0, 0.3}) {
    for (const auto& [x, y] :
         {std::pair(-0.05, -0.03), std::pair(0.05, -0.03), std::pair(0.05, 0.03), std::pair(-0.05, 0.03)})
      surface->points.push_back({x, y, z});
  }
  surface->faces = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  points.surface = surface;
  Robot robot;
  robot.links.push_back({.name = "blob", .body = std::make_shared<PointBody<test::Blob>>(points)});
  const Model model(robot);
  const VectorXd rest = VectorXd::Zero(3);
  const Place place = nearest_place(robot, model, rest, 0, {0.09, 0.01, 0.12});
  ASSERT_EQ(place.at.kind, PortLocation::Kind::point);
  EXPECT_LT(norm(place.at.point - Vector3{0.05, 0.01, 0.12}), 1e-14);
  EXPECT_LT(norm(nearest_place(robot, model, rest, 0, {0.09, 0.2, 0.4}).at.point - Vector3{0.05, 0.03, 0.3}), 1e-14);
  // stretched by a third: the place at two thirds of the length then is at two thirds of the length at rest
  const VectorXd stretched = (VectorXd(3) << 0.1, 0.0, 0.0).finished();
  const Place moved = nearest_place(robot, model, stretched, 0, {0.09, 0.01, 0.8 / 3});
  EXPECT_LT(norm(moved.at.point - Vector3{0.05, 0.01, 0.2}), 1e-14);
}

TEST(OwnBodyTest, DiscretizationOfASlenderBodyIsEstimated) {
  const Link rod = test::robot_of_all_kinds().links[0];
  const test::OwnBody own(rod.body->clone());
  EXPECT_EQ(estimate_discretization_error(own).largest(), estimate_discretization_error(*rod.body).largest());
  EXPECT_EQ(quadrature_points_for_error(own, 1e-6), quadrature_points_for_error(*rod.body, 1e-6));
  EXPECT_THROW(estimate_discretization_error(*test::lvp_finger()), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
