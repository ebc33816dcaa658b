// A shape and a contact law of examples/own_kinds, and a sphere written anew, against the library's and closed forms.
#include <cmath>
#include <limits>
#include <numbers>

#include "cuttle/geometry/shape.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"
#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// As a user writes it: the distance alone.
template <typename S>
struct OwnSphere final : ShapeT<OwnSphere, S> {
  explicit OwnSphere(const S& r) : radius(r) {}
  std::string type_name() const override { return "own_sphere"; }
  S half_thickness() const override { return radius; }
  S curvature() const override { return S(1.0) / radius; }
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& /*detail*/) const override {
    return {TouchPartT<S>::point({}, radius)};
  }
  bool is_its_parts() const override { return true; }
  template <typename T>
  T distance(const Vector3T<T>& x) const {
    using std::sqrt;
    return sqrt(dot(x, x)) - T(radius);
  }
  template <typename T>
  OwnSphere<T> cast() const {
    return OwnSphere<T>(scalar_cast<T>(radius));
  }
  S radius;
};

std::string ball(const std::string& rest, const std::string& shape = "{shape: sphere, radius: 0.02}") {
  return "cuttle: 1\ngravity: [0, 0, -9.81]\nlinks:\n  - {name: ball, joint: {type: free}, contact: " + shape +
         ",\n     body: {type: rigid, mass: 0.1, inertia: [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}}\n" + rest;
}

/// The last row, from a velocity of the ball; angular parts first.
Sample end_of(const Robot& robot, const std::string& integrator, double duration, std::vector<double> speed = {}) {
  const Model model(robot);
  Scenario scenario;
  scenario.duration = scenario.output_step = duration;
  scenario.integrator.type = integrator;
  scenario.integrator.relative_tolerance = 1e-9, scenario.integrator.absolute_tolerance = 1e-12;
  if (integrator != "bdf" && integrator != "erk") scenario.integrator.step = 1e-5;
  scenario.initial["ball"].v = std::move(speed);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples().back();
}

TEST_F(OwnKinds, SphereWrittenAnewMovesRobotsAsTheLibrarySphere) {
  const std::string rest =
      "obstacles: [{name: hill, shape: sphere, radius: 0.05, pose: {position: [0.004, 0.003, -0.0698]}}]\n"
      "contacts: [{name: floor, a: ball, b: hill, modulus: 1.0e+5}]\n";
  for (const char* shape : {"{shape: sphere, radius: 0.02}", "{shape: cylinder, radius: 0.02, length: 0.04}"}) {
    const Robot library = read_robot_text(ball(rest, shape), "ball.yaml");
    Robot own = library;
    own.obstacles[0].shape = std::make_shared<const OwnSphere<double>>(0.05);
    for (const char* integrator : {"rk4", "generalized_alpha", "bdf"}) {
      const Sample found = end_of(own, integrator, 0.01), expected = end_of(library, integrator, 0.01);
      const double bound = std::string(integrator) == "bdf" ? 1e-7 : 1e-11;
      EXPECT_GT(expected.v.norm(), 0.05) << integrator;
      EXPECT_LT((found.q - expected.q).norm(), bound * 0.01) << shape << integrator;
      EXPECT_LT((found.v - expected.v).norm(), bound * expected.v.norm()) << shape << integrator;
    }
  }
}

TEST_F(OwnKinds, TorusKnowsItsDistance) {
  const Robot robot =
      read_robot_text(ball("obstacles: [{name: a, shape: torus, radius: 0.1, tube: 0.02}]"), "torus.yaml");
  const SignedDistance& torus = *robot.obstacles[0].shape;
  EXPECT_EQ(torus.half_thickness(), 0.02);
  const double h = 1e-6;
  for (const Vector3& x : {Vector3{0.13, 0.02, 0.01}, Vector3{-0.05, 0.06, -0.03}, Vector3{0.0, 0.1, 0.005}}) {
    const DistanceT<double> d = torus.at(x);
    const double rho = std::hypot(x.x, x.y), across = std::hypot(rho - 0.1, x.z);
    EXPECT_NEAR(d.value, across - 0.02, 1e-16);
    // away from the nearest point of the circle in the middle
    const Vector3 middle{0.1 * x.x / rho, 0.1 * x.y / rho, 0.0};
    EXPECT_LT(norm(d.gradient - (1.0 / across) * (x - middle)), 1e-14);
    for (int j = 0; j < 3; ++j) {
      Vector3 step;
      step[j] = h;
      const Vector3 slope = (0.5 / h) * (torus.at(x + step).gradient - torus.at(x - step).gradient);
      Vector3 unit;
      unit[j] = 1.0;
      EXPECT_LT(norm(d.hessian * unit - slope), 1e-6 / across);
    }
  }
}

// A ring that lies on the ground is a line of its whole circumference: its force is pi/4 E* (depth - range / 2) a
// length.
TEST_F(OwnKinds, TorusLiesOnTheGroundByItsCircle) {
  const double E = 1e5, length = 2 * std::numbers::pi * 0.1, range = 1e-3 * 0.02;
  const double depth = 0.1 * 9.81 / (std::numbers::pi / 4 * E * length) + range / 2;
  const Sample rest =
      end_of(read_robot_text(ball("obstacles: [{name: ground, shape: plane, pose: {position: [0, 0, -0.02]}}]\n"
                                  "contacts: [{name: floor, a: ball, b: ground, modulus: 1.0e+5, dissipation: 100}]\n",
                                  "{shape: torus, radius: 0.1, tube: 0.02}"),
                             "ring.yaml"),
             "bdf", 3.0);
  const double height = rest.tips[0].position.z;
  EXPECT_LT(rest.v.norm(), 1e-4);
  EXPECT_NEAR(-height, depth, 2e-3 * depth);
}

