// A scalar whose comparisons return a mask that is no bool: where the spatial algebra or a joint branches on a
// comparison, this file does not compile. Packs of robots and differentiation need that.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "cuttle/spatial/inertia.h"
#include "cuttle/spatial/logarithm.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle::test {

struct Mask {
  bool holds;
  explicit operator bool() const = delete;
  friend Mask operator&(Mask a, Mask b) { return {a.holds && b.holds}; }
  friend Mask operator|(Mask a, Mask b) { return {a.holds || b.holds}; }
};

/// A double that hides its order. Made from numbers only explicitly, so that a forgotten S(..) shows as well.
class MaskScalar {
 public:
  MaskScalar() = default;
  explicit MaskScalar(double value) : value_(value) {}
  explicit operator double() const { return value_; }
  explicit operator long double() const { return value_; }
  explicit operator ForwardDual() const { return ForwardDual(value_); }

  MaskScalar& operator+=(MaskScalar b) { return value_ += b.value_, *this; }
  MaskScalar& operator-=(MaskScalar b) { return value_ -= b.value_, *this; }
  MaskScalar& operator*=(MaskScalar b) { return value_ *= b.value_, *this; }
  MaskScalar& operator/=(MaskScalar b) { return value_ /= b.value_, *this; }
  MaskScalar operator-() const { return MaskScalar(-value_); }
  friend MaskScalar operator+(MaskScalar a, MaskScalar b) { return a += b; }
  friend MaskScalar operator-(MaskScalar a, MaskScalar b) { return a -= b; }
  friend MaskScalar operator*(MaskScalar a, MaskScalar b) { return a *= b; }
  friend MaskScalar operator/(MaskScalar a, MaskScalar b) { return a /= b; }
  friend Mask operator<(MaskScalar a, MaskScalar b) { return {a.value_ < b.value_}; }
  friend Mask operator>(MaskScalar a, MaskScalar b) { return {a.value_ > b.value_}; }
  friend Mask operator<=(MaskScalar a, MaskScalar b) { return {a.value_ <= b.value_}; }
  friend Mask operator>=(MaskScalar a, MaskScalar b) { return {a.value_ >= b.value_}; }

  friend MaskScalar select(Mask mask, MaskScalar a, MaskScalar b) { return mask.holds ? a : b; }
  friend bool any(Mask mask);
  friend MaskScalar sqrt(MaskScalar a) { return MaskScalar(std::sqrt(a.value_)); }
  friend MaskScalar sin(MaskScalar a) { return MaskScalar(std::sin(a.value_)); }
  friend MaskScalar cos(MaskScalar a) { return MaskScalar(std::cos(a.value_)); }
  friend MaskScalar abs(MaskScalar a) { return MaskScalar(std::abs(a.value_)); }
  friend MaskScalar atan2(MaskScalar a, MaskScalar b) { return MaskScalar(std::atan2(a.value_, b.value_)); }

 private:
  double value_ = 0.0;
};
inline bool any(Mask mask) { return mask.holds; }

}  // namespace cuttle::test

// The classes of the joints are private to their sources.
#include "model/joint.cpp"
#include "model/joint_quaternion.cpp"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using M = MaskScalar;
// The same operations in the same order: equal but for fused multiply-adds, on numbers of size 10.
constexpr double k_same = 1000 * std::numeric_limits<double>::epsilon();

template <typename S>
TwistT<S> twist(double a, double b, double c, double d, double e, double f) {
  return {{S(a), S(b), S(c)}, {S(d), S(e), S(f)}};
}
double difference(const TwistT<M>& a, const TwistT<double>& b) {
  double worst = 0.0;
  for (int i = 0; i < 6; ++i) worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]));
  return worst;
}

