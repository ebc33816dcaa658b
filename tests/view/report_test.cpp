// Pages hold what the run holds.
#include "cuttle/view/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cuttle/error.h"
#include "cuttle/view/scene.h"
#include "view/packed_numbers.h"
#include "view/view_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string k_page =
    R"(<html><body><script type="application/json" id="cuttle-page">null</script><p>after</p></body></html>)";

Json data_of(const std::string& page) {
  const std::string opening = R"(id="cuttle-page">)";
  const auto begin = page.find(opening) + opening.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ReportTest, FramesAreThoseOfTheScene) {
  const ShownRun run = test::invented_run();
  const Json data = data_of(report_page(k_page, {run}));
  const Json& shown = data["runs"][0];
  const std::size_t frames = run.samples.size();
  const auto times = test::unpacked(shown["times"]);
  ASSERT_EQ(times.size(), frames);
  const auto numbers = test::unpacked_frames(shown["blocks"], shown["scene"]["size"], frames);
  Scene scene(run.robot);
  std::vector<double> exact(scene.size());
  std::vector<double> largest(scene.size(), 0.0);
  for (const Sample& sample : run.samples) {
    scene.frame(sample, exact);
    for (const SceneRange& range : scene.ranges()) {
      for (int i = range.at; i < range.at + range.size; ++i)
        largest[range.at] = std::max(largest[range.at], std::abs(exact[i]));
    }
  }
  Scene again(run.robot);
  for (std::size_t f = 0; f < frames; ++f) {
    EXPECT_EQ(times[f], run.samples[f].time);
    again.frame(run.samples[f], exact);
    for (const SceneRange& range : scene.ranges()) {
      const double tolerance = range.kind == SceneRange::Kind::points  ? 1e-5 * scene.reach()
                               : range.kind == SceneRange::Kind::poses ? 5e-5
                                                                       : 1e-3 * largest[range.at];
      for (int i = range.at; i < range.at + range.size; ++i) {
        ASSERT_EQ(numbers[i].size(), frames);
        EXPECT_NEAR(numbers[i][f], exact[i], tolerance + 1e-7) << i;
      }
    }
  }
}

