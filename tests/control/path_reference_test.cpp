// References of type equilibrium_path: frames carried along paths through equilibria.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A planar arm whose second body is soft: its tip sags, and how far only an equilibrium tells.
const char* const k_robot = R"(cuttle: 1
name: planar
materials: {m: {density: 1000, young_modulus: 2.0e6, damping_time: 0.1}}
links:
  - {name: upper, joint: {type: revolute, axis: [0, 1, 0], damping: 0.05, stiffness: 3}, body: {type: rigid, mass: 0.4, com: [0, 0, 0.1], inertia: [2.0e-3, 3.0e-3, 1.0e-3, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: soft, joint: {type: revolute, axis: [0, 1, 0], damping: 0.02, stiffness: 1}, body: {type: rod, length: 0.25, section: {shape: circle, radius: 0.012}, material: m, quadrature: {points: 4}, strain: {kappa_y: constant}}}
actuators:
  - {name: m1, type: joint, link: upper}
  - {name: m2, type: joint, link: soft}
)";
const std::string k_targets =
    "targets: {soft.tip: [{type: cubic, start: 0, end: 4, from: 0.3, to: 0.2}, 0, {type: sine, amplitude: 0.03, "
    "frequency: 0.25, offset: 0.2}]}";

ScenarioFile scenario_of(const std::string& reference, const std::string& more = "window: [0, 4]") {
  return read_scenario_text(
      "cuttle: 1\nrobot: arm.yaml\nsimulation:\n  duration: 4\n  output_step: 0.1\n  integrator: {type: bdf, "
      "relative_tolerance: 1.0e-8, absolute_tolerance: 1.0e-10}\n  controllers:\n    - {name: path, type: "
      "partial_feedback_linearization, kp: 100, kd: 20, " +
          more + ", reference: " + reference + "}\n",
      "s.yaml", k_robot);
}
Vector3 target(double time) {
  const double s = time / 4.0;
  return {0.3 - 0.1 * (3 - 2 * s) * s * s, 0.0, 0.2 + 0.03 * std::sin(2 * M_PI * 0.25 * time)};
}

TEST(PathReference, HoldsTheFrameOnItsPath) {
  const ScenarioFile file = scenario_of("{type: equilibrium_path, samples: 41, " + k_targets + "}");
  const Model model(file.robot);
  MemoryRecorder recorder;
  Simulator(model, file.scenario).run({&recorder});
  Data data(model);
  const Frame tip = model.tip_frame("soft");
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  VectorXd near = model.neutral();
  for (const Sample& sample : recorder.samples()) {
    // the columns of the controller: reference, error, outputs
    const VectorXd reference = sample.control.head(2);
    const InverseStaticsResult rest =
        inverse_statics(model, {FrameTarget::at_position(tip, target(sample.time))}, loads, near);
    ASSERT_TRUE(rest.converged) << sample.time;
    near = rest.equilibrium.q;
    EXPECT_LT((reference - near.head(2)).norm(), 1e-4) << sample.time;  // of splines between samples
    if (sample.time < 1.0) continue;  // it starts elsewhere, and the errors decay as exp(-10 t)
    const Vector3 off = forward_kinematics<double>(model, data, sample.q).pose(tip).position - target(sample.time);
    EXPECT_LT(norm(off), 2e-3) << sample.time;  // what the motion bends the rod
  }
  const Vector3 end = forward_kinematics<double>(model, data, recorder.samples().back().q).pose(tip).position;
  EXPECT_GT(norm(end - target(0.0)), 0.08) << "it did not move: the test shows nothing";
}

TEST(PathReference, ErrorsSayWhereAndWhen) {
  const auto complaint = [](const std::string& reference, const std::string& more = "window: [0, 4]") {
    return message<Error>([&] { scenario_of(reference, more); });
  };
  EXPECT_THAT(complaint("{type: equilibrium_path, " + k_targets + "}", "rate: 100"), HasSubstr("window"));
  EXPECT_THAT(complaint("{type: equilibrium_path, targets: {sof.tip: [0, 0, 0]}}"),
              AllOf(HasSubstr("sof.tip"), HasSubstr("did you mean 'soft.tip'")));
  EXPECT_THAT(complaint("{type: equilibrium_path, targets: {soft.tip: [0, 0, 2]}}"),
              AllOf(HasSubstr("no equilibrium that holds the frames at t = 0 s"), HasSubstr("m or rad off")));
  EXPECT_THAT(complaint("{type: equilibrium_path, targets: {soft.tip: [0, 0]}}"), HasSubstr("soft.tip"));
  EXPECT_THAT(complaint("{type: equilibrium_path, targets: {}}"), HasSubstr("at least one frame"));
  EXPECT_THAT(complaint("{type: equilibrium_path}"), HasSubstr("targets"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
