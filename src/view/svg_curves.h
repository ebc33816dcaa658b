#pragma once

#include <string>
#include <vector>

#include "view/svg_canvas.h"

namespace cuttle {

/// A curve of a figure.
struct SvgCurve {
  std::string name;
  std::string color;
  std::string dash = {};  ///< SVG's stroke-dasharray; empty: solid
  std::vector<double> x, y;
};

/// Colors that color-blind people can tell apart, the first ones best: seven of Okabe and Ito and some of Tol; then
/// again from the first.
inline constexpr std::size_t k_curve_colors = 12;
std::string curve_color(std::size_t index);

/// How wide a text is in the figures' typeface, or a wider one that takes its place.
double svg_text_width(const std::string& text, double font_size);

/// Names of curves beside samples of their lines, in rows as wide as they may be.
class SvgLegend {
 public:
  /// @param curves  those without a name are left out.
  SvgLegend(const std::vector<SvgCurve>& curves, double width);
  std::size_t rows() const { return rows_.size(); }
  double height() const { return k_row * static_cast<double>(rows_.size()); }
  /// @param at  its upper left corner.
  void draw(SvgCanvas& canvas, SvgPoint at) const;

 private:
  static constexpr double k_row = 17, k_line = 20, k_gap = 14, k_font = 12;
  struct Entry {
    std::string name, color, dash;
    double x;
  };
  std::vector<std::vector<Entry>> rows_;
};

/// Draws curves with gaps where they are not finite, in a panel whose axes stand already.
void draw_curves(SvgCanvas& canvas, const SvgPanel& panel, const std::vector<SvgCurve>& curves);

/// Smallest and largest value of all, a little widened.
SvgPanel::Range curve_range(const std::vector<SvgCurve>& curves);

}  // namespace cuttle
