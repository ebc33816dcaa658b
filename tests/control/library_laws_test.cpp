// The controllers of the library: what each law promises, its derivatives, and every law with every integrator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/control/controllers.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "support/control_laws.h"
#include "support/format.h"
#include "support/paths.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

using test::k_arm_with_all, test::k_reference, test::k_start, test::Law, test::law, test::laws, test::run_of,
    test::scenario_of;

// --- every law with every integrator, continuous and sampled: the table of docs/control.md

using Cell = std::tuple<int, const char*, bool>;
class EveryLaw : public testing::TestWithParam<Cell> {};

TEST_P(EveryLaw, RunsWithEveryIntegrator) {
  const auto& [index, integrator, sampled] = GetParam();
  const std::string clock = sampled ? ", rate: 100, delay: 0.004, window: [0.005, 0.12]}" : ", window: [0.02, 0.12]}";
  const std::string more = "  duration: 0.15\n  output_step: 0.05\n  inputs: {m2: 0.05}\n" + k_start;
  const ScenarioFile file = scenario_of(laws()[static_cast<std::size_t>(index)].text + clock, more);
  const std::vector<Sample> found = run_of(file, integrator), expected = run_of(file, "bdf");
  ASSERT_EQ(found.size(), 4u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    // steps of 1 ms of order 2 and frequencies up to 200 rad/s: (0.2)^2 / 12 of what moves at that frequency
    const double tolerance = std::string(integrator) == "erk" ? 1e-6 : 2e-3;
    EXPECT_LT((found[i].q - expected[i].q).lpNorm<Eigen::Infinity>(), tolerance) << found[i].time;
  }
  EXPECT_EQ(found.back().u[0], 0.0);  // after its window
  EXPECT_EQ(found.back().u[1], 0.05);
  EXPECT_NE(found[1].u.norm(), 0.05);
}

std::vector<Cell> cells() {
  std::vector<Cell> all;
  for (std::size_t i = 0; i < laws().size(); ++i) {
    for (const char* integrator :
         {"bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
      for (const bool sampled : {false, true}) all.emplace_back(static_cast<int>(i), integrator, sampled);
    }
  }
  return all;
}
std::string cell_name(const testing::TestParamInfo<Cell>& cell) {
  const auto& [index, integrator, sampled] = cell.param;
  return std::string(laws()[static_cast<std::size_t>(index)].name) + "_" + integrator + (sampled ? "_sampled" : "");
}
INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, testing::ValuesIn(cells()), cell_name);

// --- what the laws promise

/// e'' + kd e' + kp e = 0 from e and e' at t = 0, underdamped.
double damped(double e, double e_rate, double kp, double kd, double t) {
  const double decay = 0.5 * kd, omega = std::sqrt(kp - decay * decay);
  return std::exp(-decay * t) * (e * std::cos(omega * t) + (e_rate + decay * e) / omega * std::sin(omega * t));
}

TEST(ComputedTorque, ErrorsDecayInClosedForm) {
  const ScenarioFile file = scenario_of(law("computed_torque").text + "}",
                                        "  duration: 0.5\n  output_step: 0.05\n  inputs: {cable: 0.3}\n" + k_start);
  const Signal references[] = {Signal::cubic(0, 0.6, 0.1, 0.5), Signal::sine(0.2, 1, 0, 0), 0.3, -0.1,
                               Signal::quintic(0.1, 0.4, 0.0, 0.01)};
  const std::vector<Sample> samples = run_of(file, "erk");
  for (const Sample& x : samples) {
    for (int k = 0; k < 5; ++k) {
      const double e = references[k].at(0.0) - samples[0].q[k], rate = references[k].derivative(0.0);
      EXPECT_NEAR(references[k].at(x.time) - x.q[k], damped(e, rate, 100, 12, x.time), 1e-7) << k << " at " << x.time;
    }
  }
}

TEST(ComputedTorque, OfAPartLeavesTheRestFree) {
  const ScenarioFile file = scenario_of(
      "{name: c, type: computed_torque, inputs: [m1, m2], links: [upper, fore], reference: [0.5, 0.1], kp: 100, kd: "
      "12}",
      "  duration: 0.5\n  output_step: 0.05\n" + k_start);
  const std::vector<Sample> samples = run_of(file, "erk");
  for (const Sample& x : samples) {
    EXPECT_NEAR(0.5 - x.q[0], damped(0.1, 0.0, 100, 12, x.time), 1e-7) << x.time;
    EXPECT_NEAR(0.1 - x.q[1], damped(0.4, 0.0, 100, 12, x.time), 1e-7) << x.time;
  }
  EXPECT_GT((samples.back().q - samples.front().q).tail(3).norm(), 0.01);
}

