// Parts by which shapes touch: none sticks out of its shape, and all of them reach its surface.
#include <gtest/gtest.h>

#include <memory>

#include "cuttle/geometry/shapes.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Vector3 on_part(const TouchPartT<double>& part, double t) {
  const double t2 = t * t, t3 = t2 * t, end = 3 * t2 - 2 * t3;
  return (1 - end) * part.begin + end * part.end + (t3 - 2 * t2 + t) * part.begin_tangent +
         (t3 - t2) * part.end_tangent;
}

TEST(TouchParts, LieInTheirShapeAndReachItsSurface) {
  const std::shared_ptr<const SignedDistance> shapes[] = {
      std::make_shared<Sphere>(0.3),         std::make_shared<Capsule>(0.2, 0.7),
      std::make_shared<Cylinder>(0.2, 1.0),  std::make_shared<Cylinder>(0.2, 0.41),
      std::make_shared<Cylinder>(0.2, 0.4),  std::make_shared<Cylinder>(0.2, 0.3),
      std::make_shared<Cylinder>(0.2, 0.02), std::make_shared<Cone>(0.4, 0.5),
      std::make_shared<Cone>(1.2, 0.1),      std::make_shared<Box>(Vector3{0.2, 0.3, 0.4})};
  for (const auto& shape : shapes) {
    for (const bool flat : {true, false}) {
      const auto parts = shape->touch_parts({.rounding = 0.05 * shape->half_thickness(), .flat = flat});
      EXPECT_FALSE(parts.empty()) << shape->type_name();
      for (const auto& part : parts) {
        for (int k = 0; k <= 8; ++k) {
          const double t = k / 8.0, radius = part.begin_radius + t * (part.end_radius - part.begin_radius);
          // 4e-6 of its radius is by what a cubic misses a circle
          EXPECT_NEAR(shape->at(on_part(part, t)).value, -radius, 2e-6) << shape->type_name() << flat << t;
          if (!part.is_curve) break;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
