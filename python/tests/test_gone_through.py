"""A link that is more than half through what it touches ends its run on every path, and a start there its robot alone. A
robot as a function has no start."""

import numpy as np
import pytest

import cuttle

BALL = {"name": "b", "joint": {"type": "free"}, "contact": {"shape": "sphere", "radius": 0.03},
        "body": {"type": "rigid", "mass": 0.2, "inertia": [2e-4] * 3 + [0, 0, 0]}}
FAST = {"q": [0, 0, 0.1, 1, 0, 0, 0], "v": [0, 0, 0, 0, 0, -8.0]}
DURATION, STEP = 0.05, 1e-4


def over(obstacle, modulus, link=BALL):
    return cuttle.Robot.from_dict({"links": [link], "obstacles": [{"name": "o", **obstacle}],
                                   "contacts": [{"name": "t", "a": "b", "b": "o", "modulus": modulus}]})


@pytest.fixture(name="plate")
def plate_():
    return over({"shape": "box", "size": [1, 1, 0.02]}, 1e4)


@pytest.mark.parametrize("method", ["rk4", "tsit5"])
def test_every_path_ends_where_a_run_does(plate, method):
    integrator = {"type": method, "step": STEP}
    by_mass = "links.b.body.mass"
    many = {"q": [FAST["q"]], "v": [FAST["v"]], "duration": DURATION, "step": STEP, "method": method}
    paths = [
        lambda: plate.simulate(DURATION, integrator=integrator, **FAST),
        lambda: plate.rollouts(**many),
        lambda: cuttle.Batch(plate.model, 1).rollout(**many),
        lambda: plate.rollout_derivatives(by_mass, **many),
        lambda: plate.rollout_function("q", by="v", duration=DURATION, q=FAST["q"], integrator=integrator)(FAST["v"]),
        lambda: plate.sensitivities("q", by_mass, duration=DURATION, integrator=integrator, **FAST),
    ]
    for path in paths:
        with pytest.raises(cuttle.SimulationError, match=r"t = 0\.0087\d* s"):
            path()


# In one of these steps it goes 0.1 m.
def test_nothing_passes_unseen_in_a_step():
    wall = over({"shape": "box", "size": [1, 1, 0.001]}, 1e6)
    many = {"q": [[0, 0, 0.07, 1, 0, 0, 0]], "v": [[0, 0, 0, 0, 0, -50.0]], "duration": 0.01, "step": 2e-3}
    for path in (wall.rollouts, cuttle.Batch(wall.model, 1).rollout):
        with pytest.raises(cuttle.SimulationError, match="more than half"):
            path(**many)


def test_a_start_within_an_obstacle_is_its_robots_failure():
    block = {**BALL, "contact": {"shape": "box", "size": [0.05, 0.06, 0.04]}}
    robot = over({"shape": "plane"}, 1e5, block)
    q = np.array([[0, 0, height, 1, 0, 0, 0] for height in (0.2, -0.005, 0.2)])
    keys = {"duration": 0.01, "raise_on_failure": False}
    for found in (cuttle.Batch(robot.model, 3).rollout(q, np.zeros((3, 6)), **keys), robot.rollouts(q, **keys),
                  robot.rollout_derivatives("links.b.body.mass", q, **keys)):
        assert [bool(reason) for reason in found.failures] == [False, True, False]
    # the neutral state of a function is no start
    f = robot.dynamics(integrator="tsit5", step=1e-3)
    x = f.reset()
    x[:7] = q[0]
    run = robot.simulate(1e-3, output_step=1e-3, q=q[0], integrator={"type": "tsit5", "step": 1e-3})
    assert np.allclose(f.step(x, [])[:7], run.q[-1], rtol=0, atol=1e-15)
