#include "cuttle/bodies/nodal_volume.h"

#include <gtest/gtest.h>

#include <string>

#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/meshes.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Mesh = std::shared_ptr<const TetrahedralMesh>;
const VolumeMaterial k_stiff{
    .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.3};
const VolumeMaterial k_rubber{.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02};

Mesh box(const Vector3& size, int nx, int ny, int nz) {
  return std::make_shared<const TetrahedralMesh>(box_mesh(size, nx, ny, nz));
}
NodalVolume nodal(const Mesh& mesh, const VolumeMaterial& material) {
  const double L = mesh->length(), R = mesh->radius();
  return NodalVolume({mesh, 1000.0, material, {0, 0, L}, {R, 0, L}, {0, R, L}});
}

TEST(NodalVolumeTest, KeepsTheContract) {
  unsigned seed = 300;
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    NodalVolume body = nodal(box({0.1, 0.08, 0.2}, 1, 1, 2), material);
    body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}});
    body.add_port({PortLocation::Kind::point, 0.0, {-0.02, 0.01, 0.03}});
    BodyContractOptions options;
    options.seed = ++seed, options.samples = 2;
    options.coordinates.assign(body.coordinate_count(), material.lame_lambda ? 0.012 : 0.008);
    expect_body_contract(body, "nodal " + std::to_string(seed), options);
  }
}

// The same body as a volume whose modes are the displacements of single nodes: sums over points and dense elimination.
TEST(NodalVolumeTest, IsAVolumeOfUnitDisplacements) {
  const Mesh mesh = box({0.1, 0.08, 0.2}, 2, 1, 2);
  FemBasis all{.mesh = mesh, .modes = {}, .frequencies = {}};
  for (std::size_t i = 0; i < mesh->nodes.size(); ++i) {
    for (int axis = 0; axis < 3 && mesh->nodes[i].z > 0.0; ++axis) {
      all.modes.emplace_back(mesh->nodes.size());
      all.modes.back()[i][axis] = 1.0;
    }
  }
  const auto basis = std::make_shared<const FemBasis>(all);
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    NodalVolume body = nodal(mesh, material);
    PointParameters points;
    points.quadrature = mesh_quadrature(*mesh, 4);
    points.density = 1000.0;
    points.tip_origin = body.parameters().tip_origin;
    points.tip_a = body.parameters().tip_a, points.tip_b = body.parameters().tip_b;
    VolumeBody reference(points, material, std::make_shared<FemKinematics>(basis), mesh);
    const PortLocation place{PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.117}};
    body.add_port(place), reference.add_port(place);
    const int n = body.coordinate_count();
    ASSERT_EQ(n, reference.coordinate_count());
    BodyContractOptions options;
    options.coordinates.assign(n, 0.004);
    contract::Numbers numbers(77);
    const contract::State<double> state = contract::random_state(body, options, numbers);
    const std::vector<Wrench> wrenches{numbers.wrench(), numbers.wrench()};
    const auto found = contract::evaluate(body, state, wrenches),
               expected = contract::evaluate(reference, state, wrenches);
    EXPECT_LT((found.base_wrench - expected.base_wrench).norm(), 1e-12 * expected.base_wrench.norm());
    EXPECT_LT((found.force - expected.force).norm(), 1e-12 * expected.force.norm());
    EXPECT_LT((found.whole() - expected.whole()).norm(), 1e-12 * expected.whole().norm());
    EXPECT_NEAR(found.kinetic_energy, expected.kinetic_energy, 1e-12 * expected.kinetic_energy);
    for (int k = 0; k < 2; ++k) {
      EXPECT_LT((found.jacobians[k] - expected.jacobians[k]).norm(), 1e-12 * expected.jacobians[k].norm());
      for (int r = 0; r < 6; ++r) {
        EXPECT_NEAR(found.ports[k].acceleration[r], expected.ports[k].acceleration[r], 1e-10);
      }
    }
    Eigen::VectorXd force = Eigen::VectorXd::Zero(n), same = force;
    body.add_elastic_force(state.q.data(), force.data());
    reference.add_elastic_force(state.q.data(), same.data());
    EXPECT_LT((force - same).norm(), 1e-12 * same.norm());
    Eigen::MatrixXd K(n, n), K_same(n, n);
    body.stiffness_matrix(state.q.data(), K.data());
    reference.stiffness_matrix(state.q.data(), K_same.data());
    EXPECT_LT((K - K_same).norm(), 1e-12 * K_same.norm());
    body.damping_matrix(state.q.data(), nullptr, K.data());
    reference.damping_matrix(state.q.data(), nullptr, K_same.data());
    EXPECT_LE((K - K_same).norm(), 1e-12 * K_same.norm());
    // rank-6 updates at two loaded ports against the factor of the dense matrix
    ArticulatedLoadT<double> loads[2];
    for (auto& load : loads) {
      load.inertia = ArticulatedInertiaT<double>::from(
          SpatialInertia::from_com(0.3, numbers.vector(), SymmetricMatrix3T<double>::diagonal(0.3, 0.2, 0.4)));
      load.bias = numbers.wrench();
    }
    const ArticulatedLoadT<double>* const given[] = {&loads[0], &loads[1]};
    contract::State<double> bias = state;
    bias.a.setZero(), bias.A = {};
    const Eigen::VectorXd applied = Eigen::VectorXd::LinSpaced(n, -1.0, 2.0);
    const auto reduce = [&](const Body& any) {
      contract::Workspace<double> memory(any.workspace_size());
      auto motions = contract::forward(any, bias, MotionLevel::acceleration, memory);
      ArticulatedLoadT<double> base;
      EXPECT_TRUE(any.eliminate(bias.get(), applied.data(), given, motions.data(), memory.get(), base));
      Eigen::VectorXd all_numbers(n + 54);
      any.back_substitute(state.A, memory.get(), all_numbers.data(), motions.data());
      for (int c = 0; c < 6; ++c) {
        const Wrench column = base.inertia.column(c);
        for (int r = 0; r < 6; ++r) all_numbers[n + 6 * c + r] = column[r];
        all_numbers[n + 36 + c] = base.bias[c];
        for (int k = 0; k < 2; ++k) all_numbers[n + 42 + 6 * k + c] = motions[k].acceleration[c];
      }
      return all_numbers;
    };
    const Eigen::VectorXd eliminated = reduce(body), dense = reduce(reference);
    EXPECT_LT((eliminated - dense).norm(), 1e-9 * dense.norm());
  }
}

