#include <fmt/format.h>

#include "io/robot_reader.h"
#include "io/robot_tables.h"

// The actuators of a robot file.

namespace cuttle {

template <typename S>
std::optional<std::pair<std::string, int>> RobotReaderT<S>::read_joint_coordinate(const YamlMap& map) {
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, false) : std::nullopt;
  const int index = static_cast<int>(map.integer("index").value_or(0));
  if (link && links_.at(*link).read && index >= links_.at(*link).joint_nv) {
    const int count = links_.at(*link).joint_nv;
    if (count == 0) {
      map.fail("link", "'" + *link + "', whose joint is fixed", "a link with a joint that moves");
    } else {
      map.fail("index", std::to_string(index),
               fmt::format("an integer in [0, {}] (the joint of '{}' has {} coordinates)", count - 1, *link, count));
    }
  }
  if (!link) return std::nullopt;
  return std::pair(*link, index);
}

template <typename S>
void RobotReaderT<S>::require_new_name(const YamlMap& map, const std::string& name) {
  const auto [first, is_new] = actuator_marks_.emplace(name, map.cursor().mark());
  if (is_new || name.empty()) return;
  map.fail("name", "'" + name + "' again", "a name of its own (" + first->second.text() + " has it)");
}

template <typename S>
void RobotReaderT<S>::read_linear_actuator(const YamlMap& map, ActuatorT<S>& actuator) {
  int rows = 0;
  bool rows_known = true;
  if (const auto cursor = map.at("links")) {
    for (const YamlCursor& item : cursor->items("a list of names")) {
      const auto link = read_link_name(item, false);
      rows_known = rows_known && link && links_.at(*link).read;
      if (link) actuator.links.push_back(*link), rows += links_.at(*link).nv;
    }
  }
  const std::string expected = "a list of rows, each a list of numbers";
  std::size_t columns = 0;
  if (const auto matrix = map.at("matrix")) {
    for (const YamlCursor& item : matrix->items(expected)) {
      const auto row = item.numbers<S>(key::numbers("", 0));
      if (!row) continue;
      if (actuator.matrix.empty()) columns = row->size();
      if (row->size() != columns || columns == 0) {
        item.fail(columns == 0 ? "at least one number"
                               : fmt::format("a list of {} numbers, as in the first row", columns));
      }
      actuator.matrix.push_back(*row);
    }
    if (rows_known && matrix->kind() == YamlNode::Kind::list && static_cast<int>(matrix->size()) != rows) {
      matrix->fail(fmt::format("a list of {} rows, one a coordinate of the links", rows));
    }
  }
  for (std::size_t i = 0; i < columns; ++i) actuator.inputs.push_back(fmt::format("{}.{}", actuator.name, i));
}

template <typename S>
std::optional<std::vector<std::vector<S>>> RobotReaderT<S>::read_points(const YamlCursor& cursor, int size,
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
void RobotReaderT<S>::read_offset(const YamlCursor& cursor, const Key& rule, RoutingT<S>& entry) {
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
    const auto points = read_points(cursor, 2, expected);
    if (!points) return;
    for (const auto& point : *points) entry.offset.push_back({point[0], point[1]});
  } else if (const auto point = cursor.numbers<S>(key::numbers("", 2, "m"))) {
    entry.offset.push_back({(*point)[0], (*point)[1]});
  }
}

template <typename S>
std::optional<RoutingT<S>> RobotReaderT<S>::read_routing(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  RoutingT<S> entry;
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, true) : std::nullopt;
  if (!link) return std::nullopt;
  entry.link = *link;
  const KnownLink known = *link == "base" ? KnownLink() : links_.at(*link);
  if (*link != "base" && !known.read) return std::nullopt;  // reported already
  const BodyT<S>* body = *link == "base" ? nullptr : body_of(known);
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
    const double length = scalar_cast<double>(rod->length());
    const auto place = [&](const char* name, double fallback) {
      return map.optional_number<S>(name, key::number(name, from_to(0.0, length), "m"), fallback);
    };
    entry.from = place("from", 0.0);
    entry.to = place("to", length);
  } else {
    for (const char* name : {"offset", "from", "to"}) {
      if (map.has(name)) map.fail(name, fmt::format("it on '{}', which has no rod", *link), "points: [[x, y, z], ..]");
    }
    const auto points = map.at("points");
    const auto read = points ? read_points(*points, 3, map.rule("points").expected()) : std::nullopt;
    for (std::size_t i = 0; read && i < read->size(); ++i) {
      const std::vector<S>& x = (*read)[i];
      entry.points.push_back({x[0], x[1], x[2]});
    }
  }
  if (map.cursor().errors().count() > errors_before) return std::nullopt;
  return entry;
}

