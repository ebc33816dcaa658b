#include "control/bounded_slopes.h"

namespace cuttle {

void hold_slopes(const ControlPlaces& places, const OutputBounds& bounds, const VectorXd& out, const MatrixXd& before,
                 MatrixXd& rows) {
  for (int k = 0; k < places.input_count(); ++k) {
    const bool low = !(out[k] > bounds.lower[k]);
    if (!low && out[k] < bounds.upper[k]) continue;
    rows.row(k).setZero();
    if (low && bounds.lower_follows[k]) rows.row(k) = -before.row(places.inputs[k]);
  }
}

void allocate_slopes(Allocation& allocation, const MatrixXd& G, const ControlPlaces& places, const OutputBounds& bounds,
                     const VectorXd& out, const MatrixXd& before, MatrixXd& rows) {
  const auto moves = [&](int k) {
    return !allocation.is_free(k) && bounds.lower_follows[k] && !(out[k] > bounds.lower[k]);
  };
  for (int k = 0; k < places.input_count(); ++k) {
    if (!moves(k)) continue;
    for (int j = 0; j < places.input_count(); ++j) rows.row(j) += G(j, k) * before.row(places.inputs[k]);
  }
  allocation.solve_free(rows);
  for (int k = 0; k < places.input_count(); ++k) {
    if (moves(k)) rows.row(k) = -before.row(places.inputs[k]);
  }
}

}  // namespace cuttle
