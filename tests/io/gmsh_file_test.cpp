#include "io/meshes/gmsh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <ostream>
#include <set>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "io/io_support.h"
#include "support/meshes.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::box_mesh;
using test::msh_text;

/// A box with numbers that are not indices, and two groups.
TetrahedralMesh sample() {
  TetrahedralMesh mesh = box_mesh({0.1, 0.2, 0.3}, 2, 1, 3);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) mesh.node_numbers.push_back(1000 - 7 * long(i));
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) mesh.element_numbers.push_back(50 + 3 * long(i));
  mesh.groups = {{"the base", {}}, {"tip", {}}};
  for (const auto& face : boundary_faces(mesh)) {
    double least = 1.0, most = 0.0;
    for (const int node : face) {
      least = std::min(least, mesh.nodes[node].z), most = std::max(most, mesh.nodes[node].z);
    }
    if (most == 0.0) mesh.groups[0].triangles.push_back(face);
    if (least == 0.3) mesh.groups[1].triangles.push_back(face);
  }
  return mesh;
}

void expect_same(const TetrahedralMesh& found, const TetrahedralMesh& expected) {
  ASSERT_EQ(found.nodes.size(), expected.nodes.size());
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(found.nodes[i][k], expected.nodes[i][k]);
    EXPECT_EQ(found.node_number(i), expected.node_number(i));
  }
  EXPECT_EQ(found.tetrahedra, expected.tetrahedra);
  EXPECT_EQ(found.edge_nodes, expected.edge_nodes);
  ASSERT_EQ(found.groups.size(), expected.groups.size());
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    EXPECT_EQ(found.groups[g].name, expected.groups[g].name);
    EXPECT_EQ(found.groups[g].triangles, expected.groups[g].triangles);
  }
  for (std::size_t i = 0; i < found.tetrahedra.size(); ++i) {
    EXPECT_EQ(found.element_number(i), expected.element_number(i));
  }
}

class BothVersions : public testing::TestWithParam<const char*> {
 protected:
  /// The mesh of a text.
  TetrahedralMesh read(const std::string& text) { return read_gmsh_file(directory_.write("m.msh", text)); }
  /// What reading it complains about, without the directory.
  std::string error(const std::string& text) {
    const std::string path = directory_.write("m.msh", text);
    std::string said = message<FileError>([&path] { read_gmsh_file(path); });
    const std::string directory = directory_.path("");
    if (said.starts_with(directory)) said.erase(0, directory.size());
    return said;
  }
  std::string version() const { return GetParam(); }

  TemporaryDirectory directory_;
};

TEST_P(BothVersions, AreReadAsTheyWereWritten) {
  const TetrahedralMesh mesh = sample(), found = read(msh_text(mesh, version()));
  ASSERT_EQ(mesh.groups[0].triangles.size(), 4u);
  ASSERT_EQ(mesh.groups[1].triangles.size(), 4u);
  expect_same(found, mesh);
  EXPECT_EQ(found.source, directory_.path("m.msh"));
}

TEST_P(BothVersions, NeedNoPhysicalGroups) {
  TetrahedralMesh mesh = sample();
  mesh.groups.clear();
  expect_same(read(msh_text(mesh, version())), mesh);
}

TEST_P(BothVersions, MayHaveOtherSectionsEmptyLinesAndLineEndsOfWindows) {
  std::string text = "$Comments\n$Nodes are\nnot here\n$EndComments\n\n" + msh_text(sample(), version());
  text += "\n$NodeData\n1\n\"x\"\n0\n$EndNodeData\n";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_same(read(windows), sample());
}

TEST_P(BothVersions, DropNodesThatNoTetrahedronHas) {
  TetrahedralMesh mesh = sample();
  mesh.nodes.insert(mesh.nodes.begin(), {5, 6, -7});
  mesh.node_numbers.insert(mesh.node_numbers.begin(), 3);
  for (auto& corners : mesh.tetrahedra) {
    for (int& corner : corners) ++corner;
  }
  for (auto& group : mesh.groups) {
    for (auto& triangle : group.triangles) {
      for (int& corner : triangle) ++corner;
    }
  }
  expect_same(read(msh_text(mesh, version())), sample());
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == text.npos) throw Error("'" + what + "' is not there:\n" + text);
  return text.replace(at, what.size(), by);
}
/// Line on which a text stands, 1-based.
long line_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  if (at == text.npos) throw Error("'" + what + "' is not there:\n" + text);
  return 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
}

