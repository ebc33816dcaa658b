#pragma once

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "spatial/number_text.h"

// What every public function asks of the vectors that it is given. Of robots side by side only the sizes are checked: a
// lane that is wrong spoils only itself, and who packs robots marks it.

namespace cuttle {

/// @throws ArgumentError naming the function, the argument and the index of a value that is not finite.
template <typename S>
void require_finite_argument(const char* function, const char* name, const VectorInT<S>& x) {
  // x - x is 0 for every finite number and NaN otherwise
  S sum[4] = {S(0.0), S(0.0), S(0.0), S(0.0)};
  const Eigen::Index size = x.size();
  Eigen::Index i = 0;
  for (; i + 4 <= size; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += x[i + k] - x[i + k];
  }
  for (; i < size; ++i) sum[0] += x[i] - x[i];
  if (sum[0] + sum[1] + (sum[2] + sum[3]) == S(0.0)) return;
  for (i = 0; i < size; ++i) {
    using std::isfinite;
    if (isfinite(x[i])) continue;
    throw ArgumentError(std::string(function) + ": " + name + "[" + std::to_string(i) + "]: found " +
                        number_text(x[i]) + ", expected a finite number");
  }
}

/// Coordinates of one body above which dense matrices and explicit steps are refused: gigabytes, or steps of
/// microseconds.
inline constexpr int k_most_dense_coordinates = 600;
/// @throws ArgumentError naming the function and the link of a body with more coordinates.
template <typename S>
void require_few_coordinates(const ModelT<S>& model, const char* function) {
  for (const LinkInfoT<S>& link : model.links()) {
    const int count = link.nv - link.joint_nv;
    if (count <= k_most_dense_coordinates) continue;
    throw ArgumentError(std::string(function) + ": link '" + link.name + "': found a body with " +
                        std::to_string(count) + " coordinates, expected at most " +
                        std::to_string(k_most_dense_coordinates) + " (forward_dynamics and bdf take more)");
  }
}

/// @throws ArgumentError naming the function, the argument and, for a value that is not finite, its index.
template <typename S>
void check_argument(const ModelT<S>& model, const char* function, const char* name, const VectorInT<S>& x,
                    int expected) {
  if (x.size() != expected) {
    throw ArgumentError(std::string(function) + ": " + name + ": found size " + std::to_string(x.size()) +
                        ", expected " + std::to_string(expected) + " (" + (expected == model.nq() ? "nq" : "nv") +
                        " of '" + model.name() + "')");
  }
  if constexpr (!k_has_lanes<S>) require_finite_argument<S>(function, name, x);
}

/// The same for a configuration: its quaternions must be of unit norm too, within k_quaternion_tolerance.
template <typename S>
void check_configuration_argument(const ModelT<S>& model, const char* function, const char* name,
                                  const VectorInT<S>& q) {
  check_argument(model, function, name, q, model.nq());
  if (k_has_lanes<S> || model.nq() == model.nv()) return;
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) continue;
    const S violation = model.topology().joints[edge.index].joint->constraint_violation(q.data() + edge.q);
    if (any(violation <= S(k_quaternion_tolerance))) continue;
    const int first = edge.q + edge.nq - 4;  // a quaternion is the last part of a configuration that has one
    throw ArgumentError(std::string(function) + ": " + name + "[" + std::to_string(first) + "..] (" +
                        model.configuration_info()[first].name + " ..): found a quaternion whose norm is " +
                        number_text(violation) + " off 1, expected at most 1e-6");
  }
}

}  // namespace cuttle
