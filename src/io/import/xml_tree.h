#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/file_errors.h"
#include "cuttle/io/named_files.h"

namespace cuttle {

/// An element of an XML document, with the place where it stands. Comments and processing instructions are left out.
struct XmlElement {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< in file order
  std::vector<XmlElement> children;                             ///< elements alone
  std::string text;                                             ///< without the white space around it
  SourceMark mark;

  const std::string* find(const std::string& attribute) const;  ///< null if there is none
  const XmlElement* child(const std::string& name) const;       ///< the first of that tag; null if there is none
};

/// What no robot has, chains of an export included; readers recur over the elements.
inline constexpr int k_deepest_element = 500;

/// Elements and attributes, which take far more memory than text: what no robot has, nor a mesh.
inline constexpr std::size_t k_most_xml_parts = 4'000'000;

/// Reads an XML document.
/// @param roots  tags that its root may have.
/// @throws FileError at FILE:LINE:COLUMN: a mistake of syntax, another root, elements nested deeper than
/// k_deepest_element, more than k_most_xml_parts elements and attributes.
XmlElement parse_xml(const NamedText& file, const std::vector<std::string>& roots);

}  // namespace cuttle
