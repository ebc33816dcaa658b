// `visual` of robot files: shapes, colors and meshes, where they hang, and what is wrong with them.
#include "cuttle/io/visual.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "cuttle/io/result_reader.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Frame = LinkVisual::Frame;
using Shape = Visual::Shape;

/// A tetrahedron of edges 1, 2 and 3 in each of the formats.
const char* const k_obj = R"(# four points
mtllib none.mtl
o tetrahedron
v 0 0 0
v 1 0 0
v 0 2 0
v 0 0 3
vn 0 0 1
f 1//1 3//1 2//1
f 1/5 2/5 4/5
f -4 4 3
f 2 3 4
)";
const int k_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
const Vector3 k_corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};

std::string ascii_stl() {
  std::string text = "solid a name of words\n";
  for (const auto& face : k_faces) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const int i : face) {
      text += "      vertex " + std::to_string(k_corners[i].x) + " " + std::to_string(k_corners[i].y) + " " +
              std::to_string(k_corners[i].z) + "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a name of words\n";
}

std::string binary_stl() {
  std::string bytes = "solid, though it is binary";
  bytes.resize(80, ' ');
  const auto add = [&bytes](std::uint32_t word) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(word >> (8 * i) & 0xff);
  };
  const auto add_number = [&](double value) {
    const auto number = static_cast<float>(value);
    std::uint32_t word = 0;
    std::memcpy(&word, &number, sizeof word);
    add(word);
  };
  add(4);
  for (const auto& face : k_faces) {
    for (int i = 0; i < 3; ++i) add_number(0.0);
    for (const int i : face) add_number(k_corners[i].x), add_number(k_corners[i].y), add_number(k_corners[i].z);
    bytes.append(2, '\0');
  }
  return bytes;
}

class Visuals : public testing::Test {
 protected:
  std::string robot(const std::string& visual) {
    return directory_.write("r.yaml", "cuttle: 1\nlinks:\n  - {name: a, visual: " + visual + "}\n");
  }
  Visual read(const std::string& visual) { return load_robot_file(robot(visual)).visuals.at(0).visual; }
  /// What the reader says, without the folder.
  std::string said(const std::string& visual) {
    std::string text = message<FileError>([&] { load_robot_file(robot(visual)); });
    const std::string prefix = directory_.path("");
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }

  TemporaryDirectory directory_;
};

