#!/usr/bin/env python3
"""Which servo winds which tendon of the robot of docs/identification.md, from the recording in which one tendon after
the other is pulled and the others are slack. The tip goes towards the tendon that is pulled. Where the tendon ends is
seen from how much the tip sinks as it goes aside: segments up to there share the bending, the others stay straight.
Tendons are three times three neighbours, as a segment's three are 120 degrees apart: of three neighbours one ends at
each segment. Python's standard library alone.

  scripts/identify_servos.py DATA/tendon_pull.csv [--robot out/tendon_robot_v4.yaml]      prints a table in Markdown.

--robot: also the angles at which the tendons run in this robot file.
"""
import argparse
import csv
import itertools
import math
import re

SEGMENTS, MARKER = (60, 62.5, 64), 2.0  # lengths, and how far the marker is beyond the last disc [mm]
ASIDE = 30  # [mm] from the axis at least, where the shape is looked at


def pulls(path):
    """The rows of each pull, in the order of the recording."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    groups = (list(group) for _, group in itertools.groupby(rows, key=lambda row: row["pattern_label"]))
    return [group for group in groups if not group[0]["pattern_label"].endswith("_hold")]


def tip(row):
    return [float(row[f"tip_{axis}"]) for axis in "xy"]


def bent(segment, angle):
    """How far the tip is aside and along the axis [mm], if segments to this one (from 1) bend by an angle evenly."""
    curved, straight = sum(SEGMENTS[:segment]), sum(SEGMENTS[segment:]) + MARKER
    return (curved / angle * (1 - math.cos(angle)) + straight * math.sin(angle),
            curved / angle * math.sin(angle) + straight * math.cos(angle))


def misfit(rows, segment):
    """RMS distance of the tip from where it can be, if the tendon ends at this segment [mm]."""
    places = [(math.hypot(*tip(row)), float(row["tip_z"])) for row in rows]
    curve = [bent(segment, k / 250) for k in range(1, 500)]
    found = [min(math.dist(point, place)**2 for point in curve) for place in places if place[0] > ASIDE]
    return math.sqrt(sum(found) / len(found))


def of_pull(rows):
    """The servo that winds in, the direction of the tip [deg], and the misfit of each segment [mm]."""
    servos = [name for name in rows[0] if name.startswith("servo_")]
    most = max(servos, key=lambda name: max(float(row[name]) for row in rows))  # slack ones are let out
    (x0, y0), (x1, y1) = tip(rows[0]), tip(max(rows, key=lambda row: float(row[most])))
    return (int(re.fullmatch(r"servo_(\d+)_mm", most)[1]), math.degrees(math.atan2(y1 - y0, x1 - x0)),
            [misfit(rows, segment) for segment in (1, 2, 3)])


def ends(found):
    """The segment at which each tendon ends: of three neighbours one each, with the least sum of squared misfits."""
    order = sorted(range(len(found)), key=lambda i: found[i][1])
    gaps = [(found[order[k]][1] - found[order[k - 1]][1]) % 360 for k in range(len(order))]
    first = gaps.index(max(gaps))
    order = order[first:] + order[:first]
    result = {}
    for k in range(0, len(order), 3):
        three = order[k:k + 3]
        best = min(itertools.permutations((1, 2, 3)),
                   key=lambda segments: sum(found[i][2][s - 1]**2 for i, s in zip(three, segments)))
        result.update(zip(three, best))
    return [result[i] for i in range(len(found))]


def angles(path):
    """Of the tendons of a robot file, in its order [deg]."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = []
    for line in text.splitlines():
        if "type: tendon" in line:
            angle = math.degrees(float(re.search(r"phase: ([-+.\de]+)", line)[1]))
            found.append((angle + 180) % 360 - 180)
    return found


def line(title, cells):
    print("| " + " | ".join([title, *map(str, cells)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", metavar="tendon_pull.csv")
    parser.add_argument("--robot", metavar="FILE.yaml", help="with the angles that were identified")
    options = parser.parse_args()
    found = [of_pull(rows) for rows in pulls(options.data)]
    line("tendon", [f"t{i}" for i in range(len(found))])
    line("---", ["---"] * len(found))
    line("servo", [servo for servo, _, _ in found])
    line("the tip goes towards [deg]", [f"{angle:.0f}" for _, angle, _ in found])
    for segment in (1, 2, 3):
        title = f"if it ends at segment {segment}, the tip is off by [mm]"
        line(title, [f"{misfits[segment - 1]:.1f}" for _, _, misfits in found])
    line("so it ends at segment", ends(found))
    if options.robot:
        line("identified angle [deg]", [f"{angle:.0f}" for angle in angles(options.robot)])


if __name__ == "__main__":
    main()
