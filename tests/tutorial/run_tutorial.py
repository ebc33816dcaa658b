"""Runs docs/tutorial.md as its reader would, and compares what happens with what it says.

    run_tutorial.py CUTTLE TUTORIAL

Fenced blocks of the page, in order, in an empty directory, with CUTTLE as `cuttle` on the path:
    sh          runs and must succeed;  sh fails: must end with an error;  sh not-run: for the reader's own machine
    text        is what the sh block before it prints. Numbers agree to 1e-3 or one in the last digit, `...` stands for
                any text within a line, a line `...` for any number of lines; the amount of space does not matter
    python      is saved under the name in its first line, `# NAME`
    yaml        is saved likewise if its first line is `# NAME.yaml`, else it is part of a file of that directory, line by line
    xml         is saved under the name in its first line, `<!-- NAME -->`
In the end the figure must exist, show both curves and look like the one on the page, and so must the drawing.
"""

import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import matplotlib.image

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")


class Mismatch(Exception):
    pass


def blocks(page):
    """(line number, words after the fence, lines) of every fenced block."""
    start, words, lines = None, [], []
    for number, line in enumerate(page.splitlines(), 1):
        if start is None:
            if line.startswith("```"):
                start, words, lines = number, line[3:].split(), []
        elif line == "```":
            yield start, words, lines
            start = None
        else:
            lines.append(line)
    if start is not None:
        raise Mismatch(f"line {start}: the block has no end")


def unit_in_last_digit(text):
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits)


def line_matches(expected, found):
    pattern, numbers, position = "", [], 0
    for part in re.finditer(rf"\.\.\.|\s+|{NUMBER.pattern}", expected):
        pattern += re.escape(expected[position : part.start()])
        position = part.end()
        if part.group() == "...":
            pattern += ".*"
        elif part.group().isspace():
            pattern += r"\s+"
        else:
            pattern += f"({NUMBER.pattern})"
            numbers.append(part.group())
    pattern += re.escape(expected[position:]) + r"\s*"
    match = re.fullmatch(pattern, found)
    if match is None:
        return False
    return all(
        abs(float(e) - float(f)) <= 1e-3 * abs(float(e)) + 1.001 * unit_in_last_digit(e)
        for e, f in zip(numbers, match.groups())
    )


def lines_match(expected, found):
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(lines_match(expected[1:], found[i:]) for i in range(len(found) + 1))
    return bool(found) and line_matches(expected[0], found[0]) and lines_match(expected[1:], found[1:])


