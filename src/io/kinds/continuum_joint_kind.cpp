// A continuum joint of a robot file.
#include <algorithm>

#include "cuttle/bodies/continuum_joint.h"
#include "io/kinds/kind_list.h"
#include "io/robot/joint_reader.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_continuum_joint_body{
    .keys = body_keys(
        {required(number("length", k_length_range, "m")).about("Length L of the arc, which does not stretch."),
         required(number("mass", k_positive, "kg")).about("Mass, uniform along the arc."),
         required(number("radius", k_length_range, "m")).about("Radius of the thin discs that it consists of."),
         profile("stiffness", 0, k_not_negative, "N m/rad")
             .about("Spring towards the straight joint: a number, or one each coordinate.")
             .by_default("0"),
         number("coupling_stiffness", k_any_number, "N m/rad")
             .about("What couples the two springs, the entry K_xy of the stiffness matrix; its square is at most "
                    "the product of the two of `stiffness`.")
             .by_default("0"),
         profile("damping", 0, k_not_negative, "N m s/rad")
             .about("Viscous damping: a number, or one each coordinate.")
             .by_default("0"),
         boolean("momentarily_rigid")
             .about("`true`: the inertial force as [J] prints it, (11)-(18), of a body that is rigid at each "
                    "instant. It does not balance power; reading says so.")
             .by_default("false")})};

template <typename S>
std::shared_ptr<const BodyT<S>> read_continuum_joint(const PartReader<S>& part) {
  ContinuumJointParametersT<S> joint;
  joint.length = part.number("length");
  joint.mass = part.number("mass");
  joint.radius = part.number("radius");
  const auto read_pair = [&](const char* name, std::array<S, 2>& pair) {
    const std::vector<S> values = read_coordinates<S>(part.map(), name, {"rad", "rad"}, "a continuum joint");
    std::copy(values.begin(), values.end(), pair.begin());
  };
  read_pair("stiffness", joint.stiffness);
  joint.coupling_stiffness = part.number("coupling_stiffness");
  read_pair("damping", joint.damping);
  joint.momentarily_rigid = part.boolean("momentarily_rigid");
  return std::make_shared<const ContinuumJointT<S>>(joint);
}

}  // namespace

BodyKind continuum_joint_kind() {
  return {"continuum_joint",
          &k_continuum_joint_body,
          "An actuator that bends with constant curvature, its inertia lumped ([J]); `rod` with `strain: {kappa_x: "
          "constant, kappa_y: constant}` is its exact counterpart.",
          "{type: continuum_joint, length: 0.2, mass: 0.8, radius: 0.06, stiffness: 12, damping: 0.4}",
          read_continuum_joint<double>,
          read_continuum_joint<ForwardDual>,
          write_continuum_joint};
}

}  // namespace cuttle