TEST_F(Visuals, HangOnTheirParts) {
  const RobotFile file = load_robot_file(directory_.write("r.yaml", R"(cuttle: 1
visual: {shape: box, size: [9, 9, 0.1]}
base: {visual: [{shape: box, size: [1, 2, 3], color: [0.1, 0.2, 0.3, 0.4]}]}
materials: {m: {density: 1000, young_modulus: 1.0e5}}
links:
  - name: hip
    joint: {type: revolute, visual: {shape: cylinder, radius: 0.1, length: 0.2, color: red}}
    body:
      type: rigid
      mass: 1
      inertia: [1, 1, 1, 0, 0, 0]
      visual: [{shape: sphere, radius: 0.3}, {shape: sphere, radius: 0.4, pose: {position: [1, 2, 3], rpy: [0, 0, 1]}}]
    visual: {shape: sphere, radius: 0.5}
  - name: arm
    body: {type: rod, length: 1, material: m, section: {shape: circle, radius: 0.1}, strain: pcc,
           visual: {shape: sphere, radius: 0.6}}
)"));
  ASSERT_EQ(file.visuals.size(), 7u);
  const auto expect = [&](std::size_t i, const char* link, Frame frame, Shape shape) {
    EXPECT_EQ(file.visuals[i].link, link) << i;
    EXPECT_EQ(file.visuals[i].frame, frame) << i;
    EXPECT_EQ(file.visuals[i].visual.shape, shape) << i;
  };
  const auto visual = [&](std::size_t i) { return file.visuals[i].visual; };
  std::size_t world = 0, base = 1;
  if (file.visuals[0].frame == Frame::base) std::swap(world, base);
  expect(world, "base", Frame::world, Shape::box);
  expect(base, "base", Frame::base, Shape::box);
  expect(2, "hip", Frame::joint, Shape::cylinder);
  expect(3, "hip", Frame::body, Shape::sphere);
  expect(6, "arm", Frame::body, Shape::sphere);
  EXPECT_EQ(visual(base).size.y, 2.0);
  ASSERT_TRUE(visual(base).color);
  EXPECT_EQ(visual(base).color->blue, 0.3);
  EXPECT_EQ(visual(base).color->opacity, 0.4);
  EXPECT_FALSE(visual(world).color);
  EXPECT_EQ(visual(2).radius, 0.1);
  EXPECT_EQ(visual(2).length, 0.2);
  EXPECT_EQ(visual(2).color->red, 1.0);
  EXPECT_EQ(visual(2).color->green, 0.0);
  EXPECT_EQ(visual(2).color->opacity, 1.0);
  EXPECT_EQ(visual(3).radius, 0.3);
  EXPECT_EQ(visual(4).radius, 0.4);
  EXPECT_EQ(visual(4).pose.position.z, 3.0);
  EXPECT_NEAR(visual(4).pose.rotation.column(0).y, std::sin(1.0), 1e-15);
  EXPECT_EQ(visual(5).radius, 0.5);
  EXPECT_EQ(visual(6).radius, 0.6);
}

TEST_F(Visuals, OfMeshesAreTheSameInEveryFormat) {
  directory_.write("t.obj", k_obj);
  directory_.write("ascii.stl", ascii_stl());
  directory_.write("binary.STL", binary_stl());
  for (const char* file : {"t.obj", "ascii.stl", "binary.STL"}) {
    const Visual visual = read("{shape: mesh, file: " + std::string(file) + ", scale: [0.5, 1, 2]}");
    ASSERT_EQ(visual.shape, Shape::mesh);
    ASSERT_TRUE(visual.mesh);
    EXPECT_EQ(visual.mesh->points.size(), 4u) << file;
    ASSERT_EQ(visual.mesh->triangles.size(), 4u) << file;
    for (std::size_t t = 0; t < 4; ++t) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vector3 found = visual.mesh->points[static_cast<std::size_t>(visual.mesh->triangles[t][c])];
        const Vector3 expected = k_corners[k_faces[t][c]];
        EXPECT_EQ(found.x, 0.5 * expected.x) << file;
        EXPECT_EQ(found.y, expected.y) << file;
        EXPECT_EQ(found.z, 2.0 * expected.z) << file;
      }
    }
  }
  directory_.write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  const auto quad = read("{shape: mesh, file: quad.obj}").mesh;
  EXPECT_EQ(quad->triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
}

TEST_F(Visuals, ThatAreWrongSayWhere) {
  EXPECT_EQ(said("{shape: box}"),
            "r.yaml:3:23: links[0].visual.size: found nothing, expected a list of 3 numbers > 0 [m]");
  EXPECT_EQ(said("{radius: 1}"),
            "r.yaml:3:23: links[0].visual.shape: found nothing, expected box, cylinder, sphere or mesh");
  EXPECT_EQ(said("{shape: sphere, radius: 0}"),
            "r.yaml:3:47: links[0].visual.radius: found 0, expected a number > 0 [m]");
  EXPECT_EQ(said("[{shape: sphere, radius: 1, color: gren}]"),
            "r.yaml:3:58: links[0].visual[0].color: found 'gren', expected a color's name or [r, g, b] in [0, 1]; did "
            "you mean 'green'?");
  EXPECT_EQ(said("{shape: sphere, radius: 1, color: [1, 2]}"),
            "r.yaml:3:61: links[0].visual.color[1]: found 2, expected a number in [0, 1]");
  EXPECT_EQ(said("{shape: sphere, radius: 1, color: [1, 0]}"),
            "r.yaml:3:57: links[0].visual.color: found a list of 2, expected 3 or 4 numbers in [0, 1]");
  EXPECT_EQ(said("{shape: mesh, file: no.stl}"),
            "r.yaml:3:43: links[0].visual.file: found 'no.stl', which does not exist, expected a mesh in STL or OBJ");
}

