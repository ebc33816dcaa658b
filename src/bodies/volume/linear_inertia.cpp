#include "bodies/volume/linear_inertia.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "bodies/lower_product.h"
#include "bodies/moments.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

template <typename S>
using Rows = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// v of a skew part: sum m p x f from T = sum m f p^T.
template <typename S>
Vector3T<S> moment_of(const Matrix3T<S>& T) {
  return {T(2, 1) - T(1, 2), T(0, 2) - T(2, 0), T(1, 0) - T(0, 1)};
}
template <typename S>
S double_dot(const Matrix3T<S>& A, const Matrix3T<S>& B) {
  return dot(A.row0, B.row0) + dot(A.row1, B.row1) + dot(A.row2, B.row2);
}
template <typename S>
Matrix3T<S> matrix_at(const S* at) {
  return {{at[0], at[1], at[2]}, {at[3], at[4], at[5]}, {at[6], at[7], at[8]}};
}

}  // namespace

/// Sums over the points at q.
template <typename S>
struct LinearInertiaT<S>::Shape {
  const S* with;       // B_j = sum m u_j p^T, j = 0 .. n_B, nine numbers each
  Vector3T<S> moment;  // sum m p
  Matrix3T<S> second;  // sum m p p^T

  Matrix3T<S> B(int j) const { return matrix_at(with + 9 * j); }
  /// sum_j rates_j B_j over the coordinates: sum m (sum_j phi_j rates_j) p^T.
  Matrix3T<S> along(const S* rates, int n) const {
    S sum[9];
    std::fill_n(sum, 9, S(0.0));
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < 9; ++i) sum[i] += rates[j] * with[9 * (j + 1) + i];
    }
    return matrix_at(sum);
  }
};
template <typename S>
auto LinearInertiaT<S>::view(const S* shape) const -> Shape {
  const S* rest = shape + 9 * (n_ + 1);
  return {shape, {rest[0], rest[1], rest[2]}, matrix_at(rest + 3)};
}

template <typename S>
LinearInertiaT<S>::LinearInertiaT(int coordinates)
    : n_(coordinates), products_(static_cast<std::size_t>(3 * n_ + 4) * (3 * n_ + 4), S(0.0)) {}

template <typename S>
void LinearInertiaT<S>::add(const PointTable<S>& part, const PointMotionsT<S>& at_rest) {
  constexpr int k_lanes = k_point_lanes<S>;
  const int rows = 3 * n_ + 4, columns = static_cast<int>(part.blocks) * k_lanes;
  Rows<S> w(rows, columns), weighted(rows, columns);
  for (std::size_t block = 0; block < part.blocks; ++block) {
    const S* numbers = at_rest.value(block);  // the slopes follow the value
    for (int lane = 0; lane < k_lanes; ++lane) {
      const int column = static_cast<int>(block) * k_lanes + lane;
      w(0, column) = S(1.0);
      for (int r = 1; r < rows; ++r) w(r, column) = numbers[(r - 1) * k_lanes + lane];
      for (int r = 0; r < rows; ++r) weighted(r, column) = part.volume[column] * w(r, column);
    }
  }
  Eigen::Map<Rows<S>> products(products_.data(), rows, rows);
  add_lower_product(products, weighted, w);
}

template <typename S>
void LinearInertiaT<S>::finish(const S& density) {
  const int rows = 3 * n_ + 4, terms = n_ + 1;
  const auto product = [&](int r, int s) { return density * products_[std::max(r, s) * rows + std::min(r, s)]; };
  mass_ = product(0, 0);
  for (int a = 0; a < terms; ++a) {
    first_.push_back({product(0, 3 * a + 1), product(0, 3 * a + 2), product(0, 3 * a + 3)});
  }
  for (int a = 0; a < terms; ++a) {
    for (int j = 0; j < terms; ++j) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) second_.push_back(product(3 * j + r + 1, 3 * a + c + 1));
      }
    }
  }
  for (int k = 1; k < terms; ++k) {
    for (int j = 1; j < terms; ++j) {
      const Matrix3T<S> N = matrix_at(&second_[9 * (k * terms + j)]);  // sum m u_j u_k^T
      mass_matrix_.push_back(N(0, 0) + N(1, 1) + N(2, 2));
      turn_.push_back(moment_of(N));
    }
  }
  products_ = {};
}

