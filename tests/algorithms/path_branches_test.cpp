// Paths of equilibria stay on their branch, whatever the range and however near another branch is: bars, trusses and
// columns with and without imperfections, over many ranges, against closed forms and curves traced by other means.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "algorithms/unit_rod.h"
#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/elements/spring.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/error.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Kind = PathPoint::Kind;

constexpr double k_critical = std::numbers::pi * std::numbers::pi / 4.0;  // of a clamped column, P L^2 / EI

/// Ends of ranges, in critical loads: just below and beyond the first, and far beyond it.
constexpr double k_ends[] = {0.97, 1.00001, 1.001, 1.02, 1.039, 1.1, 1.7, 2.0, 3.1, 5.3, 10.0, 37.0, 100.0};

std::vector<double> places(const std::vector<PathPoint>& points, Kind kind) {
  std::vector<double> found;
  for (const PathPoint& p : points) {
    if (p.kind == kind) found.push_back(p.parameter);
  }
  return found;
}

/// A root of a function that changes its sign between two numbers.
template <typename Function>
double root(const Function& f, double a, double b) {
  const bool sign = f(a) > 0.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0.0) == sign ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

/// A bar of length 1 that stands on a hinge with a spring of 1 N m/rad, under P down and f aside:
/// angle = P sin(angle) + f cos(angle).
Model bar() {
  RigidParameters p;
  p.mass = 1.0, p.tip.position = {0, 0, 1};
  auto hinge = make_revolute_joint<double>({0, 1, 0});
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "rod", .joint = hinge, .body = std::make_shared<RigidBody>(p)});
  robot.links[0].joint_dynamics.stiffness = {1.0};
  robot.actuators.push_back(Actuator::wrench("w", {"rod"}, Axes::world));
  return Model(robot);
}

// the upright bar goes over into the tilted one, and never comes near the other branch, which has a fold
TEST(PathBranchesTest, AnImperfectBarTiltsWithoutABranchPoint) {
  const Model model = bar();
  const PathParameter::Kind input = PathParameter::Kind::input;
  for (const double aside : {1e-7, 1e-5, 1e-3, 1e-2, 0.1}) {
    const StaticLoads loads = tip_load(model, {{}, {aside, 0, 0}}, Axes::world);
    for (const double to : k_ends) {
      const PathParameter down{input, "w.fz", 0.0, -to};
      const auto path = follow_equilibria(model, loads, model.neutral(), down);
      ASSERT_EQ(path.size(), 1u) << aside << ", to " << to;
      EXPECT_EQ(path[0].end, "the end of the range") << aside << ", to " << to;
      double last = 0.0;
      for (const PathPoint& p : path[0].points) {
        const double angle = p.equilibrium.q[0];
        EXPECT_EQ(p.kind, Kind::regular) << aside << ", to " << to << ": " << p.parameter;
        EXPECT_GT(angle, last) << aside << ", to " << to;
        EXPECT_NEAR(angle, -p.parameter * std::sin(angle) + aside * std::cos(angle), 1e-9);
        EXPECT_TRUE(p.equilibrium.stable());
        last = angle;
      }
      const double exact =
          root([&](double x) { return x - to * std::sin(x) - aside * std::cos(x); }, to > 1.0 ? 1e-12 : 0.0, 3.14);
      EXPECT_NEAR(last, exact, 1e-6) << aside << ", to " << to;
    }
  }
}

TEST(PathBranchesTest, APerfectBarTiltsAtItsCriticalLoadWhereverTheRangeEnds) {
  const Model model = bar();
  Data data(model);
  for (const double to : k_ends) {
    const StaticLoads loads = tip_load(model, {{}, {0, 0, -to}}, Axes::world);
    const auto path = follow_equilibria(model, loads, model.neutral(), {});
    ASSERT_EQ(path.size(), to > 1.0 ? 3u : 1u) << to;
    const auto branch_points = places(path[0].points, Kind::branch);
    ASSERT_EQ(branch_points.size(), to > 1.0 ? 1u : 0u) << to;
    if (to < 1.0) continue;
    EXPECT_NEAR(branch_points[0] * to, 1.0, 1e-6) << to;
    // at a load between the branch point and the first point of a branch, and at the end
    for (const double value : {(1.0 + 1e-6) / to, (1.0 + 0.3 * (to - 1.0)) / to, 1.0}) {
      const double exact = root([&](double x) { return x - value * to * std::sin(x); }, 1e-4, 3.14);
      const auto all = equilibria_at(model, loads, model.neutral(), {}, path, value);
      ASSERT_EQ(all.size(), 3u) << to << ", at " << value;
      EXPECT_NEAR(std::abs(all[0].equilibrium.q[0]), exact, 1e-6) << to;
      EXPECT_NEAR(all[0].equilibrium.q[0] + all[1].equilibrium.q[0], 0.0, 1e-6) << to;
    }
    const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
    EXPECT_TRUE(found.by_path && found.stable()) << to;
    EXPECT_NEAR(std::abs(found.q[0]), root([&](double x) { return x - to * std::sin(x); }, 1e-4, 3.14), 1e-7) << to;
  }
}