TEST(ReportTest, PlotsHaveAllDigitsOfAllSamples) {
  const ShownRun run = test::invented_run(90);
  ReportOptions options;
  options.frames = 20;
  const Json data = data_of(report_page(k_page, {run}, options));
  const Json& shown = data["runs"][0];
  EXPECT_EQ(shown["times"]["count"], 20);
  EXPECT_EQ(test::unpacked(shown["times"]).back(), run.samples.back().time);
  EXPECT_EQ(shown["series"]["times"]["count"], 90);
  bool found = false, total = false;
  for (const Json& group : shown["series"]["groups"]) {
    for (const Json& curve : group["curves"]) {
      const auto values = test::unpacked(curve["values"]);
      ASSERT_EQ(values.size(), 90u);
      if (curve["name"] == "tube.joint.q0" || curve["name"] == "tube.q") found = true;
      if (curve["name"] == "energy.total") {
        total = true;
        for (std::size_t f = 0; f < 90; ++f) EXPECT_EQ(values[f], run.samples[f].energy());
      }
      if (group["key"] == "q" || group["key"] == "q_soft") {
        const Model model(run.robot);
        for (int i = 0; i < model.nq(); ++i) {
          if (model.configuration_info()[i].name != curve["name"]) continue;
          for (std::size_t f = 0; f < 90; ++f) EXPECT_EQ(values[f], run.samples[f].q[i]);
          found = true;
        }
      }
    }
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(total);
}

/// Shown curves by the keys of their groups, in the order of the page.
std::vector<std::pair<std::string, std::vector<std::string>>> shown_curves(const Json& run) {
  std::vector<std::pair<std::string, std::vector<std::string>>> shown;
  for (const Json& group : run["series"]["groups"]) {
    std::vector<std::string> names;
    for (const Json& curve : group["curves"]) {
      if (curve["shown"]) names.push_back(curve["name"]);
    }
    if (!names.empty()) shown.emplace_back(group["key"], names);
  }
  return shown;
}

TEST(ReportTest, TipAndEnergiesComeFirstAndSoftPartsBeforeJoints) {
  const ShownRun run = test::invented_run();
  const Json page = data_of(report_page(k_page, {run}));
  const auto shown = shown_curves(page["runs"][0]);
  std::vector<std::string> keys;
  for (const auto& group : shown) keys.push_back(group.first);
  EXPECT_EQ(keys, (std::vector<std::string>{"tips", "energy", "q_soft", "q", "u", "balance"}));
  EXPECT_EQ(shown[0].second, (std::vector<std::string>{"weight.tip.x", "weight.tip.y", "weight.tip.z"}));
  EXPECT_EQ(shown[2].second.size(), 8u) << "of more";
  EXPECT_EQ(shown[3].second, std::vector<std::string>{"tube.joint.q0"});
}

TEST(ReportTest, CurvesThatSayNothingAreNotShownAndSaySo) {
  ShownRun run = test::invented_run();
  const Model model(run.robot);
  const auto index_of = [&](const std::string& name) {
    for (int i = 0; i < model.nq(); ++i) {
      if (model.configuration_info()[i].name == name) return i;
    }
    return -1;
  };
  const int still = index_of("rod.kappa_x.0"), trembling = index_of("rod.kappa_y.0");
  ASSERT_GE(std::min(still, trembling), 0);
  double sign = 1.0;
  for (Sample& sample : run.samples) {
    sample.q[still] = 0.0, sample.q[trembling] = sign * 3e-12;  // "prad" on the page
    sample.input = sample.energy() - run.samples.front().energy() + sign * 1e-17;
    sample.u[0] = 0.0;
    sign = -sign;
  }
  const Json page = data_of(report_page(k_page, {run}));
  std::map<std::string, std::string> noise;
  std::map<std::string, bool> shown;
  for (const Json& group : page["runs"][0]["series"]["groups"]) {
    for (const Json& curve : group["curves"]) {
      noise[curve["name"]] = curve.value("noise", "");
      shown[curve["name"]] = curve["shown"];
    }
  }
  EXPECT_EQ(noise["rod.kappa_x.0"], "zero");
  EXPECT_EQ(noise["rod.kappa_y.0"], "rounding");
  EXPECT_EQ(noise["energy.balance_error"], "rounding");
  EXPECT_EQ(noise["motor"], "zero");
  EXPECT_EQ(noise["cable"], "");
  for (const char* name : {"rod.kappa_x.0", "rod.kappa_y.0", "energy.balance_error", "motor"}) {
    EXPECT_FALSE(shown[name]) << name;
  }
  for (const char* name : {"rod.sigma_z.0", "cable", "tube.joint.q0"}) EXPECT_TRUE(shown[name]) << name;
}

TEST(ReportTest, SaysWhatWasChanged) {
  ShownRun run = test::invented_run(2);
  run.changes = {"robot.gravity=[0, 0, 0]"};
  EXPECT_EQ(data_of(report_page(k_page, {run}))["runs"][0]["changes"], Json({"robot.gravity=[0, 0, 0]"}));
}

TEST(ReportTest, NamesCannotEndThePage) {
  ShownRun run = test::invented_run(3);
  run.label = "</script><script>alert(1)</script><!--";
  run.robot.links[0].name = "rod\xff";  // not UTF-8
  for (Load& load : run.robot.loads) {
    if (load.place.link == "rod") load.place.link = run.robot.links[0].name;
  }
  for (Actuator& actuator : run.robot.actuators) {
    const auto picture = actuator.transmission->picture();
    if (picture.chamber && picture.chamber->chamber.link == "rod") {
      actuator =
          Actuator::chamber(actuator.name, run.robot.links[0].name, picture.chamber->offset, picture.chamber->area);
    }
    if (picture.line.empty()) continue;
    std::vector<Routing> routing;
    for (const auto& part : picture.line) {
      routing.push_back(std::get<Routing>(part));
      if (routing.back().link == "rod") routing.back().link = run.robot.links[0].name;
    }
    actuator = Actuator::tendon(actuator.name, routing);
  }
  const std::string page = report_page(k_page, {run, run});
  EXPECT_EQ(page.find("</script>"), page.rfind("</script>"));
  EXPECT_THAT(page, HasSubstr("<p>after</p>"));
  const Json data = data_of(page);
  EXPECT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["runs"][1]["label"], run.label);
  EXPECT_EQ(data["runs"][0]["scene"]["name"], run.robot.name);
}

TEST(ReportTest, RefusesWhatItCannotShow) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([] { report_page(k_page, {}); }), HasSubstr("found no run"));
  ShownRun empty = test::invented_run(1);
  EXPECT_EQ(message([&] { report_page(k_page, {empty}); }), "");
  empty.samples.clear();
  EXPECT_THAT(message([&] { report_page(k_page, {empty}); }), HasSubstr("found no sample"));
  EXPECT_THAT(message([] { report_page("<html></html>", {test::invented_run(2)}); }), HasSubstr("cuttle-page"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