TEST(PartialFeedbackLinearization, ErrorsOfActuationCoordinatesDecayInClosedForm) {
  const ScenarioFile file = scenario_of(law("partial_feedback_linearization").text + "}",
                                        "  duration: 0.5\n  output_step: 0.05\n  inputs: {m2: 0.1}\n" + k_start);
  const std::vector<Sample> samples = run_of(file, "erk");
  const Signal reference = Signal::cubic(0, 0.6, 0.1, 0.5);
  for (const Sample& x : samples) {
    EXPECT_NEAR(reference.at(x.time) - x.y[0], damped(0.1 - samples[0].y[0], 0.0, 100, 12, x.time), 1e-7) << x.time;
    EXPECT_NEAR(0.002 - x.y[2], damped(0.002 - samples[0].y[2], 0.0, 100, 12, x.time), 1e-8) << x.time;
  }
}

// [P] 8 completes y by any z(q) to coordinates theta of the configuration, splits the equations of motion into actuated
// and unactuated ones, and eliminates z''. The law needs no z, and must give what each z gives.
TEST(PartialFeedbackLinearization, EqualsTheFormOfThePaperForAnyComplement) {
  ScenarioFile file = scenario_of(law("partial_feedback_linearization").text + "}");
  file.robot.elements.clear(), file.robot.loads.clear();
  const Model model(file.robot);
  Data data(model);
  const int nv = model.nv(), m = 2;
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  test::Random random(3);
  for (int trial = 0; trial < 3; ++trial) {
    const auto state = test::random_state(model, random);
    const VectorXd q = 0.3 * state.q, &v = state.v;
    const auto rows = [&](const VectorXd& at) -> MatrixXd {
      const MatrixXd all = actuation_matrix<double>(model, data, at).transpose();
      MatrixXd two(m, nv);
      two << all.row(0), all.row(2);
      return two;
    };
    const double h = 1e-4;
    const VectorXd bias =
        (8.0 * (rows(q + h * v) - rows(q - h * v)) - (rows(q + 2 * h * v) - rows(q - 2 * h * v))) * v / (12.0 * h);
    const VectorXd y_all = actuation_coordinates<double>(model, data, q);
    const Signal first = Signal::cubic(0, 0.6, 0.1, 0.5);
    VectorXd command(m);
    const VectorXd rate = rows(q) * v;
    command << first.derivative(0.2, 2) + 12 * (first.derivative(0.2) - rate[0]) + 100 * (first.at(0.2) - y_all[0]),
        -12 * rate[1] + 100 * (0.002 - y_all[2]);
    const MatrixXd M = mass_matrix<double>(model, data, q);
    const VectorXd rest = inverse_dynamics<double>(model, data, q, v, VectorXd::Zero(nv));
    VectorXd found(model.nu());
    system.inputs(0.2, q, v, start_of_auxiliary(model), found);
    for (int complement = 0; complement < 3; ++complement) {
      MatrixXd J(nv, nv);  // of theta = (y, z)
      J.topRows(m) = rows(q);
      for (int i = m; i < nv; ++i) {
        for (int k = 0; k < nv; ++k) J(i, k) = random.uniform(-1.0, 1.0);
      }
      VectorXd J_rate_v = VectorXd::Zero(nv);
      J_rate_v.head(m) = bias;
      const MatrixXd inverse = J.inverse();
      const MatrixXd M_theta = inverse.transpose() * M * inverse;
      const VectorXd n = inverse.transpose() * (rest - M * inverse * J_rate_v);
      const MatrixXd M_uu = M_theta.bottomRightCorner(nv - m, nv - m), M_au = M_theta.topRightCorner(m, nv - m);
      const VectorXd z = M_uu.ldlt().solve(M_au.transpose() * command + n.tail(nv - m));
      const VectorXd u = M_theta.topLeftCorner(m, m) * command + n.head(m) - M_au * z;
      EXPECT_NEAR(found[0], u[0], 1e-7 * (1.0 + u.norm())) << trial << complement;
      EXPECT_NEAR(found[2], u[1], 1e-7 * (1.0 + u.norm())) << trial << complement;
    }
  }
}

