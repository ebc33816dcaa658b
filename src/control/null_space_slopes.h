#pragma once

#include <vector>

#include "control/input_null_space.h"
#include "control/plant.h"

namespace cuttle {

/// How inputs without a part in the null space follow the motion, which turns that space and changes units.
class NullSpaceSlopes {
 public:
  /// After Plant::read_slopes at the same arguments.
  /// @param beyond  of all inputs, how far they are from where they would be nearest.
  /// @return whether the inputs have a null space.
  bool read(Plant& plant, const ControlArguments& at, const std::vector<char>& free, const VectorXd& beyond);
  /// Completes derivatives of the inputs, rows, whose part in the null space may be anything.
  /// @param nearest  rows of where they would be nearest.
  void complete(const Plant& plant, bool by_q, const MatrixXd& nearest, MatrixXd& rows) const;

 private:
  InputNullSpace null_;
  VectorXd beyond_;       ///< of free inputs, in their units
  VectorXd pushed_;       ///< nv, M^-1 B of the t of `divide`
  MatrixXd by_q_, by_v_;  ///< of G_jj over G_jj, free inputs x nv
};

}  // namespace cuttle
