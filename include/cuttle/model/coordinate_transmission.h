#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission_binder.h"
#include "cuttle/spatial/dual.h"

namespace CUTTLE_API cuttle {

/// The function that a kind of CoordinateTransmission has as its formula.
template <typename Kind, typename S, int n>
class CoordinateFormula final : public CoordinateFunctionT<S> {
 public:
  explicit CoordinateFormula(Kind kind) : kind_(std::move(kind)) {}
  S value(const S* x) const override { return kind_.y(x); }
  void slopes(const S* x, S* dy) const override {
    using D = Dual<S, n>;
    std::array<D, n> q;
    for (int i = 0; i < n; ++i) q[i] = D::variable(x[i], i);
    const D y = kind_.y(static_cast<const D*>(q.data()));
    for (int i = 0; i < n; ++i) dy[i] = y.derivative[i];
  }
  void hessian(const S* x, S* ddy) const override {
    using D = Dual<Dual<S, n>, n>;
    std::array<D, n> q;
    for (int i = 0; i < n; ++i) q[i] = D::variable(Dual<S, n>::variable(x[i], i), i);
    const D y = kind_.y(static_cast<const D*>(q.data()));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) ddy[i * n + j] = y.derivative[i].derivative[j];
    }
  }

 private:
  Kind kind_;
};

/// A transmission of which y is a formula of some coordinates of links: a cam, a nonlinear gear, a differential.
/// `Kind<S>` derives from CoordinateTransmission<Kind, S, n> and has a type_name, `coordinates`, `unit` and
///   template <T> T y(const T* q) const           (q: the n coordinates)
///   template <T> Kind<T> cast() const
/// First and second derivatives are by forward differentiation, exact to rounding. Nothing in the formula may branch on
/// its arguments: `select(mask, a, b)` instead of `if`.
template <template <typename> class Kind, typename S, int n>
class CoordinateTransmission : public CastTransmission<Kind, S> {
  static_assert(n > 0 && n <= k_most_function_coordinates);

 public:
  virtual std::array<LinkCoordinate, n> coordinates() const = 0;
  /// Of the effort: N m | N | ..
  virtual std::string unit() const = 0;

  std::vector<std::string> links() const override {
    std::vector<std::string> links;
    for (const LinkCoordinate& coordinate : coordinates()) {
      if (std::find(links.begin(), links.end(), coordinate.link) == links.end()) links.push_back(coordinate.link);
    }
    return links;
  }
  void bind(TransmissionBinderT<S>& to) const final {
    const auto at = coordinates();
    to.add_function(unit(), {at.begin(), at.end()},
                    std::make_shared<const CoordinateFormula<Kind<S>, S, n>>(static_cast<const Kind<S>&>(*this)));
  }
};

}  // namespace cuttle
