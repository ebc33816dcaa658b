"""Shapes that are functions of Python (cuttle/own_shape.py), against those of the library that are the same."""

import gc
import math

import numpy as np
import pytest

import cuttle

RADIUS = 0.05
METHODS = {"bdf": "bdf", "erk": "erk", "rk4": {"type": "rk4", "step": 5e-5},
           "generalized_alpha": {"type": "generalized_alpha", "step": 5e-4}}


def off(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300)


def sphere(x):
    return np.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2) - RADIUS


def whole_sphere(x):
    """All three, written for floats alone."""
    r = math.sqrt(float(x[0]) ** 2 + float(x[1]) ** 2 + float(x[2]) ** 2)
    n = np.array([float(x[0]) / r, float(x[1]) / r, float(x[2]) / r])
    return r - RADIUS, n, (np.eye(3) - np.outer(n, n)) / r


class Ball:
    """The same with NumPy alone, as a class."""

    def __init__(self, radius):
        self.radius = radius

    def distance(self, x):
        r = np.linalg.norm(x)
        n = [x[0] / r, x[1] / r, x[2] / r]
        return r - self.radius, n, [[((i == j) - n[i] * n[j]) / r for j in range(3)] for i in range(3)]


KEYS = {"half_thickness": RADIUS, "curvature": 1 / RADIUS, "parts": [([0, 0, 0], RADIUS)], "whole": True}
OWN = {
    "a distance": lambda: cuttle.FunctionShape(sphere, **KEYS),
    "all three": lambda: cuttle.FunctionShape(Ball(RADIUS).distance, **KEYS),
    "differences": lambda: cuttle.FunctionShape(whole_sphere, derivatives="differences", **KEYS),
}
LIBRARY = {"shape": "sphere", "radius": RADIUS}
BODIES = {
    "ball": {"name": "body", "joint": {"type": "free"}, "contact": {"shape": "sphere", "radius": 0.02},
             "body": {"type": "rigid", "mass": 0.1, "inertia": [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}},
    "cylinder": {"name": "body", "joint": {"type": "free"}, "contact": {"shape": "cylinder", "radius": 0.02, "length": 0.04},
                 "body": {"type": "rigid", "mass": 0.1, "inertia": [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}},
    "rod": {"name": "body", "attach": {"pose": {"rpy": [0, math.pi / 2, 0], "position": [-0.06, 0, 0.01]}},
            "body": {"type": "rod", "length": 0.12, "section": {"shape": "circle", "radius": 0.005}, "material": "rubber",
                     "strain": {"kappa_x": {"basis": "legendre", "order": 1}, "kappa_y": {"basis": "legendre", "order": 1}},
                     "quadrature": {"points": 6}}},
}


def robot(body, shape, gap=-2e-4, **contact):
    """Pressed into the top of a ball, or above it."""
    z = {"ball": -RADIUS - 0.02, "cylinder": -RADIUS - 0.02, "rod": -RADIUS + 0.005}[body] - gap
    keys = {"shape": shape} if isinstance(shape, cuttle.FunctionShape) else shape
    return cuttle.Robot.from_dict({
        "gravity": [0, 0, -9.81],
        "materials": {"rubber": {"density": 1200, "young_modulus": 1e6, "poisson_ratio": 0.5, "damping_time": 0.01}},
        "links": [BODIES[body]],
        "obstacles": [{"name": "ground", **keys, "pose": {"position": [0.002, 0.003, z]}}],
        "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e5, **contact}],
    })


@pytest.mark.parametrize("own", OWN)
def test_value_gradient_and_hessian_are_those_of_a_sphere(own):
    shape = OWN[own]()
    rng = np.random.default_rng(1)
    for x in rng.normal(scale=0.1, size=(20, 3)):
        r = np.linalg.norm(x)
        n = x / r
        value, gradient, hessian = shape(x)
        assert value == pytest.approx(r - RADIUS, abs=1e-16)
        assert off(gradient, n) < 1e-15 and off(hessian, (np.eye(3) - np.outer(n, n)) / r) < 1e-14


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("method", METHODS)
def test_robots_move_on_it_as_on_that_of_the_library(method, body, own):
    keys = {"duration": 0.004 if body == "rod" else 0.02, "output_step": 0.002, "integrator": METHODS[method]}
    found, expected = (robot(body, shape).simulate(**keys) for shape in (OWN[own](), LIBRARY))
    assert expected.contacts["floor"].normal.max() > 0.05 and expected.contacts["floor"].friction.max() > 1e-4
    bound = 1e-5 if method in ("bdf", "erk") else 1e-9
    for of in ("q", "v"):
        assert off(getattr(found, of), getattr(expected, of)) < bound
    assert off(found.contacts["floor"].force, expected.contacts["floor"].force) < 1e2 * bound


@pytest.mark.parametrize("own", OWN)
def test_a_rod_rests_on_it_as_on_that_of_the_library(own):
    found, expected = (robot("rod", shape).statics() for shape in (OWN[own](), LIBRARY))
    assert off(found.q, expected.q) < 1e-9
    assert off(found.contacts["floor"].force, expected.contacts["floor"].force) < 1e-9
    assert np.linalg.norm(expected.contacts["floor"].force) > 0.01


@pytest.mark.parametrize("own", ["a distance", "all three"])
@pytest.mark.parametrize("body", ["ball", "rod"])
def test_derivatives_of_runs_go_through_it(body, own):
    by = ["contacts.floor.friction", "contacts.floor.modulus", "obstacles.ground.pose.position[0]"]
    keys = {"of": "q", "by": by, "duration": 0.01, "integrator": METHODS["generalized_alpha"]}
    gap = 1e-4 if body == "ball" else -2e-4  # else it begins with a bristle whose derivatives are differences
    found, expected = (robot(body, shape, gap).sensitivities(**keys) for shape in (OWN[own](), LIBRARY))
    assert np.abs(expected.derivatives).max() > 0
    # a rod's touch begins and ends at roots, whose rounding friction at touch-down magnifies
    assert off(found.derivatives, expected.derivatives) < (1e-7 if body == "ball" else 1e-6)


def test_differences_have_no_derivatives_by_numbers_of_the_robot():
    with pytest.raises(cuttle.Error, match="object: found a shape whose derivatives are differences, expected one of functions"):
        robot("ball", OWN["differences"]()).sensitivities("q", ["contacts.floor.friction"], duration=0.01)


def test_a_link_touches_with_its_parts():
    runs = []
    for shape in (OWN["a distance"](), LIBRARY):
        keys = {"shape": shape} if isinstance(shape, cuttle.FunctionShape) else shape
        for obstacle in ({"shape": "box", "size": [0.4, 0.4, 0.02]}, {"shape": "plane"}):
            body = {**BODIES["ball"], "contact": {**keys, "pose": {"position": [0, 0, 0.01]}}}
            z = -RADIUS + 0.01 - (0.0098 if obstacle["shape"] == "box" else -0.0002)
            runs.append(cuttle.Robot.from_dict({
                "links": [body], "obstacles": [{"name": "ground", **obstacle, "pose": {"position": [0, 0, z], "rpy": [0.1, 0, 0]}}],
                "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e5}],
            }).simulate(0.02, integrator=METHODS["generalized_alpha"]))
    for found, expected in zip(runs[:2], runs[2:]):
        assert expected.contacts["floor"].normal.max() > 0.1 and off(found.q, expected.q) < 1e-12


def test_a_curve_is_a_part_as_a_segment_is():
    ends = np.array([[0, 0, -0.02], [0, 0, 0.02]])
    along = [0, 0, 0.04]

    def capsule(x):
        z = np.where(x[2] > 0.02, x[2] - 0.02, np.where(x[2] < -0.02, x[2] + 0.02, 0))
        return np.sqrt(x[0] ** 2 + x[1] ** 2 + z**2) - 0.01

    ends_too = [(end, 0.01) for end in ends]
    shapes = [cuttle.FunctionShape(capsule, half_thickness=0.01, whole=True, parts=[(ends, 0.01), *ends_too]),
              cuttle.FunctionShape(capsule, half_thickness=0.01, whole=True, parts=[([*ends, along, along], 0.01), *ends_too]),
              {"shape": "capsule", "radius": 0.01, "length": 0.04}]
    found = []
    for shape in shapes:
        body = {**BODIES["ball"], "contact": shape}
        found.append(cuttle.Robot.from_dict({
            "links": [body], "obstacles": [{"name": "ground", "shape": "plane", "pose": {"position": [0, 0, -0.0298], "rpy": [0, 0.2, 0]}}],
            "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e5}],
        }).simulate(0.02, integrator=METHODS["generalized_alpha"]).q[-1])
    assert off(found[0], found[2]) < 1e-12 and off(found[1], found[2]) < 1e-12


def test_a_ball_in_a_ring_swings_as_a_pendulum():
    """A frictionless ball on the inner side of a torus, at its lowest point: the ring's radius less the ball's is the length."""
    big, small, ball = 0.2, 0.04, 0.02

    def ring(x):  # about the y axis
        rho = np.sqrt(x[0] ** 2 + x[2] ** 2)
        return np.sqrt((rho - big) ** 2 + x[1] ** 2) - small

    # in the vertical plane of the ring the ball's center keeps the distance big - small - ball from the axis
    length, angle = big - small - ball, 0.02
    model = cuttle.Robot.from_dict({
        "gravity": [0, 0, -9.81],
        "links": [{"name": "x", "joint": {"type": "prismatic", "axis": [1, 0, 0]}},
                  {"name": "ball", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "contact": {"shape": "sphere", "radius": ball},
                   "body": {"type": "rigid", "mass": 0.1, "inertia": [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}}],
        "obstacles": [{"name": "ring", "shape": cuttle.FunctionShape(ring, half_thickness=small)}],
        "contacts": [{"name": "floor", "a": "ball", "b": "ring", "modulus": 1e8, "friction": 0, "dissipation": 0}],
    })
    period = 2 * np.pi * np.sqrt(length / 9.81) * (1 + angle**2 / 16)
    depth = (0.981 / (4 / 3 * 1e8 * np.sqrt(ball))) ** (2 / 3)
    q = [length * np.sin(angle), -(length + depth) * np.cos(angle)]
    run = model.simulate(duration=period, q=q, integrator={"type": "generalized_alpha", "step": period / 400})
    assert run.q[-1, 0] == pytest.approx(q[0], rel=1e-3) and run.q[:, 0].min() == pytest.approx(-q[0], rel=2e-3)


def test_a_robot_with_it_has_no_text():
    words = "found functions of Python at obstacles.ground, which live in this process"
    made = robot("ball", OWN["a distance"]())
    with pytest.raises(cuttle.ModelError, match=words):
        made.to_yaml()
    text = "{cuttle: 1, links: [], obstacles: [{name: a, shape: python, object: 'sphere 0'}]}"
    with pytest.raises(cuttle.FileError, match="obstacles.0..object: found 'sphere 0', a part of a program of Python that is gone"):
        cuttle.Robot.from_text(text)
    law = cuttle.Element("e", energy=lambda y: y[0] ** 2, links=["a"])
    text = "{cuttle: 1, links: [], obstacles: [{name: a, shape: python, object: '" + law._name + "'}]}"
    with pytest.raises(cuttle.FileError, match="expected a FunctionShape"):
        cuttle.Robot.from_text(text)


def test_it_lives_as_long_as_a_model_has_it():
    from cuttle.own import _find

    shape = OWN["a distance"]()
    name, made = shape._name, robot("ball", shape)
    del shape
    gc.collect()
    assert made.with_({"links.body.body.mass": 0.2}).simulate(0.01).q.shape[1] == 7 and _find(name) is not None
    del made
    gc.collect()
    assert _find(name) is None


def test_mistakes_are_named():
    for words, keys in {
        r"half_thickness: found 0, expected a number > 0 .m.": {"half_thickness": 0},
        r"parts: found points of shape \(2,\) with radius 0.01": {"parts": [([0, 0], 0.01)]},
        r"parts: found points of shape \(3,\) with radius 0.0": {"parts": [([0, 0, 0], 0)]},
        r"derivatives: found 'exact', expected None or 'differences'": {"derivatives": "exact"},
        r"derivatives: found 'differences' with a function that returns the distance alone": {"derivatives": "differences"},
    }.items():
        with pytest.raises(cuttle.ArgumentError, match=words):
            cuttle.FunctionShape(sphere, **keys)
    for wrong in (lambda x: x, lambda x: (x[0], x), lambda x: (x[0], x, x), lambda x: (x[0], x, np.eye(3), 0)):
        with pytest.raises(cuttle.ArgumentError, match="distance: found a result of shape .*expected a number, or a tuple"):
            cuttle.FunctionShape(wrong)
    with pytest.raises(cuttle.FileError, match="found 'body', a python, expected a shape with parts to touch a plane by"):
        cuttle.Robot.from_dict({
            "links": [{**BODIES["ball"], "contact": cuttle.FunctionShape(sphere)}], "obstacles": [{"name": "ground", "shape": "plane"}],
            "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e5}],
        })

    def broken(x):
        if x[2] < 0.0699:
            raise RuntimeError("no more")
        return sphere(x)

    shape = cuttle.FunctionShape(lambda x: sphere(x))
    shape.distance = broken
    with pytest.raises(RuntimeError, match="no more"):
        robot("ball", shape).simulate(0.05)
