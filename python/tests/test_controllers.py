"""Control laws that are functions: how many arguments they are asked with."""

import functools

import numpy as np
import pytest

import cuttle
from cuttle.scenario import _takes_sensors


class Law:
    """A callable with a state, whose fourth argument is its own."""

    def __init__(self):
        self.asked = []

    def __call__(self, time, q, v, gain=5.0):
        self.asked.append(gain)
        return [-gain * q[0]]


def three(time, q, v):
    return [0.0]


def four(time, q, v, readings):
    return [0.0]


@functools.wraps(three)
def wrapped(*arguments):
    return three(*arguments)


@pytest.mark.parametrize(
    "function, takes",
    [
        (three, False),
        (wrapped, False),  # as what it wraps
        (lambda time, q, v, k=5: 0.0, False),
        (lambda time, q, v, k=5, sensors=None: 0.0, False),  # a fourth place, but not that of the sensors
        (lambda time, q, v, *, sensors=None: 0.0, False),
        (lambda time=0, q=0, v=0: 0.0, False),
        (Law(), False),
        (functools.partial(four, readings=None), False),
        (max, False),  # says nothing of its arguments
        (four, True),
        (lambda time, q, v, sensors: 0.0, True),
        (lambda time, q, v, sensors=None: 0.0, True),
        (lambda time, q, v, sensors, k=5: 0.0, True),
        (lambda *arguments: 0.0, True),
        (functools.partial(lambda k, time, q, v, sensors: 0.0, 5), True),
    ],
)
def test_arguments_with_defaults_are_the_laws_own(function, takes):
    assert _takes_sensors(function) == takes


def test_a_default_is_kept_in_a_run(pendulum):
    law = Law()
    run = pendulum.simulate(duration=0.05, q=[0.3], controllers=[cuttle.Controller(law, rate=100)])
    assert law.asked and set(law.asked) == {5.0}
    assert np.isclose(run.u[0, 0], -1.5)


def test_one_controller_needs_no_list(pendulum):
    law = cuttle.Controller(lambda time, q, v: np.float64(2 * (0.5 - q[0])), 100)
    alone, listed = (pendulum.simulate(0.1, controllers=given) for given in (law, [law]))
    assert alone.u.any() and (alone.u == listed.u).all()
    keys = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.2], "kp": 4}
    assert (pendulum.simulate(0.1, controllers=keys).u == pendulum.simulate(0.1, controllers=[keys]).u).all()


def test_a_function_alone_is_no_controller(pendulum):
    with pytest.raises(TypeError, match=r"controllers: found a function, expected controllers: cuttle.Controller\("):
        pendulum.simulate(0.1, controllers=lambda time, q, v: 0.1)


@pytest.fixture(scope="module")
def two_links():
    link = {"joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.05},
            "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.15], "inertia": [1e-2, 1e-2, 1e-3, 0, 0, 0]}}
    return cuttle.Robot.from_dict({
        "links": [{"name": "l0", **link}, {"name": "l1", **link, "attach": {"pose": {"position": [0, 0, -0.3]}}}],
        "actuators": [{"name": f"m{i}", "type": "joint", "link": f"l{i}"} for i in range(2)]})


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("law", [
    {"type": "pd_plus", "rate": 50.0, "kp": 55.47, "kd": 1.551, "reference": [-0.0231, -0.5743], "limits": {"lower": -1.663, "upper": 3.531}},
    {"type": "pid", "rate": 100.0, "kp": 38.28, "ki": 34.45, "kd": 2.224, "inputs": ["m0", "m1"], "reference": [-0.4248, 0.5656],
     "limits": {"lower": -2.256, "upper": 1.376}},
    {"type": "pid", "rate": 50.0, "kp": 29.2, "ki": 16.66, "kd": 2.154, "inputs": ["m0", "m1"], "reference": [0.02694, -0.4786],
     "limits": {"lower": -2.957, "upper": 3.667, "rate": 69.7}},
], ids=["pd_plus", "pid", "limited in rate"])
def test_derivatives_by_gains_know_on_which_side_of_a_limit_the_run_is(two_links, law, adjoint):
    """Copies with other gains, beside the run, may be on the other side of the limit at a sample."""
    run = {"duration": 0.6, "output_step": 0.1, "integrator": {"type": "rk4", "step": 1e-3}}
    law = {"name": "law", **law}
    by = [f"simulation.controllers.law.{gain}" for gain in ("kp", "kd")]
    if adjoint:
        back = two_links.rollout_function(["v"], by=by, controllers=[law], **run).vjp(law["kp"], law["kd"])[1]
        found = [np.ravel(back({"v": row})) for row in np.eye(2)]
    else:
        found = two_links.sensitivities("v", by, times=[0.6], controllers=[law], **run).derivatives

    def end(gain, change):
        return two_links.simulate(controllers=[{**law, gain: law[gain] * (1 + change)}], **run).v[-1]

    wanted = np.column_stack([(end(gain, 1e-6) - end(gain, -1e-6)) / (2e-6 * law[gain]) for gain in ("kp", "kd")])
    np.testing.assert_allclose(np.reshape(found, wanted.shape), wanted, atol=2e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("method, step", [("rk4", 1e-3), ("generalized_alpha", 4e-3), ("generalized_alpha", 1e-2), ("newmark", 4e-3)])
def test_estimates_stay_in_their_ranges_and_gradients_know_it(two_links, method, step):
    masses = [{"path": f"links.l{i}.body.mass", "initial": start, "lower": 0.1, "upper": 4} for i, start in enumerate([0.3433, 1.137])]
    law = {"name": "law", "type": "adaptive", "lambda": 6.487, "kr": 1.6994, "gamma": 2.6314, "reference": [-0.1939, -0.3879],
           "parameters": masses}
    run = {"duration": 0.6, "output_step": 0.1, "integrator": {"type": method, "step": step}, "q": [0.3, -0.2]}

    def end(kr):
        return two_links.simulate(controllers=[{**law, "kr": kr}], **run)

    estimates = end(1.6994).controllers["law"].state[:, :2]
    assert estimates.min() >= 0.1 - 1e-12 and estimates.min() < 0.11  # it comes to its range's end
    back = two_links.rollout_function(["v"], by="simulation.controllers.law.kr", controllers=[law], **run).vjp(1.6994)[1]
    found = [float(np.ravel(back({"v": row}))[0]) for row in np.eye(2)]
    wanted = (end(1.6994 + 1e-6).v[-1] - end(1.6994 - 1e-6).v[-1]) / 2e-6
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())
