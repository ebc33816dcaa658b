#include "simulation/live_stage.h"

#include <algorithm>
#include <cmath>

namespace cuttle {
namespace {

EquationOfMotion::StateLoads list_of(const std::shared_ptr<PointPerturbation>& pull) {
  if (!pull) return {};
  return {pull};
}

std::shared_ptr<PointPerturbation> perturbation_at(const Frame& frame, const PerturbationSpring& spring) {
  return std::make_shared<PointPerturbation>(PointPerturbationLaw(spring), std::vector<Frame>{frame});
}

}  // namespace

Robot changed_robot(const Robot& robot, bool gravity, const std::optional<Place>& pulled) {
  Robot other = robot;
  if (!gravity) other.gravity = {};
  if (pulled) other.markers.push_back({k_pull_marker, *pulled});
  return other;
}

LiveStage::LiveStage(const Robot& robot, const Scenario& scenario, const std::vector<Signal>& inputs,
                     const ConstraintRows& rows, const std::shared_ptr<const PrescribedMotion>& motion,
                     const std::optional<PerturbationSpring>& spring, State& state)
    : model(robot),
      pull(spring ? perturbation_at(model.marker_frame(k_pull_marker), *spring) : nullptr),
      system(model, {.inputs = inputs,
                     .rows = rows,
                     .controllers = scenario.controllers,
                     .seed = scenario.seed,
                     .motion = motion,
                     .perturbations = list_of(pull)}),
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
