// Newton's matrix of implicit steps along the tree beside the dense one, of robots in which more than the tree couples
// links: loops, driven joints, straight stretches of tendons, wrenches, functions of coordinates, contacts.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/tendon_robots.h"
#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/loop_closure.h"
#include "cuttle/control/controllers.h"
#include "cuttle/elements/coupling.h"
#include "cuttle/elements/input_lag.h"
#include "cuttle/elements/joint_friction.h"
#include "cuttle/elements/length_drive.h"
#include "cuttle/elements/spring.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/coordinate_transmission.h"
#include "simulation/integrator_runs.h"
#include "simulation/prescribed_motion.h"
#include "simulation/rod_chains.h"
#include "support/random_state.h"
#include "support/return_law.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

VectorXd random_vector(Eigen::Index size, Random& random, double most = 1.0) {
  VectorXd x(size);
  for (double& entry : x) entry = random.uniform(-most, most);
  return x;
}

Robot rods(bool floating, int count = 11) {
  Robot robot = jointed_rods(count);
  robot.gravity = {3.0, -2.0, -8.0};
  robot.floating_base = floating;
  return robot;
}

/// A long chain of hinges about turned axes.
Robot hinges() {
  Robot robot;
  for (int i = 0; i < 60; ++i) {
    Link link;
    link.name = "bar" + std::to_string(i);
    link.joint = make_revolute_joint<double>({std::sin(1.0 * i), std::cos(2.0 * i), 0.4});
    link.joint_dynamics = dynamics({0.2}, {0.01});
    link.body = rigid_body(0.1, {0.004, 0.002, 0.03}, {2e-4, 3e-4, 1e-4}, {0.0, 0.005, 0.06});
    robot.links.push_back(link);
  }
  return robot;
}

Loop loop_between(const std::string& a, const std::string& b, LoopType type) {
  Loop loop;
  loop.name = a + "_" + b, loop.type = type, loop.axis = {0.0, 0.6, 0.8};
  loop.a.link = a, loop.b.link = b;
  loop.b.pose.position = {0.01, 0.02, -0.01};
  return loop;
}

Robot with_loops(Robot robot, const std::string& a, const std::string& b, LoopType type) {
  robot.loops = {loop_between(a, b, type)};
  return robot;
}

/// Routes that leave one link for the next and for one far away.
Robot with_tendons(Robot robot) {
  robot.actuators = {Actuator::tendon("next", {parallel("rod2", 0.005, 0.001), parallel("rod3", 0.005, 0.001)}),
                     Actuator::tendon("far", {parallel("rod0", 0.005, 0.001), parallel("rod9", 0.001, 0.006),
                                              parallel("rod5", 0.004, -0.004)}),
                     Actuator::distance("strut", {"rod1"}, {"rod10"}), Actuator::wrench("jet", {"rod6"}),
                     Actuator::wrench("wind", {"rod3"}, Axes::world)};
  return robot;
}

/// y = r a + c sin(a) b - d b^2 c' with coordinates of three links.
template <typename S>
class Gear final : public CoordinateTransmission<Gear, S, 3> {
 public:
  std::string type_name() const override { return "gear"; }
  std::array<LinkCoordinate, 3> coordinates() const override { return {{{"rod4", 0}, {"rod2", 1}, {"rod10", 2}}}; }
  std::string unit() const override { return "N m"; }
  template <typename T>
  T y(const T* q) const {
    using std::sin;
    return T(0.7) * q[0] + T(0.3) * sin(q[0]) * q[1] - T(0.2) * q[1] * q[1] * q[2];
  }
  template <typename T>
  Gear<T> cast() const {
    return {};
  }
};

/// Springs with dampers between links, one that acts on a function of coordinates, and states of elements.
Robot with_elements(Robot robot) {
  robot.actuators = {{"shaft", std::make_shared<const Gear<double>>()}};
  robot.elements = {
      make_spring<double>("bungee", {"rod1"}, {"rod8"}, {.stiffness = 7.0, .damping = 0.4}),
      make_spring<double>("short", {"rod2"}, {"rod3"}, {.stiffness = 5.0, .damping = 0.2, .rest_length = 0.1}),
      {"return", {std::make_shared<const Gear<double>>()}, std::make_shared<const ReturnLaw<double>>()},
      make_joint_friction<double>("rub", "rod4", 0, {.friction = 2e-3, .velocity = 0.05})};
  robot.actuators.push_back(with_input_lag(Actuator::distance("lagging", {"rod0"}, {"rod9"}), 0.03, "N"));
  robot.actuators.push_back(make_length_driven_tendon(
      "cable", {parallel("rod0", 0.005, 0.001), parallel("rod6", 0.0, 0.006)}, LengthDrive{.stiffness = 90.0}));
  return robot;
}

