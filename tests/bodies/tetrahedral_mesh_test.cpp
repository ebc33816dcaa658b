#include "cuttle/bodies/tetrahedral_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "io/io_support.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/meshes.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A box whose nodes stand somewhere else, none of its tetrahedra inverted, z from 0; nodes and corners in no order, so
/// that each side of a tetrahedron is somewhere on the surface and each somewhere inside.
TetrahedralMesh crooked_mesh(unsigned seed) {
  Random random(seed);
  TetrahedralMesh mesh = mapped(box_mesh({0.3, 0.4, 0.5}, 2, 3, 4), [&](const Vector3& x) {
    const double up = x.z > 0 ? 0.02 * random.uniform() : 0.0;
    return Vector3{x.x + 0.02 * random.uniform(), x.y + 0.02 * random.uniform(), x.z + up};
  });
  std::vector<int> place(mesh.nodes.size());
  std::iota(place.begin(), place.end(), 0);
  for (std::size_t i = place.size(); i-- > 1;) std::swap(place[i], place[random.index(static_cast<int>(i) + 1)]);
  const std::vector<Vector3> nodes = mesh.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) mesh.nodes[place[i]] = nodes[i];
  for (std::array<int, 4>& corners : mesh.tetrahedra) {
    for (int& corner : corners) corner = place[corner];
    for (int turns = random.index(12); turns-- > 0;) {  // three corners at a time: the orientation stays
      const int fixed = random.index(4);
      std::swap(corners[(fixed + 1) % 4], corners[(fixed + 2) % 4]);
      std::swap(corners[(fixed + 2) % 4], corners[(fixed + 3) % 4]);
    }
  }
  mesh.check();
  return mesh;
}

double moment(const Quadrature& rule, int i, int j, int k) {
  double sum = 0.0;
  for (std::size_t p = 0; p < rule.points.size(); ++p) {
    const Vector3& x = rule.points[p];
    sum += rule.weights[p] * std::pow(x.x, i) * std::pow(x.y, j) * std::pow(x.z, k);
  }
  return sum;
}

// --- quadrature

TEST(MeshQuadratureTest, MomentsOfABoxAreExact) {
  const Vector3 size{0.3, 0.4, 0.5};
  const TetrahedralMesh mesh = box_mesh(size, 2, 3, 2);
  // of x and y about the middle, of z from 0
  const auto exact = [&size](int i, int j, int k) {
    const auto centered = [](double a, int n) { return n % 2 == 1 ? 0.0 : 2 * std::pow(a / 2, n + 1) / (n + 1); };
    return centered(size.x, i) * centered(size.y, j) * std::pow(size.z, k + 1) / (k + 1);
  };
  for (const int rule : {1, 4}) {
    const Quadrature points = mesh_quadrature(mesh, rule);
    EXPECT_EQ(points.points.size(), rule * mesh.tetrahedra.size());
    for (int i = 0; i <= 2; ++i) {
      for (int j = 0; i + j <= 2; ++j) {
        for (int k = 0; i + j + k <= 2; ++k) {
          if (rule == 1 && i + j + k > 1) continue;
          EXPECT_NEAR(moment(points, i, j, k), exact(i, j, k), 20 * k_eps * 0.06)
              << "rule " << rule << ", x^" << i << " y^" << j << " z^" << k;
        }
      }
    }
  }
  // a rule of degree 1 is no more than that, nor one of degree 2
  EXPECT_GT(std::abs(moment(mesh_quadrature(mesh, 1), 0, 0, 2) - exact(0, 0, 2)), 1e-5);
  EXPECT_GT(std::abs(moment(mesh_quadrature(mesh, 4), 0, 0, 4) - exact(0, 0, 4)), 1e-7);
}

// Moments of a tetrahedron from its corners: the integral of l_i l_j is V (1 + [i = j]) / 20.
TEST(MeshQuadratureTest, SecondMomentsOfAnyTetrahedronAreExact) {
  Random random(1);
  for (int sample = 0; sample < 20; ++sample) {
    TetrahedralMesh mesh;
    for (int k = 0; k < 4; ++k) mesh.nodes.push_back({random.uniform(), random.uniform(), random.uniform()});
    mesh.tetrahedra = {{0, 1, 2, 3}};
    if (mesh.volume() < 0) std::swap(mesh.tetrahedra[0][2], mesh.tetrahedra[0][3]);
    const double volume = mesh.volume();
    const Quadrature rule = mesh_quadrature(mesh, 4);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        double expected = 0.0, found = 0.0;
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) expected += volume / 20 * (1 + (i == j)) * mesh.nodes[i][a] * mesh.nodes[j][b];
        }
        for (int p = 0; p < 4; ++p) found += rule.weights[p] * rule.points[p][a] * rule.points[p][b];
        EXPECT_NEAR(found, expected, 10 * k_eps * volume) << sample << " " << a << b;
      }
    }
  }
}

