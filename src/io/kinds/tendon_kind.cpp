// A tendon of a robot file.
#include "cuttle/elements/length_drive.h"
#include "cuttle/model/transmissions/tendon.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_tendon_actuator{
    .keys = actuator_keys(
        {routing_key(),
         choice("drive", {"tension", "length"})
             .about(
                 "What its input u is: the tension [N], or how much of it is wound [m]. Wound, its tension is T = "
                 "`pretension` + `stiffness` (u - y), and 0 where that is below: it goes slack. It is exactly T above "
                 "`range` and exactly 0 below -`range`; in between it is (T + range)^2 / (4 range), so that nothing "
                 "jumps.")
             .by_default("tension"),
         choice("slack", {"error", "clip", "allow"})
             .about("What a tension u below 0 means: a mistake, no tension, or a tendon that pushes. Driven by length "
                    "it has none below 0.")
             .if_missing("error, with `drive: tension`"),
         number("stiffness", k_positive, "N/m")
             .about("With `drive: length`, and required there: of the tendon with what winds it.")
             .if_missing("none"),
         number("pretension", k_any_number, "N")
             .about("With `drive: length`: its tension at u = 0 in the neutral configuration; below 0, as much slack.")
             .if_missing("0 there"),
         number("range", k_positive, "N")
             .about("With `drive: length`: within it of 0 the tension is rounded.")
             .if_missing("0.01 there")})};

constexpr const char* k_of_length[] = {"stiffness", "pretension", "range"};

template <typename S>
std::optional<ActuatorT<S>> read_tendon(const PartReader<S>& part) {
  std::vector<RoutingT<S>> routing = part.routing();
  const YamlMap& map = part.map();
  if (part.text("drive") == "length") {
    if (map.has("slack")) map.fail("slack", "it with `drive: length`", "none: such a tendon never pushes");
    if (!map.has("stiffness"))
      map.cursor().fail("no stiffness", "the stiffness of a tendon with `drive: length` [N/m]");
    LengthDriveT<S> drive;
    drive.stiffness = part.optional_number("stiffness").value_or(S(1.0));
    drive.pretension = part.optional_number("pretension").value_or(S(0.0));
    drive.range = part.optional_number("range").value_or(drive.range);
    return make_length_driven_tendon<S>(part.name(), std::move(routing), drive);
  }
  for (const char* key : k_of_length) {
    if (map.has(key)) map.fail(key, "it with `drive: tension`", "`drive: length`");
  }
  const std::string slack = map.text("slack").value_or("error");
  return ActuatorT<S>::tendon(part.name(), std::move(routing),
                              slack == "clip"    ? Slack::clip
                              : slack == "allow" ? Slack::allow
                                                 : Slack::error);
}

YamlNode pairs_node(const std::vector<std::array<double, 2>>& offsets) {
  const auto pair = [](const std::array<double, 2>& xy) { return numbers_node({xy[0], xy[1]}); };
  if (offsets.size() == 1) return pair(offsets.front());
  std::vector<YamlNode> items;
  items.reserve(offsets.size());
  for (const auto& xy : offsets) items.push_back(pair(xy));
  return list_node(std::move(items));
}

void write_routing(const Routing& entry, MapWriter& map) {
  map.text("link", entry.link);
  if (entry.helix) {
    map.map("offset", [&](MapWriter& offset) {
      offset.map("helix", [&](MapWriter& helix) {
        helix.number("radius", entry.helix->radius);
        helix.number("phase", entry.helix->phase, 0.0);
        helix.number("turns", entry.helix->turns);
      });
    });
  } else if (!entry.offset.empty()) {
    map.node("offset", at_place("offset", "", [&] { return pairs_node(entry.offset); }));
  }
  map.number("from", entry.from);
  map.number("to", entry.to);
  if (entry.points.empty()) return;
  std::vector<YamlNode> points;
  for (std::size_t i = 0; i < entry.points.size(); ++i) {
    const Vector3& x = entry.points[i];
    points.push_back(at_place({"points", i}, "", [&] { return numbers_node({x.x, x.y, x.z}); }));
  }
  map.node("points", list_node(std::move(points)));
}

void write_tendon(const Actuator& actuator, MapWriter& map) {
  const auto& tendon = transmission_of<TendonTransmission>(actuator, true);
  map.maps("routing", tendon.routing, write_routing);
  const LengthDrive* drive = actuator.law ? length_drive_parameters(*actuator.law) : nullptr;
  if (actuator.law && drive == nullptr) {
    refuse_to_write("a tendon with a law of type " + actuator.law->type_name(), "one of make_length_driven_tendon");
  }
  if (drive == nullptr) return map.text("slack", slack_name(tendon.slack), "error");
  map.text("drive", "length");
  map.number("stiffness", drive->stiffness);
  map.number("pretension", drive->pretension, 0.0);
  map.number("range", drive->range, LengthDrive().range);
}

}  // namespace

ActuatorKind tendon_kind() {
  return {
      "tendon",
      &k_tendon_actuator,
      "A tendon along rods, through volumes and links that do not deform, under tension u [N] or wound by u [m]; "
      "y = l(0) - l(q), how much it is shorter than in the neutral configuration. One that is wound has its tension "
      "in results, as output `tension` [N].",
      "{name: cable, type: tendon, routing: [{link: arm, points: [[0.02, 0, 0.1]]}, {link: finger, offset: [0.015, "
      "0]}]}",
      read_tendon<double>,
      read_tendon<ForwardDual>,
      write_tendon};
}

}  // namespace cuttle
