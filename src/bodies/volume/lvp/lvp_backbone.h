#pragma once

#include <cmath>
#include <vector>

#include "bodies/volume/kinematics_kernels_impl.h"
#include "cuttle/spatial/exponential.h"

namespace cuttle {

/// Polynomial with coefficients `c` in t = s/L at s, and its first three derivatives in s.
template <typename S, typename T>
void polynomial_jet(const std::vector<S>& c, const T& t, const S& inverse_length, T (&jet)[4]) {
  for (T& value : jet) value = T(0.0);
  for (std::size_t i = c.size(); i-- > 0;) {
    jet[3] = jet[3] * t + T(3.0) * jet[2];
    jet[2] = jet[2] * t + T(2.0) * jet[1];
    jet[1] = jet[1] * t + jet[0];
    jet[0] = jet[0] * t + T(c[i]);
  }
  T scale(inverse_length);
  for (int d = 1; d < 4; ++d) {
    jet[d] = jet[d] * scale;
    scale = scale * T(inverse_length);
  }
}
template <typename S, typename T>
T polynomial(const std::vector<S>& c, const T& t) {
  T value(0.0);
  for (std::size_t i = c.size(); i-- > 0;) value = value * t + T(c[i]);
  return value;
}

/// A twist with its first and second derivative in a direction: what a product rule needs.
template <typename T>
struct TwistJet {
  TwistT<T> value, first, second;

  TwistJet operator+(const TwistJet& b) const { return {value + b.value, first + b.first, second + b.second}; }
  TwistJet operator-(const TwistJet& b) const { return {value - b.value, first - b.first, second - b.second}; }
  friend TwistJet operator*(const T& s, const TwistJet& a) { return {s * a.value, s * a.first, s * a.second}; }
};
template <typename T>
TwistJet<T> bracket(const TwistJet<T>& a, const TwistJet<T>& b) {
  return {bracket(a.value, b.value), bracket(a.first, b.value) + bracket(a.value, b.first),
          bracket(a.second, b.value) + T(2.0) * bracket(a.first, b.first) + bracket(a.value, b.second)};
}

/// Sixth-order Magnus step of g' = g hat(xi) from the strain at the three Gauss points of a step of length h (Blanes,
/// Casas and Ros 2000, with the bracket's sign turned round for the product on the right).
template <typename T, typename Element>
Element magnus_increment(const T& h, const Element (&xi)[3]) {
  using std::sqrt;
  const T root = constant<T>(std::sqrt(15.0L) / 3.0L);
  const T third = constant<T>(1.0L / 3.0L);
  const Element a1 = h * xi[1];
  const Element a2 = (root * h) * (xi[2] - xi[0]);
  const Element a3 = (T(10.0) * third * h) * (xi[2] - T(2.0) * xi[1] + xi[0]);
  const Element c1 = bracket(a2, a1);
  const Element c2 = constant<T>(-1.0L / 60.0L) * bracket(T(2.0) * a3 + c1, a1);
  const Element left = T(-20.0) * a1 - a3 + c1;
  return a1 + constant<T>(1.0L / 12.0L) * a3 + constant<T>(1.0L / 240.0L) * bracket(a2 + c2, left);
}

/// The derivatives of that step in the coordinates of curvature profiles.
template <typename T>
class MagnusSlopes {
 public:
  MagnusSlopes(const T& h, const TwistT<T> (&xi)[3]) : h_(h) {
    const T third = constant<T>(1.0L / 3.0L);
    a1_ = h * xi[1];
    a2_ = (root() * h) * (xi[2] - xi[0]);
    const TwistT<T> a3 = (T(10.0) * third * h) * (xi[2] - T(2.0) * xi[1] + xi[0]);
    const TwistT<T> c1 = bracket(a2_, a1_);
    m_ = T(2.0) * a3 + c1;
    sum_ = a2_ + constant<T>(-1.0L / 60.0L) * bracket(m_, a1_);
    left_ = T(-20.0) * a1_ - a3 + c1;
  }
  /// @param phi        how the curvature about x (component 0) or y changes at the Gauss points.
  TwistT<T> along(int component, const T (&phi)[3]) const {
    const T third = constant<T>(1.0L / 3.0L);
    const T b1 = h_ * phi[1], b2 = root() * h_ * (phi[2] - phi[0]);
    const T b3 = T(10.0) * third * h_ * (phi[2] - T(2.0) * phi[1] + phi[0]);
    const TwistT<T> c1 = b2 * turned(component, a1_) - b1 * turned(component, a2_);
    const TwistT<T> c2 = constant<T>(-1.0L / 60.0L) *
                         (T(2.0) * b3 * turned(component, a1_) + bracket(c1, a1_) - b1 * turned(component, m_));
    TwistT<T> slope = constant<T>(1.0L / 240.0L) * (b2 * turned(component, left_) + bracket(c2, left_) +
                                                    bracket(sum_, c1) + (T(20.0) * b1 + b3) * turned(component, sum_));
    slope.angular[component] += b1 + constant<T>(1.0L / 12.0L) * b3;
    return slope;
  }

