"""Statics of robots that touch: rods on pegs, between walls and plates, pulled over a cylinder.

Each right value comes twice: a closed form or an integration written here, and statics or a run of the library.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"


def pressing(robot, rest, **options):
    """Resultants of the contacts of a robot at rest, by name."""
    run = robot.simulate(duration=1e-9, q=rest.equilibrium.q, output_step=1e-9, **options)
    return {name: (contact.normal[0], contact.gap[0]) for name, contact in run.contacts.items()}


# --- a finger of four arcs on a peg ---------------------------------------------------------------------------------
FINGER, THIN, MODULUS = 0.16, 0.004, 1e6
PEG = (0.022, 0.09, 0.012)  # x, z, radius
STIFFNESS = MODULUS * np.pi * THIN**4 / 4


def finger_axis(curvature, count=400):
    """Points of the axis of four arcs, from the origin along z, bending towards x."""
    s = np.linspace(0, FINGER / 4, count + 1)
    points, angle, at = [], 0.0, np.zeros(2)
    for k in curvature:
        k = k if abs(k) > 1e-9 else 1e-9
        arc = np.stack([(np.cos(angle) - np.cos(angle + k * s)) / k, (np.sin(angle + k * s) - np.sin(angle)) / k], 1)
        points.append(at + arc)
        at, angle = points[-1][-1], angle + k * FINGER / 4
    return np.concatenate(points)


def room(curvature):
    """Distance of the axis from the center of the peg, less both radii."""
    points = finger_axis(curvature)
    distance = np.hypot(points[:, 0] - PEG[0], points[:, 1] - PEG[1])
    i = int(np.clip(np.argmin(distance), 1, len(distance) - 2))
    a, b, c = distance[i - 1 : i + 2]  # the least by a parabola
    curved = a - 2 * b + c
    least = b - (a - c) ** 2 / (8 * curved) if curved > 0 else b
    return least - PEG[2] - THIN


def finger_at_rest(turn):
    """Curvatures and the force of a peg that does not yield, where the moment grows until the free tip would turn so far:
    the least energy beside the peg, by Newton's method on (E I k - moment) l / 4 - force d(room)/dk = 0 and room = 0,
    with slopes by differences."""
    def equations(x, moment):
        k, force = x[:4], x[4]
        h = 1e-4
        slope = np.array([(room(k + h * e) - room(k - h * e)) / (2 * h) for e in np.eye(4)])
        return np.append((STIFFNESS * k - moment) * FINGER / 4 / 1e-4 - force * slope / 1e-4, room(k) / 1e-3)

    x = np.append(np.full(4, 0.6 / FINGER), 0.02)
    for part in np.linspace(0.8, turn, 2 + int(10 * abs(turn - 0.8))):
        for _ in range(100):
            r = equations(x, part * STIFFNESS / FINGER)
            jacobian = np.stack([(equations(x + h, 0) - equations(x - h, 0)) / 2e-3 for h in 1e-3 * np.eye(5)], 1)
            step = np.linalg.solve(jacobian, r)
            x = x - step * min(1.0, 0.5 / np.abs(step).max())
            if np.abs(step).max() < 1e-8:
                break
    return x[:4], x[4]


def finger(friction=0):
    return cuttle.Robot.from_text(finger_text(friction))


def finger_text(friction=0):
    arcs = "".join(f"""
  - name: arc{i}
    body:
      type: rod
      length: {FINGER / 4}
      section: {{shape: circle, radius: {THIN}}}
      material: m
      strain: {{kappa_y: constant}}
      quadrature: {{points: 12}}""" for i in range(4))
    ways = ", ".join(f"{{link: arc{i}, offset: [{{}}, 0]}}" for i in range(4))
    pull, push = ways.replace("{}", "0.003"), ways.replace("{}", "-0.003")
    return f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{m: {{density: 1100, young_modulus: {MODULUS}, poisson_ratio: 0.5, damping_time: 0.02}}}}
links:{arcs}
actuators:
  - {{name: pull, type: tendon, slack: allow, routing: [{pull}]}}
  - {{name: push, type: tendon, slack: allow, routing: [{push}]}}
obstacles: [{{name: peg, shape: cylinder, radius: {PEG[2]}, length: 0.1, pose: {{position: [{PEG[0]}, 0, {PEG[1]}], rpy: [1.5707963267948966, 0, 0]}}}}]
contacts: [{{name: grip, a: [arc0, arc1, arc2, arc3], b: peg, friction: {friction}, modulus: 2.0e+8}}]
"""


