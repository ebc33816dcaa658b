"""Products with Hessians of runs: against a closed form, forward derivatives in the place of those backwards, symmetry, and whole
Hessians by differences of losses; through methods, contact, controllers, states of elements and numbers of robots."""

import numpy as np
import pytest
from contact_robots import text

import cuttle
from cuttle.functions import HessianProduct

_WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60))  # differences of order six
IMPLICIT = {"type": "generalized_alpha", "step": 0.005}

SLIDER = """
cuttle: 1
name: slider
base: {motion: fixed}
gravity: [0, 0, 0]
links:
  - {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2.0, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}
actuators: [{name: push, type: joint, link: cart}]
"""


def directions(run, seed=0):
    """Some, each number's by its size."""
    sizes = [np.where(own == 0, 1.0, np.abs(own)) for own in run.start]
    generator = np.random.default_rng(seed)
    return [size * generator.uniform(-1, 1, size.shape) for size in sizes]


def dot(a, b):
    return sum(np.sum(x * y) for x, y in zip(a, b))


def is_symmetric(run, worth, tolerance):
    """u'Hv = v'Hu, of two calls that share no run."""
    u, v = directions(run, 1), directions(run, 2)
    of_u, of_v = run.hvp(run.start, u, worth), run.hvp(run.start, v, worth)
    assert max(of_u.error, of_v.error) < 1e-6
    along, across = dot(u, of_u.product), dot(v, of_u.product)
    scale = max(abs(along), abs(across), abs(dot(v, of_v.product)))
    assert scale > 0
    assert abs(across - dot(u, of_v.product)) < tolerance * scale, (across, dot(u, of_v.product))


def tracked(y):
    """Gradient of a loss that is neither linear nor quadratic in outputs, sum sin(k + y)."""
    return np.cos(1.0 + np.arange(y.size).reshape(y.shape) + y)


@pytest.mark.parametrize("method", ["midpoint", "generalized_alpha", "rk4", "bdf"])
def test_a_closed_form(method):
    """q = v T + f T^2 / (2 m), which these methods hit, the loss is q^2 / 2."""
    slider = cuttle.Robot.from_text(SLIDER)
    T, m, f, v = 0.5, 2.0, 3.0, 0.4
    options = {"type": method} if method == "bdf" else {"type": method, "step": 0.05}
    run = slider.rollout_function("q", by=("inputs.push", "v", "links.cart.body.mass"), duration=T, inputs={"push": f}, v=[v],
                                  integrator=options)
    assert [float(own.reshape(())) for own in run.start] == [f, v, m]
    q = v * T + f * T**2 / (2 * m)
    by = np.array([T**2 / (2 * m), T, -f * T**2 / (2 * m**2)])
    second = np.array([[0, 0, -(T**2) / (2 * m**2)], [0, 0, 0], [-(T**2) / (2 * m**2), 0, f * T**2 / m**3]])
    hessian = np.outer(by, by) + q * second
    along = np.array([0.3, -0.7, 1.1])
    found = run.hvp(run.start, [along[:1], along[1:2], along[2]], lambda y: y, **({"tolerance": 1e-4} if method == "bdf" else {}))
    assert isinstance(found, HessianProduct) and found.gradients >= 6
    product = np.array([float(own.reshape(())) for own in found.product])
    near = 1e-4 if method == "bdf" else 1e-8
    assert np.abs(product - hessian @ along).max() < near * np.abs(hessian @ along).max()
    # what a loss is worth may be given as it is: then it is linear in the outputs
    linear = run.hvp(run.start, [along[:1], along[1:2], along[2]], np.array([1.0]), **({"tolerance": 1e-4} if method == "bdf" else {}))
    expected = second @ along
    assert np.abs(np.array([float(own.reshape(())) for own in linear.product]) - expected).max() < near * np.abs(expected).max()


@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint", "newmark", "rk4"])
def test_forward_derivatives_give_the_same(tendon_arm, method):
    """Gradients of the loss by `sensitivities`, which goes forward, and differences of order six of these."""
    steps = {"rk4": (1e-4, 0.01)}.get(method, (0.005, 0.1))
    knots = np.linspace(0, steps[1], 4)
    keys = {"duration": steps[1], "integrator": {"type": method, "step": steps[0]}}
    run = tendon_arm.rollout_function("tip.position", by="inputs.right", times=[steps[1] / 2, steps[1]],
                                      inputs={"right": (knots, [1.0, 3.0, 4.0, 2.0]), "left": 0.5}, **keys)
    u, along = np.array([1.0, 3.0, 4.0, 2.0]), np.array([0.5, -1.0, 0.8, 0.3])

    def gradient(u):
        forward = tendon_arm.sensitivities("tip.position", by=[f"simulation.inputs.right.value[{k}]" for k in range(4)],
                                           times=[steps[1] / 2, steps[1]], inputs={"right": (knots, u), "left": 0.5}, **keys)
        worth = tracked(np.array(forward.values))
        return sum(slopes.T @ own for slopes, own in zip(forward.derivatives, worth))

    h = 0.02
    expected = sum(w * (gradient(u + k * h * along) - gradient(u - k * h * along)) for k, w in _WEIGHTS) / h
    found = run.hvp(u, along, tracked)
    assert found.error < 1e-6
    assert np.abs(found.product - expected).max() < 1e-6 * np.abs(expected).max()


LAW = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.4], "kp": [5.0], "ki": [8.0], "kd": [0.6]}
GAINS = [f"simulation.controllers.hold.{key}" for key in ("kp", "ki", "kd", "reference[0]")]


