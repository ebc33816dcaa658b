"""A CMA evolution in parallel: the forces of two tendons that bring the tip of a soft arm to a place.

    python3 cma_evolution.py [GENERATIONS]      needs `pip install cuttle[studies]`
"""

import sys

import cma
import numpy as np

import cuttle

ROBOT = cuttle.example("examples/tendon_arm.yaml")
GOAL = np.array([-0.05, 0.0, -0.44])  # of the tip [m]
KEEP = ["lower.tip.x", "lower.tip.y", "lower.tip.z"]


def main(generations=15, engine=None):
    """Asks for a generation, makes its equilibria at once, and tells how far their tips are. engine: of `cuttle.sweep`."""
    evolution = cma.CMAEvolutionStrategy([1.0, 1.0], 0.5, {"seed": 1, "bounds": [0, 4], "popsize": 12, "verbose": -9})
    for _ in range(generations):
        pulls = evolution.ask()
        table = {"right": [pull[0] for pull in pulls], "left": [pull[1] for pull in pulls]}
        rows = cuttle.sweep(ROBOT, table=table, keep=KEEP, statics=True, engine=engine).rows
        distances = [np.linalg.norm(row["outputs"][:3] - GOAL) if row["status"] == "complete" else np.inf for row in rows]
        evolution.tell(pulls, distances)
    return evolution.result


if __name__ == "__main__":
    found = main(*map(int, sys.argv[1:]))
    print(f"{found.evaluations} equilibria: right {found.xbest[0]:.3f} N, left {found.xbest[1]:.3f} N, {1e3 * found.fbest:.2f} mm off")
