#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/identification/comparison.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"

namespace cuttle {

Comparison compare_files(const ComparisonRequest& request) {
  if (request.length && !(*request.length > 0.0)) {
    throw ArgumentError(fmt::format("--length: found {:g}, expected a length > 0 [m]", *request.length));
  }
  if (!request.output.empty()) check_output_extension("--output", request.output, {".svg"});
  ComparisonOptions options;
  options.map = parse_column_maps(request.map);
  const ComparedTable run = read_compared_table(request.run), reference = read_compared_table(request.reference);
  if (!request.output.empty()) {
    for (const std::string& file : {request.run, request.reference}) note_read(file, "a run to compare");
    check_writable(request.output);
  }
  return compare(run, reference, options);
}

bool ComparedChannel::is_distance() const { return name.ends_with(".position"); }

std::optional<double> ComparedChannel::percent_of(const std::optional<double>& length, double value) const {
  if (!length || unit != "m") return std::nullopt;
  return 100.0 * value / *length;
}

std::string comparison_json(const ComparisonRequest& request, const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json result;
  result["run"] = request.run, result["reference"] = request.reference;
  result["instants"] = comparison.times.size();
  result["left_out"] = comparison.left_out, result["surplus"] = comparison.surplus;
  result["from"] = comparison.times.front(), result["to"] = comparison.times.back();
  Json channels = Json::object();
  for (const ComparedChannel& channel : comparison.channels) {
    Json one;
    one["rms"] = channel.rms, one["max"] = channel.max, one["at"] = channel.at, one["unit"] = channel.unit;
    if (const auto percent = channel.percent_of(request.length, channel.rms)) one["rms_percent"] = *percent;
    if (const auto percent = channel.percent_of(request.length, channel.max)) one["max_percent"] = *percent;
    one["rms_over_time"] = comparison.rms_over_time(channel, k_parts_over_time);
    channels[channel.name] = std::move(one);
  }
  result["channels"] = std::move(channels);
  return result.dump();
}

}  // namespace cuttle
