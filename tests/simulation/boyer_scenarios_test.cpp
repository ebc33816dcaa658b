// The robots of [B] X, as models/boyer2023 has them: what the paper says of them, where its parameters allow it, laws
// of mechanics, and the implicit method against an explicit one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A scenario of models/boyer2023, simulated.
class Simulated {
 public:
  explicit Simulated(const std::string& name, const Overrides& overrides = {})
      : file(load_scenario_file(test::k_source_dir + "/models/boyer2023/" + name + "_scenario.yaml", overrides)),
        model(file.robot) {
    outcome = Simulator(model, file.scenario).run({&memory_});
  }
  const std::vector<Sample>& samples() const { return memory_.samples(); }
  const Sample& last() const { return samples().back(); }
  const Sample& at(double time) const {
    return samples()[static_cast<std::size_t>(std::llround(time / file.scenario.output_step))];
  }
  Vector3 tip(const Sample& sample, const std::string& link) const {
    return sample.tips[model.link_index(link)].position;
  }
  /// In units of what bdf promises (docs/accuracy.md).
  double energy_error() const {
    return outcome.energy_error / (20 * file.scenario.integrator.relative_tolerance * outcome.peak_kinetic);
  }

  const ScenarioFile file;
  const Model model;
  Outcome outcome;

 private:
  MemoryRecorder memory_;
};

class Cantilever : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Boyer, Cantilever, testing::Values("cantilever_soft", "cantilever_stiff"),
                         [](const auto& rod) { return std::string(rod.param); });

// The shape that the scenario starts from is the static one under gravity and the force before t = 0.
TEST_P(Cantilever, StartsInEquilibriumWithItsLoad) {
  const ScenarioFile file =
      load_scenario_file(test::k_source_dir + "/models/boyer2023/" + std::string(GetParam()) + "_scenario.yaml");
  const Model model(file.robot);
  Data data(model);
  const VectorXd q = Simulator(model, file.scenario).initial_state().q;
  const VectorXd zero = VectorXd::Zero(model.nv());
  std::vector<ExternalWrench> load(load_wrench_count(model));
  load_wrenches<double>(model, -1.0, load);
  const VectorXd pull = external_force<double>(model, data, q, load);
  const VectorXd residual = inverse_dynamics<double>(model, data, q, zero, zero) - pull;
  EXPECT_LT(residual.norm(), 1e-7 * pull.norm());
  load_wrenches<double>(model, 0.0, load);
  EXPECT_EQ(norm(load[0].wrench.force), 0.0);
}

// The shape that [B]'s curves start from: on the side that the force pulls to, not wound up.
TEST_P(Cantilever, StartsOnTheSideThatTheForcePullsTo) {
  const ScenarioFile file =
      load_scenario_file(test::k_source_dir + "/models/boyer2023/" + std::string(GetParam()) + "_scenario.yaml");
  const Model model(file.robot);
  Data data(model);
  const VectorXd q = Simulator(model, file.scenario).initial_state().q;
  const Pose tip = forward_kinematics<double>(model, data, q).pose(model.tip_frame("rod"));
  const double length = std::string(GetParam()) == "cantilever_soft" ? 10.0 : 0.4;
  EXPECT_GT(tip.position.x, 0.7 * length);
  EXPECT_GT(tip.rotation.row0.z, 0.9);  // the rod's end points where the force does
}