 private:
  static T root() { return constant<T>(std::sqrt(15.0L) / 3.0L); }
  /// [e, X] of the turn e about x or y.
  static TwistT<T> turned(int component, const TwistT<T>& X) {
    const Vector3T<T>&a = X.angular, &b = X.linear;
    const T zero(0.0);
    if (component == 0) return {{zero, -a.z, a.y}, {zero, -b.z, b.y}};
    return {{a.z, zero, -a.x}, {b.z, zero, -b.x}};
  }

  T h_;
  TwistT<T> a1_, a2_, m_, sum_, left_;
};

/// A scalar of which T holds one in each lane: its own for a scalar without lanes.
template <typename T, typename S>
struct OneLane {
  using Type = S;
  static S of(const T& value, int lane) { return Lanes<T, S>::lane(value, lane); }
  static T everywhere(const S& number) { return T(number); }
  static void set(T& value, int lane, const S& number) {
    if constexpr (std::is_same_v<T, S>) {
      value = number;
    } else {
      value.lanes[lane] = number;
    }
  }
};
template <typename P, int N, typename S>
requires(!std::is_same_v<S, Dual<P, N>>) struct OneLane<Dual<P, N>, S> {
  using Inner = OneLane<P, S>;
  using Type = Dual<typename Inner::Type, N>;
  static Type of(const Dual<P, N>& value, int lane) {
    Type one(Inner::of(value.value, lane));
    for (int i = 0; i < N; ++i) one.derivative[i] = Inner::of(value.derivative[i], lane);
    return one;
  }
  static Dual<P, N> everywhere(const Type& number) {
    Dual<P, N> value(Inner::everywhere(number.value));
    for (int i = 0; i < N; ++i) value.derivative[i] = Inner::everywhere(number.derivative[i]);
    return value;
  }
  static void set(Dual<P, N>& value, int lane, const Type& number) {
    Inner::set(value.value, lane, number.value);
    for (int i = 0; i < N; ++i) Inner::set(value.derivative[i], lane, number.derivative[i]);
  }
};

/// Curvature profiles of a backbone: m(s/L)/L about x and y.
template <typename S>
struct BackboneModes {
  using Modes = std::vector<std::vector<S>>;
  const Modes* modes[2];
  S inverse_length;

  std::size_t count() const { return modes[0]->size() + modes[1]->size(); }
  bool constant_curvature() const {
    bool constant = true;
    for (const Modes* component : modes) {
      for (const std::vector<S>& mode : *component) constant = constant && mode.size() <= 1;
    }
    return constant;
  }
};

/// A frame of the backbone, r' = R e3 from (0, 1), and how it changes. Memory of the columns is elsewhere.
template <typename T>
struct BackboneFrame {
  PoseT<T> pose;
  TwistT<T> bias;  ///< derivative of the twist along v, along v
};

/// What one step of the backbone adds to the frame at its start. Memory of the slopes is elsewhere.
template <typename T>
struct BackboneIncrement {
  explicit BackboneIncrement(TwistT<T>* slopes_or_null) : slopes(slopes_or_null) {}

