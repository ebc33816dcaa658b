#include "result_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cuttle/algorithms/modes.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/model/model.h"
#include "json_output.h"

namespace cuttle {
namespace {

/// Rows of a column with labels that have one of them.
std::size_t count(const ResultSequence& sequence, const char* column, const std::string& label) {
  const SequenceColumn& of = sequence.column(column);
  std::size_t all = 0;
  for (const double value : of.values) all += of.labels[static_cast<std::size_t>(value)] == label ? 1 : 0;
  return all;
}

/// What stands in a result beside its rows, by kind.
Json contents(const ResultFile& result) {
  const ResultSequence& sequence = result.sequence;
  Json json;
  const auto range = [](const std::vector<double>& values) -> Json {
    if (values.empty()) return Json::array();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, *high};
  };
  switch (sequence.kind) {
    case ResultSequence::Kind::simulation:
      if (!result.samples.empty()) json["time"] = {result.samples.front().time, result.samples.back().time};
      break;
    case ResultSequence::Kind::path:
      json["along"] = sequence.along, json["unit"] = sequence.along_unit;
      json["range"] = range(sequence.column("parameter").values);
      json["branches"] = sequence.branch_end.size();
      json["folds"] = count(sequence, "kind", "fold");
      json["branch_points"] = count(sequence, "kind", "branch point");
      json["stable"] = count(sequence, "stability", "stable");
      break;
    case ResultSequence::Kind::table:
      for (const char* const status : {"found", "failed", "not reached"}) {
        json[std::string(status) == "not reached" ? "not_reached" : status] = count(sequence, "status", status);
      }
      json["stable"] = count(sequence, "stability", "stable");
      break;
    case ResultSequence::Kind::modes:
      json["frequency"] = range(sequence.column("frequency").values);
      break;
  }
  return json;
}

}  // namespace

void print_result_info(const std::string& path, bool json) {
  const ResultFile result = read_result(path);
  const Model model(result.robot);
  Json info;
  info["file"] = path;
  info["content"] = sequence_kind_name(result.sequence.kind);
  info["robot"] = model.name();
  info["status"] = run_status_name(result.status);
  if (!result.message.empty()) info["message"] = result.message;
  info["rows"] = result.samples.size();
  info["nq"] = model.nq(), info["nv"] = model.nv(), info["nu"] = model.nu();
  info.update(contents(result));
  std::vector<std::string> columns;
  for (const SequenceColumn& column : result.sequence.columns) columns.push_back(column.name);
  for (const SequenceVector& vector : result.sequence.vectors) columns.push_back(vector.name);
  if (!columns.empty()) info["columns"] = columns;
  info["cuttle_version"] = result.cuttle_version;
  if (json) return print_json(info);
  for (const auto& [name, value] : info.items()) {
    fmt::print("{:<16}{}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

}  // namespace cuttle
