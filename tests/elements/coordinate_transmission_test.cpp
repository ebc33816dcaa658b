// Transmissions whose y is a formula of coordinates: of actuators and of elements, beside a joint with quaternions.
#include "cuttle/model/coordinate_transmission.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/idle_inputs.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/elements/spring.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"
#include "support/return_law.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// y = r a + c sin(a) b - d b^2 c' with the angle a of a joint and two coordinates b, c' of a rod.
template <typename S>
class Differential final : public CoordinateTransmission<Differential, S, 3> {
 public:
  explicit Differential(S radius, LinkCoordinate first = {"arm", 0}) : radius_(radius), first_(std::move(first)) {}
  std::string type_name() const override { return "differential"; }
  std::array<LinkCoordinate, 3> coordinates() const override { return {first_, {"rod", 0}, {"rod", 1}}; }
  std::string unit() const override { return "N m"; }
  template <typename T>
  T y(const T* q) const {
    using std::sin;
    return T(radius_) * q[0] + T(0.3) * sin(q[0]) * q[1] - T(0.2) * q[1] * q[1] * q[2];
  }
  template <typename T>
  Differential<T> cast() const {
    return Differential<T>(scalar_cast<T>(radius_), first_);
  }

 private:
  S radius_;
  LinkCoordinate first_;
};

/// Says that it has an effort more than it binds.
template <typename S>
class Miscounted final : public CastTransmission<Miscounted, S> {
 public:
  std::string type_name() const override { return "miscounted"; }
  std::vector<std::string> inputs() const override { return {"a", "b"}; }
  std::vector<std::string> links() const override { return {}; }
  void bind(TransmissionBinderT<S>& to) const override { to.add_linear("N", S(0.0)); }
  template <typename T>
  Miscounted<T> cast() const {
    return {};
  }
};

/// A ball joint, whose quaternion sets q and v of all that follows apart, then an arm and a rod.
Robot robot_with_differential() {
  Robot robot;
  robot.links.push_back({.name = "ball",
                         .joint = make_spherical_joint<double>(),
                         .body = test::rigid_body(0.3, {0.02, 0, 0.03}, {1e-3, 2e-3, 2e-3}, {0, 0, 0.05})});
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.3, 0.02, "pcs", 0.05)});
  robot.actuators = {Actuator::joint("motor", "arm"), {"gear", std::make_shared<const Differential<double>>(0.7)}};
  return robot;
}

TEST(CoordinateTransmission, MatrixAndSlopeAreDerivatives) {
  const Model model(robot_with_differential());
  ASSERT_EQ(model.nu(), 2);
  EXPECT_EQ(model.input_info()[1].name, "gear");
  EXPECT_EQ(model.input_info()[1].unit, "N m");
  Data data(model);
  DerivativeData derivatives(model);
  test::Random random(3);
  const VectorXd u = (VectorXd(2) << 0.0, 1.3).finished(), zero = VectorXd::Zero(model.nv());
  for (int i = 0; i < 5; ++i) {
    const VectorXd q = test::random_state(model, random).q;
    const double a = q[4], b = q[5], c = q[6];
    EXPECT_NEAR(actuation_coordinates<double>(model, data, q)[1], 0.7 * a + 0.3 * std::sin(a) * b - 0.2 * b * b * c,
                1e-15 * (1.0 + q.squaredNorm()));
    VectorXd column = zero;
    column.segment(3, 3) << 0.7 + 0.3 * std::cos(a) * b, 0.3 * std::sin(a) - 0.4 * b * c, -0.2 * b * b;
    EXPECT_LT((actuation_matrix<double>(model, data, q).col(1) - column).norm(), 1e-15 * (1.0 + column.norm()));
    EXPECT_LT((actuation_force<double>(model, data, q, u) - 1.3 * column).norm(), 1e-15 * (1.0 + column.norm()));

    inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero, {&u});
    const MatrixXd with = derivatives.by_q;
    inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero);
    MatrixXd hessian = MatrixXd::Zero(model.nv(), model.nv());
    hessian(3, 3) = -0.3 * std::sin(a) * b, hessian(3, 4) = hessian(4, 3) = 0.3 * std::cos(a);
    hessian(4, 4) = -0.4 * c, hessian(4, 5) = hessian(5, 4) = -0.4 * b;
    EXPECT_LT((derivatives.by_q - with - 1.3 * hessian).norm(), 1e-14 * (1.0 + with.norm()));
  }
  EXPECT_TRUE(idle_inputs(model).empty());
}

TEST(CoordinateTransmission, ExistsForOtherScalars) {
  const Model model(robot_with_differential());
  const ModelT<ForwardDual> other(model.robot().cast<ForwardDual>());
  Data data(model);
  DataT<ForwardDual> other_data(other);
  test::Random random(5);
  const VectorXd q = test::random_state(model, random).q;
  const MatrixXd A = actuation_matrix<double>(model, data, q);
  const MatrixXT<ForwardDual> B = actuation_matrix<ForwardDual>(other, other_data, q.cast<ForwardDual>());
  for (int i = 0; i < model.nv(); ++i) EXPECT_NEAR(B(i, 1).value, A(i, 1), 1e-15) << i;
}

