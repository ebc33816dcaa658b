"""The short road: robots, runs and what goes wrong on it."""

import inspect
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest
from conftest import random_state

import cuttle
from cuttle import _core
from cuttle.scenario import plain

ARM = {
    "name": "arm",
    "links": [
        {
            "name": "arm",
            "joint": {"type": "revolute", "axis": [0, 1, 0]},
            "body": {
                "type": "rigid",
                "mass": np.float64(2.0),
                "com": np.array([0.0, 0.0, 0.25]),
                "inertia": [0.05, 0.05, 0.001, 0, 0, 0],
                "tip": {"position": [0, 0, 0.5]},
            },
        }
    ],
    "actuators": [{"name": "motor", "type": "joint", "link": "arm"}],
}


@pytest.fixture(scope="module")
def arm():
    return cuttle.Robot.from_dict(ARM)


def test_a_robot_of_a_dictionary_is_checked_as_a_file_is(arm):
    assert arm.name == "arm" and arm.inputs == ["motor"] and arm.nq == 1
    wrong = {**ARM, "links": [{**ARM["links"][0], "body": {"type": "rigid", "mass": -1}}]}
    with pytest.raises(cuttle.FileError, match="links.0..body.mass: found -1"):
        cuttle.Robot.from_dict(wrong)
    with pytest.raises(cuttle.ArgumentError, match="links.0..x: found nan, expected a finite number"):
        cuttle.Robot.from_dict({"links": [{"x": float("nan")}]})


def test_a_file_that_is_not_there_is_an_error():
    with pytest.raises(cuttle.FileError, match="nowhere.yaml"):
        cuttle.load("nowhere.yaml")


def test_parameters_change_what_they_name(arm):
    assert arm.parameters()["links.arm.body.mass"].value == 2.0
    assert arm.parameters()["gravity[2]"].unit == "m/s^2"
    heavy = arm.with_({"links.arm.body.mass": 4.0, "gravity[2]": -1.62})
    q = [0.3]
    # a pendulum upside down: m g d sin q, of twice the mass on the moon
    assert arm.inverse_dynamics(q, [0], [0])[0] == pytest.approx(-2 * 9.81 * 0.25 * np.sin(0.3), rel=1e-12)
    assert heavy.inverse_dynamics(q, [0], [0])[0] == pytest.approx(-4 * 1.62 * 0.25 * np.sin(0.3), rel=1e-12)
    assert arm.parameters()["links.arm.body.mass"].value == 2.0
    with pytest.raises(cuttle.ArgumentError, match="did you mean"):
        arm.with_({"links.arm.body.mas": 4.0})
    with pytest.raises(cuttle.ModelError, match="mass"):
        arm.with_({"links.arm.body.mass": -4.0})


def test_its_text_reads_back_equal(robot, tmp_path):
    again = cuttle.Robot.from_text(robot.to_yaml()) if not robot.file.files else None
    robot.save(tmp_path / "robot.yaml")
    q, v, a = random_state(robot, 1)
    for other in filter(None, (again, cuttle.load(tmp_path / "robot.yaml"))):
        assert np.allclose(other.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-14)
    with pytest.raises(cuttle.FileError):
        robot.save(tmp_path / "robot.yaml")
    robot.save(tmp_path / "robot.yaml", replace=True)


def test_frames_are_where_geometry_puts_them(arm):
    pose = arm.frame("tip", [0.3])
    assert np.allclose(pose.position, [0.5 * np.sin(0.3), 0, 0.5 * np.cos(0.3)], atol=1e-15)
    assert np.allclose(pose.rotation @ pose.rotation.T, np.eye(3), atol=1e-15)
    with pytest.raises(cuttle.ArgumentError, match="did you mean 'arm.tip'"):
        arm.frame("arm.tipp")


