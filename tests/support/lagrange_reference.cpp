#include "support/lagrange_reference.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "support/lagrange/dual.h"
#include "support/lagrange/kinematics.h"
#include "support/lagrange/mass.h"
#include "support/lagrange/pose_matrix.h"

namespace cuttle::test {

using namespace lagrange;

namespace {
Matrix4l matrix_of(const Top<Real>& g) {
  Matrix4l m = Matrix4l::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) m(i, j) = g.at[i][j];
  }
  return m;
}
}  // namespace

LagrangeReference::LagrangeReference(PlainRobot robot, RodIntegration integration)
    : kinematics_(std::make_unique<Kinematics>(std::move(robot), integration)) {}
LagrangeReference::~LagrangeReference() = default;
LagrangeReference::LagrangeReference(LagrangeReference&&) noexcept = default;
int LagrangeReference::nq() const { return kinematics_->nq; }
int LagrangeReference::nv() const { return kinematics_->nv; }

MatrixXl LagrangeReference::mass_matrix(const VectorXl& q) const {
  const int n = nv();
  std::vector<std::vector<std::array<Real, 6>>> V(n);
  std::vector<std::vector<Momentum<Real>>> h(n);
  for (int j = 0; j < n; ++j) {
    const VectorXl unit = VectorXl::Unit(n, j);
    kinematics_->motion<Real>({&q, &unit}, V[j], &h[j]);
  }
  MatrixXl M = MatrixXl::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < V[i].size(); ++k) M(i, j) += product(V[i][k], h[j][k]);
    }
  }
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const auto& armature = kinematics_->robot.links[i].joint.armature;
    const int v = kinematics_->links[i].joint_v;
    for (std::size_t k = 0; k < armature.size(); ++k) M(v + k, v + k) += armature[k];
  }
  return M;
}

VectorXl LagrangeReference::coriolis_force(const VectorXl& q, const VectorXl& v) const {
  const int n = nv();
  std::vector<std::array<Dual1, 6>> V, unit_V;
  std::vector<Momentum<Dual1>> h;
  VectorXl p(n), c(n);
  for (int k = 0; k < n; ++k) {
    const VectorXl unit = VectorXl::Unit(n, k);
    kinematics_->motion<Dual1>({&q, &v, &unit}, V, &h);  // velocity v, differentiated along e_k
    Dual1 energy;
    for (std::size_t i = 0; i < V.size(); ++i) energy = energy + 0.5L * product(V[i], h[i]);
    c[k] = -energy.dx;
  }
  kinematics_->motion<Dual1>({&q, &v, &v}, V, &h);  // velocity v, differentiated along v
  for (int k = 0; k < n; ++k) {
    const VectorXl unit = VectorXl::Unit(n, k);
    kinematics_->motion<Dual1>({&q, &unit, &v}, unit_V, nullptr);
    Dual1 momentum;  // dT/dv_k
    for (std::size_t i = 0; i < V.size(); ++i) momentum = momentum + product(unit_V[i], h[i]);
    p[k] = momentum.x;
    c[k] += momentum.dx;
  }
  // Hamel: -ad_v^T p on the blocks whose velocities are those of a group
  const auto cross = [](const Real* a, const Real* b) {
    return std::array<Real, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto add_hamel = [&](int at, bool translates) {
    const auto torque = cross(&v[at], &p[at]);
    for (int i = 0; i < 3; ++i) c[at + i] += torque[i];
    if (!translates) return;
    const auto moment = cross(&v[at + 3], &p[at + 3]), force = cross(&v[at], &p[at + 3]);
    for (int i = 0; i < 3; ++i) c[at + i] += moment[i], c[at + 3 + i] += force[i];
  };
  if (kinematics_->robot.floating) add_hamel(0, true);
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const std::string& type = kinematics_->robot.links[i].joint.type;
    // armature adds 1/2 v^T A v to the energy and A to M, but no velocity-dependent force
    if (type == "spherical") add_hamel(kinematics_->links[i].joint_v, false);
    if (type == "free") add_hamel(kinematics_->links[i].joint_v, true);
  }
  return c;
}

VectorXl LagrangeReference::gravity_force(const VectorXl& q) const {
  VectorXl force(nv());
  for (int k = 0; k < nv(); ++k) {
    const VectorXl unit = VectorXl::Unit(nv(), k);
    force[k] = kinematics_->gravity_energy(kinematics_->poses<Dual1>({&q, &unit})).dx;
  }
  return force;
}

