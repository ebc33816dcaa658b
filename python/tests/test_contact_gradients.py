"""Gradients of robots that slide. Those back along bdf and erk stand beside derivatives forward along fixed steps, which
share nothing of the way back; those of energy_conserving, both ways, beside differences."""

import numpy as np
import pytest

import cuttle
from contact_robots import ADAPTIVE, CELLS, method, robot, start

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


@pytest.mark.parametrize("cell", CELLS, ids="-".join)
def test_of_energy_conserving(cell):
    """What begins to press within a step makes differences of friction and modulus others (docs/contact.md)."""
    of, keys = robot(*cell), {"duration": 4e-3, "integrator": method("energy_conserving", 1e-4), **start(robot(*cell))}
    mass = "links.lift.body.mass"
    worth = {"q": np.cos(1 + np.arange(of.nq)), "v": np.sin(1 + np.arange(of.nv))}
    both = np.concatenate(list(worth.values()))
    forward = both @ of.sensitivities(["q", "v"], by=[mass, *BY], output_step=4e-3, **keys).derivatives[-1]

    def end(heavier):
        run = of.with_({mass: 0.01 + heavier}).simulate(output_step=4e-3, **keys)
        return both @ np.concatenate([run.q[-1], run.v[-1]])

    h = 1e-6
    difference = (45 * (end(h) - end(-h)) - 9 * (end(2 * h) - end(-2 * h)) + end(3 * h) - end(-3 * h)) / (60 * h)
    assert forward[0] == pytest.approx(difference, rel=1e-5)
    run = of.rollout_function(["q", "v"], by=[mass, *BY], **keys)
    _, back = run.vjp(*run.start)
    assert np.array(back(worth)) == pytest.approx(forward, rel=1e-8)
