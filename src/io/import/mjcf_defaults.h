#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/import/import_builder.h"

namespace cuttle {

/// Puts the children of included files in the place of each <include>.
/// @param name  of the main file, as others name it: included names are relative to its folder.
void splice_includes(XmlElement& root, const std::string& name, ImportBuilder& to);

/// The classes of <default>: what elements have without saying so.
class MjcfDefaults {
 public:
  /// Adds a section <default> of the file's own level; outlive this.
  void read(const XmlElement& section, ImportBuilder& to);
  /// What elements of a tag take over, the last of them first to count; all actuators share one tag, "actuator".
  /// @param name  of a class; empty: the class of all.
  /// @param element  that asks, for messages.
  std::vector<const XmlElement*> of(const XmlElement& element, const std::string& name, const std::string& tag,
                                    ImportBuilder& to) const;

 private:
  using Class = std::map<std::string, std::vector<const XmlElement*>>;  // by tag
  void read_class(const XmlElement& section, const std::string& parent, ImportBuilder& to);

  std::map<std::string, Class> classes_;
  std::string main_;
};

/// Whether a tag is that of an actuator.
bool is_actuator_tag(const std::string& tag);

}  // namespace cuttle
