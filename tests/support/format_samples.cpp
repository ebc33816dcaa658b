#include "support/format.h"
#include "support/meshes.h"

namespace cuttle {
namespace {

const char* const k_arm = R"(cuttle: 1
base: {motion: floating}
links:
  - {name: hull, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: shoulder, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [0.1, 0, 0]}}
actuators:
  - {name: motor, type: joint, link: shoulder}
)";

const char* const k_joints = R"(cuttle: 1
name: joints
gravity: [0.5, 0, -3]
base:
  motion: floating
  pose: {position: [0.1, 0.2, 0.3], quaternion: [0.6, 0, 0.8, 0]}
  visual: [{shape: box, size: [1, 2, 3], pose: {position: [0, 0, 1]}}]
visual: {shape: mesh, file: body.obj, scale: [1, 2, 1], color: teal, pose: {rpy: [1, 0, 0]}}
links:
  - name: hull
    joint: {type: fixed, visual: {shape: box, size: [1, 2, 3]}}
    body:
      type: rigid
      mass: 2
      com: [0.1, 0, 0.2]
      inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]
      tip: {position: [0, 0.1, 0.2], rpy: [0.1, 0.2, 0.3]}
      visual: {shape: cylinder, radius: 0.1, length: 1, color: [1, 0, 0.5], pose: {position: [0, 0, 1]}}
    visual: {shape: box, size: [1, 1, 1], color: red}
  - name: hinge
    parent: hull
    attach: {at: base, pose: {position: [0.3, 0, 0], rpy: [0, 0.5, 0]}}
    joint: {type: revolute, axis: [0, 1, 0], stiffness: 2, damping: 0.3, armature: 0.01, rest: 0.2, visual: {shape: box, size: [1, 2, 3]}}
    body: {type: rigid, mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: cross
    parent: hull
    joint:
      type: universal
      axes: [[0, 1, 0], [0, 0, 1]]
      stiffness: [2, 3]
      damping: 0.3
      armature: [0.01, 0.02]
      rest: [0.2, 0.1]
      visual: {shape: box, size: [1, 2, 3]}
    body: {type: rigid, mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: ball
    parent: hull
    joint: {type: spherical, stiffness: 2, damping: 0.3, armature: 0.01, rest: [0.8, 0, 0.6, 0], visual: {shape: sphere, radius: 0.1, color: [1, 0, 0, 0.5], pose: {rpy: [1, 0, 0]}}}
    body: {type: rigid, mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: plane
    parent: hull
    joint: {type: planar, stiffness: 2, damping: 0.3, armature: 0.01, rest: [0.1, 0.2, 0.3], visual: {shape: box, size: [1, 2, 3]}}
    body: {type: rigid, mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - name: loose
    parent: hull
    joint: {type: free, stiffness: 2, damping: 0.3, armature: 0.01, rest: [1, 2, 3, 0.8, 0, 0.6, 0], visual: {shape: box, size: [1, 2, 3]}}
    body: {type: rigid, mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
loops:
  - name: weld
    type: fixed
    a: {link: hinge, at: {point: [0.1, 0.2, 0.3]}, pose: {position: [0, 0.1, 0], rpy: [0.2, 0, 0]}}
    b: {link: base, pose: {position: [0.5, 0, 0]}}
    drive: {position: [0.1, {type: cubic, start: 0, end: 1, to: 0.1}, 0.2], rpy: [{type: sine, amplitude: 0.1, frequency: 1, offset: 0.2}, 0.1, 0.3]}
  - name: pin
    type: revolute
    axis: [1, 0.5, 0]
    a: {link: cross, pose: {rpy: [0.2, 0, 0]}}
    b: {link: ball, pose: {position: [0.5, 0, 0]}}
    drive: {position: [0.1, {type: cubic, start: 0, end: 1, to: 0.1}, 0.2], rpy: [{type: sine, amplitude: 0.1, frequency: 1, offset: 0.2}, 0.1, 0.3]}
  - {name: socket, type: spherical, a: {link: plane, pose: {position: [0, 0, 1]}}, b: {link: loose}}
  - {name: rail, type: prismatic, axis: [1, 2, 3], a: {link: hull, at: base, pose: {rpy: [1, 0, 0]}}, b: {link: plane}, drive: {position: [0.1, {type: cubic, start: 0, end: 1, to: 0.1}, 0.2], rpy: [{type: sine, amplitude: 0.1, frequency: 1, offset: 0.2}, 0.1, 0.3]}}
  - {name: cardan, type: universal, axis: [2, 1, 0], a: {link: loose, pose: {rpy: [1, 0, 0]}}, b: {link: cross}, drive: {position: [0.1, {type: cubic, start: 0, end: 1, to: 0.1}, 0.2], rpy: [{type: sine, amplitude: 0.1, frequency: 1, offset: 0.2}, 0.1, 0.3]}}
)";

const char* const k_materials = R"(cuttle: 1
materials:
  a: {model: linear, density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.3, damping_time: 0.1}
  b: {density: 1000, young_modulus: 1.0e5, viscosity: 100}
  k: {density: 1000, young_modulus: 1.0e5, shear_modulus: 3.6e4}
  l: {density: 1000, shear_modulus: 3.6e4, poisson_ratio: 0.3}
  c: {model: neo_hookean, density: 1000, c1: 1.0e4, lame_lambda: 2.0e5, damping_time: 0.1}
  d: {model: neo_hookean, density: 1000, c1: 1.0e4, viscosity: 100}
  e: {model: mooney_rivlin, density: 1000, c1: 1.0e4, c2: 1.0e3, damping_time: 0.1}
  f: {model: mooney_rivlin, density: 1000, c1: 1.0e4, c2: 1.0e3, viscosity: 100}
  g: {model: yeoh, density: 1000, c1: 1.0e4, c2: 1.0e3, c3: -10, damping_time: 0.1}
  h: {model: yeoh, density: 1000, c1: 1.0e4, viscosity: 100}
  i: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.3, damping_time: 0.1}
  j: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1.0e5, poisson_ratio: 0.3, viscosity: 100}
links:
  - {name: a, body: {type: rod, length: 0.3, material: a, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: b, body: {type: rod, length: 0.3, material: b, strain: pcs, pieces: 2, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: c, body: {type: rod, length: 0.3, material: c, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: d, body: {type: rod, length: 0.3, material: d, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: k, body: {type: rod, length: 0.3, material: k, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: l, body: {type: rod, length: 0.3, material: l, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: 0.01}}}
  - {name: e, body: {type: rod, length: 0.3, material: {density: 900, young_modulus: 2.0e5}, strain: pcs, quadrature: {points: 3}, section: {shape: circle, radius: [0.01, 0.012, 0.011]}}}
)";

const char* const k_rods = R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1.0e5}}
links:
  - name: full
    body:
      type: rod
      length: 0.3
      section: {shape: circle, radius: [0.02, 0.01]}
      material: m
      quadrature: {points: 4}
      strain:
        kappa_x: {basis: legendre, order: 2}
        kappa_y: {basis: gaussian, centers: [0.1, 0.2], widths: [0.05, 0.06]}
        kappa_z: {basis: hermite, nodes: 3}
        sigma_x: constant
        sigma_y: {basis: constant}
        sigma_z: {basis: monomial, order: 1}
      rest_strain: {kappa_x: 1, kappa_y: [0, 2, 0], kappa_z: 0.5, sigma_x: 0.1, sigma_y: -0.1, sigma_z: 1.1}
      shear_factor: 0.8
      torsion_constant: [3.0e-7, 1.0e-8]
      visual: {shape: box, size: [1, 2, 3]}
  - name: tube
    body:
      type: rod
      length: 0.3
      section: {shape: annulus, radius: 0.02, inner_radius: [0.01, 0.005]}
      material: m
      strain: {kirchhoff: {basis: piecewise, breaks: [0.1, 0.2]}}
  - name: oval
    body:
      type: rod
      length: 0.3
      section: {shape: ellipse, radius_x: 0.02, radius_y: 0.01}
      material: m
      strain: pcc
      hyperelastic: {stretch: [40, 12], bend: {tanh: [0.3, 0.2, 1.5]}}
  - name: strip
    body: {type: rod, length: 0.3, section: {shape: rectangle, width: 0.02, height: 0.01}, material: m, strain: pcs, torsion_constant: polar}
  - name: beam
    body:
      type: rod
      length: 0.3
      section: {shape: general, area: 1.0e-3, Ix: 1.0e-7, Iy: 2.0e-7, Jz: 3.0e-7}
      material: m
      strain: {kappa_x: {basis: chebyshev, order: 1}, kappa_y: {basis: fourier, order: 1}}
  - name: numbers
    body:
      type: rod
      length: 0.3
      stiffness: [1, [2, 1], [2, 3, 2], 4, 5, 6]
      mass_per_length: [0.3, 0.2]
      rotary_inertia: [1.0e-5, [1.0e-5, 2.0e-5], 2.0e-5]
      damping: [0.1, [0.2, 0.1], [0.2, 0.3, 0.2], 0.4, 0.5, 0.6]
      stiffening: {kappa_x: [0.01], kappa_y: [0, 0.002], kappa_z: [0.02], sigma_x: [0.1], sigma_y: [0.2], sigma_z: [0.3, 0.4]}
      strain: pcs
)";

const char* const k_volumes = R"(cuttle: 1
materials:
  rubber: {model: neo_hookean, density: 1000, c1: 1.0e4, lame_lambda: 2.0e5, damping_time: 0.1}
  tough: {model: yeoh, density: 1000, c1: 1.0e4, c2: 1.0e3, c3: -10, damping_time: 0.1}
  soft: {model: mooney_rivlin, density: 1000, c1: 1.0e4, c2: 1.0e3}
  foam: {model: st_venant_kirchhoff, density: 500, young_modulus: 1.0e5, poisson_ratio: 0.3}
links:
  - name: tube
    body:
      type: volume
      shape: {type: cylinder, length: 0.3, radius: 0.03, inner_radius: 0.02}
      material: tough
      quadrature: {points: [2, 1, 3]}
      kinematics:
        type: lvp
        primitives:
          - {type: source, modes: [[1.0e-4]]}
          - {type: stretch, modes: [[0, 0.01], [0, 0, 0.01]]}
          - {type: shear, axis: y, modes: [[0, 0.01]]}
          - {type: twist, modes: [[0, 1]]}
          - {type: bend, x: [[1], [0, 1]], y: [[1]]}
      tip: {origin: [0, 0, 0.3], a: [0.02, 0, 0.3], b: [0, 0.02, 0.3]}
      visual: {shape: cylinder, radius: 0.03, length: 0.3}
  - name: finger
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.02}
      material: soft
      quadrature: {points: [2, 1, 3]}
      kinematics: {type: lvp, primitives: [{type: bend, y: [[1]]}]}
  - name: block
    body:
      type: volume
      shape: {type: box, size: [0.1, 0.2, 0.3]}
      material: rubber
      quadrature: {points: [2, 1, 2]}
      kinematics: {type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0.5, 0]}, {powers: [1, 0, 0], vector: [0, 0, -0.1]}]]}
  - name: modes
    body:
      type: volume
      shape: {type: mesh, file: ring.msh}
      material: foam
      kinematics: {type: fem, modes: 1, derivatives: false, attachments: {tip: true, points: [[20, 30, 20]], surfaces: [hole]}}
  - name: pad
    body:
      type: volume
      shape: {type: box, size: [0.1, 0.1, 0.1]}
      material: foam
      quadrature: {reduce: 1.0e-2, strain: 1}
      kinematics: {type: ritz, modes: [[{powers: [0, 0, 2], vector: [0, 0, 1]}, {powers: [1, 0, 1], vector: [1, 0, 0]}]]}
  - name: mesh
    body:
      type: volume
      shape: {type: mesh, file: body.msh}
      quadrature: {rule: 1}
      material: foam
      kinematics: {type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0.5, 0]}, {powers: [1, 0, 0], vector: [0, 0, -0.1]}]]}
  - name: bellows
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.02}
      material: foam
      quadrature: {points: [2, 1, 3]}
      kinematics: {type: radial, strain: {kappa_y: constant, sigma_z: constant}, bumps: [0, 3.14159265358979], radius: 0.015}
  - name: twister
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.02}
      material: foam
      quadrature: {points: [2, 1, 3]}
      kinematics: {type: radial, strain: {kappa_x: constant}}
  - name: learned
    body:
      type: volume
      shape: {type: cylinder, length: 0.2, radius: 0.02}
      material: rubber
      quadrature: {points: [2, 1, 3]}
      kinematics: {type: neural, file: body.json}
  - name: nodes
    body:
      type: volume
      shape: {type: mesh, file: cube.msh}
      material: foam
      kinematics: {type: fem, full: true}
