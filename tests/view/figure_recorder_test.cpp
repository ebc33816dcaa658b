// What a figure keeps of a run does not grow with the run, and shows the same.
#include "cuttle/view/figure_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/simulation/simulator.h"
#include "cuttle/view/svg_plot.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Sample sample_at(double time) {
  Sample sample;
  sample.time = time;
  sample.q.setConstant(1, std::sin(time)), sample.v.setConstant(1, std::cos(time)), sample.y = sample.u = sample.v;
  sample.tips.resize(3);
  sample.tips.back().position = {std::sin(time), 0.0, 0.0};
  sample.kinetic = 1.0 + 1e-3 * std::sin(time);
  return sample;
}

TEST(FigureRecorderTest, KeepsEvenlySpacedSamplesHoweverLongTheRun) {
  const Model model(test::pendulum());
  for (const long count : {1L, 2L, 4095L, 4096L, 4097L, 50'001L, 300'000L}) {
    FigureRecorder figure;
    figure.begin(model, {});
    for (long i = 0; i < count; ++i) figure.record(sample_at(0.01 * static_cast<double>(i)));
    const std::vector<Sample> samples = figure.samples();
    ASSERT_LE(samples.size(), FigureRecorder::k_most) << count;
    ASSERT_GE(samples.size(), std::min<std::size_t>(static_cast<std::size_t>(count), FigureRecorder::k_most / 2 - 1));
    EXPECT_EQ(samples.front().time, 0.0);
    EXPECT_EQ(samples.back().time, 0.01 * static_cast<double>(count - 1)) << count;
    for (std::size_t i = 2; i + 1 < samples.size(); ++i) {
      EXPECT_NEAR(samples[i].time - samples[i - 1].time, samples[1].time, 1e-9) << count << ", " << i;
    }
    EXPECT_EQ(samples.back().tips.size(), 1u);
    EXPECT_EQ(samples.back().tips[0].position.x, std::sin(samples.back().time));
    EXPECT_EQ(samples.back().v.size() + samples.back().u.size() + samples.back().y.size(), 0);
  }
}

// A short error between two samples that are kept is told all the same.
TEST(FigureRecorderTest, TellsTheEnergyErrorOfAllSamples) {
  const Model model(test::pendulum());
  FigureRecorder figure;
  figure.begin(model, {});
  for (long i = 0; i < 100'001; ++i) {
    Sample sample = sample_at(0.01 * static_cast<double>(i));
    if (i == 77'777) sample.kinetic = 5.0;
    figure.record(sample);
  }
  EXPECT_NEAR(figure.balance().energy_error, 4.0, 1e-12);
  EXPECT_EQ(figure.balance().peak_kinetic, 5.0);
  const std::string svg = svg_plot(test::pendulum(), figure.samples(), {.title = {}, .balance = &figure.balance()});
  EXPECT_THAT(svg, testing::HasSubstr("energy balance error 4.0e+00 J, peak kinetic energy 5 J"));
}

TEST(FigureRecorderTest, DrawsShortRunsAsTheyAre) {
  const Model model(test::pendulum());
  Scenario s;
  s.duration = 0.5;
  s.initial["arm"] = {{0.7}, {}};
  FigureRecorder figure;
  MemoryRecorder memory;
  Simulator(model, s).run({&figure, &memory});
  EXPECT_EQ(svg_plot(model.robot(), figure.samples(), {.title = {}, .balance = &figure.balance()}),
            svg_plot(model.robot(), memory.samples()));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
