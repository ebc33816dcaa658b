#include "cuttle/bodies/volume_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "cuttle/testing/body_contract/workspace.h"
#include "support/body_contract.h"
#include "support/lvp_reference.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;
using Model = VolumeMaterial::Model;

std::vector<VolumeMaterial> materials() {
  return {{.model = Model::neo_hookean, .c1 = 8e4, .damping_time = 0.03},
          {.model = Model::neo_hookean, .c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02},
          {.model = Model::mooney_rivlin, .c1 = 5e4, .c2 = 2e4, .damping_time = 0.05},
          {.model = Model::yeoh, .c1 = 9e4, .c2 = 2e4, .c3 = -1e3},
          {.model = Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.35, .damping_time = 0.01}};
}

VolumeBody lvp_body(const LvpParameters& lvp, const PointParameters& points, const VolumeMaterial& material) {
  return VolumeBody(points, material, std::make_shared<LvpKinematics>(lvp));
}
/// A tube: no point on the axis, so that sources act everywhere.
PointParameters tube(double length, double radius, double inner_radius, int nz, int nr, int nphi) {
  PointParameters points = point_cylinder(length, radius, 1050.0, nz, nr, nphi);
  points.quadrature = cylinder_quadrature(length, radius, inner_radius, nz, nr, nphi);
  return points;
}
void expect_contract(const VolumeBody& body, const std::vector<double>& sizes, unsigned seed, const std::string& what) {
  BodyContractOptions options;
  options.seed = seed, options.samples = 1, options.coordinates = sizes;
  expect_body_contract(body, what, options);
}

// --- the contract

TEST(VolumeBodyTest, LvpBodiesKeepTheContract) {
  unsigned seed = 0;
  for (const VolumeMaterial& material : materials()) {
    Random random(++seed);
    LvpParameters lvp;
    lvp.length = 0.3;
    // the cavity is inflated first: what follows moves its axis
    for (const Type type : {Type::source, Type::stretch, Type::shear, Type::twist, Type::bend}) {
      lvp.primitives.push_back(random_primitive(type, random));
    }
    std::swap(lvp.primitives[1 + random.index(4)], lvp.primitives[1 + random.index(4)]);
    VolumeBody body = lvp_body(lvp, tube(0.3, 0.05, 0.03, 3, 1, 3), material);
    body.add_port({PortLocation::Kind::point, 0.0, {0.03, 0.02, 0.17}});
    // large enough that the energy stands out of the rounding of F: some eps times modulus and volume
    expect_contract(body, std::vector<double>(lvp_sizes(lvp).size(), 1.0), seed,
                    "lvp, material " + std::to_string(seed));
  }
}

TEST(VolumeBodyTest, RitzBodiesKeepTheContract) {
  unsigned seed = 20;
  for (const VolumeMaterial& material : materials()) {
    if (!material.resists_volume()) continue;
    Random random(++seed);
    std::vector<RitzMode> modes;
    for (int k = 0; k < 4; ++k) {
      RitzMode mode;
      for (int t = 0; t < 2; ++t) {
        RitzTerm term;
        for (int& power : term.powers) power = random.index(3);
        term.vector = {random.uniform(), random.uniform(), random.uniform()};
        mode.push_back(term);
      }
      modes.push_back(mode);
    }
    PointParameters points = point_cylinder(0.9, 0.6, 1050.0, 3, 1, 3);
    points.quadrature = box_quadrature<double>({0.5, 0.6, 0.9}, 3, 2, 2);
    VolumeBody body(points, material, std::make_shared<RitzKinematics>(modes));
    body.add_port({PortLocation::Kind::point, 0.0, {0.1, 0.2, 0.5}});
    expect_contract(body, std::vector<double>(4, 0.06), seed, "ritz, material " + std::to_string(seed));
  }
}

// --- materials

Matrix3T<long double> random_gradient(Random& random) {
  Matrix3T<long double> F = Matrix3T<long double>::identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) F(i, j) += 0.3L * random.uniform();
  }
  return F;
}

