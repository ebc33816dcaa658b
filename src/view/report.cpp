#include "cuttle/view/report.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/version.h"
#include "io/result_block.h"
#include "view/evenly.h"
#include "view/packed_frames.h"
#include "view/packing.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_shown_curves = 8;  // of a group when the page opens

/// A group of curves of the page, and which datasets of a result go to it.
struct Group {
  const char* key;
  const char* title;
};
constexpr Group k_tips{"tips", "Positions of tips"}, k_orientations{"orientations", "Orientations of tips"};

Group group_of(const std::string& path) {
  if (path == "q") return {"q", "Configuration q"};
  if (path == "v") return {"v", "Velocity v"};
  if (path == "u") return {"u", "Inputs u"};
  if (path == "actuation/y") return {"y", "Actuation coordinates y"};
  if (path.starts_with("energy/")) return {"energy", "Energies and works"};
  if (path.ends_with("/residual")) return {"loops", "Constraint drift"};
  return {"multipliers", "Loop forces"};
}

class SeriesWriter {
 public:
  explicit SeriesWriter(const std::vector<Sample>& samples) : samples_(samples) {}

  void add(const Group& group, const std::string& name, const std::string& unit, const std::vector<double>& values,
           bool shown) {
    auto place = std::find_if(groups_.begin(), groups_.end(), [&](const Json& g) { return g["key"] == group.key; });
    if (place == groups_.end()) {
      groups_.push_back({{"key", group.key}, {"title", group.title}, {"curves", Json::array()}});
      place = groups_.end() - 1;
    }
    Json& curves = (*place)["curves"];
    curves.push_back(
        {{"name", name}, {"unit", unit == "1" ? "" : unit}, {"values", packed_doubles(values)}, {"shown", shown}});
  }
  /// The columns of a block, each with a value a sample.
  std::vector<std::vector<double>> columns(const ResultBlock& block) const {
    std::vector<double> row(block.width());
    std::vector<std::vector<double>> values(block.width());
    for (const Sample& sample : samples_) {
      block.read(sample, row.data());
      for (std::size_t c = 0; c < row.size(); ++c) values[c].push_back(row[c]);
    }
    return values;
  }
  std::size_t curves(const Group& group) const {
    for (const Json& g : groups_) {
      if (g["key"] == group.key) return g["curves"].size();
    }
    return 0;
  }
  Json groups() const { return groups_; }

 private:
  const std::vector<Sample>& samples_;
  Json groups_ = Json::array();
};

Json series(const Model& model, const std::vector<Sample>& samples) {
  SeriesWriter writer(samples);
  std::vector<double> times;
  for (const ResultBlock& block : result_blocks(model)) {
    const std::vector<std::vector<double>> columns = writer.columns(block);
    if (block.path == "time") {
      times = columns[0];
      continue;
    }
    const bool frame = block.path.starts_with("frames/");
    const bool last_frame = frame && block.path == "frames/" + model.links().back().name + ".tip";
    for (std::size_t c = 0; c < block.width(); ++c) {
      const Group group = frame ? (c < 3 ? k_tips : k_orientations) : group_of(block.path);
      const std::vector<double>& values = columns[c];
      const bool changes = std::any_of(values.begin(), values.end(), [&](double v) { return v != values.front(); });
      const bool energy = std::string(group.key) == "energy";
      const bool shown = frame ? last_frame : energy ? changes : writer.curves(group) < k_shown_curves;
      writer.add(group, block.columns[c].header, block.columns[c].unit, values, shown);
    }
  }
  std::vector<double> total, error;
  for (const Sample& s : samples) {
    total.push_back(s.energy());
    error.push_back(s.energy() - samples.front().energy() - (s.input + s.load - s.dissipated));
  }
  writer.add(group_of("energy/"), "energy.total", "J", total, true);
  writer.add({"balance", "Energy balance error"}, "energy.balance_error", "J", error, true);
  return {{"times", packed_doubles(times)}, {"groups", writer.groups()}};
}

Json run_json(const ShownRun& run, std::size_t frames) {
  if (run.samples.empty()) {
    throw ArgumentError("report: found no sample of " + run.label + ", expected at least one");
  }
  Scene scene(run.robot, run.visuals);
  const std::vector<const Sample*> drawn = evenly(run.samples, frames);
  std::vector<double> times;
  for (const Sample* sample : drawn) times.push_back(sample->time);
  Json facts = Json::array();
  for (const auto& [name, value] : run.facts) facts.push_back({{"name", name}, {"value", value}});
  Json json{{"label", run.label},
            {"file", run.file},
            {"robot", run.robot.name},
            {"status", run.status},
            {"message", run.message},
            {"warnings", run.warnings},
            {"facts", facts},
            {"scene", Json::parse(scene.json())},
            {"times", packed_doubles(times)}};
  json["blocks"] = packed_frames(scene, drawn);
  json["series"] = run.status == "rest" ? Json{{"times", packed_doubles({})}, {"groups", Json::array()}}
                                        : series(Model(run.robot), run.samples);
  return json;
}

}  // namespace

std::string page_with_data(std::string_view page, const std::string& json) {
  const std::string_view opening = R"(<script type="application/json" id="cuttle-page">)", closing = "</script>";
  const std::size_t begin = page.find(opening);
  const std::size_t end = begin == std::string_view::npos ? begin : page.find(closing, begin);
  if (end == std::string_view::npos) {
    throw ArgumentError("viewer's page: found no element with the id cuttle-page, expected one for the data");
  }
  std::string result(page.substr(0, begin + opening.size()));
  result.reserve(page.size() + json.size() + json.size() / 100);
  for (const char letter : json) {  // "</script" and "<!--" would end the element or hide its end
    if (letter == '<') {
      result += "\\u003c";
    } else {
      result += letter;
    }
  }
  return result.append(page.substr(end));
}

std::string report_page(std::string_view page, const std::vector<ShownRun>& runs, const ReportOptions& options) {
  if (runs.empty()) throw ArgumentError("report: found no run, expected at least one");
  std::string title;
  Json list = Json::array();
  for (const ShownRun& run : runs) {
    title += (title.empty() ? "" : " and ") + run.label;
    list.push_back(run_json(run, options.frames));
  }
  const Json data{{"kind", "report"},
                  {"title", options.title.empty() ? title : options.title},
                  {"version", k_version},
                  {"runs", std::move(list)}};
  // names may be in any encoding; JSON has only UTF-8
  return page_with_data(page, data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace cuttle
