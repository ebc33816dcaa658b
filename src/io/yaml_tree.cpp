#include "io/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

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
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(node(YamlNode::Kind::null, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside the value that it stands for", "a value that ends");
    YamlNode copy = found->second;
    copied_ += node_count(copy);
    constexpr std::size_t k_most_copied = 1'000'000;  // stops a few nested aliases from filling the memory
    if (copied_ > k_most_copied) fail(mark, "aliases that expand to more than a million values", "fewer");
    copy.mark = place(mark);
    finish(std::move(copy), YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode scalar = node(YamlNode::Kind::scalar, mark);
    scalar.scalar = value;
    scalar.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    finish(std::move(scalar), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({node(YamlNode::Kind::list, mark), anchor, std::nullopt});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({node(YamlNode::Kind::map, mark), anchor, std::nullopt});
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& found, const std::string& expected) const {
    FileErrors errors;
    errors.add(place(mark), "YAML", found, expected);
    errors.throw_if_any();
    throw FileError(found);  // not reached: there is an error
  }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<std::pair<std::string, SourceMark>> key;  // of a map: a key that waits for its value
  };

  SourceMark place(const YAML::Mark& mark) const {
    if (!with_lines_) return {source_, 0, 0};
    return {source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }
  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode result;
    result.kind = kind;
    result.mark = place(mark);
    last_ = mark;
    return result;
  }
  static std::size_t node_count(const YamlNode& node) {
    std::size_t count = 1;
    for (const YamlNode& item : node.items) count += node_count(item);
    for (const YamlEntry& entry : node.entries) count += node_count(entry.value);
    return count;
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    finish(std::move(closed.node), closed.anchor);
  }
  void finish(YamlNode value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = value;
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(value));
    } else if (!parent.key) {
      if (value.kind == YamlNode::Kind::list || value.kind == YamlNode::Kind::map) {
        fail(last_, "a key that is no text", "text");
      }
      parent.key.emplace(value.kind == YamlNode::Kind::null ? "null" : value.scalar, value.mark);
    } else {
      // an empty value has the place of whatever follows it: say its key's
      if (value.kind == YamlNode::Kind::null) value.mark = parent.key->second;
      parent.node.entries.push_back({parent.key->first, parent.key->second, std::move(value)});
      parent.key.reset();
    }
  }

  std::shared_ptr<const std::string> source_;
  bool with_lines_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t copied_ = 0;
  mutable YAML::Mark last_;
};

YamlNode parse(const std::string& text, const std::string& source, bool with_lines) {
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
    builder.fail(error.mark, "a syntax error (" + error.msg + ")", "valid YAML");
  }
}

}  // namespace

std::string SourceMark::text() const {
  const std::string name = source ? *source : "?";
  return line > 0 ? fmt::format("{}:{}:{}", name, line, column) : name;
}

const YamlEntry* YamlNode::find(const std::string& key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void FileErrors::add(const SourceMark& mark, const std::string& path, const std::string& found,
                     const std::string& expected) {
  add(mark, path, fmt::format("found {}, expected {}", found, expected));
}

void FileErrors::add(const SourceMark& mark, const std::string& path, const std::string& found_and_expected) {
  const std::string where = path.empty() ? mark.text() : mark.text() + ": " + path;
  errors_.push_back({mark.source ? *mark.source : "", mark.line, mark.column, where + ": " + found_and_expected});
}

void FileErrors::add(const FileError& error) {
  // one block: its lines are in order already
  errors_.push_back({error.what(), 0, 0, error.what()});
}

void FileErrors::throw_if_any() const {
  if (errors_.empty()) return;
  std::map<std::string, std::size_t> first;  // of each source
  for (const Entry& entry : errors_) first.emplace(entry.source, first.size());
  std::vector<const Entry*> sorted;
  for (const Entry& entry : errors_) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(), [&first](const Entry* a, const Entry* b) {
    return std::tuple(first.at(a->source), a->line, a->column) < std::tuple(first.at(b->source), b->line, b->column);
  });
  std::string text;
  for (const Entry* entry : sorted) text += (text.empty() ? "" : "\n") + entry->text;
  throw FileError(text);
}

YamlNode parse_yaml(const std::string& text, const std::string& source) { return parse(text, source, true); }
YamlNode parse_yaml_argument(const std::string& text, const std::string& source) { return parse(text, source, false); }

std::string read_text_file(const std::string& path, const std::string& what) {
  std::error_code status;
  if (!std::filesystem::exists(path, status)) throw FileError(path + ": found no such file, expected " + what);
  if (std::filesystem::is_directory(path, status)) throw FileError(path + ": found a directory, expected " + what);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // an empty file makes operator<< fail on `text`, not on `file`
  if (file) text << file.rdbuf();
  if (!file || file.bad()) throw FileError(path + ": found a file that cannot be read, expected " + what);
  return text.str();
}

}  // namespace cuttle