actuators:
  - name: cable
    type: tendon
    routing: [{link: tube, points: [[0.025, 0, 0.1], [0.025, 0, 0.3]]}, {link: block, points: [[0.01, 0.02, 0.1]]}]
  - {name: bore, type: chamber, link: tube, surface: inner}
  - {name: pocket, type: chamber, link: finger, surface: {pocket: {angle: 0.5, width: 3, radius: 0.015}}}
loads:
  - {type: wrench, link: block, at: {point: [0.01, 0.02, 0.1]}, force: [1, 2, 3], torque: [0.1, 0, 0]}
)";

const char* const k_lumped = R"(cuttle: 1
links:
  - name: first
    body:
      type: continuum_joint
      length: 0.2
      mass: 0.8
      radius: 0.06
      stiffness: [12, 11]
      coupling_stiffness: 1.5
      damping: [0.4, 0.5]
      momentarily_rigid: true
      visual: {shape: cylinder, radius: 0.06, length: 0.2}
  - {name: second, body: {type: continuum_joint, length: 0.2, mass: 0.8, radius: 0.06}}
)";

const char* const k_driven = R"(cuttle: 1
materials: {m: {density: 1000, young_modulus: 1.0e5}}
links:
  - {name: hip, joint: {type: universal}, body: {type: rigid, mass: 1, com: [0, 0, 0.1], inertia: [1, 2, 1, 0, 0, 0], tip: {position: [0, 0, 0.2]}}}
  - {name: arm, body: {type: rod, length: 0.2, material: m, strain: pcc, section: {shape: circle, radius: 0.01}}}
  - {name: hand, attach: {at: {s: 0.1}}, joint: {type: prismatic}, body: {type: rigid, mass: 1}}
