#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/io/yaml_tree.h"
#include "describe_format.h"
#include "io/format_parts.h"
#include "io/robot/robot_tables.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

/// Editors read YAML 1.2, to which the other spellings of numbers that Cuttle reads are text: 1_000, 0b101, -0x1F,
/// 1:30. The first group keeps out numbers in quotes, which Cuttle refuses.
const char* const k_other_spellings =
    "^(?=.*[_:]|[-+]?0b|[-+]0[xo])[-+]?("
    "([0-9][0-9_]*(\\.[0-9_]*)?|\\.[0-9_]*[0-9][0-9_]*)([eE][-+]?[0-9]+)?"
    "|0b[01][01_]*|0o[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*"
    "|[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?)$";

/// Text without the marks of Markdown: links become their words.
std::string plain_text(const std::string& markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown[i] == '`') continue;
    const std::size_t link = markdown[i] == '[' ? markdown.find("](#", i) : markdown.npos;
    const std::size_t end = link == markdown.npos ? link : markdown.find(')', link);
    if (end != markdown.npos && markdown.find_first_of("[]", i + 1) == link) {
      text += markdown.substr(i + 1, link - i - 1);
      i = end;
    } else {
      text += markdown[i];
    }
  }
  return text;
}

std::string definition_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + definition_name(name)}}; }

/// 1 and not 1.0 for whole numbers.
Json json_number(double x) {
  if (x == std::floor(x) && std::abs(x) < 1e9) return static_cast<long>(x);
  return x;
}
Json number_schema(const char* type, const NumberRange& range) {
  Json schema = reference(type);
  if (std::isfinite(range.min)) schema[range.min_open ? "exclusiveMinimum" : "minimum"] = json_number(range.min);
  if (std::isfinite(range.max)) schema[range.max_open ? "exclusiveMaximum" : "maximum"] = json_number(range.max);
  return schema;
}
/// @param count  any number if 0.
Json list_schema(const Json& item, int count, bool may_be_empty) {
  Json schema{{"type", "array"}, {"items", item}};
  if (count > 0) schema["minItems"] = schema["maxItems"] = count;
  if (count == 0 && !may_be_empty) schema["minItems"] = 1;
  return schema;
}
Json text_schema(const std::string& pattern) {
  Json schema{{"type", "string"}, {"pattern", "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"}};
  if (!pattern.empty()) schema["allOf"] = Json::array({{{"pattern", pattern}}});
  return schema;
}
Json any_of(Json forms) { return forms.size() == 1 ? forms[0] : Json{{"anyOf", std::move(forms)}}; }

Json value_schema(const Key& key);

Json forms_schema(const std::vector<Key>& forms) {
  Json schemas = Json::array();
  for (const Key& form : forms) schemas.push_back(value_schema(form));
  return any_of(std::move(schemas));
}

Json value_schema(const Key& key) {
  const auto mapping = [&key] { return reference(key.variants ? key.variants->name : key.table->name); };
  Json number = number_schema("number", key.range);
  Json number_or_signal = any_of(Json::array({number_schema("number", k_any_number), reference("signal")}));
  switch (key.kind) {
    case Key::Kind::number:
      return number;
    case Key::Kind::integer:
      return number_schema("integer", key.range);
    case Key::Kind::boolean:
      return reference("boolean");
    case Key::Kind::text:
      return text_schema(key.pattern);
    case Key::Kind::name:
      return reference("name");
    case Key::Kind::choice:
      return {{"enum", key.choices}};
    case Key::Kind::numbers:
      return list_schema(number, key.count, true);
    case Key::Kind::profile:
      return any_of(Json::array({number, list_schema(number, key.count, false)}));
    case Key::Kind::signal:
      return number_or_signal;
    case Key::Kind::signals:
      return list_schema(number_or_signal, key.count, true);
    case Key::Kind::map:
      return mapping();
    case Key::Kind::maps:
      return list_schema(mapping(), 0, !key.required);  // a required list has something in it
    case Key::Kind::named_maps:
      return {{"type", "object"}, {"additionalProperties", mapping()}};
    case Key::Kind::names:
      return list_schema(text_schema(R"(^[^/\[\]]+$)"), 0, true);
    case Key::Kind::other:
      return forms_schema(key.forms);
    case Key::Kind::list:
      if (key.count == 0) return {{"type", "array"}, {"maxItems", 0}};
      return list_schema(forms_schema(key.forms), std::max(key.count, 0), true);
    case Key::Kind::named:
      return {{"type", "object"}, {"additionalProperties", forms_schema(key.forms)}};
  }
  return {};
}