TEST(PdWithCancellation, HoldsTheReferenceAgainstWeightAndElasticity) {
  ScenarioFile file = scenario_of(
      "{name: c, type: pd_with_cancellation, inputs: [m1, m2, bend], reference: [0.3, 0.2, 0.3, -0.1, 0.01], kp: [4, "
      "2, 0.1, 0.1, 10], "
      "kd: [0.3, 0.1, 0.01, 0.01, 0.5]}",
      "  duration: 8\n  output_step: 4\n");
  file.robot.elements.clear(), file.robot.loads.clear();
  const std::vector<Sample> samples = run_of(file, "bdf");
  const VectorXd target{{0.3, 0.2, 0.3, -0.1, 0.01}};
  EXPECT_LT((samples.back().q - target).norm(), 1e-3);
  // and there the inputs are those of rest: pd_plus has them at once
  ScenarioFile other = file;
  PdPlusSettings settings;
  settings.inputs = {"m1", "m2", "bend"};
  for (int k = 0; k < 5; ++k) settings.reference.emplace_back(target[k]);
  other.scenario.controllers = {{"c", make_pd_plus(settings)}};
  const Model model(other.robot);
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = other.scenario.controllers});
  VectorXd u(model.nu());
  Data data(model);
  system.inputs(0.0, target, VectorXd::Zero(5), start_of_auxiliary(model), u);
  const VectorXd rest = inverse_dynamics<double>(model, data, target, VectorXd::Zero(5), VectorXd::Zero(5));
  EXPECT_LT((actuation_matrix<double>(model, data, target) * u - rest).norm(), 1e-9 * rest.norm());
}

TEST(FeedForward, IsInverseDynamicsOfTheReference) {
  ScenarioFile file = scenario_of(law("feed_forward").text + "}");
  const Model model(file.robot);
  Data data(model);
  RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                             .controllers = file.scenario.controllers});
  test::Random random(4);
  const auto state = test::random_state(model, random);
  VectorXd u(model.nu()), q(5), v(5), a(5);
  const Signal references[] = {Signal::cubic(0, 0.6, 0.1, 0.5), Signal::sine(0.2, 1, 0, 0), 0.3, -0.1,
                               Signal::quintic(0.1, 0.4, 0.0, 0.01)};
  for (int k = 0; k < 5; ++k) {
    q[k] = references[k].at(0.2), v[k] = references[k].derivative(0.2), a[k] = references[k].derivative(0.2, 2);
  }
  system.inputs(0.2, 0.2 * state.q, state.v, start_of_auxiliary(model), u);
  const VectorXd expected = inverse_dynamics<double>(model, data, q, v, a);
  EXPECT_LT((actuation_matrix<double>(model, data, 0.2 * state.q) * u - expected).norm(), 1e-9 * expected.norm());
}

TEST(Pid, IntegralTakesAwayTheErrorAndStopsAtLimits) {
  const auto run = [](const std::string& limits) {
    ScenarioFile file = scenario_of(
        "{name: c, type: pid, inputs: [m1], reference: [{type: step, time: 4, before: 0.5, after: 0.3}], kp: 8, kd: 1, "
        "ki: 20, window: [0.2, 100], limits: " +
            limits + "}",
        "  duration: 8\n  output_step: 0.1\n");
    file.robot.elements.clear(), file.robot.loads.clear(), file.robot.gravity = {};
    return run_of(file, "bdf");
  };
  // the spring of the joint takes 0.25 N m at 0.5 rad
  const std::vector<Sample> wide = run("{lower: -5, upper: 6}");
  EXPECT_EQ(wide[1].u[0], 0.0);
  EXPECT_NEAR(wide[39].q[0], 0.5, 1e-3);
  EXPECT_NEAR(wide[39].u[0], 0.25, 5e-3);
  EXPECT_NEAR(wide.back().q[0], 0.3, 1e-3);
  // With less the arm swings about 0.4 rad. The integral does not wind up (20 x 0.1 rad x 3.8 s = 7 N m): the output
  // leaves the limit at once when the reference steps down, by kp x 0.2 rad = 1.6 N m.
  const std::vector<Sample> tight = run("{lower: -5, upper: 0.2}");
  EXPECT_EQ(tight[39].u[0], 0.2);
  EXPECT_NEAR(tight[39].q[0], 0.4, 0.02);
  EXPECT_LT(tight[40].u[0], 0.1);
  EXPECT_NEAR(tight.back().q[0], 0.3, 1e-3);
}

