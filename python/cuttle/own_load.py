"""Loads in Python that depend on how their place moves: contact laws of one's own, drags, tethers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._jet_algebra import steps
from ._jets import Jet, coefficients_of
from ._numbers import array_of
from .errors import ArgumentError
from .own import Array, _Named, _named

_ALGEBRA = steps(12)


def _turns() -> Array:
    """Derivatives of R exp(zeta) by zeta, (3, 3, 3), for R = 1."""
    turns = np.zeros((3, 3, 3))
    for axis in range(3):
        turns[axis, (axis + 2) % 3, (axis + 1) % 3], turns[axis, (axis + 1) % 3, (axis + 2) % 3] = 1, -1
    return turns


_TURNS = _turns()


class FunctionLoad(_Named):
    """A load on a place of a link by a function of its motion: among ``loads`` of a robot's keys.

    law(time, position, rotation, velocity, spin) returns the force (3,) [N], or (force, torque) with the torque (3,) [N m]
    about the place, all in world axes. `position` (3,) [m] and `rotation` (3, 3), whose columns are the axes of the place, say
    where it is, `velocity` (3,) [m/s] and `spin` (3,) [rad/s] how it moves.   link, at: as of a wrench in robot files.

    >>> def law(time, position, rotation, velocity, spin):  # a soft ground, on a ball of 2 cm
    ...     depth = 0.02 - position[2]
    ...     press = np.where(depth > 0, 1e4 * np.where(depth > 0, depth, 1) ** 1.5 * (1 - 2 * velocity[2]), 0)
    ...     return np.stack([-20 * press * velocity[0], -20 * press * velocity[1], press])
    >>> load = cuttle.FunctionLoad(law, link="ball", at="base")
    """

    def __init__(self, law: Callable[..., Any], *, link: str, at: str | Mapping[str, Any] | None = None) -> None:
        self.law = law
        self.link = link
        self.at = at
        self._name = _named(self, self._function())

    def _function(self) -> Any:
        return self.law

    def _keys(self) -> dict[str, Any]:
        keys: dict[str, Any] = {"type": "python", "object": self._name, "link": self.link}
        if self.at is not None:
            keys["at"] = self.at
        return keys

    # What the library asks for: the place's axes, its position, its twist in its axes, angular part first; and the same of
    # wrenches.

    def _call(self, time: float, rotation: Any, position: Any, twist: Any, size: int) -> Array:
        """Coefficients of torque and force in axes of the place, (size, 6)."""
        found = self.law(time, position, rotation, rotation @ twist[3:], rotation @ twist[:3])
        parts = found if isinstance(found, tuple) and len(found) == 2 else (found, np.zeros(3))
        rows = []
        for part in (parts[1], parts[0]):
            if isinstance(part, (list, tuple)):
                part = np.stack(part) if any(isinstance(item, Jet) for item in part) else array_of(part, "law")
            if np.shape(part) != (3,):
                raise ArgumentError(f"law: found a result of shape {np.shape(part)}, expected (3,), or two of these", "law")
            turned = rotation.T @ part
            rows.append(coefficients_of(turned, _ALGEBRA) if size > 1 else array_of(turned, "law")[None])
        return np.concatenate(rows, 1)

    def _wrench(self, time: float, rotation: Array, position: Array, twist: Array) -> Array:
        with np.errstate(all="ignore"):  # numbers that are not finite are the library's to report
            return np.ascontiguousarray(self._call(time, rotation.reshape(3, 3), position, twist, 1)[0])

    def _slopes(self, time: float, rotation: Array, position: Array, twist: Array) -> Array:
        """By the pose, as it moves to pose exp(zeta), and by the twist: (12, 6)."""
        axes = rotation.reshape(3, 3)
        turned, moved, changed = np.zeros((13, 3, 3)), np.zeros((13, 3)), np.zeros((13, 6))
        turned[0], turned[1:4] = axes, axes @ _TURNS
        moved[0], moved[4:7] = position, axes.T
        changed[0], changed[7:] = twist, np.eye(6)
        with np.errstate(all="ignore"):
            found = self._call(time, Jet(_ALGEBRA, turned), Jet(_ALGEBRA, moved), Jet(_ALGEBRA, changed), 13)
        return np.ascontiguousarray(found[1:])
