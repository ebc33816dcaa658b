#pragma once

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"

namespace cuttle {

/// Inputs that the controllers of a scenario set.
class Inputs {
 public:
  explicit Inputs(const ScenarioFile& file)
      : model(file.robot), system_(model, {.controllers = file.scenario.controllers}) {
    states_ = system_.with_controllers(start_of_auxiliary(model));
  }
  VectorXd at(double time, const VectorXd& q, const VectorXd& v) {
    VectorXd u(model.nu());
    system_.inputs(time, q, v, states_, u);
    return u;
  }
  const Model model;

 private:
  RobotSystem system_;
  VectorXd states_;
};

}  // namespace cuttle
