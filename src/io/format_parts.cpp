#include "io/format_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/robot/robot_tables.h"

namespace cuttle {
namespace {

class Collector {
 public:
  std::vector<FormatPart> parts;

  void visit(const KeyTable& table) {
    if (known(&table, nullptr)) return;
    parts.push_back({table.name, &table, nullptr});
    visit_keys(table);
  }
  void visit(const KeyVariants& variants) {
    if (known(nullptr, &variants)) return;
    parts.push_back({variants.name, nullptr, &variants});
    for (const auto& variant : variants.variants()) {
      if (variant.table) visit_keys(*variant.table);
    }
  }

 private:
  bool known(const KeyTable* table, const KeyVariants* variants) const {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const FormatPart& part) { return part.table == table && part.variants == variants; });
  }
  void visit_keys(const KeyTable& table) {
    for (const Key& key : table.keys) visit(key);
  }
  void visit(const Key& key) {
    if (key.table) visit(*key.table);
    if (key.variants) visit(*key.variants);
    if (key.kind == Key::Kind::signal || key.kind == Key::Kind::signals) visit(k_signal_variants);
    for (const Key& form : key.forms) visit(form);
  }
};

/// Walks a file and its tables side by side.
class Walker {
 public:
  std::vector<KeyPlace> places;

  void walk(const YamlNode& node, const KeyTable& table, const std::string& path) {
    if (node.kind() != YamlNode::Kind::map) return;
    for (const Key& key : table.keys) {
      const std::string key_path = path.empty() ? key.name : path + "." + key.name;
      places.push_back({.path = key_path, .mapping = &node, .name = key.name, .key = &key, .table = &table});
      if (const YamlEntry* entry = node.find(key.name)) {
        walk(entry->value, key, key_path);
      } else if (key.kind == Key::Kind::map) {
        walk_mapping(no_mapping(), key, key_path);
      }
    }
  }

 private:
  static const YamlNode& no_mapping() {
    static const YamlNode k_node({.kind = YamlNode::Kind::map}, {});
    return k_node;
  }

  void walk(const YamlNode& node, const KeyVariants& variants, const std::string& path) {
    if (node.kind() != YamlNode::Kind::map) return;
    places.push_back(
        {.path = path + "." + variants.selector, .mapping = &node, .name = variants.selector, .variants = &variants});
    const YamlEntry* selector = node.find(variants.selector);
    const std::string choice = selector ? selector->value.scalar() : variants.fallback;
    for (const auto& variant : variants.variants()) {
      if (variant.choice == choice && variant.table) walk(node, *variant.table, path);
    }
  }
  void walk_mapping(const YamlNode& node, const Key& key, const std::string& path) {
    if (key.table) walk(node, *key.table, path);
    if (key.variants) walk(node, *key.variants, path);
  }
  void walk(const YamlNode& node, const Key& key, const std::string& path) {
    switch (key.kind) {
      case Key::Kind::map:
        return walk_mapping(node, key, path);
      case Key::Kind::maps:
        for_items(node, path,
                  [&](const YamlNode& item, const std::string& item_path) { walk_mapping(item, key, item_path); });
        return;
      case Key::Kind::named_maps:
        for_entries(node, path,
                    [&](const YamlNode& item, const std::string& item_path) { walk_mapping(item, key, item_path); });
        return;
      case Key::Kind::signal:
        return walk(node, k_signal_variants, path);
      case Key::Kind::signals:
        for_items(node, path, [&](const YamlNode& item, const std::string& item_path) {
          walk(item, k_signal_variants, item_path);
        });
        return;
      case Key::Kind::list:
        for_items(node, path,
                  [&](const YamlNode& item, const std::string& item_path) { walk_forms(item, key.forms, item_path); });
        return;
      case Key::Kind::named:
        for_entries(node, path, [&](const YamlNode& item, const std::string& item_path) {
          walk_forms(item, key.forms, item_path);
        });
        return;
      case Key::Kind::other:
        return walk_forms(node, key.forms, path);
      case Key::Kind::number:
      case Key::Kind::integer:
      case Key::Kind::boolean:
      case Key::Kind::text:
      case Key::Kind::name:
      case Key::Kind::choice:
      case Key::Kind::numbers:
      case Key::Kind::profile:
      case Key::Kind::names:
        return;  // nothing inside
    }
  }
  /// Of several mappings that may stand here, the one that has the first key of the file's.
  void walk_forms(const YamlNode& node, const std::vector<Key>& forms, const std::string& path) {
    for (const Key& form : forms) {
      const bool has_first = !form.table || node.entries().empty() || form.table->find(node.entries().front().key);
      if (form.kind == Key::Kind::map && !has_first) continue;
      walk(node, form, path);
      if (form.kind == Key::Kind::map && node.kind() == YamlNode::Kind::map) return;
    }
  }
  template <typename Visit>
  static void for_items(const YamlNode& node, const std::string& path, const Visit& visit) {
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      const YamlEntry* name = node.items()[i].find("name");
      const bool named = name && name->value.kind() == YamlNode::Kind::scalar && !name->value.scalar().empty();
      visit(node.items()[i], named ? path + "." + name->value.scalar() : fmt::format("{}[{}]", path, i));
    }
  }
  template <typename Visit>
  static void for_entries(const YamlNode& node, const std::string& path, const Visit& visit) {
    for (const YamlEntry& entry : node.entries()) visit(entry.value, path + "." + entry.key);
  }
};

}  // namespace

std::vector<FormatPart> parts_of_file(const KeyTable& root) {
  Collector collector;
  collector.visit(root);
  return collector.parts;
}

std::vector<KeyPlace> key_places(const YamlNode& file, const KeyTable& root) {
  Walker walker;
  walker.walk(file, root, "");
  return walker.places;
}

}  // namespace cuttle
