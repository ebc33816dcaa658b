#include "io/import/mjcf_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"

namespace cuttle {
namespace {

constexpr std::size_t k_most_includes = 1000;  // of a model

/// Puts the children of included files in the place of each <include>. As in MuJoCo no file is included twice.
class IncludeSplicer {
 public:
  IncludeSplicer(std::string main_name, ImportBuilder& to) : main_name_(std::move(main_name)), to_(&to) {
    included_.insert(plain(main_name_));
  }

  /// @param name   of the file that has the element.
  /// @param depth  of the element, below the root of the model.
  void splice(XmlElement& element, const std::string& name, int depth) {
    if (depth > k_deepest_element) {
      to_->errors.add(element.mark, element.tag, fmt::format("elements nested {} deep", depth),
                      fmt::format("at most {}", k_deepest_element));
      return;
    }
    std::vector<XmlElement> children;
    for (XmlElement& child : element.children) {
      if (child.tag == "include") {
        for (XmlElement& inner : included_children(child, name, depth)) children.push_back(std::move(inner));
      } else {
        splice(child, name, depth + 1);
        children.push_back(std::move(child));
      }
    }
    element.children = std::move(children);
  }

 private:
  static std::string plain(const std::string& name) { return std::filesystem::path(name).lexically_normal().string(); }

  /// None, with an error, if they cannot be had.
  std::vector<XmlElement> included_children(const XmlElement& include, const std::string& name, int depth) {
    const auto fail = [&](const std::string& found, const std::string& expected) {
      to_->errors.add(include.mark, "include.file", found, expected);
      return std::vector<XmlElement>();
    };
    const std::string* const file = include.find("file");
    if (file == nullptr) return fail("nothing", "a file's name");
    std::string from = main_name_;
    std::optional<NamedText> text;
    try {
      text = to_->file(*file, main_name_, "a part of a model in MJCF");
      if (!text && name != main_name_) text = to_->file(*file, from = name, "a part of a model in MJCF");
    } catch (const FileError& error) {
      return fail(fmt::format("'{}', which cannot be read ({})", *file, error.what()), "a part of a model in MJCF");
    }
    if (!text) return fail("'" + *file + "', which does not exist", "a part of a model in MJCF");
    const std::string own_name = path_in(directory_of(from), *file);
    if (!included_.insert(plain(own_name)).second) {
      return fail("'" + *file + "' again", "a file that is not included yet");
    }
    if (included_.size() > k_most_includes + 1) {
      return fail(fmt::format("file {}", included_.size() - 1), fmt::format("at most {}", k_most_includes));
    }
    try {
      XmlElement root = parse_xml(*text, {"mujoco", "mujocoinclude"});
      splice(root, own_name, depth);
      return std::move(root.children);
    } catch (const FileError& error) {
      to_->errors.add(error);
      return {};
    }
  }

  std::string main_name_;
  ImportBuilder* to_;
  std::set<std::string> included_;
};

}  // namespace

void splice_includes(XmlElement& root, const std::string& name, ImportBuilder& to) {
  IncludeSplicer(name, to).splice(root, name, 0);
}

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
