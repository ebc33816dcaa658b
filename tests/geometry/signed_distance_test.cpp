#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"

// Distances against the nearest of many points of the surface, which are made by its parameters alone; derivatives
// against those that numbers carry; and no numbers that are none, wherever a point is.

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();

/// A shape with points of its surface from two or three random numbers in [0, 1].
struct Case {
  const char* name;
  std::shared_ptr<const SignedDistance> shape;
  std::function<Vector3(double, double, double)> surface;
  std::function<bool(const Vector3&)> holds;  ///< whether a point is inside
  double size;
};

Vector3 on_box(const Vector3& half, double which, double a, double b) {
  // faces by area, so that points are as dense everywhere
  const double areas[] = {half.y * half.z, half.x * half.z, half.x * half.y};
  double left = which * 2 * (areas[0] + areas[1] + areas[2]);
  for (int side = 0; side < 6; ++side) {
    const int i = side / 2;
    if (left > areas[i] && side < 5) {
      left -= areas[i];
      continue;
    }
    Vector3 x;
    x[i] = side % 2 == 0 ? half[i] : -half[i];
    x[(i + 1) % 3] = (2 * a - 1) * half[(i + 1) % 3], x[(i + 2) % 3] = (2 * b - 1) * half[(i + 2) % 3];
    return x;
  }
  return {};
}

Vector3 around(double rho, double turn, double z) {
  return {rho * std::cos(2 * M_PI * turn), rho * std::sin(2 * M_PI * turn), z};
}

std::vector<Case> cases() {
  const double R = 0.3, L = 0.9, beta = 0.4, base = L * std::tan(beta);
  const Vector3 half{0.25, 0.4, 0.1};
  return {
      {"sphere", std::make_shared<Sphere>(R),
       [=](double a, double b, double) {
         const double z = 2 * a - 1;
         return around(R * std::sqrt(1 - z * z), b, R * z);
       },
       [=](const Vector3& x) { return norm(x) < R; }, R},
      {"capsule", std::make_shared<Capsule>(R, L),
       [=](double a, double b, double c) {
         if (c < L / (L + 2 * R)) return around(R, a, (b - 0.5) * L);
         const double z = 2 * a - 1;
         return around(R * std::sqrt(1 - z * z), b, R * z + (z > 0 ? 0.5 : -0.5) * L);
       },
       [=](const Vector3& x) {
         const double over = std::max(0.0, std::abs(x.z) - L / 2);
         return x.x * x.x + x.y * x.y + over * over < R * R;
       },
       R + L / 2},
      {"cylinder", std::make_shared<Cylinder>(R, L),
       [=](double a, double b, double c) {
         if (c < L / (L + R)) return around(R, a, (b - 0.5) * L);
         return around(R * std::sqrt(a), b, c > 1 - R / (L + R) / 2 ? L / 2 : -L / 2);
       },
       [=](const Vector3& x) { return x.x * x.x + x.y * x.y < R * R && std::abs(x.z) < L / 2; }, R + L / 2},
      {"cone", std::make_shared<Cone>(beta, L),
       [=](double a, double b, double c) {
         if (c < 0.7) return around(std::sqrt(a) * base, b, L / 2 - std::sqrt(a) * L);
         return around(base * std::sqrt(a), b, -L / 2);
       },
       [=](const Vector3& x) {
         return x.z > -L / 2 && x.z < L / 2 && std::hypot(x.x, x.y) < (L / 2 - x.z) * std::tan(beta);
       },
       base + L / 2},
      {"box", std::make_shared<Box>(Vector3{2 * half.x, 2 * half.y, 2 * half.z}),
       [=](double a, double b, double c) { return on_box(half, a, b, c); },
       [=](const Vector3& x) { return std::abs(x.x) < half.x && std::abs(x.y) < half.y && std::abs(x.z) < half.z; },
       norm(half)},
      {"plane", std::make_shared<Plane>(),
       [](double a, double b, double) {
         return Vector3{4 * a - 2, 4 * b - 2, 0.0};
       },
       [](const Vector3& x) { return x.z < 0.0; }, 0.5},
  };
}