actuators:
  - {name: motor, type: joint, link: hip, index: 1}
  - {name: pull, type: linear, links: [hip, hand], matrix: [[1, 0], [0, 1], [2, 2]]}
  - name: cable
    type: tendon
    routing:
      - {link: base, points: [[0.1, 0, -0.1], [0.05, 0.01, 0]]}
      - {link: hip, points: [[0.02, 0.03, 0.1]]}
      - {link: arm, offset: [0.008, 0.002], from: 0.02, to: 0.18}
      - {link: arm, offset: [[0.008, 0], [-0.004, 0.006], [0, 0.007]], from: 0.15, to: 0.03}
    slack: clip
  - {name: coil, type: tendon, routing: [{link: arm, offset: {helix: {radius: 0.007, phase: 0.3, turns: -1.5}}}], slack: allow}
  - {name: wound, type: tendon, drive: length, stiffness: 500, pretension: 3, range: 250, routing: [{link: arm, offset: [0.004, 0.006]}]}
  - {name: pocket, type: chamber, link: arm, offset: [0.003, -0.004], area: 2.0e-5}
  - {name: valves, type: linear, links: [hand], matrix: [[2, 1]], lag: 0.05}
  - {name: bellow, type: chamber, link: arm, offset: [0.002, 0.005], area: 3.0e-5, lag: 0.04}
  - {name: jets, type: wrench, link: arm, at: {s: 0.05}, frame: world}
  - {name: strut, type: distance, a: {link: base, pose: {position: [0.1, 0, 0]}}, b: {link: arm}}
