#include "view/path_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/algorithms/equilibrium_path.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "view/result_curves.h"
#include "view/si_unit.h"
#include "view/svg_canvas.h"
#include "view/svg_curves.h"

namespace cuttle {
namespace {

constexpr double k_units_per_mm = 12.0 / (7.5 * 25.4 / 72.0);  // as in figures of curves
constexpr double k_panel_height = 190, k_least_panel = 60;
constexpr double k_axis = 46, k_gap = 12, k_right = 16, k_top = 8, k_title = 24, k_mark = 3.6;
const char* const k_unstable = "5 3.5";
const char* const k_undecided = "1.5 3";
const char* const k_ink = "#22272d";

/// A quantity along a path, in the units of the axes.
struct Trail {
  std::string name, color;
  std::vector<double> x, y;
  const ShownRun* run = nullptr;
};

struct Panel {
  std::string label, unit;
  std::vector<Trail> trails;
  double legend_height = 0.0;
};

std::size_t index_of(const std::vector<double>& values, std::size_t i) { return static_cast<std::size_t>(values[i]); }

std::string dash_of(Stability stability) {
  if (stability == Stability::stable) return "";
  return stability == Stability::unstable ? k_unstable : k_undecided;
}

/// Stability between two neighbors: that of the one which is no fold or branch point, where it changes.
Stability between(const ResultSequence& path, std::size_t i) {
  const auto &kind = path.column("kind").values, &stability = path.column("stability").values;
  const std::size_t judged = kind[i] == 0.0 ? i : i + 1;
  return static_cast<Stability>(index_of(stability, judged));
}

/// Numbers along one branch as a smooth curve of the arc length: Hermite's cubic between two points, with the slopes of
/// the parabolas through three neighbors.
class SmoothBranch {
 public:
  SmoothBranch(const ResultSequence& path, const std::vector<double>& numbers)
      : branch_(path.column("branch").values), length_(path.column("arc_length").values), numbers_(numbers) {}

  /// A part t in [0, 1] of the way from point i to the next one.
  double at(std::size_t i, double t) const {
    const double step = length_[i + 1] - length_[i], rise = numbers_[i + 1] - numbers_[i];
    if (!(std::abs(step) > 0.0)) return numbers_[i] + t * rise;
    const double first = step * slope(i, i + 1), last = step * slope(i + 1, i);
    const double u = 1.0 - t;
    return numbers_[i] + t * t * (3.0 - 2.0 * t) * rise + t * u * u * first - t * t * u * last;
  }

 private:
  double secant(std::size_t a, std::size_t b) const { return (numbers_[b] - numbers_[a]) / (length_[b] - length_[a]); }
  bool is_neighbor(std::size_t i, std::size_t j) const {
    return j < numbers_.size() && branch_[j] == branch_[i] && std::isfinite(numbers_[j]) && length_[i] != length_[j];
  }
  /// At i, of the parabola through it, `beside`, and what lies on its other side, or where that is none behind
  /// `beside`.
  double slope(std::size_t i, std::size_t beside) const {
    const std::size_t other = 2 * i - beside, behind = 2 * beside - i;  // beyond the first: past the end of size_t
    const double here = secant(i, beside), a = length_[beside] - length_[i];
    const std::size_t third = is_neighbor(i, other) ? other : behind;
    if (!is_neighbor(i, third)) return here;
    const double b = length_[third] - length_[i];
    return a == b ? here : (b * here - a * secant(i, third)) / (b - a);
  }

