#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/model/robot.h"

namespace cuttle::test {

/// A body of a user's own, no kind that the library knows, with another body's answers to every question: whoever asks
/// bodies and not their kinds treats both alike. It has no packing and exists for double alone.
class OwnBody final : public Body {
 public:
  explicit OwnBody(std::unique_ptr<Body> same) : same_(std::move(same)) {}

  std::string type_name() const override { return "own"; }
  int coordinate_count() const override { return same_->coordinate_count(); }
  std::vector<Diagnostic> warnings() const override { return same_->warnings(); }
  bool balances_power() const override { return same_->balances_power(); }
  std::vector<CoordinateInfo> coordinates() const override { return same_->coordinates(); }
  SpatialInertia rest_inertia() const override { return same_->rest_inertia(); }
  int add_port(const PortLocation& location) override { return same_->add_port(location); }
  int port_count() const override { return same_->port_count(); }
  std::vector<Station> stations() const override { return same_->stations(); }
  std::unique_ptr<Body> clone() const override { return std::make_unique<OwnBody>(same_->clone()); }
  WorkspaceSize workspace_size() const override { return same_->workspace_size(); }
  void forward(MotionLevel level, const BodyStateT<double>& state, const WorkspaceT<double>& workspace,
               PortMotionT<double>* ports) const override {
    same_->forward(level, state, workspace, ports);
  }
  void backward(const BodyStateT<double>& state, const Wrench* port_wrenches, const WorkspaceT<double>& workspace,
                Wrench& base_wrench, double* force) const override {
    same_->backward(state, port_wrenches, workspace, base_wrench, force);
  }
  void inertia_blocks(const BodyStateT<double>& state, const WorkspaceT<double>& workspace,
                      InertiaBlocksT<double>& blocks) const override {
    same_->inertia_blocks(state, workspace, blocks);
  }
  const double* port_jacobian(const WorkspaceT<double>& workspace, int port) const override {
    return same_->port_jacobian(workspace, port);
  }
  void add_elastic_force(const double* q, double* force) const override { same_->add_elastic_force(q, force); }
  void add_damping_force(const double* q, const double* v, double* force) const override {
    same_->add_damping_force(q, v, force);
  }
  bool has_dissipation() const override { return same_->has_dissipation(); }
  double dissipation(const double* q, const double* v) const override { return same_->dissipation(q, v); }
  void stiffness_matrix(const double* q, double* stiffness) const override { same_->stiffness_matrix(q, stiffness); }
  void damping_matrix(const double* q, const double* v, double* damping) const override {
    same_->damping_matrix(q, v, damping);
  }
  double elastic_energy(const double* q) const override { return same_->elastic_energy(q); }
  bool has_material_points() const override { return same_->has_material_points(); }
  void material_points(const double* q, const Vector3* x, std::size_t count,
                       const MaterialPointsT<double>& points) const override {
    same_->material_points(q, x, count, points);
  }
  double kinetic_energy(const BodyStateT<double>& state, const WorkspaceT<double>& workspace) const override {
    return same_->kinetic_energy(state, workspace);
  }
  Vector3 mass_moment(const WorkspaceT<double>& workspace) const override { return same_->mass_moment(workspace); }

  const SlenderT<double>* slender() const override { return same_->slender(); }
  BodySurface surface() const override { return same_->surface(); }
  bool has_energy_density() const override { return same_->has_energy_density(); }
  void energy_density(const double* q, const Vector3* x, std::size_t count, double* density) const override {
    same_->energy_density(q, x, count, density);
  }
  ChamberSurface chamber(const ChamberPlace& which) const override { return same_->chamber(which); }
  std::vector<Vector3> tip_area() const override { return same_->tip_area(); }
  bool keeps_volume() const override { return same_->keeps_volume(); }
  std::shared_ptr<const Body> drawn_as() const override { return same_->drawn_as(); }

 private:
  std::unique_ptr<Body> same_;
};

/// The robot with bodies of a user's own in the place of all its bodies.
inline Robot with_own_bodies(Robot robot) {
  for (Link& link : robot.links) {
    if (link.body) link.body = std::make_shared<OwnBody>(link.body->clone());
  }
  return robot;
}

}  // namespace cuttle::test
