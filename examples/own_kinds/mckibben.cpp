// An element: a McKibben muscle after Chou and Hannaford, F = pi/4 D^2 p (a (1 - e)^2 - b) with a = 3 / tan^2 alpha and
// b = 1 / sin^2 alpha at the contraction e, whose pressure p follows its valve with a delay: T dp/dt = u - p.
#include <cuttle/model/transmissions/tendon.h>

#include <cmath>
#include <numbers>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
struct MuscleParameters {
  S diameter, braid_angle, delay, damping;
};

/// It pulls along a tendon: y is by how much this is shorter than at rest. The input is the valve's pressure.
template <typename S>
class McKibbenLaw final : public cuttle::EffortLaw<McKibbenLaw, S, 1, 1, 1, 2> {
 public:
  explicit McKibbenLaw(const MuscleParameters<S>& muscle) : muscle_(muscle) {
    using std::sin, std::cos;
    const S s = sin(muscle.braid_angle), c = cos(muscle.braid_angle);
    area_ = 0.25 * std::numbers::pi * muscle.diameter * muscle.diameter;
    a_ = 3.0 * c * c / (s * s), b_ = 1.0 / (s * s);
  }

  std::string type_name() const override { return "mckibben"; }
  std::vector<cuttle::CoordinateInfo> inputs() const override { return {{"", "Pa"}}; }  // named like the element
  std::vector<cuttle::ElementStateInfo> states() const override { return {{"pressure", "Pa", 0.0}}; }
  std::vector<cuttle::ElementOutputInfo> outputs() const override { return {{"tension", "N"}, {"contraction", "1"}}; }

  template <typename T>
  void law(const cuttle::EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    const T length = 1.0 - at.y[0] / at.rest[0];  // of that at rest
    efforts[0] = T(area_) * at.state[0] * (T(a_) * length * length - T(b_)) - T(muscle_.damping) * at.rate[0];
    state_rates[0] = (at.input[0] - at.state[0]) / T(muscle_.delay);
  }
  template <typename T>
  void outputs_law(const cuttle::EffortArgumentsT<T>& at, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0], outputs[1] = at.y[0] / at.rest[0];
  }
  template <typename T>
  McKibbenLaw<T> cast() const {
    return McKibbenLaw<T>({cuttle::scalar_cast<T>(muscle_.diameter), cuttle::scalar_cast<T>(muscle_.braid_angle),
                           cuttle::scalar_cast<T>(muscle_.delay), cuttle::scalar_cast<T>(muscle_.damping)});
  }

 private:
  MuscleParameters<S> muscle_;
  S area_, a_, b_;
};

const cuttle::KeyTable k_keys{
    .keys = cuttle::element_keys(
        {cuttle::routing_key(), required(number("diameter", cuttle::k_positive, "m")).about("Diameter at rest."),
         number("braid_angle", cuttle::NumberRange{0.0, 1.5707963267948966}, "rad")
             .about("Angle of the threads to the axis, at rest.")
             .by_default("0.4"),
         number("delay", cuttle::k_positive, "s").about("Time constant of the valve.").by_default("0.05"),
         number("damping", cuttle::k_not_negative, "N s/m").about("Of its contraction.").by_default("0")})};

template <typename S>
std::optional<cuttle::ElementT<S>> read_mckibben(const cuttle::PartReader<S>& part) {
  const std::string name = part.name();
  const auto along = std::make_shared<const cuttle::TendonTransmissionT<S>>(part.routing());
  MuscleParameters<S> muscle;
  muscle.diameter = part.number("diameter"), muscle.braid_angle = part.number("braid_angle");
  muscle.delay = part.number("delay"), muscle.damping = part.number("damping");
  return cuttle::ElementT<S>{name, {along}, std::make_shared<const McKibbenLaw<S>>(muscle)};
}

}  // namespace

cuttle::ElementKind mckibben_kind() {
  return {"mckibben",
          &k_keys,
          "A McKibben muscle whose pressure follows its input [Pa] with a delay.",
          "{name: biceps, type: mckibben, routing: [{link: upper, points: [[0.02, 0, 0]]}, {link: lower, points: "
          "[[0.02, 0, 0.05]]}], diameter: 0.01}",
          read_mckibben<double>,
          read_mckibben<cuttle::ForwardDual>};
}
