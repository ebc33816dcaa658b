// Gradients with respect to every parameter of robot files, against differences of models with other values.

#include "cuttle/algorithms/parameter_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/io/robot_file.h"
#include "io/io_support.h"
#include "support/parameter_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::ParameterRobot;
using Wide = long double;

/// Any inputs.
template <typename S>
VectorXT<S> inputs_of(const ModelT<S>& model) {
  VectorXT<S> u(model.nu());
  for (int k = 0; k < model.nu(); ++k) u[k] = S(1.0 + 0.3 * k);
  return u;
}

/// Generalized force of these inputs, then actuation coordinates, then how far loops are open: the
/// squared residual, since rows may stand in other axes where a parameter moves a loop's axis off a coordinate axis.
template <typename S>
VectorXT<S> actuation(const ModelT<S>& model, const VectorXT<S>& q) {
  DataT<S> data(model);
  ConstraintDataT<S> constraints(model);
  VectorXT<S> all(model.nv() + model.nu() + 1);
  all.head(model.nv()) = actuation_force<S>(model, data, q, inputs_of(model));
  all.segment(model.nv(), model.nu()) = actuation_coordinates<S>(model, data, q);
  all.tail(1)[0] = S(0.0);
  for (const S& x : constraint_residual<S>(model, data, constraints, q)) all.tail(1)[0] += x * x;
  return all;
}
/// One column a path.
MatrixXd actuation_gradient(const Model& model, const std::vector<std::string>& paths, const VectorXd& q) {
  MatrixXd gradient(model.nv() + model.nu() + 1, std::ssize(paths));
  for (std::size_t first = 0; first < paths.size(); first += k_forward_width) {
    const auto last = std::min(paths.size(), first + k_forward_width);
    const ModelT<ForwardDual> variable = differentiate(model, {paths.begin() + first, paths.begin() + last});
    const VectorXT<ForwardDual> both = actuation<ForwardDual>(variable, q.cast<ForwardDual>());
    for (std::size_t k = first; k < last; ++k) {
      for (Eigen::Index i = 0; i < both.size(); ++i) gradient(i, k) = both[i].derivative[k - first];
    }
  }
  return gradient;
}

/// Generalized force, acceleration, then what the inputs do. In long double: what rounds is the parameter and what the
/// reader makes of it.
VectorXT<Wide> everything(const Model& model, const test::RandomState& state, const VectorXd& tau) {
  const ModelT<Wide> wide(model.robot().cast<Wide>());
  DataT<Wide> data(wide);
  const auto in = [](const VectorXd& x) -> VectorXT<Wide> { return x.cast<Wide>(); };
  VectorXT<Wide> all(3 * model.nv() + model.nu() + 1);
  all << inverse_dynamics(wide, data, in(state.q), in(state.v), in(state.a)),
      forward_dynamics(wide, data, in(state.q), in(state.v), in(tau)), actuation<Wide>(wide, in(state.q));
  return all;
}

/// Slope of f at x, to order 6 in the step.
struct Slope {
  VectorXd value;
  double step = 0.0;       ///< 0: f is defined nowhere beside x
  double roundings = 1.0;  ///< of f that the difference adds up, in those of a central one
};

