#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/import/sdf_elements.h"

namespace cuttle {

/// The frames of a model in SDF: the model's, and those of its links, joints and <frame>s. Each is given in another
/// one, and moves with what it is attached to.
class SdfFrames {
 public:
  explicit SdfFrames(SdfElements& read) : read_(&read) { frames_[k_model].state = 2; }

  static constexpr const char* k_model = "__model__";

  /// @param canonical  link that the model's frame moves with.
  void add_model(const XmlElement& element, const std::string& canonical);
  /// A link, which moves with itself.
  void add_link(const XmlElement& element);
  /// @param attached  frame that it moves with, and is given in unless its pose says otherwise.
  void add(const XmlElement& element, const std::string& attached);

  bool has(const std::string& name) const { return frames_.count(name) > 0; }
  std::vector<std::string> names() const;

  /// The pose of a frame in the model's. @param mark  what asks for it, for errors.
  Pose pose(const std::string& name, const SourceMark& mark);
  /// That of each, so that what hangs on nothing is found.
  void resolve_all();
  /// The pose of a part of a link, in the link's frame.
  Pose pose_on(const std::string& link, const XmlElement& part);
  /// The link that a frame moves with; nothing, with an error, if it is attached to none.
  std::optional<std::string> link_of(const std::string& name);

 private:
  struct Frame {
    const XmlElement* element = nullptr;
    std::string attached;  // its own name: a link
    std::string relative_to;
    Pose relative;
    int state = 0;  // 1: being resolved, 2: resolved
    Pose model;     // in the model's frame
  };
  void add_frame(const XmlElement& element, const std::string& attached, const std::string& given_in);

  SdfElements* read_;
  std::map<std::string, Frame> frames_;
};

}  // namespace cuttle
