#include "cuttle/geometry/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"

// Distances against those of a box in closed form, and of random surfaces against every triangle in turn; their signs
// against the solid angle that the surface takes.

namespace cuttle::CUTTLE_FILE {
namespace {

using Corners = std::array<int, 3>;

TriangleMesh box_mesh(const Vector3& size) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.points.push_back(
        {(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z});
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A ball of so many rows whose radius changes from direction to direction: not convex.
TriangleMesh lumpy_mesh(int rows, double lumps, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> radius(1.0 - lumps, 1.0 + lumps);
  TriangleMesh mesh;
  const int columns = 2 * rows;
  mesh.points = {{0, 0, radius(random)}, {0, 0, -radius(random)}};
  const auto at = [&](int i, int j) { return i == 0 ? 0 : (i == rows ? 1 : 2 + (i - 1) * columns + j % columns); };
  for (int i = 1; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const double theta = M_PI * i / rows, phi = 2 * M_PI * j / columns, r = radius(random);
      mesh.points.push_back(
          {r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi), r * std::cos(theta)});
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const int a = at(i, j), b = at(i, j + 1), c = at(i + 1, j), d = at(i + 1, j + 1);
      if (i > 0) mesh.triangles.push_back({a, c, b});
      if (i + 1 < rows) mesh.triangles.push_back({b, c, d});
    }
  }
  return mesh;
}

double distance_to(const Vector3& x, const Vector3& a, const Vector3& b) {
  const double t = std::clamp(dot(x - a, b - a) / dot(b - a, b - a), 0.0, 1.0);
  return norm(x - a - t * (b - a));
}
/// To a triangle: to its plane where the point is above it, by the areas that it spans with the edges; else to an edge.
double distance_to(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 n = cross(b - a, c - a);
  const auto area = [&](const Vector3& p, const Vector3& q) { return dot(n, cross(p - x, q - x)); };
  if (area(a, b) > 0 && area(b, c) > 0 && area(c, a) > 0) return std::abs(dot(n, x - a)) / norm(n);
  return std::min({distance_to(x, a, b), distance_to(x, b, c), distance_to(x, c, a)});
}

/// Solid angle of the surface seen from x over 4 pi: 1 inside, 0 outside (Van Oosterom and Strackee 1983).
double winding(const TriangleMesh& mesh, const Vector3& x) {
  double sum = 0;
  for (const Corners& corners : mesh.triangles) {
    Vector3 p[3];
    double r[3];
    for (int k = 0; k < 3; ++k) {
      p[k] = mesh.points[static_cast<std::size_t>(corners[static_cast<std::size_t>(k)])] - x, r[k] = norm(p[k]);
    }
    const double below = r[0] * r[1] * r[2] + dot(p[0], p[1]) * r[2] + dot(p[1], p[2]) * r[0] + dot(p[2], p[0]) * r[1];
    sum += 2 * std::atan2(dot(p[0], cross(p[1], p[2])), below);
  }
  return sum / (4 * M_PI);
}

TEST(Mesh, OfABoxIsTheBox) {
  const Vector3 size{0.5, 0.8, 0.2};
  const TriangleMesh triangles = box_mesh(size);
  const Mesh mesh(triangles.points, triangles.triangles);
  const Box box(size);
  EXPECT_NEAR(mesh.half_thickness(), 0.1, 1e-15);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> cube(-0.8, 0.8);
  using Directions = SignedDistance::Directions;
  int inside = 0;
  for (int i = 0; i < 4000; ++i) {
    const Vector3 x{cube(random), cube(random), cube(random)};
    const auto seeded = [&](int k) { return Directions::variable(x[k], k); };
    const auto found = mesh.at(Vector3T<Directions>{seeded(0), seeded(1), seeded(2)});
    const auto expected = box.at(Vector3T<Directions>{seeded(0), seeded(1), seeded(2)});
    inside += expected.value.value < 0;
    const auto expect = [](const Directions& a, const Directions& b) {
      EXPECT_NEAR(a.value, b.value, 1e-11 * (1 + std::abs(b.value)));
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(a.derivative[k], b.derivative[k], 1e-9 * (1 + std::abs(b.derivative[k])));
    };
    expect(found.value, expected.value);
    for (int k = 0; k < 3; ++k) expect(found.gradient[k], expected.gradient[k]);
    const auto &a = found.hessian, &b = expected.hessian;
    expect(a.xx, b.xx), expect(a.yy, b.yy), expect(a.zz, b.zz), expect(a.xy, b.xy), expect(a.xz, b.xz),
        expect(a.yz, b.yz);
  }
  EXPECT_GT(inside, 50);
}

TEST(Mesh, IsTheNearestPointOfAllTrianglesWithTheSignOfWhatItEncloses) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const TriangleMesh triangles = lumpy_mesh(7, 0.35, seed);
    const Mesh mesh(triangles.points, triangles.triangles);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> cube(-1.6, 1.6);
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 x{cube(random), cube(random), cube(random)};
      const auto found = mesh.at(x);
      double nearest = INFINITY;
      for (const Corners& c : triangles.triangles) {
        const auto point = [&](std::size_t k) { return triangles.points[static_cast<std::size_t>(c[k])]; };
        nearest = std::min(nearest, distance_to(x, point(0), point(1), point(2)));
      }
      EXPECT_NEAR(std::abs(found.value), nearest, 1e-14);
      EXPECT_EQ(found.value<0, winding(triangles, x)> 0.5);
      EXPECT_NEAR(norm(found.gradient), 1.0, 1e-14);
      EXPECT_NEAR(mesh.at(x - found.value * found.gradient).value, 0.0, 1e-14);
      inside += found.value < 0;
    }
    EXPECT_GT(inside, 100);
  }
}

