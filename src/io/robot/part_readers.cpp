#include "io/robot/part_readers.h"

#include <fmt/format.h>

#include <cmath>

#include "cuttle/error.h"
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

template <typename S>
Matrix3T<S> rotation_from_rpy(const S& roll, const S& pitch, const S& yaw) {
  using std::cos;
  using std::sin;
  const S cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch);
  const S cy = cos(yaw), sy = sin(yaw);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {S(0.0) - sp, cp * sr, cp * cr}};  // a difference: no negative zero for angles of zero
}

template <typename S>
Matrix3T<S> rotation_from_quaternion(const QuaternionT<S>& q) {
  const auto number = [](const S& x) { return static_cast<long double>(scalar_cast<double>(x)); };
  const Matrix3 rounded = QuaternionT<long double>{number(q.w), number(q.x), number(q.y), number(q.z)}
                              .normalized()
                              .matrix()
                              .template cast<double>();
  if constexpr (std::is_same_v<S, double>) {
    return rounded;
  } else {
    Matrix3T<S> rotation = q.normalized().matrix();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rotation(i, j).value = rounded(i, j);
    }
    return rotation;
  }
}

void check_format_version(const YamlMap& map) {
  const auto cursor = map.at("cuttle");
  if (!cursor) return;
  const Key rule{.name = {}, .kind = Key::Kind::integer};
  const auto version = cursor->integer(rule);
  if (version && *version != k_format_version) {
    cursor->fail(fmt::format("{}, the version of the format that this Cuttle reads", k_format_version));
  }
}

template <typename S>
PoseT<S> read_pose(const YamlMap& map) {
  return {read_rotation<S>(map), read_vector3<S>(map, "position")};
}

template <typename S>
Matrix3T<S> read_rotation(const YamlMap& map) {
  Matrix3T<S> rotation = Matrix3T<S>::identity();
  if (map.has("rpy") && map.has("quaternion")) map.fail("quaternion", "it beside rpy", "one of the two");
  if (map.has("rpy") || !map.has("quaternion")) {
    const Vector3T<S> rpy = read_vector3<S>(map, "rpy");
    rotation = rotation_from_rpy(rpy.x, rpy.y, rpy.z);
  }
  if (const auto q = map.numbers<S>("quaternion")) {
    const QuaternionT<S> quaternion{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    const double norm = std::sqrt(scalar_cast<double>(quaternion.squared_norm()));
    if (std::abs(norm - 1.0) <= 1e-6) {  // a file may round: beyond that it is a mistake
      rotation = rotation_from_quaternion(quaternion);
    } else {
      map.fail("quaternion", fmt::format("norm {:.9g}", norm), "[w, x, y, z] of norm 1 (within 1e-6)");
    }
  }
  return rotation;
}

template <typename S>
PoseT<S> read_pose(const YamlMap& map, const std::string& name) {
  const auto pose = map.map(name);
  return pose ? read_pose<S>(*pose) : PoseT<S>();
}

template <typename S>
Vector3T<S> read_vector3(const YamlMap& map, const std::string& name, const Vector3& fallback) {
  const auto values = map.numbers_or<S>(name, {fallback.x, fallback.y, fallback.z});
  return values ? Vector3T<S>{(*values)[0], (*values)[1], (*values)[2]} : Vector3T<S>();
}

template <typename S>
PoseMotion read_pose_motion(const KeyReader<S>& keys) {
  PoseMotion motion;
  if (keys.has("position")) motion.position = keys.signals("position");
  if (keys.has("rpy")) motion.rpy = keys.signals("rpy");
  return motion;
}

std::optional<Signal> read_signal(const YamlCursor& place, const Key& rule, NamedFiles& files) {
  const YamlCursor cursor = place.without_parameters();
  if (cursor.kind() != YamlNode::Kind::map) {
    if (cursor.kind() != YamlNode::Kind::scalar || cursor.as_text()) {
      const Key signal{.name = {}, .kind = Key::Kind::signal, .unit = rule.unit};
      cursor.fail(signal.expected() + ", as {type: step, time: 1, before: 0, after: 5}");
      return std::nullopt;
    }
    const auto value = cursor.number({.name = {}, .kind = Key::Kind::number, .unit = rule.unit});
    return value ? std::optional<Signal>(Signal(*value)) : std::nullopt;
  }
  const auto map = cursor.map(k_signal_variants);
  return map ? read_kind<SignalKind>(KeyReader<double>(*map, files)) : std::nullopt;
}

#define CUTTLE_INSTANTIATE(S)                                           \
  template Matrix3T<S> rotation_from_rpy(const S&, const S&, const S&); \
  template Matrix3T<S> rotation_from_quaternion(const QuaternionT<S>&); \
  template PoseT<S> read_pose<S>(const YamlMap&);                       \
  template Matrix3T<S> read_rotation<S>(const YamlMap&);                \
  template PoseT<S> read_pose<S>(const YamlMap&, const std::string&);   \
  template PoseMotion read_pose_motion<S>(const KeyReader<S>&);         \
  template Vector3T<S> read_vector3<S>(const YamlMap&, const std::string&, const Vector3&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
