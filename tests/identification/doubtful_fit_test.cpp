// What is said of a fit: whether its values explain the data, and what to try if they do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "cuttle/identification/identification.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/robot_file.h"
#include "identification/simulated_recording.h"
#include "support/loop_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::freed;
using test::record;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char* const k_pendulum = R"(cuttle: 1
name: pendulum
links:
- {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 3, damping: 0.1}, body: {type: rigid, mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001, 0, 0, 0], tip: {position: [0, 0, -0.5]}}}
actuators: [{name: motor, type: joint, link: arm}]
)";

Model pendulum() { return Model(read_robot_text(k_pendulum, "pendulum.yaml")); }

/// How far motors of 0 to 4 N m lift the pendulum, k q + m g c sin(q) = u in closed form, with noise.
MeasuredTable lifted(double stiffness, int rows, double noise, unsigned seed) {
  MeasuredTable table{"lifted.csv", {{"motor", "", {}}, {"arm.joint.q0", "rad", {}}}, {}, 0};
  test::Normal normal(seed);
  for (int row = 0; row < rows; ++row) {
    const double q = 0.1 + 0.9 * row / (rows - 1);
    table.numbers[0].values.push_back(stiffness * q + 9.81 * 0.25 * std::sin(q));
    table.numbers[1].values.push_back(q + noise * normal());
  }
  table.row_count = static_cast<std::size_t>(rows);
  return table;
}

Identification identify_table(const Model& model, const MeasuredTable& table, const std::vector<std::string>& free,
                              const IdentificationOptions& options = {}) {
  const auto experiment = make_equilibrium_experiment(model, table, {});
  return identify(model, freed(model, {experiment.get()}, free), {experiment.get()}, options);
}

Scenario swing(double duration) {
  Scenario scenario = test::release(duration, "rk4", 0.01);
  scenario.initial["arm"].q = {1.2};
  return scenario;
}

Identification identify_motion(const Model& model, const Scenario& scenario, const MeasuredTable& table,
                               const std::vector<std::string>& free, const IdentificationOptions& options = {}) {
  const auto experiment = make_motion_experiment(model, scenario, table, {});
  return identify(model, freed(model, {experiment.get()}, free), {experiment.get()}, options);
}

TEST(DoubtfulFit, AGoodOneIsLeftAlone) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const MeasuredTable table = lifted(3.0, 12, 0.01, seed);
    const Identification still =
        identify_table(pendulum().with("links.arm.joint.stiffness", 6.0), table, {"links.arm.joint.stiffness"});
    EXPECT_TRUE(still.converged()) << still.message;
    EXPECT_THAT(still.hints, IsEmpty());
    EXPECT_NEAR(still.values[0], 3.0, 4.0 * still.parameters[0].deviation) << seed;
    const Identification moving =
        identify_motion(pendulum().with("links.arm.joint.damping", 1e-12), swing(2.0),
                        record(pendulum(), swing(2.0), {"arm.joint.q0"}, 0.02, seed), {"links.arm.joint.damping"});
    EXPECT_TRUE(moving.converged()) << moving.message;
    EXPECT_THAT(moving.hints, IsEmpty());
    EXPECT_NEAR(moving.values[0], 0.1, 4.0 * moving.parameters[0].deviation) << seed;
  }
}

TEST(DoubtfulFit, BoundsThatKeepTheValueOutAreNamed) {
  const Identification found = identify_table(pendulum().with("links.arm.joint.stiffness", 25.0),
                                              lifted(3.0, 12, 1e-3, 1), {"links.arm.joint.stiffness=20:40"});
  EXPECT_FALSE(found.converged());
  EXPECT_TRUE(found.parameters[0].at_bound);
  EXPECT_THAT(found.message, HasSubstr("does not explain the data"));
  EXPECT_THAT(found.hints, Contains(HasSubstr("--starts 12 begins at other values within the bounds")));
  EXPECT_THAT(found.hints, Contains(HasSubstr("at a bound, beyond which the fit may be better: links.arm.joint.stif")));
}

// A model that cannot swing as the data do ends at a minimum, and that is no fit.
TEST(DoubtfulFit, AWrongModelDoesNotConverge) {
  const MeasuredTable table = record(pendulum(), swing(4.0), {"arm.joint.q0"}, 1e-3, 1);
  const Identification found = identify_motion(pendulum().with("links.arm.joint.stiffness", 30.0), swing(4.0), table,
                                               {"links.arm.joint.damping"});
  EXPECT_FALSE(found.converged());
  EXPECT_THAT(found.message, Not(HasSubstr("converged")));
  EXPECT_THAT(found.hints, Contains(HasSubstr("times the noise of the data")));
  EXPECT_THAT(found.hints, Contains(HasSubstr("with bounds (--free PATH=LOWER:UPPER) --starts 12")));
}