TEST(SignedDistance, IsThatToTheNearestPointOfTheSurface) {
  constexpr int k_surface = 4000, k_points = 400;
  for (const Case& test : cases()) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0.0, 1.0), cube(-1.5 * test.size, 1.5 * test.size);
    std::vector<Vector3> surface;
    for (int i = 0; i < k_surface; ++i) {
      surface.push_back(test.surface(unit(random), unit(random), unit(random)));
      EXPECT_LT(std::abs(test.shape->at(surface.back()).value), 20 * k_eps * test.size) << test.name;
    }
    const double gap = 6 * test.size / std::sqrt(k_surface) * 2;  // between samples
    for (int i = 0; i < k_points; ++i) {
      const Vector3 x{cube(random), cube(random), cube(random)};
      const DistanceT<double> found = test.shape->at(x);
      double nearest = INFINITY;
      for (const Vector3& p : surface) nearest = std::min(nearest, norm(x - p));
      EXPECT_LE(std::abs(found.value), nearest * (1 + 10 * k_eps)) << test.name;
      // samples leave gaps: the nearest one is farther by at most this
      EXPECT_GT(std::abs(found.value) + gap, nearest) << test.name;
      EXPECT_EQ(found.value < 0.0, test.holds(x)) << test.name;
      EXPECT_NEAR(norm(found.gradient), 1.0, 10 * k_eps) << test.name;
      // the foot is on the surface
      const Vector3 foot = x - found.value * found.gradient;
      EXPECT_LT(std::abs(test.shape->at(foot).value), 40 * k_eps * test.size) << test.name << " " << i;
    }
  }
}

TEST(SignedDistance, CarriesItsDerivatives) {
  using D = SignedDistance::Directions;
  for (const Case& test : cases()) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> cube(-1.5 * test.size, 1.5 * test.size);
    for (int i = 0; i < 300; ++i) {
      const Vector3 x{cube(random), cube(random), cube(random)};
      const DistanceT<double> d = test.shape->at(x);
      const DistanceT<D> moved =
          test.shape->at(Vector3T<D>{D::variable(x.x, 0), D::variable(x.y, 1), D::variable(x.z, 2)});
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(moved.value.derivative[j], d.gradient[j], 20 * k_eps) << test.name;
        const Vector3 column = d.hessian.column(j);
        for (int k = 0; k < 3; ++k) {
          EXPECT_NEAR(moved.gradient[k].derivative[j], column[k], 200 * k_eps * (1 + norm(column))) << test.name;
        }
      }
      // the Hessian's own derivative, by differences
      const double h = 1e-4;
      for (int j = 0; j < 3; ++j) {
        Vector3 up = x, down = x;
        up[j] += h, down[j] -= h;
        const double slope = (test.shape->at(up).hessian.xy - test.shape->at(down).hessian.xy) / (2 * h);
        const double bend = norm(d.hessian.column(0)) + norm(d.hessian.column(1)) + norm(d.hessian.column(2));
        if (bend > 30 || norm(test.shape->at(up).gradient - test.shape->at(down).gradient) > 3 * bend * 2 * h + 1e-9) {
          continue;  // across an edge of the regions
        }
        EXPECT_NEAR(moved.hessian.xy.derivative[j], slope, 1e-6 * (1 + std::pow(bend, 4))) << test.name;
      }
    }
  }
}

/// Everywhere where a formula could have none.
TEST(SignedDistance, HasNumbersEverywhere) {
  using D = SignedDistance::Directions;
  const auto finite = [](const auto& d) {
    bool all = true;
    const auto check = [&](const auto& value) {
      using std::isfinite;
      all = all && isfinite(value);
    };
    check(d.value);
    for (int i = 0; i < 3; ++i) check(d.gradient[i]);
    for (const auto& h : {d.hessian.xx, d.hessian.yy, d.hessian.zz, d.hessian.xy, d.hessian.xz, d.hessian.yz}) check(h);
    return all;
  };
  for (const Case& test : cases()) {
    // special coordinates of all shapes, and next to them
    std::vector<double> values{0.0};
    for (const double v : {0.3, 0.45, 0.25, 0.4, 0.1, 0.9 * std::tan(0.4), 1e-160, 1e-300, 5e-324, 1e-8, 1e6, 1e150}) {
      for (const double near : {v, std::nextafter(v, 0.0), std::nextafter(v, INFINITY)}) {
        values.push_back(near), values.push_back(-near);
      }
    }
    std::mt19937 random(3);
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    for (int i = 0; i < 100000; ++i) {
      const Vector3 x{values[pick(random)], values[pick(random)], values[pick(random)]};
      const bool huge = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) > 1e100;
      const DistanceT<double> d = test.shape->at(x);
      ASSERT_TRUE(finite(d)) << test.name << " at " << x.x << " " << x.y << " " << x.z;
      ASSERT_NEAR(norm(d.gradient), 1.0, 1e-9) << test.name << " at " << x.x << " " << x.y << " " << x.z;
      if (i % 10 != 0 || huge) continue;
      ASSERT_TRUE(finite(test.shape->at(Vector3T<D>{D::variable(x.x, 0), D::variable(x.y, 1), D::variable(x.z, 2)})))
          << test.name << " at " << x.x << " " << x.y << " " << x.z;
    }
  }
}

