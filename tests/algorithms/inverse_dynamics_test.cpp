#include "cuttle/algorithms/inverse_dynamics.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "support/random.h"
#include "support/random_state.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// What the terms of M a + c + g + s add up from: rounding errors are relative to it.
double force_scale(const RobotCase& robot, Data& data, const RandomState& s) {
  const MatrixXd M = mass_matrix(robot.model, data, s.q);
  const double Mv = size_of(M.cwiseAbs() * s.v.cwiseAbs());
  return size_of(M.cwiseAbs() * s.a.cwiseAbs()) + Mv * size_of(s.v) + size_of(gravity_force(robot.model, data, s.q)) +
         size_of(elastic_force(robot.model, data, s.q)) + size_of(damping_force(robot.model, data, s.q, s.v));
}

TEST(InverseDynamicsTest, MassMatrixIsSymmetricAndPositiveDefinite) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const MatrixXd M = mass_matrix(robot.model, data, s.q);
    ASSERT_TRUE(M.allFinite());
    EXPECT_EQ(size_of(M - M.transpose()), 0.0) << "halves differ";
    EXPECT_EQ(Eigen::LLT<MatrixXd>(M).info(), Eigen::Success) << "not positive definite";
  });
}

// Two algorithms that share no code must agree; cancellation in the difference sets the tolerance.
TEST(InverseDynamicsTest, MassMatrixColumnsAreForcesOfUnitAccelerations) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const MatrixXd M = mass_matrix(robot.model, data, s.q);
    const int n = robot.model.nv();
    const VectorXd bias = inertial_inverse_dynamics(robot.model, data, s.q, s.v, VectorXd::Zero(n));
    double worst = 0.0;
    for (int j = 0; j < n; ++j) {
      const VectorXd column = inertial_inverse_dynamics(robot.model, data, s.q, s.v, VectorXd::Unit(n, j)) - bias;
      worst = std::max(worst, size_of(column - M.col(j)));
    }
    EXPECT_LE(worst, 1000 * k_eps * (size_of(M) + size_of(bias)));
  });
}

TEST(InverseDynamicsTest, IsAffineInTheAcceleration) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const VectorXd zero = VectorXd::Zero(robot.model.nv());
    const VectorXd at_zero = inverse_dynamics(robot.model, data, s.q, s.v, zero);
    const VectorXd at_a = inverse_dynamics(robot.model, data, s.q, s.v, s.a);
    const VectorXd at_minus_two = inverse_dynamics(robot.model, data, s.q, s.v, -2.0 * s.a);
    const double tolerance = 1000 * k_eps * force_scale(robot, data, s);
    EXPECT_LE(size_of((at_minus_two - at_zero) + 2.0 * (at_a - at_zero)), 4 * tolerance);
    EXPECT_LE(size_of(at_a - at_zero - mass_matrix(robot.model, data, s.q) * s.a), tolerance);
  });
}

TEST(InverseDynamicsTest, IsTheSumOfItsTerms) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    const VectorXd inertial = inertial_inverse_dynamics(model, data, s.q, s.v, s.a);
    const VectorXd c = coriolis_force(model, data, s.q, s.v), g = gravity_force(model, data, s.q),
                   e = elastic_force(model, data, s.q), d = damping_force(model, data, s.q, s.v);
    const MatrixXd M = mass_matrix(model, data, s.q);
    const double tolerance = 1000 * k_eps * force_scale(robot, data, s);
    EXPECT_LE(size_of(inertial - (M * s.a + c)), tolerance);
    EXPECT_LE(size_of(inverse_dynamics(model, data, s.q, s.v, s.a) - (inertial + g + e + d)), tolerance);
    EXPECT_LE(size_of(mass_inverse_dynamics(model, data, s.q, s.v, s.a) - (inertial + g + e + d)), tolerance);
    EXPECT_LE(size_of(data.mass_matrix - M), 1000 * k_eps * size_of(M));
    EXPECT_EQ(size_of(data.mass_matrix - data.mass_matrix.transpose()), 0.0);
  });
}

// v . c = 1/2 v . Mdot v: Coriolis forces only move kinetic energy about.
TEST(InverseDynamicsTest, CoriolisForceTakesTheRateOfTheMassMatrix) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const VectorXd c = coriolis_force(robot.model, data, s.q, s.v);
    const double rate = derivative(
        [&](double t) { return kinetic_energy(robot.model, data, moved(robot.model, s.q, s.v, t), s.v); }, 2e-3);
    // a sum of nv products; the seventh derivative over 140 times 6e-17 is below rounding, eps / h
    const double scale = force_scale(robot, data, s) * s.v.lpNorm<1>() + kinetic_energy(robot.model, data, s.q, s.v);
    EXPECT_NEAR(s.v.dot(c), rate, 1e-10 * scale);
  });
}