struct Case {
  std::string name;
  Robot robot;
  std::vector<NamedController> controllers = {};
  DrivenMotion motion = {};
  double spread = 1.0;  ///< of the random motion
};

std::vector<NamedController> holding(const std::vector<std::string>& inputs) {
  PidSettings hold;
  hold.inputs = inputs;
  hold.reference.assign(inputs.size(), Signal(0.001)), hold.kp = {40.0}, hold.kd = {2.0};
  return {{"hold", make_pid(hold)}};
}

DrivenMotion driven(const std::string& link) {
  DrivenMotion motion;
  motion.joints[link] = {Signal::sine(0.3, 2.0, 0.2, 0.5)};
  return motion;
}

std::vector<Case> cases() {
  std::vector<Case> all{{"rods", rods(false)}, {"floating", rods(true)}, {"hinges", hinges()}};
  for (const LoopType type :
       {LoopType::fixed, LoopType::revolute, LoopType::spherical, LoopType::prismatic, LoopType::universal}) {
    all.push_back({"loop", with_loops(rods(false), "rod1", "rod9", type)});
  }
  all.push_back({"loop of a floating robot", with_loops(rods(true), "rod6", "rod10", LoopType::spherical)});
  all.push_back({"loop to the base", with_loops(hinges(), "base", "bar40", LoopType::revolute)});
  all.push_back({"tendons", with_tendons(rods(false, 16))});
  all.push_back({"tendons of a floating robot", with_tendons(rods(true, 16))});
  all.push_back({"tendons that are held", with_tendons(rods(true, 30)), holding({"next", "far"})});
  all.push_back({"elements", with_elements(rods(false, 36))});
  all.push_back({"elements of a floating robot", with_elements(rods(true, 36))});
  all.push_back(
      {"elements and a loop", with_loops(with_elements(rods(false, 36)), "rod1", "rod9", LoopType::spherical)});
  all.push_back({"driven", rods(false), {}, driven("rod4")});
  all.push_back({"driven with all", with_loops(with_elements(rods(true, 36)), "rod3", "rod9", LoopType::spherical),
                 holding({"shaft"}), driven("rod4")});
  all.push_back({"contact", rods_on_the_ground(9, 0.0075), {}, {}, 2e-3});
  Robot grown = rods_on_the_ground(9, 0.0075);
  grown.elements = {make_spring<double>("bungee", {"rod1"}, {"rod8"}, {.stiffness = 7.0, .damping = 0.4})};
  all.push_back({"contact and a spring", with_loops(grown, "rod2", "rod6", LoopType::spherical), {}, {}, 2e-3});
  Robot volumes;
  for (int i = 0; i < 12; ++i) {
    volumes.links.push_back({.name = "tube" + std::to_string(i), .body = i % 2 == 0 ? lvp_finger() : lvp_tube()});
  }
  volumes.links[3].joint = make_spherical_joint<double>();
  volumes.actuators = {Actuator::distance("strut", {"tube1"}, {"tube8"})};
  all.push_back({"volumes", with_loops(volumes, "tube2", "tube10", LoopType::spherical)});
  return all;
}

/// A robot's system at a random motion.
struct Place {
  Model model;
  std::unique_ptr<RobotSystem> system;
  VectorXd q, v, a, auxiliary, lambda, x, w_rate;
  double time = 0.3, factor = 1e-3, stiff_factor = 7e-4;

