"""Robots and scenarios that come with the package."""

from __future__ import annotations

from pathlib import Path

_MODELS = Path(__file__).parent / "models"


def examples() -> list[str]:
    """Names of the robots and scenarios that come with the package, as 'examples/tendon_arm.yaml'."""
    return sorted(str(path.relative_to(_MODELS)) for path in _MODELS.glob("*/*.yaml"))


def example(name: str) -> str:
    """The path of one of them, for ``load`` and ``simulate``; folder and '.yaml' may be left out: 'tendon_arm'."""
    path = find_example(name)
    if path is None:
        raise FileNotFoundError(f"example '{name}': found none, expected one of {', '.join(examples())}")
    return path


def find_example(name: str) -> str | None:
    """The path of one of them, or None. A name that several folders have is that of 'examples'."""
    for pattern in (name, f"{name}.yaml", f"examples/{name}", f"examples/{name}.yaml"):
        if (_MODELS / pattern).is_file():
            return str(_MODELS / pattern)
    stem = name.removesuffix(".yaml")
    found = [path for path in _MODELS.glob("*/*.yaml") if path.stem == stem]
    return str(found[0]) if len(found) == 1 else None