  PoseT<T> pose;
  TwistT<T> rate, second;  ///< body twist along v, and its derivative along v
  TwistT<T>* slopes;       ///< body twist per coordinate, x modes then y modes; null: not asked for
};

/// The increment of a step of length h from `start`; it does not depend on the frame there.
///
/// Derivatives in q are those of the discrete pose; derivatives in s follow from g' = g hat(xi): they differ from those
/// of the discrete pose by the error of the steps, far below rounding until the curvature turns by radians.
/// @param v       null: no rates.
/// @param wanted  how many slopes.
template <typename S, typename T>
void make_increment(const BackboneModes<S>& profile, const T* q, const T* v, const T& start, const T& h,
                    std::size_t wanted, BackboneIncrement<T>& increment) {
  const TwistT<T> zero{{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(0.0)}};
  const T inverse_length(profile.inverse_length);
  T t[3];
  for (int i = 0; i < 3; ++i) {
    const T fraction = constant<T>(0.5L + (i - 1) * std::sqrt(0.15L));
    t[i] = inverse_length * (start + fraction * h);
  }
  TwistJet<T> xi[3];
  for (int i = 0; i < 3; ++i) {
    xi[i] = {{{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(1.0)}}, zero, zero};
    std::size_t j = 0;
    for (int component = 0; component < 2; ++component) {
      for (const std::vector<S>& mode : *profile.modes[component]) {
        const T phi = inverse_length * polynomial(mode, t[i]);
        xi[i].value.angular[component] += q[j] * phi;
        if (v) xi[i].first.angular[component] += v[j] * phi;
        ++j;
      }
    }
  }
  TwistJet<T> omega;
  if (v) {
    omega = magnus_increment(h, xi);
  } else {
    const TwistT<T> strain[3] = {xi[0].value, xi[1].value, xi[2].value};
    omega = {magnus_increment(h, strain), zero, zero};
  }
  const auto c = stumpff<7>(dot(omega.value.angular, omega.value.angular));
  increment.pose = exponential(omega.value, c);
  if (!increment.slopes) return;
  if (v) exponential_rates(omega.value, omega.first, omega.second, c, increment.rate, increment.second);
  const TangentMapT<T> tangent = right_tangent(omega.value, c);
  const MagnusSlopes<T> slopes(h, {xi[0].value, xi[1].value, xi[2].value});
  std::size_t j = 0;
  for (int component = 0; component < 2; ++component) {
    for (const std::vector<S>& mode : *profile.modes[component]) {
      if (j == wanted) return;
      T phi[3];
      for (int i = 0; i < 3; ++i) phi[i] = inverse_length * polynomial(mode, t[i]);
      increment.slopes[j] = tangent * slopes.along(component, phi);
      ++j;
    }
  }
}

/// Takes a frame on by an increment.
/// @param J  body twist per coordinate; null: not asked for.
/// @param v  null: no bias; needs all n of J.
template <typename T>
void take_on(const BackboneIncrement<T>& increment, const T* v, std::size_t n, std::size_t wanted,
             BackboneFrame<T>& frame, TwistT<T>* J) {
  frame.pose = frame.pose * increment.pose;
  if (!J) return;
  if (v) {
    TwistT<T> carried{{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(0.0)}};
    for (std::size_t j = 0; j < n; ++j) carried += v[j] * J[j];
    carried = increment.pose.act_inverse(carried);
    frame.bias = increment.pose.act_inverse(frame.bias) + bracket(carried, increment.rate) + increment.second;
  }
  for (std::size_t j = 0; j < wanted; ++j) J[j] = increment.pose.act_inverse(J[j]) + increment.slopes[j];
}

/// Where a backbone is at many places, [0, L] and beyond. Frames at equal steps are made as far as they are needed;
/// from the last one before a place a shorter step leads there. With constant curvature one step from 0 is exact.
/// @tparam P  the lanes over S that T carries (T = P or a Dual of it).
template <typename S, typename P, typename T>
class Backbone {
  using One = OneLane<T, S>;
  using U = typename One::Type;  // of the frames at equal steps, which are the same for all lanes

