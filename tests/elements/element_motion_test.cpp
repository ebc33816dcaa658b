// Elements: springs, limits, and a law with a state of its own, in motions, in statics and by their derivatives.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <complex>

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "cuttle/elements/wrench_load.h"
#include "cuttle/error.h"
#include "cuttle/model/transmissions/distance.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/exponential.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// A muscle with a valve of first order: pressure p' = (u - p) / T, tension p (area + slope y) - damping rate.
template <typename S>
class MuscleLaw final : public EffortLaw<MuscleLaw, S, 1, 1, 1> {
 public:
  explicit MuscleLaw(double time_constant) : time_constant_(time_constant) {}
  std::string type_name() const override { return "muscle"; }
  std::vector<CoordinateInfo> inputs() const override { return {{"", "Pa"}}; }
  std::vector<ElementStateInfo> states() const override { return {{"pressure", "Pa", 2e4}}; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    efforts[0] = at.state[0] * (T(1e-4) - T(1e-3) * at.y[0]) - T(0.3) * at.rate[0];
    state_rates[0] = (at.input[0] - at.state[0]) / T(time_constant_);
  }

 private:
  double time_constant_;
};

/// It writes the rate of a state that it does not name.
template <typename S>
class MiscountedLaw final : public EffortLaw<MiscountedLaw, S, 1, 0, 1> {
 public:
  std::string type_name() const override { return "miscounted"; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    efforts[0] = state_rates[0] = at.y[0];
  }
};

Element muscle_along(const std::string& link, double time_constant) {
  Routing routing;
  routing.link = link, routing.offset = {{0.012, 0.0}};
  return {"muscle",
          {std::make_shared<const TendonTransmission>(std::vector{routing})},
          std::make_shared<MuscleLaw<double>>(time_constant)};
}

PortLocation base() { return PortLocation::base(); }

/// A revolute arm, a rod on it and a ball-jointed tip mass: springs between all of them, a limit, a muscle.
Robot robot_with_elements(double time_constant = 0.05) {
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.3, 0.02, "pcs", 0.05)});
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .body = test::rigid_body(0.1, {0.02, 0, 0.03}, {1e-4, 2e-4, 2e-4}, {0, 0, 0.05})});
  const Place ground{"base", base(), {Matrix3::identity(), {0.2, 0.1, 0.0}}};
  const Place ball{"ball", PortLocation::tip(), {Matrix3::identity(), {0.03, 0, 0}}};
  const Place middle{"rod", PortLocation::section(0.15), {Matrix3::identity(), {0.02, 0, 0}}};
  robot.elements.push_back(make_spring<double>("long", ground, ball, {.stiffness = 8.0, .damping = 0.2}));
  robot.elements.push_back(
      make_spring<double>("short", ground, middle, {.stiffness = 20.0, .damping = 0.1, .rest_length = 0.2}));
  robot.elements.push_back(make_joint_limit<double>(
      "stop", "arm", 0, {.lower = -0.4, .upper = 0.3, .stiffness = 30.0, .damping = 0.5, .range = 0.05}));
  robot.elements.push_back(muscle_along("rod", time_constant));
  return robot;
}

// A mass on a spring: the closed form of a damped vibration, and its account of energy.
TEST(Elements, SpringMovesAMassAsItsClosedForm) {
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "cart",
                         .joint = make_prismatic_joint<double>({1, 0, 0}),
                         .body = test::rigid_body(0.5, {0, 0, 0}, {1e-3, 1e-3, 1e-3}, {0, 0, 0})});
  const Place wall{"base", base(), {Matrix3::identity(), {-1.0, 0, 0}}}, cart{"cart", base(), {}};
  const double k = 30.0, d = 0.8, m = 0.5;
  robot.elements.push_back(make_spring<double>("spring", wall, cart, {.stiffness = k, .damping = d}));
  const Model model(robot);
  for (const char* type : {"bdf", "erk", "tsit5", "newmark", "midpoint"}) {
    Scenario s;
    s.duration = 2.0, s.output_step = 0.1;
    s.integrator.type = type;
    if (s.integrator.type == "tsit5" || s.integrator.type == "newmark" || s.integrator.type == "midpoint") {
      s.integrator.step = 1e-3;
    }
    s.initial["cart"] = {{0.2}, {0.0}};
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    const double decay = d / (2 * m), omega = std::sqrt(k / m - decay * decay);
    for (const Sample& sample : memory.samples()) {
      const double t = sample.time;
      const double x = 0.2 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
      EXPECT_NEAR(sample.q[0], x, 2e-5) << type << " at " << t;
      EXPECT_NEAR(sample.elements, 0.5 * k * sample.q[0] * sample.q[0], 1e-12);
    }
    EXPECT_LT(outcome.energy_error, 1e-5) << type;
    EXPECT_GT(memory.samples().back().dissipated, 0.3) << type;
  }
}

