"""What happens to a robot: scenarios from Python, and their runs."""

from __future__ import annotations

import inspect
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._compared import Compared
from ._numbers import array_of, number_of
from .errors import ArgumentError, ArgumentTypeError, FileError, ModelError
from .own import Kept
from .run import need_text

#: A number, a signal, a function of time, times and values, or the keys of a signal in a scenario file.
SignalLike = Union[
    float, _core.Signal, Callable[[float], float], "tuple[ArrayLike, ArrayLike]", "list[ArrayLike]", Mapping[str, Any]
]


class Controller(Compared):
    """A control law in Python, asked at samples and held in between.

    function(time, q, v) or function(time, q, v, sensors) returns one number an input: `time` [s], `q` of shape (nq,), `v` of
    shape (nv,), `sensors` the readings of all sensors in their order. Other arguments need defaults, which they keep. A method
    `reset()` of it, if there is one, is called before a run.

    name: in results.   rate: samples a second [Hz].   inputs: names of actuators or of single inputs; all.
    limits: (lower, upper), numbers or lists, either None.   delay: from a sample to its output [s].
    window: (begin, end) [s], outside of which it sets nothing.

    A call costs some microseconds beside what the function does (docs/python.md).
    """

    def __init__(
        self,
        function: Callable[..., ArrayLike],
        rate: float,
        inputs: Sequence[str] = (),
        *,
        name: str = "python",
        limits: tuple[Any, Any] = (None, None),
        delay: float = 0.0,
        window: tuple[float, float] | None = None,
    ) -> None:
        self.function = function
        self.rate = number_of(rate, "rate")
        self.inputs = list(inputs)
        self.name = name
        self.lower, self.upper = (_numbers(limit, "limits") for limit in limits)
        self.delay = number_of(delay, "delay")
        self.window = window

    def _insert(self, scenario: _core.ScenarioFile, index: int) -> None:
        called = (_WithSensors if _takes_sensors(self.function) else _WithoutSensors)(self.function)
        scenario.insert_controller(
            index, self.name, called, self.rate, self.inputs, self.lower, self.upper, self.delay, self.window
        )


def _one_dimensional(outputs: Any) -> Any:
    """What a law returned, with a number of NumPy - also an array without dimensions - as the number that it is."""
    return outputs.item() if getattr(outputs, "ndim", 1) == 0 else outputs


class _WithSensors(Compared):
    def __init__(self, function: Callable[..., ArrayLike]) -> None:
        self.function = function

    def __call__(self, time: float, q: Any, v: Any, sensors: Any) -> Any:
        return _one_dimensional(self.function(time, q, v, sensors))

    def reset(self) -> None:
        reset = getattr(self.function, "reset", None)
        if reset is not None:
            reset()


class _WithoutSensors(_WithSensors):
    def __call__(self, time: float, q: Any, v: Any, sensors: Any) -> Any:
        return _one_dimensional(self.function(time, q, v))


