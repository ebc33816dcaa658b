// Ten-node tetrahedra: interpolation, quadrature, modes, all displacements, surfaces, what is refused.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/rubber_law.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Mesh = std::shared_ptr<const TetrahedralMesh>;

const VolumeMaterial k_stiff{
    .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.3};
const VolumeMaterial k_rubber{.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02};
// nearly incompressible: what resists changes of volume acts at the centres of the tetrahedra
const VolumeMaterial k_gel{.model = VolumeMaterial::Model::st_venant_kirchhoff,
                           .young_modulus = 4e5,
                           .poisson_ratio = 0.49,
                           .damping_time = 0.02};
const VolumeMaterial k_soft_rubber{.c1 = 7e4, .lame_lambda = 6e6, .damping_time = 0.02};
const VolumeMaterial k_materials[] = {k_stiff, k_rubber, k_gel, k_soft_rubber};
constexpr double k_density = 1000.0;

/// Straight edges.
Mesh box(const Vector3& size, int nx, int ny, int nz) {
  return std::make_shared<const TetrahedralMesh>(with_edge_nodes(box_mesh(size, nx, ny, nz)));
}
/// A box whose edges are parabolas: nodes, also those of edges, moved by a field of degree 2.
Mesh curved_box(const Vector3& size, int nx, int ny, int nz) {
  return std::make_shared<const TetrahedralMesh>(mapped(*box(size, nx, ny, nz), [&](const Vector3& x) {
    return Vector3{x.x + 2.0 * x.y * x.y + 0.6 * x.x * x.z, x.y - 0.8 * x.x * x.z, x.z * (1.0 + 0.9 * x.x)};
  }));
}
NodalVolume nodal(const Mesh& mesh, const VolumeMaterial& material) {
  const double L = mesh->length(), R = mesh->radius();
  return NodalVolume({mesh, k_density, material, {0, 0, L}, {R, 0, L}, {0, R, L}});
}
VolumeBody fem_body(const std::shared_ptr<const FemBasis>& basis, const VolumeMaterial& material, int rule) {
  const double L = basis->mesh->length(), R = basis->mesh->radius();
  PointParameters points;
  points.quadrature = mesh_quadrature(*basis->mesh, rule);
  points.density = k_density;
  points.tip_origin = {0, 0, L}, points.tip_a = {R, 0, L}, points.tip_b = {0, R, L};
  return VolumeBody(points, material, std::make_shared<FemKinematics>(basis), basis->mesh);
}
/// Modes that are the displacements of single nodes.
std::shared_ptr<const FemBasis> unit_displacements(const Mesh& mesh) {
  FemBasis all{.mesh = mesh, .modes = {}, .frequencies = {}};
  for (std::size_t i = 0; i < mesh->nodes.size(); ++i) {
    for (int axis = 0; axis < 3 && mesh->nodes[i].z > 1e-9; ++axis) {
      all.modes.emplace_back(mesh->nodes.size());
      all.modes.back()[i][axis] = 1.0;
    }
  }
  return std::make_shared<const FemBasis>(all);
}

// --- the element

// Monomials of barycentric coordinates: 6 V i! j! k! l! / (i + j + k + l + 3)!.
TEST(TetrahedralElementTest, RulesAreExactToTheirDegree) {
  const auto factorial = [](int n) { return std::tgamma(static_cast<long double>(n + 1)); };
  for (const auto& [points, degree] : {std::pair(1, 1), std::pair(4, 2), std::pair(14, 5)}) {
    long double worst = 0, beyond = 0;
    for (int i = 0; i <= degree + 1; ++i) {
      for (int j = 0; i + j <= degree + 1; ++j) {
        for (int k = 0; i + j + k <= degree + 1; ++k) {
          long double sum = 0;
          for (const ElementPoint& p : element_rule(points)) {
            EXPECT_GT(p.weight, 0.0L);
            sum += p.weight * std::pow(p.xi.x, i) * std::pow(p.xi.y, j) * std::pow(p.xi.z, k);
          }
          const long double exact = 6 * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
          (i + j + k <= degree ? worst : beyond) =
              std::max(i + j + k <= degree ? worst : beyond, std::abs(sum - exact));
        }
      }
    }
    EXPECT_LT(worst, 1e-18L) << points;
    EXPECT_GT(beyond, 1e-5L) << points;
    EXPECT_EQ(element_rule(points).size(), static_cast<std::size_t>(points));
  }
  EXPECT_TRUE(element_rule(5).empty());
}

