#pragma once

#include <new>
#include <string>

#include "bodies/volume/lvp/lvp_map.h"

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
    bool flat = true;  // x3 still depends on the rest x3 alone
    for (std::size_t k = 0; k < parameters_.primitives.size(); ++k) {
      const Type type = parameters_.primitives[k].type;
      const bool in_section = point.any_rotation && type == Type::bend && k + 1 == parameters_.primitives.size();
      if (!same_slice || k >= sliced_) prepare(k, first_own, y.z, point, !in_section);
      const auto apply = [&](auto map_type) {
        constexpr Type k_type = decltype(map_type)::value;
        inside = inside & (flat ? carry_over<k_type, true>(k, first_own, point, in_section)
                                : carry_over<k_type, false>(k, first_own, point, in_section));
      };
      switch (type) {
        case Type::stretch:
          apply(std::integral_constant<Type, Type::stretch>());
          break;
        case Type::shear:
          apply(std::integral_constant<Type, Type::shear>());
          break;
        case Type::twist:
          apply(std::integral_constant<Type, Type::twist>());
          break;
        case Type::bend:
          apply(std::integral_constant<Type, Type::bend>());
          break;
        case Type::source:
          apply(std::integral_constant<Type, Type::source>());
          break;
      }
      flat = flat && type != Type::bend;
      first_own += parameters_.primitives[k].coordinate_count();
    }
    return inside;
  }
  const std::string& fault() const { return fault_; }

 private:
  /// Takes a point through primitive k. @tparam k_flat  the argument's third component depends on x3 and q alone.
  template <Type k_type, bool k_flat>
  MaskT<T> carry_over(std::size_t k, std::size_t first_own, const CarriedPoint<T>& point, bool in_section) {
    const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
    const std::size_t past_own = first_own + primitive.coordinate_count();
    const LvpSlice<T>& slice = slices_[k];
    const LvpMap<S, T, k_type> map(primitive, parameters_.length, slice, *point.value);
    const MaskT<T> inside = map.inside();
    if constexpr (std::is_floating_point_v<T>) {
      if (!inside && fault_.empty()) {
        const std::string which = parameters_.primitives.size() > 1 ? "primitives[" + std::to_string(k) + "]: " : "";
        fault_ = which + map.fault();
      }
    }
    if (k_type == Type::bend && in_section) {
      carry_gradients<k_flat>(
          first_own, past_own, point, [&](const auto& e) { return map.first_in_section(e); },
          [&](const auto& d, const auto& e) { return map.second_in_section(d, e); });
      return inside;
    }
    carry_gradients<k_flat>(
        first_own, past_own, point, [&](const auto& e) { return map.first(e); },
        [&](const auto& d, const auto& e) { return map.second(d, e); });
    if (point.curvature) {
      Vector3T<T> rate{T(0.0), T(0.0), T(0.0)};
      for (std::size_t j = 0; j < first_own; ++j) rate += v_[j] * point.slopes[j];
      const LvpDirection<T, true, true, true> along_v{&rate, &slice.along_v};
      *point.curvature =
          map.first(LvpArgumentDirection<T, true>{point.curvature, nullptr}) + map.second(along_v, along_v);
    }
    if (point.slopes) {
      for (std::size_t j = 0; j < first_own && j < point.slope_count; ++j) {
        point.slopes[j] = map.first(LvpArgumentDirection<T, true>{&point.slopes[j], nullptr});
      }
      for (std::size_t j = first_own; j < past_own && j < point.slope_count; ++j) {
        point.slopes[j] = map.first(LvpOwnDirection<T>{nullptr, &own_[j]});
      }
    }
    *point.value = map.value();
    return inside;
  }

  /// Takes F and its slopes through a primitive with derivatives `first` and `second`.
  template <bool k_flat, typename First, typename Second>
  CUTTLE_INLINE void carry_gradients(std::size_t first_own, std::size_t past_own, const CarriedPoint<T>& point,
                                     const First& first, const Second& second) {
    if (!point.F) return;
    // as long as it is flat, the first two columns have no third component
    const Vector3T<T> columns[3] = {point.F->column(0), point.F->column(1), point.F->column(2)};
    const LvpArgumentDirection<T, !k_flat> e0{&columns[0], nullptr}, e1{&columns[1], nullptr};
    const LvpArgumentDirection<T, true> e2{&columns[2], nullptr};
    if (point.F_slopes) {
      for (std::size_t j = 0; j < first_own && j < point.slope_count; ++j) {
        const LvpArgumentDirection<T, true> d{&point.slopes[j], nullptr};
        const Matrix3T<T>& slopes = point.F_slopes[j];
        const Vector3T<T> s[3] = {slopes.column(0), slopes.column(1), slopes.column(2)};
        point.F_slopes[j] =
            Matrix3T<T>::from_columns(second(d, e0) + first(LvpArgumentDirection<T, !k_flat>{&s[0], nullptr}),
                                      second(d, e1) + first(LvpArgumentDirection<T, !k_flat>{&s[1], nullptr}),
                                      second(d, e2) + first(LvpArgumentDirection<T, true>{&s[2], nullptr}));
      }
      for (std::size_t j = first_own; j < past_own && j < point.slope_count; ++j) {
        const LvpOwnDirection<T> d{nullptr, &own_[j]};
        point.F_slopes[j] = Matrix3T<T>::from_columns(second(d, e0), second(d, e1), second(d, e2));
      }
    }
    *point.F = Matrix3T<T>::from_columns(first(e0), first(e1), first(e2));
  }

  /// Makes what primitive k needs at x3.
  void prepare(std::size_t k, std::size_t first_own, const T& x3, const CarriedPoint<T>& point, bool with_backbone) {
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
    if (primitive.type != Type::bend || !with_backbone) return;
    const std::size_t wanted = point.slope_count > first_own ? point.slope_count - first_own : 0;
    backbones_[k].at(x3, slice.section, point.slopes ? twists_ : nullptr, wanted);
    if (!point.slopes) return;
    for (j = first_own; j < first_own + primitive.coordinate_count() && j < point.slope_count; ++j) {
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
