"""A tube with open ends: a wire enters it, and friction grows with the length that is inside."""

import numpy as np
import pytest

import cuttle

G, MASS = 9.81, 0.05
WEIGHT = 6450 * np.pi * 0.0004**2 * G  # of the wire, per length
WAY, TIME = 0.1, 1.0


def wire(tube=""):
    return f"""cuttle: 1
gravity: [0, 0, -{G}]
base: {{pose: {{position: [-0.21, 0, -0.0006], rpy: [0, 1.5707963267948966, 0]}}}}
materials: {{nitinol: {{density: 6450, young_modulus: 6.0e+10, poisson_ratio: 0.33, damping_time: 2.0e-3}}}}
links:
  - name: feed
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: {MASS}, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}}
  - name: wire
    body:
      type: rod
      length: 0.2
      section: {{shape: circle, radius: 0.0004}}
      material: nitinol
      strain: {{kappa_y: {{basis: legendre, order: 6}}}}
      quadrature: {{points: 20}}
obstacles:
  - {{name: tube, shape: cylinder, inside: true, {tube}radius: 0.001, length: 0.2, pose: {{position: [0.1, 0, 0], rpy: [0, 1.5707963267948966, 0]}}}}
  - {{name: table, shape: box, size: [0.4, 0.1, 0.02], pose: {{position: [-0.2, 0, -0.011]}}}}
contacts:
  - {{name: wall, a: wire, b: tube, friction: 0.3, modulus: 1.0e+7}}
  - {{name: rest, a: wire, b: table, friction: 0, modulus: 1.0e+7}}
"""


def test_a_wire_enters_a_tube_and_friction_grows_with_its_way():
    robot = cuttle.Robot.from_text(wire("open: true, "))
    run = robot.simulate(
        duration=TIME, output_step=0.01, motion={"feed": [{"type": "cubic", "start": 0, "end": TIME, "from": 0, "to": WAY}]},
        integrator={"type": "generalized_alpha", "step": 2e-3, "rho_inf": 0.5})
    tip = run.frame("wire.tip").position[:, 0]
    assert tip[0] == pytest.approx(-0.01, abs=1e-5)
    push = run.columns["motion.feed.joint.q0"]
    mass = MASS + WEIGHT / G * 0.2
    part = run.time / TIME
    acceleration = WAY * (6 - 12 * part) / TIME**2
    friction = push - mass * acceleration
    # the work between two places, as the wire jolts a little where its stations pass the mouth
    inside = (tip > 0.02) & (run.time < 0.95 * TIME)
    work = np.trapezoid(friction[inside], tip[inside])
    assert work == pytest.approx(0.15 * WEIGHT * (tip[inside][-1] ** 2 - tip[inside][0] ** 2), rel=0.02)
    slope, at_mouth = np.polyfit(tip[inside], friction[inside], 1)
    assert slope == pytest.approx(0.3 * WEIGHT, rel=0.03)
    assert at_mouth == pytest.approx(0, abs=0.03 * 0.3 * WEIGHT * WAY)
    before = (tip < -0.002) & (run.time > 0.02)
    assert friction[before] == pytest.approx(0, abs=2e-6)
    carried = run.contacts["wall"].normal[inside]
    assert np.polyfit(tip[inside], carried, 1)[0] == pytest.approx(WEIGHT, rel=0.03)


def test_a_closed_tube_lets_no_wire_in():
    robot = cuttle.Robot.from_text(wire())
    with pytest.raises(cuttle.StaticsError, match="'wire' is .* deep in 'tube'"):
        robot.statics(q=np.r_[0.02, np.zeros(robot.nq - 1)])


def test_open_ends_are_those_of_tubes():
    with pytest.raises(cuttle.FileError, match=r"open"):
        cuttle.Robot.from_text(wire("open: true, ").replace("inside: true, ", ""))
