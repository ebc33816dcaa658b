"""Laws that know the friction of the tendons that they drive: what they command, in closed form, and its derivatives."""

import numpy as np
import pytest

import cuttle

KP, KD, FREQUENCY = 100.0, 25.0, 2.0
TIGHT = {"type": "bdf", "relative_tolerance": 1e-9, "absolute_tolerance": 1e-11}


def sines(*amplitudes):
    return [{"type": "sine", "amplitude": a, "frequency": FREQUENCY} for a in amplitudes]


def finger(friction, slack="allow", drive={}, **rub):
    """A joint with a motor, and a finger that tendons bend towards four sides: with friction in three of them."""
    body = {"type": "rigid", "mass": 0.05, "com": [0, 0, 0.05], "inertia": [5e-5, 5e-5, 1e-6, 0, 0, 0]}
    rod = {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.006}, "material": "soft",
           "quadrature": {"points": 4}, "strain": {"kappa_x": "constant", "kappa_y": "constant"}}
    pull = drive or {"slack": slack}
    offsets = {"x": [0.007, 0.001], "y": [0.002, 0.007], "minus_x": [-0.007, 0], "minus_y": [0, -0.007]}
    tendons = [{"name": name, "type": "tendon", **pull, "routing": [{"link": "finger", "offset": offset}]} for name, offset in offsets.items()]
    element = {"name": "rub", "type": "tendon_friction", "actuators": ["x", "y", "minus_x"], "coefficient": friction, **rub}
    return cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, -9.81], "base": {"pose": {"rpy": [np.pi, 0, 0]}},
        "materials": {"soft": {"density": 1100, "young_modulus": 2e5, "poisson_ratio": 0.3, "damping_time": 2e-2}},
        "links": [{"name": "upper", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.003}, "body": body},
                  {"name": "finger", "attach": {"pose": {"position": [0, 0, 0.1]}}, "body": rod}],
        "actuators": [{"name": "motor", "type": "joint", "link": "upper"}, *tendons],
        "elements": [element] if friction else []})


def closed_form(times, e, rate):
    """Of e'' + KD e' + KP e = 0."""
    roots = np.roots([1, KD, KP])
    parts = np.linalg.solve(np.array([[1, 1], roots]), [e, rate])
    return (np.exp(np.outer(times, roots)) @ parts).real


def law(kind, inputs, amplitudes, **more):
    return {"name": "c", "type": kind, "inputs": inputs, "reference": sines(*amplitudes), "kp": KP, "kd": KD, **more}


LAWS = {"partial_feedback_linearization": (["x", "y"], (2e-3, -1.5e-3)), "computed_torque": (["motor", "x", "y"], (0.2, 0.2, -0.3))}
BOTH_SIGNS = [{"slack": "allow"}, {"slack": "allow", "sliding": "none", "range": 0.02}]


@pytest.mark.parametrize("before", [0.0, 0.03, -0.03])
@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("keys", BOTH_SIGNS)
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_errors_follow_their_closed_form(friction, keys, kind, before):
    inputs, amplitudes = LAWS[kind]
    run = finger(friction, **keys).simulate(0.4, inputs={"x": before, "minus_x": before}, controllers=[law(kind, inputs, amplitudes)],
                                            integrator=TIGHT, output_step=0.01)
    told = run.controllers["c"]
    tension = told.output[:, [inputs.index("x"), inputs.index("y")]] + [before, 0.0]
    assert (tension.min(axis=0) < -0.01).all() and (tension.max(axis=0) > 0.01).all()
    for error, amplitude in zip(np.transpose(told.error), amplitudes):
        rate = 2 * np.pi * FREQUENCY * amplitude
        assert np.abs(error - closed_form(run.time, 0.0, rate)).max() < 1e-8 * abs(rate)


@pytest.mark.parametrize("keys", [{"slack": "clip"}, {"drive": {"drive": "length", "stiffness": 500, "pretension": 5, "range": 0.1}}])
@pytest.mark.parametrize("kind", LAWS)
def test_tendons_that_only_pull(kind, keys):
    """By what they pull already, or against each other."""
    inputs, amplitudes = LAWS[kind]
    held = {} if "drive" in keys else {name: 2.0 for name in ("x", "y", "minus_x", "minus_y")}
    if kind == "computed_torque":
        inputs, held = [*inputs, "minus_x", "minus_y"], {}
    run = finger(0.3, **keys).simulate(0.4, inputs=held, controllers=[law(kind, inputs, amplitudes)], integrator=TIGHT, output_step=0.01)
    told = run.controllers["c"]
    for error, amplitude in zip(np.transpose(told.error), amplitudes):
        rate = 2 * np.pi * FREQUENCY * amplitude
        assert np.abs(error - closed_form(run.time, 0.0, rate)).max() < 1e-7 * abs(rate)


