#include "io/yaml_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cuttle/model/spelling.h"
#include "io/yaml_number.h"

namespace cuttle {
namespace {

std::string quote(const std::string& text) {
  std::string shown;
  for (const char c : text.substr(0, 60)) shown += c == '\n' ? ' ' : c;
  return "'" + shown + (text.size() > 60 ? "..." : "") + "'";
}

std::string child_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace

std::string YamlCursor::found() const {
  switch (node_->kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return node_->items.empty() ? "an empty list" : fmt::format("a list of {}", node_->items.size());
    case YamlNode::Kind::map:
      return "a mapping";
    case YamlNode::Kind::scalar:
      break;
  }
  const bool plain = !node_->quoted && (parse_yaml_number(node_->scalar) || parse_yaml_boolean(node_->scalar));
  return plain ? node_->scalar : quote(node_->scalar);
}

YamlCursor YamlCursor::child(const std::string& key) const {
  const YamlEntry* entry = node_->find(key);
  return YamlCursor(entry ? entry->value : *node_, child_path(path_, key), *errors_);
}

YamlCursor YamlCursor::child(std::size_t index) const {
  const YamlNode& node = index < node_->items.size() ? node_->items[index] : *node_;
  return YamlCursor(node, fmt::format("{}[{}]", path_, index), *errors_);
}

std::optional<std::string> YamlCursor::as_text() const {
  if (node_->kind != YamlNode::Kind::scalar) return std::nullopt;
  // yes, no, on, off are text for YAML 1.2, and names of things
  const bool is_true_or_false = node_->scalar.size() > 3 && parse_yaml_boolean(node_->scalar);
  if (!node_->quoted && (is_true_or_false || parse_yaml_number(node_->scalar))) return std::nullopt;
  return node_->scalar;
}

std::optional<double> YamlCursor::number(const Key& rule) const {
  const std::string expected =
      Key{.name = {}, .kind = Key::Kind::number, .range = rule.range, .unit = rule.unit}.expected();
  const bool plain = node_->kind == YamlNode::Kind::scalar && !node_->quoted;
  const auto value = plain ? parse_yaml_number(node_->scalar) : std::nullopt;
  if (value && !value->ambiguity.empty()) {
    fail(node_->scalar + " (" + value->ambiguity + ")", "a number without leading zeros");
    return std::nullopt;
  }
  const bool finite = value && std::isfinite(value->value);
  if (value && !finite && rule.range.text().empty()) {
    fail("a finite" + expected.substr(1));  // "a number" alone would not say what is wrong
    return std::nullopt;
  }
  if (!finite || !rule.range.contains(value->value)) {
    fail(expected);
    return std::nullopt;
  }
  return value->value;
}

std::optional<long> YamlCursor::integer(const Key& rule) const {
  const bool plain = node_->kind == YamlNode::Kind::scalar && !node_->quoted;
  const auto value = plain ? parse_yaml_number(node_->scalar) : std::nullopt;
  constexpr double k_largest_exact = 9007199254740992.0;  // 2^53
  if (value && !value->ambiguity.empty()) {
    fail(node_->scalar + " (" + value->ambiguity + ")", "an integer without leading zeros");
  } else if (!value || std::floor(value->value) != value->value || std::abs(value->value) > k_largest_exact ||
             !rule.range.contains(value->value)) {
    fail(rule.expected());
  } else {
    return static_cast<long>(value->value);
  }
  return std::nullopt;
}

std::optional<bool> YamlCursor::boolean(const Key& rule) const {
  const bool plain = node_->kind == YamlNode::Kind::scalar && !node_->quoted;
  const auto value = plain ? parse_yaml_boolean(node_->scalar) : std::nullopt;
  if (!value) fail(rule.expected());
  return value;
}

std::optional<std::string> YamlCursor::text(const Key& rule) const {
  auto value = as_text();
  if (!value) {
    const bool could_be_quoted = node_->kind == YamlNode::Kind::scalar && rule.kind != Key::Kind::choice;
    fail(rule.expected() + (could_be_quoted ? " (in quotes, if it is meant as text)" : ""));
    return std::nullopt;
  }
  if (rule.kind == Key::Kind::choice &&
      std::find(rule.choices.begin(), rule.choices.end(), *value) == rule.choices.end()) {
    fail(rule.expected() + did_you_mean(*value, rule.choices));
    return std::nullopt;
  }
  if (rule.kind == Key::Kind::name) {
    const bool has_control = std::any_of(value->begin(), value->end(), [](unsigned char c) { return c < ' '; });
    // '.', '[' and ']' divide parameter paths, '/' the paths of datasets
    if (value->empty() || has_control || value->find_first_of("./[]") != std::string::npos) {
      fail("a name without any of . / [ ]");
      return std::nullopt;
    }
  }
  return value;
}

std::optional<std::vector<double>> YamlCursor::numbers(const Key& rule) const {
  if (rule.kind == Key::Kind::profile && node_->kind == YamlNode::Kind::scalar) {
    const auto parsed = node_->quoted ? std::nullopt : parse_yaml_number(node_->scalar);
    if (!parsed) {
      fail(rule.expected());
      return std::nullopt;
    }
    const auto value = number(rule);
    if (!value) return std::nullopt;
    return std::vector<double>{*value};
  }
  const int size = static_cast<int>(node_->items.size());
  const bool right_size = rule.kind == Key::Kind::profile ? size > 0 && (rule.count == 0 || size == rule.count)
                                                          : rule.count == 0 || size == rule.count;
  if (node_->kind != YamlNode::Kind::list || !right_size) {
    fail(rule.expected());
    return std::nullopt;
  }
  std::vector<double> values;
  for (int i = 0; i < size; ++i) {
    const auto value = YamlCursor(node_->items[i], fmt::format("{}[{}]", path_, i), *errors_).number(rule);
    if (value) values.push_back(*value);
  }
  if (static_cast<int>(values.size()) < size) return std::nullopt;
  return values;
}

std::optional<std::vector<std::string>> YamlCursor::names(const Key& rule) const {
  const std::size_t errors_before = errors_->count();
  std::vector<std::string> result;
  for (const YamlCursor& item : items(rule.expected())) {
    const auto name = item.text({.name = {}, .kind = Key::Kind::name});
    if (name) result.push_back(*name);
  }
  if (errors_->count() > errors_before) return std::nullopt;
  return result;
}

std::vector<YamlCursor> YamlCursor::items(const std::string& expected) const {
  std::vector<YamlCursor> result;
  if (node_->kind != YamlNode::Kind::list) fail(expected);
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    result.emplace_back(node_->items[i], fmt::format("{}[{}]", path_, i), *errors_);
  }
  return result;
}

std::vector<std::pair<std::string, YamlCursor>> YamlCursor::named_items(const std::string& expected) const {
  std::vector<std::pair<std::string, YamlCursor>> result;
  if (node_->kind != YamlNode::Kind::map) {
    fail(expected);
    return result;
  }
  check_duplicates();
  for (const YamlEntry& entry : node_->entries) {
    result.emplace_back(entry.key, YamlCursor(entry.value, child_path(path_, entry.key), *errors_));
  }
  return result;
}

bool YamlCursor::check_duplicates() const {
  bool unique = true;
  for (const YamlEntry& entry : node_->entries) {
    const YamlEntry& first = *node_->find(entry.key);
    if (&first == &entry) continue;
    unique = false;
    errors_->add(entry.mark, child_path(path_, entry.key), "this key again", "it once (" + first.mark.text() + ")");
  }
  return unique;
}

void YamlCursor::check_keys(const KeyTable& table, const KeyVariants* variants, const std::string& variant) const {
  check_duplicates();
  std::vector<std::string> known;
  if (variants) known.push_back(variants->selector);
  for (const Key& key : table.keys) known.push_back(key.name);
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string path = child_path(path_, entry.key);
    const bool of_other_variant =
        variants && std::any_of(variants->variants.begin(), variants->variants.end(),
                                [&](const auto& other) { return other.table && other.table->find(entry.key); });
    const std::string expected = known.empty() ? "no keys" : join_or(known);
    if (of_other_variant) {
      errors_->add(entry.mark, path, fmt::format("a key that {} {} does not have", variants->selector, variant),
                   expected);
    } else {
      errors_->add(entry.mark, path, "an unknown key", expected + did_you_mean(entry.key, known));
    }
  }
  for (const Key& key : table.keys) {
    if (!key.required || node_->find(key.name)) continue;
    errors_->add(mark(), child_path(path_, key.name), "nothing", key.expected());
  }
}