def test_a_run_has_rows_of_everything(arm):
    run = arm.simulate(0.5, q=[0.3], v=[0.1], inputs={"motor": 0.2}, output_step=0.1)
    assert np.allclose(run.time, [0, 0.1, 0.2, 0.3, 0.4, 0.5]) and len(run) == 6
    assert run.q.shape == run.v.shape == run.u.shape == (6, 1)
    assert run.q[0] == 0.3 and run.v[0] == 0.1 and np.all(run.u == 0.2)
    assert run.status == "complete" and run.integrator == "erk" and run.warnings == []
    # work of the torque, and of nothing else
    assert np.allclose(run.energy.input, 0.2 * (run.q[:, 0] - 0.3), rtol=0, atol=1e-6)
    assert np.abs(run.energy.balance).max() < 1e-5 and run.statistics["steps"] > 0
    tip = run.frame("tip")
    assert np.allclose(tip.position, np.stack([np.sin(run.q[:, 0]), 0 * run.time, np.cos(run.q[:, 0])], 1) / 2, atol=1e-14)
    assert np.allclose(tip.orientation, np.stack([np.cos(run.q[:, 0] / 2), 0 * run.time, np.sin(run.q[:, 0] / 2), 0 * run.time], 1))
    assert np.allclose(np.linalg.norm(tip.velocity, axis=1), 0.5 * np.abs(run.v[:, 0]))
    assert np.allclose(tip.angular_velocity[:, 1], run.v[:, 0])
    assert np.array_equal(run.columns["time"], run.time)


@pytest.mark.parametrize(
    "signal_given",
    [
        {"type": "ramp", "start": 0, "end": 1, "from": 0, "to": 0.4},
        cuttle.Signal.ramp(0, 1, 0, 0.4),
        ([0, 1], [0, 0.4]),
        lambda t: 0.4 * t,
    ],
    ids=["keys", "signal", "points", "function"],
)
def test_inputs_may_be_said_in_four_ways(arm, signal_given):
    run = arm.simulate(0.5, inputs={"motor": signal_given}, output_step=0.25)
    assert np.allclose(run.u[:, 0], [0, 0.1, 0.2])
    expected = arm.simulate(0.5, inputs={"motor": cuttle.Signal.ramp(0, 1, 0, 0.4)}, output_step=0.25)
    assert np.allclose(run.q, expected.q, rtol=0, atol=1e-7)


def test_what_a_function_of_time_raises_ends_the_run(arm):
    def broken(time):
        if time > 0.1:
            raise RuntimeError("no more")
        return 1.0

    for integrator in ("bdf", "erk", "generalized_alpha", {"type": "rk4", "step": 1e-3}):
        with pytest.raises(RuntimeError, match="no more") as caught:
            arm.simulate(0.5, inputs={"motor": broken}, integrator=integrator)
        assert caught.value.run.status == "failed" and 0.05 < caught.value.run.time[-1] < 0.11
    with pytest.raises(TypeError, match="must return a number"):
        arm.simulate(inputs={"motor": lambda t: "much"})


def test_mistakes_in_a_scenario_are_named_by_key(arm):
    with pytest.raises(cuttle.FileError, match="simulation.inputs.moter: found no input 'moter'"):
        arm.simulate(inputs={"moter": 1})
    with pytest.raises(cuttle.FileError, match="simulation.duration: found -1"):
        arm.simulate(duration=-1)
    with pytest.raises(cuttle.FileError, match="simulation.integrator.type"):
        arm.simulate(integrator="euler")
    with pytest.raises(cuttle.FileError, match="did you mean 'strict'"):
        arm.scenario(strickt=True)
    with pytest.raises(cuttle.ArgumentError, match=r"q: found shape \(2,\), expected \(1,\)"):
        arm.simulate(q=[1, 2])


def test_the_scenario_file_and_its_twin_in_python_run_alike(tmp_path):
    run = cuttle.simulate(cuttle.example("tendon_arm_scenario"), "simulation.duration=0.3")
    run.save(tmp_path / "run.h5")
    again = cuttle.load_run(tmp_path / "run.h5")
    assert np.array_equal(again.q, run.q) and np.array_equal(again.energy.total, run.energy.total)
    assert again.robot.name == run.robot.name and again.status == "complete"
    run.save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text().startswith("time,")


def test_a_result_of_python_says_what_was_run(arm, tmp_path):
    arm.simulate(0.3, q=[0.2], inputs={"motor": cuttle.Signal.sine(0.5, 2)}).save(tmp_path / "run.h5")
    again = cuttle.load_run(tmp_path / "run.h5")
    assert np.allclose(again.u[:, 0], 0.5 * np.sin(4 * np.pi * again.time), atol=1e-12)


