"""Signatures of what is C++, for `inspect.signature` and what builds on it (help, editors, mock)."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

_EMPTY = inspect.Parameter.empty


def _parameters(text: str, defaults: Sequence[Any]) -> tuple[list[inspect.Parameter], Any]:
    """Of the declaration of one overload, `def name(self, q: Type = \\0) -> Type`; `defaults` has what stands for \\0."""
    opened = text.index("(")
    depth, start = 0, opened + 1
    parts: list[str] = []
    for i in range(opened, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0 or (depth == 1 and text[i] == ","):
            parts.append(text[start:i].strip())
            start = i + 1
        if depth == 0:
            break
    else:
        raise ValueError(f"found {text!r}, expected a declaration of a function")
    found: list[inspect.Parameter] = []
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for part in filter(None, parts):
        if part == "/":
            found = [one.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for one in found]
            continue
        if part == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        declared, _, default = part.partition(" = ")
        name, _, annotation = declared.partition(":")
        name, this_kind = name.strip(), kind
        if name.startswith("**"):
            name, this_kind = name[2:], inspect.Parameter.VAR_KEYWORD
        elif name.startswith("*"):
            name, this_kind = name[1:], inspect.Parameter.VAR_POSITIONAL
            kind = inspect.Parameter.KEYWORD_ONLY
        value: Any = _EMPTY
        if default.startswith("\\"):
            value = defaults[int(default[1:])]
        elif default:
            value = None if default == "None" else default
        found.append(inspect.Parameter(name, this_kind, default=value, annotation=annotation.strip() or _EMPTY))
    returned = text[i + 1 :].partition("->")[2].strip().rstrip(":")
    return found, returned or _EMPTY


def signature(declarations: Sequence[Any]) -> inspect.Signature:
    """Of a function by its overloads, as nanobind has them: (declaration, text, defaults) each. Of several: any arguments."""
    if len(declarations) != 1:
        anything = [
            inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
            inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
        ]
        return inspect.Signature(anything)
    text, _, defaults = declarations[0]
    parameters, returned = _parameters(text, defaults or ())
    return inspect.Signature(parameters, return_annotation=returned)


def _of_class(cls: Any) -> inspect.Signature:
    made = signature(cls.__init__.__nb_signature__)
    parameters = [one for one in made.parameters.values() if one.name != "self"]
    return made.replace(parameters=parameters, return_annotation=_EMPTY)


def give(core: Any) -> None:
    """Gives the functions and classes of the extension module their signatures."""
    functions = {type(one) for one in vars(core).values() if hasattr(one, "__nb_signature__") and not isinstance(one, type)}
    for one in list(vars(core).values()):
        if not isinstance(one, type):
            continue
        functions.update(type(part) for part in vars(one).values() if hasattr(part, "__nb_signature__") and not isinstance(part, type))
        if hasattr(one.__init__, "__nb_signature__"):
            one.__signature__ = _of_class(one)
    for kind in functions:
        core._set_on_type(kind, "__signature__", property(lambda function: signature(function.__nb_signature__)))
