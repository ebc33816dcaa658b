"""Taylor coefficients f(x), f'(x), f''(x) / 2, .. of functions, for jets (_jets.py)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sine(x: Array, order: int, shift: int) -> list[Array]:
    s, c = np.sin(x), np.cos(x)
    cycle = [s, c, -s, -c]
    return [cycle[(k + shift) % 4] / math.factorial(k) for k in range(order + 1)]


def binomial(x: Any, p: Any, order: int) -> list[Any]:
    """Of x^p, where it is smooth also at 0."""
    terms: list[Any] = []
    factor: Any = 1.0
    for k in range(order + 1):
        terms.append(factor * np.power(x, p - k) if np.any(factor) else np.zeros_like(x))
        factor = factor * (p - k) / (k + 1)
    return terms


def inverse(x: Array, order: int) -> list[Array]:
    terms = [1 / x]
    for _ in range(order):
        terms.append(-terms[-1] * terms[0])
    return terms


def root(x: Array, order: int) -> list[Array]:
    terms = [np.sqrt(x)]
    for k in range(order):
        terms.append(terms[-1] * ((0.5 - k) / (k + 1)) / x)
    return terms


def arctangent(x: Array) -> list[Array]:
    r = 1 / (1 + x * x)
    return [np.arctan(x), r, -x * r**2, (3 * x * x - 1) * r**3 / 3, x * (1 - x * x) * r**4]


def arcsine(x: Array) -> list[Array]:
    w = 1 / np.sqrt(1 - x * x)
    return [np.arcsin(x), w, x * w**3 / 2, (1 + 2 * x * x) * w**5 / 6, x * (3 + 2 * x * x) * w**7 / 8]


def tangent(x: Array) -> list[Array]:
    y = np.tan(x)
    c = 1 + y * y
    return [y, c, c * y, c * (1 + 3 * y * y) / 3, c * y * (2 + 3 * y * y) / 3]


def hyperbolic_tangent(x: Array) -> list[Array]:
    y = np.tanh(x)
    c = 1 - y * y
    return [y, c, -c * y, c * (3 * y * y - 1) / 3, c * y * (2 - 3 * y * y) / 3]


def logarithm(x: Array, order: int) -> list[Array]:
    return [np.log(x)] + [(-1) ** (k - 1) / (k * x**k) for k in range(1, order + 1)]


def hyperbolic(x: Array, order: int, shift: int) -> list[Array]:
    cycle = [np.sinh(x), np.cosh(x)]
    return [cycle[(k + shift) % 2] / math.factorial(k) for k in range(order + 1)]


def cardinal_sine(x: Array, order: int) -> list[Array]:
    """sin(x) / x: by its series up to 1, then by x s = sin x, coefficient by coefficient."""
    near = np.abs(x) < 1
    series_x = np.where(near, x, 0.0)
    far_x = np.where(near, 1.0, x)
    series = [
        sum(
            ((-1) ** m * math.comb(2 * m, k) / math.factorial(2 * m + 1)) * series_x ** (2 * m - k)
            for m in range((k + 1) // 2, 13)
        )
        for k in range(order + 1)
    ]
    sines = sine(far_x, order, 0)
    far = [sines[0] / far_x]
    for k in range(1, order + 1):
        far.append((sines[k] - far[-1]) / far_x)
    return [np.where(near, a, b) for a, b in zip(series, far)]
