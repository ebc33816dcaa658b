#include "cuttle/bodies/chamber_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "support/epsilon.h"
#include "support/lvp_reference.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

/// The volume [m^3], with its slopes.
template <typename S>
S volume_of(const BodyT<S>& body, const ChamberSurfaceT<S>& surface, const std::vector<S>& q,
            std::vector<S>* slopes = nullptr) {
  std::vector<S> workspace(surface_workspace_size(surface, body.coordinate_count()));
  if (slopes) slopes->assign(q.size(), S(7.0));
  return volume_in_surface(body, surface, q.data(), slopes ? slopes->data() : nullptr, workspace.data());
}

VolumeBody body_of(std::shared_ptr<const VolumeKinematicsT<double>> kinematics) {
  return {point_cylinder(0.3, 0.05, 1000.0, 1, 1, 3), {.c1 = 8e4, .lame_lambda = 1e5}, std::move(kinematics)};
}
/// p = x + c + A x: 12 modes.
VolumeBody affine_body() {
  std::vector<RitzMode> modes;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) {
      RitzTerm term;
      if (i < 3) term.powers[i] = 1;
      term.vector[k] = 1.0;
      modes.push_back({term});
    }
  }
  return body_of(std::make_shared<RitzKinematics>(modes));
}
VolumeBody lvp_body(const std::vector<Type>& types, Random& random, LvpParameters& lvp) {
  lvp.length = 0.3;
  for (const Type type : types) lvp.primitives.push_back(random_primitive(type, random));
  return body_of(std::make_shared<LvpKinematics>(lvp));
}

/// Kuhn's six tetrahedra of each cube of a 3 x 3 x 3 grid but the one in the middle, or but the row along z through it.
/// The group `cavity`: what is missing, its triangles turned at random.
TetrahedralMesh grid_mesh(bool open, Random& random) {
  TetrahedralMesh mesh;
  const auto node = [](int x, int y, int z) { return x + 4 * (y + 4 * z); };
  for (int i = 0; i < 64; ++i) {
    mesh.nodes.push_back({0.02 * (i % 4 - 1.4), 0.03 * (i / 4 % 4 - 1.6), 0.1 * (i / 16)});
  }
  const auto missing = [&](int x, int y, int z) { return x == 1 && y == 1 && (open || z == 1); };
  std::set<std::array<int, 3>> faces, inner;
  for (int cube = 0; cube < 27; ++cube) {
    const int at[3] = {cube % 3, cube / 3 % 3, cube / 9};
    int axes[3] = {0, 1, 2};
    do {
      int corner[3] = {at[0], at[1], at[2]};
      std::array<int, 4> tetrahedron{node(corner[0], corner[1], corner[2])};
      for (int k = 0; k < 3; ++k) {
        ++corner[axes[k]];
        tetrahedron[k + 1] = node(corner[0], corner[1], corner[2]);
      }
      for (int skip = 0; skip < 4; ++skip) {
        std::array<int, 3> face{};
        for (int k = 0, j = 0; k < 4; ++k) {
          if (k != skip) face[j++] = tetrahedron[k];
        }
        std::sort(face.begin(), face.end());
        (missing(at[0], at[1], at[2]) ? inner : faces).insert(face);
      }
      const std::array<Vector3, 4> x{mesh.nodes[tetrahedron[0]], mesh.nodes[tetrahedron[1]], mesh.nodes[tetrahedron[2]],
                                     mesh.nodes[tetrahedron[3]]};
      if (dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]) < 0.0) std::swap(tetrahedron[2], tetrahedron[3]);
      if (!missing(at[0], at[1], at[2])) mesh.tetrahedra.push_back(tetrahedron);
    } while (std::next_permutation(axes, axes + 3));
  }
  TetrahedralMesh::Group group{"cavity", {}};
  for (std::array<int, 3> face : inner) {
    if (faces.count(face) == 0) continue;
    if (random.chance(0.5)) std::swap(face[0], face[1]);
    group.triangles.push_back(face);
  }
  mesh.groups = {{"other", {}}, group};
  return mesh;
}

