"""An elastic block of finite elements between frictionless plates: uniform pressure, found in closed form (patch test)."""

from itertools import permutations, product

import numpy as np
import pytest

import cuttle

SIZE = np.array([0.03, 0.02, 0.04])
CELLS = (3, 2, 3)
MODULUS = 2.0e5
AREA = SIZE[0] * SIZE[1]


def write_mesh(path, cells=CELLS, uneven=0.0):
    """A block of boxes, each of six tetrahedra around its diagonal. `uneven`: how far nodes are moved along x and y."""
    ticks = [np.linspace(0, 1, n + 1) for n in cells]
    number, nodes = {}, []
    for place in product(*(range(n + 1) for n in cells)):
        x, y, z = (tick[i] for tick, i in zip(ticks, place))
        moved = uneven * np.array([x * (1 - x) * np.cos(7 * y), y * (1 - y) * np.cos(5 * x), 0])
        number[place] = len(nodes) + 1
        nodes.append((np.array([x, y, z]) + moved - [0.5, 0.5, 0]) * SIZE)
    tetrahedra = []
    for cell in product(*(range(n) for n in cells)):
        for order in permutations(range(3)):
            corner, corners = np.array(cell), [cell]
            for axis in order:
                corner = corner + np.eye(3, dtype=int)[axis]
                corners.append(tuple(int(i) for i in corner))
            of = [number[c] for c in corners]
            a, b, c, d = (nodes[i - 1] for i in of)
            if np.linalg.det([b - a, c - a, d - a]) < 0:
                of[2], of[3] = of[3], of[2]
            tetrahedra.append(of)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(np.array(nodes).tolist())]
    lines += ["$EndNodes", "$Elements", str(len(tetrahedra))]
    lines += [f"{i + 1} 4 2 1 1 {' '.join(map(str, of))}" for i, of in enumerate(tetrahedra)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))


def block(folder, touched, uneven=0.0, modulus=1e8):
    """Clamped below, where it does not widen as its Poisson's ratio is 0; a plate comes from above, or it is a wall."""
    write_mesh(folder / "block.msh", uneven=uneven)
    (folder / "block.yaml").write_text(f"""cuttle: 1
gravity: [0, 0, 0]
materials: {{gel: {{model: st_venant_kirchhoff, density: 1000, young_modulus: {MODULUS}, poisson_ratio: 0, damping_time: 2.0e-3}}}}
links:
  - name: press
    parent: base
    joint: {{type: prismatic, axis: [0, 0, 1]}}
    body: {{type: rigid, mass: 0.05, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}}
    contact: {{shape: box, size: [0.1, 0.1, 0.02], pose: {{position: [0, 0, {SIZE[2] + 0.01}]}}}}
  - name: block
    parent: {"base" if touched == "plate" else "press"}
    body: {{type: volume, shape: {{type: mesh, file: block.msh}}, quadrature: {{rule: 1}}, material: gel, kinematics: {{type: fem, full: true}}}}
actuators: [{{name: push, type: joint, link: press}}]
obstacles: [{{name: wall, shape: plane, pose: {{position: [0, 0, {SIZE[2]}], rpy: [3.141592653589793, 0, 0]}}}}]
contacts: [{{name: face, a: block, b: {"press" if touched == "plate" else "wall"}, friction: 0, modulus: {modulus}, record: sites}}]
""")
    return cuttle.load(folder / "block.yaml")


def shares_of_top(path):
    """A third of the areas of the triangles on the upper face around each of its nodes, by where that is over the size."""
    lines = path.read_text().splitlines()
    nodes = {int(i): np.array([float(x), float(y), float(z)]) for i, x, y, z in (
        line.split() for line in lines[lines.index("$Nodes") + 2 : lines.index("$EndNodes")])}
    shares = {}
    for line in lines[lines.index("$Elements") + 2 : lines.index("$EndElements")]:
        top = [nodes[int(i)] for i in line.split()[5:] if abs(nodes[int(i)][2] - SIZE[2]) < 1e-9]
        if len(top) == 3:
            area = 0.5 * np.linalg.norm(np.cross(top[1] - top[0], top[2] - top[0]))
            for corner in top:
                place = tuple(np.round(corner[:2] / SIZE[:2], 4) + 0.0)
                shares[place] = shares.get(place, 0) + area / 3
    assert sum(shares.values()) == pytest.approx(AREA)
    return shares


def stretch(pressure):
    """Of a St. Venant-Kirchhoff bar, whose force over its first section is E (s^2 - 1) s / 2."""
    roots = np.roots([0.5, 0, -0.5, pressure / MODULUS])
    return max(root.real for root in roots if abs(root.imag) < 1e-12)


@pytest.mark.parametrize("touched", ["plate", "wall"])
@pytest.mark.parametrize("uneven", [0.0, 0.3])
def test_the_pressure_is_uniform_and_the_block_as_short_as_the_bar(touched, uneven, tmp_path):
    of = block(tmp_path, touched, uneven)
    for pressure in (500.0, 5000.0):
        force = pressure * AREA
        rest = of.statics([-force if touched == "plate" else force])
        assert rest.contacts["face"].normal == pytest.approx(force, rel=1e-4)  # to what statics solves
        q = np.array(rest.q)
        moved = q[1:].reshape(-1, 3)  # of the nodes
        # Each site gives by sqrt(2 range pressure thickness / modulus), its law being quadratic there. Its thickness is a
        # third of the edges around, which differs from node to node, and the range a thousandth of that.
        gives = SIZE[2] / 3 * np.sqrt(2e-3 * pressure / 1e8)
        assert np.abs(moved[:, :2]).max() < gives
        shorter = SIZE[2] * (1 - stretch(pressure))
        assert -moved[:, 2].min() == pytest.approx(shorter, abs=gives)
        top = np.isclose(moved[:, 2], moved[:, 2].min(), rtol=0, atol=2 * gives)
        assert top.sum() == (CELLS[0] + 1) * (CELLS[1] + 1)  # all of its face, to the corners
        held = of.simulate(inputs={"push": -force if touched == "plate" else force}, q=q, duration=1e-6, output_step=1e-6,
                           integrator={"type": "generalized_alpha", "step": 1e-6})
        sites = held.contacts["face/sites"]
        forces, places = sites.force[0].reshape(-1, 3), sites.position[0].reshape(-1, 3)
        carried = {tuple(np.round(place[:2] / SIZE[:2], 4) + 0.0): -vertical for place, vertical in zip(places, forces[:, 2]) if vertical}
        shares = shares_of_top(tmp_path / "block.msh")
        assert sorted(carried) == sorted(shares)
        for place, area in shares.items():  # each corner has a third of the triangles around, as uniform pressure wants
            assert carried[place] == pytest.approx(pressure * area, rel=2e-2), place


def test_it_comes_to_the_same_in_time(tmp_path):
    of, pressure = block(tmp_path, "plate"), 2000.0
    run = of.simulate(inputs={"push": -pressure * AREA}, duration=0.5, output_step=0.1,
                      integrator={"type": "generalized_alpha", "step": 2e-3, "rho_inf": 0.3})
    assert run.q[-1] == pytest.approx(of.statics([-pressure * AREA]).q, abs=1e-4 * SIZE[2] * pressure / MODULUS)
