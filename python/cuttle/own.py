"""Parts of a robot in Python: where the points of a body go, elements, signals. ``Robot.from_dict`` takes them (docs/python.md).

Functions are written with NumPy. Derivatives come from calling them with arrays that carry some: so they use functions of
NumPy, not of ``math``, and put results together by ``np.stack`` or return columns, instead of filling an array.
"""

from __future__ import annotations

import copy
import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._jet_algebra import algebra_of, path, second_steps, steps
from ._jets import Jet, coefficients_of
from ._compared import Compared
from ._numbers import array_of, number_of
from .errors import ArgumentError

Array = NDArray[np.float64]
_numbers = itertools.count(1)
#: Parts by what stands for them in the text of a robot, as long as somebody has them.
_parts: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
#: Signals likewise, as long as their Kept is there.
_signals: dict[str, _core.Signal] = {}


def _find(name: str) -> Any:
    """For the library, which reads the text: the part, or None."""
    part = _parts.get(name)
    return _signals.get(name) if part is None else part


class Kept:
    """Signals that stand in a text as long as this is there."""

    def __init__(self) -> None:
        self._names: list[str] = []  # in order of the text
        weakref.finalize(self, _forget, self._names)

    def keys(self, signal: _core.Signal) -> dict[str, Any]:
        """What stands for it in the text."""
        name = f"signal {next(_numbers)}"
        _signals[name] = signal
        self._names.append(name)
        return {"type": "python", "object": name}

    def signals(self) -> dict[str, _core.Signal]:
        """By their names."""
        return {name: _signals[name] for name in self._names}


def _forget(names: list[str]) -> None:
    for name in names:
        _signals.pop(name, None)


def _named(part: Any, function: Any) -> str:
    name = f"{getattr(function, '__name__', type(function).__name__)} {next(_numbers)}"
    _parts[name] = part
    return name


