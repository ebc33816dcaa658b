#pragma once

#include <optional>
#include <string>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// The rows of the loops' constraints that a run or an equilibrium holds, Phi(q) = 0 with G = dPhi/dq, among all rows
/// of the model. They are the same within a step. Memory is made once, and anew where others are held.
template <typename S>
class HeldRowsT {
 public:
  /// @param rows  those to hold: select_constraint_rows. The model must outlive this.
  explicit HeldRowsT(const ModelT<S>& model, ConstraintRows rows = {});

  /// m, the number of rows that are held.
  int count() const { return static_cast<int>(rows_.kept.size()); }
  const ConstraintRows& rows() const { return rows_; }
  /// Holds these from now on.
  void hold(ConstraintRows rows);
  /// Each stays as open as it is at q, with the derivatives of that.
  void stay_open(DataT<S>& data, VectorInT<S> q);

  /// Phi(q) beside what rows stay open by [m, or 1 for directions], size m. Valid until the next call, like all results
  /// here.
  const VectorXT<S>& residual(DataT<S>& data, VectorInT<S> q);
  /// G(q), m x nv.
  const MatrixXT<S>& jacobian(DataT<S>& data, VectorInT<S> q);
  /// (dG/dt) v, size m.
  const VectorXT<S>& bias(DataT<S>& data, VectorInT<S> q, VectorInT<S> v);
  /// Multipliers of all rows of those that are held; zero for the others.
  const VectorXT<S>& spread(VectorInT<S> lambda);
  /// And back.
  VectorXT<S> kept_of(VectorInT<S> multipliers) const;
  /// G^T lambda, size nv.
  const VectorXT<S>& force(DataT<S>& data, VectorInT<S> q, VectorInT<S> lambda);

  /// Of a model with loops.
  ConstraintDataT<S>& data() { return *data_; }

 private:
  const ModelT<S>* model_;
  ConstraintRows rows_;
  std::optional<ConstraintDataT<S>> data_;
  VectorXT<S> open_, residual_, bias_, multipliers_;
  MatrixXT<S> jacobian_;
};
using HeldRows = HeldRowsT<double>;

extern template class HeldRowsT<double>;
extern template class HeldRowsT<ForwardDual>;

}  // namespace cuttle
