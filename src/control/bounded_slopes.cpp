#include "control/bounded_slopes.h"

namespace cuttle {

void bound_slope(const ControlPlaces& places, const OutputBounds& bounds, int k, bool low, const GivenSlopes& before,
                 Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> row) {
  const MatrixXd* given = low ? before.lower : before.upper;
  if (given != nullptr) {
    row = given->row(k);
  } else if (low && bounds.lower_follows[k]) {
    row = -before.inputs.row(places.inputs[k]);
  } else {
    row.setZero();
  }
}

void hold_slopes(const ControlPlaces& places, const OutputBounds& bounds, const VectorXd& out,
                 const GivenSlopes& before, MatrixXd& rows) {
  for (int k = 0; k < places.input_count(); ++k) {
    const bool low = !(out[k] > bounds.lower[k]);
    if (low || !(out[k] < bounds.upper[k])) bound_slope(places, bounds, k, low, before, rows.row(k));
  }
}

void allocate_slopes(Allocation& allocation, const MatrixXd& G, const ControlPlaces& places, const OutputBounds& bounds,
                     const VectorXd& out, const GivenSlopes& before, Eigen::RowVectorXd& bound, MatrixXd& rows) {
  bound.resize(rows.cols());
  const auto read_bound = [&](int k) {
    bound_slope(places, bounds, k, !(out[k] > bounds.lower[k]), before, bound);
    return !bound.isZero(0.0);
  };
  // what the bounds' own motion leaves for the free inputs
  for (int k = 0; k < places.input_count(); ++k) {
    if (allocation.is_free(k) || !read_bound(k)) continue;
    for (int j = 0; j < places.input_count(); ++j) rows.row(j) -= G(j, k) * bound;
  }
  allocation.solve_free(rows);
  for (int k = 0; k < places.input_count(); ++k) {
    if (!allocation.is_free(k) && read_bound(k)) rows.row(k) = bound;
  }
}

}  // namespace cuttle
