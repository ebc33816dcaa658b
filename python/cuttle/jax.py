"""Runs and steps in JAX: differentiable by ``jax.grad``, under ``jax.jit`` and ``jax.vmap``, in float64 (docs/gradients.md).

>>> jax.config.update("jax_enable_x64", True)
>>> run = cuttle.jax.rollout(robot.rollout_function("tip.position", by="inputs.motor", inputs={"motor": ([0, 1], [0, 0])}))
>>> jax.grad(lambda u: jax.numpy.sum((run(u) - goal) ** 2))(jax.numpy.zeros(2))

The computing is done on the host. Gradients are backward ones; second derivatives there are none.
"""

from __future__ import annotations

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
    given = [jax.ShapeDtypeStruct(shape, np.float64) for shape in function.shapes]
    returned = [jax.ShapeDtypeStruct(shape, np.float64) for shape in function.result_shapes.values()]
    lock = threading.Lock()  # a function works in memory of its own

    def host_value(*arguments: Any) -> list[Any]:
        with lock:
            return function.flat(function(*map(np.asarray, arguments)))

    def host_back(arguments: Any, cotangents: Any) -> Any:
        with lock:
            return function.pull([np.asarray(a) for a in arguments], [np.asarray(c) for c in cotangents])

    @jax.custom_vjp
    def call(*arguments: Any) -> Any:
        return jax.pure_callback(host_value, returned, *arguments, vmap_method="sequential")

    def forth(*arguments: Any) -> Any:
        return call(*arguments), arguments

    def back(arguments: Any, cotangents: Any) -> Any:
        return jax.pure_callback(host_back, tuple(given), arguments, tuple(cotangents), vmap_method="sequential")

    call.defvjp(forth, back)

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


rollout, rate, step, inverse_dynamics, equilibrium = functions.wrapped(lambda function, _: wrap(function), __name__)
