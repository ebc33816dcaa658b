// A spring between two places of a robot file.
#include "cuttle/elements/spring.h"
#include "cuttle/model/transmissions/distance.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_spring_element{
    .keys = element_keys(
        {frame_key("a", "Origin of this frame: one end."),
         frame_key("b", "Origin of this frame: the other end, which can move against that."),
         required(number("stiffness", k_not_negative, "N/m")).about("Pull for each meter that it is longer."),
         number("damping", k_not_negative, "N s/m").about("Pull for each m/s at which it gets longer.").by_default("0"),
         number("rest_length", k_not_negative, "m")
             .about("Length without force.")
             .if_missing("the distance of a and b in the neutral configuration")})};

template <typename S>
std::optional<ElementT<S>> read_spring(const PartReader<S>& part) {
  const PlaceT<S> a = part.frame("a"), b = part.frame("b");
  SpringT<S> spring;
  spring.stiffness = part.number("stiffness");
  spring.damping = part.number("damping");
  spring.rest_length = part.optional_number("rest_length");
  return make_spring(part.name(), a, b, spring);
}

void write_spring(const Element& element, MapWriter& map) {
  const Spring* spring = spring_parameters(*element.law);
  if (spring == nullptr) refuse_to_write("another law of type spring", "one of make_spring");
  write_ends(transmission_of<DistanceTransmission>(element), map);
  map.number("stiffness", spring->stiffness);
  map.number("damping", spring->damping, 0.0);
  map.number("rest_length", spring->rest_length);
}

}  // namespace

ElementKind spring_kind() {
  return {"spring",
          &k_spring_element,
          "A spring and a damper between two places, along the line through them. Outputs: `force` [N] with which it "
          "pulls them together, `length` [m].",
          "{name: return_spring, type: spring, a: {link: base, pose: {position: [0.1, 0, 0]}}, b: {link: finger}, "
          "stiffness: 50}",
          read_spring<double>,
          read_spring<ForwardDual>,
          write_spring};
}

}  // namespace cuttle
