#include "cuttle/io/part_reader.h"

#include <fmt/format.h>

#include "cuttle/bodies/slender.h"
#include "cuttle/model/spelling.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_so_far.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

template <typename S>
std::optional<std::string> RobotSoFar<S>::read_link_name(const YamlCursor& cursor, bool with_base) const {
  auto name = cursor.text({.name = {}, .kind = Key::Kind::name});
  if (!name || (with_base && *name == "base") || links.count(*name) > 0) return name;
  if (!cursor.errors().keeps(cursor.mark())) {
    cursor.fail("the name of a link");  // will only be counted
    return std::nullopt;
  }
  std::vector<std::string> known;
  if (with_base) known.push_back("base");
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const auto link = links.find(robot.links[i].name);
    const bool first = link != links.end() && link->second.index == static_cast<int>(i);  // of its name
    if (first) known.push_back(link->first);
  }
  cursor.fail("'" + *name + "', which is no link", one_of(*name, known));
  return std::nullopt;
}

template <typename S>
std::optional<std::string> RobotSoFar<S>::read_link(const YamlMap& map, bool with_base) const {
  const auto cursor = map.at("link");
  return cursor ? read_link_name(*cursor, with_base) : std::nullopt;
}

template <typename S>
void RobotSoFar<S>::read_at(const YamlCursor& cursor, const std::string& link, bool with_points,
                            PlaceT<S>& place) const {
  const KeyTable& table = with_points ? k_place_table : k_section_port_table;
  const std::string expected =
      with_points ? "base, tip, {s: number [m]} or {point: [x, y, z]}" : "base, tip or {s: number [m]}";
  if (const auto text = cursor.as_text()) {
    if (*text == "base") {
      place.at = PortLocationT<S>::base();
    } else if (*text == "tip") {
      place.at = PortLocationT<S>::tip();
    } else {
      cursor.fail(expected + did_you_mean(*text, {"base", "tip"}));
    }
    return;
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail(expected);
    return;
  }
  const auto map = cursor.map(table);
  if (!map) return;
  const auto known = links.find(link);
  const bool on_base = link == "base";
  if (!on_base && (known == links.end() || !known->second.read)) return;  // reported already
  const BodyT<S>* body = on_base ? nullptr : body_of(known->second);
  const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
  const std::string what = on_base           ? "the robot's base"
                           : body == nullptr ? "a link without a body"
                                             : "a " + body->type_name() + " body";
  if (with_points && map->has("s") == map->has("point")) {
    cursor.fail(map->has("s") ? "s and point together" : "neither s nor point", "one of the two");
  } else if (map->has("s")) {
    if (rod == nullptr) {
      map->fail("s", "a section on " + what, "base or tip (only rods have sections)");
      return;
    }
    const double length = scalar_cast<double>(rod->length());
    if (const auto s = map->at("s")->number<S>(key::number("s", from_to(0.0, length), "m"))) {
      place.at = PortLocationT<S>::section(*s);
    }
  } else if (with_points) {
    if (rod != nullptr) {
      map->fail("point", "a point on a rod", "base, tip or {s: number [m]}");
      return;
    }
    const bool deforms = body != nullptr && body->coordinate_count() > 0;
    if (deforms && !body->has_material_points()) {
      map->fail("point", "a point on " + what, "base or tip");
      return;
    }
    if (deforms) {
      place.at = PortLocationT<S>::at_point(read_vector3<S>(*map, "point"));
      return;
    }
    // a rigid body's points move with its base frame
    place.at = PortLocationT<S>::base();
    place.pose.position = read_vector3<S>(*map, "point");
  }
}

template <typename S>
void RobotSoFar<S>::require_new_name(const YamlMap& map) {
  const std::string name = map.text("name").value_or("");
  const auto [first, is_new] = actuator_marks.emplace(name, map.cursor().mark());
  if (is_new || name.empty()) return;
  map.fail("name", "'" + name + "' again", "a name of its own (" + first->second.text() + " has it)");
}

