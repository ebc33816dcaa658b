// Play in joints of a robot file.
#include "cuttle/elements/play.h"
#include "io/kinds/coordinate_sum_parts.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_play_element{
    .keys = element_keys(
        {links_of_sum_key(), factors_of_sum_key(),
         required(number("gap", k_not_negative, k_unit_of_use))
             .about("Play: nothing acts while y is within `gap` / 2 of `rest`."),
         number("rest", k_any_number, k_unit_of_use).about("Middle of the gap.").by_default("0"),
         required(number("stiffness", k_positive, k_unit_of_use))
             .about("Effort on y for each unit that it is beyond the gap; N m/rad if y is an angle."),
         number("damping", k_not_negative, k_unit_of_use)
             .about("There, effort on y for each unit of its rate; N m s/rad if y is an angle.")
             .by_default("0"),
         required(number("range", k_positive, k_unit_of_use))
             .about("Way beyond the gap over which both grow evenly to their full values, so that the effort has no "
                    "corner.")})};

template <typename S>
std::optional<ElementT<S>> read_play(const PartReader<S>& part) {
  auto [links, factors] = read_coordinate_sum(part);
  PlayT<S> play;
  play.gap = part.number("gap"), play.rest = part.number("rest");
  play.stiffness = part.number("stiffness"), play.damping = part.number("damping");
  play.range = part.number("range");
  return make_play<S>(part.name(), std::move(links), factors, play);
}

void write_play(const Element& element, MapWriter& map) {
  const Play* play = play_parameters(*element.law);
  if (play == nullptr) refuse_to_write("another law of type play", "one of make_play");
  write_coordinate_sum(element, "make_play", map);
  map.number("gap", play->gap);
  map.number("rest", play->rest, 0.0);
  map.number("stiffness", play->stiffness);
  map.number("damping", play->damping, 0.0);
  map.number("range", play->range);
}

}  // namespace

ElementKind play_kind() {
  return {"play",
          &k_play_element,
          "Play (backlash) in a sum of coordinates y: of a loose joint, `factors: [1]`; between a motor and the joint "
          "that it drives, a gear with play. Output: `effort`, with which it pushes y up.",
          "{name: gear, type: play, links: [arm, shoulder], factors: [1, -50], gap: 0.02, stiffness: 400, damping: 1, "
          "range: 0.002}",
          read_play<double>,
          read_play<ForwardDual>,
          write_play};
}

}  // namespace cuttle
