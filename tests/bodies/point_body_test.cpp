#include "cuttle/bodies/point_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/spatial/stumpff.h"
#include "support/body_contract.h"

namespace cuttle::test {
namespace {

constexpr double k_pi = 3.14159265358979323846;
constexpr double k_eps = std::numeric_limits<double>::epsilon();

/// [P]'s toy body: bends towards -x by q [rad].
struct ToyBody {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    const T angle = q[0] * x.z;
    const auto c = stumpff<3>(T(angle * angle));
    return {c[0] * x.x - x.z * angle * c[2], x.y, angle * c[1] * x.x + x.z * c[1]};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return k_pi / 8 * q[0] * q[0];
  }
  template <typename T>
  T dissipation(const T*, const T* v) const {
    return k_pi / 8 * v[0] * v[0];
  }
};

/// Three coordinates without a symmetry, and a neo-Hookean material with volume change.
struct Blob {
  static constexpr int coordinate_count = 3;
  std::vector<CoordinateInfo> coordinates() const { return {{"stretch", "m"}, {"twist", "rad"}, {"shear", "m"}}; }
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    using std::cos;
    using std::sin;
    const T angle = q[1] * x.z / 0.3 + 0.4 * q[0] * q[1];
    const T c = cos(angle), s = sin(angle);
    return {c * x.x - s * x.y + q[2] * x.z * x.z / 0.09, s * x.x + c * x.y + 0.5 * q[2] * x.x,
            x.z * (1.0 + q[0] / 0.3) + q[1] * x.x * x.y};
  }
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    using std::log;
    const T I1 = dot(F.row0, F.row0) + dot(F.row1, F.row1) + dot(F.row2, F.row2);
    const T log_J = log(dot(F.row0, cross(F.row1, F.row2)));
    return 4e4 * (I1 - 3.0 - 2.0 * log_J) + 2e4 * log_J * log_J;
  }
};

/// Its points at x = -1 fold from q = 1 on, which the closed forms do not mind.
PointParameters toy_points() {
  PointParameters parameters = point_cylinder(1.0, 1.0, 1.0, 14, 2, 5);
  parameters.allow_folding = true;
  return parameters;
}
PointBody<ToyBody> toy_body() { return PointBody<ToyBody>(toy_points()); }

