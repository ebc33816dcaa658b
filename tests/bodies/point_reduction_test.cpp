#include "cuttle/bodies/point_reduction.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <memory>
#include <vector>

#include "bodies/volume/reduction/nonnegative_fit.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/dual_eigen.h"
#include "support/body_contract.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Type = LvpPrimitive::Type;

/// A cylinder of 800 points that is stretched, twisted and bent; damped and hyperelastic.
VolumeBody cylinder(int nz = 20, int nr = 4, int nphi = 10) {
  LvpParameters lvp;
  lvp.length = 0.3;
  lvp.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0, -1.0}}},
                    {.type = Type::twist, .modes = {{0.0, 1.0}}},
                    {.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
  const VolumeMaterial rubber{
      .model = VolumeMaterial::Model::mooney_rivlin, .c1 = 5e4, .c2 = 2e4, .damping_time = 0.02};
  return VolumeBody(point_cylinder(0.3, 0.03, 1050.0, nz, nr, nphi), rubber, std::make_shared<LvpKinematics>(lvp));
}
VolumeBody reduced(const VolumeBody& body, const PointReduction& reduction) {
  PointParameters parameters = body.parameters();
  parameters.reduction = std::make_shared<const PointReduction>(reduction);
  parameters.quadrature = reduced_quadrature(parameters.quadrature, reduction);
  return VolumeBody(parameters, body.material(), body.kinematics().clone_as(ScalarTag<double>()));
}

TEST(PointReductionTest, KeepsFewPointsAndTheMassWithItsCentre) {
  const VolumeBody full = cylinder();
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const PointReduction reduction = reduce_points(full, {tolerance, 0.3});
    EXPECT_LT(reduction.kept.size(), 200u) << tolerance;
    EXPECT_GT(reduction.error, 0.0);
    EXPECT_LE(reduction.error, tolerance);
    for (const double factor : reduction.factors) EXPECT_GT(factor, 0.0);
    const SpatialInertia all = full.rest_inertia(), few = reduced(full, reduction).rest_inertia();
    EXPECT_NEAR(few.mass, all.mass, 1e-13 * all.mass);
    EXPECT_LT(norm(few.moment - all.moment), 1e-13 * all.mass * 0.3);
  }
}

/// Generalized forces of both bodies in states that the test draws itself, against their size.
TEST(PointReductionTest, KeepsForcesAndEnergies) {
  const VolumeBody full = cylinder();
  const double tolerance = 1e-3;
  const VolumeBody few = reduced(full, reduce_points(full, {tolerance, 0.3}));
  const int n = full.coordinate_count();
  Random random(5);
  const std::vector<double> size{0.1, 0.5, 0.8, 0.8};  // strains below 0.3
  double energy = 0.0, energy_error = 0.0, elastic = 0.0, elastic_error = 0.0, damping = 0.0, damping_error = 0.0,
         mass = 0.0, mass_error = 0.0;
  for (int sample = 0; sample < 20; ++sample) {
    std::vector<double> q(n), v(n);
    for (int j = 0; j < n; ++j) q[j] = size[j] * random.uniform(), v[j] = size[j] * random.uniform();
    const auto force = [&](const VolumeBody& body, bool damped) {
      Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
      damped ? body.add_damping_force(q.data(), v.data(), f.data()) : body.add_elastic_force(q.data(), f.data());
      return f;
    };
    elastic = std::max(elastic, force(full, false).norm());
    elastic_error = std::max(elastic_error, (force(few, false) - force(full, false)).norm());
    damping = std::max(damping, force(full, true).norm());
    damping_error = std::max(damping_error, (force(few, true) - force(full, true)).norm());
    energy = std::max(energy, full.elastic_energy(q.data()));
    energy_error = std::max(energy_error, std::abs(few.elastic_energy(q.data()) - full.elastic_energy(q.data())));
    const auto inertia = [&](const VolumeBody& body) {
      Robot robot;
      robot.links.push_back({.name = "body", .body = std::make_shared<VolumeBody>(body)});
      const Model model(robot);
      Data data(model);
      return MatrixXd(mass_matrix(model, data, Eigen::Map<const VectorXd>(q.data(), n)));
    };
    mass = std::max(mass, inertia(full).norm());
    mass_error = std::max(mass_error, (inertia(few) - inertia(full)).norm());
  }
  // the states differ from those of the choice: some more than its tolerance
  EXPECT_LT(energy_error, 3 * tolerance * energy);
  EXPECT_LT(elastic_error, 3 * tolerance * elastic);
  EXPECT_LT(damping_error, 3 * tolerance * damping);
  EXPECT_LT(mass_error, 3 * tolerance * mass);
  EXPECT_GT(elastic_error + damping_error, 0.0) << "the test compares a body with itself";
}

