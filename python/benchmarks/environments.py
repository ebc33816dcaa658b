"""Environment steps a second of one core, and 10^5 random actions without a NaN (docs/learning.md).

    PYTHONPATH=build/python build/python-env/bin/python python/benchmarks/environments.py
"""

import time

import numpy as np

import cuttle.gym
from cuttle.gym import Env, ReachingArm, SoftPendulum, Swimmer, VectorEnv

ACTIONS, REPEATS, LANES = 100_000, 7, 64


def random_actions(task):
    """10^5 random actions in lanes. Returns blow-ups; raises for a NaN."""
    env = VectorEnv(task(), LANES)
    env.reset(seed=0)
    generator, failures = np.random.default_rng(0), 0
    for _ in range(-(-ACTIONS // LANES)):
        seen, rewards, failed, _, _ = env.step(generator.uniform(-1, 1, env.action_space.shape))
        if not (np.isfinite(seen).all() and np.isfinite(rewards).all()):
            raise FloatingPointError(f"{task.__name__}: found a number that is not finite")
        failures += int(failed.sum())
    return failures


def least_seconds(step, count):
    """CPU seconds of one call, the least of several means."""
    least = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        for _ in range(count):
            step()
        least = min(least, (time.process_time() - begin) / count)
    return least


def main():
    print(f"CPU time, least of {REPEATS}; lanes side by side: {cuttle.Batch(SoftPendulum().robot.model, 8).width}")
    for task in (ReachingArm, SoftPendulum, Swimmer):
        generator = np.random.default_rng(0)
        one, many = Env(task()), VectorEnv(task(), LANES, threads=1)
        one.reset(seed=0), many.reset(seed=0)
        single = least_seconds(lambda: one.step(generator.uniform(-1, 1, one.action_space.shape)), 200)
        lanes = least_seconds(lambda: many.step(generator.uniform(-1, 1, many.action_space.shape)), 15) / LANES
        text = f"{task.__name__:14s} {1 / single:8.0f} steps/s alone, {1 / lanes:8.0f} steps/s in {LANES} lanes"
        print(f"{text} ({many.task.interval / lanes:6.0f} x real time); {ACTIONS} random actions: ", end="", flush=True)
        print(f"{random_actions(task)} blow-ups")


if __name__ == "__main__":
    main()
