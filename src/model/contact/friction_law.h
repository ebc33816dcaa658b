#pragma once

#include <cmath>
#include <utility>

#include "cuttle/model/contact.h"
#include "geometry/distance_parts.h"

// The law of contact at one site (docs/contact.md), on any scalar. Nothing branches on numbers.

namespace cuttle {

inline constexpr double k_bristle_decay = 1e-3;     // tau: of bristles out of contact or out of the cone [s]
inline constexpr double k_coefficient_time = 1e-4;  // with which the coefficient follows Stribeck's curve [s]
inline constexpr double k_flow_begin = 0.95;        // part of the cone below which a bristle is a spring
// Part of the cone within which the law's corners at its end are rounded off. Derivatives know as many digits as it is
// wide beside rounding: with 1e-6 those forward and backward differed by 2e-7.
inline constexpr double k_rounded = 1e-4;
inline constexpr double k_bristle_share = 0.8;    // least one of its stiffness to that of the normal
inline constexpr double k_longest = 2.0;          // bristle whose force grows, of mu l with the largest mu
inline constexpr double k_share_of_square = 2.2;  // that share for large coefficients of friction: of their square

/// What a penetration d > 0 does: the density h of the force, its slope, its integral and, of lines and areas, its
/// second derivative, without stiffness. Zero else.
template <typename T>
struct PenaltyT {
  T force{}, slope{}, energy{}, bend{};
};

/// d^(3/2), of points. @param least  below this depth the slope stays, so that its inverse has a value.
template <typename T>
PenaltyT<T> hertz_penalty(const T& d, const T& least) {
  using std::sqrt;
  const bool in = d > T(0.0);
  const T s = select(d > least, d, least), root = sqrt(s), zero(0.0);
  return {select(in, s * root, zero), select(in, T(1.5) * root, zero), select(in, T(0.4) * s * s * root, zero), zero};
}

/// d - range/2, which begins as d^2 / (2 range): of lines and areas.
template <typename T>
PenaltyT<T> linear_penalty(const T& d, const T& range) {
  const T zero(0.0), half(0.5);
  const bool in = d > zero, deep = d > range;
  const T s = select(in, d, zero), far = s - half * range;
  return {select(deep, far, half * s * s / range), select(deep, T(1.0), s / range),
          select(deep, half * far * far + range * range * T(1.0 / 24.0), s * s * s * T(1.0 / 6.0) / range),
          select(in && !deep, T(1.0) / range, zero)};
}

/// x >= 0 that begins with a slope of zero. Sliding keeps a bristle at the end of its cone, on this side or that as
/// rounding has it: a corner there would have derivatives of both sides, mixed within one step.
template <typename T>
T rounded_off(const T& x) {
  const T part = x * T(1.0 / k_rounded);
  return select(part < T(1.0), x * part * (T(2.0) - part), x);
}

/// What friction at a site needs of how it touches, in the axes of the surface.
template <typename T>
struct TouchT {
  bool touches = false;
  T normal_force{};               ///< f_e, the elastic one [N]
  T stiffness{};                  ///< k_t of the bristle [N/m]
  T reach{}, reach_rate{};        ///< l = f_e / k_t, where a coefficient of 1 ends [m], and its rate
  T coupling{}, coupling_rate{};  ///< k_t' f_e / k_t^2: how bristles add to the normal force, and its rate
  Vector3T<T> normal;             ///< unit
  Vector3T<T> normal_rate;        ///< [1/s]
  Vector3T<T> sliding;            ///< v_t, tangential [m/s]
  Vector3T<T> along;              ///< the site's axis, its tangential part
  template <typename U>
  TouchT<U> cast() const {
    return {touches,
            scalar_cast<U>(normal_force),
            scalar_cast<U>(stiffness),
            scalar_cast<U>(reach),
            scalar_cast<U>(reach_rate),
            scalar_cast<U>(coupling),
            scalar_cast<U>(coupling_rate),
            normal.template cast<U>(),
            normal_rate.template cast<U>(),
            sliding.template cast<U>(),
            along.template cast<U>()};
  }
  /// For a scalar that has T inside.
  template <typename U>
  TouchT<U> constant() const {
    const auto vector = [](const Vector3T<T>& v) { return Vector3T<U>{U(v.x), U(v.y), U(v.z)}; };
    return {touches,          U(normal_force), U(stiffness),        U(reach),        U(reach_rate), U(coupling),
            U(coupling_rate), vector(normal),  vector(normal_rate), vector(sliding), vector(along)};
  }
};

template <typename T>
struct BristleT {
  Vector3T<T> force;  ///< on the site, at its surface [N]
  T rates[4]{};
  T dissipated{};  ///< [W]
  T used{};        ///< zeta, part of the cone that the bristle takes
  T flow{};        ///< of D^2 xi, by which the bristle flows [1/s]
  T back{};        ///< of xi, with which it comes back into the cone [1/s]
};

/// Coefficients of friction as the law uses them.
template <typename S>
class FrictionLawT {
 public:
  FrictionLawT() = default;
  explicit FrictionLawT(const ContactFrictionT<S>& given)
      : given_(given),
        has_static_(any(given.static_ratio > S(1.0)) || any(given.static_ratio < S(1.0))),
        is_isotropic_(identical(given.forward, given.sideways) && identical(given.backward, given.sideways)),
        is_smooth_(!any(given.sideways > S(0.0))) {
    S largest = given.sideways;
    for (const S& mu : {given.forward, given.backward}) largest = select(mu > largest, mu, largest);
    largest *= given.static_ratio;
    longest_ = S(k_longest) * largest;
    const auto inverse = [](const S& mu) { return S(1.0) / (mu * mu); };
    across_ = inverse(given.sideways);
    forward_excess_ = inverse(given.forward) - across_, backward_excess_ = inverse(given.backward) - across_;
    const S wanted = S(k_share_of_square) * largest * largest;
    share_ = select(wanted > S(k_bristle_share), wanted, S(k_bristle_share));
  }

