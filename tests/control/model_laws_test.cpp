// Laws with a model of their own: adaptive control, impedance of a frame, linear-quadratic regulators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "control/regressor.h"
#include "control/riccati.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "support/controlled_arm.h"
#include "support/controlled_inputs.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

const std::string k_robot = std::string(k_arm) + R"(actuators:
  - {name: m1, type: joint, link: upper}
  - {name: m2, type: joint, link: fore}
  - {name: bend, type: linear, links: [soft], matrix: [[1, 0.2, 0], [0, 1, 0.1], [0.1, 0, 1]]}
)";
const std::vector<std::string> k_paths{"materials.m.young_modulus", "links.fore.body.mass",
                                       "links.upper.joint.stiffness"};

ScenarioFile scenario_of(const std::string& controller, const std::string& more = "") {
  return read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [" + controller + "]\n" + more,
                            "s.yaml", k_robot);
}

std::vector<Sample> run_of(const ScenarioFile& file) {
  const Model model(file.robot);
  Scenario scenario = file.scenario;
  scenario.integrator.type = "bdf";
  scenario.integrator.relative_tolerance = 1e-10, scenario.integrator.absolute_tolerance = 1e-12;
  MemoryRecorder recorder;
  Simulator(model, scenario).run({&recorder});
  return recorder.samples();
}

TEST(Regressor, IsTheForceAndItsSlopes) {
  const Model model(scenario_of("").robot);
  VectorXd values(3);
  for (int k = 0; k < 3; ++k) values[k] = model.robot().source->parameter(k_paths[static_cast<std::size_t>(k)]).value;
  Regressor regressor(model, k_paths, 1.3 * values);  // about other values
  Data data(model);
  test::Random random(3);
  for (int trial = 0; trial < 3; ++trial) {
    const auto state = test::random_state(model, random), other = test::random_state(model, random);
    const VectorXd q = 0.3 * state.q;
    regressor.read(q, state.v, state.v, state.a);
    const VectorXd force = inverse_dynamics<double>(model, data, q, state.v, state.a);
    EXPECT_LT((regressor.rest + regressor.Y * values - force).norm(), 1e-11 * force.norm());
    regressor.read(q, state.v, other.v, state.a);
    for (int k = 0; k < 3; ++k) {  // the force is affine: any step gives its slope
      const auto force_with = [&](double value) -> VectorXd {
        const Model changed = model.with(k_paths[static_cast<std::size_t>(k)], value);
        const VectorXd zero = VectorXd::Zero(model.nv());
        VectorXd sum = inverse_dynamics<double>(changed, data, q, other.v, state.a);
        sum -= coriolis_force<double>(changed, data, q, other.v);
        sum += 0.25 * coriolis_force<double>(changed, data, q, state.v + other.v);
        return sum - 0.25 * coriolis_force<double>(changed, data, q, state.v - other.v);
      };
      const VectorXd slope = (force_with(1.5 * values[k]) - force_with(values[k])) / (0.5 * values[k]);
      EXPECT_LT((regressor.Y.col(k) - slope).norm(), 1e-9 * slope.norm()) << k;
    }
  }
}

TEST(Regressor, MakesTheRateOfInertiaLessTwiceCoriolisSkew) {
  const Model given(scenario_of("").robot);
  const Model model = given.with({{"gravity[0]", 0.0},
                                  {"gravity[2]", 0.0},
                                  {"materials.m.young_modulus", 1e-3},
                                  {"links.upper.joint.stiffness", 0.0},
                                  {"links.upper.joint.damping", 0.0},
                                  {"links.fore.joint.damping", 0.0}});
  Regressor regressor(model, {"links.fore.body.mass"}, VectorXd::Constant(1, 0.3));
  Data data(model);
  test::Random random(8);
  const auto state = test::random_state(model, random), other = test::random_state(model, random);
  const VectorXd q = 0.3 * state.q, &v = state.v, &r = other.v;
  regressor.read(q, v, r, VectorXd::Zero(model.nv()));
  const double coriolis = r.dot(regressor.rest + regressor.Y.col(0) * 0.3);
  const auto inertia = [&](double h) { return r.dot(mass_matrix<double>(model, data, q + h * v) * r); };
  const double h = 1e-3;
  const double rate = (8.0 * (inertia(h) - inertia(-h)) - (inertia(2 * h) - inertia(-2 * h))) / (12.0 * h);
  EXPECT_NEAR(coriolis, 0.5 * rate, 1e-6 * (std::abs(rate) + 1e-3));
}

