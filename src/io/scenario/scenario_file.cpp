#include "cuttle/io/scenario_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "cuttle/error.h"
#include "cuttle/io/run_texts.h"
#include "cuttle/io/scenario_of_robot.h"
#include "cuttle/io/yaml_cursor.h"
#include "cuttle/simulation/driven_loops.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/simulator.h"
#include "io/kinds/kind_list.h"
#include "io/regular_file.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_source.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/overrides.h"
#include "io/scenario/scenario_source.h"
#include "io/scenario/scenario_tables.h"
#include "simulation/prescribed_motion.h"

namespace cuttle {
namespace {

class ScenarioReader {
 public:
  ScenarioReader(ScenarioFile& file, NamedFiles& files) : file_(file), files_(files) {}

  /// The cursor at the robot's name, if there is one.
  std::optional<YamlCursor> read(const YamlCursor& root) {
    const auto map = root.map(k_scenario_table);
    if (!map) return std::nullopt;
    check_format_version(*map);
    if (const auto simulation = map->map("simulation")) read_simulation(*simulation);
    read_set(*map);
    const auto robot = map->text("robot");
    if (!robot) return std::nullopt;
    file_.robot_path = path_in(files_.directory(), *robot);
    return map->at("robot");
  }

 private:
  void read_set(const YamlMap& map) {
    const auto set = map.at("set");
    if (!set) return;
    const Key& rule = map.rule("set");
    for (const YamlCursor& item : set->items(rule.expected())) {
      const auto setting = item.text(rule.forms.front().forms.front());
      if (!setting) continue;
      const bool good = override_root(*setting) == "robot" && !setting->starts_with("robot=") &&
                        setting->find('=') != std::string::npos;
      if (good) {
        file_.changes.push_back(*setting);
      } else {
        item.fail("'" + *setting + "'", "robot.KEY.PATH=VALUE");
      }
    }
  }

  void read_simulation(const YamlMap& map) {
    Scenario& scenario = file_.scenario;
    scenario.duration = map.number("duration").value_or(scenario.duration);
    scenario.output_step = map.number("output_step").value_or(scenario.output_step);
    if (!(scenario.duration / scenario.output_step <= OutputTimes::k_most)) {
      map.fail("output_step", fmt::format("{:g} in a duration of {:g}", scenario.output_step, scenario.duration),
               fmt::format("a step [s] that makes at most {:g} outputs", OutputTimes::k_most));
    }
    scenario.seed = map.integer("seed").value_or(scenario.seed);
    scenario.energy_error_limit = map.number("energy_error_limit").value_or(scenario.energy_error_limit);
    scenario.strict = map.boolean("strict").value_or(scenario.strict);
    if (const auto integrator = map.map("integrator")) {
      if (const auto options = read_kind<IntegratorKind>(KeyReader<double>(*integrator, files_))) {
        scenario.integrator = *options;
      }
      const bool has_type = integrator->cursor().has_key("type");
      scenario.integrator.type = has_type ? integrator->variant() : "";  // else by the robot
      const auto step = integrator_step(scenario.integrator);
      if (step && scenario.duration / *step > Scenario::k_most_steps) {
        integrator->fail("step", fmt::format("{:g} in a duration of {:g}", *step, scenario.duration),
                         fmt::format("a step [s] that makes at most {:g} steps", Scenario::k_most_steps));
      }
    }
    read_initial(map);
    if (const auto inputs = map.at("inputs")) {
      for (const auto& [name, value] : inputs->named_items(map.rule("inputs").expected())) {
        remember(value);
        if (const auto signal = read_signal(value, key::signal(""), files_)) scenario.inputs[name] = *signal;
      }
    }
    read_controllers(map);
    read_motion(map);
  }

  void read_motion(const YamlMap& map) {
    const auto all = map.at("motion");
    if (!all) return;
    const Key& rule = map.rule("motion");
    DrivenMotion& motion = file_.scenario.motion;
    for (const auto& [name, value] : all->named_items(rule.expected())) {
      remember(value);
      if (name == "base") {
        const auto keys = value.map(k_pose_motion_table);
        if (!keys) continue;
        motion.base = read_pose_motion(KeyReader<double>(*keys, files_));
        if (motion.base.empty()) value.fail("neither `position` nor `rpy`", "one of them, or both");
        file_.changes.emplace_back("robot.base.motion=floating");  // what moves is no fixed base
        continue;
      }
      std::vector<Signal>& signals = motion.joints[name];
      for (const YamlCursor& item : value.items("a list of signals, one a joint coordinate")) {
        remember(item);
        signals.push_back(read_signal(item, key::signal(""), files_).value_or(Signal()));
      }
    }
  }

