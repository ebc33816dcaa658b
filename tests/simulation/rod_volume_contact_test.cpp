// Rods that touch volumes as both deform: weight on a block, momenta, friction on an incline, edges, slopes of
// residuals, derivatives both ways, batches, live simulations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/model/parameters.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/live_simulation.h"
#include "simulation/both_ways.h"
#include "simulation/integrator_runs.h"
#include "simulation/volume_pairs.h"
#include "support/contact_run.h"
#include "support/random_state.h"
#include "support/residual_slopes.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_side = 0.04, k_height = 0.03, k_length = 0.03, k_radius = 0.004, k_density = 1200.0;
const double k_weight = 9.81 * k_density * M_PI * k_radius * k_radius * k_length;

/// A rod along x above a pad, which stands on z = 0.
struct OnPad {
  std::string kinematics =
      "{type: ritz, modes: [[{powers: [0, 0, 1], vector: [0, 0, 1]}], [{powers: [0, 0, 1], vector: [1, 0, 0]}], "
      "[{powers: [1, 0, 1], vector: [0, 0, 1]}]]}";
  std::string shape = "{type: box, size: [0.04, 0.04, 0.03]}, quadrature: {points: [3, 3, 3]}";
  double modulus = 1e5;  ///< of the pad's material
  std::string pad_joint, rod_joint = ", joint: {type: free}";
  double x = -0.5 * k_length, y = 0.003, above = 0.0;  ///< of the rod's begin; of its surface above the pad
  double yaw = 0.0;                                    ///< of the rod, about its begin
  std::string sides = "a: rod, b: pad", contact = "friction: 0", gravity = "[0, 0, -9.81]", more = "";
};
std::string on_pad(const OnPad& p) {
  return fmt::format(
      "cuttle: 1\ngravity: {}\nmaterials:\n  foam: {{model: st_venant_kirchhoff, density: 300, young_modulus: {}, "
      "poisson_ratio: 0.3, damping_time: 5.0e-3}}\n  rubber: {{density: {}, young_modulus: 5.0e5, poisson_ratio: "
      "0.4, damping_time: 2.0e-3}}\nlinks:\n  - {{name: pad, parent: base{}, body: {{type: volume, shape: {}, "
      "material: foam, kinematics: {}}}}}\n  - {{name: rod, parent: base, attach: {{pose: {{position: [{}, {}, {}], "
      "rpy: [0, 1.5707963267948966, {}]}}}}{}, body: {{type: rod, length: {}, section: {{shape: circle, radius: {}}}, "
      "material: rubber, quadrature: {{points: 6}}, strain: {{kappa_x: {{basis: legendre, order: 1}}, kappa_y: "
      "{{basis: legendre, order: 1}}}}}}}}\ncontacts: [{{name: press, {}, {}}}]\n{}",
      p.gravity, p.modulus, k_density, p.pad_joint, p.shape, p.kinematics, p.x, p.y, k_height + k_radius + p.above,
      p.yaw, p.rod_joint, k_length, k_radius, p.sides, p.contact, p.more);
}
OnPad of_elements(OnPad p, int n, bool full) {
  p.shape = fmt::format("{{type: mesh, file: '{}'}}", block_file(k_side, k_height, n, n));
  p.kinematics = full ? "{type: fem, full: true}" : "{type: fem, modes: 6}";
  return p;
}

// Springs in a row: on a pad that hardly gives way the rod sinks in by its weight a length over pi/4 E*.
TEST(RodVolumeContact, ARodWeighsOnAPad) {
  for (const char* sides : {"a: rod, b: pad", "a: pad, b: rod", "a: [rod], b: [pad]"}) {
    const double sign = sides[3] == 'p' ? -1.0 : 1.0;
    for (const int kind : {0, 1, 2}) {
      OnPad p;
      p.rod_joint = ", joint: {type: prismatic, axis: [1, 0, 0]}";  // down
      p.sides = sides, p.modulus = 1e8, p.above = -2e-4, p.contact = "friction: 0.4, modulus: 2.0e3";
      if (kind > 0) p = of_elements(p, 1, kind == 1);
      if (kind > 0 && sign < 0) continue;
      const ContactRun ran =
          run_contacts(on_pad(p), "  duration: 0.02\n  output_step: 0.02\n  initial: {statics: true}\n");
      const double depth = k_weight / k_length / (M_PI / 4 * 2e3) + 0.5e-3 * k_radius;
      EXPECT_NEAR(ran.last("press", "force", 2), sign * k_weight, 1e-5 * k_weight) << sides << kind;
      EXPECT_NEAR(ran.last("press", "normal"), k_weight, 2e-2 * k_weight) << sides << kind;  // facets share and lean
      EXPECT_NEAR(-ran.last("press", "gap"), depth, 5e-3 * depth) << sides << kind;
      EXPECT_GT(depth, 0.05 * k_radius);
    }
  }
}

