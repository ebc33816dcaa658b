// Second and third derivatives of actuation coordinates, against differences in long double of the first ones.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "algorithms/tendon_robots.h"
#include "algorithms/transmissions.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/io/robot_file.h"
#include "support/paths.h"
#include "support/random_state.h"
#include "support/toy_bodies.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Real = long double;
using VectorXl = VectorXT<Real>;
using MatrixXl = MatrixXT<Real>;

std::vector<Vector3> along(double x, double y, double length, int pieces) {
  std::vector<Vector3> line;
  for (int i = 0; i <= pieces; ++i) line.push_back({x, y, length * i / pieces});
  return line;
}

/// A body of a user's: f alone.
std::shared_ptr<const Body> toy_cylinder() {
  return std::make_shared<PointBody<ToyBody>>(point_cylinder(1.0, 1.0, 1.0, 4, 1, 4));
}

/// Everything that a transmission can be: along rods, through volumes that know their second derivatives (nonlinear and
/// linear in q) and one that does not, straight, chambers, wrenches; behind a joint with a quaternion.
Robot every_transmission() {
  Robot robot = one_rod(0.3, "pcc");
  robot.links[0].joint = make_spherical_joint<double>();
  robot.links.push_back({.name = "tube", .joint = make_revolute_joint<double>({0, 1, 0}), .body = lvp_tube()});
  RigidParameters plate;
  plate.mass = 0.1, plate.inertia = SymmetricMatrix3::diagonal(1e-4, 2e-4, 3e-4), plate.tip.position = {0.0, 0.0, 0.02};
  robot.links.push_back({.name = "plate", .body = std::make_shared<RigidBody>(plate)});
  robot.links.push_back({.name = "block", .body = ritz_block()});
  robot.links.push_back({.name = "toy", .parent = "plate", .body = toy_cylinder()});
  const std::vector<Vector3> tube = along(0.016, 0.004, k_tube_length, 9),
                             block{{0.02, 0.01, 0.02}, {-0.01, 0.02, 0.12}, {0.01, -0.01, 0.15}};
  robot.actuators = {Actuator::tendon("rod", {helix("rod", 0.01, 0.3, 0.7)}),
                     Actuator::tendon("tube", {points("tube", tube)}),
                     Actuator::tendon("other side", {points("tube", along(-0.004, -0.016, k_tube_length, 3))}),
                     Actuator::tendon("block", {points("block", block)}),
                     Actuator::tendon("toy", {points("toy", along(0.3, 0.2, 0.9, 3))}),
                     Actuator::tendon("everywhere", {points("base", {{0.05, -0.04, -0.02}}), parallel("rod", 0.01, 0.0),
                                                     points("tube", tube), points("plate", {{0.02, 0.01, 0.01}}),
                                                     points("block", block), points("tube", {tube[3], tube[1]})}),
                     Actuator::chamber("bore", "tube", "inner"),
                     Actuator::wrench("wrench", {"block", PortLocation::at_point(block[1]), {}}, Axes::world),
                     Actuator::joint("motor", "tube", 0)};
  return robot;
}

struct Instant {
  VectorXd q, v, u;
};
/// @param scale  of coordinates and velocities.
Instant instant(const Model& model, Random& random, double scale) {
  const RandomState state = random_state(model, random);
  Instant at{model.neutral(), scale * state.v, VectorXd(model.nu())};
  VectorXd step(model.nv());
  for (double& x : step) x = scale * random.uniform(-1.0, 1.0);
  for (Eigen::Index i = 0; i < step.size(); ++i) {
    const std::string& unit = model.velocity_info()[static_cast<std::size_t>(i)].unit;
    if (unit == "m/s") step[i] *= 0.1;
    if (unit == "m^2/s") step[i] *= 1e-4, at.v[i] *= 1e-3;  // a source's: its bore is small
  }
  integrate<double>(model, VectorXd(at.q), step, at.q);
  for (double& x : at.u) x = random.uniform(0.5, 3.0);
  return at;
}

