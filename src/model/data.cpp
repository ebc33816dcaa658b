#include "cuttle/model/data.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/error.h"

namespace cuttle {

template <typename S>
TwistT<S> KinematicsT<S>::velocity_of(const FrameT<S>& frame) const {
  if (level < MotionLevel::velocity) {
    throw ArgumentError("velocity_of: forward_kinematics was called without v, expected q, v");
  }
  return frame.node_frame.act_inverse(velocity[frame.node]);
}

template <typename S>
TwistT<S> KinematicsT<S>::acceleration_of(const FrameT<S>& frame) const {
  if (level < MotionLevel::acceleration) {
    throw ArgumentError("acceleration_of: forward_kinematics was called without a, expected q, v, a");
  }
  return frame.node_frame.act_inverse(acceleration[frame.node]);
}

template <typename S>
void DataT<S>::Free::operator()(void* p) const {
  std::free(p);
}

template <typename S>
DataT<S>::DataT(const ModelT<S>& model) {
  const TopologyT<S>& t = model.topology();
  const int nv = model.nv();
  const std::size_t nodes = t.nodes.size(), edges = t.edges.size();
  tau.setZero(nv), a.setZero(nv), force.setZero(nv), zero.setZero(nv), applied.setZero(nv);
  jacobian.setZero(6, nv);
  actuation_matrix.setZero(nv, model.nu()), actuation_coordinates.setZero(model.nu());
  // large and possibly never used: left untouched, so that the pages cost nothing until then
  mass_matrix.resize(nv, nv), factor.resize(nv, nv);
  kinematics.world_node.resize(nodes), kinematics.velocity.resize(nodes), kinematics.acceleration.resize(nodes);
  velocity.resize(nodes), acceleration.resize(nodes), wrench.resize(nodes), articulated.resize(nodes);
  pushed.assign(nodes, 0);
  parent_child.resize(edges), bias_acceleration.resize(edges);
  joint_motion.resize(t.joints.size()), joint_elimination.resize(t.joints.size());
  screw_elimination.resize(t.screws.size());
  body_state.resize(t.bodies.size()), port_motion.resize(t.port_count), port_wrench.resize(t.port_count),
      port_load.resize(t.port_count);
  int largest = 6;
  for (const Edge& edge : t.edges) largest = std::max(largest, edge.nv);
  carried.resize(largest);
  std::size_t points = 0, slopes = 0;
  for (const auto& tendon : model.tendons()) {
    for (const auto& polygon : tendon.polygons) {
      points = std::max(points, polygon.points.size());
      slopes = std::max(slopes, polygon.points.size() * polygon.nv);
    }
  }
  material_position.resize(points), material_slopes.resize(slopes);
  if constexpr (!k_has_lanes<S>) {  // packs of robots have no volumes
    std::size_t coordinates = 0, pocket = 0;
    for (const auto& chamber : model.chambers()) {
      coordinates = std::max<std::size_t>(coordinates, chamber.nv);
      pocket = std::max(pocket, pocket_workspace_size(*chamber.surface, chamber.nv));
    }
    chamber_slopes.resize(coordinates), chamber_workspace.resize(pocket);
  }
  for (const auto& edge : t.bodies) edge.body->workspace_size();  // bodies may need memory of this thread beside it
  composite.resize(nodes), body_inertia.resize(t.bodies.size()), blocks.resize(t.block_count);

  const WorkspaceSize& size = t.workspace;
  const std::size_t count = size.persistent + size.scratch + size.elimination;
  arena_bytes_ = (count * sizeof(S) + 63) / 64 * 64;
  if (arena_bytes_ > 0) {
    memory_.reset(std::aligned_alloc(64, arena_bytes_));
    if (!memory_) throw std::bad_alloc();
    arena_ = static_cast<S*>(memory_.get());
    std::uninitialized_fill(arena_, arena_ + count, S(0.0));
    scratch_ = arena_ + size.persistent;
    elimination_ = scratch_ + size.scratch;
  }
}

template <typename S>
std::size_t DataT<S>::bytes() const {
  const auto of = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return sizeof(*this) + arena_bytes_ + of(velocity) + of(acceleration) + of(wrench) + of(parent_child) +
         of(joint_motion) + of(body_state) + of(port_motion) + of(port_wrench) + of(articulated) + of(port_load) +
         of(bias_acceleration) + of(screw_elimination) + of(joint_elimination) + of(blocks) + of(pushed) +
         of(composite) + of(body_inertia) + of(carried) + of(kinematics.world_node) + of(kinematics.velocity) +
         of(kinematics.acceleration) + of(material_position) + of(material_slopes) + of(chamber_slopes) +
         of(chamber_workspace) +
         sizeof(S) * static_cast<std::size_t>(tau.size() * 5 + jacobian.size() + mass_matrix.size() + factor.size() +
                                              actuation_matrix.size() + actuation_coordinates.size());
}

#define CUTTLE_INSTANTIATE(S)     \
  template struct KinematicsT<S>; \
  template class DataT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