  const std::vector<double>&branch_, &length_, &numbers_;
};

/// Pieces of a trail that are drawn alike, without what leads from branch to branch.
std::vector<SvgCurve> pieces_of(const Trail& trail) {
  constexpr int k_between = 8;  // pieces of a line from point to point
  const ResultSequence& path = trail.run->sequence;
  const std::vector<double>& branch = path.column("branch").values;
  const SmoothBranch x(path, trail.x), y(path, trail.y);
  std::vector<SvgCurve> pieces;
  for (std::size_t i = 0; i + 1 < trail.x.size(); ++i) {
    if (branch[i] != branch[i + 1]) continue;
    const std::string dash = dash_of(between(path, i));
    const bool goes_on = !pieces.empty() && i > 0 && branch[i - 1] == branch[i] && pieces.back().dash == dash;
    if (!goes_on) pieces.push_back({"", trail.color, dash, {trail.x[i]}, {trail.y[i]}});
    const bool drawn = std::isfinite(trail.x[i]) && std::isfinite(trail.x[i + 1]);
    for (int k = 1; drawn && k < k_between; ++k) {
      const double t = static_cast<double>(k) / k_between;
      pieces.back().x.push_back(x.at(i, t)), pieces.back().y.push_back(y.at(i, t));
    }
    pieces.back().x.push_back(trail.x[i + 1]), pieces.back().y.push_back(trail.y[i + 1]);
  }
  return pieces;
}

class Diagram {
 public:
  Diagram(const std::vector<ShownRun>& runs, const CurvePlotOptions& options) : runs_(runs), options_(options) {
    const ResultSequence& first = runs.front().sequence;
    for (const ShownRun& run : runs) {
      const ResultSequence& path = run.sequence;
      if (path.kind == first.kind && path.along == first.along && path.along_unit == first.along_unit) continue;
      throw ArgumentError(fmt::format(
          "{}: found {}, expected a path along '{}', as the first result", run.label,
          path.kind == first.kind ? "a path along '" + path.along + "'" : "a result that is no path", first.along));
    }
    for (const ShownRun& run : runs) add_run(run);
    suit_units();
    lay_out();
  }

  std::string draw() const {
    SvgCanvas canvas(width_, height_);
    double top = k_top;
    if (!options_.title.empty()) {
      canvas.text({0.5 * width_, top + 12}, options_.title,
                  "font-size=\"13\" font-weight=\"bold\" fill=\"#14181d\" text-anchor=\"middle\"");
      top += k_title;
    }
    draw_key(canvas, top);
    top += key_height_;
    std::string names;
    for (const Panel& panel : panels_) {
      SvgLegend(lines_of(panel), width_ - left_ - k_right).draw(canvas, {left_, top});
      top += panel.legend_height;
      draw_panel(canvas, panel, top);
      top += panel_height_ + k_axis + k_gap;
      names += (names.empty() ? "" : ", ") + panel.label;
    }
    canvas.set_print_width(options_.width);
    return canvas.document(
        options_.title.empty() ? runs_.front().label : options_.title,
        fmt::format("equilibria: {} over {}; solid where stable, dashed where not", y_label_, names));
  }

 private:
  static bool is_within(const CurvePlotOptions& options, double value) {
    return !(options.from && value < *options.from) && !(options.to && value > *options.to);
  }

  void add_run(const ShownRun& run) {
    const CurveFinder finder(run.robot);
    const std::vector<double>& parameter = run.sequence.column("parameter").values;
    if (std::none_of(parameter.begin(), parameter.end(), [&](double p) { return is_within(options_, p); })) {
      const auto [low, high] = std::minmax_element(parameter.begin(), parameter.end());
      throw ArgumentError(fmt::format("{}: found no point from {:g} to {:g}, expected a part of {:g} to {:g}",
                                      run.label, options_.from.value_or(*low), options_.to.value_or(*high), *low,
                                      *high));
    }
    for (const std::string& item : options_.what.empty() ? usual(finder, run) : options_.what) {
      std::vector<ResultCurves> found;
      try {
        found = finder.find(item, run.samples);
      } catch (const ArgumentError& error) {
        throw ArgumentError(fmt::format("what: {}", error.what()));
      }
      const bool shared = item.find('+') != item.npos;
      for (ResultCurves& group : found) {
        for (const ResultCurve& curve : group.curves) add_curve(run, shared ? item : curve.name, curve, parameter);
      }
    }
  }

  /// The coordinate of the last tip that changes most, or where there is no link the first coordinate.
  static std::vector<std::string> usual(const CurveFinder& finder, const ShownRun& run) {
    if (run.robot.links.empty()) return {"q"};
    std::string widest;
    double most = -1.0;
    const std::vector<ResultCurves> tip = finder.find("tip", run.samples);
    for (const ResultCurve& curve : tip.front().curves) {
      const auto [low, high] = std::minmax_element(curve.values.begin(), curve.values.end());
      if (*high - *low > most) most = *high - *low, widest = curve.name;
    }
    return {widest};
  }

