#include "cuttle/bodies/function_body.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

constexpr int k_max_coordinates = 64;  // arguments are moved on the stack: an evaluation allocates nothing
constexpr double k_step = 0.01;
using Arguments = std::array<double, k_max_coordinates>;

/// Derivatives in t at 0 of f(t), sixth-order central differences of step 1: the caller scales.
template <typename F>
auto first_difference(const F& f) {
  return 1.0 / 60.0 * (45.0 * (f(1.0) - f(-1.0)) - 9.0 * (f(2.0) - f(-2.0)) + 1.0 * (f(3.0) - f(-3.0)));
}
template <typename F, typename Value>
auto second_difference(const F& f, const Value& center) {
  const auto around = [&](double t) { return (f(t) - center) + (f(-t) - center); };
  return 1.0 / 180.0 * (270.0 * around(1.0) - 27.0 * around(2.0) + 2.0 * around(3.0));
}

/// y + t d, n numbers.
Arguments moved(const double* y, double t, const double* d, int n) {
  Arguments at;
  for (int j = 0; j < n; ++j) at[j] = y[j] + t * d[j];
  return at;
}
/// The step of coordinate j alone.
Arguments along(const std::vector<double>& steps, int j) {
  Arguments d{};
  d[j] = steps[j];
  return d;
}

template <typename Potential>
void add_gradient(const std::vector<double>& steps, const double* y, double* sum, const Potential& potential) {
  const int n = static_cast<int>(steps.size());
  for (int j = 0; j < n; ++j) {
    const Arguments d = along(steps, j);
    sum[j] += first_difference([&](double t) { return potential(moved(y, t, d.data(), n).data()); }) / steps[j];
  }
}
/// Mixed derivatives from those along the sum and the difference of two steps: symmetric as they stand.
template <typename Potential>
void store_hessian(const std::vector<double>& steps, const double* y, double* matrix, const Potential& potential) {
  const int n = static_cast<int>(steps.size());
  const double center = potential(y);
  const auto second = [&](const Arguments& d) {
    return second_difference([&](double t) { return potential(moved(y, t, d.data(), n).data()); }, center);
  };
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      Arguments sum = along(steps, j), difference = sum;
      sum[k] = steps[k], difference[k] = -steps[k];
      matrix[j * n + k] = matrix[k * n + j] = (second(sum) - second(difference)) / (4.0 * steps[j] * steps[k]);
    }
    matrix[j * n + j] = second(along(steps, j)) / (steps[j] * steps[j]);
  }
}

}  // namespace

FunctionBody::FunctionBody(const FunctionParameters& parameters)
    : PointwiseBodyT<double>(parameters.points, parameters.coordinates), functions_(parameters) {
  const std::size_t n = functions_.coordinates.size();
  if (n > k_max_coordinates) {
    throw ModelError("coordinates", std::to_string(n), "at most " + std::to_string(k_max_coordinates));
  }
  for (const CoordinateInfo& info : functions_.coordinates) {
    if (info.unit == "rad" || info.unit == "m") continue;
    throw ModelError("coordinates", info.name + ": found unit '" + info.unit + "', expected rad or m");
  }
  if (!functions_.position) throw ModelError("position", "no function", "f(x, q)");
  const PointParameters& points = functions_.points;
  for (const Vector3& x : points.quadrature.points) size_ = std::max(size_, norm(x));
  for (const Vector3& x : {points.tip_origin, points.tip_a, points.tip_b}) size_ = std::max(size_, norm(x));
  if (functions_.steps.empty()) {
    for (const CoordinateInfo& info : functions_.coordinates) {
      functions_.steps.push_back(info.unit == "m" ? k_step * size_ : k_step);
    }
  }
  if (functions_.steps.size() != n) {
    throw ModelError("steps", std::to_string(functions_.steps.size()), std::to_string(n) + ", one for each coordinate");
  }
  for (const double h : functions_.steps) {
    if (!(h > 0.0) || !std::isfinite(h)) throw ModelError("steps", number_text(h), "numbers > 0");
  }
  functions_.points = {};  // kept by the base
}

