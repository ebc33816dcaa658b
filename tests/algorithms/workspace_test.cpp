// Working memory of another robot is refused by every algorithm, in words that name both; that of a copy and of a robot
// of the same sizes serves.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/cuttle.h"
#include "cuttle/elements/drone.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Two bars and a drone: enough to call everything.
Model chain() {
  Robot robot;
  robot.name = "chain";
  robot.links = {bar("one", "base", 0.3, {0, 1, 0}), bar("two", "one", 0.2, {0, 1, 0})};
  robot.actuators = {Actuator::joint("motor", "one")};
  Loop loop;
  loop.name = "pin", loop.type = LoopType::spherical;
  loop.a.link = "two", loop.b.link = "base";
  loop.b.pose.position = {0.4, 0, 0.1};
  robot.loops = {loop};
  robot.loads = {make_drone_load({"two"}, Drone{})};
  return Model(robot);
}
Model arm() {
  Robot robot = FourBar{}.robot();
  robot.name = "arm";
  robot.actuators = {Actuator::joint("motor", "crank")};
  return Model(robot);
}

struct Memory {
  explicit Memory(const Model& model) : data(model), constraints(model), derivatives(model), frame(model) {}
  Data data;
  ConstraintData constraints;
  DerivativeData derivatives;
  FrameDerivatives frame;
};

struct Call {
  const char* name;
  enum class Needs { data, constraints, derivatives } needs;
  std::function<void(const Model&, Memory&)> run;
};

