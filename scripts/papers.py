#!/usr/bin/env python3
"""Runs what docs/papers.md says of the figures and tables of the four papers: prints for each what the paper has and what is found
here, as tables (valid Markdown).

  scripts/papers.py [TOOL] [--only P7,B1]             default build/cuttle and all; in the directory of the README
  scripts/papers.py [TOOL] --write docs/papers.md     puts the tables between the marks of the file
  scripts/papers.py [TOOL] --figures docs/images/papers     draws its figures

All of it takes minutes. "-" stands where the paper's number is lost with its picture or was never printed. Closed forms and
Lagrange's equations are written down here anew; nothing of them is the library's. Needs python3-h5py, python3-numpy and
python3-scipy.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: threads for matrices of six rows only wait for each other

import h5py  # noqa: E402
import numpy  # noqa: E402
from scipy.linalg import expm  # noqa: E402
from scipy.signal import find_peaks  # noqa: E402

TABLES = {}  # by the name of the mark: a function that gives rows (quantity, paper, here)
TOOL, FOLDER = "build/cuttle", ""
RESULTS, SECONDS = {}, {}  # path of a result by scenario and settings; CPU time that it took [s]


def table(name):
    def register(function):
        TABLES[name] = function
        return function

    return register


def tool(*words, may_fail=False):
    """Standard output; a failure ends the script with what the tool said."""
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"papers.py: {TOOL} {' '.join(words)}\n{done.stderr}")
    return done.stdout


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def text(value):
    return value.decode() if isinstance(value, bytes) else value


class Run:
    """A result, by names."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.time = file["time"][:]
            self.q, self.u = file["q"][:], file["u"][:]
            self.columns = {}
            for name in ("q", "u"):
                for k, column in enumerate(file[name].attrs["names"]):
                    self.columns[text(column)] = file[name][:, k]
            self.frames = {name: item[:] for name, item in file["frames"].items()}
            self.energy = {name: item[:].ravel() for name, item in file["energy"].items()}
            self.loops = {name: {key: value[:] for key, value in item.items()} for name, item in file.get("loops", {}).items()}
            self.controllers = {name: {key: value[:] for key, value in item.items()}
                                for name, item in file.get("controllers", {}).items()}
            self.facts = dict(file["statistics"].attrs)
            self.status, self.message = text(file.attrs["status"]), text(file.attrs["message"])
        self.seconds = SECONDS[path]

    def tip(self, link):
        return self.frames[f"{link}.tip"][:, :3]

    def pointing(self, link):
        """z axis of a link's tip in the world."""
        w, x, y, z = self.frames[f"{link}.tip"][:, 3:].T
        return numpy.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)

    def at(self, moment):
        return int(numpy.argmin(abs(self.time - moment)))

    def settled(self, link, distance):
        """From this time on the tip stays within the distance of where it ends [s]."""
        away = numpy.linalg.norm(self.tip(link) - self.tip(link)[-1], axis=1) > distance
        return self.time[min(numpy.flatnonzero(away)[-1] + 1, len(away) - 1)] if away.any() else 0.0

    def energy_error(self):
        """|E - E(0) - work| over the peak kinetic energy."""
        total = sum(self.energy.get(name, 0.0) for name in ("kinetic", "gravity", "elastic", "elements"))
        work = self.energy["input"] + self.energy["load"] - self.energy["dissipated"]
        return numpy.max(abs(total - total[0] - work)) / numpy.max(self.energy["kinetic"])


def path_of(scenario, *settings, may_fail=False):
    """The result of a scenario, simulated once; of a run that failed, if it may, what it had."""
    key = (scenario,) + settings
    if key not in RESULTS:
        path = os.path.join(FOLDER, f"{len(RESULTS)}_{os.path.basename(scenario)}.h5")
        words = ["simulate", f"models/{scenario}_scenario.yaml", "-o", path]
        for setting in settings:
            words += ["--set", setting]
        before = cpu_seconds()
        tool(*words, may_fail=may_fail)
        SECONDS[path] = cpu_seconds() - before
        RESULTS[key] = path
    return RESULTS[key]


def run(scenario, *settings, may_fail=False):
    return Run(path_of(scenario, *settings, may_fail=may_fail))


def numbers(values, digits=3):
    return "(" + ", ".join(f"{value:.{digits}f}".replace("-0." + "0" * digits, "0." + "0" * digits) for value in values) + ")"


def speed(result):
    """CPU time of the whole command, files included."""
    return f"{result.seconds:.2g} s for {result.time[-1]:g} s"


# --- [P] -------------------------------------------------------------------------------------------------------------------


@table("toy")
def toy_example():
    def printed(q, rate, acceleration):
        """Algorithm 1 with F*, T*, pi* and the projectors as they are printed; the body is clamped."""
        c, s, v2, a, pi = math.cos(q), math.sin(q), rate**2, acceleration, math.pi
        force_x = pi * (a * q**2 * (1 - c) + 2 * q * s * (a - v2) + 6 * v2 * s - 4 * v2 * q) / q**4
        force_z = pi * (v2 * (q**2 + 6 * c - 6) + q * s * (2 * v2 - a * q) - 2 * a * q * c) / q**4
        torque = pi / (2 * q**5) * (a * q * (6 - q**2 - 6 * c - 2 * q * s) + v2 * (-16 + 4 * q**2 + 16 * c + 4 * q * s))
        local = pi / (6 * q**6) * (18 * a * q**2 - a * q**4 + 60 * v2 * s - 24 * a * q * s + 6 * a * q**2 * c - 12 * v2 * q * c
                                   - 48 * v2 * q + 4 * v2 * q**3)
        return -local - ((c - 1) / q**2 * force_x + (q - s) / q**2 * force_z) + torque

    rows = []
    for q in (1.0, 0.01):
        found = json.loads(tool("eval", "models/pustina2025/toy_example.yaml", "--q", f"[{-q}]"))["mass_matrix"][0][0]
        q2 = q * q
        right = math.pi * (1 / 12 + 1 / (3 * q2) + (2 + 2 * math.cos(q)) / q2**2 - 4 * math.sin(q) / (q2**2 * q)) if q > 0.1 else None
        rows.append((f"M at q = {q:g}", f"{printed(q, 0, 1):.5g}, printed terms in Algorithm 1",
                     f"{found:.6f}" + (f"; closed form {right:.6f}" if right else f"; at q = 0 pi (1/12 + 1/20) = {math.pi * 2 / 15:.6f}")))
    found = json.loads(tool("eval", "models/pustina2025/toy_example.yaml", "--q", "[-1]", "--v", "[-1]"))
    rows.append(("c at q = 1, q' = 1", f"{printed(1, 1, 0):.4f}, printed terms in Algorithm 1", f"{-found['coriolis_force'][0]:.6f}"))
    found = json.loads(tool("eval", "models/pustina2025/toy_example.yaml", "--q", "[-1]", "--v", "[-0.7]"))
    rows.append(("s at q = 1, q' = 0.7", f"pi/4 (q - q') = {math.pi / 4 * 0.3:.4f}",
                 f"pi/4 (q + q') = {-found['elastic_force'][0] - found['damping_force'][0]:.4f}"))
    return rows


