#include "io/robot/visual_reader.h"

#include <algorithm>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/meshes/triangle_file.h"
#include "io/robot/named_colors.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

std::optional<Color> read_color(const YamlCursor& cursor, const Key& rule) {
  if (const auto name = cursor.as_text()) {
    std::vector<std::string> known;
    for (const NamedColor& color : named_colors()) {
      if (color.name == *name) return color.color;
      known.emplace_back(color.name);
    }
    cursor.fail("'" + *name + "'", rule.expected() + did_you_mean(*name, known));
    return std::nullopt;
  }
  if (cursor.kind() != YamlNode::Kind::list) {
    cursor.fail(rule.expected());
    return std::nullopt;
  }
  const auto values = cursor.numbers({.name = {}, .kind = Key::Kind::numbers, .range = from_to(0, 1)});
  if (!values) return std::nullopt;
  if (values->size() != 3 && values->size() != 4) {
    cursor.fail("3 or 4 numbers in [0, 1]");
    return std::nullopt;
  }
  const auto& c = *values;
  return Color{c[0], c[1], c[2], c.size() == 4 ? c[3] : 1.0};
}

namespace {

std::shared_ptr<const TriangleMesh> read_mesh(const YamlMap& map, NamedFiles& files) {
  const auto scale = read_scale<double>(map);
  auto mesh = read_triangles(map, files);
  if (!scale || !mesh) return nullptr;
  const auto [x, y, z] = *scale;
  for (Vector3& p : mesh->points) p = {x * p.x, y * p.y, z * p.z};
  return std::make_shared<const TriangleMesh>(std::move(*mesh));
}

std::optional<Visual> read_visual(const YamlCursor& cursor, NamedFiles& files) {
  const std::size_t errors_before = cursor.errors().count();
  const auto map = cursor.map(k_visual_variants);
  if (!map) return std::nullopt;
  Visual visual;
  if (map->variant() == "box") {
    visual.shape = Visual::Shape::box;
    if (const auto size = map->numbers("size")) visual.size = {(*size)[0], (*size)[1], (*size)[2]};
  } else if (map->variant() == "mesh") {
    visual.shape = Visual::Shape::mesh;
    visual.mesh = read_mesh(*map, files);
  } else {
    const bool cylinder = map->variant() == "cylinder";
    visual.shape = cylinder ? Visual::Shape::cylinder : Visual::Shape::sphere;
    visual.radius = map->number("radius").value_or(0.0);
    if (cylinder) visual.length = map->number("length").value_or(0.0);
  }
  if (const auto color = map->at("color")) visual.color = read_color(*color, map->rule("color"));
  visual.pose = read_pose<double>(*map, "pose");
  if (cursor.errors().count() > errors_before) return std::nullopt;
  return visual;
}

}  // namespace

std::vector<Visual> read_visuals(const YamlMap& map, NamedFiles& files) {
  std::vector<Visual> visuals;
  const auto value = map.at("visual");
  if (!value) return visuals;
  const auto read = [&](const YamlCursor& cursor) {
    if (auto visual = read_visual(cursor, files)) visuals.push_back(std::move(*visual));
  };
  const YamlCursor cursor = value->without_parameters();  // physics ignores them
  if (cursor.kind() == YamlNode::Kind::list) {
    for (const YamlCursor& item : cursor.items("a list")) read(item);
  } else {
    read(cursor);
  }
  return visuals;
}

}  // namespace cuttle
