#pragma once

namespace cuttle {

// The files that `cuttle new` writes. @NAME@ stands for the robot's name, @ROBOT@ and @SCENARIO@ for the names of the
// two files in comments, @ROBOT_TEXT@ for the robot file's as a YAML text.
//
// Lines with ## explain; a line with one # is an alternative that must be valid when its "# " is removed and so is an
// earlier line of the same mapping with the same key. A test tries each of them.

inline constexpr const char* k_robot_template =
    R"(## A robot for Cuttle: a motor swings a short arm that carries a soft finger. Made by `cuttle new`.
##
## Lines with ## explain. A line with one # is an alternative: remove its "# " to use it, and remove the line above it
## that has the same key, if there is one. After every change: cuttle check @ROBOT@
##
## Units are SI: m, kg, s, N, Pa, and rad for angles. A link is a joint and then a body; each hangs on the tip of the
## link before it unless it says otherwise. Bodies extend along their own z axis, from their base to their tip.
cuttle: 1  # version of the file format
name: @NAME@
gravity: [0, 0, -9.81]  # m/s^2, world axes
base: {motion: fixed, pose: {position: [0, 0, 0.5], rpy: [3.141592653589793, 0, 0]}}  # z points down: the robot hangs
# base: {motion: floating}  # flies freely; its position and quaternion [w, x, y, z] come first among the coordinates

materials:  # for rods, by a name of yours
  silicone: {density: 1070, young_modulus: 5.0e5, poisson_ratio: 0.5, damping_time: 0.05}  # kg/m^3, Pa, -, s
  # silicone: {density: 1070, young_modulus: 5.0e5, viscosity: 8.0e3}  # Pa s, instead of damping_time
  # silicone: {model: neo_hookean, density: 1070, c1: 8.3e4, damping_time: 0.05}  # Pa; young_modulus is 6 c1

links:
  - name: mount  # without a joint: fixed to the base
    body: {type: rigid, mass: 0.3, com: [0, 0, 0.02], inertia: [2e-4, 2e-4, 2e-4, 0, 0, 0], tip: {position: [0, 0, 0.04]}}

  - name: upper_arm
    # parent: base  # instead of the link before: any link above, or the robot's base
    # attach: {at: tip, pose: {position: [0, 0.03, 0]}}  # moved aside; at: base, tip, or {s: 0.1} [m] along a rod
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}  # N m s/rad
    # joint: {type: revolute, axis: [0, 1, 0], damping: 0.01, stiffness: 0.5, rest: 0.3}  # with a spring: N m/rad, rad
    # joint: {type: prismatic, axis: [1, 0, 0], damping: 2, stiffness: 20}  # slides; the motor then pushes with N
    body:
      type: rigid
      mass: 0.15
      com: [0, 0, 0.06]  # center of mass, from the base
      inertia: [2e-4, 2e-4, 2e-5, 0, 0, 0]  # Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the center of mass [kg m^2]
      tip: {position: [0, 0, 0.12]}
      # tip: {position: [0, 0, 0.12], rpy: [0, 0.5, 0]}  # what follows is turned

  - name: finger
    body:
      type: rod  # soft and slender
      length: 0.25
      section: {shape: circle, radius: [0.012, 0.008]}  # from base to tip; one number: the same everywhere
      # section: {shape: annulus, radius: 0.012, inner_radius: 0.006}  # a tube
      # section: {shape: ellipse, radius_x: 0.015, radius_y: 0.008}
      # section: {shape: rectangle, width: 0.03, height: 0.015}  # along x, along y
      material: silicone
      strain: pcc  # coordinates: bending about x and about y, stretch; each constant along the rod
      # strain: pcs  # all six strains constant: twist and shear too
      # strain: {kappa_x: {basis: legendre, order: 2}, kappa_y: {basis: legendre, order: 2}, sigma_z: constant}  # varies along it
      # strain: {kappa_y: {basis: piecewise, breaks: [0.1]}}  # bends about y only, two pieces of constant curvature
      # pieces: 2  # each with a strain of its own (two "sections"), beside a shorthand as pcc
      quadrature: {points: 10}  # accuracy; `cuttle info` tells whether it is enough
      # quadrature: {points: 20}
      # rest_strain: {kappa_y: 3}  # curved by itself [1/m]

  - name: weight
    body: {type: rigid, mass: 0.02}  # a point mass
    # body: {type: rigid, mass: 0.02, com: [0, 0, 0.01], inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0], tip: {position: [0, 0, 0.02]}}

  # - {name: thumb, parent: finger, attach: {at: {s: 0.1}, pose: {rpy: [0, 1.2, 0]}}, body: {type: rod, length: 0.1, section: {shape: circle, radius: 0.005}, material: silicone, strain: pcc}}

actuators:  # what the scenario's inputs drive
  - {name: motor, type: joint, link: upper_arm}  # a torque [N m], or a force [N] on a joint that slides
  # - {name: muscle, type: linear, links: [finger], matrix: [[0], [1], [0]]}  # a row a coordinate: bends about y

loads: []  # forces from outside
# loads: [{type: wrench, link: weight, at: tip, force: [0, 0.05, 0]}]  # N, world axes
# loads: [{type: wrench, link: finger, at: {s: 0.1}, torque: [0, 0, 1e-3], frame: body}]  # N m, axes that follow
# loads: [{type: distributed, link: finger, force: [{type: sine, amplitude: 0.2, frequency: 1}, 0, 0]}]  # N/m, in gusts
)";

inline constexpr const char* k_scenario_template = R"(## What to simulate with @ROBOT@. Made by `cuttle new`.
##
## Lines with ## explain. A line with one # is an alternative: remove its "# " to use it, and remove the line above it
## that has the same key, if there is one. After every change: cuttle check @SCENARIO@
cuttle: 1  # version of the file format
robot: @ROBOT_TEXT@  # relative to this file
simulation:
  duration: 6.0  # s
  output_step: 0.01  # s between rows of the result: coordinates, velocities, inputs, tip poses, energies
  integrator: {type: bdf, relative_tolerance: 1.0e-6, absolute_tolerance: 1.0e-8}  # implicit: for stiff rods
  # integrator: {type: bdf, relative_tolerance: 1.0e-9, absolute_tolerance: 1.0e-11, max_step: 0.01}  # more accurate
  # integrator: {type: erk, relative_tolerance: 1.0e-6, absolute_tolerance: 1.0e-8}  # explicit: for rigid or soft robots
  # integrator: {type: tsit5, step: 1.0e-3}  # explicit with fixed steps [s]; rk4 too

  initial:  # by link; what is not named starts straight and at rest
    upper_arm: {q: [0.8]}  # coordinates of the link's joint, then of its body, as `cuttle info` lists them
    # upper_arm: {q: [0.8], v: [2]}  # with a velocity
    # finger: {q: [0, 0.5, 0]}  # bent about y

  inputs:  # by actuator; missing: 0. `cuttle info` tells their units
    motor: {type: step, time: 3, before: 0, after: 0.2}
    # motor: 0.1
    # motor: {type: ramp, start: 1, end: 4, from: 0, to: 0.2}  # s; held before and after
    # motor: {type: sine, amplitude: 0.1, frequency: 1.2, phase: 0, offset: 0.1}  # Hz, rad
    # motor: {type: points, time: [0, 2, 4], value: [0, 0.2, 0]}  # straight lines between
)";

}  // namespace cuttle
