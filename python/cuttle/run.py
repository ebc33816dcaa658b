"""What happened to a robot: the rows of a run, as arrays."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._compared import Compared
from ._program import run_program
from .errors import ModelError

Array = NDArray[np.float64]
_ENERGIES = tuple(_core.energy_names())


def frozen(array: Array) -> Array:
    """The same array, read-only: what changed it would change what the run says elsewhere."""
    array.flags.writeable = False
    return array


def _frozen_all(arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name: frozen(array) for name, array in arrays.items()}


class FrameMotion(Compared):
    """How a frame moved, in world axes; n rows, read-only.

    position: (n, 3) [m].   orientation: quaternions w, x, y, z, (n, 4), without jumps; files of results have w >= 0.
    rotation: (n, 3, 3).
    velocity: of its origin, (n, 3) [m/s].   angular_velocity: (n, 3) [rad/s].
    """

    def __init__(self, name: str, numbers: tuple[Array, Array, Array, Array, Array]) -> None:
        self.name = name
        self.position, self.orientation, self.rotation, self.velocity, self.angular_velocity = map(frozen, numbers)

    def __repr__(self) -> str:
        return f"<FrameMotion of {self.name}, {len(self.position)} rows>"


class Energy(Compared):
    """Energies and works of a run [J], arrays of shape (n,).

    kinetic, gravity, elastic (of bodies and joint springs), elements (that elements store), contacts (that contacts
    store); since the start: dissipated (that damping and friction took), input (that actuators gave), load (that loads
    and obstacles that move gave).
    """

    kinetic: Array
    gravity: Array
    elastic: Array
    elements: Array
    contacts: Array
    dissipated: Array
    input: Array
    load: Array

    def __init__(self, run: _core.Run) -> None:
        for name in _ENERGIES:
            setattr(self, name, frozen(run.numbers(name)))

    @property
    def total(self) -> Array:
        """kinetic + gravity + elastic + elements + contacts."""
        return self.kinetic + self.gravity + self.elastic + self.elements + self.contacts

    @property
    def balance(self) -> Array:
        """What should be zero: total - total[0] - input - load + dissipated."""
        return self.total - self.total[0] - self.input - self.load + self.dissipated


def why_no_text(own: Sequence[str], process: str = "this process alone") -> str:
    """Of a robot that has functions of Python at these places."""
    return (
        f"found functions of Python at {', '.join(own)}, which live in {process}; "
        "expected parts that a file can say"
    )


def need_text(model: _core.Model, what: str) -> None:
    """Raises ModelError for a robot with functions of Python, which no file can say."""
    own = _core.own_parts(model)
    if own:
        raise ModelError(f"'{model.name}' cannot be {what}: {why_no_text(own)}", own[0])


class _Rows(Compared):
    """What a run has of a robot with functions of Python that is in another process: rows, and how it ended."""

    def __init__(self, run: _core.Run, own: Sequence[str]) -> None:
        self._own = list(own)
        self.name, self.status, self.message = run.name, run.status, run.message
        self.warnings, self.integrator = run.warnings, run.integrator
        self._rows = {name: run.rows(name) for name in _core.row_names()}
        self._numbers = {name: run.numbers(name) for name in ("time", *_ENERGIES)}
        self._others = {name: getattr(run, name)() for name in ("statistics", "columns", "units", "controllers", "sensors", "contacts")}

    def _compared(self) -> dict[str, Any]:
        others = {name: part for name, part in self._others.items() if name != "statistics"}  # which say how long it took
        return {**vars(self), "_others": others}

    def rows(self, name: str) -> Array:
        return self._rows[name]

    def numbers(self, name: str) -> Array:
        return self._numbers[name]

    def __getattr__(self, name: str) -> Any:
        if name in ("statistics", "columns", "units", "controllers", "sensors", "contacts"):
            return lambda: self._others[name]
        if name in ("model", "robot_file", "save"):
            raise ModelError(f"the robot '{self.name}' is not here: {why_no_text(self._own, 'another process')}", self._own[0])
        raise AttributeError(name)


class Record(Compared):
    """What was recorded of a run: one row an output time, n rows. `Run` has the robot too."""

    def __init__(self, run: _core.Run) -> None:
        self._run: Any = run

    def _compared(self) -> Any:
        return self._pickled_run()

    def _pickled_run(self) -> Any:
        own = [] if isinstance(self._run, _Rows) else _core.own_parts(self._run.model)
        return _Rows(self._run, own) if own else self._run

    def __hash__(self) -> int:
        end = self.q[-1].tolist() if len(self.q) else []
        return hash((len(self.time), *self.time[-1:].tolist(), *(x for x in end if x == x)))  # each NaN has its own

    @cached_property
    def time(self) -> Array:
        """[s], shape (n,)."""
        return frozen(self._run.numbers("time"))

    @cached_property
    def q(self) -> Array:
        """Configurations, shape (n, nq); names and units in ``robot.model.configuration_info``."""
        return frozen(self._run.rows("q"))

    @cached_property
    def v(self) -> Array:
        """Velocities, shape (n, nv)."""
        return frozen(self._run.rows("v"))

    @cached_property
    def u(self) -> Array:
        """Inputs that acted, shape (n, nu)."""
        return frozen(self._run.rows("u"))

    @cached_property
    def y(self) -> Array:
        """Actuation coordinates, on which u does work, shape (n, nu)."""
        return frozen(self._run.rows("y"))

    @cached_property
    def energy(self) -> Energy:
        """Energies and works [J]."""
        return Energy(self._run)

    @cached_property
    def multipliers(self) -> Array:
        """Of the closed loops' rows, shape (n, constraint_count) [N or N m]."""
        return frozen(self._run.rows("multipliers"))

    @cached_property
    def loop_residual(self) -> Array:
        """How far closed loops are open, shape (n, constraint_count)."""
        return frozen(self._run.rows("loop_residual"))

    @cached_property
    def element_states(self) -> Array:
        """States of elements, shape (n, states)."""
        return frozen(self._run.rows("element_states"))

    @cached_property
    def motion(self) -> Array:
        """Efforts of driven coordinates, shape (n, efforts) [N m or N]."""
        return frozen(self._run.rows("motion"))

    @property
    def sensors(self) -> dict[str, Array]:
        """Readings by sensor, shape (n, columns) each; NaN where one is not known."""
        return dict(self._sensors)

    @cached_property
    def _sensors(self) -> dict[str, Array]:
        return _frozen_all(self._run.sensors())

    @property
    def contacts(self) -> dict[str, SimpleNamespace]:
        """By contact, of several pairs also by NAME/A-B: force on a, world axes, and its part friction_force (n, 3) [N];
        normal, the sum of normal forces, and friction, the magnitude of the resultant (n,) [N]; gap, the least distance,
        negative when pressed (n,) [m]; slip, the largest speed of sliding (n,) [m/s]; dissipated, the energy that it
        has taken so far (n,) [J]; center, where it presses (n, 3) [m], NaN where nothing does. With `record: sites`
        NAME/sites has each site: position, normal, force, state, pressure."""
        return {name: SimpleNamespace(**parts) for name, parts in self._contacts.items()}

    @cached_property
    def _contacts(self) -> dict[str, dict[str, Array]]:
        return {name: _frozen_all(parts) for name, parts in self._run.contacts().items()}

    @property
    def controllers(self) -> dict[str, SimpleNamespace]:
        """By controller: reference, error, output and state, shape (n, count) each."""
        return {name: SimpleNamespace(**parts) for name, parts in self._controllers.items()}

    @cached_property
    def _controllers(self) -> dict[str, dict[str, Array]]:
        return {name: _frozen_all(parts) for name, parts in self._run.controllers().items()}

    @property
    def columns(self) -> dict[str, Array]:
        """Every column of the result by its name, as in its CSV file."""
        return dict(self._columns)

    @cached_property
    def _columns(self) -> dict[str, Array]:
        return _frozen_all(self._run.columns())

    @property
    def status(self) -> str:
        """'complete', 'interrupted' or 'failed'."""
        return self._run.status

    @property
    def message(self) -> str:
        """Why it did not complete."""
        return self._run.message

    @property
    def warnings(self) -> list[str]:
        """What one should know about the numbers of a run that went through."""
        return self._run.warnings

    @property
    def integrator(self) -> str:
        """The method that was used."""
        return self._run.integrator

    @property
    def statistics(self) -> dict[str, float]:
        """steps, evaluations, failures, jacobians, wall_seconds, peak_kinetic [J], peak_energy [J], energy_error [J]."""
        return self._run.statistics()

    def frame(self, name: str = "tip") -> FrameMotion:
        """How a frame moved: LINK.tip, LINK.base or a marker; 'tip' is that of the last link."""
        model = self._run.model
        full = f"{model.links[-1].name}.tip" if name == "tip" and "tip" not in model.frame_names() else name
        return FrameMotion(full, _core.frame_motion(model, model.frame(full), self.q, self.v))

    def to_xarray(self) -> Any:
        """The run as an xarray.Dataset (needs xarray): q, v, u, y, energies and the pose of every link's tip, with names of
        coordinates and units."""
        import xarray

        model = self._run.model

        def names(infos: list[_core.CoordinateInfo]) -> list[str]:
            return [info.name for info in infos]

        data: dict[str, Any] = {}
        coordinates: dict[str, Any] = {"time": ("time", self.time.copy(), {"units": "s"})}
        for name, infos in (
            ("q", model.configuration_info),
            ("v", model.velocity_info),
            ("u", model.input_info),
            ("y", model.input_info),
        ):
            axis = {"q": "configuration", "v": "velocity"}.get(name, "input")
            coordinates[axis] = names(infos)
            attributes = {} if name == "y" else {"units_of_columns": [info.unit for info in infos]}
            data[name] = (("time", axis), getattr(self, name).copy(), attributes)
        for name in _ENERGIES:
            data[f"energy_{name}"] = ("time", getattr(self.energy, name).copy(), {"units": "J"})
        links = [link.name for link in model.links]
        tips = [self.frame(f"{link}.tip") for link in links]
        coordinates |= {"link": links, "axis": ["x", "y", "z"], "quaternion": ["w", "x", "y", "z"]}
        data["tip_position"] = (("time", "link", "axis"), np.stack([tip.position for tip in tips], 1), {"units": "m"})
        data["tip_orientation"] = (("time", "link", "quaternion"), np.stack([tip.orientation for tip in tips], 1))
        return xarray.Dataset(data, coordinates, {"robot": model.name, "status": self.status})

    def plot(self, frame: str = "tip") -> Any:
        """Configuration, position of a frame, and energies over time (needs matplotlib). Returns the figure."""
        from matplotlib import pyplot

        model = self._run.model
        figure, (top, middle, bottom) = pyplot.subplots(3, 1, sharex=True, layout="constrained")
        for i, info in enumerate(model.configuration_info):
            top.plot(self.time, self.q[:, i], label=f"{info.name} [{info.unit}]")
        moved = self.frame(frame)
        for i, axis in enumerate("xyz"):
            middle.plot(self.time, moved.position[:, i], label=axis)
        for name in _ENERGIES:
            values = getattr(self.energy, name)
            if np.any(values):
                bottom.plot(self.time, values, label=name)
        top.set_ylabel("q")
        middle.set_ylabel(f"{moved.name} [m]")
        bottom.set_ylabel("energy [J]")
        bottom.set_xlabel("time [s]")
        for axes, count in ((top, model.nq), (middle, 3), (bottom, len(_ENERGIES))):
            if 0 < count <= 12:
                axes.legend(fontsize="x-small", loc="upper right")
        figure.suptitle(model.name)
        return figure

    def save(self, path: str | os.PathLike[str], replace: bool = False) -> None:
        """Writes the result: PATH.h5 as the command's, with all of robot and scenario, or PATH.csv.

        Raises FileError for a file that this program has read (a table, a robot), and for one that no Cuttle wrote,
        unless `replace`.
        """
        self._run.save(os.fspath(path), replace)

    def page(self, path: str | os.PathLike[str], frames: int = 1500, replace: bool = False) -> None:
        """Writes the viewer's page, one HTML file with the robot in 3D and all curves.

        frames: of the animation, at most. Raises Error for a file that no Cuttle wrote, unless `replace`.
        """
        need_text(self._run.model, "drawn by the viewer")
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, f"{self._run.model.name}.h5")
            self.save(result)
            force = ["--force"] if replace else []
            run_program("view", result, "-o", os.fspath(path), "--no-open", "--frames", str(frames), *force)

    def view(self, height: int = 600) -> Any:
        """Shows the run: inside a cell of Jupyter, else in a tab of the browser. Returns what Jupyter shows, or the path of
        the page."""
        if _in_jupyter():
            import html

            from IPython.display import HTML

            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.html"
                self.page(path)
                page = html.escape(path.read_text(encoding="utf-8"), quote=True)
            return HTML(f'<iframe srcdoc="{page}" width="100%" height="{height}" style="border: 0"></iframe>')
        path = Path(tempfile.mkdtemp(prefix="cuttle-")) / f"{self._run.model.name}.html"
        self.page(path)
        if not webbrowser.open(path.as_uri()):
            print(f"no browser to show it in: {path}")
        return path

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._run.name}: {len(self)} rows to {self.time[-1] if len(self) else 0:g} s, {self.status}>"


def _in_jupyter() -> bool:
    """Whether this runs in a kernel of Jupyter."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
