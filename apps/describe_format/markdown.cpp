#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "cuttle/error.h"
#include "describe_format.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"

namespace cuttle {
namespace {

std::string code(const std::string& text) { return fmt::format("`{}`", text); }

std::string join_code(const std::vector<std::string>& words) {
  std::vector<std::string> marked;
  marked.reserve(words.size());
  for (const std::string& word : words) marked.push_back(code(word));
  return join_or(marked);
}

/// What GitHub makes of a heading.
std::string anchor(const std::string& heading) {
  std::string text;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      text += '-';
    }
  }
  return text;
}
std::string link_to(const std::string& name) { return fmt::format("[{}](#{})", name, anchor(name)); }

std::string quantity(const Key& key) {
  const std::string range = key.range.text();
  return (range.empty() ? "" : fmt::format(" {}", range)) + (key.unit.empty() ? "" : fmt::format(" [{}]", key.unit));
}

/// "a, b or c", unless that would be unclear.
std::string join_forms(const std::vector<std::string>& forms) {
  const bool clear =
      std::none_of(forms.begin(), forms.end(), [](const auto& form) { return form.find(" or ") != form.npos; });
  return clear ? join_or(forms) : fmt::format("{}", fmt::join(forms, ", or "));
}

/// Type, range and unit in words.
std::string value_text(const Key& key) {
  const auto mapping = [&key] { return link_to(key.variants ? key.variants->name : key.table->name); };
  std::vector<std::string> forms;
  for (const Key& form : key.forms) forms.push_back(value_text(form));
  switch (key.kind) {
    case Key::Kind::number:
      return "number" + quantity(key);
    case Key::Kind::integer:
      if (key.range.min == key.range.max) return code(fmt::format("{:g}", key.range.min));
      return "integer" + quantity(key);
    case Key::Kind::boolean:
      return "`true` or `false`";
    case Key::Kind::text:
      return "text";
    case Key::Kind::name:
      return "name";
    case Key::Kind::choice:
      return join_code(key.choices);
    case Key::Kind::numbers:
      return (key.count > 0 ? fmt::format("list of {} numbers", key.count) : "list of numbers") + quantity(key);
    case Key::Kind::profile:
      return (key.count == 0 ? "number or list" : fmt::format("number or list of {}", key.count)) + quantity(key);
    case Key::Kind::signal:
      return "number or [signal](#signal)" + quantity(key);
    case Key::Kind::signals:
      return fmt::format("list of {} numbers or [signals](#signal)", key.count) + quantity(key);
    case Key::Kind::map:
      return mapping();
    case Key::Kind::maps:
      return "list of " + mapping();
    case Key::Kind::named_maps:
      return "name: " + mapping();
    case Key::Kind::names:
      return "list of names";
    case Key::Kind::other:
      return join_forms(forms);
    case Key::Kind::list:
      if (key.count == 0) return "`[]`";
      return (key.count > 0 ? fmt::format("list of {}: ", key.count) : "list, each a ") + join_forms(forms);
    case Key::Kind::named:
      return "name: " + join_forms(forms);
  }
  return {};
}

std::string default_text(const Key& key) {
  if (key.required) return "**required**";
  return key.missing.empty() ? code(key.default_value) : key.missing;
}

