#include "soft_rod.h"

#include <memory>

namespace cuttle::bench {

RodParameters tapered_rod(const std::array<std::optional<StrainBasis>, 6>& strain, int points) {
  RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = Profile(std::vector<double>{0.02, 0.01});
  rod.material.density = 1070.0;
  rod.material.young_modulus = 5e5;
  // the fastest mode decays at 440/s, in a series of 32 rods at 1.2e4/s: explicit steps of 1e-4 s are stable
  rod.material.damping_time = 0.005;
  rod.strain = strain;
  rod.quadrature_points = points;
  return rod;
}

std::array<std::optional<StrainBasis>, 6> full_strain(int order) {
  std::array<std::optional<StrainBasis>, 6> strain;
  strain.fill(order == 0 ? StrainBasis::constant() : StrainBasis::of_order(StrainBasis::Kind::legendre, order));
  return strain;
}

Robot hanging_rods(const RodParameters& rod, int count) {
  Robot robot;
  robot.name = "rods";
  robot.base_pose.rotation = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};  // half a turn about x: z down
  for (int i = 0; i < count; ++i) {
    Link link;
    link.name = "rod" + std::to_string(i);
    link.body = std::make_shared<RodBody>(rod);
    robot.links.push_back(link);
  }
  return robot;
}

}  // namespace cuttle::bench
