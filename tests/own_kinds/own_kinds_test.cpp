// Kinds of users in robot files: those of examples/own_kinds, compiled into this program, and as a plugin of the tool.
#include "own_kinds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <thread>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/io/kinds.h"
#include "cuttle/io/plugin.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/io/setting_paths.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "io/command_line.h"

namespace cuttle {
namespace {

using ::testing::HasSubstr;

const std::string k_example = std::string(CUTTLE_SOURCE_DIR) + "/examples/own_kinds/";

class OwnKinds : public CommandLine {
 protected:
  static void SetUpTestSuite() {
    if (!registered_) register_own_kinds();
    registered_ = true;
  }
  static bool registered_;
};
bool OwnKinds::registered_ = false;

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

// A robot that was changed in C++ is written by the kinds' own functions; one that has none says so.
TEST_F(OwnKinds, AreWritten) {
  Robot robot = read_robot_file(k_example + "arm.yaml");
  robot.elements.clear();
  robot.links[1].body = robot.links[0].body;
  const std::string text = write_robot(robot).yaml;
  EXPECT_THAT(text, AllOf(HasSubstr("type: screw"), HasSubstr("pitch: 0.002"), HasSubstr("coefficient: 0.02")));
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

TEST_F(OwnKinds, MusclePullsAfterChouAndHannaford) {
  const Model model(read_robot_file(k_example + "arm.yaml"));
  Data data(model);
  ElementData elements(model);
  const VectorXd q = (VectorXd(2) << 0.3, -0.7).finished(), v = VectorXd::Zero(2);
  elements.states[0] = 8e4;
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.0, VectorXd::Zero(model.nu()), elements);
  const double alpha = 0.4, contraction = elements.y[0] / elements.rest[0];
  EXPECT_GT(contraction, 0.0);
  const double area = std::numbers::pi / 4 * 4e-3 * 4e-3;
  const double force =
      area * 8e4 * (3 / std::pow(std::tan(alpha), 2) * std::pow(1 - contraction, 2) - 1 / std::pow(std::sin(alpha), 2));
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

// --- a material and an integrator

double pad_energy(const Model& model, double elongation) {
  const Body& body = *model.robot().links[0].body;
  const double q[] = {elongation, 0.0};
  return body.elastic_energy(q);
}

// A cylinder that is stretched evenly: I1 = s^2 + 2 / s.
TEST_F(OwnKinds, MaterialStoresTheEnergyOfGent) {
  const Model model(read_robot_file(k_example + "pad.yaml"));
  const double mu = 1e5, limit = 2.0, volume = std::numbers::pi * 0.03 * 0.03 * 0.12;
  const auto expected = [&](double q) {
    const double s = 1 + q / 0.12, excess = s * s + 2 / s - 3;
    return -0.5 * mu * limit * volume * std::log(1 - excess / limit);
  };
  for (const double q : {-0.02, 0.01, 0.06}) {
    EXPECT_NEAR(pad_energy(model, q), expected(q), 1e-12 * expected(q)) << q;
    const double at[] = {q, 0.0}, h = 1e-5;
    double force[] = {0.0, 0.0};
    model.robot().links[0].body->add_elastic_force(at, force);
    EXPECT_NEAR(force[0], (expected(q + h) - expected(q - h)) / (2 * h), 1e-6 * std::abs(force[0])) << q;
  }
  // far stiffer than neo-Hookean rubber, with which it begins
  const auto slope = [&](double q) { return (pad_energy(model, q + 1e-4) - pad_energy(model, q - 1e-4)) / 2e-4; };
  EXPECT_NEAR(slope(1e-3) / 1e-3, 3 * mu * volume / (0.12 * 0.12), 0.02 * 3 * mu * volume / (0.12 * 0.12));
  // its numbers are parameters
  const std::string path = "materials.rubber.shear_modulus";
  EXPECT_NEAR(pad_energy(model.with(path, 2 * mu), 0.03), 2 * pad_energy(model, 0.03), 1e-12 * pad_energy(model, 0.03));
  const Model set(read_robot_file(k_example + "pad.yaml", {"robot.materials.rubber.limit=4"}));
  EXPECT_EQ(pad_energy(set, 0.03), pad_energy(model.with("materials.rubber.limit", 4.0), 0.03));
  const VectorXd q = (VectorXd(2) << 0.01, 0.4).finished(), zero = VectorXd::Zero(2);
  const MatrixXd gradient = inverse_dynamics_gradient(model, {path, "materials.rubber.limit"}, q, zero, zero);
  for (int k = 0; k < 2; ++k) {
    const std::string name = k == 0 ? path : "materials.rubber.limit";
    const double value = k == 0 ? mu : limit, h = 1e-5 * value;
    const Model up = model.with(name, value + h), down = model.with(name, value - h);
    Data a(up), b(down);
    const VectorXd difference =
        (inverse_dynamics(up, a, q, zero, zero) - inverse_dynamics(down, b, q, zero, zero)) / (2 * h);
    EXPECT_GT(difference.norm(), 0.0);
    EXPECT_LT((gradient.col(k) - difference).norm(), 1e-7 * difference.norm()) << name;
  }
}

TEST_F(OwnKinds, MaterialIsWrittenAndReadBack) {
  Robot robot = read_robot_file(k_example + "pad.yaml");
  robot.gravity = {0.0, 0.0, -1.62};
  const WrittenRobot text = write_robot(robot);
  EXPECT_THAT(text.yaml, AllOf(HasSubstr("model: gent"), HasSubstr("limit: 2"), HasSubstr("material: rubber")));
  const Model before(robot), after(read_robot(text, "again.yaml"));
  EXPECT_EQ(pad_energy(before, 0.03), pad_energy(after, 0.03));
  robot.links[0].material = "";  // then it stands at the body
  robot.materials.clear();
  const Model apart(read_robot(write_robot(robot), "apart.yaml"));
  EXPECT_EQ(pad_energy(before, 0.03), pad_energy(apart, 0.03));
  const std::string rod =
      "{cuttle: 1, materials: {r: {model: gent, density: 1, shear_modulus: 1, limit: 1}}, links: [{name: a, body: "
      "{type: "
      "rod, length: 1, section: {shape: circle, radius: 0.1}, material: r, strain: pcc}}]}";
  EXPECT_THAT(robot_errors(rod), HasSubstr("material: found 'r' of model gent, expected a linear or neo_hookean"));
  EXPECT_THAT(robot_errors("{cuttle: 1, materials: {r: {model: gent, density: 1, shear_modulus: -1}}, links: []}"),
              AllOf(HasSubstr("materials.r.shear_modulus: found -1, expected a number > 0 [Pa]"),
                    HasSubstr("materials.r.limit: found nothing, expected a number > 0")));
  EXPECT_EQ(message<ArgumentError>([] { register_kind(gent_kind()); }),
            "kind of material: model: found 'gent' again, expected a model that is not there yet");
}

std::vector<Sample> pad_run(const std::string& integrator, double* energy_error = nullptr) {
  const ScenarioFile file =
      load_scenario_file(k_example + "pad_scenario.yaml", {"simulation.integrator=" + integrator});
  const Model model(file.robot);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, file.scenario).run({&memory});
  if (energy_error != nullptr) *energy_error = outcome.energy_error;
  return memory.samples();
}

TEST_F(OwnKinds, IntegratorIsOfOrderThree) {
  const VectorXd reference = pad_run("{type: tsit5, step: 5.0e-5}").back().q;
  double last = 0.0, last_energy = 0.0, energy = 0.0;
  for (const char* step : {"4.0e-4", "2.0e-4", "1.0e-4"}) {
    const VectorXd q = pad_run(std::string("{type: ralston, step: ") + step + "}", &energy).back().q;
    const double error = (q - reference).norm();
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 3.0, 0.3) << step;
      EXPECT_GT(last_energy / energy, 6.0) << step;
    }
    last = error, last_energy = energy;
  }
  EXPECT_GT(last, 1e-12);
  EXPECT_LT(last, 1e-6);
}

