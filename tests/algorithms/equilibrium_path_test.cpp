// Paths of equilibria against closed forms: the elastica beyond its buckling load, snap-through, imperfect columns.

#include "cuttle/algorithms/equilibrium_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "algorithms/unit_rod.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/spring.h"
#include "cuttle/error.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_critical = std::numbers::pi * std::numbers::pi / 4.0;  // of a clamped column, P L^2 / EI

/// A column that bends in the x-z plane alone.
Model plane_column() {
  RodParameters p = unit_rod_parameters(1.0, 6, 40);
  p.strain[kappa_x].reset(), p.strain[kappa_z].reset();
  return Model(rod_robot(p));
}

/// The same of 60 rods in a row, with more coordinates than paths make matrices of.
Model column_of_rods() {
  constexpr int count = 60;
  RodParameters p = unit_rod_parameters(1.0 / count, 2, 4);
  p.strain[kappa_x].reset(), p.strain[kappa_z].reset();
  Robot robot = rod_robot(p);
  robot.links.resize(count, robot.links[0]);
  for (int i = 0; i + 1 < count; ++i) robot.links[static_cast<std::size_t>(i)].name = "part" + std::to_string(i);
  return Model(robot);
}

/// Tip of the elastica under P = part * P_cr from elliptic integrals of modulus k, the sine of half its tip's angle:
/// K(k) = pi/2 sqrt(part), x = 2 k / K, z = 2 E / K - 1.
Vector3 elastica_tip(double part) {
  const double K = 0.5 * std::numbers::pi * std::sqrt(part);
  double low = 0.0, high = 1.0;
  while (high - low > 1e-15) {
    const double k = 0.5 * (low + high);
    (std::comp_ellint_1(k) < K ? low : high) = k;
  }
  return {2.0 * low / K, 0.0, 2.0 * std::comp_ellint_2(low) / K - 1.0};
}

void expect_elastica(const Model& model) {
  Data data(model);
  const StaticLoads loads = tip_load(model, {{}, {0, 0, -1.5 * k_critical}}, Axes::world);
  const PathParameter load;
  const auto path = follow_equilibria(model, loads, model.neutral(), load);
  ASSERT_EQ(path.size(), 3u);  // the column, and the elastica to both sides
  const auto& column = path[0].points;
  const auto branch =
      std::find_if(column.begin(), column.end(), [](const PathPoint& p) { return p.kind == PathPoint::Kind::branch; });
  ASSERT_NE(branch, column.end());
  EXPECT_NEAR(branch->parameter * 1.5, 1.0, 1e-6);
  for (const PathPoint& p : column) {
    EXPECT_LT(p.equilibrium.q.norm(), 1e-9);
    if (std::abs(p.parameter - branch->parameter) > 1e-3) {
      EXPECT_EQ(p.equilibrium.stable(), p.parameter < branch->parameter) << p.parameter;
    }
  }
  for (const std::size_t side : {1u, 2u}) {
    EXPECT_EQ(path[side].parent, 0);
    for (const PathPoint& p : path[side].points) {
      const Vector3 exact = elastica_tip(1.5 * p.parameter), found = tip(model, data, p.equilibrium.q);
      EXPECT_NEAR(std::abs(found.x), exact.x, 1e-5) << p.parameter;
      EXPECT_NEAR(found.z, exact.z, 1e-5) << p.parameter;
      EXPECT_TRUE(p.equilibrium.stable());
    }
  }
  const auto all = equilibria_at(model, loads, model.neutral(), load, path, 1.0);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].equilibrium.stable() && all[1].equilibrium.stable());
  EXPECT_EQ(all[2].equilibrium.stability, Stability::unstable);
}

TEST(EquilibriumPathTest, TheElasticaLeavesTheColumnAtItsBucklingLoad) { expect_elastica(plane_column()); }

TEST(EquilibriumPathTest, TheElasticaLeavesAColumnOfManyRods) {
  const Model model = column_of_rods();
  ASSERT_GT(model.nv(), 150);
  expect_elastica(model);
}

// also within static_equilibrium, once all of the load acts and it looks for what is stable
TEST(EquilibriumPathTest, EndsWithItsHeartbeat) {
  struct Enough {};
  const Model model = plane_column();
  Data data(model);
  const StaticLoads loads = tip_load(model, {{}, {0, 0, -1.5 * k_critical}}, Axes::world);
  int beats = 0;
  PathOptions options;
  options.heartbeat = [&beats] {
    if (++beats == 10) throw Enough();
  };
  EXPECT_THROW(follow_equilibria(model, loads, model.neutral(), {}, options), Enough);
  beats = 0;
  const int steps = static_equilibrium(model, data, loads, model.neutral()).load_steps;
  const auto heartbeat = [&beats, steps] {
    if (++beats == steps + 10) throw Enough();
  };
  EXPECT_THROW(static_equilibrium(model, data, loads, model.neutral(), {}, heartbeat), Enough);
}

TEST(EquilibriumPathTest, ASideLoadDecidesWhereAColumnGoes) {
  // in the plane, and where it may bend to all sides and twist
  for (const Model& model : {plane_column(), Model(unit_rod(1.0, 6, 16))}) {
    Data data(model);
    const double side = 1e-3 * k_critical;
    const auto found = static_equilibrium(model, data, tip_load(model, {{}, {side, 0, -1.5 * k_critical}}, Axes::world),
                                          model.neutral());
    EXPECT_TRUE(found.stable());
    const Vector3 p = tip(model, data, found.q);
    EXPECT_NEAR(p.x, 0.79, 0.005);
    EXPECT_NEAR(p.y, 0.0, 1e-9);
    EXPECT_LT(found.residual, 1e-8);
  }
}

