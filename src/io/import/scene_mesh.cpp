#include "io/import/scene_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/spatial/logarithm.h"
#include "io/import/import_builder.h"
#include "io/import/xml_tree.h"
#include "io/meshes/triangle_file.h"

namespace cuttle {
namespace {

using SceneJson = nlohmann::json;

// What no scene of a robot has: nodes may name the same part again and again, so that a small file means a huge one.
constexpr int k_deepest_scene = 100;
constexpr std::size_t k_most_scene_nodes = 1'000'000;
constexpr std::size_t k_most_scene_values = 10'000'000;   // of JSON: a byte or two make one, of some 100 in memory
constexpr std::size_t k_most_scene_numbers = 50'000'000;  // read, and those of a shape as often as it is drawn

/// x -> A x + b.
struct AffineMap {
  Matrix3 linear = Matrix3::identity();
  Vector3 offset;

  AffineMap operator*(const AffineMap& b) const { return {linear * b.linear, linear * b.offset + offset}; }
  Vector3 operator()(const Vector3& x) const { return linear * x + offset; }
  bool mirrors() const { return dot(linear.row0, cross(linear.row1, linear.row2)) < 0.0; }
};

[[noreturn]] void refuse_scene(const std::string& place, const std::string& found, const std::string& expected) {
  throw FileError(fmt::format("{}: found {}, expected {}", place, found, expected));
}

/// Shapes of a scene, gathered where their nodes put them, within bounds.
class SceneTriangles {
 public:
  explicit SceneTriangles(std::string path) : path_(std::move(path)) {}

  /// Of nodes, and what they consist of, before it is gone through.
  void count_nodes(std::size_t count = 1) {
    nodes_ += count;
    if (nodes_ <= k_most_scene_nodes) return;
    refuse_scene(path_, "nodes that contain the same ones again and again",
                 fmt::format("at most {} nodes", k_most_scene_nodes));
  }
  /// Numbers that are read or made.
  void count_numbers(std::size_t count) {
    numbers_ += std::min(count, k_most_scene_numbers + 1);
    if (numbers_ <= k_most_scene_numbers) return;
    refuse_scene(path_, "shapes that are drawn again and again",
                 fmt::format("at most {} numbers", k_most_scene_numbers));
  }
  void add(const std::vector<Vector3>& points, const std::vector<std::array<int, 3>>& triangles, const AffineMap& map) {
    count_numbers(3 * (points.size() + triangles.size()));
    const int first = static_cast<int>(mesh_.points.size());
    for (const Vector3& x : points) {
      const Vector3 p = map(x);
      if (!(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z))) {
        refuse_scene(path_, "a vertex that is not finite", "finite numbers");
      }
      mesh_.points.push_back(p);
    }
    const bool mirrors = map.mirrors();
    for (const auto& [a, b, c] : triangles) {
      mesh_.triangles.push_back({first + a, first + (mirrors ? c : b), first + (mirrors ? b : c)});
    }
  }
  TriangleMesh take() {
    if (mesh_.triangles.empty()) refuse_scene(path_, "no triangle", "at least one");
    return std::move(mesh_);
  }

 private:
  std::string path_;
  TriangleMesh mesh_;
  std::size_t nodes_ = 0, numbers_ = 0;
};

// --- Collada
// ----------------------------------------------------------------------------------------------------------

class ColladaReader {
 public:
  explicit ColladaReader(const NamedText& file)
      : path_(file.path), root_(parse_xml(file, {"COLLADA"})), triangles_(file.path) {}

