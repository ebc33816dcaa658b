#!/usr/bin/env python3
"""Imported robots against the programs that they come from: every URDF of the package example-robot-data against Pinocchio, and
every model in MJCF that dm_control ships against MuJoCo. At random states inverse dynamics, mass matrix and frames of links
must be equal. Prints the table of docs/importing.md.

  scripts/import_check.py [TOOL] [--states 100] [--only TEXT]      default build/cuttle

Needs Python's packages pin, example-robot-data, mujoco, dm_control, numpy, pyyaml and is no part of Cuttle:
  python3 -m venv build/import_venv && build/import_venv/bin/pip install pin example-robot-data mujoco dm_control numpy pyyaml

What is compared, each as the largest difference relative to the largest value of the state (frames: m and entries of the
rotation): inverse dynamics M a + c + g without springs and dampers, the mass matrix with armature, and the poses of all links.
The script fails if a model differs by more than LIMIT, or cannot be compared, but for those in EXCEPTIONS.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import numpy as np
import yaml

LIMIT = 1e-9
# by the end of a model's path: (the most that it may differ, or None where it cannot be compared; why)
EXCEPTIONS = {
    "romeo_laas_small.urdf": (1e-2, "an inertia has a principal moment of -0.02 kg m^2, which Cuttle takes as 0"),
    "ur_description/urdf/ur3.urdf": (None, "the file has no link"),
    "drosophila_fused.xml": (1e-8, "masses of its meshes, probably single precision in MuJoCo's"),
}


def imported(tool, model, folder):
    """(path of the robot file, notes) or (None, message)."""
    target = os.path.join(folder, "robot.yaml")
    done = subprocess.run([tool, "import", str(model), "-o", target, "--force", "--no-visuals"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0].replace(str(model.parent) + "/", "")
    return target, done.stdout.strip().splitlines()[:-1]


def evaluated(tool, robot, states, folder):
    file = os.path.join(folder, "states.jsonl")
    with open(file, "w", encoding="utf-8") as out:
        for q, v, a in states:
            out.write(json.dumps({"q": list(map(float, q)), "v": list(map(float, v)), "a": list(map(float, a))}) + "\n")
    done = subprocess.run([tool, "eval", robot, "--states", file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    return [json.loads(line) for line in done.stdout.splitlines()]


def joints_of(robot):
    """[(link, type)] of the joints that move, in the order of the coordinates."""
    with open(robot, encoding="utf-8") as file:
        links = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["links"]
    return [(link["name"], link["joint"]["type"]) for link in links if link.get("joint", {}).get("type", "fixed") != "fixed"]


class Difference:
    def __init__(self):
        self.dynamics = self.mass = self.frames = 0.0

    def add(self, theirs, ours):
        """theirs, ours: (inverse dynamics, mass matrix, [(position, rotation)])"""
        scale = max(1.0, np.abs(theirs[0]).max(initial=0.0))
        self.dynamics = max(self.dynamics, np.abs(theirs[0] - ours[0]).max(initial=0.0) / scale)
        scale = max(1e-3, np.abs(theirs[1]).max(initial=0.0))
        self.mass = max(self.mass, np.abs(theirs[1] - ours[1]).max(initial=0.0) / scale)
        for (p, rotation), (other_p, other_rotation) in zip(theirs[2], ours[2]):
            self.frames = max(self.frames, np.abs(p - other_p).max() / max(1.0, np.abs(p).max()),
                              np.abs(rotation - other_rotation).max())

    def worst(self):
        return max(self.dynamics, self.mass, self.frames)


def random_quaternion(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def rotation_of(q):  # w x y z
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def forces(ours):
    """M a + c + g"""
    return np.array(ours["inertial_inverse_dynamics"]) + np.array(ours["gravity_force"])


def frame_of(frames, name):
    frame = frames[name]
    return np.array(frame["position"]), np.array(frame["rotation"])


# --- URDF against Pinocchio ------------------------------------------------------------------------------------------

def against_pinocchio(tool, file, robot, count, random, folder):
    import pinocchio as pin
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    joints = joints_of(robot)
    # their joints by the link that each carries: the frame of the body whose parent joint it is, placed at the joint
    child = {}
    root = ElementTree.parse(file).getroot()
    for joint in root.iter("joint"):
        if joint.find("child") is not None:
            child[joint.get("name")] = joint.find("child").get("link")
    renamed = {}  # what Cuttle cannot call so
    for link in root.iter("link"):
        name = link.get("name")
        renamed[name] = "".join("_" if letter in "./[]" else letter for letter in name)
        if renamed[name] == "base":
            renamed[name] = "base_1"
    index = {renamed[child[name]]: k for k, name in enumerate(model.names) if name in child}
    width = {"revolute": (1, 1), "prismatic": (1, 1), "planar": (3, 3), "free": (7, 6)}
    states, theirs_states = [], []
    for _ in range(count):
        q, v, a = [], [], []
        pq, pv, pa = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for link, kind in joints:
            joint = model.joints[index[link]]
            if kind == "free":
                position, quaternion = random.uniform(-1, 1, 3), random_quaternion(random)
                twist, rate = random.normal(size=6), random.normal(size=6)
                q += [*position, *quaternion]
                v += [*twist]
                a += [*rate]
                pq[joint.idx_q:joint.idx_q + 7] = [*position, *quaternion[1:], quaternion[0]]
                pv[joint.idx_v:joint.idx_v + 6] = [*twist[3:], *twist[:3]]
                pa[joint.idx_v:joint.idx_v + 6] = [*rate[3:], *rate[:3]]
                continue
            if width[kind] != (1, 1):
                raise RuntimeError(f"no comparison of joints of type {kind}")
            angle, speed, rate = random.uniform(-3, 3), random.normal(), random.normal()
            q.append(angle)
            v.append(speed)
            a.append(rate)
            pq[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
            pv[joint.idx_v], pa[joint.idx_v] = speed, rate
        states.append((q, v, a))
        theirs_states.append((pq, pv, pa))
    order = []
    for link, kind in joints:
        start = model.joints[index[link]].idx_v
        order += [start + 3, start + 4, start + 5, start, start + 1, start + 2] if kind == "free" else [start]
    if len(order) != model.nv:
        raise RuntimeError(f"found {len(order)} velocities, expected {model.nv}")
    bodies = [(renamed[frame.name], k) for k, frame in enumerate(model.frames)
              if frame.type == pin.FrameType.BODY and frame.name in renamed]
    model.damping[:] = 0  # Cuttle's inertial inverse dynamics have no friction either
    model.friction[:] = 0
    model.lowerDryFrictionLimit[:] = model.upperDryFrictionLimit[:] = 0
    difference = Difference()
    for (pq, pv, pa), ours in zip(theirs_states, evaluated(tool, robot, states, folder)):
        tau = pin.rnea(model, data, pq, pv, pa)[order]
        mass = pin.crba(model, data, pq)
        mass = (np.triu(mass) + np.triu(mass, 1).T)[np.ix_(order, order)]
        pin.framesForwardKinematics(model, data, pq)
        frames = [(data.oMf[k].translation, data.oMf[k].rotation) for _, k in bodies]
        difference.add((tau, mass, frames), (forces(ours), np.array(ours["mass_matrix"]).reshape(
            mass.shape), [frame_of(ours["frames"], name + ".tip") for name, _ in bodies]))
    return model.nv, difference


# --- MJCF against MuJoCo ---------------------------------------------------------------------------------------------

def against_mujoco(tool, file, robot, count, random, folder):
    import mujoco
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    joints = joints_of(robot)
    if len(joints) != model.njnt:
        raise RuntimeError(f"found {len(joints)} joints, expected {model.njnt}")
    states, theirs_states = [], []
    for _ in range(count):
        q, v, a = [], [], []
        mq, mv, ma = np.array(model.qpos0), np.zeros(model.nv), np.zeros(model.nv)
        for k in range(model.njnt):
            kind, at, dof = model.jnt_type[k], model.jnt_qposadr[k], model.jnt_dofadr[k]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                start = model.qpos0[at:at + 7]
                base = rotation_of(start[3:] / np.linalg.norm(start[3:]))
                position, quaternion = random.uniform(-1, 1, 3), random_quaternion(random)  # relative to the start
                spin, slide, spin_rate, slide_rate = random.normal(size=(4, 3))
                rotation = base @ rotation_of(quaternion)
                q += [*position, *quaternion]
                v += [*spin, *slide]
                a += [*spin_rate, *slide_rate]
                mq[at:at + 3] = start[:3] + base @ position
                mujoco.mju_mulQuat(mq[at + 3:at + 7], start[3:] / np.linalg.norm(start[3:]), quaternion)
                mv[dof:dof + 3], mv[dof + 3:dof + 6] = rotation @ slide, spin
                ma[dof:dof + 3] = rotation @ (slide_rate + np.cross(spin, slide))
                ma[dof + 3:dof + 6] = spin_rate
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                quaternion, spin, rate = random_quaternion(random), random.normal(size=3), random.normal(size=3)
                q += [*quaternion]
                v += [*spin]
                a += [*rate]
                mq[at:at + 4], mv[dof:dof + 3], ma[dof:dof + 3] = quaternion, spin, rate
            else:
                value, speed, rate = random.uniform(-2, 2), random.normal(), random.normal()
                q.append(value)
                v.append(speed)
                a.append(rate)
                mq[at] += value
                mv[dof], ma[dof] = speed, rate
        states.append((q, v, a))
        theirs_states.append((mq, mv, ma))
    difference = Difference()
    make_mass = mujoco.mj_makeM if hasattr(mujoco, "mj_makeM") else mujoco.mj_crb  # with versions it changes its name
    for (mq, mv, ma), ours in zip(theirs_states, evaluated(tool, robot, states, folder)):
        data.qpos[:], data.qvel[:], data.qacc[:] = mq, mv, ma
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        make_mass(model, data)
        mujoco.mj_comVel(model, data)
        tau, mass = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        mujoco.mj_rne(model, data, 1, tau)
        tau += model.dof_armature * ma
        if hasattr(data, "qM"):  # up to version 3
            mujoco.mj_fullM(model, mass, data.qM)
        else:
            mujoco.mj_fullM(model, data, mass)
        # of a free joint: velocities of the world to those of the link, angular first
        change = np.eye(model.nv)
        for k in range(model.njnt):
            if model.jnt_type[k] != mujoco.mjtJoint.mjJNT_FREE:
                continue
            dof, at = model.jnt_dofadr[k], model.jnt_qposadr[k]
            block = np.zeros((6, 6))
            block[:3, 3:], block[3:, :3] = rotation_of(mq[at + 3:at + 7]), np.eye(3)
            change[dof:dof + 6, dof:dof + 6] = block
        frames = [(np.array(data.xpos[b]), np.array(data.xmat[b]).reshape(3, 3)) for b in range(1, model.nbody)]
        names = [model.body(b).name or f"body_{b}" for b in range(1, model.nbody)]
        names = ["".join("_" if letter in "./[]" else letter for letter in name) for name in names]
        names = ["base_1" if name == "base" else name for name in names]
        difference.add((change.T @ tau, change.T @ mass @ change, frames),
                       (forces(ours), np.array(ours["mass_matrix"]).reshape(mass.shape),
                        [frame_of(ours["frames"], name + ".tip") for name in names]))
    return model.nv, difference


def is_model(file):
    """Whether MuJoCo takes a file for a model with a joint."""
    import mujoco
    try:
        return mujoco.MjModel.from_xml_path(str(file)).njnt > 0
    except ValueError:
        return False


# --- table -----------------------------------------------------------------------------------------------------------

def row(tool, file, shown, compare, count, seed):
    with tempfile.TemporaryDirectory() as folder:
        robot, notes = imported(tool, file, folder)
        if robot is None:
            return f"| {shown} | | | not imported: {notes} |", None
        losses = str(len(notes))
        try:
            nv, difference = compare(tool, file, robot, count, np.random.default_rng(seed), folder)
        except Exception as error:  # pylint: disable=broad-except  # theirs are of all kinds
            return f"| {shown} | | {losses} | not compared: {str(error).splitlines()[0]} |", None
    return (f"| {shown} | {nv} | {losses} | {difference.dynamics:.0e} | {difference.mass:.0e} | {difference.frames:.0e} |",
            difference.worst())


def verdict(shown, difference):
    """(whether it is as it should be, what to say of it); difference: None if the model was not compared."""
    for end, (bound, reason) in EXCEPTIONS.items():
        if not shown.endswith(end):
            continue
        if difference is None:
            return bound is None, f"not compared, known: {reason}"
        if difference <= LIMIT:
            return False, "agrees now: take it out of EXCEPTIONS"
        return bound is not None and difference <= bound, f"{difference:.0e}, known: {reason}"
    if difference is None:
        return False, "not compared"
    return difference <= LIMIT, f"{difference:.0e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", default="build/cuttle")
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--only", default="", help="models whose path has this text")
    options = parser.parse_args()
    options.tool = os.path.abspath(options.tool)
    packages = pathlib.Path(importlib.util.find_spec("dm_control").origin).parent.parent
    urdfs = sorted(f for f in packages.glob("cmeel.prefix/share/example-robot-data/robots/**/*.urdf"))
    # files that are parts of models, of other kinds, or wrong on purpose have no body to compare
    mjcfs = sorted(f for f in (packages / "dm_control").glob("**/*.xml") if is_model(f))
    worst, known, failed, compared = 0.0, [], [], 0
    for title, files, root, compare in (("URDF, against Pinocchio", urdfs, "cmeel.prefix/share/example-robot-data/robots",
                                         against_pinocchio), ("MJCF, against MuJoCo", mjcfs, "dm_control", against_mujoco)):
        print(f"\n{title}:\n\n| model | nv | notes | inverse dynamics | mass matrix | frames |\n| --- | --- | --- | --- | --- | --- |")
        for file in files:
            shown = str(file.relative_to(packages / root))
            if options.only not in shown:
                continue
            line, difference = row(options.tool, file, shown, compare, options.states, 1)
            print(line, flush=True)
            compared += 1
            good, said = verdict(shown, difference)
            if not good:
                failed.append(f"{shown}: {said}")
            elif difference is None or difference > LIMIT:
                known.append(f"{shown}: {said}")
            else:
                worst = max(worst, difference)
    print(f"\nlargest difference of those within {LIMIT:g}: {worst:.1e}")
    print(f"known exceptions: {len(known)}", *known, sep="\n  ")
    print(f"not as they should be: {len(failed)}", *failed, sep="\n  ")
    if compared == 0:
        print("found no model to compare", file=sys.stderr)
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
