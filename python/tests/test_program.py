"""The command that pip installs: `cuttle demo`, and names of examples in the place of files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuttle
from cuttle._program import with_example

CALL = "from cuttle._program import main; main()"


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(Path(cuttle.__file__).absolute().parents[1])}
    command = [sys.executable, "-c", CALL, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_demo_writes_a_result_and_a_page(tmp_path):
    done = run(tmp_path, "demo", "pendulum", "--no-open")
    assert done.returncode == 0, done.stderr
    assert cuttle.load_run(tmp_path / "pendulum.h5").time[-1] > 0
    assert "</html>" in (tmp_path / "pendulum.html").read_text(encoding="utf-8")
    assert run(tmp_path, "demo", "pendulum", "--no-open").returncode == 0  # again, over its own files


def test_demo_says_what_it_knows(tmp_path):
    names = run(tmp_path, "demo", "--list").stdout.split()
    assert "hybrid_arm" in names and "pendulum" in names
    refused = run(tmp_path, "demo", "no_such_robot")
    assert refused.returncode == 2
    assert "demo: found 'no_such_robot', expected one of " in refused.stderr and "hybrid_arm" in refused.stderr
    assert run(tmp_path, "demo", "--help").stdout.startswith("Simulate a robot that comes with the package")


def test_the_name_of_an_example_stands_for_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robot, scenario = cuttle.example("hybrid_arm"), cuttle.example("hybrid_arm_scenario")
    assert Path(robot).name == "hybrid_arm.yaml" and Path(scenario).parent == Path(robot).parent
    assert with_example(["info", "hybrid_arm", "--json"]) == ["info", robot, "--json"]
    assert with_example(["simulate", "hybrid_arm", "-o", "x.h5"]) == ["simulate", scenario, "-o", "x.h5"]
    for untouched in (["--help"], ["plot", "hybrid_arm"], ["info", "no_such_robot"], ["simulate", "--help"], []):
        assert with_example(untouched) == untouched
    (tmp_path / "hybrid_arm").write_text("a file of this name goes first")
    assert with_example(["info", "hybrid_arm"]) == ["info", "hybrid_arm"]


def test_an_example_is_found_by_its_name_alone():
    assert cuttle.example("hybrid_arm.yaml") == cuttle.example("pustina2025/hybrid_arm")
    with pytest.raises(FileNotFoundError, match="example 'no_such_robot': found none, expected one of "):
        cuttle.example("no_such_robot")
