// Bodies of full nodal coordinates by sparse factors: against dense derivatives, which share none of their formulas,
// and against what books say of thick tubes and beams.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/newton_solver.h"
#include "algorithms/static_problem.h"
#include "algorithms/tendon_robots.h"
#include "algorithms/transmissions.h"
#include "algorithms/tree_stability.h"
#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/held_equilibrium.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "support/meshes.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

const VolumeMaterial k_stiff{
    .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.3};
const VolumeMaterial k_rubber{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.02};

VectorXd random_vector(int size, Random& random, double most = 1.0) {
  VectorXd x(size);
  for (double& entry : x) entry = random.uniform(-most, most);
  return x;
}

/// A block with a hole, as a body; with ten nodes its tetrahedra have edges that are no faces of the hole.
std::shared_ptr<NodalVolume> ring(const VolumeMaterial& material, bool edges, int nz = 1) {
  TetrahedralMesh mesh = ring_mesh({0.06, 0.06, 0.04 * nz}, nz);
  if (edges) mesh = with_edge_nodes(mesh);
  const double L = 0.04 * nz;
  return std::make_shared<NodalVolume>(NodalVolumeParameters{std::make_shared<const TetrahedralMesh>(mesh),
                                                             1000.0,
                                                             material,
                                                             {0.02, 0.02, L},
                                                             {0.03, 0.02, L},
                                                             {0.02, 0.03, L}});
}

/// A floating base, two such blocks with a hinge between them, a rigid load at the end and one at a material point;
/// air in both holes, a tendon through the first.
Robot arm(const VolumeMaterial& material, bool edges, bool floating) {
  RigidParameters load;
  load.mass = 0.05, load.com = {0.004, 0.0, 0.03}, load.inertia = {2e-5, 1e-5, 1.5e-5, 0.0, 2e-6, 0.0};
  const auto weight = std::make_shared<RigidBody>(load);
  Robot robot;
  robot.gravity = {0.4, -9.0, 2.0};
  robot.floating_base = floating;
  robot.links.push_back({.name = "first", .body = ring(material, edges)});
  robot.links.push_back(
      {.name = "second", .joint = make_revolute_joint<double>({1, 0, 0}), .body = ring(material, edges)});
  robot.links.push_back({.name = "load", .joint = make_spherical_joint<double>(), .body = weight});
  const PortLocation place{PortLocation::Kind::point, 0.0, {0.021, -0.017, 0.013}};
  robot.links.push_back({.name = "beside", .parent = {"first", place, {}}, .body = weight});
  for (Link& link : robot.links) {
    if (link.joint) link.joint_dynamics.stiffness.assign(static_cast<std::size_t>(link.joint->nv()), 0.5);
  }
  robot.actuators = {
      Actuator::chamber("air", "first", "hole"), Actuator::chamber("air2", "second", "hole"),
      Actuator::tendon("string",
                       {points("first", {{0.02, 0.0, 0.001}, {0.022, 0.004, 0.021}, {0.019, -0.003, 0.037}})})};
  return robot;
}

/// In the coordinates of a step of length h, as implicit methods ask for it; h = 0: at rest, by q alone.
void expect_dense(const Model& model, unsigned seed, double h) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(h));
  Random random(seed);
  VectorXd q = model.neutral();
  const VectorXd away = random_vector(model.nv(), random, 4e-4), q0 = q;
  integrate<double>(model, q0, away, q);
  VectorXd v = random_vector(model.nv(), random, 0.3), a = random_vector(model.nv(), random, 20.0);
  if (h == 0.0) v.setZero(), a.setZero();
  VectorXd u(3);
  u << 2e3, -1e3, 3.0;
  std::vector<ExternalWrench> external(2);
  external[0] = {model.links()[1].tip, {{0.01, 0.02, -0.01}, {0.3, -0.2, 0.1}}, Axes::world};
  external[1] = {model.links()[3].tip, {{0.02, -0.01, 0.01}, {-0.1, 0.2, 0.3}}, Axes::body};
  const Actions actions{&u, external};
  const double scale = h == 0.0 ? 1.0 : 0.3 * h * h, rate = 0.55 * h, second = h == 0.0 ? 0.0 : 1.0;
  const VectorXd x = random_vector(model.nv(), random, 1e-3), w_rate = a;

  Data data(model);
  DerivativeData d(model);
  inverse_dynamics_derivatives(model, data, d, q, v, a, actions);
  const StepCoordinates coordinates(model);
  MatrixXd dense(model.nv(), model.nv());
  coordinates.chain(x, w_rate, q, v, scale, rate, second, d.by_q, d.by_v, d.by_a, dense);

  ASSERT_TRUE(acts_within_bodies(model, TransmissionSet::actuators));
  TreeDerivatives derivatives(model);
  TreeTangent tangent(model);
  StepDirections directions;
  for (int again = 0; again < 2; ++again) {  // nothing is left of the call before
    derivatives.take(model, data, q, again * v, a, actions);
    coordinates.directions(x, w_rate, q, again * v, scale, rate, second, directions);
    derivatives.form(model, directions, tangent);
    tangent.factor();
  }
  const Eigen::FullPivLU<MatrixXd> lu(dense);
  const double condition = 1.0 / lu.rcond();
  const auto left = [](const MatrixXd& matrix, const VectorXd& found, const VectorXd& right) {
    return (matrix * found - right).norm() / (matrix.norm() * found.norm() + right.norm());
  };
  MatrixXd found_matrix(model.nv(), model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    VectorXd column;
    tangent.multiply(VectorXd::Unit(model.nv(), k), column);
    found_matrix.col(k) = column;
  }
  EXPECT_LT((found_matrix - dense).cwiseAbs().maxCoeff(), 1e-12 * dense.cwiseAbs().maxCoeff());
  for (int i = 0; i < 2; ++i) {
    const VectorXd right = random_vector(model.nv(), random);
    VectorXd found, back;
    tangent.solve(right, found);
    EXPECT_LT(left(dense, found, right), 1e-13);
    EXPECT_LT((found - lu.solve(right)).norm(), (1e-13 * condition + 1e-11) * found.norm());
    tangent.solve_transposed(right, back);
    EXPECT_LT(left(dense.transpose(), back, right), 1e-13) << "transposed";
  }
}

