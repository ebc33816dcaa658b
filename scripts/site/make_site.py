#!/usr/bin/env python3
"""Makes the site: lays out Sphinx's sources in a folder, from what is there already, and runs Sphinx.

    make_site.py --output build/site [--tool build/cuttle] [--package build/python/cuttle] [--sources-only]

Each fact keeps its one source:
    pages            docs/*.md, docs/howto, README.md and the other pages of the root, as they are
    commands         what `cuttle COMMAND --help` prints (without --tool: a page that says how to read it)
    C++              the headers of docs/site/headers.txt, through Doxygen's XML and Breathe
    Python           the package's sources and the stub of its extension, read, not imported
    gallery          docs/gallery; with --tool some robots also as pages in 3D
The page of the site is OUTPUT/html/index.html. scripts/site/check_site.py finds broken links in it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import python_reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES_OF_ROOT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "AUTHORS.md", "examples/README.md"]
LINK = re.compile(r"(!?)\[([^\]\[]*(?:\[[^\]]*\][^\]\[]*)*)\]\(([^)\s]+)\)")
LIVE = {  # robot of the gallery: its scenario
    "hybrid_arm": "models/pustina2025/hybrid_arm_scenario.yaml",
    "drones": "models/boyer2023/drones_scenario.yaml",
    "fem_finger": "models/examples/fem_finger_scenario.yaml",
    "tendon_arm": "models/examples/tendon_arm_scenario.yaml",
}


def for_site(text, page):
    """The page as MyST reads it. A folder is no page of the site: a link to one becomes that to its README, or its text."""

    def answer(match):
        image, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return match[0]
        found = ROOT / page.parent / path
        if found.is_dir():
            readme = found / "README.md"
            if readme.is_file():
                return f"{image}[{label}]({path.rstrip('/')}/README.md{'#' + anchor if anchor else ''})"
            return label
        return match[0]

    text = re.sub(
        r"^<p>\n((?:<img [^>]*>\n)+)</p>$", r"\1", text, flags=re.M
    )  # MyST takes over pictures that stand alone
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)  # what is in a block is no link
    return "".join(part if part.startswith("```") else LINK.sub(answer, part) for part in parts)


def stage(source):
    """Copies the pages, where they are in the repository, and what they link to."""
    pages = [pathlib.Path(name) for name in PAGES_OF_ROOT if (ROOT / name).is_file()]
    pages += [
        p.relative_to(ROOT) for p in sorted((ROOT / "docs").rglob("*.md")) if "site" not in p.relative_to(ROOT).parts
    ]
    for page in pages:
        text = for_site((ROOT / page).read_text(encoding="utf-8"), page)
        target = source / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        links = [m[3] for m in LINK.finditer(text)] + re.findall(r'<img src="([^"]+)"', text)
        for link in links:
            path = link.partition("#")[0]
            linked = (ROOT / page.parent / path).resolve()
            if path and "://" not in path and linked.is_file() and linked.suffix != ".md":
                copy = source / linked.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(linked, copy)
    site = ROOT / "docs" / "site"
    for page in site.glob("*.md"):
        shutil.copyfile(page, source / page.name)
    name_new_pages(source, pages)
    shutil.copyfile(site / "conf.py", source / "conf.py")
    (source / "_static").mkdir(exist_ok=True)
    shutil.copyfile(site / "cuttle.css", source / "_static" / "cuttle.css")
    (source / "live").mkdir(exist_ok=True)
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    if version is None:
        sys.exit('pyproject.toml: found no version, expected a line version = ".."')
    (source / "version.txt").write_text(version[1] + "\n")


def command_pages(source, tool):
    folder = source / "commands"
    folder.mkdir(exist_ok=True)
    if tool is None:
        (folder / "index.md").write_text(
            "# Commands\n\n`cuttle --help` lists the commands, `cuttle COMMAND --help` says the rest.\n"
        )
        return

    def help_of(*words):
        result = subprocess.run(
            [tool, *words, "--help"], text=True, capture_output=True, timeout=60, env=dict(os.environ, COLUMNS="100")
        )
        if result.returncode != 0:
            sys.exit(f"{tool} {' '.join(words)} --help: {result.stderr}")
        return result.stdout.replace(str(tool), "cuttle").strip()

    text = help_of()
    names = commands_of(text)
    if len(names) < 10:
        sys.exit(f"{tool} --help: found the commands {names}, expected at least ten")
    page = f"# Commands\n\nWhat `cuttle --help` prints:\n\n```text\n{text}\n```\n\n"
    page += "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n\n"
    page += "\n".join(f"- [cuttle {name}]({name}.md)" for name in names) + "\n"
    (folder / "index.md").write_text(page)
    for name in names:
        (folder / f"{name}.md").write_text(f"# cuttle {name}\n\n```text\n{help_of(name)}\n```\n")


def commands_of(text):
    """The names below the heading of commands in the help of the tool."""
    below = re.split(r"^\s*(?:SUBCOMMANDS|Subcommands|Commands|COMMANDS):?\s*$", text, maxsplit=1, flags=re.M)
    lines = below[-1].splitlines() if len(below) > 1 else []
    return [m[1] for m in (re.match(r" {2}([a-z][a-z_-]*)(?: {2,}|$)", line) for line in lines) if m]


def for_doxygen(line):
    """A line of a header whose comment Doxygen reads as text: `vector<T>` is no tag of HTML, `#` no link."""
    code, mark, comment = line.partition("///")
    if not mark:
        return line
    comment = re.sub(r"@throws (?=[a-z])", "@note Throws ", comment)  # `@throws as above` names no class
    comment = re.sub(r"(@throws \w+)\.$", r"\1", comment, flags=re.M)
    after = "<" if comment.startswith("<") else ""
    pieces = comment[len(after) :].split("`")
    for i in range(0, len(pieces), 2):  # the others are between backquotes
        pieces[i] = pieces[i].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("#", "\\#")
    return code + mark + after + "`".join(pieces)


def name_new_pages(source, pages):
    """Pages of docs/ that the index does not name go to the end of its list How to, so that a new page is in the site."""
    index = source / "index.md"
    text = index.read_text(encoding="utf-8")
    listed = set(re.findall(r"^[\w/]+$", text, re.M))
    names = [str(page.with_suffix("")) for page in pages if page.parent.as_posix() == "docs"]
    new = "".join(f"\n{name}" for name in names if name not in listed)
    index.write_text(text.replace("\ndocs/extending\n", f"\ndocs/extending{new}\n", 1), encoding="utf-8")


def as_breathe_reads(xml):
    """Takes out what Sphinx cannot parse, `= requires(..) {..}`, and puts a word that Doxygen took for a second class of
    `@throws` back into the sentence."""
    two_names = re.compile(
        r"(<parametername>[A-Z]\w*</parametername>\s*)<parametername>([a-z]\w*)</parametername>"
        r"(\s*</parameternamelist>\s*<parameterdescription>\s*<para>)"
    )
    for path in xml.glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(r"<initializer>= requires.*?</initializer>", "", two_names.sub(r"\1\3\2 ", text), flags=re.S)
        if changed != text:
            path.write_text(changed, encoding="utf-8")


def name_files_by_path(xml):
    """Doxygen's index calls a file by the end of its path, Breathe asks for it by the whole."""

    def named(match):
        location = re.search(r'<location file="([^"]+)"/>', (xml / f"{match[1]}.xml").read_text(encoding="utf-8"))
        return f'<compound refid="{match[1]}" kind="file"><name>{location[1]}</name>'

    index = xml / "index.xml"
    text = index.read_text(encoding="utf-8")
    index.write_text(re.sub(r'<compound refid="([^"]+)" kind="file"><name>[^<]*</name>', named, text), encoding="utf-8")


