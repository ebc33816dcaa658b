#include "cuttle/algorithms/loop_closure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "support/loop_robots.h"
#include "support/random_state.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

/// Angle of the rocker of a four-bar linkage whose crank stands at an angle, from the triangle of crank's tip, rocker's
/// pivot and pin; `side` is that of the pin.
double rocker_angle(const FourBar& bars, double crank_angle, double side) {
  const double x = bars.crank * std::cos(crank_angle) - bars.ground, z = bars.crank * std::sin(crank_angle);
  const double diagonal = std::hypot(x, z);
  const double cosine =
      (bars.rocker * bars.rocker + diagonal * diagonal - bars.coupler * bars.coupler) / (2.0 * bars.rocker * diagonal);
  return std::atan2(z, x) + side * std::acos(cosine);
}

TEST(CloseLoopsTest, FourBarLinkageAsInClosedForm) {
  const FourBar bars;
  const Model model(bars.robot());
  Data data(model);
  ConstraintData constraints(model);
  // the last start is a straight line: no small motion closes it
  for (const VectorXd& start : {VectorXd{{0.9, -0.5, 2.0}}, VectorXd{{-1.2, 1.0, 1.5}}, VectorXd{{0.0, 0.0, 0.0}}}) {
    VectorXd q = start;
    const LoopClosure closure = close_loops(model, data, constraints, q);
    EXPECT_LE(closure.residual, 1e-14);
    EXPECT_GE(closure.iterations, 2);
    const double up = std::remainder(q[2] - rocker_angle(bars, q[0], -1.0), 2 * M_PI);
    const double down = std::remainder(q[2] - rocker_angle(bars, q[0], 1.0), 2 * M_PI);
    EXPECT_LE(std::min(std::abs(up), std::abs(down)), 1e-13) << q.transpose();
    EXPECT_LE((q - start).norm(), 2.0) << q.transpose();  // not some turns away
  }
}

TEST(CloseLoopsTest, HeldCoordinatesStayIfTheyCan) {
  const FourBar bars;
  const Model model(bars.robot());
  Data data(model);
  ConstraintData constraints(model);
  const std::vector<char> crank{1, 0, 0}, all{1, 1, 1};
  VectorXd q{{0.9, 0.0, 1.5}}, v{{2.0, 0.0, 0.0}};
  close_loops(model, data, constraints, q, crank);
  EXPECT_EQ(q[0], 0.9);
  EXPECT_LE(size_of(constraint_residual(model, data, constraints, q)), 1e-14);
  const ConstraintRows rows = select_constraint_rows(model, data, constraints, q);
  close_velocities(model, data, constraints, rows, q, v, crank);
  EXPECT_EQ(v[0], 2.0);
  EXPECT_LE(size_of(constraint_jacobian(model, data, constraints, q) * v), 1e-14);
  const double slope = (rocker_angle(bars, 0.9 + 1e-4, 1.0) - rocker_angle(bars, 0.9 - 1e-4, 1.0)) / 2e-4;
  const double other = (rocker_angle(bars, 0.9 + 1e-4, -1.0) - rocker_angle(bars, 0.9 - 1e-4, -1.0)) / 2e-4;
  EXPECT_LE(std::min(std::abs(v[2] - 2.0 * slope), std::abs(v[2] - 2.0 * other)), 1e-6);

  VectorXd stiff{{0.9, 0.0, 1.5}}, fast{{2.0, 0.0, 0.0}};  // nothing is left to move: so all do
  close_loops(model, data, constraints, stiff, all);
  EXPECT_LE(size_of(constraint_residual(model, data, constraints, stiff)), 1e-13);
  close_velocities(model, data, constraints, rows, stiff, fast, all);
  EXPECT_LE(size_of(constraint_jacobian(model, data, constraints, stiff) * fast), 1e-13);
}

// Every type of loop, between places that meet at one configuration, from another one nearby.
TEST(CloseLoopsTest, RandomRobots) {
  int count = 0;
  for_every_robot(
      [&](const RobotCase& robot, Data& data, const RandomState& s) {
        if (robot.plain.markers.empty()) return;
        const Frame a = robot.model.marker_frame("marker_0");
        if (a.node == robot.model.base_frame().node) return;
        const auto& kinematics = forward_kinematics(robot.model, data, s.q);
        const Pose base_a = kinematics.pose(robot.model.base_frame()).inverse() * kinematics.pose(a);
        for (const LoopType type : k_loop_types) {
          Robot looped = robot.model.robot();
          Loop loop;
          loop.name = "tie", loop.type = type, loop.axis = {0.2, -0.5, 0.7};
          loop.a = looped.markers[0].place;
          loop.b = {"base", PortLocation::base(), base_a};
          looped.loops = {loop};
          const Model model(looped);
          Data looped_data(model);
          ConstraintData constraints(model);
          EXPECT_LE(size_of(constraint_residual(model, looped_data, constraints, s.q)), 1e-12);
          const VectorXd away = moved(model, s.q, s.v, 0.03 / size_of(s.v));
          VectorXd q = away;
          try {
            close_loops(model, looped_data, constraints, q);
          } catch (const SimulationError& error) {
            ADD_FAILURE() << robot.name << ", " << loop_type_name(type) << ": " << error.what();
            continue;
          }
          EXPECT_LE(size_of(constraint_residual(model, looped_data, constraints, q)), 1e-10);
          VectorXd change(model.nv()), there(model.nv());
          difference(model, away, q, change), difference(model, away, s.q, there);
          EXPECT_LE(change.norm(), 3.0 * there.norm());  // about the nearest closed one, in lengths and angles
          ++count;
        }
      },
      60);
  EXPECT_GE(count, 50);
}

