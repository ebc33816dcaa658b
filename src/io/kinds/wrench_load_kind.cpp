// Wrenches in time of a robot file: at a place, and along a rod.
#include "cuttle/elements/distributed_load.h"
#include "cuttle/elements/wrench_load.h"
#include "io/kinds/load_parts.h"

namespace cuttle {

using namespace key;

namespace {

Key load_frame() {
  return choice("frame", {"world", "body"})
      .about("Axes of force and torque: fixed in the world, or following the body.")
      .by_default("world");
}

Key components(const char* key_name, const char* unit, const char* about) {
  return signals(key_name, 3, unit).about(about).by_default("[0, 0, 0]");
}

const KeyRule k_some_load{KeyRule::Kind::at_least_one, {"force", "torque"}};

const KeyTable k_wrench_load{
    .keys = {link_key("Link that it acts on; `base` is the robot's base."), place_key(),
             components("force", "N", "Force at that place."), components("torque", "N m", "Torque."), load_frame()},
    .rules = {k_some_load}};

const KeyTable k_distributed_load{
    .keys = {link_key("Link with a rod."), components("force", "N/m", "Force per length."),
             components("torque", "N", "Torque per length."), load_frame()},
    .rules = {k_some_load}};

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

void write_timed(const Load& load, MapWriter& map) {
  const TimedWrench* timed = load.law->timed();
  if (timed == nullptr) refuse_to_write("another law of type " + load.law->type_name(), "the library's");
  write_signals("force", timed->force, map);
  write_signals("torque", timed->torque, map);
  if (!map.has("force") && !map.has("torque")) map.numbers("force", {0.0, 0.0, 0.0});  // a load has one of them
  map.text("frame", timed->axes == Axes::body ? "body" : "world", "world");
}

void write_wrench_load(const Load& load, MapWriter& map) {
  write_material_place(load.place, map);
  write_timed(load, map);
}

void write_distributed_load(const Load& load, MapWriter& map) {
  map.text("link", load.place.link);
  write_timed(load, map);
}

}  // namespace

LoadKind wrench_load_kind() {
  return {"wrench",
          &k_wrench_load,
          "Force and torque at a place.",
          "{type: wrench, link: finger, at: {s: 0.15}, force: [0, 0, {type: step, time: 1, before: 0, after: -0.5}]}",
          read_wrench<double>,
          read_wrench<ForwardDual>,
          write_wrench_load};
}

LoadKind distributed_load_kind() {
  return {"distributed",
          &k_distributed_load,
          "Force and torque per length along a rod.",
          "{type: distributed, link: finger, force: [0.2, 0, 0], frame: body}",
          read_wrench<double>,
          read_wrench<ForwardDual>,
          write_distributed_load};
}

}  // namespace cuttle
