// double against long double: the same source, three more digits. 100 eps times the sum of absolute terms.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "support/plain_robot.h"
#include "support/random_state.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Wide = VectorXT<long double>;

TEST(LongDoubleTest, AgreesWithDouble) {
  double worst = 0.0;
  for_every_robot([&](const RobotCase& robot, Data& data, const RandomState& s) {
    if (robot.name.find("functions") != std::string::npos) return;  // bases that exist for double only
    const Model& model = robot.model;
    const ModelT<long double> wide(model.robot().cast<long double>());
    DataT<long double> wide_data(wide);
    const Wide q = s.q.cast<long double>(), v = s.v.cast<long double>(), a = s.a.cast<long double>();

    const MatrixXd M = mass_matrix(model, data, s.q);
    const double Ma = size_of(M.cwiseAbs() * s.a.cwiseAbs());
    const double Mvv = size_of(M.cwiseAbs() * s.v.cwiseAbs()) * s.v.lpNorm<1>();
    const VectorXd g = gravity_force(model, data, s.q), e = elastic_force(model, data, s.q);
    const double terms = Ma + Mvv + size_of(g) + size_of(e) + size_of(damping_force(model, data, s.q, s.v));
    const auto compare = [&](const auto& found, const auto& expected, double scale, const char* what) {
      const double error = size_of(found - expected.template cast<double>()) / (scale * k_eps);
      EXPECT_LE(error, 100.0) << what;
      worst = std::max(worst, error);
    };
    compare(M, mass_matrix(wide, wide_data, q), size_of(M), "mass_matrix");
    compare(inverse_dynamics(model, data, s.q, s.v, s.a), inverse_dynamics(wide, wide_data, q, v, a), terms,
            "inverse_dynamics");
    compare(inertial_inverse_dynamics(model, data, s.q, s.v, s.a), inertial_inverse_dynamics(wide, wide_data, q, v, a),
            terms, "inertial_inverse_dynamics");
    compare(mass_inverse_dynamics(model, data, s.q, s.v, s.a), mass_inverse_dynamics(wide, wide_data, q, v, a), terms,
            "mass_inverse_dynamics");
    compare(elastic_force(model, data, s.q), elastic_force(wide, wide_data, q), size_of(e) + 1e-6, "elastic_force");
    const double energy = kinetic_energy(model, data, s.q, s.v);
    EXPECT_NEAR(energy, static_cast<double>(kinetic_energy(wide, wide_data, q, v)),
                100 * k_eps * (energy + s.v.cwiseAbs().dot(M.cwiseAbs() * s.v.cwiseAbs())));

    const Frame tip = model.links().back().tip;
    const FrameT<long double> wide_tip = wide.links().back().tip;
    const MatrixXd J = frame_jacobian(model, data, s.q, tip);
    compare(J, frame_jacobian(wide, wide_data, q, wide_tip), 1.0 + size_of(J), "frame_jacobian");
    const Twist A = forward_kinematics(model, data, s.q, s.v, s.a).acceleration_of(tip);
    const TwistT<long double> wide_A = forward_kinematics(wide, wide_data, q, v, a).acceleration_of(wide_tip);
    // accelerations add up along the chain of links, each with |v|^2 and |a|
    compare(to_eigen(A), to_eigen(wide_A), (1.0 + size_of(J)) * (s.a.lpNorm<1>() + s.v.squaredNorm()), "acceleration");
    const std::vector<ExternalWrench> push{{tip, {{0.3, -0.7, 0.2}, {0.5, 0.4, -0.6}}, Axes::world}};
    const std::vector<ExternalWrenchT<long double>> wide_push{
        {wide_tip, push[0].wrench.cast<long double>(), Axes::world}};
    compare(external_force(model, data, s.q, push), external_force(wide, wide_data, q, wide_push),
            3.0 * (1.0 + size_of(J)), "external_force");

    // accelerations differ by the condition of M; what they say about forces does not
    const VectorXd tau = inverse_dynamics(model, data, s.q, s.v, s.a);
    const VectorXd found = forward_dynamics(model, data, s.q, s.v, tau);
    const Wide exact = forward_dynamics(wide, wide_data, q, v, Wide(tau.cast<long double>()));
    EXPECT_LE(size_of(M * (found - exact.cast<double>())), 1000 * k_eps * (terms + M.norm() * s.a.norm()));
  });
  std::cout << "largest difference: " << worst << " eps of the sum of absolute terms\n";
}

// Inertias about one origin for all would be 10^5 times those of the last links about their joints.
TEST(LongDoubleTest, SmallEntriesOfALongChainsMassMatrixAreExact) {
  Robot robot;
  for (int i = 0; i < 100; ++i) {
    Link link;
    link.name = "link" + std::to_string(i);
    link.joint = i % 5 == 4 ? make_universal_joint<double>({1, 0, 0}, {0, 1, 0})
                            : make_revolute_joint<double>(i % 2 == 0 ? Vector3{1, 0, 0} : Vector3{0, 1, 0});
    RigidParametersT<double> rigid;
    rigid.mass = 0.3, rigid.com = {0.01, 0.02, 0.1}, rigid.inertia = {2e-3, 2e-3, 1e-4, 0, 0, 0};
    rigid.tip.position = {0, 0, 0.2};
    link.body = std::make_shared<const RigidBodyT<double>>(rigid);
    robot.links.push_back(link);
  }
  const Model model(robot);
  const ModelT<long double> wide(model.robot().cast<long double>());
  Data data(model);
  DataT<long double> wide_data(wide);
  VectorXd q(model.nq());
  for (int i = 0; i < model.nq(); ++i) q[i] = 0.03 * std::sin(1.7 * i);
  const MatrixXd M = mass_matrix(model, data, q);
  const MatrixXT<long double> exact = mass_matrix<long double>(wide, wide_data, Wide(q.cast<long double>()));
  for (int i = 0; i < model.nv(); ++i) {
    for (int j = 0; j < model.nv(); ++j) {
      ASSERT_NEAR(M(i, j), static_cast<double>(exact(i, j)), 2e-14 * std::sqrt(M(i, i) * M(j, j))) << i << ", " << j;
    }
  }
}

TEST(LongDoubleTest, ABodyWithoutLongDoubleSaysWhichLink) {
  for (const auto& robot : standard_cases()) {
    if (robot->name.find("functions") == std::string::npos) continue;
    bool has_function = false;
    for (const PlainLink& link : robot->plain.links) {
      if (!link.rod) continue;
      for (const auto& basis : link.rod->strain) has_function = has_function || (basis && basis->basis == "function");
    }
    if (!has_function) continue;
    try {
      robot->model.robot().cast<long double>();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("link_"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
