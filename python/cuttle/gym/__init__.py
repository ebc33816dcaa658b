"""Environments of Gymnasium: soft robots to learn to control, one at a time or many in a Batch (docs/learning.md).

>>> import gymnasium, cuttle.gym
>>> one = gymnasium.make("cuttle/SoftPendulum-v0")
>>> many = gymnasium.make_vec("cuttle/SoftPendulum-v0", num_envs=64)
>>> many = cuttle.gym.VectorEnv(cuttle.gym.Swimmer(), 64, randomize={"materials.flesh.young_modulus": (1e5, 2e5)})
"""

try:
    import gymnasium as _gymnasium
except ImportError as error:
    raise ImportError("cuttle.gym: found no package gymnasium; `pip install 'cuttle[gym]'` or `pip install gymnasium` gets it") from error

from .environments import Env, VectorEnv
from .lanes import Lanes, Task
from .tasks import Crawler, ReachingArm, ReachOverWall, SoftPendulum, Swimmer, TwoFingers

__all__ = [
    "Crawler", "Env", "Lanes", "ReachOverWall", "ReachingArm", "SoftPendulum", "Swimmer", "Task", "TwoFingers", "VectorEnv",
]


def _register() -> None:
    for task in (ReachingArm, ReachOverWall, SoftPendulum, Swimmer, Crawler, TwoFingers):
        name = f"cuttle/{task.__name__}-v0"
        if name not in _gymnasium.registry:
            _gymnasium.register(
                name,
                entry_point="cuttle.gym.environments:make_one",
                vector_entry_point="cuttle.gym.environments:make_many",
                kwargs={"task": task.__name__},
            )


_register()
