// Fixed-step methods keep their order on the configuration manifold and never leave it; the adaptive ones follow their
// tolerance. References: closed forms, a plain Runge-Kutta method written here, and the same motion with tiny steps.
#include "cuttle/simulation/integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/algorithms/energy.h"
#include "cuttle/error.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using namespace test;

// Order of convergence on SE(3): a block that tumbles about its unstable axis.
TEST(FixedStepTest, FreeBodyConvergesWithTheMethodsOrder) {
  const Model model(free_body({0.02, 0.035, 0.05}));
  const State start = tumbling(model);
  const auto reference = trajectory(model, fixed("tsit5", 1e-3), start, 2.0);
  expect_order(model, start, 2.0, reference, "rk4", 4, 0.1);
  expect_order(model, start, 2.0, reference, "tsit5", 5, 0.2);
}

// Torque-free symmetric top, closed form: R(t) = exp(t L / I1) exp(t (1/I3 - 1/I1) L_z e_z), L the angular momentum in
// the axes at the start.
TEST(FixedStepTest, SymmetricTopFollowsItsClosedForm) {
  const double I1 = 0.02, I3 = 0.05, t = 3.0;
  const Model model(free_body({I1, I1, I3}, {}));
  State start = start_of(model);
  start.v << 1.2, -0.4, 2.0, 0.0, 0.0, 0.0;
  const Vector3 L{I1 * 1.2, -I1 * 0.4, I3 * 2.0};
  const Matrix3 R =
      rotation_exponential((t / I1) * L) * rotation_exponential(Vector3{0, 0, t * (1 / I3 - 1 / I1) * L.z});
  for (const auto& [options, tolerance] :
       {std::pair(fixed("rk4", 1e-3), 1e-10), std::pair(fixed("tsit5", 1e-3), 1e-12),
        std::pair(adaptive("erk", 1e-10), 1e-8), std::pair(adaptive("bdf", 1e-10), 1e-6)}) {
    const State end = run(model, options, start, t);
    const Matrix3 found = Quaternion{end.q[3], end.q[4], end.q[5], end.q[6]}.matrix();
    double error = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) error = std::max(error, std::abs(found(i, j) - R(i, j)));
    }
    EXPECT_LT(error, tolerance) << options.type;
    EXPECT_LT(end.q.head(3).norm(), 1e-12) << options.type;  // the center of mass rests
  }
}

// The pendulum by a plain RK4 on theta'' = -g sin(theta) in long double with steps of 20 us: error below 1e-15.
TEST(FixedStepTest, PendulumConvergesToAnIndependentSolution) {
  const Model model(pendulum());
  State start = start_of(model);
  start.q << 2.5;
  start.v << 0.7;
  long double q = 2.5L, v = 0.7L;
  const int count = 100000;
  const long double h = 2.0L / count;
  const auto f = [](long double angle) { return -static_cast<long double>(9.81) * std::sin(angle); };
  std::vector<State> reference;
  for (int i = 1; i <= count; ++i) {
    const long double k1 = f(q), k2 = f(q + h / 2 * v), k3 = f(q + h / 2 * v + h * h / 4 * k1),
                      k4 = f(q + h * v + h * h / 2 * k2);
    q += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if (i % (count / 10) != 0) continue;
    reference.push_back(start);
    reference.back().q << static_cast<double>(q);
    reference.back().v << static_cast<double>(v);
  }
  expect_order(model, start, 2.0, reference, "rk4", 4, 0.025);
  expect_order(model, start, 2.0, reference, "tsit5", 5, 0.05);
  EXPECT_LT(distance(model, run(model, adaptive("erk", 1e-10), start, 2.0), reference.back()), 1e-8);
  EXPECT_LT(distance(model, run(model, adaptive("bdf", 1e-10), start, 2.0), reference.back()), 1e-6);
}

