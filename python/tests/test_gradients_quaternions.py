"""Functions of states with quaternions: slopes by all their numbers, against differences that leave the unit sphere."""

import numpy as np
import pytest

import cuttle
from contact_robots import robot as sliding_robot
from contact_robots import start as sliding_start
from cuttle import functions

_WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60))  # differences of order six

MATERIALS = {"rubber": {"density": 1100, "young_modulus": 3e5, "poisson_ratio": 0.4, "damping_time": 0.02}}
HUB = {"type": "rigid", "mass": 0.2, "com": [0.01, -0.02, 0.03], "inertia": [3e-4, 2e-4, 4e-4, 1e-5, -2e-5, 3e-5],
       "tip": {"position": [0.01, 0, 0.05]}}
ROD = {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.012}, "material": "rubber",
       "strain": {"kappa_x": {"basis": "legendre", "order": 1}, "kappa_y": "constant", "sigma_z": "constant"}}
CABLE = {"name": "cable", "type": "tendon", "slack": "allow", "routing": [{"link": "rod", "offset": [0.008, 0.003]}]}
GUST = {"type": "wrench", "link": "rod", "at": "tip", "force": [{"type": "sine", "amplitude": 0.3, "frequency": 3}, 0.1, 0],
        "torque": [0, {"type": "sine", "amplitude": 0.01, "frequency": 2}, 0]}
BALL = {"type": "spherical", "stiffness": [0.3, 0.2, 0.25], "damping": 0.01}


def made(links, **more):
    return cuttle.Robot.from_dict({"cuttle": 1, "materials": MATERIALS, "links": links, **more})


def flying():
    return made([{"name": "hub", "body": HUB}, {"name": "rod", "body": ROD}], base={"motion": "floating"}, actuators=[CABLE], loads=[GUST])


def ball_in_a_chain():
    return made([{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0], "stiffness": 0.5, "damping": 0.01}, "body": HUB},
                 {"name": "rod", "joint": BALL, "body": ROD},
                 {"name": "end", "joint": {"type": "prismatic", "axis": [1, 0, 0], "stiffness": 40}, "body": HUB}],
                actuators=[CABLE, {"name": "motor", "type": "joint", "link": "arm"}], loads=[GUST])


def two():
    return made([{"name": "hub", "body": HUB}, {"name": "rod", "body": ROD}, {"name": "end", "joint": BALL, "body": HUB}],
                base={"motion": "floating"}, actuators=[CABLE, {"name": "push", "type": "wrench", "link": "end", "frame": "body"}])


def free_behind_a_rod():
    return made([{"name": "rod", "body": ROD}, {"name": "hub", "joint": {"type": "free", "stiffness": [0.6, 0.5, 0.8, 40, 60, 50],
                                                                         "damping": 0.02, "rest": [0, 0, 0.02, 1, 0, 0, 0]}, "body": HUB}],
                actuators=[CABLE, {"name": "push", "type": "wrench", "link": "hub", "frame": "body"}], loads=[GUST],
                gravity=[1, 0, 5])


def with_states():
    """A valve that lags and the integral of a drone's error, which has the axes of the world."""
    drone = {"type": "drone", "link": "hub", "linear_velocity": [0.2, 0, 0.1], "proportional": [0.1, 2.0], "integral": [0.2, 3.0],
             "rpy": [0.3, 0.2, 0.1]}
    valve = {"name": "air", "type": "chamber", "link": "rod", "offset": [0.004, 0.002], "area": 3e-5, "lag": 0.05}
    return made([{"name": "hub", "body": HUB}, {"name": "rod", "body": ROD}, {"name": "end", "joint": BALL, "body": HUB}],
                base={"motion": "floating"}, actuators=[CABLE, valve], loads=[drone, GUST])


ROBOTS = {"flying": flying, "ball": ball_in_a_chain, "two": two, "free": free_behind_a_rod, "states": with_states}


