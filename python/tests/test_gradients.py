"""Gradients at the price of some runs, and the robot as a function: against differences, which share no formula with them, against
derivatives forward, and through jax and CasADi. The ten lines that must work stand at the end."""

import numpy as np
import pytest

import cuttle
from cuttle import functions

# Differences of order six: errors of h^6 and of rounding / h, both below 1e-10 of the values for h near 1e-2.
_WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60))


def difference(f, x, h=5e-3):
    """Jacobian (f.size, x.size) of a function of an array."""
    x = np.array(x, float)
    columns = []
    for i in range(x.size):
        def at(steps, i=i):
            moved = x.copy()
            moved.reshape(-1)[i] += steps * h
            return np.asarray(f(moved), float).reshape(-1)
        columns.append(sum(w * (at(k) - at(-k)) for k, w in _WEIGHTS) / h)
    return np.array(columns).T


def near(found, expected, tolerance):
    scale = np.abs(expected).max()
    assert scale > 0
    assert np.shape(found) == np.shape(expected)
    assert np.abs(found - expected).max() < tolerance * scale, (found, expected)


TENDON_KEYS = {"duration": 0.1, "output_step": 0.05, "integrator": {"type": "generalized_alpha", "step": 0.01},
               "inputs": {"right": ([0, 0.03, 0.07, 0.1], [1, 3, 4, 2]), "left": cuttle.Signal.step(0.045, 0.5, 1.5)}}


# --- the adjoint ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("clock", [{}, {"rate": 100, "delay": 0.004}])
def test_gains_and_what_a_law_sees_go_back_as_forward(tendon_arm, clock):
    hold = {"name": "hold", "type": "pid", "inputs": ["right"], "reference": [-0.002], "kp": [400], "kd": [3], **clock}
    gains = [f"simulation.controllers.hold.{key}" for key in ("kp", "kd", "reference[0]")]
    left = [f"simulation.inputs.left.value[{k}]" for k in range(3)]
    keys = {**TENDON_KEYS, "inputs": {"left": ([0, 0.05, 0.1], [1, 3, 2])}, "controllers": [hold]}
    run = tendon_arm.rollout_function("tip.position", by=("inputs.left", gains), times=[0.05, 0.1], **keys)
    y, back = run.vjp(*run.start)
    worth = np.cos(np.arange(6.0)).reshape(2, 3)
    forward = tendon_arm.sensitivities("tip.position", by=left + gains, times=[0.05, 0.1], **keys)
    expected = sum(slopes.T @ own for slopes, own in zip(forward.derivatives, worth))
    by_left, by_gains = back(worth)
    assert (np.abs(expected) > 0).all()
    assert np.abs(np.concatenate([by_left, by_gains]) / expected - 1).max() < 1e-7


def test_a_gradient_by_whole_signals_and_the_start_is_that_forward(tendon_arm):
    q = 0.1 * np.sin(np.arange(tendon_arm.nq))
    keys = {**TENDON_KEYS, "q": q, "v": 0.2 * np.cos(np.arange(tendon_arm.nv))}
    times, of = [0.0, 0.02, 0.045, 0.1], ["tip.position", "energy.elastic", "energy.kinetic", "tip.velocity", "q"]
    run = tendon_arm.rollout_function(of, by=("inputs.right", "q", "v", ["simulation.inputs.left.after"]), times=times, **keys)
    assert run.arguments == ["inputs.right", "q", "v", "[simulation.inputs.left.after]"]
    assert run.shapes == [(4,), (tendon_arm.nq,), (tendon_arm.nv,), (1,)]
    assert np.array_equal(run.start[0], [1, 3, 4, 2]) and np.array_equal(run.start[1], q) and np.array_equal(run.start[3], [1.5])
    y, back = run.vjp(*run.start)
    assert y["tip.position"].shape == (4, 3) and y["energy.elastic"].shape == (4,) and y["q"].shape == (4, tendon_arm.nq)

    links = tendon_arm.model.links
    paths = [f"simulation.inputs.right.value[{k}]" for k in range(4)]
    paths += [f"simulation.initial.{link.name}.{which}[{i}]" for which in "qv" for link in links
              for i in range(link.nq if which == "q" else link.nv)]
    paths.append("simulation.inputs.left.after")
    forward = tendon_arm.sensitivities(of, by=paths, times=times, **keys)
    worth = {name: np.sin(1.0 + np.arange(y[name].size)).reshape(y[name].shape) for name in of}
    together = np.concatenate([worth[name].reshape(4, -1) for name in of], axis=1)
    values = np.concatenate([y[name].reshape(4, -1) for name in of], axis=1)
    near(values, np.array(forward.values), 1e-9)
    expected = sum(slopes.T @ own for slopes, own in zip(forward.derivatives, together))
    near(np.concatenate(back(worth)), expected, 1e-9)


