// A shape and a contact law of one's own: a ring that lies on the ground, and a ball that bounces on a law of its own.
#include <cuttle/cuttle.h>
#include <cuttle/geometry/shape.h>
#include <cuttle/geometry/shapes.h>
#include <cuttle/model/state_load_law.h>
#include <cuttle/simulation/recorder.h>
#include <cuttle/simulation/simulator.h>

#include <cmath>
#include <iostream>
#include <numbers>

constexpr double k_radius = 0.1, k_tube = 0.02, k_mass = 0.1, k_gravity = 9.81, k_stiffness = 1e4;

// The signed distance to a ring about z; its gradient and Hessian follow.
template <typename S>
struct Ring final : cuttle::ShapeT<Ring, S> {
  std::string type_name() const override { return "ring"; }
  S half_thickness() const override { return S(k_tube); }
  template <typename T>
  T distance(const cuttle::Vector3T<T>& x) const {
    using std::sqrt;
    const T rho = sqrt(x.x * x.x + x.y * x.y + T(1e-30)) - T(k_radius);  // regular on the axis
    return sqrt(rho * rho + x.z * x.z + T(1e-30)) - T(k_tube);
  }
  // the circle in the middle of its tube, as cubics: by these it touches others
  std::vector<cuttle::TouchPartT<S>> touch_parts(const cuttle::TouchDetailT<S>& /*detail*/) const override {
    std::vector<cuttle::TouchPartT<S>> parts;
    const double turn = std::numbers::pi / 4, speed = 4 * std::tan(turn / 4) * k_radius;
    const auto vector = [](double x, double y) { return cuttle::Vector3T<S>{S(x), S(y), S(0.0)}; };
    for (int k = 0; k < 8; ++k) {
      const double a = k * turn, b = a + turn;
      parts.push_back({true, vector(k_radius * std::cos(a), k_radius * std::sin(a)),
                       vector(k_radius * std::cos(b), k_radius * std::sin(b)),
                       vector(-speed * std::sin(a), speed * std::cos(a)),
                       vector(-speed * std::sin(b), speed * std::cos(b)), S(k_tube), S(k_tube)});
    }
    return parts;
  }
};

// A ball of 2 cm on z = 0: a spring, and no friction. The wrench is in the axes of the link, which does not turn.
template <typename S>
struct Bounce final : cuttle::StateLoadLaw<Bounce, S> {
  std::string type_name() const override { return "bounce"; }
  template <typename T>
  cuttle::WrenchT<T> law(int, double, const cuttle::FrameMotionT<T>& motion, const T*) const {
    const T depth = T(0.02) - motion.pose.position.z, none(0.0);
    using cuttle::select;  // in place of a branch: derivatives and lanes go through
    return {{}, {none, none, select(depth > none, T(k_stiffness) * depth, none)}};
  }
};

Eigen::VectorXd end_velocity(const cuttle::Robot& robot, cuttle::Scenario scenario, cuttle::Vector3& last) {
  const cuttle::Model model(robot);
  scenario.output_step = scenario.duration;
  cuttle::MemoryRecorder memory;
  cuttle::Simulator(model, scenario).run({&memory});
  last = memory.samples().back().tips.back().position;
  return memory.samples().back().v;
}

int main() {
  cuttle::RigidParameters block;
  block.mass = k_mass;
  block.inertia = {5e-4, 5e-4, 1e-3, 0, 0, 0};
  const auto body = std::make_shared<cuttle::RigidBody>(block);
  cuttle::Vector3 last;

  cuttle::Robot ring;
  ring.gravity = {0, 0, -k_gravity};
  ring.links.push_back({.name = "ring", .joint = cuttle::make_free_joint<double>(), .body = body});
  ring.links.back().contact.shapes.push_back({std::make_shared<Ring<double>>(), {}});
  ring.obstacles.push_back({.name = "ground", .shape = std::make_shared<cuttle::Plane>(), .pose = {}});
  ring.obstacles.back().pose.position = {0, 0, -k_tube};
  ring.contacts.push_back({.name = "floor", .a = {"ring"}, .b = {"ground"}});
  ring.contacts.back().modulus = 1e5;
  ring.contacts.back().dissipation = 100;
  cuttle::Scenario scenario;
  scenario.duration = 2;
  end_velocity(ring, scenario, last);
  const double depth = -last.z;
  std::cout << "the ring sinks in by " << depth << "\n";

  cuttle::Robot ball;
  ball.gravity = {};
  ball.links.push_back({.name = "ball", .joint = cuttle::make_prismatic_joint<double>({0, 0, 1}), .body = body});
  ball.loads.push_back({{.link = "ball", .at = cuttle::PortLocation::base()}, std::make_shared<Bounce<double>>()});
  scenario.duration = 0.01 + std::numbers::pi * std::sqrt(k_mass / k_stiffness);  // half a period of the spring
  scenario.integrator.type = "rk4";
  scenario.integrator.step = 1e-5;
  scenario.initial["ball"].q = {0.03};
  scenario.initial["ball"].v = {-1.0};
  const double speed = end_velocity(ball, scenario, last)[0];
  std::cout << "the ball comes back with " << speed << "\n";

  // a line of the whole circle bears the weight: pi/4 E* (depth - range / 2) a length, range 1e-3 of the tube
  const double circle = 2 * std::numbers::pi * k_radius;
  const double expected = k_mass * k_gravity / (std::numbers::pi / 4 * 1e5 * circle) + 0.5e-3 * k_tube;
  return std::abs(depth / expected - 1) < 2e-3 && std::abs(speed - 1) < 1e-4 ? 0 : 1;
}