TEST(Mesh, SignsAreRightBesideSharpCornersAndEdges) {
  // close to the surface of a lumpy one, where the sign of one triangle's normal would be wrong
  const TriangleMesh triangles = lumpy_mesh(9, 0.6, 5);
  const Mesh mesh(triangles.points, triangles.triangles);
  std::mt19937 random(8);
  std::normal_distribution<double> near(0.0, 0.05);
  for (const Vector3& p : triangles.points) {
    for (int i = 0; i < 6; ++i) {
      const Vector3 x = p + Vector3{near(random), near(random), near(random)};
      EXPECT_EQ(mesh.at(x).value<0, winding(triangles, x)> 0.5);
    }
  }
}

TEST(Mesh, ChangesWithItsPointsAsTheyDo) {
  // the same surface 1 + s times as large, s with a derivative
  const TriangleMesh triangles = lumpy_mesh(5, 0.3, 4);
  std::vector<Vector3T<ForwardDual>> points;
  const ForwardDual scale = ForwardDual::variable(1.0, 0);
  for (const Vector3& p : triangles.points) points.push_back({scale * p.x, scale * p.y, scale * p.z});
  const MeshT<ForwardDual> mesh(points, triangles.triangles);
  const auto scaled = [&](double by) {
    std::vector<Vector3> moved;
    for (const Vector3& p : triangles.points) moved.push_back(by * p);
    return Mesh(moved, triangles.triangles);
  };
  const double h = 1e-5;
  const Mesh above = scaled(1 + h), below = scaled(1 - h);
  EXPECT_NEAR(mesh.half_thickness().derivative[0], (above.half_thickness() - below.half_thickness()) / (2 * h), 1e-9);
  const TouchDetailT<ForwardDual> detail{.rounding = 0.01, .flat = true};
  const auto parts = mesh.touch_parts(detail);
  const auto up = above.touch_parts({.rounding = 0.01, .flat = true});
  const auto down = below.touch_parts({.rounding = 0.01, .flat = true});
  ASSERT_EQ(parts.size(), up.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_NEAR(parts[i].begin.x.derivative[0], (up[i].begin.x - down[i].begin.x) / (2 * h), 1e-9);
  }
  std::mt19937 random(2);
  std::uniform_real_distribution<double> cube(-1.5, 1.5);
  for (int i = 0; i < 200; ++i) {
    const Vector3 x{cube(random), cube(random), cube(random)};
    const auto found = mesh.at(Vector3T<ForwardDual>{x.x, x.y, x.z});
    EXPECT_NEAR(found.value.derivative[0], (above.at(x).value - below.at(x).value) / (2 * h), 1e-7);
    EXPECT_NEAR(found.value.value, mesh.clone_as(ScalarTag<double>())->at(x).value, 1e-15);
  }
}

TEST(Mesh, TrianglesOfAClosedOneMayTurnEitherWay) {
  TriangleMesh turned = box_mesh({1, 1, 1});
  for (Corners& c : turned.triangles) std::swap(c[0], c[1]);
  const Mesh mesh(turned.points, turned.triangles);
  EXPECT_DOUBLE_EQ(mesh.at(Vector3{0, 0, 0.9}).value, 0.4);
  EXPECT_DOUBLE_EQ(mesh.at(Vector3{0, 0.1, 0.3}).value, -0.2);
}

