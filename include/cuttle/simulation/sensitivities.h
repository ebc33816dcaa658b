#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/simulator.h"

namespace CUTTLE_API cuttle {

/// A run at an instant, with derivatives: those of every ForwardDual along direction k are by the number paths[k] of
/// MotionDerivatives::parameters(). Whatever algorithms make of it has them too.
struct DifferentiatedMotion {
  double time;                            ///< [s]
  const std::vector<std::size_t>& paths;  ///< at most k_forward_width
  const ModelT<ForwardDual>& model;       ///< with derivatives by parameters of the robot
  DataT<ForwardDual>& data;               ///< of that model, free to use
  const VectorXT<ForwardDual>& q;         ///< configuration, nq
  const VectorXT<ForwardDual>& v;         ///< velocity, nv
  const VectorXT<ForwardDual>& u;         ///< inputs that act, nu
  const VectorXT<ForwardDual>& element_states;
  const VectorXT<ForwardDual>& site_states;  ///< of contacts: bristles
};

/// A number of a program's own that an input depends on: its path, and how the input changes with it in time.
struct InputNumber {
  std::string path;   ///< unlike those of the scenario
  std::string input;  ///< name
  double value = 0.0;
  Signal slope;  ///< d input / d number
};

/// A scenario's run and how it changes with numbers of the robot and the scenario, forward along the run:
/// - `links.arm.body.length`, `materials.silicone.young_modulus`, ..: as Model::parameters has them, perhaps behind
///   `robot.`;
/// - `simulation.initial.LINK.q[0]`, `.v[0]`: of the initial state, also those that are zero;
/// - `simulation.inputs.NAME` of a constant, `simulation.inputs.NAME.amplitude`, .. of another signal;
/// - `simulation.motion.LINK[0].amplitude`, `simulation.motion.base.rpy[2]`, ..: of signals of the driven motion;
/// - `simulation.controllers.NAME.kp[0]`, ..: Controller::numbers.
/// The methods of fixed steps and the implicit ones give the derivatives of their own map, exact to rounding (chosen
/// steps are held); bdf and erk, which choose theirs, integrate derivatives with the motion and within its tolerances.
/// Where a contact touches down and sticks, bristles have the derivatives of the solution, not of a step's map.
/// Times at which a signal jumps are held. Element states, loads that depend on the motion, closed loops, controllers,
/// and starts from statics are included.
class MotionDerivatives {
 public:
  /// The model must outlive it. @throws ArgumentError for an unknown path, and for what has no derivatives:
  /// controllers that do not run in copies, a parameter that moves the closed loops of the initial state or is of what
  /// is driven, statics or sensors of controllers beside driven motion; ModelError for a robot with a part without text
  /// (parameter_source).
  /// @param numbers  of whose paths `by` may have some too.
  MotionDerivatives(const Model& model, const Scenario& scenario, const std::vector<std::string>& by,
                    const std::vector<InputNumber>& numbers = {});
  ~MotionDerivatives();

  /// In the order given.
  const std::vector<ParameterInfo>& parameters() const;
  /// Runs once for every eight of them. `visit` is called at ascending `times` of the run - at all of them for the
  /// first eight, then again for the next. The run stops at the scenario's outputs too, as simulations do.
  /// @throws ArgumentError for times that do not ascend or are outside of the run; SimulationError as Simulator::run.
  void run(const std::vector<double>& times, const std::function<void(const DifferentiatedMotion&)>& visit,
           const RunOptions& options = {}) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

/// Some outputs of a run and their derivatives.
struct Sensitivities {
  std::vector<double> times;              ///< [s]
  std::vector<CoordinateInfo> outputs;    ///< names and units, n
  std::vector<ParameterInfo> parameters;  ///< p
  std::vector<VectorXd> values;           ///< n, one vector a time
  std::vector<MatrixXd> derivatives;      ///< n x p, one matrix a time
};

/// Some outputs of a run and their exact derivatives by numbers of the robot, the initial state and the inputs
/// (docs/sensitivities.md).
/// @param of  what is asked for: q, v, u; FRAME.position [m], FRAME.velocity [m/s], FRAME.rotation (its quaternion w,
/// x, y, z) in world axes, of LINK.tip, LINK.base, a marker, or `tip`, that of the last link; energy.kinetic,
/// energy.gravity, energy.elastic, energy.contacts [J]; a coordinate, velocity or input alone by its name in `cuttle
/// info`.
/// @param by  paths of numbers, as MotionDerivatives has them: `links.arm.body.length`, `simulation.inputs.NAME`.
/// @param times  ascending, within the run [s].
/// @throws ArgumentError for an output or a path that there is not, and for what has no derivatives
/// (MotionDerivatives); SimulationError if the run fails.
Sensitivities sensitivities(const Model& model, const Scenario& scenario, const std::vector<std::string>& of,
                            const std::vector<std::string>& by, const std::vector<double>& times,
                            const RunOptions& options = {});

}  // namespace cuttle
