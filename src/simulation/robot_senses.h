#pragma once

#include <limits>
#include <vector>

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

}  // namespace cuttle
