#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {

template <typename S>
CapsuleT<S>::CapsuleT(const S& radius, const S& length) : radius_(radius), length_(length) {
  check_size(radius, "radius");
  check_size(length, "length");
}

template <typename S>
std::string CapsuleT<S>::type_name() const {
  return "capsule";
}

template <typename S>
S CapsuleT<S>::half_thickness() const {
  return radius_;
}

template <typename S>
double CapsuleT<S>::bounding_radius() const {
  return scalar_cast<double>(S(0.5) * length_ + radius_);
}

template <typename S>
std::vector<TouchPartT<S>> CapsuleT<S>::touch_parts(const TouchDetailT<S>& /*detail*/) const {
  const Vector3T<S> top{S(0.0), S(0.0), S(0.5) * length_};
  return {TouchPartT<S>::segment(-top, top, radius_, radius_), TouchPartT<S>::point(-top, radius_),
          TouchPartT<S>::point(top, radius_)};
}

template <typename S>
template <typename T>
DistanceT<T> CapsuleT<S>::distance(const Vector3T<T>& x) const {
  const T half(S(0.5) * length_), up = select(x.z < T(0.0), T(-1.0), T(1.0));
  const DistanceT<T> end =
      distance_to_point({x.x, x.y, x.z - up * half}, T(radius_), Vector3T<T>{T(1.0), T(0.0), T(0.0)});
  const MeridianT<T> meridian(x);
  return select(up * x.z > half, end, meridian.line(meridian.rho - T(radius_), T(1.0), T(0.0)));
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(CapsuleT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
