"""Arrays that carry derivatives, for functions of users that are written with NumPy.

A jet is an element of a truncated algebra of polynomials: a value and coefficients of monomials of small numbers (steps of
coordinates, of time, of places) whose higher powers are zero. A function of NumPy of jets is a jet, exact to rounding: what
it would be by the chain rule. So f(q + e_j) has df/dq_j as the coefficient of e_j, and f(q + v t), t^3 = 0, has half of
d2f/dt2 as that of t^2. All points of a body are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _jet_series
from ._jet_algebra import Algebra

Array = NDArray[np.float64]


class Jet:
    """An array with derivatives: `coefficients` has one array a monomial of the algebra, the first one is the value."""

    __slots__ = ("algebra", "coefficients")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, algebra: Algebra, coefficients: Array) -> None:
        self.algebra = algebra
        self.coefficients = coefficients

    # --- as an array --------------------------------------------------------------------------------------------------
    @property
    def value(self) -> Array:
        """Without derivatives."""
        return self.coefficients[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self.coefficients.shape[1:]

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self.coefficients.ndim - 1

    @property
    def size(self) -> int:
        """As of an array."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """As of an array."""
        return self.coefficients.dtype

    @property
    def T(self) -> Jet:  # noqa: N802
        """As of an array."""
        return _transpose(self)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a number")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Jet:
        index = index if isinstance(index, tuple) else (index,)
        return Jet(self.algebra, self.coefficients[(slice(None), *index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a function of a user: found an assignment to parts of q or x, expected np.stack or np.where")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "a function of a user: found numbers with derivatives put into an array, expected np.stack([..], axis=-1), or "
            "columns returned as a tuple"
        )

    def __float__(self) -> float:
        raise TypeError(
            "a function of a user: found a number with derivatives where a plain one is asked for, as by `math`: expected "
            "functions of NumPy"
        )

    __int__ = __complex__ = __index__ = __float__  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.value)

    def reshape(self, *shape: Any) -> Jet:
        """As of an array."""
        return _reshape(self, shape[0] if len(shape) == 1 else shape)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Jet:
        """As of an array."""
        return _sum(self, axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Jet:
        """As of an array."""
        return _mean(self, axis, keepdims=keepdims)

    def dot(self, other: Any) -> Jet:
        """As of an array."""
        return _dot(self, other)

    def transpose(self, *axes: int) -> Jet:
        """As of an array."""
        return _transpose(self, axes or None)

    def copy(self) -> Jet:
        """As of an array."""
        return self

    def __repr__(self) -> str:
        return f"<{self.value} with derivatives>"

    # --- operators ----------------------------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Any:
        return _add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _subtract(self, other)

    def __rsub__(self, other: Any) -> Any:
        return _subtract(other, self)

    def __mul__(self, other: Any) -> Any:
        return _multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _divide(other, self)

    def __pow__(self, other: Any) -> Any:
        return _power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self)

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(other, self)

    def __neg__(self) -> Jet:
        return Jet(self.algebra, -self.coefficients)

    def __pos__(self) -> Jet:
        return self

    def __abs__(self) -> Jet:
        return _absolute(self)

    def __lt__(self, other: Any) -> Any:
        return self.value < value_of(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= value_of(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > value_of(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= value_of(other)

    def __eq__(self, other: Any) -> Any:
        return self.value == value_of(other)

    def __ne__(self, other: Any) -> Any:
        return self.value != value_of(other)

    # --- functions of NumPy -------------------------------------------------------------------------------------------
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keys: Any) -> Any:
        if keys.get("out") is not None:
            raise TypeError(
                f"numpy.{ufunc.__name__}: found an array that is to take numbers with derivatives in place, expected a new one"
            )
        if method == "reduce" and ufunc is np.add:
            return _sum(inputs[0], keys.get("axis", 0), keepdims=keys.get("keepdims", False))
        found = _UFUNCS.get(ufunc) if method == "__call__" and not keys else None
        if found is None:
            raise _unknown(f"{ufunc.__name__}{'' if method == '__call__' else '.' + method}")
        return found(*inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keys: Any) -> Any:
        found = _FUNCTIONS.get(function)
        if found is None:
            raise _unknown(function.__name__)
        return found(*arguments, **keys)


def _unknown(name: str) -> TypeError:
    known = sorted({f.__name__ for f in (*_UFUNCS, *_FUNCTIONS)})
    return TypeError(
        f"numpy.{name}: found numbers that carry derivatives, which it does not take; expected functions among "
        f"{', '.join(known)}"
    )


def value_of(a: Any) -> Any:
    """Without derivatives."""
    return a.value if isinstance(a, Jet) else a


def coefficients_of(a: Any, algebra: Algebra) -> Array:
    """Of a jet, or of plain numbers, whose derivatives are zero."""
    if isinstance(a, Jet):
        return a.coefficients
    numbers = np.asarray(a, dtype=float)
    coefficients = np.zeros((algebra.size, *numbers.shape))
    coefficients[0] = numbers
    return coefficients


def _algebra(*operands: Any) -> Algebra:
    return next(operand.algebra for operand in operands if isinstance(operand, Jet))


def _padded(a: Array, ndim: int) -> Array:
    """With axes of length one behind that of the monomials, as broadcasting does."""
    missing = ndim - (a.ndim - 1)
    return a.reshape(a.shape[:1] + (1,) * missing + a.shape[1:]) if missing > 0 else a


def _add(a: Any, b: Any) -> Jet:
    if not isinstance(a, Jet):
        a, b = b, a
    if isinstance(b, Jet):
        ndim = max(a.ndim, b.ndim)
        return Jet(a.algebra, _padded(a.coefficients, ndim) + _padded(b.coefficients, ndim))
    b = np.asarray(b, dtype=float)
    mine = _padded(a.coefficients, b.ndim)
    value = mine[0] + b
    total = np.empty((a.algebra.size, *value.shape))
    total[0], total[1:] = value, mine[1:]
    return Jet(a.algebra, total)


def _subtract(a: Any, b: Any) -> Jet:
    if isinstance(a, Jet) and isinstance(b, Jet):
        ndim = max(a.ndim, b.ndim)
        return Jet(a.algebra, _padded(a.coefficients, ndim) - _padded(b.coefficients, ndim))
    return _add(a, -b if isinstance(b, Jet) else -np.asarray(b, dtype=float))


def _product(algebra: Algebra, a: Array, b: Array) -> Array:
    """Of coefficients, as many axes both."""
    result = a[0] * b
    result[1:] += a[1:] * b[0]
    if len(algebra.results):
        result[algebra.results] += algebra.proper_product(a, b)
    return result


def _multiply(a: Any, b: Any) -> Jet:
    if not isinstance(a, Jet):
        a, b = b, a
    if not isinstance(b, Jet):
        b = np.asarray(b, dtype=float)
        return Jet(a.algebra, _padded(a.coefficients, b.ndim) * b)
    ndim = max(a.ndim, b.ndim)
    return Jet(a.algebra, _product(a.algebra, _padded(a.coefficients, ndim), _padded(b.coefficients, ndim)))


def _compose(a: Jet, value: Any, taylor: Sequence[Any]) -> Jet:
    """value + sum_k taylor[k - 1] (a - its value)^k."""
    algebra, small = a.algebra, a.coefficients
    result = np.empty_like(small)
    result[0] = value
    if algebra.order == 0:
        return Jet(algebra, result)
    result[1:] = taylor[0] * small[1:]
    power = None  # coefficients `results` of the small part's power are in the whole array
    for k in range(2, algebra.order + 1):
        if not len(algebra.results):
            break
        product = algebra.proper_product(small if power is None else power, small)
        result[algebra.results] += taylor[k - 1] * product
        if k < algebra.order:
            power = np.zeros_like(small)
            power[algebra.results] = product
    return Jet(algebra, result)


def _function(taylor: Callable[[Array, int], Sequence[Any]]) -> Callable[[Any], Jet]:
    def apply(a: Jet) -> Jet:
        terms = taylor(a.value, a.algebra.order)
        return _compose(a, terms[0], terms[1:])

    return apply


_sqrt = _function(_jet_series.root)
_reciprocal = _function(_jet_series.inverse)
_exp = _function(lambda x, order: [np.exp(x) / math.factorial(k) for k in range(order + 1)])
_log = _function(_jet_series.logarithm)
_arctan = _function(lambda x, order: _jet_series.arctangent(x))


def _divide(a: Any, b: Any) -> Jet:
    if not isinstance(b, Jet):
        return _multiply(a, 1 / np.asarray(b, dtype=float))
    return _multiply(a, _reciprocal(b))


def _power(a: Any, p: Any) -> Jet:
    if isinstance(p, Jet):
        return _exp(_multiply(p, _log(a) if isinstance(a, Jet) else np.log(np.asarray(a, dtype=float))))
    exponent = np.asarray(p, dtype=float)
    if exponent.ndim == 0 and exponent == 2:
        return _multiply(a, a)
    if exponent.ndim:
        a = _add(a, np.zeros(exponent.shape))
    terms = _jet_series.binomial(a.value, exponent if exponent.ndim else float(exponent), a.algebra.order)
    return _compose(a, terms[0], terms[1:])


def _square(a: Jet) -> Jet:
    return _multiply(a, a)


def _arctan2(y: Any, x: Any) -> Jet:
    """The angle of the values, and by how much it is turned from there."""
    y0, x0 = value_of(y), value_of(x)
    turned = _divide(_subtract(_multiply_any(y, x0), _multiply_any(x, y0)), _add_any(_multiply_any(x, x0), _multiply_any(y, y0)))
    return _add(_arctan(turned), np.arctan2(y0, x0))


def _multiply_any(a: Any, b: Any) -> Any:
    return _multiply(a, b) if isinstance(a, Jet) or isinstance(b, Jet) else np.multiply(a, b)


def _add_any(a: Any, b: Any) -> Any:
    return _add(a, b) if isinstance(a, Jet) or isinstance(b, Jet) else np.add(a, b)


def _hypot(a: Any, b: Any) -> Jet:
    return _sqrt(_add_any(_multiply_any(a, a), _multiply_any(b, b)))


def _absolute(a: Jet) -> Jet:
    return _multiply(a, np.where(a.value < 0, -1.0, 1.0))


def _where(condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(a, Jet) and not isinstance(b, Jet):
        return np.where(value_of(condition), a, b)
    algebra = _algebra(a, b)
    condition = np.asarray(value_of(condition))
    parts = [coefficients_of(part, algebra) for part in (a, b)]
    ndim = max(condition.ndim, *(part.ndim - 1 for part in parts))
    return Jet(algebra, np.where(condition, *(_padded(part, ndim) for part in parts)))


def _maximum(a: Any, b: Any) -> Jet:
    return _where(np.greater_equal(value_of(a), value_of(b)), a, b)


def _minimum(a: Any, b: Any) -> Jet:
    return _where(np.less_equal(value_of(a), value_of(b)), a, b)


def _bilinear(operation: Callable[[Array, Array], Array], a: Any, b: Any) -> Jet:
    """operation(a, b) of single arrays, linear in each."""
    algebra = _algebra(a, b)
    if not isinstance(a, Jet):
        return Jet(algebra, np.stack([operation(np.asarray(a, dtype=float), part) for part in b.coefficients]))
    if not isinstance(b, Jet):
        return Jet(algebra, np.stack([operation(part, np.asarray(b, dtype=float)) for part in a.coefficients]))
    first, second = a.coefficients, b.coefficients
    result = np.stack([operation(first[0], part) for part in second])
    for i in range(1, algebra.size):
        result[i] += operation(first[i], second[0])
    for left, right, where in algebra.rounds:
        for i, j, k in zip(left, right, algebra.results[where]):
            result[k] += operation(first[i], second[j])
    return Jet(algebra, result)


def _matmul(a: Any, b: Any) -> Jet:
    return _bilinear(np.matmul, a, b)


def _dot(a: Any, b: Any) -> Jet:
    return _bilinear(np.dot, a, b)


def _outer(a: Any, b: Any) -> Jet:
    return _bilinear(np.outer, a, b)


def _cross(a: Any, b: Any, axis: int = -1) -> Jet:
    return _bilinear(lambda first, second: np.cross(first, second, axis=axis), a, b)


def _einsum(subscripts: str, *operands: Any, **keys: Any) -> Jet:
    if len(operands) == 1:
        return Jet(operands[0].algebra, np.stack([np.einsum(subscripts, part) for part in operands[0].coefficients]))
    if len(operands) != 2:
        raise TypeError(f"numpy.einsum: found {len(operands)} arrays, expected one or two where some carry derivatives")
    return _bilinear(lambda a, b: np.einsum(subscripts, a, b), *operands)


def _inner_axis(axis: int) -> int:
    return axis if axis < 0 else axis + 1


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(1, ndim + 1))
    return tuple(_inner_axis(a) for a in (axis if isinstance(axis, tuple) else (axis,)))


def _sum(a: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
    return Jet(a.algebra, a.coefficients.sum(_axes(axis, a.ndim), keepdims=keepdims))


def _mean(a: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
    return Jet(a.algebra, a.coefficients.mean(_axes(axis, a.ndim), keepdims=keepdims))


def _cumsum(a: Jet, axis: int | None = None) -> Jet:
    return Jet(a.algebra, a.coefficients.reshape(len(a.coefficients), -1).cumsum(1) if axis is None
               else a.coefficients.cumsum(_inner_axis(axis)))


def _diff(a: Jet, n: int = 1, axis: int = -1) -> Jet:
    return Jet(a.algebra, np.diff(a.coefficients, n, _inner_axis(axis)))


def _stack(arrays: Sequence[Any], axis: int = 0) -> Jet:
    algebra = _algebra(*arrays)
    return Jet(algebra, np.stack([coefficients_of(a, algebra) for a in arrays], _inner_axis(axis)))


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Jet:
    algebra = _algebra(*arrays)
    return Jet(algebra, np.concatenate([coefficients_of(a, algebra) for a in arrays], _inner_axis(axis)))


def _column_stack(arrays: Sequence[Any]) -> Jet:
    return _concatenate([a[:, None] if np.ndim(a) == 1 else a for a in arrays], 1)


def _hstack(arrays: Sequence[Any]) -> Jet:
    return _concatenate(arrays, 0 if np.ndim(arrays[0]) == 1 else 1)


def _vstack(arrays: Sequence[Any]) -> Jet:
    return _concatenate([a[None] if np.ndim(a) == 1 else a for a in arrays], 0)


def _transpose(a: Jet, axes: Any = None) -> Jet:
    order = tuple(range(a.ndim))[::-1] if axes is None else tuple(np.ravel(axes))
    return Jet(a.algebra, a.coefficients.transpose(0, *(int(i) % a.ndim + 1 for i in order)))


def _moveaxis(a: Jet, source: int, destination: int) -> Jet:
    return Jet(a.algebra, np.moveaxis(a.coefficients, _inner_axis(source), _inner_axis(destination)))


def _swapaxes(a: Jet, first: int, second: int) -> Jet:
    return Jet(a.algebra, np.swapaxes(a.coefficients, _inner_axis(first), _inner_axis(second)))


def _reshape(a: Jet, shape: Any) -> Jet:
    return Jet(a.algebra, a.coefficients.reshape(len(a.coefficients), *np.atleast_1d(shape)))


def _ravel(a: Jet) -> Jet:
    return _reshape(a, -1)


def _squeeze(a: Jet, axis: Any = None) -> Jet:
    axes = tuple(i + 1 for i, extent in enumerate(a.shape) if extent == 1) if axis is None else _axes(axis, a.ndim)
    return Jet(a.algebra, np.squeeze(a.coefficients, axes))


def _expand_dims(a: Jet, axis: int) -> Jet:
    return Jet(a.algebra, np.expand_dims(a.coefficients, _inner_axis(axis)))


def _broadcast_to(a: Jet, shape: Any) -> Jet:
    shape = tuple(np.atleast_1d(shape))
    return Jet(a.algebra, np.broadcast_to(_padded(a.coefficients, len(shape)), (a.algebra.size, *shape)))


def _atleast_1d(a: Jet) -> Jet:
    return a if a.ndim else _reshape(a, 1)


def _norm(a: Jet, axis: Any = None) -> Jet:
    return _sqrt(_sum(_multiply(a, a), axis))


def _clip(a: Any, low: Any = None, high: Any = None) -> Any:
    a = a if low is None else _maximum(a, low)
    return a if high is None else _minimum(a, high)


def _of_values(function: Any) -> Callable[..., Any]:
    return lambda *arguments: function(*(value_of(a) for a in arguments))


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: _add,
    np.subtract: _subtract,
    np.multiply: _multiply,
    np.divide: _divide,
    np.power: _power,
    np.float_power: _power,
    np.matmul: _matmul,
    np.negative: lambda a: -a,
    np.positive: lambda a: a,
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.square: _square,
    np.reciprocal: _reciprocal,
    np.sqrt: _sqrt,
    np.cbrt: lambda a: _multiply(np.where(a.value < 0, -1.0, 1.0), _power(_absolute(a), 1 / 3)),
    np.exp: _exp,
    np.expm1: _function(lambda x, order: [np.expm1(x)] + [np.exp(x) / math.factorial(k) for k in range(1, order + 1)]),
    np.log: _log,
    np.log1p: _function(lambda x, order: [np.log1p(x), *_jet_series.logarithm(1 + x, order)[1:]]),
    np.sin: _function(lambda x, order: _jet_series.sine(x, order, 0)),
    np.cos: _function(lambda x, order: _jet_series.sine(x, order, 1)),
    np.tan: _function(lambda x, order: _jet_series.tangent(x)),
    np.arcsin: _function(lambda x, order: _jet_series.arcsine(x)),
    np.arccos: _function(lambda x, order: [np.arccos(x), *(-part for part in _jet_series.arcsine(x)[1:])]),
    np.arctan: _arctan,
    np.arctan2: _arctan2,
    np.sinh: _function(lambda x, order: _jet_series.hyperbolic(x, order, 0)),
    np.cosh: _function(lambda x, order: _jet_series.hyperbolic(x, order, 1)),
    np.tanh: _function(lambda x, order: _jet_series.hyperbolic_tangent(x)),
    np.hypot: _hypot,
    np.maximum: _maximum,
    np.minimum: _minimum,
    np.deg2rad: lambda a: _multiply(a, np.pi / 180),
    np.rad2deg: lambda a: _multiply(a, 180 / np.pi),
    **{
        compare: _of_values(compare)
        for compare in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.isfinite, np.isnan,
                        np.sign)
    },
}

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _sum,
    np.mean: _mean,
    np.cumsum: _cumsum,
    np.diff: _diff,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.column_stack: _column_stack,
    np.hstack: _hstack,
    np.vstack: _vstack,
    np.where: _where,
    np.dot: _dot,
    np.outer: _outer,
    np.cross: _cross,
    np.einsum: _einsum,
    np.transpose: _transpose,
    np.moveaxis: _moveaxis,
    np.swapaxes: _swapaxes,
    np.reshape: _reshape,
    np.ravel: _ravel,
    np.squeeze: _squeeze,
    np.expand_dims: _expand_dims,
    np.broadcast_to: _broadcast_to,
    np.atleast_1d: _atleast_1d,
    np.linalg.norm: _norm,
    np.clip: _clip,
    np.sinc: lambda a: _function(_jet_series.cardinal_sine)(_multiply(a, np.pi)),
    **{same: _of_values(same) for same in (np.shape, np.ndim, np.size, np.zeros_like, np.ones_like)},
    np.full_like: lambda a, fill_value: np.full_like(a.value, fill_value)
    if not isinstance(fill_value, Jet)
    else _broadcast_to(fill_value, a.shape),
}
