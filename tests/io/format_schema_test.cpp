// Readers and JSON Schemas take and refuse the same files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cuttle/io/scenario_file.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"
#include "support/format.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class FormatSchemas : public testing::Test {
 protected:
  FormatSchemas() { write_sample_companions(directory_); }

  /// What the reader says of a file; "ok" if it takes it.
  std::string reader_answer(bool scenario, const std::string& text) const {
    const std::string path = directory_.write("file.yaml", text);
    try {
      if (scenario) {
        load_scenario_file(path);
      } else {
        read_robot_file(path);
      }
      return "ok";
    } catch (const FileError& error) {
      return error.what();
    }
  }
  /// Both must take the file, or both refuse it.
  void expect(bool valid, bool scenario, const std::string& what, const std::string& text) {
    const std::string answer = reader_answer(scenario, text);
    EXPECT_EQ(answer == "ok", valid) << what << "\nreader: " << answer;
    judge_.add(scenario, text);
    expected_.push_back({what, valid});
  }
  void TearDown() override {
    const auto answers = judge_.answers();
    ASSERT_EQ(answers.size(), expected_.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(answers[i] == "ok", expected_[i].second) << expected_[i].first << "\nschema: " << answers[i];
    }
  }

  TemporaryDirectory directory_;
  SchemaJudge judge_;
  std::vector<std::pair<std::string, bool>> expected_;
};

TEST_F(FormatSchemas, TakeTheModelsOfTheProject) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::k_source_dir + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    // the reader of these has its test in CommandLine
    const bool scenario = kind_of_file(entry.path()) == FileKind::scenario;
    judge_.add(scenario, read_text_file(entry.path(), "a model"));
    expected_.push_back({entry.path(), true});
  }
  EXPECT_GE(expected_.size(), 10u);
}

TEST_F(FormatSchemas, TakeTheSamples) {
  for (const FormatSample& sample : format_samples()) expect(true, sample.scenario, sample.name, sample.text);
}

/// Values that a key must refuse, by what the table says of it.
std::vector<std::string> wrong_values(const Key& key) {
  using Kind = Key::Kind;
  std::vector<std::string> values{"~"};  // nothing is a value of no key
  const auto add = [&values](std::initializer_list<std::string> more) { values.insert(values.end(), more); };
  const auto add_out_of_range = [&](const std::string& before, const std::string& after) {
    if (std::isfinite(key.range.min)) add({before + fmt::format("{}", key.range.min - 1) + after});
    if (std::isfinite(key.range.max)) add({before + fmt::format("{}", key.range.max + 1) + after});
    if (std::isfinite(key.range.min) && key.range.min_open) add({before + fmt::format("{}", key.range.min) + after});
    if (std::isfinite(key.range.max) && key.range.max_open) add({before + fmt::format("{}", key.range.max) + after});
  };
  const auto has_form = [&key](Kind kind) {
    return std::any_of(key.forms.begin(), key.forms.end(), [kind](const Key& form) { return form.kind == kind; });
  };
  const auto is_side = [&has_form](const Key& of) {
    return (of.name == "a" || of.name == "b") && has_form(Kind::names);
  };
  std::string ones;
  for (int i = 1; i < key.count; ++i) ones += ", 1";
  switch (key.kind) {
    case Kind::integer:
      add({"1.5"});
      [[fallthrough]];
    case Kind::number:
      add({"zzz", "'1'", "[1]", "{}", "true"});
      add_out_of_range("", "");
      break;
    case Kind::boolean:
      add({"zzz", "3", "'true'", "[true]"});
      break;
    case Kind::name:
      add({"a.b", "a/b", "''"});
      [[fallthrough]];
    case Kind::text:
      add({"12", "true", "[a]", "{}"});
      break;
    case Kind::choice:
      add({"zzz", "12", "[" + key.choices.front() + "]"});
      break;
    case Kind::numbers:
      add({"zzz", "1", "{}", "[zzz" + ones + "]", "['1'" + ones + "]"});
      if (key.count > 0) add({"[]", "[1, 1" + ones + "]"});
      add_out_of_range("[", ones + "]");
      break;
    case Kind::profile:
      add({"zzz", "'1'", "[]", "{}", "[zzz" + ones + "]"});
      if (key.count > 0) add({"[1, 1" + ones + "]"});
      add_out_of_range("", "");
      add_out_of_range("[", ones + "]");
      break;
    case Kind::signal:
    case Kind::signals:
      add({"zzz", "1", "[1]", "[1, 1, zzz]", "[1, 1, {type: zzz}]", "[1, 1, {type: step, time: 1}]"});
      break;
    case Kind::map:
      add({"3", "zzz", "[]", "{zzz: 1}"});
      break;
    case Kind::maps:
      add({"3", "{}", "[3]", "[{zzz: 1}]"});
      break;
    case Kind::named_maps:
      add({"3", "[]", "{shoulder: 3}", "{shoulder: {zzz: 1}}"});
      break;
    case Kind::names:
      add({"3", "hip", "[3]", "[a/b]", "{}"});
      break;
    case Kind::other:
      // numbers among the forms are positive ones, or any at all; a list of names may have any word, a command any text
      add({"{zzz: zzz}", "[[zzz]]"});
      if (!has_form(Kind::number)) add({has_form(Kind::profile) ? "-3.5" : "3.5"});
      if (!has_form(Kind::names) && key.name != "command") add({"[zzz]"});
      // any word may be a color, a group of a mesh, or the name of a material or of what touches
      if (key.name != "color" && key.name != "surface" && key.name != "material" && !is_side(key)) add({"zzz"});
      break;
    case Kind::list:
    case Kind::named:
      break;  // only within other
  }
  return values;
}

