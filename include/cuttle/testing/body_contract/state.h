#pragma once

#include <random>
#include <string>

#include "cuttle/bodies/body.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/testing/body_contract/options.h"

namespace cuttle::contract {

template <typename S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// Coordinates and base motion at one instant.
template <typename S>
struct State {
  Vector<S> q, v, a;
  TwistT<S> V, A;

  BodyStateT<S> get() const { return {q.data(), v.data(), a.data(), V, A}; }
  /// The state a time later, if a and A stay.
  State after(const S& t) const {
    State next = *this;
    next.q = q + t * v + (t * t / 2) * a;
    next.v = v + t * a;
    next.V = V + t * A;
    return next;
  }
  template <typename T>
  State<T> cast() const {
    return {q.template cast<T>(), v.template cast<T>(), a.template cast<T>(), V.template cast<T>(),
            A.template cast<T>()};
  }
};

/// Numbers of a fixed seed, the same on every machine.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double operator()() { return 2.0 * (static_cast<double>(engine_()) * 0x1p-32) - 1.0; }
  Vector3 vector() {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }
  Twist twist() {
    const Vector3 w = vector();
    return {w, vector()};
  }
  Wrench wrench() {
    const Vector3 t = vector();
    return {t, vector()};
  }

 private:
  std::mt19937 engine_;
};

/// Coordinates of the sizes that the options ask for, base motion of size one.
inline State<double> random_state(const Body& body, const BodyContractOptions& options, Numbers& numbers) {
  const int n = body.coordinate_count();
  const auto info = body.coordinates();
  State<double> state;
  state.q.resize(n), state.v.resize(n), state.a.resize(n);
  for (int i = 0; i < n; ++i) {
    const double size = !options.coordinates.empty() ? options.coordinates[i] : info[i].unit == "m" ? 0.03 : 0.7;
    state.q[i] = size * numbers();
    state.v[i] = size * numbers();
    state.a[i] = size * numbers();
  }
  state.V = numbers.twist();
  state.A = numbers.twist();
  return state;
}

}  // namespace cuttle::contract
