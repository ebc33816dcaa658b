#include "cuttle/model/joint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cuttle/error.h"
#include "support/angles.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::k_pi;
using Real = long double;
using Values = std::vector<Real>;

constexpr Real k_real_eps = std::numeric_limits<Real>::epsilon();
/// Central differences of fourth order with this step: error h^4 ~ 1e-14 times fifth derivatives, rounding eps / h.
constexpr Real k_step = 2e-4L;
constexpr Real k_difference_tolerance = 1e-13L;

/// d f / dt at 0 of a function of one variable: fourth-order central difference.
template <typename F>
auto derivative(const F& f) {
  const Real h = k_step;
  const auto narrow = Real(8) * (f(h) - f(-h));
  return (Real(1) / (12 * h)) * (narrow - (f(2 * h) - f(-2 * h)));
}

Real size(const TwistT<Real>& t) { return std::sqrt(dot(t.angular, t.angular) + dot(t.linear, t.linear)); }

struct JointCase {
  std::string name;
  std::function<std::shared_ptr<const JointT<Real>>()> make;
  std::shared_ptr<const JointT<double>> in_double;
};
std::ostream& operator<<(std::ostream& out, const JointCase& c) { return out << c.name; }

const Vector3T<Real> k_axis{0.3L, -1.2L, 0.7L};
const Vector3T<Real> k_axis2{1.1L, 0.4L, 0.2L};

class EveryJoint : public testing::TestWithParam<JointCase> {
 protected:
  std::shared_ptr<const JointT<Real>> joint = GetParam().make();
  int nq = joint->nq(), nv = joint->nv();
  bool has_rotation_group() const { return nq != nv; }

  Values random_configuration(test::Random& random) const {
    Values q(nq);
    joint->neutral(q.data());
    return integrate(q, random_velocity(random, 1.5));
  }
  Values random_velocity(test::Random& random, double largest = 2.0) const {
    Values v(nv);
    for (Real& x : v) x = random.uniform(-largest, largest);
    return v;
  }
  Values integrate(const Values& q, const Values& dv, Real t = 1) const {
    Values scaled(dv), result(nq);
    for (Real& x : scaled) x *= t;
    joint->integrate(q.data(), scaled.data(), result.data());
    return result;
  }
  Values difference(const Values& q0, const Values& q1) const {
    Values dv(nv);
    joint->difference(q0.data(), q1.data(), dv.data());
    return dv;
  }
  JointMotionT<Real> motion(const Values& q, const Values& v) const {
    JointMotionT<Real> m;
    joint->motion(q.data(), v.data(), m);
    return m;
  }
  PoseT<Real> pose(const Values& q) const { return motion(q, Values(nv)).placement_child; }
};

TEST_P(EveryJoint, SizesAndUnitsAgree) {
  EXPECT_EQ(static_cast<int>(joint->units().size()), nq);
  EXPECT_EQ(static_cast<int>(joint->velocity_units().size()), nv);
  EXPECT_LE(nv, JointMotionT<Real>::k_max_velocities);
  EXPECT_EQ(joint->type_name() + (joint->screw() ? " screw" : ""),
            GetParam().name + (GetParam().name == "revolute" || GetParam().name == "prismatic" ? " screw" : ""));
}

TEST_P(EveryJoint, NeutralIsTheIdentityPose) {
  Values q(nq, 7);
  joint->neutral(q.data());
  const PoseT<Real> g = pose(q);
  EXPECT_EQ(size(logarithm(g)), 0);
  EXPECT_EQ(joint->constraint_violation(q.data()), 0);
}

TEST_P(EveryJoint, RotationIsOrthonormal) {
  test::Random random(11);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix3T<Real> R = pose(random_configuration(random)).rotation;
    const Matrix3T<Real> product = R.transpose() * R;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_LE(std::abs(product(i, j) - (i == j)), 10 * k_real_eps);
    }
  }
}

TEST_P(EveryJoint, VelocityIsTheRateOfThePose) {
  test::Random random(12);
  for (int trial = 0; trial < 10; ++trial) {
    const Values q = random_configuration(random), v = random_velocity(random);
    const PoseT<Real> child_placement = pose(q).inverse();
    const TwistT<Real> rate = derivative([&](Real t) { return logarithm(child_placement * pose(integrate(q, v, t))); });
    const TwistT<Real> velocity = motion(q, v).velocity;
    EXPECT_LT(size(rate - velocity), k_difference_tolerance * (1 + std::pow(size(velocity), 5))) << "trial " << trial;
  }
}