 public:
  /// @param q, v  as of make_increment, the same in every lane.
  Backbone(const BackboneModes<S>& profile, const T* q, const T* v, ScratchPieces& pieces)
      : profile_(profile), q_(q), v_(v), n_(profile.count()), constant_(profile.constant_curvature()) {
    one_v_ = pieces.take<U>(n_);
    slopes_ = pieces.take<TwistT<T>>(n_);
    one_slopes_ = pieces.take<TwistT<U>>(n_);
    for (Side& side : sides_) {
      side.frames = pieces.take<BackboneFrame<U>>(constant_ ? 1 : k_stops);
      side.J = pieces.take<TwistT<U>>((constant_ ? 1 : k_stops) * n_);
    }
    if (sides_[1].J == nullptr || q == nullptr) return;
    for (std::size_t j = 0; v && j < n_; ++j) one_v_[j] = One::of(v[j], 0);
    for (Side& side : sides_) {
      side.frames[0] = {PoseT<U>(), zero<U>()};
      for (std::size_t j = 0; j < n_; ++j) side.J[j] = zero<U>();
      side.ready = 1;
    }
  }

  /// @param J       n, overwritten; null: not asked for.
  /// @param wanted  how many of them, always the same; without v.
  void at(const T& s, BackboneFrame<T>& frame, TwistT<T>* J, std::size_t wanted) {
    wanted_ = J && wanted < n_ ? wanted : n_;
    T start(0.0);
    if (constant_) {
      frame = {PoseT<T>(), zero<T>()};
      for (std::size_t j = 0; J && j < wanted_; ++j) J[j] = zero<T>();
    } else {
      start = load_stops(s, frame, J);
    }
    BackboneIncrement<T> increment(J ? slopes_ : nullptr);
    make_increment(profile_, q_, v_, start, s - start, wanted_, increment);
    take_on(increment, v_, n_, wanted_, frame, J);
  }

 private:
  static constexpr int k_steps = 64;               // of the length L
  static constexpr int k_stops = 2 * k_steps + 1;  // beyond, the last step grows
  struct Side {
    BackboneFrame<U>* frames;
    TwistT<U>* J;
    int ready = 0;
  };

  template <typename Scalar>
  static TwistT<Scalar> zero() {
    return {{Scalar(0.0), Scalar(0.0), Scalar(0.0)}, {Scalar(0.0), Scalar(0.0), Scalar(0.0)}};
  }
  S step_length() const { return S(1.0) / (profile_.inverse_length * S(static_cast<double>(k_steps))); }
  static int lane_count() { return Lanes<P, S>::k_width; }

