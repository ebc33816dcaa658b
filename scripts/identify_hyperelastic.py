#!/usr/bin/env python3
"""[C]'s way to a hyperelastic link: the coefficients of the stiffnesses k_e and k_b of (1.17), of a link of constant
curvature, from finite elements. The data are computed here: equilibria of a thick link of rubber, as tetrahedra of ten
nodes that are all free, under a pull along z and a moment at its end, and where its middle and its end are then.

  scripts/identify_hyperelastic.py build/cuttle [--folder out/hyperelastic]      prints tables in Markdown.
"""
import argparse
import itertools
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "models", "identification")
sys.path.insert(0, os.path.join(HERE, "meshes"))
import ten_nodes  # noqa: E402

LENGTH, WIDTH = 0.12, 0.04  # [m]
DIAGONAL = WIDTH * math.sqrt(2)  # the square section stands on an edge: x-z is a plane of symmetry of the mesh
BRICKS = 6  # along the link, of five tetrahedra
C1, LAMBDA = 5.0e4, 4.0e5  # [Pa]: E = 2.8e5, nu = 0.4

# Pull along the world's z [N], moment about y [N m], sideways force along the world's x [N], push on the end face [N].
LOADS = {
    "train": [(n, 0, 0, 0) for n in range(10, 81, 10)] + [(0, m / 1000, 0, 0) for m in range(80, 641, 80)],
    "beyond": [(n, 0, 0, 0) for n in (100, 120, 140)] + [(0, m, 0, 0) for m in (0.8, 0.95, 1.1)],
    "both": [(n, m, 0, 0) for n in (10, 30, 50) for m in (0.2, 0.4, 0.6)],
    "sideways": [(0, 0, f, 0) for f in (1, 2, 3, 4)],
    "pushed": [(0, 0, 0, f) for f in (15, 30, 45)],
}
TITLES = {"train": "fitted", "left out": "left out", "beyond": "beyond the range", "both": "both at once",
          "sideways": "sideways force", "pushed": "pushed together"}
COLUMNS = ["loads[0].force[2]", "loads[0].torque[1]", "loads[0].force[0]", "loads[1].force[2]"]
POINTS = [f"{marker}.{axis}" for marker in ("middle", "end") for axis in "xyz"]

STRETCH, BEND = "links.link.body.hyperelastic.stretch", "links.link.body.hyperelastic.bend"
TANH_BEND = [BEND + ".tanh[0]=0.05:5:log", BEND + ".tanh[1]=-2:2", BEND + ".tanh[2]=0.05:5:log"]
LAWS = {  # name: hyperelastic of the file, what is free
    "linear, as the material has it": ("{stretch: [53.76], bend: [0.49778]}", []),
    "linear": ("{stretch: [53.76], bend: [0.49778]}", [STRETCH + "[0]", BEND + "[0]"]),
    "k_e linear, k_b with tanh^2, as models/caasenbrood2021": (
        "{stretch: [53.76], bend: {tanh: [0.49778, -0.1, 0.5]}}", [STRETCH + "[0]", *TANH_BEND]),
    "k_e0 + k_e1 e^2, k_b linear": (
        "{stretch: [53.76, -10], bend: [0.49778]}", [STRETCH + "[0]", STRETCH + "[1]", BEND + "[0]"]),
    "k_e0 + k_e1 e^2, k_b0 + k_b1 b^2": ("{stretch: [53.76, -10], bend: [0.49778, -0.01]}",
                                         [f"{law}[{i}]" for law in (STRETCH, BEND) for i in (0, 1)]),
    "both with tanh^2": ("{stretch: {tanh: [53.76, -10, 3]}, bend: {tanh: [0.49778, -0.1, 0.5]}}",
                         ["@" + os.path.join(MODELS, "hyperelastic_link_free.txt")]),
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def bricks(path):
    """Writes the mesh with ten nodes. @returns the triangles of the end face, each the (x, y) of six nodes."""
    nodes, elements, face = {}, [], []
    for k, j, i in itertools.product(range(BRICKS + 1), range(2), range(2)):
        nodes[i, j, k] = (len(nodes) + 1, ((i - j) * DIAGONAL / 2, (i + j - 1) * DIAGONAL / 2, LENGTH * k / BRICKS))
    for layer in range(BRICKS):  # cut off four corners; every other brick is mirrored: a pull then bends nothing
        corners = list(itertools.product(range(2), range(2), (layer, layer + 1)))
        odd = [c for c in corners if sum(c) % 2]
        across = (1, 1, 2 * layer + 1)  # less a corner's index: that of its neighbour
        cut = [[c] + [tuple(across[m] - c[m] if m == n else c[m] for m in range(3)) for n in range(3)]
               for c in corners if not sum(c) % 2]
        for way in [odd] + cut:
            a, b, c, d = ([x - y for x, y in zip(nodes[p][1], nodes[way[0]][1])] for p in way)
            volume = sum(b[m] * (c[m - 2] * d[m - 1] - c[m - 1] * d[m - 2]) for m in range(3))
            elements.append([nodes[p][0] for p in (way if volume > 0 else [way[1], way[0], *way[2:]])])
            end = [nodes[p][1][:2] for p in way if p[2] == BRICKS]
            if len(end) == 3:
                face.append(end + [tuple((a + b) / 2 for a, b in zip(end[i], end[(i + 1) % 3])) for i in range(3)])
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes)),
             *(f"{n} " + " ".join(f"{c:.12g}" for c in x) for n, x in nodes.values()), "$EndNodes",
             "$Elements", str(len(elements)),
             *(f"{i + 1} 4 2 0 0 " + " ".join(map(str, e)) for i, e in enumerate(elements)), "$EndElements"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(ten_nodes.convert(lines)) + "\n")
    return face