TEST_P(EveryJoint, BiasIsTheRateOfTheVelocityAtZeroAcceleration) {
  test::Random random(13);
  for (int trial = 0; trial < 10; ++trial) {
    const Values q = random_configuration(random), v = random_velocity(random);
    const TwistT<Real> rate = derivative([&](Real t) { return motion(integrate(q, v, t), v).velocity; });
    const JointMotionT<Real> m = motion(q, v);
    EXPECT_LT(size(rate - m.bias), k_difference_tolerance * (1 + std::pow(size(m.velocity), 6))) << "trial " << trial;
  }
}

TEST_P(EveryJoint, SubspaceTimesVelocitiesIsVelocity) {
  test::Random random(14);
  const Values q = random_configuration(random), v = random_velocity(random);
  JointMotionT<Real> without_velocity;
  joint->motion(q.data(), nullptr, without_velocity);
  const JointMotionT<Real> m = motion(q, v);
  TwistT<Real> sum;
  for (int i = 0; i < nv; ++i) sum += v[i] * without_velocity.subspace[i];
  EXPECT_LT(size(sum - m.velocity), 10 * k_real_eps * (1 + size(sum)));
  EXPECT_EQ(size(logarithm(without_velocity.placement_child.inverse() * m.placement_child)), 0);
}

TEST_P(EveryJoint, DifferenceUndoesIntegrate) {
  test::Random random(15);
  for (const Real angle : test::rotation_angles(k_pi)) {
    const Values q = random_configuration(random);
    // a step whose angular part has the given size, so that no other representative is nearer
    Values dv = random_velocity(random);
    if (has_rotation_group()) {
      const Vector3T<Real> w = angle * test::random_direction<Real>(random);
      std::copy_n(Values{w.x, w.y, w.z}.begin(), 3, dv.begin());
    }
    const Values back = difference(q, integrate(q, dv));
    // at pi the opposite rotation is as near; compare where they lead
    if (angle > k_pi * (1 - 1e-14L)) {
      const PoseT<Real> a = pose(integrate(q, dv)), b = pose(integrate(q, back));
      EXPECT_LT(size(logarithm(a.inverse() * b)), 400 * k_real_eps);
      continue;
    }
    for (int i = 0; i < nv; ++i) {
      // 2 atan2(|n|, w) is as exact as |n| and w, the linear part divides by no small number up to pi
      EXPECT_LE(std::abs(back[i] - dv[i]), 200 * k_real_eps)
          << "angle " << static_cast<double>(angle) << ", component " << i;
    }
  }
}

TEST_P(EveryJoint, IntegrateMayWriteOverItsArgument) {
  test::Random random(16);
  Values q = random_configuration(random);
  const Values dv = random_velocity(random), expected = integrate(q, dv);
  joint->integrate(q.data(), dv.data(), q.data());
  EXPECT_EQ(q, expected);
}

TEST_P(EveryJoint, ConfigurationRateIsTheRateOfIntegrate) {
  test::Random random(17);
  for (int trial = 0; trial < 10; ++trial) {
    const Values q = random_configuration(random), v = random_velocity(random);
    Values rate(nq);
    joint->configuration_rate(q.data(), v.data(), rate.data());
    for (int i = 0; i < nq; ++i) {
      const Real expected = derivative([&](Real t) { return integrate(q, v, t)[i]; });
      EXPECT_LE(std::abs(rate[i] - expected), 1e3L * k_difference_tolerance)
          << "trial " << trial << ", component " << i;
    }
  }
}

TEST_P(EveryJoint, SpringForceIsTheGradientOfItsEnergy) {
  test::Random random(18);
  for (const Real angle : {0.0L, 1e-6L, 0.1L, 1.0L, 2.0L, 3.0L, k_pi - 0.01L}) {
    const Values rest = random_configuration(random);
    Values offset = random_velocity(random);
    if (has_rotation_group()) {
      const Vector3T<Real> w = angle * test::random_direction<Real>(random);
      std::copy_n(Values{w.x, w.y, w.z}.begin(), 3, offset.begin());
    }
    const Values q = integrate(rest, offset), v = random_velocity(random, 1.0);
    Values stiffness(nv);
    for (Real& k : stiffness) k = random.uniform(0.5, 3.0);
    const auto energy = [&](const Values& at) {
      const Values e = difference(rest, at);
      Real sum = 0;
      for (int i = 0; i < nv; ++i) sum += stiffness[i] * e[i] * e[i] / 2;
      return sum;
    };
    Values Ke = difference(rest, q), force(nv);
    for (int i = 0; i < nv; ++i) Ke[i] *= stiffness[i];
    joint->difference_tangent_transpose(rest.data(), q.data(), Ke.data(), force.data());
    Real power = 0;
    for (int i = 0; i < nv; ++i) power += force[i] * v[i];
    const Real expected = derivative([&](Real t) { return energy(integrate(q, v, t)); });
    EXPECT_LE(std::abs(power - expected), 1e3L * k_difference_tolerance) << "angle " << static_cast<double>(angle);
  }
}