/// A map of degree 2 that keeps planes of z, and with them the ends of a hole plane, unless it is `free`.
Vector3 bent(const Vector3& x, bool free) {
  const Vector3 plane{x.x * (1.0 + 1.5 * x.z) + 4.0 * x.y * x.y + 0.7 * x.z * x.z, x.y + 2.0 * x.x * x.z, x.z};
  return free ? plane + Vector3{0.0, 0.9 * x.z * x.y, 3.0 * x.x * x.y - 1.2 * x.x * x.x + 0.8 * x.z * x.z} : plane;
}
/// The volume that the map makes of the box in the middle of the grid: the integral of its determinant, by Gauss.
double bent_volume(bool open) {
  std::vector<long double> nodes, weights;
  gauss_legendre(5, nodes, weights);
  const Vector3 low{0.02 * -0.4, 0.03 * -0.6, open ? 0.0 : 0.1}, size{0.02, 0.03, open ? 0.3 : 0.1};
  double sum = 0.0;
  for (int i = 0; i < 125; ++i) {
    const int at[3] = {i % 5, i / 5 % 5, i / 25};
    double weight = 1.0;
    Vector3 x, columns[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = low[k] + size[k] * static_cast<double>(nodes[static_cast<std::size_t>(at[k])]);
      weight *= size[k] * static_cast<double>(weights[static_cast<std::size_t>(at[k])]);
    }
    for (int k = 0; k < 3; ++k) {  // exact, as the map is of degree 2
      Vector3 h{};
      h[k] = 0.01;
      columns[k] = 50.0 * (bent(x + h, !open) - bent(x - h, !open));
    }
    sum += weight * dot(cross(columns[0], columns[1]), columns[2]);
  }
  return sum;
}
/// A cavity of ten-node tetrahedra whose edges are parabolas.
ChamberSurface bent_surface(bool open, Random& random) {
  TetrahedralMesh mesh = with_edge_nodes(grid_mesh(open, random));
  for (Vector3& x : mesh.nodes) x = bent(x, !open);
  return mesh_group_surface(mesh, "cavity");
}

struct Case {
  std::string name;
  ChamberSurface surface;
  double rest_volume;
};
/// Fine enough for the exact volume at rest, or coarse.
std::vector<Case> cases(bool fine) {
  Random random(1);
  const int nz = fine ? 12 : 3, nr = fine ? 6 : 2, nphi = fine ? 24 : 5;
  return {{"sector", sector_surface<double>({0.3, 0.04, 0.7, std::numbers::pi}, nz, nr, nphi),
           0.5 * std::numbers::pi * 0.04 * 0.04 * 0.3},
          {"narrow", sector_surface<double>({0.3, 0.04, -2.0, 0.4}, nz, nr, nphi), 0.2 * 0.04 * 0.04 * 0.3},
          {"full", sector_surface<double>({0.3, 0.04, 0.0, 2.0 * std::numbers::pi}, nz, nr, nphi),
           std::numbers::pi * 0.04 * 0.04 * 0.3},
          {"bore", cylinder_bore_surface(0.3, 0.02, nz, nphi), std::numbers::pi * 0.02 * 0.02 * 0.3},
          {"closed mesh", mesh_group_surface(grid_mesh(false, random), "cavity"), 0.02 * 0.03 * 0.1},
          {"open mesh", mesh_group_surface(grid_mesh(true, random), "cavity"), 0.02 * 0.03 * 0.3},
          {"closed curved mesh", bent_surface(false, random), bent_volume(false)},
          {"open curved mesh", bent_surface(true, random), bent_volume(true)}};
}

