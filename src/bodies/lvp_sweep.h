#pragma once

#include <new>
#include <string>

#include "bodies/lvp_map.h"

namespace cuttle {

/// f of volume-preserving primitives: carries a point, its slopes and what else is asked for from primitive to
/// primitive. What depends on x3 alone is made again only where x3 changes.
template <typename S, typename T>
class LvpSweep {
  using P = RestT<S, T>;
  using Type = typename LvpPrimitiveT<S>::Type;

 public:
  static int coordinate_count(const LvpParametersT<S>& parameters) {
    std::size_t n = 0;
    for (const LvpPrimitiveT<S>& primitive : parameters.primitives) n += primitive.coordinate_count();
    return static_cast<int>(n);
  }

  LvpSweep(const LvpParametersT<S>& parameters, const T* q, const T* v, ScratchPieces& pieces)
      : parameters_(parameters), q_(q), v_(v), sliced_(parameters.primitives.size()) {
    const std::size_t n = coordinate_count(parameters), count = parameters_.primitives.size();
    slices_ = pieces.take<LvpSlice<T>>(count);
    own_ = pieces.take<LvpOwn<T>>(n);
    twists_ = pieces.take<TwistT<T>>(n);
    backbones_ = pieces.take<Backbone<S, P, T>>(count);
    std::size_t first_own = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
      if (primitive.type == Type::bend) {
        const BackboneModes<S> profile{{&primitive.modes, &primitive.y_modes}, S(1.0) / parameters_.length};
        const Backbone<S, P, T> backbone(profile, q ? q + first_own : nullptr, v ? v + first_own : nullptr, pieces);
        if (backbones_) new (&backbones_[k]) Backbone<S, P, T>(backbone);
        if (sliced_ == count) sliced_ = k + 1;  // behind a bend, x3 depends on the other two
      }
      first_own += primitive.coordinate_count();
    }
  }

  MaskT<T> carry(const Vector3T<P>& x, const CarriedPoint<T>& point) {
    const bool same_slice = begun_ && identical(last_, x.z);
    begun_ = true, last_ = x.z;
    MaskT<T> inside = T(0.0) < T(1.0);
    Vector3T<T>& y = *point.value;
    y = {T(x.x), T(x.y), T(x.z)};
    const Vector3T<T> zero{T(0.0), T(0.0), T(0.0)};
    if (point.curvature) *point.curvature = zero;
    if (point.F) *point.F = Matrix3T<T>::identity();
    std::size_t first_own = 0;
    for (std::size_t k = 0; k < parameters_.primitives.size(); ++k) {
      const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
      const std::size_t past_own = first_own + primitive.coordinate_count();
      if (!same_slice || k >= sliced_) prepare(k, first_own, y.z, point.slopes != nullptr);
      const LvpSlice<T>& slice = slices_[k];
      const LvpMap<S, T> map(primitive, parameters_.length, slice, y);
      inside = inside & map.inside();
      if constexpr (std::is_floating_point_v<T>) {
        if (!inside && fault_.empty()) {
          const std::string which = parameters_.primitives.size() > 1 ? "primitives[" + std::to_string(k) + "]: " : "";
          fault_ = which + map.fault();
        }
      }
      if (point.slopes) {
        for (std::size_t j = first_own; j < past_own; ++j) point.slopes[j] = zero;
      }
      if (point.F_slopes) {
        for (std::size_t j = 0; j < past_own; ++j) {
          if (j >= first_own) point.F_slopes[j] = {zero, zero, zero};
          const LvpDirection<T> d{point.slopes[j], j < first_own ? nullptr : &own_[j]};
          Vector3T<T> columns[3];
          for (int c = 0; c < 3; ++c) {
            columns[c] = map.second(d, {point.F->column(c), nullptr});
            if (j < first_own) columns[c] += map.first({point.F_slopes[j].column(c), nullptr});
          }
          point.F_slopes[j] = Matrix3T<T>::from_columns(columns[0], columns[1], columns[2]);
        }
      }
      if (point.F) {
        const Matrix3T<T> F = *point.F;
        *point.F = Matrix3T<T>::from_columns(map.first({F.column(0), nullptr}), map.first({F.column(1), nullptr}),
                                             map.first({F.column(2), nullptr}));
      }
      if (point.curvature) {
        Vector3T<T> rate = zero;
        for (std::size_t j = 0; j < first_own; ++j) rate += v_[j] * point.slopes[j];
        const LvpDirection<T> along_v{rate, &slice.along_v};
        *point.curvature = map.first({*point.curvature, nullptr}) + map.second(along_v, along_v);
      }
      if (point.slopes) {
        for (std::size_t j = 0; j < past_own; ++j) {
          point.slopes[j] = map.first({point.slopes[j], j < first_own ? nullptr : &own_[j]});
        }
      }
      y = map.value();
      first_own = past_own;
    }
    return inside;
  }
  const std::string& fault() const { return fault_; }

 private:
  /// Makes what primitive k needs at x3.
  void prepare(std::size_t k, std::size_t first_own, const T& x3, bool with_slopes) {
    const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
    LvpSlice<T>& slice = slices_[k];
    const S inverse_length = S(1.0) / parameters_.length;
    const T t = T(inverse_length) * x3;
    const T zero(0.0);
    const TwistT<T> still{{zero, zero, zero}, {zero, zero, zero}};
    slice.along_v.twist = still;
    for (int c = 0; c < 2; ++c) {
      for (int d = 0; d < 4; ++d) slice.profile[c][d] = slice.along_v.profile[c][d] = zero;
    }
    std::size_t j = first_own;
    for (int c = 0; c < 2; ++c) {
      for (const std::vector<S>& mode : c == 0 ? primitive.modes : primitive.y_modes) {
        LvpOwn<T>& own = own_[j];
        own.twist = still;
        polynomial_jet(mode, t, inverse_length, own.profile[c]);
        for (int d = 0; d < 4; ++d) {
          own.profile[1 - c][d] = zero;
          slice.profile[c][d] += q_[j] * own.profile[c][d];
          if (v_) slice.along_v.profile[c][d] += v_[j] * own.profile[c][d];
        }
        ++j;
      }
    }
    if (primitive.type == Type::twist) sincos(slice.profile[0][0], slice.sine, slice.cosine);
    if (primitive.type != Type::bend) return;
    backbones_[k].at(x3, slice.section, with_slopes ? twists_ : nullptr);
    if (!with_slopes) return;
    for (j = first_own; j < first_own + primitive.coordinate_count(); ++j) {
      own_[j].twist = twists_[j - first_own];
      if (v_) slice.along_v.twist += v_[j] * own_[j].twist;
    }
  }

  const LvpParametersT<S>& parameters_;
  const T *q_, *v_;
  std::size_t sliced_;            ///< primitives whose x3 depends on the rest x3 alone
  LvpSlice<T>* slices_;           ///< one a primitive
  LvpOwn<T>* own_;                ///< one a coordinate
  TwistT<T>* twists_;             ///< of one bend
  Backbone<S, P, T>* backbones_;  ///< one a primitive; those of bends are made
  bool begun_ = false;
  P last_;  ///< x3 at rest of the last point
  std::string fault_;
};

}  // namespace cuttle
