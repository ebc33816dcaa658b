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
