"""Robots that touch, at rest and slowly, against beams, elasticas and mechanics of a point, derived here.

Each right value is a closed form or an integration written here, in NumPy, which shares nothing with the library.
"""

import numpy as np
import pytest

import cuttle

G = 9.81


class Wire:
    """A thin level rod above a plane, hinged or clamped at one end."""

    length, radius, modulus, density, height = 0.6, 1e-3, 2e8, 7000, 0.01
    stiffness = modulus * np.pi * radius**4 / 4
    weight = density * np.pi * radius**2 * G  # per length

    def robot(self, joint, contact_modulus):
        return cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, -{G}]
materials: {{m: {{density: {self.density}, young_modulus: {self.modulus}, poisson_ratio: 0.3, damping_time: 0.01}}}}
links:
  - name: rod
    {joint}
    attach: {{pose: {{position: [0, 0, {self.height + self.radius}], rpy: [0, 1.5707963267948966, 0]}}}}
    body:
      type: rod
      length: {self.length}
      section: {{shape: circle, radius: {self.radius}}}
      material: m
      strain: {{kappa_y: {{basis: hermite, nodes: 12}}}}
      quadrature: {{points: 60}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: rod, b: ground, friction: 0, modulus: {contact_modulus}}}]
""")

    def carried(self, robot, q):
        """What the ground carries at rest at q [N]."""
        rest = robot.statics(q=q)
        run = robot.simulate(duration=1e-6, q=rest.equilibrium.q, output_step=1e-6)
        return run.contacts["floor"].normal[0]


# Of a clamped wire that comes to lie on the plane a length l hangs: E I w'''' = -weight with w = w' = w'' = 0 where it
# touches, w = height and w' = 0 at the clamp. So height = weight l^4 / (72 E I), and what it lies on carries the rest
# of the weight and weight l / 3, a force at the first point. It is found with the stiffness of the rod's own material
# and with softer ground.
@pytest.mark.parametrize("contact_modulus", [1e6, 2e8])
def test_a_heavy_cantilever_comes_to_lie_on_a_plane(contact_modulus):
    wire = Wire()
    free = (72 * wire.stiffness * wire.height / wire.weight) ** 0.25
    expected = wire.weight * (wire.length - free) + wire.weight * free / 3
    assert wire.carried(wire.robot("", contact_modulus), None) == pytest.approx(expected, rel=2e-3)


# Of a wire that is lifted at one end, without a moment there, a length l hangs: E I w'' = weight x (l - x) / 2 from where
# it touches, so height = weight l^4 / (24 E I), and the force at the end is weight l / 2.
def test_a_heavy_rod_is_lifted_at_one_end():
    wire = Wire()
    robot = wire.robot("joint: {type: revolute, axis: [0, 1, 0]}", 1e6)
    q = np.zeros(robot.nq)
    q[0] = wire.height / wire.length  # it touches with its tip
    lifted = (24 * wire.stiffness * wire.height / wire.weight) ** 0.25
    force = wire.weight * wire.length - wire.carried(robot, q)
    assert force == pytest.approx(wire.weight * lifted / 2, rel=5e-3)


def quarter_of_ring(force):
    """Half the height of an elastic ring of radius 1 and stiffness 1 between plates that press with 2 `force`.

    From the top, where the tangent is level: turn' = kappa, kappa' = force cos(turn), a quarter of the length to where
    the tangent is upright. The curvature at the top is found by bisection.
    """

    def rate(y):
        return np.array([y[1], force * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def end(curvature, steps=400):
        y, h = np.array([0.0, curvature, 0.0, 0.0]), np.pi / 2 / steps
        for _ in range(steps):
            a = rate(y)
            b = rate(y + h / 2 * a)
            c = rate(y + h / 2 * b)
            d = rate(y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return y

    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if end(middle)[0] < np.pi / 2:
            low = middle
        else:
            high = middle
    return end(low)[3]


def test_the_height_of_a_ring_is_that_of_the_linear_theory_where_it_is_little_pressed():
    force = 1e-4  # closing by (pi / 4 - 2 / pi) P R^3 / (E I)
    assert 1 - quarter_of_ring(force) == pytest.approx((np.pi / 4 - 2 / np.pi) * force, rel=1e-3)


@pytest.mark.parametrize("force", [0.5, 1.0])
def test_an_elastic_ring_is_pressed_by_a_plate(force):
    ring, section, modulus = 0.05, 5e-4, 2e8
    stiffness = modulus * np.pi * section**4 / 4
    closing = ring * (1 - quarter_of_ring(force))
    robot = cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{m: {{density: 1000, young_modulus: {modulus}, poisson_ratio: 0.3, damping_time: 0.02}}}}
links:
  - name: half
    attach: {{pose: {{position: [{ring}, 0, 0]}}}}
    body:
      type: rod
      length: {np.pi * ring}
      section: {{shape: circle, radius: {section}}}
      material: m
      rest_strain: {{kappa_y: {-1 / ring}}}
      strain: {{kappa_y: {{basis: legendre, order: 14}}}}
      quadrature: {{points: 60}}
obstacles:
  - name: plate
    shape: plane
    pose: {{position: [0, 0, {ring + section}], rpy: [3.141592653589793, 0, 0]}}
    motion: {{position: [0, 0, {{type: cubic, start: 0, end: 1, from: 0, to: {closing}}}]}}
loops:  # the other half is its mirror image: its other end slides along the middle plane
  - name: mirror
    type: prismatic
    axis: [1, 0, 0]
    a: {{link: base, pose: {{rpy: [0, 3.141592653589793, 0]}}}}
    b: {{link: half}}
contacts: [{{name: press, a: half, b: plate, friction: 0, modulus: 1.0e+6}}]
""")
    run = robot.simulate(duration=1.4, output_step=0.1,
                         integrator={"type": "generalized_alpha", "step": 5e-3, "rho_inf": 0.5})
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run.contacts["press"].normal[-1] == pytest.approx(2 * force * stiffness / ring**2, rel=2e-3)