std::optional<YamlMap> YamlCursor::map(const KeyTable& table) const {
  if (node_->kind != YamlNode::Kind::map) {
    fail("a mapping");
    return std::nullopt;
  }
  check_keys(table, nullptr, {});
  return YamlMap(*this, *node_, table, {});
}

std::optional<YamlMap> YamlCursor::map(const KeyVariants& variants) const {
  if (node_->kind != YamlNode::Kind::map) {
    fail("a mapping");
    return std::nullopt;
  }
  std::vector<std::string> supported, all;
  for (const auto& variant : variants.variants) {
    all.push_back(variant.choice);
    if (variant.table) supported.push_back(variant.choice);
  }
  std::string choice = variants.fallback;
  if (const YamlEntry* entry = node_->find(variants.selector)) {
    const YamlCursor selector(entry->value, child_path(path_, variants.selector), *errors_);
    const auto text = selector.as_text();
    if (!text || std::find(all.begin(), all.end(), *text) == all.end()) {
      selector.fail(join_or(supported) + (text ? did_you_mean(*text, all) : ""));
      return std::nullopt;
    }
    if (std::find(supported.begin(), supported.end(), *text) == supported.end()) {
      selector.fail(selector.found() + ", which is not supported yet", join_or(supported));
      return std::nullopt;
    }
    choice = *text;
  } else if (choice.empty()) {
    errors_->add(mark(), child_path(path_, variants.selector), "nothing", join_or(supported));
    return std::nullopt;
  }
  for (const auto& variant : variants.variants) {
    if (variant.choice != choice || !variant.table) continue;
    check_keys(*variant.table, &variants, choice);
    return YamlMap(*this, *node_, *variant.table, choice);
  }
  throw std::logic_error("variants without their fallback " + choice);
}

