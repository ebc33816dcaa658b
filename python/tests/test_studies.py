"""Studies that ask and tell, and what identifications and MPI are to sweeps."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cuttle

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "studies"))


def test_a_table_is_columns_by_path(tmp_path):
    robot = cuttle.example("examples/tendon_arm.yaml")
    output = tmp_path / "pulls.h5"
    found = cuttle.sweep(robot, table={"right": [0, 2.0], "left": np.array([1.0, 0])}, statics=True, output=output)
    assert [row["parameters"] for row in found.rows] == [[0.0, 1.0], [2.0, 0.0]]
    assert (tmp_path / "pulls_table.csv").exists()  # its runs can be made again
    with pytest.raises(cuttle.ArgumentError, match="table: found columns of lengths"):
        cuttle.sweep(robot, table={"right": [0], "left": [0, 1]}, statics=True)
    with pytest.raises(cuttle.ArgumentError, match="table: found a int"):
        cuttle.sweep(robot, table=3, statics=True)


def test_an_optuna_study_asks_and_tells():
    pytest.importorskip("optuna")
    import optuna_study

    study = optuna_study.main(rounds=3, together=4)
    assert len(study.trials) == 12
    assert all(trial.state.name == "COMPLETE" for trial in study.trials)
    assert study.best_value == min(trial.value for trial in study.trials) < study.trials[0].value


def test_an_evolution_finds_the_pulls_of_a_place():
    pytest.importorskip("cma")
    import cma_evolution

    # a place that an equilibrium reaches: there the distance is zero
    robot = cuttle.load(cma_evolution.ROBOT)
    reached = robot.statics({"right": 2.0, "left": 0.5})
    cma_evolution.GOAL = np.asarray(reached.frame("lower.tip").position)
    found = cma_evolution.main(generations=25)
    assert found.fbest < 1e-3  # [m]; another pair of pulls may lead there too
    again = robot.statics({"right": found.xbest[0], "left": found.xbest[1]})
    distance = np.linalg.norm(np.asarray(again.frame("lower.tip").position) - cma_evolution.GOAL)
    assert abs(distance - found.fbest) < 1e-6


def test_sobol_indices_are_those_of_a_closed_form(tmp_path):
    pytest.importorskip("SALib")
    import sobol_indices

    # a cart: x = F t^2 / (2 m), with t = 2 s; of a product F (1/m) of independent numbers the indices are known
    (tmp_path / "cart.yaml").write_text(
        "cuttle: 1\nname: cart\ngravity: [0, 0, 0]\nlinks:\n- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, "
        "body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}\n"
        "actuators: [{name: motor, type: joint, link: cart}]\n"
    )
    scenario = tmp_path / "pushed.yaml"
    scenario.write_text(
        "cuttle: 1\nrobot: cart.yaml\nsimulation: {duration: 2, output_step: 1, integrator: {type: rk4, step: 0.5}, inputs: {motor: 3}}\n"
    )
    low, high = 1.0, 3.0
    problem = {
        "num_vars": 3,
        "names": ["simulation.inputs.motor", "links.cart.body.mass", "links.cart.body.com[1]"],
        "bounds": [[1.0, 3.0], [low, high], [0.0, 0.1]],
    }
    found = sobol_indices.main(512, scenario, problem, {}, "cart.tip.x")
    mean_f, var_f = 2.0, (3.0 - 1.0) ** 2 / 12
    mean_g = np.log(high / low) / (high - low)
    var_g = 1 / (low * high) - mean_g**2
    total = var_f * var_g + var_f * mean_g**2 + var_g * mean_f**2
    first = np.array([var_f * mean_g**2, var_g * mean_f**2, 0.0]) / total
    np.testing.assert_allclose(found["S1"], first, atol=0.05)  # 512 points: errors of some hundredths
    np.testing.assert_allclose(found["ST"], [1 - first[1], 1 - first[0], 0.0], atol=0.05)


def test_a_tendon_far_from_the_axis_makes_fingers_alike():
    """The moment pull (d + e) scatters by its error e in parts of the offset d."""
    import robust_finger

    found = robust_finger.main(samples=200)
    designs = list(robust_finger.scatter(found, 200))
    assert [failed for *_, failed in designs] == [0] * 5
    rms = [design[2] for design in designs]
    assert rms == sorted(rms, reverse=True)
    # with the parts of errors: offset 0.2 mm / d, stiffness E r^4 by 2.5 % and 4 x 0.63 %; the weight bends too
    parts = [np.hypot(2e-4 / design[0], np.hypot(0.025, 4 * 0.00625)) for design in designs]
    assert rms[0] / rms[-1] == pytest.approx(parts[0] / parts[-1], rel=0.25)


def test_an_identified_robot_predicts_in_bands(tmp_path):
    pytest.importorskip("pandas")
    import prediction_bands

    report, found = prediction_bands.main(runs=256, folder=tmp_path)
    names = [one["path"] for one in report["parameters"]]
    covariance = np.array(report["covariance"])
    drawn = np.array([[row["parameters"][list(found.parameters).index(name)] for name in names] for row in found.rows])
    np.testing.assert_allclose(drawn.mean(0), [one["value"] for one in report["parameters"]], rtol=1e-2)
    scales = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    np.testing.assert_allclose(np.cov(drawn.T) / scales, covariance / scales, atol=0.1)
    # to first order the spread of a prediction is its gradient's, by central differences of other runs
    x = np.array([one["value"] for one in report["parameters"]])
    gradient = []
    for i, name in enumerate(names):
        h = 0.5 * np.sqrt(covariance[i, i])
        table = {n: [x[j] - h * (i == j), x[j] + h * (i == j)] for j, n in enumerate(names)}
        a, b = (row["outputs"][0] for row in cuttle.sweep(tmp_path / "swing.yaml", table=table, keep=["q"]).rows)
        gradient.append((b - a) / (2 * h))
    expected = np.sqrt(gradient @ covariance @ np.array(gradient))
    assert np.std([row["outputs"][0] for row in found.rows]) == pytest.approx(expected, rel=0.15)
    assert (tmp_path / "bands_curves.svg").read_text().count("median, 50 % and 90 % of 100 runs") == 1


def test_two_ranks_of_mpi_make_the_rows_of_a_serial_sweep(tmp_path, monkeypatch):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    (tmp_path / "cart.yaml").write_text(
        "cuttle: 1\nname: cart\ngravity: [0, 0, 0]\nlinks:\n- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, "
        "body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}\n"
        "actuators: [{name: motor, type: joint, link: cart}]\n"
    )
    scenario = tmp_path / "pushed.yaml"
    scenario.write_text(
        "cuttle: 1\nrobot: cart.yaml\nsimulation: {duration: 2, output_step: 0.01, integrator: {type: rk4, step: 0.01}, inputs: {motor: 3}}\n"
    )
    output, program = tmp_path / "mpi.csv", Path(__file__).with_name("mpi_sweep.py")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "-n", "2", sys.executable, program, scenario, output]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "400 rows, 100 failed\n"
    serial = tmp_path / "serial.csv"
    varied = {"links.cart.body.mass": "-1:3:400", "simulation.inputs.motor": 3}
    monkeypatch.chdir(tmp_path)  # reasons name files as they are given
    cuttle.sweep(scenario.name, varied, keep=["cart.tip.x"], jobs=1, output=serial)
    tables = []
    for path in (output, serial):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("# argument")]
        tables.append([line for line in lines if line.startswith("#")])
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            row.pop("seconds")
            tables[-1].append(row)
    assert tables[0] == tables[1]
