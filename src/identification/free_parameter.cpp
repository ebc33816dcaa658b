#include "cuttle/identification/free_parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/model/parameters.h"
#include "io/name_pattern.h"

namespace cuttle {
namespace {

[[noreturn]] void refuse_free(const std::string& text, const std::string& why) {
  throw ArgumentError(
      fmt::format("--free: found '{}', {}, expected PATH, PATH=LOWER:UPPER or PATH=LOWER:UPPER:log, as "
                  "materials.silicone.young_modulus=1e5:1e6:log",
                  text, why));
}

double bound_of(const std::string& text, const std::string& part, double missing) {
  if (part.empty()) return missing;
  const auto value = parse_decimal(part);
  if (!value || !std::isfinite(*value)) refuse_free(text, "whose bound '" + part + "' is no number");
  return *value;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string without_root(const std::string& path) { return path.starts_with("robot.") ? path.substr(6) : path; }

}  // namespace

double FreeParameter::scale(double value) const {
  if (prior_deviation > 0.0) return 2.0 * prior_deviation;
  if (logarithmic) return value;
  if (std::isfinite(lower) && std::isfinite(upper)) return upper - lower;
  const double size = std::max(std::abs(value), std::abs(start));
  return size > 0.0 ? size : 1.0;
}

FreeParameter parse_free_parameter(const Model& model, const std::string& text,
                                   const std::vector<std::string>& columns) {
  return parse_free_parameter(model, text, [&](const std::string& name) -> std::optional<SetUpConstant> {
    for (const std::string& column : columns) {
      if (name == column + ".bias") return SetUpConstant{0.0};
      if (name == column + ".scale") return SetUpConstant{1.0};
    }
    return std::nullopt;
  });
}

FreeParameter parse_free_parameter(const Model& model, const std::string& text, const SetUpConstants& set_up) {
  const auto equals = text.find('=');
  FreeParameter parameter;
  parameter.name = without_root(text.substr(0, equals));
  if (parameter.name.empty()) refuse_free(text, "without a path");
  if (const auto constant = set_up(parameter.name)) {
    parameter.start = constant->start, parameter.unit = constant->unit;
  } else {
    const std::vector<ParameterInfo> known = model.parameters();
    for (const std::string& part : split_at(parameter.name, '+')) {
      if (part.find('*') == part.npos) {
        parameter.paths.push_back(model.parameter(without_root(part)).path);
        continue;
      }
      const std::size_t before = parameter.paths.size();
      for (const ParameterInfo& info : known) {
        if (matches_pattern(part, info.path)) parameter.paths.push_back(info.path);
      }
      if (parameter.paths.size() == before) {
        refuse_free(text, "which matches none of the robot's parameters (`cuttle parameters` lists them)");
      }
    }
    // of parts that overlap each path counts once
    std::vector<std::string> once;
    for (const std::string& path : parameter.paths) {
      if (std::find(once.begin(), once.end(), path) == once.end()) once.push_back(path);
    }
    parameter.paths = std::move(once);
    const ParameterInfo first = model.parameter(parameter.paths.front());
    parameter.start = first.value, parameter.unit = first.unit;
    for (const std::string& path : parameter.paths) {
      if (model.parameter(path).unit == first.unit) continue;
      refuse_free(text, fmt::format("whose paths have different units ({} and {})", first.path, path));
    }
  }
  if (equals != text.npos) {
    const std::vector<std::string> parts = split_at(text.substr(equals + 1), ':');
    const bool logarithmic = parts.size() == 3 && parts[2] == "log";
    if (parts.size() != 2 && !logarithmic) refuse_free(text, "whose bounds are not two");
    parameter.lower = bound_of(text, parts[0], parameter.lower);
    parameter.upper = bound_of(text, parts[1], parameter.upper);
    parameter.logarithmic = logarithmic;
  }
  if (!(parameter.lower < parameter.upper)) refuse_free(text, "whose lower bound is not below the upper one");
  if (parameter.logarithmic && std::isfinite(parameter.lower) && !(parameter.lower > 0.0)) {
    refuse_free(text, "whose logarithm does not exist at the lower bound");
  }
  if (parameter.logarithmic && !(parameter.start > 0.0)) {
    refuse_free(text, fmt::format("which is {:g} in the file and has no logarithm", parameter.start));
  }
  if (parameter.start < parameter.lower || parameter.start > parameter.upper) {
    refuse_free(text, fmt::format("which is {:g} in the file, outside of its bounds", parameter.start));
  }
  return parameter;
}

void require_distinct(const std::vector<FreeParameter>& parameters) {
  std::map<std::string, const FreeParameter*> owners;
  const auto own = [&](const std::string& path, const FreeParameter& parameter) {
    const auto [owner, is_new] = owners.emplace(path, &parameter);
    if (is_new) return;
    throw ArgumentError(fmt::format("--free: found '{}' twice, in '{}' and in '{}', expected it in one of them", path,
                                    owner->second->name, parameter.name));
  };
  for (const FreeParameter& parameter : parameters) {
    if (parameter.paths.empty()) own(parameter.name, parameter);
    for (const std::string& path : parameter.paths) own(path, parameter);
  }
}

void apply_prior(const std::string& text, std::vector<FreeParameter>& parameters) {
  const auto equals = text.find('=');
  const std::string name = without_root(text.substr(0, equals));
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  const std::vector<std::string> parts =
      equals == text.npos ? std::vector<std::string>{} : split_at(text.substr(equals + 1), ':');
  const auto value = parts.size() == 2 ? parse_decimal(parts[0]) : std::nullopt;
  const auto deviation = parts.size() == 2 ? parse_decimal(parts[1]) : std::nullopt;
  if (found == parameters.end() || !value || !deviation || !std::isfinite(*value) || !(*deviation > 0.0)) {
    throw ArgumentError(fmt::format(
        "--prior: found '{}', expected NAME=VALUE:DEVIATION with the name of a free parameter as --free has it", text));
  }
  found->prior = *value, found->prior_deviation = *deviation;
}

namespace {

Model model_with(const Model& model, const std::vector<FreeParameter>& parameters, const VectorXd& values) {
  std::vector<ParameterChange> changes;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const std::string& path : parameters[i].paths) {
      changes.push_back({path, values[static_cast<Eigen::Index>(i)]});
    }
  }
  return changes.empty() ? model : model.with(changes);
}

}  // namespace

