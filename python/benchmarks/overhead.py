"""What Python costs beside C++: one call of inverse dynamics, a roll-out of a batch, a law of control, the import.

    PYTHONPATH=build/python build/python-env/bin/python python/benchmarks/overhead.py
"""

import subprocess
import sys
import time

import numpy as np

import cuttle
from cuttle import _core


def seconds_of(call, count, repeats=15):
    """The least of several means: what other programs on the machine do to the others says nothing."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - begin) / count)
    return best


def rigid_arm():
    """The six joints of the hybrid arm, without its soft rods."""
    text = cuttle.load(cuttle.example("pustina2025/hybrid_arm"))
    soft = [link.name for link in text.model.links if link.body_type == "rod"]
    import yaml

    keys = yaml.safe_load(text.to_yaml())
    first = next(i for i, link in enumerate(keys["links"]) if link["name"] in soft)
    kept = {"name": "rigid_arm", "links": keys["links"][:first]}
    return cuttle.Robot.from_dict(kept)


def main():
    arm = rigid_arm()
    generator = np.random.default_rng(1)
    q, v, a = generator.uniform(-1, 1, (3, arm.nv))
    model, data = arm.model, cuttle.Data(arm.model)
    call = cuttle.inverse_dynamics
    python = seconds_of(lambda: call(model, data, q, v, a), 20000) - seconds_of(lambda: None, 20000)
    alone = min(_core._seconds_of_inverse_dynamics(model, data, q, v, a, 20000) for _ in range(15))
    print(f"inverse dynamics of {arm.nv} joints: C++ {1e6 * alone:.2f} us, Python {1e6 * python:.2f} us, "
          f"difference {1e6 * (python - alone):.2f} us")

    robots = 1024
    batch = cuttle.Batch(model, robots)
    starts, speeds = generator.uniform(-1, 1, (2, robots, arm.nv))
    shares = []
    for _ in range(7):
        begin = time.perf_counter()
        end = batch.rollout(starts, speeds, duration=0.2, step=1e-3)
        end.q, end.v
        whole = time.perf_counter() - begin
        shares.append((whole - end.wall_seconds) / end.wall_seconds)
    print(f"roll-out of {robots} robots, 200 steps: {end.wall_seconds:.3f} s, of which Python adds {100 * min(shares):.3f} %")

    link = {"name": "arm", "joint": {"type": "revolute", "axis": [0, 1, 0]},
            "body": {"type": "rigid", "mass": 1, "com": [0, 0, -0.2], "inertia": [0.02, 0.02, 1e-3, 0, 0, 0]}}
    motor = {"name": "motor", "type": "joint", "link": "arm"}
    moved = cuttle.Robot.from_dict({"links": [link], "actuators": [motor]})
    keys = {"duration": 2.0, "integrator": {"type": "rk4", "step": 1e-3}, "output_step": 1.0}
    zeros = np.zeros(1)
    law = cuttle.Controller(lambda t, q, v: zeros, rate=1000)
    without = seconds_of(lambda: moved.simulate(**keys), 1, 5)
    with_law = seconds_of(lambda: moved.simulate(controllers=[law], **keys), 1, 5)
    print(f"a controller in Python: {1e6 * (with_law - without) / 2000:.1f} us a sample")

    code = "import time; t = time.perf_counter(); import cuttle; print(time.perf_counter() - t)"
    run = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(7)]
    code = code.replace("import cuttle", "import numpy")
    numpy = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(7)]
    print(f"import cuttle: {1e3 * min(run):.0f} ms, of which numpy {1e3 * min(numpy):.0f} ms")


if __name__ == "__main__":
    main()