@pytest.mark.parametrize("method", ["rk4", "midpoint", "hht"])
def test_a_tracking_loss_has_the_gradient_of_differences(pendulum, method):
    times = np.linspace(0.1, 0.5, 5)
    run = pendulum.rollout_function("q", by="inputs.motor", times=times, duration=0.5, q=[0.3],
                                    inputs={"motor": ([0, 0.2, 0.5], [0, 0, 0])}, integrator={"type": method, "step": 0.01})
    goal = np.sin(times)[:, None]
    u = np.array([1.0, -2.0, 0.5])

    def loss(u):
        return 0.5 * np.sum((run(u) - goal) ** 2)

    y, back = run.vjp(u)
    near(back(y - goal), difference(loss, u, 0.1)[0], 1e-9)


def test_ways_back_hold_whatever_runs_in_between(pendulum):
    run = pendulum.rollout_function("q", by="inputs.motor", duration=0.3, inputs={"motor": ([0, 0.3], [0, 0])},
                                    integrator={"type": "rk4", "step": 0.01})
    _, first = run.vjp([1.0, 2.0])
    _, second = run.vjp([-3.0, 0.5])
    a, b = first([1.0]), second([1.0])
    assert not np.array_equal(a, b)
    assert np.array_equal(a, first([1.0])) and np.array_equal(b, second([1.0]))
    assert np.array_equal(a, run.vjp([1.0, 2.0])[1]([1.0]))


def test_all_inputs_are_columns(tendon_arm):
    inputs = {name: ([0, 0.05, 0.1], [0.5, 1.0, 1.5]) for name in tendon_arm.inputs}
    keys = {**TENDON_KEYS, "inputs": inputs}
    u = 1.0 + 0.2 * np.sin(np.arange(3 * tendon_arm.nu)).reshape(3, -1)
    run = tendon_arm.rollout_function("tip.position", by="inputs", **keys)
    _, back = run.vjp(u)
    gradient = back([1.0, -2.0, 0.5])
    assert gradient.shape == u.shape
    for k, name in enumerate(tendon_arm.inputs):
        inputs[name] = ([0, 0.05, 0.1], u[:, k])
    for k, name in enumerate(tendon_arm.inputs):
        alone = tendon_arm.rollout_function("tip.position", by=f"inputs.{name}", **keys)
        near(gradient[:, k], alone.vjp(u[:, k])[1]([1.0, -2.0, 0.5]), 1e-12)


def test_a_signal_that_bends_is_taken_as_a_whole_and_a_function_is_refused(pendulum):
    keys = {"duration": 0.4, "integrator": {"type": "rk4", "step": 0.01}}
    for signal, size in [(cuttle.Signal.sine(0.3, 1.0), 4), (0.4, 1), (cuttle.Signal.ramp(0.1, 0.3, 0, 1), 2),
                         (cuttle.Signal.spline([0, 0.2, 0.4], [0, 1, 0]), 3), (cuttle.Signal.steps([0.1], [0, 1]), 2)]:
        run = pendulum.rollout_function("q", by="inputs.motor", inputs={"motor": signal}, **keys)
        assert run.shapes == [(size,)]
        near(run.vjp(run.start[0])[1]([1.0]), difference(run, run.start[0], 1e-2)[0], 1e-8)
    with pytest.raises(cuttle.ArgumentError, match="function of time"):
        pendulum.rollout_function("q", by="inputs.motor", inputs={"motor": np.sin}, **keys)