/// Difference of sixth order; the step is small beside the millimeters by which bodies may change.
template <typename F>
auto slope(const F& f) {
  const Real h = 2e-4L;
  return ((45.0L * (f(h) - f(-h)) - 9.0L * (f(2.0L * h) - f(-2.0L * h)) + (f(3.0L * h) - f(-3.0L * h))) / (60.0L * h))
      .eval();
}

/// The same robot in long double.
class Exact {
 public:
  explicit Exact(const Model& model) : model_(model.robot().cast<Real>()), data_(model_) {}

  VectorXl moved(const VectorXl& q, const VectorXl& step) const {
    VectorXl r(q.size());
    integrate<Real>(model_, q, step, r);
    return r;
  }
  MatrixXl matrix(const VectorXl& q) { return actuation_matrix<Real>(model_, data_, q); }
  /// d(dy/dq)/dt v along q + t v.
  VectorXl bias(const VectorXl& q, const VectorXl& v) {
    return slope([&](Real h) -> VectorXl { return matrix(moved(q, h * v)).transpose() * v; });
  }

 private:
  ModelT<Real> model_;
  DataT<Real> data_;
};

std::vector<Robot> robots() {
  const std::string models = test::k_source_dir + "/models/";
  return {every_transmission(), read_robot_file(models + "pustina2025/simulation1.yaml"),
          read_robot_file(models + "examples/drone_arm.yaml")};
}
/// Of coordinates: of the helicoid no more, or its strips fold.
double scale_of(const Model& model) { return model.name() == "trimmed_helicoid" ? 0.2 : 0.5; }

TEST(TransmissionSlopes, AreThoseOfTheActuationMatrix) {
  Random random(8);
  for (const Robot& robot : robots()) {
    const Model model(robot);
    SCOPED_TRACE(model.name());
    const Instant at = instant(model, random, scale_of(model));
    const int nv = model.nv(), nu = model.nu();
    DerivativeData derivatives(model);
    std::vector<MatrixXd> found(static_cast<std::size_t>(nu), MatrixXd::Constant(nv, nv, 7.0));
    std::vector<TransmissionSlope> wanted;
    for (int j = 0; j < nu; ++j) wanted.push_back({j, &found[static_cast<std::size_t>(j)]});
    transmission_slopes(model, TransmissionSet::actuators, derivatives, at.q, wanted);

    Exact exact(model);
    const VectorXl q = at.q.cast<Real>();
    std::vector<MatrixXl> expected(static_cast<std::size_t>(nu), MatrixXl(nv, nv));
    for (int k = 0; k < nv; ++k) {
      const VectorXl e = VectorXl::Unit(nv, k);
      const MatrixXl change = slope([&](Real h) { return exact.matrix(exact.moved(q, h * e)); });
      for (int j = 0; j < nu; ++j) expected[static_cast<std::size_t>(j)].col(k) = change.col(j);
    }
    MatrixXd sum = MatrixXd::Zero(nv, nv);
    MatrixXl expected_sum = MatrixXl::Zero(nv, nv);
    int curved = 0;
    for (int j = 0; j < nu; ++j) {
      const MatrixXl& own = expected[static_cast<std::size_t>(j)];
      const MatrixXl difference = found[static_cast<std::size_t>(j)].cast<Real>() - own;
      EXPECT_LT(difference.norm(), 1e-10L * (1e-3L + own.norm())) << model.input_info()[j].name;
      expected_sum -= static_cast<Real>(at.u[j]) * own;
      curved += own.norm() > 1e-6L;
    }
    EXPECT_GE(curved, 3);
    subtract_transmission_slope(model, TransmissionSet::actuators, derivatives, at.q, at.u, sum);
    EXPECT_LT((sum.cast<Real>() - expected_sum).norm(), 1e-10L * expected_sum.norm());
    // again where it has been: nothing is left from before
    MatrixXd again = MatrixXd::Zero(nv, nv);
    subtract_transmission_slope(model, TransmissionSet::actuators, derivatives, at.q, at.u, again);
    EXPECT_EQ((again - sum).norm(), 0.0);
  }
}