std::string row(const std::vector<std::string>& cells) {
  return "| " + fmt::format("{}", fmt::join(cells, " | ")) + " |\n";
}
std::string header(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

std::string rules_text(const std::vector<KeyRule>& rules) {
  std::string text;
  for (const KeyRule& rule : rules) {
    const char* const how = rule.kind == KeyRule::Kind::at_most_one   ? "At most one of "
                            : rule.kind == KeyRule::Kind::exactly_one ? "Exactly one of "
                                                                      : "At least one of ";
    std::string names = join_code(rule.names);
    names.replace(names.rfind(" or "), 4, " and ");
    text += how + names + ".\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string keys_of(const KeyTable& table) {
  std::string text = header({"key", "value", "default", "meaning"});
  for (const Key& key : table.keys) text += row({code(key.name), value_text(key), default_text(key), key.text});
  return text + rules_text(table.rules);
}

/// The keys of all variants in one table; what several variants share stands there once.
std::string keys_of(const KeyVariants& variants) {
  std::vector<std::string> all;
  struct Line {
    const Key* key;
    std::vector<std::string> choices;
  };
  std::vector<Line> lines;
  std::string rules;
  for (const auto& variant : variants.variants()) {
    if (!variant.table) continue;
    all.push_back(variant.choice);
    if (rules.empty()) rules = rules_text(variant.table->rules);
    for (const Key& key : variant.table->keys) {
      const auto same = std::find_if(lines.begin(), lines.end(), [&key](const Line& line) {
        const Key& other = *line.key;
        return other.name == key.name && other.text == key.text && value_text(other) == value_text(key) &&
               default_text(other) == default_text(key);
      });
      if (same == lines.end()) {
        lines.push_back({&key, {variant.choice}});
      } else {
        same->choices.push_back(variant.choice);
      }
    }
  }
  // what ends every variant ends the table
  std::stable_partition(lines.begin(), lines.end(), [&](const Line& line) {
    return line.choices.size() < all.size() ||
           std::any_of(variants.variants().begin(), variants.variants().end(), [&](const auto& variant) {
             return variant.table && variant.table->keys.back().name != line.key->name;
           });
  });
  const auto which = [&all](const std::vector<std::string>& choices) -> std::string {
    if (choices.size() == all.size()) return "all";
    if (choices.size() + 1 < all.size() || all.size() < 4) return join_code(choices);
    for (const std::string& choice : all) {
      if (std::find(choices.begin(), choices.end(), choice) == choices.end()) return "all but " + code(choice);
    }
    return "all";
  };
  const bool alike =
      std::all_of(lines.begin(), lines.end(), [&all](const Line& line) { return line.choices.size() == all.size(); });
  std::string text =
      alike ? header({"key", "value", "default", "meaning"}) : header({"key", "of", "value", "default", "meaning"});
  for (const Line& line : lines) {
    std::vector<std::string> cells{code(line.key->name), which(line.choices), value_text(*line.key),
                                   default_text(*line.key), line.key->text};
    if (alike) cells.erase(cells.begin() + 1);
    text += row(cells);
  }
  return text + rules;
}

std::string choices_of(const KeyVariants& variants) {
  std::string text = header({code(variants.selector), "meaning"});
  std::vector<std::string> planned;
  for (const auto& variant : variants.variants()) {
    const std::string note =
        variant.choice == variants.fallback && variants.fallback_text.empty() ? " The default." : "";
    if (variant.table) {
      text += row({code(variant.choice), variant.text + note});
    } else {
      planned.push_back(code(variant.choice));
    }
  }
  if (!variants.fallback_text.empty()) text += "\nDefault: " + variants.fallback_text + ".\n";
  if (!planned.empty()) text += fmt::format("\nPlanned, and refused until then: {}.\n", fmt::join(planned, ", "));
  return text;
}

std::string examples_of(const FormatPart& part, const std::string& prefix) {
  std::string text = "```yaml\n";
  if (part.table) text += prefix + part.table->example + "\n";
  for (std::size_t i = 0; part.variants && i < part.variants->variants().size(); ++i) {
    const auto& variant = part.variants->variants()[i];
    if (variant.table) text += prefix + variant.example + "\n";
  }
  return text + "```\n";
}

class Filler {
 public:
  Filler() {
    for (const KeyTable* root : {&k_robot_table, &k_scenario_table}) {
      for (FormatPart& part : parts_of_file(*root)) parts_.push_back(std::move(part));
    }
  }

  /// What a line of the template stands for.
  std::string fill(const std::string& line) {
    if (line.rfind("{{", 0) != 0) return line + "\n";
    const std::size_t end = line.find("}}");
    if (end == line.npos) throw Error("format.md.in: no }} in '" + line + "'");
    const std::string inside = line.substr(2, end - 2);
    const std::size_t space = inside.find(' ');
    const std::string what = inside.substr(0, space), arguments = inside.substr(std::min(inside.size(), space + 1));
    const FormatPart* best = nullptr;  // names may begin with another's name
    for (const FormatPart& part : parts_) {
      const bool fits = arguments == part.name || arguments.rfind(part.name + " ", 0) == 0;
      if (fits && (!best || part.name.size() > best->name.size())) best = &part;
    }
    if (!best) throw Error("format.md.in: found '" + line + "', expected the name of a table");
    const std::string rest = arguments.substr(std::min(arguments.size(), best->name.size() + 1));
    if (what == "choices" && best->variants) return choices_of(*best->variants);
    if (what == "example") return examples_of(*best, rest.empty() ? "" : rest + " ");
    if (what != "keys") throw Error("format.md.in: found '" + line + "', expected keys, choices or example");
    if (best->table) return written_.insert(best->table), keys_of(*best->table);
    for (const auto& variant : best->variants->variants()) {
      if (!variant.table || (!rest.empty() && variant.choice != rest)) continue;
      written_.insert(variant.table);
      if (variant.choice == rest) return keys_of(*variant.table);
    }
    if (!rest.empty()) throw Error("format.md.in: found '" + line + "', expected a choice of " + best->name);
    return keys_of(*best->variants);
  }

  void check_complete() const {
    const auto check = [this](const KeyTable* table, const std::string& name) {
      if (table && written_.count(table) == 0) throw Error("format.md.in: expected {{keys " + name + "}}, found none");
    };
    for (const FormatPart& part : parts_) {
      check(part.table, part.name);
      for (std::size_t i = 0; part.variants && i < part.variants->variants().size(); ++i) {
        check(part.variants->variants()[i].table, part.name + " " + part.variants->variants()[i].choice);
      }
    }
  }

 private:
  std::vector<FormatPart> parts_;
  std::set<const KeyTable*> written_;
};

void check_links(const std::string& markdown) {
  std::set<std::string> anchors;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind('#', 0) == 0 && line.find(' ') != line.npos) anchors.insert(anchor(line.substr(line.find(' ') + 1)));
  }
  for (std::size_t at = 0; (at = markdown.find("](#", at)) != markdown.npos; ++at) {
    const std::string target = markdown.substr(at + 3, markdown.find(')', at) - at - 3);
    if (anchors.count(target) == 0)
      throw Error("format.md.in: found a link to #" + target + ", expected a heading of that name");
  }
}

}  // namespace

std::string format_markdown(const std::string& text_of_template) {
  Filler filler;
  std::string markdown;
  std::istringstream lines(text_of_template);
  for (std::string line; std::getline(lines, line);) markdown += filler.fill(line);
  filler.check_complete();
  check_links(markdown);
  return markdown;
}

}  // namespace cuttle
