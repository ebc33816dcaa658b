#include "cuttle/bodies/radial_kinematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/kinematics_reference.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Strain = RadialStrain;

/// The bump as [P] has it, with L^2: s in [0, L], phi a quarter turn before the bump's middle.
template <typename T>
T plain_bump(const T& s, const T& phi, double length) {
  using std::exp;
  const T L(length);
  const T across = T(std::numbers::pi_v<long double> * std::numbers::pi_v<long double> / 4) -
                   (phi - T(std::numbers::pi_v<long double> / 2)) * (phi - T(std::numbers::pi_v<long double> / 2));
  const T along = L * L / T(4.0) - (s - L / T(2.0)) * (s - L / T(2.0));
  if (!(along > T(0.0)) || !(across > T(0.0))) return T(0.0);
  return exp(-L * L / along) * exp(T(-1.0) / across);
}

/// p of a body, with the arc's frame by power series of exp(s xi).
template <typename T>
Vector3T<T> plain_position(const RadialParameters& radial, const Vector3T<T>& x, const T* q) {
  using std::atan2;
  using std::sqrt;
  const T L(radial.length);
  Vector3T<T> kappa{T(0.0), T(0.0), T(0.0)};
  T stretch(1.0);
  for (const Strain strain : radial.strain) {
    if (strain == Strain::sigma_z) {
      stretch = stretch + *q++ / L;
    } else {
      kappa[strain == Strain::kappa_x ? 0 : 1] = *q++ / L;
    }
  }
  const Matrix3T<T> K = Matrix3T<T>::skew(kappa);
  Matrix3T<T> term = Matrix3T<T>::identity(), R = term;
  const Vector3T<T> e3{T(0.0), T(0.0), stretch};
  Vector3T<T> r = x.z * e3;
  for (int k = 1; k < 40; ++k) {
    term = x.z / T(double(k)) * (term * K);
    R += term;
    r += x.z / T(double(k + 1)) * (term * e3);
  }
  const T radius = sqrt(x.x * x.x + x.y * x.y);
  T growth(0.0);
  for (const double angle : radial.bumps) {
    // from the quarter turn before the bump's middle on, in [0, 2 pi)
    T phi = atan2(x.y, x.x) - T(angle) + T(std::numbers::pi_v<long double> / 2);
    while (phi < T(0.0)) phi = phi + T(2 * std::numbers::pi_v<long double>);
    while (!(phi < T(2 * std::numbers::pi_v<long double>))) phi = phi - T(2 * std::numbers::pi_v<long double>);
    growth = growth + plain_bump(x.z, phi, radial.length) * *q++;
  }
  const T swollen = radius + radius / T(radial.radius) * growth;
  return r + R * Vector3T<T>{swollen * x.x / radius, swollen * x.y / radius, T(0.0)};
}

std::vector<double> sizes_of(const RadialParameters& radial) {
  std::vector<double> sizes;
  for (const Strain strain : radial.strain) sizes.push_back(strain == Strain::sigma_z ? 0.3 * radial.length : 2.0);
  sizes.resize(sizes.size() + radial.bumps.size(), 20.0 * radial.radius);
  return sizes;
}
const std::vector<Strain> k_all{Strain::kappa_x, Strain::kappa_y, Strain::sigma_z};
std::vector<RadialParameters> cases() {
  return {{0.3, 0.05, k_all, {0.3, -2.0, 3.0}},
          {0.3, 0.05, {Strain::kappa_y, Strain::sigma_z}, {0.0, 3.14159265}},
          {0.3, 0.05, {Strain::kappa_x}, {}},
          {0.3, 0.05, {}, {7.0}}};
}

TEST(RadialKinematicsTest, MatchesDifferentiationOfThePlainPosition) {
  for (const RadialParameters& radial : cases()) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      std::vector<Vector3> x;
      for (int i = 0; i < 20; ++i) {
        const double r = random.uniform(0.001, 0.05), phi = random.uniform(-std::numbers::pi, std::numbers::pi);
        x.push_back({r * std::cos(phi), r * std::sin(phi), radial.length * random.uniform(0.0, 1.0)});
      }
      const auto plain = [&](const Vector3T<Twice>& y, const Twice* q) { return plain_position(radial, y, q); };
      // near the bumps' edges the exponent, some ten, multiplies the rounding, and the slope is as steep again
      KinematicsDeviations(RadialKinematics(radial), plain, radial.length, sizes_of(radial), x, random)
          .expect_below(2000 * k_eps, std::to_string(radial.strain.size()) + " strains, seed " + std::to_string(seed));
    }
  }
}

