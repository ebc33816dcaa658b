"""Runs and steps in JAX: differentiable by ``jax.grad``, under ``jax.jit`` and ``jax.vmap``, in float64 (docs/gradients.md).

>>> jax.config.update("jax_enable_x64", True)
>>> run = cuttle.jax.rollout(robot.rollout_function("tip.position", by="inputs.motor", inputs={"motor": ([0, 1], [0, 0])}))
>>> jax.grad(lambda u: jax.numpy.sum((run(u) - goal) ** 2))(jax.numpy.zeros(2))

The computing is done on the host. Derivatives go forwards and backwards (``jax.jvp``, ``jax.jacfwd``, ``jax.grad``,
``jax.jacrev``), of a rollout backwards alone. Second ones there are none.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from . import functions
from .errors import ArgumentError

__all__ = ["equilibrium", "inverse_dynamics", "rate", "rollout", "step", "wrap"]


def wrap(function: functions.Function) -> Callable[..., Any]:
    """A function of ``cuttle.functions`` as one of JAX's arrays. Raises ArgumentError when it is called without float64."""
    given = list(map(_spec, function.shapes))
    call = _smooth(function) if isinstance(function, functions.SmoothFunction) else _backwards(function)

    def wrapped(*arguments: Any) -> Any:
        if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            raise ArgumentError("jax: found float32, expected jax.config.update('jax_enable_x64', True) before", "jax")
        if len(arguments) != len(given):
            names = ", ".join(function.arguments)
            raise ArgumentError(f"arguments: found {len(arguments)}, expected {len(given)}: {names}", "arguments")
        arrays = [jax.numpy.asarray(argument, np.float64) for argument in arguments]
        for array, spec, name in zip(arrays, given, function.arguments):
            if array.shape != spec.shape:
                raise ArgumentError(f"{name}: found shape {array.shape}, expected {spec.shape}", name)
        return function.named(call(*arrays))

    return wrapped


def _spec(shape: functions.Shape) -> Any:
    return jax.ShapeDtypeStruct(shape, np.float64)


def _host(function: functions.Function) -> Callable[..., Any]:
    """Makes functions of JAX's arrays of ones of NumPy's, that take turns: `function` works in memory of its own."""
    lock = threading.Lock()

    def called(compute: Callable[..., Any], specs: Any) -> Callable[..., Any]:
        def locked(*arrays: Any) -> Any:
            with lock:
                return compute(*map(np.asarray, arrays))

        return lambda *arrays: jax.pure_callback(locked, specs, *arrays, vmap_method="sequential")

    return called


def _refused(call: Callable[..., Any], function: functions.Function, instead: str = "") -> Callable[..., Any]:
    """A part of a derivative, which has none itself."""
    part = jax.custom_jvp(call)

    @part.defjvp
    def refuse(primals: Any, tangents: Any) -> Any:
        names = ", ".join(function.result_shapes)
        raise ArgumentError(f"jax: found a second derivative of '{names}', expected first ones alone{instead}", "jax")

    return part


def _smooth(function: functions.SmoothFunction) -> Callable[..., Any]:
    """Both ways: Jacobians from the host, whose products are JAX's own, which transposes and batches them."""
    (shape,) = function.result_shapes.values()
    slopes = [_spec((math.prod(shape), math.prod(own))) for own in function.shapes]
    host = _host(function)
    call = jax.custom_jvp(host(lambda *arguments: [function(*arguments)], [_spec(shape)]))
    linearised = _refused(host(function.linearised, (_spec(shape), tuple(slopes))), function)

    @call.defjvp
    def forwards(primals: Any, tangents: Any) -> Any:
        value, jacobians = linearised(*primals)
        change = sum(jacobian @ tangent.reshape(-1) for jacobian, tangent in zip(jacobians, tangents))
        return [value], [change.reshape(shape)]

    return call


def _backwards(function: functions.Function) -> Callable[..., Any]:
    """Backwards alone, at the price of a way back: a Jacobian has one for each number of a result."""
    count = len(function.shapes)
    host = _host(function)
    value = host(lambda *arguments: function.flat(function(*arguments)), list(map(_spec, function.result_shapes.values())))
    pull = host(lambda *arrays: tuple(function.pull(arrays[:count], arrays[count:])), tuple(map(_spec, function.shapes)))
    hint = ": `hvp` of the function has products with Hessians"
    call = jax.custom_vjp(value)
    first, back = _refused(value, function, hint), _refused(pull, function, hint)
    call.defvjp(lambda *arguments: (first(*arguments), arguments), lambda arguments, worth: back(*arguments, *worth))
    return call


rollout, rate, step, inverse_dynamics, equilibrium = functions.wrapped(lambda function, _: wrap(function), __name__)
