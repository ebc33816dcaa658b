"""Runs the pages of docs/howto as their readers would: their blocks, by the rules of tests/tutorial/run_tutorial.py, each page
in an empty directory of its own.

    run_howto.py CUTTLE PAGE... [--write]

Pages that `import cuttle` need the environment variables CUTTLE_PYTHON, an interpreter with what the package needs, and
CUTTLE_PACKAGE, the folder where `cuttle` is.
In commands $CUTTLE is the folder of the repository. A picture of the page, images/NAME.svg, is one that its commands make:
it must have the same titles, legends and numbers on its axes. --write takes over the new pictures instead.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tutorial"))
import run_tutorial  # noqa: E402


def run_page(cuttle, page, write):
    text = page.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\(images/([\w.]+)\)", text)
    with tempfile.TemporaryDirectory(prefix="cuttle_howto_") as name:
        directory, environment = run_tutorial.prepare(cuttle, name)
        environment["CUTTLE"] = str(ROOT)
        if re.search(r"^import cuttle", text, re.M):
            missing = [v for v in ("CUTTLE_PYTHON", "CUTTLE_PACKAGE") if not os.environ.get(v)]
            if missing:
                raise run_tutorial.Mismatch(
                    f"found no {' and '.join(missing)} in the environment, expected both: the page imports cuttle"
                )
            (pathlib.Path(name) / "bin" / "python3").write_text(
                f'#!/bin/sh\nexec "{os.environ["CUTTLE_PYTHON"]}" -B "$@"\n'
            )
            environment["PYTHONPATH"] = os.environ["CUTTLE_PACKAGE"]
        count = run_tutorial.follow(text, directory, environment)
        if count.get("sh", 0) < 1 or count.get("text", 0) < 1 or not pictures:
            raise run_tutorial.Mismatch(
                f"found {count} and {len(pictures)} pictures, expected a command, what it prints, and a picture"
            )
        for picture in pictures:
            shown = page.parent / "images" / picture
            if not (directory / picture).is_file():
                raise run_tutorial.Mismatch(f"found no {picture}, expected the page's commands to make it")
            found = directory / picture
            if write:
                shutil.copyfile(found, shown)
            else:
                run_tutorial.check_drawing(directory / picture, shown, least=6)
    return count


def main(arguments):
    write = "--write" in arguments
    cuttle, *pages = [a for a in arguments if a != "--write"]
    failures = 0
    for page in map(pathlib.Path, pages):
        try:
            count = run_page(cuttle, page.resolve(), write)
            print(f"{page}: " + ", ".join(f"{n} {kind}" for kind, n in count.items()) + " blocks hold")
        except run_tutorial.Mismatch as error:
            failures += 1
            print(f"{page}: {error}", file=sys.stderr)
    return 1 if failures or not pages else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: run_howto.py CUTTLE PAGE... [--write]")
    sys.exit(main(sys.argv[1:]))
