// A limit of a joint of a robot file.
#include "cuttle/elements/joint_limit.h"
#include "cuttle/model/transmissions/joint.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_joint_limit_element{
    .keys = element_keys(
        {link_key("Link whose joint it limits."), index_key(),
         required(number("lower", k_any_number, "rad, m")).about("It pushes below this."),
         required(number("upper", k_any_number, "rad, m")).about("It pushes above this."),
         required(number("stiffness", k_positive, "N m/rad, N/m")).about("Of the spring beyond a limit."),
         number("damping", k_not_negative, "N m s/rad, N s/m").about("Of the damper beyond a limit.").by_default("0"),
         required(number("range", k_positive, "rad, m"))
             .about("Way beyond a limit over which both grow evenly to their full values, so that the force has no "
                    "corner.")})};

template <typename S>
std::optional<ElementT<S>> read_joint_limit(const PartReader<S>& part) {
  const auto [link, index] = part.joint_coordinate();
  const S lower = part.number("lower"), upper = part.number("upper"), stiffness = part.number("stiffness");
  const S damping = part.number("damping"), range = part.number("range");
  return make_joint_limit<S>(part.name(), link, index, {lower, upper, stiffness, damping, range});
}

void write_joint_limit(const Element& element, MapWriter& map) {
  const JointLimit* limit = joint_limit_parameters(*element.law);
  if (limit == nullptr) refuse_to_write("another law of type joint_limit", "one of make_joint_limit");
  write_joint_coordinate(transmission_of<JointTransmission>(element), map);
  map.number("lower", limit->lower);
  map.number("upper", limit->upper);
  map.number("stiffness", limit->stiffness);
  map.number("damping", limit->damping, 0.0);
  map.number("range", limit->range);
}

}  // namespace

ElementKind joint_limit_kind() {
  return {
      "joint_limit",
      &k_joint_limit_element,
      "A limit on both sides of one coordinate of a joint: stiff, damped and smooth. Output: `effort`, with which it "
      "pushes the coordinate up.",
      "{name: stop, type: joint_limit, link: shoulder, lower: -1.2, upper: 1.2, stiffness: 200, damping: 2, range: "
      "0.02}",
      read_joint_limit<double>,
      read_joint_limit<ForwardDual>,
      write_joint_limit};
}

}  // namespace cuttle
