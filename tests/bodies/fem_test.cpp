#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "support/body_contract.h"
#include "support/meshes.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Mesh = std::shared_ptr<const TetrahedralMesh>;
using Model_ = VolumeMaterial::Model;

const VolumeMaterial k_stiff{.model = Model_::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.3};
const VolumeMaterial k_rubber{.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02};
constexpr double k_density = 1000.0;

Mesh box(const Vector3& size, int nx, int ny, int nz) {
  return std::make_shared<const TetrahedralMesh>(box_mesh(size, nx, ny, nz));
}
/// A disk-like column whose section has the symmetry of the square in x and y, so that bending modes come in pairs:
/// bricks whose center is a node, with twelve tetrahedra each.
Mesh symmetric_column(double width, double length, int along) {
  auto mesh = std::make_shared<TetrahedralMesh>();
  const double h = width / 2;
  for (int k = 0; k <= along; ++k) {
    for (const auto& [x, y] : {std::pair(-h, -h), std::pair(h, -h), std::pair(h, h), std::pair(-h, h)}) {
      mesh->nodes.push_back({x, y, length * k / along});
    }
  }
  const auto add_center = [&](const std::array<int, 4>& face) {
    Vector3 center{};
    for (const int node : face) center += 0.25 * mesh->nodes[node];
    mesh->nodes.push_back(center);
    return static_cast<int>(mesh->nodes.size()) - 1;
  };
  std::vector<int> levels;  // centers of the cross-sections
  for (int k = 0; k <= along; ++k) levels.push_back(add_center({4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3}));
  for (int k = 0; k < along; ++k) {
    const int a = 4 * k, b = a + 4;
    Vector3 middle = 0.5 * (mesh->nodes[levels[k]] + mesh->nodes[levels[k + 1]]);
    mesh->nodes.push_back(middle);
    const int center = static_cast<int>(mesh->nodes.size()) - 1;
    std::vector<std::array<int, 5>> faces{{a, a + 1, a + 2, a + 3, levels[k]}, {b + 3, b + 2, b + 1, b, levels[k + 1]}};
    for (int i = 0; i < 4; ++i) {
      const int j = (i + 1) % 4;
      const int side = add_center({a + i, a + j, b + j, b + i});
      faces.push_back({a + j, a + i, b + i, b + j, side});
    }
    for (const auto& face : faces) {
      for (int i = 0; i < 4; ++i) mesh->tetrahedra.push_back({center, face[i], face[(i + 1) % 4], face[4]});
    }
  }
  for (auto& t : mesh->tetrahedra) {
    const auto& x = mesh->nodes;
    if (dot(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]), x[t[3]] - x[t[0]]) < 0) std::swap(t[2], t[3]);
  }
  return mesh;
}

VolumeBody fem_body(const std::shared_ptr<const FemBasis>& basis, const VolumeMaterial& material, int rule = 4) {
  const double L = basis->mesh->length(), R = basis->mesh->radius();
  PointParameters points;
  points.quadrature = mesh_quadrature(*basis->mesh, rule);
  points.density = k_density;
  points.tip_origin = {0, 0, L}, points.tip_a = {R, 0, L}, points.tip_b = {0, R, L};
  return VolumeBody(points, material, std::make_shared<FemKinematics>(basis), basis->mesh);
}
std::shared_ptr<const FemBasis> modes_of(const Mesh& mesh, const VolumeMaterial& material, int count,
                                         bool derivatives = false) {
  return std::make_shared<const FemBasis>(fem_modes(mesh, material, k_density, count, derivatives));
}

// --- modes

