// Numerical continuation of equilibria by pseudo-arclength: folds (limit points), bifurcations, switching of branches.
#include "cuttle/algorithms/equilibrium_path.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/path_steps.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

// steps along the path, in rad or m of coordinates and parts of the parameter's range
constexpr double k_first_path_step = 0.02, k_longest_path_step = 0.1, k_shortest_path_step = 1e-10;
/// Of what the parameter may change in a step, to what a coordinate may: coordinates of bases that are nearly dependent
/// go far while the robot hardly moves.
constexpr double k_coordinate_part = 0.1;
constexpr double k_same_branch_point = 1e-5;  // of q and the parameter's part
constexpr double k_same_point = 1e-4;         // .. where two branches meet
/// How far from a branch point a branch begins; less where it leaves the range before.
constexpr double k_branch_steps[] = {0.05, 0.02, 0.005, 1e-3, 2e-4, 2e-5};
/// A branch leads to its branch point: at half of the way it is nearer by more than this.
constexpr double k_nearer = 0.75;
const char* const k_meets_another = "it meets a branch that was followed before";

/// Where a path begins, and the rows of the loops that are held along it.
struct PathOrigin {
  FamilyPoint point;
  ConstraintRows rows;
};

int rank(Stability stability) { return stability == Stability::stable ? 0 : stability == Stability::neutral ? 1 : 2; }
bool preferred(const StaticEquilibrium& a, const StaticEquilibrium& b) {
  if (rank(a.stability) != rank(b.stability)) return rank(a.stability) < rank(b.stability);
  return a.growth_rate < b.growth_rate;
}

class PathFollower {
 public:
  /// @param stepping  as EquilibriumFamily's, and `origin_of`'s.
  PathFollower(const Model& model, const StaticLoads& loads, PathOrigin origin, const PathParameter& parameter,
               const PathOptions& options, Stepping stepping = Stepping::growth)
      : parameter_(parameter),
        options_(options),
        stepping_(stepping),
        first_(std::move(origin.point)),
        family_(model, loads, first_.q, origin.rows, parameter, stepping),
        solver_(family_, model.nv(), static_cast<int>(origin.rows.kept.size()), parameter),
        steps_(solver_, options.heartbeat) {
    solver_.set_scale(first_);
  }

  std::vector<PathBranch> operator()() {
    const double forward = parameter_.to > parameter_.from ? 1.0 : -1.0;
    settle();
    auto start = steps_.station(first_, forward * solver_.along_parameter());
    if (!start) throw StaticsError("follow_equilibria: the first equilibrium leads nowhere");
    pending_.push_back({std::move(*start), -1, -1});
    while (!pending_.empty() && static_cast<int>(branches_.size()) < options_.most_branches) {
      const BranchStart next = std::move(pending_.front());
      pending_.pop_front();
      branches_.push_back({.parent = next.parent});
      stations_.emplace_back();
      follow(next.station);
      if (!branches_.back().points.empty()) continue;
      if (branches_.size() == 1) throw StaticsError("follow_equilibria: the first equilibrium: " + branches_[0].end);
      branches_.pop_back(), stations_.pop_back();
    }
    return std::move(branches_);
  }

