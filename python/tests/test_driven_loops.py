"""Robots whose loops are driven, in Python: runs, what is kept of them, and derivatives."""

import os
import pickle

import cuttle
import numpy as np
import pytest

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "models", "examples")
DURATION = 0.4


@pytest.fixture(scope="module")
def robot():
    return cuttle.load(os.path.join(MODELS, "gripped_rod.yaml"))


@pytest.fixture(scope="module")
def from_file():
    return cuttle.simulate(os.path.join(MODELS, "gripped_rod_scenario.yaml"), f"simulation.duration={DURATION}")


def keys(run):
    return {"duration": DURATION, "integrator": {"type": "generalized_alpha", "step": 0.005}, "output_step": run.time[1]}


def test_a_run_is_that_of_the_file(robot, from_file):
    run = robot.simulate(**keys(from_file))
    assert run.q.shape[1] == from_file.q.shape[1] > robot.nq
    np.testing.assert_allclose(run.q, from_file.q, atol=1e-12)
    np.testing.assert_allclose(run.frame("middle").position, from_file.frame("middle").position, atol=1e-12)
    assert run.robot.nq == run.q.shape[1] and robot.nq < run.robot.nq
    again = robot.simulate(**keys(from_file), q=np.zeros(robot.nq))
    np.testing.assert_array_equal(again.q, run.q)


def test_it_is_kept(robot, from_file, tmp_path):
    run = robot.simulate(**keys(from_file))
    run.save(str(tmp_path / "run.h5"))
    for other in (cuttle.load_run(tmp_path / "run.h5"), pickle.loads(pickle.dumps(run))):
        np.testing.assert_array_equal(other.q, run.q)
        np.testing.assert_array_equal(other.frame("cable.tip").position, run.frame("cable.tip").position)
    scenario = robot.scenario(**keys(from_file))
    assert pickle.loads(pickle.dumps(scenario)) == scenario


def test_derivatives(robot, from_file):
    path = "materials.rubber.young_modulus"
    value = robot.parameters()[path].value
    options = keys(from_file)
    found = robot.sensitivities("middle.position", path, **options)

    def middle(modulus):
        return robot.with_({path: modulus}).simulate(**options).frame("middle").position[-1]

    h = 1e-3 * value
    by_difference = (8 * (middle(value + h) - middle(value - h)) - (middle(value + 2 * h) - middle(value - 2 * h))) / (12 * h)
    scale = np.abs(by_difference).max()
    assert scale > 0
    np.testing.assert_allclose(found.derivatives[-1][:, 0], by_difference, atol=2e-6 * scale)

    run = robot.rollout_function("middle.position", by=path, **options)
    y, back = run.vjp(value)
    np.testing.assert_allclose(y, middle(value), atol=1e-12)
    np.testing.assert_allclose(back([0.0, 0.0, 1.0]), found.derivatives[-1][2, 0], rtol=1e-6, atol=1e-9 * scale)


def test_what_has_no_scenario_refuses(robot):
    with pytest.raises(cuttle.ArgumentError, match="loops.grip.drive: found a frame that moves in time"):
        robot.dynamics(integrator="generalized_alpha", step=1e-3).step(np.zeros(robot.nq + robot.nv), [])


def test_a_base_that_is_fixed_is_driven_too():
    from_file = cuttle.simulate(os.path.join(MODELS, "shaken_arm_scenario.yaml"), "simulation.duration=1.5")
    wave = cuttle.Signal.spline([0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4, 4.2, 4.4, 4.6, 5, 6],
                                [0, 0.03, -0.03, 0.03, -0.03, 0.03, -0.03, 0.03, -0.02, 0, 0, 0, 0, 0, 0])
    base = {
        "position": [wave, 0, 0.6],
        "rpy": [np.pi, {"type": "quintic", "start": 1, "end": 2, "from": 0, "to": 0.2}, 0],
    }
    robot = cuttle.load(os.path.join(MODELS, "shaken_arm.yaml"))
    run = robot.simulate(1.5, motion={"base": base}, statics=True, output_step=from_file.time[1])
    np.testing.assert_allclose(run.q, from_file.q, atol=1e-12)
    assert run.robot.nq == robot.nq + 7


def test_rest_of_a_loop_without_any_energy_is_off_by_rounding_alone():
    """The motors do not pull yet: what is left of the energy balance, some 1e-27 J, has nothing to be beside."""
    scenario = os.path.join(MODELS, "..", "boyer2023", "parallel_robot_scenario.yaml")
    run = cuttle.simulate(scenario, "simulation.duration=0.5", "simulation.strict=true")
    assert run.status == "complete" and run.warnings == []
    assert np.abs(run.v).max() < 1e-6