FreedRobot::FreedRobot(const Model& model, const std::vector<FreeParameter>& parameters, const VectorXd& values,
                       bool derivatives)
    : parameters_(parameters), values_(values), model_(model_with(model, parameters, values)) {
  if (!derivatives) return;
  std::vector<std::string> paths;
  std::vector<std::size_t> owners;  // of all directions: those of the robot first
  for (const bool of_robot : {true, false}) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].paths.empty() == of_robot) continue;
      paths.insert(paths.end(), parameters[i].paths.begin(), parameters[i].paths.end());
      owners.insert(owners.end(), of_robot ? parameters[i].paths.size() : 1, i);
    }
  }
  constexpr std::size_t k_width = k_forward_width;
  for (std::size_t first = 0; first < owners.size(); first += k_width) {
    const std::size_t end = std::min(owners.size(), first + k_width);
    const std::size_t from = std::min(first, paths.size()), to = std::min(end, paths.size());
    const std::vector<std::string> own(paths.begin() + static_cast<std::ptrdiff_t>(from),
                                       paths.begin() + static_cast<std::ptrdiff_t>(to));
    passes_.push_back(
        {differentiate(model_, own),
         {owners.begin() + static_cast<std::ptrdiff_t>(first), owners.begin() + static_cast<std::ptrdiff_t>(end)}});
  }
}

}  // namespace cuttle