markers:
  - {name: eye, link: arm, at: {s: 0.05}, offset: [0.01, 0, 0.02], rpy: [0.1, 0.2, 0.3]}
  - {name: corner, link: hip, at: {point: [0.02, 0.03, 0.1]}, quaternion: [0.5, 0.5, 0.5, 0.5]}
sensors:
  - {name: pose, type: frame_position, link: arm, at: {s: 0.05}, pose: {position: [0.01, 0, 0.02], rpy: [0.1, 0.2, 0.3]}}
  - {name: velocity, type: frame_velocity, link: hip, at: {point: [0.02, 0.03, 0.1]}, pose: {rpy: [0.1, 0.2, 0.3]}, frame: body}
  - {name: imu, type: imu, link: hip, at: base, pose: {position: [0.01, 0, 0.02]}}
  - {name: gauge, type: strain, link: arm, s: 0.05, offset: [0.004, 0.002]}
  - {name: encoder, type: actuator_length, actuator: cable}
  - {name: cell, type: actuator_force, actuator: wound}
  - {name: flow, type: chamber_volume, actuator: pocket}
  - {name: wrist, type: joint_wrench, link: hand}
  - {name: meter, type: energy}
elements:
  - {name: back, type: spring, a: {link: base, pose: {position: [0.2, 0, 0.1]}}, b: {link: arm, at: {s: 0.1}, pose: {position: [0.01, 0, 0]}}, stiffness: 20, damping: 0.1, rest_length: 0.15}
  - {name: across, type: spring, a: {link: hip, at: {point: [0, 0.1, 0.1]}}, b: {link: arm}, stiffness: 5}
  - {name: stop, type: joint_limit, link: hip, index: 1, lower: -0.5, upper: 0.02, stiffness: 30, damping: 0.2, range: 0.05}
  - {name: bearing, type: joint_friction, link: hip, index: 1, friction: 0.02, velocity: 0.2, stiction: 0.05, stribeck_velocity: 0.5}
  - {name: gear, type: coupling, links: [hip, hand], factors: [1, 0.5, -2], rest: 0.1, stiffness: 4, damping: 0.2}
  - {name: loose, type: play, links: [hip, hand], factors: [1, 0.5, -2], gap: 0.1, rest: 0.05, stiffness: 4, damping: 0.2, range: 0.03}
  - {name: rubbing, type: tendon_friction, actuators: [cable, wound], coefficient: 0.15, sliding: released, range: 0.5, pulled_at: last}
