#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"

// An open cylinder seen from within is a bore through a plate without end: its distance against the nearest point of
// the rectangle that the plate is in a half-plane through the axis, derivatives against differences.

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_radius = 0.3, k_length = 0.9;

/// Distance to the plate, negative within it; by clamping to the rectangle rho >= R, |z| <= L/2.
double room(const Vector3& x) {
  const double rho = std::hypot(x.x, x.y), half = k_length / 2;
  const double nearest_rho = std::max(rho, k_radius), nearest_z = std::clamp(x.z, -half, half);
  const double out = std::hypot(rho - nearest_rho, x.z - nearest_z);
  return out > 0.0 ? out : -std::min(rho - k_radius, half - std::abs(x.z));
}

TEST(OpenCylinder, IsTheDistanceToAPlateWithABore) {
  const Cylinder tube(k_radius, k_length, true);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> along(-1.0, 1.0);
  constexpr double k_step = 1e-5;
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector3 x{along(random), along(random), along(random)};
    const DistanceT<double> found = tube.at(x);
    ASSERT_NEAR(found.value, -room(x), 1e-14) << x.x << ' ' << x.y << ' ' << x.z;
    ASSERT_NEAR(norm(found.gradient), 1.0, 1e-12);
    // derivatives where no other part of the plate is as near
    Vector3 slope, steeper;
    bool smooth = true;
    for (int k = 0; k < 3; ++k) {
      Vector3 more = x, less = x;
      more[k] += k_step, less[k] -= k_step;
      slope[k] = (tube.at(more).value - tube.at(less).value) / (2 * k_step);
      steeper[k] = found.gradient[k];
      smooth = smooth && norm(tube.at(more).gradient - tube.at(less).gradient) < 0.01;
    }
    if (!smooth) continue;
    ++compared;
    EXPECT_LT(norm(slope - steeper), 1e-5);
    const Vector3 aside{0.3, -0.5, 0.8};
    const Vector3 change =
        (1 / (2 * k_step)) * (tube.at(x + k_step * aside).gradient - tube.at(x - k_step * aside).gradient);
    const double size = 1.0 + norm(found.hessian * aside);
    EXPECT_LT(norm(change - found.hessian * aside), 1e-4 * size * size * size);
  }
  EXPECT_GT(compared, 18000);
}

TEST(OpenCylinder, KeepsItsEndsForOtherScalars) {
  const Cylinder tube(k_radius, k_length, true);
  EXPECT_TRUE(tube.cast<ForwardDual>().is_open());
  EXPECT_FALSE(Cylinder(k_radius, k_length).is_open());
  // on the axis beyond its end: free, where a closed one is a wall
  EXPECT_LT(tube.at(Vector3{0, 0, 0.5}).value, 0.0);
  EXPECT_GT(Cylinder(k_radius, k_length).at(Vector3{0, 0, 0.5}).value, 0.0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