TEST(TetrahedralElementTest, ShapeFunctionsAreOneAtTheirNodesAndSlopesAreDifferences) {
  const Mesh mesh = curved_box({0.3, 0.4, 0.5}, 1, 1, 1);
  for (std::size_t t = 0; t < mesh->tetrahedra.size(); ++t) {
    const ElementNodes nodes(*mesh, t);
    const Vector3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 10; ++i) {
      const Vector3 xi =
          i < 4 ? corners[i] : 0.5 * (corners[k_tetrahedron_edges[i - 4][0]] + corners[k_tetrahedron_edges[i - 4][1]]);
      const auto at = element_place<double>(*mesh, t, xi);
      for (int j = 0; j < 10; ++j) EXPECT_NEAR(at.values[j], i == j ? 1.0 : 0.0, 1e-15);
      EXPECT_NEAR(norm(at.position - mesh->nodes[nodes[i]]), 0.0, 1e-15);
    }
    using L = long double;
    const Vector3T<L> xi{0.2L, 0.3L, 0.15L};
    const auto at = element_place<L>(*mesh, t, xi);
    for (int k = 0; k < 3; ++k) {
      const L h = 1e-6L;
      Vector3T<L> more = xi, less = xi;
      more[k] += h, less[k] -= h;
      const auto ahead = element_place<L>(*mesh, t, more), behind = element_place<L>(*mesh, t, less);
      const Vector3T<L> column = (1 / (2 * h)) * (ahead.position - behind.position);
      for (int l = 0; l < 3; ++l) EXPECT_NEAR(double(dot(at.local[l], column)), l == k ? 1.0 : 0.0, 1e-12);
      for (int j = 0; j < 10; ++j) {
        const L slope = (ahead.values[j] - behind.values[j]) / (2 * h);
        EXPECT_NEAR(double(dot(at.gradients[j], column)), double(slope), 1e-10);
      }
    }
  }
}

// --- how points move

// Nodes moved by a field of degree 2 move every point of a mesh of straight edges so; beside it, as the nearest point.
TEST(TenNodeKinematicsTest, PointsMoveAsFieldsOfDegreeTwo) {
  Random random(5);
  const Mesh mesh = box({0.05, 0.04, 0.2}, 2, 3, 4);
  const auto field = [](const Vector3& x) {
    return Vector3{0.3 + x.x * x.z - 2.0 * x.y * x.y, 3.0 * x.z * x.z - x.x, x.x * x.y + 0.5 * x.z * x.z};
  };
  const auto slope = [](const Vector3& x) {
    return Matrix3{{x.z, -4.0 * x.y, x.x}, {-1.0, 0.0, 6.0 * x.z}, {x.y, x.x, x.z}};
  };
  FemBasis basis{.mesh = mesh, .modes = {{}}, .frequencies = {}};
  for (const Vector3& x : mesh->nodes) basis.modes[0].push_back(field(x));
  const VolumeBody body = fem_body(std::make_shared<const FemBasis>(basis), k_stiff, 14);
  const double q = 0.7;
  for (int sample = 0; sample < 60; ++sample) {
    const double round = sample % 2 ? 0.01 : 1e-9;  // some on faces and edges of tetrahedra
    Vector3 x{round * std::round(0.025 * random.uniform() / round), round * std::round(0.02 * random.uniform() / round),
              round * std::round(random.uniform(0.0, 0.2) / round)};
    Vector3 beside{};
    if (sample % 5 == 0) x.z = 0.2, beside.z = 0.004;
    const Vector3 at = x + beside;
    Vector3 position, mode;
    Matrix3 F, F_slope;
    body.material_points(&q, &at, 1, {&position, &mode, &F, &F_slope});
    EXPECT_NEAR(norm(mode - (field(x) + slope(x) * beside)), 0.0, 1e-14);
    EXPECT_NEAR(norm(position - (at + q * mode)), 0.0, 1e-15);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(F_slope(i, j), slope(x)(i, j), 1e-12);
        EXPECT_NEAR(F(i, j), (i == j ? 1.0 : 0.0) + q * F_slope(i, j), 1e-15);
      }
    }
  }
}

