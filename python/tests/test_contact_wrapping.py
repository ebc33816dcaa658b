"""A finger of finite elements, with all displacements of its mesh, that air bends around a bar."""

from pathlib import Path

import numpy as np
import pytest

import cuttle

MODELS = Path(__file__).parents[2] / "models" / "contact"
BAR, RADIUS, BASE = (0.0502, 0.1), 0.05, 0.12  # y and z of its axis, its radius, height of the base [m]


PRESSURE, DENSITY, C1, LAMBDA, G = 7.6e3, 1070.0, 5e4, 4e5, 9.80665


def mesh():
    """Places of the nodes in the order of their numbers, which are 1, 2 and so on; tetrahedra of ten nodes and triangles
    of six around the cavity, by indices."""
    lines = (MODELS / "bellows_finger.msh").read_text(encoding="utf-8").splitlines()
    first, last = lines.index("$Nodes") + 2, lines.index("$EndNodes")
    rows = np.array([line.split() for line in lines[first:last]], dtype=float)
    assert (rows[:, 0] == np.arange(1, len(rows) + 1)).all()
    elements = [[int(word) for word in line.split()] for line in lines[lines.index("$Elements") + 2 : lines.index("$EndElements")]]
    of = {kind: np.array([e[5:] for e in elements if e[1] == kind]) - 1 for kind in (11, 9)}
    return rows[:, 1:], of[11], of[9]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """With what each site carries, and a load cell between base and finger."""
    folder = tmp_path_factory.mktemp("finger")
    robot = (MODELS / "fem_wrapping_finger.yaml").read_text(encoding="utf-8")
    robot = robot.replace("bellows_finger.msh", str(MODELS / "bellows_finger.msh"))
    robot = robot.replace("modulus: 2.0e+5}", "modulus: 2.0e+5, record: sites}")
    robot += "sensors: [{name: cell, type: joint_wrench, link: finger}]\n"
    assert "record: sites" in robot
    (folder / "fem_wrapping_finger.yaml").write_text(robot, encoding="utf-8")
    scenario = folder / "scenario.yaml"
    scenario.write_text((MODELS / "fem_wrapping_finger_scenario.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return cuttle.simulate(scenario)


def strip_around_bar(run):
    """Of the nodes in the middle of the strip's outer face, from the base on: how far from the bar's axis, and the angle
    around it from where the finger begins, at each instant. From the mesh and the coordinates alone."""
    middle = sorted((z, n, y) for n, (x, y, z) in enumerate(mesh()[0].tolist(), 1) if abs(x) < 1e-9 and y == 0 and z > 0)
    places = []
    for z, node, y in middle:
        moved = [run.columns[f"finger.node{node}.{axis}"] for axis in "yz"]
        places.append([-(y + moved[0]) - BAR[0], BASE - (z + moved[1]) - BAR[1]])  # the base is turned about x
    across, up = np.array(places).transpose(1, 2, 0)
    return np.hypot(across, up), np.unwrap(np.arctan2(-up, -across), axis=1)


def test_a_pneumatic_finger_wraps_a_bar(run):
    grip, air = run.contacts["grip"], run.columns["air"]
    distance, angle = strip_around_bar(run)
    above = distance - RADIUS
    # straight beside the bar at first, then bent by 7.6 kPa
    assert grip.normal[0] == 0
    assert above[0, -1] > 0.03
    assert air[-1] == PRESSURE
    # around the bar by two radians, nowhere more than 1.2 mm from it: the first fifth hangs straight from its base
    assert angle[-1, -1] - angle[-1, 0] > 2
    around = angle[-1] > -0.2
    assert np.abs(above[-1, around]).max() < 1.2e-3
    assert np.diff(angle[-1]).min() > 0
    # pressed on it behind its base and near its end, and in between the strip stands off as an arch
    pressed = above[-1] < 0
    assert pressed[angle[-1] < 0.3].any()
    assert pressed[angle[-1] > 1.4].any()
    assert not pressed[(angle[-1] > 0.4) & (angle[-1] < 1.2)].any()
    assert grip.normal[-1] > 0.2
    # and at rest
    assert np.abs(run.v[-1]).max() < 1e-4 < np.abs(run.v).max()
    assert grip.normal[-4:] == pytest.approx(grip.normal[-1], rel=1e-3)


TO_WORLD = np.diag([1.0, -1.0, -1.0])  # from the axes of the base, which is turned about x by pi, and back
STILL_MOVES = 1e-4  # forces of what has not come to rest, of 0.4 where air pushes most [N]


def elastic_forces(rest, moved, tetrahedra):
    """On each node, of the energy c1 (I1 - 3 - 2 ln J) + lambda / 2 (ln J)^2: with mu (2 - mu / lambda) of lambda at four points of
    each tetrahedron, the rest of it at the center."""
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)]
    forces = np.zeros_like(moved)
    corner_slopes = np.vstack([-np.ones(3), np.eye(3)])  # of the four linear functions

    def add(linear, part, c1, lame):
        slopes = np.vstack([*((4 * linear[i] - 1) * corner_slopes[i] for i in range(4)),
                            *(4 * (linear[i] * corner_slopes[j] + linear[j] * corner_slopes[i]) for i, j in edges)])
        local = np.einsum("eni,nj->eij", rest[tetrahedra], slopes)  # d rest / d local
        gradients = np.einsum("nj,eji->eni", slopes, np.linalg.inv(local))
        F = np.einsum("eni,enj->eij", moved[tetrahedra], gradients)
        inverse = np.linalg.inv(F).transpose(0, 2, 1)
        log = np.log(np.linalg.det(F))[:, None, None]
        stress = 2 * c1 * (F - inverse) + lame * log * inverse
        np.add.at(forces, tetrahedra, np.einsum("e,eij,enj->eni", part * np.linalg.det(local) / 6, stress, gradients))

    everywhere = 2 * C1 * (2 - 2 * C1 / LAMBDA)
    for k in range(4):
        linear = np.full(4, (5 - np.sqrt(5)) / 20)
        linear[k] = (5 + 3 * np.sqrt(5)) / 20
        add(linear, 0.25, C1, everywhere)
    add(np.full(4, 0.25), 1.0, 0.0, LAMBDA - everywhere)
    return forces


