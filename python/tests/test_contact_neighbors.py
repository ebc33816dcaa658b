"""Contacts beside what they meet: batches, sensors, free rods, drives, obstacles that set out, names."""

from itertools import product

import numpy as np
import pytest
from test_contact_patch import write_mesh

import cuttle

G = 9.81


def ball(friction):
    return cuttle.Robot.from_dict({
        "cuttle": 1,
        "links": [{"name": "ball", "joint": {"type": "free"}, "body": {"type": "rigid", "mass": 1.0, "inertia": [1e-3] * 3 + [0] * 3},
                   "contact": {"shape": "sphere", "radius": 0.05}}],
        "obstacles": [{"name": "ground", "shape": "plane", "pose": {"position": [0, 0, -0.0499]}}],
        "contacts": [{"name": "floor", "a": "ball", "b": "ground", "friction": friction, "modulus": 1e6}],
    })


@pytest.mark.parametrize("path, friction, values", [
    ("contacts.floor.friction", 0.3, [0, 0.2, 0.4]),
    ("contacts.floor.friction", 0.3, [0.2] * 4 + [0] + [0.3] * 3),
    ("contacts.floor.friction.kinetic", {"static": 0.5, "kinetic": 0.3}, [0.5] * 8 + [0.3] * 2),
])
def test_a_batch_may_have_contacts_with_other_states(path, friction, values):
    of = ball(friction)
    v = [0, 0, 0, 0.5, 0, 0]
    batch = cuttle.Batch(of.model, [path], np.array(values)[:, None])
    q = np.tile(of.neutral(), (len(values), 1))
    steps = {"method": "rk4", "step": 2e-5}
    whole = batch.rollout(q, np.tile(v, (len(values), 1)), duration=0.02, **steps)
    alone = [of.with_({path: value}).simulate(duration=0.02, output_step=0.02, v=v, integrator={"type": "rk4", "step": 2e-5}).v[-1] for value in values]
    assert whole.v == pytest.approx(np.array(alone), abs=1e-12)
    half = batch.rollout(q, np.tile(v, (len(values), 1)), duration=0.01, **steps)
    rest = batch.rollout(half.q, half.v, states=half.states, start=0.01, duration=0.01, **steps)
    assert rest.v == pytest.approx(whole.v, abs=1e-12)


TOOLS = {
    "capsule": {"body": {"type": "rigid", "mass": 1e-9, "inertia": [1e-12] * 3 + [0] * 3},
                "contact": {"shape": "capsule", "radius": 0.02, "length": 0.1, "pose": {"rpy": [0, np.pi / 2, 0]}}},
    "box": {"body": {"type": "rigid", "mass": 1e-9, "inertia": [1e-12] * 3 + [0] * 3}, "contact": {"shape": "box", "size": [0.1, 0.04, 0.04]}},
    "rod": {"attach": {"pose": {"position": [-0.05, 0, 0], "rpy": [0, np.pi / 2, 0]}},
            "body": {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.02}, "material": "light",
                     "strain": {"kappa_y": "constant"}, "quadrature": {"points": 4}}},
}


@pytest.mark.parametrize("dissipation, friction", [(0, 0), (3.0, 0), (0, 0.5), (1.0, 0.5)])
@pytest.mark.parametrize("other", ["plane", "ball"])
@pytest.mark.parametrize("tool", TOOLS)
def test_a_sensor_has_the_torque_that_a_drive_feels(tool, other, dissipation, friction):
    inertia = [1e-3] * 3 + [0] * 3
    ground = {"name": "o", "shape": "plane"} if other == "plane" else {"name": "o", "shape": "sphere", "radius": 0.3, "pose": {"position": [0.01, 0, -0.3]}}
    of = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, 0],
        "materials": {"light": {"density": 1e-3, "young_modulus": 1e7, "poisson_ratio": 0.3, "damping_time": 1e-3}},
        "links": [{"name": "z", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": {"type": "rigid", "mass": 1, "inertia": inertia}},
                  {"name": "pitch", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": {"type": "rigid", "mass": 1, "inertia": inertia}},
                  {"name": "tool", **TOOLS[tool]}],
        "obstacles": [ground],
        "contacts": [{"name": "c", "a": "tool", "b": "o", "modulus": 2e4, "friction": friction, "dissipation": dissipation}],
        "sensors": [{"name": "s", "type": "contact", "contact": "c", "link": "pitch", "at": "base"}],
    })
    motion = {"z": [{"type": "sine", "amplitude": -0.004, "frequency": 5, "offset": 0.021}], "pitch": [{"type": "sine", "amplitude": 0.05, "frequency": 11}]}
    run = of.simulate(duration=0.1, output_step=1e-3, integrator={"type": "generalized_alpha", "step": 1e-4}, motion=motion)
    w = 2 * np.pi * 11
    felt = -1e-3 * 0.05 * w * w * np.sin(w * run.time) - run.columns["motion.pitch.joint.q0"]
    assert np.abs(felt).max() > 0.01
    assert run.columns["sensors.s.ty"] == pytest.approx(felt, abs=2e-4 * np.abs(felt).max())  # the rod has some mass


