// <replicate>: a part of a model several times, each one moved on from the one before.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/spatial/logarithm.h"
#include "io/import/mjcf_model.h"

namespace cuttle {
namespace {

using std::string;

constexpr std::size_t k_most_replicated = 100000;  // elements of a model, so that a small file stays a small robot

/// Names of a part, by what they are names of.
using ReplicatedNames = std::map<string, std::set<string>>;

/// What an attribute names; empty: nothing that is replicated.
string named_by(const string& attribute) {
  static const std::map<string, string> k_kinds{
      {"joint", "joint"},    {"joint1", "joint"},   {"joint2", "joint"}, {"jointinparent", "joint"},
      {"tendon", "tendon"},  {"site", "site"},      {"site1", "site"},   {"site2", "site"},
      {"refsite", "site"},   {"cranksite", "site"}, {"geom", "geom"},    {"sidesite", "site"},
      {"body", "body"},      {"body1", "body"},     {"body2", "body"},   {"tendon1", "tendon"},
      {"tendon2", "tendon"}, {"slidersite", "site"}};
  const auto kind = k_kinds.find(attribute);
  return kind == k_kinds.end() ? "" : kind->second;
}

/// Adds the names of elements below one. @return how many elements there are.
std::size_t collect_replicated(const XmlElement& element, ReplicatedNames& names) {
  std::size_t count = 1;
  for (const XmlElement& child : element.children) {
    if (const string* const name = child.find("name")) {
      names[child.tag == "freejoint" ? "joint" : child.tag].insert(*name);
    }
    count += collect_replicated(child, names);
  }
  return count;
}

void rename_replica(XmlElement& element, const string& suffix) {
  for (auto& [attribute, value] : element.attributes) {
    if (attribute == "name") value += suffix;
  }
  for (XmlElement& child : element.children) rename_replica(child, suffix);
}

struct ReferenceCount {
  int inside = 0, outside = 0;  // of what is replicated
};
void count_references(const XmlElement& element, const ReplicatedNames& names, ReferenceCount& count) {
  for (const auto& [attribute, value] : element.attributes) {
    const string kind = named_by(attribute);
    if (kind.empty()) continue;
    const auto known = names.find(kind);
    ++(known != names.end() && known->second.count(value) > 0 ? count.inside : count.outside);
  }
  for (const XmlElement& child : element.children) count_references(child, names, count);
}

void rename_references(XmlElement& element, const string& suffix) {
  for (auto& [attribute, value] : element.attributes) {
    if (attribute == "name" || !named_by(attribute).empty()) value += suffix;
  }
  for (XmlElement& child : element.children) rename_references(child, suffix);
}

class Replicator {
 public:
  explicit Replicator(MjcfModel& model) : model_(&model) {}

  void expand(XmlElement& element) {
    std::vector<XmlElement> children;
    for (XmlElement& child : element.children) {
      expand(child);
      if (child.tag == "replicate") {
        append_replicas(child, children);
      } else {
        children.push_back(std::move(child));
      }
    }
    element.children = std::move(children);
  }

 private:
  void append_replicas(const XmlElement& part, std::vector<XmlElement>& to) {
    ElementReader reader(part, "replicate", "", *model_->to);
    const double count = reader.number_or("count", 0.0);
    const string separator = reader.text_or("sep", "");
    Pose step;
    step.position = reader.vector_or("offset", {});
    if (const auto euler = reader.numbers("euler", 3, 3); !euler.empty()) {
      step.rotation = mjcf_euler_rotation(*model_, euler);
    }
    reader.finish();
    if (!(count >= 1.0 && count == static_cast<double>(static_cast<int>(std::min(count, 1e9))))) {
      return reader.fail("count", fmt::format("{}", count), "a whole number > 0");
    }
    ReplicatedNames names;
    elements_ += collect_replicated(part, names) * static_cast<std::size_t>(count);
    if (elements_ > k_most_replicated) {
      return reader.fail("count", fmt::format("{} elements together", elements_),
                         fmt::format("at most {} replicated elements", k_most_replicated));
    }
    const int copies = static_cast<int>(count);
    const std::size_t digits = std::to_string(copies).size();
    std::vector<string> suffixes;
    Pose frame;
    for (int i = 0; i < copies; ++i) {
      suffixes.push_back(separator + fmt::format("{:0{}}", i, digits));
      XmlElement copy;
      copy.tag = "frame", copy.mark = part.mark, copy.children = part.children;
      rename_replica(copy, suffixes.back());
      const Quaternion q = quaternion_from_matrix(frame.rotation);
      const Vector3& p = frame.position;
      copy.attributes = {{"pos", fmt::format("{} {} {}", p.x, p.y, p.z)},
                         {"quat", fmt::format("{} {} {} {}", q.w, q.x, q.y, q.z)}};
      to.push_back(std::move(copy));
      frame = frame * step;
    }
    // what acts on the part is there as often; tendons first, on which others act
    for (const char* const section : {"tendon", "actuator", "equality"}) replicate_section(section, names, suffixes);
  }

  void replicate_section(const string& tag, ReplicatedNames& names, const std::vector<string>& suffixes) {
    for (XmlElement& section : model_->root.children) {
      if (section.tag != tag) continue;
      std::vector<XmlElement> kept, replicated;
      for (XmlElement& item : section.children) {
        ReferenceCount count;
        count_references(item, names, count);
        const string* const name = item.find("name");
        if (count.inside == 0) {
          kept.push_back(std::move(item));
        } else if (count.outside > 0) {
          model_->to->note(item.mark, fmt::format("{} between a replicated part and another: left out", tag),
                           name ? *name : item.tag);
        } else {
          if (name != nullptr && tag == "tendon") names["tendon"].insert(*name);
          replicated.push_back(std::move(item));
        }
      }
      for (const string& suffix : suffixes) {
        for (const XmlElement& item : replicated) {
          kept.push_back(item);
          rename_references(kept.back(), suffix);
        }
      }
      section.children = std::move(kept);
    }
  }

  MjcfModel* model_;
  std::size_t elements_ = 0;
};

}  // namespace

void expand_replicates(MjcfModel& model) {
  Replicator replicator(model);
  for (XmlElement& section : model.root.children) {
    if (section.tag == "worldbody") replicator.expand(section);
  }
}

}  // namespace cuttle
