#!/usr/bin/env python3
"""Contact beside other programs and beside robots without contact, in one run; prints the tables of docs/measurements.md.

  python3 -m venv build/ratios && build/ratios/bin/pip install pyelastica mujoco
  PYTHONPATH=build/python build/ratios/bin/python scripts/contact_ratios.py [friction] [snake] [block] [sites] [self]

All parts without names. What is timed is CPU time of one process, the least of some runs, without the first one, in which
others compile. PYTHONPATH: where the package cuttle is, if it is not installed beside the others.
"""

import contextlib
import io
import os
import sys
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # whose threads wait busily

import numpy as np

import cuttle

G = 9.80665
RADIUS, LENGTH = 0.025, 1.0  # of the rods whose friction is validated, of 1 kg


def least(function, repetitions=3):
    """(seconds of CPU, result of the last run)."""
    best = np.inf
    for _ in range(repetitions):
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):  # some print
            result = function()
        best = min(best, time.process_time() - begin)
    return best, result


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in (head, ["-" * w for w in widths], *rows):
        print("| " + " | ".join(str(cell).ljust(w) for cell, w in zip(row, widths)) + " |")
    print(flush=True)


# --- the four cases by which PyElastica validates friction: a rod of 50 elements that slides along, rolls, is turned, rolls down


class Case:
    """A rod on a plane. What it must end with: speed [m/s] and rate about its axis [rad/s], by Coulomb's law.

    friction: kinetic forward, backward, sideways; static ones are twice that. Force along the rod and torque about it.
    """

    def __init__(self, name, duration, friction, force=0.0, torque=0.0, speed=0.0, slope=0.0):
        self.name, self.duration, self.friction = name, duration, friction
        self.force, self.torque, self.speed, self.slope = force, torque, speed, slope
        inertia = 0.5 * RADIUS**2
        if force:
            self.end = ((force - friction[0] * G) * duration, 0.0)
        elif speed:  # it slides until it rolls
            self.end = (speed / (1 + inertia / RADIUS**2), speed / (1 + inertia / RADIUS**2) / RADIUS)
        else:  # it rolls from the start
            rolling = (torque / RADIUS + G * np.sin(slope)) / (1 + inertia / RADIUS**2) * duration
            self.end = (rolling, rolling / RADIUS)

    def error(self, speed, rate):
        return max(abs(speed - self.end[0]) / self.end[0], abs(rate - self.end[1]) * RADIUS / self.end[0])


CASES = [
    Case("pulled along, slides", 0.25, (0.4, 0.2, 0.2), force=9.0),
    Case("starts at 1 m/s, then rolls", 2.0, (0.2, 0.2, 0.2), speed=1.0),
    Case("turned by a torque, rolls", 1.0, (0.2, 0.2, 0.2), torque=0.05),
    Case("rolls down a slope of 18 degrees", 0.5, (0.2, 0.2, 0.2), slope=0.1 * np.pi),
]


def elastica_rod(case, step):
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Forcing, ea.Contact):
        pass

    simulator = Simulator()
    density = 1.0 / (LENGTH * np.pi * RADIUS**2)
    modulus = 1e5 if case.force else 1e9
    rod = ea.CosseratRod.straight_rod(50, np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]), LENGTH, RADIUS,
                                      density, youngs_modulus=modulus, shear_modulus=modulus / 1.5)
    rod.shear_matrix[:] = 1e4 * np.identity(3)[:, :, None]
    rod.velocity_collection[0] += case.speed
    simulator.append(rod)
    fall = G * np.array([np.sin(case.slope), -np.cos(case.slope), 0.0])
    simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=fall)
    if case.force:
        simulator.add_forcing_to(rod).using(ea.UniformForces, force=case.force, direction=np.array([0.0, 0.0, 1.0]))
    if case.torque:
        simulator.add_forcing_to(rod).using(ea.UniformTorques, torque=case.torque, direction=np.array([0.0, 0.0, -1.0]))
    plane = ea.Plane(plane_origin=np.array([0.0, -RADIUS, 0.0]), plane_normal=np.array([0.0, 1.0, 0.0]))
    simulator.append(plane)
    simulator.detect_contact_between(rod, plane).using(
        ea.RodPlaneContactWithAnisotropicFriction, k=10.0, nu=1e-4, slip_velocity_tol=1e-6 if case.speed else 1e-4,
        static_mu_array=2 * np.array(case.friction), kinetic_mu_array=np.array(case.friction))
    simulator.finalize()
    ea.integrate(ea.PositionVerlet(), simulator, case.duration, int(round(case.duration / step)), progress_bar=False)
    along = rod.velocity_collection.mean(axis=1)
    turning = np.einsum("jin,jn->in", rod.director_collection, rod.omega_collection).mean(axis=1)
    return case.error(along[2] if case.force else along[0], abs(turning[2]))