def test_a_limit_of_one_tendon_is_no_error_of_the_other():
    """y'' of the inputs that no bound holds is as commanded."""
    limited = law("partial_feedback_linearization", ["x", "y"], LAWS["partial_feedback_linearization"][1],
                  limits={"lower": [-0.02, -5], "upper": [0.02, 5]})
    run = finger(0.3).simulate(0.4, controllers=[limited], integrator=TIGHT, output_step=0.01)
    told = run.controllers["c"]
    rates = 2 * np.pi * FREQUENCY * np.array(LAWS["partial_feedback_linearization"][1])
    off = [np.abs(error - closed_form(run.time, 0.0, rate)).max() / abs(rate) for error, rate in zip(np.transpose(told.error), rates)]
    assert np.abs(told.output[:, 0]).max() == 0.02 and off[0] > 1e-3
    assert off[1] < 1e-7


@pytest.mark.parametrize("inputs", [["motor", "x", "y"], ["motor", "x", "y", "minus_x", "minus_y"]])
def test_a_frame_moves_as_without_friction(inputs):
    impedance = {"name": "c", "type": "operational_space", "inputs": inputs, "frame": "finger.tip", "nullspace_damping": 1e-3,
                 "reference": {"position": [*sines(0.05, 0.03), 0]}, "stiffness": [0, 0, 0, 20, 20, 0], "damping": [0, 0, 0, 0.5, 0.5, 0]}
    keys = {"duration": 0.4, "q": [0.1, 1.0, -2.0], "controllers": [impedance], "integrator": TIGHT, "output_step": 0.01}
    without, rubs = finger(0.0).simulate(**keys), finger(0.3).simulate(**keys)
    x = [run.controllers["c"].output[:, inputs.index("x")] for run in (without, rubs)]
    assert np.abs(x[0] - x[1]).max() > 0.01 * np.abs(x[0]).max()
    assert np.abs(without.q - rubs.q).max() < 1e-7 * np.abs(without.q).max()


@pytest.mark.parametrize("method", ["generalized_alpha", "rk4"])
@pytest.mark.parametrize("kind", LAWS)
def test_derivatives_of_runs_are_differences(kind, method):
    inputs, amplitudes = LAWS[kind]
    robot = finger(0.3, sliding="none", range=0.05)
    paths = ["elements.rub.coefficient", "materials.soft.young_modulus", "simulation.controllers.c.kp[0]"]

    def keys(change=()):
        gain = [KP * (1 + dict(change).get(paths[2], 0.0))] + [KP] * (len(amplitudes) - 1)
        return {"duration": 0.1, "q": [0.1, -1.0, 2.0], "times": [0.05, 0.1], "inputs": {"x": 0.1, "minus_x": 0.1, "y": 0.05},
                "integrator": {"type": method, "step": 1e-3}, "controllers": [{**law(kind, inputs, amplitudes), "kp": gain}]}

    found = robot.sensitivities(["q", "u"], by=paths, **keys())
    for k, path in enumerate(paths):
        value = (0.3, 2e5, KP)[k]

        def at(change):
            changed = robot if value == KP else robot.with_({path: value * (1 + change)})
            return np.asarray(changed.sensitivities(["q", "u"], by=[], **keys([(path, change)])).values)

        h = 1e-3
        difference = (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) / (60 * h)
        slope = np.asarray(found.derivatives)[..., k] * value
        assert np.abs(slope - difference).max() < 1e-7 * np.abs(difference).max(), path


def test_rollouts_are_runs():
    robot, starts = finger(0.3), np.array([[0.1, -1.0, 2.0], [-0.2, 0.5, 1.0]])
    laws = [law("computed_torque", *LAWS["computed_torque"])]
    end = robot.rollouts(starts, duration=0.1, step=1e-3, output_step=0.05, controllers=laws)
    for q, samples in zip(starts, end.q_samples):
        alone = robot.simulate(0.1, q=q, output_step=0.05, controllers=laws, integrator={"type": "tsit5", "step": 1e-3})
        assert np.array_equal(alone.q, samples)
