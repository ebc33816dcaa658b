"""Cylinders that stand on their face, tip, roll on their side and on their rim: closed forms."""

import numpy as np
import pytest

import cuttle

G, M, R, L = 9.81, 0.1, 0.02, 0.1
DOWN = 5e-5  # the radius of rims


def cylinder(radius=R, length=L, tilt=0.0, position=(0, 0, 0), turn=(0, 0, 0), inertia=None, **contact):
    """On the plane z = 0, gravity turned about y by `tilt`."""
    across, along = inertia or (M * (3 * radius**2 + length**2) / 12, M * radius**2 / 2)
    return cuttle.Robot.from_dict({
        "gravity": [G * np.sin(tilt), 0, -G * np.cos(tilt)],
        "links": [{"name": "body", "joint": {"type": "free"}, "attach": {"pose": {"position": list(position), "rpy": list(turn)}},
                   "contact": {"shape": "cylinder", "radius": radius, "length": length},
                   "body": {"type": "rigid", "mass": M, "inertia": [across, across, along, 0, 0, 0]}}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e8, "rounding": DOWN, **contact}],
    })


def axis(run):
    """The cylinder's axis in time, (n, 3), world axes."""
    return run.frame("body.base").rotation[:, :, 2]


@pytest.mark.parametrize("length", [1.0, 0.1, 0.04, 0.03, 0.004])  # rods, coins, and as long as it is wide
def test_it_stands_where_its_face_is(length):
    run = cylinder(length=length, position=(0, 0, length / 2)).simulate(duration=0.5, output_step=0.1)
    position = run.frame("body.base").position
    assert np.abs(position[:, 2] - length / 2).max() < 5e-6 and np.abs(position[:, :2]).max() < 1e-9
    assert np.abs(axis(run)[:, 2] - 1).max() < 1e-9
    assert run.contacts["floor"].normal[-1] == pytest.approx(M * G, rel=1e-2)


@pytest.mark.parametrize("length", [1.0, 0.1, 0.04, 0.03, 0.004])
def test_it_lies_where_its_side_is(length):
    run = cylinder(length=length, position=(0, 0, R), turn=(0, np.pi / 2, 0), dissipation=100).simulate(duration=0.6, output_step=0.1)
    position = run.frame("body.base").position
    assert np.abs(position[:, 2] - R).max() < 3e-5 and np.abs(axis(run)[:, 2]).max() < 1e-3
    assert run.contacts["floor"].normal[-1] == pytest.approx(M * G, rel=1e-2)


@pytest.mark.parametrize("length", [0.2, 0.1])
def test_it_tips_where_the_weight_passes_its_rim(length):
    """At tan(tilt) = radius / (length / 2): the rim touches at the radius less its rounding."""
    limit = np.arctan((R - DOWN) / (length / 2))
    assert np.tan(limit) < 0.5
    for share, falls in ((0.98, False), (1.02, True)):
        robot = cylinder(length=length, tilt=share * limit, position=(0, 0, length / 2 - 1e-6), friction=0.9)
        start = {} if falls else {"statics": {}}
        lean = axis(robot.simulate(duration=1.0, output_step=0.5, **start))[-1, 0]
        assert (lean > 0.1) if falls else abs(lean) < 1e-3, (share, lean)


@pytest.mark.parametrize("length", [0.1, 0.004])
def test_it_rolls_on_its_side(length):
    """Down a slope, a = 2/3 g sin(tilt)."""
    tilt, time = 0.2, 0.2
    robot = cylinder(length=length, tilt=tilt, position=(0, 0, R - 1e-6), turn=(np.pi / 2, 0, 0), dissipation=5)
    run = robot.simulate(duration=time, output_step=time)
    assert run.frame("body.base").position[-1, 0] == pytest.approx(G * np.sin(tilt) * time**2 / 3, rel=2e-3)
    assert np.abs(axis(run)[:, 2]).max() < 1e-3


@pytest.mark.parametrize("angle", [0.3, 0.8])
def test_a_disc_rolls_on_its_rim_in_steady_precession(angle):
    """Euler's disc, its center at rest: precession at W^2 = m g a / (I sin(angle)), I about a diameter, angular velocity
    W sin(angle) along the radius of the point that touches. A thin disc."""
    a, length = 0.05, 2e-4
    inertia = M * a**2 / 4
    rate = np.sqrt(M * G * a / (inertia * np.sin(angle)))
    height = a * np.sin(angle) + length / 2 * np.cos(angle)
    robot = cylinder(radius=a, length=length, position=(0, 0, height), turn=(0, angle, 0), inertia=(inertia, 2 * inertia),
                     rounding=1e-5, friction=2.0)
    # the axis leans towards +x, so the rim is lowest there: the radius from there through the center is -x of the disc
    period = 2 * np.pi / rate
    run = robot.simulate(duration=period, output_step=period / 40, v=[-rate * np.sin(angle), 0, 0, 0, 0, 0],
                         integrator={"type": "generalized_alpha", "step": period / 4000, "rho_inf": 0.6})
    n = axis(run)
    lean = np.arctan2(np.hypot(n[:, 0], n[:, 1]), n[:, 2])
    turned = np.unwrap(np.arctan2(n[:, 1], n[:, 0]))
    assert np.abs(lean - angle).max() < 0.02 * angle
    assert turned[-1] == pytest.approx(2 * np.pi, rel=5e-3)
    assert np.abs(run.frame("body.base").position[:, :2]).max() < 0.02 * a


@pytest.mark.parametrize("where", [0.0, 0.027, 0.036, 0.0495])
def test_uneven_ground_touches_its_side_everywhere(where):
    """A ridge across a lying cylinder: under the line of its side, beside it, between that and the rim, and under the rim."""
    x = np.linspace(-0.06, 0.06, 121)
    robot = cuttle.Robot.from_dict({
        "gravity": [0, 0, -G],
        "links": [{"name": "lift", "joint": {"type": "prismatic", "axis": [0, 0, 1]}},
                  {"name": "body", "attach": {"pose": {"position": [0, 0, R + 0.0021], "rpy": [0, np.pi / 2, 0]}},
                   "contact": {"shape": "cylinder", "radius": R, "length": L},
                   "body": {"type": "rigid", "mass": M, "inertia": [1e-4, 1e-4, 2e-5, 0, 0, 0]}}],
        "obstacles": [{"name": "ground", "shape": "height_field", "cell": [0.001, 0.2],
                       "grid": [(0.002 * np.exp(-(((x - where) / 0.01) ** 2))).tolist()] * 2}],
        "contacts": [{"name": "floor", "a": "body", "b": "ground", "modulus": 1e8, "dissipation": 20}],
    })
    assert robot.statics().q[0] == pytest.approx(-0.0001, abs=3e-4)
