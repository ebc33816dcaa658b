// The joints of a robot file.
#include "io/kinds/kind_list.h"
#include "io/robot/joint_reader.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

Key rotation_rest() {
  return other("rest", "a quaternion [w, x, y, z]", {numbers("", 4, k_dimensionless)})
      .about("Orientation `[w, x, y, z]` where the spring is relaxed.")
      .by_default("[1, 0, 0, 0]");
}
Key pose_rest() {
  return other("rest", "[x, y, z, qw, qx, qy, qz]", {numbers("", 7, k_unit_of_use)})
      .about("Position [m] and quaternion where the spring is relaxed.")
      .by_default("[0, 0, 0, 1, 0, 0, 0]");
}
const KeyTable k_fixed_joint{.keys = {visual_key()}};
const KeyTable k_axis_joint{.keys = joint_keys({axis_key("Axis of the joint, of any length but 0.")})};
const KeyTable k_universal_joint{.keys = joint_keys({other("axes", "a list of two axes [[x, y, z], [x, y, z]]",
                                                           {list(2, numbers("", 3, k_dimensionless))})
                                                         .about("First and second axis.")
                                                         .by_default("[[1, 0, 0], [0, 1, 0]]")})};
const KeyTable k_planar_joint{.keys = joint_keys({})};
const KeyTable k_spherical_joint{.keys = joint_keys({}, rotation_rest())};
const KeyTable k_free_joint{.keys = joint_keys({}, pose_rest())};

const Key k_axis = numbers("", 3);

/// Three numbers, not all zero.
/// @param values  what was read there.
template <typename S>
std::optional<Vector3T<S>> axis_from(const YamlCursor& cursor, const std::optional<std::vector<S>>& values) {
  if (!values) return std::nullopt;
  const Vector3T<S> axis{(*values)[0], (*values)[1], (*values)[2]};
  if (axis.x == S(0.0) && axis.y == S(0.0) && axis.z == S(0.0)) {
    cursor.fail("[0, 0, 0]", "an axis that is not zero");
    return std::nullopt;
  }
  return axis;
}

template <typename S>
std::shared_ptr<const JointT<S>> read_universal(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const char* const expected = "a list of two axes [x, y, z]";
  Vector3T<S> axes[2]{{S(1.0), S(0.0), S(0.0)}, {S(0.0), S(1.0), S(0.0)}};
  if (const auto cursor = map.at("axes")) {
    const auto items = cursor->items(expected);
    if (cursor->kind() == YamlNode::Kind::list && items.size() != 2) cursor->fail(expected);
    for (std::size_t i = 0; i < items.size() && i < 2; ++i) {
      axes[i] = axis_from(items[i], items[i].template numbers<S>(k_axis)).value_or(axes[i]);
    }
  } else {
    const std::vector<double> fallback[2]{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (std::size_t i = 0; i < 2; ++i) {
      const YamlCursor missing = map.missing("axes").child(i);
      axes[i] = axis_from(missing, missing.template missing_numbers<S>(k_axis, fallback[i])).value_or(axes[i]);
    }
  }
  return make_universal_joint<S>(axes[0], axes[1]);
}

/// A joint without keys of its own, or with an axis alone.
template <auto Make, auto MakeForward>
JointKind plain_joint(const char* type, const KeyTable* keys, const char* text, const char* example) {
  return {type,
          keys,
          text,
          example,
          [](const PartReader<double>&) { return Make(); },
          [](const PartReader<ForwardDual>&) { return MakeForward(); },
          write_plain_joint};
}
template <auto Make, auto MakeForward>
JointKind axis_joint(const char* type, const char* text, const char* example) {
  return {type,
          &k_axis_joint,
          text,
          example,
          [](const PartReader<double>& part) { return Make(part.axis("axis")); },
          [](const PartReader<ForwardDual>& part) { return MakeForward(part.axis("axis")); },
          write_axis_joint};
}

}  // namespace

template <>
KindList<JointKind>& kinds() {
  static KindList<JointKind> k_kinds(
      "joint",
      {
          plain_joint<make_fixed_joint<double>, make_fixed_joint<ForwardDual>>("fixed", &k_fixed_joint, "No motion.",
                                                                               "{type: fixed}"),
          axis_joint<make_revolute_joint<double>, make_revolute_joint<ForwardDual>>(
              "revolute", "Turns about `axis`: q = angle.", "{type: revolute, axis: [0, 1, 0], damping: 0.01}"),
          axis_joint<make_prismatic_joint<double>, make_prismatic_joint<ForwardDual>>(
              "prismatic", "Slides along `axis`: q = displacement.",
              "{type: prismatic, axis: [0, 0, 1], stiffness: 100, rest: 0.05}"),
          axis_joint<make_cylindrical_joint<double>, make_cylindrical_joint<ForwardDual>>(
              "cylindrical", "Turns about and slides along `axis`: q = [angle, displacement].",
              "{type: cylindrical, axis: [0, 0, 1], damping: [0.01, 2]}"),
          {"universal", &k_universal_joint, "Turns about two axes: R = Rot(a1, q1) Rot(a2, q2).",
           "{type: universal, axes: [[1, 0, 0], [0, 1, 0]]}", read_universal<double>, read_universal<ForwardDual>,
           write_universal_joint},
          plain_joint<make_spherical_joint<double>, make_spherical_joint<ForwardDual>>(
              "spherical", &k_spherical_joint,
              "Turns freely: q = quaternion [w, x, y, z], v = angular velocity in the link's axes.",
              "{type: spherical, stiffness: 0.2, rest: [1, 0, 0, 0]}"),
          plain_joint<make_planar_joint<double>, make_planar_joint<ForwardDual>>(
              "planar", &k_planar_joint, "Slides in the xy plane and turns about z: q = [x, y, angle].",
              "{type: planar, damping: [1, 1, 0.1]}"),
          plain_joint<make_free_joint<double>, make_free_joint<ForwardDual>>(
              "free", &k_free_joint,
              "Moves freely: q = [x, y, z, qw, qx, qy, qz], v = angular and linear velocity in the link's axes.",
              "{type: free}"),
      });
  return k_kinds;
}

void register_kind(JointKind kind) { kinds<JointKind>().add(std::move(kind)); }

const KeyVariants k_joint_variants{.name = "joint", .selector = "type", .registered = registered_variants<JointKind>};

}  // namespace cuttle
