// docs/format.md and docs/schema say what the readers' tables say, and the tables say all there is to say.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"
#include "support/format.h"
#include "support/meshes.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const std::string k_docs = test::k_source_dir + "/docs/";

TEST(FormatDocs, AreWhatTheGeneratorWrites) {
  const std::pair<std::string, std::string> files[] = {{"format.md", "markdown " + k_docs + "format.md.in"},
                                                       {"schema/cuttle-robot.schema.json", "robot-schema"},
                                                       {"schema/cuttle-scenario.schema.json", "scenario-schema"}};
  for (const auto& [file, arguments] : files) {
    const CommandOutput written = run_command(test::k_describe_format + " " + arguments);
    ASSERT_EQ(written.code, 0) << written.output;
    // compared as a whole: gtest's difference of two long texts takes minutes
    EXPECT_TRUE(written.output == read_text_file(k_docs + file, file))
        << "docs/" << file << " is out of date: make docs";
  }
}

TEST(FormatDocs, TheGeneratorRefusesATemplateThatForgetsATable) {
  const TemporaryDirectory directory;
  std::string text = read_text_file(k_docs + "format.md.in", "the template");
  const std::string line = "{{keys attach}}\n";
  ASSERT_NE(text.find(line), text.npos);
  text.erase(text.find(line), line.size());
  const CommandOutput result = run_command(test::k_describe_format + " markdown " + directory.write("t.md.in", text));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.output, "format.md.in: expected {{keys attach}}, found none\n");
}

std::vector<FormatPart> all_parts() {
  std::vector<FormatPart> parts = parts_of_file(k_robot_table);
  for (const FormatPart& part : parts_of_file(k_scenario_table)) parts.push_back(part);
  return parts;
}

/// Calls visit(where, key, table) for every key of every table.
template <typename Visit>
void for_all_keys(const Visit& visit) {
  for (const FormatPart& part : all_parts()) {
    const auto visit_table = [&visit](const std::string& name, const KeyTable& table) {
      for (const Key& key : table.keys) visit(name + "." + key.name, key, table);
    };
    if (part.table) visit_table(part.name, *part.table);
    if (!part.variants) continue;
    for (const auto& variant : part.variants->variants()) {
      if (variant.table) visit_table(part.name + " " + variant.choice, *variant.table);
    }
  }
}

bool is_sentence(const std::string& text) { return text.size() > 3 && (text.back() == '.' || text.back() == ')'); }

TEST(FormatTables, ExplainEveryKeyAndSayWhatHoldsWithoutIt) {
  int count = 0;
  for_all_keys([&count](const std::string& where, const Key& key, const KeyTable&) {
    EXPECT_TRUE(is_sentence(key.text)) << where << ": '" << key.text << "'";
    const bool has_default = !key.default_value.empty() || !key.missing.empty();
    EXPECT_NE(key.required, has_default) << where << ": required, or a default";
    ++count;
  });
  EXPECT_GT(count, 130);
}

/// A unit, or one of the two that say on purpose that there is none.
void expect_units(const std::string& where, const Key& key) {
  using Kind = Key::Kind;
  const std::set<Kind> of_numbers{Kind::number,  Kind::integer, Kind::numbers,
                                  Kind::profile, Kind::signal,  Kind::signals};
  if (of_numbers.count(key.kind) > 0) {
    EXPECT_EQ(key.unit.empty(), key.no_unit) << where;
  }
  const std::set<Kind> of_forms{Kind::other, Kind::list, Kind::named};
  EXPECT_EQ(of_forms.count(key.kind) > 0, !key.forms.empty()) << where;
  for (const Key& form : key.forms) expect_units(where, form);
}

TEST(FormatTables, GiveEveryNumberAUnitOrSayThatItHasNone) {
  for_all_keys([](const std::string& where, const Key& key, const KeyTable&) { expect_units(where, key); });
}

TEST(FormatTables, HaveNamesOfTheirOwnAndExamples) {
  std::set<std::string> names;
  std::set<const void*> seen;
  for (const FormatPart& part : all_parts()) {
    const void* address = part.table ? static_cast<const void*>(part.table) : part.variants;
    const bool is_new = seen.insert(address).second;
    EXPECT_EQ(names.insert(part.name).second, is_new) << part.name;
    EXPECT_NE(part.table ? part.table->example : "{}", "") << part.name;
    if (!part.variants) continue;
    for (const auto& variant : part.variants->variants()) {
      if (!variant.table) continue;
      EXPECT_TRUE(is_sentence(variant.text)) << part.name << " " << variant.choice;
      EXPECT_NE(variant.example, "") << part.name << " " << variant.choice;
    }
  }
}

