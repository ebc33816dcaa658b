"""Rest beside an obstacle that moves: what stands still is asked without the obstacle's velocity. Statics, modes and starts in balance
are those beside one that is at the same place and still; what rides on a belt is the same in axes that go with it."""

import numpy as np
import pytest

import cuttle

FAST = 2 * np.pi * 10  # [rad/s]
MOTIONS = {  # by their speeds; all are where the still obstacle is at time 0
    "along": lambda speed: {"position": [wave(speed), 0, 0]},
    "up": lambda speed: {"position": [0, 0, wave(speed)]},
    "turning": lambda speed: {"rpy": [wave(speed), 0, wave(2 * speed)]},
}
PLANE = {"shape": "plane"}
OBSTACLES = {"plane": PLANE, "sphere": {"shape": "sphere", "radius": 0.05, "pose": {"position": [0.003, -0.002, -0.05]}}}
SHAPES = {  # a point, a line with two points, corners
    "sphere": {"shape": "sphere", "radius": 0.01},
    "capsule": {"shape": "capsule", "radius": 0.01, "length": 0.03, "pose": {"rpy": [0, 1.5, 0]}},
    "box": {"shape": "box", "size": [0.03, 0.02, 0.02]},
}
MATERIALS = {"gel": {"density": 1100, "young_modulus": 2e5, "poisson_ratio": 0.3, "damping_time": 2e-3}}


def wave(speed):
    return {"type": "sine", "amplitude": speed / FAST, "frequency": FAST / (2 * np.pi)}


def pressed(body, obstacle, motion=None, friction=0.4):
    """Something that a spring holds sideways and its weight presses on; a force pulls at it."""
    own = {"body": {"type": "rigid", "mass": 0.03, "inertia": [1e-6, 1e-6, 1e-6, 0, 0, 0]}, "contact": SHAPES.get(body)}
    if body == "rod":
        own = {"body": {"type": "rod", "length": 0.08, "section": {"shape": "circle", "radius": 0.01}, "material": "gel",
                        "quadrature": {"points": 4}, "strain": {"kappa_x": "constant", "kappa_y": "constant"}}}
    tip = {"name": "tip", "attach": {"pose": {"rpy": [0, 1.4, 0]} if body == "rod" else {}}, **own}
    light = {"type": "rigid", "mass": 1e-3, "inertia": [1e-7, 1e-7, 1e-7, 0, 0, 0]}
    return cuttle.Robot.from_dict({
        "cuttle": 1, "name": "pressed", "gravity": [0, 0, -9.81], "materials": MATERIALS,
        "links": [{"name": "x", "joint": {"type": "prismatic", "axis": [1, 0, 0], "stiffness": 40, "damping": 0.3}, "body": light},
                  {"name": "y", "joint": {"type": "prismatic", "axis": [0, 1, 0], "stiffness": 60, "damping": 0.3}, "body": light},
                  {"name": "z", "joint": {"type": "prismatic", "axis": [0, 0, 1], "damping": 0.3}, "body": light,
                   "attach": {"pose": {"position": [0, 0, 0.0099]}}},
                  tip],
        "obstacles": [{"name": "ground", **OBSTACLES[obstacle], **({"motion": motion} if motion else {})}],
        "contacts": [{"name": "floor", "a": "tip", "b": "ground", "friction": friction, "modulus": 2e5, "dissipation": 1}],
        "actuators": [{"name": "push", "type": "joint", "link": "y"}],
        "loads": [{"type": "wrench", "link": "x", "force": [0.05, 0.02, 0], "frame": "world"}]})


def eigenvalues(robot, **options):
    """Those with a positive imaginary part or none, in an order that rounding does not change."""
    found = np.array([mode.eigenvalue for mode in robot.modes(**options)])
    return found[np.lexsort((np.round(found.real, 3), np.round(np.abs(found.imag), 3)))]


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("body", [*SHAPES, "rod"])
def test_statics_and_modes_know_no_velocity(body, obstacle, motion):
    still = pressed(body, obstacle)
    rest, modes = still.statics(), eigenvalues(still)
    for speed in (0.1, -3.0, 40.0):
        moves = pressed(body, obstacle, MOTIONS[motion](speed))
        found = moves.statics()
        assert np.abs(found.q - rest.q).max() < 1e-10
        assert np.abs(found.contacts["floor"].force - rest.contacts["floor"].force).max() < 1e-7
        assert found.stability == rest.stability
        assert np.abs(eigenvalues(moves) - modes).max() < 1e-6 * np.abs(modes).max()


FRICTIONS = {"one": 0.4, "two": {"static": 0.6, "kinetic": 0.4}, "ways": {"forward": 0.2, "backward": 0.5, "sideways": 0.8}}


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("body", ["sphere", "box"])
def test_equilibria_and_their_slopes_know_no_velocity(body, friction):
    still = cuttle.functions.equilibrium(pressed(body, "plane", friction=FRICTIONS[friction]))
    moves = cuttle.functions.equilibrium(pressed(body, "plane", MOTIONS["along"](2.0), FRICTIONS[friction]))
    for push in (0.0, 0.05, 0.4):  # held, and beyond what friction holds
        assert np.abs(moves([push]) - still([push])).max() < 1e-10
        (((slope,),), ((right,),)) = moves.jacobians([push]), still.jacobians([push])
        assert np.abs(slope - right).max() < 1e-7 * np.abs(right).max()


def on_belt(as_link, speed, beside=0.0):
    """A ball that is pressed into a belt and begins with the belt's speed, and some more."""
    drive = {"type": "ramp", "start": -1, "end": 1, "from": -speed, "to": speed} if speed else 0
    links = [{"name": "x", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"type": "rigid", "mass": 1e-6, "inertia": [1e-9, 1e-9, 1e-9, 0, 0, 0]}},
             {"name": "ball", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "attach": {"pose": {"position": [0, 0, 0.0099]}},
              "body": {"type": "rigid", "mass": 0.03, "inertia": [1e-6, 1e-6, 1e-6, 0, 0, 0]}, "contact": SHAPES["sphere"]}]
    robot = {"cuttle": 1, "links": links, "contacts": [{"name": "floor", "a": "ball", "b": "belt", "friction": 0.4, "modulus": 2e5}]}
    if as_link:
        links.append({"name": "belt", "parent": "base", "joint": {"type": "prismatic", "axis": [1, 0, 0]},
                      "body": {"type": "rigid", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}, "contact": PLANE})
    else:
        robot["obstacles"] = [{"name": "belt", **PLANE, "motion": {"position": [drive, 0, 0]}}]
    return cuttle.Robot.from_dict(robot).simulate(
        duration=0.004, output_step=2e-4, q=[0] * len(links), v=[speed + beside, 0, speed][: len(links)],
        motion={"belt": [drive]} if as_link else None, integrator={"type": "generalized_alpha", "step": 2e-5})


@pytest.mark.parametrize("beside", [0.0, 0.02])
@pytest.mark.parametrize("as_link", [False, True], ids=["obstacle", "link"])
def test_a_start_on_a_belt_is_the_start_on_the_ground(as_link, beside):
    still = on_belt(as_link, 0.0, beside)
    normal = np.abs(still.contacts["floor"].force[:, 2]).max()
    for speed in (0.1, -1.0, 10.0):
        run = on_belt(as_link, speed, beside)
        assert np.abs(run.contacts["floor"].force - still.contacts["floor"].force).max() < 1e-6 * normal
        assert np.abs(run.v[:, 0] - speed - still.v[:, 0]).max() < 1e-9 * max(1, abs(speed))