// Where coordinates form a vector space, one step is the classical one to rounding.
TEST(FixedStepTest, OneStepOnVectorCoordinatesIsTheClassicalOne) {
  const Model model(pendulum());
  State start = start_of(model);
  start.q << 1.1;
  start.v << -0.4;
  const double h = 0.1, q = 1.1, v = -0.4;
  const auto f = [](double angle) { return -9.81 * std::sin(angle); };
  const double k1 = f(q), k2 = f(q + h / 2 * v), k3 = f(q + h / 2 * (v + h / 2 * k1)), k4 = f(q + h * (v + h / 2 * k2));
  const State end = run(model, fixed("rk4", h), start, h);
  EXPECT_NEAR(end.q[0], q + h * v + h * h / 6 * (k1 + k2 + k3), 1e-15);
  EXPECT_NEAR(end.v[0], v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 4e-15);
}

// Inputs that depend on time are seen at the right instants of a step.
TEST(FixedStepTest, OrderHoldsUnderATimeDependentInput) {
  const Model model(pendulum());
  const State start = start_of(model);
  const std::vector<Signal> inputs{Signal::sine(4.0, 1.3, 0.4, 1.0)};
  const auto reference = trajectory(model, fixed("tsit5", 2e-4), start, 1.0, inputs);
  expect_order(model, start, 1.0, reference, "rk4", 4, 0.025, inputs);
  expect_order(model, start, 1.0, reference, "tsit5", 5, 0.05, inputs);
}

// Order on a product of SO(3), vector coordinates and rods, floating and fixed.
TEST(FixedStepTest, MixedRobotsConvergeWithTheMethodsOrder) {
  const Model arm(test::mixed_arm());
  State start = start_of(arm);
  start.q.head(5) << 0.4, 0.5, -0.5, 0.5, 0.5;
  start.v.setConstant(0.3);
  const std::vector<Signal> input{Signal(0.2)};
  const auto reference = trajectory(arm, fixed("tsit5", 5e-5), start, 0.1, input);
  expect_order(arm, start, 0.1, reference, "rk4", 4, 2e-3, input);
  expect_order(arm, start, 0.1, reference, "tsit5", 5, 1e-3, input);
}

TEST(FixedStepTest, QuaternionsKeepUnitNormOverManySteps) {
  const Model model(free_body({0.02, 0.035, 0.05}));
  for (const char* type : {"rk4", "tsit5"}) {
    const State end = run(model, fixed(type, 1e-3), tumbling(model), 100.0);
    EXPECT_LT(norm_error(model, end.q), 1e-12) << type;
  }
}

TEST(FixedStepTest, StepsEndExactlyAtTheTarget) {
  const Model model(pendulum());
  State start = start_of(model);
  start.q << 0.3;
  IntegratorStatistics statistics;
  State end = run(model, fixed("rk4", 0.1), start, 0.3, {}, &statistics);  // 3 * 0.1 != 0.3 in double
  EXPECT_EQ(end.time, 0.3);
  EXPECT_EQ(statistics.steps, 3);
  EXPECT_EQ(statistics.evaluations, 12);
  end = run(model, fixed("tsit5", 0.1), start, 0.25, {}, &statistics);
  EXPECT_EQ(end.time, 0.25);
  EXPECT_EQ(statistics.steps, 3);  // three equal steps, none longer than asked
  EXPECT_EQ(statistics.evaluations, 18);
}

// Adaptive methods: smaller tolerance, smaller error; unit norm at the output; work and failures are counted.
TEST(AdaptiveTest, ErrorFollowsTheTolerance) {
  const Model model(free_body({0.02, 0.035, 0.05}));
  const State start = tumbling(model);
  const State reference = run(model, fixed("tsit5", 1e-3), start, 2.0);
  for (const char* type : {"erk", "bdf"}) {
    double last = 1.0;
    long steps = 0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      IntegratorStatistics statistics;
      const State end = run(model, adaptive(type, tolerance), start, 2.0, {}, &statistics);
      const double error = distance(model, end, reference);
      EXPECT_LT(error, 3e3 * tolerance) << type;
      EXPECT_LT(error, 0.2 * last) << type << " at " << tolerance;
      EXPECT_LT(norm_error(model, end.q), 1e-12) << type;
      EXPECT_EQ(end.time, 2.0);
      EXPECT_GT(statistics.steps, steps);
      EXPECT_GT(statistics.evaluations, statistics.steps);
      last = error;
      steps = statistics.steps;
    }
  }
}

