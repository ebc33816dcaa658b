"""Objects that are equal if their parts are: what `==` says of results, and of what one makes of numbers and functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np


def same(a: Any, b: Any) -> bool:
    """Whether two things are equal, with arrays inside too; NaN is like NaN."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same_arrays(np.asarray(a), np.asarray(b))
    if isinstance(a, np.random.Generator):
        return isinstance(b, np.random.Generator) and same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(a, SimpleNamespace):
        return isinstance(b, SimpleNamespace) and same(vars(a), vars(b))
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


def _same_arrays(a: Any, b: Any) -> bool:
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc")


class Compared:
    """Equal to others of its class with equal parts. Parts may change: all of a class have one hash."""

    def _compared(self) -> Any:
        """What counts."""
        return vars(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or same(self._compared(), other._compared())

    def __hash__(self) -> int:
        return hash(type(self))