TEST_P(EveryJoint, ReadsQuaternionsOffTheSphereAsRotations) {
  test::Random random(19);
  const Values q = random_configuration(random), v = random_velocity(random);
  Values off = q;
  if (!has_rotation_group()) {  // every q is a configuration
    EXPECT_EQ(joint->constraint_violation(q.data()), 0);
    joint->normalize(off.data());
    EXPECT_EQ(off, q);
    return;
  }
  for (int i = nq - 4; i < nq; ++i) off[i] *= 1.001L;
  EXPECT_LE(std::abs(joint->constraint_violation(off.data()) - 0.001L), 10 * k_real_eps);
  EXPECT_LT(size(logarithm(pose(q).inverse() * pose(off))), 20 * k_real_eps);
  for (const Real e : difference(q, off)) EXPECT_LE(std::abs(e), 20 * k_real_eps);
  // the rate keeps the norm, whatever it is
  Values rate(nq);
  joint->configuration_rate(off.data(), v.data(), rate.data());
  Real norm_rate = 0;
  for (int i = nq - 4; i < nq; ++i) norm_rate += off[i] * rate[i];
  EXPECT_LE(std::abs(norm_rate), 20 * k_real_eps);
  joint->normalize(off.data());
  for (int i = 0; i < nq; ++i) EXPECT_LE(std::abs(off[i] - q[i]), 10 * k_real_eps);
}

TEST_P(EveryJoint, ExistsForEveryScalar) {
  test::Random random(20);
  const std::unique_ptr<JointT<double>> clone = joint->clone_as(ScalarTag<double>{});
  const std::unique_ptr<JointT<Real>> again = clone->clone_as(ScalarTag<Real>{});
  EXPECT_EQ(clone->type_name(), joint->type_name());
  EXPECT_EQ(again->type_name(), joint->type_name());
  const Values q = random_configuration(random), v = random_velocity(random);
  const std::vector<double> q_double(q.begin(), q.end()), v_double(v.begin(), v.end());
  JointMotionT<double> m, n;
  clone->motion(q_double.data(), v_double.data(), m);
  GetParam().in_double->motion(q_double.data(), v_double.data(), n);
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const JointMotionT<Real> expected = motion(q, v);
  for (const JointMotionT<double>& each : {m, n}) {
    EXPECT_LT(size(each.velocity.cast<Real>() - expected.velocity), 20 * eps);
    EXPECT_LT(size(each.bias.cast<Real>() - expected.bias), 50 * eps);
    EXPECT_LT(size(logarithm(each.placement_child.cast<Real>().inverse() * expected.placement_child)), 20 * eps);
  }
}

