#include <algorithm>
#include <cmath>
#include <utility>

#include "cuttle/geometry/shapes.h"
#include "geometry/distance_parts.h"

namespace cuttle {

template <typename S>
BoxT<S>::BoxT(const Vector3T<S>& size) : size_(size) {
  for (int i = 0; i < 3; ++i) at_place({"size", i}, "", [&] { check_size(size_[i], ""); });
}

template <typename S>
std::string BoxT<S>::type_name() const {
  return "box";
}

template <typename S>
S BoxT<S>::half_thickness() const {
  S least = size_.x;
  for (int i = 1; i < 3; ++i) least = select(size_[i] < least, size_[i], least);
  return S(0.5) * least;
}

template <typename S>
double BoxT<S>::bounding_radius() const {
  return 0.5 * scalar_cast<double>(norm(size_));
}

template <typename S>
std::vector<TouchPartT<S>> BoxT<S>::touch_parts(const TouchDetailT<S>& detail) const {
  const S& r = detail.rounding;
  const Vector3T<S> half{S(0.5) * size_.x - r, S(0.5) * size_.y - r, S(0.5) * size_.z - r};
  const auto at = [&](double x, double y, double z) {
    return Vector3T<S>{S(x) * half.x, S(y) * half.y, S(z) * half.z};
  };
  std::vector<TouchPartT<S>> parts;
  parts.reserve(8);
  for (int k = 0; k < 8; ++k) {
    parts.push_back(TouchPartT<S>::point(at(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1), r));
  }
  if (detail.flat) return parts;
  const auto pieces = [&](int i) {
    const double length = scalar_cast<double>(size_[i]);
    return detail.spacing > 0 ? std::max(1, static_cast<int>(std::ceil(length / detail.spacing))) : 1;
  };
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const auto along = [&](double a, double b, double c) {
      double x[3];
      x[i] = a, x[j] = b, x[k] = c;
      return at(x[0], x[1], x[2]);
    };
    const int n = pieces(i);
    for (const auto& [b, c] : {std::pair(-1, -1), std::pair(-1, 1), std::pair(1, -1), std::pair(1, 1)}) {
      for (int p = 0; p < n; ++p) {
        parts.push_back(
            TouchPartT<S>::segment(along(-1 + 2.0 * p / n, b, c), along(-1 + 2.0 * (p + 1) / n, b, c), r, r));
      }
    }
    if (!(detail.spacing > 0)) continue;
    for (const double face : {-1.0, 1.0}) {  // points inside the faces across the axis i
      for (int p = 1; p < pieces(j); ++p) {
        for (int q = 1; q < pieces(k); ++q) {
          parts.push_back(TouchPartT<S>::point(along(face, -1 + 2.0 * p / pieces(j), -1 + 2.0 * q / pieces(k)), r));
        }
      }
    }
  }
  return parts;
}

template <typename S>
template <typename T>
DistanceT<T> BoxT<S>::distance(const Vector3T<T>& x) const {
  using std::sqrt;
  const T zero(0.0), one(1.0);
  Vector3T<T> sign, over, beyond;  // beyond each face; what of it is positive
  for (int i = 0; i < 3; ++i) {
    sign[i] = select(x[i] < zero, T(-1.0), one);
    over[i] = sign[i] * x[i] - T(S(0.5) * size_[i]);
    beyond[i] = select(over[i] > zero, over[i], zero);
  }
  // outside: to the nearest point of a face, edge or corner
  const LengthT<T> length(dot(beyond, beyond));
  const T inverse = one / length.given;
  DistanceT<T> outside;
  outside.value = length.value;
  const auto free = [&](int i) { return select(over[i] > zero, inverse, zero); };
  for (int i = 0; i < 3; ++i) outside.gradient[i] = inverse * sign[i] * beyond[i];
  outside.hessian = SymmetricMatrix3T<T>::diagonal(free(0), free(1), free(2)) -
                    SymmetricMatrix3T<T>::outer(inverse, outside.gradient);
  // inside: to the nearest face
  const bool y_face = over.y > over.x, z_face = over.z > select(y_face, over.y, over.x);
  DistanceT<T> inside;
  inside.value = select(z_face, over.z, select(y_face, over.y, over.x));
  inside.gradient = {select(!z_face && !y_face, sign.x, zero), select(!z_face && y_face, sign.y, zero),
                     select(z_face, sign.z, zero)};
  return select(length.none, inside, outside);
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(BoxT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