  /// As equilibria_at.
  std::vector<FoundEquilibrium> all_at(const std::vector<PathBranch>& path, double value) {
    std::vector<FoundEquilibrium> all;
    const auto add_between = [&](std::size_t branch, const PathPoint& a, const PathPoint& b) {
      if ((a.parameter - value) * (b.parameter - value) >= 0.0) return;
      if (auto found = between(a, b, value)) all.push_back({static_cast<int>(branch), std::move(*found)});
    };
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::vector<PathPoint>& points = path[i].points;
      if (points.empty()) continue;
      if (const PathPoint* origin = nearest_branch_point(path, path[i])) add_between(i, points[0], *origin);
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (points[k].parameter == value) all.push_back({static_cast<int>(i), points[k].equilibrium});
        if (k + 1 < points.size()) add_between(i, points[k], points[k + 1]);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const FoundEquilibrium& a, const FoundEquilibrium& b) {
      return preferred(a.equilibrium, b.equilibrium);
    });
    return all;
  }

 private:
  /// A branch that is still to be followed.
  struct BranchStart {
    PathStation station;
    int parent;
    int from;  ///< the branch point that it leaves, among branch_points_
  };

  /// The equilibrium of a branch at a value of the parameter between two of its points.
  std::optional<StaticEquilibrium> between(const PathPoint& a, const PathPoint& b, double value) {
    const auto found = steps_.between(point_of(a), point_of(b), value);
    if (!found) return std::nullopt;
    return solver_.describe(*found);
  }
  /// The branch point from which a branch goes off. @return null: none.
  const PathPoint* nearest_branch_point(const std::vector<PathBranch>& path, const PathBranch& branch) {
    if (branch.parent < 0) return nullptr;
    const PathPoint* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    const FamilyPoint first = point_of(branch.points[0]);
    for (const PathPoint& point : path.at(static_cast<std::size_t>(branch.parent)).points) {
      if (point.kind != PathPoint::Kind::branch) continue;
      const double away = distance(point_of(point), first);
      if (away < least) least = away, nearest = &point;
    }
    return nearest;
  }

  /// Multipliers of the rows that are held here; those of the first equilibrium may be of others.
  void settle() {
    if (first_.lambda.size() == 0 || stepping_ == Stepping::loads) return;
    VectorXd z = VectorXd::Zero(solver_.parameter_index() + 1);
    FamilyPoint settled;
    if (!solver_.solve(first_, solver_.along_parameter(), 0.0, z, settled)) return;
    first_.q = settled.q, first_.lambda = settled.lambda;
  }
  FamilyPoint point_of(const PathPoint& p) {
    const VectorXd& q = p.equilibrium.q;
    return {q, family_.at(p.parameter, q).kept_of(p.equilibrium.multipliers), p.parameter};
  }
  bool inside(double value) const {
    return value >= std::min(parameter_.from, parameter_.to) && value <= std::max(parameter_.from, parameter_.to);
  }
  double distance(const FamilyPoint& a, const FamilyPoint& b) const { return solver_.way(a, b).norm(); }

  /// @return why the branch ends before this point; empty if it does not.
  std::string add(const PathStation& station, PathPoint::Kind kind, double arc_length) {
    auto found = solver_.describe(station.at);
    if (!found) return solver_.trouble();
    branches_.back().points.push_back({kind, station.at.value, arc_length, std::move(*found)});
    stations_.back().push_back(station.at);
    return "";
  }

  void end(const std::string& why) { branches_.back().end = why; }
  void end_at(double value) {
    if (value == parameter_.to) return end("the end of the range");
    branches_.back().goes_back = true;
    end("it leaves the range at its start, " + number_text(value) + ": with a " +
        (parameter_.to > parameter_.from ? "lower" : "higher") + " `from` it goes on");
  }

  void follow(PathStation now) {
    double step = k_first_path_step, done = 0.0;
    if (const std::string why = add(now, PathPoint::Kind::regular, 0.0); !why.empty()) return end(why);
    while (static_cast<int>(branches_.back().points.size()) < options_.most_points) {
      auto next = steps_.step(now, step);
      bool leaves = next && leaves_range(*next);
      if (leaves) next = cut(now, *next);
      if (!next) {  // there may be no robot beyond the end of the range
        next = onto_end(now, step);
        leaves = next.has_value();
      }
      if (!next) {
        step *= 0.5;
        if (step >= k_shortest_path_step) continue;
        return end("no equilibrium was found ahead" + (solver_.trouble().empty() ? "" : ": " + solver_.trouble()));
      }
      for (const PathSteps::Event& event : next->events) {
        if (const std::string why = note(event, done); !why.empty()) return end(why);
      }
      if (!leaves && met_another(next->to.at)) return end(k_meets_another);
      done += next->length;
      now = std::move(next->to);
      if (next->length > 0.0) {
        if (const std::string why = add(now, PathPoint::Kind::regular, done); !why.empty()) return end(why);
      }
      if (leaves) return end_at(now.at.value);
      if (!next->easy) continue;
      const double fastest = std::max(std::abs(now.direction[solver_.parameter_index()]),
                                      k_coordinate_part * now.direction.cwiseAbs().maxCoeff());
      step = std::min(1.5 * step, k_longest_path_step / fastest);
    }
    end("as many points as were asked for");
  }

  bool leaves_range(const PathSteps::Step& step) const {
    return !inside(step.to.at.value) ||
           std::any_of(step.events.begin(), step.events.end(),
                       [this](const PathSteps::Event& event) { return !inside(event.station.at.value); });
  }

  /// The step onto the end of the range, where one of this length would go beyond it.
  std::optional<PathSteps::Step> onto_end(const PathStation& now, double step) {
    const double change = step * now.direction[solver_.parameter_index()] * solver_.range();
    if (inside(now.at.value + change)) return std::nullopt;
    const auto [low, high] = std::minmax(parameter_.from, parameter_.to);
    return steps_.onto(now, change > 0.0 ? high : low);
  }

  /// The part of a step that lies within the range. @return nothing if its end is not found.
  std::optional<PathSteps::Step> cut(const PathStation& now, const PathSteps::Step& step) {
    const PathStation* beyond = &step.to;
    double length = step.length;
    for (const PathSteps::Event& event : step.events) {
      if (inside(event.station.at.value)) continue;
      beyond = &event.station, length = event.length;
      break;
    }
    const double value = std::clamp(beyond->at.value, std::min(parameter_.from, parameter_.to),
                                    std::max(parameter_.from, parameter_.to));
    if (now.at.value == value) return PathSteps::Step{now, 0.0, {}};  // it began there
    auto result = steps_.until(now, *beyond, length, value);
    if (!result) return std::nullopt;
    std::copy_if(step.events.begin(), step.events.end(), std::back_inserter(result->events),
                 [&](const PathSteps::Event& event) { return event.length < result->length; });
    return result;
  }

  /// @return why the branch ends here, empty if it does not: at a branch point that is known, all branches are followed
  /// from there.
  std::string note(const PathSteps::Event& event, double done) {
    const PathStation& station = event.station;
    const auto kind = event.branches > 0 ? PathPoint::Kind::branch : PathPoint::Kind::fold;
    if (std::string why = add(station, kind, done + event.length); !why.empty()) return why;
    if (event.branches == 0) return "";
    const auto known = std::find_if(branch_points_.begin(), branch_points_.end(), [&](const FamilyPoint& point) {
      return distance(point, station.at) < k_same_branch_point;
    });
    const int index = static_cast<int>(known - branch_points_.begin());
    if (known == branch_points_.end()) {
      branch_points_.push_back(station.at);
      leave(station, event.branches, index);
      return "";
    }
    // the branch that would lead back along this one is followed already
    std::erase_if(pending_, [&](const BranchStart& start) {
      return start.from == index && start.station.direction.dot(station.direction) < -0.5;
    });
    return k_meets_another;
  }

  /// Starts of the branches that leave at a branch point.
  void leave(const PathStation& station, int count, int index) {
    for (const VectorXd& along : solver_.branch_directions(station.at, station.direction, count)) {
      for (const double sign : {1.0, -1.0}) {
        for (const double length : k_branch_steps) {
          const auto start = branch_start(station, sign * along, length);
          if (!start || !inside(start->at.value)) continue;
          pending_.push_back({*start, static_cast<int>(branches_.size()) - 1, index});
          break;
        }
      }
    }
  }

  std::optional<PathStation> branch_start(const PathStation& station, const VectorXd& along, double length) {
    FamilyPoint point, nearer;
    VectorXd z = length * along;
    if (!solver_.solve(station.at, along, length, z, point)) return std::nullopt;
    z = 0.5 * length * along;
    if (!solver_.solve(station.at, along, 0.5 * length, z, nearer)) return std::nullopt;
    if (distance(nearer, station.at) > k_nearer * distance(point, station.at)) return std::nullopt;
    return steps_.station(point, along);
  }

  bool met_another(const FamilyPoint& at) const {
    for (std::size_t i = 0; i + 1 < stations_.size(); ++i) {
      for (const FamilyPoint& other : stations_[i]) {
        if (distance(at, other) < k_same_point) return true;
      }
    }
    return false;
  }

  PathParameter parameter_;
  PathOptions options_;
  Stepping stepping_;
  FamilyPoint first_;
  EquilibriumFamily family_;
  FamilySolver solver_;
  PathSteps steps_;
  std::deque<BranchStart> pending_;
  std::vector<PathBranch> branches_;
  std::vector<std::vector<FamilyPoint>> stations_;  // of each branch
  std::vector<FamilyPoint> branch_points_;
};