loads:
  - type: wrench
    link: hip
    at: {point: [0, 0.1, 0.2]}
    force: [{type: step, time: 1, before: 0.5, after: 2}, {type: ramp, start: 0, end: 1, from: 1, to: 3}, 1]
    torque: [{type: sine, amplitude: 1, frequency: 0.3, phase: 0.4, offset: 0.7}, 0.5, 0]
    frame: body
  - type: wrench
    link: arm
    at: {s: 0.1}
    force: [{type: points, time: [0, 1, 2], value: [0, 1, 0]}, {type: table, file: table.csv, column: force, hold: true}, {type: table, file: table.csv, column: force, interpolation: spline}]
    torque: [0, 0.1, 0]
  - {type: distributed, link: arm, force: [{type: quintic, start: 0.1, end: 1, from: 0.2, to: 1}, {type: minimum_jerk, start: 0.1, end: 1, from: 0.2, to: 1}, {type: spline, time: [0, 1, 2], value: [0, 1, 0]}], torque: [0.1, 0.2, 0.3], frame: body}
  - {type: fluid, link: arm, density: 1000, normal_drag: 1.1, tangential_drag: 0.02, wake: true}
  - {type: mass_damping, link: arm, rate: 0.6}
  - {type: fluid, link: arm, density: 900, radius_x: 0.03, radius_y: [0.02, 0.03, 0.01]}
  - {type: fluid, link: hip, density: 1000, radius_x: [0.01, 0.03], radius_y: 0.02, length: 0.2, points: 4, normal_drag: 0.5}
  - type: drone
    link: hip
    at: {point: [0, 0.1, 0.2]}
    angular_velocity: [0.1, 0, {type: sine, amplitude: 1, frequency: 0.3}]
    linear_velocity: [{type: step, time: 1, before: 0.5, after: 2}, {type: cubic, start: 0.1, end: 1, from: 0.2, to: 1}, {type: steps, times: [0.5, 1], values: [1, 2, 3]}]
    rpy: [0.1, 0.2, 0.3]
    proportional: [0.5, 20]
    integral: [0.1, 0.2, 0.3, 2, 3, 4]
  - {type: drone, link: arm, at: base, linear_velocity: [0, 0, 1], quaternion: [0.8, 0, 0.6, 0], proportional: [1, 1, 2, 20, 20, 30]}
)";

const char* const k_touching = R"(cuttle: 1
base: {motion: floating, pose: {position: [0, 0, 1]}}
materials: {m: {density: 1000, young_modulus: 1.0e5}}
links:
  - {name: hull, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, contact: {shape: box, size: [0.1, 0.2, 0.3], pose: {position: [0, 0, 0.1], rpy: [0.1, 0, 0]}}}
  - {name: arm, body: {type: rod, length: 0.2, material: m, strain: pcc, section: {shape: circle, radius: 0.01}}, contact: none}
  - name: hand
    joint: {type: prismatic}
    body: {type: rigid, mass: 1}
    contact:
      - {shape: sphere, radius: 0.02, pose: {position: [0, 0, 0.1]}}
      - {shape: capsule, radius: 0.02, length: 0.1, pose: {rpy: [0.1, 0, 0]}}
      - {shape: cylinder, radius: 0.02, length: 0.1, open: false, pose: {position: [0, 0.1, 0]}}
      - {shape: cone, angle: 0.4, length: 0.1, pose: {position: [0, 0.1, 0]}}
  - name: sole
    joint: {type: prismatic}
    body: {type: rigid, mass: 1}
    contact:
      - {shape: plane, pose: {position: [0, 0, 0.1]}}
      - {shape: height_field, grid: [[0, 0.1, 0.2], [0.1, 0.3, 0.2]], cell: [0.1, 0.2], pose: {position: [0, 0.1, 0]}}
      - {shape: mesh, file: solid.obj, scale: 0.5, sides: two, pose: {position: [0, 0.1, 0]}}
      - {shape: smooth_mesh, file: solid.obj, scale: [0.5, 0.6, 0.7], cell: 0.3, pose: {position: [0, 0.1, 0]}}
