#include "control/linearization.h"

#include <algorithm>
#include <cmath>

#include "control/plant.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {

Linearization linearize(const Model& model, const std::vector<int>& inputs, const std::map<std::string, double>& held) {
  const VectorXd states = start_of_auxiliary(model);
  if (states.size() > state_layout(model).works) {
    throw ArgumentError(
        Diagnostic("type", "a robot whose elements or loads have states of their own", "one whose state is q and v"));
  }
  VectorXd u = VectorXd::Zero(model.nu());
  std::vector<std::string> known;
  for (const CoordinateInfo& info : model.input_info()) known.push_back(info.name);
  for (const auto& [name, value] : held) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw ArgumentError(Diagnostic({"equilibrium", "inputs", name}, "no such input",
                                     "an input of the robot" + did_you_mean(name, known)));
    }
    u[found - known.begin()] = value;
  }
  const double before = std::nextafter(0.0, -1.0);  // loads as they are then
  Data data(model);
  StaticLoads loads;
  loads.u = u, loads.external = loads_at(model, before), loads.state_loads_at = before;
  Linearization linear;
  try {
    linear.q = static_equilibrium(model, data, loads, model.neutral()).q;
  } catch (const StaticsError& error) {
    throw ArgumentError(Diagnostic("equilibrium", error.what(), "inputs with an equilibrium"));
  }
  Plant plant(model, inputs);
  const int nv = model.nv(), m = static_cast<int>(inputs.size());
  const VectorXd rest = VectorXd::Zero(nv), none;
  const ControlArguments at{before, linear.q, rest, u, none, states};
  plant.read_inertia(at);
  const Plant::Slopes& slopes = plant.motion_slopes(at, rest, nullptr, nullptr);
  MatrixXd by_q = -slopes.by_q, by_v = -slopes.by_v;
  plant.divide_by_mass(by_q), plant.divide_by_mass(by_v);
  linear.A.setZero(2 * nv, 2 * nv), linear.B.setZero(2 * nv, m);
  linear.A.topRightCorner(nv, nv).setIdentity();
  linear.A.bottomLeftCorner(nv, nv) = by_q, linear.A.bottomRightCorner(nv, nv) = by_v;
  linear.u.resize(m);
  const MatrixXd& force = plant.force_by_inputs(at);
  MatrixXd by_inputs(nv, m);
  for (int j = 0; j < m; ++j) {
    const int input = inputs[static_cast<std::size_t>(j)];
    linear.u[j] = u[input], by_inputs.col(j) = force.col(input);
  }
  plant.divide_by_mass(by_inputs);
  linear.B.bottomRows(nv) = by_inputs;
  return linear;
}

}  // namespace cuttle