TEST(Regressor, RefusesParametersThatMultiplyEachOther) {
  const Model model(scenario_of("").robot);
  VectorXd values(2);
  values << 1.0e5, 0.02;
  EXPECT_THAT(message<ArgumentError>([&] {
                Regressor(model, {"materials.m.young_modulus", "materials.m.damping_time"}, values);
              }),
              HasSubstr("parameters: found a force that is not affine in them together"));
  EXPECT_THAT(
      message<ArgumentError>([&] { Regressor(model, {"links.soft.body.length"}, VectorXd::Constant(1, 0.25)); }),
      HasSubstr("parameters: found a force that is not affine"));
}

const std::string k_adaptive =
    "{name: c, type: adaptive, inputs: [m1, m2, bend], reference: [{type: sine, amplitude: 0.4, frequency: 0.7}, 0.3, "
    "0.3, {type: sine, amplitude: 0.5, frequency: 1}, 0.01], lambda: [6, 6, 6, 6, 6], kr: [0.3, 0.2, 0.01, 0.01, 0.5], "
    "gamma: [1.0e+12, 20, 3], parameters: [{path: materials.m.young_modulus, initial: 1.0e+5, lower: 5.0e+4, upper: "
    "4.0e+5}, {path: links.fore.body.mass, initial: 0.5, lower: 0.1, upper: 1}, {path: links.upper.joint.stiffness, "
    "initial: 0.2, "
    "lower: 0, upper: 2}]}";

// V' = -r^T K r - r^T D r along every motion, whatever is not known; where an end of its range holds an estimate, less.
TEST(Adaptive, ErrorsAndEstimatesLoseWhatTheLawTakesFromThem) {
  const ScenarioFile file = scenario_of(k_adaptive, "  duration: 0.15\n  output_step: 0.0005\n");
  const std::vector<Sample> samples = run_of(file);
  const Model model(file.robot);
  Data data(model);
  const Signal references[] = {Signal::sine(0.4, 0.7, 0, 0), 0.3, 0.3, Signal::sine(0.5, 1, 0, 0), 0.01};
  const VectorXd K{{0.3, 0.2, 0.01, 0.01, 0.5}}, gamma{{1e12, 20, 3}}, truth{{2e5, 0.3, 0.5}};
  double last = 0.0, last_loss = 0.0, first = 0.0, lost = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& x = samples[i];
    VectorXd v_r(5);
    for (int k = 0; k < 5; ++k) {
      v_r[k] = references[k].derivative(x.time) - 6.0 * (x.q[k] - references[k].at(x.time));
    }
    const VectorXd r = x.v - v_r, off = x.control.tail(4).head(3) - truth;  // before the residual of the allocation
    const MatrixXd M = mass_matrix<double>(model, data, x.q);
    const double V = 0.5 * r.dot(M * r) + 0.5 * off.dot(off.cwiseQuotient(gamma));
    const VectorXd damping = damping_force<double>(model, data, x.q, x.v);
    const double loss = r.dot(K.cwiseProduct(r)) + r.dot(damping - damping_force<double>(model, data, x.q, v_r));
    if (i == 0) {
      first = V;
    } else {
      lost += 0.5 * 0.0005 * (loss + last_loss);
      EXPECT_LE(V, last * (1.0 + 1e-12)) << x.time;
      EXPECT_LE(V + lost, first * (1.0 + 1e-3)) << x.time;  // of the trapezoidal rule
    }
    last = V, last_loss = loss;
  }
  EXPECT_NE(samples.back().control[samples.back().control.size() - 3], 0.5);
}

