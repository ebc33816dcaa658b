#pragma once

#include "cuttle/api.h"
#include "cuttle/eigen_memory.h"
#include "cuttle/spatial/inertia.h"

namespace CUTTLE_API cuttle {

/// Conversions between the types of the sweeps and Eigen's, for callers; no algorithm uses them inside.
template <typename S>
Eigen::Matrix<S, 3, 1> to_eigen(const Vector3T<S>& a) {
  return {a.x, a.y, a.z};
}
template <typename S>
Eigen::Matrix<S, 3, 3> to_eigen(const Matrix3T<S>& a) {
  Eigen::Matrix<S, 3, 3> m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = a(i, j);
  }
  return m;
}
/// 6-vector, angular part first.
template <typename S>
Eigen::Matrix<S, 6, 1> to_eigen(const TwistT<S>& a) {
  Eigen::Matrix<S, 6, 1> m;
  m << to_eigen(a.angular), to_eigen(a.linear);
  return m;
}
/// 6-vector, torque first.
template <typename S>
Eigen::Matrix<S, 6, 1> to_eigen(const WrenchT<S>& a) {
  Eigen::Matrix<S, 6, 1> m;
  m << to_eigen(a.torque), to_eigen(a.force);
  return m;
}
/// Homogeneous 4 x 4 matrix.
template <typename S>
Eigen::Matrix<S, 4, 4> to_eigen(const PoseT<S>& a) {
  Eigen::Matrix<S, 4, 4> m = Eigen::Matrix<S, 4, 4>::Identity();
  m.template topLeftCorner<3, 3>() = to_eigen(a.rotation);
  m.template topRightCorner<3, 1>() = to_eigen(a.position);
  return m;
}
/// 6 x 6 matrix, angular part first.
template <typename S>
Eigen::Matrix<S, 6, 6> to_eigen(const ArticulatedInertiaT<S>& a) {
  Eigen::Matrix<S, 6, 6> m;
  for (int j = 0; j < 6; ++j) m.col(j) = to_eigen(a.column(j));
  return m;
}

}  // namespace cuttle
