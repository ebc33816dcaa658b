// Joints.
#include <algorithm>
#include <array>
#include <cmath>

#include "io/robot/nearest_text.h"
#include "io/robot/part_writers.h"
#include "model/axes.h"

namespace cuttle {
namespace {

/// The constant unit vectors of a joint of the library.
std::vector<Vector3> axes_of(const Joint& joint, std::size_t count) {
  const auto packing = joint.packing();
  if (!packing || packing->kind != joint.type_name() || packing->axes.size() != count) {
    refuse_to_write("another joint of type " + joint.type_name(), "a joint of the library");
  }
  return packing->axes;
}

/// A vector along a unit vector of which reading makes that again: the one with the least digits.
std::vector<double> axis_numbers(const Vector3& axis) {
  const auto list = [](const Vector3& a) { return std::vector<double>{a.x, a.y, a.z}; };
  const double sizes[3] = {std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)};
  for (const double size : {*std::max_element(sizes, sizes + 3), 1.0}) {
    for (double scale = 1.0; scale <= 1e17; scale *= 10.0) {
      const auto rounded = [&](double x) { return std::round(x / size * scale) / scale + 0.0; };  // no negative zero
      const Vector3 candidate{rounded(axis.x), rounded(axis.y), rounded(axis.z)};
      if (candidate == Vector3{}) continue;
      if (checked_unit_axis(candidate, "axis") == axis) return list(candidate);
    }
  }
  // with all digits: what reading makes of it must be written alike
  Vector3 near = axis;
  std::array<double, 3> numbers{};
  const auto unit = [&numbers] { return checked_unit_axis(Vector3{numbers[0], numbers[1], numbers[2]}, "axis"); };
  for (int i = 0; i < 8; ++i) {
    numbers = nearest_on_grid(std::array{near.x, near.y, near.z}, [&near](const auto& a) {
      return norm(checked_unit_axis(Vector3{a[0], a[1], a[2]}, "axis") - near);
    });
    if (unit() == near) break;
    near = unit();
  }
  return {numbers.begin(), numbers.end()};
}

/// One number if all are equal; nothing if there are none.
void write_coordinates(const char* key, const std::vector<double>& values, int count, MapWriter& map) {
  const bool equal = std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
  if (equal && static_cast<int>(values.size()) == count) {
    map.number(key, values.front());
  } else if (!values.empty()) {
    map.numbers(key, values);
  }
}

}  // namespace

void write_plain_joint(const Joint& joint, MapWriter&) { axes_of(joint, 0); }

void write_axis_joint(const Joint& joint, MapWriter& map) {
  const Vector3 axis = axes_of(joint, 1)[0];
  if (!(axis == Vector3{0, 0, 1})) map.numbers("axis", axis_numbers(axis));
}

void write_universal_joint(const Joint& joint, MapWriter& map) {
  const std::vector<Vector3> axes = axes_of(joint, 2);
  if (axes == std::vector<Vector3>{{1, 0, 0}, {0, 1, 0}}) return;
  map.node("axes", list_node({numbers_node(axis_numbers(axes[0])), numbers_node(axis_numbers(axes[1]))}));
}

void write_joint_dynamics(const Joint& joint, const JointDynamicsT<double>& dynamics, MapWriter& map) {
  if (joint.nv() == 0) return;
  write_coordinates("stiffness", dynamics.stiffness, joint.nv(), map);
  write_coordinates("damping", dynamics.damping, joint.nv(), map);
  write_coordinates("armature", dynamics.armature, joint.nv(), map);
  if (joint.nq() == joint.nv()) return write_coordinates("rest", dynamics.rest, joint.nq(), map);
  if (dynamics.rest.empty()) return;
  // a file's quaternion is made one of norm 1 again
  std::vector<double> rest = dynamics.rest;
  for (int i = 0; i < 10 && static_cast<int>(rest.size()) == joint.nq(); ++i) {
    std::vector<double> next = rest;
    joint.normalize(next.data());
    if (next == rest) break;
    rest = std::move(next);
  }
  map.numbers("rest", rest);
}

}  // namespace cuttle
