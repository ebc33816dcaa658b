"""A rod that touches a volume as both deform, from Python: springs in a row, which side is which, friction of a run."""

import numpy as np
import pytest

import cuttle

SIDE, HEIGHT, RADIUS, LENGTH, MODULUS = 0.04, 0.03, 0.004, 0.03, 2.0e4


def press(friction="0", contact="a: finger, b: pad", tilt=0.0, more=""):
    """A stiff bar that a force presses on a pad, which can only become flatter, all of it by the same strain."""
    return f"""cuttle: 1
gravity: [{9.81 * np.sin(tilt)}, 0, {-9.81 * np.cos(tilt)}]
materials:
  foam: {{model: st_venant_kirchhoff, density: 1, young_modulus: 2.0e4, poisson_ratio: 0, damping_time: 0.01}}
  rubber: {{density: 2000, young_modulus: 1.0e10, poisson_ratio: 0.4, damping_time: 1.0e-3}}
links:
  - {{name: pad, parent: base, body: {{type: volume, shape: {{type: box, size: [{SIDE}, {SIDE}, {HEIGHT}]}}, material: foam, quadrature: {{points: [2, 2, 2]}}, kinematics: {{type: ritz, modes: [[{{powers: [0, 0, 1], vector: [0, 0, 1]}}]]}}}}}}
  - {{name: slide, parent: base, attach: {{pose: {{position: [{-LENGTH / 2}, 0, {HEIGHT + RADIUS - 1e-4}], rpy: [0, 1.5707963267948966, 0]}}}}, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 0.01, inertia: [1.0e-6, 1.0e-6, 1.0e-6, 0, 0, 0]}}}}
  - {{name: finger, parent: slide, {more}body: {{type: rod, length: {LENGTH}, section: {{shape: circle, radius: {RADIUS}}}, material: rubber, quadrature: {{points: 6}}, strain: {{kappa_y: constant}}}}}}
contacts: [{{name: press, {contact}, friction: {friction}, modulus: {MODULUS}}}]
"""


def weight():
    return 9.81 * (0.01 + 2000 * np.pi * RADIUS**2 * LENGTH)


@pytest.mark.parametrize("contact", ["a: finger, b: pad", "a: pad, b: finger"])
def test_a_bar_on_foam_is_springs_in_a_row(contact):
    rest = cuttle.Robot.from_text(press(contact=contact)).statics()
    touch = rest.contacts["press"]
    assert touch.normal == pytest.approx(weight(), rel=5e-3)  # facets that share a point lean a little
    # the pad is a spring E A / H, of St. Venant's law, the line between them one of pi/4 E* a length, rounded
    strain = (weight() + 0.5 * 9.81 * SIDE**2 * HEIGHT) / (2.0e4 * SIDE**2)  # with the half of its own weight
    pad = HEIGHT * strain * (1 + 1.5 * strain)
    line = weight() / (np.pi / 4 * MODULUS * LENGTH) + 0.5e-3 * RADIUS
    assert -touch.gap == pytest.approx(line, rel=5e-3)
    assert -rest.q[0] * HEIGHT == pytest.approx(pad, rel=1e-3)
    assert rest.q[1] + 1e-4 == pytest.approx(pad + line, rel=3e-3)


def test_along_an_incline_it_slides_with_its_coefficient():
    tilt = np.arctan(0.4)
    rod = "joint: {type: prismatic, axis: [0, 0, 1]}, "  # the slide beside it is held along the incline
    pull = 9.81 * np.sin(tilt) * 2000 * np.pi * RADIUS**2 * LENGTH
    for mu in (0.25, 0.05):
        run = cuttle.Robot.from_text(press(str(mu), tilt=tilt, more=rod)).simulate(
            duration=0.1, output_step=0.05, integrator={"type": "generalized_alpha", "step": 2e-4})
        touch = run.contacts["press"]
        sticks = mu * touch.normal[-1] > pull
        assert sticks == (mu == 0.25)
        held = pull if sticks else mu * touch.normal[-1]
        assert touch.friction[-1] == pytest.approx(held, rel=3e-2)
        way = run.q[-1, 2] - run.q[0, 2]
        assert abs(way) < 1e-5 if sticks else way > 1e-3