TEST(PointReductionTest, EnergyForcesAndDerivativesStayConsistent) {
  const VolumeBody full = cylinder();
  BodyContractOptions options;
  options.samples = 1, options.coordinates = {0.2, 0.5, 0.5, 0.5};
  expect_body_contract(reduced(full, reduce_points(full, {1e-2, 0.3})), "a body of few points", options);
}

TEST(PointReductionTest, IsTheSameEachTime) {
  const VolumeBody full = cylinder(10, 3, 8);
  const PointReduction first = reduce_points(full, {1e-2, 0.2}), second = reduce_points(full, {1e-2, 0.2});
  EXPECT_EQ(first.kept, second.kept);
  EXPECT_EQ(first.factors, second.factors);
}

TEST(PointReductionTest, KeepsAllWhereFewAreNotEnough) {
  const VolumeBody small = cylinder(4, 2, 4);
  const PointReduction reduction = reduce_points(small, {1e-5, 0.3});
  EXPECT_EQ(reduction.kept.size(), 32u);
  EXPECT_EQ(reduction.factors, std::vector<double>(32, 1.0));
  EXPECT_EQ(reduction.error, 0.0);
}

/// Another radius moves and weighs all points alike: mass and its derivative stay exact.
TEST(PointReductionTest, CarriesDerivativesOfTheShape) {
  const VolumeBody full = cylinder();
  const PointReduction reduction = reduce_points(full, {1e-2, 0.3});
  ForwardDual radius(0.03);
  radius.derivative[0] = 1.0;
  const auto rule = reduced_quadrature(
      cylinder_quadrature<ForwardDual>(ForwardDual(0.3), radius, ForwardDual(0.0), 20, 4, 10), reduction);
  ForwardDual volume(0.0);
  for (const ForwardDual& weight : rule.weights) volume += weight;
  EXPECT_NEAR(volume.value, M_PI * 0.03 * 0.03 * 0.3, 1e-15);
  EXPECT_NEAR(volume.derivative[0], 2 * M_PI * 0.03 * 0.3, 1e-13);
}

TEST(PointReductionTest, RefusesWhatHasOtherPoints) {
  const VolumeBody full = cylinder(10, 3, 8);
  const PointReduction reduction = reduce_points(full, {1e-2, 0.2});
  EXPECT_THROW(reduced_quadrature(cylinder_quadrature(0.3, 0.03, 0.0, 10, 3, 9), reduction), ModelError);
  EXPECT_THROW(reduce_points(full, {0.0, 0.3}), ModelError);
  EXPECT_THROW(reduce_points(full, {1e-3, -1.0}), ModelError);
}

/// The conditions of Karush, Kuhn and Tucker hold when it ends, and x >= 0 on the way.
TEST(NonnegativeFitTest, EndsAtTheMinimum) {
  Random random(3);
  for (int sample = 0; sample < 20; ++sample) {
    const int rows = 6 + random.index(20), columns = 3 + random.index(30);
    Eigen::MatrixXd A(rows, columns);
    Eigen::VectorXd b(rows);
    for (double& entry : A.reshaped()) entry = random.uniform();
    for (double& entry : b) entry = random.uniform();
    NonnegativeFit fit(A, b);
    double before = b.norm();
    while (fit.advance()) {
      for (const double value : fit.values()) EXPECT_GT(value, 0.0);
      EXPECT_LT(fit.residual().norm(), before + 1e-12);
      before = fit.residual().norm();
    }
    Eigen::VectorXd x = Eigen::VectorXd::Zero(columns);
    for (std::size_t i = 0; i < fit.columns().size(); ++i) x[fit.columns()[i]] = fit.values()[i];
    EXPECT_LT((b - A * x - fit.residual()).norm(), 1e-12);
    const Eigen::VectorXd gain = A.transpose() * (b - A * x);
    EXPECT_LT(gain.maxCoeff(), 1e-10);
    for (const Eigen::Index column : fit.columns()) EXPECT_NEAR(gain[column], 0.0, 1e-10);
  }
}

/// A tolerance below what rounding leaves ends too, with an answer.
TEST(PointReductionTest, EndsWithAnyTolerance) {
  const VolumeBody full = cylinder(10, 3, 8);
  const PointReduction reduction = reduce_points(full, {1e-13, 0.3});
  EXPECT_LE(reduction.error, 1e-13);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