TEST(Mesh, AnOpenOneIsOutsideBeyondItsBorder) {
  // a square plate, seen from above
  const std::vector<Vector3> points{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  const Mesh plate(points, {{0, 1, 2}, {0, 2, 3}}, MeshSides::one);
  EXPECT_DOUBLE_EQ(plate.at(Vector3{0.3, -0.2, 0.4}).value, 0.4);
  EXPECT_DOUBLE_EQ(plate.at(Vector3{0.3, -0.2, -0.4}).value, -0.4);
  EXPECT_DOUBLE_EQ(plate.at(Vector3{1.3, 0, 0.4}).value, 0.5);
  EXPECT_DOUBLE_EQ(plate.at(Vector3{1.3, 0, -0.4}).value, 0.5);
  EXPECT_DOUBLE_EQ(plate.at(Vector3{1.2, 1.4, -0.4}).value, 0.6);
  EXPECT_TRUE(std::isinf(plate.half_thickness()));
  const auto other = plate.other_side();
  EXPECT_DOUBLE_EQ(other->at(Vector3{0.3, -0.2, 0.4}).value, -0.4);
  EXPECT_DOUBLE_EQ(other->at(Vector3{0.3, -0.2, -0.4}).value, 0.4);
  EXPECT_DOUBLE_EQ(other->at(Vector3{1.3, 0, 0.4}).value, 0.5);
}

TEST(Mesh, TouchesByWhatSticksOut) {
  const TriangleMesh box = box_mesh({0.4, 0.2, 0.1});
  const auto corners = Mesh(box.points, box.triangles).touch_parts({.rounding = 0.001, .flat = true});
  ASSERT_EQ(corners.size(), 8U);
  const auto expected = Box({0.4, 0.2, 0.1}).touch_parts({.rounding = 0.001, .flat = true});
  for (const auto& part : expected) {
    EXPECT_TRUE(std::any_of(corners.begin(), corners.end(),
                            [&](const auto& other) { return norm(part.begin - other.begin) < 1e-15; }));
  }
  const TriangleMesh ball = lumpy_mesh(40, 0.0, 1);
  const Mesh mesh(ball.points, ball.triangles);
  const auto some = mesh.touch_parts({.rounding = 0.01});
  EXPECT_LE(some.size(), 200U);
  EXPECT_GT(some.size(), 100U);
  for (const auto& part : some) {
    EXPECT_NEAR(mesh.at(part.begin).value, -0.01, 1e-4);  // the ball of its rounding lies within
  }
  const auto sparse = mesh.touch_parts({.rounding = 0.01, .spacing = 0.5});
  for (const auto& a : sparse) {
    for (const auto& b : sparse) EXPECT_TRUE(&a == &b || norm(a.begin - b.begin) > 0.49);
  }
}

TEST(Mesh, SaysWhatIsWrong) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  const auto message = [](const std::vector<Vector3>& points, const std::vector<Corners>& triangles) {
    try {
      const Mesh mesh(points, triangles);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  std::vector<Corners> open = box.triangles;
  open.pop_back();
  EXPECT_NE(
      message(box.points, open).find("sides: found a mesh with 3 open edges, expected a closed one, or `sides: one`"),
      std::string::npos);
  std::vector<Corners> mixed = box.triangles;
  std::swap(mixed[0][0], mixed[0][1]);
  EXPECT_NE(message(box.points, mixed).find("triangles: found two that turn opposite ways at 3 edges"),
            std::string::npos);
  std::vector<Corners> beyond = box.triangles;
  beyond[3][1] = 8;
  EXPECT_NE(message(box.points, beyond).find("triangles: found the corner 8, expected one of 8 points, from 0"),
            std::string::npos);
  EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}).find("none with an area"), std::string::npos);
  std::vector<Vector3> lost = box.points;
  lost[2].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(lost, box.triangles).find("finite numbers"), std::string::npos);
}