// from the tilted bar the parameter turns back at the branch point: the upright one is crossed there
TEST(PathBranchesTest, ABranchPointIsFoundFromTheSide) {
  const Model model = bar();
  VectorXd tilted = model.neutral();
  tilted[0] = 1.9;
  const PathParameter up{PathParameter::Kind::input, "w.fz", -2.0, -0.5};
  const auto path = follow_equilibria(model, {}, tilted, up);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_TRUE(path[0].goes_back);
  EXPECT_THAT(path[0].end, testing::HasSubstr("lower `from`"));
  EXPECT_THAT(places(path[0].points, Kind::fold), testing::IsEmpty());
  ASSERT_THAT(places(path[0].points, Kind::branch), testing::SizeIs(1));
  EXPECT_NEAR(places(path[0].points, Kind::branch)[0], -1.0, 1e-7);
  EXPECT_EQ(path[1].end == "the end of the range", path[2].goes_back);
  const auto below = equilibria_at(model, {}, tilted, up, path, -0.8);
  ASSERT_EQ(below.size(), 1u);
  EXPECT_NEAR(below[0].equilibrium.q[0], 0.0, 1e-9);
  EXPECT_EQ(equilibria_at(model, {}, tilted, up, path, -1.5).size(), 3u);
}

/// Two springs from supports at (+-1, 0) to an apex at (x, z), relaxed at (0, rise): a truss that leans aside before it
/// snaps through.
struct TallTruss {
  static constexpr double rise = 2.6, k = 50.0;
  /// Force that holds the apex.
  static std::array<double, 2> force(double x, double z) {
    std::array<double, 2> sum{};
    for (const double side : {1.0, -1.0}) {
      const double l = std::hypot(x - side, z), pull = k * (1.0 - std::hypot(1.0, rise) / l);
      sum[0] += pull * (x - side), sum[1] += pull * z;
    }
    return sum;
  }
  static Model model() {
    RigidParameters p;
    p.mass = 0.1;
    Robot robot;
    robot.gravity = {};
    robot.links.push_back(
        {.name = "slide", .joint = make_prismatic_joint<double>({1, 0, 0}), .body = std::make_shared<RigidBody>(p)});
    robot.links.push_back({.name = "rod",
                           .parent = {"slide"},
                           .joint = make_prismatic_joint<double>({0, 0, 1}),
                           .body = std::make_shared<RigidBody>(p)});
    for (const double side : {1.0, -1.0}) {
      const Place support{"base", PortLocation::base(), {Matrix3::identity(), {side, 0, -rise}}};
      robot.elements.push_back(make_spring<double>(side > 0 ? "right" : "left", support, {"rod"}, {.stiffness = k}));
    }
    robot.actuators.push_back(Actuator::wrench("w", {"rod"}, Axes::world));
    return Model(robot);
  }
  /// The largest load before it falls, pushed aside by a constant force: along the curve on which that balances, traced
  /// in steps much shorter than what separates its branches.
  static double limit(double aside) {
    const auto beside = [aside](double x, double z) { return force(x, z)[0] - aside; };
    double x = root([&](double at) { return beside(at, rise); }, 0.0, 0.5), z = rise;
    double before = -std::numeric_limits<double>::infinity();
    double along_x = 0.0, along_z = -1.0;
    for (int i = 0; i < 2000000; ++i) {
      constexpr double k_step = 2e-5, k_h = 1e-6;
      const auto slope = [&](double at_x, double at_z) {
        return std::array{(beside(at_x + k_h, at_z) - beside(at_x - k_h, at_z)) / (2.0 * k_h),
                          (beside(at_x, at_z + k_h) - beside(at_x, at_z - k_h)) / (2.0 * k_h)};
      };
      auto g = slope(x, z);
      double t_x = -g[1], t_z = g[0];
      const double size = std::copysign(std::hypot(t_x, t_z), t_x * along_x + t_z * along_z);
      along_x = t_x / size, along_z = t_z / size;
      x += k_step * along_x, z += k_step * along_z;
      g = slope(x, z);
      const double error = beside(x, z) / (g[0] * g[0] + g[1] * g[1]);
      x -= error * g[0], z -= error * g[1];
      const double load = -force(x, z)[1];
      if (load < before) return before;
      before = load;
    }
    return before;
  }
};

