#include <algorithm>

#include "io/part_readers.h"
#include "io/robot_reader.h"
#include "io/robot_tables.h"
#include "model/state_loads.h"

// Loads of a robot file.

namespace cuttle {

template <typename S>
void RobotReaderT<S>::read_load(const YamlMap& map) {
  if (map.variant() == "fluid") return read_fluid(map);
  if (map.variant() == "drone") return read_drone(map);
  LoadT<S> load;
  const bool distributed = map.variant() == "distributed";
  load.kind = distributed ? LoadT<S>::Kind::distributed : LoadT<S>::Kind::wrench;
  load.axes = map.text("frame") == "body" ? Axes::body : Axes::world;
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, !distributed) : std::nullopt;
  load.place.link = link.value_or("base");
  if (distributed) {
    const bool known = link && links_.at(*link).read;
    const BodyT<S>* body = known ? body_of(links_.at(*link)) : nullptr;
    if (known && (body == nullptr || body->stations().empty())) {
      map.fail("link", "'" + *link + "', which has no rod", "a link whose body is a rod");
    }
  } else if (const auto at = map.at("at"); at && link) {
    read_at(*at, *link, true, load.place);
  }
  const Load* before = before_ ? &before_->loads[robot_.loads.size()] : nullptr;
  read_signals(map, "force", before ? before->force : nullptr, load.force);
  read_signals(map, "torque", before ? before->torque : nullptr, load.torque);
  if (!map.has("force") && !map.has("torque")) map.fail("force", "nothing", "force, torque or both");
  robot_.loads.push_back(load);
}

template <typename S>
void RobotReaderT<S>::read_fluid(const YamlMap& map) {
  LoadT<S> load;
  load.kind = LoadT<S>::Kind::fluid;
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, false) : std::nullopt;
  load.place.link = link.value_or("base");
  FluidT<S>& fluid = load.fluid;
  fluid.density = map.number<S>("density").value_or(S(1.0));
  if (const auto values = map.numbers<S>("radius_x")) fluid.radius_x = ProfileT<S>(*values);
  if (const auto values = map.numbers<S>("radius_y")) fluid.radius_y = ProfileT<S>(*values);
  fluid.length = map.number<S>("length").value_or(S(0.0));
  fluid.sections = static_cast<int>(map.integer("sections").value_or(fluid.sections));
  fluid.normal_drag = map.number_or<S>("normal_drag", 0.0).value_or(S(0.0));
  fluid.tangential_drag = map.number_or<S>("tangential_drag", 0.0).value_or(S(0.0));
  fluid.wake = map.boolean("wake").value_or(false);
  robot_.loads.push_back(load);

  if (!link || !links_.at(*link).read) return;
  const BodyT<S>* body = body_of(links_.at(*link));
  const auto needs = [&map](const char* key, const char* why) {
    if (!map.has(key)) map.fail(key, "nothing", map.rule(key).expected() + why);
  };
  const bool both = map.has("radius_x") || map.has("radius_y");
  if (const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr) {
    for (const char* key : {"length", "sections"}) {
      if (map.has(key)) map.fail(key, "it for a rod", "none (a rod has its own)");
    }
    if (both) {
      needs("radius_x", " (both half axes or none)"), needs("radius_y", " (both half axes or none)");
    } else if (!rod->section().has_elliptical_outline()) {
      const char* why = " (the rod's section is neither circle, annulus nor ellipse)";
      needs("radius_x", why), needs("radius_y", why);
    }
  } else if (body != nullptr && body->coordinate_count() == 0) {
    for (const char* key : {"length", "radius_x", "radius_y"}) needs(key, " (the link is rigid)");
  } else {
    map.fail("link", "'" + *link + "', which has " + (body == nullptr ? "no body" : "a " + body->type_name() + " body"),
             "a link whose body is a rod or rigid");
  }
}

template <typename S>
void RobotReaderT<S>::read_drone(const YamlMap& map) {
  LoadT<S> load;
  load.kind = LoadT<S>::Kind::drone;
  const auto cursor = map.at("link");
  const auto link = cursor ? read_link_name(*cursor, true) : std::nullopt;
  load.place.link = link.value_or("base");
  if (const auto at = map.at("at"); at && link) read_at(*at, *link, true, load.place);
  const Load* before = before_ ? &before_->loads[robot_.loads.size()] : nullptr;
  DroneT<S>& drone = load.drone;
  read_signals(map, "angular_velocity", before ? before->drone.angular_velocity : nullptr, drone.angular_velocity);
  read_signals(map, "linear_velocity", before ? before->drone.linear_velocity : nullptr, drone.linear_velocity);
  drone.axes = read_rotation<S>(map);
  read_gains(map, "proportional", drone.proportional);
  read_gains(map, "integral", drone.integral);
  robot_.loads.push_back(load);
}

template <typename S>
void RobotReaderT<S>::read_gains(const YamlMap& map, const char* name, std::array<S, 6>& gains) {
  const auto cursor = map.at(name);
  if (!cursor) return;
  const Key& rule = map.rule(name);
  if (cursor->kind() != YamlNode::Kind::list || (cursor->size() != 2 && cursor->size() != 6)) {
    cursor->fail(rule.expected());
    return;
  }
  const auto values = cursor->numbers<S>(key::numbers(name, 0, rule.unit.c_str(), k_not_negative));
  if (!values) return;
  for (std::size_t i = 0; i < 6; ++i) gains[i] = (*values)[values->size() == 6 ? i : i / 3];
}

template <typename S>
void RobotReaderT<S>::read_signals(const YamlMap& map, const char* name, const Signal* before, Signal* components) {
  if (before != nullptr) {
    std::copy(before, before + 3, components);
    return;
  }
  const auto list = map.at(name);
  if (!list) return;
  const Key& rule = map.rule(name);
  const auto items = list->items(rule.expected());
  if (list->kind() == YamlNode::Kind::list && items.size() != 3) list->fail(rule.expected());
  for (std::size_t i = 0; i < items.size() && i < 3; ++i) {
    components[i] = read_signal(items[i], rule, *files_).value_or(Signal());
  }
}

#define CUTTLE_INSTANTIATE(S) template void RobotReaderT<S>::read_load(const YamlMap&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
