#!/usr/bin/env python3
"""Cost against accuracy of the falling rods of models/boyer2023: the error of the tip at the end of the fall over the time that
the motion takes to compute, for orders of the strain and steps of midpoint, and for methods that choose their steps: bdf at
its default tolerances, and midpoint by displacement. Prints a table (valid Markdown) and draws the figure of docs/accuracy.md.

  scripts/falling_rods.py [TOOL] [--figure docs/images/falling_rods.svg]     default build/cuttle

The error is against order 24 with 100 points and newmark at a step a tenth of the shortest. Times are those of the
integration alone, without reading and drawing, the best of three. Needs python3-h5py and python3-matplotlib.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile

import h5py

RODS = {"stiff": 0.1, "soft": 1.0}  # [s] of fall
LENGTHS = {"stiff": 0.4, "soft": 10.0}
ORDERS = (2, 3, 4, 5, 6, 8, 10, 13)
STEPS = (0.02, 0.01, 0.005, 0.002, 0.001)  # of the fall
REFERENCE_ORDER, REFERENCE_SECTIONS = 24, 100
CHOOSING = {"bdf": ("s", "bdf, tolerance 1e-6", "{type: bdf}"),
            "displacement": ("^", "midpoint, by displacement, 1e-6", "{type: midpoint, error: displacement}")}


def fall(tool, rod, order, integrator, points=40, repetitions=3):
    """(seconds, tip) of the run."""
    seconds, tip = math.inf, None
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "rod.h5")
        command = [tool, "simulate", f"models/boyer2023/falling_rod_{rod}_scenario.yaml", "-o", result]
        for setting in (f"simulation.integrator={integrator}", f"simulation.output_step={RODS[rod]}",
                        f"robot.links.rod.body.strain.kappa_y.order={order}",
                        f"robot.links.rod.body.quadrature.points={points}"):
            command += ["--set", setting]
        for _ in range(repetitions):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return math.inf, None
            with h5py.File(result) as file:
                seconds = min(seconds, float(file["statistics"].attrs["wall_seconds"]))
                tip = tuple(file["frames/rod.tip"][-1, :3])
    return seconds, tip


def measure(tool, rod):
    duration = RODS[rod]
    _, reference = fall(tool, rod, REFERENCE_ORDER, f"{{type: newmark, step: {duration * STEPS[-1] / 10}}}",
                        REFERENCE_SECTIONS, 1)
    rows = []
    for order in ORDERS:
        row = {"order": order, "points": []}
        fixed = [(f"{step * duration:g}", f"{{type: midpoint, step: {step * duration}}}") for step in STEPS]
        for name, integrator in fixed + [(name, integrator) for name, (_, _, integrator) in CHOOSING.items()]:
            seconds, tip = fall(tool, rod, order, integrator)
            row["points"].append((name, seconds, math.dist(tip, reference) if tip else math.inf))
        rows.append(row)
        print(rod, order, file=sys.stderr)
    return reference, rows


def table(rod, reference, rows):
    lines = [f"{rod} rod, tip after {RODS[rod]:g} s: x = {reference[0]:.6f}, z = {reference[2]:.6f} m", ""]
    names = [name for name, _, _ in rows[0]["points"]]
    lines.append("| order | " + " | ".join(name if name in CHOOSING else f"step {name} s" for name in names) + " |")
    lines.append("| --- |" + " --- |" * len(names))
    for row in rows:
        cells = [f"{error / LENGTHS[rod]:.1e} in {1e3 * seconds:.1f} ms" if math.isfinite(error) else "fails"
                 for _, seconds, error in row["points"]]
        lines.append(f"| {row['order']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(path, found):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plot
    matplotlib.rcParams.update({"svg.hashsalt": "cuttle", "font.size": 10})
    figure, panels = plot.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
    colors = plot.get_cmap("viridis")
    for panel, (rod, (_, rows)) in zip(panels, found.items()):
        for k, row in enumerate(rows):
            color = colors(k / len(rows))
            fixed = [(seconds, error / LENGTHS[rod]) for name, seconds, error in row["points"]
                     if name not in CHOOSING and math.isfinite(error)]
            panel.plot(*zip(*fixed), "o-", color=color, markersize=4, label=f"order {row['order']}")
            for name, seconds, error in row["points"]:
                if name in CHOOSING:
                    panel.plot(seconds, error / LENGTHS[rod], CHOOSING[name][0], color=color, markersize=6,
                               markerfacecolor="none")
        panel.axvline(RODS[rod], color="gray", linestyle=":")
        panel.annotate("real time", (RODS[rod], 0.02), xycoords=("data", "axes fraction"), rotation=90, ha="right",
                       va="bottom", color="gray", fontsize=8)
        panel.set(xscale="log", yscale="log", title=f"{rod} rod, {RODS[rod]:g} s of fall", xlabel="time to compute [s]")
        panel.grid(True, which="major", alpha=0.3)
    panels[0].set_ylabel("error of the tip / length")
    for marker, label, _ in CHOOSING.values():
        panels[0].plot([], [], marker, color="gray", markerfacecolor="none", label=label)
    panels[1].legend(*panels[0].get_legend_handles_labels(), fontsize=9, loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default="build/cuttle")
    parser.add_argument("--figure", metavar="FILE", help="draw it here")
    options = parser.parse_args()
    found = {rod: measure(options.tool, rod) for rod in RODS}
    print("\n\n".join(table(rod, *measured) for rod, measured in found.items()))
    if options.figure:
        draw(options.figure, found)


if __name__ == "__main__":
    main()
