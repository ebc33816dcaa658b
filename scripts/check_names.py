#!/usr/bin/env python3
"""Fails for a constant of a function that has the name of one of a file before it in its folder.

CUTTLE_UNITY compiles sources of a folder together, in groups whose borders hang on the size of a group and move with each new
file: the constant would hide the other one (-Wshadow) in some builds and not in others.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONSTANT = re.compile(r"(\s*)(?:static |inline )*(?:constexpr|const) [^=;(){]*?\b(k_\w+)(?: =|\{)")


def main():
    first, hidden = {}, []  # (folder, name): the place of the first one that a whole file sees
    for path in sorted((ROOT / "src").rglob("*.cpp")):
        folder = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            constant = CONSTANT.match(line)
            if not constant:
                continue
            of_function, name = constant.groups()
            place = f"{path.relative_to(ROOT)}:{number}"
            before = first.get((folder, name))
            if not of_function:
                first.setdefault((folder, name), place)
            elif before and before.split(":")[0] != place.split(":")[0]:
                hidden.append(f"{place}: {name} hides that of {before} where both are compiled together; rename it")
    print("\n".join(hidden) or "no constant of a function hides one of another file")
    return 1 if hidden else 0


if __name__ == "__main__":
    sys.exit(main())
