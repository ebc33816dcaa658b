#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// A robot about an equilibrium: x' = A x + B (u - u_e) with x = (displacement from q, v), exact.
struct Linearization {
  VectorXd q;     ///< of the equilibrium
  VectorXd u;     ///< u_e of the inputs that B is of
  MatrixXd A, B;  ///< 2 nv x 2 nv, 2 nv x inputs
};

/// @param inputs       of the model.
/// @param held         inputs in the equilibrium, by name; the others are zero.
/// @throws ArgumentError if there is no equilibrium, or the robot has states beside q and v.
Linearization linearize(const Model& model, const std::vector<int>& inputs, const std::map<std::string, double>& held);

}  // namespace cuttle