std::optional<YamlMap> YamlCursor::map(const Key& rule) const {
  return rule.variants ? map(*rule.variants) : map(*rule.table);
}

const Key& YamlMap::rule(const std::string& name) const {
  const Key* key = table_->find(name);
  if (!key) throw std::logic_error("key '" + name + "' is in no table");
  return *key;
}

bool YamlMap::has(const std::string& name) const {
  rule(name);
  return node_->find(name) != nullptr;
}

std::optional<YamlCursor> YamlMap::at(const std::string& name) const {
  rule(name);
  const YamlEntry* entry = node_->find(name);
  if (!entry) return std::nullopt;
  return YamlCursor(entry->value, child_path(cursor_.path(), name), cursor_.errors());
}

std::optional<double> YamlMap::number(const std::string& name) const {
  const auto value = at(name);
  return value ? value->number(rule(name)) : std::nullopt;
}
std::optional<long> YamlMap::integer(const std::string& name) const {
  const auto value = at(name);
  return value ? value->integer(rule(name)) : std::nullopt;
}
std::optional<bool> YamlMap::boolean(const std::string& name) const {
  const auto value = at(name);
  return value ? value->boolean(rule(name)) : std::nullopt;
}
std::optional<std::string> YamlMap::text(const std::string& name) const {
  const auto value = at(name);
  return value ? value->text(rule(name)) : std::nullopt;
}
std::optional<std::vector<double>> YamlMap::numbers(const std::string& name) const {
  const auto value = at(name);
  return value ? value->numbers(rule(name)) : std::nullopt;
}
std::optional<std::vector<std::string>> YamlMap::names(const std::string& name) const {
  const auto value = at(name);
  return value ? value->names(rule(name)) : std::nullopt;
}
std::optional<YamlMap> YamlMap::map(const std::string& name) const {
  const auto value = at(name);
  return value ? value->map(rule(name)) : std::nullopt;
}

std::vector<YamlMap> YamlMap::maps(const std::string& name) const {
  std::vector<YamlMap> result;
  const auto value = at(name);
  if (!value) return result;
  for (const YamlCursor& item : value->items(rule(name).expected())) {
    if (const auto map = item.map(rule(name))) result.push_back(*map);
  }
  return result;
}

std::vector<std::pair<std::string, YamlMap>> YamlMap::named_maps(const std::string& name) const {
  std::vector<std::pair<std::string, YamlMap>> result;
  const auto value = at(name);
  if (!value) return result;
  for (const auto& [key, item] : value->named_items(rule(name).expected())) {
    if (const auto map = item.map(rule(name))) result.emplace_back(key, *map);
  }
  return result;
}

void YamlMap::fail(const std::string& name, const std::string& found, const std::string& expected) const {
  const auto value = at(name);
  const SourceMark& mark = value ? value->mark() : cursor_.mark();
  cursor_.errors().add(mark, child_path(cursor_.path(), name), found, expected);
}

}  // namespace cuttle