// Clamped beam: omega_1 = 3.516 sqrt(E I / (rho A L^4)). Linear tetrahedra lock in bending: the square of the frequency
// is too high by 270 % h^2 / width^2, h the edge of a brick, so it is extrapolated.
TEST(FemModesTest, FrequenciesOfASlenderBeamTendToEulerAndBernoulli) {
  const double L = 0.4, w = 0.02;
  const double expected = 3.5160152685 * std::sqrt(k_stiff.young_modulus * w * w / 12.0 / k_density) / (L * L);
  double errors[2][3];  // of the square, of the two bending modes, for 1, 2 and 4 bricks across
  for (int i = 0; i < 3; ++i) {
    const int n = 1 << i;
    const FemBasis basis = fem_modes(box({w, w, L}, n, n, 20 * n), k_stiff, k_density, 2, false);
    for (int k = 0; k < 2; ++k) errors[k][i] = std::pow(basis.frequencies[k] / expected, 2) - 1.0;
  }
  for (const auto& error : errors) {
    EXPECT_NEAR(std::log2(error[1] / error[2]), 2.0, 0.1);
    const double extrapolated = error[2] + (error[2] - error[1]) / 3.0;
    EXPECT_NEAR(std::sqrt(1.0 + extrapolated), 1.0, 0.01);
  }
}

/// M and K of a body at rest.
struct AtRest {
  MatrixXd mass, stiffness;
  explicit AtRest(const VolumeBody& body) {
    const int n = body.coordinate_count();
    contract::State<double> state;
    state.q = state.v = state.a = VectorXd::Zero(n);
    mass = contract::evaluate(body, state).mass;
    stiffness.resize(n, n);
    body.stiffness_matrix(state.q.data(), stiffness.data());
  }
};

TEST(FemModesTest, ModesAreVibrationsOfTheBody) {
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    const auto basis = modes_of(box({0.05, 0.04, 0.2}, 2, 2, 6), material, 7);
    ASSERT_EQ(basis->frequencies.size(), 7u);
    const AtRest at(fem_body(basis, material));
    for (int j = 0; j < 7; ++j) {
      for (int k = 0; k < 7; ++k) {
        const double square = basis->frequencies[k] * basis->frequencies[k];
        const double scale = std::sqrt(at.mass(j, j) * at.mass(k, k));
        if (j != k) {
          EXPECT_NEAR(at.mass(j, k), 0.0, 1e-9 * scale);
        }
        EXPECT_NEAR(at.stiffness(j, k), j == k ? square * at.mass(k, k) : 0.0, 1e-9 * square * scale);
      }
    }
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> vibrations(at.stiffness, at.mass);
    for (int k = 0; k < 7; ++k) {
      EXPECT_NEAR(std::sqrt(vibrations.eigenvalues()[k]), basis->frequencies[k], 1e-9 * basis->frequencies[k]);
    }
  }
}

TEST(FemModesTest, TheGreatestDisplacementIsOneAndTheBaseStays) {
  const auto basis = modes_of(box({0.05, 0.04, 0.2}, 2, 2, 5), k_stiff, 5, true);
  EXPECT_EQ(basis->modes.size(), 5u + 15u);
  for (const auto& mode : basis->modes) {
    double largest = 0.0;
    for (std::size_t i = 0; i < mode.size(); ++i) {
      largest = std::max(largest, norm(mode[i]));
      if (basis->mesh->nodes[i].z == 0.0) {
        EXPECT_EQ(norm(mode[i]), 0.0);
      }
    }
    EXPECT_NEAR(largest, 1.0, 1e-15);
  }
  const AtRest at(fem_body(basis, k_stiff));  // derivatives are orthogonal to the modes and to each other
  for (int j = 0; j < 20; ++j) {
    for (int k = 0; k < j; ++k) {
      EXPECT_NEAR(at.mass(j, k), 0.0, 1e-9 * std::sqrt(at.mass(j, j) * at.mass(k, k))) << j << ", " << k;
    }
  }
}

