"""The command ``cuttle``, which comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .errors import ProgramError

_FOLDER = Path(__file__).parent


def program() -> str:
    """Where the command ``cuttle`` of this package is; the environment variable CUTTLE_PROGRAM names another one."""
    path = Path(os.environ.get("CUTTLE_PROGRAM") or _FOLDER / "bin" / "cuttle")
    if not path.is_file():
        raise ProgramError(f"{path}: found no program, expected the command `cuttle`, which `pip install` puts there")
    return str(path)


def run_program(*arguments: str) -> str:
    """Runs a command to its end. Returns what it prints; what it says of errors is a ProgramError."""
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or f"cuttle {' '.join(arguments)}: found exit code {done.returncode}")
    return done.stdout


def main() -> None:
    """The script ``cuttle`` that pip installs: becomes the program."""
    path = program()
    os.execv(path, ["cuttle", *sys.argv[1:]])
