"""Slopes by the numbers of quaternions, of slopes along the directions in which they may change.

A configuration q changes along ``cuttle.integrate(model, q, dq)``, in nv directions. Where it holds quaternions p = (w, x, y, z)
it has more numbers than that. To first order, with the turn dr and the shift ds of a joint in its child's axes, these are

    dp = 1/2 L(p) dr,    of a free joint dposition = R(p) ds,    L(p) a = p (0, a).

Back from numbers p of any norm to directions, brought to unit norm first, it is dr = 2 L(p)^T dp / |p|^2: L^T L = |p|^2 1, and
L^T p = 0 leaves out what changes the norm alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[np.float64]


def _product(p: Array) -> Array:
    """L(p), (4, 3): the product p (0, a) is L(p) a."""
    w, x, y, z = p
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def _product_by(a: Array) -> Array:
    """(4, 4): the product p (0, a) is this times p."""
    x, y, z = a
    return np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]])


def _cross(a: Array) -> Array:
    """(3, 3): a x b is this times b."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _rotation(p: Array) -> Array:
    """R(p), (3, 3): of the child's axes, for p of any norm."""
    w, n = p[0], _cross(p[1:])
    R: Array = np.eye(3) + 2 * (w * n + n @ n) / (p @ p)
    return R


def _turn_by(p: Array) -> Array:
    """(3, 4): the turn dr of a change dp, for p of any norm."""
    return 2 * _product(p).T / (p @ p)


class Quaternions:
    """Those of a robot. Where x is said it is q, with or without v and states behind, which are left as they are."""

    def __init__(self, model: _core.Model) -> None:
        self._model = model
        self._turns: list[tuple[slice, slice]] = []  # a quaternion in q, its angular velocity in v
        self._shifts: list[tuple[slice, slice, slice]] = []  # a position in q, its velocity in v, the quaternion in q
        if model.floating_base:
            self._add("free", 0, 0)
        for link in model.links:
            if link.nq != link.nv:
                self._add(link.joint_type, link.q, link.v)
        plain_q, plain_v = np.ones(model.nq, bool), np.ones(model.nv, bool)
        for p, turn in self._turns:
            plain_q[p] = plain_v[turn] = False
        for position, shift, _ in self._shifts:
            plain_q[position] = plain_v[shift] = False
        self._plain_q, self._plain_v = np.flatnonzero(plain_q), np.flatnonzero(plain_v)

    def _add(self, joint: str, q: int, v: int) -> None:
        before = {"spherical": 0, "free": 3}[joint]  # numbers of a position
        p = slice(q + before, q + before + 4)
        self._turns.append((p, slice(v, v + 3)))
        if before:
            self._shifts.append((slice(q, q + 3), slice(v + 3, v + 6), p))

    def unit(self, x: Array) -> Array:
        """x with quaternions of unit norm. Raises ArgumentError for one of zeros."""
        nq = self._model.nq
        return np.concatenate([_core.normalize(self._model, x[:nq]), x[nq:]])

    def by_numbers(self, slopes: Array, x: Array) -> Array:
        """Slopes of a function of unit(x) by the numbers of x, (n, nq + others), of those along directions, (n, nv + others)."""
        nq, nv = self._model.nq, self._model.nv
        found = np.empty((slopes.shape[0], slopes.shape[1] + nq - nv))
        found[:, self._plain_q] = slopes[:, self._plain_v]
        found[:, nq:] = slopes[:, nv:]
        for p, turn in self._turns:
            found[:, p] = slopes[:, turn] @ _turn_by(x[p])
        for position, shift, p in self._shifts:
            found[:, position] = slopes[:, shift] @ _rotation(x[p]).T
        return found

    def of_numbers(self, slopes: Array, x: Array) -> Array:
        """Slopes of the numbers of a result x of unit norm, (nq + others, n), of those of its directions, (nv + others, n)."""
        nq, nv = self._model.nq, self._model.nv
        found = np.empty((slopes.shape[0] + nq - nv, slopes.shape[1]))
        found[self._plain_q] = slopes[self._plain_v]
        found[nq:] = slopes[nv:]
        for p, turn in self._turns:
            found[p] = 0.5 * _product(x[p]) @ slopes[turn]
        for position, shift, p in self._shifts:
            found[position] = _rotation(x[p]) @ slopes[shift]
        return found

    def rate(self, rates: Array, x: Array) -> Array:
        """dx/dt at x, of those at unit(x): the rate of a quaternion is as long as it is, so that it turns as fast."""
        found = rates.copy()
        for p, _ in self._turns:
            found[p] *= np.linalg.norm(x[p])
        return found

    def rate_slopes(self, by_x: Array, by_u: Array, x: Array) -> tuple[Array, Array]:
        """Slopes of `rate` by the numbers of x and by the inputs, of how small changes along directions at unit(x) move on."""
        nq, nv = self._model.nq, self._model.nv
        v = x[nq:]
        found = np.zeros((len(x), len(x)))
        found[nq:] = self.by_numbers(by_x[nv:], x)
        found[self._plain_q, nq + self._plain_v] = 1.0
        for p, turn in self._turns:  # dp/dt = 1/2 p (0, angular velocity)
            found[p, p] = 0.5 * _product_by(v[turn])
            found[p, _behind(nq, turn)] = 0.5 * _product(x[p])
        for position, shift, p in self._shifts:  # dposition/dt = R(p) velocity
            R = _rotation(x[p])
            found[position, p] = -R @ _cross(v[shift]) @ _turn_by(x[p])
            found[position, _behind(nq, shift)] = R
        return found, np.concatenate([np.zeros((nq, by_u.shape[1])), by_u[nv:]])


def _behind(first: int, part: slice) -> slice:
    return slice(first + part.start, first + part.stop)
