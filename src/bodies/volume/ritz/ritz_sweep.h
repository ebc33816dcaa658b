#pragma once

#include "bodies/volume/kinematics_kernels_impl.h"
#include "cuttle/bodies/ritz_kinematics.h"

namespace cuttle {

/// f of modes that are polynomials of the rest position.
template <typename S, typename T>
class RitzSweep {
  using P = RestT<S, T>;

 public:
  static int coordinate_count(const RitzParametersT<S>& parameters) {
    return static_cast<int>(parameters.modes.size());
  }
  RitzSweep(const RitzParametersT<S>& parameters, const T* q, const T*, ScratchPieces&)
      : parameters_(parameters), q_(q) {}

  MaskT<T> carry(const Vector3T<P>& x, const CarriedPoint<T>& point) {
    const Vector3T<P> zero{P(0.0), P(0.0), P(0.0)};
    *point.value = widened(x);
    if (point.F) *point.F = Matrix3T<T>::identity();
    if (point.curvature) *point.curvature = widened(zero);
    for (std::size_t j = 0; j < parameters_.modes.size(); ++j) {
      Vector3T<P> value = zero;
      Matrix3T<P> gradient{zero, zero, zero};
      for (const RitzTermT<S>& term : parameters_.modes[j]) add_term(term, x, value, point.F ? &gradient : nullptr);
      *point.value += q_[j] * widened(value);
      if (point.slopes) point.slopes[j] = widened(value);
      if (!point.F) continue;
      const Matrix3T<T> slope{widened(gradient.row0), widened(gradient.row1), widened(gradient.row2)};
      *point.F += q_[j] * slope;
      if (point.F_slopes) point.F_slopes[j] = slope;
    }
    return T(0.0) < T(1.0);
  }
  std::string fault() const { return {}; }

 private:
  static Vector3T<T> widened(const Vector3T<P>& a) { return {T(a.x), T(a.y), T(a.z)}; }
  static P power(const P& base, int exponent) {
    P result(1.0);
    for (int i = 0; i < exponent; ++i) result = result * base;
    return result;
  }
  static void add_term(const RitzTermT<S>& term, const Vector3T<P>& x, Vector3T<P>& value, Matrix3T<P>* gradient) {
    const Vector3T<P> vector{P(term.vector.x), P(term.vector.y), P(term.vector.z)};
    P lowered[3], raised[3];  // x^(i - 1), 0 for i = 0; x^i
    for (int axis = 0; axis < 3; ++axis) {
      const int exponent = term.powers[axis];
      lowered[axis] = exponent > 0 ? power(x[axis], exponent - 1) : P(0.0);
      raised[axis] = exponent > 0 ? lowered[axis] * x[axis] : P(1.0);
    }
    value += (raised[0] * raised[1] * raised[2]) * vector;
    if (!gradient) return;
    Vector3T<P> slope;
    for (int axis = 0; axis < 3; ++axis) {
      slope[axis] =
          P(static_cast<double>(term.powers[axis])) * lowered[axis] * raised[(axis + 1) % 3] * raised[(axis + 2) % 3];
    }
    *gradient += Matrix3T<P>::outer(vector, slope);
  }

  const RitzParametersT<S>& parameters_;
  const T* q_;
};

}  // namespace cuttle