TEST(SparseTangentTest, IsTheDenseOne) {
  unsigned seed = 40;
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    for (const bool floating : {false, true}) {
      const Model model(arm(material, false, floating));
      for (const double h : {0.0, 1e-3, 0.1}) {
        if (h > 0.0 || !floating) expect_dense(model, ++seed, h);  // a free base rests anywhere
      }
    }
  }
}

TEST(SparseTangentTest, IsTheDenseOneWithTenNodes) { expect_dense(Model(arm(k_rubber, true, false)), 70, 2e-3); }

/// As static_equilibrium does it, from tangents along the tree, however few coordinates there are.
VectorXd sparse_equilibrium(const Model& model, const StaticLoads& loads, StaticEquilibrium& result) {
  Data data(model);
  const VectorXd start = model.neutral();
  StaticProblem problem(model, data, loads, start, Stepping::loads);
  problem.require_tree();
  NewtonSolver newton(model.nv(), model.nv(), false);
  VectorXd q = start, z(model.nv());
  for (const double part : {0.25, 0.5, 1.0}) {
    problem.begin(q, part);
    z.setZero();
    EXPECT_TRUE(newton.solve(problem, z)) << newton.trouble();
    q = problem.q();
  }
  EXPECT_EQ(problem.describe(VectorXd(), result), "");
  return q;
}

