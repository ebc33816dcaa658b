"""Runs and steps in CasADi, for its optimizers: functions with Jacobians and reverse derivatives (docs/gradients.md).

>>> F = cuttle.casadi.step(robot.dynamics(integrator="generalized_alpha", step=0.02))
>>> problem.subject_to(X[:, k + 1] == F(X[:, k], U[:, k]))

There are no second derivatives: give Ipopt ``{"ipopt.hessian_approximation": "limited-memory"}``. Keep the function as long as
what was made of it.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from . import functions

__all__ = ["equilibrium", "inverse_dynamics", "rate", "rollout", "step", "wrap"]

Array = NDArray[np.float64]
Shape = tuple[int, ...]


def _size(shape: Shape) -> tuple[int, int]:
    """Rows and columns: a vector is a column."""
    return (*shape, 1, 1)[:2] if len(shape) < 3 else (shape[0], int(np.prod(shape[1:])))


def _array(given: Any, shape: Shape) -> Array:
    return np.array(given, np.float64).reshape(shape)


def _by_columns(shape: Shape) -> Array:
    """CasADi's order of the numbers, column by column, as indices into NumPy's."""
    return np.arange(int(np.prod(shape))).reshape(_size(shape)).reshape(-1, order="F")


class _Callback(casadi.Callback):  # type: ignore[misc]
    """Numbers from numbers: sizes of arguments and results, and what is computed."""

    def __init__(self, name: str, given: list[tuple[int, int]], returned: list[tuple[int, int]], options: Any) -> None:
        casadi.Callback.__init__(self)
        self._given = given
        self._returned = returned
        self._kept: list[Any] = []  # CasADi holds what Python made, but not its Python part
        self.construct(name, options)

    def get_n_in(self) -> int:
        return len(self._given)

    def get_n_out(self) -> int:
        return len(self._returned)

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(*self._given[i])

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(*self._returned[i])


class _Value(_Callback):
    def __init__(self, function: functions.Function, name: str) -> None:
        self.function = function
        self._shapes = list(function.result_shapes.values())
        super().__init__(name, [_size(s) for s in function.shapes], [_size(s) for s in self._shapes], {})

    def eval(self, arguments: Any) -> Any:
        results = self.function.flat(self.function(*map(_array, arguments, self.function.shapes)))
        return [casadi.DM(result.reshape(_size(shape))) for result, shape in zip(results, self._shapes)]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> Any:
        self._kept.append(_Jacobian(self, name, options))
        return self._kept[-1]

    def has_reverse(self, count: int) -> bool:
        return True

    def get_reverse(self, count: int, name: str, inames: Any, onames: Any, options: Any) -> Any:
        self._kept.append(_Reverse(self, count, name, options))
        return self._kept[-1]


class _Jacobian(_Callback):
    """Of (arguments, results): a matrix for each result and argument."""

    def __init__(self, of: _Value, name: str, options: Any) -> None:
        self._of = of
        sizes = [(r * c, n * m) for r, c in of._returned for n, m in of._given]
        super().__init__(name, of._given + of._returned, sizes, options)

    def eval(self, arguments: Any) -> Any:
        function = self._of.function
        found = function.jacobians(*map(_array, arguments[: len(function.shapes)], function.shapes))
        return [casadi.DM(slope[np.ix_(_by_columns(out), _by_columns(shape))])
                for own, out in zip(found, self._of._shapes) for slope, shape in zip(own, function.shapes)]


class _Reverse(_Callback):
    """Of (arguments, results, what the results are worth, `count` times side by side): what the arguments are worth."""

    def __init__(self, of: _Value, count: int, name: str, options: Any) -> None:
        self._of = of
        self._count = count
        seeds = [(r, c * count) for r, c in of._returned]
        super().__init__(name, of._given + of._returned + seeds, [(r, c * count) for r, c in of._given], options)

    def eval(self, arguments: Any) -> Any:
        function, shapes = self._of.function, self._of._shapes
        given = list(map(_array, arguments[: len(function.shapes)], function.shapes))
        seeds = [np.array(seed, np.float64) for seed in arguments[len(function.shapes) + len(shapes) :]]
        found: list[list[Array]] = [[] for _ in function.shapes]
        for k in range(self._count):
            worth = [np.hsplit(seed, self._count)[k].reshape(shape) for seed, shape in zip(seeds, shapes)]
            for own, gradient in zip(found, function.pull(given, worth)):
                own.append(gradient.reshape(_size(gradient.shape)))
        return [casadi.DM(np.hstack(own)) for own in found]


def wrap(function: functions.Function, name: str = "cuttle") -> Any:
    """A function of ``cuttle.functions`` as a ``casadi.Function``; vectors are columns."""
    return _Value(function, name)


rollout, rate, step, inverse_dynamics, equilibrium = functions.wrapped(wrap, __name__)
