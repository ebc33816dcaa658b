"""Roll-outs of many robots with controllers, and their derivatives; parameters from data."""

import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cuttle

PENDULUM = {
    "name": "pendulum",
    "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
               "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.3], "inertia": [0.03, 0.03, 1e-3, 0, 0, 0]}}],
    "actuators": [{"name": "motor", "type": "joint", "link": "arm"}],
}
HOLD = {"name": "hold", "type": "pid", "reference": [0.4], "kp": 20, "kd": 3}


@pytest.fixture(scope="module")
def pendulum():
    return cuttle.Robot.from_dict(PENDULUM)


def test_rollouts_are_those_of_each_robot_alone(pendulum):
    masses = np.array([0.5, 1.0, 2.0])
    starts = np.array([[0.3], [-0.2], [0.1]])
    end = pendulum.rollouts(starts, parameters={"links.arm.body.mass": masses}, duration=0.5, step=1e-3, output_step=0.1,
                            controllers=[HOLD])
    assert end.failures == ["", "", ""] and end.q_samples.shape == (3, 6, 1) and end.u_samples.shape == (3, 6, 1)
    for i, mass in enumerate(masses):
        alone = pendulum.with_({"links.arm.body.mass": mass}).simulate(
            duration=0.5, q=starts[i], output_step=0.1, controllers=[HOLD], integrator={"type": "tsit5", "step": 1e-3})
        assert np.array_equal(alone.q, end.q_samples[i])
        assert np.array_equal(alone.u, end.u_samples[i])


def test_derivatives_are_differences(pendulum):
    starts = np.array([[0.3], [-0.2]])
    held = np.array([[[0.1], [0.4]], [[0.2], [-0.3]]])
    keys = {"duration": 0.4, "step": 2e-3, "controllers": [HOLD]}
    by = ["simulation.controllers.hold.kp", "links.arm.body.mass", "held_inputs[1].motor"]
    found = pendulum.rollout_derivatives(by, starts, held_inputs=held, **keys)
    assert found.values.shape == (2, 1, 2) and found.derivatives.shape == (2, 1, 2, 3)

    def q_of(gain=20.0, mass=1.0, more=0.0):
        law = {**HOLD, "kp": gain}
        end = pendulum.rollouts(starts, parameters={"links.arm.body.mass": [mass, mass]},
                                held_inputs=held + np.array([[0.0], [more]]), **{**keys, "controllers": [law]})
        return end.q[:, 0]

    assert np.allclose(q_of(), found.values[:, 0, 0], rtol=0, atol=1e-12)
    for k, (name, step, at) in enumerate((("gain", 1e-2, 20.0), ("mass", 1e-3, 1.0), ("more", 1e-3, 0.0))):
        difference = (q_of(**{name: at + step}) - q_of(**{name: at - step})) / (2 * step)
        assert np.allclose(found.derivatives[:, 0, 0, k], difference, rtol=1e-5, atol=1e-9), name


def test_refuses_what_runs_alone(pendulum):
    with pytest.raises(cuttle.ArgumentError, match="one robot at a time"):
        pendulum.rollouts([[0.1]], controllers=[cuttle.Controller(lambda t, q, v: 0.0, rate=10)])
    with pytest.raises(cuttle.ArgumentError, match="q: found 2 x 3"):
        pendulum.rollouts(np.zeros((2, 3)))


@pytest.mark.parametrize("given, words", [
    ({"controllers": cuttle.Controller(lambda t, q, v: 0.0, rate=10)}, "controllers: found a function of Python, .* expected keys of a file"),
    ({"controllers": lambda t, q, v: 0.0}, "controllers: found a function, expected controllers"),
    ({"controllers": None}, "controllers: found a NoneType, expected controllers"),
    ({"parameters": {"links.arm.body.mass": [1.0, 2.0, 3.0]}},
     r"parameters\['links.arm.body.mass'\]: found shape \(3,\), expected \(2,\), one a robot"),
    ({"parameters": {"links.arm.body.mass": [[1.0], [2.0]]}}, r"found shape \(2, 1\), expected \(2,\), one a robot"),
    ({"engine": "threads"}, "engine: found 'threads', expected None, an executor of concurrent.futures, .* or its address"),
])
def test_wrong_arguments_are_named(pendulum, given, words):
    with pytest.raises(cuttle.ArgumentError, match=words):
        pendulum.rollouts([[0.1], [0.2]], **given)


