#include "cuttle/model/joint.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "model/axes.h"
#include "model/cloneable_joint.h"
#include "spatial/number_text.h"

namespace cuttle {

// Joints on vector spaces need nothing but `motion`.

template <typename S>
void JointT<S>::slopes(const S*, const S*, const S*, JointSlopesT<S>& slopes) const {
  slopes = {};
}
template <typename S>
void JointT<S>::neutral(S* q) const {
  for (int i = 0; i < nq(); ++i) q[i] = S(0.0);
}
template <typename S>
void JointT<S>::integrate(const S* q, const S* dv, S* result) const {
  for (int i = 0; i < nq(); ++i) result[i] = q[i] + dv[i];
}
template <typename S>
void JointT<S>::difference(const S* q0, const S* q1, S* dv) const {
  for (int i = 0; i < nv(); ++i) dv[i] = q1[i] - q0[i];
}
template <typename S>
void JointT<S>::configuration_rate(const S*, const S* v, S* rate) const {
  for (int i = 0; i < nq(); ++i) rate[i] = v[i];
}
template <typename S>
void JointT<S>::difference_tangent_transpose(const S*, const S*, const S* e, S* f) const {
  for (int i = 0; i < nv(); ++i) f[i] = e[i];
}
template <typename S>
S JointT<S>::constraint_violation(const S*) const {
  return S(0.0);
}
template <typename S>
void JointT<S>::normalize(S*) const {}

namespace {

using Names = std::vector<std::string>;

/// Axes of several robots side by side come from joints that were checked one by one.
template <typename S>
Vector3T<S> unit_axis(const Vector3T<S>& axis, const char* key) {
  if constexpr (k_has_lanes<S>) {
    return axis;
  } else {
    return checked_unit_axis(axis, key);
  }
}

/// Rotation by `angle` [rad] about a unit axis.
template <typename S>
Matrix3T<S> rotation_about(const Vector3T<S>& axis, const S& angle) {
  S s, c;
  sincos(angle, s, c);
  Matrix3T<S> R = Matrix3T<S>::outer((S(1.0) - c) * axis, axis) + Matrix3T<S>::skew(s * axis);
  R.row0.x += c, R.row1.y += c, R.row2.z += c;
  return R;
}

template <typename S>
class FixedJoint final : public CloneableJoint<FixedJoint, S> {
 public:
  std::string type_name() const override { return "fixed"; }
  int nq() const override { return 0; }
  int nv() const override { return 0; }
  Names units() const override { return {}; }
  Names velocity_units() const override { return {}; }
  void motion(const S*, const S*, JointMotionT<S>& motion) const override {
    motion.placement_child = PoseT<S>::identity();
    motion.velocity = motion.bias = TwistT<S>::zero();
  }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<FixedJoint<T>>();
  }
};

template <typename S>
class RevoluteJoint final : public CloneableJoint<RevoluteJoint, S> {
 public:
  explicit RevoluteJoint(const Vector3T<S>& axis) : axis_(unit_axis(axis, "axis")) {}
  std::string type_name() const override { return "revolute"; }
  int nq() const override { return 1; }
  int nv() const override { return 1; }
  Names units() const override { return {"rad"}; }
  Names velocity_units() const override { return {"rad/s"}; }
  std::optional<ScrewT<S>> screw() const override { return ScrewT<S>{axis_, S(1.0), S(0.0)}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    motion.placement_child = {rotation_about(axis_, q[0]), {}};
    motion.subspace[0] = {axis_, {}};
    if (v == nullptr) return;
    motion.velocity = v[0] * motion.subspace[0];
    motion.bias = TwistT<S>::zero();
  }
  std::vector<Vector3T<S>> axes() const override { return {axis_}; }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<RevoluteJoint<T>>(axis_.template cast<T>());
  }

 private:
  Vector3T<S> axis_;
};

