#!/usr/bin/env python3
"""Writes models/contact/cushion.msh: a flat block that lies on z = 0."""
import itertools

import bricks

SIZE, HEIGHT = 0.06, 0.02  # [m]
ACROSS, UP = 4, 2  # bricks

nodes = {}
for k, j, i in itertools.product(range(UP + 1), range(ACROSS + 1), range(ACROSS + 1)):
    nodes[i, j, k] = (len(nodes) + 1, (SIZE * (i / ACROSS - 0.5), SIZE * (j / ACROSS - 0.5), HEIGHT * k / UP))
elements = []
for corner in itertools.product(range(ACROSS), range(ACROSS), range(UP)):
    elements += [[nodes[p][0] for p in path] for path in bricks.tetrahedra(corner)]
bricks.write("contact/cushion.msh", [x for _, x in nodes.values()], elements, {})
