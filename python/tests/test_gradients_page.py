"""docs/gradients.md does what it says: its blocks of Python are run in order."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "gradients.md"


def test_the_page_runs():
    text = PAGE.read_text(encoding="utf-8")
    blocks = [(text[: m.start()].count("\n") + 2, m[1]) for m in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]
    assert len(blocks) == 8
    names = {"__name__": "page"}
    for line, block in blocks:
        exec(compile("\n" * (line - 1) + block, str(PAGE), "exec"), names)