TEST(VolumeMaterialTest, StressIsTheGradientOfTheEnergy) {
  for (const VolumeMaterial& plain : materials()) {
    const VolumeMaterialT<long double> material = plain.cast<long double>();
    Random random(3);
    for (int sample = 0; sample < 4; ++sample) {
      const Matrix3T<long double> F = random_gradient(random);
      const Matrix3T<long double> P = material.stress(F);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const auto at = [&](long double h) {
            Matrix3T<long double> moved = F;
            moved(i, j) += h;
            return material.energy_density(moved);
          };
          const long double h = 1e-3L;  // sixth order: h^6 / 140 of the seventh derivative is below 1e-19
          const long double slope =
              (45.0L * (at(h) - at(-h)) - 9.0L * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) / (60.0L * h);
          EXPECT_NEAR(static_cast<double>(P(i, j)), static_cast<double>(slope), 1e-13 * plain.shear_modulus() * 100)
              << "model " << static_cast<int>(plain.model) << ", sample " << sample;
        }
      }
    }
  }
}

Matrix3 simple_shear(double gamma) { return {{1, gamma, 0}, {0, 1, 0}, {0, 0, 1}}; }

TEST(VolumeMaterialTest, ClosedFormsOfUniaxialStretchAndShear) {
  const double c1 = 8e4, c2 = 3e4, c3 = -2e3;
  const VolumeMaterial neo{.c1 = c1}, mooney{.model = Model::mooney_rivlin, .c1 = c1, .c2 = c2},
      yeoh{.model = Model::yeoh, .c1 = c1, .c2 = c2, .c3 = c3};
  for (const double stretch : {0.7, 1.0, 1.3, 2.0}) {
    const double side = 1.0 / std::sqrt(stretch);
    const Matrix3 F{{side, 0, 0}, {0, side, 0}, {0, 0, stretch}};
    const double I1 = stretch * stretch + 2.0 / stretch;
    // nominal stress of an incompressible bar: the pressure that frees the sides is taken off
    const auto nominal = [&](const VolumeMaterial& material) {
      const Matrix3 P = material.stress(F);
      return P(2, 2) - P(0, 0) * side / stretch;
    };
    const double part = stretch - 1.0 / (stretch * stretch), scale = 1e-13 * c1;
    EXPECT_NEAR(nominal(neo), 2.0 * c1 * part, scale);
    EXPECT_NEAR(nominal(mooney), 2.0 * (c1 + c2 / stretch) * part, scale);
    EXPECT_NEAR(nominal(yeoh), 2.0 * (c1 + 2.0 * c2 * (I1 - 3.0) + 3.0 * c3 * std::pow(I1 - 3.0, 2)) * part, scale);
    EXPECT_NEAR(mooney.energy_density(F), c1 * (I1 - 3.0) + c2 * (2.0 * stretch + 1.0 / (stretch * stretch) - 3.0),
                scale);
  }
  for (const double gamma : {0.0, 0.2, 1.1}) {
    const double g2 = gamma * gamma, scale = 1e-13 * c1;
    EXPECT_NEAR(neo.energy_density(simple_shear(gamma)), c1 * g2, scale);
    EXPECT_NEAR(mooney.energy_density(simple_shear(gamma)), (c1 + c2) * g2, scale);  // I1 = I2
    EXPECT_NEAR(yeoh.energy_density(simple_shear(gamma)), c1 * g2 + c2 * g2 * g2 + c3 * g2 * g2 * g2, scale);
    EXPECT_NEAR(neo.stress(simple_shear(gamma))(0, 1), 2.0 * c1 * gamma, scale);
  }
}

