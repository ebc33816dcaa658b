"""Tasks that come with the package."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import StaticsError
from ..robot import Robot, load
from .lanes import ROBOTS, Array, Lanes, Task


class ReachingArm(Task):
    """An arm of two segments and six tendons brings its tip to a target and holds it there.

    actions: tensions, from 0 (-1) to 8 N (1).
    goal: position of the tip [m], (3,): that of the equilibrium under tensions drawn from 0 to 8 N, of which about half
        are zero. So every target is reachable.
    observation, (14,): curvatures, (4,) [rad]; their rates, (4,) [10 rad/s]; from tip to target, (3,) [0.1 m]; target from
        the hanging tip, (3,) [0.1 m].
    reward: - distance / 0.1 m - 0.01 x mean square of the tensions / (8 N)^2.
    """

    robot_file = "reaching_arm.yaml"
    interval, step, episode_steps = 0.05, 0.01, 60
    observation_size, goal_size = 14, 3
    largest_tension = 8.0

    def __init__(self, robot: Robot | None = None) -> None:
        super().__init__(robot)
        self.frame = self.robot.model.frame("lower.tip")
        self._hanging = self._tip(self.robot, self.robot.neutral())

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        q = generator.uniform(-0.1, 0.1, robot.nq)
        rest = next(self._rests(robot, generator, 20), robot.neutral())
        return q, np.zeros(robot.nv), self._tip(robot, rest)

    def _rests(self, robot: Robot, generator: np.random.Generator, attempts: int) -> Iterator[Array]:
        """Configurations at rest under random tensions, where there is an equilibrium."""
        for _ in range(attempts):
            tensions = generator.uniform(0, self.largest_tension, robot.nu) * (generator.random(robot.nu) < 0.5)
            try:
                yield _core.static_equilibrium(robot.model, robot.data, tensions, None).q
            except StaticsError:
                continue

    def inputs(self, actions: Array) -> Array:
        return self.largest_tension / 2 * (actions + 1)

    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        return (np.abs(q) < 6).all(axis=1) & (np.abs(v) < 500).all(axis=1)

    def _tip(self, robot: Robot, q: Array) -> Array:
        return _core.forward_kinematics(robot.model, robot.data, q).pose(self.frame).position

    def tips(self, lanes: Lanes) -> Array:
        """Positions of the tips [m], (count, 3)."""
        return np.array([self._tip(robot, q) for robot, q in zip(lanes.robots, lanes.q)])

    def observe(self, lanes: Lanes) -> Array:
        to_target = lanes.goals - self.tips(lanes)
        return np.hstack([lanes.q, lanes.v / 10, to_target / 0.1, (lanes.goals - self._hanging) / 0.1])

    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        distance = np.linalg.norm(lanes.goals - self.tips(lanes), axis=1)
        return -distance / 0.1 - 0.01 * np.mean(((actions + 1) / 2) ** 2, axis=1)


class ReachOverWall(ReachingArm):
    """The arm of ReachingArm beside a wall as wide as it can reach: the target is behind, the tip hangs below the upper edge.

    The arm may lean on the wall, which is smooth. It must lift its tip by 37 mm, to one side or away from the wall, to pass it.
    Where it swings into the wall by more than half of its thickness it has failed.
    actions, goal, observation, reward: as of ReachingArm. Targets are equilibria of the arm of the file without the wall,
        whose tip is 30 mm behind it or more, and which do not touch it.
    """

    robot_file = "arm_at_wall.yaml"
    interval, step, episode_steps = 0.05, 0.005, 80
    wall, edge, behind = 0.06, -0.375, 0.1

    def __init__(self, robot: Robot | None = None) -> None:
        super().__init__(robot)
        self._free = load(ROBOTS / ReachingArm.robot_file)
        self._arm = [self.robot.model.frame(name) for name in ("lower_middle", "lower_three_quarters", "lower.tip")]

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        q, free = generator.uniform(-0.05, 0.05, robot.nq), self._free
        goal = np.array([0.12, 0.0, -0.36])  # one that can be reached, should no other be found
        for rest in self._rests(free, generator, 200):
            frames = _core.forward_kinematics(self.robot.model, self.robot.data, rest)
            places = np.array([frames.pose(frame).position for frame in self._arm])
            over = np.abs(places[:, 0] - self.wall) < 0.03
            if places[-1, 0] > self.behind and (places[over, 2] > self.edge + 0.03).all():
                goal = places[-1]
                break
        return q, np.zeros(robot.nv), goal


class Crawler(Task):
    """A soft rod on the ground crawls forward by arching and stretching: its skin slides more easily forward than backward.

    actions: moments, (2,): that of an arch, 0 (-1) to 3e-3 N m (1), and that of an S, -5e-4 to 5e-4 N m.
    observation, (11,): height of the tail above the ground [10 mm], its pitch [rad], three bending coordinates [rad], and the
        rates of tail and head's way [0.1 m/s], and of those [0.1 m/s, 10 rad/s].
    reward: way of its middle forward over the interval / 1 mm, - 0.01 x mean square of the actions.
    """

    robot_file = "crawler.yaml"
    interval, step, episode_steps = 0.05, 5e-4, 100
    observation_size = 11

    def __init__(self, robot: Robot | None = None) -> None:
        super().__init__(robot)
        self._head = self.robot.model.frame("body.tip")

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        q = robot.neutral()
        q[3] = generator.uniform(0, 0.05)  # a little arched
        return q, np.zeros(robot.nv), np.zeros(0)

    def inputs(self, actions: Array) -> Array:
        return np.stack([1.5e-3 * (actions[:, 0] + 1), 5e-4 * actions[:, 1]], axis=1)

    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        return (np.abs(q[:, 1:]) < 10).all(axis=1) & (np.abs(v) < 1000).all(axis=1) & (np.abs(q[:, 0]) < 1000)

    def places(self, lanes: Lanes, q: Array) -> Array:
        """Of the middles between tail and head, along the ground [m], (count,)."""
        heads = [
            _core.forward_kinematics(robot.model, robot.data, each).pose(self._head).position[0]
            for robot, each in zip(lanes.robots, q)
        ]
        return 0.5 * (q[:, 0] + np.array(heads))

    def observe(self, lanes: Lanes) -> Array:
        q, v = lanes.q, lanes.v
        return np.hstack([q[:, 1:2] / 0.01, q[:, 2:], v[:, :2] / 0.1, v[:, 2:] / 10])

    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        way = self.places(lanes, lanes.q) - self.places(lanes, q_before)
        return way / 1e-3 - 0.01 * np.mean(actions**2, axis=1)


class TwoFingers(Task):
    """Two soft fingers hold a ball by friction. It falls where they pull too little, and slips out where they pull too much.

    actions: tensions of the left and the right finger, from 0 (-1) to 12 N (1).
    observation, (18,): the ball's place from where it was held first, (3,) [10 mm], its velocity, (3,) [0.1 m/s]; six bending
        coordinates of the fingers [rad]; their rates [10 rad/s].
    reward: 1 - the ball's distance from where it was held / 10 mm - 0.1 x mean square of the tensions / (12 N)^2.
    Begins where 8 N hold the ball (or 10 or 12, where it is heavier), pushed at random by up to 2 cm/s. A ball that is 30 mm
    away is lost: the episode fails.
    """

    robot_file = "two_fingers.yaml"
    interval, step, episode_steps = 0.05, 1e-3, 60
    observation_size, goal_size = 18, 3
    largest_tension = 12.0

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        v = np.zeros(robot.nv)
        v[-3:] = generator.uniform(-0.02, 0.02, 3)
        for tension in (8.0, 10.0, 12.0):
            try:
                q = _core.static_equilibrium(robot.model, robot.data, np.full(2, tension), None).q
            except StaticsError:  # too heavy
                continue
            return q, v, q[6:9].copy()
        q = robot.neutral()
        return q, v, q[6:9].copy()

    def inputs(self, actions: Array) -> Array:
        return self.largest_tension / 2 * (actions + 1)

    def away(self, lanes: Lanes) -> Array:
        """Of the balls from where they were held [m], (count, 3)."""
        return lanes.q[:, 6:9] - lanes.goals

    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        held = np.linalg.norm(q[:, 6:9], axis=1) < 0.03  # where it is held first is within 2 mm of the file's place
        return held & (np.abs(q[:, :6]) < 10).all(axis=1) & (np.abs(v) < 1000).all(axis=1)

    def observe(self, lanes: Lanes) -> Array:
        q, v = lanes.q, lanes.v
        return np.hstack([self.away(lanes) / 0.01, v[:, -3:] / 0.1, q[:, :6], v[:, :6] / 10])

    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        distance = np.linalg.norm(self.away(lanes), axis=1)
        return 1 - distance / 0.01 - 0.1 * np.mean(((actions + 1) / 2) ** 2, axis=1)


class SoftPendulum(Task):
    """A rubber rod on a weak motor swings up and stays up.

    action: the motor's torque, from -0.1 to 0.1 N m, about half of what holds the rod level.
    observation, (7,): cosine and sine of the joint's angle, 1 and 0 as it hangs; its rate [10 rad/s]; two
        bending coordinates [rad]; their rates [10 rad/s].
    reward: height of the center of mass, -1 hanging to 1 upright, - 0.01 action^2.
    """

    robot_file = "soft_pendulum.yaml"
    interval, step, episode_steps = 0.04, 0.005, 150
    observation_size = 7
    largest_torque = 0.1

    def prepare(self, lanes: Lanes) -> tuple[Array, Array]:
        """Energies of gravity, hanging and upright [J]."""
        hanging, upright = np.zeros_like(lanes.q), np.zeros_like(lanes.q)
        upright[:, 0] = np.pi
        at_rest = np.zeros_like(lanes.v)
        return lanes.batch.energies(hanging, at_rest)[:, 1], lanes.batch.energies(upright, at_rest)[:, 1]

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        q = np.zeros(robot.nq)
        q[0] = generator.uniform(-0.1, 0.1)
        return q, np.zeros(robot.nv), np.zeros(0)

    def inputs(self, actions: Array) -> Array:
        return self.largest_torque * actions

    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        return (np.abs(q[:, 1:]) < 10).all(axis=1) & (np.abs(v) < 1000).all(axis=1) & (np.abs(q[:, 0]) < 1000)

    def observe(self, lanes: Lanes) -> Array:
        angle = lanes.q[:, :1]
        return np.hstack([np.cos(angle), np.sin(angle), lanes.v[:, :1] / 10, lanes.q[:, 1:], lanes.v[:, 1:] / 10])

    def heights(self, lanes: Lanes) -> Array:
        """Of the centers of mass, -1 hanging to 1 upright, (count,)."""
        gravity = lanes.batch.energies(lanes.q, lanes.v)[:, 1]
        lowest, highest = lanes.prepared
        return 2 * (gravity - lowest) / (highest - lowest) - 1

    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        return self.heights(lanes) - 0.01 * actions[:, 0] ** 2


class Swimmer(Task):
    """A swimmer keeps a heading and a speed that change from episode to episode.

    action, one number: positive pulls the left tendon, negative the right one, at 1 with 6 N.
    goal: speed, 0.2 to 0.45 m/s, and heading, -0.8 to 0.8 rad.
    observation, (12,): cosine and sine of the nose's angle from the heading; its rate [10 rad/s]; velocity along and across
        the heading by the speed; three bending coordinates [rad]; their rates [10 rad/s]; speed [m/s].
    reward: 1 - |along - 1| - 0.5 |across|, of the nose's mean velocity over the interval by the speed asked for.
    """

    robot_file = "swimmer.yaml"
    interval, step, episode_steps = 0.05, 0.0125, 120
    observation_size, goal_size = 12, 2
    largest_tension = 6.0

    @property
    def action_size(self) -> int:
        return 1

    def begin(self, robot: Robot, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        q = np.zeros(robot.nq)
        q[2:] = generator.uniform(-0.1, 0.1, robot.nq - 2)
        return q, np.zeros(robot.nv), generator.uniform((0.2, -0.8), (0.45, 0.8))

    def inputs(self, actions: Array) -> Array:
        return self.largest_tension * np.hstack([np.maximum(actions, 0), np.maximum(-actions, 0)])

    def possible(self, q: Array, v: Array) -> NDArray[np.bool_]:
        return (np.abs(q[:, 3:]) < 10).all(axis=1) & (np.abs(v) < 1000).all(axis=1) & (np.abs(q[:, :3]) < 1000).all(axis=1)

    @staticmethod
    def _by_goal(lanes: Lanes, x: Array, y: Array) -> Array:
        speed, heading = lanes.goals[:, :1], lanes.goals[:, 1:]
        c, s = np.cos(heading), np.sin(heading)
        return np.hstack([c * x + s * y, c * y - s * x]) / speed

    def observe(self, lanes: Lanes) -> Array:
        q, v = lanes.q, lanes.v
        off = q[:, 2:3] - lanes.goals[:, 1:]
        velocity = self._by_goal(lanes, v[:, 0:1], v[:, 1:2])
        return np.hstack([np.cos(off), np.sin(off), v[:, 2:3] / 10, velocity, q[:, 3:], v[:, 3:] / 10, lanes.goals[:, :1]])

    def reward(self, lanes: Lanes, q_before: Array, actions: Array) -> Array:
        moved = (lanes.q - q_before) / self.interval
        along, across = self._by_goal(lanes, moved[:, 0:1], moved[:, 1:2]).T
        return 1 - np.abs(along - 1) - 0.5 * np.abs(across)