template <typename S>
void LinearInertiaT<S>::reshape(const S* q, S* shape) const {
  const int terms = n_ + 1;
  const std::size_t size = 9 * terms;
  std::copy_n(second_.data(), size, shape);
  for (int k = 1; k < terms; ++k) {
    const S* column = second_.data() + k * size;
    for (std::size_t i = 0; i < size; ++i) shape[i] += q[k - 1] * column[i];
  }
  S* rest = shape + size;
  Vector3T<S> moment = first_[0];
  for (int k = 1; k < terms; ++k) moment += q[k - 1] * first_[k];
  for (int i = 0; i < 3; ++i) rest[i] = moment[i];
  for (int i = 0; i < 9; ++i) rest[3 + i] = shape[i];
  for (int k = 1; k < terms; ++k) {
    for (int i = 0; i < 9; ++i) rest[3 + i] += q[k - 1] * shape[9 * k + i];
  }
}

template <typename S>
bool LinearInertiaT<S>::is_finite(const S* shape) const {
  using std::isfinite;
  for (int i = 0; i < 9 * (n_ + 1) + 12; ++i) {
    if (!isfinite(shape[i])) return false;
  }
  return true;
}

template <typename S>
void LinearInertiaT<S>::add_inertial_forces(const BodyStateT<S>& state, const S* shape, WrenchT<S>& base,
                                            S* force) const {
  const Shape at = view(shape);
  const Vector3T<S>& w = state.base_velocity.angular;
  const Matrix3T<S> skew = Matrix3T<S>::skew(w);
  // classical acceleration of a point: linear + turning p + 2 w x pdot + pddot, base axes
  const Vector3T<S> linear = state.base_acceleration.linear + cross(w, state.base_velocity.linear);
  const Matrix3T<S> turning = Matrix3T<S>::skew(state.base_acceleration.angular) + skew * skew;
  Vector3T<S> total = mass_ * linear + turning * at.moment;
  const Vector3T<S> twice_w = S(2.0) * w;
  for (int k = 0; k < n_; ++k) total += state.v[k] * cross(twice_w, first_[k + 1]) + state.a[k] * first_[k + 1];
  const Matrix3T<S> f_p = turning * at.second + S(2.0) * (skew * at.along(state.v, n_)) + at.along(state.a, n_);
  base += WrenchT<S>{cross(at.moment, linear) + moment_of(f_p), total};
  for (int j = 0; j < n_; ++j) force[j] += dot(first_[j + 1], linear) + double_dot(turning, at.B(j + 1));
  for (int k = 0; k < n_; ++k) {
    for (int j = 0; j < n_; ++j) {
      force[j] += state.a[k] * mass_matrix_[k * n_ + j] + state.v[k] * dot(twice_w, turn_[k * n_ + j]);
    }
  }
}

template <typename S>
void LinearInertiaT<S>::add_inertia_blocks(const S* shape, InertiaBlocksT<S>& blocks) const {
  const Shape at = view(shape);
  blocks.base += inertia_from_moments(mass_, at.moment, at.second);
  for (int i = 0; i < n_ * n_; ++i) blocks.mass[i] += mass_matrix_[i];
  for (int j = 0; j < n_; ++j) {
    const Vector3T<S> angular = moment_of(at.B(j + 1));
    for (int r = 0; r < 3; ++r) {
      blocks.coupling[r * n_ + j] += angular[r];
      blocks.coupling[(r + 3) * n_ + j] += first_[j + 1][r];
    }
  }
}

