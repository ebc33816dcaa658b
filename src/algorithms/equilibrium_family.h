#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/family_along_tree.h"
#include "algorithms/static_problem.h"
#include "cuttle/algorithms/equilibrium_path.h"

namespace cuttle {

/// A component of a load that depends on time alone.
struct LoadComponent {
  std::size_t load = 0;  ///< among Model::loads
  int component = 0;     ///< of its wrench, torque first
};
/// Visits the components of all loads that depend on time alone: path, as loads[0].force[2], and component.
void for_each_load_component(const Model& model, const std::function<void(const std::string&, LoadComponent)>& visit);
/// @return nothing if no component has the path.
std::optional<LoadComponent> find_load_component(const Model& model, const std::string& path);
/// @param external  begins with the robot's own loads, as loads_at has them.
void set_load_component(const Model& model, const LoadComponent& component, double value,
                        std::vector<ExternalWrench>& external);
/// Where the robot's own loads act they become those of a robot with other parameters.
void renew_own_loads(const Model& model, StaticLoads& loads);

/// Where a parameter is among loads: an input, a component of a load, or neither for the other kinds.
struct ParameterPlace {
  std::optional<Eigen::Index> input;
  std::optional<LoadComponent> component;

  void set(const Model& model, double value, StaticLoads& loads) const;
};
/// @throws ArgumentError if the robot has none of this name.
ParameterPlace find_path_parameter(const Model& model, const PathParameter& parameter, const StaticLoads& loads);

/// The equations of equilibrium for any value of a parameter.
class EquilibriumFamily {
 public:
  /// @param q0  with closed loops, of which these rows are held.
  /// @param stepping  how loads grow: `growth`, or `loads`.
  EquilibriumFamily(const Model& model, const StaticLoads& loads, const VectorXd& q0, const ConstraintRows& rows,
                    const PathParameter& parameter, Stepping stepping);
  ~EquilibriumFamily();

  /// The problem at a value of the parameter, displacements counted from q; valid until the next call.
  /// @throws ModelError for a value that the robot's parameter cannot have.
  StaticProblem& at(double value, const VectorXd& q);
  const Model& model() const { return model_; }

 private:
  struct Version;
  const Model& model_;
  StaticLoads loads_;
  VectorXd q0_;
  ConstraintRows rows_;
  PathParameter parameter_;
  Stepping stepping_;
  ParameterPlace place_;
  std::vector<std::unique_ptr<Version>> versions_;  // of the robot, of the last values
  std::size_t next_ = 0;
};

/// Of an unstable equilibrium that was found from q0 the better one, if the path of the growing loads and its branches
/// have one. @param heartbeat  as of PathOptions.
std::optional<StaticEquilibrium> better_equilibrium(const Model& model, const StaticLoads& loads, const VectorXd& q0,
                                                    const StaticEquilibrium& found,
                                                    const std::function<void()>& heartbeat);

/// Loads of a robot that touches whose friction counts from q0 with closed loops, unless they say another start: so
/// that equilibria which are sought from each other have one start. Of other robots they stay as they are.
StaticLoads with_friction_from(const Model& model, Data& data, StaticLoads loads, VectorInT<double> q0);

/// The equilibrium under loads that is nearest to q, an equilibrium under others that differ a little: all act at once,
/// and the force that would hold the robot at q fades. @return nothing if it is not found.
/// @throws SimulationError if loops cannot be closed.
std::optional<StaticEquilibrium> equilibrium_near(const Model& model, Data& data, const StaticLoads& loads,
                                                  const VectorXd& q);

/// The equilibrium without gravity, inputs and loads that the robot creeps to from q0; what nothing holds goes along.
/// @throws StaticsError if there is none; SimulationError if loops cannot be closed.
StaticEquilibrium unloaded_equilibrium(const Model& model, Data& data, const StaticLoads& loads, const VectorXd& q0,
                                       const std::function<void()>& heartbeat);

/// A point of a path with all that corrections need.
struct FamilyPoint {
  VectorXd q, lambda;
  double value = 0.0;
};

/// Real eigenvalues of the stiffness, relative to the stiffness where the path begins.
struct StiffnessSigns {
  int negative = 0;
  int near_zero = 0;
};

/// Newton's method for equilibria in the displacement, the multipliers and the parameter, within a plane. Where
/// equations say nothing of a direction (a symmetry moves the robot freely) it stays as it is.
class FamilySolver {
 public:
  /// @param parameter  its range.
  FamilySolver(EquilibriumFamily& family, int nv, int kept, const PathParameter& parameter);

  /// Takes the sizes of the equations and of the stiffness from where the path begins.
  void set_scale(const FamilyPoint& first);
  /// From `start` by the guess z to the solution with plane . z = distance; z is (displacement, multipliers, change of
  /// the parameter as a part of the range). @return whether it converged.
  bool solve(const FamilyPoint& start, const VectorXd& plane, double distance, VectorXd& z, FamilyPoint& result);
  int iterations() const { return iterations_; }
  /// Why the equations do not exist where they were asked for last; empty if they do.
  const std::string& trouble() const { return trouble_; }

  /// Unit direction of the path at a point, forward along `plane`. @return empty if there is none.
  VectorXd direction(const FamilyPoint& point, const VectorXd& plane);
  /// Orthonormal directions, beside `direction`, in which the equations are flattest.
  std::vector<VectorXd> branch_directions(const FamilyPoint& point, const VectorXd& direction, int count);
  StiffnessSigns signs(const FamilyPoint& point);
  /// @return nothing where there is none, for which `trouble` says why.
  std::optional<StaticEquilibrium> describe(const FamilyPoint& point);

  Eigen::Index parameter_index() const { return nv_ + kept_; }
  double range() const { return range_; }
  VectorXd along_parameter() const { return VectorXd::Unit(nv_ + kept_ + 1, nv_ + kept_); }
  VectorXd displacement(const VectorXd& z) const { return z.head(nv_); }
  /// z that leads from one point to another, without multipliers: these have other units, and follow.
  VectorXd way(const FamilyPoint& from, const FamilyPoint& to) const;

 private:
  /// Of the equations by displacement, multipliers and part of the range.
  struct Tangent {
    VectorXd column;                  ///< by the last of them
    BorderedTangent* tree = nullptr;  ///< by the others, factored; null: matrix
    MatrixXd matrix;                  ///< by all
  };
  /// The parameter at z: an end of its range where only rounding is between, since a robot may not exist beyond it.
  double value_at(const FamilyPoint& start, const VectorXd& z) const;
  bool evaluate(const FamilyPoint& start, const VectorXd& z);
  void take_column(const FamilyPoint& start, const VectorXd& z, VectorXd& column);
  /// At z, where residual_ and problem_ then are.
  Tangent tangent(const FamilyPoint& start, const VectorXd& z);
  /// Displacements and multipliers.
  VectorXd unknowns_at(const FamilyPoint& start, const VectorXd& z) const;
  MatrixXd square_matrix(const VectorXd& unknowns);
  VectorXd within(const Tangent& at, const VectorXd& plane, const VectorXd& right) const;
  double size_of(const Tangent& at) const;

  EquilibriumFamily& family_;
  int nv_, kept_;
  double from_, to_;  // of the parameter
  double range_;
  VectorXd residual_, row_scale_, units_;
  double multiplier_unit_ = 1.0;               ///< of the columns of multipliers in a Tangent's matrix
  std::optional<FamilyAlongTree> along_tree_;  // none: matrices cost less
  StaticProblem* problem_ = nullptr;
  std::string trouble_;
  int iterations_ = 0;
};

}  // namespace cuttle
