#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/control/controller.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/signal.h"

namespace CUTTLE_API cuttle {

/// Bounds of what a controller sets, each empty (none), one number for all its inputs, or one an input.
struct ControlLimits {
  std::vector<double> lower, upper;  ///< [unit of the input]
  std::vector<double> rate;          ///< of the change from sample to sample [unit/s]; with ControlSettings::rate alone
};

/// Of what a sampled controller is told: for all coordinates one number, or one a velocity coordinate of the robot.
struct Measurement {
  std::vector<double> q, v;
};

/// A parameter of the robot (Model::parameters) that a law estimates.
struct EstimatedParameter {
  std::string path;
  double initial = 0.0, lower = 0.0, upper = 0.0;  ///< its estimate at the begin, and the range of estimates
};

/// A program that answers lines with lines.
struct ExternalProgram {
  std::vector<std::string> command;  ///< program, found by PATH, and its arguments
  std::string directory;             ///< in which it works; empty: that of this process
  double timeout = 10.0;             ///< for an answer, the first one too, for which the program must start [s]
};

/// Paths of frames in space, from which a law gets its reference: equilibria of the robot, with the controller's
/// inputs, that carry the frames along them during its window (equilibrium_path).
struct PathReference {
  std::map<std::string, std::array<Signal, 3>> targets;  ///< by LINK.tip, LINK.base or a marker: in the world [m]
  int samples = 101;                                     ///< equilibria; splines between them
  double tolerance = 0.0;  ///< how far a frame may stay from its path where no equilibrium holds all of them there [m]
};

/// What of the robot partial_feedback_linearization and pd_plus know. What cannot act on that - actuators, elements,
/// loads - they do not know either.
struct LawModel {
  bool rigid = false;                         ///< every deforming body is a rigid one in its rest shape
  std::vector<std::string> without;           ///< links that are not there, with all that hangs on them
  std::vector<ParameterChange> parameters{};  ///< numbers that it has otherwise than the robot (Model::parameters)
  bool complete() const { return !rigid && without.empty() && parameters.empty(); }
};

/// What all controllers of the library have, docs/control.md. Each law adds its own.
struct ControlSettings {
  /// Actuator inputs that it drives, by the names of actuators or of single inputs; empty: all of actuators.
  std::vector<std::string> inputs;
  double begin = -std::numeric_limits<double>::infinity();  ///< outside of [begin, end) it sets nothing [s]
  double end = std::numeric_limits<double>::infinity();
  std::optional<double> rate;  ///< samples a second [Hz], held in between; nothing: continuous
  double delay = 0.0;          ///< from a sample to its output [s]
  Measurement noise;           ///< standard deviations
  Measurement resolution;      ///< measured values are multiples of it; coordinates of quaternions are left alone
  ControlLimits limits;
};

/// Of a law that follows a reference.
struct ReferenceSettings : ControlSettings {
  std::vector<Signal> reference;      ///< one a controlled coordinate
  std::optional<PathReference> path;  ///< instead of them
};
/// Of one with gains: one number, one a coordinate, or a matrix by rows; empty: 0.
struct FeedbackSettings : ReferenceSettings {
  std::vector<double> kp, kd;
};
/// Links whose coordinates it controls, of a law on the configuration.
using ControlledLinks = std::vector<std::string>;  // empty: all

struct ComputedTorqueSettings : FeedbackSettings {
  ControlledLinks links;
};
struct PartialFeedbackLinearizationSettings : FeedbackSettings {
  LawModel model;
};
struct PdWithCancellationSettings : FeedbackSettings {
  ControlledLinks links;
};
struct PdPlusSettings : FeedbackSettings {
  ControlledLinks links;
  LawModel model;
};
struct PidSettings : FeedbackSettings {
  std::vector<double> ki;
};
struct FeedForwardSettings : ReferenceSettings {
  ControlledLinks links;
  std::vector<Signal> feed_inputs;  ///< its outputs, instead of a reference
};
struct AdaptiveSettings : ReferenceSettings {
  ControlledLinks links;
  std::vector<double> lambda, kr, gamma;  ///< gains; gamma: one a parameter
  std::vector<EstimatedParameter> parameters;
};
struct OperationalSpaceSettings : ControlSettings {
  std::string frame;                                ///< LINK.tip, LINK.base or a marker
  std::vector<Signal> reference;                    ///< its position in the world [m]
  std::optional<std::array<double, 4>> quaternion;  ///< of the frame in the world: w, x, y, z
  std::vector<double> stiffness, damping;  ///< 6, about and along the world's axes [N m/rad, N/m, N m s/rad, ..]
  double nullspace_damping = 0.0;          ///< of all velocities [N m s/rad, N s/m]
};
struct LqrSettings : ControlSettings {
  std::vector<double> state_weight, input_weight;  ///< as gains: of displacements and velocities, of inputs
  std::map<std::string, double> equilibrium;       ///< inputs by name
};
struct ExternalSettings : ControlSettings {
  ExternalProgram program;
};

/// A law, bound to a robot only later. Each is explained by equations in docs/control.md; e = reference - coordinate.
/// @throws ArgumentError for settings that make no sense on any robot.
/// @code
/// ComputedTorqueSettings hold;
/// hold.reference = {Signal::cubic(0, 3, 0, 1.57)}, hold.kp = {100}, hold.kd = {10};
/// scenario.controllers.push_back({"hold", make_computed_torque(hold)});
/// @endcode
std::shared_ptr<const Controller> make_computed_torque(ComputedTorqueSettings settings);
std::shared_ptr<const Controller> make_partial_feedback_linearization(PartialFeedbackLinearizationSettings settings);
std::shared_ptr<const Controller> make_pd_with_cancellation(PdWithCancellationSettings settings);
std::shared_ptr<const Controller> make_pd_plus(PdPlusSettings settings);
std::shared_ptr<const Controller> make_pid(PidSettings settings);
std::shared_ptr<const Controller> make_feed_forward(FeedForwardSettings settings);
std::shared_ptr<const Controller> make_adaptive(AdaptiveSettings settings);
std::shared_ptr<const Controller> make_operational_space(OperationalSpaceSettings settings);
std::shared_ptr<const Controller> make_lqr(LqrSettings settings);
/// Asks a program at each sample, in JSON: {"time", "q", "v", "sensors"}, answered by {"u"}. The program runs from the
/// first sample to the end of the run.
std::shared_ptr<const Controller> make_external(ExternalSettings settings);

}  // namespace cuttle
