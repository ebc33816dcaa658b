// Friction of tendons: against closed forms along a circle, at a corner and around a loop of sliding, the account of
// energy, and differences.
#include "cuttle/elements/tendon_friction.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/elements/length_drive.h"
#include "cuttle/error.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/simulation/robot_system.h"
#include "cuttle/simulation/simulator.h"
#include "simulation/simulation_robots.h"
#include "support/random_state.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr double k_mu = 0.35;
const TendonFriction k_friction{.coefficient = k_mu};

Routing along(double x, double y) {
  Routing entry;
  entry.link = "rod", entry.offset = {{x, y}};
  return entry;
}
Routing through(const std::string& link, std::vector<Vector3> points) {
  Routing entry;
  entry.link = link, entry.points = std::move(points);
  return entry;
}

/// A rod with a tendon along all of it. Curvature about y is a sum of four Legendre polynomials.
Robot rod(const TendonFriction& friction = k_friction) {
  RodParameters p;
  p.length = 0.3;
  p.section.radius = Profile(std::vector<double>{0.02, 0.012});
  p.material.density = 1070, p.material.young_modulus = 3e5;
  p.quadrature_points = 5;
  p.strain = strain_shorthand<double>("pcs", p.length);
  p.strain[kappa_y] = StrainBasis::of_order(StrainBasis::Kind::legendre, 3);
  Robot robot;
  robot.gravity = {0, 0, 0};
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  robot.actuators.push_back(Actuator::tendon("cable", {along(0.012, 0.0)}));
  robot.elements.push_back(make_tendon_friction<double>("friction", {"cable"}, friction));
  return robot;
}
/// From the ground over a corner of an arm, round another and along a rod on it, over a helix.
Robot arm(const TendonFriction& friction, bool by_length) {
  Robot robot;
  robot.links.push_back({.name = "arm",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .joint_dynamics = {{3.0}, {0.05}, {}, {}},
                         .body = test::rigid_body(0.4, {0.05, 0.01, 0.1}, {2e-3, 2e-3, 1e-3}, {0, 0, 0.2})});
  robot.links.push_back({.name = "rod", .body = test::rod_body(0.3, 0.02, "pcs", 0.05)});
  Routing wound;
  wound.link = "rod", wound.helix = Routing::Helix{0.012, 0.4, 0.6};
  const std::vector<Routing> routing{through("base", {{0.05, 0.0, -0.05}}),
                                     through("arm", {{0.03, 0.005, 0.1}, {-0.01, 0.02, 0.15}}), wound};
  robot.actuators.push_back(by_length ? make_length_driven_tendon<double>("cable", routing, {.stiffness = 3e3})
                                      : Actuator::tendon("cable", routing));
  robot.elements.push_back(make_tendon_friction<double>("friction", {"cable"}, friction));
  return robot;
}

/// Efforts of all elements as a generalized force.
VectorXd element_force(const Model& model, const VectorXd& q, const VectorXd& v, const VectorXd& u,
                       ElementData& elements) {
  Data data(model);
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.0, u, elements);
  element_outputs<double>(model, 0.0, u, elements);
  return elements.matrix * elements.efforts;
}