// A section as symmetric as the square: bending modes come in pairs, the first along x, the second along y.
TEST(FemModesTest, PairsOfOneFrequencyAreTurnedToTheAxes) {
  const Mesh mesh = symmetric_column(0.04, 0.2, 4);
  mesh->check();
  const FemBasis basis = fem_modes(mesh, k_stiff, k_density, 3, false);  // cuts the second pair
  EXPECT_NEAR(basis.frequencies[0], basis.frequencies[1], 1e-9 * basis.frequencies[0]);
  const auto top = [&](int mode) {
    Vector3 sum{};
    for (std::size_t i = 0; i < mesh->nodes.size(); ++i) {
      if (mesh->nodes[i].z > 0.2 * (1 - 1e-9)) sum += 0.2 * basis.modes[mode][i];
    }
    return sum;
  };
  EXPECT_GT(top(0).x, 0.9);
  EXPECT_NEAR(top(0).y, 0.0, 1e-7);
  EXPECT_GT(top(1).y, 0.9);
  EXPECT_NEAR(top(1).x, 0.0, 1e-7);
  const FemBasis more = fem_modes(mesh, k_stiff, k_density, 6, false);  // the same modes, whatever their number
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < mesh->nodes.size(); ++i) {
      EXPECT_NEAR(norm(more.modes[k][i] - basis.modes[k][i]), 0.0, 1e-7) << "mode " << k;
    }
  }
}

// --- the body

TEST(FemBodyTest, KeepsTheContract) {
  unsigned seed = 0;
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    for (const bool derivatives : {false, true}) {
      const auto basis = modes_of(box({0.05, 0.04, 0.2}, 1, 1, 3), material, 3, derivatives);
      VolumeBody body = fem_body(basis, material);
      body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}});
      BodyContractOptions options;
      options.seed = ++seed, options.samples = 1;
      // large enough that the energy stands out of the rounding of F
      options.coordinates.assign(basis->modes.size(), material.lame_lambda ? 0.012 : 0.004);
      // the axes of ports change within millimeters of some modes: error (step / size)^6 of the differences
      options.step = 3e-4;
      expect_body_contract(body, "fem " + std::to_string(seed), options);
    }
  }
}

// A displacement that is linear in space is one of linear tetrahedra: nodes moved by A x move every point so.
TEST(FemBodyTest, PointsMoveLinearlyInEachTetrahedron) {
  Random random(5);
  const Mesh mesh = box({0.05, 0.04, 0.2}, 2, 3, 4);
  const Matrix3 A{{0.3, -0.2, 0.5}, {0.1, 0.4, -0.7}, {0.2, 0.6, -0.1}};
  FemBasis basis{.mesh = mesh, .modes = {{}}, .frequencies = {}};
  for (const Vector3& x : mesh->nodes) basis.modes[0].push_back(A * x);
  const VolumeBody body = fem_body(std::make_shared<const FemBasis>(basis), k_stiff);
  const double q = 0.7;
  for (int sample = 0; sample < 50; ++sample) {
    // some on faces and edges of tetrahedra, some beside the mesh
    const double round = sample % 2 ? 0.01 : 1e-9;
    const Vector3 x{round * std::round(0.026 * random.uniform() / round),
                    round * std::round(0.021 * random.uniform() / round),
                    round * std::round(random.uniform(-0.004, 0.204) / round)};
    Vector3 position, slope;
    Matrix3 F, F_slope;
    body.material_points(&q, &x, 1, {&position, &slope, &F, &F_slope});
    EXPECT_NEAR(norm(position - (x + q * (A * x))), 0.0, 1e-15);
    EXPECT_NEAR(norm(slope - A * x), 0.0, 1e-15);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(F(i, j), (i == j ? 1.0 : 0.0) + q * A(i, j), 1e-13);
        EXPECT_NEAR(F_slope(i, j), A(i, j), 1e-13);
      }
    }
  }
}