@pytest.mark.parametrize("turn", [1.0, 2.0, 3.0])  # that the tip would have without the peg [rad]
def test_a_finger_of_four_arcs_bends_onto_a_peg(turn):
    moment = turn * STIFFNESS / FINGER
    curvature, force = finger_at_rest(turn)
    assert force > 0
    pull = moment / (2 * 0.003)
    robot = finger()
    rest = robot.statics(inputs={"pull": pull, "push": -pull})
    assert rest.stable
    normal, gap = pressing(robot, rest, inputs={"pull": pull, "push": -pull})["grip"]
    assert normal == pytest.approx(force, rel=5e-3)
    tip = rest.frame("arc3.tip").position
    assert tip[[0, 2]] == pytest.approx(finger_axis(curvature)[-1], abs=2e-4)


# --- a rod buckled between two walls --------------------------------------------------------------------------------
def runge_kutta(rate, y, length, steps):
    h = length / steps
    for _ in range(steps):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        d = rate(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


def half_of_buckled(load, gap):
    """Force of the wall on the middle of an elastica of length 2 and stiffness 1 with clamped ends, and its shortening.

    turn'' = -load sin(turn) + side cos(turn), turn = 0 at the clamp and at the wall, which stands `gap` aside.
    """
    def end(x):
        rate = lambda y: np.array([y[1], -load * np.sin(y[0]) + x[1] * np.cos(y[0]), np.sin(y[0]), np.cos(y[0])])
        return runge_kutta(rate, np.array([0.0, x[0], 0.0, 0.0]), 1.0, 200)

    # of the linear theory: w = a (1 - cos(pi s)) / 2 where the load is that of Euler
    x = np.array([gap * np.pi**2 / 2, 0.0])
    for part in np.linspace(np.pi**2, load, 20):
        level = part
        for _ in range(30):
            def left(z):
                rate = lambda y: np.array([y[1], -level * np.sin(y[0]) + z[1] * np.cos(y[0]), np.sin(y[0])])
                y = runge_kutta(rate, np.array([0.0, z[0], 0.0]), 1.0, 200)
                return np.array([y[0], y[2] - gap])
            jacobian = np.stack([(left(x + h) - left(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)], 1)
            step = np.linalg.solve(jacobian, left(x))
            x = x - step
            if np.abs(step).max() < 1e-10:
                break
    return 2 * x[1], 2 * (1 - end(x)[3])


def buckled_rod(load, gap, length=0.3, thin=0.002, modulus=1e8):
    """Clamped at its base, its tip clamped to a slide along its axis that a force [N] pushes back, walls on either side."""
    return cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{m: {{density: 1100, young_modulus: {modulus}, poisson_ratio: 0.5, damping_time: 0.02}}}}
links:
  - name: rod
    body:
      type: rod
      length: {length}
      section: {{shape: circle, radius: {thin}}}
      material: m
      strain: {{kappa_y: {{basis: hermite, nodes: 13}}}}
      quadrature: {{points: 48}}
loads: [{{type: wrench, link: rod, force: [0, 0, {-load}]}}]
loops: [{{name: slide, type: prismatic, axis: [0, 0, 1], a: {{link: base}}, b: {{link: rod}}}}]
obstacles:
  - {{name: left, shape: plane, pose: {{position: [{-thin - gap}, 0, 0], rpy: [0, 1.5707963267948966, 0]}}}}
  - {{name: right, shape: plane, pose: {{position: [{thin + gap}, 0, 0], rpy: [0, -1.5707963267948966, 0]}}}}
contacts: [{{name: walls, a: rod, b: [left, right], friction: 0, modulus: 1.0e+7}}]
""")


BENDING, BUCKLED = 1e8 * np.pi * 0.002**4 / 4, 0.3  # its stiffness and its length


@pytest.mark.parametrize("load", [1.5, 2.5])  # of Euler's, 4 pi^2 E I / length^2
def test_a_rod_buckles_onto_a_wall(load):
    gap = 0.015
    side, shorter = half_of_buckled(load * np.pi**2, gap / (BUCKLED / 2))
    robot = buckled_rod(load * 4 * np.pi**2 * BENDING / BUCKLED**2, gap)
    rest = robot.statics()  # straight it would be in balance, and unstable
    assert rest.stable
    normal, gap_left = pressing(robot, rest)["walls"]
    assert abs(gap_left) < 1e-3 * gap
    assert normal == pytest.approx(side * BENDING / (BUCKLED / 2) ** 2, rel=5e-3)
    assert BUCKLED - rest.frame("rod.tip").position[2] == pytest.approx(shorter * BUCKLED / 2, rel=5e-3)


@pytest.mark.parametrize("part", [0.9, 0.99, 1.01])  # of the gap, which it would bend through if there were no wall
def test_a_buckled_rod_meets_the_wall_where_an_elastica_would(part):
    """Between clamps an elastica is a whole wave: aside by k length / K(k) under 16 K(k)^2 E I / length^2."""
    gap = 0.06
    low, high = 0.0, 0.9
    for _ in range(60):
        k = (low + high) / 2
        low, high = (k, high) if k / scipy.special.ellipk(k**2) < part * gap / BUCKLED else (low, k)
    K, E = scipy.special.ellipk(k**2), scipy.special.ellipe(k**2)
    robot = buckled_rod(16 * K**2 * BENDING / BUCKLED**2, gap)
    rest = robot.statics()
    assert rest.stable
    normal, gap_left = pressing(robot, rest)["walls"]
    if part > 1:
        assert normal > 0 and abs(gap_left) < 1e-3 * gap
        return
    assert normal == 0 and gap_left == pytest.approx((1 - part) * gap, abs=2e-3 * gap)
    assert BUCKLED - rest.frame("rod.tip").position[2] == pytest.approx(2 * BUCKLED * (1 - E / K), rel=5e-3)


# --- a ring between plates ------------------------------------------------------------------------------------------
def quarter_of_ring(force):
    """Half the height of an elastic ring of radius 1 and stiffness 1 between plates that press with 2 `force`: from where
    it leaves the plate, turn' = kappa, kappa' = force cos(turn), to where the tangent is upright. It touches at its top,
    or, where the curvature there would be negative, flat along a length, at whose end the force acts."""
    def end(curvature, flat):
        rate = lambda y: np.array([y[1], force * np.cos(y[0]), np.sin(y[0])])
        return runge_kutta(rate, np.array([0.0, curvature, 0.0]), np.pi / 2 - flat, 400)

    def root(missing, low, high):  # missing(low) < 0 < missing(high)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if missing(middle) < 0 else (low, middle)
        return low

    if end(0.0, 0.0)[0] < np.pi / 2:
        return end(root(lambda k: end(k, 0.0)[0] - np.pi / 2, 0.0, 1.0), 0.0)[2]
    flat = root(lambda a: np.pi / 2 - end(0.0, a)[0], 0.0, np.pi / 2)
    return end(0.0, flat)[2]


def ring_robot(closing, friction=0):
    ring, section, modulus = 0.05, 5e-4, 2e8
    return cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{m: {{density: 1000, young_modulus: {modulus}, poisson_ratio: 0.3, damping_time: 0.02}}}}
links:
  - name: half
    attach: {{pose: {{position: [{ring}, 0, 0]}}}}
    body:
      type: rod
      length: {np.pi * ring}
      section: {{shape: circle, radius: {section}}}
      material: m
      rest_strain: {{kappa_y: {-1 / ring}}}
      strain: {{kappa_y: {{basis: legendre, order: 14}}}}
      quadrature: {{points: 60}}
obstacles: [{{name: plate, shape: plane, pose: {{position: [0, 0, {ring + section - closing}], rpy: [3.141592653589793, 0, 0]}}}}]
loops:  # the other half is its mirror image: its other end slides along the middle plane
  - name: mirror
    type: prismatic
    axis: [1, 0, 0]
    a: {{link: base, pose: {{rpy: [0, 3.141592653589793, 0]}}}}
    b: {{link: half}}
contacts: [{{name: press, a: half, b: plate, friction: {friction}, modulus: 1.0e+6}}]
""")