// The bump is flat to all orders at its edges, and the axis has no direction: nothing there may be infinite.
TEST(RadialKinematicsTest, EdgesOfBumpsAndTheAxisAreSafe) {
  const RadialParameters radial{0.3, 0.05, k_all, {0.0}};
  const RadialKinematics kinematics(radial);
  const std::vector<double> q{0.5, -0.3, 0.02, 1.0}, v{1.0, 1.0, 1.0, 1.0};
  const RadialParameters bare{0.3, 0.05, k_all, {}};
  std::vector<Vector3> x;
  for (const double s : {0.0, 1e-9, 1e-3, 0.1, 0.3, 0.31, -0.02}) x.push_back({0.0, 0.0, s});
  for (const double s : {0.0, 1e-12, 1e-4, 0.3 - 1e-4, 0.3, 0.35, -0.01}) x.push_back({0.04, 0.01, s});
  for (const double phi : {std::numbers::pi / 2, std::numbers::pi / 2 - 1e-9, std::numbers::pi / 2 - 1e-4, 2.0,
                           std::numbers::pi, -std::numbers::pi, -2.0, -std::numbers::pi / 2}) {
    x.push_back({0.04 * std::cos(phi), 0.04 * std::sin(phi), 0.2});
  }
  const KinematicsAtPoints<double> swollen(kinematics, q, v, x);
  const KinematicsAtPoints<double> plain(RadialKinematics(bare), {0.5, -0.3, 0.02}, {1.0, 1.0, 1.0}, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(norm(swollen.position[i] - plain.position[i]), 1e-16) << i;
    EXPECT_LT(norm(swollen.curvature[i] - plain.curvature[i]), 1e-14) << i;
    EXPECT_LT(norm(swollen.slopes[i * 4 + 3]), 1e-16) << i;
    for (int c = 0; c < 3; ++c) {
      EXPECT_LT(norm(swollen.F[i].column(c) - plain.F[i].column(c)), 1e-14) << i;
      EXPECT_LT(norm(swollen.F_slopes[i * 4 + 3].column(c)), 1e-14) << i;
    }
  }
}

TEST(RadialKinematicsTest, BumpsArePaperSized) {
  const RadialParameters radial{0.2, 0.02, {}, {0.0}};
  const KinematicsAtPoints<double> at(RadialKinematics(radial), {0.1}, {}, {{0.02, 0.0, 0.1}, {0.01, 0.0, 0.1}});
  const double peak = std::exp(-4.0) * std::exp(-4.0 / (std::numbers::pi * std::numbers::pi));
  EXPECT_NEAR(at.position[0].x, 0.02 + 0.1 * peak, 1e-17);
  EXPECT_NEAR(at.position[1].x, 0.01 + 0.05 * peak, 1e-17);
}

/// Without bumps, sections are as rigid as a rod's: the same mass matrix, but for the bend of the mass in a section.
TEST(RadialKinematicsTest, WithoutBumpsItIsTheRod) {
  const double L = 0.4, R = 0.02, density = 1050.0;
  const VolumeBody body(point_cylinder(L, R, density, 12, 4, 8), {.c1 = 8e4, .lame_lambda = 1e5},
                        std::make_shared<RadialKinematics>(RadialParameters{L, R, k_all, {}}));
  RodParameters parameters;
  parameters.length = L;
  parameters.section.radius = R;
  parameters.material = RodMaterial::neo_hookean(density, 8e4);
  parameters.quadrature_points = 12;
  parameters.strain = strain_shorthand("pcc", L);
  const RodBody rod(parameters);
  const auto mass = [](const Body& any, const std::vector<double>& q) {
    contract::Workspace<double> memory(any.workspace_size());
    std::vector<double> M(9), coupling(18);
    std::vector<PortMotionT<double>> ports(any.port_count());
    BodyStateT<double> state;
    state.q = q.data();
    any.forward(MotionLevel::pose, state, memory.get(), ports.data());
    InertiaBlocksT<double> blocks{M.data(), coupling.data(), {}};
    any.inertia_blocks(state, memory.get(), blocks);
    return M;
  };
  const std::vector<double> q{0.9, -0.6, 0.05};
  const std::vector<double> M = mass(body, q), M_rod = mass(rod, q);
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(M[i], M_rod[i], 1e-12 * std::sqrt(M_rod[i / 3 * 4] * M_rod[i % 3 * 4])) << i;
  }
}

TEST(RadialKinematicsTest, BodiesKeepTheContract) {
  unsigned seed = 0;
  for (const RadialParameters& radial : cases()) {
    PointParameters points = point_cylinder(0.3, 0.05, 1050.0, 3, 1, 3);
    VolumeBody body(points, {.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02},
                    std::make_shared<RadialKinematics>(radial));
    body.add_port({PortLocation::Kind::point, 0.0, {0.03, 0.02, 0.17}});
    BodyContractOptions options;
    options.seed = ++seed, options.samples = 1;
    for (const double size : sizes_of(radial)) options.coordinates.push_back(0.5 * size);
    expect_body_contract(body, "radial " + std::to_string(seed), options);
  }
}

std::string error_of(const RadialParameters& radial) {
  try {
    RadialKinematics kinematics(radial);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}
TEST(RadialKinematicsTest, RefusesWhatIsNoBody) {
  EXPECT_EQ(error_of({-0.2, 0.02, k_all, {}}), "length: found -0.2, expected a number > 0 [m]");
  EXPECT_EQ(error_of({0.2, 0.0, k_all, {}}), "radius: found 0, expected a number > 0 [m]");
  EXPECT_EQ(error_of({0.2, 0.02, {}, {}}), "strain, bumps: found none of either, expected one or more");
  EXPECT_EQ(
      error_of({0.2, 0.02, {Strain::sigma_z, Strain::kappa_x}, {}}),
      "strain: found kappa_x after sigma_z, expected each component once, in the order kappa_x, kappa_y, sigma_z");
  EXPECT_EQ(error_of({0.2, 0.02, {}, {0.0, std::nan("")}}), "bumps[1]: found a number that is not finite");
}

TEST(RadialKinematicsTest, CoordinatesAreNamedInOrder) {
  std::string text;
  for (const CoordinateInfo& info : RadialKinematics(cases()[0]).coordinates()) {
    text += info.name + " " + info.unit + "; ";
  }
  EXPECT_EQ(text, "kappa_x.0 rad; kappa_y.0 rad; sigma_z.0 m; bump.0 m; bump.1 m; bump.2 m; ");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