TEST(PathBranchesTest, ATallTrussLeansAsideBeforeItSnaps) {
  const Model model = TallTruss::model();
  const double rest = std::hypot(1.0, TallTruss::rise);
  // nothing holds it aside where l^3 = rest z^2; beyond, l^3 = rest ends its upright path
  const auto load_at = [](double z) { return -TallTruss::force(0.0, z)[1]; };
  const double first = load_at(root([&](double z) { return std::pow(1.0 + z * z, 1.5) - rest * z * z; }, 1.5, 2.6));
  const double snap = load_at(std::sqrt(std::cbrt(rest * rest) - 1.0));
  ASSERT_LT(first, snap);
  for (const double to : {1.001, 1.03, 1.5, 2.0, 3.3, 9.0, 40.0}) {
    const PathParameter down{PathParameter::Kind::input, "w.fz", 0.0, -to * first};
    const auto path = follow_equilibria(model, {}, model.neutral(), down);
    const auto branch_points = places(path[0].points, Kind::branch), folds = places(path[0].points, Kind::fold);
    ASSERT_FALSE(branch_points.empty()) << to;
    EXPECT_NEAR(branch_points[0], -first, 1e-6 * first) << to;
    if (to * first > snap) {
      ASSERT_FALSE(folds.empty()) << to;
      EXPECT_NEAR(folds[0], -snap, 1e-6 * snap) << to;
    }
    for (const PathBranch& branch : path) {
      for (const PathPoint& p : branch.points) {
        const double x = p.equilibrium.q[0], z = TallTruss::rise + p.equilibrium.q[1];
        if (std::hypot(std::abs(x) - 1.0, z) < 0.1) continue;  // a spring without length has no direction
        const auto held = TallTruss::force(x, z);
        EXPECT_NEAR(held[0], 0.0, 1e-8 * (1.0 + std::abs(p.parameter)));
        EXPECT_NEAR(held[1], p.parameter, 1e-8 * (1.0 + std::abs(p.parameter)));
      }
    }
  }
}

TEST(PathBranchesTest, ALimitLoadOfAnImperfectTrussIsNotPassed) {
  const Model model = TallTruss::model();
  for (const double aside : {1e-4, 1e-2, 0.3}) {
    const StaticLoads loads = tip_load(model, {{}, {aside, 0, 0}}, Axes::world);
    const double limit = TallTruss::limit(aside);
    for (const double to : {1.001, 1.03, 1.37, 2.0, 3.3, 9.0, 40.0}) {
      const PathParameter down{PathParameter::Kind::input, "w.fz", 0.0, -to * limit};
      const auto path = follow_equilibria(model, loads, model.neutral(), down);
      const auto folds = places(path[0].points, Kind::fold);
      ASSERT_FALSE(folds.empty()) << aside << ", to " << to;
      EXPECT_NEAR(folds[0], -limit, 1e-6 * limit) << aside << ", to " << to;
      for (const PathBranch& branch : path) {
        EXPECT_THAT(places(branch.points, Kind::branch), testing::IsEmpty()) << aside << ", to " << to;
      }
    }
  }
}

/// A column that bends in two planes, over one of them 2.25 times as stiff.
Model column(bool plane) {
  RodParameters p = unit_rod_parameters(1.0, 10, 48);
  p.strain[kappa_z].reset();
  if (plane) p.strain[kappa_x].reset();
  (*p.stiffness)[kappa_x] = Profile(2.25);
  return Model(rod_robot(p));
}