def cuttle_rod(case, step):
    """With bending in both directions and twist, of the same stiffness, on ten pieces."""
    density = 1.0 / (LENGTH * np.pi * RADIUS**2)
    modulus = 1e5 if case.force else 1e9
    forward, backward, sideways = case.friction
    loads = []
    if case.force:
        loads = [{"type": "distributed", "link": "rod", "force": [0, case.force / LENGTH, 0]}]
    if case.torque:
        loads = [{"type": "distributed", "link": "rod", "torque": [0, case.torque / LENGTH, 0]}]
    robot = cuttle.Robot.from_dict({
        "cuttle": 1,
        "base": {"motion": "floating", "pose": {"position": [0, 0, RADIUS], "rpy": [-np.pi / 2, 0, 0]}},
        "gravity": [G * np.sin(case.slope), 0, -G * np.cos(case.slope)],
        "materials": {"m": {"density": density, "young_modulus": modulus, "poisson_ratio": 0.5, "damping_time": 1e-4}},
        "links": [{"name": "rod", "body": {
            "type": "rod", "length": LENGTH, "section": {"shape": "circle", "radius": RADIUS}, "material": "m",
            "strain": {"kappa_x": "constant", "kappa_y": "constant", "kappa_z": "constant"}, "quadrature": {"points": 10}}}],
        "loads": loads,
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "rod", "b": "ground", "modulus": 1e6, "friction": {
            "kinetic": sideways, "static": 2 * sideways, "forward": forward, "backward": backward, "sideways": sideways}}]})
    v = np.zeros(robot.nv)
    v[3] = case.speed
    run = robot.simulate(duration=case.duration, output_step=case.duration, v=v,
                         integrator={"type": "generalized_alpha", "step": step, "rho_inf": 0.6})
    middle = run.frame("rod.base")
    speed = middle.velocity[-1]
    return case.error(speed[1] if case.force else speed[0], abs(middle.angular_velocity[-1][1]))


def cheapest(run, case, steps, wanted):
    """Of the steps with an error below `wanted` the one that takes the least time: (step, seconds, error)."""
    with contextlib.redirect_stdout(io.StringIO()):
        run(case, steps[0])  # compiles
    found = []
    for step in steps:
        seconds, error = least(lambda: run(case, step), 1)
        if error < wanted:
            found.append((seconds, step))
    if not found:
        return steps[-1], seconds, error
    seconds, error = least(lambda: run(case, min(found)[1]), 2)
    return min(found)[1], seconds, error


def friction():
    wanted, rows = 0.01, []
    print(f"Friction of a rod, 50 elements in PyElastica, at the fastest step with an error of its speeds below {wanted:.0%}:\n")
    for case in CASES:
        theirs = cheapest(elastica_rod, case, [1e-5, 5e-6], wanted)
        ours = cheapest(cuttle_rod, case, [2e-2, 1e-2, 5e-3, 2e-3, 1e-3], wanted)
        cells = [f"{step:g} s, {100 * error:.2g} %, {1e3 * seconds:.3g} ms" for step, seconds, error in (theirs, ours)]
        rows.append([case.name, *cells, f"{theirs[1] / ours[1]:.3g}"])
    table(["case", "PyElastica: step, error, time", "Cuttle", "ratio"], rows)


