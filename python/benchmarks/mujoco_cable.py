"""The soft pendulum beside MuJoCo's composite cable (docs/learning.md): environment steps of 40 ms a second of one core.

    pip install 'mujoco>=3.3,<3.4'; PYTHONPATH=build/python python python/benchmarks/mujoco_cable.py

The cable has the pendulum's hinge, length, radius, density and Young's modulus, of rigid segments with ball joints between.
"""

import time

import mujoco
import numpy as np

from cuttle.gym import SoftPendulum, VectorEnv

MODEL = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"/></extension>
<option gravity="9.81 0 0" timestep="{step}" integrator="implicitfast"><flag contact="disable"/></option>
<worldbody><body>
  <joint type="hinge" axis="0 1 0" damping="0.002" armature="1e-4"/>
  <inertial pos="0 0 0" mass="1e-4" diaginertia="1e-6 1e-6 1e-6"/>
  <composite type="cable" curve="s 0 0" count="{nodes} 1 1" size="0.4 0 0" initial="none">
    <plugin plugin="mujoco.elasticity.cable"><config key="twist" value="3.333e6"/><config key="bend" value="1e7"/></plugin>
    <joint kind="main" damping="0.0005"/><geom type="capsule" size="0.0085" density="1070"/>
  </composite>
</body></worldbody></mujoco>"""
CASES = ((4, 0.004), (8, 0.002), (16, 0.001))  # segments, step [s]
LANES = 64


def main():
    env, generator = VectorEnv(SoftPendulum(), LANES, threads=1), np.random.default_rng(0)
    env.reset(seed=0)
    cables = []
    for segments, step in CASES:
        model = mujoco.MjModel.from_xml_string(MODEL.format(nodes=segments + 1, step=step))
        data = mujoco.MjData(model)
        data.qvel[:] = 0.3
        mujoco.mj_step(model, data, nstep=int(2 / step))
        unstable = sum(int(warning.number) for warning in data.warning) > 0
        cables.append((segments, step, model, data, unstable))
    least = np.full(1 + len(cables), np.inf)
    for _ in range(9):  # in turns, so that what else the machine does falls on all
        begin = time.process_time()
        for _ in range(10):
            env.step(generator.uniform(-1, 1, env.action_space.shape))
        least[0] = min(least[0], (time.process_time() - begin) / 10 / LANES)
        for i, (_, step, model, data, _) in enumerate(cables, 1):
            begin = time.process_time()
            for _ in range(40):
                mujoco.mj_step(model, data, nstep=round(0.04 / step))
            least[i] = min(least[i], (time.process_time() - begin) / 40)
    print(f"MuJoCo {mujoco.__version__}\nSoftPendulum, {LANES} lanes: {1 / least[0]:.0f} steps/s")
    for (segments, step, model, _, unstable), seconds in zip(cables, least[1:]):
        found = "; unstable" if unstable else ""
        print(f"cable of {segments} segments, nv {model.nv}, {step} s: {1 / seconds:.0f} steps/s, {seconds / least[0]:.2f} x our time{found}")


if __name__ == "__main__":
    main()
