#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// Names of frames as files, results and commands have them: LINK.base and LINK.tip in the order of links, then
/// markers.
template <typename S>
std::vector<std::string> frame_names(const ModelT<S>& model) {
  std::vector<std::string> names;
  for (const auto& link : model.links()) names.push_back(link.name + ".base"), names.push_back(link.name + ".tip");
  for (const auto& marker : model.robot().markers) names.push_back(marker.name);
  return names;
}

/// The frame of such a name, a marker before a link's; nothing if there is none.
template <typename S>
std::optional<FrameT<S>> find_frame(const ModelT<S>& model, const std::string& name) {
  for (const auto& marker : model.robot().markers) {
    if (name == marker.name) return model.marker_frame(name);
  }
  for (const auto& link : model.links()) {
    if (name == link.name + ".tip") return link.tip;
    if (name == link.name + ".base") return link.base;
  }
  return std::nullopt;
}

}  // namespace cuttle
