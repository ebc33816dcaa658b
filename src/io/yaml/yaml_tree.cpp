#include "cuttle/io/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "cuttle/io/plain_text.h"
#include "io/regular_file.h"

namespace cuttle {
namespace {

/// Builds the tree from the events of yaml-cpp: its own nodes lose the places of aliases, and keys given twice.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> source, bool with_lines)
      : source_(std::move(source)), with_lines_(with_lines) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { finish({start(mark, {})}, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail(mark, "an alias inside the value that it stands for", "a value without itself inside");
    Value alias = found->second;
    aliased_ += alias.size;
    // shared in memory, but whoever reads the file reads each of them
    constexpr std::size_t k_most_aliased = 100'000;
    if (aliased_ > k_most_aliased) {
      fail(mark, fmt::format("aliases that expand to more than {} values", k_most_aliased), "fewer");
    }
    alias.node.mark = place(mark);
    finish(std::move(alias), YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    finish({start(mark, {.kind = YamlNode::Kind::scalar, .scalar = value, .quoted = quoted})}, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& found, const std::string& expected) const {
    fail(place(mark), found, expected);
  }

 private:
  [[noreturn]] static void fail(const SourceMark& mark, const std::string& found, const std::string& expected) {
    FileErrors errors;
    errors.add(mark, "YAML", found, expected);
    errors.throw_if_any();
    throw FileError(found);  // not reached: there is an error
  }

  struct Value {
    YamlNode node;
    std::size_t size = 1;  ///< values in it and itself, aliases expanded
  };
  struct Key {
    std::string text;
    SourceMark mark;
    bool merges = false;  ///< <<
  };
  /// A list or a map that has not ended.
  struct Open {
    YamlNode::Content content;
    SourceMark mark;
    YAML::anchor_t anchor;
    std::size_t size = 1;
    std::optional<Key> key = {};          // of a map: waits for its value
    std::optional<YamlNode> merged = {};  // of a map: the value of its <<
  };

  SourceMark place(const YAML::Mark& mark) const {
    if (!with_lines_) return {source_, 0, 0};
    return {source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }
  /// Of the values that stand in the text: a byte or two of it make one, which takes some 200 in memory.
  void count_value(const YAML::Mark& mark) {
    constexpr std::size_t k_most_values = 5'000'000;
    if (++values_ > k_most_values) fail(mark, fmt::format("more than {} values", k_most_values), "fewer");
  }
  YamlNode start(const YAML::Mark& mark, YamlNode::Content content) {
    count_value(mark);
    return {std::move(content), place(mark)};
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count_value(mark);
    open_.push_back({.content = {.kind = kind}, .mark = place(mark), .anchor = anchor});
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.merged) merge(*closed.merged, closed.content.entries);
    finish({YamlNode(std::move(closed.content), closed.mark), closed.size}, closed.anchor);
  }
  void finish(Value value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = value;
    YamlNode& node = value.node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.size += value.size;
    if (parent.content.kind == YamlNode::Kind::list) {
      parent.content.items.push_back(std::move(node));
    } else if (!parent.key) {
      const bool is_null = node.kind() == YamlNode::Kind::null;
      if (!is_null && node.kind() != YamlNode::Kind::scalar) fail(node.mark, "a key that is no text", "text");
      parent.key = {is_null ? "null" : node.scalar(), node.mark, node.scalar() == "<<" && !node.quoted()};
    } else if (parent.key->merges) {
      if (parent.merged) fail(parent.key->mark, "<< again", "it once, with a list of all mappings to merge");
      require_mappings(node);
      parent.merged = std::move(node);
      parent.key.reset();
    } else {
      // an empty value has the place of whatever follows it: say its key's
      if (node.kind() == YamlNode::Kind::null) node.mark = parent.key->mark;
      parent.content.entries.push_back({std::move(parent.key->text), parent.key->mark, std::move(node)});
      parent.key.reset();
    }
  }
  /// What << takes: a mapping, or a list of mappings.
  static void require_mappings(const YamlNode& merged) {
    const auto is_map = [](const YamlNode& node) { return node.kind() == YamlNode::Kind::map; };
    const bool list = merged.kind() == YamlNode::Kind::list;
    if (is_map(merged) || (list && std::all_of(merged.items().begin(), merged.items().end(), is_map))) return;
    fail(merged.mark, list ? "a list of other things after <<" : "no mapping after <<",
         "a mapping whose keys to take over, or a list of such mappings");
  }
  /// Adds the entries whose keys a map does not have itself; of several mappings the first that has a key counts.
  static void merge(const YamlNode& merged, std::vector<YamlEntry>& entries) {
    std::set<std::string> keys;
    for (const YamlEntry& entry : entries) keys.insert(entry.key);
    const auto add = [&](const YamlNode& map) {
      for (const YamlEntry& entry : map.entries()) {
        if (keys.insert(entry.key).second) entries.push_back(entry);
      }
    };
    if (merged.kind() == YamlNode::Kind::map) add(merged);
    for (const YamlNode& map : merged.items()) add(map);
  }

  std::shared_ptr<const std::string> source_;
  bool with_lines_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t values_ = 0, aliased_ = 0;
};

/// What yaml-cpp calls mistakes, in words for whoever wrote the file: {its word, found, expected}.
constexpr std::array<std::array<const char*, 3>, 6> k_syntax_errors{{
    {"end of map not found", "a line whose indentation fits no line above it", "keys of one mapping below each other"},
    {"end of sequence not found", "a line whose indentation fits no line above it",
     "items of one list below each other"},
    {"end of sequence flow not found", "a list that begins with [ and does not end", "a ] behind its last item"},
    {"end of map flow not found", "a mapping that begins with { and does not end", "a } behind its last value"},
    {"illegal flow end", "a ] or } that ends nothing", "the one that fits the last [ or {"},
    {"illegal map value", "a ':' where no value can begin", "one key and its value in each line"},
}};

[[noreturn]] void fail_syntax(const TreeBuilder& builder, const std::string& text, const YAML::Exception& error) {
  // a tab in the indentation is a mistake that nobody sees, and yaml-cpp finds another one behind it
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= error.mark.line; ++i) std::getline(lines, line);
  if (const std::size_t first = line.find_first_not_of(' '); first != std::string::npos && line[first] == '\t') {
    YAML::Mark place = error.mark;
    place.column = static_cast<int>(first);
    builder.fail(place, "a tab before the first word of a line", "spaces: YAML indents by spaces alone");
  }
  for (const auto& [word, found, expected] : k_syntax_errors) {
    if (error.msg == word) builder.fail(error.mark, found, expected);
  }
  builder.fail(error.mark, "a syntax error (" + error.msg + ")", "valid YAML");
}

YamlNode parse(const std::string& text, const std::string& source, bool with_lines) {
  require_plain_text(text, source);
  const auto shared_source = std::make_shared<const std::string>(source);
  TreeBuilder builder(shared_source, with_lines);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      YamlNode empty;
      empty.mark = {shared_source, with_lines ? 1 : 0, with_lines ? 1 : 0};
      return empty;
    }
    YamlNode root = builder.take();
    TreeBuilder second(shared_source, with_lines);
    if (parser.HandleNextDocument(second)) {
      FileErrors errors;
      errors.add(second.take().mark, "YAML", "a second document", "one document a file");
      errors.throw_if_any();
    }
    return root;
  } catch (const YAML::Exception& error) {
    fail_syntax(builder, text, error);
  }
}

}  // namespace

YamlNode::YamlNode() : content_(std::make_shared<Content>()) {}

YamlNode::YamlNode(Content content, SourceMark place)
    : mark(std::move(place)), content_(std::make_shared<Content>(std::move(content))) {}

const YamlEntry* YamlNode::find(const std::string& key) const {
  for (const YamlEntry& entry : content_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

YamlNode::Content& YamlNode::edit() {
  content_ = std::make_shared<Content>(*content_);
  return *content_;
}

YamlNode parse_yaml(const std::string& text, const std::string& source) { return parse(text, source, true); }
YamlNode parse_yaml_argument(const std::string& text, const std::string& source) { return parse(text, source, false); }

std::string read_text_file(const std::string& path, const std::string& what) { return read_regular_file(path, what); }

}  // namespace cuttle
