"""Parts that are functions of Python, against the library's own ones that do the same."""

import copy
import gc
import pickle
import signal
import threading

import numpy as np
import pytest

import cuttle
from cuttle import _jet_algebra, _jets
from cuttle._program import run_program
from cuttle.own import _find

EPS = np.finfo(float).eps


def off(found, expected):
    """The largest difference, relative to the largest number."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300)


# --- derivatives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        np.sin,
        np.cos,
        np.tan,
        np.exp,
        np.expm1,
        np.log,
        np.log1p,
        np.sqrt,
        np.sinh,
        np.cosh,
        np.tanh,
        np.arctan,
        np.arcsin,
        np.arccos,
        np.reciprocal,
        np.square,
        lambda x: x**3 - 2 / x,
        lambda x: x**-1.5 + 2**x + x**x,
        lambda x: np.sqrt(x * x + 1) / (1 + np.exp(-x)),
    ],
)
@pytest.mark.parametrize("x", [0.4, 0.7])
def test_taylor_coefficients_are_those_of_cauchy_s_integral(function, x):
    order, radius = 4, 0.2
    turns = np.exp(2j * np.pi * np.arange(64) / 64)  # exact but for (radius / distance of a pole)^60
    around = function(x + radius * turns)
    expected = [(around * turns**-k).mean().real for k in range(order + 1)]
    jet = function(_jets.Jet(_jet_algebra.path(order), np.array([x, 1.0, 0, 0, 0])))
    assert off(jet.coefficients * radius ** np.arange(order + 1), expected) < 100 * EPS


@pytest.mark.parametrize("x", [0.0, 1e-8, 0.1, 0.3183, 0.3184, 2.3, -0.7])
def test_the_cardinal_sine_is_smooth_where_its_formula_is_not(x):
    turns = np.exp(2j * np.pi * np.arange(64) / 64)
    z = np.pi * (x + 0.37 * turns)
    expected = [(np.sin(z) / z * turns**-k).mean().real for k in range(5)]
    jet = np.sinc(_jets.Jet(_jet_algebra.path(4), np.array([x, 1.0, 0, 0, 0])))
    assert off(jet.coefficients * 0.37 ** np.arange(5), expected) < 100 * EPS


def test_functions_of_arrays_agree_with_numpy_and_with_differences():
    generator = np.random.default_rng(1)
    q, e = generator.uniform(0.5, 1.5, (2, 6))
    A = generator.uniform(-1, 1, (6, 6))

    def everything(q):
        B = np.reshape(np.stack([q, 2 * q, np.sin(q)], axis=-1), (6, 3))
        parts = [
            np.sum(A @ B, axis=0),
            np.einsum("ij,jk->k", A, B),
            np.dot(q, A) @ q * np.ones(1),
            np.cross(B, B[::-1])[:, 0],
            np.linalg.norm(B, axis=1),
            np.cumsum(q),
            np.diff(q),
            np.where(q > 1, q**2, 3 * q),
            np.maximum(q, 1.0) + np.clip(q, 0.7, 1.2),
            np.arctan2(q, q[::-1]),
            np.hypot(q, 2.0),
            np.concatenate([B.T.mean(axis=0), np.outer(q, q)[0]]),
            np.ravel(np.column_stack([q, q * q])),
            np.moveaxis(np.broadcast_to(q, (2, 6)), 0, 1)[:, 1],
            np.abs(1 - q),
        ]
        return np.concatenate([np.atleast_1d(part) for part in parts])

    def along(t):
        return everything(q + t * e)

    jet = everything(_jets.Jet(_jet_algebra.path(2), np.stack([q, e, 0 * e])))
    assert off(jet.value, along(0)) < 10 * EPS
    h = 1e-3  # central differences of fourth order: errors h^4 and eps / h^2
    first = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
    second = (16 * (along(h) + along(-h)) - (along(2 * h) + along(-2 * h)) - 30 * along(0)) / (12 * h * h)
    assert off(jet.coefficients[1], first) < 1e-9 and off(2 * jet.coefficients[2], second) < 1e-7


def test_what_carries_no_derivatives_is_refused_with_a_way_out():
    import math

    jet = _jets.Jet(_jet_algebra.path(1), np.array([1.0, 1.0]))
    for wrong, words in (
        (lambda: math.sin(jet), "expected functions of NumPy"),
        (lambda: np.array([jet, jet]), "expected np.stack"),
        (lambda: np.floor(jet), "numpy.floor: found numbers that carry derivatives"),
        (lambda: np.linalg.svd(jet), "numpy.svd: found numbers that carry derivatives"),
    ):
        with pytest.raises(TypeError, match=words):
            wrong()
    with pytest.raises(ValueError) as caught:  # NumPy's own
        np.zeros(2)[0] = jet
    assert "expected functions of NumPy" in str(caught.value.__cause__)


# --- kinematics of a volume -------------------------------------------------------------------------------------------

LENGTH = 0.15
LVP = {
    "type": "lvp",
    "primitives": [
        {"type": "stretch", "modes": [[0, 1], [0, 0, 1]]},
        {"type": "shear", "axis": "x", "modes": [[0, 0, 1]]},
        {"type": "twist", "modes": [[0, 1]]},
    ],
}


def lvp_position(q, x):
    """The same in Python."""
    s = x[:, 2] / LENGTH
    slimmer = np.sqrt(1 + (q[0] + 2 * q[1] * s) / LENGTH)
    z = x[:, 2] + q[0] * s + q[1] * s**2
    across, y = x[:, 0] / slimmer + q[2] * (z / LENGTH) ** 2, x[:, 1] / slimmer
    angle = q[3] * z / LENGTH
    return across * np.cos(angle) - y * np.sin(angle), across * np.sin(angle) + y * np.cos(angle), z


def own_lvp():
    names = [("stretch0", "m"), ("stretch1", "m"), ("shear", "m"), "twist"]
    return cuttle.FunctionKinematics(lvp_position, names, keeps_volume=True)


def finger(kinematics, **more):
    tool = {"type": "rigid", "mass": 0.05, "com": [0, 0, 0.02], "inertia": [1e-5, 1e-5, 1e-5, 0, 0, 0]}
    shape = {"type": "cylinder", "length": LENGTH, "radius": 0.02}
    volume = {"type": "volume", "material": "rubber", "shape": shape, "quadrature": {"points": [4, 2, 4]}, "kinematics": kinematics}
    return cuttle.Robot.from_dict(
        {
            "name": "finger",
            "materials": {"rubber": {"density": 1070, "model": "neo_hookean", "c1": 8e4, "damping_time": 0.01}},
            "links": [
                {"name": "finger", "body": volume},
                {"name": "tool", "joint": {"type": "revolute", "axis": [0, 1, 0], "stiffness": 0.5, "damping": 1e-3}, "body": tool},
            ],
            "actuators": [
                {
                    "name": "pull",
                    "type": "tendon",
                    "routing": [{"link": "finger", "points": [[0.015, 0, 0], [0.015, 0, 0.07], [0.012, 0.01, 0.15]]}],
                }
            ],
            "markers": [{"name": "side", "link": "finger", "at": {"point": [0.02, 0, 0.1]}}],
            **more,
        }
    )


@pytest.fixture(scope="module")
def library():
    return finger(LVP)


@pytest.fixture(scope="module")
def own():
    return finger(own_lvp())


Q = np.array([0.01, -0.012, 0.02, 0.5, 0.3])
V = np.array([0.1, -0.05, 0.02, 1.0, -0.7])
ACCELERATION = np.array([1.0, 2.0, -0.5, 4.0, 3.0])


def test_a_volume_moved_by_a_function_is_that_of_the_library(library, own):
    assert own.model.configuration_info[0].name == "finger.stretch0" and own.model.configuration_info[0].unit == "m"
    for robot_function in (
        lambda r: r.inverse_dynamics(Q, V, ACCELERATION),
        lambda r: r.mass_matrix(Q),
        lambda r: r.forward_dynamics(Q, V, u=[2.0]),
        lambda r: r.jacobian("side", Q),
        lambda r: r.jacobian("tool.tip", Q),
        lambda r: r.frame("side", Q).matrix,
        lambda r: cuttle.actuation_matrix(r.model, r.data, Q),
        lambda r: [cuttle.elastic_energy(r.model, r.data, Q), cuttle.gravity_energy(r.model, r.data, Q)],
        lambda r: cuttle.momentum(r.model, r.data, Q, V),
    ):
        assert off(robot_function(own), robot_function(library)) < 1e-12


def test_its_derivatives_are_exact_too(library, own):
    for function in (cuttle.inverse_dynamics_derivatives, cuttle.forward_dynamics_derivatives):
        found, expected = cuttle.DerivativeData(own.model), cuttle.DerivativeData(library.model)
        function(own.model, own.data, found, Q, V, ACCELERATION, u=[2.0])
        function(library.model, library.data, expected, Q, V, ACCELERATION, u=[2.0])
        for name in ("by_q", "by_v", "by_a"):
            assert off(getattr(found, name), getattr(expected, name)) < 1e-11, name


@pytest.mark.parametrize("integrator", ["erk", "bdf", "generalized_alpha", {"type": "rk4", "step": 2e-4}])
def test_it_moves_as_that_with_every_integrator(library, own, integrator):
    keys = {"q": Q, "inputs": {"pull": 2.0}, "integrator": integrator, "output_step": 5e-3}
    run, expected = own.simulate(0.01, **keys), library.simulate(0.01, **keys)
    assert run.statistics["steps"] > 3 and off(run.q, expected.q) < 1e-9
    # both have the same error of the integrator: what is left is that of rounding and of its control of steps
    assert np.abs(run.energy.balance - expected.energy.balance).max() < 1e-9 * run.energy.total[0]
    assert run.robot is own


def test_its_energy_balances(own):
    run = own.simulate(0.01, q=Q, inputs={"pull": 2.0}, integrator={"type": "rk4", "step": 1e-4})
    assert run.energy.dissipated[-1] > 0.01 * run.energy.total[0]  # something is lost
    coarse = own.simulate(0.01, q=Q, inputs={"pull": 2.0}, integrator={"type": "rk4", "step": 2e-4})
    fine, rough = (np.abs(r.energy.balance).max() / r.energy.total[0] for r in (run, coarse))
    assert fine < 1e-5 and fine < rough / 8  # an error of order four


def test_it_rests_and_reaches_as_that(library, own):
    found, expected = own.statics({"pull": 2.0}), library.statics({"pull": 2.0})
    assert found.stable and off(found.q, expected.q) < 1e-10
    values = [[mode.eigenvalue for mode in robot.modes({"pull": 2.0})] for robot in (own, library)]
    assert off(*values) < 1e-9
    goal = {"tool.tip": [0.02, 0.01, 0.17]}
    assert own.ik(goal).converged and off(own.ik(goal).q, library.ik(goal).q) < 1e-9


def test_batches_of_it_run_on_all_cores(library, own):
    q = np.array([Q, 0.5 * Q, 0 * Q])
    ends = []
    for robot in (own, library):
        batch = cuttle.Batch(robot.model, ["links.tool.body.mass"], np.array([[0.05], [0.1], [0.2]]), threads=2)
        ends.append(batch.rollout(q, np.zeros_like(q), duration=5e-3, step=5e-4).q)
        assert batch.all_good
    assert off(*ends) < 1e-10
    assert len(cuttle.Batch(own.model, 2)) == 2


def test_other_numbers_of_the_robot_are_still_parameters(library, own):
    changes = {"links.tool.body.mass": 0.1, "materials.rubber.c1": 1e5}
    found, expected = (robot.with_(changes).inverse_dynamics(Q, V, ACCELERATION) for robot in (own, library))
    assert off(found, expected) < 1e-12


def test_runs_are_differentiated_by_them(library, own):
    by = ["links.tool.body.mass", "links.finger.body.shape.radius", "materials.rubber.c1", "actuators.pull.routing[0].points[0][0]"]
    keys = {"duration": 4e-3, "q": Q, "inputs": {"pull": 2.0}, "integrator": {"type": "rk4", "step": 1e-3}}
    found, expected = (robot.sensitivities(["tool.tip.position", "energy.elastic"], by, **keys) for robot in (own, library))
    assert found.derivatives.shape == (1, 4, 4)
    for k in range(4):
        assert off(found.derivatives[..., k], expected.derivatives[..., k]) < 1e-10, by[k]


def test_what_needs_a_model_of_gradients_has_one():
    def robot(kinematics):
        shape = {"type": "cylinder", "length": LENGTH, "radius": 0.02, "inner_radius": 0.008}
        volume = {"type": "volume", "material": "rubber", "shape": shape, "quadrature": {"points": [4, 2, 4]}, "kinematics": kinematics}
        return cuttle.Robot.from_dict(
            {
                "materials": {"rubber": {"density": 1070, "model": "neo_hookean", "c1": 8e4, "damping_time": 0.01}},
                "links": [{"name": "finger", "body": volume}],
                "actuators": [
                    {"name": "air", "type": "chamber", "link": "finger", "surface": "inner"},
                    {"name": "push", "type": "wrench", "link": "finger", "at": "tip"},
                ],
            }
        )

    keys = {"q": Q[:4], "inputs": {"air": 2e4, "push.fx": 0.3}, "integrator": {"type": "generalized_alpha", "step": 5e-4}}
    found, expected = (robot(kinematics) for kinematics in (own_lvp(), LVP))
    assert off(found.simulate(2e-3, **keys).q, expected.simulate(2e-3, **keys).q) < 1e-11
    assert off(found.statics({"air": 1e4}).q, expected.statics({"air": 1e4}).q) < 1e-10


def test_a_robot_with_functions_has_no_text(own, tmp_path):
    words = "'finger' cannot be .*: found functions of Python at links.finger.body.kinematics, which live in this process"
    run = own.simulate(1e-3, integrator={"type": "rk4", "step": 5e-4})
    for wrong in (
        lambda: pickle.dumps(own),
        own.to_yaml,
        lambda: own.save(tmp_path / "robot.yaml"),
        own.live,
        lambda: own.export(tmp_path / "robot.urdf"),
        lambda: run.page(tmp_path / "run.html"),
    ):
        with pytest.raises(cuttle.ModelError, match=words) as caught:
            wrong()
        assert caught.value.path == "links.finger.body.kinematics"
    with pytest.raises(cuttle.ModelError, match="kinematics of type python, which has no text"):
        pickle.dumps(own.model)
    run.save(tmp_path / "run.csv")
    run.save(tmp_path / "run.h5")  # rows for other programs
    words = (r"run.h5: robot_yaml: found a part that is a function of the program .* in Python .*"
             r"\(finger: body.kinematics: found kinematics of type python, which has no text")
    with pytest.raises(cuttle.FileError, match=words):
        cuttle.load_run(tmp_path / "run.h5")
    with pytest.raises(cuttle.ProgramError, match=words):
        run_program("view", str(tmp_path / "run.h5"), "-o", str(tmp_path / "run.html"), "--no-open")
    robot = finger(LVP)
    robot.simulate(1e-3, inputs={"pull": lambda time: time}, integrator={"type": "rk4", "step": 5e-4}).save(tmp_path / "push.h5")
    with pytest.raises(cuttle.FileError, match=r"push.h5: scenario_yaml: .* in Python .*.inputs.pull: found a function of time"):
        cuttle.load_run(tmp_path / "push.h5")
    assert copy.deepcopy(own) is own


def test_a_part_lives_as_long_as_a_model_has_it():
    kinematics = own_lvp()
    name = kinematics._name
    robot = finger(kinematics)
    model = robot.model
    del kinematics, robot
    gc.collect()
    assert off(model.with_({"links.tool.body.mass": 0.05}).neutral(), np.zeros(5)) == 0 and _find(name) is not None
    text = '{cuttle: 1, links: [{name: a, body: {type: python, object: "bend 0"}}]}'
    with pytest.raises(cuttle.FileError, match="links.0..body.object: found 'bend 0', a part of a program of Python that is gone"):
        cuttle.Robot.from_text(text)
    del model
    gc.collect()
    assert _find(name) is None


def test_what_a_position_raises_ends_the_run_and_names_what_is_wrong(library):
    calls = 0

    def broken(q, x):
        nonlocal calls
        calls += 1
        if calls > 60:
            raise RuntimeError("no more")
        return lvp_position(q, x)

    for integrator in ("erk", "bdf", "generalized_alpha"):
        calls = 0
        robot = finger(cuttle.FunctionKinematics(broken, 4, keeps_volume=True))
        with pytest.raises(RuntimeError, match="no more") as caught:
            robot.simulate(1.0, q=Q, integrator=integrator)
        assert caught.value.run.status == "failed"
    with pytest.raises(cuttle.ArgumentError, match=r"position: found a result of shape \(\d+, 2\) for \d+ points"):
        finger(cuttle.FunctionKinematics(lambda q, x: x[:, :2] * (1 + q[0]), 1, keeps_volume=True))


def test_ctrl_c_ends_a_run_within_a_function(own):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        own.simulate(1000.0, q=Q, integrator={"type": "rk4", "step": 1e-4}, output_step=1e-4)
    assert caught.value.run.status == "interrupted" and len(caught.value.run) > 1


def test_threads_share_it(own):
    expected = own.inverse_dynamics(Q, V, ACCELERATION)
    wrong = []

    def compute():
        for _ in range(10):
            if not np.array_equal(own.inverse_dynamics(Q, V, ACCELERATION), expected):
                wrong.append(1)

    def run():
        own.simulate(1e-3, q=Q, integrator={"type": "rk4", "step": 5e-4})

    def roll_out():
        cuttle.Batch(own.model, 3, threads=2).rollout(np.array([Q] * 3), np.zeros((3, 5)), duration=1e-3, step=5e-4)

    threads = [threading.Thread(target=work, daemon=True) for work in (compute, run, roll_out, compute)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)  # none waits for another one's lock
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_a_body_that_folds_or_is_nowhere_is_refused_with_the_point():
    def press(q, x):
        return np.stack([x[:, 0], x[:, 1], x[:, 2] * (1 + q[0])], axis=-1)

    points, volumes = cuttle.cylinder_points(0.1, 0.02)
    keys = {"points": points, "volumes": volumes, "density": 1000, "tip": [0, 0, 0.1]}
    for body in (cuttle.FunctionBody(press, 1, **keys), cuttle.FunctionBody(press, 1, **keys, allow_folding=True)):
        robot = cuttle.Robot.from_dict({"links": [{"name": "a", "body": body}]})
        if body.allow_folding:
            assert np.isfinite(robot.inverse_dynamics([-1.5], [0], [0]))[0]
            continue
        with pytest.raises(cuttle.ConfigurationError, match=r"a: point 0 .at rest .*det.df/dx. = -0.5"):
            robot.inverse_dynamics([-1.5], [0], [0])

    def root(q, x):
        return x[:, 0], x[:, 1], x[:, 2] * np.sqrt(q[0] + 1)

    robot = cuttle.Robot.from_dict({"links": [{"name": "a", "body": cuttle.FunctionBody(root, 1, **keys)}]})
    with pytest.raises(cuttle.ConfigurationError, match="expected finite numbers"):
        robot.inverse_dynamics([-2.0], [0], [0])


# --- a body of points -------------------------------------------------------------------------------------------------


def turned(q, x):
    """By the angle q[0] about y."""
    s, c = np.sin(q[0]), np.cos(q[0])
    return np.stack([c * x[:, 0] + s * x[:, 2], x[:, 1], c * x[:, 2] - s * x[:, 0]], axis=-1)


POINTS, VOLUMES = cuttle.box_points([0.02, 0.03, 0.3], nz=4, nx=2, ny=2)
DENSITY = 800.0


def rigid_twin(stiffness=0.0, damping=0.0):
    """A joint and a rigid body with the moments of the points."""
    m = DENSITY * VOLUMES
    inertia = np.einsum("i,ij,ij->", m, POINTS, POINTS) * np.eye(3) - np.einsum("i,ij,ik->jk", m, POINTS, POINTS)
    com = m @ POINTS / m.sum()
    about_com = inertia - m.sum() * (com @ com * np.eye(3) - np.outer(com, com))
    rigid = {"type": "rigid", "mass": m.sum(), "com": com, "inertia": [*np.diag(about_com), 0, 0, 0],
             "tip": {"position": [0, 0, 0.3]}}
    joint = {"type": "revolute", "axis": [0, 1, 0], "stiffness": stiffness, "damping": damping}
    return cuttle.Robot.from_dict({"links": [{"name": "arm", "joint": joint, "body": rigid}, HAND]})


HAND = {"name": "hand", "joint": {"type": "revolute", "axis": [1, 0, 0]},
        "body": {"type": "rigid", "mass": 0.1, "com": [0, 0.05, 0.02], "inertia": [1e-4, 2e-4, 3e-4, 0, 0, 0]}}


def turned_body(stiffness=0.0, damping=0.0, position=turned):
    body = cuttle.FunctionBody(
        position,
        ["angle"],
        POINTS,
        VOLUMES,
        density=DENSITY,
        tip=[0, 0, 0.3],
        elastic_energy=lambda q: 0.5 * stiffness * q[0] ** 2,
        dissipation=lambda q, v: 0.5 * damping * v[0] ** 2,
    )
    return cuttle.Robot.from_dict({"links": [{"name": "arm", "body": body}, HAND],
                                   "markers": [{"name": "mid", "link": "arm", "at": {"point": [0.01, 0, 0.15]}}]})


def test_points_that_turn_are_a_rigid_body_on_a_joint():
    twin, robot = rigid_twin(0.4, 0.03), turned_body(0.4, 0.03)
    q, v, a = [0.7, -0.4], [1.1, 0.8], [-2.0, 1.0]
    assert off(robot.inverse_dynamics(q, v, a), twin.inverse_dynamics(q, v, a)) < 1e-12
    assert off(robot.mass_matrix(q), twin.mass_matrix(q)) < 1e-12
    assert off(robot.frame("arm.tip", q).matrix, twin.frame("arm.tip", q).matrix) < 1e-12
    assert off(robot.frame("mid", q).position, turned(q, np.array([[0.01, 0, 0.15]]))[0]) < 1e-12
    assert off(robot.frame("mid", q).rotation, twin.frame("arm.tip", q).rotation) < 1e-12
    assert off(robot.jacobian("mid", q)[:3], twin.jacobian("arm.tip", q)[:3]) < 1e-12
    found, expected = cuttle.DerivativeData(robot.model), cuttle.DerivativeData(twin.model)
    cuttle.inverse_dynamics_derivatives(robot.model, robot.data, found, q, v, a)
    cuttle.inverse_dynamics_derivatives(twin.model, twin.data, expected, q, v, a)
    for name in ("by_q", "by_v", "by_a"):
        assert off(getattr(found, name), getattr(expected, name)) < 1e-11, name
    assert cuttle.elastic_energy(robot.model, robot.data, q) == pytest.approx(0.5 * 0.4 * 0.7**2, rel=1e-12)
    with pytest.raises(cuttle.ModelError, match="body of type python, which exists for double alone"):
        robot.sensitivities("tip.position", "links.hand.body.mass", duration=0.01)
    assert robot.modes(q=[np.pi, 0])[0].frequency == pytest.approx(twin.modes(q=[np.pi, 0])[0].frequency, rel=1e-9)


@pytest.mark.parametrize("integrator", ["erk", "bdf", "generalized_alpha", {"type": "rk4", "step": 1e-3}])
def test_and_swing_like_one(integrator):
    keys = {"q": [0.7, -0.4], "integrator": integrator}
    run, expected = (robot.simulate(0.3, **keys) for robot in (turned_body(0.4, 0.03), rigid_twin(0.4, 0.03)))
    assert off(run.q, expected.q) < 1e-9
    assert off(run.energy.dissipated, expected.energy.dissipated) < 1e-6  # by quadrature along the steps
    assert np.abs(run.energy.balance - expected.energy.balance).max() < 1e-8


def test_damping_that_depends_on_the_shape_is_differentiated():
    points, volumes = cuttle.cylinder_points(0.1, 0.02, nz=2, nr=1, nphi=4)

    def position(q, x):
        return x[:, 0] * (1 + q[1]), x[:, 1], x[:, 2] * (1 + q[0] * q[1] + q[0])

    body = cuttle.FunctionBody(
        position, [("a", "m"), ("b", "m")], points, volumes, density=1000, tip=[0, 0, 0.1],
        elastic_energy=lambda q: np.exp(q[0]) - q[0] - 1 + q[0] ** 2 * q[1] ** 2,
        dissipation=lambda q, v: (1 + q[0] ** 2) * v[0] ** 2 + q[1] * v[0] * v[1] + 2 * v[1] ** 4,
    )
    robot = cuttle.Robot.from_dict({"links": [{"name": "a", "body": body}]})
    q, v, a = np.array([0.1, 0.2]), np.array([0.4, 0.3]), np.array([1.0, -1.0])
    assert off(cuttle.damping_force(robot.model, robot.data, q, v),
               [2 * 1.01 * 0.4 + 0.2 * 0.3, 0.2 * 0.4 + 8 * 0.3**3]) < 1e-12
    derivatives = cuttle.DerivativeData(robot.model)
    cuttle.inverse_dynamics_derivatives(robot.model, robot.data, derivatives, q, v, a)
    h = 1e-4
    for k, e in enumerate(h * np.eye(2)):
        by_q = (robot.inverse_dynamics(q + e, v, a) - robot.inverse_dynamics(q - e, v, a)) / (2 * h)
        by_v = (robot.inverse_dynamics(q, v + e, a) - robot.inverse_dynamics(q, v - e, a)) / (2 * h)
        assert off(derivatives.by_q[:, k], by_q) < 1e-7 and off(derivatives.by_v[:, k], by_v) < 1e-7


def test_mistakes_in_a_body_are_named():
    keys = {"points": POINTS, "volumes": VOLUMES, "density": 1.0, "tip": [0, 0, 0.3]}
    with pytest.raises(cuttle.ArgumentError, match="coordinates: found .*, expected names"):
        cuttle.FunctionBody(turned, [("a", "kg")], **keys)
    with pytest.raises(cuttle.ArgumentError, match="points, volumes: found shapes"):
        cuttle.FunctionBody(turned, 1, **{**keys, "volumes": [1.0]})
    with pytest.raises(cuttle.ArgumentError, match=r"tip: found shape \(2,\)"):
        cuttle.FunctionBody(turned, 1, **{**keys, "tip": [0, 1]})
    with pytest.raises(cuttle.FileError, match="links.0..body.density: found -1"):
        cuttle.Robot.from_dict({"links": [{"name": "a", "body": cuttle.FunctionBody(turned, 1, **{**keys, "density": -1})}]})
    assert np.allclose(cuttle.FunctionBody(turned, 1, **keys)([0.3], [[0, 0, 1]]), [[np.sin(0.3), 0, np.cos(0.3)]])


# --- elements ---------------------------------------------------------------------------------------------------------

ARM = {
    "name": "arm",
    "joint": {"type": "revolute", "axis": [0, 1, 0]},
    "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.2], "inertia": [0.02, 0.02, 1e-3, 0, 0, 0],
             "tip": {"position": [0, 0, -0.4]}},
}
ROD = {
    "name": "rod",
    "body": {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.01}, "material": "rubber",
             "strain": {"kappa_y": {"basis": "constant"}, "sigma_z": {"basis": "constant"}}},
}
ENDS = [{"link": "base", "pose": {"position": [0.1, 0, 0]}}, {"link": "arm", "at": "tip"}]
SPRING = {"name": "spring", "type": "spring", "a": ENDS[0], "b": ENDS[1], "stiffness": 30, "damping": 0.5}
LIMIT = {"name": "limit", "type": "joint_limit", "link": "arm", "lower": -0.3, "upper": 0.3, "stiffness": 40, "damping": 0.2, "range": 0.05}


def arm(*elements):
    return cuttle.Robot.from_dict({"links": [ARM], "elements": list(elements)})


def pull(time, y, rate):
    return -30 * y - 0.5 * rate


def own_spring(**keys):
    return cuttle.Element("spring", pull, between=ENDS, energy=lambda y: 15 * y[0] ** 2, **keys)


@pytest.mark.parametrize("integrator", ["erk", "bdf", "generalized_alpha", {"type": "rk4", "step": 1e-3}])
def test_a_law_between_two_places_is_a_spring(integrator):
    run, expected = (arm(e).simulate(0.5, q=[0.5], integrator=integrator) for e in (own_spring(), SPRING))
    assert off(run.q, expected.q) < 1e-10
    for name in ("elements", "dissipated", "total"):
        assert off(getattr(run.energy, name), getattr(expected.energy, name)) < 1e-9, name
    assert np.allclose(run._run.rows("element_outputs")[:, 0], expected._run.rows("element_outputs")[:, 0], rtol=0, atol=1e-9)


def rate_derivatives(time, y, rate):
    return [[-30.0]], [[-0.5]]


@pytest.mark.parametrize("derivatives", [None, "differences", rate_derivatives])
def test_derivatives_of_a_law_come_in_three_ways(derivatives):
    robot, twin = arm(own_spring(derivatives=derivatives)), arm(SPRING)
    keys = {"q": [0.5], "integrator": {"type": "generalized_alpha", "step": 2e-3}}
    assert off(robot.simulate(0.1, **keys).q, twin.simulate(0.1, **keys).q) < 1e-9
    assert off(robot.statics().q, twin.statics().q) < 1e-8
    assert robot.modes()[0].eigenvalue == pytest.approx(twin.modes()[0].eigenvalue, rel=1e-8)


@pytest.mark.parametrize(
    ("integrator", "bound"),
    [
        ({"type": "rk4", "step": 1e-3}, 1e-14),
        ("generalized_alpha", 1e-10),
        # where contact begins they try shorter steps, and which ones they keep hangs on rounding: to their tolerances
        ("erk", 1e-5),
        ("bdf", 1e-5),
    ],
)
def test_a_law_on_a_coordinate_is_a_limit(integrator, bound):
    def limit(time, y, rate):
        d = np.abs(y) - 0.3  # beyond the limit, over whose first 0.05 stiffness and damping grow evenly
        depth = np.where(d > 0.05, d - 0.025, np.clip(d, 0.0, 0.05) ** 2 / 0.1)
        return -40 * np.sign(y) * depth - 0.2 * np.clip(d / 0.05, 0.0, 1.0) * rate

    def energy(y):  # 40 times the integral of the depth
        d = np.abs(y[0]) - 0.3
        return 40 * np.where(d > 0.05, d**2 / 2 - 0.025 * d + 0.05**2 / 6, np.clip(d, 0.0, 0.05) ** 3 / 0.3)

    element = cuttle.Element("limit", limit, coordinates=["arm"], energy=energy)
    keys = {"q": [0.5], "output_step": 0.01, "integrator": integrator}
    run, expected = arm(element).simulate(0.4, **keys), arm(LIMIT).simulate(0.4, **keys)
    assert np.ptp(np.sign(expected.q)) == 2 and expected.q.max() > 0.45
    assert off(run.q, expected.q) < bound and off(run.energy.elements, expected.energy.elements) < 10 * bound


def test_an_energy_alone_is_a_law():
    def energy(y):
        return 2 * y[0] ** 2 + 0.5 * y[0] ** 4

    robot = arm(cuttle.Element("hold", energy=energy, coordinates=["arm"]))
    run = robot.simulate(0.5, q=[0.6], integrator={"type": "rk4", "step": 1e-3})
    assert np.abs(run.energy.balance).max() < 1e-8 and np.ptp(run.energy.elements) > 0.1
    assert off(run.energy.elements, 2 * run.q[:, 0] ** 2 + 0.5 * run.q[:, 0] ** 4) < 1e-12
    # a pendulum that hangs: (m g c + k) / I
    stiffness, inertia = 9.81 * 0.2 + 4, 0.02 + 0.04
    assert robot.modes(q=[0.0])[0].frequency == pytest.approx(np.sqrt(stiffness / inertia) / 2 / np.pi, rel=1e-9)


def test_a_law_couples_joint_body_and_tendon():
    rubber = {"rubber": {"density": 1000, "young_modulus": 1e6, "poisson_ratio": 0.49, "damping_time": 0.01}}
    routing = [{"link": "rod", "offset": [0.006, 0]}]
    k = np.array([[3.0, 1.0, 0.5], [1.0, 2.0, -0.3], [0.5, -0.3, 4.0]])

    def energy(y):
        return 0.5 * (y @ k @ y)

    def law(time, y, rate, u):
        return -(k @ y) + u[0] * np.array([1.0, 0.0, 0.0])

    element = cuttle.Element("mix", law, coordinates=["arm", ("rod", 0)], tendon=routing, energy=energy, inputs=[""])
    robot = cuttle.Robot.from_dict({"materials": rubber, "links": [ARM, ROD], "elements": [element]})
    assert robot.inputs == ["mix"]
    run = robot.simulate(0.2, q=[0.2] + [0.0] * (robot.nq - 1), inputs={"mix": 0.4}, integrator="generalized_alpha")
    scale = np.ptp(run.energy.elements) + np.ptp(run.energy.kinetic)
    assert run.energy.input[-1] != 0 and np.abs(run.energy.balance).max() < 1e-3 * scale
    plain = cuttle.Element("mix", energy=energy, coordinates=["arm", ("rod", 0)], tendon=routing)
    alike = cuttle.Robot.from_dict({"materials": rubber, "links": [ARM, ROD], "elements": [plain]})
    assert off(alike.statics().q, robot.statics({"mix": 0.0}).q) < 1e-9


def test_a_law_acts_on_all_coordinates_of_links():
    rubber = {"rubber": {"density": 1000, "young_modulus": 1e6, "poisson_ratio": 0.49, "damping_time": 0.01}}
    damper = cuttle.Element("damper", lambda time, y, rate: -np.array([0.1, 0.02, 0.3]) * rate, links=["arm", "rod"])
    listed = cuttle.Element("damper", damper.function, coordinates=["arm", ("rod", 0), ("rod", 1)])
    runs = []
    for element in (damper, listed):
        robot = cuttle.Robot.from_dict({"materials": rubber, "links": [ARM, ROD], "elements": [element]})
        runs.append(robot.simulate(0.1, q=[0.5] + [0.0] * (robot.nq - 1), integrator="generalized_alpha").q)
    assert runs[0].shape[1] == 3 and np.array_equal(*runs) and damper.coordinates == []
    with pytest.raises(cuttle.ArgumentError, match="element 'damper': links: found 'rod', expected one of arm"):
        arm(damper)


def test_mistakes_in_an_element_are_named():
    with pytest.raises(cuttle.ArgumentError, match="element 'e': found neither function nor energy"):
        cuttle.Element("e", coordinates=["arm"])
    with pytest.raises(cuttle.ArgumentError, match="element 'e': found nothing that it acts on"):
        cuttle.Element("e", pull)
    with pytest.raises(cuttle.ArgumentError, match="derivatives: found 'exact'"):
        cuttle.Element("e", pull, coordinates=["arm"], derivatives="exact")
    with pytest.raises(cuttle.Error, match="elements.0.*nowhere"):
        arm(cuttle.Element("e", pull, coordinates=["nowhere"]))
    with pytest.raises(cuttle.Error, match="index: found 1, expected less than 1 .coordinates of the link 'arm'"):
        arm(cuttle.Element("e", pull, coordinates=[("arm", 1)]))
    ball = {**ARM, "joint": {"type": "spherical"}}
    with pytest.raises(cuttle.Error, match="'arm', whose joint has a quaternion"):
        cuttle.Robot.from_dict({"links": [ball], "elements": [cuttle.Element("e", pull, coordinates=["arm"])]})
    with pytest.raises(cuttle.ArgumentError, match="element 'e': found 2 efforts, expected 1"):
        arm(cuttle.Element("e", lambda t, y, rate: [1.0, 2.0], coordinates=["arm"])).simulate(0.1)

    def late(time, y, rate):
        if time > 0.1:
            raise RuntimeError("no more")
        return -y

    for integrator in ("erk", "bdf", "generalized_alpha"):
        with pytest.raises(RuntimeError, match="no more") as caught:
            arm(cuttle.Element("e", late, coordinates=["arm"])).simulate(0.5, q=[0.1], integrator=integrator)
        assert 0.05 < caught.value.run.time[-1] < 0.12
    with pytest.raises(TypeError, match="expected functions of NumPy"):
        import math

        element = cuttle.Element("e", lambda t, y, rate: [math.sin(y[0])], coordinates=["arm"])
        arm(element).simulate(0.1, integrator="generalized_alpha")


# --- functions of time ------------------------------------------------------------------------------------------------


def wave(t):
    return 0.3 * np.sin(3 * t) + 0.1 * np.exp(-t) * t**2


def test_a_function_has_exact_derivatives():
    signal = cuttle.Signal.function(wave)
    for t in (0.0, 0.3, 1.7):
        assert signal.at(t) == wave(t)
        first = 0.9 * np.cos(3 * t) + 0.1 * np.exp(-t) * (2 * t - t * t)
        second = -2.7 * np.sin(3 * t) + 0.1 * np.exp(-t) * (2 - 4 * t + t * t)
        assert signal.derivative(t) == pytest.approx(first, rel=1e-14)
        assert signal.derivative(t, 2) == pytest.approx(second, rel=1e-14)
    given = cuttle.Signal.function(lambda t: t, lambda t: 7.0, lambda t: 8.0, [2.0, 1.0])
    assert (given.derivative(1.0), given.derivative(1.0, 2)) == (7.0, 8.0)
    import math

    with pytest.raises(TypeError, match="expected functions of NumPy"):
        cuttle.Signal.function(math.sin).derivative(1.0)


def driven():
    motor = {"name": "motor", "type": "joint", "link": "arm"}
    return cuttle.Robot.from_dict({"links": [ARM], "actuators": [motor]})


@pytest.mark.parametrize(
    "reference",
    [
        wave,
        cuttle.Signal.function(
            wave,
            lambda t: 0.9 * np.cos(3 * t) + 0.1 * np.exp(-t) * (2 * t - t * t),
            lambda t: -2.7 * np.sin(3 * t) + 0.1 * np.exp(-t) * (2 - 4 * t + t * t),
        ),
    ],
    ids=["function", "derivatives"],
)
def test_computed_torque_follows_a_function(reference):
    law = {"name": "follow", "type": "computed_torque", "reference": [reference], "kp": 100, "kd": 20}
    run = driven().simulate(2.0, q=[wave(0)], v=[0.9], controllers=[law], integrator={"type": "rk4", "step": 1e-3})
    # nothing disturbs it: what is off is the integrator's error, h^4
    assert np.abs(run.q[:, 0] - wave(run.time)).max() < 1e-9
    assert np.array_equal(run.controllers["follow"].reference[:, 0], wave(run.time))


def test_signals_stand_wherever_a_file_has_one():
    law = {"name": "follow", "type": "computed_torque", "reference": [cuttle.Signal.sine(0.3, 0.5)], "kp": 100, "kd": 20}
    keys = {**law, "reference": [{"type": "sine", "amplitude": 0.3, "frequency": 0.5}]}
    run, expected = (driven().simulate(0.5, controllers=[given]) for given in (law, keys))
    assert np.array_equal(run.q, expected.q)
    load = {"type": "wrench", "link": "arm", "at": "tip", "force": [lambda t: 2 * np.sin(t), 0, cuttle.Signal.ramp(0, 1, 0, 3)]}
    robot = cuttle.Robot.from_dict({"links": [ARM], "loads": [load]})
    same = {**load, "force": [{"type": "sine", "amplitude": 2, "frequency": 0.5 / np.pi}, 0, {"type": "ramp", "start": 0, "end": 1, "to": 3}]}
    twin = cuttle.Robot.from_dict({"links": [ARM], "loads": [same]})
    gc.collect()
    heavier = [r.with_({"links.arm.body.mass": 2.0}).simulate(0.5, integrator={"type": "rk4", "step": 1e-3}).q for r in (robot, twin)]
    assert off(*heavier) < 1e-12
    with pytest.raises(cuttle.ArgumentError, match=r"x: found object, expected what a file can say"):
        cuttle.Robot.from_dict({"x": object()})


@pytest.mark.parametrize(
    "signal",
    [
        cuttle.Signal(2.5),
        cuttle.Signal.step(0.5, 1, 2),
        cuttle.Signal.ramp(0, 1, 2, 3),
        cuttle.Signal.sine(1, 2, 3, 4),
        cuttle.Signal.cubic(0, 1, 2, 3),
        cuttle.Signal.quintic(0, 1, 2, 3),
        cuttle.Signal.points([0, 1, 2], [3, 1, 2]),
        cuttle.Signal.spline([0, 1, 2], [3, 1, 2]),
        cuttle.Signal.steps([1, 2], [3, 1, 2]),
        cuttle.Signal.function(wave),
    ],
)
def test_signals_survive_pickling_and_copying(signal):
    for again in (pickle.loads(pickle.dumps(signal)), copy.copy(signal), copy.deepcopy(signal)):
        assert [again.at(t) for t in (-1, 0.3, 1.5, 9)] == [signal.at(t) for t in (-1, 0.3, 1.5, 9)]
