#pragma once

namespace cuttle {

/// Materials and links of the arm that controllers are tried on: two joints and a soft rod.
inline constexpr const char* k_arm = R"(cuttle: 1
name: arm
gravity: [0.3, 0, -9.81]
materials: {m: {density: 1000, young_modulus: 2.0e5, damping_time: 0.02}}
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.02, stiffness: 0.5}
    body: {type: rigid, mass: 0.4, com: [0.01, 0.02, 0.1], inertia: [2.0e-3, 3.0e-3, 1.0e-3, 1.0e-4, 0, 0], tip: {position: [0, 0, 0.2]}}
  - name: fore
    joint: {type: revolute, axis: [0.3, 1, 0]}
    body: {type: rigid, mass: 0.3, com: [0, 0.01, 0.05], inertia: [1.0e-3, 2.0e-3, 1.0e-3, 0, 0, 0], tip: {position: [0.02, 0, 0.12]}}
  - {name: soft, body: {type: rod, length: 0.25, section: {shape: circle, radius: 0.012}, material: m, quadrature: {points: 4}, strain: pcc}}
)";

}  // namespace cuttle
