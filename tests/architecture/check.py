#!/usr/bin/env python3
"""Holds docs/architecture.md and the code against each other: check.py ROOT.

Paths that the document names exist. A part includes only itself and the parts above it in the document's table. A
`dynamic_cast` stands in the file of the class that it asks for, or where CASTS says why. An exception that nothing needs
any more is a fault too, so the lists only say what is.
"""

import os
import re
import sys
from pathlib import Path, PurePosixPath

# Includes of a part that stands below: file, part.
UPWARD = set()

# Where a `dynamic_cast` asks for a class that is not of the same file, and why.
CASTS = {
    "src/io/kinds/*_kind*.cpp": "a kind's writer gets back its own class",
    "src/io/kinds/load_parts.h": "the same, for all loads",
    "src/io/robot/*_writer.cpp": "the same, for bodies",
    "src/io/robot/part_writers.h": "the same, for transmissions",
    "src/io/export/*.cpp": "formats of other programs have words for some kinds alone",
    "src/io/import/mjcf_*.cpp": "looks at the rigid bodies that it made",
    "src/bodies/rod/worth_of_rod.cpp": "asks for rods, whose tables it reads",
    "src/algorithms/worth_of_tendons.cpp": "tendons alone have ends that may lie just where a rod ends",
    "src/elements/mass_damping.cpp": "asks for an interface, sections",
    "src/model/contact/contact_plan.cpp": "asks for bodies of points, whose sizes derivatives may follow",
    "src/elements/tendon_friction.cpp": "acts on tendons alone",
    "src/simulation/implicit_integrator.cpp": "asks for an interface, implicit equations",
    "src/simulation/bdf.cpp": "the same",
    "src/simulation/augmented_system.cpp": "methods of programs need not say where their steps end",
    "src/simulation/simulator.cpp": "asks for an interface, warnings of steps",
    "src/algorithms/equation_of_motion_impl.h": "asks for an interface, what dissipates",
    "src/view/obstacle_shapes.cpp": "pictures of some shapes are like them; others are meshed",
    "python/src/own_parts.cpp": "parts in Python have no text, so pickles refuse them",
}

DOCUMENT = "docs/architecture.md"
FILE_NAME = re.compile(r"[\w*-]+(\.\w+)*\.(h|cpp|ts|md|in|py|sh|cmake|txt|yaml|supp)")


def paths_of(root):
    """All files and folders of the tree, but what a build makes."""
    found = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not re.fullmatch(r"build.*|out|node_modules|__pycache__|\.git|\.venv", f)]
        found.update(PurePosixPath(os.path.relpath(os.path.join(folder, name), root)) for name in folders + files)
    return found


def named_paths(text):
    """What stands in backticks and is a path: it has a folder, or the ending of a file."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"`([\w.*<>/-]+)`", line):
            if name.startswith(("/", "build/")) or not ("/" in name or FILE_NAME.fullmatch(name)):
                continue
            yield number, name


def path_faults(root, text):
    paths = paths_of(root)
    # a path may begin at any folder, and leave the ending of header and source out
    tails = {"/".join(path.parts[i:]) for path in paths for i in range(len(path.parts))}
    tails |= {tail.rpartition(".")[0] for tail in tails if "." in tail}
    for number, name in named_paths(text):
        pattern = re.sub(r"<\w+>", "*", name.rstrip("/"))
        if not any(path.match(pattern) for path in paths) if "*" in pattern else pattern not in tails:
            yield f"{DOCUMENT}:{number}: found `{name}`, expected a file or folder that exists"


def parts_of(text):
    """The parts in their order, from the first table."""
    table = text[text.index("| part |") :].split("\n\n", 1)[0]
    return re.findall(r"^\| (\w+) \|", table, re.MULTILINE)[1:]


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def include_faults(root, text):
    parts = parts_of(text)
    rank = {part: i for i, part in enumerate(parts)}
    needed = set()
    for base in ("src", "include/cuttle"):
        for folder in sorted(path.name for path in (root / base).iterdir() if path.is_dir()):
            if folder not in rank:
                yield f"{base}/{folder}: found a folder that is no part, expected it in the table of {DOCUMENT}"
        for file, code in sources(root, base):
            own = file.removeprefix(base + "/").split("/")[0]
            if file in ("include/cuttle/cuttle.h", "src/precompiled.h"):
                continue  # they are all headers in one
            for number, line in enumerate(code.splitlines(), 1):
                include = re.match(r'\s*#\s*include\s+"(?:cuttle/)?(\w+)/', line)
                if include is None or rank.get(include[1], -1) <= rank.get(own, -1):
                    continue
                if (file, include[1]) in UPWARD:
                    needed.add((file, include[1]))
                    continue
                yield f"{file}:{number}: found an include of {include[1]}, which stands below {own} in the table of {DOCUMENT}"
    for file, part in sorted(UPWARD - needed):
        yield f"UPWARD: found ({file}, {part}), which nothing needs any more: delete it"


def cast_faults(root):
    needed = set()
    for file, code in sources(root, "src", "include", "apps", "python/src"):
        for number, line in enumerate(code.splitlines(), 1):
            for kind in re.findall(r"dynamic_(?:pointer_)?cast<(?:const )?([\w:]+)", line):
                if re.search(rf"\b(class|struct) (CUTTLE_API )?{kind}\b[^;]*{{", code):
                    continue
                matching = {pattern for pattern in CASTS if PurePosixPath(file).match(pattern)}
                needed |= matching
                if not matching:
                    yield (f"{file}:{number}: found a dynamic_cast to {kind}, expected a virtual function that it answers, "
                           "or a reason in CASTS")
    for pattern in sorted(set(CASTS) - needed):
        yield f"CASTS: found {pattern}, which nothing needs any more: delete it"


def memory_faults(root):
    """Memory of a thread outlives what it was made for: whoever needs memory gets it handed in."""
    for file, code in sources(root, "src", "include"):
        for number, line in enumerate(code.splitlines(), 1):
            if re.search(r"\bthread_local\b", line):
                yield f"{file}:{number}: found thread_local, expected memory that is handed in, or one constant for all threads"


def main():
    root = Path(sys.argv[1])
    text = (root / DOCUMENT).read_text(encoding="utf-8")
    faults = [*path_faults(root, text), *include_faults(root, text), *cast_faults(root), *memory_faults(root)]
    print("\n".join(faults) or f"{len(list(named_paths(text)))} paths, {len(parts_of(text))} parts: nothing found")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
