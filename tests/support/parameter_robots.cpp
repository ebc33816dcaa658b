#include "support/parameter_robots.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "support/paths.h"

namespace cuttle::test {
namespace {

// Values without zeros and symmetry. Short branches: the mass matrix of a long soft chain is too ill-conditioned to
// compare accelerations.
const char* const k_rods = R"(cuttle: 1
name: rods
gravity: [0.7, -1.2, -9.5]
base: {motion: fixed, pose: {position: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5]}}
materials:
  linear: {density: 1070, young_modulus: 5.0e5, poisson_ratio: 0.41, damping_time: 0.1}
  viscous: {model: linear, density: 1_100, young_modulus: 4e+5, shear_modulus: 1.5e5, viscosity: 25.5}
  rubber: {model: neo_hookean, density: 960., c1: 2.5e5, lame_lambda: 1.5e6, damping_time: 0.07}
  unused1: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1e5, poisson_ratio: 0.3}
  unused2: {model: mooney_rivlin, density: 1000, c1: 1e5, c2: 2e4, viscosity: 3}
  unused3: {model: yeoh, density: 1000, c1: 1e5, c2: -2e3, c3: 30}
links:
  - name: legendre
    joint: {type: universal, axes: [[1, 0.2, 0.1], [0.1, 1.1, -0.2]], stiffness: [2, 3], damping: [0.2, 0.3], armature: [0.01, 0.02], rest: [0.1, -0.2]}
    body:
      type: rod
      length: 0.5
      section: {shape: circle, radius: [0.04, 0.03]}
      material: linear
      quadrature: {points: 4}
      shear_factor: 0.9
      torsion_constant: [3e-6, 2e-6]
      strain: {kappa_x: {basis: legendre, order: 1}, kappa_z: {basis: chebyshev, order: 1}, sigma_x: constant}
      rest_strain: {kappa_x: [0.3, -0.2, 0.4], sigma_z: 1.05}
      stiffening: {kappa_x: [0.05, 0.02], sigma_x: [0.3]}
      visual: {shape: cylinder, radius: 0.04, length: 0.5, color: [0.1, 0.2, 0.3], pose: {position: [1, 2, 3]}}
  - name: pointer
    attach: {at: {s: 0.2}, pose: {position: [0.01, 0.02, 0.03], quaternion: [0.5, -0.5, 0.5, 0.5]}}
    joint: {type: spherical, stiffness: 1.5, damping: [0.1, 0.2, 0.3], armature: 0.02, rest: [0.6, 0.8, 0, 0]}
    body: {type: rigid, mass: 0.4, com: [0.01, -0.02, 0.13], inertia: [3e-3, 4e-3, 2.5e-3, 2e-4, -1e-4, 3e-4], tip: {position: [0.01, 0.02, 0.3], rpy: [0.1, 0.2, 0.3]}}
  - name: gaussian
    parent: base
    attach: {pose: {position: [1, 0, 0]}}
    joint: {type: prismatic, axis: [0.3, 0.4, 1.2], stiffness: 30, damping: 3, armature: 0.1, rest: 0.02}
    body:
      type: rod
      length: 0.4
      section: {shape: annulus, radius: 0.05, inner_radius: [0.02, 0.01]}
      material: viscous
      quadrature: {points: 5}
      strain: {kappa_y: {basis: gaussian, centers: [0.15, 0.3], widths: [0.1, 0.12]}, sigma_z: {basis: fourier, order: 1}}
  - name: hermite
    parent: base
    attach: {pose: {rpy: [0.2, 0.1, 1.3]}}
    joint: {type: cylindrical, axis: [0, 0.2, 1], stiffness: [4, 50], damping: [0.4, 5], armature: [0.03, 0.2], rest: [0.1, 0.05]}
    body:
      type: rod
      length: 0.6
      section: {shape: ellipse, radius_x: [0.05, 0.04], radius_y: 0.06}
      material: linear
      quadrature: {points: 4}
      strain: {kappa_x: {basis: hermite, nodes: 2}, kappa_z: constant, sigma_y: {basis: monomial, order: 1}}
      damping: [0.4, 0.1, [0.2, 0.3], 1, [2, 1.5, 3], 3]
  - name: pieces
    parent: base
    attach: {pose: {position: [0, 1, 0]}}
    joint: {type: planar, stiffness: [20, 30, 4], damping: 0.5, armature: [0.1, 0.2, 0.03], rest: [0.01, 0.02, 0.3]}
    body:
      type: rod
      length: 0.5
      section: {shape: rectangle, width: [0.05, 0.04], height: [0.06, 0.07]}
      material: rubber
      quadrature: {points: 3}
      strain: {kappa_y: {basis: piecewise, breaks: [0.15, 0.32]}, kappa_z: constant, sigma_z: constant}
  - name: stiff
    parent: base
    attach: {pose: {position: [0, 2, 0]}}
    body:
      type: rod
      length: 0.45
      stiffness: [1.1, [1.2, 1.0], 0.8, 400, [420, 400, 390], 900]
      mass_per_length: [2.2, 2.5, 1.8]
      rotary_inertia: [2e-3, [3e-3, 2e-3], 4e-3]
      quadrature: {points: 4}
      strain: {kappa_x: constant, kappa_z: constant}
  - name: general
    parent: base
    attach: {pose: {position: [0, 3, 0]}}
    joint: {type: fixed}
    body:
      type: rod
      length: 0.45
      section: {shape: general, area: [5e-3, 4e-3], Ix: 2e-6, Iy: [3e-6, 2.5e-6], Jz: 6e-6}
      material: rubber
      quadrature: {points: 3}
      strain: {kirchhoff: {basis: legendre, order: 1}}
  - name: law
    parent: base
    attach: {pose: {position: [0, 4, 0]}}
    body:
      type: rod
      length: 0.45
      section: {shape: circle, radius: 0.04}
      material: linear
      quadrature: {points: 4}
      strain: pcc
      hyperelastic: {stretch: [300, 20, 5], bend: {tanh: [1.5, 0.6, 2.5]}}
