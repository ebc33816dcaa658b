#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// Motion of every node after forward_kinematics; ask it for any frame of the model, until the next call with the same
/// Data.
template <typename S>
struct KinematicsT {
  MotionLevel level = MotionLevel::pose;  ///< how far it was filled
  std::vector<PoseT<S>> world_node;       ///< pose of each node in the world
  std::vector<TwistT<S>> velocity;        ///< of each node, its axes
  std::vector<TwistT<S>> acceleration;    ///< of each node, its axes, gravity removed

  /// Pose of the frame in the world. @throws ArgumentError, here and below, for a frame of another model.
  PoseT<S> pose(const FrameT<S>& frame) const {
    if (static_cast<std::size_t>(frame.node) >= world_node.size()) refuse(frame);
    return world_node[frame.node] * frame.node_frame;
  }
  /// Twist of the frame in its own axes: (angular; linear) [rad/s, m/s]. @throws ArgumentError if only poses were
  /// computed.
  TwistT<S> velocity_of(const FrameT<S>& frame) const;
  /// d/dt of the frame's twist in its own axes, component-wise, without gravity [rad/s^2, m/s^2]. @throws ArgumentError
  /// unless accelerations were computed.
  TwistT<S> acceleration_of(const FrameT<S>& frame) const;
  /// Of the model that its Data was made for.
  const std::shared_ptr<const ModelStamp>& stamp() const { return stamp_; }

 private:
  template <typename>
  friend class DataT;
  std::shared_ptr<const ModelStamp> stamp_;
  [[noreturn]] void refuse(const FrameT<S>& frame) const;
};

/// What forward dynamics keeps of a one-coordinate joint between its sweeps.
template <typename S>
struct ScrewElimination {
  WrenchT<S> momentum;  ///< U = I_A S
  S inverse_pivot;      ///< 1 / (S^T U + armature)
  S force;              ///< r = tau - S^T p
};
/// The same of a joint with several coordinates.
template <typename S>
struct JointElimination {
  std::array<WrenchT<S>, 6> momentum;  ///< columns of U
  std::array<S, 36> factor;            ///< of D = S^T U + armature, by rows
  std::array<S, 6> force;
};

/// Everything that the algorithms write: made once for a Model, then reused. One a thread. Nothing is allocated later,
/// but results that are matrices, when they are first asked for: long robots may never need them. It serves any of
/// the models of the same sizes (WorkspaceSizes), as a copy or one with other parameters; algorithms refuse any other
/// with an ArgumentError that names both robots.
template <typename S>
class DataT {
 public:
  explicit DataT(const ModelT<S>& model);
  /// Of the model that it was made for; null once it was moved from.
  const std::shared_ptr<const ModelStamp>& stamp() const { return stamp_; }
  DataT(DataT&&) noexcept = default;
  DataT& operator=(DataT&&) noexcept = default;
  DataT(const DataT&) = delete;
  DataT& operator=(const DataT&) = delete;
  ~DataT() = default;

  VectorXT<S> tau;          ///< nv, result of the inverse dynamics [N m or N]
  VectorXT<S> a;            ///< nv, result of the forward dynamics [rad/s^2 or m/s^2]
  MatrixXT<S> mass_matrix;  ///< nv x nv, result of mass_matrix and mass_inverse_dynamics; empty before
  MatrixXT<S> jacobian;     ///< 6 x nv, result of frame_jacobian; empty before
  /// Lanes of a pack of robots in which forward dynamics found no positive definite mass matrix; one robot throws.
  MaskT<S> singular{};
  VectorXT<S> force;                  ///< nv, result of the single forces (gravity, elastic, ..) and of external_force
  KinematicsT<S> kinematics;          ///< result of forward_kinematics
  MatrixXT<S> actuation_matrix;       ///< nv x nu, result of actuation_matrix
  VectorXT<S> actuation_coordinates;  ///< nu, result of actuation_coordinates [rad, m or m^3]

  /// Bytes that this Data holds.
  std::size_t bytes() const;

  // Working memory of the sweeps; one entry a node, an edge or a port of the model's topology.
  std::vector<TwistT<S>> velocity, acceleration;      ///< of nodes, node axes; accelerations with gravity inside
  std::vector<WrenchT<S>> wrench;                     ///< of nodes: what the edge above must supply
  std::vector<PoseT<S>> parent_child;                 ///< of each edge's child in its parent node (screws and joints)
  std::vector<JointMotionT<S>> joint_motion;          ///< of joint edges
  std::vector<BodyStateT<S>> body_state;              ///< of bodies: what the outward sweep gave them
  std::vector<PortMotionT<S>> port_motion;            ///< of ports
  std::vector<WrenchT<S>> port_wrench;                ///< of ports
  std::vector<ArticulatedLoadT<S>> articulated;       ///< of nodes
  std::vector<const ArticulatedLoadT<S>*> port_load;  ///< of ports; null where nothing hangs
  std::vector<char> pushed;                           ///< of nodes: an external wrench acts there (forward dynamics)
  std::vector<TwistT<S>> bias_acceleration;           ///< of each edge's child relative to its parent (screws, joints)
  std::vector<ScrewElimination<S>> screw_elimination;
  std::vector<JointElimination<S>> joint_elimination;
  std::vector<SpatialInertiaT<S>> composite;     ///< of nodes: inertia of everything that hangs there, frozen
  std::vector<SpatialInertiaT<S>> body_inertia;  ///< of bodies: M_00
  std::vector<S> blocks;                         ///< of bodies: M_BB and M_0B
  std::vector<Vector3T<S>> material_position;    ///< of the material points of one tendon's polygon
  std::vector<Vector3T<S>> material_slopes;      ///< and df/dq of each
  std::vector<S> chamber_slopes;                 ///< dV/dq of one chamber in a volume
  std::vector<S> chamber_workspace;              ///< of volume_in_surface
  std::vector<WrenchT<S>> carried;               ///< momenta of one body's coordinates
  std::vector<PoseT<S>> placed_node;             ///< of nodes, in the world, for the mass matrix
  std::vector<S> columns;                        ///< of slots: twists at their nodes and where these are, 9 rows
  VectorXT<S> zero;                              ///< zeros, nv
  VectorXT<S> applied;                           ///< nv, forces on the coordinates in forward dynamics
  MatrixXT<S> factor;                            ///< nv x nv, factor of forward_dynamics_dense

  InertiaBlocksT<S> inertia_blocks(const BodyEdgeT<S>& edge, int n) {
    return {blocks.data() + edge.blocks, blocks.data() + edge.blocks + static_cast<std::size_t>(n) * n, {}};
  }
  WorkspaceT<S> workspace(const BodyEdgeT<S>& edge) const {
    return {arena_ + edge.persistent, scratch_, elimination_ + edge.elimination};
  }

 private:
  std::shared_ptr<const ModelStamp> stamp_;
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> memory_;
  S* arena_ = nullptr;
  S* scratch_ = nullptr;
  S* elimination_ = nullptr;
  std::size_t arena_bytes_ = 0;
};
using Data = DataT<double>;

}  // namespace cuttle
