// A volume that touches itself: a strip that folds, and what is refused.
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

/// Links of meshes that stand on the ground beside each other.
std::string standing(const std::vector<std::string>& meshes, const char* contact, const char* gravity) {
  std::string text = fmt::format(
      "cuttle: 1\ngravity: {}\nmaterials: {{soft: {{model: st_venant_kirchhoff, density: 1000, young_modulus: 2.0e4, "
      "poisson_ratio: 0.3, damping_time: 6.0e-2}}}}\nlinks:\n",
      gravity);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    text += fmt::format(
        "  - {{name: wall{}, parent: base, body: {{type: volume, shape: {{type: mesh, file: '{}'}}, material: soft, "
        "kinematics: {{type: fem, full: true}}}}}}\n",
        i, meshes[i]);
  }
  return text + fmt::format("contacts: [{{name: lean, {}}}]\n", contact);
}

// A strip bent to a hairpin, whose free leg falls against the other one.
TEST(VolumeSelfContact, AFoldedStripLiesOnItself) {
  constexpr double k_strip = 0.004, k_radius = 0.0025, k_leg = 0.05;
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
      run_contacts(robot, "  duration: 1\n  output_step: 0.1\n  integrator: {type: generalized_alpha, step: 2.5e-3}\n");
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
  EXPECT_LT(last.v.norm(), 1e-2);
}

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