// A stiff robot (fast damped stretch, slow swing): bdf takes the steps that the slow motion allows, with few
// evaluations each, which needs the right Jacobian; the explicit method must follow the fast modes.
TEST(AdaptiveTest, BdfIsMadeForStiffRobots) {
  Robot robot;
  RodParameters p;
  p.length = 0.3;
  p.section.radius = 0.01;
  p.material.density = 1070;
  p.material.young_modulus = 3e6;
  p.material.damping_time = 0.05;
  p.strain = strain_shorthand<double>("pcs", p.length);
  robot.base_pose.rotation = rotation_exponential(Vector3{0, 1.2, 0});
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .body = test::rigid_body(0.2, {0, 0.01, 0.02}, {1e-3, 1e-3, 1e-3}, {0, 0, 0.05})});
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  const Model model(robot);
  IntegratorStatistics bdf, erk;
  const State implicit = run(model, adaptive("bdf", 1e-6), start_of(model), 0.2, {}, &bdf);
  const State explicit_one = run(model, adaptive("erk", 1e-6), start_of(model), 0.2, {}, &erk);
  EXPECT_LT(distance(model, implicit, explicit_one), 1e-3);
  EXPECT_LT(bdf.steps, 300);
  EXPECT_LT(bdf.evaluations, 5 * bdf.steps);
  EXPECT_LT(bdf.failures, bdf.steps / 5);
  EXPECT_GT(erk.steps, 8 * bdf.steps) << bdf.steps << " of bdf, evaluations " << bdf.evaluations;
  EXPECT_LT(norm_error(model, implicit.q), 1e-12);
}

// Who changes the state between two stretches changes its energy: that is no error to be made up for.
TEST(AdaptiveTest, JumpsOfTheStateCostNothing) {
  const Model model(pendulum());
  for (const char* type : {"erk", "bdf"}) {
    RobotSystem system(model, {});
    State start = start_of(model);
    start.v << 1.0;
    const auto integrator = make_integrator(system, adaptive(type, 1e-6));
    integrator->restart(start);
    integrator->advance(1.0, 1.0);
    const long before = integrator->statistics().steps;
    State kicked = integrator->state();
    kicked.v << 3.0;
    integrator->restart(kicked);
    integrator->advance(2.0, 2.0);
    IntegratorStatistics fresh;
    run(model, adaptive(type, 1e-6), kicked, 2.0, {}, &fresh);
    EXPECT_LT(integrator->statistics().steps - before, 1.1 * fresh.steps) << type;
  }
}

TEST(AdaptiveTest, MaxStepIsKept) {
  const Model model(pendulum());
  for (const char* type : {"erk", "bdf"}) {
    IntegratorOptions options = adaptive(type, 1e-3);
    options.max_step = 1e-3;
    IntegratorStatistics statistics;
    run(model, options, start_of(model), 1.0, {}, &statistics);
    EXPECT_GE(statistics.steps, 1000) << type;
  }
}

TEST(IntegratorTest, DefaultDependsOnTheRobot) {
  EXPECT_EQ(integrator_type(Model(pendulum()), {}), "erk");
  EXPECT_EQ(integrator_type(Model(test::mixed_arm()), {}), "bdf");
  EXPECT_EQ(integrator_type(Model(test::FourBar().robot()), {}), "generalized_alpha");
}

TEST(IntegratorTest, MethodsOfDifferentialEquationsRefuseLoops) {
  const Model model(test::FourBar().robot());
  RobotSystem system(model, {});
  for (const std::string type : {"bdf", "erk", "rk4", "tsit5"}) {
    IntegratorOptions options;
    options.type = type;
    if (type == "rk4" || type == "tsit5") options.step = 0.01;
    try {
      make_integrator(system, options);
      ADD_FAILURE() << type;
    } catch (const ArgumentError& error) {
      EXPECT_EQ(error.what(), "integrator.type: '" + type +
                                  "' cannot hold the closed loop 'pin' of 'four_bar', expected newmark, hht, "
                                  "generalized_alpha, midpoint or energy_conserving");
    }
  }
}