  Place(const Case& c, Random& random) : model(c.robot) {
    RobotSystemSetup setup;
    setup.controllers = c.controllers;
    for (int i = 0; i < model.nu(); ++i) setup.inputs.emplace_back(random.uniform(0.4, 2.0));
    RandomState state = random_state(model, random);
    VectorXd dq(model.nv());
    difference<double>(model, model.neutral(), state.q, dq);
    integrate<double>(model, model.neutral(), 0.3 * c.spread * dq, state.q);
    if (!model.loops().empty()) {
      Data data(model);
      ConstraintData constraints(model);
      setup.rows = select_constraint_rows(model, data, constraints, state.q);
    }
    if (!c.motion.joints.empty()) setup.motion = std::make_shared<const PrescribedMotion>(model, c.motion, 1.0);
    system = std::make_unique<RobotSystem>(model, setup);
    q = state.q, v = c.spread * state.v, a = c.spread * state.a;
    system->impose(time, q, v, &a);
    auxiliary = system->with_controllers(start_of_auxiliary(model));
    auxiliary += random_vector(auxiliary.size(), random, 1e-4 * c.spread);
    lambda = random_vector(system->constraint_count(), random, 2.0);
    x = 0.1 * random_vector(model.nv(), random), w_rate = random_vector(model.nv(), random);
  }
};

double difference_of(const VectorXd& found, const VectorXd& expected) {
  return (found - expected).norm() / (1e-12 + expected.norm());
}

// Of every kind, in short and long steps.
TEST(CrossedTangents, AreTheDenseOnes) {
  unsigned seed = 20;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Random random(++seed);
    Place at(c, random);
    EXPECT_TRUE(at.system->follows_tree());
    const Eigen::Index nv = at.model.nv(), m = at.lambda.size();
    for (const double h : {1e-4, 0.05}) {
      SCOPED_TRACE(h);
      const double scale = 0.3 * h * h, rate = 0.55 * h;
      const AuxiliaryStates states{at.auxiliary, at.factor, at.stiff_factor};
      const DerivativeData& d = at.system->residual_derivatives(at.time, at.q, at.v, at.a, states, at.lambda);
      const StepCoordinates coordinates(at.model);
      MatrixXd dense = MatrixXd::Zero(nv + m, nv + m);
      coordinates.chain(at.x, at.w_rate, at.q, at.v, scale, rate, 1.0, d.by_q, d.by_v, d.by_a,
                        dense.topLeftCorner(nv, nv));
      MatrixXd columns(nv, m), rows(m, nv);
      if (m > 0) {
        columns = at.system->constraint_jacobian(at.q).transpose();
        coordinates.chain(at.x, at.q, 1.0, columns.transpose(), rows);
        dense.topRightCorner(nv, m) = columns, dense.bottomLeftCorner(m, nv) = rows;
      }
      StepDirections directions;
      coordinates.directions(at.x, at.w_rate, at.q, at.v, scale, rate, 1.0, directions);
      BorderedTangent tangent(at.model);
      at.system->residual_along_tree(at.time, at.q, at.v, at.a, states, at.lambda)
          .form(at.model, directions, tangent.tree());
      tangent.border(columns, rows);
      for (const int k : at.system->driven()) {
        dense.row(k).setZero(), dense.col(k).setZero(), dense(k, k) = 1.0;
        tangent.pin(k);
      }
      tangent.factor();
      const Eigen::PartialPivLU<MatrixXd> lu(dense);
      const double condition = 1.0 / lu.rcond();
      for (int i = 0; i < 2; ++i) {
        const VectorXd right = random_vector(nv + m, random);
        VectorXd found, again;
        tangent.multiply(right, found);
        EXPECT_LT(difference_of(found, dense * right), 1e-10);
        tangent.multiply_transposed(right, found);
        EXPECT_LT(difference_of(found, dense.transpose() * right), 1e-10) << "transposed";
        tangent.solve(right, found);
        EXPECT_LT((dense * found - right).norm() / (dense.norm() * found.norm() + right.norm()), 1e-11);
        EXPECT_LT(difference_of(found, lu.solve(right)), 1e-13 * condition + 1e-10);
        tangent.solve_transposed(right, found);
        EXPECT_LT((dense.transpose() * found - right).norm() / (dense.norm() * found.norm() + right.norm()), 1e-11)
            << "transposed";
        const VectorXd other = random_vector(nv + m, random);
        tangent.solve(other, again);
        EXPECT_NEAR(found.dot(other), right.dot(again),
                    (1e-13 * condition + 1e-10) * (found.norm() * other.norm() + right.norm() * again.norm()));
      }
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
