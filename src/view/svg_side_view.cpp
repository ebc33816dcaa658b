#include "view/svg_side_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/robot_outline.h"
#include "view/svg_obstacles.h"

namespace cuttle {
namespace {

using Range = SvgPanel::Range;

/// Colors of a configuration: soft and rigid parts, their edge.
struct Paint {
  const char* rod;
  const char* rigid;
  const char* edge;
};
constexpr Paint k_first{"#86b4e6", "#d6e6f7", "#2b6cb0"};
constexpr Paint k_transient{"#bfc5cd", "#eceef1", "#959da8"};
constexpr Paint k_last{"#1f5fa8", "#a3c4e8", "#12406f"};
/// Color of the tip's path: light at the start, dark at the end.
std::string path_color(double fraction) {
  const double early[] = {250, 195, 130}, late[] = {178, 72, 4};
  int rgb[3];
  for (int i = 0; i < 3; ++i) rgb[i] = static_cast<int>(std::lround(early[i] + fraction * (late[i] - early[i])));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

constexpr const char* k_tendon_color = "#d6246e";

/// A color given as #rrggbb, darker or lighter.
std::string shaded(const std::string& color, double brightness) {
  int rgb[3];
  for (int i = 0; i < 3; ++i) {
    const int value = std::stoi(color.substr(1 + 2 * static_cast<std::size_t>(i), 2), nullptr, 16);
    rgb[i] = std::clamp(static_cast<int>(std::lround(value * brightness)), 0, 255);
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

/// Two of the world's axes as seen from the side, or x and y from above.
struct View {
  int horizontal = 0, vertical = 2;
  double x(const Vector3& p) const { return p[horizontal]; }
  double y(const Vector3& p) const { return p[vertical]; }
  /// Towards the viewer: along -y beside x, along x beside y; from above along z.
  double near(const Vector3& p) const { return vertical == 1 ? p.z : horizontal == 0 ? -p.y : p.x; }
  static const char* name(int axis) { return axis == 0 ? "x" : axis == 1 ? "y" : "z"; }
};

/// Indices of samples between the first and the last, equally spaced along the path of the tip.
std::vector<std::size_t> transient_indices(const std::vector<Sample>& samples, int count) {
  std::vector<double> traveled{0.0};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    traveled.push_back(traveled.back() + norm(tip_of(samples[i]) - tip_of(samples[i - 1])));
  }
  std::vector<std::size_t> indices;
  for (int k = 1; k <= count; ++k) {
    const double target = traveled.back() * k / (count + 1);
    const std::size_t i = std::lower_bound(traveled.begin(), traveled.end(), target) - traveled.begin();
    if (i > 0 && i + 1 < samples.size() && (indices.empty() || indices.back() != i)) indices.push_back(i);
  }
  return indices;
}

/// Outline of a line with thickness: offsets to both sides, at the ends half circles if `round`.
std::vector<SvgPoint> tube(const std::vector<SvgPoint>& line, const std::vector<double>& radii, bool round) {
  const int arc = round ? 10 : 0;
  const std::size_t n = line.size();
  std::vector<double> angles(n);  // of the tangent
  for (std::size_t i = 0; i < n; ++i) {
    const SvgPoint &a = line[i > 0 ? i - 1 : 0], &b = line[std::min(i + 1, n - 1)];
    const bool seen_from_the_end = std::hypot(b.x - a.x, b.y - a.y) < 1e-9;
    angles[i] = seen_from_the_end ? (i > 0 ? angles[i - 1] : 0.0) : std::atan2(b.y - a.y, b.x - a.x);
  }
  std::vector<SvgPoint> outline;
  const auto add = [&](std::size_t i, double angle) {
    outline.push_back({line[i].x + radii[i] * std::cos(angle), line[i].y + radii[i] * std::sin(angle)});
  };
  for (std::size_t i = 0; i < n; ++i) add(i, angles[i] - M_PI_2);
  for (int k = 1; k < arc; ++k) add(n - 1, angles[n - 1] - M_PI_2 + M_PI * k / arc);
  for (std::size_t i = n; i-- > 0;) add(i, angles[i] + M_PI_2);
  for (int k = 1; k < arc; ++k) add(0, angles[0] + M_PI_2 + M_PI * k / arc);
  return outline;
}

/// The stroboscopic view.
class SideView {
 public:
  SideView(SvgCanvas& canvas, const Robot& robot, const std::vector<Sample>& samples, int transients)
      : canvas_(canvas), robot_(robot), samples_(samples), outline_(robot), floating_(robot.floating_base) {
    first_ = outline_.at(samples.front().q);
    for (const std::size_t i : transient_indices(samples, transients)) between_.push_back(outline_.at(samples[i].q));
    last_ = outline_.at(samples.back().q);
    for (const Obstacle& obstacle : robot.obstacles) {
      obstacles_.push_back(obstacle_surface(obstacle, samples.back().time, outline_.reach(), outline_.base().position));
    }
    choose_view();
  }

  void draw(const SvgPanel::Frame& frame) {
    Range x{1e300, -1e300}, y{1e300, -1e300};
    for_each_point([&](const Vector3& p, double radius) {
      x.include(view_.x(p) - radius), x.include(view_.x(p) + radius);
      y.include(view_.y(p) - radius), y.include(view_.y(p) + radius);
    });
    include_obstacles(x, y);
    const SvgUnit unit = length_unit(std::max(x.high - x.low, y.high - y.low));
    unit_ = unit.factor;
    for (Range* range : {&x, &y}) *range = Range{range->low * unit_, range->high * unit_}.widened(0.06);
    SvgPanel::equalize(frame, x, y);
    const SvgPanel panel(canvas_, frame, x, y);
    panel_ = &panel;
    panel.draw_axes(fmt::format("{} [{}]", View::name(view_.horizontal), unit.name),
                    fmt::format("{} [{}]", View::name(view_.vertical), unit.name), 6, 6);
    draw_obstacles(frame);
    for (const auto& shape : between_) draw(shape, k_transient, 0.8, 0.8, false);
    if (!floating_) draw_ground();
    draw_path();
    draw(first_, k_first, 1.1, 1.0, true);
    draw(last_, k_last, 1.1, 1.0, true);
    draw_path_end(first_.tip, 0.0);
    draw_path_end(last_.tip, 1.0);
    draw_legend(frame);
  }

 private:
  using Shape = RobotOutline::Shape;

  template <typename Visit>
  void for_each_point(const Visit& visit) const {
    const auto all = [&](const Shape& shape) {
      for (const auto& stroke : shape.strokes) {
        for (std::size_t i = 0; i < stroke.points.size(); ++i) visit(stroke.points[i], stroke.radii[i]);
      }
      for (const auto& surface : shape.surfaces) {
        for (const Vector3& p : surface.points) visit(p, 0.0);
      }
      for (const auto& tendon : shape.tendons) {
        for (const Vector3& p : tendon) visit(p, 0.0);
      }
    };
    all(first_), all(last_);
    for (const Shape& shape : between_) all(shape);
    for (const Sample& sample : samples_) visit(tip_of(sample), 0.0);
  }

  /// Those that are to be seen whole: not much larger than what moves, and near it. Of planes and walls a part will do.
  void include_obstacles(Range& x, Range& y) const {
    constexpr double k_largest = 1.5, k_farthest = 0.5;  // of what moves
    const Range moving_x = x, moving_y = y;
    const auto length = [](const Range& range) { return range.high - range.low; };
    const auto apart = [](const Range& a, const Range& b) { return std::max({a.low - b.high, b.low - a.high, 0.0}); };
    const double size = std::hypot(length(x), length(y));
    for (const ObstacleSurface& obstacle : obstacles_) {
      Range own_x{1e300, -1e300}, own_y = own_x;
      for (const Vector3& p : obstacle.points) own_x.include(view_.x(p)), own_y.include(view_.y(p));
      if (!(std::hypot(length(own_x), length(own_y)) <= k_largest * size)) continue;
      if (std::hypot(apart(own_x, moving_x), apart(own_y, moving_y)) > k_farthest * size) continue;
      for (const double end : {own_x.low, own_x.high}) x.include(end);
      for (const double end : {own_y.low, own_y.high}) y.include(end);
    }
  }

  void choose_view() {
    Range extent[3] = {{1e300, -1e300}, {1e300, -1e300}, {1e300, -1e300}};
    for_each_point([&](const Vector3& p, double) {
      for (int i = 0; i < 3; ++i) extent[i].include(p[i]);
    });
    const auto size = [&extent](int i) { return extent[i].high - extent[i].low; };
    if (size(2) < 0.02 * std::min(size(0), size(1))) {  // it moves in a horizontal plane
      view_.vertical = 1;
    } else {
      view_.horizontal = size(1) > 1.05 * size(0) ? 1 : 0;
    }
  }

  SvgPoint at(const Vector3& p) const { return panel_->at(view_.x(p) * unit_, view_.y(p) * unit_); }
  double pixels(double length) const { return length * unit_ * panel_->pixels_per_unit_x(); }

  /// Draws the faces of a volume that look at the viewer, the far ones first, and the edges of what they cover.
  void draw(const RobotOutline::Surface& surface, const Paint& paint, double edge_width, bool shade) const {
    const auto& faces = surface.rest->faces;
    std::vector<std::vector<SvgPoint>> outlines(faces.size());
    std::vector<double> nearness(faces.size(), 0.0), facing(faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const int corners = faces[f][3] < 0 ? 3 : 4;
      Vector3 area;  // twice the face, along its normal
      for (int k = 0; k < corners; ++k) {
        const Vector3 &a = surface.points[faces[f][k]], &b = surface.points[faces[f][(k + 1) % corners]];
        outlines[f].push_back(at(a));
        nearness[f] += view_.near(a) / corners;
        area += cross(a - surface.points[faces[f][0]], b - surface.points[faces[f][0]]);
      }
      facing[f] = norm(area) > 0.0 ? view_.near(area) / norm(area) : 0.0;
    }
    std::vector<std::vector<std::pair<int, int>>> edges(faces.size());  // that are drawn with a face
    for (const VolumeSurface::Edge& edge : surface.rest->edges) {
      const bool contour = (facing[edge.first] > 0.0) != (facing[edge.other] > 0.0);
      if (!contour && !edge.sharp) continue;
      for (const int f : {edge.first, edge.other}) {
        if (facing[f] > 0.0) edges[f].emplace_back(edge.a, edge.b);
      }
    }
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < faces.size(); ++f) {
      if (facing[f] > 0.0) order.push_back(f);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return nearness[a] < nearness[b]; });
    const std::string edge_style =
        fmt::format("stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"", paint.edge, edge_width);
    // their own stroke closes the seams between faces
    canvas_.begin_group(fmt::format("fill=\"{0}\" stroke=\"{0}\" stroke-width=\"0.5\"", paint.rod));
    for (const std::size_t f : order) {
      const std::string color = shaded(paint.rod, 0.72 + 0.38 * facing[f]);
      canvas_.polygon(outlines[f], shade ? fmt::format("fill=\"{0}\" stroke=\"{0}\"", color) : "");
      for (const auto& [a, b] : edges[f]) canvas_.line(at(surface.points[a]), at(surface.points[b]), edge_style);
    }
    canvas_.end_group();
  }

  void draw(const Shape& shape, const Paint& paint, double edge_width, double opacity, bool shade) const {
    canvas_.begin_group(fmt::format("opacity=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                                    opacity, paint.edge, edge_width));
    for (const auto& stroke : shape.strokes) {
      std::vector<SvgPoint> line;
      std::vector<double> radii;
      for (std::size_t i = 0; i < stroke.points.size(); ++i) {
        line.push_back(at(stroke.points[i]));
        radii.push_back(std::max(pixels(stroke.radii[i]), 1.4));
      }
      const bool rod = stroke.kind == RobotOutline::Stroke::Kind::rod;
      canvas_.polygon(tube(line, radii, !rod), fmt::format("fill=\"{}\"", rod ? paint.rod : paint.rigid));
    }
    for (const auto& surface : shape.surfaces) draw(surface, paint, edge_width, shade);
    const double radius = std::clamp(pixels(0.009 * outline_.reach()), 1.6, 5.0);
    for (const Vector3& mass : shape.masses) {
      canvas_.circle(at(mass), std::max(pixels(0.02 * outline_.reach()), 2.5), fmt::format("fill=\"{}\"", paint.rigid));
    }
    for (const Vector3& joint : shape.joints) canvas_.circle(at(joint), radius, "fill=\"#ffffff\"");
    for (const auto& tendon : shape.tendons) {
      std::vector<SvgPoint> line;
      line.reserve(tendon.size());
      for (const Vector3& p : tendon) line.push_back(at(p));
      canvas_.polyline(line, shade ? fmt::format("stroke=\"{}\" stroke-width=\"1.3\"", k_tendon_color)
                                   : fmt::format("stroke=\"{}\" stroke-width=\"0.7\"", paint.edge));
    }
    canvas_.end_group();
  }

  /// Where they are at the end; what the robot is within hides nothing.
  void draw_obstacles(const SvgPanel::Frame& frame) const {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
      const char* const look = robot_.obstacles[i].inside
                                   ? "fill=\"#e4e7eb\" stroke=\"#9aa3ae\" stroke-width=\"0.8\" opacity=\"0.5\""
                                   : "fill=\"#d9dde2\" stroke=\"#d9dde2\" stroke-width=\"0.5\"";
      canvas_.begin_group(look);
      const auto project = [this](const Vector3& p) { return at(p); };
      for (const auto& polygon : obstacle_polygons(obstacles_[i], frame, project)) {
        canvas_.polygon(polygon, "");
      }
      canvas_.end_group();
    }
  }

  /// What the robot's base stands on, behind the base along its own -z.
  void draw_ground() const {
    const Pose base = outline_.base();
    const Vector3 z = base.rotation * Vector3{0, 0, 1};
    const SvgPoint p = at(base.position), up = at(base.position + 0.01 * outline_.reach() * z);
    const double length = std::hypot(up.x - p.x, up.y - p.y);
    if (length < 1e-3) return;
    const double ux = (up.x - p.x) / length, uy = (up.y - p.y) / length;  // away from the ground
    const double depth = 9.0;
    double half = 36.0;
    for (const auto& surface : first_.surfaces) {  // what stands on it
      for (const Vector3& x : surface.points) {
        if (std::abs(dot(x - base.position, z)) > 1e-6 * outline_.reach()) continue;
        const SvgPoint foot = at(x);
        half = std::max(half, std::hypot(foot.x - p.x, foot.y - p.y) + 16.0);
      }
    }
    const auto point = [&](double along, double behind) {
      return SvgPoint{p.x - uy * along - ux * behind, p.y + ux * along - uy * behind};
    };
    for (double s = -half + 4; s <= half; s += 7.5) {
      canvas_.line(point(s, 0), point(s - 6, depth), "stroke=\"#6b7480\" stroke-width=\"1\"");
    }
    canvas_.line(point(-half, 0), point(half, 0), "stroke=\"#3c444d\" stroke-width=\"1.8\"");
  }

  void draw_path() const {
    constexpr int k_pieces = 16;  // of one color
    const std::size_t last = samples_.size() - 1;
    canvas_.begin_group("stroke-width=\"1.3\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    for (int piece = 0; piece < k_pieces; ++piece) {
      std::vector<SvgPoint> path;
      for (std::size_t i = last * piece / k_pieces; i <= last * (piece + 1) / k_pieces; ++i) {
        path.push_back(at(tip_of(samples_[i])));
      }
      canvas_.polyline(path, fmt::format("stroke=\"{}\"", path_color((piece + 0.5) / k_pieces)));
    }
    canvas_.end_group();
  }
  void draw_path_end(const Vector3& tip, double fraction) const {
    canvas_.circle(at(tip), 3.6,
                   fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1\"", path_color(fraction)));
  }

  /// In the corner where it hides least.
  void draw_legend(const SvgPanel::Frame& frame) const {
    const bool tendons = !last_.tendons.empty();
    const double width = 128, height = tendons ? 102 : 84, gap = 8;
    SvgPoint best;
    long least = -1;
    for (const bool bottom : {false, true}) {
      for (const bool left : {false, true}) {
        const SvgPoint corner{left ? frame.left + gap : frame.left + frame.width - width - gap,
                              bottom ? frame.top + frame.height - height - gap : frame.top + gap};
        long hidden = 0;
        for_each_point([&](const Vector3& p, double) {
          const SvgPoint s = at(p);
          hidden += s.x > corner.x - gap && s.x < corner.x + width + gap && s.y > corner.y - gap &&
                    s.y < corner.y + height + gap;
        });
        if (least < 0 || hidden < least) least = hidden, best = corner;
      }
    }
    canvas_.rectangle(best, width, height, "fill=\"#ffffff\" fill-opacity=\"0.88\" stroke=\"#ccd1d8\" rx=\"3\"");
    const std::pair<Paint, std::string> entries[] = {{k_first, fmt::format("t = {:g} s", samples_.front().time)},
                                                     {k_transient, "in between"},
                                                     {k_last, fmt::format("t = {:.4g} s", samples_.back().time)}};
    double y = best.y + 16;
    for (const auto& [paint, text] : entries) {
      const std::string edge = fmt::format("stroke=\"{}\" stroke-width=\"1\"", paint.edge);
      canvas_.rectangle({best.x + 10, y - 5}, 13, 9, fmt::format("fill=\"{}\" {}", paint.rigid, edge));
      canvas_.rectangle({best.x + 23, y - 5}, 13, 9, fmt::format("fill=\"{}\" {}", paint.rod, edge));
      canvas_.text({best.x + 45, y + 4}, text, k_svg_small_text);
      y += 18;
    }
    for (int i = 0; i < 26; ++i) {
      canvas_.line({best.x + 10 + i, y}, {best.x + 11.2 + i, y},
                   fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", path_color(i / 25.0)));
    }
    canvas_.text({best.x + 45, y + 4}, "tip path", k_svg_small_text);
    if (!tendons) return;
    y += 18;
    canvas_.line({best.x + 10, y}, {best.x + 36, y}, fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", k_tendon_color));
    canvas_.text({best.x + 45, y + 4}, "tendons", k_svg_small_text);
  }

  SvgCanvas& canvas_;
  const Robot& robot_;
  const std::vector<Sample>& samples_;
  RobotOutline outline_;
  bool floating_;
  Shape first_, last_;
  std::vector<Shape> between_;
  std::vector<ObstacleSurface> obstacles_;
  View view_;
  double unit_ = 1.0;
  const SvgPanel* panel_ = nullptr;
};

}  // namespace

SvgUnit length_unit(double largest) { return largest < 0.2 ? SvgUnit{1e3, "mm"} : SvgUnit{1.0, "m"}; }

Vector3 tip_of(const Sample& sample) { return sample.tips.empty() ? Vector3{} : sample.tips.back().position; }

void draw_side_view(SvgCanvas& canvas, const SvgPanel::Frame& frame, const Robot& robot,
                    const std::vector<Sample>& samples, int transients) {
  SideView(canvas, robot, samples, transients).draw(frame);
}

}  // namespace cuttle