TEST(IntegratorTest, RefusesWrongOptions) {
  EXPECT_EQ(refusal(fixed("euler", 0.1)),
            "integrator.type: found 'euler', expected one of: bdf, erk, rk4, tsit5, newmark, hht, generalized_alpha, "
            "midpoint, energy_conserving");
  IntegratorOptions stepless;
  stepless.type = "rk4";
  EXPECT_EQ(refusal(stepless), "integrator.step: missing, 'rk4' needs a fixed step [s]");
  EXPECT_EQ(refusal(fixed("tsit5", -0.1)), "integrator.step: found -0.1, expected a number >= 1e-12 [s]");
  EXPECT_EQ(refusal(fixed("bdf", 0.1)), "integrator.step: 'bdf' chooses its steps, give tolerances or 'max_step'");
  EXPECT_EQ(refusal(adaptive("erk", 0.0)), "integrator.relative_tolerance: found 0, expected a number in [1e-14, 0.1]");
  IntegratorOptions options = fixed("rk4", 0.1);
  options.max_step = 0.1;
  EXPECT_EQ(refusal(options), "integrator.max_step: 'rk4' takes fixed steps, give 'step'");
}

const RungeKuttaTableau k_heun{{{}, {1.0}}, {0.5, 0.5}, {0.0, 1.0}};

IntegratorOptions heun(double step) { return {.method = runge_kutta_method("heun", k_heun, step)}; }

// A method of a program: the same runs as those of the library, on SE(3) too.
TEST(OwnIntegratorTest, TableausConvergeWithTheirOrder) {
  const Model model(free_body({0.02, 0.035, 0.05}));
  const State start = tumbling(model);
  const auto reference = trajectory(model, fixed("tsit5", 1e-3), start, 2.0);
  expect_order_of(model, start, 2.0, reference, heun, "heun", 2, 0.02);
  EXPECT_EQ(integrator_type(model, heun(0.1)), "heun");
  EXPECT_EQ(integrator_step(heun(0.1)), 0.1);
  // rk4 by its tableau is rk4
  const IntegratorOptions rk4{
      .method = runge_kutta_method(
          "classical",
          {{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {0.0, 0.5, 0.5, 1.0}},
          0.01)};
  const State own = run(model, rk4, start, 1.0), library = run(model, fixed("rk4", 0.01), start, 1.0);
  EXPECT_EQ(own.q, library.q);
  EXPECT_EQ(own.v, library.v);
}

/// v and q in turn: order 1, and the energy error of a pendulum stays bounded.
class SymplecticEuler final : public IntegratorMethod {
  class Run final : public Integrator {
   public:
    Run(System& system, double step) : Integrator(system), step_(step) {}
    void restart(const State& state) override { state_ = state; }
    void advance(double target, double) override {
      const double count = std::max(1.0, std::ceil((target - state_.time) / step_ - 1e-6));
      const double h = (target - state_.time) / count, start = state_.time;
      VectorXd a(state_.v.size()), rate(state_.auxiliary.size());
      for (double i = 0; i < count; ++i) {
        system_.rates(state_.time, state_.q, state_.v, state_.auxiliary, a, rate);
        state_.v += h * a;
        state_.q += h * state_.v;
        state_.auxiliary += h * rate;
        state_.time = i + 1 < count ? start + (i + 1) * h : target;
        ++statistics_.steps;
      }
    }

   private:
    double step_;
  };

 public:
  explicit SymplecticEuler(double step) : step_(step) {}
  std::string type_name() const override { return "symplectic_euler"; }
  std::unique_ptr<Integrator> make(System& system) const override { return std::make_unique<Run>(system, step_); }
  std::optional<double> step() const override { return step_; }

 private:
  double step_;
};

TEST(OwnIntegratorTest, SimulatorTakesIt) {
  const Model model(pendulum());
  Scenario scenario{.duration = 20.0, .output_step = 0.1};
  scenario.initial["arm"] = {{1.0}, {}};
  scenario.integrator.method = std::make_shared<SymplecticEuler>(1e-3);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.integrator, "symplectic_euler");
  EXPECT_EQ(outcome.statistics.steps, 20000);
  // the modified energy that it keeps is off by h / 2 p dV/dq, at most h / 2 times 9.81 times the largest velocity
  EXPECT_LT(outcome.energy_error, 0.5e-3 * 9.81 * std::sqrt(2 * 9.81));
  scenario.integrator = {.type = "tsit5", .step = 1e-3};
  MemoryRecorder reference;
  Simulator(model, scenario).run({&reference});
  for (std::size_t i = 0; i < reference.samples().size(); ++i) {
    EXPECT_NEAR(memory.samples()[i].q[0], reference.samples()[i].q[0], 0.02) << i;  // order 1
  }
}

