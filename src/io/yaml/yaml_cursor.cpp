#include "cuttle/io/yaml_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "cuttle/io/plain_text.h"
#include "cuttle/model/spelling.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

std::string quote(const std::string& text) {
  std::string shown = beginning(text, 60);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return "'" + shown + "'";
}

std::string child_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace

std::string YamlCursor::found() const {
  if (const double* change = numbers_ ? numbers_->change(path_) : nullptr) return fmt::format("{}", *change);
  switch (kind()) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return size() == 0 ? "an empty list" : fmt::format("a list of {}", size());
    case YamlNode::Kind::map:
      return "a mapping";
    case YamlNode::Kind::scalar:
      break;
  }
  const std::string& text = node_->scalar();
  const bool plain = !node_->quoted() && (parse_yaml_number(text) || parse_yaml_boolean(text));
  return plain ? beginning(text, 60) : quote(text);
}

const SourceMark& YamlCursor::mark_of(const KeyPath& path) const {
  const YamlNode* node = node_;
  for (const KeyPath::Step& step : path.steps()) {
    const YamlEntry* entry = step.is_index() ? nullptr : node->find(step.key);
    const bool in_list = step.is_index() && step.index < node->items().size();
    if (!entry && !in_list) break;
    node = entry ? &entry->value : &node->items()[step.index];
  }
  return node->mark;
}

Diagnostic YamlCursor::located(Diagnostic diagnostic) const {
  const std::string file_place = mark_of(diagnostic.path()).text();
  return diagnostic.place_in(path_).located(file_place);
}

void YamlCursor::fail_inside(const Diagnostic& diagnostic) const {
  errors_->add(mark_of(diagnostic.path()), located(diagnostic).path().text(), diagnostic.message());
}

YamlCursor YamlCursor::child(const std::string& key) const {
  const YamlEntry* entry = node_->find(key);
  return below(entry ? entry->value : *node_, key);
}

YamlCursor YamlCursor::child(std::size_t index) const {
  const YamlNode& node = index < node_->items().size() ? node_->items()[index] : *node_;
  return below(node, index);
}

YamlCursor YamlCursor::below(const YamlNode& node, const std::string& key) const {
  return YamlCursor(node, child_path(path_, key), *errors_, numbers_);
}

YamlCursor YamlCursor::below(const YamlNode& node, std::size_t index) const {
  return YamlCursor(node, fmt::format("{}[{}]", path_, index), *errors_, numbers_);
}

std::optional<YamlNumber> YamlCursor::plain_number() const {
  const bool plain = kind() == YamlNode::Kind::scalar && !node_->quoted();
  return plain ? parse_yaml_number(node_->scalar()) : std::nullopt;
}

std::optional<std::string> YamlCursor::as_text() const {
  if (kind() != YamlNode::Kind::scalar) return std::nullopt;
  const std::string& text = node_->scalar();
  // yes, no, on, off are text for YAML 1.2, and names of things
  const bool is_true_or_false = text.size() > 3 && parse_yaml_boolean(text);
  if (!node_->quoted() && (is_true_or_false || parse_yaml_number(text))) return std::nullopt;
  return text;
}

template <typename S>
std::optional<S> YamlCursor::accept(double value, const Key& rule, bool given) const {
  const std::string expected =
      Key{.name = {}, .kind = Key::Kind::number, .range = rule.range, .unit = rule.unit}.expected();
  if (!std::isfinite(value) && rule.range.text().empty()) {
    fail("a finite" + expected.substr(1));  // "a number" alone would not say what is wrong
    return std::nullopt;
  }
  if (!std::isfinite(value) || !rule.range.contains(value)) {
    fail(expected);
    return std::nullopt;
  }
  if (numbers_ && numbers_->found) numbers_->found->push_back({path_, rule.unit, value, given});
  S result(value);
  if constexpr (std::is_same_v<S, ForwardDual>) {
    const auto* directions = numbers_ ? &numbers_->directions : nullptr;
    if (directions && directions->count(path_) > 0) result += directions->at(path_) - directions->at(path_).value;
  }
  return result;
}

template <typename S>
std::optional<S> YamlCursor::missing_number(const Key& rule, S fallback) const {
  if (const double* change = numbers_ ? numbers_->change(path_) : nullptr) return accept<S>(*change, rule, false);
  const double value = scalar_cast<double>(fallback);
  const auto accepted = accept<S>(value, rule, false);
  return accepted ? std::optional<S>(*accepted + (fallback - S(value))) : std::nullopt;
}

template <typename S>
std::optional<std::vector<S>> YamlCursor::missing_numbers(const Key& rule, const std::vector<double>& fallback) const {
  std::vector<S> values;
  for (std::size_t i = 0; i < fallback.size(); ++i) {
    const auto value = child(i).template missing_number<S>(rule, S(fallback[i]));
    if (value) values.push_back(*value);
  }
  if (values.size() < fallback.size()) return std::nullopt;
  return values;
}

