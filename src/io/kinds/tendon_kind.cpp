// A tendon of a robot file.
#include "cuttle/model/transmissions/tendon.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_tendon_actuator{
    .keys = actuator_keys(
        {routing_key(), choice("slack", {"error", "clip", "allow"})
                            .about("What a tension below 0 means: a mistake, no tension, or a tendon that pushes.")
                            .by_default("error")})};

template <typename S>
std::optional<ActuatorT<S>> read_tendon(const PartReader<S>& part) {
  std::vector<RoutingT<S>> routing = part.routing();
  const std::string slack = part.text("slack");
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
  const auto& tendon = transmission_of<TendonTransmission>(actuator);
  map.maps("routing", tendon.routing, write_routing);
  map.text("slack", slack_name(tendon.slack), "error");
}

}  // namespace

ActuatorKind tendon_kind() {
  return {
      "tendon",
      &k_tendon_actuator,
      "A tendon along rods, through volumes and links that do not deform, under tension u [N]; y = l(0) - l(q), how "
      "much it is shorter than in the neutral configuration.",
      "{name: cable, type: tendon, routing: [{link: arm, points: [[0.02, 0, 0.1]]}, {link: finger, offset: [0.015, "
      "0]}]}",
      read_tendon<double>,
      read_tendon<Gradient>,
      write_tendon};
}

}  // namespace cuttle
