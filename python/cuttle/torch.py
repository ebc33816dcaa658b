"""Runs and steps in PyTorch: differentiable by ``loss.backward()``, of tensors of float64 (docs/gradients.md).

>>> run = cuttle.torch.rollout(robot.rollout_function("tip.position", by="inputs.motor", inputs={"motor": ([0, 1], [0, 0])}))
>>> u = torch.zeros(2, dtype=torch.float64, requires_grad=True)
>>> ((run(u) - goal) ** 2).sum().backward()

Arguments may have dimensions before their own, all the same ones: a batch, of which one after the other is computed. The
computing is done on the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from . import functions
from .errors import ArgumentError

__all__ = ["equilibrium", "inverse_dynamics", "rate", "rollout", "step", "wrap"]


class _Call(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, function: functions.Function, *tensors: Any) -> Any:
        results, ctx.back = function.batched_vjp(*(tensor.detach().cpu().numpy() for tensor in tensors))
        ctx.devices = [tensor.device for tensor in tensors]
        ctx.shapes = [result.shape for result in results]
        return tuple(torch.from_numpy(np.array(result)).to(tensors[0].device) for result in results)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, *cotangents: Any) -> Any:
        worth = [np.zeros(shape) if given is None else given.detach().cpu().numpy() for given, shape in zip(cotangents, ctx.shapes)]
        found = ctx.back(worth)
        return (None, *(torch.from_numpy(np.array(own)).to(device) for own, device in zip(found, ctx.devices)))


def wrap(function: functions.Function) -> Callable[..., Any]:
    """A function of ``cuttle.functions`` as one of tensors. Raises ArgumentError for tensors that are not of float64."""

    def wrapped(*tensors: Any) -> Any:
        for tensor, name in zip(tensors, function.arguments):
            if not isinstance(tensor, torch.Tensor) or tensor.dtype != torch.float64:
                found = tensor.dtype if isinstance(tensor, torch.Tensor) else type(tensor).__name__
                raise ArgumentError(f"{name}: found {found}, expected a tensor of torch.float64", name)
        return function.named(_Call.apply(function, *tensors))

    return wrapped


rollout, rate, step, inverse_dynamics, equilibrium = functions.wrapped(lambda function, _: wrap(function), __name__)