def test_wrong_arguments_say_what_was_found_and_expected(pendulum):
    keys = {"duration": 0.1, "inputs": {"motor": ([0, 0.1], [0, 0])}, "integrator": {"type": "rk4", "step": 0.01}}
    run = pendulum.rollout_function(["q", "energy.kinetic"], by="inputs.motor", **keys)
    with pytest.raises(cuttle.ArgumentError, match=r"inputs.motor: found shape \(3,\), expected \(2,\)"):
        run([1.0, 2.0, 3.0])
    with pytest.raises(cuttle.ArgumentError, match="found 2, expected 1: inputs.motor"):
        run([1.0, 2.0], [3.0])
    _, back = run.vjp([1.0, 2.0])
    with pytest.raises(cuttle.ArgumentError, match=r"cotangent of q: found shape \(2,\), expected \(1,\)"):
        back({"q": [1.0, 2.0]})
    with pytest.raises(cuttle.ArgumentError, match="found 'v', expected some of q, energy.kinetic"):
        back({"v": [1.0]})
    with pytest.raises(cuttle.ArgumentError, match="expected inputs.NAME of motor"):
        pendulum.rollout_function("q", by="inputs.moter", **keys)
    with pytest.raises(cuttle.ArgumentError, match="found u, an argument"):
        pendulum.rollout_function("u", by="inputs.motor", **keys)
    with pytest.raises(cuttle.ArgumentError, match=r"times\[0\]: found 2"):
        pendulum.rollout_function("q", by="inputs.motor", times=2.0, **keys)([0, 0])


@pytest.mark.parametrize("of, times, words", [
    ("q", [], r"times: found shape \(0,\), expected one or more in a row \[s\], or None: the end"),
    ("q", [[0.05, 0.1]], r"times: found shape \(1, 2\), expected one or more in a row"),
    (["q", "v", "q"], None, "of: found 'q' a second time, expected each output once"),
])
def test_samples_and_outputs_that_make_no_arrays_are_named(pendulum, of, times, words):
    with pytest.raises(cuttle.ArgumentError, match=words):
        pendulum.rollout_function(of, by="v", times=times, duration=0.1)


# --- the robot as a function ------------------------------------------------------------------------------------------------
def state(robot):
    """Some state in the midst of a motion, where implicit steps are not taken in halves, which would be jumps, and some inputs."""
    generator = np.random.default_rng(0)
    q = cuttle.integrate(robot.model, robot.neutral(), 0.01 * generator.uniform(-1, 1, robot.nv))
    u = generator.uniform(0.5, 1.0, robot.nu)
    run = robot.simulate(duration=0.1, q=q, inputs=dict(zip(robot.inputs, u)), integrator={"type": "generalized_alpha", "step": 1e-3})
    return np.concatenate([run.q[-1], run.v[-1]]), u


@pytest.mark.parametrize("name", ["pendulum", "tendon_arm", "branched_tree", "floating_rod"])
@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint", "newmark", "rk4"])
def test_a_step_is_a_run_of_one_step(name, method):
    robot = cuttle.load(cuttle.example(name))
    h = 1e-5 if method == "rk4" else 5e-3
    f = robot.dynamics(integrator=method, step=h)
    x, u = state(robot)
    assert (f.nx, f.ndx, f.nu, f.length) == (robot.nq + robot.nv, 2 * robot.nv, robot.nu, h)
    run = robot.simulate(duration=h, output_step=h, q=x[: robot.nq], v=x[robot.nq :], inputs=dict(zip(robot.inputs, u)),
                         integrator={"type": method, "step": h})
    after = f.step(x, u)
    near(after, np.concatenate([run.q[-1], run.v[-1]]), 1e-12)
    f.step(after, u, h)
    f.step(x, u, 2 * h)
    assert np.array_equal(f.step(x, u), after)  # of its arguments alone
    assert np.array_equal(f.step(f.step(x, u), u, h), f.step(after, u, h))


def test_rates_are_those_of_forward_dynamics(tendon_arm):
    f = tendon_arm.dynamics()
    x, u = state(tendon_arm)
    n = tendon_arm.nv
    near(f(0.0, x, u), np.concatenate([x[n:], tendon_arm.forward_dynamics(x[:n], x[n:], u=u)]), 1e-10)
    assert f.length is None
    assert np.array_equal(f.reset(), np.zeros(2 * n))
    with pytest.raises(cuttle.ArgumentError, match="step: found no length"):
        f.step(x, u)
    with pytest.raises(cuttle.ArgumentError, match=f"x: found size 3, expected {2 * n}"):
        f(0.0, [1, 2, 3], u)
    with pytest.raises(cuttle.ArgumentError, match=r"u\[1\]: found nan, expected a finite number"):
        f(0.0, x, np.where(np.arange(len(u)) == 1, np.nan, u))