def state(robot, f, seed=3):
    """x in the midst of a motion, with quaternions of other norms than 1, and inputs."""
    generator = np.random.default_rng(seed)
    q = cuttle.integrate(robot.model, robot.neutral(), generator.uniform(-0.4, 0.4, robot.nv) * scales(robot))
    v = generator.uniform(-1, 1, robot.nv) * scales(robot)
    x = np.concatenate([q, v, generator.uniform(-0.02, 0.02, f.nx - robot.nq - robot.nv)])
    return x, generator.uniform(0.02, 0.06, robot.nu)


def scales(robot):
    """Sizes of v: small ones of what stretches."""
    return np.array([0.02 if "sigma" in info.name else 1.0 for info in robot.model.velocity_info])


def quaternions(robot):
    """First numbers of its quaternions in q."""
    names = [info.name for info in robot.model.configuration_info]
    first = [names.index("base.qw")] if "base.qw" in names else []
    return first + [link.q + {"spherical": 0, "free": 3}[link.joint_type] for link in robot.model.links
                    if link.joint_type in ("spherical", "free")]


def stretched(robot, x, factors=(1.3, 0.8)):
    x = x.copy()
    for first, factor in zip(quaternions(robot), factors):
        x[first : first + 4] *= factor
    return x


def difference(f, x, h):
    columns = []
    for i in range(x.size):
        def at(steps, i=i):
            moved = x.copy()
            moved[i] += steps * h
            return f(moved)
        columns.append(sum(w * (at(k) - at(-k)) for k, w in _WEIGHTS) / h)
    return np.array(columns).T


def parts_of(robot, size):
    """Stretches of x: q, v, and states behind."""
    nq, n = robot.nq, robot.nq + robot.nv
    return [part for part in (slice(0, nq), slice(nq, n), slice(n, size)) if part.stop > part.start]


def alike(found, expected, rows, columns, floor):
    """Each block to 1e-7 of its largest number, to which implicit steps are solved, and the rounding of differences."""
    assert found.shape == expected.shape
    for row in rows:
        for column in columns:
            own = expected[row, column]
            allowed = 1e-7 * np.abs(own).max(initial=0) + floor
            assert np.abs(found[row, column] - own).max(initial=0) <= allowed, (row, column, found[row, column], own)


STEPS = {"rk4": 1e-4, "tsit5": 1e-4, "generalized_alpha": 1e-3, "newmark": 1e-3, "hht": 1e-3, "midpoint": 1e-3}


def same_by_x_and_u(robot, function, x, u, steps=(1e-3, 3e-3, 3e-3)):
    """Both Jacobians of `function` of x and u, against differences. steps: of q, v and states behind."""
    ((by_x, by_u),) = function.jacobians(x, u)
    parts = parts_of(robot, len(x))
    assert by_x.shape == (len(x), len(x)) and by_u.shape == (len(x), len(u))
    size = np.abs(function(x, u)).max()
    for part, h in zip(parts, steps):
        def along(own, part=part):
            return function(np.concatenate([x[: part.start], own, x[part.stop :]]), u)
        alike(by_x[:, part], difference(along, x[part], h), parts, [slice(None)], 10 * np.finfo(float).eps * size / h)
    if len(u) > 0:
        alike(by_u, difference(lambda own: function(x, own), u, 5e-2), parts, [slice(None)], 1e-15 * size)


# --- against differences ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("norms", [(1.0, 1.0), (1.3, 0.8)], ids=["unit", "others"])
@pytest.mark.parametrize("name", ROBOTS)
def test_rates_have_the_slopes_of_differences(name, norms):
    robot = ROBOTS[name]()
    f = robot.dynamics()
    x, u = state(robot, f)
    x = stretched(robot, x, norms)
    assert len(quaternions(robot)) == robot.nq - robot.nv > 0
    same_by_x_and_u(robot, functions.rate(f, 0.13), x, u)


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("name", ROBOTS)
def test_steps_have_the_slopes_of_differences(name, method):
    robot = ROBOTS[name]()
    f = robot.dynamics(integrator=method, step=STEPS[method])
    x, u = state(robot, f)
    same_by_x_and_u(robot, functions.step(f, 0.13), stretched(robot, x), u)


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_dynamics_has_the_slopes_of_differences(name):
    robot = ROBOTS[name]()
    x, _ = state(robot, robot.dynamics())
    x = stretched(robot, x)
    q, v, a = x[: robot.nq], x[robot.nq : robot.nq + robot.nv], np.cos(np.arange(robot.nv))
    function = functions.inverse_dynamics(robot)
    assert function.shapes == [(robot.nq,), (robot.nv,), (robot.nv,)]
    (slopes,) = function.jacobians(q, v, a)
    everything = [slice(None)]
    for i, slope in enumerate(slopes):
        arguments = [q, v, a]
        def along(own, arguments=arguments, i=i):
            return function(*arguments[:i], own, *arguments[i + 1 :])
        alike(slope, difference(along, arguments[i], 1e-3), everything, everything, 0.0)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", ["ball", "free"])
