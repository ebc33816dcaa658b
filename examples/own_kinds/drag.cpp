// A load: quadratic drag on a place, F = -c |v| v.
#include <cuttle/model/state_load_law.h>

#include <cmath>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
class DragLaw final : public cuttle::StateLoadLaw<DragLaw, S> {
 public:
  explicit DragLaw(const S& coefficient) : coefficient_(coefficient) {}

  std::string type_name() const override { return "drag"; }
  /// Wrench in the axes of the frame, as is the velocity.
  template <typename T>
  cuttle::WrenchT<T> law(int, double, const cuttle::FrameMotionT<T>& motion, const T*) const {
    using std::sqrt;
    const cuttle::Vector3T<T>& v = motion.velocity.linear;
    const T speed = sqrt(dot(v, v) + T(1e-12));  // no corner at rest: linear below 1e-6 m/s
    return {{}, (T(-1.0) * T(coefficient_) * speed) * v};
  }
  template <typename T>
  DragLaw<T> cast() const {
    return DragLaw<T>(cuttle::scalar_cast<T>(coefficient_));
  }

  const S& coefficient() const { return coefficient_; }

 private:
  S coefficient_;
};

const cuttle::KeyTable k_keys{
    .keys = {cuttle::link_key("Link that it acts on."), cuttle::place_key(),
             required(number("coefficient", cuttle::k_not_negative, "N s^2/m^2")).about("Force at 1 m/s.")}};

template <typename S>
std::optional<cuttle::LoadT<S>> read_drag(const cuttle::PartReader<S>& part) {
  const cuttle::PlaceT<S> place = part.place();
  return cuttle::LoadT<S>{place, std::make_shared<const DragLaw<S>>(part.number("coefficient"))};
}

/// The reader's counterpart: robots that were made or changed in C++ have a text too.
void write_drag(const cuttle::Load& load, cuttle::MapWriter& map) {
  cuttle::write_material_place(load.place, map);
  map.number("coefficient", dynamic_cast<const DragLaw<double>&>(*load.law).coefficient());
}

}  // namespace

cuttle::LoadKind drag_kind() {
  return {"drag",
          &k_keys,
          "A force against the velocity of a place, in proportion to its square.",
          "{type: drag, link: finger, coefficient: 0.1}",
          read_drag<double>,
          read_drag<cuttle::ForwardDual>,
          write_drag};
}
