// Kinematics of a volume whose sections swell around a backbone.
#include "cuttle/bodies/radial_kinematics.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

Key constant(const char* key_name, const char* about) {
  return choice(key_name, {"constant"}).about(about).if_missing("keeps its rest value");
}

const KeyTable k_radial_strain_table{
    .name = "backbone strain",
    .keys = {constant("kappa_x", "Bending about x, in rad."), constant("kappa_y", "Bending about y, in rad."),
             constant("sigma_z", "Elongation, in m.")},
    .example = "{kappa_y: constant, sigma_z: constant}"};
const KeyTable k_radial{
    .keys = {map("strain", k_radial_strain_table)
                 .about("The backbone's strain that is free, constant along it: as a [rod](#rod)'s with "
                        "`constant` functions, q / L each; kappa_x, kappa_y, sigma_z in this order.")
                 .by_default("{}", "none"),
             numbers("bumps", 0, "rad")
                 .about("Angles, from x towards y, of the middles of the bumps; the coordinates follow those of the "
                        "strain.")
                 .by_default("[]", "none"),
             number("radius", k_positive, "m")
                 .about("Distance from the axis R0 where a bump moves points by b q; it grows in proportion to it.")
                 .if_missing("the radius of the shape, of a box wx / 2")},
    .rules = {{KeyRule::Kind::at_least_one, {"strain", "bumps"}}}};

template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_radial(const KinematicsReader<S>& at) {
  const YamlMap& map = at.map();
  RadialParametersT<S> radial{at.length(), at.radius(), {}, {}};
  if (map.has("radius")) radial.radius = map.number<S>("radius").value_or(S(1.0));
  if (const auto strain = map.map("strain")) {
    for (const RadialStrain component : {RadialStrain::kappa_x, RadialStrain::kappa_y, RadialStrain::sigma_z}) {
      if (strain->text(radial_strain_name(component))) radial.strain.push_back(component);
    }
  }
  if (map.has("bumps")) radial.bumps = map.numbers<S>("bumps").value_or(std::vector<S>());
  return std::make_shared<const RadialKinematicsT<S>>(radial);
}

void write_radial(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* swept = dynamic_cast<const RadialKinematics*>(&kinematics);
  if (swept == nullptr) refuse_to_write("other kinematics of type radial", "RadialKinematics");
  const RadialParameters& radial = swept->parameters();
  require_length(radial.length, map.context());
  map.map("strain", [&](MapWriter& strain) {
    for (const RadialStrain component : radial.strain) strain.text(radial_strain_name(component), "constant");
  });
  if (!radial.bumps.empty()) map.numbers("bumps", radial.bumps);
  map.number("radius", radial.radius, map.context().volume_radius);
}

}  // namespace

KinematicsKind radial_kind() {
  return {"radial",
          &k_radial,
          "A backbone of constant strain whose sections swell in bumps.",
          "{type: radial, strain: {kappa_y: constant, sigma_z: constant}, bumps: [0, 3.14159265358979]}",
          read_radial<double>,
          read_radial<ForwardDual>,
          write_radial};
}

}  // namespace cuttle
