#!/usr/bin/env python3
"""An overhand knot without friction, by another way than the library's: the least energy of a chain of points in numpy and
scipy. Prints the lines of the table in docs/contact.md.

  python3 scripts/overhand_knot.py [RADIUS:FORCE..]        default 0.12:0.5 0.08:0.5 0.03:1.25

The rope bends with EI = 1, is not twisted, and its ends are pulled apart: by 1/2 a thin one has a loop of radius 1. Points
whose distance along the rope is more than pi radii keep two radii from each other. It begins with a loop of about 0.7; the
nearer the force is to that, the sooner it rests. A minute for each of the first two; the last one still moves after some
minutes, as its last column says.
"""

import sys

import numpy as np
from scipy.optimize import minimize

TAIL = 2.5
STRETCH, TOUCH = 1e3, 1e3  # stiffnesses; of touch over the square of the radius


def chain(radius, spacing):
    """A polynomial that has the knot, cut into equal parts."""
    s = np.linspace(-2.6, 2.6, 4000)
    curve = np.stack([s**3 - 3 * s, s**4 - 4 * s**2, (s**5 - 10 * s) / 5], axis=1)
    length = 2 * np.pi + 2 * TAIL
    parts = int(length / (spacing * radius))
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    at = np.linspace(0, along[-1], parts + 1)
    points = np.stack([np.interp(at, along, curve[:, k]) for k in range(3)], axis=1)
    return points * length / np.linalg.norm(np.diff(points, axis=0), axis=1).sum(), length / parts


def energy(x, part, radius, force, touch, i, j):
    """And its gradient. i, j: parts that may touch."""
    points = x.reshape(-1, 3)
    gradient = np.zeros_like(points)
    edges = np.diff(points, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    t = edges / lengths[:, None]
    longer = lengths / part - 1
    pull = STRETCH * longer[:, None] * t
    gradient[1:] += pull
    gradient[:-1] -= pull
    cosine = np.sum(t[:-1] * t[1:], axis=1)
    value = 0.5 * STRETCH * part * np.sum(longer**2) + np.sum(2 * (1 - cosine) / (1 + cosine)) / part
    slope = (-4 / (1 + cosine) ** 2 / part)[:, None]
    before = slope * (t[1:] - cosine[:, None] * t[:-1]) / lengths[:-1, None]
    behind = slope * (t[:-1] - cosine[:, None] * t[1:]) / lengths[1:, None]
    gradient[1:-1] += before - behind
    gradient[:-2] -= before
    gradient[2:] += behind
    value -= force * (points[-1, 0] - points[0, 0])
    gradient[-1, 0] -= force
    gradient[0, 0] += force
    middles = (points[1:] + points[:-1]) / 2
    apart = middles[i] - middles[j]
    distances = np.sqrt(np.einsum("ij,ij->i", apart, apart))
    near = distances < 2 * radius
    depth = 2 * radius - distances[near]
    stiffness = touch / radius**2 * part**2
    value += 0.5 * stiffness * np.sum(depth**2)
    push = stiffness * (depth / distances[near])[:, None] * apart[near]
    of_parts = np.zeros_like(middles)
    np.add.at(of_parts, i[near], -push)
    np.add.at(of_parts, j[near], push)
    gradient[1:] += of_parts / 2
    gradient[:-1] += of_parts / 2
    return value, gradient.ravel()


def knot(radius, force):
    """Of the middle half of the loop between the innermost places that touch: R by its mean curvature, and how far that
    varies; F R^2 / EI."""
    points, part = chain(radius, 0.6 if radius > 0.05 else 1.0)
    i, j = np.triu_indices(len(points) - 1, int(np.ceil(np.pi * radius / part)) + 1)
    x = points.ravel()
    for touch, iterations in ((0.1 * TOUCH, 4000), *[(TOUCH, 8000)] * 4):
        found = minimize(energy, x, args=(part, radius, force, touch, i, j), jac=True, method="L-BFGS-B",
                         options={"maxiter": iterations, "maxfun": 2 * iterations, "maxcor": 40, "ftol": 1e-16, "gtol": 1e-6})
        x = found.x
    points = x.reshape(-1, 3)
    t = np.diff(points, axis=0)
    t /= np.linalg.norm(t, axis=1)[:, None]
    cosine = np.sum(t[1:] * t[:-1], axis=1)
    curvature = 2 * np.sqrt((1 - cosine) / (1 + cosine)) / part
    middles = (points[1:] + points[:-1]) / 2
    touch = np.linalg.norm(middles[i] - middles[j], axis=1) < 2.02 * radius
    first, last = (i[touch].max() + 0.5) * part, (j[touch].min() + 0.5) * part
    at = part * np.arange(1, len(curvature) + 1)
    half = curvature[np.abs(at - (first + last) / 2) < (last - first) / 4]
    R = 1 / half.mean()
    return radius / R, force * R**2, half.min() * R, half.max() * R, np.abs(found.jac).max() / force


if __name__ == "__main__":
    print("| r / R | F R^2 / EI | curvature in the middle half | largest force left, of F |")
    print("| --- | --- | --- | --- |")
    for word in sys.argv[1:] or ["0.12:0.5", "0.08:0.5", "0.03:1.25"]:
        thickness, law, least, most, left = knot(*map(float, word.split(":")))
        print(f"| {thickness:.3f} | {law:.3f} | {least:.2f} to {most:.2f} of its mean | {left:.0e} |", flush=True)