TEST(RodVolumeContact, FlyingFreelyTheyKeepMomentaAndTheirBook) {
  OnPad p;
  p.pad_joint = ", joint: {type: free}", p.gravity = "[0, 0, 0]", p.above = 1e-4, p.yaw = 0.3;
  p.contact = "friction: 0.4, dissipation: 0.3, spacing: 0.03";
  const Model model(read_robot_text(on_pad(p), "r.yaml"));
  std::vector<VectorXd> ends;
  for (const char* integrator :
       {"{type: generalized_alpha, step: 4e-5}", "{type: newmark, step: 2e-5}", "{type: rk4, step: 1e-5}",
        "{type: bdf, relative_tolerance: 1e-7, absolute_tolerance: "
        "1e-9}"}) {
    const ContactRun ran = run_contacts(
        on_pad(p),
        fmt::format("  duration: 0.012\n  output_step: 0.0005\n  integrator: {}\n  initial: {{rod: {{v: [1, 2, "
                    "-1, 0.1, 0.05, 0.0, 0, 0, 0, 0]}}, pad: {{v: [0, 0, 1, 0, 0, 0.25, 0, 0, 0]}}}}\n",
                    integrator));
    const Sample &first = ran.samples.front(), &last = ran.samples.back();
    Data data(ran.model);
    const Wrench before = momentum<double>(ran.model, data, first.q, first.v);
    const Wrench after = momentum<double>(ran.model, data, last.q, last.v);
    EXPECT_LT(norm(after.force - before.force), 1e-3 * norm(before.force)) << integrator;
    EXPECT_LT(norm(after.torque - before.torque), 1e-2 * norm(before.torque)) << integrator;
    EXPECT_LT(std::abs(last.energy() - first.energy() + last.dissipated), 2e-3 * first.energy()) << integrator;
    double most = 0.0;
    for (const Sample& s : ran.samples) most = std::max(most, s.contact);
    EXPECT_GT(most, 1e-6) << integrator;
    EXPECT_GT(ran.at(last, "press", "dissipated"), 1e-8) << integrator;
    ends.push_back(last.q);
  }
  for (const VectorXd& q : ends) EXPECT_LT((q - ends[0]).norm(), 1e-2 * 0.012);
}

// Across the incline it would roll: along it, it sticks or slides as the coefficient says.
TEST(RodVolumeContact, FrictionHoldsARodOnAnIncline) {
  const double angle = std::atan(0.4);
  const auto run = [&](double mu, const std::string& scenario) {
    OnPad p;
    p.contact = fmt::format("friction: {}", mu), p.x = -0.02, p.y = 0.0;
    p.gravity = fmt::format("[{}, 0, {}]", 9.81 * std::sin(angle), -9.81 * std::cos(angle));
    return run_contacts(on_pad(p), scenario);
  };
  const auto joint = [](const ContactRun& ran) {
    for (const Edge& edge : ran.model.topology().edges) {
      if (edge.nq == 7) return edge.q;
    }
    return -1;
  };
  const ContactRun held = run(0.5, "  duration: 0.3\n  output_step: 0.1\n  initial: {statics: true}\n");
  const int x = joint(held);
  const Sample &first = held.samples.front(), &last = held.samples.back();
  EXPECT_LT((last.q.segment(x, 3) - first.q.segment(x, 3)).norm(), 1e-6);
  EXPECT_NEAR(held.at(last, "press", "force", 2), k_weight * std::cos(angle), 1e-3 * k_weight);
  EXPECT_NEAR(held.at(last, "press", "force", 0), -k_weight * std::sin(angle), 1e-3 * k_weight);
  EXPECT_NEAR(held.at(last, "press", "friction"), k_weight * std::sin(angle), 2e-2 * k_weight);

  const ContactRun slid =
      run(0.3, "  duration: 0.08\n  output_step: 0.04\n  integrator: {type: generalized_alpha, step: 5e-4}\n");
  const double normal = slid.last("press", "normal");
  EXPECT_GT(slid.last("press", "slip"), 0.02);
  EXPECT_GT(normal, 0.2 * k_weight);
  EXPECT_NEAR(slid.last("press", "friction"), 0.3 * normal, 0.02 * 0.3 * normal);
  EXPECT_GT((slid.samples[2].q.segment(x, 3) - slid.samples[1].q.segment(x, 3)).norm(), 1e-3);
}

