#include "cuttle/io/key_table.h"

#include <fmt/format.h>

#include <cmath>

#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

std::string number_text(const std::string& article, const std::string& noun, const NumberRange& range,
                        const std::string& unit) {
  std::string text = article + noun;
  if (!range.text().empty()) text += " " + range.text();
  if (!unit.empty()) text += " [" + unit + "]";
  return text;
}

}  // namespace

std::string NumberRange::text() const {
  const bool low = std::isfinite(min), high = std::isfinite(max);
  if (low && high) return fmt::format("in {}{:g}, {:g}{}", min_open ? '(' : '[', min, max, max_open ? ')' : ']');
  if (low) return fmt::format("{} {:g}", min_open ? ">" : ">=", min);
  if (high) return fmt::format("{} {:g}", max_open ? "<" : "<=", max);
  return {};
}

std::string Key::expected() const {
  switch (kind) {
    case Kind::number:
      return number_text("a ", "number", range, unit);
    case Kind::integer:
      return number_text("an ", "integer", range, unit);
    case Kind::boolean:
      return "true or false";
    case Kind::text:
      return "text";
    case Kind::name:
      return "a name";
    case Kind::choice:
      return join_or(choices);
    case Kind::numbers:
      return number_text("a list of ", count > 0 ? fmt::format("{} numbers", count) : "numbers", range, unit);
    case Kind::profile:
      return number_text("a ", "number or a list of numbers", range, unit);
    case Kind::signal:
      return number_text("a ", "number or a signal", {}, unit);
    case Kind::signals:
      return number_text("a list of ", fmt::format("{} numbers or signals", count), {}, unit);
    case Kind::map:
      return "a mapping";
    case Kind::maps:
      return "a list of mappings";
    case Kind::named_maps:
      return "a mapping from names to mappings";
    case Kind::names:
      return "a list of names";
    case Kind::other:
    case Kind::list:
    case Kind::named:
      return meaning;
  }
  return meaning;
}

Key Key::about(const char* words) const {
  Key key = *this;
  key.text = words;
  return key;
}
Key Key::by_default(const char* value, const char* words) const {
  Key key = *this;
  key.default_value = value;
  key.missing = words;
  return key;
}
Key Key::if_missing(const char* words) const {
  Key key = *this;
  key.missing = words;
  return key;
}
Key Key::like(const char* regular_expression) const {
  Key key = *this;
  key.pattern = regular_expression;
  return key;
}

const Key* KeyTable::find(const std::string& key_name) const {
  for (const Key& key : keys) {
    if (key.name == key_name) return &key;
  }
  return nullptr;
}

std::string join_or(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string one_of(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t k_most = 24, k_nearest = 5;
  std::vector<std::string> shown = known;
  if (known.size() > k_most) {
    shown = nearest_names(name, known, k_nearest);
    shown.push_back(fmt::format("one of {} others", known.size() - shown.size()));
  }
  return join_or(shown) + did_you_mean(name, known);
}

}  // namespace cuttle
