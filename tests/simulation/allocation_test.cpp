// Fixed steps allocate nothing after the first: malloc (Eigen) and operator new (the standard library) are counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/simulation_robots.h"

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);                    // NOLINT(bugprone-reserved-identifier): glibc's name
void* __libc_memalign(std::size_t align, std::size_t n);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace cuttle {
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
  Load water;
  water.kind = Load::Kind::fluid;
  water.place.link = "rod1";
  water.fluid.density = 1000, water.fluid.normal_drag = 1.0, water.fluid.wake = true;
  robot.loads.push_back(water);
  water.place.link = "arm";
  water.fluid.radius_x = water.fluid.radius_y = 0.03, water.fluid.length = 0.4;
  robot.loads.push_back(water);
  Load drone;
  drone.kind = Load::Kind::drone;
  drone.place.link = "arm";
  drone.drone.linear_velocity[0] = Signal::sine(0.3, 0.8, 0.2, 0.1);
  drone.drone.proportional.fill(0.1), drone.drone.integral.fill(0.2);
  robot.loads.push_back(drone);
  return robot;
}

class FixedSteps : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(AllocationTest, FixedSteps, testing::Bool(),
                         [](const auto& chosen) { return std::string(chosen.param ? "UnderWater" : "InAir"); });

TEST_P(FixedSteps, AllocateNothing) {
  const Model model(GetParam() ? arm_under_water() : test::mixed_arm());
  for (const char* type : {"rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint"}) {
    RobotSystem system(model, {Signal::sine(1.0, 2.0, 0.0, 0.0)});
    IntegratorOptions options;
    options.type = type;
    options.step = 1e-4;
    const auto integrator = make_integrator(system, options);
    State start;
    start.q = model.neutral();
    start.v = VectorXd::Constant(model.nv(), 0.1);
    start.extra = RobotSystem::start_of_extra(model);
    integrator->restart(start);
    integrator->advance(1e-4, 1.0);
    const long before = allocations;
    integrator->advance(1e-2, 1.0);
    EXPECT_EQ(allocations - before, 0) << type;
    EXPECT_EQ(integrator->statistics().steps, 100);
  }
}

}  // namespace
}  // namespace cuttle
