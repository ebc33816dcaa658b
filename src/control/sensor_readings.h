#pragma once

#include <string>
#include <vector>

#include "control/motion_differences.h"
#include "cuttle/algorithms/state_layout.h"
#include "sensors/sensor_suite.h"

namespace cuttle {

/// Sensors that a controller reads at every instant. Memory is made once.
class SensorReadings {
 public:
  /// @throws ArgumentError for a name that no sensor has, and for a sensor that measures accelerations.
  SensorReadings(const Model& model, const std::vector<std::string>& names);

  /// What they measure with the inputs at.u, within an implicit step at the states of elements that solve it. @return
  /// valid until the next call.
  const VectorXd& read(const ControlArguments& at);
  /// Lets a law know them and their derivatives, by central differences. @param before  how at.u changes.
  void differentiate(ControlArguments& at, const InputSlopes& before);

 private:
  const Model& model_;
  SensorSuite suite_;
  StateLayout layout_;
  Data data_;
  ElementData elements_;
  MotionDifferences differences_;
  VectorXd u_, states_, values_, no_acceleration_, no_multipliers_;
  MatrixXd by_q_, by_v_;
};

}  // namespace cuttle