TEST(OperationalSpace, FrameAcceleratesAsTheImpedanceSays) {
  for (const bool turns : {false, true}) {
    const std::string stiffness = turns ? "[3, 2, 0, 40, 0, 50]" : "[0, 0, 0, 40, 0, 50]";
    const std::string quaternion = turns ? ", quaternion: [0.9, 0.1, 0.3, 0.2]" : "";
    const ScenarioFile file = scenario_of(
        "{name: c, type: operational_space, inputs: [m1, m2, bend], frame: soft.tip, reference: {position: [{type: "
        "sine, amplitude: 0.1, frequency: 1}, 0, 0.4]" +
        quaternion + "}, stiffness: " + stiffness + ", damping: [0.1, 0.2, 0, 4, 0, 3], nullspace_damping: 0.2}");
    Inputs law(file);
    const Model& model = law.model;
    Data data(model);
    const Frame frame = model.tip_frame("soft");
    test::Random random(5);
    // with no rotational stiffness damping alone makes a direction of the task
    const std::vector<int> rows = {0, 1, 3, 5};
    for (int trial = 0; trial < 3; ++trial) {
      const auto state = test::random_state(model, random);
      const VectorXd q = 0.3 * state.q, &v = state.v;
      const double time = 0.3;
      const VectorXd u = law.at(time, q, v);
      const VectorXd force = actuation_matrix<double>(model, data, q) * u;
      const VectorXd a = forward_dynamics<double>(model, data, q, v, force);
      // by differences of the motion that follows, in world axes
      const auto pose_at = [&](double t) {
        const VectorXd moved = q + t * v + 0.5 * t * t * a;
        return forward_kinematics<double>(model, data, moved).pose(frame);
      };
      const double h = 1e-3;
      const Pose now = pose_at(0.0);
      const auto spin = [&](double t) {  // angular velocity in the world at t
        const Pose low = pose_at(t - h), high = pose_at(t + h);
        const Eigen::Matrix3d turn = [&] {
          Eigen::Matrix3d m;
          const auto R = high.rotation * low.rotation.transpose();
          for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) m(i, j) = R(i, j);
          }
          return m;
        }();
        const Eigen::AngleAxisd axis(turn);
        return Eigen::Vector3d(axis.axis() * axis.angle() / (2 * h));
      };
      Eigen::Matrix<double, 6, 1> velocity, acceleration, error, wanted_velocity, wanted_acceleration;
      const Eigen::Vector3d angular = spin(0.0), angular_rate = (spin(h) - spin(-h)) / (2 * h);
      const Pose before = pose_at(-h), after = pose_at(h);
      Eigen::Matrix3d off;
      const Quaternion target = Quaternion{0.9, 0.1, 0.3, 0.2}.normalized();
      const auto relative = target.matrix() * now.rotation.transpose();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) off(i, j) = relative(i, j);
      }
      const Eigen::AngleAxisd off_axis(off);
      const Signal x_d = Signal::sine(0.1, 1, 0, 0);
      wanted_velocity.setZero(), wanted_acceleration.setZero();
      wanted_velocity[3] = x_d.derivative(time), wanted_acceleration[3] = x_d.derivative(time, 2);
      const double position_d[] = {x_d.at(time), 0, 0.4};
      for (int i = 0; i < 3; ++i) {
        velocity[i] = angular[i], acceleration[i] = angular_rate[i];
        velocity[3 + i] = (after.position[i] - before.position[i]) / (2 * h);
        acceleration[3 + i] = (after.position[i] - 2 * now.position[i] + before.position[i]) / (h * h);
        error[i] = off_axis.axis()[i] * off_axis.angle(), error[3 + i] = position_d[i] - now.position[i];
      }
      // J by differences too
      MatrixXd J(6, model.nv());
      for (int k = 0; k < model.nv(); ++k) {
        const VectorXd e = 1e-5 * VectorXd::Unit(model.nv(), k);
        const Pose low = forward_kinematics<double>(model, data, q - e).pose(frame);
        const Pose high = forward_kinematics<double>(model, data, q + e).pose(frame);
        const auto R = high.rotation * low.rotation.transpose();
        J(0, k) = 0.5 * (R(2, 1) - R(1, 2)) / 2e-5, J(1, k) = 0.5 * (R(0, 2) - R(2, 0)) / 2e-5;
        J(2, k) = 0.5 * (R(1, 0) - R(0, 1)) / 2e-5;
        for (int i = 0; i < 3; ++i) J(3 + i, k) = (high.position[i] - low.position[i]) / 2e-5;
      }
      MatrixXd J_task(4, model.nv());
      Eigen::Vector4d push, found;
      const double K[] = {turns ? 3.0 : 0.0, turns ? 2.0 : 0.0, 0, 40, 0, 50}, D[] = {0.1, 0.2, 0, 4, 0, 3};
      for (int i = 0; i < 4; ++i) {
        const int r = rows[static_cast<std::size_t>(i)];
        J_task.row(i) = J.row(r);
        push[i] = K[r] * error[r] + D[r] * (wanted_velocity[r] - velocity[r]);
        found[i] = acceleration[r] - wanted_acceleration[r];
      }
      const MatrixXd M = mass_matrix<double>(model, data, q);
      const Eigen::Vector4d expected = J_task * M.ldlt().solve(J_task.transpose()) * push;
      EXPECT_LT((found - expected).norm(), 1e-3 * (expected.norm() + acceleration.norm())) << turns << trial << "\n"
                                                                                           << found << "\n"
                                                                                           << expected;
      // the part of the force that does not move the frame is that of the damping
      const MatrixXd MJ = M.ldlt().solve(J_task.transpose());
      const VectorXd null = force - J_task.transpose() * (J_task * MJ).ldlt().solve(MJ.transpose() * force);
      const VectorXd damped = -0.2 * v;
      const VectorXd null_expected = damped - J_task.transpose() * (J_task * MJ).ldlt().solve(MJ.transpose() * damped);
      EXPECT_LT((null - null_expected).norm(), 1e-5 * (force.norm() + null.norm())) << turns << trial;
    }
  }
}

