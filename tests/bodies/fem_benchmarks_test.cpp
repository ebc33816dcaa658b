// Finite elements against published values and closed forms, with refinement. scripts/fem_accuracy.py makes the figure
// and the tables of docs/accuracy.md of the properties that are recorded here.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "bodies/volume/fem/fem_assembly.h"
#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/volume_body.h"
#include "support/meshes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

/// Small strains of a mesh whose nodes may be held and loaded one component at a time.
class SmallStrains {
 public:
  SmallStrains(const TetrahedralMesh& mesh, double young_modulus, double poisson_ratio)
      : mesh_(mesh), held_(3 * mesh.nodes.size()), force_(VectorXd::Zero(3 * mesh.nodes.size())) {
    const VolumeMaterial material{.model = VolumeMaterial::Model::st_venant_kirchhoff,
                                  .young_modulus = young_modulus,
                                  .poisson_ratio = poisson_ratio};
    stiffness_ = material.shear_modulus() * fem_stiffness(mesh, FreeNodes::all(mesh), lame_ratios(mesh, material));
  }
  void hold(int node, int axis) { held_[3 * node + axis] = true; }
  void load(const VectorXd& force) { force_ += force; }
  /// A traction [Pa] on the part of the surface whose corners all fulfill a condition; its value at each point. Normals
  /// and areas are those of the flat parts between the nodes, refined with the mesh.
  void press(const std::function<bool(const Vector3&)>& on, const std::function<Vector3(const Vector3&)>& traction) {
    for (const auto& face : faces(on)) {
      const auto place = [&](double u, double v) { return at(face, u, v); };
      for (const auto& [u, v, weight] : k_points) {
        const Vector3 du = 1e4 * (place(u + 5e-5, v) - place(u - 5e-5, v)),
                      dv = 1e4 * (place(u, v + 5e-5) - place(u, v - 5e-5));
        const Vector3 load = (0.5 * weight * norm(cross(du, dv))) * traction(place(u, v));
        const auto N = functions(face.size(), u, v);
        for (std::size_t i = 0; i < face.size(); ++i) {
          for (int axis = 0; axis < 3; ++axis) force_[3 * face[i] + axis] += N[i] * load[axis];
        }
      }
    }
  }
  VectorXd displacements() const {
    Sparse K = stiffness_;
    VectorXd f = force_;
    K.prune([&](Eigen::Index i, Eigen::Index j, double) { return i == j || (!held_[i] && !held_[j]); });
    for (Eigen::Index i = 0; i < f.size(); ++i) {
      if (held_[i]) f[i] = 0.0;
    }
    const Eigen::SimplicialLDLT<Sparse> factor(K);
    EXPECT_EQ(factor.info(), Eigen::Success);
    return factor.solve(f);
  }

  /// Force times displacement.
  double work(const VectorXd& u) const { return force_.dot(u); }

 private:
  using Face = std::vector<int>;  // three or six nodes
  struct Point {
    double u, v, weight;
  };
  /// Of degree 4 on a triangle.
  static constexpr Point k_points[6] = {{0.445948490915965, 0.445948490915965, 0.223381589678011},
                                        {0.445948490915965, 0.10810301816807, 0.223381589678011},
                                        {0.10810301816807, 0.445948490915965, 0.223381589678011},
                                        {0.091576213509771, 0.091576213509771, 0.109951743655322},
                                        {0.091576213509771, 0.816847572980459, 0.109951743655322},
                                        {0.816847572980459, 0.091576213509771, 0.109951743655322}};
  static std::array<double, 6> functions(std::size_t count, double u, double v) {
    const double w = 1 - u - v;
    if (count == 3) return {w, u, v};
    return {w * (2 * w - 1), u * (2 * u - 1), v * (2 * v - 1), 4 * w * u, 4 * u * v, 4 * v * w};
  }
  Vector3 at(const Face& face, double u, double v) const {
    const auto N = functions(face.size(), u, v);
    Vector3 sum{};
    for (std::size_t i = 0; i < face.size(); ++i) sum += N[i] * mesh_.nodes[face[i]];
    return sum;
  }
  std::vector<Face> faces(const std::function<bool(const Vector3&)>& on) const {
    std::vector<Face> all;
    for (const auto& corners : boundary_faces(mesh_)) {
      const auto good = [&](int node) { return on(mesh_.nodes[node]); };
      if (!std::all_of(corners.begin(), corners.end(), good)) continue;
      all.emplace_back(corners.begin(), corners.end());
      const auto parts = node_triangles(mesh_, {corners});
      if (parts.size() == 4) all.back().insert(all.back().end(), parts[3].begin(), parts[3].end());
    }
    return all;
  }

