#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/model/data.h"
#include "cuttle/spatial/eigen.h"
#include "support/epsilon.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_state.h"
#include "support/standard_robots.h"
#include "support/to_robot.h"

namespace cuttle::test {

/// A standard robot with its model, and a random state of it.
struct RobotCase {
  std::string name;
  unsigned seed;
  PlainRobot plain;
  Model model;
  RandomState state;
};

/// All standard robots; made at the first call.
inline const std::vector<std::unique_ptr<RobotCase>>& standard_cases() {
  static const auto cases = [] {
    std::vector<std::unique_ptr<RobotCase>> list;
    for (const NamedRobot& robot : standard_robots()) {
      list.emplace_back(new RobotCase{robot.name, robot.seed, robot.plain, Model(to_robot(robot.plain)), {}});
      Random random(robot.seed + 5000);
      list.back()->state = random_state(list.back()->model, random);
    }
    return list;
  }();
  return cases;
}

/// Calls check(case, data, state) for every standard robot that moves, naming it in failures.
template <typename Check>
void for_every_robot(const Check& check, int max_nv = 100000) {
  int count = 0;
  for (const auto& robot : standard_cases()) {
    if (robot->model.nv() == 0 || robot->model.nv() > max_nv) continue;
    SCOPED_TRACE(robot->name + ", nv " + std::to_string(robot->model.nv()));
    Data data(robot->model);
    check(*robot, data, robot->state);
    ++count;
  }
  EXPECT_GE(count, 10);
}

/// Largest size of an entry; infinite if any is not finite.
template <typename Derived>
double size_of(const Eigen::MatrixBase<Derived>& x) {
  if (x.size() == 0) return 0.0;
  return x.allFinite() ? static_cast<double>(x.cwiseAbs().maxCoeff()) : std::numeric_limits<double>::infinity();
}

/// q moved by t along the tangent vector d.
inline VectorXd moved(const Model& model, const VectorXd& q, const VectorXd& d, double t) {
  VectorXd result(model.nq());
  const VectorXd step = t * d;
  integrate(model, q, step, result);
  return result;
}
/// d f / dt at 0 by the sixth-order central difference: error h^6 / 140 of the seventh derivative, rounding eps / h.
template <typename F>
auto derivative(const F& f, double h) {
  if constexpr (std::is_arithmetic_v<decltype(f(h))>) {
    return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h);
  } else {
    auto slope = (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))).eval();
    slope /= 60.0 * h;
    return slope;
  }
}

}  // namespace cuttle::test