template <typename S>
class PrismaticJoint final : public CloneableJoint<PrismaticJoint, S> {
 public:
  explicit PrismaticJoint(const Vector3T<S>& axis) : axis_(unit_axis(axis, "axis")) {}
  std::string type_name() const override { return "prismatic"; }
  int nq() const override { return 1; }
  int nv() const override { return 1; }
  Names units() const override { return {"m"}; }
  Names velocity_units() const override { return {"m/s"}; }
  std::optional<ScrewT<S>> screw() const override { return ScrewT<S>{axis_, S(0.0), S(1.0)}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    motion.placement_child = {Matrix3T<S>::identity(), q[0] * axis_};
    motion.subspace[0] = {{}, axis_};
    if (v == nullptr) return;
    motion.velocity = v[0] * motion.subspace[0];
    motion.bias = TwistT<S>::zero();
  }
  std::vector<Vector3T<S>> axes() const override { return {axis_}; }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<PrismaticJoint<T>>(axis_.template cast<T>());
  }

 private:
  Vector3T<S> axis_;
};

/// q = [angle, displacement] about and along one axis.
template <typename S>
class CylindricalJoint final : public CloneableJoint<CylindricalJoint, S> {
 public:
  explicit CylindricalJoint(const Vector3T<S>& axis) : axis_(unit_axis(axis, "axis")) {}
  std::string type_name() const override { return "cylindrical"; }
  int nq() const override { return 2; }
  int nv() const override { return 2; }
  Names units() const override { return {"rad", "m"}; }
  Names velocity_units() const override { return {"rad/s", "m/s"}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    motion.placement_child = {rotation_about(axis_, q[0]), q[1] * axis_};
    motion.subspace[0] = {axis_, {}};
    motion.subspace[1] = {{}, axis_};
    if (v == nullptr) return;
    motion.velocity = {v[0] * axis_, v[1] * axis_};
    motion.bias = TwistT<S>::zero();
  }
  std::vector<Vector3T<S>> axes() const override { return {axis_}; }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<CylindricalJoint<T>>(axis_.template cast<T>());
  }

 private:
  Vector3T<S> axis_;
};

/// R = Rot(axis1, q1) Rot(axis2, q2).
template <typename S>
class UniversalJoint final : public CloneableJoint<UniversalJoint, S> {
 public:
  UniversalJoint(const Vector3T<S>& axis1, const Vector3T<S>& axis2)
      : axis1_(unit_axis(axis1, "axes[0]")), axis2_(unit_axis(axis2, "axes[1]")) {}
  std::string type_name() const override { return "universal"; }
  int nq() const override { return 2; }
  int nv() const override { return 2; }
  Names units() const override { return {"rad", "rad"}; }
  Names velocity_units() const override { return {"rad/s", "rad/s"}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    const Matrix3T<S> R2 = rotation_about(axis2_, q[1]);
    motion.placement_child = {rotation_about(axis1_, q[0]) * R2, {}};
    const Vector3T<S> first = R2.transpose_times(axis1_);  // turns backwards as the second axis turns
    motion.subspace[0] = {first, {}};
    motion.subspace[1] = {axis2_, {}};
    if (v == nullptr) return;
    motion.velocity = {v[0] * first + v[1] * axis2_, {}};
    motion.bias = {(v[0] * v[1]) * cross(first, axis2_), {}};
  }
  bool constant_subspace() const override { return false; }
  void slopes(const S* q, const S* v, const S* a, JointSlopesT<S>& slopes) const override {
    const Vector3T<S> first = rotation_about(axis2_, q[1]).transpose_times(axis1_);
    const Vector3T<S> slope = cross(first, axis2_);
    slopes = {};
    slopes.slope[0][1] = {slope, {}};
    slopes.rate[0] = {v[1] * slope, {}};
    slopes.second[0] = {a[1] * slope + (v[1] * v[1]) * cross(slope, axis2_), {}};
  }
  std::vector<Vector3T<S>> axes() const override { return {axis1_, axis2_}; }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<UniversalJoint<T>>(axis1_.template cast<T>(), axis2_.template cast<T>());
  }

 private:
  Vector3T<S> axis1_, axis2_;
};

