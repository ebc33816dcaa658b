// Figures of curves over time: what they show is what the samples hold, in units that the axes name.
#include "cuttle/view/curve_plot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <regex>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"
#include "view/result_curves.h"
#include "view/si_unit.h"
#include "view/svg_curves.h"
#include "view/svg_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char* const k_robot = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1000, young_modulus: 1.0e5, damping_time: 0.02}}
links:
  - {name: shoulder, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0.1], tip: {position: [0, 0, 0.2]}}}
  - {name: slider, joint: {type: cylindrical, damping: 1}, body: {type: rigid, mass: 0.5, com: [0, 0.02, 0], inertia: [1.0e-3, 1.0e-3, 1.0e-3, 0, 0, 0]}}
  - {name: finger, body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, strain: pcc, quadrature: {points: 4}}}
actuators: [{name: motor, type: joint, link: shoulder}]
)";

ShownRun simulated(const std::string& label, double q, double duration = 0.5) {
  ShownRun run;
  run.label = label;
  run.robot = read_robot_text(k_robot, "arm.yaml");
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = 0.01;
  scenario.initial["shoulder"] = {{q}, {}};
  scenario.inputs["motor"] = Signal(0.3);
  MemoryRecorder memory;
  Simulator(Model(run.robot), scenario).run({&memory});
  run.samples = memory.samples();
  return run;
}

const ShownRun& run_a() {
  static const ShownRun k_run = simulated("a", 0.5);
  return k_run;
}

struct Text {
  double x, y;
  std::string text;
};
std::vector<Text> texts(const std::string& svg, const std::string& style) {
  static const std::regex k_text("<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" ([^>]*)>([^<]*)</text>");
  std::vector<Text> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), k_text), end; i != end; ++i) {
    if ((*i)[3].str().find(style) != std::string::npos)
      all.push_back({std::stod((*i)[1]), std::stod((*i)[2]), (*i)[4]});
  }
  return all;
}

struct Line {
  std::vector<SvgPoint> points;
  std::string color, dash;
};
std::vector<Line> lines(const std::string& svg) {
  static const std::regex k_line(
      "<polyline points=\"([^\"]*)\" fill=\"none\" stroke=\"([^\"]*)\"( stroke-dasharray=\"([^\"]*)\")?/>");
  std::vector<Line> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), k_line), end; i != end; ++i) {
    Line line{{}, (*i)[2], (*i)[4]};
    std::istringstream points((*i)[1]);
    for (std::string point; points >> point;) {
      const std::size_t comma = point.find(',');
      line.points.push_back({std::stod(point.substr(0, comma)), std::stod(point.substr(comma + 1))});
    }
    all.push_back(std::move(line));
  }
  return all;
}

double number(std::string text) {
  const std::string minus = "\u2212";
  if (text.starts_with(minus)) text.replace(0, minus.size(), "-");
  return std::stod(text);
}

/// Reads values off a figure, by the numbers at its axes, as its reader does.
class Scale {
 public:
  Scale(double place_a, double value_a, double place_b, double value_b)
      : place_(place_a), value_(value_a), slope_((value_b - value_a) / (place_b - place_a)) {}
  double value(double place) const { return value_ + slope_ * (place - place_); }
  double per_pixel() const { return std::abs(slope_); }

 private:
  double place_, value_, slope_;
};

/// Scale of the y axis of a figure of one panel.
Scale y_scale(const std::string& svg) {
  const auto numbers = texts(svg, "text-anchor=\"end\"");
  const Text &first = numbers.front(), &last = numbers.back();
  return {first.y - 4.2, number(first.text), last.y - 4.2, number(last.text)};
}
Scale x_scale(const std::string& svg) {
  std::vector<Text> numbers;
  for (const Text& text : texts(svg, "font-size=\"12\" fill=\"#22272d\" text-anchor=\"middle\""))
    numbers.push_back(text);
  return {numbers.front().x, number(numbers.front().text), numbers.back().x, number(numbers.back().text)};
}

