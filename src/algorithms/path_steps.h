#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/equilibrium_family.h"

namespace cuttle {

/// A point of a path while it is followed.
struct PathStation {
  FamilyPoint at;
  VectorXd direction;  ///< unit, forward
  StiffnessSigns signs;
};

/// Steps along a path of equilibria that stay on their branch. Where another branch passes near by, Newton's method may
/// end on that one. So a step is taken only if it is near the tangents at both ends, if the point halfway is near the
/// cubic through them, and if what changes within it - the number of negative eigenvalues of the stiffness, whether the
/// parameter grows - changes at places where the path is continuous. Who is refused tries a shorter step.
class PathSteps {
 public:
  /// A fold, where the parameter turns back, or a branch point.
  struct Event {
    PathStation station;
    double length;     ///< from the start of the step
    int branches = 0;  ///< that cross here, beside the one that is followed; 0: a fold
  };
  struct Step {
    PathStation to;
    double length;
    std::vector<Event> events;
    bool easy = false;  ///< a longer one is worth a try
  };

  PathSteps(FamilySolver& solver, const std::function<void()>& heartbeat) : solver_(solver), heartbeat_(heartbeat) {}

  /// A station at a point, forward along `plane`. @return nothing if no direction leads on.
  std::optional<PathStation> station(const FamilyPoint& point, const VectorXd& plane);
  /// From a station a length along its direction. @return nothing if that is not surely on its branch.
  std::optional<Step> step(const PathStation& from, double length);
  /// The end of a part of a step, at which the parameter has a value that lies between those of its ends.
  std::optional<Step> until(const PathStation& from, const PathStation& to, double length, double value);
  /// The step at whose end the parameter has a value that lies ahead, without going beyond it: where the robot may not
  /// exist any more. @return nothing if that is not surely on the branch of the station.
  std::optional<Step> onto(const PathStation& from, double value);
  /// The point between two of a branch, of which no coordinates but these are known, at a value between theirs.
  std::optional<FamilyPoint> between(const FamilyPoint& a, const FamilyPoint& b, double value);

 private:
  struct Place {
    PathStation station;
    double length;
  };

  bool forward(const PathStation& s) const { return s.direction[solver_.parameter_index()] >= 0.0; }
  bool differ(const PathStation& a, const PathStation& b) const {
    return a.signs.negative != b.signs.negative || forward(a) != forward(b);
  }
  std::optional<PathStation> ahead(const PathStation& from, double length);
  std::optional<PathStation> reach(const PathStation& from, double length, const VectorXd& plane, double distance);
  std::optional<Step> step_to(const PathStation& from, const PathStation& to, double length);
  bool add_events(const PathStation& from, Place& before, const Place& after, double whole, std::vector<Event>& events);
  std::optional<std::pair<Place, Place>> locate(const PathStation& from, Place before, Place after);
  bool set_value(FamilyPoint& point, double value);

  FamilySolver& solver_;
  std::function<void()> heartbeat_;
  VectorXd way_;  // of the last step ahead
  int corrections_ = 0;
};

}  // namespace cuttle
