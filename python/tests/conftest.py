import numpy as np
import pytest

import cuttle

# One of each kind of joint and body that is quick to read.
ROBOTS = ["pendulum", "tendon_arm", "two_segment_arm", "floating_rod", "branched_tree", "spring_leg"]


@pytest.fixture(scope="session", params=ROBOTS)
def robot(request):
    return cuttle.load(cuttle.example(request.param))


@pytest.fixture(scope="session")
def tendon_arm():
    return cuttle.load(cuttle.example("tendon_arm"))


@pytest.fixture(scope="session")
def pendulum():
    return cuttle.load(cuttle.example("pendulum"))


def random_state(robot, seed):
    """q on the manifold, v and a of moderate size."""
    generator = np.random.default_rng(seed)
    step, v, a = 0.3 * generator.uniform(-1, 1, (3, robot.nv))
    return cuttle.integrate(robot.model, robot.neutral(), step), v, a