/// The file in which an example of docs/format.md could stand: `%` marks its place.
std::string surroundings(const std::string& part) {
  const std::string materials =
      "materials: {silicone: {density: 1000, young_modulus: 1.0e5}, rubber: {model: neo_hookean, density: 1000, c1: "
      "1.0e4}, foam: {model: neo_hookean, density: 500, c1: 1.0e4, lame_lambda: 1.0e4}}, ";
  const std::string volume = "{name: b, body: {type: volume, material: rubber, ";
  const std::string cylinder = volume + "shape: {type: cylinder, length: 0.2, radius: 0.02}, kinematics: ";
  const std::string rod = "{type: rod, length: 0.3, material: silicone, section: {shape: circle, radius: 0.01}";
  const auto robot = [&](const std::string& links, const std::string& more = "") {
    return "{cuttle: 1, " + materials +
           "links: [{name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1, "
           "inertia: [1, 1, 1, 0, 0, 0]}}, {name: shoulder, joint: {type: revolute}, body: {type: rigid, mass: 1}}, " +
           links + "]" + more + "}";
  };
  const std::string finger = "{name: finger, body: " + rod + ", strain: pcc}}";
  const std::string body = "{name: a, body: " + rod;
  if (part == "robot file" || part == "scenario file") return "%";
  if (part == "base") return "{cuttle: 1, base: %, links: [{name: a}]}";
  if (part == "include") return "{cuttle: 1, include: %, links: [{name: a}]}";
  if (part == "link") return robot("%");
  if (part == "attach") return robot(finger + ", {name: b, attach: %}");
  if (part == "section of a rod") return robot(finger + ", {name: b, attach: {at: %}}");
  if (part == "pose") return robot("{name: b, attach: {pose: %}}");
  if (part == "visual") return robot("{name: b, visual: %}");
  if (part == "joint") return robot("{name: b, joint: %, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}");
  if (part == "body") return robot("{name: b, body: %}");
  if (part == "shape")
    return robot(volume + "kinematics: {type: lvp, primitives: [{type: twist, modes: [[1]]}]}, shape: %}}");
  if (part == "kinematics")  // of one of them a mesh and a material that resists changes of volume
    return robot("{name: b, body: {type: volume, material: foam, shape: {type: mesh, file: body.msh}, kinematics: %}}");
  if (part == "primitive") return robot(cylinder + "{type: lvp, primitives: [%]}}}");
  if (part == "backbone strain") return robot(cylinder + "{type: radial, strain: %}}}");
  if (part == "term") return robot(cylinder + "{type: ritz, modes: [[%]]}}}");
  if (part == "fem attachments") {
    return "cuttle: 1\nmaterials: {m: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1e5, poisson_ratio: "
           "0.3}}\nlinks: [{name: b, body: {type: volume, material: m, shape: {type: mesh, file: ring.msh}, "
           "kinematics: "
           "{type: fem, modes: 1, attachments: %}}}]\n";
  }
  if (part == "tip points") return robot(cylinder + "{type: lvp, primitives: [{type: twist, modes: [[1]]}]}, tip: %}}");
  if (part == "volume quadrature") {
    return robot(cylinder + "{type: lvp, primitives: [{type: twist, modes: [[1]]}]}, quadrature: %}}");
  }
  if (part == "section") return robot("{name: b, body: {type: rod, length: 1, material: silicone, section: %}}");
  if (part == "rod quadrature") return robot(body + ", strain: pcc, quadrature: %}}");
  if (part == "strain" || part == "kirchhoff strain") return robot(body + ", strain: %}}");
  if (part == "basis") return robot(body + ", strain: {kappa_x: %}}}");
  if (part == "rest strain") return robot(body + ", strain: pcs, rest_strain: %}}");
  if (part == "stiffening") return robot(body + ", strain: pcc, stiffening: %}}");
  if (part == "hyperelastic") return robot(body + ", strain: pcc, hyperelastic: %}}");
  if (part == "tanh law") return robot(body + ", strain: pcc, hyperelastic: {stretch: %}}}");
  if (part == "material") return "{cuttle: 1, materials: {m: %}, links: [{name: a}]}";
  if (part == "actuator") return robot(finger, ", actuators: [%]");
  const auto tendon = [&](const std::string& entry) {
    return robot(finger, ", actuators: [{name: cable, type: tendon, routing: [" + entry + "]}]");
  };
  if (part == "routing") return tendon("%");
  if (part == "helical offset") return tendon("{link: finger, offset: %}");
  if (part == "helix") return tendon("{link: finger, offset: {helix: %}}");
  const std::string twisted = cylinder + "{type: lvp, primitives: [{type: twist, modes: [[1]]}]}}}";
  const std::string pocket = ", actuators: [{name: p, type: chamber, link: b, surface: ";
  if (part == "pocket surface") return robot(twisted, pocket + "%}]");
  if (part == "pocket") return robot(twisted, pocket + "{pocket: %}}]");
  if (part == "element") {
    return robot(finger,
                 ", actuators: [{name: cable, type: tendon, routing: [{link: finger, offset: [0.005, 0]}]}], "
                 "elements: [%]");
  }
  if (part == "load") return robot(finger, ", loads: [%]");
  const std::string bars =
      "{name: coupler, joint: {type: revolute}}, {name: rocker, parent: base, joint: {type: revolute}}";
  if (part == "loop") return robot(bars, ", loops: [%]");
  const std::string ball =
      "{name: ball, joint: {type: free}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, contact: ";
  const std::string sphere = "{shape: sphere, radius: 0.1}", ground = ", obstacles: [{name: ground, shape: plane}]";
  const auto resting = [&](const std::string& shape, const std::string& contact) {
    return robot(ball + shape + ", attach: {pose: {position: [0, 0, 1]}}}", ground + ", contacts: [" + contact + "]");
  };
  if (part == "obstacle") return robot("{name: hand}", ", obstacles: [%]");
  if (part == "contact") {  // of the link `arm`, as the example has it
    return "{cuttle: 1, links: [{name: arm, joint: {type: free}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, "
           "0]}, contact: " +
           sphere + "}]" + ground + ", contacts: [%]}";
  }
  if (part == "contact shape") return robot(ball + "%}");
  if (part == "friction") return resting(sphere, "{name: c, a: ball, b: ground, modulus: 1.0e6, friction: %}");
  if (part == "marker") return robot("{name: hand}", ", markers: [%]");
  if (part == "sensor") {
    return robot(finger + ", {name: hand}",
                 ", actuators: [{name: cable, type: tendon, routing: [{link: finger, offset: [0.005, 0]}]}, {name: "
                 "bellow, type: chamber, link: finger, area: 1.0e-5}], obstacles: [{name: ground, shape: plane, pose: "
                 "{position: [0, 0, -1]}}], contacts: [{name: floor, a: finger, b: ground}], sensors: [%]");
  }
  if (part == "frame of a loop") return robot(bars, ", loops: [{name: l, type: spherical, b: {link: base}, a: %}]");
  if (part == "place") return robot("{name: b}", ", loads: [{type: wrench, link: arm, force: [0, 0, 1], at: %}]");
  if (part == "signal") return robot("{name: b}", ", loads: [{type: wrench, link: arm, force: [%, 0, 0]}]");
  const std::string simulation = "{cuttle: 1, robot: arm.yaml, simulation: {";
  if (part == "simulation") return "{cuttle: 1, robot: arm.yaml, simulation: %}";
  if (part == "integrator") return simulation + "integrator: %}}";
  if (part == "controller") return simulation + "controllers: [%]}}";
  const auto servo = [&](const std::string& keys) {
    return simulation + "controllers: [{name: c, type: pid, " + keys + "}]}}";
  };
  if (part == "control limits") return servo("inputs: [motor, motor1], reference: [0, 0], limits: %");
  if (part == "control noise") return servo("inputs: [motor], reference: [0], rate: 100, noise: %");
  if (part == "control resolution") return servo("inputs: [motor], reference: [0], rate: 100, resolution: %");
  if (part == "control reference") return servo("inputs: [motor], window: [0, 1], reference: %");
  const auto control = [&](const std::string& keys) {
    return simulation + "controllers: [{name: c, inputs: [motor], " + keys + "}]}}";
  };
  if (part == "estimated parameter") {
    return control("type: adaptive, links: [shoulder], reference: [0], parameters: [%]");
  }
  if (part == "reference of a frame") {
    return control(
        "type: operational_space, frame: shoulder.tip, stiffness: [0, 0, 1, 0, 0, 0], damping: [0, 0, 0, 0, 0, 0], "
        "reference: %");
  }
  if (part == "equilibrium of a controller") {
    return control("type: lqr, state_weight: 1, input_weight: 1, equilibrium: %");
  }
  if (part == "model of a controller") {
    return control("type: partial_feedback_linearization, reference: [0], model: %");
  }
  if (part == "parameter of a model") {
    return control("type: pd_plus, links: [shoulder], reference: [0], model: {parameters: [%]}");
  }
  if (part == "initial equilibrium") return simulation + "initial: %}}";
  if (part == "pose in time") return "{cuttle: 1, robot: boat.yaml, simulation: {motion: {base: %}}}";
  if (part == "initial state") return simulation + "initial: {shoulder: %}}}";
  return "";
}

