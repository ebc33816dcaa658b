#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/bodies/volume_material.h"

namespace CUTTLE_API cuttle {

template <typename S>
class LinearStrainsT;
template <typename S>
class StrainPolynomialT;
template <typename S>
struct GradientBlocks;
template <typename S>
struct StrainGroupT;

/// Soft volume (`type: volume`): points that move by given kinematics, of a hyperelastic, viscous material.
/// Elastic force = gradient in q of the stored energy; damping force from S = 2 damping_time mu dE/dt, E the
/// Green-Lagrange strain: its power is never positive. Cost O(points n_B), stiffness_matrix O(points n_B^2).
///
/// Kinematics that are linear in q: everything about inertia costs O(n_B^2), whatever the number of points; so do, with
/// O(n_B^4), the damping and the elasticity of st_venant_kirchhoff, unless sums over the points are cheaper. The
/// constants for that are made with the body. det F > 0 at the points is then checked only for large q, where the
/// strain could reach it. Other materials keep sums over the points.
/// @code
/// LvpParameters lvp;
/// lvp.length = 0.2;
/// lvp.primitives = {{.type = LvpPrimitive::Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
/// VolumeMaterial rubber{.c1 = 8e4, .damping_time = 0.02};
/// auto body = std::make_shared<VolumeBody>(point_cylinder(0.2, 0.02, 1070.0, 10, 2, 8), rubber,
///                                          std::make_shared<LvpKinematics>(lvp));
/// @endcode
template <typename S>
class VolumeBodyT final : public PointBodyBaseT<S> {
  using Base = PointBodyBaseT<S>;

 public:
  using typename Base::Direction;
  using typename Base::Motions;
  using typename Base::Request;

  /// @param mesh  the shape that the points come from; null: not a mesh.
  /// @throws ModelError: key, what was found, what was expected.
  VolumeBodyT(const PointParametersT<S>& parameters, const VolumeMaterialT<S>& material,
              std::shared_ptr<const VolumeKinematicsT<S>> kinematics,
              std::shared_ptr<const TetrahedralMesh> mesh = nullptr);

  const VolumeMaterialT<S>& material() const { return material_; }
  const VolumeKinematicsT<S>& kinematics() const { return *kinematics_; }
  /// The mesh that is the shape at rest; null: the shape is not a mesh.
  const std::shared_ptr<const TetrahedralMesh>& mesh() const { return mesh_; }

  std::string type_name() const override { return "volume"; }
  std::vector<Diagnostic> warnings() const override;
  std::unique_ptr<BodyT<S>> clone() const override;
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override;
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override;
  std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;

  bool has_material_points() const override { return true; }
  void material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                       const MaterialPointsT<S>& points) const override;
  /// Of the mesh, if there is one.
  BodySurface surface() const override;
  bool has_energy_density() const override { return true; }
  void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const override;
  /// Groups of the mesh too.
  ChamberSurfaceT<S> chamber(const ChamberPlaceT<S>& which) const override;
  bool keeps_volume() const override { return kinematics_->keeps_volume(); }

  /// @throws ConfigurationError as forward, also det F <= 0, for the scalars double and long double.
  S elastic_energy(const S* q) const override;
  void add_elastic_force(const S* q, S* force) const override;
  void add_internal_force(InternalForces which, const S* q, const S* v, S* force, S* scratch) const override;
  S stored_energy(const S* q, S* scratch) const override;
  void stiffness_matrix(const S* q, S* stiffness) const override;
  void add_damping_force(const S* q, const S* v, S* force) const override;
  void damping_matrix(const S* q, const S* v, S* damping) const override;
  /// Sum over the points of the quadrature of viscous_dissipation_density.
  bool has_dissipation() const override { return true; }
  S dissipation(const S* q, const S* v) const override;

 protected:
  void move(const Request& request, const S* x, std::size_t blocks, const Motions& motions,
            void* scratch) const override {
    kinematics_->move(request, x, blocks, motions, scratch);
  }
  std::size_t move_scratch_size() const override;
  bool knows_second_slopes() const override { return kinematics_->has_second_slopes(); }
  std::size_t second_scratch_size() const override { return kinematics_->second_slopes_scratch_size(); }
  void second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                     const SecondSlopesT<S>& results, const GradientUse& use, void* scratch) const override {
    kinematics_->second_slopes(q, v, a, x, blocks, results, use, scratch);
  }
  bool knows_internal_derivatives() const override;
  std::size_t internal_scratch_size() const override;
  void fill_internal_derivatives(const S* q, const S* v, void* scratch, S* by_q, S* by_v) const override;
  void move_axes(const Request& request, const Vector3T<S>& x, Direction (&axes)[2], void* scratch) const override;
  std::size_t first_folded(const S* q, void* scratch) const override;
  S determinant_at(const S* q, const Vector3T<S>& x) const override;
  bool knows_folding() const override { return !kinematics_->keeps_volume(); }
  /// The mesh, the kinematics (VolumeKinematicsT) and what these are made of, too.
  std::shared_ptr<const void> find_part(const std::type_info& type) const override;

 private:
  template <typename T>
  std::unique_ptr<BodyT<T>> cast(ScalarTag<T> tag) const;
  using Polynomial = StrainPolynomialT<S>;
  struct InternalMemory;
  InternalMemory internal_memory(void* memory) const;
  struct Memory;
  class OwnMemory;
  Memory memory(void* scratch) const;
  void block_gradients(const S* q, const S* direction, const S* block, bool with_slopes, const Memory& memory) const;
  using Group = StrainGroupT<S>;
  /// Calls use(table of some blocks, their F and slopes) until all blocks of a group have been.
  /// @param direction  n_B, null: none.
  template <typename Use>
  void each_gradients(const Group& group, const S* q, const S* direction, bool with_slopes, const Memory& memory,
                      const Use& use) const;

  S part_energy(const Group& group, const PointTable<S>& part, const S* F) const;
  void add_part_force(const Group& group, const PointTable<S>& part, const GradientBlocks<S>& at, S* force) const;
  void add_part_force_change(const Group& group, const PointTable<S>& part, const GradientBlocks<S>& at,
                             S* change) const;
  const PointTable<S>& strain_table() const;
  Group quadrature_group() const;
  template <typename Use>
  void each_group(const Use& use) const;
  std::size_t first_folded_of_strains(const S* q, const Memory& memory) const;
  std::size_t quadrature_block(std::size_t block) const;
  void refuse_if_folded(const PointTable<S>& part, const S* F, std::size_t before, const S* q) const;
  void refuse_if_folded(const S* q, const Memory& memory) const;
  const S* elastic_form() const;
  const S* damping_form() const;
  S viscosity() const;  // 2 damping_time mu [Pa s]

  VolumeMaterialT<S> material_;
  std::shared_ptr<const VolumeKinematicsT<S>> kinematics_;
  std::shared_ptr<const TetrahedralMesh> mesh_;
  std::size_t scratch_size_;
  std::shared_ptr<const LinearStrainsT<S>> strains_;  // null: the kinematics are not linear in q
};
using VolumeBody = VolumeBodyT<double>;

}  // namespace cuttle