template <typename S>
void LinearInertiaT<S>::derivatives(const BodyStateT<S>& state, const S* shape, BodyDerivativesT<S>& r) const {
  const Shape at = view(shape);
  const Vector3T<S>&w = state.base_velocity.angular, &v0 = state.base_velocity.linear;
  const Matrix3T<S> skew = Matrix3T<S>::skew(w);
  const Vector3T<S> linear = state.base_acceleration.linear + cross(w, v0), twice_w = S(2.0) * w;
  const Matrix3T<S> turning = Matrix3T<S>::skew(state.base_acceleration.angular) + skew * skew;
  const int terms = n_ + 1;
  const auto N = [&](int k, int j) { return second_.data() + 9 * ((j + 1) * terms + k + 1); };  // sum m u_k u_j^T
  const auto store = [&](S* rows, int j, const Vector3T<S>& angular, const Vector3T<S>& force) {
    for (int i = 0; i < 3; ++i) rows[i * n_ + j] = angular[i], rows[(i + 3) * n_ + j] = force[i];
  };
  for (int j = 0; j < n_; ++j) {
    const Vector3T<S>& first = first_[j + 1];
    const Matrix3T<S> B = at.B(j + 1);  // sum m u_j p^T
    S by_v[9], by_a[9];
    std::fill_n(by_v, 9, S(0.0)), std::fill_n(by_a, 9, S(0.0));
    Vector3T<S> carried = cross(v0, first) + moment_of(B * skew.transpose());
    for (int k = 0; k < n_; ++k) {
      const S* product = N(k, j);
      for (int i = 0; i < 9; ++i) by_v[i] += state.v[k] * product[i], by_a[i] += state.a[k] * product[i];
      r.force_by_q[k * n_ + j] = double_dot(turning, matrix_at(product));
      r.force_by_v[k * n_ + j] = dot(twice_w, turn_[j * n_ + k]);
      carried += state.v[k] * turn_[k * n_ + j];
    }
    // sum m (acceleration) u_j^T
    const Matrix3T<S> moved = Matrix3T<S>::outer(linear, first) + turning * B.transpose() +
                              S(2.0) * (skew * matrix_at(by_v)) + matrix_at(by_a);
    store(r.base_by_q, j, moment_of(moved) + moment_of(turning * B), turning * first);
    store(r.base_by_v, j, S(2.0) * moment_of(skew * B), cross(twice_w, first));
    for (int i = 0; i < 3; ++i) r.rate[i * n_ + j] = S(2.0) * carried[i];
  }
  Vector3T<S> P = mass_ * v0 + cross(w, at.moment);
  for (int k = 0; k < n_; ++k) P += state.v[k] * first_[k + 1];
  r.composite.rate = momentum_rate(P, Matrix3T<S>::outer(v0, at.moment) + skew * at.second + at.along(state.v, n_));
}

template <typename S>
S LinearInertiaT<S>::kinetic_energy(const BodyStateT<S>& state, const S* shape) const {
  const Shape at = view(shape);
  const TwistT<S>& V = state.base_velocity;
  const WrenchT<S> momentum = inertia_from_moments(mass_, at.moment, at.second) * V;
  S sum = S(0.5) * (dot(V.angular, momentum.torque) + dot(V.linear, momentum.force)) +
          dot(V.angular, moment_of(at.along(state.v, n_)));
  for (int k = 0; k < n_; ++k) {
    S row(0.0);
    for (int j = 0; j < n_; ++j) row += mass_matrix_[k * n_ + j] * state.v[j];
    sum += state.v[k] * (S(0.5) * row + dot(V.linear, first_[k + 1]));
  }
  return sum;
}

template <typename S>
Vector3T<S> LinearInertiaT<S>::mass_moment(const S* shape) const {
  return view(shape).moment;
}

#define CUTTLE_INSTANTIATE(S) template class LinearInertiaT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
