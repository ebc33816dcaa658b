#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/static_problem.h"
#include "cuttle/algorithms/equilibrium_path.h"

namespace cuttle {

/// The equations of equilibrium for any value of a parameter.
class EquilibriumFamily {
 public:
  /// @throws ArgumentError for a name that does not exist.
  EquilibriumFamily(const Model& model, const StaticLoads& loads, const VectorXd& q0, const PathParameter& parameter);
  ~EquilibriumFamily();

  /// The problem at a value of the parameter, displacements counted from q; valid until the next call.
  StaticProblem& at(double value, const VectorXd& q);

 private:
  struct Version;
  const Model& model_;
  StaticLoads loads_;
  VectorXd q0_;
  PathParameter parameter_;
  int input_ = -1;
  std::vector<std::unique_ptr<Version>> versions_;  // of the robot, of the last values
  std::size_t next_ = 0;
};

/// Of an unstable equilibrium that was found from q0 the better one, if the path of the growing loads and its branches
/// have one. @param heartbeat  as of PathOptions.
std::optional<StaticEquilibrium> better_equilibrium(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                                    const StaticEquilibrium& found,
                                                    const std::function<void()>& heartbeat);

/// The equilibrium under loads that is nearest to q, an equilibrium under others that differ a little: all act at once,
/// and the force that would hold the robot at q fades. @return nothing if it is not found.
/// @throws SimulationError if loops cannot be closed.
std::optional<StaticEquilibrium> equilibrium_near(const Model& model, Data& data, const StaticLoads& loads,
                                                  const VectorXd& q);

/// A point of a path with all that corrections need.
struct FamilyPoint {
  VectorXd q, lambda;
  double value = 0.0;
};

/// Newton's method for equilibria in the displacement, the multipliers and the parameter, within a plane. Where
/// equations say nothing of a direction (a symmetry moves the robot freely) it stays as it is.
class FamilySolver {
 public:
  FamilySolver(EquilibriumFamily& family, int nv, int kept, double range);

  /// Takes the sizes of the equations from where the path begins.
  void scale_rows(const FamilyPoint& first);
  /// From `start` by the guess z to the solution with plane . z = distance; z is (displacement, multipliers, change of
  /// the parameter as a part of the range). @return whether it converged.
  bool solve(const FamilyPoint& start, const VectorXd& plane, double distance, VectorXd& z, FamilyPoint& result);
  int iterations() const { return iterations_; }

  /// Unit direction of the path at a point, forward along `plane`. @return empty if there is none.
  VectorXd direction(const FamilyPoint& point, const VectorXd& plane);
  /// Orthonormal directions, beside `direction`, in which the equations are flattest.
  std::vector<VectorXd> branch_directions(const FamilyPoint& point, const VectorXd& direction, int count);
  /// How many real eigenvalues of the stiffness are below zero.
  int negative_count(const FamilyPoint& point);
  StaticEquilibrium describe(const FamilyPoint& point);

 private:
  bool evaluate(const FamilyPoint& start, const VectorXd& z);
  MatrixXd jacobian(const FamilyPoint& start, const VectorXd& z);
  VectorXd within(const MatrixXd& J, const VectorXd& plane, const VectorXd& right) const;

  EquilibriumFamily& family_;
  int nv_, kept_;
  double range_;
  VectorXd residual_, row_scale_;
  StaticProblem* problem_ = nullptr;
  int iterations_ = 0;
};

}  // namespace cuttle
