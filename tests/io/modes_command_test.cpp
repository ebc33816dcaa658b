// `cuttle modes`: what it prints, as text and as JSON; statics that is unstable, as scenarios see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cuttle/io/result_reader.h"
#include "cuttle/view/shown_run.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using ModesCommand = CommandLine;

/// A bar of 2 kg that stands on a hinge with a spring of `stiffness` and a damper of 0.3 N m s.
std::string standing(const char* stiffness) {
  return std::string(
             "cuttle: 1\nname: mast\nlinks:\n- name: bar\n  joint: {type: revolute, axis: [0, 1, 0], damping: ") +
         "0.3, stiffness: " + stiffness +
         "}\n  body: {type: rigid, mass: 2, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0]}\n"
         "actuators: [{name: motor, type: joint, link: bar}]\n";
}

TEST_F(ModesCommand, ListsFrequencyAndDampingAboutTheEquilibrium) {
  const std::string file = directory_.write("mast.yaml", standing("20"));
  const Result result = run("modes " + file + " --json --input motor=2.5");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  const double q = json["q"][0], inertia = 0.1 + 2 * 0.25;
  EXPECT_NEAR(20 * q - 2 * 9.81 * 0.5 * std::sin(q), 2.5, 1e-9);
  const double omega = std::sqrt((20 - 2 * 9.81 * 0.5 * std::cos(q)) / inertia);
  ASSERT_EQ(json["modes"].size(), 1u);
  const auto& mode = json["modes"][0];
  EXPECT_NEAR(mode["frequency"], omega / (2 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(mode["damping_ratio"], 0.3 / (2 * inertia * omega), 1e-12);
  EXPECT_NEAR(mode["eigenvalue"][0], -0.15 / inertia, 1e-12);
  EXPECT_NEAR(std::hypot(mode["eigenvalue"][0].get<double>(), mode["eigenvalue"][1].get<double>()), omega, 1e-12);
  EXPECT_EQ(mode["shape"]["real"][0], 1.0);
  EXPECT_EQ(json["stability"], "stable");
  const Result text = run("modes " + file);
  EXPECT_THAT(text.output, HasSubstr("1 mode about an equilibrium that is stable"));
  EXPECT_THAT(text.output, HasSubstr("bar.joint.v0 1"));
}

// a spring that hardly holds the bar against gravity: it creeps back
TEST_F(ModesCommand, WhatDoesNotSwingHasADecayTime) {
  const std::string file = directory_.write("mast.yaml", standing("9.83"));  // beside 9.81 of gravity
  const auto json = nlohmann::json::parse(run("modes " + file + " --json").output);
  ASSERT_EQ(json["modes"].size(), 2u);
  const double root = std::sqrt(0.09 - 4 * 0.6 * 0.02);  // I s^2 + d s + k - m g l / 2 = 0
  EXPECT_NEAR(json["modes"][0]["decay_time"], 1.2 / (0.3 - root), 1e-8);
  EXPECT_NEAR(json["modes"][1]["decay_time"], 1.2 / (0.3 + root), 1e-9);
  const Result text = run("modes " + file);
  EXPECT_THAT(text.output, HasSubstr("mode  frequency [Hz]  damping ratio  decay time [s]  moves most"));
  EXPECT_THAT(text.output, HasSubstr("   1               -              -           12.62  bar.joint.v0 1"));
  const Result fallen = run("modes " + directory_.write("falls.yaml", standing("0")));
  EXPECT_THAT(fallen.output, HasSubstr("(decay time below 0: grows)"));
  const std::string floating = directory_.write(
      "free.yaml",
      "cuttle: 1\nbase: {motion: floating}\ngravity: [0, 0, 0]\nlinks:\n- {name: a, body: {type: rigid, mass: 2, "
      "inertia: [1, 1, 1, 0, 0, 0]}}\n- {name: b, joint: {type: revolute, stiffness: 1}, body: {type: rigid, mass: 1, "
      "inertia: [1, 1, 1, 0, 0, 0]}}\n");
  const auto free = nlohmann::json::parse(run("modes " + floating + " --json").output);
  ASSERT_EQ(free["modes"].size(), 7u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(free["modes"][i]["frequency"], 0.0);
    EXPECT_TRUE(free["modes"][i]["decay_time"].is_null());
  }
  EXPECT_NEAR(free["modes"][6]["frequency"], std::sqrt(2.0) / (2 * std::numbers::pi), 1e-12);  // two inertias of 1
  EXPECT_THAT(run("modes " + floating).output, HasSubstr("(frequency 0: moves freely)"));
}

TEST_F(ModesCommand, WritesShapesThatTheViewerPlays) {
  const std::string file = directory_.write("mast.yaml", standing("20")), out = directory_.path("modes.h5");
  const Result result = run("modes " + file + " --input motor=2.5 -o " + out);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("written: " + out));
  const ResultFile modes = read_result_file(out);
  EXPECT_EQ(modes.sequence.kind, ResultSequence::Kind::modes);
  ASSERT_EQ(modes.samples.size(), 1u);
  const double q = modes.samples[0].q[0];
  EXPECT_NEAR(20 * q - 9.81 * std::sin(q), 2.5, 1e-9);
  EXPECT_EQ(modes.sequence.vector("shape_real").values(0, 0), 1.0);
  EXPECT_EQ(modes.sequence.vector("shape_real").columns[0], "bar.joint.v0");
  const double omega = std::sqrt((20 - 9.81 * std::cos(q)) / 0.6);
  EXPECT_NEAR(modes.sequence.column("frequency").values[0], omega / (2 * std::numbers::pi), 1e-12);
  // one swing of it, about the equilibrium
  const ShownRun shown = shown_result(out);
  ASSERT_GT(shown.samples.size(), 10u);
  double least = 1e9, most = -1e9;
  for (const Sample& sample : shown.samples) least = std::min(least, sample.q[0]), most = std::max(most, sample.q[0]);
  EXPECT_NEAR(0.5 * (least + most), q, 1e-9);
  EXPECT_GT(most - least, 0.05);
  EXPECT_NEAR(shown.samples.front().q[0], shown.samples.back().q[0], 1e-12);
  EXPECT_EQ(run("view " + out + " --no-open").code, 0);
  const Result plot = run("plot " + out);
  EXPECT_EQ(plot.code, 2);
  EXPECT_THAT(plot.errors, HasSubstr("there are no curves of modes"));
}

TEST_F(ModesCommand, SaysWhatGrows) {
  directory_.write("mast.yaml", standing("0"));
  const std::string file = directory_.path("mast.yaml");
  const auto json = nlohmann::json::parse(run("statics " + file + " --json").output);
  // I s^2 + d s - m g l / 2 = 0
  const double growth = (-0.3 + std::sqrt(0.09 + 4 * 0.6 * 9.81)) / 1.2;
  EXPECT_EQ(json["stable"], false);
  EXPECT_EQ(json["stability"], "unstable");
  EXPECT_NEAR(json["growth_rate"], growth, 1e-12);
  EXPECT_THAT(run("statics " + file).output, HasSubstr("(unstable, grows by exp("));
  EXPECT_THAT(run("modes " + file).output, HasSubstr("about an equilibrium that is unstable"));

  const std::string scenario = directory_.write(
      "run.yaml",
      "cuttle: 1\nrobot: mast.yaml\nsimulation: {duration: 0.01, output_step: 0.01, initial: {statics: true}}\n");
  const Result unstable = run("simulate " + scenario + " -o " + directory_.path("a.h5"));
  EXPECT_EQ(unstable.code, 0);
  EXPECT_THAT(unstable.errors, HasSubstr("warning: initial: the equilibrium of statics is unstable"));
  const Result stable =
      run("simulate " + scenario + " -o " + directory_.path("b.h5") + " --set robot.links.bar.joint.stiffness=20");
  EXPECT_EQ(stable.errors, "");
}

// a cantilever of 51 rods, with 306 coordinates: as many of the lowest as are asked for
TEST_F(ModesCommand, LargeRobotsHaveTheirLowest) {
  constexpr int k_rods = 51;
  std::string text = "cuttle: 1\nname: long\ngravity: [0, 0, 0]\nlinks:\n";
  for (int i = 0; i < k_rods; ++i) {
    text += "- {name: rod" + std::to_string(i) + ", parent: " + (i == 0 ? "base" : "rod" + std::to_string(i - 1)) +
            ", body: {type: rod, length: 0.1, section: {shape: circle, radius: 0.02}, strain: pcs, quadrature: "
            "{points: 5}, material: {density: 1050, young_modulus: 4.0e+5, poisson_ratio: 0.45}}}\n";
  }
  const std::string file = directory_.write("long.yaml", text);
  const Result result = run("modes " + file + " --count 3 --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["modes"].size(), 3u);
  const double length = 0.1 * k_rods, speed = std::sqrt(4e5 * 1e-4 / 1050);  // sqrt(EI / (rho A)), I / A = r^2 / 4
  const double first = std::pow(1.8751040687 / length, 2) * speed / (2 * std::numbers::pi);
  const double second = std::pow(4.6940911330 / length, 2) * speed / (2 * std::numbers::pi);
  EXPECT_NEAR(json["modes"][0]["frequency"], first, 1e-3 * first);
  EXPECT_NEAR(json["modes"][1]["frequency"], first, 1e-3 * first);
  EXPECT_NEAR(json["modes"][2]["frequency"], second, 2e-3 * second);
  const Result shown = run("modes " + file + " --count 2");
  EXPECT_THAT(shown.output, HasSubstr("long: the lowest 2 modes about an equilibrium that is stable"));
  EXPECT_THAT(shown.output, HasSubstr("(--count shows more)"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
