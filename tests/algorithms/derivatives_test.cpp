// Derivatives of the dynamics against central differences in long double, of every kind of joint and body.

#include "cuttle/algorithms/derivatives.h"

#include <gtest/gtest.h>

#include <vector>

#include "algorithms/tendon_robots.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Real = long double;
using VectorXl = VectorXT<Real>;
using MatrixXl = MatrixXT<Real>;

/// A point of the state space, and what acts there.
struct Situation {
  VectorXd q, v, a, u;
  std::vector<ExternalWrench> external;
};

Situation random_situation(const Model& model, Random& random, int wrenches = 0) {
  const RandomState state = random_state(model, random);
  Situation s{state.q, state.v, state.a, VectorXd(model.nu()), {}};
  for (double& x : s.u) x = random.uniform(0.5, 3.0);
  for (int i = 0; i < wrenches; ++i) {
    ExternalWrench e;
    const auto& link = model.links()[random.index(static_cast<int>(model.links().size()))];
    e.frame = random.chance(0.5) ? link.tip : link.base;
    for (int k = 0; k < 6; ++k) e.wrench[k] = random.uniform(-2.0, 2.0);
    e.axes = i % 2 == 0 ? Axes::world : Axes::body;
    s.external.push_back(e);
  }
  return s;
}

/// The force that is differentiated, from the same robot in long double.
class Reference {
 public:
  explicit Reference(const Model& model) : model_(model.robot().cast<Real>()), data_(model_) {}

  VectorXl operator()(const VectorXl& q, const VectorXl& v, const VectorXl& a, const Situation& s) {
    VectorXl force = inverse_dynamics<Real>(model_, data_, q, v, a);
    if (s.u.size() > 0) force -= actuation_force<Real>(model_, data_, q, s.u.cast<Real>());
    std::vector<ExternalWrenchT<Real>> external;
    for (const ExternalWrench& e : s.external) {
      external.push_back({{e.frame.node, e.frame.node_frame.cast<Real>()}, e.wrench.cast<Real>(), e.axes});
    }
    if (!external.empty()) force -= external_force<Real>(model_, data_, q, external);
    return force;
  }

  /// Column k of the derivative by q, v or a, from `f` of a displacement along that direction.
  template <typename F>
  VectorXl slope(const F& f) const {
    // sixth order
    const Real h = 2e-3L;
    return ((45.0L * (f(h) - f(-h)) - 9.0L * (f(2.0L * h) - f(-2.0L * h)) + (f(3.0L * h) - f(-3.0L * h))) / (60.0L * h))
        .eval();
  }

  void derivatives(const Situation& s, MatrixXl& by_q, MatrixXl& by_v, MatrixXl& by_a) {
    const int nv = model_.nv();
    by_q.resize(nv, nv), by_v.resize(nv, nv), by_a.resize(nv, nv);
    const VectorXl q = s.q.cast<Real>(), v = s.v.cast<Real>(), a = s.a.cast<Real>();
    for (int k = 0; k < nv; ++k) {
      const VectorXl e = VectorXl::Unit(nv, k);
      by_q.col(k) = slope([&](Real h) { return (*this)(at(q, h * e), v, a, s); });
      by_v.col(k) = slope([&](Real h) { return (*this)(q, v + h * e, a, s); });
      by_a.col(k) = slope([&](Real h) { return (*this)(q, v, a + h * e, s); });
    }
  }

  VectorXl at(const VectorXl& q, const VectorXl& step) const {
    VectorXl r(q.size());
    integrate<Real>(model_, q, step, r);
    return r;
  }

  ModelT<Real>& model() { return model_; }
  DataT<Real>& data() { return data_; }

 private:
  ModelT<Real> model_;
  DataT<Real> data_;
};

double relative_difference(const MatrixXd& found, const MatrixXl& expected) {
  return static_cast<double>((found.cast<Real>() - expected).norm() / (1e-3L + expected.norm()));
}

/// Relative. The reference is off by h^6 / 140 = 5e-19 of a seventh derivative; the rest is for what cancels in double.
constexpr double k_tolerance = 1e-10;

