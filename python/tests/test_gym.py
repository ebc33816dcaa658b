"""Environments for learning. Their motions are checked against runs of another integrator with error control."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cuttle

gymnasium = pytest.importorskip("gymnasium")
import cuttle.gym as cuttle_gym  # noqa: E402
from cuttle.gym import Env, Lanes, ReachingArm, SoftPendulum, Swimmer, VectorEnv  # noqa: E402
from gym_checks import passes_gymnasiums_checker  # noqa: E402

TASKS = [ReachingArm, SoftPendulum, Swimmer]
RANDOMIZE = {
    ReachingArm: {"materials.silicone.young_modulus": (2.5e5, 3.5e5), "links.lower.body.length": (0.18, 0.2)},
    SoftPendulum: {"materials.rubber.damping_time": (0.004, 0.006)},
    Swimmer: {"materials.flesh.young_modulus": (1.2e5, 1.6e5)},
}


@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_checker_passes_without_a_warning(task):
    passes_gymnasiums_checker(task, RANDOMIZE[task])


def assert_same(ours, theirs, place="info"):
    """Numbers, to those of float32; all else exactly; mappings by their keys."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), place
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{place}.{key}")
        return
    assert type(ours) is type(theirs) and ours.shape == theirs.shape and ours.dtype == theirs.dtype, place
    if ours.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=2e-6, err_msg=place)
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=place)


# Gymnasium has no checker of vectors (1.4); its own vector of single environments says what one is to do
@pytest.mark.parametrize("task", TASKS)
def test_a_vector_does_as_gymnasiums_own(task):
    def short():
        made = task()
        made.episode_steps = 3
        return made

    ours = VectorEnv(short(), 3, RANDOMIZE[task])
    theirs = gymnasium.vector.SyncVectorEnv([lambda: Env(short(), RANDOMIZE[task])] * 3)
    for space in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    for seed in (4, None, [7, 8, 9]):
        for mine, expected in zip(ours.reset(seed=seed), theirs.reset(seed=seed)):
            assert_same(mine, expected)
        generator = np.random.default_rng(1)
        for _ in range(10):  # episodes end and begin
            actions = generator.uniform(-1, 1, ours.action_space.shape).astype(np.float32)
            for mine, expected in zip(ours.step(actions), theirs.step(actions)):
                assert_same(mine, expected)
    ours.close()
    ours.close()


@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_wrappers_of_vectors_take_it(task):
    from gymnasium.wrappers import vector as wrappers

    env = wrappers.DictInfoToList(wrappers.RecordEpisodeStatistics(VectorEnv(task(), 2, RANDOMIZE[task])))
    env.unwrapped.task.episode_steps = 2
    _, infos = env.reset(seed=0)
    assert infos[1]["parameters"].keys() == RANDOMIZE[task].keys() and not infos[1]["failed"]
    env.step(np.zeros(env.action_space.shape, dtype=np.float32))
    *_, infos = env.step(np.zeros(env.action_space.shape, dtype=np.float32))
    assert infos[0]["episode"]["l"] == 2


def test_environments_may_share_a_task():
    task = SoftPendulum()
    density = "materials.rubber.density"
    path = density if density in task.robot.parameters() else next(p for p in task.robot.parameters() if p.endswith("density"))
    alone = VectorEnv(SoftPendulum(), 2, {path: (900, 1000)})
    shared, other = VectorEnv(task, 2, {path: (900, 1000)}), VectorEnv(task, 3, {path: (1500, 1600)})
    for env in (alone, shared, other):
        env.reset(seed=1)
    actions = np.full((2, 1), 0.7)
    for _ in range(3):
        _, expected, *_ = alone.step(actions)
        _, rewards, *_ = shared.step(actions)
        other.step(np.full((3, 1), 0.7))
        np.testing.assert_array_equal(rewards, expected)


@pytest.mark.parametrize("task", TASKS)
def test_motions_are_those_of_a_run_with_error_control(task):
    env = Env(task())
    env.reset(seed=3)
    q, v, actions = env.lanes.q[0].copy(), env.lanes.v[0].copy(), np.random.default_rng(4).uniform(-1, 1, (12, env.task.action_size))
    for action in actions:
        env.step(action)
    # the same inputs by a controller, which holds them between samples
    interval = env.task.interval
    inputs = env.task.inputs(actions)
    law = cuttle.Controller(lambda t, q, v: inputs[min(int(t / interval + 0.5), 11)], rate=1 / interval)
    run = env.task.robot.simulate(
        duration=12 * interval,
        q=q,
        v=v,
        controllers=[law],
        integrator={"type": "bdf", "relative_tolerance": 1e-8, "absolute_tolerance": 1e-10},
    )
    # the environments' steps were measured to be off by 1e-5 of an angle or less in 2 s
    np.testing.assert_allclose(env.lanes.q[0], run.q[-1], atol=2e-5)
    np.testing.assert_allclose(env.lanes.v[0], run.v[-1], atol=1e-3)