def _coordinates(given: int | Sequence[str | tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Names and units."""
    if isinstance(given, int):
        given = [f"q{i}" for i in range(given)]
    if isinstance(given, str):
        given = [given]
    pairs = [(item, "rad") if isinstance(item, str) else tuple(item) for item in given]
    for pair in pairs:
        if len(pair) != 2 or pair[1] not in ("rad", "m"):
            raise ArgumentError(f"coordinates: found {pair}, expected names, or pairs (name, 'rad' or 'm')", "coordinates")
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


class _Named(Compared):
    """A part that a name stands for in texts of robots. A copy has a name of its own, and so has one from another process."""

    _name: str

    def _compared(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_name"}

    def _function(self) -> Any:
        """That it is named after."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return self._compared()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._name = _named(self, self._function())


class FunctionKinematics(_Named):
    """Where the points of a volume go, by a function: ``kinematics`` of a body of type volume in a robot's keys.

    position(q, x) returns the positions [m] of points, of shape (n, 3) or three columns (x, y, z): `q` are the coordinates,
    `x` of shape (n, 3) the positions at rest, in the base frame of the body, about z from 0 on.

    coordinates: their names, or pairs (name, 'rad' or 'm'), or how many.   keeps_volume: that det(df/dx) is 1 everywhere, so
    that nobody looks whether the body folds, and a material need not resist changes of volume.

    >>> def bend(q, x):  # constant curvature, |q| < pi
    ...     s, angle = x[:, 2], q[0] * x[:, 2] / 0.2
    ...     across = s * np.sinc(angle / 2 / np.pi) * np.sin(angle / 2) + x[:, 0] * np.cos(angle)
    ...     return across, x[:, 1], s * np.sinc(angle / np.pi) - x[:, 0] * np.sin(angle)
    >>> body = {"type": "volume", "material": "silicone", "shape": {"type": "cylinder", "length": 0.2, "radius": 0.02},
    ...         "kinematics": cuttle.FunctionKinematics(bend, ["bend"])}

    All algorithms take it, implicit integrators, statics and sensitivities too. Each evaluation calls the function three to
    six times, for all points together (docs/python.md says what that costs).
    """

    def __init__(
        self,
        position: Callable[..., Any],
        coordinates: int | Sequence[str | tuple[str, str]],
        *,
        keeps_volume: bool = False,
    ) -> None:
        self.position = position
        self.names, self.units = _coordinates(coordinates)
        self.keeps_volume = bool(keeps_volume)
        self._name = _named(self, self._function())

    def _function(self) -> Any:
        return self.position

    def _keys(self) -> dict[str, Any]:
        return {"type": "python", "object": self._name}

    def __call__(self, q: ArrayLike, x: ArrayLike) -> Array:
        """The positions (n, 3) of points x (n, 3)."""
        x = np.atleast_2d(array_of(x, "x"))
        return self._columns(self.position(array_of(q, "q"), x), None, len(x))[0]

    def _columns(self, result: Any, algebra: Any, count: int) -> Array:
        """Coefficients of what the function returned, (monomials, count, 3)."""

        def coefficients(part: Any) -> Array:
            if algebra is not None:
                return coefficients_of(part, algebra)
            return array_of(part, "position")[None]

        if isinstance(result, (tuple, list)):
            if len(result) == 3 and all(np.ndim(part) <= 1 for part in result):
                columns = [coefficients(part) for part in result]
                size = len(columns[0])
                return np.stack([np.broadcast_to(c.reshape(size, -1), (size, count)) for c in columns], -1)
        elif np.shape(result) == (count, 3):
            return np.ascontiguousarray(coefficients(result))
        found = [np.shape(part) for part in result] if isinstance(result, (tuple, list)) else np.shape(result)
        raise ArgumentError(
            f"position: found a result of shape {found} for {count} points, expected ({count}, 3) or three columns", "position"
        )

    def _evaluate(self, algebra: Any, q: Array, x: Any) -> Array:
        """q: coefficients, (monomials, n)."""
        with np.errstate(all="ignore"):  # numbers that are not finite are the library's to report
            return self._columns(self.position(Jet(algebra, q), x), algebra, len(x))

    # What the library asks for. Vectors have one row for their values, (1, n), or more: derivatives in some directions, which
    # all results then have too. Points likewise: (1 or more, points, 3).

    def _move(self, q: Array, v: Array | None, x: Array, slopes: bool) -> Array:
        """f, then df/dq_j, then sum_jk d2f/(dq_j dq_k) v_j v_k if there is v; (.., as q, points, 3)."""
        directions, n = len(q) - 1, q.shape[1]
        if v is None and not slopes and not directions:
            with np.errstate(all="ignore"):
                return np.ascontiguousarray(self._columns(self.position(q[0], x[0]), None, x.shape[1]))
        base = ("steps", n if slopes else 0) if v is None else ("steps_beside_path", n)
        algebra = algebra_of(base, ("steps", directions))
        at = np.zeros((algebra.size // len(q), *q.shape))
        at[0] = q
        if slopes:
            at[1 : n + 1, 0] = np.eye(n)
        if v is not None:
            at[n + 1] = v
        result = self._evaluate(algebra, at.reshape(-1, n), _places(algebra, x)).reshape(*at.shape[:2], *x.shape[1:])
        if v is not None:
            result[n + 1] = 2 * result[n + 2]
            result = result[: n + 2]
        return np.ascontiguousarray(result)

    def _gradients(self, q: Array, direction: Array | None, x: Array, slopes: bool) -> Array:
        """df/dx_c, (1 [+ n], 1 [+ 1 along the direction], c, as q, points, 3)."""
        n = q.shape[1]
        rows, ways = (n + 1 if slopes else 1), (1 if direction is None else 2)
        algebra = algebra_of(("steps", rows - 1), ("steps", ways - 1), ("steps", 3), ("steps", len(q) - 1))
        at = np.zeros((rows, ways, 4, *q.shape))
        at[0, 0, 0] = q
        if slopes:
            at[1:, 0, 0, 0] = np.eye(n)
        if direction is not None:
            at[0, 1, 0] = direction
        result = self._evaluate(algebra, at.reshape(-1, n), _places(algebra, x, True))
        return np.ascontiguousarray(result.reshape(rows, ways, 4, *x.shape)[:, :, 1:])

    def _paths(self, q: Array, v: Array, a: Array, x: Array, with_x: bool) -> Array:
        """d/dt and d2/dt2 of df/dq_j along q + t v + t^2 / 2 a, (n, 2, 1 [+ 3 by x], points, 3)."""
        n = q.shape[1]
        places = 3 if with_x else 0
        algebra = algebra_of(("steps", n), ("path", 2), ("steps", places))
        at = np.zeros((n + 1, 3, 1 + places, n))
        at[0, :, 0] = q[0], v[0], a[0] / 2
        at[1:, 0, 0] = np.eye(n)
        result = self._evaluate(algebra, at.reshape(-1, n), _places(algebra, x, with_x))
        result = result.reshape(n + 1, 3, 1 + places, *x.shape[1:])[1:, 1:]
        result[:, 1] *= 2
        return np.ascontiguousarray(result)

    def _hessians(self, q: Array, x: Array, with_x: bool) -> Array:
        """f, df/dq_j, d2f/(dq_i dq_j) of pairs i <= j, (1 + n + pairs, 1 [+ 3 by x], points, 3)."""
        n = q.shape[1]
        places = 3 if with_x else 0
        algebra = algebra_of(("second_steps", n), ("steps", places))
        rows = 1 + n + n * (n + 1) // 2
        at = np.zeros((rows, 1 + places, n))
        at[0, 0] = q[0]
        at[1 : n + 1, 0] = np.eye(n)
        result = self._evaluate(algebra, at.reshape(-1, n), _places(algebra, x, with_x))
        result = result.reshape(rows, 1 + places, *x.shape[1:])
        for j in range(n):
            result[1 + n + j * (j + 1) // 2 + j] *= 2
        return np.ascontiguousarray(result)


def _places(algebra: Any, x: Array, steps_of_places: bool = False) -> Any:
    """Points (1 or more, points, 3), with steps of each of their three numbers if these are in the algebra: there they are last
    but for the directions that x has."""
    if len(x) == 1 and not steps_of_places:
        return x[0]
    coefficients = np.zeros((algebra.size, *x.shape[1:]))
    coefficients[: len(x)] = x
    if steps_of_places:
        for axis in range(3):
            coefficients[(1 + axis) * len(x), :, axis] = 1
    return Jet(algebra, coefficients)


def _number(result: Any, algebra: Any, what: str) -> Array:
    """Coefficients of a number that a function returned."""
    if np.size(result) != 1:
        raise ArgumentError(f"{what}: found a result of shape {np.shape(result)}, expected a number", what)
    return coefficients_of(result, algebra).reshape(algebra.size)


def _value_gradient_hessian(function: Callable[..., Any], x: Array, order: int, what: str) -> Array:
    """The value of a function of x, from order 1 on its gradient, from order 2 on its second derivatives, by rows."""
    n = len(x)
    if order == 0:
        return np.array([number_of(function(x), what)])
    algebra = steps(n) if order == 1 else second_steps(n)
    at = np.zeros((algebra.size, n))
    at[0], at[1 : n + 1] = x, np.eye(n)
    found = _number(function(Jet(algebra, at)), algebra, what)
    if order == 1:
        return found
    return np.concatenate([found[: n + 1], _square(found[n + 1 :], n).ravel()])


def _square(pairs: Array, n: int) -> Array:
    """The symmetric matrix of coefficients of pairs i <= j."""
    matrix = np.zeros((n, n))
    for j in range(n):
        for i in range(j + 1):
            matrix[i, j] = matrix[j, i] = pairs[j * (j + 1) // 2 + i] * (2 if i == j else 1)
    return matrix


class FunctionBody(FunctionKinematics):
    """A body made of points whose motion is a function: ``body`` of a link in a robot's keys.

    position(q, x), coordinates: as of FunctionKinematics.   points, volumes: positions at rest (n, 3) [m] and what volume
    [m^3] each stands for; ``cylinder_points`` and ``box_points`` make some.   density [kg/m^3].
    tip: where the far end is at rest, and by which its axes turn: a point (3,), or three, (3, 3): the frame has its origin at
    the first one, x along the second minus the first one, y in the plane of all three.
    elastic_energy(q) [J], 0 without stress.   dissipation(q, v) [W], whose gradient in v is the damping force.
    allow_folding: nobody looks whether det(df/dx) > 0 at the points, which saves a call.

    >>> points, volumes = cuttle.cylinder_points(0.2, 0.02)
    >>> body = cuttle.FunctionBody(bend, ["bend"], points, volumes, density=1070, tip=[0, 0, 0.2],
    ...                            elastic_energy=lambda q: 0.05 * q[0] ** 2, dissipation=lambda q, v: 1e-3 * v[0] ** 2)
    >>> robot = cuttle.Robot.from_dict({"links": [{"name": "finger", "body": body}]})

    For a hyperelastic material take a volume with FunctionKinematics instead.
    """

    def __init__(
        self,
        position: Callable[..., Any],
        coordinates: int | Sequence[str | tuple[str, str]],
        points: ArrayLike,
        volumes: ArrayLike,
        *,
        density: float,
        tip: ArrayLike,
        elastic_energy: Callable[..., Any] | None = None,
        dissipation: Callable[..., Any] | None = None,
        allow_folding: bool = False,
    ) -> None:
        super().__init__(position, coordinates)
        self.points = np.array(array_of(points, "points"))
        self.volumes = np.array(array_of(volumes, "volumes"))
        self.density = number_of(density, "density")
        self.elastic_energy = elastic_energy
        self.dissipation = dissipation
        self.allow_folding = bool(allow_folding)
        if self.points.ndim != 2 or self.points.shape[1] != 3 or self.volumes.shape != self.points.shape[:1]:
            raise ArgumentError(
                f"points, volumes: found shapes {self.points.shape} and {self.volumes.shape}, expected (n, 3) and (n,)", "points"
            )
        given = np.array(array_of(tip, "tip"))
        if given.shape == (3,):
            reach = 0.01 * max(np.abs(self.points).max(), np.abs(given).max())
            given = given + reach * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        if given.shape != (3, 3):
            raise ArgumentError(f"tip: found shape {given.shape}, expected (3,) or (3, 3)", "tip")
        self.tip = given

    def _energy(self, q: Array, order: int) -> Array:
        assert self.elastic_energy is not None
        return _value_gradient_hessian(self.elastic_energy, q, order, "elastic_energy")

    def _dissipated(self, q: Array, v: Array, order: int) -> Array:
        assert self.dissipation is not None
        function = self.dissipation
        return _value_gradient_hessian(lambda rate: function(q, rate), v, order, "dissipation")

    def _damping_slopes(self, q: Array, v: Array) -> Array:
        """d/dq_j of d dissipation / dv_i, (i, j)."""
        assert self.dissipation is not None
        n = len(q)
        algebra = algebra_of(("steps", n), ("steps", n))
        at, rates = np.zeros((n + 1, n + 1, n)), np.zeros((n + 1, n + 1, n))
        at[0, 0], rates[0, 0] = q, v
        at[0, 1:], rates[1:, 0] = np.eye(n), np.eye(n)
        found = self.dissipation(Jet(algebra, at.reshape(-1, n)), Jet(algebra, rates.reshape(-1, n)))
        return np.ascontiguousarray(_number(found, algebra, "dissipation").reshape(n + 1, n + 1)[1:, 1:])


class Element(_Named):
    """Something that acts on a robot by a law of yours: one of ``elements`` in a robot's keys.

    function(time, y, rate) or function(time, y, rate, u) returns the efforts, one a number of `y`: `y` are the coordinates that
    it acts on, `rate` their rates, `u` its inputs. An effort on an angle is a torque [N m], on a length a force [N]; on a tendon
    or a distance, whose y is its length at rest minus its length, it pulls.

    name: unique among elements and actuators.
    coordinates: names of links, whose first coordinate is meant, or pairs (link, index): of its joint first, then of its body.
    links: or all coordinates of these links.
    tendon: what one runs along, as ``routing`` of a tendon in a file.   between: two frames as {"link": .., "at": ..}, whose
    distance counts. `y` has these in this order.
    energy(y): what it stores [J]. Without `function`, efforts are minus its gradient.
    inputs: names of its inputs, NAME.INPUT of the robot; '' for NAME.
    derivatives: None, by calling the function with arrays that carry them, exact; 'differences', central ones, for functions
    that do not take these, right to 1e-9 of the largest effort or so; or a function of the same arguments that returns the
    matrices (by y, by rate[, by u]).

    >>> spring = cuttle.Element("spring", lambda time, y, rate: -3 * y**3 - 0.1 * rate, coordinates=["arm"])
    >>> cable = cuttle.Element("cable", energy=lambda y: 40 * y[0] ** 2, tendon=[{"link": "finger", "offset": [0.01, 0]}])
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any] | None = None,
        *,
        coordinates: Sequence[str | tuple[str, int]] = (),
        links: Sequence[str] = (),
        tendon: Sequence[Mapping[str, Any]] = (),
        between: Sequence[Mapping[str, Any]] = (),
        energy: Callable[..., Any] | None = None,
        inputs: Sequence[str] = (),
        derivatives: Callable[..., Any] | str | None = None,
    ) -> None:
        self.name = name
        self.function = function
        given = [coordinates] if isinstance(coordinates, str) else coordinates
        self.coordinates = [(item, 0) if isinstance(item, str) else (str(item[0]), int(item[1])) for item in given]
        self.links = [links] if isinstance(links, str) else list(links)
        self.tendon = list(tendon)
        self.between = list(between)
        self.energy = energy
        self.inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        self.derivatives = derivatives
        if function is None and energy is None:
            raise ArgumentError(f"element '{name}': found neither function nor energy, expected one", "function")
        if self.count == 0 and not self.links:
            raise ArgumentError(f"element '{name}': found nothing that it acts on, expected coordinates, tendon or between")
        if self.between and len(self.between) != 2:
            raise ArgumentError(f"between: found {len(self.between)} frames, expected 2", "between")
        if isinstance(derivatives, str) and derivatives != "differences":
            raise ArgumentError(f"derivatives: found '{derivatives}', expected None, 'differences' or a function", "derivatives")
        self._name = _named(self, self._function())

    def _function(self) -> Any:
        return self.function or self.energy

    @property
    def count(self) -> int:
        """How many numbers `y` has."""
        return len(self.coordinates) + (1 if self.tendon else 0) + (1 if self.between else 0)

    def _on(self, counts: Mapping[str, int]) -> Element:
        """The same element with the coordinates of its links, of which a robot has so many each."""
        found = copy.copy(self)
        found.links = []
        for link in self.links:
            if link not in counts:
                known = ", ".join(counts)
                where = f"element '{self.name}': links"
                raise ArgumentError(f"{where}: found '{link}', expected one of {known}", "links", link, known)
            found.coordinates = found.coordinates + [(link, index) for index in range(counts[link])]
        return found

    def _keys(self) -> dict[str, Any]:
        keys: dict[str, Any] = {"name": self.name, "type": "python", "object": self._name}
        if self.tendon:
            keys["routing"] = self.tendon
        if self.between:
            keys["a"], keys["b"] = self.between
        return keys

    def _call(self, time: float, y: Any, rate: Any, u: Any) -> Any:
        if self.function is None:
            return -_value_gradient_hessian(self.energy, y, 1, "energy")[1:]  # type: ignore[arg-type]
        return self.function(time, y, rate, u) if self.inputs else self.function(time, y, rate)

    def _list(self, result: Any, algebra: Any = None) -> Array:
        """Coefficients of efforts, (monomials, efforts)."""
        parts = result if isinstance(result, (tuple, list)) else [result]
        rows = [coefficients_of(part, algebra) if algebra else array_of(part, "efforts")[None] for part in parts]
        found = np.concatenate([row.reshape(len(row), -1) for row in rows], 1)
        if found.shape[1] != self.count:
            raise ArgumentError(
                f"element '{self.name}': found {found.shape[1]} efforts, expected {self.count}, one a number of y", "efforts"
            )
        return found

    # What the library asks for.

    def _efforts(self, time: float, y: Array, rate: Array, u: Array) -> Array:
        return np.ascontiguousarray(self._list(self._call(time, y, rate, u))[0])

    def _slopes(self, time: float, y: Array, rate: Array, u: Array) -> Array:
        """Derivatives of efforts (rows) by y, rate and u."""
        count, total = self.count, 2 * self.count + len(u)
        if callable(self.derivatives):
            given = self.derivatives(time, y, rate, u) if self.inputs else self.derivatives(time, y, rate)
            return np.hstack([array_of(part, "derivatives").reshape(count, -1) for part in given])
        if self.function is None:
            slopes = np.zeros((count, total))
            second = _value_gradient_hessian(self.energy, y, 2, "energy")[1 + count :]  # type: ignore[arg-type]
            slopes[:, :count] = -second.reshape(count, count)
            return slopes
        x = np.concatenate([y, rate, u])
        parts = (slice(0, count), slice(count, 2 * count), slice(2 * count, total))
        if self.derivatives is None:
            algebra = steps(total)
            at = np.zeros((total + 1, total))
            at[0], at[1:] = x, np.eye(total)
            result = self._call(time, *(Jet(algebra, at[:, part]) for part in parts))
            return np.ascontiguousarray(self._list(result, algebra)[1:].T)
        slopes = np.empty((count, total))
        for j in range(total):
            step = np.zeros(total)
            step[j] = 6e-6 * max(1.0, abs(x[j]))  # cube root of eps
            ahead, behind = (self._efforts(time, *((x + sign * step)[part] for part in parts)) for sign in (1, -1))
            slopes[:, j] = (ahead - behind) / (2 * step[j])
        return slopes

    def _stored(self, y: Array, rate: Array | None) -> float:
        """The energy, or its rate."""
        assert self.energy is not None
        if rate is None:
            return number_of(self.energy(y), "energy")
        return float(_number(self.energy(Jet(path(1), np.stack([y, rate]))), path(1), "energy")[1])


def _signal(kind: str, arguments: tuple[Any, ...]) -> _core.Signal:
    """For pickles: Signal.KIND of its arguments."""
    return getattr(_core.Signal, kind)(*arguments)


def _time_derivative(function: Callable[[Any], Any], time: float, order: int) -> float:
    """For signals: the derivative of a function of time by the function itself."""
    algebra = path(order)
    at = np.zeros(order + 1)
    at[0], at[1] = time, 1
    return float(_number(function(Jet(algebra, at)), algebra, "signal")[order] * (1, 1, 2)[order])


def cylinder_points(
    length: float, radius: float, inner_radius: float = 0.0, *, nz: int = 10, nr: int = 3, nphi: int = 8
) -> tuple[Array, Array]:
    """Points (n, 3) [m] of a cylinder about z from 0 to `length`, and the volume [m^3] of each: a Gauss rule along z and over
    the section. inner_radius: of its bore."""
    return _core._cylinder_points(length, radius, inner_radius, nz, nr, nphi)


def box_points(size: ArrayLike, *, nz: int = 10, nx: int = 3, ny: int = 3) -> tuple[Array, Array]:
    """Points (n, 3) [m] of a box centered on z, from 0 to size[2], and the volume [m^3] of each: Gauss rules."""
    x, y, z = array_of(size, "size")
    return _core._box_points(x, y, z, nz, nx, ny)
