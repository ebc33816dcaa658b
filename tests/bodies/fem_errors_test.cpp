// What finite elements say of their own stiffness, against beam theory, energies of bodies and refined meshes.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/volume_body.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/rubber_law.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Mesh = std::shared_ptr<const TetrahedralMesh>;

VolumeMaterial material_of(double poisson_ratio) {
  return {.model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = poisson_ratio};
}
/// Whose parts nobody knows.
VolumeMaterial own_law_of(double poisson_ratio) {
  const VolumeMaterial like = material_of(poisson_ratio);
  return own_rubber(0.5 * like.shear_modulus(), like.lambda());
}
Mesh bar(double width, double length, int across, int along) {
  return std::make_shared<const TetrahedralMesh>(
      with_edge_nodes(box_mesh({width, width, length}, across, across, along)));
}

// Of what the tip of a cantilever gives way under a force there, its modes have 12 / beta_k^4 parts each (Euler and
// Bernoulli): 0.97068 and 0.02472, .. Of a bar 20 times as long as wide, shear is 0.2 %.
TEST(FemErrorsTest, ModesUnderATipForceAreAsMuchTooStiffAsBeamTheorySays) {
  const Mesh mesh = bar(0.01, 0.2, 1, 20);
  double of_modes = 0.0;
  for (const double beta : {1.8751040687, 4.6940911330, 7.8547574382}) {
    of_modes += 12.0 / std::pow(beta, 4);
    static int pairs = 0;
    const FemBasis basis = fem_modes(mesh, material_of(0.3), 1000.0, 2 * ++pairs, false);
    ASSERT_EQ(basis.load_errors.size(), 1u);
    EXPECT_EQ(basis.load_errors[0].load, "force on the end");
    EXPECT_NEAR(basis.load_errors[0].displacement, 1.0 - of_modes, 0.004) << pairs;
  }
  const std::vector<FemAttachment> tip{
      {.kind = FemAttachment::Kind::frame,
       .points = {Vector3{0, 0, 0.2}, Vector3{0.005, 0, 0.2}, Vector3{0, 0.005, 0.2}}}};
  EXPECT_LT(fem_modes(mesh, material_of(0.3), 1000.0, 2, false, tip).load_errors[0].displacement, 2e-3);
}

// The force that holds the lowest mode at 3 % of the length, of the body's own energy: with the derivative free, and
// held at zero. What the estimate leaves out is of the order of the deflection's sixth power in the energy.
TEST(FemErrorsTest, StiffeningIsThatOfTheBodysEnergy) {
  const double length = 0.2;
  const Mesh mesh = bar(0.01, length, 1, 12);
  const VolumeMaterial material = material_of(0.3);
  const FemBasis held = fem_modes(mesh, material, 1000.0, 1, false), with = fem_modes(mesh, material, 1000.0, 1, true);
  ASSERT_EQ(with.modes.size(), 2u);
  PointParameters points;
  points.quadrature = mesh_quadrature(*mesh, 4);
  points.density = 1000.0;
  points.tip_origin = {0, 0, length}, points.tip_a = {0.005, 0, length}, points.tip_b = {0, 0.005, length};
  const VolumeBody body(points, material, std::make_shared<FemKinematics>(std::make_shared<const FemBasis>(with)),
                        mesh);
  const double a = k_fem_deflection * length;
  // the energy is quadratic in the derivative's amplitude but for a little: Newton's method on differences
  const auto energy = [&](double q, double w) {
    const double at[] = {q, w};
    return body.elastic_energy(at);
  };
  const auto relaxed = [&](double q) {
    double w = 0.0;
    const double h = 1e-4 * a;
    for (int k = 0; k < 8; ++k) {
      const double up = energy(q, w + h), down = energy(q, w - h), here = energy(q, w);
      w -= 0.5 * h * (up - down) / (up - 2.0 * here + down);
    }
    return energy(q, w);
  };
  const double h = 1e-3 * a;
  const double stiff = energy(a + h, 0.0) - energy(a - h, 0.0), soft = relaxed(a + h) - relaxed(a - h);
  EXPECT_NEAR(held.stiffening, stiff / soft, 0.03 * stiff / soft);
  EXPECT_GT(held.stiffening, 1.5);  // what nobody was told before
  EXPECT_NEAR(with.stiffening, 1.0, 1e-9);
}