def test_controllers_may_be_one_or_come_one_by_one(pendulum):
    starts, keys = [[0.1], [0.2], [0.3]], {"duration": 0.1, "step": 1e-2}
    expected = pendulum.rollouts(starts, controllers=[HOLD], **keys)
    for given in (HOLD, iter([HOLD])):
        assert pendulum.rollouts(starts, controllers=given, engine=ThreadPoolExecutor(2), **keys) == expected


def test_identify_and_compare_run_on_motions(pendulum, tmp_path):
    pendulum.save(tmp_path / "pendulum.yaml")
    (tmp_path / "swing_scenario.yaml").write_text(
        "cuttle: 1\nrobot: pendulum.yaml\nsimulation: {duration: 1, output_step: 0.02, initial: {arm: {q: [0.8]}},"
        " integrator: {type: generalized_alpha, step: 0.01}}\n")
    run = cuttle.simulate(tmp_path / "swing_scenario.yaml", "robot.links.arm.joint.damping=0.05")
    rows = "\n".join(f"{1e3 * t!r},{q[0]!r}" for t, q in zip(run.time.tolist(), run.q.tolist()))
    (tmp_path / "swing.csv").write_text("time_ms,angle\n" + rows + "\n")
    columns = {"time_ms": "time*0.001", "angle": "arm.joint.q0"}
    found = cuttle.identify([tmp_path / "swing_scenario.yaml", tmp_path / "swing.csv"], ["links.arm.joint.damping=1e-3:1:log"],
                            columns=columns, output=tmp_path / "found.yaml")
    assert abs(found["parameters"][0]["value"] - 0.05) < 1e-5
    assert found["converged"] and found["hints"] == []
    beside = cuttle.identify([tmp_path / "swing_scenario.yaml", tmp_path / "swing.csv"], ["links.arm.joint.damping=5:9"],
                             "--set", "robot.links.arm.joint.damping=6", columns=columns)
    assert not beside["converged"] and "does not explain the data" in beside["status"]
    assert any("--starts" in hint for hint in beside["hints"]) and any("at a bound" in hint for hint in beside["hints"])
    assert cuttle.load(tmp_path / "found.yaml").parameters()["links.arm.joint.damping"].value == found["parameters"][0]["value"]
    run.save(tmp_path / "run.h5")
    apart = cuttle.compare(tmp_path / "run.h5", tmp_path / "swing.csv", columns=columns)
    assert apart["channels"]["arm.joint.q0"]["max"] < 1e-12


def joint():
    """Inertia 1 that nothing but its motor moves."""
    return cuttle.Robot.from_dict({
        "name": "joint", "gravity": [0, 0, 0],
        "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0]},
                   "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, 0], "inertia": [1, 1, 1, 0, 0, 0]}}],
        "actuators": [{"name": "motor", "type": "joint", "link": "arm"}]})