/// Every public function that takes a model and working memory, on any robot with loops and a drone.
std::vector<Call> every_call() {
  using enum Call::Needs;
  const auto q = [](const Model& m) -> VectorXd { return VectorXd::Constant(m.nq(), 0.1); };
  const auto v = [](const Model& m) -> VectorXd { return VectorXd::Constant(m.nv(), 0.2); };
  const auto lambda = [](const Model& m) -> VectorXd { return VectorXd::Ones(m.constraint_count()); };
  const auto u = [](const Model& m) -> VectorXd { return VectorXd::Ones(m.nu()); };
  const auto integrals = [](const Model& m) -> VectorXd { return VectorXd::Zero(load_integral_count(m)); };
  const auto external = [](const Model& m) {
    return std::vector<ExternalWrench>{{m.links().back().tip, {{0, 0, 0.1}, {1, 2, 3}}, Axes::world}};
  };
  const auto wrenches = [](const Model& m) { return std::vector<ExternalWrench>(state_load_count(m)); };
  std::vector<Call> calls;
  const auto add = [&calls](const char* name, Call::Needs needs, std::function<void(const Model&, Memory&)> run) {
    calls.push_back({name, needs, std::move(run)});
  };
  add("forward_kinematics", data, [=](const Model& m, Memory& w) { forward_kinematics(m, w.data, q(m)); });
  add("forward_kinematics", data, [=](const Model& m, Memory& w) { forward_kinematics(m, w.data, q(m), v(m)); });
  add("forward_kinematics", data, [=](const Model& m, Memory& w) { forward_kinematics(m, w.data, q(m), v(m), v(m)); });
  add("frame_jacobian", data, [=](const Model& m, Memory& w) { frame_jacobian(m, w.data, q(m), m.base_frame()); });
  add("inertial_inverse_dynamics", data,
      [=](const Model& m, Memory& w) { inertial_inverse_dynamics(m, w.data, q(m), v(m), v(m)); });
  add("inverse_dynamics", data, [=](const Model& m, Memory& w) { inverse_dynamics(m, w.data, q(m), v(m), v(m)); });
  add("inverse_dynamics", data,
      [=](const Model& m, Memory& w) { inverse_dynamics(m, w.data, q(m), v(m), v(m), external(m)); });
  add("mass_inverse_dynamics", data,
      [=](const Model& m, Memory& w) { mass_inverse_dynamics(m, w.data, q(m), v(m), v(m)); });
  add("mass_matrix", data, [=](const Model& m, Memory& w) { mass_matrix(m, w.data, q(m)); });
  add("coriolis_force", data, [=](const Model& m, Memory& w) { coriolis_force(m, w.data, q(m), v(m)); });
  add("gravity_force", data, [=](const Model& m, Memory& w) { gravity_force(m, w.data, q(m)); });
  add("elastic_force", data, [=](const Model& m, Memory& w) { elastic_force(m, w.data, q(m)); });
  add("damping_force", data, [=](const Model& m, Memory& w) { damping_force(m, w.data, q(m), v(m)); });
  add("forward_dynamics", data,
      [=](const Model& m, Memory& w) { forward_dynamics(m, w.data, q(m), v(m), v(m), external(m)); });
  add("forward_dynamics_dense", data,
      [=](const Model& m, Memory& w) { forward_dynamics_dense(m, w.data, q(m), v(m), v(m), external(m)); });
  add("external_force", data, [=](const Model& m, Memory& w) { external_force(m, w.data, q(m), external(m)); });
  add("kinetic_energy", data, [=](const Model& m, Memory& w) { kinetic_energy(m, w.data, q(m), v(m)); });
  add("gravity_energy", data, [=](const Model& m, Memory& w) { gravity_energy(m, w.data, q(m)); });
  add("elastic_energy", data, [=](const Model& m, Memory& w) { elastic_energy(m, w.data, q(m)); });
  add("momentum", data, [=](const Model& m, Memory& w) { momentum(m, w.data, q(m), v(m)); });
  add("actuation_matrix", data, [=](const Model& m, Memory& w) { actuation_matrix(m, w.data, q(m)); });
  add("actuation_coordinates", data, [=](const Model& m, Memory& w) { actuation_coordinates(m, w.data, q(m)); });
  add("actuation_force", data, [=](const Model& m, Memory& w) { actuation_force(m, w.data, q(m), u(m)); });
  add("static_equilibrium", data, [=](const Model& m, Memory& w) { static_equilibrium(m, w.data, {}, q(m)); });
  add("state_load_wrenches", data, [=](const Model& m, Memory& w) {
    auto result = wrenches(m);
    state_load_wrenches(m, w.data, 0.0, q(m), v(m), v(m), integrals(m), result);
  });
  const auto with_kinematics = [&](const char* name, const auto& run) {
    add(name, data, [=](const Model& m, Memory& w) {
      if (w.data.stamp()->sizes == m.stamp()->sizes) forward_kinematics(m, w.data, q(m), v(m), v(m));
      run(m, w.data.kinematics);
    });
  };
  with_kinematics("state_load_wrenches", [=](const Model& m, const KinematicsT<double>& k) {
    auto result = wrenches(m);
    state_load_wrenches(m, k, 0.0, integrals(m), result);
  });
  with_kinematics("state_load_biases", [=](const Model& m, const KinematicsT<double>& k) {
    auto result = wrenches(m);
    state_load_biases(m, k, 0.0, integrals(m), result);
  });
  with_kinematics("state_load_rates", [=](const Model& m, const KinematicsT<double>& k) {
    VectorXd rates = integrals(m);
    state_load_rates(m, k, 0.0, rates);
  });
  with_kinematics("state_load_derivatives", [=](const Model& m, const KinematicsT<double>& k) {
    std::vector<StateLoadDerivativeT<double>> result(state_load_count(m));
    state_load_derivatives(m, k, 0.0, integrals(m), result);
  });
  add("constraint_residual", constraints,
      [=](const Model& m, Memory& w) { constraint_residual(m, w.data, w.constraints, q(m)); });
  add("constraint_jacobian", constraints,
      [=](const Model& m, Memory& w) { constraint_jacobian(m, w.data, w.constraints, q(m)); });
  add("constraint_bias", constraints,
      [=](const Model& m, Memory& w) { constraint_bias(m, w.data, w.constraints, q(m), v(m)); });
  add("constraint_force", constraints,
      [=](const Model& m, Memory& w) { constraint_force(m, w.data, w.constraints, q(m), lambda(m)); });
  add("constraint_wrenches", constraints, [=](const Model& m, Memory& w) {
    std::vector<ExternalWrench> result(2 * m.loops().size());
    constraint_wrenches(m, w.data, w.constraints, q(m), lambda(m), result);
  });
  add("constraint_wrench_derivative", constraints,
      [=](const Model& m, Memory& w) { constraint_wrench_derivative(m, w.data, w.constraints, q(m), lambda(m)); });
  add("constraint_force_derivative", constraints,
      [=](const Model& m, Memory& w) { constraint_force_derivative(m, w.data, w.constraints, q(m), lambda(m)); });
  add("select_constraint_rows", constraints,
      [=](const Model& m, Memory& w) { select_constraint_rows(m, w.data, w.constraints, m.neutral()); });
  add("close_loops", constraints, [=](const Model& m, Memory& w) {
    VectorXd closed = q(m);
    close_loops(m, w.data, w.constraints, closed);
  });
  const ConstraintRows first{{0}, {}, {}};
  add("close_velocities", constraints, [=](const Model& m, Memory& w) {
    VectorXd closed = v(m);
    close_velocities(m, w.data, w.constraints, first, q(m), closed);
  });
  add("constrained_forward_dynamics", constraints, [=](const Model& m, Memory& w) {
    constrained_forward_dynamics(m, w.data, w.constraints, first, q(m), v(m), v(m));
  });
  add("inverse_dynamics_derivatives", derivatives,
      [=](const Model& m, Memory& w) { inverse_dynamics_derivatives(m, w.data, w.derivatives, q(m), v(m), v(m)); });
  add("inverse_dynamics_tangent", derivatives, [=](const Model& m, Memory& w) {
    inverse_dynamics_tangent(m, w.data, w.derivatives, q(m), v(m), v(m), v(m), v(m), v(m));
  });
  add("forward_dynamics_derivatives", derivatives,
      [=](const Model& m, Memory& w) { forward_dynamics_derivatives(m, w.data, w.derivatives, q(m), v(m), v(m)); });
  add("coriolis_matrix", derivatives,
      [=](const Model& m, Memory& w) { coriolis_matrix(m, w.data, w.derivatives, q(m), v(m)); });
  add("frame_derivatives", derivatives,
      [=](const Model& m, Memory& w) { frame_derivatives(m, w.derivatives, m.base_frame(), w.frame); });
  return calls;
}

