#include "support/lagrange/kinematics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace cuttle::test::lagrange {

namespace {

Top<Real> turn(const Triple& axis, Real angle) {
  const Real length = std::sqrt(static_cast<Real>(axis[0]) * axis[0] + static_cast<Real>(axis[1]) * axis[1] +
                                static_cast<Real>(axis[2]) * axis[2]);
  return exponential(
      hat<Real>({angle * axis[0] / length, angle * axis[1] / length, angle * axis[2] / length, 0, 0, 0}));
}
Top<Real> pose_of(const PlainPose& plain) {
  Top<Real> g = times_pose(times_pose(turn({0, 0, 1}, plain.rpy[2]), turn({0, 1, 0}, plain.rpy[1])),
                           turn({1, 0, 0}, plain.rpy[0]));
  for (int i = 0; i < 3; ++i) g.at[i][3] = plain.position[i];
  return g;
}

void coordinate(const Path& path, int q, int, Real& x) { x = (*path.q)[q]; }
void coordinate(const Path& path, int q, int v, Dual1& x) { x = {(*path.q)[q], (*path.outer)[v]}; }
void coordinate(const Path& path, int q, int v, Dual2& x) {
  x = {{(*path.q)[q], (*path.inner)[v]}, {(*path.outer)[v], 0.0L}};
}
/// exp(inner e2) exp(outer e1) for `count` (3: SO(3), 6: SE(3)) velocities from v; exact, as e^2 = 0.
Top<Real> tangent(const Path&, int, int, Real) { return identity<Real>(); }
std::array<Real, 6> direction(const VectorXl& d, int v, int count) {
  std::array<Real, 6> t{};
  for (int i = 0; i < count; ++i) t[i] = d[v + i];
  return t;
}
Top<Dual1> tangent(const Path& path, int v, int count, Dual1) {
  Top<Dual1> g = identity<Dual1>();
  const Top<Real> d = hat(direction(*path.outer, v, count));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) g.at[i][j].dx = d.at[i][j];
  }
  return g;
}
Top<Dual2> tangent(const Path& path, int v, int count, Dual2) {
  Top<Dual2> outer = identity<Dual2>(), inner = identity<Dual2>();
  const Top<Real> a = hat(direction(*path.outer, v, count)), b = hat(direction(*path.inner, v, count));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) outer.at[i][j].dx.x = a.at[i][j], inner.at[i][j].x.dx = b.at[i][j];
  }
  return times_pose(inner, outer);
}
Top<Real> quaternion_pose(const Real* quaternion, const Real* position) {
  const Real w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const Real n = w * w + x * x + y * y + z * z;
  Top<Real> g;
  g.at[0] = {(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n, 0};
  g.at[1] = {2 * (x * y + w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n, 0};
  g.at[2] = {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (w * w - x * x - y * y + z * z) / n, 0};
  for (int i = 0; position != nullptr && i < 3; ++i) g.at[i][3] = position[i];
  return g;
}

template <typename T>
Top<T> screw(const Triple& axis, bool rotates, const T& q) {
  Real length = 0;
  for (const double x : axis) length += static_cast<Real>(x) * x;
  length = std::sqrt(length);
  std::array<T, 6> t;
  for (int i = 0; i < 6; ++i) t[i] = T(0.0L);
  for (int i = 0; i < 3; ++i) t[rotates ? i : i + 3] = (axis[i] / length) * q;
  return exponential(hat(t));
}

template <typename T>
Top<T> joint_pose(const PlainJoint& joint, const Path& path, int q, int v) {
  const VectorXl& at = *path.q;
  std::array<T, 3> x;
  if (joint_nq(joint.type) == joint_nv(joint.type)) {
    for (int i = 0; i < std::min(3, joint_nv(joint.type)); ++i) coordinate(path, q + i, v + i, x[i]);
  }
  if (joint.type == "fixed") return identity<T>();
  if (joint.type == "revolute") return screw(joint.axis, true, x[0]);
  if (joint.type == "prismatic") return screw(joint.axis, false, x[0]);
  if (joint.type == "cylindrical") return times_pose(screw(joint.axis, true, x[0]), screw(joint.axis, false, x[1]));
  if (joint.type == "universal") return times_pose(screw(joint.axis, true, x[0]), screw(joint.axis2, true, x[1]));
  if (joint.type == "planar") {
    return times_pose(times_pose(screw({1, 0, 0}, false, x[0]), screw({0, 1, 0}, false, x[1])),
                      screw({0, 0, 1}, true, x[2]));
  }
  if (joint.type == "spherical") {
    return times_pose(lift<T>(quaternion_pose(&at[q], nullptr)), tangent(path, v, 3, T()));
  }
  if (joint.type == "free") {
    return times_pose(lift<T>(quaternion_pose(&at[q + 3], &at[q])), tangent(path, v, 6, T()));
  }
  throw std::invalid_argument("joint " + joint.type);
}

}  // namespace

Kinematics::Kinematics(PlainRobot plain, const RodIntegration& integration) : robot(std::move(plain)) {
  if (robot.floating) nq = 7, nv = 6;
  for (const PlainLink& link : robot.links) {
    LinkData data{nq, nv, 0, 0, {}, {}};
    nq += joint_nq(link.joint.type), nv += joint_nv(link.joint.type);
    data.body_q = nq, data.body_v = nv;
    if (link.rod) {
      data.rod.emplace(*link.rod, integration);
      nq += data.rod->coordinates, nv += data.rod->coordinates;
    }
    if (link.continuum_joint) nq += 2, nv += 2;
    if (link.rigid) {
      const auto& I = link.rigid->inertia;
      data.rigid.mass = link.rigid->mass;
      for (int i = 0; i < 3; ++i) data.rigid.com[i] = link.rigid->com[i];
      data.rigid.inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    }
    links.push_back(std::move(data));
  }
}

template <typename T>
Poses<T> Kinematics::poses(const Path& path) const {
  Poses<T> all;
  all.base = lift<T>(pose_of(robot.base));
  if (robot.floating) {
    const VectorXl& q = *path.q;
    all.base = times_pose(all.base, times_pose(lift<T>(quaternion_pose(&q[3], &q[0])), tangent(path, 0, 6, T())));
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkData& data = links[i];
    LinkPoses<T> link;
    link.base = times_pose(place_pose(all, robot.links[i].parent),
                           joint_pose<T>(robot.links[i].joint, path, data.joint_q, data.joint_v));
    link.tip = link.base;
    if (robot.links[i].rigid) link.tip = times_pose(link.base, lift<T>(pose_of(robot.links[i].rigid->tip)));
    const int count = data.rod ? data.rod->coordinates : robot.links[i].continuum_joint ? 2 : 0;
    link.q.resize(count);
    for (int k = 0; k < count; ++k) coordinate(path, data.body_q + k, data.body_v + k, link.q[k]);
    if (const auto& joint = robot.links[i].continuum_joint) {
      link.lumped = lumped(*joint, link.q.data());
      link.tip = times_pose(link.base, link.lumped->base_tip);
    }
    if (data.rod) {
      for (std::size_t k = 0; k < data.rod->steps.size(); ++k) {
        link.tip = data.rod->advance(link.tip, data.rod->steps[k], link.q.data());
        link.stops.push_back(link.tip);
        if (data.rod->section_of_step[k] >= 0) link.sections.push_back(link.tip);
      }
    }
    all.links.push_back(std::move(link));
  }
  return all;
}

template <typename T>
Top<T> Kinematics::place_pose(const Poses<T>& poses, const PlainPlace& place) const {
  const Top<T> offset = lift<T>(pose_of(place.pose));
  if (place.link < 0) return times_pose(poses.base, offset);
  const LinkPoses<T>& link = poses.links[place.link];
  if (place.at == "base") return times_pose(link.base, offset);
  if (place.at == "tip") return times_pose(link.tip, offset);
  const Rod& rod = *links[place.link].rod;
  if (place.s >= rod.plain.length) return times_pose(link.tip, offset);
  Top<T> g = link.base;
  Real from = 0;
  for (std::size_t k = 0; k < rod.steps.size() && rod.steps[k].to <= place.s; ++k) {
    from = rod.steps[k].to, g = link.stops[k];
  }
  if (place.s > from) g = rod.advance(g, rod.step_between(from, place.s), link.q.data());
  return times_pose(g, offset);
}

template <typename T, typename F>
void Kinematics::for_each_mass(const Poses<T>& poses, const F& f) const {
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (robot.links[i].rigid) f(poses.links[i].base, links[i].rigid);
    if (const auto& body = poses.links[i].lumped) f(times_pose(poses.links[i].base, body->base_com), body->mass);
    if (!links[i].rod) continue;
    for (std::size_t k = 0; k < links[i].rod->sections.size(); ++k) {
      f(poses.links[i].sections[k], links[i].rod->sections[k].mass);
    }
  }
}

