#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/io/decimal.h"
#include "cuttle/spatial/logarithm.h"
#include "view/packing.h"
#include "view/scene_items.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

/// Six digits: what is drawn needs no more.
double rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0.0;
  return *parse_decimal(fmt::format("{:.6g}", value));
}
Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}
Json vector(const Vector3& v) { return {rounded(v.x), rounded(v.y), rounded(v.z)}; }

Json packed_points(const std::vector<Vector3>& points) {
  std::vector<double> values;
  for (const Vector3& p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return packed_floats(values);
}
template <std::size_t N>
Json packed_indices(const std::vector<std::array<int, N>>& indices) {
  std::vector<std::int32_t> values;
  for (const auto& each : indices) values.insert(values.end(), each.begin(), each.end());
  return packed_integers(values);
}

}  // namespace

unsigned color_code(const Color& color) {
  const auto byte = [](double part) { return static_cast<unsigned>(std::lround(255.0 * std::clamp(part, 0.0, 1.0))); };
  return byte(color.red) << 16 | byte(color.green) << 8 | byte(color.blue);
}

namespace {

/// As in viewer/src/contract.ts.
const char* section_name(const SceneRod& rod) {
  using Outline = SectionContour::Outline;
  switch (rod.outline) {
    case Outline::circle:
      return rod.inner.empty() ? "circle" : "annulus";
    case Outline::ellipse:
      return "ellipse";
    case Outline::rectangle:
      return "rectangle";
  }
  return "";
}

Json shape_json(const SceneShape& shape) {
  const Quaternion q = quaternion_from_matrix(shape.pose.rotation);
  Json json{{"link", shape.link},
            {"frame", shape.frame},
            {"pose", {{"position", vector(shape.pose.position)}, {"quaternion", numbers({q.w, q.x, q.y, q.z})}}}};
  using Kind = SceneShape::Kind;
  switch (shape.kind) {
    case Kind::box:
      json["shape"] = "box", json["size"] = vector(shape.size);
      break;
    case Kind::sphere:
      json["shape"] = "sphere", json["radius"] = rounded(shape.radius);
      break;
    case Kind::cylinder:
    case Kind::capsule:
      json["shape"] = shape.kind == Kind::cylinder ? "cylinder" : "capsule";
      json["radius"] = rounded(shape.radius), json["length"] = rounded(shape.length);
      break;
    case Kind::mesh:
      json["shape"] = "mesh";
      json["mesh"] = {{"points", packed_points(shape.mesh->points)},
                      {"triangles", packed_indices(shape.mesh->triangles)}};
      break;
  }
  if (shape.color) {
    json["color"] = fmt::format("#{:06x}", color_code(*shape.color));
    if (shape.color->opacity < 1.0) json["opacity"] = rounded(shape.color->opacity);
  }
  json["given"] = shape.given;
  if (shape.obstacle) json["obstacle"] = true;
  if (shape.contact) json["contact"] = true;
  return json;
}

}  // namespace

std::string SceneItems::json() const {
  Json scene{{"name", robot.name},
             {"size", size},
             {"reach", rounded(drawn.reach())},
             {"gravity", vector(robot.gravity)},
             {"base", vector(robot.base_pose.position)}};
  const auto list = [&scene](const char* key) -> Json& { return scene[key] = Json::array(); };
  const auto fields_of = [this](int link) -> Json { return {field_places[link][0], field_places[link][1]}; };

  Json& frame_list = list("frames");
  for (const SceneFrame& frame : frames) {
    Json json{{"name", frame.name}, {"at", frame.at}, {"link", frame.link}};
    if (frame.marker != nullptr) json["marker"] = frame.marker, json["radius"] = rounded(frame.radius);
    frame_list.push_back(std::move(json));
  }
  Json& rod_list = list("rods");
  for (const SceneRod& rod : rods) {
    Json json{{"link", rod.link}, {"section", section_name(rod)}};
    json["halfX"] = numbers(rod.half_x), json["halfY"] = numbers(rod.half_y);
    if (!rod.inner.empty()) json["inner"] = numbers(rod.inner);
    json["s"] = numbers(drawn.links()[rod.link].s);
    json["at"] = rod.at, json["fields"] = fields_of(rod.link);
    rod_list.push_back(std::move(json));
  }
  Json& surface_list = list("surfaces");
  for (const SceneSurface& surface : surfaces) {
    surface_list.push_back({{"link", surface.link},
                            {"points", surface.shape.points.size()},
                            {"at", surface.at},
                            {"triangles", packed_indices(surface.shape.triangles)},
                            {"edges", packed_indices(surface.shape.edges)},
                            {"fields", fields_of(surface.link)}});
  }
  Json& shape_list = list("shapes");
  for (const SceneShape& shape : shapes) shape_list.push_back(shape_json(shape));
  Json& tendon_list = list("tendons");
  for (const SceneTendon& tendon : tendons) {
    tendon_list.push_back(
        {{"name", tendon.name}, {"points", tendon.points}, {"at", tendon.at}, {"tension", tendon.tension}});
  }
  Json& chamber_list = list("chambers");
  for (const SceneChamber& chamber : chambers) {
    Json json{{"name", chamber.name}, {"link", chamber.link}, {"pressure", chamber.pressure}};
    if (chamber.tube_points > 0) {
      json["tube"] = {{"radius", rounded(chamber.radius)}, {"points", chamber.tube_points}, {"at", chamber.at}};
    } else {
      json["cavity"] = {{"points", chamber.chamber.points.size()},
                        {"at", chamber.at},
                        {"triangles", packed_indices(chamber.chamber.triangles)}};
    }
    chamber_list.push_back(std::move(json));
  }
  Json& arrow_list = list("arrows");
  for (const SceneArrow& arrow : arrows) {
    const char* const kind = arrow.center >= 0 ? (arrow.shows_friction ? "friction" : "normal")
                             : arrow.torque    ? "torque"
                                               : "force";
    arrow_list.push_back({{"name", arrow.name}, {"kind", kind}, {"at", arrow.at}, {"unit", arrow.unit}});
  }
  if (!dots.empty()) {
    Json& dot_list = list("dots");
    for (const SceneDot& dot : dots) dot_list.push_back({{"name", dot.name}, {"at", dot.at}, {"state", dot.state}});
  }
  Json& link_list = list("links");
  for (std::size_t i = 0; i < drawn.links().size(); ++i) {
    link_list.push_back({{"name", drawn.links()[i].name}, {"tip", tips[i]}});
  }
  scene["fields"] = {{{"key", "energy"}, {"name", "strain energy density"}, {"unit", "J/m³"}},
                     {{"key", "curvature"}, {"name", "curvature"}, {"unit", "1/m"}}};
  return scene.dump(-1, ' ', false, Json::error_handler_t::replace);  // names may be in any encoding
}

}  // namespace cuttle
