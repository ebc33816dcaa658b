"""A robot, and what one asks of it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._compared import Compared
from ._engine import Engine, share_out
from ._numbers import array_of, counted, number_of
from ._program import Progress, program, run_program
from .data import as_file, run_identify
from .errors import ArgumentError, ModelError, StaticsError
from .functions import RolloutFunction
from .own import Element, Kept
from .run import Record, frozen, need_text
from .scenario import Controller, SignalLike, laws_of, plain, scenario_of

Array = NDArray[np.float64]


#: Endings of the files of other programs, which are imported.
_IMPORTED = tuple(_core.imported_endings())


def load(path: str | os.PathLike[str], *overrides: str) -> Robot:
    """Reads a robot file, or imports one of another program: URDF, MuJoCo's MJCF (.xml), SDF (docs/importing.md); what is lost
    is in ``warnings`` of the robot.

    overrides: values that replace those of the file, as ``--set`` of the command takes them:
        ``'robot.gravity[2]=-1.62'``, ``'robot.materials.silicone.density=900'``.
    Raises FileError with all errors found, a line each: ``FILE:LINE:COLUMN: key: found X, expected Y``.
    """
    name = os.fspath(path)
    if name.lower().endswith(_IMPORTED):
        return Robot(_core.load_imported_file(name, overrides=list(overrides)))
    return Robot(_core.load_robot_file(name, list(overrides)))


class Rest(Compared):
    """Where a robot rests under inputs and loads.

    q: configuration, (nq,).   u: inputs that act, (nu,).   equilibrium: all that is known of it. Arrays are read-only.
    """

    def __init__(self, robot: Robot, equilibrium: _core.StaticEquilibrium, u: Array, time: float | None = None) -> None:
        self.robot = robot
        self.equilibrium = equilibrium
        self._time = time
        self.q: Array = frozen(equilibrium.q)
        self.u: Array = frozen(np.array(u))

    @property
    def stability(self) -> str:
        """'stable', 'neutral', 'unstable' or 'unknown', of small motions."""
        return self.equilibrium.stability

    @property
    def stable(self) -> bool:
        """Whether no small motion grows."""
        return self.equilibrium.stable

    @property
    def contacts(self) -> dict[str, SimpleNamespace]:
        """By contact what ``Run.contacts`` has, at rest: force on a (3,) and its part friction_force, normal, friction [N],
        gap [m]; center (3,), NaN where nothing presses."""
        found = _core.contacts_at_rest(self.robot.model, self.robot.data, self.equilibrium, self._time)
        return {name: SimpleNamespace(**quantities) for name, quantities in found.items()}

    def frame(self, name: str = "tip") -> _core.Pose:
        """The pose of a frame: LINK.tip, LINK.base or a marker; 'tip' is that of the last link."""
        return self.robot.frame(name, self.q)

    def __repr__(self) -> str:
        return f"<Rest of {self.robot.name}, {self.stability}: q = {np.array2string(self.q, precision=4)}>"


class Robot:
    """A robot that does not change; ``with_`` makes another one.

    >>> robot = cuttle.load("arm.yaml")
    >>> run = robot.with_({"links.arm.body.length": 0.3}).simulate(duration=2, inputs={"motor": 0.2})

    model: the Model, for all functions of this package that have C++ names.   file: the RobotFile that it comes from.
    """

    def __init__(self, file: _core.RobotFile, model: _core.Model | None = None, kept: Kept | None = None) -> None:
        self.file = file
        self.model: _core.Model = model if model is not None else _core.Model(file)
        self._local = threading.local()
        self._kept = kept  # functions of time that its text names

    @classmethod
    def from_text(cls, text: str, name: str = "robot.yaml") -> Robot:
        """Of the text of a robot file; `name` stands for it in messages, and files that it names are in the same folder."""
        return cls(_core.read_robot_text(text, name))

    @classmethod
    def from_dict(cls, keys: Mapping[str, Any], name: str = "robot") -> Robot:
        """Of the keys of a robot file (docs/format.md), numbers of NumPy and arrays too; ``cuttle: 1`` may be left out.

        Parts may be functions of yours: a FunctionBody as ``body``, a FunctionKinematics as ``kinematics`` of a volume, Elements
        among ``elements``, functions of time where a signal is asked for. Such a robot lives in this process: it has no text,
        so it is not saved, pickled, or run by the command.
        """
        kept = Kept()
        if any(isinstance(element, Element) and element.links for element in keys.get("elements", ())):
            links = {key: value for key, value in keys.items() if key in ("base", "materials", "links")}
            counts = {link.name: link.nv for link in cls.from_dict(links, name).model.links}
            keys = {**keys, "elements": [e._on(counts) if isinstance(e, Element) else e for e in keys["elements"]]}
        text = json.dumps({"cuttle": 1, **plain(keys, "", kept)}, indent=1)
        return cls(_core.read_robot_text(text, name), kept=kept)

    # --- what it is ---------------------------------------------------------------------------------------------------
    @property
    def name(self) -> str:
        """Its name in the file."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Size of a configuration."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Size of a velocity."""
        return self.model.nv

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return self.model.nu

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs."""
        return [info.name for info in self.model.input_info]

    @property
    def frames(self) -> list[str]:
        """Names of the frames: LINK.base, LINK.tip, markers."""
        return self.model.frame_names()

    @property
    def warnings(self) -> list[str]:
        """What is unusual about it without being wrong."""
        return self.file.warnings

    def neutral(self) -> Array:
        """Configuration of zeros, identity for rotations, (nq,)."""
        return self.model.neutral()

    def parameters(self) -> dict[str, _core.ParameterInfo]:
        """The real numbers that describe it, by path: ``robot.parameters()["gravity[2]"].value``."""
        return {parameter.path: parameter for parameter in self.model.parameters()}

    def with_(self, changes: Mapping[str, float]) -> Robot:
        """The same robot with other numbers, by path, read and checked as if they stood in the file.

        Raises ArgumentError for an unknown path, ModelError for values that the file could not have either.
        """
        values = {path: number_of(value, path) for path, value in changes.items()}
        return Robot(self.file, self.model.with_(values), self._kept)

    def to_yaml(self) -> str:
        """The robot as the text of a robot file. Meshes and networks are files beside it, which ``save`` writes."""
        self._need_text("written")
        return _core.write_robot(self.model, self.file)[0]

    def save(self, path: str | os.PathLike[str], replace: bool = False) -> None:
        """Writes a robot file, and what it names beside it. Raises FileError if it is there already, unless `replace`."""
        self._need_text("written")
        _core.write_robot_file(self.model, os.fspath(path), replace, self.file)

    def _need_text(self, what: str) -> None:
        """Raises ModelError for a robot with functions, which no file can say."""
        need_text(self.model, what)

    def __getstate__(self) -> tuple[str, dict[str, bytes], str]:
        self._need_text("pickled")
        return (*_core.write_robot(self.model, self.file), self.file.path)

    def __setstate__(self, state: tuple[str, dict[str, bytes], str]) -> None:
        text, files, path = state
        self.__init__(_core.read_robot_text(text, path or "robot.yaml", files))  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        """Whether the text of a robot file is the same; one with functions is equal to what shares its model."""
        if not isinstance(other, Robot):
            return NotImplemented
        if self is other:
            return True
        if _core.own_parts(self.model) or _core.own_parts(other.model):
            return self.model is other.model
        return bool(_core.write_robot(self.model, self.file) == _core.write_robot(other.model, other.file))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.model)

    def __copy__(self) -> Robot:
        return self

    def __deepcopy__(self, memo: Any) -> Robot:
        return self

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {counted(len(self.model.links), 'link')}, nq {self.nq}, nv {self.nv}, nu {self.nu}>"

    # --- algorithms ---------------------------------------------------------------------------------------------------
    @property
    def data(self) -> _core.Data:
        """Working memory of this thread."""
        if not hasattr(self._local, "data"):
            self._local.data = _core.Data(self.model)
        return self._local.data

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Generalized force M(q) a + c + g + s, (nv,) [N m or N], without actuation and loads."""
        return _core.inverse_dynamics(self.model, self.data, q, v, a)

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, u: ArrayLike | None = None) -> Array:
        """Acceleration (nv,) under generalized forces tau (nv,) and inputs u (nu,), without loads and elements."""
        force = np.zeros(self.nv) if tau is None else array_of(tau, "tau")
        if u is not None:
            force = force + _core.actuation_force(self.model, self.data, q, u)
        return _core.forward_dynamics(self.model, self.data, q, v, force)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), (nv, nv)."""
        return _core.mass_matrix(self.model, self.data, q)

    def frame(self, name: str = "tip", q: ArrayLike | None = None) -> _core.Pose:
        """The pose of a frame in the world: LINK.tip, LINK.base or a marker; 'tip' is that of the last link."""
        frame = self._frame(name)
        return _core.forward_kinematics(self.model, self.data, self.neutral() if q is None else q).pose(frame)

    def jacobian(self, name: str, q: ArrayLike) -> Array:
        """J, (6, nv), angular rows first: the twist of a frame in its own axes is J v."""
        return _core.frame_jacobian(self.model, self.data, q, self._frame(name))

    def _frame(self, name: str) -> _core.Frame:
        if name == "tip" and "tip" not in self.frames:
            return self.model.links[-1].tip
        return self.model.frame(name)

    # --- motions ------------------------------------------------------------------------------------------------------
    def simulate(
        self,
        duration: float = 1.0,
        inputs: Mapping[str, SignalLike] | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        integrator: str | Mapping[str, Any] | None = None,
        output_step: float | None = None,
        controllers: Controller | Mapping[str, Any] | Iterable[Controller | Mapping[str, Any]] = (),
        motion: Mapping[str, Any] | None = None,
        statics: bool | Mapping[str, float] = False,
        progress: Callable[[float, float], None] | None = None,
        seed: int | None = None,
        strict: bool | None = None,
        energy_error_limit: float | None = None,
    ) -> Run:
        """Simulates it. Returns its Run.

        duration [s].   q, v: where it begins, (nq,) and (nv,); neutral, at rest.
        inputs: by name: numbers, Signals, functions of time, (times, values), or the keys of a signal in a scenario file.
        integrator: 'bdf', 'erk', .. or a mapping with its options; by the robot.   output_step: between rows [s]; 0.01.
        controllers: Controllers in Python, or the keys of one in a scenario file.   motion: of driven joints, by those keys.
        statics: True, or inputs: begins in the equilibrium under these, gravity and loads, instead of q.
        progress: called some ten times a second with the time reached and the duration [s].
        seed, strict, energy_error_limit: as those keys of a scenario file (docs/format.md).
        Raises FileError for values that make no sense, with their keys; SimulationError if the run fails; KeyboardInterrupt.
        Rows so far of these two are ``error.run``.
        """
        scenario = self.scenario(
            duration=duration,
            inputs=inputs,
            q=q,
            v=v,
            integrator=integrator,
            output_step=output_step,
            controllers=controllers,
            motion=motion,
            statics=statics,
            seed=seed,
            strict=strict,
            energy_error_limit=energy_error_limit,
        )
        return run_scenario(self, scenario, progress)

    def scenario(self, duration: float = 1.0, **keys: Any) -> _core.ScenarioFile:
        """What ``simulate`` would run, for functions with C++ names; the same arguments."""
        return scenario_of(self.model, duration, **keys)

    def sensitivities(
        self, of: Sequence[str] | str, by: Sequence[str] | str, times: ArrayLike | None = None, **keys: Any
    ) -> _core.Sensitivities:
        """Outputs of a run and their exact derivatives by parameters (docs/sensitivities.md).

        of: 'tip.position', 'q', 'energy.elastic', ..   by: paths of parameters.   times: [s], ascending; the end.
        keys: of ``simulate``.
        """
        scenario = self.scenario(**keys)
        at = [scenario.duration] if times is None else np.atleast_1d(array_of(times, "times")).tolist()
        of = [of] if isinstance(of, str) else list(of)
        by = [by] if isinstance(by, str) else list(by)
        return _core.sensitivities(scenario._model_of_run(self.model), scenario, of, by, at)

    def rollout_function(
        self,
        of: Sequence[str] | str,
        by: Sequence[str | Sequence[str]] | str,
        times: ArrayLike | None = None,
        **keys: Any,
    ) -> RolloutFunction:
        """A run as a function of arrays, with its gradient by the adjoint method (docs/gradients.md).

        >>> run = robot.rollout_function(["tip.position", "energy.kinetic"], by=("inputs.motor", "v"), inputs=.., duration=2)
        >>> y, back = run.vjp(u, v)
        >>> by_u, by_v = back({"tip.position": y["tip.position"] - goal})

        of: an output as of ``sensitivities``, or a list of them, then they are returned by name.   times: of samples [s],
        ascending; None: the end.
        by: what it is called with, an array each: 'inputs.NAME', all numbers of a signal; 'inputs', those of all inputs, a
        column each; 'q' and 'v', where it begins; a path as of ``sensitivities``, a number; a list of paths, an array.
        keys: of ``simulate``.
        Raises ArgumentError for what there is not, and for what has no adjoint.
        """
        return RolloutFunction(self, of, by, times, self.scenario(**keys))

    def dynamics(self, integrator: str | Mapping[str, Any] | None = None, step: float | None = None) -> _core.RobotDynamics:
        """The robot as a function: ``f(t, x, u)`` is dx/dt, ``f.step(x, u)`` the state a step later, with their linearisations.

        >>> f = robot.dynamics(integrator="generalized_alpha", step=5e-3)
        >>> x = f.reset()
        >>> x = f.step(x, u)
        >>> A, B, C, D = f.linearise(x, u, of=["tip.position"])

        x: q, then v, and states of elements and contacts where it has some.   u: inputs.
        integrator: of steps, with its options; 'generalized_alpha'.   step: its length [s]; None: there are rates alone.
        It is memory of one thread. Raises FileError for an integrator that there is not.
        """
        chosen = dict(integrator) if isinstance(integrator, Mapping) else {"type": integrator or "generalized_alpha"}
        if step is not None:
            chosen["step"] = number_of(step, "step")
        return _core.RobotDynamics(self.model, self.scenario(integrator=chosen))

    def rollouts(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        parameters: Mapping[str, ArrayLike] | None = None,
        held_inputs: ArrayLike | None = None,
        method: str = "tsit5",
        step: float = 1e-3,
        threads: int = 0,
        raise_on_failure: bool = True,
        engine: Any = None,
        **keys: Any,
    ) -> _core.ControlledRollout:
        """Many robots with controllers, each alone on a core, with fixed steps: one row a robot.

        q, v: where they begin, (robots, nq) and (robots, nv); at rest.   parameters: by path, (robots,).
        held_inputs: (robots, intervals, nu), held over equal intervals, added to ``inputs``.   method: 'tsit5' or 'rk4'.
        keys: of ``simulate``: duration, inputs, controllers by their keys, output_step, seed. Robots without controllers go
        faster in a ``Batch``.   engine: None: `threads` of this machine; else as of ``cuttle.sweep``: some robots a task, and
        the same numbers bit for bit.
        Of a robot that fails all is NaN from then on; ``failures`` says why, ``last_q`` and ``last_v`` are its last good state.
        It raises SimulationError, with all results in ``error.rollout``, unless raise_on_failure is False.
        """
        scenario, q, v, paths, values, held = self._rollouts(q, v, parameters, held_inputs, keys)
        samples = "output_step" in keys
        if engine is None:
            return _core.controlled_rollout(self.model, scenario, q, v, paths, values, held, method, step, samples, threads,
                                            raise_on_failure)
        begins, speeds = np.atleast_2d(array_of(q, "q")), np.atleast_2d(array_of(v, "v"))
        inputs = None if held is None else array_of(held, "held_inputs")
        for name, given in (("v", speeds), ("held_inputs", inputs)):
            if given is not None and len(given) != len(begins):
                expected = f"{len(begins)}, one a robot"
                raise ArgumentError(f"{name}: found {len(given)} rows, expected {expected}", name, f"{len(given)} rows", expected)
        with Engine(engine, None) as used:
            count = max(1, -(-len(begins) // (4 * used.workers())))  # some tasks for each worker: robots differ in length
        packed, seed = pickle.dumps(self), int(keys.get("seed", 0))
        tasks = []
        for first in range(0, len(begins), count):
            some = slice(first, first + count)
            own = self.scenario(**{**keys, "seed": seed + first})  # what is random in a robot is that of its number
            rows = [None if whole is None else whole[some] for whole in (values, inputs)]
            tasks.append((packed, own, begins[some], speeds[some], paths, rows, method, step, samples))
        return _core._joined_rollouts(share_out(_roll_out, tasks, engine=engine), raise_on_failure)

    def rollout_derivatives(
        self,
        by: Sequence[str] | str,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        parameters: Mapping[str, ArrayLike] | None = None,
        held_inputs: ArrayLike | None = None,
        method: str = "tsit5",
        step: float = 1e-3,
        threads: int = 0,
        raise_on_failure: bool = True,
        **keys: Any,
    ) -> _core.RolloutDerivatives:
        """Exact derivatives of ``rollouts`` and of roll-outs of a ``Batch``, by each robot's own numbers.

        by: paths as of ``sensitivities``, and 'held_inputs[k].NAME'.   The others: as of ``rollouts``.
        """
        scenario, q, v, paths, values, held = self._rollouts(q, v, parameters, held_inputs, keys)
        by = [by] if isinstance(by, str) else list(by)
        return _core.rollout_derivatives(self.model, scenario, q, v, by, paths, values, held, method, step,
                                         "output_step" in keys, threads, raise_on_failure)

    def _rollouts(self, q: ArrayLike, v: ArrayLike | None, parameters: Mapping[str, ArrayLike] | None,
                  held_inputs: ArrayLike | None, keys: dict[str, Any]) -> tuple[Any, ...]:
        known = ("controllers", "duration", "inputs", "output_step", "seed")
        for key in keys:
            if key not in known:
                raise ArgumentError(f"roll-outs: found '{key}', expected one of {', '.join(known)}: `simulate` has the others",
                                    key, key, ", ".join(known))
        keys["controllers"] = laws_of(keys.get("controllers", ()))
        if any(isinstance(law, Controller) for law in keys["controllers"]):
            raise ArgumentError("controllers: found a function of Python, which runs one robot at a time, expected keys of a file",
                                "controllers")
        q = np.atleast_2d(array_of(q, "q"))
        v = np.zeros((len(q), self.nv)) if v is None else v
        paths = list(parameters or {})
        values = np.empty((len(q), len(paths))) if paths else None
        for k, path in enumerate(paths):
            given = array_of(parameters[path], path)
            if given.shape not in ((), (1,), (len(q),)):
                expected = f"({len(q)},), one a robot"
                raise ArgumentError(f"parameters['{path}']: found shape {given.shape}, expected {expected}", path, str(given.shape), expected)
            values[:, k] = given
        return self.scenario(**keys), q, v, paths, values, held_inputs

    # --- rest ---------------------------------------------------------------------------------------------------------
    def input_vector(self, inputs: Mapping[str, float] | ArrayLike | None) -> Array:
        """Inputs by name as a vector (nu,); others are zero."""
        if inputs is None:
            return np.zeros(self.nu)
        if not isinstance(inputs, Mapping):
            return np.array(array_of(inputs, "inputs"))
        u = np.zeros(self.nu)
        for name, value in inputs.items():
            if name not in self.inputs:
                known = ", ".join(self.inputs) or "none: the robot has no actuators"
                raise ArgumentError(f"inputs: found '{name}', expected one of {known}", "inputs", name, known)
            u[self.inputs.index(name)] = number_of(value, f"inputs.{name}")
        return u

    def statics(
        self,
        inputs: Mapping[str, float] | ArrayLike | None = None,
        q: ArrayLike | None = None,
        *,
        loads_at: float | None = 0.0,
        target: Mapping[str, Any] | None = None,
        by: Sequence[str] = (),
        friction: str = "from_start",
    ) -> Rest:
        """Where it rests under inputs, gravity and its loads.

        inputs: by name, or (nu,).   q: where to look from, (nq,).   loads_at: time of its loads [s]; None: without them.
        target: finds the least inputs that hold frames: by frame a position (3,) [m] or a Pose; then `by` names the inputs
        that may change, all by default.   friction: of contacts, 'from_start', as if the robot had come straight from q, or
        'none'.
        Raises StaticsError if there is no equilibrium, or a target cannot be held.
        """
        u = self.input_vector(inputs)
        if target is None:
            found = _core.static_equilibrium(self.model, self.data, u, q, loads_at=loads_at, friction=friction)
            return Rest(self, found, u, loads_at)
        indices = [self.inputs.index(name) for name in by]
        held = _core.inverse_statics(self.model, self._targets(target), u, q, indices, loads_at=loads_at, friction=friction)
        if not held.converged:
            raise StaticsError(f"target: found none of the equilibria there, the nearest one is {held.residual:.3g} off")
        return Rest(self, held.equilibrium, held.u, loads_at)

    def _targets(self, target: Mapping[str, Any]) -> list[_core.FrameTarget]:
        targets = []
        for name, goal in target.items():
            frame = self._frame(name)
            if isinstance(goal, _core.Pose):
                targets.append(_core.FrameTarget.at_pose(frame, goal))
            else:
                targets.append(_core.FrameTarget.at_position(frame, goal))
            targets[-1].name = name
        return targets

    def ik(
        self,
        target: Mapping[str, Any],
        q: ArrayLike | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        least_energy: bool = True,
    ) -> _core.InverseKinematicsResult:
        """A configuration with frames at their targets, loops closed and within limits, of least elastic energy.

        target: by frame a position (3,) [m] or a Pose.   q: where to start, (nq,).   lower, upper: limits, (nq,).
        That one is out of reach is no error: ``converged`` of the result says it, and ``errors`` how far off it is.
        """
        solver = _core.InverseKinematics(self.model, self._targets(target), lower, upper, least_energy)
        return solver.solve(self.neutral() if q is None else q)

    def modes(
        self,
        inputs: Mapping[str, float] | ArrayLike | None = None,
        q: ArrayLike | None = None,
        *,
        loads_at: float | None = 0.0,
        count: int | None = None,
    ) -> list[_core.Mode]:
        """Modes of small motions about where it rests (arguments of ``statics``), by ascending |eigenvalue|.

        count: only so many of the lowest, in a time linear in the number of links; None: all.
        """
        rest = self.statics(inputs, q, loads_at=loads_at)
        return _core.modes(self.model, self.data, rest.equilibrium, rest.u, loads_at=loads_at, count=count)

    # --- with the command ---------------------------------------------------------------------------------------------
    def live(self, *options: str) -> subprocess.Popen[bytes]:
        """Runs it in real time on a page of this machine: drag it, drive its inputs (``cuttle live``, docs/live.md).

        options: of the command, as '--no-open'. Returns the process: ``terminate()`` ends it.
        """
        folder = tempfile.mkdtemp(prefix="cuttle-")
        path = os.path.join(folder, f"{self.name}.yaml")
        self.save(path)
        return subprocess.Popen([program(), "live", path, *options])

    def export(self, path: str | os.PathLike[str], *options: str) -> dict[str, Any]:
        """Writes it for other programs, PATH.urdf or MuJoCo's PATH.xml (``cuttle export``, docs/importing.md).

        options: of the command, as '--segments', '20', '--allow-loss', '--force'.
        Returns what the command prints as JSON: the chains that soft bodies became and how far they are from them
        (frequencies in Hz, distances in m), and what is lost. Raises ProgramError with its words.
        """
        target = os.fspath(path)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, f"{self.name}.yaml")
            self.save(source)
            kind = "--urdf" if target.endswith(".urdf") else "--mjcf"
            return json.loads(run_program("export", source, kind, "--json", "-o", target, *options))

    def identify(
        self, data: Any, free: Sequence[str], *options: str, engine: Any = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Parameters from measured equilibria (``cuttle identify``, docs/identification.md).

        data: a CSV file, or a DataFrame.   free: paths of parameters.   options: of the command, as '--map', 'columns.txt'.
        engine: who searches from the starts of '--starts', 'N', as of ``cuttle.identify``.
        Returns what the command prints as JSON (docs/format.md). Raises ProgramError with its words. Progress, Ctrl-C, and
        recordings of motions: ``cuttle.identify``.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{self.name}.yaml")
            self.save(path)
            chosen = [part for parameter in free for part in ("--free", parameter)]
            return run_identify([path, as_file(data, folder, 1), *chosen, *options], progress, engine)


class Run(Record):
    """A run of a scenario: one row an output time, n rows. Its arrays are read-only: ``run.q.copy()`` may be changed.

    >>> run = cuttle.simulate("arm_scenario.yaml")
    >>> run.time, run.q, run.frame("arm.tip").position, run.energy.total
    """

    def __init__(self, run: _core.Run, robot: Robot | None = None) -> None:
        super().__init__(run)
        self._robot = robot

    def __getstate__(self) -> dict[str, Any]:
        return {"_run": self._pickled_run(), "_robot": None}

    @cached_property
    def robot(self) -> Robot:
        """The robot that moved."""
        return self._robot if self._robot is not None else Robot(self._run.robot_file, self._run.model)


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> Robot:
    """A robot that came to a worker: built once, not for each task."""
    robot: Robot = pickle.loads(packed)
    return robot


def _roll_out(task: tuple[Any, ...]) -> _core.ControlledRollout:
    """Some of the robots of ``Robot.rollouts``, on one thread."""
    packed, scenario, q, v, paths, (values, held), *rest = task
    return _core.controlled_rollout(_unpacked(packed).model, scenario, q, v, paths, values, held, *rest, 1, False)


def run_scenario(
    robot: Robot, scenario: _core.ScenarioFile, progress: Callable[[float, float], None] | None = None
) -> Run:
    """Runs it; what it raises has the rows so far as ``run``."""
    model = scenario._model_of_run(robot.model)
    run = _core.Run(model, scenario, robot.file)
    if model is not robot.model:  # with joints that drive its loops
        robot = Robot(run.robot_file, model)
    try:
        run.go(progress)
    except BaseException as error:
        error.run = Run(run, robot)  # type: ignore[attr-defined]
        raise
    return Run(run, robot)


def simulate(path: str | os.PathLike[str], *overrides: str, progress: Callable[[float, float], None] | None = None) -> Run:
    """Runs a scenario file. Returns its Run.

    overrides: values that replace those of the files, as ``--set`` of the command takes them:
        ``'simulation.duration=2'``, ``'robot.materials.silicone.young_modulus=1e6'``.
    progress: called some ten times a second with the time reached and the duration [s].
    Raises FileError with all errors of both files, SimulationError if the run fails; its rows are ``error.run`` then, as they
    are of the KeyboardInterrupt that Ctrl-C raises.
    """
    scenario = _core.load_scenario_file(os.fspath(path), list(overrides))
    return run_scenario(Robot(scenario.robot_file), scenario, progress)


def load_run(path: str | os.PathLike[str]) -> Run:
    """Reads a result in HDF5, of the command or of ``Run.save``. Raises FileError for one that is damaged in any way."""
    return Run(_core.read_run(os.fspath(path)))
