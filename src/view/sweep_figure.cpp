#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "cuttle/error.h"
#include "cuttle/view/sweep_view.h"
#include "view/si_unit.h"
#include "view/svg_canvas.h"
#include "view/svg_curves.h"
#include "view/sweep_columns.h"

namespace cuttle {
namespace {

/// The figure's own unit of length, as that of other figures: letters of 12 of them are 7.5 points high.
constexpr double k_units_per_mm = 12.0 / (7.5 * 25.4 / 72.0);
constexpr double k_right = 16, k_top = 10, k_gap = 14, k_axis = 44, k_title = 24, k_legend = 20;
constexpr double k_bar_gap = 12, k_bar = 10, k_bar_label = 26;
constexpr double k_panel = 50.0;  // [mm]
constexpr double k_least_panel = 40.0;
constexpr double k_label_font = 13.0;
constexpr std::size_t k_most_points = 5000;
constexpr int k_shades = 64;
const char* const k_failed_ink = "#b3261c";

/// A shade of the row from dark blue over green to yellow, which tells numbers apart in gray too. @param part  0 to 1
std::string shade(double part) {
  // viridis at 0, 1/4, 1/2, 3/4 and 1
  static constexpr double k_stops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double place = 4.0 * std::clamp(part, 0.0, 1.0);
  const auto below = std::min<std::size_t>(3, static_cast<std::size_t>(place));
  const double mix = place - static_cast<double>(below);
  int channels[3];
  for (int c = 0; c < 3; ++c) {
    channels[c] = static_cast<int>(std::lround((1.0 - mix) * k_stops[below][c] + mix * k_stops[below + 1][c]));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", channels[0], channels[1], channels[2]);
}

/// A column in the unit that suits its numbers.
struct Axis {
  std::string name, bracket;  ///< the unit
  std::vector<double> values;
  SvgPanel::Range range;
  bool empty = true;  ///< no number is finite

  std::string label() const { return name + bracket; }
  /// As much of the end of the name as there is room for.
  std::string label(double room) const {
    std::string rest = name;
    const auto text = [&] { return (rest.size() < name.size() ? "\u2026" : "") + rest + bracket; };
    for (std::size_t dot = rest.find('.'); svg_text_width(text(), k_label_font) > room && dot != rest.npos;) {
      rest.erase(0, dot + 1);
      dot = rest.find('.');
    }
    return text();
  }

  Axis() = default;
  explicit Axis(const ShownColumn& source) {
    double largest = 0.0;
    for (const double value : source.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    const std::string& given = source.column.unit;
    const SuitedUnit unit = given.empty() ? SuitedUnit{1.0, ""} : suited_unit(given, largest);
    const bool bare = unit.name.empty() || unit.name == "1";
    name = source.column.name;
    if (!bare) bracket = fmt::format(" [{}]", unit.name);
    for (const double value : source.values) {
      values.push_back(value * unit.factor);
      if (!std::isfinite(values.back())) continue;
      if (empty) range = {values.back(), values.back()}, empty = false;
      range.include(values.back());
    }
  }
};

int x_ticks(double width) { return std::max(2, static_cast<int>(width / 70)); }
int y_ticks(double height) { return std::max(3, static_cast<int>(height / 30)); }

class SweepFigure {
 public:
  SweepFigure(const SweepTable& table, const SweepBands& bands, const SweepFigureOptions& options)
      : table_(table), bands_(bands), options_(options) {
    for (const double size : {options.width, options.height.value_or(1.0)}) {
      if (!(size > 0.0) || !std::isfinite(size)) {
        throw ArgumentError(fmt::format("sweep_figure: found the size {:g} mm, expected a number > 0", size));
      }
    }
    const SweepAxes axes = chosen_axes(table, options.axes);
    const std::vector<ShownColumn> columns = shown_columns(table);
    x_ = Axis(column_named(columns, axes.x, "--x")), y_ = Axis(column_named(columns, axes.y, "--y"));
    if (!axes.color.empty()) color_ = Axis(column_named(columns, axes.color, "--color"));
    width_ = options.width * k_units_per_mm;
    failed_ = static_cast<std::size_t>(std::count_if(
        table.rows.begin(), table.rows.end(), [](const SweepRow& row) { return row.status != SweepStatus::complete; }));
    const double panels = 1.0 + static_cast<double>(bands.bands.size());
    panel_height_ = k_panel * k_units_per_mm;
    if (options.height) panel_height_ = (*options.height * k_units_per_mm - height_beside_panels()) / panels;
    if (panel_height_ < k_least_panel) {
      throw ArgumentError(fmt::format("--size: found {:g} mm of height, expected more for {} panels",
                                      options.height.value_or(0.0), panels));
    }
    x_.range = x_.range.widened(0.04), y_.range = y_.range.widened(0.06);
    label_space_ = SvgPanel::label_width(y_.range, y_ticks(panel_height_));
    for (const SweepBand& band : bands.bands) {
      drawn_bands_.push_back(in_unit(band));
      label_space_ = std::max(label_space_, SvgPanel::label_width(drawn_bands_.back().range, y_ticks(panel_height_)));
    }
    left_ = label_space_ + 36;
    inside_ = width_ - left_ - k_right;
    if (!color_.empty) {
      color_label_ = SvgPanel::label_width(color_.range, 5) + 8;
      inside_ -= k_bar_gap + k_bar + color_label_ + k_bar_label;
    }
    // a sweep may have a million runs: some of them stand for all, but those that failed stand for themselves
    std::vector<std::int64_t> complete;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const bool good = table.rows[i].status == SweepStatus::complete;
      (good ? complete : drawn_).push_back(static_cast<std::int64_t>(i));
    }
    if (complete.size() > k_most_points) {
      order_by_chance(complete);
      complete.resize(k_most_points);
      std::sort(complete.begin(), complete.end());
      left_out_ = table.rows.size() - failed_ - complete.size();
    }
    drawn_.insert(drawn_.begin(), complete.begin(), complete.end());  // crosses lie above
    if (inside_ < 40.0) throw ArgumentError(fmt::format("--size: found {:g} mm, expected more width", options.width));
  }

  std::string draw() const {
    const double height = height_beside_panels() + (1.0 + static_cast<double>(bands_.bands.size())) * panel_height_;
    SvgCanvas canvas(width_, height);
    double top = k_top;
    if (!options_.title.empty()) {
      canvas.text({0.5 * width_, top + 12}, options_.title,
                  "font-size=\"13\" font-weight=\"bold\" fill=\"#14181d\" text-anchor=\"middle\"");
      top += k_title;
    }
    if (left_out_ > 0) {
      canvas.text({width_ - k_right, top + 12}, fmt::format("{} of {} runs", drawn_.size(), table_.rows.size()),
                  "font-size=\"12\" fill=\"#22272d\" text-anchor=\"end\"");
    }
    if (failed_ > 0) {
      cross(canvas, {left_ + 6, top + 8});
      canvas.text({left_ + 16, top + 12}, fmt::format("{} of {} failed", failed_, table_.rows.size()),
                  "font-size=\"12\" fill=\"#22272d\"");
    }
    if (failed_ > 0 || left_out_ > 0) top += k_legend;
    draw_points(canvas, top);
    if (!color_.empty) draw_bar(canvas, top);
    top += panel_height_ + k_axis;
    draw_bands(canvas, top);
    canvas.set_print_width(options_.width);
    std::string over;
    for (const Band& band : drawn_bands_) over += (over.empty() ? "; over time: " : ", ") + band.label;
    return canvas.document(
        options_.title.empty() ? "a sweep" : options_.title,
        fmt::format("{} runs{}: {} over {}{}{}", table_.rows.size(),
                    left_out_ > 0 ? fmt::format(", {} of them drawn", drawn_.size()) : "", y_.label(), x_.label(),
                    color_.empty ? "" : ", colors: " + color_.label(), over));
  }

 private:
  struct Band {
    std::string label;
    std::array<std::vector<double>, k_band_quantiles.size()> quantiles;
    SvgPanel::Range range;
  };

  Band in_unit(const SweepBand& band) const {
    ShownColumn all{band.column, ShownColumn::Kind::other, {}};
    for (const auto& values : band.quantiles) all.values.insert(all.values.end(), values.begin(), values.end());
    const Axis axis(all);
    Band made{axis.label(panel_height_ + 20), {}, axis.range.widened(0.06)};
    const std::size_t count = bands_.times.size();
    for (std::size_t k = 0; k < made.quantiles.size(); ++k) {
      const auto begin = axis.values.begin() + static_cast<std::ptrdiff_t>(k * count);
      made.quantiles[k].assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return made;
  }

  bool has_legend() const {
    return failed_ > 0 || table_.rows.size() - failed_ > k_most_points;  // also before points are chosen
  }
  double height_beside_panels() const {
    double height = k_top + k_axis + (options_.title.empty() ? 0.0 : k_title) + (has_legend() ? k_legend : 0.0);
    if (!bands_.bands.empty()) {
      height += k_legend + (static_cast<double>(bands_.bands.size()) - 1.0) * k_gap + k_axis;
    }
    return height;
  }

  static void cross(SvgCanvas& canvas, SvgPoint at) {
    constexpr double k_half = 3.2;
    const std::string style = fmt::format("stroke=\"{}\" stroke-width=\"1.4\"", k_failed_ink);
    canvas.line({at.x - k_half, at.y - k_half}, {at.x + k_half, at.y + k_half}, style);
    canvas.line({at.x - k_half, at.y + k_half}, {at.x + k_half, at.y - k_half}, style);
  }

  void draw_points(SvgCanvas& canvas, double top) const {
    const SvgPanel::Frame frame{left_, top, inside_, panel_height_};
    const SvgPanel axes(canvas, frame, x_.range, y_.range);
    axes.draw_axes(x_.label(inside_ + left_), y_.label(panel_height_ + 20), x_ticks(inside_), y_ticks(panel_height_),
                   label_space_);
    const double radius = table_.rows.size() > 2000 ? 1.2 : table_.rows.size() > 300 ? 1.8 : 2.6;
    // of points that would lie on each other, one is enough
    std::set<std::tuple<long, long, int>> there;
    for (const std::int64_t place : drawn_) {
      const auto i = static_cast<std::size_t>(place);
      const bool complete = table_.rows[i].status == SweepStatus::complete;
      if (!std::isfinite(x_.values[i])) continue;
      const bool has_y = std::isfinite(y_.values[i]);
      if (complete && !has_y) continue;
      SvgPoint at = axes.at(x_.values[i], has_y ? y_.values[i] : y_.range.low);
      double part = -1.0;
      if (complete && !color_.empty && std::isfinite(color_.values[i])) {
        const double span = color_.range.high - color_.range.low;
        part = span > 0.0 ? (color_.values[i] - color_.range.low) / span : 0.5;
      }
      const int bucket = complete ? static_cast<int>(part * k_shades) : -k_shades;
      if (!there.emplace(std::lround(2.0 * at.x), std::lround(2.0 * at.y), bucket).second) continue;
      if (complete) {
        const std::string ink = part < 0.0 ? (color_.empty ? curve_color(0) : "#9a9a9a") : shade(part);
        canvas.circle(at, radius, fmt::format("fill=\"{}\" fill-opacity=\"0.85\"", ink));
      } else {
        cross(canvas, at);
      }
    }
  }

  void draw_bar(SvgCanvas& canvas, double top) const {
    const double x = left_ + inside_ + k_bar_gap;
    for (int i = 0; i < k_shades; ++i) {  // each over the one before, so that no gap shines through
      canvas.rectangle({x, top}, k_bar, panel_height_ * (1.0 - static_cast<double>(i) / k_shades),
                       fmt::format("fill=\"{}\"", shade((i + 0.5) / k_shades)));
    }
    const NiceTicks ticks(color_.range.low, color_.range.high, 5);
    const double span = color_.range.high - color_.range.low;
    for (const double value : ticks.values) {
      const double part = span > 0.0 ? (value - color_.range.low) / span : 0.5;
      const double y = top + panel_height_ * (1.0 - part);
      canvas.line({x + k_bar, y}, {x + k_bar + 4, y}, "stroke=\"#4a525c\" stroke-width=\"1\"");
      canvas.text({x + k_bar + 6, y + 4.2}, ticks.label(value), "font-size=\"12\" fill=\"#22272d\"");
    }
    const double label_x = x + k_bar + color_label_ + 18, label_y = top + 0.5 * panel_height_;
    canvas.text({label_x, label_y}, color_.label(panel_height_ + 16),
                fmt::format("font-size=\"13\" fill=\"#22272d\" text-anchor=\"middle\" "
                            "transform=\"rotate(-90 {:.2f} {:.2f})\"",
                            label_x, label_y));
  }

  void draw_bands(SvgCanvas& canvas, double top) const {
    if (drawn_bands_.empty()) return;
    canvas.text({left_, top + 12}, fmt::format("median, 50 % and 90 % of {} runs", bands_.runs),
                "font-size=\"12\" fill=\"#22272d\"");
    top += k_legend;
    SvgPanel::Range time{bands_.times.front(), bands_.times.back()};
    if (!(time.high > time.low)) time.high = time.low + 1.0;
    const double inside = width_ - left_ - k_right;
    for (std::size_t i = 0; i < drawn_bands_.size(); ++i) {
      const Band& band = drawn_bands_[i];
      const SvgPanel axes(canvas, {left_, top, inside, panel_height_}, time, band.range);
      const bool last = i + 1 == drawn_bands_.size();
      axes.draw_axes(last ? "time [s]" : "", band.label, x_ticks(inside), y_ticks(panel_height_), label_space_);
      area(canvas, axes, band.quantiles[0], band.quantiles[4], "0.18");
      area(canvas, axes, band.quantiles[1], band.quantiles[3], "0.32");
      draw_curves(canvas, axes, {{"", curve_color(0), "", bands_.times, band.quantiles[2]}});
      top += panel_height_ + k_gap;
    }
  }

  void area(SvgCanvas& canvas, const SvgPanel& axes, const std::vector<double>& low, const std::vector<double>& high,
            const char* opacity) const {
    std::vector<SvgPoint> points;
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (std::isfinite(low[i])) points.push_back(axes.at(bands_.times[i], low[i]));
    }
    for (std::size_t i = high.size(); i-- > 0;) {
      if (std::isfinite(high[i])) points.push_back(axes.at(bands_.times[i], high[i]));
    }
    canvas.polygon(points, fmt::format("fill=\"{}\" fill-opacity=\"{}\" stroke=\"none\"", curve_color(0), opacity));
  }

  const SweepTable& table_;
  const SweepBands& bands_;
  const SweepFigureOptions& options_;
  Axis x_, y_, color_;
  std::vector<Band> drawn_bands_;
  double width_ = 0.0, panel_height_ = 0.0, left_ = 0.0, inside_ = 0.0, label_space_ = 0.0, color_label_ = 0.0;
  std::size_t failed_ = 0, left_out_ = 0;
  std::vector<std::int64_t> drawn_;  // places of rows
};

}  // namespace

std::string sweep_figure(const SweepTable& table, const SweepBands& bands, const SweepFigureOptions& options) {
  return SweepFigure(table, bands, options).draw();
}

}  // namespace cuttle