@table("P5")
def simulation1():
    about = json.loads(tool("info", "models/pustina2025/simulation1.yaml", "--json"))
    volume = about["volumes"][0]
    rows = [("degrees of freedom, inputs", "24, 9", f"{about['nv']}, {about['nu']}"),
            ("tetrahedra of a body, one point each", "2749", f"{volume['points']}")]
    motion = run("pustina2025/simulation1_reduced")
    rows.append(("open loop: tip of body 3 from rest under gravity, then under three tendons (to 1.6 s), then free (2.2 s) [m]", "-",
                 ", ".join(numbers(motion.tip("body3")[motion.at(t)]) for t in (0.19, 1.6, 2.2))))
    rows.append(("open loop: CPU time, 103 of the points", "-", speed(motion)))
    return rows


@table("P7")
def circle():
    rows = []
    for scenario, label in (("simulation1_circle", "tensions of both signs"), ("simulation1_circle_pull", "(ours) tendons that only pull")):
        motion = run(f"pustina2025/{scenario}")
        acts = motion.time < 9.99  # the law's window
        angle = 0.4 * math.pi * motion.time
        place = numpy.stack([0.03 * numpy.cos(angle), 0.03 * numpy.sin(angle), numpy.full_like(angle, -0.24)], axis=1)
        off = 1e3 * numpy.linalg.norm(motion.tip("body3") - place, axis=1)
        error = motion.controllers["circle"]["error"][acts]
        ahead = numpy.linalg.lstsq(numpy.stack([error[1:-1].ravel(), error[:-2].ravel()], axis=1), error[2:].ravel(), rcond=None)[0]
        ratio, step = math.sqrt(-ahead[1]), motion.time[1] - motion.time[0]
        below = numpy.sum(motion.u[acts] < 0, axis=1)
        rows += [(f"{label}: poles of the errors of the nine lengths in 10 s", "those of s^2 + s + 10: -0.5 +- 3.1225i",
                  f"{math.log(ratio) / step:.4f} +- {math.acos(ahead[0] / (2 * ratio)) / step:.4f}i"),
                 (f"{label}: tip from its place on the circle at 0, 5, 10 s", "-", ", ".join(f"{off[motion.at(t)]:.2g}" for t in (0, 5, 10)) + " mm"),
                 (f"{label}: tensions below zero, fewest and most of nine at once", "-", f"{numpy.min(below)}, {numpy.max(below)}"),
                 (f"{label}: CPU time", "-", speed(motion))]
    return rows


@table("P9")
def simulation2():
    motion = run("pustina2025/simulation2_controlled")
    final = numpy.array([math.pi / 2, -math.pi / 4, -math.pi / 4, -math.pi / 5, math.pi / 8, -math.pi / 2])
    s = numpy.clip(motion.time / 3, 0, 1)
    cubic = ((3 - 2 * s) * s**2)[:, None] * final
    soft = numpy.array([-math.pi / 2, math.pi / 4, -0.02])
    tendons = motion.u[:, [0, 1, 2]]
    at5, at6 = motion.at(5), motion.at(6)
    first = motion.at(2.99)
    motors = motion.u[:, 4:]
    return [("joints of the arm, largest distance from the cubic, 0 to 6 s", "\"guarantee tracking\"",
             f"{numpy.max(abs(motion.q[:, :6] - cubic)):.0e} rad"),
            ("soft arm at 5 s", "(-pi/2, pi/4, -0.02)", numbers(motion.q[at5, 6:9], 4) + f"; the set-point is {numbers(soft, 4)}"),
            ("soft bodies while passive, 0 to 3 s: largest bending, elongation", "\"remain bounded\"",
             f"{numpy.max(abs(motion.q[:first, 6:8])):.2f} rad, {1e3 * numpy.max(abs(motion.q[:first, 8])):.1f} mm"),
            ("tensions, 3 to 6 s", "-", f"{numpy.min(tendons):.2f} to {numpy.max(tendons):.1f} N"),
            ("torques of the motors: largest to 4.9 s; for an instant, when 2 MPa are switched on at once", "-",
             f"{numpy.max(abs(motors[motion.time < 4.9])):.0f} N m; {numpy.max(abs(motors)):.0f} N m"),
            ("gripper under 2 MPa: q10, q11 at 6 s", "\"close the gripper\"",
             f"{1e3 * motion.q[at6, 9]:.2f} mm, {1e6 * motion.q[at6, 10]:.1f} mm^2: its bore of 40 mm opens to "
             f"{2e3 * bore(motion.q[at6, 9], motion.q[at6, 10]):.1f} mm at the end"),
            ("CPU time", "-", speed(motion))]


def bore(stretch, source):
    """Radius of the gripper's bore at its end: the stretch e = q10 (z/L)^2 first, which keeps volume, then the source [m]."""
    return math.sqrt(0.02**2 / (1 + 2 * stretch / 0.1) + source * ((0.1 + stretch) / 0.1)**2)


