#include "cuttle/bodies/point_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/toy_bodies.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// One body through one door, and how closely its terms are right.
struct Door {
  std::string name;
  std::shared_ptr<Body> body;
  double accuracy;
};
std::vector<Door> toy_doors() {
  return {{"positions alone", std::make_shared<PointBody<ToyBody>>(toy_points()), 1e-13},
          {"derivatives by hand", std::make_shared<PointBody<ToyBodyByHand>>(toy_points()), 1e-13},
          {"function", std::make_shared<FunctionBody>(toy_function()), 1e-8}};
}
std::vector<Door> blob_doors() {
  return {{"positions alone", std::make_shared<PointBody<Blob>>(blob_points()), 1e-12},
          {"derivatives by hand", std::make_shared<PointBody<BlobByHand>>(blob_points()), 1e-12},
          {"function", std::make_shared<FunctionBody>(blob_function()), 1e-8}};
}
BodyContractOptions blob_options() {
  BodyContractOptions options;
  options.samples = 3;
  options.coordinates = {0.05, 0.5, 0.03};
  return options;
}

TEST(PointBodyTest, KeepsTheContractThroughEveryDoor) {
  for (const Door& door : toy_doors()) {
    BodyContractOptions options;
    options.tolerance = std::max(options.tolerance, door.accuracy);
    door.body->add_port({PortLocation::Kind::point, 0.0, {0.3, -0.2, 0.6}});
    expect_body_contract(*door.body, "toy body, " + door.name, options);
  }
  for (const Door& door : blob_doors()) {
    BodyContractOptions options = blob_options();
    options.tolerance = std::max(options.tolerance, door.accuracy);
    if (door.name != "derivatives by hand") {
      door.body->add_port({PortLocation::Kind::point, 0.0, {0.03, -0.02, 0.2}});
      door.body->add_port({PortLocation::Kind::point, 0.0, {0.0, 0.0, 0.0}});
    }
    expect_body_contract(*door.body, "blob, " + door.name, options);
  }
}

/// Force, inertia and base wrench of one link on a fixed base.
struct Terms {
  double M, c, elastic, damping, stiffness, energy, kinetic;
  Wrench base;
  Vector3 moment;
  Pose tip;
  Twist tip_velocity, tip_acceleration;
};
Terms terms_of(const Body& body, double q, double v, double a) {
  contract::State<double> state;
  state.q = Eigen::VectorXd::Constant(1, q), state.v = Eigen::VectorXd::Constant(1, v);
  state.a = Eigen::VectorXd::Zero(1);
  const auto at_rest = contract::evaluate(body, state);
  state.a[0] = a;
  const auto moving = contract::evaluate(body, state);
  Terms t{};
  t.M = moving.mass(0, 0), t.c = at_rest.force[0], t.kinetic = moving.kinetic_energy;
  body.add_elastic_force(&q, &t.elastic);
  body.add_damping_force(&q, &v, &t.damping);
  body.stiffness_matrix(&q, &t.stiffness);
  t.energy = body.elastic_energy(&q);
  for (int i = 0; i < 6; ++i) t.base[i] = moving.base_wrench[i];
  t.moment = moving.moment;
  t.tip = moving.ports[0].base_port;
  t.tip_velocity = moving.ports[0].velocity, t.tip_acceleration = moving.ports[0].acceleration;
  return t;
}

// [P]'s toy example with the corrections of docs/errata.md.
void expect_closed_forms(const Body& toy, double q, double accuracy) {
  const double v = 0.7, c = std::cos(q), s = std::sin(q), q2 = q * q, q4 = q2 * q2;
  const double cancellation = accuracy * std::max(1.0, std::pow(std::abs(q), -6));  // powers of 1/q cancel
  const Terms t = terms_of(toy, q, v, -1.3);
  EXPECT_NEAR(t.M, std::numbers::pi * (1.0 / 12 + 1 / (3 * q2) + (2 + 2 * c) / q4 - 4 * s / (q4 * q)), cancellation);
  EXPECT_NEAR(
      t.c,
      std::numbers::pi / 2 * v * v * (-2 / (3 * q2 * q) - 2 * s / q4 - (8 + 12 * c) / (q4 * q) + 20 * s / (q4 * q2)),
      cancellation);
  EXPECT_NEAR(t.elastic, std::numbers::pi / 4 * q, accuracy);
  EXPECT_NEAR(t.damping, std::numbers::pi / 4 * v, accuracy);
  EXPECT_NEAR(t.stiffness, std::numbers::pi / 4, accuracy);
  EXPECT_NEAR(t.tip.position.x, -(1 - c) / q, accuracy);
  EXPECT_NEAR(t.tip.position.z, s / q, accuracy);
  EXPECT_NEAR(t.tip.rotation(0, 0), c, accuracy);
  EXPECT_NEAR(t.tip.rotation(2, 0), s, accuracy);
}
TEST(PointBodyTest, ToyBodyHasTheClosedFormsThroughEveryDoor) {
  for (const Door& door : toy_doors()) {
    for (const double q : {-3.0, -0.8, 0.5, 1.7, 3.1}) {
      SCOPED_TRACE(door.name + " at q = " + std::to_string(q));
      expect_closed_forms(*door.body, q, door.accuracy);
    }
    EXPECT_NEAR(terms_of(*door.body, 0.0, 1.0, 0.0).M, std::numbers::pi * (1.0 / 12 + 1.0 / 20), door.accuracy)
        << door.name;
    EXPECT_NEAR(terms_of(*door.body, 0.0, 1.0, 0.0).c, 0.0, door.accuracy) << door.name;
  }
}

