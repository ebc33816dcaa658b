// Controllers: from a state to inputs, and one evaluation of the closed loop against its parts; and inverse kinematics
// that begins at the last answer.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/control/controllers.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_system.h"

namespace cuttle::bench {
namespace {

/// A robot with its controllers at a typical instant: everything moves, everything bends.
struct Loop {
  Loop(const Robot& robot, const std::vector<NamedController>& controllers, double instant)
      : model(robot), open(model), closed(model, {.controllers = controllers}), data(model), time(instant) {
    auxiliary = start_of_auxiliary(model);
    all_auxiliary = closed.with_controllers(auxiliary);
    rate.setZero(auxiliary.size()), all_rate.setZero(all_auxiliary.size());
    q = model.neutral(), v.setZero(model.nv()), a.setZero(model.nv()), u.setZero(model.nu());
    for (int i = 0; i < model.nv(); ++i) v[i] = 0.02 * ((i * 7) % 5 - 2);
    for (const auto& link : model.links()) {
      const int joint = link.joint_nv;
      for (int i = 0; i < link.nq; ++i) q[link.q + i] = (i < joint ? 0.5 : 0.002) * (1 + ((link.q + i) * 3) % 5);
    }
    closed.inputs(time, q, v, all_auxiliary, u);
    open.held_inputs() = u;
    // the same motion, or the ratio says nothing
    open.rates(time, q, v, auxiliary, a, rate);
    VectorXd controlled = a;
    closed.rates(time, q, v, all_auxiliary, controlled, all_rate);
    if ((controlled - a).norm() <= 1e-9 * a.norm()) return;
    std::fputs("control benchmark: the closed loop is another robot\n", stderr);
    std::exit(1);
  }

  Model model;
  RobotSystem open, closed;
  Data data;
  double time;
  VectorXd q, v, a, u, auxiliary, all_auxiliary, rate, all_rate;
};

using MakeLoop = std::unique_ptr<Loop> (*)();

std::string file_of(const char* name) { return std::string(CUTTLE_BENCH_MODELS "/pustina2025/") + name; }

/// Partial feedback linearization of these inputs toward zero.
std::vector<NamedController> linearized(const std::vector<std::string>& inputs) {
  PartialFeedbackLinearizationSettings settings;
  settings.inputs = inputs, settings.kp = {100}, settings.kd = {10};
  settings.reference.assign(inputs.size(), Signal::cubic(0, 3, 0, 0.1));
  return {{"law", make_partial_feedback_linearization(settings)}};
}
std::vector<std::string> numbered(const char* name, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

std::unique_ptr<Loop> hybrid_arm() {
  return std::make_unique<Loop>(read_robot_file(file_of("hybrid_arm.yaml")), linearized(numbered("motor_", 6)), 1.0);
}
/// In its second phase: both laws act.
std::unique_ptr<Loop> simulation2() {
  const ScenarioFile file = load_scenario_file(file_of("simulation2_controlled_scenario.yaml"));
  return std::make_unique<Loop>(file.robot, file.scenario.controllers, 4.0);
}
/// With the points that an error of 1e-4 needs.
std::unique_ptr<Loop> simulation1() {
  const ScenarioFile file = load_scenario_file(file_of("simulation1_reduced_scenario.yaml"));
  return std::make_unique<Loop>(file.robot, linearized(numbered("tendon", 9)), 1.0);
}

void inputs(benchmark::State& state, MakeLoop make) {
  const auto s = make();
  for (auto _ : state) {
    s->closed.inputs(s->time, s->q, s->v, s->all_auxiliary, s->u);
    benchmark::DoNotOptimize(s->u.data());
  }
}
void closed_loop(benchmark::State& state, MakeLoop make) {
  const auto s = make();
  for (auto _ : state) {
    s->closed.rates(s->time, s->q, s->v, s->all_auxiliary, s->a, s->all_rate);
    benchmark::DoNotOptimize(s->a.data());
  }
}
void open_loop(benchmark::State& state, MakeLoop make) {
  const auto s = make();
  for (auto _ : state) {
    s->open.rates(s->time, s->q, s->v, s->auxiliary, s->a, s->rate);
    benchmark::DoNotOptimize(s->a.data());
  }
}
void mass_inverse(benchmark::State& state, MakeLoop make) {
  const auto s = make();
  for (auto _ : state) {
    benchmark::DoNotOptimize(mass_inverse_dynamics<double>(s->model, s->data, s->q, s->v, s->a).data());
  }
}

/// The tip of the hybrid arm around a circle of 5 cm, in steps of 0.6 mm.
void follow_circle(benchmark::State& state, bool pose) {
  const Model model(read_robot_file(file_of("hybrid_arm.yaml")));
  Data data(model);
  VectorXd q = model.neutral();
  for (int i = 0; i < model.nq(); ++i) q[i] = 0.1 * (1 + i % 4);
  const Frame tip = model.tip_frame("soft_finger");
  const Pose start = forward_kinematics<double>(model, data, q).pose(tip);
  InverseKinematics reach(model,
                          {pose ? FrameTarget::at_pose(tip, start) : FrameTarget::at_position(tip, start.position)});
  double angle = 0.0;
  for (auto _ : state) {
    angle += 0.012;
    Pose goal = start;
    goal.position += Vector3{0.05 * (std::cos(angle) - 1.0), 0.05 * std::sin(angle), 0.0};
    reach.set_goal(0, goal);
    const InverseKinematicsResult& result = reach.solve(q);
    q = result.q;
    if (!result.converged) state.SkipWithError("not converged");
  }
}

const bool k_control_added = [] {
  struct Case {
    const char* name;
    MakeLoop make;
  };
  for (const Case& robot : {Case{"hybrid_arm", hybrid_arm},
                            {"simulation2_controlled", simulation2},
                            {"simulation1_reduced", simulation1}}) {
    const std::string name = std::string("control/") + robot.name;
    const MakeLoop make = robot.make;
    const auto add = [&](const char* what, void (*run)(benchmark::State&, MakeLoop)) {
      benchmark::RegisterBenchmark((name + what).c_str(), [make, run](benchmark::State& state) { run(state, make); });
    };
    add("/inputs", inputs), add("/closed_loop", closed_loop), add("/open_loop", open_loop);
    add("/mass_inverse_dynamics", mass_inverse);
  }
  benchmark::RegisterBenchmark("control/hybrid_arm/inverse_kinematics/position",
                               [](benchmark::State& state) { follow_circle(state, false); });
  benchmark::RegisterBenchmark("control/hybrid_arm/inverse_kinematics/pose",
                               [](benchmark::State& state) { follow_circle(state, true); });
  return true;
}();

}  // namespace
}  // namespace cuttle::bench
