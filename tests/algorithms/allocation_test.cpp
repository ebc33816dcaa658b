// Nothing is allocated after Data is made, from the first call of each algorithm on, but the matrices that it asks for.
// Counts what Eigen (malloc) and the standard library (operator new) allocate: this executable's malloc and its kin
// stand in front of the C library's.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <thread>

#include "algorithms/tree_tangent.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/neural_kinematics.h"
#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/elements/wrench_load.h"
#include "support/loop_robots.h"
#include "support/plain_robot.h"
#include "support/random.h"
#include "support/random_body.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/random_tendons.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"
#include "support/toy_bodies.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
bool counting = false;  // one thread counts, any other waits for it
std::size_t allocations = 0;
void count_allocation() {
  if (counting) ++allocations;
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  count_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  count_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* pointer, std::size_t size) noexcept {
  count_allocation();
  return __libc_realloc(pointer, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  count_allocation();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  count_allocation();
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? 12 : 0;  // ENOMEM
}
}

namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename F>
std::size_t allocations_of(const F& f) {
  allocations = 0;
  counting = true;
  f();
  counting = false;
  return allocations;
}

void* volatile sink;  // keeps the compiler from dropping a pair of new and delete

TEST(AllocationTest, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] {}), 0u);
  EXPECT_EQ(allocations_of([] { sink = std::malloc(10), std::free(sink); }), 1u);
  EXPECT_EQ(allocations_of([] { sink = std::calloc(10, 2), std::free(sink); }), 1u);
  EXPECT_EQ(allocations_of([] { sink = std::realloc(nullptr, 10), std::free(sink); }), 1u);
  EXPECT_EQ(allocations_of([] { sink = std::aligned_alloc(64, 128), std::free(sink); }), 1u);
  EXPECT_EQ(allocations_of([] {
              void* p = nullptr;
              EXPECT_EQ(posix_memalign(&p, 64, 100), 0);
              sink = p, std::free(p);
            }),
            1u);
  EXPECT_EQ(allocations_of([] { sink = ::operator new(10), ::operator delete(sink); }), 1u);
  EXPECT_EQ(allocations_of([] {
              sink = ::operator new (10, std::align_val_t{64});
              ::operator delete (sink, std::align_val_t{64});
            }),
            1u);
  EXPECT_EQ(allocations_of([] {
              std::vector<double> v(100);
              sink = v.data();
            }),
            1u);
  EXPECT_EQ(allocations_of([] {
              VectorXd v(100);
              sink = v.data();
            }),
            1u);
  const MatrixXd A = MatrixXd::Identity(30, 30);
  const VectorXd x = VectorXd::Ones(30);
  VectorXd y = x;
  EXPECT_GE(allocations_of([&] { y += A * x; }), 1u);  // the trap that noalias avoids
  EXPECT_EQ(allocations_of([&] { y.noalias() += A * x; }), 0u);
}

/// Of robots whose bodies can be differentiated, and that are small enough for matrices of all coordinates.
void check_derivatives(const Model& model, const RandomState& s, const VectorXd& tau,
                       const std::vector<ExternalWrench>& wrenches) {
  if (model.nv() > 50) return;
  std::optional<DerivativeData> made;
  try {
    made.emplace(model);
  } catch (const ModelError&) {
    return;
  }
  Data data(model);
  DerivativeData& d = *made;
  const VectorXd u = VectorXd::Ones(model.nu());
  const Actions actions{&u, wrenches};
  FrameDerivatives frame(model);
  for (const char* call : {"first call", "second call"}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(allocations_of([&] { inverse_dynamics_derivatives(model, data, d, s.q, s.v, s.a, actions); }), 0u);
    EXPECT_EQ(allocations_of([&] { frame_derivatives(model, d, model.links().back().tip, frame); }), 0u);
    EXPECT_EQ(allocations_of([&] { inverse_dynamics_tangent(model, data, d, s.q, s.v, s.a, s.v, s.v, s.v, actions); }),
              0u);
    EXPECT_EQ(allocations_of([&] { coriolis_matrix(model, data, d, s.q, s.v); }), 0u);
    EXPECT_EQ(allocations_of([&] { forward_dynamics_derivatives(model, data, d, s.q, s.v, tau, actions); }), 0u);
  }
  TreeDerivatives along_tree(model);
  along_tree.take(model, data, s.q, s.v, s.a, {nullptr, wrenches});
  StepDirections directions;
  StepCoordinates(model).motion_directions(0.0, 0.0, 1.0, directions);
  TreeTangent tangent(model);
  along_tree.form(model, directions, tangent);
  VectorXd x = tau;
  EXPECT_EQ(allocations_of([&] { tangent.factor(); }), 0u);
  EXPECT_EQ(allocations_of([&] { tangent.solve(tau, x); }), 0u);
  EXPECT_EQ(allocations_of([&] { tangent.solve_transposed(tau, x); }), 0u);
  EXPECT_EQ(allocations_of([&] { tangent.multiply(tau, x); }), 0u);
}

