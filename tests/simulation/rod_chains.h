#pragma once

#include <string>

#include "cuttle/io/robot_file.h"
#include "simulation/simulation_robots.h"

namespace cuttle::test {

/// Rods that carry a hinge, a ball and a branch between them.
inline Robot jointed_rods(int count) {
  Robot robot;
  const auto rod = rod_body(0.12, 0.009, "pcs", 0.02);
  for (int i = 0; i < count; ++i) {
    Link link;
    link.name = "rod" + std::to_string(i), link.body = rod;
    if (i == 7) link.parent.link = "rod2";
    if (i == 4) link.joint = make_revolute_joint<double>({0.0, 1.0, 0.0});
    if (i == 8) link.joint = make_spherical_joint<double>();
    robot.links.push_back(link);
  }
  return robot;
}

/// A soft chain above the ground, level, its axis that high [m].
inline Robot rods_on_the_ground(int count, double height) {
  std::string text =
      "cuttle: 1\nbase: {motion: floating, pose: {position: [0, 0, " + std::to_string(height) +
      "], rpy: [0, 1.5707963267948966, 0]}}\n" +
      R"(materials: {rubber: {density: 1080, young_modulus: 4.0e+5, poisson_ratio: 0.45, damping_time: 0.02}}
obstacles: [{name: ground, shape: plane}]
links:
)";
  std::string contacts = "contacts:\n";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "  - {name: rod" + number +
            ", body: {type: rod, length: 0.1, section: {shape: circle, radius: 0.008}, material: rubber, "
            "quadrature: {points: 4}, strain: pcs}}\n";
    contacts += "  - {name: touch" + number + ", a: rod" + number + ", b: ground, friction: 0.4, modulus: 1.0e+4}\n";
  }
  return read_robot_text(text + contacts, "chain.yaml");
}

}  // namespace cuttle::test
