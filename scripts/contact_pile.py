#!/usr/bin/env python3
"""A pile of capsules and boxes in a bin, beside MuJoCo: time, creep after rest, penetration; prints the table of docs/measurements.md.

  python3 -m venv build/ratios && build/ratios/bin/pip install mujoco
  PYTHONPATH=build/python build/ratios/bin/python scripts/contact_pile.py [COUNT]

COUNT: of bodies, 20. They fall for FALL seconds and then lie for LIES seconds, in which their ways count. Times are CPU time of one
process and run.
"""

import sys
import time
import warnings

import numpy as np

G, DENSITY, FRICTION = 9.81, 1000.0, 0.5
RADIUS, LENGTH, BOX = 0.015, 0.03, (0.04, 0.03, 0.025)
HALF_BIN = 0.075
FALL, LIES = 3.0, 10.0
WALLS = {  # place and roll, pitch, yaw: planes whose normal looks into the bin
    "left": ([HALF_BIN, 0, 0], [0, -np.pi / 2, 0]), "right": ([-HALF_BIN, 0, 0], [0, np.pi / 2, 0]),
    "back": ([0, HALF_BIN, 0], [np.pi / 2, 0, 0]), "front": ([0, -HALF_BIN, 0], [-np.pi / 2, 0, 0])}


def capsule_inertia():
    """Mass and moments about its center, the last one about its axis."""
    r, h = RADIUS, LENGTH
    middle, ends = DENSITY * np.pi * r**2 * h, DENSITY * 4 / 3 * np.pi * r**3
    along = middle * r**2 / 2 + ends * 0.4 * r**2
    across = middle * (h**2 / 12 + r**2 / 4) + ends * (0.4 * r**2 + h**2 / 4 + 3 / 8 * h * r)
    return middle + ends, [across, across, along]


def box_inertia():
    a, b, c = np.square(BOX)
    mass = DENSITY * np.prod(BOX)
    return mass, [mass / 12 * (b + c), mass / 12 * (a + c), mass / 12 * (a + b)]


