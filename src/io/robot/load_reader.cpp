#include <algorithm>

#include "cuttle/elements/distributed_load.h"
#include "cuttle/elements/drone.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/wrench_load.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_readers.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"
#include "io/robot/robot_tables.h"

// Loads of a robot file.

namespace cuttle {
namespace {

template <typename S>
void read_gains(const YamlMap& map, const char* name, std::array<S, 6>& gains) {
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

/// A list of three. @param before  what was read from the file, if the tree is read again.
template <typename S>
void read_signals(const PartReader<S>& part, const char* name, const Signal* before, Signal* components) {
  if (before != nullptr) {
    std::copy(before, before + 3, components);
    return;
  }
  const std::array<Signal, 3> read = part.signals(name);
  std::copy(read.begin(), read.end(), components);
}

/// The law of this load as it was read before, if the tree is read again.
template <typename S>
const LoadLaw* law_before(const PartReader<S>& part) {
  const RobotSoFar<S>& robot = part.robot();
  return robot.before ? robot.before->loads[robot.robot.loads.size()].law.get() : nullptr;
}

template <typename S>
std::optional<LoadT<S>> read_wrench(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  PlaceT<S> place;
  TimedWrench wrench;
  const bool distributed = map.variant() == "distributed";
  wrench.axes = map.text("frame") == "body" ? Axes::body : Axes::world;
  const auto link = part.robot().read_link(map, !distributed);
  place.link = link.value_or("base");
  if (distributed) {
    const bool known = link && part.robot().links.at(*link).read;
    const BodyT<S>* body = known ? part.body(*link) : nullptr;
    if (known && (body == nullptr || body->stations().empty())) {
      map.fail("link", "'" + *link + "', which has no rod", "a link whose body is a rod");
    }
  } else if (const auto at = map.at("at"); at && link) {
    part.robot().read_at(*at, *link, true, place);
  }
  const LoadLaw* law = law_before(part);
  const TimedWrench* before = law ? law->timed() : nullptr;
  read_signals(part, "force", before ? before->force : nullptr, wrench.force);
  read_signals(part, "torque", before ? before->torque : nullptr, wrench.torque);
  if (!map.has("force") && !map.has("torque")) map.fail("force", "nothing", "force, torque or both");
  return distributed ? make_distributed_load<S>(place.link, wrench) : make_wrench_load<S>(place, wrench);
}

template <typename S>
std::optional<LoadT<S>> read_fluid(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const auto link = part.robot().read_link(map, false);
  FluidT<S> fluid;
  fluid.density = map.number<S>("density").value_or(S(1.0));
  if (const auto values = map.numbers<S>("radius_x")) fluid.radius_x = ProfileT<S>(*values);
  if (const auto values = map.numbers<S>("radius_y")) fluid.radius_y = ProfileT<S>(*values);
  fluid.length = map.number<S>("length").value_or(S(0.0));
  fluid.sections = static_cast<int>(map.integer("sections").value_or(fluid.sections));
  fluid.normal_drag = map.number_or<S>("normal_drag", 0.0).value_or(S(0.0));
  fluid.tangential_drag = map.number_or<S>("tangential_drag", 0.0).value_or(S(0.0));
  fluid.wake = map.boolean("wake").value_or(false);
  LoadT<S> load = make_fluid_load<S>(link.value_or("base"), fluid);

  if (!link || !part.robot().links.at(*link).read) return load;
  const BodyT<S>* body = part.body(*link);
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
  return load;
}

template <typename S>
std::optional<LoadT<S>> read_drone(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const PlaceT<S> place = part.place();
  const auto* law = dynamic_cast<const DroneLaw*>(law_before(part));
  const Drone* before = law != nullptr ? &law->parameters() : nullptr;
  DroneT<S> drone;
  read_signals(part, "angular_velocity", before ? before->angular_velocity : nullptr, drone.angular_velocity);
  read_signals(part, "linear_velocity", before ? before->linear_velocity : nullptr, drone.linear_velocity);
  drone.axes = read_rotation<S>(map);
  read_gains(map, "proportional", drone.proportional);
  read_gains(map, "integral", drone.integral);
  return make_drone_load<S>(place, drone);
}

}  // namespace

template <>
KindList<LoadKind>& kinds() {
  static KindList<LoadKind> k_kinds(
      "load",
      {
          {"wrench", &k_wrench_load, "Force and torque at a place.",
           "{type: wrench, link: finger, at: {s: 0.15}, force: [0, 0, {type: step, time: 1, before: 0, after: -0.5}]}",
           read_wrench<double>, read_wrench<Gradient>, write_wrench_load},
          {"distributed", &k_distributed_load, "Force and torque per length along a rod.",
           "{type: distributed, link: finger, force: [0.2, 0, 0], frame: body}", read_wrench<double>,
           read_wrench<Gradient>, write_distributed_load},
          {"fluid", &k_fluid_load,
           "Water around a slender link: added mass and wake after Lighthill's large-amplitude elongated-body theory, "
           "and "
           "quadratic drag. No buoyancy: for a robot as heavy as water set `gravity` to zero.",
           "{type: fluid, link: finger, density: 1000, normal_drag: 1.2, tangential_drag: 0.01, wake: true}",
           read_fluid<double>, read_fluid<Gradient>, write_fluid},
          {"drone", &k_drone_load,
           "A force and a torque that make a place follow a desired velocity: proportional error + integral (error "
           "dt), "
           "[B] (68).",
           "{type: drone, link: finger, at: tip, linear_velocity: [0, 0, {type: sine, amplitude: 1, frequency: 0.5}], "
           "proportional: [20, 20], integral: [2.5, 2.5]}",
           read_drone<double>, read_drone<Gradient>, write_drone},
      });
  return k_kinds;
}

void register_kind(LoadKind kind) { kinds<LoadKind>().add(std::move(kind)); }

const KeyVariants k_load_variants{.name = "load", .selector = "type", .registered = registered_variants<LoadKind>};

}  // namespace cuttle
