#include <algorithm>
#include <cmath>

#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {
namespace {

constexpr double k_no_part = 1e-6;  // of the radius: shorter ones are points

template <typename T>
DistanceT<T> negative(const DistanceT<T>& d) {
  return {-d.value, -d.gradient, SymmetricMatrix3T<T>() - d.hessian};
}

}  // namespace

template <typename S>
CylinderT<S>::CylinderT(const S& radius, const S& length, bool open) : radius_(radius), length_(length), open_(open) {
  check_size(radius, "radius");
  check_size(length, "length");
}

template <typename S>
std::string CylinderT<S>::type_name() const {
  return "cylinder";
}

template <typename S>
S CylinderT<S>::half_thickness() const {
  const S half = S(0.5) * length_;
  return select(radius_ < half, radius_, half);
}

template <typename S>
double CylinderT<S>::bounding_radius() const {
  return std::hypot(scalar_cast<double>(radius_), 0.5 * scalar_cast<double>(length_));
}

template <typename S>
std::vector<TouchPartT<S>> CylinderT<S>::touch_parts(const TouchDetailT<S>& detail) const {
  // spheres about points of the axis that touch the side, none of which may stick out of the ends, and the rims
  const S half = S(0.5) * length_, inner = half - radius_, none = S(k_no_part) * radius_;
  const Vector3T<S> last{S(0.0), S(0.0), inner};
  const bool is_long = any(inner > none), is_flat = any(inner < -none);
  std::vector<TouchPartT<S>> parts;
  if (is_long) parts.push_back(TouchPartT<S>::segment(-last, last, radius_, radius_));
  if (!is_long && !is_flat) parts.push_back(TouchPartT<S>::point({}, radius_));
  const auto add_ring = [&](const S& z, const S& thickness) { add_circle(parts, radius_ - thickness, z, thickness); };
  for (const double side : {-1.0, 1.0}) {
    add_ring(S(side) * (half - detail.rounding), detail.rounding);
    // between both on the side, which uneven ground may touch
    if (!detail.flat && !is_flat) add_ring(S(side) * (half - S(0.5) * radius_), S(0.5) * radius_);
  }
  if (!detail.flat && is_flat) add_ring(S(0.0), half);
  return parts;
}

template <typename S>
template <typename T>
DistanceT<T> CylinderT<S>::distance(const Vector3T<T>& x) const {
  const MeridianT<T> meridian(x);
  const T zero(0.0), up = select(x.z < zero, T(-1.0), T(1.0));
  const T a = meridian.rho - T(radius_), b = up * x.z - T(S(0.5) * length_);
  const DistanceT<T> side = meridian.line(a, T(1.0), zero), cap = meridian.line(b, zero, up);
  if (open_) {
    // less the distance to what is around: the side, faces in the planes of the ends, and rims between
    const DistanceT<T> face = meridian.line(-b, zero, -up);
    const DistanceT<T> rim = negative(meridian.point(a, up * b));
    return select(a < zero, select(b > zero, rim, side), select(b > zero || a > -b, face, side));
  }
  return select(a > zero && b > zero, meridian.point(a, up * b), select(a > b, side, cap));
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(CylinderT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