class PlanarChain:
    """Kinetic energy of planar bodies of constant curvature, and Lagrange's equations by differences, in long double."""

    def __init__(self, count, length=0.3, radius=0.03, density=1000.0):
        real = numpy.longdouble
        x, w = numpy.polynomial.legendre.leggauss(24)
        self.x, self.w = [], []
        for guess in x:  # to long double
            t = real(guess)
            for _ in range(3):
                p0, p1 = real(1), t
                for k in range(2, 25):
                    p0, p1 = p1, ((2 * k - 1) * t * p1 - (k - 1) * p0) / k
                slope = 24 * (t * p1 - p0) / (t * t - 1)
                t -= p1 / slope
            self.x.append((1 + t) / 2)
            self.w.append(1 / ((1 - t * t) * slope * slope))
        self.x, self.w = numpy.array(self.x), numpy.array(self.w)
        self.count, self.length = count, real(length)
        self.mass = real(density) * real(math.pi) * real(radius)**2
        self.rotary = self.mass * real(radius)**2 / 4

    def energy(self, q, v):
        angle = turning = forward = up = result = numpy.longdouble(0)
        for i in range(self.count):
            c, s = numpy.cos(angle), numpy.sin(angle)

            def rates(t):
                half, sine, cosine = numpy.sin(q[i] * t / 2), numpy.sin(q[i] * t), numpy.cos(q[i] * t)
                x, z = self.length * 2 * half * half / q[i], self.length * sine / q[i]
                dx, dz = self.length * t * sine / q[i] - x / q[i], self.length * t * cosine / q[i] - z / q[i]
                return (forward + turning * (c * z - s * x) + v[i] * (c * dx + s * dz),
                        up - turning * (c * x + s * z) + v[i] * (c * dz - s * dx))

            a, b = rates(self.x)
            spin = turning + self.x * v[i]
            result += self.length * numpy.sum(self.w * (self.mass * (a * a + b * b) + self.rotary * spin * spin)) / 2
            forward, up = rates(numpy.longdouble(1))
            angle, turning = angle + q[i], turning + v[i]
        return result

    def force(self, q, v, a):
        h = numpy.longdouble(2e-3)

        def d(f):
            return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)

        speed_of = numpy.sqrt(numpy.sum(v * v))
        result = []
        for unit in numpy.eye(self.count, dtype=numpy.longdouble):
            def momentum(t, unit=unit):
                place, rate = q + t / speed_of * v, v + t / speed_of * a
                return (self.energy(place, rate + unit) - self.energy(place, rate - unit)) / 2

            result.append(speed_of * d(momentum) - d(lambda t, unit=unit: self.energy(q + t * unit, v)))
        return numpy.array(result)


@table("P11")
def simulation3():
    file = "models/pustina2025/simulation3.yaml"
    ones = str([1.0] * 20)
    seconds = math.inf
    for _ in range(5):
        begin = cpu_seconds()
        tool("eval", file, "--q", ones, "--v", ones, "--a", ones)
        seconds = min(seconds, cpu_seconds() - begin)
    rows = [("(a) 20 bodies: from nothing to the forces", "below 4.52 s to build the model",
             f"{1e3 * seconds:.0f} ms of CPU for the whole command: program, file, model, all forces and matrices"),
            ("(a) bodies that Euler and Lagrange can do", "6, symbolically", "any number, by differences of the energy")]
    with open(file, encoding="utf-8") as source:
        lines = source.read().splitlines()
    random = numpy.random.default_rng(2025)
    differences = []
    for count in range(1, 7):
        chain, found = PlanarChain(count), []
        path = os.path.join(FOLDER, f"chain{count}.yaml")
        with open(path, "w", encoding="utf-8") as short:
            short.write("\n".join(lines[:len(lines) - 20 + count]) + "\n")
        for _ in range(100):
            q, v, a = (random.uniform(-limit, limit, count) for limit in (math.pi, 10, 100))
            ours = json.loads(tool("eval", path, *(word for name, value in (("--q", q), ("--v", v), ("--a", a))
                                                   for word in (name, json.dumps(list(value))))))["inertial_inverse_dynamics"]
            real = chain.force(*(numpy.array(value, dtype=numpy.longdouble) for value in (q, v, a)))
            found.append(float(numpy.linalg.norm((numpy.array(ours) - real).astype(float)) / numpy.linalg.norm(real.astype(float))))
        differences.append(found)
    rows.append(("(d) relative difference to Euler and Lagrange, 1 to 6 bodies, 100 random triplets each: mean", "-",
                 ", ".join(f"{numpy.mean(each):.0e}" for each in differences)))
    rows.append(("(d) largest", "-", f"{max(map(max, differences)):.0e}"))
    return rows


@table("S1")
def simulation4():
    motion = run("pustina2025/simulation4")
    bend, stretch, swell = motion.q[:, 0::4], motion.q[:, 1::4], motion.q[:, [2, 3, 6, 7, 10, 11]]
    peak = math.exp(-4 - 4 / math.pi**2)  # of the bump
    late = motion.time > 1
    pressures = ", ".join(f"{value / 1e6:g}" for value in motion.u[-1])
    return [("pressures [MPa]", "2, 0, 0, 2, 1, 0.4", pressures),
            ("bending of the bodies, mean over 1 to 2 s [rad]", "-", numbers(numpy.mean(bend[late], axis=0), 2)),
            ("elongation, mean over 1 to 2 s [mm]", "-", numbers(1e3 * numpy.mean(stretch[late], axis=0), 1)),
            ("radius beside the six chambers at 2 s, largest change [mm]", "-", numbers(1e3 * peak * swell[-1], 1)),
            ("tip travels from (0, 0, -0.6) to [m]", "-", numbers(motion.tip("body3")[-1])),
            ("CPU time", "-", speed(motion))]


