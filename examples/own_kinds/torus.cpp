// A shape that robots touch, or touch with: a ring about z.
#include <cuttle/error.h>
#include <cuttle/geometry/shape.h>

#include <cmath>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
class Torus final : public cuttle::ShapeT<Torus, S> {
 public:
  /// @param radius  from the axis to the middle of the tube.   @param tube  of the tube; less than that [m]
  Torus(const S& radius, const S& tube) : radius_(radius), tube_(tube) {
    if (!cuttle::any(tube < radius)) {
      throw cuttle::ModelError("tube", std::to_string(cuttle::scalar_cast<double>(tube)), "a number < radius [m]");
    }
  }
  const S& radius() const { return radius_; }
  const S& tube() const { return tube_; }

  std::string type_name() const override { return "torus"; }
  S half_thickness() const override { return tube_; }
  /// Negative inside. Gradient and Hessian follow.
  template <typename T>
  T distance(const cuttle::Vector3T<T>& x) const {
    using std::sqrt;
    const T rho = sqrt(x.x * x.x + x.y * x.y + T(1e-30)) - T(radius_);  // regular on the axis
    return sqrt(rho * rho + x.z * x.z + T(1e-30)) - T(tube_);           // and in the middle of the tube
  }
  /// The circle in the middle of the tube, as eight cubics: they miss it by 4e-6 of its radius.
  std::vector<cuttle::TouchPartT<S>> touch_parts(const cuttle::TouchDetailT<S>& /*detail*/) const override {
    constexpr int k_arcs = 8;
    const double turn = 2.0 * M_PI / k_arcs, speed = 4.0 * std::tan(turn / 4.0);
    std::vector<cuttle::TouchPartT<S>> parts;
    for (int k = 0; k < k_arcs; ++k) {
      const double a = k * turn, b = (k + 1) * turn;
      const auto at = [&](double x, double y) { return cuttle::Vector3T<S>{radius_ * S(x), radius_ * S(y), S(0.0)}; };
      parts.push_back({true, at(std::cos(a), std::sin(a)), at(std::cos(b), std::sin(b)),
                       at(-speed * std::sin(a), speed * std::cos(a)), at(-speed * std::sin(b), speed * std::cos(b)),
                       tube_, tube_});
    }
    return parts;
  }
  template <typename T>
  Torus<T> cast() const {  // for derivatives of runs
    return Torus<T>(cuttle::scalar_cast<T>(radius_), cuttle::scalar_cast<T>(tube_));
  }

 private:
  S radius_, tube_;
};

const cuttle::KeyTable k_keys{
    .keys = {required(number("radius", cuttle::k_positive, "m")).about("From the axis to the middle of the tube."),
             required(number("tube", cuttle::k_positive, "m")).about("Radius of the tube.")}};

template <typename S>
std::shared_ptr<const cuttle::SignedDistanceT<S>> read_torus(const cuttle::KeyReader<S>& keys) {
  const S radius = keys.number("radius");
  return std::make_shared<const Torus<S>>(radius, keys.number("tube"));
}

void write_torus(const cuttle::SignedDistance& shape, cuttle::MapWriter& map) {
  const auto& torus = dynamic_cast<const Torus<double>&>(shape);
  map.number("radius", torus.radius());
  map.number("tube", torus.tube());
}

}  // namespace

cuttle::DistanceKind torus_kind() {
  return {"torus",
          &k_keys,
          "A ring about z.",
          "{shape: torus, radius: 0.1, tube: 0.02}",
          read_torus<double>,
          read_torus<cuttle::ForwardDual>,
          write_torus};
}
