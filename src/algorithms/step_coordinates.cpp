#include "algorithms/step_coordinates.h"

#include "cuttle/spatial/exponential.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

template <typename S>
Vector3T<S> vector_at(const VectorXT<S>& values, int i) {
  return {values[i], values[i + 1], values[i + 2]};
}
template <typename S>
void store(const Vector3T<S>& from, VectorXT<S>& values, int i) {
  values[i] = from.x, values[i + 1] = from.y, values[i + 2] = from.z;
}
template <typename S>
QuaternionT<S> quaternion_at(const VectorXT<S>& q, int i) {
  return QuaternionT<S>{q[i], q[i + 1], q[i + 2], q[i + 3]}.normalized();
}
Matrix3 rotation_tangent(const Vector3& theta) { return right_tangent(Twist{theta, {}}).diagonal; }

}  // namespace

StepCoordinates::StepCoordinates(const Model& model) : model_(model) {
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) continue;
    const bool free = edge.nv == 6;
    rotations_.push_back({edge.q + (free ? 3 : 0), edge.v, free ? edge.q : -1});
  }
}

template <typename S>
void StepCoordinates::rates_of(const VectorXT<S>& q, const VectorXT<S>& v, const VectorXT<S>& a, VectorXT<S>& w,
                               VectorXT<S>& w_rate) const {
  w = v, w_rate = a;
  for (const Rotation& r : rotations_) {
    if (r.origin < 0) continue;
    const Matrix3T<S> R = quaternion_at(q, r.q).matrix();
    const Vector3T<S> V = vector_at(v, r.v + 3);
    store<S>(R * V, w, r.v + 3);
    store<S>(R * (vector_at(a, r.v + 3) + cross(vector_at(v, r.v), V)), w_rate, r.v + 3);
  }
}

template <typename S>
void StepCoordinates::configuration_at(const VectorXT<S>& q0, const VectorXT<S>& x, VectorXT<S>& q) const {
  for (const Edge& edge : model_.topology().edges) {
    if (edge.nq == edge.nv) q.segment(edge.q, edge.nq) = q0.segment(edge.q, edge.nq) + x.segment(edge.v, edge.nv);
  }
  for (const Rotation& r : rotations_) {
    const auto turned = (quaternion_at(q0, r.q) * quaternion_exponential(vector_at(x, r.v))).normalized();
    q[r.q] = turned.w, q[r.q + 1] = turned.x, q[r.q + 2] = turned.y, q[r.q + 3] = turned.z;
    if (r.origin >= 0) store<S>(vector_at(q0, r.origin) + vector_at(x, r.v + 3), q, r.origin);
  }
}

template <typename S>
void StepCoordinates::motion_at(const VectorXT<S>& q0, const VectorXT<S>& x, const VectorXT<S>& w,
                                const VectorXT<S>& w_rate, VectorXT<S>& q, VectorXT<S>& v, VectorXT<S>& a) const {
  configuration_at(q0, x, q);
  v = w, a = w_rate;
  for (const Rotation& r : rotations_) {
    if (r.origin < 0) continue;
    const Matrix3T<S> R = quaternion_at(q, r.q).matrix();
    const Vector3T<S> V = R.transpose_times(vector_at(w, r.v + 3));
    store<S>(V, v, r.v + 3);
    store<S>(R.transpose_times(vector_at(w_rate, r.v + 3)) + cross(V, vector_at(w, r.v)), a, r.v + 3);
  }
}

void StepCoordinates::chain(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v,
                            double scale, double rate, double second, const MatrixXd& by_q, const MatrixXd& by_v,
                            const MatrixXd& by_a, Eigen::Ref<MatrixXd> result) const {
  result = scale * by_q + rate * by_v + second * by_a;
  for (const Rotation& r : rotations_) {
    const int n = r.origin < 0 ? 3 : 6;
    const Matrix3 T = rotation_tangent(vector_at(x, r.v));
    Matrix3 R;
    Vector3 V, A;
    if (n == 6) {
      R = quaternion_at(q, r.q).matrix();
      V = vector_at(v, r.v + 3), A = R.transpose_times(vector_at(w_rate, r.v + 3));
    }
    for (int k = 0; k < n; ++k) {
      // change of the pose, twist and acceleration along unknown k, [B] (76)
      Twist step, dv, da;
      if (k < 3) {
        step.angular = scale * T.column(k);
        dv.angular[k] = rate, da.angular[k] = second;
      }
      if (n == 6) {
        Vector3 e;
        if (k >= 3) e[k - 3] = 1.0;
        const Vector3 along = R.transpose_times(e);
        step.linear = scale * along;
        dv.linear = rate * along + cross(V, step.angular);
        da.linear =
            second * along + cross(A, step.angular) + cross(dv.linear, vector_at(v, r.v)) + cross(V, dv.angular);
      }
      auto column = result.col(r.v + k);
      column.setZero();
      for (int i = 0; i < n; ++i) {
        column += step[i] * by_q.col(r.v + i) + dv[i] * by_v.col(r.v + i) + da[i] * by_a.col(r.v + i);
      }
    }
  }
}

void StepCoordinates::directions(const VectorXd& x, const VectorXd& w_rate, const VectorXd& q, const VectorXd& v,
                                 double scale, double rate, double second, StepDirections& result) const {
  result.by_q = scale, result.by_v = rate, result.by_a = second;
  if (rotations_.empty()) return;
  // what chain() makes of each coordinate of a joint, row by row
  MatrixXd rows = MatrixXd::Zero(6, model_.nv()), none = rows;
  for (const Rotation& r : rotations_) {
    const int n = r.origin < 0 ? 3 : 6;
    rows.block(0, r.v, n, n).setIdentity();
  }
  for (MatrixXd* m : {&result.q, &result.v, &result.a}) m->resize(6, model_.nv());
  chain(x, w_rate, q, v, scale, rate, second, rows, none, none, result.q);
  chain(x, w_rate, q, v, scale, rate, second, none, rows, none, result.v);
  chain(x, w_rate, q, v, scale, rate, second, none, none, rows, result.a);
}

