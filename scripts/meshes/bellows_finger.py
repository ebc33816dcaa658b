#!/usr/bin/env python3
"""Writes models/contact/bellows_finger.msh: a hollow finger on a thick strip, clamped at z = 0. Its back is folded, so
that air makes it longer and bends the finger to -y."""
import itertools
import math

import bricks

X = [-0.0072, -0.0061, 0.0061, 0.0072]  # walls at the sides [m]
STRIP, HEIGHT, FOLD, BACK = 0.0025, 0.011, 0.003, 0.0011  # thickness, where the back is, how far it folds, how thick
END, FOLDS, LENGTH = 0.004, 15, 0.0034  # closed ends, folds, half of a fold [m]
LAYERS = 2 * FOLDS + 2
z = [0.0] + [END + LENGTH * k for k in range(LAYERS - 1)]
z.append(z[-1] + END)


def place(i, j, k):
    fold = 0.0 if k in (0, LAYERS) else FOLD * (-1) ** k
    return X[i] + math.copysign(fold, X[i]), [0.0, STRIP, HEIGHT + fold, HEIGHT + fold + BACK][j], z[k]


def is_cavity(i, j, k):
    return i == 1 and j == 1 and 0 < k < LAYERS - 1


nodes, elements, cavity = {}, [], []
for corner in itertools.product(range(3), range(3), range(LAYERS)):
    if is_cavity(*corner):
        continue
    for path in bricks.tetrahedra(corner):
        for p in path:
            nodes.setdefault(p, len(nodes) + 1)
        elements.append([nodes[p] for p in path])
        for axis, side in itertools.product(range(3), (0, 1)):
            beside = list(corner)
            beside[axis] += 2 * side - 1
            face = [nodes[p] for p in path if p[axis] == corner[axis] + side]
            if len(face) == 3 and is_cavity(*beside):
                cavity.append(face)
bricks.write("contact/bellows_finger.msh", [place(*p) for p in nodes], elements, {"cavity": cavity})
