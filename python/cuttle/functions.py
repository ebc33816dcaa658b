"""Runs and steps as functions that have derivatives: what ``cuttle.jax``, ``cuttle.torch`` and ``cuttle.casadi`` wrap.

>>> run = robot.rollout_function("tip.position", by="inputs.motor", inputs={"motor": ([0, 1], [0, 0.4])})
>>> y, back = run.vjp([0.0, 0.5])
>>> by_knots = back(2 * (y - goal))       # of the loss |y - goal|^2
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._numbers import array_of, number_of
from ._quaternions import Quaternions
from .errors import ArgumentError

if TYPE_CHECKING:
    from .robot import Robot

Array = NDArray[np.float64]
Shape = tuple[int, ...]
#: One array, or one a name.
Outputs = Union[Array, dict[str, Array]]


def shaped(given: ArrayLike, shape: Shape, name: str) -> Array:
    """Its numbers, of this shape. Raises ArgumentError that says which one was found."""
    found = array_of(given, name)
    if found.shape != shape:
        raise ArgumentError(f"{name}: found shape {found.shape}, expected {shape}", name, str(found.shape), str(shape))
    return found


class Function(ABC):
    """A function of arrays with derivatives.

    arguments: their names.   shapes: of these.   result_shapes: of what it returns, by name; `single`: one array alone.
    """

    arguments: list[str]
    shapes: list[Shape]
    result_shapes: dict[str, Shape]
    single = True

    @abstractmethod
    def vjp(self, *arguments: ArrayLike) -> tuple[Outputs, Callable[[Any], Any]]:
        """What it returns, and a function from what this is worth (arrays of the same shapes, by name where the outputs are, left
        out where 0) to what the arguments are: an array each, or one array for one argument.
        """

    @abstractmethod
    def __call__(self, *arguments: ArrayLike) -> Outputs:
        """What it returns."""

    def take(self, arguments: Sequence[ArrayLike]) -> list[Array]:
        """The arguments as arrays. Raises ArgumentError for another number of them, or another shape."""
        if len(arguments) != len(self.shapes):
            expected = f"{len(self.shapes)}: {', '.join(self.arguments)}"
            raise ArgumentError(f"arguments: found {len(arguments)}, expected {expected}", "arguments", str(len(arguments)), expected)
        return [shaped(given, shape, name) for given, shape, name in zip(arguments, self.shapes, self.arguments)]

    def take_cotangents(self, given: Any) -> list[Array]:
        """One for each result, zeros where it is left out."""
        if self.single:
            name, shape = next(iter(self.result_shapes.items()))
            return [shaped(given, shape, f"cotangent of {name}")]
        if not isinstance(given, Mapping):
            raise ArgumentError(f"cotangents: found {type(given).__name__}, expected arrays by name: {', '.join(self.result_shapes)}",
                                "cotangents")
        for name in given:
            if name not in self.result_shapes:
                known = ", ".join(self.result_shapes)
                raise ArgumentError(f"cotangents: found '{name}', expected some of {known}", "cotangents", str(name), known)
        return [shaped(given[name], shape, f"cotangent of {name}") if name in given else np.zeros(shape)
                for name, shape in self.result_shapes.items()]

    def flat(self, results: Outputs) -> list[Array]:
        """Results as a list, in the order of `result_shapes`."""
        return [results] if not isinstance(results, dict) else [results[name] for name in self.result_shapes]

    def named(self, results: Sequence[Any]) -> Any:
        """Of such a list what the function would return."""
        return results[0] if self.single else dict(zip(self.result_shapes, results))

    def flat_vjp(self, *arguments: ArrayLike) -> tuple[list[Array], Callable[[Sequence[Any]], tuple[Array, ...]]]:
        """vjp with lists instead of names: what adapters to other libraries call."""
        results, back = self.vjp(*arguments)

        def flat_back(cotangents: Sequence[Any]) -> tuple[Array, ...]:
            found = back(self.named([np.asarray(c, np.float64) for c in cotangents]))
            return (found,) if len(self.shapes) == 1 and not isinstance(found, tuple) else tuple(found)

        return self.flat(results), flat_back

    def pull(self, arguments: Sequence[ArrayLike], cotangents: Sequence[ArrayLike]) -> tuple[Array, ...]:
        """What arguments are worth, of what results are worth: both halves of `flat_vjp` in a call."""
        return self.flat_vjp(*arguments)[1](cotangents)

    def batched_vjp(self, *arguments: ArrayLike) -> tuple[list[Array], Callable[[Sequence[Any]], tuple[Array, ...]]]:
        """flat_vjp of arguments that may have dimensions before their own, all the same ones, as results then do too."""
        if len(arguments) != len(self.shapes):
            self.take(arguments)  # says what is wrong
        arrays = [array_of(given, name) for given, name in zip(arguments, self.arguments)]
        batch = arrays[0].shape[: arrays[0].ndim - len(self.shapes[0])]
        taken = [shaped(own, batch + shape, name).reshape(-1, *shape) for own, shape, name in zip(arrays, self.shapes, self.arguments)]
        pairs = [self.flat_vjp(*own) for own in zip(*taken)]
        shapes = list(self.result_shapes.values())
        results = [np.array([values[i] for values, _ in pairs]).reshape(batch + shape) for i, shape in enumerate(shapes)]

        def back(cotangents: Sequence[Any]) -> tuple[Array, ...]:
            worth = [np.asarray(own, np.float64).reshape(-1, *shape) for own, shape in zip(cotangents, shapes)]
            found = [own_back([own[k] for own in worth]) for k, (_, own_back) in enumerate(pairs)]
            return tuple(np.array([own[j] for own in found]).reshape(batch + shape) for j, shape in enumerate(self.shapes))

        return results, back

    def jacobians(self, *arguments: ArrayLike) -> list[list[Array]]:
        """By result and argument: (numbers of the result, numbers of the argument)."""
        results, back = self.flat_vjp(*arguments)
        found = [[np.zeros((y.size, int(np.prod(shape)))) for shape in self.shapes] for y in results]
        for i, y in enumerate(results):
            for row in range(y.size):
                cotangents = [np.zeros(other.shape) for other in results]
                cotangents[i].reshape(-1)[row] = 1.0
                for j, gradient in enumerate(back(cotangents)):
                    found[i][j][row] = gradient.reshape(-1)
        return found


class SmoothFunction(Function):
    """One whose Jacobians are cheap: (value, Jacobian by each argument) of arrays.

    name: of the result.
    """

    def __init__(self, name: str, result_shape: Shape, arguments: dict[str, Shape],
                 value: Callable[..., Array], slopes: Callable[..., tuple[Array, Sequence[Array]]]) -> None:
        self.arguments = list(arguments)
        self.shapes = list(arguments.values())
        self.result_shapes = {name: result_shape}
        self._value = value
        self._slopes = slopes

    def __call__(self, *arguments: ArrayLike) -> Array:
        return self._value(*self.take(arguments))

    def linearised(self, *arguments: ArrayLike) -> tuple[Array, tuple[Array, ...]]:
        """What it returns, and its Jacobian by each argument."""
        value, slopes = self._slopes(*self.take(arguments))
        return value, tuple(slopes)

    def vjp(self, *arguments: ArrayLike) -> tuple[Array, Callable[[Any], tuple[Array, ...]]]:
        value, slopes = self.linearised(*arguments)

        def back(cotangent: Any) -> tuple[Array, ...]:
            (worth,) = self.take_cotangents(cotangent)
            return tuple((worth.reshape(-1) @ slope).reshape(shape) for slope, shape in zip(slopes, self.shapes))

        return value, back

    def jacobians(self, *arguments: ArrayLike) -> list[list[Array]]:
        return [list(self.linearised(*arguments)[1])]


def _quaternions(model: _core.Model) -> Quaternions | None:
    return Quaternions(model) if model.nq != model.nv else None


def rate(f: _core.RobotDynamics, t: float = 0.0) -> SmoothFunction:
    """dx/dt = f(t, x, u) of ``Robot.dynamics``, a function of x and u.

    Where a quaternion of x has not the norm 1, its rate is as much longer or shorter, and all else is as with the norm 1.
    """
    quaternions = _quaternions(f.model)

    def value(x: Array, u: Array) -> Array:
        return f(t, x, u) if quaternions is None else quaternions.rate(f(t, quaternions.unit(x), u), x)

    def slopes(x: Array, u: Array) -> tuple[Array, Sequence[Array]]:
        if quaternions is None:
            found = f.linearise(x, u, t)
            return f(t, x, u), (found.A, found.B)
        found = f.linearise(quaternions.unit(x), u, t)
        return value(x, u), quaternions.rate_slopes(found.A, found.B, x)

    return SmoothFunction("dx/dt", (f.nx,), {"x": (f.nx,), "u": (f.nu,)}, value, slopes)


def step(f: _core.RobotDynamics, t: float = 0.0) -> SmoothFunction:
    """The step x' = F(x, u) of ``Robot.dynamics``, a function of x and u. Quaternions of x are brought to the norm 1 first."""
    quaternions = _quaternions(f.model)

    def value(x: Array, u: Array) -> Array:
        return f.step(x if quaternions is None else quaternions.unit(x), u, t)

    def slopes(x: Array, u: Array) -> tuple[Array, Sequence[Array]]:
        if quaternions is None:
            found = f.linearise_step(x, u, t)
            return f.step(x, u, t), (found.A, found.B)
        after = value(x, u)
        found = f.linearise_step(quaternions.unit(x), u, t)
        by_x = quaternions.by_numbers(found.A, x)
        return after, (quaternions.of_numbers(by_x, after), quaternions.of_numbers(found.B, after))

    return SmoothFunction("x", (f.nx,), {"x": (f.nx,), "u": (f.nu,)}, value, slopes)