TEST(SampledLaws, HoldDelayLimitAndRepeat) {
  const std::string law_text = "{name: c, type: pid, inputs: [m1], reference: [0.5], kp: 8, kd: 1, ki: 20, rate: 50, ";
  const std::string more = "  duration: 0.2\n  output_step: 0.005\n";
  const auto runs = [&](const std::string& rest, const std::string& others = "") {
    return run_of(scenario_of(law_text + rest, more + others), "erk");
  };
  const std::vector<Sample> plain = runs("window: [0.02, 1]}");
  for (const Sample& x : plain) {
    const int k = static_cast<int>(std::floor(x.time / 0.02 + 1e-6));
    const Sample& at_sample = plain[static_cast<std::size_t>(4 * k)];
    EXPECT_EQ(x.u[0], at_sample.u[0]) << x.time;  // held
    if (k < 1) {
      EXPECT_EQ(x.u[0], 0.0);
    }
  }
  EXPECT_NEAR(plain[4].u[0], 8 * (0.5 - plain[4].q[0]) - plain[4].v[0], 1e-12);  // the first: no integral yet
  EXPECT_NEAR(plain[8].u[0], 8 * (0.5 - plain[8].q[0]) - plain[8].v[0] + 20 * 0.02 * (0.5 - plain[4].q[0]), 1e-12);
  const std::vector<Sample> late = runs("delay: 0.03}");
  EXPECT_EQ(late[5].u[0], 0.0);
  EXPECT_NEAR(late[6].u[0], 8 * (0.5 - late[0].q[0]), 1e-12);
  const std::vector<Sample> slow = runs("limits: {rate: 10}}");
  for (std::size_t i = 4; i < slow.size(); i += 4) EXPECT_LT(std::abs(slow[i].u[0] - slow[i - 4].u[0]), 0.2 + 1e-12);
  const std::vector<Sample> coarse = runs("resolution: {q: 0.25, v: 100}}");
  EXPECT_NEAR(std::remainder(coarse[4].u[0], 8 * 0.25 * 0.02), 0.0, 1e-9);
  const std::vector<Sample> noisy = runs("noise: {q: 0.1}}", "  seed: 3\n"),
                            again = runs("noise: {q: 0.1}}", "  seed: 3\n"),
                            other = runs("noise: {q: 0.1}}", "  seed: 4\n");
  EXPECT_EQ(noisy.back().q, again.back().q);
  EXPECT_NE(noisy.back().u[0], other.back().u[0]);
  EXPECT_NE(noisy[0].u[0], 8 * 0.5);
}

TEST(LibraryLaws, TendonsPullNoLessThanNothing) {
  const std::string more = "  duration: 0.4\n  output_step: 0.01\n  inputs: {cable: 0.2}\n" + k_start;
  const std::string one = law("partial_feedback_linearization").text + "}";
  int slack = 0;
  for (const Sample& x : run_of(scenario_of(one, more, "clip"), "bdf")) {
    EXPECT_GE(x.u[2], 0.0);
    slack += x.u[2] < 1e-12;
  }
  EXPECT_GT(slack, 0);
  int pushes = 0;
  for (const Sample& x : run_of(scenario_of(one, more, "allow"), "bdf")) pushes += x.u[2] < 0.0;
  EXPECT_GT(pushes, 0);
}