/// Two bars without weight of length 1 in springs of stiffness k, from supports at +-a to an apex that slides along z:
/// a shallow truss of von Mises. Force along z at height h: F = 2 k (rest - l) h / l with l = sqrt(a^2 + h^2).
struct Truss {
  static constexpr double half_width = 1.0, rise = 0.4, k = 50.0;
  static double force(double height) {
    const double rest = std::hypot(half_width, rise), l = std::hypot(half_width, height);
    return 2.0 * k * (rest - l) * height / l;
  }
  /// @param beside  rods in a row that hang at the base, and have no part in this.
  static Model model(int beside = 0) {
    RigidParameters p;
    p.mass = 0.1;
    Robot robot;
    robot.gravity = {};
    robot.links.push_back({.name = "rod",  // as tip_load has it
                           .joint = make_prismatic_joint<double>({0, 0, 1}),
                           .body = std::make_shared<RigidBody>(p)});
    for (const double side : {1.0, -1.0}) {
      const Place support{"base", PortLocation::base(), {Matrix3::identity(), {side * half_width, 0, -rise}}};
      robot.elements.push_back(make_spring<double>(side > 0 ? "right" : "left", support,
                                                   {"rod", PortLocation::tip(), {}}, {.stiffness = k}));
    }
    for (int i = 0; i < beside; ++i) {
      robot.links.push_back({.name = "hanging" + std::to_string(i),
                             .parent = {.link = i == 0 ? "base" : robot.links.back().name},
                             .body = std::make_shared<RodBody>(unit_rod_parameters(0.1, 1, 4))});
    }
    return Model(robot);
  }
};

void expect_snap_through(const Model& model) {
  const double load = 8.0;
  const StaticLoads loads = tip_load(model, {{}, {0, 0, -load}}, Axes::world);
  const PathParameter parameter;
  const auto path = follow_equilibria(model, loads, model.neutral(), parameter);
  ASSERT_EQ(path.size(), 1u);
  // folds where dF/dh = 0: l^3 = rest a^2
  const double rest = std::hypot(Truss::half_width, Truss::rise);
  const double height = std::sqrt(std::cbrt(rest * rest) - 1.0);
  std::vector<PathPoint> folds;
  for (const PathPoint& p : path[0].points) {
    const double h = Truss::rise + p.equilibrium.q[0];
    EXPECT_NEAR(Truss::force(h), load * p.parameter, 1e-9);
    if (p.kind == PathPoint::Kind::fold) {
      folds.push_back(p);
    } else if (std::abs(std::abs(h) - height) > 1e-3) {
      EXPECT_EQ(p.equilibrium.stable(), std::abs(h) > height) << h;
    }
  }
  // the second fold lies at a load that pulls, below 0, where the path ends
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_NEAR(folds[0].parameter * load, Truss::force(height), 1e-7);
  EXPECT_TRUE(path[0].goes_back);
  EXPECT_THAT(path[0].end, testing::StartsWith("it leaves the range at its start, 0: "));
  const double value = 0.05;
  const auto all = equilibria_at(model, loads, model.neutral(), parameter, path, value);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].equilibrium.stable());
  EXPECT_EQ(all[1].equilibrium.stability, Stability::unstable);
}

TEST(EquilibriumPathTest, ATrussSnapsThrough) { expect_snap_through(Truss::model()); }

TEST(EquilibriumPathTest, ATrussSnapsThroughBesideManyRods) {
  const Model model = Truss::model(40);
  ASSERT_GT(model.nv(), 150);
  expect_snap_through(model);
}

TEST(EquilibriumPathTest, FollowsInputsAndRefusesWhatItDoesNotKnow) {
  const Model model = Truss::model();
  PathParameter input{PathParameter::Kind::input, "motor", 0.0, 1.0};
  EXPECT_THROW(follow_equilibria(model, {}, model.neutral(), input), ArgumentError);
  EXPECT_THROW(follow_equilibria(model, {}, model.neutral(), {.from = 1.0, .to = 1.0}), ArgumentError);
  // loads grow from 0 on, and somewhere
  for (const auto& [from, to] : {std::pair{1.0, 0.0}, {-1.0, 0.0}, {1e-200, 1e-190}, {-1.0, -2.0}, {1.0, 2.0}}) {
    EXPECT_THROW(follow_equilibria(model, {}, model.neutral(), {.from = from, .to = to}), ArgumentError) << from;
  }
  Robot robot = Truss::model().robot();
  robot.actuators.push_back(Actuator::joint("motor", "rod"));
  const Model driven(robot);
  // pushed down by an input, from where it is at rest to beyond the other rest
  input.to = -30.0;
  const auto path = follow_equilibria(driven, {}, driven.neutral(), input);
  ASSERT_EQ(path.size(), 1u);
  bool fold = false;
  for (const PathPoint& p : path[0].points) {
    EXPECT_NEAR(Truss::force(Truss::rise + p.equilibrium.q[0]), -p.parameter, 1e-9);
    fold = fold || p.kind == PathPoint::Kind::fold;
  }
  EXPECT_TRUE(fold);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
