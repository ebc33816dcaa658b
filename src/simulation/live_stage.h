#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuttle/elements/push.h"
#include "cuttle/simulation/live_simulation.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/run_driver.h"
#include "simulation/sampler.h"

namespace cuttle {

/// Name of the marker at which a push pulls.
inline constexpr const char* k_push_marker = "live:push";

/// The robot with its gravity switched, and with a marker where a push pulls.
Robot changed_robot(const Robot& robot, bool gravity, const std::optional<Place>& pulled);

/// What a simulation runs with between two changes of the robot itself: its gravity, and a port where a push
/// pulls.
struct LiveStage {
  /// @param motion  of what is driven, or null.
  /// @param spring  of a push at k_push_marker, if there is one.
  /// @param state  as RobotRun has it.
  LiveStage(const Robot& robot, const Scenario& scenario, const std::vector<Signal>& inputs, const ConstraintRows& rows,
            const std::shared_ptr<const PrescribedMotion>& motion, const std::optional<PushSpring>& spring,
            State& state);

  Model model;
  std::shared_ptr<PointPush> push;
  RobotSystem system;
  std::unique_ptr<Integrator> integrator;
  RobotRun run;
  RunDriver driver;
  Sampler sampler;
  Data data;
};

/// Constant references of controllers. Sliders go around the values that they have: half a turn to both sides for
/// angles; for lengths half of the robot's reach for places in space, a tenth of it for others; else as far as the
/// value is from zero, at least 1.
std::vector<LiveSetPoint> live_set_points(const Model& model, const Scenario& scenario,
                                          const std::vector<ControllerSetPoint>& set_points);

/// Coordinates of joints that pushes can take: all but those of quaternions and those that are driven. Revolute
/// ones reach half a turn to both sides, prismatic ones half of the robot's reach; further if q is further.
/// @param driven  coordinates of the velocity.
std::vector<LiveJoint> live_joints(const Model& model, const VectorXd& q, std::span<const int> driven);

}  // namespace cuttle
