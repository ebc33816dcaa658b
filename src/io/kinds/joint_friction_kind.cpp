// Dry friction in a joint of a robot file.
#include "cuttle/elements/joint_friction.h"
#include "cuttle/model/transmissions/joint.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_joint_friction_element{
    .keys = element_keys(
        {link_key("Link whose joint rubs."), index_key(),
         required(number("friction", k_not_negative, "N m, N")).about("While the joint slides."),
         required(number("velocity", k_positive, "rad/s, m/s"))
             .about("Range of the regularisation: friction grows with the rate v as tanh(v / velocity), to 76 % at "
                    "`velocity` and 99.5 % at three times that. A joint that should stick creeps, below `friction` / 2 "
                    "slower than 0.55 `velocity`: make it small beside the speeds that matter."),
         number("stiction", k_not_negative, "N m, N")
             .about("Friction where sliding begins, at least `friction`: Stribeck's curve. It falls to `friction` by "
                    "exp(-(v / stribeck_velocity)^2).")
             .if_missing("`friction`"),
         number("stribeck_velocity", k_positive, "rad/s, m/s")
             .about("Over which `stiction` falls; above `velocity`.")
             .if_missing("none; `stiction` needs it")})};

template <typename S>
std::optional<ElementT<S>> read_joint_friction(const PartReader<S>& part) {
  const auto [link, index] = part.joint_coordinate();
  JointFrictionT<S> friction;
  friction.friction = part.number("friction"), friction.velocity = part.number("velocity");
  friction.stiction = part.optional_number("stiction");
  friction.stribeck_velocity = part.optional_number("stribeck_velocity");
  return make_joint_friction<S>(part.name(), link, index, friction);
}

void write_joint_friction(const Element& element, MapWriter& map) {
  const JointFriction* friction = joint_friction_parameters(*element.law);
  if (friction == nullptr) refuse_to_write("another law of type joint_friction", "one of make_joint_friction");
  write_joint_coordinate(transmission_of<JointTransmission>(element), map);
  map.number("friction", friction->friction);
  map.number("velocity", friction->velocity);
  map.number("stiction", friction->stiction);
  map.number("stribeck_velocity", friction->stribeck_velocity);
}

}  // namespace

ElementKind joint_friction_kind() {
  return {"joint_friction",
          &k_joint_friction_element,
          "Dry (Coulomb) friction on one coordinate of a joint, regularised; what it takes is dissipated. Output: "
          "`effort`, with which it pushes the coordinate up.",
          "{name: bearing, type: joint_friction, link: shoulder, friction: 0.2, velocity: 0.01, stiction: 0.3, "
          "stribeck_velocity: 0.1}",
          read_joint_friction<double>,
          read_joint_friction<ForwardDual>,
          write_joint_friction};
}

}  // namespace cuttle
