"""Everything that Python hands out is pickled, copied and compared, or says why not; results do not change each other; arguments
that are no numbers are refused by name."""

import copy
import inspect
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import cuttle
from cuttle import _core, errors, own, parts, run, scenario

PENDULUM = {
    "name": "pendulum",
    "links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
               "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, -0.3], "inertia": [0.03, 0.03, 1e-3, 0, 0, 0]}}],
    "actuators": [{"name": "motor", "type": "joint", "link": "arm"}],
}
HOLD = {"name": "hold", "type": "pid", "reference": [0.4], "kp": 20, "kd": 3}


def torque(time):
    return 0.1 * np.sin(3 * time)


def law(time, q, v):
    return 2 * (0.5 - q)


def bend(q, x):
    s, angle = x[:, 2], q[0] * x[:, 2] / 0.2
    return s * np.sinc(angle / 2 / np.pi) * np.sin(angle / 2) + x[:, 0] * np.cos(angle), x[:, 1], s * np.sinc(angle / np.pi)


def tether(time, position, rotation, velocity, spin):
    return -30 * position


def ball(x):
    return np.linalg.norm(x) - 1


def energy(q):
    return 0.05 * q[0] ** 2


def body():
    points, volumes = cuttle.cylinder_points(0.2, 0.02, nz=3, nr=1, nphi=4)
    return cuttle.FunctionBody(bend, ["bend"], points, volumes, density=1070, tip=[0, 0, 0.2], elastic_energy=energy)


def pendulum():
    return cuttle.Robot.from_dict(PENDULUM)


def passive():
    """A robot without inputs."""
    return cuttle.Robot.from_dict({**PENDULUM, "actuators": []})


def arm():
    return cuttle.load(cuttle.example("tendon_arm"))


def finger():
    """A robot with functions, which is in this process alone."""
    return cuttle.Robot.from_dict({"name": "finger", "links": [{"name": "finger", "body": body()}]})


def swing(**keys):
    return pendulum().simulate(0.1, q=[0.3], integrator={"type": "rk4", "step": 1e-2}, **keys)


def driven():
    return cuttle.simulate(cuttle.example("tendon_arm_scenario"), "simulation.duration=0.05")


def failure():
    with pytest.raises(cuttle.SimulationError) as caught:
        arm().simulate(duration=0.5, inputs={"right": 3.0}, integrator={"type": "rk4", "step": 5e-3})
    return caught.value


def task(name):
    gym = pytest.importorskip("cuttle.gym")
    return getattr(gym, name)()


def lanes():
    found = pytest.importorskip("cuttle.gym").Lanes(task("SoftPendulum"), 2)
    found.reset([0, 1], [np.random.default_rng(i) for i in (1, 2)])
    return found


def env():
    found = pytest.importorskip("cuttle.gym").Env(task("SoftPendulum"), {"gravity[2]": (-10, -9)})
    found.reset(seed=3)
    found.step([0.3])
    return found


def vector_env():
    found = pytest.importorskip("cuttle.gym").VectorEnv(task("Swimmer"), 3, threads=1)
    found.reset(seed=3)
    found.step(np.full((3, 1), 0.3))
    return found


def changed_scenario():
    found = cuttle.load_scenario_file(cuttle.example("tendon_arm_scenario"))
    found.set_input("right", cuttle.Signal.sine(1.0, 2.0))
    return found


TIP = {"lower.tip": [0.05, 0.02, -0.3]}
STARTS = np.array([[0.3], [-0.2]])

#: One or more of each class, by its name.
def slopes_at(angle):
    f = pendulum().dynamics()
    x = f.reset()
    x[0] = angle
    return f.linearise(x, np.array([0.2]))