// Of curved tetrahedra fields of degree 1 are exact, wherever Newton's method has to find the point.
TEST(TenNodeKinematicsTest, PointsOfCurvedTetrahedraAreFound) {
  Random random(6);
  const Mesh mesh = curved_box({0.3, 0.4, 0.5}, 2, 2, 3);
  const Matrix3 A{{0.3, -0.2, 0.5}, {0.1, 0.4, -0.7}, {0.2, 0.6, -0.1}};
  FemBasis basis{.mesh = mesh, .modes = {{}}, .frequencies = {}};
  for (const Vector3& x : mesh->nodes) basis.modes[0].push_back(A * x);
  const auto body = fem_body(std::make_shared<const FemBasis>(basis), k_stiff, 14).clone_as(ScalarTag<long double>());
  for (int sample = 0; sample < 40; ++sample) {
    const std::size_t t = sample % mesh->tetrahedra.size();
    long double weights[4], sum = 0;
    for (long double& weight : weights) weight = 0.01 + random.uniform(0.0, 1.0), sum += weight;
    const auto place = element_place<long double>(*mesh, t, {weights[1] / sum, weights[2] / sum, weights[3] / sum});
    const long double q = 0.7L;
    Vector3T<long double> position, mode;
    Matrix3T<long double> F, F_slope;
    body->material_points(&q, &place.position, 1, {&position, &mode, &F, &F_slope});
    const auto expected = A.cast<long double>() * place.position;
    EXPECT_LT(norm(mode - expected), 1e-16L);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(double(F_slope(i, j)), A(i, j), 1e-15);
    }
  }
}

// --- modes

// Clamped beam: omega_1 = 3.516 sqrt(E I / (rho A L^4)), of so slender a beam to 0.1 %. One brick of six tetrahedra is
// enough across, where those of four nodes are 2.9 times too stiff.
TEST(TenNodeModesTest, FrequenciesOfASlenderBeamAreThoseOfEulerAndBernoulli) {
  const double L = 0.4, w = 0.02;
  const double expected = 3.5160152685 * std::sqrt(k_stiff.young_modulus * w * w / 12.0 / k_density) / (L * L);
  const FemBasis ten = fem_modes(box({w, w, L}, 1, 1, 16), k_stiff, k_density, 2, false);
  const FemBasis four =
      fem_modes(std::make_shared<const TetrahedralMesh>(box_mesh({w, w, L}, 1, 1, 16)), k_stiff, k_density, 2, false);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(ten.frequencies[k], expected, 0.01 * expected);
    EXPECT_GT(four.frequencies[k], 1.6 * expected);
  }
  EXPECT_EQ(ten.estimated_error, 0.0);
  EXPECT_GT(four.estimated_error, 0.3);
}

// The 14-point rule makes the body's mass and stiffness the same sums as those of the eigenproblem.
TEST(TenNodeModesTest, ModesAreVibrationsOfTheBody) {
  for (const Mesh& mesh : {box({0.05, 0.04, 0.2}, 1, 1, 3), curved_box({0.3, 0.4, 0.5}, 1, 1, 2)}) {
    for (const VolumeMaterial& material : k_materials) {
      const auto basis = std::make_shared<const FemBasis>(fem_modes(mesh, material, k_density, 5, false));
      const VolumeBody body = fem_body(basis, material, 14);
      contract::State<double> state;
      state.q = state.v = state.a = VectorXd::Zero(5);
      const MatrixXd mass = contract::evaluate(body, state).mass;
      MatrixXd stiffness(5, 5);
      body.stiffness_matrix(state.q.data(), stiffness.data());
      for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 5; ++k) {
          const double square = basis->frequencies[k] * basis->frequencies[k];
          const double scale = std::sqrt(mass(j, j) * mass(k, k));
          if (j != k) {
            EXPECT_NEAR(mass(j, k), 0.0, 1e-9 * scale);
          }
          EXPECT_NEAR(stiffness(j, k), j == k ? square * mass(k, k) : 0.0, 1e-9 * square * scale);
        }
      }
    }
  }
}

