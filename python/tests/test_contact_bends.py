"""A wire in a bent tube of triangles."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
BEND, STRAIGHT, CLEARANCE = 0.05, 0.27, 0.003 * np.cos(np.pi / 20) - 0.0005  # facets are nearer than their corners
EI = 6e10 * np.pi / 4 * 0.0005**4


def least_energy(fed, length=0.25, pieces=125):
    """The least energy of an elastic line, clamped at `fed` along the axis of a round tube that it must not leave: by
    angles of straight pieces, Newton's method and a penalty. It knows neither rods nor meshes, and no time."""
    h = length / pieces
    sums = np.tri(pieces)  # of nodes by pieces
    turns = np.eye(pieces) - np.eye(pieces, k=-1)
    K = turns.T @ turns / h
    angles = np.clip((fed + h * (np.arange(pieces) + 0.5) - STRAIGHT) / BEND, 0, np.pi / 2)
    for stiffness in (2e3, 6e4, 2e6):
        for _ in range(200):
            x, z = h * sums @ np.sin(angles), fed + h * sums @ np.cos(angles)
            in_bend, behind = (z > STRAIGHT) & (x < BEND), x >= BEND
            from_center = np.hypot(BEND - x, z - STRAIGHT)
            off = np.where(behind, z - STRAIGHT - BEND, np.where(in_bend, from_center - BEND, -x))
            by_x = np.where(behind, 0, np.where(in_bend, (x - BEND) / from_center, -1))
            by_z = np.where(behind, 1, np.where(in_bend, (z - STRAIGHT) / from_center, 0))
            over = off - np.clip(off, -CLEARANCE, CLEARANCE)
            J = by_x[:, None] * (h * sums * np.cos(angles)) - by_z[:, None] * (h * sums * np.sin(angles))
            pressed = J[over != 0]
            step = -np.linalg.solve(K + stiffness * pressed.T @ pressed, K @ angles + stiffness * J.T @ over)
            angles += min(1, 0.1 / max(np.abs(step).max(), 1e-300)) * step
            if np.abs(step).max() < 1e-9:
                break
        else:
            raise AssertionError(f"least_energy: no convergence at {fed}")
    return EI * (0.5 * angles @ K @ angles + 0.5 * stiffness * over @ over)


def test_a_wire_is_bent_into_a_tube_of_triangles():
    free = cuttle.simulate(MODELS / "wire_in_bend_scenario.yaml", "robot.contacts.wall.friction=0")
    fed = free.columns["feed.joint.q0"]
    accelerated = (0.05 + 6450 * np.pi * 0.0005**2 * 0.25) * 0.15 * (6 - 6 * free.time) / 4  # of the cubic from 0 to 2 s
    push = free.columns["motion.feed.joint.q0"] - accelerated
    # the force over the way is the slope of the least energy; the largest is about that of a wire as bent as the tube
    largest = EI / (2 * BEND**2)
    for place in (0.04, 0.06, 0.075, 0.09, 0.12, 0.14):
        expected = (least_energy(place + 1e-3) - least_energy(place - 1e-3)) / 2e-3
        assert np.interp(place, fed, push) == pytest.approx(expected, abs=0.035 * largest)
    assert np.trapezoid(push, fed) == pytest.approx(least_energy(0.15), rel=0.04)
    # with friction the rest of the way costs mu N more than without
    wall = (run := cuttle.simulate(MODELS / "wire_in_bend_scenario.yaml")).contacts["wall"]
    through = (fed > 0.14) & (run.time < 1.95)
    more = run.columns["motion.feed.joint.q0"] - free.columns["motion.feed.joint.q0"]
    assert more[through] == pytest.approx(0.1 * wall.normal[through], rel=0.04)
    assert wall.gap.min() > -1e-4  # of a wire of 0.5 mm