ROD = {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.01}, "material": "soft", "quadrature": {"points": 6},
       "strain": {"sigma_z": "constant", "kappa_y": "constant"}}


def flight(parent, first, child=None):
    """Into a wall 20 mm ahead of the rod's end: when it touches, and how hard."""
    pose = {"position": [0.2, 0, 0], "rpy": [0, -np.pi / 2, 0]} if first == "base" else {"rpy": [0, np.pi / 2, 0]}
    links = [] if parent == "base" else [{"name": "stand", "parent": "base"}]
    links.append({"name": "rod", "parent": parent, "attach": {"pose": pose}, "joint": {"type": "free"}, "body": ROD})
    links += child or []
    of = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, 0], "materials": {"soft": {"density": 1100, "young_modulus": 1e6, "poisson_ratio": 0.3, "damping_time": 2e-3}},
        "links": links, "obstacles": [{"name": "wall", "shape": "box", "size": [0.2, 0.5, 0.5], "pose": {"position": [0.32, 0, 0]}}],
        "contacts": [{"name": "c", "a": "rod", "b": "wall", "modulus": 1e5, "friction": 0, "dissipation": 0}],
    })
    v = np.zeros(of.nv)
    v[5] = -1 if first == "base" else 1
    run = of.simulate(duration=0.03, output_step=5e-4, v=v, integrator={"type": "generalized_alpha", "step": 5e-5})
    normal = run.contacts["c"].normal
    return run.time[np.argmax(normal > 0)], normal.max()


def test_ends_of_a_rod_that_nothing_holds_touch_alike():
    expected = flight("base", "base")
    assert expected[0] == pytest.approx(0.0105) and expected[1] > 5
    light = [{"name": "ball", "parent": "rod", "attach": {"pose": {"position": [1.0, 0, 0]}}, "joint": {"type": "free"},
              "body": {"type": "rigid", "mass": 1e-6, "inertia": [1e-9] * 3 + [0] * 3}}]
    for found in (flight("base", "tip"), flight("stand", "base"), flight("stand", "tip"), flight("base", "tip", light)):
        assert found == pytest.approx(expected, rel=1e-6)


def block(name, y, mass, modulus):
    size = 0.1 * mass ** (1 / 3)
    radius = 0.005 * size
    depth = (mass * G / 4 / (4 / 3 * modulus * np.sqrt(radius))) ** (2 / 3)
    link = {"name": name, "parent": "base", "attach": {"pose": {"position": [0, y, size / 2 - depth]}}, "joint": {"type": "free"},
            "body": {"type": "rigid", "mass": mass, "inertia": [mass * size * size / 6] * 3 + [0] * 3}, "contact": {"shape": "box", "size": [size] * 3}}
    return link, {"name": "of_" + name, "a": name, "b": "ground", "modulus": modulus, "friction": 0.8, "rounding": radius}


@pytest.mark.parametrize("mass, modulus", [(10, 1e6), (0.1, 1e7), (1e-2, 1e8), (1e-3, 1e9), (1e-4, 1e10)])
def test_what_begins_in_balance_does_not_look_at_what_is_stiffer(mass, modulus):
    parts = [block("heavy", 0.0, 10.0, 1e6), block("light", 3.0, mass, modulus)]
    of = cuttle.Robot.from_dict({"cuttle": 1, "gravity": [0.3 * G, 0, -G], "links": [p[0] for p in parts], "contacts": [p[1] for p in parts],
                                 "obstacles": [{"name": "ground", "shape": "plane"}]})
    run = of.simulate(duration=1e-4, output_step=1e-4, integrator={"type": "generalized_alpha", "step": 1e-5})
    assert run.contacts["of_heavy"].friction[0] == pytest.approx(0.3 * G * 10, rel=1e-3)
    assert run.contacts["of_light"].friction[0] == pytest.approx(0.3 * G * mass, rel=1e-3)


