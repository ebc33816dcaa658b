#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/error.h"

namespace cuttle::test {

/// A body as a user might write it, derived from Body itself: a box with cargo, rigid, that complains in every way that
/// a body has.
class CargoBox final : public Body {
 public:
  explicit CargoBox(double mass, bool open = false) : open_(open) {
    if (!(mass > 0.0)) throw ModelError("cargo.mass", std::to_string(mass), "a number > 0 [kg]");
  }
  std::string type_name() const override { return "cargo_box"; }
  int coordinate_count() const override { return 0; }
  std::vector<Diagnostic> warnings() const override { return {Diagnostic("cargo.mass", "the box is overloaded")}; }
  std::vector<CoordinateInfo> coordinates() const override { return {}; }
  SpatialInertia rest_inertia() const override { return {}; }
  int add_port(const PortLocation& location) override {
    if (location.kind == PortLocation::Kind::tip) return 0;
    throw ModelError("s", "a section of a box", "base or tip");
  }
  int port_count() const override { return 1; }
  std::unique_ptr<Body> clone() const override { return std::make_unique<CargoBox>(*this); }
  WorkspaceSize workspace_size() const override { return {}; }
  void forward(MotionLevel, const BodyStateT<double>&, const WorkspaceT<double>&,
               PortMotionT<double>* ports) const override {
    if (open_) throw ConfigurationError({"cargo", "items", 1}, "found it beside the box");
    ports[0].base_port = {};
  }
  void backward(const BodyStateT<double>&, const Wrench*, const WorkspaceT<double>&, Wrench&, double*) const override {}
  void inertia_blocks(const BodyStateT<double>&, const WorkspaceT<double>&, InertiaBlocksT<double>&) const override {}
  const double* port_jacobian(const WorkspaceT<double>&, int) const override { return nullptr; }
  void add_elastic_force(const double*, double*) const override {}
  void add_damping_force(const double*, const double*, double*) const override {}
  void stiffness_matrix(const double*, double*) const override {}
  void damping_matrix(const double*, const double*, double*) const override {}
  double elastic_energy(const double*) const override { return 0.0; }
  double kinetic_energy(const BodyStateT<double>&, const WorkspaceT<double>&) const override { return 0.0; }
  Vector3 mass_moment(const WorkspaceT<double>&) const override { return {}; }

 private:
  bool open_;
};

}  // namespace cuttle::test
