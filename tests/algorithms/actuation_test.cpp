// Actuation of any robot by any tendons and chambers: the matrix is the derivative of the coordinates, in every scalar.

#include "cuttle/algorithms/actuation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>

#include "algorithms/tendon_robots.h"
#include "cuttle/error.h"
#include "support/random_robot.h"
#include "support/random_tendons.h"
#include "support/robot_cases.h"
#include "support/toy_bodies.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Wide = long double;
using WideVector = VectorXT<Wide>;

// --- any route through any robot

struct RandomActuation {
  Robot robot;
  RandomState state;
};
constexpr unsigned k_seeds = 40, k_volume_seeds = 6;

/// Volumes on any links, with their chambers.
void add_volumes(Robot& robot, Random& random) {
  const auto add = [&](const char* name, std::shared_ptr<const Body> body) {
    const Link& parent = robot.links[random.index(static_cast<int>(robot.links.size()))];
    robot.links.push_back({.name = name, .parent = {parent.name, PortLocation::tip(), {}}, .body = std::move(body)});
  };
  add("tube", lvp_tube());
  add("finger", lvp_finger());
  add("block", ritz_block());
  add("blob", std::make_shared<PointBody<Blob>>(blob_points()));
  robot.actuators.push_back(Actuator::chamber("bore", "tube", "inner"));
  const SectorPocket pocket{random.uniform(-3.0, 3.0), random.uniform(0.5, 6.0), random.uniform(0.005, k_tube_radius)};
  robot.actuators.push_back(Actuator::chamber("pocket", "finger", pocket));
}

RandomActuation random_actuation(unsigned seed) {
  RandomRobotOptions options;
  options.min_links = 2, options.max_links = 7;
  options.floating = seed % 3 == 0;
  RandomActuation r{to_robot(random_robot(seed, options)), {}};
  Random random(seed + 31);
  if (seed <= k_volume_seeds) add_volumes(r.robot, random);
  for (int i = 0; i < 4; ++i) {
    r.robot.actuators.push_back(random_tendon("t" + std::to_string(i), r.robot, 1 + random.index(4), random));
  }
  for (const Link& link : r.robot.links) {
    if (dynamic_cast<const RodBody*>(link.body.get()) == nullptr) continue;
    r.robot.actuators.push_back(Actuator::chamber("chamber_" + link.name, link.name,
                                                  {random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02)}, 1e-3));
  }
  r.state = random_state(Model(r.robot), random);
  return r;
}

TEST(ActuationTest, MatrixIsTheDerivativeOfTheCoordinates) {
  double worst = 0.0;
  int segments = 0, arcs = 0, polygons = 0;
  for (unsigned seed = 1; seed <= k_seeds; ++seed) {
    SCOPED_TRACE(seed);
    const RandomActuation r = random_actuation(seed);
    const ModelT<Wide> model(r.robot.cast<Wide>());
    if (model.nv() == 0) continue;
    DataT<Wide> data(model);
    const WideVector q = r.state.q.cast<Wide>(), d = r.state.v.cast<Wide>();
    const MatrixXT<Wide> A = actuation_matrix<Wide>(model, data, q);
    const auto y = [&](Wide t) {
      WideVector moved(model.nq()), step = t * d;
      integrate<Wide>(model, q, step, moved);
      return WideVector(actuation_coordinates<Wide>(model, data, moved));
    };
    // sixth order: h^6 / 140 of the seventh derivative, about 1e-14 where points are 1 cm apart
    const WideVector slope = derivative(y, 1e-4L), expected = A.transpose() * d;
    const Wide scale = A.cwiseAbs().maxCoeff() * d.lpNorm<1>() + 1;
    const double error = static_cast<double>((slope - expected).cwiseAbs().maxCoeff() / scale);
    EXPECT_LT(error, 1e-12);
    worst = std::max(worst, error);
    for (const auto& tendon : model.tendons()) {
      segments += static_cast<int>(tendon.segments.size()), arcs += static_cast<int>(tendon.arcs.size());
      polygons += static_cast<int>(tendon.polygons.size());
    }
    EXPECT_EQ(actuation_coordinates<Wide>(model, data, model.neutral()).size(), model.nu());
    for (const auto& tendon : model.tendons()) {
      EXPECT_LT(std::abs(actuation_coordinates<Wide>(model, data, model.neutral())[tendon.input]), 1e-17L);
    }
  }
  std::cout << "worst relative error " << worst << ", " << segments << " straight stretches, " << arcs << " arcs, "
            << polygons << " polygons\n";
  EXPECT_GT(segments, 200);
  EXPECT_GT(arcs, 30);
  EXPECT_GT(polygons, 12);
}

