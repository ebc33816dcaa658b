#pragma once

#include <vector>

#include "cuttle/bodies/volume_kinematics.h"

namespace cuttle {

/// One volume-preserving primitive h, [P] 7.1. Its profile m(x3) = sum over modes of q_k phi_k(x3/L) has
/// one coordinate a mode; x3 is the third coordinate of the primitive's own argument.
template <typename S>
struct LvpPrimitiveT {
  enum class Type {
    stretch,  ///< e = m [m]: (x1, x2) / sqrt(1 + e'), x3 + e
    shear,    ///< x1 += m, or x2 += m [m]
    twist,    ///< (x1, x2) turned by m [rad]
    bend,     ///< curvature (m_x, m_y)/L of a backbone without stretch; coordinates in rad
    source,   ///< radius r -> sqrt(r^2 + m) [m^2]
  };
  /// Coefficients of the polynomials phi_k in x3/L, lowest first.
  using Modes = std::vector<std::vector<S>>;

  Type type = Type::stretch;
  int axis = 0;        ///< of shear: 0 along x, 1 along y
  Modes modes = {};    ///< of bend: about x
  Modes y_modes = {};  ///< of bend alone: about y; their coordinates follow those about x

  template <typename T>
  LvpPrimitiveT<T> cast() const;
};
/// Name of a primitive as in files.
const char* lvp_primitive_name(int type);

template <typename S>
struct LvpParametersT {
  S length{};                                ///< L [m], rest length
  std::vector<LvpPrimitiveT<S>> primitives;  ///< h_1 first
};
using LvpPrimitive = LvpPrimitiveT<double>;
using LvpParameters = LvpParametersT<double>;

/// f = h_P o .. o h_1 of volume-preserving primitives: det(df/dx) = 1 everywhere. Derivatives by hand, carried from
/// primitive to primitive; what depends on x3 alone (a backbone) is made once for points of the same x3.
/// @throws ConfigurationError: 1 + e' <= 0 of a stretch, a bend that folds the body onto itself, r^2 + c <= 0 of a
/// source.
template <typename S>
class LvpKinematicsT final : public VolumeKinematicsT<S> {
  using Base = VolumeKinematicsT<S>;

 public:
  using typename Base::Directed;
  using typename Base::Motions;
  using typename Base::Request;

  /// @throws ModelError: key, what was found, what was expected.
  explicit LvpKinematicsT(const LvpParametersT<S>& parameters);

  const LvpParametersT<S>& parameters() const { return parameters_; }

  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return true; }
  void prepare_thread() const override;
  void move(const Request& request, const Vector3T<S>* x, std::size_t count, const Motions& motions) const override;
  void gradients(const S* q, const Vector3T<S>* x, std::size_t count, Matrix3T<S>* F,
                 Matrix3T<S>* slopes) const override;
  void gradients(const Directed* q, const Vector3T<S>* x, std::size_t count, Matrix3T<Directed>* F,
                 Matrix3T<Directed>* slopes) const override;

  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const override;
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const override;
  std::shared_ptr<const VolumeKinematicsT<Gradient>> clone_as(ScalarTag<Gradient>) const override;

 private:
  template <typename T>
  LvpParametersT<T> parameters_as() const;

  LvpParametersT<S> parameters_;
};
using LvpKinematics = LvpKinematicsT<double>;

}  // namespace cuttle