/// Tip of an elastica under a load down and one aside, by shooting: angle'' = -P sin(angle) - f cos(angle) from a
/// clamped end to one without a moment, with the one curvature at the clamp that bends to one side alone.
Vector3 bent_tip(double down, double aside) {
  const auto shoot = [&](double curvature) {
    constexpr int k_steps = 2000;
    constexpr double h = 1.0 / k_steps;
    std::array<double, 4> y{0.0, curvature, 0.0, 0.0};  // angle, curvature, x, z
    const auto rate = [&](const std::array<double, 4>& s) {
      return std::array<double, 4>{s[1], -down * std::sin(s[0]) - aside * std::cos(s[0]), std::sin(s[0]),
                                   std::cos(s[0])};
    };
    const auto moved = [](std::array<double, 4> s, const std::array<double, 4>& r, double by) {
      for (std::size_t i = 0; i < 4; ++i) s[i] += by * r[i];
      return s;
    };
    for (int i = 0; i < k_steps; ++i) {
      const auto a = rate(y), b = rate(moved(y, a, 0.5 * h)), c = rate(moved(y, b, 0.5 * h)), d = rate(moved(y, c, h));
      for (std::size_t k = 0; k < 4; ++k) y[k] += h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
    }
    return y;
  };
  // bent to one side: the greatest curvature at the clamp that has a free end
  const double most = 2.0 * std::sqrt(down + aside);
  const auto end = shoot(root([&](double c) { return shoot(c)[1]; }, 1e-9, most));
  return {end[2], 0.0, end[3]};
}

TEST(PathBranchesTest, AColumnPushedAsideBendsWithoutABranchPoint) {
  const Model model = column(true);
  Data data(model);
  for (const double aside : {1e-4, 1e-2}) {
    for (const double to : {1.02, 1.3, 2.0, 3.7}) {
      const StaticLoads loads = tip_load(model, {{}, {to * aside, 0, -to * k_critical}}, Axes::world);
      const auto path = follow_equilibria(model, loads, model.neutral(), {});
      ASSERT_EQ(path.size(), 1u) << aside << ", to " << to;
      EXPECT_EQ(path[0].end, "the end of the range");
      for (const PathPoint& p : path[0].points) {
        EXPECT_EQ(p.kind, Kind::regular) << aside << ", to " << to;
        EXPECT_TRUE(p.equilibrium.stable());
      }
      const Vector3 exact = bent_tip(to * k_critical, to * aside);
      const Vector3 found = tip(model, data, path[0].points.back().equilibrium.q);
      EXPECT_NEAR(found.x, exact.x, 1e-4) << aside << ", to " << to;
      EXPECT_NEAR(found.z, exact.z, 1e-4) << aside << ", to " << to;
    }
  }
}

// several in one step: none is lost
TEST(PathBranchesTest, AStraightColumnHasAllItsBranchPoints) {
  const Model model = column(false);
  for (const double to : {3.0, 11.0, 30.0}) {
    const StaticLoads loads = tip_load(model, {{}, {0, 0, -to * k_critical}}, Axes::world);
    const auto path = follow_equilibria(model, loads, model.neutral(), {}, {.most_branches = 1});
    const auto found = places(path[0].points, Kind::branch);
    std::vector<double> exact;
    for (const double part : {1.0, 2.25, 9.0, 20.25, 25.0}) {
      if (part < to) exact.push_back(part);
    }
    ASSERT_EQ(found.size(), exact.size()) << to;
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(found[i] * to, exact[i], 5e-4 * exact[i]) << to;
  }
}

TEST(PathBranchesTest, StaticsHasTheBentColumnFromItsCriticalLoadOn) {
  for (const bool plane : {true, false}) {
    const Model model = column(plane);
    Data data(model);
    for (const double part : {1.0001, 1.002, 1.02, 1.039, 1.3}) {
      const auto found = static_equilibrium(model, data, tip_load(model, {{}, {0, 0, -part * k_critical}}, Axes::world),
                                            model.neutral());
      EXPECT_TRUE(found.by_path && found.stable()) << part;
      // the elastica from elliptic integrals of modulus k: K(k) = pi/2 sqrt(part), x = 2 k / K
      const double K = 0.5 * std::numbers::pi * std::sqrt(part);
      const double k = root([K](double m) { return std::comp_ellint_1(m) - K; }, 0.0, 0.999);
      const Vector3 p = tip(model, data, found.q);
      EXPECT_NEAR(std::abs(p.x), 2.0 * k / K, 3e-4 * k) << part;
      EXPECT_NEAR(p.z, 2.0 * std::comp_ellint_2(k) / K - 1.0, 1e-6) << part;
    }
  }
}