// In a circle of curvature kappa the tension is T exp(-mu kappa s): what it does to each coordinate is the integral of
// its moment, or of its pull along the axis, by Simpson's rule.
TEST(TendonFriction, FallsExponentiallyAlongACircle) {
  const double kappa = 6.0, tension = 11.0, offset = 0.012, length = 0.3;
  for (const auto& [sliding, sign] :
       {std::pair{Sliding::pulled, -1.0}, {Sliding::released, 1.0}, {Sliding::none, 0.0}}) {
    const Model model(rod({.coefficient = k_mu, .sliding = sliding}));
    VectorXd q = VectorXd::Zero(model.nv());
    int bend = -1, stretch = -1;
    const std::vector<CoordinateInfo> coordinates = model.robot().links[0].body->coordinates();
    for (int k = model.nv() - 1; k >= 0; --k) {
      const std::string& name = coordinates[static_cast<std::size_t>(k)].name;
      if (name.find("kappa_y") != std::string::npos) bend = k;
      if (name.find("sigma_z") != std::string::npos) stretch = k;
    }
    ASSERT_TRUE(bend >= 0 && stretch >= 0);
    const SlenderT<double>& line = *model.robot().links[0].body->slender();
    std::vector<Twist> shape(static_cast<std::size_t>(model.nv()));
    Twist rest;
    line.strain_map(0.1, rest, shape.data());
    q[bend] = kappa / shape[static_cast<std::size_t>(bend)].angular.y;  // the first polynomial is constant
    ElementData elements(model);
    Data data(model);
    const VectorXd u = VectorXd::Constant(1, tension), still = VectorXd::Zero(model.nv());
    const VectorXd force = element_force(model, q, still, u, elements) + actuation_force<double>(model, data, q, u);
    EXPECT_NEAR(elements.outputs[0], tension * std::exp(sign * k_mu * kappa * length), 1e-12 * tension);
    const auto integral = [&, sense = sign](const auto& factor) {
      constexpr int n = 2000;
      double sum = 0.0;
      for (int i = 0; i <= n; ++i) {
        const double x = static_cast<double>(i) / n, weight = i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        line.strain_map(length * x, rest, shape.data());
        sum += weight * length / (3.0 * n) * tension * std::exp(sense * k_mu * kappa * length * x) * factor();
      }
      return sum;
    };
    for (int k = bend; k < bend + 4; ++k) {
      const double expected = integral([&] { return offset * shape[static_cast<std::size_t>(k)].angular.y; });
      EXPECT_NEAR(force[k], expected, 1e-10 * tension * offset) << k;
    }
    const double expected = integral([&] { return -shape[static_cast<std::size_t>(stretch)].linear.z; });
    EXPECT_NEAR(force[stretch], expected, 1e-10 * tension);
  }
}

// Statics of a rod that can only be a circle: E I kappa L = offset * integral of T exp(-mu kappa s), solved by
// bisection.
TEST(TendonFriction, CircleInEquilibriumIsTheClosedForm) {
  RodParameters p;
  p.length = 0.3, p.quadrature_points = 4;
  p.section.radius = Profile(0.01);
  p.material.density = 1070, p.material.young_modulus = 3e5;
  p.strain = strain_shorthand<double>("planar_cc", p.length);
  Robot robot = rod();
  robot.links[0].body = std::make_shared<RodBody>(p);
  const Model model(robot);
  Data data(model);
  StaticLoads loads;
  const double tension = 2.0, stiffness = 3e5 * M_PI * 1e-8 / 4.0;
  loads.u = VectorXd::Constant(1, tension);
  const double found = static_equilibrium(model, data, loads, model.neutral()).q[0] / 0.3;  // q is the angle
  double low = 0.1, high = 50.0;
  for (int i = 0; i < 100; ++i) {
    const double kappa = 0.5 * (low + high), g = k_mu * kappa * 0.3;
    (stiffness * kappa < 0.012 * tension * (1.0 - std::exp(-g)) / g ? low : high) = kappa;
  }
  EXPECT_GT(low, 3.0);
  EXPECT_NEAR(found, low, 1e-8 * low);
}

