#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/runge_kutta.h"

namespace cuttle {

/// One row of a robots x values array for each lane of a pack.
inline constexpr int k_widest_pack = 8;
using RowsIn = std::array<const double*, k_widest_pack>;
using RowsOut = std::array<double*, k_widest_pack>;
/// What became of the robot of each lane.
using LaneStatus = std::array<RobotStatus, k_widest_pack>;

/// What all packs of a roll-out have in common.
struct RolloutPlan {
  /// Steps of equal length lead from one target to the next.
  struct Target {
    double time = 0.0;                            ///< since the start of the roll-out
    double signal_begin = 0.0, signal_end = 0.0;  ///< times at which signals are read on the way here: none jumps there
    int held = 0;                                 ///< interval of the held inputs on the way here
    int sample = -1;                              ///< the state here is this sample of the results; -1: none
  };
  const RungeKuttaTableau* tableau = nullptr;
  double step = 0.0;
  double start = 0.0;                       ///< [s], when signals are read
  const std::atomic<bool>* stop = nullptr;  ///< where it becomes true, steps end: nobody wants the results
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  ///< after it steps end too
  std::vector<Target> targets;
  std::vector<Signal> inputs;  ///< nu, or none
  int held_count = 0;          ///< intervals of the held inputs; 0: none

  bool ended() const {
    return stop->load(std::memory_order_relaxed) || (deadline && std::chrono::steady_clock::now() > *deadline);
  }
};
/// What one pack of a roll-out has of its own. Rows of lanes beyond the last robot are the last robot's.
struct RolloutRows {
  RowsOut q, v;                                  ///< initial state, overwritten by the last good one
  RowsIn held;                                   ///< held_count x nu
  RowsOut q_samples;                             ///< samples x nq; NaN where the robot has failed
  RowsOut v_samples;                             ///< samples x nv, likewise
  std::array<double, k_widest_pack> good_until;  ///< time of the last good state, since the start
  /// Auxiliary states without works, state_count each. Begin: null, or NaN: as a run begins. End: null: nobody wants
  /// them.
  RowsIn states_begin = {};
  RowsOut states = {};
  /// Samples x StateLayout::k_work_count, likewise, where the workspace keeps works; null: nobody wants them.
  RowsOut work_samples = {};
  /// Of each lane, instead of the plan's inputs, with jumps at the same times; null: those are all lanes'.
  std::array<const std::vector<Signal>*, k_widest_pack> inputs = {};
};

/// As many robots of one topology side by side as there are lanes. Every function computes each lane as if it were
/// alone; a lane that fails gets NaN and leaves the others right.
class RobotPack {
 public:
  /// What one thread needs to compute with any pack of the same topology.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  virtual ~RobotPack() = default;
  /// Auxiliary states of a robot, without works.
  virtual int state_count() const = 0;
  /// @param works  whether roll-outs keep accounts of work (StateLayout::Work).
  virtual std::unique_ptr<Workspace> make_workspace(bool works) const = 0;
  virtual LaneStatus inverse_dynamics(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsIn& a,
                                      const RowsOut& tau) const = 0;
  virtual LaneStatus forward_dynamics(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsIn& tau,
                                      const RowsOut& a) const = 0;
  virtual LaneStatus mass_matrix(Workspace& workspace, const RowsIn& q, const RowsOut& mass) const = 0;
  /// Kinetic, gravity, elastic.
  virtual LaneStatus energies(Workspace& workspace, const RowsIn& q, const RowsIn& v, const RowsOut& energy) const = 0;
  virtual LaneStatus rollout(Workspace& workspace, const RolloutPlan& plan, RolloutRows& rows) const = 0;
};

/// How packs are made for one instruction set.
struct RobotPackMaker {
  int width;
  /// @param robots  `width` models of one topology, repeated where there are fewer robots.
  /// @return null if some joint or body exists only for one robot at a time.
  std::unique_ptr<RobotPack> (*make)(const std::vector<const Model*>& robots);
};

/// Robots one at a time: for bodies and joints that exist for double only.
RobotPackMaker single_robot_pack();
/// As many side by side as the CPU's vectors hold.
RobotPackMaker vector_robot_pack();

}  // namespace cuttle