// Beyond the edge of the pad nothing bears it: with the middle of its weight within it lies there, else it tips down.
TEST(RodVolumeContact, ARodOverTheEdgeOfAPadRestsOrTips) {
  for (const double over : {0.4, 0.6}) {
    OnPad p;
    p.x = 0.5 * k_side - (1 - over) * k_length, p.contact = "friction: 0.5";
    const ContactRun ran = run_contacts(
        on_pad(p), "  duration: 0.12\n  output_step: 0.04\n  integrator: {type: generalized_alpha, step: 5e-4}\n");
    const double bears = ran.last("press", "force", 2);
    const Sample& last = ran.samples.back();
    Data data(ran.model);
    const double lost = ran.samples.front().gravity - last.gravity;
    if (over < 0.5) {
      EXPECT_NEAR(bears, k_weight, 0.05 * k_weight);
      EXPECT_LT(lost, k_weight * 5e-4);
    } else {
      EXPECT_GT(lost, k_weight * 2e-3);
    }
  }
}

/// The rod flies at the pad, turned.
OnPad meeting_pair(const std::string& friction, const std::string& sides = "a: rod, b: pad") {
  OnPad p;
  p.gravity = "[0, 0, 0]", p.above = 1e-4, p.yaw = 0.2, p.sides = sides, p.x = -0.002;
  p.contact = fmt::format("friction: {}, modulus: 4.0e4, dissipation: 0.3, spacing: 0.02", friction);
  return p;
}
Scenario meeting(const std::string& type, double step, double duration) {
  Scenario scenario{.duration = duration, .output_step = 0.25 * duration};
  scenario.integrator.type = type, scenario.integrator.step = step;
  scenario.initial["rod"] = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {1, 2, -1, 0.3, 0.1, 0.05, 0, 0, 0, 0}};
  return scenario;
}
std::vector<Sample> run(const Model& model, const Scenario& scenario) {
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  return memory.samples();
}

TEST(RodVolumeContact, ResidualsHaveTheSlopesOfDifferences) {
  for (const char* friction :
       {"0", "0.4", "{static: 0.6, kinetic: 0.4}", "{forward: 0.2, backward: 0.9, sideways: 0.5}"}) {
    for (const char* sides : {"a: rod, b: pad", "a: pad, b: rod"}) {
      OnPad p = meeting_pair(friction, sides);
      p.above = -1e-3;
      const Model model(read_robot_text(on_pad(p), "r.yaml"));
      RobotSystem system(model);
      Random random(11);
      VectorXd step(model.nv()), v(model.nv()), a(model.nv()), start(model.nq());
      for (double& x : step) x = random.uniform(-1e-3, 1e-3);
      for (double& x : v) x = random.uniform(-0.1, 0.1);
      for (double& x : a) x = random.uniform(-1.0, 1.0);
      integrate<double>(model, model.neutral(), step, start);
      VectorXd states = start_of_auxiliary(model);
      for (double& x : system.layout().sites_of(states)) x = random.uniform(-1e-5, 1e-5);
      for (const double stiff_factor : {0.0, 1e-3}) {
        expect_residual_slopes(system, 0.0, start, v, a, {states, 1e-3, stiff_factor}, friction, 2e-7, 1e-6);
      }
      EXPECT_GT(system.energy_balance_at(0.0, start, v, states)->contacts, 0.0) << friction << sides;
    }
  }
}

