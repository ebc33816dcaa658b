#include "io/import/xml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <pugixml.hpp>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"

namespace cuttle {
namespace {

std::string without_outer_space(const std::string& text) {
  const char* const space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Line and column of what stands at an offset of a text.
class XmlPlaces {
 public:
  explicit XmlPlaces(const NamedText& file) : source_(std::make_shared<const std::string>(file.path)) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < file.text.size(); ++i) {
      if (file.text[i] == '\n') starts_.push_back(i + 1);
    }
  }
  SourceMark mark(std::ptrdiff_t offset) const {
    if (offset < 0) return {source_, 1, 1};
    const auto at = static_cast<std::size_t>(offset);
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), at);
    return {source_, static_cast<int>(next - starts_.begin()), static_cast<int>(at - *(next - 1)) + 1};
  }

 private:
  std::shared_ptr<const std::string> source_;
  std::vector<std::size_t> starts_;
};

XmlElement converted(const pugi::xml_node& node, const XmlPlaces& places, int depth) {
  XmlElement element;
  element.tag = node.name();
  element.mark = places.mark(node.offset_debug());
  if (depth > k_deepest_element) {
    throw FileError(fmt::format("{}: {}: found elements nested {} deep, expected at most {}", element.mark.text(),
                                element.tag, depth, k_deepest_element));
  }
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    element.attributes.emplace_back(attribute.name(), attribute.value());
  }
  element.text = without_outer_space(node.text().get());
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element) element.children.push_back(converted(child, places, depth + 1));
  }
  return element;
}

}  // namespace

const std::string* XmlElement::find(const std::string& attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return &value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(const std::string& name) const {
  for (const XmlElement& element : children) {
    if (element.tag == name) return &element;
  }
  return nullptr;
}

XmlElement parse_xml(const NamedText& file, const std::vector<std::string>& roots) {
  // before anything is made of them
  const auto makes_part = [](char c) { return c == '<' || c == '='; };
  const auto parts = static_cast<std::size_t>(std::count_if(file.text.begin(), file.text.end(), makes_part));
  if (parts > k_most_xml_parts) {
    throw FileError(fmt::format("{}: found {} letters < and =, which make elements and attributes, expected at most {}",
                                file.path, parts, k_most_xml_parts));
  }
  const XmlPlaces places(file);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(file.text.data(), file.text.size());
  if (!result) {
    throw FileError(fmt::format("{}: found a mistake of syntax ({}), expected XML", places.mark(result.offset).text(),
                                result.description()));
  }
  const pugi::xml_node root = document.document_element();
  const std::string tag = root.name();
  if (std::find(roots.begin(), roots.end(), tag) == roots.end()) {
    std::vector<std::string> expected;
    expected.reserve(roots.size());
    for (const std::string& known : roots) expected.push_back("<" + known + ">");
    throw FileError(fmt::format("{}: found the root element <{}>, expected {}", places.mark(root.offset_debug()).text(),
                                tag, join_or(expected)));
  }
  return converted(root, places, 0);
}

}  // namespace cuttle
