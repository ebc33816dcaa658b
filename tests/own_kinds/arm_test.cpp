// The arm of examples/own_kinds: a joint, a body, a muscle, a load and a controller of its own.
#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

std::vector<Sample> simulated(const std::string& integrator, Overrides overrides = {}) {
  overrides.push_back("simulation.integrator=" + integrator);
  const ScenarioFile file = load_scenario_file(k_example + "arm_scenario.yaml", overrides);
  const Model model(file.robot);
  file.check_against(model);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, file.scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  EXPECT_LT(outcome.energy_error, 2e-3 * outcome.peak_energy) << integrator;
  return memory.samples();
}

const char* const k_bdf = "{type: bdf, relative_tolerance: 1.0e-8, absolute_tolerance: 1.0e-10}";
const char* const k_newmark = "{type: newmark, step: 0.5e-3}";
const char* const k_without = "simulation.controllers=[]";

TEST_F(OwnKinds, RunWithAdaptiveAndImplicitMethods) {
  const std::vector<Sample> bdf = simulated(k_bdf, {k_without}), newmark = simulated(k_newmark, {k_without});
  ASSERT_EQ(bdf.size(), newmark.size());
  const Sample& last = bdf.back();
  EXPECT_GT(std::abs(last.q[1]), 0.05);  // the muscle bends the finger
  // both methods are far from the limit of their orders: 1000 steps of order 2 over some 100 rad of motion
  EXPECT_LT((last.q - newmark.back().q).norm(), 1e-3 * last.q.norm());
  // the valve: first order, 1e5 Pa from 0.05 s on
  const double pressure = 1e5 * (1.0 - std::exp(-(last.time - 0.05) / 0.05));
  EXPECT_NEAR(last.element_states[0], pressure, 1e-5 * pressure);
  EXPECT_NEAR(newmark.back().element_states[0], pressure, 1e-3 * pressure);
  // the screw
  EXPECT_NEAR(last.tips[0].position.z, 0.05 + 2e-3 * last.q[0], 1e-12);
}

TEST_F(OwnKinds, ControllerSetsTheInputFromTheState) {
  const std::vector<Sample> free = simulated(k_bdf, {k_without}), bdf = simulated(k_bdf),
                            newmark = simulated(k_newmark);
  ASSERT_EQ(bdf.size(), newmark.size());
  for (std::size_t i = 0; i < bdf.size(); ++i) {
    const Sample &x = bdf[i], &y = newmark[i];
    EXPECT_LT((x.q - y.q).norm(), 2e-3) << x.time;
    EXPECT_NEAR(x.u[0], (x.time >= 0.05 ? 1e5 : 0.0) - 2e5 * (-0.3 - x.q[1]) + 2e3 * x.v[1], 1e-6) << x.time;
  }
  EXPECT_LT(std::abs(bdf.back().q[1] + 0.3), 0.5 * std::abs(free.back().q[1] + 0.3));
}