// One load again and again: what one value can explain of that is the mean, and the rest is noise, by equal inputs.
TEST(DoubtfulFit, RepeatedMeasurementsAreExplainedByTheirMean) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const int rows : {2, 10}) {
      MeasuredTable table = lifted(3.0, rows, 0.0, seed);
      test::Normal normal(seed);
      double mean = 0.0;
      for (double& torque : table.numbers[0].values) torque = 3.0 * 0.4 + 9.81 * 0.25 * std::sin(0.4);
      for (double& angle : table.numbers[1].values) angle = 0.4 + 0.01 * normal(), mean += angle / rows;
      const Identification found =
          identify_table(pendulum().with("links.arm.joint.stiffness", 6.0), table, {"links.arm.joint.stiffness"});
      EXPECT_TRUE(found.converged()) << seed << ": " << found.message;
      EXPECT_THAT(found.hints, IsEmpty());
      const double torque = table.numbers[0].values[0];
      EXPECT_NEAR(found.values[0], (torque - 9.81 * 0.25 * std::sin(mean)) / mean, 2e-3 * found.values[0]);
    }
  }
}

TEST(DoubtfulFit, EqualRowsWithoutNoiseAreExplained) {
  MeasuredTable table = lifted(3.0, 2, 0.0, 1);
  for (auto* column : {&table.numbers[0].values, &table.numbers[1].values}) (*column)[0] = (*column)[1];
  const Identification found =
      identify_table(pendulum().with("links.arm.joint.stiffness", 6.0), table, {"links.arm.joint.stiffness"});
  EXPECT_TRUE(found.converged()) << found.message;
  EXPECT_THAT(found.hints, IsEmpty());
  EXPECT_NEAR(found.values[0], 3.0, 1e-6);
  // bounds that keep the value out leave what nothing explains, and no part of the data's variation is infinite
  const Identification kept_out =
      identify_table(pendulum().with("links.arm.joint.stiffness", 25.0), table, {"links.arm.joint.stiffness=20:40"});
  EXPECT_FALSE(kept_out.converged());
  for (const std::string& hint : kept_out.hints) EXPECT_THAT(hint, Not(HasSubstr("inf")));
  EXPECT_THAT(kept_out.message, Not(HasSubstr("inf")));
}

// 5.5 samples a period: third differences of such an oscillation are no noise, and a wrong stiffness no fit.
TEST(DoubtfulFit, FewSamplesAPeriodHideNoWrongMinimum) {
  Scenario few = swing(6.0);
  few.output_step = 0.14;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const MeasuredTable table = record(pendulum(), few, {"arm.joint.q0"}, 1e-3, seed);
    const Identification wrong =
        identify_motion(pendulum().with("links.arm.joint.stiffness", 30.0), few, table, {"links.arm.joint.damping"});
    EXPECT_FALSE(wrong.converged()) << wrong.message;
    EXPECT_THAT(wrong.message, HasSubstr("does not explain the data"));
    const Identification right = identify_motion(pendulum(), few, table, {"links.arm.joint.damping"});
    EXPECT_TRUE(right.converged()) << right.message;
    EXPECT_THAT(right.hints, IsEmpty());
  }
}

// A column of noise alone, and noise as large as the motion: what is left looks random, so nothing more can be said.
TEST(DoubtfulFit, MuchNoiseIsNoWrongMinimum) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const MeasuredTable table = record(pendulum(), swing(3.0), {"arm.joint.q0"}, 0.6, seed);
    const Identification found = identify_motion(pendulum(), swing(3.0), table, {"links.arm.joint.damping"});
    EXPECT_TRUE(found.converged()) << found.message;
    EXPECT_THAT(found.hints, IsEmpty());
  }
}

