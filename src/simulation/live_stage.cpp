#include "simulation/live_stage.h"

#include <algorithm>
#include <cmath>

namespace cuttle {
namespace {

RobotSystemT<double>::StateLoads list_of(const std::shared_ptr<PointHand>& hand) {
  if (!hand) return {};
  return {hand};
}

}  // namespace

Robot changed_robot(const Robot& robot, bool gravity, const std::optional<Place>& hand) {
  Robot other = robot;
  if (!gravity) other.gravity = {};
  if (hand) other.markers.push_back({k_hand_marker, *hand});
  return other;
}

LiveStage::LiveStage(const Robot& robot, const Scenario& scenario, const std::vector<Signal>& inputs,
                     const ConstraintRows& rows, const std::optional<Grip>& grip)
    : model(robot),
      hand(grip ? make_point_hand(model.marker_frame(k_hand_marker), *grip) : nullptr),
      system(model, inputs, rows, list_of(hand)),
      integrator(make_integrator(system, scenario.integrator)),
      sampler(model),
      data(model) {}

std::vector<LiveJoint> live_joints(const Model& model, const VectorXd& q) {
  std::vector<LiveJoint> joints;
  const double reach = robot_reach(model);
  for (const auto& link : model.links()) {
    if (link.joint_nq != link.joint_nv) continue;  // quaternions
    for (int k = 0; k < link.joint_nq; ++k) {
      LiveJoint joint;
      const CoordinateInfo& info = model.configuration_info()[link.q + k];
      joint.name = info.name, joint.unit = info.unit, joint.q = link.q + k, joint.v = link.v + k;
      const double half = joint.unit == "m" ? 0.5 * reach : M_PI;
      joint.min = std::min(-half, q[joint.q]), joint.max = std::max(half, q[joint.q]);
      joints.push_back(joint);
    }
  }
  return joints;
}

}  // namespace cuttle