TEST(CoordinateTransmission, DrivesMotionsOfAllMethodsWithTheirEnergy) {
  Robot robot = robot_with_differential();
  robot.links.erase(robot.links.begin());
  robot.elements.push_back(
      {"back", {std::make_shared<const Differential<double>>(0.5)}, std::make_shared<test::ReturnLaw<double>>()});
  const Model model(robot);
  VectorXd exact;
  for (const char* type : {"bdf", "erk", "newmark"}) {
    Scenario s;
    s.duration = s.output_step = 0.3;
    s.integrator.type = type;
    if (s.integrator.type == "newmark") {
      s.integrator.step = 2e-4;
    } else {
      s.integrator.relative_tolerance = 1e-9, s.integrator.absolute_tolerance = 1e-10;
    }
    s.inputs["gear"] = Signal::sine(0.2, 3.0, 0.0, 0.1);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
    EXPECT_LT(outcome.energy_error, 1e-4 * outcome.peak_energy) << type;
    const VectorXd& q = memory.samples().back().q;
    if (exact.size() == 0) exact = q;
    EXPECT_LT((q - exact).norm(), 1e-3 * exact.norm()) << type;
    Data data(model);
    EXPECT_GT(std::abs(memory.samples().back().elements), 1e-5) << type;
  }
}

// Derivatives of a step's residual with an element on it, against differences.
TEST(CoordinateTransmission, ResidualDerivativesOfElementsAgreeWithDifferences) {
  Robot robot = robot_with_differential();
  robot.actuators.clear();
  robot.elements.push_back(
      {"back", {std::make_shared<const Differential<double>>(0.5)}, std::make_shared<test::ReturnLaw<double>>()});
  const Model model(robot);
  RobotSystem system(model, {});
  test::Random random(5);
  const VectorXd start = start_of_auxiliary(model);
  const AuxiliaryStates auxiliary{start, 0.01, 0.02};
  const auto state = test::random_state(model, random);
  VectorXd r(model.nv()), auxiliary_rate(start.size());
  const MatrixXd by_q = system.residual_derivatives(0.0, state.q, state.v, state.a, auxiliary, VectorXd()).by_q;
  for (int k = 0; k < model.nv(); ++k) {
    const auto at = [&](double t) -> VectorXd {
      VectorXd q = state.q;
      integrate<double>(model, state.q, t * VectorXd::Unit(model.nv(), k), q);
      system.residual(0.0, q, state.v, state.a, auxiliary, r, auxiliary_rate);
      return r;
    };
    const double h = 1e-5;
    const VectorXd slope = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_LT((by_q.col(k) - slope).norm(), 2e-6 * (1.0 + by_q.norm())) << k;
  }
}

TEST(CoordinateTransmission, MovesRobotsOfABatchAsAlone) {
  Robot robot = robot_with_differential();
  robot.links.erase(robot.links.begin());
  const Model model(robot);
  constexpr int k_count = 9;
  RowMatrixXd q = RowMatrixXd::Zero(k_count, model.nq()), v = RowMatrixXd::Zero(k_count, model.nv());
  for (int i = 0; i < k_count; ++i) q(i, 0) = 0.02 * i;
  RolloutOptions options;
  options.method = "rk4", options.step = 2e-4, options.duration = 0.02;
  options.inputs = {{"gear", 0.3}};
  Batch batch(model, k_count);
  EXPECT_EQ(batch.width(), 1);
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  Scenario s;
  s.duration = s.output_step = options.duration;
  s.integrator.type = "rk4", s.integrator.step = options.step;
  s.inputs = options.inputs;
  s.initial["arm"] = {{q(3, 0)}, {0.0}};
  MemoryRecorder alone;
  Simulator(model, s).run({&alone});
  EXPECT_LT((rollout.q.row(3).transpose() - alone.samples().back().q).norm(), 1e-12);
}

TEST(CoordinateTransmission, ErrorsNameTheActuator) {
  const auto message = [](std::shared_ptr<const Transmission> transmission) -> std::string {
    Robot robot = robot_with_differential();
    robot.actuators = {{"gear", std::move(transmission)}};
    try {
      Model model(std::move(robot));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(std::make_shared<const Differential<double>>(1.0, LinkCoordinate{"arm", 1})),
            "actuator 'gear': index: found 1, expected less than 1 (coordinates of 'arm')");
  EXPECT_EQ(message(std::make_shared<const Differential<double>>(1.0, LinkCoordinate{"hand", 0})),
            "actuator 'gear': found link 'hand', expected the name of a link");
  EXPECT_EQ(message(std::make_shared<const Differential<double>>(1.0, LinkCoordinate{"ball", 0})),
            "actuator 'gear': link 'ball' has a spherical joint, whose coordinates are no numbers to act on");
  EXPECT_EQ(message(std::make_shared<const Miscounted<double>>()),
            "actuator 'gear': found 1 efforts of a miscounted, expected 2, as it names");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