void expect_derivatives(const Model& model, const Situation& s, const std::string& name) {
  SCOPED_TRACE(name);
  Data data(model);
  DerivativeData d(model);
  const Actions actions{&s.u, s.external};
  inverse_dynamics_derivatives(model, data, d, s.q, s.v, s.a, actions);
  Reference reference(model);
  MatrixXl by_q, by_v, by_a;
  reference.derivatives(s, by_q, by_v, by_a);
  EXPECT_LT(relative_difference(d.by_q, by_q), k_tolerance) << "by q";
  EXPECT_LT(relative_difference(d.by_v, by_v), k_tolerance) << "by v";
  EXPECT_LT(relative_difference(d.by_a, by_a), k_tolerance) << "by a";
  EXPECT_LT(relative_difference(d.by_a, mass_matrix<double>(model, data, s.q).cast<Real>()), 1e-12) << "M";

  // one direction is the same combination of columns
  const MatrixXd q_columns = d.by_q, v_columns = d.by_v, a_columns = d.by_a;
  Random random(7);
  VectorXd dq(model.nv()), dv(model.nv()), da(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    dq[i] = random.uniform(), dv[i] = random.uniform(), da[i] = random.uniform();
  }
  const VectorXd expected = q_columns * dq + v_columns * dv + a_columns * da;
  const VectorXd tangent = inverse_dynamics_tangent(model, data, d, s.q, s.v, s.a, dq, dv, da, actions);
  EXPECT_LT((tangent - expected).norm(), 1e-11 * (1e-3 + expected.norm())) << "tangent";
}

class RandomTreeDerivatives : public testing::TestWithParam<int> {};

TEST_P(RandomTreeDerivatives, AgreeWithDifferencesInLongDouble) {
  const unsigned seed = static_cast<unsigned>(GetParam());
  RandomRobotOptions options;
  options.floating = seed % 2 == 1;
  options.max_links = 6;
  options.continuum_joints = seed % 3 == 2;
  const Model model(to_robot(random_robot(900 + seed, options)));
  Random random(seed);
  expect_derivatives(model, random_situation(model, random, 4), "seed " + std::to_string(seed));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTreeDerivatives, testing::Range(0, 16));

TEST(DerivativesTest, LongChainsOfJointsAgree) {
  RandomRobotOptions options;
  options.rods = false, options.chain = true, options.min_links = options.max_links = 12;
  const Model model(to_robot(random_robot(4, options)));
  Random random(5);
  expect_derivatives(model, random_situation(model, random, 2), "chain");
}

TEST(DerivativesTest, VolumesAreDifferentiatedInsideTheBody) {
  for (const auto& body : {lvp_tube(), lvp_finger(), ritz_block()}) {
    Robot robot;
    robot.links.push_back({.name = "root", .joint = make_spherical_joint<double>(), .body = body});
    robot.links.push_back({.name = "next", .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}), .body = body});
    const Model model(robot);
    Random random(3);
    expect_derivatives(model, random_situation(model, random, 2), body->type_name());
  }
}

TEST(DerivativesTest, TendonsAddTheirStiffness) {
  Robot robot = two_rods_and_a_plate();
  Routing bent = parallel("rod", 0.01, 0.004);
  robot.actuators = {
      Actuator::tendon("along", {helix("rod", 0.01, 0.3, 0.7)}),
      Actuator::tendon("across", {bent, points("plate", {{0.012, 0.0, 0.01}}), parallel("rod2", 0.01, 0.0)}),
      Actuator::joint("motor", "plate", 1)};
  const Model model(robot);
  Random random(11);
  expect_derivatives(model, random_situation(model, random), "tendons");
}

TEST(DerivativesTest, StiffnessAtRestIsSymmetric) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    RandomRobotOptions options;
    options.floating = false, options.quaternion_joints = false, options.max_links = 6;
    const Model model(to_robot(random_robot(40 + seed, options)));
    Random random(seed);
    Situation s = random_situation(model, random);
    s.v.setZero(), s.a.setZero();
    Data data(model);
    DerivativeData d(model);
    inverse_dynamics_derivatives(model, data, d, s.q, s.v, s.a);
    EXPECT_LT((d.by_q - d.by_q.transpose()).norm(), 1e-12 * (1.0 + d.by_q.norm())) << seed;
  }
}