def cpp_pages(source, output):
    pages, name = {}, None
    for line in (ROOT / "docs/site/headers.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if ":" in line:
            name, _, title = line.partition(":")
            pages[name] = (title.strip(), [])
        else:
            if not (ROOT / "include" / line).is_file():
                sys.exit(f"docs/site/headers.txt: found {line}, expected a header below include/")
            pages[name][1].append(line)
    copies = output / "include"
    shutil.rmtree(copies, ignore_errors=True)
    shutil.rmtree(output / "xml", ignore_errors=True)
    for header in (h for _, headers in pages.values() for h in headers):
        (copies / header).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / "include" / header).read_text(encoding="utf-8")
        (copies / header).write_text(
            "".join(for_doxygen(line) for line in text.splitlines(keepends=True)), encoding="utf-8"
        )
    settings = {
        "INPUT": copies,
        "RECURSIVE": "YES",
        "STRIP_FROM_PATH": copies,
        "OUTPUT_DIRECTORY": output,
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "GENERATE_XML": "YES",
        "XML_PROGRAMLISTING": "NO",
        "QUIET": "YES",
        "WARN_IF_UNDOCUMENTED": "NO",
        "WARN_IF_DOC_ERROR": "NO",
        "WARN_IF_INCOMPLETE_DOC": "NO",
        "WARN_AS_ERROR": "FAIL_ON_WARNINGS",
        "EXTRACT_ALL": "YES",
        "HIDE_FRIEND_COMPOUNDS": "YES",
        "SORT_MEMBER_DOCS": "NO",
        "ENABLE_PREPROCESSING": "YES",
        "MACRO_EXPANSION": "YES",
        "EXPAND_ONLY_PREDEF": "YES",
        "SEARCH_INCLUDES": "NO",
        "PREDEFINED": "CUTTLE_API= CUTTLE_INLINE=",
        "MARKDOWN_SUPPORT": "YES",
        "AUTOLINK_SUPPORT": "NO",
        "JAVADOC_AUTOBRIEF": "YES",
        "EXCLUDE_SYMBOLS": "*detail*",
    }
    doxyfile = output / "Doxyfile"
    doxyfile.write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
    subprocess.run(["doxygen", doxyfile], check=True)
    name_files_by_path(output / "xml")
    as_breathe_reads(output / "xml")
    folder = source / "cpp"
    folder.mkdir(exist_ok=True)
    for name, (title, headers) in pages.items():
        text = f"# {title}\n"
        for header in headers:
            text += f"\n## {header}\n\n```cpp\n#include <{header}>\n```\n\n```{{doxygenfile}} {header}\n```\n"
        (folder / f"{name}.md").write_text(text)
    text = (
        "# C++\n\nThe headers that a program includes, by what they are for. `cuttle/cuttle.h` includes most of them.\n"
    )
    text += "[The README](../README.md) shows the library in use.\n\n```{toctree}\n\n" + "\n".join(pages) + "\n```\n"
    (folder / "index.md").write_text(text)