TEST_F(OwnKinds, IntegratorIsNamedInScenariosResultsAndBatches) {
  const std::string scenario = k_example + "pad_scenario.yaml";
  const ScenarioFile file = load_scenario_file(scenario, {"simulation.integrator.step=5e-4"});
  EXPECT_EQ(file.scenario.integrator.method->step(), 5e-4);
  const std::string text = scenario_text(file.scenario, "pad.yaml");
  EXPECT_THAT(text, AllOf(HasSubstr("type: ralston"), HasSubstr("step: 0.0005")));
  const Model model(file.robot);
  const std::string path = directory_.path("pad.h5");
  Simulator(model, file.scenario).run({make_hdf5_recorder(path, result_source(file)).get()});
  EXPECT_EQ(read_result_file(path).samples.size(), 11u);
  EXPECT_THAT(message<FileError>([&] { load_scenario_file(scenario, {"simulation.integrator.step=-1"}); }),
              HasSubstr("simulation.integrator.step: found -1, expected a number >= 1e-12 [s]"));
  EXPECT_THAT(message<FileError>([&] { load_scenario_file(scenario, {"simulation.integrator.type=ralstn"}); }),
              HasSubstr("did you mean 'ralston'?"));
  // a batch takes its tableau
  Batch batch(model, 2);
  RowMatrixXd q(2, 2), v = RowMatrixXd::Zero(2, 2);
  q << 0.02, 0.5, 0.02, 0.5;
  RolloutOptions options{.step = 5e-4, .duration = 0.1, .output_step = 0.01};
  options.tableau = *file.scenario.integrator.method->tableau();
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  MemoryRecorder memory;
  Simulator(model, file.scenario).run({&memory});
  EXPECT_LT((rollout.q.row(1).transpose() - memory.samples().back().q).norm(), 1e-12);
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
  const ModelT<Gradient> variable = differentiate(model, paths);
  DataT<Gradient> data(variable);
  ElementDataT<Gradient> elements(variable);
  elements.states[0] = Gradient(8e4);
  const VectorXT<Gradient> at = q.cast<Gradient>(), rate = v.cast<Gradient>();
  element_motion<Gradient>(variable, data, at, rate, elements);
  element_efforts<Gradient>(variable, 0.0, VectorXT<Gradient>::Zero(variable.nu()), elements);
  const VectorXT<Gradient> pull = elements.matrix * elements.efforts;
  const VectorXT<Gradient> result = inverse_dynamics<Gradient>(variable, data, at, rate, rate) - pull;
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

TEST_F(OwnKinds, KeysAreCheckedLikeThoseOfTheLibrary) {
  const std::string text =
      "links: [{name: a, joint: {type: screw, pitch: x, axis: [0, 0, 0]}, body: {type: flexure, "
      "length: -1, radius: 1, density: 1, stiffnes: 1}}]";
  const std::string errors = robot_errors(text);
  EXPECT_THAT(errors, HasSubstr("links[0].joint.pitch: found 'x', expected a number [m/rad]"));
  EXPECT_THAT(errors, HasSubstr("links[0].joint.axis: found [0, 0, 0], expected an axis that is not zero"));
  EXPECT_THAT(errors, HasSubstr("links[0].body.length: found -1, expected a number >= 1e-09 [m]"));
  EXPECT_THAT(errors, HasSubstr("links[0].body.stiffnes: found an unknown key"));
  EXPECT_THAT(errors, HasSubstr("links[0].body.stiffness: found nothing, expected a number >= 0 [N m/rad]"));
  EXPECT_THAT(robot_errors("links: [{name: a, body: {type: flexur}}]"), HasSubstr("did you mean 'flexure'?"));
}

TEST_F(OwnKinds, AreCompletedAfterSet) {
  std::vector<std::string> paths;
  for (const SettingPath& setting : setting_paths(k_example + "arm.yaml")) paths.push_back(setting.path);
  for (const char* path :
       {"robot.links.finger.body.stiffness", "robot.links.spindle.joint.pitch", "robot.elements.muscle.braid_angle"}) {
    EXPECT_EQ(std::count(paths.begin(), paths.end(), path), 1) << path;
  }
}

TEST_F(OwnKinds, TypesAreRegisteredOnce) {
  EXPECT_EQ(message<ArgumentError>([] { register_kind(screw_kind()); }),
            "kind of joint: type: found 'screw' again, expected a type that is not there yet");
  const auto renamed = [](const char* type) {
    BodyKind kind = flexure_kind();
    kind.type = type;
    return kind;
  };
  EXPECT_THAT(message<ArgumentError>([&] { register_kind(renamed("rod")); }), HasSubstr("found 'rod' again"));
  EXPECT_THAT(message<ArgumentError>([&] { register_kind(renamed("")); }), HasSubstr("type: found nothing"));
  BodyKind without = renamed("without_reader");
  without.read = nullptr;
  EXPECT_THAT(message<ArgumentError>([&] { register_kind(without); }), HasSubstr("read: found nothing"));
}

const KeyTable k_brick{.keys = body_keys({key::required(key::number("mass", k_positive, "kg"))})};
std::shared_ptr<const Body> read_brick(const PartReader<double>& part) {
  RigidParameters brick;
  brick.mass = part.number("mass");
  return std::make_shared<const RigidBody>(brick);
}

TEST_F(OwnKinds, CanComeAfterAFileWasReadAndExistForDoubleAlone) {
  const std::string text = "{cuttle: 1, links: [{name: a, body: {type: brick, mass: 2}}]}";
  EXPECT_THAT(robot_errors(text), HasSubstr("links[0].body.type: found 'brick', expected rigid, rod, "));
  register_kind(BodyKind{"brick", &k_brick, "", "", read_brick});
  const Model model(read_robot_text(text, "r.yaml"));
  const Model heavier = model.with("links.a.body.mass", 3.0);
  EXPECT_EQ(heavier.robot().links[0].body->rest_inertia().mass, 3.0);
  EXPECT_THAT(message<ModelError>([&] { differentiate(model, {"links.a.body.mass"}); }),
              HasSubstr("links[0].body: found a body of type brick, which exists for double alone, expected one that "
                        "is read with derivatives too"));
}

const KeyTable k_sway{.keys = {key::required(key::number("factor", k_any_number, k_dimensionless))}};
/// x + factor z^2 / L q.
template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_sway(const KinematicsReader<S>& at) {
  const S factor = at.number("factor") / at.length();
  return std::make_shared<const RitzKinematicsT<S>>(std::vector<RitzModeT<S>>{{{{0, 0, 2}, {factor, S(0.0), S(0.0)}}}});
}

TEST_F(OwnKinds, KinematicsOfVolumesAreRead) {
  const auto text = [](const std::string& kinematics) {
    return "{cuttle: 1, links: [{name: a, body: {type: volume, shape: {type: box, size: [0.1, 0.1, 0.5]}, "
           "kinematics: " +
           kinematics +
           ", material: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1.0e+5, poisson_ratio: "
           "0.3}}}]}";
  };
  const std::string sway = text("{type: sway, factor: 2}");
  EXPECT_THAT(robot_errors(sway),
              HasSubstr("kinematics.type: found 'sway', expected lvp, ritz, fem, radial or neural"));
  register_kind(KinematicsKind{"sway", &k_sway, "", "", read_sway<double>, read_sway<Gradient>});
  const Model own(read_robot_text(sway, "r.yaml"));
  const auto force = [](const Model& model) -> VectorXd {
    Data data(model);
    const VectorXd q = VectorXd::Constant(1, 0.02), v = VectorXd::Constant(1, 0.5);
    return inverse_dynamics<double>(model, data, q, v, v);
  };
  const auto ritz = [&](const std::string& factor) {
    return Model(read_robot_text(text("{type: ritz, modes: [[{powers: [0, 0, 2], vector: [" + factor + ", 0, 0]}]]}"),
                                 "r.yaml"));
  };
  EXPECT_EQ(force(own), force(ritz("4")));
  EXPECT_EQ(force(own.with("links.a.body.kinematics.factor", 3.0)), force(ritz("6")));
  EXPECT_THAT(robot_errors(text("{type: sway, factr: 2}")),
              AllOf(HasSubstr("links[0].body.kinematics.factr: found an unknown key"),
                    HasSubstr("links[0].body.kinematics.factor: found nothing, expected a number")));
}

/// A half wave of a sine from 0 to `duration`.
class Pulse final : public SignalFunction {
 public:
  Pulse(double height, double duration) : height_(height), duration_(duration) {}
  double at(double time) const override {
    return time < 0.0 || time > duration_ ? 0.0 : height_ * std::sin(std::numbers::pi * time / duration_);
  }
  std::vector<double> discontinuities() const override { return {duration_, 0.0}; }

 private:
  double height_, duration_;
};
const KeyTable k_pulse{.keys = {key::required(key::number("height", k_any_number, k_unit_of_use)),
                                key::number("duration", k_positive, "s").by_default("0.5")}};

TEST_F(OwnKinds, SignalsFollowFunctions) {
  const std::string text =
      "{cuttle: 1, links: [{name: a, body: {type: rigid, mass: 1}}], loads: [{type: wrench, link: a, "
      "force: [{type: pulse, height: 3}, 0, 0]}]}";
  EXPECT_THAT(robot_errors(text), HasSubstr("loads[0].force[0].type: found 'pulse', expected step, ramp, "));
  register_kind(SignalKind{"pulse", &k_pulse, "", "", [](const KeyReader<double>& at) {
                             const double height = at.number("height"), duration = at.number("duration");
                             return Signal::function(std::make_shared<const Pulse>(height, duration));
                           }});
  const Robot robot = read_robot_text(text, "r.yaml");
  const Signal& force = robot.loads[0].law->timed()->force[0];
  EXPECT_FALSE(force.is_constant());
  EXPECT_EQ(force.at(0.25), 3.0);
  EXPECT_EQ(force.at(0.6), 0.0);
  EXPECT_EQ(force.discontinuities(), (std::vector<double>{0.0, 0.5}));
  EXPECT_THAT(message<ArgumentError>([] { Signal::function(nullptr); }), HasSubstr("found no function"));
}

TEST_F(OwnKinds, AreRegisteredWhileOthersRead) {
  std::thread reader([] {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(read_robot_file(k_example + "arm.yaml").links.size(), 2u);
  });
  for (int i = 0; i < 50; ++i) {
    BodyKind kind = flexure_kind();
    kind.type = "flexure" + std::to_string(i);
    register_kind(kind);
  }
  reader.join();
  EXPECT_EQ(
      robot_errors(
          "cuttle: 1\nlinks: [{name: a, body: {type: flexure49, length: 1, radius: 0.1, density: 1, stiffness: 1}}]"),
      "");
}

// --- a transmission, of an actuator and of an element

const char* const k_crane = R"(cuttle: 1
links:
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.02}
    body: {type: rigid, mass: 0.4, com: [0, 0, 0.2], inertia: [1.0e-3, 1.0e-3, 1.0e-3, 0, 0, 0]}