// The rod bends towards +x: the same body turned by pi about z.
void expect_rod(const Body& toy, const Body& rod, double q, double accuracy) {
  const Terms a = terms_of(toy, q, 0.7, -1.3), b = terms_of(rod, -q, -0.7, 1.3);
  EXPECT_NEAR(a.M, b.M, accuracy);
  EXPECT_NEAR(a.c, -b.c, accuracy);
  EXPECT_NEAR(a.elastic, -b.elastic, accuracy);
  EXPECT_NEAR(a.damping, -b.damping, accuracy);
  EXPECT_NEAR(a.stiffness, b.stiffness, accuracy);
  EXPECT_NEAR(a.energy, b.energy, accuracy);
  EXPECT_NEAR(a.kinetic, b.kinetic, accuracy);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(a.base[i], b.base[i], accuracy) << i;
    EXPECT_NEAR(a.tip_velocity[i], b.tip_velocity[i], accuracy) << i;
    EXPECT_NEAR(a.tip_acceleration[i], b.tip_acceleration[i], accuracy) << i;
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(a.moment[i], b.moment[i], accuracy);
    EXPECT_NEAR(a.tip.position[i], b.tip.position[i], accuracy);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.tip.rotation(i, j), b.tip.rotation(i, j), accuracy);
  }
}
TEST(PointBodyTest, ToyBodyIsTheRodThroughEveryDoor) {
  RodParameters p;
  p.length = 1.0, p.section.radius = 1.0, p.quadrature_points = 14;
  p.material = {.density = 1.0, .young_modulus = 1.0, .damping_time = 1.0};
  p.strain = strain_shorthand<double>("planar_cc", p.length);
  const RodBody rod(p);
  for (const Door& door : toy_doors()) {
    for (const double q : {-2.9, -0.4, -1e-8, 0.0, 1e-5, 1.3, 3.1}) {
      SCOPED_TRACE(door.name + " at q = " + std::to_string(q));
      expect_rod(*door.body, rod, q, door.accuracy);
    }
  }
}

// Every term of a body without symmetry, at states of size one, relative to its size.
TEST(PointBodyTest, EveryDoorLeadsToTheSameBody) {
  for (const std::vector<Door>& doors : {toy_doors(), blob_doors()}) {
    const Body& exact = *doors[0].body;
    const int n = exact.coordinate_count();
    const BodyContractOptions options = n == 1 ? BodyContractOptions{} : blob_options();
    contract::Numbers numbers(3);
    for (int sample = 0; sample < 3; ++sample) {
      const auto state = contract::random_state(exact, options, numbers);
      for (const Door& door : doors) {
        contract::Findings findings;
        contract::check_same(findings, contract::evaluate(*door.body, state), contract::evaluate(exact, state),
                             door.accuracy, door.name);
        if (door.body->elastic_energy(state.q.data()) > 0.0) {
          Eigen::MatrixXd K(n, n), D = K, exact_K = K, exact_D = K;
          door.body->stiffness_matrix(state.q.data(), K.data());
          exact.stiffness_matrix(state.q.data(), exact_K.data());
          door.body->damping_matrix(state.q.data(), state.v.data(), D.data());
          exact.damping_matrix(state.q.data(), state.v.data(), exact_D.data());
          findings.near(K, exact_K, door.accuracy, contract::size_of(exact_K), "stiffness");
          findings.near(D, exact_D, door.accuracy, contract::size_of(exact_D), "damping");
        }
        for (const std::string& text : findings.texts()) ADD_FAILURE() << text;
      }
    }
  }
}

TEST(PointBodyTest, ParametersAreDifferentiated) {
  using G = ForwardDual;
  const PointBodyT<G, ToyBody> toy(point_cylinder<G>(G(1.0), G::variable(1.0, 0), G::variable(1.0, 1), 6, 2, 5));
  const SpatialInertiaT<G> inertia = toy.rest_inertia();
  EXPECT_NEAR(inertia.mass.derivative[0], 2 * std::numbers::pi, 50 * k_eps);  // pi r^2 L rho
  EXPECT_NEAR(inertia.mass.derivative[1], std::numbers::pi, 50 * k_eps);
  EXPECT_NEAR(inertia.rotation.zz.derivative[0], 2 * std::numbers::pi, 50 * k_eps);  // pi r^4 / 2
}

TEST(PointBodyTest, ErrorsSayWhatWasFound) {
  const auto text = [](const auto& make) {
    try {
      make();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(text([] { PointBody<ToyBody>(point_cylinder(1.0, 1.0, -2.0, 2, 1, 3)); }),
            "density: found -2, expected a number > 0 [kg/m^3]");
  EXPECT_EQ(text([] { point_cylinder(-1.0, 1.0, 2.0, 2, 1, 3); }), "length: found -1, expected a number > 0 [m]");
  EXPECT_EQ(text([] { point_cylinder(1.0, 1.0, 2.0, 0, 1, 3); }),
            "points.nz: found 0, expected an integer from 1 to 1000");
  EXPECT_EQ(text([] { PointBody<ToyBody>(PointParameters{}); }),
            "quadrature: found 0 points and 0 weights, expected as many of both, one or more");
  EXPECT_NE(
      text([] { PointBody<ToyBody>(toy_points()).add_port(PortLocation::section(0.2)); }).find("no cross-sections"),
      std::string::npos);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
