#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Energy density W(F) [J/m^3] of a material that is not the library's, as a volume asks for it: at points in blocks
/// (bodies/point_block.h), whose F = df/dx lies as nine rows of lanes, by rows of F. ElasticLawT makes one of a user's
/// W. Const and shared by threads.
template <typename S>
class ElasticLawBaseT {
 public:
  virtual ~ElasticLawBaseT() = default;

  /// Name of the law; the `model` of its kind (MaterialKind, cuttle/io/kinds.h), if it has one.
  virtual std::string type_name() const = 0;
  /// W, a row of lanes a block.
  virtual void energy_density(const S* F, std::size_t blocks, S* density) const = 0;
  /// First Piola-Kirchhoff stress P = dW/dF [Pa], laid out as F.
  virtual void stress(const S* F, std::size_t blocks, S* stress) const = 0;
  /// The same where each row of lanes of F is followed by that of its derivatives along a direction, and so in P.
  virtual void stress_along(const S* F, std::size_t blocks, S* stress) const = 0;

  virtual std::shared_ptr<const ElasticLawBaseT<double>> clone_as(ScalarTag<double>) const = 0;
  virtual std::shared_ptr<const ElasticLawBaseT<long double>> clone_as(ScalarTag<long double>) const = 0;
  virtual std::shared_ptr<const ElasticLawBaseT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const = 0;

  /// mu = d2W/dF_xy^2 at rest [Pa].
  const S& shear_modulus() const { return shear_modulus_; }
  /// lambda = d2W/(dF_xx dF_yy) at rest [Pa]; 0 without resistance to changes of volume.
  const S& lambda() const { return lambda_; }
  /// Whether the rest shape is free of stress by the law alone. Else something must keep the volume: kinematics.
  bool resists_volume() const { return resists_volume_; }

  /// W and P at one point, for what is not asked often.
  S energy_at(const Matrix3T<S>& F) const;
  Matrix3T<S> stress_at(const Matrix3T<S>& F) const;

 protected:
  /// Finds the moduli; the last thing that the constructor of a derived class does.
  /// @throws ModelError unless W has a shear modulus > 0, and a stress at rest that is the same in all directions.
  void measure();

 private:
  S shear_modulus_{}, lambda_{};
  bool resists_volume_ = false;
};

/// The law for another scalar; null: null.
template <typename T, typename S>
std::shared_ptr<const ElasticLawBaseT<T>> cast_law(const std::shared_ptr<const ElasticLawBaseT<S>>& law) {
  return law ? law->clone_as(ScalarTag<T>{}) : nullptr;
}

}  // namespace cuttle