VALUES = {
    "Batch": [lambda: cuttle.Batch(pendulum().model, 3),
              lambda: cuttle.Batch(pendulum().model, ["links.arm.body.mass"], [[1.0], [2.0]], threads=1)],
    "ControlledRollout": [lambda: pendulum().rollouts(STARTS, duration=0.1, output_step=0.05, controllers=[HOLD]),
                          lambda: pendulum().rollouts(STARTS, duration=0.1),
                          lambda: passive().rollouts(STARTS, duration=0.1, output_step=0.05),
                          lambda: passive().rollouts(STARTS, duration=0.1)],
    "Controller": [lambda: cuttle.Controller(law, 100, limits=(-1, [2.0]))],
    "CoordinateInfo": [lambda: pendulum().model.configuration_info[0]],
    "Element": [lambda: cuttle.Element("spring", energy=energy, coordinates=["arm"])],
    "Energy": [lambda: swing().energy],
    "Env": [env],
    "ExternalWrench": [lambda: cuttle.ExternalWrench(arm().model.frame("lower.tip"), np.arange(6.0), "world")],
    "Frame": [lambda: arm().model.frame("lower.tip")],
    "FrameMotion": [lambda: swing().frame()],
    "FrameTarget": [lambda: cuttle.FrameTarget.in_direction(arm().model.frame("lower.tip"), [0, 0, 1], [1, 0, 0])],
    "FunctionBody": [body],
    "FunctionKinematics": [lambda: cuttle.FunctionKinematics(bend, ["bend"])],
    "FunctionLoad": [lambda: cuttle.FunctionLoad(tether, link="arm", at="tip")],
    "FunctionShape": [lambda: cuttle.FunctionShape(ball, half_thickness=1, parts=[([0, 0, 0], 1.0)], whole=True)],
    "InverseKinematicsResult": [lambda: arm().ik(TIP)],
    "InverseStaticsResult": [lambda: _core.inverse_statics(arm().model, arm()._targets(TIP))],
    "Lanes": [lanes],
    "LinkInfo": [lambda: arm().model.links[1]],
    "Mode": [lambda: arm().modes()[0]],
    "Model": [lambda: arm().model],
    "ParameterInfo": [lambda: arm().parameters()["gravity[2]"]],
    "DynamicsSlopes": [lambda: slopes_at(0.3)],
    "Part": [lambda: parts.CircleSection(np.array([0.02, 0.01])),
             lambda: parts.RobotFile(links=[parts.Link("a", body=parts.RodBody(0.3))])],
    "Pose": [lambda: cuttle.Pose([1, 2, 3], np.eye(3)[[1, 2, 0]])],
    "ReachOverWall": [lambda: task("ReachOverWall")],
    "ReachingArm": [lambda: task("ReachingArm")],
    "Rest": [lambda: arm().statics({"right": 2.0})],
    "Robot": [arm, lambda: arm().with_({"gravity[2]": -1.62})],
    "RobotFile": [lambda: cuttle.load_robot_file(cuttle.example("tendon_arm"), ["robot.gravity[2]=-1.62"])],
    "Rollout": [lambda: cuttle.Batch(pendulum().model, 2).rollout(STARTS, 0 * STARTS, duration=0.1, step=0.01)],
    "RolloutDerivatives": [lambda: pendulum().rollout_derivatives(["links.arm.body.mass"], STARTS, duration=0.1)],
    "Run": [swing, driven, lambda: failure().run,
            lambda: swing(controllers=[cuttle.Controller(law, 100)], inputs={"motor": torque}),
            lambda: pendulum().simulate(0.5, motion={"arm": [{"type": "sine", "amplitude": 0.1, "frequency": 1}]},
                                        integrator={"type": "rk4", "step": 1e-2})],
    "ScenarioFile": [changed_scenario, lambda: cuttle.load_scenario_file(cuttle.example("tendon_arm_scenario")),
                     lambda: pendulum().scenario(0.2, inputs={"motor": torque}, q=[0.3],
                                                 controllers=[cuttle.Controller(law, 100), {**HOLD, "reference": [torque]}])],
    "Sensitivities": [lambda: pendulum().sensitivities("q", "links.arm.body.mass", duration=0.1, q=[0.3])],
    "Signal": [lambda: cuttle.Signal(2.0), lambda: cuttle.Signal.points([0, 1], [2, 3]),
               lambda: cuttle.Signal.function(torque)],
    "SoftPendulum": [lambda: task("SoftPendulum")],
    "StaticEquilibrium": [lambda: arm().statics({"right": 2.0}).equilibrium],
    "Sweep": [lambda: cuttle.Sweep(
        {"plan": "grid", "runs": 1, "hash": "1", "version": "0.1", "instruction_set": "avx2",
         "parameters": [{"name": "robot.gravity[2]", "unit": "m/s^2"}], "outputs": [{"name": "max:q", "unit": "rad"}]},
        [{"row": 0, "parameters": [-9.81], "outputs": [0.3], "status": "complete", "reason": "", "seconds": 0.1}])],
    "Crawler": [lambda: task("Crawler")],
    "Swimmer": [lambda: task("Swimmer")],
    "TwoFingers": [lambda: task("TwoFingers")],
    "TargetError": [lambda: arm().ik(TIP).errors[0]],
    "VectorEnv": [vector_env],
    **{name: [lambda kind=kind: kind("q: found 1, expected 2", "q", "1", "2")]
       for name, kind in vars(errors).items() if inspect.isclass(kind)},
}
VALUES["SimulationError"].append(failure)
#: Working memory, which says what to do instead.
REFUSED = {
    "Data": lambda: cuttle.Data(pendulum().model),
    "DerivativeData": lambda: cuttle.DerivativeData(pendulum().model),
    "InverseKinematics": lambda: cuttle.InverseKinematics(arm().model, arm()._targets(TIP)),
    "RobotDynamics": lambda: pendulum().dynamics(),
    "RolloutFunction": lambda: pendulum().rollout_function("q", by="v", duration=0.1)._core,
    "Kinematics": lambda: cuttle.forward_kinematics(arm().model, arm().data, arm().neutral()),
}
#: Not handed out: classes that others derive from, and arrays with derivatives, which functions of the user get.
NO_VALUES = {"Task", "Compared", "Kept", "Jet", "Record"}
CASES = [pytest.param(make, id=f"{name}{k or ''}") for name, makes in VALUES.items() for k, make in enumerate(makes)]