TEST(PointBodyTest, KeepsTheContract) {
  PointBody<ToyBody> toy = toy_body();
  toy.add_port({PortLocation::Kind::point, 0.0, {0.3, -0.2, 0.6}});
  expect_body_contract(toy, "toy body");

  PointParameters parameters;
  parameters.quadrature = box_quadrature(Vector3{0.1, 0.06, 0.3}, 4, 3, 2);
  parameters.density = 1050.0;
  parameters.tip_origin = {0.01, 0.0, 0.3}, parameters.tip_a = {0.05, 0.01, 0.29}, parameters.tip_b = {0.0, 0.03, 0.3};
  PointBody<Blob> blob(parameters);
  blob.add_port({PortLocation::Kind::point, 0.0, {0.03, -0.02, 0.2}});
  blob.add_port({PortLocation::Kind::point, 0.0, {0.0, 0.0, 0.0}});
  BodyContractOptions options;
  options.samples = 3;
  options.coordinates = {0.05, 0.5, 0.03};
  expect_body_contract(blob, "blob", options);
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
TEST(PointBodyTest, ToyBodyHasTheClosedForms) {
  const PointBody<ToyBody> toy = toy_body();
  for (const double q : {-3.0, -0.8, 0.5, 1.7, 3.1}) {
    SCOPED_TRACE(q);
    const double v = 0.7, c = std::cos(q), s = std::sin(q), q2 = q * q, q4 = q2 * q2;
    const double tolerance = 100 * k_eps * std::max(1.0, std::pow(std::abs(q), -6));  // powers of 1/q cancel
    const Terms t = terms_of(toy, q, v, -1.3);
    EXPECT_NEAR(t.M, k_pi * (1.0 / 12 + 1 / (3 * q2) + (2 + 2 * c) / q4 - 4 * s / (q4 * q)), tolerance);
    EXPECT_NEAR(t.c, k_pi / 2 * v * v * (-2 / (3 * q2 * q) - 2 * s / q4 - (8 + 12 * c) / (q4 * q) + 20 * s / (q4 * q2)),
                tolerance);
    EXPECT_NEAR(t.elastic, k_pi / 4 * q, 10 * k_eps);
    EXPECT_NEAR(t.damping, k_pi / 4 * v, 10 * k_eps);
    EXPECT_NEAR(t.stiffness, k_pi / 4, 10 * k_eps);
    EXPECT_NEAR(t.tip.position.x, -(1 - c) / q, 10 * k_eps);
    EXPECT_NEAR(t.tip.position.z, s / q, 10 * k_eps);
    EXPECT_NEAR(t.tip.rotation(0, 0), c, 10 * k_eps);
    EXPECT_NEAR(t.tip.rotation(2, 0), s, 10 * k_eps);
  }
  EXPECT_NEAR(terms_of(toy, 0.0, 1.0, 0.0).M, k_pi * (1.0 / 12 + 1.0 / 20), 20 * k_eps);
  EXPECT_NEAR(terms_of(toy, 0.0, 1.0, 0.0).c, 0.0, 20 * k_eps);
}

// The rod bends towards +x: the same body turned by pi about z.
TEST(PointBodyTest, ToyBodyIsTheRod) {
  RodParameters p;
  p.length = 1.0, p.section.radius = 1.0, p.sections = 14;
  p.material = {.density = 1.0, .young_modulus = 1.0, .damping_time = 1.0};
  p.strain = strain_shorthand<double>("planar_cc", p.length);
  const RodBody rod(p);
  const PointBody<ToyBody> toy = toy_body();
  const double tolerance = 300 * k_eps;
  for (const double q : {-2.9, -0.4, -1e-8, 0.0, 1e-5, 1.3, 3.1}) {
    SCOPED_TRACE(q);
    const Terms a = terms_of(toy, q, 0.7, -1.3), b = terms_of(rod, -q, -0.7, 1.3);
    EXPECT_NEAR(a.M, b.M, tolerance);
    EXPECT_NEAR(a.c, -b.c, tolerance);
    EXPECT_NEAR(a.elastic, -b.elastic, tolerance);
    EXPECT_NEAR(a.damping, -b.damping, tolerance);
    EXPECT_NEAR(a.stiffness, b.stiffness, tolerance);
    EXPECT_NEAR(a.energy, b.energy, tolerance);
    EXPECT_NEAR(a.kinetic, b.kinetic, tolerance);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(a.base[i], b.base[i], tolerance) << i;
      EXPECT_NEAR(a.tip_velocity[i], b.tip_velocity[i], tolerance) << i;
      EXPECT_NEAR(a.tip_acceleration[i], b.tip_acceleration[i], tolerance) << i;
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(a.moment[i], b.moment[i], tolerance);
      EXPECT_NEAR(a.tip.position[i], b.tip.position[i], tolerance);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.tip.rotation(i, j), b.tip.rotation(i, j), tolerance);
    }
  }
}

TEST(PointBodyTest, ParametersAreDifferentiated) {
  using G = Gradient;
  const PointBodyT<G, ToyBody> toy(
      point_cylinder<G>(G(1.0), G::variable(1.0, 0), G::variable(1.0, 1), 6, 2, 5));
  const SpatialInertiaT<G> inertia = toy.rest_inertia();
  EXPECT_NEAR(inertia.mass.derivative[0], 2 * k_pi, 50 * k_eps);  // pi r^2 L rho
  EXPECT_NEAR(inertia.mass.derivative[1], k_pi, 50 * k_eps);
  EXPECT_NEAR(inertia.rotation.zz.derivative[0], 2 * k_pi, 50 * k_eps);  // pi r^4 / 2
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
  EXPECT_NE(text([] { toy_body().add_port(PortLocation::section(0.2)); }).find("no cross-sections"), std::string::npos);
}

}  // namespace
}  // namespace cuttle::test
