"""What else a robot may have or be asked for, with contacts: forces and energies, derivatives, roll-outs, files, controllers,
driven motion, starts in the middle, rest, modes, identification. On the robots of contact_robots.py."""

import numpy as np
import pytest

import cuttle
from contact_robots import BODIES, CELLS, G, OBSTACLES, identified_contact, method, robot, start, text

DURATION = 0.01
IMPLICIT_RUN = {"duration": DURATION, "output_step": DURATION / 2, "integrator": {"type": "generalized_alpha", "step": 2e-4}}
cells = pytest.mark.parametrize("cell", CELLS, ids="-".join)
bodies = pytest.mark.parametrize("body", BODIES)


@bodies
@pytest.mark.parametrize("carrier", ["cart", "floating"])
@pytest.mark.parametrize("depth", [0.0, 1e-6, 7e-6, 1e-5, 3e-5, 1e-3])
def test_forces_are_gradients_of_what_is_stored(body, carrier, depth):
    of, at = robot(body, "fixed", carrier, friction=0), 2 if carrier == "floating" else 1  # bristles would begin in balance

    def look(by):
        q = of.neutral()
        q[at] -= depth + by
        run = of.simulate(duration=1e-9, output_step=1e-9, q=q, integrator=method("rk4", 1e-9))
        return run.energy.contacts[0], run.contacts["floor"].force[0]

    h = 1e-3 * max(depth, 1e-6)
    stencil = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
    slope = sum(c * (look(k * h)[0] - look(-k * h)[0]) for k, c in stencil.items()) / h
    energy, force = look(0.0)
    assert force[:2] == pytest.approx([0, 0], abs=1e-12)
    if depth == 0:
        assert energy == 0 and force[2] == 0 and abs(slope) < look(1e-6)[1][2]
        return
    assert force[2] == pytest.approx(slope, rel=1e-6, abs=1e-6 * look(1e-6)[1][2])


@cells
def test_derivatives_are_those_of_differences(cell):
    of, paths = robot(*cell), ["contacts.floor.friction", "contacts.floor.modulus"]
    keys = {**IMPLICIT_RUN, **start(of)}
    slopes = of.sensitivities(["q", "v"], paths, **keys)

    def end(path, change):  # whose steps are solved to rounding; those of a run to 1e-7
        changed = of.with_({path: of.parameters()[path].value * (1 + change)})
        return changed.sensitivities(["q", "v"], [], **keys).values[-1]

    run = of.simulate(**keys)
    assert slopes.values[-1] == pytest.approx(np.concatenate([run.q[-1], run.v[-1]]), rel=1e-5, abs=1e-8)
    for j, path in enumerate(paths):
        h = 1e-5  # beyond which a step may come to another side of a corner
        expected = (end(path, h) - end(path, -h)) / (2 * h * of.parameters()[path].value)
        found = slopes.derivatives[-1][:, j]
        size = np.abs(expected).max()
        assert size > 0
        # pieces and corners touch down one after the other: of their part differences of fixed steps know nothing
        way = 1e-3 if cell[0] == "volume" or cell[1] == "moving" else 1e-4
        assert found == pytest.approx(expected, rel=way, abs=way * size)


@cells
@pytest.mark.parametrize("name", ["rk4", "tsit5"])
def test_rollouts_are_runs(cell, name):
    of = robot(*cell)
    keys = {"method": name, "step": 5e-5, "duration": DURATION}
    frictions = np.array([0.2, 0.7])
    begin = start(of)
    many = [np.tile(begin["q"], (2, 1)), np.tile(begin["v"], (2, 1))]
    if cell[2] == "loop":
        with pytest.raises(cuttle.ArgumentError, match="loop"):
            of.rollouts(*many, **keys)
        return
    ends = of.rollouts(*many, parameters={"contacts.floor.friction": frictions}, **keys)
    for i, friction in enumerate(frictions):
        alone = of.with_({"contacts.floor.friction": friction}).simulate(
            duration=DURATION, output_step=DURATION, integrator=method(name, 5e-5), **begin)
        assert ends.q[i] == pytest.approx(alone.q[-1], abs=1e-12)
        assert ends.v[i] == pytest.approx(alone.v[-1], abs=1e-9)
    assert np.abs(ends.v[0] - ends.v[1]).max() > 1e-4  # friction counts


