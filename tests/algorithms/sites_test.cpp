// Laws that act at sites, in the equation of motion: derivatives against differences, the book of energy against powers
// that are booked, states against what they solve.

#include "cuttle/algorithms/sites.h"

#include <gtest/gtest.h>

#include "algorithms/static_problem.h"
#include "cuttle/algorithms/kinematics.h"
#include "elements/element_checks.h"
#include "support/toy_contact.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Deep in a plane, so that all sites act in all states.
ToyContactNumbers deep(bool moving) {
  ToyContactNumbers numbers;
  numbers.stiffness = 40.0, numbers.radius = 0.2, numbers.plane = {0.0, 0.0, 3.0}, numbers.slip_length = 0.5;
  if (moving) numbers.plane_velocity = {0.4, -0.3, 0.2};
  return numbers;
}

class Contacts : public testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  Contacts() {
    Robot robot = random_chain(5);
    robot.floating_base = std::get<0>(GetParam());
    robot.links.insert(robot.links.begin(),
                       {.name = "trunk", .body = rigid_body(0.8, {0.02, 0.01, 0.03}, {4e-3, 5e-3, 6e-3}, {0, 0, 0.1})});
    model_ = std::make_unique<Model>(robot);
    add_toy_contact<double>(*model_, deep(std::get<1>(GetParam())), {1, 3, 4}, std::get<2>(GetParam()));
  }
  std::unique_ptr<Model> model_;
};

TEST_P(Contacts, DerivativesAreThoseOfDifferences) {
  const Model& model = *model_;
  RobotSystem system(model);
  const int nv = model.nv();
  Random random(17);
  VectorXd start = start_of_auxiliary(model);
  ASSERT_GT(system.layout().sites, 0);
  for (int sample = 0; sample < 3; ++sample) {
    SCOPED_TRACE("sample " + std::to_string(sample));
    const RandomState state = random_state(model, random);
    for (double& x : system.layout().sites_of(start)) x = random.uniform(-0.1, 0.1);
    const double time = 0.1 * sample;
    const auto moved = [&](const VectorXd& step) {
      VectorXd q = state.q;
      integrate<double>(model, state.q, step, q);
      return q;
    };
    for (const double stiff_factor : {0.0, 0.02, 0.5}) {
      const AuxiliaryStates auxiliary{start, 0.01, stiff_factor};
      VectorXd r(nv), rates(start.size());
      const auto residual = [&](const VectorXd& q, const VectorXd& v) -> VectorXd {
        system.residual(time, q, v, state.a, auxiliary, r, rates);
        return r;
      };
      const DerivativeData& d = system.residual_derivatives(time, state.q, state.v, state.a, auxiliary, VectorXd());
      const MatrixXd by_q = d.by_q, by_v = d.by_v;
      for (int k = 0; k < nv; ++k) {
        const VectorXd e = VectorXd::Unit(nv, k);
        const VectorXd q_slope =
            slope_at_zero([&](double t) -> VectorXd { return residual(moved(t * e), state.v); }, 1e-3);
        const VectorXd v_slope =
            slope_at_zero([&](double t) -> VectorXd { return residual(state.q, state.v + t * e); }, 1e-3);
        EXPECT_LT((by_q.col(k) - q_slope).norm(), 1e-9 * (1.0 + by_q.norm())) << k << ", factor " << stiff_factor;
        EXPECT_LT((by_v.col(k) - v_slope).norm(), 1e-9 * (1.0 + by_v.norm())) << k << ", factor " << stiff_factor;
      }
      // states of the step are solved for: rates are those at the states
      residual(state.q, state.v);
      const VectorXd solved = system.layout().sites_of(start) + stiff_factor * system.layout().sites_of(rates);
      VectorXd given = start, a(nv), given_rates(start.size());
      system.layout().sites_of(given) = solved;
      system.rates(time, state.q, state.v, given, a, given_rates);
      EXPECT_LT((system.layout().sites_of(given_rates) - system.layout().sites_of(rates)).norm(),
                1e-11 * (1.0 + system.layout().sites_of(rates).norm()));
    }
  }
}

