#include "io/robot/part_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cuttle/spatial/logarithm.h"
#include "io/robot/nearest_text.h"
#include "io/robot/part_readers.h"
#include "model/signal_shape.h"

namespace cuttle {
namespace {

/// Knots of a signal beyond which they stand in a file.
constexpr std::size_t k_most_knots = 24;

double distance(const Matrix3& a, const Matrix3& b) {
  double largest = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(a(i, j) - b(i, j)));
  }
  return largest;
}

double rounded(double x, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(x * scale) / scale + 0.0;  // no negative zero
}

Vector3 rpy_of(const Matrix3& R) {
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
          std::atan2(R(1, 0), R(0, 0))};
}

/// The quaternion whose rotation is nearest to a matrix that rounding took off the rotations, in least squares.
std::array<double, 4> nearest_quaternion(const Matrix3& matrix) {
  using Number = long double;  // else its own rounding would be as large as what it mends
  const auto R = matrix.cast<Number>();
  QuaternionT<Number> q = quaternion_from_matrix(R);
  for (int i = 0; i < 2; ++i) {  // Newton's method
    const Matrix3T<Number> Q = q.matrix();
    Vector3T<Number> turn{};  // twice the rotation that is missing
    for (int k = 0; k < 3; ++k) turn += cross(Q.column(k), R.column(k));
    q = (QuaternionT<Number>{1.0L, turn.x / 4, turn.y / 4, turn.z / 4} * q).normalized();
  }
  return {static_cast<double>(q.w), static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z)};
}

/// The fewest decimals of a list that make the same of it; nothing if all do not.
template <std::size_t N, typename Same>
std::optional<std::array<double, N>> shortest(const std::array<double, N>& values, const Same& same) {
  for (int decimals = 0; decimals <= 17; ++decimals) {
    std::array<double, N> candidate;
    std::transform(values.begin(), values.end(), candidate.begin(), [&](double x) { return rounded(x, decimals); });
    if (same(candidate)) return candidate;
  }
  return same(values) ? std::optional(values) : std::nullopt;
}

/// What reading makes of a file's quaternion.
Matrix3 rotation_of(const std::array<double, 4>& q) {
  return rotation_from_quaternion(Quaternion{q[0], q[1], q[2], q[3]});
}

std::string table_text(const std::vector<double>& times, const std::vector<double>& values) {
  std::string text = "time,value\n";
  for (std::size_t i = 0; i < times.size(); ++i) text += yaml_number(times[i]) + "," + yaml_number(values[i]) + "\n";
  return text;
}

/// Three of them, also if all are zero.
void write_all_signals(const std::string& key, const Signal* signals, MapWriter& map) {
  std::vector<YamlNode> items;
  items.reserve(3);
  for (int i = 0; i < 3; ++i) {
    items.push_back(at_place({key, i}, "", [&] { return signal_node(signals[i], map.context()); }));
  }
  map.node(key, list_node(std::move(items)));
}

}  // namespace

void refuse_to_write(const std::string& what, const std::string& expected) {
  throw ModelError({}, what + ", which has no text", expected);
}

void write_rotation(const Matrix3& R, MapWriter& map) {
  if (R == Matrix3::identity()) return;
  // What has no text becomes the nearest rotation that has one; that is then written as it would be by itself, so that
  // writing what was read gives the same text.
  Matrix3 near = R;
  for (int i = 0; i < 8; ++i) {
    const double error = distance(near, R);
    if (!(error < 1e-12)) {
      throw ModelError("rotation", fmt::format("a matrix that is {:.3g} off the next rotation", error),
                       "a rotation, to 1e-12");
    }
    const Vector3 rpy = rpy_of(near);
    const auto angles = shortest(std::array{rpy.x, rpy.y, rpy.z},
                                 [&near](const auto& a) { return rotation_from_rpy(a[0], a[1], a[2]) == near; });
    if (angles) return map.numbers("rpy", {angles->begin(), angles->end()});
    const auto q = nearest_on_grid(nearest_quaternion(near),
                                   [&near](const auto& candidate) { return distance(rotation_of(candidate), near); });
    const Matrix3 next = rotation_of(q);
    if (next == near || i == 7) return map.numbers("quaternion", {q.begin(), q.end()});
    near = next;
  }
}

void write_pose(const Pose& pose, MapWriter& map) {
  map.vector("position", pose.position, {});
  write_rotation(pose.rotation, map);
}

