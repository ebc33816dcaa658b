#include "view/svg_curves.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace cuttle {
namespace {

/// Widths of Helvetica's letters from ' ' to '~', in thousandths of the font's size.
constexpr std::array<int, 95> k_widths{278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                       556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                       1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                       667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                       333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                       556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

/// What stands in for Helvetica where it is missing may be wider: DejaVu Sans.
constexpr double k_widest = 1.17;

}  // namespace

std::string curve_color(std::size_t index) {
  static const char* const k_colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                         "#22272d", "#8c6bb1", "#882255", "#44aa99", "#999933", "#661100"};
  return k_colors[index % k_curve_colors];
}

double svg_text_width(const std::string& text, double font_size) {
  double width = 0.0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xc0) continue;  // goes on with a letter of several bytes
    width += byte >= ' ' && byte <= '~' ? k_widths[byte - ' '] : 556;
  }
  return k_widest * 1e-3 * font_size * width;
}

SvgLegend::SvgLegend(const std::vector<SvgCurve>& curves, double width) {
  double x = 0.0;
  for (const SvgCurve& curve : curves) {
    if (curve.name.empty()) continue;
    const double needed = k_line + svg_text_width(curve.name, k_font);
    if (rows_.empty() || (x > 0.0 && x + needed > width)) rows_.emplace_back(), x = 0.0;
    rows_.back().push_back({curve.name, curve.color, curve.dash, x});
    x += needed + k_gap;
  }
}

void SvgLegend::draw(SvgCanvas& canvas, SvgPoint at) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double y = at.y + k_row * (static_cast<double>(row) + 0.5);
    for (const Entry& entry : rows_[row]) {
      const double x = at.x + entry.x;
      canvas.line({x, y}, {x + k_line - 4, y},
                  fmt::format("stroke=\"{}\" stroke-width=\"2.2\"{}", entry.color,
                              entry.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", entry.dash)));
      canvas.text({x + k_line, y + 4}, entry.name, fmt::format("font-size=\"{:g}\" fill=\"#22272d\"", k_font));
    }
  }
}

void draw_curves(SvgCanvas& canvas, const SvgPanel& panel, const std::vector<SvgCurve>& curves) {
  canvas.begin_group("stroke-width=\"1.7\" stroke-linejoin=\"round\"");
  for (const SvgCurve& curve : curves) {
    const std::string style = fmt::format(
        "stroke=\"{}\"{}", curve.color, curve.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", curve.dash));
    std::vector<double> x, y;
    const auto end_piece = [&] {
      if (x.size() == 1) x.push_back(x.front()), y.push_back(y.front());
      if (!x.empty()) panel.curve(x, y, style);
      x.clear(), y.clear();
    };
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      if (std::isfinite(curve.y[i])) {
        x.push_back(curve.x[i]), y.push_back(curve.y[i]);
      } else {
        end_piece();
      }
    }
    end_piece();
  }
  canvas.end_group();
}

SvgPanel::Range curve_range(const std::vector<SvgCurve>& curves) {
  SvgPanel::Range range{1e300, -1e300};
  for (const SvgCurve& curve : curves) {
    for (const double value : curve.y) range.include(value);
  }
  const bool nothing = range.low > range.high;  // no value is finite
  if (nothing || (range.low == 0.0 && range.high == 0.0)) return {-1.0, 1.0};
  return range.widened(0.06);
}

}  // namespace cuttle