  TriangleMesh read() {
    collect(root_);
    AffineMap world;
    if (const XmlElement* const asset = root_.child("asset")) {
      if (const XmlElement* const unit_of = asset->child("unit");
          unit_of != nullptr && unit_of->find("meter") != nullptr) {
        const double meter = numbers(*unit_of, *unit_of->find("meter"), 1).front();
        world.linear = meter * Matrix3::identity();
      }
      const XmlElement* const up = asset->child("up_axis");
      const std::string axis = up ? up->text : "Y_UP";
      const double m = world.linear.row0.x;
      if (axis == "Y_UP") world.linear = {{m, 0.0, 0.0}, {0.0, 0.0, -m}, {0.0, m, 0.0}};
      if (axis == "X_UP") world.linear = {{0.0, -m, 0.0}, {0.0, 0.0, -m}, {m, 0.0, 0.0}};
    }
    const XmlElement* const scene = root_.child("scene");
    const XmlElement* const instance = scene ? scene->child("instance_visual_scene") : nullptr;
    if (instance == nullptr) refuse_scene(path_, "no scene", "<scene> with an <instance_visual_scene>");
    add_nodes(referenced(*instance, "url"), world, 0);
    return triangles_.take();
  }

 private:
  void collect(const XmlElement& element) {
    if (const std::string* const id = element.find("id")) by_id_.emplace(*id, &element);
    for (const XmlElement& child : element.children) collect(child);
  }

  const XmlElement& referenced(const XmlElement& element, const char* attribute) {
    const auto [entry, is_new] = referenced_.try_emplace(&element, nullptr);
    if (is_new) entry->second = &find_referenced(element, attribute);
    return *entry->second;
  }
  const XmlElement& find_referenced(const XmlElement& element, const char* attribute) const {
    const std::string* const reference = element.find(attribute);
    const bool local = reference != nullptr && reference->starts_with('#');
    const auto found = local ? by_id_.find(reference->substr(1)) : by_id_.end();
    if (found == by_id_.end()) {
      refuse_scene(element.mark.text() + ": " + element.tag, reference ? "'" + *reference + "'" : "nothing",
                   "the id of an element, behind #");
    }
    return *found->second;
  }

  std::vector<double> numbers(const XmlElement& element, const std::string& text, std::size_t least) {
    const auto values = numbers_of(text);
    triangles_.count_numbers(values ? values->size() : 0);
    if (!values || values->size() < least) {
      refuse_scene(element.mark.text() + ": " + element.tag,
                   values ? fmt::format("{} numbers", values->size()) : "no numbers", fmt::format("{} numbers", least));
    }
    return *values;
  }

  /// What a node's own elements do to what is in it. Read once, however often the node is named.
  const AffineMap& local_map(const XmlElement& node) {
    const auto [entry, is_new] = local_maps_.try_emplace(&node);
    AffineMap& local = entry->second;
    if (!is_new) return local;
    for (const XmlElement& child : node.children) {
      const std::string& tag = child.tag;
      if (tag == "matrix") {
        const auto m = numbers(child, child.text, 16);
        local = local * AffineMap{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[3], m[7], m[11]}};
      } else if (tag == "translate") {
        const auto t = numbers(child, child.text, 3);
        local = local * AffineMap{Matrix3::identity(), {t[0], t[1], t[2]}};
      } else if (tag == "rotate") {
        const auto r = numbers(child, child.text, 4);
        const double half = r[3] * 3.14159265358979323846 / 360.0, size = norm(Vector3{r[0], r[1], r[2]});
        const double s = size > 0.0 ? std::sin(half) / size : 0.0;
        const Quaternion q{std::cos(half), s * r[0], s * r[1], s * r[2]};
        local = local * AffineMap{q.normalized().matrix(), {}};
      } else if (tag == "scale") {
        const auto s = numbers(child, child.text, 3);
        local = local * AffineMap{{{s[0], 0.0, 0.0}, {0.0, s[1], 0.0}, {0.0, 0.0, s[2]}}, {}};
      }
    }
    return local;
  }

  void add_nodes(const XmlElement& parent, const AffineMap& world_parent, int depth) {
    if (depth > k_deepest_scene) refuse_scene(parent.mark.text(), "nodes that contain themselves", "a tree");
    triangles_.count_nodes(1 + parent.children.size());
    const AffineMap world = world_parent * local_map(parent);
    for (const XmlElement& child : parent.children) {
      if (child.tag == "node") add_nodes(child, world, depth + 1);
      if (child.tag == "instance_node") add_nodes(referenced(child, "url"), world, depth + 1);
      if (child.tag == "instance_geometry") add_geometry(referenced(child, "url"), world);
    }
  }