TEST_F(OwnKinds, ControllersAreCheckedLikeEverythingElse) {
  const auto message = [](const std::string& controllers) -> std::string {
    try {
      load_scenario_file(k_example + "arm_scenario.yaml", {"simulation.controllers=" + controllers});
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(message("[{name: a, type: posture, link: finger, input: biceps, kp: 1}]"),
              HasSubstr("simulation.controllers[0]: input: found 'biceps', expected an input"));
  EXPECT_THAT(message("[{name: a, type: posture, link: finger, input: muscle, kp: x, kq: 1}]"),
              AllOf(HasSubstr("kp: found 'x', expected a number"), HasSubstr("kq: ")));
  const std::string one = "{name: a, type: posture, link: finger, input: muscle, kp: 1}";
  EXPECT_THAT(message("[" + one + ", " + one + "]"), HasSubstr("found 'a' again, expected a name of its own"));
  EXPECT_THAT(message("[{name: a, type: post, link: finger}]"), HasSubstr("posture"));
}

// The finger bends in a plane that turns with the spindle, so that its tip leans by its angle.
TEST_F(OwnKinds, SensorsAreRecorded) {
  const ScenarioFile file = load_scenario_file(k_example + "arm_scenario.yaml");
  const Model model(file.robot);
  ASSERT_EQ(recorded_sensors(model).size(), 1u);
  EXPECT_EQ(recorded_sensors(model)[0].columns[0].unit, "rad");
  MemoryRecorder memory;
  Simulator(model, file.scenario).run({&memory});
  Data data(model);
  for (const Sample& sample : memory.samples()) {
    const auto& kinematics = forward_kinematics<double>(model, data, sample.q);
    const Vector3 z = kinematics.pose(model.tip_frame("finger")).rotation * Vector3{0, 0, 1};
    EXPECT_NEAR(sample.sensors[0], std::acos(std::min(z.z, 1.0)), 1e-7) << sample.time;
  }
  EXPECT_GT(memory.samples().back().sensors[0], 0.05);
}

// A robot that was changed in C++ is written by the kinds' own functions; one that has none says so.
TEST_F(OwnKinds, AreWritten) {
  Robot robot = read_robot_file(k_example + "arm.yaml");
  robot.elements.clear();
  robot.links[1].body = robot.links[0].body;
  const std::string text = write_robot(robot).yaml;
  EXPECT_THAT(text, AllOf(HasSubstr("type: screw"), HasSubstr("pitch: 0.002"), HasSubstr("coefficient: 0.02"),
                          HasSubstr("type: tilt")));
  const Model before(robot), after(read_robot(write_robot(robot), "again.yaml"));
  Data data_before(before), data_after(after);
  const VectorXd q = VectorXd::Constant(1, 0.3), v = VectorXd::Constant(1, 2.0);
  EXPECT_EQ(inverse_dynamics<double>(before, data_before, q, v, v),
            inverse_dynamics<double>(after, data_after, q, v, v));
  robot = read_robot_file(k_example + "arm.yaml");
  robot.gravity = {};
  try {
    write_robot(robot);
    ADD_FAILURE() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("finger: body: found a body of type "));
  }
}

/// [N] at a pressure [Pa], without damping.
double muscle_force(double pressure, double contraction) {
  const double alpha = 0.4, area = std::numbers::pi / 4 * 4e-3 * 4e-3;
  return area * pressure *
         (3 / std::pow(std::tan(alpha), 2) * std::pow(1 - contraction, 2) - 1 / std::pow(std::sin(alpha), 2));
}

TEST_F(OwnKinds, MusclePullsAfterChouAndHannaford) {
  const Model model(read_robot_file(k_example + "arm.yaml"));
  Data data(model);
  ElementData elements(model);
  const VectorXd q = (VectorXd(2) << 0.3, -0.7).finished(), v = VectorXd::Zero(2);
  elements.states[0] = 8e4;
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.0, VectorXd::Zero(model.nu()), elements);
  const double contraction = elements.y[0] / elements.rest[0];
  EXPECT_GT(contraction, 0.0);
  const double force = muscle_force(8e4, contraction);
  EXPECT_NEAR(elements.efforts[0], force, 1e-12 * force);
}

TEST_F(OwnKinds, DragIsAgainstTheVelocity) {
  const Model model(read_robot_file(k_example + "arm.yaml"));
  Data data(model);
  const VectorXd q = (VectorXd(2) << 0.3, -0.7).finished(), v = (VectorXd(2) << 2.0, 4.0).finished();
  std::vector<ExternalWrenchT<double>> wrenches(state_load_count(model));
  ASSERT_EQ(wrenches.size(), 1u);
  state_load_wrenches<double>(model, data, 0.0, q, v, VectorXd::Zero(2), VectorXd(), wrenches);
  const Vector3 velocity = data.kinematics.velocity_of(model.tip_frame("finger")).linear;
  const double speed = to_eigen(velocity).norm();
  EXPECT_GT(speed, 0.1);
  const Vector3 force = wrenches[0].wrench.force;  // axes of the tip, as the velocity
  EXPECT_LT((to_eigen(force) + 0.02 * speed * to_eigen(velocity)).norm(), 1e-10 * speed);
  // with a change by name
  const Model twice = model.with("loads[0].coefficient", 0.04);
  Data other(twice);
  state_load_wrenches<double>(twice, other, 0.0, q, v, VectorXd::Zero(2), VectorXd(), wrenches);
  EXPECT_LT(to_eigen(wrenches[0].wrench.force - 2.0 * force).norm(), 1e-12);
}