/// q = [x, y, theta]: Trans(x, y, 0) Rot_z(theta).
template <typename S>
class PlanarJoint final : public CloneableJoint<PlanarJoint, S> {
 public:
  std::string type_name() const override { return "planar"; }
  int nq() const override { return 3; }
  int nv() const override { return 3; }
  Names units() const override { return {"m", "m", "rad"}; }
  Names velocity_units() const override { return {"m/s", "m/s", "rad/s"}; }
  void motion(const S* q, const S* v, JointMotionT<S>& motion) const override {
    const S zero(0.0), one(1.0);
    S s, c;
    sincos(q[2], s, c);
    motion.placement_child = {{{c, -s, zero}, {s, c, zero}, {zero, zero, one}}, {q[0], q[1], zero}};
    motion.subspace[0] = {{}, {c, -s, zero}};
    motion.subspace[1] = {{}, {s, c, zero}};
    motion.subspace[2] = {{zero, zero, one}, {}};
    if (v == nullptr) return;
    const S x = c * v[0] + s * v[1], y = c * v[1] - s * v[0];
    motion.velocity = {{zero, zero, v[2]}, {x, y, zero}};
    // child axes turn under the velocity of the origin: -w x v
    motion.bias = {{}, {v[2] * y, -v[2] * x, zero}};
  }
  bool constant_subspace() const override { return false; }
  void slopes(const S* q, const S* v, const S* a, JointSlopesT<S>& slopes) const override {
    const S zero(0.0);
    S s, c;
    sincos(q[2], s, c);
    const Vector3T<S> axes[2] = {{c, -s, zero}, {s, c, zero}};
    slopes = {};
    for (int i = 0; i < 2; ++i) {
      const Vector3T<S> slope{axes[i].y, -axes[i].x, zero};
      slopes.slope[i][2] = {{}, slope};
      slopes.rate[i] = {{}, v[2] * slope};
      slopes.second[i] = {{}, a[2] * slope - (v[2] * v[2]) * axes[i]};
    }
  }
  template <typename T>
  std::unique_ptr<JointT<T>> cast() const {
    return std::make_unique<PlanarJoint<T>>();
  }
};

}  // namespace

template <typename S>
std::shared_ptr<const JointT<S>> make_fixed_joint() {
  return std::make_shared<FixedJoint<S>>();
}
template <typename S>
std::shared_ptr<const JointT<S>> make_revolute_joint(const Vector3T<S>& axis) {
  return std::make_shared<RevoluteJoint<S>>(axis);
}
template <typename S>
std::shared_ptr<const JointT<S>> make_prismatic_joint(const Vector3T<S>& axis) {
  return std::make_shared<PrismaticJoint<S>>(axis);
}
template <typename S>
std::shared_ptr<const JointT<S>> make_cylindrical_joint(const Vector3T<S>& axis) {
  return std::make_shared<CylindricalJoint<S>>(axis);
}
template <typename S>
std::shared_ptr<const JointT<S>> make_universal_joint(const Vector3T<S>& axis1, const Vector3T<S>& axis2) {
  const auto joint = std::make_shared<UniversalJoint<S>>(axis1, axis2);
  // parallel axes would be one axis twice: a coordinate that moves nothing of its own
  const Vector3T<S> normal = cross(axis1, axis2);
  if (!any(dot(normal, normal) > S(1e-12) * dot(axis1, axis1) * dot(axis2, axis2))) {
    throw ModelError("axes", "two parallel axes", "two that are not");
  }
  return joint;
}
template <typename S>
std::shared_ptr<const JointT<S>> make_planar_joint() {
  return std::make_shared<PlanarJoint<S>>();
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                             \
  template class JointT<S>;                                                                               \
  template std::shared_ptr<const JointT<S>> make_fixed_joint();                                           \
  template std::shared_ptr<const JointT<S>> make_revolute_joint(const Vector3T<S>&);                      \
  template std::shared_ptr<const JointT<S>> make_prismatic_joint(const Vector3T<S>&);                     \
  template std::shared_ptr<const JointT<S>> make_cylindrical_joint(const Vector3T<S>&);                   \
  template std::shared_ptr<const JointT<S>> make_universal_joint(const Vector3T<S>&, const Vector3T<S>&); \
  template std::shared_ptr<const JointT<S>> make_planar_joint();
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
