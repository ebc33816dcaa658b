#include "cuttle/io/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/model/spelling.h"
#include "io/results/hdf5_content.h"
#include "io/results/result_block.h"
#include "io/scenario/overrides.h"
#include "io/scenario/scenario_source.h"

namespace cuttle {
namespace {

std::string count_text(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The parts of a result; whatever is not as it should be is a FileError that names file and part.
class ResultParts {
 public:
  ResultParts(const std::string& path, bool with_rows) : path_(path), content_(read_hdf5_content(path, with_rows)) {}

  [[noreturn]] void fail(const std::string& part, const std::string& found, const std::string& expected) const {
    throw FileError(
        fmt::format("{}: {}found {}, expected {}", path_, part.empty() ? "" : part + ": ", found, expected));
  }

  bool has(const std::string& path) const { return content_.objects.contains(path); }
  bool has_attribute(const std::string& object, const std::string& name) const {
    return has(object) && content_.objects.at(object).attribute(name) != nullptr;
  }

  /// Texts of an attribute, one or a list.
  const std::vector<std::string>& texts(const std::string& object, const std::string& name) const {
    const Hdf5Attribute& found = attribute(object, name);
    if (!found.is_text) fail(attribute_text(object, name), "no text", "a text in UTF-8");
    return found.texts;
  }
  const std::string& text(const std::string& object, const std::string& name) const {
    const std::vector<std::string>& all = texts(object, name);
    if (all.size() != 1) fail(attribute_text(object, name), count_text(all.size(), "text"), "1");
    return all.front();
  }
  double number(const std::string& object, const std::string& name) const {
    const Hdf5Attribute& found = attribute(object, name);
    if (found.is_text) fail(attribute_text(object, name), "no number", "a number");
    if (found.count != 1) fail(attribute_text(object, name), "a list", "one number");
    return found.number;
  }
  std::vector<std::string> attributes(const std::string& object) const {
    std::vector<std::string> names;
    for (const auto& [name, attribute] : content_.objects.at(object).attributes) names.push_back(name);
    return names;
  }
  /// Paths of what a group has.
  std::vector<std::string> members(const std::string& group) const {
    std::vector<std::string> paths;
    for (const auto& [path, object] : content_.objects) {
      if (path.starts_with(group + "/")) paths.push_back(path);
    }
    return paths;
  }

  /// Extents of a dataset of numbers.
  const std::vector<std::uint64_t>& shape(const std::string& path) const { return dataset(path).shape; }
  /// The rows of a dataset, no more than `time` has.
  const std::vector<double>& rows(const std::string& path) const { return dataset(path).values; }
  const std::string& bytes(const std::string& path) const {
    const Hdf5Object& found = dataset(path);
    if (found.shape.size() != 1) fail(path, count_text(found.shape.size(), "dimension"), "1");
    if (found.bytes.size() != found.shape[0]) fail(path, "numbers", "bytes");
    return found.bytes;
  }

 private:
  static std::string attribute_text(const std::string& object, const std::string& name) {
    return object == "/" ? "attribute " + name : object + ": attribute " + name;
  }
  const Hdf5Object& dataset(const std::string& path) const {
    const auto found = content_.objects.find(path);
    if (found == content_.objects.end()) {
      fail(path, "no dataset of this name", "one, as every result of this robot has");
    }
    const Hdf5Object& object = found->second;
    if (!object.trouble.empty()) fail(path, object.trouble, "a whole file");
    if (!object.is_dataset) fail(path, "no dataset", "a dataset of numbers");
    if (!object.is_numeric) fail(path, "no numbers", "numbers");
    return object;
  }
  const Hdf5Attribute& attribute(const std::string& object, const std::string& name) const {
    const auto found = content_.objects.find(object);
    const Hdf5Attribute* attribute = found == content_.objects.end() ? nullptr : found->second.attribute(name);
    if (attribute == nullptr) fail(attribute_text(object, name), "none", "one, as results of Cuttle have");
    if (!attribute->trouble.empty()) fail(attribute_text(object, name), attribute->trouble, "a whole file");
    return *attribute;
  }

  std::string path_;
  Hdf5Content content_;
};

RunStatus read_status(const ResultParts& file) {
  const std::string name = file.text("/", "status");
  std::vector<std::string> known;
  for (const RunStatus status : {RunStatus::complete, RunStatus::interrupted, RunStatus::failed}) {
    known.emplace_back(run_status_name(status));
    if (known.back() == name) return status;
  }
  file.fail("attribute status", "'" + name + "'", join_or(known));
}

/// Text of a robot or a scenario. @throws FileError for one with a part that no file can say.
std::string read_text(const ResultParts& file, const std::string& name) {
  std::string text = file.text("/", name);
  if (!text.starts_with(k_not_written)) return text;
  text = text.substr(std::string_view(k_not_written).size());
  while (text.ends_with('\n')) text.pop_back();
  file.fail(name,
            "a part that is a function of the program that ran it, in Python or C++, and that a file can only name (" +
                text + ")",
            "parts that a file can say: this run cannot be opened again, though its rows are there for other programs");
}

ResultSource read_source(const ResultParts& file) {
  ResultSource source;
  source.robot_yaml = read_text(file, "robot_yaml");
  source.scenario_yaml = read_text(file, "scenario_yaml");
  if (file.has_attribute("/", "overrides")) {
    source.overrides = file.texts("/", "overrides");
  } else {  // written by an earlier Cuttle
    source.overrides = overrides_in_comments(source.robot_yaml);
    for (std::string& text : overrides_in_comments(source.scenario_yaml)) source.overrides.push_back(std::move(text));
  }
  const std::string group = k_files_group;
  if (!file.has(group)) return source;
  for (const std::string& dataset : file.members(group)) {
    const std::string of = file.text(dataset, k_file_of);
    if (of != "robot" && of != "scenario") file.fail(dataset + ": attribute of", "'" + of + "'", "robot or scenario");
    (of == "robot" ? source.robot_files : source.scenario_files)[file.text(dataset, k_file_name)] = file.bytes(dataset);
  }
  return source;
}

/// How many columns of a block a result has: an earlier one may lack an element's outputs.
std::size_t columns_there(const ResultParts& file, const ResultBlock& block) {
  if (!block.outputs) return block.width();
  if (!file.has(block.path)) return *block.outputs == 0 ? 0 : block.width();
  const std::vector<std::uint64_t>& shape = file.shape(block.path);
  return shape.size() == 2 && shape[1] == *block.outputs ? *block.outputs : block.width();
}

/// Checks that a dataset has what this robot's results have, by its names and its size.
/// @param columns  of the block, the first ones.
void check_block(const ResultParts& file, const ResultBlock& block, std::size_t columns, std::uint64_t rows) {
  const std::vector<std::uint64_t>& shape = file.shape(block.path);
  const std::size_t rank = block.scalar ? 1 : 2;
  if (shape.size() != rank) {
    file.fail(block.path, count_text(shape.size(), "dimension"), fmt::format("{}", rank));
  }
  if (!block.scalar) {
    if (shape[1] != columns) {
      file.fail(block.path, count_text(shape[1], "column"), fmt::format("{}, as robot_yaml has it", block.width()));
    }
    const std::vector<std::string> names = file.texts(block.path, "names");
    if (names.size() != columns) {
      file.fail(block.path + ": attribute names", count_text(names.size(), "name"), fmt::format("{}", columns));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == block.columns[i].name) continue;
      file.fail(block.path, fmt::format("column {} '{}'", i, names[i]),
                fmt::format("'{}', as robot_yaml has it", block.columns[i].name));
    }
  }
  if (shape[0] < rows) {
    file.fail(block.path, count_text(shape[0], "row"), fmt::format("{}, as the dataset time has", rows));
  }
}

std::vector<Sample> read_samples(const ResultParts& file, const Model& model,
                                 const std::vector<RecordedController>& controllers,
                                 const std::vector<RecordedMotion>& motion) {
  const std::vector<std::uint64_t> time_shape = file.shape("time");
  if (time_shape.size() != 1) file.fail("time", count_text(time_shape.size(), "dimension"), "1");
  const std::uint64_t count = time_shape[0];
  std::vector<Sample> samples(count, sized_sample({model, controllers, motion}, 0.0));
  std::vector<double> whole;
  for (const ResultBlock& block : result_blocks(model, controllers, motion)) {
    const std::size_t columns = columns_there(file, block);
    whole.assign(block.width(), std::numeric_limits<double>::quiet_NaN());
    if (columns > 0) check_block(file, block, columns, count);
    const std::vector<double> none, &values = columns > 0 ? file.rows(block.path) : none;
    if (values.size() != count * columns) file.fail(block.path, "fewer numbers than its size says", "a whole file");
    for (std::uint64_t row = 0; row < count; ++row) {
      std::copy_n(values.data() + row * columns, columns, whole.data());
      block.restore(whole.data(), samples[row]);
    }
  }
  for (std::uint64_t row = 0; row < count; ++row) {
    const double time = samples[row].time;
    if (std::isfinite(time) && (row == 0 || time > samples[row - 1].time)) continue;
    file.fail("time", row == 0 ? fmt::format("{}", time) : fmt::format("{} after {}", time, samples[row - 1].time),
              fmt::format("increasing times (row {})", row));
  }
  return samples;
}

/// Everything but the rows.
ResultFile read_head(const ResultParts& file, const std::string& path) {
  if (!file.has_attribute("/", "format") || !file.has_attribute("/", "cuttle_version")) {
    file.fail("", "a file in HDF5 without the attributes format and cuttle_version",
              "a result, as cuttle simulate writes");
  }
  if (const double format = file.number("/", "format"); format != k_result_format) {
    file.fail("attribute format", fmt::format("{:g}", format),
              fmt::format("{}, the format that this Cuttle reads", k_result_format));
  }
  ResultFile result;
  result.path = path;
  result.cuttle_version = file.text("/", "cuttle_version");
  result.status = read_status(file);
  result.message = file.text("/", "message");
  const auto texts_or_none = [&file](const char* name) {
    return file.has_attribute("/", name) ? file.texts("/", name) : std::vector<std::string>{};
  };
  const auto text_or_none = [&file](const char* name) {
    return file.has_attribute("/", name) ? file.text("/", name) : std::string();
  };
  result.warnings = texts_or_none("warnings");
  result.environment = {text_or_none("instruction_set"), text_or_none("compiler"), texts_or_none("libraries"),
                        text_or_none("integrator")};
  result.source = read_source(file);
  if (file.has("statistics")) {
    for (const std::string& name : file.attributes("statistics")) {
      result.statistics.push_back({name, file.number("statistics", name)});
    }
  }
  if (file.has("loops") && file.has_attribute("loops", "redundant_rows")) {
    result.redundant_rows = file.texts("loops", "redundant_rows");
  }
  const bool has_files = file.has(k_files_group);
  const auto named_files = [&](const FileTexts& texts) {
    return has_files ? NamedFiles(texts, path) : NamedFiles(directory_of(path));
  };
  const ResultSource& source = result.source;
  ScenarioFile scenario = read_scenario_source(
      {source.scenario_yaml, path + ": scenario_yaml", named_files(source.scenario_files)},
      RobotText{source.robot_yaml, path + ": robot_yaml", named_files(source.robot_files)}, source.overrides);
  result.changes = std::move(scenario.changes);
  result.robot = std::move(scenario.robot);
  result.visuals = std::move(scenario.visuals);
  result.scenario = std::move(scenario.scenario);
  return result;
}

ResultSequence::Kind read_kind(const ResultParts& file) {
  if (!file.has_attribute("/", k_content)) return ResultSequence::Kind::simulation;
  const std::string name = file.text("/", k_content);
  std::vector<std::string> known;
  for (const auto kind : {ResultSequence::Kind::path, ResultSequence::Kind::table, ResultSequence::Kind::modes}) {
    known.emplace_back(sequence_kind_name(kind));
    if (known.back() == name) return kind;
  }
  file.fail(std::string("attribute ") + k_content, "'" + name + "'", join_or(known));
}

/// What stands beside the rows, of results that are no simulations.
ResultSequence read_sequence(const ResultParts& file, std::size_t rows) {
  ResultSequence sequence;
  sequence.kind = read_kind(file);
  if (sequence.kind == ResultSequence::Kind::simulation) return sequence;
  const std::string group = sequence_kind_name(sequence.kind);
  if (sequence.kind == ResultSequence::Kind::path) {
    sequence.along = file.text(group, "along"), sequence.along_unit = file.text(group, "along_unit");
    sequence.branch_end = file.texts(group, "branch_end");
    for (const std::string& parent : file.texts(group, "branch_parent")) {
      sequence.branch_parent.push_back(parse_decimal(parent).value_or(-1.0));
    }
  }
  for (const std::string& path : file.members(group)) {
    const std::string name = path.substr(group.size() + 1);
    const std::vector<std::uint64_t>& shape = file.shape(path);
    const std::size_t width = shape.size() == 2 ? shape[1] : 1;
    const std::vector<double>& values = file.rows(path);
    if (shape.empty() || shape.size() > 2 || values.size() != rows * width) {
      file.fail(path, count_text(values.size(), "number"), count_text(rows, "row"));
    }
    const std::vector<std::string>& units = file.texts(path, "units");
    if (shape.size() == 2) {
      const std::vector<std::string>& names = file.texts(path, "names");
      if (names.size() != width || units.size() != width) {
        file.fail(path + ": attribute names", count_text(names.size(), "name"), count_text(width, "name"));
      }
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const auto count = static_cast<Eigen::Index>(rows), size = static_cast<Eigen::Index>(width);
      sequence.vectors.push_back({name, names, units, Eigen::Map<const Rows>(values.data(), count, size)});
      continue;
    }
    SequenceColumn column{name, file.text(path, "units"), {}, values};
    if (file.has_attribute(path, "labels")) column.labels = file.texts(path, "labels");
    const double last = static_cast<double>(column.labels.size()) - 1.0;
    for (const double value : values) {
      if (column.labels.empty() || (value >= 0.0 && value <= last && value == std::floor(value))) continue;
      file.fail(path, fmt::format("{}", value), fmt::format("an integer in [0, {}], as it has labels", last));
    }
    sequence.columns.push_back(std::move(column));
  }
  return sequence;
}

/// Runs what reads a result; whatever it complains about, the file is named.
template <typename Read>
auto naming(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw FileError(path + ": found a result that takes more memory than there is, expected a shorter one");
  } catch (const std::exception& error) {
    const std::string text = error.what();
    if (text.find(path) != text.npos) throw;
    throw FileError(path + ": " + text);
  }
}

}  // namespace

ResultFile read_result_file(const std::string& path) {
  return naming(path, [&path] {
    const ResultParts file(path, true);
    ResultFile result = read_head(file, path);
    const Model model(result.robot);
    if (file.has("controllers")) result.controllers = recorded_controllers(model, result.scenario.controllers);
    if (file.has("motion")) result.motion = recorded_motion(model, result.scenario.motion);
    result.samples = read_samples(file, model, result.controllers, result.motion);
    result.sequence = read_sequence(file, result.samples.size());
    return result;
  });
}

ResultFile read_result_head(const std::string& path) {
  return naming(path, [&path] {
    const ResultParts file(path, false);
    ResultFile result = read_head(file, path);
    if (file.has("controllers")) {
      result.controllers = recorded_controllers(Model(result.robot), result.scenario.controllers);
    }
    return result;
  });
}

}  // namespace cuttle
