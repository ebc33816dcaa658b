"""A finger of finite elements, with all displacements of its mesh, that air bends around a bar."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
BAR, RADIUS, BASE = (0.0502, 0.1), 0.05, 0.12  # y and z of its axis, its radius, height of the base [m]


def strip_around_bar(run):
    """Of the nodes in the middle of the strip's outer face, from the base on: how far from the bar's axis, and the angle
    around it from where the finger begins, at each instant. From the mesh and the coordinates alone."""
    lines = (MODELS / "bellows_finger.msh").read_text(encoding="utf-8").splitlines()
    first = lines.index("$Nodes") + 2
    rows = [[float(word) for word in line.split()] for line in lines[first : first + int(lines[first - 1])]]
    middle = sorted((z, int(n), y) for n, x, y, z in rows if abs(x) < 1e-9 and y == 0 and z > 0)
    places = []
    for z, node, y in middle:
        moved = [run.columns[f"finger.node{node}.{axis}"] for axis in "yz"]
        places.append([-(y + moved[0]) - BAR[0], BASE - (z + moved[1]) - BAR[1]])  # the base is turned about x
    across, up = np.array(places).transpose(1, 2, 0)
    return np.hypot(across, up), np.unwrap(np.arctan2(-up, -across), axis=1)


def test_a_pneumatic_finger_wraps_a_bar():
    run = cuttle.simulate(MODELS / "fem_wrapping_finger_scenario.yaml")
    grip, air = run.contacts["grip"], run.columns["air"]
    distance, angle = strip_around_bar(run)
    above = distance - RADIUS
    # straight beside the bar at first, then bent by 8 kPa
    assert grip.normal[0] == 0
    assert above[0, -1] > 0.03
    assert air[-1] == 8e3
    # around the bar by two radians, nowhere more than 1.2 mm from it: the first fifth hangs straight from its base
    assert angle[-1, -1] - angle[-1, 0] > 2
    around = angle[-1] > -0.2
    assert np.abs(above[-1, around]).max() < 1.2e-3
    assert np.diff(angle[-1]).min() > 0
    # pressed on it behind its base and near its end, and in between the strip stands off as an arch
    pressed = above[-1] < 0
    assert pressed[angle[-1] < 0.3].any()
    assert pressed[angle[-1] > 1.4].any()
    assert not pressed[(angle[-1] > 0.4) & (angle[-1] < 1.2)].any()
    assert grip.normal[-1] > 0.2
    # and at rest
    assert np.abs(run.v[-1]).max() < 1e-4 < np.abs(run.v).max()
    assert grip.normal[-4:] == pytest.approx(grip.normal[-1], rel=1e-3)
