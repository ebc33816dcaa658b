// Derivatives of equilibria and of modes of bodies of more coordinates than matrices are made for: against differences
// of equilibria that are found anew, and against laws of scale. Parameters from tables of such equilibria.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "algorithms/rest_tangent.h"
#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/equilibrium_table.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/mode_gradient.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "cuttle/identification/identification.h"
#include "cuttle/io/robot_file.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* k_head = R"(cuttle: 1
gravity: [0.5, 0.3, -9.0]
materials: {rubber: {model: neo_hookean, density: 1000, c1: 5.0e+4, lame_lambda: 2.0e+5, damping_time: 0.01}}
)";
constexpr const char* k_tube = R"(links:
- name: tube
  body: {type: volume, shape: {type: mesh, file: tube.msh}, material: rubber, kinematics: {type: fem, full: true}}
- {name: weight, joint: {type: revolute, axis: [1, 0, 0], stiffness: 0.05}, body: {type: rigid, mass: 0.05, com: [0.004, 0, 0.03], inertia: [2.0e-5, 1.0e-5, 1.5e-5, 0, 0, 0], tip: {position: [0, 0, 0.05]}}}
actuators:
- {name: air, type: chamber, link: tube, surface: hole, lag: 0.02}
- {name: string, type: tendon, routing: [{link: tube, points: [[0.011, 0, 0.001], [0.011, 0, 0.05], [0.011, 0, 0.099]]}]}
)";
constexpr const char* k_pin = R"(loops:
- {name: pin, type: spherical, a: {link: weight, at: tip}, b: {link: base, pose: {position: [0, 0, 0.15]}}}
)";

/// A robot of a file beside a tube of `layers` of bricks with a square hole.
Robot read_tube(const std::string& text, int layers) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("cuttle_mesh_equilibria_" + std::to_string(layers));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tube.msh") << msh_text(ring_mesh({0.03, 0.03, 0.1}, layers), "2.2");
  std::ofstream(folder / "robot.yaml") << text;
  Robot robot = read_robot_file((folder / "robot.yaml").string());
  std::filesystem::remove_all(folder);
  return robot;
}
Model tube(int layers, bool closed) {
  return Model(read_tube(std::string(k_head) + k_tube + (closed ? k_pin : ""), layers));
}

RestLoads blown() {
  RestLoads loads;
  loads.u.resize(2);
  loads.u << 2e3, 0.6;
  return loads;
}

VectorXd rest_of(const Model& model, const RestLoads& loads, const VectorXd& from) {
  Data data(model);
  return static_equilibrium(model, data, static_loads(model, loads), from).q;
}

/// A difference quotient of order four.
template <typename Along>
VectorXd slope_along(const Along& along, double step) {
  return (8.0 * (along(step) - along(-step)) - (along(2 * step) - along(-2 * step))) / (12.0 * step);
}

// What the tree solves is what dense elimination solves with the stiffness of matrices, and so are transposed
// solutions.
TEST(MeshEquilibria, TangentsAreThoseOfMatrices) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model = tube(4, closed);
    ASSERT_LT(model.nv(), 600);
    Data data(model);
    const StaticLoads loads = static_loads(model, blown());
    const StaticEquilibrium at = static_equilibrium(model, data, loads, model.neutral());
    RestTangent tangent(model, data, loads, at);
    ASSERT_TRUE(tangent.follows_tree());
    EXPECT_FALSE(tangent.is_singular());
    const MatrixXd forces = tangent.input_forces();

    StaticProblem problem(model, data, loads, at.q, Stepping::imbalance);
    problem.begin(at.q, 1.0);
    const int nv = model.nv(), n = nv + problem.kept();
    MatrixXd matrix = MatrixXd::Zero(n, n);
    matrix.topLeftCorner(nv, nv) = problem.stiffness(problem.kept_of(at.multipliers));
    matrix.topRightCorner(nv, n - nv) = problem.jacobian().transpose();
    matrix.bottomLeftCorner(n - nv, nv) = problem.jacobian();
    EXPECT_LT((forces - problem.input_forces()).norm(), 1e-12 * forces.norm());
    const MatrixXd right = MatrixXd::Random(n, 3);
    const MatrixXd expected = matrix.fullPivLu().solve(right), back = matrix.transpose().fullPivLu().solve(right);
    EXPECT_LT((tangent.solve(right) - expected).norm(), 1e-8 * expected.norm());
    EXPECT_LT((tangent.solve_transposed(right) - back).norm(), 1e-8 * back.norm());
  }
}

