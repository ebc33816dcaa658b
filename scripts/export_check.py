#!/usr/bin/env python3
"""Exported robots in the programs that they are written for: every robot below models/ as MJCF in MuJoCo and as URDF in Pinocchio.
At random states inverse dynamics, mass matrix and frames must be those that Cuttle has of the same file. (That the file is the
robot, the tests look at.) Prints the table of docs/importing.md.

  scripts/export_check.py [TOOL] [--states 100] [--only TEXT]      default build/cuttle

Needs Python's packages pin, mujoco, numpy, pyyaml and is no part of Cuttle; scripts/import_check.py says how to install them.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

import import_check

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def is_robot(file):
    with open(file, encoding="utf-8") as text:
        return "links" in (yaml.safe_load(text) or {})


def exported(tool, robot, target):
    """(number of links, of chains, of notes) or a message."""
    kind = "--urdf" if target.suffix == ".urdf" else "--mjcf"
    done = subprocess.run([tool, "export", str(robot), kind, "--allow-loss", "--json", "-o", str(target)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    said = json.loads(done.stdout)
    return len(said["chains"]), len(said["notes"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default="build/cuttle")
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--only", default="", help="robots whose path has this text")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    robots = sorted(file for file in MODELS.glob("*/*.yaml") if is_robot(file))
    failed = 0
    for title, suffix, compare in (("MJCF, in MuJoCo", ".xml", import_check.against_mujoco),
                                   ("URDF, in Pinocchio", ".urdf", import_check.against_pinocchio)):
        print(f"\n{title}:\n\n| robot | chains | lost or changed | nv | inverse dynamics | mass matrix | frames |\n"
              "| --- | --- | --- | --- | --- | --- | --- |")
        for robot in robots:
            shown = str(robot.relative_to(MODELS))
            if options.only not in shown:
                continue
            with tempfile.TemporaryDirectory() as folder:
                target = pathlib.Path(folder) / (robot.stem + suffix)
                said = exported(tool, robot, target)
                if isinstance(said, str):
                    print(f"| {shown} | not written: {said} | | | | | |", flush=True)
                    failed += 1
                    continue
                line, difference = import_check.row(tool, target, shown, compare, options.states, 1)
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if difference is None:
                    print(f"| {shown} | {said[0]} | {said[1]} | {cells[-1]} | | | |", flush=True)
                else:
                    print(f"| {shown} | {said[0]} | {said[1]} | {cells[1]} | {cells[3]} | {cells[4]} | {cells[5]} |", flush=True)
                failed += difference is None or difference > import_check.LIMIT
    print(f"\nnot within {import_check.LIMIT:g}: {failed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
