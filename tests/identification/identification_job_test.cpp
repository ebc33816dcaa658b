// An identification by files is the same as one whose experiments are made by hand, and loses nothing that was found.
#include "cuttle/identification/identification_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cuttle/error.h"
#include "cuttle/identification/motion_experiment.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/view/identification_page.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* k_viewer = R"(<script type="application/json" id="cuttle-page">null</script>)";

class IdentificationJobTest : public testing::Test {
 protected:
  IdentificationJobTest() {
    robot_ = directory_.write("swing.yaml", robot(0.3));
    scenario_ = directory_.write("swing_scenario.yaml",
                                 "cuttle: 1\nrobot: swing.yaml\nsimulation: {duration: 1, output_step: 0.02, initial: "
                                 "{arm: {q: [0.8]}}, integrator: {type: rk4, step: 0.01}}\n");
    const ScenarioFile truth = load_scenario_file(scenario_, {"robot.links.arm.joint.damping=0.05"});
    MemoryRecorder memory;
    Simulator(Model(truth.robot), truth.scenario).run({&memory});
    std::string text = "time,arm.joint.q0\n";
    for (const Sample& sample : memory.samples()) {
      text += std::to_string(sample.time) + "," + std::to_string(sample.q[0]) + "\n";
    }
    table_ = directory_.write("swing.csv", text);
    request_.files = {scenario_, table_}, request_.free = {"links.arm.joint.damping=1e-3:1:log", "time.shift"};
  }
  static std::string robot(double damping) {
    return "cuttle: 1\nname: swing\nlinks:\n  - {name: arm, joint: {type: revolute, axis: [0, 1, 0], damping: " +
           std::to_string(damping) +
           "}, body: {type: rigid, mass: 1, com: [0, 0, -0.3], inertia: [0.03, 0.03, 0.001, 0, 0, 0]}}\n";
  }

  TemporaryDirectory directory_;
  std::string robot_, scenario_, table_;
  IdentificationRequest request_;
};

TEST_F(IdentificationJobTest, FindsWhatADirectCallFinds) {
  IdentificationJob job(request_);
  job.prepare();
  std::vector<double> parts;
  job.fit(nullptr, [&](double done, const std::string& words) {
    parts.push_back(done);
    EXPECT_THAT(words, HasSubstr("best: cost "));
  });
  ASSERT_FALSE(parts.empty());
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()) && parts.front() >= 0.0 && parts.back() <= 1.0);

  const ScenarioFile file = load_scenario_file(scenario_);
  const Model model(file.robot);
  const std::unique_ptr<Experiment> experiment = make_motion_experiment(
      model, file.scenario, read_measured_file(table_), {.least_relative_tolerance = k_run_tolerance});
  std::vector<FreeParameter> parameters;
  for (const std::string& text : request_.free) {
    parameters.push_back(parse_free_parameter(model, text, set_up_constants({experiment.get()})));
  }
  IdentificationOptions options;
  options.refine_runs = true;
  const Identification direct = identify(model, parameters, {experiment.get()}, options);
  const Identification& found = job.outcome().found;
  ASSERT_EQ(found.values.size(), direct.values.size());
  for (Eigen::Index i = 0; i < direct.values.size(); ++i) EXPECT_EQ(found.values[i], direct.values[i]);
  EXPECT_NEAR(found.values[0], 0.05, 1e-4);  // of six decimals of angles near 1

  const Json answer = Json::parse(identification_json(job.outcome()));
  EXPECT_EQ(answer["parameters"][0]["value"].get<double>(), direct.values[0]);
  EXPECT_EQ(answer["parameters"][1]["path"], "time.shift");
  EXPECT_EQ(answer["covariance"][0][1].get<double>(), direct.covariance(0, 1));
  EXPECT_EQ(answer["converged"], direct.converged());
}

// Stopped while it searches: the best so far is written, and nothing that takes long is begun.
TEST_F(IdentificationJobTest, KeepsTheBestSoFarWhereItIsStopped) {
  request_.solving.starts = 10000, request_.folds = 3;
  request_.output = directory_.path("found.yaml"), request_.report = directory_.path("found.html");
  std::atomic<bool> stop = false;
  IdentificationJob job(request_);
  job.prepare();
  job.fit(&stop, [&](double, const std::string&) { stop = true; });
  EXPECT_EQ(job.outcome().found.status, LeastSquaresStatus::stopped);
  job.write_robot();
  job.validate();
  job.compare_held_out();
  job.write_report([&] { return identification_page(job, k_viewer); });
  EXPECT_NO_THROW(job.rethrow_failure());
  EXPECT_FALSE(job.outcome().cross.has_value());
  const Model written(load_robot_file(request_.output).robot);
  EXPECT_EQ(written.parameter("links.arm.joint.damping").value, job.outcome().found.values[0]);
  EXPECT_EQ(job.outcome().report, request_.report);
  EXPECT_TRUE(std::filesystem::exists(request_.report));
}

// A step that fails keeps no other one from its work, and is told of in the end.
TEST_F(IdentificationJobTest, GoesOnBehindAStepThatFails) {
  request_.report = directory_.path("found.html"), request_.output = directory_.path("found.yaml");
  IdentificationJob job(request_);
  job.prepare();
  job.fit(nullptr, {});
  job.write_report([]() -> std::string { throw Error("no page today"); });
  job.write_robot();
  EXPECT_EQ(job.outcome().report, "");
  EXPECT_EQ(job.outcome().written, request_.output);
  try {
    job.rethrow_failure();
    ADD_FAILURE() << "found no failure";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no page today");
  }
}

TEST_F(IdentificationJobTest, ReplacesForeignFilesWhereItIsForcedTo) {
  request_.output = directory_.write("mine.yaml", "what: ever\n");
  IdentificationJob refused(request_);
  EXPECT_THROW(refused.prepare(), FileError);
  request_.force = true;
  {
    IdentificationJob job(request_);
    job.prepare();
    job.fit(nullptr, {});
    job.write_robot();
    EXPECT_NO_THROW(job.rethrow_failure());
  }
  EXPECT_NO_THROW(load_robot_file(request_.output));
  request_.output = robot_;  // what it reads stays
  EXPECT_THROW(IdentificationJob(request_).prepare(), FileError);
}

TEST_F(IdentificationJobTest, RefusesWhatNoFileNeedsToBeReadFor) {
  request_.files = {"nowhere.yaml", "nowhere.csv"};
  const auto said = [&] {
    try {
      const IdentificationJob job(request_);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  request_.loss = "huber:-1";
  EXPECT_THAT(said(), HasSubstr("--loss: found 'huber:-1'"));
  request_.loss = "huber:2", request_.between = "guess";
  EXPECT_THAT(said(), HasSubstr("guess"));
  request_.between = "linear", request_.report = "page.pdf";
  EXPECT_THAT(said(), HasSubstr("--report: found 'page.pdf'"));
  request_.report = "", request_.length = 0.0;
  EXPECT_THAT(said(), HasSubstr("--length: found 0"));
  request_.length.reset();
  EXPECT_THAT(said(), HasSubstr("nowhere.yaml"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