# --- a snake with the same friction in all directions

# damping [1/s]: of velocities and spins in the world, as both programs have it. PyElastica's `damping_constant` is none: it
# brakes spins by 1e5 times as much, and that brake alone drives such a snake.
SNAKE = {"length": 0.35, "radius": 0.00385, "period": 2.0, "moment": 3.5e-3, "periods": 6, "damping": 6.0}


def mean_speed(time_, center):
    """Of the way over the last three periods [m/s]."""
    begin = SNAKE["period"] * (SNAKE["periods"] - 3)
    at = [np.array([np.interp(t, time_, center[:, i]) for i in range(3)]) for t in (begin, SNAKE["period"] * SNAKE["periods"])]
    return np.linalg.norm(at[1] - at[0]) / (3 * SNAKE["period"])


def snake_friction():
    return SNAKE["length"] / (SNAKE["period"] ** 2 * G * 0.1)


def elastica_snake(step, elements=50):
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Forcing, ea.Contact, ea.CallBacks, ea.Damping):
        pass

    class Wave(ea.MuscleTorques):  # the same all along
        def __init__(self, **keys):
            super().__init__(b_coeff=np.zeros(0), **keys)
            self.my_spline = self.my_spline * SNAKE["moment"]

    seen = {"time": [], "center": []}

    class See(ea.CallBackBaseClass):
        def make_callback(self, system, time, current_step):
            if current_step % int(round(0.02 / step)) == 0:
                seen["time"].append(time)
                seen["center"].append(system.compute_position_center_of_mass())

    simulator = Simulator()
    normal = np.array([0.0, 1.0, 0.0])
    rod = ea.CosseratRod.straight_rod(elements, np.zeros(3), np.array([0.0, 0.0, 1.0]), normal, SNAKE["length"],
                                      SNAKE["radius"], 1000.0, youngs_modulus=1e6, shear_modulus=1e6 / 1.5)
    simulator.append(rod)
    simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=-G * normal)
    simulator.add_forcing_to(rod).using(
        Wave, base_length=SNAKE["length"], period=SNAKE["period"], wave_number=2 * np.pi, phase_shift=0.0,
        rest_lengths=rod.rest_lengths, ramp_up_time=SNAKE["period"], direction=normal)
    plane = ea.Plane(plane_origin=-SNAKE["radius"] * normal, plane_normal=normal)
    simulator.append(plane)
    simulator.detect_contact_between(rod, plane).using(
        ea.RodPlaneContactWithAnisotropicFriction, k=1.0, nu=1e-6, slip_velocity_tol=1e-8, static_mu_array=np.zeros(3),
        kinetic_mu_array=np.full(3, snake_friction()))
    simulator.dampen(rod).using(ea.AnalyticalLinearDamper, uniform_damping_constant=SNAKE["damping"], time_step=step)
    simulator.collect_diagnostics(rod).using(See)
    simulator.finalize()
    duration = SNAKE["period"] * SNAKE["periods"]
    ea.integrate(ea.PositionVerlet(), simulator, duration, int(round(duration / step)), progress_bar=False)
    return mean_speed(np.array(seen["time"]), np.array(seen["center"]))


