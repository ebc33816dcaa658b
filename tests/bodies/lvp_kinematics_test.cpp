#include "cuttle/bodies/lvp_kinematics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "cuttle/error.h"
#include "support/kinematics_reference.h"
#include "support/lvp_reference.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

std::vector<Vector3> random_points(Random& random, double L, int slices, int each) {
  std::vector<Vector3> points;
  for (int i = 0; i < slices; ++i) {
    const double z = random.uniform(0.02, 1.0) * L;
    for (int j = 0; j < each; ++j) {
      const double radius = random.uniform(0.03, 0.06), angle = random.uniform(0.0, 6.28);
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return points;
}

void expect_near_reference(const LvpParameters& lvp, unsigned seed, const std::string& what) {
  Random random(seed);
  // sums of some hundred roundings
  constexpr double k_tolerance = 500 * std::numeric_limits<double>::epsilon();
  const LvpKinematics kinematics(lvp);
  const std::vector<double> sizes = lvp_sizes(lvp);
  const std::vector<Vector3> x = random_points(random, lvp.length, 3, 2);
  const auto plain = [&](const Vector3T<Twice>& y, const Twice* q) { return plain_position(lvp, y, q); };
  const std::string where = what + ", seed " + std::to_string(seed);
  KinematicsDeviations(kinematics, plain, lvp.length, sizes, x, random).expect_below(k_tolerance, where);
  std::vector<double> q;
  for (const double size : sizes) q.push_back(size * random.uniform());
  for (const Matrix3& F : KinematicsAtPoints<double>(kinematics, q, {}, x).F) {
    EXPECT_NEAR(dot(F.row0, cross(F.row1, F.row2)), 1.0, k_tolerance) << where;
  }
}

constexpr Type k_types[] = {Type::stretch, Type::shear, Type::twist, Type::bend, Type::source};

TEST(LvpKinematicsTest, EveryPrimitiveMatchesDifferentiationOfThePlainPosition) {
  for (const Type type : k_types) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      Random random(seed);
      LvpParameters lvp;
      lvp.length = 0.3;
      lvp.primitives = {random_primitive(type, random)};
      expect_near_reference(lvp, seed, lvp_primitive_name(static_cast<int>(type)));
    }
  }
}

TEST(LvpKinematicsTest, EveryPairMatchesDifferentiationOfThePlainPosition) {
  unsigned seed = 100;
  for (const Type first : k_types) {
    for (const Type second : k_types) {
      Random random(++seed);
      LvpParameters lvp;
      lvp.length = 0.3;
      lvp.primitives = {random_primitive(first, random), random_primitive(second, random)};
      expect_near_reference(lvp, seed,
                            lvp_primitive_name(static_cast<int>(first)) + std::string(", ") +
                                lvp_primitive_name(static_cast<int>(second)));
    }
  }
}

TEST(LvpKinematicsTest, LongCompositionsMatchDifferentiationOfThePlainPosition) {
  for (unsigned seed = 200; seed < 212; ++seed) {
    Random random(seed);
    LvpParameters lvp;
    lvp.length = 0.3;
    for (int k = 0; k < 5; ++k) lvp.primitives.push_back(random_primitive(k_types[random.index(5)], random));
    expect_near_reference(lvp, seed, "composition");
  }
}

// Points of one slice share what depends on x3; no order of points may change what comes out.
TEST(LvpKinematicsTest, PointsDoNotDependOnTheirNeighbors) {
  Random random(300);
  LvpParameters lvp;
  lvp.length = 0.3;
  for (const Type type : {Type::stretch, Type::bend, Type::twist, Type::bend}) {
    lvp.primitives.push_back(random_primitive(type, random));
  }
  const LvpKinematics kinematics(lvp);
  const std::vector<double> q = lvp_sizes(lvp);
  const std::vector<Vector3> x = random_points(random, lvp.length, 4, 5);
  const std::vector<Matrix3> F = KinematicsAtPoints<double>(kinematics, q, {}, x).F;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Matrix3 alone = KinematicsAtPoints<double>(kinematics, q, {}, {x[i]}).F[0];
    EXPECT_EQ(norm(alone.row0 - F[i].row0) + norm(alone.row1 - F[i].row1) + norm(alone.row2 - F[i].row2), 0.0) << i;
  }
}

Vector3 position_of(const LvpKinematics& kinematics, const Vector3& x, const std::vector<double>& q) {
  return KinematicsAtPoints<double>(kinematics, q, {}, {x}).position[0];
}

