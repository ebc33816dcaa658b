// Steps of the continuation of equilibria: predictor, corrector, and the bisection for folds and bifurcations.
#include "algorithms/path_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cuttle {
namespace {

constexpr double k_turn_accepted = 0.95, k_turn_easy = 0.99;  // cosine between the directions at a step's ends
constexpr int k_quick_corrections = 4;
/// Of a step: how far it may be from its first tangent, across the mean of both, and at half of it from the cubic.
constexpr double k_off_tangent = 0.3, k_off_chord = 0.05, k_off_cubic = 0.01;
/// Small robots move little where the parameter goes far: of the displacement alone, beside what is not worth it [rad,
/// m].
constexpr double k_off_displacement = 0.5, k_small_displacement = 1e-4;
/// Corners, as of contact or slack, are passed in steps so short that no other branch is as near.
constexpr double k_corner = 1e-6;
constexpr int k_bisections = 60, k_most_events = 50;
constexpr double k_located = 1e-9;          // of a fold or a branch point along the path
constexpr double k_barely_located = 5e-6;   // where rounding leaves no more
constexpr double k_branch_rounding = 1e-5;  // of coordinates next to a branch point, where little holds them
constexpr double k_value_reached = 1e-13;   // of the range
/// Within this a fold and a sign of the stiffness change together: an eigenvalue counts as negative from a little below
/// zero on.
constexpr double k_together = 1e-5, k_part_together = 0.05;  // .. along the path, and of the step at most
constexpr double k_other_middles[] = {0.5, 0.36, 0.71};

double off_line(const VectorXd& way, const VectorXd& line) { return (way - way.dot(line) * line).norm(); }

}  // namespace

std::optional<PathStation> PathSteps::station(const FamilyPoint& point, const VectorXd& plane) {
  PathStation result{point, solver_.direction(point, plane), {}};
  if (result.direction.size() == 0) return std::nullopt;
  result.signs = solver_.signs(point);
  return result;
}

std::optional<PathStation> PathSteps::ahead(const PathStation& from, double length) {
  return reach(from, length, from.direction, length);
}

/// About a length ahead, within the plane at a distance.
std::optional<PathStation> PathSteps::reach(const PathStation& from, double length, const VectorXd& plane,
                                            double distance) {
  if (heartbeat_) heartbeat_();
  VectorXd z = length * from.direction;
  FamilyPoint point;
  if (!solver_.solve(from.at, plane, distance, z, point)) return std::nullopt;
  corrections_ = solver_.iterations();
  way_ = solver_.way(from.at, point);
  auto to = station(point, from.direction);
  if (!to) return std::nullopt;
  if (length <= k_corner) return way_.norm() <= 2.0 * k_corner ? to : std::nullopt;
  if (to->direction.dot(from.direction) < k_turn_accepted) return std::nullopt;
  if (off_line(way_, from.direction) > k_off_tangent * length) return std::nullopt;
  const VectorXd moved = solver_.displacement(way_), expected = length * solver_.displacement(from.direction);
  if ((moved - expected).norm() > k_off_displacement * std::max(moved.norm(), expected.norm()) + k_small_displacement) {
    return std::nullopt;
  }
  const VectorXd mean = (from.direction + to->direction).normalized();
  if (off_line(way_, mean) > k_off_chord * length) return std::nullopt;
  return to;
}

std::optional<PathSteps::Step> PathSteps::step(const PathStation& from, double length) {
  const auto to = ahead(from, length);
  return to ? step_to(from, *to, length) : std::nullopt;
}

std::optional<PathSteps::Step> PathSteps::onto(const PathStation& from, double value) {
  const double part = (value - from.at.value) / solver_.range();
  const double length = part / from.direction[solver_.parameter_index()];
  if (!(length > 0.0 && std::isfinite(length))) return std::nullopt;
  const auto to = reach(from, length, solver_.along_parameter(), part);
  return to ? step_to(from, *to, from.direction.dot(way_)) : std::nullopt;
}

/// The step to the station that was reached last, with what happens on its way.
std::optional<PathSteps::Step> PathSteps::step_to(const PathStation& from, const PathStation& to, double length) {
  const VectorXd whole = way_;
  const bool easy = corrections_ <= k_quick_corrections && to.direction.dot(from.direction) > k_turn_easy;
  auto middle = ahead(from, 0.5 * length);
  if (!middle) return std::nullopt;
  if (length > k_corner) {
    const VectorXd cubic = 0.5 * whole + 0.125 * whole.norm() * (from.direction - to.direction);
    const VectorXd mean = (from.direction + to.direction).normalized();
    if (off_line(way_ - cubic, mean) > k_off_cubic * length) return std::nullopt;
  }
  Step result{to, length, {}, easy};
  const Place half{*middle, 0.5 * length};
  Place before{from, 0.0};
  if (!add_events(from, before, half, length, result.events)) return std::nullopt;
  if (before.length < half.length) before = half;
  if (!add_events(from, before, {to, length}, length, result.events)) return std::nullopt;
  return result;
}