  const TetrahedralMesh& mesh_;
  std::vector<bool> held_;
  VectorXd force_;
  Sparse stiffness_;
};

TetrahedralMesh with_nodes(const TetrahedralMesh& mesh, int nodes) {
  return nodes == 10 ? with_edge_nodes(mesh) : mesh;
}
int nearest_node(const TetrahedralMesh& mesh, const Vector3& x) {
  int nearest = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (norm(mesh.nodes[i] - x) < norm(mesh.nodes[nearest] - x)) nearest = static_cast<int>(i);
  }
  return nearest;
}
void record(const std::string& name, double value) { testing::Test::RecordProperty(name, std::to_string(value)); }

// --- Cook's membrane

/// A tapered plate that is clamped at its left end (x = 0, y from 0 to 44) and sheared at its right (x = 48, y from 44
/// to 60) by a force of 1; thickness 1, E = 1. @return how far the middle of the right end goes.
double cooks_membrane(int n, int nodes, double poisson_ratio, bool plane_strain) {
  const TetrahedralMesh flat = with_nodes(box_mesh({1, 1, 1}, n, 1, n), nodes);
  const TetrahedralMesh mesh = mapped(flat, [](const Vector3& x) {  // z: along the plate; x: across; y: thickness
    const double s = x.z, t = x.x + 0.5;
    return Vector3{44 * s * (1 - t) + t * (44 + 16 * s), x.y, 48 * s};
  });
  SmallStrains body(mesh, 1.0, poisson_ratio);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    const int node = static_cast<int>(i);
    if (x.z < 1e-9) body.hold(node, 0), body.hold(node, 2);
    if (plane_strain || std::abs(x.y) < 1e-9 || (nodes == 4 && x.y < -0.4)) body.hold(node, 1);
  }
  body.press([](const Vector3& x) { return x.z > 48 - 1e-9; }, [](const Vector3&) { return Vector3{1.0 / 16, 0, 0}; });
  return body.displacements()[3 * nearest_node(mesh, {52, plane_strain ? -0.5 : 0.0, 48})];
}

// 23.96 in plane stress for a Poisson's ratio of 1/3 (Bergan and Felippa 1985: 23.9; refined meshes of plane elements:
// 23.96).
TEST(FemBenchmark, CooksMembraneBends) {
  constexpr double k_published = 23.96;
  std::map<int, std::map<int, double>> found;
  for (const int nodes : {4, 10}) {
    for (const int n : {2, 4, 8, 16}) {
      found[nodes][n] = cooks_membrane(n, nodes, 1.0 / 3.0, false);
      record("cook_" + std::to_string(nodes) + "_" + std::to_string(n), found[nodes][n] / k_published - 1);
    }
  }
  EXPECT_NEAR(found[10][16], k_published, 0.005 * k_published);
  EXPECT_NEAR(found[10][4], k_published, 0.025 * k_published);
  EXPECT_LT(found[4][4], 0.6 * k_published);
}

// --- a thick sphere under pressure

