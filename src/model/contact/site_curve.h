#pragma once

#include "cuttle/model/state_load.h"
#include "cuttle/spatial/pose.h"

namespace cuttle {

/// A cubic c(t), 0 <= t <= 1, by its ends and their derivatives, and shares of forces at its points.
template <typename T>
struct HermiteT {
  T begin, end, begin_slope, end_slope;

  explicit HermiteT(const T& t) {
    const T t2 = t * t, t3 = t2 * t;
    end = T(3.0) * t2 - T(2.0) * t3, begin = T(1.0) - end;
    begin_slope = t3 - T(2.0) * t2 + t, end_slope = t3 - t2;
  }
  static HermiteT slope(const T& t) {
    HermiteT h(T(0.0));
    const T t2 = t * t;
    h.end = T(6.0) * (t - t2), h.begin = -h.end;
    h.begin_slope = T(3.0) * t2 - T(4.0) * t + T(1.0), h.end_slope = T(3.0) * t2 - T(2.0) * t;
    return h;
  }
  static HermiteT bend(const T& t) {  // the second derivative
    HermiteT h(T(0.0));
    h.end = T(6.0) - T(12.0) * t, h.begin = -h.end;
    h.begin_slope = T(6.0) * t - T(4.0), h.end_slope = T(6.0) * t - T(2.0);
    return h;
  }
};

/// Four vectors that make a cubic, or that stand for its rates, or forces on them.
template <typename T>
struct CubicT {
  Vector3T<T> begin, end, begin_tangent, end_tangent;

  Vector3T<T> at(const T& t) const { return by(HermiteT<T>(t)); }
  Vector3T<T> at(const HermiteT<T>& h) const { return by(h); }
  Vector3T<T> slope(const T& t) const { return by(HermiteT<T>::slope(t)); }
  Vector3T<T> bend(const T& t) const { return by(HermiteT<T>::bend(t)); }
  /// The force f at t.
  void add(const T& t, const Vector3T<T>& f) { add(HermiteT<T>(t), f); }
  void add(const HermiteT<T>& h, const Vector3T<T>& f) {
    begin += h.begin * f, end += h.end * f, begin_tangent += h.begin_slope * f, end_tangent += h.end_slope * f;
  }
  /// What does work where the slope at t changes.
  void add_to_slope(const T& t, const Vector3T<T>& f) { add(HermiteT<T>::slope(t), f); }
  template <typename U>
  CubicT<U> cast() const {
    return {begin.template cast<U>(), end.template cast<U>(), begin_tangent.template cast<U>(),
            end_tangent.template cast<U>()};
  }
  template <typename U>
  CubicT<U> constant() const {
    const auto vector = [](const Vector3T<T>& v) { return Vector3T<U>{U(v.x), U(v.y), U(v.z)}; };
    return {vector(begin), vector(end), vector(begin_tangent), vector(end_tangent)};
  }

 private:
  Vector3T<T> by(const HermiteT<T>& h) const {
    return h.begin * begin + h.end * end + h.begin_slope * begin_tangent + h.end_slope * end_tangent;
  }
};

/// The axis of a site as one or two frames carry it, seen from a surface, in the surface's axes: with one frame a curve
/// that moves with it; with two, the cubic between their origins, whose tangents are their z axes times the chord.
template <typename T>
class SiteCurveT {
 public:
  /// @param frames    of the site, in the axes of the surface.
  /// @param twists    theirs relative to the surface, at their origins, in the same axes.
  /// @param own       of one frame: the curve, in its axes.
  SiteCurveT(int count, const PoseT<T>* frames, const TwistT<T>* twists, const CubicT<T>& own) : count_(count) {
    for (int k = 0; k < count; ++k) frames_[k] = frames[k], spin_[k] = twists[k].angular;
    if (count == 1) {
      const Matrix3T<T>& R = frames[0].rotation;
      const Vector3T<T> begin = R * own.begin, end = R * own.end, &w = twists[0].angular, &v = twists[0].linear;
      curve_ = {begin + frames[0].position, end + frames[0].position, R * own.begin_tangent, R * own.end_tangent};
      rates_ = {v + cross(w, begin), v + cross(w, end), cross(w, curve_.begin_tangent), cross(w, curve_.end_tangent)};
      return;
    }
    using std::sqrt;
    const Vector3T<T> chord = frames[1].position - frames[0].position;
    chord_ = sqrt(dot(chord, chord));
    direction_ = (T(1.0) / chord_) * chord;
    const T chord_rate = dot(direction_, twists[1].linear - twists[0].linear);
    for (int k = 0; k < 2; ++k) z_[k] = frames[k].rotation.column(2);
    curve_ = {frames[0].position, frames[1].position, chord_ * z_[0], chord_ * z_[1]};
    const auto tangent_rate = [&](int k) { return chord_rate * z_[k] + chord_ * cross(spin_[k], z_[k]); };
    rates_ = {twists[0].linear, twists[1].linear, tangent_rate(0), tangent_rate(1)};
  }

