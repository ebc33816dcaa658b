// What controllers record: references, errors, outputs and states, in results and in what is drawn of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "cuttle/control/controllers.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/view/curve_plot.h"
#include "cuttle/view/report.h"
#include "cuttle/view/shown_run.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string k_robot = R"(cuttle: 1
name: arm
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.02}
    body: {type: rigid, mass: 0.4, com: [0, 0, 0.1], inertia: [2.0e-3, 3.0e-3, 1.0e-3, 0, 0, 0], tip: {position: [0, 0, 0.2]}}
  - name: fore
    joint: {type: prismatic, axis: [0, 0, 1], stiffness: 30}
    body: {type: rigid, mass: 0.3, com: [0, 0, 0.05], inertia: [1.0e-3, 2.0e-3, 1.0e-3, 0, 0, 0]}
actuators:
  - {name: m1, type: joint, link: upper}
  - {name: m2, type: joint, link: fore}
)";
const std::string k_scenario = R"(cuttle: 1
robot: arm.yaml
simulation:
  duration: 0.5
  output_step: 0.0025
  integrator: {type: erk, relative_tolerance: 1.0e-9, absolute_tolerance: 1.0e-11}
  inputs: {m1: 0.2, m2: 0.1}
  controllers:
    - {name: servo, type: pid, inputs: [m2], reference: [{type: cubic, start: 0, end: 0.3, to: 0.02}], kp: 20, kd: 2, ki: 50}
    - {name: clock, type: pid, inputs: [m2, m1], reference: [0.01, 0.1], kp: [3, 0.1], ki: [7, 0], rate: 100, noise: {q: 1.0e-3}}
    - {name: swing, type: computed_torque, inputs: [m1], links: [upper], reference: [{type: quintic, start: 0, end: 0.4, to: 0.5}], kp: 100, kd: 20}
    - {name: push, type: feed_forward, inputs: {m1: 0.05}, window: [0.1, 0.2]}
)";

std::vector<std::string> names_of(const std::vector<CoordinateInfo>& info) {
  std::vector<std::string> names;
  for (const CoordinateInfo& x : info) names.push_back(x.name + " [" + x.unit + "]");
  return names;
}

class Recording : public testing::Test {
 protected:
  Recording() : file_(read_scenario_text(k_scenario, "s.yaml", k_robot)) {
    const Model model(file_.robot);
    Simulator(model, file_.scenario)
        .run({make_hdf5_recorder(path_, result_source(file_)).get(), make_csv_recorder(csv_).get(), &memory_});
  }
  TemporaryDirectory directory_;
  std::string path_ = directory_.path("r.h5"), csv_ = directory_.path("r.csv");
  ScenarioFile file_;
  MemoryRecorder memory_;
};