/// @param f     throws ModelError where it is not defined; then the differences are one-sided, or the step smaller.
/// @param unit   size of what is not small, for x = 0.
/// @param first  largest step, relative to x. 2^-9: the seventh derivative times 1e-17; the differences' rounding is
/// some
///               2 eps / step of f's scale.
template <typename F>
Slope slope_of(const F& f, double x, double unit, double first) {
  const double scale = x == 0.0 ? unit : std::exp2(std::round(std::log2(std::abs(x))));
  for (double step = first * scale; step > 1e-10 * scale; step *= 0x1p-4) {
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
        result.roundings = 15.0;
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
  const MatrixXd actuated_gradient = actuation_gradient(model, paths, state.q);
  const VectorXd actuated = actuation<double>(model, state.q);
  ASSERT_EQ(force_gradient.cols(), std::ssize(paths));

  // rounding of the acceleration, which grows by the condition of the mass matrix: what double and long double differ
  // in
  const VectorXd wide = everything(model, state, tau).segment(model.nv(), model.nv()).cast<double>();
  const double condition = (acceleration - wide).norm() / acceleration.norm();
  const int n = model.nv();
  // elastic forces that nearly cancel each round by themselves: what they would do if nothing balanced them
  const double unbalanced = forward_dynamics<double>(model, data, state.q, state.v, VectorXd::Zero(n)).norm();
  int effective = 0;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    SCOPED_TRACE(paths[k]);
    // documented: gradients do not go through the eigenproblem of the modes, which this ratio decides
    if (paths[k] == "materials.jelly.poisson_ratio") continue;
    // differences cannot follow the flanks of the bumps of a radial body, where its chamber ends
    if (GetParam().name == "simulation4" && paths[k].find("pocket.width") != std::string::npos) continue;
    // its tendons' stretches meet: the straight one between them has no length, and no derivative as one end moves
    const bool is_end = paths[k].ends_with(".to") || paths[k].ends_with(".from");
    if (GetParam().name == "tendon_robot_v4" && is_end) continue;
    // shapes of their rods that hardly move anything have 1e-7 of its inertia, which armature adds to
    if (GetParam().name == "inchworm" && paths[k] == "links.body.joint.armature") continue;
    if (GetParam().name == "draped_rope" && paths[k] == "links.rope.joint.armature") continue;
    const double value = model.parameter(paths[k]).value;
    const bool is_inertia = model.parameter(paths[k]).unit == "kg m^2";
    const auto f = [&](double x) { return everything(model.with(paths[k], x), state, tau); };
    // the direction of a tendon's straight stretch of millimeters turns within them
    const double first = model.tendons().empty() ? 0x1p-9 : 0x1p-14;
    const Slope slope = slope_of(f, value, is_inertia ? 0x1p-16 : 0x1p-10, first);
    if (slope.step == 0.0) {
      // no other value is possible: a point mass has no products of inertia, nor do springs of 0 have a coupling
      EXPECT_THAT(paths[k], testing::AnyOf(testing::HasSubstr("inertia["), testing::HasSubstr("coupling_stiffness")));
      EXPECT_EQ(value, 0.0);
      continue;
    }
    // The reader's own roundings (rotations, unit axes) are those of double, at every point of the difference.
    const double rounding = 100 * std::numeric_limits<double>::epsilon() / slope.step * slope.roundings;
    const auto expect_near = [&](const VectorXd& found, const VectorXd& expected, double size, double relative) {
      EXPECT_LE((found - expected).norm(), relative * expected.norm() + rounding * size)
          << "step " << slope.step << "\nfound " << found.transpose() << "\nexpected " << expected.transpose();
    };
    expect_near(force_gradient.col(k), slope.value.head(n), tau.norm(), 1e-9);
    expect_near(acceleration_gradient.col(k), slope.value.segment(n, n), acceleration.norm() + unbalanced,
                1e-9 + 100 * condition);
    expect_near(actuated_gradient.col(k).head(n), slope.value.segment(2 * n, n), actuated.head(n).norm(), 1e-9);
    const Eigen::Index rest = actuated.size() - n;
    expect_near(actuated_gradient.col(k).tail(rest), slope.value.tail(rest), 1.0, 1e-9);  // lengths of 1 m
    if (slope.value.norm() > 1e-6) ++effective;
  }
  // numbers of contacts say something where it touches alone
  EXPECT_GT(effective, static_cast<int>(paths.size()) / (model.site_laws().empty() ? 3 : 5));
}

INSTANTIATE_TEST_SUITE_P(Robots, EveryParameter, testing::ValuesIn(test::parameter_robots()),
                         [](const auto& robot) { return robot.param.name; });

// --- the front door

const char* const k_arm = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1070, young_modulus: 5e5}}
links:
  - {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.03}, material: silicone, quadrature: {points: 3}, strain: pcc}}
  - {name: hand, body: {type: rigid, mass: 0.2, com: [0, 0, 0.1]}}
)";

