#!/usr/bin/env python3
"""Writes models/examples/beam.msh: a beam, clamped at z = 0 and loaded at its far end."""
import itertools

import bricks

LENGTH, WIDTH = 0.2, 0.02  # [m]
ALONG, ACROSS = 20, 2  # bricks

nodes = {}
for k, j, i in itertools.product(range(ALONG + 1), range(ACROSS + 1), range(ACROSS + 1)):
    nodes[i, j, k] = (len(nodes) + 1, (WIDTH * (i / ACROSS - 0.5), WIDTH * (j / ACROSS - 0.5), LENGTH * k / ALONG))
elements, ends = [], {"base": [], "tip": []}
for corner in itertools.product(range(ACROSS), range(ACROSS), range(ALONG)):
    for path in bricks.tetrahedra(corner):
        elements.append([nodes[p][0] for p in path])
        for group, level in (("base", 0), ("tip", ALONG)):
            face = [nodes[p][0] for p in path if p[2] == level]
            if len(face) == 3:
                ends[group].append(face)
bricks.write("examples/beam.msh", [x for _, x in nodes.values()], elements, ends)
