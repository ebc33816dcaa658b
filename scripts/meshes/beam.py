#!/usr/bin/env python3
"""Writes models/examples/beam.msh: a beam, clamped at z = 0 and loaded at its far end. Bricks of six tetrahedra each, with
ten nodes (ten_nodes.py), so that it is the same on every machine."""
import itertools
import pathlib

import ten_nodes

LENGTH, WIDTH = 0.2, 0.02  # [m]
ALONG, ACROSS = 20, 2  # bricks

nodes = {}
for k, j, i in itertools.product(range(ALONG + 1), range(ACROSS + 1), range(ACROSS + 1)):
    nodes[i, j, k] = (len(nodes) + 1, (WIDTH * (i / ACROSS - 0.5), WIDTH * (j / ACROSS - 0.5), LENGTH * k / ALONG))
elements, ends = [], {1: [], 2: []}
for corner in itertools.product(range(ACROSS), range(ACROSS), range(ALONG)):
    for axes in itertools.permutations(range(3)):  # from corner to corner of the brick along its edges
        at, path = list(corner), [tuple(corner)]
        for axis in axes:
            at[axis] += 1
            path.append(tuple(at))
        odd = (axes[0] > axes[1]) ^ (axes[1] > axes[2]) ^ (axes[0] > axes[2])
        if odd:
            path[2], path[3] = path[3], path[2]
        elements.append([nodes[p][0] for p in path])
        for group, level in ((1, 0), (2, ALONG)):
            face = [nodes[p][0] for p in path if p[2] == level]
            if len(face) == 3:
                ends[group].append(face)
lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '2 1 "base"', '2 2 "tip"', "$EndPhysicalNames",
         "$Nodes", str(len(nodes)), *(f"{n} " + " ".join(f"{c:.12g}" for c in x) for n, x in nodes.values()), "$EndNodes",
         "$Elements", str(len(elements) + len(ends[1]) + len(ends[2]))]
number = 0
for kind, group, some in ((4, 0, elements), (2, 1, ends[1]), (2, 2, ends[2])):
    for corners in some:
        number += 1
        lines.append(f"{number} {kind} 2 {group} {group} " + " ".join(map(str, corners)))
lines.append("$EndElements")
path = pathlib.Path(__file__).resolve().parents[2] / "models/examples/beam.msh"
path.write_text("\n".join(ten_nodes.convert(lines)) + "\n", encoding="utf-8")