TEST_P(Cantilever, SwingsTheSameWithAnExplicitMethod) {
  const double duration = std::string(GetParam()) == "cantilever_soft" ? 2.0 : 0.1;
  const auto with = [&](const char* type) {
    return Simulated(
        GetParam(),
        Overrides{std::string("simulation.integrator.type=") + type, "simulation.integrator.relative_tolerance=1e-9",
                  "simulation.integrator.absolute_tolerance=1e-11", "simulation.duration=" + std::to_string(duration)});
  };
  const Simulated implicit = with("bdf"), explicit_one = with("erk");
  const double length = std::string(GetParam()) == "cantilever_soft" ? 10.0 : 0.4;
  const Vector3 a = implicit.tip(implicit.last(), "rod"), b = explicit_one.tip(explicit_one.last(), "rod");
  EXPECT_LT(norm(a - b), 1e-5 * length);
  EXPECT_GT(norm(a - implicit.tip(implicit.samples().front(), "rod")), 0.3 * length);
  // the paper's method and generalized-alpha tend to the same with the square of the step
  for (const char* method : {"newmark", "generalized_alpha"}) {
    double last = 0.0;
    for (const double step : {duration / 200, duration / 400}) {
      const Simulated run(GetParam(), Overrides{"simulation.integrator={type: " + std::string(method) +
                                                    ", step: " + std::to_string(step) + "}",
                                                "simulation.output_step=" + std::to_string(duration),
                                                "simulation.duration=" + std::to_string(duration)});
      const double error = norm(run.tip(run.last(), "rod") - b);
      EXPECT_LT(error, 0.02 * length) << method;
      if (last > 0.0) {
        EXPECT_NEAR(std::log2(last / error), 2.0, 0.5) << method;
      }
      last = error;
    }
  }
}

TEST_P(Cantilever, KeepsItsEnergy) {
  const Simulated run(GetParam());
  EXPECT_LT(run.energy_error(), 1.0);
  EXPECT_EQ(run.last().dissipated, 0.0);
  for (const Sample& sample : run.samples()) EXPECT_NEAR(run.tip(sample, "rod").y, 0.0, 1e-12);
}

// [B] X.A: the implicit method holds a step of 0.1 s whatever the stiffness. Steps this long tell nothing of the
// motion, but the energy stays of the size that the rod was released with.
TEST(Boyer, StiffCantileverHoldsLongStepsAtAnyStiffness) {
  for (const char* method : {"newmark", "midpoint"}) {
    for (const double modulus : {2e7, 2e8, 2e9, 2e10, 2e11}) {
      const Simulated run("cantilever_stiff", {"robot.materials.plastic.young_modulus=" + std::to_string(modulus),
                                               std::string("simulation.integrator={type: ") + method + ", step: 0.1}",
                                               "simulation.output_step=0.1", "simulation.initial={statics: true}"});
      const Sample& first = run.samples().front();
      const double available =
          first.elastic + 0.5 * 9.81 * 0.4 * 0.4 * 8000 * std::numbers::pi * 1e-6;  // and to hang straight
      EXPECT_EQ(run.outcome.status, RunStatus::complete);
      EXPECT_LT(run.outcome.peak_kinetic, 10.0 * available) << method << " " << modulus;
      EXPECT_LT(run.outcome.energy_error, 10.0 * available) << method << " " << modulus;
      if (std::string(method) == "newmark") continue;
      EXPECT_EQ(run.outcome.statistics.failures, 0) << modulus;
    }
  }
}

class FlyingRod : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Boyer, FlyingRod, testing::Values("flying_rod_soft", "flying_rod_stiff"),
                         [](const auto& rod) { return std::string(rod.param); });

// Newton and Euler for the whole rod: momentum is the impulse of the force, moment of momentum that of the force at the
// place of the lower end and of the torque; the momentum stays when the pulses are over.
TEST_P(FlyingRod, MomentumIsTheImpulseOfTheLoads) {
  const Simulated run(GetParam());
  EXPECT_LT(run.energy_error(), 1.0);
  Data data(run.model);
  std::vector<ExternalWrench> load(1);
  Wrench impulse;
  const auto& samples = run.samples();
  const Vector3 base = run.file.robot.base_pose.position;
  const auto rate = [&](const Sample& sample) {
    load_wrenches<double>(run.model, sample.time, load);
    const Pose start = run.file.robot.base_pose;
    const Vector3 r = base + start.rotation * Vector3{sample.q[0], sample.q[1], sample.q[2]};
    const Wrench& w = load[0].wrench;
    return Wrench{w.torque + cross(r, w.force), w.force};
  };
  for (std::size_t k = 2; k < samples.size(); k += 2) {  // Simpson; the pulse bends at outputs of even number
    impulse +=
        (run.file.scenario.output_step / 3) * (rate(samples[k - 2]) + 4.0 * rate(samples[k - 1]) + rate(samples[k]));
    const Wrench found = momentum<double>(run.model, data, samples[k].q, samples[k].v);
    ASSERT_LT(norm(found.force - impulse.force), 1e-4 * (norm(impulse.force) + 1e-3)) << samples[k].time;
    ASSERT_LT(norm(found.torque - impulse.torque), 1e-4 * (norm(impulse.torque) + 1e-3)) << samples[k].time;
  }
  EXPECT_GT(norm(impulse.torque), 0.5);
}