TEST_F(FormatSchemas, RefuseEveryWrongKeyTypeAndRange) {
  std::set<const void*> seen;
  for (const FormatSample& sample : format_samples()) {
    const YamlNode file = parse_yaml(sample.text, sample.name);
    const auto refuse = [&](const KeyPlace& place, const YamlChange& change, const std::string& what) {
      expect(false, sample.scenario, sample.name + ": " + place.path + what, yaml_text(file, change));
    };
    for (const KeyPlace& place : key_places(file, sample.scenario ? k_scenario_table : k_robot_table)) {
      const bool given = place.mapping->find(place.name) != nullptr;
      const void* rule = place.key ? static_cast<const void*>(place.key) : place.variants;
      if (!given || !seen.insert(rule).second) continue;
      refuse(place, {place.mapping, place.name, {}, "zzz"}, ", called zzz");
      if (place.variants) {
        for (const char* value : {"zzz", "3", "~"})
          refuse(place, {place.mapping, place.name, value}, std::string(": ") + value);
        if (place.variants->fallback.empty()) refuse(place, {place.mapping, place.name}, ", left out");
        for (const auto& variant : place.variants->variants()) {
          if (!variant.table) refuse(place, {place.mapping, place.name, variant.choice}, ": " + variant.choice);
        }
        continue;
      }
      const bool alone = place.name == "kirchhoff";  // without it the mapping is one of strain components
      if (place.key->required && !alone) refuse(place, {place.mapping, place.name}, ", left out");
      for (const std::string& value : wrong_values(*place.key))
        refuse(place, {place.mapping, place.name, value}, ": " + value);
    }
  }
  EXPECT_GT(expected_.size(), 800u);
}

TEST_F(FormatSchemas, RefuseKeysThatExcludeOrNeedEachOther) {
  const auto robot = [](const std::string& text) {
    return "cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: 1}}]\n" + text;
  };
  const auto load = [&](const std::string& text) { return robot("loads: [{type: wrench, link: a, " + text + "}]\n"); };
  expect(true, false, "one load", load("torque: [0, 0, 1]"));
  expect(false, false, "no load", load("frame: body"));
  expect(true, false, "point", load("force: [0, 0, 1], at: {point: [0, 0, 0]}"));
  expect(false, false, "neither", load("force: [0, 0, 1], at: {}"));
  expect(false, false, "both", load("force: [0, 0, 1], at: {s: 0, point: [0, 0, 0]}"));
  expect(false, false, "rpy and quaternion", robot("base: {pose: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}}\n"));
  expect(false, false, "two dampings", robot("materials: {m: {density: 1, damping_time: 1, viscosity: 1}}\n"));
  expect(false, false, "key of another variant", robot("materials: {m: {model: linear, c1: 1}}\n"));
  expect(false, false, "key beside kirchhoff",
         "cuttle: 1\nlinks: [{name: a, body: {type: rod, length: 1, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: 1, "
         "rotary_inertia: [1, 1, 1], strain: {kirchhoff: constant, sigma_z: constant}}}]\n");
  expect(false, false, "no links", "cuttle: 1\nlinks: []\n");
}

TEST_F(FormatSchemas, KnowEverySpellingOfANumber) {
  const auto robot = [](const std::string& mass) {
    return "cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: " + mass + "}}]\n";
  };
  for (const char* good : {"1", "1.5", "6.6e5", "6.6e+5", "1.", ".5", "+.5", "1e-5", "1_000", "1_000.5e1", "0x1F",
                           "+0x1F", "0b101", "0o17", "1:30", "1:30:15.5", "1__0", ".5_0"}) {
    expect(true, false, good, robot(good));
  }
  for (const char* bad : {"'1'", "\"1.5\"", "'6.6e5'", "1e", "e5", "_1", "0x_1F", "1:75", "0b12", "1_000 kg", "--1",
                          "0x", "1,5", "-1", ".", "_"}) {
    expect(false, false, bad, robot(bad));
  }
}

TEST_F(FormatSchemas, KnowEverySpellingOfABoolean) {
  const auto robot = [](const std::string& hold) {
    return "cuttle: 1\nlinks: [{name: a}]\nloads: [{type: wrench, link: a, force: [0, 0, {type: table, file: "
           "table.csv, column: force, hold: " +
           hold + "}]}]\n";
  };
  for (const char* good : {"true", "True", "yes", "YES", "on", "Off", "FALSE", "no"})
    expect(true, false, good, robot(good));
  for (const char* bad : {"1", "y", "tRUE", "'true'"}) expect(false, false, bad, robot(bad));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
