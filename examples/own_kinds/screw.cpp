// A joint: a screw, which advances by its pitch for each radian that it turns.
#include <cuttle/spatial/exponential.h>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
class Screw final : public cuttle::JointT<S> {
 public:
  Screw(const cuttle::Vector3T<S>& unit_axis, const S& pitch) : axis_(unit_axis), pitch_(pitch) {}

  std::string type_name() const override { return "screw"; }
  int nq() const override { return 1; }
  int nv() const override { return 1; }
  std::vector<std::string> units() const override { return {"rad"}; }
  std::vector<std::string> velocity_units() const override { return {"rad/s"}; }
  // motion along one fixed screw: the sweeps then need no other call
  std::optional<cuttle::ScrewT<S>> screw() const override { return cuttle::ScrewT<S>{axis_, S(1.0), pitch_}; }
  void motion(const S* q, const S* v, cuttle::JointMotionT<S>& motion) const override {
    motion.placement_child = {cuttle::rotation_exponential(q[0] * axis_), (pitch_ * q[0]) * axis_};
    motion.subspace[0] = {axis_, pitch_ * axis_};
    if (v == nullptr) return;
    motion.velocity = v[0] * motion.subspace[0];
    motion.bias = cuttle::TwistT<S>::zero();
  }
  std::unique_ptr<cuttle::JointT<double>> clone_as(cuttle::ScalarTag<double>) const override { return cast<double>(); }
  std::unique_ptr<cuttle::JointT<long double>> clone_as(cuttle::ScalarTag<long double>) const override {
    return cast<long double>();
  }
  std::unique_ptr<cuttle::JointT<cuttle::ForwardDual>> clone_as(cuttle::ScalarTag<cuttle::ForwardDual>) const override {
    return cast<cuttle::ForwardDual>();
  }

  const cuttle::Vector3T<S>& axis() const { return axis_; }
  const S& pitch() const { return pitch_; }

 private:
  template <typename T>
  std::unique_ptr<cuttle::JointT<T>> cast() const {
    return std::make_unique<Screw<T>>(axis_.template cast<T>(), cuttle::scalar_cast<T>(pitch_));
  }

  cuttle::Vector3T<S> axis_;
  S pitch_;
};

const cuttle::KeyTable k_keys{
    .keys = cuttle::joint_keys({cuttle::axis_key("Axis of the screw, of any length but 0."),
                                required(number("pitch", cuttle::k_any_number, "m/rad"))
                                    .about("Way along the axis for each radian, right-handed if positive.")})};

template <typename S>
std::shared_ptr<const cuttle::JointT<S>> read_screw(const cuttle::PartReader<S>& part) {
  using std::sqrt;
  const cuttle::Vector3T<S> axis = part.axis("axis");
  return std::make_shared<const Screw<S>>((S(1.0) / sqrt(dot(axis, axis))) * axis, part.number("pitch"));
}

/// The reader's counterpart: robots that were made or changed in C++ have a text too.
void write_screw(const cuttle::Joint& joint, cuttle::MapWriter& map) {
  const auto& screw = dynamic_cast<const Screw<double>&>(joint);
  map.vector("axis", screw.axis(), {0.0, 0.0, 1.0});
  map.number("pitch", screw.pitch());
}

}  // namespace

cuttle::JointKind screw_kind() {
  return {"screw",
          &k_keys,
          "Turns about and at once advances along `axis`: q = angle.",
          "{type: screw, axis: [0, 0, 1], pitch: 2.0e-3}",
          read_screw<double>,
          read_screw<cuttle::ForwardDual>,
          write_screw};
}
