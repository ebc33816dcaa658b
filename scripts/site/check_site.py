#!/usr/bin/env python3
"""Finds what is broken in the site that make_site.py made: links inside, anchors, pictures, and what a page would load from
the network, since the site opens from disk.

    check_site.py build/site/html

Prints a line for each fault, `PAGE: what was found, what was expected`, and ends with 1 if there is any.
"""

import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := attributes.get(key)))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in LOADED and attributes.get(LOADED[tag]) and attributes.get("rel") != "canonical":
            self.loads.append(attributes[LOADED[tag]])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)


def faults_of(root):
    pages = {}
    for path in sorted(root.rglob("*.html")):
        if path.stat().st_size > 0 and not is_whole_program(path):
            pages[path] = Page(path.read_text(encoding="utf-8"))
    if len(pages) < 30:
        yield f"{root}: found {len(pages)} pages, expected at least 30"
    for path, page in pages.items():
        shown = path.relative_to(root)
        for target in page.loads + page.links:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme in ("http", "https", "mailto", "data"):
                if target in page.loads and parts.scheme != "data":
                    yield f"{shown}: found {target}, which the page loads from the network, expected a file of the site"
                continue
            goal = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if not goal.is_file():
                yield f"{shown}: found a link to {target}, expected a file of the site"
                continue
            anchor = urllib.parse.unquote(parts.fragment)
            if anchor and goal in pages and anchor not in pages[goal].anchors:
                yield f"{shown}: found a link to {target}, expected the anchor '{anchor}' in {goal.relative_to(root)}"
    index = root / "searchindex.js"
    if not index.is_file() or index.stat().st_size < 10_000:
        yield f"{root}: found no index of words, expected searchindex.js: the search works without a network"


def is_whole_program(path):
    """The viewer's pages of robots, which have no links."""
    return path.stat().st_size > 1_000_000 and b"genindex.html" not in path.read_bytes()[:200_000]


def main(root):
    faults = list(faults_of(pathlib.Path(root).resolve()))
    print("\n".join(dict.fromkeys(faults)) if faults else f"{root}: no broken link")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_site.py FOLDER")
    sys.exit(main(sys.argv[1]))
