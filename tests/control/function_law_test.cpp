// Controllers that are functions: the law of the library by the same formula, and what is said of functions that do not
// do as they should.
#include "cuttle/control/function_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "cuttle/error.h"
#include "cuttle/io/robot_text.h"
#include "cuttle/io/scenario_of_robot.h"
#include "cuttle/simulation/simulator.h"
#include "support/controlled_arm.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Model arm_with_motor() {
  const std::string text = std::string(k_arm) + "actuators: [{name: motor, type: joint, link: upper}]\n";
  return Model(load_robot_text(text, "arm.yaml").robot);
}

std::vector<Sample> run_with(const Model& model, const std::shared_ptr<const Controller>& controller) {
  Scenario scenario;
  scenario.duration = 0.3;
  scenario.controllers = {{"law", controller}};
  MemoryRecorder memory;
  Simulator(model, scenario).run({&memory});
  return memory.samples();
}

ControlSettings sampled() {
  ControlSettings settings;
  settings.inputs = {"motor"}, settings.rate = 100, settings.limits = {{-2}, {2}, {}};
  return settings;
}

TEST(FunctionLaw, IsThatOfTheLibraryByTheSameFormula) {
  const Model model = arm_with_motor();
  const std::vector<Sample> found = run_with(model, make_function_law(sampled(), [] {
                                               return [](const ControlArguments& at, VectorXd& out) {
                                                 out[0] = 8.0 * (0.5 - at.q[0]) - 1.0 * at.v[0];
                                               };
                                             }));
  PidSettings same{{{sampled(), {}, {}}, {}, {}}, {}};
  same.reference = {0.5}, same.kp = {8}, same.kd = {1};
  const std::vector<Sample> expected = run_with(model, make_pid(same));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT((found[i].q - expected[i].q).norm(), 1e-9) << found[i].time;
  }
  EXPECT_EQ(found.front().u[0], 2.0);  // at its limit
  EXPECT_GT(found.back().q[0], 0.05);
}

TEST(FunctionLaw, EachRunHasAFunctionOfItsOwn) {
  const Model model = arm_with_motor();
  const auto counting = make_function_law(sampled(), [] {
    return [count = 0](const ControlArguments&, VectorXd& out) mutable { out[0] = 0.01 * ++count; };
  });
  const double first = run_with(model, counting).back().u[0];
  EXPECT_GT(first, 0.25);
  EXPECT_EQ(run_with(model, counting).back().u[0], first);
}

TEST(FunctionLaw, RefusesWhatMakesNoSense) {
  const auto nothing = [] { return [](const ControlArguments&, VectorXd&) {}; };
  ControlSettings settings = sampled();
  settings.rate.reset();
  EXPECT_THAT([&] { make_function_law(settings, nothing); },
              ThrowsMessage<ArgumentError>(HasSubstr("rate: found none, expected samples a second [Hz]")));
  const Model model = arm_with_motor();
  const auto not_finite = make_function_law(sampled(), [] {
    return [](const ControlArguments&, VectorXd& out) { out[0] = std::numeric_limits<double>::quiet_NaN(); };
  });
  EXPECT_THAT(
      [&] { run_with(model, not_finite); },
      ThrowsMessage<SimulationError>(HasSubstr("outputs[0] of the function: found nan, expected a finite number")));
}

TEST(ScenarioOfRobot, IsReadAndCheckedWithoutItsRobotsFile) {
  const Model model = arm_with_motor();
  const ScenarioFile good = read_scenario_of_robot(
      "cuttle: 1\nrobot: nowhere.yaml\nsimulation: {duration: 2, inputs: {motor: 0.5}, initial: {upper: {q: [0.3]}}}\n",
      "twin.yaml", model);
  EXPECT_EQ(good.scenario.duration, 2.0);
  EXPECT_EQ(good.scenario.inputs.at("motor").at(0.0), 0.5);
  EXPECT_EQ(Simulator(model, good.scenario).initial_state().q[0], 0.3);
  const auto refuses = [&](const std::string& keys, const std::string& message) {
    EXPECT_THAT([&] { read_scenario_of_robot("cuttle: 1\nrobot: r.yaml\n" + keys, "twin.yaml", model); },
                ThrowsMessage<FileError>(HasSubstr(message)))
        << keys;
  };
  refuses("simulation: {inputs: {moter: 1}}\n", "twin.yaml:3:30: simulation.inputs.moter: found no input 'moter'");
  refuses("simulation: {}\nset: [robot.gravity=0]\n",
          "set: found changes of a robot that is there already, expected none");
}

TEST(ScenarioOfRobot, HasCoordinatesForWhatItDrives) {
  const auto model = std::make_shared<const Model>(arm_with_motor().robot());
  const std::string start = "cuttle: 1\nrobot: nowhere.yaml\nsimulation: ";
  const ScenarioFile still = read_scenario_of_robot(start + "{duration: 0.1}\n", "twin.yaml", *model);
  EXPECT_EQ(model_of_run(still, model), model);
  const ScenarioFile shaken = read_scenario_of_robot(
      start + "{duration: 0.1, motion: {base: {position: [0, 0, {type: sine, amplitude: 0.1, frequency: 1}]}}}\n",
      "twin.yaml", *model);
  const auto floating = model_of_run(shaken, model);
  EXPECT_EQ(floating->nv(), model->nv() + 6);
  EXPECT_EQ(Simulator(*floating, shaken.scenario).run({}).status, RunStatus::complete);
}

TEST(RobotText, NamesFilesInMemoryAndNoOthers) {
  const std::string text =
      "cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: 1}, visual: {shape: mesh, file: a.obj}}]\n";
  EXPECT_THAT([&] { load_robot_text(text, "in memory", FileTexts{}); }, ThrowsMessage<FileError>(HasSubstr("a.obj")));
  const RobotFile file =
      load_robot_text(text, "in memory", FileTexts{{"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}});
  EXPECT_EQ(file.visuals.size(), 1U);
  EXPECT_EQ(file.files.size(), 1U);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
