"""Robots and scenarios that come with the package."""

from __future__ import annotations

from pathlib import Path

_MODELS = Path(__file__).parent / "models"


def examples() -> list[str]:
    """Names of the robots and scenarios that come with the package, as 'examples/tendon_arm.yaml'."""
    return sorted(str(path.relative_to(_MODELS)) for path in _MODELS.glob("*/*.yaml"))


def example(name: str) -> str:
    """The path of one of them, for ``load`` and ``simulate``; '.yaml' may be left out, and 'examples/' too."""
    tried = [name, f"{name}.yaml", f"examples/{name}", f"examples/{name}.yaml"]
    for candidate in tried:
        path = _MODELS / candidate
        if path.is_file():
            return str(path)
    raise FileNotFoundError(f"example '{name}': found none, expected one of {', '.join(examples())}")
