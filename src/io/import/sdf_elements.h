#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "io/import/import_builder.h"

namespace cuttle {

/// What readers of SDF ask of its elements; what is left out is noted, what is wrong becomes an error.
class SdfElements {
 public:
  /// @param root  <sdf>, whose version decides what some elements mean.
  SdfElements(const XmlElement& root, ImportBuilder& to);

  ImportBuilder& to() const { return *to_; }
  /// Whether the file is of a version before this one.
  bool is_before(int major, int minor) const { return major_ < major || (major_ == major && minor_ < minor); }
  std::string version() const;

  static std::string name_of(const XmlElement& element);
  static std::string text_of(const XmlElement& element, const char* tag, const std::string& fallback);

  using Known = std::initializer_list<const char*>;
  /// Notes the attributes that an element has beside these.
  /// @param whose  they are, for notes: "an axis".
  void note_attributes(const XmlElement& element, const char* whose, const std::string& name, Known known);
  /// Notes the children that an element has beside these.
  void note_children(const XmlElement& element, const char* whose, const std::string& name, Known known);

  double number(const XmlElement& element, const char* tag, double fallback);
  /// A number that cannot be negative; one that is counts as 0, and is said.
  double positive(const XmlElement& element, const char* tag, const char* whose, const std::string& name);
  /// true, True, TRUE, 1 and their opposites, as SDF spells them.
  /// @param subject  of the error, if it is none of these.
  bool flag(const std::string& text, const SourceMark& mark, const std::string& subject);

  /// The pose of an element, in whatever it is given in.
  Pose pose(const XmlElement& element);
  /// What a pose says that it is given in; empty: it does not.
  std::string relative_to(const XmlElement& element) const;

 private:
  ImportBuilder* to_;
  int major_ = 1, minor_ = 12;
};

}  // namespace cuttle
