"""What Cuttle raises. The text says where, what was found and what was expected; the same are there as attributes."""

import builtins as _builtins


class Error(Exception):
    """Root of everything that Cuttle raises.

    Equal to others of its class with the same texts.
    path: the way to what is wrong, with the keys of a robot file: ``links[0].body.section.radius``; empty: none.
    found, expected: what the text says of them; empty where it is free text.
    """

    def __init__(self, text: str = "", path: str = "", found: str = "", expected: str = "") -> None:
        super().__init__(text, path, found, expected)
        self.path = path
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return self.args[0]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class ArgumentError(Error, ValueError):
    """An argument has the wrong size, is not finite, or is outside its range."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument is something else than numbers, or would lose something as numbers: a text, a masked array, complex numbers."""


class ModelError(Error, ValueError):
    """The parameters of a body, joint or robot make no sense."""


class ConfigurationError(Error):
    """A body's configuration is outside the set on which its kinematics are defined."""


class SingularMassError(Error):
    """The mass matrix is not positive definite: a coordinate that moves no mass. Names the link."""


class OverflowError(Error, _builtins.OverflowError):
    """A result is beyond all numbers although every argument is finite."""


class FileError(Error):
    """A file cannot be read or is wrong: ``FILE:LINE:COLUMN: key: found X, expected Y``, a line an error."""


class SimulationError(Error):
    """A simulation cannot go on: link, time and state are in the text. Its rows so far are ``error.run``.

    Of many robots of which some failed: ``error.rollout`` has the results, with NaN and the reasons of these.
    """


class StaticsError(Error):
    """No equilibrium was found; the part of the load that was reached and the link are in the text."""


class ProgramError(Error):
    """The command ``cuttle`` failed; its words are the text."""