TEST(ActuationTest, ForceIsTheMatrixTimesTheInputs) {
  for (unsigned seed = 1; seed <= k_seeds; ++seed) {
    SCOPED_TRACE(seed);
    const RandomActuation r = random_actuation(seed);
    const Model model(r.robot);
    Data data(model);
    Random random(seed);
    VectorXd u(model.nu());
    for (double& x : u) x = 3.0 * random.uniform();
    const MatrixXd A = actuation_matrix(model, data, r.state.q);
    const VectorXd expected = A * u;
    EXPECT_LE(size_of(actuation_force(model, data, r.state.q, u) - expected),
              100 * k_eps * size_of(A.cwiseAbs() * u.cwiseAbs()));
    EXPECT_EQ(actuation_matrix(model, data, r.state.q), A);  // nothing of an earlier call is left

    const ModelT<Wide> wide(r.robot.cast<Wide>());
    DataT<Wide> wide_data(wide);
    const WideVector q = r.state.q.cast<Wide>();
    EXPECT_LE(size_of(actuation_matrix<Wide>(wide, wide_data, q).cast<double>() - A), 1000 * k_eps * (1 + size_of(A)));
  }
}

// --- derivatives with respect to parameters

/// Two rods and a plate with every kind of route; each parameter moved by so much.
template <typename S>
RobotT<S> moved_routes(const std::array<S, k_forward_width>& by) {
  RobotT<S> robot = two_rods_and_a_plate().cast<S>();
  auto parameters = dynamic_cast<const RodBodyT<S>&>(*robot.links[0].body).parameters();
  parameters.length += by[0];
  robot.links[0].body = std::make_shared<RodBodyT<S>>(parameters);
  RoutingT<S> along, eyelet, corners, wound;
  along.link = "rod", along.offset = {{S(0.012) + by[1], S(0.004)}}, along.to = S(0.24) + by[2];
  eyelet.link = "plate", eyelet.points = {{S(0.02) + by[3], S(-0.005), S(0.004)}};
  corners.link = "rod2", corners.from = S(0.03),
  corners.offset = {{S(0.01), S(0.0)}, {S(0.002) + by[4], S(-0.006)}, {S(-0.008), S(0.003)}};
  wound.link = "rod";
  wound.helix = typename RoutingT<S>::Helix{S(0.009) + by[5], S(0.7), S(-1.2) + by[6]};
  robot.actuators = {ActuatorT<S>::tendon("through", {along, eyelet, corners}),
                     ActuatorT<S>::tendon("wound", {wound, eyelet}),
                     ActuatorT<S>::chamber("pocket", "rod", {S(0.01), S(-0.004)}, S(2e-4) + by[7])};
  return robot;
}

TEST(ActuationTest, DerivativesByParametersAgreeWithDifferences) {
  std::array<ForwardDual, k_forward_width> variables;
  for (int k = 0; k < k_forward_width; ++k) variables[k] = ForwardDual::variable(0.0, k);
  const ModelT<ForwardDual> model(moved_routes(variables));
  DataT<ForwardDual> data(model);
  VectorXd q(8);
  q << 0.4, -0.6, 0.02, 0.3, -0.2, -0.5, 0.3, 0.01;
  const VectorXT<ForwardDual> moving_q = q.cast<ForwardDual>();
  const MatrixXT<ForwardDual> A = actuation_matrix<ForwardDual>(model, data, moving_q);
  const VectorXT<ForwardDual> y = actuation_coordinates<ForwardDual>(model, data, moving_q);
  for (int k = 0; k < k_forward_width; ++k) {
    const auto both = [&](Wide t) {
      std::array<Wide, k_forward_width> by{};
      by[k] = t;
      const ModelT<Wide> other(moved_routes(by));
      DataT<Wide> other_data(other);
      const WideVector wide_q = q.cast<Wide>();
      MatrixXT<Wide> all(8, 4);
      all.leftCols(3) = actuation_matrix<Wide>(other, other_data, wide_q);
      all.col(3).setZero();
      all.col(3).head(3) = actuation_coordinates<Wide>(other, other_data, wide_q);
      return all;
    };
    const MatrixXT<Wide> slopes = derivative(both, 1e-5L);
    double largest = 0.0;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(A(i, j).derivative[k], static_cast<double>(slopes(i, j)), 1e-11) << k << ": " << i << ", " << j;
        largest = std::max(largest, std::abs(A(i, j).derivative[k]));
      }
      EXPECT_NEAR(y[j].derivative[k], static_cast<double>(slopes(j, 3)), 1e-11) << k << ": y " << j;
    }
    EXPECT_GT(largest, 1e-4) << k;
  }
}

TEST(ActuationTest, SizesAreChecked) {
  Robot robot = one_rod(0.3, "pcc");
  robot.actuators = {Actuator::tendon("t", {parallel("rod", 0.01, 0.0)})};
  const Model model(robot);
  Data data(model);
  EXPECT_THROW(actuation_matrix(model, data, VectorXd::Zero(2)), ArgumentError);
  EXPECT_THROW(actuation_coordinates(model, data, VectorXd::Zero(4)), ArgumentError);
  try {
    actuation_force(model, data, VectorXd::Zero(3), VectorXd::Zero(2));
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "actuation_force: u: found size 2, expected 1 (nu of 'robot')");
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
