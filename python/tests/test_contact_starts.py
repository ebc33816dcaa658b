"""Runs that begin in touch: friction holds what it can, and pulls against what it cannot hold. Its balance in NumPy."""

import numpy as np
import pytest

import cuttle

G = 9.81
COUNT = 40  # of random boxes a kind
UP = np.array([0.0, 0, 1])


def random_box(seed, kind):
    """A box with a heavy side whose corners are in the ground at random depths, under a gravity that is tilted.

    Its z axis, along which friction may be directed, lies in the ground.   @return robot, q, coefficients, gravity, mass, center of mass, moments of inertia
    """
    r = np.random.default_rng(seed)
    mass, size = r.uniform(0.1, 1), r.uniform(0.05, 0.2, 3)
    mu = r.uniform(0.2, 0.9)
    friction, most = {
        "isotropic": lambda: (mu, [mu, mu, mu]),
        "static": lambda: ({"static": 1.3 * mu, "kinetic": mu}, [1.3 * mu] * 3),
        "anisotropic": lambda: (f := {"forward": mu, "backward": mu * r.uniform(1, 1.6), "sideways": mu * r.uniform(1, 1.8)}, list(f.values())),
    }[kind]()
    tilt, way = r.uniform(0, 1.2) * mu, r.uniform(0, 2 * np.pi)
    gravity = G * np.array([np.sin(tilt) * np.cos(way), np.sin(tilt) * np.sin(way), -np.cos(tilt)])
    depth = r.uniform(0.5e-4, 2e-4)
    tip = 0.8 * depth / max(size[1:]) * r.uniform(-1, 1, 2)
    com = r.uniform(-0.2, 0.2, 3) * size
    robot = cuttle.Robot.from_dict({
        "cuttle": 1, "name": "box", "gravity": gravity.tolist(),
        "base": {"motion": "floating", "pose": {"position": [0, 0, 0], "rpy": [0, np.pi / 2, 0]}},  # z is the world's x
        "links": [{"name": "box", "contact": {"shape": "box", "size": size.tolist()},
                   "body": {"type": "rigid", "mass": mass, "com": com.tolist(),
                            "inertia": [*(mass / 12 * (size @ size - size**2)).tolist(), 0, 0, 0]}}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "box", "b": "ground", "friction": friction, "modulus": 1e7, "record": "sites"}],
    })
    turn = np.array([1.0, 0, *(tip / 2)])
    q = [-(size[0] / 2 - depth), 0, 0, *(turn / np.linalg.norm(turn))]
    return robot, q, most, gravity, mass, com, mass / 12 * (size @ size - size**2)


def rotation(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def at_start(robot, q, **keys):
    run = robot.simulate(1e-7, output_step=1e-7, integrator={"type": "generalized_alpha", "step": 1e-7}, q=q, **{"v": [0] * robot.nv, **keys})
    sites = run.contacts["floor/sites"]
    touching = sites.state[0] > 0
    return run, sites.position[0].reshape(-1, 3)[touching], sites.force[0].reshape(-1, 3)[touching]


@pytest.mark.parametrize("kind", ["isotropic", "static", "anisotropic"])
def test_what_is_held_rests_and_what_is_not_is_pulled_against_its_way(kind):
    rest = slide = 0
    for seed in range(COUNT):
        robot, q, most, gravity, mass, com, moments = random_box(seed, kind)
        _, places, forces = at_start(robot, q)
        axes = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]) @ rotation(*q[3:])
        arms = places - (np.array([0, 0, -q[0]]) + axes @ com)
        normal = forces @ UP
        pull = forces - normal[:, None] * UP
        # accelerations under friction and gravity, where what is pressed does not move along its normal
        inertia = np.zeros((6, 6))
        inertia[:3, :3], inertia[3:, 3:] = mass * np.eye(3), axes @ np.diag(moments) @ axes.T
        acting = np.concatenate([mass * gravity + pull.sum(0), np.cross(arms, pull).sum(0)])
        held = np.array([[*UP, *np.cross(arm, UP)] for arm in arms])
        size = len(held)
        equations = np.block([[inertia, held.T], [held, np.zeros((size, size))]])
        a = np.linalg.lstsq(equations, np.concatenate([acting, np.zeros(size)]), rcond=1e-12)[0]
        moved = a[:3] + np.cross(a[3:6], arms)
        moved -= np.outer(moved @ UP, UP)

        along = axes[:, 2] - axes[2, 2] * UP  # shorter than 1 by how much the axis leans
        forward, backward, sideways = most

        def inverse_squares(mu):  # D^2 = 1/sideways^2 + (1/mu^2 - 1/sideways^2) along along^T
            return np.eye(3) / sideways**2 + (mu**-2 - sideways**-2) * np.outer(along, along)

        for f, n, way in zip(pull, normal, moved):
            D2 = inverse_squares(forward if f @ along < 0 else backward)
            used = np.sqrt(f @ D2 @ f) / n
            assert used < 1 + 1e-8, seed
            if used < 1 - 1e-6:
                rest += 1
                assert np.linalg.norm(way) < 1e-6 * G, seed
            elif np.linalg.norm(way) > 1e-5 * G:  # of all that the cone holds, friction brakes most
                slide += 1
                D2 = inverse_squares(forward if way @ along > 0 else backward)
                assert -f @ way == pytest.approx(n * np.sqrt(way @ np.linalg.solve(D2, way)), rel=1e-4), seed
    assert rest > COUNT / 2 and slide > COUNT / 2


