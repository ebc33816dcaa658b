"""Notebooks and the Python twins of the C++ examples: they run, and the notebooks are what their scripts say."""

import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = ["first_robot", "hybrid_arm_controller", "ten_thousand_fingers"]


def cells_of_script(text):
    """(kind, text) of each cell of a script in jupytext's percent format, without its header."""
    cells = []
    for kind, body in re.findall(r"^# %%( \[markdown\])?\n(.*?)(?=^# %%|\Z)", text, re.M | re.S):
        body = body.strip("\n")
        if kind:
            body = "\n".join(re.sub("^# ?", "", line) for line in body.split("\n"))
        cells.append(("markdown" if kind else "code", body))
    return cells


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_its_script(name):
    notebook = json.loads((EXAMPLES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    script = cells_of_script((EXAMPLES / "notebooks" / f"{name}.py").read_text(encoding="utf-8"))
    assert len(script) > 5
    assert cells == script, f"after a change: jupytext --to ipynb examples/notebooks/{name}.py"
    assert not any(cell.get("outputs") for cell in notebook["cells"])  # they would change with each run


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / "notebooks" / f"{name}.py"), run_name="__main__")  # it asserts what it says


def test_two_segment_arm_is_that_of_cpp():
    names = runpy.run_path(str(EXAMPLES / "two_segment_arm.py"))
    # what two_segment_arm.cpp prints, with six digits
    tau = [0.00396098, -0.517564, 0.279758, 47.4854, 0.0299039, 0.100288, 1.30587]
    assert np.allclose(names["tau"], tau, rtol=1e-5, atol=0)
    assert np.allclose(names["tip"], [-0.0280607, -0.316788, 0.455431], rtol=1e-5, atol=0)


def test_custom_body_is_that_of_cpp():
    names = runpy.run_path(str(EXAMPLES / "custom_body.py"))
    # the closed forms of examples/toy_body_closed_forms.h at q = 0.8, v = 0.4, a = -0.8
    q, v, a = 0.8, 0.4, -0.8
    c, s = np.cos(q), np.sin(q)
    mass = np.pi * (1 / 12 + 1 / (3 * q**2) + (2 + 2 * c) / q**4 - 4 * s / q**5)
    bias = np.pi / 2 * v**2 * (-2 / (3 * q**3) - 2 * s / q**4 - (8 + 12 * c) / q**5 + 20 * s / q**6)
    assert abs(names["mass"] - mass) < 1e-12
    assert abs(names["force"] - (mass * a + bias + np.pi / 4 * q)) < 1e-12


def test_simulate_a_file_says_where_the_tip_goes(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["simulate_a_file.py"])
    names = runpy.run_path(str(EXAMPLES / "simulate_a_file.py"))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(names["run"].time) > 100
    assert np.allclose(np.linalg.norm(names["tip"], axis=1), 1.0, atol=1e-9)  # of a pendulum of 1 m


def test_own_contact_rests_and_bounces_by_closed_forms():
    names = runpy.run_path(str(EXAMPLES / "own_contact.py"))
    # a line of the whole circle bears the weight: pi/4 E* (depth - range / 2) a length, range 1e-3 of the tube
    depth = 0.1 * 9.81 / (np.pi / 4 * 1e5 * 2 * np.pi * 0.1) + 0.5e-3 * 0.02
    assert abs(names["depth"] / depth - 1) < 2e-3
    assert abs(names["speed"] - 1) < 1e-4
