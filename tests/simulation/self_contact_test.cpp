// A rod that touches itself: balances against minimization, and what is beside it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_E = 1e6, k_radius = 0.004, k_length = 0.3;

/// A clamped rod of one curvature that wants to close beyond a circle.
std::string ring(double rest, int points, const char* more = "") {
  return fmt::format(
      "cuttle: 1\ngravity: [0, 0, 0]\nmaterials: {{rubber: {{density: 1000, young_modulus: {}, poisson_ratio: 0.4, "
      "damping_time: 0.1}}}}\nlinks:\n  - {{name: ring, body: {{type: rod, length: {}, section: {{shape: circle, "
      "radius: {}}}, material: rubber, strain: {{kappa_x: constant}}, rest_strain: {{kappa_x: {}}}, quadrature: "
      "{{points: {}}}}}}}\ncontacts: [{{name: meet, a: ring, b: self, friction: 0{}}}]\n",
      k_E, k_length, k_radius, rest, points, more);
}

/// What a circle of one curvature stores: in bending, and where its ends overlap, all pairs of points by search. Ends
/// are half spheres; only points at least `apart` along the rod touch.
double stored(double curvature, double rest, const std::vector<double>& stops) {
  const double EI = k_E * M_PI / 4 * std::pow(k_radius, 4), modulus = k_E / (2 * (1 - 0.16)), range = 1e-3 * k_radius;
  const auto point = [&](double s) {
    return Eigen::Vector2d((1 - std::cos(curvature * s)) / curvature, std::sin(curvature * s) / curvature);
  };
  double energy = 0.5 * EI * std::pow(curvature - rest, 2) * k_length;
  constexpr int k_samples = 4000;
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const double h = stops[1] - stops[0], least = stops[i + 1] + std::max(2.5 * k_radius, 1.2 * h) - 1e-9;
    const auto first = std::find_if(stops.begin(), stops.end(), [&](double s) { return s >= least; });
    if (first == stops.end() || *first >= k_length) continue;
    for (int n = 0; n < k_samples; ++n) {
      const double s = stops[i] + (n + 0.5) / k_samples * (stops[i + 1] - stops[i]);
      const Eigen::Vector2d x = point(s);
      // on the circle the nearest point is an end of what is left, or x itself
      const double distance = std::min((x - point(*first)).norm(), (x - point(k_length)).norm());
      const double d = 2 * k_radius - distance;
      const double H =
          d <= 0 ? 0.0
                 : (d < range ? d * d * d / (6 * range) : 0.5 * std::pow(d - 0.5 * range, 2) + range * range / 24);
      energy += M_PI / 4 * modulus * H * (stops[i + 1] - stops[i]) / k_samples;
    }
  }
  return energy;
}

TEST(SelfContact, ARingRestsWhereItsEnergyIsLeast) {
  for (const int points : {7, 10, 16}) {
    const double rest = 2 * M_PI / k_length * 1.02;
    const ScenarioFile file = read_scenario_text(  // it begins open
        fmt::format("cuttle: 1\nrobot: r.yaml\nsimulation: {{duration: 4, output_step: 0.5, initial: {{ring: {{q: "
                    "[{}]}}}}}}\n",
                    -0.1 * rest * k_length),
        "s.yaml", ring(rest, points));
    const Model model(file.robot);
    std::vector<double> stops{0.0};
    for (const auto& station : model.robot().links[0].body->stations()) {
      if (station.s > stops.back() + 1e-9 && station.s < k_length - 1e-9) stops.push_back(station.s);
    }
    stops.push_back(k_length);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, file.scenario).run({&memory});
    ASSERT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    const Sample& last = memory.samples().back();
    double low = 0.9 * rest, high = rest;  // golden section
    constexpr double k_golden = 0.6180339887498949;
    for (int i = 0; i < 60; ++i) {
      const double a = high - k_golden * (high - low), b = low + k_golden * (high - low);
      (stored(a, rest, stops) < stored(b, rest, stops) ? high : low) =
          stored(a, rest, stops) < stored(b, rest, stops) ? b : a;
    }
    const double expected = 0.5 * (low + high);
    EXPECT_LT(expected, rest * (1 - 1e-3)) << points;  // it is held open
    EXPECT_LT(last.v.norm(), 1e-2) << points;          // it has come to rest
    EXPECT_NEAR(rest + last.q[0] / k_length, expected, 1e-4 * expected) << points << " " << rest;
  }
}

// All that a run of a rod on itself records, and its book.
TEST(SelfContact, AFlyingRodThatFoldsKeepsItsMomentaAndItsBook) {
  const std::string robot =
      "cuttle: 1\nbase: {motion: floating}\ngravity: [0, 0, 0]\nmaterials: {rubber: {density: 1100, young_modulus: "
      "1.0e6, poisson_ratio: 0.4, damping_time: 2.0e-3}}\nlinks:\n  - {name: rope, body: {type: rod, length: 0.25, "
      "section: {shape: circle, radius: 0.004}, material: rubber, strain: {kappa_x: {basis: legendre, order: 3}, "
      "kappa_y: {basis: legendre, order: 1}, kappa_z: constant}, quadrature: {points: 13}}}\n"
      "contacts: [{name: fold, a: rope, b: self, friction: 0.4, dissipation: 0.3}]\n";
  // generalized_alpha keeps momenta to the order of its step
  const std::pair<const char*, double> integrators[] = {
      {"{type: bdf, relative_tolerance: 5e-8, absolute_tolerance: 5e-10}", 1e-4},  // at 1e-7 3e-5 to 1.04e-4
      {"{type: generalized_alpha, step: 5e-5}", 5e-3},
      {"{type: generalized_alpha, step: 2.5e-5}", 1.25e-3}};
  for (const auto& [integrator, kept] : integrators) {
    const ScenarioFile file = read_scenario_text(
        fmt::format(
            "cuttle: 1\nrobot: r.yaml\nsimulation:\n  duration: 0.06\n  output_step: 0.01\n  integrator: {}\n  "
            "initial:\n    base: {{v: [0.5, 1, 0.3, 0.1, 0.2, 0]}}\n    rope: {{q: [14, 0, 0, 0, 1.5, 0, 1], v: "
            "[500, 0, 0, 0, 0, 0, 0]}}\n",
            integrator),
        "s.yaml", robot);
    const Model model(file.robot);
    MemoryRecorder memory;
    const Outcome outcome = Simulator(model, file.scenario).run({&memory});
    ASSERT_EQ(outcome.status, RunStatus::complete) << outcome.message;
    const Sample &first = memory.samples().front(), &last = memory.samples().back();
    EXPECT_LT(std::abs(last.energy() - first.energy() + last.dissipated), 5e-4 * first.energy()) << integrator;
    Data data(model);
    const Wrench before = momentum<double>(model, data, first.q, first.v);
    const Wrench after = momentum<double>(model, data, last.q, last.v);
    EXPECT_LT(norm(after.force - before.force), kept * norm(before.force)) << integrator;
    EXPECT_LT(norm(after.torque - before.torque), kept * norm(before.torque)) << integrator;
    double most = 0.0, least_gap = 1.0;
    for (const Sample& s : memory.samples())
      most = std::max(most, s.contact), least_gap = std::min(least_gap, s.contacts[5]);
    EXPECT_GT(most, 0.0) << integrator;  // it met itself
    EXPECT_LT(least_gap, 0.0) << integrator;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
