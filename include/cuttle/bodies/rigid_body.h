#pragma once

#include <optional>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

/// Parameters of a rigid body (docs/format.md, Rigid body).
template <typename S>
struct RigidParametersT {
  S mass{};                        ///< [kg], >= 0
  Vector3T<S> com{};               ///< [m], base frame
  SymmetricMatrix3T<S> inertia{};  ///< about the com, base-frame axes [kg m^2]; semidefinite, zero for a point mass
  PoseT<S> tip{};                  ///< tip frame in the base frame

  template <typename T>
  RigidParametersT<T> cast() const {
    return {scalar_cast<T>(mass), com.template cast<T>(), inertia.template cast<T>(), tip.template cast<T>()};
  }
};
using RigidParameters = RigidParametersT<double>;

/// Body without coordinates. A Model merges its inertia into the frame it is fixed to and never calls its sweeps, which
/// exist so that the contract holds for it too.
template <typename S>
class RigidBodyT final : public BodyT<S> {
 public:
  /// @throws ModelError if the mass is negative or the inertia indefinite.
  explicit RigidBodyT(const RigidParametersT<S>& parameters);

  const RigidParametersT<S>& parameters() const { return parameters_; }
  /// A warning if the principal moments violate the triangle inequality (no real body has them).
  std::optional<Diagnostic> warning() const;
  std::vector<Diagnostic> warnings() const override {
    const auto found = warning();
    return found ? std::vector<Diagnostic>{*found} : std::vector<Diagnostic>{};
  }

  std::string type_name() const override { return "rigid"; }
  int coordinate_count() const override { return 0; }
  std::vector<CoordinateInfo> coordinates() const override { return {}; }
  SpatialInertiaT<S> rest_inertia() const override;
  int add_port(const PortLocationT<S>& location) override;
  int port_count() const override { return 1; }
  std::unique_ptr<BodyT<S>> clone() const override;
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override;
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override;
  std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;
  WorkspaceSize workspace_size() const override;
  void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
               PortMotionT<S>* ports) const override;
  void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                WrenchT<S>& base_wrench, S* force) const override;
  void inertia_blocks(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                      InertiaBlocksT<S>& blocks) const override;
  const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const override;
  void add_elastic_force(const S*, S*) const override {}
  void add_damping_force(const S*, const S*, S*) const override {}
  void stiffness_matrix(const S*, S*) const override {}
  void damping_matrix(const S*, const S*, S*) const override {}
  S elastic_energy(const S*) const override { return S(0.0); }
  bool has_dissipation() const override { return true; }
  S dissipation(const S*, const S*) const override { return S(0.0); }
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const override;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const override;

 private:
  RigidParametersT<S> parameters_;
  SpatialInertiaT<S> inertia_;  // about the base frame's origin
};
using RigidBody = RigidBodyT<double>;

}  // namespace cuttle
