// Mesh files that would have readers read beside their data, or for ever: each is refused, by a FileError alone.
#include <cstdint>
#include <cstring>
#include <limits>

#include "io/import/scene_mesh.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refused(const std::string& name, const std::string& text) {
  return message<FileError>([&] { read_scene_mesh({name, text}); });
}

/// A quad in Collada. @param faces  instead of its one face.
std::string collada(const std::string& faces,
                    const std::string& nodes = "<node><instance_geometry url=\"#g\"/></node>") {
  return R"(<COLLADA><library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 1 1 0</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>)" +
         faces + R"(</mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s">)" +
         nodes + R"(</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}
std::string polylist(const std::string& vcount, const std::string& offset = "0") {
  return "<polylist><input semantic=\"VERTEX\" source=\"#v\" offset=\"" + offset + "\"/><vcount>" + vcount +
         "</vcount><p>0 1 3 2</p></polylist>";
}

TEST(ColladaMesh, FacesStayWithinTheirCorners) {
  EXPECT_EQ(read_scene_mesh({"m.dae", collada(polylist("4"))}).triangles.size(), 2U);
  // 1 + (2^64 - 1) is 0 for a computer; the others are no integers of its at all
  for (const char* const vcount : {"1 18446744073709551615", "1e300", "5", "3 3", "1 1.8446744073709552e19 3"}) {
    EXPECT_THAT(refused("m.dae", collada(polylist(vcount))), HasSubstr("p: found 4 corners, expected as many as"))
        << vcount;
  }
  for (const char* const offset : {"1e300", "-1", "0.5", "18446744073709551615"}) {
    EXPECT_THAT(refused("m.dae", collada(polylist("4", offset))),
                HasSubstr("input.offset: found '" + std::string(offset)))
        << offset;
  }
}

// every node names the next one twice: 2^60 shapes
TEST(ColladaMesh, NodesThatDoubleAreRefused) {
  std::string nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(i + 1) + "\"/>";
    nodes += "<node id=\"n" + std::to_string(i) + "\">" + next + next + "</node>";
  }
  nodes += "<node id=\"n60\"/>";
  EXPECT_THAT(refused("m.dae", collada(polylist("4"), nodes)), HasSubstr("expected at most 1000000 nodes"));
  std::string again = "<node id=\"big\"><instance_geometry url=\"#g\"/></node>";
  for (int i = 0; i < 3000; ++i) again += "<instance_node url=\"#big\"/>";
  std::string corners;
  for (int i = 0; i < 30000; ++i) corners += "0 1 2 ";
  EXPECT_THAT(refused("m.dae", collada("<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>" +
                                           corners + "</p></triangles>",
                                       again)),
              HasSubstr("shapes that are drawn again and again"));
}

// what a node names is read once: white space has no numbers to count, and 2^15 times a megabyte has no end
TEST(ColladaMesh, WhatIsNamedAgainIsNotReadAgain) {
  const std::string blank(1'000'000, ' ');
  std::string nodes;
  for (int i = 0; i < 15; ++i) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(i + 1) + "\"/>";
    nodes +=
        "<node id=\"n" + std::to_string(i) + "\"><translate>0" + blank + "0 0</translate>" + next + next + "</node>";
  }
  nodes += "<node id=\"n15\"><instance_geometry url=\"#g\"/></node>";
  const std::string faces =
      "<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0" + blank + "1 2</p>";
  // the scene has each of them: 2^15 of the first, .., 2 of the last but one, 1 of the last
  EXPECT_EQ(read_scene_mesh({"m.dae", collada(faces + "</triangles>", nodes)}).triangles.size(), (1U << 16U) - 1);
}

// each of 100 000 lists of faces names the same points, which stand in 1 MB
TEST(ColladaMesh, PointsThatManyFacesNameAreReadOnce) {
  std::string faces;
  for (int i = 0; i < 100'000; ++i) {
    faces += "<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>";
  }
  std::string scene = collada(faces);
  const std::size_t array = scene.find("<float_array");
  scene.insert(scene.find('>', array) + 1, std::string(1'000'000, '\n'));
  EXPECT_EQ(read_scene_mesh({"m.dae", scene}).triangles.size(), 100'000U);
}

/// A triangle in glTF: 36 bytes. @param view, accessor  keys put into theirs.
std::string gltf(const std::string& view = "", const std::string& accessor = "\"count\": 3",
                 const std::string& nodes = "{\"mesh\": 0}", const std::string& buffer = "0") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [)" + nodes + R"(],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", )" +
         accessor + R"(}], "bufferViews": [{"buffer": )" + buffer + (view.empty() ? "" : ", ") + view + R"(}],
    "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";
}

