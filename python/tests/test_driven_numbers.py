"""Derivatives of runs by numbers of the driven motion itself: forward beside differences, and backwards beside forward,
with each integrator, and beside loops, contacts, controllers and numbers of other kinds."""

import numpy as np
import pytest

import cuttle
from contact_robots import METHODS, method, robot, start

EXPLICIT = ("rk4", "tsit5")
ARM = """cuttle: 1
name: shoulder
gravity: [0, 0, -9.81]
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0], tip: {position: [0, 0, -0.4]}}
  - name: lower
    joint: {type: revolute, axis: [0.6, 0.8, 0]}
    body: {type: rigid, mass: 0.7, com: [0, 0, -0.15], inertia: [0.006, 0.006, 0.001, 0, 0, 0]}
actuators: [{name: motor, type: joint, link: lower}]
"""
FOUR_BAR = """cuttle: 1
name: four_bar
gravity: [0, 0, -9.81]
links:
  - name: crank
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}
    body: {type: rigid, mass: 0.3, com: [0, 0, 0.1], inertia: [1e-3, 1e-3, 1e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}
  - name: coupler
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}
    body: {type: rigid, mass: 0.4, com: [0, 0, 0.15], inertia: [3e-3, 3e-3, 1e-4, 0, 0, 0], tip: {position: [0, 0, 0.3]}}
  - name: rocker
    parent: base
    attach: {pose: {position: [0.3, 0, 0]}}
    joint: {type: revolute, axis: [0, 1, 0], damping: 0.01}
    body: {type: rigid, mass: 0.3, com: [0, 0, 0.1], inertia: [1e-3, 1e-3, 1e-4, 0, 0, 0], tip: {position: [0, 0, 0.2]}}
loops: [{name: pin, type: revolute, axis: [0, 1, 0], a: {link: coupler, at: tip}, b: {link: rocker, at: tip}}]
"""


def check(of, by, values, keys_of, forward_within=1e-7, back_within=1e-8, step=1e-3):
    """by: paths.   keys_of: from their values to the keys of a run, and the robot."""
    robot_of = lambda numbers: (of, keys_of(numbers)) if not callable(of) else (of(numbers), keys_of(numbers))
    plain, keys = robot_of(values)
    forward = plain.sensitivities(["q", "v"], by=by, **keys)
    worth = np.cos(1 + np.arange(forward.values.shape[1]))
    found = worth @ forward.derivatives[-1]
    expected = np.zeros(len(by))
    for k, value in enumerate(values):
        h = step * (abs(value) or 1.0)

        def end(steps, k=k, value=value, h=h):
            other, its_keys = robot_of([*values[:k], value + steps * h, *values[k + 1 :]])
            return worth @ other.sensitivities(["q", "v"], by=[], **its_keys).values[-1]

        expected[k] = (45 * (end(1) - end(-1)) - 9 * (end(2) - end(-2)) + end(3) - end(-3)) / (60 * h)
    sizes = np.array([abs(value) or 1.0 for value in values])
    largest = np.abs(expected * sizes).max()
    assert largest > 1e-6
    assert found * sizes == pytest.approx(expected * sizes, abs=forward_within * largest)
    run = plain.rollout_function(["q", "v"], by=by, **{key: keys[key] for key in keys if key != "output_step"})
    _, back = run.vjp(*run.start)
    of_q, of_v = np.split(worth, [run.result_shapes["q"][0]])
    gradient = np.array([float(own) for own in back({"q": of_q, "v": of_v})])
    assert gradient * sizes == pytest.approx(found * sizes, abs=back_within * largest)


def sine(values, of=("amplitude", "frequency", "phase", "offset")):
    return {"type": "sine", **dict(zip(of, values))}


def of_arm(values, **more):
    a, f, phase, offset = values
    return {"duration": 0.15, "output_step": 0.15, "motion": {"upper": [sine(values)]}, "inputs": {"motor": 0.2},
            "q": [offset + a * np.sin(phase), 0.5], "v": [2 * np.pi * f * a * np.cos(phase), -0.7], **more}


BY_ARM = [f"simulation.motion.upper[0].{key}" for key in ("amplitude", "frequency", "phase", "offset")]