// Gravity, air in both holes and a string: the same place as by matrices, with the same stability.
TEST(SparseTangentTest, FindsTheDenseEquilibrium) {
  for (const VolumeMaterial& material : {k_stiff, k_rubber}) {
    const Model model(arm(material, false, false));
    StaticLoads loads;
    loads.u.resize(3);
    loads.u << 3e3, 2e3, 1.5;
    Data data(model);
    const StaticEquilibrium dense = static_equilibrium(model, data, loads, model.neutral());
    StaticEquilibrium sparse;
    const VectorXd q = sparse_equilibrium(model, loads, sparse);
    EXPECT_LT((q - dense.q).cwiseAbs().maxCoeff(), 1e-10 * dense.q.cwiseAbs().maxCoeff());
    EXPECT_GT((dense.q - model.neutral()).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_EQ(dense.stability, Stability::stable);
  }
}

// The least eigenvalue by Lanczos' method against that of the whole matrix, where it is stable and where it is not.
TEST(SparseTangentTest, JudgesStabilityAsTheDenseMatrix) {
  Robot robot;
  robot.links.push_back({.name = "block", .body = ring(k_rubber, false)});
  robot.actuators = {Actuator::chamber("air", "block", "hole")};
  const Model model(robot);
  Data data(model);
  for (const double pressure : {0.0, 4e3}) {
    StaticLoads loads;
    loads.u = VectorXd::Constant(1, pressure);
    StaticEquilibrium sparse;
    sparse_equilibrium(model, loads, sparse);
    const StaticEquilibrium dense = static_equilibrium(model, data, loads, model.neutral());
    EXPECT_EQ(sparse.stability, dense.stability);
    EXPECT_NEAR(sparse.smallest_stiffness, dense.smallest_stiffness, 1e-7 * dense.smallest_stiffness);
  }
}

// Inertia of a tree of several links against the eigenvalues of its matrix, upright and about to fall over; a torque
// that keeps its axis in the world has no energy, and no such count.
TEST(SparseTangentTest, CountsNegativeEigenvalues) {
  for (const double stiffness : {0.5, 1e-4}) {
    Robot robot = arm(k_rubber, false, false);
    robot.gravity = {0.0, 0.0, -9.81};
    robot.links[2].joint = make_revolute_joint<double>({0, 1, 0});  // of a ball second derivatives are not symmetric
    for (Link& link : robot.links) {
      if (link.joint) link.joint_dynamics.stiffness.assign(static_cast<std::size_t>(link.joint->nv()), stiffness);
    }
    const Model model(robot);
    Data data(model);
    const VectorXd q = model.neutral(), rest = VectorXd::Zero(model.nv());
    const auto tangent_of = [&](const std::vector<ExternalWrench>& external, TreeTangent& tangent) {
      TreeDerivatives derivatives(model);
      derivatives.take(model, data, q, rest, rest, {nullptr, external});
      StepDirections directions;
      StepCoordinates(model).directions(rest, rest, q, rest, 1.0, 0.0, 0.0, directions);
      derivatives.form(model, directions, tangent);
      tangent.factor();
    };
    TreeTangent tangent(model);
    tangent_of({}, tangent);
    DerivativeData d(model);
    inverse_dynamics_derivatives(model, data, d, q, rest, rest);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (d.by_q + d.by_q.transpose()));
    const auto negative = static_cast<int>((eigen.eigenvalues().array() < 0.0).count());
    EXPECT_EQ(negative > 0, stiffness < 1e-3);
    EXPECT_TRUE(symmetry_of(tangent, model.nv()).symmetric);
    EXPECT_EQ(tangent.negative_eigenvalues(), negative);
    tangent_of({{model.links()[2].tip, {{0.3, 0.1, 0.2}, {}}, Axes::world}}, tangent);
    EXPECT_FALSE(symmetry_of(tangent, model.nv()).symmetric);
  }
}

/// A tube of ten-node tetrahedra, whose edges along its circles are parabolas; its bore is the group `bore`.
TetrahedralMesh tube_mesh(double inner, double outer, double length, int nr, int nphi, int nz) {
  TetrahedralMesh mesh;
  const auto node = [&](int i, int j, int k) { return (k * nphi + j % nphi) * (nr + 1) + i; };
  std::vector<Vector3> cylindrical;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j < nphi; ++j) {
      for (int i = 0; i <= nr; ++i) {
        cylindrical.push_back({inner + (outer - inner) * i / nr, 2.0 * M_PI * j / nphi, length * k / nz});
      }
    }
  }
  const auto place = [](const Vector3& c) { return Vector3{c.x * std::cos(c.y), c.x * std::sin(c.y), c.z}; };
  for (const Vector3& c : cylindrical) mesh.nodes.push_back(place(c));
  constexpr int k_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  TetrahedralMesh::Group bore{"bore", {}};
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < nphi; ++j) {
      for (int i = 0; i < nr; ++i) {
        for (const auto& order : k_orders) {
          int at[3] = {i, j, k};
          std::array<int, 4> corners{node(i, j, k)};
          for (int step = 0; step < 3; ++step) ++at[order[step]], corners[step + 1] = node(at[0], at[1], at[2]);
          const Vector3& a = mesh.nodes[corners[0]];
          const Vector3 b = mesh.nodes[corners[1]] - a, c = mesh.nodes[corners[2]] - a, d = mesh.nodes[corners[3]] - a;
          if (dot(cross(b, c), d) < 0.0) std::swap(corners[1], corners[2]);
          mesh.tetrahedra.push_back(corners);
        }
      }
      bore.triangles.push_back({node(0, j, k), node(0, j + 1, k), node(0, j + 1, k + 1)});
      bore.triangles.push_back({node(0, j, k), node(0, j + 1, k + 1), node(0, j, k + 1)});
    }
  }
  mesh.groups.push_back(bore);
  mesh = with_edge_nodes(mesh);
  constexpr int k_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    for (int e = 0; e < 6; ++e) {
      const Vector3& a = cylindrical[mesh.tetrahedra[t][k_edges[e][0]]];
      Vector3 b = cylindrical[mesh.tetrahedra[t][k_edges[e][1]]];
      if (b.y - a.y > M_PI) b.y -= 2.0 * M_PI;
      if (a.y - b.y > M_PI) b.y += 2.0 * M_PI;
      mesh.nodes[mesh.edge_nodes[t][e]] = place(0.5 * (a + b));
    }
  }
  return mesh;
}

