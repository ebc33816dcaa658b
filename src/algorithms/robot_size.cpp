#include "algorithms/robot_size.h"

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"

namespace cuttle {

RobotSize robot_size(const Model& model, const VectorXd& q) {
  Data data(model);
  const KinematicsT<double>& at = forward_kinematics<double>(model, data, q);
  const TopologyT<double>& t = model.topology();
  const Vector3 base = at.pose(model.base_frame()).position;
  SpatialInertia all;  // world axes, about the base
  const auto add = [&](const SpatialInertia& inertia, const Pose& pose) {
    all += inertia.in_parent({pose.rotation, pose.position - base});
  };
  for (std::size_t n = 1; n < t.nodes.size(); ++n) {  // what is fixed to the world does not move
    if (t.nodes[n].has_inertia) add(t.nodes[n].inertia, at.world_node[n]);
  }
  for (const Edge& edge : t.edges) {
    if (edge.kind != EdgeKind::body) continue;
    const BodyEdgeT<double>& body = t.bodies[edge.index];
    add(body.body->rest_inertia(), at.world_node[edge.parent_node] * body.parent_base);
  }
  if (!(all.mass > 0.0)) throw ArgumentError("error: displacement: the robot has no mass that moves");
  double squares = 0.5 * (all.rotation.xx + all.rotation.yy + all.rotation.zz);  // sum of m r^2
  if (model.base_frame().node != 0) squares -= dot(all.moment, all.moment) / all.mass;
  return {all.mass, std::sqrt(std::max(squares, 0.0) / all.mass)};
}

}  // namespace cuttle