// Forces are minus the gradient of the stored energy where nothing is damped: energy differentiated in the direction of
// a velocity.
TEST(Elements, ForcesFollowFromTheStoredEnergy) {
  Robot robot = robot_with_elements();
  robot.elements.pop_back();  // a muscle is driven
  const Model model(robot);
  Data data(model);
  ElementData elements(model);
  test::Random random(3);
  for (int i = 0; i < 10; ++i) {
    const auto state = test::random_state(model, random);
    const VectorXd u = VectorXd::Zero(model.nu());
    const auto energy = [&](double t) {
      VectorXd q = state.q;
      integrate<double>(model, state.q, t * state.v, q);
      element_motion<double>(model, data, q, VectorXd::Zero(model.nv()), elements);
      element_efforts<double>(model, 0.0, u, elements);
      return elements.stored_energy;
    };
    const double h = 1e-4;
    const double slope = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    energy(0.0);
    const double power = (elements.matrix * elements.efforts).dot(state.v);
    EXPECT_NEAR(power, -slope, 1e-7 * (1.0 + std::abs(slope)));
  }
}

// Derivatives of the residual of a step, with states that are solved for, against differences.
TEST(Elements, ResidualDerivativesAgreeWithDifferences) {
  for (const double time_constant : {0.05, 1e-5}) {  // stiff ones too
    const Model model(robot_with_elements(time_constant));
    RobotSystem system(model, {.inputs = {Signal(5e4)}});
    test::Random random(5);
    const VectorXd start = start_of_auxiliary(model);
    const AuxiliaryStates auxiliary{start, 0.01, 0.02};
    for (int i = 0; i < 4; ++i) {
      const auto state = test::random_state(model, random);
      const int nv = model.nv();
      VectorXd r(nv), auxiliary_rate(start.size());
      const auto residual = [&](const VectorXd& dq, const VectorXd& dv) {
        VectorXd q = state.q;
        integrate<double>(model, state.q, dq, q);
        system.residual(0.0, q, state.v + dv, state.a, auxiliary, r, auxiliary_rate);
        return r;
      };
      const VectorXd zero = VectorXd::Zero(nv);
      const DerivativeData& d = system.residual_derivatives(0.0, state.q, state.v, state.a, auxiliary, VectorXd());
      const MatrixXd by_q = d.by_q, by_v = d.by_v;
      const double h = 1e-5;
      for (int k = 0; k < nv; ++k) {
        const VectorXd e = h * VectorXd::Unit(nv, k);
        const auto slope = [&](auto&& at) -> VectorXd {
          return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12 * h);
        };
        const VectorXd q_slope = slope([&](double t) -> VectorXd { return residual(t * e, zero); });
        const VectorXd v_slope = slope([&](double t) -> VectorXd { return residual(zero, t * e); });
        EXPECT_LT((by_q.col(k) - q_slope).norm(), 2e-6 * (1.0 + by_q.norm())) << k;
        EXPECT_LT((by_v.col(k) - v_slope).norm(), 2e-6 * (1.0 + by_v.norm())) << k;
      }
    }
  }
}

