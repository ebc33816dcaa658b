#!/usr/bin/env python3
"""Prints the files that clang-tidy is to read, one a line: what a build directory compiles of library and programs.

    scripts/sources_to_lint.py BUILD [--whole]

Without --whole only what changed since the commit that `.ci/linted` names, at which all of it was read without a finding: each
group of sources with a source that changed, and for each header that changed at least one group that includes it. All of it if
that commit is not known here, or if settings changed: those of clang-tidy, or those of the build.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = re.compile(r"(^|/)(\.clang-tidy|CMakeLists\.txt|[^/]*\.cmake|Makefile|setup\.sh|sources_to_lint\.py)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def changed_files():
    """Paths below the root that differ from the commit, or None if it is not known here."""
    base = (ROOT / ".ci/linted").read_text().split()[0]
    git = ["git", "-C", str(ROOT)]
    if subprocess.run([*git, "cat-file", "-e", base + "^{commit}"], capture_output=True).returncode != 0:
        return None
    differing = subprocess.run([*git, "diff", "--name-only", base], capture_output=True, text=True, check=True).stdout
    new = subprocess.run([*git, "ls-files", "--others", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in (differing + new).split("\n") if name]


class Includes:
    """Files of the project that a file includes, by what stands in it."""

    def __init__(self, build):
        self.folders = [ROOT / "include", ROOT / "src", ROOT / "apps/cuttle", ROOT / "apps/describe_format", build / "generated/include"]
        self.direct = {}

    def of(self, file):
        if file not in self.direct:
            names = INCLUDE.findall(file.read_text())
            places = [[folder / name for folder in [file.parent, *self.folders]] for name in names]
            self.direct[file] = {found.resolve() for options in places for found in options if found.is_file()}
        return self.direct[file]

    def all_of(self, file):
        seen, waiting = {file}, [file]
        while waiting:
            for found in self.of(waiting.pop()) - seen:
                seen.add(found)
                waiting.append(found)
        return seen


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--whole", action="store_true")
    options = arguments.parse_args()
    build = options.build.resolve()
    commands = json.loads((build / "compile_commands.json").read_text())
    ours = re.compile(rf"^({re.escape(str(ROOT))}/(src|apps)|{re.escape(str(build))}/groups/(library|isa|tool|describe)_)")
    sources = sorted({pathlib.Path(entry["file"]).resolve() for entry in commands if ours.match(entry["file"])})
    if not sources:
        sys.exit(f"{build}/compile_commands.json: found no source of library and programs, expected some")
    changed = None if options.whole else changed_files()
    if changed is not None and not any(SETTINGS.search(str(file)) for file in changed):
        includes = Includes(build)
        reach = {source: includes.all_of(source) for source in sources}
        own = {source: {source} | {file for file in includes.of(source) if file.suffix == ".cpp"} for source in sources}
        chosen = [source for source in sources if own[source] & set(changed)]
        for header in sorted(file for file in changed if file.suffix == ".h"):
            if not any(header in reach[source] for source in chosen):
                chosen += [source for source in sources if header in reach[source]][:1]
        print(f"{len(chosen)} of {len(sources)} groups of sources are read: what changed since the last whole reading", file=sys.stderr)
        sources = chosen
    for source in sources:
        print(source)


main()
