#include <fmt/format.h>

#include <algorithm>

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
  long number = 0;  // of the triangles: after those of the tetrahedra
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    const auto& [a, b, c, d] = mesh.tetrahedra[i];
    number = std::max(number, mesh.element_number(i));
    text += fmt::format("{} 4 2 0 0 {} {} {} {}\n", mesh.element_number(i), mesh.node_number(a), mesh.node_number(b),
                        mesh.node_number(c), mesh.node_number(d));
  }
  for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
    for (const auto& [a, b, c] : mesh.groups[i].triangles) {
      text += fmt::format("{} 2 2 {} {} {} {} {}\n", ++number, i + 1, i + 1, mesh.node_number(a), mesh.node_number(b),
                          mesh.node_number(c));
    }
  }
  return text + "$EndElements\n";
}

}  // namespace cuttle
