"""The environments themselves: one robot, or many in a Batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .._compared import Compared
from .._numbers import array_of
from . import tasks
from .lanes import Lanes, Task

Randomize = Mapping[str, Sequence[float]]
Observation = NDArray[np.float32]


def _spaces(task: Task) -> tuple[spaces.Box, spaces.Box]:
    return (
        spaces.Box(-10, 10, (task.observation_size,), np.float32),
        spaces.Box(-1, 1, (task.action_size,), np.float32),
    )


class Env(Compared, gymnasium.Env):
    """One robot. It equals lane 0 of a VectorEnv of the same seed, to rounding.

    task: a Task.   randomize: by paths of parameters (lower, upper); each episode draws from them evenly.
    lanes: states and parameters, arrays of one row.   `info` has 'failed', 'failure' (why; empty if it
    did not), and 'parameters' after a reset.
    Episodes end (truncated) after `episode_steps` of the task; a blow-up ends them (terminated) with its `failure_reward`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Task, randomize: Randomize | None = None) -> None:
        self.task = task
        self.lanes = Lanes(task, 1, randomize, threads=1)
        self.observation_space, self.action_space = _spaces(task)
        self.render_mode = None
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new episode.   options: 'q' and 'v', where it begins."""
        super().reset(seed=seed)
        self.lanes.reset([0], [self.np_random], options)
        self._steps = 0
        parameters = dict(zip(self.lanes.paths, self.lanes.parameters[0].tolist()))
        return self.lanes.observe()[0], {"failed": False, "failure": "", "parameters": parameters}

    def step(self, action: ArrayLike) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One interval of the task."""
        reward = self.lanes.step(array_of(action, "action")[None])
        self._steps += 1
        failed = bool(self.lanes.failed[0])
        cut = not failed and self._steps >= self.task.episode_steps
        info = {"failed": failed, "failure": self.lanes.failures[0]}
        return self.lanes.observe()[0], float(reward[0]), failed, cut, info


class VectorEnv(Compared, gymnasium.vector.VectorEnv):
    """Many robots in a Batch, in the lanes of the CPU's vector registers and on its cores.

    Lane i of seed s goes as an Env of seed s + i. A lane whose episode has ended begins the next one at the next step, whose
    action and reward (0) do not count there (Gymnasium's AutoresetMode.NEXT_STEP).
    num_envs: lanes; best a multiple of 8.   threads: 0: one a core.   randomize, lanes, `info`: as of Env.
    """

    def __init__(
        self, task: Task, num_envs: int = 1, randomize: Randomize | None = None, threads: int = 0
    ) -> None:
        self.task = task
        self.num_envs = num_envs
        self.lanes = Lanes(task, num_envs, randomize, threads)
        self.single_observation_space, self.single_action_space = _spaces(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = None
        self._generators: list[np.random.Generator] = []
        self._steps = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """New episodes in all lanes.   seed: of lane 0, the others one more each; or one a lane."""
        if seed is not None or not self._generators:
            each = [None] * self.num_envs if seed is None else seed
            seeds = [each + i for i in range(self.num_envs)] if isinstance(each, (int, np.integer)) else list(each)
            if len(seeds) != self.num_envs:
                raise ValueError(f"seed: found {len(seeds)}, expected one number or {self.num_envs}")
            self._generators = [np_random(None if s is None else int(s))[0] for s in seeds]
        self._begin(range(self.num_envs), options)
        return self.lanes.observe(), self._info(range(self.num_envs))

    def _begin(self, which: Sequence[int], options: Mapping[str, Any] | None = None) -> None:
        self.lanes.reset(which, self._generators, options)
        self._steps[list(which)] = 0
        self._ended[list(which)] = False

    def _info(self, begun: Sequence[int]) -> dict[str, Any]:
        """As Gymnasium's vectors have it: by keys, with a mask `_key` of the lanes that have it."""
        info: dict[str, Any] = {"failed": self.lanes.failed.copy(), "failure": np.array(self.lanes.failures, dtype=object)}
        info |= {"_" + key: np.ones(self.num_envs, dtype=bool) for key in list(info)}
        if len(begun) > 0:
            mask = np.zeros(self.num_envs, dtype=bool)
            mask[list(begun)] = True
            info["parameters"], info["_parameters"] = {}, mask
            for path, values in zip(self.lanes.paths, self.lanes.parameters.T):
                info["parameters"][path], info["parameters"]["_" + path] = np.where(mask, values, 0), mask.copy()
        return info

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One interval of the task in all lanes."""
        fresh = np.flatnonzero(self._ended)
        rewards = self.lanes.step(actions)
        self._steps += 1
        if len(fresh) > 0:  # what they did just now is thrown away
            rewards[fresh] = 0
            self._begin(fresh.tolist())
        failed = self.lanes.failed.copy()
        cut = ~failed & (self._steps >= self.task.episode_steps)
        self._ended = failed | cut
        return self.lanes.observe(), rewards, failed, cut, self._info(fresh)


def _task(name: str) -> Task:
    return getattr(tasks, name)()


def make_one(task: str, randomize: Randomize | None = None, render_mode: None = None) -> Env:
    """For ``gymnasium.make``."""
    return Env(_task(task), randomize)


def make_many(task: str, num_envs: int = 1, randomize: Randomize | None = None, threads: int = 0) -> VectorEnv:
    """For ``gymnasium.make_vec``."""
    return VectorEnv(_task(task), num_envs, randomize, threads)
