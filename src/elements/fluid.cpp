// Hydrodynamic forces on a slender body that swims: reactive ones (added mass) and resistive ones (drag).
//
#include "cuttle/elements/fluid.h"

#include <cmath>
#include <numbers>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/model/state_load_law.h"
#include "spatial/number_text.h"

// Lighthill's large-amplitude elongated-body theory, [B] X.D after its reference [48]. At section s, z along the body
// from head to tail, v the velocity of the section in water at rest, n a lateral direction, w = v.n and
// m = rho pi b^2 the added mass per length (b the half axis normal to n), the water's force per length is
//   f = -d/dt (m w n) at fixed s + dQ/ds,   Q = m v_z w n - 1/2 m w^2 e_z:
// the momentum m w n of the slice of water that the section stirs, what the slices exchange, and the pressure between
// them. For both lateral directions, with p = (m_x v_x, m_y v_y, 0): -dp/dt + dQ/ds, Q = v_z p - 1/2 (p.v) e_z.
//
// Weak form. Virtual power of f with Q = 0 before the head, where m comes from 0 (a blunt head takes Q at once):
//   int f.dx ds = int [-dp/dt . dx - Q . d(dx)/ds] ds + Q(L) . dx(L),
// and for a section that stays normal to the backbone d(dx)/ds = dtheta x e_z, so -Q . d(dx)/ds = -(e_z x Q) . dtheta
// = -(v_z e_z x p) . dtheta. That couple is the part along e_z of the Munk moment -v x p of Kirchhoff's equations; the
// rest of it, about e_z, turns the ellipse's half axes with the section and belongs to p as a function of the pose. So
// the strip acts as an inertia diag(0, 0, 0, m_x, m_y, 0) whose wrench is -(p', 0) - V x* p in the section's axes: the
// kinetic energy of the water is 1/2 int p.v ds, and it gets back all but the power of the one force that is left,
//   Q(L) . v(L) = 1/2 v_z (p.v) at the tail: the energy that stays in the wake of a body that swims with v_z < 0.
// The derivatives of m along s do not appear, and the sum of forces is -d/dt int p ds + Q(L) exactly.
// With shear or stretch (e_z not along the backbone) it is the same up to terms of the order of these strains.

namespace cuttle {
namespace {

/// Coefficients at one frame, in the axes of the section.
template <typename S>
struct StripTerms {
  S added_x{}, added_y{};          ///< mass that moves with the section, weight included [kg]
  S drag_x{}, drag_y{}, drag_z{};  ///< of |v| v [kg/m]
  S wake_x{}, wake_y{};            ///< m at the tail [kg/m]
};

/// What the strips of a link do, each at its frame; with a wake the last is the far end.
template <typename S>
class FluidStrips {
 public:
  explicit FluidStrips(std::vector<StripTerms<S>> stations) : stations_(std::move(stations)) {}

  ArticulatedInertiaT<S> added_inertia(int k) const {
    ArticulatedInertiaT<S> inertia;
    inertia.linear = SymmetricMatrix3T<S>::diagonal(stations_[k].added_x, stations_[k].added_y, S(0.0));
    return inertia;
  }

  template <typename T>
  WrenchT<T> law(int k, double /*time*/, const FrameMotionT<T>& motion, const T* /*integrals*/) const {
    const StripTerms<S>& c = stations_[k];
    const Vector3T<T>&v = motion.velocity.linear, &a = motion.acceleration.linear;
    const T zero(0.0);
    const Vector3T<T> p{T(c.added_x) * v.x, T(c.added_y) * v.y, zero};
    const Vector3T<T> p_rate{T(c.added_x) * a.x, T(c.added_y) * a.y, zero};
    WrenchT<T> result{-cross(v, p), -(p_rate + cross(motion.velocity.angular, p))};

    const T across = length(v.x * v.x + v.y * v.y), along = length(v.z * v.z);
    result.force -= Vector3T<T>{T(c.drag_x) * across * v.x, T(c.drag_y) * across * v.y, T(c.drag_z) * along * v.z};

    const Vector3T<T> shed{T(c.wake_x) * v.x, T(c.wake_y) * v.y, zero};
    result.force += v.z * shed;
    result.force.z -= T(0.5) * dot(shed, v);
    return result;
  }

 private:
  /// Square root that is differentiable, as far as |v| v is, at 0.
  template <typename T>
  static T length(const T& square) {
    using std::sqrt;
    const auto zero = !(square > T(0.0));
    return select(zero, T(0.0), sqrt(select(zero, T(1.0), square)));
  }

