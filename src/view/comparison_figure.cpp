#include "cuttle/view/comparison_figure.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cuttle/view/line_figure.h"

namespace cuttle {

std::string comparison_figure(const ComparisonRequest& request, const Comparison& comparison) {
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
    if (channel.is_distance()) {
      apart.curves.push_back({channel.name, apart.curves.size(), {}, comparison.times, channel.values});
      continue;
    }
    const auto [group, part] = short_of(channel.name);
    if (channel.name.ends_with(".rotation") || (part.size() == 2 && part[0] == 'q')) continue;
    const bool position = channel.unit == "m" && (part == "x" || part == "y" || part == "z");
    if (request.map.empty() && !position) continue;
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
  figure.title = fmt::format("{} (solid), {} (dashed)", name_of(request.reference), name_of(request.run));
  if (comparison.rows) figure.x_label = "row", figure.x_unit.clear();
  return line_figure(panels, figure);
}

}  // namespace cuttle