void expect_values(const Line& line, const std::string& svg, const std::vector<Sample>& samples,
                   const std::function<double(const Sample&)>& value) {
  const Scale x = x_scale(svg), y = y_scale(svg);
  for (const SvgPoint& point : line.points) {
    const double time = x.value(point.x);
    const auto nearest = std::min_element(samples.begin(), samples.end(), [time](const Sample& a, const Sample& b) {
      return std::abs(a.time - time) < std::abs(b.time - time);
    });
    ASSERT_LT(std::abs(nearest->time - time), 0.1 * x.per_pixel());
    EXPECT_NEAR(y.value(point.y), value(*nearest), 0.1 * y.per_pixel()) << "at " << time;
  }
  EXPECT_GT(line.points.size(), 20u);
}

TEST(CurvePlot, ShowsTheValuesOfTheSamples) {
  const auto& samples = run_a().samples;
  const std::string q = curve_plot({run_a()}, {.what = {"shoulder.joint.q0"}});
  EXPECT_EQ(xml_problem(q), "");
  ASSERT_EQ(lines(q).size(), 1u);
  expect_values(lines(q)[0], q, samples, [](const Sample& s) { return s.q[0]; });

  const std::string tip = curve_plot({run_a()}, {.what = {"tip"}});
  ASSERT_EQ(lines(tip).size(), 3u);
  for (int i = 0; i < 3; ++i) {
    expect_values(lines(tip)[static_cast<std::size_t>(i)], tip, samples,
                  [i](const Sample& s) { return s.tips.back().position[i]; });
  }
  EXPECT_THAT(tip, HasSubstr(">finger.tip [m]<"));
  EXPECT_THAT(tip, HasSubstr(">time [s]<"));

  const std::string stretch = curve_plot({run_a()}, {.what = {"*.sigma_z"}});  // less than 1 mm
  ASSERT_EQ(lines(stretch).size(), 1u);
  const int last = static_cast<int>(samples.front().q.size()) - 1;
  double largest = 0.0;
  for (const Sample& s : samples) largest = std::max(largest, std::abs(s.q[last]));
  ASSERT_LT(largest, 0.1);
  const SuitedUnit unit = suited_unit("m", largest);
  EXPECT_THAT(stretch, HasSubstr(">finger.sigma_z.0 [" + unit.name + "]<"));
  expect_values(lines(stretch)[0], stretch, samples, [&](const Sample& s) { return unit.factor * s.q[last]; });
}

TEST(CurvePlot, HasAPanelForEachUnitOfAGroup) {
  // angles of shoulder, slider and bending in rad; displacement and stretch in m
  const std::string svg = curve_plot({run_a()}, {.what = {"q", "v", "u", "y", "energy", "works"}});
  EXPECT_EQ(xml_problem(svg), "");
  std::vector<std::string> labels;
  for (const Text& text : texts(svg, "rotate(-90")) labels.push_back(text.text.substr(0, text.text.find(' ')));
  EXPECT_THAT(labels, ElementsAre("q", "q", "v", "v", "motor", "motor.y", "energy", "work"));
  EXPECT_EQ(texts(svg, "font-size=\"13\" fill=\"#22272d\" text-anchor=\"middle\"").size(), labels.size() + 1);
}

TEST(CurvePlot, LiesRunsOverEachOther) {
  ShownRun b = simulated("b & c", 0.8, 0.3);
  const std::string svg = curve_plot({run_a(), b}, {.what = {"shoulder.joint.q0"}, .title = "two <runs>"});
  EXPECT_EQ(xml_problem(svg), "");
  const std::vector<Line> all = lines(svg);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].dash, "");
  EXPECT_NE(all[1].dash, "");
  EXPECT_EQ(all[0].color, all[1].color);
  expect_values(all[0], svg, run_a().samples, [](const Sample& s) { return s.q[0]; });
  expect_values(all[1], svg, b.samples, [](const Sample& s) { return s.q[0]; });
  EXPECT_THAT(svg, HasSubstr(">a<"));
  EXPECT_THAT(svg, HasSubstr(">b &amp; c<"));
  EXPECT_THAT(svg, HasSubstr(">two &lt;runs&gt;<"));
}