// Over an eyelet the tendon turns by the angle between its two parts.
TEST(TendonFriction, TurnsAtACorner) {
  Robot robot;
  robot.gravity = {0, 0, 0};
  robot.links.push_back({.name = "hand",
                         .joint = make_prismatic_joint<double>({0, 0, 1}),
                         .body = test::rigid_body(0.4, {0, 0, 0}, {2e-3, 2e-3, 1e-3}, {0, 0, 0})});
  robot.actuators.push_back(
      Actuator::tendon("cable", {through("base", {{-0.4, 0, 0}, {0, 0, 0}}), through("hand", {{0.3, 0, 0.4}})}));
  robot.elements.push_back(make_tendon_friction<double>("friction", {"cable"}, k_friction));
  const Model model(robot);
  ElementData elements(model);
  for (const double q : {0.0, -0.2, -0.4, -0.4001, 0.5}) {
    const double z = 0.4 + q, angle = std::abs(std::atan2(z, 0.3)), length = std::hypot(z, 0.3);
    const double e = std::exp(-k_mu * angle);
    const VectorXd u = VectorXd::Constant(1, 5.0);
    const VectorXd force = element_force(model, VectorXd::Constant(1, q), VectorXd::Zero(1), u, elements);
    const double rounding = angle < 1e-3 ? 1e-3 : 1e-12;
    EXPECT_NEAR(elements.outputs[0], 5.0 * e, 5.0 * rounding) << q;
    EXPECT_NEAR(force[0], -5.0 * (e - 1.0) * z / length, 5.0 * rounding) << q;
  }
  // and pulled at the other end: the same angle
  robot.elements[0] =
      make_tendon_friction<double>("friction", {"cable"}, {.coefficient = k_mu, .pulled_at = PulledEnd::last});
  const Model reversed(robot);
  ElementData other(reversed);
  element_force(reversed, VectorXd::Zero(1), VectorXd::Zero(1), VectorXd::Constant(1, 5.0), other);
  // behind the corner lies nothing that moves: nothing slides there
  EXPECT_EQ(other.outputs[0], 5.0);
}

// A helix is the same on one rod and on two: where the second begins the tendon does not turn.
TEST(TendonFriction, GoesOnFromRodToRod) {
  constexpr double k_length = 0.24, k_radius = 0.008, k_rate = 2.0 * M_PI / k_length;
  for (const int count : {1, 2, 3}) {
    Robot robot;
    std::vector<Routing> routing;
    for (int i = 0; i < count; ++i) {
      RodParameters p;
      p.length = k_length / count;
      p.section.radius = Profile(0.01);
      p.material.density = 1070, p.material.young_modulus = 3e5;
      p.strain = strain_shorthand<double>("pcs", p.length);
      const std::string name = "rod" + std::to_string(i);
      robot.links.push_back({.name = name, .body = std::make_shared<RodBody>(p)});
      Routing along;
      along.link = name, along.helix = Routing::Helix{k_radius, 2.0 * M_PI * i / count, 1.0 / count};
      routing.push_back(along);
    }
    robot.actuators.push_back(Actuator::tendon("cable", routing));
    robot.elements.push_back(make_tendon_friction<double>("friction", {"cable"}, k_friction));
    const Model model(robot);
    ElementData elements(model);
    element_force(model, model.neutral(), VectorXd::Zero(model.nv()), VectorXd::Constant(1, 5.0), elements);
    const double turn = k_length * k_radius * k_rate * k_rate / std::hypot(1.0, k_radius * k_rate);
    // each of the joints between counts as straighter by what rounds its corner
    EXPECT_NEAR(elements.outputs[0], 5.0 * std::exp(-k_mu * turn), 5.0 * (1e-5 + 1e-3 * (count - 1))) << count;
  }
}

