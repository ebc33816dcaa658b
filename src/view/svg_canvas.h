#pragma once

#include <string>
#include <vector>

namespace cuttle {

/// A point of the drawing [px], y downwards.
struct SvgPoint {
  double x = 0.0, y = 0.0;
};

/// Collects the elements of an SVG drawing. Styles are SVG attributes such as `stroke="#000" fill="none"`.
class SvgCanvas {
 public:
  SvgCanvas(double width, double height);

  void line(SvgPoint a, SvgPoint b, const std::string& style);
  /// Points nearer than a fraction of a pixel to the last one drawn are left out.
  void polyline(const std::vector<SvgPoint>& points, const std::string& style);
  void polygon(const std::vector<SvgPoint>& points, const std::string& style);
  void circle(SvgPoint center, double radius, const std::string& style);
  void rectangle(SvgPoint corner, double width, double height, const std::string& style);
  void text(SvgPoint at, const std::string& text, const std::string& style);
  void begin_group(const std::string& style);
  void end_group();

  double width() const { return width_; }
  /// Makes the drawing this wide in print, instead of a hundredth of an inch or so a unit [mm].
  void set_print_width(double millimeters) { print_width_ = millimeters; }
  double height() const { return height_; }
  /// The whole document. @param title, description  for people who cannot see it.
  std::string document(const std::string& title, const std::string& description) const;

 private:
  double width_, height_;
  double print_width_ = 0.0;  // 0: units are pixels
  std::string body_;
};

/// Numbers 1, 2 or 5 times a power of ten within [low, high], about `count` of them.
struct NiceTicks {
  NiceTicks(double low, double high, int count);
  std::vector<double> values;
  double step = 1.0;
  /// With as many decimals as the step needs.
  std::string label(double value) const;
};

/// A rectangle of the drawing with a linear scale on both axes, grid, ticks and labels.
class SvgPanel {
 public:
  struct Range {
    double low = 0.0, high = 1.0;
    void include(double value);
    /// Widened by a fraction on both sides; never empty.
    Range widened(double fraction) const;
  };
  struct Frame {
    double left, top, width, height;  // of the plotting area [px]
  };

  SvgPanel(SvgCanvas& canvas, const Frame& frame, const Range& x, const Range& y);
  /// Ranges around the given ones with the same length per pixel on both axes.
  static void equalize(const Frame& frame, Range& x, Range& y);

  /// @param x_label  empty: no numbers at the x axis either.
  /// @param label_space  left free for the numbers of the y axis, if more than they need: aligns labels of panels.
  void draw_axes(const std::string& x_label, const std::string& y_label, int x_ticks, int y_ticks,
                 double label_space = 0.0) const;
  /// Width of the widest number that an axis of this range has.
  static double label_width(const Range& range, int ticks);
  SvgPoint at(double x, double y) const;
  double pixels_per_unit_x() const { return frame_.width / (x_.high - x_.low); }
  const Frame& frame() const { return frame_; }
  void curve(const std::vector<double>& x, const std::vector<double>& y, const std::string& style) const;

 private:
  SvgCanvas& canvas_;
  Frame frame_;
  Range x_, y_;
};

/// Text in which <, >, & and quotes are escaped.
std::string escape_xml(const std::string& text);

}  // namespace cuttle
