#include "cuttle/algorithms/equilibrium_path.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "algorithms/equilibrium_family.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

// steps along the path, in rad or m of coordinates and parts of the parameter's range
constexpr double k_first_path_step = 0.02, k_longest_path_step = 0.1, k_shortest_path_step = 1e-7;
/// Of what the parameter may change in a step, to what a coordinate may: coordinates of bases that are nearly dependent
/// go far while the robot hardly moves.
constexpr double k_coordinate_part = 0.1;
constexpr double k_turn_accepted = 0.9, k_turn_easy = 0.98;  // cosine between the directions at a step's ends
constexpr int k_easy_corrections = 4;
constexpr int k_bisections = 40;
constexpr double k_located = 1e-9;     // of a fold or a branch point along the path
constexpr double k_same_point = 1e-3;  // of q and the parameter's part, where two branches meet
constexpr double k_branch_steps[] = {0.05, 0.1, 0.02, 0.005};

/// A point of the path while it is followed.
struct PathStation {
  FamilyPoint at;
  VectorXd direction;
  int negative = 0;
};

/// A branch that is still to be followed.
struct BranchStart {
  PathStation station;
  int parent = -1;
};

class PathFollower {
 public:
  PathFollower(const Model& model, const StaticLoads& loads, const VectorXd& q0, const PathParameter& parameter,
               const PathOptions& options)
      : parameter_(parameter),
        options_(options),
        range_(std::abs(parameter.to - parameter.from)),
        family_(model, loads, q0, parameter),
        nv_(model.nv()),
        kept_(family_.at(parameter.from, q0).kept()),
        solver_(family_, nv_, kept_, range_) {}

  std::vector<PathBranch> operator()(const FamilyPoint& first) {
    solver_.scale_rows(first);
    const double forward = parameter_.to > parameter_.from ? 1.0 : -1.0;
    PathStation start{first, solver_.direction(first, forward * along_parameter()), solver_.negative_count(first)};
    if (start.direction.size() == 0) throw StaticsError("follow_equilibria: the first equilibrium leads nowhere");
    pending_.push_back({std::move(start), -1});
    while (!pending_.empty() && static_cast<int>(branches_.size()) < options_.most_branches) {
      const BranchStart next = std::move(pending_.front());
      pending_.pop_front();
      branches_.push_back({next.parent, {}, ""});
      stations_.emplace_back();
      follow(next.station);
    }
    return std::move(branches_);
  }

  /// The equilibrium at a value of the parameter between two points of a branch, from the first of them.
  std::optional<StaticEquilibrium> between(const PathPoint& a, const PathPoint& b, double value) {
    const FamilyPoint start{a.equilibrium.q,
                            family_.at(a.parameter, a.equilibrium.q).kept_of(a.equilibrium.multipliers), a.parameter};
    const double length = b.parameter - a.parameter;
    const double part = length != 0.0 ? (value - a.parameter) / length : 0.0;
    VectorXd z = VectorXd::Zero(nv_ + kept_ + 1);
    if (b.equilibrium.q.size() == nv_) z.head(nv_) = part * (b.equilibrium.q - a.equilibrium.q);
    z[nv_ + kept_] = (value - a.parameter) / range_;
    FamilyPoint found;
    solver_.scale_rows(start);
    if (!solver_.solve(start, along_parameter(), z[nv_ + kept_], z, found)) return std::nullopt;
    return solver_.describe(found);
  }

 private:
  VectorXd along_parameter() const { return VectorXd::Unit(nv_ + kept_ + 1, nv_ + kept_); }
  bool inside(double value) const {
    return value >= std::min(parameter_.from, parameter_.to) && value <= std::max(parameter_.from, parameter_.to);
  }
  double distance(const FamilyPoint& a, const FamilyPoint& b) const {
    return std::hypot((a.q - b.q).norm(), (a.value - b.value) / range_);
  }

  /// From a station a length along the path. @return nothing if the correction fails or the path turns too far.
  std::optional<PathStation> ahead(const PathStation& from, double length) {
    if (options_.heartbeat) options_.heartbeat();
    PathStation to;
    VectorXd z = length * from.direction;
    if (!solver_.solve(from.at, from.direction, length, z, to.at)) return std::nullopt;
    corrections_ = solver_.iterations();
    to.direction = solver_.direction(to.at, from.direction);
    if (to.direction.size() == 0 || to.direction.dot(from.direction) < k_turn_accepted) return std::nullopt;
    to.negative = solver_.negative_count(to.at);
    return to;
  }

  void add(const PathStation& station, PathPoint::Kind kind, double arc_length) {
    branches_.back().points.push_back({kind, station.at.value, arc_length, solver_.describe(station.at)});
    stations_.back().push_back(station.at);
  }

