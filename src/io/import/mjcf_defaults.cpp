#include "io/import/mjcf_defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"

namespace cuttle {
namespace {

constexpr int k_deepest_include = 20;

void splice(XmlElement& element, const std::string& main_name, const std::string& name, int depth, ImportBuilder& to) {
  std::vector<XmlElement> children;
  for (XmlElement& child : element.children) {
    if (child.tag != "include") {
      splice(child, main_name, name, depth, to);
      children.push_back(std::move(child));
      continue;
    }
    const std::string* const file = child.find("file");
    if (file == nullptr || depth >= k_deepest_include) {
      to.errors.add(child.mark, "include.file",
                    file == nullptr ? "nothing" : fmt::format("files that include each other {} deep", depth),
                    file == nullptr ? "a file's name" : fmt::format("at most {}", k_deepest_include));
      continue;
    }
    std::string found_name = main_name;
    auto text = to.file(*file, main_name, "a part of a model in MJCF");
    if (!text && name != main_name) text = to.file(*file, found_name = name, "a part of a model in MJCF");
    if (!text) {
      to.errors.add(child.mark, "include.file", "'" + *file + "', which does not exist", "a part of a model in MJCF");
      continue;
    }
    try {
      XmlElement included = parse_xml(*text, {"mujoco", "mujocoinclude"});
      splice(included, main_name, path_in(directory_of(found_name), *file), depth + 1, to);
      for (XmlElement& inner : included.children) children.push_back(std::move(inner));
    } catch (const FileError& error) {
      to.errors.add(error);
    }
  }
  element.children = std::move(children);
}

}  // namespace

void splice_includes(XmlElement& root, const std::string& name, ImportBuilder& to) { splice(root, name, name, 0, to); }

bool is_actuator_tag(const std::string& tag) {
  const auto tags = {"general", "motor",    "position", "velocity", "intvelocity",
                     "damper",  "cylinder", "muscle",   "adhesion", "plugin"};
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

void MjcfDefaults::read(const XmlElement& section, ImportBuilder& to) { read_class(section, "", to); }

void MjcfDefaults::read_class(const XmlElement& section, const std::string& parent, ImportBuilder& to) {
  const std::string* const given = section.find("class");
  std::string name = given ? *given : "";
  if (name.empty()) {
    if (!parent.empty()) {
      to.errors.add(section.mark, "default.class", "nothing", "a name, as it stands in another <default>");
      return;
    }
    name = main_.empty() ? "main" : main_;
  }
  if (parent.empty() && main_.empty()) main_ = name;
  if (classes_.count(name) == 0 && !parent.empty()) classes_[name] = classes_[parent];
  if (classes_.count(name) == 0 && parent.empty() && name != main_) classes_[name] = classes_[main_];
  for (const XmlElement& element : section.children) {
    if (element.tag == "default") continue;
    classes_[name][is_actuator_tag(element.tag) ? "actuator" : element.tag].push_back(&element);
  }
  classes_[name];  // a class may be empty
  for (const XmlElement& element : section.children) {
    if (element.tag == "default") read_class(element, name, to);
  }
}

std::vector<const XmlElement*> MjcfDefaults::of(const XmlElement& element, const std::string& name,
                                                const std::string& tag, ImportBuilder& to) const {
  const auto found = classes_.find(name.empty() ? main_ : name);
  if (found == classes_.end()) {
    if (name.empty() || name == "main") return {};
    std::vector<std::string> known;
    for (const auto& entry : classes_) known.push_back(entry.first);
    if (known.empty()) known.emplace_back("main");
    to.errors.add(element.mark, element.tag + ".class", "'" + name + "', which is no class", one_of(name, known));
    return {};
  }
  const auto elements = found->second.find(tag);
  return elements == found->second.end() ? std::vector<const XmlElement*>() : elements->second;
}

}  // namespace cuttle