def test_forces_on_the_finger_balance(run):
    """What holds the clamp, from stresses: against sites, weight and air, node by node; and against a load cell."""
    rest, tetrahedra, cavity = mesh()
    free = np.flatnonzero(rest[:, 2] > 0)
    moved = rest.copy()
    for i, axis in enumerate("xyz"):
        moved[free, i] += [run.columns[f"finger.node{n + 1}.{axis}"][-1] for n in free]
    # air pushes on each inner face, a triangle of six nodes, into the tetrahedron that has it
    behind = {frozenset(np.delete(t[:4], k)): t[k] for t in tetrahedra for k in range(4)}
    into = rest[[behind[frozenset(face[:3])] for face in cavity]] - rest[cavity[:, 0]]
    flat = np.cross(rest[cavity[:, 1]] - rest[cavity[:, 0]], rest[cavity[:, 2]] - rest[cavity[:, 0]])
    sign = np.sign(np.einsum("ei,ei->e", flat, into))
    air = np.zeros_like(rest)
    slopes = np.array([[-1, -1], [1, 0], [0, 1]])
    # six points that are exact to degree 4
    for place, share in ((0.445948490915965, 0.223381589678011), (0.091576213509771, 0.109951743655322)):
        for k in range(3):
            L = np.full(3, place)
            L[k] = 1 - 2 * place
            pairs = [(0, 1), (1, 2), (2, 0)]
            values = np.array([*(L * (2 * L - 1)), *(4 * L[i] * L[j] for i, j in pairs)])
            gradients = np.vstack([(4 * L[:, None] - 1) * slopes, *(4 * (L[i] * slopes[j] + L[j] * slopes[i]) for i, j in pairs)])
            along = np.einsum("eni,nj->jei", moved[cavity], gradients)
            area = np.cross(along[0], along[1]) * (sign * PRESSURE * share / 2)[:, None]
            np.add.at(air, cavity, values[:, None] * area[:, None, :])
    # weight, with nodes whose functions are quadratic: an edge's has a fifth of a tetrahedron, a corner's less a twentieth
    corners = rest[tetrahedra[:, :4]]
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    weight = np.zeros_like(rest)
    share = np.concatenate([np.full(4, -0.05), np.full(6, 0.2)])
    np.add.at(weight[:, 2], tetrahedra, DENSITY * G * volume[:, None] * share)  # z of the base is down
    sites = run.contacts["grip/sites"]
    pushes = sites.force[-1].reshape(-1, 3) @ TO_WORLD
    places = (sites.position[-1].reshape(-1, 3) - [0, 0, BASE]) @ TO_WORLD
    pushes, places = pushes[np.any(pushes, axis=1)], places[np.any(pushes, axis=1)]
    assert np.linalg.norm(pushes, axis=1).sum() > 0.2
    internal = elastic_forces(rest, moved, tetrahedra)
    left = internal - air - weight
    clamped = rest[:, 2] == 0
    reaction, torque = left[clamped].sum(axis=0), np.cross(rest[clamped], left[clamped]).sum(axis=0)
    # of the whole finger: force, and torque about the origin of the base; air in a closed cavity has none
    assert np.abs(air.sum(axis=0)).max() < 1e-9 < np.abs(air).max()
    assert reaction + pushes.sum(axis=0) + weight.sum(axis=0) == pytest.approx(np.zeros(3), abs=STILL_MOVES)
    about = np.cross(places, pushes).sum(axis=0) + np.cross(moved, weight).sum(axis=0)
    assert torque + about == pytest.approx(np.zeros(3), abs=0.03 * STILL_MOVES)  # 7e-3 in all
    cell = [run.columns[f"sensors.cell.{name}"][-1] for name in ("fx", "fy", "fz", "tx", "ty", "tz")]
    assert cell == pytest.approx([*reaction, *torque], abs=STILL_MOVES)
    # and of each node
    left[clamped] = 0
    np.add.at(left, [np.argmin(np.linalg.norm(moved - place, axis=1)) for place in places], -pushes)
    assert np.abs(left).max() < 3 * STILL_MOVES