  std::vector<StripTerms<S>> stations_;
};

template <typename S>
void check(const FluidT<S>& fluid) {
  const auto require = [](const S& value, bool good, const char* key, const char* expected) {
    using std::isfinite;
    if (isfinite(value) && good) return;
    throw ModelError(key, number_text(value), std::string("a number ") + expected);
  };
  require(fluid.density, any(fluid.density > S(0.0)), "density", "> 0 [kg/m^3]");
  require(fluid.normal_drag, !any(fluid.normal_drag < S(0.0)), "normal_drag", ">= 0");
  require(fluid.tangential_drag, !any(fluid.tangential_drag < S(0.0)), "tangential_drag", ">= 0");
  for (const S& a : fluid.radius_x.values) require(a, !any(a < S(0.0)), "radius_x", ">= 0 [m]");
  for (const S& b : fluid.radius_y.values) require(b, !any(b < S(0.0)), "radius_y", ">= 0 [m]");
}

/// Of an ellipse, by Ramanujan's first formula: exact for a circle, 0.5 % too small for a flat one.
template <typename S>
S ellipse_perimeter(const S& a, const S& b) {
  using std::sqrt;
  const S pi = constant<S>(std::numbers::pi_v<long double>), three(3.0);
  const S square = (three * a + b) * (a + three * b);
  const auto zero = !(square > S(0.0));
  return pi * (three * (a + b) - select(zero, S(0.0), sqrt(select(zero, S(1.0), square))));
}

/// Where along its link a strip of the fluid is.
template <typename S>
struct FluidStrip {
  LoadPointT<S> point;  ///< z along the link
  S t;                  ///< s / L
};

/// The strips of a link, and its far end, where the wake begins.
template <typename S>
std::vector<FluidStrip<S>> strips_of(const FluidT<S>& fluid, const std::string& name, const LinkT<S>* link) {
  const BodyT<S>* body = link != nullptr ? link->body.get() : nullptr;
  const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
  std::vector<FluidStrip<S>> strips;
  if (rod != nullptr) {
    for (const auto& station : body->stations()) {
      strips.push_back({{{name, PortLocationT<S>::section(station.s), {}}, station.weight}, station.s / rod->length()});
    }
    strips.push_back({{{name, PortLocationT<S>::tip(), {}}, S(0.0)}, S(1.0)});
    return strips;
  }
  if (body == nullptr || body->coordinate_count() > 0) {
    throw ModelError("link", "'" + name + "'", "a link whose body is a rod or rigid");
  }
  using std::isfinite;
  if (!isfinite(fluid.length) || !any(fluid.length > S(0.0))) {
    throw ModelError("length", number_text(fluid.length), "a number > 0 [m]");
  }
  if (fluid.points < 1) {
    throw ModelError("points", std::to_string(fluid.points), "at least 1");
  }
  const auto at = [&](const S& z) {
    return PlaceT<S>{name, PortLocationT<S>::base(), {Matrix3T<S>::identity(), {S(0.0), S(0.0), z}}};
  };
  std::vector<long double> nodes, weights;
  gauss_legendre(fluid.points, nodes, weights);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const S t = constant<S>(nodes[k]);
    strips.push_back({{at(t * fluid.length), constant<S>(weights[k]) * fluid.length}, t});
  }
  strips.push_back({{at(fluid.length), S(0.0)}, S(1.0)});
  return strips;
}

/// Half axes of the outline: where none are given, those of a rod's section that is an ellipse on the outside.
template <typename S>
FluidT<S> with_outline(FluidT<S> fluid, const SlenderT<S>* rod) {
  if (rod != nullptr && fluid.radius_x.empty() && fluid.radius_y.empty()) {
    const auto axes = rod->section().half_axes();
    if (axes.x != nullptr) fluid.radius_x = *axes.x, fluid.radius_y = *axes.y;
  }
  for (const auto& [radius, key] : {std::pair(&fluid.radius_x, "radius_x"), std::pair(&fluid.radius_y, "radius_y")}) {
    if (radius->empty()) {
      throw ModelError(key, "nothing",
                       std::string("half axes of the outline [m]") +
                           (rod != nullptr ? " (the rod's section is neither circle, annulus nor ellipse)" : ""));
    }
  }
  return fluid;
}

}  // namespace

template <typename S>
std::vector<LoadPointT<S>> FluidLawT<S>::points(const PlaceT<S>& place, const LinkT<S>* link) const {
  std::vector<LoadPointT<S>> points;
  for (const auto& strip : strips_of(parameters_, place.link, link)) points.push_back(strip.point);
  if (!parameters_.wake) points.pop_back();
  return points;
}

template <typename S>
std::shared_ptr<const StateLoadT<S>> FluidLawT<S>::bind(std::vector<FrameT<S>> frames, const LinkT<S>* link) const {
  const FluidT<S> fluid = with_outline(parameters_, link->body->slender());
  check(fluid);
  const S pi = constant<S>(std::numbers::pi_v<long double>), half(0.5);
  std::vector<StripTerms<S>> stations;
  bool any_radius = false;
  for (const auto& strip : strips_of(fluid, link->name, link)) {
    const S a = fluid.radius_x.at(strip.t), b = fluid.radius_y.at(strip.t);
    StripTerms<S> station;
    if (stations.size() + (fluid.wake ? 1 : 0) < frames.size()) {
      any_radius |= any(a > S(0.0)) || any(b > S(0.0));
      const S mass = fluid.density * strip.point.weight, pressure = half * mass;
      station.added_x = pi * mass * b * b;
      station.added_y = pi * mass * a * a;
      station.drag_x = pressure * fluid.normal_drag * (b + b);
      station.drag_y = pressure * fluid.normal_drag * (a + a);
      station.drag_z = pressure * fluid.tangential_drag * ellipse_perimeter(a, b);
    } else {
      station.wake_x = pi * fluid.density * b * b;
      station.wake_y = pi * fluid.density * a * a;
    }
    stations.push_back(station);
  }
  stations.resize(frames.size());  // without a wake nothing is at the far end
  if (!any_radius) throw ModelError("radius_x", "only zeros", "half axes of the outline > 0 [m]");
  return std::make_shared<const LawAtFramesT<S, FluidStrips<S>>>(FluidStrips<S>(std::move(stations)),
                                                                 std::move(frames));
}

template <typename S>
std::vector<LoadDetail> FluidLawT<S>::details() const {
  return {{"density", scalar_cast<double>(parameters_.density)},
          {"normal_drag", scalar_cast<double>(parameters_.normal_drag)},
          {"tangential_drag", scalar_cast<double>(parameters_.tangential_drag)},
          {"wake", parameters_.wake}};
}

#define CUTTLE_INSTANTIATE(S) template class FluidLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
