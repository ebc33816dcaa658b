#!/usr/bin/env python3
"""Counts, page by page, sentences of more than 25 words and lines of more than 120 characters, and compares the counts with
those of scripts/words.txt. They may fall, never rise.

    check_words.py             fails for a page with more than is written there; with less it says so
    check_words.py --write     writes the counts down. Refuses a page that has more than before
    check_words.py --accept    writes them down where they rose, too: after a merge of pages that were written without the check
    check_words.py --wrap PAGE breaks lines of paragraphs and lists that are too long; no word changes
    check_words.py --show PAGE prints the long sentences and lines of a page

Counted are README.md and the other pages of the root, and docs/**/*.md. docs/format.md is made from docs/format.md.in, which
is counted in its place. CHANGELOG.md is a record and is not. Blocks of code, tables, pictures and formulas are no sentences;
a line is not too long for a link, a row of a table or code that cannot be broken.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "scripts" / "words.txt"
MADE = ("docs/format.md", "docs/gallery/README.md")  # from docs/format.md.in and the code, from comments of robot files
MOST_WORDS, MOST_CHARACTERS = 25, 120
HEAD = """# Sentences of more than 25 words, and lines of more than 120 characters, of each page: they may only fall.
# `make layout` compares. After a change for the better: scripts/check_words.py --write
"""


def pages():
    found = [p for p in ROOT.glob("*.md") if p.name != "CHANGELOG.md"]
    found += [p for p in (ROOT / "docs").rglob("*.md") if p.relative_to(ROOT).as_posix() not in MADE]
    found.append(ROOT / "docs" / "format.md.in")
    return sorted(found)


def prose_lines(text):
    """(number, line) of what is text for people: without blocks of code and tables."""
    fence, before, indented = None, "", False  # indented: a block of code by four spaces, after an empty line
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+|:::+)", line)
        if fence is None and line.startswith("$$"):
            fence = "$$" if not line.rstrip(" .,").endswith("$$") or line.strip() == "$$" else None
            before = line
            continue
        if fence == "$$":
            fence = None if line.rstrip().endswith("$$") else fence
            before = line
            continue
        if mark and fence is None:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = None
        elif fence is None and line.startswith("    ") and (indented or not before.strip()):
            indented = True
        elif fence is None and not line.lstrip().startswith(("|", "<img", "<p", "</p", "<!--", "![", "$$")):
            indented = indented and not line.strip()
            yield number, line
        before = line


def sentences(text):
    """(line, sentence) of a page. A paragraph, an item of a list and a heading each end a sentence."""
    paragraph, start, last, heading = [], 0, -1, False
    for number, line in [*prose_lines(text), (10**9, "")]:
        new = number != last + 1 or heading or not line.strip() or re.match(r"\s*([-*+]|\d+\.|#+|@\w+)\s", line)
        if new and paragraph:
            joined = " ".join(paragraph)
            joined = re.sub(r"`[^`]*`", "code", joined)  # a word, however long, with its dots
            joined = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", joined)
            joined = re.sub(r"\$[^$]+\$", "formula", joined)
            for sentence in re.split(r"(?<=[.!?:;])[\"')*]*\s+(?=[^a-z]|code)", joined):
                if sentence.strip():
                    yield start, sentence.strip()
            paragraph = []
        if line.strip():
            if not paragraph:
                start = number
            paragraph.append(re.sub(r"^\s*([-*+]|\d+\.|#+)\s", "", line).strip())
        last, heading = number, bool(re.match(r"#+\s", line))


def words(sentence):
    return [w for w in sentence.split() if re.search(r"\w", w)]


def long_sentences(text):
    return [(line, s) for line, s in sentences(text) if len(words(s)) > MOST_WORDS]


def long_lines(text):
    return [
        (n, line)
        for n, line in prose_lines(text)
        if len(line) > MOST_CHARACTERS and " " in line[:MOST_CHARACTERS].strip()
    ]


MARK = re.compile(r"\s*([-*+]|\d+[.)])\s+")


def wrapped(text):
    """The page with no line of a paragraph or a list too long. What would change its meaning stays as it is."""
    lines = text.splitlines()
    prose = {
        n - 1 for n, line in prose_lines(text) if line.strip() and not re.match(r"\s*(#|>|<|\[\w+\]:|\{)|    ", line)
    }
    out, i = [], 0
    while i < len(lines):
        if i not in prose:
            out.append(lines[i])
            i += 1
            continue
        block = [lines[i]]
        while i + 1 in prose and not MARK.match(lines[i + 1]) and not lines[i].endswith("  "):
            i += 1
            block.append(lines[i])
        i += 1
        mark = MARK.match(block[0])
        first = mark[0] if mark else re.match(r"\s*", block[0])[0]
        rest = " " * len(first)
        body = " ".join([block[0][len(first) :].strip(), *(line.strip() for line in block[1:])])
        new = textwrap.wrap(
            body,
            MOST_CHARACTERS,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        harmless = not any(MARK.match(line) or re.match(r"\s*[#>|=]", line) for line in new[1:])
        out += new if any(len(line) > MOST_CHARACTERS for line in block) and harmless else block
    return "\n".join(out) + "\n"


def counts():
    found = {}
    for page in pages():
        text = page.read_text(encoding="utf-8")
        found[page.relative_to(ROOT).as_posix()] = (
            len(long_sentences(text)),
            len(long_lines(text)),
            sum(1 for _ in sentences(text)),
        )
    return found


def written():
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.is_file() else []
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: (int(a), int(b)) for name, a, b in rows}


def main(arguments):
    if arguments[:1] == ["--show"] and len(arguments) == 2:
        text = pathlib.Path(arguments[1]).read_text(encoding="utf-8")
        for line, sentence in long_sentences(text):
            print(f"{arguments[1]}:{line}: {len(words(sentence))} words: {sentence}")
        for line, content in long_lines(text):
            print(f"{arguments[1]}:{line}: {len(content)} characters")
        return 0
    if arguments[:1] == ["--wrap"]:
        for name in arguments[1:]:
            page = pathlib.Path(name)
            page.write_text(wrapped(page.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    if arguments not in ([], ["--write"], ["--accept"]):
        sys.exit("usage: check_words.py [--write | --accept | --show PAGE | --wrap PAGE...]")
    now, before = counts(), written()
    worse, better = [], []
    for name, (of_sentences, of_lines, _) in now.items():
        old_sentences, old_lines = before.get(name, (0, 0) if LIST.is_file() else (10**9, 10**9))
        for found, old, what in (
            (of_sentences, old_sentences, f"sentences of more than {MOST_WORDS} words"),
            (of_lines, old_lines, f"lines of more than {MOST_CHARACTERS} characters"),
        ):
            if found > old:
                worse.append(
                    f"{name}: found {found} {what}, expected at most {old}: scripts/check_words.py --show {name}"
                )
            elif found < old:
                better.append(f"{name}: found {found} {what}, {old} are written down: scripts/check_words.py --write")
    better += [
        f"{name}: is written down, but is not there: scripts/check_words.py --write"
        for name in before
        if name not in now
    ]
    if worse and arguments != ["--accept"]:
        print("\n".join(worse), file=sys.stderr)
        return 1
    if arguments:
        rows = [f"{name} {a} {b}" for name, (a, b, _) in now.items() if a or b]
        LIST.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
        better = []
    if better:
        print("\n".join(better))
    total = sum(c for _, _, c in now.values())
    long_ones = sum(a for a, _, _ in now.values())
    print(
        f"words: {long_ones} of {total} sentences ({100 * long_ones / total:.1f} %) have more than {MOST_WORDS} words, "
        f"{sum(b for _, b, _ in now.values())} lines more than {MOST_CHARACTERS} characters, in {len(now)} pages: as written down or fewer"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
