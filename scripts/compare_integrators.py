#!/usr/bin/env python3
"""Compares integrators on all shipped scenarios: CPU time, and how far the tips end from a finer run. Prints a table
(valid Markdown).

  scripts/compare_integrators.py [TOOL]     default build/cuttle
  scripts/compare_integrators.py --from build/integrators.json   the table of an earlier run again

Every method chooses its steps by the local error, with tolerances 1e-6 and 1e-8 of it. The reference is bdf at relative
tolerance 1e-9; for robots with closed loops, which bdf does not take, generalized_alpha at 1e-8. The error is the largest
distance of a final tip from the reference's, over all links. Scenarios that take the reference longer than --limit are
left out, and so are runs longer than that. The fastest of --repetitions runs counts; reading files and writing results is
included.
"""

import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

METHODS = ("bdf", "generalized_alpha", "newmark")


def fail(message):
    sys.exit(f"compare_integrators.py: {message}")


def final_tips(path):
    """Positions of all tips in the last row."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        names = next(rows)
        last = None
        for row in rows:
            if len(row) == len(names):
                last = row
    tips = {}
    for name, value in zip(names, last):
        stem, _, rest = name.rpartition(".")
        if stem.endswith(".tip") and rest.split(" ")[0] in ("x", "y", "z"):
            tips[name] = float(value)
    if not tips:
        fail(f"{path}: no positions of tips in its columns {names}")
    return tips


def cpu_seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def simulate(tool, scenario, method, tolerance, limit):
    """(seconds, final tips, what the tool said); tips are None if the run failed or took too long."""
    settings = {"type": method, "relative_tolerance": tolerance, "absolute_tolerance": 1e-2 * tolerance}
    text = ", ".join(f"{key}: {value}" for key, value in settings.items())
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.h5")
        command = [tool, "simulate", scenario, "-o", output, "--csv", "--set", f"simulation.integrator={{{text}}}"]
        start = cpu_seconds_of_children()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
        except subprocess.TimeoutExpired:
            return limit, None, f"> {limit:g} s"
        seconds = cpu_seconds_of_children() - start
        if done.returncode != 0:
            return seconds, None, "fails: " + done.stderr.strip().splitlines()[0][:200]
        return seconds, final_tips(os.path.join(folder, "result.csv")), ""


def distance(tips, reference):
    by_tip = {}
    for name, value in tips.items():
        by_tip.setdefault(name.rpartition(".")[0], []).append(value - reference[name])
    return max(math.hypot(*differences) for differences in by_tip.values())


def has_loops(tool, scenario):
    """Whether bdf refuses the robot."""
    command = [tool, "simulate", scenario, "-o", "/dev/null/x.h5", "--set", "simulation.integrator={type: bdf}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "closed loop" in done.stderr


def measure(options):
    rows = []
    scenarios = sorted(os.path.join(folder, name) for folder, _, names in os.walk(options.models) for name in names
                       if name.endswith("_scenario.yaml"))
    if not scenarios:
        fail(f"no scenario in '{options.models}'")
    for scenario in scenarios:
        name = os.path.relpath(scenario, options.models).removesuffix("_scenario.yaml")
        loops = has_loops(options.tool, scenario)
        row = {"scenario": name, "loops": loops, "methods": {}}
        print(name, end=" ", flush=True, file=sys.stderr)
        seconds, _, trouble = simulate(options.tool, scenario, "generalized_alpha" if loops else "bdf", 1e-6, options.limit)
        if trouble:
            print(trouble, file=sys.stderr)
            row["left_out"] = trouble
            rows.append(row)
            continue
        reference_limit = max(10 * options.limit, 60)
        _, reference, trouble = simulate(options.tool, scenario, "generalized_alpha" if loops else "bdf",
                                         1e-8 if loops else 1e-9, reference_limit)
        if trouble:
            print(trouble, file=sys.stderr)
            row["left_out"] = "reference: " + trouble
            rows.append(row)
            continue
        for method in METHODS:
            if loops and method == "bdf":
                row["methods"][method] = {"trouble": "closed loop"}
                continue
            best = None
            for _ in range(options.repetitions):
                seconds, tips, trouble = simulate(options.tool, scenario, method, 1e-6, options.limit)
                best = seconds if best is None else min(best, seconds)
                if trouble:
                    break
            row["methods"][method] = {"seconds": best, "trouble": trouble,
                                      "error": distance(tips, reference) if tips else None}
        print(row["methods"], file=sys.stderr)
        rows.append(row)
    return rows


def text(rows):
    head = ["scenario"]
    for method in METHODS:
        head += [f"{method} [s]", "error [m]"]
    lines = [head]
    for row in rows:
        if "left_out" in row:
            continue
        line = [row["scenario"]]
        for method in METHODS:
            found = row["methods"][method]
            if found["trouble"]:
                line += [found["trouble"].split(":")[0], ""]
            else:
                line += [f"{found['seconds']:.2f}", f"{found['error']:.1e}"]
        lines.append(line)
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    table = "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)
    left_out = [f"{row['scenario']} ({row['left_out']})" for row in rows if "left_out" in row]
    return table + ("\n\nLeft out: " + "; ".join(left_out) if left_out else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default="build/cuttle")
    parser.add_argument("--from", dest="source", metavar="FILE", help="print the table of an earlier run")
    parser.add_argument("--models", default="models", help="folder of the scenarios")
    parser.add_argument("--output", metavar="FILE", help="where to write (default: integrators.json beside the tool)")
    parser.add_argument("--repetitions", type=int, default=3, help="the fastest one counts")
    parser.add_argument("--limit", type=float, default=20, help="longest run [s]")
    options = parser.parse_args()
    if options.source:
        with open(options.source, encoding="utf-8") as file:
            rows = json.load(file)
    else:
        if not os.access(options.tool, os.X_OK):
            fail(f"'{options.tool}' is not there: build it first")
        rows = measure(options)
        output = options.output or os.path.join(os.path.dirname(options.tool), "integrators.json")
        with open(output, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    print(text(rows))


if __name__ == "__main__":
    main()