def test_equilibria_have_the_slopes_of_differences(name, sign):
    robot = ROBOTS[name]()
    start = robot.neutral()
    (first,) = quaternions(robot)
    start[first : first + 4] *= sign  # the same turn, other numbers
    function = functions.equilibrium(robot, start, loads_at=0.07)
    u = np.linspace(0.1, 0.03, robot.nu)
    q = function(u)
    assert q.shape == (robot.nq,) and q[first] * sign > 0.5 and np.abs(q[first + 1 : first + 4]).max() > 0.05
    ((slope,),) = function.jacobians(u)
    turn = slice(first, first + 4)
    assert np.abs(slope[turn]).max() > 0.01 and np.abs(q[turn] @ slope[turn]).max() < 1e-14
    alike(slope, difference(function, u, 1e-3), [slice(None)], [slice(None)], 0.0)


@pytest.mark.parametrize("method", [None, *STEPS])
@pytest.mark.parametrize("body", ["rigid", "rod"])
def test_a_base_that_slides_and_turns_on_a_moving_ground(body, method):
    """Bristles are states behind. They are short: so are the differences that a site sticks in."""
    robot = sliding_robot(body, "moving", "floating")
    f = robot.dynamics(integrator="generalized_alpha", step=2e-4)
    x, u, steps = f.reset(), np.zeros(f.nu), 30
    x[robot.nq : robot.nq + robot.nv] = sliding_start(robot, along=0.02, down=0.05)["v"]
    x[robot.nq : robot.nq + 3] += [0.3, 0.2, 0.1]
    for k in range(steps):
        x = f.step(x, u, 2e-4 * k)
    assert np.abs(x[robot.nq + robot.nv :]).max() > 1e-6 and f.nx > robot.nq + robot.nv
    time = 2e-4 * steps
    function = functions.rate(f, time)
    if method is not None:
        function = functions.step(robot.dynamics(integrator=method, step=0.2 * STEPS[method]), time)
    same_by_x_and_u(robot, function, stretched(robot, x), u, (1e-6, 1e-4, 1e-6))


@pytest.mark.parametrize("method", ["rk4", "generalized_alpha"])
def test_a_step_in_which_a_load_jumps(method):
    h = STEPS[method]
    jump = {**GUST, "force": [0, {"type": "step", "time": 0.2 + 0.4 * h, "before": 0.2, "after": -3.0}, 0]}
    robot = made([{"name": "hub", "body": HUB}, {"name": "rod", "joint": BALL, "body": ROD}], base={"motion": "floating"},
                 actuators=[CABLE], loads=[jump])
    f = robot.dynamics(integrator=method, step=h)
    x, u = state(robot, f)
    assert np.abs(f.step(x, u, 0.2) - f.step(x, u, 0.2 + h)).max() > 1e-4
    same_by_x_and_u(robot, functions.step(f, 0.2), stretched(robot, x), u)


