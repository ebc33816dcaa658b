#include "cuttle/io/robot_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/whole_file.h"
#include "io/robot/file_parameters.h"
#include "io/robot/robot_reader.h"
#include "io/robot/robot_source.h"
#include "io/robot/robot_writer.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {
namespace {

/// What a file says only by how it was made must have been made like that.
void require_same_parts(const Body& body, const Body& read) {
  const auto points = body.part<Quadrature>(), read_points = read.part<Quadrature>();
  if (points && read_points && !(points->points == read_points->points && points->weights == read_points->weights)) {
    throw ModelError("quadrature.points", "points of its own, which have no text", "those of the shape");
  }
  const auto basis = body.part<FemBasis>(), read_basis = read.part<FemBasis>();
  if (!basis || !read_basis) return;
  bool same = basis->modes.size() == read_basis->modes.size();
  for (std::size_t i = 0; same && i < basis->modes.size(); ++i) {
    for (std::size_t k = 0; same && k < basis->modes[i].size(); ++k) {
      same = norm(basis->modes[i][k] - read_basis->modes[i][k]) < 1e-6;  // of 1; an eigenproblem of another material
    }
  }
  if (!same) throw ModelError("kinematics", "modes of its own, which have no text", "those of mesh and material");
}

/// Reads what was written, so that nobody else finds that a file could not say it.
/// @param texts  files that it names: meshes of obstacles and of contact shapes.   @return all numbers.
std::vector<NumberContext::Found> read_back(const YamlNode& tree, const Robot& robot, const FileTexts& texts) {
  FileErrors errors;
  std::vector<NumberContext::Found> found;
  NumberContext numbers;
  numbers.found = &found;
  NamedFiles files(texts, "'" + robot.name + "'");
  const Robot read = RobotReader(files, &robot).read(YamlCursor(tree, "", errors, &numbers));
  try {
    errors.throw_if_any();
  } catch (const FileError& error) {
    throw ModelError(error.what());
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const Link& link = robot.links[i];
    if (!link.body) continue;
    at_place({"links", i}, link.name,
             [&] { at_place("body", "", [&] { require_same_parts(*link.body, *read.links[i].body); }); });
  }
  return found;
}

/// Lines of a text as comments of YAML, without control characters.
std::string comment_lines(const std::string& text) {
  std::string comments;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    comments += "# " + printable(text.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return comments;
}

WrittenRobot written(const Robot& robot, const std::vector<LinkVisual>& visuals, WriteContext context) {
  WrittenRobot result;
  context.files = &result.files;
  const YamlNode tree = robot_tree(robot, visuals, context);
  read_back(tree, robot, result.files);
  result.yaml = yaml_text(tree);
  return result;
}

}  // namespace

std::shared_ptr<const ParameterSource> describe(const Robot& robot) {
  FileTexts files;
  WriteContext context{.robot = &robot};
  context.files = &files;
  const auto tree = std::make_shared<const YamlNode>(robot_tree(robot, {}, context));
  return std::make_shared<const FileParameters>(tree, robot, read_back(*tree, robot, files), files);
}

WrittenRobot write_robot(const Robot& robot, const std::vector<LinkVisual>& visuals) {
  return written(robot, visuals, {.robot = &robot});
}

void write_robot_file(const Robot& robot, const std::string& path, bool replace, const std::vector<LinkVisual>& visuals,
                      const std::string& head) {
  check_free(path, replace);
  const std::string directory = directory_of(path);
  const auto is_free = [&](const std::string& name, const std::string& text) {
    const std::string other = path_in(directory, name);
    if (other == path_in("", path)) return false;
    return !std::filesystem::exists(other) || has_content(other, text);
  };
  const WrittenRobot result = written(robot, visuals, {.robot = &robot, .is_free = is_free});
  for (const auto& [name, text] : result.files) {
    const std::string other = path_in(directory, name);
    if (!std::filesystem::exists(other)) write_whole_file(other, text);
  }
  std::optional<ReplaceAnyFile> any;
  if (replace) any.emplace(path), forget_read(path);
  write_whole_file(path, comment_lines(head) + result.yaml);
}

Robot read_robot(const WrittenRobot& written, const std::string& name) {
  return read_robot_source({written.yaml, name, NamedFiles(written.files, name)}, {}).robot;
}

}  // namespace cuttle
