#include "view/gltf_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cuttle {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF's numbers are little endian");

template <typename T>
std::string_view bytes_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}
void pad(std::string& bytes, char with) { bytes.resize((bytes.size() + 3) / 4 * 4, with); }
void append(std::string& bytes, std::uint32_t value) { bytes.append(reinterpret_cast<const char*>(&value), 4); }

double linear(unsigned channel) {
  const double value = channel / 255.0;
  const double result = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  return std::round(1e5 * result) / 1e5;
}

std::vector<float> floats(const std::vector<Vector3>& points) {
  std::vector<float> values;
  for (const Vector3& p : points) {
    for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(p[k]));
  }
  return values;
}

}  // namespace

int GltfFile::add(const char* list, Json entry) {
  root[list].push_back(std::move(entry));
  return static_cast<int>(root[list].size()) - 1;
}

int GltfFile::add_bytes(std::string_view bytes, Use use) {
  pad(bytes_, '\0');
  Json view{{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", bytes.size()}};
  if (use != Use::none) view["target"] = use == Use::vertices ? 34962 : 34963;
  bytes_ += bytes;
  return add("bufferViews", std::move(view));
}

int GltfFile::add_floats(std::span<const float> values, int width, Use use, bool bounds) {
  const char* type = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : width == 4 ? "VEC4" : "MAT4";
  Json accessor{{"bufferView", add_bytes(bytes_of(values), use)},
                {"componentType", 5126},
                {"count", values.size() / width},
                {"type", type}};
  if (bounds) {
    std::vector<float> low(width, INFINITY), high(width, -INFINITY);
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i % width] = std::min(low[i % width], values[i]), high[i % width] = std::max(high[i % width], values[i]);
    }
    accessor["min"] = low, accessor["max"] = high;
  }
  return add("accessors", std::move(accessor));
}

int GltfFile::add_indices(const std::vector<std::uint32_t>& indices) {
  return add("accessors", {{"bufferView", add_bytes(bytes_of(indices), Use::indices)},
                           {"componentType", 5125},
                           {"count", indices.size()},
                           {"type", "SCALAR"}});
}

int GltfFile::add_joints(const std::vector<std::array<std::uint16_t, 4>>& joints) {
  return add("accessors", {{"bufferView", add_bytes(bytes_of(joints), Use::vertices)},
                           {"componentType", 5123},
                           {"count", joints.size()},
                           {"type", "VEC4"}});
}

int GltfFile::material(const std::string& name, unsigned rgb, double opacity) {
  Json material{{"name", name},
                {"pbrMetallicRoughness",
                 {{"baseColorFactor", {linear(rgb >> 16 & 255), linear(rgb >> 8 & 255), linear(rgb & 255), opacity}},
                  {"metallicFactor", 0.0},
                  {"roughnessFactor", 0.6}}},
                {"doubleSided", true}};
  if (opacity < 1.0) material["alphaMode"] = "BLEND";
  const Json& materials = root["materials"];
  const auto place = std::find(materials.begin(), materials.end(), material);
  if (place != materials.end()) return static_cast<int>(place - materials.begin());
  return add("materials", std::move(material));
}

GltfFile::Json GltfFile::primitive(const ShadedMesh& mesh, int material) {
  Json attributes{{"POSITION", add_floats(floats(mesh.points), 3, Use::vertices, true)}};
  if (!mesh.normals.empty()) attributes["NORMAL"] = add_floats(floats(mesh.normals), 3, Use::vertices);
  return {{"attributes", attributes}, {"indices", add_indices(mesh.indices)}, {"material", material}};
}

std::string GltfFile::binary() const {
  std::string numbers = bytes_;
  pad(numbers, '\0');
  Json document = root;
  document["buffers"] = {{{"byteLength", numbers.size()}}};
  std::string json = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  pad(json, ' ');
  std::string file = "glTF";
  append(file, 2), append(file, static_cast<std::uint32_t>(28 + json.size() + numbers.size()));
  append(file, static_cast<std::uint32_t>(json.size())), file += "JSON", file += json;
  append(file, static_cast<std::uint32_t>(numbers.size())), file.append("BIN\0", 4), file += numbers;
  return file;
}

}  // namespace cuttle