  /// Of the static coefficient to the kinetic one.
  const S& ratio() const { return given_.static_ratio; }
  /// Stiffness of bristles over that of the normal: enough for the cone to have an end (reached_in_cone).
  const S& share() const { return share_; }

  /// A bristle that is longer than this times the reach pulls as one of that length, so its energy grows linearly:
  /// steps that overshoot the cone by far would press the surfaces apart with the square of it.
  const S& longest() const { return longest_; }

  /// No friction at all: the site has no states.
  bool is_smooth() const { return is_smooth_; }
  bool is_isotropic() const { return is_isotropic_; }
  /// Three numbers of the bristle, in the axes of the surface; with a static coefficient, also how far the ratio of the
  /// coefficient to the kinetic one is from the static one's.
  int state_count() const { return is_smooth_ ? 0 : (has_static_ ? 4 : 3); }

  /// 1/mu^2 across, and how much more it is along the site's axis on the side of the sign of `side`, both kinetic.
  std::pair<S, S> inverse_squares(const S& side) const { return {across_, excess(side)}; }

  template <typename T>
  FrictionLawT<T> cast() const {
    FrictionLawT<T> other(given_.template cast<T>());
    other.has_static_ = has_static_, other.is_isotropic_ = is_isotropic_;  // also where only derivatives differ
    return other;
  }

  /// Of two tangential vectors a, the bristle, and b, the sliding: their products, and their parts along the axis.
  template <typename T>
  struct Products {
    T aa{}, ab{}, bb{}, a_along{}, b_along{};
  };
  /// How a bristle flows: xi' = v - by_bristle xi - by_axis along, of tangential parts.
  template <typename T>
  struct Flowing {
    T used{}, cone{};  ///< zeta; largest coefficient over the kinetic one, with what bristles add to the normal force
    T flows{};         ///< alpha
    T by_bristle{}, by_axis{};
    T flow{}, back{};      ///< as in BristleT
    T coefficient_rate{};  ///< of the fourth state
  };
  /// @param coefficient  the fourth state, where there is one.
  template <typename T>
  Flowing<T> flowing(const TouchT<T>& touch, const Products<T>& p, const T& coefficient) const;

