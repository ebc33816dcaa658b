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
# # A first robot
# A motor with a soft finger on it: described, looked at, changed, and run. Units are SI, angles rad.

# %%
import numpy as np

import cuttle

# %% [markdown]
# A robot is a tree of links, each a joint and a body. These are the keys of a robot file; `robot.save("finger.yaml")` writes one.

# %%
robot = cuttle.Robot.from_dict({
    "name": "finger_on_a_motor",
    "materials": {"silicone": {"density": 1070, "young_modulus": 5e5, "poisson_ratio": 0.5, "damping_time": 0.1}},
    "links": [
        {
            "name": "shoulder",
            "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 0.01},
            "body": {"type": "rigid", "mass": 0.2, "com": [0, 0, 0.05], "inertia": [2e-4, 2e-4, 5e-5, 0, 0, 0],
                     "tip": {"position": [0, 0, 0.1]}},
        },
        {
            "name": "finger",
            "body": {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": [0.02, 0.01]},
                     "material": "silicone", "strain": "pcc"},
        },
    ],
    "actuators": [{"name": "motor", "type": "joint", "link": "shoulder"}],
})
print(robot)
print("inputs", robot.inputs, "frames", robot.frames)

# %% [markdown]
# It falls from a slant. The energy balance - what came in, less what was lost, less what is there - stays at rounding and the
# integrator's tolerance: that is the first thing to look at in any run.

# %%
run = robot.simulate(duration=2, q=[0.5, 0, 0, 0], output_step=0.02)
print("tip at the end", run.frame("finger.tip").position[-1], "m")
print("worst energy balance", np.abs(run.energy.balance).max(), "J, of", np.ptp(run.energy.gravity), "J that were moved")
assert np.abs(run.energy.balance).max() < 1e-4 * np.ptp(run.energy.gravity)

# %%
figure = run.plot("finger.tip")  # run.view() shows it in 3D

# %% [markdown]
# Every number of the description is a parameter with a path. `with_` makes another robot.

# %%
for modulus in (3e5, 5e5, 1e6):
    other = robot.with_({"materials.silicone.young_modulus": modulus})
    # held horizontally by the motor, the finger sags
    rest = other.statics(target={"finger.base": [0.1, 0, 0]}, q=[np.pi / 2, 0, 0, 0])
    sag = rest.frame("finger.base").position[2] - rest.frame("finger.tip").position[2]
    print(f"{modulus:.0e} Pa: the tip sags {1e3 * sag:.1f} mm, the motor holds {rest.u[0]:.3f} N m")

# %% [markdown]
# Small motions about the rest position below, and where the tip goes when the motor turns:

# %%
for mode in robot.modes(q=[np.pi, 0, 0, 0]):
    print(f"{mode.frequency:.3f} Hz, damping ratio {mode.damping_ratio:.3f}")
turned = robot.simulate(duration=1, q=[np.pi, 0, 0, 0], inputs={"motor": cuttle.Signal.sine(0.3, 1.0)})
print("the tip moves within", np.ptp(turned.frame("finger.tip").position[:, 0]), "m")
