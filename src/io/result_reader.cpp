#include "cuttle/io/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/hdf5_handle.h"
#include "io/overrides.h"
#include "io/result_block.h"
#include "io/scenario_source.h"

namespace cuttle {
namespace {

std::string count_text(hsize_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Reads the parts of a file of HDF5; whatever is not as it should be is a FileError that names file and part.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path) : path_(path) {
    std::error_code status;
    if (!std::filesystem::exists(path, status)) fail("", "no such file", "a result in HDF5");
    if (std::filesystem::is_directory(path, status)) fail("", "a directory", "a result in HDF5");
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_file_locking(access, false, true);  // whoever writes it goes on undisturbed
    if (!(H5Fis_hdf5(path.c_str()) > 0))
      fail("", "a file that is not in HDF5", "a result in HDF5, as cuttle simulate writes");
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
    if (file_ < 0) {  // if this program writes it, HDF5 wants it opened in the same way
      const Hdf5Handle as_written(H5Pcreate(H5P_FILE_ACCESS));
      H5Pset_fclose_degree(as_written, H5F_CLOSE_STRONG);
      file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, as_written));
    }
    if (file_ < 0) fail("", "a file that HDF5 cannot open (" + innermost_hdf5_error() + ")", "a whole result in HDF5");
  }

  [[noreturn]] void fail(const std::string& part, const std::string& found, const std::string& expected) const {
    throw FileError(
        fmt::format("{}: {}found {}, expected {}", path_, part.empty() ? "" : part + ": ", found, expected));
  }

  bool has(const std::string& path) const {
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      if (!(H5Lexists(file_, path.substr(0, slash).c_str(), H5P_DEFAULT) > 0)) return false;
    }
    return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
  }
  bool has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }

  /// Texts of an attribute, one or a list.
  std::vector<std::string> texts(const std::string& object, const std::string& name) const {
    const Hdf5Handle attribute = open_attribute(object, name);
    const Hdf5Handle space(H5Aget_space(attribute)), type(H5Aget_type(attribute));
    const std::string part = attribute_text(object, name);
    if (H5Tget_class(type) != H5T_STRING || !(H5Tis_variable_str(type) > 0)) fail(part, "no text", "a text in UTF-8");
    std::vector<char*> pointers(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
    std::vector<std::string> values;
    if (pointers.empty()) return values;
    const Hdf5Handle memory = hdf5_text_type();
    if (H5Aread(attribute, memory, pointers.data()) < 0) unreadable(part);
    for (const char* text : pointers) values.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
    return values;
  }
  std::string text(const std::string& object, const std::string& name) const {
    const std::vector<std::string> all = texts(object, name);
    if (all.size() != 1) fail(attribute_text(object, name), count_text(all.size(), "text"), "1");
    return all.front();
  }
  double number(const std::string& object, const std::string& name) const {
    const Hdf5Handle attribute = open_attribute(object, name);
    const Hdf5Handle space(H5Aget_space(attribute));
    const std::string part = attribute_text(object, name);
    if (H5Sget_simple_extent_npoints(space) != 1) fail(part, "a list", "one number");
    double value = 0.0;
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) fail(part, "no number", "a number");
    return value;
  }
  std::vector<std::string> attributes(const std::string& object) const {
    return names_of([&](std::vector<std::string>& names) {
      const Hdf5Handle place(H5Oopen(file_, object.c_str(), H5P_DEFAULT));
      const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
      };
      hsize_t index = 0;
      return H5Aiterate2(place, H5_INDEX_NAME, H5_ITER_NATIVE, &index, add, &names);
    });
  }
  std::vector<std::string> members(const std::string& group) const {
    return names_of([&](std::vector<std::string>& names) {
      const Hdf5Handle place(H5Gopen2(file_, group.c_str(), H5P_DEFAULT));
      const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
      };
      hsize_t index = 0;
      return H5Literate(place, H5_INDEX_NAME, H5_ITER_INC, &index, add, &names);
    });
  }

  /// Extents of a dataset of numbers.
  std::vector<hsize_t> shape(const std::string& path) const {
    const Hdf5Handle dataset = open(path);
    const Hdf5Handle space(H5Dget_space(dataset)), type(H5Dget_type(dataset));
    if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER) fail(path, "no numbers", "numbers");
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return extents;
  }
  /// The first rows of a dataset.
  std::vector<double> rows(const std::string& path, hsize_t count, hsize_t width, bool scalar) const {
    std::vector<double> values(count * width);
    if (values.empty()) return values;
    const Hdf5Handle dataset = open(path);
    const Hdf5Handle space(H5Dget_space(dataset));
    const std::array<hsize_t, 2> start{0, 0}, size{count, width};
    const int rank = scalar ? 1 : 2;
    const Hdf5Handle memory(H5Screate_simple(rank, size.data(), nullptr));
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0) {
      unreadable(path);
    }
    return values;
  }
  std::string bytes(const std::string& path) const {
    const std::vector<hsize_t> extents = shape(path);
    if (extents.size() != 1) fail(path, count_text(extents.size(), "dimension"), "1");
    std::string text(extents[0], '\0');
    const Hdf5Handle dataset = open(path);
    if (!text.empty() && H5Dread(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
      unreadable(path);
    }
    return text;
  }

 private:
  static std::string attribute_text(const std::string& object, const std::string& name) {
    return object == "/" ? "attribute " + name : object + ": attribute " + name;
  }
  [[noreturn]] void unreadable(const std::string& part) const {
    fail(part, "data that HDF5 cannot read (" + innermost_hdf5_error() + ")", "a whole file");
  }
  Hdf5Handle open(const std::string& path) const {
    if (!has(path)) fail(path, "no dataset of this name", "one, as every result of this robot has");
    Hdf5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    if (dataset < 0) fail(path, "no dataset", "a dataset of numbers");
    return dataset;
  }
  Hdf5Handle open_attribute(const std::string& object, const std::string& name) const {
    Hdf5Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    if (attribute < 0) fail(attribute_text(object, name), "none", "one, as results of Cuttle have");
    return attribute;
  }
  template <typename Iterate>
  std::vector<std::string> names_of(const Iterate& iterate) const {
    std::vector<std::string> names;
    if (iterate(names) < 0) unreadable("list of names");
    return names;
  }

  std::string path_;
  Hdf5Handle file_;
};

