#include "body_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/rod_refinement.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/model/data.h"
#include "json_output.h"
#include "text_table.h"

namespace cuttle {
namespace {

/// Above it, a rod's points are worth raising.
constexpr double k_error_limit = 1e-3;

Json fem_json(const FemBasis& basis) {
  Json json = {{"coordinates", basis.modes.size()},
               {"modes", basis.frequencies.size()},
               {"attachment_modes", basis.attachment_modes},
               {"derivatives", basis.modes.size() - basis.frequencies.size() - basis.attachment_modes},
               {"mesh_error", basis.estimated_error},
               {"load_errors", Json::array()},
               {"deflection", k_fem_deflection},
               {"stiffening", basis.stiffening}};
  for (const FemBasis::LoadError& error : basis.load_errors) {
    json["load_errors"].push_back({{"load", error.load}, {"displacement", error.displacement}});
  }
  return json;
}

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

std::optional<double> evaluation_time(const Model& model) {
  const auto is_volume = [](const Link& link) { return link.body && link.body->part<Quadrature>() != nullptr; };
  const auto& links = model.robot().links;
  if (std::none_of(links.begin(), links.end(), is_volume)) return std::nullopt;
  using Clock = std::chrono::steady_clock;
  Data data(model);
  const VectorXd q = model.neutral(), zero = VectorXd::Zero(model.nv());
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k) {
    const Clock::time_point start = Clock::now();
    inverse_dynamics<double>(model, data, q, zero, zero);
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
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
    if (const auto basis = link.body->part<FemBasis>()) json["fem"] = fem_json(*basis);
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
  for (const Json& volume : volumes) print_fem(volume);
}

void print_fem(const Json& volume) {
  if (!volume.contains("fem")) return;
  const Json& fem = volume["fem"];
  const auto percent = [](const Json& part) {
    const double value = 100.0 * part.get<double>();
    return value < 0.01    ? std::string("< 0.01 %")
           : value < 100.0 ? fmt::format("{:.2g} %", value)
                           : fmt::format("{:.0f} %", value);
  };
  const auto count = [](const Json& number, const char* noun) { return counted(number.get<std::size_t>(), noun); };
  fmt::print("  {}: {} ({}, {} of attachments, {}); mesh ", volume["link"].get<std::string>(),
             count(fem["coordinates"], "coordinate"), count(fem["modes"], "mode"), fem["attachment_modes"].dump(),
             count(fem["derivatives"], "derivative"));
  fmt::print("{}", fem["mesh_error"] == 0.0 ? "whose own error is not estimated"
                                            : "some " + percent(fem["mesh_error"]) + " too stiff");
  for (const Json& error : fem["load_errors"]) {
    fmt::print("; the end {} off under a small {}", percent(error["displacement"]), error["load"].get<std::string>());
  }
  fmt::print("; bent by {} of the length the modes are {} times as stiff as the mesh\n", percent(fem["deflection"]),
             fmt::format("{:.2f}", fem["stiffening"].get<double>()));
}

void print_evaluation_time(const std::optional<double>& seconds) {
  if (seconds) fmt::print("  an evaluation (inverse dynamics of the robot) takes {:.2g} s here\n", *seconds);
}

}  // namespace cuttle
