#include "io/meshes/gmsh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "bodies/volume/fem/mesh_fault.h"
#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/yaml_tree.h"
#include "io/meshes/gmsh_elements.h"
#include "io/meshes/line_reader.h"

namespace cuttle {
namespace {

// types of elements that make a body: all with nodes at the corners, or all with nodes on their edges too
constexpr long k_triangle = 2, k_tetrahedron = 4, k_edged_triangle = 9, k_edged_tetrahedron = 11;
constexpr const char* k_tetrahedra = "4-node (type 4) or 10-node tetrahedra (type 11)";

/// An element as the file has it.
struct RawElement {
  long number;
  int line;
  std::vector<long> nodes;  // their numbers: corners, then those of edges
};
struct RawNode {
  long number;
  int line;
  Vector3 position;
};
/// Triangles of one physical group (version 2.2) or one surface (4.1), by its number.
using RawSurfaces = std::map<long, std::vector<RawElement>>;

class GmshReader {
 public:
  GmshReader(const std::string& text, const std::string& path) : text_(text), lines_(path, text) {}

  TetrahedralMesh read() {
    read_format();
    require_plain_text(text_, lines_.path());
    std::map<std::string_view, std::function<void()>> readers{
        {"$PhysicalNames", [this] { read_physical_names(); }},
        {"$Nodes", [this] { is_new_ ? read_node_blocks() : read_nodes(); }},
        {"$Elements", [this] { is_new_ ? read_element_blocks() : read_elements(); }}};
    if (is_new_) readers["$Entities"] = [this] { read_entities(); };
    std::set<std::string> seen;
    while (lines_.next()) {
      const std::string name(lines_.words().front());
      if (name == "$PartitionedEntities") lines_.fail(0, "", name, "a mesh that is not partitioned");
      if (name.front() != '$' || name.starts_with("$End")) {
        lines_.fail(0, "", fmt::format("'{}'", name), "the beginning of a section, as $Nodes");
      }
      const auto reader = readers.find(name);
      if (reader == readers.end()) {
        skip_section(name);
        continue;
      }
      if (!seen.insert(name).second) lines_.fail(0, "", name + " again", "it once");
      reader->second();
      end_section(name);
    }
    for (const char* const name : {"$Nodes", "$Elements"}) {
      if (seen.count(name) == 0) lines_.fail_at_line(lines_.line(), "", fmt::format("no {}", name), "this section");
    }
    return assemble();
  }

 private:
  static std::string end_of(const std::string& section) { return "$End" + section.substr(1); }
  void end_section(const std::string& section) {
    lines_.require_next("", end_of(section));
    if (lines_.words().front() != end_of(section)) {
      lines_.fail(0, "", fmt::format("'{}'", lines_.words().front()), end_of(section));
    }
  }
  void skip_section(const std::string& section) {
    const int begin = lines_.line();
    do {
      lines_.require_next("", fmt::format("{}, the end of line {}", end_of(section), begin));
    } while (lines_.words().front() != end_of(section));
  }

  /// The next line of a section, with so many words.
  void line_of(const std::string& subject, std::size_t least, std::size_t most, const std::string& expected) {
    lines_.require_next(subject, expected);
    const std::size_t count = lines_.words().size();
    if (count >= least && count <= most) return;
    const bool end = lines_.words().front().starts_with("$");
    lines_.fail(0, subject, end ? fmt::format("'{}'", lines_.words().front()) : fmt::format("{} words", count),
                expected);
  }
  void line_of(const std::string& subject, std::size_t count, const std::string& expected) {
    line_of(subject, count, count, expected);
  }
  long count(std::size_t word) const {
    const long value = lines_.integer(word, "", "how many follow");
    if (value < 0) lines_.fail(word, "", fmt::format("{}", value), "how many follow");
    return value;
  }

