// A chamber of a robot file: along a rod or in a volume.
#include <fmt/format.h>

#include "cuttle/model/transmissions/chamber.h"
#include "io/kinds/input_lag_parts.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_pocket_table{
    .name = "pocket",
    .keys = {required(number("angle", k_any_number, "rad")).about("Angle of its middle, from x towards y."),
             required(number("width", NumberRange{0.0, 6.283185307179587, true, false}, "rad"))
                 .about("How far it reaches around the axis, half of it on either side of `angle`."),
             required(number("radius", k_positive, "m"))
                 .about("How far it reaches from the axis, at most the cylinder's radius.")},
    .example = "{angle: 0, width: 3.14159, radius: 0.01}"};
const KeyTable k_pocket_surface_table{.name = "pocket surface",
                                      .keys = {required(map("pocket", k_pocket_table)).about("The pocket.")},
                                      .example = "{pocket: {angle: 0, width: 3.14159, radius: 0.01}}"};
const KeyTable k_chamber_actuator{
    .keys = actuator_keys(
        {link_key("Link with the rod or the volume that it lies in."),
         numbers("offset", 2, "m")
             .about("Along a rod: its axis in the cross-sections, `[x, y]`, from base to tip.")
             .if_missing("`[0, 0]` along a rod"),
         number("area", k_positive, "m^2")
             .about("Along a rod: area of its cross-section.")
             .if_missing("give `surface`"),
         other("surface", "inner, the name of a group of a mesh or {pocket: {angle, width, radius}}",
               {text(""), map("", k_pocket_surface_table)})
             .about("In a volume: `inner`, the bore of a hollow cylinder, its ends closed by flat fans; the name of "
                    "a surface of a mesh (a physical group of triangles around a cavity), its openings closed "
                    "likewise; or a [pocket](#pocket-surface) all along a cylinder, its ends included.")
             .if_missing("give `area`"),
         lag_key()}),
    .rules = {{KeyRule::Kind::exactly_one, {"area", "surface"}}}};

template <typename S>
std::optional<ActuatorT<S>> read_surface(const YamlCursor& cursor, const Key& rule, const std::string& link,
                                         const std::string& name) {
  if (const auto text = cursor.as_text()) {
    return ActuatorT<S>::chamber(name, link, *text);
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail(rule.expected());
    return std::nullopt;
  }
  const auto map = cursor.map(rule.forms.back());
  const auto pocket = map ? map->map("pocket") : std::nullopt;
  if (!pocket) return std::nullopt;
  const auto angle = pocket->number<S>("angle"), width = pocket->number<S>("width");
  const auto radius = pocket->number<S>("radius");
  if (!angle || !width || !radius) return std::nullopt;
  return ActuatorT<S>::chamber(name, link, SectorPocketT<S>{*angle, *width, *radius});
}

template <typename S>
std::optional<ActuatorT<S>> read_plain_chamber(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const auto link = part.robot().read_link(map, false);
  const bool known = link && part.robot().links.at(*link).read;
  const BodyT<S>* body = known ? part.body(*link) : nullptr;
  const bool slender = body != nullptr && body->slender() != nullptr;
  const bool volume = body != nullptr && !slender && body->has_material_points();
  if (known && !slender && !volume) {
    map.fail("link", "'" + *link + "', which has neither", "a link whose body is a rod or a volume");
    return std::nullopt;
  }
  if (volume) {
    for (const char* key : {"offset", "area"}) {
      if (map.has(key)) map.fail(key, fmt::format("it on '{}', which has no rod", *link), "surface");
    }
    if (const auto surface = map.at("surface")) {
      return read_surface<S>(*surface, map.rule("surface"), *link, part.name());
    }
    if (!map.has("area")) {
      map.cursor().fail("no surface", "surface: inner, a group of the mesh or {pocket: {angle, width, radius}}");
    }
    return std::nullopt;
  }
  if (known && map.has("surface")) {
    map.fail("surface", fmt::format("it on '{}', a rod", *link), "offset and area");
    return std::nullopt;
  }
  if (known && !map.has("area")) map.cursor().fail("no area", "the area of the chamber along the rod [m^2]");
  const auto offset = map.template numbers_or<S>("offset", {0.0, 0.0});
  const auto area = map.template number<S>("area");
  if (!link || !offset || !area) return std::nullopt;
  return ActuatorT<S>::chamber(part.name(), *link, {(*offset)[0], (*offset)[1]}, *area);
}

template <typename S>
std::optional<ActuatorT<S>> read_chamber(const PartReader<S>& part) {
  auto chamber = read_plain_chamber(part);
  if (!chamber) return std::nullopt;
  return read_lag(part, std::move(*chamber), "Pa");
}

void write_chamber(const Actuator& actuator, MapWriter& map) {
  write_lag(actuator, map);
  const auto& chamber = transmission_of<ChamberTransmission>(actuator, true);
  map.text("link", chamber.link);
  if (chamber.pocket) {
    map.map("surface", [&](MapWriter& surface) {
      surface.map("pocket", [&](MapWriter& pocket) {
        pocket.number("angle", chamber.pocket->angle);
        pocket.number("width", chamber.pocket->width);
        pocket.number("radius", chamber.pocket->radius);
      });
    });
  } else if (!chamber.surface.empty()) {
    map.text("surface", chamber.surface);
  } else {
    if (chamber.offset != std::array{0.0, 0.0}) map.numbers("offset", {chamber.offset[0], chamber.offset[1]});
    map.number("area", chamber.area);
  }
}

}  // namespace

ActuatorKind chamber_kind() {
  return {"chamber",
          &k_chamber_actuator,
          "A chamber in a rod or a volume, under the pressure difference u [Pa] to the atmosphere; y is its volume.",
          "{name: bellow, type: chamber, link: finger, offset: [0.01, 0], area: 5.0e-5}",
          read_chamber<double>,
          read_chamber<ForwardDual>,
          write_chamber};
}

}  // namespace cuttle
