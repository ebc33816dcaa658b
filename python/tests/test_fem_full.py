"""Full finite elements with more nodes than matrices of all coordinates are made for: derivatives of runs, forward and back."""

from pathlib import Path

import numpy as np
import pytest
from test_gradients_crossed import some_worth

import cuttle

MESH = Path(__file__).parents[2] / "models" / "examples" / "finger.msh"
ROBOT = f"""cuttle: 1
base: {{motion: fixed, pose: {{rpy: [3.14159265358979, 0, 0]}}}}
materials:
  rubber: {{model: neo_hookean, density: 1070, c1: 3.0e4, lame_lambda: 1.5e5, damping_time: 0.02}}
links:
  - name: finger
    body:
      type: volume
      shape: {{type: mesh, file: {MESH}}}
      quadrature: {{rule: 1}}
      material: rubber
      kinematics: {{type: fem, full: true}}
  - {{name: load, body: {{type: rigid, mass: 0.02, com: [0.002, 0, 0.01], inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}}}}
actuators:
  - {{name: air, type: chamber, link: finger, surface: cavity}}
"""
INPUTS = {"air": {"type": "ramp", "start": 0.0, "end": 0.02, "from": 0.0, "to": 5e3}}
NUMBERS = ["simulation.inputs.air.to", "links.load.body.mass", "materials.rubber.c1", "simulation.initial.finger.v[300]"]


@pytest.fixture(scope="module")
def finger():
    robot = cuttle.Robot.from_text(ROBOT)
    assert robot.nv > 1500
    return robot


def keys(method):
    return {"duration": 0.02, "output_step": 0.01, "inputs": INPUTS, "integrator": {"type": method, "step": 2e-3}}


@pytest.mark.parametrize("method", ["newmark", "hht", "generalized_alpha", "midpoint"])
def test_forward_and_back_agree(finger, method):
    outputs = ["tip.position", "energy.kinetic"]
    forward = finger.sensitivities(outputs, NUMBERS, **keys(method)).derivatives[-1]
    run = finger.rollout_function(outputs, by=NUMBERS, **keys(method))
    y, back = run.vjp(*run.start)
    rows = []
    for name, size in (("tip.position", 3), ("energy.kinetic", 1)):
        for k in range(size):
            worth = {other: np.zeros_like(y[other]) for other in outputs}
            worth[name].reshape(-1)[k] = 1.0
            rows.append([float(g) for g in back(worth)])
    scale = np.abs(forward).max(axis=0)
    np.testing.assert_allclose(np.array(rows) / scale, forward / scale, atol=1e-7)


def test_differences_say_the_same(finger):
    run = finger.rollout_function("tip.position", by=[NUMBERS[:2]], **keys("generalized_alpha"))
    scale = np.array(run.start[0])
    y, back = run.vjp(scale)
    found = np.asarray(back(some_worth(y))).reshape(-1) * scale
    for k in range(2):
        def loss(part, k=k):
            moved = scale.copy()
            moved[k] *= 1 + part
            return np.sum(some_worth(y) * run(moved))

        h = 0.02
        expected = (45 * (loss(h) - loss(-h)) - 9 * (loss(2 * h) - loss(-2 * h)) + loss(3 * h) - loss(-3 * h)) / (60 * h)
        assert found[k] == pytest.approx(expected, rel=1e-6)


def test_the_jacobian_of_a_port_is_that_of_its_motion(finger):
    """Once it wrote where nothing of a body of so many nodes is kept."""
    model, data = finger.model, finger.data
    frame = model.frame("load.tip")
    q = 1e-4 * np.sin(1.0 + np.arange(finger.nq))
    way = np.cos(2.0 + 3.0 * np.arange(finger.nv))
    jacobian = cuttle._core.frame_jacobian(model, data, q, frame)
    moved = [cuttle._core.forward_kinematics(model, data, q + s * 1e-5 * way).pose(frame).position for s in (-1, 1)]
    pose = cuttle._core.forward_kinematics(model, data, q).pose(frame)
    expected = np.asarray(pose.rotation).T @ (np.asarray(moved[1]) - np.asarray(moved[0])) / 2e-5
    np.testing.assert_allclose(np.asarray(jacobian)[3:] @ way, expected, rtol=1e-6)


def test_bdf_runs_as_short_steps_do(finger):
    """Also beside no integrator at all, which is bdf for elastic bodies."""
    scenario = {"duration": 0.01, "output_step": 0.01, "inputs": INPUTS}
    tight = {"type": "bdf", "relative_tolerance": 1e-6, "absolute_tolerance": 1e-9}
    found = finger.simulate(**scenario, integrator=tight)
    steps = finger.simulate(**scenario, integrator={"type": "generalized_alpha", "step": 5e-4})
    default = finger.simulate(**scenario)
    assert default.status == "complete"
    moved = np.abs(found.q[-1]).max()
    assert moved > 1e-5
    for run, part in ((steps, 2e-3), (default, 1e-2)):
        np.testing.assert_allclose(run.q[-1], found.q[-1], rtol=0, atol=part * moved)
    assert found.energy.kinetic[-1] > 0


def test_derivatives_of_runs_of_bdf_are_refused_by_name(finger):
    scenario = {"duration": 0.01, "output_step": 0.01, "inputs": INPUTS, "integrator": {"type": "bdf"}}
    for by in (lambda: finger.sensitivities(["tip.position"], NUMBERS[1:2], **scenario),
               lambda: finger.rollout_function("tip.position", by=NUMBERS[1], **scenario).vjp(0.02)):
        with pytest.raises(cuttle.ArgumentError, match="run of bdf.*link 'finger': found a body with"):
            by()


def test_equilibria_follow_their_inputs(finger):
    function = cuttle.functions.equilibrium(finger)
    u = np.array([3e3])
    ((slopes,),) = function.jacobians(u)
    h = 200.0
    expected = (8 * (function(u + h) - function(u - h)) - function(u + 2 * h) + function(u - 2 * h)) / (12 * h)
    np.testing.assert_allclose(slopes[:, 0], expected, atol=1e-6 * np.abs(expected).max())
    value, back = function.vjp(u)
    worth = np.cos(np.arange(value.size))
    assert back(worth)[0] == pytest.approx(worth @ slopes, rel=1e-12)


def test_pressure_that_holds_a_tip(finger):
    goal = np.asarray(finger.statics([3e3]).frame("tip").position)
    held = finger.statics(target={"tip": goal})
    assert held.u[0] == pytest.approx(3e3, rel=1e-6)
    assert np.linalg.norm(np.asarray(held.frame("tip").position) - goal) < 1e-10
