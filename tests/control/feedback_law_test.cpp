// Controllers that set inputs from the motion: against springs and dampers of joints, and by their derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/control/controller.h"
#include "cuttle/error.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/sensors/sensors.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_stiffness = 2.0, k_damping = 0.1;

/// u0 = -k q0 - d v0.
class JointSpring final : public FeedbackLaw<JointSpring> {
 public:
  using FeedbackLaw::FeedbackLaw;
  template <typename T>
  void law(double, const T* q, const T* v, T* u) const {
    u[0] += -T(k_stiffness) * q[0] - T(k_damping) * v[0];
  }
};

/// Anything of all coordinates, quaternions too, for every input.
class Mixture final : public FeedbackLaw<Mixture> {
 public:
  explicit Mixture(const Model& model) : FeedbackLaw(model), nq_(model.nq()), nv_(model.nv()), nu_(model.nu()) {}
  template <typename T>
  void law(double time, const T* q, const T* v, T* u) const {
    T sum(0.3 * time);
    for (int i = 0; i < nq_; ++i) sum += T(0.3 + 0.1 * i) * sin(q[i]) * q[(i + 2) % nq_];
    for (int i = 0; i < nv_; ++i) sum += T(0.2 - 0.03 * i) * v[i] * (T(1.0) + q[i % nq_]);
    for (int i = 0; i < nu_; ++i) u[i] += T(1.0 + i) * sum;
  }

 private:
  int nq_, nv_, nu_;
};

template <typename Law>
class ControllerOf final : public Controller {
 public:
  std::string type_name() const override { return "own"; }
  std::unique_ptr<ControlLaw> bind(const Model& model) const override {
    if (model.nu() == 0) throw ArgumentError("found a robot without inputs, expected one input");
    return std::make_unique<Law>(model);
  }
};

template <typename Law>
std::vector<NamedController> controlled_by() {
  return {{"hold", std::make_shared<ControllerOf<Law>>()}};
}

/// Tension p, of a pressure p' = (u - p) / T, and a part of the input at once.
template <typename S>
class ValveLaw final : public EffortLaw<ValveLaw, S, 1, 1, 1> {
 public:
  std::string type_name() const override { return "valve"; }
  std::vector<CoordinateInfo> inputs() const override { return {{"", "N"}}; }
  std::vector<ElementStateInfo> states() const override { return {{"pressure", "N", 0.1}}; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    efforts[0] = at.state[0] * (T(1.0) - T(2.0) * at.y[0]) + T(0.4) * at.input[0] * at.input[0];
    state_rates[0] = (at.input[0] - at.state[0]) / T(0.01);
  }
};

/// A revolute arm, a rod with a tendon and a muscle, a ball joint.
Robot soft_robot(Slack slack = Slack::allow) {
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.3, 0.02, "pcs", 0.05)});
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .body = test::rigid_body(0.1, {0.02, 0, 0.03}, {1e-4, 2e-4, 2e-4}, {0, 0, 0.05})});
  robot.actuators.push_back(Actuator::joint("motor", "arm"));
  Routing routing;
  routing.link = "rod", routing.offset = {{0.012, 0.0}};
  robot.actuators.push_back(Actuator::tendon("tendon", {routing}, slack));
  routing.offset = {{-0.01, 0.004}};
  robot.elements.push_back({"muscle",
                            {std::make_shared<const TendonTransmission>(std::vector{routing})},
                            std::make_shared<ValveLaw<double>>()});
  return robot;
}

Scenario swing(const std::string& integrator) {
  Scenario s;
  s.duration = 0.5, s.output_step = 0.05;
  s.integrator.type = integrator;
  s.initial["arm"] = {{0.7}, {0.0}};
  return s;
}