void expect_no_allocation(Robot robot, int lowest_nv, int highest_nv) {
  TimedWrench push;
  push.force[0] = 3.0;
  robot.loads.push_back(make_wrench_load({robot.links.back().name}, push));
  Random routes(4);
  for (const char* name : {"tendon1", "tendon2"}) robot.actuators.push_back(random_tendon(name, robot, 3, routes));
  for (const LoopType type : k_loop_types) {
    Loop loop;
    loop.name = loop_type_name(type), loop.type = type;
    loop.a.link = robot.links.back().name, loop.b.link = "base";
    robot.loops.push_back(loop);
  }
  const Model model(robot);
  ASSERT_GE(model.nv(), lowest_nv);
  ASSERT_LE(model.nv(), highest_nv);
  Random random(9);
  const RandomState s = random_state(model, random);
  const VectorXd tau = VectorXd::Ones(model.nv());
  VectorXd q_result(model.nq()), v_result(model.nv());
  const Frame tip = model.links().back().tip;
  std::vector<ExternalWrench> wrenches(load_wrench_count(model));
  wrenches.reserve(wrenches.size() + 2);

  // each from the first call on, each with a Data of its own
  const auto check = [&](const char* name, const auto& call, std::size_t matrices = 0) {
    Data data(model);
    EXPECT_EQ(allocations_of([&] { call(data); }), matrices) << name << ", first call";
    EXPECT_EQ(allocations_of([&] { call(data); }), 0u) << name << ", second call";
    Data made_here(model);
    std::size_t elsewhere = 0;
    std::thread([&] { elsewhere = allocations_of([&] { call(made_here); }); }).join();
    EXPECT_EQ(elsewhere, matrices) << name << ", in a thread that did not make the Data";
  };
  const std::size_t mass_matrices = 4;  // with the poses, columns and inertias that make it
  const VectorXd multipliers = VectorXd::Ones(model.constraint_count());
  const auto check_loops = [&](const char* name, const auto& call) {
    ConstraintData constraints(model);
    check(name, [&](Data& d) { call(d, constraints); });
  };
  check_loops("constraint_residual", [&](Data& d, ConstraintData& c) { constraint_residual(model, d, c, s.q); });
  check_loops("constraint_jacobian", [&](Data& d, ConstraintData& c) { constraint_jacobian(model, d, c, s.q); });
  check_loops("constraint_bias", [&](Data& d, ConstraintData& c) { constraint_bias(model, d, c, s.q, s.v); });
  std::vector<ExternalWrench> reactions(2 * model.loops().size());
  check_loops("constraint_wrenches", [&](Data& d, ConstraintData& c) {
    constraint_wrenches<double>(model, d, c, s.q, multipliers, reactions);
  });
  check_loops("constraint_wrench_derivative",
              [&](Data& d, ConstraintData& c) { constraint_wrench_derivative(model, d, c, s.q, multipliers); });
  check_loops("constraint_force", [&](Data& d, ConstraintData& c) { constraint_force(model, d, c, s.q, multipliers); });
  if (model.nv() < 50) {
    check_loops("constraint_force_derivative",
                [&](Data& d, ConstraintData& c) { constraint_force_derivative(model, d, c, s.q, multipliers); });
  }
  check("inverse_dynamics", [&](Data& d) { inverse_dynamics(model, d, s.q, s.v, s.a); });
  check("inertial_inverse_dynamics", [&](Data& d) { inertial_inverse_dynamics(model, d, s.q, s.v, s.a); });
  check(
      "mass_inverse_dynamics", [&](Data& d) { mass_inverse_dynamics(model, d, s.q, s.v, s.a); }, mass_matrices);
  check(
      "mass_matrix", [&](Data& d) { mass_matrix(model, d, s.q); }, mass_matrices);
  check("coriolis_force", [&](Data& d) { coriolis_force(model, d, s.q, s.v); });
  check("gravity_force", [&](Data& d) { gravity_force(model, d, s.q); });
  check("elastic_force", [&](Data& d) { elastic_force(model, d, s.q); });
  check("damping_force", [&](Data& d) { damping_force(model, d, s.q, s.v); });
  check("load_wrenches", [&](Data&) { load_wrenches<double>(model, 0.3, wrenches); });
  ASSERT_EQ(wrenches.size(), 1u);
  wrenches.push_back({tip, {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, Axes::world});
  wrenches.push_back({model.base_frame(), {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, Axes::body});
  check("forward_dynamics", [&](Data& d) { forward_dynamics(model, d, s.q, s.v, tau); });
  check("forward_dynamics with wrenches", [&](Data& d) { forward_dynamics(model, d, s.q, s.v, tau, wrenches); });
  check(
      "forward_dynamics_dense", [&](Data& d) { forward_dynamics_dense(model, d, s.q, s.v, tau, wrenches); },
      mass_matrices + 1);
  check("external_force", [&](Data& d) { external_force(model, d, s.q, wrenches); });
  check("forward_kinematics", [&](Data& d) { forward_kinematics(model, d, s.q, s.v, s.a).acceleration_of(tip); });
  check("forward_kinematics, poses", [&](Data& d) { forward_kinematics(model, d, s.q).pose(tip); });
  const VectorXd u = VectorXd::Ones(model.nu());
  VectorXd applied = u;
  check("actuation_matrix", [&](Data& d) { actuation_matrix(model, d, s.q); });
  check("actuation_coordinates", [&](Data& d) { actuation_coordinates(model, d, s.q); });
  check("actuation_force", [&](Data& d) { actuation_force(model, d, s.q, u); });
  check("apply_slack", [&](Data&) { apply_slack<double>(model, applied); });
  check(
      "frame_jacobian", [&](Data& d) { frame_jacobian(model, d, s.q, tip); }, 1);
  check("kinetic_energy", [&](Data& d) { kinetic_energy(model, d, s.q, s.v); });
  check("gravity_energy", [&](Data& d) { gravity_energy(model, d, s.q); });
  check("elastic_energy", [&](Data& d) { elastic_energy(model, d, s.q); });
  check("momentum", [&](Data& d) { momentum(model, d, s.q, s.v); });
  check_derivatives(model, s, tau, wrenches);
  check("integrate", [&](Data&) { integrate(model, s.q, s.v, q_result); });
  check("difference", [&](Data&) { difference(model, s.q, q_result, v_result); });
  check("configuration_rate", [&](Data&) { configuration_rate(model, s.q, s.v, q_result); });
}

void expect_no_allocation(const PlainRobot& plain, int lowest_nv, int highest_nv) {
  expect_no_allocation(to_robot(plain), lowest_nv, highest_nv);
}

// From the second call on: the first one makes what it learns of the robot's loops.
TEST(AllocationTest, NothingForInverseKinematicsFromNearby) {
  for (const bool least_energy : {true, false}) {
    for (const bool loops : {false, true}) {
      RandomRobotOptions random_options;
      random_options.min_links = random_options.max_links = 5;
      random_options.chain = true;
      const Model model(loops ? FourBar{}.robot() : to_robot(random_robot(3, random_options)));
      Random random(9);
      VectorXd q = loops ? VectorXd(Eigen::Vector3d(0.9, -0.4, 1.9)) : random_state(model, random).q;
      InverseKinematicsOptions options;
      options.least_energy = least_energy;
      const Frame frame = model.links()[0].tip;
      InverseKinematics reach(model, {FrameTarget::in_direction(frame, {1, 0, 0}, {0.6, 0, 0.8})}, options);
      if (!loops) {
        Data data(model);
        const Pose pose = forward_kinematics(model, data, q).pose(model.links().back().tip);
        reach = InverseKinematics(model, {FrameTarget::at_pose(model.links().back().tip, pose)}, options);
        q = reach.solve(q).q;
        Pose moved = pose;
        moved.position.x += 1e-3;
        EXPECT_EQ(allocations_of([&] { reach.set_goal(0, moved), q = reach.solve(q).q; }), 0u) << least_energy;
      } else {
        q = reach.solve(q).q;
        EXPECT_EQ(allocations_of([&] { reach.set_direction(0, {0.59, 0, 0.8}), q = reach.solve(q).q; }), 0u);
      }
      EXPECT_TRUE(reach.solve(q).converged);
    }
  }
}

TEST(AllocationTest, NothingForBodiesOfAUser) {
  Robot robot;
  robot.links.push_back({.name = "positions", .body = std::make_shared<PointBody<ToyBody>>(toy_points())});
  robot.links.push_back({.name = "by_hand", .body = std::make_shared<PointBody<ToyBodyByHand>>(toy_points())});
  robot.links.push_back({.name = "function", .body = std::make_shared<FunctionBody>(blob_function())});
  expect_no_allocation(robot, 5, 5);
}

TEST(AllocationTest, NothingForVolumes) {
  using Type = LvpPrimitive::Type;
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {{.type = Type::source, .modes = {{1e-4}}},
                    {.type = Type::twist, .modes = {{0.0, 1.0}}},
                    {.type = Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}, {0.0, 1.0}}}};
  const VolumeMaterial rubber{.c1 = 1e5, .lame_lambda = 2e5, .damping_time = 0.1};
  const PointParameters points = point_cylinder(0.2, 0.02, 1000.0, 3, 2, 4);
  const std::vector<RitzMode> modes{{{{0, 0, 2}, {1.0, 0.0, 0.0}}}, {{{0, 0, 1}, {0.0, 0.0, 1.0}}}};
  Robot robot;
  robot.links.push_back(
      {.name = "lvp", .body = std::make_shared<VolumeBody>(points, rubber, std::make_shared<LvpKinematics>(lvp))});
  robot.links.push_back(
      {.name = "ritz", .body = std::make_shared<VolumeBody>(points, rubber, std::make_shared<RitzKinematics>(modes))});
  const RadialParameters radial{0.2, 0.02, {RadialStrain::kappa_y, RadialStrain::sigma_z}, {0.0}};
  robot.links.push_back(
      {.name = "radial",
       .body = std::make_shared<VolumeBody>(points, rubber, std::make_shared<RadialKinematics>(radial))});
  NeuralParameters neural{.length = 0.2, .scale = 0.2, .linear_weight = true, .layers = {}};
  neural.layers.push_back({std::vector<double>(16, 0.1), std::vector<double>(4, 0.1), Activation::tanh});
  neural.layers.push_back({std::vector<double>(12, 0.01), std::vector<double>(3, 0.0), Activation::identity});
  robot.links.push_back(
      {.name = "neural",
       .body = std::make_shared<VolumeBody>(points, rubber, std::make_shared<NeuralKinematics>(neural))});
  expect_no_allocation(robot, 11, 11);
}

TEST(AllocationTest, NothingForOneCoordinate) {
  PlainRobot plain;
  PlainLink link;
  link.name = "arm", link.joint.type = "revolute";
  Random random(2);
  link.rigid = random_rigid(random);
  plain.links = {link};
  expect_no_allocation(plain, 1, 1);

  link.joint.type = "fixed", link.rigid.reset();
  link.rod = random_rod(random, {}, "constant");
  link.rod->shorthand = "planar_cc";
  plain.links = {link};
  expect_no_allocation(plain, 1, 1);
}

TEST(AllocationTest, NothingForFiveHundredCoordinates) {
  RandomRobotOptions options;
  options.min_links = options.max_links = 110;
  options.floating = true;
  expect_no_allocation(random_robot(7, options), 400, 600);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE

#endif
