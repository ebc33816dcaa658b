// Many equilibria at once: each as a call of its own finds it, against a closed form, in any order, with reasons.
#include "cuttle/algorithms/equilibrium_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A bar of 2 kg that hangs on a hinge with a spring, m g l / 2 = 9.81 N m, and a soft rod with two tendons at its end.
const char* const k_arm = R"(cuttle: 1
name: arm
materials: {silicone: {density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.5}}
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
- name: rod
  attach: {pose: {rpy: [3.14159265358979, 0, 0]}}
  body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}}}
actuators:
- {name: motor, type: joint, link: bar}
- {name: pull, type: tendon, routing: [{link: rod, offset: [0.008, 0]}]}
loads:
- {type: wrench, link: rod, at: tip, force: [0, 0, 0]}
)";

const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}]
loads:
- {type: wrench, link: bar, at: tip, force: [0, 0, 0]}
)";

Model model_of(const char* text) { return Model(read_robot_text(text, "robot.yaml")); }
StaticLoads loads_of(const Model& model) { return {VectorXd::Zero(model.nu()), loads_at(model, 0.0), 0.0}; }
/// Numbers in [0, 1) that repeat.
MatrixXd numbers(int rows, int columns) {
  std::mt19937 random(7);
  MatrixXd values(rows, columns);
  for (Eigen::Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<double>(random()) / 4294967296.0;
  return values;
}
double difference(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(EquilibriumTable, FindsTheAnglesOfABarInClosedForm) {
  const Model model = model_of(k_bar);
  // (20 + 0) q + 9.81 sin q = motor - fx cos q, as the tip is at (-sin q, 0, -cos q)
  const EquilibriumTable table(model, loads_of(model), model.neutral(), {"loads[0].force[0]", "motor"});
  MatrixXd values = numbers(500, 2);
  values.col(0) = 8.0 * values.col(0).array() - 4.0, values.col(1) = 20.0 * values.col(1).array() - 10.0;
  const auto rows = table.solve(values);
  ASSERT_EQ(rows.size(), 500u);
  for (Eigen::Index i = 0; i < 500; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    ASSERT_TRUE(row.found) << row.trouble;
    EXPECT_TRUE(row.found->stable());
    const double q = row.found->q[0];  // to 1e-10 rad or so, where Newton's method stops, times 30 N m/rad
    EXPECT_NEAR(20 * q + 9.81 * std::sin(q) + values(i, 0) * std::cos(q) - values(i, 1), 0.0, 1e-8) << "row " << i;
  }
}

TEST(EquilibriumTable, FindsWhatACallOfItsOwnFinds) {
  const Model model = model_of(k_arm);
  const StaticLoads none = loads_of(model);
  const EquilibriumTable table(model, none, model.neutral(), {"motor", "pull", "loads[0].force[1]"});
  MatrixXd values = numbers(120, 3);
  values.col(0) *= 8.0, values.col(2) = 0.1 * (values.col(2).array() - 0.5);
  const auto rows = table.solve(values);
  Data data(model);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    ASSERT_TRUE(rows[static_cast<std::size_t>(i)].found);
    StaticLoads loads = none;
    loads.u << values(i, 0), values(i, 1);
    loads.external[0].wrench.force.y = values(i, 2);
    const StaticEquilibrium alone = static_equilibrium(model, data, loads, model.neutral());
    // Newton's method leaves less than its own tolerance in both
    EXPECT_LT(difference(rows[static_cast<std::size_t>(i)].found->q, alone.q), 1e-9) << "row " << i;
    EXPECT_EQ(rows[static_cast<std::size_t>(i)].found->stability, alone.stability);
  }
}

TEST(EquilibriumTable, DoesNotDependOnOrderOrThreads) {
  const Model model = model_of(k_arm);
  const EquilibriumTable table(model, loads_of(model), model.neutral(), {"motor", "pull"});
  MatrixXd values = numbers(150, 2);
  values.row(70) = values.row(3);  // the same twice
  std::vector<Eigen::Index> order(150);
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  MatrixXd shuffled(150, 2);
  for (Eigen::Index i = 0; i < 150; ++i) shuffled.row(i) = values.row(order[static_cast<std::size_t>(i)]);
  EquilibriumTable::Options one, four;
  one.threads = 1, four.threads = 4;
  const auto first = table.solve(values, one), second = table.solve(shuffled, four);
  for (std::size_t i = 0; i < 150; ++i) {
    const auto& same = first[static_cast<std::size_t>(order[i])];
    ASSERT_TRUE(second[i].found && same.found);
    if (order[i] == 70 || order[i] == 3) {
      EXPECT_LT(difference(second[i].found->q, same.found->q), 1e-9);
    } else {
      EXPECT_EQ(second[i].found->q, same.found->q) << "row " << i;
    }
  }
}

TEST(EquilibriumTable, VariesTheRobotItself) {
  const Model model = model_of(k_arm);
  const EquilibriumTable table(model, loads_of(model), model.neutral(), {"links.rod.body.length", "pull"});
  MatrixXd values(3, 2);
  values << 0.15, 0.5, 0.2, 0.5, 0.3, 0.5;
  EquilibriumTable::Options options;
  std::mutex mutex;
  std::set<std::size_t> told;
  options.found = [&](std::size_t row, const EquilibriumTable::Row& at, const StaticEquilibrium&) {
    const std::lock_guard lock(mutex);
    told.insert(row);
    EXPECT_EQ(at.model.parameter("links.rod.body.length").value, values(static_cast<Eigen::Index>(row), 0));
    EXPECT_EQ(at.loads.u[1], 0.5);
  };
  const auto rows = table.solve(values, options);
  EXPECT_EQ(told.size(), 3u);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Model other = model.with("links.rod.body.length", values(i, 0));
    Data data(other);
    StaticLoads loads = loads_of(other);
    loads.u[1] = 0.5;
    const auto alone = static_equilibrium(other, data, loads, other.neutral());
    EXPECT_LT(difference(rows[static_cast<std::size_t>(i)].found->q, alone.q), 1e-9);
  }
  EXPECT_GT(difference(rows[0].found->q, rows[2].found->q), 1e-2);
}

