#include "io/import/robot_include.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cuttle/error.h"
#include "io/import/import_builder.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_tables.h"
#include "io/robot/robot_writer.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {

namespace {

YamlEntry* entry_in_map(YamlNode::Content& map, const std::string& key) {
  for (YamlEntry& entry : map.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void mark_included(YamlNode& node, const SourceMark& mark) {
  node.mark = mark;
  YamlNode::Content& content = node.edit();
  for (YamlNode& item : content.items) mark_included(item, mark);
  for (YamlEntry& entry : content.entries) entry.mark = mark, mark_included(entry.value, mark);
}

/// Name of a link as it stands; empty if it has none.
std::string name_of_link_node(const YamlNode& link) {
  const YamlEntry* const entry = link.find("name");
  return entry && entry->value.kind() == YamlNode::Kind::scalar ? entry->value.scalar() : "";
}

void give_parent(YamlNode& link, const std::string& parent) {
  if (link.kind() != YamlNode::Kind::map || link.find("parent") != nullptr || parent.empty()) return;
  YamlNode value = text_node(parent);
  value.mark = link.mark;
  link.edit().entries.push_back({"parent", link.mark, std::move(value)});
}

/// The parents that links have by their order, written down: others may come between them.
void give_parents(YamlNode& tree) {
  YamlEntry* const links = entry_in_map(tree.edit(), "links");
  if (links == nullptr || links->value.kind() != YamlNode::Kind::list) return;
  std::string before = "base";
  for (YamlNode& link : links->value.edit().items) {
    give_parent(link, before);
    before = name_of_link_node(link);
  }
}

/// The items of a list of a robot's tree put into that of another.
void join_list(YamlNode& tree, const std::string& key, std::vector<YamlNode> items, const SourceMark& mark,
               std::size_t at) {
  YamlNode::Content& content = tree.edit();
  if (entry_in_map(content, key) == nullptr) {
    YamlNode list = list_node({});
    list.mark = mark;
    content.entries.push_back({key, mark, std::move(list)});
  }
  YamlNode& list = entry_in_map(content, key)->value;
  if (list.kind() == YamlNode::Kind::null) list = list_node({}), list.mark = mark;
  if (list.kind() != YamlNode::Kind::list) return;  // the reader will say what is wrong with it
  std::vector<YamlNode>& all = list.edit().items;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size())),
             std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
}

std::vector<std::string> names_of_link_nodes(const YamlNode& tree) {
  std::vector<std::string> names;
  const YamlEntry* const links = tree.find("links");
  if (links == nullptr) return names;
  for (const YamlNode& link : links->value.items()) names.push_back(name_of_link_node(link));
  return names;
}

class Includer {
 public:
  Includer(YamlNode& tree, NamedFiles& files, FileErrors& errors)
      : tree_(&tree), files_(&files), errors_(&errors), in_memory_(!files.texts().empty()) {}

  void include(const YamlMap& map) {
    const std::vector<ImportFormat>& formats = import_formats();
    const std::size_t errors_before = errors_->count();
    const auto given = std::count_if(formats.begin(), formats.end(),
                                     [&map](const ImportFormat& format) { return map.has(format.key); });
    if (given != 1) {
      const std::string keys = import_format_list(&ImportFormat::key, " and ");
      map.cursor().fail(fmt::format("{} of {}", given == 0 ? "none" : "several", keys), "one of them: a file");
    }
    const std::string mount = map.text("mount").value_or("base");
    const std::vector<std::string> known = names_of_link_nodes(*tree_);
    const auto found = std::find(known.begin(), known.end(), mount);
    if (mount != "base" && found == known.end()) {
      std::vector<std::string> choices = known;
      choices.insert(choices.begin(), "base");
      map.fail("mount", "'" + mount + "', which is no link", one_of(mount, choices));
    }
    ImportOptions options;
    options.mount = {mount, PortLocation::tip(), read_pose<double>(map, "pose")};
    options.prefix = map.text("prefix").value_or("");
    if (const auto root = map.text("package_root")) options.package_roots = {path_in(files_->directory(), *root)};
    for (const ImportFormat& format : formats) {
      const std::string& key = format.key;
      if (!map.has(key)) continue;
      const auto file = files_->read(map, key, "a robot in " + import_format_list(&ImportFormat::name));
      if (!file || errors_->count() > errors_before) return;
      ImportFiles beside = in_memory_ ? ImportFiles(files_->texts(), "the result") : ImportFiles(files_->directory());
      try {
        const ImportedRobot robot = import_named(format, *file, *map.text(key), beside, options);
        show_gravity(robot, map, *map.text(key));
        show_notes(robot, map, *map.text(key));
        put_in(robot, map.cursor().mark(), mount, mount == "base" ? 0 : found - known.begin() + 1);
      } catch (const FileError& error) {
        errors_->add(error);
        return;
      }
      result.files.insert(beside.texts().begin(), beside.texts().end());
    }
  }