TEST(TenNodeModesTest, KeepTheContract) {
  unsigned seed = 40;
  for (const VolumeMaterial& material : k_materials) {
    const Mesh mesh = box({0.05, 0.04, 0.2}, 1, 1, 2);
    const auto basis = std::make_shared<const FemBasis>(fem_modes(mesh, material, k_density, 2, true));
    VolumeBody body = fem_body(basis, material, 4);
    body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}});
    BodyContractOptions options;
    options.seed = ++seed, options.samples = 1;
    options.coordinates.assign(basis->modes.size(), 0.003);
    options.step = 2.5e-4;  // between what differences lose to rounding and to stiff changes of volume
    expect_body_contract(body, "ten-node modes " + std::to_string(seed), options);
  }
}

// A small force at an attachment moves it, and the tip, as the whole mesh is moved; without the attachment it does not.
TEST(TenNodeModesTest, AttachmentModesHoldTheStaticResponse) {
  const Mesh mesh = box({0.05, 0.04, 0.2}, 1, 1, 2);
  const Vector3 at{0.011, 0.0132, 0.117};
  const VectorXd load = VectorXd::LinSpaced(3, 1.0, -2.0);
  const auto response = [&](const Body& body) {
    const int n = body.coordinate_count();
    const VectorXd rest = VectorXd::Zero(n);
    std::vector<Vector3> slopes(n);
    Vector3 position;
    body.material_points(rest.data(), &at, 1, {&position, slopes.data(), nullptr, nullptr});
    MatrixXd K(n, n), S(3, n);
    for (int j = 0; j < n; ++j) S.col(j) << slopes[j].x, slopes[j].y, slopes[j].z;
    body.stiffness_matrix(rest.data(), K.data());
    return VectorXd(S * K.ldlt().solve(S.transpose() * load));
  };
  const VectorXd whole = response(nodal(mesh, k_stiff));
  const auto reduced = [&](const std::vector<FemAttachment>& attachments) {
    const auto basis = std::make_shared<const FemBasis>(fem_modes(mesh, k_stiff, k_density, 2, false, attachments));
    EXPECT_EQ(basis->modes.size(), 2 + basis->attachment_modes);
    return response(fem_body(basis, k_stiff, 14));
  };
  EXPECT_LT((reduced({{.points = {at}}}) - whole).norm(), 1e-10 * whole.norm());
  EXPECT_GT((reduced({}) - whole).norm(), 0.05 * whole.norm());
  const double L = 0.2, R = mesh->radius();
  const FemAttachment tip{.kind = FemAttachment::Kind::frame, .points = {Vector3{0, 0, L}, {R, 0, L}, {0, R, L}}};
  EXPECT_EQ(fem_modes(mesh, k_stiff, k_density, 2, false, {tip}).attachment_modes, 6u);
}