def test_a_closed_loop_that_floats():
    def bar(name, length, parent):
        return {"name": name, "parent": parent, "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
                "body": {"type": "rigid", "mass": 0.2, "com": [0, 0, length / 2], "inertia": [1e-3, 1e-3, 1e-4, 0, 0, 0],
                         "tip": {"position": [0, 0, length]}}}
    pin = {"name": "pin", "type": "revolute", "axis": [0, 1, 0], "a": {"link": "hub", "pose": {"position": [0.3, 0, 0.05]}},
           "b": {"link": "c", "at": "tip"}}
    robot = made([{"name": "hub", "body": HUB}, bar("a", 0.2, "hub"), bar("b", 0.3, "a"), bar("c", 0.25, "b")], loops=[pin],
                 base={"motion": "floating"})
    f = robot.dynamics(integrator="generalized_alpha", step=1e-3)
    x, u = f.reset(), np.zeros(0)
    x[robot.nq : robot.nq + 6] = [0.3, 0.2, 0.5, 0.1, 0.2, 0.3]
    for _ in range(10):
        x = f.step(x, u)
    same_by_x_and_u(robot, functions.step(f), stretched(robot, x), u, (1e-4, 1e-3, 0.0))


# --- values -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ROBOTS)
def test_values_are_those_of_the_robot(name):
    """Of unit quaternions; of others what turns as they do, with rates as long as they are."""
    robot = ROBOTS[name]()
    f = robot.dynamics(integrator="generalized_alpha", step=2e-3)
    x, u = state(robot, f)
    longer = stretched(robot, x)
    rate, step, force = functions.rate(f, 0.1), functions.step(f, 0.1), functions.inverse_dynamics(robot)
    q, v = slice(0, robot.nq), slice(robot.nq, robot.nq + robot.nv)
    a = np.sin(np.arange(robot.nv))
    expected = f(0.1, x, u)
    assert np.abs(rate(x, u) - expected).max() < 1e-13 * np.abs(expected).max()
    assert np.abs(step(x, u) - f.step(x, u, 0.1)).max() < 1e-10
    assert np.abs(step(longer, u) - step(x, u)).max() < 1e-10
    assert np.abs(force(longer[q], x[v], a) - robot.inverse_dynamics(x[q], x[v], a)).max() < 1e-12 * np.abs(force(x[q], x[v], a)).max()
    found = rate(longer, u)
    for first, factor in zip(quaternions(robot), (1.3, 0.8)):
        expected[first : first + 4] *= factor
        assert np.abs(found[first : first + 4]).max() > 0.01
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    with pytest.raises(cuttle.ArgumentError, match="quaternion of zero"):
        step(stretched(robot, x, (0.0, 0.0)), u)


def test_jacobians_are_along_the_sphere_before_and_behind_a_step():
    robot = two()
    f = robot.dynamics(integrator="generalized_alpha", step=2e-3)
    x, u = state(robot, f)
    function = functions.step(f)
    ((by_x, by_u),) = function.jacobians(x, u)
    after = function(x, u)
    for first in quaternions(robot):
        p = slice(first, first + 4)
        assert np.abs(by_x[:, p] @ x[p]).max() < 1e-13 * np.abs(by_x).max()
        assert np.abs(after[p] @ by_x[p]).max() < 1e-13 * np.abs(by_x).max()
        assert np.abs(after[p] @ by_u[p]).max() < 1e-13 * np.abs(by_x).max()


# --- through other libraries ------------------------------------------------------------------------------------------------
def all_functions(robot):
    f = robot.dynamics(integrator="generalized_alpha", step=2e-3)
    x, u = state(robot, f)
    x = stretched(robot, x)
    motion = (x[: robot.nq], x[robot.nq : robot.nq + robot.nv], np.cos(np.arange(robot.nv)))
    found = [(functions.rate(f, 0.1), (x, u)), (functions.step(f, 0.1), (x, u)), (functions.inverse_dynamics(robot), motion)]
    return found + ([] if robot.model.floating_base else [(functions.equilibrium(robot), (u,))])


def near(found, expected, tolerance):
    assert np.shape(found) == np.shape(expected)
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("name", ["ball", "states"])
def test_jax_has_the_same_slopes(name):
    import jax

    import cuttle.jax

    jax.config.update("jax_enable_x64", True)
    for function, arguments in all_functions(ROBOTS[name]()):
        wrapped = cuttle.jax.wrap(function)
        (slopes,) = function.jacobians(*arguments)
        worth = np.sin(1.0 + np.arange(slopes[0].shape[0]))
        every = tuple(range(len(arguments)))
        gradients = jax.jit(jax.grad(lambda *given: jax.numpy.vdot(worth, wrapped(*given)), every))(*arguments)
        for gradient, slope, forwards, backwards in zip(
                gradients, slopes, jax.jacfwd(wrapped, every)(*arguments), jax.jacrev(wrapped, every)(*arguments)):
            near(np.asarray(gradient), worth @ slope, 1e-13)
            near(np.asarray(forwards), slope, 1e-14)
            near(np.asarray(backwards), slope, 1e-14)