def test_every_public_class_is_in_the_table():
    gym = pytest.importorskip("cuttle.gym")
    public = set()
    for module in (cuttle, _core, errors, own, run, scenario, gym):
        for name, thing in vars(module).items():
            if inspect.isclass(thing) and not name.startswith("_") and thing.__module__.startswith("cuttle"):
                public.add("Part" if issubclass(thing, parts.Part) else name)
    assert public - set(VALUES) - set(REFUSED) - NO_VALUES == set()


@pytest.mark.parametrize("make", CASES)
def test_it_is_pickled_copied_and_compared(make):
    value = make()
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value), make()):
        assert type(again) is type(value)
        assert again == value and not again != value
    assert value != "something else"
    if not isinstance(value, parts.Part):  # as dictionaries are not
        assert hash(pickle.loads(pickle.dumps(value))) == hash(value)


@pytest.mark.parametrize("name", REFUSED)
def test_working_memory_says_why_not(name):
    memory = REFUSED[name]()
    for work in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=f"cuttle.{name}: found .*expected"):
            work(memory)
    assert memory != REFUSED[name]()


@pytest.mark.parametrize("one, other", [
    (lambda: swing(), lambda: swing(inputs={"motor": 0.1})),
    (arm, lambda: arm().with_({"gravity[2]": -1.62})),
    (lambda: cuttle.Pose([1, 2, 3]), lambda: cuttle.Pose([1, 2, 4])),
    (lambda: cuttle.Signal.sine(1, 2), lambda: cuttle.Signal.sine(1, 3)),
    (lambda: cuttle.Signal(1), lambda: cuttle.Signal.step(1, 1, 1)),
    (lambda: cuttle.Batch(pendulum().model, 2), lambda: cuttle.Batch(pendulum().model, 3)),
    (lambda: pendulum().scenario(1.0), lambda: pendulum().scenario(2.0)),
    (lambda: arm().statics({"right": 2.0}), lambda: arm().statics({"right": 2.1})),
    (lambda: cuttle.ArgumentError("a"), lambda: cuttle.ModelError("a")),
])
def test_what_differs_is_not_equal(one, other):
    assert one() != other()


