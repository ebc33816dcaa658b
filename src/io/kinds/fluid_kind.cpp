// Water around a link of a robot file.
#include "cuttle/elements/fluid.h"
#include "io/kinds/load_parts.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {

using namespace key;

namespace {

Key half_axis(const char* key_name, const char* about) {
  return profile(key_name, 0, k_not_negative, "m")
      .about(about)
      .if_missing("that of the rod's circle, annulus or ellipse; else needed");
}

Key drag(const char* key_name, const char* about) {
  return number(key_name, k_not_negative, k_dimensionless).about(about).by_default("0");
}

const KeyTable k_fluid_load{
    .keys =
        {link_key(
             "Link with a rod or a rigid body; the water reaches along its z axis, for swimmers from head to tail."),
         required(number("density", k_positive, "kg/m^3")).about("Density of the fluid, which is at rest."),
         half_axis("radius_x",
                   "Half axis along x of the outline, an ellipse at each section: a number, `[base, tip]` or "
                   "a list at equal spacing. Give both half axes or none."),
         half_axis("radius_y", "Half axis along y."),
         number("length", k_positive, "m")
             .about("Of a rigid link: length of the outline along z from its base frame.")
             .if_missing("that of the rod; a rigid link needs it"),
         integer("points", from_to(1, 1000))
             .about("Of a rigid link: Gauss-Legendre points along it.")
             .if_missing("10; a rod has its own"),
         drag("normal_drag",
              "Coefficient C of the drag across the link: per length 1/2 density C (2 radius) speed times velocity, "
              "along x and along y, the half axis of the other one being the radius."),
         drag("tangential_drag",
              "Coefficient C of the drag along the link: per length 1/2 density C (perimeter) speed times velocity."),
         boolean("wake")
             .about("Whether the water leaves the link at its tip with the momentum that it got, as at the tail of a "
                    "swimmer: thrust. `false`: added mass and drag alone, as on an arm under water, or on each but the "
                    "last "
                    "link of a swimmer.")
             .by_default("false")},
    .former = {{"sections", "the former name of points",
                [](const YamlNode& fluid) { return "points: " + yaml_line(fluid.find("sections")->value); }}}};

template <typename S>
std::optional<LoadT<S>> read_fluid(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const auto link = part.robot().read_link(map, false);
  FluidT<S> fluid;
  fluid.density = map.number<S>("density").value_or(S(1.0));
  if (const auto values = map.numbers<S>("radius_x")) fluid.radius_x = ProfileT<S>(*values);
  if (const auto values = map.numbers<S>("radius_y")) fluid.radius_y = ProfileT<S>(*values);
  fluid.length = map.number<S>("length").value_or(S(0.0));
  fluid.points = static_cast<int>(map.integer("points").value_or(fluid.points));
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
    for (const char* key : {"length", "points"}) {
      if (map.has(key)) map.fail(key, "it for a rod", "none (a rod has its own)");
    }
    if (both) {
      needs("radius_x", " (both half axes or none)"), needs("radius_y", " (both half axes or none)");
    } else if (rod->section().half_axes().x == nullptr) {
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

void write_fluid(const Load& load, MapWriter& map) {
  const Fluid& fluid = law_of<FluidLaw>(load).parameters();
  map.text("link", load.place.link);
  map.number("density", fluid.density);
  map.profile("radius_x", fluid.radius_x.values);
  map.profile("radius_y", fluid.radius_y.values);
  map.number("length", fluid.length, 0.0);
  map.integer("points", fluid.points, Fluid().points);
  map.number("normal_drag", fluid.normal_drag, 0.0);
  map.number("tangential_drag", fluid.tangential_drag, 0.0);
  map.flag("wake", fluid.wake);
}

}  // namespace

LoadKind fluid_kind() {
  return {"fluid",
          &k_fluid_load,
          "Water around a slender link: added mass and wake after Lighthill's large-amplitude elongated-body theory, "
          "and "
          "quadratic drag. No buoyancy: for a robot as heavy as water set `gravity` to zero.",
          "{type: fluid, link: finger, density: 1000, normal_drag: 1.2, tangential_drag: 0.01, wake: true}",
          read_fluid<double>,
          read_fluid<ForwardDual>,
          write_fluid};
}

}  // namespace cuttle