// The estimate against the square of the frequency of ten-node tetrahedra: within a factor of two.
TEST(TenNodeModesTest, MeshesThatAreTooStiffWarn) {
  for (const int n : {1, 2, 4}) {
    const auto four = std::make_shared<const TetrahedralMesh>(box_mesh({0.02, 0.02, 0.2}, n, n, 10 * n));
    const FemBasis coarse = fem_modes(four, k_stiff, k_density, 1, false);
    const FemBasis fine = fem_modes(box({0.02, 0.02, 0.2}, n, n, 10 * n), k_stiff, k_density, 1, false);
    const double error = std::pow(coarse.frequencies[0] / fine.frequencies[0], 2) - 1;
    EXPECT_GT(coarse.estimated_error, 0.5 * error) << n;
    EXPECT_LT(coarse.estimated_error, 2.0 * error) << n;
    const auto warnings = fem_warnings(*four, k_stiff, coarse.estimated_error);
    EXPECT_EQ(warnings.size(), n < 4 ? 1u : 0u) << n;
    EXPECT_TRUE(fem_warnings(*fine.mesh, k_stiff, fine.estimated_error).empty());
  }
  VolumeMaterial soft = k_stiff;
  const TetrahedralMesh mesh = box_mesh({1, 1, 1}, 1, 1, 1);
  for (const double nu : {0.44, 0.46}) {
    soft.poisson_ratio = nu;
    EXPECT_EQ(fem_warnings(mesh, soft, 0.0).size(), nu < 0.45 ? 0u : 1u);
    EXPECT_TRUE(fem_warnings(with_edge_nodes(mesh), soft, 0.0).empty());
  }
}

// --- all displacements

TEST(TenNodeVolumeTest, KeepsTheContract) {
  for (const VolumeMaterial& material : {k_rubber, k_gel}) {
    NodalVolume body = nodal(curved_box({0.1, 0.08, 0.2}, 1, 1, 1), material);
    body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}});
    BodyContractOptions options;
    options.seed = 60, options.samples = 1;
    options.coordinates.assign(body.coordinate_count(), 0.002);
    expect_body_contract(body, "ten-node nodal volume", options);
  }
}

// A deformation that is the same everywhere has the energy of the whole material, straight edges or curved.
TEST(TenNodeVolumeTest, UniformStrainHasTheEnergyOfTheMaterial) {
  const Matrix3 H{{0.1, 0.05, -0.07}, {0.02, -0.04, 0.06}, {-0.03, 0.08, 0.05}};
  for (const Mesh& mesh : {box({0.1, 0.08, 0.2}, 1, 2, 1), curved_box({0.1, 0.08, 0.2}, 1, 1, 1)}) {
    for (const VolumeMaterial& material : k_materials) {
      // a mesh lies on the clamped plane, where H x is not zero: modes are free of that
      FemBasis uniform{.mesh = mesh, .modes = {{}}, .frequencies = {}};
      for (const Vector3& x : mesh->nodes) uniform.modes[0].push_back(H * x);
      const double q = 0.8;
      const double energy = fem_body(std::make_shared<const FemBasis>(uniform), material, 14).elastic_energy(&q);
      const double expected = mesh->volume() * material.energy_density(Matrix3::identity() + q * H);
      // four points have the volume of a curved tetrahedron to third order
      EXPECT_NEAR(energy, expected, (mesh->volume() == 0.0016 ? 1e-12 : 1e-4) * expected);
    }
  }
}

// 20 x 20 x 100 mm, clamped, nu = 0.495. The same energy as a user's law, whose parts nobody knows, is integrated at
// all points: it locks, and tends to the same from above.
TEST(TenNodeVolumeTest, NearlyIncompressibleBarsBendAsThoseOfFineMeshes) {
  const VolumeMaterial gel{.c1 = 1e6 / (4 * 1.495), .lame_lambda = 1e6 * 0.495 / (1.495 * 0.01)};
  const VolumeMaterial at_all_points = own_rubber(gel.c1, gel.lame_lambda);
  const auto frequency = [&](const VolumeMaterial& material, int across, int along) {
    const Mesh mesh = box({0.02, 0.02, 0.1}, across, across, along);
    return fem_modes(mesh, material, k_density, 1, false).frequencies[0];
  };
  const double fine = frequency(gel, 4, 16), from_above = frequency(at_all_points, 4, 16);
  EXPECT_GT(from_above, fine);
  EXPECT_LT(from_above, 1.015 * fine);
  EXPECT_NEAR(frequency(gel, 2, 6), fine, 0.015 * fine);
  EXPECT_GT(frequency(at_all_points, 2, 6), 1.06 * fine);
}