TEST(FeedbackLaw, OnAJointIsItsSpringAndDamper) {
  Robot driven = soft_robot(), sprung = driven;
  sprung.links[0].joint_dynamics.stiffness = {k_stiffness};
  sprung.links[0].joint_dynamics.damping = {k_damping};
  const Model a(driven), b(sprung);
  for (const char* type : {"bdf", "erk", "tsit5", "newmark", "generalized_alpha"}) {
    Scenario s = swing(type);
    if (s.integrator.type != "bdf" && s.integrator.type != "erk") s.integrator.step = 1e-3;
    if (s.integrator.type == "tsit5") s.integrator.step = 1e-4;
    MemoryRecorder expected, found;
    Simulator(b, s).run({&expected});
    s.controllers = controlled_by<JointSpring>();
    const Outcome outcome = Simulator(a, s).run({&found});
    ASSERT_EQ(found.samples().size(), expected.samples().size());
    const bool adaptive = s.integrator.type == "bdf" || s.integrator.type == "erk";  // steps differ
    for (std::size_t i = 0; i < found.samples().size(); ++i) {
      const Sample &x = found.samples()[i], &y = expected.samples()[i];
      EXPECT_LT((x.q - y.q).lpNorm<Eigen::Infinity>(), adaptive ? 1e-5 : 1e-9) << type << " at " << x.time;
      EXPECT_NEAR(x.u[0], -k_stiffness * x.q[0] - k_damping * x.v[0], 1e-13);  // as it acts, recorded
      EXPECT_EQ(x.u[1], 0.0);
      // what the controller gives is input: the spring's energy and the damper's loss with the other sign
      const double stored = y.elastic - x.elastic, lost = y.dissipated - x.dissipated;
      const double start = 0.5 * k_stiffness * 0.7 * 0.7;
      EXPECT_NEAR(x.input, start - stored - lost, 2e-4) << type << " at " << x.time;
    }
    EXPECT_LT(outcome.energy_error, 2e-4) << type;
  }
}

TEST(FeedbackLaw, ResidualDerivativesAgreeWithDifferences) {
  for (const Slack slack : {Slack::allow, Slack::clip}) {
    const Model model(soft_robot(slack));
    RobotSystem system(model,
                       {.inputs = {Signal(0.1), Signal(-0.2), Signal(0.3)}, .controllers = controlled_by<Mixture>()});
    test::Random random(5);
    const VectorXd start = start_of_auxiliary(model);
    const AuxiliaryStates auxiliary{start, 0.01, 0.02};
    int clipped = 0;
    for (int i = 0; i < 6; ++i) {
      const auto state = test::random_state(model, random);
      const int nv = model.nv();
      VectorXd r(nv), auxiliary_rate(start.size()), u(model.nu());
      system.inputs(0.4, state.q, state.v, start, u);
      clipped += u[1] == 0.0;
      const auto residual = [&](const VectorXd& dq, const VectorXd& dv) {
        VectorXd q = state.q;
        integrate<double>(model, state.q, dq, q);
        system.residual(0.4, q, state.v + dv, state.a, auxiliary, r, auxiliary_rate);
        return r;
      };
      const VectorXd zero = VectorXd::Zero(nv);
      const DerivativeData& d = system.residual_derivatives(0.4, state.q, state.v, state.a, auxiliary, VectorXd());
      const MatrixXd by_q = d.by_q, by_v = d.by_v;
      for (int k = 0; k < nv; ++k) {
        const VectorXd e = 1e-5 * VectorXd::Unit(nv, k);
        const auto slope = [&](auto&& at) -> VectorXd {
          return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / 12e-5;
        };
        const VectorXd q_slope = slope([&](double t) -> VectorXd { return residual(t * e, zero); });
        const VectorXd v_slope = slope([&](double t) -> VectorXd { return residual(zero, t * e); });
        EXPECT_LT((by_q.col(k) - q_slope).norm(), 2e-6 * (1.0 + by_q.norm())) << k;
        EXPECT_LT((by_v.col(k) - v_slope).norm(), 2e-6 * (1.0 + by_v.norm())) << k;
      }
    }
    if (slack == Slack::clip) {
      EXPECT_TRUE(0 < clipped && clipped < 6) << clipped;  // both sides of the corner
    }
  }
}

// --- laws that read sensors at every instant

/// The arm with a sensor of each kind that no acceleration needs, and one that does.
Robot sensing_robot() {
  Robot robot = soft_robot();
  robot.sensors.push_back({"gauge", make_strain_sensor({"rod", 0.1})});
  robot.sensors.push_back({"gyroscope", make_imu_sensor({"ball", PortLocation::tip(), {}})});
  robot.sensors.push_back({"place", make_frame_position_sensor({"ball", PortLocation::tip(), {}})});
  robot.sensors.push_back({"speed", make_frame_velocity_sensor({"ball", PortLocation::tip(), {}})});
  robot.sensors.push_back({"cable", make_actuator_length_sensor("tendon")});
  robot.sensors.push_back({"pull", make_actuator_force_sensor("motor")});
  robot.sensors.push_back({"energies", make_energy_sensor()});
  return robot;
}

constexpr double k_gain = 0.4;  // of a curvature [N m^2]

