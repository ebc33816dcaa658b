#pragma once

#include <memory>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct RodTables;  // src/bodies/rod/rod_tables.h

/// The part of a rod that is computed over and over: sweeps along its points and elasticity, from constant tables.
/// RodBodyT makes the tables from a rod's parameters; a batch gathers those of several rods.
template <typename S>
class RodDynamicsT : public BodyT<S> {
 public:
  ~RodDynamicsT() override;
  RodDynamicsT(const RodDynamicsT&) = delete;
  RodDynamicsT& operator=(const RodDynamicsT&) = delete;

  std::string type_name() const override { return "rod"; }
  int coordinate_count() const override;
  int port_count() const override;
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
  const BodyTangentT<S>* tangent() const override { return tangent_.get(); }
  bool damping_depends_on_shape() const override { return false; }
  const BodyPacking* packing() const override { return packing_.get(); }
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const override;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const override;

 protected:
  explicit RodDynamicsT(std::shared_ptr<const RodTables<S>> tables);
  void take(std::shared_ptr<const RodTables<S>> tables);
  std::shared_ptr<const RodTables<S>> tables_;  // of all rods that are equal

 private:
  std::unique_ptr<BodyTangentT<S>> tangent_;    // for double and long double
  std::unique_ptr<const BodyPacking> packing_;  // for double
};

}  // namespace cuttle
