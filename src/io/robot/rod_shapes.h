#pragma once

#include <vector>

#include "cuttle/bodies/strain_basis.h"

namespace cuttle {

/// A strain basis in robot files: its name, and the numbers that it has.
template <typename S>
struct BasisKindT {
  struct List {
    const char* key;
    std::vector<S> StrainBasisT<S>::*values;
  };
  typename StrainBasisT<S>::Kind kind;
  const char* name;
  const char* count = nullptr;  ///< key of the integer that it has; null: none
  int StrainBasisT<S>::*counted = nullptr;
  std::vector<List> lists = {};
};

/// All that files can say, a line each.
template <typename S>
const std::vector<BasisKindT<S>>& basis_kinds() {
  using Basis = StrainBasisT<S>;
  using Kind = typename Basis::Kind;
  static const std::vector<BasisKindT<S>> k_kinds{
      {Kind::constant, "constant"},
      {Kind::monomial, "monomial", "order", &Basis::order},
      {Kind::legendre, "legendre", "order", &Basis::order},
      {Kind::chebyshev, "chebyshev", "order", &Basis::order},
      {Kind::fourier, "fourier", "order", &Basis::order},
      {Kind::gaussian, "gaussian", nullptr, nullptr, {{"centers", &Basis::centers}, {"widths", &Basis::widths}}},
      {Kind::hermite, "hermite", "nodes", &Basis::nodes},
      {Kind::piecewise, "piecewise", nullptr, nullptr, {{"breaks", &Basis::breaks}}},
  };
  return k_kinds;
}

}  // namespace cuttle