@table("S2")
def simulation5():
    def quiet(motion):
        lively = numpy.flatnonzero(motion.energy["kinetic"] > 0.01 * numpy.max(motion.energy["kinetic"]))
        return motion.time[lively[-1] + 1] if lively[-1] + 1 < len(motion.time) else math.inf

    rows = []
    for modulus, note in ((0.333e6, "ours: C in MPa, a shear modulus"), (1.3e6, ""), (5e6, ""), (333e6, "C in GPa, as printed")):
        motion = run("pustina2025/simulation5_pgc", f"robot.materials.silicone.young_modulus={modulus:g}", "simulation.duration=60")
        end = motion.tip("segment2")[-1]
        down = math.degrees(math.acos(max(-1.0, min(1.0, -float(motion.pointing("segment2")[-1, 2])))))
        rows.append((f"E = {modulus / 1e6:g} MPa" + (f" ({note})" if note else "") + ": kinetic energy below 1 % of its peak from, tip within 1 cm of rest from",
                     "about 5 s", f"{quiet(motion):.2g} s, {motion.settled('segment2', 0.01):.2g} s"))
        rows.append((f"E = {modulus / 1e6:g} MPa: height of the tip at rest (of 0.4 m at most), angle of its end from straight down",
                     "\"consistent with the direction of the gravitational force\"", f"{end[2]:+.3f} m, {down:.0f} degrees"))
    hanging, standing = [], []
    for modulus in numpy.geomspace(0.05e6, 50e6, 25):
        motion = run("pustina2025/simulation5_pgc", f"robot.materials.silicone.young_modulus={modulus:.4g}", "simulation.duration=60")
        down = motion.pointing("segment2")[-1, 2] < 0
        (hanging if down else standing).append((modulus / 1e6, motion.settled("segment2", 0.01)))
    rows.append((f"25 moduli from 0.05 to 50 MPa, a factor of {1000 ** (1 / 24):.2g} apart: of those whose end points down at rest the earliest within 1 cm of it; of the others",
                 "about 5 s, and down",
                 "; ".join("{1:.2g} s (E = {0:.2g} MPa, of {2})".format(*min(group, key=lambda one: one[1]), len(group)) for group in (hanging, standing))))
    for eta in (0.05, 0.1):
        motion = run("pustina2025/simulation5_pgc", f"robot.materials.silicone.damping_time={eta}", "simulation.duration=60")
        rows.append((f"E = 0.333 MPa, eta = {eta:g} s instead of 0.01 s: tip within 1 cm of rest from; its height", "about 5 s; it hangs",
                     f"{motion.settled('segment2', 0.01):.2g} s; {motion.tip('segment2')[-1, 2]:+.3f} m"))
    rows.append(("CPU time", "-", speed(run("pustina2025/simulation5_pgc"))))
    return rows


@table("S3")
def simulation6():
    motion = run("pustina2025/simulation6_pcc")
    rest = json.loads(tool("statics", "models/pustina2025/simulation6_pcc.yaml", "--json"))
    return [("steady state (q1, q2, q3, q4, q5, q6) of the paper [rad, m]", "-",
             numbers([motion.q[-1, k] * sign for k, sign in ((1, 1), (0, -1), (2, 1), (4, 1), (3, -1), (5, 1))], 4)),
            ("largest difference from `cuttle statics`", "-", f"{numpy.max(abs(motion.q[-1] - rest['q'])):.0e}"),
            ("tip at rest [m]", "-", numbers(motion.tip("segment2")[-1])),
            ("within 1 mm, 0.1 mm of rest from", "-",
             f"{motion.settled('segment2', 1e-3):.1f} s, {motion.settled('segment2', 1e-4):.1f} s"),
            ("CPU time", "-", speed(motion))]


@table("S4")
def simulation7():
    six, seven = run("pustina2025/simulation6_pcc"), run("pustina2025/simulation7_pac")
    stiff = ("robot.materials.silicone.young_modulus=1.665e9", "simulation.duration=6")
    a, b = run("pustina2025/simulation6_pcc", *stiff), run("pustina2025/simulation7_pac", *stiff)
    unit = 1070 * 9.81 * 0.3**3 / (1.665e9 * 0.01**2 / 4)  # w L^3 / (E I)

    def tips(motion, size):
        return [motion.q[-1, 0] + (motion.q[-1, 1] if size == 4 else 0), motion.q[-1, size] + (motion.q[-1, size + 1] if size == 4 else 0)]

    apart = [math.degrees(math.acos(min(1.0, float(six.pointing(link)[-1] @ seven.pointing(link)[-1])))) for link in ("segment1", "segment2")]
    away = [1e3 * numpy.linalg.norm(six.tip(link)[-1] - seven.tip(link)[-1]) for link in ("segment1", "segment2")]
    return [("steady state", "\"different to the previous\"", f"tips {away[0]:.0f} and {away[1]:.0f} mm from Simulation 6's"),
            ("strain kappa L at the tips of the two segments, Simulation 7; Simulation 6", "\"attains similar values\"",
             f"{numbers(tips(seven, 4), 2)}; {numbers(tips(six, 3), 2)} rad"),
            ("the same of an arm 1000 times as stiff, over w L^3 / (E I)", "similar",
             f"{numbers([x / unit for x in tips(b, 4)])}; {numbers([x / unit for x in tips(a, 3)])}. Beam theory: "
             f"(-5/12, 1/12) = {numbers([-5 / 12, 1 / 12])}; (-7/6, -1/6) = {numbers([-7 / 6, -1 / 6])}"),
            ("where the tips point, angle between Simulations 6 and 7", "-", f"{apart[0]:.0f} and {apart[1]:.0f} degrees"),
            ("CPU time", "-", speed(seven))]


@table("S5")
def simulation8():
    six, eight = run("pustina2025/simulation6_pcc").q[-1], run("pustina2025/simulation8_pcs")
    q = eight.q[-1]
    bend = max(abs(q[6 * i + k] - six[3 * i + k]) for i in (0, 1) for k in (0, 1))
    stretch = max(abs(q[6 * i + 5] - six[3 * i + 2]) for i in (0, 1))
    return [("curvatures at rest, largest difference from Simulation 6", "\"consistent\"", f"{bend:.4f} rad of up to {max(abs(six)):.2f}"),
            ("elongations at rest, largest difference", "\"consistent\"", f"{1e6 * stretch:.1f} um of up to {1e6 * max(abs(six[2]), abs(six[5])):.0f} um"),
            ("twist at rest, shear at rest", "-", f"{max(abs(q[2]), abs(q[8])):.0e} rad, {1e3 * max(abs(q[k]) for k in (3, 4, 9, 10)):.1f} mm"),
            ("within 1 mm of rest from", "-", f"{eight.settled('segment2', 1e-3):.1f} s"),
            ("CPU time", "-", speed(eight))]


@table("S6")
def simulation9():
    complete, incomplete = run("pustina2025/simulation9"), run("pustina2025/simulation9_incomplete")
    root = math.sqrt(25.0**2 - 100)
    slow, fast = -25 + root, -25 - root
    t = complete.time
    error = (fast * numpy.exp(slow * t) - slow * numpy.exp(fast * t)) / (fast - slow)
    off = numpy.max(abs((numpy.cos(t)[:, None] - complete.q[:, :6]) - error[:, None]))
    late = incomplete.time > 5
    wrong = abs(numpy.cos(incomplete.time)[:, None] - incomplete.q[:, :6])[late]
    return [("complete law, error of every joint", "\"converges exponentially fast\"",
             f"e'' + 50 e' + 100 e = 0 in closed form within {off:.0e} rad; {abs(error[complete.at(5)]):.0e} rad after 5 s"),
            ("incomplete law, largest error after 5 s: arm (joints 1 to 3), wrists (4 to 6)",
             "\"unsatisfactory performance, especially for the wrist joints\"",
             f"{numpy.max(wrong[:, :3]):.2f} rad, {numpy.max(wrong[:, 3:]):.2f} rad"),
            ("incomplete law, largest bending of the cylinder after 5 s", "\"bounded\"", f"{numpy.max(abs(incomplete.q[late, 6:8])):.2f} rad"),
            ("complete law, largest torque: in the first 0.1 s, after 1 s", "\"initially ... a large control action\"",
             f"{numpy.max(abs(complete.u[t < 0.1])):.0f} N m, {numpy.max(abs(complete.u[t > 1])):.0f} N m"),
            ("CPU time, complete", "-", speed(complete))]