  void add_curve(const ShownRun& run, const std::string& title, ResultCurve curve, std::vector<double> parameter) {
    for (std::size_t i = 0; i < parameter.size(); ++i) {
      if (!is_within(options_, parameter[i])) curve.values[i] = std::numeric_limits<double>::quiet_NaN();
    }
    const bool shared = title != curve.name;
    auto panel = std::find_if(panels_.begin(), panels_.end(),
                              [&](const Panel& p) { return p.label == title && p.unit == curve.unit; });
    if (panel == panels_.end()) panels_.push_back({title, curve.unit, {}}), panel = panels_.end() - 1;
    std::string name = shared ? curve.name : "";
    if (runs_.size() > 1) name = shared ? fmt::format("{} {}", run.label, name) : run.label;
    panel->trails.push_back(
        {name, curve_color(panel->trails.size()), std::move(curve.values), std::move(parameter), &run});
  }

  static double largest(const std::vector<double>& values) {
    double most = 0.0;
    for (const double value : values) {
      if (std::isfinite(value)) most = std::max(most, std::abs(value));
    }
    return most;
  }

  void suit_units() {
    double most = 0.0;
    for (const Panel& panel : panels_) {
      for (const Trail& trail : panel.trails) most = std::max(most, largest(trail.y));
    }
    const ResultSequence& path = runs_.front().sequence;
    const SuitedUnit along = path.along_unit.empty() ? SuitedUnit{1.0, "1"} : suited_unit(path.along_unit, most);
    y_label_ = path.along == "load" ? "load factor" : path.along;
    if (along.name != "1") y_label_ += fmt::format(" [{}]", along.name);
    y_ = {1e300, -1e300};
    for (Panel& panel : panels_) {
      double size = 0.0;
      for (const Trail& trail : panel.trails) size = std::max(size, largest(trail.x));
      const SuitedUnit unit = suited_unit(panel.unit, size);
      if (panel.trails.size() > runs_.size()) panel.label.clear();  // the legend has the names
      if (unit.name != "1") panel.label += fmt::format("{}[{}]", panel.label.empty() ? "" : " ", unit.name);
      for (Trail& trail : panel.trails) {
        for (double& value : trail.x) value *= unit.factor;
        for (std::size_t i = 0; i < trail.y.size(); ++i) {
          trail.y[i] *= along.factor;
          if (std::isfinite(trail.x[i])) y_.include(trail.y[i]);
        }
      }
    }
    y_ = y_.widened(0.06);
  }

  static std::vector<SvgCurve> lines_of(const Panel& panel) {
    std::vector<SvgCurve> lines;
    for (const Trail& trail : panel.trails) lines.push_back({trail.name, trail.color, "", {}, {}});
    return lines;
  }

  /// What lines and marks mean, of those that are there.
  std::vector<SvgCurve> key_lines() const {
    bool stable = false, unstable = false, undecided = false;
    for (const ShownRun& run : runs_) {
      const auto& branch = run.sequence.column("branch").values;
      for (std::size_t i = 0; i + 1 < branch.size(); ++i) {
        if (branch[i] != branch[i + 1]) continue;
        const std::string dash = dash_of(between(run.sequence, i));
        (dash.empty() ? stable : dash == k_unstable ? unstable : undecided) = true;
      }
    }
    std::vector<SvgCurve> lines;
    if (stable) lines.push_back({"stable", "#4a525c", "", {}, {}});
    if (unstable) lines.push_back({"unstable", "#4a525c", k_unstable, {}, {}});
    if (undecided) lines.push_back({"neutral", "#4a525c", k_undecided, {}, {}});
    return lines;
  }
  bool has_kind(double kind) const {
    return std::any_of(runs_.begin(), runs_.end(), [kind](const ShownRun& run) {
      const auto& kinds = run.sequence.column("kind").values;
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    });
  }

