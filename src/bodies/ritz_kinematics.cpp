#include "cuttle/bodies/ritz_kinematics.h"

#include <cmath>
#include <string>
#include <utility>

#include "cuttle/error.h"

namespace cuttle {

namespace {

constexpr int k_highest_power = 50;

template <typename S>
S power(const S& base, int exponent) {
  S result(1.0);
  for (int i = 0; i < exponent; ++i) result = result * base;
  return result;
}

template <typename S>
Vector3T<S> value_of(const RitzModeT<S>& mode, const Vector3T<S>& x) {
  Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
  for (const RitzTermT<S>& term : mode) {
    sum += (power(x.x, term.powers[0]) * power(x.y, term.powers[1]) * power(x.z, term.powers[2])) * term.vector;
  }
  return sum;
}

/// d phi / dx.
template <typename S>
Matrix3T<S> gradient_of(const RitzModeT<S>& mode, const Vector3T<S>& x) {
  Matrix3T<S> sum{};
  for (const RitzTermT<S>& term : mode) {
    Vector3T<S> slope{S(0.0), S(0.0), S(0.0)};
    for (int axis = 0; axis < 3; ++axis) {
      if (term.powers[axis] == 0) continue;
      std::array<int, 3> lowered = term.powers;
      --lowered[axis];
      slope[axis] = S(term.powers[axis]) * power(x.x, lowered[0]) * power(x.y, lowered[1]) * power(x.z, lowered[2]);
    }
    sum += Matrix3T<S>::outer(term.vector, slope);
  }
  return sum;
}

template <typename T, typename S>
Matrix3T<T> widened(const Matrix3T<S>& A) {
  const auto row = [](const Vector3T<S>& a) { return Vector3T<T>{T(a.x), T(a.y), T(a.z)}; };
  return {row(A.row0), row(A.row1), row(A.row2)};
}

template <typename T, typename S>
void fill_gradients(const std::vector<RitzModeT<S>>& modes, const T* q, const Vector3T<S>* x, std::size_t count,
                    Matrix3T<T>* F, Matrix3T<T>* slopes) {
  const std::size_t n = modes.size();
  for (std::size_t i = 0; i < count; ++i) {
    F[i] = Matrix3T<T>::identity();
    for (std::size_t j = 0; j < n; ++j) {
      const Matrix3T<T> slope = widened<T>(gradient_of(modes[j], x[i]));
      F[i] += q[j] * slope;
      if (slopes) slopes[i * n + j] = slope;
    }
  }
}

/// Unit of a coordinate that multiplies a mode, so that their product is a length.
template <typename S>
std::string unit_of(const RitzModeT<S>& mode) {
  const auto degree = [](const RitzTermT<S>& term) { return term.powers[0] + term.powers[1] + term.powers[2]; };
  const int first = degree(mode.front());
  for (const RitzTermT<S>& term : mode) {
    if (degree(term) != first) return "1";
  }
  if (first == 0) return "m";
  if (first == 1) return "1";
  return first == 2 ? "1/m" : "1/m^" + std::to_string(first - 1);
}

template <typename T, typename S>
std::vector<RitzModeT<T>> cast_modes(const std::vector<RitzModeT<S>>& modes) {
  std::vector<RitzModeT<T>> other(modes.size());
  for (std::size_t j = 0; j < modes.size(); ++j) {
    for (const RitzTermT<S>& term : modes[j]) other[j].push_back({term.powers, term.vector.template cast<T>()});
  }
  return other;
}

}  // namespace

template <typename S>
RitzKinematicsT<S>::RitzKinematicsT(std::vector<RitzModeT<S>> modes) : modes_(std::move(modes)) {
  using std::isfinite;
  if (modes_.empty()) throw ModelError("modes: found none, expected one or more");
  for (std::size_t j = 0; j < modes_.size(); ++j) {
    const std::string where = "modes[" + std::to_string(j) + "]";
    if (modes_[j].empty()) throw ModelError(where + ": found no term, expected one or more");
    for (const RitzTermT<S>& term : modes_[j]) {
      for (const int exponent : term.powers) {
        if (exponent >= 0 && exponent <= k_highest_power) continue;
        throw ModelError(where + ".powers: found " + std::to_string(exponent) + ", expected integers from 0 to " +
                         std::to_string(k_highest_power));
      }
      if (!isfinite(term.vector.x) || !isfinite(term.vector.y) || !isfinite(term.vector.z)) {
        throw ModelError(where + ".vector: found a number that is not finite");
      }
    }
  }
}

template <typename S>
std::vector<CoordinateInfo> RitzKinematicsT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  for (std::size_t j = 0; j < modes_.size(); ++j) info.push_back({"ritz." + std::to_string(j), unit_of(modes_[j])});
  return info;
}

template <typename S>
void RitzKinematicsT<S>::move(const Request& request, const Vector3T<S>* x, std::size_t count,
                              const Motions& motions) const {
  for (std::size_t i = 0; i < count; ++i) {
    const auto motion = motions[i];
    motion.value = x[i];
    for (std::size_t j = 0; j < modes_.size(); ++j) {
      motion.slopes[j] = value_of(modes_[j], x[i]);
      motion.value += request.q[j] * motion.slopes[j];
    }
    motion.curvature = {S(0.0), S(0.0), S(0.0)};
  }
}

template <typename S>
void RitzKinematicsT<S>::gradients(const S* q, const Vector3T<S>* x, std::size_t count, Matrix3T<S>* F,
                                   Matrix3T<S>* slopes) const {
  fill_gradients(modes_, q, x, count, F, slopes);
}
template <typename S>
void RitzKinematicsT<S>::gradients(const Directed* q, const Vector3T<S>* x, std::size_t count, Matrix3T<Directed>* F,
                                   Matrix3T<Directed>* slopes) const {
  fill_gradients(modes_, q, x, count, F, slopes);
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<double>> RitzKinematicsT<S>::clone_as(ScalarTag<double>) const {
  return std::make_shared<RitzKinematicsT<double>>(cast_modes<double>(modes_));
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<long double>> RitzKinematicsT<S>::clone_as(ScalarTag<long double>) const {
  return std::make_shared<RitzKinematicsT<long double>>(cast_modes<long double>(modes_));
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<Gradient>> RitzKinematicsT<S>::clone_as(ScalarTag<Gradient>) const {
  return std::make_shared<RitzKinematicsT<Gradient>>(cast_modes<Gradient>(modes_));
}

#define CUTTLE_INSTANTIATE(S) template class RitzKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
