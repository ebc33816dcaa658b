// Outputs of elements: what results record of a law beside its states.
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "io/results/result_block.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// It counts one output and names two.
template <typename S>
class MiscountedLaw final : public EffortLaw<MiscountedLaw, S, 1, 0, 0, 1> {
 public:
  std::string type_name() const override { return "miscounted"; }
  std::vector<ElementOutputInfo> outputs() const override { return {{"force", "N"}, {"length", "m"}}; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T* /*state_rates*/) const {
    efforts[0] = at.y[0];
  }
  template <typename T>
  void outputs_law(const EffortArgumentsT<T>& /*at*/, const T* efforts, T* outputs) const {
    outputs[0] = efforts[0];
  }
};

constexpr double k_height = 0.3, k_side = 0.4;  // of the upper end of the spring over the pivot, and beside
constexpr double k_arm = 0.5;                   // [m]
constexpr double k_stiffness = 40.0, k_damping = 0.7, k_rest = 0.2;
const JointLimit k_limit{.lower = -0.3, .upper = 0.2, .stiffness = 20.0, .damping = 0.3, .range = 0.05};

/// A pendulum on a slide: a spring from the ground to its end, limits of both joints.
Robot robot() {
  Robot robot;
  robot.links.push_back({.name = "slide",
                         .joint = make_prismatic_joint<double>({1, 0, 0}),
                         .body = test::rigid_body(1.0, {0, 0, 0}, {1e-2, 1e-2, 1e-2}, {0, 0, 0})});
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0, 0, -0.2}, {2e-3, 2e-3, 1e-3}, {0, 0, -k_arm})});
  const Place ground{"base", PortLocation::base(), {Matrix3::identity(), {k_side, 0, k_height}}};
  robot.elements.push_back(
      make_spring<double>("cord", ground, {"arm", PortLocation::tip(), {}},
                          {.stiffness = k_stiffness, .damping = k_damping, .rest_length = k_rest}));
  robot.elements.push_back(make_joint_limit<double>("buffer", "slide", 0, k_limit));
  robot.elements.push_back(make_joint_limit<double>("stop", "arm", 0, k_limit));
  return robot;
}

/// Elastic part of a limit that is passed by x, and its slope.
double depth(double x) {
  const double w = k_limit.range;
  return x <= 0.0 ? 0.0 : x <= w ? 0.5 * x * x / w : x - 0.5 * w;
}
double contact(double x) { return x <= 0.0 ? 0.0 : std::min(x / k_limit.range, 1.0); }
double limit_effort(double q, double v) {
  const double below = k_limit.lower - q, above = q - k_limit.upper;
  return k_limit.stiffness * (depth(below) - depth(above)) - k_limit.damping * (contact(below) + contact(above)) * v;
}

// Springs and limits by their formulas, at places from trigonometry alone.
TEST(ElementOutputs, AreThoseOfTheFormulas) {
  const Model model(robot());
  const auto& info = model.element_output_info();
  ASSERT_EQ(info.size(), 4u);
  EXPECT_EQ(info[0].name + " " + info[0].unit, "cord.force N");
  EXPECT_EQ(info[1].name + " " + info[1].unit, "cord.length m");
  EXPECT_EQ(info[2].name + " " + info[2].unit, "buffer.effort N");  // of a slide
  EXPECT_EQ(info[3].name + " " + info[3].unit, "stop.effort N m");
  Scenario s;
  s.duration = 1.0, s.output_step = 0.02;
  s.initial["arm"] = {{0.3}, {1.0}};
  for (const char* type : {"bdf", "newmark", "rk4"}) {
    s.integrator.type = type;
    if (s.integrator.type != "bdf") s.integrator.step = 1e-3;
    MemoryRecorder memory;
    Simulator(model, s).run({&memory});
    double largest = 0.0, pressed = 0.0;
    for (const Sample& sample : memory.samples()) {
      const double x = sample.q[0], angle = sample.q[1];
      const double across = x - k_arm * std::sin(angle) - k_side, up = -k_arm * std::cos(angle) - k_height;
      const double length = std::hypot(across, up);
      const double rate = (across * (sample.v[0] - k_arm * std::cos(angle) * sample.v[1]) +
                           up * k_arm * std::sin(angle) * sample.v[1]) /
                          length;
      const double pull = k_stiffness * (length - k_rest) + k_damping * rate;
      ASSERT_EQ(sample.element_outputs.size(), 4);
      EXPECT_NEAR(sample.element_outputs[0], pull, 1e-11);
      EXPECT_NEAR(sample.element_outputs[1], length, 1e-14);
      EXPECT_NEAR(sample.element_outputs[2], limit_effort(x, sample.v[0]), 1e-12);
      EXPECT_NEAR(sample.element_outputs[3], limit_effort(angle, sample.v[1]), 1e-12);
      largest = std::max(largest, std::abs(k_damping * rate));
      pressed = std::max(pressed, std::abs(sample.element_outputs[3]));
    }
    EXPECT_GT(largest, 0.1) << type;  // the damper has something to do, and the limit
    EXPECT_GT(pressed, 0.1) << type;
  }
}

TEST(ElementOutputs, AreColumnsOfResults) {
  const Model model(robot());
  std::vector<std::string> columns;
  for (const ResultBlock& block : result_blocks(model, {})) {
    if (!block.path.starts_with("elements/")) continue;
    for (const ResultBlock::Column& column : block.columns) {
      columns.push_back(block.path + ": " + column.name + ", " + column.header + " [" + column.unit + "]");
    }
  }
  EXPECT_EQ(columns, (std::vector<std::string>{"elements/cord: force, elements.cord.force [N]",
                                               "elements/cord: length, elements.cord.length [m]",
                                               "elements/buffer: effort, elements.buffer.effort [N]",
                                               "elements/stop: effort, elements.stop.effort [N m]"}));
}

TEST(ElementOutputs, AreAsManyAsTheLawCounts) {
  Robot wrong = robot();
  wrong.elements[1].law = std::make_shared<MiscountedLaw<double>>();
  try {
    const Model model(wrong);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "element 'buffer': law.outputs: found 2 names, expected 1, as the law counts");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
