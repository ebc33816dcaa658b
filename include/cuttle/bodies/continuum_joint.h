#pragma once

#include <array>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

/// Parameters of a continuum joint (docs/format.md, Continuum joint).
template <typename S>
struct ContinuumJointParametersT {
  S length{};                    ///< L, h in [J] [m], > 0
  S mass{};                      ///< m, uniform along L [kg], > 0
  S radius{};                    ///< D/2 of the discs [m], > 0
  std::array<S, 2> stiffness{};  ///< K_x, K_y of the spring on (u, v) [N m/rad]; >= 0
  S coupling_stiffness{};        ///< K_xy, both entries beside the diagonal [N m/rad]; K_xy^2 <= K_x K_y
  std::array<S, 2> damping{};    ///< of u and of v [N m s/rad], >= 0
  /// [J]'s inertial force, (11)-(18), instead of the one that follows from the kinetic energy.
  bool momentarily_rigid = false;

  template <typename T>
  ContinuumJointParametersT<T> cast() const {
    return {scalar_cast<T>(length),
            scalar_cast<T>(mass),
            scalar_cast<T>(radius),
            {scalar_cast<T>(stiffness[0]), scalar_cast<T>(stiffness[1])},
            scalar_cast<T>(coupling_stiffness),
            {scalar_cast<T>(damping[0]), scalar_cast<T>(damping[1])},
            momentarily_rigid};
  }
};
using ContinuumJointParameters = ContinuumJointParametersT<double>;

/// A bending actuator of constant curvature whose inertia is lumped, [J]: coordinates u = kappa_x L and v = kappa_y L
/// [rad], tip where an inextensible rod of length L with that curvature has it ((2), (4)).
///
/// Kinetic energy 1/2 m |v_com|^2 + 1/2 w_tip^T I_c(q) w_tip: velocity of the center of mass (9), angular velocity of
/// the tip, and the inertia (19) of thin discs of mass m/L about the center of mass, all integrals along the arc in
/// closed form. Every inertial term follows from it by Lagrange's equations, for a base that moves too (Hamel's
/// equations for its twist), so energy balances.
///
/// With `momentarily_rigid` the moment is dH/dt = I_c alpha + w x I_c w (18) of a body that turns with the tip and is
/// rigid for an instant. Forces (16), (17) of the center of mass and of that moment do work on its motion: that makes
/// them generalized forces ("projected by J^T"). M is the same as without, symmetric; only the velocity-dependent force
/// differs, and does not balance power. It is kept because the paper has it.
/// @code
/// const ContinuumJoint joint({.length = 0.2, .mass = 0.8, .radius = 0.06, .stiffness = {12.0, 12.0}});
/// @endcode
template <typename S>
class ContinuumJointT final : public BodyT<S> {
 public:
  /// @throws ModelError if length, mass or radius is not positive, the stiffness indefinite or a damping negative.
  explicit ContinuumJointT(const ContinuumJointParametersT<S>& parameters);

  const ContinuumJointParametersT<S>& parameters() const { return parameters_; }
  /// Says that `momentarily_rigid` does not balance power.
  std::vector<Diagnostic> warnings() const override;

  bool balances_power() const override { return !parameters_.momentarily_rigid; }

  std::string type_name() const override { return "continuum_joint"; }
  int coordinate_count() const override { return 2; }
  std::vector<CoordinateInfo> coordinates() const override;
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
  void add_elastic_force(const S* q, S* force) const override;
  void add_damping_force(const S* q, const S* v, S* force) const override;
  void stiffness_matrix(const S* q, S* stiffness) const override;
  void damping_matrix(const S* q, const S* v, S* damping) const override;
  S elastic_energy(const S* q) const override;
  bool has_dissipation() const override { return true; }
  S dissipation(const S*, const S* v) const override {
    return S(0.5) * (parameters_.damping[0] * v[0] * v[0] + parameters_.damping[1] * v[1] * v[1]);
  }
  /// The spring's energy over the volume of a cylinder of the joint's length and radius.
  bool has_energy_density() const override { return true; }
  void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const override;
  /// A rod of constant curvature.
  std::shared_ptr<const BodyT<double>> drawn_as() const override;
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const override;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const override;

 private:
  struct Shape;
  static Shape& shape(const WorkspaceT<S>& workspace);
  /// Fills center of mass and inertia with their slopes.
  void lump(const S* q, Shape& shape) const;

  ContinuumJointParametersT<S> parameters_;
};
using ContinuumJoint = ContinuumJointT<double>;

}  // namespace cuttle