/// The network that docs/format.md shows.
std::string network() {
  const std::string text = read_text_file(k_docs + "format.md", "the format");
  const std::size_t begin = text.find("    {\"format\": \"cuttle-mlp-1\"");
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

class FormatExamples : public testing::Test {
 protected:
  FormatExamples() {
    directory_.write(
        "arm.yaml",
        "cuttle: 1\nlinks: [{name: shoulder, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [1, 0, 0]}}, "
        "{name: gripper}]\nactuators: [{name: motor, type: joint, link: shoulder}, {name: motor1, type: joint, link: "
        "shoulder}]\n");
    directory_.write("boat.yaml",
                     "cuttle: 1\nlinks: [{name: hull, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]\n");
    directory_.write("ur10e.urdf", "<robot name='ur'><link name='root'/></robot>");
    directory_.write("torques.csv", "time,shoulder\n0,1\n");
    directory_.write("body.msh", test::msh_text(test::box_mesh({1, 1, 1}, 1, 1, 2), "2.2"));
    TetrahedralMesh ring = test::ring_mesh({0.1, 0.1, 0.2}, 2);
    ring.groups[0].name = "cavity";
    directory_.write("ring.msh", test::msh_text(ring, "2.2"));
    directory_.write("body.json", network());
    directory_.write("bend.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    directory_.write("gripper.stl",
                     "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                     "endfacet\nendsolid\n");
  }
  /// Both the reader and the schema take it.
  void expect_good(const std::string& where, const std::string& text) {
    const bool scenario = parse_yaml(text, "text").find("simulation") != nullptr;
    const CommandOutput checked = run_command(test::k_tool + " check " + directory_.write("file.yaml", text));
    EXPECT_EQ(checked.code, 0) << where << ":\n" << text << "\n" << checked.output;
    judge_.add(scenario, text);
    places_.push_back(where + ":\n" + text);
  }
  void TearDown() override {
    const auto answers = judge_.answers();
    for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], "ok") << places_[i];
  }

  TemporaryDirectory directory_;
  SchemaJudge judge_;
  std::vector<std::string> places_;
};

TEST_F(FormatExamples, OfEveryPartAreValid) {
  std::set<std::string> seen;
  for (const FormatPart& part : all_parts()) {
    if (!seen.insert(part.name).second) continue;
    const std::string around = surroundings(part.name);
    const std::size_t at = around.find('%');
    ASSERT_NE(at, around.npos) << "where does the example of " << part.name << " stand?";
    const auto expect = [&](const std::string& name, const std::string& example) {
      expect_good(name, around.substr(0, at) + example + around.substr(at + 1));
    };
    if (part.table) expect(part.name, part.table->example);
    if (!part.variants) continue;
    for (const auto& variant : part.variants->variants()) {
      if (variant.table) expect(part.name + " " + variant.choice, variant.example);
    }
  }
}

TEST_F(FormatExamples, OfWholeFilesInTheTextAreValid) {
  const std::string text = read_text_file(k_docs + "format.md", "docs/format.md");
  int count = 0;
  const std::regex block("```yaml\n(cuttle: 1\n[^`]*)```");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), block); match != std::sregex_iterator(); ++match) {
    expect_good("docs/format.md", (*match)[1]);
    ++count;
  }
  EXPECT_EQ(count, 2);  // a robot and a scenario
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