/// An eighth of a sphere: three parts of nr x n x n bricks, with the nodes of edges on spheres too.
TetrahedralMesh sphere_eighth(double inner, double outer, int n, int nr, int nodes) {
  const TetrahedralMesh part = with_nodes(box_mesh({1, 1, 1}, n, n, nr), nodes);
  TetrahedralMesh mesh;
  std::map<std::array<long, 3>, int> known;
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<int> number;
    for (const Vector3& x : part.nodes) {
      const double u = std::tan((x.x + 0.5) * std::numbers::pi / 4), v = std::tan((x.y + 0.5) * std::numbers::pi / 4);
      const double r = (inner + (outer - inner) * x.z) / std::sqrt(1 + u * u + v * v);
      Vector3 at;
      at[turn] = r, at[(turn + 1) % 3] = r * u, at[(turn + 2) % 3] = r * v;
      std::array<long, 3> key;
      for (int i = 0; i < 3; ++i) key[i] = std::lround(1e8 * at[i]);
      const auto [entry, is_new] = known.insert({key, static_cast<int>(mesh.nodes.size())});
      if (is_new) mesh.nodes.push_back(at);
      number.push_back(entry->second);
    }
    for (std::size_t t = 0; t < part.tetrahedra.size(); ++t) {
      mesh.tetrahedra.push_back(part.tetrahedra[t]);
      for (int& node : mesh.tetrahedra.back()) node = number[node];
      if (nodes == 4) continue;
      mesh.edge_nodes.push_back(part.edge_nodes[t]);
      for (int& node : mesh.edge_nodes.back()) node = number[node];
    }
  }
  return mesh;
}

// Lame: u(a) = p a / (E (b^3 - a^3)) ((1 - 2 nu) a^3 + (1 + nu) b^3 / 2).
TEST(FemBenchmark, AThickSphereGrowsUnderPressureAsLameSays) {
  const double a = 1.0, b = 2.0, E = 1.0, p = 0.01;
  for (const double nu : {0.3, 0.49, 0.4999}) {
    const double expected =
        p * a / (E * (b * b * b - a * a * a)) * ((1 - 2 * nu) * a * a * a + (1 + nu) * b * b * b / 2);
    std::map<int, std::map<int, double>> errors;
    for (const int nodes : {4, 10}) {
      for (const int n : {1, 2, 4}) {
        const TetrahedralMesh mesh = sphere_eighth(a, b, n, n, nodes);
        mesh.check();
        SmallStrains body(mesh, E, nu);
        for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
          for (int axis = 0; axis < 3; ++axis) {
            if (std::abs(mesh.nodes[i][axis]) < 1e-9) body.hold(static_cast<int>(i), axis);
          }
        }
        body.press([&](const Vector3& x) { return norm(x) < a + 1e-9; },
                   [&](const Vector3& x) { return (p / norm(x)) * x; });
        const double found = body.displacements()[3 * nearest_node(mesh, {a, 0, 0})];
        errors[nodes][n] = found / expected - 1;
        record("sphere_" + std::to_string(nodes) + "_" + std::to_string(n) + "_" + std::to_string(nu).substr(0, 6),
               errors[nodes][n]);
      }
    }
    // ten nodes converge more slowly where the volume must stay, but do not lock
    EXPECT_LT(std::abs(errors[10][4]), nu < 0.4 ? 0.01 : nu < 0.495 ? 0.03 : 0.05) << nu;
    EXPECT_LT(std::abs(errors[10][4]), (nu < 0.4 ? 0.35 : 0.6) * std::abs(errors[10][2])) << nu;
    if (nu > 0.4) {
      EXPECT_LT(errors[4][4], -0.05) << nu;  // locks
    }
  }
}

// --- a thick tube under pressure