obstacles:
  - {name: ground, shape: plane, color: gray, pose: {position: [0, 0, -2]}}
  - {name: ball, shape: sphere, radius: 0.1, pose: {position: [9, 0, 0]}, motion: {position: [{type: sine, amplitude: 0.1, frequency: 1}, 0, 0]}, inside: true, color: [1, 0, 0.5]}
  - {name: rail, shape: capsule, radius: 0.1, length: 1, pose: {position: [9, 0, 0]}, motion: {rpy: [{type: sine, amplitude: 0.1, frequency: 1}, 0, 0]}, inside: true, color: red}
  - {name: post, shape: cylinder, radius: 0.1, length: 1, open: true, pose: {position: [9, 0, 0]}, motion: {rpy: [0.1, 0, 0]}, inside: true, color: red}
  - {name: step, shape: box, size: [1, 2, 0.3], pose: {position: [9, 0, 0]}, motion: {position: [0.1, 0, 0]}, inside: true, color: red}
  - {name: spike, shape: cone, angle: 0.4, length: 0.1, pose: {position: [9, 0, 0]}, motion: {rpy: [0.1, 0, 0]}, inside: true, color: red}
  - {name: hills, shape: height_field, grid: [[0, 0.1, 0.2], [0.1, 0.3, 0.2]], cell: [0.1, 0.2], pose: {position: [9, 0, 0]}, motion: {rpy: [0.1, 0, 0]}, inside: true, color: red}
  - {name: rock, shape: mesh, file: solid.obj, scale: [1, 2, 1], sides: one, pose: {position: [9, 0, 0]}, motion: {rpy: [0.1, 0, 0]}, inside: true, color: red}
  - {name: pebble, shape: smooth_mesh, file: solid.obj, scale: 2, cell: 0.5, pose: {position: [9, 0, 0]}, motion: {rpy: [0.1, 0, 0]}, inside: true, color: red}
  - {name: ceiling, shape: plane, pose: {position: [0, 0, 5]}, motion: {rpy: [0.1, 0, 0]}, inside: true}
  - {name: pole, shape: cylinder, radius: 0.1, length: 1, pose: {position: [9, 0, 0]}}
sensors:
  - {name: sole, type: contact, contact: floor, link: arm, at: base, pose: {position: [0.01, 0, 0]}}
contacts:
  - {name: floor, a: hull, b: ground, friction: 0.7, modulus: 1.0e6, dissipation: 0.5, rounding: 1.0e-3, spacing: 0.05, record: sites}
  - {name: side, a: [hull, hand], b: [ground, pole], modulus: 1.0e6, friction: {kinetic: 0.3, static: 0.4, forward: 0.2, backward: 0.4, sideways: 0.6, stribeck_velocity: 0.02, damping_time: 1.0e-3}}
)";

const char* const k_adaptive = R"(cuttle: 1
robot: arm.yaml
set: ["robot.links.shoulder.body.mass=2", "robot.gravity=[0, 0, -1.6]"]
simulation:
  duration: 0.75
  output_step: 0.02
  seed: 7
  energy_error_limit: 0.2
  strict: true
  integrator: {type: erk, relative_tolerance: 1.0e-7, absolute_tolerance: 1.0e-9, max_step: 0.1}
  initial: {shoulder: {q: [0.3], v: 0.1}}
  inputs: {motor: {type: step, time: 1, before: 1, after: 5}}
  controllers:
    - {name: torque, type: computed_torque, inputs: [motor], links: [shoulder], reference: [{type: cubic, start: 0, end: 1, to: 2}], kp: 3, kd: [4], window: [0, 0.1], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -0.9, upper: [0.9], rate: 300}}
    - {name: pfbl, type: partial_feedback_linearization, inputs: [motor], reference: {type: csv, file: table.csv, columns: [force]}, kp: [[3]], kd: 0.4, window: [0.1, 0.2], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -1.0, upper: [1.0], rate: 300}}
    - {name: cancel, type: pd_with_cancellation, inputs: [motor], links: [shoulder], reference: [0.3], kp: 3, kd: 0.4, window: [0.2, 0.3], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -6, upper: [6], rate: 1000}}
    - {name: plus, type: pd_plus, inputs: [motor], links: [shoulder], reference: [0.3], model: {parameters: [{path: robot.links.shoulder.body.mass, value: 1}]}, kp: 3, kd: 0.4, window: [0.3, 0.4], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -6, upper: [6], rate: 1000}}
    - {name: servo, type: pid, inputs: [motor], reference: [0.3], kp: 3, kd: 0.4, ki: 5, window: [0.4, 0.5], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -6, upper: [6], rate: 1000}}
    - {name: follow, type: feed_forward, inputs: [motor], links: [shoulder], reference: [{type: sine, amplitude: 0.1, frequency: 2}], window: [0.5, 0.6], rate: 100, delay: 0.004, noise: {q: 3, v: [3]}, resolution: {v: 0.02}, limits: {lower: -1, upper: [1], rate: 300}}
    - {name: feed, type: feed_forward, inputs: {motor: {type: sine, amplitude: 1, frequency: 2}}, window: [0.6, 0.7], rate: 100}
)";