  void read_controllers(const YamlMap& map) {
    const auto list = map.at("controllers");
    if (!list) return;
    std::map<std::string, SourceMark> names;
    for (const YamlCursor& item : list->items(map.rule("controllers").expected())) {
      const auto keys = item.map(k_controller_variants);
      if (!keys) continue;
      const std::string name = keys->text("name").value_or("");
      const auto [first, is_new] = names.emplace(name, item.mark());
      if (!is_new)
        keys->fail("name", "'" + name + "' again", "a name of its own (" + first->second.text() + " has it)");
      remember(item);
      const auto controller = read_kind<ControllerKind>(KeyReader<double>(*keys, files_));
      if (controller) file_.scenario.controllers.push_back({name, controller});
    }
  }

  void read_initial(const YamlMap& map) {
    const auto initial = map.at("initial");
    if (!initial) return;
    if (initial->has_key("statics") && initial->child("statics").kind() == YamlNode::Kind::scalar) {
      read_statics(*initial);
      return;
    }
    for (const auto& [name, cursor] : initial->named_items(map.rule("initial").expected())) {
      remember(cursor);
      const auto state = cursor.map(k_initial_state_table);
      if (!state) continue;
      InitialState& values = file_.scenario.initial[name];
      for (const char* which : {"q", "v"}) {
        if (const auto entry = state->at(which)) remember(*entry);
        auto& target = *which == 'q' ? values.q : values.v;
        target = state->numbers(which).value_or(std::vector<double>());
      }
    }
  }

  void read_statics(const YamlCursor& cursor) {
    const auto map = cursor.map(k_initial_statics_table);
    if (!map) return;
    const auto wanted = map->boolean("statics");
    if (wanted && !*wanted) cursor.child("statics").fail("true");
    InitialStatics& statics = file_.scenario.statics.emplace();
    statics.friction = map->text("friction") != "none";
    if (const auto inputs = map->at("inputs")) {
      const Key& rule = map->rule("inputs");
      for (const auto& [name, value] : inputs->named_items(rule.expected())) {
        remember(value);
        if (const auto number = value.number(rule.forms.front().forms.front())) statics.inputs[name] = *number;
      }
    }
  }

  void remember(const YamlCursor& cursor) { file_.places[cursor.path()] = cursor.mark().text(); }

