#!/usr/bin/env python3
"""An overhand knot without friction and twist, by another way than the library's: the least energy of a curve, in numpy and
scipy. Prints the table in docs/contact.md, and how it approaches the law of thin ropes. Three minutes.

  python3 scripts/overhand_knot.py [--spacing 0.03] [--touch 1000] [RADIUS..]

The rope bends with EI = 1 and its ends are pulled apart by F = 1/2: a thin one has a loop of radius 1. The curve is a cubic
spline, fine in the braid and coarse elsewhere. The knot is its own image when it is turned by half a turn about y: only the
half from the top of the loop to an end is kept, and what it touches is its image. Newton's method with exact Hessians goes to
rest, from each rope to the next one. `--spacing` is that of knots of the spline: over 4 sqrt(2 r) in the braid, over the
distance to the braid elsewhere. `--touch` is the stiffness of contact, over EI / r^2 and a length.
Below a radius of 0.0008 energies are too near to each other for a force left of 1e-6 F.
"""

import argparse

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree
from scipy.special import erf

FORCE = 0.5
LENGTH = np.pi + 9  # of half a rope: half a loop and an end
STRETCH = 1e4  # stiffness EA
HOLD = 1e-2  # of a spring that keeps the top of the loop at y = 0; nothing else does, and it bears nothing
HALF_TURN = np.array([-1.0, 1.0, -1.0])  # about y
RADII = [0.12, 0.1, 0.08, 0.065, 0.05, 0.04, 0.03, 0.025, 0.02, 0.016, 0.0125, 0.01, 0.008, 0.0065, 0.005, 0.004]
RADII += [0.003, 0.0025, 0.002, 0.0016, 0.0013, 0.001, 0.0008]


class Rope:
    """A spline over half of the rope. Unknowns: x, then y, then z of its control points."""

    def __init__(self, radius, center, spacing):
        """center: place of the middle of the braid along the rope."""
        self.radius, self.center = radius, center
        width = 4 * np.sqrt(2 * radius)
        begin, end = np.arcsinh(-center / width), np.arcsinh((LENGTH - center) / width)
        parts = int(np.ceil((end - begin) / spacing))
        knots = center + width * np.sinh(begin + (np.arange(parts) + 0.5) * (end - begin) / (parts - 0.5))
        knots[-1] = LENGTH
        self.count = parts + 1
        self.splines = BSpline(np.concatenate([[-LENGTH] * 3, -knots[::-1], knots, [LENGTH] * 3]), np.eye(2 * self.count), 3)
        edges = np.concatenate([[0], knots])
        self.s = (edges[:-1, None] + np.diff(edges)[:, None] * (0.5 + np.array([-0.5, 0.5]) / np.sqrt(3))).ravel()  # Gauss
        self.weights = np.repeat(np.diff(edges) / 2, 2)
        self.basis = [self.rows(self.s, derivative) for derivative in range(3)]
        self.mass = (self.basis[0].T @ sparse.diags(np.tile(self.weights, 3)) @ self.basis[0]).tocsc()
        self.top, self.end = self.rows(np.zeros(1)).toarray()[1], self.rows(np.array([LENGTH])).toarray()[0]

    def rows(self, s, derivative=0):
        """By them unknowns make x at all s, then y, then z. The image makes x and z odd, and y even."""
        values = sparse.csr_matrix(self.splines(s, nu=derivative)) if len(s) else sparse.csr_matrix((0, 2 * self.count))
        image, own = values[:, self.count - 1 :: -1], values[:, self.count :]
        return sparse.block_diag([own - image, own + image, own - image]).tocsr()

    def points(self, x, s=None, derivative=0):
        return ((self.basis[derivative] if s is None else self.rows(s, derivative)) @ x).reshape(3, -1).T

    def fit(self, curve):
        """Unknowns of the curve nearest to curve(s)."""
        return splu(self.mass).solve(self.basis[0].T @ (np.tile(self.weights, 3) * curve(self.s).T.ravel()))

    def curvature(self, x):
        a, b = self.points(x, None, 1), self.points(x, None, 2)
        return np.linalg.norm(np.cross(a, b), axis=1) / np.linalg.norm(a, axis=1) ** 3


