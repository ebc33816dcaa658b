"""Meshes of bricks, each of six tetrahedra with ten nodes (ten_nodes.py): the same on every machine."""
import itertools
import pathlib

import ten_nodes


def tetrahedra(corner):
    """The four corners of each tetrahedron of the brick from this corner on, as (i, j, k): from corner to corner of the
    brick along its edges."""
    for axes in itertools.permutations(range(3)):
        at, path = list(corner), [tuple(corner)]
        for axis in axes:
            at[axis] += 1
            path.append(tuple(at))
        odd = (axes[0] > axes[1]) ^ (axes[1] > axes[2]) ^ (axes[0] > axes[2])
        if odd:
            path[2], path[3] = path[3], path[2]
        yield path


def write(file, places, elements, groups):
    """Writes a file below models/.

    places    of the nodes 1, 2 and so on: (x, y, z) [m]
    elements  the numbers of the four nodes of each tetrahedron
    groups    name -> triangles, each of the numbers of three nodes
    """
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups)),
             *(f'2 {k} "{name}"' for k, name in enumerate(groups, 1)), "$EndPhysicalNames", "$Nodes", str(len(places)),
             *(f"{n} " + " ".join(f"{c:.12g}" for c in x) for n, x in enumerate(places, 1)), "$EndNodes", "$Elements",
             str(len(elements) + sum(map(len, groups.values())))]
    number = 0
    for kind, group, some in ((4, 0, elements), *((2, k, faces) for k, faces in enumerate(groups.values(), 1))):
        for corners in some:
            number += 1
            lines.append(f"{number} {kind} 2 {group} {group} " + " ".join(map(str, corners)))
    lines.append("$EndElements")
    path = pathlib.Path(__file__).resolve().parents[2] / "models" / file
    path.write_text("\n".join(ten_nodes.convert(lines)) + "\n", encoding="utf-8")