def inverse_dynamics(robot: Robot) -> SmoothFunction:
    """Generalized force of a motion, as ``Robot.inverse_dynamics``, a function of q, v and a.

    Quaternions of q are brought to the norm 1 first.
    """
    n = (robot.nv,)
    found = _core.DerivativeData(robot.model)
    quaternions = _quaternions(robot.model)

    def value(q: Array, v: Array, a: Array) -> Array:
        return robot.inverse_dynamics(q if quaternions is None else quaternions.unit(q), v, a)

    def slopes(q: Array, v: Array, a: Array) -> tuple[Array, Sequence[Array]]:
        at = q if quaternions is None else quaternions.unit(q)
        _core.inverse_dynamics_derivatives(robot.model, robot.data, found, at, v, a)
        by_q = found.by_q if quaternions is None else quaternions.by_numbers(found.by_q, q)
        return robot.inverse_dynamics(at, v, a), (by_q, found.by_v, found.by_a)

    return SmoothFunction("tau", n, {"q": (robot.nq,), "v": n, "a": n}, value, slopes)


def equilibrium(robot: Robot, q: ArrayLike | None = None, loads_at: float = 0.0) -> SmoothFunction:
    """Where it rests, q (nq,), a function of the inputs u: by the implicit function theorem, K dq = A du.

    q: where to look from, and where friction of contacts counts from.   loads_at: time of its loads [s].
    Raises StaticsError as ``Robot.statics``, and where the equilibrium has a singular stiffness.
    """
    quaternions = _quaternions(robot.model)

    def slopes(u: Array) -> tuple[Array, Sequence[Array]]:
        rest = robot.statics(u, q, loads_at=loads_at)
        found = _core.equilibrium_by_inputs(robot.model, robot.data, rest.equilibrium, u, loads_at=loads_at)
        at = np.array(rest.q)
        return at, (found if quaternions is None else quaternions.of_numbers(found, at),)

    return SmoothFunction("q", (robot.nq,), {"u": (robot.nu,)}, lambda u: np.array(robot.statics(u, q, loads_at=loads_at).q), slopes)


