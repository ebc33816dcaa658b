#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/recorder.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// A coordinate of a joint that a push can take, and how far a slider for it reaches.
struct LiveJoint {
  std::string name;  ///< as in Model::configuration_info
  std::string unit;  ///< rad, m
  int q = 0, v = 0;  ///< its indices in configuration and velocity
  double min = 0.0, max = 0.0;
};

/// A constant reference of a controller, and how far a slider for it reaches.
struct LiveSetPoint {
  std::string name;  ///< of the controller, a colon and the coordinate: "swing: upper.joint.q0"
  std::string unit;
  double min = 0.0, max = 0.0;
};

/// How far a slider for an input reaches.
struct InputRange {
  double min = 0.0, max = 0.0;
};

/// A simulation without an end, in which somebody interferes: sets inputs, switches gravity, pulls at the
/// robot. Between two calls nothing moves; whoever wants real time calls `advance` at the pace of a clock. One thread.
///
/// The integrator is that of a run of the scenario, and so are the states as long as nobody interferes. Inputs that are
/// set go to their new values within 20 ms. Pushes (cuttle/elements/push.h) are forces in the equation
/// of motion. The energy balance `E - E(0) = input + load - dissipated` includes all: what pushes do is work of
/// loads, and so is the energy that a switch of gravity gives or takes. Driven motion goes on behind the scenario's
/// duration, until a signal's value or velocity jumps: the simulation fails there.
/// @code
/// LiveSimulation live(robot, scenario);
/// live.push(2, {0.1, 0.0, 0.8}, {0.3, 0.0, 0.8});  // the material point of link 2 that is at the first place
/// live.advance(1.0 / 60.0);
/// const Vector3 tip = live.sample().tips.back().position;
/// @endcode
class LiveSimulation {
 public:
  /// @throws ArgumentError as Simulator.
  LiveSimulation(const Robot& robot, const Scenario& scenario);
  ~LiveSimulation();

  /// As given, with its gravity.
  const Model& model() const;
  double time() const;  ///< since the start or the last reset [s]
  /// Of the present state; valid until the next call of anything but getters.
  const Sample& sample();
  std::string integrator() const;  ///< name of the method

  /// Moves on. @param wall_seconds  of work after which it stops early.   @return time that was simulated [s]; 0 after
  /// a failure.
  double advance(double duration, double wall_seconds = std::numeric_limits<double>::infinity());
  /// Why the simulation cannot go on until a reset; empty: it can.
  const std::string& failure() const;
  /// Set from elsewhere: `advance` returns as soon as it can.
  const std::atomic<bool>* stop = nullptr;

  /// Back to the initial state at time 0, with the scenario's inputs and set-points and without pushes; gravity
  /// stays as it is switched. Ends a recording.
  void reset();

  /// @throws ArgumentError if there is no such input, the value is not finite or, for a tendon that cannot push,
  /// negative.
  void set_input(int index, double value);
  /// Where it is going: what was set, or the scenario's at this time.
  double input(int index) const;

  /// The constant references of the scenario's controllers.
  const std::vector<LiveSetPoint>& set_points() const;
  /// The reference jumps to a value. @throws ArgumentError if there is no such one, or the value is not finite.
  void move_set_point(int index, double value);
  double set_point(int index) const;

  bool gravity() const;
  void set_gravity(bool on);

  const std::vector<LiveJoint>& joints() const;
  /// A push takes a joint to a target, at a speed at which a person would. @throws ArgumentError.
  void hold_joint(int joint, double target);
  void release_joint(int joint);
  std::optional<double> joint_target(int joint) const;

  /// A push pulls the material point of a link that is nearest to a place in the world to a target.
  /// The spring is as stiff as moves the point at some 2 Hz, by the mass that the point feels, and never pulls by more
  /// than at half of the robot's reach.
  /// @throws ArgumentError if there is no such link, or a number is not finite.
  void push(int link, const Vector3& point, const Vector3& target);
  /// @throws ArgumentError if nobody pushes, or a number is not finite.
  void move_push(const Vector3& target);
  void let_go();
  struct Push {
    Vector3 point, target;  ///< world [m]
    Vector3 force;          ///< on the robot [N]
    double limit;           ///< of the force [N]
  };
  std::optional<Push> pushing();

  /// A scenario that begins at the present state, with the present inputs as constants, what is driven from now on, and
  /// without controllers.
  Scenario snapshot() const;

  /// Rows of a recording begin at time 0 with the present state; they come at the scenario's output step.
  /// @throws FileError if the file cannot be created.
  void start_recording(std::unique_ptr<Recorder> recorder);
  /// @param why  empty: complete; else the recording was interrupted.   @throws FileError.
  void stop_recording(const std::string& why = {});
  bool recording() const;
  long recorded_rows() const;
  /// Why a recording ended by itself; given once.
  std::optional<std::string> take_recording_trouble();

 private:
  class Live;
  std::unique_ptr<Live> live_;
};

/// Ranges of sliders for a robot's inputs. Of an input that the scenario drives: half as far again as it goes. Else
/// such that the input's end would take some link's tip, by linearized statics at this configuration, to about 0.4 of
/// the robot's reach; there joints without springs and a floating base count as if the weight that they carry were
/// their spring. Tendons pull only, pressures go half as far below the atmosphere's as above, others go both ways.
std::vector<InputRange> input_ranges(const Model& model, const Scenario& scenario, VectorInT<double> q);

/// Sum of the links' lengths at rest, from place to tip [m]; 1 if they have none.
double robot_reach(const Model& model);

}  // namespace cuttle
