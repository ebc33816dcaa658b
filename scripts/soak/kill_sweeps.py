#!/usr/bin/env python3
"""Kills `cuttle sweep --resume` at random times until the sweep is done, and reads the file after each kill.

    scripts/soak/kill_sweeps.py --tool build/cuttle --kills 50

Each file must be whole and have at least the rows that it had before; in the end it must be, but for the times, what a sweep that nobody
killed has. CSV and HDF5 in turn. Prints the counts; exit code 1 if a file was not as it must be.
"""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROBOT = """cuttle: 1
name: arm
links:
- {name: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
"""
SCENARIO = """cuttle: 1
robot: arm.yaml
simulation: {duration: 10, output_step: 0.01, integrator: {type: rk4, step: 0.001}, initial: {arm: {q: [1]}}}
"""


def rows_of(tool, file, folder):
    """Rows of a sweep without their times; None if it cannot be read."""
    text = folder / "read.csv"
    found = subprocess.run([tool, "sweep", "--merge", file, "-o", text], capture_output=True, text=True)
    if found.returncode != 0:
        print(f"{file}: {found.stderr}", file=sys.stderr)
        return None
    with open(text, newline="") as lines:
        table = list(csv.reader(line for line in lines if not line.startswith("#")))
    seconds = table[0].index("seconds")
    return [row[:seconds] + row[seconds + 1 :] for row in table[1:]]


def soak(tool, folder, extension, kills, runs):
    """Returns the kills that left a file, and those after which something was wrong."""
    command = [tool, "sweep", folder / "arm_scenario.yaml", "--set", f"links.arm.body.mass=1:2:{runs}", "--keep", "q", "--jobs", "1"]
    whole, file = folder / f"whole{extension}", folder / f"killed{extension}"
    subprocess.run([*command, "-o", whole], check=True, stdout=subprocess.DEVNULL)
    expected = rows_of(tool, whole, folder)
    left = wrong = 0
    while kills > 0:
        file.unlink(missing_ok=True)
        before = 0
        while before < runs and kills > 0:
            process = subprocess.Popen([*command, "--resume", "-o", file], stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0.0, 3.0))
            process.kill()
            process.wait()
            kills -= 1
            if not file.exists():
                continue
            left += 1
            rows = rows_of(tool, file, folder)
            if rows is None or len(rows) < before or any(expected[int(row[0])] != row for row in rows):
                wrong += 1
                break
            before = len(rows)
    subprocess.run([*command, "--resume", "-o", file], check=True, stdout=subprocess.DEVNULL)
    return left, wrong + (rows_of(tool, file, folder) != expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/cuttle", help="the command")
    parser.add_argument("--kills", type=int, default=50, help="of each kind of file")
    parser.add_argument("--runs", type=int, default=1000, help="of the sweep")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    bad = 0
    for extension in (".h5", ".csv"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "arm.yaml").write_text(ROBOT)
            (folder / "arm_scenario.yaml").write_text(SCENARIO)
            left, wrong = soak(tool, folder, extension, options.kills, options.runs)
        print(f"{extension}: {options.kills} kills, {left} left a file, {wrong} wrong")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