# From a ring that is round, and deep in the plate, to one that touches at its top, and to one that is flat there.
@pytest.mark.parametrize("force", [0.5, 1.0, 2.5])
def test_a_plate_presses_a_ring_in_statics(force):
    closing = 0.05 * (1 - quarter_of_ring(force))
    robot = ring_robot(closing)
    rest = robot.statics()
    assert rest.stable
    expected = 2 * force * 2e8 * np.pi * 5e-4**4 / 4 / 0.05**2
    assert pressing(robot, rest)["press"][0] == pytest.approx(expected, rel=5e-3)


# --- a rope over a drum ---------------------------------------------------------------------------------------------
# Friction acts at the surface of the rope, at the drum's radius R, and the tension at its axis, at R + r. So along the
# angle T' (R + r) = mu n R, where T = n (R + r) presses: T grows by exp(mu pi R / (R + r)), not by exp(mu pi). A straight
# piece at each end lets the rope find where it leaves the drum. The second way is Euler's sum over small angles.
def test_a_rope_over_a_drum_holds_by_friction_at_its_surface():
    drum, thin, friction, tension, pull, lead = 0.03, 0.0005, 0.3, 2.0, 2e-4, 0.02
    expected = np.exp(friction * np.pi * drum / (drum + thin))
    steps = 100000
    by_sum = tension * (1 + friction * drum / (drum + thin) * np.pi / steps) ** steps
    assert by_sum == pytest.approx(tension * expected, rel=1e-4)

    def rope(name, length, more, order, points):
        return f"""
  - name: {name}
    body: {{type: rod, length: {length}, section: {{shape: circle, radius: {thin}}}, material: m, {more}strain: {{kappa_y: {{basis: legendre, order: {order}}}, sigma_z: {{basis: legendre, order: 3}}}}, quadrature: {{points: {points}}}}}"""

    wound = rope("wound", np.pi * (drum + thin), f"rest_strain: {{kappa_y: {1 / (drum + thin)}}}, ", 14, 48)
    robot = cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{m: {{density: 1500, young_modulus: 5.0e+9, poisson_ratio: 0.3, damping_time: 0.002}}}}
