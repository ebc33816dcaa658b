#include "body_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/bodies/point_reduction.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/rod_refinement.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

/// Above it, a rod's points are worth raising.
constexpr double k_error_limit = 1e-3;

}  // namespace

std::string error_text(const Json& error) {
  const double value = error.get<double>();
  return value < 1e-12 ? "< 1e-12" : fmt::format("{:.1e}", value);  // rounding, not discretization
}

void print_part(const std::string& title, const TextTable& table) {
  const std::string text = table.text();
  if (!text.empty()) fmt::print("\n{}\n{}", title, text);
}

std::string number_text(const Json& number) { return fmt::format("{:.6g}", number.get<double>() + 0.0); }

Json rods_json(const Robot& robot) {
  Json list = Json::array();
  for (const Link& link : robot.links) {
    const auto* rod = link.body ? link.body->slender() : nullptr;
    if (rod == nullptr) continue;
    const RodDiscretizationError error = estimate_discretization_error(*link.body);
    const std::optional<int> advised = quadrature_points_for_error(*link.body, k_error_limit);
    list.push_back({{"link", link.name},
                    {"points", rod->quadrature_points()},
                    {"error",
                     {{"mass_matrix", error.mass_matrix},
                      {"tip_position", error.tip_position},
                      {"tip_rotation", error.tip_rotation}}},
                    {"advised_points", advised ? Json(*advised) : Json(nullptr)}});
  }
  return list;
}

Json volumes_json(const Robot& robot) {
  Json list = Json::array();
  for (const Link& link : robot.links) {
    const auto quadrature = link.body ? link.body->part<Quadrature>() : nullptr;
    if (!quadrature) continue;
    const std::vector<double>& weights = quadrature->weights;
    Json json = {{"link", link.name},
                 {"points", weights.size()},
                 {"volume", std::accumulate(weights.begin(), weights.end(), 0.0)},
                 {"reduction", nullptr},
                 {"mesh", nullptr}};
    if (const auto reduction = link.body->part<PointReduction>()) {
      json["reduction"] = {{"points", reduction->full.points.size()},
                           {"tolerance", reduction->options.tolerance},
                           {"strain", reduction->options.strain},
                           {"error", reduction->error}};
    }
    if (const auto mesh = link.body->part<TetrahedralMesh>()) {
      json["mesh"] = {{"file", mesh->source},
                      {"nodes", mesh->nodes.size()},
                      {"tetrahedra", mesh->tetrahedra.size()},
                      {"nodes_per_tetrahedron", mesh->nodes_per_tetrahedron()},
                      {"groups", Json::array()}};
      for (const auto& group : mesh->groups) json["mesh"]["groups"].push_back(group.name);
    }
    list.push_back(std::move(json));
  }
  return list;
}

void print_rods(const Json& rods) {
  TextTable table(
      {{"link"}, {"points", true}, {"mass matrix", true}, {"tip position / L", true}, {"tip rotation [rad]", true}});
  std::string advice;
  for (const Json& rod : rods) {
    const Json& error = rod["error"];
    table.add({rod["link"], rod["points"].dump(), error_text(error["mass_matrix"]), error_text(error["tip_position"]),
               error_text(error["tip_rotation"])});
    if (rod["advised_points"] == rod["points"]) continue;
    advice += fmt::format("  {}: above {:g}; ", rod["link"].get<std::string>(), k_error_limit);
    if (rod["advised_points"].is_null()) {
      advice += "more points do not help: are the rod's strains meant?\n";
    } else {
      advice += fmt::format("{1} points are enough: --set robot.links.{0}.body.quadrature.points={1}\n",
                            rod["link"].get<std::string>(), rod["advised_points"].get<int>());
    }
  }
  print_part("rods: change when the points of their quadrature double, each coordinate at 1 rad or 0.1 L", table);
  fmt::print("{}", advice);
}

void print_volumes(const Json& volumes) {
  TextTable table({{"link"}, {"volume [m^3]", true}, {"points", true}, {"mesh"}});
  for (const Json& volume : volumes) {
    const Json& mesh = volume["mesh"];
    std::string about;
    if (!mesh.is_null()) {
      about = fmt::format("{} {}-node tetrahedra, {} nodes", mesh["tetrahedra"].dump(),
                          mesh["nodes_per_tetrahedron"].dump(), mesh["nodes"].dump());
      const std::vector<std::string> groups = mesh["groups"];
      if (!groups.empty()) about += fmt::format("; groups: {}", fmt::join(groups, ", "));
    }
    const Json& all = volume["reduction"];
    std::string points = volume["points"].dump();
    if (!all.is_null()) {
      points += fmt::format(" of {}, error {:.1e} up to strains of {}", all["points"].dump(),
                            all["error"].get<double>(), number_text(all["strain"]));
    }
    table.add({volume["link"], number_text(volume["volume"]), points, about});
  }
  print_part("volumes", table);
}

}  // namespace cuttle