TEST(FemBodyTest, ExistsForEveryScalar) {
  const auto basis = modes_of(box({0.05, 0.04, 0.2}, 1, 2, 3), k_rubber, 4);
  VolumeBody body = fem_body(basis, k_rubber);
  body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}});
  const auto precise = body.clone_as(ScalarTag<long double>());
  const auto gradient = body.clone_as(ScalarTag<ForwardDual>());
  EXPECT_EQ(precise->port_count(), 2);
  EXPECT_EQ(gradient->port_count(), 2);
  const double q[4] = {0.004, -0.003, 0.002, 0.001};
  const long double q_precise[4] = {q[0], q[1], q[2], q[3]};
  ForwardDual q_gradient[4] = {q[0], q[1], q[2], q[3]};
  q_gradient[2].derivative[5] = 1.0;
  const double energy = body.elastic_energy(q);
  EXPECT_NEAR(static_cast<double>(precise->elastic_energy(q_precise)), energy, 1e-11 * energy);
  double force[4] = {0, 0, 0, 0};
  body.add_elastic_force(q, force);
  EXPECT_NEAR(gradient->elastic_energy(q_gradient).derivative[5], force[2], 1e-10 * std::abs(force[2]));
}

Model standing(const VolumeBody& body) {
  Robot robot;
  robot.name = "column";
  robot.links.emplace_back();
  robot.links.back().name = "column";
  robot.links.back().body = std::make_shared<VolumeBody>(body);
  return Model(robot);
}

