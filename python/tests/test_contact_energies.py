"""Energies, times and ways of robots in contact that have closed forms: blocks that topple and rock, a block that is shot
uphill, rods that slide until they roll."""

import numpy as np
import pytest
from scipy.integrate import quad

import cuttle

G = 9.81
EXACT = {"type": "bdf", "relative_tolerance": 1e-7, "absolute_tolerance": 1e-9}


def block(width, height, slope=0.0, friction=1.0, modulus=1e10, rounding=2e-5, dissipation=5.0):
    """A box of 1 kg on a slope that falls along x."""
    lying, upright = (width**2 + height**2) / 12, width**2 / 6
    return cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [G * np.sin(slope), 0, -G * np.cos(slope)],
        "links": [{"name": "block", "joint": {"type": "free"},
                   "body": {"type": "rigid", "mass": 1, "inertia": [lying, lying, upright, 0, 0, 0]},
                   "contact": {"shape": "box", "size": [width, width, height]}}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "rest", "a": "block", "b": "ground", "friction": friction, "modulus": modulus,
                      "rounding": rounding, "dissipation": dissipation}]})


WIDTH, HEIGHT = 0.04, 0.1
RADIUS = np.hypot(WIDTH, HEIGHT) / 2  # from an edge to the center
BALANCE = np.arctan(WIDTH / HEIGHT)  # lean at which it stands on the edge
INERTIA = (WIDTH**2 + HEIGHT**2) / 12 + RADIUS**2  # about the edge


def leaning(lean):
    """On the edge at x = WIDTH / 2, turned by `lean` about y."""
    c, s = np.cos(lean), np.sin(lean)
    x, z = -WIDTH / 2, HEIGHT / 2
    return [WIDTH / 2 + c * x + s * z, 0, -s * x + c * z, np.cos(lean / 2), 0, np.sin(lean / 2), 0]


def leans(run):
    return 2 * np.arctan2(run.q[:, 5], run.q[:, 3])


def time_between(begin, end):
    """Of the fall about the edge from rest at `begin` to `end`, by the energy."""
    def spin(lean):
        return np.sqrt(2 * G * RADIUS / INERTIA * (np.cos(begin - BALANCE) - np.cos(lean - BALANCE)))

    # lean = begin + (end - begin) u^2, which takes the root of the begin away
    return quad(lambda u: 2 * u * abs(end - begin) / spin(begin + (end - begin) * u * u), 0, 1, epsabs=1e-12)[0]


@pytest.mark.parametrize("part", [0.98, 1.02])
def test_a_block_topples_from_the_energy_that_lifts_its_center_over_the_edge(part):
    spin = part * np.sqrt(2 * G * (RADIUS - HEIGHT / 2) / INERTIA)
    run = block(WIDTH, HEIGHT, modulus=1e9).simulate(
        duration=0.8, output_step=0.01, q=[0, 0, HEIGHT / 2, 1, 0, 0, 0],
        v=[0, spin, 0, spin * HEIGHT / 2, 0, spin * WIDTH / 2], integrator=EXACT)
    assert (leans(run).max() > 2 * BALANCE) == (part > 1)


def test_a_block_falls_over_its_edge_in_time():
    begin, end = BALANCE + 0.05, 1.2
    run = block(WIDTH, HEIGHT).simulate(duration=0.5, output_step=1e-3, q=leaning(begin), integrator=EXACT)
    found = np.interp(end, leans(run), run.time)
    assert found == pytest.approx(time_between(begin, end), rel=2e-3)


def test_a_block_that_rocks_comes_upright_in_time():
    begin = 0.15
    run = block(WIDTH, HEIGHT, dissipation=0.5).simulate(duration=0.2, output_step=5e-4, q=leaning(begin),
                                                         integrator=EXACT)
    lean = leans(run)
    upright = int(np.argmax(lean < 0))
    found = np.interp(0, -lean[:upright + 1], run.time[:upright + 1])
    assert found == pytest.approx(time_between(begin, 0), rel=2e-3)


def test_a_block_that_is_shot_uphill_stops_where_friction_and_weight_say():
    slope, friction, speed = np.radians(20), 0.3, 1.0
    width, height, modulus, rounding = 0.1, 0.04, 1e9, 2e-4
    robot = block(width, height, slope, friction, modulus, rounding)
    # as deep and as turned as its weight and the moment of friction on its way up want
    arm, stiffness, weight = width / 2 - rounding, 4 / 3 * modulus * np.sqrt(rounding), G * np.cos(slope)
    more = -friction * weight * height / (8 * arm)
    deep = [((weight / 4 + s * more) / stiffness) ** (2 / 3) for s in (1, -1)]
    turn = (deep[0] - deep[1]) / (2 * arm)
    start = [0, 0, height / 2 - sum(deep) / 2, np.cos(turn / 2), 0, np.sin(turn / 2), 0]
    up = speed / (G * (np.sin(slope) + friction * np.cos(slope)))
    run = robot.simulate(duration=0.4, output_step=1e-3, q=start, v=[0, 0, 0, -speed, 0, 0],
                         integrator={"type": "generalized_alpha", "step": 5e-4})
    assert -run.q[:, 0].min() == pytest.approx(speed * up / 2, rel=5e-4)
    back = 0.5 * G * (np.sin(slope) - friction * np.cos(slope)) * (0.4 - up) ** 2
    # at the turn bristles bend from one end of their cone to the other, twice its length L: it gains sqrt(4 L g sin) at most
    longest = friction * max(deep) / 1.2
    gained = run.q[-1, 0] - (back - speed * up / 2)
    assert 0 < gained < np.sqrt(4 * longest * G * np.sin(slope)) * (0.4 - up)


