#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

/// Shape functions of one strain component along a rod (docs/format.md, Basis). The argument is t = s/L in [0, 1];
/// lengths in parameters are meters of rest length.
template <typename S>
struct StrainBasisT {
  enum class Kind { constant, monomial, legendre, chebyshev, fourier, gaussian, hermite, piecewise, function };

  Kind kind = Kind::constant;
  int order = 0;           ///< monomial, legendre, chebyshev: order + 1 modes; fourier: 2 order + 1 modes
  std::vector<S> centers;  ///< gaussian: c [m], one mode exp(-((s - c)/w)^2) each after the constant mode
  std::vector<S> widths;   ///< gaussian: w [m], > 0
  int nodes = 2;           ///< hermite: 2 nodes modes, value and slope (in t) node by node
  std::vector<S> breaks;   ///< piecewise: interior points [m], ascending; one indicator function a piece
  std::vector<std::function<S(const S& t)>> functions;  ///< function: one mode each

  /// Of functions nobody knows: such bases differ from all others.
  bool operator==(const StrainBasisT& other) const {
    return kind == other.kind && order == other.order && centers == other.centers && widths == other.widths &&
           nodes == other.nodes && breaks == other.breaks && functions.empty() && other.functions.empty();
  }

  static StrainBasisT constant() { return {}; }
  static StrainBasisT of_order(Kind kind, int order) {
    StrainBasisT basis;
    basis.kind = kind;
    basis.order = order;
    return basis;
  }

  int mode_count() const;
  /// What mode k is along the rod, for people, as `from s = 0.1 m to 0.2 m`; empty: the same all along.
  std::string mode_meaning(int k, const S& length) const;
  /// True if every mode has the same value all along the rod.
  bool is_constant() const;
  /// Values of all modes at t.
  /// @param length  L [m], which turns the lengths in the parameters into t.
  void evaluate(const S& t, const S& length, S* values) const;
  /// @throws ModelError for parameters that make no sense along a rod of that length [m].
  void check(const S& length) const;

  /// The same basis for another scalar. @throws ModelError for `function`, which has only S.
  template <typename T>
  StrainBasisT<T> cast() const;
};
using StrainBasis = StrainBasisT<double>;

/// A quantity along a rod: one value (constant) or values at equal spacing from s = 0 to L, linear in between.
template <typename S>
struct ProfileT {
  std::vector<S> values;

  ProfileT() = default;
  ProfileT(const S& value) : values{value} {}  // NOLINT(google-explicit-constructor): a number is a profile
  explicit ProfileT(std::vector<S> v) : values(std::move(v)) {}
  bool operator==(const ProfileT&) const = default;
  bool empty() const { return values.empty(); }
  S at(const S& t) const;

  template <typename T>
  ProfileT<T> cast() const {
    ProfileT<T> other;
    for (const S& value : values) other.values.push_back(scalar_cast<T>(value));
    return other;
  }
};
using Profile = ProfileT<double>;

}  // namespace cuttle
