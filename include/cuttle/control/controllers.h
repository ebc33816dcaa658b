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

/// What the controllers of the library have in common, docs/control.md.
struct ControlSettings {
  /// Actuator inputs that it drives, by the names of actuators or of single inputs; empty: all of actuators.
  std::vector<std::string> inputs;
  /// Links whose coordinates it controls, of laws on the configuration; empty: all.
  std::vector<std::string> links;
  double begin = -std::numeric_limits<double>::infinity();  ///< outside of [begin, end) it sets nothing [s]
  double end = std::numeric_limits<double>::infinity();
  std::optional<double> rate;  ///< samples a second [Hz], held in between; nothing: continuous
  double delay = 0.0;          ///< from a sample to its output [s]
  Measurement noise;           ///< standard deviations
  Measurement resolution;      ///< measured values are multiples of it; coordinates of quaternions are left alone
  ControlLimits limits;

  LawModel model;  ///< of partial_feedback_linearization and pd_plus

  std::vector<Signal> reference;            ///< one a controlled coordinate
  std::optional<PathReference> path;        ///< instead of them
  std::vector<double> kp, kd, ki;           ///< gains: one number, one a coordinate, or a matrix by rows; empty: 0
  std::optional<ExternalProgram> external;  ///< of external
  std::vector<double> lambda, kr, gamma;    ///< gains of adaptive, as kp; gamma: one a parameter
  std::vector<EstimatedParameter> parameters;
  std::vector<double> state_weight, input_weight;  ///< of lqr, as gains: of displacements and velocities, of inputs
  std::map<std::string, double> equilibrium;       ///< of lqr: inputs by name
  /// Of operational_space: LINK.tip, LINK.base or a marker, whose position `reference` has in the world.
  std::string frame;
  std::optional<std::array<double, 4>> quaternion;  ///< of the frame in the world: w, x, y, z
  std::vector<double> stiffness, damping;  ///< 6, about and along the world's axes [N m/rad, N/m, N m s/rad, ..]
  double nullspace_damping = 0.0;          ///< of all velocities [N m s/rad, N s/m]
  std::vector<Signal> feed_inputs;         ///< of feed_forward: its outputs, instead of a reference
};

/// A law, bound to a robot only later. Each is explained by equations in docs/control.md; e = reference - coordinate.
/// @throws ArgumentError for settings that make no sense on any robot.
/// @code
/// ControlSettings hold;
/// hold.reference = {Signal::cubic(0, 3, 0, 1.57)}, hold.kp = {100}, hold.kd = {10};
/// scenario.controllers.push_back({"hold", make_computed_torque(hold)});
/// @endcode
std::shared_ptr<const Controller> make_computed_torque(ControlSettings settings);
std::shared_ptr<const Controller> make_partial_feedback_linearization(ControlSettings settings);
std::shared_ptr<const Controller> make_pd_with_cancellation(ControlSettings settings);
std::shared_ptr<const Controller> make_pd_plus(ControlSettings settings);
std::shared_ptr<const Controller> make_pid(ControlSettings settings);
std::shared_ptr<const Controller> make_feed_forward(ControlSettings settings);
std::shared_ptr<const Controller> make_adaptive(ControlSettings settings);
std::shared_ptr<const Controller> make_operational_space(ControlSettings settings);
std::shared_ptr<const Controller> make_lqr(ControlSettings settings);
/// Asks a program at each sample, in JSON: {"time", "q", "v", "sensors"}, answered by {"u"}. The program runs from the
/// first sample to the end of the run.
std::shared_ptr<const Controller> make_external(ControlSettings settings);

}  // namespace cuttle
