#pragma once

#include <limits>
#include <string>
#include <vector>

namespace cuttle {

/// Numbers that a key accepts; always finite ones.
struct NumberRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = true;  ///< min itself is refused
  bool max_open = true;

  bool contains(double x) const { return (min_open ? x > min : x >= min) && (max_open ? x < max : x <= max); }
  std::string text() const;  ///< "> 0", ">= 0", "in (-1, 0.5]", or nothing
};
inline constexpr double k_infinity = std::numeric_limits<double>::infinity();
inline constexpr NumberRange k_any_number{};
inline constexpr NumberRange k_positive{0.0, k_infinity, true, true};
inline constexpr NumberRange k_not_negative{0.0, k_infinity, false, true};
constexpr NumberRange from_to(double min, double max) { return {min, max, false, false}; }

struct KeyTable;
struct KeyVariants;

/// One key of the file format: everything that messages, checks and documentation need to know about it.
struct Key {
  enum class Kind {
    number,
    integer,
    boolean,
    text,
    name,        ///< text that can be a part of a parameter path or of a dataset's name
    choice,      ///< one of `choices`
    numbers,     ///< list of numbers; `count` of them, or any number if 0
    profile,     ///< a number, or a list of up to `count` of them (any number if 0)
    signal,      ///< a number or a signal, format.md section 5
    signals,     ///< list of `count` signals
    map,         ///< mapping with the keys of `table` or `variants`
    maps,        ///< list of such mappings
    named_maps,  ///< mapping from names that the user chooses to such mappings
    names,       ///< list of names
    other,       ///< read by code; `meaning` says what is expected
  };
  std::string name;
  Kind kind;
  std::string meaning = {};  ///< for kind other: what is expected there
  NumberRange range = {};
  std::string unit = {};
  int count = 0;
  std::vector<std::string> choices = {};
  const KeyTable* table = nullptr;
  const KeyVariants* variants = nullptr;
  bool required = false;

  std::string expected() const;  ///< for messages: "a number > 0 [m]"
};

/// The keys of one kind of mapping.
struct KeyTable {
  std::vector<Key> keys;

  const Key* find(const std::string& name) const;
};

/// A mapping whose keys depend on the value of one of them, as `type`.
struct KeyVariants {
  struct Variant {
    std::string choice;
    const KeyTable* table;  ///< besides the selector; null: part of the format, but not supported yet
  };
  std::string selector;
  std::vector<Variant> variants;
  std::string fallback = {};  ///< choice if the selector is missing; empty: it is required
};

/// Short ways to write the keys of a table.
namespace key {
inline Key number(const char* name, NumberRange range, const char* unit = "") {
  return {.name = name, .kind = Key::Kind::number, .range = range, .unit = unit};
}
inline Key integer(const char* name, NumberRange range) {
  return {.name = name, .kind = Key::Kind::integer, .range = range};
}
inline Key boolean(const char* name) { return {.name = name, .kind = Key::Kind::boolean}; }
inline Key text(const char* name) { return {.name = name, .kind = Key::Kind::text}; }
inline Key name(const char* key_name) { return {.name = key_name, .kind = Key::Kind::name}; }
inline Key names(const char* key_name) { return {.name = key_name, .kind = Key::Kind::names}; }
inline Key choice(const char* name, std::vector<std::string> choices) {
  return {.name = name, .kind = Key::Kind::choice, .choices = std::move(choices)};
}
inline Key numbers(const char* name, int count, const char* unit = "", NumberRange range = k_any_number) {
  return {.name = name, .kind = Key::Kind::numbers, .range = range, .unit = unit, .count = count};
}
inline Key profile(const char* name, int count, NumberRange range, const char* unit = "") {
  return {.name = name, .kind = Key::Kind::profile, .range = range, .unit = unit, .count = count};
}
inline Key signal(const char* name, const char* unit = "") {
  return {.name = name, .kind = Key::Kind::signal, .unit = unit};
}
inline Key signals(const char* name, int count, const char* unit = "") {
  return {.name = name, .kind = Key::Kind::signals, .unit = unit, .count = count};
}
inline Key map(const char* name, const KeyTable& table) {
  return {.name = name, .kind = Key::Kind::map, .table = &table};
}
inline Key map(const char* name, const KeyVariants& variants) {
  return {.name = name, .kind = Key::Kind::map, .variants = &variants};
}
inline Key maps(const char* name, const KeyTable& table) {
  return {.name = name, .kind = Key::Kind::maps, .table = &table};
}
inline Key maps(const char* name, const KeyVariants& variants) {
  return {.name = name, .kind = Key::Kind::maps, .variants = &variants};
}
inline Key named_maps(const char* name, const KeyTable& table) {
  return {.name = name, .kind = Key::Kind::named_maps, .table = &table};
}
inline Key named_maps(const char* name, const KeyVariants& variants) {
  return {.name = name, .kind = Key::Kind::named_maps, .variants = &variants};
}
inline Key other(const char* name, const char* meaning) {
  return {.name = name, .kind = Key::Kind::other, .meaning = meaning};
}
inline Key required(Key key) {
  key.required = true;
  return key;
}
}  // namespace key

/// "a", "a or b", "a, b or c".
std::string join_or(const std::vector<std::string>& words);

}  // namespace cuttle