/// Measured numbers that a free parameter is equal to, with runs of a tolerance. Ctrl-C comes when they get finer.
class StoppedWhenFiner final : public Experiment {
 public:
  explicit StoppedWhenFiner(std::atomic<bool>& stop) : stopped_(stop) {
    set_label("numbers.csv");
    channels_.push_back({"a", "a", "m"});
    for (std::size_t i = 0; i < 5; ++i) points_.push_back({0, i, 3.0 + 0.01 * static_cast<double>(i)});
    row_count_ = points_.size(), groups_.assign(row_count_, "one");
  }
  double run_tolerance() const override { return tolerance_; }
  void set_run_tolerance(double relative) override { tolerance_ = relative, stopped_ = true; }
  bool predict(const FreedRobot& robot, const std::vector<char>& /*left_out*/, VectorXd& predicted, MatrixXd* jacobian,
               std::string& /*trouble*/) override {
    predicted.setConstant(5, robot.values()[0]);
    if (jacobian != nullptr) jacobian->setOnes(5, 1);
    return stop_ == nullptr || !*stop_;
  }
  std::vector<UnpredictedRows> predict_rows(const FreedRobot& robot, const std::vector<char>& /*left_out*/,
                                            VectorXd& predicted) override {
    predicted.setConstant(5, robot.values()[0]);
    return {};
  }
  std::vector<Sample> samples(const FreedRobot& /*robot*/, const std::vector<std::size_t>& /*rows*/) override {
    return {};
  }

 private:
  std::atomic<bool>& stopped_;
  double tolerance_ = 1e-4;
};

TEST(DoubtfulFit, AnInterruptedRefinementSaysSo) {
  std::atomic<bool> stop = false;
  StoppedWhenFiner experiment(stop);
  const Model model = pendulum();
  IdentificationOptions options;
  options.stop = &stop, options.refine_runs = true;
  const Identification found = identify(model, freed(model, {}, {"links.arm.joint.stiffness"}), {&experiment}, options);
  EXPECT_TRUE(stop);
  EXPECT_EQ(found.status, LeastSquaresStatus::stopped);
  EXPECT_EQ(found.message, "stopped: the best so far");
  EXPECT_NEAR(found.values[0], 3.02, 1e-9);
}

// Deviations that are known decide alone: what varies by its noise only is explained by a constant.
TEST(DoubtfulFit, KnownDeviationsSayHowLargeResidualsMayBe) {
  MeasuredTable table = lifted(3.0, 30, 0.0, 1);
  test::Normal normal(4);
  for (double& torque : table.numbers[0].values) torque = 0.0;
  for (double& angle : table.numbers[1].values) angle = 0.2 + 0.05 * normal();
  const Model model = pendulum();
  const auto experiment = make_equilibrium_experiment(model, table, {});
  IdentificationOptions options;
  options.deviations_known = true;
  const auto parameters = freed(model, {experiment.get()}, {"arm.joint.q0.bias"});
  for (const auto& [deviation, good] : {std::pair{0.05, true}, {0.002, false}}) {
    experiment->channels().front().deviation = deviation;
    const Identification found = identify(model, parameters, {experiment.get()}, options);
    EXPECT_EQ(found.converged(), good) << found.message;
    EXPECT_EQ(found.hints.empty(), good);
    EXPECT_NEAR(found.values[0], 0.2, 0.04);
  }
}

// From a stiffness far away the model is soon in another phase than the data, where the sum of squares has many minima.
TEST(DoubtfulFit, TheBeginningOfARecordingLeadsToTheRightMinimum) {
  const MeasuredTable table = record(pendulum(), swing(6.0), {"arm.joint.q0"}, 2e-3, 2);
  for (const double start : {0.1, 30.0, 100.0}) {
    const Identification found =
        identify_motion(pendulum().with("links.arm.joint.stiffness", start), swing(6.0), table,
                        {"links.arm.joint.stiffness=0.01:1000:log", "links.arm.joint.damping=0:10"});
    EXPECT_TRUE(found.converged()) << start << ": " << found.message;
    EXPECT_NEAR(found.values[0], 3.0, 4.0 * found.parameters[0].deviation) << start;
    EXPECT_NEAR(found.values[1], 0.1, 4.0 * found.parameters[1].deviation) << start;
  }
}