@pytest.mark.parametrize("task", TASKS)
def test_a_lane_goes_as_an_environment_of_its_seed(task):
    many, one = VectorEnv(task(), 3, RANDOMIZE[task]), Env(task(), RANDOMIZE[task])
    again = VectorEnv(task(), 3, RANDOMIZE[task], threads=1)
    seen, _ = many.reset(seed=5)
    seen_again, _ = again.reset(seed=5)
    alone, info = one.reset(seed=7)
    assert list(info["parameters"].values()) == list(many.lanes.parameters[2])
    assert not np.array_equal(many.lanes.parameters[0], many.lanes.parameters[1])
    np.testing.assert_array_equal(seen, seen_again)
    np.testing.assert_allclose(seen[2], alone, atol=1e-6)
    generator = np.random.default_rng(1)
    for _ in range(8):
        actions = generator.uniform(-1, 1, many.action_space.shape).astype(np.float32)
        seen, rewards, *_ = many.step(actions)
        seen_again, rewards_again, *_ = again.step(actions)
        alone, reward, *_ = one.step(actions[2])
        np.testing.assert_array_equal(seen, seen_again)  # to the last bit, whatever the number of threads
        np.testing.assert_array_equal(rewards, rewards_again)
        np.testing.assert_allclose(seen[2], alone, atol=1e-6)  # float32
        assert rewards[2] == pytest.approx(reward, abs=1e-9)


def test_random_parameters_change_the_motion_as_those_of_another_robot():
    path = "materials.silicone.young_modulus"
    randomized = Lanes(ReachingArm(), 2, {path: (2e5, 4e5)}, threads=1)
    randomized.reset([0, 1], [np.random.default_rng(i) for i in range(2)], {"q": np.zeros((2, 4))})
    value = randomized.parameters[1, 0]
    robot = ReachingArm().robot.with_({path: value})
    other = Lanes(ReachingArm(robot), 1, threads=1)
    other.reset([0], [np.random.default_rng(9)], {"q": np.zeros((1, 4))})
    for _ in range(5):
        randomized.step(np.full((2, 6), [1, -1, -1, -1, 0, -1]))
        other.step([[1, -1, -1, -1, 0, -1]])
    np.testing.assert_allclose(randomized.q[1], other.q[0], atol=1e-12)
    assert np.abs(randomized.q[0] - randomized.q[1]).max() > 1e-3


