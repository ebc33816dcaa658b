"""What the classes of C++ say of themselves at a prompt, and what Python adds to them."""

from __future__ import annotations

from typing import Any

from . import _core, scenario
from ._numbers import counted


def _mode(mode: Any) -> str:
    eigenvalue = complex(mode.eigenvalue)
    if eigenvalue == 0.0:
        return "<Mode that moves freely>"
    if eigenvalue.imag == 0.0:
        word = "decays" if eigenvalue.real < 0.0 else "grows"
        return f"<Mode that {word} in {1.0 / abs(eigenvalue.real):.4g} s>"
    return f"<Mode of {mode.frequency:.4g} Hz, damping ratio {mode.damping_ratio:.3g}>"


def _model(model: Any) -> str:
    return f"<Model {model.name}: {counted(len(model.links), 'link')}, nq {model.nq}, nv {model.nv}, nu {model.nu}>"


def _signal(signal: Any) -> str:
    kind, arguments = getattr(signal, "_made", ("", ()))
    if kind == "":
        return f"Signal({signal.at(0.0):g})"
    said = ", ".join(_short(argument) for argument in arguments if argument is not None and argument != [])
    return f"Signal.{kind}({said})"


def _short(argument: Any) -> str:
    if isinstance(argument, (int, float)):
        return f"{argument:g}"
    if hasattr(argument, "__len__"):
        return f"[{len(argument)} numbers]"
    return getattr(argument, "__qualname__", type(argument).__name__)


def _scenario(file: Any) -> str:
    return f"<ScenarioFile {file.path}: {file.duration:g} s>"


def _robot_file(file: Any) -> str:
    return f"<RobotFile {file.path}>"


def _frame(frame: Any) -> str:
    return f"<Frame of node {frame.node}>" if hasattr(frame, "node") else "<Frame>"  # it does not know its name


def _link(link: Any) -> str:
    return f"<LinkInfo {link.name}: {link.joint_type or 'fixed'}, {link.body_type or 'no body'}, nq {link.nq}, nv {link.nv}>"


def _equilibrium(found: Any) -> str:
    return f"<StaticEquilibrium, {found.stability}, residual {found.residual:.3g}>"


for _kind, _text in (
    (_core.Mode, _mode),
    (_core.Model, _model),
    (_core.Signal, _signal),
    (_core.ScenarioFile, _scenario),
    (_core.RobotFile, _robot_file),
    (_core.Frame, _frame),
    (_core.LinkInfo, _link),
    (_core.StaticEquilibrium, _equilibrium),
):
    _kind.__repr__ = _text  # type: ignore[method-assign]

_core.ScenarioFile.save = scenario.save  # type: ignore[attr-defined]
