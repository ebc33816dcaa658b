"""A soft arm learns to reach, by an evolution strategy of NumPy alone (docs/learning.md).

    python examples/python/evolve_reaching.py            # a minute of two cores; writes policy.npz
    python examples/python/evolve_reaching.py --figures docs/images   # and the figure of the page (matplotlib)

The policy is linear, from observation to six tensions, and cut smoothly. Each generation tries `PAIRS` random steps of its weights and their
opposites, all at once in a Batch, and goes along the steps by the ranks of their returns.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np

from cuttle.gym import ReachingArm, VectorEnv

PAIRS, STARTS, GENERATIONS = 16, 4, 150
SIGMA, RATE = 0.1, 0.05  # spread of the random steps; rate of Adam
SEEN, ACTIONS = ReachingArm.observation_size, 6
WEIGHTS = (SEEN + 1) * ACTIONS


def act(weights, observations):
    """Actions (lanes, 6) of policies (lanes, WEIGHTS), one a lane."""
    gains = weights.reshape(-1, SEEN + 1, ACTIONS)
    return np.tanh(np.einsum("li,lij->lj", observations, gains[:, :-1]) + gains[:, -1])


def returns(env, weights, seed):
    """Sums of rewards of one episode in each lane; a lane that ended early keeps what it had."""
    observations, _ = env.reset(seed=seed)
    total, running = np.zeros(env.num_envs), np.ones(env.num_envs, dtype=bool)
    while running.any():
        observations, rewards, failed, cut, _ = env.step(act(weights, observations))
        total += running * rewards
        running &= ~(failed | cut)
    return total


def evaluate(weights, episodes=64, seed=10**6):
    """Returns of a policy from starts that training never saw."""
    return returns(VectorEnv(ReachingArm(), episodes), np.tile(weights, (episodes, 1)), seed)


def train(seed):
    """Weights, and a row a generation: CPU seconds, mean return of the tried policies, best one."""
    random = np.random.default_rng(seed)
    weights = np.zeros(WEIGHTS)  # half the tension in all tendons
    env = VectorEnv(ReachingArm(), 2 * PAIRS * STARTS)
    mean, square, curve, begin = np.zeros(WEIGHTS), np.zeros(WEIGHTS), [], time.process_time()
    first = weights.copy()
    for generation in range(1, GENERATIONS + 1):
        steps = random.normal(size=(PAIRS, WEIGHTS))
        tried = np.concatenate([weights + SIGMA * steps, weights - SIGMA * steps])
        seeds = [10**4 * seed + STARTS * generation + i for i in range(STARTS)]  # the same starts for all
        got = returns(env, np.repeat(tried, STARTS, axis=0), seeds * (2 * PAIRS)).reshape(-1, STARTS).mean(axis=1)
        ranks = got.argsort().argsort() / (len(got) - 1) - 0.5
        slope = (ranks[:PAIRS] - ranks[PAIRS:]) @ steps / (2 * PAIRS * SIGMA)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        corrected = mean / (1 - 0.9**generation) / (np.sqrt(square / (1 - 0.99**generation)) + 1e-8)
        weights = weights + RATE * corrected
        curve.append((time.process_time() - begin, got.mean(), got.max()))
        if generation % 10 == 0:
            print(f"{generation:4d}  {curve[-1][0]:6.1f} s CPU  mean {curve[-1][1]:7.2f}  best {curve[-1][2]:7.2f}", flush=True)
    return first, weights, np.array(curve)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("policy.npz"))
    parser.add_argument("--figures", type=Path, help="folder for the learning curve and the motion")
    arguments = parser.parse_args()
    wall = time.perf_counter()
    first, weights, curve = train(arguments.seed)
    wall = time.perf_counter() - wall
    print(f"seed {arguments.seed}: {curve[-1, 0]:.0f} s CPU, {wall:.0f} s on {os.cpu_count()} cores")
    for name, policy in (("before", first), ("after", weights)):
        result = evaluate(policy)
        print(f"return {name}: {result.mean():.1f}, of 64 other starts {result.min():.1f} to {result.max():.1f}")
    np.savez(arguments.output, weights=weights, first=first, curve=curve)
    if arguments.figures:
        from reaching_figure import draw  # needs matplotlib

        draw(weights, curve, arguments.figures / "reaching.svg")


if __name__ == "__main__":
    main()
