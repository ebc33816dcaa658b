#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "body_info.h"
#include "commands.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/model.h"
#include "info_parts.h"
#include "json_output.h"
#include "result_info.h"
#include "text_table.h"

namespace cuttle {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false, all = false;
  std::vector<std::string> overrides;
};

// --- what there is to say, as the JSON that --json prints
// -------------------------------------------------------------

Json place_json(const Place& place) {
  Json json = {{"link", place.link}};
  switch (place.at.kind) {
    case PortLocation::Kind::base:
      json["at"] = "base";
      break;
    case PortLocation::Kind::tip:
      json["at"] = place.link == "base" ? "base" : "tip";  // the robot's base is one frame
      break;
    case PortLocation::Kind::section:
      json["at"] = {{"s", place.at.s}};
      break;
    case PortLocation::Kind::point:
      json["at"] = {{"point", {place.at.point.x, place.at.point.y, place.at.point.z}}};
      break;
  }
  return json;
}

/// Rest length of a rod, distance from base to tip of any other body.
double length_of(const Link& link, const Pose& base, const Pose& tip) {
  if (const auto* rod = link.body ? link.body->slender() : nullptr) return rod->length();
  return norm(tip.position - base.position);
}

Json links_json(const Model& model, const KinematicsT<double>& kinematics) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const LinkInfoT<double>& info = model.links()[i];
    const Link& link = model.robot().links[i];
    Place parent = link.parent;
    parent.link = info.parent < 0 ? "base" : model.links()[info.parent].name;
    list.push_back({{"name", info.name},
                    {"parent", place_json(parent)},
                    {"joint", info.joint_type},
                    {"body", link.body ? Json(info.body_type) : Json(nullptr)},
                    {"mass", info.rest_inertia.mass},
                    {"length", length_of(link, kinematics.pose(info.base), kinematics.pose(info.tip))},
                    {"q", {{"first", info.q}, {"count", info.nq}}},
                    {"v", {{"first", info.v}, {"count", info.nv}}}});
  }
  return list;
}

