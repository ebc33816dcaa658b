"""Volumes that touch each other, from Python: what results say, and statics of a stack."""

import numpy as np
import pytest

import cuttle

SIDE, DENSITY, MODULUS, G = 0.03, 1000, 1.0e5, 9.81


def stack(friction="0.4", contact="a: upper, b: lower", tilt=0.0):
    body = (
        f"{{type: volume, shape: {{type: box, size: [{SIDE}, {SIDE}, {SIDE}]}}, material: soft, quadrature: "
        "{points: [2, 2, 2]}, kinematics: {type: ritz, modes: [[{powers: [0, 0, 1], vector: [0, 0, 1]}], "
        "[{powers: [0, 0, 1], vector: [1, 0, 0]}]]}}")
    return f"""cuttle: 1
gravity: [{G * np.sin(tilt)}, 0, {-G * np.cos(tilt)}]
materials: {{soft: {{model: st_venant_kirchhoff, density: {DENSITY}, young_modulus: {MODULUS}, poisson_ratio: 0, damping_time: 0.02}}}}
links:
  - {{name: lower, parent: base, body: {body}}}
  - {{name: upper, parent: base, attach: {{pose: {{position: [0, 0, {2 * SIDE}], rpy: [3.141592653589793, 0, 0]}}}}, joint: {{type: prismatic, axis: [0, 0, 1]}}, body: {body}}}
contacts: [{{name: rest, {contact}, friction: {friction}, spacing: 0.015}}]
"""


def test_a_block_weighs_on_another_one():
    weight = DENSITY * SIDE**3 * G
    for contact in ("a: upper, b: lower", "a: lower, b: upper"):
        robot = cuttle.Robot.from_text(stack("0", contact))
        run = robot.simulate(duration=1.0, output_step=0.5, integrator={"type": "generalized_alpha", "step": 2e-3})
        rest = run.contacts["rest"]
        assert rest.normal[-1] == pytest.approx(weight, rel=1e-3)
        sign = 1 if contact.startswith("a: upper") else -1
        assert rest.force[-1] == pytest.approx([0, 0, sign * weight], abs=2e-3 * weight)
        assert rest.gap[-1] < 0


def test_sides_that_cannot_touch_are_named():
    with pytest.raises(cuttle.FileError, match="at most 125000 pairs in a contact, by a larger `spacing`"):
        cuttle.Robot.from_text(stack().replace("spacing: 0.015", "spacing: 0.0015"))
    with pytest.raises(cuttle.FileError, match="whose parts are all neighbors"):
        cuttle.Robot.from_text(stack(contact="a: upper, b: self").replace("spacing: 0.015", "spacing: 0.03"))