links:
  - name: feed
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    attach: {{pose: {{position: [{-(drum + thin)}, 0, {-lead}]}}}}
    body: {{type: rigid, mass: 0.01, inertia: [1.0e-6, 1.0e-6, 1.0e-6, 0, 0, 0]}}{rope("pulled", lead, "", 3, 8)}{wound}{rope("hanging", lead, "", 3, 8)}
loads: [{{type: wrench, link: hanging, force: [0, 0, {-tension}]}}]
obstacles: [{{name: drum, shape: cylinder, radius: {drum}, length: 0.1, pose: {{rpy: [1.5707963267948966, 0, 0]}}}}]
contacts: [{{name: wrap, a: [pulled, wound, hanging], b: drum, friction: {friction}, modulus: 1.0e+7}}]
""")
    run = robot.simulate(
        duration=pull / 1e-3, output_step=pull / 1e-2, statics=True,
        motion={"feed": [{"type": "cubic", "start": 0, "end": pull / 1e-3, "from": 0, "to": -pull}]},
        integrator={"type": "generalized_alpha", "step": 1e-3, "rho_inf": 0.5})
    force = -run.columns["motion.feed.joint.q0"]
    assert force[-1] / tension == pytest.approx(expected, rel=2e-3)
    assert run.contacts["wrap"].normal[-1] == pytest.approx((force[-1] - tension) * (drum + thin) / drum / friction, rel=1e-2)


# --- obstacles are not passed ---------------------------------------------------------------------------------------
# A ball on a spring beside a thin wall: the spring's rest lies beyond the wall. By Hertz's law alone there are two
# equilibria, before the wall and behind it; the one behind it is not to be found.
def ball_at_wall(modulus, beyond, start=-0.05):
    return cuttle.Robot.from_text(ball_text(modulus, beyond, start))


def ball_text(modulus, beyond, start):
    return f"""cuttle: 1