@pytest.mark.parametrize("clock", [{}, {"rate": 100}])
@pytest.mark.parametrize("method", ["rk4", "generalized_alpha"])
def test_controllers_with_states(pendulum, method, clock):
    run = pendulum.rollout_function("q", by=(GAINS, "q", "v"), times=[0.1, 0.3], duration=0.3, q=[0.2], controllers=[{**LAW, **clock}],
                                    integrator={"type": method, "step": 0.005})
    is_symmetric(run, tracked, 1e-6)


@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint", "hht", "newmark"])
def test_numbers_of_a_robot_with_inputs_and_the_start(tendon_arm, method):
    run = tendon_arm.rollout_function(["tip.position", "energy.elastic"], times=[0.05, 0.1], duration=0.1,
                                      by=("inputs.right", "q", ["materials.silicone.young_modulus", "links.upper.body.length"]),
                                      inputs={"right": ([0, 0.05, 0.1], [1, 3, 2]), "left": 0.5}, integrator={"type": method, "step": 0.01})
    is_symmetric(run, lambda y: {"tip.position": tracked(y["tip.position"]), "energy.elastic": 3 * y["energy.elastic"] ** 2}, 1e-6)


def test_a_lag_of_actuators():
    robot = cuttle.load(cuttle.example("servo_finger"))
    run = robot.rollout_function("tip.position", by=("inputs.front", "v"), duration=0.04,
                                 inputs={"front": ([0, 0.02, 0.04], [0.004, 0.008, 0.011])}, integrator=IMPLICIT)
    is_symmetric(run, tracked, 1e-6)


def test_a_contact_that_holds():
    """Pressed on the ground all the while and sliding: bristles are states of the run."""
    robot = cuttle.Robot.from_text(text("rigid", "fixed", "cart"))
    v = np.zeros(robot.nv)
    v[0] = 0.2
    start = np.zeros(robot.nq)
    start[1] = -2e-4  # it begins below the surface
    run = robot.rollout_function("q", by=("inputs.motor", "v"), duration=0.004, q=start, v=v, inputs={"motor": 1.0},
                                 integrator={"type": "generalized_alpha", "step": 2e-4})
    is_symmetric(run, tracked, 1e-6)


def test_a_base_that_turns():
    robot = cuttle.load(cuttle.example("floating_rod"))
    start = 0.3 * np.sin(1.0 + np.arange(robot.nv))
    run = robot.rollout_function("v", by="v", duration=0.02, v=start, integrator=IMPLICIT)
    u, v = directions(run, 1)[0], directions(run, 2)[0]
    of_u, of_v = run.hvp(start, u, tracked).product, run.hvp(start, v, tracked).product
    assert abs(v @ of_u - u @ of_v) < 1e-6 * max(abs(v @ of_u), abs(u @ of_u))


def test_newtons_method_finds_the_swing(pendulum):
    """What products are for: scipy's trust-region method with them ends where the gradient vanishes."""
    from scipy.optimize import minimize

    knots = np.linspace(0, 1, 6)
    run = pendulum.rollout_function("q", by="inputs.motor", duration=1, inputs={"motor": (knots, 0 * knots)},
                                    integrator={"type": "generalized_alpha", "step": 0.02})

    def loss(u):
        y, back = run.vjp(u)
        return 0.5 * np.sum((y - 0.5) ** 2) + 0.05 * u @ u, back(y - 0.5) + 0.1 * u

    found = minimize(loss, np.zeros(6), jac=True, hessp=lambda u, p: run.hvp(u, p, lambda y: y - 0.5).product + 0.1 * p,
                     method="trust-ncg", options={"gtol": 1e-9})
    assert found.success and found.nit < 15
    assert np.abs(loss(found.x)[1]).max() < 1e-9


def test_a_kink_is_an_error():
    """A contact that begins within every step: the gradient jumps there."""
    robot = cuttle.Robot.from_text(text("rigid", "fixed", "cart"))
    start = np.zeros(robot.nq)
    run = robot.rollout_function("q", by="q", duration=0.002, q=start, integrator={"type": "generalized_alpha", "step": 2e-4})
    with pytest.raises(cuttle.SimulationError, match="hvp: found a product"):
        run.hvp(start, np.ones(robot.nq), tracked, tolerance=1e-13)


def test_a_direction_of_zeros_costs_nothing_and_wrong_arguments_are_told(pendulum):
    run = pendulum.rollout_function("q", by="inputs.motor", duration=0.1, inputs={"motor": ([0, 0.1], [1, 2])}, integrator=IMPLICIT)
    none = run.hvp([1, 2], [0, 0], tracked)
    assert none.gradients == 0 and not none.product.any()
    with pytest.raises(cuttle.ArgumentError, match=r"inputs.motor: found shape \(3,\), expected \(2,\)"):
        run.hvp([1, 2], [1, 2, 3], tracked)
    with pytest.raises(cuttle.ArgumentError, match="tolerance: found 0"):
        run.hvp([1, 2], [1, 2], tracked, tolerance=0)
    with pytest.raises(cuttle.ArgumentError, match="step: found -1"):
        run.hvp([1, 2], [1, 2], tracked, step=-1)
    with pytest.raises(cuttle.ArgumentError, match="cotangent of q: found shape"):
        run.hvp([1, 2], [1, 2], [1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        run.hvp([1, 2], [1, 2], lambda y: 1 / 0)
    y, back = run.vjp([1, 2])
    before = back([1.0])
    run.hvp([1, 2], [1, 0], tracked)
    assert np.array_equal(back([1.0]), before)
