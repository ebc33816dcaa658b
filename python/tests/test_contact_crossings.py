"""Contacts crossed: every integrator with rods, rigid bodies and volumes, on ground that rests and that moves."""

import numpy as np
import pytest

import cuttle
from contact_robots import BODIES, MATERIALS, METHODS, SMALL, G, method


def robot(body, moving, friction=0.5):
    motion = ", motion: {position: [0, 0, {type: sine, amplitude: 1.0e-4, frequency: 10}]}" if moving else ""
    return cuttle.Robot.from_text(f"""cuttle: 1
gravity: [0, 0, -{G}]
{MATERIALS}links:
  - {{name: lift, joint: {{type: prismatic, axis: [0, 0, 1]}}, {SMALL}}}
  - name: body{BODIES[body]}
obstacles: [{{name: ground, shape: plane, pose: {{position: [0, 0, -0.00999]}}{motion}}}]
contacts: [{{name: floor, a: body, b: ground, friction: {friction}, modulus: 2.0e+4}}]
""")


@pytest.fixture(scope="module")
def accurate():
    """The end of each run at tight tolerances, found once."""
    found = {}

    def end(body, moving):
        if (body, moving) not in found:
            run = robot(body, moving).simulate(
                duration=0.1, output_step=0.1,
                integrator={"type": "bdf", "relative_tolerance": 1e-9, "absolute_tolerance": 1e-12})
            found[body, moving] = run.q[-1]
        return found[body, moving]

    return end


@pytest.mark.parametrize("moving", [False, True], ids=["fixed", "moving"])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_ends_where_an_accurate_run_does(name, body, moving, accurate):
    run = robot(body, moving).simulate(duration=0.1, output_step=0.1, integrator=method(name))
    assert run.contacts["floor"].normal.shape == (2,)
    assert run.q[-1] == pytest.approx(accurate(body, moving), abs=1e-5)  # the start falls by some 30 um


SLIDER = f"""cuttle: 1
gravity: [0, 0, -{G}]
links:
  - name: ball
    joint: {{type: free}}
    body: {{type: rigid, mass: 0.5, inertia: [5.0e-4, 5.0e-4, 5.0e-4, 0, 0, 0]}}
    contact: {{shape: sphere, radius: 0.05}}
obstacles: [{{name: ground, shape: plane}}]
contacts: [{{name: floor, a: ball, b: ground, friction: 0.3, modulus: 1.0e+6}}]
"""
PRESSED = 0.05 - (0.5 * G / (4 / 3 * 1e6 * np.sqrt(0.05))) ** (2 / 3)
EXPLICIT = {"type": "tsit5", "step": 1e-4}


# While it slides its center is at v t - mu g t^2 / 2: it slides for 0.19 s.
START = {"q": [0, 0, PRESSED, 1, 0, 0, 0], "v": [0, 0, 0, 2, 0, 0]}
SLIDING = 0.15


def way(friction, step):
    changed = cuttle.Robot.from_text(SLIDER).with_({"contacts.floor.friction": friction})
    integrator = {"type": "generalized_alpha", "step": step}
    return changed.simulate(duration=SLIDING, output_step=SLIDING, integrator=integrator, **START).q[-1, 0]


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_the_way_depends_on_friction_as_coulomb_says(step):
    h = 1e-3
    assert (way(0.3 + h, step) - way(0.3 - h, step)) / (2 * h) == pytest.approx(-G * SLIDING**2 / 2, rel=2e-3)


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_its_derivative_is_that_of_differences(step):
    h = 1e-3
    slopes = cuttle.Robot.from_text(SLIDER).sensitivities(
        "ball.base.position", "contacts.floor.friction", duration=SLIDING,
        integrator={"type": "generalized_alpha", "step": step}, **START)
    differences = (way(0.3 + h, step) - way(0.3 - h, step)) / (2 * h)
    assert slopes.derivatives[-1, 0, 0] == pytest.approx(differences, rel=1e-4)


def test_the_derivative_of_one_that_falls_first_is_that_of_differences():
    start = {"q": [0, 0, 0.0501, 1, 0, 0, 0], "v": [0, 0, 0, 2, 0, 0]}
    falling, h, steps = cuttle.Robot.from_text(SLIDER), 1e-3, {"type": "generalized_alpha", "step": 1e-4}
    slopes = falling.sensitivities("ball.base.position", "contacts.floor.friction", duration=0.1, integrator=steps, **start)
    ends = [falling.with_({"contacts.floor.friction": 0.3 + s}).simulate(
        duration=0.1, output_step=0.1, integrator=steps, **start).q[-1, 0] for s in (-h, h)]
    assert slopes.derivatives[-1, 0, 0] == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=2e-5)