  void read_format() {
    const std::string expected = "$MeshFormat, with which a mesh of Gmsh begins";
    const bool any = lines_.next();
    if (!any) lines_.fail_at_line(1, "", "nothing", expected);
    while (lines_.words().front() == "$Comments") {
      skip_section("$Comments");
      lines_.require_next("", expected);
    }
    if (lines_.words().front() != "$MeshFormat") {
      lines_.fail(0, "", fmt::format("'{}'", lines_.words().front().substr(0, 20)), expected);
    }
    line_of("$MeshFormat", 3, "version, file type and data size");
    const std::string_view version = lines_.words()[0];
    if (version != "2.2" && version != "4.1") {
      lines_.fail(0, "", fmt::format("version {}", version), "2.2 or 4.1 (Mesh.MshFileVersion)");
    }
    is_new_ = version == "4.1";
    if (lines_.integer(1, "", "0, an ASCII file") != 0) {
      lines_.fail(1, "", "a binary file", "an ASCII file (Mesh.Binary = 0)");
    }
    end_section("$MeshFormat");
  }

  void read_physical_names() {
    line_of("", 1, "the number of physical groups");
    for (long left = count(0); left > 0; --left) {
      line_of("", 3, std::string::npos, "dimension, number and name of a physical group");
      const long dimension = lines_.integer(0, "", "a dimension"), number = lines_.integer(1, "", "a number");
      const std::string_view text = lines_.rest();
      const std::size_t first = text.find('"'), last = text.rfind('"');
      if (first == last) lines_.fail(2, "", fmt::format("'{}'", lines_.words()[2]), "a name in quotes");
      if (dimension != 2) continue;
      const std::string name(text.substr(first + 1, last - first - 1));
      for (const auto& [other, other_name] : group_names_) {
        if (other_name == name) lines_.fail(2, "", fmt::format("the name '{}' again", name), "a name of its own");
      }
      group_names_[number] = name;
    }
  }

  void read_entities() {
    line_of("", 4, "the numbers of points, curves, surfaces and volumes");
    const std::array<long, 4> counts{count(0), count(1), count(2), count(3)};
    for (int dimension = 0; dimension < 4; ++dimension) {
      const std::size_t first = dimension == 0 ? 4 : 7;  // behind tag and place, or tag and bounds
      for (long left = counts[dimension]; left > 0; --left) {
        line_of("", first + 1, std::string::npos, fmt::format("a geometric entity of dimension {}", dimension));
        if (dimension != 2) continue;
        const long tag = lines_.integer(0, "", "the number of a surface");
        for (long k = count(first); k > 0; --k) {
          groups_of_surface_[tag].insert(std::abs(lines_.integer(first + k, "", "the number of a physical group")));
        }
      }
    }
  }

  void read_nodes() {
    line_of("", 1, "the number of nodes");
    for (long left = count(0); left > 0; --left) {
      line_of("", 4, "number and coordinates x, y, z of a node");
      const long number = lines_.integer(0, "", "the number of a node");
      add_node(number, lines_.line(), 1);
    }
  }
  void read_node_blocks() {
    line_of("", 4, "the numbers of blocks and nodes, and the least and greatest number of a node");
    const long total = count(1);
    for (long blocks = count(0); blocks > 0; --blocks) {
      line_of("", 4, "dimension and number of an entity, whether it has parameters, and its number of nodes");
      std::vector<std::pair<long, int>> numbers;
      for (long left = count(3); left > 0; --left) {
        line_of("", 1, "the number of a node");
        numbers.emplace_back(lines_.integer(0, "", "the number of a node"), lines_.line());
      }
      for (const auto& [number, line] : numbers) {
        line_of(fmt::format("node {}", number), 3, 6, "coordinates x, y, z");
        add_node(number, line, 0);
      }
    }
    check_total(total, nodes_.size(), "nodes");
  }
  /// A node whose coordinates begin at a word of this line.
  void add_node(long number, int line, std::size_t word) {
    const std::string subject = fmt::format("node {}", number);
    const Vector3 position{lines_.finite(word, subject), lines_.finite(word + 1, subject),
                           lines_.finite(word + 2, subject)};
    if (!node_index_.emplace(number, nodes_.size()).second) {
      lines_.fail_at_line(line, subject, "this number again", "a number of its own");
    }
    nodes_.push_back({number, line, position});
  }