/// Waves, on a grid that is finer than them.
HeightField waves(int n) {
  std::vector<double> heights;
  const double cell = 2.0 / (n - 1);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double x = -1 + i * cell, y = -1 + j * cell;
      heights.push_back(0.1 * std::sin(3 * x) * std::cos(2 * y) + 0.05 * x);
    }
  }
  return {n, n, heights, cell, cell};
}

TEST(HeightField, IsBicubicAndItsDistanceGoesToTheNearestPoint) {
  // the interpolated surface goes to the function with the square of the cell at least
  double errors[2];
  for (const int k : {0, 1}) {
    const HeightField field = waves(k == 0 ? 21 : 41);
    errors[k] = 0;
    for (double x = -0.6; x < 0.6; x += 0.037) {
      for (double y = -0.6; y < 0.6; y += 0.041) {
        const double z = 0.1 * std::sin(3 * x) * std::cos(2 * y) + 0.05 * x;
        errors[k] = std::max(errors[k], std::abs(field.at(Vector3{x, y, z}).value));
      }
    }
  }
  EXPECT_LT(errors[0], 2e-4);
  EXPECT_LT(errors[1], errors[0] / 4);

  using D = SignedDistance::Directions;
  const HeightField field = waves(21);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> across(-0.8, 0.8), up(-0.1, 0.25);
  const auto surface = [&](double x, double y) {  // by bisection of the sign
    double low = -1, high = 1;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (field.at(Vector3{x, y, middle}).value < 0 ? low : high) = middle;
    }
    return Vector3{x, y, (low + high) / 2};
  };
  std::vector<Vector3> lattice;
  for (double a = -1.0; a <= 1.0; a += 0.025) {
    for (double b = -1.0; b <= 1.0; b += 0.025) lattice.push_back(surface(a, b));
  }
  for (int i = 0; i < 60; ++i) {
    Vector3 x{across(random), across(random), 0.0};
    x.z = surface(x.x, x.y).z + up(random);
    const DistanceT<double> d = field.at(x);
    double nearest = INFINITY;
    for (const Vector3& p : lattice) nearest = std::min(nearest, norm(x - p));
    EXPECT_LE(std::abs(d.value), nearest + 1e-12);
    EXPECT_GT(std::abs(d.value) + 0.02, nearest);  // half a diagonal of the lattice's cells
    EXPECT_NEAR(norm(d.gradient), 1.0, 1e-14);
    const DistanceT<D> moved = field.at(Vector3T<D>{D::variable(x.x, 0), D::variable(x.y, 1), D::variable(x.z, 2)});
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(moved.value.derivative[j], d.gradient[j], 1e-11);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(moved.gradient[k].derivative[j], d.hessian.column(j)[k], 1e-10 * (1 + norm(d.hessian.column(j))));
      }
    }
  }
}