TEST(InverseDynamicsTest, GravityAndElasticForceAreGradientsOfEnergies) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const Model& model = robot.model;
        const VectorXd g = gravity_force(model, data, s.q), e = elastic_force(model, data, s.q);
        const double h = 2e-3;
        const double gravity = size_of(g) + std::abs(gravity_energy(model, data, s.q));
        const double elastic = size_of(e) + std::abs(elastic_energy(model, data, s.q));
        for (int k = 0; k < model.nv(); ++k) {
          const VectorXd unit = VectorXd::Unit(model.nv(), k);
          const auto at = [&](double t) { return moved(model, s.q, unit, t); };
          EXPECT_NEAR(g[k], derivative([&](double t) { return gravity_energy(model, data, at(t)); }, h),
                      1e-11 * gravity)
              << "gravity, " << model.velocity_info()[k].name;
          EXPECT_NEAR(e[k], derivative([&](double t) { return elastic_energy(model, data, at(t)); }, h),
                      1e-11 * elastic)
              << "elastic, " << model.velocity_info()[k].name;
        }
      },
      120);
}

TEST(InverseDynamicsTest, KineticEnergyIsThatOfTheMassMatrix) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const double energy = kinetic_energy(robot.model, data, s.q, s.v);
    const MatrixXd M = mass_matrix(robot.model, data, s.q);
    const double scale = s.v.cwiseAbs().dot(M.cwiseAbs() * s.v.cwiseAbs());
    EXPECT_NEAR(energy, 0.5 * s.v.dot(M * s.v), 1000 * k_eps * scale);
    EXPECT_GT(energy, 0.0);
  });
}

TEST(InverseDynamicsTest, DampingTakesEnergy) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    EXPECT_GE(s.v.dot(damping_force(robot.model, data, s.q, s.v)), 0.0);
    EXPECT_EQ(size_of(damping_force(robot.model, data, s.q, VectorXd::Zero(robot.model.nv()))), 0.0);
  });
}

// Forces from an acceleration a change kinetic energy by their power: d/dt 1/2 v M v along q, v with dv/dt = a.
TEST(InverseDynamicsTest, PowerIsTheRateOfKineticEnergy) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const VectorXd force = inertial_inverse_dynamics(robot.model, data, s.q, s.v, s.a);
    const double power = derivative(
        [&](double t) { return kinetic_energy(robot.model, data, moved(robot.model, s.q, s.v, t), s.v + t * s.a); },
        2e-3);
    const double scale = force_scale(robot, data, s) * s.v.lpNorm<1>() + kinetic_energy(robot.model, data, s.q, s.v);
    EXPECT_NEAR(s.v.dot(force), power, 1e-10 * scale);
  });
}

// The momentum of the base is what the base wrench changes, and gravity is all there is when nothing else pushes.
TEST(InverseDynamicsTest, MomentumOfAFloatingRobot) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    if (!robot.plain.floating) return;
    const Model& model = robot.model;
    const VectorXd p = mass_matrix(model, data, s.q) * s.v;
    // armature acts on joints only, so the first six rows are the momentum in base axes
    const Wrench in_base{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
    const Pose world_base = forward_kinematics(model, data, s.q).pose(model.base_frame());
    const auto expected = to_eigen(world_base.act(in_base));
    const auto found = to_eigen(momentum(model, data, s.q, s.v));
    const double scale = size_of(p) * (1.0 + size_of(to_eigen(world_base.position)));
    EXPECT_LE(size_of(found - expected), 1e4 * k_eps * scale);

    // rate of momentum = wrench on the base, in the world: inertial forces only
    const VectorXd force = inertial_inverse_dynamics(model, data, s.q, s.v, s.a);
    const Wrench base_wrench{{force[0], force[1], force[2]}, {force[3], force[4], force[5]}};
    const Eigen::Matrix<double, 6, 1> rate = derivative(
        [&](double t) -> Eigen::Matrix<double, 6, 1> {
          return to_eigen(momentum(model, data, moved(model, s.q, s.v, t), s.v + t * s.a));
        },
        2e-3);
    EXPECT_LE(size_of(to_eigen(world_base.act(base_wrench)) - rate), 1e-9 * (scale + size_of(rate)));
  });
}

