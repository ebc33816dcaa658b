// The default that the tables promise for a key is what the readers do without it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"
#include "support/format.h"

namespace cuttle::CUTTLE_FILE {
namespace {

void append(std::string& text, const char* what, const Eigen::Ref<const MatrixXd>& values) {
  text += what;
  for (const double x : values.reshaped()) text += fmt::format(" {:.17g}", x + 0.0);  // -0 is 0
  text += "\n";
}

/// How far a shape is from a place that is nothing special, in the axes in which the shape stands.
double distance_to(const SignedDistance& shape, const Pose& pose) {
  return shape.at(pose.inverse().act(Vector3{0.031, -0.023, 0.47})).value;
}

/// What touches what, and how.
std::string touching(const Robot& robot) {
  std::string text;
  for (const Obstacle& obstacle : robot.obstacles) {
    text += fmt::format("{} {} {:.17g}", obstacle.name, obstacle.inside, distance_to(*obstacle.shape, obstacle.pose));
    for (const auto* signals : {&obstacle.motion.position, &obstacle.motion.rpy}) {
      for (std::size_t k = 0; signals->has_value() && k < 3; ++k) text += fmt::format(" {}", (**signals)[k].at(0.3));
    }
  }
  for (const Link& link : robot.links) {
    text += fmt::format(" {} {}", link.contact.none, link.contact.shapes.size());
    for (const ContactShape& shape : link.contact.shapes) {
      text += fmt::format(" {:.17g}", distance_to(*shape.shape, shape.pose));
    }
  }
  for (const Contact& c : robot.contacts) {
    const ContactFriction& f = c.friction;
    text += fmt::format(" {} {} {} {} {} {} {}", c.name, f.forward, f.backward, f.sideways, f.static_ratio,
                        f.stribeck_velocity, f.damping_time);
    text += fmt::format(" {} {} {} {} {}", c.modulus.value_or(-1), c.dissipation, c.rounding.value_or(-1),
                        c.spacing.value_or(-1), c.record_sites);
    for (const auto* side : {&c.a, &c.b}) {
      for (const std::string& name : *side) text += " " + name;
    }
  }
  return text;
}

/// Everything that the files of a robot can influence, as text: forces, matrices, frames, at a state without symmetry.
std::string behavior(const Robot& robot) {
  const Model model(robot);
  Data data(model);
  std::string text = fmt::format("{} {} {}\n", robot.name, model.nq(), model.nv());
  VectorXd direction(model.nv()), v(model.nv()), tau(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    direction[i] = 0.1 + 0.07 * (i % 5), v[i] = 0.3 - 0.11 * (i % 7), tau[i] = 0.2 + 0.05 * (i % 3);
  }
  VectorXd q(model.nq());
  integrate<double>(model, model.neutral(), direction, q);
  append(text, "mass", mass_matrix<double>(model, data, q));
  append(text, "coriolis", coriolis_force<double>(model, data, q, v));
  append(text, "gravity", gravity_force<double>(model, data, q));
  append(text, "elastic", elastic_force<double>(model, data, q));
  append(text, "damping", damping_force<double>(model, data, q, v));
  append(text, "actuation", actuation_matrix<double>(model, data, q));
  append(text, "actuated", actuation_coordinates<double>(model, data, q));
  for (const auto& tendon : model.tendons()) text += slack_name(tendon.slack);
  ElementData elements(model);
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.5, VectorXd::Constant(model.nu(), 0.4), elements);
  append(text, "elements", elements.matrix * elements.efforts);
  append(text, "stored", VectorXd::Constant(1, elements.stored_energy));
  std::vector<ExternalWrench> loads(load_wrench_count(model));
  for (const double time : {-0.5, 0.3, 0.8, 2.0}) {
    load_wrenches<double>(model, time, loads);
    append(text, "loads", external_force<double>(model, data, q, loads));
    std::vector<ExternalWrench> of_motion(state_load_count(model));
    const VectorXd integrals = VectorXd::Constant(load_integral_count(model), 0.7);
    state_load_wrenches<double>(model, data, time, q, v, tau, integrals, of_motion);
    append(text, "loads of motion", external_force<double>(model, data, q, of_motion));
  }
  ConstraintData constraints(model);
  append(text, "loops", constraint_residual<double>(model, data, constraints, q));
  append(text, "loop Jacobian", constraint_jacobian<double>(model, data, constraints, q));
  for (const CoordinateInfo& row : model.constraint_info()) text += row.name + "\n";
  const auto& kinematics = forward_kinematics<double>(model, data, q);
  const auto append_pose = [&](const char* what, const Frame& frame) {
    const Pose pose = kinematics.pose(frame);
    const Vector3 p = pose.position, x = pose.rotation.row0, y = pose.rotation.row1;
    append(text, what, Eigen::Matrix<double, 9, 1>{p.x, p.y, p.z, x.x, x.y, x.z, y.x, y.y, y.z});
  };
  for (const auto& link : model.links()) append_pose("tip", link.tip);
  for (const Marker& marker : robot.markers) append_pose(marker.name.c_str(), model.marker_frame(marker.name));
  for (std::size_t i = 0; i < robot.sensors.size(); ++i) {
    for (const Frame& frame : model.sensor_frames(i)) append_pose("sensor", frame);
  }
  RobotSystem system(model, {});
  const VectorXd u = VectorXd::Constant(model.nu(), 0.4), auxiliary = start_of_auxiliary(model);
  system.held_inputs() = u;
  if (!robot.sensors.empty()) append(text, "sensors", system.evaluate({0.5, q, v, auxiliary, {}}).sensors());
  for (const NamedSensor& sensor : robot.sensors) text += sensor.name + "\n";
  return text + touching(robot);
}

std::string behavior(const Scenario& scenario) {
  const IntegratorOptions& integrator = scenario.integrator;
  std::string text = fmt::format("{} {} {} {} {} {} {} {}\n", scenario.duration, scenario.output_step, scenario.seed,
                                 integrator.type, integrator.relative_tolerance, integrator.absolute_tolerance,
                                 integrator.max_step.value_or(-1), integrator.step.value_or(-1));
  text += fmt::format("{} {} {}\n", integrator.rho_inf.value_or(0.8), integrator.alpha.value_or(-0.05),
                      static_cast<int>(integrator.error));
  text += fmt::format("{} {}\n", scenario.energy_error_limit, scenario.strict);
  if (scenario.statics) {
    text += fmt::format("statics {}", scenario.statics->friction);
    for (const auto& [name, value] : scenario.statics->inputs) text += fmt::format(" {} {}", name, value);
  }
  for (const auto& [name, state] : scenario.initial) {
    text += name;
    for (const auto* values : {&state.q, &state.v}) {
      for (const double x : *values) text += fmt::format(" {}", x);
    }
  }
  for (const auto& [name, signal] : scenario.inputs)
    text += fmt::format("{} {} {}\n", name, signal.at(0), signal.at(1.5));
  const auto add = [&text](const auto& signals) {
    for (const Signal& signal : signals) text += fmt::format("{} {}\n", signal.at(0), signal.at(0.4));
  };
  for (const auto* part : {&scenario.motion.base.position, &scenario.motion.base.rpy}) {
    if (*part) add(**part);
  }
  for (const auto& [name, signals] : scenario.motion.joints) add(signals);
  return text;
}

/// What the controllers of a scenario set in a run.
std::string behavior_of_controllers(const ScenarioFile& file) {
  std::string text;
  if (file.scenario.controllers.empty()) return text;
  for (const NamedController& controller : file.scenario.controllers) text += controller.name + "\n";
  const Model model(file.robot);
  MemoryRecorder recorder;
  Scenario scenario = file.scenario;
  scenario.strict = false;
  Simulator(model, scenario).run({&recorder});
  for (const Sample& sample : recorder.samples()) append(text, "u", sample.u);
  return text;
}

/// Keys whose values nothing depends on today.
bool has_no_effect(const std::string& path) {
  // drawings and colors; materials of volumes, of which there are none; a joint that is fixed; open ends and borders,
  // which the shape of a link never has
  static const std::regex k_idle(
      ".*visual.*|obstacles\\..*\\.color|links\\.hull\\.joint|materials\\.[efghij]\\..*|links\\..*\\.contact.*\\.(open|"
      "sides)");
  return std::regex_match(path, k_idle);
}

class FormatDefaults : public testing::TestWithParam<FormatSample> {
 protected:
  FormatDefaults() { write_sample_companions(directory_); }

