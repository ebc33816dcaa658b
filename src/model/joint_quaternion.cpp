#include <cmath>

#include "cuttle/model/joint.h"
#include "model/cloneable_joint.h"

namespace cuttle {

namespace {

using Names = std::vector<std::string>;

/// Quaternion that starts at q, as a unit quaternion: steps of an integrator may leave the sphere by a little.
template <typename S>
QuaternionT<S> unit_quaternion(const S* q) {
  return QuaternionT<S>{q[0], q[1], q[2], q[3]}.normalized();
}
template <typename S>
void store(const QuaternionT<S>& from, S* q) {
  q[0] = from.w, q[1] = from.x, q[2] = from.y, q[3] = from.z;
}
template <typename S>
Vector3T<S> load_vector(const S* v) {
  return {v[0], v[1], v[2]};
}
template <typename S>
void store(const Vector3T<S>& from, S* v) {
  v[0] = from.x, v[1] = from.y, v[2] = from.z;
}

/// 1/2 q (0, w): rate of a quaternion (of any norm, which it keeps) under the angular velocity w in child axes.
template <typename S>
void store_quaternion_rate(const S* q, const Vector3T<S>& w, S* rate) {
  const S half(0.5);
  store(QuaternionT<S>{q[0], q[1], q[2], q[3]} * QuaternionT<S>{S(0.0), half * w.x, half * w.y, half * w.z}, rate);
}
template <typename S>
S quaternion_violation(const S* q) {
  using std::abs;
  using std::sqrt;
  return abs(sqrt(QuaternionT<S>{q[0], q[1], q[2], q[3]}.squared_norm()) - S(1.0));
}

/// q = quaternion [w, x, y, z], v = angular velocity in child axes.
template <typename S>
class SphericalJoint final : public CloneableJoint<SphericalJoint, S> {
 public:
  std::string type_name() const override { return "spherical"; }
  int nq() const override { return 4; }
  int nv() const override { return 3; }
  Names units() const override { return {"1", "1", "1", "1"}; }
  Names velocity_units() const override { return {"rad/s", "rad/s", "rad/s"}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    motion.placement_child = {unit_quaternion(q).matrix(), {}};
    for (int i = 0; i < 3; ++i) {
      motion.subspace[i] = TwistT<S>::zero();
      motion.subspace[i].angular[i] = S(1.0);
    }
    if (v == nullptr) return;
    motion.velocity = {load_vector(v), {}};
    motion.bias = TwistT<S>::zero();
  }
  void neutral(S* q) const override { store(QuaternionT<S>{}, q); }
  void integrate(const S* q, const S* dv, S* result) const override {
    store((unit_quaternion(q) * quaternion_exponential(load_vector(dv))).normalized(), result);
  }
  void difference(const S* q0, const S* q1, S* dv) const override {
    store(quaternion_logarithm(unit_quaternion(q0).conjugate() * unit_quaternion(q1)), dv);
  }
  void configuration_rate(const S* q, const S* v, S* rate) const override {
    store_quaternion_rate(q, load_vector(v), rate);
  }
  void tangent_rate(const S* theta, const S* v, S* rate) const override {
    store(rotation_right_tangent_inverse(load_vector(theta)) * load_vector(v), rate);
  }
  void difference_tangent_transpose(const S* q0, const S* q1, const S* e, S* f) const override {
    S w[3];
    difference(q0, q1, w);
    store(rotation_right_tangent_inverse(load_vector(w)).transpose_times(load_vector(e)), f);
  }
  S constraint_violation(const S* q) const override { return quaternion_violation(q); }
  void normalize(S* q) const override { store(unit_quaternion(q), q); }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<SphericalJoint<T>>();
  }
};

/// q = [x, y, z, qw, qx, qy, qz], v = twist (w; v) in child axes.
template <typename S>
class FreeJoint final : public CloneableJoint<FreeJoint, S> {
 public:
  std::string type_name() const override { return "free"; }
  int nq() const override { return 7; }
  int nv() const override { return 6; }
  Names units() const override { return {"m", "m", "m", "1", "1", "1", "1"}; }
  Names velocity_units() const override { return {"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    motion.placement_child = {unit_quaternion(q + 3).matrix(), load_vector(q)};
    for (int i = 0; i < 6; ++i) {
      motion.subspace[i] = TwistT<S>::zero();
      motion.subspace[i][i] = S(1.0);
    }
    if (v == nullptr) return;
    motion.velocity = load_twist(v);
    motion.bias = TwistT<S>::zero();
  }
  void neutral(S* q) const override {
    store(Vector3T<S>{}, q);
    store(QuaternionT<S>{}, q + 3);
  }
  void integrate(const S* q, const S* dv, S* result) const override {
    const QuaternionT<S> rotation = unit_quaternion(q + 3);
    const TwistT<S> step = load_twist(dv);
    store(load_vector(q) + rotation.matrix() * exponential(step).position, result);
    store((rotation * quaternion_exponential(step.angular)).normalized(), result + 3);
  }
  void difference(const S* q0, const S* q1, S* dv) const override {
    const QuaternionT<S> rotation = unit_quaternion(q0 + 3);
    const Vector3T<S> w = quaternion_logarithm(rotation.conjugate() * unit_quaternion(q1 + 3));
    const Vector3T<S> p = rotation.matrix().transpose_times(load_vector(q1) - load_vector(q0));
    store(w, dv);
    store(rotation_right_tangent_inverse(w).transpose_times(p), dv + 3);  // p = T_l(w) v, T_l = T_r^T
  }
  void configuration_rate(const S* q, const S* v, S* rate) const override {
    const TwistT<S> velocity = load_twist(v);
    store(unit_quaternion(q + 3).matrix() * velocity.linear, rate);
    store_quaternion_rate(q + 3, velocity.angular, rate + 3);
  }
  void tangent_rate(const S* theta, const S* v, S* rate) const override {
    const TwistT<S> t = right_tangent_inverse(load_twist(theta)) * load_twist(v);
    store(t.angular, rate);
    store(t.linear, rate + 3);
  }
  void difference_tangent_transpose(const S* q0, const S* q1, const S* e, S* f) const override {
    S t[6];
    difference(q0, q1, t);
    const WrenchT<S> force =
        right_tangent_inverse(load_twist(t)).transpose_times(WrenchT<S>{load_vector(e), load_vector(e + 3)});
    store(force.torque, f);
    store(force.force, f + 3);
  }
  S constraint_violation(const S* q) const override { return quaternion_violation(q + 3); }
  void normalize(S* q) const override { store(unit_quaternion(q + 3), q + 3); }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<FreeJoint<T>>();
  }

 private:
  static TwistT<S> load_twist(const S* v) { return {load_vector(v), load_vector(v + 3)}; }
};

}  // namespace

template <typename S>
std::shared_ptr<const JointT<S>> make_spherical_joint() {
  return std::make_shared<SphericalJoint<S>>();
}
template <typename S>
std::shared_ptr<const JointT<S>> make_free_joint() {
  return std::make_shared<FreeJoint<S>>();
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                          \
  template std::shared_ptr<const JointT<S>> make_spherical_joint<S>(); \
  template std::shared_ptr<const JointT<S>> make_free_joint<S>();
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
