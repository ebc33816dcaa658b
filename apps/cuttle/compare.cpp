#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "cuttle/error.h"
#include "cuttle/identification/comparison.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/line_figure.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

constexpr int k_parts = 10;  // of the time, for errors over time

struct CompareOptions {
  std::string run, reference, output;
  std::vector<std::string> map;
  std::optional<double> length;
  bool json = false, all = false;
};

/// The channels that a text lists, in the order of the comparison: distances, and then those that differ most beside
/// their own size. @param most  how many.
std::vector<const ComparedChannel*> listed_channels(const Comparison& comparison, std::size_t most) {
  std::vector<const ComparedChannel*> all;
  for (const ComparedChannel& channel : comparison.channels) all.push_back(&channel);
  if (all.size() <= most) return all;
  const auto part = [](const ComparedChannel& channel) {
    if (channel.name.ends_with(".position")) return std::numeric_limits<double>::infinity();
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

/// Percent of a length, of what is one.
std::optional<double> percent_of(const CompareOptions& options, const ComparedChannel& channel, double value) {
  if (!options.length || channel.unit != "m") return std::nullopt;
  return 100.0 * value / *options.length;
}

bool is_distance(const ComparedChannel& channel) { return channel.name.ends_with(".position"); }

Json to_json_object(const CompareOptions& options, const Comparison& comparison) {
  Json result;
  result["run"] = options.run, result["reference"] = options.reference;
  result["instants"] = comparison.times.size();
  result["left_out"] = comparison.left_out, result["surplus"] = comparison.surplus;
  result["from"] = comparison.times.front(), result["to"] = comparison.times.back();
  Json channels = Json::object();
  for (const ComparedChannel& channel : comparison.channels) {
    Json one;
    one["rms"] = channel.rms, one["max"] = channel.max, one["at"] = channel.at, one["unit"] = channel.unit;
    if (const auto percent = percent_of(options, channel, channel.rms)) one["rms_percent"] = *percent;
    if (const auto percent = percent_of(options, channel, channel.max)) one["max_percent"] = *percent;
    one["rms_over_time"] = comparison.rms_over_time(channel, k_parts);
    channels[channel.name] = std::move(one);
  }
  result["channels"] = std::move(channels);
  return result;
}

void print_text(const CompareOptions& options, const Comparison& comparison) {
  const char* const unit = comparison.rows ? "" : " s";
  fmt::print("{} against {}: {} {} from {:g} to {:g}{}\n", options.run, options.reference, comparison.times.size(),
             comparison.rows ? "rows" : "instants", comparison.times.front(), comparison.times.back(), unit);
  if (comparison.left_out > 0) {
    fmt::print("  {} of {} rows of {} left out: {} has nothing there\n", comparison.left_out,
               comparison.left_out + comparison.times.size(), options.reference, options.run);
  }
  if (comparison.surplus > 0) {
    fmt::print("  {} of {} rows of {} left out: {} has nothing there\n", comparison.surplus,
               comparison.surplus + comparison.times.size(), options.run, options.reference);
  }
  std::vector<TextTable::Column> columns{
      {"channel"}, {"unit"}, {"RMS", true}, {"largest", true}, {comparison.rows ? "in row" : "at [s]", true}};
  if (options.length) columns.push_back({"RMS %", true}), columns.push_back({"largest %", true});
  TextTable table(std::move(columns));
  constexpr std::size_t k_most_listed = 10;
  const auto listed = listed_channels(comparison, options.all ? comparison.channels.size() : k_most_listed);
  for (const ComparedChannel* const its : listed) {
    const ComparedChannel& channel = *its;
    std::vector<std::string> row{channel.name, channel.unit, fmt::format("{:.4g}", channel.rms),
                                 fmt::format("{:.4g}", channel.max), fmt::format("{:.6g}", channel.at)};
    if (options.length) {
      for (const double value : {channel.rms, channel.max}) {
        const auto percent = percent_of(options, channel, value);
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
    if (!is_distance(channel)) continue;
    parts.push_back({channel.name + (channel.unit.empty() ? "" : " [" + channel.unit + "]"), true});
    over_time.push_back(comparison.rms_over_time(channel, k_parts));
  }
  if (over_time.empty()) return;
  TextTable times(std::move(parts));
  const double begin = comparison.times.front(), step = (comparison.times.back() - begin) / k_parts;
  for (int k = 0; k < k_parts; ++k) {
    std::vector<std::string> row{fmt::format("{:.4g} .. {:.4g}", begin + k * step, begin + (k + 1) * step)};
    for (const auto& values : over_time) {
      const double value = values[static_cast<std::size_t>(k)];
      row.push_back(std::isfinite(value) ? fmt::format("{:.4g}", value) : "-");
    }
    times.add(std::move(row));
  }
  fmt::print("\n{}", times.text());
}

/// Both runs over each other, a panel for each frame or other channel, and below how far they are apart.
std::string figure_of(const CompareOptions& options, const Comparison& comparison) {
  constexpr std::size_t k_most_panels = 8;
  std::vector<FigurePanel> panels;
  FigurePanel apart{"apart", "m", {}};
  const auto panel_of = [&](const std::string& label, const std::string& unit) -> FigurePanel& {
    for (FigurePanel& panel : panels) {
      if (panel.label == label && panel.unit == unit) return panel;
    }
    return panels.emplace_back(FigurePanel{label, unit, {}});
  };
  const auto short_of = [](const std::string& name) {
    const auto dot = name.rfind('.');
    return std::pair(name.substr(0, dot), dot == name.npos ? std::string() : name.substr(dot + 1));
  };
  for (const ComparedChannel& channel : comparison.channels) {
    if (is_distance(channel)) {
      apart.curves.push_back({channel.name, apart.curves.size(), {}, comparison.times, channel.values});
      continue;
    }
    const auto [group, part] = short_of(channel.name);
    if (channel.name.ends_with(".rotation") || (part.size() == 2 && part[0] == 'q')) continue;
    const bool position = channel.unit == "m" && (part == "x" || part == "y" || part == "z");
    if (options.map.empty() && !position) continue;
    FigurePanel& panel = panel_of(group, channel.unit);
    const std::size_t color = panel.curves.size() / 2;
    const std::string name = part.empty() ? channel.name : part;
    panel.curves.push_back({name, color, FigureCurve::Style::solid, comparison.times, channel.reference});
    panel.curves.push_back({"", color, FigureCurve::Style::dashed, comparison.times, channel.values});
  }
  if (panels.size() > k_most_panels) panels.erase(panels.begin(), panels.end() - k_most_panels);
  if (!apart.curves.empty()) panels.push_back(std::move(apart));
  if (panels.empty()) {
    for (const ComparedChannel& channel : comparison.channels) {
      if (panels.size() == k_most_panels) break;
      panels.push_back({channel.name,
                        channel.unit,
                        {{"", 0, FigureCurve::Style::solid, comparison.times, channel.reference},
                         {"", 0, FigureCurve::Style::dashed, comparison.times, channel.values}}});
    }
  }
  LineFigureOptions figure;
  const auto name_of = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  figure.title = fmt::format("{} (solid), {} (dashed)", name_of(options.reference), name_of(options.run));
  if (comparison.rows) figure.x_label = "row", figure.x_unit.clear();
  return line_figure(panels, figure);
}

void run_compare(const CompareOptions& options) {
  if (options.length && !(*options.length > 0.0)) {
    throw ArgumentError(fmt::format("--length: found {:g}, expected a length > 0 [m]", *options.length));
  }
  if (!options.output.empty()) {
    check_output_extension("--output", options.output, {".svg"});
  }
  ComparisonOptions comparing;
  comparing.map = parse_column_maps(options.map);
  const ComparedTable run = read_compared_table(options.run), reference = read_compared_table(options.reference);
  if (!options.output.empty()) {
    for (const std::string& file : {options.run, options.reference}) note_read(file, "a run to compare");
    check_writable(options.output);
  }
  const Comparison comparison = compare(run, reference, comparing);
  if (options.json) {
    print_json(to_json_object(options, comparison));
  } else {
    print_text(options, comparison);
  }
  if (options.output.empty()) return;
  write_whole_file(options.output, figure_of(options, comparison));
  if (!options.json) fmt::print("\nwritten: {}\n", options.output);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "How far a run is from another one, or from a recording");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("run", options->run, "result of `cuttle simulate` or `cuttle statics`, or a CSV table")
      ->type_name("RESULT.h5|RESULT.csv")
      ->required();
  command
      ->add_option("reference", options->reference,
                   "what it is compared with, at its instants: another, or a recording")
      ->type_name("RESULT.h5|REFERENCE.csv")
      ->required();
  command
      ->add_option(
          "--map", options->map,
          "what a column of the reference is called in the other, with commas between, as mocap_x=arm.tip.x or "
          "mocap_x=arm.tip.x*0.001 of millimeters; t=time or t_ms=time*0.001-12.5 names its times; @FILE has one a "
          "line "
          "(default: "
          "columns of the same name)")
      ->type_name("COLUMN=NAME")
      ->take_all()
      ->expected(1);
  command->add_option("--length", options->length, "differences of positions also in percent of it [m]")
      ->type_name("METERS");
  command->add_option("-o,--output", options->output, "figure to write: both over each other, and how far apart")
      ->type_name("FILE.svg");
  add_force_option(*command);
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