gravity: [0, 0, 0]
links:
  - name: ball
    joint: {{type: prismatic, axis: [1, 0, 0], stiffness: 100, rest: {beyond}}}
    attach: {{pose: {{position: [{start}, 0, 0]}}}}
    body: {{type: rigid, mass: 0.1, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}}
    contact: {{shape: sphere, radius: 0.01}}
obstacles: [{{name: wall, shape: box, size: [0.002, 0.2, 0.2]}}]
contacts: [{{name: stop, a: ball, b: wall, friction: 0.3, modulus: {modulus}}}]
"""


def test_a_ball_on_a_spring_stays_before_a_thin_wall():
    radius, stiffness, robot = 0.01, 100.0, ball_at_wall(1e7, beyond=0.1)
    low, high = 0.0, 1e-3  # depth: 4/3 E* sqrt(r) d^(3/2) = k (rest - q), q + start = d - r - half of the wall
    for _ in range(60):
        depth = (low + high) / 2
        left = 4 / 3 * 1e7 * np.sqrt(radius) * depth**1.5 - stiffness * (0.1 - (depth - radius - 0.001 + 0.05))
        low, high = (depth, high) if left < 0 else (low, depth)
    rest = robot.statics()
    assert rest.stable
    assert rest.q[0] == pytest.approx(depth - radius - 0.001 + 0.05, abs=1e-10)
    contact = rest.contacts["stop"]
    assert contact.normal == pytest.approx(stiffness * (0.1 - rest.q[0]), rel=1e-9)
    assert contact.force == pytest.approx([-contact.normal, 0, 0], abs=1e-12)
    assert contact.gap == pytest.approx(-depth, rel=1e-6)


@pytest.mark.parametrize("modulus", [1e6, 1e5, 1e3])
def test_an_equilibrium_behind_a_wall_is_refused_by_name(modulus):
    robot = ball_at_wall(modulus, beyond=0.1)
    with pytest.raises(cuttle.StaticsError, match="contact 'stop': 'ball' .* 'wall'"):
        robot.statics()
    # from behind the wall it is one
    assert robot.statics(q=[0.1]).q[0] == pytest.approx(0.1)
    with pytest.raises(cuttle.StaticsError, match="where the search begins, contact 'stop': 'ball' is .* deep in 'wall'"):
        robot.statics(q=[0.05])


# --- what the library did not find before: random rods that lean, fall and lie ---------------------------------------
def test_a_ring_is_found_with_friction_and_from_far_inside():
    for closing, friction in ((0.003, 0.4), (0.02, 0), (0.03, 0.4)):
        rest = ring_robot(closing, friction).statics()
        assert rest.stable
        assert rest.contacts["press"].gap > -5e-4
        assert rest.equilibrium.residual < 1e-6 * rest.contacts["press"].normal


@pytest.mark.parametrize("friction", [0, 0.5])
def test_a_free_rod_above_the_ground_comes_to_lie_on_it(friction):
    length, thin, density = 0.4, 0.005, 1100
    robot = cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, -9.81]
base: {{motion: floating, pose: {{position: [0, 0, 0.03], rpy: [0, 1.58, 0]}}}}
materials: {{m: {{density: {density}, young_modulus: 1.0e+6, poisson_ratio: 0.5, damping_time: 0.02}}}}
links:
  - name: rod
    body:
      type: rod
      length: {length}
      section: {{shape: circle, radius: {thin}}}
      material: m
      strain: {{kappa_x: {{basis: legendre, order: 2}}, kappa_y: {{basis: legendre, order: 2}}}}
      quadrature: {{points: 20}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: rod, b: ground, friction: {friction}}}]
""")
    rest = robot.statics()
    weight = density * np.pi * thin**2 * length * 9.81
    if friction == 0:
        assert rest.stability == "neutral"  # it glides and rolls
    assert rest.contacts["floor"].normal == pytest.approx(weight, rel=1e-6)
    assert rest.frame("rod.tip").position[2] == pytest.approx(thin, abs=1e-4)


