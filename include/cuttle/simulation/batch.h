#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"
#include "cuttle/model/signal.h"
#include "cuttle/simulation/runge_kutta.h"

namespace CUTTLE_API cuttle {

/// One row a robot.
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowsRef = Eigen::Ref<const RowMatrixXd>;

/// What became of one robot of a batch in the last call.
enum class RobotStatus {
  good,
  bad_argument,   ///< a number given for it is not finite, a quaternion is more than 1e-6 off unit norm, or a tendon
                  ///< of `slack: error` got a tension below 0
  singular_mass,  ///< its mass matrix is not positive definite
  not_finite,     ///< its state or a result grew beyond all numbers
  undefined,      ///< its shape is not defined at the configuration (a body threw ConfigurationError)
  gone_through,   ///< a link is more than half through what it touches, or would pass it unseen
};
const char* robot_status_name(RobotStatus status);

/// How a batch is simulated: fixed steps, the same for all robots.
struct RolloutOptions {
  std::string method = "tsit5";               ///< rk4 | tsit5
  double step = 1e-3;                         ///< longest step [s]; steps between two stops are equal
  double duration = 1.0;                      ///< [s]
  double start = 0.0;                         ///< time at which the roll-out begins, for signals [s]
  double output_step = 0.0;                   ///< samples are kept at 0, output_step, .. and at the end [s]; 0: none
  std::map<std::string, Signal> inputs = {};  ///< by actuator input, the same for all robots; others are 0
  /// Inputs of each robot that are held over equal intervals of the duration, added to `inputs`: robots x (intervals
  /// nu), an interval's nu values side by side. Empty: none.
  RowMatrixXd held_inputs = {};
  /// Auxiliary states with which each robot begins, robots x Batch::state_count, as `Rollout::states` has them: what a
  /// roll-out in parts hands on. Empty, or a row of NaN: as a run begins, elements as their model says and bristles in
  /// balance.
  RowMatrixXd states = {};
  /// Whether a robot that fails ends in an error when all are done; else `Rollout::failures` says which and why.
  bool raise_on_failure = true;
  /// A method of your own instead of `method`, or of a scenario: `*scenario.integrator.method->tableau()`.
  std::optional<RungeKuttaTableau> tableau = {};
  /// Called 20 times a second by the calling thread, which computes nothing then; not in roll-outs of so few steps that
  /// they are over at once. What it throws ends the roll-out within a step, and comes out.
  std::function<void()> heartbeat = {};
};

/// What became of the robots. Of one that failed all is NaN from its failure on.
struct Rollout {
  std::vector<double> times;          ///< of the samples [s]
  RowMatrixXd q, v;                   ///< final state, robots x nq and robots x nv
  RowMatrixXd states;                 ///< final ones of loads, elements and contacts, robots x Batch::state_count
  RowMatrixXd q_samples, v_samples;   ///< robots x (samples nq), a sample's values side by side
  RowMatrixXd last_q, last_v;         ///< last good state; that given if it was wrong, the final one without failure
  std::vector<double> failure_time;   ///< of each robot: last good time if it failed, else the end [s]
  std::vector<std::string> failures;  ///< of each robot: why it failed; empty: it did not
};
/// `2 of 64 robots failed: robot 3: ..`, of the reasons by robot; empty if none did.
std::string failures_text(const std::vector<std::string>& failures);

/// Many robots of one topology at once: each with its own state, and each with its own parameters. Robots lie side by
/// side in the lanes of the CPU's vector registers (2, 4 or 8, chosen at run time) and groups of them on its cores.
/// Each robot is computed as if it were alone: results agree with the single algorithms to rounding error, whatever the
/// others do.
///
/// Arrays have one row a robot. A robot that fails gets a status and NaN, in a roll-out from its failure on; the others
/// are right. A roll-out with such a robot ends in an error too, unless its options say otherwise. Bodies and joints
/// that exist for double only work too, one robot at a time on each core. What a user's body throws besides the
/// library's errors passes through.
/// @code
/// Batch batch(model, {"links.arm.body.length", "gravity[2]"}, values);  // values: robots x 2
/// const RowMatrixXd& tau = batch.inverse_dynamics(q, v, a);  // robots x nv
/// const Rollout end = batch.rollout(q, v, {.step = 1e-3, .duration = 2.0});
/// @endcode
class Batch {
 public:
  /// `count` robots with the same parameters. @param threads  at most 4096; 0: one a core.
  /// @throws ArgumentError, here and below, for numbers of robots or threads out of range and robots with loops.
  Batch(const Model& model, int count, int threads = 0);
  /// Robots that differ in parameters of the robot's file: `values` is robots x paths.
  /// @throws ArgumentError for unknown paths; ModelError that names the robot whose value the file would not allow.
  Batch(const Model& model, const std::vector<std::string>& paths, const RowsRef& values, int threads = 0);
  /// Robots that differ in their numbers only. @throws ArgumentError that names the first robot, and its link, that has
  /// another topology than robot 0.
  explicit Batch(const std::vector<Model>& models, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  int size() const;   ///< robots
  int width() const;  ///< robots side by side; 1 if a body or joint exists for one robot only
  int nq() const;
  int nv() const;
  int nu() const;
  int state_count() const;  ///< auxiliary states of a robot: of loads that keep integrals, of elements, of contacts

  /// M a + c + g + s, robots x nv, as `inverse_dynamics` of one robot. Results are valid until the next call.
  /// @throws ArgumentError if an array has the wrong shape.
  const RowMatrixXd& inverse_dynamics(const RowsRef& q, const RowsRef& v, const RowsRef& a);
  /// Accelerations under the generalized forces tau, robots x nv.
  const RowMatrixXd& forward_dynamics(const RowsRef& q, const RowsRef& v, const RowsRef& tau);
  /// Mass matrices by rows, robots x nv^2.
  const RowMatrixXd& mass_matrix(const RowsRef& q);
  /// Kinetic, gravity and elastic energy [J], robots x 3.
  const RowMatrixXd& energies(const RowsRef& q, const RowsRef& v);
  /// Simulates all robots with their loads, from the states q (robots x nq), v (robots x nv). The steps are those of
  /// the Simulator: they end at every sample and wherever an input or load jumps.
  /// @throws ArgumentError for options or arrays that make no sense; SimulationError that says which robots failed, and
  /// why, unless the options have raise_on_failure = false.
  Rollout rollout(const RowsRef& q, const RowsRef& v, const RolloutOptions& options);

  /// Of the last call, one a robot.
  const std::vector<RobotStatus>& status() const;
  bool all_good() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuttle
