// A volume that touches itself: beside two volumes that touch each other, and a strip that folds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "simulation/volume_pairs.h"
#include "support/contact_run.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_height = 0.06, k_thin = 0.008, k_thick = 0.02, k_gap = 1e-3;

/// A wall of a width in x, at a place in x.
TetrahedralMesh wall(double width, double x, int nz) {
  return mapped(box_mesh({width, 0.02, k_height}, 1, 1, nz), [&](Vector3 at) {
    at.x += x;
    return at;
  });
}
TetrahedralMesh together(TetrahedralMesh a, const TetrahedralMesh& b) {
  const auto first = static_cast<int>(a.nodes.size());
  a.nodes.insert(a.nodes.end(), b.nodes.begin(), b.nodes.end());
  for (std::array<int, 4> corners : b.tetrahedra) {
    for (int& corner : corners) corner += first;
    a.tetrahedra.push_back(corners);
  }
  return a;
}

/// Links of meshes that stand on the ground beside each other.
std::string standing(const std::vector<std::string>& meshes, const char* contact, const char* gravity) {
  std::string text = fmt::format(
      "cuttle: 1\ngravity: {}\nmaterials: {{soft: {{model: st_venant_kirchhoff, density: 1000, young_modulus: 2.0e4, "
      "poisson_ratio: 0.3, damping_time: 2.0e-2}}}}\nlinks:\n",
      gravity);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    text += fmt::format(
        "  - {{name: wall{}, parent: base, body: {{type: volume, shape: {{type: mesh, file: '{}'}}, material: soft, "
        "kinematics: {{type: fem, full: true}}}}}}\n",
        i, meshes[i]);
  }
  return text + fmt::format("contacts: [{{name: lean, {}}}]\n", contact);
}

// Two walls of one mesh touch as those of two: a thin one leans on a thick one.
TEST(VolumeSelfContact, WallsOfOneBodyLeanAsThoseOfTwo) {
  const TetrahedralMesh thin = wall(k_thin, -0.5 * (k_thin + k_gap), 4),
                        thick = wall(k_thick, 0.5 * (k_thick + k_gap), 3);
  const std::string one = mesh_file(fmt::format("walls_{}", ::getpid()), together(thin, thick)),
                    first = mesh_file(fmt::format("thin_{}", ::getpid()), thin),
                    second = mesh_file(fmt::format("thick_{}", ::getpid()), thick);
  for (const char* friction : {"0", "0.5"}) {
    const std::string run = "  duration: 1\n  output_step: 1\n  integrator: {type: generalized_alpha, step: 2e-3}\n";
    const ContactRun alone = run_contacts(
        standing({one}, fmt::format("a: wall0, b: self, friction: {}", friction).c_str(), "[9.81, 0, 0]"), run);
    const ContactRun pair = run_contacts(
        standing({first, second}, fmt::format("a: wall0, b: wall1, friction: {}", friction).c_str(), "[9.81, 0, 0]"),
        run);
    const double expected = pair.last("lean", "normal");
    EXPECT_GT(expected, 1e-3) << friction;
    EXPECT_NEAR(alone.last("lean", "normal"), expected, 1e-5 * expected) << friction;
    EXPECT_NEAR(alone.last("lean", "friction"), pair.last("lean", "friction"), 1e-4 * expected) << friction;
    EXPECT_NEAR(alone.last("lean", "gap"), pair.last("lean", "gap"), 1e-5 * k_gap) << friction;
    ASSERT_EQ(alone.model.nq(), pair.model.nq());
    std::vector<double> q(alone.samples.back().q.begin(), alone.samples.back().q.end()),
        wanted(pair.samples.back().q.begin(), pair.samples.back().q.end());
    std::sort(q.begin(), q.end()), std::sort(wanted.begin(), wanted.end());
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], wanted[i], 1e-8) << friction << " " << i;
  }
}

// A strip bent to a hairpin, whose free leg falls against the other one.
TEST(VolumeSelfContact, AFoldedStripLiesOnItself) {
  constexpr double k_strip = 0.004, k_radius = 0.006, k_leg = 0.05;
  const std::string mesh = mesh_file(
      fmt::format("hairpin_{}", ::getpid()),
      mapped(box_mesh({k_strip, 0.02, 2 * k_leg + M_PI * k_radius}, 1, 1, 16), [&](const Vector3& at) -> Vector3 {
        if (at.z <= k_leg) return at;
        const double turn = (at.z - k_leg) / k_radius;  // about a point beside the first leg
        if (turn < M_PI) {
          return {k_radius - (k_radius - at.x) * std::cos(turn), at.y, k_leg + (k_radius - at.x) * std::sin(turn)};
        }
        return {2 * k_radius - at.x, at.y, 2 * k_leg + M_PI * k_radius - at.z};
      }));
  const std::string robot = standing({mesh}, "a: wall0, b: self, friction: 0.3", "[-9.81, 0, -1]");
  const ContactRun ran =
      run_contacts(robot, "  duration: 2\n  output_step: 0.1\n  integrator: {type: generalized_alpha, step: 2e-3}\n");
  const Sample &first = ran.samples.front(), &last = ran.samples.back();
  EXPECT_GT(ran.at(first, "lean", "gap"), 0.5 * (2 * k_radius - k_strip));
  EXPECT_EQ(ran.at(first, "lean", "normal"), 0.0);
  const double weight = 9.81 * 1000 * k_strip * 0.02 * k_leg;
  EXPECT_GT(ran.at(last, "lean", "normal"), 0.02 * weight);
  EXPECT_LT(ran.at(last, "lean", "normal"), 2 * weight);
  EXPECT_LT(ran.at(last, "lean", "gap"), 0.0);
  EXPECT_GT(ran.at(last, "lean", "gap"), -0.1 * k_strip);
  // the free leg pushes the clamped one, which results are of, towards -x
  EXPECT_LT(ran.at(last, "lean", "force", 0), 0.0);
  EXPECT_LT(last.v.norm(), 1e-3);
}

// What it does to itself adds up to nothing: a free body falls as without.
TEST(VolumeSelfContact, IsRefusedWhereAllAreNeighbors) {
  const std::string mesh = mesh_file(fmt::format("brick_{}", ::getpid()), box_mesh({0.02, 0.02, 0.02}, 1, 1, 1));
  try {
    const Model model(read_robot_text(standing({mesh}, "a: wall0, b: self", "[0, 0, 0]"), "r.yaml"));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("contacts[0].b: found 'self' beside 'wall0', whose parts are all neighbors, "
                        "expected a volume whose surface has more facets"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