// The same body as a volume whose modes are the displacements of single nodes: inertia by its 14 points, strain by 4.
TEST(TenNodeVolumeTest, IsAVolumeOfUnitDisplacements) {
  const Mesh mesh = box({0.1, 0.08, 0.2}, 1, 1, 1);
  const auto basis = unit_displacements(mesh);
  for (const VolumeMaterial& material : k_materials) {
    NodalVolume body = nodal(mesh, material);
    VolumeBody inertia = fem_body(basis, material, 14), strain = fem_body(basis, material, 4);
    const PortLocation place{PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}};
    body.add_port(place), inertia.add_port(place);
    const int n = body.coordinate_count();
    ASSERT_EQ(n, inertia.coordinate_count());
    BodyContractOptions options;
    options.coordinates.assign(n, 0.003);
    contract::Numbers numbers(78);
    const contract::State<double> state = contract::random_state(body, options, numbers);
    const std::vector<Wrench> wrenches{numbers.wrench(), numbers.wrench()};
    const auto found = contract::evaluate(body, state, wrenches),
               expected = contract::evaluate(inertia, state, wrenches);
    EXPECT_LT((found.base_wrench - expected.base_wrench).norm(), 1e-12 * expected.base_wrench.norm());
    EXPECT_LT((found.force - expected.force).norm(), 1e-12 * expected.force.norm());
    EXPECT_LT((found.whole() - expected.whole()).norm(), 1e-12 * expected.whole().norm());
    VectorXd force = VectorXd::Zero(n), same = force;
    body.add_elastic_force(state.q.data(), force.data());
    strain.add_elastic_force(state.q.data(), same.data());
    EXPECT_LT((force - same).norm(), 1e-11 * same.norm());
    MatrixXd K(n, n), K_same(n, n);
    body.stiffness_matrix(state.q.data(), K.data());
    strain.stiffness_matrix(state.q.data(), K_same.data());
    EXPECT_LT((K - K_same).norm(), 1e-11 * K_same.norm());
  }
}

// --- surfaces

TEST(TenNodeMeshTest, SurfacesHaveTheNodesOfEdges) {
  const TetrahedralMesh four = box_mesh({0.3, 0.4, 0.5}, 2, 1, 2), ten = with_edge_nodes(four);
  ten.check();
  EXPECT_EQ(ten.nodes_per_tetrahedron(), 10);
  EXPECT_NEAR(ten.volume(), four.volume(), 1e-15);
  const BodySurface coarse = boundary_surface(four), fine = boundary_surface(ten);
  EXPECT_EQ(fine.faces.size(), 4 * coarse.faces.size());
  const auto volume = [](const BodySurface& surface) {
    double sum = 0.0;
    for (const auto& [a, b, c] : surface.triangles()) {
      sum += dot(surface.points[a], cross(surface.points[b], surface.points[c])) / 6;
    }
    return sum;
  };
  EXPECT_NEAR(volume(coarse), four.volume(), 1e-16);
  EXPECT_NEAR(volume(fine), four.volume(), 1e-16);

  const TetrahedralMesh ring = with_edge_nodes(ring_mesh({0.3, 0.3, 0.2}, 1));
  const ChamberSurface hole = mesh_group_surface(ring, "hole");
  EXPECT_EQ(hole.nodes.size(), 6u * 8u);
  EXPECT_EQ(hole.rims.size(), 2u);
  EXPECT_EQ(hole.drawing.faces.size(), 4u * 8u);
  EXPECT_TRUE(hole.triangles.empty() && hole.openings.empty());
  const Mesh shared = std::make_shared<const TetrahedralMesh>(ring);
  const NodalVolume body = nodal(shared, k_rubber);
  std::vector<double> q(body.coordinate_count()), slopes(q.size()), memory(surface_workspace_size(hole, q.size()));
  EXPECT_NEAR(volume_in_surface<double>(body, hole, q.data(), slopes.data(), memory.data()), 0.1 * 0.1 * 0.2, 1e-16);
}

