"""Environments in which robots touch: a wall, the ground, a ball. Their motions are checked against runs of another integrator."""


import numpy as np
import pytest

import cuttle

gymnasium = pytest.importorskip("gymnasium")
from cuttle.gym import Crawler, Env, ReachingArm, ReachOverWall, TwoFingers, VectorEnv  # noqa: E402
from gym_checks import passes_gymnasiums_checker  # noqa: E402

TASKS = [ReachOverWall, Crawler, TwoFingers]
RANDOMIZE = {
    ReachOverWall: {"materials.silicone.young_modulus": (2.8e5, 3.2e5)},
    Crawler: {"contacts.feet.friction.backward": (0.6, 0.9)},
    TwoFingers: {"links.ball.body.mass": (0.08, 0.12), "contacts.grip.friction": (0.7, 0.9)},
}


@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_checker_passes_without_a_warning(task):
    passes_gymnasiums_checker(task, RANDOMIZE[task])


@pytest.mark.parametrize("task", TASKS)
def test_a_lane_goes_as_an_environment_of_its_seed(task):
    many, one = VectorEnv(task(), 3, RANDOMIZE[task]), Env(task(), RANDOMIZE[task])
    many.task.episode_steps = one.task.episode_steps = 4
    seen, _ = many.reset(seed=5)
    alone, info = one.reset(seed=7)
    assert list(info["parameters"].values()) == list(many.lanes.parameters[2])
    np.testing.assert_allclose(seen[2], alone, atol=1e-6)
    generator = np.random.default_rng(1)
    for k in range(8):  # a second episode begins
        actions = generator.uniform(-0.3, 0.6, many.action_space.shape).astype(np.float32)
        seen, rewards, *_ = many.step(actions)
        if k == 4:
            alone, reward = one.reset()[0], 0.0
        else:
            alone, reward, *_ = one.step(actions[2])
        np.testing.assert_allclose(seen[2], alone, atol=2e-6)
        assert rewards[2] == pytest.approx(reward, abs=1e-8)


@pytest.mark.parametrize("task, way, speed", [(ReachOverWall, 2e-4, 1e-2), (Crawler, 1e-3, 0.1), (TwoFingers, 1e-6, 1e-4)])
def test_motions_are_those_of_a_run_with_error_control(task, way, speed):
    """With contacts handed on from interval to interval: a run has no intervals."""
    env, count = Env(task()), 12
    if task is TwoFingers:
        env.task.step = 1e-4  # fingers slip while the ball swings: 1e-3 is 1e-4 off
    env.reset(seed=3)
    q, v = env.lanes.q[0].copy(), env.lanes.v[0].copy()
    actions = np.random.default_rng(4).uniform(0.2, 0.5, (count, env.task.action_size))
    if task is ReachOverWall:
        actions = np.tile([1, -1, -1, 0, -1, 0], (count, 1))  # against the wall
    for action in actions:
        env.step(action)
    assert not env.lanes.failed[0]
    interval, inputs = env.task.interval, env.task.inputs(actions)
    law = cuttle.Controller(lambda t, q, v: inputs[min(int(t / interval + 0.5), count - 1)], rate=1 / interval)
    run = env.task.robot.simulate(
        duration=count * interval, q=q, v=v, controllers=[law],
        integrator={"type": "bdf", "relative_tolerance": 1e-7, "absolute_tolerance": 1e-9})
    assert max(contact.normal[-1] for contact in run.contacts.values()) > 1e-2
    np.testing.assert_allclose(env.lanes.q[0], run.q[-1], atol=way)
    np.testing.assert_allclose(env.lanes.v[0], run.v[-1], atol=speed)


def test_the_wall_is_in_the_way_and_can_be_passed():
    many = VectorEnv(ReachOverWall(), 8)
    many.reset(seed=2)
    task = many.task
    assert (many.lanes.goals[:, 0] > task.behind).all()
    env = Env(ReachOverWall())
    behind = [8, 0, 0, 4, 0, 4]
    target = ReachingArm().robot.statics(behind).frame("lower.tip").position
    assert target[0] > task.behind and target[2] < task.edge + 0.03  # without the wall

    def end_of(*parts):
        env.reset(seed=2, options={"q": np.zeros((1, 4)), "v": np.zeros((1, 4))})
        for tensions, steps in parts:
            for _ in range(steps):
                env.step(np.array(tensions) / 4 - 1)
        return task.tips(env.lanes)[0]

    assert end_of((behind, 60))[0] < task.wall - 0.008  # the same tensions: it leans on the wall
    swing, over = [0, 8, 8, 0, 0, 0], [8, 0, 0, 8, 0, 0]  # away from it, then over
    assert end_of((swing, 8), (over, 12), (behind, 60))[0] > task.behind


def test_waves_crawl_forward():
    env = VectorEnv(Crawler(), 2)
    env.reset(seed=1)
    before, sums = env.task.places(env.lanes, env.lanes.q), np.zeros(2)
    for k in range(60):
        s = -np.cos(2 * np.pi * k / 20)  # one arch a second; the second one does not move its muscles
        _, rewards, failed, *_ = env.step(np.array([[s, 0], [-1, 0]]))
        sums += rewards + 0.01 * np.mean(np.array([[s, 0], [-1, 0]]) ** 2, axis=1)
        assert not failed.any()
    way = env.task.places(env.lanes, env.lanes.q) - before
    assert way[0] > 5e-3 and abs(way[1]) < 2e-3
    assert sums == pytest.approx(way / 1e-3, abs=1e-6)  # rewards are ways


def test_a_ball_is_held_by_enough_and_lost_by_little():
    env = VectorEnv(TwoFingers(), 2)
    env.reset(seed=1)
    lost = np.zeros(2, dtype=bool)
    for _ in range(40):  # two seconds
        _, rewards, failed, *_ = env.step(np.array([[1 / 3, 1 / 3], [-1, -1]]))
        if failed[1]:
            assert rewards[1] == TwoFingers.failure_reward
        lost |= failed
    assert lost.tolist() == [False, True]
    assert np.linalg.norm(env.task.away(env.lanes)[0]) < 1e-3 and rewards[0] > 0.8
    places = []
    for _ in range(18):
        env.step(np.array([[1 / 3, 1 / 3], [1 / 3, 1 / 3]]))
        places.append(env.task.away(env.lanes)[0])
    # it swings a little between tips that stick, and does not creep
    np.testing.assert_allclose(np.mean(places[:9], axis=0), np.mean(places[9:], axis=0), atol=3e-6)


@pytest.mark.parametrize("task, count", [(ReachOverWall, 3_000), (Crawler, 480), (TwoFingers, 480)])
def test_random_actions_give_numbers(task, count):
    env = VectorEnv(task(), 16)
    env.reset(seed=0)
    env.action_space.seed(0)
    reasons = set()
    for _ in range(count // 16):
        seen, rewards, failed, _, info = env.step(env.action_space.sample())
        assert np.isfinite(seen).all() and np.isfinite(rewards).all() and env.observation_space.contains(seen)
        reasons |= {reason for reason in info["failure"] if reason}
    assert reasons <= ({"it left what the robot can be in"} if task is TwoFingers else set())  # the ball fell
