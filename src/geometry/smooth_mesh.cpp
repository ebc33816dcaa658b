#include <algorithm>
#include <cmath>
#include <utility>

#include "cuttle/geometry/mesh.h"
#include "geometry/cubic_shares.h"
#include "geometry/distance_parts.h"

namespace cuttle {
namespace {

constexpr double k_most_values = 1e7;
constexpr int k_margin = 2;  // cells around the mesh

/// The inverse of a symmetric matrix, by its adjugate.
template <typename T>
SymmetricMatrix3T<T> inverse_of(const SymmetricMatrix3T<T>& m, T& determinant) {
  const T xx = m.yy * m.zz - m.yz * m.yz, yy = m.xx * m.zz - m.xz * m.xz, zz = m.xx * m.yy - m.xy * m.xy;
  const T xy = m.xz * m.yz - m.xy * m.zz, xz = m.xy * m.yz - m.xz * m.yy, yz = m.xy * m.xz - m.xx * m.yz;
  determinant = m.xx * xx + m.xy * xy + m.xz * xz;
  const T by = T(1.0) / determinant;
  return {by * xx, by * yy, by * zz, by * xy, by * xz, by * yz};
}

/// Step towards the point p of the surface f = 0 with p + factor g = x, g the gradient there.
template <typename T>
struct SurfaceStep {
  SymmetricMatrix3T<T> inverse;  ///< of 1 + factor H
  Vector3T<T> across;            ///< inverse g
  T determinant, stiffness;      ///< g . inverse g
  Vector3T<T> by_point;
  T by_factor;

  SurfaceStep(const T& f, const Vector3T<T>& g, const SymmetricMatrix3T<T>& H, const Vector3T<T>& x,
              const Vector3T<T>& p, const T& factor) {
    const T one(1.0);
    inverse = inverse_of<T>(
        {one + factor * H.xx, one + factor * H.yy, one + factor * H.zz, factor * H.xy, factor * H.xz, factor * H.yz},
        determinant);
    across = inverse * g;
    stiffness = dot(g, across);
    const Vector3T<T> along = inverse * (x - p - factor * g);
    by_factor = (dot(g, along) + f) / stiffness;
    by_point = along - by_factor * across;
  }
};

}  // namespace

/// What the function of the grid is at a point.
template <typename S>
template <typename T>
struct SmoothMeshT<S>::At {
  T f{};
  Vector3T<T> g;
  SymmetricMatrix3T<T> H;
};

template <typename S>
SmoothMeshT<S>::SmoothMeshT(MeshT<S> mesh, double cell) : mesh_(std::move(mesh)), cell_(cell) {
  check_size(cell, "cell");
  if (mesh_.sides() == MeshSides::one) {
    throw ModelError("sides", "one", "two: a grid of distances is that of a closed mesh");
  }
  Vector3 least = mesh_.points().front().template cast<double>(), most = least;
  for (const Vector3T<S>& point : mesh_.points()) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = scalar_cast<double>(point[axis]);
      least[axis] = std::min(least[axis], x), most[axis] = std::max(most[axis], x);
    }
  }
  double values = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil((most[axis] - least[axis]) / cell) + 2 * k_margin;
    values *= cells + 1.0;
    if (values > k_most_values) {
      throw ModelError("cell", number_text(cell) + ", which makes more than " + number_text(k_most_values) + " cells",
                       "larger cells [m]");
    }
    count_[static_cast<std::size_t>(axis)] = static_cast<int>(cells) + 1;
    first_[axis] = 0.5 * (least[axis] + most[axis] - cells * cell);
  }
  values_.reserve(static_cast<std::size_t>(values));
  for (int k = 0; k < count_[2]; ++k) {
    for (int j = 0; j < count_[1]; ++j) {
      for (int i = 0; i < count_[0]; ++i) {
        const Vector3 x = first_ + cell * Vector3{1.0 * i, 1.0 * j, 1.0 * k};
        values_.push_back(mesh_.distance(x.template cast<S>()).value);
      }
    }
  }
}

template <typename S>
std::string SmoothMeshT<S>::type_name() const {
  return "smooth_mesh";
}

