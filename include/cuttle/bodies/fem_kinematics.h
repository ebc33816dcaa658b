#pragma once

#include <memory>

#include "cuttle/api.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/volume_kinematics.h"

namespace CUTTLE_API cuttle {

class TetrahedronSearch;

/// p = x + sum_k phi_k(x) q_k with modes phi_k of a mesh, in each tetrahedron of degree 1 (four nodes) or 2 (ten).
/// Linear in q; the coordinates are the greatest displacements of a node [m]. The modes are data: derivatives with
/// respect to parameters do not go through the eigenproblem that they come from (none is missing but that in lambda /
/// mu, as by poisson_ratio).
///
/// A point beside the mesh goes as its nearest point in it and the gradient there say, if that is not further away than
/// the mesh's radius.
/// All members throw ModelError about a point that is further away.
/// @code
/// auto basis = std::make_shared<FemBasis>(fem_modes(mesh, rubber, 1070.0, 8));
/// auto body = std::make_shared<VolumeBody>(points, rubber, std::make_shared<FemKinematics>(basis), mesh);
/// @endcode
template <typename S>
class FemKinematicsT final : public VolumeKinematicsT<S> {
 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit FemKinematicsT(std::shared_ptr<const FemBasis> basis);

  const std::shared_ptr<const FemBasis>& basis() const { return basis_; }

  std::string type_name() const override { return "fem"; }
  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return false; }
  bool is_linear() const override { return true; }
  std::size_t scratch_size() const override { return 0; }
  /// The basis; how points are found in its mesh.
  std::shared_ptr<const void> find_part(const std::type_info& type) const override;
  void move(const PointRequestT<S>& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
            void* scratch) const override;
  void gradients(const S* q, const S* direction, const S* x, std::size_t blocks, const GradientResultsT<S>& results,
                 const GradientUse& use, void* scratch) const override;

  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const override;
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const override;
  std::shared_ptr<const VolumeKinematicsT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;

 private:
  template <typename T>
  friend class FemKinematicsT;
  FemKinematicsT(std::shared_ptr<const FemBasis> basis, std::shared_ptr<const TetrahedronSearch> search)
      : basis_(std::move(basis)), search_(std::move(search)) {}

  std::shared_ptr<const FemBasis> basis_;
  std::shared_ptr<const TetrahedronSearch> search_;
};
using FemKinematics = FemKinematicsT<double>;

}  // namespace cuttle