const char* const k_pendulum = R"(cuttle: 1
links:
  - {name: shoulder, joint: {type: revolute, axis: [0, 1, 0], stiffness: 2}, body: {type: rigid, mass: 1, com: [0.1, 0, 0.1], tip: {position: [0, 0, 0.3]}}}
  - {name: elbow, joint: {type: revolute, axis: [0, 1, 0], stiffness: 1}, body: {type: rigid, mass: 0.5, com: [0.1, 0, 0.1], tip: {position: [0, 0, 0.2]}}}
actuators:
  - {name: motor, type: joint, link: shoulder}
  - {name: bend, type: joint, link: elbow}
markers: [{name: end, link: elbow, at: tip}]
)";
const char* const k_regulated = R"yaml(cuttle: 1
robot: pendulum.yaml
simulation:
  duration: 0.45
  controllers:
    - {name: adapt, type: adaptive, inputs: [motor], links: [shoulder], reference: [0.3], lambda: 3, kr: [0.4], gamma: [[0.2]], parameters: [{path: robot.links.shoulder.body.mass, initial: 1.5, lower: 0.1, upper: 4}], window: [0, 0.1], rate: 100, delay: 0.004, noise: {q: 0.3, v: [0.3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -1.5, upper: [0.01], rate: 150}}
    - {name: hand, type: operational_space, inputs: [motor, bend], frame: elbow.tip, reference: {position: [0.1, 0, 0.4], quaternion: [0.8, 0, 0.6, 0]}, stiffness: [0, 0, 0, 9, 0, 0], damping: [0, 0, 0, 1, 0, 0], nullspace_damping: 0.2, window: [0.1, 0.2], rate: 100, delay: 0.004, noise: {q: 0.3, v: [0.3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -1, upper: 1, rate: 250}}
    - {name: hold, type: lqr, inputs: [motor, bend], state_weight: 2, input_weight: [1, 2], equilibrium: {inputs: {motor: 0.2}}, window: [0.2, 0.3], rate: 100, delay: 0.004, noise: {q: 0.3, v: [0.3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -1, upper: [0.3, 0.3], rate: 180}}
    - {name: part, type: partial_feedback_linearization, inputs: [motor], reference: [0.3], kp: 3, kd: 0.4, model: {without: [elbow]}, window: [0.4, 0.45], rate: 100, delay: 0.004, noise: {q: 0.3, v: [0.3]}, resolution: {q: 0.01, v: 0.02}, limits: {lower: -3, upper: [3], rate: 180}}
    - name: program
      type: external
      command: [/usr/bin/python3, answer.py]
      timeout: 60
      inputs: [motor]
      window: [0.3, 0.4]
      rate: 100
      delay: 0.004
      noise: {q: 0.3, v: [0.3]}
      resolution: {q: 0.01, v: 0.02}
      limits: {lower: -9, upper: [9], rate: 3000}
)yaml";

const char* const k_path_of_a_frame = R"(cuttle: 1
robot: pendulum.yaml
set: ["robot.gravity=[0, 0, 0]"]
simulation:
  duration: 0.2
  controllers:
    - {name: trace, type: pid, kp: 3, window: [0, 0.2], rate: 100, reference: {type: equilibrium_path, samples: 5, tolerance: 0.02, targets: {end: [{type: cubic, start: 0, end: 0.2, from: 0.1, to: 0.2}, 0.01, 0.45]}}}
)";

const char* const k_fixed_step = R"(cuttle: 1
robot: arm.yaml
simulation: {integrator: {type: rk4, step: 0.01}, inputs: {motor: 2}}
)";

const char* const k_newmark = R"(cuttle: 1
robot: arm.yaml
simulation:
  integrator: {type: newmark, step: 0.02, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, error: displacement, max_step: 0.1}
  initial: {statics: true, inputs: {motor: 0.5}, friction: none}
)";
const char* const k_hht = R"(cuttle: 1
robot: arm.yaml
simulation:
  integrator: {type: hht, alpha: -0.1, step: 0.02, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, error: displacement, max_step: 0.1}
)";
const char* const k_generalized_alpha = R"(cuttle: 1
robot: arm.yaml
simulation:
  integrator: {type: generalized_alpha, rho_inf: 0.7, step: 0.02, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, error: displacement, max_step: 0.1}
)";
const char* const k_midpoint = R"(cuttle: 1
robot: arm.yaml
simulation: {integrator: {type: midpoint, step: 0.01, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, error: displacement, max_step: 0.1}}
)";
const char* const k_energy_conserving = R"(cuttle: 1
robot: arm.yaml
simulation:
  integrator: {type: energy_conserving, step: 0.01, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, error: displacement, max_step: 0.1}
)";
const char* const k_tsit5 = R"(cuttle: 1
robot: arm.yaml
simulation: {integrator: {type: tsit5, step: 0.01}}
)";
const char* const k_bdf = R"(cuttle: 1
robot: arm.yaml
simulation: {integrator: {type: bdf, relative_tolerance: 1.0e-5, absolute_tolerance: 1.0e-7, max_step: 0.1}}
)";

