#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cuttle/simulation/scenario.h"
#include "simulation/prescribed_motion.h"
#include "simulation/run_parameter.h"

namespace cuttle {

/// A scenario's driven motion, bound to a model, with another value of one of its numbers.
std::shared_ptr<const PrescribedMotion> motion_with(const Model& model, const Scenario& scenario,
                                                    const RunParameter& number, double value);

/// How what is driven follows numbers that its signals are made of: differences of order six of such motions.
class MotionSlopes {
 public:
  /// @param numbers  directions; those that are not of driven motion have no slopes. The model must outlive this.
  MotionSlopes(const Model& model, const Scenario& scenario, const std::vector<RunParameter>& numbers);
  /// Null if none of the numbers is of driven motion.
  static std::shared_ptr<const MotionSlopes> along(const Model& model, const Scenario& scenario,
                                                   const std::vector<RunParameter>& numbers);

  /// Of all coordinates, a column for each number: along integrate(q, dq), of v, and of a; zero of what is not driven.
  struct Slopes {
    MatrixXd q, v, a;
  };
  Slopes at(double time) const;

 private:
  struct Number {
    Eigen::Index column;
    double step;
    std::array<std::shared_ptr<const PrescribedMotion>, 6> beside;  ///< at -3, -2, -1, 1, 2, 3 steps
  };

  const Model& model_;
  std::shared_ptr<const PrescribedMotion> plain_;
  Eigen::Index count_;
  std::vector<Number> numbers_;
};

}  // namespace cuttle
