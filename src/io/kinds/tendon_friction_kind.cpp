// Friction of tendons of a robot file.
#include "cuttle/elements/tendon_friction.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_tendon_friction_element{
    .keys = element_keys(
        {required(names("actuators")).about("Tendons that it acts on: actuators of type `tendon`."),
         required(number("coefficient", k_not_negative, "1"))
             .about(
                 "mu: where the tendon turns by the angle theta, its tension falls by the factor exp(-mu theta) away "
                 "from where it is pulled while it slides there, and rises by exp(mu theta) while it slides back."),
         choice("sliding", {"pulled", "released", "none"})
             .about("Which way a tendon at rest slid before, so in statics: towards where it is pulled, back, or "
                    "neither, and then it has no friction at rest.")
             .by_default("pulled"),
         number("range", k_positive, "m/s")
             .about("Sliding velocity over which the direction changes smoothly: between -`range` and `range` with "
                    "`sliding: none`, between -2 `range` and 0 with `pulled`, 0 and 2 `range` with `released`.")
             .by_default("1e-3"),
         choice("pulled_at", {"first", "last"})
             .about("The end of its routing that it is pulled at.")
             .by_default("first")})};

template <typename S>
std::optional<ElementT<S>> read_tendon_friction(const PartReader<S>& part) {
  TendonFrictionT<S> friction;
  friction.coefficient = part.number("coefficient");
  const std::string sliding = part.text("sliding");
  friction.sliding = sliding == "released" ? Sliding::released : sliding == "none" ? Sliding::none : Sliding::pulled;
  friction.range = part.number("range");
  friction.pulled_at = part.text("pulled_at") == "last" ? PulledEnd::last : PulledEnd::first;
  std::vector<std::string> actuators = part.map().names("actuators").value_or(std::vector<std::string>());
  if (actuators.empty()) {
    if (part.map().has("actuators")) part.fail("actuators", "at least one name of a tendon");
    return std::nullopt;
  }
  return make_tendon_friction<S>(part.name(), std::move(actuators), friction);
}

void write_tendon_friction(const Element& element, MapWriter& map) {
  const TendonFriction* friction = tendon_friction_parameters(*element.law);
  if (friction == nullptr) refuse_to_write("another law of type tendon_friction", "one of make_tendon_friction");
  if (friction->refinement != 0) refuse_to_write("friction of a tendon that is refined", "refinement = 0");
  std::vector<YamlNode> actuators;
  for (const std::string& actuator : rubbing_tendons(*element.law)) actuators.push_back(text_node(actuator));
  map.node("actuators", list_node(std::move(actuators)));
  map.number("coefficient", friction->coefficient);
  map.text("sliding",
           friction->sliding == Sliding::released ? "released"
           : friction->sliding == Sliding::none   ? "none"
                                                  : "pulled",
           "pulled");
  map.number("range", friction->range, TendonFriction().range);
  map.text("pulled_at", friction->pulled_at == PulledEnd::last ? "last" : "first", "first");
}

}  // namespace

ElementKind tendon_friction_kind() {
  return {
      "tendon_friction",
      &k_tendon_friction_element,
      "Friction of tendons in what leads them (capstan equation), driven by tension or by length: along rods, at "
      "points, and where they leave a rod or enter one. What it takes counts as dissipated. Output: one a tendon, "
      "by its name, its tension in the last part that moves: a straight one, or the end of its way along a rod [N].",
      "{name: friction, type: tendon_friction, actuators: [cable], coefficient: 0.2}",
      read_tendon_friction<double>,
      read_tendon_friction<ForwardDual>,
      write_tendon_friction};
}

}  // namespace cuttle
