#pragma once

#include <functional>
#include <vector>

#include "cuttle/simulation/integrator.h"
#include "simulation/schedule.h"

namespace cuttle {

class RobotSystem;

/// A run of some kind, plain, forward with derivatives or recorded for its adjoint, as a RunDriver leads it.
class GuidedRun {
 public:
  virtual ~GuidedRun() = default;
  virtual double time() const = 0;
  /// A stretch between two jumps begins where the run is: signals are those of (from, until), and controllers with a
  /// clock see the robot.
  virtual void enter(double from, double until) = 0;
  /// Integration begins where the run is: at the start, and after each jump.
  virtual void restart() = 0;
  /// To a target after time(), looking ahead no further than a limit. @throws SimulationError also where loops open.
  virtual void advance(double target, double limit) = 0;
};

/// A robot with an integrator of its equation of motion. What moves is a state of the caller.
class RobotRun final : public GuidedRun {
 public:
  /// @param state  where the run is, later the last state that was found good. All three outlive the run.
  RobotRun(RobotSystem& system, Integrator& integrator, State& state)
      : system_(system), integrator_(integrator), state_(state) {}

  double time() const override { return state_.time; }
  void enter(double from, double until) override;
  void restart() override;
  void advance(double target, double limit) override;
  /// Whether the integrator's state is later than `state` and not good.
  bool in_doubt() const { return in_doubt_; }

 private:
  RobotSystem& system_;
  Integrator& integrator_;
  State& state_;
  bool in_doubt_ = false;
};

/// Leads a run from stop to stop: it ends a step where signals jump or controllers sample, enters the next stretch
/// there, and begins integration anew before the run goes on.
class RunDriver {
 public:
  explicit RunDriver(GuidedRun& run) : run_(run) {}

  /// What lies ahead of where the run is, instead of what was planned; something may have jumped or changed there.
  /// @param ahead  later than that.
  void plan(Itinerary ahead);
  /// Begins integration there now, so that what it finds is known before the first step.
  void begin();
  /// Something has changed where the run is.
  void change() { jumped_ = true; }
  /// To the target or the next stop or bend, whichever comes first; nowhere if it is there.
  void step_to(double target);
  /// To the target, over all stops on the way. One at the target is entered.
  void reach(double target);
  /// From the start to ascending times, over the outputs on the way, as simulations go. @param look  at each of them.
  void visit(const OutputTimes& outputs, const std::vector<double>& times, const std::function<void()>& look);

 private:
  void enter(double from);

  GuidedRun& run_;
  Itinerary ahead_{};
  std::size_t next_ = 0, next_bend_ = 0;
  bool entered_ = false, jumped_ = true;
};

}  // namespace cuttle