std::string refusal(const std::string& controller, const std::string& more = "") {
  try {
    scenario_of(controller, more);
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

TEST(LibraryLaws, SayWhatDoesNotFit) {
  EXPECT_THAT(
      refusal("{name: c, type: computed_torque, inputs: [m1, bend], " + k_reference + "}"),
      HasSubstr("inputs: found [m1, bend.0, bend.1, bend.2]: 4 of them, expected at least 5, that span the coordinates "
                "[upper.joint.v0, fore.joint.v0, soft.kappa_x.0, soft.kappa_y.0, soft.sigma_z.0]"));
  EXPECT_THAT(refusal("{name: c, type: pd_plus, inputs: [m1, bend], links: [upper, fore], reference: [0, 0]}"),
              HasSubstr("found rank 1 at t = 0 s, expected 2: they do not span [upper.joint.v0, fore.joint.v0]"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m3], reference: [0]}"),
              HasSubstr("inputs[0]: found no input of an actuator 'm3', expected an actuator"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1, m1], reference: [0, 0]}"),
              HasSubstr("inputs[1]: found 'm1' again, expected each input once"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1], reference: [0, 1]}"),
              HasSubstr("reference: found 2 signals, expected 1, one a controlled coordinate"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1, m2], reference: [0, 1], kp: [1, 2, 3]}"),
              HasSubstr("kp: found 3 numbers, expected one number, 2 (one a coordinate), or 4 (a matrix by rows)"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1], reference: [0], delay: 0.1}"),
              HasSubstr("delay: found it, and no `rate`, expected a `rate`"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1], reference: [0], window: [2, 1]}"),
              HasSubstr("window: found [2, 1], expected begin before end"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1], reference: [0], limits: {lower: 2, upper: 1}}"),
              HasSubstr("limits: found lower 2 above upper 1, expected lower <= upper"));
  EXPECT_THAT(refusal("{name: c, type: pid, inputs: [m1], reference: [0], links: [upper]}"), HasSubstr("links"));
}

TEST(LibraryLaws, ThatSolveTheMotionRefuseLoops) {
  std::string robot = k_arm_with_all;
  robot.replace(robot.find("SLACK"), 5, "allow");
  robot +=
      "loops:\n  - {name: tip, type: spherical, a: {link: base, pose: {position: [0.02, 0, 0.56]}}, b: {link: soft}}\n";
  const auto refusal_of = [&](const std::string& rest) -> std::string {
    try {
      read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [{name: c, " + rest + "}]\n",
                         "s.yaml", robot);
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(refusal_of("type: computed_torque, inputs: [m1, m2, bend], " + k_reference),
              HasSubstr("controllers[0].type: found a robot with closed loops, expected one without"));
  EXPECT_THAT(refusal_of("type: partial_feedback_linearization, inputs: [m1], reference: [0]"),
              HasSubstr("found a robot with closed loops"));
  EXPECT_EQ(refusal_of("type: pid, inputs: [m1], reference: [0]"), "none");
}

// docs/control.md
TEST(LibraryLaws, RunTheExampleOfTheDocumentation) {
  const std::string text = read_text_file(test::k_source_dir + "/docs/control.md", "the page");
  std::vector<std::string> blocks;
  for (std::size_t at = text.find("```yaml\n"); at != text.npos; at = text.find("```yaml\n", at)) {
    at += 8;
    blocks.push_back(text.substr(at, text.find("```", at) - at));
  }
  ASSERT_EQ(blocks.size(), 2u);
  const ScenarioFile file = read_scenario_text(blocks[1], "arm_scenario.yaml", blocks[0]);
  const Model model(file.robot);
  MemoryRecorder recorder;
  Simulator(model, file.scenario).run({&recorder});
  for (const Sample& x : recorder.samples()) {
    EXPECT_NEAR(x.q[0], Signal::quintic(0, 1, 0, 0.8).at(x.time), 5e-4) << x.time;     // of bdf at 1e-6
    EXPECT_NEAR(x.q[1], Signal::quintic(0.2, 1, 0, -0.5).at(x.time), 5e-4) << x.time;  // of bdf at 1e-6
    EXPECT_GE(x.u[2], 0.0);
    EXPECT_LE(x.u[2], 5.0);
  }
  EXPECT_NEAR(recorder.samples().back().y[2], 0.005, 2e-4);
}

// Two motors of one joint are one input: no rank.
TEST(PartialFeedbackLinearization, NamesInputsThatDepend) {
  std::string robot = k_arm_with_all;
  robot.replace(robot.find("SLACK"), 5, "allow");
  robot.insert(robot.find("  - {name: bend"), "  - {name: twin, type: joint, link: upper}\n");
  try {
    read_scenario_text(
        "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  controllers: [{name: c, type: partial_feedback_linearization, "
        "inputs: [m1, twin], "
        "reference: [0, 0]}]\n",
        "s.yaml", robot);
    ADD_FAILURE();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("inputs [m1, twin]: found them dependent at t = 0 s, expected accelerations A^T M^-1 A of "
                          "full rank"));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