actuators:
  - {name: winch, type: cam, link: arm, radius: 0.05, eccentricity: 0.4, phase: 0.3}
elements:
  - {name: balance, type: cam_spring, link: arm, radius: 0.04, eccentricity: 0.2, stiffness: 300, pretension: 2}
)";

TEST_F(OwnKinds, CamHasTheLeverArmOfItsPulley) {
  const Model model(read_robot_text(k_crane, "crane.yaml"));
  EXPECT_EQ(model.input_info()[0].name, "winch");
  EXPECT_EQ(model.input_info()[0].unit, "N");
  Data data(model);
  ElementData elements(model);
  for (const double angle : {-2.1, 0.0, 0.3, 1.7}) {
    const VectorXd q = VectorXd::Constant(1, angle), v = VectorXd::Constant(1, 0.7);
    const auto wound = [&](double a) { return 0.05 * (a + 0.4 * (std::sin(a - 0.3) + std::sin(0.3))); };
    EXPECT_NEAR(actuation_coordinates<double>(model, data, q)[0], wound(angle), 1e-15);
    EXPECT_NEAR(actuation_matrix<double>(model, data, q)(0, 0), 0.05 * (1.0 + 0.4 * std::cos(angle - 0.3)), 1e-15);
    const double h = 1e-4;
    EXPECT_NEAR(actuation_matrix<double>(model, data, q)(0, 0), (wound(angle + h) - wound(angle - h)) / (2 * h), 1e-9);
    element_motion<double>(model, data, q, v, elements);
    element_efforts<double>(model, 0.0, VectorXd::Zero(1), elements);
    const double y = 0.04 * (angle + 0.2 * std::sin(angle));
    EXPECT_NEAR(elements.efforts[0], -(2.0 + 300.0 * y), 1e-12);
    EXPECT_NEAR(elements.rate[0], 0.04 * (1.0 + 0.2 * std::cos(angle)) * 0.7, 1e-15);
    EXPECT_NEAR(elements.stored_energy, 2.0 * y + 150.0 * y * y, 1e-13);
  }
  // the derivative of its torque, which implicit methods take
  DerivativeData derivatives(model);
  const VectorXd q = VectorXd::Constant(1, 0.9), zero = VectorXd::Zero(1), pull = VectorXd::Constant(1, 3.0);
  inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero, {&pull});
  const double with = derivatives.by_q(0, 0);
  inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero);
  EXPECT_NEAR(derivatives.by_q(0, 0) - with, -3.0 * 0.05 * 0.4 * std::sin(0.6), 1e-14);
}