  const CubicT<T>& curve() const { return curve_; }
  const CubicT<T>& rates() const { return rates_; }
  /// Angular velocity of the cross-section at t.
  Vector3T<T> spin(const T& t) const {
    if (count_ == 1) return spin_[0];
    return (T(1.0) - t) * spin_[0] + t * spin_[1];
  }
  /// A vector of the cross-section at t, as it was when the frames had other axes.
  Vector3T<T> turned_back(const T& t, const Vector3T<T>& arm, const PoseT<T>* before) const {
    const auto back = [&](int k) { return before[k].rotation * frames_[k].rotation.transpose_times(arm); };
    if (count_ == 1) return back(0);
    return (T(1.0) - t) * back(0) + t * back(1);
  }

  /// A vector of the only frame, in the axes of the surface.
  Vector3T<T> turned(const Vector3T<T>& x) const { return frames_[0].rotation * x; }

  /// A force at c(t) and a torque on the cross-section there.
  void add(const HermiteT<T>& t, const Vector3T<T>& force) { forces_.add(t, force); }
  void add(const T& t, const Vector3T<T>& force) { forces_.add(t, force); }
  void add_to_slope(const T& t, const Vector3T<T>& force) { forces_.add_to_slope(t, force); }
  void add(const T& t, const Vector3T<T>& force, const Vector3T<T>& torque) {
    forces_.add(t, force);
    torque_[0] += count_ == 1 ? torque : (T(1.0) - t) * torque;
    if (count_ == 2) torque_[1] += t * torque;
  }
  /// Forces on the four vectors of the curve.
  void add(const CubicT<T>& forces) {
    forces_.begin += forces.begin, forces_.end += forces.end;
    forces_.begin_tangent += forces.begin_tangent, forces_.end_tangent += forces.end_tangent;
  }
  /// What they are at the origin of frame k, in the axes of the surface.
  WrenchT<T> wrench(int k) const {
    const CubicT<T>& f = forces_;
    if (count_ == 1) {
      const Vector3T<T>& o = frames_[0].position;
      return {torque_[0] + cross(curve_.begin - o, f.begin) + cross(curve_.end - o, f.end) +
                  cross(curve_.begin_tangent, f.begin_tangent) + cross(curve_.end_tangent, f.end_tangent),
              f.begin + f.end};
    }
    const Vector3T<T> stretch = (dot(z_[0], f.begin_tangent) + dot(z_[1], f.end_tangent)) * direction_;
    if (k == 0) return {torque_[0] + chord_ * cross(z_[0], f.begin_tangent), f.begin - stretch};
    return {torque_[1] + chord_ * cross(z_[1], f.end_tangent), f.end + stretch};
  }
  /// A wrench at the origin of frame k in its own axes.
  WrenchT<T> in_frame(int k, const WrenchT<T>& w) const {
    return {frames_[k].rotation.transpose_times(w.torque), frames_[k].rotation.transpose_times(w.force)};
  }
  const PoseT<T>* frames() const { return frames_; }
  const Vector3T<T>& origin(int k) const { return frames_[k].position; }
  int frame_count() const { return count_; }

 private:
  int count_;
  PoseT<T> frames_[2];
  Vector3T<T> spin_[2], z_[2], torque_[2], direction_;
  T chord_{};
  CubicT<T> curve_, rates_, forces_;
};

}  // namespace cuttle