// Small strains: every model has the shear modulus that it says, and the compressible ones Lame's lambda.
TEST(VolumeMaterialTest, SmallStrainsAreLinearElasticity) {
  for (const VolumeMaterial& material : materials()) {
    const double mu = material.shear_modulus(), e = 1e-4;
    EXPECT_NEAR(material.energy_density(simple_shear(e)), 0.5 * mu * e * e, 1e-7 * mu * e * e);
    if (!material.resists_volume()) continue;
    const double nu = material.poisson_ratio;
    const double lambda = material.lame_lambda ? *material.lame_lambda : 2.0 * mu * nu / (1.0 - 2.0 * nu);
    const Matrix3 F{{1 + e, 0, 0}, {0, 1 + e, 0}, {0, 0, 1 + e}};
    EXPECT_NEAR(material.energy_density(F) / (4.5 * (lambda + 2.0 / 3.0 * mu) * e * e), 1.0, 3e-4);
  }
}

TEST(VolumeMaterialTest, RefusesWhatIsNoMaterial) {
  const auto error = [](const VolumeMaterial& material) -> std::string {
    try {
      material.check();
    } catch (const ModelError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(error({.c1 = -1.0}), "c1: found -1, expected a number > 0 [Pa]");
  EXPECT_EQ(error({.model = Model::st_venant_kirchhoff, .young_modulus = 1e5, .poisson_ratio = 0.5}),
            "poisson_ratio: found 0.5, expected a number in (-1, 0.5)");
  EXPECT_EQ(error({.c1 = 1.0, .damping_time = -0.1}), "damping_time: found -0.1, expected a number >= 0 [s]");
  for (const VolumeMaterial& material : materials()) EXPECT_EQ(error(material), "");
}

// --- closed forms of bodies

// A uniform stretch to (1 + e) L: energy and force of a bar, mass matrix of x3 and of the lateral contraction.
TEST(VolumeBodyTest, UniformStretchIsABar) {
  const double L = 0.2, R = 0.02, c1 = 8e4, density = 1050.0, volume = std::numbers::pi * R * R * L;
  LvpParameters lvp;
  lvp.length = L;
  lvp.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0}}}};
  const VolumeBody body = lvp_body(lvp, point_cylinder(L, R, density, 2, 1, 3), {.c1 = c1, .damping_time = 0.04});
  for (const double q : {-0.05, 0.0, 0.08}) {
    const double e = q / L, s = 1.0 + e;
    EXPECT_NEAR(body.elastic_energy(&q), volume * c1 * (s * s + 2.0 / s - 3.0), 1e-13 * volume * c1);
    double force = 0.0, stiffness = 0.0, damping = 0.0, damping_force = 0.0;
    body.add_elastic_force(&q, &force);
    body.stiffness_matrix(&q, &stiffness);
    EXPECT_NEAR(force, volume * c1 / L * (2.0 * s - 2.0 / (s * s)), 1e-13 * volume * c1 / L);
    EXPECT_NEAR(stiffness, volume * c1 / (L * L) * (2.0 + 4.0 / (s * s * s)), 1e-12 * volume * c1 / (L * L));
    // dE_zz/dt = s v / L, dE_xx/dt = -v / (2 L s^2)
    const double v = 0.3, mu = 2.0 * c1;
    body.add_damping_force(&q, &v, &damping_force);
    body.damping_matrix(&q, &v, &damping);
    const double expected = 2.0 * 0.04 * mu * volume / (L * L) * (s * s + 0.5 / std::pow(s, 4));
    EXPECT_NEAR(damping_force, expected * v, 1e-12 * expected);
    EXPECT_NEAR(damping, expected, 1e-12 * expected);
  }
}