  std::size_t offset_of(const XmlElement& input) {
    const std::string* const text = input.find("offset");
    const double offset = text ? numbers(input, *text, 1).front() : 0.0;
    if (offset >= 0.0 && offset <= k_most_offset && offset == std::floor(offset)) {
      return static_cast<std::size_t>(offset);
    }
    refuse_scene(input.mark.text() + ": input.offset", "'" + *text + "'",
                 fmt::format("a whole number from 0 to {}", k_most_offset));
  }

  /// Triangles of one element of a shape, and the points that they are between.
  struct Faces {
    const std::vector<Vector3>* points;
    std::vector<std::array<int, 3>> triangles;
  };

  void add_geometry(const XmlElement& geometry, const AffineMap& world) {
    const auto [entry, is_new] = shapes_.try_emplace(&geometry);
    if (is_new) entry->second = read_geometry(geometry);
    triangles_.count_nodes(1 + entry->second.size());
    for (const Faces& faces : entry->second) triangles_.add(*faces.points, faces.triangles, world);
  }

  const std::vector<Vector3>& points_of(const XmlElement& array) {
    const auto [entry, is_new] = points_.try_emplace(&array);
    std::vector<Vector3>& points = entry->second;
    if (!is_new) return points;
    const auto x = numbers(array, array.text, 3);
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) points.push_back({x[i], x[i + 1], x[i + 2]});
    return points;
  }

  std::vector<Faces> read_geometry(const XmlElement& geometry) {
    std::vector<Faces> shape;
    const XmlElement* const mesh = geometry.child("mesh");
    if (mesh == nullptr) return shape;  // splines
    for (const XmlElement& faces : mesh->children) {
      if (faces.tag != "triangles" && faces.tag != "polylist" && faces.tag != "polygons") continue;
      triangles_.count_nodes(1 + faces.children.size());
      std::size_t stride = 0, at = 0;
      const XmlElement* positions = nullptr;
      for (const XmlElement& input : faces.children) {
        if (input.tag != "input") continue;
        const std::size_t where = offset_of(input);
        stride = std::max(stride, where + 1);
        const std::string* const semantic = input.find("semantic");
        if (semantic == nullptr || *semantic != "VERTEX") continue;
        at = where;
        const XmlElement& vertices = referenced(input, "source");
        triangles_.count_nodes(vertices.children.size());
        for (const XmlElement& inner : vertices.children) {
          const std::string* const inner_semantic = inner.find("semantic");
          if (inner_semantic != nullptr && *inner_semantic == "POSITION") positions = &referenced(inner, "source");
        }
      }
      const XmlElement* const array = positions ? positions->child("float_array") : nullptr;
      if (array == nullptr)
        refuse_scene(faces.mark.text() + ": " + faces.tag, "no positions", "an input with the semantic VERTEX");
      const std::vector<Vector3>& points = points_of(*array);
      std::vector<double> sizes;
      if (const XmlElement* const counts = faces.child("vcount")) sizes = numbers(*counts, counts->text, 0);
      std::vector<std::array<int, 3>> triangles;
      for (const XmlElement& list : faces.children) {
        if (list.tag != "p") continue;
        const auto indices = numbers(list, list.text, 0);
        const std::size_t corners = indices.size() / stride;
        if (faces.tag == "triangles") sizes.assign(corners / 3, 3.0);
        if (faces.tag == "polygons") sizes.assign(1, static_cast<double>(corners));
        std::size_t first = 0;
        for (const double size : sizes) {
          if (!(size <= static_cast<double>(corners - first)))
            refuse_scene(list.mark.text() + ": p", fmt::format("{} corners", corners), "as many as the faces have");
          const auto count = static_cast<std::size_t>(std::max(0.0, size));
          const auto corner = [&](std::size_t i) {
            const double index = indices[(first + i) * stride + at];
            if (index >= 0.0 && index < static_cast<double>(points.size())) return static_cast<int>(index);
            refuse_scene(list.mark.text() + ": p", fmt::format("the vertex {}", index),
                         fmt::format("one below {}", points.size()));
          };
          for (std::size_t i = 2; i < count; ++i) triangles.push_back({corner(0), corner(i - 1), corner(i)});
          first += count;
        }
      }
      shape.push_back({&points, std::move(triangles)});
    }
    return shape;
  }

  static constexpr double k_most_offset = 1000.0;

  std::string path_;
  XmlElement root_;
  std::map<std::string, const XmlElement*> by_id_;
  // Read once, however often they are named: a small text may name a large one a million times.
  std::map<const XmlElement*, const XmlElement*> referenced_;
  std::map<const XmlElement*, AffineMap> local_maps_;
  std::map<const XmlElement*, std::vector<Vector3>> points_;
  std::map<const XmlElement*, std::vector<Faces>> shapes_;
  SceneTriangles triangles_;
};

