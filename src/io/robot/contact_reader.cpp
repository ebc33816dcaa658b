// Robot files: what a robot touches, and how.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cuttle/model/spelling.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_reader.h"
#include "io/robot/robot_tables.h"
#include "io/robot/visual_reader.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// Coefficients of a mapping: `kinetic` in all directions that have none of their own, and `static` over it.
template <typename S>
ContactFrictionT<S> read_friction_mapping(const YamlMap& map) {
  ContactFrictionT<S> friction;
  const auto at_rest = map.number<S>("static");
  const bool all_given = map.has("forward") && map.has("backward") && map.has("sideways");
  const S kinetic = map.has("static") && !map.has("kinetic") ? at_rest.value_or(friction.forward)
                    : map.has("kinetic") || !all_given
                        ? map.number_or<S>("kinetic", ContactFriction().forward).value_or(friction.forward)
                        : friction.forward;
  friction.forward = map.number<S>("forward").value_or(kinetic);
  friction.backward = map.number<S>("backward").value_or(kinetic);
  friction.sideways = map.number<S>("sideways").value_or(kinetic);
  if (at_rest && any(*at_rest < kinetic)) {
    map.fail("static", number_text(*at_rest), "a number >= kinetic = " + number_text(kinetic));
  } else if (at_rest && map.has("kinetic")) {
    if (any(kinetic > S(0.0))) {
      friction.static_ratio = *at_rest / kinetic;
    } else if (any(*at_rest > S(0.0))) {
      map.fail("static", number_text(*at_rest), "0, a multiple of kinetic = 0");
    }
  }
  const ContactFriction usual;
  friction.stribeck_velocity =
      map.number_or<S>("stribeck_velocity", usual.stribeck_velocity).value_or(S(usual.stribeck_velocity));
  friction.damping_time = map.number_or<S>("damping_time", usual.damping_time).value_or(S(usual.damping_time));
  return friction;
}

template <typename S>
ContactFrictionT<S> read_friction(const YamlMap& contact) {
  const Key& rule = contact.rule("friction");
  const auto value = contact.at("friction");
  if (value && value->kind() == YamlNode::Kind::map) {
    const auto map = value->map(rule.forms.back());
    return map ? read_friction_mapping<S>(*map) : ContactFrictionT<S>();
  }
  ContactFrictionT<S> friction;
  std::optional<S> number;
  if (!value) {
    number = contact.missing("friction").template missing_number<S>(rule.forms.front(), ContactFriction().forward);
  } else if (value->kind() == YamlNode::Kind::scalar && !value->as_text()) {
    number = value->template number<S>(rule.forms.front());
  } else {
    value->fail(rule.expected());
  }
  if (number) friction.forward = friction.backward = friction.sideways = *number;
  return friction;
}

template <typename Parts>
bool has_name(const Parts& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; });
}

}  // namespace

template <typename S>
void RobotReaderT<S>::read_obstacle(const YamlMap& map) {
  const KeyReader<S> keys(map, so_far_.files);
  RobotT<S>& robot = so_far_.robot;
  ObstacleT<S> obstacle;
  obstacle.name = map.text("name").value_or("");
  if (!obstacle.name.empty() && has_name(robot.obstacles, obstacle.name)) {
    map.fail("name", fmt::format("'{}' again", obstacle.name), "a name of its own");
  } else if (so_far_.links.count(obstacle.name) > 0 || obstacle.name == "base" || obstacle.name == "self") {
    map.fail(
        "name",
        fmt::format("'{}', which is {}", obstacle.name, so_far_.links.count(obstacle.name) > 0 ? "a link" : "reserved"),
        "another name");
  }
  obstacle.shape = read_kind<DistanceKind>(keys);
  obstacle.pose = read_pose<S>(map, "pose");
  if (const auto motion = map.map("motion")) {
    obstacle.motion = read_pose_motion(KeyReader<S>(*motion, so_far_.files));
  }
  obstacle.inside = keys.boolean("inside");
  if (obstacle.inside && obstacle.shape) {
    if (auto turned = obstacle.shape->other_side()) obstacle.shape = std::move(turned), obstacle.inside = false;
  }
  if (const auto color = map.at("color"); color && !so_far_.before) {
    Visual visual;
    visual.color = read_color(color->without_parameters(), map.rule("color"));  // physics ignores it
    visuals_.push_back({obstacle.name, LinkVisual::Frame::obstacle, visual});
  }
  robot.obstacles.push_back(std::move(obstacle));
}

