"""Cuttle: dynamics of robots made of rigid and soft parts.

The short road::

    robot = cuttle.load("arm.yaml")
    run = robot.with_({"links.arm.body.length": 0.3}).simulate(duration=2, inputs={"motor": 0.5})
    run.time, run.q, run.frame("arm.tip").position

Below it are the names of C++: Model, Data, inverse_dynamics, Batch and all others. Units are SI, angles rad, vectors in
world axes unless a name says otherwise, quaternions w, x, y, z.
"""

from . import errors
from ._core import (
    Batch,
    CoordinateInfo,
    Data,
    DerivativeData,
    ExternalWrench,
    Frame,
    FrameTarget,
    InverseKinematics,
    InverseKinematicsResult,
    InverseStaticsResult,
    Kinematics,
    LinkInfo,
    Mode,
    Model,
    ParameterInfo,
    Pose,
    RobotFile,
    Rollout,
    ScenarioFile,
    Sensitivities,
    Signal,
    StaticEquilibrium,
    TargetError,
    __version__,
    actuation_coordinates,
    actuation_force,
    actuation_matrix,
    configuration_rate,
    constraint_jacobian,
    constraint_residual,
    coriolis_force,
    coriolis_matrix,
    damping_force,
    difference,
    elastic_energy,
    elastic_force,
    external_force,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    frame_jacobian,
    frame_motion,
    gravity_energy,
    gravity_force,
    inertial_inverse_dynamics,
    integrate,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_statics,
    kinetic_energy,
    load_imported_file,
    load_robot_file,
    load_scenario_file,
    mass_inverse_dynamics,
    mass_matrix,
    modes,
    momentum,
    normalize,
    read_robot_text,
    sensitivities,
    static_equilibrium,
    write_robot,
    write_robot_file,
)
from ._program import program
from .data import compare, identify
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    ConfigurationError,
    Error,
    FileError,
    ModelError,
    OverflowError,
    ProgramError,
    SimulationError,
    SingularMassError,
    StaticsError,
)
from .examples import example, examples
from .own import Element, FunctionBody, FunctionKinematics, box_points, cylinder_points
from .robot import Rest, Robot, Run, load, load_run, simulate
from .run import FrameMotion
from .scenario import Controller
from .sweeps import Sweep, sweep

__all__ = sorted(name for name in globals() if not name.startswith("_")) + ["__version__"]
