"""Numbers that people give, as arrays of float64. What would lose something on the way is an error that names the argument."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentTypeError

Array = NDArray[np.float64]
_FLOAT64 = np.dtype(np.float64)
_WORDS = {"U": "texts", "S": "bytes", "T": "texts", "c": "complex numbers", "M": "dates", "m": "spans of time", "V": "records"}


def counted(count: int, noun: str) -> str:
    """As `1 link`, `2 links`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _trouble(given: Any) -> str:
    """What in it is no number; empty: nothing that one sees without NumPy."""
    if isinstance(given, np.ma.MaskedArray):
        masked = np.ma.count_masked(given)
        return f"a masked array, of which {masked} of {given.size} numbers are missing" if masked else ""
    if isinstance(given, (str, bytes)):
        return f"the text {given!r}"
    if given is None:
        return "None"
    if isinstance(given, (complex, np.complexfloating)):
        return "a complex number"
    if isinstance(given, (list, tuple)):
        return next(filter(None, map(_trouble, given)), "")
    return "" if hasattr(given, "__float__") or hasattr(given, "__index__") or np.ndim(given) else f"a {type(given).__name__}"


def _read(given: Any) -> Array | str:
    """Its numbers, or what was found instead."""
    found = _trouble(given)
    if found:
        return found
    try:
        array = np.asarray(given)
        if array.dtype.kind in "biuf":
            return np.asarray(array, np.float64)
        if array.dtype.kind == "O":  # fractions, decimals, numbers of other libraries
            return next(filter(None, map(_trouble, array.flat)), None) or np.asarray(array, np.float64)
        return f"an array of {_WORDS.get(array.dtype.kind, array.dtype)}" if array.ndim else f"{given!r}"
    except (TypeError, ValueError) as error:  # lists of different lengths
        return f"a {type(given).__name__} ({error})"


def contiguous(given: Any) -> Array | str:
    """For the library: numbers that lie in a row, or what was found instead."""
    found = _read(given)
    # aligned too, which arrays that came as bytes of a message may not be
    return found if isinstance(found, str) else np.require(np.ascontiguousarray(found), requirements="A")


def array_of(given: Any, name: str) -> Array:
    """Its numbers; an array of float64 is not copied."""
    if type(given) is np.ndarray and given.dtype is _FLOAT64:
        return given
    found = _read(given)
    if isinstance(found, str):
        raise ArgumentTypeError(f"{name}: found {found}, expected numbers", name, found, "numbers")
    return found


def number_of(given: Any, name: str) -> float:
    """The number that it is, also as an array of one."""
    found = array_of(given, name)
    if found.size != 1:
        text = f"an array of shape {found.shape}"
        raise ArgumentTypeError(f"{name}: found {text}, expected a number", name, text, "a number")
    return float(found.reshape(()))
