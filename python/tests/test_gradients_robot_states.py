"""Gradients back through states that are the robot's own: integrals of drones, lags of valves, bristles. Controllers may look at them,
at every instant or at samples."""

import numpy as np
import pytest

import cuttle

ROBOT = """
cuttle: 1
name: lift
materials:
  rubber: {{density: 1000, young_modulus: 1.0e6, poisson_ratio: 0.5, damping_time: 0.02}}
links:
  - name: arm
    joint: {{type: revolute, axis: [0, 1, 0]}}
    body: {{type: rigid, mass: 0.2, com: [0, 0, 0.1], inertia: [1.0e-3, 1.0e-3, 1.0e-4, 0, 0, 0], tip: {{position: [0, 0, 0.2]}}}}
  - name: rod
    body: {{type: rod, length: 0.3, section: {{shape: circle, radius: 0.01}}, material: rubber, quadrature: {{points: 6}}, strain: pcc}}
actuators:
  - {{name: motor, type: joint, link: arm}}
{}
"""
DRONE = """loads:
  - {type: drone, link: rod, linear_velocity: [{type: sine, amplitude: 0.3, frequency: 1.5}, 0, 0.1], proportional: [0.01, 2], integral: [0.05, 5]}
"""
VALVE = "  - {name: valve, type: linear, links: [arm], matrix: [[1]], lag: 0.02}\n"
WALL = """obstacles:
  - {name: wall, shape: plane, pose: {position: [0, 0, 0.508], rpy: [3.14159265358979, 0, 0]}}
contacts:
  - {name: touch, a: rod, b: wall, modulus: 1.0e5, friction: 0.5}
"""
COMMON = ["links.arm.body.mass", "materials.rubber.young_modulus", "links.rod.body.length"]
OF_DRONE = ["loads[0].proportional[1]", "loads[0].integral[1]", "loads[0].integral[0]"]
ROBOTS = {
    "drone": (DRONE, COMMON + OF_DRONE),
    "valve": (VALVE, COMMON + ["actuators.valve.lag"]),
    "valve drone": (VALVE + DRONE, COMMON + OF_DRONE + ["actuators.valve.lag"]),
    # by the length copies of laws stand deep in the wall, or beside it
    "wall": (WALL, COMMON[:2] + ["contacts.touch.friction"]),
    "wall drone": (DRONE + WALL, COMMON[:2] + OF_DRONE + ["contacts.touch.modulus"]),
}
TORQUE = {"name": "swing", "type": "computed_torque", "inputs": ["motor"], "links": ["arm"], "reference": [0.4], "kp": 50, "kd": 10}
PID = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.3], "kp": 2, "ki": 5, "kd": 0.1}
CONTROL = {
    "none": [],
    "torque": [TORQUE],
    "torque clock": [{**TORQUE, "rate": 200}],
    "torque clock limits": [{**TORQUE, "rate": 200, "limits": {"upper": 10, "lower": -10, "rate": 100}}],
    "pid torque clock": [PID, {**TORQUE, "rate": 200}],
    "torque clock pid": [{**TORQUE, "rate": 200}, PID],
    "two clocks": [{**TORQUE, "rate": 200, "delay": 0.002}, {**PID, "rate": 150}],
}
FIXED = {"type": "generalized_alpha", "step": 4e-3}
METHODS = {
    "generalized_alpha": FIXED,
    "newmark": {"type": "newmark", "step": 4e-3},
    "hht": {"type": "hht", "step": 4e-3},
    "midpoint": {"type": "midpoint", "step": 4e-3},
    "energy_conserving": {"type": "energy_conserving", "step": 4e-3},
    "rk4": {"type": "rk4", "step": 2.5e-4},
    "tsit5": {"type": "tsit5", "step": 2.5e-4},
    "bdf": {"type": "bdf", "relative_tolerance": 1e-9, "absolute_tolerance": 1e-11},
    "erk": {"type": "erk", "relative_tolerance": 1e-9, "absolute_tolerance": 1e-11},
}
V = [0.3, 0.2, -0.1, 0.1]
WORTH = {"q": np.cos(1 + np.arange(4)), "v": np.sin(1 + np.arange(4))}


def made(robot, control, method):
    lines, paths = ROBOTS[robot]
    of = cuttle.Robot.from_text(ROBOT.format(lines))
    keys = {"duration": 0.06, "output_step": 0.03, "v": V, "controllers": CONTROL[control], "integrator": METHODS[method]}
    if "valve" in robot:  # whose jump stops the run where no step would end
        keys["inputs"] = {"valve.0": ([0, 0.0173, 0.1], [0.5, 0.1, -0.5])}
    return of, paths, keys


def both_ways(robot, control, method):
    of, paths, keys = made(robot, control, method)
    forward = np.concatenate(list(WORTH.values())) @ of.sensitivities(["q", "v"], by=paths, **keys).derivatives[-1]
    run = of.rollout_function(["q", "v"], by=[paths], **keys)
    _, back = run.vjp(*run.start)
    return forward, np.array(back(WORTH)[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("control", ["none", "torque", "torque clock"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_they_are_those_forward(robot, control, method):
    forward, backward = both_ways(robot, control, method)
    chooses = method in ("bdf", "erk")
    # with friction what bdf and erk find hangs on their tolerance (docs/contact.md)
    most = (1e-4 if "wall" in robot else 1e-7) if chooses else (1e-5 if "wall" in robot else 1e-9)
    assert backward == pytest.approx(forward, abs=most * np.abs(forward).max(), rel=0)


@pytest.mark.parametrize("method", ["generalized_alpha", "rk4"])
@pytest.mark.parametrize("control", ["torque clock limits", "pid torque clock", "torque clock pid", "two clocks"])
def test_they_go_through_chains_of_laws(control, method):
    forward, backward = both_ways("valve drone", control, method)
    assert backward == pytest.approx(forward, abs=1e-9 * np.abs(forward).max(), rel=0)


@pytest.mark.parametrize("control", ["none", "torque clock"])
@pytest.mark.parametrize("robot", ["drone", "valve drone"])
def test_they_are_differences_of_runs(robot, control):
    of, paths, keys = made(robot, control, "rk4")
    _, backward = both_ways(robot, control, "rk4")

    def end(path, value):
        run = of.with_({path: value}).simulate(**keys)
        return WORTH["q"] @ run.q[-1] + WORTH["v"] @ run.v[-1]

    for path, slope in zip(paths, backward, strict=True):
        value = of.parameters()[path].value
        h = 1e-3 * value
        across = [end(path, value + k * h) - end(path, value - k * h) for k in (1, 2, 3)]
        difference = (45 * across[0] - 9 * across[1] + across[2]) / (60 * h)
        assert slope == pytest.approx(difference, abs=1e-9 * np.abs(backward * [of.parameters()[p].value for p in paths]).max() / value)


def test_of_second_order_through_integrals_of_drones():
    of, paths, keys = made("drone", "none", "generalized_alpha")
    run = of.rollout_function(["q", "v"], by=[paths], **keys)
    numbers = np.array(run.start[0])
    along = 0.1 * numbers

    def gradient(by):
        _, back = run.vjp(numbers + by * along)
        return np.array(back(WORTH)[0])

    found = run.hvp([numbers], [along], WORTH).product[0]
    h = 0.01
    difference = (45 * (gradient(h) - gradient(-h)) - 9 * (gradient(2 * h) - gradient(-2 * h)) + gradient(3 * h) - gradient(-3 * h)) / (60 * h)
    assert found == pytest.approx(difference, abs=1e-7 * np.abs(difference).max())
