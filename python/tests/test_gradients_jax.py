"""Derivatives forwards and backwards through JAX, of tangents against differences, and what they cost."""

import numpy as np
import pytest

import cuttle
from cuttle import functions

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import cuttle.jax  # noqa: E402  (after float64 is set)

_WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60))  # differences of order six


def near(found, expected, tolerance):
    assert np.shape(found) == np.shape(expected)
    assert np.abs(expected).max() > 0
    assert np.abs(np.asarray(found) - expected).max() <= tolerance * np.abs(expected).max()


@pytest.fixture(scope="module", params=["rate", "step", "inverse_dynamics", "equilibrium"])
def case(request, tendon_arm):
    """A function, its arguments, and directions of these."""
    f = tendon_arm.dynamics(integrator="generalized_alpha", step=5e-3)
    generator = np.random.default_rng(1)
    q, v, a, u = (size * generator.uniform(0.5, 1, count) for size, count in
                  zip((1e-3, 1e-2, 1.0, 1.0), (*[tendon_arm.nv] * 3, tendon_arm.nu)))
    function, arguments = {
        "rate": lambda: (functions.rate(f), (np.concatenate([q, v]), u)),
        "step": lambda: (functions.step(f), (np.concatenate([q, v]), u)),
        "inverse_dynamics": lambda: (functions.inverse_dynamics(tendon_arm), (q, v, a)),
        "equilibrium": lambda: (functions.equilibrium(tendon_arm), (u,)),
    }[request.param]()
    return function, arguments, tuple(own * generator.uniform(-1, 1, own.size) for own in arguments)


def product(function, arguments, directions):
    return sum(slope @ along for slope, along in zip(function.jacobians(*arguments)[0], directions))


def test_tangents_are_differences_along_them(case):
    function, arguments, directions = case
    value, change = jax.jvp(cuttle.jax.wrap(function), arguments, directions)
    assert np.array_equal(value, function(*arguments))

    def at(steps):
        return function(*(own + steps * h * along for own, along in zip(arguments, directions)))

    h = 1e-2
    near(change, sum(w * (at(k) - at(-k)) for k, w in _WEIGHTS) / h, 1e-7)


def test_tangents_are_those_of_jacobians_under_jit_and_vmap(case):
    function, arguments, directions = case
    wrapped = cuttle.jax.wrap(function)

    def along(arguments, directions):
        return jax.jvp(wrapped, arguments, directions)[1]

    expected = product(function, arguments, directions)
    near(jax.jit(along)(arguments, directions), expected, 1e-13)
    many = tuple(np.stack([own, 1.01 * own, 0.98 * own]) for own in arguments)
    others = tuple(np.stack([own, -own, 2 * own]) for own in directions)
    found = jax.jit(jax.vmap(along))(many, others)
    for k in range(3):
        near(found[k], product(function, [own[k] for own in many], [own[k] for own in others]), 1e-13)
    found = jax.vmap(along, (None, 0))(arguments, others)
    near(found, np.stack([expected, -expected, 2 * expected]), 1e-13)


def test_jacobians_forwards_are_those_backwards(case):
    function, arguments, _ = case
    wrapped, every = cuttle.jax.wrap(function), tuple(range(len(case[1])))
    (slopes,) = function.jacobians(*arguments)
    for change in (jax.jacfwd, jax.jacrev):
        for found, again, slope in zip(change(wrapped, every)(*arguments), jax.jit(change(wrapped, every))(*arguments), slopes):
            near(found, slope, 1e-14)
            near(again, slope, 1e-14)
    many = tuple(np.stack([own, 1.01 * own]) for own in arguments)
    for forwards, backwards in zip(jax.vmap(jax.jacfwd(wrapped, every))(*many), jax.vmap(jax.jacrev(wrapped, every))(*many)):
        assert np.array_equal(forwards, backwards)


def test_gradients_go_through_vmap_and_vmap_through_gradients(case):
    function, arguments, _ = case
    wrapped, every = cuttle.jax.wrap(function), tuple(range(len(case[1])))
    many = tuple(np.stack([own, 1.01 * own, 0.98 * own]) for own in arguments)

    def loss(*given):
        return jax.numpy.sum(jax.numpy.sin(wrapped(*given)))

    several = jax.vmap(jax.grad(loss, every))(*many)
    together = jax.jit(jax.grad(lambda *given: jax.numpy.sum(jax.vmap(loss)(*given)), every))(*many)
    for k in range(3):
        own = [given[k] for given in many]
        expected = function.vjp(*own)[1](np.cos(function(*own)))
        for gradient, other, right in zip(several, together, expected):
            near(gradient[k], right, 1e-12)
            near(other[k], right, 1e-12)


