"""What jumps where a run ends, at a sample or between two steps: whoever leads the run, it acts from there on, not before.

A mass of 1 kg that 1 N pushes until T moves at T then, however the motion is found.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import cuttle

METHODS = ["generalized_alpha", "newmark", "hht", "midpoint", "energy_conserving", "rk4", "tsit5", "bdf", "erk"]
FIXED = METHODS[:-2]
ENDS = [0.1, 0.3, 0.7]  # of which sums of steps are one rounding off, to either side


def jump(time, after=-1.0):
    return {"type": "step", "time": time, "before": 1.0, "after": after}


def mass(**keys):
    return cuttle.Robot.from_dict({
        "gravity": [0, 0, 0],
        "links": [{"name": "cart", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"type": "rigid", "mass": 1.0}}],
        "actuators": [{"name": "motor", "type": "joint", "link": "cart"}], **keys})


def loaded(time):
    return mass(loads=[{"type": "wrench", "link": "cart", "force": [jump(time), 0, 0]}])


def law(**keys):
    return {"controllers": [{"name": "law", **keys}]}


PUSHED = {
    "input": lambda end: (mass(), {"inputs": {"motor": jump(end)}}),
    "load": lambda end: (loaded(end), {}),
    "window": lambda end: (mass(), law(type="feed_forward", inputs={"motor": 1.0}, window=[0, end])),
    "gain": lambda end: (mass(), law(type="pid", inputs=["motor"], reference=[jump(end)], kp=1.0)),
}
INTEGRATORS = {method: {"type": method} if method in ("bdf", "erk") else {"type": method, "step": 0.01} for method in METHODS}


@pytest.mark.parametrize("by", PUSHED)
@pytest.mark.parametrize("method", METHODS)
def test_what_jumps_at_the_end_acts_in_no_step_before(method, by):
    for end in ENDS:
        robot, keys = PUSHED[by](end)
        keys |= {"integrator": INTEGRATORS[method]}
        longer = robot.simulate(end + 0.2, output_step=end, **keys)
        wanted = longer.v[1, 0]
        if by != "gain":  # which pulls back by the way
            assert wanted == pytest.approx(end, abs=2e-6)
        for output_step in (0.01, end):
            run = robot.simulate(end, output_step=output_step, **keys)
            assert run.v[-1, 0] == pytest.approx(wanted, abs=1e-6 if method in ("bdf", "erk") else 1e-13)
            if output_step == end:  # the row, too, is that of the longer run
                np.testing.assert_allclose(run.u[-1], longer.u[1], atol=1e-7)
        function = robot.rollout_function("v", by="v", duration=end, **keys)
        assert function([0.0]) == pytest.approx(wanted, abs=1e-6)
        found = robot.sensitivities("v", "simulation.initial.cart.v[0]", duration=end, **keys)
        assert found.values[0, 0] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("by", PUSHED)
@pytest.mark.parametrize("method", ["rk4", "tsit5"])
def test_roll_outs_end_as_runs_do(method, by):
    for end in ENDS:
        robot, keys = PUSHED[by](end)
        alone = robot.simulate(end, integrator=INTEGRATORS[method], output_step=end, **keys).v[-1, 0]
        for output in ({}, {"output_step": 0.01}):
            many = robot.rollouts(np.zeros((3, 1)), duration=end, step=0.01, method=method, **keys, **output)
            np.testing.assert_allclose(many.v, alone, atol=1e-13)
            if by in ("input", "load"):
                signals = {"motor": cuttle.Signal.step(end, 1.0, -1.0)} if by == "input" else {}
                batch = cuttle.Batch(robot.model, 3)
                lanes = batch.rollout(np.zeros((3, 1)), np.zeros((3, 1)), duration=end, step=0.01, method=method,
                                      inputs=signals, **output)
                np.testing.assert_allclose(lanes.v, alone, atol=1e-13)
                half = batch.rollout(np.zeros((3, 1)), np.zeros((3, 1)), duration=end / 2, step=0.01, method=method,
                                     inputs=signals)
                rest = batch.rollout(half.q, half.v, start=end / 2, duration=end / 2, step=0.01, method=method,
                                     inputs=signals, **output)
                np.testing.assert_allclose(rest.v, alone, atol=1e-13)


@pytest.mark.parametrize("by", ["input", "load"])
@pytest.mark.parametrize("method", ["rk4", "tsit5"])
def test_runs_in_lanes_end_as_runs_do(method, by, tmp_path):
    """Rows of a sweep, eight at a time: m v = T."""
    for end in ENDS:
        loads = f"loads: [{{type: wrench, link: cart, force: [{json.dumps(jump(end))}, 0, 0]}}]" if by == "load" else ""
        (tmp_path / "mass.yaml").write_text(f"""
