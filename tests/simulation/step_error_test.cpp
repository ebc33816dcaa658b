// Steps chosen by how far their error moves the robot, `error: displacement`: its measure, and runs of many robots.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "algorithms/robot_size.h"
#include "cuttle/algorithms/kinematics.h"
#include "simulation/integrator_runs.h"
#include "simulation/simulation_robots.h"
#include "support/paper_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

const char* const k_implicit[] = {"newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"};

IntegratorOptions by_displacement(const std::string& type, double tolerance) {
  IntegratorOptions options;
  options.type = type;
  options.error = StepError::displacement;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 1e-30;
  return options;
}

std::string setting(const std::string& type, double tolerance) {
  return fmt::format("simulation.integrator={{type: {}, error: displacement, relative_tolerance: {}}}", type,
                     tolerance);
}

TEST(RobotSize, IsTheRadiusOfGyrationOfWhatMoves) {
  const Model rod(load_scenario_file(k_source_dir + "/models/boyer2023/falling_rod_soft_scenario.yaml").robot);
  const RobotSize clamped = robot_size(rod, rod.neutral());
  const double mass = 7800.0 * M_PI * 0.005 * 0.005 * 10.0;
  EXPECT_NEAR(clamped.mass, mass, 1e-12 * mass);
  EXPECT_NEAR(clamped.length, std::sqrt(100.0 / 3.0 + 0.5 * 0.005 * 0.005), 1e-9);

  // two point masses on a bar: about the center of mass where the base floats, about the base where it does not
  Robot robot;
  Link link;
  link.name = "bar";
  link.body = rigid_body(3.0, {0.0, 0.0, 0.5}, {1e-9, 1e-9, 1e-9}, {0.0, 0.0, 2.0});
  robot.links.push_back(link);
  link.name = "end";
  link.parent.link = "bar";
  link.joint = make_revolute_joint<double>({0.0, 1.0, 0.0});
  link.body = rigid_body(1.0, {0.0, 0.0, 0.5}, {1e-9, 1e-9, 1e-9}, {});
  robot.links.push_back(link);
  const Model fixed(robot);  // the bar is part of the world
  EXPECT_NEAR(robot_size(fixed, fixed.neutral()).mass, 1.0, 1e-15);
  EXPECT_NEAR(robot_size(fixed, fixed.neutral()).length, 2.5, 1e-8);
  robot.floating_base = true;
  const Model floating(robot);
  const RobotSize free = robot_size(floating, floating.neutral());
  EXPECT_NEAR(free.mass, 4.0, 1e-14);
  EXPECT_NEAR(free.length, std::sqrt((3.0 * 0.25 + 1.0 * 2.25) / 4.0), 1e-8);  // 0.5 and 1.5 from the center at 1
}

// A robot twice as large in a field twice as strong moves in the same time through the same angles: its steps are the
// same, though its lengths, which are coordinates of its slider, are not.
TEST(StepError, DoesNotKnowUnitsOfLength) {
  for (const char* const type : k_implicit) {
    std::vector<long> steps;
    std::vector<double> angles;
    for (const double scale : {1.0, 1024.0}) {
      Robot robot;
      robot.gravity = {0.0, 0.0, -9.81 * scale};
      Link slider;
      slider.name = "slider";
      slider.joint = make_prismatic_joint<double>({1.0, 0.0, 0.0});
      slider.body = rigid_body(2.0, {0.0, 0.0, 0.1 * scale},
                               {1e-3 * scale * scale, 1e-3 * scale * scale, 1e-3 * scale * scale}, {});
      robot.links.push_back(slider);
      Link bar;
      bar.name = "bar", bar.parent.link = "slider";
      bar.joint = make_revolute_joint<double>({0.0, 1.0, 0.0});
      bar.body = rigid_body(1.0, {0.0, 0.0, 0.7 * scale},
                            {0.02 * scale * scale, 0.02 * scale * scale, 0.02 * scale * scale}, {});
      robot.links.push_back(bar);
      const Model model(robot);
      State start = start_of(model);
      start.q[1] = 1.0;
      IntegratorStatistics statistics;
      const State end = run(model, by_displacement(type, 1e-6), start, 2.0, {}, &statistics);
      steps.push_back(statistics.steps);
      angles.push_back(end.q[1]);
    }
    EXPECT_NEAR(static_cast<double>(steps[0]), static_cast<double>(steps[1]), 0.02 * static_cast<double>(steps[0]))
        << type;
    EXPECT_NEAR(angles[0], angles[1], 1e-4) << type;
  }
}

