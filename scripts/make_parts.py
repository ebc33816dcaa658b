#!/usr/bin/env python3
"""Writes python/cuttle/parts.py, a dataclass for each part of a robot file, from the schema of these files:

  scripts/make_parts.py docs/schema/cuttle-robot.schema.json > python/cuttle/parts.py
"""

import json
import keyword
import re
import sys
import textwrap

WIDTH = 120
HEAD = '''"""Parts of a robot as dataclasses, with the keys of a robot file (docs/format.md): made from its schema, not by hand.

    from cuttle.parts import CircleSection, Link, Material, RevoluteJoint, RobotFile, RodBody

    arm = RobotFile(
        name="arm",
        materials={"silicone": Material(density=1070, young_modulus=5e5)},
        links=[Link("finger", joint=RevoluteJoint(axis=[0, 1, 0]), body=RodBody(0.3, section=CircleSection(0.02), material="silicone", strain="pcc"))])
    robot = cuttle.Robot.from_dict(arm)

What is left out (None) has the default of the file. A part is a mapping of its keys too, and may stand beside dictionaries. What is wrong in
values is said when the robot is made, as of a file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ._compared import same


class Part(Mapping[str, Any]):
    """A part of a robot: the keys of a file that are given, as attributes and as a mapping."""

    _kind: ClassVar[tuple[str, str] | None] = None

    def __iter__(self) -> Iterator[str]:
        if self._kind is not None:
            yield self._kind[0]
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if getattr(self, field.name) is not None:
                yield field.name.rstrip("_")

    def __getitem__(self, key: str) -> Any:
        if self._kind is not None and key == self._kind[0]:
            return self._kind[1]
        name = key + "_" if _is_reserved(key) else key
        value = getattr(self, name, None) if name in self.__dataclass_fields__ else None  # type: ignore[attr-defined]
        if value is None:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(dict(self), dict(other))

    __hash__ = None  # type: ignore[assignment]


def _is_reserved(key: str) -> bool:
    return key in {RESERVED}

'''


def camel(*words):
    return "".join(part.capitalize() for word in words for part in re.split(r"[_ ]", word))


def python_name(key):
    return key + "_" if keyword.iskeyword(key) else key


class Writer:
    def __init__(self, schema):
        self.definitions = schema["$defs"]
        self.classes = {}  # name: (kind, description, fields)
        self.of_definition = {}  # names of classes of a definition
        self.add_definition("robot_file", schema)
        for name, definition in self.definitions.items():
            self.add_definition(name, definition)

    def add_definition(self, name, definition):
        if definition.get("type") != "object" or name in self.of_definition:
            return
        discriminator = next((key for key, rule in definition.get("properties", {}).items()
                              if key in ("type", "shape", "form", "law", "family") and "enum" in rule), None)
        names = self.of_definition.setdefault(name, [])
        variants = [branch for branch in definition.get("allOf", []) if discriminator and "if" in branch
                    and discriminator in branch["if"].get("properties", {})]
        if not variants:
            names.append(camel(name))
            self.classes[camel(name)] = (None, definition.get("description", ""), self.fields(definition, None))
            return
        about = dict(line.split(": ", 1) for line in definition["properties"][discriminator].get("description", "").split("\n")
                     if ": " in line)
        for branch in variants:
            value = branch["if"]["properties"][discriminator].get("const")
            if value is None:
                continue
            title = camel(value, "body" if name == "body" else name)
            names.append(title)
            fields = {**self.fields(definition, discriminator), **self.fields(branch["then"], discriminator)}
            self.classes[title] = ((discriminator, value), about.get(value, ""), fields)

    def fields(self, definition, discriminator):
        required = set(definition.get("required", []))
        found = {}
        for key, rule in definition.get("properties", {}).items():
            if key == discriminator or not isinstance(rule, dict) or key == "cuttle":
                continue
            found[key] = (key in required, self.type_of(rule), rule.get("description", ""))
        for branch in definition.get("allOf", []):  # keys that some values of others bring with them
            for key, field in self.fields(branch.get("then", {}), discriminator).items():
                if "properties" in branch.get("then", {}) and key not in found and "if" not in definition and discriminator is None:
                    found[key] = (False, *field[1:])
        return found

    def type_of(self, rule):
        if "$ref" in rule:
            name = rule["$ref"].rsplit("/", 1)[1]
            simple = {"number": "float", "integer": "int", "boolean": "bool", "name": "str"}
            if name in simple:
                return simple[name]
            definition = self.definitions[name]
            if definition.get("type") == "object":
                return "Mapping[str, Any]"
            return "Any"
        if "anyOf" in rule:
            kinds = []
            for option in rule["anyOf"]:
                for kind in self.type_of(option).split(" | "):
                    if kind not in kinds:
                        kinds.append(kind)
            return "Any" if "Any" in kinds else " | ".join(kinds)
        if rule.get("type") == "array":
            items = rule.get("items")
            return f"Sequence[{self.type_of(items) if isinstance(items, dict) else 'Any'}]"
        if rule.get("type") == "object":
            return "Mapping[str, Any]"
        if rule.get("type") == "string" or all(isinstance(value, str) for value in rule.get("enum", [0])):
            return "str"
        return "Any"

    def text(self):
        reserved = sorted(key for _, _, fields in self.classes.values() for key in fields if keyword.iskeyword(key))
        parts = [HEAD.replace("{RESERVED}", "{" + ", ".join(f'"{key}"' for key in dict.fromkeys(reserved)) + "}")]
        for name, (kind, about, fields) in self.classes.items():
            parts.append(self.class_text(name, kind, about, fields))
        names = ["Part", *self.classes]
        listed = textwrap.fill(", ".join(f'"{name}"' for name in names), WIDTH, initial_indent="    ", subsequent_indent="    ")
        parts.append(f"\n__all__ = [\n{listed},\n]\n")
        return "\n".join(parts)

    def class_text(self, name, kind, about, fields):
        ordered = sorted(fields.items(), key=lambda field: not field[1][0])
        title = f"`{kind[0]}: {kind[1]}` of a robot file." if kind else "The keys of a whole robot file." if name == "RobotFile" else ""
        text = " ".join(filter(None, [about.replace("\n", " "), title])) or f"`{name}` of a robot file."
        lines = ["", "@dataclasses.dataclass(eq=False)", f"class {name}(Part):"]
        doc = textwrap.wrap(text.replace("\\", "\\\\"), WIDTH - 8)
        for key, (_, _, description) in ordered:
            words = f"{python_name(key)}: {description}".replace("\\", "\\\\").replace("\n", " ")
            doc += ["", *textwrap.wrap(words, WIDTH - 8)] if len(doc) == len(textwrap.wrap(text, WIDTH - 8)) else \
                textwrap.wrap(words, WIDTH - 8, subsequent_indent="    ")
        lines += ['    """' + doc[0], *(("    " + line).rstrip() for line in doc[1:]), '    """' if len(doc) > 1 else ""]
        if len(doc) == 1:
            lines = lines[:-1]
            lines[-1] += '"""'
        lines.append("")
        if kind:
            lines.append(f'    _kind: ClassVar[tuple[str, str] | None] = ("{kind[0]}", "{kind[1]}")')
        for key, (required, kind_of_value, _) in ordered:
            lines.append(f"    {python_name(key)}: {kind_of_value}" if required else f"    {python_name(key)}: {kind_of_value} | None = None")
        if not kind and not ordered:
            lines.append("    pass")
        return "\n".join(lines) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        print(Writer(json.load(file)).text(), end="")


if __name__ == "__main__":
    main()
