#include "io/error_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

namespace cuttle {
namespace {

/// Splits "a.b[1]: rest" into path and rest; an empty path if the text does not begin with one.
std::pair<std::string, std::string> split_path(const std::string& text) {
  const std::size_t colon = text.find(": ");
  const std::string path = colon == text.npos ? "" : text.substr(0, colon);
  for (const unsigned char c : path) {
    if (!std::isalnum(c) && c != '_' && c != '.' && c != '[' && c != ']') return {"", text};
  }
  return path.empty() ? std::pair<std::string, std::string>{"", text} : std::pair(path, text.substr(colon + 2));
}

/// Mark of the deepest value that the path leads to.
SourceMark mark_of(YamlCursor cursor, const std::string& path) {
  std::size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '.') ++i;
    if (i < path.size() && path[i] == '[') {
      const std::size_t end = std::min(path.find(']', i), path.size());
      const auto index = static_cast<std::size_t>(std::atoi(path.substr(i + 1, end - i - 1).c_str()));
      if (cursor.kind() != YamlNode::Kind::list || index >= cursor.size()) break;
      cursor = cursor.child(index);
      i = end + 1;
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
      const std::string key = path.substr(i, end - i);
      if (!cursor.has_key(key)) break;
      cursor = cursor.child(key);
      i = end;
    }
  }
  return cursor.mark();
}

struct Located {
  SourceMark mark;
  std::string path, rest;
};

Located locate(const YamlCursor& cursor, const std::string& text) {
  const auto [path, rest] = split_path(text);
  std::string full = cursor.path();
  if (!path.empty()) full += (full.empty() ? "" : ".") + path;
  return {mark_of(cursor, path), full, rest};
}

/// Entry of the list under `key` that has this name.
std::optional<YamlCursor> entry_named(const YamlCursor& robot, const std::string& key, const std::string& name) {
  if (!robot.has_key(key)) return std::nullopt;
  const YamlCursor list = robot.child(key);
  for (std::size_t i = 0; list.kind() == YamlNode::Kind::list && i < list.size(); ++i) {
    if (list.child(i).has_key("name") && list.child(i).child("name").as_text() == name) return list.child(i);
  }
  return std::nullopt;
}

Located locate_in_robot(const YamlCursor& robot, const std::string& text) {
  const std::size_t colon = text.find(": ");
  const std::string subject = text.substr(0, colon);
  const std::string rest = colon == text.npos ? text : text.substr(colon + 2);
  if (const auto link = entry_named(robot, "links", subject)) {
    // what a body says begins with its own keys
    const std::string path = split_path(rest).first;
    const std::string first = path.substr(0, path.find_first_of(".["));
    if (!first.empty() && !link->has_key(first) && link->has_key("body") && link->child("body").has_key(first)) {
      return locate(link->child("body"), rest);
    }
    return locate(*link, rest);
  }
  for (const auto& [kind, list] :
       {std::pair{"actuator", "actuators"}, std::pair{"element", "elements"}, std::pair{"loop", "loops"}}) {
    const std::string prefix = fmt::format("{} '", kind);
    if (subject.rfind(prefix, 0) != 0) continue;
    const std::string name = subject.substr(prefix.size(), subject.rfind('\'') - prefix.size());
    if (const auto found = entry_named(robot, list, name)) return locate(*found, rest);
  }
  return locate(robot, text);
}

}  // namespace

void fail_inside(const YamlCursor& cursor, const std::string& text) {
  const Located at = locate(cursor, text);
  cursor.errors().add(at.mark, at.path, at.rest);
}

void fail_in_robot(const YamlCursor& robot, const std::string& text) {
  const Located at = locate_in_robot(robot, text);
  robot.errors().add(at.mark, at.path, at.rest);
}

std::string place_in_robot(const YamlCursor& robot, const std::string& text) {
  const Located at = locate_in_robot(robot, text);
  // fmt: g++ 12 warns about overlapping copies in a chain of + here, wrongly
  return fmt::format("{}: {}{}{}", at.mark.text(), at.path, at.path.empty() ? "" : ": ", at.rest);
}

}  // namespace cuttle