// All methods agree, with a valve of a thousandth of the step that an explicit pass over states would not survive.
TEST(Elements, MethodsAgreeAlsoWithStiffStates) {
  for (const double time_constant : {0.05, 1e-5}) {
    const Model model(robot_with_elements(time_constant));
    const auto end_of = [&](const char* type, double step) {
      Scenario s;
      s.duration = 0.3, s.output_step = 0.3;
      s.integrator.type = type;
      if (step > 0.0) {
        s.integrator.step = step;
      } else {
        s.integrator.relative_tolerance = 1e-9, s.integrator.absolute_tolerance = 1e-10;
      }
      // through a stiff valve a jump would be one of the force, after the restart at the jump
      s.inputs["muscle"] = time_constant > 1e-2 ? Signal::step(0.1, 2e4, 6e4) : Signal::ramp(0.1, 0.2, 2e4, 6e4);
      MemoryRecorder memory;
      const Outcome outcome = Simulator(model, s).run({&memory});
      EXPECT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
      EXPECT_NEAR(memory.samples().back().element_states[0], 6e4, time_constant > 1e-2 ? 1e3 : 1.0) << type;
      return memory.samples().back().q;
    };
    const VectorXd exact = end_of("bdf", 0.0);
    double last = 0.0;
    for (const char* type : {"newmark", "midpoint"}) {
      const double coarse = (end_of(type, 4e-3) - exact).norm(), fine = (end_of(type, 2e-3) - exact).norm();
      EXPECT_LT(fine, 2e-3) << type;
      EXPECT_GT(coarse / fine, 2.5) << type << " is of second order";
      last = fine;
    }
    EXPECT_GT(last, 0.0);
  }
}

// An equilibrium is where a motion comes to rest; states rest too.
TEST(Elements, StaticsEndsWhereTheMotionEnds) {
  Robot robot = robot_with_elements();
  robot.links[0].joint_dynamics.damping = {0.5};
  robot.links[2].joint_dynamics.damping = {0.05, 0.05, 0.05};
  robot.links[2].joint_dynamics.stiffness = {0.5, 0.5, 0.5};
  const Model model(robot);
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, {VectorXd::Constant(1, 4e4)}, model.neutral());
  EXPECT_TRUE(found.stable());
  ASSERT_EQ(found.element_states.size(), 1);
  EXPECT_NEAR(found.element_states[0], 4e4, 1e-6);
  Scenario s;
  s.duration = 20.0, s.output_step = 20.0;
  s.integrator.type = "bdf";
  s.inputs["muscle"] = 4e4;
  MemoryRecorder memory;
  Simulator(model, s).run({&memory});
  EXPECT_LT((memory.samples().back().q - found.q).norm(), 1e-4);
}

