// The arm of [J], models/jensen2022: its lumped joints against exact rods of the same mass, stiffness and damping.
// docs/accuracy.md states the numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "support/paths.h"
#include "support/random.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

struct Simulated {
  explicit Simulated(const std::string& name, const Overrides& overrides = {})
      : file(load_scenario_file(test::k_source_dir + "/models/jensen2022/" + name + "_scenario.yaml", overrides)),
        model(file.robot) {
    // differences of runs are wanted, not those of their errors
    file.scenario.integrator.relative_tolerance = 1e-9, file.scenario.integrator.absolute_tolerance = 1e-11;
    MemoryRecorder memory;
    outcome = Simulator(model, file.scenario).run({&memory});
    samples = memory.samples();
  }
  Eigen::Vector3d tip(std::size_t sample) const { return to_eigen(samples[sample].tips.back().position); }

  ScenarioFile file;
  Model model;
  Outcome outcome;
  std::vector<Sample> samples;
};

Overrides momentarily_rigid() {
  Overrides all;
  for (const char* joint : {"joint1", "joint2", "joint3"}) {
    all.push_back("robot.links." + std::string(joint) + ".body.momentarily_rigid=true");
  }
  return all;
}

const Simulated& lumped() {
  static const Simulated run("arm");
  return run;
}
const Simulated& rods() {
  static const Simulated run("arm_rods");
  return run;
}
const Simulated& printed() {
  static const Simulated run("arm", momentarily_rigid());
  return run;
}

// Everything but inertia is the same: what differs comes from the lumping alone.
TEST(JensenScenariosTest, RodsHaveTheSameMassSpringsAndPressures) {
  const Model &a = lumped().model, &b = rods().model;
  ASSERT_EQ(a.nv(), b.nv());
  test::Random random(3);
  Data da(a), db(b);
  for (int k = 0; k < 5; ++k) {
    const auto state = test::random_state(a, random);
    const auto same = [&](const VectorXd& x, const VectorXd& y, const char* what) {
      EXPECT_LT((x - y).norm(), 1e-12 * (x.norm() + 1.0)) << what;
    };
    same(gravity_force<double>(a, da, state.q), gravity_force<double>(b, db, state.q), "gravity");
    same(elastic_force<double>(a, da, state.q), elastic_force<double>(b, db, state.q), "springs");
    same(damping_force<double>(a, da, state.q, state.v), damping_force<double>(b, db, state.q, state.v), "damping");
    const MatrixXd pressures = actuation_matrix<double>(a, da, state.q);
    EXPECT_EQ(pressures, (actuation_matrix<double>(b, db, state.q)));
    ASSERT_EQ(pressures.cols(), 12);
  }
  ASSERT_EQ(lumped().samples.size(), rods().samples.size());
  for (std::size_t k = 0; k < lumped().samples.size(); k += 50) {
    EXPECT_EQ(lumped().samples[k].u, rods().samples[k].u);
  }
}

TEST(JensenScenariosTest, EnergyBalances) {
  for (const Simulated* run : {&lumped(), &rods()}) {
    EXPECT_EQ(run->outcome.status, RunStatus::complete);
    EXPECT_LT(run->outcome.energy_error, 20e-9 * run->outcome.peak_kinetic);
  }
}