  /// The first point after `from` where `passed` holds, by bisection up to `length`, where it holds.
  template <typename Passed>
  std::pair<PathStation, double> locate(const PathStation& from, double length, const PathStation& at_length,
                                        const Passed& passed) {
    double before = 0.0, after = length;
    PathStation found = at_length;
    for (int k = 0; k < k_bisections && after - before > k_located; ++k) {
      const double middle = 0.5 * (before + after);
      auto station = ahead(from, middle);
      if (!station) break;
      if (passed(*station)) {
        after = middle, found = std::move(*station);
      } else {
        before = middle;
      }
    }
    return {std::move(found), after};
  }

  void follow(PathStation now) {
    PathBranch& branch = branches_.back();
    const Eigen::Index last = nv_ + kept_;
    double step = k_first_path_step, done = 0.0;
    add(now, PathPoint::Kind::regular, 0.0);
    while (static_cast<int>(branch.points.size()) < options_.most_points) {
      auto next = ahead(now, step);
      if (!next) {
        step *= 0.5;
        if (step >= k_shortest_path_step) continue;
        branch.end = "no equilibrium was found ahead";
        return;
      }
      if (!inside(next->at.value)) {
        add_end(now, *next, done + step);
        return;
      }
      note_special_points(now, *next, step, done);
      if (met_another(next->at)) {
        branch.end = "it meets a branch that was followed before";
        return;
      }
      done += step;
      const bool straight = next->direction.dot(now.direction) > k_turn_easy;
      now = std::move(*next);
      add(now, PathPoint::Kind::regular, done);
      if (corrections_ > k_easy_corrections || !straight) continue;
      const double fastest =
          std::max(std::abs(now.direction[last]), k_coordinate_part * now.direction.cwiseAbs().maxCoeff());
      step = std::min(1.5 * step, k_longest_path_step / fastest);
    }
    branch.end = "as many points as were asked for";
  }

  /// The point at the end of the range, between two others.
  void add_end(const PathStation& now, const PathStation& beyond, double arc_length) {
    const bool high = beyond.at.value > std::max(parameter_.from, parameter_.to);
    const double value = high == (parameter_.to > parameter_.from) ? parameter_.to : parameter_.from;
    branches_.back().end = "the end of the range";
    const double part = (value - now.at.value) / range_;
    if (std::abs(part) < 1e-12) return;  // it began there
    VectorXd z =
        now.direction * (std::abs(now.direction[nv_ + kept_]) > 1e-3 ? part / now.direction[nv_ + kept_] : 0.0);
    z[nv_ + kept_] = part;
    PathStation end;
    if (solver_.solve(now.at, along_parameter(), part, z, end.at)) add(end, PathPoint::Kind::regular, arc_length);
  }

  void note_special_points(const PathStation& now, const PathStation& next, double step, double done) {
    const Eigen::Index last = nv_ + kept_;
    const bool fold = now.direction[last] * next.direction[last] < 0.0;
    const int change = next.negative - now.negative;
    if (fold) {
      const auto [station, length] =
          locate(now, step, next, [&](const PathStation& s) { return s.direction[last] * now.direction[last] < 0.0; });
      add(station, PathPoint::Kind::fold, done + length);
    }
    // a fold changes one sign
    if (std::abs(change) == (fold ? 1 : 0)) return;
    const auto [station, length] =
        locate(now, step, next, [&](const PathStation& s) { return s.negative != now.negative; });
    if (std::any_of(branch_points_.begin(), branch_points_.end(),
                    [&, &at = station.at](const FamilyPoint& p) { return distance(p, at) < k_same_point; })) {
      return;
    }
    branch_points_.push_back(station.at);
    add(station, PathPoint::Kind::branch, done + length);
    leave(station, std::abs(change));
  }

  /// Starts of the branches that leave at a branch point.
  void leave(const PathStation& station, int count) {
    for (const VectorXd& along : solver_.branch_directions(station.at, station.direction, count)) {
      for (const double sign : {1.0, -1.0}) {
        for (const double length : k_branch_steps) {
          const VectorXd plane = sign * along;
          VectorXd z = length * plane;
          PathStation start;
          if (!solver_.solve(station.at, plane, length, z, start.at)) continue;
          if (inside(start.at.value)) {
            start.direction = solver_.direction(start.at, plane);
            start.negative = solver_.negative_count(start.at);
            if (start.direction.size() > 0) {
              pending_.push_back({std::move(start), static_cast<int>(branches_.size()) - 1});
            }
          }
          break;
        }
      }
    }
  }

  bool met_another(const FamilyPoint& at) const {
    for (std::size_t i = 0; i + 1 < stations_.size(); ++i) {
      for (const FamilyPoint& other : stations_[i]) {
        if (distance(at, other) < 0.1 * k_same_point) return true;
      }
    }
    return false;
  }