@table("S7")
def simulation10():
    motion = run("pustina2025/simulation10")
    reference = motion.controllers["shape"]["reference"]
    error = abs(motion.q - reference)
    rows = []
    for begin in (0, 5, 10):
        window = (motion.time > begin + 0.005) & (motion.time < begin + 4.995)
        largest = numpy.max(error[window], axis=1)
        start = largest[0]
        after = numpy.flatnonzero(largest > 0.05 * start)
        rows.append((f"set-point {begin // 5 + 1}: within 5 % of the step after; error at the end", "\"quickly converge\"",
                     f"{motion.time[window][after[-1]] - begin:.2f} s of 5; {largest[-1]:.0e} (of {start:.2f})"))
    passing = numpy.diff(numpy.sign(motion.q[:500, 1] - reference[0, 1])) != 0
    swings = [numpy.max(abs(motion.q[k:500, 1] - reference[0, 1])) for k in numpy.flatnonzero(passing)]
    crossing = sum(swing > 0.01 * abs(reference[0, 1]) for swing in swings)
    rows.append(("oscillation in the first transient: passes of the first body through its set-point with more than 1 % to swing", "\"oscillates during transients\"", f"{crossing}"))
    rows.append(("CPU time", "-", speed(motion)))
    return rows


# --- [B] -------------------------------------------------------------------------------------------------------------------

NEWMARK = "simulation.integrator={type: newmark, step: 0.01}"
ERK = ("simulation.integrator.type=erk", "simulation.integrator.relative_tolerance=1e-8", "simulation.integrator.absolute_tolerance=1e-10")
BDF = ("simulation.integrator.relative_tolerance=1e-8", "simulation.integrator.absolute_tolerance=1e-10")


def rod_rows(name, moments, length):
    motion = run(f"boyer2023/{name}")
    tip = motion.tip("rod")
    until = f"simulation.duration={moments[0]:g}"
    fine = run(f"boyer2023/{name}", until, *BDF).tip("rod")[-1]
    off = {"erk": run(f"boyer2023/{name}", until, *ERK)}
    for step in (0.01, 0.001):
        off[f"newmark at {step:g} s"] = run(f"boyer2023/{name}", until, "simulation.output_step=0.01",
                                            f"simulation.integrator={{type: newmark, step: {step:g}}}")
    label = name.replace("_", " ")
    return [(f"{label}: tip (x, y, z) at {', '.join(f'{t:g}' for t in moments)} s [m]", "-",
             ", ".join(numbers(tip[motion.at(t)]) for t in moments)),
            (f"{label}: tip at {moments[0]:g} s by other methods, from bdf at 1e-8, over the length", "\"indistinguishable\"",
             ", ".join(f"{key} {numpy.linalg.norm(other.tip('rod')[-1] - fine) / length:.0e}" for key, other in off.items())),
            (f"{label}: energy error over the peak kinetic energy; CPU time", "-", f"{motion.energy_error():.0e}; {speed(motion)}")]


@table("B5")
def cantilevers():
    return rod_rows("cantilever_soft", (2, 0, 2.5, 5, 10), 10) + rod_rows("cantilever_stiff", (0.1, 0, 0.5, 1), 0.4)


@table("B6")
def flying_rods():
    return rod_rows("flying_rod_soft", (4, 5, 10), 10) + rod_rows("flying_rod_stiff", (4, 5, 10), 1)


@table("B6energy")
def long_run():
    rows = []
    for method in ("newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving", "bdf"):
        step = "" if method == "bdf" else ", step: 0.01"
        motion = run("boyer2023/flying_rod_soft", f"simulation.integrator={{type: {method}{step}}}", "simulation.duration=100",
                     "simulation.output_step=0.05")
        energy = (motion.energy["kinetic"] + motion.energy["elastic"])[motion.time > 4.999]
        rows.append((f"{method}: energy at 100 s over that at 5 s, less 1; largest deviation between",
                     "no damping by (beta, gamma) = (1/4, 1/2)" if method == "newmark" else "-",
                     f"{energy[-1] / energy[0] - 1:.1e}; {numpy.max(abs(energy / energy[0] - 1)):.1e}"))
    return rows


@table("B1")
def table1():
    found = json.loads(tool("bench", "table1", "--json"))
    rows = []
    paper = {"stiff cantilever rod": "7.1", "soft cantilever rod": "9.1", "stiff flying rod": "8.5", "soft flying rod": "7.9"}
    others = {"stiff cantilever rod": "4.5 [27] to 6173 [26]", "soft cantilever rod": "1.9 [27] to 1675 [26]",
              "stiff flying rod": "7.2 [27] to 2806 [26]", "soft flying rod": "1.6 [24] to 609 [26]"}
    for row in found:
        rows.append((f"{row['rod']}: time over simulated time, step 0.01 s", f"{paper[row['rod']]}; the others {others[row['rod']]}",
                     f"{row['time_ratio']:.4f}"))
    return rows


@table("B1robust")
def robust():
    found = json.loads(tool("bench", "table1", "--robust", "--json"))
    rows = []
    for rod in dict.fromkeys(row["rod"] for row in found):
        mine = [row for row in found if row["rod"] == rod]
        done = sum(row["status"] == "complete" for row in mine)
        rows.append((f"{rod}: E times " + ", ".join(f"{row['stiffness_factor']:g}" for row in mine) + ", step 0.1 s",
                     "\"remains stable\"" if rod == "stiff cantilever rod" else "-",
                     f"{done} of {len(mine)} runs to their end; halved {', '.join(str(row['failed_steps']) for row in mine)}, which makes "
                     f"{', '.join(str(row['steps']) for row in mine)} steps"))
    return rows


