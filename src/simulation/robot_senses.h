#pragma once

#include <limits>
#include <string>
#include <vector>

#include "control/motion_differences.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/sensor_suite.h"

namespace cuttle {

/// What RobotSystem needs to know what sensors measure. Memory is made once.
struct RobotSystem::Senses {
  explicit Senses(const Model& model)
      : suite(model),
        u(VectorXd::Zero(model.nu())),
        v(VectorXd::Zero(model.nv())),
        a(VectorXd::Zero(model.nv())),
        rates(start_of_auxiliary(model)),
        reactions(2 * model.loops().size()),
        unknown(VectorXd::Constant(model.constraint_count(), std::numeric_limits<double>::quiet_NaN())) {}
  SensorSuite suite;
  VectorXd u, v, a, rates;
  std::vector<ExternalWrench> reactions;
  VectorXd unknown;  ///< multipliers
};

/// Sensors that a controller reads at every instant. Memory is made once.
struct RobotSystem::Readings {
  /// @throws ArgumentError for a name that no sensor has, and for a sensor that measures accelerations.
  Readings(const Model& model, const std::vector<std::string>& names);

  /// What they measure with the inputs at.u, within an implicit step at the states of elements that solve it. @return
  /// valid until the next call.
  const VectorXd& read(const ControlArguments& at);
  /// Lets a law know them and their derivatives, by central differences. @param before  how at.u changes.
  void differentiate(ControlArguments& at, const InputSlopes& before);

 private:
  const Model& model_;
  SensorSuite suite_;
  Data data_;
  ElementData elements_;
  MotionDifferences differences_;
  VectorXd u_, states_, values_, no_acceleration_, no_multipliers_;
  MatrixXd by_q_, by_v_;
};

}  // namespace cuttle
