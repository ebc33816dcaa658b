#include "cuttle/io/robot_file.h"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <utility>

#include "cuttle/algorithms/idle_inputs.h"
#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "io/import/robot_include.h"
#include "io/robot/file_parameters.h"
#include "io/robot/robot_reader.h"
#include "io/robot/robot_source.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/overrides.h"

namespace cuttle {

RobotFile read_robot_source(RobotText text, const Overrides& overrides) {
  const std::string& source = text.source;
  YamlNode parsed = parse_yaml(text.yaml, source);
  if (parsed.find("simulation") && !parsed.find("links")) {
    throw FileError(source + ": found a scenario file, expected a robot file");
  }
  FileErrors errors;
  const auto is_of_include = [](const std::string& change) { return change.starts_with("robot.include"); };
  for (const std::string& override_text : overrides) {
    if (is_of_include(override_text)) apply_override(parsed, override_text, 1, errors);
  }
  IncludedRobots included = include_robots(parsed, text.files, errors);
  for (const std::string& override_text : overrides) {
    if (is_of_include(override_text)) continue;
    if (override_root(override_text) == "robot") {
      apply_override(parsed, override_text, 1, errors);
    } else {
      const SourceMark mark{std::make_shared<const std::string>("--set " + override_text), 0, 0};
      const std::string nearest = missing_root(override_text, {{"robot", &k_robot_table}});
      errors.add(mark, {}, "'" + override_text + "'", fmt::format("robot.KEY.PATH=VALUE for a robot file{}", nearest));
    }
  }
  RobotFile file;
  file.path = source;
  file.yaml = with_comments(text.yaml, overrides);
  const auto tree = std::make_shared<const YamlNode>(std::move(parsed));
  std::vector<NumberContext::Found> found;
  NumberContext numbers;
  numbers.found = &found;
  const YamlCursor root(*tree, "", errors, &numbers);
  RobotReader reader(text.files);
  file.robot = reader.read(root);
  file.warnings = reader.take_warnings();
  file.visuals = reader.take_visuals();
  file.visuals.insert(file.visuals.end(), included.visuals.begin(), included.visuals.end());
  file.notes = std::move(included.notes);
  errors.throw_if_any();
  try {
    const Model model(file.robot);
    for (const Diagnostic& warning : model.warnings()) file.warnings.push_back(root.located(warning).text());
    for (const IdleInput& idle : idle_inputs(model)) {
      const std::string& input = model.input_info()[idle.input].name;
      const Diagnostic warning({"actuators", idle.actuator},
                               fmt::format("actuator '{}' has no effect: {}", input, idle.why));
      file.warnings.push_back(root.located(warning).text());
    }
  } catch (const Error& error) {  // ConfigurationError: a body that folds onto itself at rest
    root.fail_inside(error.diagnostic());
  } catch (const std::bad_alloc&) {
    root.fail("a robot that takes more memory than there is", "fewer links, points or coordinates");
  }
  errors.throw_if_any();
  file.files = text.files.texts();
  file.files.merge(included.files);
  file.robot.source = std::make_shared<const FileParameters>(tree, file.robot, std::move(found), file.files);
  return file;
}

RobotFile load_robot_file(const std::string& path, const Overrides& overrides) {
  return read_robot_source({read_text_file(path, "a robot file"), path, NamedFiles(directory_of(path))}, overrides);
}

Robot read_robot_file(const std::string& path, const Overrides& overrides) {
  return load_robot_file(path, overrides).robot;
}

Robot read_robot_text(const std::string& text, const std::string& name, const Overrides& overrides) {
  return read_robot_source({text, name, NamedFiles("")}, overrides).robot;
}

}  // namespace cuttle
