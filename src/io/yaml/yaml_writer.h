#pragma once

#include <string>
#include <vector>

#include "cuttle/io/yaml_tree.h"

namespace cuttle {

/// The shortest decimal that reads back as the same bits, in a spelling that every version of YAML takes for a number:
/// 0.1, 1070, 5.0e+8.
std::string yaml_number(double value);
/// In quotes, with what cannot stand there escaped: right for any text.
std::string yaml_quoted(const std::string& text);
/// A text as a key or a value: plain where no reader of YAML could take it for something else.
std::string yaml_plain_or_quoted(const std::string& text);

/// Nodes of a tree that is written, without places.
YamlNode number_node(double value);
YamlNode integer_node(long value);
YamlNode boolean_node(bool value);
YamlNode text_node(const std::string& text);
YamlNode list_node(std::vector<YamlNode> items);
YamlNode numbers_node(const std::vector<double>& values);

/// A tree on one line, as in {type: revolute, axis: [0, 1, 0]}.
std::string yaml_line(const YamlNode& node);
/// A tree as the text of a file: its own keys one below the other, what is short within them on one line.
std::string yaml_text(const YamlNode& root);

}  // namespace cuttle
