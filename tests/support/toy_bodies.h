#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "cuttle/bodies/function_body.h"
#include "cuttle/bodies/point_body.h"
#include "cuttle/spatial/stumpff.h"

/// Bodies of a user's own, once through each door: only positions, derivatives by hand, functions on doubles.
namespace cuttle::test {

/// [P]'s toy body: bends towards -x by q [rad].
struct ToyBody {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    const T angle = q[0] * x.z;
    const auto c = stumpff<3>(T(angle * angle));
    return {c[0] * x.x - x.z * angle * c[2], x.y, angle * c[1] * x.x + x.z * c[1]};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return std::numbers::pi / 8 * q[0] * q[0];
  }
  template <typename T>
  T dissipation(const T*, const T* v) const {
    return std::numbers::pi / 8 * v[0] * v[0];
  }
};

/// The same, every derivative by hand.
struct ToyBodyByHand : ToyBody {
  template <typename T>
  void slopes(const Vector3T<T>& x, const T* q, Vector3T<T>* df) const {
    const T t = q[0] * x.z;
    const auto c = stumpff<3>(T(t * t));
    df[0] = {-x.z * (t * c[1] * x.x + x.z * (c[1] - c[2])), T(0.0), x.z * (c[0] * x.x + x.z * t * (c[3] - c[2]))};
  }
  template <typename T>
  Vector3T<T> curvature(const Vector3T<T>& x, const T* q, const T* v) const {
    const T t = q[0] * x.z, rate = v[0] * x.z;
    const auto c = stumpff<5>(T(t * t));
    return rate * rate *
           Vector3T<T>{-c[0] * x.x - x.z * t * (2.0 * c[3] - c[2] - 2.0 * c[4]), T(0.0),
                       -t * c[1] * x.x + x.z * (c[3] - c[2] + t * t * (3.0 * c[5] - 3.0 * c[4] + c[3]))};
  }
  /// Bending turns cross-sections and changes the distance along z by 1 + q x.
  template <typename T>
  Matrix3T<T> deformation_gradient(const Vector3T<T>& x, const T* q) const {
    using std::cos;
    using std::sin;
    const T t = q[0] * x.z, stretch = 1.0 + q[0] * x.x;
    return {{cos(t), T(0.0), -stretch * sin(t)}, {T(0.0), T(1.0), T(0.0)}, {sin(t), T(0.0), stretch * cos(t)}};
  }
  template <typename T>
  void elastic_force(const T* q, T* force) const {
    force[0] = std::numbers::pi / 4 * q[0];
  }
  template <typename T>
  void stiffness_matrix(const T*, T* stiffness) const {
    stiffness[0] = T(std::numbers::pi / 4);
  }
  template <typename T>
  void damping_force(const T*, const T* v, T* force) const {
    force[0] = std::numbers::pi / 4 * v[0];
  }
  template <typename T>
  void damping_matrix(const T*, const T*, T* damping) const {
    damping[0] = T(std::numbers::pi / 4);
  }
};

/// Three coordinates without a symmetry, and a neo-Hookean material with volume change.
struct Blob {
  static constexpr int coordinate_count = 3;
  std::vector<CoordinateInfo> coordinates() const { return {{"stretch", "m"}, {"twist", "rad"}, {"shear", "m"}}; }
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    using std::cos;
    using std::sin;
    const T angle = q[1] * x.z / 0.3 + 0.4 * q[0] * q[1];
    const T c = cos(angle), s = sin(angle);
    return {c * x.x - s * x.y + q[2] * x.z * x.z / 0.09, s * x.x + c * x.y + 0.5 * q[2] * x.x,
            x.z * (1.0 + q[0] / 0.3) + q[1] * x.x * x.y};
  }
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    using std::log;
    const T I1 = dot(F.row0, F.row0) + dot(F.row1, F.row1) + dot(F.row2, F.row2);
    const T log_J = log(dot(F.row0, cross(F.row1, F.row2)));
    return 4e4 * (I1 - 3.0 - 2.0 * log_J) + 2e4 * log_J * log_J;
  }
  template <typename T>
  T dissipation_density(const Matrix3T<T>& F, const Matrix3T<T>& F_rate) const {
    return viscous_dissipation_density(F, F_rate, T(8e4), T(0.02));
  }
};