TEST(MeshEquilibria, FollowTheirInputs) {
  for (const bool closed : {false, true}) {
    SCOPED_TRACE(closed);
    const Model model = tube(14, closed);
    ASSERT_GT(model.nv(), 600);
    Data data(model);
    const RestLoads loads = blown();
    const StaticEquilibrium at = static_equilibrium(model, data, static_loads(model, loads), model.neutral());
    const MatrixXd slopes = equilibrium_by_inputs(model, data, loads, at);
    VectorXd way(2);
    way << 1e3, -0.2;
    const auto along = [&](double h) {
      RestLoads moved = loads;
      moved.u += h * way;
      return rest_of(model, moved, at.q);
    };
    const VectorXd expected = slope_along(along, 0.02);
    EXPECT_GT(expected.norm(), 0.0);
    EXPECT_LT((slopes * way - expected).norm(), 1e-6 * expected.norm());
  }
}

// A tube that lies against the ground with friction, pulled along it by its string.
TEST(MeshEquilibria, ThatRubFollowTheirInputs) {
  const Model model(read_tube(R"(cuttle: 1
gravity: [0, -9.81, 0]
materials: {rubber: {model: neo_hookean, density: 1000, c1: 5.0e+4, lame_lambda: 2.0e+5}}
obstacles:
- {name: ground, shape: plane, pose: {position: [0, -0.0155, 0], rpy: [-1.5707963267948966, 0, 0]}}
links:
- name: tube
  body: {type: volume, shape: {type: mesh, file: tube.msh}, material: rubber, kinematics: {type: fem, full: true}}
actuators:
- {name: string, type: tendon, routing: [{link: tube, points: [[0.011, 0, 0.001], [0.011, 0, 0.05], [0.011, 0, 0.099]]}]}
contacts: [{name: touch, a: tube, b: ground, modulus: 2.0e+4, friction: 0.5}]
)",
                              14));
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const auto rest = [&](double pull) {
    StaticLoads acting = static_loads(model, {VectorXd::Constant(1, pull), 0.0, {}});
    acting.start = model.neutral();
    return static_equilibrium(model, data, acting, model.neutral());
  };
  const StaticEquilibrium at = rest(0.4);
  EXPECT_GT(at.site_states.cwiseAbs().maxCoeff(), 0.0);
  const VectorXd found = equilibrium_by_inputs(model, data, {VectorXd::Constant(1, 0.4), 0.0, {}}, at).col(0);
  const double h = 5e-4;
  const VectorXd expected = (rest(0.4 + h).q - rest(0.4 - h).q) / (2 * h);
  EXPECT_LT((found - expected).norm(), 1e-5 * expected.norm());
}

TEST(MeshEquilibria, FollowNumbersOfTheRobot) {
  const Model model = tube(14, true);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const RestLoads loads = blown();
  const StaticEquilibrium at = static_equilibrium(model, data, static_loads(model, loads), model.neutral());
  const std::vector<std::string> paths = {"materials.rubber.c1",
                                          "materials.rubber.density",
                                          "links.weight.body.mass",
                                          "links.weight.joint.stiffness",
                                          "actuators.string.routing[0].points[1][0]",
                                          "gravity[0]"};
  const std::vector<double> way = {3e3, 40.0, 0.01, 0.01, 1e-3, 0.5};
  const ModelT<ForwardDual> variable = differentiate(model, paths);
  VariedRest varied(variable, model);
  EquilibriumTangent(model, data, loads, at).vary({loads.u.cast<ForwardDual>(), loads.time, {}}, varied);
  VectorXd found = VectorXd::Zero(model.nq());
  for (int i = 0; i < model.nq(); ++i) {
    for (std::size_t k = 0; k < paths.size(); ++k) found[i] += varied.q[i].derivative[k] * way[k];
  }
  const auto along = [&](double h) {
    std::vector<ParameterChange> changes;
    for (std::size_t k = 0; k < paths.size(); ++k) {
      changes.push_back({paths[k], model.parameter(paths[k]).value + h * way[k]});
    }
    return rest_of(model.with(changes), loads, at.q);
  };
  const VectorXd expected = slope_along(along, 0.05);
  EXPECT_GT(expected.norm(), 0.0);
  EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm());
}

// What floats without weight rests anywhere.
TEST(MeshEquilibria, ThatNothingHoldsHaveNoDerivatives) {
  const Model model(read_tube(R"(cuttle: 1
gravity: [0, 0, 0]
base: {motion: floating}
materials: {rubber: {model: neo_hookean, density: 1000, c1: 5.0e+4, lame_lambda: 2.0e+5}}
links:
- name: tube
  body: {type: volume, shape: {type: mesh, file: tube.msh}, material: rubber, kinematics: {type: fem, full: true}}
)",
                              14));
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  StaticEquilibrium at;
  at.q = model.neutral();
  EXPECT_THAT([&] { EquilibriumTangent(model, data, {}, at); },
              ThrowsMessage<StaticsError>(HasSubstr("singular stiffness")));
}

