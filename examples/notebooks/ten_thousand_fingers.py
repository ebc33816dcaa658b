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
# # Ten thousand fingers at once
# No two castings of silicone are alike. How far do the tips of ten thousand fingers spread, whose stiffness, density and radius
# scatter? A `Batch` has robots of one topology, each with parameters and a state of its own, in SIMD lanes and on all cores.

# %%
import time

import numpy as np

import cuttle

finger = cuttle.Robot.from_dict({
    "name": "finger",
    "materials": {"silicone": {"density": 1070, "young_modulus": 5e5, "poisson_ratio": 0.5, "damping_time": 0.1}},
    "links": [{"name": "finger", "body": {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.01},
                                          "material": "silicone", "strain": "planar_cc"}}],
    "base": {"pose": {"rpy": [0, np.pi / 2, 0]}},
})
parameters = ["materials.silicone.young_modulus", "materials.silicone.density", "links.finger.body.section.radius"]
nominal = np.array([finger.parameters()[path].value for path in parameters])
print(dict(zip(parameters, nominal)))

# %%
count = 10_000
generator = np.random.default_rng(1)
values = nominal * np.exp(generator.normal(0, [0.10, 0.02, 0.02], (count, 3)))
batch = cuttle.Batch(finger.model, parameters, values)
q0 = np.zeros((count, finger.nq))
start = time.perf_counter()
end = batch.rollout(q0, np.zeros((count, finger.nv)), duration=0.06, step=1e-3, output_step=0.02)
took = time.perf_counter() - start
assert batch.all_good
print(f"{count} fingers fall for 0.06 s in {took:.2f} s: {count * 0.06 / took:.0f} times real time")

# %% [markdown]
# The bending at the end, and how it scatters:

# %%
bending = end.q_samples[:, -1, :]  # robots, samples, coordinates
amount = np.linalg.norm(bending, axis=1)
print("bending: mean", amount.mean(), "standard deviation", amount.std())

# %% [markdown]
# A robot of the batch is the same as one alone, with the same steps:

# %%
alone = finger.with_(dict(zip(parameters, values[17]))).simulate(
    duration=0.06, output_step=0.02, integrator={"type": "rk4", "step": 1e-3})
print("finger 17 alone differs by", np.abs(alone.q - end.q_samples[17]).max())
assert np.abs(alone.q - end.q_samples[17]).max() < 1e-9

# %% [markdown]
# Which of the three parameters is to blame? To first order their scatter adds up with the exact derivatives of the nominal finger's
# motion - one run instead of ten thousand:

# %%
slopes = finger.sensitivities("q", parameters, duration=0.06)
main = int(np.argmax(np.abs(bending.mean(axis=0))))
contributions = slopes.derivatives[-1, main] * nominal * [0.10, 0.02, 0.02]
for path, contribution in zip(parameters, contributions):
    print(f"{path}: standard deviation {abs(contribution):.3g}")
predicted = np.linalg.norm(contributions)
print("together", predicted, "and found", bending[:, main].std())
assert abs(predicted / bending[:, main].std() - 1) < 0.1