actuators:
  - {name: motor, type: joint, link: hermite, index: 1}
  - {name: pulls, type: linear, links: [stiff, law], matrix: [[1, 0.2], [0.3, -1], [0.4, 0.5], [0.6, 0.7], [-0.8, 0.9]]}
loads:
  - {type: wrench, link: gaussian, at: {s: 0.22}, force: [1, 2, 3], torque: [0.1, 0.2, {type: sine, amplitude: 2, frequency: 0.1, phase: 1.0}]}
  - {type: wrench, link: pointer, at: {point: [0.03, 0.04, 0.05]}, force: [3, 2, 1], frame: body}
  - {type: distributed, link: pieces, force: [0.3, 0.2, 0.1]}
)";

// Shorthands, a floating base, and what is left to defaults.
const char* const k_free = R"(cuttle: 1
name: free
base: {motion: floating, pose: {quaternion: [0.8, 0, 0.6, 0]}}
materials:
  shared: {density: 1070, young_modulus: 5e5}
links:
  - name: trunk
    body: {type: rigid, mass: 2, inertia: [0.03, 0.04, 0.05, 0, 0, 0]}
  - {name: arm1, attach: {pose: {position: [0.1, 0, 0]}}, joint: {type: revolute}, body: &arm {type: rod, length: 0.4, section: {shape: circle, radius: 0.04}, material: shared, quadrature: {points: 3}, strain: pgc}}
  - {name: arm2, parent: trunk, attach: {pose: {}}, joint: {type: universal}, body: *arm}
  - {name: arm3, parent: trunk, body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.03}, material: shared, quadrature: {points: 3}, strain: pac, rest_strain: {}}}
  - {name: arm4, parent: trunk, joint: {type: free, stiffness: 2, damping: [1, 2, 3, 4, 5, 6], armature: 0.1, rest: [0.1, 0.2, 0.3, 0.8, 0, 0, -0.6]}, body: {type: rigid, mass: 0.5}}
  - {name: arm5, parent: trunk, body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.03}, material: shared, quadrature: {points: 3}, strain: planar_cc, pieces: 2}}
)";

// Things in one place, of which one moves: ports at one section and at the tip, a profile with equal values.
const char* const k_edges = R"(cuttle: 1
name: edges
materials: {soft: {density: 1070, young_modulus: 5e5, damping_time: 0.1}}
links:
  - {name: arm, body: {type: rod, length: 0.4, section: {shape: circle, radius: [0.04, 0.04]}, material: soft, quadrature: {points: 4}, strain: pcc, rest_strain: {kappa_y: [0.6, 0.6, 0.6], sigma_y: [0, 0]}}}
  - {name: left, attach: {at: {s: 0.2}}, joint: {type: revolute, axis: [1, 0, 0], damping: 0.01}, body: {type: rigid, mass: 0.3, com: [0.1, 0, 0.1], inertia: [1e-3, 2e-3, 2e-3, 0, 0, 0]}}
  - {name: right, parent: arm, attach: {at: {s: 0.2}}, joint: {type: prismatic, axis: [0, -1, 0]}, body: {type: rigid, mass: 0.2, com: [-0.1, 0, 0.1]}}
  - {name: tip, parent: arm, attach: {at: {s: 0.4}}, joint: {type: revolute, axis: [0, 0, -2]}, body: {type: rigid, mass: 0.2, com: [0.1, 0.05, 0.1], inertia: [1e-3, 1e-3, 2e-3, 0, 0, 0]}}
  - {name: end, parent: arm, joint: {type: revolute, axis: [0, 3, 0]}, body: {type: rigid, mass: 0.1, com: [0.1, 0.05, 0.1]}}
)";

