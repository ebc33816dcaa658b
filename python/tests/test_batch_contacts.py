"""Robots of a Batch that touch: they begin as runs do, and a roll-out in parts goes on as one."""

import pickle

import numpy as np
import pytest

import cuttle
from contact_robots import method, robot, start

G = 9.81
SLOPE = np.radians(20)  # atan 0.5 is 26.6 degrees
BLOCK = f"""cuttle: 1
gravity: [{G * np.sin(SLOPE)}, 0, {-G * np.cos(SLOPE)}]
links:
  - name: block
    joint: {{type: free}}
    attach: {{pose: {{position: [0, 0, 0.05]}}}}
    body: {{type: rigid, mass: 0.5, inertia: [8.3e-4, 8.3e-4, 8.3e-4, 0, 0, 0]}}
    contact: {{shape: box, size: [0.1, 0.1, 0.1]}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: block, b: ground, friction: 0.5, modulus: 1.0e+6, dissipation: 20}}]
"""


def alone(of, q, v, duration, step=1e-4, **keys):
    run = of.simulate(duration=duration, output_step=duration, q=q, v=v, integrator=method("tsit5", step), **keys)
    return run.q[-1], run.v[-1]


def test_a_block_that_friction_holds_is_held_in_a_batch():
    of = cuttle.Robot.from_text(BLOCK)
    rest = of.statics()
    expected = alone(of, rest.q, np.zeros(6), 0.05)
    batch = cuttle.Batch(of.model, 2, 1)
    end = batch.rollout(np.tile(rest.q, (2, 1)), np.zeros((2, 6)), duration=0.05, step=1e-4)
    for k in range(2):
        assert end.q[k] == pytest.approx(expected[0], abs=1e-13)
        assert end.v[k] == pytest.approx(expected[1], abs=1e-10)
    assert np.abs(end.v[0, 3:]).max() < 1e-3  # where bristles began straight it went at 80 mm/s
    assert np.abs(end.states).max() > 1e-6


@pytest.mark.parametrize("cell", [("rigid", "fixed", "cart"), ("rod", "fixed", "floating"), ("volume", "fixed", "cart"),
                                  ("rigid", "fixed", "state")], ids="-".join)
def test_a_rollout_in_parts_is_one(cell):
    """Bristles and integrals of loads are handed on; held inputs begin with each part."""
    of = robot(*cell)
    begin, parts, duration = start(of, along=0.2), 5, 2e-3
    inputs = np.linspace(0.1, 0.3, parts)[None, :, None] if of.nu else None
    batch = cuttle.Batch(of.model, 1, 1)
    assert batch.state_count > 0
    q, v = np.array([begin["q"]]), np.array([begin["v"]])
    whole = batch.rollout(q, v, duration=parts * duration, step=2e-5, held_inputs=inputs)
    states = np.full((1, batch.state_count), np.nan)
    for k in range(parts):
        part = batch.rollout(q, v, duration=duration, step=2e-5, states=states,
                             held_inputs=None if inputs is None else inputs[:, k : k + 1])
        q, v, states = part.q, part.v, part.states
    assert q == pytest.approx(whole.q, abs=1e-13)
    assert v == pytest.approx(whole.v, abs=1e-10)
    assert states == pytest.approx(whole.states, abs=1e-13)
    assert np.abs(states).max() > 1e-7
    if inputs is None:
        expected = alone(of, begin["q"], begin["v"], parts * duration, 2e-5)
        assert q[0] == pytest.approx(expected[0], abs=1e-12)
        assert v[0] == pytest.approx(expected[1], abs=1e-9)


def test_a_robot_without_states_takes_none():
    of = cuttle.load(cuttle.example("tendon_arm"))
    assert cuttle.Batch(of.model, 1, 1).state_count == 0
    mistake = r"states: found 1 x 2, expected 1 x 0"
    with pytest.raises(cuttle.ArgumentError, match=mistake):
        cuttle.Batch(of.model, 1, 1).rollout(np.zeros((1, of.nq)), np.zeros((1, of.nv)), states=np.zeros((1, 2)))


@pytest.mark.parametrize("law", [{"rate": 100}, {}], ids=["clocked", "continuous"])
def test_what_a_controller_pushes_at_the_start_is_in_the_balance(law):
    """As an input does, which a run has from its start: bristles hold against it."""
    of = cuttle.Robot.from_text(BLOCK.replace("    joint: {type: free}", "    joint: {type: prismatic, axis: [1, 0, 0]}").replace(
        "obstacles", "actuators: [{name: motor, type: joint, link: block}]\nobstacles").replace("0, 0.05]", "0, 0.0494]"))
    integrator = method("generalized_alpha", 1e-4)
    keys = {"duration": 0.02, "output_step": 0.01, "integrator": integrator, "q": [0.0], "v": [0.0]}
    pushes = {"name": "push", "type": "pid", "inputs": ["motor"], "kp": 1e-6, "reference": [-1e6], **law}  # 1 N back
    given = of.simulate(inputs={"motor": -1.0}, **keys)
    found = of.simulate(controllers=[pushes], **keys)
    assert found.u[-1] == pytest.approx(-1, abs=1e-6)
    assert np.abs(given.v[-1]).max() < 1e-4  # it is held
    assert found.q == pytest.approx(given.q, abs=1e-9) and found.v == pytest.approx(given.v, abs=1e-6)


def test_states_of_a_rollout_are_kept_when_it_is_pickled():
    of = cuttle.Robot.from_text(BLOCK)
    end = cuttle.Batch(of.model, 1, 1).rollout(np.array([of.statics().q]), np.zeros((1, 6)), duration=0.01, step=1e-4)
    again = pickle.loads(pickle.dumps(end))
    assert again == end and np.array_equal(again.states, end.states) and np.abs(end.states).max() > 0
