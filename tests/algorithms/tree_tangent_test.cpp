// The tangent that follows the tree against the dense one, of every kind of joint and body.

#include "algorithms/tree_tangent.h"

#include <gtest/gtest.h>

#include <string>

#include "algorithms/tendon_robots.h"
#include "algorithms/transmissions.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

VectorXd random_vector(int size, Random& random) {
  VectorXd x(size);
  for (double& entry : x) entry = random.uniform(-1.0, 1.0);
  return x;
}

/// Largest difference beside the largest entry.
double difference(const VectorXd& found, const VectorXd& expected) {
  return (found - expected).norm() / (1e-12 + expected.norm());
}

/// In the coordinates of a step of length h, as implicit methods ask for it.
/// @param couplings  numbers that act across links besides.
void expect_dense(const Model& model, Random& random, double h, bool with_wrenches, const std::string& name,
                  int couplings = 0) {
  SCOPED_TRACE(name + ", step " + std::to_string(h));
  const RandomState state = random_state(model, random);
  const VectorXd x = 0.1 * random_vector(model.nv(), random), w_rate = random_vector(model.nv(), random);
  VectorXd u(model.nu());
  for (double& effort : u) effort = random.uniform(0.5, 3.0);
  std::vector<ExternalWrench> external;
  for (int i = 0; with_wrenches && i < 4; ++i) {
    ExternalWrench e;
    e.frame = model.links()[random.index(static_cast<int>(model.links().size()))].tip;
    for (int k = 0; k < 6; ++k) e.wrench[k] = random.uniform(-2.0, 2.0);
    e.axes = i % 2 == 0 ? Axes::world : Axes::body;
    external.push_back(e);
  }
  const Actions actions{&u, external};
  const double scale = 0.3 * h * h, rate = 0.55 * h;

  Data data(model);
  DerivativeData d(model);
  inverse_dynamics_derivatives(model, data, d, state.q, state.v, state.a, actions);
  const auto random_matrix = [&random](int rows, int columns) {
    MatrixXd m(rows, columns);
    for (int k = 0; k < columns; ++k) m.col(k) = random_vector(rows, random);
    return m;
  };
  const MatrixXd outer = random_matrix(model.nv(), couplings), by_q = random_matrix(couplings, model.nv()),
                 by_v = random_matrix(couplings, model.nv());
  d.by_q += outer * by_q, d.by_v += outer * by_v;
  const StepCoordinates coordinates(model);
  MatrixXd dense(model.nv(), model.nv());
  coordinates.chain(x, w_rate, state.q, state.v, scale, rate, 1.0, d.by_q, d.by_v, d.by_a, dense);

  ASSERT_TRUE(acts_within_bodies(model, TransmissionSet::actuators));
  TreeDerivatives derivatives(model);
  derivatives.take(model, data, state.q, state.v, state.a, actions);
  if (couplings > 0) derivatives.couple(outer, by_q, by_v);
  StepDirections directions;
  coordinates.directions(x, w_rate, state.q, state.v, scale, rate, 1.0, directions);
  TreeTangent tangent(model);
  derivatives.form(model, directions, tangent);
  tangent.factor();

  const Eigen::FullPivLU<MatrixXd> lu(dense);
  const double condition = 1.0 / lu.rcond();
  // backward error: of what is solved for, put in again
  const auto left = [](const MatrixXd& matrix, const VectorXd& found, const VectorXd& right) {
    return (matrix * found - right).norm() / (matrix.norm() * found.norm() + right.norm());
  };
  for (int i = 0; i < 3; ++i) {
    const VectorXd right = random_vector(model.nv(), random);
    VectorXd found;
    tangent.multiply(right, found);
    EXPECT_LT(difference(found, dense * right), 1e-11);
    tangent.solve(right, found);
    EXPECT_LT(left(dense, found, right), 1e-13);
    EXPECT_LT(difference(found, lu.solve(right)), 1e-13 * condition + 1e-11);
    VectorXd back;
    tangent.solve_transposed(right, back);
    EXPECT_LT(left(dense.transpose(), back, right), 1e-13) << "transposed";
    // the same matrix both ways: y . T^-1 x = x . T^-T y
    const VectorXd other = random_vector(model.nv(), random);
    VectorXd forth;
    tangent.solve(other, forth);
    EXPECT_NEAR(back.dot(other), right.dot(forth), (1e-13 * condition + 1e-11) * back.norm() * other.norm());
  }
}

