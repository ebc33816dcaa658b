"""Ways back along runs with what keeps states, limits, driven joints, laws of actuators and joints that turn, against differences of
runs, which share nothing with them."""

import numpy as np
import pytest

import cuttle

_WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60))  # differences of order six


def slopes(loss, x, h):
    x = np.array(x, float)

    def at(i, steps):
        moved = x.copy()
        moved[i] += steps * h
        return loss(moved)

    return np.array([sum(w * (at(i, k) - at(i, -k)) for k, w in _WEIGHTS) / h for i in range(x.size)])


def same_as_differences(run, x, worth, h, tolerance):
    """The way back from outputs that are worth that much, and differences of what the run is worth."""
    y, back = run.vjp(x)
    found = np.asarray(back(worth(y))).reshape(-1)
    expected = slopes(lambda moved: np.sum(worth(y) * run(moved)), x, h)
    scale = np.abs(expected).max()
    assert scale > 0
    assert np.abs(found - expected).max() < tolerance * scale, (found, expected)


def some_worth(y):
    return np.cos(1.0 + np.arange(y.size)).reshape(y.shape)


IMPLICIT = {"type": "generalized_alpha", "step": 0.005}


@pytest.mark.parametrize("clock", [{}, {"rate": 100}])
@pytest.mark.parametrize("method", ["rk4", "generalized_alpha", "midpoint"])
def test_integrals_of_a_law(pendulum, method, clock):
    law = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.4], "kp": [5.0], "ki": [8.0], "kd": [0.6], **clock}
    keys = [f"simulation.controllers.hold.{key}" for key in ("kp", "ki", "kd", "reference[0]")]
    run = pendulum.rollout_function("q", by=[keys], times=[0.1, 0.25, 0.3], duration=0.3, q=[0.2], controllers=[law],
                                    integrator={"type": method, "step": 0.005})
    same_as_differences(run, run.start[0], some_worth, 0.05, 1e-7)


def test_a_limit_of_the_rate(pendulum):
    law = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.6], "kp": [6.0], "kd": [0.5], "rate": 50,
           "limits": {"rate": 15.0}}
    keys = [f"simulation.controllers.hold.{key}" for key in ("kp", "kd", "reference[0]")]
    run = pendulum.rollout_function("q", by=[keys], times=[0.1, 0.3], duration=0.3, q=[0.2], controllers=[law],
                                    integrator=IMPLICIT)
    same_as_differences(run, run.start[0], some_worth, 0.01, 1e-7)


@pytest.mark.parametrize("method", ["rk4", "generalized_alpha"])
def test_a_driven_joint(method):
    robot = cuttle.load(cuttle.example("spring_leg"))
    duration, step = (0.002, 2e-5) if method == "rk4" else (0.1, 0.005)
    motion = {"thigh": [{"type": "sine", "amplitude": 0.2, "frequency": 3}]}
    paths = ["simulation.initial.shank.q[0]", "simulation.initial.shank.v[0]", "simulation.initial.foot.v[1]"]
    run = robot.rollout_function("v", by=[paths], times=[duration], duration=duration, motion=motion,
                                 integrator={"type": method, "step": step})
    same_as_differences(run, [0.1, -0.2, 0.05], some_worth, 1e-5, 1e-6)  # the knee has a stop


def test_actuators_with_laws():
    robot = cuttle.load(cuttle.example("servo_finger"))
    knots = np.array([0.0, 0.03, 0.06])
    run = robot.rollout_function("tip.position", by="inputs.front", times=[0.03, 0.06], duration=0.06,
                                 inputs={"front": (knots, [0.004, 0.008, 0.011])}, integrator=IMPLICIT)
    same_as_differences(run, [0.004, 0.008, 0.011], some_worth, 2e-6, 1e-6)  # the back cable gets slack soon


@pytest.mark.parametrize("method", ["rk4", "tsit5"])
def test_a_base_that_turns(method):
    robot = cuttle.load(cuttle.example("floating_rod"))
    run = robot.rollout_function("v", by="v", times=[0.001], duration=0.001, integrator={"type": method, "step": 1e-5})
    start = 0.3 * np.sin(1.0 + np.arange(robot.nv))
    same_as_differences(run, start, some_worth, 0.02, 1e-8)


def test_all_numbers_of_a_robot(tendon_arm):
    # by default a tendon ends where the rod does: once that is a number, the length leaves it alone
    paths = [path for path, number in tendon_arm.parameters().items() if number.value != 0 and not path.endswith(".to")]
    run = tendon_arm.rollout_function("q", by=[paths], times=[0.05], duration=0.05,
                                      inputs={"right": 2.0, "left": 0.5, "coil": 1.0, "pocket": 1e3}, integrator=IMPLICIT)
    forward = tendon_arm.sensitivities("q", by=paths, times=[0.05], duration=0.05,
                                       inputs={"right": 2.0, "left": 0.5, "coil": 1.0, "pocket": 1e3}, integrator=IMPLICIT)
    y, back = run.vjp(*run.start)
    expected = forward.derivatives[0].T @ some_worth(y).reshape(-1)
    size = np.abs(run.start[0])
    found = np.asarray(back(some_worth(y))).reshape(-1)
    assert np.abs((found - expected) * size).max() < 1e-9 * np.abs(expected * size).max()