  template <typename T>
  BristleT<T> at(const TouchT<T>& touch, const T* x) const;
  /// The states of a site at rest whose surface has moved by `moved` since its bristle was straight.
  template <typename T>
  void rest(const TouchT<T>& touch, const Vector3T<T>& moved, T* x) const;

 private:
  template <typename>
  friend class FrictionLawT;
  template <typename T>
  T square(const T& vv, const T& along, const T& side) const {
    if (is_isotropic_) return T(across_) * vv;
    return T(across_) * vv + excess(side) * along * along;
  }
  /// |D v|^2 with the kinetic coefficients; `along` is v's component along the axis, of which `side` has the sign.
  template <typename T>
  T square(const Vector3T<T>& v, const T& along, const T& side) const {
    return square(dot(v, v), along, side);
  }
  /// 1/mu^2 along less 1/mu^2 across.
  template <typename T>
  T excess(const T& side) const {
    if (is_isotropic_) return T(0.0);
    return select(side < T(0.0), T(backward_excess_), T(forward_excess_));
  }
  /// Normal force over f_e where the bristle has come to the end of the cone. A bent bristle presses the surfaces
  /// apart, with k_t' |xi|^2 / 2 more than f_e; so sliding takes mu of the whole normal force if c = 1 + coupling mu^2
  /// c^2 / 2.
  template <typename T>
  struct Reached {
    T value;                      ///< c
    T by_ratio{}, by_coupling{};  ///< derivatives of ln c by ln ratio and by the coupling
  };
  /// @param length2  |xi|^2 of the tangential part.   @param size  |D xi|.
  template <typename T>
  Reached<T> reached_in_cone(const TouchT<T>& touch, const T& length2, const LengthT<T>& size, const T& ratio) const {
    using std::sqrt;
    const T mu = T(given_.sideways) * ratio, one(1.0), least(0.04);
    T square = mu * mu;  // |xi|^2 / |D xi|^2
    if (!is_isotropic_ && !size.none) square = ratio * ratio * length2 / (size.given * size.given);
    const T radicand = one - T(2.0) * touch.coupling * square;
    const T root = sqrt(select(radicand > least, radicand, least)), c = T(2.0) / (one + root);
    const T slope = c * square / root;
    return {c, touch.coupling * slope, T(0.5) * slope};
  }
  /// Largest t in [0, push] for which pull a + t b is in the cone |D f| <= limit. No share of `push`: that and the room
  /// in the cone go to zero together, and the quotient of what rounding leaves of them has any derivative.
  template <typename T>
  T push_in_cone(const Products<T>& p, const T& pull, const T& push, const T& limit) const;

