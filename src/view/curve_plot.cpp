#include "cuttle/view/curve_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/error.h"
#include "view/path_diagram.h"
#include "view/result_curves.h"
#include "view/si_unit.h"
#include "view/svg_canvas.h"
#include "view/svg_curves.h"

namespace cuttle {
namespace {

/// The figure's own unit of length: letters of 12 of them are 7.5 points high, as captions in print.
constexpr double k_units_per_mm = 12.0 / (7.5 * 25.4 / 72.0);
constexpr double k_panel_height = 150, k_least_panel_height = 48;
constexpr double k_gap = 14, k_right = 16, k_bottom = 44, k_top = 8, k_title = 24, k_legend_gap = 4;

/// Lines of the runs, the first one solid.
std::string dash_of_run(std::size_t run) {
  static const char* const k_dashes[] = {"", "6 4", "1.5 3", "8 3 1.5 3"};
  return k_dashes[run % std::size(k_dashes)];
}

struct Panel {
  std::string title, unit;
  std::string first_name;  // of its first curve, in full
  std::vector<SvgCurve> curves;
  std::string y_label, bracket;
  double legend_height = 0.0;
};

/// Rows of a run within the span of time.
std::vector<Sample> rows_within(const ShownRun& run, const CurvePlotOptions& options) {
  const double from = options.from.value_or(-std::numeric_limits<double>::infinity());
  const double to = options.to.value_or(std::numeric_limits<double>::infinity());
  std::vector<Sample> rows;
  for (const Sample& sample : run.samples) {
    if (sample.time >= from && sample.time <= to) rows.push_back(sample);
  }
  if (!rows.empty()) return rows;
  if (run.samples.empty()) throw ArgumentError(run.label + ": found no row, expected at least one");
  throw ArgumentError(fmt::format("{}: found no row from {:g} s to {:g} s, expected a part of {:g} s to {:g} s",
                                  run.label, from, to, run.samples.front().time, run.samples.back().time));
}

class CurveFigure {
 public:
  CurveFigure(const std::vector<ShownRun>& runs, const CurvePlotOptions& options) : options_(options), runs_(runs) {
    if (runs.empty()) throw ArgumentError("curve_plot: found no run, expected at least one");
    for (std::size_t run = 0; run < runs.size(); ++run) add_run(run);
    suit_units();
    check_size(options.width), check_size(options.height.value_or(options.width));
    width_ = options.width * k_units_per_mm;
    lay_out();
    move_long_labels();
    lay_out();  // again, as the panels' height says which numbers stand at their axes
  }

  std::string draw() const {
    SvgCanvas canvas(width_, height_);
    double top = k_top;
    if (!options_.title.empty()) {
      canvas.text({0.5 * width_, top + 12}, options_.title,
                  "font-size=\"13\" font-weight=\"bold\" fill=\"#14181d\" text-anchor=\"middle\"");
      top += k_title;
    }
    if (runs_.size() > 1) {
      const SvgLegend legend(run_lines(), width_ - left_ - k_right);
      legend.draw(canvas, {left_, top});
      top += legend.height() + k_legend_gap;
    }
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const Panel& panel = panels_[i];
      SvgLegend(panel.curves, width_ - left_ - k_right).draw(canvas, {left_, top});
      top += panel.legend_height;
      const SvgPanel::Frame frame{left_, top, width_ - left_ - k_right, panel_height_};
      const SvgPanel::Range range = curve_range(panel.curves);
      const SvgPanel axes(canvas, frame, time_, range);
      const bool last = i + 1 == panels_.size();
      axes.draw_axes(last ? time_label_ : "", panel.y_label, x_ticks(), y_ticks(range), label_space_);
      draw_curves(canvas, axes, panel.curves);
      top += panel_height_ + k_gap;
    }
    std::string names;
    for (const Panel& panel : panels_) {
      if (!names.empty()) names += ", ";
      names += panel.y_label;
    }
    canvas.set_print_width(options_.width);
    return canvas.document(options_.title.empty() ? runs_.front().label : options_.title, "over time: " + names);
  }