TEST(MeshQuadratureTest, PointsAreInTheOrderOfZ) {
  const TetrahedralMesh mesh = crooked_mesh(2);
  for (const int rule : {1, 4}) {
    const Quadrature points = mesh_quadrature(mesh, rule);
    for (std::size_t i = 1; i < points.points.size(); ++i) EXPECT_LE(points.points[i - 1].z, points.points[i].z);
  }
}

TEST(MeshQuadratureTest, OtherScalarsHaveTheSamePoints) {
  const TetrahedralMesh mesh = crooked_mesh(3);
  const Quadrature plain = mesh_quadrature(mesh, 4);
  const QuadratureT<long double> precise = mesh_quadrature<long double>(mesh, 4);
  ASSERT_EQ(plain.points.size(), precise.points.size());
  for (std::size_t i = 0; i < plain.points.size(); ++i) {
    EXPECT_EQ(plain.points[i].x, static_cast<double>(precise.points[i].x));
    EXPECT_EQ(plain.weights[i], static_cast<double>(precise.weights[i]));
  }
}

TEST(MeshQuadratureTest, OtherRulesAreRefused) {
  EXPECT_EQ(message<ModelError>([] {
              mesh_quadrature(box_mesh({1, 1, 1}, 1, 1, 1), 5);
            }),
            "rule: found 5, expected 1, 4 or 14, the points of a tetrahedron");
}

// --- a body of it

TEST(MeshBodyTest, IsTheBodyOfTheBoxThatItFills) {
  const Vector3 size{0.3, 0.4, 0.5};
  // of degree 1 in x: M is of degree 2, and the deformation gradient is the same everywhere
  const std::vector<RitzMode> modes = {{{{0, 0, 1}, {1, 0.2, 0}}, {{1, 0, 0}, {0, 0, -0.7}}},
                                       {{{0, 1, 0}, {0, 0.3, 0.1}}},
                                       {{{0, 0, 0}, {0.1, 0.2, 0.3}}, {{0, 0, 1}, {0, 0, 1}}}};
  const VolumeMaterial material{.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02};
  PointParameters points = point_cylinder(size.z, 0.1, 1050.0, 1, 1, 1);
  points.quadrature = box_quadrature(size, 3, 3, 3);
  const VolumeBody box(points, material, std::make_shared<RitzKinematics>(modes));
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh(size, 1, 2, 3));
  points.quadrature = mesh_quadrature(*mesh, 4);
  const VolumeBody body(points, material, std::make_shared<RitzKinematics>(modes), mesh);
  EXPECT_EQ(body.mesh(), mesh);
  EXPECT_EQ(body.clone_as(ScalarTag<double>())->type_name(), "volume");
  const auto copy = body.clone_as(ScalarTag<long double>());
  EXPECT_EQ(dynamic_cast<const VolumeBodyT<long double>&>(*copy).mesh(), mesh);
  EXPECT_EQ(box.mesh(), nullptr);

  const std::vector<double> q{0.1, -0.05, 0.2}, v{0.3, 0.2, -0.4};
  std::vector<double> force_of_box(3), force_of_mesh(3);
  EXPECT_NEAR(body.elastic_energy(q.data()), box.elastic_energy(q.data()), 100 * k_eps * box.elastic_energy(q.data()));
  box.add_elastic_force(q.data(), force_of_box.data()), body.add_elastic_force(q.data(), force_of_mesh.data());
  box.add_damping_force(q.data(), v.data(), force_of_box.data());
  body.add_damping_force(q.data(), v.data(), force_of_mesh.data());
  const double scale = std::abs(force_of_box[0]) + std::abs(force_of_box[1]) + std::abs(force_of_box[2]);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(force_of_mesh[j], force_of_box[j], 100 * k_eps * scale) << j;
}

TEST(MeshBodyTest, KeepsTheContract) {
  const std::vector<RitzMode> modes = {{{{0, 0, 2}, {1, 0.2, 0}}, {{1, 0, 1}, {0, 0, -0.7}}},
                                       {{{0, 1, 1}, {0, 0.3, 0.1}}}};
  PointParameters points = point_cylinder(0.5, 0.1, 1050.0, 1, 1, 1);
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.3, 0.4, 0.5}, 1, 1, 2));
  points.quadrature = mesh_quadrature(*mesh, 1);
  const VolumeBody body(points, {.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02},
                        std::make_shared<RitzKinematics>(modes), mesh);
  BodyContractOptions options;
  options.seed = 4, options.samples = 1, options.coordinates = {0.1, 0.1};
  expect_body_contract(body, "ritz on a mesh", options);
}