/// A gauge on the rod says what its coordinate says: of constant strain, whose coordinates are in rad.
class GaugeLaw final : public FeedbackLaw<GaugeLaw> {
 public:
  using FeedbackLaw::FeedbackLaw;
  std::vector<std::string> sensors() const override { return {"gauge"}; }
  template <typename T>
  void law(double, const T*, const T* v, const T* readings, T* u) const {
    u[0] += T(-k_gain) * readings[1] - T(k_damping) * v[0];
  }
};
class CurvatureLaw final : public FeedbackLaw<CurvatureLaw> {
 public:
  using FeedbackLaw::FeedbackLaw;
  template <typename T>
  void law(double, const T* q, const T* v, T* u) const {
    u[0] += T(-k_gain / 0.3) * q[2] - T(k_damping) * v[0];
  }
};

/// Of places and velocities in space, lengths, what an earlier law pulls, energies with those of elements; in another
/// order than the robot has them.
class SensingLaw final : public FeedbackLaw<SensingLaw> {
 public:
  using FeedbackLaw::FeedbackLaw;
  std::vector<std::string> sensors() const override { return {"speed", "place", "cable", "pull", "energies"}; }
  template <typename T>
  void law(double, const T*, const T* v, const T* readings, T* u) const {
    const T* speed = readings;                          // wx, wy, wz, vx, vy, vz
    const T *place = readings + 6, *cable = place + 7;  // x, y, z, quaternion; length, rate
    const T *pull = cable + 2, *energy = pull + 1;      // torque of the motor; kinetic, gravity, elastic, elements
    u[0] += T(0.8) * (T(0.1) - place[0]) - T(0.05) * speed[3] - T(0.02) * speed[1] + T(0.1) * place[5] * place[2];
    u[1] += T(-40.0) * cable[0] - T(2.0) * cable[1] + T(0.3) * pull[0];
    u[2] += T(0.1) * energy[0] - T(0.2) * energy[1] + T(0.05) * energy[2] * energy[3] + T(0.01) * v[0];
  }
};

std::vector<NamedController> spring_and_senses() {
  return {{"first", std::make_shared<ControllerOf<JointSpring>>()},
          {"senses", std::make_shared<ControllerOf<SensingLaw>>()}};
}

TEST(SensingLaws, AGaugeIsTheCoordinateThatItMeasures) {
  const Model model(sensing_robot());
  for (const char* type : {"rk4", "newmark", "generalized_alpha", "midpoint"}) {
    Scenario s = swing(type);
    s.duration = 0.2, s.integrator.step = std::string(type) == "rk4" ? 1e-4 : 1e-3;
    MemoryRecorder found, expected;
    s.controllers = controlled_by<GaugeLaw>();
    Simulator(model, s).run({&found});
    s.controllers = controlled_by<CurvatureLaw>();
    Simulator(model, s).run({&expected});
    for (std::size_t i = 0; i < found.samples().size(); ++i) {
      EXPECT_LT((found.samples()[i].q - expected.samples()[i].q).lpNorm<Eigen::Infinity>(), 1e-9) << type;
    }
    EXPECT_GT(std::abs(found.samples().back().u[0]), 1e-3);
  }
}

TEST(SensingLaws, RunWithEveryIntegrator) {
  const Model model(sensing_robot());
  const auto run = [&](const char* type, double step) {
    Scenario s = swing(type);
    s.duration = 0.2;
    if (step > 0.0) s.integrator.step = step;
    if (step == 0.0) s.integrator.relative_tolerance = 1e-9, s.integrator.absolute_tolerance = 1e-11;
    s.controllers = spring_and_senses();
    MemoryRecorder recorder;
    const Outcome outcome = Simulator(model, s).run({&recorder});
    EXPECT_LT(outcome.energy_error, 2e-3 * (outcome.peak_energy + outcome.peak_kinetic)) << type;
    return recorder.samples();
  };
  const std::vector<Sample> expected = run("bdf", 0.0);
  EXPECT_GT(expected.back().u.cwiseAbs().minCoeff(), 1e-4);
  for (const auto& [type, step] : {std::pair{"erk", 0.0},
                                   {"rk4", 1e-4},
                                   {"tsit5", 1e-4},
                                   {"newmark", 5e-4},
                                   {"hht", 5e-4},
                                   {"generalized_alpha", 5e-4},
                                   {"midpoint", 5e-4},
                                   {"energy_conserving", 5e-4}}) {
    const std::vector<Sample> found = run(type, step);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double tolerance = step == 0.0 || step == 1e-4 ? 1e-6 : 2e-3;  // of order 2: as in library_laws_test.cpp
      EXPECT_LT((found[i].q - expected[i].q).lpNorm<Eigen::Infinity>(), tolerance) << type << " at " << found[i].time;
    }
  }
}