 private:
  void add_run(std::size_t run) {
    const std::vector<Sample> rows = rows_within(runs_[run], options_);
    std::vector<double> times;
    times.reserve(rows.size());
    for (const Sample& row : rows) times.push_back(row.time);
    if (run == 0) time_ = {times.front(), times.back()};
    time_.include(times.front()), time_.include(times.back());
    const CurveFinder finder(runs_[run].robot, runs_[run].controllers, runs_[run].motion);
    for (const std::string& item : options_.what.empty() ? finder.usual() : options_.what) {
      try {
        for (ResultCurves& found : finder.find(item, rows)) add_curves(run, item, std::move(found), times);
      } catch (const ArgumentError& error) {
        throw ArgumentError(fmt::format("{}{}what: {}", runs_.size() > 1 ? runs_[run].label : "",
                                        runs_.size() > 1 ? ": " : "", error.what()));
      }
    }
  }

  /// Into the panel of that item, title and unit, beside those of other runs.
  void add_curves(std::size_t run, const std::string& item, ResultCurves found, const std::vector<double>& times) {
    for (ResultCurve& curve : found.curves) {
      const std::string key = item + "\n" + found.title + "\n" + curve.unit;
      auto place = std::find(keys_.begin(), keys_.end(), key);
      if (place == keys_.end()) {
        keys_.push_back(key), panels_.push_back({found.title, curve.unit, curve.name, {}, {}, {}});
        place = keys_.end() - 1;
      }
      Panel& panel = panels_[static_cast<std::size_t>(place - keys_.begin())];
      std::size_t color = panel.curves.size();
      bool known = false;
      for (std::size_t i = 0; run > 0 && i < panel.curves.size() && !known; ++i) {
        known = panel.curves[i].name == curve.label;
        if (known) color = i;
      }
      // what an earlier run has is in its legend already
      const std::size_t dash = runs_.size() > 1 ? run : color / k_curve_colors;
      panel.curves.push_back({curve.label, curve_color(color), dash_of_run(dash), times, std::move(curve.values)});
      if (known) panel.curves.back().name.clear();
    }
  }

  void suit_units() {
    for (Panel& panel : panels_) {
      double largest = 0.0;
      for (const SvgCurve& curve : panel.curves) {
        for (const double value : curve.y) {
          if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
        }
      }
      const SuitedUnit unit = suited_unit(panel.unit, largest);
      for (SvgCurve& curve : panel.curves) {
        for (double& value : curve.y) value *= unit.factor;
      }
      const bool alone = panel.curves.size() == runs_.size();
      if (alone) {  // the axis says what it is
        panel.title = panel.first_name;
        panel.curves.front().name.clear();
      }
      if (unit.name != "1") panel.bracket = fmt::format("[{}]", unit.name);
      const bool both = !panel.title.empty() && !panel.bracket.empty();
      panel.y_label = fmt::format("{}{}{}", panel.title, both ? " " : "", panel.bracket);
    }
    const bool rows = std::any_of(runs_.begin(), runs_.end(),
                                  [](const ShownRun& run) { return run.sequence.kind == ResultSequence::Kind::table; });
    if (rows) {
      time_.high = std::max(time_.high, time_.low + 1.0), time_label_ = "row of the table";
      return;
    }
    const SuitedUnit unit = suited_unit("s", std::max(std::abs(time_.low), std::abs(time_.high)));
    const bool small = unit.factor > 1.0;  // never ks
    const double factor = small ? unit.factor : 1.0;
    time_ = {time_.low * factor, std::max(time_.high, time_.low + 1e-9) * factor};
    time_label_ = fmt::format("time [{}]", small ? unit.name : "s");
    for (Panel& panel : panels_) {
      for (SvgCurve& curve : panel.curves) {
        for (double& value : curve.x) value *= factor;
      }
    }
  }

  std::vector<SvgCurve> run_lines() const {
    std::vector<SvgCurve> lines;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      lines.push_back({runs_[run].label, "#4a525c", dash_of_run(run), {}, {}});
    }
    return lines;
  }

  /// Ticks fill the axes: a size without bound would ask for all memory. One that is too small is refused by lay_out.
  static void check_size(double size) {
    constexpr double k_most = 1e4;  // mm, more than any printer's
    if (size > 0.0 && size <= k_most) return;
    throw ArgumentError(fmt::format("size: found {:g} mm, expected at most {:g} mm a side", size, k_most));
  }