TEST_F(Visuals, ThatNameBrokenMeshesSayWhere) {
  const auto mesh = [&](const std::string& name, const std::string& text) {
    directory_.write(name, text);
    return said("{shape: mesh, file: " + name + "}");
  };
  EXPECT_EQ(mesh("a.dae", "x"),
            "a.dae: found a name that ends in '.dae', expected a mesh in STL or OBJ: a name that ends in .stl or .obj");
  EXPECT_EQ(mesh("a.obj", "v 0 0 0\n"), "a.obj: found no triangle, expected at least one");
  EXPECT_EQ(mesh("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
            "a.obj:4:7: face: found '4', expected a vertex that stands before, 1 to 3");
  EXPECT_EQ(mesh("a.obj", "v 0 0 0\nv 1 0\n"),
            "a.obj:2:6: vertex 2: found the end of the line, expected a coordinate [m]");
  EXPECT_EQ(mesh("a.obj", "v 0 0 0\nf 1 1\n"),
            "a.obj:2:6: face: found the end of the line, expected at least 3 corners");
  EXPECT_EQ(mesh("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n"),
            "a.stl:4:12: triangle 0: found 'x', expected a finite number [m]");
  EXPECT_EQ(mesh("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\n"),
            "a.stl:4:1: triangle 0: found the end of the file, expected vertex X Y Z");
  EXPECT_EQ(mesh("a.stl", "solid a\nface normal 0 0 1\n"), "a.stl:2:1: found 'face normal 0 0 1', expected facet");
  const std::string binary = binary_stl();
  EXPECT_EQ(mesh("a.stl", "x" + binary.substr(1, 232)),
            "a.stl: found 233 bytes, expected 284 for the 4 triangles that this binary STL states");
}

// Physics does not read them: derivatives and changed numbers leave files alone.
TEST_F(Visuals, AreNoParameters) {
  directory_.write("t.obj", k_obj);
  const Robot robot = load_robot_file(directory_.write("p.yaml", R"(cuttle: 1
links:
  - name: a
    joint: {type: revolute, visual: {shape: mesh, file: t.obj, scale: 2}}
    body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0], visual: {shape: sphere, radius: 1}}
)"))
                          .robot;
  for (const ParameterInfo& parameter : robot.source->parameters()) {
    EXPECT_EQ(parameter.path.find("visual"), parameter.path.npos) << parameter.path;
  }
  std::filesystem::remove(directory_.path("t.obj"));
  EXPECT_EQ(robot.source->with({{"links.a.body.mass", 2.0}}).links.size(), 1u);
}

TEST_F(Visuals, GoIntoResultsWithTheirMeshes) {
  directory_.write("t.STL", binary_stl());
  robot(
      "{shape: mesh, file: t.STL, color: teal}, joint: {type: revolute}, body: {type: rigid, mass: 1, inertia: [1, 1, "
      "1, 0, 0, 0]}");
  const ScenarioFile file = load_scenario_file(
      directory_.write("s.yaml", "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 0.1, output_step: 0.05}\n"));
  EXPECT_EQ(file.visuals.size(), 1u);
  const std::string result = directory_.path("r.h5");
  const Model model(file.robot);
  Simulator(model, file.scenario).run({make_hdf5_recorder(result, result_source(file)).get()});
  std::filesystem::remove(directory_.path("t.STL"));
  const ResultFile back = read_result_file(result);
  EXPECT_EQ(back.source.robot_files.at("t.STL"), binary_stl());  // to the last byte, which is zero
  ASSERT_EQ(back.visuals.size(), 1u);
  EXPECT_EQ(back.visuals[0].link, "a");
  EXPECT_EQ(back.visuals[0].visual.mesh->triangles.size(), 4u);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