def test_a_derivative_takes_one_linearisation_and_a_value_none(case, monkeypatch):
    """Backwards nothing is computed forwards, and however many numbers there are, there is one linearisation."""
    function, arguments, directions = case
    calls = []
    value, slopes = function._value, function._slopes
    monkeypatch.setattr(function, "_value", lambda *given: calls.append("value") or value(*given))
    monkeypatch.setattr(function, "_slopes", lambda *given: calls.append("slopes") or slopes(*given))
    wrapped, every = cuttle.jax.wrap(function), tuple(range(len(arguments)))

    def loss(*given):
        return jax.numpy.sum(wrapped(*given))

    for compute, expected in [(lambda: jax.jit(wrapped)(*arguments), ["value"]),
                              (lambda: jax.jit(jax.value_and_grad(loss, every))(*arguments), ["slopes"]),
                              (lambda: jax.grad(loss, every)(*arguments), ["slopes"]),
                              (lambda: jax.jvp(wrapped, arguments, directions), ["slopes"]),
                              (lambda: jax.jit(jax.jacfwd(wrapped, every))(*arguments), ["slopes"]),
                              (lambda: jax.jit(jax.jacrev(wrapped, every))(*arguments), ["slopes"])]:
        calls.clear()
        jax.block_until_ready(compute())
        assert calls == expected


def test_a_loop_of_steps_is_differentiated_both_ways(tendon_arm):
    f = tendon_arm.dynamics(integrator="generalized_alpha", step=5e-3)
    F = cuttle.jax.step(f)
    x = f.reset()
    u = np.linspace(0.5, 1.5, 4 * tendon_arm.nu).reshape(4, -1)

    def last(u):
        return jax.lax.scan(lambda x, u: (F(x, u), None), x, u)[0]

    X = f.rollout(x, u)
    near(last(u), X[-1], 1e-12)
    A, B = f.linearise_along(X, u)
    # by the inputs of each step, through the steps behind it
    expected = np.stack([A[3] @ A[2] @ A[1] @ B[0], A[3] @ A[2] @ B[1], A[3] @ B[2], B[3]], axis=1)
    for change in (jax.jacfwd, jax.jacrev, lambda last: jax.jacrev(jax.checkpoint(last))):
        near(jax.jit(change(last))(u), expected, 1e-11)


def test_second_derivatives_are_refused_by_name(case):
    function, arguments, _ = case
    wrapped, (name,) = cuttle.jax.wrap(function), function.result_shapes

    def loss(*given):
        return jax.numpy.sum(wrapped(*given) ** 2)

    for second in (jax.hessian(loss), jax.jacrev(jax.grad(loss)), jax.jit(jax.jacfwd(jax.jacfwd(loss)))):
        with pytest.raises(cuttle.ArgumentError, match=f"jax: found a second derivative of '{name}', expected first ones alone"):
            second(*arguments)


def test_a_rollout_goes_backwards_alone_and_says_so(pendulum):
    run = pendulum.rollout_function(["q", "v"], by="inputs.motor", inputs={"motor": ([0, 0.1], [0, 0])}, duration=0.1,
                                    integrator={"type": "generalized_alpha", "step": 5e-3})
    rolled, u = cuttle.jax.rollout(run), np.array([0.5, -0.3])

    def loss(u):
        return jax.numpy.sum(rolled(u)["q"] ** 2) + jax.numpy.sum(rolled(u)["v"])

    y, back = run.vjp(u)
    near(jax.jit(jax.grad(loss))(u), back({"q": 2 * y["q"], "v": np.ones(1)}), 1e-12)
    with pytest.raises(TypeError, match=r"forward-mode.*\(jvp\) to a custom_vjp function"):
        jax.jvp(loss, (u,), (u,))
    for second in (jax.hessian(loss), jax.jacrev(jax.grad(loss))):
        with pytest.raises(cuttle.ArgumentError, match="jax: found a second derivative of 'q, v', expected first ones alone: `hvp`"):
            second(u)