// Frames of opposite axes satisfy n_k . R axis = 0 as well.
TEST(CloseLoopsTest, TurnsAxesThatPointBackwards) {
  Robot robot;
  robot.links = {bar("bar", "base", 0.3, {0, 0, 1})};
  robot.links[0].joint = make_spherical_joint<double>();
  Loop loop;
  loop.name = "hinge", loop.type = LoopType::revolute, loop.axis = {0, 0, 1};
  loop.a = {"bar", PortLocation::base(), {}}, loop.b = {"base", PortLocation::base(), {}};
  robot.loops = {loop};
  const Model model(robot);
  Data data(model);
  ConstraintData constraints(model);
  for (const double angle : {3.0, M_PI, 1.7}) {
    VectorXd q{{std::cos(angle / 2), std::sin(angle / 2), 0, 0}};  // about x
    close_loops(model, data, constraints, q);
    const Matrix3 R = forward_kinematics(model, data, q).pose(model.links()[0].base).rotation;
    EXPECT_NEAR(R(2, 2), 1.0, 1e-14) << angle;
  }
}

TEST(CloseLoopsTest, NamesTheLoopThatCannotClose) {
  FourBar far;
  far.ground = 3.0;
  const Model model(far.robot());
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q{{0.3, 0.4, 2.0}};
  const VectorXd start = q;
  const std::string message = message_of([&] { close_loops(model, data, constraints, q); });
  EXPECT_NE(message.find("close_loops: loop 'pin': row 'pin.position.x' stays open by 1.9 m after"), message.npos)
      << message;  // 3.0 - 0.2 - 0.5 - 0.4, all in one line
  EXPECT_EQ(q, start);
}

TEST(ConstraintRowsTest, PlanarRobotHasThreeRedundantRows) {
  const Model model(FourBar().robot());
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q{{0.9, -0.5, 2.0}};
  close_loops(model, data, constraints, q);
  const ConstraintRows rows = select_constraint_rows(model, data, constraints, q);
  EXPECT_EQ(rows.kept, (std::vector<int>{0, 2}));
  EXPECT_EQ(rows.dropped_names(model), (std::vector<std::string>{"pin.position.y", "pin.axis.0", "pin.axis.1"}));
}

// The pin's axis is across the plane to five digits, as files have them.
TEST(ConstraintRowsTest, RedundantRowsMayBeOffByTheDigitsOfAFile) {
  Robot robot = FourBar().robot();
  robot.loops[0].axis = {3e-6, -1, -2e-6};
  robot.links[1].parent.pose.rotation = rotation_exponential<double>({2e-6, 0, 3e-6});
  const Model model(robot);
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q{{0.9, -0.5, 2.0}};
  close_loops(model, data, constraints, q);
  const ConstraintRows rows = select_constraint_rows(model, data, constraints, q);
  EXPECT_EQ(rows.kept, (std::vector<int>{0, 2}));
  EXPECT_LE(size_of(constraint_residual(model, data, constraints, q)(rows.kept)), 1e-13);
  EXPECT_GT(size_of(constraints.residual), 1e-7);
}

TEST(ConstraintRowsTest, NamesTheLoopThatContradictsTheJoints) {
  FourBar bars;
  bars.offset = 0.01;
  const Model model(bars.robot());
  Data data(model);
  ConstraintData constraints(model);
  VectorXd q{{0.9, -0.5, 2.0}};
  const std::string expected =
      "loop 'pin': row 'pin.position.y' stays open by 0.01 m, though nothing can move along it that the other rows "
      "leave free; expected frames a and b that the joints can bring together";
  EXPECT_EQ(message_of([&] { close_loops(model, data, constraints, q); }), expected);
  FourBar flat;  // closed but for the offset
  const Model good(flat.robot());
  Data good_data(good);
  ConstraintData good_constraints(good);
  close_loops(good, good_data, good_constraints, q);
  EXPECT_EQ(message_of([&] { select_constraint_rows(model, data, constraints, q); }), expected);
}

TEST(ConstraintRowsTest, LinkageThatLiesFlatKeepsItsRows) {
  FourBar bars;
  bars.coupler = bars.ground = 0.5, bars.rocker = bars.crank = 0.2;  // a parallelogram
  const Model model(bars.robot());
  Data data(model);
  ConstraintData constraints(model);
  const VectorXd flat = VectorXd::Zero(3);
  const MatrixXd G = constraint_jacobian(model, data, constraints, flat);
  EXPECT_EQ(independent_rows(G).kept, (std::vector<int>{2}));
  EXPECT_EQ(select_constraint_rows(model, data, constraints, flat).kept, (std::vector<int>{0, 2}));
}