template <typename S>
std::optional<S> YamlCursor::number(const Key& rule) const {
  if (const double* change = numbers_ ? numbers_->change(path_) : nullptr) return accept<S>(*change, rule, true);
  const auto value = plain_number();
  if (value && !value->ambiguity.empty()) {
    fail(found() + " (" + value->ambiguity + ")", "a number without leading zeros");
    return std::nullopt;
  }
  if (!value) {
    fail(Key{.name = {}, .kind = Key::Kind::number, .range = rule.range, .unit = rule.unit}.expected());
    return std::nullopt;
  }
  return accept<S>(value->value, rule, true);
}

std::optional<long> YamlCursor::integer(const Key& rule) const {
  const auto value = plain_number();
  constexpr double k_largest_exact = 9007199254740992.0;  // 2^53
  if (value && !value->ambiguity.empty()) {
    fail(found() + " (" + value->ambiguity + ")", "an integer without leading zeros");
  } else if (!value || std::floor(value->value) != value->value || std::abs(value->value) > k_largest_exact ||
             !rule.range.contains(value->value)) {
    fail(rule.expected());
  } else {
    return static_cast<long>(value->value);
  }
  return std::nullopt;
}

std::optional<bool> YamlCursor::boolean(const Key& rule) const {
  const bool plain = kind() == YamlNode::Kind::scalar && !node_->quoted();
  const auto value = plain ? parse_yaml_boolean(node_->scalar()) : std::nullopt;
  if (!value) fail(rule.expected());
  return value;
}

std::optional<std::string> YamlCursor::text(const Key& rule) const {
  auto value = as_text();
  if (!value) {
    const bool could_be_quoted = kind() == YamlNode::Kind::scalar && rule.kind != Key::Kind::choice;
    fail(rule.expected() + (could_be_quoted ? " (in quotes, if it is meant as text)" : ""));
    return std::nullopt;
  }
  if (rule.kind == Key::Kind::choice &&
      std::find(rule.choices.begin(), rule.choices.end(), *value) == rule.choices.end()) {
    fail(rule.expected() + did_you_mean(*value, rule.choices));
    return std::nullopt;
  }
  if (has_control_character(*value)) {
    fail(quote(*value), rule.expected() + " without control characters");
    return std::nullopt;
  }
  // '.', '[' and ']' divide parameter paths, '/' the paths of datasets
  if (rule.kind == Key::Kind::name && (value->empty() || value->find_first_of("./[]") != std::string::npos)) {
    fail("a name without any of . / [ ]");
    return std::nullopt;
  }
  return value;
}

template <typename S>
std::optional<std::vector<S>> YamlCursor::numbers(const Key& rule) const {
  if (rule.kind == Key::Kind::profile && kind() == YamlNode::Kind::scalar) {
    if (!plain_number()) {
      fail(rule.expected());
      return std::nullopt;
    }
    const auto value = number<S>(rule);
    if (!value) return std::nullopt;
    return std::vector<S>{*value};
  }
  const int size = static_cast<int>(node_->items().size());
  const bool right_size = rule.kind == Key::Kind::profile ? size > 0 && (rule.count == 0 || size == rule.count)
                                                          : rule.count == 0 || size == rule.count;
  if (kind() != YamlNode::Kind::list || !right_size) {
    fail(rule.expected());
    return std::nullopt;
  }
  std::vector<S> values;
  for (int i = 0; i < size; ++i) {
    const auto value = below(node_->items()[i], i).template number<S>(rule);
    if (value) values.push_back(*value);
  }
  if (static_cast<int>(values.size()) < size) return std::nullopt;
  return values;
}

std::optional<std::vector<std::string>> YamlCursor::names(const Key& rule) const {
  const std::size_t errors_before = errors_->count();
  std::vector<std::string> result;
  for (const YamlCursor& item : items(rule.expected())) {
    const auto name = item.text({.name = {}, .kind = Key::Kind::text});
    if (!name) continue;
    if (name->empty() || name->find_first_of("/[]") != std::string::npos) item.fail("a name without any of / [ ]");
    result.push_back(*name);  // of something that is there, or of a part of it: ACTUATOR.0
  }
  if (errors_->count() > errors_before) return std::nullopt;
  return result;
}

std::vector<YamlCursor> YamlCursor::items(const std::string& expected) const {
  std::vector<YamlCursor> result;
  if (kind() != YamlNode::Kind::list) fail(expected);
  for (std::size_t i = 0; i < node_->items().size(); ++i) result.push_back(below(node_->items()[i], i));
  return result;
}

