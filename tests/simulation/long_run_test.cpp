// Watching the energy error must not spoil runs that last much longer than the motion, nor any run that works without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/error.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A robot whose energies are not known, or not what they are.
class Disguise final : public System {
 public:
  /// @param grown  what to make of the energy, by the number of times it was asked for; none: it is not known.
  explicit Disguise(const Model& model, double (*grown)(long) = nullptr) : system_(model, {}), grown_(grown) {}

  const Model& model() const override { return system_.model(); }
  int auxiliary_count() const override { return system_.auxiliary_count(); }
  void rates(double time, VectorInT<double> q, VectorInT<double> v, VectorInT<double> auxiliary, VectorOutT<double> a,
             VectorOutT<double> auxiliary_rate) override {
    system_.rates(time, q, v, auxiliary, a, auxiliary_rate);
  }
  std::optional<EnergyBalance> energy_balance(VectorInT<double> q, VectorInT<double> v,
                                              VectorInT<double> auxiliary) override {
    if (grown_ == nullptr) return std::nullopt;
    auto balance = system_.energy_balance(q, v, auxiliary);
    balance->energy += grown_(++asked_);
    return balance;
  }

 private:
  RobotSystem system_;
  double (*grown_)(long);
  long asked_ = 0;
};

/// A joint with friction, a damped stiff rod and a point mass, as `cuttle new` writes them; it swings for 10 s and
/// rests bent by oblique gravity: at zero, nothing would be rounded.
Robot arm_that_comes_to_rest(const Vector3& gravity = {-4, 0, 9}) {
  Robot robot;
  robot.name = "arm";
  robot.gravity = gravity;
  robot.links.push_back({.name = "upper_arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = test::dynamics({}, {0.01}),
                         .body = test::rigid_body(0.15, {0, 0, 0.06}, {2e-4, 2e-4, 2e-5}, {0, 0, 0.12})});
  RodParameters finger;
  finger.length = 0.25;
  finger.section.radius = Profile(std::vector<double>{0.012, 0.008});
  finger.material.density = 1070;
  finger.material.young_modulus = 5e5;
  finger.material.damping_time = 0.05;
  finger.quadrature_points = 10;
  finger.strain = strain_shorthand<double>("pcc", finger.length);
  robot.links.push_back({.name = "finger", .body = std::make_shared<RodBody>(finger)});
  robot.links.push_back({.name = "weight", .body = test::rigid_body(0.02, {}, {}, {})});
  return robot;
}

State start_of(const Model& model, double angle) {
  State state;
  state.q = model.neutral();
  state.q[0] = angle;
  state.v = VectorXd::Zero(model.nv());
  state.auxiliary = VectorXd::Zero(StateLayout::k_work_count);
  return state;
}

IntegratorOptions method(const std::string& type) {
  IntegratorOptions options;
  options.type = type;
  return options;
}

struct Motion {
  long evaluations = 0;
  double error = 0.0, kinetic = 0.0;  // largest
  State end;
};

/// Outputs every 10 ms for 20 s, then ever more coarsely: all that moves is seen.
Motion run(System& system, const IntegratorOptions& options, double angle, double duration) {
  const Model& model = system.model();
  RobotSystem truth(model, {});
  const auto integrator = make_integrator(system, options);
  integrator->expect_end(duration);
  const State start = start_of(model, angle);
  integrator->restart(start);
  const double energy = truth.energy_balance(start.q, start.v, start.auxiliary)->energy;
  Motion result;
  for (double time = 0.0; time < duration;) {
    time = std::min(time + std::max(0.01, 5e-4 * time), duration);
    integrator->advance(time, duration);
    const State& s = integrator->state();
    const auto balance = truth.energy_balance(s.q, s.v, s.auxiliary);
    result.kinetic = std::max(result.kinetic, balance->kinetic);
    result.error = std::max(result.error, std::abs(balance->energy - balance->work - energy));
  }
  result.evaluations = integrator->statistics().evaluations;
  result.end = integrator->state();
  return result;
}

// However long the rest lasts, it costs at most half more than the plain method, and the promise holds.
TEST(LongRunTest, RestCostsLittle) {
  const Model model(arm_that_comes_to_rest());
  for (const double duration : {1e3, 2e4, 1e5, 1e7}) {
    SCOPED_TRACE(duration);
    Disguise plain(model);
    RobotSystem watched(model, {});
    const Motion before = run(plain, method("bdf"), 0.8, duration), now = run(watched, method("bdf"), 0.8, duration);
    EXPECT_LT(now.evaluations, 1.5 * before.evaluations);
    EXPECT_LT(now.error, 20e-6 * now.kinetic) << now.error / (1e-6 * now.kinetic) << " tolerances";
    EXPECT_LT(now.end.v.norm(), 1e-6);
  }
}

// The same by the simulator, with outputs that are coarser than the motion.
TEST(LongRunTest, CoarseOutputsComplete) {
  const Model model(arm_that_comes_to_rest());
  for (const double angle : {0.0, 0.8}) {
    Scenario s;
    s.duration = 1e5;
    s.output_step = 1e3;
    s.integrator.type = "bdf";
    s.initial["upper_arm"] = {{angle}, {}};
    const Outcome outcome = Simulator(model, s).run({});
    EXPECT_EQ(outcome.time, 1e5);
    EXPECT_LT(outcome.statistics.evaluations, 6000);
  }
}

// Thousands of swings before the pendulum rests: the errors of the motion count, the rest costs nothing.
TEST(LongRunTest, SlowDampingKeepsThePromise) {
  Robot robot = test::pendulum();
  robot.links[0].joint_dynamics = test::dynamics({}, {0.01});  // half of the amplitude in 140 s
  const Model model(robot);
  for (const std::string type : {"bdf", "erk"}) {
    SCOPED_TRACE(type);
    Disguise plain(model);
    RobotSystem watched(model, {});
    const Motion before = run(plain, method(type), 1.5, 1e4), now = run(watched, method(type), 1.5, 1e4);
    EXPECT_LT(now.error, 20e-6 * now.kinetic) << now.error / (1e-6 * now.kinetic) << " tolerances";
    EXPECT_LT(now.evaluations, 1.5 * before.evaluations);
  }
}

// Energies that grow whatever the method does ask for tolerances far below rounding. That may cost, but not the run.
TEST(LongRunTest, NoEnergyEndsARun) {
  const Model model(arm_that_comes_to_rest({7, 0, 7}));
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    SCOPED_TRACE(tolerance);
    IntegratorOptions options = method("bdf");
    options.relative_tolerance = tolerance, options.absolute_tolerance = 1e-2 * tolerance;
    Disguise hopeless(model, [](long asked) { return 1e3 * static_cast<double>(asked); });
    Motion result;
    EXPECT_NO_THROW(result = run(hopeless, options, 0.8, 200.0));
    EXPECT_LT(result.error, 20 * tolerance * result.kinetic);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
