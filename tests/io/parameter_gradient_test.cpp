// Gradients with respect to every parameter of robot files, against differences of models with other values.

#include "cuttle/algorithms/parameter_gradient.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/io/robot_file.h"
#include "support/parameter_robots.h"
#include "support/random_state.h"

namespace cuttle {
namespace {

using test::ParameterRobot;
using Wide = long double;

/// Generalized force, then acceleration. In long double: what rounds is the parameter and what the reader makes of it.
VectorXT<Wide> forces_and_accelerations(const Model& model, const test::RandomState& state, const VectorXd& tau) {
  const ModelT<Wide> wide(model.robot().cast<Wide>());
  DataT<Wide> data(wide);
  const auto in = [](const VectorXd& x) -> VectorXT<Wide> { return x.cast<Wide>(); };
  VectorXT<Wide> both(2 * model.nv());
  both << inverse_dynamics(wide, data, in(state.q), in(state.v), in(state.a)),
      forward_dynamics(wide, data, in(state.q), in(state.v), in(tau));
  return both;
}

/// Slope of f at x, to order 6 in the step.
struct Slope {
  VectorXd value;
  double step = 0.0;  ///< 0: f is defined nowhere beside x
};

/// @param f  throws ModelError where it is not defined; then the differences are one-sided, or the step smaller.
template <typename F>
Slope slope_of(const F& f, double x) {
  // 2^-9: the seventh derivative times 1e-17; the differences' rounding is some 2 eps / step of f's scale
  const double scale = x == 0.0 ? 1.0 : std::exp2(std::round(std::log2(std::abs(x))));
  for (double step = 0x1p-9 * scale; step > 1e-10 * scale; step *= 0x1p-4) {
    const auto at = [&](int k) { return f(x + k * step); };
    const auto slope = [&](const auto& sum) { return Slope{(sum / (60 * Wide(step))).template cast<double>(), step}; };
    try {
      const VectorXT<Wide> sum = 45.0L * (at(1) - at(-1)) - 9.0L * (at(2) - at(-2)) + at(3) - at(-3);
      return slope(sum);
    } catch (const ModelError&) {
    }
    for (const int side : {1, -1}) {
      try {
        const VectorXT<Wide> sum = -147.0L * at(0) + 360.0L * at(side) - 450.0L * at(2 * side) + 400.0L * at(3 * side) -
                                   225.0L * at(4 * side) + 72.0L * at(5 * side) - 10.0L * at(6 * side);
        Slope result = slope(sum);
        result.value *= side;
        return result;
      } catch (const ModelError&) {
      }
    }
  }
  return {};
}

class EveryParameter : public testing::TestWithParam<ParameterRobot> {};

TEST_P(EveryParameter, GradientsAgreeWithDifferences) {
  const Model model(read_robot_text(GetParam().text, GetParam().name));
  test::Random random(11);
  const test::RandomState state = test::random_state(model, random, 1.0);
  Data data(model);
  const VectorXd tau = inverse_dynamics<double>(model, data, state.q, state.v, state.a);
  const VectorXd acceleration = forward_dynamics<double>(model, data, state.q, state.v, tau);
  std::vector<std::string> paths;
  for (const ParameterInfo& parameter : model.parameters()) paths.push_back(parameter.path);
  const MatrixXd force_gradient = inverse_dynamics_gradient(model, paths, state.q, state.v, state.a);
  const MatrixXd acceleration_gradient = forward_dynamics_gradient(model, paths, state.q, state.v, tau);
  ASSERT_EQ(force_gradient.cols(), std::ssize(paths));

  const int n = model.nv();
  int effective = 0;
  double worst_force = 0.0, worst_acceleration = 0.0;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    SCOPED_TRACE(paths[k]);
    const double value = model.parameter(paths[k]).value;
    const auto f = [&](double x) { return forces_and_accelerations(model.with(paths[k], x), state, tau); };
    const Slope slope = slope_of(f, value);
    if (slope.step == 0.0) {
      // no other value is possible: a point mass has no products of inertia
      EXPECT_THAT(paths[k], testing::HasSubstr("inertia["));
      EXPECT_EQ(value, 0.0);
      continue;
    }
    // The reader's own roundings (rotations, unit axes) are those of double, at every point of the difference.
    const double rounding = 100 * std::numeric_limits<double>::epsilon() / slope.step;
    const auto expect_near = [&](const VectorXd& found, const VectorXd& expected, double size, double relative) {
      const double scale = relative * expected.norm() + rounding * size;
      EXPECT_LE((found - expected).norm(), scale) << "step " << slope.step << "\nfound " << found.transpose()
                                                  << "\nexpected " << expected.transpose();
      const double error = (found - expected).norm() / expected.norm();
      return expected.norm() > 1e5 * rounding * size ? error : 0.0;
    };
    worst_force = std::max(worst_force, expect_near(force_gradient.col(k), slope.value.head(n), tau.norm(), 1e-9));
    // the acceleration's rounding grows by the condition of the mass matrix
    worst_acceleration = std::max(worst_acceleration, expect_near(acceleration_gradient.col(k), slope.value.tail(n),
                                                                  acceleration.norm(), 1e-7));
    if (slope.value.norm() > 1e-6) ++effective;
  }
  fmt::print("{}: {} parameters, {} with an effect, worst {:.1e} {:.1e}\n", GetParam().name, paths.size(), effective, worst_force, worst_acceleration);
  EXPECT_GT(effective, static_cast<int>(paths.size()) / 3);
}

INSTANTIATE_TEST_SUITE_P(Robots, EveryParameter, testing::ValuesIn(test::parameter_robots()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace cuttle