TEST(TransmissionSlopes, BiasAndItsSlopeAreTheSecondAndThirdDerivatives) {
  Random random(9);
  for (const Robot& robot : robots()) {
    const Model model(robot);
    SCOPED_TRACE(model.name());
    const Instant at = instant(model, random, scale_of(model));
    const int nv = model.nv(), nu = model.nu();
    DerivativeData derivatives(model);
    std::vector<char> wanted(static_cast<std::size_t>(nu), 1);
    VectorXd bias = VectorXd::Constant(nu, 7.0);
    MatrixXd by_q = MatrixXd::Constant(nu, nv, 7.0);
    transmission_bias(model, TransmissionSet::actuators, derivatives, at.q, at.v, wanted, bias);
    transmission_bias_slope(model, TransmissionSet::actuators, derivatives, at.q, at.v, wanted, by_q);

    Exact exact(model);
    const VectorXl q = at.q.cast<Real>(), v = at.v.cast<Real>(), expected = exact.bias(q, v);
    // of the third derivatives, some directions
    constexpr int k_directions = 2;
    MatrixXd along(nv, k_directions);
    for (double& x : along.reshaped()) x = random.uniform(-1.0, 1.0);
    MatrixXl expected_slope(nu, k_directions);
    for (int k = 0; k < k_directions; ++k) {
      const VectorXl e = along.col(k).cast<Real>();
      expected_slope.col(k) = slope([&](Real h) { return exact.bias(exact.moved(q, h * e), v); });
    }
    const MatrixXd found_slope = by_q * along;
    for (int j = 0; j < nu; ++j) {
      const std::string& name = model.input_info()[j].name;
      const Real size = expected_slope.row(j).norm();
      EXPECT_LT(std::abs(static_cast<Real>(bias[j]) - expected[j]), 1e-10L * (1e-2L + size)) << name;
      // differences where y has no third derivatives in closed form
      EXPECT_LT((found_slope.row(j).cast<Real>() - expected_slope.row(j)).norm(), 1e-7L * (1e-2L + size)) << name;
    }
    EXPECT_GT(expected.norm(), 1e-7L);
    // those that are not wanted stay as they are
    std::fill(wanted.begin(), wanted.end(), 0);
    wanted[1] = 1;
    VectorXd one = VectorXd::Constant(nu, 7.0);
    MatrixXd row = MatrixXd::Constant(nu, nv, 7.0);
    transmission_bias(model, TransmissionSet::actuators, derivatives, at.q, at.v, wanted, one);
    transmission_bias_slope(model, TransmissionSet::actuators, derivatives, at.q, at.v, wanted, row);
    EXPECT_EQ(one[1], bias[1]);
    EXPECT_EQ((row.row(1) - by_q.row(1)).norm(), 0.0);
  }
}

// At rest nothing changes, and differences along no velocity are none.
TEST(TransmissionSlopes, WithoutVelocityThereIsNoBias) {
  const Model model(every_transmission());
  Random random(10);
  const Instant at = instant(model, random, 0.5);
  DerivativeData derivatives(model);
  const std::vector<char> wanted(static_cast<std::size_t>(model.nu()), 1);
  VectorXd bias = VectorXd::Constant(model.nu(), 7.0);
  MatrixXd by_q = MatrixXd::Constant(model.nu(), model.nv(), 7.0);
  const VectorXd rest = VectorXd::Zero(model.nv());
  transmission_bias(model, TransmissionSet::actuators, derivatives, at.q, rest, wanted, bias);
  transmission_bias_slope(model, TransmissionSet::actuators, derivatives, at.q, rest, wanted, by_q);
  EXPECT_EQ(bias.norm(), 0.0);
  EXPECT_EQ(by_q.norm(), 0.0);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
