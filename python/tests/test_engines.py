"""share_out, identifications and roll-outs on engines: the same numbers, bit for bit, as by threads here."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import cuttle

PENDULUM = """cuttle: 1
name: pendulum
links:
- {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 3, damping: 0.05}, body: {type: rigid, mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001, 0, 0, 0], tip: {position: [0, 0, -0.5]}}}
actuators: [{name: motor, type: joint, link: arm}]
"""
SWING = """cuttle: 1
robot: parts/pendulum.yaml
simulation: {duration: 1, output_step: 0.05, integrator: {type: rk4, step: 0.01}, initial: {arm: {q: [1.2]}}}
"""


def square(x):
    return x * x


def ends_its_process_once(task):
    """Ends its process the first time: the file says so."""
    number, folder = task
    mark = Path(folder, str(number))
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_ends_its_process(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def raises(number):
    if number == 2:
        raise ValueError("two")
    return number


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, get_context("spawn")) as used:
        yield used


@pytest.fixture(scope="module")
def dask():
    """A client of two workers, where there is Dask."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture
def swing(tmp_path):
    """A pendulum that swings, and a recording of it."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "pendulum.yaml").write_text(PENDULUM)
    (tmp_path / "swing.yaml").write_text(SWING)
    run = cuttle.simulate(tmp_path / "swing.yaml", "robot.links[0].joint.stiffness=4", "robot.links[0].joint.damping=0.1")
    lines = ["time,arm.joint.q0", *(f"{time!r},{q!r}" for time, q in zip(run.time.tolist(), run.q[:, 0].tolist()))]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_results_come_in_the_order_of_the_items(pool):
    counts = []
    for engine in (None, pool, ThreadPoolExecutor(2)):
        assert cuttle.share_out(square, range(20), engine=engine, done=lambda n, all: counts.append((n, all))) == [
            x * x for x in range(20)
        ]
    assert counts[:20] == [(n + 1, 20) for n in range(20)]
    assert cuttle.share_out(square, [], engine=pool) == []
    with pytest.raises(ValueError, match="two"):
        cuttle.share_out(raises, range(4), engine=pool)
    with pytest.raises(cuttle.ArgumentError, match="engine: found a int"):
        cuttle.share_out(square, [1], engine=3)


def test_what_a_worker_took_with_it_is_computed_again(tmp_path):
    with ProcessPoolExecutor(2, get_context("spawn")) as own:
        tasks = [(number, str(tmp_path)) for number in range(6)]
        assert cuttle.share_out(ends_its_process_once, tasks, engine=own) == list(range(6))
    with ProcessPoolExecutor(2, get_context("spawn")) as own:
        with pytest.raises(cuttle.Error, match=r"items\[1\]: its worker ended three times"):
            cuttle.share_out(always_ends_its_process, range(3), engine=own)


def identified(swing, engine):
    found = cuttle.identify(
        [swing / "swing.yaml", swing / "data.csv"],
        ["links.arm.joint.stiffness=0.5:20:log", "links.arm.joint.damping=0.01:1:log"],
        "--starts", "4", "--seed", "3", engine=engine, output=None if engine is None else swing / "found.yaml",
    )  # fmt: skip
    written = Path(found["written"]).read_text() if found["written"] else ""
    return {key: value for key, value in found.items() if key not in ("seconds", "evaluations", "written")}, written


def check_identified(swing, engine):
    alone, _ = identified(swing, None)
    shared, written = identified(swing, engine)
    assert shared == alone  # numbers are those of Python: equal means bit for bit
    assert len(shared["start_costs"]) == 4
    values = {parameter["path"]: parameter["value"] for parameter in shared["parameters"]}
    assert values["links.arm.joint.stiffness"] == pytest.approx(4, rel=1e-3)
    assert values["links.arm.joint.damping"] == pytest.approx(0.1, rel=1e-2)
    assert "stiffness" in written


def test_starts_of_an_identification_on_a_pool(swing, pool):
    check_identified(swing, pool)
    with pytest.raises(cuttle.ProgramError, match="links.arm.joint.stifness"):
        cuttle.identify([swing / "swing.yaml", swing / "data.csv"], ["links.arm.joint.stifness"], "--starts", "2", engine=pool)


def test_starts_of_an_identification_by_dask(swing, dask):
    check_identified(swing, dask)


def test_equilibria_on_a_pool(tmp_path, pool):
    robot = cuttle.Robot.from_text(PENDULUM)
    lines = ["motor,arm.joint.q0"]
    for motor in np.linspace(-2, 2, 9):
        rest = robot.with_({"links.arm.joint.stiffness": 5}).statics({"motor": motor})
        lines.append(f"{float(motor)!r},{float(rest.q[0])!r}")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    one, other = (
        robot.identify(tmp_path / "table.csv", ["links.arm.joint.stiffness=1:50:log"], "--starts", "3", engine=engine)
        for engine in (None, pool)
    )
    assert one["parameters"] == other["parameters"] and one["start_costs"] == other["start_costs"]
    assert one["parameters"][0]["value"] == pytest.approx(5, rel=1e-6)


def check_rollouts(engine):
    robot = cuttle.Robot.from_text(PENDULUM)
    count = 11
    q = np.linspace(-1, 1, count)[:, None]
    keys = {
        "v": np.linspace(0, 2, count)[:, None],
        "parameters": {"links.arm.body.mass": np.linspace(0.5, 2, count)},
        "held_inputs": np.linspace(-1, 1, 3 * count).reshape(count, 3, 1),
        "controllers": [{"name": "hold", "type": "pid", "reference": [0.4], "kp": 2, "kd": 0.1}],
        "duration": 0.3,
        "output_step": 0.1,
        "step": 0.01,
        "seed": 5,
    }
    alone, shared = (robot.rollouts(q, engine=one, **keys) for one in (None, engine))
    assert shared == alone
    for name in ("times", "q", "v", "q_samples", "v_samples", "u_samples", "last_q", "failure_time"):
        assert getattr(shared, name).tobytes() == getattr(alone, name).tobytes(), name
    assert np.ptp(shared.q) > 0.1
    # one that fails: the others are there, and the error says which
    keys["held_inputs"][4] = 1e308
    shared = robot.rollouts(q, engine=engine, raise_on_failure=False, **keys)
    assert [bool(text) for text in shared.failures] == [number == 4 for number in range(count)]
    with pytest.raises(cuttle.SimulationError, match="robot 4") as raised:
        robot.rollouts(q, engine=engine, **keys)
    assert raised.value.rollout == shared
    with pytest.raises(cuttle.ArgumentError, match="v: found 2 rows, expected 11, one a robot"):
        robot.rollouts(q, engine=engine, **{**keys, "v": [[0.0], [1.0]]})


def test_rollouts_on_a_pool(pool):
    check_rollouts(pool)


def test_rollouts_by_dask(dask):
    check_rollouts(dask)
