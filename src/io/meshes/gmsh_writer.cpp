#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "io/meshes/gmsh_file.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {

std::string gmsh_text(const TetrahedralMesh& mesh) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  if (!mesh.groups.empty()) {
    text += fmt::format("$PhysicalNames\n{}\n", mesh.groups.size());
    for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
      text += fmt::format("2 {} \"{}\"\n", i + 1, mesh.groups[i].name);
    }
    text += "$EndPhysicalNames\n";
  }
  text += fmt::format("$Nodes\n{}\n", mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Vector3& x = mesh.nodes[i];
    text += fmt::format("{} {} {} {}\n", mesh.node_number(i), yaml_number(x.x), yaml_number(x.y), yaml_number(x.z));
  }
  std::size_t elements = mesh.tetrahedra.size();
  for (const TetrahedralMesh::Group& group : mesh.groups) elements += group.triangles.size();
  text += fmt::format("$EndNodes\n$Elements\n{}\n", elements);
  const bool edged = !mesh.edge_nodes.empty();
  const auto add = [&](long number, int type, std::size_t group, const auto& nodes) {
    text += fmt::format("{} {} 2 {} {}", number, type, group, group);
    for (const int node : nodes) text += fmt::format(" {}", mesh.node_number(node));
    text += '\n';
  };
  long number = 0;  // of the triangles: after those of the tetrahedra
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    number = std::max(number, mesh.element_number(i));
    add(mesh.element_number(i), edged ? 11 : 4, 0, ElementNodes(mesh, i));
  }
  for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
    const auto& corners = mesh.groups[i].triangles;
    const auto parts = node_triangles(mesh, corners);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      if (!edged) {
        add(++number, 2, i + 1, corners[k]);
        continue;
      }
      const auto& middle = parts[4 * k + 3];  // the nodes of the edges
      add(++number, 9, i + 1, std::array{corners[k][0], corners[k][1], corners[k][2], middle[0], middle[1], middle[2]});
    }
  }
  return text + "$EndElements\n";
}

}  // namespace cuttle
