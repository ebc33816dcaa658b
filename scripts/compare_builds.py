#!/usr/bin/env python3
"""Whether two builds of Cuttle compute the same, bit by bit: every robot and scenario below models/ through `cuttle eval`,
`cuttle simulate` and `cuttle statics`. For changes of structure that must change no number.

  scripts/compare_builds.py BEFORE AFTER [--seconds 20] [--only TEXT] [--models DIRECTORY]      two commands `cuttle`

Where the format of files has changed, DIRECTORY is the models/ of BEFORE: git archive COMMIT models | tar x -C /tmp. Both builds
need the same CUTTLE_UNITY_SIZE: what the compiler joins in kernels with fused operations hangs on it, in the last digit.

Scenarios run for a tenth of their duration, and are left out if that takes one of the builds longer than SECONDS. Statics is
compared within 1e-13 of the largest number, all else by its text. Exits with 1 if anything differs.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATICS_TOLERANCE = 1e-13


def run(tool, *arguments, seconds):
    """What the command printed; None if it took too long."""
    try:
        done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"


def some_state(tool, robot, seconds):
    """Options of `eval` for a state that is nothing special, or none where the robot cannot be evaluated."""
    text = run(tool, "eval", robot, seconds=seconds)
    if text is None or not text.startswith("{"):
        return []
    sizes = json.loads(text)
    wave = lambda n, size: json.dumps([size * math.sin(1.0 + 2.3 * i) for i in range(n)])
    options = ["--v", wave(sizes["nv"], 0.3), "--a", wave(sizes["nv"], 0.7)]
    # lengths of quaternions have to be one: only robots without them are moved
    return options + ["--q", wave(sizes["nq"], 0.01)] if sizes["nq"] == sizes["nv"] else options


def eval_text(tool, file, _, seconds):
    return run(tool, "eval", file, *some_state(tool, file, seconds), seconds=seconds)


def simulate_text(tool, file, folder, seconds):
    """The table of a tenth of the run."""
    target = folder / "run.h5"
    said = run(tool, "simulate", file, "--duration", duration_of(file) / 10, "-o", target, "--csv", seconds=seconds)
    if said is None or said.startswith("exit"):
        return said
    return target.with_suffix(".csv").read_text()


def duration_of(file):
    for line in file.read_text().splitlines():
        key, _, value = line.strip().partition(":")
        if key == "duration":
            return float(value.split("#")[0])
    return 1.0


def statics_text(tool, file, _, seconds):
    return run(tool, "statics", file, "--json", seconds=seconds)


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, float) else []


def same_statics(before, after):
    if before == after:
        return True
    try:
        a, b = numbers(json.loads(before)), numbers(json.loads(after))
    except json.JSONDecodeError:
        return False
    if len(a) != len(b):
        return False
    largest = max((abs(x) for x in a), default=0.0)
    return all(abs(x - y) <= STATICS_TOLERANCE * largest for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--models", type=pathlib.Path, default=ROOT / "models")
    options = parser.parse_args()
    files = [f for f in sorted((ROOT / "models").rglob("*.yaml")) if options.only in str(f)]
    scenarios = [f for f in files if f.read_text().find("\nsimulation:") >= 0 or f.stem.endswith("scenario")]
    robots = [f for f in files if f not in scenarios]
    work = [(eval_text, robots, str.__eq__), (statics_text, robots, same_statics), (simulate_text, scenarios, str.__eq__)]
    equal = left_out = 0
    differ = []
    for compute, of, same in work:
        for file in of:
            name = f"{compute.__name__.removesuffix('_text')} {file.relative_to(ROOT)}"
            found = []
            for tool, models in ((options.before, options.models), (options.after, ROOT / "models")):
                with tempfile.TemporaryDirectory() as folder:
                    of_it = models / file.relative_to(ROOT / "models")
                    text = compute(tool, of_it, pathlib.Path(folder), options.seconds)
                found.append(text and text.replace(str(models), "models"))
            if None in found:
                left_out += 1
                print(f"left out, too slow: {name}")
            elif same(*found):
                equal += 1
            else:
                differ.append(name)
                print(f"DIFFERS: {name}")
    print(f"{equal} equal, {len(differ)} differ, {left_out} left out")
    return 1 if differ or equal == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
