#include "support/meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cuttle::test {
namespace {

std::string joined(const auto& numbers, const TetrahedralMesh& mesh) {
  std::string text;
  for (const int node : numbers) text += fmt::format(" {}", mesh.node_number(node));
  return text;
}
std::string joined_tetrahedron(std::size_t i, const TetrahedralMesh& mesh) {
  return joined(mesh.tetrahedra[i], mesh) + (mesh.edge_nodes.empty() ? "" : joined(mesh.edge_nodes[i], mesh));
}
/// Corners of a triangle, then the nodes of its edges if it has some.
std::string joined_triangle(const std::array<int, 3>& corners, const TetrahedralMesh& mesh) {
  const auto parts = node_triangles(mesh, {corners});
  return joined(corners, mesh) + (parts.size() == 4 ? joined(parts[3], mesh) : "");
}

std::string names_text(const TetrahedralMesh& mesh) {
  std::string text = fmt::format("$PhysicalNames\n{}\n", mesh.groups.size() + 1);
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) text += fmt::format("2 {} \"{}\"\n", g + 1, mesh.groups[g].name);
  return text + "3 1 \"body\"\n$EndPhysicalNames\n";  // with the number of a surface's group
}

std::string old_text(const TetrahedralMesh& mesh) {
  const bool edged = !mesh.edge_nodes.empty();
  std::string text = fmt::format("$Nodes\n{}\n", mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", mesh.node_number(i), x.x, x.y, x.z);
  }
  std::string elements = "100001 15 2 0 1 " + std::to_string(mesh.node_number(0)) + "\n";
  std::size_t count = 1;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    for (const auto& triangle : mesh.groups[g].triangles) {
      elements +=
          fmt::format("{} {} 2 {} 7{}\n", 100001 + count++, edged ? 9 : 2, g + 1, joined_triangle(triangle, mesh));
    }
  }
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i, ++count) {
    elements += fmt::format("{} {} 2 1 1{}\n", mesh.element_number(i), edged ? 11 : 4, joined_tetrahedron(i, mesh));
  }
  return text + fmt::format("$EndNodes\n$Elements\n{}\n{}$EndElements\n", count, elements);
}

std::string new_text(const TetrahedralMesh& mesh) {
  const bool edged = !mesh.edge_nodes.empty();
  // one point, one curve, a surface a group and one without, one volume
  std::string text = fmt::format("$Entities\n1 1 {} 1\n5 0 0 0 0\n6 0 0 0 1 1 1 0 2 5 -5\n", mesh.groups.size() + 1);
  for (std::size_t g = 0; g <= mesh.groups.size(); ++g) {
    text += fmt::format("{} 0 0 0 1 1 1 {} 0\n", 20 + g, g < mesh.groups.size() ? fmt::format("1 {}", g + 1) : "0");
  }
  text += "1 0 0 0 1 1 1 1 1 0\n$EndEntities\n";
  const std::size_t half = mesh.nodes.size() / 2;
  text += fmt::format("$Nodes\n2 {} 1 {}\n", mesh.nodes.size(), mesh.nodes.size());
  for (const auto& [first, last] : {std::pair(std::size_t{0}, half), std::pair(half, mesh.nodes.size())}) {
    text += fmt::format("3 1 0 {}\n", last - first);
    for (std::size_t i = first; i < last; ++i) text += fmt::format("{}\n", mesh.node_number(i));
    for (std::size_t i = first; i < last; ++i) {
      const Vector3& x = mesh.nodes[i];
      text += fmt::format("{:.17g} {:.17g} {:.17g}\n", x.x, x.y, x.z);
    }
  }
  std::string elements = fmt::format("0 5 15 1\n100001 {}\n", mesh.node_number(0));
  std::size_t count = 1;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    elements += fmt::format("2 {} {} {}\n", 20 + g, edged ? 9 : 2, mesh.groups[g].triangles.size());
    for (const auto& triangle : mesh.groups[g].triangles) {
      elements += fmt::format("{}{}\n", 100001 + count++, joined_triangle(triangle, mesh));
    }
  }
  elements += fmt::format("3 1 {} {}\n", edged ? 11 : 4, mesh.tetrahedra.size());
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i, ++count) {
    elements += fmt::format("{}{}\n", mesh.element_number(i), joined_tetrahedron(i, mesh));
  }
  return text + fmt::format("$EndNodes\n$Elements\n{} {} 1 {}\n{}$EndElements\n", mesh.groups.size() + 2, count,
                            100000 + count, elements);
}

}  // namespace

TetrahedralMesh box_mesh(const Vector3& size, int nx, int ny, int nz) {
  TetrahedralMesh mesh;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) {
        mesh.nodes.push_back(
            {size.x * (double(i) / nx - 0.5), size.y * (double(j) / ny - 0.5), size.z * (double(k) / nz)});
      }
    }
  }
  const int strides[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        // from corner to corner of the brick along its edges, in each order of the axes
        int axes[3] = {0, 1, 2};
        do {
          const int corner = i * strides[0] + j * strides[1] + k * strides[2];
          std::array<int, 4> nodes{corner};
          for (int step = 0; step < 3; ++step) nodes[step + 1] = nodes[step] + strides[axes[step]];
          const bool odd = ((axes[0] > axes[1]) != (axes[1] > axes[2])) != (axes[0] > axes[2]);
          if (odd) std::swap(nodes[2], nodes[3]);
          mesh.tetrahedra.push_back(nodes);
        } while (std::next_permutation(axes, axes + 3));
      }
    }
  }
  return mesh;
}

TetrahedralMesh ring_mesh(const Vector3& size, int nz) {
  TetrahedralMesh mesh = box_mesh(size, 3, 3, nz);
  const Vector3 hole{size.x / 5.9, size.y / 5.9, 0.0};  // a little more than a sixth: half the middle bricks
  std::erase_if(mesh.tetrahedra, [&](const std::array<int, 4>& corners) {
    return std::all_of(corners.begin(), corners.end(),
                       [&](int i) { return std::abs(mesh.nodes[i].x) < hole.x && std::abs(mesh.nodes[i].y) < hole.y; });
  });
  mesh.groups = {{"hole", {}}};
  for (const auto& face : boundary_faces(mesh)) {
    const auto [a, b, c] = std::array{mesh.nodes[face[0]], mesh.nodes[face[1]], mesh.nodes[face[2]]};
    const bool inner = std::max({std::abs(a.x), std::abs(b.x), std::abs(c.x)}) < hole.x &&
                       std::max({std::abs(a.y), std::abs(b.y), std::abs(c.y)}) < hole.y;
    if (inner) mesh.groups[0].triangles.push_back(face);
  }
  return mesh;
}

std::string msh_text(const TetrahedralMesh& mesh, const std::string& version) {
  return "$MeshFormat\n" + version + " 0 8\n$EndMeshFormat\n" + names_text(mesh) +
         (version == "2.2" ? old_text(mesh) : new_text(mesh));
}

}  // namespace cuttle::test