/// Modes that are the displacements of single nodes, all of them.
std::shared_ptr<const FemBasis> unit_displacements(const TetrahedralMesh& mesh) {
  FemBasis all{.mesh = std::make_shared<const TetrahedralMesh>(mesh), .modes = {}, .frequencies = {}};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      all.modes.emplace_back(mesh.nodes.size());
      all.modes.back()[i][axis] = 1.0;
    }
  }
  return std::make_shared<const FemBasis>(std::move(all));
}
/// A tube about z, round: bricks, `around` of them, bent and joined. The group `bore` is its inside.
TetrahedralMesh tube(double inner, double outer, double height, int around, int across, int nodes) {
  const TetrahedralMesh part = with_nodes(box_mesh({1, 1, height}, around, across, 1), nodes);
  TetrahedralMesh mesh;
  std::map<std::array<long, 3>, int> known;
  std::vector<int> number;
  for (const Vector3& x : part.nodes) {
    const double angle = -2.0 * std::numbers::pi * x.x, r = inner + (outer - inner) * (x.y + 0.5);
    const Vector3 at{r * std::cos(angle), r * std::sin(angle), x.z};
    std::array<long, 3> key;
    for (int i = 0; i < 3; ++i) key[i] = std::lround(1e8 * at[i]);
    const auto [entry, is_new] = known.insert({key, static_cast<int>(mesh.nodes.size())});
    if (is_new) mesh.nodes.push_back(at);
    number.push_back(entry->second);
  }
  mesh.tetrahedra = part.tetrahedra, mesh.edge_nodes = part.edge_nodes;
  for (auto& corners : mesh.tetrahedra) {
    for (int& node : corners) node = number[node];
  }
  for (auto& edges : mesh.edge_nodes) {
    for (int& node : edges) node = number[node];
  }
  mesh.groups = {{"bore", {}}};
  for (const auto& face : boundary_faces(mesh)) {
    const auto inside = [&](int node) { return std::hypot(mesh.nodes[node].x, mesh.nodes[node].y) < inner + 1e-9; };
    if (std::all_of(face.begin(), face.end(), inside)) mesh.groups[0].triangles.push_back(face);
  }
  return mesh;
}

// Lame, between planes that hold z: u(a) = p a (1 + nu) / (E (b^2 - a^2)) ((1 - 2 nu) a^2 + b^2). The load is what a
// chamber makes of its pressure: the slope of its volume.
TEST(FemBenchmark, AThickTubeGrowsUnderAChambersPressureAsLameSays) {
  const double a = 1.0, b = 2.0, E = 1.0, nu = 0.3, p = 0.01;
  const double expected = p * a * (1 + nu) / (E * (b * b - a * a)) * ((1 - 2 * nu) * a * a + b * b);
  const TetrahedralMesh mesh = tube(a, b, 0.5, 12, 2, 10);
  mesh.check();
  SmallStrains solid(mesh, E, nu);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    const int node = static_cast<int>(i);
    solid.hold(node, 2);
    if (std::abs(x.x) < 1e-9) solid.hold(node, 0);
    if (std::abs(x.y) < 1e-9) solid.hold(node, 1);
  }
  PointParameters points;
  points.quadrature = mesh_quadrature(mesh, 14);
  points.density = 1.0;
  points.tip_origin = {0, a, 0.5}, points.tip_a = {b, 0, 0.5}, points.tip_b = {0, b, 0.5};
  const VolumeMaterial material{
      .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = E, .poisson_ratio = nu};
  const auto basis = unit_displacements(mesh);
  const VolumeBody body(points, material, std::make_shared<FemKinematics>(basis), basis->mesh);
  const ChamberSurface bore = mesh_group_surface(mesh, "bore");
  const int n = body.coordinate_count();
  const std::vector<double> rest(n);
  std::vector<double> memory(surface_workspace_size(bore, n));
  VectorXd slopes(n);
  const double volume = volume_in_surface<double>(body, bore, rest.data(), slopes.data(), memory.data());
  EXPECT_NEAR(volume, std::numbers::pi * a * a * 0.5, 2e-4 * volume);
  solid.load(p * slopes);
  const VectorXd u = solid.displacements();
  double mean = 0.0;
  int count = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    const double r = std::hypot(x.x, x.y);
    if (r > a + 1e-9) continue;
    const double out = (x.x * u[3 * i] + x.y * u[3 * i + 1]) / r;
    EXPECT_NEAR(out, expected, 0.02 * expected) << i;
    mean += out, ++count;
  }
  record("tube_10", mean / count / expected - 1);
  EXPECT_NEAR(mean / count, expected, 0.005 * expected);
}

// --- a block of rubber between two plates

