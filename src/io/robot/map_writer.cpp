#include "cuttle/io/map_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/yaml/yaml_writer.h"

namespace cuttle {

void MapWriter::node(const std::string& key, YamlNode value) { entries_.push_back({key, {}, std::move(value)}); }

void MapWriter::number(const std::string& key, double value) {
  at_place(key, "", [&] { node(key, number_node(value)); });
}
void MapWriter::number(const std::string& key, double value, double usual) {
  if (value != usual) number(key, value);
}
void MapWriter::number(const std::string& key, const std::optional<double>& value) {
  if (value) number(key, *value);
}
void MapWriter::integer(const std::string& key, long value) { node(key, integer_node(value)); }
void MapWriter::integer(const std::string& key, long value, long usual) {
  if (value != usual) integer(key, value);
}
void MapWriter::flag(const std::string& key, bool value) {
  if (value) node(key, boolean_node(true));
}
void MapWriter::text(const std::string& key, const std::string& value) { node(key, text_node(value)); }
void MapWriter::text(const std::string& key, const std::string& value, const std::string& usual) {
  if (value != usual) text(key, value);
}
void MapWriter::numbers(const std::string& key, const std::vector<double>& values) {
  at_place(key, "", [&] { node(key, numbers_node(values)); });
}
void MapWriter::profile(const std::string& key, const std::vector<double>& values) {
  if (values.size() == 1) {
    number(key, values.front());
  } else if (!values.empty()) {
    numbers(key, values);
  }
}
void MapWriter::vector(const std::string& key, const Vector3& value) { numbers(key, {value.x, value.y, value.z}); }
void MapWriter::vector(const std::string& key, const Vector3& value, const Vector3& usual) {
  if (!(value == usual)) vector(key, value);
}

void MapWriter::file(const std::string& key, const std::string& extension, const std::function<std::string()>& make) {
  std::string stem = context_->stem;
  std::replace(stem.begin(), stem.end(), '/', '_');
  if (context_->files == nullptr) return text(key, stem + extension);
  const std::string content = make();
  for (int i = 1;; ++i) {
    const std::string name = i == 1 ? stem + extension : fmt::format("{}_{}{}", stem, i, extension);
    const auto known = context_->files->find(name);
    const bool free = known != context_->files->end() ? known->second == content
                                                      : !context_->is_free || context_->is_free(name, content);
    if (!free) continue;
    (*context_->files)[name] = content;
    return text(key, name);
  }
}

bool MapWriter::has(const std::string& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const YamlEntry& entry) { return entry.key == key; });
}

void MapWriter::list(const std::string& key, std::vector<YamlNode> items) { node(key, list_node(std::move(items))); }

YamlNode MapWriter::take() { return {{.kind = YamlNode::Kind::map, .entries = std::move(entries_)}, {}}; }

}  // namespace cuttle