/// The same, derivatives of the positions by hand and for double only: no templates.
struct BlobByHand {
  static constexpr int coordinate_count = 3;
  std::vector<CoordinateInfo> coordinates() const { return Blob{}.coordinates(); }
  Vector3 position(const Vector3& x, const double* q) const { return Blob{}.position(x, q); }
  void slopes(const Vector3& x, const double* q, Vector3* df) const {
    const double angle = q[1] * x.z / 0.3 + 0.4 * q[0] * q[1], c = std::cos(angle), s = std::sin(angle);
    const Vector3 turn{-s * x.x - c * x.y, c * x.x - s * x.y, 0.0};
    df[0] = 0.4 * q[1] * turn + Vector3{0.0, 0.0, x.z / 0.3};
    df[1] = (x.z / 0.3 + 0.4 * q[0]) * turn + Vector3{0.0, 0.0, x.x * x.y};
    df[2] = {x.z * x.z / 0.09, 0.5 * x.x, 0.0};
  }
  Vector3 curvature(const Vector3& x, const double* q, const double* v) const {
    const double angle = q[1] * x.z / 0.3 + 0.4 * q[0] * q[1], c = std::cos(angle), s = std::sin(angle);
    const double rate = v[1] * x.z / 0.3 + 0.4 * (v[0] * q[1] + q[0] * v[1]), second = 0.8 * v[0] * v[1];
    return second * Vector3{-s * x.x - c * x.y, c * x.x - s * x.y, 0.0} +
           rate * rate * Vector3{-c * x.x + s * x.y, -s * x.x - c * x.y, 0.0};
  }
};

/// Its points at x = -1 fold from q = 1 on, which the closed forms do not mind.
inline PointParameters toy_points() {
  PointParameters parameters = point_cylinder(1.0, 1.0, 1.0, 14, 2, 5);
  parameters.allow_folding = true;
  return parameters;
}
inline PointParameters blob_points() {
  PointParameters parameters;
  parameters.quadrature = box_quadrature(Vector3{0.1, 0.06, 0.3}, 4, 3, 2);
  parameters.density = 1050.0;
  parameters.tip_origin = {0.01, 0.0, 0.3}, parameters.tip_a = {0.05, 0.01, 0.29}, parameters.tip_b = {0.0, 0.03, 0.3};
  return parameters;
}

inline FunctionParameters toy_function() {
  FunctionParameters parameters;
  parameters.points = toy_points();
  parameters.coordinates = {{"bend", "rad"}};
  parameters.position = [](const Vector3& x, const double* q) { return ToyBody{}.position(x, q); };
  parameters.elastic_energy = [](const double* q) { return ToyBody{}.elastic_energy(q); };
  parameters.dissipation = [](const double* q, const double* v) { return ToyBody{}.dissipation(q, v); };
  return parameters;
}
inline FunctionParameters blob_function() {
  FunctionParameters parameters;
  parameters.points = blob_points();
  parameters.coordinates = Blob{}.coordinates();
  parameters.position = [](const Vector3& x, const double* q) { return Blob{}.position(x, q); };
  const auto exact = std::make_shared<PointBody<Blob>>(blob_points());
  parameters.elastic_energy = [exact](const double* q) { return exact->elastic_energy(q); };
  parameters.dissipation = [exact](const double* q, const double* v) {
    std::array<double, 3> force{};
    exact->add_damping_force(q, v, force.data());
    return 0.5 * (force[0] * v[0] + force[1] * v[1] + force[2] * v[2]);  // quadratic in v
  };
  return parameters;
}

}  // namespace cuttle::test
