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

void RunDriver::plan(Itinerary ahead) {
  ahead_ = std::move(ahead), next_ = next_bend_ = 0;
  entered_ = false, jumped_ = true;
}

void RunDriver::enter(double from) {
  run_.enter(from, next_ < ahead_.stops.size() ? ahead_.stops[next_].first : std::numeric_limits<double>::infinity());
  entered_ = jumped_ = true;
}

void RunDriver::begin() {
  enter(run_.time());
  run_.restart();
  jumped_ = false;
}

void RunDriver::step_to(double target) {
  if (!entered_) enter(run_.time());
  const std::vector<Stop>& stops = ahead_.stops;
  const std::vector<double>& bends = ahead_.bends;
  while (next_bend_ < bends.size() && bends[next_bend_] <= run_.time()) ++next_bend_;
  const bool more = next_ < stops.size();
  double limit = more ? std::min(stops[next_].time, ahead_.end) : ahead_.end;
  if (next_bend_ < bends.size()) limit = std::min(limit, bends[next_bend_]);
  target = std::min(target, limit);
  if (target > run_.time()) {
    if (jumped_) run_.restart();
    jumped_ = false;
    run_.advance(target, limit);
  }
  if (!more || run_.time() < stops[next_].time) return;
  const double from = stops[next_].last;
  ++next_;
  enter(from);
}

void RunDriver::reach(double target) {
  do step_to(target);
  while (run_.time() < target);
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