// Every kind of route, between places that move and that do not; stretches whose ends are those of the rod, by a
// number.
const char* const k_tendons = R"(cuttle: 1
name: tendons
materials: {soft: {density: 1070, young_modulus: 5e5, damping_time: 0.1}}
links:
  - {name: lower, body: {type: rod, length: 0.4, section: {shape: circle, radius: 0.03}, material: soft, quadrature: {points: 4}, strain: pcs}}
  - {name: plate, joint: {type: universal, stiffness: 1}, body: {type: rigid, mass: 0.2, com: [0, 0, 0.01], inertia: [1e-3, 2e-3, 2e-3, 0, 0, 0]}}
  - {name: upper, body: {type: rod, length: 0.3, section: {shape: circle, radius: 0.02}, material: soft, quadrature: {points: 3}, strain: {kappa_x: {basis: piecewise, breaks: [0.12]}, kappa_y: constant}}}
actuators:
  - name: through
    type: tendon
    routing:
      - {link: base, points: [[0.05, 0.01, -0.1], [0.04, 0.02, -0.02]]}
      - {link: lower, offset: [0.02, 0.005], from: 0, to: 0.4}
      - {link: plate, points: [[0.025, 0.004, 0.01]]}
      - {link: upper, offset: [[0.02, 0.001], [0.01, 0.01], [0.005, -0.01]], from: 0.02, to: 0.25}
      - {link: upper, offset: [-0.01, 0.003], from: 0.28, to: 0.05}
      - {link: plate, points: [[-0.03, 0.01, 0.02]]}
    slack: allow
  - {name: wound, type: tendon, routing: [{link: plate, points: [[0.01, 0.02, -0.03]]}, {link: upper, offset: {helix: {radius: 0.015, turns: -0.8}}}]}
  - {name: pocket, type: chamber, link: lower, offset: [0.01, -0.005], area: 2e-4}
)";

// Every primitive, shape and material of volumes.
const char* const k_volumes = R"(cuttle: 1
name: volumes
materials:
  yeoh: {model: yeoh, density: 1100, c1: 1e5, c2: -2e3, c3: 30, damping_time: 0.05}
  mooney: {model: mooney_rivlin, density: 1070, c1: 6e4, c2: 2e4}
  foam: {model: st_venant_kirchhoff, density: 300, young_modulus: 1e5, poisson_ratio: 0.3, damping_time: 0.02}
  jelly: {model: st_venant_kirchhoff, density: 400, young_modulus: 2e5, poisson_ratio: 0.2, damping_time: 0.01}
links:
  - name: tube
    joint: {type: revolute, axis: [0.1, 1, 0.2]}
    body:
      type: volume
      shape: {type: cylinder, length: 0.4, radius: 0.05, inner_radius: 0.03}
      material: yeoh
      quadrature: {points: [4, 1, 4]}
      kinematics:
        type: lvp
        primitives:
          - {type: source, modes: [[1.3e-3, 2e-4]]}
          - {type: stretch, modes: [[0, 0.3], [0.1, 0, 0.2]]}
          - {type: shear, axis: x, modes: [[0, 0.5, 0.3]]}
          - {type: bend, x: [[0.3]], y: [[0.25], [0.05, 0.3]]}
          - {type: twist, modes: [[0, 0.3]]}
      tip: {origin: [0.01, -0.04, 0.11], a: [0.045, 0.01, 0.12], b: [-0.03, 0.04, 0.1]}
  - name: finger
    body:
      type: volume
      shape: {type: cylinder, length: 0.3, radius: 0.03}
      material: mooney
      quadrature: {points: [4, 1, 4]}
      kinematics: {type: lvp, primitives: [{type: bend, y: [[1]]}]}
  - name: block
    attach: {pose: {position: [0.01, 0, 0.02]}}
    body:
      type: volume
      shape: {type: box, size: [0.1, 0.12, 0.2]}
      material: foam
      quadrature: {points: [3, 2, 2]}
      kinematics: {type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0.5, 0.1]}, {powers: [1, 0, 1], vector: [0.2, 0, -0.7]}], [{powers: [0, 0, 1], vector: [0.1, 0.2, 1]}]]}
  - name: mesh
    body:
      type: volume
      shape: {type: mesh, file: ../../tests/io/meshes/wedge_41.msh}
      quadrature: {rule: 1}
      material: foam
      kinematics: {type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0.5, 0.1]}, {powers: [1, 0, 1], vector: [0.2, 0, -0.7]}]]}
      tip: {origin: [0.01, 0, 0.27], a: [0.03, 0.001, 0.3], b: [0, 0.04, 0.29]}
  - name: bellows
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.03}
      material: foam
      quadrature: {points: [3, 2, 3]}
      kinematics: {type: radial, strain: {kappa_x: constant, kappa_y: constant, sigma_z: constant}, bumps: [0.2, 2.9], radius: 0.025}
  - name: learned
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.02}
      material: foam
      quadrature: {points: [3, 2, 3]}
      kinematics: {type: neural, file: neural_arm.json}
  - name: modes
    body:
      type: volume
      shape: {type: mesh, file: ../../tests/io/meshes/wedge_41.msh}
      material: jelly
      kinematics: {type: fem, modes: 2, derivatives: true}