// Without loads there are two times, sqrt(density / c1), where lambda grows with c1, and the damping time: frequencies
// are those of the first by a function of their ratio, and damping ratios such functions.
TEST(MeshEquilibria, HaveModesByLawsOfScale) {
  std::string text = std::string(k_head) + k_tube;
  text.replace(text.find("gravity: [0.5, 0.3, -9.0]"), 25, "gravity: [0, 0, 0]");
  text.replace(text.find("damping_time: 0.01"), 18, "damping_time: 0.001");
  text = text.substr(0, text.find("- {name: weight"));
  const Model model(read_tube(text, 14));
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const StaticEquilibrium at = static_equilibrium(model, data, {}, model.neutral());
  const std::vector<std::string> paths = {"materials.rubber.c1", "materials.rubber.lame_lambda",
                                          "materials.rubber.density", "materials.rubber.damping_time"};
  const ModelT<ForwardDual> variable = differentiate(model, paths);
  VariedRest varied(variable, model);
  EquilibriumTangent(model, data, {}, at).vary({}, varied);
  constexpr std::size_t k_modes = 3;
  const auto found = ModeTangent(model, data, {}, at, static_cast<int>(k_modes)).vary({}, k_modes, varied);
  const std::vector<Mode> known = lowest_modes(model, data, {}, at, static_cast<int>(k_modes));
  const auto along = [&](double h) {
    const Model moved = model.with(paths[3], 0.001 * (1.0 + h));
    Data its_data(moved);
    VectorXd frequencies(k_modes);
    const std::vector<Mode> modes = lowest_modes(moved, its_data, {}, at, static_cast<int>(k_modes));
    for (std::size_t i = 0; i < k_modes; ++i) frequencies[static_cast<Eigen::Index>(i)] = modes[i].frequency();
    return frequencies;
  };
  const VectorXd by_times = slope_along(along, 0.1);
  for (std::size_t i = 0; i < k_modes; ++i) {
    const auto& [frequency, ratio] = found[i];
    const double f = frequency.value, z = ratio.value;
    EXPECT_NEAR(f, known[i].frequency(), 1e-9 * f);
    const double by_time = frequency.derivative[3] * 0.001, ratio_by_time = ratio.derivative[3] * 0.001;
    EXPECT_NEAR(frequency.derivative[0] * 5e4 + frequency.derivative[1] * 2e5, 0.5 * (f + by_time), 1e-8 * f);
    EXPECT_NEAR(frequency.derivative[2] * 1000.0, -0.5 * (f + by_time), 1e-8 * f);
    EXPECT_NEAR(ratio.derivative[0] * 5e4 + ratio.derivative[1] * 2e5, 0.5 * ratio_by_time, 1e-8 * z);
    EXPECT_NEAR(ratio.derivative[2] * 1000.0, -0.5 * ratio_by_time, 1e-8 * z);
    EXPECT_NEAR(ratio_by_time, z, 1e-3 * z);
    EXPECT_NEAR(by_time, by_times[static_cast<Eigen::Index>(i)], 1e-6 * f);
  }
}

// A table of pressures and pulls, and how the tip stands under each: it tells c1.
TEST(MeshEquilibria, TellParametersOfTheRobot) {
  std::string text = std::string(k_head) + k_tube;
  const auto lag = text.find(", lag: 0.02");
  text.erase(lag, 11);
  const Model model(read_tube(text, 14));
  ASSERT_GT(model.nv(), 600);
  const std::string name = "materials.rubber.c1";
  const Model truth = model.with(name, 5.6e4);
  MeasuredTable table{"bent.csv",
                      {{"air", "", {1e3, 2.5e3}},
                       {"string", "", {0.3, 0.8}},
                       {"weight.tip.x", "", {0.0, 0.0}},
                       {"weight.tip.z", "", {0.0, 0.0}}},
                      {},
                      2};
  Data data(truth);
  const EquilibriumTable rests(truth, static_loads(truth, {}), truth.neutral(), {"air", "string"});
  MatrixXd inputs(2, 2);
  inputs << 1e3, 0.3, 2.5e3, 0.8;
  const auto rows = rests.solve(inputs);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(rows[i].found) << rows[i].trouble;
    const Vector3 tip =
        forward_kinematics<double>(truth, data, rows[i].found->q).pose(truth.links().back().tip).position;
    table.numbers[2].values[i] = tip.x, table.numbers[3].values[i] = tip.z;
  }
  const auto experiment = make_equilibrium_experiment(model, table, {});
  const Identification found =
      identify(model, {parse_free_parameter(model, name, table.names())}, {experiment.get()}, {});
  EXPECT_EQ(found.status, LeastSquaresStatus::converged);
  EXPECT_NEAR(found.values[0], 5.6e4, 5.6e4 * 1e-6);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