  PathParameter parameter_;
  PathOptions options_;
  double range_;
  EquilibriumFamily family_;
  int nv_, kept_;
  FamilySolver solver_;
  int corrections_ = 0;
  std::deque<BranchStart> pending_;
  std::vector<PathBranch> branches_;
  std::vector<std::vector<FamilyPoint>> stations_;  // of each branch
  std::vector<FamilyPoint> branch_points_;
};

void check_path(const Model& model, const char* function, const StaticLoads& loads, VectorInT<double> q0,
                const PathParameter& parameter) {
  check_configuration_argument(model, function, "q0", q0);
  require_few_coordinates(model, function);
  check_static_loads(model, function, loads);
  if (std::isfinite(parameter.from) && std::isfinite(parameter.to) && parameter.from != parameter.to) return;
  throw ArgumentError(std::string(function) + ": parameter: found a range from " + number_text(parameter.from) +
                      " to " + number_text(parameter.to) + ", expected two different numbers");
}

/// The point where a path begins, with closed loops.
FamilyPoint first_point(const Model& model, StaticLoads loads, VectorInT<double> q0, const PathParameter& parameter,
                        const std::function<void()>& heartbeat) {
  VectorXd start = q0;
  if (parameter.kind == PathParameter::Kind::load) {
    if (parameter.from != 0.0) {
      throw ArgumentError("follow_equilibria: parameter.from: found " + number_text(parameter.from) +
                          ", expected 0, from which loads grow");
    }
    Data data(model);
    if (!model.loops().empty()) {
      ConstraintData constraints(model);
      close_loops(model, data, constraints, start);
    }
    return {start, VectorXd::Zero(StaticProblem(model, data, loads, start, Stepping::loads).kept()), 0.0};
  }
  if (loads.u.size() == 0) loads.u.setZero(model.nu());
  const bool input = parameter.kind == PathParameter::Kind::input;
  for (int k = 0; input && k < model.nu(); ++k) {
    if (model.input_info()[k].name == parameter.name) loads.u[k] = parameter.from;
  }
  const Model robot = input ? model : model.with(parameter.name, parameter.from);
  Data data(robot);
  const StaticEquilibrium found = static_equilibrium(robot, data, loads, q0, {}, heartbeat);
  const StaticProblem problem(robot, data, loads, found.q, Stepping::imbalance);
  return {found.q, problem.kept_of(found.multipliers), parameter.from};
}

int rank(Stability stability) { return stability == Stability::stable ? 0 : stability == Stability::neutral ? 1 : 2; }
bool preferred(const StaticEquilibrium& a, const StaticEquilibrium& b) {
  if (rank(a.stability) != rank(b.stability)) return rank(a.stability) < rank(b.stability);
  return a.growth_rate < b.growth_rate;
}

}  // namespace

std::vector<PathBranch> follow_equilibria(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                          const PathParameter& parameter, const PathOptions& options) {
  check_path(model, "follow_equilibria", loads, q0, parameter);
  PathFollower follower(model, loads, q0, parameter, options);  // first: it knows whether the name exists
  return follower(first_point(model, loads, q0, parameter, options.heartbeat));
}

std::vector<FoundEquilibrium> equilibria_at(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                            const PathParameter& parameter, const std::vector<PathBranch>& path,
                                            double value) {
  check_path(model, "equilibria_at", loads, q0, parameter);
  PathFollower follower(model, loads, q0, parameter, {});
  std::vector<FoundEquilibrium> all;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::vector<PathPoint>& points = path[i].points;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const int branch = static_cast<int>(i);
      if (points[k].parameter == value) {
        all.push_back({branch, points[k].equilibrium});
      } else if (k + 1 < points.size() && (points[k].parameter - value) * (points[k + 1].parameter - value) < 0.0) {
        if (auto found = follower.between(points[k], points[k + 1], value)) all.push_back({branch, std::move(*found)});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const FoundEquilibrium& a, const FoundEquilibrium& b) {
    return preferred(a.equilibrium, b.equilibrium);
  });
  return all;
}

std::optional<StaticEquilibrium> better_equilibrium(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                                    const StaticEquilibrium& found,
                                                    const std::function<void()>& heartbeat) {
  const PathParameter load;
  try {
    PathFollower follower(model, loads, q0, load, {.most_points = 200, .most_branches = 8, .heartbeat = heartbeat});
    const std::vector<PathBranch> path = follower(first_point(model, loads, q0, load, heartbeat));
    std::vector<FoundEquilibrium> all = equilibria_at(model, loads, q0, load, path, load.to);
    if (!all.empty() && rank(all[0].equilibrium.stability) < rank(found.stability))
      return std::move(all[0].equilibrium);
  } catch (const StaticsError&) {
    // without any stiffness at the start no path leads on: what was found stays, and says that it is unstable
  }
  return std::nullopt;
}

}  // namespace cuttle
