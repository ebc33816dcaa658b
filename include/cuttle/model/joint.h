#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/spatial/logarithm.h"

namespace CUTTLE_API cuttle {

/// How far from unit norm a quaternion that comes from outside may be; it is normalized then, and refused beyond.
inline constexpr double k_quaternion_tolerance = 1e-6;

/// Relative motion that a joint makes between its placement frame (parent side) and the child frame.
template <typename S>
struct JointMotionT {
  static constexpr int k_max_velocities = 6;
  PoseT<S> placement_child;
  TwistT<S> velocity;                                ///< S(q) v, child axes
  TwistT<S> bias;                                    ///< Sdot v, child axes: relative acceleration at a = 0
  std::array<TwistT<S>, k_max_velocities> subspace;  ///< columns of S(q), child axes; the first nv are set
};

/// How the columns of a joint's subspace S(q) change, child axes, component-wise.
template <typename S>
struct JointSlopesT {
  static constexpr int k_most = JointMotionT<S>::k_max_velocities;
  std::array<TwistT<S>, k_most> rate;                       ///< dS_i/dt
  std::array<TwistT<S>, k_most> second;                     ///< d2S_i/dt2
  std::array<std::array<TwistT<S>, k_most>, k_most> slope;  ///< dS_i/dq_k at [i][k]
};

/// A joint that rotates by `rotation` q and advances by `translation` q along one axis: the sweeps treat it inline.
template <typename S>
struct ScrewT {
  Vector3T<S> axis;  ///< unit
  S rotation;        ///< 1 for revolute, 0 for prismatic
  S translation;     ///< 0 for revolute, 1 for prismatic
};

/// Spring, damper and armature on a joint's coordinates; empty means zero.
template <typename S>
struct JointDynamicsT {
  std::vector<S> stiffness;  ///< K, nv: energy 1/2 e^T K e, e = difference(rest, q)
  std::vector<S> damping;    ///< nv: force damping * v
  std::vector<S> armature;   ///< nv: added to the mass matrix's diagonal [kg m^2 | kg]
  std::vector<S> rest;       ///< nq; empty: neutral

  bool operator==(const JointDynamicsT&) const = default;
  template <typename T>
  JointDynamicsT<T> cast() const {
    const auto each = [](const std::vector<S>& v) {
      std::vector<T> r;
      r.reserve(v.size());
      for (const S& x : v) r.push_back(scalar_cast<T>(x));
      return r;
    };
    return {each(stiffness), each(damping), each(armature), each(rest)};
  }
};

/// What there is to know about joints that lie side by side in a pack of robots, each a lane: the line of their kind in
/// simulation/packed_kinds.h makes the packed joint of it.
struct JointPacking {
  std::string kind;
  std::vector<Vector3> axes;  ///< constant vectors of the kind, as many for each joint of it
};

/// A joint: coordinates, and the pose, velocity subspace and bias that they make (docs/format.md, Joint). Const and
/// without state. A new kind of joint is one new class; only quaternion joints override the manifold functions.
template <typename S>
class JointT {
 public:
  virtual ~JointT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file
  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual std::vector<std::string> units() const = 0;  ///< of q, one each: rad | m | 1
  virtual std::vector<std::string> velocity_units() const = 0;

  /// Set for a joint that moves along one fixed screw.
  virtual std::optional<ScrewT<S>> screw() const { return std::nullopt; }

  /// Pose, subspace and, with v not null, velocity and bias.
  virtual void motion(const S* q, const S* v, JointMotionT<S>& motion) const = 0;

  /// Whether the subspace S is the same for all q; else `slopes` says how it changes.
  virtual bool constant_subspace() const { return true; }
  /// @param a  dv/dt. Only for joints on a vector space whose subspace is not constant.
  virtual void slopes(const S* q, const S* v, const S* a, JointSlopesT<S>& slopes) const;

  virtual void neutral(S* q) const;                                  ///< identity configuration
  virtual void integrate(const S* q, const S* dv, S* result) const;  ///< result may be q
  virtual void difference(const S* q0, const S* q1, S* dv) const;    ///< integrate(q0, dv) = q1
  /// dq/dt = N(q) v, nq values.
  virtual void configuration_rate(const S* q, const S* v, S* rate) const;
  /// d theta/dt (nv) of the tangent coordinates theta in integrate(q0, theta), when the velocity there is v.
  virtual void tangent_rate(const S* theta, const S* v, S* rate) const;
  /// f = T^T e, where dv/dt of difference(q0, q(t)) = T v: turns K e into the generalized force of a spring.
  virtual void difference_tangent_transpose(const S* q0, const S* q1, const S* e, S* f) const;
  /// Distance of q from the manifold (| |quaternion| - 1 |), and projection onto it.
  virtual S constraint_violation(const S* q) const;
  virtual void normalize(S* q) const;

  /// How joints of this kind lie side by side in a pack of robots. Nothing: they are computed one at a time.
  virtual std::optional<JointPacking> packing() const { return std::nullopt; }

  virtual std::unique_ptr<JointT<double>> clone_as(ScalarTag<double>) const = 0;
  virtual std::unique_ptr<JointT<long double>> clone_as(ScalarTag<long double>) const = 0;
  virtual std::unique_ptr<JointT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const = 0;
};
using Joint = JointT<double>;

template <typename S>
void JointT<S>::tangent_rate(const S* /*theta*/, const S* v, S* rate) const {
  for (int i = 0; i < nv(); ++i) rate[i] = v[i];
}

/// Factories, one a joint of the file format; axes are normalized. @throws ModelError for a zero axis.
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_fixed_joint();
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_revolute_joint(const Vector3T<S>& axis);
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_prismatic_joint(const Vector3T<S>& axis);
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_cylindrical_joint(const Vector3T<S>& axis);
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_universal_joint(const Vector3T<S>& axis1, const Vector3T<S>& axis2);
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_spherical_joint();
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_planar_joint();
template <typename S>
CUTTLE_API std::shared_ptr<const JointT<S>> make_free_joint();

}  // namespace cuttle