TEST_F(OwnKinds, TorusIsWrittenReadVariedAndRefused) {
  Robot robot = read_robot_text(ball("obstacles: [{name: ring, shape: torus, radius: 0.1, tube: 0.02}]\n"
                                     "contacts: [{name: touch, a: ball, b: ring, modulus: 1.0e+5}]\n"),
                                "ring.yaml");
  const Model model(robot);
  EXPECT_EQ(model.with("obstacles.ring.tube", 0.03).robot().obstacles[0].shape->half_thickness(), 0.03);
  robot.gravity = {0.0, 0.0, -1.62};
  const std::string text = write_robot(robot).yaml;
  EXPECT_THAT(text, AllOf(HasSubstr("shape: torus"), HasSubstr("tube: 0.02")));
  EXPECT_EQ(write_robot(read_robot_text(text, "again.yaml")).yaml, text);
  EXPECT_THAT(robot_errors("{cuttle: 1, links: [], obstacles: [{name: a, shape: torus, radius: 0.1, tube: 0}]}"),
              HasSubstr("obstacles[0].tube: found 0, expected a number > 0 [m]"));
  EXPECT_THAT(robot_errors("{cuttle: 1, links: [], obstacles: [{name: a, shape: torus, radius: 0.1, tube: 0.2}]}"),
              HasSubstr("obstacles[0].tube: found 0.2"));
  EXPECT_THAT(robot_errors("{cuttle: 1, links: [], obstacles: [{name: a, shape: torsu, radius: 0.1, tube: 0.2}]}"),
              HasSubstr("did you mean 'torus'?"));
}

// A ball dropped into a torus from above its tube slides off outwards; how far follows its numbers.
TEST_F(OwnKinds, RunsOnATorusAreDifferentiated) {
  const Model model(read_robot_text(
      ball("obstacles: [{name: ring, shape: torus, radius: 0.1, tube: 0.02, pose: {position: [-0.103, "
           "0, -0.0401]}}]\ncontacts: [{name: touch, a: ball, b: ring, modulus: 1.0e+5, friction: 0}]\n"),
      "ring.yaml"));
  Scenario scenario;
  scenario.duration = scenario.output_step = 0.03;
  scenario.integrator.type = "generalized_alpha", scenario.integrator.step = 2e-4;
  const std::vector<std::string> by{"obstacles.ring.tube", "obstacles.ring.radius"};
  const auto end = [&](const Model& of) {
    MemoryRecorder memory;
    Simulator(of, scenario).run({&memory});
    return VectorXd(memory.samples().back().q);
  };
  const Sensitivities found = sensitivities(model, scenario, {"q"}, by, {scenario.duration});
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double value = model.robot().source->parameter(by[k]).value, h = 1e-6;
    const VectorXd expected = (end(model.with(by[k], value + h)) - end(model.with(by[k], value - h))) / (2 * h);
    EXPECT_GT(expected.norm(), 0.1) << by[k];
    EXPECT_LT((found.derivatives.back().col(static_cast<Eigen::Index>(k)) - expected).norm(), 1e-4 * expected.norm())
        << by[k];
  }
}

// Written with the same numbers as a contact without friction, a law of one's own does the same.
TEST_F(OwnKinds, LawWithTheSameNumbersIsTheContact) {
  const double k = 4.0 / 3.0 * 1e5 * std::sqrt(0.02);
  const std::string numbers = "radius: 0.02, stiffness: " + std::to_string(k) + ", dissipation: 2, friction: ";
  const auto robot = [&](const std::string& rest) { return read_robot_text(ball(rest), "ball.yaml"); };
  const Robot own = robot("loads: [{type: penalty, link: ball, at: base, height: -0.021, " + numbers + "0}]\n");
  const Robot library = robot(
      "obstacles: [{name: ground, shape: plane, pose: {position: [0, 0, -0.021]}}]\n"
      "contacts: [{name: floor, a: ball, b: ground, modulus: 1.0e+5, dissipation: 2, friction: 0}]\n");
  for (const char* integrator : {"rk4", "generalized_alpha", "bdf", "erk"}) {
    const std::vector<double> speed{0.0, 0.0, 0.0, 0.1, 0.0, -0.5};
    const Sample found = end_of(own, integrator, 0.05, speed), expected = end_of(library, integrator, 0.05, speed);
    EXPECT_GT(expected.v[5], 0.05) << integrator;  // it has bounced
    const double bound = std::string(integrator) == "bdf" || std::string(integrator) == "erk" ? 1e-5 : 1e-9;
    EXPECT_LT((found.v - expected.v).norm(), bound * expected.v.norm()) << integrator;
  }
  // with friction a sliding ball rolls at 5/7 of its speed, as on the library's law
  const Robot rough = robot("loads: [{type: penalty, link: ball, at: base, height: -0.0199, " + numbers + "0.5}]\n");
  const double inertia = 1.6e-5 / (0.1 * 0.02 * 0.02);
  const Sample rolls = end_of(rough, "generalized_alpha", 0.3, {0, 0, 0, 0.5, 0, 0});
  EXPECT_NEAR(rolls.v.tail(3).norm(), 0.5 / (1 + inertia), 2e-3);
  Robot changed = rough;
  changed.gravity = {0.0, 0.0, -1.62};
  const std::string text = write_robot(changed).yaml;
  EXPECT_EQ(write_robot(read_robot_text(text, "again.yaml")).yaml, text);
  EXPECT_THAT(robot_errors(ball("loads: [{type: penalty, link: ball, at: base, radius: 0.02, stiffness: 0}]")),
              HasSubstr("loads[0].stiffness: found 0, expected a number > 0 [N/m^exponent]"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