TEST(ConstraintRowsTest, SumsOfRowsAreDropped) {
  Random random(3);
  MatrixXd G(6, 9);
  for (double& x : G.reshaped()) x = random.uniform();
  G.row(4) = 2.0 * G.row(0) - 3.0 * G.row(1);
  G.row(2) *= 1e-3;  // short, not dependent
  const ConstraintRows rows = independent_rows(G);
  ASSERT_EQ(rows.kept.size(), 5u);
  EXPECT_TRUE(rows.dropped[0] == 0 || rows.dropped[0] == 1 || rows.dropped[0] == 4);
  EXPECT_TRUE(independent_rows(MatrixXd::Zero(0, 9)).kept.empty());
  EXPECT_EQ(independent_rows(MatrixXd::Zero(2, 9)).dropped.size(), 2u);
}

TEST(ConstrainedDynamicsTest, MultiplierIsWhatBPushesOnA) {
  Robot robot;
  robot.links = {bar("load", "base", 0.3, {0, 0, 1})};  // 0.6 kg
  robot.links[0].joint = make_prismatic_joint<double>({0, 0, 1});
  Loop loop;
  loop.name = "tie", loop.type = LoopType::spherical;
  loop.a = {"base", PortLocation::base(), {}}, loop.b = {"load", PortLocation::base(), {}};
  robot.loops = {loop};
  const Model model(robot);
  Data data(model);
  ConstraintData constraints(model);
  const VectorXd zero = VectorXd::Zero(1);
  const ConstraintRows rows = select_constraint_rows(model, data, constraints, zero);
  EXPECT_EQ(rows.kept, std::vector<int>{2});
  const auto result = constrained_forward_dynamics(model, data, constraints, rows, zero, zero, zero);
  EXPECT_NEAR(result.a[0], 0.0, 1e-15);
  EXPECT_NEAR(result.multipliers[2], -0.6 * 9.81, 1e-13);  // the load weighs on the base
  EXPECT_EQ(result.multipliers[0], 0.0);
}

// [B] Remark 1: the same linkage, cut at the pin and cut at the rocker's pivot.
TEST(ConstrainedDynamicsTest, CutElsewhereMovesTheSame) {
  const FourBar bars;
  const Model pinned(bars.robot());
  Robot chain = bars.robot();
  chain.links[2] = bar("rocker", "coupler", bars.rocker, {0, -1, 0});
  chain.loops[0].a = {"rocker", PortLocation::tip(), {}};
  chain.loops[0].b = {"base", PortLocation::base(), {Matrix3::identity(), {bars.ground, 0, 0}}};
  const Model cut(chain);
  Data data(pinned), cut_data(cut);
  ConstraintData constraints(pinned), cut_constraints(cut);
  VectorXd q{{0.9, -0.5, 2.0}};
  close_loops(pinned, data, constraints, q);
  const ConstraintRows rows = select_constraint_rows(pinned, data, constraints, q);
  VectorXd v{{1.3, -0.4, 0.7}};
  const VectorXd wanted = v;
  const MatrixXd M = mass_matrix(pinned, data, q);
  EXPECT_GT(close_velocities(pinned, data, constraints, rows, q, v), 0.01);
  const MatrixXd G = constraint_jacobian(pinned, data, constraints, q)(rows.kept, Eigen::all);
  EXPECT_LE(size_of(G * v), 1e-14);
  // the impulse comes from the pin alone: what M (v - wanted) does in the direction left free is nothing
  EXPECT_NEAR(v.dot(M * (v - wanted)), 0.0, 1e-14);

  const VectorXd tau{{0.3, 0.0, 0.0}};
  const auto pin = constrained_forward_dynamics(pinned, data, constraints, rows, q, v, tau);
  EXPECT_LE(size_of(G * pin.a + VectorXd(constraint_bias(pinned, data, constraints, q, v)(rows.kept))), 1e-12);

  // in the chain the rocker runs from pin to pivot: turned by half a turn, its angle counted from the coupler
  VectorXd cut_q{{q[0], q[1], q[2] + M_PI - q[0] - q[1]}};
  VectorXd cut_v{{v[0], v[1], v[2] - v[0] - v[1]}};
  EXPECT_LE(size_of(constraint_residual(cut, cut_data, cut_constraints, cut_q)), 1e-13);
  const ConstraintRows cut_rows = select_constraint_rows(cut, cut_data, cut_constraints, cut_q);
  const auto pivot = constrained_forward_dynamics(cut, cut_data, cut_constraints, cut_rows, cut_q, cut_v, tau);
  EXPECT_NEAR(pivot.a[0], pin.a[0], 1e-11 * (1.0 + std::abs(pin.a[0])));
  EXPECT_NEAR(pivot.a[1], pin.a[1], 1e-11 * (1.0 + std::abs(pin.a[1])));
  EXPECT_NEAR(pivot.a[2], pin.a[2] - pin.a[0] - pin.a[1], 1e-11 * (1.0 + size_of(pin.a)));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