// A surface that is not closed would feel the displacement, one that is turned somewhere the rest.
TEST(PocketSurfaceTest, AffineMapsScaleTheVolumeByTheirDeterminant) {
  const VolumeBody body = affine_body();
  for (const Case& c : cases(true)) {
    Random random(2);
    for (int sample = 0; sample < 5; ++sample) {
      std::vector<double> q(12);
      for (double& number : q) number = sample == 0 ? 0.0 : 0.4 * random.uniform();
      Matrix3 F = Matrix3::identity();
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) F(k, i) += q[3 * i + k];
      }
      const double expected = dot(F.row0, cross(F.row1, F.row2)) * c.rest_volume;
      EXPECT_NEAR(volume_of<double>(body, c.surface, q), expected, 1e-12 * c.rest_volume) << c.name << ", " << sample;
    }
  }
}

TEST(PocketSurfaceTest, MapsThatKeepVolumeKeepThatOfSmoothPockets) {
  Random random(3);
  LvpParameters lvp;
  const VolumeBody body = lvp_body({Type::stretch, Type::twist, Type::bend, Type::shear}, random, lvp);
  std::vector<double> q = lvp_sizes(lvp);
  for (double& number : q) number *= 0.5;
  double last = 0.0;
  for (const int count : {5, 10, 20}) {
    const ChamberSurface surface = sector_surface<double>({0.3, 0.04, 0.7, std::numbers::pi}, count, count, count);
    const double off = volume_of(body, surface, q) / (0.5 * std::numbers::pi * 0.04 * 0.04 * 0.3) - 1.0;
    if (count > 5) {
      EXPECT_LT(std::abs(off), count == 10 ? 1e-2 * std::abs(last) : 1e-11) << count;
    }
    last = off;
  }
}

// Sixth order: with steps of 1e-3 of a coordinate's size the error is far below double's rounding.
TEST(PocketSurfaceTest, SlopesAreDifferencesOfTheVolume) {
  Random random(4);
  LvpParameters lvp;
  const VolumeBody body = lvp_body({Type::stretch, Type::twist, Type::shear, Type::bend}, random, lvp);
  const auto precise = body.clone_as(ScalarTag<long double>());
  const std::vector<double> sizes = lvp_sizes(lvp);
  for (const Case& c : cases(false)) {
    const ChamberSurfaceT<long double> surface = c.surface.cast<long double>();
    std::vector<double> q, slopes;
    for (const double size : sizes) q.push_back(0.5 * size * random.uniform());
    const double volume = volume_of(body, c.surface, q, &slopes);
    EXPECT_EQ(volume, volume_of(body, c.surface, q)) << c.name;
    for (std::size_t j = 0; j < q.size(); ++j) {
      const long double h = 1e-3L * sizes[j];
      const auto at = [&](int steps) {
        std::vector<long double> moved(q.begin(), q.end());
        moved[j] += steps * h;
        return volume_of(*precise, surface, moved);
      };
      const long double slope = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + at(3) - at(-3)) / (60 * h);
      EXPECT_NEAR(slopes[j], static_cast<double>(slope), 1e3 * k_eps * c.rest_volume / sizes[j])
          << c.name << ", coordinate " << j;
    }
  }
}

// Second derivatives, as stiffness has them: of the slopes, by ForwardDual.
TEST(PocketSurfaceTest, SlopesHaveTheirDerivatives) {
  Random random(6);
  LvpParameters lvp;
  const VolumeBody body = lvp_body({Type::stretch, Type::twist, Type::shear, Type::bend}, random, lvp);
  const auto precise = body.clone_as(ScalarTag<long double>());
  const auto automatic = body.clone_as(ScalarTag<ForwardDual>());
  const std::vector<double> sizes = lvp_sizes(lvp);
  const std::size_t n = std::min(sizes.size(), static_cast<std::size_t>(k_forward_width));
  for (const Case& c : cases(false)) {
    std::vector<double> q;
    for (const double size : sizes) q.push_back(0.5 * size * random.uniform());
    std::vector<ForwardDual> seeded(q.begin(), q.end()), slopes;
    for (std::size_t k = 0; k < n; ++k) seeded[k].derivative[k] = 1.0;
    volume_of(*automatic, c.surface.cast<ForwardDual>(), seeded, &slopes);
    for (std::size_t k = 0; k < n; ++k) {
      const long double h = 1e-4L * sizes[k];
      const auto at = [&](int steps) {
        std::vector<long double> moved(q.begin(), q.end()), result;
        moved[k] += steps * h;
        volume_of(*precise, c.surface.cast<long double>(), moved, &result);
        return result;
      };
      const std::vector<long double> a = at(1), b = at(-1), aa = at(2), bb = at(-2);
      for (std::size_t j = 0; j < q.size(); ++j) {
        const long double expected = (8 * (a[j] - b[j]) - (aa[j] - bb[j])) / (12 * h);
        EXPECT_NEAR(slopes[j].derivative[k], static_cast<double>(expected),
                    1e-9 * c.rest_volume / (sizes[j] * sizes[k]))
            << c.name << ", " << j << ", " << k;
      }
    }
  }
}

