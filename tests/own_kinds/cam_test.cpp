// A transmission of its own, of an actuator and of an element.
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/simulator.h"
#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const char* const k_crane = R"(cuttle: 1
links:
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.02}
    body: {type: rigid, mass: 0.4, com: [0, 0, 0.2], inertia: [1.0e-3, 1.0e-3, 1.0e-3, 0, 0, 0]}
actuators:
  - {name: winch, type: cam, link: arm, radius: 0.05, eccentricity: 0.4, phase: 0.3}
elements:
  - {name: balance, type: cam_spring, link: arm, radius: 0.04, eccentricity: 0.2, stiffness: 300, pretension: 2}
)";

TEST_F(OwnKinds, CamHasTheLeverArmOfItsPulley) {
  const Model model(read_robot_text(k_crane, "crane.yaml"));
  EXPECT_EQ(model.input_info()[0].name, "winch");
  EXPECT_EQ(model.input_info()[0].unit, "N");
  Data data(model);
  ElementData elements(model);
  for (const double angle : {-2.1, 0.0, 0.3, 1.7}) {
    const VectorXd q = VectorXd::Constant(1, angle), v = VectorXd::Constant(1, 0.7);
    const auto wound = [&](double a) { return 0.05 * (a + 0.4 * (std::sin(a - 0.3) + std::sin(0.3))); };
    EXPECT_NEAR(actuation_coordinates<double>(model, data, q)[0], wound(angle), 1e-15);
    EXPECT_NEAR(actuation_matrix<double>(model, data, q)(0, 0), 0.05 * (1.0 + 0.4 * std::cos(angle - 0.3)), 1e-15);
    const double h = 1e-4;
    EXPECT_NEAR(actuation_matrix<double>(model, data, q)(0, 0), (wound(angle + h) - wound(angle - h)) / (2 * h), 1e-9);
    element_motion<double>(model, data, q, v, elements);
    element_efforts<double>(model, 0.0, VectorXd::Zero(1), elements);
    const double y = 0.04 * (angle + 0.2 * std::sin(angle));
    EXPECT_NEAR(elements.efforts[0], -(2.0 + 300.0 * y), 1e-12);
    EXPECT_NEAR(elements.rate[0], 0.04 * (1.0 + 0.2 * std::cos(angle)) * 0.7, 1e-15);
    EXPECT_NEAR(elements.stored_energy, 2.0 * y + 150.0 * y * y, 1e-13);
  }
  // the derivative of its torque, which implicit methods take
  DerivativeData derivatives(model);
  const VectorXd q = VectorXd::Constant(1, 0.9), zero = VectorXd::Zero(1), pull = VectorXd::Constant(1, 3.0);
  inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero, {&pull});
  const double with = derivatives.by_q(0, 0);
  inverse_dynamics_derivatives(model, data, derivatives, q, zero, zero);
  EXPECT_NEAR(derivatives.by_q(0, 0) - with, -3.0 * 0.05 * 0.4 * std::sin(0.6), 1e-14);
}

TEST_F(OwnKinds, CamMovesWithAdaptiveAndImplicitMethodsAndKeepsTheEnergy) {
  const Model model(read_robot_text(k_crane, "crane.yaml"));
  const auto end_of = [&](const std::string& type) {
    Scenario s;
    s.duration = s.output_step = 1.0;
    s.integrator.type = type;
    if (type == "newmark") s.integrator.step = 2e-4;
    if (type == "bdf") s.integrator.relative_tolerance = 1e-9, s.integrator.absolute_tolerance = 1e-10;
    s.inputs["winch"] = Signal::sine(8.0, 1.5, 0.0, 3.0);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, s).run({&memory});
    EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    EXPECT_LT(outcome.energy_error, 1e-4 * outcome.peak_energy) << type;
    EXPECT_GT(std::abs(memory.samples().back().input), 1e-2) << type;
    return memory.samples().back().q[0];
  };
  const double exact = end_of("bdf");
  EXPECT_GT(std::abs(exact), 0.01);
  EXPECT_NEAR(end_of("newmark"), exact, 1e-4);  // 5000 steps of order 2 over some 20 rad of motion
}

TEST_F(OwnKinds, CamIsWrittenReadVariedAndDifferentiated) {
  const Robot robot = read_robot_text(k_crane, "crane.yaml");
  Robot changed = robot;
  changed.gravity = {0.0, 0.0, -1.62};
  const std::string text = write_robot(changed).yaml;
  EXPECT_THAT(text, AllOf(HasSubstr("type: cam, "), HasSubstr("phase: 0.3"), HasSubstr("pretension: 2")));
  const Model before(changed), after(read_robot_text(text, "again.yaml"));
  const auto force = [](const Model& any) {
    Data data(any);
    const VectorXd q = VectorXd::Constant(1, 0.4);
    return actuation_force<double>(any, data, q, VectorXd::Constant(1, 2.0))[0];
  };
  EXPECT_EQ(force(before), force(after));
  const double lever = 1.0 + 0.4 * std::cos(0.1);
  EXPECT_NEAR(force(before.with("actuators.winch.radius", 0.07)), 2.0 * 0.07 * lever, 1e-15);

  const ModelT<ForwardDual> variable =
      differentiate(before, {"actuators.winch.radius", "actuators.winch.eccentricity"});
  DataT<ForwardDual> data(variable);
  const VectorXT<ForwardDual> q = VectorXT<ForwardDual>::Constant(1, ForwardDual(0.4));
  const VectorXT<ForwardDual> torque =
      actuation_force<ForwardDual>(variable, data, q, VectorXT<ForwardDual>::Constant(1, ForwardDual(2.0)));
  EXPECT_NEAR(torque[0].derivative[0], 2.0 * lever, 1e-14);
  EXPECT_NEAR(torque[0].derivative[1], 2.0 * 0.05 * std::cos(0.1), 1e-15);

  EXPECT_THAT(robot_errors("links: [{name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1}}]\n"
                           "actuators: [{name: w, type: cam, link: arm, index: 1, radius: 0, eccentricity: 1}]"),
              AllOf(HasSubstr("actuators[0].index: found 1, expected"),
                    HasSubstr("actuators[0].radius: found 0, expected a number > 0 [m]"),
                    HasSubstr("actuators[0].eccentricity: found 1, expected a number in [0, 1)")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
