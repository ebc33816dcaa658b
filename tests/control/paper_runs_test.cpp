// What [P] (Pustina 2025) says of its controlled robots, with the scenarios that are shipped.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle {
namespace {

struct PaperRun {
  explicit PaperRun(const std::string& scenario)
      : file(load_scenario_file(std::string(CUTTLE_SOURCE_DIR) + "/models/pustina2025/" + scenario + "_scenario.yaml")),
        model(file.robot) {
    MemoryRecorder recorder;
    outcome = Simulator(model, file.scenario).run({&recorder});
    samples = recorder.samples();
  }
  const Sample& at(double time) const {
    return samples.at(static_cast<std::size_t>(std::lround(time / file.scenario.output_step)));
  }
  ScenarioFile file;
  Model model;
  Outcome outcome;
  std::vector<Sample> samples;
};

/// e'' + 50 e' + 100 e = 0 from e = 1, e' = 0: "the configuration of the rigid robot converges exponentially fast to
/// the reference" with the complete law; with the incomplete one it does not, and the wrists are worst.
TEST(PustinaSimulation9, CompleteLawConvergesIncompleteOneDoesNot) {
  const PaperRun complete("simulation9"), incomplete("simulation9_incomplete");
  const double root = std::sqrt(25.0 * 25.0 - 100.0), slow = -25.0 + root, fast = -25.0 - root;
  for (const double t : {0.1, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    const double expected = (fast * std::exp(slow * t) - slow * std::exp(fast * t)) / (fast - slow);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(std::cos(t) - complete.at(t).q[i], expected, 2e-6) << t << " joint " << i;
  }
  double arm = 0.0, wrist = 0.0, passive = 0.0;
  for (double t = 5.0; t < 9.999; t += 0.01) {
    const VectorXd e = VectorXd::Constant(6, std::cos(t)) - incomplete.at(t).q.head(6);
    arm = std::max(arm, e.head(3).lpNorm<Eigen::Infinity>());
    wrist = std::max(wrist, e.tail(3).lpNorm<Eigen::Infinity>());
    passive = std::max(passive, incomplete.at(t).q.tail(3).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(arm, 0.01);  // the complete one is below 5e-5 there
  EXPECT_GT(wrist, 10 * arm);
  EXPECT_LT(passive, 1.5);  // "the closed-loop is stable"
}

/// "the configuration variables quickly converge to the reference values": all three set-points.
TEST(PustinaSimulation10, ReachesAllSetPoints) {
  const PaperRun run("simulation10");
  const Scenario& scenario = run.file.scenario;
  ASSERT_EQ(scenario.controllers.size(), 1u);
  // the paper's third one, (q1, q2, q3) = (-q2, q1, q3) of ours
  VectorXd third(9);
  third << -0.5, 0.5, 0, -0.3, -0.3, 0, -1, -1, 0;
  EXPECT_LT((run.at(15.0).q - third).lpNorm<Eigen::Infinity>(), 1e-6);
  for (const double end : {5.0, 10.0, 15.0}) {
    EXPECT_LT(run.at(end - 0.01).v.lpNorm<Eigen::Infinity>(), 1e-6) << end;
    EXPECT_GT((run.at(end - 0.01).q - run.at(end - 4.99).q).norm(), 0.3) << end << ": it was there before";
  }
}

TEST(PustinaSimulation2, DoesItsThreeTasks) {
  const PaperRun run("simulation2_controlled");
  VectorXd arm(6), soft(3);
  arm << M_PI / 2, -M_PI / 4, -M_PI / 4, -M_PI / 5, M_PI / 8, -M_PI / 2;
  soft << -M_PI / 2, M_PI / 4, -0.02;
  EXPECT_LT((run.at(3.0).q.head(6) - arm).lpNorm<Eigen::Infinity>(), 1e-9);
  for (const double t : {1.0, 2.0}) {  // the cubic from rest to rest
    const double s = t / 3.0;
    EXPECT_LT((run.at(t).q.head(6) - (3 - 2 * s) * s * s * arm).lpNorm<Eigen::Infinity>(), 1e-9) << t;
  }
  for (double t = 0.0; t < 2.995; t += 0.01) {
    EXPECT_EQ(run.at(t).u.head(4).norm(), 0.0) << "the soft bodies are passive at " << t;
  }
  EXPECT_LT((run.at(5.0).q.segment(6, 3) - soft).lpNorm<Eigen::Infinity>(), 2e-3);
  double least = 0.0;
  for (const Sample& sample : run.samples) least = std::min(least, sample.u.head(3).minCoeff());
  EXPECT_GE(least, 0.0);  // tendons pull
  EXPECT_EQ(run.at(6.0).u[3], 2e6);
  const VectorXd opened = run.at(6.0).q.tail(2) - run.at(4.99).q.tail(2);
  EXPECT_GT(opened[1], 1e-5) << "the source of the gripper under pressure [m^2]";
  EXPECT_LT((run.at(6.0).q.head(6) - arm).lpNorm<Eigen::Infinity>(), 1e-9) << "the arm holds";
}

}  // namespace
}  // namespace cuttle
