#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/model/robot.h"

namespace cuttle {

/// -1: there is none of that name.
template <typename Part>
int index_of(const std::vector<Part>& parts, const std::string& name) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// What carries the links of a robot, before it is a model: which of them can move, and which against each other.
template <typename S>
class LinkCarriersT {
 public:
  /// The robot must outlive it.
  explicit LinkCarriersT(const RobotT<S>& robot) : links_(robot.links), floats_(robot.floating_base) {}

  static bool deforms(const LinkT<S>& link) { return link.body && link.body->coordinate_count() > 0; }

  /// Whether anything lets the link move.
  bool moves(int index) const {
    for (std::size_t guard = 0; guard <= links_.size(); ++guard) {
      if (index < 0) return floats_;
      if (is_jointed(links_[index]) || deforms(links_[index])) return true;
      index = parent_of(index);
    }
    return false;
  }
  /// Whether one link sits on the other, or two that do not deform sit on the same thing. A finger may bend until it
  /// touches what is fixed to its palm.
  bool are_fixed(int a, int b) const {
    const auto sits_on = [&](int link, int other) { return !is_jointed(links_[link]) && parent_of(link) == other; };
    if (sits_on(a, b) || sits_on(b, a)) return true;
    return !deforms(links_[a]) && !deforms(links_[b]) && carrier(a) == carrier(b);
  }

 private:
  static bool is_jointed(const LinkT<S>& link) { return link.joint && link.joint->nv() > 0; }
  int parent_of(int index) const {
    const std::string& parent = links_[index].parent.link;
    return parent.empty() ? index - 1 : (parent == "base" ? -1 : index_of(links_, parent));
  }
  /// What carries the base of a link as if it were a part of it: the link whose joint moves it, with the place base; or
  /// a body that deforms, with the place along it; -1: the base.
  std::pair<int, PortLocationT<S>> carrier(int index) const {
    for (std::size_t guard = 0; guard <= links_.size() && index >= 0; ++guard) {
      const LinkT<S>& link = links_[index];
      if (is_jointed(link)) return {index, PortLocationT<S>::base()};
      index = parent_of(index);
      const bool at_base = link.parent.at.kind == PortLocationT<S>::Kind::base;
      if (index >= 0 && deforms(links_[index]) && !at_base) return {index, link.parent.at};
    }
    return {-1, PortLocationT<S>::base()};
  }

  const std::vector<LinkT<S>>& links_;
  bool floats_;
};

}  // namespace cuttle