Json loads_json(const Robot& robot) {
  Json list = Json::array();
  for (const Load& load : robot.loads) {
    Json json = {{"type", load.law->type_name()}};
    json.update(load.law->along_link() ? Json{{"link", load.place.link}} : place_json(load.place));
    for (const LoadDetail& detail : load.law->details()) {
      std::visit([&](const auto& value) { json[detail.key] = value; }, detail.value);
    }
    const std::vector<Signal> signals = load.law->signals();
    if (!signals.empty()) {
      json["varies"] =
          std::any_of(signals.begin(), signals.end(), [](const Signal& signal) { return !signal.is_constant(); });
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json loops_json(const Model& model) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const Loop& loop = model.robot().loops[i];
    list.push_back({{"name", loop.name},
                    {"type", loop_type_name(loop.type)},
                    {"a", place_json(loop.a)},
                    {"b", place_json(loop.b)},
                    {"rows", model.loops()[i].row_count()}});
  }
  return list;
}

Json obstacles_json(const Robot& robot) {
  Json list = Json::array();
  for (const Obstacle& obstacle : robot.obstacles) {
    const Vector3& p = obstacle.pose.position;
    list.push_back({{"name", obstacle.name},
                    {"shape", obstacle.shape->type_name()},
                    {"position", {p.x, p.y, p.z}},
                    {"inside", obstacle.inside},
                    {"moves", !obstacle.motion.empty()}});
  }
  return list;
}

Json markers_json(const Robot& robot) {
  Json list = Json::array();
  for (const Marker& marker : robot.markers) {
    Json json = {{"name", marker.name}};
    json.update(place_json(marker.place));
    list.push_back(json);
  }
  return list;
}

Json describe(const RobotFile& file) {
  const Model model(file.robot);
  Data data(model);
  const Robot& robot = model.robot();
  const VectorXd rest = model.neutral();
  Json json;
  json["robot"] = model.name();
  json["base"] = robot.floating_base ? "floating" : "fixed";
  double mass = 0.0;
  for (const LinkInfoT<double>& link : model.links()) mass += link.rest_inertia.mass;
  json["mass"] = mass;
  json["gravity"] = {robot.gravity.x, robot.gravity.y, robot.gravity.z};
  json["energy"] = {{"gravity", gravity_energy(model, data, rest)}, {"elastic", elastic_energy(model, data, rest)}};
  json["nq"] = model.nq();
  json["nv"] = model.nv();
  json["nu"] = model.nu();
  json["links"] = links_json(model, forward_kinematics(model, data, rest));
  json["q"] = coordinates_json(model.configuration_info());
  json["v"] = coordinates_json(model.velocity_info());
  json["u"] = inputs_json(model);
  add_elements(model, json);
  json["markers"] = markers_json(robot);
  json["sensors"] = sensors_json(model);
  json["loads"] = loads_json(robot);
  json["loops"] = loops_json(model);
  if (!robot.obstacles.empty()) json["obstacles"] = obstacles_json(robot);
  if (!robot.contacts.empty()) json["contacts"] = contacts_json(model, rest);
  json["rods"] = rods_json(robot);
  json["volumes"] = volumes_json(robot);
  if (const auto seconds = evaluation_time(model)) json["seconds_per_evaluation"] = *seconds;
  json["warnings"] = file.notes;
  for (const std::string& warning : file.warnings) json["warnings"].push_back(warning);
  return json;
}

// --- the same for a reader
// --------------------------------------------------------------------------------------------

std::string vector_text(const Json& vector) {
  std::string text;
  for (const Json& x : vector) text += (text.empty() ? "" : ", ") + number_text(x);
  return "[" + text + "]";
}

std::string place_text(const Json& place) {
  std::string link = place["link"];
  if (!place.contains("at")) return link;
  const Json& at = place["at"];
  if (at.contains("s")) return link + " at s = " + number_text(at["s"]) + " m";
  if (at.contains("point")) return link + " at " + vector_text(at["point"]) + " m";
  return link == "base" ? link : link + " " + at.get<std::string>();
}

std::string range_text(const Json& range) {
  const int first = range["first"], count = range["count"];
  if (count == 0) return "-";
  return count == 1 ? std::to_string(first) : fmt::format("{}..{}", first, first + count - 1);
}

void print_links(const Json& links) {
  TextTable table({{"name"}, {"on"}, {"joint"}, {"body"}, {"mass [kg]", true}, {"length [m]", true}, {"q"}, {"v"}});
  for (const Json& link : links) {
    table.add({link["name"], place_text(link["parent"]), link["joint"],
               link["body"].is_null() ? "-" : link["body"].get<std::string>(), number_text(link["mass"]),
               number_text(link["length"]), range_text(link["q"]), range_text(link["v"])});
  }
  print_part("links", table);
}

/// @param all  also where the list is long; else its first rows.
void print_coordinates(const std::string& title, const Json& coordinates, bool all) {
  constexpr std::size_t k_long = 40, k_shown = 20;
  const std::size_t shown = all || coordinates.size() <= k_long ? coordinates.size() : k_shown;
  TextTable table({{"", true}, {"name"}, {"unit"}, {""}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Json& coordinate = coordinates[i];
    table.add({std::to_string(i), coordinate["name"], coordinate["unit"], coordinate.value("meaning", "")});
  }
  print_part(title, table);
  if (shown < coordinates.size()) fmt::print("  {} more (--all)\n", coordinates.size() - shown);
}

void print_inputs(const Json& inputs) {
  TextTable table({{"", true}, {"name"}, {"unit"}, {"type"}, {"links"}, {""}});
  for (const Json& input : inputs) {
    const std::vector<std::string> links = input["links"];
    std::string more;
    if (input.contains("rest_length")) {
      more = number_text(input["rest_length"]) + " m at rest, ";
      more += input.contains("drive") ? "driven by " + input["drive"].get<std::string>()
                                      : "slack: " + input["slack"].get<std::string>();
    }
    if (input.contains("rest_volume")) more = number_text(input["rest_volume"]) + " m^3 at rest";
    table.add({std::to_string(&input - &inputs[0]), input["name"], input["unit"], input["type"],
               fmt::format("{}", fmt::join(links, ", ")), more});
  }
  print_part("inputs u", table);
}

void print_markers(const Json& markers) {
  TextTable table({{"name"}, {"on"}});
  for (const Json& marker : markers) table.add({marker["name"], place_text(marker)});
  print_part("markers", table);
}

void print_loads(const Json& loads) {
  TextTable table({{"type"}, {"on"}, {"force"}, {"torque"}, {"axes"}, {""}});
  for (const Json& load : loads) {
    if (load["type"] == "fluid") {
      table.add({"fluid", place_text(load), "of " + number_text(load["density"]) + " kg/m^3", "", "",
                 load["wake"].get<bool>() ? "leaves a wake" : ""});
      continue;
    }
    if (load["type"] == "drone") {
      table.add({"drone", place_text(load), "to " + vector_text(load["linear_velocity"]) + " m/s",
                 "to " + vector_text(load["angular_velocity"]) + " rad/s", "",
                 load["varies"].get<bool>() ? "varies in time" : ""});
      continue;
    }
    if (!load.contains("force")) {  // a kind that is not Cuttle's
      std::string text;
      for (const auto& [key, value] : load.items()) {
        if (key == "type" || key == "link" || key == "at" || key == "varies") continue;
        text += (text.empty() ? "" : ", ") + key + " " + value.dump();
      }
      table.add({load["type"], place_text(load), text, "", "", load.value("varies", false) ? "varies in time" : ""});
      continue;
    }
    const bool wrench = load["type"] == "wrench";
    table.add({load["type"], place_text(load), vector_text(load["force"]) + (wrench ? " N" : " N/m"),
               vector_text(load["torque"]) + (wrench ? " N m" : " N"), load["frame"],
               load["varies"].get<bool>() ? "varies in time" : ""});
  }
  print_part("loads at time 0", table);
}

std::string names(const Json& list) {
  std::vector<std::string> all;
  for (const Json& one : list) all.push_back(one["name"]);
  return fmt::format("{}", fmt::join(all, ", "));
}

void print_elements(const Json& elements) {
  TextTable table({{"name"}, {"type"}, {"links"}, {"inputs"}, {"states"}, {"outputs"}});
  for (const Json& element : elements) {
    table.add({element["name"], element["type"],
               fmt::format("{}", fmt::join(element["links"].get<std::vector<std::string>>(), ", ")),
               fmt::format("{}", fmt::join(element["inputs"].get<std::vector<std::string>>(), ", ")),
               names(element["states"]), names(element["outputs"])});
  }
  print_part("elements", table);
  TextTable errors({{"element"}, {"tendon"}, {"force", true}});
  for (const Json& element : elements) {
    if (!element.contains("error")) continue;
    for (const auto& [tendon, error] : element["error"].items()) {
      errors.add({element["name"], tendon, error_text(error)});
    }
  }
  print_part("friction of tendons: change when its points double, over the pull; each coordinate at 1 rad or 0.1 L",
             errors);
}

void print_sensors(const Json& sensors) {
  TextTable table({{"name"}, {"type"}, {"columns"}});
  for (const Json& sensor : sensors) table.add({sensor["name"], sensor["type"], names(sensor["columns"])});
  print_part("sensors", table);
}

void print_loops(const Json& loops) {
  TextTable table({{"name"}, {"type"}, {"a"}, {"b"}, {"rows", true}});
  for (const Json& loop : loops) {
    table.add({loop["name"], loop["type"], place_text(loop["a"]), place_text(loop["b"]), loop["rows"].dump()});
  }
  print_part("loops", table);
}

void print_obstacles(const Json& obstacles) {
  TextTable table({{"name"}, {"shape"}, {"at"}, {""}});
  for (const Json& obstacle : obstacles) {
    std::string more = obstacle["inside"].get<bool>() ? "robots are inside" : "";
    if (obstacle["moves"].get<bool>()) more += more.empty() ? "moves" : ", moves";
    table.add({obstacle["name"], obstacle["shape"], vector_text(obstacle["position"]) + " m", more});
  }
  print_part("obstacles", table);
}

void print_contacts(const Json& contacts) {
  constexpr double k_rounding = 1e-15;  // of places [m]
  TextTable table({{"name"}, {"a"}, {"b"}, {"friction"}, {"E* [Pa]", true}, {"sites", true}, {"gap [m]", true}});
  for (const Json& contact : contacts) {
    const Json& friction = contact["friction"];
    const bool even = friction["forward"] == friction["backward"] && friction["forward"] == friction["sideways"];
    std::string text = number_text(friction["forward"]);
    if (!even) {
      text += " forward, " + number_text(friction["backward"]) + " backward, " + number_text(friction["sideways"]) +
              " sideways";
    }
    if (friction["static_ratio"] != 1.0) text += ", at rest " + number_text(friction["static_ratio"]) + " times that";
    if (friction["by_default"].get<bool>()) text += " (default)";
    for (const Json& pair : contact["pairs"]) {
      const Json& gap = pair["gap"];
      const bool touches = gap.is_number() && std::abs(gap.get<double>()) < k_rounding;
      table.add({contact["name"], pair["a"], pair["b"], text,
                 contact["modulus"].is_null() ? "of the materials" : number_text(contact["modulus"]),
                 pair["sites"].dump(), touches ? "0" : number_text(gap)});
    }
  }
  print_part("contacts, at rest (all coordinates neutral)", table);
}

/// What rounding leaves of a robot that lies level with the origin is 0.
std::string gravity_energy_text(const Json& info) {
  double reach = 0.0, g = 0.0;
  for (const Json& link : info["links"]) reach += link["length"].get<double>();
  for (const Json& component : info["gravity"]) g = std::max(g, std::abs(component.get<double>()));
  const Json& energy = info["energy"]["gravity"];
  return std::abs(energy.get<double>()) < 1e-14 * info["mass"].get<double>() * g * reach ? "0" : number_text(energy);
}

void print_text(const Json& info, const std::string& path, bool all) {
  fmt::print("{}: robot '{}', {} base, nq {}, nv {}, nu {}\n", path, info["robot"].get<std::string>(),
             info["base"].get<std::string>(), info["nq"].get<int>(), info["nv"].get<int>(), info["nu"].get<int>());
  fmt::print("  mass {} kg, gravity {} m/s^2\n", number_text(info["mass"]), vector_text(info["gravity"]));
  fmt::print("  energy at rest (all coordinates neutral): gravity {} J, elastic {} J\n", gravity_energy_text(info),
             number_text(info["energy"]["elastic"]));
  print_links(info["links"]);
  print_coordinates("configuration q", info["q"], all);
  print_coordinates("velocity v", info["v"], all);
  print_inputs(info["u"]);
  print_markers(info["markers"]);
  print_loads(info["loads"]);
  print_elements(info["elements"]);
  print_sensors(info["sensors"]);
  print_loops(info["loops"]);
  if (info.contains("obstacles")) print_obstacles(info["obstacles"]);
  if (info.contains("contacts")) print_contacts(info["contacts"]);
  print_rods(info["rods"]);
  print_volumes(info["volumes"]);
  if (info.contains("seconds_per_evaluation")) print_evaluation_time(info["seconds_per_evaluation"].get<double>());
}

void inform(const InfoOptions& options) {
  if (is_result(options.file)) {
    if (!options.overrides.empty()) throw ArgumentError("--set", "a change of a result", "a robot file");
    return print_result_info(options.file, options.json);
  }
  const RobotFile file = load_robot_file(options.file, options.overrides);
  print_warnings(file.notes);
  print_warnings(file.warnings);
  const Json info = describe(file);
  if (const auto names = fields_not_finite(info); !names.empty()) {
    throw Error(fmt::format("info: {}: found a value that is not finite, expected a robot with less extreme numbers",
                            fmt::join(names, ", ")));
  }
  if (options.json) {
    print_json(info);
  } else {
    print_text(info, options.file, options.all);
  }
}

}  // namespace

void add_info_command(CLI::App& app) {
  auto* command = app.add_subcommand("info", "Tell what a robot is made of, and whether its rods have enough points");
  const auto options = std::make_shared<InfoOptions>();
  command->add_option("robot", options->file, "robot file, or a result: what it is of")
      ->required()
      ->type_name("ROBOT|RESULT.h5");
  command->add_flag("--all", options->all, "list all coordinates of a robot with more than 40, not the first 20");
  command->add_flag("--json", options->json, "print it as JSON, with 17 digits");
  add_set_option(*command, options->overrides);
  command->footer(
      "Prints links, coordinates (in the order of --q and --v of `cuttle eval`), inputs, loads, and each rod's\n"
      "discretization error: by how much its mass matrix (relative), tip position (in rod lengths) and tip rotation\n"
      "change when the points of its quadrature double, the largest over each coordinate alone at 1 rad or 0.1 L.\n"
      "JSON: robot, base (fixed | floating), mass, gravity, energy {gravity, elastic} at rest, nq, nv, nu,\n"
      "links [{name, parent {link, at}, joint, body, mass, length, q {first, count}, v {first, count}}],\n"
      "q, v [{name, unit, meaning}], u [{name, unit, type, links; drive; rest_length, slack; rest_volume}], markers "
      "[{name, "
      "link, "
      "at}],\n"
      "elements [{name, type, links, inputs, states [{name, unit}], outputs}],\n"
      "sensors [{name, type, at_samples, columns [{name, unit}]}]; at_samples: continuous controllers cannot read it,\n"
      "loads [{type, link, at, force, torque, frame, varies}] at time 0 (a fluid or a drone: its own keys),\n"
      "loops [{name, type, a {link, at}, b {link, at}, rows}],\n"
      "obstacles [{name, shape, position, inside, moves}], contacts [{name, friction {forward, backward, sideways, "
      "static_ratio,\n"
      "by_default}, modulus, dissipation, pairs [{a, b, sites, gap}]}], of robots that have some,\n"
      "rods [{link, points, error {mass_matrix, tip_position, tip_rotation}, advised_points}],\n"
      "volumes [{link, volume, points, reduction {points, tolerance, strain, error}, mesh {file, nodes, tetrahedra, "
      "nodes_per_tetrahedron, groups}}], warnings.\n"
      "`advised_points`: with which the errors are at most 1e-3; null if no number of points does that.\n"
      "`mesh`: null if the shape is none.\n"
      "`at` is base, tip, {s} or {point}; `length` is a rod's rest length, else the distance from base to tip.\n"
      "Examples:\n"
      "  cuttle info models/examples/two_segment_arm.yaml\n"
      "  cuttle info models/pustina2025/hybrid_arm.yaml --json");
  command->callback([options] { inform(*options); });
}

}  // namespace cuttle