// --- the surface

TEST(BoundaryFacesTest, OfABoxAreItsSixSides) {
  const TetrahedralMesh mesh = box_mesh({0.3, 0.4, 0.5}, 2, 3, 4);
  const auto faces = boundary_faces(mesh);
  EXPECT_EQ(faces.size(), 2u * 2 * (2 * 3 + 3 * 4 + 4 * 2));
  std::map<std::pair<int, double>, double> areas;  // of each side, by the axis and sign of its normal
  for (const auto& [a, b, c] : faces) {
    const Vector3 twice = cross(mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]);
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(twice[axis]) < 1e-9) continue;
      areas[{axis, std::copysign(1.0, twice[axis])}] += std::abs(twice[axis]) / 2;
      const double place = mesh.nodes[a][axis] - (axis == 2 ? 0.25 : 0.0);
      EXPECT_GT(place * twice[axis], 0.0) << "outward";
    }
  }
  EXPECT_EQ(areas.size(), 6u);
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_NEAR((areas[{0, sign}]), 0.4 * 0.5, 1e-15);
    EXPECT_NEAR((areas[{1, sign}]), 0.3 * 0.5, 1e-15);
    EXPECT_NEAR((areas[{2, sign}]), 0.3 * 0.4, 1e-15);
  }
}

// Gauss: the volume is a third of the integral of x . n, and the integral of n is zero.
TEST(BoundaryFacesTest, CloseTheVolumeOfTheTetrahedra) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    TetrahedralMesh mesh = crooked_mesh(seed);
    // a hole through it, so that the surface is more than a sphere
    const auto erased = std::erase_if(mesh.tetrahedra, [&mesh](const std::array<int, 4>& corners) {
      const Vector3 x = mesh.nodes[corners[0]];
      return std::abs(x.x) < 0.1 && x.y < 0.0 && x.y > -0.12 && x.z > 0.05 && x.z < 0.2;
    });
    EXPECT_GT(erased, 3u);
    const auto faces = boundary_faces(mesh);
    double volume = 0.0;
    Vector3 normal;
    std::map<std::pair<int, int>, int> edges;
    for (const auto& face : faces) {
      const Vector3 a = mesh.nodes[face[0]], b = mesh.nodes[face[1]], c = mesh.nodes[face[2]];
      volume += dot(a, cross(b, c)) / 6;
      normal += 0.5 * cross(b - a, c - a);
      for (int k = 0; k < 3; ++k) ++edges[{face[k], face[(k + 1) % 3]}];
    }
    EXPECT_NEAR(volume, mesh.volume(), 100 * k_eps * volume) << "seed " << seed;
    EXPECT_LT(norm(normal), 100 * k_eps) << "seed " << seed;
    for (const auto& [edge, count] : edges) {
      const auto back = edges.find({edge.second, edge.first});
      ASSERT_NE(back, edges.end()) << "open at an edge, seed " << seed;
      EXPECT_EQ(back->second, count);
    }
  }
}

TEST(TetrahedralMeshTest, KnowsItsExtent) {
  const TetrahedralMesh mesh = box_mesh({0.3, 0.4, 0.5}, 2, 2, 2);
  EXPECT_DOUBLE_EQ(mesh.length(), 0.5);
  EXPECT_DOUBLE_EQ(mesh.radius(), 0.25);
  EXPECT_NEAR(mesh.volume(), 0.06, 1e-16);
}

// --- what is wrong with a mesh

std::string fault(TetrahedralMesh mesh) {
  return message<ModelError>([&mesh] { mesh.check(); });
}
TetrahedralMesh one_brick() {
  TetrahedralMesh mesh = box_mesh({1, 1, 1}, 1, 1, 1);
  mesh.source = "b.msh";
  return mesh;
}

TEST(MeshCheckTest, TakesGoodMeshes) {
  EXPECT_NO_THROW(one_brick().check());
  TetrahedralMesh mesh = one_brick();
  mesh.groups = {{"base", {{0, 1, 3}, {3, 2, 0}}}, {"empty", {}}};
  EXPECT_NO_THROW(mesh.check());
  for (Vector3& x : mesh.nodes) x.z -= 1e-10;
  EXPECT_NO_THROW(mesh.check());
}

