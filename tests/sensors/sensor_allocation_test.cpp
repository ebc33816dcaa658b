// Sensors, driven tendons and laws that wind them allocate nothing once they have run: malloc (Eigen) and operator new
// (the standard library) are counted.
#include <gtest/gtest.h>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"
#include "support/allocation_counter.h"
#include "support/paths.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(SensorAllocation, NoneWhileReading) {
  const ScenarioFile file =
      load_scenario_file(test::k_source_dir + "/models/examples/servo_finger_scenario.yaml",
                         {"simulation.controllers=[{name: c, type: partial_feedback_linearization, inputs: [front], "
                          "reference: [0.002], kp: 30, kd: 5}]"});
  const Model model(file.robot);
  RobotSystem system(model, {.controllers = file.scenario.controllers});
  const VectorXd auxiliary = system.with_controllers(start_of_auxiliary(model));
  State reached;
  test::Random random(4);
  VectorXd a(model.nv()), rates(auxiliary.size()), residual(model.nv());
  long before = 0;
  for (int k = 0; k < 4; ++k) {
    const auto state = test::random_state(model, random);
    const VectorXd q = 0.1 * state.q;
    reached.time = 0.1 * k, reached.q = q, reached.v = state.v, reached.auxiliary = auxiliary;
    if (k == 1) before = allocations;
    const long counted = allocations;
    const VectorXd& readings = system.evaluate(reached).sensors();
    system.rates(0.1 * k, q, state.v, auxiliary, a, rates);
    system.residual(0.1 * k, q, state.v, a, {auxiliary}, residual, rates);
    const long after = allocations;
    ASSERT_TRUE(readings.allFinite());
    EXPECT_LT(residual.norm(), 1e-6 * (1.0 + a.norm()));
    if (k > 0) {
      EXPECT_EQ(after - counted, 0) << "call " << k;
    }
  }
  EXPECT_GT(allocations, before);  // the counter counts: states were made
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