def shares(face):
    """Of a traction 1, x, y on the end face the force on each of its nodes: the integral of shape function times it."""
    weights = {}  # of degree 4: exact for what is integrated here
    for weight, place in ((0.223381589678011, (0.445948490915965, 0.445948490915965, 0.108103018168070)),
                          (0.109951743655322, (0.091576213509771, 0.091576213509771, 0.816847572980459))):
        weights.update(dict.fromkeys(itertools.permutations(place), weight))
    found = {}
    for triangle in face:
        (x0, y0), (x1, y1), (x2, y2) = triangle[:3]
        area = abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2
        for l, weight in weights.items():
            x, y = (sum(a * p[i] for a, p in zip(l, triangle[:3])) for i in (0, 1))
            shape = [a * (2 * a - 1) for a in l] + [4 * l[i] * l[(i + 1) % 3] for i in range(3)]
            for value, node in zip(shape, triangle):
                key = tuple(round(c, 9) for c in node)
                one = found.setdefault(key, [0, 0, 0])
                for k, traction in enumerate((1, x, y)):
                    one[k] += weight * area * value * traction
    return found


def write_mesh_robot(path, nodes):
    """The link of finite elements, two loads on each node of its end face: one follows it, one does not."""
    loads = "".join(f"  - {{type: wrench, link: link, at: {{point: [{x}, {y}, {LENGTH}]}}, frame: {frame}, "
                    "force: [0, 0, 0]}\n"
                    for frame in ("body", "world") for x, y in nodes)
    h = DIAGONAL / 2
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""cuttle: 1
name: link_fem
gravity: [0, 0, 0]
materials:
  rubber: {{model: neo_hookean, density: 1070, c1: {C1}, lame_lambda: {LAMBDA}, damping_time: 0.02}}
links:
  - name: link
    body:
      type: volume
      shape: {{type: mesh, file: link.msh}}
      quadrature: {{rule: 4}}
      material: rubber
      kinematics: {{type: fem, full: true}}
      tip: {{origin: [0, 0, {LENGTH}], a: [{h}, 0, {LENGTH}], b: [0, {h}, {LENGTH}]}}
loads:
{loads}markers:
  - {{name: middle, link: link, at: {{point: [0, 0, {LENGTH / 2}]}}}}
  - {{name: end, link: link, at: {{point: [0, 0, {LENGTH}]}}}}
