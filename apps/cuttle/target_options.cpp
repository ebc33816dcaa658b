#include "target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

constexpr std::array<const char*, 4> k_endings{".pose", ".x", ".y", ".z"};

FrameTarget read_target(const Model& model, const std::string& text) {
  const auto [name, numbers] =
      read_named_numbers("--target", text, "FRAME=[x,y,z], FRAME.pose=[x,y,z,qw,qx,qy,qz] or FRAME.z=[x,y,z]");
  std::string frame_name = name, ending;
  if (!find_frame(model, name)) {
    for (const std::string candidate : k_endings) {
      if (!name.ends_with(candidate)) continue;
      frame_name = name.substr(0, name.size() - candidate.size()), ending = candidate;
    }
  }
  const auto found = find_frame(model, frame_name);
  if (!found) {
    throw ArgumentError(
        fmt::format("--target: found '{}', expected LINK.tip, LINK.base or a marker, alone or with .pose, "
                    ".x, .y or .z behind{}",
                    name, did_you_mean(frame_name, frame_names(model))));
  }
  const std::size_t expected = ending == ".pose" ? 7 : 3;
  if (numbers.size() != expected) {
    throw ArgumentError(fmt::format("--target: {}: found {} number{}, expected {}", name, numbers.size(),
                                    numbers.size() == 1 ? "" : "s",
                                    ending == ".pose" ? "7: x, y, z [m], and a quaternion w, x, y, z"
                                    : ending.empty()  ? "3: x, y, z [m]"
                                                      : "3: a direction in the world"));
  }
  const Vector3 vector{numbers[0], numbers[1], numbers[2]};
  FrameTarget target;
  if (ending.empty()) {
    target = FrameTarget::at_position(*found, vector);
  } else if (ending == ".pose") {
    const Quaternion quaternion{numbers[3], numbers[4], numbers[5], numbers[6]};
    const double length = std::sqrt(quaternion.squared_norm());
    if (!(std::abs(length - 1.0) < 1e-3)) {
      throw ArgumentError(
          fmt::format("--target: {}: found a quaternion of norm {:.6g}, expected 1 within 0.001", name, length));
    }
    target = FrameTarget::at_pose(*found, {quaternion.normalized().matrix(), vector});
  } else {
    if (!(norm(vector) > 0.0)) {
      throw ArgumentError(fmt::format("--target: {}: found a direction of length 0, expected one that is not", name));
    }
    Vector3 axis{};
    axis[ending[1] - 'x'] = 1.0;
    target = FrameTarget::in_direction(*found, axis, vector);
  }
  target.name = name;
  return target;
}

}  // namespace

Frame frame_of(const Model& model, const std::string& option, const std::string& name) {
  if (const auto found = find_frame(model, name)) return *found;
  throw ArgumentError(fmt::format("{}: found '{}', expected LINK.tip, LINK.base or a marker{}", option, name,
                                  did_you_mean(name, frame_names(model))));
}

NamedNumbers read_named_numbers(const std::string& option, const std::string& text, const std::string& expected) {
  const auto fail = [&] { throw ArgumentError(fmt::format("{}: found '{}', expected {}", option, text, expected)); };
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) fail();
  NamedNumbers result{text.substr(0, equals), {}};
  const Json json = Json::parse(text.substr(equals + 1), nullptr, false);
  if (!json.is_array()) fail();
  for (const Json& entry : json) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) fail();
    result.numbers.push_back(entry.get<double>());
  }
  return result;
}

void add_target_option(CLI::App& command, std::vector<std::string>& targets) {
  command
      .add_option("--target", targets,
                  "where a frame is to be, as LINK.tip=[x,y,z], LINK.tip.pose=[x,y,z,qw,qx,qy,qz] or "
                  "LINK.tip.z=[x,y,z], a direction of its z axis; LINK.base and markers likewise (may be repeated)")
      ->type_name("FRAME=[..]")
      ->take_all()
      ->expected(1);
}

std::vector<FrameTarget> read_targets(const Model& model, const std::vector<std::string>& given) {
  std::vector<FrameTarget> targets;
  targets.reserve(given.size());
  for (const std::string& text : given) targets.push_back(read_target(model, text));
  return targets;
}

CoordinateLimits read_coordinate_limits(const Model& model, const std::vector<std::string>& given) {
  CoordinateLimits limits = joint_limits(model);
  std::vector<std::string> names;
  for (const CoordinateInfo& info : model.configuration_info()) names.push_back(info.name);
  for (const std::string& text : given) {
    const auto [name, numbers] = read_named_numbers("--limit", text, "COORDINATE=[lowest,highest]");
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw ArgumentError(fmt::format("--limit: found '{}', expected a coordinate of '{}': {}{}", name, model.name(),
                                      fmt::join(names, ", "), did_you_mean(name, names)));
    }
    if (numbers.size() != 2 || !(numbers[0] <= numbers[1])) {
      throw ArgumentError(
          fmt::format("--limit: {}: found [{}], expected [lowest,highest]", name, fmt::join(numbers, ", ")));
    }
    limits.lower[at - names.begin()] = numbers[0], limits.upper[at - names.begin()] = numbers[1];
  }
  return limits;
}

Json target_errors_json(const std::vector<FrameTarget>& targets, const std::vector<TargetError>& errors) {
  Json result = Json::array();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    result.push_back(
        {{"target", targets[i].name}, {"position_error", errors[i].position}, {"angle_error", errors[i].angle}});
  }
  return result;
}

std::string target_error_text(const FrameTarget& target, const TargetError& error) {
  const std::string position = fmt::format("{:.3g} m", error.position), angle = fmt::format("{:.3g} rad", error.angle);
  switch (target.kind) {
    case FrameTarget::Kind::position:
      return target.name + ": " + position;
    case FrameTarget::Kind::direction:
      return target.name + ": " + angle;
    case FrameTarget::Kind::pose:
      break;
  }
  return target.name + ": " + position + ", " + angle;
}

}  // namespace cuttle
