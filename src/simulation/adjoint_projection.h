#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/simulation/robot_system.h"

namespace cuttle {

/// EnergyProjection backwards. After a step it makes the energy that of the start and the works since, which is one
/// more number of the run: D' = D + h P. The power P in the middle of a step is that with which the energy changes
/// along the motion, by the equation of motion, and what reactions of loops do: no forces are asked for.
class ProjectionAdjoint {
 public:
  /// @throws ArgumentError for contacts, and for elements with states.
  explicit ProjectionAdjoint(RobotSystem& system);
  ~ProjectionAdjoint();
  /// Numbers of the robot by which there are derivatives; the same at each call.
  void follow(const std::vector<std::string>& paths);

  /// The velocity after it. @param v  before. @param energy  that there is to be, D.
  VectorXd projected(const VectorXd& q, const VectorXd& v, double energy);
  /// From a gradient by that velocity to that by the velocity before, in its place; adds to that by q along
  /// integrate(q, dq), and to those by numbers. @return by D.
  double back(const VectorXd& q, const VectorXd& v, double energy, VectorXd& by_q, VectorXd& by_v,
              VectorXd& by_numbers);
  /// Adds the gradient of scale P, without loops. @param by_q, by_v, by_a  1 x nv each.
  void add_power(const VectorXd& q, const VectorXd& v, const VectorXd& a, double scale, MatrixXd& by_q, MatrixXd& by_v,
                 MatrixXd& by_a, VectorXd& by_numbers);
  /// Adds the gradient of scale D at a start.
  void add_energy(const VectorXd& q, const VectorXd& v, double scale, VectorXd& by_q, VectorXd& by_v,
                  VectorXd& by_numbers);

 private:
  struct Robot;
  /// Calls function(robot, q, v, a, energy) with derivatives along directions: of q, v, a, then the energy; and use
  /// with the number of the direction and the derivative. Then the same along numbers.
  template <typename Function, typename Use>
  void along_motion(const VectorXd& q, const VectorXd& v, const VectorXd& a, double energy, const Function& function,
                    const Use& use);
  template <typename Function>
  void along_numbers(const VectorXd& q, const VectorXd& v, const VectorXd& a, double energy, const Function& function,
                     double scale, VectorXd& by_numbers);

  RobotSystem& system_;
  std::unique_ptr<Robot> robot_;
  std::vector<std::unique_ptr<Robot>> varied_;  ///< by eight numbers each
  std::vector<std::string> paths_;
  std::vector<std::size_t> counts_;
};

}  // namespace cuttle