TEST(ParameterGradient, DifferentiatedModelsServeEveryAlgorithm) {
  const Model model(read_robot_text(k_arm, "arm.yaml"));
  const ModelT<ForwardDual> variable =
      differentiate(model, {"gravity[2]", "links.hand.body.mass", "links.hand.body.mass"});
  DataT<ForwardDual> data(variable);
  const VectorXT<ForwardDual> q = model.neutral().cast<ForwardDual>();
  const ForwardDual energy = gravity_energy(variable, data, q);
  // hanging along z: rod of mass m in the middle of 0.3 m, hand of 0.2 kg at 0.4 m
  const double rod = 1070 * 3.14159265358979323846 * 0.03 * 0.03 * 0.3;
  EXPECT_NEAR(energy.value, 9.81 * (rod * 0.15 + 0.2 * 0.4), 1e-13);
  EXPECT_NEAR(energy.derivative[0], -(rod * 0.15 + 0.2 * 0.4), 1e-14);
  EXPECT_NEAR(energy.derivative[1], 9.81 * 0.4, 1e-14);
  EXPECT_EQ(energy.derivative[2], energy.derivative[1]) << "one number in two directions";
  for (int k = 3; k < k_forward_width; ++k) EXPECT_EQ(energy.derivative[k], 0.0);
}

TEST(ParameterGradient, FollowsChangedParametersAndMarkers) {
  Robot robot = read_robot_text(k_arm, "arm.yaml");
  robot.markers.push_back({.name = "camera", .place = {"upper", PortLocation::section(0.1), {}}});
  const Model model(robot);
  const ModelT<ForwardDual> variable =
      differentiate(model.with("links.upper.body.length", 0.5), {"links.upper.body.length"});
  EXPECT_EQ(variable.robot().markers.size(), 1u);
  EXPECT_NO_THROW(variable.marker_frame("camera"));
  DataT<ForwardDual> data(variable);
  const ForwardDual energy = gravity_energy<ForwardDual>(variable, data, model.neutral().cast<ForwardDual>());
  const double per_meter = 1070 * 3.14159265358979323846 * 0.03 * 0.03;
  EXPECT_NEAR(energy.value, 9.81 * (per_meter * 0.5 * 0.25 + 0.2 * 0.6), 1e-13);
  EXPECT_NEAR(energy.derivative[0], 9.81 * (per_meter * 0.5 + 0.2), 1e-13);
}

TEST(ParameterGradient, TakesAnyNumberOfPathsAnyOrder) {
  const Model model(read_robot_text(test::parameter_robots()[0].text, "rods.yaml"));
  test::Random random(3);
  const test::RandomState state = test::random_state(model, random, 1.0);
  std::vector<std::string> paths;
  for (const ParameterInfo& parameter : model.parameters()) paths.push_back(parameter.path);
  const MatrixXd all = inverse_dynamics_gradient(model, paths, state.q, state.v, state.a);
  const MatrixXd none = inverse_dynamics_gradient(model, {}, state.q, state.v, state.a);
  EXPECT_EQ(none.rows(), model.nv());
  EXPECT_EQ(none.cols(), 0);
  for (const std::size_t k : {std::size_t(0), std::size_t(7), std::size_t(8), paths.size() - 1}) {
    const MatrixXd one = inverse_dynamics_gradient(model, {paths[k]}, state.q, state.v, state.a);
    // in other company a port may have a step of its own: rounding
    EXPECT_LE((one - all.col(k)).norm(), 1e-12 * (all.col(k).norm() + 1.0)) << paths[k];
  }
}