TEST(GltfMesh, ValuesStayWithinTheirData) {
  EXPECT_EQ(read_scene_mesh({"m.gltf", gltf()}).triangles.size(), 1U);
  EXPECT_EQ(read_scene_mesh({"m.gltf", gltf("\"byteStride\": 12, \"byteOffset\": 0")}).triangles.size(), 1U);
  EXPECT_EQ(refused("m.gltf", gltf("\"byteOffset\": -12")),
            "m.gltf: byteOffset: found -12, expected a whole number >= 0");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 3, \"byteOffset\": -12")),
            "m.gltf: byteOffset: found -12, expected a whole number >= 0");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 1.5")), "m.gltf: count: found 1.5, expected a whole number >= 0");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": \"3\"")),
            "m.gltf: count: found string, expected a whole number >= 0");
  // sums and products that wrap around to something small
  const char* const end = "m.gltf: found the end of the data, expected ";
  EXPECT_THAT(refused("m.gltf", gltf("\"byteOffset\": 18446744073709551604", "\"count\": 1, \"byteOffset\": 24")),
              HasSubstr(end));
  EXPECT_THAT(refused("m.gltf", gltf("\"byteStride\": 9223372036854775808", "\"count\": 3")), HasSubstr(end));
  EXPECT_THAT(refused("m.gltf", gltf("", "\"count\": 4")), HasSubstr(end));
  EXPECT_THAT(refused("m.gltf", gltf("", "\"count\": 18446744073709551615")), HasSubstr(end));
  EXPECT_EQ(refused("m.gltf", gltf("\"byteStride\": 0", "\"count\": 1000000000000")),
            "m.gltf: found a byteStride of 0, expected at least 12 bytes");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 3", "{\"mesh\": 0}", "7")),
            "m.gltf: found the buffer 7, expected one below 1");
}

TEST(GltfMesh, ValuesOfJsonStayWithinBounds) {
  std::string lists = "{\"asset\": [";
  while (lists.size() < 30'000'000) lists += "[],";
  EXPECT_EQ(refused("m.gltf", lists + "[]]}"),
            "m.gltf: found more values of JSON than any scene has, expected at most 10000000");
}

TEST(GltfMesh, NodesStayWithinBounds) {
  std::string nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string next = std::to_string(i + 1);
    nodes += "{\"children\": [" + next + ", " + next + "]}, ";
  }
  EXPECT_THAT(refused("m.gltf", gltf("", "\"count\": 3", nodes + "{\"mesh\": 0}")),
              HasSubstr("expected at most 1000000 nodes"));
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 3", "{\"children\": [0]}")),
            "m.gltf: found nodes that contain themselves, expected a tree");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 3", "{\"mesh\": 0, \"scale\": [1, 2]}")),
            "m.gltf: scale: found a list of 2, expected 3 numbers");
  EXPECT_EQ(refused("m.gltf", gltf("", "\"count\": 3", "{\"mesh\": 0, \"rotation\": [0, 0, 0, 0]}")),
            "m.gltf: found a vertex that is not finite, expected finite numbers");
}

TEST(MujocoMesh, VerticesAreFinite) {
  std::string bytes(16 + 12 + 12, '\0');
  const std::int32_t counts[4] = {1, 0, 0, 1};
  std::memcpy(bytes.data(), counts, sizeof counts);
  EXPECT_EQ(read_scene_mesh({"m.msh", bytes}).triangles.size(), 1U);
  const float wrong = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + 20, &wrong, sizeof wrong);
  EXPECT_EQ(refused("m.msh", bytes), "m.msh: found the vertex 0 that is not finite, expected finite numbers");
}

// a mesh that is only drawn does not keep the robot from being read
TEST_F(RobotImport, BadMeshesAreNotDrawn) {
  directory_.write("part.gltf", gltf("", "\"count\": 3", "{\"mesh\": 0}", "7"));
  directory_.write("part.dae", collada(polylist("1 18446744073709551615")));
  for (const char* const part : {"part.gltf", "part.dae"}) {
    const std::string mesh = std::string("\"") + part + "\"";
    const ImportedRobot urdf =
        import("a.urdf", "<robot name=\"a\"><link name=\"x\"><visual><geometry><mesh filename=" + mesh +
                             "/></geometry></visual></link></robot>");
    EXPECT_THAT(whats(urdf), ElementsAre("mesh that cannot be read: not drawn"));
    EXPECT_TRUE(urdf.visuals.empty());
    const ImportedRobot mjcf =
        import("a.xml", "<mujoco><asset><mesh name=\"p\" file=" + mesh +
                            "/></asset><worldbody><body name=\"x\"><joint/><inertial pos=\"0 0 0\" "
                            "mass=\"1\"/><geom type=\"mesh\" mesh=\"p\"/></body></worldbody></mujoco>");
    EXPECT_THAT(whats(mjcf), Contains("mesh that cannot be had: not drawn"));
    EXPECT_TRUE(mjcf.visuals.empty());
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
