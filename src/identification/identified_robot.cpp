#include "cuttle/identification/identified_robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "cuttle/io/yaml_tree.h"
#include "io/scenario/overrides.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {
namespace {

struct ReplacedNumber {
  int line, column;  // 1-based
  std::string old_text, new_text, key, interval;
};

double half_width(const IdentifiedParameter& parameter) {
  return std::max(parameter.upper95 - parameter.value, parameter.value - parameter.lower95);
}

std::string interval_text(const IdentifiedParameter& parameter) {
  if (parameter.at_bound) return "at its bound";
  if (!std::isfinite(parameter.lower95)) return "interval not known";
  const double half = half_width(parameter);
  return fmt::format("95 % in [{}, {}]", meaningful_digits(parameter.lower95, half),
                     meaningful_digits(parameter.upper95, half));
}

/// What stands in a comment cannot end its line.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string identified_comments(const std::vector<FreeParameter>& parameters, const Identification& found) {
  const std::string priors = found.prior_count == 0
                                 ? ""
                                 : fmt::format(" and {} prior{}", found.prior_count, found.prior_count == 1 ? "" : "s");
  std::string text =
      fmt::format("# Identified from {} measurements{}: RMS of the residuals {:.4g} {} ({}), written by Cuttle.\n",
                  found.measurement_count, priors, found.rms, found.rms_unit, one_line(found.message));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const IdentifiedParameter& one = found.parameters[i];
    text += fmt::format("#   {} = {}{}: {}{}\n", one.name, meaningful_digits(one.value, half_width(one)),
                        one.unit.empty() ? "" : " " + one.unit, interval_text(one),
                        parameters[i].paths.empty() ? ", of the set-up" : "");
  }
  return text;
}

std::optional<std::string> text_with_identified(const std::string& text, const std::string& name,
                                                const std::vector<FreeParameter>& parameters,
                                                const Identification& found) {
  const YamlNode root = parse_yaml(text, name);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::vector<ReplacedNumber> numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const IdentifiedParameter& one = found.parameters[i];
    for (const std::string& path : parameters[i].paths) {
      const YamlNode* const node = find_value(root, path);
      if (node == nullptr || node->kind() != YamlNode::Kind::scalar) return std::nullopt;
      const ReplacedNumber number{node->mark.line,
                                  node->mark.column,
                                  node->scalar(),
                                  yaml_number(one.value),
                                  path.substr(path.rfind('.') + 1),
                                  interval_text(one)};
      const auto line = static_cast<std::size_t>(number.line) - 1, column = static_cast<std::size_t>(number.column) - 1;
      if (line >= lines.size() || lines[line].compare(column, number.old_text.size(), number.old_text) != 0) {
        return std::nullopt;
      }
      const auto same = [&](const ReplacedNumber& n) { return n.line == number.line && n.column == number.column; };
      if (std::none_of(numbers.begin(), numbers.end(), same)) numbers.push_back(number);
    }
  }
  // from the end of each line on, so that columns stay right
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.column > b.column; });
  std::map<int, std::string> comments;
  for (const ReplacedNumber& number : numbers) {
    lines[static_cast<std::size_t>(number.line) - 1].replace(static_cast<std::size_t>(number.column) - 1,
                                                             number.old_text.size(), number.new_text);
    std::string& comment = comments[number.line];
    comment = fmt::format("{}: {}{}{}", number.key, number.interval, comment.empty() ? "" : "; ", comment);
  }
  std::string result = identified_comments(parameters, found);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += lines[i];
    const auto comment = comments.find(static_cast<int>(i) + 1);
    if (comment != comments.end()) result += "  # " + comment->second;
    result += '\n';
  }
  return result;
}

}  // namespace cuttle