void FunctionBody::move_one(const Request& request, const Vector3& x, const Motion& motion) const {
  const int n = coordinate_count();
  motion.value = functions_.position(x, request.q);
  const auto at = [&](double t, const Arguments& d) {
    return functions_.position(x, moved(request.q, t, d.data(), n).data());
  };
  double speed = 0.0;  // in steps
  for (int j = 0; j < n; ++j) {
    const double h = functions_.steps[j];
    const Arguments d = along(functions_.steps, j);
    motion.slopes[j] = (1.0 / h) * first_difference([&](double t) { return at(t, d); });
    if (request.level == MotionLevel::acceleration) speed = std::max(speed, std::abs(request.v[j]) / h);
  }
  if (request.level < MotionLevel::acceleration) return;
  motion.curvature = {0.0, 0.0, 0.0};
  if (speed == 0.0) return;
  Arguments d;
  for (int j = 0; j < n; ++j) d[j] = request.v[j] / speed;
  motion.curvature = speed * speed * second_difference([&](double t) { return at(t, d); }, motion.value);
}

void FunctionBody::move_points(const Request& request, const Vector3* x, std::size_t count,
                               const Motions& motions) const {
  for (std::size_t i = 0; i < count; ++i) move_one(request, x[i], motions[i]);
}

void FunctionBody::move_point_axes(const Request& request, const Vector3& x, const Motions& motions) const {
  const int n = coordinate_count();
  move_one(request, x, motions[0]);
  // the whole motion of a neighbor at once: value, slopes and curvature are differenced alike
  std::array<Vector3, k_max_coordinates + 2> memory;
  const Motion neighbor = Motions(memory.data(), n)[0];
  const double h = k_step * size_, weights[] = {45.0, -9.0, 1.0};
  for (int axis = 0; axis < 3; ++axis) {
    const Motion motion = motions[1 + axis];
    motion.value = motion.curvature = {0.0, 0.0, 0.0};
    for (int j = 0; j < n; ++j) motion.slopes[j] = {0.0, 0.0, 0.0};
    for (int k = -3; k <= 3; ++k) {
      if (k == 0) continue;
      Vector3 at = x;
      at[axis] += k * h;
      move_one(request, at, neighbor);
      const double weight = (k > 0 ? 1.0 : -1.0) * weights[std::abs(k) - 1] / (60.0 * h);
      motion.value += weight * neighbor.value;
      for (int j = 0; j < n; ++j) motion.slopes[j] += weight * neighbor.slopes[j];
      if (request.level == MotionLevel::acceleration) motion.curvature += weight * neighbor.curvature;
    }
  }
}

/// Only the sign counts: second-order differences over a short way, so that a point near the surface stays near it.
double FunctionBody::determinant_at(const double* q, const Vector3& x) const {
  const double h = 1e-5 * size_;
  Vector3 columns[3];
  for (int axis = 0; axis < 3; ++axis) {
    Vector3 ahead = x, behind = x;
    ahead[axis] += h, behind[axis] -= h;
    columns[axis] = (0.5 / h) * (functions_.position(ahead, q) - functions_.position(behind, q));
  }
  return dot(columns[0], cross(columns[1], columns[2]));
}

double FunctionBody::elastic_energy(const double* q) const {
  return functions_.elastic_energy ? functions_.elastic_energy(q) : 0.0;
}
void FunctionBody::energy_density(const double* q, const Vector3* x, std::size_t count, double* density) const {
  if (!has_energy_density()) return Body::energy_density(q, x, count, density);
  std::fill_n(density, count, mean_energy_density(q));
}
void FunctionBody::add_elastic_force(const double* q, double* force) const {
  if (functions_.elastic_energy) add_gradient(functions_.steps, q, force, functions_.elastic_energy);
}
void FunctionBody::stiffness_matrix(const double* q, double* stiffness) const {
  store_hessian(functions_.steps, q, stiffness, [&](const double* y) { return elastic_energy(y); });
}
void FunctionBody::add_damping_force(const double* q, const double* v, double* force) const {
  if (!has_dissipation()) return;
  add_gradient(functions_.steps, v, force, [&](const double* y) { return dissipation(q, y); });
}
void FunctionBody::damping_matrix(const double* q, const double* v, double* damping) const {
  store_hessian(functions_.steps, v, damping,
                [&](const double* y) { return has_dissipation() ? dissipation(q, y) : 0.0; });
}
double FunctionBody::dissipation(const double* q, const double* v) const {
  return has_dissipation() ? functions_.dissipation(q, v) : Body::dissipation(q, v);
}

}  // namespace cuttle