template <typename S>
LinkContactT<S> RobotReaderT<S>::read_link_contact(const YamlCursor& cursor, const Key& rule) {
  LinkContactT<S> contact;
  const auto read = [&](const YamlCursor& place) {
    const auto map = place.map(k_contact_shape_variants);
    if (!map) return;
    auto shape = read_kind<DistanceKind>(KeyReader<S>(*map, so_far_.files));
    if (shape) contact.shapes.push_back({std::move(shape), read_pose<S>(*map, "pose")});
  };
  if (cursor.kind() == YamlNode::Kind::list) {
    if (cursor.size() == 0) cursor.fail("at least one shape");
    for (const YamlCursor& item : cursor.items(rule.expected())) read(item);
  } else if (cursor.kind() == YamlNode::Kind::map) {
    read(cursor);
  } else if (cursor.as_text() == "none") {
    contact.none = true;
  } else {
    cursor.fail(rule.expected());
  }
  return contact;
}

/// The names of one side, each of a link or an obstacle as its side wants.
template <typename S>
std::vector<std::string> RobotReaderT<S>::read_side(const YamlMap& map, const std::string& side) {
  const auto value = map.at(side);
  if (!value) return {};
  const bool links = side == "a";
  std::vector<std::string> names, known;
  for (const auto& entry : so_far_.links) known.push_back(entry.first);
  if (!links) {
    for (const auto& obstacle : so_far_.robot.obstacles) known.push_back(obstacle.name);
  }
  const auto read = [&](const YamlCursor& place) {
    const auto name = place.as_text();
    if (!name) return place.fail(value->kind() == YamlNode::Kind::list ? "a name" : map.rule(side).expected());
    const bool is_link = so_far_.links.count(*name) > 0, is_obstacle = has_name(so_far_.robot.obstacles, *name);
    if (std::find(names.begin(), names.end(), *name) != names.end()) {
      place.fail(fmt::format("'{}' again", *name), "each name once");
    } else if (links && is_obstacle) {
      place.fail(fmt::format("'{}', which is an obstacle", *name), "a link: obstacles stand under b");
    } else if (!is_link && !is_obstacle && (links || *name != "self")) {
      std::string meant = did_you_mean(*name, known);
      if (!meant.empty()) meant = ":" + meant.substr(1);
      place.fail(fmt::format("'{}'", *name), (links ? "a link" : "a link or an obstacle") + meant);
    } else {
      names.push_back(*name);
    }
  };
  if (value->kind() == YamlNode::Kind::list) {
    if (value->size() == 0) value->fail("at least one name");
    for (const YamlCursor& item : value->items(map.rule(side).expected())) read(item);
  } else {
    read(*value);
  }
  return names;
}

/// Reports a rigid link that says no shape, at the link. Others, and obstacles, are no matter of it.
template <typename S>
void RobotReaderT<S>::require_surface(const YamlMap& contact, const std::string& name, const std::string& by) {
  const auto found = so_far_.links.find(name);
  if (found == so_far_.links.end()) return;
  const auto& known = found->second;
  const LinkT<S>& link = so_far_.robot.links[static_cast<std::size_t>(known.index)];
  const bool rigid = !link.body || link.body->coordinate_count() == 0;
  if (!known.read || !rigid || link.contact.none || !link.contact.shapes.empty()) return;
  contact.cursor().errors().add(all_marks_.at(name), fmt::format("links[{}].contact", known.index), "nothing",
                                fmt::format("a shape: '{}' needs one", by));
}

template <typename S>
void RobotReaderT<S>::read_contact(const YamlMap& map) {
  const KeyReader<S> keys(map, so_far_.files);
  RobotT<S>& robot = so_far_.robot;
  ContactT<S> contact;
  contact.name = map.text("name").value_or("");
  if (!contact.name.empty() && has_name(robot.contacts, contact.name)) {
    map.fail("name", fmt::format("'{}' again", contact.name), "a name of its own");
  }
  contact.a = read_side(map, "a"), contact.b = read_side(map, "b");
  for (const auto* side : {&contact.a, &contact.b}) {
    for (const std::string& name : *side) require_surface(map, name, contact.name);
  }
  contact.friction = read_friction<S>(map);
  contact.modulus = keys.optional_number("modulus");
  contact.dissipation = keys.number("dissipation");
  contact.rounding = keys.optional_number("rounding");
  if (const auto spacing = map.at("spacing")) {
    contact.spacing = spacing->without_parameters().number(map.rule("spacing"));
  }
  contact.record_sites = keys.text("record") == "sites";
  robot.contacts.push_back(std::move(contact));
}

#define CUTTLE_INSTANTIATE(S)                                                                             \
  template void RobotReaderT<S>::read_obstacle(const YamlMap&);                                           \
  template LinkContactT<S> RobotReaderT<S>::read_link_contact(const YamlCursor&, const Key&);             \
  template std::vector<std::string> RobotReaderT<S>::read_side(const YamlMap&, const std::string&);       \
  template void RobotReaderT<S>::require_surface(const YamlMap&, const std::string&, const std::string&); \
  template void RobotReaderT<S>::read_contact(const YamlMap&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
