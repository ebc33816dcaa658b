"""A rod that touches a volume as both deform, from Python: springs in a row, which side is which, friction of a run."""

import json
from pathlib import Path

import numpy as np
import pytest

import cuttle
from test_contact_patch import write_mesh

MODELS = Path(__file__).parents[2] / "models" / "contact"

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


def test_a_catheter_sinks_into_a_cushion_and_is_drawn_along_it():
    file = MODELS / "fem_catheter_scenario.yaml"
    run = cuttle.simulate(file)
    touch = run.contacts["press"]
    pressed, drawn = np.searchsorted(run.time, [0.68, 1.2])
    assert touch.normal[pressed] > 0.5
    assert touch.center[pressed, 2] < 0.02 - 5e-3  # in the gel, whose surface was level
    assert touch.gap.min() > -2e-3  # which gives way by more than the law between them
    hard = cuttle.simulate(file, "robot.materials.gel.c1=1.0e5", "robot.materials.gel.lame_lambda=8.0e5", "simulation.duration=0.68")
    assert hard.contacts["press"].center[-1, 2] > 0.02 - 1e-3
    assert abs(touch.center[pressed, 1]) < 1e-3 and touch.center[-1, 1] > 0.02
    assert touch.slip[drawn] > 1e-3
    assert touch.friction[drawn] == pytest.approx(0.3 * touch.normal[drawn], rel=0.05)  # of points that slide not quite alike
    assert np.abs(run.q[-1] - run.q[-5]).max() < 1e-6  # and it stays
    smooth = cuttle.simulate(file, "robot.contacts.press.friction=0")
    assert smooth.contacts["press"].normal[-1] == 0  # without friction it slips off
    assert smooth.frame("catheter.tip").position[-1, 1] > run.frame("catheter.tip").position[-1, 1] + 1e-3


@pytest.mark.parametrize("friction", [0, 0.4])
def test_it_moves_as_alone_beside_a_mesh_that_takes_no_matrices(tmp_path, friction):
    """A mesh of so many coordinates that steps follow the tree, however many pairs of frames the contact couples."""
    write_mesh(tmp_path / "pad.msh", (2, 2, 2))
    write_mesh(tmp_path / "far.msh", (6, 6, 5))
    links = [
        {"name": name, "parent": "base", "attach": {"pose": {"position": [x, 0, 0]}},
         "body": {"type": "volume", "shape": {"type": "mesh", "file": f"{name}.msh"}, "material": "gel",
                  "kinematics": {"type": "fem", "full": True}}}
        for name, x in [("pad", 0.0), ("far", 0.3)]]
    rod = {"name": "rod", "parent": "base", "joint": {"type": "free"},
           "attach": {"pose": {"position": [-0.015, 0, 0.0442], "rpy": [0, np.pi / 2, 0]}},
           "body": {"type": "rod", "length": 0.03, "section": {"shape": "circle", "radius": 0.004}, "material": "rubber",
                    "strain": "pcc", "quadrature": {"points": 5}}}
    runs = []
    for some in ([links[0], rod], [links[0], rod, links[1]]):
        (tmp_path / "robot.yaml").write_text(json.dumps({
            "cuttle": 1, "links": some,
            "materials": {"gel": {"model": "neo_hookean", "density": 1000, "c1": 5e3, "lame_lambda": 2e4, "damping_time": 0.01},
                          "rubber": {"density": 1100, "young_modulus": 1e6, "poisson_ratio": 0.4, "damping_time": 0.01}},
            "contacts": [{"name": "press", "a": "rod", "b": "pad", "friction": friction, "modulus": 1e5}]}))
        robot = cuttle.load(tmp_path / "robot.yaml")
        v = np.zeros(robot.nv)
        v[54 + 5], v[54 + 4] = 0.2, 0.05  # along the pad and across
        runs.append(robot.simulate(duration=0.03, output_step=0.001, v=v,
                                   integrator={"type": "generalized_alpha", "step": 5e-4, "rho_inf": 0.6}))
    alone, beside = runs
    assert alone.contacts["press"].normal.max() > 0.05
    count = alone.q.shape[1]
    assert beside.q.shape[1] > count + 600
    assert beside.q[:, :count] == pytest.approx(alone.q, abs=1e-7)
    assert beside.contacts["press"].force == pytest.approx(alone.contacts["press"].force, abs=1e-4 * alone.contacts["press"].normal.max())