  ContactFrictionT<S> given_;
  S across_{}, forward_excess_{}, backward_excess_{};  ///< 1/mu^2 across, and what it is more along, either way
  S share_{k_bristle_share}, longest_{k_longest};
  bool has_static_ = false, is_isotropic_ = true, is_smooth_ = false;
};

template <typename S>
template <typename T>
T FrictionLawT<S>::push_in_cone(const Products<T>& p, const T& pull, const T& push, const T& limit) const {
  const T zero(0.0), one(1.0), aa = pull * pull * p.aa, ab = pull * p.ab, bb = p.bb;
  const T a_along = pull * p.a_along, b_along = p.b_along, limit2 = limit * limit;
  if (is_isotropic_) {  // most are well inside
    const T across(across_);
    if (across * aa <= limit2 && across * (aa + push * (T(2.0) * ab + push * bb)) <= limit2) return push;
  }
  // the positive root of |D (a + t b)|^2 = limit^2 with the coefficients of one side
  const auto root = [&](const T& side) {
    const T across(across_), more = excess(side);
    const T AA = across * aa + more * a_along * a_along, AB = across * ab + more * a_along * b_along;
    const T BB = across * bb + more * b_along * b_along, left = limit2 - AA;
    const T radicand = AB * AB + BB * left;
    const bool regular = radicand > zero && BB > zero, towards = AB < zero, held = !towards && left > zero;
    using std::sqrt;
    const T turn = sqrt(select(regular, radicand, one));
    // of two forms the one that does not cancel
    const T t = select(towards, (turn - AB) / select(regular, BB, one), left / select(held, AB + turn, one));
    return select(regular, select(towards || held, t, zero), select(left > zero, push, zero));
  };
  const T first = root(a_along);
  T t = first;
  if (!is_isotropic_) {  // beyond the place where the sign along the axis changes the other coefficients hold
    const T product = a_along * b_along;
    const bool crosses = product < zero;
    const T crossing = -a_along / select(crosses, b_along, one);
    const T second = root(-a_along);
    t = select(crosses && first > crossing, select(second > crossing, second, crossing), first);
  }
  return select(t < push, t, push);
}

// What the law does depends on products of the bristle and the sliding, and on how the site is pressed. Vectors come in
// at its ends alone.
template <typename S>
template <typename T>
auto FrictionLawT<S>::flowing(const TouchT<T>& touch, const Products<T>& p, const T& coefficient) const -> Flowing<T> {
  using std::exp;
  Flowing<T> result;
  const T zero(0.0), one(1.0), decay(1.0 / k_bristle_decay);
  const LengthT<T> size(square(p.aa, p.a_along, p.a_along));  // |D xi|
  T ratio = one;                                              // of the coefficient to the kinetic one
  if (has_static_) {
    ratio = T(given_.static_ratio) + coefficient;
    ratio = select(ratio > T(0.5), ratio, T(0.5));
  }
  const Reached<T> reached = reached_in_cone(touch, p.aa, size, ratio);
  const T cone = ratio * reached.value, used = size.value / (cone * touch.reach);
  result.cone = cone, result.used = used;
  const bool is_spring = !(used > T(k_flow_begin));
  T flows = zero;  // with the slope that the return has beyond the cone
  if (!is_spring) {
    const T raw = (used - T(k_flow_begin)) * T(1.0 / (1.0 - k_flow_begin));
    const T part = select(used < one, raw, one);
    flows = part * part * (T(3.0) - T(2.0) * part - T(1.0 - k_flow_begin) * (one - part));
  }
  result.flows = flows;
  T ratio_rate = zero;
  if (has_static_) {
    const T speed = T(S(1.0) / given_.stribeck_velocity) * flows;
    const T curve = one + T(given_.static_ratio - S(1.0)) * exp(-(speed * speed * p.bb));
    ratio_rate = T(1.0 / k_coefficient_time) * (curve - ratio);
    result.coefficient_rate = T(1.0 / k_coefficient_time) * (curve - (T(given_.static_ratio) + coefficient));
  }
  if (is_spring) return result;

  const T inverse = select(size.none, zero, one) / size.given, more = excess(p.a_along);
  const T g_bent = T(across_) * inverse, g_along = more * p.a_along * inverse;  // g by bristle and axis
  T gg = g_bent * g_bent * p.aa, slides = g_bent * p.ab;
  if (!is_isotropic_) {
    gg += g_along * (T(2.0) * g_bent * p.a_along + g_along * dot(touch.along, touch.along));
    slides += g_along * p.b_along;
  }
  const T cone_rate = (one + reached.by_ratio) * ratio_rate / ratio + reached.by_coupling * touch.coupling_rate;
  const T limit_rate = cone * (touch.reach_rate + cone_rate * touch.reach);
  // Where the cone shrinks, what is beyond it flows no faster than its end: at lift-off `used` has no limit.
  const T kept = select(limit_rate < zero && used > one, one, used);
  const T drive = slides - kept * limit_rate;
  const T beyond = one - one / select(used < one, one, used);  // as flows: at 1 just one of them has a slope
  // What is beyond the cone comes back within the way that bends a bristle to its end, at most as fast as it slides.
  // At touch-down the cone has no size, so a touch may begin there; by flow alone it would stay there all along.
  const T returns = select(slides > zero, beyond * slides, zero);
  const T flow = (select(drive > zero, flows * drive, zero) + returns) / select(gg > zero, gg, one);
  result.flow = flow / size.given, result.back = decay * rounded_off(beyond);
  result.by_bristle = flow * g_bent + result.back, result.by_axis = flow * g_along;
  return result;
}

template <typename S>
template <typename T>
BristleT<T> FrictionLawT<S>::at(const TouchT<T>& touch, const T* x) const {
  BristleT<T> result;
  if (is_smooth_) return result;
  const T zero(0.0), one(1.0), decay(1.0 / k_bristle_decay);
  if (!touch.touches) {
    for (int i = 0; i < 3; ++i) result.rates[i] = -decay * x[i];
    if (has_static_) result.rates[3] = T(-1.0 / k_coefficient_time) * x[3];
    return result;
  }
  const Vector3T<T> xi{x[0], x[1], x[2]};
  const Vector3T<T>&n = touch.normal, &v = touch.sliding;
  const T out = dot(n, xi);
  const Vector3T<T> bent = xi - out * n;  // its tangential part: the other one decays
  Products<T> p{dot(bent, bent), dot(bent, v), dot(v, v), zero, zero};
  if (!is_isotropic_) p.a_along = dot(bent, touch.along), p.b_along = dot(v, touch.along);
  const Flowing<T> f = flowing(touch, p, has_static_ ? x[3] : zero);
  // the bristle turns with the normal
  Vector3T<T> rate =
      v - f.by_bristle * bent + out * touch.normal_rate - (dot(touch.normal_rate, bent) + decay * out) * n;
  if (!is_isotropic_) rate -= f.by_axis * touch.along;
  for (int i = 0; i < 3; ++i) result.rates[i] = rate[i];
  if (has_static_) result.rates[3] = f.coefficient_rate;

  // beyond its longest a bristle pulls as one of that length
  const T length2 = dot(xi, xi), longest = T(longest_) * touch.reach;
  T pull = touch.stiffness;
  if (length2 > longest * longest) pull *= longest / LengthT<T>(length2).given;
  T push = touch.stiffness * T(given_.damping_time) * rounded_off(one - f.flows);
  if (f.flows < one) push = push_in_cone(p, pull, push, f.cone * touch.normal_force);
  result.force = -(pull * bent + push * v);
  result.dissipated = -dot(result.force, v) - pull * dot(xi, rate);
  result.used = f.used, result.flow = f.flow, result.back = f.back;
  return result;
}

template <typename S>
template <typename T>
void FrictionLawT<S>::rest(const TouchT<T>& touch, const Vector3T<T>& moved, T* x) const {
  using std::exp;
  for (int i = 0; i < state_count(); ++i) x[i] = T(0.0);
  if (is_smooth_ || !touch.touches) return;
  const T one(1.0), begin(k_flow_begin), width(1.0 - k_flow_begin);
  const Vector3T<T> bent = moved - dot(touch.normal, moved) * touch.normal;
  const T along = is_isotropic_ ? T(0.0) : dot(bent, touch.along);
  const LengthT<T> size(square(bent, along, along));
  const T ratio(given_.static_ratio);
  const T used = size.value / (ratio * reached_in_cone(touch, dot(bent, bent), size, ratio).value * touch.reach);
  const bool elastic = used < begin;
  const T over = select(elastic, one, used);
  // towards the cone without a corner
  const T cut = (one - width * exp((begin - over) / width)) / over;
  const Vector3T<T> xi = select(elastic, one, cut) * bent;
  for (int i = 0; i < 3; ++i) x[i] = xi[i];
}

}  // namespace cuttle