@pytest.mark.parametrize("as_keys", [True, False])
def test_controllers_in_python_do_what_the_same_law_of_the_library_does(arm, as_keys):
    law = {"name": "hold", "type": "pid", "inputs": ["motor"], "reference": [0.5], "kp": 8, "kd": 2, "rate": 200}
    limits = (-1.0, 1.0)
    python = cuttle.Controller(lambda t, q, v: 8 * (0.5 - q) - 2 * v, rate=200, inputs=["motor"], name="hold", limits=limits)
    given = {**law, "limits": {"lower": -1, "upper": 1}} if as_keys else python
    run = arm.simulate(0.5, controllers=[given], output_step=0.05)
    assert np.abs(run.u).max() == 1.0
    step = 0.5 / 100
    # held between samples: on [0, 5 ms) the torque is that of the first sample
    first = arm.simulate(step, inputs={"motor": 1.0}, output_step=step)
    fine = arm.simulate(step, controllers=[given], output_step=step)
    assert np.allclose(fine.q, first.q, rtol=0, atol=1e-10)
    other = arm.simulate(0.5, controllers=[{**law, "limits": {"lower": -1, "upper": 1}}], output_step=0.05)
    assert np.allclose(run.q, other.q, rtol=0, atol=1e-6)
    assert run.controllers["hold"].output.shape == (len(run), 1)


def test_what_a_controller_raises_ends_the_run_and_keeps_its_rows(arm):
    def law(time, q, v):
        if time > 0.2:
            raise RuntimeError("no more")
        return [0.0]

    with pytest.raises(RuntimeError, match="no more") as caught:
        arm.simulate(1.0, controllers=[cuttle.Controller(law, rate=100)])
    run = caught.value.run
    assert run.status == "failed" and 0.19 < run.time[-1] < 0.22
    with pytest.raises(cuttle.ArgumentError, match="outputs: found 2 numbers, expected 1"):
        arm.simulate(1.0, controllers=[cuttle.Controller(lambda t, q, v: [1, 2], rate=100)])


def test_controllers_with_memory_begin_anew(arm):
    class Count:
        def reset(self):
            self.count = 0

        def __call__(self, time, q, v):
            self.count += 1
            return [0.001 * self.count]

    law = cuttle.Controller(Count(), rate=50)
    first, second = (arm.simulate(0.2, controllers=[law]) for _ in range(2))
    assert np.array_equal(first.u, second.u) and first.u[-1] > first.u[0]


def test_ctrl_c_ends_a_run_and_keeps_its_rows():
    robot = cuttle.load(cuttle.example("tendon_arm"))
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        robot.simulate(10000.0, integrator={"type": "rk4", "step": 1e-5})
    assert time.monotonic() - begin < 10
    run = caught.value.run
    assert run.status == "interrupted" and len(run) > 0


def rod_chain(count):
    rod = {
        "type": "rod",
        "length": 0.1,
        "material": "rubber",
        "section": {"shape": "circle", "radius": 0.01},
        "quadrature": {"points": 8},
        "strain": {"kappa_x": {"basis": "legendre", "order": 2}, "kappa_y": {"basis": "legendre", "order": 2}},
    }
    sides = ([0.008, 0], [-0.008, 0], [0, 0.008], [0, -0.008])
    return cuttle.Robot.from_dict(
        {
            "materials": {"rubber": {"density": 1000, "young_modulus": 1e6, "poisson_ratio": 0.5}},
            "links": [{"name": f"rod{i}", "body": rod} for i in range(count)],
            "actuators": [
                {"name": f"pull{k}", "type": "tendon", "routing": [{"link": f"rod{i}", "offset": at} for i in range(count)]}
                for k, at in enumerate(sides)
            ],
        }
    )


@pytest.mark.parametrize("name", ["batch", "rollouts", "rollout_derivatives", "ik", "inverse_statics"])
def test_ctrl_c_ends_whatever_takes_long(name):
    robot = rod_chain(60) if name in ("ik", "inverse_statics") else cuttle.load(cuttle.example("tendon_arm"))
    q, far = np.zeros((20, robot.nq)), {"tip": [90.0, 0.0, 1.0]}
    work = {  # ik takes some ten seconds, the others minutes or more
        "batch": lambda: cuttle.Batch(robot.model, len(q)).rollout(q, q, duration=1e4, step=1e-4),
        "rollouts": lambda: robot.rollouts(q, duration=1e4, step=1e-4),
        "rollout_derivatives": lambda: robot.rollout_derivatives(["gravity[2]"], q, duration=1e4, step=1e-4),
        "ik": lambda: robot.ik(far),
        "inverse_statics": lambda: robot.statics(target=far),
    }[name]
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - begin < 2.0
    if name == "batch":
        batch = cuttle.Batch(robot.model, 2)
        assert np.isfinite(batch.rollout(q[:2], q[:2], duration=0.01, step=1e-4).q).all()


