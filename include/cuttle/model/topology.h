#pragma once

#include <memory>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/model/joint.h"

namespace CUTTLE_API cuttle {

/// What the sweeps run over, made once by the Model: **nodes** (rigid frames, with the inertia of everything fixed to
/// them) connected by **edges** (joints, and bodies that deform). Links of the file do not appear: a fixed joint adds
/// no node, a rigid body adds inertia to one, so the recursion pays only for what moves. Every frame a user knows is a
/// node and a constant pose in it. Edges come after the edge that makes their parent node.

/// A rigid frame. Node 0 is the world.
template <typename S>
struct NodeT {
  SpatialInertiaT<S> inertia;  ///< of all rigid bodies fixed to the frame, node axes
  bool has_inertia = false;
  int link = -1;  ///< of the edge that moves it; -1 for the world and the floating base
};

enum class EdgeKind { screw, joint, body };

/// One-coordinate joint; the node's axes are turned so that the screw is their z axis.
template <typename S>
struct ScrewEdgeT {
  PoseT<S> parent_placement;  ///< in the parent node, z along the screw
  S rotation, translation;    ///< rad and m a unit of q
  S stiffness{}, damping{}, armature{}, rest{};
};

/// Joint with any number of coordinates.
template <typename S>
struct JointEdgeT {
  PoseT<S> parent_placement;
  std::shared_ptr<const JointT<S>> joint;
  JointDynamicsT<S> dynamics;  ///< completed: every vector has its size
};

/// Body with coordinates; its ports are nodes.
template <typename S>
struct BodyEdgeT {
  PoseT<S> parent_base;  ///< the body's base frame in the parent node
  std::shared_ptr<const BodyT<S>> body;
  int first_port = 0;                           ///< of its ports in Data's arrays of ports
  std::size_t persistent = 0, elimination = 0;  ///< offsets of its workspace in Data's arena
  std::size_t blocks = 0;                       ///< offset of its inertia blocks in Data
};

struct Edge {
  EdgeKind kind;
  int index;  ///< in the array of its kind
  int parent_node;
  int child_node;  ///< of a body: the node of port 0; those of the other ports follow
  int child_count;
  int link;          ///< -1: floating base
  int q, nq, v, nv;  ///< its coordinates in the robot's
};

/// Any frame of a robot, for the algorithms of its Model: a node and a constant pose in it.
template <typename S>
struct FrameT {
  int node = 0;
  PoseT<S> node_frame;
};
using Frame = FrameT<double>;

/// Columns of coordinates, a *slot* each, lie in the order of the edges; a body has its coordinates once for each port.
/// A run are those that move a node, from its own edge inwards, as long as slots and coordinates are neighbors: slots
/// [slot, slot + count) belong to the velocity coordinates from v on. The others that move the node move `beyond`.
struct ColumnRun {
  int slot = 0, v = 0, count = 0, beyond = 0;
};

template <typename S>
struct TopologyT {
  std::vector<NodeT<S>> nodes;
  std::vector<Edge> edges;
  std::vector<ScrewEdgeT<S>> screws;
  std::vector<JointEdgeT<S>> joints;
  std::vector<BodyEdgeT<S>> bodies;
  std::vector<int> parent_edge;  ///< of each node; -1 for the world
  std::vector<char> loaded;      ///< of each node: has inertia or an edge that leaves it
  std::vector<int> leaves;       ///< nodes that no edge leaves; what is not finite anywhere is not finite there
  std::vector<ColumnRun> runs;   ///< of nodes
  std::vector<int> first_slot;   ///< of edges
  int slot_count = 0;
  bool branches = false;  ///< there are coordinates of which neither moves the other
  int port_count = 0;
  std::size_t block_count = 0;  ///< scalars of all bodies' inertia blocks
  WorkspaceSize workspace;      ///< sums (persistent, elimination) and maximum (scratch) over all bodies

  /// Finds runs and slots, once all edges are there.
  void find_columns();
  /// Calls use(run) for the runs that move a node, outermost first.
  template <typename Use>
  void for_each_run(int node, const Use& use) const {
    for (; node != 0; node = runs[node].beyond) use(runs[node]);
  }
};

template <typename S>
void TopologyT<S>::find_columns() {
  runs.assign(nodes.size(), {});
  first_slot.clear();
  slot_count = 0;
  std::vector<char> left(nodes.size(), 0);
  for (const Edge& edge : edges) {
    if (left[edge.parent_node] != 0 || edge.child_count > 1) branches = true;
    left[edge.parent_node] = 1;
    first_slot.push_back(slot_count);
    for (int p = 0; p < edge.child_count; ++p, slot_count += edge.nv) {
      const ColumnRun& before = runs[edge.parent_node];
      const bool neighbors = before.slot + before.count == slot_count && before.v + before.count == edge.v;
      runs[edge.child_node + p] = neighbors && edge.parent_node != 0
                                      ? ColumnRun{before.slot, before.v, before.count + edge.nv, before.beyond}
                                      : ColumnRun{slot_count, edge.v, edge.nv, edge.parent_node};
    }
  }
}

}  // namespace cuttle