def run(lines, directory, environment, must_fail):
    script = "set -eu\n" + "\n".join(lines) + "\n"
    result = subprocess.run(
        ["bash", "-c", script], cwd=directory, env=environment, text=True, timeout=300,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    if (result.returncode != 0) != must_fail:
        raise Mismatch(f"found exit code {result.returncode}, expected {'an error' if must_fail else 0}:\n{result.stdout}")
    return result.stdout.splitlines()


def follow(page, directory, environment):
    """Does what the page says. Returns the number of blocks that were checked, by kind."""
    output, count = None, {}
    for number, words, lines in blocks(page):
        kind = words[0] if words else ""
        try:
            if kind == "sh" and words[1:] == ["not-run"]:
                continue
            if kind == "sh" and words[1:] in ([], ["fails"]):
                output = run(lines, directory, environment, must_fail=bool(words[1:]))
            elif kind == "text":
                if output is None:
                    raise Mismatch("found output without a command")
                if not lines_match(lines, output):
                    raise Mismatch("found this output, expected what the page shows:\n" + "\n".join(output))
            elif kind == "python":
                name = re.fullmatch(r"# (\w+\.py)", lines[0])
                if name is None:
                    raise Mismatch(f"found '{lines[0]}', expected the name of the file as # NAME.py")
                (directory / name[1]).write_text("\n".join(lines) + "\n")
            elif kind == "xml" and (name := re.fullmatch(r"<!-- (\w+\.\w+) -->", lines[0])):
                (directory / name[1]).write_text("\n".join(lines[1:]) + "\n")
            elif kind == "yaml" and (name := re.fullmatch(r"# (\w+\.yaml)", lines[0])):
                (directory / name[1]).write_text("\n".join(lines) + "\n")
            elif kind == "yaml":
                files = {f.name: f.read_text() for f in directory.glob("*.yaml")}
                if not any("\n".join(lines) in text for text in files.values()):
                    raise Mismatch(f"found no file with these lines, expected one of {', '.join(files)}")
            else:
                raise Mismatch(f"found a block '{' '.join(words)}', expected sh, text, python, yaml or xml")
        except Mismatch as error:
            raise Mismatch(f"line {number}: {error}") from None
        count[kind] = count.get(kind, 0) + 1
    return count


def check_figure(found_path, shown_path):
    if not found_path.is_file():
        raise Mismatch(f"found no {found_path.name}, expected the figure")
    found = matplotlib.image.imread(found_path)[:, :, :3]
    for color in ("#0072b2", "#d55e00"):
        rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        pixels = int((abs(found - rgb).max(axis=2) < 0.02).sum())
        if pixels < 1000:  # a curve across 960 pixels, two wide
            raise Mismatch(f"{found_path.name}: found {pixels} pixels in {color}, expected a curve")
    shown = matplotlib.image.imread(shown_path)[:, :, :3]
    if shown.shape != found.shape:
        raise Mismatch(f"{found_path.name}: found {found.shape[:2]} pixels, expected {shown.shape[:2]} as on the page")
    # where the curves run, coarsely: fonts may differ
    for channel in range(3):
        difference = abs(blurred(found[:, :, channel]) - blurred(shown[:, :, channel])).max()
        if difference > 0.1:
            raise Mismatch(f"{found_path.name}: differs from {shown_path} by {difference:.2f}: is that one out of date?")


def blurred(image, size=16):
    rows, columns = (n // size * size for n in image.shape)
    return image[:rows, :columns].reshape(rows // size, size, columns // size, size).mean(axis=(1, 3))


def check_drawing(found_path, shown_path, least=20):
    """Titles, legends and the numbers on the axes; the run's energy error in the head differs between machines."""

    def labels(path):
        texts = ["".join(e.itertext()) for e in xml.etree.ElementTree.parse(path).iter() if e.tag.endswith("text")]
        return [text for text in texts if "balance error" not in text]

    found, shown = labels(found_path), labels(shown_path)
    if found != shown or len(found) < least:
        raise Mismatch(f"{found_path.name}: found the labels {found}, expected those of {shown_path}: {shown}")


def prepare(cuttle, name):
    """A directory to work in, below `name`, and the environment of its commands."""
    directory, programs = pathlib.Path(name) / "my_arm", pathlib.Path(name) / "bin"
    directory.mkdir(), programs.mkdir()
    (programs / "cuttle").symlink_to(pathlib.Path(cuttle).resolve())
    python = programs / "python3"  # the one that has the modules, whatever comes first on the path
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", MPLCONFIGDIR=name, LC_ALL="C.UTF-8")
    for desktop in ("DISPLAY", "WAYLAND_DISPLAY"):  # without one no browser opens
        environment.pop(desktop, None)
    return directory, environment


def main(cuttle, tutorial):
    tutorial = pathlib.Path(tutorial).resolve()
    with tempfile.TemporaryDirectory(prefix="cuttle_tutorial_") as name:
        directory, environment = prepare(cuttle, name)
        try:
            count = follow(tutorial.read_text(), directory, environment)
            for kind, least in (("sh", 6), ("text", 6), ("python", 1), ("yaml", 1)):
                if count.get(kind, 0) < least:
                    raise Mismatch(f"found {count.get(kind, 0)} blocks of {kind}, expected at least {least}")
            check_drawing(directory / "my_arm_scenario.svg", tutorial.parent / "images" / "my_arm_motion.svg")
            check_figure(directory / "my_arm.png", tutorial.parent / "images" / "my_arm.png")
        except Mismatch as error:
            sys.exit(f"{tutorial}: {error}")
    print(f"{tutorial}: " + ", ".join(f"{n} {kind}" for kind, n in count.items()) + " blocks hold")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: run_tutorial.py CUTTLE TUTORIAL")
    main(*sys.argv[1:])