def chosen(name, step):
    """Steps that are chosen are others for other numbers: differences see that."""
    if name not in ("bdf", "erk"):
        return {"integrator": {"type": name, "step": step}}, {}
    return {"integrator": method(name, tolerance=1e-10)}, {"forward_within": 1e-5, "back_within": 1e-6}


@pytest.mark.parametrize("name", METHODS)
def test_of_a_joint(name):
    keys, within = chosen(name, 5e-3)
    check(cuttle.Robot.from_text(ARM), BY_ARM, [0.6, 1.1, 0.3, 0.2], lambda values: of_arm(values, **keys), **within)


@pytest.mark.parametrize("name", METHODS)
def test_of_a_base_that_moves_and_turns(name):
    keys, within = chosen(name, 1e-4 if name in EXPLICIT else 5e-3)
    keys["duration"] = keys["output_step"] = 0.02 if name in EXPLICIT else 0.05

    def of_base(values):
        along, frequency, roll, height = values
        return {"motion": {"base": {"position": [sine([along, frequency]), 0.02, height],
                                    "rpy": [sine([roll, 2.0, 0.3]), 0.1, sine([0.4, 1.5])]}}, **keys}

    place = "simulation.motion.base."
    check(cuttle.load(cuttle.example("shaken_arm")),
          [place + "position[0].amplitude", place + "position[0].frequency", place + "rpy[0].amplitude", place + "position[2]"],
          [0.03, 3.0, 0.3, 0.5], of_base, **within)


@pytest.mark.parametrize("name", ("newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving"))
def test_beside_a_loop(name):
    """The drive ends elsewhere; where it begins it does not move, so that the loop stays closed."""
    def of_drive(values):
        to, _ = values
        return {"duration": 0.2, "output_step": 0.2, "integrator": {"type": name, "step": 5e-3}, "q": [0.2, 1.2, 0.3],
                "motion": {"crank": [{"type": "quintic", "start": 0, "end": 0.3, "from": 0.2, "to": to}]}}

    def heavier(values):
        return cuttle.Robot.from_text(FOUR_BAR).with_({"links.rocker.body.mass": values[1]})

    check(heavier, ["simulation.motion.crank[0].to", "links.rocker.body.mass"], [0.9, 0.3], of_drive, back_within=1e-7)


@pytest.mark.parametrize("name", ("tsit5", "generalized_alpha", "midpoint", "energy_conserving"))
def test_beside_contacts(name):
    """A ball is pushed along the ground by a slide that is driven. It is pressed on it, and rubs from the start."""
    def of_drive(values):
        return {"duration": 0.01, "output_step": 0.01, "integrator": {"type": name, "step": 1e-5 if name == "tsit5" else 1e-4},
                "motion": {"slide": [{"type": "quintic", "start": 0, "end": 0.02, "from": 0, "to": values[0]}]}}

    def rougher(values):
        return robot("rigid", "fixed", "cart", friction=values[1], gap=-2e-5)

    check(rougher, ["simulation.motion.slide[0].to", "contacts.floor.friction"], [0.004, 0.5], of_drive, 1e-5, 1e-7)


PID = {"name": "servo", "type": "pid", "inputs": ["motor"], "reference": [0.4], "kp": 3, "kd": 0.2, "ki": 20}


@pytest.mark.parametrize("law", ({}, {"rate": 100}), ids=("at every instant", "with a clock"))
@pytest.mark.parametrize("name", ("rk4", "generalized_alpha", "energy_conserving"))
def test_beside_controllers_and_with_other_numbers(name, law):
    def of_all(values):
        kp, mass, motor, *drive = values
        keys = of_arm(drive, integrator={"type": name, "step": 2.5e-3}, controllers={**PID, **law, "kp": kp})
        return {**keys, "inputs": {"motor": motor}}

    by = ["simulation.controllers.servo.kp", "links.lower.body.mass", "simulation.inputs.motor", *BY_ARM]
    check(lambda values: cuttle.Robot.from_text(ARM).with_({"links.lower.body.mass": values[1]}), by,
          [3.0, 0.7, 0.2, 0.6, 1.1, 0.3, 0.2], of_all, 1e-6, 1e-6, step=3e-4)