def test_what_is_pickled_works_as_before(tmp_path):
    before = swing(controllers=[cuttle.Controller(law, 100)], inputs={"motor": torque})
    after = pickle.loads(pickle.dumps(before))
    assert np.array_equal(after.q, before.q) and np.array_equal(after.frame().position, before.frame().position)
    assert after.robot == before.robot and after.statistics == before.statistics
    assert np.array_equal(after.controllers["python"].output, before.controllers["python"].output)
    for run_, name in ((before, "before"), (after, "after")):
        run_.save(tmp_path / f"{name}.csv")
        run_.save(tmp_path / f"{name}.h5")
    assert (tmp_path / "before.csv").read_text() == (tmp_path / "after.csv").read_text()
    whole = driven()
    pickle.loads(pickle.dumps(whole)).save(tmp_path / "whole.h5")
    again = cuttle.load_run(tmp_path / "whole.h5")
    assert np.array_equal(again.q, whole.q) and again.status == whole.status

    scenario_ = pickle.loads(pickle.dumps(VALUES["ScenarioFile"][2]()))
    expected = cuttle.robot.run_scenario(pendulum(), VALUES["ScenarioFile"][2]())
    assert np.array_equal(cuttle.robot.run_scenario(pendulum(), scenario_).q, expected.q)

    batch = cuttle.Batch(pendulum().model, ["links.arm.body.mass"], [[1.0], [2.0]])
    ends = [b.rollout(STARTS, 0 * STARTS, duration=0.1, step=0.01).q for b in (batch, pickle.loads(pickle.dumps(batch)))]
    assert np.array_equal(*ends)
    kinematics = pickle.loads(pickle.dumps(body()))  # has a name of its own
    assert cuttle.Robot.from_dict({"links": [{"name": "finger", "body": kinematics}]}).nq == 1


def test_an_environment_goes_on_where_it_was():
    one, other = env(), pickle.loads(pickle.dumps(env()))
    for _ in range(3):
        a, b = one.step([-0.5]), other.step([-0.5])
        assert np.array_equal(a[0], b[0]) and a[1:] == b[1:]
    assert one == other
    one.step([0.1])
    assert one != other


def test_runs_of_robots_with_functions_have_their_rows_elsewhere():
    before = finger().simulate(0.02, q=[0.3], integrator={"type": "rk4", "step": 1e-3})
    after = pickle.loads(pickle.dumps(before))
    assert np.array_equal(after.q, before.q) and np.array_equal(after.energy.total, before.energy.total)
    assert after == before and list(after.columns) == list(before.columns) and repr(after) == repr(before)
    assert pickle.loads(pickle.dumps(after)) == after
    with pytest.raises(cuttle.ModelError, match="functions of Python at links.finger.body"):
        after.frame()
    with pytest.raises(cuttle.ModelError, match="functions of Python at links.finger.body"):
        pickle.dumps(finger())


def test_a_robot_with_functions_is_equal_to_itself_alone():
    one, other = finger(), finger()
    assert one == one and one != other and one != arm() and one.model != other.model
    assert {one: 1, other: 2, arm(): 3}[one] == 1 and {one.model: 1, other.model: 2}[other.model] == 2


def test_what_differs_has_another_hash():
    robots = [pendulum().with_({"links.arm.body.mass": 1 + 0.1 * i}) for i in range(20)]
    assert len({hash(robot) for robot in robots}) == len({hash(robot.model) for robot in robots}) == 20
    runs = [pendulum().simulate(0.1, q=[0.1 * i], integrator={"type": "rk4", "step": 1e-2}) for i in range(20)]
    assert len({hash(run_) for run_ in runs}) == 20
    assert {run_: i for i, run_ in enumerate(runs)}[pickle.loads(pickle.dumps(runs[3]))] == 3


def test_a_change_that_is_refused_changes_no_scenario():
    changed, fresh = (cuttle.load_scenario_file(cuttle.example("tendon_arm_scenario")) for _ in range(2))
    with pytest.raises((RuntimeError, TypeError)):
        changed.set_input("right", "much")
    with pytest.raises((RuntimeError, ValueError)):
        changed.insert_controller(0, "law", law, -1.0, [], [], [], 0.0)
    assert changed == fresh and pickle.loads(pickle.dumps(changed)) == fresh
    changed.set_input("right", 2.0)
    assert changed != fresh and pickle.loads(pickle.dumps(changed)) == changed
    by_signal = cuttle.load_scenario_file(cuttle.example("tendon_arm_scenario"))
    by_signal.set_input("right", cuttle.Signal(2.0))
    last = [cuttle.robot.run_scenario(cuttle.Robot(file.robot_file), file).u[-1] for file in (changed, by_signal)]
    assert np.array_equal(*last)