TEST_P(FlyingRod, TumblesTheSameWithAnExplicitMethod) {
  const auto with = [&](const char* type) {
    return Simulated(GetParam(), Overrides{std::string("simulation.integrator.type=") + type,
                                           "simulation.integrator.relative_tolerance=1e-8",
                                           "simulation.integrator.absolute_tolerance=1e-10", "simulation.duration=4"});
  };
  const Simulated implicit = with("bdf"), explicit_one = with("erk");
  const double length = std::string(GetParam()) == "flying_rod_soft" ? 10.0 : 1.0;
  EXPECT_LT(norm(implicit.tip(implicit.last(), "rod") - explicit_one.tip(explicit_one.last(), "rod")), 1e-5 * length);
}

// X.B: the controller keeps the errors limited; the rods move the payload in a plane.
TEST(Boyer, DronesFollowTheirVelocities) {
  const Simulated run("drones");
  EXPECT_LT(run.energy_error(), 1.0);
  double worst0 = 0.0, worst6 = 0.0, lowest = 0.0, highest = 0.0;
  const Vector3 start0 = run.tip(run.samples()[0], "drone0"), start6 = run.tip(run.samples()[0], "drone6");
  for (const Sample& sample : run.samples()) {
    const double way0 = (1 - std::cos(std::numbers::pi * sample.time)) / std::numbers::pi,
                 way6 = (1 - std::cos(std::numbers::pi * sample.time / 2)) * 2 / std::numbers::pi;
    worst0 = std::max(worst0, std::abs(run.tip(sample, "drone0").z - start0.z - way0));
    worst6 = std::max(worst6, std::abs(run.tip(sample, "drone6").z - start6.z - way6));
    EXPECT_NEAR(run.tip(sample, "payload").y, 0.0, 1e-9);
    lowest = std::min(lowest, run.tip(sample, "payload").z), highest = std::max(highest, run.tip(sample, "payload").z);
  }
  EXPECT_LT(worst0, 0.35);
  EXPECT_LT(worst6, 0.35);
  EXPECT_GT(highest - lowest, 0.5);  // the payload goes along
}

// X.D: it swims forward in its plane; the torque of the tendons is 2 D T1 cos(omega t).
TEST(Boyer, TheSwimmerSwimsForward) {
  const Simulated run("swimmer", {"simulation.duration=4"});
  EXPECT_LT(run.energy_error(), 1.0);
  double before = 0.0;
  for (const double time : {1.0, 2.0, 3.0, 4.0}) {
    const Vector3 nose = run.tip(run.at(time), "head") - run.tip(run.samples()[0], "head");
    EXPECT_GT(nose.x, before + 0.08) << time;
    EXPECT_LT(std::abs(nose.y), 0.1);
    EXPECT_NEAR(nose.z, 0.0, 1e-9);
    before = nose.x;
  }
  for (const Sample& sample : run.samples()) {
    EXPECT_NEAR(0.05 * (sample.u[0] - sample.u[1]), 2.0 * std::cos(5 * std::numbers::pi * sample.time), 1e-9);
  }
}

