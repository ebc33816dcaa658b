#include "cuttle/algorithms/inverse_dynamics.h"

#include "algorithms/composite_inertia.h"
#include "algorithms/node_wrenches.h"
#include "algorithms/sweep.h"

namespace cuttle {
namespace {

/// Inward sweep, [P] Alg. 1: from each node's inertial wrench to generalized forces, tips to root.
template <typename S>
void inward(const ModelT<S>& model, DataT<S>& data, const S* a, S* tau) {
  const TopologyT<S>& t = model.topology();
  for (int e = static_cast<int>(t.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = t.edges[e];
    const int parent = edge.parent_node, child = edge.child_node;
    if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<S>& screw = t.screws[edge.index];
      const WrenchT<S>& w = data.wrench[child];
      tau[edge.v] = sweep::screw_component(screw, w) + screw.armature * a[edge.v];
      // what accelerates the child must come through its parent
      if (parent != 0) data.wrench[parent] += data.parent_child[e].act(w);
    } else if (edge.kind == EdgeKind::joint) {
      const JointEdgeT<S>& joint = t.joints[edge.index];
      const JointMotionT<S>& motion = data.joint_motion[edge.index];
      const WrenchT<S>& w = data.wrench[child];
      for (int k = 0; k < edge.nv; ++k) {
        tau[edge.v + k] = dot(w, motion.subspace[k]) + joint.dynamics.armature[k] * a[edge.v + k];
      }
      if (parent != 0) data.wrench[parent] += data.parent_child[e].act(w);
    } else {
      const BodyEdgeT<S>& body = t.bodies[edge.index];
      WrenchT<S>* port_wrenches = data.port_wrench.data() + body.first_port;
      for (int k = 0; k < edge.child_count; ++k) port_wrenches[k] = data.wrench[child + k];
      WrenchT<S> base_wrench;
      body.body->backward(data.body_state[edge.index], port_wrenches, data.workspace(body), base_wrench, tau + edge.v);
      if (parent != 0) data.wrench[parent] += body.parent_base.act(base_wrench);
    }
  }
}

template <bool Blocks, typename S>
void newton_euler(const ModelT<S>& model, DataT<S>& data, const S* q, const S* v, const S* a, bool gravity, S* tau,
                  ExternalWrenchesT<S> external = {}) {
  const Vector3T<S> root = gravity ? -model.robot().gravity : Vector3T<S>{};
  sweep::outward<MotionLevel::acceleration, true, Blocks>(model, data, q, v, a, root);
  if (sweep::any_in_world_axes<S>(external)) sweep::world_poses(model, data);
  for (const auto& e : external) data.wrench[e.frame.node] -= sweep::node_wrench(e, &data.kinematics);
  inward(model, data, a, tau);
}

template <typename S>
void check(const ModelT<S>& model, const char* function, const DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
           VectorInT<S> a) {
  check_call(model, function, data, q);
  check_argument(model, function, "v", v, model.nv());
  check_argument(model, function, "a", a, model.nv());
}

}  // namespace

template <typename S>
const VectorXT<S>& inertial_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                             VectorInT<S> a) {
  check(model, "inertial_inverse_dynamics", data, q, v, a);
  newton_euler<false>(model, data, q.data(), v.data(), a.data(), false, data.tau.data());
  require_finite_force(model, "inertial_inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> a) {
  check(model, "inverse_dynamics", data, q, v, a);
  newton_euler<false>(model, data, q.data(), v.data(), a.data(), true, data.tau.data());
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  require_finite_force(model, "inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> a, ExternalWrenchesT<S> external) {
  check(model, "inverse_dynamics", data, q, v, a);
  sweep::check_external(model, "inverse_dynamics", external);
  newton_euler<false>(model, data, q.data(), v.data(), a.data(), true, data.tau.data(), external);
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  require_finite_force(model, "inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& mass_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                         VectorInT<S> a) {
  check(model, "mass_inverse_dynamics", data, q, v, a);
  require_few_coordinates(model, "mass_inverse_dynamics");
  newton_euler<true>(model, data, q.data(), v.data(), a.data(), true, data.tau.data());
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  composite_mass_matrix(model, data, "mass_inverse_dynamics");
  require_finite_force(model, "mass_inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const MatrixXT<S>& mass_matrix(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "mass_matrix", data, q);
  require_few_coordinates(model, "mass_matrix");
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  composite_mass_matrix(model, data, "mass_matrix");
  return data.mass_matrix;
}

template <typename S>
const VectorXT<S>& coriolis_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check(model, "coriolis_force", data, q, v, data.zero);
  newton_euler<false>(model, data, q.data(), v.data(), data.zero.data(), false, data.force.data());
  require_finite_force(model, "coriolis_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& gravity_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "gravity_force", data, q);
  newton_euler<false>(model, data, q.data(), data.zero.data(), data.zero.data(), true, data.force.data());
  require_finite_force(model, "gravity_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& elastic_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "elastic_force", data, q);
  data.force.setZero();
  sweep::visco_elastic<true, false, S>(model, data, q.data(), nullptr, data.force.data());
  require_finite_force(model, "elastic_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& damping_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check(model, "damping_force", data, q, v, data.zero);
  data.force.setZero();
  sweep::visco_elastic<false, true>(model, data, q.data(), v.data(), data.force.data());
  require_finite_force(model, "damping_force", "force", data.force);
  return data.force;
}

#define CUTTLE_INSTANTIATE(S)                                                                                       \
  template const VectorXT<S>& inertial_inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>, \
                                                           VectorInT<S>);                                           \
  template const VectorXT<S>& inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,          \
                                                  VectorInT<S>);                                                    \
  template const VectorXT<S>& inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,          \
                                                  VectorInT<S>, ExternalWrenchesT<S>);                              \
  template const VectorXT<S>& mass_inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,     \
                                                       VectorInT<S>);                                               \
  template const MatrixXT<S>& mass_matrix<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                            \
  template const VectorXT<S>& coriolis_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);           \
  template const VectorXT<S>& gravity_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                          \
  template const VectorXT<S>& elastic_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                          \
  template const VectorXT<S>& damping_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
