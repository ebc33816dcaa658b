#!/usr/bin/env python3
"""Writes models/boyer2023/swimmer_head.obj, how the swimmer's head looks: its outline of elliptical sections.

The half widths and heights are those of the fluid load on the head in swimmer.yaml, at equal spacing from the nose.
"""
import math
import pathlib
import re

CORNERS = 32  # of a section
LENGTH = 0.2  # of the head [m]

folder = pathlib.Path(__file__).resolve().parents[2] / "models/boyer2023"
robot = (folder / "swimmer.yaml").read_text()


def profile(key):
    """The first list under a key: the head's load comes first."""
    return [float(x) for x in re.search(key + r": \[([^\]]*)\]", robot).group(1).split(",")]


widths, heights = profile("radius_x"), profile("radius_y")
lines = ["# The head of swimmer.yaml, written by scripts/meshes/swimmer_head.py", "v 0 0 0"]
for k in range(1, len(widths)):
    z = LENGTH * k / (len(widths) - 1)
    for i in range(CORNERS):
        angle = 2 * math.pi * i / CORNERS
        lines.append(f"v {widths[k] * math.cos(angle):.6g} {heights[k] * math.sin(angle):.6g} {z:.6g}")
lines.append(f"v 0 0 {LENGTH:g}")


def corner(section, i):
    return 2 + (section - 1) * CORNERS + i % CORNERS


last = len(widths) - 1
end = 2 + last * CORNERS
for i in range(CORNERS):
    lines.append(f"f 1 {corner(1, i + 1)} {corner(1, i)}")
    for k in range(1, last):
        lines.append(f"f {corner(k, i)} {corner(k, i + 1)} {corner(k + 1, i + 1)} {corner(k + 1, i)}")
    lines.append(f"f {end} {corner(last, i)} {corner(last, i + 1)}")
(folder / "swimmer_head.obj").write_text("\n".join(lines) + "\n")