void StepCoordinates::motion_directions(double by_q, double by_v, double by_a, StepDirections& result) const {
  result.by_q = by_q, result.by_v = by_v, result.by_a = by_a;
  if (rotations_.empty()) return;
  for (MatrixXd* m : {&result.q, &result.v, &result.a}) m->setZero(6, model_.nv());
  for (const Rotation& r : rotations_) {
    const int n = r.origin < 0 ? 3 : 6;
    result.q.block(0, r.v, n, n).diagonal().setConstant(by_q);
    result.v.block(0, r.v, n, n).diagonal().setConstant(by_v);
    result.a.block(0, r.v, n, n).diagonal().setConstant(by_a);
  }
}

void StepCoordinates::chain(const VectorXd& x, const VectorXd& q, double scale, const MatrixXd& by_q,
                            Eigen::Ref<MatrixXd> result) const {
  result = scale * by_q;
  for (const Rotation& r : rotations_) {
    const Matrix3 T = rotation_tangent(vector_at(x, r.v));
    for (int k = 0; k < 3; ++k) {
      const Vector3 step = scale * T.column(k);
      result.col(r.v + k) = step.x * by_q.col(r.v) + step.y * by_q.col(r.v + 1) + step.z * by_q.col(r.v + 2);
    }
    if (r.origin < 0) continue;
    const Matrix3 R = quaternion_at(q, r.q).matrix();
    for (int k = 0; k < 3; ++k) {
      const Vector3 step = scale * R.row(k);
      result.col(r.v + 3 + k) = step.x * by_q.col(r.v + 3) + step.y * by_q.col(r.v + 4) + step.z * by_q.col(r.v + 5);
    }
  }
}

void StepCoordinates::rates_adjoint(const VectorXd& q, const VectorXd& v, const VectorXd& a, const VectorXd& by_w,
                                    const VectorXd& by_w_rate, VectorXd& by_q, VectorXd& by_v, VectorXd& by_a) const {
  VectorXd of_v = by_w, of_a = by_w_rate;
  for (const Rotation& r : rotations_) {
    if (r.origin < 0) continue;
    // w = R V, w' = R (A + omega x V)
    const Matrix3 R = quaternion_at(q, r.q).matrix();
    const Vector3 omega = vector_at(v, r.v), V = vector_at(v, r.v + 3);
    const Vector3 rate = R.transpose_times(vector_at(by_w, r.v + 3));
    const Vector3 second = R.transpose_times(vector_at(by_w_rate, r.v + 3));
    store<double>(vector_at(of_v, r.v) + cross(V, second), of_v, r.v);
    store<double>(rate + cross(second, omega), of_v, r.v + 3);
    store<double>(second, of_a, r.v + 3);
    const Vector3 turn = cross(V, rate) + cross(vector_at(a, r.v + 3) + cross(omega, V), second);
    store<double>(vector_at(by_q, r.v) + turn, by_q, r.v);
  }
  by_v += of_v, by_a += of_a;
}

void StepCoordinates::velocity_adjoint(const VectorXd& q, const VectorXd& v, const VectorXd& by_v, VectorXd& by_q,
                                       VectorXd& by_w) const {
  VectorXd of_w = by_v;
  for (const Rotation& r : rotations_) {
    if (r.origin < 0) continue;
    const Vector3 rate = vector_at(by_v, r.v + 3);  // V = R^T w
    store<double>(quaternion_at(q, r.q).matrix() * rate, of_w, r.v + 3);
    store<double>(vector_at(by_q, r.v) + cross(rate, vector_at(v, r.v + 3)), by_q, r.v);
  }
  by_w += of_w;
}

void StepCoordinates::displacement_adjoint(const VectorXd& x, const VectorXd& q, VectorXd& gradient) const {
  for (const Rotation& r : rotations_) {
    store<double>(rotation_tangent(vector_at(x, r.v)).transpose_times(vector_at(gradient, r.v)), gradient, r.v);
    if (r.origin < 0) continue;
    store<double>(quaternion_at(q, r.q).matrix() * vector_at(gradient, r.v + 3), gradient, r.v + 3);
  }
}

void StepCoordinates::start_adjoint(const VectorXd& q0, const VectorXd& x, VectorXd& gradient) const {
  for (const Rotation& r : rotations_) {
    // exp(d) exp(x) = exp(x + T_l(x)^-1 d), and T_l is T_r^T
    const Vector3 turn = rotation_right_tangent_inverse(vector_at(x, r.v)) * vector_at(gradient, r.v);
    store<double>(turn, gradient, r.v);
    if (r.origin < 0) continue;
    store<double>(quaternion_at(q0, r.q).matrix().transpose_times(vector_at(gradient, r.v + 3)), gradient, r.v + 3);
  }
}

#define CUTTLE_INSTANTIATE(S)                                                                                          \
  template void StepCoordinates::rates_of<S>(const VectorXT<S>&, const VectorXT<S>&, const VectorXT<S>&, VectorXT<S>&, \
                                             VectorXT<S>&) const;                                                      \
  template void StepCoordinates::configuration_at<S>(const VectorXT<S>&, const VectorXT<S>&, VectorXT<S>&) const;      \
  template void StepCoordinates::motion_at<S>(const VectorXT<S>&, const VectorXT<S>&, const VectorXT<S>&,              \
                                              const VectorXT<S>&, VectorXT<S>&, VectorXT<S>&, VectorXT<S>&) const;
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