// The bound of the design: 1e-11 L while |kappa| L stays below 2 pi, however it varies along the backbone.
TEST(LvpKinematicsTest, BackboneKeepsItsErrorBound) {
  Random random(400);
  double worst = 0.0;
  for (int sample = 0; sample < 60; ++sample) {
    LvpParametersT<long double> lvp;
    lvp.length = 1.0L;
    LvpParameters plain;
    plain.length = 1.0;
    LvpPrimitive bend;
    bend.type = Type::bend;
    const int order = 1 + sample % 3;
    for (auto* modes : {&bend.modes, &bend.y_modes}) {
      std::vector<double> mode;
      for (int i = 0; i <= order; ++i) mode.push_back(random.uniform());
      modes->push_back(mode);
    }
    plain.primitives = {bend};
    double largest = 0.0;
    for (double t = 0.0; t <= 1.0; t += 0.01) {
      const double one = 1.0;
      largest = std::max(largest, std::hypot(PlainCurvature<double>(bend.modes, &one).value(t),
                                             PlainCurvature<double>(bend.y_modes, &one).value(t)));
    }
    const std::vector<long double> q = {2.0L * std::numbers::pi_v<long double> / largest,
                                        2.0L * std::numbers::pi_v<long double> / largest};
    const Vector3T<long double> tip{0.0L, 0.0L, 1.0L};
    const auto precise = LvpKinematics(plain).clone_as(ScalarTag<long double>());
    const Vector3T<long double> found = KinematicsAtPoints<long double>(*precise, q, {}, {tip}).position[0];
    const Vector3T<long double> expected = plain_position<long double>(plain, tip, q.data());
    worst = std::max(worst, static_cast<double>(norm(found - expected)));
  }
  RecordProperty("worst", std::to_string(worst * 1e12));
  EXPECT_LT(worst, 1e-11);
}

TEST(LvpKinematicsTest, ConstantCurvatureIsAnArc) {
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {{.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
  const LvpKinematics kinematics(lvp);
  for (const double angle : {1e-7, 0.3, 3.0, 6.0}) {
    // about y: towards +x; the axis is an arc of radius L / angle
    const Vector3 tip = position_of(kinematics, {0.0, 0.0, 0.2}, {0.0, angle});
    EXPECT_NEAR(tip.x, 0.2 * 2.0 * std::pow(std::sin(angle / 2), 2) / angle, 1e-15);
    EXPECT_NEAR(tip.z, 0.2 * std::sin(angle) / angle, 1e-15);
    EXPECT_NEAR(tip.y, 0.0, 1e-16);
  }
}

TEST(LvpKinematicsTest, PointsOfTheAxisStayThereWhenACavityIsInflated) {
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {{.type = Type::source, .modes = {{1.0, 0.5}}}};
  const LvpKinematics kinematics(lvp);
  const Vector3 axis = position_of(kinematics, {0.0, 0.0, 0.2}, {3e-4});
  EXPECT_EQ(axis.x, 0.0);
  EXPECT_EQ(axis.y, 0.0);
  EXPECT_EQ(axis.z, 0.2);
  const Vector3 wall = position_of(kinematics, {0.01, 0.0, 0.2}, {3e-4});
  EXPECT_NEAR(wall.x, std::sqrt(1e-4 + 4.5e-4), 1e-16);
}

std::string error_of(const LvpPrimitive& primitive, const Vector3& x, const std::vector<double>& q) {
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {primitive};
  try {
    position_of(LvpKinematics(lvp), x, q);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return {};
}

TEST(LvpKinematicsTest, ErrorsSayWhereAPrimitiveEnds) {
  const LvpPrimitive stretch{.type = Type::stretch, .modes = {{0.0, 1.0}}};
  EXPECT_EQ(error_of(stretch, {0.01, 0.0, 0.1}, {-0.25}),
            "stretch turns the body inside out (1 + e' = -0.25, valid above 0) at rest position [0.01, 0, 0.1], q = "
            "[-0.25]");
  EXPECT_EQ(error_of(stretch, {0.01, 0.0, 0.1}, {-0.19}), "");
  const LvpPrimitive bend{.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}};
  EXPECT_EQ(error_of(bend, {0.05, 0.0, 0.1}, {0.0, 2.4}),
            "bend folds the body onto itself (z = -0.6, valid above -0.577) at rest position [0.05, 0, 0.1], q = [0, "
            "2.4]");
  EXPECT_EQ(error_of(bend, {0.05, 0.0, 0.1}, {0.0, 2.3}), "");
  EXPECT_EQ(error_of(bend, {-0.05, 0.0, 0.1}, {0.0, 9.0}), "");
  const LvpPrimitive source{.type = Type::source, .modes = {{1.0}}};
  EXPECT_EQ(error_of(source, {0.01, 0.0, 0.1}, {-2e-4}),
            "source closes the cavity (r^2 + c = -0.0001 m^2, valid above 0) at rest position [0.01, 0, 0.1], q = "
            "[-0.0002]");
  EXPECT_EQ(error_of(source, {0.01, 0.0, 0.1}, {-0.9e-4}), "");
}

TEST(LvpKinematicsTest, CoordinatesAreNamedInTheOrderOfThePrimitives) {
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {{.type = Type::bend, .modes = {{1.0}, {0.0, 1.0}}, .y_modes = {{1.0}}},
                    {.type = Type::shear, .axis = 1, .modes = {{0.0, 1.0}}},
                    {.type = Type::source, .modes = {{1.0}}},
                    {.type = Type::bend, .y_modes = {{1.0}}}};
  std::string text;
  for (const CoordinateInfo& info : LvpKinematics(lvp).coordinates()) text += info.name + " " + info.unit + "; ";
  EXPECT_EQ(text, "bend_x.0 rad; bend_x.1 rad; bend_y.0 rad; shear_y.0 m; source.0 m^2; bend_y.1 rad; ");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
