#include "cuttle/algorithms/held_rows.h"

#include <utility>

namespace cuttle {

template <typename S>
HeldRowsT<S>::HeldRowsT(const ModelT<S>& model, ConstraintRows rows) : model_(&model) {
  if (!model.loops().empty()) data_.emplace(model);
  hold(std::move(rows));
}

template <typename S>
void HeldRowsT<S>::hold(ConstraintRows rows) {
  rows_ = std::move(rows);
  residual_.resize(count()), bias_.resize(count()), jacobian_.resize(count(), model_->nv());
  multipliers_.setZero(model_->constraint_count());
  open_.setZero(count());
  if (rows_.open.size() > 0) open_ = rows_.open.template cast<S>();
}

template <typename S>
void HeldRowsT<S>::stay_open(DataT<S>& data, VectorInT<S> q) {
  open_ += residual(data, q);
}

template <typename S>
const VectorXT<S>& HeldRowsT<S>::residual(DataT<S>& data, VectorInT<S> q) {
  if (count() == 0) return residual_;
  const VectorXT<S>& all = constraint_residual<S>(*model_, data, *data_, q);
  for (int i = 0; i < count(); ++i) residual_[i] = all[rows_.kept[static_cast<std::size_t>(i)]] - open_[i];
  return residual_;
}

template <typename S>
const MatrixXT<S>& HeldRowsT<S>::jacobian(DataT<S>& data, VectorInT<S> q) {
  if (count() == 0) return jacobian_;
  const MatrixXT<S>& all = constraint_jacobian<S>(*model_, data, *data_, q);
  for (int i = 0; i < count(); ++i) jacobian_.row(i) = all.row(rows_.kept[static_cast<std::size_t>(i)]);
  return jacobian_;
}

template <typename S>
const VectorXT<S>& HeldRowsT<S>::bias(DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  if (count() == 0) return bias_;
  const VectorXT<S>& all = constraint_bias<S>(*model_, data, *data_, q, v);
  for (int i = 0; i < count(); ++i) bias_[i] = all[rows_.kept[static_cast<std::size_t>(i)]];
  return bias_;
}

template <typename S>
const VectorXT<S>& HeldRowsT<S>::spread(VectorInT<S> lambda) {
  for (int i = 0; i < count(); ++i) multipliers_[rows_.kept[static_cast<std::size_t>(i)]] = lambda[i];
  return multipliers_;
}

template <typename S>
VectorXT<S> HeldRowsT<S>::kept_of(VectorInT<S> multipliers) const {
  VectorXT<S> lambda(count());
  for (int i = 0; i < count(); ++i) lambda[i] = multipliers[rows_.kept[static_cast<std::size_t>(i)]];
  return lambda;
}

template <typename S>
const VectorXT<S>& HeldRowsT<S>::force(DataT<S>& data, VectorInT<S> q, VectorInT<S> lambda) {
  return constraint_force<S>(*model_, data, *data_, q, spread(lambda));
}

template class HeldRowsT<double>;
template class HeldRowsT<ForwardDual>;

}  // namespace cuttle