@cells
def test_saved_results_are_read_as_they_were(cell, tmp_path):
    of = robot(*cell)
    run = of.simulate(**IMPLICIT_RUN, **start(of))
    run.save(tmp_path / "run.h5")
    again = cuttle.load_run(tmp_path / "run.h5")
    assert again.columns.keys() == run.columns.keys()
    for name, column in run.columns.items():
        assert again.columns[name] == pytest.approx(column, rel=1e-14, abs=1e-15, nan_ok=True), name  # frames are found anew
    for part, column in vars(run.contacts["floor"]).items():
        assert np.array_equal(getattr(again.contacts["floor"], part), column, equal_nan=True), part
    more = again.robot.simulate(**IMPLICIT_RUN, **start(of))
    assert np.array_equal(more.q, run.q) and np.array_equal(more.energy.dissipated, run.energy.dissipated)


@bodies
@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("rate", [None, 2000])
def test_a_controller_pushes_against_friction(body, obstacle, rate):
    """With an integral, so it has states; continuous and by samples. It holds its speed, so it carries what rubs."""
    of = robot(body, obstacle, "cart")
    law = {"name": "push", "type": "pid", "inputs": ["motor"], "kp": 50, "kd": 5, "ki": 500,
           "reference": [{"type": "ramp", "start": 0, "end": 1, "from": 0, "to": 0.1}]}
    if rate:
        law |= {"rate": rate, "delay": 2e-4}
    keys = {"duration": 0.01, "output_step": 0.005, "controllers": [law], **start(of, down=0.0)}
    accurate = of.simulate(integrator=method("bdf", tolerance=1e-8), **keys)
    for name in ("bdf", "rk4", "generalized_alpha", "midpoint") if body == "rigid" else ("rk4", "generalized_alpha"):
        step = 2e-5 if name == "rk4" else 1e-4
        found = of.simulate(integrator=method(name, step, 1e-7), **keys)
        assert found.q == pytest.approx(accurate.q, abs=5e-6), name
        assert found.u == pytest.approx(accurate.u, abs=5e-3 * np.abs(accurate.u).max()), name
        assert np.abs(found.energy.balance).max() < 5e-3 * found.energy.input.max(), name
    assert accurate.contacts["floor"].friction[-1] > 1e-3


@bodies
def test_a_driven_joint_carries_what_rubs(body):
    """The slide goes at constant speed: its effort is friction, from the first way on which bristles bend."""
    of, speed = robot(body, "fixed", "cart"), 0.05
    run = of.simulate(
        duration=0.05, output_step=5e-3, integrator={"type": "generalized_alpha", "step": 1e-4},
        q=[0, *of.statics().q[1:]], v=[speed, *[0] * (of.nv - 1)],
        motion={"slide": [{"type": "ramp", "start": 0, "end": 0.05, "from": 0, "to": 0.05 * speed}]})
    assert run.q[:, 0] == pytest.approx(speed * run.time, abs=1e-12)
    effort, floor = run.columns["motion.slide.joint.q0"], run.contacts["floor"]
    late = run.time > 0.02
    assert effort[late] == pytest.approx(floor.friction[late], rel=1e-4)
    assert floor.friction[late] == pytest.approx(0.5 * floor.normal[late], rel=5e-3)  # it breathes: no friction by damping
    assert np.abs(run.energy.balance).max() < 1e-3 * run.energy.load[-1]


@bodies
def test_a_run_goes_on_from_its_middle(body):
    """A start has straight bristles, so it may be off by what friction does while they bend: mu g times that time."""
    of = robot(body, "fixed", "cart")
    keys = {"output_step": 0.01, "integrator": {"type": "generalized_alpha", "step": 5e-5}}
    whole = of.simulate(duration=0.02, **keys, **start(of, along=0.3, down=0.0))
    rest = of.simulate(duration=0.01, **keys, q=whole.q[1], v=whole.v[1])
    assert rest.q[-1] == pytest.approx(whole.q[-1], abs=2e-5 if body == "rigid" else 4e-6)
    assert rest.v[-1, 0] == pytest.approx(whole.v[-1, 0], rel=0.02)