def live_pages(source, tool):
    """Some robots in 3D, each one file that needs no network."""
    rows = []
    for name, scenario in LIVE.items():
        result = source.parent / f"{name}.h5"
        page = source / "live" / f"{name}.html"
        if not page.is_file():
            subprocess.run(
                [tool, "simulate", ROOT / scenario, "-o", result, "--force"], check=True, stdout=subprocess.DEVNULL
            )
            subprocess.run(
                [tool, "view", result, "-o", page, "--no-open", "--force"], check=True, stdout=subprocess.DEVNULL
            )
        rows.append(
            f'<a class="cuttle-live" href="{name}.html"><img src="_images/{name}.png" alt="{name}"><span>{name}</span></a>'
        )
    text = "# Robots in 3D\n\nEach opens as a page of its own: press space to play, drag to turn.\n"
    text += (
        "All shipped robots, with what they are: [gallery](docs/gallery/README.md).\n\n```{raw} html\n"
        + "\n".join(rows)
        + "\n```\n"
    )
    (source / "robots_in_3d.md").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/site")
    parser.add_argument("--tool", type=pathlib.Path, help="the command cuttle, for its help and for robots in 3D")
    parser.add_argument("--package", type=pathlib.Path, help="the built package cuttle, with the stub of its extension")
    parser.add_argument("--sources-only", action="store_true", help="lay out the sources, do not run Sphinx")
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    source = output / "source"
    live = source / "live"
    kept = {p.name: p.read_bytes() for p in live.glob("*.html")} if live.is_dir() else {}
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    stage(source)
    for name, page in kept.items():
        (live / name).write_bytes(page)
    tool = arguments.tool.resolve() if arguments.tool else None
    command_pages(source, tool)
    cpp_pages(source, output)
    python_reference.write(source / "python", ROOT / "python/cuttle", arguments.package)
    if tool is not None:
        live_pages(source, tool)
    else:
        (source / "robots_in_3d.md").write_text("# Robots in 3D\n\n`cuttle view RESULT.h5` makes such a page.\n")
    if not arguments.sources_only:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "sphinx",
                "-q",
                "-W",
                "--keep-going",
                "-b",
                "html",
                "-d",
                output / "doctrees",
                source,
                output / "html",
            ],
            check=True,
            cwd=source,
        )
        print(f"written: {output / 'html' / 'index.html'}")


if __name__ == "__main__":
    main()
