#include "cuttle/io/key_reader.h"

#include <cmath>
#include <stdexcept>

#include "io/robot/part_readers.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

/// The numbers that a table says for a missing key.
std::vector<double> default_numbers(const Key& rule) {
  const YamlNode value = parse_yaml(rule.default_value, "default value");
  std::vector<double> numbers;
  const auto add = [&](const YamlNode& node) {
    const auto number = node.kind() == YamlNode::Kind::scalar ? parse_yaml_number(node.scalar()) : std::nullopt;
    if (!number) throw std::logic_error("key '" + rule.name + "' has no default value of numbers");
    numbers.push_back(number->value);
  };
  if (value.kind() == YamlNode::Kind::list) {
    for (const YamlNode& item : value.items()) add(item);
  } else {
    add(value);
  }
  return numbers;
}

std::string default_text(const Key& rule) {
  if (rule.default_value.empty()) throw std::logic_error("key '" + rule.name + "' has no default value");
  return parse_yaml(rule.default_value, "default value").scalar();
}

/// A number to go on with where a good one is missing.
double stopgap(const NumberRange& range) {
  if (range.contains(1.0)) return 1.0;
  if (std::isfinite(range.min) && std::isfinite(range.max)) return 0.5 * (range.min + range.max);
  return std::isfinite(range.min) ? range.min + 1.0 : range.max - 1.0;
}

/// Whether a missing key has its default value: one that is required has been reported.
bool has_default(const YamlMap& map, const std::string& name) { return !map.has(name) && !map.rule(name).required; }

/// Numbers of a key, or of its default value; nothing if they are wrong.
template <typename S>
std::optional<std::vector<S>> given_numbers(const YamlMap& map, const std::string& name) {
  if (!has_default(map, name)) return map.numbers<S>(name);
  const Key& rule = map.rule(name);
  const std::vector<double> values = default_numbers(rule);
  const bool one = rule.kind == Key::Kind::profile && values.size() == 1;  // a number, no list
  if (!one) return map.missing(name).missing_numbers<S>(rule, values);
  const auto value = map.missing(name).missing_number<S>(rule, values.front());
  return value ? std::optional(std::vector<S>{*value}) : std::nullopt;
}

}  // namespace

template <typename S>
S KeyReader<S>::number(const std::string& name) const {
  const Key& rule = map_.rule(name);
  const auto value = has_default(map_, name)
                         ? map_.missing(name).template missing_number<S>(rule, default_numbers(rule).front())
                         : map_.template number<S>(name);
  return value.value_or(S(stopgap(rule.range)));
}

template <typename S>
std::optional<S> KeyReader<S>::optional_number(const std::string& name) const {
  return has(name) ? std::optional<S>(number(name)) : std::nullopt;
}

template <typename S>
std::vector<S> KeyReader<S>::numbers(const std::string& name) const {
  const Key& rule = map_.rule(name);
  return given_numbers<S>(map_, name).value_or(std::vector<S>(std::max(rule.count, 1), S(stopgap(rule.range))));
}

template <typename S>
Vector3T<S> KeyReader<S>::vector(const std::string& name) const {
  const std::vector<S> values = numbers(name);
  return {values.at(0), values.at(1), values.at(2)};
}

template <typename S>
Vector3T<S> KeyReader<S>::axis(const std::string& name) const {
  const Vector3T<S> axis = vector(name);
  if (!(axis.x == S(0.0) && axis.y == S(0.0) && axis.z == S(0.0))) return axis;
  map_.at(name).value_or(map_.missing(name)).fail("[0, 0, 0]", "an axis that is not zero");
  return {S(0.0), S(0.0), S(1.0)};
}

template <typename S>
PoseT<S> KeyReader<S>::pose(const std::string& name) const {
  return read_pose<S>(map_, name);
}

template <typename S>
int KeyReader<S>::integer(const std::string& name) const {
  if (has_default(map_, name)) return static_cast<int>(default_numbers(map_.rule(name)).front());
  return static_cast<int>(map_.integer(name).value_or(static_cast<long>(stopgap(map_.rule(name).range))));
}

template <typename S>
bool KeyReader<S>::boolean(const std::string& name) const {
  if (has_default(map_, name)) return parse_yaml_boolean(default_text(map_.rule(name))).value_or(false);
  return map_.boolean(name).value_or(false);
}

template <typename S>
std::string KeyReader<S>::text(const std::string& name) const {
  return has_default(map_, name) ? default_text(map_.rule(name)) : map_.text(name).value_or("");
}

template <typename S>
Signal KeyReader<S>::signal(const std::string& name) const {
  const auto value = map_.at(name);
  if (!value) return has_default(map_, name) ? Signal(default_numbers(map_.rule(name)).front()) : Signal();
  return read_signal(*value, map_.rule(name), *files_).value_or(Signal());
}

template <typename S>
std::array<Signal, 3> KeyReader<S>::signals(const std::string& name) const {
  std::array<Signal, 3> components;
  const auto list = map_.at(name);
  if (!list) return components;
  const Key& rule = map_.rule(name);
  const auto items = list->items(rule.expected());
  if (list->kind() == YamlNode::Kind::list && items.size() != 3) list->fail(rule.expected());
  for (std::size_t i = 0; i < items.size() && i < 3; ++i) {
    components[i] = read_signal(items[i], rule, *files_).value_or(Signal());
  }
  return components;
}

template <typename S>
std::optional<NamedText> KeyReader<S>::file(const std::string& name, const std::string& what) const {
  return files_->read(map_, name, what);
}

template <typename S>
void KeyReader<S>::fail(const std::string& name, const std::string& expected) const {
  const auto value = map_.at(name);
  map_.fail(name, value ? value->found() : "nothing", expected);
}

template class KeyReader<double>;
template class KeyReader<ForwardDual>;

}  // namespace cuttle