/// A circular arch on two hinges, of two rods without stress, with a wrench on its crown.
Model hinged_arch() {
  RodParameters p = unit_rod_parameters(0.5, 3, 12);
  p.strain[kappa_x].reset(), p.strain[kappa_z].reset();
  p.rest_strain[kappa_y] = Profile(1.2);
  Robot robot = rod_robot(p);
  robot.links[0].joint = make_revolute_joint<double>({0, 1, 0});
  robot.links.push_back({.name = "other", .body = robot.links[0].body});
  const double span = 2.0 / 1.2 * std::sin(0.6);
  robot.loops.push_back({.name = "hinge",
                         .type = LoopType::spherical,
                         .a = {"base", PortLocation::base(), {Matrix3::identity(), {0, 0, span}}},
                         .b = {"other"}});
  robot.actuators.push_back(Actuator::wrench("w", {"rod"}, Axes::world));
  return Model(robot);
}

// A small moment lowers the limit load by its power of 2/3 (Koiter): the arch sways at a branch point that is unstable.
TEST(PathBranchesTest, AnArchSwaysAtALimitLoadThatFollowsKoiter) {
  const Model model = hinged_arch();
  VectorXd q0 = model.neutral();
  q0[0] = -0.6;
  const auto first = [&](double moment, double to, Kind kind) {
    StaticLoads loads = tip_load(model, {{0, moment, 0}, {}}, Axes::world);
    const auto path = follow_equilibria(model, loads, q0, {PathParameter::Kind::input, "w.fx", 0.0, to});
    EXPECT_THAT(places(path[0].points, kind == Kind::fold ? Kind::branch : Kind::fold), testing::IsEmpty()) << to;
    const auto found = places(path[0].points, kind);
    return found.empty() ? 0.0 : found[0];
  };
  const double perfect = first(0.0, 30.0, Kind::branch);
  EXPECT_NEAR(first(0.0, 28.7, Kind::branch), perfect, 1e-5 * perfect);
  double drop = 0.0;
  for (const double moment : {3e-6, 3e-4, 3e-3}) {
    const double limit = first(moment, 40.0, Kind::fold);
    for (const double to : {limit + 1e-3, 31.0, 300.0}) {
      EXPECT_NEAR(first(moment, to, Kind::fold), limit, 1e-7 * limit) << moment << ", to " << to;
    }
    const double its_drop = perfect - limit;
    if (drop > 0.0) {
      const double ratio = moment == 3e-4 ? 100.0 : 10.0;
      EXPECT_NEAR(std::log(its_drop / drop) / std::log(ratio), 2.0 / 3.0, 0.01) << moment;
    }
    drop = its_drop;
  }
}

/// A slender strip, clamped at its base, whose tip is held nearer than it is long: the straight strip, where
/// coordinates are zero, has open loops and a singular way to close them.
Robot arch() {
  Robot robot;
  RodParameters p = unit_rod_parameters(1.0, 4, 16);
  p.strain[kappa_x].reset(), p.strain[kappa_z].reset();
  robot = rod_robot(p);
  robot.loops.push_back({.name = "hold",
                         .type = LoopType::spherical,
                         .a = {"base", PortLocation::base(), {Matrix3::identity(), {0, 0, 0.85}}},
                         .b = {"rod"}});
  TimedWrench push;
  push.force[0] = Signal(0.0);
  robot.loads.push_back(make_wrench_load({"rod", PortLocation::tip()}, push));
  return robot;
}

TEST(PathBranchesTest, FollowsLoopsThatAreOpenAtTheStart) {
  const Model model{arch()};
  Data data(model);
  StaticLoads loads{{}, loads_at(model, 0.0), 0.0};
  const StaticEquilibrium rest = static_equilibrium(model, data, loads, model.neutral());
  const Vector3 held = tip(model, data, rest.q);
  EXPECT_NEAR(held.z, 0.85, 1e-9);
  for (const PathParameter& parameter :
       {PathParameter{}, PathParameter{PathParameter::Kind::parameter, "gravity[2]", 0.0, -2.0},
        PathParameter{PathParameter::Kind::component, "loads[0].torque[1]", 0.0, 0.5}}) {
    const auto path = follow_equilibria(model, loads, model.neutral(), parameter);
    ASSERT_GE(path.size(), 1u);
    EXPECT_EQ(path[0].end, "the end of the range") << parameter.name;
    for (const PathPoint& p : path[0].points) {
      EXPECT_NEAR(norm(tip(model, data, p.equilibrium.q) - held), 0.0, 1e-8) << parameter.name;
    }
    // the same as statics finds there
    const Model other = parameter.name == "gravity[2]" ? model.with("gravity[2]", -2.0) : model;
    StaticLoads all = loads;
    if (parameter.kind == PathParameter::Kind::component) all.external[0].wrench[1] = 0.5;
    Data its_data(other);
    const StaticEquilibrium there = static_equilibrium(other, its_data, all, model.neutral());
    EXPECT_LT((path[0].points.back().equilibrium.q - there.q).norm(), 1e-7) << parameter.name;
  }
}

