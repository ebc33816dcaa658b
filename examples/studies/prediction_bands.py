"""What an identification says of other runs: parameters are drawn with their covariance, and the runs make bands over time.

    python3 prediction_bands.py [RUNS]      writes bands.h5 and bands_curves.svg here
"""

import sys

import numpy as np

import cuttle
from cuttle._program import run_program


def measured(robot, noise=0.01, seed=1):
    """A swing as a camera would see it: 60 angles with errors of 10 mrad."""
    run = robot.simulate(duration=3.0, output_step=0.05, q=[1.0])
    errors = np.random.default_rng(seed).normal(0.0, noise, len(run.time))
    return run.time, run.q[:, 0] + errors


def main(runs=64, folder="."):
    truth = cuttle.Robot.from_dict({
        "name": "pendulum",
        "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.08},
                   "body": {"type": "rigid", "mass": 1, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01, 0, 0, 0]}}]})
    time, angle = measured(truth)
    with open(f"{folder}/swing.csv", "w", encoding="utf-8") as table:
        table.write("time,arm.joint.q0\n" + "".join(f"{t!r},{a!r}\n" for t, a in zip(time.tolist(), angle.tolist())))
    truth.save(f"{folder}/pendulum.yaml")
    with open(f"{folder}/swing.yaml", "w", encoding="utf-8") as scenario:
        scenario.write("cuttle: 1\nrobot: pendulum.yaml\nsimulation: {duration: 8, output_step: 0.05, initial: {arm: {q: [1.0]}}}\n")
    free = ["links.arm.body.inertia[1]", "links.arm.joint.damping"]
    report = cuttle.identify([f"{folder}/swing.yaml", f"{folder}/swing.csv"], free)
    found = cuttle.sweep(f"{folder}/swing.yaml", identified=report, runs=runs, sample="sobol", keep=["q"], output=f"{folder}/bands.h5")
    run_program("plot", f"{folder}/bands.h5", "--bands", "arm.joint.q0", "-o", f"{folder}/bands_curves.svg")
    return report, found


if __name__ == "__main__":
    report, found = main(*map(int, sys.argv[1:]))
    for one in report["parameters"]:
        print(f"{one['path']}: {one['value']:.5f}, 95 % from {one['interval95'][0]:.5f} to {one['interval95'][1]:.5f}")
    print(f"the angle after 8 s: {found.frame['arm.joint.q0'].mean():.4f} +- {found.frame['arm.joint.q0'].std():.4f} rad")