TEST(DoubtfulFit, OutliersAreNamed) {
  MeasuredTable motion = record(pendulum(), swing(3.0), {"arm.joint.q0"}, 1e-3, 6);
  motion.numbers[1].values[40] += 0.7, motion.numbers[1].values[41] += 0.6;
  MeasuredTable table = lifted(3.0, 20, 1e-3, 7);
  table.numbers[1].values[13] -= 0.3;
  const std::vector<std::string> free{"links.arm.joint.stiffness"};
  for (const Loss loss : {Loss::squares, Loss::huber}) {
    IdentificationOptions options;
    options.loss = loss;
    for (const auto& [found, said] :
         {std::pair{identify_motion(pendulum(), swing(3.0), motion, free, options), "row 40 of column 'arm.joint.q0'"},
          {identify_table(pendulum(), table, free, options), "row 13 of column 'arm.joint.q0' of lifted.csv"}}) {
      EXPECT_TRUE(found.converged()) << found.message;
      if (loss == Loss::squares) {
        EXPECT_THAT(found.hints,
                    Contains(testing::AllOf(HasSubstr(said), HasSubstr("--loss soft_l1, huber or cauchy"))));
      } else {
        EXPECT_THAT(found.hints, IsEmpty());
        EXPECT_NEAR(found.values[0], 3.0, 0.02);
      }
    }
  }
}

// Without a scale a loss takes that of the residuals: of normal noise 1.345 (cauchy 2.385) of its deviations, by a
// tenth where there are 151 of them, with one in twenty gross or without; and its values are those of that scale if it
// is given.
TEST(DoubtfulFit, ALossWithoutAScaleHasThatOfTheResiduals) {
  constexpr double k_noise = 2e-3;
  for (const bool gross : {false, true}) {
    MeasuredTable table = record(pendulum(), swing(3.0), {"arm.joint.q0"}, k_noise, 8);
    for (std::size_t row = 7; gross && row < table.row_count; row += 20) table.numbers[1].values[row] += 0.5;
    const std::vector<std::string> free{"links.arm.joint.stiffness", "links.arm.joint.damping"};
    const Model begin = pendulum().with("links.arm.joint.stiffness", 1.5);
    const auto error_of = [&](const Identification& found) { return std::abs(found.values[0] - 3.0); };
    const double squares = error_of(identify_motion(begin, swing(3.0), table, free));
    for (const auto& [loss, factor] : {std::pair{Loss::huber, 1.345}, {Loss::soft_l1, 1.345}, {Loss::cauchy, 2.385}}) {
      IdentificationOptions options;
      options.loss = loss;
      const Identification found = identify_motion(begin, swing(3.0), table, free, options);
      EXPECT_NEAR(found.loss_scale, factor * k_noise, 0.25 * factor * k_noise) << gross;
      EXPECT_TRUE(found.converged()) << found.message;
      options.loss_scale = found.loss_scale;
      const Identification again = identify_motion(begin, swing(3.0), table, free, options);
      EXPECT_NEAR(again.values[0], found.values[0], 0.02 * found.parameters[0].deviation);
      if (gross) {
        EXPECT_LT(error_of(found), 0.2 * squares);
      }
    }
  }
}

// Closed loops, an integrator that holds them and chooses its steps, and a start next to zero.
TEST(DoubtfulFit, AFourBarLinkageIsLearnedFromNextToNothing) {
  Robot robot = test::FourBar{}.robot();
  const Model truth = Model(robot).with({{"links.crank.joint.damping", 0.02}, {"links.rocker.joint.damping", 0.05}});
  Scenario scenario = test::release(1.0, "generalized_alpha", 0.0);
  scenario.initial["crank"].q = {1.0}, scenario.initial["coupler"].q = {-0.6}, scenario.initial["rocker"].q = {1.6};
  scenario.integrator.relative_tolerance = 1e-8, scenario.integrator.absolute_tolerance = 1e-10;
  const MeasuredTable table = record(truth, scenario, {"crank.joint.q0", "rocker.joint.q0"}, 1e-3, 9);
  MotionExperimentOptions reading;
  reading.least_relative_tolerance = 1e-4;
  const Model begin = truth.with({{"links.crank.joint.damping", 1e-12}, {"links.rocker.joint.damping", 1e-12}});
  const auto experiment = make_motion_experiment(begin, scenario, table, reading);
  IdentificationOptions options;
  options.refine_runs = true;
  const Identification found =
      identify(begin, freed(begin, {experiment.get()}, {"links.crank.joint.damping=0:1", "links.rocker.joint.damping"}),
               {experiment.get()}, options);
  EXPECT_TRUE(found.converged()) << found.message;
  EXPECT_LT(found.rms, 1.2e-3);
  EXPECT_NEAR(found.values[0], 0.02, 4.0 * found.parameters[0].deviation);
  EXPECT_NEAR(found.values[1], 0.05, 4.0 * found.parameters[1].deviation);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