  IncludedRobots result;

 private:
  void put_in(const ImportedRobot& imported, const SourceMark& mark, const std::string& mount, std::ptrdiff_t at) {
    WriteContext context{.robot = &imported.robot};
    const YamlNode written = robot_tree(imported.robot, {}, context);
    // behind those that hang there already, so that includes keep their order
    const auto first = static_cast<std::size_t>(at) + (mount == "base" ? on_base_ : 0);
    for (const char* const key : {"links", "actuators", "elements", "loops", "markers"}) {
      const YamlEntry* const list = written.find(key);
      if (list == nullptr) continue;
      std::vector<YamlNode> items = list->value.items();
      for (YamlNode& item : items) mark_included(item, mark);
      const bool is_links = std::string(key) == "links";
      if (is_links) give_parent(items.front(), "base");
      if (is_links && mount == "base") on_base_ += items.size();
      join_list(*tree_, key, std::move(items), mark,
                is_links           ? first
                : tree_->find(key) ? tree_->find(key)->value.items().size()
                                   : 0);
    }
    result.visuals.insert(result.visuals.end(), imported.visuals.begin(), imported.visuals.end());
  }

  /// Says it if the including robot, as which an included one falls, has another gravity.
  void show_gravity(const ImportedRobot& imported, const YamlMap& map, const std::string& name) {
    const YamlEntry* const own = tree_->find("gravity");
    Vector3 gravity = Robot().gravity;
    if (own != nullptr) {
      FileErrors others;  // the reader says what is wrong with it
      const auto given = YamlCursor(own->value, "gravity", others).numbers(key::numbers("gravity", 3));
      if (!given) return;
      gravity = {(*given)[0], (*given)[1], (*given)[2]};
    }
    const Vector3& lost = imported.robot.gravity;
    if (lost == gravity) return;
    result.notes.push_back(fmt::format(
        "{}: include: gravity [{}, {}, {}] of '{}': left out, as it falls with that of this robot, [{}, {}, {}]",
        map.cursor().mark().text(), lost.x, lost.y, lost.z, name, gravity.x, gravity.y, gravity.z));
  }

  /// What else is left out, changed or assumed: how much, and what lists all of it.
  void show_notes(const ImportedRobot& imported, const YamlMap& map, const std::string& name) {
    if (imported.notes.empty()) return;
    const std::string start = map.cursor().mark().text() + ": include: ", first = imported.notes.front().text();
    if (imported.notes.size() == 1) {
      result.notes.push_back(fmt::format("{}of '{}' 1 thing is left out, changed or assumed: {}", start, name, first));
      return;
    }
    const auto root = map.text("package_root");
    const std::string folder = root ? " --package-root " + path_in(files_->directory(), *root) : "";
    result.notes.push_back(fmt::format(
        "{}of '{}' {} things are left out, changed or assumed, the first: {}; `cuttle import {}{}` lists all", start,
        name, imported.notes.size(), first, path_in(files_->directory(), name), folder));
  }

  YamlNode* tree_;
  NamedFiles* files_;
  FileErrors* errors_;
  bool in_memory_;  // what a result keeps: there is at least the included file
  std::size_t on_base_ = 0;
};

}  // namespace

IncludedRobots include_robots(YamlNode& tree, NamedFiles& files, FileErrors& errors) {
  const YamlEntry* const entry = tree.find("include");
  if (entry == nullptr) return {};
  const YamlNode kept = entry->value;  // the tree changes
  const YamlCursor cursor(kept, "include", errors);
  Includer includer(tree, files, errors);
  give_parents(tree);
  if (cursor.kind() == YamlNode::Kind::list) {
    for (const YamlCursor& item : cursor.items("a list of mappings")) {
      if (const auto map = item.map(k_include_table)) includer.include(*map);
    }
  } else if (const auto map = cursor.map(k_include_table)) {
    includer.include(*map);
  }
  return std::move(includer.result);
}

}  // namespace cuttle