template <typename S>
template <typename T>
auto SmoothMeshT<S>::at_place(const Vector3T<T>& x) const -> At<T> {
  const auto shares = [&](int axis) {
    return CubicShares<T>(x[axis] - T(first_[axis]), T(cell_), count_[static_cast<std::size_t>(axis)]);
  };
  const CubicShares<T> a = shares(0), b = shares(1), c = shares(2);
  At<T> result;
  for (int k = 0; k < 4; ++k) {
    T v(0.0), x1(0.0), y1(0.0), xx(0.0), xy(0.0), yy(0.0);  // in the layer
    for (int j = 0; j < 4; ++j) {
      const S* row = values_.data() + (static_cast<std::ptrdiff_t>(c.first[k]) * count_[1] + b.first[j]) * count_[0];
      T value(0.0), slope(0.0), bend(0.0);
      for (int i = 0; i < 4; ++i) {
        const T f(row[a.first[i]]);
        value += a.value[i] * f, slope += a.slope[i] * f, bend += a.bend[i] * f;
      }
      v += b.value[j] * value, x1 += b.value[j] * slope, y1 += b.slope[j] * value;
      xx += b.value[j] * bend, xy += b.slope[j] * slope, yy += b.bend[j] * value;
    }
    result.f += c.value[k] * v;
    result.g += {c.value[k] * x1, c.value[k] * y1, c.slope[k] * v};
    result.H += {c.value[k] * xx, c.value[k] * yy, c.bend[k] * v, c.value[k] * xy, c.slope[k] * x1, c.slope[k] * y1};
  }
  return result;
}

template <typename S>
template <typename T>
DistanceT<T> SmoothMeshT<S>::distance(const Vector3T<T>& x) const {
  constexpr int k_most_steps = 30;
  constexpr double k_singular = 1e-6, k_converged = 1e-14;
  // the nearest point, in values, from that of the mesh
  const Vector3 from = x.template cast<double>();
  const DistanceT<double> rough = mesh_.distance(x.template cast<S>()).template cast<double>();
  Vector3 p = from - rough.value * rough.gradient;
  double factor = rough.value;
  bool found = false;
  for (int i = 0; i < k_most_steps && !found; ++i) {
    const At<S> here = at_place(p.template cast<S>());
    const SurfaceStep<double> step(scalar_cast<double>(here.f), here.g.template cast<double>(),
                                   here.H.template cast<double>(), from, p, factor);
    if (!(step.determinant > k_singular) || !(step.stiffness > k_singular)) break;
    p += step.by_point, factor += step.by_factor;
    if (!(norm(from - p) < std::abs(rough.value) + 2.0 * cell_)) break;  // another part of the surface
    found = norm(step.by_point) <= k_converged * (cell_ + norm(from) + norm(from - p));
  }
  if (!found) return mesh_.distance(x);
  Vector3T<T> at{T(p.x), T(p.y), T(p.z)};
  T along(factor);
  const T one(1.0);
  for (int i = 0; i < k_depth<T>; ++i) {
    const At<T> here = at_place(at);
    const SurfaceStep<T> step(here.f, here.g, here.H, x, at, along);
    at += step.by_point, along += step.by_factor;
  }
  const At<T> here = at_place(at);
  const SurfaceStep<T> step(here.f, here.g, here.H, x, at, along);
  const T length = norm(here.g), inverse = one / length;
  const Vector3T<T> n = inverse * here.g;
  // how the point follows x, and the normal the point
  const Matrix3T<T> follows = (step.inverse - SymmetricMatrix3T<T>::outer(one / step.stiffness, step.across)).matrix();
  const Matrix3T<T> bent = (inverse * (here.H.matrix() * follows));
  const Matrix3T<T> turned = bent - Matrix3T<T>::outer(n, bent.transpose_times(n));
  return {along * length, n, SymmetricMatrix3T<T>::from_upper(T(0.5) * (turned + turned.transpose()))};
}

#define CUTTLE_INSTANTIATE(S) CUTTLE_SHAPE_DISTANCE(SmoothMeshT, S)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
