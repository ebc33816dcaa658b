"""Many runs of a scenario whose numbers vary, on this machine or on others (docs/sweeps.md)."""

from __future__ import annotations

import csv
import json
import os
import socket
import sys
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Union

from . import _sweep_worker
from ._compared import Compared
from ._engine import Engine
from ._numbers import number_of
from ._program import Progress, _draw, run_program
from ._sweep_worker import Work, run_chunk, run_kept
from .errors import ArgumentError, Error
from .robot import Run

#: What a parameter takes: numbers, one for all runs, or words as --set has them: '1e5:1e6:5:log', 'normal(3, 0.1)'.
Varied = Union[float, str, Sequence[float]]
#: A metric of the command, as 'max:arm.tip.x', or a function of a Run that returns a number.
Metric = Union[str, Callable[[Run], float]]


class Sweep(Compared):
    """What came of a sweep: a row a run, by number.

    head: plan, runs, hash of robot and scenario, version, instruction_set, and what varies and is kept with units.
    rows: as the file has them; a run that is not there yet has none. `run_as` says how each was made (docs/sweeps.md).
    """

    def __init__(self, head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
        self.head = dict(head)
        self.rows = sorted((dict(row) for row in rows), key=lambda row: row["row"])

    @property
    def parameters(self) -> dict[str, str]:
        """Units of what varies, by path."""
        return {column["name"]: column["unit"] for column in self.head["parameters"]}

    @property
    def outputs(self) -> dict[str, str]:
        """Units of what is kept, by name."""
        return {column["name"]: column["unit"] for column in self.head["outputs"]}

    @property
    def failed(self) -> dict[int, str]:
        """Why runs are not complete, by number."""
        return {row["row"]: row["reason"] for row in self.rows if row["status"] != "complete"}

    @cached_property
    def frame(self) -> Any:
        """All rows as a pandas.DataFrame (needs pandas), indexed by the number of the run."""
        import pandas

        data = self._columns()
        return pandas.DataFrame(data, index=pandas.Index([row["row"] for row in self.rows], name="row"))

    @cached_property
    def dataset(self) -> Any:
        """All rows as an xarray.Dataset (needs xarray) along `run`: outputs, with what varies as coordinates."""
        import xarray

        columns = self._columns()
        units = {**self.parameters, **self.outputs, "seconds": "s"}

        def variable(name: str) -> tuple[str, Any, dict[str, str]]:
            return "run", columns[name], {"units": units[name]} if units.get(name) else {}

        coordinates: dict[str, Any] = {"run": [row["row"] for row in self.rows]}
        coordinates |= {name: variable(name) for name in self.parameters}
        data = {name: variable(name) for name in columns if name not in coordinates}
        keys = ("plan", "runs", "hash", "version", "instruction_set")
        return xarray.Dataset(data, coordinates, {key: self.head[key] for key in keys})

    def _columns(self) -> dict[str, list[Any]]:
        data: dict[str, list[Any]] = {}
        for kind in ("parameters", "outputs"):
            for i, column in enumerate(self.head[kind]):
                data[column["name"]] = [row[kind][i] for row in self.rows]
        for name in ("status", "reason", "seconds", "run_as"):
            data[name] = [row.get(name, "") for row in self.rows]
        return data

    def _compared(self) -> Any:
        # seconds are not what a run is, and tables are made when somebody asks
        return self.head, [{key: value for key, value in row.items() if key != "seconds"} for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Sweep of {self.head['runs']} runs, {len(self.rows)} made, {len(self.failed)} failed>"


def sweep(
    file: str | os.PathLike[str],
    set: Mapping[str, Varied] | Sequence[str] = (),
    *,
    keep: Sequence[str] | Mapping[str, Metric] = (),
    sample: str | None = None,
    runs: int | None = None,
    seed: int = 0,
    table: str | os.PathLike[str] | Mapping[str, Sequence[float]] | None = None,
    identified: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    statics: bool = False,
    modes: bool = False,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    engine: Any = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    isa: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Makes many runs of a scenario file, or equilibria or modes of a robot file, whose numbers vary.

    set: what varies, by path, and values for all runs: ``{"robot.gravity[2]": [-9.81, -1.62]}``; or texts of ``--set``.
    keep: metrics, as ``["max:arm.tip.x"]``; by name they may be functions of a Run: ``{"reach": lambda run: ..}``.
    sample, runs, seed: how samples of ranges and distributions are drawn.
    table: a row a run: a CSV file, or columns of numbers by path, as a dict or a pandas.DataFrame.
    identified: what ``cuttle.identify`` returned, or the file of ``cuttle identify --json``: its parameters are drawn for each
        sample, normal with their covariance.
    output: a file, .h5 or .csv, that is whole all the time; with `resume` its rows are not made again.
    engine: None: `jobs` threads of this machine (one a core). Else an executor of concurrent.futures, a dask.distributed.Client
        or the address of its scheduler. Its workers need this package.
    time_limit: of a run [s]; one that takes longer has failed, one that does not even answer is ended.
    isa: 'baseline', 'avx2' or 'avx512', for the same bits on different machines.
    progress: called with the part that is done and words; else a terminal shows it.

    Returns the Sweep; a run that fails is a row with its reason. Ctrl-C ends it: ``error.sweep`` of the KeyboardInterrupt has the
    rows so far, and so has the output. Raises ArgumentError for wrong arguments and for workers that would make other bits.
    """
    functions = {name: metric for name, metric in keep.items() if callable(metric)} if isinstance(keep, Mapping) else {}
    if functions and (statics or modes):
        raise ArgumentError(f"keep: found a function, {next(iter(functions))}, of equilibria, expected a column: they have no Run")
    arguments = _settings(set, keep, sample, runs, seed)
    arguments += ["--statics"] * statics + ["--modes"] * modes
    if time_limit is not None:
        arguments += ["--time-limit", repr(number_of(time_limit, "time_limit"))]
    if isa is not None:
        arguments += ["--isa", isa]
    path = os.fspath(file)
    with tempfile.TemporaryDirectory(prefix="cuttle_sweep_") as folder:
        if table is not None:
            arguments += ["--table", _table_file(table, output, folder)]
        if identified is not None:
            arguments += ["--identified", _report_file(identified, output, folder)]
        target = os.fspath(output) if output is not None else os.path.join(folder, "sweep.csv")
        if engine is None and not functions:
            return _by_command(path, arguments, target, resume, jobs, progress, folder)
        head = json.loads(run_program("sweep", path, *arguments, "--dry-run", "--json"))
        work = _work(arguments, head, functions, time_limit)
        head["outputs"] += [{"name": name, "unit": ""} for name in functions]
        rows = _rows_of(target, head, folder) if resume and os.path.exists(target) else []
        writer = _Writer(target, head, rows, folder)
        sweeper = _Sweeper(work, writer, progress)
        try:
            with Engine(engine, jobs) as used:
                try:
                    sweeper.make(used)
                except BaseException:
                    _sweep_worker.close(work.key)  # what runs on threads here is ended, not waited for
                    raise
        except BaseException as error:
            error.sweep = Sweep(head, writer.rows.values())  # type: ignore[attr-defined]
            raise
        finally:
            _sweep_worker.close(work.key)
            writer.write()
        return Sweep(head, writer.rows.values())


# --- what the command is told -----------------------------------------------------------------------------------------
def _settings(
    set: Mapping[str, Varied] | Sequence[str],
    keep: Sequence[str] | Mapping[str, Metric],
    sample: str | None,
    runs: int | None,
    seed: int,
) -> list[str]:
    arguments: list[str] = []
    texts = [f"{path}={_varied(path, value)}" for path, value in set.items()] if isinstance(set, Mapping) else list(set)
    for text in texts:
        arguments += ["--set", text]
    if isinstance(keep, str):
        keep = [keep]
    names = [f"{name}={m}" for name, m in keep.items() if not callable(m)] if isinstance(keep, Mapping) else list(keep)
    for name in names:
        arguments += ["--keep", name]
    if sample is not None:
        arguments += ["--sample", sample]
    if runs is not None:
        arguments += ["--runs", str(runs)]
    if seed:
        arguments += ["--seed", str(seed)]
    return arguments


def _varied(path: str, value: Varied) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        numbers = [repr(number_of(one, path)) for one in value]  # type: ignore[union-attr]
    except TypeError:
        return repr(number_of(value, path))
    # a list of one varies too
    return ",".join(numbers) if len(numbers) != 1 else f"{numbers[0]}:{numbers[0]}:1"


def _beside(output: str | os.PathLike[str] | None, ending: str, folder: str) -> str:
    """A file of a sweep: where its runs can be made again if it has an output."""
    return os.path.join(folder, ending) if output is None else f"{os.path.splitext(os.fspath(output))[0]}_{ending}"


def _table_file(table: Any, output: str | os.PathLike[str] | None, folder: str) -> str:
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    try:
        columns = {str(name): [number_of(x, f"table.{name}") for x in table[name]] for name in table}
    except (TypeError, KeyError):
        raise ArgumentError(f"table: found a {type(table).__name__}, expected a file or columns of numbers by path", "table") from None
    lengths = {name: len(numbers) for name, numbers in columns.items()}
    if len({*lengths.values()}) != 1:
        raise ArgumentError(f"table: found columns of lengths {lengths}, expected one length", "table")
    path = _beside(output, "table.csv", folder)
    with open(path, "w", encoding="utf-8", newline="") as text:
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows([repr(x) for x in row] for row in zip(*columns.values()))
    return path


def _report_file(
    identified: str | os.PathLike[str] | Mapping[str, Any], output: str | os.PathLike[str] | None, folder: str
) -> str:
    if not isinstance(identified, Mapping):
        return os.fspath(identified)
    path = _beside(output, "identified.json", folder)
    with open(path, "w", encoding="utf-8") as text:
        json.dump(dict(identified), text)
    return path


def _work(
    arguments: list[str],
    head: dict[str, Any],
    functions: Mapping[str, Callable[[Run], float]],
    time_limit: float | None,
) -> Work:
    """All that workers need, wherever they are: files with their places to each other."""
    tables = [word for i, word in enumerate(arguments) if i > 0 and arguments[i - 1] == "--table"]
    paths = [os.path.abspath(name) for name in (*head["files"], *tables)]
    root = os.path.commonpath([os.path.dirname(name) for name in paths])
    places = {name: os.path.relpath(name, root) for name in paths}
    files = {place: Path(name).read_bytes() for name, place in places.items()}
    named = ("--table", "--identified")
    local = [places[os.path.abspath(word)] if i > 0 and arguments[i - 1] in named else word for i, word in enumerate(arguments)]
    known = {key: head[key] for key in ("plan", "hash", "version", "instruction_set", "outputs", "lanes")}
    known["outputs"] = list(known["outputs"])
    client = (socket.gethostname(), os.getpid())
    arguments = [places[paths[0]], *local]
    spare = _sweep_worker._SPARE
    return Work(uuid.uuid4().hex, files, arguments, known, list(functions.items()), time_limit, client, spare)


# --- files ------------------------------------------------------------------------------------------------------------
def _rows_of(path: str, head: Mapping[str, Any] | None, folder: str) -> list[dict[str, Any]]:
    """Rows of a sweep's file. Raises ArgumentError if they are of another sweep."""
    text_path = os.path.join(folder, "rows.csv")
    run_program("sweep", "--merge", path, "-o", text_path)
    rows = []
    with open(text_path, encoding="utf-8", newline="") as text:
        comments = []
        while (line := text.readline()).startswith("#"):
            comments.append(line.rstrip("\n"))
        said = _said(comments)
        if head is not None:
            for key in ("hash", "plan", "outputs"):
                if said[key] != head[key]:
                    raise ArgumentError(f"{path}: {key}: found {said[key]}, expected {head[key]} of this sweep")
        names = next(csv.reader([line]))
        first, kept = len(said["parameters"]), len(said["outputs"])
        for cells in csv.reader(text):
            row: dict[str, Any] = dict(zip(names, cells))
            row["row"], row["seconds"] = int(row["row"]), float(row["seconds"])
            numbers = [float(cell) if cell else float("nan") for cell in cells[1 : 1 + first + kept]]
            row["parameters"], row["outputs"] = numbers[:first], numbers[first:]
            if head is not None and (row["version"], row["instruction_set"]) != (head["version"], head["instruction_set"]):
                raise ArgumentError(
                    f"{path}: row {row['row']}: found Cuttle {row['version']}, {row['instruction_set']}, "
                    f"expected {head['version']}, {head['instruction_set']}"
                )
            rows.append(row)
    os.unlink(text_path)
    return rows


def _said(comments: Sequence[str]) -> dict[str, Any]:
    """What the first lines of a sweep in CSV say."""
    said: dict[str, Any] = {"parameters": [], "outputs": []}
    for line in comments:
        key, _, value = line[2:].partition(": ")
        if key in ("varied", "kept"):
            name, _, unit = value.rpartition(" [")
            said["parameters" if key == "varied" else "outputs"].append({"name": name, "unit": unit[:-1]})
        elif key in ("plan", "hash", "runs"):
            said[key] = int(value) if key == "runs" else value
    return said


class _Writer:
    """All rows so far, and their file, which is replaced as a whole now and then."""

    def __init__(self, path: str, head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], folder: str) -> None:
        self.path, self.head, self.folder = path, head, folder
        self.rows: dict[int, Mapping[str, Any]] = {row["row"]: row for row in rows}
        self._written = len(self.rows)
        self._last, self._pause = time.monotonic(), 1.0

    def add(self, row: dict[str, Any]) -> None:
        assert row["row"] not in self.rows
        self.rows[row["row"]] = row

    def tick(self) -> None:
        if time.monotonic() - self._last > self._pause:
            self.write()

    def write(self) -> None:
        if len(self.rows) == self._written:
            return
        begin = time.monotonic()
        rows = [self.rows[number] for number in sorted(self.rows)]
        text_path = os.path.join(self.folder, "so_far.csv")
        head = self.head
        with open(text_path, "w", encoding="utf-8", newline="") as text:
            text.write(f"# written by Cuttle {head['version']}: a sweep, docs/sweeps.md\n")
            text.write(f"# plan: {head['plan']}\n# runs: {head['runs']}\n# hash: {head['hash']}\n")
            text.writelines(f"# argument: {' '.join(word.splitlines())}\n" for word in head["arguments"])
            for mark, kind in (("varied", "parameters"), ("kept", "outputs")):
                text.writelines(f"# {mark}: {column['name']} [{column['unit']}]\n" for column in head[kind])
            lines = csv.writer(text, lineterminator="\n")
            names = [column["name"] for kind in ("parameters", "outputs") for column in head[kind]]
            lines.writerow(["row", *names, "status", "reason", "seconds", "version", "instruction_set", "hash", "run_as"])
            for row in rows:
                numbers = ["" if x != x else repr(x) for x in (*row["parameters"], *row["outputs"], row["seconds"])]
                end = [row["status"], row["reason"], numbers.pop(), head["version"], head["instruction_set"], head["hash"]]
                end.append(row["run_as"])
                lines.writerow([row["row"], *numbers, *end])
        run_program("sweep", "--merge", text_path, "-o", self.path)
        self._written, self._last = len(rows), time.monotonic()
        self._pause = max(1.0, 20 * (self._last - begin))


def _by_command(
    path: str, arguments: list[str], target: str, resume: bool, jobs: int | None, progress: Progress | None, folder: str
) -> Sweep:
    """Threads of this machine: the command makes all of it."""
    head = json.loads(run_program("sweep", path, *arguments, "--dry-run", "--json"))
    more = ["--resume"] * resume + (["--jobs", str(jobs)] if jobs else [])
    try:
        run_program("sweep", path, *arguments, "-o", target, "--shard", "0/1", *more, progress=progress)
    except BaseException as error:
        rows = _rows_of(target, head, folder) if os.path.exists(target) else []
        if isinstance(error, Error) and len(rows) == head["runs"]:
            return Sweep(head, rows)  # all of them failed: that is what the rows say
        error.sweep = Sweep(head, rows)  # type: ignore[attr-defined]
        raise
    return Sweep(head, _rows_of(target, head, folder))


# --- rounds of runs ---------------------------------------------------------------------------------------------------
def _keeper(work: Work) -> Any:
    """Gives the work to each worker, also to those that come later, and ends its commands there."""
    import cloudpickle
    from distributed import WorkerPlugin

    key, content = work.key, cloudpickle.dumps(work)

    class Keeper(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            _sweep_worker.keep(content)

        def teardown(self, worker: Any) -> None:
            _sweep_worker.close(key)

    return Keeper()


class _Sweeper:
    """Shares the runs out and gathers their rows.

    The rows of a task whose worker ended come again one by one; one that is lost again is made once more with nothing beside it,
    so that a third loss is its own: that is the row to blame.
    """

    _TASK = 0.004  # [s] that a scheduler takes for a task: docs/sweeps.md

    def __init__(self, work: Work, writer: _Writer, progress: Progress | None) -> None:
        self._work, self._writer, self._progress = work, writer, progress
        self._draws = progress is None and bool(getattr(sys.stderr, "isatty", bool)())
        self._seconds, self._timed = 0.0, 0  # of runs so far
        self._begin = self._shown = time.monotonic()
        self._waiting = deque(number for number in range(writer.head["runs"]) if number not in writer.rows)
        self._single: deque[int] = deque()  # of tasks that were lost
        self._alone: deque[int] = deque()  # that were lost as the only run of a task
        self._total = len(self._waiting)

    def make(self, engine: Engine) -> None:
        if engine.is_dask:  # the work goes to each worker once
            engine.add_plugin(_keeper(self._work), f"cuttle-sweep-{self._work.key}")
        flying: dict[Any, list[int]] = {}
        alone = False  # what flies does so alone, to know whether it is to blame
        try:
            while self._waiting or self._single or self._alone or flying:
                most = 2 * engine.workers()
                while not alone and len(flying) < most and (self._waiting or self._single):
                    numbers = self._next(most // 2)
                    flying[self._submit(engine, numbers)] = numbers
                if not flying and self._alone:
                    numbers, alone = [self._alone.popleft()], True
                    flying[self._submit(engine, numbers)] = numbers
                for future in engine.first(flying):
                    self._end(engine, future, flying.pop(future), alone)
                alone = alone and bool(flying)
                self._writer.tick()
                self._show()
        finally:
            for future in flying:
                future.cancel()
            if self._draws:
                _draw(1.0, "")

    def _submit(self, engine: Engine, numbers: list[int]) -> Any:
        if engine.is_dask:
            return engine.submit(run_kept, self._work.key, numbers)
        return engine.submit(run_chunk, self._work, numbers)

    def _next(self, workers: int) -> list[int]:
        """Runs of a task: as many as take a second, or as the scheduler needs; and some tasks for each worker."""
        if self._single:
            return [self._single.popleft()]
        count = 1
        if self._timed:
            wanted = max(1.0, 2 * workers * self._TASK)
            each = max(self._seconds / self._timed, 1e-5)
            count = int(max(1, min(wanted / each, len(self._waiting) / (4 * workers), 10_000)))
        # runs that lie side by side take hardly longer than one; but each worker is to have some
        lanes = min(self._work.head["lanes"], max(1, -(-len(self._waiting) // workers)))
        count = max(lanes, count - count % lanes)
        return [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]

    def _end(self, engine: Engine, future: Any, numbers: list[int], alone: bool) -> None:
        try:
            rows = future.result()
        except BaseException as error:
            if not engine.lost(error):
                raise
            if len(numbers) > 1:
                self._single.extend(numbers)
            elif not alone:
                self._alone.extend(numbers)
            else:
                why = "its worker ended three times, the last one with nothing beside it"
                self._writer.add(_sweep_worker.unanswered(self._work, numbers[0], why))
            return
        for row in rows:
            self._writer.add(row)
            self._seconds, self._timed = self._seconds + row["seconds"], self._timed + 1

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown < 0.1:
            return
        self._shown = now
        rows = self._writer.rows.values()
        left = len(self._waiting) + len(self._single) + len(self._alone)
        failed = sum(row["status"] != "complete" for row in rows)
        words = f"{len(rows)} of {self._writer.head['runs']} runs  {self._timed / (now - self._begin):.3g} runs/s  {failed} failed"
        if self._progress is not None:
            self._progress(1.0 - left / max(self._total, 1), words)
        elif self._draws:
            _draw(1.0 - left / max(self._total, 1), words)