TEST(HeightField, OfEqualSlopesIsAPlaneAtAnyState) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> even(-1.0, 1.0);
  struct Grid {
    int columns;
    double cell, center;  // where states are
  };
  for (const Grid& grid : {Grid{41, 0.1, 0.0}, Grid{41, 0.03, 0.0}, Grid{401, 0.1, 10.0}, Grid{2001, 0.1, 90.0}}) {
    for (const double slope : {0.1, 0.3, 0.5, 1.0, 1.7}) {
      constexpr int k_rows = 41;
      const double across = 0.2 * slope;
      std::vector<double> heights;
      for (int j = 0; j < k_rows; ++j) {
        for (int i = 0; i < grid.columns; ++i) {
          heights.push_back(grid.cell * (slope * (i - 0.5 * (grid.columns - 1)) + across * (j - 0.5 * (k_rows - 1))));
        }
      }
      const HeightField field(grid.columns, k_rows, heights, grid.cell, grid.cell);
      const double length = std::sqrt(1.0 + slope * slope + across * across);
      const Vector3 normal{-slope / length, -across / length, 1.0 / length};
      for (int i = 0; i < 500; ++i) {
        const double x = grid.center + 4.0 * grid.cell * even(random), y = 4.0 * grid.cell * even(random);
        const double beside = (i % 2 == 0 ? 1.0 : -1.0) * 0.05 * std::pow(10.0, -3.0 * (1.0 + even(random)));
        const DistanceT<double> d = field.at(Vector3{x, y, slope * x + across * y} + beside * normal);
        ASSERT_NEAR(d.value, beside, 1e-13 * (1.0 + grid.center)) << slope << ' ' << x << ' ' << y;
        ASSERT_NEAR(norm(d.gradient - normal), 0.0, 1e-11 * (1.0 + grid.center)) << slope << ' ' << x << ' ' << y;
      }
    }
  }
}

TEST(HeightField, IsLeftAlongItsNormal) {
  const HeightField field = waves(21);
  std::mt19937 random(10);
  std::uniform_real_distribution<double> even(-1.0, 1.0);
  for (int i = 0; i < 3000; ++i) {
    Vector3 foot{0.8 * even(random), 0.8 * even(random), 0.0};
    for (int k = 0; k < 60; ++k) foot.z -= field.at(foot).value;  // its slopes are small
    ASSERT_LT(std::abs(field.at(foot).value), 1e-14);
    const Vector3 normal = field.at(foot).gradient;
    const double beside = (i % 2 == 0 ? 1.0 : -1.0) * 0.03 * std::pow(10.0, -3.0 * (1.0 + even(random)));
    const DistanceT<double> d = field.at(foot + beside * normal);
    ASSERT_NEAR(d.value, beside, 1e-13) << i;
    ASSERT_NEAR(norm(d.gradient - normal), 0.0, 1e-11) << i;
  }
}

/// A shape of a user who says the value alone.
template <typename S>
struct Ellipsoid final : ShapeT<Ellipsoid, S> {
  std::string type_name() const override { return "ellipsoid"; }
  S half_thickness() const override { return S(0.1); }
  template <typename T>
  T distance(const Vector3T<T>& x) const {
    using std::sqrt;
    const T p = T(1.0 / 0.09) * x.x * x.x + T(1.0 / 0.04) * x.y * x.y + T(1.0 / 0.01) * x.z * x.z;
    return T(0.1) * (sqrt(p) - T(1.0));  // not quite the distance
  }
  template <typename T>
  Ellipsoid<T> cast() const {
    return {};
  }
};

TEST(SignedDistance, OfAUserFollowsFromItsValue) {
  const Ellipsoid<double> shape;
  const Vector3 x{0.2, -0.15, 0.07};
  const DistanceT<double> d = shape.at(x);
  const double h = 1e-5;
  for (int i = 0; i < 3; ++i) {
    Vector3 up = x, down = x;
    up[i] += h, down[i] -= h;
    EXPECT_NEAR(d.gradient[i], (shape.at(up).value - shape.at(down).value) / (2 * h), 1e-8);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(d.hessian.column(i)[j], (shape.at(up).gradient[j] - shape.at(down).gradient[j]) / (2 * h), 1e-7);
    }
  }
  EXPECT_NE(shape.clone_as(ScalarTag<long double>{}), nullptr);
}

TEST(SignedDistance, RefusesSizesThatAreNone) {
  EXPECT_THROW(Sphere(0.0), ModelError);
  EXPECT_THROW(Cone(2.0, 1.0), ModelError);
  try {
    Box({1.0, -1.0, 1.0});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "size[1]: found -1, expected a number > 0 [m]");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
