#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// The way through a description, from a part of it to a value inside: keys of mappings and indices into lists, from 0.
/// As text it is the path of a parameter: `section.radius[1]`.
/// @code
/// KeyPath("section.radius[1]") == KeyPath{"section", "radius", 1}
/// @endcode
class KeyPath {
 public:
  struct Step {
    std::string key;  ///< empty: an index
    std::size_t index = 0;

    bool is_index() const { return key.empty(); }
    bool operator==(const Step&) const = default;
  };

  KeyPath() = default;
  // implicit, so that who throws writes "section.radius" or {"primitives", k}
  KeyPath(const char* path) : KeyPath(std::string(path)) {}
  KeyPath(const std::string& path);
  template <std::integral Index>
  KeyPath(Index index) : steps_{{"", static_cast<std::size_t>(index)}} {}
  /// One after the other.
  KeyPath(std::initializer_list<KeyPath> parts);

  const std::vector<Step>& steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  /// @param skipped  steps at the beginning that are left out.
  std::string text(std::size_t skipped = 0) const;
  bool operator==(const KeyPath&) const = default;

 private:
  std::vector<Step> steps_;
};

/// What is wrong with a robot, and where: the content of an error or a warning.
///
/// Who finds it says where below itself: a body that its `length` is wrong. Each layer around puts its own place in
/// front
/// (`place_in`), so in the end the path leads from the robot to the value, with the names of a robot file:
/// `links[0].body.length`. People read the name of the link instead: "arm: length: found -1, expected a number > 0
/// [m]".
class Diagnostic {
 public:
  /// Free text. Implicit: a text is a diagnostic without a place.
  Diagnostic(std::string message);
  Diagnostic(const char* message) : Diagnostic(std::string(message)) {}
  Diagnostic(KeyPath path, std::string message);
  /// "found -1, expected a number > 0 [m]"; either may be empty.
  Diagnostic(KeyPath path, std::string found, std::string expected);

  const KeyPath& path() const { return path_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }
  const std::string& message() const { return message_; }  ///< without the place
  const std::string& text() const { return text_; }        ///< with the place

  /// Puts a place in front.
  /// @param name  what messages call it: "arm" for links[0]; empty: its path.
  Diagnostic& place_in(const KeyPath& place, const std::string& name = "");
  /// The same at a place in a file: "arm.yaml:3:20: links[0].body.length: found .."
  Diagnostic located(const std::string& file_place) const;

 private:
  void make_text();

  KeyPath path_;
  std::string name_;  // of what the first `named_` steps lead to; these are not in the text then
  std::size_t named_ = 0;
  std::string found_, expected_, message_, text_;
};

}  // namespace cuttle
