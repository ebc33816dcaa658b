"""Truncated algebras of polynomials: how the coefficients of jets (_jets.py) multiply."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Algebra:
    """Monomials, of which number 0 is 1, and how they multiply.

    order: the largest degree.   results: the monomials that are products of two others than 1.   rounds: such products, at
    most one of each result a round: (left, right, places among the results; all of them in the first one).
    """

    def __init__(self, pairs: Array, order: int) -> None:
        """pairs: rows i, j, k of all products monomial i times monomial j = monomial k, also those with 1."""
        self.pairs = pairs
        self.order = order
        self.size = int(pairs[:, 2].max()) + 1
        proper = pairs[(pairs[:, 0] > 0) & (pairs[:, 1] > 0)]
        proper = proper[np.argsort(proper[:, 2], kind="stable")]
        self.results, starts, places = np.unique(proper[:, 2], return_index=True, return_inverse=True)
        turn = np.arange(len(proper)) - starts[places] if len(proper) else np.zeros(0, dtype=int)
        self.rounds = []
        for number in range(turn.max() + 1 if len(proper) else 0):
            now = turn == number
            where = slice(None) if now.sum() == len(self.results) else places[now]
            self.rounds.append((proper[now, 0], proper[now, 1], where))

    def proper_product(self, a: Array, b: Array) -> Array:
        """The coefficients `results` of a product, without what comes of the values."""
        (left, right, _), *others = self.rounds
        total = a[left] * b[right]
        for left, right, where in others:
            total[where] += a[left] * b[right]
        return total

    def times(self, other: Algebra) -> Algebra:
        """With monomials of both: number i of this times number j of the other one is i * other.size + j."""
        a, b = self.pairs[:, None, :], other.pairs[None, :, :]
        return Algebra((a * other.size + b).reshape(-1, 3), self.order + other.order)

    def beside(self, other: Algebra) -> Algebra:
        """With monomials of both, whose products with each other are zero; those of the other one come behind."""
        shift = self.size - 1
        moved = np.where(other.pairs > 0, other.pairs + shift, 0)
        return Algebra(np.unique(np.concatenate([self.pairs, moved]), axis=0), max(self.order, other.order))


@lru_cache(maxsize=None)
def steps(count: int) -> Algebra:
    """1 and e_j; e_i e_j = 0."""
    pairs = [(0, 0, 0)]
    for j in range(1, count + 1):
        pairs += [(0, j, j), (j, 0, j)]
    return Algebra(np.array(pairs), 1 if count else 0)


@lru_cache(maxsize=None)
def path(order: int) -> Algebra:
    """1, t, .. t^order."""
    pairs = [(i, j, i + j) for i in range(order + 1) for j in range(order + 1 - i)]
    return Algebra(np.array(pairs), order)


@lru_cache(maxsize=None)
def second_steps(count: int) -> Algebra:
    """1, e_j, and e_i e_j, i <= j, number 1 + count + j (j + 1) / 2 + i."""
    pairs = [(0, 0, 0)]
    last = count + count * (count + 1) // 2
    for k in range(1, last + 1):
        pairs += [(0, k, k), (k, 0, k)]
    for i in range(count):
        for j in range(count):
            low, high = min(i, j), max(i, j)
            pairs.append((1 + i, 1 + j, 1 + count + high * (high + 1) // 2 + low))
    return Algebra(np.array(pairs), 2)


@lru_cache(maxsize=None)
def algebra_of(*parts: tuple[str, int]) -> Algebra:
    """The product of algebras, by the names of the functions above and their arguments."""
    made = [globals()[name](count) for name, count in parts]
    whole = made[0]
    for part in made[1:]:
        whole = whole.times(part)
    return whole


@lru_cache(maxsize=None)
def steps_beside_path(count: int) -> Algebra:
    """1, e_j, t, t^2."""
    return steps(count).beside(path(2))
