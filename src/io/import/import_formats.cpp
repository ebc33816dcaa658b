#include <algorithm>

#include "cuttle/io/robot_import.h"
#include "io/import/import_builder.h"
#include "io/import/xml_tree.h"

namespace cuttle {

// readers, each in a source of its name
void read_urdf(const NamedText& file, const std::string& name, ImportBuilder& to);
void read_mjcf(const NamedText& file, const std::string& name, ImportBuilder& to);
void read_sdf(const NamedText& file, const std::string& name, ImportBuilder& to);

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> k_formats{
      {"URDF", "urdf", "File of the robot in URDF, relative to this file.", "robot", {".urdf"}, read_urdf},
      {"MJCF", "mjcf", "The same in MuJoCo's MJCF.", "mujoco", {".xml", ".mjcf"}, read_mjcf},
      {"SDF", "sdf", "The same in SDF, its rigid part.", "sdf", {".sdf", ".world"}, read_sdf}};
  return k_formats;
}

std::string import_format_list(std::string ImportFormat::*text, const std::string& last) {
  const std::vector<ImportFormat>& all = import_formats();
  std::string list = all.front().*text;
  for (std::size_t i = 1; i < all.size(); ++i) list += (i + 1 < all.size() ? ", " : last) + all[i].*text;
  return list;
}

const ImportFormat& import_format(const std::string& path) {
  const std::vector<ImportFormat>& all = import_formats();
  std::vector<std::string> roots;
  roots.reserve(all.size());
  for (const ImportFormat& format : all) roots.push_back(format.root);
  const XmlElement root =
      parse_xml({path, read_text_file(path, "a robot in " + import_format_list(&ImportFormat::name))}, roots);
  return *std::find_if(all.begin(), all.end(), [&](const ImportFormat& format) { return format.root == root.tag; });
}

ImportedRobot import_robot(const std::string& path, const ImportOptions& options) {
  ImportFiles files("");
  const NamedText file{path, read_text_file(path, "a robot in " + import_format_list(&ImportFormat::name))};
  return import_named(import_format(path), file, path, files, options);
}

void check_robot_extension(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const auto refuse = [&](const char* why, const char* advice) {
    throw FileError(
        fmt::format("{}: found a robot in a format of other programs ({}){}, expected a robot or scenario "
                    "file in YAML (`cuttle {})",
                    path, extension, why, advice));
  };
  for (const ImportFormat& format : import_formats()) {
    if (std::count(format.endings.begin(), format.endings.end(), extension) > 0) refuse("", "import` makes one of it");
  }
  for (const char* const other : {".xacro", ".usd", ".usda"}) {
    if (extension == other) refuse(", which Cuttle does not read", "new` writes one to start from");
  }
}

}  // namespace cuttle