@table("B9")
def drones():
    motion = run("boyer2023/drones")
    t = motion.time
    rows = []
    for link, period in (("drone0", 1.0), ("drone6", 2.0)):
        wanted = (1 - numpy.cos(math.pi * t / period)) * period / math.pi
        z = motion.tip(link)[:, 2] - motion.tip(link)[0, 2]
        rate = numpy.gradient(z, t) - numpy.sin(math.pi * t / period)
        rows.append((f"9: z of {link}, asked; reached; largest error of its velocity", f"{numpy.max(wanted):.2f} m; -; \"limited\"",
                     f"{numpy.max(wanted):.2f} m; {numpy.max(z):.2f} m; {numpy.max(abs(rate)):.2f} of 1 m/s"))
    payload = motion.tip("payload") - motion.tip("payload")[0]
    late = payload[motion.at(6):]
    rows.append(("8: path of the load from 6 to 10 s: is it closed?", "\"almost cyclic\"", f"within {1e3 * numpy.linalg.norm(late[-1] - late[0]):.0f} mm"))
    rows.append(("8: path of the load from 6 to 10 s: extent in x, y, z", "\"circular\"", f"{numbers(numpy.ptp(late, axis=0), 2)} m: an oval"))
    newmark = run("boyer2023/drones", NEWMARK)
    rows.append(("newmark, step 0.01 s: evaluations a step; payload from bdf's at 10 s [mm]", "3 Newton steps",
                 f"{newmark.facts['evaluations'] / newmark.facts['steps']:.1f}; "
                 f"{1e3 * numpy.linalg.norm(newmark.tip('payload')[-1] - motion.tip('payload')[-1]):.1f}"))
    rows.append(("energy error over the peak kinetic energy; CPU time", "-", f"{motion.energy_error():.0e}; {speed(motion)}"))
    return rows


def tilts(motion, part):
    """Turning points of the tip from down to up while the torque swings, 4 to 7 s: y [m] and time [s] of those that lie deeper than the
    tops on both sides by this part of the range of y."""
    y, swings = motion.tip("leg1")[:, 1], (motion.time >= 4) & (motion.time <= 7)
    dips, _ = find_peaks(-y, prominence=part * numpy.ptp(y[swings]))
    return [(y[k], motion.time[k]) for k in dips if swings[k]]


def count_of_tilts(motion):
    return f"{len(tilts(motion, 0.25))}, {len(tilts(motion, 0.5))}: " + ", ".join(f"{y:.3f} m at {t:.2f} s" for y, t in tilts(motion, 0.25))


@table("B11")
def parallel_robot():
    motion = run("boyer2023/parallel_robot")
    tip = motion.tip("leg1")
    held = motion.at(3.9)
    rows = [("torques at 3 s, largest of motor 1 [N m]", "0.5 and -0.5, 14.5",
             f"{motion.u[motion.at(3), 0]:g} and {motion.u[motion.at(3), 1]:g}, {numpy.max(motion.u[:, 0]):.1f}"),
            ("tip while the torques hold, from where it was", "\"its tip getting closer to the base\"",
             f"{1e3 * (tip[held, 0] - tip[0, 0]):.2f} mm in x, {1e3 * abs(tip[held, 1]):.0e} mm in y"),
            ("turning points of the tip's y, from down to up, in three cycles of the torque: deeper than a quarter of its range, than half; the former",
             "two", count_of_tilts(motion)),
            ("loop open by at most", "-", f"{numpy.max(abs(motion.loops['tip']['residual'])):.0e}"),
            ("lambda (x, y) while the torques hold [N]", "-", numbers(motion.loops["tip"]["multipliers"][held, :2])),
            ("energy error over the peak kinetic energy; CPU time", "-", f"{motion.energy_error():.0e}; {speed(motion)}")]
    finer = run("boyer2023/parallel_robot", "simulation.integrator={type: midpoint, step: 0.002}")
    rows.append(("the same with a fifth of the step", "two", count_of_tilts(finer)))
    printed = run("boyer2023/parallel_robot", *(f"robot.links.{leg}.body.{key}" for leg in ("leg1", "leg2") for key in (
        "stiffness=[3298.7, 3298.7, 3298.7, 6.597e5, 6.597e5, 6.597e5]", "mass_per_length=2.45045e-2",
        "rotary_inertia=[1.22522e-4, 1.22522e-4, 2.45045e-4]")))
    rows.append(("E, A and I as printed (EI = 3299 N m^2): the tip moves by at most", "\"the CPR tilts upwards\"",
                 f"{1e6 * numpy.max(numpy.linalg.norm(printed.tip('leg1') - printed.tip('leg1')[0], axis=1)):.2g} um"))
    for stiffness in (3.0, 3.3, 3.6, 4.3, 6.6, 10, 20, 50):
        other = run("boyer2023/parallel_robot", "simulation.integrator={type: midpoint, step: 0.005}", *(
            f"robot.links.{leg}.body.stiffness={[stiffness] * 3 + [4e4 * stiffness] * 3}" for leg in ("leg1", "leg2")), may_fail=True)
        rows.append((f"EI = {stiffness:g} N m^2, half the step: the same; energy error over the peak kinetic energy", "two",
                     f"{count_of_tilts(other)}; {other.energy_error():.0e}"
                     + (f"; fails at {other.time[-1]:.1f} s" if other.status != "complete" else "")))
    for method in ("newmark", "generalized_alpha", "midpoint"):
        for damping in ("1e-4", "0"):
            other = run("boyer2023/parallel_robot", f"simulation.integrator={{type: {method}, step: 0.01}}", "simulation.duration=60",
                        f"robot.materials.steel.damping_time={damping}", may_fail=True)
            ten = other.time <= 10
            jitter = numpy.max(abs(numpy.diff(other.loops["tip"]["multipliers"][ten, 1], 2))[other.time[ten][2:] > 7.1])
            rows.append((f"{method}, step 0.01 s, mu = {damping}: runs to, of 60 s; lambda_y zigzags between 7.1 and 10 s by",
                         ("stable" if damping != "0" else "not stable") if method == "newmark" else "-",
                         f"{other.time[-1]:.1f} s; {jitter:.2g} N"))
    return rows


