#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/simulator.h"

namespace CUTTLE_API cuttle {

/// A term of an objective: its value in a state of a run at one of the objective's times, and how it changes.
/// @param q, v  configuration and velocity, nq and nv.
/// @param by_q  result, nv, zero before: derivative along integrate(q, dq). By a coordinate itself where coordinates
/// are angles and lengths; of a spherical joint by a turn in child axes, of a free one or the base by turn and move.
/// @param by_v  result, nv, zero before.
using ObjectiveTerm =
    std::function<double(double time, const VectorXd& q, const VectorXd& v, VectorXd& by_q, VectorXd& by_v)>;

/// One scalar of a run and its derivatives by many numbers.
struct MotionGradient {
  double value = 0.0;                     ///< the sum of the terms
  std::vector<ParameterInfo> parameters;  ///< what was asked for
  VectorXd by;                            ///< by these
  VectorXd by_q, by_v;                    ///< by the initial state, nv each, as the terms have them
};

/// The sum of a term at some times of a scenario's run, with its derivatives by initial states, numbers of input
/// signals and numbers of the robot, however many, backwards along the run: the discrete adjoint of the method's own
/// map, exact to rounding (chosen steps are held), of methods with fixed steps and implicit ones; bdf and erk solve the
/// differential equation of the gradient backwards, under their relative tolerance. It costs the run, and backwards a
/// tangent and its factorization a step (explicit methods: a stage); of each eight numbers of the robot a residual with
/// derivatives more. Of every step its solution is kept, 8 nv + 64 bytes; of an explicit one its start.
/// @param times  ascending, within the run.
/// @param by  simulation.inputs.NAME, simulation.inputs.NAME.amplitude, .value[7], .. and
/// simulation.initial.LINK.q[0], .v[0], simulation.motion.LINK[0].to, .. as MotionDerivatives has them; numbers of the
/// robot (Model::parameters) through the motion alone: what the term itself takes from the robot, as the place of a
/// tip, is not seen.
/// @throws ArgumentError for other paths, and for what has no adjoint: controllers that are programs, or have a
/// resolution; loads with integrals; initial states of what is driven. SimulationError as Simulator::run.
MotionGradient motion_adjoint(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                              const ObjectiveTerm& term, const std::vector<std::string>& by,
                              const RunOptions& options = {});

/// The two halves of motion_adjoint: a run, then the way back with what its states are worth, as somebody says who has
/// seen all of them. Of several scalars of one run each way back but the first runs it again.
/// @code
/// MotionAdjoint motion(model, scenario, {1.0}, {"simulation.inputs.motor"});
/// const MotionGradient of_the_last_angle = motion.back(VectorXd::Unit(model.nv(), 0), VectorXd::Zero(model.nv()));
/// @endcode
class MotionAdjoint {
 public:
  /// Runs the scenario. The model must outlive it. Parameters and errors as of motion_adjoint.
  MotionAdjoint(const Model& model, const Scenario& scenario, const std::vector<double>& times,
                const std::vector<std::string>& by, const RunOptions& options = {});
  ~MotionAdjoint();

  const MatrixXd& q() const { return q_; }  ///< configurations at the times, nq x times
  const MatrixXd& v() const { return v_; }  ///< velocities there, nv x times
  /// States of contacts there, bristles [m] and static coefficients, one contact after the other: states x times.
  const MatrixXd& sites() const { return sites_; }

  /// @param by_q, by_v  of a scalar, by the states at the times, nv x times, as an ObjectiveTerm has them.
  /// @return its derivatives; `value` is left at 0.
  /// @throws ArgumentError for other sizes.
  MotionGradient back(const MatrixXd& by_q, const MatrixXd& by_v);
  /// The same of a scalar that depends on the states of contacts too. @param by_sites  as `sites`.
  MotionGradient back(const MatrixXd& by_q, const MatrixXd& by_v, const MatrixXd& by_sites);

 private:
  friend MotionGradient motion_adjoint(const Model&, const Scenario&, const std::vector<double>&, const ObjectiveTerm&,
                                       const std::vector<std::string>&, const RunOptions&);
  struct Parts;
  void run();
  std::unique_ptr<Parts> parts_;
  MatrixXd q_, v_, sites_;
};

}  // namespace cuttle