TEST(PathBranchesTest, FollowsAComponentOfALoad) {
  Robot robot = bar().robot();
  TimedWrench push;
  push.force[0] = Signal(0.3), push.force[2] = Signal(-0.5);
  robot.loads.push_back(make_wrench_load({"rod"}, push));
  const Model model(robot);
  const StaticLoads loads{{}, loads_at(model, 0.0), 0.0};
  const PathParameter down{PathParameter::Kind::component, "loads[0].force[2]", 0.5, -3.0};
  const auto path = follow_equilibria(model, loads, model.neutral(), down);
  ASSERT_EQ(path.size(), 1u);
  EXPECT_EQ(path[0].points.back().parameter, -3.0);
  for (const PathPoint& p : path[0].points) {
    const double angle = p.equilibrium.q[0];
    EXPECT_NEAR(angle, -p.parameter * std::sin(angle) + 0.3 * std::cos(angle), 1e-9);
  }
  try {
    follow_equilibria(model, loads, model.neutral(), {PathParameter::Kind::component, "loads[1].force[2]"});
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("loads[0].force[2]"));
  }
  EXPECT_THROW(follow_equilibria(model, {}, model.neutral(), down), ArgumentError);  // loads do not act
}

/// A shallow truss that slides along z alone, as wide as this.
Model shallow_truss(double size) {
  RigidParameters p;
  p.mass = 0.1;
  Robot robot;
  robot.gravity = {};
  robot.links.push_back(
      {.name = "rod", .joint = make_prismatic_joint<double>({0, 0, 1}), .body = std::make_shared<RigidBody>(p)});
  for (const double side : {1.0, -1.0}) {
    const Place support{"base", PortLocation::base(), {Matrix3::identity(), {side * size, 0, -0.4 * size}}};
    robot.elements.push_back(make_spring<double>(side > 0 ? "right" : "left", support, {"rod"}, {.stiffness = 50.0}));
  }
  return Model(robot);
}

// it snaps through, and back at the opposite load
TEST(PathBranchesTest, GoesBelowNoLoadWhereTheRangeDoes) {
  const double rest = std::hypot(1.0, 0.4), height = std::sqrt(std::cbrt(rest * rest) - 1.0);
  for (const double size : {1.0, 1e-3}) {
    const Model model = shallow_truss(size);
    const double limit = size * 100.0 * (rest / std::hypot(1.0, height) - 1.0) * height;
    for (const double to : {1.0001, 1.3, 4.0, 50.0}) {
      const StaticLoads loads = tip_load(model, {{}, {0, 0, -to * limit}}, Axes::world);
      EXPECT_THROW(follow_equilibria(model, loads, model.neutral(), {.from = 0.5}), ArgumentError);
      const auto narrow = follow_equilibria(model, loads, model.neutral(), {});
      EXPECT_TRUE(narrow[0].goes_back) << to;
      EXPECT_EQ(narrow[0].points.back().parameter, 0.0) << to;
      const auto wide = follow_equilibria(model, loads, model.neutral(), {.from = -2.0});
      EXPECT_EQ(wide[0].points.front().parameter, 0.0) << to;
      EXPECT_EQ(wide[0].end, "the end of the range") << to;
      EXPECT_FALSE(wide[0].goes_back) << to;
      for (const auto& path : {narrow, wide}) {
        const auto folds = places(path[0].points, Kind::fold);
        ASSERT_EQ(folds.size(), path[0].goes_back ? 1u : 2u) << size << ", to " << to;
        EXPECT_NEAR(folds.front() * to, 1.0, 1e-7) << to;
        EXPECT_NEAR(std::abs(folds.back()) * to, 1.0, 1e-7) << to;
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
