"""Python ends with its own exit code whatever daemon threads compute then."""

import subprocess
import sys

import pytest

HEAD = """
import threading, time
import numpy as np
import cuttle

begun = threading.Event()
pendulum = cuttle.load(cuttle.example("pendulum"))

def law(time, q, v):
    begun.set()
    return [sum(0.0 * i for i in range(20000))]

def torque(time):
    return law(time, None, None)[0]

def slow(*arguments):
    begun.set()
    time.sleep(0.002)

def element():
    push = cuttle.Element("push", lambda time, y, rate: np.array(law(0, y, rate)) - y, coordinates=["arm"], derivatives="differences")
    body = {"type": "rigid", "mass": 1, "com": [0, 0, -0.5], "inertia": [1, 1, 1, 0, 0, 0]}
    return cuttle.Robot.from_dict({"links": [{"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": body}],
                                   "elements": [push]})

def solve():
    arm = cuttle.load(cuttle.example("tendon_arm"))
    frame = arm.model.frame("lower.tip")
    solver = cuttle.InverseKinematics(arm.model, [cuttle.FrameTarget.at_position(frame, [0.05, 0.02, -0.3])])
    while True:
        solver.solve(arm.neutral() + 0.1)
        begun.set()

def start(work):
    threading.Thread(target=work, daemon=True).start()

def wait_for_work():
    begun_at = time.process_time()
    while time.process_time() < begun_at + 0.2:  # of this process; here it sleeps
        time.sleep(0.01)
    begun.set()
"""
WORK = {
    "a run": "start(lambda: pendulum.simulate(duration=1e6, progress=slow))",
    "a run alone": "start(lambda: pendulum.simulate(duration=1e6)); wait_for_work()",
    "a law": "start(lambda: pendulum.simulate(duration=1e3, controllers=[cuttle.Controller(law, rate=900)]))",
    "a signal": "start(lambda: pendulum.simulate(duration=1e6, inputs={'motor': torque}))",
    "an element": "robot = element(); start(lambda: robot.simulate(duration=1e6, integrator={'type': 'rk4', 'step': 1e-3}))",
    "an element in a batch": "robot = element(); q = np.zeros((8, 1)); batch = cuttle.Batch(robot.model, 8); "
                             "start(lambda: batch.rollout(q, q, duration=1e6, step=1e-2))",
    "a batch": "q = np.zeros((8, 1)); batch = cuttle.Batch(pendulum.model, 8); "
               "start(lambda: batch.rollout(q, q, duration=1e4, step=1e-4)); wait_for_work()",
    "roll-outs": "start(lambda: pendulum.rollouts(np.zeros((8, 1)), duration=1e4, step=1e-4)); wait_for_work()",
    "inverse kinematics": "start(solve)",
    "many": "[start(lambda: pendulum.simulate(duration=1e3, controllers=[cuttle.Controller(law, rate=900)])) for _ in range(4)]",
}


@pytest.mark.parametrize("end, code", [("", 0), ("raise SystemExit(7)", 7)])
@pytest.mark.parametrize("name", WORK)
def test_python_ends_while_a_daemon_thread_computes(name, end, code):
    program = f"{HEAD}\n{WORK[name]}\nassert begun.wait(60)\n{end}\n"
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (code, "")