TEST(OperationalSpace, SaysWhatDoesNotFit) {
  const auto refusal = [](const std::string& rest) {
    return message<FileError>([&] { scenario_of("{name: c, type: operational_space, " + rest + "}"); });
  };
  const std::string where = "reference: {position: [0, 0, 0.4]}, ";
  EXPECT_THAT(refusal(where + "frame: hand, stiffness: [0, 0, 0, 1, 0, 1], damping: [0, 0, 0, 0, 0, 0]"),
              HasSubstr("frame: found no 'hand', expected LINK.tip, LINK.base or a marker"));
  EXPECT_THAT(refusal(where + "frame: soft.tip, stiffness: [1, 0, 0, 1, 0, 1], damping: [0, 0, 0, 0, 0, 0]"),
              HasSubstr("reference: found no quaternion, and stiffness about axes"));
  EXPECT_THAT(refusal(where + "frame: soft.tip, stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0, 0, 0]"),
              HasSubstr("stiffness: found zeros"));
  EXPECT_THAT(
      refusal(where + "inputs: [m1], frame: soft.tip, stiffness: [0, 0, 0, 1, 0, 1], damping: [0, 0, 0, 0, 0, 0]"),
      HasSubstr("inputs: found 1 of them, expected at least 2"));
  EXPECT_THAT(
      refusal(where +
              "inputs: [m1, bend], frame: upper.tip, stiffness: [0, 0, 0, 1, 0, 1], damping: [0, 0, 0, 0, 0, 0]"),
      HasSubstr("the frame cannot move in all of its directions"));
}

