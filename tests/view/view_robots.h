#pragma once

#include <cmath>
#include <vector>

#include "cuttle/simulation/recorder.h"
#include "cuttle/view/shown_run.h"
#include "simulation/simulation_robots.h"
#include "support/changed_load.h"
#include "support/volume_robots.h"

// A robot with one of everything that scenes draw.
namespace cuttle::test {

/// A hollow rod, a plate, a tube with a bore and a block; a tendon through all, chambers in rod and tube, loads.
inline Robot robot_of_all_kinds() {
  Robot robot;
  robot.name = "one <of> \"everything\"";
  robot.base_pose.position = {0.1, -0.2, 0.8};
  robot.links.push_back({.name = "rod", .body = rod_body(0.2, 0.02, "pcc", 0.05)});
  robot.links.push_back({.name = "plate", .body = rigid_body(0.05, {}, {2e-5, 2e-5, 3e-5}, {0, 0, 0.01})});
  Link tube{.name = "tube", .joint = make_revolute_joint<double>({0, 1, 0}), .body = lvp_finger()};
  tube.parent.link = "plate", tube.parent.pose.position = {0.02, 0.0, 0.0};
  robot.links.push_back(tube);
  robot.links.push_back({.name = "block", .body = ritz_block()});
  robot.links.push_back({.name = "weight", .body = rigid_body(0.02, {}, {1e-6, 1e-6, 1e-6}, {})});
  Routing anchor, along, eyelet, inside;
  anchor.link = "base", anchor.points = {{0.03, 0, -0.01}};
  along.link = "rod", along.helix = Routing::Helix{0.012, 0.2, 0.6};
  eyelet.link = "plate", eyelet.points = {{0.014, -0.003, 0.004}};
  inside.link = "tube", inside.points = {{0.016, 0.0, 0.02}, {0.016, 0.0, 0.1}, {0.015, 0.002, 0.19}};
  robot.actuators = {Actuator::joint("motor", "tube"), Actuator::tendon("cable", {anchor, along, eyelet, inside}),
                     Actuator::chamber("air", "rod", {0.004, -0.002}, 3e-5),
                     Actuator::chamber("bore", "tube", "inner")};
  TimedWrench push, wind;
  push.force[0] = Signal::sine(0.2, 0.5, 0.0, 0.1);
  push.axes = Axes::body;
  wind.force[1] = 0.3;
  robot.loads = {make_wrench_load({"weight"}, push), make_distributed_load("rod", wind)};
  return robot;
}

/// Moves smoothly through large deformations; not by any law of motion.
inline std::vector<Sample> invented_motion(const Model& model, std::size_t count) {
  std::vector<Sample> samples;
  for (std::size_t f = 0; f < count; ++f) {
    const double t = 0.01 * static_cast<double>(f);
    Sample sample;
    sample.time = t;
    sample.q = model.neutral(), sample.v = VectorXd::Zero(model.nv());
    for (int i = 0; i < model.nq(); ++i) {
      const double size = model.configuration_info()[i].unit == "m" ? 0.02 : 0.6;
      sample.q[i] += size * std::sin((1.0 + 0.3 * i) * t * 2.0 + i);
    }
    sample.u = VectorXd::Constant(model.nu(), 2.0 * std::sin(3 * t));
    sample.y = VectorXd::Zero(model.nu());
    sample.tips.resize(model.links().size());
    sample.kinetic = t, sample.elastic = 1.0 / 3.0 * t;
    samples.push_back(std::move(sample));
  }
  return samples;
}

inline ShownRun invented_run(std::size_t samples = 60) {
  ShownRun run;
  run.robot = robot_of_all_kinds();
  run.label = run.robot.name, run.file = "one.h5";
  run.samples = invented_motion(Model(run.robot), samples);
  run.facts = {{"steps", "60"}};
  return run;
}

}  // namespace cuttle::test
