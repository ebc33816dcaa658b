// Volumes that touch each other: a block on a block, round ones beside one on a plane, momenta, friction on an incline.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "simulation/volume_pairs.h"
#include "support/contact_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_size = 0.04;
constexpr const char* k_at_rest = "  duration: 0.05\n  output_step: 0.05\n  initial: {statics: true}\n";

/// Mean of the lengths of the edges of a square's halves.
double mean_edge(double square) { return square * (2 + std::sqrt(2.0)) / 3; }

// Patch test: without Poisson's ratio blocks are springs L / (E A), and between them there is a layer of the law. With
// facets upon facets all of it is uniform.
TEST(VolumeContact, EqualBlocksPressEachOtherUniformly) {
  constexpr double k_overlap = 8e-4;
  for (const int n : {1, 2}) {
    const std::string mesh = block_file(k_size, k_size, n, 2);
    VolumePair pair{mesh, mesh};
    pair.height = 2 * k_size - k_overlap;
    pair.contact = n == 1 ? "friction: 0, record: sites" : "friction: 0";
    pair.turn = M_PI / 2;  // facets upon facets
    const ContactRun ran = run_contacts(volume_pair(pair), k_at_rest);
    const double thickness = mean_edge(k_size / n) / 3, modulus = k_volume_modulus / 2, range = 1e-3 * thickness;
    // St. Venant and Kirchhoff: nominal stress E e (1 + e) (1 + e / 2) at the stretch 1 + e
    const auto stress = [](double e) { return k_volume_modulus * e * (1 - e) * (1 - e / 2); };
    double low = 0.0, high = 0.5 * k_overlap / k_size;
    for (int i = 0; i < 100; ++i) {
      const double e = 0.5 * (low + high), depth = k_overlap - 2 * e * k_size;
      (stress(e) < modulus / thickness * (depth - range / 2) ? low : high) = e;
    }
    const double expected = stress(low) * k_size * k_size;
    const Sample& last = ran.samples.back();
    EXPECT_NEAR(ran.at(last, "press", "normal"), expected, 1e-6 * expected) << n;
    EXPECT_NEAR(ran.at(last, "press", "force", 2), expected, 1e-6 * expected) << n;
    EXPECT_NEAR(ran.at(last, "press", "gap"), -(k_overlap - 2 * low * k_size), 1e-6 * k_overlap) << n;
    if (n > 1) continue;
    // pressures of all sites that touch
    int touching = 0;
    const auto sites = static_cast<int>(ran.model.site_laws()[0]->sites().size());
    for (int site = 0; site < sites; ++site) {
      const double pressure = ran.at(last, "press/sites", "pressure", site);
      if (pressure == 0.0) continue;
      EXPECT_NEAR(pressure, expected / (k_size * k_size), 1e-5 * expected / (k_size * k_size)) << n << " " << site;
      ++touching;
    }
    EXPECT_EQ(touching, 2 * 2 * 3);  // three points a facet
  }
}

// Facets that do not match: forces of middles on another mesh are not those of a uniform pressure, but nearly.
TEST(VolumeContact, OtherMeshesPressEachOtherNearlyUniformly) {
  constexpr double k_overlap = 8e-4;
  const std::string lower = block_file(k_size, k_size, 2, 2);
  const auto force = [&](const std::string& upper, double turn, const char* sides) {
    VolumePair pair{lower, upper};
    pair.height = 2 * k_size - k_overlap, pair.turn = turn, pair.sides = sides;
    const ContactRun ran = run_contacts(volume_pair(pair), k_at_rest);
    const double normal = ran.last("press", "normal");
    EXPECT_NEAR(std::abs(ran.last("press", "force", 2)), normal, 2e-2 * normal);
    return normal;
  };
  const double alike = force(lower, 0.0, "a: upper, b: lower");
  EXPECT_NEAR(force(lower, 0.0, "a: lower, b: upper"), alike, 1e-9 * alike);
  EXPECT_NEAR(force(block_file(k_size, k_size, 3, 2), 0.0, "a: upper, b: lower"), alike, 0.1 * alike);
}

/// A block whose face is a part of a sphere.
std::string crowned_file(double radius, int nx, int nz) {
  return mesh_file(fmt::format("crowned_{}_{}_{}_{}", radius, nx, nz, ::getpid()),
                   mapped(box_mesh({k_size, k_size, k_size}, nx, nx, nz), [&](Vector3 x) {
                     x.z -= (x.x * x.x + x.y * x.y) / (2 * radius) * x.z / k_size;
                     return x;
                   }));
}

// By symmetry two round blocks press as one does on a plane into which it goes half as deep, with half of the modulus.
TEST(VolumeContact, RoundBlocksPressAsOneOnAPlane) {
  constexpr double k_overlap = 1.6e-3;
  const std::string mesh = crowned_file(0.2, 4, 2);
  for (const double poisson : {0.0, 0.3}) {
    VolumePair pair{mesh, mesh};
    pair.height = 2 * k_size - 2 * k_overlap, pair.poisson = poisson, pair.turn = M_PI / 2;
    const ContactRun both = run_contacts(volume_pair(pair), k_at_rest);
    std::string alone = volume_pair(pair);
    alone.erase(alone.find("  - {name: upper"));
    alone += fmt::format(
        "obstacles: [{{name: wall, shape: plane, pose: {{position: [0, 0, {}], rpy: [3.141592653589793, 0, "
        "0]}}}}]\ncontacts: [{{name: press, a: lower, b: wall, friction: 0}}]\n",
        k_size - k_overlap);
    const ContactRun one = run_contacts(alone, k_at_rest);
    const double expected = one.last("press", "normal");
    EXPECT_GT(expected, 0.1);
    EXPECT_NEAR(both.last("press", "normal"), expected, 0.08 * expected) << poisson;
  }
}

