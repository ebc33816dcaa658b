// Damping proportional to the mass of a link of a robot file.
#include "cuttle/bodies/section_inertia.h"
#include "cuttle/elements/mass_damping.h"
#include "io/kinds/load_parts.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_mass_damping{
    .keys = {
        link_key("Link with a rod or a rigid body."),
        required(number("rate", k_not_negative, "1/s"))
            .about("alpha of Rayleigh's damping force -alpha M v: all mass of the body is held back by `rate` times "
                   "its velocity in the world, rotary inertia too. A mode of the frequency omega [rad/s] of a "
                   "robot of which all is damped so gets the damping ratio `rate` / (2 omega).")}};

template <typename S>
std::optional<LoadT<S>> read_mass_damping(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const auto link = part.robot().read_link(map, false);
  const S rate = part.number("rate");
  if (link && part.robot().links.at(*link).read) {
    const BodyT<S>* body = part.body(*link);
    if (body == nullptr || (body->coordinate_count() > 0 && dynamic_cast<const HasSectionsT<S>*>(body) == nullptr)) {
      map.fail("link",
               "'" + *link + "', which has " + (body == nullptr ? "no body" : "a " + body->type_name() + " body"),
               "a link whose body is a rod or rigid");
    }
  }
  return make_mass_damping<S>(link.value_or("base"), rate);
}

void write_mass_damping(const Load& load, MapWriter& map) {
  map.text("link", load.place.link);
  map.number("rate", law_of<MassDampingLaw>(load).rate());
}

}  // namespace

LoadKind mass_damping_kind() {
  return {"mass_damping",
          &k_mass_damping,
          "Damping proportional to mass, the term of Rayleigh's damping beside that of the material. It brakes rigid "
          "motions too, as a thin medium at rest would. What it takes is dissipated.",
          "{type: mass_damping, link: finger, rate: 0.8}",
          read_mass_damping<double>,
          read_mass_damping<ForwardDual>,
          write_mass_damping};
}

}  // namespace cuttle