def slopes(ab):
    """Gradient of the energy of a length by c' = a and c'' = b: stretch, and EI / 2 |t'|^2 with t = a / |a|."""
    a, b = ab[:, :3], ab[:, 3:]
    square, product = (a * a).sum(1)[:, None], (a * b).sum(1)[:, None]
    by_a = STRETCH * (1 - 1 / np.sqrt(square)) * a - product / square**2 * b
    by_a += (2 * product**2 / square - (b * b).sum(1)[:, None]) / square**2 * a
    return np.concatenate([by_a, b / square - product / square**2 * a], axis=1)


def elastic(rope, x):
    """Energy of stretch, bending, the force and the spring at the top; gradient and Hessian."""
    ab = np.concatenate([rope.points(x, None, 1), rope.points(x, None, 2)], axis=1)
    a, b = ab[:, :3], ab[:, 3:]
    square, count = (a * a).sum(1), len(rope.s)
    bending = (b * b).sum(1) / square - (a * b).sum(1) ** 2 / square**2
    y, pull = rope.top @ x, rope.end @ x
    value = 0.5 * rope.weights @ (STRETCH * (np.sqrt(square) - 1) ** 2 + bending) - FORCE * pull + HOLD / 2 * y**2
    rows = sparse.vstack([rope.basis[1], rope.basis[2]]).tocsr()
    gradient = rows.T @ (np.tile(rope.weights, 6) * slopes(ab).T.ravel()) - FORCE * rope.end + HOLD * y * rope.top
    blocks = []
    for k in range(6):  # complex steps
        step = ab.astype(complex)
        step[:, k] += 1e-30j
        blocks.append([sparse.diags(rope.weights * column) for column in slopes(step).imag.T / 1e-30])
    top = sparse.csr_matrix(rope.top)
    return value, gradient, rows.T @ sparse.bmat(blocks) @ rows + HOLD * top.T @ top


def touching(rope, x):
    """Gauss points that are in the image, the places along it that are nearest to them, and the vectors from there."""
    points = rope.points(x)
    far = np.where(rope.s > 1.5)[0]  # the top of the loop touches nothing
    distance, nearest = cKDTree(points[far] * HALF_TURN).query(points[far], distance_upper_bound=3 * rope.radius)
    near = np.isfinite(distance)
    i, s = far[near], rope.s[far[nearest[near]]]
    for _ in range(12):
        apart, first, second = points[i] - rope.points(x, s) * HALF_TURN, *(rope.points(x, s, k) * HALF_TURN for k in (1, 2))
        curved = (first * first).sum(1) - (apart * second).sum(1)
        s = np.clip(s + np.clip((apart * first).sum(1) / np.where(curved > 0.1, curved, 1), -0.3, 0.3), 1, LENGTH)
    apart = points[i] - rope.points(x, s) * HALF_TURN
    inside = np.linalg.norm(apart, axis=1) < 2 * rope.radius
    return i[inside], s[inside], apart[inside]