@pytest.mark.parametrize("count, step", [(2, 1e-2), (7, 3e-2), (20, 5e-3), (20, 5e-2), (49, 1e-2), (200, 1.0)])
@pytest.mark.parametrize("method", ["rk4", "tsit5"])
def test_held_inputs_act_in_their_intervals(count, step, method):
    """A torque of 1 in one of the intervals of 1 s: v is the interval's length, however it is simulated."""
    robot, u, zero = joint(), np.eye(count)[:, :, None], np.zeros((count, 1))
    keys = {"held_inputs": u, "duration": 1.0, "step": step, "method": method}
    middle = (np.arange(count) + 0.5) / count
    expected = np.stack([(1 - middle) / count, np.full(count, 1 / count)], axis=1)
    alone = robot.rollouts(zero, **keys)
    together = cuttle.Batch(robot.model, count).rollout(zero, zero, **keys)
    for end in (alone, together):
        assert np.abs(np.hstack([end.q, end.v]) - expected).max() < 1e-13
    slopes = robot.rollout_derivatives([f"held_inputs[{k}].motor" for k in range(count)], zero, **keys)
    assert np.abs(slopes.values[:, -1] - expected).max() < 1e-13
    assert np.abs(slopes.derivatives[:, -1].transpose(0, 2, 1) - expected).max() < 1e-13


@pytest.mark.parametrize("count", [1, 3, 16, 35])
def test_rollouts_are_those_of_a_batch_and_of_a_scenario(pendulum, count):
    starts, speeds = np.array([[0.3], [-0.2]]), np.array([[0.1], [1.0]])
    held = np.sin(1.7 * np.arange(2 * count) ** 2).reshape(2, count, 1)
    motor = cuttle.Signal.sine(0.4, 2.0, 0.3, 0.1)
    keys = {"held_inputs": held, "duration": 0.7, "step": 7e-3, "output_step": 0.1, "inputs": {"motor": motor}}
    alone = pendulum.rollouts(starts, speeds, **keys)
    together = cuttle.Batch(pendulum.model, 2).rollout(starts, speeds, **keys)
    slopes = pendulum.rollout_derivatives([], starts, speeds, **keys)
    assert np.abs(alone.q_samples - together.q_samples).max() < 1e-12
    assert np.abs(alone.v_samples - together.v_samples).max() < 1e-11
    assert np.abs(slopes.values - np.concatenate([together.q_samples, together.v_samples], axis=2)).max() < 1e-11
    del keys["inputs"], keys["held_inputs"]
    without = cuttle.Batch(pendulum.model, 2).rollout(starts, speeds, held_inputs=held, **keys)
    for i in range(2):
        times = [0.7 * k / count for k in range(1, count)]
        signal = {"type": "steps", "times": times, "values": held[i, :, 0].tolist()} if times else float(held[i, 0, 0])
        run = pendulum.simulate(duration=0.7, q=starts[i], v=speeds[i], output_step=0.1, inputs={"motor": signal},
                                integrator={"type": "tsit5", "step": 7e-3})
        assert np.abs(run.q - without.q_samples[i]).max() < 1e-11


@pytest.mark.parametrize("held", [None, np.zeros((1, 2, 1)), np.array([[[0.3], [-0.5], [0.2]]])])
def test_derivatives_by_numbers_of_a_signal_beside_held_inputs(pendulum, held):
    def end(amplitude=0.4, frequency=2.0):
        motor = {"type": "sine", "amplitude": amplitude, "frequency": frequency}
        found = pendulum.rollouts([[0.1]], duration=0.5, inputs={"motor": motor}, held_inputs=held)
        return np.array([found.q[0, 0], found.v[0, 0]])

    motor = {"type": "sine", "amplitude": 0.4, "frequency": 2.0}
    by = ["simulation.inputs.motor.amplitude", "simulation.inputs.motor.frequency"]
    found = pendulum.rollout_derivatives(by, [[0.1]], duration=0.5, inputs={"motor": motor}, held_inputs=held)
    h = 1e-4
    expected = np.stack([(end(amplitude=0.4 + h) - end(amplitude=0.4 - h)) / (2 * h),
                         (end(frequency=2 + h) - end(frequency=2 - h)) / (2 * h)], axis=1)
    assert np.abs(found.derivatives[0, -1] - expected).max() < 1e-6
    if held is None or not held.any():
        same = pendulum.sensitivities("q", by[0], duration=0.5, q=[0.1], inputs={"motor": motor})
        assert abs(same.derivatives.ravel()[0] - found.derivatives[0, -1, 0, 0]) < 1e-6


