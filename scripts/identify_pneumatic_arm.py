#!/usr/bin/env python3
"""The protocol of [J] (Jensen 2022, IV-B) on simulated data: stiffness and damping of three pneumatic joints from five
pressure steps of 2 s, tested on smooth trajectories. The plant has what the model lacks: exact rods in place of lumped
joints, valves with a lag, joints that get stiffer the more they bend, and noise of the trackers.

scripts/identify_pneumatic_arm.py build/cuttle [--folder out/pneumatic_arm]     prints tables in Markdown.
"""
import argparse
import csv
import json
import os
import random
import statistics
import subprocess

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
JOINTS, NOISE = (1, 2, 3), 0.005  # rad
STIFFNESS = {1: 40, 2: 30, 3: 20}  # N m/rad of the straight joint
PLANT = [f"robot.actuators.pressure{j}.lag=0.1" for j in JOINTS] + [
    f"robot.links.joint{j}.body.hyperelastic={{bend: [{k}, {k}]}}" for j, k in STIFFNESS.items()]  # k (1 + b^2)
FREE = ",".join(f"links.joint{j}.body.{what}" for what in ("stiffness=1:400:log", "damping=0.01:100:log") for j in JOINTS)
ANGLES = [f"{axis}{j}" for j in JOINTS for axis in "uv"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def scenario_for(folder, kind, robot):
    """The scenario with another robot."""
    path = os.path.join(folder, f"{kind}_{os.path.splitext(os.path.basename(robot))[0]}.yaml")
    with open(os.path.join(MODELS, f"identification/jensen2022_{kind}_scenario.yaml")) as file:
        text = file.read().replace("../jensen2022/arm.yaml", os.path.abspath(robot))
    with open(path, "w") as file:
        file.write(text)
    return path


def simulate(tool, scenario, names, overrides):
    """Times, and the angles by name. @param names  of their columns."""
    result = os.path.splitext(scenario)[0] + ".h5"
    sets = [word for text in overrides for word in ("--set", text)]
    run(tool, "simulate", scenario, "-o", result, "--csv", *sets)
    with open(os.path.splitext(scenario)[0] + ".csv") as file:
        rows = list(csv.DictReader(file))
    return [float(r["time"]) for r in rows], {a: [float(r[c]) for r in rows] for a, c in names.items()}


def table(title, found, measured):
    print(f"\n{title}\n\n| joint angle | mean [rad] | median [rad] | max [rad] |\n| --- | --- | --- | --- |")
    every = []
    for angle in ANGLES:
        errors = [abs(a - b) for a, b in zip(found[angle], measured[angle])]
        every += errors
        print(f"| {angle} | {statistics.mean(errors):.3f} | {statistics.median(errors):.3f} | {max(errors):.3f} |")
    print(f"| total | {statistics.mean(every):.3f} | {statistics.median(every):.3f} | {max(every):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--folder", default="out/pneumatic_arm")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    columns = {f"{axis}{j}": f"joint{j}.kappa_{'x' if axis == 'u' else 'y'}.0" for j in JOINTS for axis in "uv"}
    measured, files = {}, {}
    draw = random.Random(1)
    for kind in ("train", "test"):
        plant = scenario_for(options.folder, kind, os.path.join(MODELS, "jensen2022/arm_rods.yaml"))
        times, angles = simulate(options.tool, plant, columns, PLANT)
        measured[kind] = {a: [x + draw.gauss(0, NOISE) for x in values] for a, values in angles.items()}
        files[kind] = os.path.join(options.folder, kind + ".csv")
        with open(files[kind], "w") as file:
            file.write(",".join(["time"] + [columns[a] for a in ANGLES]) + "\n")
            for i, time in enumerate(times):
                file.write(",".join(repr(x) for x in [time] + [measured[kind][a][i] for a in ANGLES]) + "\n")
    identified = os.path.join(options.folder, "arm_identified.yaml")
    scenario = os.path.join(MODELS, "identification/jensen2022_{}_scenario.yaml")
    found = json.loads(run(options.tool, "identify", scenario.format("train"), files["train"], "--free", FREE, "--json",
                           "--held-out", scenario.format("test"), "--held-out", files["test"], "-o", identified,
                           "--report", os.path.join(options.folder, "report.html")))
    print(f"{found['status']}, {found['evaluations']} evaluations, {found['seconds']:.1f} s; RMS {found['rms']:.4f} rad\n")
    print("| parameter | value | 95 % interval |\n| --- | --- | --- |")
    for one in found["parameters"]:
        low, high = one["interval95"]
        print(f"| `{one['path']}` [{one['unit']}] | {one['value']:.3f} | {low:.3f} to {high:.3f} |")
    for kind, title in (("train", "Training data, as [J] Table I:"), ("test", "Test data, as [J] Table II:")):
        _, angles = simulate(options.tool, scenario_for(options.folder, kind, identified), columns, [])
        table(title, angles, measured[kind])


if __name__ == "__main__":
    main()