# --- derivatives by parameters ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("friction", [0, 0.5])
@pytest.mark.parametrize("parameter", ["contacts.grip.modulus", "links.arc1.body.length", "obstacles.peg.pose.position[0]"])
def test_statics_on_a_peg_change_with_parameters_as_their_differences_say(friction, parameter):
    pull = 1.5 * STIFFNESS / FINGER / 0.006
    # stiffer contacts change so little that what Newton's method leaves of statics shows in the differences
    robot = finger(friction).with_({"contacts.grip.modulus": 1e7})
    inputs = {"pull": pull, "push": -pull}
    still = dict(duration=1e-9, integrator={"type": "midpoint", "step": 1e-9})
    slopes = robot.sensitivities("arc3.tip.position", parameter, inputs=inputs, statics=inputs, **still)
    value = {"contacts.grip.modulus": 1e7, "links.arc1.body.length": FINGER / 4, "obstacles.peg.pose.position[0]": PEG[0]}
    h = 1e-3 * value[parameter]
    tips = [robot.with_({parameter: value[parameter] + s * h}).statics(inputs).frame("arc3.tip").position
            for s in (-2, -1, 1, 2)]
    expected = (tips[0] - 8 * tips[1] + 8 * tips[2] - tips[3]) / (12 * h)
    size = np.abs(expected).max()
    assert size > 0
    assert slopes.derivatives[-1, :, 0] == pytest.approx(expected, rel=2e-5, abs=5e-5 * size)


# The bristles of a run that begins at rest change with the parameter too.
def test_a_run_from_statics_on_a_peg_changes_as_differences_say():
    pull = 1.5 * STIFFNESS / FINGER / 0.006
    before, after = {"pull": pull, "push": -pull}, {"pull": 1.2 * pull, "push": -1.2 * pull}
    run = dict(duration=0.02, inputs=after, statics=before, integrator={"type": "generalized_alpha", "step": 1e-3})
    parameter, h = "obstacles.peg.pose.position[0]", 1e-6
    robot = finger(0.5)
    slopes = robot.sensitivities("q", parameter, **run)
    ends = [robot.with_({parameter: PEG[0] + s * h}).simulate(output_step=0.02, **run).q[-1] for s in (-1, 1)]
    expected = (ends[1] - ends[0]) / (2 * h)
    assert slopes.derivatives[-1, :, 0] == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())


# --- stability and small motions -------------------------------------------------------------------------------------
def test_modes_of_a_ball_pressed_on_a_wall_are_those_of_its_contact():
    robot = ball_at_wall(1e7, beyond=0.1)
    rest = robot.statics()
    depth = -rest.contacts["stop"].gap  # dF/dd = 2 E* sqrt(r d)
    stiffness = 100.0 + 2 * 1e7 * np.sqrt(0.01 * depth)
    assert rest.equilibrium.smallest_stiffness == pytest.approx(stiffness, rel=1e-9)
    mode = robot.modes()[0]
    assert mode.frequency * 2 * np.pi == pytest.approx(np.sqrt(stiffness / 0.1), rel=2e-2)  # it is damped, too


def test_statics_without_friction_is_asked_for():
    pull = 1.5 * STIFFNESS / FINGER / 0.006
    inputs = {"pull": pull, "push": -pull}
    rough, smooth = finger(0.5), finger(0)
    without = rough.statics(inputs, friction="none")
    assert without.q == pytest.approx(smooth.statics(inputs).q, abs=1e-9)
    assert without.contacts["grip"].friction == 0
    held = rough.statics(inputs)
    grip = held.contacts["grip"]
    assert 0 < grip.friction <= 0.5 * grip.normal * (1 + 1e-4)
    assert np.abs(held.q - without.q).max() > 1e-3
    with pytest.raises(cuttle.ArgumentError, match="friction.*found 'some', expected 'from_start' or 'none'"):
        rough.statics(inputs, friction="some")