TEST(FemErrorsTest, TenNodesNearOneHalfLockLessWithRefinement) {
  double before = 1e300;
  for (const int n : {1, 2, 3}) {
    const FemBasis basis = fem_modes(bar(0.04, 0.08, n, 2 * n), own_law_of(0.4999), 1000.0, 1, false);
    EXPECT_GT(basis.estimated_error, 0.0);
    EXPECT_LT(basis.estimated_error, 0.7 * before) << n;
    before = basis.estimated_error;
    // beside a mesh that is twice as fine: the estimate is of the size of the true error of stiffness
    EXPECT_EQ(fem_modes(bar(0.04, 0.08, n, 2 * n), own_law_of(0.3), 1000.0, 1, false).estimated_error, 0.0);
    EXPECT_EQ(fem_modes(bar(0.04, 0.08, n, 2 * n), material_of(0.4999), 1000.0, 1, false).estimated_error, 0.0);
  }
  const VolumeMaterial rubber = own_law_of(0.4999);
  const Mesh coarse = bar(0.04, 0.08, 1, 2);
  const auto warnings = fem_warnings(*coarse, rubber, 0.31);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0].text(),
      "the 10-node tetrahedra are too few for a Poisson's ratio of 0.4999 of a law of your own: they lock, and resist "
      "loads some 31 % too much, beside the same mesh with one change of volume a tetrahedron; take more and "
      "smaller ones, or a material of the library");
  EXPECT_TRUE(fem_warnings(*coarse, rubber, 0.01).empty());
}

TEST(FemErrorsTest, WholeMeshesSayHowMuchTheyLockAsReducedOnesDo) {
  const Mesh mesh = bar(0.02, 0.1, 2, 6);
  const VolumeMaterial rubber = own_law_of(0.495);
  const NodalVolume whole({mesh, 1000.0, rubber, {0, 0, 0.1}, {0.01, 0, 0.1}, {0, 0.01, 0.1}});
  ASSERT_GT(whole.coordinate_count(), 600);
  const auto found = whole.warnings(), expected = fem_warnings(fem_modes(mesh, rubber, 1000.0, 8), rubber);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_GE(expected.size(), 1u);
  EXPECT_EQ(found[0].text(), expected[0].text());
}

// What is remembered is what a search finds: of points inside, on faces, in nodes and beside, asked again and by
// threads.
TEST(TetrahedronSearchTest, RemembersWhatItFinds) {
  const Mesh mesh = bar(0.04, 0.08, 2, 4);
  Random random(77);
  std::vector<Vector3> points = mesh->nodes;
  for (int i = 0; i < 3000; ++i) {
    points.push_back({random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), random.uniform(-0.01, 0.09)});
  }
  const TetrahedronSearch shared(mesh);
  struct Answer {
    std::size_t tetrahedron = 0;
    ElementPlace<double> place{};
  };
  const auto ask = [&](const TetrahedronSearch& search) {
    std::vector<Answer> answers(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) answers[i].place = search.at(points[i], answers[i].tetrahedron);
    return answers;
  };
  std::vector<std::vector<Answer>> all(4);
  std::vector<std::thread> threads;
  for (auto& answers : all) threads.emplace_back([&] { answers = ask(shared), answers = ask(shared); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TetrahedronSearch* const fresh = i % 500 == 0 ? new TetrahedronSearch(mesh) : nullptr;
    const std::unique_ptr<const TetrahedronSearch> owner(fresh);
    for (const auto& answers : all) {
      EXPECT_EQ(answers[i].tetrahedron, all[0][i].tetrahedron) << i;
      for (int k = 0; k < answers[i].place.count; ++k) {
        EXPECT_EQ(answers[i].place.values[k], all[0][i].place.values[k]) << i;
      }
    }
    if (fresh == nullptr) continue;
    std::size_t found = 0;
    const auto place = fresh->at(points[i], found);
    EXPECT_EQ(found, all[0][i].tetrahedron) << i;
    for (int k = 0; k < place.count; ++k) EXPECT_EQ(place.values[k], all[0][i].place.values[k]) << i;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
