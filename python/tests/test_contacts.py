"""Obstacles and contacts of a robot from Python."""

import numpy as np
import pytest

import cuttle
from cuttle.parts import Contact, FreeJoint, Link, PlaneObstacle, RigidBody, RobotFile, SphereContactShape


def ball(**contact):
    return RobotFile(
        name="ball",
        links=[
            Link(
                "ball",
                joint=FreeJoint(),
                body=RigidBody(mass=0.1, inertia=[1.6e-5, 1.6e-5, 1.6e-5, 0, 0, 0]),
                contact=SphereContactShape(radius=0.02),
            )
        ],
        obstacles=[PlaneObstacle("ground", pose={"position": [0, 0, -0.02]})],
        contacts=[Contact("floor", a="ball", b="ground", modulus=1e6, **contact)],
    )


def test_a_ball_rests_on_the_ground():
    run = cuttle.Robot.from_dict(ball(dissipation=20)).simulate(duration=2, output_step=0.5)
    floor = run.contacts["floor"]
    assert floor.force.shape == (5, 3) and floor.normal.shape == (5,)
    assert floor.normal[-1] == pytest.approx(0.981, rel=1e-5)
    assert floor.force[-1] == pytest.approx([0, 0, 0.981], abs=1e-5)
    assert floor.friction[-1] == pytest.approx(0, abs=1e-9)
    depth = (0.981 / (4 / 3 * 1e6 * np.sqrt(0.02))) ** (2 / 3)
    assert floor.gap[-1] == pytest.approx(-depth, rel=1e-3)
    assert run.energy.contacts[-1] == pytest.approx(0.4 * 0.981 * depth, rel=1e-3)
    assert np.all(abs(run.energy.balance) < 1e-5 * 0.981 * 0.02)
    assert run.columns["contacts.floor.normal"] == pytest.approx(floor.normal)


def test_sites_are_there_if_asked():
    run = cuttle.Robot.from_dict(ball(record="sites")).simulate(duration=0.1, output_step=0.1)
    sites = run.contacts["floor/sites"]
    assert sites.position.shape == (2, 3) and sites.state.shape == (2, 1)
    assert "floor/sites" not in cuttle.Robot.from_dict(ball()).simulate(duration=0.1).contacts


def test_friction_is_a_parameter():
    robot = cuttle.Robot.from_dict(ball(friction=0.3))
    assert robot.parameters()["contacts.floor.friction"].value == 0.3
