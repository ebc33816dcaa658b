"""custom_body.cpp in Python: the toy body of [P], a cylinder that bends with constant curvature, from where its points go."""

import numpy as np

import cuttle


def position(q, x):  # where the points x of the straight body are when it bends by q [rad]; NumPy's sinc is exact at 0
    angle = q[0] * x[:, 2]
    sine = np.sinc(angle / np.pi)  # sin t / t
    half = np.sinc(angle / (2 * np.pi))
    return np.cos(angle) * x[:, 0] - x[:, 2] * angle * half**2 / 2, x[:, 1], angle * sine * x[:, 0] + x[:, 2] * sine


points, volumes = cuttle.cylinder_points(length=1.0, radius=1.0, nz=14, nr=1, nphi=4)
body = cuttle.FunctionBody(position, ["bend"], points, volumes, density=1.0, tip=[0, 0, 1], allow_folding=True,
                           elastic_energy=lambda q: np.pi / 8 * q[0] ** 2)
robot = cuttle.Robot.from_dict({"gravity": [0, 0, 0], "links": [{"name": "toy", "body": body}]})

model, data = robot.model, cuttle.Data(robot.model)
q = np.array([0.8])
v, a = 0.5 * q, -q
mass = cuttle.mass_matrix(model, data, q)[0, 0]
force = cuttle.inverse_dynamics(model, data, q, v, a)[0]
print("mass ", mass)
print("force", force)