@pytest.mark.parametrize("inertia", [1.0, 1e-4, 1e-8])
def test_what_begins_in_balance_does_not_look_at_what_is_driven(inertia):
    link, contact = block("block", 0.3, 1.0, 1e6)
    table = {"name": "table", "parent": "base", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "contact": {"shape": "plane"},
             "body": {"type": "rigid", "mass": inertia, "inertia": [inertia] * 3 + [0] * 3}}
    of = cuttle.Robot.from_dict({"cuttle": 1, "gravity": [0.3 * G, 0, -G], "links": [table, link], "contacts": [{**contact, "b": "table"}]})
    run = of.simulate(duration=1e-4, output_step=1e-4, motion={"table": [0.0]}, integrator={"type": "generalized_alpha", "step": 5e-5})
    assert run.contacts["of_block"].friction[0] == pytest.approx(0.3 * G, rel=1e-3)


PUSH = {"type": "quintic", "start": 0, "end": 1.0, "from": 0, "to": 0.2}


@pytest.mark.parametrize("rows", [2.0, 0.05])
@pytest.mark.parametrize("method", ["generalized_alpha", "newmark", "bdf", "erk"])
def test_an_obstacle_that_sets_out_meets_what_is_at_rest(method, rows):
    of = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, 0],
        "links": [{"name": "block", "attach": {"pose": {"position": [0.15, 0, 0]}}, "joint": {"type": "prismatic", "axis": [1, 0, 0], "damping": 0.5},
                   "body": {"type": "rigid", "mass": 0.01, "inertia": [1e-6] * 3 + [0] * 3}, "contact": {"shape": "box", "size": [0.02] * 3}}],
        "obstacles": [{"name": "pusher", "shape": "box", "size": [0.04, 0.1, 0.1], "pose": {"position": [0.02, 0, 0]}, "motion": {"position": [PUSH, 0, 0]}}],
        "contacts": [{"name": "push", "a": "block", "b": "pusher", "modulus": 1e6, "friction": 0.0, "dissipation": 3}],
    })
    run = of.simulate(duration=2.0, output_step=rows, integrator={"type": method})
    assert run.q[-1, 0] >= 0.2 + 0.04 + 0.01 - 0.15 - 1e-4  # pushed to where the pusher stops, or farther


def test_a_bat_hits_a_pendulum_that_hangs_at_rest():
    of = cuttle.Robot.from_dict({
        "cuttle": 1,
        "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, -0.3], "inertia": [0.03, 0.03, 1e-3, 0, 0, 0]},
                   "contact": {"shape": "capsule", "radius": 0.01, "length": 0.3, "pose": {"position": [0, 0, -0.3]}}}],
        "obstacles": [{"name": "bat", "shape": "box", "size": [0.04, 0.1, 0.1], "pose": {"position": [-0.2, 0, -0.45]},
                       "motion": {"position": [{"type": "quintic", "start": 0.3, "end": 0.7, "from": 0, "to": 0.4}, 0, 0]}}],
        "contacts": [{"name": "hit", "a": "arm", "b": "bat", "modulus": 1e7}],
    })
    fine = of.simulate(duration=1.0, output_step=1e-3).q[-1, 0]
    assert abs(fine) > 0.5
    assert of.simulate(duration=1.0, output_step=1.0).q[-1, 0] == pytest.approx(fine, abs=0.02)


def test_pairs_of_contacts_have_names_of_their_own(tmp_path):
    def link(name, x):
        return {"name": name, "parent": "base", "attach": {"pose": {"position": [x, 0, 0.03]}}, "joint": {"type": "free"},
                "body": {"type": "rigid", "mass": 0.1, "inertia": [4e-5] * 3 + [0] * 3}, "contact": {"shape": "sphere", "radius": 0.03}}

    of = cuttle.Robot.from_dict({
        "cuttle": 1, "links": [link("x", 0), link("x-y", 0.2)],
        "obstacles": [{"name": "z", "shape": "plane"}, {"name": "y-z", "shape": "plane", "pose": {"position": [0, 0, -1]}}],
        "contacts": [{"name": "c", "a": ["x", "x-y"], "b": ["z", "y-z"], "modulus": 1e6}],
    })
    run = of.simulate(duration=0.01, output_step=0.01)
    assert len(run.contacts) == 5
    run.save(tmp_path / "run.h5")
    assert list(cuttle.load_run(tmp_path / "run.h5").contacts) == list(run.contacts)