TEST(Riccati, SolutionsSolveAndStabilize) {
  test::Random random(4);
  for (const double stiff : {1.0, 1e2, 1e4}) {
    const int n = 7, m = 2;
    MatrixXd A(n, n), B(n, m);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A(i, j) = random.uniform(-1.0, 1.0) * (i < 2 ? stiff : 1.0);
      for (int j = 0; j < m; ++j) B(i, j) = random.uniform(-1.0, 1.0);
    }
    const MatrixXd G = B * B.transpose(), H = MatrixXd::Identity(n, n);
    const MatrixXd X = solve_riccati(A, G, H);
    const MatrixXd residual = A.transpose() * X + X * A - X * G * X + H;
    EXPECT_LT(residual.norm(), 1e-9 * ((A.transpose() * X).norm() + (X * G * X).norm())) << stiff;
    EXPECT_LT((X - X.transpose()).norm(), 1e-12 * X.norm());
    EXPECT_LT((A - G * X).eigenvalues().real().maxCoeff(), 0.0);
  }
  EXPECT_THAT(message<ArgumentError>([] {  // a free mass that nothing drives
                MatrixXd A = MatrixXd::Zero(2, 2);
                A(0, 1) = 1.0;
                solve_riccati(A, MatrixXd::Zero(2, 2), MatrixXd::Identity(2, 2));
              }),
              HasSubstr("neither controlled nor decays"));
}

// The optimal loop has the stable half of the Hamiltonian matrix's eigenvalues; A and B are from differences here.
TEST(Lqr, ClosedLoopHasTheEigenvaluesOfTheOptimalOne) {
  const ScenarioFile file = scenario_of(
      "{name: c, type: lqr, inputs: [m1, m2], state_weight: 2, input_weight: [0.5, 1], equilibrium: "
      "{inputs: {m1: 0.3, m2: -0.1}}}");
  Inputs law(file);
  const Model& model = law.model;
  Data data(model);
  const int nv = model.nv(), n = 2 * nv;
  // the equilibrium: where the law says u_e
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  const VectorXd states = start_of_auxiliary(model), zero = VectorXd::Zero(nv);
  VectorXd record;
  system.evaluate({0.0, model.neutral(), zero, states, {}}).record_controllers(record);
  const VectorXd q_e = record.head(nv);
  VectorXd u_e = VectorXd::Zero(model.nu());
  u_e[0] = 0.3, u_e[1] = -0.1;
  const VectorXd held = inverse_dynamics<double>(model, data, q_e, zero, zero);
  EXPECT_LT((actuation_matrix<double>(model, data, q_e) * u_e - held).norm(), 1e-8);
  EXPECT_LT((law.at(0.0, q_e, zero) - u_e).norm(), 1e-10);
  const auto rate = [&](const VectorXd& x, const VectorXd& inputs) -> VectorXd {
    VectorXd both(n);
    both.head(nv) = x.tail(nv);
    const VectorXd q = q_e + x.head(nv);
    const VectorXd force = actuation_matrix<double>(model, data, q) * inputs;
    both.tail(nv) = forward_dynamics<double>(model, data, q, x.tail(nv), force);
    return both;
  };
  MatrixXd A(n, n), B(n, 2), K(2, n);
  const double h = 1e-5;
  for (int k = 0; k < n; ++k) {
    const VectorXd e = h * VectorXd::Unit(n, k);
    A.col(k) = (rate(e, u_e) - rate(-e, u_e)) / (2 * h);
    const VectorXd high = law.at(0.0, q_e + e.head(nv), e.tail(nv)), low = law.at(0.0, q_e - e.head(nv), -e.tail(nv));
    for (int i = 0; i < 2; ++i) K(i, k) = -(high[i] - low[i]) / (2 * h);
  }
  for (int i = 0; i < 2; ++i) {
    const VectorXd e = VectorXd::Unit(model.nu(), i);
    B.col(i) = (rate(VectorXd::Zero(n), u_e + e) - rate(VectorXd::Zero(n), u_e - e)) / 2.0;
  }
  const VectorXd R{{0.5, 1}};
  MatrixXd hamiltonian(2 * n, 2 * n);
  hamiltonian << A, -B * R.cwiseInverse().asDiagonal() * B.transpose(), -2.0 * MatrixXd::Identity(n, n), -A.transpose();
  const auto sorted = [](const Eigen::VectorXcd& values) {
    std::vector<std::complex<double>> stable;
    for (const auto& value : values) {
      if (value.real() < 0.0) stable.push_back(value);
    }
    std::sort(stable.begin(), stable.end(), [](const auto& a, const auto& b) {
      return std::pair(std::abs(a), a.imag()) < std::pair(std::abs(b), b.imag());
    });
    return stable;
  };
  const auto optimal = sorted(hamiltonian.eigenvalues()), closed = sorted((A - B * K).eigenvalues());
  ASSERT_EQ(optimal.size(), static_cast<std::size_t>(n));
  ASSERT_EQ(closed.size(), optimal.size());
  for (const auto& value : closed) {  // nearest: pairs of equal size may be sorted otherwise
    double nearest = 1e300;
    for (const auto& other : optimal) nearest = std::min(nearest, std::abs(value - other));
    EXPECT_LT(nearest, 1e-4 * std::abs(value)) << value;
  }
}