# --- what builds on statics ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("friction", [0, 0.5])
@pytest.mark.parametrize("by", [("pull",), ("pull", "push")])
def test_inputs_are_found_that_hold_the_tip_of_a_finger_on_a_peg(friction, by):
    pull = 1.5 * STIFFNESS / FINGER / 0.006
    robot = finger(friction)
    goal = robot.statics({"pull": pull, "push": -pull}).frame("arc3.tip").position
    held = robot.statics({"pull": 0.5 * pull, "push": -pull}, target={"arc3.tip": goal}, by=by)
    assert held.frame("arc3.tip").position == pytest.approx(goal, abs=1e-9)
    assert held.stable
    assert held.u[0] - held.u[1] == pytest.approx(2 * pull, rel=1e-6)  # only their difference bends it
    assert held.contacts["grip"].normal > 0


def command(tmp_path, robot_text, *arguments):
    file = tmp_path / "robot.yaml"
    file.write_text(robot_text, encoding="utf-8")
    run = subprocess.run([cuttle.program(), "statics", str(file), *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("friction", [0, 0.5])
def test_paths_and_tables_of_the_command_end_where_statics_does(tmp_path, friction):
    robot, text = finger(friction), finger_text(friction)
    end = robot.statics({"pull": 1.5, "push": -0.5})
    found = json.loads(command(tmp_path, text, "--input", "push=-0.5", "--path", "pull", "--from", "0", "--to", "1.5", "--json"))
    assert found["equilibria"][0]["q"] == pytest.approx(end.q, abs=1e-6)
    rows = tmp_path / "rows.csv"
    rows.write_text("pull,push\n0,-0.5\n0.4,-0.5\n0.8,-0.5\n1.2,-0.5\n1.5,-0.5\n", encoding="utf-8")
    table = command(tmp_path, text, "--table", str(rows)).strip().splitlines()
    header, last = table[0].split(","), table[-1].split(",")
    for i in range(4):
        assert float(last[header.index(f"arc{i}.kappa_y.0")]) == pytest.approx(end.q[i], abs=1e-6)
    one = json.loads(command(tmp_path, text, "--input", "push=-0.5", "--input", "pull=1.5", "--json"))
    assert one["contacts"]["grip"]["normal"] == pytest.approx(end.contacts["grip"].normal, rel=1e-9)
    assert one["contacts"]["grip"]["force"] == pytest.approx(end.contacts["grip"].force, rel=1e-9, abs=1e-12)
    assert "grip" in command(tmp_path, text, "--input", "push=-0.5", "--input", "pull=1.5")


def test_a_held_joint_carries_what_the_wall_pushes_back(tmp_path):
    text = ball_text(1e7, 0.1, -0.05)
    found = json.loads(command(tmp_path, text, "--hold", "ball=0.0392", "--json"))
    depth = 0.0392 - (0.05 - 0.011)
    force = 4 / 3 * 1e7 * np.sqrt(0.01) * depth**1.5
    assert found["contacts"]["stop"]["normal"] == pytest.approx(force, rel=1e-9)
    assert found["holding_force"][0] == pytest.approx(force - 100.0 * (0.1 - 0.0392), rel=1e-9)


# What the shipped robots lie or stand on carries what they weigh.
@pytest.mark.parametrize("name, contact", [("falling_rod", "floor"), ("snake", "belly"), ("landing_drone", "foot")])
def test_shipped_robots_come_to_rest_on_what_carries_them(name, contact):
    robot = cuttle.load(MODELS / f"{name}.yaml")
    rest = robot.statics()
    weight = 9.81 * robot.mass_matrix(rest.q)[5, 5]  # of a floating base along z
    assert rest.contacts[contact].force == pytest.approx([0, 0, weight], rel=1e-6, abs=1e-5 * weight)
    assert rest.contacts[contact].gap < 0
