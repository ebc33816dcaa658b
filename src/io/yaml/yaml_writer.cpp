#include "io/yaml/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr std::size_t k_width = 118;  // of a line

/// How many mappings lie within each other.
int map_depth(const YamlNode& node) {
  int depth = 0;
  for (const YamlNode& item : node.items()) depth = std::max(depth, map_depth(item));
  for (const YamlEntry& entry : node.entries()) depth = std::max(depth, map_depth(entry.value));
  return depth + (node.kind() == YamlNode::Kind::map ? 1 : 0);
}

bool all_items(const YamlNode& list, YamlNode::Kind kind) {
  return std::all_of(list.items().begin(), list.items().end(),
                     [kind](const YamlNode& item) { return item.kind() == kind; });
}
bool all_scalars(const YamlNode& list) { return all_items(list, YamlNode::Kind::scalar); }
bool all_maps(const YamlNode& node) {
  return node.kind() == YamlNode::Kind::list && all_items(node, YamlNode::Kind::map);
}

bool is_empty(const YamlNode& node) { return node.items().empty() && node.entries().empty(); }

class Emitter {
 public:
  std::string text;

  /// Entries of a mapping, the first of them where the text ends.
  void entries(const YamlNode& map, std::size_t indent) {
    bool first = true;
    for (const YamlEntry& entry : map.entries()) {
      if (!first) text += std::string(indent, ' ');
      first = false;
      const std::string key = yaml_plain_or_quoted(entry.key) + ":";
      text += key;
      value(entry.value, indent, indent + key.size());
    }
  }

 private:
  /// What follows a key. @param used  columns of the line so far.
  void value(const YamlNode& node, std::size_t indent, std::size_t used) {
    const std::string line = yaml_line(node);
    const bool fits = used + 1 + line.size() <= k_width;
    const bool at_top = indent == 0 && node.kind() == YamlNode::Kind::map;
    if (is_empty(node) || (fits && !all_maps(node) && map_depth(node) <= (at_top ? 1 : 2))) {
      text += ' ' + line + '\n';
    } else if (node.kind() == YamlNode::Kind::map) {
      text += '\n' + std::string(indent + 2, ' ');
      entries(node, indent + 2);
    } else if (all_scalars(node)) {
      wrapped(node, indent + 2, used);
    } else {
      text += '\n';
      items(node, indent + 2);
    }
  }
  void items(const YamlNode& list, std::size_t indent) {
    for (const YamlNode& item : list.items()) {
      text += std::string(indent, ' ') + "-";
      const std::string line = yaml_line(item);
      const bool is_map = item.kind() == YamlNode::Kind::map;
      if (is_empty(item) || ((!is_map || map_depth(item) <= 1) && indent + 2 + line.size() <= k_width)) {
        text += ' ' + line + '\n';
      } else if (is_map) {
        text += ' ';
        entries(item, indent + 2);
      } else if (all_scalars(item)) {
        wrapped(item, indent + 4, indent + 1);
      } else {
        text += '\n';
        items(item, indent + 2);
      }
    }
  }
  /// A list of scalars on several lines.
  void wrapped(const YamlNode& list, std::size_t indent, std::size_t used) {
    text += " [";
    used += 2;
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      const std::string item = yaml_line(list.items()[i]) + (i + 1 < list.items().size() ? "," : "]");
      if (used + 1 + item.size() > k_width) {
        text += '\n' + std::string(indent, ' ');
        used = indent;
      } else if (i > 0) {
        text += ' ';
        ++used;
      }
      text += item;
      used += item.size();
    }
    text += '\n';
  }
};

}  // namespace

std::string yaml_number(double value) {
  if (!std::isfinite(value)) throw ModelError({}, number_text(value), "a finite number");
  if (value == 0.0) return std::signbit(value) ? "-0.0" : "0";
  char buffer[400];
  const double size = std::abs(value);
  if (size >= 1e-4 && size < 1e7) {
    return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed).ptr};
  }
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr);
  const std::size_t exponent = text.find('e');  // 5e+08 is text for YAML 1.1: it wants a point and a sign
  std::string power = text.substr(exponent + 2);
  power.erase(0, std::min(power.find_first_not_of('0'), power.size() - 1));
  std::string digits = text.substr(0, exponent);
  if (digits.find('.') == digits.npos) digits += ".0";
  return digits + text.substr(exponent, 2) + power;
}

std::string yaml_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += letter;
    }
  }
  return result + "\"";
}

std::string yaml_plain_or_quoted(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_be_inside = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  };
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const auto words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  const bool plain = !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), may_be_inside) &&
                     std::find(words.begin(), words.end(), lower) == words.end();
  return plain ? text : yaml_quoted(text);
}

YamlNode number_node(double value) { return {{.kind = YamlNode::Kind::scalar, .scalar = yaml_number(value)}, {}}; }
YamlNode integer_node(long value) { return {{.kind = YamlNode::Kind::scalar, .scalar = std::to_string(value)}, {}}; }
YamlNode boolean_node(bool value) { return {{.kind = YamlNode::Kind::scalar, .scalar = value ? "true" : "false"}, {}}; }
YamlNode text_node(const std::string& text) {
  return {{.kind = YamlNode::Kind::scalar, .scalar = text, .quoted = yaml_plain_or_quoted(text) != text}, {}};
}
YamlNode list_node(std::vector<YamlNode> items) {
  return {{.kind = YamlNode::Kind::list, .items = std::move(items)}, {}};
}
YamlNode numbers_node(const std::vector<double>& values) {
  std::vector<YamlNode> items;
  for (std::size_t i = 0; i < values.size(); ++i) {
    items.push_back(at_place(i, "", [&] { return number_node(values[i]); }));
  }
  return list_node(std::move(items));
}

std::string yaml_line(const YamlNode& node) {
  std::string line;
  switch (node.kind()) {
    case YamlNode::Kind::null:
      return "~";
    case YamlNode::Kind::scalar:
      return node.quoted() ? yaml_quoted(node.scalar()) : node.scalar();
    case YamlNode::Kind::list:
      for (const YamlNode& item : node.items()) line += (line.empty() ? "" : ", ") + yaml_line(item);
      return "[" + line + "]";
    case YamlNode::Kind::map:
      break;
  }
  for (const YamlEntry& entry : node.entries()) {
    line += (line.empty() ? "" : ", ") + yaml_plain_or_quoted(entry.key) + ": " + yaml_line(entry.value);
  }
  return "{" + line + "}";
}

std::string yaml_text(const YamlNode& root) {
  Emitter emitter;
  emitter.entries(root, 0);
  return std::move(emitter.text);
}

}  // namespace cuttle