  void draw_key(SvgCanvas& canvas, double top) const {
    const SvgLegend legend(key_lines(), width_ - left_ - k_right);
    legend.draw(canvas, {left_, top});
    double x = left_;
    const double y = top + legend.height() + 8.5;
    for (const auto& [kind, name] :
         {std::pair(PathPoint::Kind::fold, "fold"), {PathPoint::Kind::branch, "branch point"}}) {
      if (!has_kind(static_cast<double>(kind))) continue;
      draw_mark(canvas, {x + 8, y}, kind, "#4a525c");
      canvas.text({x + 20, y + 4}, name, "font-size=\"12\" fill=\"#22272d\"");
      x += 20 + svg_text_width(name, 12) + 14;
    }
  }

  static void draw_mark(SvgCanvas& canvas, SvgPoint at, PathPoint::Kind kind, const std::string& color) {
    const bool fold = kind == PathPoint::Kind::fold;
    if (fold) {
      canvas.circle(at, k_mark, fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1\"", color));
      return;
    }
    const double r = 1.35 * k_mark;
    canvas.polygon({{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}},
                   fmt::format("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.5\"", color));
  }

  void draw_panel(SvgCanvas& canvas, const Panel& panel, double top) const {
    SvgPanel::Range x{1e300, -1e300};
    for (const Trail& trail : panel.trails) {
      for (const double value : trail.x) x.include(value);
    }
    const SvgPanel::Frame frame{left_, top, width_ - left_ - k_right, panel_height_};
    const SvgPanel axes(canvas, frame, x.widened(0.06), y_);
    axes.draw_axes(panel.label, y_label_, std::max(2, static_cast<int>(frame.width / 60)), y_ticks(), label_space_);
    for (const Trail& trail : panel.trails) draw_curves(canvas, axes, pieces_of(trail));
    for (const Trail& trail : panel.trails) {
      const std::vector<double>& kinds = trail.run->sequence.column("kind").values;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == 0.0 || !std::isfinite(trail.x[i])) continue;
        draw_mark(canvas, axes.at(trail.x[i], trail.y[i]), static_cast<PathPoint::Kind>(index_of(kinds, i)), k_ink);
      }
    }
  }

  void lay_out() {
    width_ = options_.width * k_units_per_mm;
    panel_height_ = k_panel_height;
    label_space_ = SvgPanel::label_width(y_, y_ticks());
    left_ = label_space_ + 36;
    const double inside = width_ - left_ - k_right;
    key_height_ = SvgLegend(key_lines(), std::max(inside, 1.0)).height();
    key_height_ += has_kind(1.0) || has_kind(2.0) ? 22 : 5;
    double used = k_top + key_height_ + (options_.title.empty() ? 0.0 : k_title);
    for (Panel& panel : panels_) {
      const SvgLegend legend(lines_of(panel), std::max(inside, 1.0));
      panel.legend_height = legend.rows() > 0 ? legend.height() + 4 : 0.0;
      used += panel.legend_height + k_axis + k_gap;
    }
    used -= k_gap;
    const auto count = static_cast<double>(panels_.size());
    height_ = options_.height ? *options_.height * k_units_per_mm : used + count * k_panel_height;
    panel_height_ = (height_ - used) / count;
    if (inside >= k_least_panel && panel_height_ >= k_least_panel) return;
    throw ArgumentError(fmt::format(
        "size: found {:g} x {:g} mm, expected at least {:g} x {:g} mm for {} panel{}", options_.width,
        height_ / k_units_per_mm, std::ceil((left_ + k_right + k_least_panel) / k_units_per_mm),
        std::ceil((used + count * k_least_panel) / k_units_per_mm), panels_.size(), panels_.size() == 1 ? "" : "s"));
  }

  int y_ticks() const { return std::max(4, static_cast<int>(panel_height_ / 26)); }

  const std::vector<ShownRun>& runs_;
  const CurvePlotOptions& options_;
  std::vector<Panel> panels_;
  SvgPanel::Range y_;
  std::string y_label_;
  double width_ = 0.0, height_ = 0.0, left_ = 0.0, panel_height_ = 0.0, label_space_ = 0.0, key_height_ = 0.0;
};

}  // namespace

std::string path_diagram(const std::vector<ShownRun>& runs, const CurvePlotOptions& options) {
  return Diagram(runs, options).draw();
}

}  // namespace cuttle
