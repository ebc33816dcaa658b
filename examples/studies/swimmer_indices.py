"""Which numbers of the swimmer of Boyer et al. matter for how far it swims: Sobol' indices (docs/sweeps.md).

    python3 swimmer_indices.py [SAMPLES [SECONDS]]      a power of 2; 7 runs a sample; needs `pip install cuttle[studies]`
"""

import sys

import numpy as np
from SALib.analyze import sobol as analysis
from SALib.sample import sobol as sampling

import cuttle

SCENARIO = cuttle.example("boyer2023/swimmer_scenario.yaml")
SIDES = ("left", "right")
#: Each number is several of the scenario's: the paper's value, within a fifth about it.
NUMBERS = {
    "stiffness of the front": (4.9, ["links.front.body.stiffness[1]"]),
    "stiffness of the rear": (4.9e-2, ["links.rear.body.stiffness[1]"]),
    "drag of the sides": (1.0, [f"loads[{i}].normal_drag" for i in range(3)]),
    "pull of the tendons": (20.0, [f"simulation.inputs.{side}.{part}" for side in SIDES for part in ("amplitude", "offset")]),
    "frequency": (2.5, [f"simulation.inputs.{side}.frequency" for side in SIDES]),
}


def main(samples=64, seconds=5.0, engine=None, output=None):
    """The indices, and the sweep that they are of. engine: of `cuttle.sweep`."""
    problem = {
        "num_vars": len(NUMBERS),
        "names": list(NUMBERS),
        "bounds": [[0.8 * value, 1.2 * value] for value, _ in NUMBERS.values()],
    }
    points = sampling.sample(problem, samples, calc_second_order=False, seed=1)
    table = {path: points[:, i] for i, (_, paths) in enumerate(NUMBERS.values()) for path in paths}
    keep = {"way": "head.tip.x"}
    found = cuttle.sweep(SCENARIO, {"simulation.duration": seconds}, table=table, keep=keep, engine=engine, output=output)
    if found.failed:
        raise RuntimeError(f"found {len(found.failed)} failed runs, expected none: {found.failed}")
    way = np.array([row["outputs"][0] for row in found.rows])
    return analysis.analyze(problem, way, calc_second_order=False, seed=1), found


def draw(indices, path):
    """Bars with intervals of 95 %."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 2.6), layout="constrained")
    places = np.arange(len(NUMBERS))
    axes.barh(places - 0.18, indices["S1"], 0.34, xerr=indices["S1_conf"], label="alone (first order)", color="#0072b2", ecolor="#22272d")
    axes.barh(places + 0.18, indices["ST"], 0.34, xerr=indices["ST_conf"], label="with others (total)", color="#e69f00", ecolor="#22272d")
    axes.set_yticks(places, list(NUMBERS))
    axes.invert_yaxis()
    axes.set_xlabel("part of the variance of the way")
    figure.legend(loc="outside upper center", ncols=2)
    figure.savefig(path)


if __name__ == "__main__":
    arguments = [int(sys.argv[1])] if len(sys.argv) > 1 else []
    arguments += [float(sys.argv[2])] if len(sys.argv) > 2 else []
    indices, found = main(*arguments, output="swimmer_indices.h5")
    draw(indices, "swimmer_indices.svg")
    way = np.array([row["outputs"][0] for row in found.rows])
    print(f"{len(found)} runs: {way.mean():.2f} m on average, deviation {way.std():.2f} m")
    for name, first, total, error in zip(NUMBERS, indices["S1"], indices["ST"], indices["ST_conf"]):
        print(f"{name:24} first {first:6.3f}  total {total:6.3f} +- {error:.3f}")
