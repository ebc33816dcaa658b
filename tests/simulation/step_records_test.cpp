// Records of steps come back bit for bit, and take little memory where one step follows from the other.
#include "simulation/step_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "simulation/adjoint_run.h"
#include "simulation/integrator_runs.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

VectorXd some_numbers(Eigen::Index size, int seed) {
  VectorXd x(size);
  for (Eigen::Index i = 0; i < size; ++i) x[i] = std::sin(1.3 * static_cast<double>(i) + 0.7 * seed + 0.1);
  return x;
}

/// A step as an integrator makes it, and what the next one begins with.
struct Steps {
  Steps(const Model& its_model, const ImplicitScheme& its_scheme)
      : model(its_model), scheme(its_scheme), coordinates(model), q(model.neutral()) {
    for (VectorXd* x : {&w, &w_rate, &A}) *x = some_numbers(model.nv(), 3);
  }
  StepRecord next(int seed) {
    constexpr double h = 0.01;
    StepRecord record;
    record.kind = StepRecord::Kind::step, record.goes_on = true;
    record.time = 0.01 * seed, record.h = h;
    record.q = q, record.x = h * some_numbers(model.nv(), seed);
    record.map.set(scheme, h, w, w_rate, A);
    record.lambda = some_numbers(seed % 3, seed), record.states = some_numbers(2, seed + 1);
    record.state_factor = 0.1 * seed, record.state_memory = 0.2 * seed, record.state_beyond = 0.3, record.energy = 0.4;
    return record;
  }
  void go(const StepRecord& record) {
    const StepMap& map = record.map;
    VectorXd end(model.nq());
    coordinates.configuration_at(record.q, record.x, end);
    q = end;
    VectorXd next_A;
    StepMap::next_acceleration(scheme, record.h, record.x, w, A, next_A);
    const VectorXd w_before = w;
    w = scheme.midpoint ? VectorXd((2.0 / record.h) * record.x - w_before)
                        : VectorXd(map.rate * record.x + map.rate_offset);
    w_rate = map.second * record.x + map.second_offset;
    A = scheme.midpoint ? w_rate : next_A;
  }

  const Model& model;
  ImplicitScheme scheme;
  StepCoordinates coordinates;
  VectorXd q, w, w_rate, A;
};

void expect_same(const StepRecord& found, const StepRecord& expected) {
  EXPECT_EQ(found.kind, expected.kind);
  EXPECT_EQ(found.goes_on, expected.goes_on);
  EXPECT_EQ(found.time, expected.time);
  EXPECT_EQ(found.h, expected.h);
  EXPECT_EQ(found.q, expected.q);
  EXPECT_EQ(found.x, expected.x);
  EXPECT_EQ(found.map.scale, expected.map.scale);
  EXPECT_EQ(found.map.rate, expected.map.rate);
  EXPECT_EQ(found.map.second, expected.map.second);
  EXPECT_EQ(found.map.rate_offset, expected.map.rate_offset);
  EXPECT_EQ(found.map.second_offset, expected.map.second_offset);
  EXPECT_EQ(found.lambda, expected.lambda);
  EXPECT_EQ(found.states, expected.states);
  EXPECT_EQ(found.state_factor, expected.state_factor);
  EXPECT_EQ(found.state_memory, expected.state_memory);
  EXPECT_EQ(found.state_beyond, expected.state_beyond);
  EXPECT_EQ(found.energy, expected.energy);
  EXPECT_EQ(found.rows.kept, expected.rows.kept);
}

class StepRecordsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, StepRecordsOf, testing::Values("generalized_alpha", "newmark", "hht", "midpoint"),
                         [](const auto& method) { return std::string(method.param); });

// Steps that follow, that begin elsewhere in configuration or rates, and what is no step, also at the ends of blocks.
TEST_P(StepRecordsOf, ComeBackBitForBit) {
  for (const char* name : {"examples/tendon_arm", "examples/floating_rod"}) {
    SCOPED_TRACE(name);
    const Model model(load_robot_file(test::k_source_dir + "/models/" + name + ".yaml").robot);
    const ImplicitScheme scheme = *find_implicit_scheme(model, test::fixed(GetParam(), 0.01));
    StepRecords records(model, scheme);
    Steps steps(model, scheme);
    std::vector<StepRecord> expected;
    for (int k = 0; k < 400; ++k) {
      if (k % 50 == 13) {
        const VectorXd before = steps.q;
        integrate<double>(model, before, some_numbers(model.nv(), k), steps.q);
      }
      if (k % 50 == 29) steps.w *= 1.5;
      if (k % 41 == 0 || k == 64 || k == 128) {
        StepRecord other;
        other.kind = k % 2 == 0 ? StepRecord::Kind::start : StepRecord::Kind::impulse;
        other.q = steps.q, other.rows.kept = {k, 2};
        expected.push_back(other);
        records.push(std::move(other));
      } else {
        expected.push_back(steps.next(k));
        records.push(expected.back(), {steps.w, steps.w_rate, steps.A});
        steps.go(expected.back());
      }
      ASSERT_EQ(records.size(), expected.size());
    }
    for (; !expected.empty(); expected.pop_back(), records.pop()) {
      ASSERT_EQ(records.size(), expected.size());
      expect_same(records.last(), expected.back());
    }
    EXPECT_TRUE(records.empty());
  }
}

// Along a run of the integrator itself: the solution of a step and eight numbers, and all of each 64th step.
TEST_P(StepRecordsOf, TakeLittleMoreThanSolutions) {
  for (const char* name : {"examples/tendon_arm", "examples/spring_leg", "boyer2023/parallel_robot"}) {
    SCOPED_TRACE(name);
    const ScenarioFile file = load_scenario_file(test::k_source_dir + "/models/" + name + "_scenario.yaml");
    const Model model(file.robot);
    RobotSystem system(model, {});
    const auto run = make_adjoint_run(system, test::fixed(GetParam(), 1e-3));
    State start = test::start_of(model);
    start.auxiliary.setZero(system.auxiliary_count());
    run->begin(start, 0.5);
    run->advance(0.3, 0.3);
    const auto steps = static_cast<double>(run->size());
    ASSERT_GE(steps, 300);
    const double rows = system.constraint_count(), nv = model.nv(), states = system.layout().stiff();
    EXPECT_LT(static_cast<double>(run->numbers_kept()), steps * (nv + rows + states + 8) * (1.0 + 4.0 / 64 + 0.05));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
