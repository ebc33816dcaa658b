"""cuttle.sweep: the same rows by every engine, whatever becomes of its workers."""

import math
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import cuttle

CART = """cuttle: 1
name: cart
gravity: [0, 0, 0]
links:
- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
actuators: [{name: motor, type: joint, link: cart}]
"""
PUSHED = """cuttle: 1
robot: parts/cart.yaml
simulation: {duration: 2, output_step: 0.01, integrator: {type: rk4, step: 0.01}, inputs: {motor: 3}}
"""
MASS, FORCE = "links.cart.body.mass", "simulation.inputs.motor"


@pytest.fixture
def pushed(tmp_path):
    """A cart that a force pushes for 2 s: x = F t^2 / (2 m)."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cart.yaml").write_text(CART)
    (tmp_path / "pushed.yaml").write_text(PUSHED)
    return tmp_path / "pushed.yaml"


def far(run):
    return run.q[-1, 0]


def ends_its_process(run):
    if run.q[-1, 0] > 5.9:  # of the smallest mass alone
        os.abort()
    return run.q[-1, 0]


def never_returns(run):
    if run.q[-1, 0] > 5.9:
        time.sleep(1000)
    return run.q[-1, 0]


def same(a, b):
    """Whether all but the times are equal, bit for bit."""
    assert [row["row"] for row in a.rows] == [row["row"] for row in b.rows]
    for x, y in zip(a.rows, b.rows):
        assert (x["status"], x["reason"]) == (y["status"], y["reason"])
        assert np.array(x["parameters"]).tobytes() == np.array(y["parameters"]).tobytes()
        np.testing.assert_array_equal(x["outputs"], y["outputs"])  # NaN of what failed has no bits to compare


def test_rows_are_those_of_the_closed_form(pushed, tmp_path):
    pandas = pytest.importorskip("pandas")
    output = tmp_path / "sweep.h5"
    found = cuttle.sweep(pushed, {MASS: [1, 2, -1], FORCE: "1:4:4"}, keep={"end": "cart.tip.x", "top": "max:v"}, output=output)
    assert len(found) == 12 and output.exists()
    frame = found.frame
    assert isinstance(frame, pandas.DataFrame)
    good = frame[frame.status == "complete"]
    assert len(good) == 8
    np.testing.assert_allclose(good.end, 2 * good[FORCE] / good[MASS], rtol=1e-13)
    np.testing.assert_allclose(good.top, 2 * good[FORCE] / good[MASS], rtol=1e-13)
    assert found.failed.keys() == {8, 9, 10, 11}
    assert "mass" in found.failed[8]
    data = found.dataset
    assert data["end"].attrs["units"] == "m" and data[MASS].attrs["units"] == "kg"
    assert data.attrs["hash"] == found.head["hash"]
    np.testing.assert_array_equal(data["end"], frame.end)


def test_functions_are_metrics_too(pushed):
    keep = {"end": "cart.tip.x", "far": far, "odd": lambda run: 1 / 0 if run.q[-1, 0] > 5.9 else math.pi}
    found = cuttle.sweep(pushed, {MASS: [1, 2, 4]}, keep=keep, jobs=2)
    assert found.rows[0]["status"] == "failed"
    assert found.rows[0]["reason"] == "keep: odd: ZeroDivisionError: division by zero"
    for row in found.rows[1:]:
        assert row["status"] == "complete"
        assert row["outputs"] == [row["outputs"][0], row["outputs"][0], math.pi]


def test_a_pool_loses_a_process_and_no_row(pushed, tmp_path):
    drawn = {MASS: "1:3:18", FORCE: 3}
    serial = cuttle.sweep(pushed, drawn, keep={"end": "cart.tip.x", "far": far}, jobs=1)
    output = tmp_path / "pool.csv"
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = cuttle.sweep(pushed, drawn, keep={"end": "cart.tip.x", "far": ends_its_process}, output=output, engine=pool)
    assert found.failed == {0: "its worker ended three times, the last one with nothing beside it"}
    assert found.rows[0]["status"] == "killed"
    assert found.rows[0]["parameters"] == [1.0]
    found.rows[0] = serial.rows[0]
    same(serial, found)
    again = cuttle.sweep(pushed, drawn, keep={"end": "cart.tip.x", "far": far}, output=output, resume=True, jobs=1)
    assert len(again) == 18 and again.failed.keys() == {0}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_dask_loses_a_worker_and_no_row(pushed, cluster, tmp_path):
    drawn = [f"{MASS}=uniform(1,3)", f"{FORCE}=3,4", "simulation.duration=30"]
    common = {"keep": ["cart.tip.x", "rms:v"], "runs": 100, "sample": "sobol"}
    serial = cuttle.sweep(pushed, drawn, **common, jobs=1)
    output = tmp_path / "dask.h5"
    victims = [info["pid"] for info in cluster.run(os_info).values()]

    def kill(part, words):
        if part > 0.2 and victims:
            os.kill(victims.pop(), signal.SIGKILL)
            victims.clear()

    found = cuttle.sweep(pushed, drawn, **common, engine=cluster, output=output, progress=kill)
    assert not victims
    same(serial, found)
    assert output.exists()


def os_info():
    return {"pid": os.getpid()}


@pytest.fixture
def impatient(monkeypatch):
    """What does not answer is ended earlier than 2 s after its time limit."""
    from cuttle import _sweep_worker

    monkeypatch.setattr(_sweep_worker, "_SPARE", 0.5)


def test_dask_ends_what_hangs(pushed, cluster, impatient):
    found = cuttle.sweep(pushed, {MASS: "1:3:10"}, keep={"far": never_returns}, engine=cluster, time_limit=0.5)
    assert found.failed == {0: "its worker ended three times, the last one with nothing beside it"}
    late = cuttle.sweep(
        pushed, {"simulation.duration": [1, 1e7], "simulation.output_step": 1e6}, keep=["q"], engine=cluster, time_limit=0.5
    )
    assert late.rows[0]["status"] == "complete"
    assert late.rows[1]["reason"].startswith("time limit of 0.5 s")


def test_a_command_that_does_not_answer_is_ended(pushed, impatient):
    """As a run would be that no time limit reaches."""
    from cuttle import _sweep_worker

    stopped = []

    def stop(run):
        if not stopped:
            stopped.append([lines.process.pid for lines in _sweep_worker._all])
            os.kill(stopped[0][0], signal.SIGSTOP)
        return 1.0

    # a duration that varies: one by one, not in lanes
    found = cuttle.sweep(pushed, {"simulation.duration": "1:2:3"}, keep={"one": stop}, jobs=1, time_limit=0.3)
    assert [row["status"] for row in found.rows] == ["complete", "killed", "complete"]
    assert found.rows[1]["reason"].startswith("found no answer")


def test_runs_side_by_side_that_are_lost_are_made_one_by_one(pushed):
    from cuttle import _sweep_worker

    ended = []

    def end(run):
        if not ended:
            ended.append(_sweep_worker._all[0].process.pid)
            os.kill(ended[0], signal.SIGKILL)
        return run.q[-1, 0]

    found = cuttle.sweep(pushed, {MASS: "1:3:18"}, keep={"end": end}, jobs=1)
    alone = cuttle.sweep(pushed, {MASS: "1:3:18"}, keep={"end": far}, jobs=1)
    assert not found.failed and ended
    same(found, alone)
    assert {row["run_as"] for row in found.rows} <= {"lanes", "simulate"}  # simulate where the CPU has no lanes
    assert [row["run_as"] for row in found.rows] == [row["run_as"] for row in alone.rows]
    in_file = cuttle.sweep(pushed, {MASS: "1:3:18"}, keep={"end": "cart.tip.x"})
    assert [row["outputs"][0] for row in in_file.rows] == [row["outputs"][-1] for row in found.rows]


def test_an_interrupt_keeps_the_rows(pushed, tmp_path):
    output = tmp_path / "part.csv"

    sent = []

    def interrupt(run):
        if run.q[-1, 0] < 4 and not sent:
            sent.append(run)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)
        return 0.0

    with pytest.raises(KeyboardInterrupt) as raised:
        cuttle.sweep(pushed, {MASS: "1:3:60"}, keep={"x": interrupt}, jobs=1, output=output)
    rows = raised.value.sweep.rows
    assert 0 < len(rows) < 60
    assert len(output.read_text().splitlines()) >= len(rows)


def test_says_what_is_wrong(pushed):
    with pytest.raises(cuttle.Error, match="did you mean"):
        cuttle.sweep(pushed, {"links.cart.body.mas": [1, 2]})
    with pytest.raises(cuttle.ArgumentError, match="engine: found a dict"):
        cuttle.sweep(pushed, {MASS: [1, 2]}, engine={})
    with pytest.raises(cuttle.ArgumentError, match="of equilibria"):
        cuttle.sweep(pushed, {MASS: [1, 2]}, keep={"far": far}, statics=True)


def be_baseline():
    os.environ["CUTTLE_ISA"] = "baseline"


def test_workers_that_would_make_other_bits_are_named(pushed):
    with ProcessPoolExecutor(1, get_context("spawn"), be_baseline) as pool:
        with pytest.raises(cuttle.ArgumentError, match="instruction_set: found baseline, expected") as raised:
            found = cuttle.sweep(pushed, {MASS: [1, 2]}, engine=pool)
            if found.head["instruction_set"] == "baseline":
                pytest.skip("this CPU has no other set")
    assert "process" in str(raised.value)


def test_the_page_on_sweeps_runs(monkeypatch):
    root = cuttle_root()
    monkeypatch.chdir(root)
    block = re.search(r"^```python\n(.*?)^```$", (root / "docs" / "sweeps.md").read_text(encoding="utf-8"), re.M | re.S)
    names = {}
    exec(compile(block[1], "docs/sweeps.md", "exec"), names)
    found = names["found"]
    assert len(found) == 10 and not found.failed and found.outputs == {"height": "m", "turns": ""}
    subprocess.run(["sh", "-n", root / "examples" / "cluster" / "sweep.slurm"], check=True)


def cuttle_root():
    return Path(__file__).parents[2]


def test_the_model_of_the_queues_has_the_tasks_of_a_sweep(monkeypatch):
    """scripts/sweep_queue.py: what it says of 1,000 workers is what they would be given, and its two answers agree."""
    from collections import deque

    from cuttle.sweeps import _Sweeper

    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    import sweep_queue

    sweeper = _Sweeper.__new__(_Sweeper)
    sweeper._work = type("Work", (), {"head": {"lanes": 1}})
    sweeper._single = deque()
    for workers, each in ((2, 0.01), (1000, 0.1), (1000, 1.0), (1000, 10.0)):
        sweeper._waiting = deque(range(400_000))
        sweeper._seconds, sweeper._timed = 50 * each, 50
        assert len(sweeper._next(workers)) == sweep_queue.chunk(400_000, workers, each)
    for each, part in ((0.01, 0.01), (0.1, 0.05), (1.0, 0.01)):
        assert abs(sweep_queue.formula(1000, each, 1.7e-3, 1.1e-4) - sweep_queue.simulated(1000, each, 1.7e-3, 1.1e-4)) < part