TEST_F(OwnKinds, CamMovesWithAdaptiveAndImplicitMethodsAndKeepsTheEnergy) {
  const Model model(read_robot_text(k_crane, "crane.yaml"));
  const auto end_of = [&](const std::string& type) {
    Scenario s;
    s.duration = s.output_step = 1.0;
    s.integrator.type = type;
    if (type == "newmark") s.integrator.step = 2e-4;
    if (type == "bdf") s.integrator.relative_tolerance = 1e-9, s.integrator.absolute_tolerance = 1e-10;
    s.inputs["winch"] = Signal::sine(8.0, 1.5, 0.0, 3.0);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    EXPECT_LT(outcome.energy_error, 1e-4 * outcome.peak_energy) << type;
    EXPECT_GT(std::abs(memory.samples().back().input), 1e-2) << type;
    return memory.samples().back().q[0];
  };
  const double exact = end_of("bdf");
  EXPECT_GT(std::abs(exact), 0.01);
  EXPECT_NEAR(end_of("newmark"), exact, 1e-4);  // 5000 steps of order 2 over some 20 rad of motion
}

TEST_F(OwnKinds, CamIsWrittenReadVariedAndDifferentiated) {
  const Robot robot = read_robot_text(k_crane, "crane.yaml");
  Robot changed = robot;
  changed.gravity = {0.0, 0.0, -1.62};
  const std::string text = write_robot(changed).yaml;
  EXPECT_THAT(text, AllOf(HasSubstr("type: cam, "), HasSubstr("phase: 0.3"), HasSubstr("pretension: 2")));
  const Model before(changed), after(read_robot_text(text, "again.yaml"));
  const auto force = [](const Model& any) {
    Data data(any);
    const VectorXd q = VectorXd::Constant(1, 0.4);
    return actuation_force<double>(any, data, q, VectorXd::Constant(1, 2.0))[0];
  };
  EXPECT_EQ(force(before), force(after));
  const double lever = 1.0 + 0.4 * std::cos(0.1);
  EXPECT_NEAR(force(before.with("actuators.winch.radius", 0.07)), 2.0 * 0.07 * lever, 1e-15);

  const ModelT<Gradient> variable = differentiate(before, {"actuators.winch.radius", "actuators.winch.eccentricity"});
  DataT<Gradient> data(variable);
  const VectorXT<Gradient> q = VectorXT<Gradient>::Constant(1, Gradient(0.4));
  const VectorXT<Gradient> torque =
      actuation_force<Gradient>(variable, data, q, VectorXT<Gradient>::Constant(1, Gradient(2.0)));
  EXPECT_NEAR(torque[0].derivative[0], 2.0 * lever, 1e-14);
  EXPECT_NEAR(torque[0].derivative[1], 2.0 * 0.05 * std::cos(0.1), 1e-15);

  EXPECT_THAT(robot_errors("links: [{name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n"
                           "actuators: [{name: w, type: cam, link: arm, index: 1, radius: 0, eccentricity: 1}]"),
              AllOf(HasSubstr("actuators[0].index: found 1, expected"),
                    HasSubstr("actuators[0].radius: found 0, expected a number > 0 [m]"),
                    HasSubstr("actuators[0].eccentricity: found 1, expected a number in [0, 1)")));
}

