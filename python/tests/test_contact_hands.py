"""What the robots of models/contact claim that hold things: two arms that hand over, a hand on an arm."""

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
    # beside what presses: some thousandths of it are still in motion
    off = 1e-3 * max(run.contacts[name].normal.max() for name in ("left", "right"))
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


DH = [  # of a UR5e: d, a, alpha
    (0.1625, 0, np.pi / 2),
    (0, -0.425, 0),
    (0, -0.3922, 0),
    (0.1333, 0, np.pi / 2),
    (0.0997, 0, -np.pi / 2),
    (0.0996, 0, 0),
]
# masses and centers of mass, each in the axes behind its joint, before the rest of its step
MASSES = [
    (3.761, (0, 0, 0.14)),
    (8.058, (-0.2125, 0, 0.113)),
    (2.846, (-0.24, 0, 0.026)),
    (1.37, (0, 0, 0.1333)),
    (1.3, (0, 0, 0)),
    (0.365, (0, 0, -0.001)),
]
ARM = ["shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3"]


def ur_frames(angles):
    """Frames of the joints after their turn, and that of the tool, by Denavit and Hartenberg."""
    frames, at = [], np.eye(4)
    for angle, (d, a, alpha) in zip(angles, DH):
        c, s = np.cos(angle), np.sin(angle)
        turned = at @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        frames.append(turned)
        c, s = np.cos(alpha), np.sin(alpha)
        at = turned @ np.array([[1, 0, 0, a], [0, c, -s, 0], [0, s, c, d], [0, 0, 0, 1]])
    return frames, at


def test_the_soft_hand_on_an_arm_picks_up_a_ball():
    run = run_of("soft_hand")
    ball, tool, grip = run.frame("ball.base").position, run.frame("ur_tool0.tip"), run.contacts["grip"]
    rows = lambda a, b: slice(int(round(a / 0.02)), int(round(b / 0.02)))
    angles = np.column_stack([run.columns[f"ur_{name}.joint.q0"] for name in ARM])
    # the arm from the file is that of the parameters
    for k in range(0, len(run.time), 25):
        at = ur_frames(angles[k])[1]
        assert tool.position[k] == pytest.approx(at[:3, 3], abs=1e-12)
        assert rotation(tool.orientation[k]) == pytest.approx(at[:3, :3], abs=1e-12)
    # on the table, lifted by 15 cm, carried by 1.2 rad around the base: it stays in the hand
    assert run.contacts["rest"].normal[rows(0.3, 1.0)].mean() == pytest.approx(0.1 * G, rel=0.02)
    assert np.all(run.contacts["rest"].normal[rows(2.0, 4.5)] == 0)
    held = in_hand(tool, run.frame("ball.base"))
    assert np.ptp(held[rows(2.6, 4.5)], axis=0).max() < 0.015  # fingers are soft: it swings while the arm turns
    assert np.ptp(held[rows(4.2, 4.5)], axis=0).max() < 1e-3
    assert np.linalg.norm(held[-1, :2]) < 2e-3
    assert ball[-1, 2] - 0.03 == pytest.approx(0.155, abs=0.012)
    turned = np.arctan2(-ball[-1, 1], -ball[-1, 0]) - np.arctan2(0.1333, 0.45)
    assert turned == pytest.approx(1.2, abs=0.02)
    # in the end the fingers carry it, and nothing else
    assert grip.force[-1] == pytest.approx([0, 0, -0.1 * G], abs=1e-3 * grip.normal[-1])
    # motors of the arm hold all of it: -d/dq of the work of weights, by differences of their heights
    fingers = [(1150 * np.pi * 0.11 * (0.009**2 + 0.009 * 0.006 + 0.006**2) / 3, name) for name in ("first", "second", "third")]
    heights = [(0.2, tool.position[-1] - [0, 0, 0.01]), (0.1, ball[-1])]
    heights += [(m, (run.frame(f"{n}.base").position[-1] + run.frame(f"{n}.tip").position[-1]) / 2) for m, n in fingers]

    def potential(q):
        frames, at = ur_frames(q)
        energy = sum(m * (f @ [*c, 1])[2] for (m, c), f in zip(MASSES, frames))
        moved = at @ np.linalg.inv(ur_frames(angles[-1])[1])
        return G * (energy + sum(m * (moved @ [*place, 1])[2] for m, place in heights))

    efforts = [run.columns[f"motion.ur_{name}.joint.q0"][-1] for name in ARM]
    steps = 1e-5 * np.eye(6)
    torques = [(potential(angles[-1] + step) - potential(angles[-1] - step)) / 2e-5 for step in steps]
    assert efforts == pytest.approx(torques, abs=2e-3 * np.abs(torques).max())