void check_path(const Model& model, const char* function, const StaticLoads& loads, VectorInT<double> q0,
                const PathParameter& parameter) {
  const auto refuse = [&](const std::string& what) {
    throw ArgumentError(std::string(function) + ": parameter: found a range from " + number_text(parameter.from) +
                        " to " + number_text(parameter.to) + ", expected " + what);
  };
  check_configuration_argument(model, function, "q0", q0);
  if (!needs_sparse_tangent(model)) require_few_coordinates(model, function);
  check_static_loads(model, function, loads);
  if (!std::isfinite(parameter.from) || !std::isfinite(parameter.to) || parameter.from == parameter.to) {
    refuse("two different numbers");
  }
  if (parameter.kind != PathParameter::Kind::load) return;
  const bool holds_zero =
      std::min(parameter.from, parameter.to) <= 0.0 && std::max(parameter.from, parameter.to) >= 0.0;
  if (!holds_zero || parameter.to == 0.0) refuse("one that holds 0, from which loads grow, and ends elsewhere");
}

/// @param begin  the first equilibrium of the path, if it is known.
PathOrigin origin_of(const Model& model, StaticLoads loads, VectorInT<double> q0, const PathParameter& parameter,
                     const StaticEquilibrium* begin, const std::function<void()>& heartbeat,
                     Stepping stepping = Stepping::growth) {
  const bool load = parameter.kind == PathParameter::Kind::load;
  if (loads.u.size() == 0) loads.u.setZero(model.nu());
  find_path_parameter(model, parameter, loads).set(model, parameter.from, loads);
  const bool other = parameter.kind == PathParameter::Kind::parameter;
  const Model robot = other ? model.with(parameter.name, parameter.from) : model;
  if (other) renew_own_loads(robot, loads);
  Data data(robot);
  ConstraintData constraints(robot);
  PathOrigin origin{{q0, {}, load ? 0.0 : parameter.from}, {}};
  StaticEquilibrium found;
  if (begin != nullptr) {
    found = *begin;
  } else if (load && stepping == Stepping::growth) {
    found = unloaded_equilibrium(robot, data, loads, q0, heartbeat);
  } else if (load) {
    if (!robot.loops().empty()) close_loops(robot, data, constraints, origin.point.q);
    found.q = origin.point.q, found.multipliers.setZero(robot.constraint_count());
  } else {
    found = static_equilibrium(robot, data, loads, q0, {}, heartbeat);
  }
  origin.point.q = found.q;
  if (!robot.loops().empty()) origin.rows = select_constraint_rows(robot, data, constraints, found.q);
  origin.point.lambda = found.multipliers(origin.rows.kept);
  return origin;
}

}  // namespace

