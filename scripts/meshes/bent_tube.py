#!/usr/bin/env python3
"""Writes models/contact/bent_tube.obj: what a tube holds that is straight, turns by a right angle from z to x and is
straight again, closed at its ends."""
import math
import pathlib

RADIUS, BEND, IN, OUT = 0.003, 0.05, 0.27, 0.09  # of the bore, of the bend's axis, straight parts [m]
AROUND, TURNS = 20, 24  # facets around and along the bend

axis = [(0.0, -0.005, 0.0), (0.0, IN, 0.0)]  # x, z and angle
for k in range(1, TURNS + 1):
    angle = 0.5 * math.pi * k / TURNS
    axis.append((BEND * (1 - math.cos(angle)), IN + BEND * math.sin(angle), angle))
axis.append((BEND + OUT, IN + BEND, 0.5 * math.pi))
points, faces = [], []
for x, z, angle in axis:
    for k in range(AROUND):
        c, s = (RADIUS * f(2 * math.pi * k / AROUND) for f in (math.cos, math.sin))
        points.append((x + c * math.cos(angle), s, z - c * math.sin(angle)))
for i in range(len(axis) - 1):
    for k in range(AROUND):
        a, b = AROUND * i + k, AROUND * i + (k + 1) % AROUND
        faces += [(a, b, b + AROUND), (a, b + AROUND, a + AROUND)]
points += [(x, 0.0, z) for x, z, _ in (axis[0], axis[-1])]
last = AROUND * (len(axis) - 1)
for k in range(AROUND):
    other = (k + 1) % AROUND
    faces += [(len(points) - 2, other, k), (len(points) - 1, last + k, last + other)]
path = pathlib.Path(__file__).resolve().parents[2] / "models/contact/bent_tube.obj"
lines = ["v " + " ".join(f"{c:.6g}" if abs(c) > 1e-12 else "0" for c in p) for p in points]
lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces]
path.write_text("\n".join(lines) + "\n", encoding="utf-8")