/// The message of the ArgumentError of a call; "none" if it passes.
std::string refusal(const Call& call, const Model& model, Memory& memory) {
  try {
    call.run(model, memory);
  } catch (const ArgumentError& error) {
    return error.what();
  } catch (const std::exception& error) {  // static equilibria and loops that cannot be closed
    return std::string("none, but ") + error.what();
  }
  return "none";
}

TEST(WorkspaceTest, ThatOfAnotherRobotIsRefusedNamingBoth) {
  const Model one = arm(), other = chain();
  Memory memory(one);
  for (const Call& call : every_call()) {
    const std::string text = refusal(call, other, memory);
    EXPECT_EQ(text.rfind(std::string(call.name) + ": ", 0), 0u) << call.name << ": found " << text;
    EXPECT_NE(text.find("found one made for 'arm' (nv = 3, 5 rows of loops), expected one made for 'chain' (nv = 2, 3 "
                        "rows of loops)"),
              std::string::npos)
        << call.name << ": found " << text;
  }
}

TEST(WorkspaceTest, ConstraintAndDerivativeMemoryOfAnotherRobotIsRefusedBesideTheRightData) {
  const Model one = arm(), other = chain();
  for (const Call& call : every_call()) {
    if (call.needs == Call::Needs::data) continue;
    Memory memory(one);
    memory.data = Data(other);
    const std::string text = refusal(call, other, memory);
    const std::string what = call.needs == Call::Needs::constraints ? ": constraints: found" : ": derivatives: found";
    EXPECT_EQ(text.rfind(call.name + what, 0), 0u) << call.name << ": found " << text;
  }
}

TEST(WorkspaceTest, ItsOwnAndThatOfACopyServe) {
  const Model one = chain();
  const Model copy = one;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
  Memory memory(one);
  for (const Call& call : every_call()) {
    EXPECT_EQ(refusal(call, one, memory).rfind("none", 0), 0u) << call.name << ": " << refusal(call, one, memory);
    EXPECT_EQ(refusal(call, copy, memory).rfind("none", 0), 0u) << call.name << ": " << refusal(call, copy, memory);
  }
}