// A long tube with closed ends under inner pressure p, away from its ends: u_r(r) = p a^2 / (E (b^2 - a^2)) ((1 - 2 nu)
// r + (1 + nu) b^2 / r) (Lame). More coordinates than matrices are made for.
TEST(SparseTangentTest, WidensAThickTubeAsLameSays) {
  constexpr double a = 0.01, b = 0.018, L = 0.12, E = 1e6, nu = 0.3, p = 100.0;
  const auto mesh = std::make_shared<const TetrahedralMesh>(tube_mesh(a, b, L, 2, 12, 9));
  Robot robot;
  robot.gravity = {0.0, 0.0, 0.0};
  const VolumeMaterial material{
      .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = E, .poisson_ratio = nu};
  robot.links.push_back({.name = "tube",
                         .body = std::make_shared<NodalVolume>(NodalVolumeParameters{
                             mesh, 1000.0, material, {b, 0, L}, {b, 0.002, L}, {b - 0.002, 0, L}})});
  robot.actuators = {Actuator::chamber("air", "tube", "bore")};
  const Model model(robot);
  ASSERT_GT(model.nv(), 3000);
  Data data(model);
  StaticLoads loads;
  loads.u = VectorXd::Constant(1, p);
  const StaticEquilibrium found = static_equilibrium(model, data, loads, model.neutral());
  EXPECT_EQ(found.stability, Stability::stable);
  EXPECT_GT(found.smallest_stiffness, 0.0);
  int free = 0, seen = 0;
  for (const Vector3& x : mesh->nodes) {
    if (!(x.z > 1e-9 * L)) continue;
    const double r = std::hypot(x.x, x.y);
    if (std::abs(x.z - 0.5 * L) < 1e-9) {
      const double moved = (x.x * found.q[3 * free] + x.y * found.q[3 * free + 1]) / r;
      const double expected = p * a * a / (E * (b * b - a * a)) * ((1.0 - 2.0 * nu) * r + (1.0 + nu) * b * b / r);
      EXPECT_NEAR(moved, expected, 0.01 * expected) << "r " << r;
      ++seen;
    }
    ++free;
  }
  EXPECT_GT(seen, 20);
}

// A bar that gravity bends: w L^4 / (8 E I) of Euler and Bernoulli and w L^2 / (2 k G A) of shear, k = 5/6, for a
// deflection of a thousandth of its length.
TEST(SparseTangentTest, BendsABarAsBeamsDo) {
  constexpr double d = 0.02, L = 0.2, E = 1e6, nu = 0.3, rho = 50.0, g = 1.0;
  const auto mesh = std::make_shared<const TetrahedralMesh>(with_edge_nodes(box_mesh({d, d, L}, 2, 2, 12)));
  Robot robot;
  robot.gravity = {g, 0.0, 0.0};
  const VolumeMaterial material{
      .model = VolumeMaterial::Model::st_venant_kirchhoff, .young_modulus = E, .poisson_ratio = nu};
  robot.links.push_back({.name = "bar",
                         .body = std::make_shared<NodalVolume>(
                             NodalVolumeParameters{mesh, rho, material, {0, 0, L}, {d / 2, 0, L}, {0, d / 2, L}})});
  const Model model(robot);
  ASSERT_GT(model.nv(), 1500);
  Data data(model);
  const StaticEquilibrium found = static_equilibrium(model, data, {}, model.neutral());
  const double w = rho * g * d * d, I = d * d * d * d / 12.0, G = E / (2.0 * (1.0 + nu));
  const double expected = w * std::pow(L, 4) / (8.0 * E * I) + w * L * L / (2.0 * (5.0 / 6.0) * G * d * d);
  double most = 0.0;
  for (int i = 0; i < model.nv(); i += 3) most = std::max(most, found.q[i]);
  EXPECT_NEAR(most, expected, 0.02 * expected);
  EXPECT_LT(expected, 2e-3 * L);
}

// Nodes that are all held stay, and what holds them balances gravity.
TEST(SparseTangentTest, HoldsEveryNode) {
  Robot robot;
  robot.links.push_back({.name = "block", .body = ring(k_rubber, true, 3)});
  const Model model(robot);
  ASSERT_GT(model.nv(), 600);
  Data data(model);
  const std::vector<char> held(static_cast<std::size_t>(model.nv()), 1);
  const HeldEquilibrium found = held_equilibrium(model, data, {}, model.neutral(), held);
  EXPECT_EQ(found.equilibrium.q, model.neutral());
  const VectorXd gravity = gravity_force<double>(model, data, model.neutral());
  EXPECT_LT((found.holding_force - gravity).norm(), 1e-12 * gravity.norm());
  EXPECT_EQ(found.equilibrium.stability, Stability::stable);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