def test_robots_with_contacts_roll_out_side_by_side():
    sliding = cuttle.Robot.from_text(SLIDER)
    frictions = np.array([0.1, 0.2, 0.35])
    count = len(frictions)
    q, v = np.tile([0, 0, PRESSED, 1, 0, 0, 0], (count, 1)), np.tile([0, 0, 0, 2.0, 0, 0], (count, 1))
    end = sliding.rollouts(q, v, parameters={"contacts.floor.friction": frictions}, duration=0.2,
                            method="tsit5", step=1e-4)
    for i, friction in enumerate(frictions):
        alone = sliding.with_({"contacts.floor.friction": friction}).simulate(
            duration=0.2, output_step=0.2, integrator=EXPLICIT, q=q[i], v=v[i])
        assert end.q[i] == pytest.approx(alone.q[-1], abs=1e-10)


@pytest.mark.parametrize("duration", [0.05, 0.2, 0.5])
def test_derivatives_where_all_slides_steadily(duration):
    # every bristle is at the end of its cone then, on either side of it by rounding
    robot = cuttle.load(cuttle.example("contact/wire_in_tube"))
    options = {
        "duration": duration, "times": [duration],
        "motion": {"feed": [{"type": "cubic", "start": 0, "end": 2, "from": 0, "to": 0.1897}]},
        "integrator": {"type": "generalized_alpha", "step": 1e-3, "rho_inf": 0.6}}
    path = "contacts.wall.friction"
    forward = robot.sensitivities(["q"], by=[path], **options).derivatives.ravel()
    run = robot.rollout_function("q", by=path, **options)
    h = 1e-3
    expected = sum(weight * (run(0.3 + k * h) - run(0.3 - k * h))
                   for k, weight in ((1, 0.75), (2, -0.15), (3, 1 / 60))).ravel() / h
    size = np.abs(expected).max()
    assert np.abs(forward - expected).max() < 1e-5 * size
    worth = np.cos(1 + np.arange(expected.size))
    y, back = run.vjp(0.3)
    assert back(worth.reshape(y.shape)) == pytest.approx(worth @ expected, abs=1e-5 * size)


TOUCHING = {
    "sphere": {"body": {"type": "rigid", "mass": 0.1, "inertia": [1.6e-5] * 3 + [0] * 3}, "contact": {"shape": "sphere", "radius": 0.02}},
    "capsule": {"body": {"type": "rigid", "mass": 0.1, "inertia": [4e-5, 4e-5, 2e-5, 0, 0, 0]},
                "contact": {"shape": "capsule", "radius": 0.02, "length": 0.05}},
    "rod": {"body": {"type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.02}, "material": "rubber",
                     "strain": {"kappa_x": "constant", "kappa_y": "constant"}, "quadrature": {"points": 3}}},
}


@pytest.mark.parametrize("friction", [0, 0.4])
@pytest.mark.parametrize("touching", TOUCHING)
def test_a_field_of_one_slope_is_a_tilted_plane(touching, friction):
    """Down a slope of 0.5. A distance that was wrong at single states made energy there."""
    slope, cell = 0.5, 0.1
    grid = [[slope * cell * (i - 30) for i in range(61)]] * 7
    normal = np.array([-slope, 0, 1]) / np.hypot(1, slope)
    ends = {}
    for name, shape in (("plane", {"shape": "plane", "pose": {"rpy": [0, -np.arctan(slope), 0]}}),
                        ("field", {"shape": "height_field", "cell": [cell, cell], "grid": grid})):
        of = cuttle.Robot.from_dict({
            "cuttle": 1, "gravity": [0, 0, -G],
            "materials": {"rubber": {"density": 1100, "young_modulus": 1e6, "poisson_ratio": 0.5, "damping_time": 0.01}},
            "links": [{"name": "body", "joint": {"type": "free"}, **TOUCHING[touching]}], "obstacles": [{"name": "ground", **shape}],
            "contacts": [{"name": "floor", "a": "body", "b": "ground", "friction": friction, "modulus": 1e6}]})
        q = of.neutral()
        q[:3] = np.array([1, 0, slope]) + 0.01995 * normal
        q[3:7] = [np.sqrt(0.5), np.sqrt(0.5), 0, 0]  # what is long lies across
        for way, step in (("generalized_alpha", 1e-3), ("rk4", 5e-5 if touching == "rod" else 1e-4)):
            run = of.simulate(duration=0.1, output_step=0.01, q=q, integrator=method(way, step))
            assert run.contacts["floor"].normal.max() > 0.1 and not run.warnings
            ends[name, way] = np.concatenate([run.q[-1], run.v[-1]])
    for way in ("generalized_alpha", "rk4"):
        assert ends["field", way] == pytest.approx(ends["plane", way], abs=1e-6)
