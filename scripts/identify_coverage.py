#!/usr/bin/env python3
"""How often 95 % intervals of `cuttle identify` hold: simulated equilibria and motions of known robots, with
noise, for many seeds.

scripts/identify_coverage.py build/cuttle [--seeds 200] [--cases rod,tendon_arm,..]     prints a table in Markdown.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")

ROD = """cuttle: 1
name: rod
base: {pose: {rpy: [0, 1.5707963267948966, 0]}}
materials: {rubber: {density: 1100, young_modulus: 1.0e6, poisson_ratio: 0.5}}
links:
- {name: rod, body: {type: rod, length: 0.3, material: rubber, section: {shape: circle, radius: 0.01}, quadrature: {points: 8}, strain: {kappa_x: {basis: legendre, order: 2}, kappa_y: {basis: legendre, order: 2}}}}
markers: [{name: middle, link: rod, at: {s: 0.16}, offset: [0, 0.01, 0]}]
loads: [{type: wrench, link: rod, at: tip, force: [0, 0, 0]}]
"""
FINGER = """cuttle: 1
name: pressure_finger
materials: {silicone: {density: 1070, young_modulus: 3.0e5, poisson_ratio: 0.5}}
links:
- {name: finger, body: {type: rod, length: 0.12, material: silicone, section: {shape: circle, radius: 0.012}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}}
actuators: [{name: air, type: chamber, link: finger, offset: [0.006, 0], area: 5.0e-5}]
"""
PENDULUM = """cuttle: 1
name: pendulum
links:
- {name: arm, joint: {type: revolute, axis: [0, 1, 0], stiffness: 3}, body: {type: rigid, mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001, 0, 0, 0], tip: {position: [0, 0, -0.5]}}}
actuators: [{name: motor, type: joint, link: arm}]
"""
# the example's body of constant volume, with a cable in it and a hand that pushes its weight
with open(os.path.join(MODELS, "examples/lvp_finger.yaml")) as file:
    LVP_FINGER = file.read() + """
actuators: [{name: cable, type: tendon, routing: [{link: finger, points: [[0.012, 0.004, 0], [0.012, 0.004, 0.05], [0.012, 0.004, 0.1], [0.012, 0.004, 0.15], [0.012, 0.004, 0.2]]}]}]
loads: [{type: wrench, link: weight, at: tip, force: [0, 0, 0]}]
"""


def grid(columns, counts):
    """Rows of a full grid: {name: (low, high)} and points of each."""
    rows = [[]]
    for (low, high), count in zip(columns.values(), counts):
        rows = [row + [low + (high - low) * i / max(count - 1, 1)] for row in rows for i in range(count)]
    return list(columns), rows


# robot, inputs of the table, measured columns, noise, free parameters (a start beside the truth comes from --set)
CASES = {
    "rod": (ROD, grid({"loads[0].force[2]": (-0.3, 0.3), "loads[0].force[1]": (0, 0.2)}, (4, 2)),
            ["middle.x", "middle.y", "middle.z", "rod.tip.x", "rod.tip.y", "rod.tip.z"], 1e-3,
            {"materials.rubber.young_modulus": "1e5:1e7:log", "materials.rubber.density": "", "markers.middle.offset[1]": ""}),
    "pendulum": (PENDULUM, grid({"motor": (-6, 6)}, (12,)), ["arm.joint.q0"], 5e-3,
                 {"links.arm.body.mass": "", "links.arm.joint.stiffness": "0.1:100:log", "arm.joint.q0.bias": ""}),
    "tendon_arm": (os.path.join(MODELS, "examples/tendon_arm.yaml"), grid({"right": (0, 3), "coil": (0, 2)}, (4, 3)),
                   ["upper.tip.x", "upper.tip.y", "upper.tip.z", "lower.tip.x", "lower.tip.y", "lower.tip.z"], 1e-3,
                   {"materials.silicone.young_modulus": "5e4:5e6:log", "materials.silicone.density": "",
                    "base.pose.rpy[1]": "", "lower.tip.x.bias": ""}),
    "servo_finger": (os.path.join(MODELS, "examples/servo_finger.yaml"), grid({"front": (0.002, 0.012), "back": (-0.006, 0)}, (5, 2)),
                     ["nail.tip.x", "nail.tip.z", "elements.front.tension"], 2e-3,
                     {"materials.silicone.young_modulus": "5e4:5e6:log", "actuators.front.stiffness": "1e3:1e5:log",
                      "actuators.front.pretension": ""}),
    "pressure_finger": (FINGER, grid({"air": (0, 3e4)}, (8,)), ["finger.tip.x", "finger.tip.z"], 5e-4,
                        {"materials.silicone.young_modulus": "5e4:5e6:log", "materials.silicone.density": ""}),
    "lvp_finger": (LVP_FINGER, grid({"cable": (0, 24), "loads[0].force[1]": (-0.3, 0.3)}, (5, 3)),
                   ["finger.tip.x", "finger.tip.y", "finger.tip.z"], 5e-4,
                   {"materials.rubber.c1": "1e4:1e6:log", "base.pose.rpy[1]": ""}),
}

SWING = """cuttle: 1
robot: {robot}
simulation:
  duration: 3.0
  output_step: 0.02
  integrator: {{type: rk4, step: 0.01}}
  initial: {{arm: {{q: [1.2]}}}}