def test_a_linearisation_of_rates_is_that_of_differences(tendon_arm):
    f = tendon_arm.dynamics()
    x, u = state(tendon_arm)
    of = ["tip.position", "energy.kinetic", "u"]
    A, B, C, D = f.linearise(x, u, of=of)
    near(A, difference(lambda x: f(0.0, x, u), x, 1e-3), 1e-8)
    near(B, difference(lambda u: f(0.0, x, u), u), 1e-8)
    assert C.shape == (4 + tendon_arm.nu, 2 * tendon_arm.nv)
    n = tendon_arm.nv
    near(C[:3], difference(lambda x: tendon_arm.frame("tip", x[:n]).position, x), 1e-9)
    near(C[3:4], difference(lambda x: cuttle.kinetic_energy(tendon_arm.model, tendon_arm.data, x[:n], x[n:]), x), 1e-9)
    assert np.array_equal(D[4:], np.eye(tendon_arm.nu)) and not D[:4].any() and not C[4:].any()
    assert np.array_equal(f.linearise(x, u, of="tip.position").C, C[:3])
    with pytest.raises(cuttle.ArgumentError, match="found 'text', expected"):
        f.linearise(x, u, of="text")


@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint", "newmark", "hht", "rk4", "tsit5"])
def test_a_linearised_step_is_that_of_differences(tendon_arm, method):
    f = tendon_arm.dynamics(integrator=method, step=1e-5 if method in ("rk4", "tsit5") else 5e-3)
    x, u = state(tendon_arm)
    A, B = list(f.linearise_step(x, u))[:2]
    near(A, difference(lambda x: f.step(x, u), x, 1e-3), 1e-7)
    near(B, difference(lambda u: f.step(x, u), u, 2e-2), 1e-7)


def test_a_linearised_step_that_newton_needs_in_halves_is_that_of_differences(tendon_arm):
    f = tendon_arm.dynamics(integrator="generalized_alpha", step=5e-3)
    x, u = state(tendon_arm)
    x[: tendon_arm.nq] += 0.3 * np.random.default_rng(0).uniform(-1, 1, tendon_arm.nq)  # a third longer than at rest: beyond what Newton's method does in one
    slopes = f.linearise_step(x, u)
    near(slopes.A, difference(lambda x: f.step(x, u), x, 5e-4), 1e-7)
    near(slopes.B, difference(lambda u: f.step(x, u), u, 2e-2), 1e-7)


def test_a_linearised_step_knows_slack_tendons(tendon_arm):
    f = tendon_arm.dynamics(integrator="generalized_alpha", step=5e-3)
    x, u = state(tendon_arm)
    slack, taut = tendon_arm.inputs.index("left"), tendon_arm.inputs.index("right")
    u[slack] = -1.0  # a tendon that does not push
    B = f.linearise_step(x, u).B
    assert not B[:, slack].any() and B[:, taut].any()


def test_a_linearised_step_of_a_floating_robot_is_that_of_differences():
    robot = cuttle.load(cuttle.example("floating_rod"))
    f = robot.dynamics(integrator="generalized_alpha", step=5e-3)
    x, u = state(robot)
    after = f.step(x, u)[: robot.nq]

    def moved(change):
        q = cuttle.integrate(robot.model, x[: robot.nq], change[: robot.nv])
        end = f.step(np.concatenate([q, x[robot.nq :] + change[robot.nv :]]), u)
        return np.concatenate([cuttle.difference(robot.model, after, end[: robot.nq]), end[robot.nq :]])

    near(f.linearise_step(x, u).A, difference(moved, np.zeros(2 * robot.nv)), 1e-7)

    def acceleration(change):
        q = cuttle.integrate(robot.model, x[: robot.nq], change[: robot.nv])
        return f(0.0, np.concatenate([q, x[robot.nq :] + change[robot.nv :]]), u)[robot.nq :]

    A = f.linearise(x, u).A
    near(A[robot.nv :], difference(acceleration, np.zeros(2 * robot.nv)), 1e-7)
    assert np.array_equal(A[: robot.nv, robot.nv :], np.eye(robot.nv))
    turn = np.cross(np.eye(3), x[robot.nq : robot.nq + 3]).T  # of small changes of the base, in axes that turn
    near(A[:3, :3], turn, 1e-12)


