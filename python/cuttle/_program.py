"""The command ``cuttle``, which comes with the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from .errors import ProgramError

_FOLDER = Path(__file__).parent
_PROGRESS = "cuttle progress "  # begins lines of progress: apps/cuttle/progress_line.cpp

#: Called with the part that is done, 0 to 1, and words.
Progress = Callable[[float, str], None]


def program() -> str:
    """Where the command ``cuttle`` of this package is; the environment variable CUTTLE_PROGRAM names another one."""
    path = Path(os.environ.get("CUTTLE_PROGRAM") or _FOLDER / "bin" / "cuttle")
    if not path.is_file():
        raise ProgramError(f"{path}: found no program, expected the command `cuttle`, which `pip install` puts there")
    return str(path)


def run_program(*arguments: str, progress: Progress | None = None) -> str:
    """Runs a command to its end. Returns what it prints; what it says of errors is a ProgramError.

    progress: called from here on with how far it is; else a terminal shows it.
    What is raised meanwhile, as the KeyboardInterrupt of Ctrl-C, ends the command as Ctrl-C does: it has time to write what it
    has. What it then prints is ``error.output``. A second Ctrl-C ends it at once.
    """
    shown = progress is None and getattr(sys.stderr, "isatty", bool)()  # a notebook's may have none
    # a group of its own: Ctrl-C in a terminal would reach it beside us, and a second one ends it
    process = subprocess.Popen(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        env={**os.environ, "CUTTLE_PROGRESS_LINES": "1"},
    )
    printed: list[str] = []
    assert process.stdout is not None and process.stderr is not None
    reader = threading.Thread(target=lambda stream: printed.append(stream.read()), args=(process.stdout,), daemon=True)
    reader.start()
    said: list[str] = []
    try:
        _follow(process, said, progress if progress is not None else _draw if shown else None)
    except BaseException as error:
        _interrupt(process)
        reader.join()
        error.output = "".join(printed)  # type: ignore[attr-defined]
        raise
    finally:
        if shown:
            _draw(1.0, "")
        process.stderr.close()
    reader.join()
    if process.returncode != 0:
        words = "".join(said).strip()
        raise ProgramError(words or f"cuttle {' '.join(arguments)}: found exit code {process.returncode}")
    return "".join(printed)


def _follow(process: subprocess.Popen[str], said: list[str], progress: Progress | None) -> None:
    """Reads what it says until it ends."""
    assert process.stderr is not None
    for line in process.stderr:
        if not line.startswith(_PROGRESS):
            said.append(line)
        elif progress is not None:
            fraction, _, words = line[len(_PROGRESS) :].rstrip("\n").partition(" ")
            progress(float(fraction), words)
    process.wait()


def _interrupt(process: subprocess.Popen[str]) -> None:
    """Ends it in good order; what is raised meanwhile ends it at once."""
    try:
        process.send_signal(signal.SIGINT)
        _follow(process, [], None)
    except BaseException:
        process.kill()
        process.wait()
        raise


def _draw(fraction: float, words: str) -> None:
    """Progress on a terminal; no words: none."""
    done = int(30 * fraction)
    sys.stderr.write(f"\r\x1b[K[{'#' * done}{'.' * (30 - done)}] {100 * fraction:3.0f} %  {words}" if words else "\r\x1b[K")
    sys.stderr.flush()


def main() -> None:
    """The script ``cuttle`` that pip installs: becomes the program."""
    path = program()
    os.execv(path, ["cuttle", *sys.argv[1:]])
