#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/point_body.h"
#include "cuttle/simulation/batch.h"
#include "simulation/simulation_robots.h"
#include "support/changed_load.h"
#include "support/random_state.h"
#include "support/to_robot.h"

/// Robots for the tests of batches: each differs from the others in its numbers.
namespace cuttle::test {

inline constexpr int k_robots = 11;  // no multiple of any width
inline constexpr double k_tolerance = 1e-12;

/// The same robot with other numbers: lengths, masses, moduli and springs, each robot by another factor.
inline PlainRobot varied(PlainRobot robot, int index) {
  const double f = 1.0 + 0.07 * index, g = 1.0 - 0.03 * index, h = 1.0 + 0.2 * index;
  robot.gravity = {0.3 * index, robot.gravity[1], robot.gravity[2] * g};
  for (PlainLink& link : robot.links) {
    link.parent.pose.position[1] *= f;
    link.parent.pose.rpy[0] += 0.1 * index;
    for (double& k : link.joint.stiffness) k *= h;
    for (double& d : link.joint.damping) d *= f;
    for (double& a : link.joint.armature) a *= h;
    link.joint.axis[0] += 0.05 * index;
    if (link.rigid) {
      link.rigid->mass *= h;
      link.rigid->com[2] += 0.01 * index;
      for (double& i : link.rigid->inertia) i *= h;
    }
    if (link.continuum_joint) {
      link.continuum_joint->length *= f, link.continuum_joint->mass *= h, link.continuum_joint->radius *= g;
      for (double& k : link.continuum_joint->stiffness) k *= h;
      for (double& d : link.continuum_joint->damping) d *= f;
    }
    if (!link.rod) continue;
    link.rod->length *= f;  // ports at {s} stay, so they pass sections from robot to robot
    if (link.rod->young_modulus) *link.rod->young_modulus *= h;
    if (link.rod->density) *link.rod->density *= g;
    if (link.rod->damping_time) *link.rod->damping_time *= f;
    if (link.rod->viscosity) *link.rod->viscosity *= h;
    for (auto& stiffness : link.rod->stiffness) {
      for (double& k : stiffness) k *= h;
    }
  }
  return robot;
}

struct Robots {
  std::vector<Model> models;
  RowMatrixXd q, v, a;

  explicit Robots(const PlainRobot& plain, unsigned seed = 1) {
    for (int i = 0; i < k_robots; ++i) models.emplace_back(to_robot(varied(plain, i)));
    fill(seed);
  }
  explicit Robots(std::vector<Model> given) : models(std::move(given)) { fill(1); }

  /// Random states; robot 2 is at exactly zero strain and zero angles.
  void fill(unsigned seed) {
    const Model& first = models[0];
    const int count = static_cast<int>(models.size());
    q.resize(count, first.nq()), v.resize(count, first.nv()), a.resize(count, first.nv());
    Random random(seed);
    for (int i = 0; i < count; ++i) {
      const RandomState state = random_state(models[i], random);
      q.row(i) = state.q.transpose(), v.row(i) = state.v.transpose(), a.row(i) = state.a.transpose();
    }
    if (count > 2) q.row(2) = models[2].neutral().transpose();
  }
};

inline void expect_near(const VectorXd& found, const VectorXd& expected, const std::string& what) {
  ASSERT_TRUE(expected.allFinite()) << what;
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), k_tolerance * expected.lpNorm<Eigen::Infinity>()) << what;
}

/// Arms whose loads differ and jump at three times.
inline std::vector<Model> arms() {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot = mixed_arm();
    robot.gravity.y = 0.2 * i;
    change_wrench(robot.loads[0], [i](TimedWrench& w) { w.force[0] = Signal::sine(0.3 + 0.1 * i, 5.0, 0.2, 0.1); });
    change_wrench(robot.loads[1], [i](TimedWrench& w) {
      w.force[1] = Signal::step(0.0213 + 0.004 * (i % 3), 0.1 * i, 0.4);  // they jump at three times
    });
    models.emplace_back(robot);
  }
  return models;
}

/// Points on a rod that bends by one angle.
struct Arc {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    return {x.x + T(0.5) * q[0] * x.z * x.z, x.y, x.z};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return T(2.0) * q[0] * q[0];
  }
};

/// Robots with such a body, of other sizes and with other numbers of points.
inline std::vector<Model> arcs() {
  std::vector<Model> models;
  for (int i = 0; i < k_robots; ++i) {
    Robot robot = mixed_arm();
    change_wrench(robot.loads[1], [i](TimedWrench& w) { w.force[1] = Signal::step(0.005, 0.1 * i, 0.4); });
    auto body = std::make_shared<PointBodyT<double, Arc>>(
        point_cylinder(0.2, 0.01 + 0.001 * i, 1000.0, 3 + i % 4, 2 + i % 2, 4 + i));
    robot.links.push_back({.name = "soft", .body = body});
    models.emplace_back(robot);
  }
  return models;
}

}  // namespace cuttle::test
