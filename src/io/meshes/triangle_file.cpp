#include "io/meshes/triangle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "cuttle/error.h"
#include "io/meshes/line_reader.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& found, const std::string& expected) {
  throw FileError(fmt::format("{}: found {}, expected {}", path, found, expected));
}

/// Corners of triangles as STL has them, one by one, joined where they coincide.
class CornerMesh {
 public:
  void add(const std::array<Vector3, 3>& corners) {
    std::array<int, 3> triangle{};
    for (std::size_t i = 0; i < 3; ++i) triangle[i] = index_of(corners[i]);
    mesh_.triangles.push_back(triangle);
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  int index_of(const Vector3& p) {
    const auto [place, is_new] = index_.try_emplace({p.x, p.y, p.z}, static_cast<int>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(p);
    return place->second;
  }

  TriangleMesh mesh_;
  std::map<std::array<double, 3>, int> index_;
};

// binary STL: 80 bytes of header, the number of triangles, and for each its normal, three corners and two bytes
constexpr std::size_t k_stl_header = 84, k_stl_triangle = 50;

std::uint32_t little_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

bool is_binary_stl(const std::string& bytes) {
  if (bytes.size() < k_stl_header) return false;
  // many binary files begin with "solid" too: their size tells
  return !bytes.starts_with("solid") ||
         bytes.size() == k_stl_header + k_stl_triangle * std::size_t{little_endian(bytes, k_stl_header - 4)};
}

TriangleMesh read_binary_stl(const NamedText& file) {
  const std::string& bytes = file.text;
  const std::size_t count = little_endian(bytes, k_stl_header - 4);
  if (bytes.size() < k_stl_header + k_stl_triangle * count) {
    fail(file.path, fmt::format("{} bytes", bytes.size()),
         fmt::format("{} for the {} triangles that this binary STL states", k_stl_header + k_stl_triangle * count,
                     count));
  }
  CornerMesh mesh;
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Vector3, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      double values[3];
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = k_stl_header + k_stl_triangle * t + 12 * (c + 1) + 4 * i;
        values[i] = static_cast<double>(std::bit_cast<float>(little_endian(bytes, at)));
        if (!std::isfinite(values[i])) {
          fail(file.path, fmt::format("a coordinate {} in triangle {}", values[i], t), "a finite number");
        }
      }
      corners[c] = {values[0], values[1], values[2]};
    }
    mesh.add(corners);
  }
  return mesh.take();
}

TriangleMesh read_ascii_stl(const NamedText& file) {
  LineReader lines(file.path, file.text);
  const auto expect = [&lines](const char* first, const char* second, std::size_t words) {
    const auto& found = lines.words();
    const std::string expected = second ? fmt::format("{} {}", first, second) : first;
    if (found.empty() || found[0] != first) lines.fail(0, "", "'" + std::string(lines.rest()) + "'", expected);
    if (second && (found.size() < 2 || found[1] != second)) lines.fail(1, "", "another word", expected);
    if (found.size() < words) lines.fail(found.size(), "", "the end of the line", fmt::format("{} words", words));
  };
  lines.require_next("", "solid NAME");
  expect("solid", nullptr, 1);
  CornerMesh mesh;
  for (int t = 0; lines.next(); ++t) {
    const std::string_view word = lines.words()[0];
    if (word == "endsolid" || word == "solid") continue;  // a file may have several
    const std::string subject = fmt::format("triangle {}", t);
    expect("facet", nullptr, 1);
    lines.require_next(subject, "outer loop");
    expect("outer", "loop", 2);
    std::array<Vector3, 3> corners;
    for (Vector3& corner : corners) {
      lines.require_next(subject, "vertex X Y Z");
      expect("vertex", nullptr, 4);
      corner = {lines.finite(1, subject), lines.finite(2, subject), lines.finite(3, subject)};
    }
    lines.require_next(subject, "endloop");
    expect("endloop", nullptr, 1);
    lines.require_next(subject, "endfacet");
    expect("endfacet", nullptr, 1);
    mesh.add(corners);
  }
  return mesh.take();
}

TriangleMesh read_obj(const NamedText& file) {
  LineReader lines(file.path, file.text);
  TriangleMesh mesh;
  while (lines.next()) {
    const auto& words = lines.words();
    if (words[0] == "v") {
      const std::string subject = fmt::format("vertex {}", mesh.points.size() + 1);
      mesh.points.push_back({lines.finite(1, subject), lines.finite(2, subject), lines.finite(3, subject)});
    } else if (words[0] == "f") {
      if (words.size() < 4) lines.fail(words.size(), "face", "the end of the line", "at least 3 corners");
      std::vector<int> corners;
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string corner(words[i].substr(0, words[i].find('/')));  // then come texture and normal
        char* end = nullptr;
        const long number = std::strtol(corner.c_str(), &end, 10);
        const long count = static_cast<long>(mesh.points.size());
        const long index = number < 0 ? count + number : number - 1;  // negative: counted from the last
        if (*end != '\0' || number == 0 || index < 0 || index >= count) {
          lines.fail(i, "face", "'" + corner + "'", fmt::format("a vertex that stands before, 1 to {}", count));
        }
        corners.push_back(static_cast<int>(index));
      }
      for (std::size_t i = 2; i < corners.size(); ++i) {
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
      }
    }
  }
  return mesh;
}

}  // namespace

TriangleMesh read_triangle_text(const NamedText& file) {
  std::string extension = std::filesystem::path(file.path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  TriangleMesh mesh;
  if (extension == ".obj") {
    mesh = read_obj(file);
  } else if (extension == ".stl") {
    mesh = is_binary_stl(file.text) ? read_binary_stl(file) : read_ascii_stl(file);
  } else {
    fail(file.path, "a name that ends in '" + extension + "'",
         "a mesh in STL or OBJ: a name that ends in .stl or .obj");
  }
  if (mesh.triangles.empty()) fail(file.path, "no triangle", "at least one");
  return mesh;
}

std::optional<TriangleMesh> read_triangles(const YamlMap& map, NamedFiles& files) {
  const auto file = files.read(map, "file", "a mesh in STL or OBJ");
  if (!file) return std::nullopt;
  try {
    return read_triangle_text(*file);
  } catch (const FileError& error) {
    map.cursor().errors().add(error);
    return std::nullopt;
  }
}

template <typename S>
std::optional<std::array<S, 3>> read_scale(const YamlMap& map) {
  if (!map.has("scale")) return std::array{S(1.0), S(1.0), S(1.0)};
  const auto scale = map.numbers<S>("scale");
  if (!scale) return std::nullopt;
  if (scale->size() != 1 && scale->size() != 3) {
    map.fail("scale", map.at("scale")->found(), "a number, or one each for x, y and z");
    return std::nullopt;
  }
  const S &x = scale->front(), &y = scale->size() == 3 ? (*scale)[1] : x, &z = scale->back();
  return std::array{x, y, z};
}
template std::optional<std::array<double, 3>> read_scale<double>(const YamlMap&);
template std::optional<std::array<ForwardDual, 3>> read_scale<ForwardDual>(const YamlMap&);

std::string obj_text(const TriangleMesh& mesh) {
  std::string text;
  for (const Vector3& p : mesh.points) {
    text += "v " + yaml_number(p.x) + " " + yaml_number(p.y) + " " + yaml_number(p.z) + "\n";
  }
  for (const auto& corners : mesh.triangles) {
    text += fmt::format("f {} {} {}\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
  }
  return text;
}

}  // namespace cuttle