class RandomTreeTangent : public testing::TestWithParam<int> {};

TEST_P(RandomTreeTangent, IsTheDenseOne) {
  const unsigned seed = static_cast<unsigned>(GetParam());
  RandomRobotOptions options;
  options.floating = seed % 2 == 1;
  options.max_links = 9;
  options.continuum_joints = seed % 3 == 2;
  const Model model(to_robot(random_robot(5100 + seed, options)));
  Random random(seed);
  for (const double h : {1e-4, 1e-2, 0.3})
    expect_dense(model, random, h, seed % 4 != 0, "seed " + std::to_string(seed), static_cast<int>(seed % 5));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTreeTangent, testing::Range(0, 24));

TEST(TreeTangent, OfVolumesIsTheDenseOne) {
  for (const auto& body : {lvp_tube(), lvp_finger(), ritz_block()}) {
    Robot robot;
    robot.links.push_back({.name = "root", .joint = make_spherical_joint<double>(), .body = body});
    robot.links.push_back({.name = "next", .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}), .body = body});
    const Model model(robot);
    Random random(3);
    expect_dense(model, random, 5e-3, true, body->type_name());
  }
}

TEST(TreeTangent, OfTendonsAlongRodsIsTheDenseOne) {
  Robot robot = two_rods_and_a_plate();
  robot.actuators = {Actuator::tendon("along", {helix("rod", 0.01, 0.3, 0.7)}),
                     Actuator::tendon("bent", {parallel("rod", 0.01, 0.004)}), Actuator::joint("motor", "plate", 1)};
  const Model model(robot);
  Random random(11);
  expect_dense(model, random, 5e-3, true, "tendons");

  robot.actuators.push_back(Actuator::tendon(
      "across", {parallel("rod", 0.01, 0.004), points("plate", {{0.012, 0.0, 0.01}}), parallel("rod2", 0.01, 0.0)}));
  EXPECT_FALSE(acts_within_bodies(Model(robot), TransmissionSet::actuators));
}

// Masses alone: what forward dynamics solves with.
TEST(TreeTangent, OfMassesTurnsForcesIntoAccelerations) {
  RandomRobotOptions options;
  options.chain = true, options.min_links = options.max_links = 12;
  const Model model(to_robot(random_robot(77, options)));
  Random random(5);
  const RandomState state = random_state(model, random);
  Data data(model);
  const VectorXd rest = inverse_dynamics<double>(model, data, state.q, state.v, VectorXd::Zero(model.nv()));
  TreeDerivatives derivatives(model);
  derivatives.take(model, data, state.q, state.v, VectorXd::Zero(model.nv()), {});
  StepDirections directions;
  StepCoordinates(model).directions(VectorXd::Zero(model.nv()), VectorXd::Zero(model.nv()), state.q, state.v, 0.0, 0.0,
                                    1.0, directions);
  directions.a.setZero(6, model.nv());  // by the accelerations themselves
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq != edge.nv) directions.a.block(0, edge.v, edge.nv, edge.nv).setIdentity();
  }
  TreeTangent mass(model);
  derivatives.form(model, directions, mass);
  mass.factor();
  VectorXd found;
  mass.solve(-rest, found);
  const VectorXd expected = forward_dynamics<double>(model, data, state.q, state.v, VectorXd::Zero(model.nv()));
  EXPECT_LT(difference(found, expected), 1e-9);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
