#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Rows of the loops' constraints, of which some follow from the others: a spatial revolute loop in a planar robot has
/// three such rows. With them G has no full rank and the multipliers are not unique; whoever solves for multipliers
/// takes the kept rows alone.
struct ConstraintRows {
  std::vector<int> kept, dropped;  ///< together 0 .. m - 1, each ascending
  VectorXd open;                   ///< what each kept row stays open by, in its unit; empty: they are closed

  /// Names of the dropped rows, as LOOP.position.y.
  std::vector<std::string> dropped_names(const Model& model) const;
};

/// A row is redundant if its part across the others is below this, relative to the row: directions in files have five
/// digits or so, and what differs by less was meant to be the same.
inline constexpr double k_redundant_row = 1e-5;

/// Independent rows of a Jacobian, by a Householder QR with pivoting of rows of unit length; in units of length, angles
/// and lengths alike.
/// @param tolerance  a row whose part across the kept ones is below it, relative to the row, is dropped; so is a row
/// below it, relative to the largest.
ConstraintRows independent_rows(const Eigen::Ref<const MatrixXd>& G, double tolerance = k_redundant_row);

/// Rows to keep of a robot at a configuration at which the kept ones are closed. Where G has a lower rank just there (a
/// linkage that lies flat), the rows are taken from closed configurations nearby, so that none is dropped which counts
/// a moment later.
/// @throws SimulationError that names the loop and the row if a dropped row is not closed, within 1e-5 rad or sizes of
/// the robot: the loops contradict each other or the joints.
ConstraintRows select_constraint_rows(const Model& model, Data& data, ConstraintData& constraints, VectorInT<double> q,
                                      double tolerance = k_redundant_row);

/// Whether dropped rows count at a configuration: they followed from the kept ones where these were selected, a
/// singular place, and are ten times further from that here than what was meant to be the same (k_redundant_row).
/// @param q  at which the kept rows are closed, later on.
/// @return by how much the dropped row is open that is open most [rad, sizes of the robot]; nothing while they follow.
std::optional<double> appeared_rows(const Model& model, Data& data, ConstraintData& constraints,
                                    const ConstraintRows& rows, VectorInT<double> q);

/// Rows to keep from there on, those that have appeared among them. Each stays open by what it is open by at q: a
/// singular place has no reactions that would close it further.
/// @throws SimulationError that names loop and row if one of them is open by more than 1e-5 rad or sizes of the robot.
ConstraintRows rows_with_appeared(const Model& model, Data& data, ConstraintData& constraints,
                                  const ConstraintRows& rows, VectorInT<double> q);

/// Dropped rows follow from the kept ones where they were selected; where the loops are singular just there (two bars
/// that are stretched to their full length) that may end with the first motion.
/// @param q  at which the kept rows are closed, later on.
/// @return the loop and the dropped row that is open most, and what to do, if that is by more than 1e-4 rad or sizes
/// of the robot; else empty. Rows that were selected may be open by a tenth of that.
std::string opened_loop(const Model& model, Data& data, ConstraintData& constraints, const ConstraintRows& rows,
                        VectorInT<double> q);

/// What close_loops did.
struct LoopClosure {
  int iterations = 0;
  double residual = 0.0;  ///< largest residual that is left [m, rad]
};

/// Assembly: moves q, as little as it takes, until all loops are closed. Levenberg-Marquardt on the residuals, with
/// lengths measured by the robot's size and steps of at most half a radian; it starts again nearby from configurations
/// that cannot move towards closing, as when all links lie in one line.
/// @param q  in: where to start, often open; out: closed to rounding. Unchanged if that fails.
/// @param held  nv, or empty: not 0 for coordinates that stay as they are if the others alone can close the loops.
/// @throws SimulationError that names the loop that stays open most and its residual.
LoopClosure close_loops(const Model& model, Data& data, ConstraintData& constraints, VectorOutT<double> q,
                        std::span<const char> held = {});

/// Makes velocities consistent with the loops, G v = 0, by the impulse that closing them makes: the smallest change in
/// kinetic energy's norm, v - M^-1 G^T (G M^-1 G^T)^-1 G v. @return the largest |G v| before [m/s, rad/s].
/// @param held  as for close_loops: velocities that stay if the others alone can be consistent.
/// @throws SimulationError if mass and loops leave the change undefined.
double close_velocities(const Model& model, Data& data, ConstraintData& constraints, const ConstraintRows& rows,
                        VectorInT<double> q, VectorOutT<double> v, std::span<const char> held = {});

/// Accelerations and multipliers of a robot whose loops are closed, G a + bias = 0.
struct ConstrainedAcceleration {
  VectorXd a;            ///< nv
  VectorXd multipliers;  ///< m: lambda, what b pushes on a; 0 for dropped rows
};
/// From M a + c + g + s = tau - G^T lambda and G a + bias = 0 for the kept rows, by a dense factorization.
/// @param tau  generalized force of actuators, loads and whatever else, size nv.
/// @throws SimulationError if the equations have no unique solution.
ConstrainedAcceleration constrained_forward_dynamics(const Model& model, Data& data, ConstraintData& constraints,
                                                     const ConstraintRows& rows, VectorInT<double> q,
                                                     VectorInT<double> v, VectorInT<double> tau);

}  // namespace cuttle
