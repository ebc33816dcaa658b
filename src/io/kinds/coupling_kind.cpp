// A coupling of coordinates of a robot file.
#include "cuttle/elements/coupling.h"
#include "io/kinds/coordinate_sum_parts.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_coupling_element{
    .keys =
        element_keys({links_of_sum_key(), factors_of_sum_key(),
                      number("rest", k_any_number, k_unit_of_use).about("Where y is without force.").by_default("0"),
                      required(number("stiffness", k_not_negative, k_unit_of_use))
                          .about("Effort on y for each unit that it is beyond `rest`; N m/rad if y is an angle."),
                      number("damping", k_not_negative, k_unit_of_use)
                          .about("Effort on y for each unit of its rate; N m s/rad if y is an angle.")
                          .by_default("0")})};

template <typename S>
std::optional<ElementT<S>> read_coupling(const PartReader<S>& part) {
  auto [links, factors] = read_coordinate_sum(part);
  CouplingT<S> coupling;
  coupling.stiffness = part.number("stiffness");
  coupling.damping = part.number("damping");
  coupling.rest = part.number("rest");
  return make_coupling<S>(part.name(), std::move(links), factors, coupling);
}

void write_coupling(const Element& element, MapWriter& map) {
  const Coupling* coupling = coupling_parameters(*element.law);
  if (coupling == nullptr) refuse_to_write("another law of type coupling", "one of make_coupling");
  write_coordinate_sum(element, "make_coupling", map);
  map.number("rest", coupling->rest, 0.0);
  map.number("stiffness", coupling->stiffness);
  map.number("damping", coupling->damping, 0.0);
}

}  // namespace

ElementKind coupling_kind() {
  return {"coupling",
          &k_coupling_element,
          "A spring and a damper on a sum of coordinates y, for joints that follow others, gears and servos. Output: "
          "`effort`, with which it pushes y up.",
          "{name: gear, type: coupling, links: [arm, shoulder], factors: [1, -0.5], stiffness: 100, damping: 1}",
          read_coupling<double>,
          read_coupling<ForwardDual>,
          write_coupling};
}

}  // namespace cuttle