@bodies
@pytest.mark.parametrize("carrier", ["cart", "loop", "floating"])
def test_the_end_of_a_run_is_an_equilibrium(body, carrier):
    """Up to what friction holds: statics takes bristles as straight where it begins, and rods have bent theirs."""
    file = text(body, "fixed", carrier)
    of = cuttle.Robot.from_text(file.replace("modulus: 200000.0", "dissipation: 100, modulus: 2.0e+5"))
    run = of.simulate(duration=1, output_step=0.5, integrator={"type": "generalized_alpha", "step": 1e-3, "rho_inf": 0.2})
    assert np.abs(run.v[-1]).max() < 1e-4
    rest = of.statics(q=run.q[-1])
    size = np.abs(run.q[-1] - of.neutral()).max()
    assert rest.q == pytest.approx(run.q[-1], abs=(0.3 if body == "rod" else 0.05) * size)
    body_mass = {"rigid": 0.03, "rod": 1100 * np.pi * 0.01**2 * 0.1, "volume": 1100 * 0.02**3}[body]
    carried = body_mass + {"cart": 0.01, "loop": 0.02, "floating": 0.01}[carrier]  # slides carry themselves
    assert rest.contacts["floor"].normal == pytest.approx(carried * G, rel=1e-6)
    stays = of.simulate(duration=0.05, output_step=0.05, statics=True, integrator={"type": "generalized_alpha", "step": 1e-3})
    assert stays.q[-1] == pytest.approx(of.statics().q, abs=1e-6 * size)


def test_modes_of_a_ball_at_rest_are_those_of_its_contact():
    """Up and down on the slope of Hertz's force with damping c N, along on its bristle with its damping time."""
    of, mass, weight = robot("rigid", "fixed", "cart"), np.array([0.05, 0.04]), 0.04 * G
    factor = 4 / 3 * 2e5 * np.sqrt(0.01)
    depth = (weight / factor) ** (2 / 3)
    stiffness = 1.5 * factor * np.sqrt(depth) * np.array([0.8, 1])  # along, up
    damping = [stiffness[0] * 5e-4, 1.0 * weight]
    expected = [np.roots([m, c, k]) for m, c, k in zip(mass, damping, stiffness)]
    found = np.array([mode.eigenvalue for mode in of.modes()])
    for value in np.concatenate(expected):
        assert np.abs(np.append(found, found.conj()) - value).min() < 1e-3 * abs(value)


@pytest.mark.parametrize("body", ["rod", "volume"])
def test_modes_of_soft_bodies_at_rest_are_their_small_motions(body):
    """A run that begins with a mode, in which no depth passes a corner of the law."""
    file = text(body, "fixed", "cart", friction=0)
    of = cuttle.Robot.from_text(file.replace("axis: [1, 0, 0]}", "axis: [1, 0, 0], stiffness: 100}"))
    rest = of.statics()
    assert rest.stable
    slow = min((mode for mode in of.modes() if mode.eigenvalue.imag > 1), key=lambda mode: abs(mode.eigenvalue))
    rate, shape = slow.eigenvalue, np.asarray(slow.shape)
    shape = shape / np.abs(shape).max() * 1e-8
    period = 2 * np.pi / rate.imag
    run = of.simulate(duration=period / 2, output_step=period / 8, q=rest.q + shape.real, v=(rate * shape).real,
                      integrator={"type": "generalized_alpha", "step": period / 2000, "rho_inf": 1})
    expected = rest.q + np.array([(np.exp(rate * t) * shape).real for t in run.time])
    assert run.q == pytest.approx(expected, abs=5e-3 * 1e-8)


@bodies
def test_friction_and_modulus_are_identified(body, tmp_path):
    """From a motion that was simulated: a slide along the ground that begins with a fall."""
    file = text(body, "fixed", "cart", friction=0.5)
    other = file.replace("friction: 0.5", "friction: 0.4").replace("modulus: 200000.0", "modulus: 3.0e+5")
    of = cuttle.Robot.from_text(file)
    found = identified_contact(tmp_path, "floor", of, other, start(of, along=0.2), (0.2, -0.01), 0.02)
    assert found == pytest.approx([0.5, 2e5], rel=0.01)


