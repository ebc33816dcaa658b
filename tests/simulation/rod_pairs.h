#pragma once

#include <fmt/format.h>

#include <string>

/// Robots of which two rods touch: free ones that meet crosswise.
namespace cuttle::test {

/// The first rod along z through the origin; the second one across, in front of it. Both float.
inline std::string free_rods(const std::string& friction, int points = 7, bool parallel = false) {
  const auto rod = [&](const char* name, const char* place, double radius, const char* strain) {
    return fmt::format(
        "  - {{name: {}, parent: base, attach: {{pose: {}}}, joint: {{type: free}}, body: {{type: rod, length: 0.12, "
        "section: {{shape: circle, radius: {}}}, material: rubber, strain: {}, quadrature: {{points: {}}}}}}}\n",
        name, place, radius, strain, points);
  };
  return "cuttle: 1\ngravity: [0, 0, 0]\nmaterials: {rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.4, "
         "damping_time: 2.0e-3}}\nlinks:\n" +
         rod("first", "{position: [0, 0, -0.06]}", 0.005, "{kappa_x: constant, kappa_y: {basis: legendre, order: 1}}") +
         rod("second",
             parallel ? "{position: [0.0101, 0, -0.055]}"
                      : "{position: [0.0101, 0.055, 0.004], rpy: [1.5707963267948966, 0, 0]}",
             0.005, "{kappa_x: {basis: legendre, order: 1}, kappa_y: constant, sigma_z: constant}") +
         fmt::format(
             "contacts: [{{name: cross, a: first, b: second, friction: {}, modulus: 1.0e5, dissipation: 0.3}}]\n",
             friction);
}
/// They meet at 0.6 m/s and slide and spin.
inline constexpr const char* k_meeting =
    "  initial:\n    first: {q: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0], v: [0.5, -1, 2, 0.3, 0.05, 0.1, 0, 0, 0]}\n"
    "    second: {q: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], v: [1, 0, -1, -0.3, 0.05, 0, 0, 0, 0, 0]}\n";

}  // namespace cuttle::test