TEST_P(Contacts, RatesBalanceTheResidualAndTheEnergy) {
  const Model& model = *model_;
  RobotSystem system(model);
  Random random(23);
  VectorXd start = start_of_auxiliary(model);
  for (int sample = 0; sample < 4; ++sample) {
    SCOPED_TRACE("sample " + std::to_string(sample));
    const RandomState state = random_state(model, random);
    for (double& x : system.layout().sites_of(start)) x = random.uniform(-0.1, 0.1);
    const double time = 0.1 * sample;
    VectorXd a(model.nv()), booked(start.size()), r(model.nv()), rates(start.size());
    system.rates(time, state.q, state.v, start, a, booked);
    system.residual(time, state.q, state.v, a, {start}, r, rates);
    EXPECT_LT(r.norm(), 1e-10 * (1.0 + a.norm()));
    EXPECT_LT((booked - rates).norm(), 1e-10 * (1.0 + booked.norm()));
    const auto energy = [&](double t) {
      VectorXd q = state.q;
      integrate<double>(model, state.q, VectorXd(t * state.v + 0.5 * t * t * a), q);
      return system.energy_balance_at(time + t, q, state.v + t * a, start + t * booked)->energy;
    };
    const double work = booked[RobotSystem::input] + booked[RobotSystem::load] - booked[RobotSystem::dissipated];
    const double size = 1.0 + std::abs(booked[RobotSystem::dissipated]) + a.norm() * state.v.norm();
    EXPECT_NEAR(slope_at_zero(energy, 1e-4), work, 1e-8 * size);
    EXPECT_EQ(std::get<1>(GetParam()), booked[RobotSystem::load] != 0.0);
    EXPECT_GT(system.energy_balance_at(time, state.q, state.v, start)->contacts, 0.0);
  }
}

// At rest bristles follow the way since a start: the stiffness has how they do.
TEST_P(Contacts, StiffnessAtRestIsThatOfDifferences) {
  const Model& model = *model_;
  Data data(model);
  Random random(31);
  for (const auto friction : {StaticLoads::Friction::from_start, StaticLoads::Friction::none}) {
    const VectorXd q = random_state(model, random).q;
    VectorXd way(model.nv());
    for (double& x : way) x = random.uniform(-0.1, 0.1);
    StaticLoads loads;
    loads.friction = friction;
    loads.start.resize(model.nq());
    integrate<double>(model, q, way, loads.start);
    StaticProblem problem(model, data, loads, q, Stepping::imbalance);
    problem.begin(q, 1.0);
    const MatrixXd K = problem.stiffness(VectorXd());
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXd slope = slope_at_zero(
          [&](double t) -> VectorXd {
            VectorXd moved = q;
            integrate<double>(model, q, VectorXd(t * VectorXd::Unit(model.nv(), k)), moved);
            return problem.balance(moved);
          },
          1e-3);
      EXPECT_LT((K.col(k) - slope).norm(), 1e-8 * (1.0 + K.norm())) << k;
    }
  }
}

// What statics finds is at rest: with its bristles nothing accelerates.
TEST(RestingContacts, AnEquilibriumDoesNotMove) {
  Robot robot = random_chain(5);
  for (Link& link : robot.links) {
    if (link.joint) link.joint_dynamics.stiffness.assign(static_cast<std::size_t>(link.joint->nv()), 30.0);
  }
  Model model(robot);
  ToyContactNumbers numbers;
  numbers.stiffness = 2e3, numbers.radius = 0.1, numbers.plane = {0.0, 0.0, 0.25}, numbers.slip_length = 0.05;
  add_toy_contact<double>(model, numbers, {0, 2, 3});
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, {}, model.neutral());
  EXPECT_EQ(found.start, model.neutral());
  RobotSystem system(model);
  VectorXd states = start_of_auxiliary(model), rates(states.size()), a(model.nv());
  system.layout().sites_of(states) = found.site_states;
  system.rates(0.0, found.q, VectorXd::Zero(model.nv()), states, a, rates);
  EXPECT_LT(a.norm(), 1e-6);
  const auto balance = system.energy_balance_at(0.0, found.q, VectorXd::Zero(model.nv()), states);
  ASSERT_TRUE(balance);
  EXPECT_GT(balance->contacts, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Robots, Contacts, testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