TEST_F(Recording, IsWhatTheLawsFollowAndSet) {
  const ResultFile result = read_result_file(path_);
  ASSERT_EQ(result.controllers.size(), 4u);
  const ControlColumns &servo = result.controllers[0].columns, &clock = result.controllers[1].columns,
                       &swing = result.controllers[2].columns, &push = result.controllers[3].columns;
  EXPECT_THAT(names_of(servo.reference), ElementsAre("m2 [m]"));
  EXPECT_THAT(names_of(servo.state), ElementsAre("m2 [m s]"));
  EXPECT_THAT(names_of(clock.error), ElementsAre("m2 [m]", "m1 [rad]"));
  EXPECT_THAT(clock.inputs, ElementsAre(1, 0));
  EXPECT_THAT(names_of(swing.reference), ElementsAre("upper.joint.q0 [rad]"));
  EXPECT_THAT(names_of(swing.state), ElementsAre("allocation_residual []"));
  EXPECT_THAT(names_of(push.reference), ElementsAre());
  ASSERT_EQ(result.samples.size(), memory_.samples().size());
  const Signal cubic = Signal::cubic(0, 0.3, 0, 0.02), quintic = Signal::quintic(0, 0.4, 0, 0.5);
  // reference, error, output, state of servo, of clock, ..
  const int k_clock = 4, k_swing = k_clock + 8, k_push = k_swing + 4;
  double integral = 0.0, held = 0.0;
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    const Sample &x = result.samples[i], &recorded = memory_.samples()[i];
    EXPECT_EQ(x.control, recorded.control);
    ASSERT_EQ(x.control.size(), k_push + 1);
    const VectorXd& c = x.control;
    EXPECT_EQ(c[0], cubic.at(x.time));
    EXPECT_NEAR(c[1], cubic.at(x.time) - x.q[1], 1e-15);
    if (i > 0) integral += 0.5 * 0.0025 * (c[1] + result.samples[i - 1].control[1]);
    EXPECT_NEAR(c[3], integral, 1e-6) << x.time;  // of the trapezoidal rule
    EXPECT_NEAR(c[2], 20 * c[1] + 2 * (cubic.derivative(x.time) - x.v[1]) + 50 * c[3], 1e-12);
    EXPECT_NEAR(c[k_clock + 2], 0.01 - x.q[1], 1e-15);  // of the motion, not of what the noisy law is told
    if (i % 4 != 0) {
      EXPECT_NEAR(c[k_clock + 4], held, 1e-15) << x.time;
    }
    held = c[k_clock + 4];
    EXPECT_EQ(c[k_swing], quintic.at(x.time));
    EXPECT_NEAR(c[k_swing + 1], quintic.at(x.time) - x.q[0], 1e-15);
    EXPECT_NEAR(c[k_swing + 3], 0.0, 1e-12);  // the motor can do what the law says
    EXPECT_NEAR(c[k_push], x.time >= 0.1 - 1e-12 && x.time < 0.2 - 1e-12 ? 0.05 : 0.0, 1e-15) << x.time;
    // what acts is signals and all outputs
    EXPECT_NEAR(x.u[0], 0.2 + c[k_clock + 5] + c[k_swing + 2] + c[k_push], 1e-13);
    EXPECT_NEAR(x.u[1], 0.1 + c[2] + c[k_clock + 4], 1e-13);
  }
}

TEST_F(Recording, StandsInTheHeaderOfTheTextAndIsDrawn) {
  std::ifstream file(csv_);
  std::string header;
  std::getline(file, header);
  EXPECT_THAT(header,
              HasSubstr(",controllers.servo.reference.m2,controllers.servo.error.m2,controllers.servo.output.m2,"
                        "controllers.servo.state.m2,controllers.clock.reference.m2,"));
  const std::vector<ShownRun> runs{shown_result(path_)};
  const std::string figure = curve_plot(runs);
  EXPECT_THAT(figure, HasSubstr("error"));
  EXPECT_THAT(figure, HasSubstr("servo.m2"));
  EXPECT_THAT(curve_plot(runs, {.what = {"reference", "output", "control_state"}}), HasSubstr("swing.upper"));
  EXPECT_THAT(curve_plot(runs, {.what = {"controllers.swing.error.*"}}), HasSubstr("upper"));
  EXPECT_THAT(curve_plot(runs, {.what = {"q"}}), Not(HasSubstr("servo")));
  const std::string page = report_page(R"(<script type="application/json" id="cuttle-page">null</script>)", runs);
  EXPECT_THAT(page,
              HasSubstr("\"title\":\"Errors of controllers\",\"curves\":[{\"name\":\"controllers.servo.error.m2\""));
  EXPECT_THAT(page, HasSubstr("References of controllers"));
}

TEST(RecordedControllers, HaveNamesOfTheirOwn) {
  const ScenarioFile file = read_scenario_text(k_scenario, "s.yaml", k_robot);
  const Model model(file.robot);
  Scenario scenario = file.scenario;
  scenario.controllers[1].name = "servo";
  EXPECT_EQ(message<ArgumentError>([&] { Simulator(model, scenario); }),
            "controller 'servo': found the name again, expected one of its own");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
