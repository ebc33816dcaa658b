#!/usr/bin/env python3
"""The open-loop motion of models/pustina2025/simulation1.yaml with all points of its volumes and with fewer of them
(`quadrature: {reduce: ..}`): points, time and largest distance between the tips, as a table (valid Markdown), and the figure
of docs/accuracy.md.

  scripts/fewer_points.py [TOOL] [--figure docs/images/fewer_points.svg]     default build/cuttle

Needs python3-h5py and python3-matplotlib.
"""

import argparse
import json
import os
import subprocess
import tempfile

import h5py
import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402: after the choice of the backend

SCENARIO = "models/pustina2025/simulation1_scenario.yaml"
BODIES = ("body1", "body2", "body3")
TOLERANCES = ("1e-2", "1e-3", "1e-4", "1e-5")


def settings(tolerance):
    if tolerance is None:
        return []
    return [word for body in BODIES for word in ("--set", f"robot.links.{body}.body.quadrature.reduce={tolerance}")]


def run(tool, tolerance):
    """Points of a body, their error, seconds, times, positions of the last tip."""
    about = subprocess.run([tool, "info", "--json", SCENARIO.replace("_scenario", "")] + settings(tolerance),
                           capture_output=True, text=True, check=True)
    volume = json.loads(about.stdout)["volumes"][0]
    error = volume["reduction"]["error"] if volume["reduction"] else 0.0
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "run.h5")
        subprocess.run([tool, "simulate", SCENARIO, "-o", result] + settings(tolerance), capture_output=True, check=True)
        with h5py.File(result) as file:
            return (volume["points"], error, float(file["statistics"].attrs["wall_seconds"]), file["time"][:],
                    file[f"frames/{BODIES[-1]}.tip"][:, :3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default="build/cuttle")
    parser.add_argument("--figure")
    options = parser.parse_args()
    runs = {tolerance: run(options.tool, tolerance) for tolerance in (None,) + TOLERANCES}
    points, _, seconds, time, tip = runs[None]
    print("| reduce | points of a body | error of the integrals | 2.2 s of motion take | tip differs by at most |")
    print("| --- | --- | --- | --- | --- |")
    print(f"| all points | {points} | | {seconds:.1f} s | |")
    for tolerance in TOLERANCES:
        few, error, wall, _, other = runs[tolerance]
        distance = numpy.linalg.norm(other - tip, axis=1).max()
        print(f"| {tolerance} | {few} | {error:.1e} | {wall:.2f} s | {1e6 * distance:.3g} um |")
    if not options.figure:
        return
    pyplot.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "cuttle"})
    figure, (above, below) = pyplot.subplots(2, 1, figsize=(7.2, 5.4), sharex=True, height_ratios=(3, 2))
    for axis, color in ((0, "#c0392b"), (1, "#2471a3")):
        above.plot(time, 1e3 * tip[:, axis], color=color, linewidth=3.5, alpha=0.35,
                   label=f"{'xyz'[axis]}, all {points} points of a body")
        few, _, _, _, other = runs["1e-4"]
        above.plot(time, 1e3 * other[:, axis], color=color, linewidth=1.2, linestyle="--",
                   label=f"{'xyz'[axis]}, {few} points (reduce: 1e-4)")
    above.set_ylabel("tip of the third body [mm]")
    above.legend(ncols=1, frameon=False, fontsize=9, loc="upper right", bbox_to_anchor=(1.0, 1.05))
    for tolerance, color in zip(TOLERANCES, ("#d98880", "#b7950b", "#1e8449", "#1b4f72")):
        few, _, _, _, other = runs[tolerance]
        below.semilogy(time[1:], 1e3 * numpy.linalg.norm(other - tip, axis=1)[1:] + 1e-9, color=color, linewidth=1.2,
                       label=f"{tolerance}: {few} points")
    below.set_ylabel("distance to that\nof all points [mm]")
    below.set_xlabel("time [s]")
    below.set_ylim(1e-6, 60)
    below.legend(ncols=4, frameon=False, fontsize=8.5, loc="upper left", columnspacing=1.2)
    figure.tight_layout()
    figure.savefig(options.figure, metadata={"Date": None})


if __name__ == "__main__":
    main()