Json json_of(const YamlNode& node) {
  Json result;
  switch (node.kind()) {
    case YamlNode::Kind::null:
      return nullptr;
    case YamlNode::Kind::list:
      result = Json::array();
      for (const YamlNode& item : node.items()) result.push_back(json_of(item));
      return result;
    case YamlNode::Kind::map:
      result = Json::object();
      for (const YamlEntry& entry : node.entries()) result[entry.key] = json_of(entry.value);
      return result;
    case YamlNode::Kind::scalar:
      break;
  }
  if (const auto boolean = parse_yaml_boolean(node.scalar())) return *boolean;
  const auto number = parse_yaml_number(node.scalar());
  return number ? json_number(number->value) : Json(node.scalar());
}

Json property_schema(const Key& key) {
  Json schema;
  std::string text = plain_text(key.text);
  if (!key.unit.empty()) text += " [" + key.unit + "]";
  if (!key.missing.empty()) text += " If missing: " + plain_text(key.missing) + ".";
  schema["description"] = text;
  if (!key.default_value.empty()) schema["default"] = json_of(parse_yaml_argument(key.default_value, "default"));
  schema.update(value_schema(key));
  return schema;
}

Json rule_schema(const KeyRule& rule) {
  if (rule.kind == KeyRule::Kind::at_most_one) return {{"not", {{"required", rule.names}}}};
  Json each = Json::array();
  for (const std::string& name : rule.names) each.push_back({{"required", Json::array({name})}});
  return {{rule.kind == KeyRule::Kind::exactly_one ? "oneOf" : "anyOf", each}};
}

/// What a table says of a mapping; the selector's values are checked elsewhere.
Json table_schema(const KeyTable& table, const std::string& selector) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  if (!selector.empty()) schema["properties"][selector] = true;
  Json required = Json::array();
  for (const Key& key : table.keys) {
    schema["properties"][key.name] = property_schema(key);
    if (key.required) required.push_back(key.name);
  }
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  for (const KeyRule& rule : table.rules) {
    schema["allOf"].push_back(rule_schema(rule));
    if (rule.kind != KeyRule::Kind::at_least_one) continue;
    for (const std::string& name : rule.names) {  // a list that is asked for has something in it
      const Key* const key = table.find(name);
      if (key != nullptr && key->kind == Key::Kind::maps) schema["properties"][name]["minItems"] = 1;
    }
  }
  return schema;
}

Json variants_schema(const KeyVariants& variants) {
  Json choices = Json::array(), branches = Json::array();
  std::string text;
  for (const auto& variant : variants.variants()) {
    if (!variant.table) continue;
    choices.push_back(variant.choice);
    text += (text.empty() ? "" : "\n") + variant.choice + ": " + plain_text(variant.text);
    Json condition{{"properties", {{variants.selector, {{"const", variant.choice}}}}}};
    if (variant.choice != variants.fallback) condition["required"] = Json::array({variants.selector});
    branches.push_back({{"if", condition}, {"then", table_schema(*variant.table, variants.selector)}});
  }
  Json selector{{"description", text}, {"enum", choices}};
  if (!variants.fallback.empty() && variants.fallback_text.empty()) selector["default"] = variants.fallback;
  Json schema{{"type", "object"}, {"properties", {{variants.selector, selector}}}};
  if (variants.fallback.empty()) schema["required"] = Json::array({variants.selector});
  schema["allOf"] = branches;
  return schema;
}

Json scalar_definitions() {
  return {{"number", {{"type", Json::array({"number", "string"})}, {"pattern", k_other_spellings}}},
          {"integer", {{"type", Json::array({"integer", "string"})}, {"pattern", k_other_spellings}}},
          {"boolean",
           {{"enum", Json::array({true, false, "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off",
                                  "OFF"})}}},
          {"name", {{"type", "string"}, {"pattern", "^[^./\\[\\]\\u0000-\\u001f\\u007f-\\u009f]+$"}}}};
}

}  // namespace

std::string format_schema(const KeyTable& root) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Cuttle " + root.name},
              {"$comment", "Holds for a file whose aliases and merge keys (<<) are resolved."}};
  schema.update(table_schema(root, ""));
  Json definitions = scalar_definitions();
  for (const FormatPart& part : parts_of_file(root)) {
    if (part.table == &root) continue;
    definitions[definition_name(part.name)] =
        part.table ? table_schema(*part.table, "") : variants_schema(*part.variants);
  }
  schema["$defs"] = definitions;
  return schema.dump(1) + "\n";
}

}  // namespace cuttle