/// Flies at the lower one, turned, off the middle, with spin.
VolumePair flying(const std::string& mesh) {
  VolumePair pair{mesh, mesh};
  pair.lower_joint = "{type: free}", pair.upper_joint = "{type: free}", pair.turn = 0.4;
  pair.height = 2 * k_size + 2e-4, pair.contact = "friction: 0.4, dissipation: 0.3", pair.poisson = 0.3;
  return pair;
}
std::string flight(const std::string& integrator, double duration) {
  return fmt::format(
      "  duration: {}\n  output_step: {}\n  integrator: {}\n  initial:\n    upper: {{q: [0.006, 0.004, 0, 1, 0, 0, 0, "
      "{}], v: [1, 2, -1, 0.05, 0.1, 0.4, {}]}}\n",
      duration, 0.25 * duration, integrator, "ZEROS", "ZEROS");
}
std::string zeros(std::string text, int count) {
  std::string list = "0";
  for (int i = 1; i < count; ++i) list += ", 0";
  for (std::size_t at = text.find("ZEROS"); at != std::string::npos; at = text.find("ZEROS")) text.replace(at, 5, list);
  return text;
}

TEST(VolumeContact, FlyingBlocksKeepTheirMomentaAndTheirBook) {
  const std::string mesh = block_file(k_size, k_size, 1, 1);
  const int count = 12;  // nodes of the face that is not clamped, three each
  const std::string robot = volume_pair(flying(mesh));
  std::vector<VectorXd> ends;
  for (const char* integrator :
       {"{type: generalized_alpha, step: 4e-5}", "{type: newmark, step: 2e-5}", "{type: rk4, step: 1e-5}",
        "{type: bdf, relative_tolerance: 1e-7, absolute_tolerance: 1e-9}"}) {
    const ContactRun ran = run_contacts(robot, zeros(flight(integrator, 0.012), count));
    const Sample &first = ran.samples.front(), &last = ran.samples.back();
    Data data(ran.model);
    const Wrench before = momentum<double>(ran.model, data, first.q, first.v);
    const Wrench after = momentum<double>(ran.model, data, last.q, last.v);
    EXPECT_LT(norm(after.force - before.force), 1e-3 * norm(before.force)) << integrator;
    EXPECT_LT(norm(after.torque - before.torque), 1e-2 * norm(before.torque)) << integrator;
    EXPECT_LT(std::abs(last.energy() - first.energy() + last.dissipated), 2e-3 * first.energy()) << integrator;
    double most = 0.0;
    for (const Sample& s : ran.samples) most = std::max(most, s.contact);
    EXPECT_GT(most, 1e-5) << integrator;
    EXPECT_GT(ran.at(last, "press", "dissipated"), 1e-6) << integrator;
    ends.push_back(last.q);
  }
  for (const VectorXd& q : ends) EXPECT_LT((q - ends[0]).norm(), 1e-2 * 0.012 * 0.4);
}

// On an incline the upper block stays where it rests, or slides as the coefficient says.
TEST(VolumeContact, FrictionHoldsABlockOnAnIncline) {
  const std::string mesh = block_file(k_size, k_size, 1, 1);
  const double angle = std::atan(0.4), weight = 9.81 * k_volume_density * std::pow(k_size, 3);
  const auto run = [&](double mu, const char* scenario) {
    VolumePair pair{mesh, mesh};
    pair.upper_joint = "{type: free}", pair.height = 2 * k_size, pair.poisson = 0.3;
    pair.contact = fmt::format("friction: {}", mu);
    pair.gravity = fmt::format("[{}, 0, {}]", 9.81 * std::sin(angle), -9.81 * std::cos(angle));
    return run_contacts(volume_pair(pair), scenario);
  };
  const auto joint = [](const ContactRun& ran) {  // x of the upper one's frame
    for (const Edge& edge : ran.model.topology().edges) {
      if (edge.nq == 7) return edge.q;
    }
    return -1;
  };
  const ContactRun held = run(0.5, "  duration: 0.5\n  output_step: 0.1\n  initial: {statics: true}\n");
  const int x = joint(held);
  const Sample &first = held.samples.front(), &last = held.samples.back();
  EXPECT_LT(std::abs(last.q[x] - first.q[x]), 1e-6);
  EXPECT_NEAR(held.at(last, "press", "force", 2), weight * std::cos(angle), 1e-3 * weight);
  EXPECT_NEAR(held.at(last, "press", "friction"), weight * std::sin(angle), 2e-2 * weight);  // facets lean a little
  EXPECT_NEAR(held.at(last, "press", "force", 0), -weight * std::sin(angle), 1e-3 * weight);

  const ContactRun slid =
      run(0.3, "  duration: 0.12\n  output_step: 0.06\n  integrator: {type: generalized_alpha, step: 5e-4}\n");
  const double normal = slid.last("press", "normal");
  EXPECT_GT(slid.last("press", "slip"), 0.02);
  EXPECT_GT(normal, 0.2 * weight);
  EXPECT_NEAR(slid.last("press", "friction"), 0.3 * normal, 0.05 * 0.3 * normal);
  EXPECT_GT(slid.samples[2].q[x] - slid.samples[1].q[x], 2e-3);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
