"""Paths of equilibria of a loop of two springs, a truss of von Mises: it snaps where its closed form does, however weak."""

import json
import subprocess

import numpy as np
import pytest

import cuttle

HALF, HEIGHT = 1.0, 0.3
REST = np.hypot(HALF, HEIGHT)


def truss(k, more=0):
    """more: joints beside it, in chains of 20."""
    light = {"type": "rigid", "mass": 1e-3 * k, "inertia": [1e-3 * k] * 3 + [0] * 3}
    bars = []
    for name, x, side in (("left", -HALF, 1), ("right", HALF, -1)):
        bars += [{"name": name, "parent": "base", "attach": {"pose": {"position": [x, 0, 0]}},
                  "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 1e-3 * k}, "body": light},
                 {"name": name + "_spring", "attach": {"pose": {"rpy": [0, side * np.arctan2(HALF, HEIGHT), 0]}},
                  "joint": {"type": "prismatic", "axis": [0, 0, 1], "stiffness": k, "damping": 1e-2 * k, "rest": REST}, "body": light}]
    bars += [{"name": f"joint{i}", "parent": f"joint{i - 1}" if i % 20 else "base", "attach": {"pose": {"position": [0, 5, 0]}},
              "joint": {"type": "revolute", "axis": [0, 1, 0], "stiffness": k, "damping": 1e-3 * k}, "body": light} for i in range(more)]
    return cuttle.Robot.from_dict({
        "cuttle": 1, "name": "truss", "gravity": [0, 0, 0], "links": bars,
        "loops": [{"name": "pin", "type": "spherical", "a": {"link": "left_spring"}, "b": {"link": "right_spring"}}],
        "loads": [{"type": "wrench", "link": "left_spring", "force": [0, 0, 0]}]})


# with 160 joints more, paths go along the tree
@pytest.mark.parametrize("k,more", [*((k, 0) for k in (1e3, 1.0, 1e-4, 1e-7, 1e-8, 1e-10, 1e-12)), (1.0, 160), (1e-6, 160), (1e-10, 160)])
def test_a_weak_truss_snaps_as_a_strong_one(k, more, tmp_path):
    sunk = np.linspace(0, HEIGHT, 200001)
    most = (2 * (REST / np.hypot(HALF, HEIGHT - sunk) - 1) * (HEIGHT - sunk)).max()
    robot = tmp_path / "truss.yaml"
    truss(k, more).save(robot)
    found = json.loads(subprocess.run(
        [cuttle.program(), "statics", str(robot), "--q", json.dumps([0, REST, 0, REST] + [0] * more), "--path", "loads[0].force[2]",
         "--from", "0", "--to", repr(float(-2 * most * k)), "--json"], capture_output=True, text=True, check=True).stdout)
    folds = [point["parameter"] / k for point in found["branches"][0]["points"] if point["kind"] == "fold"]
    assert folds == pytest.approx([-most], rel=1e-6)
    assert [jump["parameter"] / k for jump in found["jumps"]] == pytest.approx([-most], rel=1e-6)
