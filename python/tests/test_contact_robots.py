"""What the robots of models/contact claim that C++ does not test yet: inchworm, arm on a wall, wire in a tube, drone."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
G = 9.81


def run_of(name, *changes):
    return cuttle.simulate(MODELS / f"{name}_scenario.yaml", *changes)


def test_the_inchworm_goes_on_by_the_same_way_with_each_arch():
    run = run_of("inchworm")
    rows = [int(round(t / 0.02)) for t in (1.0, 2.0, 3.0)]  # flat again
    head, tail = run.frame("body.tip").position[rows, 0], run.q[rows, 0]
    strides = np.diff(head)
    assert np.all(strides > 5e-3)  # of a body of 120 mm
    assert strides[1] == pytest.approx(strides[0], rel=1e-3)
    assert np.diff(tail) == pytest.approx(strides, rel=1e-3)
    # with the skin turned round it goes as far the other way: rod, muscle and ground have no direction of their own
    robot = (MODELS / "inchworm.yaml").read_text(encoding="utf-8")
    assert "forward: 0.2, backward: 0.8" in robot
    turned = cuttle.Robot.from_text(robot.replace("forward: 0.2, backward: 0.8", "forward: 0.8, backward: 0.2"))
    back = turned.simulate(
        duration=2,
        output_step=1,
        integrator={"type": "generalized_alpha", "step": 1e-3, "rho_inf": 0.6},
        inputs={"belly.0": {"type": "sine", "amplitude": 2.5e-3, "frequency": 1, "offset": 2.5e-3, "phase": -np.pi / 2}},
    )
    assert back.frame("body.tip").position[2, 0] - back.frame("body.tip").position[1, 0] == pytest.approx(-strides[0], rel=1e-2)


def test_the_arm_reaches_farther_on_the_wall():
    run = run_of("leaning_arm")
    leaning = run.frame("arm.tip").position[-1]
    assert np.abs(run.v[-1]).max() < 1e-5
    assert run.contacts["lean"].normal[-1] > 0.05
    text = (MODELS / "leaning_arm.yaml").read_text(encoding="utf-8")
    free = cuttle.Robot.from_text(text.split("obstacles:")[0]).statics()
    assert free.stable
    assert leaning[2] > free.frame("arm.tip").position[2] + 0.3
    assert leaning[0] + 0.008 == pytest.approx(0.11, abs=1e-3)  # its skin at the wall


def test_the_wire_meets_friction_and_then_the_end_of_the_tube():
    run = run_of("wire_in_tube")
    push, wall = run.columns["motion.feed.joint.q0"], run.contacts["wall"]
    sliding = (run.time > 0.1) & (run.time < 1.9)
    mass = 0.05 + 6450 * np.pi * 0.0004**2 * 0.3
    acceleration = 0.1897 * (6 - 6 * run.time) / 4  # of the cubic from 0 to 2 s
    # the motor accelerates feed and wire, and pushes against friction
    assert push[sliding] == pytest.approx(0.3 * wall.normal[sliding] + mass * acceleration[sliding], rel=5e-3, abs=1e-6)
    assert wall.friction[sliding] == pytest.approx(0.3 * wall.normal[sliding], rel=1e-4)
    assert np.ptp(wall.friction[sliding]) < 1e-3 * wall.friction[sliding].max()  # the same at each length
    assert push[-1] > 20 * wall.friction[sliding].max()  # the end
    assert run.frame("wire.tip").position[-1, 0] + 0.0004 == pytest.approx(0.49, abs=2e-4)


def test_the_leg_takes_the_drone_down_softly():
    run = run_of("landing_drone")
    foot = run.contacts["foot"]
    mass = 0.6 + 1100 * np.pi * 0.18 * (0.008**2 + 0.008 * 0.007 + 0.007**2) / 3
    assert foot.normal[-1] == pytest.approx(mass * G, rel=0.02)  # the leg still creeps
    assert run.v[-1, :6] == pytest.approx(0, abs=0.02)
    assert foot.gap.min() > -0.002  # it stays above the ground
    assert run.frame("drone.base").position[-1, 2] > 0.02
    turned = run.frame("drone.base").orientation
    assert np.abs(turned[:, 1:3]).max() < 0.05
    # the shock is some weights, where a rigid leg of 1e7 N/m has sqrt(k m) v / (m g) = hundreds
    assert foot.normal.max() < 5 * mass * G
