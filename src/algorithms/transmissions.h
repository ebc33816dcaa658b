#pragma once

#include "algorithms/edge_blocks.h"
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
/// Both at once. @param wanted  by transmission: columns and coordinates of others may be left incomplete. Null: all.
template <typename S>
void transmission_motion(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data, VectorInT<S> q,
                         MatrixXT<S>& matrix, VectorXT<S>& y, const std::vector<char>* wanted = nullptr);
/// (dy/dq)^T efforts, nv; without those that laws of actuators make.
template <typename S>
void transmission_force(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data, VectorInT<S> q,
                        VectorInT<S> efforts, VectorXT<S>& force);

// Parts of these, for derivatives.

/// Of straight stretches of tendons and of wrenches, which act on frames, alone: (dy/dq)^T efforts, nv, and dy/dq
/// transposed. The force without those that laws of actuators make.
template <typename S>
void frame_transmission_force(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data,
                              VectorInT<S> q, VectorInT<S> efforts, VectorXT<S>& force);
template <typename S>
void frame_transmission_matrix(const ModelT<S>& model, const TransmissionsT<S>& transmissions, DataT<S>& data,
                               VectorInT<S> q, MatrixXT<S>& matrix);
/// What the part of y that one polygon of a tendon, or one chamber, makes changes by: into the body's entries of
/// `force`; others are left as they are.
template <typename S>
void polygon_force(const ModelT<S>& model, const BoundTendonT<S>& tendon, const TendonPolygonT<S>& polygon,
                   DataT<S>& data, VectorInT<S> q, VectorXT<S>& force);
template <typename S>
void chamber_force(const ModelT<S>& model, const BoundChamberT<S>& chamber, DataT<S>& data, VectorInT<S> q,
                   VectorXT<S>& force);

/// The two sets of transmissions that a model has.
enum class TransmissionSet { actuators, elements };
template <typename S>
const TransmissionsT<S>& transmissions_of(const ModelT<S>& model, TransmissionSet set) {
  return set == TransmissionSet::actuators ? model.actuation() : model.element_transmissions();
}
/// Subtracts d((dy/dq)^T efforts)/dq at fixed efforts from `by_q`; without those that laws of actuators make.
void subtract_transmission_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                                 const VectorInT<double>& q, const VectorXd& efforts, MatrixXd& by_q);
/// Whether all of them act on coordinates of one body each: no straight stretches, wrenches and functions.
bool acts_within_bodies(const Model& model, TransmissionSet set);
/// As subtract_transmission_slope, of what of them does, by blocks.
void subtract_body_slopes(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                          const VectorInT<double>& q, const VectorXd& efforts, const EdgeBlocks& by_q);
struct SparseBodyMemory;
/// The same within bodies that have sparse derivatives, from these of their values.
void subtract_sparse_slopes(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                            const VectorInT<double>& q, const VectorXd& efforts,
                            std::vector<double> SparseBodyMemory::*values);
/// A matrix for the slope of one transmission.
struct TransmissionSlope {
  int index;         ///< of the transmission
  MatrixXd* matrix;  ///< nv x nv
};
/// Fills d(dy/dq)^T/dq of each (none of which a law drives): column k is the change by displacement k.
void transmission_slopes(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                         const VectorInT<double>& q, const std::vector<TransmissionSlope>& slopes);
/// The part of y'' that velocities make, d(dy/dq)/dt v: of those that are wanted; others may be left as they are.
/// @param bias  count.
void transmission_bias(const Model& model, TransmissionSet set, DerivativeData& derivatives, const VectorInT<double>& q,
                       const VectorInT<double>& v, const std::vector<char>& wanted, VectorXd& bias);
/// Its derivative by displacements of q, in the rows of `by_q` (count x nv) of those that are wanted: third derivatives
/// of y. Exact for tendons along rods and through bodies whose kinematics know them; for all else central differences
/// of the second ones (step 1e-5: error about 1e-10 of what changes).
void transmission_bias_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                             const VectorInT<double>& q, const VectorInT<double>& v, const std::vector<char>& wanted,
                             MatrixXd& by_q);

}  // namespace cuttle