BLOCK = """cuttle: 1
name: pulled
gravity: [0, 0, -9.81]
links:
  - {name: table, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}, contact: {shape: box, size: [1, 1, 0.1], pose: {position: [0, 0, -0.05]}}}
  - {name: block, parent: base, joint: {type: free}, body: {type: rigid, mass: 0.5, inertia: [1.0e-3, 2.0e-3, 1.5e-3, 0, 0, 0]}, contact: {shape: box, size: [0.1, 0.08, 0.06]}}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: floor, a: block, b: OTHER, friction: 0.5, modulus: 1.0e7, record: sites}]
loads: [{type: wrench, link: block, force: [FORCE, 0.3, 0]}]
"""


def block_at(robot):
    """The block as deep as it is pressed by its weight: 4/3 E* sqrt(r) d^1.5 at each corner, r = 1 % of the least half."""
    depth = (0.25 * 0.5 * G / (4 / 3 * 1e7 * np.sqrt(0.01 * 0.03))) ** (2 / 3)
    q = np.zeros(robot.nq)
    q[3:6] = 0, 0, 0
    q[-7:] = 0, 0, 0.03 - depth, 1, 0, 0, 0
    return q


@pytest.mark.parametrize("force", [0.01, 0.4, 1.9])
def test_a_block_that_holds_holds_just_what_pulls(force):
    robot = cuttle.Robot.from_text(BLOCK.replace("OTHER", "ground").replace("FORCE", str(force)))
    _, _, forces = at_start(robot, block_at(robot))
    assert forces.sum(0)[:2] == pytest.approx([-force, -0.3], abs=1e-8 * np.hypot(force, 0.3))


def test_a_block_on_a_table_that_is_driven_gets_what_it_takes_along():
    """The table begins with an acceleration: friction is the mass times that, beside the load."""
    robot = cuttle.Robot.from_text(BLOCK.replace("OTHER", "table").replace("FORCE", "0"))
    begin, rate = 0.02, 1.5  # x = begin + rate t^2 / 2, as a cubic that begins with a slope of zero: 3 w t^2 / T^2
    T = 0.1
    motion = {"table": [{"type": "cubic", "start": 0, "end": T, "from": begin, "to": begin + rate * T**2 / 6}]}
    q = block_at(robot)
    q[0] = begin
    _, _, forces = at_start(robot, q, motion=motion)
    assert forces.sum(0)[:2] == pytest.approx([0.5 * rate, -0.3], abs=1e-7)


TABLE = {"shape": "box", "size": [1, 1, 0.2], "pose": {"position": [0, 0, -0.1]}}
MASS, RADIUS, INERTIA = 0.2, 0.03, 1e-3
DEPTH = (MASS * G / (4 / 3 * 1e5 * np.sqrt(RADIUS))) ** (2 / 3)
BALL = {"name": "b", "parent": "base", "contact": {"shape": "sphere", "radius": RADIUS}}