// Against the period of a pendulum, from an elliptic integral: the error falls with the tolerance.
TEST(StepError, FallsWithTheTolerance) {
  Robot robot;
  Link bar;
  bar.name = "bar";
  bar.joint = make_revolute_joint<double>({0.0, 1.0, 0.0});
  bar.body = rigid_body(1.0, {0.0, 0.0, -1.0}, {1e-12, 1e-12, 1e-12}, {});
  robot.links.push_back(bar);
  robot.gravity = {0.0, 0.0, -9.81};
  const Model model(robot);
  State start = start_of(model);
  start.q[0] = 2.0;
  const double period = 4.0 * std::sqrt(1.0 / 9.81) * std::comp_ellint_1(std::sin(1.0));
  for (const char* const type : k_implicit) {
    double last = 1.0;
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7}) {
      const State end = run(model, by_displacement(type, tolerance), start, period);
      const double error = std::abs(end.q[0] - 2.0) + std::abs(end.v[0]);
      EXPECT_LT(error, 0.5 * last) << type << " " << tolerance;
      EXPECT_LT(error, 3e3 * tolerance) << type;
      last = error;
    }
  }
}

// Rich bases without damping: the tip is that of a fine fixed step, in a tenth of the steps that vibrations ask for.
TEST(StepError, LetsFastVibrationsBe) {
  for (const auto& [rod, length] : {std::pair{"stiff", 0.4}, {"soft", 10.0}}) {
    const std::string name = std::string("boyer2023/falling_rod_") + rod;
    const std::string order = "robot.links.rod.body.strain.kappa_y.order=13";
    const std::string fine = rod == std::string("stiff") ? "5e-5" : "5e-4";
    const PaperRun reference(name, {order, "simulation.integrator={type: midpoint, step: " + fine + "}"});
    const auto tip = [](const PaperRun& run) {
      Data data(run.model);
      return forward_kinematics<double>(run.model, data, run.samples.back().q)
          .pose(run.model.tip_frame("rod"))
          .position;
    };
    for (const char* const type : {"midpoint", "generalized_alpha", "newmark"}) {
      const PaperRun chosen(name, {order, setting(type, 1e-6)});
      const PaperRun usual(name,
                           {order, "simulation.duration=" + std::string(rod == std::string("stiff") ? "0.02" : "0.2"),
                            std::string("simulation.integrator={type: ") + type + "}"});
      EXPECT_LT(norm(tip(chosen) - tip(reference)), 2e-4 * length) << rod << " " << type;
      // of a fifth of the duration
      EXPECT_LT(chosen.outcome.statistics.steps, 5 * usual.outcome.statistics.steps / 10) << rod << " " << type;
    }
  }
}

// Crossed: chains, trees, floating bases, quaternions, loops, contacts with bristles, volumes, full finite elements,
// controllers, driven joints. Against the method of each run that judges coordinates, at a finer tolerance.
struct Crossed {
  const char* scenario;
  double duration;
  double error;  ///< of the configuration at the end
};
class StepErrorOf : public testing::TestWithParam<Crossed> {};
INSTANTIATE_TEST_SUITE_P(
    Robots, StepErrorOf,
    testing::Values(Crossed{"pustina2025/hybrid_arm", 0.3, 1e-3}, Crossed{"examples/floating_rod", 0.3, 1e-3},
                    Crossed{"boyer2023/parallel_robot", 1.3, 1e-3}, Crossed{"contact/leaning_arm", 0.2, 1e-2},
                    Crossed{"examples/tendon_arm", 0.3, 1e-3}, Crossed{"examples/fem_finger", 0.1, 1e-3},
                    Crossed{"examples/ritz_block", 0.3, 1e-3}, Crossed{"boyer2023/drones", 0.2, 1e-3}),
    [](const auto& robot) {
      std::string name = robot.param.scenario;
      return name.substr(name.find('/') + 1);
    });

TEST_P(StepErrorOf, IsSmall) {
  const Crossed& at = GetParam();
  const std::vector<std::string> setup = {fmt::format("simulation.duration={}", at.duration),
                                          fmt::format("simulation.output_step={}", at.duration)};
  for (const char* const type : {"generalized_alpha", "midpoint"}) {
    auto settings = setup;
    settings.push_back(fmt::format("simulation.integrator={{type: {}, relative_tolerance: 1e-7}}", type));
    const PaperRun reference(at.scenario, settings);
    settings.back() = setting(type, 1e-6);
    const PaperRun chosen(at.scenario, settings);
    VectorXd difference_of_q(chosen.model.nv());
    difference<double>(chosen.model, reference.samples.back().q, chosen.samples.back().q, difference_of_q);
    const double scale = std::max(1.0, reference.samples.back().q.lpNorm<Eigen::Infinity>());
    EXPECT_LT(difference_of_q.lpNorm<Eigen::Infinity>(), at.error * scale) << at.scenario << " " << type;
    EXPECT_LT(chosen.outcome.statistics.steps, reference.outcome.statistics.steps) << at.scenario << " " << type;
  }
}

TEST(StepError, BelongsToImplicitMethodsThatChooseTheirSteps) {
  for (const char* const type : {"bdf", "erk"}) {
    EXPECT_EQ(refusal(by_displacement(type, 1e-6)),
              std::string("integrator.error: '") + type + "' has none, only implicit methods");
  }
  IntegratorOptions fixed_step = fixed("newmark", 0.01);
  fixed_step.error = StepError::displacement;
  EXPECT_EQ(refusal(fixed_step), "");  // judges nothing
  EXPECT_EQ(refusal(by_displacement("newmark", 1e-6)), "");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