class HessianProduct(NamedTuple):
    """What the Hessian of a loss makes of a direction."""

    #: How fast the gradient changes along the direction: as what `RolloutFunction.vjp` gives back.
    product: Any
    #: Estimate of its largest error, relative to its largest number.
    error: float
    #: How many gradients it took, each a run and a way back.
    gradients: int


class RolloutFunction(Function):
    """A run of a robot as a function of arrays, with its gradient backwards along the run: ``Robot.rollout_function``.

    Called with one array for each of `by`, it returns outputs: an array, or by name if `of` is a list. An output has the shape
    (samples, n), or (n,) without `times`; where it is one number, as an energy, without n.

    arguments: names of what it is called with.   shapes: of these.   start: what they are in the scenario.
    times: of the samples [s].   columns: names of the numbers, by output.
    """

    def __init__(self, robot: Robot, of: Sequence[str] | str, by: Sequence[str | Sequence[str]] | str,
                 times: ArrayLike | None, scenario: _core.ScenarioFile) -> None:
        names = [of] if isinstance(of, str) else list(of)
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ArgumentError(f"of: found '{name}' a second time, expected each output once", "of", name, "each output once")
        entries = [by] if isinstance(by, str) else list(by)
        given = np.atleast_1d(scenario.duration if times is None else array_of(times, "times"))
        if given.ndim > 1 or given.size == 0:
            expected = "one or more in a row [s], or None: the end"
            raise ArgumentError(f"times: found shape {given.shape}, expected {expected}", "times", str(given.shape), expected)
        at = given.tolist()
        parts = [["inputs." + name for name in robot.inputs] if entry == "inputs" else
                 [entry] if isinstance(entry, str) else list(entry) for entry in entries]
        self.single = isinstance(of, str)
        self._one_argument = isinstance(by, str)
        self._core = _core.RolloutFunction(scenario._model_of_run(robot.model), scenario, names, at, [part for own in parts for part in own])
        self.times: Array = self._core.times
        self.arguments = [entry if isinstance(entry, str) else f"[{', '.join(entry)}]" for entry in entries]
        sizes = list(self._core.sizes)
        self.shapes = [_argument_shape(entry, [sizes.pop(0) for _ in own]) for entry, own in zip(entries, parts)]
        self.start: list[Array] = self._split(np.array([parameter.value for parameter in self._core.parameters]))
        self.columns: dict[str, list[str]] = {}
        self.result_shapes = {}
        samples = () if times is None else (len(at),)
        infos = [info.name for info in self._core.outputs]
        for name, count in zip(names, self._core.output_sizes):
            self.columns[name], infos = infos[:count], infos[count:]
            self.result_shapes[name] = samples + (() if self.columns[name] == [name] else (count,))
        self._held: Array | None = None  # the arguments of the run that the library holds

    def _split(self, numbers: Array) -> list[Array]:
        """Numbers of all arguments, an array each. Those of several inputs stand side by side."""
        arrays, first = [], 0
        for name, shape in zip(self.arguments, self.shapes):
            count = int(np.prod(shape))
            own = numbers[first : first + count]
            arrays.append(own.reshape(shape[::-1]).T if name == "inputs" else own.reshape(shape))
            first += count
        return arrays

    def _joined(self, arguments: Sequence[ArrayLike]) -> Array:
        taken = self.take(arguments)
        return np.concatenate([(own.T if name == "inputs" else own).reshape(-1) for name, own in zip(self.arguments, taken)]
                              or [np.zeros(0)])

    def _run(self, numbers: Array) -> Outputs:
        self._held = None
        values = self._core.run(numbers)
        self._held = numbers
        return self._results(values)

    def _results(self, values: Array) -> Outputs:
        results, first = [], 0
        for name, shape in self.result_shapes.items():
            count = len(self.columns[name])
            results.append(np.ascontiguousarray(values[:, first : first + count]).reshape(shape))
            first += count
        return self.named(results)

    def __call__(self, *arguments: ArrayLike) -> Outputs:
        return self._run(self._joined(arguments))

    def pull(self, arguments: Sequence[ArrayLike], cotangents: Sequence[ArrayLike]) -> tuple[Array, ...]:
        """As it is, without a run if the last one was of the same arguments."""
        numbers = self._joined(arguments)
        if self._held is None or not np.array_equal(self._held, numbers):
            self._run(numbers)
        found = self._back(self.named([np.asarray(own, np.float64) for own in cotangents]))
        return tuple(found)

    def _back(self, cotangents: Any) -> list[Array]:
        worth = [own.reshape(len(self.times), -1) for own in self.take_cotangents(cotangents)]
        return self._split(self._core.back(np.concatenate(worth, axis=1)))

    def vjp(self, *arguments: ArrayLike) -> tuple[Outputs, Callable[[Any], Any]]:
        """Outputs, and the way back: from what they are worth to what the arguments are.

        The first way back after a run goes along it; each other one runs again, so that a run and a gradient cost some runs, for
        any number of knots.
        """
        numbers = self._joined(arguments)
        results = self._run(numbers)

        def back(cotangents: Any) -> Any:
            if self._held is not numbers:
                self._run(numbers)
            found = self._back(cotangents)
            return found[0] if self._one_argument else tuple(found)

        return results, back

    def hvp(self, at: Any, along: Any, worth: Any, *, tolerance: float = 1e-6, step: float | None = None) -> HessianProduct:
        """The Hessian of a loss of the outputs, by the arguments, times a direction: differences of exact gradients.

        >>> found = run.hvp(u, v, lambda y: 2 * (y - goal))     # of the loss |y - goal|^2
        >>> found.product, found.error

        at, along: an array each; of several arguments a sequence of these.
        worth: what outputs are worth, as the function of `vjp` takes it, in a function of the outputs: the gradient of the
        loss by them. Or that itself, of a loss that is linear in them.
        tolerance: of the error, relative.   step: the first difference is between at + step along and at - step along; None:
        chosen from the sizes of the numbers.
        It takes six gradients where the run is smooth. Raises SimulationError where the tolerance is not met, as where
        a contact begins within the steps.
        """
        numbers, direction = (self._joined([given] if self._one_argument else given) for given in (at, along))

        def worth_of(values: Array) -> Array:
            own = worth(self._results(values)) if callable(worth) else worth
            return np.concatenate([given.reshape(len(self.times), -1) for given in self.take_cotangents(own)], axis=1)

        self._held = None
        first = 0.0 if step is None else number_of(step, "step")
        product, error, gradients = self._core.hvp(numbers, direction, worth_of, number_of(tolerance, "tolerance"), first)
        found = self._split(product)
        return HessianProduct(found[0] if self._one_argument else tuple(found), error, gradients)


