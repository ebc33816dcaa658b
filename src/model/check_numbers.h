#pragma once

#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/place.h"
#include "spatial/number_text.h"

// What a robot from C++ must satisfy, where a file's reader checks by itself. All throw a ModelError at their key.

namespace cuttle {

template <typename S>
void check_number(const char* key, const S& value) {
  using std::isfinite;
  if (!isfinite(value)) throw ModelError(key, number_text(value), "a finite number");
}

/// @param place  makes the path, if it is needed.
template <typename S, typename Place>
void check_numbers(const Vector3T<S>& vector, const Place& place) {
  using std::isfinite;
  for (int i = 0; i < 3; ++i) {
    if (!isfinite(vector[i])) throw ModelError({place(), i}, number_text(vector[i]), "a finite number");
  }
}
template <typename S>
void check_vector(const char* key, const Vector3T<S>& vector) {
  check_numbers(vector, [key] { return KeyPath(key); });
}

/// Finite, and a rotation: R R^T = 1 with determinant 1.
template <typename S>
void check_pose(const char* key, const PoseT<S>& pose);

/// Its `at` and `pose`.
template <typename S>
void check_place(const PlaceT<S>& place) {
  check_number("at.s", place.at.s);
  check_pose("pose", place.pose);
}

}  // namespace cuttle
