"""Roll-outs of many robots with controllers, and their derivatives; parameters from data."""

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
