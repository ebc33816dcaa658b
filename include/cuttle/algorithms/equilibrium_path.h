#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuttle/algorithms/statics.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// What changes along a path of equilibria, and how far.
struct PathParameter {
  enum class Kind {
    load,       ///< part of gravity, inputs and loads that acts, as they grow from none; 1 is all
    input,      ///< one input, all else acting
    component,  ///< of one of the robot's loads that depend on time alone, all else acting
    parameter,  ///< one of the robot's parameters, all else acting
  };
  Kind kind = Kind::load;
  /// Of the input; path of the component, as loads[0].force[2], or of the parameter, as in Model::with.
  std::string name = {};
  /// The range. Paths begin at `from`; those of a load at 0, which lies within the range, and go towards `to`.
  double from = 0.0, to = 1.0;
};

struct PathOptions {
  int most_points = 400;   ///< on one branch
  int most_branches = 16;  ///< that are followed
  /// Called in each step. What it throws ends the search, and comes out.
  std::function<void()> heartbeat = {};
};

struct PathPoint {
  enum class Kind { regular, fold, branch };
  Kind kind = Kind::regular;
  double parameter = 0.0;
  double arc_length = 0.0;  ///< along the branch, in rad or m of coordinates and parts of the parameter's range
  StaticEquilibrium equilibrium;
};

/// Equilibria that follow from each other continuously.
struct PathBranch {
  int parent = -1;  ///< branch from which it goes off at a branch point; -1: none
  std::vector<PathPoint> points = {};
  std::string end = {};    ///< why it ends
  bool goes_back = false;  ///< it ends where it goes back beyond parameter.from: a wider range would show more of it
};

/// Follows the equilibria of a robot while a parameter changes, by arc length ([Keller 1977]): through folds, where the
/// parameter turns back, and from branch points along all branches that leave there. Folds and branch points are points
/// of the path. A step is taken only where it stays on its branch: it is near the tangents at its ends and at its
/// middle, and each change of a sign of the stiffness within it is found at a fold or a branch point. So these do not
/// depend on how far the range goes. The first branch begins in the equilibrium that is nearest to q0 at parameter.from
/// (static_equilibrium); loops that are open at q0 are closed first.
/// @throws StaticsError if there is none; ArgumentError as static_equilibrium, for a range that is empty, or an input,
/// component or parameter that does not exist; SimulationError if the loops cannot be closed.
std::vector<PathBranch> follow_equilibria(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                          const PathParameter& parameter, const PathOptions& options = {});

/// An equilibrium at a value of the parameter.
struct FoundEquilibrium {
  int branch = 0;
  StaticEquilibrium equilibrium;
};
/// All equilibria that the branches have at a value of the parameter: stable ones first, then neutral ones, then by
/// growth rate.
std::vector<FoundEquilibrium> equilibria_at(const Model& model, const StaticLoads& loads, VectorInT<double> q0,
                                            const PathParameter& parameter, const std::vector<PathBranch>& path,
                                            double value);

}  // namespace cuttle
