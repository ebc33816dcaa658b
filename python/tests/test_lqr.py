"""Linear-quadratic regulators against the Riccati equation of A and B by differences of the dynamics."""

import numpy as np
import pytest

import cuttle


def arm(friction):
    """A joint with a motor, and a finger that two tendons bend: with friction in one of them."""
    body = {"type": "rigid", "mass": 0.05, "com": [0, 0, 0.05], "inertia": [5e-5, 5e-5, 1e-6, 0, 0, 0]}
    finger = {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.006}, "material": "soft",
              "quadrature": {"points": 4}, "strain": {"kappa_x": "constant", "kappa_y": "constant"}}
    rubs = [{"name": "rub", "type": "tendon_friction", "actuators": ["cable"], "coefficient": friction}]
    tendon = lambda name, offset: {"name": name, "type": "tendon", "slack": "allow", "routing": [{"link": "finger", "offset": offset}]}
    return cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, -9.81], "base": {"pose": {"rpy": [np.pi, 0, 0]}},
        "materials": {"soft": {"density": 1100, "young_modulus": 2e5, "poisson_ratio": 0.3, "damping_time": 2e-2}},
        "links": [{"name": "upper", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.003}, "body": body},
                  {"name": "finger", "attach": {"pose": {"position": [0, 0, 0.1]}}, "body": finger}],
        "actuators": [{"name": "motor", "type": "joint", "link": "upper"}, tendon("cable", [0.007, 0]), tendon("cabley", [0, 0.007])],
        "elements": rubs if friction else []})


def riccati_gain(A, B, state_weight, input_weight):
    """R^-1 B^T P, with P from the stable half of the Hamiltonian's eigenvectors."""
    n = len(A)
    H = np.block([[A, -B @ B.T / input_weight], [-state_weight * np.eye(n), -A.T]])
    values, vectors = np.linalg.eig(H)
    stable = vectors[:, values.real < 0]
    return B.T @ np.real(stable[n:] @ np.linalg.inv(stable[:n])) / input_weight


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_gains_are_those_of_the_dynamics(friction):
    robot, inputs = arm(friction), {"cable": 0.5, "cabley": 0.3}
    u, n = robot.input_vector(inputs), robot.nv
    q = np.asarray(robot.statics(inputs).q)
    f = robot.dynamics()
    x = np.concatenate([q, np.zeros(f.nx - n)])
    differences = lambda g, size, h: np.column_stack([(g(h * e) - g(-h * e)) / (2 * h) for e in np.eye(size)])
    A = differences(lambda d: f(0.0, np.concatenate([x[: 2 * n] + d, x[2 * n :]]), u)[: 2 * n], 2 * n, 1e-6)
    B = differences(lambda d: f(0.0, x, u + d)[: 2 * n], robot.nu, 1e-5)
    law = {"name": "l", "type": "lqr", "inputs": list(robot.inputs), "state_weight": 1.0, "input_weight": 0.1, "equilibrium": {"inputs": inputs}}

    def output(d):
        run = robot.simulate(1e-6, q=q + d[:n], v=d[n:], controllers=[law], integrator={"type": "rk4", "step": 1e-6}, output_step=1e-6)
        return np.asarray(run.controllers["l"].output)[0]

    gain = -differences(output, 2 * n, 1e-4)
    expected = riccati_gain(A, B, 1.0, 0.1)
    assert np.abs(gain - expected).max() < 1e-6 * np.abs(expected).max()