std::vector<std::pair<std::string, YamlCursor>> YamlCursor::named_items(const std::string& expected) const {
  std::vector<std::pair<std::string, YamlCursor>> result;
  if (kind() != YamlNode::Kind::map) {
    fail(expected);
    return result;
  }
  check_duplicates();
  for (const YamlEntry& entry : node_->entries()) {
    if (has_control_character(entry.key)) {
      errors_->add(entry.mark, child_path(path_, entry.key), quote(entry.key), "a name without control characters");
    } else {
      result.emplace_back(entry.key, below(entry.value, entry.key));
    }
  }
  return result;
}

void YamlCursor::check_duplicates() const {
  std::map<std::string_view, const YamlEntry*> first;
  for (const YamlEntry& entry : node_->entries()) {
    const auto [other, is_new] = first.emplace(entry.key, &entry);
    if (is_new) continue;
    errors_->add(entry.mark, child_path(path_, entry.key), "this key again",
                 "it once (" + other->second->mark.text() + ")");
  }
}

void YamlCursor::check_keys(const KeyTable& table, const KeyVariants* variants, const std::string& variant) const {
  check_duplicates();
  static const std::vector<KeyVariants::Variant> k_none;
  const std::vector<KeyVariants::Variant>& others = variants ? variants->variants() : k_none;
  std::vector<std::string> known;
  if (variants) known.push_back(variants->selector);
  for (const Key& key : table.keys) known.push_back(key.name);
  for (const YamlEntry& entry : node_->entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string path = child_path(path_, entry.key);
    const auto former = std::find_if(table.former.begin(), table.former.end(),
                                     [&](const FormerKey& key) { return key.name == entry.key; });
    if (former != table.former.end()) {
      errors_->add(entry.mark, path, former->found, former->expected(*node_));
      continue;
    }
    const bool of_other_variant = std::any_of(
        others.begin(), others.end(), [&](const auto& other) { return other.table && other.table->find(entry.key); });
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
  if (kind() != YamlNode::Kind::map) {
    fail("a mapping");
    return std::nullopt;
  }
  check_keys(table, nullptr, {});
  return YamlMap(*this, *node_, table, {});
}

std::optional<YamlMap> YamlCursor::map(const KeyVariants& variants) const {
  if (kind() != YamlNode::Kind::map) {
    fail("a mapping");
    return std::nullopt;
  }
  std::vector<std::string> supported, all;
  for (const auto& variant : variants.variants()) {
    all.push_back(variant.choice);
    if (variant.table) supported.push_back(variant.choice);
  }
  std::string choice = variants.fallback;
  if (const YamlEntry* entry = node_->find(variants.selector)) {
    const YamlCursor selector = below(entry->value, variants.selector);
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
  for (const auto& variant : variants.variants()) {
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
  return cursor_.below(entry->value, name);
}

YamlCursor YamlMap::missing(const std::string& name) const { return cursor_.below(*node_, name); }

template <typename S>
std::optional<S> YamlMap::number(const std::string& name) const {
  const auto value = at(name);
  return value ? value->number<S>(rule(name)) : std::nullopt;
}
template <typename S>
std::optional<S> YamlMap::number_or(const std::string& name, double fallback) const {
  if (const auto value = at(name)) return value->number<S>(rule(name));
  return missing(name).missing_number<S>(rule(name), fallback);
}
template <typename S>
std::optional<std::vector<S>> YamlMap::numbers_or(const std::string& name, const std::vector<double>& fallback) const {
  if (const auto value = at(name)) return value->numbers<S>(rule(name));
  return missing(name).missing_numbers<S>(rule(name), fallback);
}
template <typename S>
std::optional<S> YamlMap::optional_number(const std::string& name, const Key& number_rule, S fallback) const {
  if (const auto value = at(name)) return value->number<S>(number_rule);
  const YamlCursor place = missing(name);
  const auto value = place.missing_number<S>(number_rule, fallback);
  return place.numbers_ && place.numbers_->concerns(place.path()) ? value : std::nullopt;
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
template <typename S>
std::optional<std::vector<S>> YamlMap::numbers(const std::string& name) const {
  const auto value = at(name);
  return value ? value->numbers<S>(rule(name)) : std::nullopt;
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

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                          \
  template std::optional<S> YamlCursor::number<S>(const Key&) const;                                                   \
  template std::optional<std::vector<S>> YamlCursor::numbers<S>(const Key&) const;                                     \
  template std::optional<S> YamlCursor::missing_number<S>(const Key&, S) const;                                        \
  template std::optional<std::vector<S>> YamlCursor::missing_numbers<S>(const Key&, const std::vector<double>&) const; \
  template std::optional<S> YamlMap::number<S>(const std::string&) const;                                              \
  template std::optional<std::vector<S>> YamlMap::numbers<S>(const std::string&) const;                                \
  template std::optional<S> YamlMap::number_or<S>(const std::string&, double) const;                                   \
  template std::optional<S> YamlMap::optional_number<S>(const std::string&, const Key&, S) const;                      \
  template std::optional<std::vector<S>> YamlMap::numbers_or<S>(const std::string&, const std::vector<double>&) const;
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(ForwardDual)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