// Without wake and drag nothing leaves robot and water: their momentum and moment of momentum stay zero, whatever the
// tendons do.
TEST(Boyer, SwimmerAndWaterKeepTheirMomentum) {
  Overrides still{"simulation.duration=1", "robot.loads[2].wake=false"};
  for (const char* load : {"0", "1", "2"}) {
    for (const char* drag : {"normal", "tangential"}) {
      still.push_back(std::string("robot.loads[") + load + "]." + drag + "_drag=0");
    }
  }
  const Simulated run("swimmer", still);
  Data data(run.model);
  std::vector<AddedInertia> added(state_load_count(run.model));
  state_load_inertias<double>(run.model, added);
  double most = 0.0;
  for (const Sample& sample : run.samples()) {
    const Wrench robot = momentum<double>(run.model, data, sample.q, sample.v);
    const auto& kinematics = forward_kinematics<double>(run.model, data, sample.q, sample.v);
    Wrench water;
    for (const auto& x : added) {
      water += kinematics.pose(x.frame).act(x.inertia * kinematics.velocity_of(x.frame));
    }
    most = std::max(most, norm(robot.force));
    EXPECT_LT(norm(robot.force + water.force), 1e-3) << sample.time;
    EXPECT_LT(norm(robot.torque + water.torque), 1e-3) << sample.time;
  }
  EXPECT_GT(most, 0.3);
}

// [B] X.C: a planar robot closed by a spatial pin. The legs bend towards the base, then the first motor's cycles tilt
// the tip (Figs. 11 and 12).
// Against tips that an independent code found, refined until nothing changed.
TEST(Boyer, FallingRodsEndWhereAnIndependentCodeHasThem) {
  struct Fall {
    const char* name;
    double length, x, z;
  };
  for (const Fall& fall :
       {Fall{"falling_rod_stiff", 0.4, 0.394683, -0.062011}, Fall{"falling_rod_soft", 10.0, 7.9297, -5.2478}}) {
    const Simulated run(fall.name);
    EXPECT_EQ(run.outcome.status, RunStatus::complete) << fall.name;
    EXPECT_LT(norm(run.tip(run.last(), "rod") - Vector3{fall.x, 0.0, fall.z}), 2e-4 * fall.length) << fall.name;
    EXPECT_LT(run.outcome.energy_error, 1e-6 * run.outcome.peak_kinetic) << fall.name;
  }
}

TEST(Boyer, ParallelRobotStaysClosedAndTilts) {
  const Simulated run("parallel_robot");
  EXPECT_EQ(run.outcome.status, RunStatus::complete);
  EXPECT_EQ(run.outcome.redundant_rows.size(), 3u);
  for (const Sample& sample : run.samples()) {
    EXPECT_LT(sample.loop_residual.cwiseAbs().maxCoeff(), 1e-9) << sample.time;
    EXPECT_LT(norm(run.tip(sample, "leg1") - run.tip(sample, "leg2")), 1e-9) << sample.time;
  }
  const double start = run.tip(run.at(0.0), "leg2").x;
  EXPECT_NEAR(start, std::sqrt(0.75), 1e-12);
  const Vector3 held = run.tip(run.at(3.9), "leg2");
  EXPECT_LT(held.x, start - 1e-4);  // symmetric, closer to the base
  EXPECT_NEAR(held.y, 0.0, 1e-6);
  for (const double middle : {4.5, 5.5, 6.5}) {  // of the cycles of the torque: each tilts it
    double lowest = 0.0;
    for (const Sample& sample : run.samples()) {
      if (std::abs(sample.time - middle) < 0.3) lowest = std::min(lowest, run.tip(sample, "leg2").y);
    }
    EXPECT_LT(lowest, -0.07) << middle;
  }
  EXPECT_LT(std::abs(run.tip(run.last(), "leg2").y), 0.02);  // afterwards it vibrates
  EXPECT_LT(run.outcome.energy_error, 2e-3 * run.outcome.peak_kinetic);
  // while it holds, the legs push on each other across the axis of symmetry only
  const VectorXd& push = run.at(3.9).multipliers;
  EXPECT_NEAR(push[0], 0.0, 1e-4);
  EXPECT_LT(push[1], -0.1);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