TEST(InverseDynamicsTest, ResultsDoNotDependOnEarlierCalls) {
  for_every_robot(
      [](const RobotCase& robot, Data& data, const RandomState& s) {
        const Model& model = robot.model;
        Random random(robot.seed + 77);
        const RandomState other = random_state(model, random);
        const auto all = [&](Data& d, const RandomState& x) {
          std::vector<VectorXd> results;
          results.push_back(inverse_dynamics(model, d, x.q, x.v, x.a));
          results.push_back(inertial_inverse_dynamics(model, d, x.q, x.v, x.a));
          results.push_back(mass_inverse_dynamics(model, d, x.q, x.v, x.a));
          results.push_back(mass_matrix(model, d, x.q).reshaped());
          results.push_back(coriolis_force(model, d, x.q, x.v));
          results.push_back(gravity_force(model, d, x.q));
          results.push_back(elastic_force(model, d, x.q));
          results.push_back(damping_force(model, d, x.q, x.v));
          results.push_back(VectorXd::Constant(1, kinetic_energy(model, d, x.q, x.v)));
          results.push_back(VectorXd::Constant(1, gravity_energy(model, d, x.q)));
          results.push_back(VectorXd::Constant(1, elastic_energy(model, d, x.q)));
          return results;
        };
        const auto expected = all(data, s);
        all(data, other);
        const auto again = all(data, s);
        Data fresh(model);
        const auto first = all(fresh, s);
        // each one alone, right after another state
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(size_of(expected[i] - again[i]), 0.0) << "result " << i;
          EXPECT_EQ(size_of(expected[i] - first[i]), 0.0) << "result " << i;
        }
        inverse_dynamics(model, data, other.q, other.v, other.a);
        EXPECT_EQ(size_of(mass_matrix(model, data, s.q).reshaped() - expected[3]), 0.0);
        mass_matrix(model, data, other.q);
        EXPECT_EQ(size_of(coriolis_force(model, data, s.q, s.v) - expected[4]), 0.0);
      },
      150);
}

// Wrenches in world axes need poses, which are left in data.kinematics: without twists, for there are none of this
// state.
TEST(InverseDynamicsTest, WorldWrenchesLeaveNoTwistsOfAnotherState) {
  for_every_robot([](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    const Frame tip = model.links().back().tip;
    const VectorXd still = VectorXd::Zero(model.nv());
    forward_kinematics(model, data, s.q, s.v, s.a);
    const std::vector<ExternalWrench> push{{tip, {{0.1, 0.2, 0.3}, {1, 2, 3}}, Axes::world}};
    const VectorXd q = model.neutral();
    inverse_dynamics<double>(model, data, q, still, still, push);
    EXPECT_THROW(data.kinematics.velocity_of(tip), ArgumentError);
    EXPECT_THROW(data.kinematics.acceleration_of(tip), ArgumentError);
    const Pose found = data.kinematics.pose(tip);
    EXPECT_EQ(found, forward_kinematics(model, data, q).pose(tip));
  });
}

TEST(InverseDynamicsTest, RefusesWrongArguments) {
  const RobotCase& robot = *standard_cases()[0];
  const Model& model = robot.model;
  ASSERT_GT(model.nv(), 0);
  Data data(model);
  const RandomState& s = robot.state;
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "no error";
  };
  const VectorXd longer = VectorXd::Zero(model.nv() + 1);
  const std::string size = message([&] { inverse_dynamics(model, data, s.q, longer, s.a); });
  EXPECT_NE(size.find("inverse_dynamics: v: found size " + std::to_string(model.nv() + 1)), std::string::npos) << size;
  EXPECT_NE(size.find("expected " + std::to_string(model.nv())), std::string::npos) << size;
  VectorXd bad = s.a;
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  const std::string nan = message([&] { inverse_dynamics(model, data, s.q, s.v, bad); });
  EXPECT_NE(nan.find("inverse_dynamics: a"), std::string::npos) << nan;
  VectorXd bad_q = s.q;
  bad_q[0] = std::numeric_limits<double>::infinity();
  for (const std::string& text :
       {message([&] { inverse_dynamics(model, data, bad_q, s.v, s.a); }),
        message([&] { mass_matrix(model, data, bad_q); }), message([&] { gravity_force(model, data, bad_q); }),
        message([&] { elastic_force(model, data, bad_q); }), message([&] { gravity_energy(model, data, bad_q); }),
        message([&] { forward_kinematics(model, data, bad_q); })}) {
    EXPECT_NE(text.find(": q"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