  /// What comes out of a file's text: behavior, or the errors without their places.
  std::string outcome(const std::string& text) const {
    const std::string path = directory_.write("sample.yaml", text);
    try {
      if (!GetParam().scenario) return behavior(read_robot_file(path));
      const ScenarioFile file = load_scenario_file(path);
      return behavior(file.scenario) + behavior_of_controllers(file) +
             behavior(file.robot);  // a scenario may change values of its robot
    } catch (const Error& error) {
      return std::regex_replace(std::string(error.what()), std::regex("[^\n]*yaml:[0-9]+:[0-9]+"), "");
    }
  }

  TemporaryDirectory directory_;
};

TEST_P(FormatDefaults, MeanTheSameAsLeavingTheKeyOut) {
  const KeyTable& table = GetParam().scenario ? k_scenario_table : k_robot_table;
  const YamlNode file = parse_yaml(GetParam().text, "sample");
  const std::string as_it_is = outcome(yaml_text(file));
  ASSERT_EQ(as_it_is.find("found"), as_it_is.npos) << as_it_is;
  for (const KeyPlace& place : key_places(file, table)) {
    if (!place.key || place.key->default_value.empty()) continue;
    const std::string& value = place.key->default_value;
    const bool given = place.mapping->find(place.name) != nullptr;
    bool other_of_a_rule = false;  // quaternion beside rpy, viscosity beside damping_time
    for (const KeyRule& rule : place.table->rules) {
      if (rule.kind != KeyRule::Kind::at_most_one || given) continue;
      for (const std::string& name : rule.names) other_of_a_rule = other_of_a_rule || place.mapping->find(name);
    }
    if (other_of_a_rule) continue;
    const std::string without = outcome(yaml_text(file, {place.mapping, place.name}));
    const std::string with = outcome(yaml_text(file, {place.mapping, place.name, value}));
    EXPECT_TRUE(with == without) << place.path << ": " << value << ":\n" << with << "\nwithout:\n" << without;
    if (!given || has_no_effect(place.path)) continue;
    EXPECT_TRUE(as_it_is != without) << place.path << ": nothing depends on this key";
  }
}

std::string sample_name(const testing::TestParamInfo<FormatSample>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Samples, FormatDefaults, testing::ValuesIn(format_samples()), sample_name);

// Otherwise the test above would pass over keys.
TEST(FormatSamples, GiveEveryKeyOfTheTables) {
  std::set<const Key*> given;
  std::set<const KeyVariants*> selectors;
  for (const FormatSample& sample : format_samples()) {
    const YamlNode file = parse_yaml(sample.text, sample.name);
    for (const KeyPlace& place : key_places(file, sample.scenario ? k_scenario_table : k_robot_table)) {
      if (place.key && place.mapping->find(place.name)) given.insert(place.key);
      if (place.variants) selectors.insert(place.variants);
    }
  }
  for (const KeyTable* root : {&k_robot_table, &k_scenario_table}) {
    for (const FormatPart& part : parts_of_file(*root)) {
      const auto expect_given = [&](const KeyTable& table, const std::string& name) {
        for (const Key& key : table.keys) EXPECT_EQ(given.count(&key), 1u) << name << "." << key.name;
      };
      if (part.table) expect_given(*part.table, part.name);
      if (!part.variants) continue;
      EXPECT_EQ(selectors.count(part.variants), 1u) << part.name;
      for (const auto& variant : part.variants->variants()) {
        if (variant.table) expect_given(*variant.table, part.name + " " + variant.choice);
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
