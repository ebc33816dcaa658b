"""The command ``cuttle``, which comes with the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ProgramError
from .examples import examples, find_example

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
    has. A second Ctrl-C ends it at once.
    """
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
        with shown_progress(progress) as show:
            _follow(process, said, show)
    except BaseException:
        _interrupt(process)
        reader.join()
        raise
    finally:
        process.stderr.close()
    reader.join()
    if process.returncode != 0:
        words = "".join(said).strip()
        raise ProgramError(words or f"cuttle {' '.join(arguments)}: found exit code {process.returncode}")
    return "".join(printed)


@contextmanager
def shown_progress(progress: Progress | None) -> Iterator[Progress | None]:
    """What is called with progress: the one that is given, or what draws a bar on a terminal, which goes in the end."""
    if progress is not None or not getattr(sys.stderr, "isatty", bool)():  # a notebook's may have none
        yield progress
        return
    try:
        yield _draw
    finally:
        _draw(1.0, "")


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


#: Commands whose first argument is a robot, or of the second a scenario, for which the name of an example may stand.
_ON_ROBOTS = ("check", "info", "eval", "parameters", "ik", "statics", "modes", "workspace", "view", "live", "export")
_ON_SCENARIOS = ("simulate", "sweep", "sensitivities")


def with_example(arguments: list[str]) -> list[str]:
    """The arguments, with the path of an example for its name: ``simulate hybrid_arm``, ``info hybrid_arm``.

    Only the argument behind the command is one, and a file of this name goes first.
    """
    if len(arguments) < 2 or arguments[1].startswith("-") or Path(arguments[1]).exists():
        return arguments
    command, name = arguments[:2]
    path = find_example(f"{name}_scenario") if command in _ON_SCENARIOS else None
    if path is None and command in _ON_ROBOTS + _ON_SCENARIOS:
        path = find_example(name)
    return arguments if path is None else [command, path, *arguments[2:]]


_DEMO_HELP = """Simulate a robot that comes with the package, and show it in the browser
Usage: cuttle demo [NAME] [--no-open]

  NAME        an example with a scenario (default: hybrid_arm); `cuttle demo --list` lists them
  --no-open   only write the page

Writes NAME.h5 and NAME.html here, in place of files of these names that Cuttle wrote.
"""


def _names_with_scenario() -> list[str]:
    return sorted(Path(name).stem.removesuffix("_scenario") for name in examples() if name.endswith("_scenario.yaml"))


def demo(arguments: list[str]) -> int:
    """``cuttle demo``: from nothing to a page with a moving robot. Returns the exit code."""
    if "-h" in arguments or "--help" in arguments:
        print(_DEMO_HELP, end="")
        return 0
    if arguments == ["--list"]:
        print("\n".join(_names_with_scenario()))
        return 0
    names = [argument for argument in arguments if argument != "--no-open"]
    name = names[0] if names else "hybrid_arm"
    scenario = find_example(f"{name}_scenario")
    if len(names) > 1 or scenario is None:
        found = " ".join(names)
        print(f"demo: found '{found}', expected one of {', '.join(_names_with_scenario())}", file=sys.stderr)
        return 2
    opening = ["--no-open"] if "--no-open" in arguments else []
    for command in (["simulate", scenario, "-o", f"{name}.h5"], ["view", f"{name}.h5", "-o", f"{name}.html", *opening]):
        print(f"cuttle {' '.join(command)}", flush=True)
        code = subprocess.run([program(), *command], check=False).returncode
        if code != 0:
            return code
    return 0


def main() -> None:
    """The script ``cuttle`` that pip installs: becomes the program, but for ``demo`` and names of examples."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["demo"]:
        sys.exit(demo(arguments[1:]))
    os.execv(program(), ["cuttle", *with_example(arguments)])