def cuttle_snake(step, order=7, points=20):
    """The moment of the wave on each coordinate of the curvature, Legendre polynomials, is an integral along the rod."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    s, weights = 0.5 * (1 + nodes), 0.5 * weights  # coordinates are curvatures times the length
    shapes = np.array([np.polynomial.legendre.Legendre.basis(k)(2 * s - 1) for k in range(order + 1)])
    wave = 2 * np.pi * (1 - s)  # from tip to base, as there
    # sin(w t - wave) = sin(w t) cos(wave) - cos(w t) sin(wave)
    matrix = np.stack([(shapes * np.cos(wave)) @ weights, -(shapes * np.sin(wave)) @ weights], axis=1)
    places = np.polynomial.legendre.leggauss(10)  # whose mean is the center of mass
    robot = cuttle.Robot.from_dict({
        "cuttle": 1,
        "base": {"motion": "floating", "pose": {"position": [0, 0, SNAKE["radius"]], "rpy": [0, np.pi / 2, 0]}},
        "markers": [{"name": f"m{k}", "link": "rod", "at": {"s": 0.5 * (1 + x) * SNAKE["length"]}} for k, x in enumerate(places[0])],
        "gravity": [0, 0, -G],
        "materials": {"m": {"density": 1000, "young_modulus": 1e6, "poisson_ratio": 0.5, "damping_time": 1e-4}},
        "links": [{"name": "rod", "body": {
            "type": "rod", "length": SNAKE["length"], "section": {"shape": "circle", "radius": SNAKE["radius"]},
            "material": "m", "strain": {"kappa_x": {"basis": "legendre", "order": order}}, "quadrature": {"points": points}}}],
        "actuators": [{"name": "muscles", "type": "linear", "links": ["rod"], "matrix": matrix.tolist()}],
        "loads": [{"type": "mass_damping", "link": "rod", "rate": SNAKE["damping"]}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "belly", "a": "rod", "b": "ground", "friction": snake_friction(), "modulus": 2e5}]})
    duration, rate = SNAKE["period"] * SNAKE["periods"], 2 * np.pi / SNAKE["period"]

    def ramped(wave):
        return lambda t: SNAKE["moment"] * min(1.0, t / SNAKE["period"]) * wave(rate * t)

    times = np.linspace(0, duration, int(duration / 0.02) + 1)
    inputs = {f"muscles.{i}": (times, [ramped(f)(t) for t in times]) for i, f in enumerate((np.sin, np.cos))}
    run = robot.simulate(duration=duration, output_step=0.02, inputs=inputs,
                         integrator={"type": "generalized_alpha", "step": step})
    center = sum(0.5 * w * run.frame(f"m{k}").position for k, w in enumerate(places[1]))
    return mean_speed(run.time, center)


def snake():
    rows = []
    least(lambda: elastica_snake(1e-4), 1)  # compiles
    for name, run, settings in (
        ("PyElastica, 50 elements, step 1e-4 s", elastica_snake, [1e-4]),
        ("PyElastica, 50 elements, step 5e-5 s", elastica_snake, [5e-5]),
        ("PyElastica, 100 elements, step 5e-5 s", elastica_snake, [5e-5, 100]),
        ("Cuttle, 8 coordinates of curvature, 20 points, step 1e-2 s", cuttle_snake, [1e-2]),
        ("Cuttle, step 5e-3 s", cuttle_snake, [5e-3]),
        ("Cuttle, 12 coordinates, 60 points, step 2.5e-3 s", cuttle_snake, [2.5e-3, 11, 60]),
    ):
        seconds, speed = least(lambda: run(*settings), 2)
        rows.append((name, seconds, speed))
    print("A snake whose friction is the same in all directions, 12 s:\n")
    table(["", "time", "mean speed", "speed over the first", "times as fast"],
          [[n, f"{1e3 * s:.4g} ms", f"{1e3 * v:.4g} mm/s", f"{v / rows[0][2]:.4f}", f"{rows[0][1] / s:.3g}"] for n, s, v in rows])


# --- a block held by friction on a slope of 20 degrees


def block():
    import mujoco

    slope, size, mass, friction_, duration = np.radians(20), 0.1, 0.5, 0.5, 10.0
    rows = []

    def theirs(step, options):
        model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="{step}" gravity="{G * np.sin(slope)} 0
          {-G * np.cos(slope)}" {options}/><worldbody><geom type="plane" size="5 5 1" friction="{friction_} 0 0"/>
          <body pos="0 0 {size / 2}"><freejoint/><geom type="box" size="{size / 2} {size / 2} {size / 2}" mass="{mass}"
          friction="{friction_} 0 0"/></body></worldbody></mujoco>""")
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, int(1 / step))
        settled = data.qpos[0]
        mujoco.mj_step(model, data, int(duration / step))
        return data.qpos[0] - settled

    inertia = mass * size**2 / 6
    robot = cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [G * np.sin(slope), 0, -G * np.cos(slope)],
        "links": [{"name": "block", "joint": {"type": "free"}, "attach": {"pose": {"position": [0, 0, size / 2]}},
                   "body": {"type": "rigid", "mass": mass, "inertia": [inertia] * 3 + [0, 0, 0]},
                   "contact": {"shape": "box", "size": [size] * 3}}],
        "obstacles": [{"name": "plane", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "block", "b": "plane", "friction": friction_, "modulus": 1e7, "dissipation": 20}]})

    def ours(step):
        run = robot.simulate(duration=1 + duration, output_step=1, integrator={"type": "generalized_alpha", "step": step})
        return run.q[-1, 0] - run.q[1, 0]

    for name, run in (
        ("MuJoCo, step 2 ms", lambda: theirs(2e-3, "")),
        ("MuJoCo, elliptic cone, impratio 100, step 2 ms", lambda: theirs(2e-3, 'cone="elliptic" impratio="100"')),
        ("Cuttle, step 2 ms", lambda: ours(2e-3)),
        ("Cuttle, step 10 ms", lambda: ours(1e-2)),
    ):
        seconds, creep = least(run)
        rows.append([name, f"{1e6 * creep:.3g} um", f"{1e3 * seconds / (1 + duration):.3g} ms"])
    print(f"A block of {mass} kg held by friction {friction_} on a slope of 20 degrees; one second to settle, then 10 s:\n")
    table(["", "creep in 10 s", "time for a simulated second"], rows)


