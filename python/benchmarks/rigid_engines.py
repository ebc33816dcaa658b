"""Rigid chains in Cuttle, Pinocchio and MuJoCo, each by its Python package: a table in Markdown. `make bench` prints it.

    PYTHONPATH=build/python build/python-env/bin/python python/benchmarks/rigid_engines.py

Needs Python's packages pin and mujoco. All read the same URDF; before anything is timed, forces and accelerations must be
equal. Times are those of calls from Python, the least of several means, in turns; "call" is what an empty call takes.
"""

import os
import tempfile
import time

import mujoco
import numpy as np
import pinocchio

import cuttle
from cuttle._program import run_program

JOINTS = (6, 24, 96, 384)
SAME = 1e-11  # for each joint: the longer the chain, the more its accelerations round


def chain_urdf(count, generator):
    """A serial chain whose axes, masses and inertias are random; the same seed, the same chain."""
    text = ['<robot name="chain">', '<link name="world"/>']
    for i in range(count):
        parent = f"l{i - 1}" if i > 0 else "world"
        axis = generator.normal(size=3)
        axis /= np.linalg.norm(axis)
        inertia = generator.uniform(1e-3, 3e-3) + np.array([0.0, 2e-4, 1e-4])
        com, place, turn = generator.uniform(-0.03, 0.03, 3), generator.uniform(-0.1, 0.1, 3), generator.uniform(-1, 1, 3)
        words = lambda x: " ".join(map(repr, map(float, x)))
        text.append(f'<link name="l{i}"><inertial><origin xyz="{words(com)}"/><mass value="{generator.uniform(0.2, 1)!r}"/>'
                    f'<inertia ixx="{float(inertia[0])!r}" iyy="{float(inertia[1])!r}" izz="{float(inertia[2])!r}" ixy="0" ixz="0" iyz="0"/>'
                    f'</inertial></link><joint name="j{i}" type="continuous"><parent link="{parent}"/><child link="l{i}"/>'
                    f'<origin xyz="{words(place)}" rpy="{words(turn)}"/><axis xyz="{words(axis)}"/></joint>')
    return "\n".join(text) + "</robot>"


def seconds_in_turns(calls, repeats=300):
    """The least mean of each call over a millisecond, all in turns: so short that a busy machine leaves some of them alone."""
    counts = []
    for call in calls:
        begin = time.perf_counter()
        call()
        call()
        counts.append(max(3, int(1e-3 / (time.perf_counter() - begin) * 2)))
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            begin = time.perf_counter()
            for _ in range(counts[i]):
                call()
            best[i] = min(best[i], (time.perf_counter() - begin) / counts[i])
    return best


def mujoco_chain(path):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model, mujoco.MjData(model)


def require_same(what, found, expected, count):
    error = np.abs(found - expected).max() / np.abs(expected).max()
    if not error < SAME * count:
        raise SystemExit(f"{what}: {error:.1e} apart from Pinocchio, expected less than {SAME * count:.0e}")


def rows_of(count):
    generator = np.random.default_rng(count)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chain.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(chain_urdf(count, generator))
        robot = load_imported(path, folder)
        other = pinocchio.buildModelFromUrdf(path)
        mj_model, mj_data = mujoco_chain(path)
    model, data = robot.model, cuttle.Data(robot.model)
    derivatives = cuttle.DerivativeData(model)
    other_data = other.createData()
    angles, v, a = generator.uniform(-1, 1, (3, count))
    q = np.column_stack([np.cos(angles), np.sin(angles)]).ravel()  # as Pinocchio has continuous joints
    mj_data.qpos[:], mj_data.qvel[:], mj_data.qacc[:] = angles, v, a
    expected = pinocchio.rnea(other, other_data, q, v, a).copy()
    require_same("Cuttle", cuttle.inverse_dynamics(model, data, angles, v, a), expected, count)
    mujoco.mj_inverse(mj_model, mj_data)
    require_same("MuJoCo", mj_data.qfrc_inverse, expected, count)
    require_same("Cuttle", cuttle.forward_dynamics(model, data, angles, v, expected), a, count)
    mj_data.qfrc_applied[:] = expected
    tip, joint = model.links[-1].tip, other.njoints - 1
    frame = other.addFrame(pinocchio.Frame("tip", joint, pinocchio.SE3.Identity(), pinocchio.FrameType.OP_FRAME))
    other_data = other.createData()
    jacobian = pinocchio.computeFrameJacobian(other, other_data, q, frame)
    require_same("Cuttle", np.roll(cuttle.frame_jacobian(model, data, angles, tip), 3, axis=0), jacobian, count)  # linear rows first
    cases = [
        ("inverse dynamics", lambda: cuttle.inverse_dynamics(model, data, angles, v, a),
         lambda: pinocchio.rnea(other, other_data, q, v, a), lambda: mujoco.mj_inverse(mj_model, mj_data)),
        ("forward dynamics", lambda: cuttle.forward_dynamics(model, data, angles, v, expected),
         lambda: pinocchio.aba(other, other_data, q, v, expected), lambda: mujoco.mj_forward(mj_model, mj_data)),
        ("mass matrix", lambda: cuttle.mass_matrix(model, data, angles), lambda: pinocchio.crba(other, other_data, q), None),
        ("Jacobian of the tip", lambda: cuttle.frame_jacobian(model, data, angles, tip),
         lambda: pinocchio.computeFrameJacobian(other, other_data, q, frame), None),
        ("derivatives of inverse dynamics",
         lambda: cuttle.inverse_dynamics_derivatives(model, data, derivatives, angles, v, a),
         lambda: pinocchio.computeRNEADerivatives(other, other_data, q, v, a), None),
        ("derivatives of forward dynamics",
         lambda: cuttle.forward_dynamics_derivatives(model, data, derivatives, angles, v, expected),
         lambda: pinocchio.computeABADerivatives(other, other_data, q, v, expected), None),
    ]
    for name, *calls in cases:
        calls = [call for call in calls if call is not None]
        ours, theirs, *third = seconds_in_turns(calls)
        us = lambda seconds: f"{1e6 * seconds:.2f}"
        yield (f"| {count} | {name} | {us(ours)} | {us(theirs)} | {ours / theirs:.2f} | "
               + (f"{us(third[0])} | {ours / third[0]:.2f} |" if third else "| |"))


def load_imported(path, folder):
    target = os.path.join(folder, "chain.yaml")
    run_program("import", path, "-o", target)
    return cuttle.load(target)


def main():
    call = seconds_in_turns([lambda: None])[0]
    print(f"Rigid chains, Cuttle {cuttle.__version__}, Pinocchio {pinocchio.__version__}, MuJoCo {mujoco.__version__}; times [us] of "
          f"calls from Python, of which {1e6 * call:.2f} us are an empty one; all agree within {SAME:.0e} a joint\n")
    print("| joints | | Cuttle | Pinocchio | ratio | MuJoCo | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    for count in JOINTS:
        for row in rows_of(count):
            print(row, flush=True)


if __name__ == "__main__":
    main()
