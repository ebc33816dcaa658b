#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "algorithms/frame_targets.h"
#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/model/data.h"

namespace cuttle {

inline constexpr const char* k_statics_function = "inverse_statics";
inline constexpr double k_no_input_limit = std::numeric_limits<double>::infinity();
inline constexpr double k_near_target = 0.1;   ///< rows from which the tangent of the last solution still serves
inline constexpr int k_steps_from_near = 12;   ///< then a whole search is worth more
inline constexpr double k_longest_rest = 0.7;  ///< way of a state to its equilibrium, in units of the coordinates

/// What searches for inputs that hold frames have in common: targets, loads, inputs that may change, their limits, and
/// what was found.
class InputSearch {
 public:
  /// @throws ArgumentError as InverseStatics.
  InputSearch(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads, InverseStaticsOptions options);
  InputSearch(const InputSearch&) = delete;
  InputSearch& operator=(const InputSearch&) = delete;
  virtual ~InputSearch() = default;

  FrameTargets& targets() { return frames; }
  /// As InverseStatics::solve and solve_from_last.
  const InverseStaticsResult& solve(VectorInT<double> q0);
  const InverseStaticsResult& solve_from_last();

 public:
  /// Sets `result.converged` and `least_inputs`. @throws StaticsError if nothing leads to any equilibrium.
  virtual void search_from(const VectorXd& q0) = 0;
  /// The same from the last solution.
  virtual void search_from_last() = 0;
  virtual bool has_solution() const = 0;
  /// Fills the equilibrium, `u` and `iterations` of the result.
  virtual void describe() = 0;

  int free_count() const { return static_cast<int>(free.size()); }
  int input(int i) const { return free[static_cast<std::size_t>(i)]; }
  void clamp(VectorXd& u) const;
  /// Half the sum of the squares of the free inputs, each beside its scale, and its slopes.
  double sum_of_squares(const VectorXd& u, const VectorXd& scale) const;
  VectorXd slopes_of_squares(const VectorXd& u, const VectorXd& scale) const;
  /// Inputs of one unit get one scale, the largest of theirs.
  VectorXd common_scales(const VectorXd& units) const;
  /// Bounds of steps from u.
  void room_around(const VectorXd& u, Eigen::Ref<VectorXd> lower, Eigen::Ref<VectorXd> upper) const;

  /// Sets the pulls among `external` to what `pulls` say, times a part.
  void pull(double part);

  const Model& model;
  StaticLoads loads;
  InverseStaticsOptions options;
  Data data;
  double length;  ///< reach of the robot [m]
  VectorXd unit_q;
  FrameTargets frames;
  std::vector<int> free;  ///< inputs that may change
  /// Wrenches with which targets pull, and all loads with room for these behind them: for second derivatives.
  std::vector<ExternalWrench> pulls, external;
  InverseStaticsResult result;

 public:
  /// Friction counts from q0 with closed loops, unless the loads say another place.
  void begin_friction(const VectorXd& q0);
  const InverseStaticsResult& described();

  bool has_own_start = true;  ///< loads.start is the caller's
};

/// A number around zero for other starts, without a pattern.
double scattered_start(int start, int number);

/// In configuration, multipliers and inputs together, by matrices of all of them.
std::unique_ptr<InputSearch> make_balance_search(const Model& model, std::vector<FrameTarget> targets,
                                                 StaticLoads loads, InverseStaticsOptions options);
/// In the inputs alone, from rest to rest, with tangents along the tree: for bodies of more coordinates than matrices
/// are made for. It does not pass the folds where the robot at rest is no function of its inputs.
/// @throws ArgumentError where tangents do not follow the tree.
std::unique_ptr<InputSearch> make_rest_search(const Model& model, std::vector<FrameTarget> targets, StaticLoads loads,
                                              InverseStaticsOptions options);

}  // namespace cuttle
