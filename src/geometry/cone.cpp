#include <cmath>

#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {

template <typename S>
ConeT<S>::ConeT(const S& angle, const S& length) : angle_(angle), length_(length) {
  using std::cos;
  using std::isfinite;
  using std::sin;
  if (!isfinite(angle) || !any(angle > S(0.0)) || !any(angle < constant<S>(1.57079632679489661923L))) {
    throw ModelError("angle", number_text(angle), "a number > 0 and < pi/2 [rad]");
  }
  check_size(length, "length");
  sine_ = sin(angle), cosine_ = cos(angle);
}

template <typename S>
std::string ConeT<S>::type_name() const {
  return "cone";
}

template <typename S>
S ConeT<S>::half_thickness() const {
  return length_ * sine_ / (S(1.0) + sine_);  // of the sphere inside
}

template <typename S>
double ConeT<S>::bounding_radius() const {
  const double length = scalar_cast<double>(length_);
  return std::hypot(0.5 * length, length * std::tan(scalar_cast<double>(angle_)));
}

template <typename S>
std::vector<TouchPartT<S>> ConeT<S>::touch_parts(const TouchDetailT<S>& detail) const {
  // spheres about points of the axis that touch the side: from one of the rounding to the one inside
  const S half = S(0.5) * length_, first = detail.rounding / sine_, last = length_ / (S(1.0) + sine_);
  const auto at = [&](const S& below) { return Vector3T<S>{S(0.0), S(0.0), half - below}; };
  std::vector<TouchPartT<S>> parts{TouchPartT<S>::point(at(first), detail.rounding),
                                   TouchPartT<S>::segment(at(first), at(last), detail.rounding, last * sine_)};
  // a circle of the rounding that touches base and side: (R - a, rounding) with a cos + rounding sin = rounding
  const S inward = detail.rounding * (S(1.0) + sine_) / cosine_;
  add_circle(parts, length_ * sine_ / cosine_ - inward, detail.rounding - half, detail.rounding);
  if (detail.flat) return parts;
  // between it and the last sphere, which edges may touch: half as thick as that one, half as far from the axis as the
  // rim
  const S thickness = S(0.5) * last * sine_;
  add_circle(parts, S(0.5) * length_ * sine_ / cosine_, thickness - half, thickness);
  return parts;
}

template <typename S>
template <typename T>
DistanceT<T> ConeT<S>::distance(const Vector3T<T>& x) const {
  const MeridianT<T> meridian(x);
  const T zero(0.0), sine(sine_), cosine(cosine_), half(S(0.5) * length_), radius(length_ * sine_ / cosine_);
  const T below = half - x.z, &rho = meridian.rho;  // of the apex
  const T out = rho * cosine - below * sine, along = rho * sine + below * cosine;
  const T under = below - T(length_);
  const DistanceT<T> apex = distance_to_point({x.x, x.y, -below}, zero, {zero, zero, T(1.0)});
  const DistanceT<T> rim = meridian.point(rho - radius, -under);
  const DistanceT<T> side = meridian.line(out, cosine, sine), base = meridian.line(under, zero, T(-1.0));
  const bool beyond = along > T(length_ / cosine_) && rho > radius;
  return select(along < zero, apex, select(beyond, rim, select(out > under, side, base)));
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(ConeT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