def test_linearisations_along_a_rollout_are_those_of_its_steps(tendon_arm):
    f = tendon_arm.dynamics(integrator="generalized_alpha", step=5e-3)
    x, u = state(tendon_arm)
    U = np.tile(u, (6, 1)) * np.linspace(0.5, 1.5, 6)[:, None]
    X = f.rollout(x, U)
    assert X.shape == (7, f.nx) and np.array_equal(X[1], f.step(X[0], U[0]))
    A, B = f.linearise_along(X, U)
    known = f.linearise_along(X, U, rolled_out=True)
    for k in range(6):
        own = f.linearise_step(X[k], U[k])
        near(A[k], own.A, 1e-12)
        near(B[k], own.B, 1e-12)
        near(known[0][k], own.A, 1e-9)
        near(known[1][k], own.B, 1e-9)
    with pytest.raises(cuttle.ArgumentError, match="expected .6 or one more, "):
        f.linearise_along(X[:3], U)


def test_contacts_carry_their_states():
    robot = cuttle.load(cuttle.example("contact/falling_rod")) if "contact/falling_rod" in cuttle.examples() else None
    if robot is None:
        robot = cuttle.load(str(cuttle.example("pendulum")).replace("examples/pendulum", "contact/falling_rod"))
    f = robot.dynamics(integrator="generalized_alpha", step=1e-3)
    assert f.nx > robot.nq + robot.nv
    x = f.step(f.reset(), np.zeros(robot.nu))
    assert x.shape == (f.nx,) and np.isfinite(x).all()
    assert f.ndx == f.nx - (robot.nq - robot.nv)
    assert f.linearise_step(x, np.zeros(robot.nu)).A.shape == (f.ndx, f.ndx)
    ((by_x, by_u),) = functions.step(f).jacobians(x, np.zeros(robot.nu))
    assert by_x.shape == (f.nx, f.nx) and by_u.shape == (f.nx, robot.nu)


# --- functions that other libraries take ---------------------------------------------------------------------------------------
def smooth_functions(robot):
    x, u = state(robot)
    n = robot.nv
    f = robot.dynamics(integrator="generalized_alpha", step=5e-3)
    return [(functions.rate(f), (x, u)), (functions.step(f), (x, u)),
            (functions.inverse_dynamics(robot), (x[:n], x[n:], np.cos(np.arange(n)))), (functions.equilibrium(robot), (u,))]


def test_jacobians_and_ways_back_are_those_of_differences(tendon_arm):
    for function, arguments in smooth_functions(tendon_arm):
        (slopes,) = function.jacobians(*arguments)
        value, back = function.vjp(*arguments)
        assert np.array_equal(value, function(*arguments))
        worth = np.sin(1.0 + np.arange(value.size))
        for i, (slope, gradient) in enumerate(zip(slopes, back(worth))):
            def along(own, i=i):
                return function(*arguments[:i], own, *arguments[i + 1 :])
            near(slope, difference(along, arguments[i], 2e-2 if i == 1 or len(arguments) == 1 else 5e-4), 1e-6)
            near(gradient, worth @ slope, 1e-12)


def test_batches_and_ways_back_go_through_lists(tendon_arm):
    """What cuttle.torch does, without torch."""
    for function, arguments in smooth_functions(tendon_arm):
        many = [np.stack([[own, own + 0.01, own + 0.02]] * 2) for own in arguments]
        (values,), back = function.batched_vjp(*many)
        assert values.shape == (2, 3, *next(iter(function.result_shapes.values())))
        worth = np.cos(np.arange(values.size)).reshape(values.shape)
        gradients = back([worth])
        for gradient, own in zip(gradients, many):
            assert gradient.shape == own.shape
        alone_value, alone = function.vjp(*(own[1, 2] for own in many))
        assert np.array_equal(values[1, 2], alone_value)
        for gradient, own in zip(gradients, alone(worth[1, 2])):
            near(gradient[1, 2], own, 1e-12)


def rolled_out(robot, of="tip.position"):
    return robot.rollout_function(of, by="inputs.right", times=[0.05, 0.1], **TENDON_KEYS)