TEST(PocketSurfaceTest, VolumesDifferentiateInTheirParameters) {
  SectorT<ForwardDual> sector{ForwardDual(0.3), ForwardDual(0.04), ForwardDual(0.2), ForwardDual(1.1)};
  sector.radius.derivative[0] = 1.0, sector.width.derivative[1] = 1.0, sector.length.derivative[2] = 1.0;
  const auto body = affine_body().clone_as(ScalarTag<ForwardDual>());
  const ForwardDual volume =
      volume_of<ForwardDual>(*body, sector_surface(sector, 4, 3, 8), std::vector<ForwardDual>(12, ForwardDual(0.0)));
  EXPECT_NEAR(volume.derivative[0], 0.04 * 1.1 * 0.3, 1e-15);
  EXPECT_NEAR(volume.derivative[1], 0.5 * 0.04 * 0.04 * 0.3, 1e-15);
  EXPECT_NEAR(volume.derivative[2], 0.5 * 0.04 * 0.04 * 1.1, 1e-15);
}

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(PocketSurfaceTest, RefusesWhatIsNoPocket) {
  const auto sector = [](double radius, double width, int nz) {
    return error_of([&] { sector_surface<double>({0.2, radius, 0.0, width}, nz, 2, 2); });
  };
  EXPECT_EQ(sector(-0.1, 1.0, 2), "radius: found -0.1, expected a number > 0 [m]");
  EXPECT_EQ(sector(0.1, 6.3, 2), "width: found 6.3, expected a number in (0, 2 pi] [rad]");
  EXPECT_EQ(sector(0.1, 6.28318530718, 2), "");
  EXPECT_EQ(sector(0.1, 1.0, 0), "points.nz: found 0, expected an integer from 1 to 1000");
  Random random(5);
  TetrahedralMesh mesh = grid_mesh(false, random);
  const auto group = [&](const std::string& name) { return error_of([&] { mesh_group_surface(mesh, name); }); };
  EXPECT_EQ(group("cave"), "surface: found 'cave', expected a group of triangles of the mesh: other, cavity");
  mesh.groups.push_back({"inside",
                         {{mesh.tetrahedra[0][0], mesh.tetrahedra[0][1], mesh.tetrahedra[0][2]},
                          {mesh.tetrahedra[0][0], mesh.tetrahedra[0][1], mesh.tetrahedra[0][3]}}});
  EXPECT_NE(group("inside").find("between two tetrahedra, expected faces of the mesh's surface"), std::string::npos);
  mesh.groups.push_back({"nothing", {{0, 1, 63}}});
  EXPECT_EQ(group("nothing"),
            "surface 'nothing': found a triangle that is no face of a tetrahedron, expected faces of the mesh's "
            "surface");
  mesh.groups[1].triangles.push_back(mesh.groups[1].triangles[0]);
  EXPECT_EQ(group("cavity"),
            "surface 'cavity': found triangles that are not on one side of a surface, expected each edge between two");
  EXPECT_EQ(group("other"),
            "surface 'other': found triangles around the body, expected triangles around a cavity in it");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