// The same sizes, other numbers: memory serves, derivatives (which point to the first model's bodies) do not.
TEST(WorkspaceTest, ARobotOfTheSameSizesSharesMemoryButNotDerivatives) {
  const Model one = chain();
  Robot robot = one.robot();
  robot.name = "heavier", robot.gravity = {0, 0, -20};
  const Model other(robot);
  Memory memory(one), own(other);
  for (const Call& call : every_call()) {
    const std::string text = refusal(call, other, memory);
    if (call.needs == Call::Needs::derivatives) {
      EXPECT_NE(text.find("expected one made for 'heavier' (nv = 2, 3 rows of loops), itself or a copy of it"),
                std::string::npos)
          << call.name << ": " << text;
    } else {
      EXPECT_EQ(text.rfind("none", 0), 0u) << call.name << ": " << text;
    }
  }
  const VectorXd q = VectorXd::Constant(2, 0.3);
  const VectorXd borrowed = gravity_force<double>(other, memory.data, q),
                 expected = gravity_force<double>(other, own.data, q);
  EXPECT_EQ(borrowed, expected);
}

// A new model at the address of one that is gone is another model.
TEST(WorkspaceTest, AnAddressThatIsUsedAgainIsNoIdentity) {
  std::vector<Model> place;
  place.reserve(1);
  place.push_back(arm());
  const Model* const address = &place.front();
  Memory memory(place.front());
  place.clear();
  place.push_back(chain());
  ASSERT_EQ(&place.front(), address);
  for (const Call& call : every_call()) {
    EXPECT_NE(refusal(call, place.front(), memory).find("made for 'arm'"), std::string::npos) << call.name;
  }
}

TEST(WorkspaceTest, DerivativesServeACopyWhenTheirModelIsGone) {
  RodParameters rod;
  rod.length = 0.3, rod.section.radius = 0.02, rod.quadrature_points = 4;
  rod.material.density = 1070, rod.material.young_modulus = 5e5, rod.material.damping_time = 0.1;
  rod.strain = strain_shorthand<double>("pcc", rod.length);
  Robot robot;
  robot.links = {{.name = "soft", .body = std::make_shared<RodBody>(rod)}};
  auto original = std::make_unique<Model>(std::move(robot));
  const Model copy = *original;
  Data data(copy);
  DerivativeData kept(*original), fresh(copy);
  original.reset();
  const VectorXd q = VectorXd::Constant(copy.nv(), 0.1), v = VectorXd::Constant(copy.nv(), 0.4);
  inverse_dynamics_derivatives(copy, data, kept, q, v, v);
  inverse_dynamics_derivatives(copy, data, fresh, q, v, v);
  EXPECT_EQ(kept.by_q, fresh.by_q);
}

TEST(WorkspaceTest, WhatWasMovedFromIsRefused) {
  const Model model = chain();
  Data data(model);
  const Data taken = std::move(data);
  try {
    mass_matrix<double>(model, data, VectorXd::Zero(2));  // NOLINT(bugprone-use-after-move): that is the mistake
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "mass_matrix: data: found one that was moved from, expected one made for 'chain' (nv = 2, 3 "
                 "rows of loops) or a robot of the same sizes");
  }
}

TEST(WorkspaceTest, FramesAndRowsOfAnotherRobotAreRefused) {
  const Model one = arm(), other = chain();
  const Frame foreign = one.tip_frame("rocker");
  Memory memory(other);
  const VectorXd q = VectorXd::Zero(2);
  EXPECT_THROW(frame_jacobian(other, memory.data, q, foreign), ArgumentError);
  const KinematicsT<double>& moving = forward_kinematics(other, memory.data, q, q, q);
  EXPECT_THROW(moving.pose(foreign), ArgumentError);
  EXPECT_THROW(moving.velocity_of(foreign), ArgumentError);
  EXPECT_THROW(moving.acceleration_of(foreign), ArgumentError);
  inverse_dynamics_derivatives(other, memory.data, memory.derivatives, q, q, q);
  EXPECT_THROW(frame_derivatives(other, memory.derivatives, foreign, memory.frame), ArgumentError);
  FrameDerivatives narrow(one);
  EXPECT_THROW(frame_derivatives(other, memory.derivatives, other.base_frame(), narrow), ArgumentError);
  VectorXd v = q;
  EXPECT_THROW(close_velocities(other, memory.data, memory.constraints, {{7}, {}, {}}, q, v), ArgumentError);
  EXPECT_THROW(constrained_forward_dynamics(other, memory.data, memory.constraints, {{-1}, {}, {}}, q, q, q),
               ArgumentError);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
