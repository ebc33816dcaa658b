"""Soft bodies that friction holds, for ten seconds: on slopes of nine tenths of what would let them slide, and shaken."""

import numpy as np
import pytest

import cuttle

G = 9.81
FRICTION = 0.5
BODIES = {
    "rod": {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.01}, "material": "soft", "strain": "pcc",
            "quadrature": {"points": 5}},
    "volume": {"type": "volume", "shape": {"type": "box", "size": [0.03, 0.03, 0.02]}, "material": "gel",
               "quadrature": {"points": [2, 2, 2]},
               "kinematics": {"type": "lvp", "primitives": [{"type": "stretch", "modes": [[0, 1]]},
                                                            {"type": "shear", "axis": "x", "modes": [[0, 1]]}]}}}
POSES = {"rod": {"position": [0, 0, 0.01], "rpy": [0, np.pi / 2, 0]}, "volume": {}}  # the rod lies along the slope


def lying(body, slope=0.0, motion=None):
    soft = {"density": 1100, "young_modulus": 1e5, "poisson_ratio": 0.3, "damping_time": 5e-3}
    return cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [G * np.sin(slope), 0, -G * np.cos(slope)],
        "base": {"motion": "floating", "pose": POSES[body]},
        "materials": {"soft": soft, "gel": soft | {"model": "st_venant_kirchhoff"}},
        "links": [{"name": "body", "body": BODIES[body]}],
        "obstacles": [{"name": "ground", "shape": "plane"} | ({"motion": motion} if motion else {})],
        "contacts": [{"name": "rest", "a": "body", "b": "ground", "friction": FRICTION, "modulus": 1e6, "dissipation": 5}
                     | ({"spacing": 0.015} if body == "volume" else {})]})


@pytest.mark.parametrize("body", BODIES)
def test_nothing_creeps_down_a_slope_of_nine_tenths_of_its_cone(body):
    run = lying(body, np.arctan(0.9 * FRICTION)).simulate(
        duration=13, output_step=1, integrator={"type": "generalized_alpha", "step": 4e-3})
    held = run.time >= 3  # it has sunk in by then
    places = run.frame("body.tip").position[held]
    assert np.abs(run.v[held]).max() < 1e-9
    assert np.linalg.norm(places[-1] - places[0]) < 1e-9
    carried = run.contacts["rest"].friction[held] / run.contacts["rest"].normal[held]
    assert carried == pytest.approx(0.9 * FRICTION, rel=1e-6)


@pytest.mark.parametrize("body", BODIES)
def test_nothing_creeps_that_is_shaken_by_nine_tenths_of_its_cone(body):
    frequency = 2.0
    amplitude = 0.9 * FRICTION * G / (2 * np.pi * frequency) ** 2
    robot = lying(body, motion={"position": [{"type": "sine", "amplitude": amplitude, "frequency": frequency}, 0, 0]})
    v = np.zeros(robot.nv)
    v[5 if body == "rod" else 3] = 2 * np.pi * frequency * amplitude  # as the ground; the rod's z axis is the world's x
    run = robot.simulate(duration=13, output_step=0.5, v=v,
                         integrator={"type": "generalized_alpha", "step": 4e-3, "rho_inf": 0.6})
    places = run.frame("body.tip").position[:, 0]  # after whole periods
    assert np.abs(places - places[0]).max() < 1e-4
    held = places[run.time >= 3]
    assert np.abs(held - held[0]).max() < 1e-7 * 10  # a tenth of a micrometer in a second
