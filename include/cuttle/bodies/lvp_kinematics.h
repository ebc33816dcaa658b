#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/swept_kinematics.h"

namespace CUTTLE_API cuttle {

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

  std::size_t coordinate_count() const { return modes.size() + y_modes.size(); }

  template <typename T>
  LvpPrimitiveT<T> cast() const;
};
/// Name of a primitive as in files.
const char* lvp_primitive_name(int type);

template <typename S>
struct LvpParametersT {
  S length{};                                ///< L [m], rest length
  std::vector<LvpPrimitiveT<S>> primitives;  ///< h_1 first

  template <typename T>
  LvpParametersT<T> cast() const;
};
using LvpPrimitive = LvpPrimitiveT<double>;
using LvpParameters = LvpParametersT<double>;

/// f = h_P o .. o h_1 of volume-preserving primitives: det(df/dx) = 1 everywhere. Derivatives by hand, carried from
/// primitive to primitive; what depends on x3 alone (a backbone) is made once for points of the same x3.
/// @throws ConfigurationError: 1 + e' <= 0 of a stretch, a bend that folds the body onto itself, r^2 + c <= 0 of a
/// source.
template <typename S>
class LvpKinematicsT final : public SweptKinematicsT<LvpKinematicsT, LvpParametersT, S> {
  using Base = SweptKinematicsT<LvpKinematicsT, LvpParametersT, S>;

 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit LvpKinematicsT(const LvpParametersT<S>& parameters);

  std::string type_name() const override { return "lvp"; }
  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return true; }
};
using LvpKinematics = LvpKinematicsT<double>;

}  // namespace cuttle