# the swimmer's water makes a step of its ten times as long as those of the others
@pytest.mark.parametrize("task, lanes, count", [(ReachingArm, 256, 100_000), (SoftPendulum, 256, 100_000), (Swimmer, 64, 30_000)])
def test_random_actions_blow_nothing_up(task, lanes, count):
    env = VectorEnv(task(), lanes)
    env.reset(seed=0)
    env.action_space.seed(0)
    for step in range(1, count // lanes + 1):
        seen, rewards, failed, cut, _ = env.step(env.action_space.sample())
        assert np.isfinite(seen).all() and np.isfinite(rewards).all() and not failed.any()
        of_episode = step % (task.episode_steps + 1)  # the first step behind an episode begins the next one
        assert cut.all() == cut.any() == (of_episode == task.episode_steps)
        assert of_episode > 0 or not rewards.any()
        assert env.observation_space.contains(seen)
    assert step > 2 * task.episode_steps  # episodes have begun anew


def test_a_blow_up_ends_the_episode_of_its_lane_alone():
    env = VectorEnv(SoftPendulum(), 4)
    v = np.zeros((4, 3))
    v[2] = 1e7
    env.reset(seed=0, options={"v": v})
    seen, rewards, failed, cut, info = env.step(np.zeros((4, 1)))
    assert failed.tolist() == info["failed"].tolist() == [False, False, True, False]
    assert [reason != "" for reason in info["failure"]] == failed.tolist() and env.lanes.failures[2] == info["failure"][2]
    assert rewards[2] == SoftPendulum.failure_reward and not cut.any()
    assert np.isfinite(seen).all() and env.observation_space.contains(seen)
    seen, rewards, failed, _, _ = env.step(np.zeros((4, 1)))
    assert not failed.any() and rewards[2] == 0 and abs(env.lanes.v[2]).max() == 0


def test_a_target_is_reached_by_the_tensions_that_hold_it():
    env = Env(ReachingArm())
    env.reset(seed=11)
    tensions = [2.0, 0, 0, 4.0, 0, 1.0]
    env.lanes.goals[0] = env.task.robot.statics(tensions).frame("lower.tip").position
    for _ in range(250):
        _, reward, *_ = env.step(np.array(tensions) / 4 - 1)
    distance = np.linalg.norm(env.task.tips(env.lanes)[0] - env.lanes.goals[0])
    assert distance < 3e-4  # what is left of the swing after 12.5 s
    assert reward == pytest.approx(-distance / 0.1 - 0.01 * np.mean(np.square(tensions)) / 64, abs=1e-12)


def test_height_and_velocity_are_what_they_say():
    pendulum = Lanes(SoftPendulum(), 3, threads=1)
    pendulum.q[:, 0] = [0, np.pi / 3, np.pi]
    np.testing.assert_allclose(pendulum.task.heights(pendulum), [-1, -0.5, 1], atol=1e-12)
    # the velocity that is observed is how the nose moves, along and across the heading
    swimmer = Lanes(Swimmer(), 1, threads=1)
    swimmer.reset([0], [np.random.default_rng(2)], {"v": [[0.3, -0.2, 1.0, 0, 0, 0]]})
    swimmer.q[0, 2] = 0.7
    q = cuttle.integrate(swimmer.robot.model, swimmer.q[0], 1e-7 * swimmer.v[0])
    moved = (q - swimmer.q[0])[:2] / 1e-7
    speed, heading = swimmer.goals[0]
    along = np.array([np.cos(heading), np.sin(heading)])
    across = np.array([-along[1], along[0]])
    np.testing.assert_allclose(swimmer.observe()[0, 3:5], [along @ moved / speed, across @ moved / speed], rtol=1e-5)


def test_mistakes_are_answered():
    env = VectorEnv(SoftPendulum(), 2)
    env.reset(seed=0)
    with pytest.raises(cuttle.ArgumentError, match=r"actions: found shape \(2,\), expected finite numbers of shape \(2, 1\)"):
        env.step(np.zeros(2))
    with pytest.raises(cuttle.ArgumentError, match="not finite"):
        env.step(np.full((2, 1), np.nan))
    with pytest.raises(cuttle.ArgumentError, match="did you mean"):
        VectorEnv(SoftPendulum(), 2, {"materials.rubber.young_modulos": (1, 2)})
    with pytest.raises(cuttle.ArgumentError, match=r"expected \(lower, upper\)"):
        VectorEnv(SoftPendulum(), 2, {"materials.rubber.young_modulus": (2, 1)})
    with pytest.raises(cuttle.ModelError):
        VectorEnv(SoftPendulum(), 2, {"materials.rubber.young_modulus": (-1, 1)})
    with pytest.raises(cuttle.ArgumentError, match=r"options\['v'\]: found shape \(1, 2\), expected \(2, 3\)"):
        env.reset(options={"v": [1, 2]})
    with pytest.raises(ValueError, match="seed: found 1, expected one number or 2"):
        env.reset(seed=[1])


def test_both_kinds_are_made_by_name():
    many = gymnasium.make_vec("cuttle/Swimmer-v0", num_envs=2, randomize=RANDOMIZE[Swimmer])
    assert isinstance(many.unwrapped, VectorEnv) and many.unwrapped.lanes.paths
    assert isinstance(gymnasium.make("cuttle/ReachingArm-v0").unwrapped, cuttle_gym.Env)


def test_without_gymnasium_the_error_says_what_to_install():
    program = "import sys; sys.modules['gymnasium'] = None\ntry:\n import cuttle.gym\nexcept ImportError as e: print(e)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'cuttle[gym]'" in said


def test_the_example_learns(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples" / "python"))
    import evolve_reaching

    monkeypatch.setattr(evolve_reaching, "GENERATIONS", 8)
    monkeypatch.setattr(evolve_reaching, "STARTS", 2)
    first, learned, curve = evolve_reaching.train(1)
    assert curve.shape == (8, 3)
    before, after = (evolve_reaching.evaluate(weights, 16).mean() for weights in (first, learned))
    assert after > before + 10
