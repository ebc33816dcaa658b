#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_material.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct NodalVolumeParametersT {
  std::shared_ptr<const TetrahedralMesh> mesh;
  S density{};  ///< [kg/m^3]
  VolumeMaterialT<S> material;
  /// Material points o, a, b of the tip frame, as of PointParametersT.
  Vector3T<S> tip_origin{}, tip_a{}, tip_b{};

  template <typename T>
  NodalVolumeParametersT<T> cast() const {
    return {mesh,
            scalar_cast<T>(density),
            material.template cast<T>(),
            tip_origin.template cast<T>(),
            tip_a.template cast<T>(),
            tip_b.template cast<T>()};
  }
};
using NodalVolumeParameters = NodalVolumeParametersT<double>;

/// Soft volume of four- or ten-node tetrahedra whose coordinates are the displacements [m] of all nodes of its mesh but
/// those at z = 0, which are clamped: x, y and z of one node behind the other. Consistent mass, hyperelastic and
/// viscous material as VolumeBodyT; strain, stress and det F > 0 at one point of each tetrahedron with four nodes,
/// where they are constant, at four points of those with ten. With ten nodes what resists changes of volume beyond
/// lambda = 2 mu acts at the centre of each tetrahedron alone, so that they do not lock near Poisson's ratio 0.5; not
/// so of a user's own law, which is not known in parts.
///
/// The mass matrix M_BB is constant, sparse and factored once; forward dynamics eliminates the body with that factor
/// and what has inertia at its ports by Woodbury's formula, rank 6 each. A port keeps the columns of the few nodes that
/// it moves with; port_jacobian spreads those of one port, valid until the next call. Cost O(tetrahedra) for forward,
/// backward and forces, O(entries of the factor) for elimination; the dense mass, stiffness and damping matrices
/// O(n_B^2) memory, while implicit steps and statics take sparse ones.
template <typename S>
class NodalVolumeT final : public BodyT<S> {
 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit NodalVolumeT(const NodalVolumeParametersT<S>& parameters);

  const NodalVolumeParametersT<S>& parameters() const { return parameters_; }

  std::string type_name() const override { return "volume"; }
  int coordinate_count() const override;
  std::vector<CoordinateInfo> coordinates() const override;
  SpatialInertiaT<S> rest_inertia() const override;
  int add_port(const PortLocationT<S>& location) override;
  int port_count() const override { return static_cast<int>(ports_.size()); }
  std::unique_ptr<BodyT<S>> clone() const override;
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override;
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override;
  std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;
  WorkspaceSize workspace_size() const override;

  /// @throws ConfigurationError, for the scalars double and long double: det F is not > 0 in a tetrahedron.
  void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
               PortMotionT<S>* ports) const override;
  void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                WrenchT<S>& base_wrench, S* force) const override;
  void inertia_blocks(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                      InertiaBlocksT<S>& blocks) const override;
  const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const override;
  MaskT<S> eliminate(const BodyStateT<S>& state, const S* applied, const ArticulatedLoadT<S>* const* ports,
                     const PortMotionT<S>* motions, const WorkspaceT<S>& workspace,
                     ArticulatedLoadT<S>& base) const override;
  void back_substitute(const TwistT<S>& base_acceleration, const WorkspaceT<S>& workspace, S* a,
                       PortMotionT<S>* ports) const override;

  /// @throws ConfigurationError as forward.
  void add_elastic_force(const S* q, S* force) const override;
  void add_damping_force(const S* q, const S* v, S* force) const override;
  void stiffness_matrix(const S* q, S* stiffness) const override;
  void damping_matrix(const S* q, const S* v, S* damping) const override;
  S elastic_energy(const S* q) const override;
  /// Sum over the points of strain of viscous_dissipation_density.
  bool has_dissipation() const override { return true; }
  S dissipation(const S* q, const S* v) const override;

  bool has_material_points() const override { return true; }
  void material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                       const MaterialPointsT<S>& points) const override;
  BodySurface surface() const override { return boundary_surface(*parameters_.mesh); }
  /// Of a group of the mesh.
  ChamberSurfaceT<S> chamber(const ChamberPlaceT<S>& which) const override;
  /// Of elements that are too stiff (fem_warnings).
  std::vector<Diagnostic> warnings() const override;
  bool has_energy_density() const override { return true; }
  void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const override;
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const override;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const override;

 protected:
  /// The mesh; how material points follow the nodes; with double, derivatives as sparse matrices.
  std::shared_ptr<const void> find_part(const std::type_info& type) const override;

 private:
  struct Tables;
  struct Kept;
  struct Elimination;
  struct Carried;
  class Sparse;
  /// A vector of the body as a sum of node positions.
  struct Combination {
    std::vector<int> nodes;
    std::vector<S> weights;
  };
  /// Origin and the two directions of a port's axes.
  struct Port {
    PortLocationT<S> location;
    Combination vectors[3];
    std::vector<int> nodes;                 ///< free nodes of them all, each once
    std::vector<std::array<S, 3>> weights;  ///< of these nodes in the vectors
    std::size_t first = 0;                  ///< of these nodes among those of all ports
  };

  template <typename T>
  std::unique_ptr<BodyT<T>> cast() const;
  Combination point_at(const Vector3T<S>& x) const;
  Combination axis_at(const Vector3T<S>& x, int axis) const;
  void push_port(const PortLocationT<S>& location, Combination (&vectors)[3]);
  Kept kept(const WorkspaceT<S>& workspace) const;
  /// Nodes with which ports move, summed over the ports.
  std::size_t moved_by_ports() const { return ports_.empty() ? 0 : ports_.back().first + ports_.back().nodes.size(); }
  template <typename Use>
  void each_column(const Kept& now, int port, const Use& use) const;
  Vector3T<S> displacement(const S* q, int node) const;
  Matrix3T<S> gradient(const S* q, std::size_t point) const;
  template <typename Use>
  void each_blocks(const S* q, const Use& use) const;
  void add_stress(std::size_t point, const Matrix3T<S>& stress, S* force) const;
  Matrix3T<S> viscous_stress(const Matrix3T<S>& F, const Matrix3T<S>& F_rate) const;
  const VolumeMaterialT<S>& material_at(std::size_t point) const;
  void change_stress(std::size_t point, const Matrix3T<S>& F, const Matrix3T<S>* dF, std::size_t count,
                     Matrix3T<S>* dP) const;
  template <typename Change>
  void fill_matrix(const S* q, std::size_t points, S* matrix, const Change& change) const;
  void multiply_by_mass(const Vector3T<S>* x, Vector3T<S>* y) const;
  void check(const S* q) const;

  NodalVolumeParametersT<S> parameters_;
  std::shared_ptr<const Tables> tables_;  // shared by copies
  std::vector<Port> ports_;
};
using NodalVolume = NodalVolumeT<double>;

}  // namespace cuttle
