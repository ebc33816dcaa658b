#include <limits>

#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {

template <typename S>
PlaneT<S>::PlaneT() = default;

template <typename S>
std::string PlaneT<S>::type_name() const {
  return "plane";
}

template <typename S>
S PlaneT<S>::half_thickness() const {
  return S(std::numeric_limits<double>::infinity());
}

template <typename S>
template <typename T>
DistanceT<T> PlaneT<S>::distance(const Vector3T<T>& x) const {
  return {x.z, {T(0.0), T(0.0), T(1.0)}, {}};
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(PlaneT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
