// Distances to random shapes in random poses, against samples of their surfaces alone: each face is sampled, and
// searched ever more finely around its nearest sample. Nothing of the library's formulas is in them.
//
// CUTTLE_RANDOM_POSES=1000000 asks for as many (about two minutes) instead of a few.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/pose.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_turn = 2.0 * std::numbers::pi;

/// A face: a point for each (u, v) in the unit square.
struct Face {
  std::function<Vector3(double, double)> at;
  bool turns = true;  ///< about the z axis with u, once
};

struct RandomShape {
  std::string about;
  std::shared_ptr<const SignedDistance> shape;
  std::vector<Face> faces;
  std::function<bool(const Vector3&)> holds;  ///< whether a point is inside
  double size;                                ///< largest extent
};

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double even(double low = 0.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double scale(double low, double high) { return low * std::pow(high / low, even()); }
  Vector3 vector(double size) { return {even(-size, size), even(-size, size), even(-size, size)}; }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  Pose pose() {
    std::normal_distribution<double> normal;
    double q[4], sum = 0.0;
    for (double& x : q) x = normal(engine_), sum += x * x;
    for (double& x : q) x /= std::sqrt(sum);
    const auto& [w, x, y, z] = q;
    const Matrix3 R{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                    {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                    {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    return {R, vector(3.0)};
  }

 private:
  std::mt19937 engine_;
};

/// Part of a surface of revolution: a straight line in the half-plane (rho, z).
Face revolved(double rho0, double z0, double rho1, double z1) {
  return {[=](double u, double v) {
    const double rho = rho0 + v * (rho1 - rho0), z = z0 + v * (z1 - z0);
    return Vector3{rho * std::cos(k_turn * u), rho * std::sin(k_turn * u), z};
  }};
}
/// Part of a sphere about (0, 0, z), between two angles from the z axis.
Face cap(double radius, double z, double from, double to) {
  return {[=](double u, double v) {
    const double angle = from + v * (to - from);
    return Vector3{radius * std::sin(angle) * std::cos(k_turn * u), radius * std::sin(angle) * std::sin(k_turn * u),
                   z + radius * std::cos(angle)};
  }};
}

RandomShape random_shape(Draw& draw) {
  const double pi = std::numbers::pi, r = draw.scale(1e-2, 1.0), length = draw.scale(1e-2, 1.0), h = 0.5 * length;
  const auto rho = [](const Vector3& x) { return std::hypot(x.x, x.y); };
  switch (draw.below(6)) {
    case 0:
      return {"plane",
              std::make_shared<Plane>(),
              {Face{[](double u, double v) {
                      return Vector3{20 * (u - 0.5), 20 * (v - 0.5), 0};
                    },
                    false}},
              [](const Vector3& x) { return x.z < 0; },
              1.0};
    case 1:
      return {
          "sphere", std::make_shared<Sphere>(r), {cap(r, 0, 0, pi)}, [=](const Vector3& x) { return norm(x) < r; }, r};
    case 2:
      return {"capsule",
              std::make_shared<Capsule>(r, length),
              {cap(r, h, 0, 0.5 * pi), cap(r, -h, 0.5 * pi, pi), revolved(r, -h, r, h)},
              [=](const Vector3& x) { return std::hypot(rho(x), std::max(0.0, std::abs(x.z) - h)) < r; },
              r + h};
    case 3:
      return {"cylinder",
              std::make_shared<Cylinder>(r, length),
              {revolved(r, -h, r, h), revolved(0, h, r, h), revolved(0, -h, r, -h)},
              [=](const Vector3& x) { return rho(x) < r && std::abs(x.z) < h; },
              std::max(r, h)};
    case 4: {
      const double angle = draw.even(0.05, 1.4), base = length * std::tan(angle);
      return {"cone",
              std::make_shared<Cone>(angle, length),
              {revolved(0, h, base, -h), revolved(0, -h, base, -h)},
              [=](const Vector3& x) { return x.z > -h && rho(x) < (h - x.z) * std::tan(angle); },
              std::max(base, h)};
    }
    default: {
      const Vector3 a{0.5 * r, 0.5 * length, 0.5 * draw.scale(1e-2, 1.0)};
      std::vector<Face> faces;
      for (int k = 0; k < 3; ++k) {
        for (const double side : {-1.0, 1.0}) {
          faces.push_back({[=](double u, double v) {
                             Vector3 x;
                             x[k] = side * a[k], x[(k + 1) % 3] = (2 * u - 1) * a[(k + 1) % 3],
                             x[(k + 2) % 3] = (2 * v - 1) * a[(k + 2) % 3];
                             return x;
                           },
                           false});
        }
      }
      return {"box", std::make_shared<Box>(2.0 * a), faces,
              [=](const Vector3& x) { return std::abs(x.x) < a.x && std::abs(x.y) < a.y && std::abs(x.z) < a.z; },
              std::max({a.x, a.y, a.z})};
    }
  }
}

/// Distance of a point to a face by samples alone.
double sampled(const Face& face, const Vector3& x, int coarse) {
  constexpr int k_rounds = 300, k_angles = 12;
  double best = INFINITY, u = 0.5, v = 0.5;
  const auto look = [&](double at_u, double at_v) {
    const double d = norm(face.at(at_u, at_v) - x);
    if (d < best) best = d, u = at_u, v = at_v;
  };
  for (int i = 0; i <= coarse; ++i) {
    for (int k = 0; k <= coarse; ++k) look(double(i) / coarse, double(k) / coarse);
  }
  double width = 1.0 / coarse;
  for (int round = 0; round < k_rounds && width > 1e-8; ++round) {
    const double cu = u, cv = v, before = best;
    for (const double du : {-width, 0.0, width}) {
      for (const double dv : {-width, 0.0, width})
        look(face.turns ? cu + du : std::clamp(cu + du, 0.0, 1.0), std::clamp(cv + dv, 0.0, 1.0));
    }
    for (int k = 0; k < k_angles && face.turns; ++k) {  // at a pole u leads nowhere
      look(double(k) / k_angles, std::clamp(cv + width, 0.0, 1.0)),
          look(double(k) / k_angles, std::clamp(cv - width, 0.0, 1.0));
    }
    if (best == before) width *= 0.5;
  }
  return best;
}

bool finite(const DistanceT<double>& d) {
  const auto& h = d.hessian;
  const double sum = d.value + d.gradient.x + d.gradient.y + d.gradient.z + h.xx + h.yy + h.zz + h.xy + h.xz + h.yz;
  return std::isfinite(sum);
}

TEST(RandomPoses, AreAsFarAsSamplesSay) {
  const char* asked = std::getenv("CUTTLE_RANDOM_POSES");
  const long count = asked != nullptr ? std::atol(asked) : 3000;
  ASSERT_GT(count, 0);
  Draw draw(20261);
  for (long i = 0; i < count; ++i) {
    const RandomShape test = random_shape(draw);
    const Pose pose = draw.pose();
    // near and far, and now and then on an axis or in a plane of symmetry
    Vector3 local = draw.vector(draw.scale(1e-3, 3.0) * test.size);
    if (draw.below(8) == 0) local.x = 0;
    if (draw.below(8) == 0) local.y = 0;
    if (draw.below(8) == 0) local.z = 0;
    const Vector3 x = pose.inverse().act(pose.act(local));
    const DistanceT<double> d = test.shape->at(x);
    ASSERT_TRUE(finite(d)) << test.about << ' ' << i;
    ASSERT_NEAR(norm(d.gradient), 1.0, 1e-9) << test.about << ' ' << i;
    // near the pole of a pointed cone a coarse grid leads astray
    double nearest = INFINITY;
    for (const int coarse : {12, 1000}) {
      for (const Face& face : test.faces) nearest = std::min(nearest, sampled(face, x, coarse));
      if (nearest < std::abs(d.value) + 1e-6 * test.size) break;
    }
    ASSERT_NEAR(std::abs(d.value), nearest, 1e-6 * test.size) << test.about << ' ' << i;
    if (nearest > 1e-9 * test.size) {
      ASSERT_EQ(d.value < 0.0, test.holds(x)) << test.about << ' ' << i;
    }
    // the gradient leads to the surface
    const DistanceT<double> foot = test.shape->at(x - d.value * d.gradient);
    ASSERT_TRUE(finite(foot)) << test.about << ' ' << i;
    ASSERT_NEAR(foot.value, 0.0, 1e-9 * (test.size + std::abs(d.value))) << test.about << ' ' << i;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