std::vector<PathBranch> follow_equilibria(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                          const PathParameter& parameter, const PathOptions& options) {
  check_path(model, "follow_equilibria", loads, q0, parameter);
  Data data(model);
  const StaticLoads acting = with_friction_from(model, data, loads, q0);
  PathFollower follower(model, acting, origin_of(model, acting, q0, parameter, nullptr, options.heartbeat), parameter,
                        options);
  return follower();
}

std::vector<FoundEquilibrium> equilibria_at(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                            const PathParameter& parameter, const std::vector<PathBranch>& path,
                                            double value) {
  check_path(model, "equilibria_at", loads, q0, parameter);
  if (path.empty() || path[0].points.empty()) return {};
  Data data(model);
  const StaticLoads acting = with_friction_from(model, data, loads, q0);
  PathFollower follower(model, acting, origin_of(model, acting, q0, parameter, &path[0].points[0].equilibrium, {}),
                        parameter, {});
  return follower.all_at(path, value);
}

std::optional<StaticEquilibrium> better_equilibrium(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                                    const StaticEquilibrium& found,
                                                    const std::function<void()>& heartbeat) {
  const PathParameter load;
  try {
    // from q0 itself, of which elasticity fades: all that counts is where the path ends
    PathFollower follower(model, loads, origin_of(model, loads, q0, load, nullptr, heartbeat, Stepping::loads), load,
                          {.most_branches = 8, .heartbeat = heartbeat}, Stepping::loads);
    const std::vector<PathBranch> path = follower();
    std::vector<FoundEquilibrium> all = follower.all_at(path, load.to);
    if (!all.empty() && rank(all[0].equilibrium.stability) < rank(found.stability))
      return std::move(all[0].equilibrium);
  } catch (const StaticsError&) {
    // without any stiffness at the start no path leads on: what was found stays, and says that it is unstable
  }
  return std::nullopt;
}

}  // namespace cuttle