TEST(Lqr, RunsWithEveryIntegrator) {
  for (const char* clock : {"}", ", rate: 200}", ", limits: {lower: [-0.01, -0.01], upper: [0.02, 0.01]}}"}) {
    ScenarioFile file = scenario_of(
        std::string("{name: c, type: lqr, inputs: [m1, m2], state_weight: 0.02, input_weight: [5, 10]") + clock,
        "  duration: 0.15\n  output_step: 0.05\n  initial: {upper: {q: [0.1]}, fore: {q: [-0.2]}, soft: {v: [0.2, 0, "
        "0]}}\n");
    const std::vector<Sample> expected = run_of(file);
    for (const char* integrator :
         {"erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
      file.scenario.integrator = {};
      file.scenario.integrator.type = integrator;
      if (std::string(integrator) != "erk") file.scenario.integrator.step = 1e-3;
      MemoryRecorder recorder;
      Simulator(Model(file.robot), file.scenario).run({&recorder});
      ASSERT_EQ(recorder.samples().size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LT((recorder.samples()[i].q - expected[i].q).lpNorm<Eigen::Infinity>(), 2e-3)
            << integrator << clock << expected[i].time;
      }
    }
    EXPECT_GT((expected.front().q - expected.back().q).norm(), 0.01);
  }
}

TEST(Lqr, SaysWhatDoesNotFit) {
  const auto refusal = [](const std::string& rest) {
    return message<FileError>([&] { scenario_of("{name: c, type: lqr, inputs: [m1, m2], " + rest + "}"); });
  };
  EXPECT_THAT(refusal("state_weight: -1, input_weight: 1"), HasSubstr("state_weight: found a least eigenvalue of -1"));
  EXPECT_THAT(refusal("state_weight: 1, input_weight: 0"), HasSubstr("input_weight: found a least eigenvalue of 0"));
  EXPECT_THAT(refusal("state_weight: 1, input_weight: [[1, 2], [0, 1]]"), HasSubstr("a matrix that is not symmetric"));
  EXPECT_THAT(refusal("state_weight: 1, input_weight: 1, equilibrium: {inputs: {m3: 1}}"),
              HasSubstr("equilibrium.inputs.m3: found no such input, expected an input of the robot"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