template <typename S>
std::vector<std::pair<std::string, std::function<std::shared_ptr<const JointT<S>>()>>> all_joints() {
  const Vector3T<S> a = k_axis.cast<S>(), b = k_axis2.cast<S>();
  return {{"fixed", make_fixed_joint<S>},
          {"revolute", [=] { return make_revolute_joint<S>(a); }},
          {"prismatic", [=] { return make_prismatic_joint<S>(a); }},
          {"cylindrical", [=] { return make_cylindrical_joint<S>(a); }},
          {"universal", [=] { return make_universal_joint<S>(a, b); }},
          {"spherical", make_spherical_joint<S>},
          {"planar", make_planar_joint<S>},
          {"free", make_free_joint<S>}};
}
std::vector<JointCase> joint_cases() {
  std::vector<JointCase> cases;
  const auto in_double = all_joints<double>();
  for (const auto& [name, make] : all_joints<Real>()) {
    cases.push_back({name, make, in_double[cases.size()].second()});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint, testing::ValuesIn(joint_cases()),
                         [](const auto& joint_case) { return joint_case.param.name; });

// What is a convention and no invariant tells: which coordinate is which, and the order of rotations.

PoseT<Real> pose_of(const std::shared_ptr<const JointT<Real>>& joint, const Values& q) {
  JointMotionT<Real> m;
  joint->motion(q.data(), nullptr, m);
  return m.placement_child;
}
void expect_same_pose(const PoseT<Real>& a, const PoseT<Real>& b) {
  EXPECT_LT(size(logarithm(a.inverse() * b)), 20 * k_real_eps);
}
Matrix3T<Real> rotation(const Vector3T<Real>& unit_axis, Real angle) { return rotation_exponential(angle * unit_axis); }

const Vector3T<Real> k_x{1, 0, 0}, k_y{0, 1, 0}, k_z{0, 0, 1};

TEST(Joint, RevoluteTurnsAboutItsNormalizedAxis) {
  expect_same_pose(pose_of(make_revolute_joint<Real>({0, 0, 5}), {0.7L}), {rotation(k_z, 0.7L), {}});
  const ScrewT<Real> screw = *make_revolute_joint<Real>({0, 3, 4})->screw();
  EXPECT_LE(norm(screw.axis - Vector3T<Real>{0, 0.6L, 0.8L}), 2 * k_real_eps);
  EXPECT_EQ(screw.rotation, 1);
  EXPECT_EQ(screw.translation, 0);
}
TEST(Joint, PrismaticMovesAlongItsNormalizedAxis) {
  expect_same_pose(pose_of(make_prismatic_joint<Real>({0, -2, 0}), {0.7L}), {rotation(k_z, 0), {0, -0.7L, 0}});
  const ScrewT<Real> screw = *make_prismatic_joint<Real>({0, -2, 0})->screw();
  EXPECT_EQ(screw.rotation, 0);
  EXPECT_EQ(screw.translation, 1);
}
TEST(Joint, CylindricalHasTheAngleFirst) {
  expect_same_pose(pose_of(make_cylindrical_joint<Real>(k_x), {0.7L, 0.2L}), {rotation(k_x, 0.7L), {0.2L, 0, 0}});
}
TEST(Joint, UniversalTurnsAboutTheFirstAxisThenTheTurnedSecond) {
  expect_same_pose(pose_of(make_universal_joint<Real>(k_x, k_y), {0.7L, 0.2L}),
                   {rotation(k_x, 0.7L) * rotation(k_y, 0.2L), {}});
}
TEST(Joint, PlanarIsTranslationThenRotationAboutZ) {
  expect_same_pose(pose_of(make_planar_joint<Real>(), {0.1L, 0.2L, 0.3L}), {rotation(k_z, 0.3L), {0.1L, 0.2L, 0}});
}
TEST(Joint, SphericalHasTheScalarPartFirst) {
  expect_same_pose(pose_of(make_spherical_joint<Real>(), {std::cos(0.35L), 0, std::sin(0.35L), 0}),
                   {rotation(k_y, 0.7L), {}});
}
TEST(Joint, FreeHasThePositionFirst) {
  expect_same_pose(pose_of(make_free_joint<Real>(), {0.1L, 0.2L, 0.3L, std::cos(0.35L), 0, std::sin(0.35L), 0}),
                   {rotation(k_y, 0.7L), {0.1L, 0.2L, 0.3L}});
}
TEST(Joint, FreeIntegratesOnTheGroup) {
  test::Random random(21);
  const auto joint = make_free_joint<Real>();
  Values q(7), end(7);
  joint->neutral(q.data());
  const TwistT<Real> first = test::random_twist<Real>(random), second = test::random_twist<Real>(random, 2.0);
  Values v(6);
  for (int i = 0; i < 6; ++i) v[i] = first[i];
  joint->integrate(q.data(), v.data(), q.data());
  for (int i = 0; i < 6; ++i) v[i] = second[i];
  joint->integrate(q.data(), v.data(), end.data());
  expect_same_pose(pose_of(joint, end), exponential(first) * exponential(second));
}

TEST(Joint, UniversalRefusesParallelAxes) {
  EXPECT_THROW(make_universal_joint<double>({0, 1, 2}, {0, -2, -4}), ModelError);
  EXPECT_NO_THROW(make_universal_joint<double>({0, 1, 2}, {0, 1, 2.1}));
}

TEST(Joint, RefusesAxesWithoutDirection) {
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const ModelError& error) {
      return error.what();
    }
    return "no error";
  };
  const Vector3 zero{}, x{1, 0, 0}, nan{0, std::nan(""), 1}, infinite{0, 0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(message([&] { make_revolute_joint<double>(zero); }),
            "axis: found [0, 0, 0], expected three finite numbers, not all zero");
  EXPECT_EQ(message([&] { make_universal_joint<double>(x, zero); }),
            "axes[1]: found [0, 0, 0], expected three finite numbers, not all zero");
  EXPECT_THROW(make_prismatic_joint<double>(nan), ModelError);
  EXPECT_THROW(make_cylindrical_joint<double>(infinite), ModelError);
  EXPECT_NO_THROW(make_revolute_joint<double>(Vector3{0, 1e-300, 0}));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
