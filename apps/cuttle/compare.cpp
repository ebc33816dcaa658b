#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/identification/comparison.h"
#include "cuttle/view/comparison_figure.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct CompareOptions {
  ComparisonRequest request;
  bool json = false, all = false;
};

/// The channels that a text lists, in the order of the comparison: distances, and then those that differ most beside
/// their own size. @param most  how many.
std::vector<const ComparedChannel*> listed_channels(const Comparison& comparison, std::size_t most) {
  std::vector<const ComparedChannel*> all;
  for (const ComparedChannel& channel : comparison.channels) all.push_back(&channel);
  if (all.size() <= most) return all;
  const auto part = [](const ComparedChannel& channel) {
    if (channel.is_distance()) return std::numeric_limits<double>::infinity();
    double size = 0.0;
    for (const double value : channel.reference) size = std::max(size, std::abs(value));
    return channel.max == 0.0 ? 0.0 : channel.max / std::max(size, std::numeric_limits<double>::min());
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const ComparedChannel* a, const ComparedChannel* b) { return part(*a) > part(*b); });
  all.resize(most);
  std::sort(all.begin(), all.end());  // they lie in one vector
  return all;
}

void print_text(const CompareOptions& options, const Comparison& comparison) {
  const ComparisonRequest& request = options.request;
  const char* const unit = comparison.rows ? "" : " s";
  fmt::print("{} against {}: {} {} from {:g} to {:g}{}\n", request.run, request.reference, comparison.times.size(),
             comparison.rows ? "rows" : "instants", comparison.times.front(), comparison.times.back(), unit);
  if (comparison.left_out > 0) {
    fmt::print("  {} of {} rows of {} left out: {} has nothing there\n", comparison.left_out,
               comparison.left_out + comparison.times.size(), request.reference, request.run);
  }
  if (comparison.surplus > 0) {
    fmt::print("  {} of {} rows of {} left out: {} has nothing there\n", comparison.surplus,
               comparison.surplus + comparison.times.size(), request.run, request.reference);
  }
  std::vector<TextTable::Column> columns{
      {"channel"}, {"unit"}, {"RMS", true}, {"largest", true}, {comparison.rows ? "in row" : "at [s]", true}};
  if (request.length) columns.push_back({"RMS %", true}), columns.push_back({"largest %", true});
  TextTable table(std::move(columns));
  constexpr std::size_t k_most_listed = 10;
  const auto listed = listed_channels(comparison, options.all ? comparison.channels.size() : k_most_listed);
  for (const ComparedChannel* const its : listed) {
    const ComparedChannel& channel = *its;
    std::vector<std::string> row{channel.name, channel.unit, fmt::format("{:.4g}", channel.rms),
                                 fmt::format("{:.4g}", channel.max), fmt::format("{:.6g}", channel.at)};
    if (request.length) {
      for (const double value : {channel.rms, channel.max}) {
        const auto percent = channel.percent_of(request.length, value);
        row.push_back(percent ? fmt::format("{:.3g}", *percent) : "");
      }
    }
    table.add(std::move(row));
  }
  fmt::print("\n{}", table.text());
  if (listed.size() < comparison.channels.size()) {
    fmt::print("  {} more, which differ less beside their size (--all)\n", comparison.channels.size() - listed.size());
  }
  if (comparison.rows || !(comparison.times.back() > comparison.times.front())) return;

  std::vector<TextTable::Column> parts{{"RMS from .. to [s]"}};
  std::vector<std::vector<double>> over_time;
  for (const ComparedChannel& channel : comparison.channels) {
    if (!channel.is_distance()) continue;
    parts.push_back({channel.name + (channel.unit.empty() ? "" : " [" + channel.unit + "]"), true});
    over_time.push_back(comparison.rms_over_time(channel, k_parts_over_time));
  }
  if (over_time.empty()) return;
  TextTable times(std::move(parts));
  const double begin = comparison.times.front(), step = (comparison.times.back() - begin) / k_parts_over_time;
  for (int k = 0; k < k_parts_over_time; ++k) {
    std::vector<std::string> row{fmt::format("{:.4g} .. {:.4g}", begin + k * step, begin + (k + 1) * step)};
    for (const auto& values : over_time) {
      const double value = values[static_cast<std::size_t>(k)];
      row.push_back(std::isfinite(value) ? fmt::format("{:.4g}", value) : "-");
    }
    times.add(std::move(row));
  }
  fmt::print("\n{}", times.text());
}

void run_compare(const CompareOptions& options) {
  const ComparisonRequest& request = options.request;
  std::optional<ReplaceAnyFile> any;
  if (request.force && !request.output.empty()) any.emplace(request.output);
  const Comparison comparison = compare_files(request);
  if (options.json) {
    print_json(Json::parse(comparison_json(request, comparison)));
  } else {
    print_text(options, comparison);
  }
  if (request.output.empty()) return;
  write_whole_file(request.output, comparison_figure(request, comparison));
  if (!options.json) fmt::print("\nwritten: {}\n", request.output);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "How far a run is from another one, or from a recording");
  const auto options = std::make_shared<CompareOptions>();
  add_comparison_options(*command, options->request);
  command->add_flag("--all", options->all, "list all channels, not only the ten that differ most beside their size");
  command->add_flag("--json", options->json, "print one JSON object, numbers with 17 digits");
  command->footer(
      "Between its own instants the first is interpolated linearly; instants of the reference outside of it are left "
      "out. Without times rows are compared with rows.\n"
      "Examples:\n"
      "  cuttle compare out/pcc.h5 out/pcs.h5 --length 0.45\n"
      "  cuttle compare out/arm.h5 mocap.csv --map t=time,x=hand.tip.x*0.001,y=hand.tip.y*0.001 -o out/apart.svg");
  command->callback([options] { run_compare(*options); });
}

}  // namespace cuttle