TEST(Mesh, TakesPointsAtOnePlaceAsOne) {
  TriangleMesh soup;
  const TriangleMesh box = box_mesh({1, 2, 3});
  for (const Corners& c : box.triangles) {
    const int first = static_cast<int>(soup.points.size());
    for (const int corner : c) soup.points.push_back(box.points[static_cast<std::size_t>(corner)]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  const Mesh mesh(soup.points, soup.triangles);
  EXPECT_EQ(mesh.points().size(), 8U);
  EXPECT_DOUBLE_EQ(mesh.at(Vector3{0, 0, 2.0}).value, 0.5);
}

TEST(SmoothMesh, OfAFineBallIsTheBall) {
  // facets are off by their sagitta, cubics by the fourth power of a cell: the finer, the nearer
  const Sphere ball(1.0);
  double last = 1.0;
  for (const int rows : {20, 40}) {
    const TriangleMesh triangles = lumpy_mesh(rows, 0.0, 1);
    const SmoothMesh smooth(Mesh(triangles.points, triangles.triangles), 3.0 / rows);
    std::mt19937 random(6);
    std::uniform_real_distribution<double> cube(-1.0, 1.0), away(0.7, 2.5);
    double error = 0, turn = 0, bend = 0;
    for (int i = 0; i < 300; ++i) {
      Vector3 x{cube(random), cube(random), cube(random)};
      x = (away(random) / norm(x)) * x;
      const auto found = smooth.at(x), expected = ball.at(x);
      error = std::max(error, std::abs(found.value - expected.value));
      turn = std::max(turn, norm(found.gradient - expected.gradient));
      bend = std::max(bend, std::abs(found.hessian.xx - expected.hessian.xx));
      EXPECT_NEAR(norm(found.gradient), 1.0, 1e-14);
    }
    EXPECT_LT(error, 0.5 * last);
    EXPECT_LT(error, 4.0 / (rows * rows));
    EXPECT_LT(turn, 2.0 / rows);
    EXPECT_LT(bend, 1.0);
    last = error;
  }
}

TEST(SmoothMesh, IsTheDistanceToOneSurface) {
  // unit gradients, one distance along them, derivatives as those of the values
  const TriangleMesh triangles = lumpy_mesh(8, 0.15, 3);
  const SmoothMesh smooth(Mesh(triangles.points, triangles.triangles), 0.15);
  using Directions = SignedDistance::Directions;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> cube(-1.5, 1.5);
  int inside = 0, near = 0;
  for (int i = 0; i < 1500; ++i) {
    const Vector3 x{cube(random), cube(random), cube(random)};
    const auto found = smooth.at(x);
    if (!(std::abs(found.value) < 0.1)) {
      EXPECT_EQ(found.value < 0, smooth.mesh().at(x).value < 0);
      continue;
    }
    ++near, inside += found.value < 0;
    const Vector3 p = x - found.value * found.gradient;
    EXPECT_NEAR(smooth.at(p).value, 0.0, 1e-12);
    const auto seeded = [&](int k) { return Directions::variable(x[k], k); };
    const auto slopes = smooth.at(Vector3T<Directions>{seeded(0), seeded(1), seeded(2)});
    const double h = 1e-6;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(slopes.value.derivative[k], found.gradient[k], 1e-10);
      Vector3 up = x, down = x;
      up[k] += h, down[k] -= h;
      const auto a = smooth.at(up), b = smooth.at(down);
      EXPECT_NEAR((a.value - b.value) / (2 * h), found.gradient[k], 1e-8);
      const Vector3 column = found.hessian.column(k);
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(slopes.gradient[j].derivative[k], column[j], 1e-8 * (1 + std::abs(column[j])));
        EXPECT_NEAR((a.gradient[j] - b.gradient[j]) / (2 * h), column[j], 1e-4 * (1 + norm(column)));
      }
      EXPECT_NEAR(slopes.hessian.xx.derivative[k], (a.hessian.xx - b.hessian.xx) / (2 * h),
                  1e-3 * (1 + std::abs(slopes.hessian.xx.derivative[k])));
    }
  }
  EXPECT_GT(inside, 20);
  EXPECT_GT(near - inside, 20);
}

TEST(SmoothMesh, ChangesWithTheMesh) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  const SmoothMesh smooth(Mesh(box.points, box.triangles), 0.1);
  EXPECT_NEAR(smooth.at(Vector3{0.03, -0.02, 0.54}).value, 0.04, 1e-12);
  EXPECT_NEAR(smooth.at(Vector3{0.03, -0.02, 0.46}).value, -0.04, 1e-12);
  std::vector<Vector3T<ForwardDual>> moved;
  const ForwardDual up = ForwardDual::variable(0.0, 0);
  for (const Vector3& p : box.points) moved.push_back({p.x, p.y, p.z + up});
  const SmoothMeshT<ForwardDual> lifted(MeshT<ForwardDual>(moved, box.triangles), 0.1);
  EXPECT_NEAR(lifted.at(Vector3T<ForwardDual>{0.03, -0.02, 0.54}).value.derivative[0], -1.0, 1e-12);
  EXPECT_THROW(SmoothMesh(Mesh(box.points, box.triangles), 1e-3), ModelError);
  EXPECT_THROW(SmoothMesh(Mesh(box.points, box.triangles, MeshSides::one), 0.1), ModelError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