TEST(CurvePlot, CanShowAPartOfTheTime) {
  const std::string svg = curve_plot({run_a()}, {.what = {"shoulder.joint.q0"}, .from = 0.1, .to = 0.305});
  const std::vector<SvgPoint> points = lines(svg).at(0).points;
  const Scale x = x_scale(svg);
  EXPECT_NEAR(x.value(points.front().x), 0.1, 0.1 * x.per_pixel());
  EXPECT_NEAR(x.value(points.back().x), 0.3, 0.1 * x.per_pixel());
  EXPECT_EQ(message<ArgumentError>([] { curve_plot({run_a()}, {.from = 2.0}); }),
            "a: found no row from 2 s to inf s, expected a part of 0 s to 0.5 s");
}

TEST(CurvePlot, HasTheSizeThatIsAskedFor) {
  EXPECT_THAT(curve_plot({run_a()}, {.what = {"q"}}), HasSubstr("width=\"84mm\""));
  EXPECT_THAT(curve_plot({run_a()}, {.what = {"q"}, .width = 174, .height = 100}),
              HasSubstr("width=\"174mm\" height=\"100mm\""));
  const std::string small = message<ArgumentError>([] { curve_plot({run_a()}, {.width = 20}); });
  EXPECT_THAT(small, HasSubstr("size: found 20 x "));
  EXPECT_THAT(small, HasSubstr(" mm, expected at least "));
  for (const double size : {1e5, 1e300, std::numeric_limits<double>::infinity()}) {  // ticks would fill all memory
    const std::string text = fmt::format("size: found {:g} mm, expected at most 10000 mm a side", size);
    EXPECT_EQ(message<ArgumentError>([size] { curve_plot({run_a()}, {.width = size}); }), text);
    EXPECT_EQ(message<ArgumentError>([size] { curve_plot({run_a()}, {.height = size}); }), text);
  }
}

TEST(CurvePlot, KeepsEveryTextWithinTheFigure) {
  CurvePlotOptions options;
  options.what = {"frames", "q", "v", "energy", "finger.*"};
  const std::string svg = curve_plot({run_a()}, options);
  std::smatch box;
  ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
  const double width = std::stod(box[1]), height = std::stod(box[2]);
  for (const Text& text : texts(svg, "font-size=\"12\"")) {
    EXPECT_GT(text.y, 10.0) << text.text;
    EXPECT_LT(text.y, height - 3) << text.text;
  }
  for (const Text& text : texts(svg, "font-size=\"12\" fill=\"#22272d\"")) {
    const double right = text.x + svg_text_width(text.text, 12);
    EXPECT_LT(right, width + svg_text_width(text.text, 6)) << text.text;  // at most the half of a centered number more
  }
  for (const Text& text : texts(svg, "text-anchor=\"end\"")) {
    EXPECT_GT(text.x - svg_text_width(text.text, 12), 14.0) << text.text;
  }
}

TEST(CurvePlot, NamesWhatItDoesNotKnow) {
  const auto said = [](std::vector<std::string> what) {
    return message<ArgumentError>([&] { curve_plot({run_a()}, {.what = std::move(what)}); });
  };
  EXPECT_THAT(said({"q", "enrgy"}),
              HasSubstr("what: found 'enrgy', which 'arm' does not have, expected q, v, u, y, energy, "));
  EXPECT_THAT(said({"enrgy"}), HasSubstr("; did you mean 'energy'?"));
  EXPECT_THAT(said({"kappa_y"}), HasSubstr("; did you mean 'finger.kappa_y'?"));  // without its first part
  EXPECT_THAT(said({"loops"}), HasSubstr("what: found 'loops', of which 'arm' has none, expected q, "));
  EXPECT_THAT(said({"q+"}), HasSubstr("what: found '', which"));
  EXPECT_THAT(said({"finger.base"}), HasSubstr("found 'finger.base'"));
}