  /// Frames at the stops before s. @return where they are.
  T load_stops(const T& s, BackboneFrame<T>& frame, TwistT<T>* J) {
    const S h = step_length();
    int index[Lanes<P, S>::k_width];
    bool same = true;
    const double per_step = 1.0 / scalar_cast<double>(h);
    for (int lane = 0; lane < lane_count(); ++lane) {
      const double steps = scalar_cast<double>(One::of(s, lane)) * per_step;
      const double limit = k_stops - 1.0;
      // NaN, and what lies far beyond, go to the nearest stop that there is
      const double inside = steps > limit ? limit : (steps < -limit ? -limit : (steps == steps ? steps : 0.0));
      index[lane] = static_cast<int>(inside);
      same = same && index[lane] == index[0];
      make_stops(index[lane], J != nullptr);
    }
    if (same) {
      const Side& side = sides_[index[0] < 0 ? 1 : 0];
      const int k = index[0] < 0 ? -index[0] : index[0];
      const BackboneFrame<U>& stop = side.frames[k];
      frame.pose = {widen(stop.pose.rotation), widen(stop.pose.position)};
      frame.bias = widen(stop.bias);
      for (std::size_t j = 0; J && j < wanted_; ++j) J[j] = widen(side.J[k * n_ + j]);
      return T(h) * T(static_cast<double>(index[0]));
    }
    T start(0.0);
    for (int lane = 0; lane < lane_count(); ++lane) {
      const Side& side = sides_[index[lane] < 0 ? 1 : 0];
      const int k = index[lane] < 0 ? -index[lane] : index[lane];
      const BackboneFrame<U>& stop = side.frames[k];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) One::set(frame.pose.rotation(r, c), lane, stop.pose.rotation(r, c));
        One::set(frame.pose.position[r], lane, stop.pose.position[r]);
      }
      for (int r = 0; r < 6; ++r) One::set(frame.bias[r], lane, stop.bias[r]);
      for (std::size_t j = 0; J && j < wanted_; ++j) {
        for (int r = 0; r < 6; ++r) One::set(J[j][r], lane, side.J[k * n_ + j][r]);
      }
      One::set(start, lane, U(h) * U(static_cast<double>(index[lane])));
    }
    return start;
  }
  /// Stops up to one: steps are independent of each other, so they are made side by side in the lanes.
  void make_stops(int index, bool with_slopes) {
    Side& side = sides_[index < 0 ? 1 : 0];
    const int sign = index < 0 ? -1 : 1;
    const S h = step_length();
    while (side.ready <= sign * index) {
      T start(0.0);
      for (int lane = 0; lane < lane_count(); ++lane) {
        One::set(start, lane, U(h) * U(static_cast<double>(sign * (side.ready - 1 + lane))));
      }
      BackboneIncrement<T> increments(with_slopes ? slopes_ : nullptr);
      make_increment(profile_, q_, v_, start, T(h) * T(static_cast<double>(sign)), wanted_, increments);
      for (int lane = 0; lane < lane_count() && side.ready < k_stops; ++lane, ++side.ready) {
        const int k = side.ready;
        BackboneIncrement<U> increment(with_slopes ? one_slopes_ : nullptr);
        increment.pose = one(increments.pose, lane);
        if (with_slopes) {
          for (std::size_t j = 0; j < wanted_; ++j) one_slopes_[j] = one(slopes_[j], lane);
          if (v_) increment.rate = one(increments.rate, lane), increment.second = one(increments.second, lane);
        }
        side.frames[k] = side.frames[k - 1];
        TwistT<U>* J = side.J + k * n_;
        for (std::size_t j = 0; with_slopes && j < wanted_; ++j) J[j] = side.J[(k - 1) * n_ + j];
        take_on(increment, v_ ? one_v_ : nullptr, n_, wanted_, side.frames[k], with_slopes ? J : nullptr);
      }
    }
  }

  static Vector3T<U> one(const Vector3T<T>& a, int lane) {
    return {One::of(a.x, lane), One::of(a.y, lane), One::of(a.z, lane)};
  }
  static TwistT<U> one(const TwistT<T>& a, int lane) { return {one(a.angular, lane), one(a.linear, lane)}; }
  static PoseT<U> one(const PoseT<T>& a, int lane) {
    const Matrix3T<T>& R = a.rotation;
    return {{one(R.row0, lane), one(R.row1, lane), one(R.row2, lane)}, one(a.position, lane)};
  }
  static Vector3T<T> widen(const Vector3T<U>& a) {
    return {One::everywhere(a.x), One::everywhere(a.y), One::everywhere(a.z)};
  }
  static Matrix3T<T> widen(const Matrix3T<U>& A) { return {widen(A.row0), widen(A.row1), widen(A.row2)}; }
  static TwistT<T> widen(const TwistT<U>& a) { return {widen(a.angular), widen(a.linear)}; }

  BackboneModes<S> profile_;
  const T *q_, *v_;
  std::size_t n_, wanted_ = n_;
  bool constant_;
  U* one_v_;
  TwistT<T>* slopes_;  // of the last increments
  TwistT<U>* one_slopes_;
  Side sides_[2];
};

}  // namespace cuttle
