"""Shapes in Python that robots touch, or touch with (docs/contact.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._jet_algebra import Algebra, algebra_of
from ._jets import Jet, coefficients_of
from ._numbers import array_of, number_of
from .errors import ArgumentError
from .own import Array, _Named, _named

#: Rows and columns of xx, yy, zz, xy, xz, yz, and their number among second steps.
_ROWS, _COLUMNS = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
_SECOND = [4 + c * (c + 1) // 2 + r for r, c in zip(_ROWS, _COLUMNS)]
_TWICE = np.array([2, 2, 2, 1, 1, 1])
#: Where a function is called to see what it returns [m].
_PROBE = np.array([0.011, 0.017, 0.023])


class FunctionShape(_Named):
    """A shape by its signed distance: ``shape`` of an obstacle, or of ``contact`` of a link, in a robot's keys.

    distance(x): of the point x, (3,) [m] in the shape's axes, to the surface, negative inside; or with its gradient (3,) and
    Hessian (3, 3), all three as a tuple. Near the surface the gradient has length one; elsewhere the distance is no larger
    than the true one.

    half_thickness: how deep a point can lie [m]; infinite for what has no other side.   curvature: of a surface that has the
    same one everywhere [1/m], as 1 / radius of a sphere: it makes contacts of points stiffer or softer.
    parts: by which a link of this shape touches, or an obstacle touches shapes of links: pairs of points and a radius [m].
    Points: (3,) one; (2, 3) the ends of a segment; (4, 3) ends of a cubic, then its tangents there. Without parts the shape
    is there to be touched.   whole: that the parts are the whole surface, as of a sphere.
    derivatives: 'differences' for a function of all three that is not written with NumPy alone.

    >>> def torus(x):
    ...     return np.sqrt((np.sqrt(x[0] ** 2 + x[1] ** 2) - 0.1) ** 2 + x[2] ** 2) - 0.02
    >>> obstacle = {"name": "ring", "shape": cuttle.FunctionShape(torus, half_thickness=0.02), "pose": {"position": [0, 0, 0.1]}}
    """

    def __init__(
        self,
        distance: Callable[..., Any],
        *,
        half_thickness: float = math.inf,
        curvature: float = 0.0,
        parts: Sequence[tuple[ArrayLike, float]] = (),
        whole: bool = False,
        derivatives: str | None = None,
    ) -> None:
        self.distance = distance
        self.half_thickness = float(half_thickness)
        self.curvature = number_of(curvature, "curvature")
        self.parts = [(array_of(points, "parts"), number_of(radius, "parts")) for points, radius in parts]
        self.whole = bool(whole)
        self.derivatives = derivatives
        if not self.half_thickness > 0:
            raise ArgumentError(f"half_thickness: found {half_thickness}, expected a number > 0 [m]", "half_thickness")
        for points, radius in self.parts:
            if points.shape not in ((3,), (2, 3), (4, 3)) or not radius > 0:
                raise ArgumentError(
                    f"parts: found points of shape {points.shape} with radius {radius}, expected (3,), (2, 3) or (4, 3) and a "
                    "number > 0 [m]", "parts"
                )
        if derivatives not in (None, "differences"):
            raise ArgumentError(f"derivatives: found '{derivatives}', expected None or 'differences'", "derivatives")
        with np.errstate(all="ignore"):
            self.gives_all = isinstance(self.distance(_PROBE.copy()), tuple)
            if derivatives is not None and not self.gives_all:
                raise ArgumentError(
                    "derivatives: found 'differences' with a function that returns the distance alone, expected one that "
                    "returns (distance, gradient, Hessian)", "derivatives"
                )
            self._ten(self.distance(_PROBE.copy()), None)
        self._name = _named(self, self._function())

    def _function(self) -> Any:
        return self.distance

    def _keys(self) -> dict[str, Any]:
        return {"shape": "python", "object": self._name}

    def __call__(self, x: ArrayLike) -> tuple[float, Array, Array]:
        """Distance [m], gradient and Hessian [1/m] at a point (3,)."""
        found = self._at(array_of(x, "x").reshape(1, 1, 3)).reshape(10)
        hessian = np.empty((3, 3))
        hessian[_ROWS, _COLUMNS] = hessian[_COLUMNS, _ROWS] = found[4:]
        return float(found[0]), found[1:4], hessian

    def _ten(self, result: Any, algebra: Algebra | None) -> Array:
        """Coefficients of what the function returned, (monomials, 1 or 10): value, gradient, and xx .. yz of the Hessian."""
        parts = result if self.gives_all else (result,)
        rows = []
        for part, size in zip(parts, (1, 3, 9)):
            found = array_of(part, "distance")[None] if algebra is None else coefficients_of(_joined(part), algebra)
            if found[0].size != size:
                break
            rows.append(found.reshape(len(found), size))
        if len(rows) != (3 if self.gives_all else 1) or len(parts) != len(rows):
            shapes = ", ".join(str(np.shape(part)) for part in parts)
            raise ArgumentError(
                f"distance: found a result of shape {shapes}, expected a number, or a tuple of a number, (3,) and (3, 3)",
                "distance",
            )
        if self.gives_all:
            rows[2] = rows[2][:, [3 * r + c for r, c in zip(_ROWS, _COLUMNS)]]
        return np.concatenate(rows, 1)

    # What the library asks for: x has derivatives in some directions and theirs in some, (outer, inner, 3); so has the result,
    # (10, outer, inner).

    def _at(self, x: Array) -> Array:
        outer, inner = x.shape[:2]
        with np.errstate(all="ignore"):  # numbers that are not finite are the library's to report
            if self.derivatives is not None:
                return self._by_differences(x)
            further = (("steps", outer - 1), ("steps", inner - 1))
            if self.gives_all:
                if outer * inner == 1:
                    return self._ten(self.distance(x[0, 0]), None).reshape(10, 1, 1)
                algebra = algebra_of(*further)
                found = self._ten(self.distance(Jet(algebra, x.reshape(-1, 3))), algebra)
                return np.ascontiguousarray(found.T).reshape(10, outer, inner)
            algebra = algebra_of(("second_steps", 3), *further)
            at = np.zeros((10, outer * inner, 3))
            at[0] = x.reshape(-1, 3)
            at[1:4, 0] = np.eye(3)
            found = self._ten(self.distance(Jet(algebra, at.reshape(-1, 3))), algebra).reshape(10, outer, inner)
            return np.concatenate([found[:4], _TWICE[:, None, None] * found[_SECOND]])

    def _by_differences(self, x: Array) -> Array:
        """Value and gradient follow from gradient and Hessian; of the Hessian there are differences."""
        outer, inner = x.shape[:2]
        if inner > 1:
            raise ArgumentError("derivatives: found 'differences', expected functions of NumPy: second derivatives are asked for")
        here = self._ten(self.distance(x[0, 0]), None)[0]
        found = np.zeros((10, outer, 1))
        found[:, 0, 0] = here
        if outer > 1:
            along = x[1:, 0].T
            hessian = np.empty((3, 3))
            hessian[_ROWS, _COLUMNS] = hessian[_COLUMNS, _ROWS] = here[4:]
            step = 1e-5 * min(self.half_thickness, max(1e-2, abs(here[0])))
            bend = np.empty((6, 3))
            for axis in range(3):
                ahead, behind = (self._ten(self.distance(x[0, 0] + sign * step * np.eye(3)[axis]), None)[0] for sign in (1, -1))
                bend[:, axis] = (ahead - behind)[4:] / (2 * step)
            found[0, 1:, 0], found[1:4, 1:, 0], found[4:, 1:, 0] = here[1:4] @ along, hessian @ along, bend @ along
        return found

    def _table(self) -> Array:
        """A row a part: whether it is a curve, both ends, both tangents, radius."""
        rows = np.zeros((len(self.parts), 14))
        for row, (points, radius) in zip(rows, self.parts):
            row[13] = radius
            if points.ndim == 1:
                row[1:7] = np.tile(points, 2)
            else:
                row[0] = 1
                row[1:7] = points[:2].ravel()
                row[7:13] = points[2:].ravel() if len(points) == 4 else np.tile(points[1] - points[0], 2)
        return rows


def _joined(part: Any) -> Any:
    """Lists of jets, or of lists of them, as one."""
    if isinstance(part, (list, tuple)):
        return np.stack([_joined(item) for item in part]) if any(_has_jets(item) for item in part) else np.asarray(part, float)
    return part


def _has_jets(part: Any) -> bool:
    return isinstance(part, Jet) or (isinstance(part, (list, tuple)) and any(_has_jets(item) for item in part))