void write_at(const PortLocation& at, MapWriter& map) {
  switch (at.kind) {
    case PortLocation::Kind::tip:
      return;
    case PortLocation::Kind::base:
      return map.text("at", "base");
    case PortLocation::Kind::section:
      return map.map("at", [&](MapWriter& place) { place.number("s", at.s); });
    case PortLocation::Kind::point:
      return map.map("at", [&](MapWriter& place) { place.vector("point", at.point); });
  }
}

void write_place(const Place& place, MapWriter& map) {
  map.text("link", place.link);
  write_at(place.at, map);
  map.map("pose", [&](MapWriter& pose) { write_pose(place.pose, pose); });
}

void write_material_place(const Place& place, MapWriter& map) {
  const auto& links = map.context().robot->links;
  map.text("link", place.link);
  if (place.pose == Pose()) return write_at(place.at, map);
  const auto link =
      std::find_if(links.begin(), links.end(), [&](const Link& other) { return other.name == place.link; });
  const bool deforms = link != links.end() && link->body && link->body->coordinate_count() > 0;
  const bool at_base = place.at.kind == PortLocation::Kind::base || link == links.end();
  if (deforms || !at_base || !(place.pose.rotation == Matrix3::identity())) {
    throw ModelError("place.pose", "a pose", "none, or a position in the base frame of a link that does not deform");
  }
  map.map("at", [&](MapWriter& at) { at.vector("point", place.pose.position); });
}

void write_joint_coordinate(const JointTransmission& joint, MapWriter& map) {
  map.text("link", joint.link);
  map.integer("index", joint.index, 0);
}

void write_ends(const DistanceTransmission& distance, MapWriter& map) {
  map.map("a", [&](MapWriter& frame) { write_place(distance.a, frame); });
  map.map("b", [&](MapWriter& frame) { write_place(distance.b, frame); });
}

YamlNode signal_node(const Signal& signal, WriteContext& context) {
  const Signal::Shape* shape = signal.shape();
  if (shape == nullptr) return number_node(signal.at(0.0));
  const auto& times = shape->times;
  const auto& values = shape->values;
  MapWriter map(context);
  switch (shape->kind) {
    case Signal::Shape::Kind::step:
      map.text("type", "step");
      map.number("time", times[0]);
      map.number("before", values[0], 0.0);
      map.number("after", values[1]);
      return map.take();
    case Signal::Shape::Kind::sine:
      map.text("type", "sine");
      map.number("amplitude", shape->amplitude);
      map.number("frequency", shape->frequency);
      map.number("phase", shape->phase, 0.0);
      map.number("offset", shape->offset, 0.0);
      return map.take();
    case Signal::Shape::Kind::cubic:
    case Signal::Shape::Kind::quintic:
    case Signal::Shape::Kind::minimum_jerk:
      map.text("type", shape->kind == Signal::Shape::Kind::cubic     ? "cubic"
                       : shape->kind == Signal::Shape::Kind::quintic ? "quintic"
                                                                     : "minimum_jerk");
      map.number("start", times[0]);
      map.number("end", times[1]);
      map.number("from", values[0], 0.0);
      map.number("to", values[1]);
      return map.take();
    case Signal::Shape::Kind::spline:
      map.text("type", "spline");
      map.numbers("time", times);
      map.numbers("value", values);
      return map.take();
    case Signal::Shape::Kind::steps:
      map.text("type", "steps");
      map.numbers("times", times);
      map.numbers("values", values);
      return map.take();
    case Signal::Shape::Kind::function:
      refuse_to_write("a function of time", "a signal that files can say");
    case Signal::Shape::Kind::linear:
    case Signal::Shape::Kind::hold:
      break;
  }
  const bool hold = shape->kind == Signal::Shape::Kind::hold;
  if (hold || times.size() > k_most_knots) {
    map.text("type", "table");
    map.file("file", ".csv", [&] { return table_text(times, values); });
    map.text("column", "value");
    map.flag("hold", hold);
  } else if (times.size() == 2) {
    map.text("type", "ramp");
    map.number("start", times[0]);
    map.number("end", times[1]);
    map.number("from", values[0], 0.0);
    map.number("to", values[1]);
  } else {
    map.text("type", "points");
    map.numbers("time", times);
    map.numbers("value", values);
  }
  return map.take();
}

void write_signals(const std::string& key, const Signal* signals, MapWriter& map) {
  if (std::all_of(signals, signals + 3, [](const Signal& signal) { return signal == Signal(); })) return;
  write_all_signals(key, signals, map);
}

void write_pose_motion(const PoseMotion& motion, MapWriter& map) {
  if (motion.position) write_all_signals("position", motion.position->data(), map);
  if (motion.rpy) write_all_signals("rpy", motion.rpy->data(), map);
}

}  // namespace cuttle
