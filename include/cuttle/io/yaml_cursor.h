#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/diagnostic.h"
#include "cuttle/io/key_table.h"
#include "cuttle/io/number_context.h"
#include "cuttle/io/yaml_tree.h"

namespace CUTTLE_API cuttle {

class YamlMap;
struct YamlNumber;

/// Where a reader stands in a YAML tree: a value, the path of keys that leads to it, and the list that errors go to.
/// Everything that reads a file reads through cursors: they check types and ranges, and report what they find with
/// its place; a wrong value reads as none, so that one run finds all errors.
/// Real numbers may be read as doubles or as variables with derivatives, `S` = double or ForwardDual.
class YamlCursor {
 public:
  /// @param numbers  what else becomes of the real numbers that are read from here on; null: nothing.
  YamlCursor(const YamlNode& node, std::string path, FileErrors& errors, const NumberContext* numbers = nullptr)
      : node_(&node), path_(std::move(path)), errors_(&errors), numbers_(numbers) {}

  /// This place, where numbers are only checked: what is read from here on are no parameters.
  YamlCursor without_parameters() const { return YamlCursor(*node_, path_, *errors_); }

  YamlNode::Kind kind() const { return node_->kind(); }
  const SourceMark& mark() const { return node_->mark; }
  const std::string& path() const { return path_; }
  FileErrors& errors() const { return *errors_; }

  /// The value under a key or at an index, with its path; this value itself if there is none. Checks nothing.
  YamlCursor child(const std::string& key) const;
  YamlCursor child(std::size_t index) const;
  bool has_key(const std::string& key) const { return node_->find(key) != nullptr; }
  std::size_t size() const { return kind() == YamlNode::Kind::list ? node_->items().size() : node_->entries().size(); }

  /// Reports that what stands here is not what was expected.
  void fail(const std::string& expected) const { errors_->add(mark(), path_, found(), expected); }
  void fail(const std::string& found, const std::string& expected) const {
    errors_->add(mark(), path_, found, expected);
  }
  /// Reports what others found below this place - a body, a joint, a Model -, with their path.
  void fail_inside(const Diagnostic& diagnostic) const;
  /// The same, not reported, with the place in the file in its text.
  Diagnostic located(Diagnostic diagnostic) const;
  /// Where a path from here leads: to the deepest value on it that the file has.
  const SourceMark& mark_of(const KeyPath& path) const;
  /// What stands here, in a message's words: -0.3 | 'word' | a list of 3 | a mapping | nothing.
  std::string found() const;

  /// The scalar's text, not null and not a number or boolean by its looks (unless quoted). Reports nothing.
  std::optional<std::string> as_text() const;

  template <typename S = double>
  std::optional<S> number(const Key& rule) const;
  std::optional<long> integer(const Key& rule) const;
  std::optional<bool> boolean(const Key& rule) const;
  std::optional<std::string> text(const Key& rule) const;  ///< kinds text, name and choice
  template <typename S = double>
  std::optional<std::vector<S>> numbers(const Key& rule) const;  ///< kinds numbers and profile
  /// Of a place that the file leaves out (YamlMap::missing): parameters with these values. Nothing if they are wrong.
  template <typename S>
  std::optional<S> missing_number(const Key& rule, S fallback) const;
  template <typename S>
  std::optional<std::vector<S>> missing_numbers(const Key& rule, const std::vector<double>& fallback) const;
  std::optional<std::vector<std::string>> names(const Key& rule) const;
  /// Items of a list; none, with an error, if it is no list.
  std::vector<YamlCursor> items(const std::string& expected) const;
  /// Entries of a mapping whose keys the user chooses, each once; none, with an error, if it is no mapping.
  std::vector<std::pair<std::string, YamlCursor>> named_items(const std::string& expected) const;
  /// The keys of this mapping, checked against a table: unknown, missing and repeated ones are reported.
  std::optional<YamlMap> map(const KeyTable& table) const;
  std::optional<YamlMap> map(const KeyVariants& variants) const;
  std::optional<YamlMap> map(const Key& rule) const;  ///< by the rule's table or variants

 private:
  friend class YamlMap;
  YamlCursor below(const YamlNode& node, const std::string& key) const;
  YamlCursor below(const YamlNode& node, std::size_t index) const;
  /// A number of this path, checked, with its derivatives.
  template <typename S>
  std::optional<S> accept(double value, const Key& rule, bool given) const;
  std::optional<YamlNumber> plain_number() const;
  void check_duplicates() const;
  void check_keys(const KeyTable& table, const KeyVariants* variants, const std::string& variant) const;

  const YamlNode* node_;
  std::string path_;
  FileErrors* errors_;
  const NumberContext* numbers_;
};

/// A mapping with known keys. Each getter returns nothing if the key is missing (an error if it is required) or
/// wrong (an error in any case). A name that the table does not have, or has with another kind, is a mistake in the
/// program: std::logic_error.
class YamlMap {
 public:
  YamlMap(const YamlCursor& cursor, const YamlNode& node, const KeyTable& table, std::string variant)
      : cursor_(cursor), node_(&node), table_(&table), variant_(std::move(variant)) {}

  const YamlCursor& cursor() const { return cursor_; }
  /// Value of the selector, for a mapping with variants.
  const std::string& variant() const { return variant_; }
  bool has(const std::string& name) const;
  /// Whether the table has such a key.
  bool knows(const std::string& name) const { return table_->find(name) != nullptr; }
  std::optional<YamlCursor> at(const std::string& name) const;  ///< the value, not yet checked

  template <typename S = double>
  std::optional<S> number(const std::string& name) const;
  std::optional<long> integer(const std::string& name) const;
  std::optional<bool> boolean(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  template <typename S = double>
  std::optional<std::vector<S>> numbers(const std::string& name) const;
  /// The place of a key that the file leaves out, for its default; errors about it stand at the mapping.
  YamlCursor missing(const std::string& name) const;
  /// A number that the file may leave out; then a parameter with this value. Nothing if it is wrong.
  template <typename S>
  std::optional<S> number_or(const std::string& name, double fallback) const;
  template <typename S>
  std::optional<std::vector<S>> numbers_or(const std::string& name, const std::vector<double>& fallback) const;
  /// The same for one that is rather left out than read as its fallback, though they amount to the same (no damping,
  /// and a damping of 0): nothing if the file leaves it out and nobody changes it. @param fallback  with derivatives
  /// where it follows another number; these are counted until the place gets a value of its own.
  template <typename S>
  std::optional<S> optional_number(const std::string& name, const Key& rule, S fallback) const;
  std::optional<std::vector<std::string>> names(const std::string& name) const;
  std::optional<YamlMap> map(const std::string& name) const;
  std::vector<YamlMap> maps(const std::string& name) const;  ///< those items that are mappings
  /// Name and value of a named_maps key.
  std::vector<std::pair<std::string, YamlMap>> named_maps(const std::string& name) const;

  /// Reports on the value of `name`, or on the mapping if that is missing.
  void fail(const std::string& name, const std::string& found, const std::string& expected) const;

  /// What the table says of a key.
  const Key& rule(const std::string& name) const;

 private:
  YamlCursor cursor_;
  const YamlNode* node_;
  const KeyTable* table_;
  std::string variant_;
};

}  // namespace cuttle