TEST(MeshCheckTest, NamesTheFirstFault) {
  EXPECT_EQ(fault({}), "mesh: found no tetrahedra, expected at least one");
  TetrahedralMesh mesh = one_brick();
  mesh.nodes[5].y = std::nan("");
  EXPECT_EQ(fault(mesh), "b.msh: node 6: found the coordinates [0.5, nan, 1], expected finite ones");
  mesh = one_brick();
  mesh.tetrahedra[3][2] = 8;
  EXPECT_EQ(fault(mesh), "b.msh: element 4: found the node of index 8, expected an index below 8, the number of nodes");
  mesh.tetrahedra[3][2] = -1;
  EXPECT_EQ(fault(mesh),
            "b.msh: element 4: found the node of index -1, expected an index below 8, the number of nodes");
  mesh = one_brick();
  mesh.nodes.push_back({0, 0, 0});
  EXPECT_EQ(fault(mesh), "b.msh: node 9: found no tetrahedron with it, expected only nodes of tetrahedra");
  mesh = one_brick();
  mesh.element_numbers = {11, 12, 13, 14, 15, 16};
  std::swap(mesh.tetrahedra[2][0], mesh.tetrahedra[2][1]);
  EXPECT_EQ(fault(mesh),
            "b.msh: element 13: found an inverted tetrahedron (volume -0.166666667 m^3), expected nodes a, b, c, d "
            "with (b - a) x (c - a) . (d - a) > 0");
  mesh = one_brick();
  mesh.tetrahedra[2][0] = mesh.tetrahedra[2][1];
  EXPECT_EQ(fault(mesh),
            "b.msh: element 3: found a flat tetrahedron (volume 0 m^3), expected nodes a, b, c, d with (b - a) x (c - "
            "a) . (d - a) > 0");
  mesh = one_brick();
  const auto [a, b, c, d] = mesh.tetrahedra[1];
  mesh.tetrahedra.push_back({b, c, a, d});
  EXPECT_EQ(fault(mesh),
            "b.msh: element 7: found the nodes of element 2 again, expected each tetrahedron once (also if it is in "
            "several physical groups)");
}

TEST(MeshCheckTest, SeesHowTetrahedraMeet) {
  // a third and a fourth tetrahedron at the face 0 1 2 of two
  TetrahedralMesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.3, -1}, {1, 1, 1}};
  mesh.tetrahedra = {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}};
  EXPECT_EQ(fault(mesh),
            "mesh: element 3: found a face that element 1 and element 2 share already, expected at most two "
            "tetrahedra at a face");
  mesh.tetrahedra = {{0, 1, 2, 3}, {0, 1, 2, 5}};
  mesh.nodes[4] = mesh.nodes[5], mesh.nodes.pop_back(), mesh.tetrahedra[1][3] = 4;
  EXPECT_EQ(fault(mesh),
            "mesh: element 2: found a place on the same side of a face as element 1, expected tetrahedra that do not "
            "overlap");
  // two bricks side by side, with nodes of their own where they touch
  mesh = one_brick();
  const TetrahedralMesh other = mapped(one_brick(), [](Vector3 x) { return Vector3{x.x + 1, x.y, x.z}; });
  mesh.nodes.insert(mesh.nodes.end(), other.nodes.begin(), other.nodes.end());
  for (std::array<int, 4> corners : other.tetrahedra) {
    for (int& corner : corners) corner += 8;
    mesh.tetrahedra.push_back(corners);
  }
  EXPECT_EQ(fault(mesh),
            "b.msh: element 7: found a part of the body that shares no face with the part of element 1, expected one "
            "connected body (with one node, not two, where its parts meet)");
}

TEST(MeshCheckTest, SeesGroupsThatAreNoSurfaceAndAnOffsetAlongZ) {
  TetrahedralMesh mesh = one_brick();
  mesh.groups = {{"base", {{0, 1, 3}, {1, 2, 3}}}};
  EXPECT_EQ(fault(mesh),
            "b.msh: group 'base': found a triangle that is no face of a tetrahedron, expected a part of the body's "
            "surface");
  mesh.groups = {{"base", {{0, 1, 3}, {3, 0, 1}}}};
  EXPECT_EQ(fault(mesh), "b.msh: group 'base': found a triangle again, expected each once");
  mesh = one_brick();
  for (Vector3& x : mesh.nodes) x.z -= 0.5;
  EXPECT_EQ(fault(mesh),
            "b.msh: node 1: found z from -0.5 to 0.5 m, expected z from 0 on: the body's base lies in the plane z = 0, "
            "its far end at z = L");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
