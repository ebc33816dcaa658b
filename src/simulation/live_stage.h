#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/sampler.h"

namespace cuttle {

/// Name of the marker at which a hand pulls.
inline constexpr const char* k_hand_marker = "live:hand";

/// The robot with its gravity switched, and with a marker where a hand holds it.
Robot changed_robot(const Robot& robot, bool gravity, const std::optional<Place>& hand);

/// What a simulation runs with between two changes of the robot itself: its gravity, and a port where a hand holds it.
struct LiveStage {
  /// @param grip  of a hand at k_hand_marker, if there is one.
  LiveStage(const Robot& robot, const Scenario& scenario, const std::vector<Signal>& inputs, const ConstraintRows& rows,
            const std::optional<Grip>& grip);

  Model model;
  std::shared_ptr<PointHand> hand;
  RobotSystem system;
  std::unique_ptr<Integrator> integrator;
  Sampler sampler;
  Data data;
};

/// Coordinates of joints that hands can take: all but those of quaternions. Revolute ones reach half a turn to both
/// sides, prismatic ones half of the robot's reach; further if q is further.
std::vector<LiveJoint> live_joints(const Model& model, const VectorXd& q);

}  // namespace cuttle
