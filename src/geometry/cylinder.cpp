#include <algorithm>

#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {
namespace {

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
std::vector<TouchPartT<S>> CylinderT<S>::touch_parts(const TouchDetailT<S>& detail) const {
  const S half = S(0.5) * length_;
  const Vector3T<S> top{S(0.0), S(0.0), half};
  std::vector<TouchPartT<S>> parts{TouchPartT<S>::segment(-top, top, radius_, radius_)};
  for (const double side : {-1.0, 1.0}) {
    add_circle(parts, radius_ - detail.rounding, S(side) * (half - detail.rounding), detail.rounding);
  }
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
