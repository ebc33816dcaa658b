"""What Python costs beside C++: one call of inverse dynamics, a roll-out of a batch, a law of control, bodies, elements and
references that are functions, the import.

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


LENGTH = 0.15
LVP = {"type": "lvp", "primitives": [{"type": "stretch", "modes": [[0, 1], [0, 0, 1]]},
                                     {"type": "shear", "axis": "x", "modes": [[0, 0, 1]]}, {"type": "twist", "modes": [[0, 1]]}]}


def lvp_position(q, x):
    """What LVP does; some thirty operations."""
    s = x[:, 2] / LENGTH
    slimmer = np.sqrt(1 + (q[0] + 2 * q[1] * s) / LENGTH)
    z = x[:, 2] + q[0] * s + q[1] * s**2
    across, y = x[:, 0] / slimmer + q[2] * (z / LENGTH) ** 2, x[:, 1] / slimmer
    angle = q[3] * z / LENGTH
    return across * np.cos(angle) - y * np.sin(angle), across * np.sin(angle) + y * np.cos(angle), z


def finger(kinematics, points):
    volume = {"type": "volume", "material": "rubber", "shape": {"type": "cylinder", "length": LENGTH, "radius": 0.02},
              "points": points, "kinematics": kinematics}
    rubber = {"density": 1070, "model": "neo_hookean", "c1": 8e4, "damping_time": 0.01}
    return cuttle.Robot.from_dict({"materials": {"rubber": rubber}, "links": [{"name": "finger", "body": volume}]})


def own_parts(moved, link):
    """Bodies, elements and references that are functions."""
    own = cuttle.FunctionKinematics(lvp_position, [("a", "m"), ("b", "m"), ("c", "m"), "d"], keeps_volume=True)
    q, v, a = np.array([0.01, -0.012, 0.02, 0.5]), np.array([0.1, 0.2, -0.1, 1.0]), np.ones(4)
    for points in ([4, 2, 4], [10, 3, 8]):
        times = []
        for robot in (finger(LVP, points), finger(own, points)):
            derivatives = cuttle.DerivativeData(robot.model)
            exact = cuttle.inverse_dynamics_derivatives
            times.append(seconds_of(lambda: robot.inverse_dynamics(q, v, a), 50))
            times.append(seconds_of(lambda: exact(robot.model, robot.data, derivatives, q, v, a), 10))
        print(f"a volume of {np.prod(points)} points, 4 coordinates: inverse dynamics {1e6 * times[0]:.0f} us in C++, "
              f"{1e3 * times[2]:.2f} ms by a function; derivatives {1e6 * times[1]:.0f} us, {1e3 * times[3]:.2f} ms")
    with_law = cuttle.Robot.from_dict(
        {"links": [link], "elements": [cuttle.Element("e", lambda t, y, rate: -3 * y - 0.1 * rate, coordinates=["arm"])]}
    )
    alone = cuttle.Robot.from_dict({"links": [link]})
    explicit = {"duration": 2.0, "integrator": {"type": "rk4", "step": 1e-3}, "output_step": 1.0}
    extra = seconds_of(lambda: with_law.simulate(**explicit), 1, 5) - seconds_of(lambda: alone.simulate(**explicit), 1, 5)
    print(f"an element in Python: {1e6 * extra / 8000:.1f} us an evaluation")
    implicit = {**explicit, "integrator": {"type": "generalized_alpha", "step": 1e-3}}
    extra = seconds_of(lambda: with_law.simulate(**implicit), 1, 5) - seconds_of(lambda: alone.simulate(**implicit), 1, 5)
    print(f"the same in generalized_alpha: {1e6 * extra / 2000:.0f} us a step")
    law = {"name": "c", "type": "computed_torque", "kp": 100, "kd": 20, "rate": 1000}
    followed = [seconds_of(lambda: moved.simulate(controllers=[{**law, "reference": [reference]}], **explicit), 1, 5)
                for reference in (cuttle.Signal.sine(0.3, 0.5), lambda t: 0.3 * np.sin(np.pi * t))]
    print(f"a reference in Python: {1e6 * (followed[1] - followed[0]) / 2000:.0f} us a sample, with both derivatives")


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

    own_parts(moved, link)

    code = "import time; t = time.perf_counter(); import cuttle; print(time.perf_counter() - t)"
    run = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(7)]
    code = code.replace("import cuttle", "import numpy")
    numpy = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(7)]
    print(f"import cuttle: {1e3 * min(run):.0f} ms, of which numpy {1e3 * min(numpy):.0f} ms")


if __name__ == "__main__":
    main()