// Small motions about the equilibrium against differences of the rates of the whole robot, which share no derivative.
TEST(Elements, SmallMotionsFollowFromTheRates) {
  Robot robot = robot_with_elements();
  robot.links[2].joint_dynamics.damping = {0.05, 0.04, 0.03};
  robot.links[2].joint_dynamics.stiffness = {0.5, 0.5, 0.5};
  Fluid water;
  water.density = 1000, water.wake = true;
  robot.loads.push_back(make_fluid_load("rod", water));
  TimedWrench push;
  push.axes = Axes::body, push.force[0] = 0.2, push.force[1] = 0.1, push.force[2] = -0.3;
  robot.loads.push_back(make_wrench_load({"rod", PortLocation::tip(), {}}, push));
  const Model model(robot);
  Data data(model);
  const double u = 4e4;
  StaticLoads loads{VectorXd::Constant(1, u), loads_at(model, 0.0), 0.0};
  const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
  const LinearizedMotion motion = linearized_motion(model, data, loads, found);
  const int nv = model.nv();
  ASSERT_TRUE(motion.motions.isIdentity());
  const Eigen::LLT<MatrixXd> mass(motion.mass);

  RobotSystem system(model, {.inputs = {Signal(u)}});
  const int states = system.auxiliary_count();
  const auto rates = [&](const VectorXd& dq, const VectorXd& v, double dx) {
    VectorXd q = found.q, a(nv), aux_rate(states), aux = VectorXd::Zero(states);
    integrate<double>(model, found.q, dq, q);
    aux[states - 1] = found.element_states[0] + dx;
    system.rates(0.0, q, v, aux, a, aux_rate);
    VectorXd all(nv + 1);
    all << a, aux_rate[states - 1];
    return all;
  };
  const VectorXd zero = VectorXd::Zero(nv);
  EXPECT_LT(rates(zero, zero, 0.0).norm(), 1e-4);  // accelerations of light coordinates; forces rest to 1e-9
  const double h = 1e-6;
  MatrixXd by_q(nv + 1, nv), by_v(nv + 1, nv);
  for (int k = 0; k < nv; ++k) {
    const VectorXd e = h * VectorXd::Unit(nv, k);
    by_q.col(k) = (rates(e, zero, 0.0) - rates(-e, zero, 0.0)) / (2 * h);
    by_v.col(k) = (rates(zero, e, 0.0) - rates(zero, -e, 0.0)) / (2 * h);
  }
  const double dp = 1.0;  // of some 1e4 Pa
  const VectorXd by_state = (rates(zero, zero, dp) - rates(zero, zero, -dp)) / (2 * dp);
  const auto expect_same = [](const MatrixXd& expected, const MatrixXd& difference, const char* what) {
    EXPECT_GT(expected.norm(), 0.0) << what;
    EXPECT_LT((expected - difference).norm(), 1e-6 * expected.norm()) << what;
  };
  expect_same(-mass.solve(motion.stiffness), by_q.topRows(nv), "stiffness");
  expect_same(-mass.solve(motion.damping), by_v.topRows(nv), "damping");
  expect_same(mass.solve(motion.state_force), by_state.head(nv), "force of the state");
  EXPECT_NEAR(motion.state_by_state(0, 0), by_state[nv], 1e-6 * std::abs(by_state[nv]));
  EXPECT_LT((motion.state_by_x - by_q.bottomRows(1)).norm(), 1e-6);
  EXPECT_LT((motion.state_by_rate - by_v.bottomRows(1)).norm(), 1e-6);

  // each mode solves them
  for (const Mode& mode : modes(motion)) {
    const std::complex<double> s = mode.eigenvalue;
    const Eigen::VectorXcd force = (s * s * motion.mass + s * motion.damping + motion.stiffness) * mode.shape;
    const double scale = std::norm(s) * motion.mass.norm() + std::abs(s) * motion.damping.norm() + 1.0;
    EXPECT_LT((force - motion.state_force * mode.states).norm(), 1e-9 * scale) << s;
  }
}

// Six inputs at a frame are an external wrench there; their derivative by q against differences.
TEST(WrenchActuator, ActsAsAnExternalWrench) {
  for (const Axes axes : {Axes::body, Axes::world}) {
    Robot robot = robot_with_elements();
    robot.elements.clear();
    const Place place{"rod", PortLocation::section(0.15), {rotation_exponential(Vector3{0.3, 0.2, 0.1}), {0.02, 0, 0}}};
    robot.markers.push_back({"jets", place});
    robot.actuators = {Actuator::wrench("jets", place, axes), Actuator::joint("motor", "arm")};
    const Model model(robot);
    ASSERT_EQ(model.nu(), 7);
    EXPECT_EQ(model.input_info()[3].name, "jets.fx");
    Data data(model), other(model);
    DerivativeData derivatives(model);
    test::Random random(11);
    for (int i = 0; i < 5; ++i) {
      const auto state = test::random_state(model, random);
      VectorXd u(7);
      for (int k = 0; k < 7; ++k) u[k] = random.uniform(-1.0, 1.0);
      u[6] = 0.0;
      const ExternalWrench wrench{model.marker_frame("jets"), {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}}, axes};
      const VectorXd expected = external_force<double>(model, other, state.q, {&wrench, 1});
      const auto force = [&](const VectorXd& q) -> VectorXd { return actuation_force<double>(model, data, q, u); };
      EXPECT_LT((force(state.q) - expected).norm(), 1e-13);
      EXPECT_LT((actuation_matrix<double>(model, data, state.q) * u - expected).norm(), 1e-13);

      const VectorXd zero = VectorXd::Zero(model.nv());
      inverse_dynamics_derivatives(model, data, derivatives, state.q, zero, zero, {&u});
      const MatrixXd with = derivatives.by_q;
      inverse_dynamics_derivatives(model, data, derivatives, state.q, zero, zero);
      for (int k = 0; k < model.nv(); ++k) {
        const double h = 1e-5;
        const auto moved = [&](double t) {
          VectorXd q = state.q;
          integrate<double>(model, state.q, t * VectorXd::Unit(model.nv(), k), q);
          return force(q);
        };
        const VectorXd slope = (moved(h) - moved(-h)) / (2 * h);
        EXPECT_LT((derivatives.by_q.col(k) - with.col(k) - slope).norm(), 1e-8) << k;
      }
    }
  }
}