TEST(ResultCurves, AreFoundByGroupNameOrPattern) {
  const CurveFinder finder(run_a().robot);
  const auto found = [&](const std::string& item) {
    std::vector<std::string> names;
    for (const ResultCurves& panel : finder.find(item, run_a().samples)) {
      for (const ResultCurve& curve : panel.curves) names.push_back(curve.name);
    }
    return names;
  };
  EXPECT_THAT(found("finger.kappa_x"), ElementsAre("finger.kappa_x.0"));
  EXPECT_THAT(found("*.kappa_?"), ElementsAre("finger.kappa_x.0", "finger.kappa_y.0"));
  EXPECT_THAT(found("finger.kappa_x.0.rate"), ElementsAre("finger.kappa_x.0.rate"));
  EXPECT_THAT(found("shoulder.joint.?0"), ElementsAre("shoulder.joint.q0", "shoulder.joint.v0"));
  EXPECT_THAT(found("shoulder.tip"), ElementsAre("shoulder.tip.x", "shoulder.tip.y", "shoulder.tip.z"));
  EXPECT_THAT(found("finger.tip.x+motor"), ElementsAre("finger.tip.x", "motor"));
  EXPECT_THAT(found("energy"), ElementsAre("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"));
  EXPECT_EQ(found("tips").size(), 9u);
  EXPECT_EQ(found("frames").size(), 21u);
  EXPECT_EQ(finder.find("tips", run_a().samples).size(), 3u);
  EXPECT_EQ(finder.find("tips+q", run_a().samples).size(), 1u);
  const auto q = finder.find("q", run_a().samples);
  EXPECT_EQ(q[0].curves[0].label, "shoulder");  // its joint has no other coordinate
  EXPECT_EQ(q[0].curves[1].label, "slider.joint.q0");
}

TEST(ResultCurves, GiveTheTotalEnergy) {
  const CurveFinder finder(run_a().robot);
  const auto total = finder.find("energy.total", run_a().samples);
  for (std::size_t i = 0; i < run_a().samples.size(); ++i) {
    EXPECT_EQ(total[0].curves[0].values[i], run_a().samples[i].energy());
  }
}

TEST(SuitedUnit, KeepsNumbersReadable) {
  const auto text = [](const std::string& unit, double largest) {
    const SuitedUnit suited = suited_unit(unit, largest);
    return fmt::format("{:.6g} {}", largest * suited.factor, suited.name);
  };
  EXPECT_EQ(text("m", 0.25), "0.25 m");
  EXPECT_EQ(text("m", 0.025), "25 mm");
  EXPECT_EQ(text("m", 12.0), "12 m");
  EXPECT_EQ(text("m/s", 2e-5), "20 \u00b5m/s");
  EXPECT_EQ(text("Pa", 15000), "15 kPa");
  EXPECT_EQ(text("Pa", 2e6), "2 MPa");
  EXPECT_EQ(text("N m", 0.004), "4 mN m");
  EXPECT_EQ(text("1/m", 0.05), "0.05 1/m");  // a prefix would belong to the meter
  EXPECT_EQ(text("1/s", 5000), "5000 1/s");
  EXPECT_EQ(text("rad", 0.004), "4 mrad");
  EXPECT_EQ(text("rad", 5000), "5000 rad");
  EXPECT_EQ(text("rad/s", 50000), "50 10\u00b3 rad/s");
  EXPECT_EQ(text("m^3", 3e-6), "3 cm\u00b3");
  EXPECT_EQ(text("m^3", 3e-9), "3 mm\u00b3");
  EXPECT_EQ(text("m", 4e-14), "40 10\u207b\u00b9\u2075 m");
  EXPECT_EQ(text("1", 0.5), "0.5 1");
  EXPECT_EQ(text("1", 2e-7), "200 10\u207b\u2079");
  EXPECT_EQ(text("J", 0.0), "0 J");
}

// What is not finite, as multipliers that an integrator does not give, leaves a gap.
TEST(SvgCurves, HaveGaps) {
  SvgCanvas canvas(100, 100);
  const double nan = std::nan("");
  const SvgPanel panel(canvas, {0, 0, 100, 100}, {0, 5}, {0, 1});
  draw_curves(canvas, panel, {{"c", "#000000", "", {0, 1, 2, 3, 4, 5}, {0, 1, nan, nan, 0.5, 0}}});
  EXPECT_EQ(lines(canvas.document("t", "d")).size(), 2u);
  const SvgPanel::Range nothing = curve_range({{"c", "", "", {0}, {nan}}});
  EXPECT_TRUE(std::isfinite(nothing.low) && nothing.low < nothing.high);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
