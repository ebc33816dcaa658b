"""Gradients back along bdf and erk of robots that slide: beside derivatives forward along fixed steps, which share
nothing of the way back."""

import numpy as np
import pytest

from contact_robots import ADAPTIVE, method, robot, start

DURATION = 0.01
BY = ["contacts.floor.friction", "contacts.floor.modulus"]
#: Rods, and with what tolerances: along the second and the third gradients had grown by 1e7 and 1e15.
RODS = [("bdf", 1e-6, "moving", "floating"), ("erk", 1e-7, "moving", "cart"), ("erk", 1e-7, "fixed", "floating")]
BALLS = [(name, tolerance, ground, carrier) for name in ADAPTIVE for tolerance in (1e-6, 1e-7)
         for ground in ("fixed", "moving") for carrier in ("cart", "floating")]


def off(body, name, tolerance, ground, carrier):
    """How far both gradients are off, relative to those of fixed steps."""
    of = robot(body, ground, carrier)
    worth, keys = np.cos(1 + np.arange(of.nq)), {"duration": DURATION, **start(of)}
    expected = worth @ of.sensitivities(["q"], by=BY, output_step=DURATION, **keys,
                                        integrator={"type": "generalized_alpha", "step": 2e-5}).derivatives[-1]
    run = of.rollout_function("q", by=BY, integrator=method(name, tolerance=tolerance), **keys)
    _, back = run.vjp(*run.start)
    return np.array([float(by) for by in back(worth)]) / expected - 1


@pytest.mark.parametrize("case", BALLS, ids=str)
def test_of_a_ball(case):
    assert off("rigid", *case) == pytest.approx(0, abs=3e-5)


@pytest.mark.parametrize("case", RODS, ids=str)
def test_of_a_rod(case):
    assert off("rod", *case) == pytest.approx(0, abs=1e-2)
