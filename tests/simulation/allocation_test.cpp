// Fixed steps allocate nothing after the first: malloc (Eigen) and operator new (the standard library) are counted.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <ostream>
#include <thread>

#include "cuttle/elements/drone.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/push.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/simulation_robots.h"
#include "support/allocation_counter.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(AllocationTest, CounterCounts) {
  const long before = allocations;
  const VectorXd vector = VectorXd::Zero(100);
  const std::vector<double> standard(100);
  EXPECT_GE(allocations - before, 2) << vector.sum() + standard[0];
}

/// The mixed arm with water around a rod and a rigid link, and a drone at its tip.
Robot arm_under_water() {
  Robot robot = test::mixed_arm();
  Fluid water;
  water.density = 1000, water.normal_drag = 1.0, water.wake = true;
  robot.loads.push_back(make_fluid_load("rod1", water));
  water.radius_x = water.radius_y = 0.03, water.length = 0.4;
  robot.loads.push_back(make_fluid_load("arm", water));
  Drone drone;
  drone.linear_velocity[0] = Signal::sine(0.3, 0.8, 0.2, 0.1);
  drone.proportional.fill(0.1), drone.integral.fill(0.2);
  robot.loads.push_back(make_drone_load({"arm"}, drone));
  return robot;
}

/// A muscle whose pressure follows a filtered input: two states, one of them stiff.
template <typename S>
class FilteredMuscleLaw final : public EffortLaw<FilteredMuscleLaw, S, 1, 1, 2> {
 public:
  std::string type_name() const override { return "filtered_muscle"; }
  std::vector<CoordinateInfo> inputs() const override { return {{"", "Pa"}}; }
  std::vector<ElementStateInfo> states() const override { return {{"command", "Pa"}, {"pressure", "Pa"}}; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const {
    efforts[0] = at.state[1] * (T(0.1) - at.y[0]) - T(0.1) * at.rate[0];
    state_rates[0] = (at.input[0] - at.state[0]) * T(5.0);
    state_rates[1] = (at.state[0] - at.state[1] - at.rate[0]) * T(500.0);
  }
};

/// The mixed arm with a damped spring between its tip and the ground, and a muscle along a rod.
Robot arm_with_elements() {
  Robot robot = test::mixed_arm();
  robot.elements.push_back(make_spring<double>("spring", {"base"}, {"rod2"}, {.stiffness = 3.0, .damping = 0.1}));
  Routing routing;
  routing.link = "rod1", routing.offset = {{0.012, 0.0}};
  robot.elements.push_back({"muscle",
                            {std::make_shared<const TendonTransmission>(std::vector{routing})},
                            std::make_shared<FilteredMuscleLaw<double>>()});
  return robot;
}

struct AllocationCase {
  const char* name;
  Robot (*robot)();
  friend void PrintTo(const AllocationCase& c, std::ostream* out) { *out << c.name; }
};

class FixedSteps : public testing::TestWithParam<AllocationCase> {};
INSTANTIATE_TEST_SUITE_P(AllocationTest, FixedSteps,
                         testing::Values(AllocationCase{"InAir", test::mixed_arm},
                                         AllocationCase{"UnderWater", arm_under_water},
                                         AllocationCase{"WithElements", arm_with_elements}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FixedSteps, AllocateNothing) {
  const Model model(GetParam().robot());
  for (const char* type : {"rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"}) {
    RobotSystem system(
        model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu()), Signal::sine(1.0, 2.0, 0.0, 0.0))});
    system.set_coordinate_pushes({{0, 0, std::make_shared<CoordinatePushLaw<double>>(PushSpring{3.0, 0.1, 2.0}, 0.2)}});
    IntegratorOptions options;
    options.type = type;
    options.step = 1e-4;
    const auto integrator = make_integrator(system, options);
    State start;
    start.q = model.neutral();
    start.v = VectorXd::Constant(model.nv(), 0.1);
    start.auxiliary = start_of_auxiliary(model);
    integrator->restart(start);
    integrator->advance(1e-4, 1.0);
    long found = -1;
    std::thread([&] {  // another one than that in which all was made
      const long before = allocations;
      integrator->advance(1e-2, 1.0);
      found = allocations - before;
    })
        .join();
    EXPECT_EQ(found, 0) << type;
    EXPECT_EQ(integrator->statistics().steps, 100);
  }
}

const char* const k_controlled_arm = R"(cuttle: 1
name: arm
materials: {m: {density: 1100, young_modulus: 4.0e5, damping_time: 0.05}}
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.02, stiffness: 0.5}
    body: {type: rigid, mass: 0.4, com: [0.01, 0.02, 0.1], inertia: [2.0e-3, 3.0e-3, 1.0e-3, 0, 0, 0], tip: {position: [0, 0, 0.2]}}
  - {name: soft, body: {type: rod, length: 0.25, section: {shape: circle, radius: 0.012}, material: m, quadrature: {points: 4}, strain: pcc}}
actuators:
  - {name: motor, type: joint, link: upper}
  - {name: bend, type: linear, links: [soft], matrix: [[1, 0.2, 0], [0, 1, 0.1], [0.1, 0, 1]]}
)";

// Laws of the library, too: between two samples of a clock or without one.
TEST(AllocationTest, ControllersAllocateNothing) {
  const std::string all = "reference: [{type: sine, amplitude: 0.1, frequency: 1}, 0.2, -0.1, 0.001]";
  for (const std::string& law :
       {"type: computed_torque, kp: 100, kd: 12, " + all, "type: pd_with_cancellation, kp: 2, kd: 0.1, " + all,
        "type: pd_plus, kp: 2, kd: 0.1, " + all, "type: feed_forward, " + all,
        "type: pid, inputs: [motor], reference: [0.3], kp: 2, kd: 0.1, ki: 1" + std::string(),
        "type: partial_feedback_linearization, inputs: [motor, bend.2], reference: [0.3, 0.001], kp: 100, kd: 12" +
            std::string(),
        "type: pd_plus, kp: 2, kd: 0.1, limits: {lower: [-0.1, -0.01, -0.01, -0.1], upper: [0.1, 0.01, 0.01, 0.1]}, " +
            all}) {
    const ScenarioFile file =
        read_scenario_text("cuttle: 1\nrobot: arm.yaml\nsimulation: {controllers: [{name: c, " + law + "}]}\n",
                           "s.yaml", k_controlled_arm);
    const Model model(file.robot);
    for (const char* type : {"rk4", "newmark"}) {
      RobotSystem system(model, {.inputs = std::vector<Signal>(static_cast<std::size_t>(model.nu())),
                                 .controllers = file.scenario.controllers});
      IntegratorOptions options;
      options.type = type, options.step = 1e-3;
      const auto integrator = make_integrator(system, options);
      State start;
      start.q = model.neutral(), start.v = VectorXd::Constant(model.nv(), 0.1);
      start.auxiliary = system.with_controllers(start_of_auxiliary(model));
      integrator->restart(start);
      integrator->advance(1e-3, 1.0);
      const long before = allocations;
      integrator->advance(2e-2, 1.0);
      EXPECT_EQ(allocations - before, 0) << type << " " << law;
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
