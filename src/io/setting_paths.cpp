#include "cuttle/io/setting_paths.h"

#include "cuttle/error.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/scenario_file.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"

namespace cuttle {
namespace {

std::vector<std::string> choices_of(const KeyPlace& place) {
  std::vector<std::string> choices;
  if (place.variants) {
    for (const auto& variant : place.variants->variants()) {
      if (variant.table) choices.push_back(variant.choice);
    }
    return choices;
  }
  if (place.key->kind == Key::Kind::boolean) return {"true", "false"};
  choices = place.key->choices;
  for (const Key& form : place.key->forms) choices.insert(choices.end(), form.choices.begin(), form.choices.end());
  return choices;
}

void add_paths(std::vector<SettingPath>& paths, const YamlNode& tree, const KeyTable& table, const std::string& root) {
  for (const KeyPlace& place : key_places(tree, table)) {
    const bool settable = place.name != "cuttle" && place.path != "set";
    if (settable) paths.push_back({root + place.path, choices_of(place)});
  }
}

}  // namespace

std::vector<SettingPath> setting_paths(const std::string& file) {
  std::vector<SettingPath> paths;
  const YamlNode tree = parse_yaml(read_text_file(file, "a robot or scenario file"), file);
  if (kind_of_file(file) == FileKind::robot) {
    add_paths(paths, tree, k_robot_table, "robot.");
    return paths;
  }
  add_paths(paths, tree, k_scenario_table, "");
  const YamlEntry* robot = tree.find("robot");
  if (!robot) return paths;
  const std::string path = path_in(directory_of(file), robot->value.scalar());
  try {
    add_paths(paths, parse_yaml(read_text_file(path, "a robot file"), path), k_robot_table, "robot.");
  } catch (const FileError&) {  // what the scenario itself has is still good
  }
  return paths;
}

}  // namespace cuttle
