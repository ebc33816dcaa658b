# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A controller for a hybrid arm
# Two motors carry a soft finger, which a cable bends. The motors follow a path while the finger swings about; first with computed
# torque from the library, then with a law written here.

# %%
import numpy as np

import cuttle

motors = [
    {"name": "upper", "joint": {"type": "revolute", "axis": [0, 1, 0]},
     "body": {"type": "rigid", "mass": 0.5, "com": [0, 0, 0.1], "inertia": [2e-3, 2e-3, 3e-4, 0, 0, 0],
              "tip": {"position": [0, 0, 0.2]}}},
    {"name": "fore", "joint": {"type": "revolute", "axis": [0, 1, 0]},
     "body": {"type": "rigid", "mass": 0.3, "com": [0, 0, 0.08], "inertia": [1e-3, 1e-3, 2e-4, 0, 0, 0],
              "tip": {"position": [0, 0, 0.15]}}},
]
finger = {"name": "finger", "body": {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.01},
                                     "material": "silicone", "strain": "pcc"}}
robot = cuttle.Robot.from_dict({
    "name": "hybrid_arm",
    "materials": {"silicone": {"density": 1070, "young_modulus": 5e5, "poisson_ratio": 0.4, "damping_time": 0.1}},
    "links": [*motors, finger],
    "actuators": [
        {"name": "m1", "type": "joint", "link": "upper"},
        {"name": "m2", "type": "joint", "link": "fore"},
        {"name": "cable", "type": "tendon", "routing": [{"link": "finger", "offset": [0.008, 0]}], "slack": "clip"},
    ],
})

# %% [markdown]
# Where the motors are to be: on a quintic from rest to rest within a second.

# %%
goal = np.array([0.8, -0.5])


def reference(time):
    """Angles, rates and accelerations of the two motors."""
    s = min(time, 1.0)
    shape = s**3 * (10 - 15 * s + 6 * s**2)
    rate = 30 * s**2 * (1 - s) ** 2
    acceleration = 60 * s * (1 - s) * (1 - 2 * s)
    return goal * shape, goal * rate, goal * acceleration


pull = cuttle.Signal.sine(2.0, 1.5)  # disturbs: the cable is pulled back and forth


def worst_error(run):
    return max(np.abs(q[:2] - reference(t)[0]).max() for t, q in zip(run.time, run.q))

# %% [markdown]
# **The library's law.** Computed torque knows the whole robot, the finger too, and sets the torques that give the motors the
# acceleration asked for.

# %%
law = {
    "name": "swing", "type": "computed_torque", "inputs": ["m1", "m2"], "links": ["upper", "fore"],
    "reference": [{"type": "quintic", "start": 0, "end": 1, "from": 0, "to": 0.8},
                  {"type": "quintic", "start": 0, "end": 1, "from": 0, "to": -0.5}],
    "kp": 100, "kd": 20,
}
exact = robot.simulate(duration=1.5, inputs={"cable": pull}, controllers=[law])
print("computed torque: worst error", worst_error(exact), "rad")

# %% [markdown]
# **A law of one's own**, asked 500 times a second: proportional and derivative terms on top of the torques that a rigid arm without
# a finger would need. What it does not know of the finger, it pays for with an error.

# %%
rigid = cuttle.Robot.from_dict({"name": "rigid_part", "links": motors})


def own_law(knows_finger):
    model = (robot if knows_finger else rigid).model
    data = cuttle.Data(model)

    def law(time, q, v):
        where, rate, acceleration = reference(time)
        wanted = acceleration + 100 * (where - q[:2]) + 20 * (rate - v[:2])
        n = model.nv
        if not knows_finger:
            return cuttle.inverse_dynamics(model, data, q[:n], v[:n], wanted)
        # the finger's rows of M a + h = tau say how it accelerates when the motors do as they are told
        M = cuttle.mass_matrix(model, data, q)
        h = cuttle.inverse_dynamics(model, data, q, v, np.zeros(n))
        pulled = cuttle.actuation_matrix(model, data, q)[:, 2] * max(2.0 * np.sin(3 * np.pi * time), 0.0)
        finger = np.linalg.solve(M[2:, 2:], (pulled - h)[2:] - M[2:, :2] @ wanted)
        return M[:2, :2] @ wanted + M[:2, 2:] @ finger + (h - pulled)[:2]

    return cuttle.Controller(law, rate=500, inputs=["m1", "m2"], name="own")


errors = {}
for knows_finger in (False, True):
    run = robot.simulate(duration=1.5, inputs={"cable": pull}, controllers=[own_law(knows_finger)])
    errors[knows_finger] = worst_error(run)
    print("own law,", "with" if knows_finger else "without", "the finger: worst error", errors[knows_finger], "rad")
assert errors[True] < 0.1 * errors[False]
assert worst_error(exact) < errors[True]