ODD = {  # a body on the cart, and how far above the ground its lowest point begins [m]
    "a capsule without length": "contact: {shape: capsule, radius: 0.01, length: 1.0e-9}",
    "a disc": "contact: {shape: cylinder, radius: 0.01, length: 4.0e-3, pose: {rpy: [1.5707963267948966, 0, 0]}}",
    "a box on a corner": "contact: {shape: box, size: [0.012, 0.012, 0.012], pose: {rpy: [0.7853981633974483, 0.6154797086703873, 0]}}",
    "two balls": "contact: [{shape: sphere, radius: 0.01}, {shape: sphere, radius: 0.01, pose: {position: [0, 0.03, 0]}}]",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_shapes_touch_as_others(name):
    file = text("rigid", "fixed", "cart").replace("contact: {shape: sphere, radius: 0.01}", ODD[name])
    of = cuttle.Robot.from_text(file.replace("-0.01}}", "-0.0105}}"))
    keys = {"duration": 0.03, "output_step": 0.01, **start(of, down=0.05)}
    accurate = of.simulate(integrator=method("bdf", tolerance=1e-9), **keys)
    assert accurate.contacts["floor"].normal.max() > 0.05
    for other in ("erk", "generalized_alpha", "energy_conserving"):
        found = of.simulate(integrator=method(other, 5e-5), **keys)
        assert found.q == pytest.approx(accurate.q, abs=5e-6), other
        assert np.abs(found.energy.balance).max() < 1e-4 * found.energy.kinetic.max()


@pytest.mark.parametrize("change", [
    ("points: 4", "points: 1"), ("length: 0.1", "length: 1.0e-3"), ("strain: planar_cc", "strain: {sigma_z: constant}")])
def test_odd_rods_touch_as_others(change):
    of = cuttle.Robot.from_text(text("rod", "fixed", "cart").replace(*change))
    keys = {"duration": 0.01, "output_step": 0.005, **start(of)}
    accurate = of.simulate(integrator=method("bdf", tolerance=1e-9), **keys)
    assert accurate.contacts["floor"].normal.max() > 0.01
    for other in ("erk", "generalized_alpha", "energy_conserving"):
        found = of.simulate(integrator=method(other, 5e-5), **keys)
        assert found.q == pytest.approx(accurate.q, abs=5e-6), other


def test_a_volume_touches_with_a_corner():
    tilted = text("volume", "fixed", "cart").replace("rpy: [3.141592653589793, 0, 0]", "rpy: [2.6, 0.4, 0]")
    of = cuttle.Robot.from_text(tilted.replace("-0.01}}", "-0.0175}}").replace("spacing: 0.02", "spacing: 0.02, record: sites"))
    keys = {"duration": 0.02, "output_step": 0.005, **start(of, down=0.1)}
    accurate = of.simulate(integrator=method("bdf", tolerance=1e-9), **keys)
    touching = (accurate.contacts["floor/sites"].state > 0).sum(axis=1)
    assert 1 <= touching.max() <= 3
    for other in ("erk", "generalized_alpha", "midpoint"):
        found = of.simulate(integrator=method(other, 5e-5), **keys)
        assert found.q == pytest.approx(accurate.q, abs=1e-5), other


@bodies
@pytest.mark.parametrize("gap", [1.0, -2e-5])
def test_bdf_takes_a_driven_slide_along(body, gap):
    """Newton's matrix of what touches knows what drives: steps are as few as far from the ground, and the book is closed."""
    of = robot(body, "fixed", "cart", gap=gap)
    keys = {"duration": 0.01, "output_step": 0.005,
            "motion": {"slide": [{"type": "quintic", "start": 0, "end": 0.02, "from": 0, "to": 0.004}]}}
    expected = of.simulate(integrator=method("erk", tolerance=1e-9), **keys)
    found = of.simulate(integrator=method("bdf", tolerance=1e-6), **keys)
    assert found.q == pytest.approx(expected.q, abs=1e-7)
    assert np.abs(found.energy.balance).max() < 2e-5 * np.abs(expected.energy.load).max()
    assert found.statistics["steps"] < (200 if gap > 0 else 2000)