def test_a_damaged_pickle_is_an_error():
    version, state = cuttle.Pose([1, 2, 3]).__getstate__()
    for damaged in ((version, state[:-1]), (version, state + b"x"), ("0.0.0", state)):
        with pytest.raises(cuttle.ArgumentError, match="pickle"):
            cuttle.Pose.__new__(cuttle.Pose).__setstate__(damaged)


def run_in_a_pool(kind):
    if kind == "failing":
        return arm().simulate(duration=0.5, inputs={"right": 3.0}, integrator={"type": "rk4", "step": 5e-3})
    if kind == "failing with functions":
        def broken(time):
            if time > 0.01:
                raise RuntimeError("no more")
            return 1.0

        return pendulum().simulate(0.1, inputs={"motor": broken}, integrator={"type": "rk4", "step": 1e-3})
    if kind == "wrong":
        return pendulum().simulate(q=[1, 2])
    return driven()


def test_runs_and_their_errors_come_out_of_a_pool():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = {kind: pool.submit(run_in_a_pool, kind) for kind in ("good", "failing", "failing with functions", "wrong")}
        assert found["good"].result() == driven()
        expected = failure()
        with pytest.raises(cuttle.SimulationError) as caught:
            found["failing"].result()
        assert str(caught.value) == str(expected) and caught.value == expected
        assert caught.value.run == expected.run and caught.value.run.status == "failed" and len(caught.value.run) > 0
        with pytest.raises(RuntimeError, match="no more") as raised:
            found["failing with functions"].result()
        assert raised.value.run.status == "failed" and len(raised.value.run) > 0
        with pytest.raises(cuttle.ArgumentError) as wrong:
            found["wrong"].result()
        assert wrong.value.path == "q"


# --- results are read-only or copies ----------------------------------------------------------------------------------


def arrays_of(result):
    """Arrays that it holds, by name; its dictionaries too."""
    for name in dir(result):
        part = getattr(result, name) if not name.startswith("_") and name not in ("to_xarray", "robot") else None
        if isinstance(part, np.ndarray):
            yield name, part
        elif isinstance(part, dict):
            yield from ((f"{name}.{key}", item) for key, item in part.items() if isinstance(item, np.ndarray))


@pytest.mark.parametrize("make", CASES)
def test_what_is_done_to_arrays_of_a_result_changes_nothing(make):
    value = make()
    if isinstance(value, (cuttle.FunctionKinematics, cuttle.FunctionShape, cuttle.FunctionLoad, parts.Part)) or type(value).__name__ in (
        "Env", "VectorEnv", "Lanes", "ReachOverWall", "ReachingArm", "SoftPendulum", "Swimmer", "Crawler", "TwoFingers"):
        return  # no results
    for name, array in arrays_of(value):
        if array.flags.writeable and array.size > 0 and array.dtype.kind == "f":
            before = array.copy()
            array *= 2
            array += 1
            again = dict(arrays_of(value))[name]
            assert np.array_equal(again, before, equal_nan=True), name


def test_a_run_says_the_same_after_a_plot_in_degrees():
    result = swing()
    before = result.frame().position
    q = result.q
    with pytest.raises(ValueError, match="read-only"):
        q *= 180 / np.pi
    result.columns.clear()
    result.statistics.clear()
    assert np.array_equal(result.frame().position, before) and result.columns and result.statistics
    degrees = result.q * 180 / np.pi
    degrees += 1
    data = pytest.importorskip("xarray") and result.to_xarray()
    data["q"] *= 2
    assert np.array_equal(result.frame().position, before)


# --- arguments that are no numbers ------------------------------------------------------------------------------------

MASKED = np.ma.masked_array([0.3], mask=[True])


