"""Models against data: parameters from recordings, and how far a run is from one."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core
from ._engine import share_out
from ._numbers import number_of
from ._program import Progress, shown_progress
from .errors import ArgumentError, Error, ProgramError


def as_file(given: Any, folder: str, number: int) -> str:
    """The path of a file that says what is given: a path as it is; a Robot, a scenario, a Run (its times and coordinates)
    or a table of pandas (its columns, and an index that has a name) written into a folder."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    stem = os.path.join(folder, f"given_{number}")
    if hasattr(given, "to_csv"):
        given.to_csv(stem + ".csv", index=getattr(getattr(given, "index", None), "name", None) is not None)
        return stem + ".csv"
    if not hasattr(given, "save"):
        raise ArgumentError(
            f"files[{number}]: found {type(given).__name__}, expected a path, a Robot, a scenario, a Run or a DataFrame", "files"
        )
    if hasattr(given, "q"):  # a Run
        names = ["time", *(info.name for info in given.robot.model.configuration_info)]
        with open(stem + ".csv", "w", encoding="utf-8") as table:
            table.write(",".join(names) + "\n")
            for time, q in zip(given.time, given.q):
                table.write(",".join(repr(float(number)) for number in (time, *q)) + "\n")
        return stem + ".csv"
    given.save(stem + ".yaml")
    return stem + ".yaml"


def identify(
    files: Sequence[Any],
    free: Sequence[str],
    *options: str,
    columns: Mapping[str, str] | None = None,
    output: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    engine: Any = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Parameters from recordings of motions and tables of equilibria (``cuttle identify``, docs/identification.md).

    files: robot and scenario files, each followed by its tables in CSV, as the command takes them: paths, or Robots, scenarios
    (``Robot.scenario``), DataFrames and Runs (their coordinates) in their place.
    free: numbers to find, 'PATH' or 'PATH=lo:hi:log'.   columns: what columns are, as {'x_mm': 'hand.tip.x*0.001'}.
    output: the robot file with what was found.   report: the page in HTML.   options: of the command, as '--folds', '8'.
    engine: who searches from the starts of '--starts', 'N', one a task: as of ``cuttle.sweep``; files travel. The best one is
        searched once more here, for its report: `evaluations` are its own.
    progress: called when the best found becomes better, with the part that is done, 0 to 1, and words on it; without it a
    terminal shows them.
    Returns what the command prints as JSON: parameters with intervals, rms, correlation (docs/format.md). ``converged`` is whether
    it is a fit, ``hints`` what to try otherwise. Raises ProgramError with its words. Ctrl-C ends the search: `output` and
    `report` are written with the best so far, and ``error.result`` of the KeyboardInterrupt is what would be returned, None if
    nothing was compared yet; so of whatever else is raised meanwhile. A second Ctrl-C leaves out what is not begun of held-out
    tables and report.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = [as_file(file, folder, number) for number, file in enumerate(files)]
        for entry in free:
            arguments += ["--free", entry]
        for column, name in (columns or {}).items():
            arguments += ["--map", f"{column}={name}"]
        outputs = []
        for option, path in (("-o", output), ("--report", report)):
            if path is not None:
                outputs += [option, os.fspath(path)]
        return run_identify([*arguments, *options], progress, engine, outputs)


def run_identify(
    words: Sequence[str], progress: Progress | None, engine: Any = None, outputs: Sequence[str] = ()
) -> dict[str, Any]:
    """The answer for the words of the command; what ends it early has that for the best so far as ``result``.

    outputs: words on files that it writes, which are for us alone.
    """
    with shown_progress(progress) as show:
        if engine is None:
            return _answer(_core.identify, [*words, *outputs], show)
        starts = int(next((words[i + 1] for i, word in enumerate(words[:-1]) if word == "--starts"), "1"))
        packed = _packed(words)
        searches = [(packed, start) for start in range(starts)]
        told = None if show is None else (lambda done, total: show(done / (total + 1), f"{done} of {total} starts"))
        found = share_out(_search, searches, engine=engine, done=told)
        costs = [cost for cost, _ in found]
        best = costs.index(min(costs))
        if math.isinf(costs[best]):
            raise ProgramError(found[0][1])
        answer = _answer(_core.identify, [*words, *outputs, "--only-start", str(best)], show)
        answer["start_costs"] = [None if math.isinf(cost) else cost for cost in costs]
        return answer


@dataclass(frozen=True)
class _Packed:
    """Words of a command with the files that they name, by their places to each other."""

    files: dict[str, bytes]
    words: list[tuple[str, str]]  #: what a word begins with, and the place of its file; or the word and nothing


def _packed(words: Sequence[str]) -> _Packed:
    named: list[tuple[str, str]] = []
    contents: dict[str, bytes] = {}
    for word in words:
        path = word.removeprefix("@")
        if not os.path.isfile(path):
            named.append((word, ""))
            continue
        path = os.path.abspath(path)
        named.append((word[: len(word) - len(word.removeprefix("@"))], path))
        contents[path] = Path(path).read_bytes()
        if path.endswith((".yaml", ".yml")):
            contents.update(_beside(path))
    root = os.path.commonpath([os.path.dirname(path) for path in contents])
    places = {path: os.path.relpath(path, root) for path in contents}
    files = {places[path]: content for path, content in contents.items()}
    return _Packed(files, [(begin, places[path] if path else "") for begin, path in named])


def _beside(path: str) -> dict[str, bytes]:
    """Files that a robot or a scenario names, by their paths."""

    def named(of: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
        return {os.path.normpath(os.path.join(os.path.dirname(of), name)): content for name, content in files.items()}

    try:
        robot = _core.load_robot_file(path)
    except Error:
        _, _, files, robot_path, _, robot_files, _ = _core.load_scenario_file(path)._texts()
        robot_path = os.path.abspath(robot_path)
        return {robot_path: Path(robot_path).read_bytes(), **named(path, files), **named(robot_path, robot_files)}
    return named(path, robot.files)


def _search(task: tuple[_Packed, int]) -> tuple[float, str]:
    """What the search from one start leads to: its cost, or infinity and why."""
    packed, start = task
    with tempfile.TemporaryDirectory(prefix="cuttle_identify_") as folder:
        for name, content in packed.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        words = [begin + os.path.join(folder, place) if place else begin for begin, place in packed.words]
        try:
            found = _answer(_core.identify, [*words, "--only-start", str(start)], None)
        except ProgramError as error:
            if "found nothing to compare with" not in str(error):
                raise
            return math.inf, str(error)
    cost = found["start_costs"][0]
    return (math.inf, "") if cost is None else (cost, "")


def _answer(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """What is wrong with what the command takes is a ProgramError with its words."""
    try:
        return function(*arguments)
    except Error as error:
        raise ProgramError(*error.args) from error


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *options: str,
    columns: Mapping[str, str] | None = None,
    length: float | None = None,
) -> dict[str, Any]:
    """How far a result is from another one or from a recording, by channel and over time (``cuttle compare``).

    a: a result.   b: a result, or a table in CSV.   columns: what its columns are, as of ``identify``.
    length: errors of positions also in percent of it [m].   options: of the command, as '-o', 'figure.svg'.
    Returns what the command prints as JSON: channels with rms, max and where (docs/format.md).
    """
    arguments = [os.fspath(a), os.fspath(b)]
    for column, name in (columns or {}).items():
        arguments += ["--map", f"{column}={name}"]
    if length is not None:
        arguments += ["--length", repr(number_of(length, "length"))]
    return _answer(_core.compare, [*arguments, *options])
