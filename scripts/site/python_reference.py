"""Pages of the Python reference, read from sources and stubs without importing them: names that the package shows, their
signatures and docstrings."""

import ast
import inspect
import pathlib
import re
import sys

GROUPS = [  # pages: title, and which names go there
    (
        "robots",
        "Robots, runs and files",
        {
            "load",
            "load_run",
            "simulate",
            "Robot",
            "Run",
            "Rest",
            "FrameMotion",
            "Controller",
            "example",
            "examples",
            "compare",
            "identify",
            "program",
        },
    ),
    (
        "own",
        "Own bodies and elements",
        {"Element", "FunctionBody", "FunctionKinematics", "box_points", "cylinder_points"},
    ),
    ("errors", "Errors", {"errors"}),
]
REST = ("algorithms", "Algorithms and what they take")


def definitions(path):
    """Functions, classes and assigned names of a file, by name."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return found


def shown_names(package):
    """(name, module) of what the package imports by name: that is what it shows."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return [
        (alias.asname or alias.name, node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if not alias.name.startswith("_")
    ]


def signature(node):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls|/)(, )?", "", re.sub(r"^(self|cls), /(, )?", r"\1\2", arguments))
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    text = re.sub(r"\b(?:numpy\.typing|numpy|collections\.abc|typing|_core)\.", "", f"{node.name}({arguments}){result}")
    return text


def text_of(node):
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    return text.replace("``", "`")


def escaped(text):
    """Text that Markdown shows as it is, but for what stands between backquotes."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(
        part if i % 2 else re.sub(r"([\\\\`*_<>\[\]#$|~{}@])", r"\\\1", part) for i, part in enumerate(parts)
    )


def as_block(text):
    """A docstring as Markdown: paragraphs of plain text as such, everything with a layout of its own as a block."""
    lines, layout = [], []

    def end_of_layout():
        if layout:
            lines.extend(["```text", *"\n\n".join(layout).splitlines(), "```", ""])
            layout.clear()

    for paragraph in re.split(r"\n\s*\n", text):
        if not paragraph.strip():
            continue
        if (
            re.search(r"^(\s|>>>|-{3}|[-*+] |\d+[.)] )", paragraph, re.M)
            or re.search(r"^\w+\n-{3}", paragraph)
            or "   " in paragraph
        ):
            layout.append(paragraph)
        else:
            end_of_layout()
            lines += [escaped(" ".join(paragraph.split())), ""]
    end_of_layout()
    return lines


def decorators(node):
    return {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}


def entry(node, colons=4):
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(b) for b in node.bases if ast.unparse(b) not in ("Compared", "object")]
        made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        head = signature(made[0]).replace("__init__", node.name, 1).split(" -> ")[0] if made else node.name
        lines = [f"{':' * (colons + 1)}{{py:class}} {head}"]
        lines += ["", *as_block(text_of(node)), ""]
        if bases:
            lines += ["Derived from " + ", ".join(f"`{b}`" for b in bases) + ".", ""]
        if made and text_of(made[0]):
            lines += [*as_block(text_of(made[0])), ""]
        last = None
        for member in node.body:
            if not isinstance(member, ast.FunctionDef) or member.name.startswith("_") or "setter" in decorators(member):
                continue
            lines += entry_of_member(member, colons, again=member.name == last)
            last = member.name
        return lines + [":" * (colons + 1), ""]
    if isinstance(node, ast.FunctionDef):
        return [f"{':' * colons}{{py:function}} {signature(node)}", "", *as_block(text_of(node)), ":" * colons, ""]
    return [f"{':' * colons}{{py:data}} {node.targets[0].id}", ":" * colons, ""]


def entry_of_member(node, colons, again):
    kind = decorators(node)
    options = [":no-index:"] if again else []  # a further overload
    if kind & {"property", "cached_property"}:
        of_type = (
            [
                f":type: {re.sub(r'(?:numpy.typing|numpy|typing|collections.abc|_core)[.]', '', ast.unparse(node.returns))}"
            ]
            if node.returns
            else []
        )
        return [
            f"{':' * colons}{{py:property}} {node.name}",
            *of_type,
            *options,
            "",
            *as_block(text_of(node)),
            ":" * colons,
            "",
        ]
    if "staticmethod" in kind:
        options.append(":staticmethod:")
    if "classmethod" in kind:
        options.append(":classmethod:")
    return [f"{':' * colons}{{py:method}} {signature(node)}", *options, "", *as_block(text_of(node)), ":" * colons, ""]


def write(folder, package, built):
    """Writes the pages into folder. built: the built package with _core.pyi, or None: then without what is compiled."""
    folder.mkdir(exist_ok=True)
    known = {}
    pages = {name: [] for name in [g[0] for g in GROUPS] + [REST[0]]}
    missing = []
    for name, module in shown_names(package):
        path = package / f"{module}.py"
        if module == "_core":
            path = built / "_core.pyi" if built else None
            if path is None or not path.is_file():
                missing.append(name)
                continue
        if path not in known:
            known[path] = definitions(path)
        node = known[path].get(name)
        if node is None:  # imported there from elsewhere, as Run of robot
            node = next((definitions(p)[name] for p in sorted(package.glob("*.py")) if name in definitions(p)), None)
        if node is None:
            sys.exit(f"{package}: found no definition of {name}, expected one in {module}")
        group = next((g[0] for g in GROUPS if name in g[2]), "errors" if module == "errors" else REST[0])
        pages[group].append((name, node))
    if built is not None and missing:
        sys.exit(f"{built}: found no stub _core.pyi, expected one: make python_test")
    titles = {g[0]: g[1] for g in GROUPS} | {REST[0]: REST[1]}
    head = "```{py:currentmodule} cuttle\n```\n\n"
    for group, entries in pages.items():
        lines = [f"# {titles[group]}", "", head]
        for name, node in sorted(entries, key=lambda e: (isinstance(e[1], ast.FunctionDef), e[0].lower())):
            if isinstance(node, ast.Assign):
                continue
            lines += [f"## {name}", "", *entry(node)]
        if group == REST[0] and missing:
            lines += [
                "These names are compiled; the package was not built where this page was made:",
                "",
                ", ".join(f"`{n}`" for n in missing),
                "",
            ]
        (folder / f"{group}.md").write_text("\n".join(lines), encoding="utf-8")
    module = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    contents = "\n".join(pages)
    (folder / "index.md").write_text(
        f"# Python\n\n```text\n{module}\n```\n\n[In Python](../docs/python.md) is the guide; these pages list every name.\n\n"
        f"```{{toctree}}\n\n{contents}\n```\n",
        encoding="utf-8",
    )
