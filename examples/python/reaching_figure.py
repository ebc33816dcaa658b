"""The figure of docs/learning.md: how the policy of evolve_reaching.py came to be, and what it does at targets it never saw."""

import matplotlib
import numpy as np
from evolve_reaching import act

from cuttle.gym import ReachingArm, VectorEnv

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def motions(weights, targets=64, seed=2 * 10**6):
    """Paths of the tips (steps, targets, 3), targets (targets, 3) and distances (steps, targets) [m]."""
    env = VectorEnv(ReachingArm(), targets)
    observations, _ = env.reset(seed=seed)
    goals, tips = env.lanes.goals.copy(), [env.task.tips(env.lanes)]
    for _ in range(ReachingArm.episode_steps):
        observations, *_ = env.step(act(np.tile(weights, (targets, 1)), observations))
        tips.append(env.task.tips(env.lanes))
    return np.array(tips), goals, np.linalg.norm(np.array(tips) - goals, axis=2)


def draw(weights, curve, path):
    """Learning curve, distances to 64 targets over time, and paths of the tip to 6 of them from above."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "cuttle", "font.size": 9})
    tips, goals, distances = motions(weights)
    figure, (learned, reached, above) = plt.subplots(1, 3, figsize=(9.5, 3), layout="constrained")
    learned.plot(curve[:, 0], curve[:, 2], color="0.65", label="best of 32 tried policies")
    learned.plot(curve[:, 0], curve[:, 1], label="their mean")
    learned.set(xlabel="CPU time [s]", ylabel="return")
    learned.legend(loc="lower right", frameon=False)
    time = ReachingArm.interval * np.arange(len(distances))
    reached.plot(time, 1e3 * distances, color="0.8", linewidth=0.6)
    reached.plot(time, 1e3 * np.median(distances, axis=1), label="median of 64 targets")
    reached.set(xlabel="time [s]", ylabel="from tip to target [mm]", ylim=(0, None))
    reached.legend(frameon=False)
    for i in range(6):
        (line,) = above.plot(1e3 * tips[:, i, 0], 1e3 * tips[:, i, 1], linewidth=1)
        above.plot(1e3 * goals[i, 0], 1e3 * goals[i, 1], "x", color=line.get_color())
    above.set(aspect="equal", xlabel="x [mm]", ylabel="y [mm]", title="tip from above, targets x")
    figure.savefig(path, metadata={"Date": None})
    median, worst = 1e3 * np.median(distances[-1]), 1e3 * distances[-1].max()
    print(f"distance after 3 s at 64 targets: median {median:.1f} mm, worst {worst:.1f} mm; at the start {1e3 * np.median(distances[0]):.1f} mm")