TEST_P(BothVersions, HaveTenNodeTetrahedra) {
  TetrahedralMesh mesh = with_edge_nodes(sample());
  ASSERT_EQ(mesh.edge_nodes.size(), mesh.tetrahedra.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); i += 3) mesh.nodes[i].x += 1e-3 * mesh.nodes[i].z;  // curved edges
  expect_same(read(msh_text(mesh, version())), mesh);
  expect_same(read(gmsh_text(mesh)), mesh);

  // the node of an edge of the first triangle, where the tetrahedra have another
  const std::string text = msh_text(mesh, version());
  const auto [a, b, c] = mesh.groups[0].triangles[0];
  const auto middle = node_triangles(mesh, {{a, b, c}})[3];
  const std::string right =
      fmt::format("{} {} {}\n", mesh.node_number(middle[0]), mesh.node_number(middle[1]), mesh.node_number(middle[2]));
  const std::string swapped =
      fmt::format("{} {} {}\n", mesh.node_number(middle[1]), mesh.node_number(middle[0]), mesh.node_number(middle[2]));
  const std::string wrong = replaced(text, right, swapped);
  EXPECT_NE(error(wrong).find(fmt::format("element 100002: found node {} on an edge, expected node {}, which the "
                                          "tetrahedra have there",
                                          mesh.node_number(middle[1]), mesh.node_number(middle[0]))),
            std::string::npos)
      << error(wrong);
}

// Nodes as Gmsh's manual numbers them, "Tetrahedron10": u along x, v along y, w along z; here a tetrahedron of edges 2.
TEST_P(BothVersions, HaveTheNodesOfEdgesInGmshsOrder) {
  const char* const nodes[10] = {"0 0 0", "2 0 0", "0 2 0", "0 0 2", "1 0 0",
                                 "1 1 0", "0 1 0", "0 0 1", "0 1 1", "1 0 1"};
  std::string text = "$MeshFormat\n" + version() + " 0 8\n$EndMeshFormat\n$Nodes\n";
  const bool old = version() == "2.2";
  text += old ? "10\n" : "1 10 1 10\n3 1 0 10\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
  for (int i = 0; i < 10; ++i) text += (old ? std::to_string(i + 1) + " " : "") + nodes[i] + "\n";
  text += "$EndNodes\n$Elements\n";
  text += old ? "1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n" : "1 1 1 1\n3 1 11 1\n1 1 2 3 4 5 6 7 8 9 10\n";
  const TetrahedralMesh mesh = read(text + "$EndElements\n");
  EXPECT_NEAR(mesh.volume(), 8.0 / 6, 1e-15);
  TetrahedralMesh corners;
  corners.nodes = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, corners.tetrahedra = {{0, 1, 2, 3}};
  const TetrahedralMesh straight = with_edge_nodes(corners);
  for (int e = 0; e < 6; ++e) {
    EXPECT_EQ(mesh.nodes[mesh.edge_nodes[0][e]], straight.nodes[straight.edge_nodes[0][e]]) << e;
  }
}

