#include "io/scenario/overrides.h"

#include <fmt/format.h>

#include <sstream>
#include <type_traits>
#include <utility>

#include "cuttle/diagnostic.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

using Step = KeyPath::Step;

std::string text_of(const Step& step) { return step.is_index() ? fmt::format("[{}]", step.index) : step.key; }

std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), equals == text.npos ? "" : text.substr(equals + 1)};
}

/// The vector that a robot file means by leaving gravity out, for an override of one of its components.
YamlNode default_gravity(const SourceMark& mark) {
  const Vector3 gravity = Robot().gravity;
  YamlNode::Content list{.kind = YamlNode::Kind::list};
  for (const double value : {gravity.x, gravity.y, gravity.z}) {
    list.items.push_back({{.kind = YamlNode::Kind::scalar, .scalar = fmt::format("{}", value)}, mark});
  }
  return {std::move(list), mark};
}

/// The item of a list that a step means, or null; `known` gets the names of all.
template <typename Items>
auto* find_item(Items& items, const Step& step, std::vector<std::string>& known) {
  using Item = std::remove_pointer_t<decltype(items.data())>;
  if (step.is_index()) return step.index < items.size() ? &items[step.index] : nullptr;
  for (Item& item : items) {
    const YamlEntry* name = item.find("name");
    if (!name) continue;
    known.push_back(name->value.scalar());
    if (known.back() == step.key) return &item;
  }
  return static_cast<Item*>(nullptr);
}

/// The step at i, or those from there on that are one key of a mapping together, as names of frames are that have a
/// point; then i is the last of them.
Step step_into(const YamlNode& node, const std::vector<Step>& steps, std::size_t& i) {
  if (steps[i].is_index() || node.kind() != YamlNode::Kind::map || node.find(steps[i].key)) return steps[i];
  std::string key = steps[i].key;
  for (std::size_t k = i + 1; k < steps.size() && !steps[k].is_index(); ++k) {
    key += "." + steps[k].key;
    if (!node.find(key)) continue;
    i = k;
    return {key, 0};
  }
  return steps[i];
}

}  // namespace

const YamlNode* find_value(const YamlNode& root, const std::string& text) {
  const KeyPath path(text);
  const YamlNode* node = &root;
  for (std::size_t i = 0; i < path.steps().size(); ++i) {
    const Step step = step_into(*node, path.steps(), i);
    std::vector<std::string> known;
    const YamlEntry* entry = step.is_index() ? nullptr : node->find(step.key);
    const bool in_list = node->kind() == YamlNode::Kind::list;
    node = in_list ? find_item(node->items(), step, known) : entry ? &entry->value : nullptr;
    if (!node) return nullptr;
  }
  return node;
}

std::string override_root(const std::string& override_text) {
  const KeyPath path(split(override_text).first);
  return path.empty() ? "" : text_of(path.steps().front());
}

std::string missing_root(const std::string& override_text,
                         const std::vector<std::pair<std::string, const KeyTable*>>& files) {
  const std::string first = override_root(override_text);
  for (const auto& [root, table] : files) {
    if (table->find(first)) return fmt::format("; did you mean '{}.{}'?", root, override_text);
  }
  std::vector<std::string> roots;
  roots.reserve(files.size());
  for (const auto& file : files) roots.push_back(file.first);
  return did_you_mean(first, roots);
}

void apply_override(YamlNode& root, const std::string& override_text, std::size_t skip, FileErrors& errors) {
  const auto [path, value] = split(override_text);
  const std::string source = "--set " + override_text;
  const SourceMark mark{std::make_shared<const std::string>(source), 0, 0};
  const std::vector<Step> steps = KeyPath(path).steps();
  if (override_text.find('=') == std::string::npos || steps.size() <= skip) {
    errors.add(mark, {}, "'" + override_text + "'", "KEY.PATH=VALUE");
    return;
  }
  YamlNode new_value;
  try {
    require_plain_text(override_text, "--set");
    new_value = parse_yaml_argument(value, source);
  } catch (const FileError& error) {
    errors.add(error);
    return;
  }

  YamlNode changed = root;  // takes its place if the whole path can be followed
  YamlNode* node = &changed;
  std::string so_far = skip > 0 ? text_of(steps.front()) : "";
  bool names_only = false;  // the mapping's keys are names of things, which an override does not make
  for (std::size_t i = skip; i < steps.size(); ++i) {
    const Step step = step_into(*node, steps, i);
    so_far += (so_far.empty() || step.is_index() ? "" : ".") + text_of(step);
    YamlNode::Content& content = node->edit();
    if (content.kind == YamlNode::Kind::null && !step.is_index()) content.kind = YamlNode::Kind::map, node->mark = mark;
    std::vector<std::string> known;
    YamlNode* next = nullptr;
    if (content.kind == YamlNode::Kind::list) {
      next = find_item(content.items, step, known);
    } else if (content.kind == YamlNode::Kind::map && !step.is_index()) {
      for (YamlEntry& entry : content.entries) {
        known.push_back(entry.key);
        if (entry.key == step.key) next = &entry.value;
      }
      if (!next && !names_only) {
        content.entries.push_back({step.key, mark, {}});
        next = &content.entries.back().value;
        next->mark = mark;
        const bool robot_key = skip == 1 && i == 1;
        if (robot_key && step.key == "gravity" && i + 1 < steps.size()) *next = default_gravity(mark);
      }
    } else {
      const char* kind = content.kind == YamlNode::Kind::map    ? "a mapping"
                         : content.kind == YamlNode::Kind::null ? "nothing"
                                                                : "a value without parts";
      errors.add(mark, so_far, std::string(kind) + " before '" + text_of(step) + "'", "a path that the file has");
      return;
    }
    if (!next) {
      const std::string items = content.kind == YamlNode::Kind::list
                                    ? fmt::format("one of its {} entries, by index or name", content.items.size())
                                    : "a name that the file has";
      const std::string expected = known.empty() ? items : one_of(text_of(step), known);
      errors.add(mark, so_far, "no such entry", expected);
      return;
    }
    names_only = skip == 1 && i == 1 && step.key == "materials";
    node = next;
  }
  *node = std::move(new_value);
  root = std::move(changed);
}

std::string with_comments(const std::string& text, const std::vector<std::string>& overrides) {
  std::string result = text;
  if (!overrides.empty() && !result.empty() && result.back() != '\n') result += '\n';
  for (const std::string& override_text : overrides) {
    result += "# --set ";
    for (std::size_t i = 0; i < override_text.size(); ++i) {
      const bool two_characters = override_text.compare(i, 2, "\r\n") == 0;  // that are one line break
      if (two_characters) ++i;
      result += override_text[i];
      if (override_text[i] == '\r') result.back() = '\n';
      if (result.back() == '\n') result += "# ";
    }
    result += '\n';
  }
  return result;
}

std::vector<std::string> overrides_in_comments(const std::string& text) {
  const std::string start = "# --set ", more = "# ";
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('#')) {
      lines.clear();  // only comments at the end count
    } else if (line.starts_with(start)) {
      lines.push_back(line.substr(start.size()));
    } else if (!lines.empty() && line.starts_with(more)) {
      lines.back() += '\n' + line.substr(more.size());
    }
  }
  return lines;
}

}  // namespace cuttle