// Plates bonded to an infinitely long block of width 2 b and height h, incompressible: mean stress over strain is
// 4/3 E (1 + S^2), S = b / h (Gent and Lindley 1959). It neglects that the volume changes and a little at the edges.
TEST(FemBenchmark, ABondedRubberBlockIsStiff) {
  const double E = 1.0, nu = 0.4999, h = 1.0, b = 2.0;
  const double S = b / h, expected = 4.0 / 3 * E * (1 + S * S);
  std::map<int, std::map<int, double>> modulus;
  for (const int nodes : {4, 10}) {
    for (const int n : {1, 2, 4, 8}) {
      // half of the width and of the height: u_z = 0 in the middle plane, bonded above
      const TetrahedralMesh mesh =
          mapped(with_nodes(box_mesh({b, 0.25, h / 2}, 4 * n, 1, n), nodes), [&](const Vector3& x) {
            return Vector3{x.x + b / 2, x.y, x.z};
          });
      const double strain = 0.01;
      // u = -strain z e_z + w: w is held where the plate is, and the stress of the first part loads the free side
      SmallStrains body(mesh, E, nu);
      const double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
      for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
        const Vector3& x = mesh.nodes[i];
        const int node = static_cast<int>(i);
        body.hold(node, 1);
        if (x.x < 1e-9) body.hold(node, 0);
        if (x.z < 1e-9) body.hold(node, 2);
        if (x.z > h / 2 - 1e-9) body.hold(node, 0), body.hold(node, 2);
      }
      // tractions that the free side x = b lacks; all other sides are held or glide
      body.press([&](const Vector3& x) { return x.x > b - 1e-9; },
                 [&](const Vector3&) {
                   return Vector3{lambda * strain, 0, 0};
                 });
      const VectorXd w = body.displacements();
      // twice the energy, the work of the plate: that of the first part less what relaxing gave back
      const double volume = mesh.volume(), work = (lambda + 2 * mu) * strain * strain * volume - body.work(w);
      modulus[nodes][n] = work / (strain * strain * volume);
      record("block_" + std::to_string(nodes) + "_" + std::to_string(n), modulus[nodes][n] / expected - 1);
    }
  }
  EXPECT_NEAR(modulus[10][8], expected, 0.06 * expected);
  EXPECT_NEAR(modulus[10][4], modulus[10][8], 0.02 * expected);
  EXPECT_GT(modulus[4][8], 1.3 * expected);  // locks
}

// --- vibrations

// A slender cantilever, L / w = 20: omega_k = beta_k^2 sqrt(E I / rho A) / L^2, less some percent at k = 2 and 3 for
// shear and rotary inertia, which Euler and Bernoulli neglect.
TEST(FemBenchmark, CantileverFrequenciesAreThoseOfBeams) {
  const double L = 1.0, w = 0.05, E = 1.0, rho = 1.0, nu = 0.3;
  const VolumeMaterial material{
      .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = E, .poisson_ratio = nu};
  const double beta[3] = {1.8751040687, 4.6940911330, 7.8547574382};
  std::map<int, std::map<int, std::array<double, 3>>> errors;
  for (const int nodes : {4, 10}) {
    for (const int n : {1, 2, 3}) {
      const auto mesh =
          std::make_shared<const TetrahedralMesh>(with_nodes(box_mesh({w, w * 1.2, L}, n, n, 16 * n), nodes));
      const FemBasis basis = fem_modes(mesh, material, rho, 12, false);
      int k = 0;
      for (std::size_t m = 0; m < basis.modes.size() && k < 3; ++m) {  // those that bend along x
        Vector3 sum{};  // bending moves the center of mass, torsion does not
        double squares = 0.0;
        for (const Vector3& u : basis.modes[m]) sum += u, squares += dot(u, u);
        const double least = 0.02 * squares * static_cast<double>(basis.modes[m].size());
        if (sum.x * sum.x < std::max({least, sum.y * sum.y, sum.z * sum.z})) continue;
        const double expected = beta[k] * beta[k] * std::sqrt(E * w * w / 12 / rho) / (L * L);
        errors[nodes][n][k] = basis.frequencies[m] / expected - 1;
        record("beam_" + std::to_string(nodes) + "_" + std::to_string(n) + "_" + std::to_string(k + 1),
               errors[nodes][n][k]);
        ++k;
      }
      EXPECT_EQ(k, 3) << nodes << ", " << n;
    }
  }
  for (int k = 0; k < 3; ++k) EXPECT_LT(std::abs(errors[10][2][k]), k < 2 ? 0.015 : 0.03) << k;
  EXPECT_GT(errors[4][1][0], 0.5);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