# --- what a site costs


def plate(count):
    """A rigid plate on `count` balls."""
    side = int(np.ceil(np.sqrt(count)))
    places = [[0.02 * (k % side) - 0.01 * side, 0.02 * (k // side) - 0.01 * side, 0] for k in range(count)]
    return cuttle.Robot.from_dict({
        "cuttle": 1,
        "links": [{"name": "plate", "joint": {"type": "free"}, "attach": {"pose": {"position": [0, 0, 0.005]}},
                   "body": {"type": "rigid", "mass": 0.1 * count, "inertia": [0.01 * count] * 3 + [0, 0, 0]},
                   "contact": [{"shape": "sphere", "radius": 0.005, "pose": {"position": p}} for p in places]}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "floor", "a": "plate", "b": "ground", "modulus": 1e6, "friction": 0.5, "record": "sites"}]})


def chain(count, touches=True):
    """30 hinges with springs, whose links lie on `count` balls."""
    links, each = [], [len(part) for part in np.array_split(np.arange(count), 30)]
    for i in range(30):
        links.append({
            "name": f"l{i}", "joint": {"type": "revolute", "axis": [0, 0, 1] if i % 2 else [0, 1, 0], "stiffness": 1, "damping": 0.01},
            "attach": {} if i else {"pose": {"position": [0, 0, 0.005]}},
            "body": {"type": "rigid", "mass": 0.05, "com": [0.02, 0, 0], "inertia": [1e-5] * 3 + [0, 0, 0],
                     "tip": {"position": [0.04, 0, 0]}},
            "contact": [{"shape": "sphere", "radius": 0.005, "pose": {"position": [0.04 * (k + 0.5) / each[i], 0, 0]}}
                        for k in range(each[i])]})
    for link in links:
        if not link["contact"] or not touches:
            del link["contact"]
    keys = {"cuttle": 1, "links": links}
    if touches:
        keys |= {"obstacles": [{"name": "ground", "shape": "plane"}],
                 "contacts": [{"name": "floor", "a": [link["name"] for link in links if "contact" in link], "b": "ground",
                               "modulus": 1e6, "friction": 0.5, "record": "sites"}]}
    return cuttle.Robot.from_dict(keys)


def rod(pieces, touches=True, itself=None):
    """A rod of 30 coordinates, held at one end, that lies on the ground with `pieces` pieces.

    itself: the friction with which it may touch itself instead.
    """
    keys = {
        "cuttle": 1, "base": {"pose": {"position": [0, 0, 0.005], "rpy": [0, np.pi / 2, 0]}},
        "materials": {"rubber": {"density": 1100, "young_modulus": 1e6, "poisson_ratio": 0.5, "damping_time": 0.01}},
        "links": [{"name": "rod", "body": {
            "type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.005}, "material": "rubber",
            "strain": {"kappa_x": {"basis": "legendre", "order": 14}, "kappa_y": {"basis": "legendre", "order": 14}},
            "quadrature": {"points": pieces - 1}}}]}
    if touches:
        keys |= {"obstacles": [{"name": "ground", "shape": "plane"}],
                 "contacts": [{"name": "floor", "a": "rod", "b": "ground", "friction": 0.5, "record": "sites"}]}
    if itself is not None:
        keys["contacts"] = [{"name": "own", "a": "rod", "b": "self", "friction": itself}]
    return cuttle.Robot.from_dict(keys)


def step_time(robot, steps, v, integrator, step):
    """(seconds a step, evaluations a step, sites that press at the end), behind as many steps: the start is no step."""
    def run(count):
        return robot.simulate(duration=count * step, output_step=count * step, v=v, integrator={"type": integrator, "step": step})

    (first, begun), (seconds, result) = least(lambda: run(steps)), least(lambda: run(2 * steps))
    seen = result.contacts.get("floor/sites")
    evaluations = result.statistics["evaluations"] - begun.statistics["evaluations"]
    return (seconds - first) / steps, evaluations / steps, 0 if seen is None else int((seen.state[-1] > 0).sum())


def beside(title, head, rows):
    """Times a step, over that of the first row."""
    print(f"{title}:\n")
    table([head, "sites that press", "evaluations a step", "a step", "over that without"],
          [[name, pressing, f"{evaluations:.3g}", f"{1e6 * seconds:.4g} us", f"{seconds / rows[0][1][0]:.3g}"]
           for name, (seconds, evaluations, pressing) in rows])


def sites():
    for integrator, step in (("generalized_alpha", 1e-3), ("rk4", 1e-4)):
        counts = [10, 30, 100, 300, 1000]
        found = [step_time(plate(n), max(20, 4000 // n), [0, 0, 0, 0.1, 0, 0], integrator, step) for n in counts]
        print(f"A plate that slides on balls, {integrator}:\n")
        table(["balls", "a step", "evaluations a step", "an evaluation and ball"],
              [[n, f"{1e6 * t:.4g} us", f"{e:.3g}", f"{1e6 * t / e / n:.3g} us"] for n, (t, e, _) in zip(counts, found)])
        v = np.zeros(30)
        v[1] = 0.02
        beside(f"A chain of 30 hinges that lies on balls, {integrator}", "balls",
               [("none", step_time(chain(50, False), 200, v, integrator, step)),
                *((n, step_time(chain(n), 200, v, integrator, step)) for n in (30, 50, 100))])
        if integrator == "rk4":
            continue  # such a rod wants implicit steps
        v = np.zeros(30)
        v[0] = 0.5
        for pieces in (30, 50, 100):
            beside(f"A rod of 30 coordinates with {pieces} pieces on the ground, {integrator}", "contact",
                   [("none", step_time(rod(pieces, False), 50, v, integrator, step)),
                    ("ground", step_time(rod(pieces), 50, v, integrator, step))])


def self_contact():
    v = np.zeros(30)
    v[0], v[17] = 0.5, 0.3
    beside("A rod of 30 coordinates and 100 pieces that swings and may touch itself, generalized_alpha", "contact",
           [(name, step_time(rod(100, False, itself), 1000, v, "generalized_alpha", 1e-3))
            for name, itself in (("none", None), ("without friction", 0.0), ("with friction", 0.5))])


if __name__ == "__main__":
    parts = {"friction": friction, "snake": snake, "block": block, "sites": sites, "self": self_contact}
    warnings.simplefilter("ignore")  # theirs, of names that will go
    for name in sys.argv[1:] or parts:
        if name not in parts:
            sys.exit(f"contact_ratios.py: found '{name}', expected one of {', '.join(parts)}")
        parts[name]()
