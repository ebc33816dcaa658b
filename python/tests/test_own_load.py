"""Loads that are functions of Python (cuttle/own_load.py)."""

import numpy as np
import pytest

import cuttle

R, E, C, GAP, G = 0.02, 1e5, 2.0, 1e-3, 9.81
STIFF = 4 / 3 * E * np.sqrt(R)
BALL = {"name": "ball", "joint": {"type": "free"}, "contact": {"shape": "sphere", "radius": R},
        "body": {"type": "rigid", "mass": 0.1, "inertia": [1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]}}
METHODS = {"bdf": "bdf", "erk": "erk", "rk4": {"type": "rk4", "step": 2e-5},
           "generalized_alpha": {"type": "generalized_alpha", "step": 2e-5}}


def off(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    return np.abs(found - expected).max() / np.abs(expected).max()


def ground(time, position, rotation, velocity, spin):
    """The law of contacts without friction, for a ball above z = -R - GAP."""
    depth = -GAP - position[2]
    touches = depth > 0
    damping = 1 - C * velocity[2]
    press = np.where(touches, STIFF * np.where(touches, depth, 1) ** 1.5 * np.where(damping > 0, damping, 0), 0)
    return np.stack([0 * press, 0 * press, press])


@pytest.mark.parametrize("method", METHODS)
def test_a_law_written_the_same_is_the_contact(method):
    world = {"gravity": [0, 0, -G], "links": [BALL]}
    contact = cuttle.Robot.from_dict({
        **world, "obstacles": [{"name": "ground", "shape": "plane", "pose": {"position": [0, 0, -R - GAP]}}],
        "contacts": [{"name": "floor", "a": "ball", "b": "ground", "modulus": E, "dissipation": C, "friction": 0}]})
    own = cuttle.Robot.from_dict({**world, "loads": [cuttle.FunctionLoad(ground, link="ball", at="base")]})
    keys = {"duration": 0.05, "output_step": 0.01, "v": [1, 2, 0, 0.1, 0, -0.5], "integrator": METHODS[method]}
    found, expected = own.simulate(**keys), contact.simulate(**keys)
    assert expected.v[-1, 5] > -0.4  # it has been pushed back
    bound = 1e-3 if method in ("bdf", "erk") else 1e-9
    assert off(found.q, expected.q) < bound and off(found.v, expected.v) < bound


def twisted(time, position, rotation, velocity, spin):
    """Force and torque that depend on all."""
    force = np.sin(position) - 0.3 * velocity * np.sqrt(1 + velocity @ velocity) + rotation[:, 0] * spin[1] + time
    torque = 0.1 * np.cross(rotation[:, 1], force) - 0.01 * spin + 0.02 * rotation[:, 2] * velocity[0]
    return force, torque


def test_slopes_are_those_of_differences():
    load = cuttle.FunctionLoad(twisted, link="a")
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rotation *= np.linalg.det(rotation)
    position, twist, h = rng.normal(size=3), rng.normal(size=6), 1e-6

    def turn(w):  # exp of the skew matrix, to third order
        W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.eye(3) + W + W @ W / 2

    slopes = load._slopes(0.2, rotation.ravel(), position, twist)
    for j in range(12):
        ends = []
        for sign in (1, -1):
            step = np.zeros(12)
            step[j] = sign * h
            ends.append(load._wrench(0.2, (rotation @ turn(step[:3])).ravel(), position + rotation @ step[3:6], twist + step[6:]))
        assert np.abs(slopes[j] - (ends[0] - ends[1]) / (2 * h)).max() < 1e-8, j
    # in axes of the place
    force, torque = twisted(0.2, position, rotation, rotation @ twist[3:], rotation @ twist[:3])
    assert off(load._wrench(0.2, rotation.ravel(), position, twist), np.concatenate([rotation.T @ torque, rotation.T @ force])) < 1e-14


def test_a_tether_holds_in_statics_and_swings():
    """A mass on a slide, gravity along it, and a spring to the origin."""
    slide = {"name": "mass", "joint": {"type": "prismatic", "axis": [0, 0, 1]},
             "body": {"type": "rigid", "mass": 0.2, "inertia": [1e-5, 1e-5, 1e-5, 0, 0, 0]}}
    spring = cuttle.FunctionLoad(lambda time, position, rotation, velocity, spin: -50 * position, link="mass", at="base")
    robot = cuttle.Robot.from_dict({"gravity": [0, 0, -G], "links": [slide], "loads": [spring]})
    rest = -0.2 * G / 50
    assert robot.statics().q[0] == pytest.approx(rest, rel=1e-9)
    period = 2 * np.pi * np.sqrt(0.2 / 50)
    assert robot.simulate(duration=period / 2, output_step=period / 2).q[-1, 0] == pytest.approx(2 * rest, rel=1e-4)


def test_mistakes_are_named():
    wrong = cuttle.FunctionLoad(lambda *_: np.zeros(2), link="ball", at="base")
    with pytest.raises(cuttle.ArgumentError, match=r"law: found a result of shape \(2,\), expected \(3,\), or two of these"):
        cuttle.Robot.from_dict({"links": [BALL], "loads": [wrong]}).simulate(0.01)
    with pytest.raises(cuttle.Error, match="loads.0..link: found 'bal'"):
        cuttle.Robot.from_dict({"links": [BALL], "loads": [cuttle.FunctionLoad(ground, link="bal")]})
    own = cuttle.Robot.from_dict({"links": [BALL], "loads": [cuttle.FunctionLoad(ground, link="ball", at="base")]})
    with pytest.raises(cuttle.ModelError, match="functions of Python at loads.0., which live in this process"):
        own.to_yaml()
