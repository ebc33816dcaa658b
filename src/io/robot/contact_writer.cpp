// Contacts.
#include <cmath>

#include "io/robot/part_writers.h"

namespace cuttle {
namespace {

/// The static coefficient that reading makes this ratio of: of several that with the fewest decimals.
double static_coefficient(double kinetic, double ratio) {
  const double product = ratio * kinetic;
  for (int decimals = 0; decimals <= 17; ++decimals) {
    const double scale = std::pow(10.0, decimals), rounded = std::round(product * scale) / scale;
    if (rounded / kinetic == ratio) return rounded;
  }
  double near = product;
  for (const double towards : {0.0, 2.0 * product}) {  // rounding of the product and of the quotient
    double candidate = product;
    for (int i = 0; i < 4; ++i) {
      if (candidate / kinetic == ratio) near = candidate;
      candidate = std::nextafter(candidate, towards);
    }
  }
  return near;
}

void write_friction(const ContactFriction& friction, MapWriter& map) {
  const ContactFriction usual;
  const bool more_at_rest = friction.static_ratio != 1.0;
  const bool even = friction.forward == friction.backward && friction.forward == friction.sideways;
  const bool isotropic = even && !(more_at_rest && friction.forward == 0.0);  // a ratio to 0 says nothing
  ContactFriction plain;
  plain.forward = plain.backward = plain.sideways = friction.forward;
  if (isotropic && friction == plain) return map.number("friction", friction.forward, usual.forward);
  map.map("friction", [&](MapWriter& keys) {
    const double kinetic = isotropic ? friction.forward : friction.sideways > 0.0 ? friction.sideways : 1.0;
    if (isotropic || more_at_rest) keys.number("kinetic", kinetic);
    if (more_at_rest) keys.number("static", static_coefficient(kinetic, friction.static_ratio));
    if (!isotropic) {
      keys.number("forward", friction.forward);
      keys.number("backward", friction.backward);
      keys.number("sideways", friction.sideways);
    }
    keys.number("stribeck_velocity", friction.stribeck_velocity, usual.stribeck_velocity);
    keys.number("damping_time", friction.damping_time, usual.damping_time);
  });
}

void write_side(const char* key, const std::vector<std::string>& names, MapWriter& map) {
  if (names.size() == 1) return map.text(key, names.front());
  std::vector<YamlNode> items;
  items.reserve(names.size());
  for (const std::string& name : names) items.push_back(text_node(name));
  map.node(key, list_node(std::move(items)));
}

}  // namespace

void write_contact(const Contact& contact, MapWriter& map) {
  map.text("name", contact.name);
  write_side("a", contact.a, map);
  write_side("b", contact.b, map);
  write_friction(contact.friction, map);
  map.number("modulus", contact.modulus);
  map.number("dissipation", contact.dissipation, Contact().dissipation);
  map.number("rounding", contact.rounding);
  map.number("spacing", contact.spacing);
  if (contact.record_sites) map.text("record", "sites");
}

}  // namespace cuttle
