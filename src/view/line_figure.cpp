#include "cuttle/view/line_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "view/si_unit.h"
#include "view/svg_canvas.h"
#include "view/svg_curves.h"

namespace cuttle {
namespace {

/// The figure's own unit of length, as that of other figures: letters of 12 of them are 7.5 points high.
constexpr double k_figure_units_per_mm = 12.0 / (7.5 * 25.4 / 72.0);
constexpr double k_figure_right = 16, k_figure_bottom = 44, k_figure_top = 10, k_figure_gap = 14, k_figure_title = 24;

bool in_points(const FigureCurve& curve) { return curve.style == FigureCurve::Style::points; }

SvgCurve svg_of(const FigureCurve& curve, double x_factor, double y_factor) {
  SvgCurve result{curve.name, curve_color(curve.color), curve.style == FigureCurve::Style::dashed ? "6 4" : "", curve.x,
                  curve.y};
  if (in_points(curve)) result.dash = "2.2 5";
  for (double& x : result.x) x *= x_factor;
  for (double& y : result.y) y *= y_factor;
  return result;
}

double largest_finite(const std::vector<FigureCurve>& curves) {
  double largest = 0.0;
  for (const FigureCurve& curve : curves) {
    for (const double y : curve.y) {
      if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
    }
  }
  return largest;
}

void draw_points(SvgCanvas& canvas, const SvgPanel& axes, const SvgCurve& curve) {
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!std::isfinite(curve.y[i])) continue;
    canvas.circle(axes.at(curve.x[i], curve.y[i]), 2.0, fmt::format("fill=\"{}\" fill-opacity=\"0.7\"", curve.color));
  }
}

std::string unit_bracket(const std::string& label, const std::string& unit) {
  return unit.empty() || unit == "1" ? label : fmt::format("{} [{}]", label, unit);
}

}  // namespace

std::string line_figure(const std::vector<FigurePanel>& panels, const LineFigureOptions& options) {
  if (panels.empty()) throw ArgumentError("line_figure: found no panel, expected at least one");
  SvgPanel::Range x_range;
  bool first = true;
  for (const FigurePanel& panel : panels) {
    for (const FigureCurve& curve : panel.curves) {
      if (curve.x.size() != curve.y.size() || curve.x.empty()) {
        throw ArgumentError(fmt::format("line_figure: curve '{}': found {} x and {} y, expected as many, at least one",
                                        curve.name, curve.x.size(), curve.y.size()));
      }
      for (const double x : curve.x) {
        if (first) x_range = {x, x}, first = false;
        x_range.include(x);
      }
    }
  }
  if (first) throw ArgumentError("line_figure: found no curve, expected at least one");
  const SuitedUnit x_unit = options.x_unit.empty()
                                ? SuitedUnit{1.0, ""}
                                : suited_unit(options.x_unit, std::max(std::abs(x_range.low), std::abs(x_range.high)));
  if (!(x_range.high > x_range.low)) x_range.high = x_range.low + 1.0;
  x_range = {x_range.low * x_unit.factor, x_range.high * x_unit.factor};

  struct Drawn {
    std::vector<SvgCurve> curves;
    std::string label;
    SvgPanel::Range range;
    double legend = 0.0;
  };
  const double width = options.width * k_figure_units_per_mm,
               panel_height = options.panel_height * k_figure_units_per_mm;
  const int y_ticks = std::max(4, static_cast<int>(panel_height / 24));
  std::vector<Drawn> drawn;
  double label_space = 0.0;
  for (const FigurePanel& panel : panels) {
    const SuitedUnit unit = suited_unit(panel.unit, largest_finite(panel.curves));
    Drawn next;
    for (const FigureCurve& curve : panel.curves) next.curves.push_back(svg_of(curve, x_unit.factor, unit.factor));
    next.label = unit_bracket(panel.label, unit.name);
    next.range = curve_range(next.curves);
    label_space = std::max(label_space, SvgPanel::label_width(next.range, y_ticks));
    drawn.push_back(std::move(next));
  }
  const double left = label_space + 36, inside = width - left - k_figure_right;
  double height = k_figure_top + k_figure_bottom + (options.title.empty() ? 0.0 : k_figure_title);
  for (Drawn& panel : drawn) {
    panel.legend = SvgLegend(panel.curves, inside).height();
    if (panel.legend > 0.0) panel.legend += 4;
    height += panel.legend + panel_height + k_figure_gap;
  }
  height -= k_figure_gap;

  SvgCanvas canvas(width, height);
  double top = k_figure_top;
  if (!options.title.empty()) {
    canvas.text({0.5 * width, top + 12}, options.title,
                "font-size=\"13\" font-weight=\"bold\" fill=\"#14181d\" text-anchor=\"middle\"");
    top += k_figure_title;
  }
  std::string description;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const Drawn& panel = drawn[i];
    SvgLegend(panel.curves, inside).draw(canvas, {left, top});
    top += panel.legend;
    const SvgPanel axes(canvas, {left, top, inside, panel_height}, x_range, panel.range);
    axes.draw_axes(i + 1 == drawn.size() ? unit_bracket(options.x_label, x_unit.name) : "", panel.label,
                   std::max(2, static_cast<int>(inside / 60)), y_ticks, label_space);
    std::vector<SvgCurve> lines;
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      if (in_points(panels[i].curves[c])) {
        draw_points(canvas, axes, panel.curves[c]);
      } else {
        lines.push_back(panel.curves[c]);
      }
    }
    draw_curves(canvas, axes, lines);
    top += panel_height + k_figure_gap;
    description += (description.empty() ? "" : ", ") + panel.label;
  }
  canvas.set_print_width(options.width);
  return canvas.document(options.title.empty() ? options.x_label : options.title,
                         fmt::format("over {}: {}", options.x_label, description));
}

