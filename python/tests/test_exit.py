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

def start(work):
    threading.Thread(target=work, daemon=True).start()
"""
WORK = {
    "a run": "start(lambda: pendulum.simulate(duration=1e6, progress=slow))",
    "a run alone": "start(lambda: (begun.set(), pendulum.simulate(duration=1e6))); time.sleep(0.2)",
    "a law": "start(lambda: pendulum.simulate(duration=1e3, controllers=[cuttle.Controller(law, rate=900)]))",
    "a signal": "start(lambda: pendulum.simulate(duration=1e6, inputs={'motor': torque}))",
    "an element": "robot = element(); start(lambda: robot.simulate(duration=1e6, integrator={'type': 'rk4', 'step': 1e-3}))",
    "an element in a batch": "robot = element(); q = np.zeros((8, 1)); batch = cuttle.Batch(robot.model, 8); "
                             "start(lambda: batch.rollout(q, q, duration=1e6, step=1e-2))",
    "a batch": "q = np.zeros((8, 1)); batch = cuttle.Batch(pendulum.model, 8); "
               "start(lambda: (begun.set(), batch.rollout(q, q, duration=1e4, step=1e-4))); time.sleep(0.2)",
    "roll-outs": "start(lambda: (begun.set(), pendulum.rollouts(np.zeros((8, 1)), duration=1e4, step=1e-4))); time.sleep(0.2)",
    "many": "[start(lambda: pendulum.simulate(duration=1e3, controllers=[cuttle.Controller(law, rate=900)])) for _ in range(4)]",
}


@pytest.mark.parametrize("end, code", [("", 0), ("raise SystemExit(7)", 7)])
@pytest.mark.parametrize("name", WORK)
def test_python_ends_while_a_daemon_thread_computes(name, end, code):
    program = f"{HEAD}\n{WORK[name]}\nassert begun.wait(60)\n{end}\n"
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (code, "")