TEST(DerivativesTest, ForwardDynamicsAgreesWithDifferences) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 1, options.max_links = 4;
    const Model model(to_robot(random_robot(70 + seed, options)));
    Random random(seed);
    const Situation s = random_situation(model, random);
    Data data(model);
    DerivativeData d(model);
    forward_dynamics_derivatives(model, data, d, s.q, s.v, s.a);
    Reference reference(model);
    const VectorXl q = s.q.cast<Real>(), v = s.v.cast<Real>(), tau = s.a.cast<Real>();
    MatrixXl by_q(model.nv(), model.nv()), by_v = by_q, by_tau = by_q;
    const auto a = [&](const VectorXl& at_q, const VectorXl& at_v, const VectorXl& at_tau) -> VectorXl {
      return forward_dynamics<Real>(reference.model(), reference.data(), at_q, at_v, at_tau);
    };
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXl e = VectorXl::Unit(model.nv(), k);
      by_q.col(k) = reference.slope([&](Real h) { return a(reference.at(q, 0.1L * h * e), v, tau); }) * 10.0L;
      by_v.col(k) = reference.slope([&](Real h) { return a(q, v + h * e, tau); });
      by_tau.col(k) = reference.slope([&](Real h) { return a(q, v, tau + h * e); });
    }
    EXPECT_LT(relative_difference(d.by_q, by_q), 1e-7) << seed;
    EXPECT_LT(relative_difference(d.by_v, by_v), 1e-7) << seed;
    EXPECT_LT(relative_difference(d.by_a, by_tau), 1e-7) << seed;
  }
}

TEST(DerivativesTest, FramesAgreeWithDifferences) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    RandomRobotOptions options;
    options.floating = seed % 2 == 1, options.max_links = 5;
    const Model model(to_robot(random_robot(120 + seed, options)));
    Random random(seed);
    const Situation s = random_situation(model, random);
    Data data(model);
    DerivativeData d(model);
    inverse_dynamics_derivatives(model, data, d, s.q, s.v, s.a);
    const Frame frame = model.links().back().tip;
    FrameDerivatives found(model);
    frame_derivatives(model, d, frame, found);
    EXPECT_LT((found.jacobian - frame_jacobian<double>(model, data, s.q, frame)).norm(), 1e-11 * found.jacobian.norm());

    Reference reference(model);
    const FrameT<Real> frame_l{frame.node, frame.node_frame.cast<Real>()};
    const auto motion = [&](const VectorXl& q, const VectorXl& v, const VectorXl& a) -> VectorXl {
      const auto& k = forward_kinematics<Real>(reference.model(), reference.data(), q, v, a);
      const TwistT<Real> V = k.velocity_of(frame_l);
      TwistT<Real> A = k.acceleration_of(frame_l);
      A.linear -= k.pose(frame_l).rotation.transpose_times(reference.model().robot().gravity);
      VectorXl r(12);
      for (int i = 0; i < 6; ++i) r[i] = V[i], r[6 + i] = A[i];
      return r;
    };
    const VectorXl q = s.q.cast<Real>(), v = s.v.cast<Real>(), a = s.a.cast<Real>();
    MatrixXl by_q(12, model.nv()), by_v = by_q;
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXl e = VectorXl::Unit(model.nv(), k);
      by_q.col(k) = reference.slope([&](Real h) { return motion(reference.at(q, h * e), v, a); });
      by_v.col(k) = reference.slope([&](Real h) { return motion(q, v + h * e, a); });
    }
    EXPECT_LT(relative_difference(found.velocity_by_q, by_q.topRows(6)), k_tolerance) << seed;
    EXPECT_LT(relative_difference(found.acceleration_by_q, by_q.bottomRows(6)), k_tolerance) << seed;
    EXPECT_LT(relative_difference(found.acceleration_by_v, by_v.bottomRows(6)), k_tolerance) << seed;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