def test_jax_differentiates_what_cuttle_computes(tendon_arm):
    import jax

    import cuttle.jax

    jax.config.update("jax_enable_x64", True)
    for function, arguments in smooth_functions(tendon_arm):
        wrapped = cuttle.jax.wrap(function)
        worth = np.sin(1.0 + np.arange(function(*arguments).size))

        def loss(*given, wrapped=wrapped, worth=worth):
            return jax.numpy.vdot(worth, wrapped(*given))

        found = jax.jit(jax.grad(loss, argnums=tuple(range(len(arguments)))))(*arguments)
        for gradient, own in zip(found, function.vjp(*arguments)[1](worth)):
            assert gradient.dtype == np.float64
            near(np.asarray(gradient), own, 1e-13)
        many = [np.stack([own, own + 0.01]) for own in arguments]
        values = jax.vmap(wrapped)(*many)
        assert np.array_equal(values[1], function(*(own[1] for own in many)))
    run = cuttle.jax.rollout(rolled_out(tendon_arm, ["tip.position", "energy.elastic"]))
    u = np.array([1.0, 3.0, 4.0, 2.0])

    def total(u):
        y = run(u)
        return jax.numpy.sum(jax.numpy.sin(50 * y["tip.position"])) + jax.numpy.sum(y["energy.elastic"] ** 2)

    near(np.asarray(jax.grad(total)(u)), difference(total, u, 2e-2)[0], 1e-6)
    several = jax.vmap(jax.grad(total))(np.stack([u, 1.1 * u]))
    near(np.asarray(several[0]), np.asarray(jax.grad(total)(u)), 1e-13)
    with pytest.raises(cuttle.ArgumentError, match=r"inputs.right: found shape \(3,\), expected \(4,\)"):
        run(np.zeros(3))


def test_casadi_differentiates_what_cuttle_computes(tendon_arm):
    import casadi

    import cuttle.casadi

    for function, arguments in smooth_functions(tendon_arm):
        wrapped = cuttle.casadi.wrap(function, "f")
        symbols = [casadi.MX.sym(f"a{i}", own.size) for i, own in enumerate(arguments)]
        value = wrapped(*symbols)
        everything = casadi.Function("all", symbols, [value, casadi.jacobian(value, symbols[0]), casadi.gradient(casadi.sumsqr(value), symbols[0])])
        found, slope, gradient = (np.array(own) for own in everything(*arguments))
        assert np.array_equal(found[:, 0], function(*arguments))
        near(slope, function.jacobians(*arguments)[0][0], 1e-13)
        near(gradient[:, 0], 2 * found[:, 0] @ slope, 1e-12)
    run = rolled_out(tendon_arm)
    wrapped, u = cuttle.casadi.rollout(run), casadi.MX.sym("u", 4)
    goal = np.arange(6.0).reshape(2, 3)
    given = np.array([1.0, 3.0, 4.0, 2.0])
    loss = casadi.sumsqr(wrapped(u) - goal)
    gradient = np.array(casadi.Function("g", [u], [casadi.gradient(loss, u)])(given))[:, 0]
    y, back = run.vjp(given)
    near(gradient, back(2 * (y - goal)), 1e-12)
    slopes = np.array(casadi.Function("J", [u], [casadi.jacobian(wrapped(u), u)])(given))
    near(slopes, difference(lambda u: run(u).T, given, 2e-2), 1e-6)  # numbers of a matrix go column by column there