const char* const k_moved = R"(cuttle: 1
robot: arm.yaml
simulation:
  duration: 0.5
  motion:
    base: {position: [{type: sine, amplitude: 0.1, frequency: 2}, 0, 0.2], rpy: [0.1, 0, {type: cubic, start: 0, end: 1, from: 0.2, to: 0.3}]}
    shoulder: [{type: quintic, start: 0, end: 1, from: 0.1, to: 2}]
)";

const char* const k_including = R"(cuttle: 1
include:
  - {urdf: ur10e.urdf, prefix: ur_, package_root: packages, pose: {position: [0.1, 0, 0.2], rpy: [0.1, 0.2, 0.3]}}
  - {mjcf: hand.xml, mount: ur_wrist, prefix: left_, pose: {quaternion: [0.6, 0, 0.8, 0]}}
  - {sdf: hand.sdf, mount: table, prefix: right_}
links:
  - {name: table, joint: {type: prismatic}, body: {type: rigid, mass: 1}}
  - {name: thumb, parent: left_hand, body: {type: rigid, mass: 1}}
  - {name: nail, parent: right_hand, body: {type: rigid, mass: 1}}
)";

const char* const k_network = R"({"format": "cuttle-mlp-1", "scale": 0.2, "base_weight": "linear", "layers": [
  {"weight": [[0.1, 0.2, 0.3, 1.0], [0.3, 0.1, 0.2, -1.0]], "bias": [0.1, 0.2], "activation": "tanh"},
  {"weight": [[0.01, 0.02], [0.02, 0.03], [0.01, 0]], "bias": [0, 0, 0], "activation": "identity"}]}
)";

}  // namespace

std::vector<FormatSample> format_samples() {
  return {{"joints", k_joints},
          {"materials", k_materials},
          {"rods", k_rods},
          {"volumes", k_volumes},
          {"lumped", k_lumped},
          {"touching", k_touching},
          {"driven", k_driven},
          {"including", k_including},
          {"adaptive", k_adaptive, true},
          {"regulated", k_regulated, true},
          {"path_of_a_frame", k_path_of_a_frame, true},
          {"fixed_step", k_fixed_step, true},
          {"newmark", k_newmark, true},
          {"hht", k_hht, true},
          {"generalized_alpha", k_generalized_alpha, true},
          {"midpoint", k_midpoint, true},
          {"energy_conserving", k_energy_conserving, true},
          {"tsit5", k_tsit5, true},
          {"bdf", k_bdf, true},
          {"moved", k_moved, true}};
}

void write_sample_companions(const TemporaryDirectory& directory) {
  directory.write("arm.yaml", k_arm);
  directory.write("answer.py",
                  "import json, sys\n"
                  "for line in sys.stdin:\n"
                  "    sample = json.loads(line)\n"
                  "    print(json.dumps({'u': [sample['q'][0] + sample['v'][0]]}), flush=True)\n");
  directory.write(
      "ur10e.urdf",
      "<robot name='ur'><link name='root'/><joint name='turn' type='continuous'><parent link='root'/>"
      "<child link='wrist'/></joint><link name='wrist'><inertial><mass value='1'/></inertial></link></robot>");
  directory.write("hand.xml",
                  "<mujoco><worldbody><body name='hand'><joint/><geom size='0.1'/></body></worldbody></mujoco>");
  directory.write("hand.sdf", "<sdf version='1.9'><model name='m'><link name='hand'/></model></sdf>");
  directory.write("pendulum.yaml", k_pendulum);
  directory.write("table.csv", "time,force\n0,1\n0.5,2\n2,0.5\n");
  directory.write("cube.msh", test::msh_text(test::box_mesh({2, 2, 2}, 1, 1, 1), "2.2"));
  directory.write("ring.msh", test::msh_text(test::ring_mesh({60, 60, 40}, 1), "2.2"));
  directory.write("body.msh", test::msh_text(test::box_mesh({0.1, 0.2, 0.3}, 1, 2, 2), "4.1"));
  directory.write("body.json", k_network);
  directory.write(
      "solid.obj",
      "v 0.2 0.3 -0.1\nv 1.2 0.3 -0.1\nv 0.2 1.3 -0.1\nv 0.2 0.3 0.9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  directory.write("body.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

}  // namespace cuttle