@pytest.mark.parametrize("name", METHODS)
def test_beside_a_base_that_is_free(name):
    """Its quaternion leaves the sphere in stages, and nothing of the drive is to mind that."""
    of = cuttle.Robot.from_text("""cuttle: 1
name: fly
base: {motion: floating}
gravity: [0, 0, 0]
links:
  - {name: hub, body: {type: rigid, mass: 1, com: [0.01, 0.02, -0.02], inertia: [0.01, 0.012, 0.003, 0, 0, 0]}}
  - name: arm
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {type: rigid, mass: 0.3, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001, 0, 0, 0]}
""")
    keys, within = chosen(name, 2e-3)

    def of_drive(values):
        return {"duration": 0.2, "output_step": 0.2, "motion": {"arm": [sine(values)]},
                "v": [2, 3, 1, 0, 0, 0, 2 * np.pi * values[0] * values[1]], **keys}

    check(of, ["simulation.motion.arm[0].amplitude", "simulation.motion.arm[0].frequency"], [0.5, 1.0], of_drive, **within)


def test_frequencies_over_many_periods():
    """What is driven itself: 2 pi t a cos(2 pi f t)."""
    of, duration, a = cuttle.Robot.from_text(ARM), 60.0, 0.3
    for f in (2.0, 50.013):
        found = of.sensitivities(["upper.joint.q0"], by=["simulation.motion.upper[0].frequency"], duration=duration,
                                 output_step=duration, motion={"upper": [sine([a, f])]},
                                 integrator={"type": "generalized_alpha", "step": 0.05}).derivatives[-1]
        assert found[0, 0] == pytest.approx(2 * np.pi * duration * a * np.cos(2 * np.pi * f * duration), abs=1e-7 * duration)


def test_products_with_hessians_go_through_them():
    of, keys = cuttle.Robot.from_text(ARM), of_arm([0.6, 1.1, 0.3, 0.2], integrator={"type": "midpoint", "step": 5e-3})
    for key in ("output_step", "q", "v"):  # it begins where the drive does
        keys.pop(key)
    run = of.rollout_function("q", by=[BY_ARM], **keys)
    found = run.hvp([run.start[0]], [np.ones(4)], np.array([0.0, 1.0]))
    gradient = lambda h: run.vjp(run.start[0] + h)[1](np.array([0.0, 1.0]))[0]
    h = 1e-3
    assert found.product[0] == pytest.approx((8 * (gradient(h) - gradient(-h)) - gradient(2 * h) + gradient(-2 * h)) / (12 * h), rel=1e-6)


def test_says_what_is_no_number_of_the_drive():
    of, keys = cuttle.Robot.from_text(ARM), of_arm([0.6, 1.1, 0.3, 0.2], integrator={"type": "midpoint", "step": 5e-3})
    with pytest.raises(cuttle.ArgumentError, match=r"motion\.uper\[0\].*expected upper\[0\].*did you mean"):
        of.sensitivities(["q"], by=["simulation.motion.uper[0].amplitude"], **keys)
    with pytest.raises(cuttle.ArgumentError, match="amplitude"):
        of.sensitivities(["q"], by=["simulation.motion.upper[0].amplitud"], **keys)
    with pytest.raises(cuttle.ArgumentError, match=r"upper\[0\]\.value\[1\]: found a number that the signal cannot change alone"):
        bent = {"type": "points", "time": [0, 0.1, 0.2], "value": [0.1, 0.2, 0.3]}
        of.sensitivities(["q"], by=["simulation.motion.upper[0].value[1]"],
                         **{**keys, "motion": {"upper": [bent]}, "q": [0.1, 0.5], "v": [1.0, -0.7]})
    with pytest.raises(cuttle.ArgumentError, match="without driven motion"):
        of.sensitivities(["q"], by=BY_ARM[:1], **{**keys, "motion": None})
    moved = {"motion": {"crank": [sine([0.3, 1.0])]}, "q": [0.0, 1.2, 0.3], "duration": 0.05, "output_step": 0.05,
             "integrator": {"type": "midpoint", "step": 5e-3}}
    with pytest.raises(cuttle.ArgumentError, match="moves the closed loops"):
        cuttle.Robot.from_text(FOUR_BAR).sensitivities(["q"], by=["simulation.motion.crank[0].amplitude"], **moved)
