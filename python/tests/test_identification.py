"""`identify` and `compare` are the library at work: no command is started, and the answers are those of the command."""

import json
import signal
import subprocess

import numpy as np
import pytest

import cuttle
from cuttle._program import run_program
from test_rollouts import FREE, pendulum, recording  # noqa: F401


@pytest.fixture
def no_process(monkeypatch):
    """A process that is started is a mistake."""

    def refuse(*arguments, **others):
        raise AssertionError(f"a process was started: {arguments}")

    monkeypatch.setattr(subprocess, "Popen", refuse)


@pytest.fixture
def files(pendulum, tmp_path):
    files = recording(pendulum, tmp_path)
    cuttle.simulate(files[0], "robot.links.arm.joint.damping=0.05").save(tmp_path / "run.h5")
    return files


def without_times(answer):
    return {name: part for name, part in answer.items() if name not in ("seconds", "written")}


OPTIONS = ["--folds", "2", "--prior", "links.arm.body.mass=1:0.5", "--deviation", "arm.joint.q0=0.01", "--loss", "huber"]


def test_an_identification_answers_as_the_command(files, tmp_path, monkeypatch):
    words = [str(file) for file in files] + [word for entry in FREE for word in ("--free", entry)]
    held_out = ["--held-out", str(files[1])]
    command = json.loads(run_program("identify", *words, *OPTIONS, *held_out, "--json", "-o", str(tmp_path / "by_command.yaml"),
                                     "--report", str(tmp_path / "by_command.html")))
    monkeypatch.setattr(subprocess, "Popen", None)  # what is called fails
    found = cuttle.identify(files, FREE, *OPTIONS, *held_out, output=tmp_path / "found.yaml", report=tmp_path / "found.html")
    assert list(found) == list(command) and "held_out" in found and "cross_validation" in found
    assert without_times(found) == without_times(command)
    assert found["written"] == str(tmp_path / "found.yaml")
    for kind in ("yaml", "html"):
        texts = [(tmp_path / f"{name}.{kind}").read_text() for name in ("found", "by_command")]
        assert texts[0].replace("found.", "by_command.") == texts[1].replace("found.", "by_command.")


def test_a_comparison_answers_as_the_command(files, tmp_path, monkeypatch):
    words = [str(tmp_path / "run.h5"), str(files[1])]
    command = json.loads(run_program("compare", *words, "--json", "--length", "0.3", "-o", str(tmp_path / "by_command.svg")))
    monkeypatch.setattr(subprocess, "Popen", None)
    found = cuttle.compare(*words, "-o", str(tmp_path / "found.svg"), length=0.3)
    assert found == command and found["channels"]
    assert (tmp_path / "found.svg").read_text() == (tmp_path / "by_command.svg").read_text()
    for _ in range(2):  # a figure of Cuttle is replaced
        cuttle.compare(*words, "-o", str(tmp_path / "found.svg"))


def test_what_one_call_read_another_one_writes(files, tmp_path, no_process):
    """As with commands, each of which begins anew."""
    found = tmp_path / "found.yaml"
    cuttle.identify(files, FREE[:1], output=found)
    (tmp_path / "table.csv").write_text("motor,arm.joint.q0\n0.1,0.05\n0.2,0.11\n")
    cuttle.identify([found, tmp_path / "table.csv"], ["links.arm.body.mass=0.5:2"])  # reads it
    cuttle.identify(files, FREE[:1], output=found)  # and here it is written again
    with pytest.raises(cuttle.ProgramError, match="found.yaml"):  # but not what this call reads
        cuttle.identify([found, tmp_path / "table.csv"], ["links.arm.body.mass=0.5:2"], output=found)
    cuttle.load_run(tmp_path / "run.h5").save(files[1].with_name("rows.csv"))
    cuttle.compare(tmp_path / "run.h5", tmp_path / "rows.csv")
    cuttle.load_run(tmp_path / "run.h5").save(tmp_path / "rows.csv")


@pytest.mark.parametrize(("words", "said"), [
    (["--folds", "1"], "--folds"), (["--nothing-such"], "nothing-such"), (["--loss", "huber:0"], "--loss: found 'huber:0'"),
    (["--length", "-1"], "--length: found -1"), (["--report", "x.txt"], "--report: found 'x.txt'")])
def test_wrong_words_are_said_as_by_the_command(files, words, said, no_process):
    with pytest.raises(cuttle.ProgramError, match=said):
        cuttle.identify(files, FREE, *words)


def test_errors_keep_their_parts(files, no_process):
    with pytest.raises(cuttle.ProgramError, match="dampin") as caught:
        cuttle.identify(files, ["links.arm.joint.dampin"])
    assert isinstance(caught.value.__cause__, cuttle.ArgumentError)
    with pytest.raises(cuttle.ProgramError, match="nowhere.yaml") as caught:
        cuttle.identify([files[0].with_name("nowhere.yaml"), files[1]], FREE)
    assert isinstance(caught.value.__cause__, cuttle.FileError)


def test_a_search_that_is_ended_before_anything_was_compared_has_no_result(pendulum, tmp_path, no_process):
    pendulum.save(tmp_path / "pendulum.yaml")
    (tmp_path / "long_scenario.yaml").write_text(
        "cuttle: 1\nrobot: pendulum.yaml\nsimulation: {duration: 10000, output_step: 100, initial: {arm: {q: [0.8]}},"
        " integrator: {type: rk4, step: 1e-4}}\n")  # 1e8 steps: minutes
    (tmp_path / "long.csv").write_text("time,arm.joint.q0\n0,0.8\n5000,0.2\n10000,0.1\n")

    class Enough(Exception):
        pass

    def ring(number, frame):
        raise Enough

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(Enough) as caught:
            cuttle.identify([tmp_path / "long_scenario.yaml", tmp_path / "long.csv"], FREE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert caught.value.result is None


def test_other_threads_go_on_while_it_searches(files, no_process):
    """The interpreter's lock is free: a thread counts meanwhile."""
    import threading

    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        found = cuttle.identify(files, FREE, "--starts", "20")
    finally:
        done.set()
        thread.join()
    assert counted[0] > before + 100 and np.isfinite(found["rms"])