TEST(SensingLaws, ResidualDerivativesAgreeWithDifferences) {
  const Model model(sensing_robot());
  RobotSystem system(model, {.inputs = {Signal(0.1), Signal(-0.2), Signal(0.3)}, .controllers = spring_and_senses()});
  test::Random random(8);
  const VectorXd start = start_of_auxiliary(model);
  const AuxiliaryStates auxiliary{start, 0.01, 0.02};
  const int nv = model.nv();
  for (int i = 0; i < 3; ++i) {
    const auto state = test::random_state(model, random);
    VectorXd r(nv), auxiliary_rate(start.size());
    const auto residual = [&](const VectorXd& dq, const VectorXd& dv) {
      VectorXd q = state.q;
      integrate<double>(model, state.q, dq, q);
      system.residual(0.4, q, state.v + dv, state.a, auxiliary, r, auxiliary_rate);
      return r;
    };
    const VectorXd zero = VectorXd::Zero(nv);
    const DerivativeData& d = system.residual_derivatives(0.4, state.q, state.v, state.a, auxiliary, VectorXd());
    const MatrixXd by_q = d.by_q, by_v = d.by_v;
    for (int k = 0; k < nv; ++k) {
      const VectorXd e = 1e-4 * VectorXd::Unit(nv, k);
      const auto slope = [&](auto&& at) -> VectorXd {
        return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / 12e-4;
      };
      const VectorXd q_slope = slope([&](double t) -> VectorXd { return residual(t * e, zero); });
      const VectorXd v_slope = slope([&](double t) -> VectorXd { return residual(zero, t * e); });
      EXPECT_LT((by_q.col(k) - q_slope).norm(), 2e-6 * (1.0 + by_q.norm())) << k;
      EXPECT_LT((by_v.col(k) - v_slope).norm(), 2e-6 * (1.0 + by_v.norm())) << k;
    }
  }
}

template <int Which>
class WantingLaw final : public FeedbackLaw<WantingLaw<Which>> {
 public:
  using FeedbackLaw<WantingLaw<Which>>::FeedbackLaw;
  std::vector<std::string> sensors() const override { return {Which == 0 ? "gyroscope" : "gage"}; }
  template <typename T>
  void law(double, const T*, const T*, const T* readings, T* u) const {
    u[0] += readings[0];
  }
};

TEST(SensingLaws, SayWhichSensorTheyCannotHave) {
  const Model model(sensing_robot());
  const auto refusal = [&](std::vector<NamedController> controllers) -> std::string {
    Scenario s = swing("bdf");
    s.controllers = std::move(controllers);
    try {
      Simulator(model, s).run({});
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(controlled_by<WantingLaw<0>>()),
            "controller 'hold': sensors: found 'gyroscope', of type imu, which depends on accelerations, expected one "
            "that does not: a law with a clock has all sensors at its samples");
  const std::string unknown = refusal(controlled_by<WantingLaw<1>>());
  EXPECT_EQ(unknown.find("controller 'hold': sensors: found no sensor 'gage', expected one"), 0u) << unknown;
}

class NotANumber final : public FeedbackLaw<NotANumber> {
 public:
  using FeedbackLaw::FeedbackLaw;
  template <typename T>
  void law(double time, const T* q, const T*, T* u) const {
    u[0] += q[0] / T(time < 0.2 ? 1.0 : 0.0);
  }
};

TEST(FeedbackLaw, ErrorsNameTheController) {
  const Model model(soft_robot());
  Scenario s = swing("erk");
  s.controllers = controlled_by<NotANumber>();
  try {
    Simulator(model, s).run({});
    ADD_FAILURE() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("controller 'hold': found an input that is not finite"), std::string::npos)
        << error.what();
  }
  const auto refusal = [&](const Model& of, std::vector<NamedController> controllers) -> std::string {
    s.controllers = std::move(controllers);
    try {
      Simulator simulator(of, s);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(model, {{"hold", nullptr}}), "controller 'hold': found none, expected a controller");
  Robot idle = soft_robot();
  idle.actuators.clear(), idle.elements.clear();
  EXPECT_EQ(refusal(Model(idle), controlled_by<JointSpring>()),
            "controller 'hold': found a robot without inputs, expected one input");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
