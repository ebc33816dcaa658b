#include "view/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuttle/version.h"

namespace cuttle {
namespace {

constexpr double k_visible = 0.25;  // shorter steps of a line are not seen [px]

std::string path_points(const std::vector<SvgPoint>& points) {
  std::string text;
  SvgPoint last{-1e9, -1e9};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SvgPoint& p = points[i];
    const bool end = i + 1 == points.size();
    if (!end && std::hypot(p.x - last.x, p.y - last.y) < k_visible) continue;
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", p.x, p.y);
    last = p;
  }
  return text;
}

}  // namespace

std::string escape_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

SvgCanvas::SvgCanvas(double width, double height) : width_(width), height_(height) {}

void SvgCanvas::line(SvgPoint a, SvgPoint b, const std::string& style) {
  body_ +=
      fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", a.x, a.y, b.x, b.y, style);
}
void SvgCanvas::polyline(const std::vector<SvgPoint>& points, const std::string& style) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", path_points(points), style);
}
void SvgCanvas::polygon(const std::vector<SvgPoint>& points, const std::string& style) {
  body_ += fmt::format("<polygon points=\"{}\" {}/>\n", path_points(points), style);
}
void SvgCanvas::circle(SvgPoint center, double radius, const std::string& style) {
  body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" {}/>\n", center.x, center.y, radius, style);
}
void SvgCanvas::rectangle(SvgPoint corner, double width, double height, const std::string& style) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n", corner.x, corner.y,
                       width, height, style);
}
void SvgCanvas::text(SvgPoint at, const std::string& text, const std::string& style) {
  body_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", at.x, at.y, style, escape_xml(text));
}
void SvgCanvas::begin_group(const std::string& style) { body_ += fmt::format("<g {}>\n", style); }
void SvgCanvas::end_group() { body_ += "</g>\n"; }

std::string SvgCanvas::document(const std::string& title, const std::string& description) const {
  const double scale = print_width_ > 0.0 ? print_width_ / width_ : 1.0;
  const char* const unit = print_width_ > 0.0 ? "mm" : "";
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2:g}{4}\" height=\"{3:g}{4}\" "
             "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
             "sans-serif\" role=\"img\">\n<metadata>written by Cuttle {5}</metadata>\n",
             width_, height_, width_ * scale, height_ * scale, unit, k_version) +
         fmt::format("<title>{}</title>\n<desc>{}</desc>\n", escape_xml(title), escape_xml(description)) +
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body_ + "</svg>\n";
}

NiceTicks::NiceTicks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  step = power * 10.0;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) values.push_back(k * step + 0.0);
}

std::string NiceTicks::label(double value) const {
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  return (value < -0.5 * step ? "\u2212" : "") + text;
}

void SvgPanel::Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

SvgPanel::Range SvgPanel::Range::widened(double fraction) const {
  double margin = fraction * (high - low);
  const double least = 1e-9 * std::max({std::abs(low), std::abs(high), 1e-9});
  if (high - low < least) margin = std::max(0.5 * std::abs(high), 0.5e-9);
  return {low - margin, high + margin};
}

SvgPanel::SvgPanel(SvgCanvas& canvas, const Frame& frame, const Range& x, const Range& y)
    : canvas_(canvas), frame_(frame), x_(x), y_(y) {}

void SvgPanel::equalize(const Frame& frame, Range& x, Range& y) {
  const double scale = std::max((x.high - x.low) / frame.width, (y.high - y.low) / frame.height);
  const auto fit = [scale](Range& range, double pixels) {
    const double middle = 0.5 * (range.low + range.high), half = 0.5 * scale * pixels;
    range = {middle - half, middle + half};
  };
  fit(x, frame.width);
  fit(y, frame.height);
}

SvgPoint SvgPanel::at(double x, double y) const {
  return {frame_.left + (x - x_.low) / (x_.high - x_.low) * frame_.width,
          frame_.top + (y_.high - y) / (y_.high - y_.low) * frame_.height};
}

void SvgPanel::draw_axes(const std::string& x_label, const std::string& y_label, int x_ticks, int y_ticks,
                         double label_space) const {
  const NiceTicks xs(x_.low, x_.high, x_ticks), ys(y_.low, y_.high, y_ticks);
  const double bottom = frame_.top + frame_.height, right = frame_.left + frame_.width;
  const std::string grid = "stroke=\"#e6e9ed\" stroke-width=\"1\"";
  const std::string tick = "stroke=\"#4a525c\" stroke-width=\"1\"";
  for (const double x : xs.values) canvas_.line({at(x, 0).x, frame_.top}, {at(x, 0).x, bottom}, grid);
  for (const double y : ys.values) canvas_.line({frame_.left, at(0, y).y}, {right, at(0, y).y}, grid);
  canvas_.rectangle({frame_.left, frame_.top}, frame_.width, frame_.height,
                    "fill=\"none\" stroke=\"#4a525c\" stroke-width=\"1\"");
  for (const double x : xs.values) {
    const double px = at(x, 0).x;
    canvas_.line({px, bottom}, {px, bottom - 5}, tick);
    if (!x_label.empty())
      canvas_.text({px, bottom + 17}, xs.label(x), "font-size=\"12\" fill=\"#22272d\" text-anchor=\"middle\"");
  }
  for (const double y : ys.values) {
    const double py = at(0, y).y;
    canvas_.line({frame_.left, py}, {frame_.left + 5, py}, tick);
    canvas_.text({frame_.left - 7, py + 4.2}, ys.label(y), "font-size=\"12\" fill=\"#22272d\" text-anchor=\"end\"");
  }
  if (!x_label.empty()) {
    canvas_.text({frame_.left + 0.5 * frame_.width, bottom + 37}, x_label,
                 "font-size=\"13\" fill=\"#22272d\" text-anchor=\"middle\"");
  }
  const double x = frame_.left - 18 - std::max(label_space, label_width(y_, y_ticks)),
               y = frame_.top + 0.5 * frame_.height;
  canvas_.text(
      {x, y}, y_label,
      fmt::format("font-size=\"13\" fill=\"#22272d\" text-anchor=\"middle\" transform=\"rotate(-90 {:.2f} {:.2f})\"", x,
                  y));
}

double SvgPanel::label_width(const Range& range, int ticks) {
  const NiceTicks numbers(range.low, range.high, ticks);
  std::size_t longest = 0;
  for (const double value : numbers.values) {
    const std::string label = numbers.label(value);
    longest = std::max(longest, label.size() - (label[0] == '\xe2' ? 2 : 0));  // the sign has three bytes
  }
  return 7.2 * static_cast<double>(longest);
}

void SvgPanel::curve(const std::vector<double>& x, const std::vector<double>& y, const std::string& style) const {
  std::vector<SvgPoint> points;
  points.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back(at(x[i], y[i]));
  canvas_.polyline(points, style);
}

}  // namespace cuttle