def on_a_table(links, joint, signal, world):
    """A table with a motion of its own: an obstacle, or a link that a joint drives."""
    contacts = [{"name": "t", "a": "b", "b": "o", "modulus": 1e5, "friction": 0.5}]
    if world:
        motion = {"position": [signal, 0, 0]} if joint["type"] == "prismatic" else {"rpy": [0, 0, signal]}
        return cuttle.Robot.from_dict({"links": links, "obstacles": [{"name": "o", **TABLE, "motion": motion}], "contacts": contacts})
    body = {"type": "rigid", "mass": 1.0, "inertia": [1, 1, 1, 0, 0, 0]}
    table = {"name": "o", "joint": joint, "contact": TABLE, "body": body}
    return cuttle.Robot.from_dict({"links": [table, *links], "contacts": contacts})


@pytest.mark.parametrize("world", [True, False])
def test_a_ball_that_cannot_roll_gets_what_a_shaken_table_takes_along(world):
    begin, rate = 0.01, 4 * np.pi
    signal = {"type": "sine", "amplitude": begin, "frequency": rate / (2 * np.pi), "phase": np.pi / 2}
    flywheel = {"type": "rigid", "mass": MASS, "inertia": [1e6, 1e6, 1e6, 0, 0, 0]}
    at = {"pose": {"position": [begin, 0, RADIUS - DEPTH], "rpy": [np.pi / 2, 0, 0]}}
    robot = on_a_table([{**BALL, "joint": {"type": "planar"}, "attach": at, "body": flywheel}],
                       {"type": "prismatic", "axis": [1, 0, 0]}, signal, world)
    keys = {} if world else {"q": [begin, 0, 0, 0], "motion": {"o": [signal]}}
    run = robot.simulate(0.002, output_step=0.002, integrator={"type": "generalized_alpha", "step": 1e-4}, **keys)
    assert run.contacts["t"].friction_force[0] == pytest.approx([-MASS * begin * rate**2, 0, 0], rel=1e-6, abs=1e-7)
    assert run.v[-1, -3] == pytest.approx(-begin * rate * np.sin(rate * 0.002), rel=2e-3)


