"""What the robots of models/contact claim that hold or wrap things: hand-over, hand on an arm, wire in a bend."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
G = 9.81


def run_of(name, *changes):
    return cuttle.simulate(MODELS / f"{name}_scenario.yaml", *changes)


def rotation(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def in_hand(hand, thing):
    """Places of a thing in the frame of a hand, or of another one, a row each instant."""
    turned = [rotation(q) for q in hand.orientation]
    return np.array([R.T @ d for R, d in zip(turned, thing.position - hand.position)])


def test_two_soft_arms_hand_over_a_bar():
    run = run_of("hand_over")
    weight = 0.02 * G
    rows = lambda a, b: slice(int(round(a / 0.02)), int(round(b / 0.02)))
    # what acts on the bar: the book of forces is closed by its weight, at rest and while it is carried evenly
    by_left, by_right = (-run.contacts[name].force[:, 2] for name in ("left", "right"))
    by_stands = run.contacts["stands"].force[:, 2]
    # results take the normal of a piece of a finger at one point: that turns what presses by some thousandths
    off = 4e-3 * max(run.contacts[name].normal.max() for name in ("left", "right"))
    assert by_stands[rows(0.1, 0.3)].mean() == pytest.approx(weight, rel=0.01)
    for by, while_held in ((by_left, rows(2.2, 3.4)), (by_left + by_right, rows(3.9, 4.3)), (by_right, rows(6.2, 7))):
        assert by[while_held].mean() == pytest.approx(weight, abs=off)
    # nobody else: the right hand has it when the left one lets go
    assert np.all(run.contacts["right"].normal[rows(0, 3.6)] == 0)
    assert min(run.contacts[name].normal[rows(4.0, 4.2)].min() for name in ("left", "right")) > 1
    for name, first in (("stands", 1.0), ("left", 4.6)):
        assert np.all(run.contacts[name].normal[rows(first, 7)] == 0)
    assert np.all(run.contacts["palms"].normal == 0)
    # no slip: the place of the hand along the bar stays, while both go 50 mm
    bar = run.frame("bar.base")
    for name, while_held in (("left_hand", rows(1.2, 3.4)), ("right_hand", rows(4.8, 7))):
        along = in_hand(bar, run.frame(f"{name}.base"))[while_held, 2]
        assert np.ptp(along) < 1e-4
        assert np.ptp(bar.position[while_held, 1]) > 0.045