def bodies(count, seed=1):
    """Kind, place and roll, pitch, yaw of each: layers of four above each other, tilted at random."""
    random = np.random.default_rng(seed)
    found = []
    for k in range(count):
        layer, cell = divmod(k, 4)
        place = np.array([0.035 * (2 * (cell % 2) - 1), 0.035 * (2 * (cell // 2) - 1), 0.03 + 0.06 * layer])
        place += random.uniform(-0.004, 0.004, 3)
        turn = random.uniform(-0.4, 0.4, 3)
        if k % 2 == 0:
            turn[0] += np.pi / 2
        found.append(("capsule" if k % 2 == 0 else "box", place.tolist(), turn.tolist()))
    return found


def pile(count=20, modulus=1e6, dissipation=5.0):
    """The robot of Cuttle."""
    links = []
    for k, (kind, place, turn) in enumerate(bodies(count)):
        mass, moments = capsule_inertia() if kind == "capsule" else box_inertia()
        shape = {"shape": "capsule", "radius": RADIUS, "length": LENGTH} if kind == "capsule" else {"shape": "box", "size": list(BOX)}
        links.append({"name": f"b{k}", "parent": "base", "joint": {"type": "free"}, "attach": {"pose": {"position": place, "rpy": turn}},
                      "body": {"type": "rigid", "mass": float(mass), "inertia": [float(i) for i in moments] + [0, 0, 0]}, "contact": shape})
    names = [link["name"] for link in links]
    obstacles = [{"name": "ground", "shape": "plane"}]
    obstacles += [{"name": name, "shape": "plane", "pose": {"position": at, "rpy": [float(x) for x in rpy]}} for name, (at, rpy) in WALLS.items()]
    law = {"friction": FRICTION, "modulus": modulus, "dissipation": dissipation}
    contacts = [{"name": "bin", "a": names, "b": [o["name"] for o in obstacles], **law}]
    contacts += [{"name": f"on_{name}", "a": name, "b": names[i + 1 :], **law} for i, name in enumerate(names[:-1])]
    return {"cuttle": 1, "name": "pile", "links": links, "obstacles": obstacles, "contacts": contacts}


def seen(places, speeds, depth, seconds):
    """places: at rest and at the end, (2, bodies, 3)."""
    way = np.linalg.norm(places[1] - places[0], axis=1)
    return {"creep": way.max(), "half of them": np.median(way), "speed": speeds.max(), "depth": depth, "seconds": seconds / (FALL + LIES)}


def cuttle_pile(count, step):
    import cuttle

    robot = cuttle.Robot.from_dict(pile(count))
    begin = time.process_time()
    run = robot.simulate(duration=FALL + LIES, output_step=0.5, integrator={"type": "generalized_alpha", "step": step})
    seconds = time.process_time() - begin
    places = np.stack([run.frame(f"b{k}.base").position for k in range(count)], axis=1)
    speeds = np.stack([np.linalg.norm(run.frame(f"b{k}.base").velocity[-1]) for k in range(count)])
    depth = -min(contact.gap[-1] for name, contact in run.contacts.items() if "/" not in name)
    return seen(places[[int(round(FALL / 0.5)), -1]], speeds, depth, seconds)


def mujoco_pile(count, step, options=""):
    import mujoco

    geoms = []
    for kind, place, turn in bodies(count):
        # roll, pitch, yaw about the world's axes, as Cuttle has them
        quaternion = np.zeros(4)
        mujoco.mju_euler2Quat(quaternion, np.array(turn), "XYZ")
        mass, moments = capsule_inertia() if kind == "capsule" else box_inertia()
        size = f"{RADIUS} {LENGTH / 2}" if kind == "capsule" else " ".join(str(edge / 2) for edge in BOX)
        geoms.append(f"""<body pos="{' '.join(map(str, place))}" quat="{' '.join(map(str, quaternion))}"><freejoint/>
          <inertial pos="0 0 0" mass="{mass}" diaginertia="{' '.join(map(str, moments))}"/>
          <geom type="{kind}" size="{size}" friction="{FRICTION} 0 0"/></body>""")
    planes = ["<geom type='plane' size='1 1 1'/>"]
    for place, turn in WALLS.values():
        quaternion = np.zeros(4)
        mujoco.mju_euler2Quat(quaternion, np.array(turn), "XYZ")
        planes.append(f"<geom type='plane' size='1 1 1' pos='{' '.join(map(str, place))}' quat='{' '.join(map(str, quaternion))}'/>")
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="{step}" gravity="0 0 {-G}" {options}/>
      <default><geom friction="{FRICTION} 0 0"/></default><worldbody>{''.join(planes)}{''.join(geoms)}</worldbody></mujoco>""")
    data = mujoco.MjData(model)
    begin = time.process_time()
    mujoco.mj_step(model, data, int(round(FALL / step)))
    before = data.xpos[1:].copy()
    mujoco.mj_step(model, data, int(round(LIES / step)))
    seconds = time.process_time() - begin
    speeds = np.linalg.norm(data.qvel.reshape(-1, 6)[:, :3], axis=1)
    depth = -min(data.contact.dist)
    return seen(np.stack([before, data.xpos[1:]]), speeds, depth, seconds)


def main(count):
    runs = {
        "MuJoCo, 2 ms": lambda: mujoco_pile(count, 2e-3),
        "MuJoCo, elliptic cone, `impratio` 100, 2 ms": lambda: mujoco_pile(count, 2e-3, 'cone="elliptic" impratio="100"'),
        "Cuttle, 2 ms": lambda: cuttle_pile(count, 2e-3),
        "Cuttle, 5 ms": lambda: cuttle_pile(count, 5e-3),
    }
    print(f"A pile of {count} capsules and boxes; {FALL:g} s to fall, then {LIES:g} s:\n")
    print("| | time for a simulated second | creep of the most, of half of them | speed at the end | penetration |")
    print("| --- | --- | --- | --- | --- |")
    for name, run in runs.items():
        found = run()
        print(f"| {name} | {1e3 * found['seconds']:.3g} ms | {1e6 * found['creep']:.3g} um, {1e6 * found['half of them']:.3g} um | "
              f"{1e6 * found['speed']:.3g} um/s | {1e6 * found['depth']:.3g} um |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
