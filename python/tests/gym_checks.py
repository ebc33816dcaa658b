"""What every environment must pass."""

import warnings

import gymnasium
from gymnasium.utils.env_checker import check_env


def passes_gymnasiums_checker(task, randomize):
    """Without a warning, also in steps through the checker that `make` puts around an environment."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gymnasium.make(f"cuttle/{task.__name__}-v0", randomize=randomize)
        check_env(made.unwrapped, skip_render_check=True)
        made.reset(seed=1)
        for _ in range(3):
            made.step(made.action_space.sample())