// A velocity and a radius move the instants at which points touch down and come to other facets: their differences are
// of runs by erk, which finds these. Differences of fixed steps do not: by the radius they are off by all of it.
TEST(RodVolumeContact, GradientsGoBackAsForwardAndAreThoseOfDifferences) {
  const std::vector<std::string> by{"contacts.press.modulus", "simulation.initial.rod.v[3]", "contacts.press.friction",
                                    "links.rod.body.section.radius"};
  const Robot robot = read_robot_text(on_pad(meeting_pair("0.4")), "r.yaml");
  const Model model(robot);
  const Scenario scenario = meeting("generalized_alpha", 2e-4, 0.008);
  const BothWays both = both_ways(model, scenario, {0.004, 0.008}, by);
  expect_alike(both, by, 1e-6, 1e-8);
  EXPECT_GT(run(model, scenario).back().dissipated, 1e-8);
  const auto source = parameter_source(robot);
  for (const std::size_t k : {0u, 1u, 3u}) {
    const double step = k == 0 ? 4.0 : (k == 1 ? 1e-3 : 1e-6);
    const auto at = [&](int n) {
      Scenario changed = scenario;
      if (k != 0) changed.integrator = adaptive("erk", 1e-8);
      Robot other = robot;
      if (k == 1) {
        changed.initial["rod"].v[3] += n * step;
      } else {
        other = source->with({{by[k], source->parameter(by[k]).value + n * step}});
      }
      return VectorXd(run(Model(other), changed).back().q);
    };
    const VectorXd slope = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * step);
    const Scenario fine = meeting("generalized_alpha", k == 0 ? 2e-4 : 1.25e-5, 0.008);
    const VectorXd exact = sensitivities(model, fine, {"q"}, {by[k]}, {0.008}).derivatives[0].col(0);
    EXPECT_LT((slope - exact).norm(), (k == 0 ? 2e-3 : 1e-2) * exact.norm()) << by[k];  // it crosses corners of the law
  }
}

TEST(RodVolumeContact, EveryIntegratorMovesAlike) {
  const Model model(read_robot_text(on_pad(meeting_pair("0.4")), "r.yaml"));
  const std::vector<Sample> expected = run(model, meeting("generalized_alpha", 2e-5, 0.01));
  const double size = (expected.back().q - expected.front().q).norm();
  EXPECT_GT(expected.back().dissipated, 1e-8);
  for (const char* type : {"rk4", "newmark", "midpoint"}) {
    const bool is_explicit = std::string(type) == "rk4";
    const std::vector<Sample> samples = run(model, meeting(type, is_explicit ? 1e-5 : 5e-5, 0.01));
    EXPECT_LT((samples.back().q - expected.back().q).norm(), 5e-3 * size) << type;
    const Sample &first = samples.front(), &last = samples.back();
    EXPECT_LT(std::abs(last.energy() - first.energy() + last.dissipated), 3e-3 * first.energy()) << type;
  }
}

TEST(RodVolumeContact, BatchesAndLiveSimulationsAreRuns) {
  const Robot robot = read_robot_text(on_pad(meeting_pair("0.4")), "r.yaml");
  const Model model(robot);
  constexpr int k_count = 3;
  Batch batch(model, {"contacts.press.modulus"}, RowMatrixXd{{2e4}, {4e4}, {8e4}}, 1);
  const Scenario scenario = meeting("rk4", 2e-5, 0.006);
  RowMatrixXd q(k_count, model.nq()), v(k_count, model.nv());
  const Sample first = run(model, scenario).front();
  q.rowwise() = first.q.transpose(), v.rowwise() = first.v.transpose();
  const Rollout rollout = batch.rollout(q, v, {.method = "rk4", .step = 2e-5, .duration = 0.006});
  const auto source = parameter_source(robot);
  for (int k = 0; k < k_count; ++k) {
    const Model own(source->with({{"contacts.press.modulus", 2e4 * (1 << k)}}));
    EXPECT_LT((rollout.q.row(k).transpose() - run(own, scenario).back().q).norm(), 1e-10) << k;
  }
  EXPECT_GT((rollout.q.row(0) - rollout.q.row(2)).norm(), 1e-5);  // they touch
  const Scenario slow = meeting("generalized_alpha", 2e-4, 0.01);
  LiveSimulation live(robot, slow);
  for (const Sample& expected : run(model, slow)) {
    live.advance(expected.time - live.time());
    ASSERT_EQ(live.failure(), "");
    EXPECT_LT((live.sample().q - expected.q).norm(), 1e-10) << expected.time;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