// --- glTF
// -------------------------------------------------------------------------------------------------------------

std::string base64_bytes(const std::string& path, const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    const std::size_t value = letters.find(letter);
    if (value == letters.npos) refuse_scene(path, "a character that base64 does not have", "data in base64");
    buffer = (buffer << 6U) | static_cast<unsigned>(value), bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((buffer >> static_cast<unsigned>(bits)) & 0xffU);
  }
  return bytes;
}

class GltfReader {
 public:
  explicit GltfReader(const NamedText& file) : path_(file.path), triangles_(file.path) {
    std::string text = file.text;
    std::string binary;
    if (text.size() >= 20 && text.starts_with("glTF")) {
      const std::size_t size = word(text, 12);
      if (20 + size > text.size()) refuse_scene(path_, "the end of the file", "a part of JSON");
      const std::size_t next = 20 + size;
      if (next + 8 <= text.size()) binary = text.substr(next + 8, word(text, next));
      text = text.substr(20, size);
    }
    const auto makes_value = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
    if (static_cast<std::size_t>(std::count_if(text.begin(), text.end(), makes_value)) > k_most_scene_values) {
      refuse_scene(path_, "more values of JSON than any scene has", fmt::format("at most {}", k_most_scene_values));
    }
    json_ = SceneJson::parse(text, nullptr, false);
    if (!json_.is_object()) refuse_scene(path_, "no object of JSON", "a scene in glTF 2.0");
    if (!json_.contains("buffers")) return;
    for (const SceneJson& buffer : json_["buffers"]) {
      const std::string uri = buffer.value("uri", "");
      const std::size_t comma = uri.find(";base64,");
      if (!uri.empty() && comma == uri.npos)
        refuse_scene(path_, "a buffer in the file '" + uri + "'", "one within: a .glb");
      // the first alone can mean the binary part, which is then no more there
      buffers_.push_back(uri.empty() ? std::exchange(binary, {}) : base64_bytes(path_, uri.substr(comma + 8)));
      if (buffers_.size() == 1) binary.clear();
    }
  }

