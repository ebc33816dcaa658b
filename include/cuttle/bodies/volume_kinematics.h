#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/spatial/dual.h"

namespace cuttle {

/// Where the material points of a volume go, p = f(x, q), [P] (2), and every derivative of f that a volume asks for.
/// One class each kind of kinematics; a VolumeBodyT makes a body of it.
///
/// Const and shared by threads. An evaluation may use one buffer a thread: `prepare_thread` makes it large enough; a
/// thread that was not prepared allocates in its first evaluation.
template <typename S>
class VolumeKinematicsT {
 public:
  using Request = typename PointBodyBaseT<S>::Request;
  using Motions = typename PointBodyBaseT<S>::Motions;
  /// Scalar with a derivative in one direction.
  using Directed = Dual<S, 1>;

  virtual ~VolumeKinematicsT() = default;

  virtual std::vector<CoordinateInfo> coordinates() const = 0;
  /// Whether det(df/dx) = 1 wherever f is defined.
  virtual bool keeps_volume() const = 0;
  virtual void prepare_thread() const {}

  /// Fills motions[i] of the rest positions x[i] [m], i < count. Quickest if points with the same x.z stand together.
  /// @throws ConfigurationError, for the scalars double and long double, where f is not defined.
  virtual void move(const Request& request, const Vector3T<S>* x, std::size_t count, const Motions& motions) const = 0;

  /// Deformation gradients: F[i] = df/dx at x[i].
  /// @param slopes  slopes[i * n_B + j] = dF[i]/dq_j; null if they are not asked for.
  /// @throws ConfigurationError as `move`.
  virtual void gradients(const S* q, const Vector3T<S>* x, std::size_t count, Matrix3T<S>* F,
                         Matrix3T<S>* slopes) const = 0;
  /// The same with their derivatives along a direction of q.
  virtual void gradients(const Directed* q, const Vector3T<S>* x, std::size_t count, Matrix3T<Directed>* F,
                         Matrix3T<Directed>* slopes) const = 0;

  virtual std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const = 0;
  virtual std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const = 0;
  virtual std::shared_ptr<const VolumeKinematicsT<Gradient>> clone_as(ScalarTag<Gradient>) const = 0;
};

}  // namespace cuttle
