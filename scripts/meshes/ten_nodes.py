#!/usr/bin/env python3
"""Gives the tetrahedra of a mesh of Gmsh ten nodes: one more in the middle of each edge, which stays straight.

    scripts/meshes/ten_nodes.py IN.msh OUT.msh        OUT may be IN

Files of version 2.2 or 4.1 in ASCII with 4-node tetrahedra. Gmsh's own `Mesh.ElementOrder = 2` does the same with
`Mesh.SecondOrderLinear = 1`; without it, the nodes lie on curved surfaces.
"""
import sys

CORNERS = {1: 2, 2: 3, 4: 4}  # of a line, a triangle, a tetrahedron, by Gmsh's type
ORDER_2 = {1: 8, 2: 9, 4: 11}
EDGES = {1: [(0, 1)], 2: [(0, 1), (1, 2), (2, 0)], 4: [(0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1)]}


class Edges:
    """The nodes in the middle of edges."""

    def __init__(self, nodes):
        self.nodes, self.numbers = nodes, {}

    def of(self, kind, corners):
        middles = []
        for i, j in EDGES[kind]:
            edge = tuple(sorted((corners[i], corners[j])))
            if edge not in self.numbers:
                self.numbers[edge] = max(self.nodes) + 1 if not self.numbers else self.last + 1
                self.last = self.numbers[edge]
            middles.append(self.numbers[edge])
        return middles

    def places(self):
        for (a, b), number in self.numbers.items():
            yield number, [(x + y) / 2 for x, y in zip(self.nodes[a], self.nodes[b])]


def number(x):
    return repr(x).removesuffix(".0")


def refuse(kind):
    if kind not in (1, 2, 4, 15):
        sys.exit(f"ten_nodes.py: found elements of type {kind}, expected lines, triangles and 4-node tetrahedra")


def convert(lines):
    sections, name = {}, None
    for line in lines:
        if line.startswith("$End"):
            name = None
        elif line.startswith("$"):
            name = line
            sections[name] = []
        elif name:
            sections[name].append(line)
    version = sections["$MeshFormat"][0].split()[0]
    if version not in ("2.2", "4.1"):
        sys.exit(f"ten_nodes.py: found version {version}, expected 2.2 or 4.1")
    (convert_old if version == "2.2" else convert_new)(sections)
    out = []
    for name, body in sections.items():
        out += [name, *body, "$End" + name[1:]]
    return out


def convert_old(sections):
    nodes = {int(w[0]): [float(x) for x in w[1:4]] for w in map(str.split, sections["$Nodes"][1:])}
    edges = Edges(nodes)
    elements = []
    for words in map(str.split, sections["$Elements"][1:]):
        kind, first = int(words[1]), 3 + int(words[2])
        refuse(kind)
        if kind in ORDER_2:
            words[1] = str(ORDER_2[kind])
            words += map(str, edges.of(kind, [int(w) for w in words[first:]]))
        elements.append(" ".join(words))
    sections["$Elements"] = [sections["$Elements"][0], *elements]
    new = [f"{i} " + " ".join(map(number, x)) for i, x in edges.places()]
    sections["$Nodes"] = [str(len(nodes) + len(new)), *sections["$Nodes"][1:], *new]


def convert_new(sections):
    body = sections["$Nodes"]
    nodes, at = {}, 1
    while at < len(body):
        count = int(body[at].split()[3])
        for k in range(count):
            nodes[int(body[at + 1 + k])] = [float(x) for x in body[at + 1 + count + k].split()[:3]]
        at += 1 + 2 * count
    edges = Edges(nodes)
    elements, at, volume = [], 1, None
    source = sections["$Elements"]
    while at < len(source):
        dimension, entity, kind, count = map(int, source[at].split())
        refuse(kind)
        if dimension == 3:
            volume = entity
        elements.append(f"{dimension} {entity} {ORDER_2.get(kind, kind)} {count}")
        for line in source[at + 1:at + 1 + count]:
            words = line.split()
            if kind in ORDER_2:
                words += map(str, edges.of(kind, [int(w) for w in words[1:]]))
            elements.append(" ".join(words))
        at += 1 + count
    sections["$Elements"] = [source[0], *elements]
    new = list(edges.places())
    blocks, _, least, _ = map(int, body[0].split())
    sections["$Nodes"] = [f"{blocks + 1} {len(nodes) + len(new)} {least} {edges.last}", *body[1:],
                          f"3 {volume} 0 {len(new)}", *(str(i) for i, _ in new),
                          *(" ".join(map(number, x)) for _, x in new)]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read().splitlines()
    result = convert(text)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(result) + "\n")