  TriangleMesh read() {
    const AffineMap z_up{{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}}, {}};  // glTF has y up
    const SceneJson& scene = json_.at("scenes").at(whole_in(json_, "scene", 0));
    for (const SceneJson& node : scene.at("nodes")) add_node(whole(node, "a node"), z_up, 0);
    return triangles_.take();
  }

 private:
  static std::size_t word(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  }

  /// A whole number that is not negative: JSON's own conversion takes -1 for 2^64 - 1.
  std::size_t whole(const SceneJson& value, const std::string& what) const {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    refuse_scene(path_ + ": " + what, value.is_number() ? value.dump() : value.type_name(), "a whole number >= 0");
  }
  std::size_t whole_in(const SceneJson& object, const char* key, std::size_t fallback) const {
    return object.contains(key) ? whole(object.at(key), key) : fallback;
  }

  /// As many numbers as the fallback has.
  std::vector<double> numbers_of_node(const SceneJson& node, const char* key,
                                      const std::vector<double>& fallback) const {
    if (!node.contains(key)) return fallback;
    const SceneJson& given = node.at(key);
    if (given.is_array() && given.size() == fallback.size()) return given.get<std::vector<double>>();
    refuse_scene(path_ + ": " + key, given.is_array() ? fmt::format("a list of {}", given.size()) : given.type_name(),
                 fmt::format("{} numbers", fallback.size()));
  }

  void add_node(std::size_t index, const AffineMap& world_parent, int depth) {
    if (depth > k_deepest_scene) refuse_scene(path_, "nodes that contain themselves", "a tree");
    triangles_.count_nodes();
    const SceneJson& node = json_.at("nodes").at(index);
    AffineMap local;
    if (node.contains("matrix")) {
      const auto m = numbers_of_node(node, "matrix", std::vector<double>(16, 0.0));
      local = {{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}, {m[12], m[13], m[14]}};
    } else {
      const auto t = numbers_of_node(node, "translation", {0.0, 0.0, 0.0});
      const auto r = numbers_of_node(node, "rotation", {0.0, 0.0, 0.0, 1.0});
      const auto s = numbers_of_node(node, "scale", {1.0, 1.0, 1.0});
      const Matrix3 R = Quaternion{r[3], r[0], r[1], r[2]}.normalized().matrix();
      local = {R * Matrix3{{s[0], 0.0, 0.0}, {0.0, s[1], 0.0}, {0.0, 0.0, s[2]}}, {t[0], t[1], t[2]}};
    }
    const AffineMap world = world_parent * local;
    if (node.contains("mesh")) {
      for (const SceneJson& primitive : json_.at("meshes").at(whole(node["mesh"], "mesh")).at("primitives")) {
        add_primitive(primitive, world);
      }
    }
    if (!node.contains("children")) return;
    for (const SceneJson& child : node["children"]) add_node(whole(child, "a node"), world, depth + 1);
  }

  /// Numbers of an accessor, `width` in a row.
  std::vector<double> values(std::size_t index, std::size_t width) {
    const SceneJson& accessor = json_.at("accessors").at(index);
    const std::size_t type = whole(accessor.at("componentType"), "componentType");
    const std::size_t count = whole(accessor.at("count"), "count");
    const std::map<std::size_t, std::size_t> sizes{{5121, 1}, {5123, 2}, {5125, 4}, {5126, 4}};
    if (sizes.count(type) == 0)
      refuse_scene(path_, fmt::format("the component type {}", type), "bytes, integers or floats");
    const std::size_t size = sizes.at(type), element = size * width;
    const SceneJson& view = json_.at("bufferViews").at(whole(accessor.at("bufferView"), "bufferView"));
    const std::size_t buffer = whole(view.at("buffer"), "buffer");
    if (buffer >= buffers_.size())
      refuse_scene(path_, fmt::format("the buffer {}", buffer), fmt::format("one below {}", buffers_.size()));
    const std::string& bytes = buffers_[buffer];
    const std::size_t view_start = whole_in(view, "byteOffset", 0), in_view = whole_in(accessor, "byteOffset", 0);
    const std::size_t stride = whole_in(view, "byteStride", element);
    if (stride < element) {
      refuse_scene(path_, fmt::format("a byteStride of {}", stride), fmt::format("at least {} bytes", element));
    }
    // all of them within the data, in terms that cannot overflow
    const bool starts = view_start <= bytes.size() && in_view <= bytes.size() - view_start;
    const std::size_t room = starts ? bytes.size() - view_start - in_view : 0;
    if (count > 0 && (room < element || count - 1 > (room - element) / stride)) {
      refuse_scene(path_, "the end of the data", fmt::format("{} elements of {} bytes", count, element));
    }
    triangles_.count_numbers(count * width);
    std::vector<double> result;
    result.reserve(count * width);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        std::uint32_t whole_value = 0;
        std::memcpy(&whole_value, bytes.data() + view_start + in_view + i * stride + k * size, size);
        float real = 0.0F;
        std::memcpy(&real, &whole_value, sizeof(real));
        result.push_back(type == 5126 ? static_cast<double>(real) : static_cast<double>(whole_value));
      }
    }
    return result;
  }

  void add_primitive(const SceneJson& primitive, const AffineMap& world) {
    if (whole_in(primitive, "mode", 4) != 4) return;  // lines and points
    triangles_.count_nodes();
    const auto x = values(whole(primitive.at("attributes").at("POSITION"), "POSITION"), 3);
    std::vector<Vector3> points;
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) points.push_back({x[i], x[i + 1], x[i + 2]});
    std::vector<double> corners;
    if (primitive.contains("indices")) {
      corners = values(whole(primitive["indices"], "indices"), 1);
    } else {
      for (std::size_t i = 0; i < points.size(); ++i) corners.push_back(static_cast<double>(i));
    }
    std::vector<std::array<int, 3>> triangles;
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
      std::array<int, 3> triangle{};
      for (std::size_t k = 0; k < 3; ++k) {
        if (!(corners[i + k] >= 0.0 && corners[i + k] < static_cast<double>(points.size()))) {
          refuse_scene(path_, fmt::format("the vertex {}", corners[i + k]), fmt::format("one below {}", points.size()));
        }
        triangle[k] = static_cast<int>(corners[i + k]);
      }
      triangles.push_back(triangle);
    }
    triangles_.add(points, triangles, world);
  }

  std::string path_;
  SceneJson json_;
  std::vector<std::string> buffers_;
  SceneTriangles triangles_;
};

