// A body: a round beam that bends in a plane with constant curvature; q is the angle of its tip [rad].
#include <cuttle/bodies/point_body.h>
#include <cuttle/spatial/stumpff.h>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

/// Where its points go, and what it resists.
template <typename S>
struct Flexure {
  static constexpr int coordinate_count = 1;
  static constexpr const char* type_name = "flexure";
  S length{1.0}, stiffness{0.0}, damping{0.0};

  std::vector<cuttle::CoordinateInfo> coordinates() const { return {{"angle", "rad"}}; }
  template <typename T>
  cuttle::Vector3T<T> position(const cuttle::Vector3T<T>& x, const T* q) const {
    const T angle = q[0] / length * x.z;
    const auto c = cuttle::stumpff<3>(T(angle * angle));  // cos t, sin t / t, (1 - cos t) / t^2, ..: exact at t = 0
    return {c[0] * x.x - x.z * angle * c[2], x.y, angle * c[1] * x.x + x.z * c[1]};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return 0.5 * stiffness * q[0] * q[0];
  }
  template <typename T>
  T dissipation(const T*, const T* v) const {
    return 0.5 * damping * v[0] * v[0];
  }
  template <typename T>
  Flexure<T> cast() const {  // its numbers are parameters: gradients go through them
    return {cuttle::scalar_cast<T>(length), cuttle::scalar_cast<T>(stiffness), cuttle::scalar_cast<T>(damping)};
  }
};

const cuttle::KeyTable k_keys{
    .keys = cuttle::body_keys(
        {required(number("length", cuttle::k_length_range, "m")).about("Length, along z."),
         required(number("radius", cuttle::k_length_range, "m")).about("Radius."),
         required(number("density", cuttle::k_positive, "kg/m^3")).about("Density."),
         required(number("stiffness", cuttle::k_not_negative, "N m/rad")).about("Torque for each radian."),
         number("damping", cuttle::k_not_negative, "N m s/rad").about("Torque for each rad/s.").by_default("0")})};

template <typename S>
std::shared_ptr<const cuttle::BodyT<S>> read_flexure(const cuttle::PartReader<S>& part) {
  const S length = part.number("length"), radius = part.number("radius"), density = part.number("density");
  const Flexure<S> flexure{length, part.number("stiffness"), part.number("damping")};
  // a cylinder: so it is drawn, carries tendons through its points, and can be held
  return std::make_shared<const cuttle::PointBodyT<S, Flexure<S>>>(
      cuttle::point_cylinder(length, radius, density, 10, 2, 6), flexure);
}

}  // namespace

cuttle::BodyKind flexure_kind() {
  return {"flexure",
          &k_keys,
          "A round beam that bends about y with constant curvature.",
          "{type: flexure, length: 0.1, radius: 0.005, density: 1200, stiffness: 0.05}",
          read_flexure<double>,
          read_flexure<cuttle::ForwardDual>};
}