# One that may turn in space is rolled, too, by the friction that holds it on its circle.
@pytest.mark.parametrize("world", [True, False])
@pytest.mark.parametrize("kind", ["free", "in axes"])
def test_who_rides_on_a_disc_begins_on_its_circle(kind, world):
    spin, out = 4.0, 0.1
    ramp = {"type": "ramp", "start": 0, "end": 10, "from": 0, "to": 10 * spin}
    ball = {**BALL, "body": {"type": "rigid", "mass": MASS, "inertia": [INERTIA] * 3 + [0, 0, 0]}}
    at, thin = {"pose": {"position": [0, 0, RADIUS - DEPTH]}}, {"type": "rigid", "mass": 1e-9}
    if kind == "free":
        links, q, v = [{**ball, "attach": at, "joint": {"type": "free"}}], [out, 0, 0, 1, 0, 0, 0], [0, 0, spin, 0, spin * out, 0]
        force = MASS * spin**2 * out / (1 + MASS * RADIUS**2 / INERTIA)
    else:
        links = [{"name": axis, "joint": {"type": "prismatic", "axis": unit}, "body": thin}
                 for axis, unit in zip("xyz", np.eye(3).astype(int).tolist())]
        links[0] |= {"parent": "base", "attach": at}
        links.append({**ball, "parent": "z", "joint": {"type": "revolute", "axis": [0, 0, 1]}})
        q, v, force = [out, 0, 0, 0], [0, spin * out, 0, spin], MASS * spin**2 * out
    robot = on_a_table(links, {"type": "revolute", "axis": [0, 0, 1]}, ramp, world)
    keys = {"q": q, "v": v} if world else {"q": [0, *q], "v": [spin, *v], "motion": {"o": [ramp]}}
    run = robot.simulate(1e-3, output_step=1e-3, integrator={"type": "generalized_alpha", "step": 1e-4}, **keys)
    assert run.contacts["t"].friction_force[0] == pytest.approx([-force, 0, 0], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("friction, static", [("0.4", 1), ("{static: 0.6, kinetic: 0.4}", 1.5)])
def test_who_slides_begins_with_the_friction_of_sliding(friction, static):
    """Neither with that and the damping of bristles, nor with the static coefficient."""
    text = BLOCK.replace("OTHER", "ground").replace("FORCE", "0").replace("friction: 0.5", f"friction: {friction}")
    robot = cuttle.Robot.from_text(text)
    v = np.zeros(robot.nv)
    v[-3:] = 0.8, -0.6, 0
    _, _, forces = at_start(robot, block_at(robot), v=v)
    assert forces[:, :2] == pytest.approx(0.4 * np.outer(forces @ UP, [-0.8, 0.6]), rel=1e-9)


@pytest.mark.parametrize("place", [0.0, 1e-3, 0.1, 1.0])
def test_starts_follow_places_wherever_these_are(place):
    """Two free rods that touch at the start. Moving both changes nothing, so derivatives by both places add up to nothing."""
    def link(name, points, position, rpy):
        return {"name": name, "parent": "base", "joint": {"type": "free"}, "attach": {"pose": {"position": position, "rpy": rpy}},
                "body": {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.006}, "material": "soft",
                         "strain": {"kappa_x": "constant", "kappa_y": "constant"}, "quadrature": {"points": points}}}

    of = cuttle.Robot.from_dict({
        "cuttle": 1,
        "materials": {"soft": {"density": 1100, "young_modulus": 2e5, "poisson_ratio": 0.3, "damping_time": 2e-3}},
        "links": [link("a", 4, [0, 0, 0.0118 + place], [0, np.pi / 2, 0]), link("b", 5, [0.053, -0.05, place], [-1.57, 0, 0.2])],
        "contacts": [{"name": "cross", "a": "a", "b": "b", "friction": 0.4, "modulus": 2e5}]})
    v = np.zeros(of.nv)
    v[3:6] = -0.02, 0.1, 0.05
    run = {"duration": 1e-4, "output_step": 1e-4, "v": v, "integrator": {"type": "generalized_alpha", "step": 5e-5}}
    paths = [f"links.{name}.attach.pose.position[2]" for name in "ab"]
    found = of.sensitivities(["v"], paths, **run).derivatives[-1]
    size = np.abs(found).max()
    assert size > 100
    assert found.sum(axis=1) == pytest.approx(np.zeros(of.nv), abs=1e-7 * size)
    h = 1e-7
    for j, path in enumerate(paths):
        at = of.parameters()[path].value
        ends = [of.with_({path: at + change}).simulate(**run).v[-1] for change in (h, -h)]
        assert found[:, j] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-6 * size)
    function = of.rollout_function("v", by=[paths], **run)
    _, back = function.vjp(np.array([of.parameters()[path].value for path in paths]))
    assert np.ravel(back(np.eye(of.nv)[3])) == pytest.approx(found[3], abs=1e-7 * size)


@pytest.mark.parametrize("push", [0.0, 1e-9])
def test_starts_follow_an_input_that_is_zero(push):
    """A ball of a milligram that sticks: a step that is one of the input itself would tear it loose."""
    def rigid(mass):
        return {"type": "rigid", "mass": mass, "inertia": [mass * 1e-7] * 3 + [0] * 3}

    depth = (1e-6 * 9.81 / (4 / 3 * 2e5 * np.sqrt(1e-3))) ** (2 / 3)
    of = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, -9.81],
        "links": [{"name": "x", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": rigid(1e-8)},
                  {"name": "z", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "attach": {"pose": {"position": [0, 0, 1e-3]}},
                   "body": rigid(1e-6), "contact": {"shape": "sphere", "radius": 0.001}}],
        "actuators": [{"name": "push", "type": "joint", "link": "x"}], "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "z", "b": "ground", "friction": 0.5, "modulus": 2e5}]})
    run = {"duration": 1e-4, "output_step": 1e-4, "q": [0, -depth], "integrator": {"type": "generalized_alpha", "step": 1e-5}}
    function = of.rollout_function("v", by="inputs.push", inputs={"push": ([0, 1], [push, push])}, **run)
    _, back = function.vjp(np.full(2, push))
    assert abs(np.sum(back(np.array([1.0, 0.0])))) < 1e-6  # without friction it would be 99