TEST_P(BothVersions, NameElementsThatAreNoTetrahedra) {
  const std::string text = msh_text(sample(), version());
  const bool old = version() == "2.2";
  // one tetrahedron of ten nodes before others of four
  std::string wrong = old ? replaced(text, "\n50 4 2 1 1 ", "\n50 11 2 1 1 7 7 7 7 7 7 ")
                          : replaced(replaced(text, "3 1 4 ", "3 1 11 "), "\n50 ", "\n50 7 7 7 7 7 7 ");
  EXPECT_EQ(error(wrong),
            old ? fmt::format("m.msh:{}:4: element 53: found a 4-node tetrahedron (type 4), expected a "
                              "10-node tetrahedron as before: one kind in a mesh",
                              line_of(wrong, "\n53 ") + 1)
                : fmt::format("m.msh:{}:4: element 53: found 4 nodes, expected 10", line_of(wrong, "\n53 ") + 1));
  wrong = old ? replaced(text, "\n50 4 2 ", "\n50 5 2 ") : replaced(text, "3 1 4 ", "3 1 5 ");
  EXPECT_NE(error(wrong).find("element 50: found an 8-node hexahedron (type 5), expected"), std::string::npos);
  wrong = old ? replaced(text, "\n50 4 2 ", "\n50 200 2 ") : replaced(text, "3 1 4 ", "3 1 200 ");
  EXPECT_NE(error(wrong).find("element 50: found an element of type 200, expected"), std::string::npos);
  if (old) {
    const std::string own = std::to_string(sample().node_number(0));
    wrong = replaced(text, "\n100002 2 2 1 7 ", fmt::format("\n100002 9 2 1 7 {} {} {} ", own, own, own));
    EXPECT_NE(error(wrong).find("element 100002: found 6 nodes, expected 3-node triangles, as the tetrahedra"),
              std::string::npos)
        << error(wrong);
  }
  // of a surface without a name they do not matter
  wrong = old ? replaced(text, "100001 15 2 0 1 1000", "100001 9 2 0 1 1 1 1 1 1 1")
              : replaced(text, "0 5 15 1\n100001 1000", "2 22 9 1\n100001 1 1 1 1 1 1");
  expect_same(read(wrong), sample());
}

TEST_P(BothVersions, NameWhatIsWrongWithElementsAndNodes) {
  const TetrahedralMesh mesh = sample();
  const std::string text = msh_text(mesh, version());
  const bool old = version() == "2.2";
  const std::string tags = old ? "4 2 1 1 " : "";
  const auto element = [&](int index) {
    std::string line = fmt::format("\n{} {}", mesh.element_number(index), tags);
    for (const int corner : mesh.tetrahedra[index]) line += fmt::format("{} ", mesh.node_number(corner));
    line.back() = '\n';
    return line;
  };
  const auto at = [](const std::string& file, const std::string& what) {
    return fmt::format("m.msh:{}:", line_of(file, what) + 1);
  };
  const auto numbers = [&](int index) {
    std::array<long, 4> list;
    for (int k = 0; k < 4; ++k) list[k] = mesh.node_number(mesh.tetrahedra[index][k]);
    return list;
  };
  const auto [a, b, c, d] = numbers(4);  // element 62
  std::string wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {} {}\n", tags, b, a, c, d));
  EXPECT_EQ(error(wrong), at(wrong, "\n62 ") +
                              "1: element 62: found an inverted tetrahedron (volume -0.000166666667 "
                              "m^3), expected nodes a, b, c, d with (b - a) x (c - a) . (d - a) > 0");
  wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {} {}\n", tags, a, a, c, d));
  EXPECT_NE(error(wrong).find("element 62: found a flat tetrahedron"), std::string::npos);
  wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {} 77\n", tags, a, b, c));
  EXPECT_EQ(error(wrong), at(wrong, "\n62 ") +
                              "1: element 62: found node 77, which does not exist, expected one of "
                              "the 24 nodes of the file");
  wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {}\n", tags, a, b, c));
  EXPECT_EQ(error(wrong), at(wrong, "\n62 ") + fmt::format("{}: element 62: found 3 nodes, expected 4", old ? 12 : 4));
  wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {} x\n", tags, a, b, c));
  EXPECT_NE(error(wrong).find("element 62: found 'x', expected the number of a node"), std::string::npos);
  const auto [e, f, g, h] = numbers(1);  // element 53
  wrong = replaced(text, element(4), fmt::format("\n62 {}{} {} {} {}\n", tags, f, g, e, h));
  EXPECT_EQ(error(wrong), at(wrong, "\n62 ") +
                              "1: element 62: found the nodes of element 53 again, expected each "
                              "tetrahedron once (also if it is in several physical groups)");
  wrong = replaced(text, element(4), replaced(element(4), "\n62 ", "\n53 "));
  EXPECT_NE(error(wrong).find("element 53: found this number again, expected a number of its own"), std::string::npos);
  wrong = replaced(text, "\n993", "\n1000");
  EXPECT_NE(error(wrong).find("node 1000: found this number again, expected a number of its own"), std::string::npos);
  wrong = replaced(text, "-0.050000000000000003", "nan");
  EXPECT_NE(error(wrong).find("node 1000: found 'nan', expected a finite number [m]"), std::string::npos);
  wrong = replaced(text, "-0.050000000000000003", "1e999");
  EXPECT_NE(error(wrong).find("node 1000: found '1e999', expected a finite number [m]"), std::string::npos);
  wrong = replaced(text, "-0.050000000000000003", "-0.05,");
  EXPECT_NE(error(wrong).find("node 1000: found '-0.05,', expected a finite number [m]"), std::string::npos);
}