template <typename S>
void RobotReaderT<S>::read_tendon(const YamlMap& map, ActuatorT<S>& actuator) {
  const auto routing = map.at("routing");
  if (routing && routing->kind() == YamlNode::Kind::list && routing->size() == 0) routing->fail("at least one entry");
  std::vector<RoutingT<S>> entries;
  for (const YamlMap& entry : map.maps("routing")) {
    if (auto read = read_routing(entry)) entries.push_back(std::move(*read));
  }
  const auto slack = map.text("slack");
  actuator = ActuatorT<S>::tendon(actuator.name, std::move(entries),
                                  slack == "clip"    ? Slack::clip
                                  : slack == "allow" ? Slack::allow
                                                     : Slack::error);
}

template <typename S>
void RobotReaderT<S>::read_surface(const YamlCursor& cursor, const Key& rule, const std::string& link,
                                   ActuatorT<S>& actuator) {
  if (const auto text = cursor.as_text()) {
    actuator = ActuatorT<S>::chamber(actuator.name, link, *text);
    return;
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail(rule.expected());
    return;
  }
  const auto map = cursor.map(rule.forms.back());
  const auto pocket = map ? map->map("pocket") : std::nullopt;
  if (!pocket) return;
  const auto angle = pocket->number<S>("angle"), width = pocket->number<S>("width");
  const auto radius = pocket->number<S>("radius");
  if (angle && width && radius) {
    actuator = ActuatorT<S>::chamber(actuator.name, link, SectorPocketT<S>{*angle, *width, *radius});
  }
}

template <typename S>
void RobotReaderT<S>::read_chamber(const YamlMap& map, ActuatorT<S>& actuator) {
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, false) : std::nullopt;
  const bool known = link && links_.at(*link).read;
  const BodyT<S>* body = known ? body_of(links_.at(*link)) : nullptr;
  const bool slender = body != nullptr && body->slender() != nullptr;
  const bool volume = body != nullptr && !slender && body->has_material_points();
  if (known && !slender && !volume) {
    map.fail("link", "'" + *link + "', which has neither", "a link whose body is a rod or a volume");
    return;
  }
  if (volume) {
    for (const char* key : {"offset", "area"}) {
      if (map.has(key)) map.fail(key, fmt::format("it on '{}', which has no rod", *link), "surface");
    }
    if (const auto surface = map.at("surface")) {
      read_surface(*surface, map.rule("surface"), *link, actuator);
    } else if (!map.has("area")) {
      map.cursor().fail("no surface", "surface: inner, a group of the mesh or {pocket: {angle, width, radius}}");
    }
    return;
  }
  if (known && map.has("surface")) {
    map.fail("surface", fmt::format("it on '{}', a rod", *link), "offset and area");
    return;
  }
  if (known && !map.has("area")) map.cursor().fail("no area", "the area of the chamber along the rod [m^2]");
  const auto offset = map.numbers_or<S>("offset", {0.0, 0.0});
  const auto area = map.number<S>("area");
  if (link && offset && area) {
    actuator = ActuatorT<S>::chamber(actuator.name, *link, {(*offset)[0], (*offset)[1]}, *area);
  }
}

template <typename S>
void RobotReaderT<S>::read_wrench_actuator(const YamlMap& map, ActuatorT<S>& actuator) {
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, false) : std::nullopt;
  const auto axes = map.text("frame") == "world" ? Axes::world : Axes::body;
  if (!link) return;
  PlaceT<S> place;
  place.link = *link;
  if (const auto at = map.at("at")) read_at(*at, *link, true, place);
  actuator = ActuatorT<S>::wrench(actuator.name, place, axes);
}

template <typename S>
void RobotReaderT<S>::read_actuator(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  ActuatorT<S> actuator;
  actuator.name = map.text("name").value_or("");
  require_new_name(map, actuator.name);
  const std::string& type = map.variant();
  if (type == "joint") {
    if (const auto joint = read_joint_coordinate(map)) {
      actuator = ActuatorT<S>::joint(actuator.name, joint->first, joint->second);
    }
  } else if (type == "linear") {
    read_linear_actuator(map, actuator);
  } else if (type == "wrench") {
    read_wrench_actuator(map, actuator);
  } else if (type == "tendon") {
    read_tendon(map, actuator);
  } else {
    read_chamber(map, actuator);
  }
  if (map.cursor().errors().count() == errors_before) robot_.actuators.push_back(std::move(actuator));
}

#define CUTTLE_INSTANTIATE(S)                                                                                 \
  template void RobotReaderT<S>::read_actuator(const YamlMap&);                                               \
  template std::optional<std::pair<std::string, int>> RobotReaderT<S>::read_joint_coordinate(const YamlMap&); \
  template void RobotReaderT<S>::require_new_name(const YamlMap&, const std::string&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
