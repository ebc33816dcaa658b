"""What is to be learned, and robots side by side that learn it: what one environment and a vector of them have in common."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import Batch, Rollout
from .._compared import Compared
from .._numbers import array_of, number_of
from ..errors import ArgumentError, ModelError
from ..robot import Robot, load

Array = NDArray[np.float64]
ROBOTS = Path(__file__).parent / "robots"
#: In the text of a robot: a signal, or the motion of an obstacle; that of a base is one word.
_IN_TIME = re.compile(
    r"\btype: (step|ramp|sine|points|table|cubic|quintic|minimum_jerk|spline|steps)\b|\bmotion:(?! (floating|fixed)\b)"
)


class Task(Compared, ABC):
    """A robot and what it is to do. Tasks of your own derive from it; environments may share one.

    Actions, observations and rewards are of many robots, a row each.

    interval: an action is held so long [s].   step: of the integrator (tsit5) [s].   episode_steps: intervals an episode.
    failure_reward: of an action under which the simulation blows up, or leaves what is `possible`; it ends the episode.
    """

    robot_file: str = ""
    interval = 0.04
    step = 0.005
    episode_steps = 100
    failure_reward = -100.0
    observation_size = 0
    goal_size = 0

    def __init__(self, robot: Robot | None = None) -> None:
        self.robot = robot if robot is not None else load(ROBOTS / self.robot_file)

    @property
    def action_size(self) -> int:
        """Numbers in [-1, 1] that a policy sets."""
        return self.robot.nu

    def prepare(self, lanes: Lanes) -> Any:
        """Called when the parameters of robots have changed. What it returns is `lanes.prepared` until then.

        A task may serve several environments: what differs from lane to lane has its place there, not in the task.
        """
        return None

    @abstractmethod
    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        """State and goal of one robot at the beginning of an episode: q, v, goal."""

    @abstractmethod
    def inputs(self, actions: Array) -> Array:
        """Inputs of the robots for actions in [-1, 1]."""

    @abstractmethod
    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        """Whether states are within what the robot can be in; NaN is not."""

    @abstractmethod
    def observe(self, lanes: Lanes) -> Array:
        """What a policy sees."""

    @abstractmethod
    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        """Of the interval that began at q_before and ended now."""


class Lanes(Compared):
    """`count` robots of one task, a row each in all arrays.

    q, v: states, (count, nq) and (count, nv).   states: of contacts, elements and loads, (count, batch.state_count), handed on
        from interval to interval; NaN at the begin of an episode.   goals: what each is to do, (count, goal_size); see the task.
    ages: intervals since each was reset, (count,): it is at the time `ages` x task.interval.
    timed: whether the robot depends on time. Then only lanes of one age move together.
    parameters: of each robot, (count, paths), by the paths of `randomize` in their order.
    failed: whether the last step blew up, (count,); the state is then the one before it.   failures: why, a text each.
    prepared: what the task made of the robots' parameters (`Task.prepare`).
    """

    def __init__(
        self, task: Task, count: int, randomize: Mapping[str, Sequence[float]] | None = None, threads: int = 0
    ) -> None:
        self.task = task
        self.robot: Robot = task.robot
        self.count = count
        self.threads = threads
        self.paths = list(randomize or {})
        self.ranges = _ranges(self.robot, randomize or {})
        self.robots = [self.robot] * count
        known = self.robot.parameters()
        self.parameters = np.tile([known[path].value for path in self.paths], (count, 1))
        self.batch = Batch(self.robot.model, count, threads)
        self.q: Array = np.tile(self.robot.neutral(), (count, 1))
        self.v: Array = np.zeros((count, self.robot.nv))
        self.states: Array = np.full((count, self.batch.state_count), np.nan)
        self.ages = np.zeros(count, dtype=int)
        self.timed = _depends_on_time(self.robot)
        self._parts: dict[tuple[int, ...], Batch] = {}  # lanes of one age, where ages differ
        self.goals: Array = np.zeros((count, task.goal_size))
        self.failed = np.zeros(count, dtype=bool)
        self.failures = [""] * count
        self.prepared: Any = task.prepare(self)

    def reset(
        self, which: Sequence[int], generators: Sequence[np.random.Generator], options: Mapping[str, Any] | None = None
    ) -> None:
        """Begins new episodes in some lanes; each draws from its own generator, so that others do not matter.

        options: 'q' and 'v', rows of all lanes, (count, nq) and (count, nv): where they begin instead.
        """
        if self.paths:
            for lane in which:
                low, high = self.ranges
                self.parameters[lane] = generators[lane].uniform(low, high)
                self.robots[lane] = self.robot.with_(dict(zip(self.paths, self.parameters[lane])))
            self.batch = Batch(self.robot.model, self.paths, self.parameters, self.threads)
            self._parts = {lanes: part for lanes, part in self._parts.items() if not set(lanes) & set(which)}
            self.prepared = self.task.prepare(self)
        given = {key: self._rows(key, options[key]) for key in ("q", "v") if options and key in options}
        for lane in which:
            q, v, goal = self.task.begin(self.robots[lane], generators[lane])
            self.q[lane] = given["q"][lane] if "q" in given else q
            self.v[lane] = given["v"][lane] if "v" in given else v
            self.goals[lane] = goal
            self.states[lane] = np.nan
            self.ages[lane] = 0
            self.failed[lane] = False
            self.failures[lane] = ""

    def _rows(self, key: str, given: ArrayLike) -> Array:
        rows = np.atleast_2d(array_of(given, f"options['{key}']"))
        expected = getattr(self, key).shape
        if rows.shape != expected:
            raise ArgumentError(f"options['{key}']: found shape {rows.shape}, expected {expected}", key)
        return rows

    def step(self, actions: ArrayLike) -> Array:
        """One interval of the task under actions in [-1, 1], (count, nu); others are cut. Returns rewards, (count,)."""
        actions = array_of(actions, "actions")
        expected = (self.count, self.task.action_size)
        if actions.shape != expected or not np.isfinite(actions).all():
            found = f"shape {actions.shape}" if actions.shape != expected else "numbers that are not finite"
            raise ArgumentError(f"actions: found {found}, expected finite numbers of shape {expected}", "actions")
        actions = np.clip(actions, -1, 1)
        q, v = self.q, self.v
        q_end, v_end, states, self.failures = self._roll_out(self.task.inputs(actions)[:, None, :])
        with np.errstate(invalid="ignore"):  # NaN of a robot that blew up
            possible = self.task.possible(q_end, v_end)
        for lane in np.flatnonzero(~possible):
            self.failures[lane] = self.failures[lane] or "it left what the robot can be in"
        self.failed = np.array([failure != "" for failure in self.failures])
        self.q = np.where(self.failed[:, None], q, q_end)
        self.v = np.where(self.failed[:, None], v, v_end)
        self.states = np.where(self.failed[:, None], self.states, states)
        self.ages = self.ages + ~self.failed
        rewards = self.task.reward(self, q, actions)
        rewards[self.failed] = self.task.failure_reward
        return rewards

    def _roll_out(self, held_inputs: Array) -> tuple[Array, Array, Array, list[str]]:
        """An interval of all lanes: q, v and states at its end, and why lanes failed."""
        ages = np.unique(self.ages) if self.timed else [0]
        if len(ages) == 1:
            end = self._roll_out_some(self.batch, slice(None), ages[0], held_inputs)
            return end.q, end.v, end.states, end.failures
        groups = [np.flatnonzero(self.ages == age) for age in ages]
        self._parts = {tuple(lanes.tolist()): self._part(lanes) for lanes in groups}
        ends = [
            self._roll_out_some(part, lanes, age, held_inputs) for part, lanes, age in zip(self._parts.values(), groups, ages)
        ]
        order = np.argsort(np.concatenate(groups))
        q, v, states = (np.concatenate([getattr(end, name) for end in ends])[order] for name in ("q", "v", "states"))
        failures = [failure for end in ends for failure in end.failures]
        return q, v, states, [failures[k] for k in order]

    def _roll_out_some(self, part: Batch, lanes: Any, age: int, held_inputs: Array) -> Rollout:
        return part.rollout(
            self.q[lanes], self.v[lanes], duration=self.task.interval, step=self.task.step, start=age * self.task.interval,
            held_inputs=held_inputs[lanes], raise_on_failure=False, states=self.states[lanes],
        )

    def _part(self, lanes: NDArray[np.int_]) -> Batch:
        """The robots of some lanes."""
        known = self._parts.get(tuple(lanes.tolist()))
        if known is not None:
            return known
        if self.paths:
            return Batch(self.robot.model, self.paths, self.parameters[lanes], self.threads)
        return Batch(self.robot.model, len(lanes), self.threads)

    def observe(self) -> NDArray[np.float32]:
        """What a policy sees, (count, observation_size), within [-10, 10]."""
        return np.clip(self.task.observe(self), -10, 10).astype(np.float32)


def _depends_on_time(robot: Robot) -> bool:
    """Whether a load follows a signal, or an obstacle moves. Functions of Python, which no text says, may look at the clock."""
    try:
        return _IN_TIME.search(robot.to_yaml()) is not None
    except ModelError:
        return True


def _ranges(robot: Robot, randomize: Mapping[str, Sequence[float]]) -> tuple[Array, Array]:
    """Lower and upper bounds, of which both must make a robot."""
    for path, bounds in randomize.items():
        if len(bounds) != 2 or not bounds[0] <= bounds[1]:
            raise ArgumentError(f"randomize['{path}']: found {bounds}, expected (lower, upper)", path)
    low, high = ([number_of(bounds[i], path) for path, bounds in randomize.items()] for i in (0, 1))
    for values in (low, high):
        robot.with_(dict(zip(randomize, values)))
    return np.array(low), np.array(high)
