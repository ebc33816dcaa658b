#!/usr/bin/env python3
"""Finite elements against published values and closed forms: the tables (valid Markdown) and the figure of docs/accuracy.md,
from the numbers that the tests FemBenchmark and FemFinger record.

  scripts/fem_accuracy.py [FOLDER] [--figure docs/images/finite_elements.svg]     default build/tests: of the test programs

Needs python3-matplotlib for the figure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

PROGRAMS = {"cuttle_test_bodies": "FemBenchmark.*", "cuttle_test_io": "FemFinger.*"}
SPHERE_RATIOS = ("0.3000", "0.4900", "0.4999")
FINGERS = {"modes_20": "20 modes", "derivatives_5": "5 modes, derivatives",
           "attached_2": "2 modes, cavity attached, derivatives", "attached_5": "5 modes, cavity attached, derivatives",
           "attached_10": "10 modes, cavity attached, derivatives"}


def recorded(folder):
    """name: number, of all tests."""
    numbers = {}
    for program, tests in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "found.json")
            done = subprocess.run([os.path.join(folder, program), f"--gtest_filter={tests}", f"--gtest_output=json:{path}"],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"fem_accuracy.py: {program} failed:\n{done.stdout}{done.stderr}")
            with open(path, encoding="utf-8") as file:
                for suite in json.load(file)["testsuites"]:
                    for test in suite["testsuite"]:
                        numbers.update({name: float(value) for name, value in test.items()
                                        if name.startswith(("cook", "sphere", "block", "beam", "finger", "coordinates",
                                                            "whole"))})
    return numbers


def row(cells):
    return "| " + " | ".join(cells) + " |"


def refinement(found, name, steps, suffixes, titles, first):
    """Errors of four- and ten-node tetrahedra, a row each number of elements."""
    heads = [f"{nodes} nodes{title}" for title in titles for nodes in (4, 10)]
    lines = [row([first, *heads]), row(["---"] * (1 + len(heads)))]
    for n in steps:
        lines.append(row([str(n), *(f"{100 * found[f'{name}_{nodes}_{n}{suffix}']:+.2f} %" for suffix in suffixes
                                    for nodes in (4, 10))]))
    return "\n".join(lines)


def tables(found):
    parts = ["Cook's membrane, n x n bricks: error of the tip's displacement", "",
             refinement(found, "cook", (2, 4, 8, 16), ("",), ("",), "n"), "",
             "Thick sphere under pressure, n bricks across the wall: error of the inner radius' growth", "",
             refinement(found, "sphere", (1, 2, 4), [f"_{nu}" for nu in SPHERE_RATIOS],
                        [f", nu = {float(nu):g}" for nu in SPHERE_RATIOS], "n"), "",
             "Bonded block of rubber, nu = 0.4999, n bricks in half its height: error of the apparent modulus", "",
             refinement(found, "block", (1, 2, 4, 8), ("",), ("",), "n"), "",
             "Cantilever, n x n x 16 n bricks: errors of the first three bending frequencies", "",
             refinement(found, "beam", (1, 2, 3), ("_1", "_2", "_3"), (", 1st", ", 2nd", ", 3rd"), "n"), "",
             "Pneumatic finger: error of the end's displacement against all nodes", ""]
    pressures = sorted({int(name.split("_")[-1]) for name in found if name.startswith("whole_")})
    parts.append(row(["pressure", "displacement", *(f"{text} ({found['coordinates_' + name]:.0f})"
                                                    for name, text in FINGERS.items())]))
    parts.append(row(["---"] * (2 + len(FINGERS))))
    for p in pressures:
        parts.append(row([f"{p / 1000:g} kPa", f"{1000 * found[f'whole_{p}']:.2f} mm",
                          *(f"{100 * found[f'finger_{name}_{p}']:.2f} %" for name in FINGERS)]))
    return "\n".join(parts)


def draw(path, found):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plot
    matplotlib.rcParams.update({"svg.hashsalt": "cuttle", "font.size": 10})
    figure, panels = plot.subplots(1, 4, figsize=(15, 4.0), layout="constrained")
    colors = {4: "tab:red", 10: "tab:blue"}

    def refine(panel, name, steps, suffixes, styles):
        for suffix, (style, label) in zip(suffixes, styles):
            for nodes in (4, 10):
                errors = [abs(found[f"{name}_{nodes}_{n}{suffix}"]) for n in steps]
                panel.plot(steps, errors, style, color=colors[nodes], markersize=4, label=f"{nodes} nodes{label}")
        panel.set(xscale="log", yscale="log", xlabel="bricks of six tetrahedra across")
        panel.set_xticks(steps, [str(n) for n in steps])
        panel.minorticks_off()
        panel.grid(True, which="major", alpha=0.3)
        panel.legend(fontsize=8)

    refine(panels[0], "cook", (2, 4, 8, 16), ("",), (("o-", ""),))
    panels[0].set(title="Cook's membrane", ylabel="relative error")
    refine(panels[1], "sphere", (1, 2, 4), [f"_{nu}" for nu in SPHERE_RATIOS],
           [("o-", ", nu 0.3"), ("s--", ", nu 0.49"), ("^:", ", nu 0.4999")])
    panels[1].set(title="thick sphere under pressure")
    refine(panels[2], "beam", (1, 2, 3), ("_1", "_2", "_3"), [("o-", ", 1st"), ("s--", ", 2nd"), ("^:", ", 3rd")])
    panels[2].set(title="cantilever: frequencies")
    pressures = sorted({int(name.split("_")[-1]) for name in found if name.startswith("whole_")})
    for name, text in FINGERS.items():
        panels[3].plot([p / 1000 for p in pressures], [found[f"finger_{name}_{p}"] for p in pressures], "o-", markersize=4,
                       label=f"{text}: {found['coordinates_' + name]:.0f}")
    panels[3].set(yscale="log", title="finger: few coordinates against all", xlabel="pressure [kPa]")
    panels[3].grid(True, which="major", alpha=0.3)
    panels[3].legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="build/tests")
    parser.add_argument("--figure", metavar="FILE", help="draw it here")
    options = parser.parse_args()
    found = recorded(options.folder)
    print(tables(found))
    if options.figure:
        draw(options.figure, found)


if __name__ == "__main__":
    main()