namespace {

/// A list of points of `size` coordinates [m], at least one.
template <typename S>
std::optional<std::vector<std::vector<S>>> read_points(const YamlCursor& cursor, int size,
                                                       const std::string& expected) {
  const std::size_t errors_before = cursor.errors().count();
  const auto items = cursor.items(expected);
  if (cursor.kind() == YamlNode::Kind::list && items.empty()) cursor.fail("at least one point");
  std::vector<std::vector<S>> points;
  for (const YamlCursor& item : items) {
    if (const auto point = item.numbers<S>(key::numbers("", size, "m"))) points.push_back(*point);
  }
  if (cursor.errors().count() > errors_before) return std::nullopt;
  return points;
}

template <typename S>
void read_offset(const YamlCursor& cursor, const Key& rule, RoutingT<S>& entry) {
  if (cursor.kind() == YamlNode::Kind::map) {
    const auto map = cursor.map(rule.forms.back());
    const auto helix = map ? map->map("helix") : std::nullopt;
    if (!helix) return;
    const auto radius = helix->number<S>("radius"), turns = helix->number<S>("turns");
    const auto phase = helix->number_or<S>("phase", 0.0);
    if (radius && turns && phase) entry.helix = typename RoutingT<S>::Helix{*radius, *phase, *turns};
    return;
  }
  const std::string expected = rule.expected();
  if (cursor.kind() != YamlNode::Kind::list) {
    cursor.fail(expected);
    return;
  }
  if (cursor.size() > 0 && cursor.child(std::size_t{0}).kind() == YamlNode::Kind::list) {
    const auto points = read_points<S>(cursor, 2, expected);
    if (!points) return;
    for (const auto& point : *points) entry.offset.push_back({point[0], point[1]});
  } else if (const auto point = cursor.numbers<S>(key::numbers("", 2, "m"))) {
    entry.offset.push_back({(*point)[0], (*point)[1]});
  }
}

template <typename S>
std::optional<RoutingT<S>> read_routing(const RobotSoFar<S>& robot, const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  RoutingT<S> entry;
  const auto link = robot.read_link(map, true);
  if (!link) return std::nullopt;
  entry.link = *link;
  using KnownLink = typename RobotSoFar<S>::KnownLink;
  const KnownLink known = *link == "base" ? KnownLink() : robot.links.at(*link);
  if (*link != "base" && !known.read) return std::nullopt;  // reported already
  const BodyT<S>* body = *link == "base" ? nullptr : robot.body_of(known);
  const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
  const bool on_rod = rod != nullptr;
  if (map.has("offset") == map.has("points")) {
    map.cursor().fail(map.has("offset") ? "offset and points together" : "neither offset nor points",
                      on_rod ? "offset" : "points");
    return std::nullopt;
  }
  if (on_rod) {
    if (map.has("points")) map.fail("points", "points of a rod", "offset: [x, y], a list of them or {helix: ..}");
    const auto offset = map.at("offset");
    if (offset) read_offset(*offset, map.rule("offset"), entry);
    // both are parameters though the file leaves them out; `to` then follows the rod's length
    const S length = rod->length();
    const auto place = [&](const char* name, S fallback) {
      const Key rule = key::number(name, from_to(0.0, scalar_cast<double>(length)), "m");
      return map.optional_number<S>(name, rule, fallback);
    };
    entry.from = place("from", S(0.0));
    entry.to = place("to", length);
  } else {
    for (const char* name : {"offset", "from", "to"}) {
      if (map.has(name)) map.fail(name, fmt::format("it on '{}', which has no rod", *link), "points: [[x, y, z], ..]");
    }
    const auto points = map.at("points");
    const auto read = points ? read_points<S>(*points, 3, map.rule("points").expected()) : std::nullopt;
    for (std::size_t i = 0; read && i < read->size(); ++i) {
      const std::vector<S>& x = (*read)[i];
      entry.points.push_back({x[0], x[1], x[2]});
    }
  }
  if (map.cursor().errors().count() > errors_before) return std::nullopt;
  return entry;
}

}  // namespace

template <typename S>
PartReader<S>::PartReader(const YamlMap& map, RobotSoFar<S>& robot) : KeyReader<S>(map, robot.files), robot_(&robot) {}

template <typename S>
std::string PartReader<S>::name() const {
  const auto name = this->map().at("name");
  return name ? name->as_text().value_or("") : "";
}

template <typename S>
std::string PartReader<S>::link(bool or_base) const {
  return robot_->read_link(this->map(), or_base).value_or("base");
}

template <typename S>
const BodyT<S>* PartReader<S>::body(const std::string& link) const {
  const auto known = robot_->links.find(link);
  return known != robot_->links.end() && known->second.read ? robot_->body_of(known->second) : nullptr;
}

template <typename S>
PlaceT<S> PartReader<S>::place(bool or_base) const {
  PlaceT<S> place;
  const auto link = robot_->read_link(this->map(), or_base);
  place.link = link.value_or("base");
  if (const auto at = this->map().at("at"); at && link) robot_->read_at(*at, *link, true, place);
  return place;
}

template <typename S>
PlaceT<S> PartReader<S>::frame(const std::string& name) const {
  const auto map = this->map().map(name);
  if (!map) return {};
  const PartReader frame(*map, *robot_);
  PlaceT<S> place = frame.place();
  // a point on a rigid body is a pose in its base frame already
  place.pose = place.pose * read_pose<S>(*map, "pose");
  return place;
}

template <typename S>
LinkCoordinate PartReader<S>::joint_coordinate() const {
  const YamlMap& map = this->map();
  const auto link = robot_->read_link(map, false);
  const int index = static_cast<int>(map.integer("index").value_or(0));
  if (!link) return {"base", index};
  const auto& known = robot_->links.at(*link);
  if (known.read && index >= known.joint_nv) {
    const int count = known.joint_nv;
    if (count == 0) {
      map.fail("link", "'" + *link + "', whose joint is fixed", "a link with a joint that moves");
    } else {
      map.fail("index", std::to_string(index),
               fmt::format("an integer in [0, {}] (the joint of '{}' has {} coordinates)", count - 1, *link, count));
    }
  }
  return {*link, index};
}

template <typename S>
std::vector<RoutingT<S>> PartReader<S>::routing(const std::string& name) const {
  const auto list = this->map().at(name);
  if (list && list->kind() == YamlNode::Kind::list && list->size() == 0) list->fail("at least one entry");
  std::vector<RoutingT<S>> entries;
  for (const YamlMap& entry : this->map().maps(name)) {
    if (auto read = read_routing(*robot_, entry)) entries.push_back(std::move(*read));
  }
  return entries;
}

template <typename S>
void PartReader<S>::warn(const std::string& message) const {
  const YamlCursor& cursor = this->map().cursor();
  robot_->warnings.push_back(cursor.mark().text() + ": " + cursor.path() + ": " + message);
}

template struct RobotSoFar<double>;
template struct RobotSoFar<ForwardDual>;
template class PartReader<double>;
template class PartReader<ForwardDual>;

}  // namespace cuttle