TEST_P(BothVersions, NameWhatIsWrongWithTheBody) {
  const bool old = version() == "2.2";
  TetrahedralMesh mesh = test::mapped(sample(), [](Vector3 x) { return Vector3{x.x, x.y, x.z + 0.2}; });
  std::string text = msh_text(mesh, version());
  EXPECT_EQ(error(text), fmt::format("m.msh:{}:1: node 1000: found z from 0.2 to 0.5 m, expected z from 0 on: the "
                                     "body's base lies in the plane z = 0, its far end at z = L",
                                     line_of(text, "\n1000") + 1));
  // two bodies
  mesh = box_mesh({1, 1, 1}, 1, 1, 1);
  const TetrahedralMesh other = box_mesh({1, 1, 1}, 1, 1, 1);
  mesh.nodes.insert(mesh.nodes.end(), other.nodes.begin(), other.nodes.end());
  for (std::array<int, 4> corners : other.tetrahedra) {
    for (int& corner : corners) corner += 8;
    mesh.tetrahedra.push_back(corners);
  }
  text = msh_text(mesh, version());
  EXPECT_EQ(error(text), fmt::format("m.msh:{}:1: element 7: found a part of the body that shares no face with the "
                                     "part of element 1, expected one connected body (with one node, not two, where "
                                     "its parts meet)",
                                     line_of(text, old ? "\n7 4 2 " : "\n7 9 ") + 1));
  mesh = sample();
  mesh.groups[1].triangles.push_back(mesh.groups[1].triangles[2]);
  EXPECT_NE(error(msh_text(mesh, version())).find("group 'tip': found a triangle again, expected each once"),
            std::string::npos);
  mesh.groups[1].triangles.clear();
  EXPECT_NE(error(msh_text(mesh, version()))
                .find("found no triangles in the physical group 'tip', expected at least one, or no such group"),
            std::string::npos);
  mesh = sample();
  mesh.tetrahedra.clear();
  EXPECT_NE(error(msh_text(mesh, version())).find("found no tetrahedra, expected at least one"), std::string::npos);
}

TEST_P(BothVersions, NameAnEndTooEarlyWhereverItIs) {
  const std::string text = msh_text(sample(), version());
  std::size_t end = text.size() - 1;  // without the last line end it is whole
  expect_same(read(text.substr(0, end)), sample());
  int count = 0;
  while ((end = text.rfind('\n', end - 1)) != text.npos && end > 0) {
    const std::string said = error(text.substr(0, end + 1));
    EXPECT_TRUE(said.find("found the end of the file, expected") != said.npos || said.find("found no $") != said.npos)
        << said;
    ++count;
  }
  EXPECT_GT(count, 50);
  EXPECT_EQ(error(""), "m.msh:1:1: found nothing, expected $MeshFormat, with which a mesh of Gmsh begins");
  const std::string cut = text.substr(0, text.find("$EndNodes"));
  EXPECT_EQ(error(cut), fmt::format("m.msh:{}:1: found the end of the file, expected $EndNodes",
                                    std::count(cut.begin(), cut.end(), '\n')));
}

