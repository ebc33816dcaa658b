#include "simulation/live_stage.h"

#include <algorithm>
#include <cmath>

namespace cuttle {
namespace {

EquationOfMotion::StateLoads list_of(const std::shared_ptr<PointPush>& push) {
  if (!push) return {};
  return {push};
}

std::shared_ptr<PointPush> push_at(const Frame& frame, const PushSpring& spring) {
  return std::make_shared<PointPush>(PointPushLaw(spring), std::vector<Frame>{frame});
}

}  // namespace

Robot changed_robot(const Robot& robot, bool gravity, const std::optional<Place>& pulled) {
  Robot other = robot;
  if (!gravity) other.gravity = {};
  if (pulled) other.markers.push_back({k_push_marker, *pulled});
  return other;
}

LiveStage::LiveStage(const Robot& robot, const Scenario& scenario, const std::vector<Signal>& inputs,
                     const ConstraintRows& rows, const std::shared_ptr<const PrescribedMotion>& motion,
                     const std::optional<PushSpring>& spring, State& state)
    : model(robot),
      push(spring ? push_at(model.marker_frame(k_push_marker), *spring) : nullptr),
      system(model, {.inputs = inputs,
                     .rows = rows,
                     .controllers = scenario.controllers,
                     .seed = scenario.seed,
                     .motion = motion,
                     .pushes = list_of(push)}),
      integrator(make_integrator(system, scenario.integrator)),
      run(system, *integrator, state),
      driver(run),
      sampler(model),
      data(model) {}

std::vector<LiveSetPoint> live_set_points(const Model& model, const Scenario& scenario,
                                          const std::vector<ControllerSetPoint>& set_points) {
  std::vector<LiveSetPoint> all;
  const double reach = robot_reach(model);
  for (const auto& [controller, index, set_point] : set_points) {
    const auto& [coordinate, value] = set_point;
    const bool in_space = coordinate.name == "x" || coordinate.name == "y" || coordinate.name == "z";
    double half = std::max(1.0, std::abs(value));
    if (coordinate.unit == "rad") half = M_PI;
    if (coordinate.unit == "m") half = (in_space ? 0.5 : 0.1) * reach;
    if (coordinate.unit == "m^3") half = std::abs(value);
    all.push_back({scenario.controllers[static_cast<std::size_t>(controller)].name + ": " + coordinate.name,
                   coordinate.unit, value - half, value + half});
  }
  return all;
}

std::vector<LiveJoint> live_joints(const Model& model, const VectorXd& q, std::span<const int> driven) {
  std::vector<LiveJoint> joints;
  const double reach = robot_reach(model);
  for (const auto& link : model.links()) {
    if (link.joint_nq != link.joint_nv) continue;  // quaternions
    if (std::binary_search(driven.begin(), driven.end(), link.v)) continue;
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