// On a flat face that is pulled on evenly the nodes of edges carry a third of it each, its corners nothing. Nodes moved
// at random: the volume is a cubic function of them, so that a difference of fourth order is exact.
TEST(TenNodeMeshTest, PressureLoadsAreConsistent) {
  const TetrahedralMesh ring = with_edge_nodes(ring_mesh({0.3, 0.3, 0.2}, 1));
  const Mesh shared = std::make_shared<const TetrahedralMesh>(ring);
  const ChamberSurface hole = mesh_group_surface(ring, "hole");
  const NodalVolume body = nodal(shared, k_rubber);
  const int n = body.coordinate_count();
  std::vector<double> q(n), slopes(n), memory(surface_workspace_size(hole, n));
  volume_in_surface<double>(body, hole, q.data(), slopes.data(), memory.data());
  VectorXd expected = VectorXd::Zero(n);
  std::vector<int> first(ring.nodes.size(), -1);  // coordinate of a node: all but those at z = 0, in their order
  for (std::size_t i = 0, at = 0; i < ring.nodes.size(); ++i) {
    if (ring.nodes[i].z > 1e-9) first[i] = static_cast<int>(at), at += 3;
  }
  const auto parts = node_triangles(ring, ring.groups[0].triangles);
  for (std::size_t t = 0; t < ring.groups[0].triangles.size(); ++t) {
    const auto& [a, b, c] = ring.groups[0].triangles[t];
    Vector3 area = 0.5 * cross(ring.nodes[b] - ring.nodes[a], ring.nodes[c] - ring.nodes[a]);
    if (dot(area, {ring.nodes[a].x + ring.nodes[b].x + ring.nodes[c].x,
                   ring.nodes[a].y + ring.nodes[b].y + ring.nodes[c].y, 0.0}) < 0.0)
      area = -area;
    for (const int middle : parts[4 * t + 3]) {
      for (int k = 0; first[middle] >= 0 && k < 3; ++k) expected[first[middle] + k] += area[k] / 3.0;
    }
  }
  for (int j = 0; j < n; ++j) {
    if (j % 3 == 2) continue;  // along z the ends of the hole push too
    EXPECT_NEAR(slopes[j], expected[j], 1e-16) << j;
  }
  Random random(91);
  for (double& x : q) x = 0.01 * random.uniform();
  volume_in_surface<double>(body, hole, q.data(), slopes.data(), memory.data());
  for (int j = 0; j < n; j += 7) {
    const double h = 0.05;
    const auto at = [&](int steps) {
      std::vector<double> moved = q;
      moved[j] += steps * h;
      return volume_in_surface<double>(body, hole, moved.data(), nullptr, memory.data());
    };
    EXPECT_NEAR(slopes[j], (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h), 1e-14) << j;
  }
}

// --- what is refused

std::string fault(const TetrahedralMesh& mesh) {
  try {
    mesh.check();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(TenNodeMeshTest, FaultsAreNamed) {
  const TetrahedralMesh good = with_edge_nodes(box_mesh({1, 1, 1}, 1, 1, 1));
  EXPECT_EQ(fault(good), "nothing");
  TetrahedralMesh mesh = good;
  mesh.edge_nodes.pop_back();
  EXPECT_EQ(fault(mesh), "mesh: found nodes of the edges of 5 tetrahedra, expected of none or of all 6");
  mesh = good;
  mesh.edge_nodes[0][0] = mesh.tetrahedra[0][0];
  EXPECT_NE(fault(mesh).find("a corner, as node of an edge, expected a node of its own"), std::string::npos);
  mesh = good;
  std::swap(mesh.edge_nodes[0][0], mesh.edge_nodes[0][1]);
  EXPECT_NE(fault(mesh).find("already, expected one node at each edge, which all of its tetrahedra share"),
            std::string::npos)
      << fault(mesh);
  mesh = good;
  mesh.nodes[mesh.edge_nodes[2][3]].x += 0.8;
  EXPECT_NE(fault(mesh).find("found a tetrahedron that its curved edges fold, expected nodes of edges nearer to their "
                             "middles"),
            std::string::npos)
      << fault(mesh);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
