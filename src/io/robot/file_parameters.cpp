#include "io/robot/file_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/robot/robot_reader.h"
#include "io/scenario/overrides.h"

namespace cuttle {
namespace {

/// Path with the name of a link, an actuator .. in the place of its index: links.arm.body.length.
std::string named_path(const YamlNode& tree, const std::string& text) {
  const KeyPath path(text);
  if (path.steps().size() < 2 || path.steps()[0].is_index() || !path.steps()[1].is_index()) return text;
  const std::string& list = path.steps()[0].key;
  const YamlEntry* items = tree.find(list);
  const YamlEntry* name = items ? items->value.items().at(path.steps()[1].index).find("name") : nullptr;
  return name ? fmt::format("{}.{}{}", list, name->value.scalar(), text.substr(text.find(']') + 1)) : text;
}

/// A robot without a source: what a source keeps of its own robot must not keep the source.
Robot without_source(Robot robot) {
  robot.source = nullptr;
  return robot;
}

}  // namespace

struct FileParameters::File {
  struct Number {
    std::string path, unit;  // path as users write it
    std::string cursor_path;
    double value;
    bool given;
  };
  std::shared_ptr<const YamlNode> tree;
  Robot robot;      // as the file has it
  FileTexts files;  // that it names
  std::vector<Number> numbers;
  std::map<std::string, std::size_t> index;  // by either path
};

FileParameters::FileParameters(std::shared_ptr<const YamlNode> tree, const Robot& robot,
                               std::vector<NumberContext::Found> found, FileTexts files)
    : robot_(without_source(robot)) {
  auto file = std::make_shared<File>();
  file->tree = std::move(tree);
  file->robot = robot_;
  file->files = std::move(files);
  for (NumberContext::Found& number : found) {
    std::string path = named_path(*file->tree, number.path);
    file->index.emplace(path, file->numbers.size());
    file->index.emplace(number.path, file->numbers.size());
    file->numbers.push_back(
        {std::move(path), std::move(number.unit), std::move(number.path), number.value, number.given});
  }
  file_ = std::move(file);
}

FileParameters::FileParameters(std::shared_ptr<const File> file, Changes changes, const Robot& robot)
    : file_(std::move(file)), changes_(std::move(changes)), robot_(without_source(robot)) {}

const std::string& FileParameters::name() const { return *file_->tree->mark.source; }

ParameterInfo FileParameters::info(std::size_t index) const {
  const File::Number& number = file_->numbers[index];
  const auto change = changes_.find(number.cursor_path);
  const bool changed = change != changes_.end();
  return {number.path, number.unit, changed ? change->second : number.value, number.given || changed};
}

std::vector<ParameterInfo> FileParameters::parameters() const {
  std::vector<ParameterInfo> all;
  all.reserve(file_->numbers.size());
  for (std::size_t i = 0; i < file_->numbers.size(); ++i) all.push_back(info(i));
  return all;
}

ParameterInfo FileParameters::parameter(const std::string& path) const { return info(find(path)); }

std::size_t FileParameters::find(const std::string& path) const {
  const std::string prefix = "robot.";
  const std::string key = path.starts_with(prefix) ? path.substr(prefix.size()) : path;
  const auto found = file_->index.find(key);
  if (found != file_->index.end()) return found->second;

  std::vector<std::string> known;
  for (const File::Number& number : file_->numbers) known.push_back(number.path);
  std::string text = fmt::format("parameter: found '{}', ", path);
  const YamlNode* there = find_value(*file_->tree, key);
  if (there && there->kind() == YamlNode::Kind::scalar) {
    text += fmt::format(
        "which is no parameter ({} at {}), expected a real number that the dynamics depend on: "
        "for integers, texts, signals and `visual`, load the file again with an override",
        there->scalar(), there->mark.text());
  } else if (there) {
    text += "which has parts, expected one number";
    const auto inside = [&key](const std::string& candidate) {
      return candidate.starts_with(key) && candidate.find_first_of(".[", key.size()) == key.size();
    };
    const auto part = std::find_if(known.begin(), known.end(), inside);
    if (part != known.end()) text += " as '" + *part + "'";
  } else {
    const std::string nearest = did_you_mean(key, known);
    text += fmt::format("which '{}' does not have ({})", robot_.name, name());
    text += nearest.empty()
                ? fmt::format(", expected one of its {} parameters, which `cuttle parameters` lists", known.size())
                : nearest;
  }
  throw ArgumentError(text);
}

Robot FileParameters::with(const std::vector<ParameterChange>& changes) const {
  NumberContext numbers;
  numbers.changes = changes_;
  for (const ParameterChange& change : changes) {
    numbers.changes[file_->numbers[find(change.path)].cursor_path] = change.value;
  }
  Robot robot = read_again<double>(numbers);
  robot.source = std::shared_ptr<const FileParameters>(new FileParameters(file_, std::move(numbers.changes), robot));
  return robot;
}

RobotT<ForwardDual> FileParameters::differentiated(const std::vector<ParameterDirection>& directions) const {
  if (directions.size() > static_cast<std::size_t>(k_forward_width)) {
    throw ArgumentError(fmt::format("parameters: found {} paths, expected at most {} to differentiate by at once",
                                    directions.size(), k_forward_width));
  }
  NumberContext numbers;
  numbers.changes = changes_;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    for (const std::string& path : directions[k]) {
      numbers.directions[file_->numbers[find(path)].cursor_path].derivative[k] = 1.0;
    }
  }
  return read_again<ForwardDual>(numbers);
}

template <typename S>
RobotT<S> FileParameters::read_again(const NumberContext& numbers) const {
  FileErrors errors;
  NamedFiles files(file_->files, "'" + file_->robot.name + "'");
  // what is made in double alone, as reduced bases, is that of the numbers as they are now
  RobotT<S> robot = RobotReaderT<S>(files, &robot_).read(YamlCursor(*file_->tree, "", errors, &numbers));
  try {
    errors.throw_if_any();
  } catch (const FileError& error) {
    throw ModelError(error.what());  // the file itself is right
  }
  return robot;
}

std::string FileParameters::place(const KeyPath& path) const {
  FileErrors errors;
  return YamlCursor(*file_->tree, "", errors).mark_of(path).text();
}

}  // namespace cuttle