// --- the tool with the same kinds as a plugin

const std::string k_plugin = std::string("--plugin ") + CUTTLE_OWN_KINDS;

TEST_F(OwnKinds, ToolReadsThemFromAPlugin) {
  const std::string robot = k_example + "arm.yaml", result_file = directory_.path("arm.h5");
  EXPECT_EQ(run("check " + robot).code, 2);
  for (const std::string& command : {k_plugin + " check " + robot, "check " + robot + " " + k_plugin}) {
    const Result result = run(command);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.errors;
  }
  const Result parameters = run(k_plugin + " parameters " + robot);
  EXPECT_THAT(parameters.output, HasSubstr("elements.muscle.braid_angle"));
  for (const char* method : {"bdf", "newmark"}) {
    const Result result = run(k_plugin + " simulate " + k_example + "arm_scenario.yaml -o " + result_file + " --svg " +
                              directory_.path("run.svg") + " --set simulation.duration=0.1 --set " +
                              "robot.links.finger.body.stiffness=0.1 --set simulation.integrator.type=" + method);
    EXPECT_EQ(result.code, 0) << result.output << result.errors;
  }
  const std::string pad = directory_.path("pad.h5");
  for (const char* method : {"ralston", "rk4"}) {
    const Result run_of_pad =
        run(k_plugin + " simulate " + k_example + "pad_scenario.yaml -o " + pad +
            " --set robot.materials.rubber.limit=3 --set simulation.duration=0.02 --set simulation.integrator.type=" +
            method);
    EXPECT_EQ(run_of_pad.code, 0) << run_of_pad.output << run_of_pad.errors;
  }
  Result result = run(k_plugin + " view " + result_file + " -o " + directory_.path("arm.html") + " --no-open");
  EXPECT_EQ(result.code, 0) << result.errors;
  result = run(k_plugin + " plot " + result_file + " -o " + directory_.path("plot.svg"));
  EXPECT_EQ(result.code, 0) << result.errors;
  result = run("plot " + result_file + " -o " + directory_.path("other.svg"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("links[0].joint.type: found 'screw', expected fixed, revolute"));
}

TEST_F(OwnKinds, ShellsCompleteKeysOfAPlugin) {
  const std::string line = "check " + k_example + "arm.yaml --set robot.links.finger.body.sti";
  EXPECT_EQ(run("complete zsh " + k_plugin + " " + line).output, "robot.links.finger.body.stiffness=\n");
  EXPECT_EQ(run("complete zsh --plugin=" CUTTLE_OWN_KINDS " " + line).output, "robot.links.finger.body.stiffness=\n");
  EXPECT_EQ(run("complete zsh " + line).output, "");
  const Result wrong = run("complete zsh --plugin nowhere.so " + line);
  EXPECT_EQ(wrong.code, 0);
  EXPECT_EQ(wrong.output + wrong.errors, "");
}

TEST_F(OwnKinds, PluginsAreCheckedBeforeTheyAreUsed) {
  const auto refused = [&](const std::string& file) {
    const Result result = run("--plugin " + file + " check " + model("examples/pendulum.yaml"));
    EXPECT_EQ(result.code, 2) << file;
    return result.errors;
  };
  EXPECT_EQ(refused("nowhere.so"), "nowhere.so: found nothing, expected a shared library that is a plugin of Cuttle\n");
  const std::string text = directory_.write("text.so", "no library");
  EXPECT_THAT(refused(text), HasSubstr(text + ": found '"));
  EXPECT_THAT(refused(text), HasSubstr("', expected a shared library that is a plugin of Cuttle"));
  EXPECT_EQ(refused(CUTTLE_LIBRARY), std::string(CUTTLE_LIBRARY) +
                                         ": found a shared library without CUTTLE_PLUGIN, expected a shared library "
                                         "that is a plugin of Cuttle\n");
  EXPECT_EQ(refused(CUTTLE_OTHER_PLUGIN), std::string(CUTTLE_OTHER_PLUGIN) +
                                              ": found a plugin for 'Cuttle 0.0.0, C++ ABI 1', expected one for '" +
                                              CUTTLE_BUILD + "'\n");
  EXPECT_EQ(refused(CUTTLE_OWN_KINDS " " + k_plugin),
            std::string(CUTTLE_OWN_KINDS) +
                ": kind of body: type: found 'flexure' again, expected a type that is not there yet\n");
}

TEST_F(OwnKinds, ProgramRunsThem) {
  const std::string command =
      std::string(CUTTLE_OWN_PROGRAM) + " " + k_example + "arm_scenario.yaml " + directory_.path("arm.h5") + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::array<char, 4096> buffer{};
  const std::size_t size = std::fread(buffer.data(), 1, buffer.size() - 1, pipe);
  const std::string output(buffer.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr("51 rows by bdf"));
}

}  // namespace
}  // namespace cuttle
