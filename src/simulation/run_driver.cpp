#include "simulation/run_driver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cuttle/simulation/robot_system.h"

namespace cuttle {

void RobotRun::enter(double from, double until) { system_.enter(from, until, state_); }

void RobotRun::restart() {
  integrator_.restart(state_);
  state_ = integrator_.state();
}

void RobotRun::advance(double target, double limit) {
  integrator_.advance(target, limit);
  in_doubt_ = true;
  system_.require_closed_loops(target, integrator_.state().q);
  in_doubt_ = false;
  state_ = integrator_.state();
}

void RunDriver::plan(std::vector<Stop> stops, double end) {
  stops_ = std::move(stops), next_ = 0, end_ = end;
  entered_ = false, jumped_ = true;
}

void RunDriver::enter(double from) {
  run_.enter(from, next_ < stops_.size() ? stops_[next_].first : std::numeric_limits<double>::infinity());
  entered_ = jumped_ = true;
}

void RunDriver::begin() {
  enter(run_.time());
  run_.restart();
  jumped_ = false;
}

void RunDriver::step_to(double target) {
  if (!entered_) enter(run_.time());
  const bool more = next_ < stops_.size();
  const double limit = more ? std::min(stops_[next_].time, end_) : end_;
  target = std::min(target, limit);
  if (target > run_.time()) {
    if (jumped_) run_.restart();
    jumped_ = false;
    run_.advance(target, limit);
  }
  if (!more || run_.time() < stops_[next_].time) return;
  const double from = stops_[next_].last;
  ++next_;
  enter(from);
}

void RunDriver::reach(double target) {
  while (next_ < stops_.size() && stops_[next_].time <= target) step_to(stops_[next_].time);
  step_to(target);
}

void RunDriver::visit(const OutputTimes& outputs, const std::vector<double>& times, const std::function<void()>& look) {
  begin();
  std::int64_t k = 1;
  for (const double time : times) {
    for (; k < outputs.size() && outputs[k] <= time; ++k) reach(outputs[k]);
    reach(time);
    look();
  }
}

}  // namespace cuttle
