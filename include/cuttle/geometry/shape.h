#pragma once

#include <memory>
#include <type_traits>

#include "cuttle/api.h"
#include "cuttle/geometry/signed_distance.h"
#include "cuttle/spatial/dual.h"

namespace CUTTLE_API cuttle {

/// A signed distance that is written once. `Kind<S>` derives from ShapeT<Kind, S>, has a type_name and a
/// half_thickness, and one of
///   template <T> DistanceT<T> distance(const Vector3T<T>& x) const   (value, gradient and Hessian)
///   template <T> T distance(const Vector3T<T>& x) const              (the value: the others follow by differentiation)
/// Nothing in it may branch on its argument: `select(mask, a, b)` instead of `if`. With
///   template <T> Kind<T> cast() const
/// it exists for other scalars too.
/// @code
/// /// A bump: z = height exp(-(x^2 + y^2) / width^2), to first order in its slope.
/// template <typename S>
/// struct Bump final : ShapeT<Bump, S> {
///   std::string type_name() const override { return "bump"; }
///   S half_thickness() const override { return std::numeric_limits<double>::infinity(); }
///   template <typename T>
///   T distance(const Vector3T<T>& x) const {
///     const T r2 = (x.x * x.x + x.y * x.y) / T(width * width), h = T(height) * exp(-r2);
///     return (x.z - h) / sqrt(T(1.0) + T(4.0) * h * h * r2 / T(width * width));
///   }
///   S height{}, width{};
/// };
/// @endcode
template <template <typename> class Kind, typename S>
class ShapeT : public SignedDistanceT<S> {
 public:
  using Directions = typename SignedDistanceT<S>::Directions;

  DistanceT<S> at(const Vector3T<S>& x) const final { return distance_at(x); }
  DistanceT<Directions> at(const Vector3T<Directions>& x) const final { return distance_at(x); }

  std::shared_ptr<const SignedDistanceT<double>> clone_as(ScalarTag<double>) const final { return cloned<double>(); }
  std::shared_ptr<const SignedDistanceT<long double>> clone_as(ScalarTag<long double>) const final {
    return cloned<long double>();
  }
  std::shared_ptr<const SignedDistanceT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const final {
    return cloned<ForwardDual>();
  }

 private:
  const Kind<S>& self() const { return static_cast<const Kind<S>&>(*this); }

  template <typename T>
  DistanceT<T> distance_at(const Vector3T<T>& x) const {
    if constexpr (std::is_same_v<decltype(self().distance(x)), T>) {
      using First = Dual<T, 3>;
      using Second = Dual<First, 3>;
      const auto variable = [](const T& value, int i) { return Second::variable(First::variable(value, i), i); };
      const Second d = self().distance(Vector3T<Second>{variable(x.x, 0), variable(x.y, 1), variable(x.z, 2)});
      const auto second = [&](int i, int j) { return d.derivative[i].derivative[j]; };
      return {d.value.value,
              {d.derivative[0].value, d.derivative[1].value, d.derivative[2].value},
              {second(0, 0), second(1, 1), second(2, 2), second(0, 1), second(0, 2), second(1, 2)}};
    } else {
      return self().distance(x);
    }
  }
  template <typename T>
  std::shared_ptr<const SignedDistanceT<T>> cloned() const {
    if constexpr (requires(const Kind<S>& kind) { kind.template cast<T>(); }) {
      return std::make_shared<const Kind<T>>(self().template cast<T>());
    } else {
      return nullptr;
    }
  }
};

}  // namespace cuttle