TEST_F(OwnKinds, ResultsAreReadAgainAndShown) {
  const ScenarioFile file = load_scenario_file(k_example + "arm_scenario.yaml", {"simulation.duration=0.1"});
  const Model model(file.robot);
  const std::string path = directory_.path("arm.h5");
  Simulator(model, file.scenario).run({make_hdf5_recorder(path, result_source(file)).get()});
  const ResultFile result = read_result_file(path);
  ASSERT_EQ(result.samples.size(), 11u);
  EXPECT_EQ(result.robot.links[0].joint->type_name(), "screw");
  EXPECT_EQ(result.robot.links[1].body->type_name(), "flexure");
  EXPECT_EQ(result.robot.elements[0].law->type_name(), "mckibben");
  EXPECT_EQ(result.robot.loads[0].law->type_name(), "drag");
  EXPECT_FALSE(result.robot.links[1].body->surface().empty());  // its picture
  // states, then outputs: the tension of the formula and what its damper adds
  for (const Sample& sample : result.samples) {
    ASSERT_EQ(sample.element_outputs.size(), 2);
    Data data(model);
    ElementData elements(model);
    element_motion<double>(model, data, sample.q, sample.v, elements);
    const double contraction = elements.y[0] / elements.rest[0];
    const double tension = muscle_force(sample.element_states[0], contraction) - 0.5 * elements.rate[0];
    EXPECT_NEAR(sample.element_outputs[0], tension, 1e-12 * (1.0 + tension)) << sample.time;
    EXPECT_NEAR(sample.element_outputs[1], contraction, 1e-15) << sample.time;
  }
  EXPECT_GT(result.samples.back().element_outputs[0], 1.0);
}

TEST_F(OwnKinds, NumbersAreParameters) {
  const std::string path = k_example + "arm.yaml";
  const Model model(read_robot_file(path));
  const VectorXd q = (VectorXd(2) << 0.3, 0.7).finished(), v = (VectorXd(2) << 0.5, -0.4).finished();
  const auto force = [&](const Model& any) -> VectorXd {
    Data data(any);
    ElementData elements(any);
    elements.states[0] = 8e4;
    element_motion<double>(any, data, q, v, elements);
    element_efforts<double>(any, 0.0, VectorXd::Zero(any.nu()), elements);
    const VectorXd pull = elements.matrix * elements.efforts;
    return inverse_dynamics(any, data, q, v, v) - pull;
  };
  const std::vector<std::string> paths{"links.spindle.joint.pitch", "links.finger.body.length",
                                       "links.finger.body.stiffness", "elements.muscle.diameter",
                                       "elements.muscle.braid_angle"};
  const ModelT<ForwardDual> variable = differentiate(model, paths);
  DataT<ForwardDual> data(variable);
  ElementDataT<ForwardDual> elements(variable);
  elements.states[0] = ForwardDual(8e4);
  const VectorXT<ForwardDual> at = q.cast<ForwardDual>(), rate = v.cast<ForwardDual>();
  element_motion<ForwardDual>(variable, data, at, rate, elements);
  element_efforts<ForwardDual>(variable, 0.0, VectorXT<ForwardDual>::Zero(variable.nu()), elements);
  const VectorXT<ForwardDual> pull = elements.matrix * elements.efforts;
  const VectorXT<ForwardDual> result = inverse_dynamics<ForwardDual>(variable, data, at, rate, rate) - pull;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const double value = parameter_source(model.robot())->parameter(paths[k]).value, h = 1e-5 * value;
    const VectorXd difference =
        (force(model.with(paths[k], value + h)) - force(model.with(paths[k], value - h))) / (2 * h);
    EXPECT_GT(difference.norm(), 0.0) << paths[k];
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(result[i].derivative[k], difference[i], 1e-7 * difference.norm()) << paths[k] << " " << i;
    }
    // --set says the same as `with`
    std::ostringstream setting;
    setting << std::setprecision(17) << "robot." << paths[k] << "=" << 1.1 * value;
    EXPECT_EQ(force(Model(read_robot_file(path, {setting.str()}))), force(model.with(paths[k], 1.1 * value)))
        << setting.str();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