std::string space_figure(const std::vector<SpaceCurve>& curves, double azimuth, const std::string& title) {
  constexpr double k_elevation = 0.35;  // of who looks, above the horizon [rad]
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(k_elevation), se = std::sin(k_elevation);
  const auto seen = [&](const std::vector<double>& p) -> SvgPoint {
    return {-sa * p[0] + ca * p[1], ce * p[2] - se * (ca * p[0] + sa * p[1])};
  };
  constexpr double k_width = 420, k_height = 420;
  SvgPanel::Range x, y;
  bool first = true;
  for (const SpaceCurve& curve : curves) {
    for (const auto& point : curve.points) {
      const SvgPoint p = seen(point);
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      if (first) x = {p.x, p.x}, y = {p.y, p.y}, first = false;
      x.include(p.x), y.include(p.y);
    }
  }
  if (first) throw ArgumentError("space_figure: found no point, expected at least one");
  std::vector<SvgCurve> names;
  for (const SpaceCurve& curve : curves) {
    const bool points = curve.style == FigureCurve::Style::points;
    const bool dashed = curve.style == FigureCurve::Style::dashed;
    names.push_back({curve.name, curve_color(curve.color), points ? "2.2 5" : dashed ? "6 4" : "", {}, {}});
  }
  const SvgLegend legend(names, k_width - 80);
  const double top = (title.empty() ? 8 : 28) + legend.height() + 4;
  const SvgPanel::Frame frame{60, top, k_width - 76, k_height};
  x = x.widened(0.05), y = y.widened(0.05);
  SvgPanel::equalize(frame, x, y);
  const double millimeters = 1e3;
  x = {x.low * millimeters, x.high * millimeters}, y = {y.low * millimeters, y.high * millimeters};
  SvgCanvas canvas(k_width, top + k_height + 44);
  if (!title.empty()) {
    canvas.text({0.5 * k_width, 18}, title,
                "font-size=\"13\" font-weight=\"bold\" fill=\"#14181d\" text-anchor=\"middle\"");
  }
  legend.draw(canvas, {60, title.empty() ? 8.0 : 28.0});
  const SvgPanel axes(canvas, frame, x, y);
  axes.draw_axes(fmt::format("seen from {:.0f} degrees about z [mm]", azimuth * 180.0 / M_PI), "up [mm]", 6, 8);
  for (const SpaceCurve& curve : curves) {
    SvgCurve flat{"", curve_color(curve.color), curve.style == FigureCurve::Style::dashed ? "6 4" : "", {}, {}};
    for (const auto& point : curve.points) {
      const SvgPoint p = seen(point);
      flat.x.push_back(p.x * millimeters), flat.y.push_back(p.y * millimeters);
    }
    if (curve.style == FigureCurve::Style::points) {
      draw_points(canvas, axes, flat);
    } else {
      draw_curves(canvas, axes, {flat});
    }
  }
  return canvas.document(title.empty() ? "points in space" : title, "seen from the side");
}

}  // namespace cuttle