VectorXl LagrangeReference::elastic_force(const VectorXl& q) const {
  VectorXl force = VectorXl::Zero(nv());
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const auto& data = kinematics_->links[i];
    if (data.rod) data.rod->add_elastic_force(q.data() + data.body_q, force.data() + data.body_v);
    if (const auto& body = kinematics_->robot.links[i].continuum_joint) {
      const auto& K = body->stiffness;
      const Real u = q[data.body_q], w = q[data.body_q + 1];
      force[data.body_v] += K[0] * u + body->coupling_stiffness * w;
      force[data.body_v + 1] += body->coupling_stiffness * u + K[1] * w;
    }
    const PlainJoint& joint = kinematics_->robot.links[i].joint;
    if (joint.stiffness.empty()) continue;
    for (int k = 0; k < joint_nv(joint.type); ++k) {
      const VectorXl unit = VectorXl::Unit(nv(), data.joint_v + k);
      const auto e = kinematics_->elongation<Dual1>(static_cast<int>(i), {&q, &unit});
      for (int j = 0; j < joint_nv(joint.type); ++j) {
        force[data.joint_v + k] += joint.stiffness[j] * e[j].x * e[j].dx;
      }
    }
  }
  return force;
}

VectorXl LagrangeReference::damping_force(const VectorXl&, const VectorXl& v) const {
  VectorXl force = VectorXl::Zero(nv());
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const auto& data = kinematics_->links[i];
    if (data.rod) data.rod->add_damping_force(v.data() + data.body_v, force.data() + data.body_v);
    if (const auto& body = kinematics_->robot.links[i].continuum_joint) {
      for (int k = 0; k < 2; ++k) force[data.body_v + k] += body->damping[k] * v[data.body_v + k];
    }
    const auto& damping = kinematics_->robot.links[i].joint.damping;
    for (std::size_t k = 0; k < damping.size(); ++k) force[data.joint_v + k] += damping[k] * v[data.joint_v + k];
  }
  return force;
}

long double LagrangeReference::kinetic_energy(const VectorXl& q, const VectorXl& v) const {
  std::vector<std::array<Real, 6>> V;
  std::vector<Momentum<Real>> h;
  kinematics_->motion<Real>({&q, &v}, V, &h);
  Real energy = 0;
  for (std::size_t i = 0; i < V.size(); ++i) energy += product(V[i], h[i]) / 2;
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const auto& armature = kinematics_->robot.links[i].joint.armature;
    const int at = kinematics_->links[i].joint_v;
    for (std::size_t k = 0; k < armature.size(); ++k) energy += armature[k] * v[at + k] * v[at + k] / 2;
  }
  return energy;
}
long double LagrangeReference::gravity_energy(const VectorXl& q) const {
  return kinematics_->gravity_energy(kinematics_->poses<Real>({&q}));
}
long double LagrangeReference::elastic_energy(const VectorXl& q) const {
  Real energy = 0;
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const auto& data = kinematics_->links[i];
    if (data.rod) energy += data.rod->elastic_energy(q.data() + data.body_q);
    if (const auto& body = kinematics_->robot.links[i].continuum_joint) {
      const auto& K = body->stiffness;
      const Real u = q[data.body_q], w = q[data.body_q + 1];
      energy += (K[0] * u * u + K[1] * w * w) / 2 + body->coupling_stiffness * u * w;
    }
    const PlainJoint& joint = kinematics_->robot.links[i].joint;
    if (joint.stiffness.empty()) continue;
    const auto e = kinematics_->elongation<Real>(static_cast<int>(i), {&q});
    for (int j = 0; j < joint_nv(joint.type); ++j) energy += joint.stiffness[j] * e[j] * e[j] / 2;
  }
  return energy;
}

bool LagrangeReference::has_spring_near_half_turn(const VectorXl& q) const {
  for (std::size_t i = 0; i < kinematics_->links.size(); ++i) {
    const PlainJoint& joint = kinematics_->robot.links[i].joint;
    if (joint.stiffness.empty() || joint_nq(joint.type) == joint_nv(joint.type)) continue;
    const auto e = kinematics_->elongation<Real>(static_cast<int>(i), {&q});
    if (std::hypot(e[0], e[1], e[2]) > std::numbers::pi_v<Real> - 0.2L) return true;
  }
  return false;
}

Matrix4l LagrangeReference::pose(const VectorXl& q, const PlainPlace& place) const {
  return matrix_of(kinematics_->place_pose(kinematics_->poses<Real>({&q}), place));
}
Matrix4l LagrangeReference::base_pose(const VectorXl& q, int link) const {
  return matrix_of(kinematics_->poses<Real>({&q}).links[link].base);
}

}  // namespace cuttle::test
