"""What models/contact/coil.yaml claims: its turns sink onto each other, rest, and each carries those above."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

G, RADIUS, LENGTH, DENSITY, CURVATURE = 9.81, 0.004, 0.52, 1100, 33
WEIGHT = DENSITY * np.pi * RADIUS**2 * LENGTH * G


def test_the_turns_of_the_coil_lie_on_each_other():
    run = cuttle.simulate(Path(__file__).parents[2] / "models" / "contact" / "coil_scenario.yaml")
    turns, floor = run.contacts["turns"], run.contacts["floor"]
    assert turns.normal[0] == 0 and run.energy.kinetic.max() > 1e-4  # it falls
    assert run.energy.kinetic[-1] < 1e-6 * run.energy.kinetic.max()
    assert np.abs(run.energy.balance).max() < 0.05 * np.ptp(run.energy.gravity)
    # places along it: markers would be stations, so all comes from the strains that it ends with
    at, R, step = np.array([0.03, 0, 0.0042]), np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]), LENGTH / 4000
    q, places = run.q[-1].reshape(3, 4), []
    for k in range(4000):
        s = (k + 0.5) / 4000
        P = np.polynomial.legendre.legvander([2 * s - 1], 3)[0] / LENGTH
        w = q @ P + [0, -CURVATURE, 3.5]
        angle = np.linalg.norm(w) * step
        n = w / np.linalg.norm(w)
        K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        turn = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        at = at + R @ (np.eye(3) + turn)[:, 2] / 2 * step
        R = R @ turn
        places.append(at)
    places = np.array(places)
    assert places[-1] == pytest.approx(run.frame("rod.tip").position[-1], abs=1e-4)
    # what is one turn further lies on it, two radii apart less what they give
    turn = int(2 * np.pi / CURVATURE / step)
    apart = [np.linalg.norm(places[k + turn // 2 :] - places[k], axis=1).min() for k in range(0, 4000 - turn, 100)]
    assert min(apart) > 2 * RADIUS - 1e-3 and np.median(apart) < 2.2 * RADIUS
    assert places[:, 2].min() > 0.75 * RADIUS
    above = LENGTH * CURVATURE / (2 * np.pi)  # turns, each two radii above the last one
    assert places[-1, 2] == pytest.approx(RADIUS + 2 * RADIUS * above, rel=0.05)
    # ground and clamp carry the weight; turns carry at least those above the lowest one
    assert floor.normal[-1] > 0.8 * WEIGHT
    assert turns.normal[-1] > WEIGHT * (1 - 2 * turn * step / LENGTH)
