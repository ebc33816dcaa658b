// A body derived from Body itself, outside of Cuttle: a slider whose carriage is a point mass. It must pass the
// installed contract suite; with a slip in the inertial force, or in damping force and matrix alike, it must fail it,
// in words that name the slip.
#include <cuttle/bodies/body.h>
#include <cuttle/error.h>
#include <cuttle/testing/body_contract.h>

#include <iostream>
#include <memory>

namespace {

class Slider final : public cuttle::Body {
 public:
  /// @param slip, damping_slip  what is wrong with the inertial force, and relatively with all of the damping.
  explicit Slider(double slip, double damping_slip = 0.0) : slip_(slip), damping_(1.0 + damping_slip) {}
  std::string type_name() const override { return "slider"; }
  int coordinate_count() const override { return 1; }
  std::vector<cuttle::CoordinateInfo> coordinates() const override { return {{"slide", "m"}}; }
  cuttle::SpatialInertia rest_inertia() const override { return carriage(0.0); }
  int add_port(const cuttle::PortLocation&) override { throw cuttle::ModelError({}, "", "tip"); }
  int port_count() const override { return 1; }
  std::unique_ptr<cuttle::Body> clone() const override { return std::make_unique<Slider>(*this); }
  cuttle::WorkspaceSize workspace_size() const override {
    return {7, 0, dense_elimination_size(1, 1)};  // J and q
  }

  void forward(cuttle::MotionLevel level, const cuttle::BodyStateT<double>& state,
               const cuttle::WorkspaceT<double>& workspace, cuttle::PortMotionT<double>* ports) const override {
    const cuttle::Pose tip{cuttle::Matrix3::identity(), {0.0, 0.0, state.q[0]}};
    ports[0].base_port = tip;
    for (int r = 0; r < 6; ++r) workspace.persistent[r] = r == 5 ? 1.0 : 0.0;
    workspace.persistent[6] = state.q[0];
    if (level < cuttle::MotionLevel::velocity) return;
    const cuttle::Twist sliding{{}, {0.0, 0.0, state.v[0]}}, carried = tip.act_inverse(state.base_velocity);
    ports[0].velocity = carried + sliding;
    if (level < cuttle::MotionLevel::acceleration) return;
    ports[0].acceleration = tip.act_inverse(state.base_acceleration) + bracket(carried, sliding) +
                            cuttle::Twist{{}, {0.0, 0.0, state.a[0]}};
  }
  void backward(const cuttle::BodyStateT<double>& state, const cuttle::Wrench* port_wrenches,
                const cuttle::WorkspaceT<double>&, cuttle::Wrench& base_wrench, double* force) const override {
    const cuttle::Vector3 p{0.0, 0.0, state.q[0]}, rate{0.0, 0.0, state.v[0]}, second{0.0, 0.0, state.a[0]};
    const cuttle::Vector3 w = state.base_velocity.angular;
    const cuttle::Vector3 acceleration = state.base_acceleration.linear + cross(state.base_acceleration.angular, p) +
                                         second + (2.0 + slip_) * cross(w, rate) +
                                         cross(w, state.base_velocity.linear + cross(w, p));
    const cuttle::Vector3 f = k_mass * acceleration;
    base_wrench = cuttle::Wrench{cross(p, f), f};
    base_wrench += cuttle::Pose{cuttle::Matrix3::identity(), p}.act(port_wrenches[0]);
    force[0] = f.z + port_wrenches[0].force.z;
  }
  void inertia_blocks(const cuttle::BodyStateT<double>& state, const cuttle::WorkspaceT<double>&,
                      cuttle::InertiaBlocksT<double>& blocks) const override {
    blocks.base = carriage(state.q[0]);
    for (int r = 0; r < 6; ++r) blocks.coupling[r] = r == 5 ? k_mass : 0.0;
    blocks.mass[0] = k_mass;
  }
  const double* port_jacobian(const cuttle::WorkspaceT<double>& workspace, int) const override {
    return workspace.persistent;
  }
  double kinetic_energy(const cuttle::BodyStateT<double>& state, const cuttle::WorkspaceT<double>&) const override {
    const cuttle::Vector3 v = state.base_velocity.linear +
                              cross(state.base_velocity.angular, cuttle::Vector3{0.0, 0.0, state.q[0]}) +
                              cuttle::Vector3{0.0, 0.0, state.v[0]};
    return 0.5 * k_mass * dot(v, v);
  }
  cuttle::Vector3 mass_moment(const cuttle::WorkspaceT<double>& workspace) const override {
    return {0.0, 0.0, k_mass * workspace.persistent[6]};
  }

  void add_elastic_force(const double* q, double* force) const override { force[0] += k_stiffness * q[0]; }
  void add_damping_force(const double*, const double* v, double* force) const override { force[0] += damping_ * v[0]; }
  bool has_dissipation() const override { return true; }
  double dissipation(const double*, const double* v) const override { return 0.5 * v[0] * v[0]; }
  void stiffness_matrix(const double*, double* stiffness) const override { stiffness[0] = k_stiffness; }
  void damping_matrix(const double*, const double*, double* damping) const override { damping[0] = damping_; }
  double elastic_energy(const double* q) const override { return 0.5 * k_stiffness * q[0] * q[0]; }

 private:
  static constexpr double k_mass = 1.5, k_stiffness = 20.0;
  static cuttle::SpatialInertia carriage(double q) {
    return cuttle::SpatialInertia::from_com(k_mass, {0.0, 0.0, q}, {});
  }
  double slip_, damping_;
};

/// Whether the report begins so; else it is printed.
bool begins(const cuttle::BodyContractReport& report, const std::string& expected) {
  if (report.text().rfind(expected, 0) == 0) return true;
  std::cerr << "expected a report that begins with '" << expected << "', found:\n" << report;
  return false;
}

}  // namespace

int main() {
  const cuttle::BodyContractReport right = cuttle::check_body_contract(Slider(0.0), 1e-11);
  if (!right.ok()) {
    std::cerr << "the slider fails the contract:\n" << right;
    return 1;
  }
  const cuttle::BodyContractReport wrong = cuttle::check_body_contract(Slider(0.01), 1e-11);
  const cuttle::BodyContractReport thick = cuttle::check_body_contract(Slider(0.0, 0.1), 1e-11);
  if (!begins(wrong, "slider, seed 1: sample 0: inertial force against Lagrange's: off by ") ||
      !begins(thick, "slider, seed 1: sample 0: damping force 0 and the dissipation's gradient: found ")) {
    return 1;
  }
  std::cout << wrong.violations.size() << " violations found, the first one:\n" << wrong.violations[0] << "\n";
}