@pytest.fixture(scope="module")
def failing():
    """Three robots alike of which the second fails: its input is beyond all sense from 0.06 s on."""
    arm = PENDULUM["links"][0]
    arm = {**arm, "body": {**arm["body"], "tip": {"position": [0, 0, -0.5]}}}
    robot = cuttle.Robot.from_dict({"name": "two", "links": [arm, {**arm, "name": "fore"}], "actuators": PENDULUM["actuators"]})
    held = np.full((3, 5, 1), 0.05)
    held[1, 3] = 1e200
    return robot, np.full((3, 2), 0.2), {"held_inputs": held, "duration": 0.1, "step": 1e-3, "output_step": 0.02}


def test_a_robot_that_fails_is_unknown_from_then_on(failing):
    robot, q, keys = failing
    keys = {**keys, "raise_on_failure": False}
    batch = cuttle.Batch(robot.model, 3)
    for end in (batch.rollout(q, 0 * q, **keys), robot.rollouts(q, **keys)):
        assert [reason != "" for reason in end.failures] == [False, True, False]
        assert np.isnan(end.q[1]).all() and np.isnan(end.v[1]).all() and np.isfinite(end.q[[0, 2]]).all()
        assert np.isnan(end.q_samples[1, 4:]).all() and np.isnan(end.v_samples[1, 4:]).all()
        assert np.array_equal(end.q_samples[1, :4], end.q_samples[0, :4])
        assert np.array_equal(end.last_q[1], end.q_samples[1, 3]) and np.array_equal(end.last_q[0], end.q[0])
        assert np.abs(end.failure_time - [0.1, 0.06, 0.1]).max() < 1e-15
    assert batch.status == ["good", "not finite", "good"]
    by = ["links.arm.body.mass", "held_inputs[0].motor"]
    slopes = robot.rollout_derivatives(by, q, **keys)
    assert [reason != "" for reason in slopes.failures] == [False, True, False]
    for numbers in (slopes.values, slopes.derivatives):
        assert np.isnan(numbers[1, 4:]).all() and np.array_equal(numbers[1, :4], numbers[0, :4])


def test_a_robot_that_fails_raises(failing):
    robot, q, keys = failing
    for run in (lambda: cuttle.Batch(robot.model, 3).rollout(q, 0 * q, **keys), lambda: robot.rollouts(q, **keys),
                lambda: robot.rollout_derivatives("links.arm.body.mass", q, **keys)):
        with pytest.raises(cuttle.SimulationError, match=r"1 of 3 robots failed: robot 1: .*raise_on_failure=False") as caught:
            run()
        end = caught.value.rollout
        assert end.failures[1] and not end.failures[0]
    wrong = q.copy()
    wrong[2, 0] = np.nan
    for run in (lambda: cuttle.Batch(robot.model, 3).rollout(wrong, 0 * q), lambda: robot.rollouts(wrong)):
        with pytest.raises(cuttle.SimulationError, match="1 of 3 robots failed: robot 2: initial"):
            run()


def test_what_is_too_large_is_named(pendulum):
    zero = np.zeros((1, 1))
    batch = cuttle.Batch(pendulum.model, 1)
    with pytest.raises(cuttle.ArgumentError, match="step: found 1e-300, expected a step .* at most 1e12 steps"):
        batch.rollout(zero, zero, step=1e-300)
    with pytest.raises(cuttle.ArgumentError, match="step: found 1e-300, expected a step .* at most 1e12 steps"):
        pendulum.rollouts(zero, step=1e-300)
    with pytest.raises(cuttle.ArgumentError, match="output_step: found 1e-300, expected a step"):
        batch.rollout(zero, zero, output_step=1e-300)
    for rate, delay, what in ((np.inf, 0.0, "rate: found inf, expected a finite number"),
                              (100.0, 1e300, "delay: found 1e.300 s"), (100.0, -1.0, "delay: found -1 s"), (1e300, 0.0, "rate: found 1e.300 Hz for 1 s")):
        law = cuttle.Controller(lambda time, q, v: 0.0, rate=rate, delay=delay)
        with pytest.raises(cuttle.ArgumentError, match=what):
            pendulum.simulate(duration=1.0, controllers=[law])


