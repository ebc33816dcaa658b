"""Small robots that slide on the ground, one of each kind: bodies, ways to carry them, obstacles that rest and that move."""

from itertools import product

import cuttle

G = 9.81
METHODS = ("bdf", "erk", "rk4", "tsit5", "newmark", "hht", "generalized_alpha", "midpoint", "energy_conserving")
ADAPTIVE = METHODS[:2]
EXPLICIT = ("erk", "rk4", "tsit5")
IMPLICIT = METHODS[4:]
MATERIALS = """materials:
  soft: {density: 1100, young_modulus: 1.0e5, poisson_ratio: 0.3, damping_time: 2.0e-3}
  gel: {model: st_venant_kirchhoff, density: 1100, young_modulus: 1.0e5, poisson_ratio: 0.3, damping_time: 2.0e-3}
"""
BODIES = {  # each begins 10 mm above the ground at a frame whose axes are those of the world
    "rigid": """
    attach: {at: tip}
    body: {type: rigid, mass: 0.03, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}
    contact: {shape: sphere, radius: 0.01}
""",
    "rod": """
    attach: {at: tip, pose: {rpy: [0, 1.5707963267948966, 0]}}
    body:
      type: rod
      length: 0.1
      section: {shape: circle, radius: 0.01}
      material: soft
      strain: planar_cc
      quadrature: {points: 4}
""",
    "volume": """
    attach: {at: tip, pose: {position: [0, 0, 0.01], rpy: [3.141592653589793, 0, 0]}}
    body:
      type: volume
      shape: {type: box, size: [0.02, 0.02, 0.02]}
      material: gel
      quadrature: {points: [3, 2, 2]}
      kinematics: {type: lvp, primitives: [{type: stretch, modes: [[0, 1]]}]}
""",
}
SMALL = "body: {type: rigid, mass: 0.01, inertia: [1.0e-4, 1.0e-4, 1.0e-4, 0, 0, 0]}"
CART = f"""
  - {{name: slide, joint: {{type: prismatic, axis: [1, 0, 0]}}, {SMALL}}}
  - {{name: lift, joint: {{type: prismatic, axis: [0, 0, 1]}}, {SMALL}}}
"""
CARRIERS = {  # what is above the body, and what the robot has besides
    "cart": (CART, "actuators: [{name: motor, type: joint, link: slide}]"),
    "loop": (
        CART,
        "loops: [{name: tie, type: fixed, a: {link: lift}, b: {link: side_lift}}]",
    ),
    "state": (  # the load integrates the error of a velocity
        CART,
        "loads: [{type: drone, link: lift, linear_velocity: [0.15, 0, 0], proportional: [0, 0, 0, 0.5, 0, 0],"
        " integral: [0, 0, 0, 20, 0, 0]}]",
    ),
    "floating": (f"\n  - {{name: lift, {SMALL}}}\n", "base: {motion: floating}"),
}
SIDE = f"""
  - {{name: side, parent: base, joint: {{type: prismatic, axis: [1, 0, 0]}}, {SMALL}}}
  - {{name: side_lift, joint: {{type: prismatic, axis: [0, 0, 1]}}, {SMALL}}}
"""
OBSTACLES = {
    "fixed": "",
    "moving": ", motion: {position: [{type: sine, amplitude: 2.0e-4, frequency: 20}, 0, {type: sine, amplitude: 1.0e-4, frequency: 10}]}",
}
CELLS = list(product(BODIES, OBSTACLES, CARRIERS))


def text(body, obstacle, carrier, friction=0.5, modulus=2.0e5, gap=0.0):
    """A robot's file. `gap`: how far above the ground it begins [m]."""
    above, more = CARRIERS[carrier]
    below = SIDE if carrier == "loop" else ""
    spacing = ", spacing: 0.02" if body == "volume" else ""  # 48 points instead of 312
    return f"""cuttle: 1
name: {body}_{carrier}
gravity: [0, 0, -{G}]
{MATERIALS}links:{above}  - name: body{BODIES[body]}{below}
{more}
obstacles: [{{name: ground, shape: plane, pose: {{position: [0, 0, {-0.01 - gap!r}]}}{OBSTACLES[obstacle]}}}]
contacts: [{{name: floor, a: body, b: ground, friction: {friction}, modulus: {modulus}{spacing}}}]
"""


def untied(body, obstacle):
    """The robot with a loop, without one: what the loop adds only makes the cart heavier. Its q are the first of those."""
    heavy = text(body, obstacle, "cart").replace(SMALL, SMALL.replace("mass: 0.01", "mass: 0.02"))
    return cuttle.Robot.from_text(heavy)


def robot(*cell, **numbers):
    return cuttle.Robot.from_text(text(*cell, **numbers))


def start(robot, along=0.1, down=0.01):
    """Where it begins: at rest in its shape, moving along x and down."""
    v = [0.0] * robot.nv
    if "floating" in robot.name:
        v[3], v[5] = along, -down
    else:
        v[0], v[1] = along, -down
    if "loop" in robot.name:
        v[-2:] = along, -down
    return {"q": robot.neutral(), "v": v}


def method(name, step=1e-4, tolerance=1e-6):
    if name in ADAPTIVE:
        return {"type": name, "relative_tolerance": tolerance, "absolute_tolerance": 1e-2 * tolerance}
    return {"type": name, "step": step}


def identified_contact(folder, name, robot, other, begin, velocities, duration):
    """Friction and modulus of a contact, from where `robot` goes in a run by another method.

    other: the text of a robot file with wrong numbers, from which the search begins.   velocities: of `slide` and `lift`.
    """
    (folder / "robot.yaml").write_text(other)
    initial = ", ".join(f"{link}: {{q: [0], v: [{v}]}}" for link, v in zip(("slide", "lift"), velocities))
    (folder / "s.yaml").write_text(
        f"cuttle: 1\nrobot: robot.yaml\nsimulation:\n  duration: {duration}\n  output_step: 1.0e-3\n"
        f"  initial: {{{initial}}}\n  integrator: {{type: generalized_alpha, step: 2.0e-4}}\n")
    run = robot.simulate(duration=duration, output_step=1e-3, integrator=method("bdf", tolerance=1e-9), **begin)
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in zip(run.time, run.q[:, 0], run.q[:, 1]))
    (folder / "s.csv").write_text("time,slide.joint.q0,lift.joint.q0\n" + rows + "\n")
    found = cuttle.identify([folder / "s.yaml", folder / "s.csv"],
                            [f"contacts.{name}.friction=0.1:1", f"contacts.{name}.modulus=5e4:1e6:log"])
    return [p["value"] for p in found["parameters"]]