// Slender beams: mass as the rod's; bending 29/27 times as stiff as the rod with E = 6 c1, whose sections may contract
// freely (lateral strains -1/2, -1/2) where those of the primitive are -1/3, -2/3.
TEST(VolumeBodyTest, SlenderCylinderTendsToTheRod) {
  const double L = 0.4, c1 = 8e4, density = 1050.0;
  LvpParameters lvp;
  lvp.length = L;
  lvp.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0}}},
                    {.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
  double previous_mass = 0.0;
  for (const double slenderness : {10.0, 20.0, 40.0}) {
    const double R = L / slenderness;
    const VolumeBody body = lvp_body(lvp, point_cylinder(L, R, density, 12, 4, 8), {.c1 = c1});
    RodParameters rod_parameters;
    rod_parameters.length = L;
    rod_parameters.section.radius = R;
    rod_parameters.material = RodMaterial::neo_hookean(density, c1);
    rod_parameters.quadrature_points = 12;
    rod_parameters.strain = strain_shorthand("pcc", L);
    const RodBody rod(rod_parameters);
    const auto mass = [](const Body& any, const double* q) {
      contract::Workspace<double> memory(any.workspace_size());
      const WorkspaceT<double> workspace = memory.get();
      std::vector<double> M(9), coupling(18);
      std::vector<PortMotionT<double>> ports(any.port_count());
      BodyStateT<double> state;
      state.q = q;
      any.forward(MotionLevel::pose, state, workspace, ports.data());
      InertiaBlocksT<double> blocks{M.data(), coupling.data(), {}};
      any.inertia_blocks(state, workspace, blocks);
      return M;
    };
    // rod: kappa_x, kappa_y, sigma_z; with elongation the two bend differently (a primitive's curvature goes on beyond
    // L)
    const double q_lvp[3] = {0.0, 0.3, -0.5}, q_rod[3] = {0.3, -0.5, 0.0};
    const std::vector<double> M = mass(body, q_lvp), M_rod = mass(rod, q_rod);
    const double off = std::abs(M[4] / M_rod[0] - 1.0) + std::abs(M[8] / M_rod[4] - 1.0) +
                       std::abs(M[5] - M_rod[1]) / std::sqrt(M_rod[0] * M_rod[4]);
    const double zero[3] = {0.0, 0.0, 0.0};
    double K[9], K_rod[9];
    body.stiffness_matrix(zero, K);
    rod.stiffness_matrix(zero, K_rod);
    const double bending = K[4] / K_rod[0] / (29.0 / 27.0) - 1.0;
    EXPECT_NEAR(K[0] / K_rod[8], 1.0, 1e-10);
    EXPECT_NEAR(K[8], K[4], 1e-10 * K[4]);
    EXPECT_NEAR(bending, 0.0, 1e-10);
    if (previous_mass > 0.0) {
      EXPECT_NEAR(previous_mass / off, 4.0, 0.2) << off;
    }
    previous_mass = off;
    EXPECT_NEAR(mass(body, zero)[0], mass(rod, zero)[8] * (1.0 + 0.375 / (slenderness * slenderness)),
                1e-10 * M_rod[8]);
  }
}

TEST(VolumeBodyTest, DampingNeverGivesPower) {
  unsigned seed = 50;
  for (const VolumeMaterial& material : materials()) {
    Random random(++seed);
    LvpParameters lvp;
    lvp.length = 0.3;
    for (const Type type : {Type::source, Type::twist, Type::stretch, Type::bend, Type::shear}) {
      lvp.primitives.push_back(random_primitive(type, random));
    }
    const VolumeBody body = lvp_body(lvp, tube(0.3, 0.05, 0.03, 3, 1, 3), material);
    const std::vector<double> sizes = lvp_sizes(lvp);
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<double> q, v, force(sizes.size(), 0.0);
      for (const double size : sizes) q.push_back(size * random.uniform()), v.push_back(size * random.uniform());
      body.add_damping_force(q.data(), v.data(), force.data());
      double power = 0.0;
      for (std::size_t j = 0; j < v.size(); ++j) power += force[j] * v[j];
      if (material.damping_time) {
        EXPECT_GT(power, 0.0);
      } else {
        EXPECT_EQ(power, 0.0);
      }
    }
  }
}

