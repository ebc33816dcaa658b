// Kinds that a test registers: their keys are checked, and they may come at any time.
#include <cmath>
#include <new>
#include <numbers>
#include <thread>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/io/kinds.h"
#include "cuttle/io/part_keys.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/setting_paths.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/simulation/simulator.h"
#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

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

// Whatever asks for too much, the error has its place: here a body that asks for more than there is.
TEST_F(OwnKinds, PartsThatTakeTooMuchMemoryAreNamed) {
  register_kind(BodyKind{"hoard", &k_brick, "", "",
                         [](const PartReader<double>&) -> std::shared_ptr<const Body> { throw std::bad_alloc(); }});
  EXPECT_THAT(robot_errors("{cuttle: 1, links: [{name: a, body: {type: hoard, mass: 2}}]}"),
              HasSubstr("links[0].body: found a part that takes more memory than there is, expected fewer points"));
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
  register_kind(KinematicsKind{"sway", &k_sway, "", "", read_sway<double>, read_sway<ForwardDual>});
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

bool declares_outputs = false;  // of the laws below: of a kind that got outputs in a later version

/// x' = -x / 0.1 s, x = 1 at the start, if it has a state.
template <int k_states>
class Fading final : public EffortLawT<double> {
 public:
  std::string type_name() const override { return "fading"; }
  int transmission_count() const override { return 1; }
  int input_count() const override { return 0; }
  int state_count() const override { return k_states; }
  int output_count() const override { return declares_outputs ? 1 : 0; }
  std::vector<ElementStateInfo> states() const override {
    return std::vector<ElementStateInfo>(k_states, {"x", "1", 1.0});
  }
  std::vector<ElementOutputInfo> outputs() const override {
    return std::vector<ElementOutputInfo>(declares_outputs ? 1 : 0, {"angle", "rad"});
  }
  void evaluate(const EffortArgumentsT<double>& at, double* efforts, double* rates) const override {
    efforts[0] = -0.1 * at.rate[0];
    for (int i = 0; i < k_states; ++i) rates[i] = -10.0 * at.state[i];
  }
  void evaluate_outputs(const EffortArgumentsT<double>& at, const double*, double* outputs) const override {
    if (declares_outputs) outputs[0] = at.y[0];
  }
  void derivatives(const EffortArgumentsT<double>&, double*) const override { FAIL() << "bdf needs none"; }
  double stored_energy(const EffortArgumentsT<double>&) const override { return 0.0; }
  double stored_power(const EffortArgumentsT<double>&, const double*) const override { return 0.0; }
};
const KeyTable k_fading{.keys = element_keys({link_key("Link of the joint.")})};
template <int k_states>
std::optional<Element> read_fading(const PartReader<double>& part) {
  return Element{part.name(), {std::make_shared<const JointTransmission>("a")}, std::make_shared<Fading<k_states>>()};
}

// What an element's law lets record later is missing in a result of before, and nothing else is.
TEST_F(OwnKinds, ResultsOfBeforeAnOutputWasDeclaredAreRead) {
  register_kind(ElementKind{"fading", &k_fading, "", "", read_fading<1>});
  register_kind(ElementKind{"plain_fading", &k_fading, "", "", read_fading<0>});
  const std::string scenario = directory_.write("s.yaml",
                                                "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 0.1, output_step: "
                                                "0.05, initial: {a: {v: 2}}, integrator: {type: bdf}}\n");
  directory_.write("r.yaml",
                   "cuttle: 1\nlinks: [{name: a, joint: {type: revolute}, body: {type: rigid, mass: 1, inertia: [1, 1, "
                   "1, 0, 0, 0]}}]\nelements: [{name: e, type: fading, link: a}, {name: f, type: plain_fading, link: "
                   "a}]\n");
  const auto run_to = [&](const std::string& path) {
    const ScenarioFile file = load_scenario_file(scenario);
    Simulator(Model(file.robot), file.scenario).run({make_hdf5_recorder(path, result_source(file)).get()});
  };
  const std::string before = directory_.path("before.h5"), after = directory_.path("after.h5");
  declares_outputs = false;
  run_to(before);
  EXPECT_EQ(read_result_file(before).samples.back().element_outputs.size(), 0);
  declares_outputs = true;
  run_to(after);
  const ResultFile old = read_result_file(before), now = read_result_file(after);
  ASSERT_EQ(old.samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Sample &x = old.samples[i], &y = now.samples[i];
    EXPECT_EQ(x.q, y.q);
    EXPECT_EQ(x.element_states, y.element_states);
    EXPECT_NEAR(y.element_states[0], std::exp(-10.0 * y.time), 1e-4);
    ASSERT_EQ(x.element_outputs.size(), 2);
    for (int k = 0; k < 2; ++k) {
      EXPECT_TRUE(std::isnan(x.element_outputs[k]));
      EXPECT_NEAR(y.element_outputs[k], y.q[0], 1e-15);
    }
  }
  EXPECT_GT(now.samples.back().q[0], 0.1);
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

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