  ScenarioFile& file_;
  NamedFiles& files_;
};

/// The robot that the scenario names; its errors are added to the list.
/// @param text  of the robot; without a source it stands where the scenario says. Nothing: the file is read.
void read_robot(ScenarioFile& file, const YamlCursor& name, std::optional<RobotText> text, const Overrides& overrides,
                FileErrors& errors) {
  if (const std::string trouble = text ? "" : file_trouble(file.robot_path); !trouble.empty()) {
    const std::string path = file.robot_path;
    const std::string which =
        trouble == k_no_such_file ? " (no file " + path + ")" : " (" + path + ": " + trouble + ")";
    name.fail(name.found() + which, "a robot file, relative to this file");
    return;
  }
  if (text && text->source.empty()) {
    text->source = file.robot_path;
    text->files = NamedFiles(directory_of(file.robot_path));
  }
  try {
    RobotFile robot =
        text ? read_robot_source(std::move(*text), overrides) : load_robot_file(file.robot_path, overrides);
    file.robot = std::move(robot.robot);
    file.robot_files = std::move(robot.files);
    file.visuals = std::move(robot.visuals);
    file.robot_yaml = std::move(robot.yaml);
    file.warnings = std::move(robot.warnings), file.notes = std::move(robot.notes);
  } catch (const FileError& error) {
    errors.add(error);
  }
}

/// The link whose joint an actuator of this name moves; empty if there is none.
std::string link_of_joint_actuator(const Robot& robot, const std::string& name) {
  for (const Actuator& actuator : robot.actuators) {
    if (actuator.name != name || actuator.transmission == nullptr || actuator.transmission->type_name() != "joint")
      continue;
    return actuator.transmission->links().front();
  }
  return "";
}

/// States that stand under the name of a joint's actuator, as inputs do, put under that of the link.
void name_initial_states_by_links(ScenarioFile& file, FileErrors& errors) {
  const std::vector<Link>& links = file.robot.links;
  std::map<std::string, InitialState>& initial = file.scenario.initial;
  for (const auto& [name, state] : std::map<std::string, InitialState>(initial)) {
    const std::string given = name;
    const bool is_link = given == "base" ||
                         std::any_of(links.begin(), links.end(), [&](const Link& link) { return link.name == given; });
    const std::string link = is_link ? "" : link_of_joint_actuator(file.robot, given);
    if (link.empty()) continue;
    const std::string key = "simulation.initial.";
    if (!initial.emplace(link, state).second) {
      const auto place = file.places.find(key + given);
      errors.add(
          SourceMark{std::make_shared<const std::string>(place == file.places.end() ? file.path : place->second)},
          key + given,
          fmt::format(
              "found the joint of link '{}', which has an initial state by its own name too, expected one of them",
              link));
    }
    initial.erase(given);
    for (const char* const which : {"", ".q", ".v"}) {
      if (const auto place = file.places.find(key + given + which); place != file.places.end()) {
        file.places.emplace(key + link + which, place->second);
      }
    }
  }
}

FileKind kind_of(const YamlNode& tree) {
  return tree.find("simulation") || tree.find("robot") ? FileKind::scenario : FileKind::robot;
}

/// Coordinates of a link, or of the floating base.
struct Coordinates {
  int q = 0, nq = 0, nv = 0;
};
std::optional<Coordinates> coordinates_of(const Model& model, const std::string& name) {
  if (name == "base") return model.robot().floating_base ? Coordinates{0, 7, 6} : Coordinates{};
  for (const auto& link : model.links()) {
    if (link.name == name) return Coordinates{link.q, link.nq, link.nv};
  }
  return std::nullopt;
}

std::string values_text(int count) {
  return count == 0 ? "no values" : count == 1 ? "1 value" : fmt::format("{} values", count);
}

}  // namespace

ScenarioFile read_scenario_source(ScenarioText text, std::optional<RobotText> robot, const Overrides& overrides) {
  const std::string& path = text.source;
  ScenarioFile file;
  file.path = path;
  file.overrides = overrides;
  YamlNode tree = parse_yaml(text.yaml, path);
  if (tree.find("links") && kind_of(tree) == FileKind::robot) {
    throw FileError(path + ": found a robot file, expected a scenario file, which names a robot");
  }
  FileErrors errors;
  Overrides of_robot, of_scenario;
  for (const std::string& override_text : overrides) {
    const std::string first = override_root(override_text);
    const bool names_file = override_text.rfind("robot=", 0) == 0;
    if (first == "robot" && !names_file) {
      of_robot.push_back(override_text);
    } else if (first == "simulation" || names_file) {
      apply_override(tree, override_text, 0, errors);
      of_scenario.push_back(override_text);
    } else {
      const SourceMark mark{std::make_shared<const std::string>("--set " + override_text), 0, 0};
      const std::string nearest =
          missing_root(override_text, {{"simulation", &k_simulation_table}, {"robot", &k_robot_table}});
      errors.add(mark, {}, "'" + override_text + "'",
                 fmt::format("simulation.KEY.PATH=VALUE or robot.KEY.PATH=VALUE{}", nearest));
    }
  }
  file.scenario_yaml = with_comments(text.yaml, of_scenario);
  const auto robot_name = ScenarioReader(file, text.files).read(YamlCursor(tree, "", errors));
  of_robot.insert(of_robot.begin(), file.changes.begin(), file.changes.end());
  file.changes.insert(file.changes.end(), overrides.begin(), overrides.end());
  if (robot_name) read_robot(file, *robot_name, std::move(robot), of_robot, errors);
  errors.throw_if_any();
  name_initial_states_by_links(file, errors);
  errors.throw_if_any();
  drive_loops(file.robot, file.scenario.motion);
  file.files = text.files.texts();
  file.check_against(Model(file.robot));
  return file;
}

void ScenarioFile::check_against(const Model& model) const {
  FileErrors errors;
  const auto fail = [&](const std::string& key, const std::string& found_and_expected) {
    const auto place = places.find(key);
    const std::string& where = place == places.end() ? path : place->second;
    errors.add(SourceMark{std::make_shared<const std::string>(where)}, key, found_and_expected);
  };
  for (const auto& initial : scenario.initial) {
    const std::string& name = initial.first;
    const InitialState& state = initial.second;
    const std::string key = "simulation.initial." + name;
    const auto coordinates = coordinates_of(model, name);
    if (!coordinates) {
      std::vector<std::string> known{"base"};
      for (const auto& link : model.links()) known.push_back(link.name);
      fail(key, fmt::format("found no link '{}', expected {}", name, one_of(name, known)));
      continue;
    }
    bool right_sizes = true;
    const auto check_size = [&](const char* which, const std::vector<double>& values, int expected) {
      if (values.empty() || static_cast<int>(values.size()) == expected) return;
      right_sizes = false;
      const std::string why =
          name == "base" && expected == 0 ? "the base is fixed" : fmt::format("n{} of '{}'", which, name);
      fail(key + "." + which, fmt::format("found {}, expected {} ({})", values_text(static_cast<int>(values.size())),
                                          values_text(expected), why));
    };
    check_size("q", state.q, coordinates->nq);
    check_size("v", state.v, coordinates->nv);
    if (!right_sizes || state.q.empty()) continue;
    VectorXd q = model.neutral();
    for (int i = 0; i < coordinates->nq; ++i) q[coordinates->q + i] = state.q[i];
    try {
      check_configuration<double>(model, q, "q");
    } catch (const ArgumentError& error) {
      fail(key + ".q", error.diagnostic().message());
    }
  }
  std::vector<std::string> inputs;
  for (const auto& info : model.input_info()) inputs.push_back(info.name);
  const auto check_input = [&](const std::string& key, const std::string& name) {
    if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) return;
    const std::string known = inputs.empty() ? "none: the robot has no actuators" : one_of(name, inputs);
    fail(key + name, fmt::format("found no input '{}', expected {}", name, known));
  };
  for (const auto& input : scenario.inputs) check_input("simulation.inputs.", input.first);
  for (std::size_t i = 0; i < scenario.controllers.size(); ++i) {
    try {
      scenario.controllers[i].controller->bind(model);
    } catch (const ArgumentError& error) {
      const std::string key = fmt::format("simulation.controllers[{}]", i);
      const KeyPath& inside = error.diagnostic().path();
      const auto place = places.find(key);
      errors.add(SourceMark{std::make_shared<const std::string>(place == places.end() ? path : place->second)},
                 inside.empty() ? key : key + "." + inside.text(), error.diagnostic().message());
    }
  }
  if (scenario.statics) {
    for (const auto& input : scenario.statics->inputs) check_input("simulation.initial.inputs.", input.first);
  }
  try {
    PrescribedMotion(model, scenario.motion, scenario.duration);
  } catch (const ArgumentError& error) {
    // the place of the key, or of what it stands in
    const std::string key = KeyPath{"simulation", error.path()}.text();
    const KeyPath::Step part = error.path().steps().size() > 1 ? error.path().steps()[1] : KeyPath::Step();
    const std::string outer = "simulation.motion." + part.key;
    const auto place = places.count(key) > 0 ? places.find(key) : places.find(outer);
    errors.add(SourceMark{std::make_shared<const std::string>(place == places.end() ? path : place->second)}, key,
               error.diagnostic().message());
  }
  errors.throw_if_any();
}

