#include "io/joint_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "cuttle/error.h"
#include "io/error_places.h"
#include "io/part_readers.h"

namespace cuttle {
namespace {

constexpr Vector3 k_x_axis{1.0, 0.0, 0.0}, k_y_axis{0.0, 1.0, 0.0}, k_z_axis{0.0, 0.0, 1.0};

/// Three numbers, not all zero.
std::optional<Vector3> axis_from(const YamlCursor& cursor) {
  const auto values = cursor.numbers(key::numbers("", 3));
  if (!values) return std::nullopt;
  const Vector3 axis{(*values)[0], (*values)[1], (*values)[2]};
  if (axis.x == 0.0 && axis.y == 0.0 && axis.z == 0.0) {
    cursor.fail("[0, 0, 0]", "an axis that is not zero");
    return std::nullopt;
  }
  return axis;
}

std::shared_ptr<const Joint> make_joint(const YamlMap& map) {
  const std::string& type = map.variant();
  if (type == "fixed") return make_fixed_joint<double>();
  if (type == "spherical") return make_spherical_joint<double>();
  if (type == "planar") return make_planar_joint<double>();
  if (type == "free") return make_free_joint<double>();
  if (type == "universal") {
    Vector3 axes[2]{k_x_axis, k_y_axis};
    if (const auto cursor = map.at("axes")) {
      const auto items = cursor->items("a list of two axes [x, y, z]");
      if (cursor->kind() == YamlNode::Kind::list && items.size() != 2) cursor->fail("a list of two axes [x, y, z]");
      for (std::size_t i = 0; i < items.size() && i < 2; ++i) axes[i] = axis_from(items[i]).value_or(axes[i]);
    }
    return make_universal_joint<double>(axes[0], axes[1]);
  }
  const auto cursor = map.at("axis");
  const Vector3 axis = cursor ? axis_from(*cursor).value_or(k_z_axis) : k_z_axis;
  if (type == "revolute") return make_revolute_joint<double>(axis);
  if (type == "prismatic") return make_prismatic_joint<double>(axis);
  return make_cylindrical_joint<double>(axis);
}

/// A number for all coordinates, or one each.
std::vector<double> read_coordinates(const YamlMap& map, const std::string& name, int count) {
  const auto values = map.numbers(name);
  if (!values) return {};
  if (map.at(name)->kind() == YamlNode::Kind::scalar) return std::vector<double>(count, values->front());
  if (static_cast<int>(values->size()) != count) {
    const std::string expected = count == 1 ? "a number" : fmt::format("a number or a list of {}", count);
    map.fail(name, map.at(name)->found(), fmt::format("{} for a {} joint", expected, map.variant()));
  }
  return *values;
}

/// The rest configuration: one value a coordinate, quaternions of norm 1.
std::vector<double> read_rest(const YamlMap& map, const Joint& joint) {
  if (!map.has("rest")) return {};
  if (joint.nq() == joint.nv()) return read_coordinates(map, "rest", joint.nq());
  const auto values = map.numbers("rest");
  if (!values) return {};
  const std::string expected = joint.nq() == 4 ? "a quaternion [w, x, y, z]" : "[x, y, z, qw, qx, qy, qz]";
  if (static_cast<int>(values->size()) != joint.nq()) {
    map.fail("rest", map.at("rest")->found(), expected);
    return {};
  }
  std::vector<double> rest = *values;
  const double error = joint.constraint_violation(rest.data());
  if (error > 1e-6) {
    map.fail("rest", fmt::format("a quaternion with a norm that differs from 1 by {:.3g}", error),
             expected + " with norm 1 (within 1e-6)");
    return {};
  }
  joint.normalize(rest.data());
  return rest;
}

}  // namespace

std::shared_ptr<const Joint> read_joint(const YamlMap& map, JointDynamicsT<double>& dynamics) {
  const std::size_t errors_before = map.cursor().errors().count();
  check_visual(map);
  std::shared_ptr<const Joint> joint;
  try {
    joint = make_joint(map);
  } catch (const ModelError& error) {
    fail_inside(map.cursor(), error.what());
    return nullptr;
  }
  if (map.variant() != "fixed") {
    dynamics.stiffness = read_coordinates(map, "stiffness", joint->nv());
    dynamics.damping = read_coordinates(map, "damping", joint->nv());
    dynamics.armature = read_coordinates(map, "armature", joint->nv());
    dynamics.rest = read_rest(map, *joint);
  }
  return map.cursor().errors().count() > errors_before ? nullptr : joint;
}

}  // namespace cuttle