def _takes_sensors(function: Callable[..., Any]) -> bool:
    """Whether a function asks for a fourth argument: one without a default, or named `sensors`; `*others` asks for all.

    What has another default is the function's own: ``lambda time, q, v, gain=5: ..``. Of one that says nothing: that it does not.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(places) > 3 and (places[3].default is places[3].empty or places[3].name == "sensors")


def _numbers(given: Any, name: str) -> list[float]:
    return [] if given is None else np.atleast_1d(array_of(given, name)).tolist()


def plain(value: Any, place: str = "", kept: Kept | None = None) -> Any:
    """What JSON can say, of numbers and arrays of NumPy too. JSON is YAML, but for numbers that are not finite.

    kept: takes functions of time, which a name then stands for; without it they are refused.
    """
    if isinstance(value, Mapping):
        found: dict[str, Any] = {}
        for key, item in value.items():
            own = plain(item, f"{place}.{key}" if place else str(key), kept)
            if key == "shape" and hasattr(item, "_keys") and "shape" in own:  # FunctionShape: keys of the mapping around it
                found.update(own)
            else:
                found[str(key)] = own
        return found
    if isinstance(value, (str, bool)) or value is None:
        return value
    if isinstance(value, np.ma.MaskedArray):
        value = array_of(value, place)
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist(), place, kept)
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{place}[{i}]", kept) for i, item in enumerate(value)]
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise ArgumentError(f"{place}: found {value}, expected a finite number", place, str(value), "a finite number")
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "_keys"):  # a part in Python: own.py
        return plain(value._keys(), place, kept)
    if isinstance(value, _core.Signal):
        keys = _signal_keys(value)
        if keys is not None:
            return plain(keys, place, kept)
    if kept is not None and (isinstance(value, _core.Signal) or callable(value)):
        return kept.keys(value if isinstance(value, _core.Signal) else _core.Signal.function(value))
    raise ArgumentError(
        f"{place}: found {type(value).__name__}, expected what a file can say: numbers, texts, lists, mappings", place
    )


#: Keys of a file by the arguments of Signal.KIND.
_SIGNAL_KEYS = {
    "step": ("time", "before", "after"),
    "ramp": ("start", "end", "from", "to"),
    "sine": ("amplitude", "frequency", "phase", "offset"),
    "cubic": ("start", "end", "from", "to"),
    "quintic": ("start", "end", "from", "to"),
    "points": ("time", "value"),
    "spline": ("time", "value"),
    "steps": ("times", "values"),
}


def _signal_keys(signal: _core.Signal) -> dict[str, Any] | float | None:
    """What a file says of a signal; None: it is a function."""
    kind, arguments = getattr(signal, "_made", ("", ()))
    if kind == "":
        return signal.at(0.0)
    return {"type": kind, **dict(zip(_SIGNAL_KEYS[kind], arguments))} if kind in _SIGNAL_KEYS else None


def _signal(given: SignalLike, name: str) -> _core.Signal | Any:
    """A signal, or what a scenario file would say of it, which results then say too."""
    if isinstance(given, (_core.Signal, Mapping)):
        return given
    if callable(given):
        return _core.Signal.function(given)
    if isinstance(given, (tuple, list)) or getattr(given, "ndim", 0) == 2:
        if len(given) != 2:
            raise ArgumentError(f"{name}: found {len(given)} parts, expected two: times and values", name)
        times, values = given
        return {"type": "points", "time": _numbers(times, f"{name}: times"), "value": _numbers(values, f"{name}: values")}
    return number_of(given, name)


def _initial(model: _core.Model, q: ArrayLike | None, v: ArrayLike | None) -> dict[str, Any]:
    """The state by links, as files have it."""
    initial: dict[str, Any] = {}
    for which, given, size in (("q", q, model.nq), ("v", v, model.nv)):
        if given is None:
            continue
        numbers = array_of(given, which)
        if numbers.shape != (size,):
            raise ArgumentError(
                f"{which}: found shape {numbers.shape}, expected ({size},) (n{which} of '{model.name}')", which
            )
        places = [(link.name, getattr(link, which), getattr(link, f"n{which}")) for link in model.links]
        if model.floating_base:
            places.append(("base", 0, 7 if which == "q" else 6))
        for name, first, count in places:
            if count > 0:
                initial.setdefault(name, {})[which] = plain(numbers[first : first + count], f"{which} of {name}")
    return initial


def laws_of(controllers: Controller | Mapping[str, Any] | Iterable[Controller | Mapping[str, Any]]) -> list[Any]:
    """Controllers, of which one may be given alone."""
    if isinstance(controllers, (Controller, Mapping)):
        return [controllers]
    if not isinstance(controllers, Iterable):
        found = type(controllers).__name__
        expected = "controllers: cuttle.Controller(function, rate) makes one of a function"
        raise ArgumentTypeError(f"controllers: found a {found}, expected {expected}", "controllers", f"a {found}", expected)
    return list(controllers)


def scenario_of(
    model: _core.Model,
    duration: float,
    inputs: Mapping[str, SignalLike] | None = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    integrator: str | Mapping[str, Any] | None = None,
    output_step: float | None = None,
    controllers: Controller | Mapping[str, Any] | Iterable[Controller | Mapping[str, Any]] = (),
    motion: Mapping[str, Any] | None = None,
    statics: bool | Mapping[str, float] = False,
    **others: Any,
) -> _core.ScenarioFile:
    """The scenario that ``Robot.simulate`` runs; see there."""
    simulation: dict[str, Any] = {"duration": duration, **{key: value for key, value in others.items() if value is not None}}
    if output_step is not None:
        simulation["output_step"] = output_step
    if integrator is not None:
        simulation["integrator"] = {"type": integrator} if isinstance(integrator, str) else integrator
    initial = _initial(model, q, v)
    if statics is not False:
        if initial:
            raise ArgumentError("statics: found it beside q or v, expected one of them", "statics")
        initial = {"statics": True}
        if isinstance(statics, Mapping):
            initial["inputs"] = statics
    if initial:
        simulation["initial"] = initial
    if motion is not None:
        simulation["motion"] = motion
    signals = {name: _signal(given, f"inputs.{name}") for name, given in (inputs or {}).items()}
    # a name that the robot does not have is the reader's to report
    simulation["inputs"] = {
        name: 0 if isinstance(signal, _core.Signal) else signal for name, signal in signals.items()
    }
    laws = laws_of(controllers)
    simulation["controllers"] = [law for law in laws if not isinstance(law, Controller)]
    for key in ("inputs", "controllers"):
        if not simulation[key]:
            del simulation[key]
    kept = Kept()  # until the text is read
    text = {"cuttle": 1, "robot": "robot.yaml", "simulation": plain(simulation, "", kept)}
    scenario = _core.read_scenario_of_robot(json.dumps(text, indent=1), "simulate", model)
    scenario._signals = kept.signals()
    for name, signal in signals.items():
        if isinstance(signal, _core.Signal):
            scenario.set_input(name, signal)
    for index, law in enumerate(laws):
        if isinstance(law, Controller):
            law._insert(scenario, index)
    return scenario


def save(scenario: _core.ScenarioFile, path: str | os.PathLike[str], replace: bool = False) -> None:
    """Writes a scenario file, PATH, and the robot that it names beside it, NAME_robot.yaml with what that names.

    Raises FileError if one of them is there already, unless `replace`; ModelError for functions of Python, which no file says.
    """
    target = os.fspath(path)
    if hasattr(scenario, "_made"):
        made: tuple[Any, ...] = scenario._made
    else:
        made = scenario._texts()
    if len(made) != 3:
        raise ModelError(f"scenario '{scenario.path}': found one that was read from a file, expected one that Python made: that file says it")
    if getattr(scenario, "_signals", {}):
        raise ModelError("scenario: found a function of time in Python, which no file can say, expected signals")
    keys = json.loads(made[0])
    simulation = keys["simulation"]
    for method, arguments in getattr(scenario, "_changes", []):
        said = None
        if method == "set_input":
            signal = arguments[1] if isinstance(arguments[1], _core.Signal) else _core.Signal(arguments[1])
            said = _signal_keys(signal)
        if said is None:
            what = f"the signal of '{arguments[0]}'" if method == "set_input" else f"the controller '{arguments[1]}'"
            raise ModelError(f"scenario: found {what} in Python, which no file can say, expected the keys of one")
        simulation.setdefault("inputs", {})[arguments[0]] = plain(said)
    model = made[2]
    need_text(model, "written")
    robot = os.path.splitext(target)[0] + "_robot.yaml"
    if not replace and os.path.exists(target):
        raise FileError(f"{target}: found a file of this name, expected none: replace=True writes over it")
    _core.write_robot_file(model, robot, replace, scenario.robot_file)
    keys["robot"] = os.path.basename(robot)
    with open(target, "w", encoding="utf-8") as file:
        file.write(json.dumps(keys, indent=1) + "\n")


def reduced(scenario: _core.ScenarioFile) -> tuple[Any, ...]:
    """For pickles and `==`: what a scenario was made of, and its changes. Signals have their numbers in the place of names."""
    text = scenario._made if hasattr(scenario, "_made") else scenario._texts()
    signals = getattr(scenario, "_signals", {})
    if signals:
        numbers = {name: str(number) for number, name in enumerate(signals)}
        text = (_renamed(text[0], numbers), *text[1:])
    return _made_again, (text, list(signals.values()), list(getattr(scenario, "_changes", [])))


def _made_again(made: tuple[Any, ...], signals: list[_core.Signal], changes: list[tuple[str, tuple[Any, ...]]]) -> _core.ScenarioFile:
    kept = Kept()  # until the text is read
    names = {str(number): kept.keys(signal)["object"] for number, signal in enumerate(signals)}
    if names:
        made = (_renamed(made[0], names), *made[1:])
    scenario = _core.read_scenario_of_robot(*made) if len(made) == 3 else _core._read_scenario_texts(*made)
    scenario._signals = kept.signals()
    for method, arguments in changes:
        getattr(scenario, method)(*arguments)
    return scenario


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text in JSON with other names of functions."""

    def renamed(part: Any) -> Any:
        if isinstance(part, dict):
            if part.get("type") == "python" and part.get("object") in names:
                return {**part, "object": names[part["object"]]}
            return {key: renamed(item) for key, item in part.items()}
        return [renamed(item) for item in part] if isinstance(part, list) else part

    return json.dumps(renamed(json.loads(text)), indent=1)