// Without damping a bent beam swings for ever; classical Runge-Kutta, whose error of energy is of order 5.
TEST(FemBodyTest, EnergyIsKept) {
  const auto basis = modes_of(box({0.05, 0.04, 0.2}, 1, 1, 4), k_stiff, 3, true);
  const Model model = standing(fem_body(basis, k_stiff));
  Data data(model);
  const int n = model.nv();
  const auto drift = [&](double step) {
    VectorXd q = VectorXd::Zero(n), v = VectorXd::Zero(n);
    q[0] = 0.03, v[1] = 0.5;
    const auto energy = [&] {
      return kinetic_energy<double>(model, data, q, v) + gravity_energy<double>(model, data, q) +
             elastic_energy<double>(model, data, q);
    };
    const double first = energy();
    const auto slope = [&](const VectorXd& q_now, const VectorXd& v_now) {
      return VectorXd(forward_dynamics(model, data, q_now, v_now, VectorXd::Zero(n)));
    };
    for (int i = 0; i < static_cast<int>(std::lround(0.04 / step)); ++i) {
      const VectorXd v1 = v, a1 = slope(q, v1);
      const VectorXd v2 = v + step / 2 * a1, a2 = slope(q + step / 2 * v1, v2);
      const VectorXd v3 = v + step / 2 * a2, a3 = slope(q + step / 2 * v2, v3);
      const VectorXd v4 = v + step * a3, a4 = slope(q + step * v3, v4);
      q += step / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
      v += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return std::abs(energy() - first);
  };
  const double coarse = drift(4e-5), fine = drift(2e-5);
  EXPECT_GT(coarse / fine, 12.0);
  EXPECT_LT(fine, 1e-6);
}

/// Static shape under a dead force at the tip: generalized force of the point's slopes, Newton in steps of the load.
Vector3 loaded_tip(const VolumeBody& body, const Vector3& load) {
  const int n = body.coordinate_count();
  VectorXd q = VectorXd::Zero(n), force(n), residual(n);
  std::vector<Vector3> slopes(n);
  Vector3 tip;
  const Vector3 at = body.parameters().tip_origin;
  body.material_points(q.data(), &at, 1, {&tip, slopes.data(), nullptr, nullptr});
  for (int j = 0; j < n; ++j) force[j] = dot(slopes[j], load);
  MatrixXd K(n, n);
  for (int step = 1; step <= 10; ++step) {
    for (int iteration = 0; iteration < 30; ++iteration) {
      residual = -0.1 * step * force;
      body.add_elastic_force(q.data(), residual.data());
      if (residual.norm() < 1e-10 * force.norm()) break;
      body.stiffness_matrix(q.data(), K.data());
      q -= K.ldlt().solve(residual);
    }
    EXPECT_LT(residual.norm(), 1e-10 * force.norm()) << "step " << step;
  }
  body.material_points(q.data(), &at, 1, {&tip, slopes.data(), nullptr, nullptr});
  return tip - at;
}

// A beam bent by a third of its length, against all displacements of the same mesh. Modes alone cannot let the bent
// axis shorten and are several times too stiff; with modal derivatives the tip goes down as it goes aside.
TEST(FemBodyTest, ModalDerivativesLetABentBeamShorten) {
  const Mesh mesh = box({0.02, 0.02, 0.2}, 1, 1, 8);
  FemBasis all{.mesh = mesh, .modes = {}, .frequencies = {}};  // a coordinate for each component of each free node
  for (std::size_t i = 0; i < mesh->nodes.size(); ++i) {
    for (int axis = 0; axis < 3 && mesh->nodes[i].z > 0.0; ++axis) {
      all.modes.emplace_back(mesh->nodes.size());
      all.modes.back()[i][axis] = 1.0;
    }
  }
  const Vector3 load{0.9, 0.0, 0.0};
  const Vector3 reference = loaded_tip(fem_body(std::make_shared<const FemBasis>(all), k_stiff, 1), load);
  const Vector3 plain = loaded_tip(fem_body(modes_of(mesh, k_stiff, 4), k_stiff, 1), load);
  const Vector3 rich = loaded_tip(fem_body(modes_of(mesh, k_stiff, 4, true), k_stiff, 1), load);
  EXPECT_GT(reference.x, 0.07);
  EXPECT_LT(plain.x, 0.4 * reference.x);
  EXPECT_NEAR(plain.z, 0.0, 0.01 * norm(plain));
  EXPECT_LT(norm(rich - reference), 0.03 * norm(reference));
  EXPECT_NEAR(rich.z, reference.z, 0.03 * std::abs(reference.z));
}

// --- errors

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FemErrorsTest, NameWhatIsWrong) {
  const Mesh mesh = box({0.05, 0.04, 0.2}, 1, 1, 2);
  EXPECT_EQ(
      error_of([&] { fem_modes(mesh, {.c1 = 1e4}, k_density, 2, false); }),
      "material: found one that does not resist changes of volume, expected st_venant_kirchhoff or neo_hookean with "
      "lame_lambda: the modes of a mesh do not keep the volume");
  EXPECT_EQ(error_of([&] { fem_modes(mesh, k_stiff, k_density, 13, false); }),
            "modes: found 13, expected an integer from 1 to 12, half the free coordinates of the mesh");
  EXPECT_EQ(error_of([&] { fem_modes(mesh, k_stiff, 0.0, 2, false); }),
            "density: found 0, expected a number > 0 [kg/m^3]");
  // turned so that it stands on an edge
  auto tilted = std::make_shared<TetrahedralMesh>(mapped(*mesh, [](const Vector3& x) {
    return Vector3{0.8 * (x.x + 0.025) - 0.6 * x.z, x.y, 0.6 * (x.x + 0.025) + 0.8 * x.z};
  }));
  EXPECT_EQ(error_of([&] { fem_modes(tilted, k_stiff, k_density, 2, false); }),
            "mesh: found 2 nodes at z = 0, expected three or more that are not on one line: the body is clamped there");
  VolumeBody body = fem_body(modes_of(mesh, k_stiff, 2), k_stiff);
  EXPECT_EQ(error_of([&] {
              body.add_port({PortLocation::Kind::point, 0.0, {0.065, 0.0, 0.1}});
            }),
            "point [0.065, 0, 0.1]: found 0.04 m beside the mesh, expected a point in it or not further away than "
            "0.0320156212 m");
  EXPECT_EQ(body.port_count(), 1);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