def contact(rope, x, touch):
    """Energy, gradient and Hessian; Gauss points that touch and their depths. The nearest place follows the unknowns."""
    i, s, apart = touching(rope, x)
    count, m = len(rope.s), len(i)
    distance = np.linalg.norm(apart, axis=1)
    depth = 2 * rope.radius - distance
    stiffness = touch / rope.radius**2 * rope.weights[i]
    flip = sparse.diags(np.repeat(HALF_TURN, m))
    moves = rope.basis[0][np.concatenate([i, i + count, i + 2 * count])] - flip @ rope.rows(s)

    def along(v):
        return sparse.csr_matrix((v.T.ravel(), (np.tile(np.arange(m), 3), np.arange(3 * m))), shape=(m, 3 * m))

    first, second = (rope.points(x, s, k) * HALF_TURN for k in (1, 2))
    normal = along(apart / distance[:, None]) @ moves
    slide = along(first) @ moves + along(apart) @ (flip @ rope.rows(s, 1))
    curved = (first * first).sum(1) - (apart * second).sum(1)
    ratio = stiffness * depth / distance
    hessian = normal.T @ sparse.diags(stiffness + ratio) @ normal - moves.T @ sparse.diags(np.tile(ratio, 3)) @ moves
    hessian = hessian + slide.T @ sparse.diags(ratio / curved) @ slide
    return 0.5 * stiffness @ depth**2, -normal.T @ (stiffness * depth), hessian, i, depth


def energy(rope, x, touch):
    value, gradient, hessian = elastic(rope, x)
    pressed, push, stiffer, _, _ = contact(rope, x, touch)
    return value + pressed, gradient + push, (hessian + stiffer).tocsc()


def factors(matrix):
    """Of L D L^T, and whether all of D is positive."""
    lu = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lu, (lu.U.diagonal() > 0).all()


def rest(rope, x, touch):
    """Newton's method, with a shift where the Hessian is not positive. No step moves the rope by more than half its radius, so
    that it cannot go through itself. Unknowns; the largest force left over F; whether the energy has a least value there."""
    shift = 1e-2
    value, gradient, hessian = energy(rope, x, touch)
    for _ in range(400):
        if np.abs(gradient).max() < 2e-8 * FORCE:
            break
        while shift < 1e12:
            lu, positive = factors((hessian + shift * rope.mass).tocsc())
            if positive:
                step = -lu.solve(gradient)
                step *= min(1, rope.radius / 2 / np.linalg.norm(rope.points(step), axis=1).max())
                new, noise = energy(rope, x + step, touch), 1e-11 * abs(value)
                if new[0] < value - noise or new[0] < value + noise and new[1] @ step <= 0.5 * abs(gradient @ step):
                    break
            shift = max(4 * shift, 1e-8)
        else:
            break
        x = x + step
        value, gradient, hessian = new
        shift = shift / 8 if shift > 1e-7 else 0
    return x, np.abs(gradient).max() / FORCE, factors(hessian)[1]


def loose_knot(radius):
    """Half of one: a circle of radius 1, an end along x, and one and a half turns of the braid about its middle."""

    def curve(s):
        s = s - np.pi
        opening = s**2 / 2
        apart = np.sqrt(opening**2 + (2.2 * radius) ** 2)
        angle = 1.5 * np.pi * (1 + erf(s / (2.5 * np.sqrt(2 * radius))))
        x = np.where(s < 0, np.sin(s), s)
        y = np.where(s < 0, 1 - np.cos(s) - opening, 0) + (opening + apart * np.cos(angle)) / 2
        return np.stack([x, y, apart * np.sin(angle) / 2], axis=1)

    return curve


def middle_of_braid(rope, x):
    """Where the half crosses the plane x = 0, on the way to its end."""
    return rope.s[np.where(rope.points(x)[:, 0] < 0)[0][-1]]