  void read_elements() {
    line_of("", 1, "the number of elements");
    for (long left = count(0); left > 0; --left) {
      line_of("", 4, std::string::npos, "number, type, tags and nodes of an element");
      const long number = lines_.integer(0, "", "the number of an element");
      const std::string subject = fmt::format("element {}", number);
      const long type = lines_.integer(1, subject, "a type"), tags = lines_.integer(2, subject, "how many tags follow");
      if (tags < 0 || static_cast<std::size_t>(tags) > lines_.words().size()) {
        lines_.fail(2, subject, fmt::format("{} tags", tags), "as many as follow");
      }
      const long group = tags > 0 ? std::abs(lines_.integer(3, subject, "the number of a physical group")) : 0;
      add_element(number, type, group, group_names_.count(group) > 0, 3 + tags, 1);
    }
  }
  void read_element_blocks() {
    line_of("", 4, "the numbers of blocks and elements, and the least and greatest number of an element");
    const long total = count(1);
    long read = 0;
    for (long blocks = count(0); blocks > 0; --blocks) {
      line_of("", 4, "dimension and number of an entity, type and number of its elements");
      const long surface = lines_.integer(1, "", "the number of an entity");
      const long type = lines_.integer(2, "", "a type of element");
      const bool named = is_named(surface);
      for (long left = count(3); left > 0; --left, ++read) {
        line_of("", 2, std::string::npos, "number and nodes of an element");
        add_element(lines_.integer(0, "", "the number of an element"), type, surface, named, 1, 0);
      }
    }
    check_total(total, read, "elements");
  }
  /// Whether a surface belongs to a physical group with a name.
  bool is_named(long surface) const {
    const auto groups = groups_of_surface_.find(surface);
    return groups != groups_of_surface_.end() &&
           std::any_of(groups->second.begin(), groups->second.end(),
                       [this](long group) { return group_names_.count(group) > 0; });
  }
  void check_total(long expected, std::size_t found, const std::string& what) const {
    if (static_cast<std::size_t>(expected) == found) return;
    lines_.fail(0, "", fmt::format("{} {} in the blocks", found, what), fmt::format("{}", expected));
  }

  /// An element whose nodes begin at a word of this line.
  /// @param surface  of a triangle: physical group or surface.   @param named  whether a group with a name has it.
  void add_element(long number, long type, long surface, bool named, std::size_t first, std::size_t type_word) {
    const std::string subject = fmt::format("element {}", number);
    const auto kind = gmsh_element_kinds().find(type);
    if (kind == gmsh_element_kinds().end()) {
      lines_.fail(type_word, subject, fmt::format("an element of type {}", type), k_tetrahedra);
    }
    const int dimension = kind->second.dimension;
    if (dimension == 3) {
      if (type != k_tetrahedron && type != k_edged_tetrahedron) refuse_kind(subject, type, type_word, k_tetrahedra);
      if (!tetrahedra_.empty() && (type == k_edged_tetrahedron) != has_edge_nodes()) {
        refuse_kind(subject, type, type_word,
                    fmt::format("a {} as before: one kind in a mesh",
                                gmsh_element_kinds().at(has_edge_nodes() ? k_edged_tetrahedron : k_tetrahedron).name));
      }
      const std::size_t count = type == k_tetrahedron ? 4 : 10;
      tetrahedra_.push_back({number, lines_.line(), read_element_nodes(subject, first, count)});
    } else if (dimension == 2 && named) {
      if (type != k_triangle && type != k_edged_triangle) {
        refuse_kind(subject, type, type_word, "3-node (type 2) or 6-node triangles (type 9) in a physical group");
      }
      const std::size_t count = type == k_triangle ? 3 : 6;
      surfaces_[surface].push_back({number, lines_.line(), read_element_nodes(subject, first, count)});
    }
  }
  bool has_edge_nodes() const { return tetrahedra_.front().nodes.size() > 4; }
  [[noreturn]] void refuse_kind(const std::string& subject, long type, std::size_t word, const std::string& expected) {
    const std::string name = gmsh_element_kinds().at(type).name;
    const char* const article = name.starts_with("8") || name.starts_with("18") ? "an" : "a";
    lines_.fail(word, subject, fmt::format("{} {} (type {})", article, name, type), expected);
  }
  std::vector<long> read_element_nodes(const std::string& subject, std::size_t first, std::size_t count) const {
    const std::size_t given = lines_.words().size();
    if (given != first + count) {
      lines_.fail(first, subject, fmt::format("{} nodes", given < first ? 0 : given - first), fmt::format("{}", count));
    }
    std::vector<long> nodes(count);
    for (std::size_t k = 0; k < count; ++k) {
      nodes[k] = lines_.integer(first + k, subject, "the number of a node");
    }
    return nodes;
  }

