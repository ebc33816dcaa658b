#include "cuttle/view/point_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "view/svg_canvas.h"

namespace cuttle {
namespace {

using Range = SvgPanel::Range;

constexpr double k_cloud_side = 300.0, k_cloud_gap = 78.0, k_cloud_top = 58.0,
                 k_cloud_bottom = 66.0;  // of the three panels [px]
constexpr int k_cloud_ticks = 5;
constexpr const char* k_stable_points = "fill=\"#1f5fa8\" fill-opacity=\"0.45\"";
constexpr const char* k_unstable_points = "fill=\"#d95f02\" fill-opacity=\"0.6\"";

/// Two of the world's axes as seen from one side.
struct CloudView {
  int horizontal, vertical;
};
constexpr CloudView k_cloud_views[] = {{0, 2}, {1, 2}, {0, 1}};

std::string cloud_axis_label(int axis) { return fmt::format("{} [m]", "xyz"[axis]); }

}  // namespace

std::string point_cloud_svg(const std::string& title, const std::vector<CloudPoint>& points) {
  if (points.empty()) throw ArgumentError("point_cloud_svg: points: found none, expected at least one");
  double low[3], high[3], widest = 0.0;
  bool all_stable = true;
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = high[axis] = points.front().position[axis];
    for (const CloudPoint& point : points) {
      const double x = point.position[axis];
      if (!std::isfinite(x)) {
        throw ArgumentError("point_cloud_svg: points: found a position that is not finite, expected numbers [m]");
      }
      low[axis] = std::min(low[axis], x), high[axis] = std::max(high[axis], x);
    }
    widest = std::max(widest, high[axis] - low[axis]);
  }
  for (const CloudPoint& point : points) all_stable = all_stable && point.stable;
  // one scale: every axis has the width of the widest one
  const double half = std::max(0.55 * widest, 1e-6);
  const auto range = [&](int axis) {
    const double middle = 0.5 * (low[axis] + high[axis]);
    return Range{middle - half, middle + half};
  };
  SvgCanvas canvas(3 * (k_cloud_side + k_cloud_gap) + 20.0, k_cloud_top + k_cloud_side + k_cloud_bottom);
  canvas.text({k_cloud_gap, 30.0}, title, "font-size=\"16\" font-weight=\"bold\"");
  const double radius = points.size() > 5000 ? 1.0 : points.size() > 500 ? 1.6 : 2.4;
  double left = k_cloud_gap;
  for (const CloudView& view : k_cloud_views) {
    const SvgPanel panel(canvas, {left, k_cloud_top, k_cloud_side, k_cloud_side}, range(view.horizontal),
                         range(view.vertical));
    panel.draw_axes(cloud_axis_label(view.horizontal), cloud_axis_label(view.vertical), k_cloud_ticks, k_cloud_ticks);
    for (const bool stable : {true, false}) {
      canvas.begin_group(stable ? k_stable_points : k_unstable_points);
      for (const CloudPoint& point : points) {
        if (point.stable != stable) continue;
        canvas.circle(panel.at(point.position[view.horizontal], point.position[view.vertical]), radius, "");
      }
      canvas.end_group();
    }
    left += k_cloud_side + k_cloud_gap;
  }
  const std::string colors = all_stable ? "" : "; blue: stable, orange: not";
  canvas.text({k_cloud_gap, k_cloud_top + k_cloud_side + k_cloud_bottom - 12.0},
              fmt::format("{} points{}", points.size(), colors), "font-size=\"12\"");
  return canvas.document(title, fmt::format("{} points in three views{}", points.size(), colors));
}

}  // namespace cuttle