/// MuJoCo's own format: numbers of vertices, normals, texture coordinates and faces, then these in floats and integers.
TriangleMesh read_mujoco_mesh(const NamedText& file) {
  const std::string& bytes = file.text;
  const auto word = [&bytes](std::size_t at) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  std::array<std::size_t, 4> counts{};
  bool sizes_fit = bytes.size() >= 16;
  for (std::size_t i = 0; sizes_fit && i < 4; ++i) {
    const std::int32_t count = word(4 * i);
    sizes_fit = count >= 0 && static_cast<std::size_t>(count) <= bytes.size();
    counts[i] = sizes_fit ? static_cast<std::size_t>(count) : 0;
  }
  const std::size_t faces_at = 16 + 12 * counts[0] + 12 * counts[1] + 8 * counts[2];
  if (!sizes_fit || bytes.size() != faces_at + 12 * counts[3]) {
    refuse_scene(file.path, fmt::format("{} bytes that do not fit their four counts", bytes.size()),
                 "a mesh in MuJoCo's .msh");
  }
  TriangleMesh mesh;
  for (std::size_t i = 0; i < counts[0]; ++i) {
    std::array<float, 3> x{};
    std::memcpy(x.data(), bytes.data() + 16 + 12 * i, sizeof(x));
    if (!(std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]))) {
      refuse_scene(file.path, fmt::format("the vertex {} that is not finite", i), "finite numbers");
    }
    mesh.points.push_back({static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])});
  }
  for (std::size_t i = 0; i < counts[3]; ++i) {
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k] = word(faces_at + 12 * i + 4 * k);
      if (corners[k] >= 0 && static_cast<std::size_t>(corners[k]) < counts[0]) continue;
      refuse_scene(file.path, fmt::format("the vertex {}", corners[k]), fmt::format("one below {}", counts[0]));
    }
    mesh.triangles.push_back(corners);
  }
  if (mesh.triangles.empty()) refuse_scene(file.path, "no triangle", "at least one");
  return mesh;
}

}  // namespace

TriangleMesh read_scene_mesh(const NamedText& file) {
  std::string extension = std::filesystem::path(file.path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".msh") return read_mujoco_mesh(file);
  if (extension == ".dae") return ColladaReader(file).read();
  if (extension != ".glb" && extension != ".gltf") return read_triangle_text(file);
  try {
    return GltfReader(file).read();
  } catch (const SceneJson::exception& error) {
    refuse_scene(file.path, std::string("a mistake (") + error.what() + ")", "a scene in glTF 2.0");
  }
}

}  // namespace cuttle
