#include "cuttle/bodies/lvp_kinematics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "cuttle/error.h"
#include "support/kinematics_at_points.h"
#include "support/lvp_reference.h"
#include "support/random.h"

namespace cuttle::test {
namespace {

using Type = LvpPrimitive::Type;
using Precise = long double;
using Once = Dual<Precise, 1>;
using Twice = Dual<Once, 1>;

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

/// f(x + e1 dx1 + e2 dx2, q + e1 dq1 + e2 dq2) of the plain primitives.
Vector3T<Twice> moved(const LvpParameters& lvp, const Vector3& x, const std::vector<double>& q, const Vector3& dx1,
                      const std::vector<double>& dq1, const Vector3& dx2, const std::vector<double>& dq2) {
  const auto scalar = [](double value, double d1, double d2) {
    Twice s{Once(Precise(value))};
    s.value.derivative[0] = d1;
    s.derivative[0].value = d2;
    return s;
  };
  std::vector<Twice> at;
  for (std::size_t j = 0; j < q.size(); ++j) at.push_back(scalar(q[j], dq1[j], dq2[j]));
  Vector3T<Twice> y;
  for (int i = 0; i < 3; ++i) y[i] = scalar(x[i], dx1[i], dx2[i]);
  return plain_position(lvp, y, at.data());
}
Vector3 value_of(const Vector3T<Twice>& a) {
  return {double(a.x.value.value), double(a.y.value.value), double(a.z.value.value)};
}
Vector3 first_of(const Vector3T<Twice>& a) {
  return {double(a.x.value.derivative[0]), double(a.y.value.derivative[0]), double(a.z.value.derivative[0])};
}
Vector3 second_of(const Vector3T<Twice>& a) {
  return {double(a.x.derivative[0].derivative[0]), double(a.y.derivative[0].derivative[0]),
          double(a.z.derivative[0].derivative[0])};
}

struct Worst {
  double value = 0.0;
  /// Relative to `size`, a scale of the quantity.
  void see(const Vector3& found, const Vector3& expected, double size) {
    const double off = norm(found - expected) / (size + norm(expected));
    value = off <= value ? value : off;  // NaN counts as worst
  }
};

struct Deviations {
  Worst position, slopes, curvature, gradient, gradient_slopes, determinant;
};

/// Largest deviations of the library's derivatives from automatic differentiation of the plain primitives.
Deviations compare(const LvpParameters& lvp, const std::vector<double>& sizes, Random& random) {
  Deviations worst;
  const LvpKinematics kinematics(lvp);
  const std::size_t n = sizes.size();
  std::vector<double> q(n), v(n), none(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) q[j] = sizes[j] * random.uniform(), v[j] = sizes[j] * random.uniform();
  const std::vector<Vector3> x = random_points(random, lvp.length, 3, 2);
  const KinematicsAtPoints<double> found(kinematics, q, v, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vector3 still{};
    const auto along_v = moved(lvp, x[i], q, still, v, still, v);
    worst.position.see(found.position[i], value_of(along_v), lvp.length);
    worst.curvature.see(found.curvature[i], second_of(along_v), lvp.length);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> unit = none;
      unit[j] = 1.0;
      const double scale = 0.1 / sizes[j];
      worst.slopes.see(found.slopes[i * n + j], first_of(moved(lvp, x[i], q, still, unit, still, none)), scale);
      for (int c = 0; c < 3; ++c) {
        Vector3 axis{};
        axis[c] = 1.0;
        const auto both = moved(lvp, x[i], q, axis, none, still, unit);
        if (j == 0) worst.gradient.see(found.F[i].column(c), first_of(both), 1.0);
        worst.gradient_slopes.see(found.F_slopes[i * n + j].column(c), second_of(both), 1.0 / sizes[j]);
      }
    }
    const Matrix3& F = found.F[i];
    const double J = dot(F.row0, cross(F.row1, F.row2));
    worst.determinant.see({J, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1.0);
  }
  return worst;
}

void expect_near_reference(const LvpParameters& lvp, unsigned seed, const std::string& what) {
  Random random(seed);
  const Deviations worst = compare(lvp, lvp_sizes(lvp), random);
  // sums of some hundred roundings
  constexpr double k_tolerance = 500 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(worst.position.value, k_tolerance) << what << ", seed " << seed;
  EXPECT_LT(worst.slopes.value, k_tolerance) << what << ", seed " << seed;
  EXPECT_LT(worst.curvature.value, k_tolerance) << what << ", seed " << seed;
  EXPECT_LT(worst.gradient.value, k_tolerance) << what << ", seed " << seed;
  EXPECT_LT(worst.gradient_slopes.value, k_tolerance) << what << ", seed " << seed;
  EXPECT_LT(worst.determinant.value, k_tolerance) << what << ", seed " << seed;
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
      largest = std::max(largest, std::hypot(PlainProfile<double>(bend.modes, &one).value(t),
                                             PlainProfile<double>(bend.y_modes, &one).value(t)));
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
}  // namespace cuttle::test
