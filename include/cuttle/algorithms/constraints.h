#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Results and working memory of the algorithms below, made once for a Model with loops, beside its Data: one a thread.
/// Nothing is allocated later.
template <typename S>
class ConstraintDataT {
 public:
  explicit ConstraintDataT(const ModelT<S>& model);
  /// Of the model that it was made for; it serves models as a Data does.
  const std::shared_ptr<const ModelStamp>& stamp() const { return stamp_; }

  VectorXT<S> residual;          ///< m: Phi(q), in units of ModelT::constraint_info
  MatrixXT<S> jacobian;          ///< m x nv: G
  VectorXT<S> bias;              ///< m: (dG/dt) v
  VectorXT<S> force;             ///< nv: G^T lambda [N m or N]
  MatrixXT<S> force_derivative;  ///< nv x nv: d(G^T lambda)/dq

  // Working memory; one entry a loop, an edge's coordinate or a node.
  struct Ends {
    PoseT<S> world_a, world_b;           ///< the loop's frames
    MatrixXT<S> jacobian_a, jacobian_b;  ///< 6 x nv, each in its frame's axes
  };
  std::vector<Ends> ends;
  MatrixXT<S> rate_a, rate_b;             ///< 6 x nv: how the wrenches at one loop's frames change with q
  std::vector<char> on_path;              ///< of nodes: a loop's frame is fixed to it or to a node beyond
  std::vector<PortMotionT<S>> motions;    ///< ports of one body
  std::vector<S> velocity, acceleration;  ///< coordinates of one body
  std::vector<S> single;                  ///< its accelerations under velocities in one coordinate each
  VectorXT<S> zero;                       ///< nv

 private:
  std::shared_ptr<const ModelStamp> stamp_;
};
using ConstraintData = ConstraintDataT<double>;

/// Residual Phi(q) of all loops, m = ModelT::constraint_count rows in the units of ModelT::constraint_info
/// (cuttle/model/loop.h says what they are). Zero: the loops are closed.
/// @param q  configuration, size nq.   @return constraints.residual, size m; valid until the next call.
/// @throws ArgumentError, here and below, if a size is wrong, a value is not finite, or `constraints` is of another
/// model. Cost O(links + points of rods); here and below nothing is allocated.
template <typename S>
CUTTLE_API const VectorXT<S>& constraint_residual(const ModelT<S>& model, DataT<S>& data,
                                                  ConstraintDataT<S>& constraints, VectorInT<S> q);

/// Jacobian G of all loops' residuals with dPhi/dt = G v; the multipliers lambda of `M a + c + g + s = nu - G^T lambda`
/// are what b pushes on a ([B] (19), (37)). Residuals come with it.
/// @param q  configuration, size nq.   @return constraints.jacobian, m x nv.   @throws as constraint_residual.
template <typename S>
CUTTLE_API const MatrixXT<S>& constraint_jacobian(const ModelT<S>& model, DataT<S>& data,
                                                  ConstraintDataT<S>& constraints, VectorInT<S> q);

/// (dG/dt) v, size m: d^2 Phi/dt^2 = G a + bias. @return constraints.bias.
template <typename S>
CUTTLE_API const VectorXT<S>& constraint_bias(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                              VectorInT<S> q, VectorInT<S> v);

/// Generalized force G^T lambda, size nv, without G: one inward sweep. @return constraints.force.
template <typename S>
CUTTLE_API const VectorXT<S>& constraint_force(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                               VectorInT<S> q, VectorInT<S> lambda);

/// The wrenches that multipliers make at the loops' frames, a and b of each loop in turn, body axes: their generalized
/// force is G^T lambda.
/// @param wrenches  two a loop.
template <typename S>
CUTTLE_API void constraint_wrenches(const ModelT<S>& model, DataT<S>& data, ConstraintDataT<S>& constraints,
                                    VectorInT<S> q, VectorInT<S> lambda,
                                    typename std::type_identity<std::span<ExternalWrenchT<S>>>::type wrenches);

/// The part of d(G^T lambda)/dq in which these wrenches turn in their frames, while the frames' Jacobians stay: what is
/// missing where they are given to inverse_dynamics_derivatives. Residuals and G come with it.
/// @return constraints.force_derivative. Cost O(nv depth + loops nv^2).
template <typename S>
CUTTLE_API const MatrixXT<S>& constraint_wrench_derivative(const ModelT<S>& model, DataT<S>& data,
                                                           ConstraintDataT<S>& constraints, VectorInT<S> q,
                                                           VectorInT<S> lambda);

/// Exact derivative of G(q)^T lambda at constant lambda, nv x nv: column k along integrate(q, e_k eps). Symmetric but
/// for the coordinates of spherical and free joints and of a floating base. Residuals and G come with it.
/// @return constraints.force_derivative.
/// Cost O(nv depth), and for each body between the ends of a loop n_B^2 / 2 of its forward sweeps.
template <typename S>
CUTTLE_API const MatrixXT<S>& constraint_force_derivative(const ModelT<S>& model, DataT<S>& data,
                                                          ConstraintDataT<S>& constraints, VectorInT<S> q,
                                                          VectorInT<S> lambda);

}  // namespace cuttle
