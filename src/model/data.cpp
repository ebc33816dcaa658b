#include "cuttle/model/data.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/error.h"

namespace cuttle {

template <typename S>
void ModelT<S>::make_stamp() {
  const TopologyT<S>& t = topology_;
  WorkspaceSizes s;
  s.nv = nv_, s.nu = nu_, s.constraints = constraint_count(), s.loops = loops_.size();
  s.nodes = t.nodes.size(), s.edges = t.edges.size(), s.screws = t.screws.size(), s.joints = t.joints.size();
  s.bodies = t.bodies.size(), s.ports = static_cast<std::size_t>(t.port_count), s.blocks = t.block_count,
  s.slots = padded(t.slot_count);
  s.persistent = t.workspace.persistent, s.scratch = t.workspace.scratch, s.elimination = t.workspace.elimination;
  for (const Edge& edge : t.edges) {
    if (edge.kind != EdgeKind::body) continue;
    s.body_coordinates = std::max(s.body_coordinates, edge.nv);
    s.body_ports = std::max(s.body_ports, edge.child_count);
  }
  s.transmissions = element_transmissions_.count();
  for (const TransmissionsT<S>* transmissions : {&actuation_, &element_transmissions_}) {
    for (const auto& tendon : transmissions->tendons) {
      for (const auto& polygon : tendon.polygons) {
        s.polygon_points = std::max(s.polygon_points, polygon.points.size());
        s.polygon_slopes = std::max(s.polygon_slopes, polygon.points.size() * polygon.nv);
      }
    }
    if constexpr (!k_has_lanes<S>) {  // packs of robots have no volumes
      for (const auto& chamber : transmissions->chambers) {
        s.chamber_coordinates = std::max<std::size_t>(s.chamber_coordinates, chamber.nv);
        s.chamber_memory = std::max(s.chamber_memory, surface_workspace_size(*chamber.surface, chamber.nv));
      }
    }
  }
  stamp_ = std::make_shared<const ModelStamp>(ModelStamp{robot_.name, s});
}

template <typename S>
TwistT<S> KinematicsT<S>::velocity_of(const FrameT<S>& frame) const {
  if (level < MotionLevel::velocity) {
    throw ArgumentError("velocity_of: forward_kinematics was called without v, expected q, v");
  }
  if (static_cast<std::size_t>(frame.node) >= velocity.size()) refuse(frame);
  return frame.node_frame.act_inverse(velocity[frame.node]);
}

template <typename S>
TwistT<S> KinematicsT<S>::acceleration_of(const FrameT<S>& frame) const {
  if (level < MotionLevel::acceleration) {
    throw ArgumentError("acceleration_of: forward_kinematics was called without a, expected q, v, a");
  }
  if (static_cast<std::size_t>(frame.node) >= acceleration.size()) refuse(frame);
  return frame.node_frame.act_inverse(acceleration[frame.node]);
}

template <typename S>
void KinematicsT<S>::refuse(const FrameT<S>& frame) const {
  throw ArgumentError("kinematics: frame: found node " + std::to_string(frame.node) + ", expected one of the " +
                      std::to_string(world_node.size()) + " nodes of the model that was moved");
}

template <typename S>
void DataT<S>::Free::operator()(void* p) const {
  std::free(p);
}

template <typename S>
DataT<S>::DataT(const ModelT<S>& model) : stamp_(model.stamp()) {
  const WorkspaceSizes& s = stamp_->sizes;
  const int nv = s.nv;
  tau.setZero(nv), a.setZero(nv), force.setZero(nv), zero.setZero(nv), applied.setZero(nv);
  actuation_matrix.setZero(nv, s.nu), actuation_coordinates.setZero(s.nu);
  for (auto* twists : {&kinematics.velocity, &kinematics.acceleration, &velocity, &acceleration}) {
    twists->resize(s.nodes);
  }
  kinematics.stamp_ = stamp_;
  kinematics.world_node.resize(s.nodes), wrench.resize(s.nodes), articulated.resize(s.nodes);
  pushed.assign(s.nodes, 0);
  parent_child.resize(s.edges), bias_acceleration.resize(s.edges);
  joint_motion.resize(s.joints), joint_elimination.resize(s.joints), screw_elimination.resize(s.screws);
  body_state.resize(s.bodies), port_motion.resize(s.ports), port_wrench.resize(s.ports), port_load.resize(s.ports);
  carried.resize(s.body_coordinates);
  material_position.resize(s.polygon_points), material_slopes.resize(s.polygon_slopes);
  chamber_slopes.resize(s.chamber_coordinates), chamber_workspace.resize(s.chamber_memory);
  body_inertia.resize(s.bodies), blocks.resize(s.blocks);

  const std::size_t count = s.persistent + s.scratch + s.elimination;
  arena_bytes_ = (count * sizeof(S) + 63) / 64 * 64;
  if (arena_bytes_ > 0) {
    memory_.reset(std::aligned_alloc(64, arena_bytes_));
    if (!memory_) throw std::bad_alloc();
    arena_ = static_cast<S*>(memory_.get());
    std::uninitialized_fill(arena_, arena_ + count, S(0.0));
    scratch_ = arena_ + s.persistent;
    elimination_ = scratch_ + s.scratch;
  }
}

template <typename S>
std::size_t DataT<S>::bytes() const {
  const auto of = [](const auto& v) {
    return v.size() * sizeof(typename std::decay_t<decltype(v)>::value_type);  // NOLINT(bugprone-sizeof-expression)
  };
  return sizeof(*this) + arena_bytes_ + of(velocity) + of(acceleration) + of(wrench) + of(parent_child) +
         of(joint_motion) + of(body_state) + of(port_motion) + of(port_wrench) + of(articulated) + of(port_load) +
         of(bias_acceleration) + of(screw_elimination) + of(joint_elimination) + of(blocks) + of(pushed) +
         of(composite) + of(body_inertia) + of(carried) + of(placed_node) + of(columns) + of(kinematics.world_node) +
         of(kinematics.velocity) + of(kinematics.acceleration) + of(material_position) + of(material_slopes) +
         of(chamber_slopes) + of(chamber_workspace) +
         sizeof(S) * static_cast<std::size_t>(tau.size() * 5 + jacobian.size() + mass_matrix.size() + factor.size() +
                                              actuation_matrix.size() + actuation_coordinates.size());
}

#define CUTTLE_INSTANTIATE(S)            \
  template void ModelT<S>::make_stamp(); \
  template struct KinematicsT<S>;        \
  template class DataT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