// Straight to a slanted way along a rod that bends, twists, shears and stretches, over another rod fixed to it, and
// straight on to a hand: corners between directions that differences of places tell.
TEST(TendonFriction, TurnsWhereItEntersAndLeavesRodsThatTwist) {
  constexpr double k_length = 0.12, k_h = 1e-4;
  RodParameters p;
  p.length = k_length;
  p.section.radius = Profile(0.01);
  p.material.density = 1070, p.material.young_modulus = 3e5;
  p.strain = strain_shorthand<double>("pcs", p.length);
  Routing along;
  along.link = "rod", along.offset = {{0.008, 0.001}, {-0.002, 0.006}};
  Routing back = along;
  back.link = "next", back.offset = {{-0.002, 0.006}, {0.007, -0.003}};
  const auto offset_at = [](const Routing& its, double x) {
    return Vector3{its.offset[0][0] + x * (its.offset[1][0] - its.offset[0][0]),
                   its.offset[0][1] + x * (its.offset[1][1] - its.offset[0][1]), 0.0};
  };
  const Vector3 ground{0.03, -0.02, -0.1}, hook{0.02, 0.01, 0.05};
  Robot robot;
  robot.gravity = {0, 0, 0};
  robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
  robot.links.push_back({.name = "next", .body = std::make_shared<RodBody>(p)});
  robot.links.push_back({.name = "hand",
                         .joint = make_revolute_joint<double>({0, 1, 0}),
                         .body = test::rigid_body(0.4, {0, 0, 0}, {2e-3, 2e-3, 1e-3}, {0, 0, 0})});
  // the way beside both ends of each rod
  for (const Routing* its : {&along, &back}) {
    for (int i = 0; i < 4; ++i) {
      for (const bool end : {false, true}) {
        const double s = end ? k_length - i * k_h : i * k_h;
        robot.markers.push_back(
            {its->link + (end ? "e" : "s") + std::to_string(i),
             {its->link, PortLocation::section(s), {Matrix3::identity(), offset_at(*its, s / k_length)}}});
      }
    }
  }
  const auto tension = [&](const std::vector<Routing>& routing, const VectorXd& q) {
    Robot its = robot;
    its.actuators = {Actuator::tendon("cable", routing)};
    its.elements = {make_tendon_friction<double>("friction", {"cable"}, k_friction)};
    const Model model(its);
    ElementData elements(model);
    element_force(model, q, VectorXd::Zero(model.nv()), VectorXd::Constant(1, 1.0), elements);
    return elements.outputs[0];
  };
  const Model model(robot);
  Data data(model);
  test::Random random(7);
  for (int trial = 0; trial < 5; ++trial) {
    VectorXd q(model.nq());
    for (double& x : q) x = 0.3 * random.uniform();
    q.head(3) *= 20.0, q.segment(6, 3) *= 20.0;
    const auto& kinematics = forward_kinematics<double>(model, data, q);
    const auto place = [&](const std::string& name) { return kinematics.pose(model.marker_frame(name)).position; };
    const auto direction = [&](const std::string& which) {  // differences of order three
      const Vector3 a = place(which + "0"), b = place(which + "1"), c = place(which + "2"), d = place(which + "3");
      const Vector3 way = (-11.0 / 6.0) * a + 3.0 * b - 1.5 * c + (1.0 / 3.0) * d;
      return (which.back() == 'e' ? -1.0 : 1.0) / norm(way) * way;
    };
    const auto angle = [](const Vector3& a, const Vector3& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); };
    const Pose hand = kinematics.pose(model.links()[2].base);
    const double corners = angle(place("rods0") - ground, direction("rods")) +
                           angle(direction("rode"), direction("nexts")) +
                           angle(direction("nexte"), hand.rotation * hook + hand.position - place("nexte0"));
    const std::vector<Routing> whole{through("base", {ground}), along, back, through("hand", {hook})};
    const double rods = tension({along}, q) * tension({back}, q);
    EXPECT_NEAR(tension(whole, q) / (rods * std::exp(-k_mu * corners)), 1.0, 1e-7) << corners;
  }
}

// Pulled along and back, the tension at the corner of a sliding tendon makes a loop, whose area is what is dissipated.
TEST(TendonFriction, LoopOfSlidingEnclosesWhatIsDissipated) {
  const Model model(rod({.coefficient = k_mu, .sliding = Sliding::none, .range = 1e-4}));
  ElementData elements(model);
  const VectorXd u = VectorXd::Constant(1, 8.0);
  constexpr int count = 2000;
  test::Random random(11);
  const VectorXd center = 0.3 * test::random_state(model, random).q, way = test::random_state(model, random).v;
  double enclosed = 0.0, lost = 0.0;
  for (int i = 0; i < count; ++i) {
    const double phase = 2.0 * M_PI * (i + 0.5) / count;
    const VectorXd q = center + 0.05 * std::sin(phase) * way, v = 0.05 * std::cos(phase) * way;
    const VectorXd force = element_force(model, q, v, u, elements);
    enclosed -= force.dot(v) * (2.0 * M_PI / count), lost += elements.lost_power * (2.0 * M_PI / count);
    EXPECT_GE(elements.lost_power, 0.0);
    EXPECT_EQ(elements.input_power, 0.0);
  }
  EXPECT_GT(lost, 1e-3);
  EXPECT_NEAR(enclosed, lost, 1e-12 * lost);
}