TEST(ParameterGradient, AnEndThatFollowsTheRodDoesSoInAnyCompany) {
  const Model model(read_robot_text(R"(cuttle: 1
materials: {rubber: {density: 1100, young_modulus: 3e5, poisson_ratio: 0.45}}
links:
  - name: arm
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: 0.01}
      strain: {kappa_x: {basis: legendre, order: 2}, kappa_y: constant, sigma_z: constant}
      material: rubber
actuators:
  - {name: pull, type: tendon, routing: [{link: arm, offset: [0.006, 0.002]}]}
)",
                                    "arm.yaml"));
  test::Random random(5);
  const test::RandomState state = test::random_state(model, random, 1.0);
  const std::string length = "links.arm.body.length", to = "actuators.pull.routing[0].to";
  const Model given = model.with(to, model.parameter(to).value);
  const auto differences = [&](const Model& of, const std::string& path) -> VectorXd {
    const auto f = [&](double x) {
      return actuation<Wide>(ModelT<Wide>(of.with(path, x).robot().cast<Wide>()), state.q.cast<Wide>());
    };
    return slope_of(f, of.parameter(path).value, 1.0, 0x1p-9).value;
  };
  std::vector<std::string> all{length};
  for (const ParameterInfo& parameter : model.parameters()) all.push_back(parameter.path);
  all.push_back(length);
  ASSERT_GT(std::ssize(all), k_forward_width);
  const VectorXd expected = differences(model, length), held = differences(given, length);
  EXPECT_GT((expected - held).norm(), 0.1);  // the tendon's length, by that of the rod
  for (const std::vector<std::string>& paths :
       {std::vector<std::string>{length}, {length, to}, {to, length}, all, {length, "gravity[2]", to}}) {
    const MatrixXd found = actuation_gradient(model, paths, state.q),
                   of_given = actuation_gradient(given, paths, state.q);
    for (std::size_t k = 0; k < paths.size(); ++k) {
      SCOPED_TRACE(paths[k]);
      if (paths[k] == to) {
        EXPECT_LE((found.col(k) - differences(model, to)).norm(), 1e-8);
      } else if (paths[k] == length) {
        EXPECT_LE((found.col(k) - expected).norm(), 1e-8);
        EXPECT_LE((of_given.col(k) - held).norm(), 1e-8);
      }
    }
  }
  EXPECT_LE((expected - held - differences(given, to)).norm(), 1e-7);  // the chain rule
}

TEST(ParameterGradient, ErrorsSayWhatIsWrong) {
  const Model model(read_robot_text(k_arm, "arm.yaml"));
  const VectorXd zero = VectorXd::Zero(model.nv());
  const auto error = [&](const std::string& path) {
    return message<ArgumentError>([&] { forward_dynamics_gradient(model, {path}, zero, zero, zero); });
  };
  EXPECT_EQ(error("links.hand.body.mas"),
            "parameter: found 'links.hand.body.mas', which 'arm' does not have (arm.yaml); did you mean "
            "'links.hand.body.mass'?");
  EXPECT_THAT(error("links.upper.body.quadrature.points"),
              testing::HasSubstr("which is no parameter (3 at arm.yaml:5"));
  EXPECT_EQ(message<ArgumentError>([&] { differentiate(model, std::vector<std::string>(9, "gravity[2]")); }),
            "parameters: found 9 paths, expected at most 8 to differentiate by at once");
  EXPECT_THAT(
      message<ArgumentError>([&] { inverse_dynamics_gradient(model, {"gravity[2]"}, VectorXd::Zero(1), zero, zero); }),
      testing::HasSubstr("q: found size 1, expected 4"));
}

TEST(ParameterGradient, RefusesABreakThatLeavesAnother) {
  const char* const text = R"(cuttle: 1
links:
  - name: arm
    body: {type: rod, length: 0.4, stiffness: [1, 1, 1, 9, 9, 9], mass_per_length: 1, rotary_inertia: [1, 1, 1], strain: {kappa_x: {basis: piecewise, breaks: [0.2]}, kappa_y: {basis: piecewise, breaks: [0.2]}}}
)";
  const Model model(read_robot_text(text, "arm.yaml"));
  EXPECT_NO_THROW(differentiate(model, {"links.arm.body.length"}));
  EXPECT_THAT(
      message<ModelError>([&] { differentiate(model, {"links.arm.body.strain.kappa_y.breaks[0]"}); }),
      testing::HasSubstr("arm.yaml:4:122: links[0].body.strain: found breaks of two components in one place, 0.2 "
                         "m, and derivatives by one of them"));
}

TEST(ParameterGradient, ThreadsShareOneModel) {
  const Model model(read_robot_text(k_arm, "arm.yaml"));
  const VectorXd q = VectorXd::Constant(model.nv(), 0.1);
  const std::vector<std::string> paths{"links.upper.body.length", "gravity[0]"};
  const MatrixXd expected = inverse_dynamics_gradient(model, paths, q, q, q);
  std::vector<MatrixXd> found(4);
  std::vector<double> lengths(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      found[i] = inverse_dynamics_gradient(model, paths, q, q, q);
      lengths[i] = model.with("links.upper.body.length", 0.3 + i).parameter("links.upper.body.length").value;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE((found[i].array() == expected.array()).all());
    EXPECT_EQ(lengths[i], 0.3 + i);
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
