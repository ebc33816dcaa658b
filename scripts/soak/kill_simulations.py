#!/usr/bin/env python3
"""Kills `cuttle simulate` at random times after the first row, thousands of times, and reads every file that is left.

    scripts/soak/kill_simulations.py --tool build/cuttle --small 2000 --large 300

Each file must open in h5py as it is, have whole rows up to the length of `time` and say that it was interrupted, and
`cuttle plot` must draw it. Small is a pendulum, large a robot of 4,200 joints, whose column names need the other kind
of header in HDF5. Prints the counts; exit code 1 if a file was unreadable. Needs h5py.
"""
import argparse
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import h5py

SCENARIO = """cuttle: 1
robot: {robot}
simulation:
  duration: {duration}
  output_step: {step}
  integrator: {{type: rk4, step: {step}}}
"""


def link(name, parent="base"):
    return (f"  - {{name: {name}, parent: {parent}, joint: {{type: revolute, axis: [0, 1, 0]}}, "
            "body: {type: rigid, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}\n")


def write_robots(folder):
    for name, count in (("small", 1), ("large", 4200)):
        links = "".join(link(f"arm_with_a_name_{i}") for i in range(count))
        (folder / f"{name}.yaml").write_text(f"cuttle: 1\nname: {name}\nlinks:\n{links}")
        scenario = SCENARIO.format(robot=f"{name}.yaml", duration=1.0e6 if name == "small" else 1000.0, step=0.001)
        (folder / f"{name}_scenario.yaml").write_text(scenario)


def check(path, step):
    """Number of rows; raises if anything about them is wrong."""
    with h5py.File(path) as result:
        rows = len(result["time"])
        times = result["time"][:]
        for i in {0, rows // 2, rows - 1}:
            if rows > 0 and not math.isclose(times[i], step * i, rel_tol=1e-9, abs_tol=1e-12):
                raise ValueError(f"time[{i}] = {times[i]}")
        if (times[1:] <= times[:-1]).any():
            raise ValueError("times do not increase")
        for name in ("q", "v"):
            if len(result[name]) < rows or len(result[name].attrs["names"]) != result[name].shape[1]:
                raise ValueError(f"{name} has {result[name].shape} numbers for {rows} times")
            if rows > 1 and not result[name][1:rows].all(axis=1).all():  # what moves is not 0
                raise ValueError(f"{name} has rows that were not written")
        if result.attrs["status"] != b"interrupted":
            raise ValueError(f"status is {result.attrs['status']}")
        tip = result["frames/arm_with_a_name_0.tip"][:rows]
        if abs((tip[:, 3:] ** 2).sum(axis=1) - 1).max(initial=0.0) > 1e-12:
            raise ValueError("poses that are none")
    return rows


def kill_once(tool, folder, kind, generator, longest):
    path = folder / f"{kind}.h5"
    path.unlink(missing_ok=True)
    process = subprocess.Popen([tool, "simulate", folder / f"{kind}_scenario.yaml", "-o", path],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        while not path.exists():  # it takes the place of the target with its first rows
            if process.poll() is not None:
                raise RuntimeError(f"the run ended: {process.stderr.read().decode()}")
            time.sleep(0.0005)
        time.sleep(longest * generator.random() ** 2)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/cuttle")
    parser.add_argument("--small", type=int, default=2000)
    parser.add_argument("--large", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_robots(folder)
        for kind, count, longest in (("small", arguments.small, 0.3), ("large", arguments.large, 2.0)):
            rows = []
            for i in range(count):
                path = kill_once(arguments.tool, folder, kind, generator, longest)
                try:
                    rows.append(check(path, 0.001))
                    subprocess.run([arguments.tool, "plot", path, "--what", "arm_with_a_name_0.joint.q0", "-o",
                                    folder / "figure.svg"], check=True, capture_output=True)
                except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
                    failures += 1
                    detail = getattr(error, "stderr", b"") or b""
                    kept = pathlib.Path(f"unreadable_{kind}_{i}.h5")
                    kept.write_bytes(path.read_bytes())
                    print(f"{kind} {i}: {error} {detail.decode()} (kept as {kept})", flush=True)
                if (i + 1) % (100 if kind == "small" else 10) == 0:
                    print(f"{kind}: {i + 1} kills, {failures} failures so far", flush=True)
            if rows:
                print(f"{kind}: {count} kills, {len(rows)} files readable, {min(rows)} to {max(rows)} rows", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
