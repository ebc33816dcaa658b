"""Runs of a sweep in a worker: a process or thread of whatever engine. Everything here travels by its name."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from ._program import program
from .errors import ArgumentError, ProgramError

_SPARE = 2.0  # [s] beyond the time limit, after which a run that does not answer is ended


@dataclass(frozen=True)
class Work:
    """What all runs of a sweep have in common."""

    key: str  #: of this sweep, wherever
    files: dict[str, bytes]  #: by their places to each other
    arguments: list[str]  #: of the command, whose files are in these places
    head: dict[str, Any]  #: that `cuttle sweep --lines` says first, as the client has it
    functions: list[tuple[str, Callable[[Any], float]]] = field(default_factory=list)  #: metrics, of a Run
    time_limit: float | None = None  #: [s] of a run
    client: tuple[str, int] = ("", 0)  #: host and process that must not be ended
    spare: float = _SPARE  #: [s] beyond the time limit


class Lost(Exception):
    """The process of a run ended before it answered."""


class _Lines:
    """The command, which makes the runs that it is told."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.folder = Path(tempfile.mkdtemp(prefix="cuttle_sweep_"))
        for name, content in work.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.results = self.folder / "results"
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        save = ["--save", "all", "-o", str(self.results)] if self.work.functions else []
        process = subprocess.Popen(
            [program(), "sweep", *self.work.arguments, "--lines", *save],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=self.folder,
            start_new_session=True,  # Ctrl-C is for the client, which ends us
        )
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        if not first:
            raise ProgramError(process.stderr.read().strip() or "cuttle sweep: found no answer")
        threading.Thread(target=process.stderr.read, daemon=True).start()  # what it says must not stop it
        self._compare(json.loads(first))
        return process

    def _compare(self, head: dict[str, Any]) -> None:
        """Raises ArgumentError if this machine would make other bits."""
        for name in ("version", "instruction_set", "hash", "plan"):
            if head[name] != self.work.head[name]:
                advice = "; isa='baseline' or 'avx2' makes machines equal" if name == "instruction_set" else ""
                raise ArgumentError(
                    f"worker {socket.gethostname()}, process {os.getpid()}: {name}: found {head[name]}, "
                    f"expected {self.work.head[name]} as the client has it{advice}"
                )

    def run(self, numbers: list[int]) -> list[dict[str, Any]]:
        """Rows of runs side by side. Raises Lost if the command ends meanwhile, by itself or because it does not answer."""
        process = self.process
        with _watched(self._patience(len(numbers)), self.work.spare, process.kill) as late:
            lines = [self._answer(" ".join(map(str, numbers)))]
            while lines[-1].endswith("\n") and len(lines) < len(numbers):
                lines.append(self._line())
        if lines[-1].endswith("\n"):
            return [json.loads(line) for line in lines]
        code = process.wait()
        if self.work.key in _closed:
            raise Lost("the sweep has ended")
        self.process = self._start()
        if late.is_set():
            raise Lost(f"found no answer {self.work.time_limit} s + {self.work.spare} s after its begin: its process was ended")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Lost(f"its process ended: {name}")

    def _patience(self, runs: int) -> float | None:
        """Time after which a run that does not answer is ended: those that are too late together are made one by one."""
        limit = self.work.time_limit
        return limit if limit is None or runs == 1 else (runs + 1) * limit

    def unanswered(self, number: int, reason: str) -> dict[str, Any]:
        """The row of a run that never answered."""
        row: dict[str, Any] = json.loads(self._answer(f"?{number}"))
        row["reason"] = reason
        return row

    def _answer(self, line: str) -> str:
        """What the command says to a line; without its end if it ends meanwhile."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            return ""
        return self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        try:
            return self.process.stdout.readline()
        except OSError:
            return ""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def _watched(time_limit: float | None, spare: float, end: Callable[[], None]) -> Iterator[threading.Event]:
    """Calls `end` if what is done within takes longer."""
    late = threading.Event()
    if time_limit is None:
        yield late
        return

    def act() -> None:
        late.set()
        end()

    timer = threading.Timer(time_limit + spare, act)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


_local = threading.local()
_all: list[_Lines] = []
_lock = threading.Lock()


def _lines(work: Work) -> _Lines:
    """The command of this thread, begun once a sweep."""
    lines: _Lines | None = getattr(_local, "lines", None)
    if lines is None or lines.work.key != work.key or lines.process.poll() is not None:
        if lines is not None:
            _forget(lines)
        lines = _local.lines = _Lines(work)
        with _lock:
            _all.append(lines)
    return lines


def _forget(lines: _Lines) -> None:
    with _lock:
        if lines in _all:
            _all.remove(lines)
    lines.close()


_kept: dict[str, Work] = {}
_closed: set[str] = set()


def keep(content: bytes) -> None:
    """Keeps the pickled work of a sweep for tasks that name it."""
    work: Work = pickle.loads(content)
    _kept[work.key] = work


def run_kept(key: str, numbers: list[int]) -> list[dict[str, Any]]:
    """Rows of some runs of a sweep whose work is here."""
    return run_chunk(_kept[key], numbers)


def close(key: str) -> None:
    """Ends the commands of a sweep in this process, for good."""
    _closed.add(key)
    _kept.pop(key, None)
    for lines in [lines for lines in _all if lines.work.key == key]:
        _forget(lines)


def unanswered(work: Work, number: int, reason: str) -> dict[str, Any]:
    """The row of a run whose worker ended."""
    row = _lines(work).unanswered(number, reason)
    row["outputs"] = [float("nan")] * (len(row["outputs"]) + len(work.functions))
    return row


def run_chunk(work: Work, numbers: list[int]) -> list[dict[str, Any]]:
    """Rows of some runs; of fewer, once the sweep is closed here and nobody wants them."""
    rows: list[dict[str, Any]] = []
    for first in range(0, len(numbers), work.head["lanes"]):
        if work.key in _closed:
            break
        rows += _run(work, numbers[first : first + work.head["lanes"]])
    return rows


def _run(work: Work, numbers: list[int]) -> list[dict[str, Any]]:
    """Rows of runs that lie side by side."""
    lines = _lines(work)
    try:
        rows = lines.run(numbers)
    except Lost as error:
        if work.key in _closed:
            return [{"row": number} for number in numbers]
        if len(numbers) > 1:  # one of them is to blame
            return [row for number in numbers for row in _run(work, [number])]
        rows = [lines.unanswered(numbers[0], str(error))]
    return [_finished(work, lines, row) for row in rows]


def _finished(work: Work, lines: _Lines, row: dict[str, Any]) -> dict[str, Any]:
    row["outputs"] = [float("nan") if value is None else float(value) for value in row["outputs"]]
    if work.functions:
        row["outputs"] = _measure(work, lines, row)
    return row


def _measure(work: Work, lines: _Lines, row: dict[str, Any]) -> list[float]:
    """The outputs with metrics that are functions of Python; what one raises makes the row fail."""
    outputs: list[float] = row["outputs"]
    nothing = [float("nan")] * (len(outputs) + len(work.functions))
    path = lines.results / f"{row['row']}.h5"
    try:
        if row["status"] != "complete":
            return nothing
        from .robot import load_run

        here = work.client == (socket.gethostname(), os.getpid())
        with _watched(work.time_limit, work.spare, (lambda: None) if here else _end_process):
            run = load_run(path)
            for name, function in work.functions:
                try:
                    outputs.append(float(function(run)))
                except Exception as error:
                    words = " ".join(str(error).split())
                    row["status"], row["reason"] = "failed", f"keep: {name}: {type(error).__name__}: {words}"
                    return nothing
        return outputs
    finally:
        path.unlink(missing_ok=True)


def _end_process() -> None:
    """Nothing else ends a function that does not return."""
    os.kill(os.getpid(), signal.SIGKILL)


def _close_all() -> None:
    for key in {lines.work.key for lines in _all}:
        close(key)


Finalize(None, _close_all, exitpriority=0)  # unlike atexit, at the end of multiprocessing's workers too