def test_other_threads_go_on_while_a_run_does(arm):
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    arm.simulate(1.0, q=[0.3], integrator={"type": "rk4", "step": 1e-5}, output_step=1)
    seconds = time.monotonic() - begin
    done.set()
    thread.join()
    assert counted > 20 * seconds  # without the interpreter's lock; with it: some


def test_statics_balances_forces(tendon_arm):
    rest = tendon_arm.statics({"right": 3.0})
    u = tendon_arm.input_vector({"right": 3.0})
    zero = np.zeros(tendon_arm.nv)
    A = cuttle.actuation_matrix(tendon_arm.model, tendon_arm.data, rest.q)
    left = tendon_arm.inverse_dynamics(rest.q, zero, zero) - A @ u
    assert np.abs(left).max() < 1e-8 and rest.stable
    with pytest.raises(cuttle.ArgumentError, match="inputs: found 'wrong', expected one of"):
        tendon_arm.statics({"wrong": 3.0})


def test_inputs_hold_a_frame(tendon_arm):
    there = tendon_arm.statics({"right": 2.0}).frame("lower.tip").position
    held = tendon_arm.statics(target={"lower.tip": there})
    assert np.allclose(held.frame("lower.tip").position, there, atol=1e-8)


def test_inverse_kinematics_reaches(tendon_arm):
    q = random_state(tendon_arm, 3)[0]
    goal = tendon_arm.frame("lower.tip", q).position
    found = tendon_arm.ik({"lower.tip": goal})
    assert found.converged and np.allclose(tendon_arm.frame("lower.tip", found.q).position, goal, atol=1e-8)
    far = tendon_arm.ik({"lower.tip": [5, 5, 5]})
    assert not far.converged and far.errors[0].position > 1


def test_modes_of_a_hanging_pendulum(arm):
    hanging = arm.modes(q=[np.pi])[0]
    stiffness, inertia = 2 * 9.81 * 0.25, 0.05 + 2 * 0.25**2
    assert hanging.frequency == pytest.approx(np.sqrt(stiffness / inertia) / (2 * np.pi), rel=1e-9)
    assert hanging.damping_ratio == pytest.approx(0, abs=1e-9) and hanging.shape.dtype == complex


def test_sensitivities_are_slopes_of_runs(arm):
    keys = {"duration": 0.5, "q": [0.3], "integrator": {"type": "rk4", "step": 1e-3}}
    exact = arm.sensitivities("tip.position", "links.arm.body.mass", **keys)
    assert exact.derivatives.shape == (1, 3, 1)
    h = 1e-4
    ends = [
        arm.with_({"links.arm.body.mass": 2 + s * h}).simulate(**keys).frame("tip").position[-1] for s in (1, -1)
    ]
    assert np.allclose((ends[0] - ends[1]) / (2 * h), exact.derivatives[0, :, 0], rtol=1e-5, atol=1e-9)


def test_starts_from_statics_stay_there(tendon_arm):
    run = tendon_arm.simulate(0.1, statics={"right": 2.0}, inputs={"right": 2.0})
    assert np.abs(run.v).max() < 1e-5
    assert np.allclose(run.q[0], tendon_arm.statics({"right": 2.0}).q, atol=1e-8)


def test_a_run_is_a_dataset_and_a_figure(arm):
    run = arm.simulate(0.2)
    xarray = pytest.importorskip("xarray")
    data = run.to_xarray()
    assert isinstance(data, xarray.Dataset) and np.array_equal(data["q"].sel(configuration="arm.joint.q0"), run.q[:, 0])
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(run.plot().axes) == 3


def test_the_page_of_a_run_is_written(arm, tmp_path):
    arm.simulate(0.1).page(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()[:1000]


def test_the_command_comes_with_the_package():
    done = subprocess.run([cuttle.program(), "--version"], capture_output=True, text=True, check=True)
    assert cuttle.__version__ in done.stdout


def test_examples_are_all_readable_names():
    assert "examples/tendon_arm.yaml" in cuttle.examples()
    with pytest.raises(FileNotFoundError, match="no_such_robot"):
        cuttle.example("no_such_robot")


def test_cuttle_is_imported_fast():
    code = "import time; import numpy; t = time.perf_counter(); import cuttle; print(time.perf_counter() - t)"
    seconds = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3))
    assert seconds < 1.0  # the figure of docs/python.md is 0.15 s with NumPy; this also holds on a busy machine


