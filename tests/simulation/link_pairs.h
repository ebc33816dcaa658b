#pragma once

#include <fmt/format.h>

#include <string>

#include "cuttle/io/robot_file.h"

/// Robots of which two links touch: a tool on a cart meets a ball that flies freely.
namespace cuttle::test {

enum class Tool { rigid, rod, volume };
inline constexpr Tool k_tools[] = {Tool::rigid, Tool::rod, Tool::volume};
inline const char* name_of(Tool tool) { return tool == Tool::rigid ? "rigid" : (tool == Tool::rod ? "rod" : "volume"); }

struct ToolOptions {
  bool floating = false;  ///< the base flies
  bool loop = false;      ///< the cart is welded to another one
  bool tool_is_b = false;
  const char* friction = "0.4";
};
/// Where the ball's center is when it touches a tool at rest [m].
inline double touching_x(Tool tool) { return 0.02 + (tool == Tool::rigid ? 0.02 : (tool == Tool::rod ? 0.006 : 0.01)); }

inline std::string tool_robot(Tool tool, const ToolOptions& options = {}) {
  const auto rigid = [](double mass) {
    return fmt::format("{{type: rigid, mass: {}, inertia: [{}, {}, {}, 0, 0, 0]}}", mass, 4e-4 * mass, 5e-4 * mass,
                       6e-4 * mass);
  };
  std::string text = "cuttle: 1\ngravity: [0, 0, 0]\n";
  if (options.floating) text += "base: {motion: floating}\n";
  text +=
      "materials:\n  soft: {model: st_venant_kirchhoff, density: 1100, young_modulus: 1.0e5, poisson_ratio: 0.4, "
      "damping_time: 5.0e-3}\n  rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.4, damping_time: "
      "5.0e-3}\nlinks:\n";
  if (options.floating) text += "  - {name: platform, parent: base, body: " + rigid(1.0) + "}\n";
  const std::string ground = options.floating ? "platform" : "base";
  text += "  - {name: cart, parent: " + ground + ", joint: {type: prismatic, axis: [1, 0, 0]}, body: " + rigid(0.2);
  text += tool == Tool::rigid ? ", contact: {shape: capsule, radius: 0.02, length: 0.06, pose: {position: [0, 0, "
                                "0.08], rpy: [0.2, 0, 0]}}}\n"
                              : "}\n";
  if (tool == Tool::rod) {
    text +=
        "  - {name: tool, parent: cart, body: {type: rod, length: 0.12, section: {shape: circle, radius: 0.006}, "
        "material: rubber, "
        "strain: {kappa_x: constant, kappa_y: {basis: legendre, order: 1}}, quadrature: {points: 4}}}\n";
  } else if (tool == Tool::volume) {
    text +=
        "  - {name: tool, parent: cart, body: {type: volume, shape: {type: box, size: [0.02, 0.02, 0.12]}, quadrature: "
        "{points: [4, 2, 2]}, "
        "material: soft, kinematics: {type: lvp, primitives: [{type: bend, x: [[1], [0, 1]], y: [[1]]}]}}}\n";
  }
  if (options.loop)
    text += "  - {name: other, parent: base, joint: {type: prismatic, axis: [1, 0, 0]}, body: " + rigid(0.3) + "}\n";
  text += "  - {name: ball, parent: base, attach: {pose: {position: [" + fmt::format("{}", touching_x(tool)) +
          ", 0.004, 0.07]}}, joint: {type: free}, body: " + rigid(0.05) + ", contact: {shape: sphere, radius: 0.02}}\n";
  text += "actuators: [{name: motor, type: joint, link: cart}]\n";
  if (options.loop)
    text += "loops: [{name: weld, type: fixed, a: {link: cart, at: base}, b: {link: other, at: base}}]\n";
  const std::string touching = tool == Tool::rigid ? "cart" : "tool";
  text += fmt::format(
      "contacts: [{{name: hit, a: {}, b: {}, friction: {}, modulus: 2.0e4, dissipation: 0.5, rounding: 0.001, spacing: "
      "0.02}}]\n",
      options.tool_is_b ? "ball" : touching, options.tool_is_b ? touching : "ball", options.friction);
  return text;
}

}  // namespace cuttle::test
