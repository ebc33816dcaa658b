#pragma once

#include <array>
#include <vector>

#include "cuttle/bodies/volume_kinematics.h"

namespace cuttle {

/// One term of a mode: vector x1^i x2^j x3^k, x in metres.
template <typename S>
struct RitzTermT {
  std::array<int, 3> powers{};  ///< i, j, k >= 0
  Vector3T<S> vector;
};
template <typename S>
using RitzModeT = std::vector<RitzTermT<S>>;
using RitzTerm = RitzTermT<double>;
using RitzMode = RitzModeT<double>;

/// p = x + sum_k phi_k(x) q_k with modes phi_k that are polynomials of the rest position. Linear in q.
template <typename S>
class RitzKinematicsT final : public VolumeKinematicsT<S> {
  using Base = VolumeKinematicsT<S>;

 public:
  using typename Base::Directed;
  using typename Base::Motions;
  using typename Base::Request;

  /// @throws ModelError: key, what was found, what was expected.
  explicit RitzKinematicsT(std::vector<RitzModeT<S>> modes);

  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return false; }
  void move(const Request& request, const Vector3T<S>* x, std::size_t count, const Motions& motions) const override;
  void gradients(const S* q, const Vector3T<S>* x, std::size_t count, Matrix3T<S>* F,
                 Matrix3T<S>* slopes) const override;
  void gradients(const Directed* q, const Vector3T<S>* x, std::size_t count, Matrix3T<Directed>* F,
                 Matrix3T<Directed>* slopes) const override;

  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const override;
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const override;
  std::shared_ptr<const VolumeKinematicsT<Gradient>> clone_as(ScalarTag<Gradient>) const override;

 private:
  std::vector<RitzModeT<S>> modes_;
};
using RitzKinematics = RitzKinematicsT<double>;

}  // namespace cuttle
