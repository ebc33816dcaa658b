#include "io/robot/joint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cuttle/error.h"
#include "io/kinds/kind_list.h"

namespace cuttle {
namespace {

/// The rule of a key for coordinates of one unit: of "N m/rad or N/m", the part that is theirs.
Key rule_for(const Key& rule, const std::string& coordinate_unit) {
  const std::size_t middle = rule.unit.find(" or ");
  Key result = rule;
  if (coordinate_unit.starts_with("rad")) {
    result.unit = rule.unit.substr(0, middle);
  } else {
    result.unit = coordinate_unit.starts_with("m") ? rule.unit.substr(middle + 4) : "";  // "1": of a quaternion
  }
  return result;
}

/// The rule for all coordinates at once.
Key rule_for(const Key& rule, const std::vector<std::string>& units) {
  const bool same = !units.empty() && std::count(units.begin(), units.end(), units.front()) == std::ssize(units);
  return same ? rule_for(rule, units.front()) : rule;
}

/// A list with one number a coordinate.
template <typename S>
std::vector<S> read_list(const YamlCursor& list, const Key& rule, const std::vector<std::string>& units) {
  std::vector<S> values;
  for (std::size_t i = 0; i < units.size(); ++i) {
    values.push_back(list.child(i).number<S>(rule_for(rule, units[i])).value_or(S(0.0)));
  }
  return values;
}

std::string name_of(const YamlMap& joint) { return fmt::format("a {} joint", joint.variant()); }

/// The rest configuration: one value a coordinate, quaternions of norm 1.
template <typename S>
std::vector<S> read_rest(const YamlMap& map, const JointT<S>& joint) {
  if (joint.nq() == joint.nv()) return read_coordinates<S>(map, "rest", joint.units(), name_of(map));
  const auto cursor = map.at("rest");
  if (!cursor) return {};
  const std::string expected = map.rule("rest").expected();
  const Key numbers = key::profile("rest", 0, k_any_number, "rad or m");
  if (cursor->kind() != YamlNode::Kind::list || static_cast<int>(cursor->size()) != joint.nq()) {
    if (cursor->numbers<double>(numbers)) cursor->fail(expected);
    return {};
  }
  const std::size_t errors_before = cursor->errors().count();
  std::vector<S> rest = read_list<S>(*cursor, numbers, joint.units());
  if (cursor->errors().count() > errors_before) return {};
  const double error = scalar_cast<double>(joint.constraint_violation(rest.data()));
  if (error > 1e-6) {
    map.fail("rest", fmt::format("a quaternion with a norm that differs from 1 by {:.3g}", error),
             expected + " with norm 1 (within 1e-6)");
    return {};
  }
  joint.normalize(rest.data());
  return rest;
}

}  // namespace

template <typename S>
std::vector<S> read_coordinates(const YamlMap& map, const std::string& name, const std::vector<std::string>& units,
                                const std::string& whose) {
  const std::size_t count = units.size();
  const Key rule = rule_for(map.rule(name), units);
  const auto cursor = map.at(name);
  if (!cursor) {
    const auto value = map.optional_number<S>(name, rule, 0.0);
    return value ? std::vector<S>(count, *value) : std::vector<S>();
  }
  if (cursor->kind() == YamlNode::Kind::list && cursor->size() == count) {
    return read_list<S>(*cursor, map.rule(name), units);
  }
  const auto values = cursor->numbers<S>(rule);
  if (!values) return {};
  if (cursor->kind() == YamlNode::Kind::scalar) return std::vector<S>(count, values->front());
  const std::string expected = count == 1 ? "a number" : fmt::format("a number or a list of {}", count);
  map.fail(name, cursor->found(), fmt::format("{} for {}", expected, whose));
  return {};
}

template <typename S>
std::shared_ptr<const JointT<S>> read_joint(const PartReader<S>& part, JointDynamicsT<S>& dynamics) {
  const YamlMap& map = part.map();
  const std::size_t errors_before = map.cursor().errors().count();
  const auto joint = read_kind<JointKind>(part);
  if (joint && map.knows("stiffness")) {
    dynamics.stiffness = read_coordinates<S>(map, "stiffness", joint->velocity_units(), name_of(map));
    dynamics.damping = read_coordinates<S>(map, "damping", joint->velocity_units(), name_of(map));
    dynamics.armature = read_coordinates<S>(map, "armature", joint->velocity_units(), name_of(map));
    dynamics.rest = read_rest(map, *joint);
  }
  return map.cursor().errors().count() > errors_before ? nullptr : joint;
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                   \
  template std::shared_ptr<const JointT<S>> read_joint(const PartReader<S>&, JointDynamicsT<S>&);               \
  template std::vector<S> read_coordinates(const YamlMap&, const std::string&, const std::vector<std::string>&, \
                                           const std::string&);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