TEST(Elements, LimitsHoldAndAreSmooth) {
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, {0, 0, -1})});
  robot.elements.push_back(make_joint_limit<double>(
      "stop", "arm", 0, {.lower = -0.1, .upper = 0.2, .stiffness = 2000.0, .damping = 5.0, .range = 0.01}));
  const Model model(robot);
  Scenario s;
  s.duration = 3.0, s.output_step = 0.01;
  s.initial["arm"] = {{0.0}, {3.0}};
  for (const char* type : {"bdf", "erk"}) {
    s.integrator.type = type;
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_LT(outcome.energy_error, 1e-3 * outcome.peak_kinetic) << type;
    for (const Sample& sample : memory.samples()) {
      EXPECT_LT(sample.q[0], 0.28);
      EXPECT_GT(sample.q[0], -0.18);
    }
  }
  EXPECT_THROW(make_joint_limit<double>("stop", "arm", 0, {.lower = 1, .upper = 0, .stiffness = 1, .range = 1}),
               ModelError);
}

// Wrenches run in packs, elements with states one robot at a time; both as alone.
TEST(Elements, MoveRobotsOfABatchAsAlone) {
  Robot with_elements = robot_with_elements(), with_jets = with_elements;
  with_jets.elements.clear();
  with_jets.actuators = {Actuator::wrench("jets", {"rod", PortLocation::tip(), {}}, Axes::world)};
  for (const auto& [robot, input] : {std::pair(with_elements, "muscle"), std::pair(with_jets, "jets.fx")}) {
    const Model model(robot);
    constexpr int k_count = 9;
    RowMatrixXd q(k_count, model.nq()), v = RowMatrixXd::Zero(k_count, model.nv());
    for (int i = 0; i < k_count; ++i) {
      q.row(i) = model.neutral().transpose();
      q(i, 0) = 0.02 * i;
    }
    RolloutOptions options;
    options.method = "rk4", options.step = 2e-4, options.duration = 0.05;
    options.inputs = {{input, Signal::step(0.02, 0.1, robot.actuators.empty() ? 5e4 : 0.3)}};
    Batch batch(model, k_count);
    if (!robot.elements.empty()) {
      EXPECT_EQ(batch.width(), 1);
    }
    const Rollout rollout = batch.rollout(q, v, options);
    EXPECT_TRUE(batch.all_good());
    for (const int i : {0, k_count - 1}) {
      Scenario s;
      s.duration = s.output_step = options.duration;
      s.integrator.type = "rk4", s.integrator.step = options.step;
      s.inputs = options.inputs;
      s.initial["arm"] = {{q(i, 0)}, {0.0}};
      MemoryRecorder alone;
      Simulator(model, s).run({&alone});
      EXPECT_LT((rollout.q.row(i).transpose() - alone.samples().back().q).norm(), 1e-12);
      EXPECT_GT((rollout.q.row(i) - q.row(i)).norm(), 1e-4);
    }
  }
}

TEST(Elements, ErrorsNameTheElement) {
  const auto message = [](Robot robot) -> std::string {
    try {
      Model model(std::move(robot));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  Robot robot = robot_with_elements();
  robot.elements[0].name = "stop";
  EXPECT_NE(message(robot).find("'stop' again"), std::string::npos);
  robot = robot_with_elements();
  robot.elements[2].through.push_back(std::make_shared<const JointTransmission>("arm"));
  EXPECT_EQ(message(robot), "element 'stop': through: found 2 transmissions, expected 1 (of a joint_limit)");
  robot = robot_with_elements();
  robot.elements[2].law = std::make_shared<MiscountedLaw<double>>();
  EXPECT_EQ(message(robot), "element 'stop': law.states: found 0 names, expected 1, as the law counts");
  robot = robot_with_elements();
  robot.elements[1].through = {std::make_shared<const DistanceTransmission>(Place{"arm"}, Place{"arm"})};
  EXPECT_EQ(message(robot), "element 'short': b: found a place that moves with a, expected one on another link");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