template <typename X>
void Kinematics::motion(const Path& path, std::vector<std::array<X, 6>>& velocities,
                        std::vector<Momentum<X>>* momenta) const {
  velocities.clear();
  if (momenta) momenta->clear();
  for_each_mass(poses<Dual<X>>(path), [&](const Top<Dual<X>>& g, const auto& m) {
    velocities.push_back(body_velocity(g));
    if (momenta) momenta->push_back(momentum_of(at_instant(m), velocities.back()));
  });
}

template <typename T>
T Kinematics::gravity_energy(const Poses<T>& at) const {
  T energy(0.0L);
  for_each_mass(at, [&](const Top<T>& g, const auto& m) {
    for (int i = 0; i < 3; ++i) {
      const T p = g.at[i][3] + m.com[0] * g.at[i][0] + m.com[1] * g.at[i][1] + m.com[2] * g.at[i][2];
      energy = energy - (m.mass * robot.gravity[i]) * p;
    }
  });
  return energy;
}

template <typename T>
std::array<T, 6> Kinematics::elongation(int index, const Path& path) const {
  const PlainJoint& joint = robot.links[index].joint;
  const int q = links[index].joint_q, v = links[index].joint_v;
  std::array<T, 6> e;
  for (T& x : e) x = T(0.0L);
  if (joint_nq(joint.type) == joint_nv(joint.type)) {
    for (int i = 0; i < joint_nv(joint.type); ++i) {
      coordinate(path, q + i, v + i, e[i]);
      if (!joint.rest.empty()) e[i] = e[i] - T(joint.rest[i]);
    }
    return e;
  }
  Top<Real> rest = identity<Real>();
  if (!joint.rest.empty()) {
    std::array<Real, 7> values{};
    for (std::size_t i = 0; i < joint.rest.size(); ++i) values[i] = joint.rest[i];
    rest = joint.type == "spherical" ? quaternion_pose(values.data(), nullptr)
                                     : quaternion_pose(values.data() + 3, values.data());
  }
  return logarithm(times_pose(lift<T>(inverse(rest)), joint_pose<T>(joint, path, q, v)));
}

template Poses<Real> Kinematics::poses(const Path&) const;
template Poses<Dual1> Kinematics::poses(const Path&) const;
template Top<Real> Kinematics::place_pose(const Poses<Real>&, const PlainPlace&) const;
template void Kinematics::motion(const Path&, std::vector<std::array<Real, 6>>&, std::vector<Momentum<Real>>*) const;
template void Kinematics::motion(const Path&, std::vector<std::array<Dual1, 6>>&, std::vector<Momentum<Dual1>>*) const;
template Real Kinematics::gravity_energy(const Poses<Real>&) const;
template Dual1 Kinematics::gravity_energy(const Poses<Dual1>&) const;
template std::array<Real, 6> Kinematics::elongation(int, const Path&) const;
template std::array<Dual1, 6> Kinematics::elongation(int, const Path&) const;

}  // namespace cuttle::test::lagrange
