#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulation/forward_energy.h"

namespace cuttle {

/// EnergyProjection backwards. After a step it makes the energy that of the start and the works since, which is one
/// more number of the run: D' = D + h P. The power P in the middle of a step is that of ForwardEnergy.
class ProjectionAdjoint {
 public:
  explicit ProjectionAdjoint(RobotSystem& system);
  ~ProjectionAdjoint();
  /// Numbers of the robot by which there are derivatives; the same at each call.
  void follow(const std::vector<std::string>& paths);

  /// States are those of elements, then of sites.
  struct State {
    double time;
    const VectorXd &q, &v, &states;
  };
  /// As ForwardEnergy::Middle.
  struct Middle {
    double time;
    const VectorXd &q, &v, &a, &states, &rates, &multipliers;
    double factor;
  };
  /// Of a scalar: along integrate(q, dq), by v, by a, by states, by rates of elements' states, by multipliers, by the
  /// energy that there is to be, and by the numbers of the robot.
  struct Gradient {
    VectorXd q, v, a, states, rates, multipliers, energy, numbers;
  };
  /// The velocity after it. @param energy  that there is to be, D.
  VectorXd projected(const State& at, double energy);
  /// Of weights . that velocity.
  Gradient of_projected(const State& at, double energy, const VectorXd& weights);
  /// Of scale P.
  Gradient of_power(const Middle& at, double scale);
  /// Of scale times the energy.
  Gradient of_energy(const State& at, double scale);

 private:
  struct Robot;
  struct Point;
  using Function = std::function<ForwardDual(Robot& robot, const Point& at)>;
  /// @param at  its `change` is zero: q moves along integrate(q, change).
  Gradient gradient(const Point& at, const Function& function);

  RobotSystem& system_;
  std::unique_ptr<Robot> robot_;
  std::vector<std::unique_ptr<Robot>> varied_;  ///< by eight numbers each
  std::vector<std::string> paths_;
  std::vector<std::size_t> counts_;
};

}  // namespace cuttle
