"""Which parameters matter: Sobol' indices of a pendulum's time of swing by SALib, from runs of a sweep.

    python3 sobol_indices.py [SAMPLES]      a power of 2; needs `pip install cuttle[studies]`
"""

import sys

import numpy as np
from SALib.analyze import sobol as analysis
from SALib.sample import sobol as sampling

import cuttle

SCENARIO = cuttle.example("examples/pendulum_scenario.yaml")
PROBLEM = {
    "num_vars": 3,
    "names": ["robot.gravity[2]", "links.arm.body.mass", "simulation.initial.arm.q[0]"],
    "bounds": [[-10.3, -9.3], [0.95, 1.05], [0.9, 1.1]],
}
FIXED = {"simulation.duration": 1.0, "simulation.inputs.motor": 0.0}


def main(samples=64, scenario=SCENARIO, problem=PROBLEM, fixed=FIXED, metric="arm.joint.q0", engine=None):
    """First-order and total indices by SALib's estimators. engine: of `cuttle.sweep`."""
    points = sampling.sample(problem, samples, calc_second_order=False, seed=1)
    table = dict(zip(problem["names"], points.T))
    found = cuttle.sweep(scenario, fixed, table=table, keep={"y": metric}, engine=engine)
    if found.failed:
        raise RuntimeError(f"found {len(found.failed)} failed runs, expected none: {found.failed}")
    values = np.array([row["outputs"][0] for row in found.rows])
    return analysis.analyze(problem, values, calc_second_order=False, seed=1)


if __name__ == "__main__":
    indices = main(*map(int, sys.argv[1:]))
    for name, first, total in zip(PROBLEM["names"], indices["S1"], indices["ST"]):
        print(f"{name:30} first {first:6.3f}  total {total:6.3f}")