  TetrahedralMesh assemble() {
    if (tetrahedra_.empty()) {
      lines_.fail_at_line(
          lines_.line(), "", "no tetrahedra",
          "at least one (of a file with physical groups Gmsh writes only those: give the volume one, or "
          "set Mesh.SaveAll = 1)");
    }
    TetrahedralMesh mesh;
    mesh.source = lines_.path();
    keep_used_nodes(mesh);
    add_tetrahedra(mesh);
    for (const auto& [number, name] : group_names_) add_group(mesh, number, name);
    if (const auto fault = find_fault(mesh)) {
      lines_.fail_at_line(line_of_fault(*fault), subject(mesh, *fault), fault->found, fault->expected);
    }
    return mesh;
  }
  void keep_used_nodes(TetrahedralMesh& mesh) {
    std::vector<bool> used(nodes_.size());
    for (const RawElement& element : tetrahedra_) {
      for (const long node : element.nodes) used[index_of(node, element)] = true;
    }
    mesh_index_.assign(nodes_.size(), -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!used[i]) continue;
      mesh_index_[i] = static_cast<int>(mesh.nodes.size());
      mesh.nodes.push_back(nodes_[i].position);
      mesh.node_numbers.push_back(nodes_[i].number);
      node_of_.push_back(i);
      node_lines_.push_back(nodes_[i].line);
    }
  }
  void add_tetrahedra(TetrahedralMesh& mesh) const {
    std::set<long> numbers;
    for (const RawElement& element : tetrahedra_) {
      if (!numbers.insert(element.number).second) {
        lines_.fail_at_line(element.line, fmt::format("element {}", element.number), "this number again",
                            "a number of its own");
      }
      const auto index = [&](int k) { return mesh_index_[index_of(element.nodes[k], element)]; };
      mesh.tetrahedra.push_back({index(0), index(1), index(2), index(3)});
      if (has_edge_nodes()) {
        mesh.edge_nodes.push_back({index(4), index(5), index(6), index(7), index(8), index(9)});
      }
      mesh.element_numbers.push_back(element.number);
    }
  }
  void add_group(TetrahedralMesh& mesh, long number, const std::string& name) {
    TetrahedralMesh::Group group{name, {}};
    std::vector<int> lines;
    const std::map<std::pair<int, int>, int> edges = edge_nodes_of(mesh);
    for (const auto& [surface, triangles] : surfaces_) {
      if (is_new_ ? groups_of_surface_.at(surface).count(number) == 0 : surface != number) continue;
      for (const RawElement& triangle : triangles) {
        std::array<int, 3> corners;
        for (int k = 0; k < 3; ++k) {
          corners[k] = mesh_index_[index_of(triangle.nodes[k], triangle)];
          if (corners[k] >= 0) continue;
          lines_.fail_at_line(triangle.line, fmt::format("element {}", triangle.number),
                              fmt::format("node {}, which no tetrahedron has, in group '{}'", triangle.nodes[k], name),
                              "a part of the body's surface");
        }
        check_edges(triangle, corners, edges);
        group.triangles.push_back(corners);
        lines.push_back(triangle.line);
      }
    }
    if (group.triangles.empty()) {
      lines_.fail_at_line(lines_.line(), "", fmt::format("no triangles in the physical group '{}'", name),
                          is_new_ ? "at least one, or no such group"
                                  : "at least one, or no such group (into version 2.2 Gmsh writes no groups if "
                                    "Mesh.SaveAll is set)");
    }
    mesh.groups.push_back(std::move(group));
    triangle_lines_.push_back(std::move(lines));
  }
  /// The node of each edge of the tetrahedra, as indices, the lower first.
  static std::map<std::pair<int, int>, int> edge_nodes_of(const TetrahedralMesh& mesh) {
    std::map<std::pair<int, int>, int> nodes;
    for (std::size_t i = 0; i < mesh.edge_nodes.size(); ++i) {
      for (int e = 0; e < 6; ++e) {
        const auto [a, b] = k_tetrahedron_edges[e];
        nodes[std::minmax(mesh.tetrahedra[i][a], mesh.tetrahedra[i][b])] = mesh.edge_nodes[i][e];
      }
    }
    return nodes;
  }
  /// A triangle's nodes on its edges are those of the tetrahedron with this face. (Whether there is one, others say.)
  void check_edges(const RawElement& triangle, const std::array<int, 3>& corners,
                   const std::map<std::pair<int, int>, int>& edges) const {
    const std::string subject = fmt::format("element {}", triangle.number);
    if ((triangle.nodes.size() > 3) != has_edge_nodes()) {
      lines_.fail_at_line(
          triangle.line, subject, fmt::format("{} nodes", triangle.nodes.size()),
          fmt::format("{}, as the tetrahedra", has_edge_nodes() ? "6-node triangles" : "3-node triangles"));
    }
    for (std::size_t k = 3; k < triangle.nodes.size(); ++k) {
      const auto edge = edges.find(std::minmax(corners[k - 3], corners[(k - 2) % 3]));
      if (edge == edges.end() || edge->second == mesh_index_[index_of(triangle.nodes[k], triangle)]) continue;
      lines_.fail_at_line(
          triangle.line, subject, fmt::format("node {} on an edge", triangle.nodes[k]),
          fmt::format("node {}, which the tetrahedra have there", nodes_[node_of_[edge->second]].number));
    }
  }
  int line_of_fault(const MeshFault& fault) const {
    switch (fault.place) {
      case MeshFault::Place::node:
        return node_lines_[fault.index];
      case MeshFault::Place::tetrahedron:
        return tetrahedra_[fault.index].line;
      case MeshFault::Place::triangle:
        return triangle_lines_[fault.group][fault.index];
      case MeshFault::Place::mesh:
        break;
    }
    return 1;
  }
  std::size_t index_of(long node, const RawElement& element) const {
    const auto found = node_index_.find(node);
    if (found == node_index_.end()) {
      lines_.fail_at_line(element.line, fmt::format("element {}", element.number),
                          fmt::format("node {}, which does not exist", node),
                          fmt::format("one of the {} nodes of the file", nodes_.size()));
    }
    return found->second;
  }

  const std::string& text_;
  LineReader lines_;
  bool is_new_ = false;                               // 4.1, not 2.2
  std::map<long, std::string> group_names_;           // of dimension 2
  std::map<long, std::set<long>> groups_of_surface_;  // 4.1
  std::vector<RawNode> nodes_;
  std::unordered_map<long, std::size_t> node_index_;
  std::vector<RawElement> tetrahedra_;
  RawSurfaces surfaces_;
  std::vector<int> mesh_index_;       // of each node of the file; -1: no tetrahedron has it
  std::vector<std::size_t> node_of_;  // of each node of the mesh, among those of the file
  // of the parts of the mesh
  std::vector<int> node_lines_;
  std::vector<std::vector<int>> triangle_lines_;
};

}  // namespace

TetrahedralMesh read_gmsh_text(const std::string& text, const std::string& path) {
  try {
    return GmshReader(text, path).read();
  } catch (const std::bad_alloc&) {
    throw FileError(path + ": found a mesh that takes more memory than there is, expected a smaller one");
  }
}

TetrahedralMesh read_gmsh_file(const std::string& path) {
  return read_gmsh_text(read_text_file(path, "a mesh of Gmsh"), path);
}

}  // namespace cuttle