TEST(OwnIntegratorTest, RefusesWhatDoesNotFit) {
  IntegratorOptions options = heun(0.1);
  options.type = "rk4";
  EXPECT_EQ(refusal(options), "integrator.type: found 'rk4' beside a method 'heun', expected its name or none");
  options.type = "heun";
  EXPECT_EQ(refusal(options), "");
  options.step = 0.1;
  EXPECT_EQ(refusal(options),
            "integrator.step: found 0.1 beside the method 'heun', which has options of its own, expected none");
  options = heun(0.1);
  options.rho_inf = 0.5;
  EXPECT_EQ(refusal(options),
            "integrator.rho_inf: found 0.5 beside the method 'heun', which has options of its own, expected none");
  EXPECT_EQ(refusal({.method = std::make_shared<SymplecticEuler>(-1.0)}),
            "integrator.step: found -1, expected a number >= 1e-12 [s]");
  const Model model(test::FourBar().robot());
  RobotSystem system(model, {});
  try {
    make_integrator(system, heun(0.1));
    ADD_FAILURE();
  } catch (const ArgumentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "integrator.type: 'heun' cannot hold the closed loop 'pin' of 'four_bar', expected newmark, hht, "
              "generalized_alpha, midpoint or energy_conserving");
  }
}

TEST(OwnIntegratorTest, TableausAreChecked) {
  const auto message = [](const RungeKuttaTableau& tableau) -> std::string {
    try {
      tableau.check();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(message(k_heun), "none");
  EXPECT_EQ(message({}), "tableau.b: found nothing, expected a number for each stage");
  EXPECT_EQ(message({{{}, {1.0}}, {0.5, 0.5}, {0.0}}), "tableau.c: found 1 numbers, expected 2, as many as b has");
  EXPECT_EQ(message({{{}}, {0.5, 0.5}, {0.0, 1.0}}), "tableau.a: found 1 rows, expected 2, as many as b has");
  EXPECT_EQ(message({{{}, {1.0, 0.0}}, {0.5, 0.5}, {0.0, 1.0}}),
            "tableau.a[1]: found 2 numbers, expected 1: an explicit method has those left of the diagonal");
  EXPECT_EQ(message({{{}, {1.0}}, {0.5, 0.5}, {0.0, 0.9}}),
            "tableau.c[1]: found 0.9, expected 1, the sum of row 1 of a");
  EXPECT_EQ(message({{{}, {1.0}}, {0.5, 0.4}, {0.0, 1.0}}), "tableau.b: found a sum of 0.9, expected a sum of 1");
  EXPECT_THROW(runge_kutta_method("heun", k_heun, 0.0), ArgumentError);
}

/// Cannot be evaluated once, early; later too wild for any step.
class TroubledSystem final : public System {
 public:
  explicit TroubledSystem(const Model& model) : model_(model) {}
  const Model& model() const override { return model_; }
  int auxiliary_count() const override { return 0; }
  void rates(double time, VectorInT<double>, VectorInT<double>, VectorInT<double>, VectorOutT<double> a,
             VectorOutT<double>) override {
    if (++count_ == 20) throw Error("early trouble");
    a[0] = time < 1.0 ? std::cos(time) : 1e20 * std::sin(1e17 * time);
  }
  int count() const { return count_; }

 private:
  const Model& model_;
  int count_ = 0;
};

TEST(AdaptiveTest, OvercomeTroubleIsNotTheReasonOfALaterFailure) {
  const Model model(pendulum());
  TroubledSystem system(model);
  const auto integrator = make_integrator(system, adaptive("bdf", 1e-6));
  State start = start_of(model);
  start.auxiliary.resize(0);
  integrator->restart(start);
  integrator->advance(0.5, 0.5);
  EXPECT_GT(system.count(), 20);
  try {
    integrator->advance(1.5, 1.5);
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_EQ(std::string(error.what()).find("early trouble"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