RunStatus read_status(const Hdf5Reader& file) {
  const std::string name = file.text("/", "status");
  std::vector<std::string> known;
  for (const RunStatus status : {RunStatus::complete, RunStatus::interrupted, RunStatus::failed}) {
    known.emplace_back(run_status_name(status));
    if (known.back() == name) return status;
  }
  file.fail("attribute status", "'" + name + "'", join_or(known));
}

ResultSource read_source(const Hdf5Reader& file) {
  ResultSource source;
  source.robot_yaml = file.text("/", "robot_yaml");
  source.scenario_yaml = file.text("/", "scenario_yaml");
  if (file.has_attribute("/", "overrides")) {
    source.overrides = file.texts("/", "overrides");
  } else {  // written by an earlier Cuttle
    source.overrides = overrides_in_comments(source.robot_yaml);
    for (std::string& text : overrides_in_comments(source.scenario_yaml)) source.overrides.push_back(std::move(text));
  }
  const std::string group = k_files_group;
  if (!file.has(group)) return source;
  for (const std::string& member : file.members(group)) {
    const std::string dataset = group + "/" + member;
    const std::string of = file.text(dataset, k_file_of);
    if (of != "robot" && of != "scenario") file.fail(dataset + ": attribute of", "'" + of + "'", "robot or scenario");
    (of == "robot" ? source.robot_files : source.scenario_files)[file.text(dataset, k_file_name)] = file.bytes(dataset);
  }
  return source;
}

/// Checks that a dataset has what this robot's results have, by its names and its size.
void check_block(const Hdf5Reader& file, const ResultBlock& block, hsize_t rows) {
  const std::vector<hsize_t> shape = file.shape(block.path);
  const std::size_t rank = block.scalar ? 1 : 2;
  if (shape.size() != rank) {
    file.fail(block.path, count_text(shape.size(), "dimension"), fmt::format("{}", rank));
  }
  if (!block.scalar) {
    if (shape[1] != block.width()) {
      file.fail(block.path, count_text(shape[1], "column"), fmt::format("{}, as robot_yaml has it", block.width()));
    }
    const std::vector<std::string> names = file.texts(block.path, "names");
    if (names.size() != block.width()) {
      file.fail(block.path + ": attribute names", count_text(names.size(), "name"), fmt::format("{}", block.width()));
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

std::vector<Sample> read_samples(const Hdf5Reader& file, const Model& model) {
  const std::vector<hsize_t> time_shape = file.shape("time");
  if (time_shape.size() != 1) file.fail("time", count_text(time_shape.size(), "dimension"), "1");
  const hsize_t count = time_shape[0];
  std::vector<Sample> samples(count, sized_sample(model));
  for (const ResultBlock& block : result_blocks(model)) {
    check_block(file, block, count);
    const std::vector<double> values = file.rows(block.path, count, block.width(), block.scalar);
    for (hsize_t row = 0; row < count; ++row) block.restore(values.data() + row * block.width(), samples[row]);
  }
  for (hsize_t row = 0; row < count; ++row) {
    const double time = samples[row].time;
    if (std::isfinite(time) && (row == 0 || time > samples[row - 1].time)) continue;
    file.fail("time", row == 0 ? fmt::format("{}", time) : fmt::format("{} after {}", time, samples[row - 1].time),
              fmt::format("increasing times (row {})", row));
  }
  return samples;
}

/// Everything but the rows.
ResultFile read_head(const Hdf5Reader& file, const std::string& path) {
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

}  // namespace

ResultFile read_result_file(const std::string& path) {
  const QuietHdf5 quiet;
  const Hdf5Reader file(path);
  ResultFile result = read_head(file, path);
  result.samples = read_samples(file, Model(result.robot));
  return result;
}

Robot read_result_robot(const std::string& path) {
  const QuietHdf5 quiet;
  return read_head(Hdf5Reader(path), path).robot;
}

}  // namespace cuttle
