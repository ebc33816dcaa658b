// Figures have every energy and work that results have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cuttle/simulation/recorded_quantities.h"
#include "cuttle/view/figure_recorder.h"
#include "cuttle/view/svg_plot.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using ::testing::HasSubstr;

/// What moves goes into contacts: a ball that is about to turn around.
std::vector<Sample> samples_of_an_impact(const Model& model) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 20; ++i) {
    Sample sample = sized_sample({model, {}, {}}, 0.0);
    sample.time = 0.01 * i;
    sample.tips.assign(model.links().size(), Pose());
    sample.contact = 0.3 * i, sample.kinetic = 6.0 - 0.3 * i;
    samples.push_back(std::move(sample));
  }
  return samples;
}

TEST(FigureEnergies, OfContactsAreShownAndTheSumStays) {
  const Model model(test::pendulum());
  const std::string svg = svg_plot(test::pendulum(), samples_of_an_impact(model));
  EXPECT_THAT(svg, HasSubstr(">contacts<"));
  // the sum is the dashed line: all its points have one height
  std::smatch line;
  ASSERT_TRUE(std::regex_search(svg, line, std::regex("<polyline points=\"([^\"]*)\"[^>]*stroke-dasharray=\"5 4\"")))
      << svg;
  std::istringstream points(line[1].str());
  std::set<std::string> heights;
  for (std::string point; points >> point;) heights.insert(point.substr(point.find(',')));
  EXPECT_EQ(heights.size(), 1u) << line[1];
}

TEST(FigureEnergies, AreKeptByTheRecorder) {
  const Model model(test::pendulum());
  FigureRecorder figure;
  figure.begin(model, {});
  Sample sample = sized_sample({model, {}, {}}, 0.0);
  double number = 1.0;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.balance != 0.0) quantity.number(sample) = number++;
  }
  figure.record(sample);
  const std::vector<Sample> kept = figure.samples();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].energy(), sample.energy());
  EXPECT_EQ(kept[0].balance().work, sample.balance().work);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
