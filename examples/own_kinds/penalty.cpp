// A contact law of one's own, as a load: a ball at a place of a link on a shape, with a linear spring and damper and a
// friction that grows with the speed of sliding. It knows no rest with friction, as Cuttle's own law does.
#include <cuttle/geometry/shapes.h>
#include <cuttle/model/state_load_law.h>

#include <cmath>
#include <memory>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
struct Numbers {
  S radius{}, height{}, stiffness{}, exponent{}, dissipation{}, friction{}, speed{};

  template <typename T>
  Numbers<T> cast() const {
    using cuttle::scalar_cast;
    return {scalar_cast<T>(radius),      scalar_cast<T>(height),   scalar_cast<T>(stiffness), scalar_cast<T>(exponent),
            scalar_cast<T>(dissipation), scalar_cast<T>(friction), scalar_cast<T>(speed)};
  }
};

template <typename S>
class PenaltyLaw final : public cuttle::StateLoadLaw<PenaltyLaw, S> {
 public:
  explicit PenaltyLaw(const Numbers<S>& numbers) : n_(numbers) {}
  const Numbers<S>& numbers() const { return n_; }

  std::string type_name() const override { return "penalty"; }
  /// Wrench in the axes of the frame.
  template <typename T>
  cuttle::WrenchT<T> law(int, double, const cuttle::FrameMotionT<T>& motion, const T*) const {
    using cuttle::select;
    using std::pow;
    using std::sqrt;
    const cuttle::Matrix3T<T>& R = motion.pose.rotation;
    const cuttle::Vector3T<T> height{T(0.0), T(0.0), T(n_.height)};
    const cuttle::DistanceT<T> d = ground_->at(motion.pose.position - height);
    const T depth = T(n_.radius) - d.value, none(0.0);
    const bool touches = depth > none;
    const T pressed = select(touches, depth, T(1.0));  // a number with a logarithm, where nobody takes the result
    const cuttle::Vector3T<T> arm = T(-n_.radius) * d.gradient;  // to the surface of the ball
    const cuttle::Vector3T<T> v = R * motion.velocity.linear + cross(R * motion.velocity.angular, arm);
    const T approach = -dot(v, d.gradient), damping = T(1.0) + T(n_.dissipation) * approach;
    const T normal = T(n_.stiffness) * pow(pressed, T(n_.exponent)) * select(damping > none, damping, none);
    const cuttle::Vector3T<T> slip = v + approach * d.gradient;
    const T slows = T(n_.friction) / sqrt(dot(slip, slip) + T(n_.speed * n_.speed));
    const cuttle::Vector3T<T> at_surface = normal * (d.gradient - slows * slip);
    const cuttle::Vector3T<T> force = R.transpose_times(at_surface);
    const cuttle::Vector3T<T> torque = R.transpose_times(cross(arm, at_surface));
    return {{select(touches, torque.x, none), select(touches, torque.y, none), select(touches, torque.z, none)},
            {select(touches, force.x, none), select(touches, force.y, none), select(touches, force.z, none)}};
  }
  template <typename T>
  PenaltyLaw<T> cast() const {
    return PenaltyLaw<T>(n_.template cast<T>());
  }

 private:
  Numbers<S> n_;
  /// Any shape is asked like this one.
  std::shared_ptr<const cuttle::SignedDistanceT<S>> ground_ = std::make_shared<const cuttle::PlaneT<S>>();
};

const cuttle::KeyTable k_keys{
    .keys = {
        cuttle::link_key("Link that touches."), cuttle::place_key(),
        required(number("radius", cuttle::k_positive, "m")).about("Of the ball at that place."),
        number("height", cuttle::k_any_number, "m").about("Of the ground.").by_default("0"),
        required(number("stiffness", cuttle::k_positive, "N/m^exponent")).about("Force at a depth of 1 m."),
        number("exponent", cuttle::k_positive, cuttle::k_dimensionless).about("Of the depth.").by_default("1.5"),
        number("dissipation", cuttle::k_not_negative, "s/m").about("As that of contacts.").by_default("1"),
        number("friction", cuttle::k_not_negative, cuttle::k_dimensionless).about("Coefficient.").by_default("0.5"),
        number("speed", cuttle::k_positive, "m/s")
            .about("Of sliding, at which friction has grown to 0.7 of itself.")
            .by_default("1.0e-3")}};

template <typename S>
std::optional<cuttle::LoadT<S>> read_penalty(const cuttle::PartReader<S>& part) {
  const cuttle::PlaceT<S> place = part.place();
  Numbers<S> n;
  n.radius = part.number("radius"), n.height = part.number("height"), n.stiffness = part.number("stiffness");
  n.exponent = part.number("exponent"), n.dissipation = part.number("dissipation");
  n.friction = part.number("friction"), n.speed = part.number("speed");
  return cuttle::LoadT<S>{place, std::make_shared<const PenaltyLaw<S>>(n)};
}

void write_penalty(const cuttle::Load& load, cuttle::MapWriter& map) {
  cuttle::write_material_place(load.place, map);
  const Numbers<double>& n = dynamic_cast<const PenaltyLaw<double>&>(*load.law).numbers();
  map.number("radius", n.radius), map.number("height", n.height), map.number("stiffness", n.stiffness);
  map.number("exponent", n.exponent), map.number("dissipation", n.dissipation);
  map.number("friction", n.friction), map.number("speed", n.speed);
}

}  // namespace

cuttle::LoadKind penalty_kind() {
  return {"penalty",
          &k_keys,
          "A ball at a place that is pressed out of the ground, with regularized friction.",
          "{type: penalty, link: foot, radius: 0.02, stiffness: 1.0e+5}",
          read_penalty<double>,
          read_penalty<cuttle::ForwardDual>,
          write_penalty};
}