def is_trefoil(rope, x):
    """Seen along z the half crosses its image at three places, with the same sign, in the same order along both strands."""
    s = np.concatenate([np.linspace(1e-9, rope.center - 1, 500)[:-1], np.linspace(rope.center - 1, rope.center + 1, 2000),
                        np.linspace(rope.center + 1, LENGTH, 500)[1:]])  # fmt: skip
    points = rope.points(x, s)
    image = points * HALF_TURN
    ways, image_ways = np.diff(points[:, :2], axis=0), np.diff(image[:, :2], axis=0)
    crossings = []
    for k, way in enumerate(ways):
        apart = image[:-1, :2] - points[k, :2]
        turn = way[0] * image_ways[:, 1] - way[1] * image_ways[:, 0]
        own = (apart[:, 0] * image_ways[:, 1] - apart[:, 1] * image_ways[:, 0]) / turn
        other = (apart[:, 0] * way[1] - apart[:, 1] * way[0]) / turn
        for j in np.where((own >= 0) & (own < 1) & (other >= 0) & (other < 1) & (s[:-1] > 0.5))[0]:
            crossings.append((k, j, np.sign(turn[j]) * np.sign(points[k, 2] - image[j, 2])))
    return len(crossings) == 3 and len({c[2] for c in crossings}) == 1 and crossings[0][1] > crossings[1][1] > crossings[2][1]


def measure(rope, x, touch):
    """R by the mean curvature of the middle half of the loop between the innermost places that touch: r / R, F R^2 / EI, the
    least and the largest curvature there over the mean. Then F R^2 / EI with R of the whole loop, and of its top. Depth / r."""
    *_, i, depth = contact(rope, x, touch)
    near = np.diff(i, prepend=i[0]) > 2
    innermost = ~np.logical_or.accumulate(near)
    force = (rope.weights[i] * depth)[innermost]
    first = rope.s[i][innermost] @ force / force.sum()
    curvature = rope.curvature(x)
    turned = np.concatenate([[0], np.cumsum(rope.weights * curvature)])
    along = np.concatenate([[0], np.cumsum(rope.weights)])
    mean, whole = (np.interp(to, along, turned) / to for to in (first / 2, first))
    half = curvature[rope.s < first / 2] / mean
    laws = [FORCE / k**2 for k in (mean, whole, curvature[0])]
    return rope.radius * mean, laws[0], half.min(), half.max(), laws[1], laws[2], depth.max() / rope.radius


def knots(radii, spacing, touch):
    """Measures of knots, each rope from the one before."""
    rope = Rope(radii[0], np.pi, spacing)
    x = rope.fit(loose_knot(radii[0]))
    x, _, _ = rest(rope, x, 10)
    for radius in radii:
        before, shape = rope, x
        rope = Rope(radius, middle_of_braid(before, shape), spacing)
        x = rope.fit(lambda s: before.points(shape, s))  # noqa: B023
        for stiffness in (min(100, touch), touch):
            x, left, least = rest(rope, x, stiffness)
        yield (*measure(rope, x, touch), left, least and is_trefoil(rope, x))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("radii", nargs="*", type=float)
    options.add_argument("--spacing", type=float, default=0.03)
    options.add_argument("--touch", type=float, default=1000)
    options = options.parse_args()
    print("| r / R | F R^2 / EI | curvature in the middle half | R of the whole loop | of its top | depth / r | force left / F "
          "| a trefoil at rest |\n|" + " --- |" * 8)  # fmt: skip
    found = []
    for row in knots(options.radii or RADII, options.spacing, options.touch):
        found.append(row)
        line = "| {:.5f} | {:.4f} | {:.3f} to {:.3f} of its mean | {:.4f} | {:.4f} | {:.4f} | {:.0e} | {} |"
        print(line.format(*row), flush=True)
    thin = [row[:6] for row in found if row[-1] and row[0] < 0.03]
    if len(thin) > 5:
        thickness, law, _, _, whole, top = np.array(thin).T
        small = np.sqrt(thickness)
        for name, values in (("middle half", law), ("whole loop", whole), ("top", top)):
            terms = np.linalg.lstsq(np.stack([small, small**2, small**3], axis=1), 2 * values - 1, rcond=None)[0]
            print("{}: 2 F R^2 / EI = 1 {:+.2f} sqrt(r / R) {:+.1f} r / R {:+.0f} (r / R)^1.5".format(name, *terms))
            if values[-1] < 0.525:
                print(f"    within 5 % for r / R below {np.interp(0.525, values[::-1], thickness[::-1]):.4f}")
