#include "io/import/sdf_frames.h"

#include <fmt/format.h>

#include <utility>

#include "cuttle/io/key_table.h"

namespace cuttle {

using std::string;

void SdfFrames::add_model(const XmlElement& element, const string& canonical) {
  frames_[k_model].element = &element, frames_[k_model].attached = canonical;
}

void SdfFrames::add_link(const XmlElement& element) { add_frame(element, SdfElements::name_of(element), k_model); }

void SdfFrames::add(const XmlElement& element, const string& attached) { add_frame(element, attached, attached); }

void SdfFrames::add_frame(const XmlElement& element, const string& attached, const string& given_in) {
  const string given = read_->relative_to(element), name = SdfElements::name_of(element);
  Frame frame{&element, attached, given.empty() ? given_in : given, read_->pose(element), 0, {}};
  if (name.empty() || !frames_.emplace(name, std::move(frame)).second) {
    read_->to().errors.add(element.mark, element.tag + ".name", name.empty() ? "nothing" : "'" + name + "' again",
                           "a name of its own");
  }
}

std::vector<string> SdfFrames::names() const {
  std::vector<string> known;
  for (const auto& entry : frames_) known.push_back(entry.first);
  return known;
}

Pose SdfFrames::pose(const string& name, const SourceMark& mark) {
  std::vector<Frame*> chain;  // no recursion: frames may be relative to each other by the thousands
  string at = name;
  SourceMark asks = mark;
  Pose pose;
  while (true) {
    const auto found = frames_.find(at);
    if (found == frames_.end()) {
      read_->to().errors.add(asks, "pose.relative_to", "'" + at + "', which is no frame", one_of(at, names()));
      break;
    }
    Frame& frame = found->second;
    if (frame.state == 2) {
      pose = frame.model;
      break;
    }
    if (frame.state == 1) {
      read_->to().errors.add(asks, "pose.relative_to", "'" + at + "', which is relative to itself: a cycle",
                             "a tree of frames");
      break;
    }
    frame.state = 1;
    chain.push_back(&frame);
    at = frame.relative_to, asks = frame.element->mark;
  }
  for (auto frame = chain.rbegin(); frame != chain.rend(); ++frame) {
    pose = pose * (*frame)->relative;
    (*frame)->model = pose, (*frame)->state = 2;
  }
  return pose;
}

void SdfFrames::resolve_all() {
  for (auto& [name, frame] : frames_) pose(name, frame.element->mark);
}

Pose SdfFrames::pose_on(const string& link, const XmlElement& part) {
  const string other = read_->relative_to(part);
  const Pose given = read_->pose(part);
  if (other.empty() || other == link) return given;
  return pose(link, part.mark).inverse() * pose(other, part.mark) * given;
}

std::optional<string> SdfFrames::link_of(const string& name) {
  string at = name;
  for (std::size_t steps = 0; steps <= frames_.size(); ++steps) {
    const auto found = frames_.find(at);
    if (found == frames_.end()) break;
    if (found->second.attached == at) return at;
    at = found->second.attached;
  }
  const XmlElement& element = *frames_.at(name).element;
  read_->to().errors.add(element.mark, fmt::format("{}[{}].attached_to", element.tag, name),
                         "'" + at + (has(at) ? "', which is attached to itself" : "', which is no frame"),
                         "a link, a joint or a frame");
  return std::nullopt;
}

}  // namespace cuttle