// Else all nodes of a large surface could not touch.
TEST(NodalVolumeTest, APortTakesMemoryForTheNodesThatItMovesWithAlone) {
  const auto of_port = [](int bricks) {
    NodalVolume body = nodal(box({0.1, 0.1, 0.1}, bricks, bricks, bricks), k_rubber);
    const auto memory = [&body] { return body.workspace_size().persistent + body.workspace_size().elimination; };
    const std::size_t before = memory();
    for (int k = 0; k < 10; ++k) body.add_port({PortLocation::Kind::point, 0.0, {0.011, 0.0032, 0.05 + 0.004 * k}});
    return static_cast<double>(memory() - before) / 10.0;
  };
  const double four_nodes = 4 * 18 + 12 + 6;  // columns of three coordinates each, a pose, a wrench
  for (const int bricks : {2, 5}) EXPECT_LE(of_port(bricks), four_nodes + 2.0) << bricks;  // and what is padded
}

TEST(NodalVolumeTest, FoldingNamesTheElement) {
  const NodalVolume body = nodal(box({0.1, 0.08, 0.2}, 1, 1, 1), k_stiff);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(body.coordinate_count());
  for (Eigen::Index i = 2; i < q.size(); i += 3) q[i] = -0.3;
  try {
    body.elastic_energy(q.data());
    FAIL() << "no error";
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("element 1: found det(df/dx) = -0.5, expected > 0"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