@pytest.mark.parametrize("given, found", [
    (MASKED, "a masked array, of which 1 of 1 numbers are missing"),
    ([MASKED], "a masked array"),
    ([np.ma.masked], "a masked array"),
    ("0.3", "the text '0.3'"),
    (["0.3"], "the text '0.3'"),
    (np.array(["0.3"]), "an array of texts"),
    (np.array(["0.3"], dtype=object), "the text '0.3'"),
    (np.array([b"1"]), "an array of bytes"),
    ([0.3 + 0j], "a complex number"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), "an array of dates"),
    ([None], "None"),
    ([[1, 2], [3]], "a list"),
    ({}, "a dict"),
])
@pytest.mark.parametrize("name, work", [
    ("q", lambda robot, x: robot.mass_matrix(x)),
    ("v", lambda robot, x: robot.inverse_dynamics([0.1], x, [0])),
    ("q", lambda robot, x: robot.simulate(0.1, q=x)),
    ("q", lambda robot, x: robot.rollouts(x)),
    ("held_inputs", lambda robot, x: robot.rollouts([[0.1]], held_inputs=x, duration=0.1)),
    ("held_inputs", lambda robot, x: cuttle.Batch(robot.model, 1).rollout([[0.1]], [[0.1]], held_inputs=x)),
    ("links.arm.body.mass", lambda robot, x: robot.rollouts([[0.1]], parameters={"links.arm.body.mass": x})),
    ("links.arm.body.mass", lambda robot, x: robot.with_({"links.arm.body.mass": x})),
    ("position", lambda robot, x: cuttle.Pose(x)),
    ("u", lambda robot, x: robot.forward_dynamics([0.1], [0.1], u=x)),
    ("values", lambda robot, x: cuttle.Batch(robot.model, ["links.arm.body.mass"], x)),
    ("times", lambda robot, x: robot.sensitivities("q", "links.arm.body.mass", x, duration=1)),
    ("limits", lambda robot, x: cuttle.Controller(law, 10, limits=(x, None))),
    ("points", lambda robot, x: cuttle.FunctionBody(bend, 1, x, [1.0], density=1, tip=[0, 0, 1])),
])
def test_what_is_no_number_is_refused_by_name(name, work, given, found):
    with pytest.raises(cuttle.ArgumentTypeError) as caught:
        work(pendulum(), given)
    assert name in str(caught.value) and found in str(caught.value) and "expected" in str(caught.value)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, cuttle.ArgumentError)


@pytest.mark.parametrize("given", [
    [Fraction(3, 10)], np.float32([0.3]), np.ma.masked_array([0.3], mask=[False]), np.array([0.3], dtype=object), (0.3,),
    memoryview(np.array([0.3])), 0.3,
])
def test_what_is_a_number_stays_one(given):
    assert pendulum().mass_matrix(given) == pytest.approx(pendulum().mass_matrix(np.array([0.3])), rel=1e-6)


@pytest.mark.parametrize("inputs", ["3", MASKED, np.array(["3"])])
def test_inputs_that_are_no_numbers_are_refused(inputs):
    for work in (lambda robot: robot.statics({"motor": inputs}), lambda robot: robot.simulate(0.1, inputs={"motor": inputs})):
        with pytest.raises(cuttle.ArgumentTypeError, match="inputs.motor: found .*expected"):
            work(pendulum())


def test_answers_of_functions_that_are_no_numbers_are_refused():
    for wrong in (["1"], np.ma.masked_array([1.0], mask=[True]), None):
        with pytest.raises(cuttle.ArgumentTypeError, match="outputs: found .*expected numbers"):
            pendulum().simulate(0.1, controllers=[cuttle.Controller(lambda t, q, v, wrong=wrong: wrong, 100)])
    for masked in ({"links": [{**PENDULUM["links"][0], "body": {**PENDULUM["links"][0]["body"], "com": np.ma.masked_less([0, 0, -0.3], 0)}}]},):
        with pytest.raises(cuttle.ArgumentTypeError, match=r"links\[0\].body.com: found a masked array"):
            cuttle.Robot.from_dict(masked)


def test_commands_need_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", object())
    assert cuttle._program.run_program("--version").strip()