ScenarioFile load_scenario_file(const std::string& path, const Overrides& overrides) {
  return read_scenario_source({read_text_file(path, "a scenario file"), path, NamedFiles(directory_of(path))},
                              std::nullopt, overrides);
}

ScenarioFile read_scenario_text(const std::string& text, const std::string& name, const std::string& robot_text,
                                const Overrides& overrides) {
  // the robot's name is known once the text is read
  return read_scenario_source({text, name, NamedFiles(directory_of(name))}, RobotText{robot_text, "", NamedFiles("")},
                              overrides);
}

ScenarioFile read_scenario_again(const ResultSource& source, const std::string& name) {
  return read_scenario_source({source.scenario_yaml, name, NamedFiles(source.scenario_files, name)},
                              RobotText{source.robot_yaml, "", NamedFiles(source.robot_files, name)}, source.overrides);
}

namespace {

/// Whether the motion is of what the model has no coordinates for: frames of loops, or a base that is fixed.
bool drives_more(const ScenarioFile& file, const Model& model) {
  return has_loops_to_drive(model) || (!file.scenario.motion.base.empty() && !model.robot().floating_base);
}

}  // namespace

std::shared_ptr<const Model> model_of_run(const ScenarioFile& file, std::shared_ptr<const Model> model) {
  return drives_more(file, *model) ? std::make_shared<const Model>(file.robot) : std::move(model);
}

ScenarioFile read_scenario_of_robot(const std::string& text, const std::string& name, const Model& model) {
  ScenarioFile file;
  file.path = name;
  file.scenario_yaml = text;
  FileErrors errors;
  NamedFiles files(directory_of(name));
  const YamlNode tree = parse_yaml(text, name);
  const YamlCursor root(tree, "", errors);
  ScenarioReader(file, files).read(root);
  if (root.has_key("set")) root.child("set").fail("changes of a robot that is there already", "none");
  errors.throw_if_any();
  file.files = files.texts();
  file.robot = model.robot();
  file.changes.clear();
  if (drives_more(file, model)) {
    if (!file.scenario.motion.base.empty()) file.robot.floating_base = true;
    drive_loops(file.robot, file.scenario.motion);
    file.check_against(Model(file.robot));
  } else {
    file.check_against(model);
  }
  return file;
}

FileKind kind_of_file(const std::string& path) {
  return kind_of(parse_yaml(read_text_file(path, "a robot or scenario file"), path));
}

}  // namespace cuttle