def _argument_shape(entry: str | Sequence[str], counts: list[int]) -> Shape:
    if entry == "inputs":
        if len(set(counts)) != 1:
            raise ArgumentError(f"by: found 'inputs' of {counts} numbers, expected signals of as many numbers each", "by")
        return (counts[0], len(counts))
    if not isinstance(entry, str):
        return (sum(counts),)
    return (counts[0],) if entry in ("q", "v") or entry.startswith("inputs.") else ()


def wrapped(wrap: Callable[[Function, str], Any], module: str) -> tuple[Callable[..., Any], ...]:
    """The functions `rollout`, `rate`, `step`, `inverse_dynamics` and `equilibrium` of a module that has them for another library.

    wrap: makes such a one of a function of this module and its name.
    """

    def rollout(run: RolloutFunction) -> RolloutFunction:
        """``Robot.rollout_function``: outputs of a run, an array or by name."""
        return run

    def wrapped_one(make: Callable[..., Function]) -> Callable[..., Any]:
        @functools.wraps(make)
        def call(*arguments: Any, **options: Any) -> Any:
            return wrap(make(*arguments, **options), make.__name__)

        call.__module__, call.__qualname__ = module, make.__name__
        call.__annotations__ = {**make.__annotations__, "return": "Any"}
        return call

    return tuple(map(wrapped_one, (rollout, rate, step, inverse_dynamics, equilibrium)))
