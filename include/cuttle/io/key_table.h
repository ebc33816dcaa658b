#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

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
constexpr NumberRange at_least(double min) { return {min, k_infinity, false, true}; }
constexpr NumberRange from_to(double min, double max) { return {min, max, false, false}; }

/// Of lengths and radii of bodies [m]: the fourth power of a radius, times a modulus, is still far from underflow.
inline constexpr NumberRange k_length_range = at_least(1e-9);

/// What tables say instead of a unit, so that it is never left out by mistake: a number without one, or one whose unit
/// depends on where it stands (a signal has the unit of what it drives).
inline constexpr const char* k_dimensionless = "1";
inline constexpr const char* k_unit_of_use = "of use";

class YamlNode;
struct KeyTable;
struct KeyVariants;

/// One key of the file format: everything that messages, checks, docs/format.md and the JSON Schemas say about it.
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
    signal,      ///< a number or a signal, docs/format.md
    signals,     ///< list of `count` signals
    map,         ///< mapping with the keys of `table` or `variants`
    maps,        ///< list of such mappings
    named_maps,  ///< mapping from names that the user chooses to such mappings
    names,       ///< list of names
    other,       ///< read by code: one of `forms`; `meaning` says what is expected
    list,        ///< as a form: list of `count` values, or any number if negative, each one of `forms`
    named,       ///< as a form: mapping from names that the user chooses to values of one of `forms`
  };
  std::string name;
  Kind kind;
  std::string meaning = {};  ///< for kind other: what is expected there
  NumberRange range = {};
  std::string unit = {};  ///< empty: none
  int count = 0;
  std::vector<std::string> choices = {};
  std::string pattern = {};  ///< of a text, for schemas: a regular expression; empty: any text
  const KeyTable* table = nullptr;
  const KeyVariants* variants = nullptr;
  bool required = false;
  bool no_unit = false;            ///< there is no unit on purpose
  std::vector<Key> forms = {};     ///< of kinds other, list and named: what the value may be
  std::string text = {};           ///< for users: what it means, in sentences
  std::string default_value = {};  ///< YAML that means the same as leaving the key out; empty: no value does
  std::string missing = {};        ///< for users: what holds without the key, if not simply the default value

  std::string expected() const;  ///< for messages: "a number > 0 [m]"

  // the same key with more said about it, for the tables
  Key about(const char* words) const;
  Key by_default(const char* value, const char* words = "") const;
  Key if_missing(const char* words) const;
  Key like(const char* regular_expression) const;
};

/// What keys of one mapping ask of each other.
struct KeyRule {
  enum class Kind { at_most_one, exactly_one, at_least_one } kind;
  std::vector<std::string> names;
};

/// A key that a table had once. It is refused by words for who still writes it.
struct FormerKey {
  std::string name;
  std::string found;                                 ///< for messages: what is wrong with it
  std::string (*expected)(const YamlNode& mapping);  ///< what to write instead, in the mapping that has it
};

/// The keys of one kind of mapping.
struct KeyTable {
  std::string name = {};  ///< for users: "pose"; empty for the table of a variant
  std::vector<Key> keys;
  std::vector<KeyRule> rules = {};
  std::string example = {};  ///< YAML of such a mapping; empty for the table of a variant
  std::vector<FormerKey> former = {};

  const Key* find(const std::string& key_name) const;
};

/// A mapping whose keys depend on the value of one of them, as `type`.
struct KeyVariants {
  struct Variant {
    std::string choice;
    const KeyTable* table;  ///< besides the selector; null: part of the format, but not supported yet
    std::string text;       ///< for users: what this choice is
    std::string example;    ///< YAML of such a mapping
  };
  std::string name;  ///< for users: "joint"
  std::string selector;
  std::vector<Variant> fixed = {};                        ///< if nobody can add one
  std::string fallback = {};                              ///< choice if the selector is missing; empty: it is required
  std::string fallback_text = {};                         ///< for users, if not simply the fallback
  const std::vector<Variant>& (*registered)() = nullptr;  ///< else: those of the registered kinds (kinds.h)

  const std::vector<Variant>& variants() const { return registered ? registered() : fixed; }
};

/// Short ways to write the keys of a table.
namespace key {
inline Key with_unit(Key key, const std::string& unit) {
  key.no_unit = unit == k_dimensionless || unit == k_unit_of_use;
  if (!key.no_unit) key.unit = unit;
  return key;
}
inline Key number(const char* name, NumberRange range, const char* unit = "") {
  return with_unit({.name = name, .kind = Key::Kind::number, .range = range}, unit);
}
inline Key integer(const char* name, NumberRange range) {
  return with_unit({.name = name, .kind = Key::Kind::integer, .range = range}, k_dimensionless);
}
inline Key boolean(const char* name) { return {.name = name, .kind = Key::Kind::boolean}; }
inline Key text(const char* name) { return {.name = name, .kind = Key::Kind::text}; }
inline Key name(const char* key_name) { return {.name = key_name, .kind = Key::Kind::name}; }
inline Key names(const char* key_name) { return {.name = key_name, .kind = Key::Kind::names}; }
inline Key choice(const char* name, std::vector<std::string> choices) {
  return {.name = name, .kind = Key::Kind::choice, .choices = std::move(choices)};
}
inline Key numbers(const char* name, int count, const char* unit = "", NumberRange range = k_any_number) {
  return with_unit({.name = name, .kind = Key::Kind::numbers, .range = range, .count = count}, unit);
}
inline Key profile(const char* name, int count, NumberRange range, const char* unit = "") {
  return with_unit({.name = name, .kind = Key::Kind::profile, .range = range, .count = count}, unit);
}
inline Key signal(const char* name, const char* unit = "") {
  return with_unit({.name = name, .kind = Key::Kind::signal}, unit);
}
inline Key signals(const char* name, int count, const char* unit = "") {
  return with_unit({.name = name, .kind = Key::Kind::signals, .count = count}, unit);
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
inline Key other(const char* name, const char* meaning, std::vector<Key> forms) {
  return {.name = name, .kind = Key::Kind::other, .meaning = meaning, .forms = std::move(forms)};
}
inline Key list(int count, Key item) {
  return {.name = {}, .kind = Key::Kind::list, .count = count, .forms = {std::move(item)}};
}
inline Key named(Key item) { return {.name = {}, .kind = Key::Kind::named, .forms = {std::move(item)}}; }
inline Key required(Key key) {
  key.required = true;
  return key;
}
}  // namespace key

/// "a", "a or b", "a, b or c".
std::string join_or(const std::vector<std::string>& words);

/// What a message expects in place of a name that is none of those known: all of a few, else the nearest and how many
/// others there are; and which one was meant, if one is near.
std::string one_of(const std::string& name, const std::vector<std::string>& known);

}  // namespace cuttle