RODS = {"slides, then rolls": {"speed": 1.0}, "is turned by a torque": {"torque": 0.02},
        "rolls downhill": {"slope": np.radians(8)}}


@pytest.mark.parametrize("case", RODS)
def test_a_rod_has_the_energies_of_rolling(case):
    given = RODS[case]
    radius, length, slope, friction = 0.025, 1.0, given.get("slope", 0.0), 0.2
    robot = cuttle.Robot.from_dict({
        "cuttle": 1, "base": {"motion": "floating", "pose": {"position": [0, 0, radius], "rpy": [-np.pi / 2, 0, 0]}},
        "gravity": [G * np.sin(slope), 0, -G * np.cos(slope)],
        "materials": {"m": {"density": 1 / (length * np.pi * radius**2), "young_modulus": 1e9, "poisson_ratio": 0.5,
                            "damping_time": 1e-4}},
        "links": [{"name": "rod", "body": {
            "type": "rod", "length": length, "section": {"shape": "circle", "radius": radius}, "material": "m",
            "strain": {"kappa_x": "constant", "kappa_y": "constant", "kappa_z": "constant"}, "quadrature": {"points": 6}}}],
        "loads": [{"type": "distributed", "link": "rod", "torque": [0, given["torque"] / length, 0]}] if "torque" in given else [],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "rod", "b": "ground", "modulus": 1e7, "friction": friction}]})
    v = np.zeros(robot.nv)
    v[3] = given.get("speed", 0.0)
    time = 0.5
    run = robot.simulate(duration=time, output_step=time, v=v,
                         integrator={"type": "generalized_alpha", "step": 1e-3, "rho_inf": 0.6})
    # rolling: the axis has speed u, the spin u / r, and moves 3/2 of the mass
    if "speed" in given:
        u, lost = 2 / 3 * given["speed"], given["speed"] ** 2 / 6
    elif "torque" in given:
        u, lost = given["torque"] / radius / 1.5 * time, 0.0
    else:
        u, lost = G * np.sin(slope) / 1.5 * time, 0.0
    frame = run.frame("rod.base")
    assert frame.velocity[-1][0] == pytest.approx(u, rel=2e-3)
    assert run.energy.kinetic[-1] == pytest.approx(0.75 * u**2, rel=4e-3)
    assert run.energy.dissipated[-1] == pytest.approx(lost, rel=4e-3, abs=2e-3 * u**2)


def sliding_ladder(lean, length, radius, friction):
    """Time [s], angle and rate at which a ladder that slides at both ends leaves the wall, and its motion before.

    m x'' = Nw - mu Nf, m z'' = Nf + mu Nw - m g and moments about the center, where forces act on the skin.
    """
    inertia, half = length**2 / 12, length / 2

    def solve(a, w):
        c, s = np.cos(a), np.sin(a)
        left = np.array([[-half * s, friction, -1], [half * c, -1, -friction],
                         [inertia, half * c - friction * (half * s + radius), -friction * (half * c + radius) - half * s]])
        return np.linalg.solve(left, [half * c * w * w, half * s * w * w - G, 0])

    a, w, time, step, seen = lean, 0.0, 0.0, 2e-4, []
    while True:
        turning, _, wall = solve(a, w)
        if wall <= 0:
            return time, np.array(seen)
        seen.append([time, a, w])
        middle = a + 0.5 * step * w, w + 0.5 * step * turning
        a, w, time = a + step * middle[1], w + step * solve(*middle)[0], time + step


@pytest.mark.parametrize("degrees, friction", [(50, 0.2), (60, 0.1)])
def test_a_ladder_with_friction_at_both_ends_leaves_the_wall(degrees, friction):
    length, radius, lean = 1.0, 0.005, np.radians(degrees)
    leaves, own = sliding_ladder(lean, length, radius, friction)
    inertia, nothing = length**2 / 12, {"type": "rigid", "mass": 1e-6, "inertia": [1e-9, 1e-9, 1e-9, 0, 0, 0]}
    robot = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, -G],
        "links": [{"name": "along", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": nothing, "attach": {
                      "pose": {"position": [length / 2 * np.cos(lean) + radius, 0, length / 2 * np.sin(lean) + radius]}}},
                  {"name": "upward", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": nothing},
                  {"name": "ladder", "joint": {"type": "revolute", "axis": [0, 1, 0]},
                   "body": {"type": "rigid", "mass": 1, "inertia": [inertia, inertia, 1e-6, 0, 0, 0]},
                   "contact": {"shape": "capsule", "radius": radius, "length": length}}],
        "obstacles": [{"name": "ground", "shape": "plane"},
                      {"name": "wall", "shape": "plane", "pose": {"rpy": [0, np.pi / 2, 0]}}],
        "contacts": [{"name": name, "a": "ladder", "b": other, "friction": friction, "modulus": 1e9, "dissipation": 2}
                     for name, other in (("feet", "ground"), ("top", "wall"))]})
    run = robot.simulate(duration=1.1 * leaves, output_step=leaves / 200, q=[0, 0, lean - np.pi / 2],
                         integrator={"type": "generalized_alpha", "step": 2e-4, "rho_inf": 0.6})
    for part in (0.5, 0.9):
        time = part * leaves
        angle, rate = (np.interp(time, own[:, 0], own[:, i]) for i in (1, 2))
        assert np.interp(time, run.time, run.q[:, 2]) + np.pi / 2 == pytest.approx(angle, rel=2e-3)
        assert np.interp(time, run.time, run.v[:, 2]) == pytest.approx(rate, rel=5e-3)
    pushes = run.time[run.contacts["top"].normal > 0]
    assert pushes[-1] == pytest.approx(leaves, rel=0.02)
