#pragma once

#include "cuttle/algorithms/derivatives.h"

// The functions of cuttle/algorithms/actuation.h for any transmissions of a model: its actuators', and those that its
// elements act through. Arguments are not checked again.

namespace cuttle {

/// dy/dq transposed, nv x count.
template <typename S>
void transmission_matrix(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data, VectorInT<S> q,
                         MatrixXT<S>& matrix);
/// y, count.
template <typename S>
void transmission_coordinates(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data,
                              VectorInT<S> q, VectorXT<S>& y);
/// Both at once.
template <typename S>
void transmission_motion(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data, VectorInT<S> q,
                         MatrixXT<S>& matrix, VectorXT<S>& y);
/// (dy/dq)^T efforts, nv; without those that laws of actuators make.
template <typename S>
void transmission_force(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data, VectorInT<S> q,
                        VectorInT<S> efforts, VectorXT<S>& force);

/// The two sets of transmissions that a model has.
enum class TransmissionSet { actuators, elements };
template <typename S>
const TransmissionsT<S>& transmissions_of(const ModelT<S>& model, TransmissionSet set) {
  return set == TransmissionSet::actuators ? model.actuation() : model.element_transmissions();
}
/// Subtracts d((dy/dq)^T efforts)/dq at fixed efforts from `by_q`; without those that laws of actuators make.
void subtract_transmission_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                                 const VectorInT<double>& q, const VectorXd& efforts, MatrixXd& by_q);

}  // namespace cuttle