"""
RELEASE = """cuttle: 1
robot: {robot}
simulation:
  duration: 0.6
  output_step: 0.02
  integrator: {{type: generalized_alpha, step: 0.01}}
"""
DAMPED_PENDULUM = PENDULUM.replace("stiffness: 3", "stiffness: 3, damping: 0.1")
DAMPED_ROD = ROD.replace("poisson_ratio: 0.5", "poisson_ratio: 0.5, damping_time: 0.03")
# the same of motions: robot, scenario, measured columns, noise, free parameters
MOTIONS = {
    "swinging_pendulum": (DAMPED_PENDULUM, SWING, ["arm.joint.q0"], 0.02,
                          {"links.arm.joint.stiffness": "", "links.arm.joint.damping": "", "arm.joint.q0.bias": "",
                           "time.shift": "-0.1:0.1"}),
    "released_rod": (DAMPED_ROD, RELEASE, ["middle.x", "middle.y", "middle.z", "rod.tip.x", "rod.tip.y", "rod.tip.z"], 2e-3,
                     {"materials.rubber.young_modulus": "1e5:1e7:log", "materials.rubber.damping_time": "",
                      "markers.middle.offset[1]": ""}),
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def simulate(tool, robot, table, folder):
    names, rows = table
    path = os.path.join(folder, "inputs.csv")
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in rows:
            file.write(",".join(repr(x) for x in row) + "\n")
    text = run(tool, "statics", robot, "--table", path)
    return list(csv.DictReader(text.splitlines()))


def one_seed(job):
    tool, robot, table, truth, measured, noise, free, seed, folder = job
    names, rows = table
    draw = random.Random(seed)
    data = os.path.join(folder, f"data_{seed}.csv")
    with open(data, "w") as file:
        file.write(",".join(names + measured) + "\n")
        for row, result in zip(rows, truth):
            values = [float(result[c]) + draw.gauss(0, noise) for c in measured]
            file.write(",".join(repr(x) for x in row + values) + "\n")
    listed = ",".join(path + ("=" + bounds if bounds else "") for path, bounds in free.items())
    deviations = ["--deviation", ",".join(f"{c}={noise}" for c in measured)]
    return json.loads(run(tool, "identify", robot, data, "--free", listed, "--threads", "1", "--json", *deviations))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--cases", default=",".join([*CASES, *MOTIONS]))
    parser.add_argument("--engine", help="address of a scheduler of Dask that shares the seeds out (cuttle.share_out)")
    options = parser.parse_args()
    print("| robot | parameter | truth | mean of the estimates | their deviation | mean half width / 1.96 | intervals that hold |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.cases.split(","):
        robot, table, measured, noise, free = CASES.get(name) or MOTIONS[name]
        with tempfile.TemporaryDirectory() as folder:
            if "\n" in robot:
                path = os.path.join(folder, name + ".yaml")
                with open(path, "w") as file:
                    file.write(robot)
                robot = path
            known = {p["path"]: p["value"] for p in json.loads(run(options.tool, "parameters", robot, "--json"))}
            if name in MOTIONS:
                scenario, table = os.path.join(folder, "scenario.yaml"), (["time"], None)
                with open(scenario, "w") as file:
                    file.write(MOTIONS[name][1].format(robot=robot))
                run(options.tool, "simulate", scenario, "-o", os.path.join(folder, "run.h5"), "--csv")
                with open(os.path.join(folder, "run.csv")) as file:
                    true = list(csv.DictReader(file))
                robot, table = scenario, (["time"], [[float(row["time"])] for row in true])
            else:
                true = simulate(options.tool, robot, table, folder)
            jobs = [(options.tool, robot, table, true, measured, noise, free, seed, folder) for seed in range(1, options.seeds + 1)]
            if options.engine is None:
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    found = list(pool.map(one_seed, jobs))
            else:
                import cuttle  # whose workers see the tool and the temporary folder (TMPDIR)

                found = cuttle.share_out(one_seed, jobs, engine=options.engine)
        for i, path in enumerate(free):
            value = known.get(path, 0.0)
            estimates = [f["parameters"][i]["value"] for f in found]
            intervals = [f["parameters"][i]["interval95"] for f in found]
            held = sum(low is not None and low <= value <= high for low, high in intervals) / len(found)
            mean = sum(estimates) / len(estimates)
            deviation = math.sqrt(sum((x - mean) ** 2 for x in estimates) / (len(estimates) - 1))
            half = sum((high - low) / 2 for low, high in intervals if low is not None) / len(found) / 1.96
            print(f"| {name} | `{path}` | {value:.5g} | {mean:.5g} | {deviation:.2g} | {half:.2g} | {100 * held:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
