"""A shape and a contact law in Python: a ring that lies on the ground, and a ball that bounces on a law of its own."""

import numpy as np

import cuttle

RADIUS, TUBE, MASS, GRAVITY = 0.1, 0.02, 0.1, 9.81


def torus(x):  # signed distance of a point to a ring about z
    return np.sqrt((np.sqrt(x[0] ** 2 + x[1] ** 2) - RADIUS) ** 2 + x[2] ** 2) - TUBE


def arcs(count):  # the circle in the middle of its tube, as cubics: ends, and tangents there
    turn = 2 * np.pi / count
    speed = 4 * np.tan(turn / 4) * RADIUS
    for k in range(count):
        ends = np.array([k, k + 1]) * turn
        points = RADIUS * np.stack([np.cos(ends), np.sin(ends), 0 * ends], axis=1)
        yield np.concatenate([points, speed * np.stack([-np.sin(ends), np.cos(ends), 0 * ends], axis=1)]), TUBE


body = {"type": "rigid", "mass": MASS, "inertia": [5e-4, 5e-4, 1e-3, 0, 0, 0]}
shape = cuttle.FunctionShape(torus, half_thickness=TUBE, parts=list(arcs(8)))
ring = cuttle.Robot.from_dict({
    "gravity": [0, 0, -GRAVITY],
    "links": [{"name": "ring", "joint": {"type": "free"}, "body": body, "contact": shape}],
    "obstacles": [{"name": "ground", "shape": "plane", "pose": {"position": [0, 0, -TUBE]}}],
    "contacts": [{"name": "floor", "a": "ring", "b": "ground", "modulus": 1e5, "dissipation": 100}],
})
depth = -ring.simulate(duration=2, output_step=1).frame("ring.base").position[-1, 2]
print("the ring sinks in by", depth)


def law(time, position, rotation, velocity, spin):  # a ball of 2 cm on z = 0: a spring, and no friction
    depth = 0.02 - position[2]
    press = np.where(depth > 0, 1e4 * depth, 0)
    return np.stack([0 * press, 0 * press, press])


ball = cuttle.Robot.from_dict({
    "gravity": [0, 0, 0],
    "links": [{"name": "ball", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": body}],
    "loads": [cuttle.FunctionLoad(law, link="ball", at="base")],
})
contact_time = np.pi * np.sqrt(MASS / 1e4)  # half a period of the spring
run = ball.simulate(duration=0.01 + contact_time, output_step=0.01 + contact_time, q=[0.03], v=[-1.0],
                    integrator={"type": "rk4", "step": 1e-5})
speed = run.v[-1, 0]
print("the ball comes back with", speed)