cuttle: 1
gravity: [0, 0, 0]
links: [{{name: cart, joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{type: rigid, mass: 1}}}}]
actuators: [{{name: motor, type: joint, link: cart}}]
{loads}
""")
        inputs = f"  inputs: {{motor: {json.dumps(jump(end))}}}" if by == "input" else ""
        (tmp_path / "run.yaml").write_text(f"""
cuttle: 1
robot: mass.yaml
simulation:
  duration: {end}
  output_step: 0.01
  integrator: {{type: {method}, step: 0.01}}
{inputs}
""")
        found = cuttle.sweep(tmp_path / "run.yaml", {"links.cart.body.mass": "1:3:9"}, keep=["cart.joint.v0"])
        assert not found.failed and {row["run_as"] for row in found.rows} <= {"lanes", "simulate"}
        for row in found.rows:
            assert row["parameters"][0] * row["outputs"][-1] == pytest.approx(end, abs=1e-12), row


@pytest.mark.parametrize("method", FIXED)
def test_driven_coordinates_end_as_in_a_longer_run(method):
    links = [{"name": name, "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"type": "rigid", "mass": 1.0}}
             for name in ("cart", "free")]
    robot = cuttle.Robot.from_dict({"gravity": [0, 0, 0], "links": links})
    for end in ENDS:
        keys = {"motion": {"cart": [{"type": "cubic", "start": 0, "end": end, "to": 0.1}]}, "integrator": INTEGRATORS[method]}
        short, longer = robot.simulate(end, output_step=0.01, **keys), robot.simulate(2 * end, output_step=0.01, **keys)
        np.testing.assert_allclose(short.v[-1], longer.v[len(short.time) - 1], atol=1e-13)


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("end", ENDS)
def test_steps_end_where_loads_jump(method, end):
    robot = loaded(end)
    f = robot.dynamics(integrator=method, step=0.01)
    assert np.isfinite(f.linearise_step([0, end - 0.01], [0.0], end - 0.01).A).all()
    steps = round(end / 0.01)
    way = f.rollout([0.0, 0.0], np.zeros((2 * steps, 1)), 0.0)
    run = robot.simulate(2 * end, output_step=0.01, integrator=INTEGRATORS[method])
    np.testing.assert_allclose(way[:, 1], run.v[:, 0], atol=1e-12)
    assert way[steps, 1] == pytest.approx(end, abs=1e-12)
    # rates are those of the instant again
    assert f(0.0, [0.0, 0.0], [0.0])[1] == pytest.approx(1.0)
    assert f(2 * end, [0.0, 0.0], [0.0])[1] == pytest.approx(-1.0)


@pytest.mark.parametrize("method", FIXED)
def test_a_step_goes_over_a_jump_in_two(method):
    f = loaded(0.013).dynamics(integrator=method, step=0.01)
    end = f.step([0.0, 0.01], [0.0], 0.01)
    assert end[1] == pytest.approx(0.01 + 0.003 - 0.007, abs=1e-12)


@pytest.mark.parametrize("method", FIXED)
def test_steps_before_time_zero_see_jumps_too(method):
    push = {"type": "wrench", "link": "cart", "force": [{"type": "step", "time": 0.0, "before": 0.0, "after": 100.0}, 0, 0]}
    robot = mass(loads=[{"type": "wrench", "link": "cart", "force": [jump(-0.006), 0, 0]}, push])
    f = robot.dynamics(integrator=method, step=0.01)
    assert f.step([0.0, 0.0], [0.0], -0.01)[1] == pytest.approx(0.004 - 0.006, abs=1e-12)
    assert f.step([0.0, 0.0], [0.0], -0.004)[1] == pytest.approx(-0.01 + 0.6, abs=1e-12)


def swung(base="fixed", **keys):
    """Two hinges, or a floating link and one, pushed by a load that jumps at 13 ms and bends at 16 ms."""
    body = {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.2], "inertia": [2e-2, 2e-2, 1e-2, 0, 0, 0]}
    bend = {"type": "ramp", "start": 0.016, "end": 0.1, "from": 0, "to": 30}
    links = [{"name": "upper", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": body},
             {"name": "lower", "joint": {"type": "revolute", "axis": [1, 0, 0]}, "body": body,
              "attach": {"pose": {"position": [0, 0, -0.4]}}}]
    if base == "floating":
        del links[0]["joint"]
        keys["base"] = {"motion": "floating"}
    keys.setdefault("actuators", [{"name": "motor", "type": "joint", "link": "lower"}])
    return cuttle.Robot.from_dict({
        "links": links,
        "loads": [{"type": "wrench", "link": "lower", "force": [jump(0.013, after=-4.0), bend, 0.1], "at": {"point": [0, 0.1, -0.4]}}], **keys})



@pytest.mark.parametrize("kind", ["plain", "floating", "lagging"])
@pytest.mark.parametrize("method", FIXED)
def test_a_linearised_step_goes_over_a_jump_and_a_bend_in_three(method, kind):
    valve = {"name": "valve", "type": "linear", "links": ["lower"], "matrix": [[1.0]], "lag": 0.02}
    keys = {"actuators": [valve]} if kind == "lagging" else {}
    robot = swung("floating" if kind == "floating" else "fixed", **keys)
    f = robot.dynamics(integrator=method, step=0.01)
    n, m = robot.nq, robot.nv
    x, u = f.reset(), np.array([0.7])
    x[n - 1] = 0.4
    x[n : n + m] = np.linspace(0.5, 1.0, m)
    after = f.step(x, u, 0.01)

    def moved(change):
        q = cuttle.integrate(robot.model, x[:n], change[:m])
        end = f.step(np.concatenate([q, x[n:] + change[m : f.ndx]]), u + change[f.ndx :], 0.01)
        return np.concatenate([cuttle.difference(robot.model, after[:n], end[:n]), end[n:] - after[n:]])

    slopes = f.linearise_step(x, u, 0.01)
    found = np.hstack([slopes.A, slopes.B])
    h = 1e-4
    wanted = np.column_stack([(8 * (moved(h * e) - moved(-h * e)) - moved(2 * h * e) + moved(-2 * h * e)) / (12 * h)
                              for e in np.eye(f.ndx + 1)])
    np.testing.assert_allclose(found, wanted, atol=2e-8 * np.abs(wanted).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("time, sample", [(0.1 + 0.2, 0.3), (0.3, 0.3 - 1e-15), (0.3, 0.3), (0.3 + 1e-15, 0.3), (0.3, 0.1 + 0.2)])
def test_samples_beside_a_jump_are_reached(method, time, sample):
    script = f"""if True:
        import sys; sys.path.insert(0, {sys.path[0]!r})
        from test_jumps import *
        robot = mass()
        run = {{"inputs": {{"motor": jump({time!r})}}, "duration": 0.5, "integrator": INTEGRATORS[{method!r}]}}
        found = robot.sensitivities("v", "simulation.initial.cart.v[0]", times=[{sample!r}, 0.5], **run)
        assert abs(found.values[0, 0] - 0.3) < 2e-6 and abs(found.values[1, 0] - 0.1) < 2e-6, found.values
        assert abs(found.derivatives[:, 0] - 1).max() < 1e-6, found.derivatives"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_roll_outs_refuse_what_they_do_not_do():
    robot, q = mass(), np.zeros((2, 1))
    given = {"motion": {"cart": 0.1}, "statics": {"motor": 1.0}, "integrator": "rk4", "strict": True, "energy_error_limit": 0.1,
             "initial": {}}
    for key, value in given.items():
        for call in (lambda **keys: robot.rollouts(q, duration=0.1, **keys),
                     lambda **keys: robot.rollout_derivatives("initial.cart.v[0]", q, duration=0.1, **keys)):
            with pytest.raises(cuttle.errors.ArgumentError, match=f"found '{key}', expected one of controllers"):
                call(**{key: value})