TEST(EquilibriumTable, SaysWhyARowHasNone) {
  const Model model = model_of(k_arm);
  const EquilibriumTable table(model, loads_of(model), model.neutral(), {"motor", "pull"});
  MatrixXd values(3, 2);
  values << 1, 0.1, 1, -0.1, std::nan(""), 0.1;
  const auto rows = table.solve(values);
  EXPECT_TRUE(rows[0].found && rows[0].trouble.empty());
  EXPECT_FALSE(rows[1].found);
  EXPECT_THAT(rows[1].trouble, HasSubstr("pull"));
  EXPECT_FALSE(rows[2].found);
  EXPECT_THAT(rows[2].trouble, HasSubstr("column 'motor'"));
  std::atomic<bool> stop{true};
  EquilibriumTable::Options options;
  options.stop = &stop;
  for (const auto& row : table.solve(values, options)) EXPECT_TRUE(!row.found && row.trouble.empty());
}

TEST(EquilibriumTable, RefusesColumnsThatAreNothing) {
  const Model model = model_of(k_arm);
  const auto table = [&](const std::vector<std::string>& columns) {
    return EquilibriumTable(model, loads_of(model), model.neutral(), columns);
  };
  EXPECT_THAT([&] { table({"moter"}); },
              ThrowsMessage<ArgumentError>(testing::AllOf(
                  HasSubstr("column 'moter': found no input or parameter of this name"), HasSubstr("motor, pull"),
                  HasSubstr("loads[0].force[0..2]"), HasSubstr("did you mean 'motor'?"))));
  EXPECT_THAT([&] { table({"motor", "motor"}); }, ThrowsMessage<ArgumentError>(HasSubstr("found it twice")));
  EXPECT_THAT([&] { table({"motor"}).solve(MatrixXd::Zero(2, 3)); },
              ThrowsMessage<ArgumentError>(HasSubstr("found 3 columns, expected 1")));
  StaticLoads unloaded;
  EXPECT_THAT([&] { EquilibriumTable(model, unloaded, model.neutral(), {"loads[0].force[0]"}); },
              ThrowsMessage<ArgumentError>(HasSubstr("the robot's loads do not act")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