/// Everything of spatial in one number each, for one scalar.
template <typename S>
TwistT<S> use_everything(double angle) {
  const TwistT<S> t = twist<S>(0.6 * angle, -0.64 * angle, 0.48 * angle, 0.3, -0.2, 0.7);
  const TwistT<S> u = twist<S>(0.3, 0.1, -0.4, 0.2, 0.5, -0.6);
  const WrenchT<S> w{u.linear, t.linear};
  const PoseT<S> g = exponential(t) * exponential(u).inverse();
  TwistT<S> sum = logarithm(g) + logarithm(exponential(t));
  sum += g.act(u) + g.act_inverse(t) + bracket(t, u);
  sum += right_tangent(t) * u + left_tangent(t) * u + right_tangent_inverse(u) * t;
  sum += right_tangent_derivative(t, u, sum) + left_tangent_derivative(t, u, sum);
  WrenchT<S> wrench = g.act(w) + g.act_inverse(w) + bracket_transpose(t, w) - S(0.5) * w;
  wrench += right_tangent(t).transpose_times(w);
  const SpatialInertiaT<S> inertia =
      SpatialInertiaT<S>::from_com(S(1.5), t.linear, SymmetricMatrix3T<S>::diagonal(S(1.0), S(1.1), S(1.2)));
  wrench += inertia.in_parent(g) * u;
  wrench += gyroscopic_wrench(u, inertia * u);
  ArticulatedInertiaT<S> articulated = ArticulatedInertiaT<S>::from(inertia).in_parent(g);
  articulated += inertia;
  articulated.subtract_outer(S(0.1), w);
  wrench += articulated * t;
  wrench += articulated.column(4);
  const QuaternionT<S> q = quaternion_from_matrix(g.rotation) * quaternion_exponential(t.angular);
  const Vector3T<S> log = quaternion_logarithm(q.normalized().conjugate());
  sum.angular += log + quaternion_exponential(log).matrix() * log + norm(log) * wrench.torque;
  sum.linear += wrench.force + rotation_right_tangent_inverse(u.angular) * log + g.act(log);
  return sum;
}

TEST(MaskScalarTest, SpatialNeedsNoBranchOnAComparison) {
  for (const double angle : {0.0, 1e-9, 0.15, 1.0, 3.0, 3.3, 6.0}) {
    EXPECT_LE(difference(use_everything<M>(angle), use_everything<double>(angle)), k_same) << "angle " << angle;
  }
}

template <typename S>
TwistT<S> use_joint(const JointT<S>& joint) {
  std::vector<S> q(joint.nq(), S(0.0)), v(joint.nv(), S(0.0)), e(joint.nv(), S(0.0)), rate(joint.nq(), S(0.0));
  joint.neutral(q.data());
  for (int i = 0; i < joint.nv(); ++i) v[i] = S(0.3 + 0.1 * i), e[i] = S(0.7 - 0.2 * i);
  joint.integrate(q.data(), v.data(), q.data());
  JointMotionT<S> motion;
  joint.motion(q.data(), v.data(), motion);
  TwistT<S> sum = motion.velocity + motion.bias + logarithm(motion.placement_child);
  for (int i = 0; i < joint.nv(); ++i) sum += motion.subspace[i];
  std::vector<S> neutral(joint.nq(), S(0.0));
  joint.neutral(neutral.data());
  joint.difference(neutral.data(), q.data(), v.data());
  joint.difference_tangent_transpose(neutral.data(), q.data(), v.data(), e.data());
  joint.tangent_rate(e.data(), v.data(), v.data());
  joint.configuration_rate(q.data(), v.data(), rate.data());
  joint.normalize(q.data());
  for (int i = 0; i < joint.nv(); ++i) sum[i] += e[i] + v[i];
  for (int i = 0; i < joint.nq(); ++i) sum[i % 6] += rate[i] + q[i];
  sum[0] += joint.constraint_violation(q.data());
  return sum;
}

TEST(MaskScalarTest, JointsNeedNoBranchOnAComparison) {
  EXPECT_LE(difference(use_joint(*make_fixed_joint<M>()), use_joint(*make_fixed_joint<double>())), k_same);
  // normalizing the axis (0.6, 0, 0.8) may change its last bits, the mask scalar skips it
  const double rounding = 40 * std::numeric_limits<double>::epsilon();
  const Vector3T<M> axis_m{M(0.6), M(0.0), M(0.8)}, other_m{M(0.0), M(1.0), M(0.0)};
  const Vector3 axis{0.6, 0.0, 0.8}, other{0.0, 1.0, 0.0};
  EXPECT_LE(difference(use_joint(*make_revolute_joint<M>(axis_m)), use_joint(*make_revolute_joint<double>(axis))),
            rounding);
  EXPECT_LE(difference(use_joint(*make_prismatic_joint<M>(axis_m)), use_joint(*make_prismatic_joint<double>(axis))),
            rounding);
  EXPECT_LE(difference(use_joint(*make_cylindrical_joint<M>(axis_m)), use_joint(*make_cylindrical_joint<double>(axis))),
            rounding);
  EXPECT_LE(difference(use_joint(*make_universal_joint<M>(axis_m, other_m)),
                       use_joint(*make_universal_joint<double>(axis, other))),
            rounding);
  EXPECT_LE(difference(use_joint(*make_planar_joint<M>()), use_joint(*make_planar_joint<double>())), k_same);
  EXPECT_LE(difference(use_joint(*make_spherical_joint<M>()), use_joint(*make_spherical_joint<double>())), k_same);
  EXPECT_LE(difference(use_joint(*make_free_joint<M>()), use_joint(*make_free_joint<double>())), k_same);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