# A ladder slides down a wall without friction: with energy, omega^2 = (3 g / l) (sin a0 - sin a). The wall pushes
# m x'' of its center, which is zero where sin a = 2/3 sin a0. From then on the center keeps its speed along the ground,
# l / 2 omega sin a = 1/3 sqrt(g l) sin(a0)^(3/2). The second way, an integration of a'' until the push is zero, is here
# too. What the push does over time decides, so that the vibration of stiff contacts does not matter.
@pytest.mark.parametrize("degrees", [50.0, 60.0])
def test_a_ladder_leaves_the_wall(degrees):
    length, radius = 1.0, 0.005
    a0 = np.radians(degrees)
    a, w, h = a0, 0.0, 1e-5
    while True:  # a'' = -3 g cos a / (2 l); x = l / 2 cos a
        turning = -1.5 * G / length * np.cos(a)
        if w * w * np.cos(a) + turning * np.sin(a) > 0:  # x'' < 0
            break
        middle = w + h / 2 * turning
        a, w = a + h * middle, w + h * -1.5 * G / length * np.cos(a + h / 2 * w)
    leaving = -length / 2 * w * np.sin(a)
    assert leaving == pytest.approx(np.sqrt(G * length) / 3 * np.sin(a0) ** 1.5, rel=1e-3)
    inertia = length**2 / 12
    robot = cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, -{G}]
links:
  - name: along
    joint: {{type: prismatic, axis: [1, 0, 0]}}
    attach: {{pose: {{position: [{length / 2 * np.cos(a0) + radius}, 0, {length / 2 * np.sin(a0) + radius}]}}}}
    body: {{type: rigid, mass: 1.0e-9, inertia: [1.0e-12, 1.0e-12, 1.0e-12, 0, 0, 0]}}
  - {{name: upward, joint: {{type: prismatic, axis: [0, 0, 1]}}, body: {{type: rigid, mass: 1.0e-9, inertia: [1.0e-12, 1.0e-12, 1.0e-12, 0, 0, 0]}}}}
  - name: ladder
    joint: {{type: revolute, axis: [0, 1, 0]}}
    body: {{type: rigid, mass: 1, inertia: [{inertia}, {inertia}, 1.0e-6, 0, 0, 0]}}
    contact: {{shape: capsule, radius: {radius}, length: {length}}}
obstacles:
  - {{name: ground, shape: plane}}
  - {{name: wall, shape: plane, pose: {{rpy: [0, 1.5707963267948966, 0]}}}}
contacts:
  - {{name: feet, a: ladder, b: ground, friction: 0, modulus: 1.0e+10, dissipation: 2}}
  - {{name: lean, a: ladder, b: wall, friction: 0, modulus: 1.0e+10, dissipation: 2}}
""")
    run = robot.simulate(duration=0.45, output_step=0.45, q=[0, 0, a0 - np.pi / 2],
                         integrator={"type": "bdf", "relative_tolerance": 1e-8, "absolute_tolerance": 1e-10})
    assert run.contacts["lean"].normal[-1] == 0
    assert run.v[-1, 0] == pytest.approx(leaving, rel=2e-3)


# A tall block on a rough slope tips where its weight passes its lower edge: tan(angle) = half width over half height,
# to the centers of its rounded edges; at a coefficient of 1 it does not slide there.
@pytest.mark.parametrize("part", [0.97, 1.03])
def test_a_tall_block_tips_before_it_slides(part):
    width, height, rounding = 0.04, 0.1, 2e-4
    angle = part * np.arctan((width / 2 - rounding) / (height / 2))
    xx, zz = (width**2 + height**2) / 12, width**2 / 6
    robot = cuttle.Robot.from_text(f"""cuttle: 1
gravity: [{G * np.sin(angle)}, 0, {-G * np.cos(angle)}]
links:
  - name: block
    joint: {{type: free}}
    body: {{type: rigid, mass: 1, inertia: [{xx}, {xx}, {zz}, 0, 0, 0]}}
    contact: {{shape: box, size: [{width}, {width}, {height}]}}
obstacles: [{{name: slope, shape: plane}}]
contacts: [{{name: rest, a: block, b: slope, friction: 1, modulus: 1.0e+8, rounding: {rounding}, dissipation: 5}}]
""")
    depth = (G * np.cos(angle) / 4 / (4 / 3 * 1e8 * np.sqrt(rounding))) ** (2 / 3)
    q = np.array([0, 0, height / 2 - depth, 1, 0, 0, 0])
    if part < 1:
        q = robot.statics(q=q).equilibrium.q
    run = robot.simulate(duration=0.8, output_step=0.1, q=q, integrator="bdf")
    turned = 2 * np.arcsin(run.q[-1, 5]) - 2 * np.arcsin(q[5])
    if part < 1:
        assert abs(turned) < 1e-6
        assert abs(run.q[-1, 0] - q[0]) < 1e-6
    else:
        assert turned > 0.05
        assert run.contacts["rest"].slip.max() < 0.05  # it turns about its edge
