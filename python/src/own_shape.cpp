#include "own_shape.h"

#include <array>

#include "cuttle/error.h"

namespace cuttle::python {
namespace {

/// A number of the library as its value and derivatives: those of the outermost directions first.
template <typename T>
constexpr std::size_t k_coefficients = 1;
template <typename T, int k_width>
constexpr std::size_t k_coefficients<Dual<T, k_width>> = (1 + k_width) * k_coefficients<T>;
template <typename T>
constexpr std::size_t k_directions = 1;
template <typename T, int k_width>
constexpr std::size_t k_directions<Dual<T, k_width>> = 1 + k_width;

double& coefficient(double& number, std::size_t /*i*/) { return number; }
template <typename T, int k_width>
double& coefficient(Dual<T, k_width>& number, std::size_t i) {
  const std::size_t direction = i / k_coefficients<T>, rest = i % k_coefficients<T>;
  return coefficient(direction == 0 ? number.value : number.derivative[direction - 1], rest);
}

template <typename T>
DistanceT<T> distance_by(const nb::object& part, const Vector3T<T>& x) {
  constexpr std::size_t k_count = k_coefficients<T>, k_outer = k_directions<T>;
  double* to = nullptr;
  const Array at = new_array({k_outer, k_count / k_outer, 3}, to);
  std::array<T, 3> places{x.x, x.y, x.z};
  for (std::size_t i = 0; i < k_count; ++i) {
    for (T& place : places) *to++ = coefficient(place, i);
  }
  Numbers found;
  const nb::object answer = part.attr("_at")(at);
  found.take(answer.ptr());
  found.require("distance");
  std::array<T, 10> numbers;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    for (std::size_t i = 0; i < k_count; ++i) coefficient(numbers[k], i) = found.data()[k * k_count + i];
  }
  const auto& n = numbers;
  return {n[0], {n[1], n[2], n[3]}, {n[4], n[5], n[6], n[7], n[8], n[9]}};
}

}  // namespace

template <typename S>
PythonShapeT<S>::PythonShapeT(const nb::object& part)
    : part_(part),
      half_thickness_(nb::cast<double>(part.attr("half_thickness"))),
      curvature_(nb::cast<double>(part.attr("curvature"))),
      whole_(nb::cast<bool>(part.attr("whole"))) {
  if (k_coefficients < S >> 1 && !nb::object(part.attr("derivatives")).is_none()) {
    throw ModelError("object", "a shape whose derivatives are differences",
                     "one of functions of NumPy: derivatives by numbers of the robot are asked for");
  }
  Numbers table;
  const nb::object rows = part.attr("_table")();
  table.take(rows.ptr());
  const auto numbers = table.rows("parts");
  for (Eigen::Index i = 0; i < numbers.rows(); ++i) {
    const auto vector = [&](int first) {
      return Vector3T<S>{S(numbers(i, first)), S(numbers(i, first + 1)), S(numbers(i, first + 2))};
    };
    const S radius(numbers(i, 13));
    parts_.push_back({numbers(i, 0) != 0.0, vector(1), vector(4), vector(7), vector(10), radius, radius});
  }
}

template <typename S>
DistanceT<S> PythonShapeT<S>::at(const Vector3T<S>& x) const {
  const InterpreterLock lock;
  return distance_by(*part_, x);
}
template <typename S>
auto PythonShapeT<S>::at(const Vector3T<Directions>& x) const -> DistanceT<Directions> {
  const InterpreterLock lock;
  return distance_by(*part_, x);
}
template <typename S>
std::vector<TouchPartT<S>> PythonShapeT<S>::touch_parts(const TouchDetailT<S>& /*detail*/) const {
  return parts_;
}

template <typename S>
std::shared_ptr<const SignedDistanceT<double>> PythonShapeT<S>::clone_as(ScalarTag<double>) const {
  const InterpreterLock lock;
  return std::make_shared<const PythonShapeT<double>>(*part_);
}
template <typename S>
std::shared_ptr<const SignedDistanceT<ForwardDual>> PythonShapeT<S>::clone_as(ScalarTag<ForwardDual>) const {
  const InterpreterLock lock;
  return std::make_shared<const PythonShapeT<ForwardDual>>(*part_);
}

template class PythonShapeT<double>;
template class PythonShapeT<ForwardDual>;

}  // namespace cuttle::python