TEST_P(BothVersions, NameCountsThatAreWrong) {
  const std::string text = msh_text(sample(), version());
  const bool old = version() == "2.2";
  const std::string fewer = old ? "$Nodes\n23\n" : "3 1 0 11\n", right = old ? "$Nodes\n24\n" : "3 1 0 12\n";
  EXPECT_NE(error(replaced(text, right, fewer)).find(": found "), std::string::npos);
  const std::string more = old ? "$Nodes\n25\n" : "3 1 0 13\n";
  EXPECT_NE(error(replaced(text, right, more)).find(": found "), std::string::npos);
  EXPECT_NE(
      error(replaced(text, right, old ? "$Nodes\n-1\n" : "3 1 0 -1\n")).find("found -1, expected how many follow"),
      std::string::npos);
}

TEST_P(BothVersions, NameWrongHeadsOfTheFile) {
  const std::string text = msh_text(sample(), version()), head = version() + " 0 8";
  EXPECT_EQ(error(replaced(text, head, version() + " 1 8")),
            "m.msh:2:5: found a binary file, expected an ASCII file (Mesh.Binary = 0)");
  EXPECT_EQ(error(replaced(text, head, "4 0 8")),
            "m.msh:2:1: found version 4, expected 2.2 or 4.1 (Mesh.MshFileVersion)");
  EXPECT_EQ(error(replaced(text, head, "4.0 0 8")),
            "m.msh:2:1: found version 4.0, expected 2.2 or 4.1 (Mesh.MshFileVersion)");
  EXPECT_EQ(error("solid part\n"), "m.msh:1:1: found 'solid', expected $MeshFormat, with which a mesh of Gmsh begins");
  EXPECT_NE(error(replaced(text, "$EndNodes\n", "$EndNodes\n12 13\n"))
                .find("found '12', expected the beginning of a section, as $Nodes"),
            std::string::npos);
  EXPECT_NE(error(text + "$Nodes\n").find("found $Nodes again, expected it once"), std::string::npos);
  EXPECT_NE(error(replaced(text, "$Nodes", "$PartitionedEntities")).find("expected a mesh that is not partitioned"),
            std::string::npos);
  EXPECT_NE(error(replaced(text, "\"tip\"", "tip")).find("found 'tip', expected a name in quotes"), std::string::npos);
  EXPECT_NE(error(replaced(text, "\"tip\"", "\"the base\""))
                .find("found the name 'the base' again, expected a name of its own"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Gmsh, BothVersions, testing::Values("2.2", "4.1"),
                         [](const auto& version) { return std::string(version.param) == "2.2" ? "Old" : "New"; });

TEST(GmshFileTest, MissingFilesAreNamed) {
  EXPECT_EQ(message<FileError>([] { read_gmsh_file("nowhere.msh"); }),
            "nowhere.msh: found no such file, expected a mesh of Gmsh");
}

// --- files that Gmsh wrote

TEST(GmshFileTest, ReadsWhatGmshWritesInBothVersions) {
  const std::string directory = test::k_source_dir + "/tests/io/meshes/";
  const TetrahedralMesh older = read_gmsh_file(directory + "wedge_22.msh"),
                        newer = read_gmsh_file(directory + "wedge_41.msh");
  // 0.1 at the bottom, 0.04 at the top, 0.12 wide, 0.3 high
  EXPECT_NEAR(newer.volume(), 0.12 * 0.3 * (0.1 + 0.04) / 2, 1e-16);
  EXPECT_DOUBLE_EQ(newer.length(), 0.3);
  expect_same(older, newer);
  ASSERT_EQ(newer.groups.size(), 2u);
  EXPECT_EQ(newer.groups[0].name, "near side");
  EXPECT_EQ(newer.groups[1].name, "ends");
}

// --- the meshes of models/

TEST(ModelMeshTest, TheHelicoidHasTheSizeOfThePapers) {
  const TetrahedralMesh mesh = read_gmsh_file(test::k_source_dir + "/models/pustina2025/helicoid.msh");
  EXPECT_NEAR(static_cast<double>(mesh.tetrahedra.size()), 2749, 0.03 * 2749);  // [P] section 7.1
  EXPECT_NEAR(mesh.length(), 0.1, 1e-12);
  EXPECT_NEAR(mesh.radius(), 0.02, 1e-7);
  const double full = std::numbers::pi * 0.02 * 0.02 * 0.1;
  EXPECT_GT(mesh.volume(), 0.15 * full);
  EXPECT_LT(mesh.volume(), 0.3 * full);
}

TEST(ModelMeshTest, TheBeamIsABoxWithNamedEnds) {
  const TetrahedralMesh mesh = read_gmsh_file(test::k_source_dir + "/models/examples/beam.msh");
  EXPECT_NEAR(mesh.volume(), 0.02 * 0.02 * 0.2, 1e-17);
  ASSERT_EQ(mesh.groups.size(), 2u);
  for (const auto& group : mesh.groups) {
    double area = 0.0;
    for (const auto& [a, b, c] : group.triangles) {
      area += 0.5 * norm(cross(mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]));
      EXPECT_NEAR(mesh.nodes[a].z, group.name == "base" ? 0.0 : 0.2, 1e-12);
    }
    EXPECT_NEAR(area, 0.02 * 0.02, 1e-15) << group.name;
  }
}

TEST(ModelMeshTest, TheFingerHasAClosedCavity) {
  const TetrahedralMesh mesh = read_gmsh_file(test::k_source_dir + "/models/examples/finger.msh");
  ASSERT_EQ(mesh.groups.size(), 1u);
  EXPECT_EQ(mesh.groups[0].name, "cavity");
  std::set<std::array<int, 3>> chamber_surface;
  for (std::array<int, 3> nodes : mesh.groups[0].triangles) {
    std::sort(nodes.begin(), nodes.end());
    chamber_surface.insert(nodes);
  }
  double enclosed = 0.0, outside = 0.0;
  std::map<std::pair<int, int>, int> edges;
  for (const auto& face : boundary_faces(mesh)) {
    std::array<int, 3> nodes = face;
    std::sort(nodes.begin(), nodes.end());
    const double volume = dot(mesh.nodes[face[0]], cross(mesh.nodes[face[1]], mesh.nodes[face[2]])) / 6;
    const bool inner = chamber_surface.count(nodes) > 0;
    (inner ? enclosed : outside) += volume;
    for (int k = 0; inner && k < 3; ++k) {
      edges[std::minmax(face[k], face[(k + 1) % 3])] += face[k] < face[(k + 1) % 3] ? 1 : -1;
    }
  }
  for (const auto& [edge, balance] : edges) EXPECT_EQ(balance, 0) << "open at " << edge.first << ", " << edge.second;
  EXPECT_NEAR(outside + enclosed, mesh.volume(), 1e-18);
  // the round side is a polygon: inscribed, so less than the section of the drawing times 88 mm
  const double half_circle = 0.008 * 0.008 * std::numbers::pi / 2;
  EXPECT_LT(-enclosed, half_circle * 0.088);
  EXPECT_GT(-enclosed, 0.85 * half_circle * 0.088);
}

// --- in a robot file

std::string robot_text(const std::string& shape, double density = 1000) {
  return fmt::format(
      "cuttle: 1\nmaterials: {{m: {{model: neo_hookean, density: {}, c1: 1e4, lame_lambda: 2e4}}}}\nlinks:\n"
      "  - name: a\n    body:\n      type: volume\n      material: m\n      shape: {}\n      kinematics: {{type: ritz, "
      "modes: [[{{powers: [0, 0, 1], vector: [1, 0.5, 0.2]}}], [{{powers: [1, 0, 0], vector: [0, 1, 1]}}]]}}\n",
      density, shape);
}

class MeshInRobotFile : public testing::Test {
 protected:
  MeshInRobotFile() {
    std::filesystem::create_directory(directory_.path("meshes"));
    directory_.write("meshes/body.msh", msh_text(sample(), "4.1"));
  }
  Robot read(const std::string& text) { return read_robot_file(directory_.write("r.yaml", text)); }
  static const VolumeBody& body(const Robot& robot) { return dynamic_cast<const VolumeBody&>(*robot.links[0].body); }

  TemporaryDirectory directory_;
  const std::string shape_ = "{type: mesh, file: meshes/body.msh}";
};

TEST_F(MeshInRobotFile, IsRelativeToIt) {
  const Robot robot = read(robot_text(shape_));
  ASSERT_NE(body(robot).mesh(), nullptr);
  expect_same(*body(robot).mesh(), sample());
  EXPECT_EQ(body(robot).parameters().quadrature.points.size(), 4 * sample().tetrahedra.size());
  EXPECT_DOUBLE_EQ(body(robot).parameters().tip_origin.z, 0.3);
  EXPECT_DOUBLE_EQ(body(robot).parameters().tip_a.x, std::hypot(0.05, 0.1));
  EXPECT_DOUBLE_EQ(body(robot).parameters().tip_b.y, std::hypot(0.05, 0.1));
  const Robot coarse = read(robot_text(shape_ + "\n      quadrature: {rule: 1}"));
  EXPECT_EQ(body(coarse).parameters().quadrature.points.size(), sample().tetrahedra.size());
}

// modes of degree 1: both quadratures are exact
TEST_F(MeshInRobotFile, MovesAsTheBoxThatItFills) {
  const Model mesh(read(robot_text(shape_))), box(read(robot_text("{type: box, size: [0.1, 0.2, 0.3]}")));
  Data mesh_data(mesh), box_data(box);
  const VectorXd q{{0.2, -0.1}}, v{{0.3, 0.7}}, a{{1.0, -2.0}};
  EXPECT_NEAR(mesh.links()[0].rest_inertia.mass, 6.0, 1e-14);
  const MatrixXd M = mass_matrix<double>(box, box_data, q);
  EXPECT_LT((mass_matrix<double>(mesh, mesh_data, q) - M).norm(), 1e-14 * M.norm());
  const VectorXd tau = inverse_dynamics<double>(box, box_data, q, v, a);
  EXPECT_LT((inverse_dynamics<double>(mesh, mesh_data, q, v, a) - tau).norm(), 1e-14 * tau.norm());
}

TEST_F(MeshInRobotFile, StaysWhenAParameterChanges) {
  const Model model(read(robot_text(shape_)));
  std::filesystem::remove(directory_.path("meshes/body.msh"));  // a model does not need its file any more
  const Model heavy = model.with("materials.m.density", 2000.0);
  EXPECT_NEAR(heavy.links()[0].rest_inertia.mass, 12.0, 1e-13);
  EXPECT_EQ(body(heavy.robot()).mesh(), body(model.robot()).mesh());
  Data data(model);
  const VectorXd q{{0.2, -0.1}}, v{{0.3, 0.7}}, a{{1.0, -2.0}};
  const MatrixXd gradient = inverse_dynamics_gradient(model, {"materials.m.density"}, q, v, a);
  Data heavier_data(heavy);
  const VectorXd slope =
      (inverse_dynamics<double>(heavy, heavier_data, q, v, a) - inverse_dynamics<double>(model, data, q, v, a)) /
      1000.0;  // linear in the density
  EXPECT_LT((gradient.col(0) - slope).norm(), 1e-11 * slope.norm());
}

TEST_F(MeshInRobotFile, ErrorsOfTheMeshAreThoseOfItsFile) {
  directory_.write("meshes/body.msh", replaced(msh_text(sample(), "4.1"), "\n50 ", "\n50 7 "));
  const std::string said = message<FileError>([this] { read(robot_text(shape_)); });
  EXPECT_TRUE(said.starts_with(directory_.path("meshes/body.msh") + ":")) << said;
  EXPECT_NE(said.find("element 50: found 5 nodes, expected 4"), said.npos) << said;
  directory_.write("meshes/body.msh", msh_text(sample(), "2.2"));
  EXPECT_NE(message<FileError>([this] {
              read(robot_text(shape_ + "\n      quadrature: {rule: 3}"));
            }).find("r.yaml:9:26: links[0].body.quadrature.rule: found 3, expected 1, 4 or 14"),
            std::string::npos);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
