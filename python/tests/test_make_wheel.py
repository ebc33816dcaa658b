"""Which Pythons scripts/make_wheel.py makes wheels with, and that pyproject.toml asks for the same ones."""

import importlib.util
import stat
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("make_wheel", ROOT / "scripts" / "make_wheel.py")
make_wheel = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_wheel)


def python(folder, name, version, implementation="CPython", free_threaded="false", headers="true", pip="true"):
    """A program that answers as a Python would."""
    program = folder / name
    program.write_text(
        f'#!/bin/sh\necho \'{{"version": {list(version)}, "program": "{program}", "implementation": "{implementation}",'
        f' "free_threaded": {free_threaded}, "headers": {headers}, "pip": {pip}}}\'\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_old_pythons_have_a_wheel_each_and_newer_ones_share_one():
    assert [make_wheel.wheel_tag((3, minor)) for minor in (9, 10, 11, 12, 13, 27)] == [
        None, "cp310-cp310", "cp311-cp311", "cp312-abi3", "cp312-abi3", "cp312-abi3",
    ]


def test_one_python_is_chosen_for_each_wheel(tmp_path):
    newest, newer, old = (python(tmp_path, f"python3.{minor}", (3, minor)) for minor in (13, 12, 10))
    assert make_wheel.choose([newest, newer, old]) == ({"cp312-abi3": newest, "cp310-cp310": old}, [])


def test_a_python_that_cannot_make_a_wheel_is_left_out_with_the_reason(tmp_path):
    others = [
        str(tmp_path / "none"),
        python(tmp_path, "pypy", (3, 11), implementation="PyPy"),
        python(tmp_path, "python3.13t", (3, 13), free_threaded="true"),
        python(tmp_path, "python3.9", (3, 9)),
        python(tmp_path, "bare", (3, 12), headers="false"),
        python(tmp_path, "no_pip", (3, 12), pip="false"),
    ]
    chosen, left_out = make_wheel.choose(others)
    assert chosen == {}
    assert left_out == list(zip(others, [
        "is no Python that runs", "is not the usual CPython", "is not the usual CPython",
        "is Python 3.9, expected 3.10 or newer", "has no headers (Python.h)", "has no pip",
    ]))


def test_pyproject_asks_for_the_same_wheels():
    settings = pytest.importorskip("tomllib").loads((ROOT / "pyproject.toml").read_text())["tool"]
    override, = settings["scikit-build"]["overrides"]
    stable = "{}.{}".format(*make_wheel.FIRST_STABLE)
    assert override["if"]["python-version"] == f">={stable}"
    assert override["wheel"]["py-api"] == "cp" + stable.replace(".", "")
    pythons = [*make_wheel.OWN_WHEEL, make_wheel.FIRST_STABLE]
    assert settings["cibuildwheel"]["build"] == ["cp{}{}-manylinux_x86_64".format(*version) for version in pythons]
