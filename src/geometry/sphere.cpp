#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {

template <typename S>
SphereT<S>::SphereT(const S& radius) : radius_(radius) {
  check_size(radius, "radius");
}

template <typename S>
std::string SphereT<S>::type_name() const {
  return "sphere";
}

template <typename S>
S SphereT<S>::half_thickness() const {
  return radius_;
}

template <typename S>
double SphereT<S>::bounding_radius() const {
  return scalar_cast<double>(radius_);
}

template <typename S>
S SphereT<S>::curvature() const {
  return S(1.0) / radius_;
}

template <typename S>
std::vector<TouchPartT<S>> SphereT<S>::touch_parts(const TouchDetailT<S>& /*detail*/) const {
  return {TouchPartT<S>::point({}, radius_)};
}

template <typename S>
template <typename T>
DistanceT<T> SphereT<S>::distance(const Vector3T<T>& x) const {
  return distance_to_point(x, T(radius_), {T(0.0), T(0.0), T(1.0)});
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(SphereT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
