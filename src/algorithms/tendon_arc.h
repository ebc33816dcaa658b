#pragma once

#include <type_traits>

#include "cuttle/model/routing.h"
#include "spatial/choose_kernels.h"

namespace cuttle {

/// A stretch of a tendon along a rod and where the rod is, as sums over its quadrature read them.
template <typename S>
struct ArcPoints {
  int count, nv;
  const S* weights;
  const Vector3T<S>* rest;
  const Vector3T<S>* shape;  ///< point by point
  const S* q;                ///< the rod's

  static ArcPoints of(const TendonArcT<S>& arc, const S* q) {
    return {
        static_cast<int>(arc.weights.size()), arc.nv, arc.weights.data(), arc.rest.data(), arc.shape.data(), q + arc.q};
  }
  /// What the norm is taken of, at point j.
  Vector3T<S> tangent(int j) const {
    Vector3T<S> result = rest[j];
    for (int k = 0; k < nv; ++k) result += q[k] * shape_at(j)[k];
    return result;
  }
  const Vector3T<S>* shape_at(int j) const { return shape + static_cast<std::ptrdiff_t>(j) * nv; }
};

/// Length and direction of a vector; no direction where it is not longer than `tiny`.
template <typename S>
S length_and_direction(const Vector3T<S>& x, const S& tiny, Vector3T<S>& direction) {
  using std::sqrt;
  const S square = dot(x, x);
  const auto some = square > tiny * tiny;
  const S length = sqrt(select(some, square, S(1.0)));  // never sqrt(0): its derivative is infinite
  direction = select(some, S(1.0), S(0.0)) / length * x;
  return select(some, length, S(0.0));
}

template <typename S>
void sum_arc_length(const ArcPoints<S>& arc, S& length) {
  Vector3T<S> direction;
  for (int j = 0; j < arc.count; ++j) {
    length += arc.weights[j] * length_and_direction(arc.tangent(j), S(0.0), direction);
  }
}
/// @param force  of the rod: gets - (dl/dq)^T tension more.
template <typename S>
void sum_arc_force(const ArcPoints<S>& arc, const S& tension, S* force) {
  for (int j = 0; j < arc.count; ++j) {
    Vector3T<S> direction;
    length_and_direction(arc.tangent(j), S(0.0), direction);
    const S pull = tension * arc.weights[j];
    for (int k = 0; k < arc.nv; ++k) force[k] -= pull * dot(direction, arc.shape_at(j)[k]);
  }
}

/// The same for numbers with derivatives, compiled for each instruction set.
struct ForwardArcs {
  void (*length)(const ArcPoints<ForwardDual>&, ForwardDual& length);
  void (*force)(const ArcPoints<ForwardDual>&, const ForwardDual& tension, ForwardDual* force);
};

}  // namespace cuttle

CUTTLE_DECLARE_KERNELS(const ForwardArcs& forward_arcs())

namespace cuttle {

template <typename S>
void add_arc_length(const TendonArcT<S>& arc, const S* q, S& length) {
  if constexpr (std::is_same_v<S, ForwardDual>) {
    CUTTLE_CHOSEN_KERNELS(forward_arcs()).length(ArcPoints<S>::of(arc, q), length);
  } else {
    sum_arc_length(ArcPoints<S>::of(arc, q), length);
  }
}
/// Adds what a tension does along rods to `force`: - (dl/dq)^T tension.
template <typename S>
void add_arc_force(const TendonArcT<S>& arc, const S& tension, const S* q, S* force) {
  if constexpr (std::is_same_v<S, ForwardDual>) {
    CUTTLE_CHOSEN_KERNELS(forward_arcs()).force(ArcPoints<S>::of(arc, q), tension, force + arc.v);
  } else {
    sum_arc_force(ArcPoints<S>::of(arc, q), tension, force + arc.v);
  }
}

}  // namespace cuttle
