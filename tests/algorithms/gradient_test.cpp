// Gradients with respect to parameters by the differentiation type, against differences of rebuilt models.

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/data.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr std::array<const char*, 8> k_parameters{"length", "radius[1]",   "young_modulus", "mass",
                                                  "com.x",  "placement.x", "placement.yaw", "gravity.y"};

Robot arm() {
  RodParameters rod;
  rod.length = 0.4;
  rod.section.radius = Profile(std::vector<double>{0.03, 0.02});
  rod.material = {.density = 1050.0, .young_modulus = 4e5, .damping_time = 0.05};
  rod.strain = strain_shorthand<double>("pac", rod.length);
  rod.quadrature_points = 4;
  RigidParameters rigid;
  rigid.mass = 0.3, rigid.com = {0.05, -0.02, 0.11}, rigid.inertia = SymmetricMatrix3::diagonal(2e-3, 3e-3, 2.5e-3);
  rigid.tip.position = {0.0, 0.01, 0.2};
  Robot robot;
  robot.links.push_back(
      {.name = "rod", .joint = make_revolute_joint<double>({0.2, 1.0, 0.3}), .body = std::make_shared<RodBody>(rod)});
  robot.links.push_back(
      {.name = "hand", .joint = make_spherical_joint<double>(), .body = std::make_shared<RigidBody>(rigid)});
  robot.links[0].joint_dynamics.stiffness = {0.4};
  robot.links[1].parent = {"rod", PortLocation::section(0.3), {Matrix3::identity(), {0.02, 0.03, 0.01}}};
  robot.links.push_back({.name = "finger",
                         .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}),
                         .body = std::make_shared<RodBody>(rod)});
  return robot;
}

/// The arm with each parameter moved by so much: relative for those that are positive.
template <typename S>
RobotT<S> moved(const Robot& given, const std::array<S, 8>& by) {
  RobotT<S> robot = given.cast<S>();
  const S one(1.0);
  auto rod = dynamic_cast<const RodBodyT<S>&>(*robot.links[0].body).parameters();
  rod.length *= one + by[0];
  rod.section.radius.values[1] *= one + by[1];
  *rod.material.young_modulus *= one + by[2];
  robot.links[0].body = std::make_shared<RodBodyT<S>>(rod);
  auto rigid = dynamic_cast<const RigidBodyT<S>&>(*robot.links[1].body).parameters();
  rigid.mass *= one + by[3];
  rigid.com.x += by[4];
  robot.links[1].body = std::make_shared<RigidBodyT<S>>(rigid);
  robot.links[1].parent.pose.position.x += by[5];
  robot.links[1].parent.pose =
      robot.links[1].parent.pose * exponential(TwistT<S>{{S(0.0), S(0.0), by[6]}, {S(0.0), S(0.0), S(0.0)}});
  robot.gravity.y += by[7];
  return robot;
}

class GradientTest : public testing::Test {
 protected:
  const Robot robot = arm();
  const Model model{robot};
  Data data{model};
  VectorXd q = model.neutral(), v = VectorXd::Zero(model.nv()), a = v;

  GradientTest() {
    VectorXd step(model.nv());
    for (int i = 0; i < model.nv(); ++i) {
      step[i] = 0.6 * std::sin(1.3 * i + 0.4), v[i] = std::cos(2.1 * i), a[i] = 1.5 * std::sin(0.7 * i - 1.0);
    }
    integrate(model, VectorXd(q), step, q);
  }

  /// Columns: derivatives of f(model, data) with respect to the eight parameters, both ways.
  template <typename F>
  void expect_gradient(const F& f) {
    std::array<ForwardDual, 8> seeds;
    for (int k = 0; k < 8; ++k) seeds[k] = ForwardDual::variable(0.0, k);
    const ModelT<ForwardDual> seeded(moved<ForwardDual>(robot, seeds));
    DataT<ForwardDual> seeded_data(seeded);
    const VectorXT<ForwardDual> result = f(seeded, seeded_data);
    const VectorXd plain = f(model, data);
    ASSERT_EQ(result.size(), plain.size());
    using Wide = long double;
    const auto at = [&](int k, Wide by) -> VectorXT<Wide> {
      std::array<Wide, 8> shift{};
      shift[k] = by;
      const ModelT<Wide> other(moved<Wide>(robot, shift));
      DataT<Wide> other_data(other);
      return f(other, other_data);
    };
    for (int k = 0; k < 8; ++k) {
      SCOPED_TRACE(k_parameters[k]);
      const Wide h = 5e-4L;  // sixth order: 1e-22 of the seventh derivative; rounding 2 eps / h = 4e-16 of the sums
      const VectorXT<Wide> sum =
          45.0L * (at(k, h) - at(k, -h)) - 9.0L * (at(k, 2 * h) - at(k, -2 * h)) + at(k, 3 * h) - at(k, -3 * h);
      const VectorXd slope = (sum / (60 * h)).cast<double>();
      VectorXd found(result.size());
      for (int i = 0; i < found.size(); ++i) found[i] = result[i].derivative[k];
      EXPECT_GT(slope.norm(), 0.0);
      const double scale = slope.norm() + plain.norm();
      // rounding grows by the condition of the mass matrix, some 1e5 here
      EXPECT_LE((found - slope).norm(), 1e-11 * scale) << "found\n" << found << "\nexpected\n" << slope;
    }
    for (int i = 0; i < plain.size(); ++i) EXPECT_NEAR(result[i].value, plain[i], 2e-11 * plain.norm());  // 1e5 eps
  }
  template <typename S>
  static VectorXT<S> in(const VectorXd& x) {
    return x.cast<S>();
  }
};

TEST_F(GradientTest, InverseDynamics) {
  expect_gradient([&]<typename S>(const ModelT<S>& m, DataT<S>& d) -> VectorXT<S> {
    return inverse_dynamics(m, d, in<S>(q), in<S>(v), in<S>(a));
  });
}

TEST_F(GradientTest, ForwardDynamics) {
  const VectorXd tau = inverse_dynamics(model, data, q, v, a);
  expect_gradient([&]<typename S>(const ModelT<S>& m, DataT<S>& d) -> VectorXT<S> {
    return forward_dynamics(m, d, in<S>(q), in<S>(v), in<S>(tau));
  });
}

TEST_F(GradientTest, EnergiesAndMassMatrix) {
  expect_gradient([&]<typename S>(const ModelT<S>& m, DataT<S>& d) -> VectorXT<S> {
    const MatrixXT<S> M = mass_matrix(m, d, in<S>(q));
    VectorXT<S> all(M.size() + 1);
    for (int i = 0; i < M.size(); ++i) all[i] = M.data()[i];
    all[M.size()] =
        kinetic_energy(m, d, in<S>(q), in<S>(v)) + gravity_energy(m, d, in<S>(q)) + elastic_energy(m, d, in<S>(q));
    return all;
  });
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
