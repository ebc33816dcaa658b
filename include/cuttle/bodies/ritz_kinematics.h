#pragma once

#include <array>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/swept_kinematics.h"

namespace CUTTLE_API cuttle {

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

template <typename S>
struct RitzParametersT {
  std::vector<RitzModeT<S>> modes;

  RitzParametersT() = default;
  RitzParametersT(std::vector<RitzModeT<S>> m) : modes(std::move(m)) {}  // NOLINT(google-explicit-constructor)
  template <typename T>
  RitzParametersT<T> cast() const;
};
using RitzParameters = RitzParametersT<double>;

/// p = x + sum_k phi_k(x) q_k with modes phi_k that are polynomials of the rest position. Linear in q.
template <typename S>
class RitzKinematicsT final : public SweptKinematicsT<RitzKinematicsT, RitzParametersT, S> {
  using Base = SweptKinematicsT<RitzKinematicsT, RitzParametersT, S>;

 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit RitzKinematicsT(const RitzParametersT<S>& parameters);

  std::string type_name() const override { return "ritz"; }
  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return false; }
  bool is_linear() const override { return true; }
};
using RitzKinematics = RitzKinematicsT<double>;

}  // namespace cuttle
