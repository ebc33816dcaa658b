#include "cuttle/bodies/elastic_law_base.h"

#include <cmath>
#include <type_traits>

#include "cuttle/bodies/point_block.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace elastic_law {

/// Nine rows of lanes, each followed by `Extra` more; all lanes are alike.
template <typename S, int Extra>
struct MatrixRows {
  S numbers[9 * (1 + Extra) * k_point_lanes<S>] = {};

  void set(int entry, int row, const S& value) {
    for (int lane = 0; lane < k_point_lanes<S>; ++lane) at(entry, row)[lane] = value;
  }
  const S& get(int entry, int row) const { return const_cast<MatrixRows*>(this)->at(entry, row)[0]; }

 private:
  S* at(int entry, int row) { return numbers + (entry * (1 + Extra) + row) * k_point_lanes<S>; }
};

constexpr int k_xx = 0, k_xy = 1, k_yy = 4;

template <typename S>
MatrixRows<S, 0> rows_of(const Matrix3T<S>& F) {
  MatrixRows<S, 0> rows;
  for (int i = 0; i < 3; ++i) {
    const Vector3T<S>& row = i == 0 ? F.row0 : (i == 1 ? F.row1 : F.row2);
    for (int j = 0; j < 3; ++j) rows.set(3 * i + j, 0, row[j]);
  }
  return rows;
}

}  // namespace elastic_law

using namespace elastic_law;

template <typename S>
S ElasticLawBaseT<S>::energy_at(const Matrix3T<S>& F) const {
  S density[k_point_lanes<S>];
  energy_density(rows_of(F).numbers, 1, density);
  return density[0];
}

template <typename S>
Matrix3T<S> ElasticLawBaseT<S>::stress_at(const Matrix3T<S>& F) const {
  MatrixRows<S, 0> P;
  stress(rows_of(F).numbers, 1, P.numbers);
  const auto row = [&P](int i) { return Vector3T<S>{P.get(3 * i, 0), P.get(3 * i + 1, 0), P.get(3 * i + 2, 0)}; };
  return {row(0), row(1), row(2)};
}

template <typename S>
void ElasticLawBaseT<S>::measure() {
  const auto along = [this](int entry) {
    MatrixRows<S, 1> F, P;
    for (const int diagonal : {0, 4, 8}) F.set(diagonal, 0, S(1.0));
    F.set(entry, 1, S(1.0));
    stress_along(F.numbers, 1, P.numbers);
    return P;
  };
  const MatrixRows<S, 1> sheared = along(k_xy), stretched = along(k_xx);
  shear_modulus_ = sheared.get(k_xy, 1);
  const double mu = scalar_cast<double>(shear_modulus_);
  if (!(mu > 0.0) || !std::isfinite(mu)) {
    throw ModelError("energy_density", "a shear modulus of " + number_text(mu) + " Pa at rest", "a number > 0");
  }
  const auto stress = [&sheared](int entry) { return scalar_cast<double>(sheared.get(entry, 0)); };
  const double pressure = stress(k_xx);
  constexpr double k_rounding = 1e-9;  // of mu: what derivatives of an energy density may leave
  for (int entry = 0; entry < 9; ++entry) {
    const double expected = entry % 4 == 0 ? pressure : 0.0;
    if (std::abs(stress(entry) - expected) <= k_rounding * mu) continue;
    throw ModelError("energy_density", "a stress at rest of " + number_text(stress(entry)) + " Pa in one direction",
                     "the same in all directions, and no shear");
  }
  resists_volume_ = std::abs(pressure) <= k_rounding * mu;
  lambda_ = resists_volume_ ? stretched.get(k_yy, 1) : S(0.0);
}

#define CUTTLE_INSTANTIATE(S) template class ElasticLawBaseT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