/// Events between two places of a step; `before` goes beyond the last of them.
/// @return false if something changes where the path is not continuous, since the step left its branch, or at its end.
bool PathSteps::add_events(const PathStation& from, Place& before, const Place& after, double whole,
                           std::vector<Event>& events) {
  for (int k = 0; k < k_most_events && before.length < after.length && differ(before.station, after.station); ++k) {
    auto located = locate(from, before, after);
    if (!located) return false;
    auto& [last, next] = *located;
    const double beyond = next.length + std::min(k_together, k_part_together * whole);
    if (beyond > whole) return false;
    const auto settled = ahead(from, beyond);
    if (!settled) return false;
    const bool fold = forward(last.station) != forward(*settled);
    const int change = std::abs(settled->signs.negative - last.station.signs.negative);
    // a fold changes one sign; else it is where another branch, along which the parameter goes on, is crossed
    const int branches = fold ? std::abs(change - 1) : change;
    if (fold && branches == 0) {
      events.push_back({std::move(next.station), next.length, 0});
    } else if (branches > 0 && next.station.signs.near_zero > 0) {
      events.push_back({std::move(next.station), next.length, branches});
    }  // else two complex eigenvalues became real ones
    before = {*settled, beyond};
  }
  return true;
}

/// The first change of signs between two places of a step, by bisection: the last place before it and the next one.
std::optional<std::pair<PathSteps::Place, PathSteps::Place>> PathSteps::locate(const PathStation& from, Place before,
                                                                               Place after) {
  std::optional<std::pair<Place, Place>> narrowest;
  for (int k = 0; k < k_bisections; ++k) {
    const double gap = after.length - before.length;
    if (solver_.way(before.station.at, after.station.at).norm() > 2.0 * gap + k_branch_rounding) break;
    narrowest = std::pair(before, after);
    if (gap <= k_located && after.station.signs.near_zero > 0) break;
    std::optional<Place> middle;
    for (const double part : k_other_middles) {
      const double length = before.length + part * gap;
      if (!(length > before.length && length < after.length)) break;
      if (auto station = ahead(from, length)) {
        middle = {std::move(*station), length};
        break;
      }
    }
    if (!middle) break;
    (differ(before.station, middle->station) ? after : before) = std::move(*middle);
  }
  if (narrowest && narrowest->second.length - narrowest->first.length > k_barely_located) return std::nullopt;
  return narrowest;
}

std::optional<PathSteps::Step> PathSteps::until(const PathStation& from, const PathStation& to, double length,
                                                double value) {
  double low = 0.0, high = length, at_low = from.at.value - value, at_high = to.at.value - value;
  Step result{to, length, {}, false};
  for (int k = 0; k < k_bisections && std::abs(result.to.at.value - value) > k_value_reached * solver_.range(); ++k) {
    const double part = k % 3 == 2 ? 0.5 : std::clamp(at_low / (at_low - at_high), 0.0, 1.0);
    const double middle = low + part * (high - low);
    if (!(middle > low && middle < high)) break;
    auto station = ahead(from, middle);
    if (!station) return std::nullopt;
    const double at = station->at.value - value;
    (at_low * at > 0.0 ? low : high) = middle;
    (at_low * at > 0.0 ? at_low : at_high) = at;
    result.to = std::move(*station), result.length = middle;
  }
  if (!set_value(result.to.at, value)) return std::nullopt;
  return result;
}

std::optional<FamilyPoint> PathSteps::between(const FamilyPoint& a, const FamilyPoint& b, double value) {
  const VectorXd whole = solver_.way(a, b);
  const double length = whole.norm();
  const VectorXd along = whole / length;
  double low = 0.0, high = 1.0, at_low = a.value - value, at_high = b.value - value;
  FamilyPoint found = a;
  for (int k = 0; k < k_bisections && std::abs(found.value - value) > k_value_reached * solver_.range(); ++k) {
    const double part = k % 3 == 2 ? 0.5 : std::clamp(at_low / (at_low - at_high), 0.0, 1.0);
    const double middle = low + part * (high - low);
    if (!(middle > low && middle < high)) break;
    VectorXd z = middle * whole;
    if (!solver_.solve(a, along, middle * length, z, found)) return std::nullopt;
    const double at = found.value - value;
    (at_low * at > 0.0 ? low : high) = middle;
    (at_low * at > 0.0 ? at_low : at_high) = at;
  }
  if (!set_value(found, value)) return std::nullopt;
  return found;
}

/// Gives a point whose parameter has nearly a value exactly this. @return false if it is not near.
bool PathSteps::set_value(FamilyPoint& point, double value) {
  const double part = (value - point.value) / solver_.range();
  if (std::abs(part) > k_located) return false;
  VectorXd z = part * solver_.along_parameter();
  FamilyPoint exact;
  // next to a fold the equilibrium at the value itself may be another one, or none
  if (solver_.solve(point, solver_.along_parameter(), part, z, exact) &&
      solver_.way(point, exact).norm() <= k_barely_located) {
    point = std::move(exact);
  }
  point.value = value;
  return true;
}

}  // namespace cuttle
