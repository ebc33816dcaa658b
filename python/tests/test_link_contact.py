"""Links that touch each other, in Python: the robots of models/contact that show it, and results by pairs."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
G = 9.81


def test_three_fingers_lift_a_cube_and_do_not_lose_it():
    run = cuttle.simulate(MODELS / "gripper_scenario.yaml")
    mass = 0.1
    grip = run.contacts["grip"]
    cube, palm = run.frame("cube.base").position, run.frame("palm.base").position
    row = lambda t: int(round(t / 0.02))
    assert run.contacts["rest"].normal[row(0.04)] > 0  # it stands on the table
    # all the way up and while it is shaken, the cube moves with the palm
    held = (cube - palm)[row(1.6) :]
    assert np.ptp(held[:, 2]) < 3e-3  # fingers are soft
    assert cube[-1, 2] - cube[0, 2] == pytest.approx(0.1, abs=0.015)
    assert np.all(run.contacts["rest"].normal[row(1.5) :] == 0)
    # in the end the fingers carry its weight, by friction: what they get is down
    assert grip.force[-1] == pytest.approx([0, 0, -mass * G], abs=0.01 * mass * G)
    fingers = [run.contacts[f"grip/{name}-cube"] for name in ("first", "second", "third")]
    assert sum(finger.force[-1] for finger in fingers) == pytest.approx(grip.force[-1], abs=1e-12)
    for finger in fingers:
        assert finger.normal[-1] > 0.1
    # it was shaken, which the fingers feel as some of its weight
    assert np.ptp(cube[row(1.6) : row(2.6), 2]) > 0.012
    assert np.ptp(grip.force[row(1.6) : row(2.6), 2]) > 0.4 * mass * G
    # without friction it stays on the table
    smooth = cuttle.simulate(MODELS / "gripper_scenario.yaml", "robot.contacts.grip.friction=0.1")
    assert smooth.frame("cube.base").position[-1, 2] < cube[0, 2] + 0.01
    assert smooth.contacts["grip"].normal[-1] == 0


def test_a_finger_pushes_a_box_and_leaves_it_there():
    run = cuttle.simulate(MODELS / "pusher_scenario.yaml")
    push, slide = run.contacts["push"], run.contacts["slide"]
    box = run.frame("box.base").position
    assert box[-1, 0] - box[0, 0] > 0.005
    assert push.normal.max() > 0.3 * 0.05 * G  # more than what friction of the table takes
    assert push.normal[-1] == 0  # let go
    assert np.abs(box[-1] - box[-10]).max() < 1e-5  # and it stays
    assert slide.normal[-1] == pytest.approx(0.05 * G, rel=0.02)


def test_what_one_link_gets_the_other_one_gives():
    def ball(name, x):
        return {
            "name": name,
            "parent": "base",
            "attach": {"pose": {"position": [x, 0, 0]}},
            "joint": {"type": "free"},
            "body": {"type": "rigid", "mass": 0.2, "inertia": [1e-4, 1e-4, 1e-4, 0, 0, 0]},
            "contact": {"shape": "sphere", "radius": 0.03},
        }

    robot = cuttle.Robot.from_dict(
        {
            "cuttle": 1,
            "gravity": [0, 0, 0],
            "links": [ball("left", 0), ball("right", 0.0599)],
            "contacts": [{"name": "hit", "a": "left", "b": "right", "modulus": 1e6, "friction": 0}],
        }
    )
    run = robot.simulate(duration=0.02, output_step=0.001, v=[0, 0, 0, 0, 0, 0, 0, 0, 0, -0.5, 0.1, 0])
    hit = run.contacts["hit"]
    assert hit.force[:, 0].min() < -1  # on the left one, which is pushed to the left
    assert run.v[:, 3:6] + run.v[:, 9:12] == pytest.approx(np.tile([-0.5, 0.1, 0], (len(run.time), 1)), abs=1e-3)
    with pytest.raises(cuttle.Error, match="found 'left' on both sides"):
        cuttle.Robot.from_dict(
            {
                "cuttle": 1,
                "links": [ball("left", 0)],
                "contacts": [{"name": "hit", "a": "left", "b": "left", "modulus": 1e6}],
            }
        )


@pytest.mark.parametrize("beside", [0.0, 0.062])  # over the side of the capsule, and over its end
def test_a_ball_lies_on_a_capsule_alike_whichever_is_a(beside):
    ball, bed = {"shape": "sphere", "radius": 0.01}, {"shape": "capsule", "radius": 0.02, "length": 0.1, "pose": {"rpy": [0, np.pi / 2, 0]}}
    modulus, weight = 1e6, 0.05 * G

    def sinks(a, b, of_world=False):
        body = {"type": "rigid", "mass": 0.05, "inertia": [1e-5, 1e-5, 1e-5, 0, 0, 0]}
        height = np.sqrt(0.03**2 - max(0, beside - 0.05) ** 2)
        robot = cuttle.Robot.from_dict({
            "cuttle": 1, "gravity": [0, 0, -G],
            "links": [{"name": "ball", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "attach": {"pose": {"position": [beside, 0, height]}}, "body": body, "contact": ball},
                      {"name": "bed", "parent": "base", "joint": {"type": "prismatic", "axis": [0, 1, 0], "stiffness": 1e3}, "body": body, "contact": bed}],
            "contacts": [{"name": "c", "a": a, "b": "floor" if of_world else b, "modulus": modulus, "friction": 0}],
            "obstacles": [{"name": "floor", **bed}]})
        return -robot.statics().q[0], robot

    depth, _ = sinks("ball", "bed")
    turned, robot = sinks("bed", "ball")
    assert turned == pytest.approx(depth, rel=1e-9)
    assert sinks("ball", "bed", of_world=True)[0] == pytest.approx(depth, rel=1e-9)
    if beside == 0:  # a point, with the radius of the ball
        assert weight == pytest.approx(4 / 3 * modulus * np.sqrt(0.01) * depth**1.5, rel=1e-7)
    run = robot.simulate(duration=0.01, output_step=0.005, q=[-turned, 0], v=[0, 0])
    assert run.contacts["c"].force[0][2] == pytest.approx(-weight, rel=1e-6)  # on side a, the capsule