def test_torch_differentiates_what_cuttle_computes(tendon_arm):
    torch = pytest.importorskip("torch", reason="the index's torch is of over a gigabyte: make torch_check")
    import cuttle.torch

    for function, arguments in smooth_functions(tendon_arm):
        tensors = [torch.tensor(np.stack([own, own + 0.01]), requires_grad=True) for own in arguments]
        assert torch.autograd.gradcheck(cuttle.torch.wrap(function), tensors, eps=1e-4, atol=1e-4, rtol=1e-4)
    run = cuttle.torch.rollout(rolled_out(tendon_arm, ["tip.position", "energy.elastic"]))
    u = torch.tensor([1.0, 3.0, 4.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda u: tuple(run(u).values()), [u], eps=1e-3, atol=1e-6)


# --- ten lines ------------------------------------------------------------------------------------------------------------------
def test_the_lines_of_the_issue(pendulum):
    import casadi
    import jax

    import cuttle.casadi
    import cuttle.jax

    jax.config.update("jax_enable_x64", True)
    f = pendulum.dynamics(integrator="generalized_alpha", step=5e-3)
    x, u = np.array([0.3, 0.1]), np.array([0.5])
    assert f(0.0, x, u).shape == f.step(x, u).shape == (2,)
    A, B, C, D = f.linearise(x, u)
    assert A.shape == (2, 2) and B.shape == (2, 1)
    U = np.full((20, 1), 0.5)
    A, B = f.linearise_along(f.rollout(x, U), U)
    assert A.shape == (20, 2, 2) and B.shape == (20, 2, 1)
    run = pendulum.rollout_function("q", by="inputs.motor", inputs={"motor": ([0, 0.5, 1], [0, 0, 0])}, duration=1,
                                    integrator={"type": "generalized_alpha", "step": 5e-3})
    rolled = cuttle.jax.rollout(run)
    gradient = jax.grad(lambda u: jax.numpy.sum((rolled(u) - 0.7) ** 2))(np.zeros(3))
    near(np.asarray(gradient), difference(lambda u: np.sum((run(u) - 0.7) ** 2), np.zeros(3), 0.05)[0], 1e-8)
    problem = casadi.Opti()
    F = cuttle.casadi.step(pendulum.dynamics(integrator="generalized_alpha", step=0.05))
    X, V = problem.variable(2, 11), problem.variable(1, 10)
    problem.minimize(casadi.sumsqr(V))
    problem.subject_to(X[:, 0] == casadi.DM([0, 0]))
    for k in range(10):
        problem.subject_to(X[:, k + 1] == F(X[:, k], V[:, k]))
    problem.subject_to(X[:, 10] == casadi.DM([0.2, 0]))
    problem.solver("ipopt", {"ipopt.hessian_approximation": "limited-memory", "ipopt.print_level": 0, "print_time": False})
    found = problem.solve()
    f = pendulum.dynamics(integrator="generalized_alpha", step=0.05)
    near(f.rollout([0, 0], found.value(V).reshape(-1, 1))[-1], np.array([0.2, 0.0]), 1e-6)


# --- what is refused ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("by", [
    ("inputs.motor", "simulation.inputs.motor.value[1]"), ("q", "simulation.initial.arm.q[0]"), ("q", "q"),
    ("links.arm.body.mass", "robot.links.arm.body.mass"),
])
def test_a_number_comes_once(by):
    """Twice, the last value would count and each would have the whole gradient."""
    pendulum = cuttle.load(cuttle.example("pendulum"))
    with pytest.raises(cuttle.ArgumentError, match="a second time"):
        pendulum.rollout_function("q", by=by, q=[0.3], duration=0.1, inputs={"motor": ([0, 0.1], [0.5, 1.0])},
                                  integrator={"type": "generalized_alpha", "step": 0.01})


@pytest.mark.parametrize("path", ["links.b.body.tip.position[2]", "loops.pin.a.pose.position[0]"])
def test_a_number_that_moves_the_closed_loops_of_a_start_is_refused_both_ways(path):
    """How they are closed again has no derivatives; backwards it had been left out without a word."""
    def bar(name, length):
        return {"name": name, "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
                "body": {"type": "rigid", "mass": 0.2, "com": [0, 0, length / 2], "inertia": [1e-3, 1e-3, 1e-5, 0, 0, 0],
                         "tip": {"position": [0, 0, length]}}}
    pin = {"name": "pin", "type": "revolute", "axis": [0, 1, 0], "a": {"link": "base", "pose": {"position": [0.3, 0, 0]}},
           "b": {"link": "c", "at": "tip"}}
    robot = cuttle.Robot.from_dict({"links": [bar("a", 0.2), bar("b", 0.3), bar("c", 0.25)], "loops": [pin]})
    keys = {"duration": 0.1, "q": robot.dynamics(step=0.01).reset()[:3],
            "integrator": {"type": "generalized_alpha", "step": 0.005}}
    for ask in (lambda by: robot.rollout_function("a.tip.position", by=by, **keys).vjp(
                    robot.rollout_function("a.tip.position", by=by, **keys).start[0]),
                lambda by: robot.sensitivities("a.tip.position", by=by, **keys)):
        with pytest.raises(cuttle.ArgumentError, match="moves the closed loops of the initial state"):
            ask(path)
        ask("links.b.body.mass")