@table("B15")
def swimmer():
    motion = run("boyer2023/swimmer")
    nose = motion.tip("head")
    speed_x = (nose[-1, 0] - nose[motion.at(8), 0]) / 2
    period = motion.time >= motion.time[-1] - 0.4
    tail = motion.tip("rear")
    tau = 0.05 * (motion.columns["left"] - motion.columns["right"])
    k = [motion.columns[f"rear.kappa_y.{i}"] for i in range(5)]
    C = 0.049 / 0.3 * (k[0] - k[1] + k[2] - k[3] + k[4])
    early, t = motion.time <= 3, motion.time
    window = (t > 7.995) & (t < 9.995)  # five periods

    def phase(x):
        return numpy.angle(numpy.sum(x[window] * numpy.exp(-5j * math.pi * t[window])))

    lag = (phase(tau) - phase(C)) % (2 * math.pi) / (5 * math.pi)
    return [("15: way in 10 s, speed in the last 2 s", "-", f"{nose[-1, 0] - nose[0, 0]:.2f} m, {speed_x:.2f} m/s"),
            ("15: snapshots every 1.65 s: x of the head [m]", "-", ", ".join(f"{nose[motion.at(1.65 * i), 0] - nose[0, 0]:.2f}" for i in range(7))),
            ("15: sideways swing of the tail in the last period", "-", f"{numpy.ptp(tail[period, 1]):.2f} m"),
            ("16: tau", "2 N m cos(5 pi t)", f"the same within {numpy.max(abs(tau - 2 * numpy.cos(5 * math.pi * t))):.0e} N m"),
            ("16: C in the first 3 s, in the last 2 s", "-", f"within {numpy.max(abs(C[early])):.2f} N m, {numpy.max(abs(C[window])):.2f} N m"),
            ("16: C follows tau by", "- (a picture)", f"{lag:.3f} s of the period of 0.4 s"),
            ("energy error over the peak kinetic energy; CPU time", "-", f"{motion.energy_error():.0e}; {speed(motion)}")]


# --- [J] -------------------------------------------------------------------------------------------------------------------


@table("J5")
def pneumatic_arm():
    lumped, rods = run("jensen2022/arm_valves"), run("jensen2022/arm_rods_valves")
    rows = [("pressures commanded", "0 to 150 kPa", f"{numpy.min(lumped.u) / 1e3:.0f} to {numpy.max(lumped.u) / 1e3:.0f} kPa"),
            ("largest joint angle, steps (to 10 s) and smooth pressures", "-",
             f"{numpy.max(abs(lumped.q[lumped.time < 10])):.2f} and {numpy.max(abs(lumped.q[lumped.time >= 10])):.2f} rad"),
            ("CPU time over simulated time, lumped joints", "74.6 % on its training data, 85.2 % on its test data (several of 12 cores)",
             f"{100 * lumped.seconds / lumped.time[-1]:.1f} %, steps and smooth pressures in one run (one core)"),
            ("the same, exact rods instead of lumped joints", "-", f"{100 * rods.seconds / rods.time[-1]:.1f} %")]
    return rows


@table("J1")
def lumped_and_rods():
    lumped, rods = run("jensen2022/arm_valves"), run("jensen2022/arm_rods_valves")
    apart = abs(lumped.q - rods.q)
    rows = []
    names = ("u1", "v1", "u2", "v2", "u3", "v3")
    table_two = ("0.207, 0.121, 0.587", "0.165, 0.131, 0.425", "0.181, 0.105, 0.663", "0.166, 0.107, 0.451", "0.033, 0.026, 0.114",
                 "0.012, 0.012, 0.041")
    table_one = ("0.035, 0.035, 0.102", "0.041, 0.036, 0.106", "0.043, 0.040, 0.127", "0.036, 0.025, 0.137", "0.047, 0.044, 0.120",
                 "0.019, 0.012, 0.071")
    for part, paper, window in (("I, steps", table_one, lumped.time < 10), ("II, smooth pressures", table_two, lumped.time >= 10)):
        for k, name in enumerate(names):
            x = apart[window, k]
            rows.append((f"{part}, {name}: mean, median, largest [rad]", paper[k], f"{numpy.mean(x):.5f}, {numpy.median(x):.5f}, {numpy.max(x):.4f}"))
    return rows


# --- [C] -------------------------------------------------------------------------------------------------------------------


def printed_coriolis():
    """[C] (1.15) and (1.30) of one segment against c and dM/dt from differences of M: |C v - c| / |c|, and the symmetric part of
    dM/dt - 2 C over |dM/dt|."""
    axes = numpy.array([[0, 0, 0, 0, 0, 1], [0, 1, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]], float).T  # (1.11)
    inertia, length = numpy.diag([2e-4, 2e-4, 4e-4, 0.8, 0.8, 0.8]), 0.12
    x, w = numpy.polynomial.legendre.leggauss(12)

    def skew(a):
        return numpy.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    def ad(twist):
        return numpy.block([[skew(twist[:3]), numpy.zeros((3, 3))], [skew(twist[3:]), skew(twist[:3])]])

    def to_section(q, s):
        return expm(-s * ad(axes @ q + [0, 0, 0, 0, 0, 1]))

    def along(f, s):
        return sum(b * s / 2 * f((1 + a) * s / 2) for a, b in zip(x, w))

    def jacobian(q, s):
        return to_section(q, s) @ along(lambda r: numpy.linalg.solve(to_section(q, r), axes), s)

    def mass(q):
        return along(lambda s: jacobian(q, s).T @ inertia @ jacobian(q, s), length)

    q, v = numpy.array([0.2, 9.0, -6.0]), numpy.array([1.0, -40.0, 25.0])
    slopes = []
    for k in range(3):
        step = numpy.eye(3)[k] * 1e-5 * max(1, abs(q[k]))
        slopes.append((mass(q + step) - mass(q - step)) / (2 * step[k]))
    rate = sum(slope * speed_k for slope, speed_k in zip(slopes, v))
    c = rate @ v - 0.5 * numpy.array([v @ slope @ v for slope in slopes])

    def matrix(transposed, partial):
        def integrand(s):
            J = jacobian(q, s)
            C_V = inertia @ ad(J @ v) - ad(J @ v).T @ inertia
            if partial:  # Ad^-1 B_2, (1.26)
                J_rate = to_section(q, s) @ along(lambda r: numpy.linalg.solve(to_section(q, r), ad(jacobian(q, r) @ v) @ axes), s)
            else:
                J_rate = (jacobian(q + 1e-6 * v, s) - jacobian(q - 1e-6 * v, s)) / 2e-6
            return J.T @ (C_V.T if transposed else C_V) @ J + J.T @ inertia @ J_rate

        return along(integrand, length)

    found = {}
    for name, C in (("(1.15)", matrix(True, False)), ("(1.30)", matrix(False, True)), ("corrected", matrix(False, False))):
        rest = rate - 2 * C
        found[name] = (numpy.linalg.norm(C @ v - c) / numpy.linalg.norm(c), numpy.linalg.norm(rest + rest.T) / numpy.linalg.norm(rate))
    return found


