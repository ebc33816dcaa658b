#pragma once

#include "algorithms/derivative_workspace.h"

// The parts of the derivatives of the dynamics (docs/architecture.md, Derivatives of the dynamics).

namespace cuttle::derivative {

/// Outward and inward: the twists of all coordinates, own entries of every edge in `d`, responses.
/// Derivatives by a joint's quaternion are along the moving frame: see hold_velocities. Without elasticity and inputs.
/// @return whether loads in world axes act.
bool sweep_both_ways(const Model& model, Data& data, DerivativeData::Workspace& w, const EdgeDerivatives& d,
                     const VectorInT<double>& q, const VectorInT<double>& v, const VectorInT<double>& a,
                     const Actions& actions);

/// Adds springs, elasticity, damping and armature: they lie within one edge each.
void add_elasticity(const Model& model, DerivativeData::Workspace& w, const EdgeDerivatives& d, const double* q,
                    const double* v);

inline bool has_quaternion(const Edge& edge) { return edge.nq != edge.nv; }
/// Coordinates of a spherical or free joint as a twist.
inline Twist twist_of(const double* v, int nv) {
  if (nv == 3) return {{v[0], v[1], v[2]}, {}};
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}
inline Twist unit_twist(int k) {
  Twist e;
  e[k] = 1.0;
  return e;
}

/// (p.u) 1 - u p^T: the torque about the origin of d x u at p, as a map of d.
inline Matrix3 lever(const Vector3& p, const Vector3& u) {
  const double c = dot(p, u);
  return Matrix3{{c, 0.0, 0.0}, {0.0, c, 0.0}, {0.0, 0.0, c}} - Matrix3::outer(u, p);
}
/// The same in the parent frame of which this frame has the given pose.
inline AngularMapT<double> in_parent(const AngularMapT<double>& map, const Pose& g) {
  const Vector3 u = g.rotation * map.vector;
  return {g.rotation * map.matrix * g.rotation.transpose() + lever(g.position, u), u};
}
inline CompositeT<double> in_parent(const CompositeT<double>& c, const Pose& g) {
  return {c.inertia.in_parent(g), in_parent(c.rate, g), in_parent(c.turn, g), g.act(c.wrench)};
}

}  // namespace cuttle::derivative