actuators:
  - name: through
    type: tendon
    routing:
      - {link: tube, points: [[0.04, 0.01, 0.05], [0.035, -0.01, 0.2], [0.03, 0.02, 0.35]]}
      - {link: finger, points: [[0.02, 0.01, 0.1]]}
      - {link: block, points: [[-0.03, 0.02, 0.05], [0.03, 0.04, 0.15]]}
    slack: allow
  - {name: bore, type: chamber, link: tube, surface: inner}
  - {name: pocket, type: chamber, link: finger, surface: {pocket: {angle: 0.4, width: 2.5, radius: 0.02}}}
loads:
  - {type: wrench, link: block, at: {point: [0.02, -0.03, 0.12]}, force: [0.3, -0.2, 0.5], frame: body}
)";

const char* const k_lumped = R"(cuttle: 1
name: lumped
gravity: [0.7, -1.2, -9.5]
base: {motion: fixed, pose: {position: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5]}}
links:
  - {name: first, body: {type: continuum_joint, length: 0.3, mass: 0.8, radius: 0.07, stiffness: [12, 11], coupling_stiffness: 1.5, damping: [0.4, 0.5]}}
  - {name: plate, body: {type: rigid, mass: 0.4, com: [0.01, -0.02, 0.05], inertia: [3e-3, 4e-3, 2.5e-3, 2e-4, -1e-4, 3e-4], tip: {position: [0.01, 0.02, 0.1], rpy: [0.1, 0.2, 0.3]}}}
  - {name: second, joint: {type: revolute, axis: [0.1, 0.2, 1]}, body: {type: continuum_joint, length: 0.25, mass: 0.7, radius: 0.06}}
  - {name: printed, body: {type: continuum_joint, length: 0.2, mass: 0.6, radius: 0.05, stiffness: 9, damping: 0.3, momentarily_rigid: true}}
)";
/// A text that names files relative to a directory, readable from everywhere.
std::string with_whole_paths(const std::string& text, const std::filesystem::path& directory) {
  static const std::regex file("file: ([^,}]+\\.(json|msh|obj|stl))");
  return std::regex_replace(text, file, "file: " + directory.string() + "/$1");
}

}  // namespace

std::vector<ParameterRobot> parameter_robots() {
  std::vector<ParameterRobot> robots{{"rods", k_rods},
                                     {"free", k_free},
                                     {"edges", k_edges},
                                     {"tendons", k_tendons},
                                     {"volumes", with_whole_paths(k_volumes, test::k_source_dir + "/models/examples")},
                                     {"lumped", k_lumped}};
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::k_source_dir + "/models")) {
    const std::string name = entry.path().filename().string();
    // each edit computes the modes or the points of large meshes again; the wedges of `volumes` stand for these
    if (name.rfind("fem_", 0) == 0 || name == "simulation1.yaml") continue;
    // two of everything: it has no number that others lack, and hundreds of them
    if (name == "hand_over.yaml") continue;
    if (name == "wire_in_bend.yaml") continue;  // each edit computes the grid of its mesh again
    if (name == "soft_hand.yaml") continue;     // an arm from another file: its numbers stand in no text of this one
    if (entry.path().extension() == ".yaml" && name.find("scenario") == name.npos) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    robots.push_back({path.stem().string(), with_whole_paths(text.str(), path.parent_path())});
  }
  return robots;
}

}  // namespace cuttle::test