def test_everything_has_words():
    for name in cuttle.__all__:
        assert getattr(cuttle, name).__doc__, name
    missing = []
    for name, thing in vars(cuttle._core).items():
        parts = {name: thing} if not name.startswith("_") else {}
        if inspect.isclass(thing):
            parts |= {f"{name}.{key}": part for key, part in vars(thing).items() if not key.startswith("_")}
        for key, part in parts.items():
            # of a function the first lines are its signatures
            words = [line for line in (part.__doc__ or "").splitlines() if line and "->" not in line]
            if not words:
                missing.append(key)
    assert not missing


def test_meshes_may_be_binary(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    triangles = [b"".join([bytes(12), corners[list(face)].tobytes(), b"\xff\xfe"]) for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    mesh = b"\x80\xff binary".ljust(80, b" ") + (4).to_bytes(4, "little") + b"".join(triangles)
    (tmp_path / "part.stl").write_bytes(mesh)
    keys = {**ARM, "cuttle": 1, "links": [{**ARM["links"][0], "visual": {"shape": "mesh", "file": "part.stl"}}]}
    (tmp_path / "arm.yaml").write_text(json.dumps(plain(keys)))
    robot = cuttle.load(tmp_path / "arm.yaml")
    assert robot.file.files == {"part.stl": mesh}
    again = pickle.loads(pickle.dumps(robot))
    (tmp_path / "saved").mkdir()
    again.save(tmp_path / "saved" / "arm.yaml")
    # the same triangles
    assert [len(f.read_bytes()) > 0 for f in (tmp_path / "saved").iterdir()] == [True, True]
    assert cuttle.load(tmp_path / "saved" / "arm.yaml").nq == 1
    given = {"part.stl": mesh, "other.txt": "text"}
    assert _core.read_robot_text(robot.file.yaml, "arm.yaml", given).files == {"part.stl": mesh, "other.txt": b"text"}


URDF = """<robot name="swing">
  <link name="world"/>
  <joint name="hinge" type="revolute">
    <parent link="world"/> <child link="arm"/> <axis xyz="0 1 0"/> <limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
  <link name="arm">
    <inertial> <origin xyz="0 0 -0.2"/> <mass value="2"/> <inertia ixx="0.01" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
</robot>"""


def test_robots_of_other_programs_are_loaded(tmp_path):
    (tmp_path / "swing.urdf").write_text(URDF)
    robot = cuttle.load(tmp_path / "swing.urdf")
    assert robot.nq == 1 and robot.inverse_dynamics([0.3], [0], [1])[0] == pytest.approx(
        0.02 + 2 * 0.04 + 2 * 9.81 * 0.2 * np.sin(0.3), abs=1e-12
    )
    assert any("velocity" in warning for warning in robot.warnings)
    heavy = cuttle.load(tmp_path / "swing.urdf", "robot.links.arm.body.mass=4")
    assert heavy.parameters()["links.arm.body.mass"].value == 4
    assert cuttle.Robot.from_text(robot.to_yaml()).nq == 1 and pickle.loads(pickle.dumps(robot)).nq == 1
    (tmp_path / "wrong.urdf").write_text("<robot><link/></robot>")
    with pytest.raises(cuttle.FileError, match="wrong.urdf:1"):
        cuttle.load(tmp_path / "wrong.urdf")


def test_robots_are_loaded_from_their_own_folder(tmp_path, monkeypatch):
    visual = '<visual><geometry><mesh filename="package://demo/a.stl"/></geometry></visual></link>'
    (tmp_path / "swing.urdf").write_text(URDF.replace("</link>\n</robot>", visual + "</robot>"))
    monkeypatch.chdir(tmp_path)
    for name in ("swing.urdf", "./swing.urdf", tmp_path / "swing.urdf"):
        robot = cuttle.load(name)
        assert robot.nq == 1 and any("package://demo/a.stl" in warning for warning in robot.warnings)


def test_files_without_an_end_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, what in ((tmp_path / "pipe", "a pipe"), ("/dev/zero", "a device"), (tmp_path, "a directory")):
        with pytest.raises(cuttle.FileError, match=f"found {what}, expected "):
            cuttle.load(name)
    with pytest.raises(cuttle.FileError, match="file: found '/dev/zero', which is a device, expected a mesh"):
        cuttle.Robot.from_text(
            "cuttle: 1\nlinks: [{name: a, body: {type: rigid, mass: 1, visual: {shape: mesh, file: /dev/zero}}}]"
        )


def test_parameters_are_identified_by_the_command(tendon_arm, tmp_path):
    modulus = next(path for path in tendon_arm.parameters() if path.endswith("young_modulus"))
    truth = 1.3 * tendon_arm.parameters()[modulus].value
    rows = ["right,lower.tip.x,lower.tip.y,lower.tip.z"]
    for pull in (0.5, 1.0, 2.0, 3.0):
        x, y, z = tendon_arm.with_({modulus: truth}).statics({"right": pull}).frame("lower.tip").position
        rows.append(f"{pull},{x:.17g},{y:.17g},{z:.17g}")
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n")
    found = tendon_arm.identify(tmp_path / "data.csv", [modulus])
    values = {parameter["path"]: parameter["value"] for parameter in found["parameters"]}
    assert values[modulus] == pytest.approx(truth, rel=1e-6)
    with pytest.raises(cuttle.ProgramError, match="nothing_such"):
        tendon_arm.identify(tmp_path / "data.csv", ["nothing_such"])


def test_robots_are_exported_by_the_command(pendulum, tendon_arm, tmp_path):
    said = pendulum.export(tmp_path / "pendulum.urdf")
    assert isinstance(said, dict) and "<robot" in (tmp_path / "pendulum.urdf").read_text()
    pendulum.export(tmp_path / "pendulum.xml")
    assert "<mujoco" in (tmp_path / "pendulum.xml").read_text()
    with pytest.raises(cuttle.ProgramError, match="pendulum.urdf"):
        pendulum.export(tmp_path / "pendulum.urdf")  # is there already
    again = cuttle.load(tmp_path / "pendulum.urdf")
    q = [0.3]
    assert np.allclose(again.mass_matrix(q), pendulum.mass_matrix(q), rtol=1e-9)


def test_a_run_is_shown_in_a_cell_of_jupyter(arm, monkeypatch):
    class Html:
        def __init__(self, data):
            self.data = data

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=1)
    display = types.ModuleType("IPython.display")
    display.HTML = Html
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    shown = arm.simulate(0.1).view(height=300)
    assert shown.data.startswith('<iframe srcdoc="&lt;!') and 'height="300"' in shown.data and not opened
    ipython.get_ipython = lambda: types.SimpleNamespace()  # a terminal of IPython
    assert arm.simulate(0.1).view().suffix == ".html" and len(opened) == 1


def test_a_page_replaces_files_of_others_if_told_to(pendulum, tmp_path):
    run = pendulum.simulate(0.02)
    page = tmp_path / "page.html"
    page.write_text("mine")
    with pytest.raises(cuttle.Error, match=r"--force \(in Python replace=True\) replaces it"):
        run.page(page)
    assert page.read_text() == "mine"
    run.page(page, replace=True)
    assert "Cuttle" in page.read_text(encoding="utf-8")


def test_a_run_replaces_neither_files_of_others_nor_what_was_read(pendulum, tmp_path):
    run = pendulum.simulate(0.02)
    mine = tmp_path / "mine.csv"
    mine.write_text("time,torque\n0,1\n")
    with pytest.raises(cuttle.FileError, match="that no Cuttle wrote"):
        run.save(mine)
    assert mine.read_text() == "time,torque\n0,1\n"
    run.save(mine, replace=True)
    run.save(mine)  # which is Cuttle's own now
    robot = tmp_path / "robot.yaml"
    pendulum.save(robot)
    text = robot.read_text()
    cuttle.load(robot)
    with pytest.raises(cuttle.FileError, match="read here as a robot file"):
        run.save(robot)
    assert robot.read_text() == text
    pendulum.save(robot, replace=True)
    copy = tmp_path / "copy.csv"
    cuttle.load(robot)
    os.link(robot, copy)
    with pytest.raises(cuttle.FileError, match="read here as a robot file"):
        run.save(copy)
    run.save(copy, replace=True)  # the user says so
    assert copy.read_text().startswith("time,")
    assert robot.read_text() == text
    result = tmp_path / "run.h5"
    run.save(result)
    cuttle.load_run(result)  # into memory, so that the file may be written again
    run.save(result)


def test_numbers_of_numpy_and_lists_are_taken(pendulum):
    laws = (lambda t, q, v: np.float64(0.1), lambda t, q, v: np.array(0.1), lambda t, q, v, sensors: np.array(0.1))
    for law in laws:
        run = pendulum.simulate(0.02, controllers=[cuttle.Controller(law, 100)])
        np.testing.assert_array_equal(run.u, np.full((3, 1), 0.1))
    (name,) = pendulum.inputs
    for given in ([[0, 1], [0, 2]], np.array([[0, 1], [0, 2]]), ([0, 1], [0, 2])):
        assert pendulum.simulate(0.5, inputs={name: given}).u[-1, 0] == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(cuttle.ArgumentError, match=f"inputs.{name}: found 3 parts, expected two: times and values"):
        pendulum.simulate(0.5, inputs={name: [1, 2, 3]})
    with pytest.raises(TypeError):
        pendulum.simulate(0.5, inptus={})  # also seen by type checkers


def test_a_star_import_replaces_no_names_of_users():
    import builtins
    import types

    names: dict = {}
    exec("from cuttle import *", names)
    assert "Robot" in names and "mass_matrix" in names
    assert not [name for name in names if hasattr(builtins, name) and not name.startswith("__")]
    assert not [name for name, value in names.items() if isinstance(value, types.ModuleType)]
    assert set(cuttle.__all__) <= set(dir(cuttle))
    assert not {name for name in dir(cuttle) if name[0].isupper()} - set(cuttle.__all__) - {"OverflowError"}


def test_what_is_shown_at_a_prompt(pendulum):
    assert repr(pendulum.model) == "<Model pendulum: 1 link, nq 1, nv 1, nu 1>"
    mode = pendulum.modes()[0]
    assert repr(mode) == f"<Mode of {mode.frequency:.4g} Hz, damping ratio {mode.damping_ratio:.3g}>"
    assert repr(cuttle.Signal(2.0)) == "Signal(2)"
    assert repr(cuttle.Signal.sine(1, 2, 0, 0)) == "Signal.sine(1, 2, 0, 0)"
    assert repr(cuttle.Signal.points([0, 1], [2, 3])) == "Signal.points([2 numbers], [2 numbers])"
    assert "object at" not in repr([pendulum.model.links, pendulum.statics().equilibrium, pendulum.scenario(), pendulum.file])
    assert "object at" not in repr(pendulum.model.links[0].tip)


def test_scenarios_are_saved_and_runs_and_tables_are_data(pendulum, tmp_path):
    pandas = pytest.importorskip("pandas")
    (name,) = pendulum.inputs
    keys = {"inputs": {name: cuttle.Signal.sine(0.1, 1, 0, 0)}, "output_step": 0.05, "q": [0.4]}
    pendulum.scenario(0.5, **keys).save(tmp_path / "s.yaml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.yaml", "s_robot.yaml"]
    run = pendulum.simulate(0.5, **keys)
    np.testing.assert_array_equal(cuttle.simulate(tmp_path / "s.yaml").q, run.q)
    with pytest.raises(cuttle.FileError, match="replace=True"):
        pendulum.scenario(0.5).save(tmp_path / "s.yaml")
    pendulum.scenario(0.5).save(tmp_path / "s.yaml", replace=True)
    with pytest.raises(cuttle.ModelError, match=f"the signal of '{name}' in Python, which no file can say"):
        pendulum.scenario(0.5, inputs={name: lambda t: t}).save(tmp_path / "t.yaml")
    guess = pendulum.with_({"links.arm.joint.damping": 0.3}).scenario(0.5, **keys)
    table = pandas.DataFrame({"arm.joint.q0": run.q[:, 0]}, index=pandas.Index(run.time, name="time"))
    found = [cuttle.identify([guess, data], ["links.arm.joint.damping"])["parameters"][0]["value"]
             for data in (run, table, table.reset_index())]
    truth = pendulum.parameters()["links.arm.joint.damping"].value
    assert found == pytest.approx([truth] * 3, abs=1e-5)
    with pytest.raises(cuttle.ArgumentError, match=r"files\[1\]: found int, expected a path, a Robot"):
        cuttle.identify([guess, 3], ["links.arm.joint.damping"])
