"""Environments whose robots depend on time: loads in time and obstacles that move go on through an episode."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import cuttle

gymnasium = pytest.importorskip("gymnasium")
from cuttle.gym import Crawler, Env, Lanes, ReachingArm, ReachOverWall, SoftPendulum, Swimmer, Task, TwoFingers, VectorEnv  # noqa: E402

TIP = {"link": "arm", "at": {"point": [0, 0, -0.5]}}
PENDULUM = {
    "name": "pendulum",
    "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
               "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.3], "inertia": [0.03, 0.03, 1e-3, 0, 0, 0]}}],
    "actuators": [{"name": "motor", "type": "joint", "link": "arm"}],
}


def pushed(force):
    """A pendulum with a force at its tip."""
    return cuttle.Robot.from_dict({**PENDULUM, "loads": [{"type": "wrench", **TIP, "force": [force, 0, 0]}]})


def shaken():
    """A ball on a cart and a lift, on a plate that goes up and down and to and fro: it sticks, slips and takes off."""
    body = {"type": "rigid", "mass": 0.01, "inertia": [1e-4, 1e-4, 1e-4, 0, 0, 0]}
    motion = {"position": [{"type": "sine", "amplitude": 0.01, "frequency": 2.0}, 0, {"type": "sine", "amplitude": 2e-3, "frequency": 3.0}]}
    return cuttle.Robot.from_dict({
        "name": "shaken",
        "links": [{"name": "slide", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": body},
                  {"name": "ball", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": {**body, "mass": 0.03},
                   "contact": {"shape": "sphere", "radius": 0.01}}],
        "actuators": [{"name": "motor", "type": "joint", "link": "slide"}],
        "obstacles": [{"name": "plate", "shape": "plane", "pose": {"position": [0, 0, -0.01]}, "motion": motion}],
        "contacts": [{"name": "floor", "a": "ball", "b": "plate", "friction": 0.4, "modulus": 1e5, "dissipation": 5}]})


class Moved(Task):
    """Inputs are actions, by `strength`; an episode ends where the first coordinate goes beyond `bound`."""

    interval, step, strength, bound = 0.05, 5e-3, 0.5, 100.0

    def __init__(self, robot):
        super().__init__(robot)
        self.observation_size = robot.nq + robot.nv

    def begin(self, robot, generator):
        q = np.zeros(robot.nq)
        q[0] = generator.uniform(-0.3, 0.3)
        return q, np.zeros(robot.nv), np.zeros(0)

    def inputs(self, actions):
        return self.strength * actions

    def possible(self, q, v):
        return np.abs(q[:, 0]) < self.bound

    def observe(self, lanes):
        return np.hstack([lanes.q, lanes.v])

    def reward(self, lanes, q_before, actions):
        return lanes.q[:, 0] - q_before[:, 0]


class Shaken(Moved):
    interval, step, strength = 0.02, 2e-4, 0.02


def waves():
    return Moved(pushed({"type": "sine", "amplitude": 2.0, "frequency": 1.3, "phase": 0.4}))


TASKS = {"a sine": waves, "a jump": lambda: Moved(pushed({"type": "step", "time": 0.17, "after": 3.0})),
         "a jump between two intervals": lambda: Moved(pushed({"type": "step", "time": 0.15, "after": 3.0})),
         "an obstacle": lambda: Shaken(shaken())}


def whole(task, robot, q, v, actions):
    """One roll-out from time 0 under actions, a row an interval."""
    duration = len(actions) * task.interval
    return cuttle.Batch(robot.model, 1, 1).rollout(
        q[None], v[None], duration=duration, step=task.step, held_inputs=task.inputs(actions)[None])


def assert_ends(lanes, lane, end):
    np.testing.assert_allclose(lanes.q[lane], end.q[0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(lanes.v[lane], end.v[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(lanes.states[lane], end.states[0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", TASKS)
def test_an_episode_is_one_run(name):
    task = TASKS[name]()
    env = Env(task)
    actions = np.random.default_rng(1).uniform(-1, 1, (12, 1))
    for seed in (3, 4):  # the second episode begins at time 0 again
        env.reset(seed=seed)
        q, v = env.lanes.q[0].copy(), env.lanes.v[0].copy()
        for action in actions:
            env.step(action)
        assert_ends(env.lanes, 0, whole(task, task.robot, q, v, actions))
    held = {"type": "steps", "times": [task.interval * k for k in range(1, 12)], "values": task.inputs(actions)[:, 0].tolist()}
    run = task.robot.simulate(duration=12 * task.interval, output_step=task.interval, q=q, v=v, inputs={"motor": held},
                              integrator={"type": "tsit5", "step": task.step})
    np.testing.assert_allclose(env.lanes.q[0], run.q[-1], rtol=0, atol=1e-9)
    # it matters: intervals that all begin at time 0 lead elsewhere
    anew, states = cuttle.Batch(task.robot.model, 1, 1), None
    for action in actions:
        end = anew.rollout(q.reshape(1, -1), v.reshape(1, -1), duration=task.interval, step=task.step, states=states,
                           held_inputs=task.inputs(action[None])[None])
        q, v, states = end.q, end.v, end.states
    assert np.abs(env.lanes.q[0] - q).max() > 1e-3


@pytest.mark.parametrize("name, randomize", [("a sine", {}), ("a sine", {"links.arm.body.mass": (0.5, 2.0)}), ("an obstacle", {})])
def test_lanes_of_different_ages_are_runs_of_their_own(name, randomize):
    task = TASKS[name]()
    lanes, generators = Lanes(task, 5, randomize, threads=2), [np.random.default_rng(i) for i in range(5)]
    actions, begins = np.random.default_rng(1).uniform(-1, 1, (11, 5, 1)), {}
    for k, own in enumerate(actions):
        begun = {0: range(5), 3: [1, 3], 5: [3], 7: [3], 8: [0, 4]}.get(k, [])
        if len(begun) > 0:
            lanes.reset(begun, generators)
            begins |= {lane: (k, lanes.q[lane].copy(), lanes.v[lane].copy()) for lane in begun}
        lanes.step(own)
    assert lanes.ages.tolist() == [3, 8, 11, 4, 3]
    for lane, (k, q, v) in begins.items():
        assert_ends(lanes, lane, whole(task, lanes.robots[lane], q, v, actions[k:, lane]))


def test_a_lane_that_fails_stays_where_and_when_it_was():
    task = waves()
    lanes = Lanes(task, 2, threads=1)
    lanes.reset([0, 1], [np.random.default_rng(i) for i in range(2)])
    begin = lanes.q.copy(), lanes.v.copy()
    actions = np.ones((4, 1))
    for k in range(5):
        task.bound = 0.0 if k == 2 else 100.0
        lanes.step([[1.0], [1.0]])
        assert lanes.failed.all() == (k == 2)
    assert lanes.ages.tolist() == [4, 4]
    for lane in range(2):
        assert_ends(lanes, lane, whole(task, task.robot, begin[0][lane], begin[1][lane], actions))


def test_a_vector_whose_episodes_end_one_by_one_does_as_single_environments():
    def task():
        made = waves()
        made.bound, made.strength = 0.45, 1.5
        return made

    ours = VectorEnv(task(), 4)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: Env(task())] * 4)
    np.testing.assert_allclose(ours.reset(seed=2)[0], theirs.reset(seed=2)[0], atol=1e-6)
    generator, ages = np.random.default_rng(1), set()
    for _ in range(60):
        actions = generator.uniform(-1, 1, (4, 1)).astype(np.float32)
        for mine, expected in zip(ours.step(actions)[:4], theirs.step(actions)[:4]):
            np.testing.assert_allclose(mine, expected, rtol=0, atol=2e-6)  # float32
        ages.add(len(set(ours.lanes.ages.tolist())))
    assert max(ages) == 4
    assert copy.deepcopy(ours.lanes) == ours.lanes


# their numbers stay bit for bit, whatever the ages
@pytest.mark.parametrize("task", [ReachingArm, SoftPendulum, Swimmer, ReachOverWall, Crawler, TwoFingers])
def test_robots_without_time_move_in_one_roll_out(task):
    task = task()
    lanes, generators = Lanes(task, 3, threads=1), [np.random.default_rng(i) for i in range(3)]
    lanes.reset(range(3), generators)
    actions = np.random.default_rng(1).uniform(-1, 1, (3, 3, task.action_size))
    for k, own in enumerate(actions):
        if k == 1:
            lanes.reset([1], generators)
        expected = lanes.batch.rollout(
            lanes.q, lanes.v, duration=task.interval, step=task.step, held_inputs=task.inputs(own)[:, None, :],
            raise_on_failure=False, states=lanes.states)
        lanes.step(own)
        for name in ("q", "v", "states"):
            assert getattr(lanes, name).tobytes() == getattr(expected, name).tobytes()
    assert lanes.ages.tolist() == [3, 2, 3] and not lanes.timed and not lanes._parts


SIGNALS = [
    {"type": "step", "time": 1, "after": 5}, {"type": "ramp", "start": 0.5, "end": 1.5, "to": 2},
    {"type": "sine", "amplitude": 0.5, "frequency": 2}, {"type": "points", "time": [0, 1, 3], "value": [0, 2, 1]},
    {"type": "table", "file": "push.csv", "column": "push"}, {"type": "cubic", "start": 0, "end": 3, "to": 1.57},
    {"type": "quintic", "start": 0, "end": 3, "to": 1.57}, {"type": "minimum_jerk", "start": 0.5, "end": 2, "to": -0.2},
    {"type": "spline", "time": [0, 1, 3], "value": [0, 2, 1]}, {"type": "steps", "times": [1, 2.5], "values": [0, 0.4, -0.1]},
]


def test_every_signal_is_time(tmp_path):
    schema = json.loads((Path(cuttle.__file__).parent / "schema" / "cuttle-robot.schema.json").read_text())
    assert schema["$defs"]["signal"]["properties"]["type"]["enum"] == [signal["type"] for signal in SIGNALS]
    (tmp_path / "push.csv").write_text("time,push\n" + "".join(f"{t},{t % 3}\n" for t in range(30)))
    for signal in SIGNALS:
        robot = {**PENDULUM, "loads": [{"type": "wrench", **TIP, "torque": [0, signal, 0]}]}
        assert Lanes(Moved(cuttle.Robot.from_dict(robot, str(tmp_path / "robot.yaml"))), 1).timed, signal["type"]


def drag(time, position, rotation, velocity, spin):
    return -0.1 * velocity


@pytest.mark.parametrize("robot, timed", [
    (lambda: pushed(2.0), False),
    (shaken, True),
    (lambda: pushed(lambda time: 2.0), True),
    (lambda: cuttle.Robot.from_dict({**PENDULUM, "loads": [cuttle.FunctionLoad(drag, link="arm")]}), True),  # it may look at the clock
    (lambda: cuttle.load(cuttle.example("floating_rod")), False),
    (lambda: cuttle.load(cuttle.example("spring_leg")), False),
])
def test_what_depends_on_time_is_known(robot, timed):
    assert Lanes(Moved(robot()), 1).timed == timed