/// Largest differences of two arms: of their inertial terms at the states of the rods, of their tips at equal times.
struct Difference {
  double mass = 0.0;                 ///< |M - M'| / |M'|, Frobenius
  double own_inertia[3]{};           ///< of each joint, the diagonal entries of M, relative
  double bias = 0.0;                 ///< |c - c'| [N m]
  double tip = 0.0, tip_mean = 0.0;  ///< largest and root mean square [m]
};
Difference difference(const Simulated& found, const Simulated& from) {
  Difference worst;
  Data data(found.model), from_data(from.model);
  const std::vector<Sample>& samples = rods().samples;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const VectorXd &q = samples[k].q, &v = samples[k].v;
    const MatrixXd M = mass_matrix<double>(found.model, data, q),
                   M_from = mass_matrix<double>(from.model, from_data, q);
    worst.mass = std::max(worst.mass, (M - M_from).norm() / M_from.norm());
    for (int i = 0; i < 6; ++i) {
      double& own = worst.own_inertia[i / 2];
      own = std::max(own, std::abs(M(i, i) / M_from(i, i) - 1.0));
    }
    const VectorXd c = coriolis_force<double>(found.model, data, q, v),
                   c_from = coriolis_force<double>(from.model, from_data, q, v);
    worst.bias = std::max(worst.bias, (c - c_from).norm());
    const double tip = (found.tip(k) - from.tip(k)).norm();
    worst.tip = std::max(worst.tip, tip);
    worst.tip_mean += tip * tip / static_cast<double>(samples.size());
  }
  worst.tip_mean = std::sqrt(worst.tip_mean);
  return worst;
}

// As docs/accuracy.md states them, to half a unit of the last digit.
TEST(JensenScenariosTest, LumpedJointsAreThisFarFromRods) {
  const Difference d = difference(lumped(), rods());
  EXPECT_NEAR(d.mass, 0.0081, 0.5e-4);
  EXPECT_NEAR(d.own_inertia[0], 0.0040, 0.5e-4);
  EXPECT_NEAR(d.own_inertia[1], 0.0195, 0.5e-4);
  EXPECT_NEAR(d.own_inertia[2], 0.43, 0.5e-2);
  EXPECT_NEAR(d.bias, 0.064, 0.5e-3);
  EXPECT_NEAR(d.tip, 3.2e-3, 0.5e-4);
  EXPECT_NEAR(d.tip_mean, 0.9e-3, 0.5e-4);
  const Simulated& run = rods();
  Data data(run.model);
  double bias = 0.0, reach = 0.0, bend = 0.0;
  for (std::size_t k = 0; k < run.samples.size(); ++k) {
    const Sample& x = run.samples[k];
    bias = std::max(bias, coriolis_force<double>(run.model, data, x.q, x.v).norm());
    reach = std::max(reach, (run.tip(k) - run.tip(0)).norm());
    for (int i = 0; i < 6; i += 2) bend = std::max(bend, x.q.segment<2>(i).norm());
  }
  EXPECT_NEAR(bias, 2.7, 0.05);
  EXPECT_NEAR(reach, 0.28, 0.005);
  EXPECT_NEAR(bend, 0.74, 0.005);
}

TEST(JensenScenariosTest, ThePrintedForceIsThisFarFromLagranges) {
  const Difference d = difference(printed(), lumped());
  EXPECT_EQ(d.mass, 0.0);
  EXPECT_NEAR(d.bias, 0.027, 0.5e-3);
  EXPECT_NEAR(d.tip, 0.03e-3, 0.5e-5);
  EXPECT_NEAR(printed().outcome.energy_error / printed().outcome.peak_kinetic, 1.1e-3, 0.5e-4);
}

// What an energy balance cannot hold must not make steps short: the printed force costs no more than Lagrange's.
TEST(JensenScenariosTest, ThePrintedForceIsNotTakenForAnErrorOfTheIntegrator) {
  EXPECT_LT(printed().outcome.statistics.evaluations, 1.1 * lumped().outcome.statistics.evaluations);
}

TEST(JensenScenariosTest, ForwardDynamicsUndoesInverseDynamics) {
  for (const Simulated* run : {&lumped(), &printed()}) {
    Data data(run->model);
    test::Random random(7);
    for (int k = 0; k < 5; ++k) {
      const auto state = test::random_state(run->model, random);
      const VectorXd a = forward_dynamics<double>(run->model, data, state.q, state.v, state.a);  // tau = state.a
      const VectorXd tau = inverse_dynamics<double>(run->model, data, state.q, state.v, a);
      EXPECT_LT((tau - state.a).norm(), 1e-12 * (a.norm() + state.a.norm()));
      EXPECT_EQ(mass_matrix<double>(run->model, data, state.q), (mass_matrix<double>(lumped().model, data, state.q)));
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
