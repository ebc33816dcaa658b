"""two_segment_arm.cpp in Python: a soft arm of two constant-curvature rods on a motor, and the same numbers."""

import numpy as np

import cuttle

rod = {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": 0.02}, "material": "silicone", "strain": "pcc"}
robot = cuttle.Robot.from_dict({
    "name": "two_segment_arm",
    "materials": {"silicone": {"density": 1070, "young_modulus": 5e5, "damping_time": 0.1}},
    "links": [
        {"name": "segment1", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "body": rod},
        {"name": "segment2", "body": rod},
    ],
})

model = robot.model        # checked once; share it between threads
data = cuttle.Data(model)  # all memory that the algorithms need; one a thread

q = np.array([0.3, 0.5, -0.4, 0.01, 0.8, 0.2, -0.01])  # joint, then (kappa_x, kappa_y, sigma_z) of each rod
v = np.full(model.nv, 0.1)
a = np.zeros(model.nv)

tau = cuttle.inverse_dynamics(model, data, q, v, a)
print("generalized force ", tau)
print("acceleration again", cuttle.forward_dynamics(model, data, q, v, tau))

tip = robot.frame("segment2.tip", q).position
print("tip position      ", tip, "m")