@pytest.mark.parametrize("name", ["ball", "states"])
def test_casadi_has_the_same_slopes(name):
    import casadi

    import cuttle.casadi

    for function, arguments in all_functions(ROBOTS[name]()):
        wrapped = cuttle.casadi.wrap(function, "f")
        symbols = [casadi.MX.sym(f"a{i}", own.size) for i, own in enumerate(arguments)]
        value = wrapped(*symbols)
        (slopes,) = function.jacobians(*arguments)
        everything = casadi.Function("all", symbols, [value, *(casadi.jacobian(value, symbol) for symbol in symbols),
                                                      casadi.gradient(casadi.sumsqr(value), symbols[0])])
        found = [np.array(own) for own in everything(*arguments)]
        assert np.array_equal(found[0][:, 0], function(*arguments))
        for own, slope in zip(found[1:-1], slopes):
            near(own, slope, 1e-13)
        near(found[-1][:, 0], 2 * found[0][:, 0] @ slopes[0], 1e-12)


@pytest.mark.parametrize("name", ["ball", "states"])
def test_batches_have_the_same_slopes(name):
    """What cuttle.torch does, without torch."""
    for function, arguments in all_functions(ROBOTS[name]()):
        many = [np.stack([own, 1.01 * own, 0.98 * own]) for own in arguments]
        (values,), back = function.batched_vjp(*many)
        worth = np.cos(np.arange(values.size)).reshape(values.shape)
        for k, gradients in enumerate(zip(*back([worth]))):
            own = [given[k] for given in many]
            near(values[k], function(*own), 1e-12)
            for gradient, slope in zip(gradients, function.jacobians(*own)[0]):
                near(gradient, worth[k] @ slope, 1e-12)


def test_ipopt_turns_a_body_that_floats():
    """Its iterates leave the unit sphere, which the steps' equations lead back to."""
    import casadi

    import cuttle.casadi

    robot = made([{"name": "hub", "body": HUB}], base={"motion": "floating"}, gravity=[0, 0, 0],
                 actuators=[{"name": "jets", "type": "wrench", "link": "hub", "frame": "body"}])
    steps = 6
    f = robot.dynamics(integrator="generalized_alpha", step=0.1)
    F = cuttle.casadi.step(f)
    problem = casadi.Opti()
    X, U = problem.variable(f.nx, steps + 1), problem.variable(f.nu, steps)
    problem.minimize(1e4 * casadi.sumsqr(U[:3, :]) + casadi.sumsqr(U[3:, :]))
    goal = np.array([0.2, -0.1, 0.3, np.cos(0.5), 0, np.sin(0.5) * 0.6, np.sin(0.5) * 0.8])  # a turn by 1 rad, and on
    problem.subject_to(X[:, 0] == f.reset())
    for k in range(steps):
        problem.subject_to(X[:, k + 1] == F(X[:, k], U[:, k]))
    problem.subject_to(X[:3, steps] == goal[:3])
    problem.subject_to(X[4:7, steps] == goal[4:])  # w follows, up to its sign
    problem.subject_to(X[7:, steps] == 0)
    for k in range(steps + 1):
        problem.set_initial(X[:7, k], f.reset()[:7] + 1.3 * k / steps * (goal - f.reset()[:7]))  # straight, off the sphere
    problem.solver("ipopt", {"ipopt.hessian_approximation": "limited-memory", "ipopt.print_level": 0, "print_time": False})
    found = problem.solve()
    end = f.rollout(f.reset(), found.value(U).T)[-1]
    assert np.abs(end - np.concatenate([goal, np.zeros(6)])).max() < 1e-6