TEST(TendonFriction, TakesPowerInAnyMotion) {
  for (const bool by_length : {false, true}) {
    for (const PulledEnd end : {PulledEnd::first, PulledEnd::last}) {
      const Model model(
          arm({.coefficient = 0.5, .sliding = Sliding::none, .range = 0.02, .pulled_at = end}, by_length));
      ElementData elements(model);
      test::Random random(7);
      for (int i = 0; i < 200; ++i) {
        const auto state = test::random_state(model, random);
        const VectorXd q = 0.3 * state.q, v = (i % 2 == 0 ? 1.0 : 0.02) * state.v;
        Data data(model);
        const double y = actuation_coordinates<double>(model, data, q)[0];
        const VectorXd u = VectorXd::Constant(1, by_length ? y + 0.003 : 9.0);
        const VectorXd force = element_force(model, q, v, u, elements);
        EXPECT_GE(elements.lost_power, 0.0) << i;
        // all that acts on the robot is what is put in less what is lost
        EXPECT_NEAR(force.dot(v), elements.input_power - elements.lost_power, 1e-12 * (1.0 + std::abs(force.dot(v))));
      }
    }
  }
}

TEST(TendonFriction, WithoutACoefficientThereIsNone) {
  const Model model(rod({.coefficient = 0.0}));
  EXPECT_TRUE(model.elements().empty());
  EXPECT_EQ(model.element_transmissions().count(), 0);
}

// The account closes in runs of all kinds of methods, through changes of direction.
TEST(TendonFriction, AccountOfEnergyCloses) {
  for (const bool by_length : {false, true}) {
    const Model model(arm({.coefficient = k_mu, .range = 5e-3}, by_length));
    Scenario s;
    s.duration = 0.4, s.output_step = 0.05;
    s.inputs = {{"cable", by_length ? Signal::sine(0.004, 2.5, 0.0, 0.006) : Signal::sine(4.0, 2.5, 0.0, 6.0)}};
    for (const char* type : {"bdf", "generalized_alpha"}) {
      s.integrator = {.type = type, .relative_tolerance = 1e-9, .absolute_tolerance = 1e-11};
      MemoryRecorder found;
      const Outcome outcome = Simulator(model, s).run({&found});
      ASSERT_EQ(outcome.status, RunStatus::complete) << type << ": " << outcome.message;
      EXPECT_LT(outcome.energy_error, (type[0] == 'b' ? 1e-5 : 0.02) * (outcome.peak_kinetic + 0.01)) << type;
    }
  }
}

// Of the residual, sliding each way, within the rounding, at rest: by central differences.
TEST(TendonFriction, ResidualHasItsDerivatives) {
  for (const bool by_length : {false, true}) {
    const Model model(arm({.coefficient = k_mu, .sliding = Sliding::none, .range = 0.5}, by_length));
    Data data(model);
    RobotSystem system(model, {});
    test::Random random(5);
    for (const double speed : {0.0, 0.3, -0.3, 3.0}) {
      const auto state = test::random_state(model, random);
      const VectorXd q = 0.2 * state.q, v = speed * state.v, start = start_of_auxiliary(model);
      const double y = actuation_coordinates<double>(model, data, q)[0];
      system.held_inputs() = VectorXd::Constant(1, by_length ? y + 0.01 : 20.0);
      const DerivativeData& d = system.residual_derivatives(0.0, q, v, state.a, {start}, VectorXd());
      const MatrixXd by_q = d.by_q, by_v = d.by_v;
      VectorXd low(model.nv()), high(model.nv()), rate(start.size());
      const double h = 1e-6;
      for (int k = 0; k < model.nv(); ++k) {
        const VectorXd e = h * VectorXd::Unit(model.nv(), k);
        system.residual(0.0, q - e, v, state.a, {start}, low, rate);
        system.residual(0.0, q + e, v, state.a, {start}, high, rate);
        EXPECT_LT(((high - low) / (2.0 * h) - by_q.col(k)).norm(), 2e-6 * by_q.norm()) << speed << ", " << k;
        system.residual(0.0, q, v - e, state.a, {start}, low, rate);
        system.residual(0.0, q, v + e, state.a, {start}, high, rate);
        EXPECT_LT(((high - low) / (2.0 * h) - by_v.col(k)).norm(), 2e-6 * (by_v.norm() + 1.0)) << speed << ", " << k;
      }
    }
  }
}