def test_an_obstacle_that_leaps_is_refused():
    with pytest.raises(cuttle.Error, match=r"obstacles\[0\]\.motion\.position\[2\].*jumps at t = 0.01 s, from 0 to 0.002"):
        cuttle.Robot.from_text("""cuttle: 1
links:
  - {name: ball, joint: {type: free}, body: {type: rigid, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, contact: {shape: sphere, radius: 0.05}}
obstacles:
  - {name: ground, shape: plane, motion: {position: [0, 0, {type: step, time: 0.01, before: 0, after: 0.002}]}}
contacts:
  - {name: floor, a: ball, b: ground, modulus: 1.0e6}
""")


@pytest.mark.parametrize("kind", ["ramp", "cubic", "quintic", "minimum_jerk", "points", "spline"])
def test_an_obstacle_that_comes_back_to_zero_does_not_leap(kind):
    """Rounding leaves 1e-17 m there."""
    rng = np.random.default_rng(3)
    for far, begin, length in rng.uniform([-0.3, 0, 0.1], [0.3, 0.5, 2], (20, 3)).tolist():
        if kind in ("points", "spline"):
            signal = {"type": kind, "time": [0, begin + 0.01, begin + length], "value": [far, 0, far]}
        else:
            signal = {"type": kind, "start": begin, "end": begin + length, "from": far, "to": 0}
        cuttle.Robot.from_dict({"cuttle": 1, "links": [{"name": "none"}], "obstacles": [{"name": "wall", "shape": "plane", "motion": {"position": [0, 0, signal]}}]})


VOLUME = """cuttle: 1
materials: {gel: {model: st_venant_kirchhoff, density: 1000, young_modulus: 1.0e6, poisson_ratio: 0.3, damping_time: 2.0e-3}}
links:
  - {name: block, joint: {type: free}, body: {type: volume, shape: {type: mesh, file: block.msh}, quadrature: {rule: 1}, material: gel, kinematics: {type: lvp, primitives: [{type: stretch, modes: [[0, 1]]}]}}}
obstacles: [{name: ground, shape: plane}]
contacts: [{name: foot, a: block, b: ground, friction: 3, modulus: 1.0e6, dissipation: 5, record: sites}]
"""


@pytest.mark.parametrize("cells", [(4, 4, 4), (8, 8, 8), (12, 12, 12), (9, 13, 11)], ids=str)
def test_a_block_of_many_elements_touches_by_its_corners(tmp_path, monkeypatch, cells):
    monkeypatch.setattr("test_contact_patch.SIZE", np.array([0.1, 0.1, 0.1]))
    write_mesh(tmp_path / "block.msh", cells)
    (tmp_path / "block.yaml").write_text(VOLUME)
    of = cuttle.load(tmp_path / "block.yaml")
    run = of.simulate(duration=1e-4, output_step=1e-4, integrator={"type": "generalized_alpha", "step": 1e-4})
    sites = run.contacts["foot/sites"].position[0].reshape(-1, 3)
    assert len(sites) <= 200
    for corner in product([-0.05, 0.05], [-0.05, 0.05], [0, 0.1]):
        assert np.abs(sites - corner).max(axis=1).min() < 1e-9, corner


def test_a_block_of_many_elements_stands_where_it_does_not_tip(tmp_path, monkeypatch):
    """Gravity leans by tan = 0.8 each way: a cube tips at 1."""
    monkeypatch.setattr("test_contact_patch.SIZE", np.array([0.1, 0.1, 0.1]))
    write_mesh(tmp_path / "block.msh", (12, 12, 12))
    (tmp_path / "block.yaml").write_text(VOLUME)
    of = cuttle.load(tmp_path / "block.yaml")
    for x, y in [(0.8, 0), (-0.8, 0), (0, 0.8), (0, -0.8)]:
        g = G * np.array([x, y, -1]) / np.hypot(0.8, 1)
        run = of.with_({f"gravity[{i}]": g[i] for i in range(3)}).simulate(duration=0.2, output_step=0.2, integrator={"type": "generalized_alpha", "step": 1e-3})
        assert 2 * np.arccos(min(1, abs(run.q[-1, 3]))) < np.radians(1)
