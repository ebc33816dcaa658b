#pragma once

#include <string>
#include <utility>

#include "cuttle/api.h"
#include "cuttle/bodies/elastic_law_base.h"
#include "cuttle/bodies/point_lanes.h"
#include "cuttle/bodies/strain_invariants.h"
#include "cuttle/spatial/pack_math.h"

namespace CUTTLE_API cuttle {

/// The law of a material of a user, from its energy density alone: stress and stiffness are its derivatives.
///
/// K is a class of numbers of the scalar S with
/// - `static constexpr const char* type_name`;
/// - `template <typename T> T energy_density(const Matrix3T<T>& F) const`, W [J/m^3], for any scalar T over S. It must
/// not
///   change when F is turned, W(R F) = W(F), and at F = 1 be 0 and smooth. Nothing may branch on a comparison of T:
///   `select(mask, a, b)`, as T may be a pack of points or carry derivatives;
/// - `template <typename T> K<T> cast() const`, the same of another scalar, by scalar_cast.
/// @code
/// template <typename S>
/// struct Gent {
///   static constexpr const char* type_name = "gent";
///   S mu, limit;
///   template <typename T>
///   T energy_density(const Matrix3T<T>& F) const {
///     using std::log;
///     return T(-0.5 * mu * limit) * log(T(1.0) - material::first_invariant_excess(F) / T(limit));
///   }
///   template <typename T>
///   Gent<T> cast() const { return {scalar_cast<T>(mu), scalar_cast<T>(limit)}; }
/// };
/// VolumeMaterial rubber{.law = make_elastic_law<double>(Gent<double>{1e5, 30.0})};
/// @endcode
/// One virtual call serves a few blocks of points; those are computed in packs.
/// @tparam W  lanes of the packs: of the flags that this is compiled with.
template <typename S, typename K, int W = k_host_lanes>
class ElasticLawT final : public ElasticLawBaseT<S> {
 public:
  explicit ElasticLawT(K law) : law_(std::move(law)) { this->measure(); }

  const K& law() const { return law_; }

  std::string type_name() const override { return K::type_name; }

  void energy_density(const S* F, std::size_t blocks, S* density) const override {
    each<P>(blocks, [&](std::size_t block, int lane) {
      const P value = law_.template energy_density<P>(load<P, P>(F + block * k_rows, lane));
      Lanes<P, S>::store(density + block * k_lanes + lane, value);
    });
  }
  void stress(const S* F, std::size_t blocks, S* stress) const override {
    each<P>(blocks, [&](std::size_t block, int lane) {
      P derivatives[9];
      differentiate<P>(F + block * k_rows, k_lanes, lane, derivatives);
      for (int i = 0; i < 9; ++i) Lanes<P, S>::store(stress + block * k_rows + i * k_lanes + lane, derivatives[i]);
    });
  }
  void stress_along(const S* F, std::size_t blocks, S* stress) const override {
    using T = Dual<P, 1>;
    each<P>(blocks, [&](std::size_t block, int lane) {
      T derivatives[9];
      differentiate<T>(F + block * 2 * k_rows, 2 * k_lanes, lane, derivatives);
      for (int i = 0; i < 9; ++i) {
        S* at = stress + block * 2 * k_rows + 2 * i * k_lanes + lane;
        Lanes<P, S>::store(at, derivatives[i].value);
        Lanes<P, S>::store(at + k_lanes, derivatives[i].derivative[0]);
      }
    });
  }

  std::shared_ptr<const ElasticLawBaseT<double>> clone_as(ScalarTag<double>) const override { return cast<double>(); }
  std::shared_ptr<const ElasticLawBaseT<long double>> clone_as(ScalarTag<long double>) const override {
    return cast<long double>();
  }
  std::shared_ptr<const ElasticLawBaseT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override {
    return cast<ForwardDual>();
  }

 private:
  static constexpr std::size_t k_lanes = k_point_lanes<S>, k_rows = 9 * k_lanes;
  using P = std::conditional_t<std::is_same_v<S, double>, Pack<W>, S>;

  template <typename T>
  std::shared_ptr<const ElasticLawBaseT<T>> cast() const {
    auto other = law_.template cast<T>();
    return std::make_shared<const ElasticLawT<T, decltype(other), W>>(std::move(other));
  }
  /// Calls use(block, first lane) for all lanes of all blocks.
  template <typename L, typename Use>
  static void each(std::size_t blocks, const Use& use) {
    for (std::size_t block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<L, S>::k_width) use(block, lane);
    }
  }
  /// A number of F, or one with its derivative, which lies a row of lanes behind.
  template <typename T>
  static T entry(const S* row) {
    if constexpr (std::is_same_v<T, P>) {
      return Lanes<P, S>::load(row);
    } else {
      T value(Lanes<P, S>::load(row));
      value.derivative[0] = Lanes<P, S>::load(row + k_lanes);
      return value;
    }
  }
  template <typename T, typename U>
  static Matrix3T<T> load(const S* F, int lane) {
    const auto row = [&](int i) {
      const S* at = F + 3 * i * k_lanes + lane;
      return Vector3T<T>{entry<U>(at), entry<U>(at + k_lanes), entry<U>(at + 2 * k_lanes)};
    };
    return {row(0), row(1), row(2)};
  }
  /// dW/dF by the nine entries of F, `stride` apart: three directions at a time, a row of F.
  template <typename T>
  void differentiate(const S* F, std::size_t stride, int lane, T* derivatives) const {
    using D = Dual<T, 3>;
    for (int varied = 0; varied < 3; ++varied) {
      const auto row = [&](int i) {
        Vector3T<D> result;
        for (int j = 0; j < 3; ++j) {
          result[j] = D(entry<T>(F + (3 * i + j) * stride + lane));
          if (i == varied) result[j].derivative[j] = T(1.0);
        }
        return result;
      };
      const D value = law_.template energy_density<D>({row(0), row(1), row(2)});
      for (int j = 0; j < 3; ++j) derivatives[3 * varied + j] = value.derivative[j];
    }
  }

  K law_;
};

/// The law of a K for the scalar S.
template <typename S, typename K, int W = k_host_lanes>
std::shared_ptr<const ElasticLawBaseT<S>> make_elastic_law(K law) {
  return std::make_shared<const ElasticLawT<S, K, W>>(std::move(law));
}

}  // namespace cuttle