// Statics: the rest under a pulled tendon follows the coefficient as the derivative by it says.
TEST(TendonFriction, EffortsHaveDerivativesByTheCoefficient) {
  const auto force_at = [](double mu) {
    const Model model(arm({.coefficient = mu}, false));
    ElementData elements(model);
    test::Random random(9);
    const VectorXd q = 0.3 * test::random_state(model, random).q;
    return element_force(model, q, VectorXd::Zero(model.nv()), VectorXd::Constant(1, 6.0), elements);
  };
  for (const double mu : {0.0, 0.2}) {
    ForwardDual varied(mu);
    varied.derivative[0] = 1.0;
    RobotT<ForwardDual> robot = arm({.coefficient = mu}, false).cast<ForwardDual>();
    robot.elements[0] = make_tendon_friction<ForwardDual>("friction", {"cable"}, {.coefficient = varied});
    const ModelT<ForwardDual> model(robot);
    ASSERT_EQ(model.elements().size(), 1u);
    const Model values(arm({.coefficient = mu}, false));
    test::Random random(9);
    const VectorXT<ForwardDual> q = (0.3 * test::random_state(values, random).q).cast<ForwardDual>();
    DataT<ForwardDual> data(model);
    ElementDataT<ForwardDual> elements(model);
    const VectorXT<ForwardDual> u = VectorXT<ForwardDual>::Constant(1, ForwardDual(6.0));
    element_motion<ForwardDual>(model, data, q, VectorXT<ForwardDual>::Zero(model.nv()), elements);
    element_efforts<ForwardDual>(model, 0.0, u, elements);
    const double h = 1e-5;
    const VectorXd up = force_at(mu + h), middle = mu > 0.0 ? force_at(mu) : VectorXd::Zero(model.nv());
    const VectorXd further = force_at(mu + 2.0 * h);
    for (int i = 0; i < model.nv(); ++i) {
      double slope = 0.0;
      for (Eigen::Index k = 0; k < elements.efforts.size(); ++k) {
        const ForwardDual part = elements.matrix(i, k) * elements.efforts[k];
        slope += part.derivative[0];
      }
      const double difference = (4.0 * up[i] - 3.0 * middle[i] - further[i]) / (2.0 * h);  // second order, one side
      EXPECT_NEAR(slope, difference, 1e-6 * (1.0 + std::abs(slope))) << mu << ", " << i;
    }
  }
}

TEST(TendonFriction, RefusesWhatMeansNothing) {
  const auto trouble = [](std::vector<std::string> actuators, const TendonFriction& friction) -> std::string {
    try {
      Robot robot = rod();
      robot.actuators.push_back(Actuator::wrench("jets", {"rod"}));
      robot.elements[0] = make_tendon_friction<double>("friction", std::move(actuators), friction);
      const Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(trouble({"cable"}, {.coefficient = -0.1}), "coefficient: found -0.1, expected a number >= 0 [1]");
  EXPECT_EQ(trouble({"cable"}, {.coefficient = 0.1, .range = 0.0}), "range: found 0, expected a number > 0 [m/s]");
  EXPECT_EQ(trouble({}, k_friction), "actuators: found none, expected at least one");
  EXPECT_EQ(trouble({"cabel"}, k_friction),
            "element 'friction': actuators[0]: found actuator 'cabel', expected the name of an actuator");
  EXPECT_EQ(trouble({"cable", "jets"}, k_friction),
            "element 'friction': actuators[1]: found 'jets', a wrench, expected a tendon");
  EXPECT_EQ(trouble({"cable", "cable"}, k_friction),
            "element 'friction': actuators[1]: found 'cable' again, expected each actuator once");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