""")


def equilibrium(tool, robot, share, load):
    """The configuration under a load of LOADS. @param share  of the nodes of the end face, from shares()."""
    pull, moment, side, push = load
    area, second = WIDTH**2, WIDTH**4 / 12
    sets = []
    for i, (one, x, _) in enumerate(share):  # the moment of a traction along z about y is the integral of -x t
        for name, value in ((f"loads[{i}].force[2]", -moment / second * x - push / area * one),
                            (f"loads[{i + len(share)}].force[2]", pull / area * one),
                            (f"loads[{i + len(share)}].force[0]", side / area * one)):
            sets += ["--set", f"robot.{name}={value!r}"]
    found = json.loads(run(tool, "statics", robot, "--json", *sets))
    if found["stability"] != "stable":
        raise SystemExit(f"identify_hyperelastic.py: the finite elements at {load}: {found['stability']}")
    return found["q"]


def places(tool, robot, configurations):
    """Where the markers are, in the order of POINTS, one list a configuration."""
    states = os.path.join(os.path.dirname(robot), "states.jsonl")
    with open(states, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"q": q}) + "\n" for q in configurations)
    lines = run(tool, "eval", robot, "--states", states).splitlines()
    frames = [json.loads(line)["frames"] for line in lines if line.strip()]
    return [[x for marker in ("middle", "end") for x in one[marker]["position"]] for one in frames]


def distance(data):
    """RMS of the distance over both markers [mm]."""
    channels = [data["channels"][name] for name in POINTS]
    return 1000 * math.sqrt(3 * sum(c["rms"]**2 for c in channels) / len(channels))


def fit(tool, files, law, free):
    """What `cuttle identify` says. Of a law that leaves nothing free, the density, which has no say here."""
    robot = os.path.join(MODELS, "hyperelastic_link.yaml")
    held = [word for kind in LOADS if kind != "train" for word in ("--held-out", files[kind])]
    names = [word for one in free or ["materials.rubber.density"] for word in ("--free", one)]
    return json.loads(run(tool, "identify", robot, files["train"], *names, "--folds", "5", *held, "--json",
                          "--set", f"robot.links.link.body.hyperelastic={law}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--folder", default="out/hyperelastic")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    share = shares(bricks(os.path.join(options.folder, "link.msh")))
    robot = os.path.join(options.folder, "link_fem.yaml")
    write_mesh_robot(robot, list(share))
    with ThreadPoolExecutor(2) as pool:
        tasks = {kind: [pool.submit(equilibrium, options.tool, robot, list(share.values()), load) for load in loads]
                 for kind, loads in LOADS.items()}
        found = {kind: places(options.tool, robot, [task.result() for task in some]) for kind, some in tasks.items()}
    files = {}
    for kind, loads in LOADS.items():
        files[kind] = os.path.join(options.folder, kind + ".csv")
        with open(files[kind], "w", encoding="utf-8") as file:
            file.write(",".join(COLUMNS + POINTS) + "\n")
            for (pull, moment, side, push), where in zip(loads, found[kind]):
                file.write(",".join(map(repr, [pull, moment, side, -push, *where])) + "\n")
    for kind in ("train", "beyond"):
        rows = list(zip(LOADS[kind], found[kind]))
        stretch = max(where[5] / LENGTH - 1 for load, where in rows if load[0])
        bend = max(2 * math.atan2(where[3], where[5]) for load, where in rows if load[1])
        print(f"{TITLES[kind]}: {len(rows)} equilibria, elongation to {stretch:.3f}, bending angle to {bend:.2f} rad")
    print("\n| law | " + " | ".join(TITLES.values()) + " |\n" + "| --- " * (1 + len(TITLES)) + "|", flush=True)
    results = {}
    for name, (law, free) in LAWS.items():
        results[name] = one = fit(options.tool, files, law, free)
        data = {kind: one["held_out"][files[kind]] if kind != "train" else one["data"][files[kind]] for kind in LOADS}
        data["left out"] = one["cross_validation"]["data"][files["train"]]
        print(f"| {name} | " + " | ".join(f"{distance(data[kind]):.2f}" for kind in TITLES) + " |", flush=True)
    for name, one in results.items():
        if LAWS[name][1]:
            print(f"\n{name}:\n\n| parameter | value | 95 % interval |\n| --- | --- | --- |")
            for p in one["parameters"]:
                low, high = p["interval95"]
                interval = "not known" if low is None else f"{low:.4g} to {high:.4g}"
                print(f"| `{p['path']}` | {p['value']:.4g} | {interval} |")


if __name__ == "__main__":
    main()
