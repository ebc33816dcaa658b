"""docs/python.md does what it says: its blocks of Python are run in order, in one folder."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_tutorial_runs(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("xarray")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = [(text[: m.start()].count("\n") + 2, m[1]) for m in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]
    assert len(blocks) > 8
    names = {"__name__": "tutorial"}
    for line, block in blocks:
        exec(compile("\n" * (line - 1) + block, str(PAGE), "exec"), names)  # errors name the line of the page


def test_the_readme_runs_and_shows_the_page(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    text = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert len(opened) == 1 and "<html" in Path(opened[0].removeprefix("file://")).read_text()[:1000]


def test_the_page_on_learning_runs():
    pytest.importorskip("gymnasium")
    page = PAGE.parent / "learning.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert names["observations"].shape == (64, 7)