def recording(pendulum, folder):
    """A scenario and its recording, of damping 0.05: what `identify` takes."""
    pendulum.save(folder / "pendulum.yaml")
    (folder / "swing_scenario.yaml").write_text(
        "cuttle: 1\nrobot: pendulum.yaml\nsimulation: {duration: 1, output_step: 0.02, initial: {arm: {q: [0.8]}},"
        " integrator: {type: generalized_alpha, step: 0.01}}\n")
    run = cuttle.simulate(folder / "swing_scenario.yaml", "robot.links.arm.joint.damping=0.05")
    rows = "\n".join(f"{t!r},{q[0]!r}" for t, q in zip(run.time.tolist(), run.q.tolist()))
    (folder / "swing.csv").write_text("time,arm.joint.q0\n" + rows + "\n")
    return [folder / "swing_scenario.yaml", folder / "swing.csv"]


FREE = ["links.arm.joint.damping=1e-3:1:log", "links.arm.body.mass=0.5:2"]
LONG = ["--starts", "10000"]  # some minutes at least


@pytest.mark.parametrize("by", ["ctrl-c", "callback"])
def test_what_ends_a_search_early_leaves_the_best_so_far(pendulum, tmp_path, by):
    files = recording(pendulum, tmp_path)
    seen = []

    def progress(done, words):
        seen.append((done, words))
        if len(seen) == 3 and by == "ctrl-c":
            signal.raise_signal(signal.SIGINT)
        if len(seen) == 3:
            raise RuntimeError("enough")

    with pytest.raises(KeyboardInterrupt if by == "ctrl-c" else RuntimeError) as caught:
        cuttle.identify(files, FREE, *LONG, output=tmp_path / "found.yaml", report=tmp_path / "found.html", progress=progress)
    assert all(0 <= done <= 1 and "best: cost" in words for done, words in seen)
    result = caught.value.result
    assert "stopped" in result["status"] or "best so far" in str(result)
    values = {parameter["path"]: parameter["value"] for parameter in result["parameters"]}
    written = cuttle.load(tmp_path / "found.yaml").parameters()
    assert {path: written[path].value for path in values} == values
    assert "<html" in (tmp_path / "found.html").read_text()[:1000]


def test_ctrl_c_ends_the_search_of_a_robot_too(tendon_arm, tmp_path):
    x, y, z = tendon_arm.statics({"right": 2.0}).frame("lower.tip").position
    (tmp_path / "data.csv").write_text(f"right,lower.tip.x,lower.tip.y,lower.tip.z\n2,{x},{y},{z}\n")
    modulus = next(path for path in tendon_arm.parameters() if path.endswith("young_modulus"))
    with pytest.raises(KeyboardInterrupt) as caught:
        tendon_arm.identify(tmp_path / "data.csv", [f"{modulus}=1e4:1e8:log"], *LONG,
                            progress=lambda done, words: signal.raise_signal(signal.SIGINT))
    assert caught.value.result["parameters"][0]["path"] == modulus


def test_progress_is_shown_on_a_terminal_alone(pendulum, tmp_path, monkeypatch, capsys):
    files = recording(pendulum, tmp_path)
    cuttle.identify(files, FREE[:1])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    cuttle.identify(files, FREE[:1])
    shown = capsys.readouterr().err
    assert "best: cost" in shown and "%" in shown and shown.endswith("\r\x1b[K")
    with pytest.raises(cuttle.ProgramError) as caught:
        cuttle.identify(files, ["links.arm.joint.dampin"])
    assert "cuttle progress" not in str(caught.value) and "dampin" in str(caught.value)