@table("C")
def hyperelastic_arm():
    found = printed_coriolis()
    rows = [(f"{name}: norm of C q' - c over that of c; of the symmetric part of M' - 2 C (twice) over that of M'", "0, 0",
             f"{found[name][0]:.1g}, {found[name][1]:.1g}") for name in ("(1.15)", "(1.30)", "corrected")]
    motion = run("caasenbrood2021/hyperelastic_arm")
    other = run("caasenbrood2021/hyperelastic_arm_pd_plus")
    goal = numpy.array([-0.5, 0.6, 0.025, 0.4, -0.3, 0.02])

    def errors(result):
        e = abs(result.q[-1] - goal)
        return f"{numpy.max(e[[0, 1, 3, 4]]):.2g} rad, {1e3 * numpy.max(e[[2, 5]]):.2g} mm"

    rows += [("largest pressure in a bellow", "below 0.1 MPa", f"{numpy.max(motion.u) / 1e6:.3f} MPa"),
             ("error after 3 s of the adaptive law that believes half the stiffness and no load", "\"enhances robustness towards material uncertainty\"",
              errors(motion)),
             ("the same of pd_plus with that model", "-", errors(other)),
             ("its estimate of the load of 0.1 kg", "\"slowly improving their estimates online\"", f"{motion.controllers['shape']['state'][-1, -1]:.5f} kg"),
             ("CPU time, two links and a controller", "\"real-time (multi-link)\"", speed(motion))]
    return rows


# Panels of `cuttle plot`, by the name of the file.
FIGURES = {
    "P7": (("pustina2025/simulation1_circle",), "--what", "error,body3.tip.x+body3.tip.y,body3.tip.z,u", "--to", "9.98", "--size", "174x120"),
    "P9": (("pustina2025/simulation2_controlled", "simulation.output_step=0.025"), "--what",
           "*.joint.q0,soft_arm.kappa_x.0+soft_arm.kappa_y.0,gripper.source.0,tendon_1+tendon_2+tendon_3", "--size", "174x130"),
    "S1": (("pustina2025/simulation4",), "--what",
           "body1.kappa_y.0+body2.kappa_y.0+body3.kappa_y.0,body1.sigma_z.0+body2.sigma_z.0+body3.sigma_z.0", "--size", "84x90"),
    "S2": (("pustina2025/simulation5_pgc", "simulation.output_step=0.05"), "--what", "tip", "--size", "84x60"),
    "S3": (("pustina2025/simulation6_pcc", "simulation.output_step=0.02"), "--what", "q,tip", "--to", "6", "--size", "84x110"),
    "S6": (("pustina2025/simulation9_incomplete", "simulation.output_step=0.05"), "--what", "error", "--size", "84x60"),
    "S7": (("pustina2025/simulation10", "simulation.output_step=0.05"), "--what",
           "segment1.kappa_x.0+segment2.kappa_x.0+segment3.kappa_x.0,segment1.kappa_y.0+segment2.kappa_y.0+segment3.kappa_y.0",
           "--size", "84x90"),
    "B5": (("boyer2023/cantilever_soft",), "--what", "rod.tip.x+rod.tip.z,rod.kappa_y", "--size", "84x90"),
    "B9": (("boyer2023/drones", "simulation.output_step=0.02"), "--what",
           "drone0.tip.x+payload.tip.x+drone6.tip.x,drone0.tip.z+payload.tip.z+drone6.tip.z", "--size", "84x110"),
    "B11": (("boyer2023/parallel_robot",), "--what",
            "leg1.joint.q0+leg2.joint.q0,leg1.tip.x+leg1.tip.y,loops.tip.multipliers.position.x+loops.tip.multipliers.position.y",
            "--size", "84x130"),
    "B16": (("boyer2023/swimmer",), "--what", "left+right,rear.kappa_y,head.tip.x+head.tip.y", "--to", "3", "--size", "84x130"),
    "C": (("caasenbrood2021/hyperelastic_arm",), "--what", "error", "--size", "84x90"),
}


# --- all -------------------------------------------------------------------------------------------------------------------


def markdown(rows):
    return "\n".join(["| | the paper | here |", "| --- | --- | --- |"] + [f"| {a} | {b} | {c} |" for a, b, c in rows])


def write(path, tables):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for name, rows in tables.items():
        pattern = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(page):
            sys.exit(f"papers.py: {path}: no mark '<!-- measured: {name} -->' with '<!-- end -->' after it")
        page = pattern.sub(lambda found, rows=rows: found.group(1) + "\n" + markdown(rows) + "\n\n" + found.group(2), page)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    global TOOL, FOLDER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default=TOOL)
    parser.add_argument("--only", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--write", metavar="FILE.md")
    parser.add_argument("--figures", metavar="FOLDER", help="draw instead; with --only some")
    options = parser.parse_args()
    TOOL = options.tool
    if shutil.which(TOOL) is None:
        sys.exit(f"papers.py: found no program '{TOOL}', expected the tool, as build/cuttle after make demo")
    known = FIGURES if options.figures else TABLES
    names = options.only.split(",") if options.only else list(known)
    for name in names:
        if name not in known:
            sys.exit(f"papers.py: found {name}, expected one of {', '.join(known)}")
    with tempfile.TemporaryDirectory() as FOLDER:
        if options.figures:
            os.makedirs(options.figures, exist_ok=True)
            for name in names:
                scenario, *panels = FIGURES[name]
                tool("plot", path_of(*scenario), *panels, "-o", os.path.join(options.figures, f"{name}.svg"), "--force")
            return
        for name in names:
            begin = time.perf_counter()
            rows = TABLES[name]()
            print(f"{name} ({time.perf_counter() - begin:.1f} s)", file=sys.stderr)
            print(f"{name}\n\n{markdown(rows)}\n", flush=True)
            if options.write:
                write(options.write, {name: rows})


if __name__ == "__main__":
    main()