TEST(VolumeBodyTest, EnergyIsZeroAtRestAndNeverNegative) {
  for (const VolumeMaterial& material : materials()) {
    Random random(9);
    LvpParameters lvp;
    lvp.length = 0.3;
    for (const Type type : {Type::source, Type::twist, Type::bend}) {
      lvp.primitives.push_back(random_primitive(type, random));
    }
    const VolumeBody body = lvp_body(lvp, tube(0.3, 0.05, 0.03, 3, 1, 3), material);
    const std::vector<double> sizes = lvp_sizes(lvp);
    EXPECT_EQ(body.elastic_energy(std::vector<double>(sizes.size(), 0.0).data()), 0.0);
    for (int sample = 0; sample < 10; ++sample) {
      std::vector<double> q;
      for (const double size : sizes) q.push_back(size * random.uniform());
      EXPECT_GT(body.elastic_energy(q.data()), 0.0);
    }
  }
}

// --- errors and scalars

TEST(VolumeBodyTest, RitzThatTurnsInsideOutIsANamedError) {
  RitzMode squeeze{{{0, 0, 1}, {0.0, 0.0, 1.0}}};
  PointParameters points = point_cylinder(0.2, 0.02, 1000.0, 1, 1, 1);
  const VolumeBody body(points, materials()[1], std::make_shared<RitzKinematics>(std::vector<RitzMode>{squeeze}));
  const double q = -1.5;
  double force = 0.0;
  for (const auto& call : {std::function<void()>([&] { body.add_elastic_force(&q, &force); }),
                           std::function<void()>([&] { body.elastic_energy(&q); })}) {
    try {
      call();
      FAIL() << "no error";
    } catch (const ConfigurationError& error) {
      EXPECT_NE(std::string(error.what()).find("found det(df/dx) = -0.5, expected > 0: the body folds onto itself"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(VolumeBodyTest, WarnsOfAMaterialThatDoesNotResistVolume) {
  const std::vector<RitzMode> modes{{{{0, 0, 1}, {0.0, 0.0, 1.0}}}};
  const PointParameters points = point_cylinder(0.2, 0.02, 1000.0, 2, 1, 3);
  EXPECT_EQ(VolumeBody(points, materials()[0], std::make_shared<RitzKinematics>(modes)).warnings().size(), 1u);
  EXPECT_EQ(VolumeBody(points, materials()[1], std::make_shared<RitzKinematics>(modes)).warnings().size(), 0u);
}

// d(elastic energy)/dR of a bar, and the same body in long double: every scalar takes the parameters along.
TEST(VolumeBodyTest, ExistsForEveryScalar) {
  Random random(77);
  LvpParameters lvp;
  lvp.length = 0.3;
  for (const Type type : {Type::stretch, Type::twist, Type::bend}) {
    lvp.primitives.push_back(random_primitive(type, random));
  }
  VolumeBody body = lvp_body(lvp, tube(0.3, 0.05, 0.03, 3, 2, 3), materials()[2]);
  body.add_port({PortLocation::Kind::point, 0.0, {0.03, 0.02, 0.17}});
  std::vector<double> q;
  for (const double size : lvp_sizes(lvp)) q.push_back(size * random.uniform());
  const auto precise = body.clone_as(ScalarTag<long double>());
  const auto gradient = body.clone_as(ScalarTag<ForwardDual>());
  EXPECT_EQ(precise->port_count(), 2);
  EXPECT_EQ(gradient->port_count(), 2);
  const std::vector<long double> q_precise(q.begin(), q.end());
  const double energy = body.elastic_energy(q.data());
  const double rounding =
      1e-14 * body.material().shear_modulus() * std::numbers::pi * (0.05 * 0.05 - 0.03 * 0.03) * 0.3;
  EXPECT_NEAR(static_cast<double>(precise->elastic_energy(q_precise.data())), energy, rounding);
  std::vector<ForwardDual> q_gradient(q.begin(), q.end());
  q_gradient[0].derivative[2] = 1.0;
  std::vector<double> force(q.size(), 0.0);
  body.add_elastic_force(q.data(), force.data());
  const ForwardDual moved = gradient->elastic_energy(q_gradient.data());
  EXPECT_NEAR(moved.value, energy, rounding);
  EXPECT_NEAR(moved.derivative[2], force[0], 1e-12 * std::abs(force[0]));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