  void lay_out() {
    if (panel_height_ == 0.0) panel_height_ = k_panel_height;
    label_space_ = 0.0;
    for (const Panel& panel : panels_) {
      const auto range = curve_range(panel.curves);
      label_space_ = std::max(label_space_, SvgPanel::label_width(range, y_ticks(range)));
    }
    left_ = label_space_ + 36;
    const double inside = width_ - left_ - k_right;
    double used = k_top + k_bottom + (options_.title.empty() ? 0.0 : k_title);
    if (inside > 0.0) {
      if (runs_.size() > 1) used += SvgLegend(run_lines(), inside).height() + k_legend_gap;
      for (Panel& panel : panels_) {
        const SvgLegend legend(panel.curves, inside);
        panel.legend_height = legend.rows() > 0 ? legend.height() + k_legend_gap : 0.0;
        used += panel.legend_height;
      }
    }
    const auto count = static_cast<double>(panels_.size());
    used += (count - 1) * k_gap;
    height_ = options_.height ? *options_.height * k_units_per_mm : used + count * k_panel_height;
    panel_height_ = (height_ - used) / count;
    if (inside < 2 * k_least_panel_height || panel_height_ < k_least_panel_height) {
      const double width = std::ceil((left_ + k_right + 2 * k_least_panel_height) / k_units_per_mm);
      const double height = std::ceil((used + count * k_least_panel_height) / k_units_per_mm);
      throw ArgumentError(fmt::format("size: found {:g} x {:g} mm, expected at least {:g} x {:g} mm for {} panel{}",
                                      options_.width, height_ / k_units_per_mm, width, height, panels_.size(),
                                      panels_.size() == 1 ? "" : "s"));
    }
  }

  /// Where the axis is too short for its label, the names of the curves take the first part.
  void move_long_labels() {
    for (Panel& panel : panels_) {
      if (panel.title.empty() || svg_text_width(panel.y_label, 13) <= panel_height_ + panel.legend_height) continue;
      SvgCurve& first = panel.curves.front();
      if (first.name.empty()) {
        first.name = panel.title;
      } else {
        for (SvgCurve& curve : panel.curves) {
          if (!curve.name.empty()) curve.name = fmt::format("{}.{}", panel.title, curve.name);
        }
      }
      panel.title.clear();
      panel.y_label = panel.bracket;
    }
  }

  int x_ticks() const { return std::max(2, static_cast<int>((width_ - left_ - k_right) / 55)); }
  /// Of a range: at least three numbers stand at the axis.
  int y_ticks(const SvgPanel::Range& range) const {
    int count = std::max(4, static_cast<int>(panel_height_ / 22));
    while (count < 12 && NiceTicks(range.low, range.high, count).values.size() < 3) ++count;
    return count;
  }

  const CurvePlotOptions& options_;
  const std::vector<ShownRun>& runs_;
  std::vector<std::string> keys_;  // of the panels
  std::vector<Panel> panels_;
  SvgPanel::Range time_;
  std::string time_label_;
  double width_ = 0.0, height_ = 0.0, left_ = 0.0, panel_height_ = 0.0, label_space_ = 0.0;
};

}  // namespace

std::string curve_plot(const std::vector<ShownRun>& runs, const CurvePlotOptions& options) {
  for (const ShownRun& run : runs) {
    const ResultSequence::Kind kind = run.sequence.kind;
    if (kind == ResultSequence::Kind::path) return path_diagram(runs, options);
    if (kind == ResultSequence::Kind::simulation || kind == ResultSequence::Kind::table) continue;
    throw ArgumentError(
        fmt::format("{}: found {}, expected a simulation, a table or a path of equilibria: there are no "
                    "curves of modes",
                    run.label, sequence_kind_name(kind)));
  }
  return CurveFigure(runs, options).draw();
}

std::vector<std::string> curve_names(const Robot& robot, const std::vector<RecordedController>& controllers,
                                     const std::vector<RecordedMotion>& motion) {
  return CurveFinder(robot, controllers, motion).names();
}

}  // namespace cuttle
